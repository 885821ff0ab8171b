# SPDX-License-Identifier: MIT
"""docs/users.md 6: the audit log, of the command line and of HTTP."""
import pytest
from caller import PASSWORD, Caller, User, token_of
from command import DATA, OK, call


@pytest.fixture(scope="module")
def account(service):
    return service.account("Agency")


@pytest.fixture(scope="module")
def owner(service, account):
    return User(service, "owner@example.org", "--role", "owner", "--account", account.id).ready()


@pytest.fixture
def audit(service):
    def newest(*words):
        return service.installation.admin("audit", "list", "--limit", "1", *map(str, words))[0]
    return newest


def test_a_change_by_a_user(service, account, owner, audit):
    """docs/users.md 6: who made the change, what it was, the states before and after, and the address"""
    campaign = service.campaign(account)
    answer = owner("PATCH", f"campaigns/{campaign.id}", {"points_direct": 9}, address="203.0.113.5")
    row = audit("--campaign", campaign.id)
    assert (row["actor"], row["actor_id"], row["actor_name"], row["ip"]) == ("user", owner.id, owner.email, "203.0.113.5")
    assert (row["account"], row["campaign"], row["operation"], row["target"]) == (account.id, campaign.id, "campaign set", campaign.id)
    assert row["state"] == "done" and row["before"]["points_direct"] == 1 and row["after"] == answer.json
    assert row["request_id"] == answer.headers["X-Request-Id"]
    assert owner("GET", f"audit?campaign={campaign.id}&limit=1").json == [row]


def test_a_change_by_a_key_and_by_a_shell(service, account, audit):
    """docs/users.md 6"""
    campaign = service.campaign(account)
    added = service.installation.admin("key", "add", str(account.id), "--rights", "all")
    assert audit()["actor"] == "shell" and audit()["actor_name"] and audit()["target"] == added["id"]
    tag = Caller(service, added["key"])("POST", f"campaigns/{campaign.id}/tags", {"name": "VIP"}).json
    row = audit()
    assert (row["actor"], row["actor_id"], row["operation"], row["target"]) == ("key", added["id"], "tag add", tag["id"])
    assert (row["before"], row["after"], row["campaign"]) == (None, tag, campaign.id)
    assert row["actor_name"] == "default", "the name of the key"


def test_a_long_name_of_a_key(service, account, audit):
    """docs/users.md 6: a long name is cut between two characters"""
    key = service.installation.admin("key", "add", str(account.id), "--name", "a" + "€" * 199, "--rights", "manage")["key"]
    assert Caller(service, key)("POST", f"campaigns/{service.campaign(account).id}/tags", {"name": "Long"}).status == 201
    name = audit()["actor_name"]
    assert name == "a" + "€" * (len(name) - 1) and 80 < len(name) < 200


def test_a_dry_run_is_no_change(service, account, owner):
    """docs/users.md 6: checking a file is not logged, importing it is"""
    campaign = service.campaign(account)
    for option, logged in (("look", []), ("dry_run", []), (None, ["lead import"])):
        body = {"records": "email\ndry@example.org\n", **({option: True} if option else {})}
        assert owner("POST", f"campaigns/{campaign.id}/import", body).status == 200
        assert [row["operation"] for row in service.installation.admin("audit", "list", "--campaign", str(campaign.id))] == logged


def test_an_import_with_rejected_rows(service, account, owner, audit, tmp_path):
    """docs/users.md 6: the row shows it as done, with its counts and without the rejected rows"""
    campaign = service.campaign(account)
    path = tmp_path / "leads.csv"
    path.write_text("email\nfirst@example.org\nnonsense\n")
    done = call(service.installation, "lead", "import", str(campaign.id), str(path))
    assert done.returncode == DATA, done.stderr
    row = audit("--campaign", campaign.id)
    assert row["operation"] == "lead import" and (row["state"], row["before"]) == ("done", None)
    assert {name: row["after"][name] for name in ("rows", "imported", "rejected")} == {"rows": 2, "imported": 1, "rejected": 1}
    assert owner("POST", f"campaigns/{campaign.id}/import", {"records": "email\nnonsense\nnext@example.org\n"}).json["rejected"] == 1
    row = audit("--campaign", campaign.id)
    assert row["state"] == "done" and row["after"]["imported"] == 1 and "nonsense" not in str(row)
    assert call(service.installation, "lead", "import", str(campaign.id), str(tmp_path / "none.csv")).returncode != OK
    row = audit("--campaign", campaign.id)
    assert (row["state"], row["after"]) == ("failed", None)


def test_users_are_added_to_an_account(service, account, owner, audit):
    """docs/users.md 6: the owner of the account sees this in the log"""
    assert owner("POST", "users", {"email": "invited@example.org", "role": "viewer"}).status == 201
    assert (audit()["operation"], audit()["account"], audit()["actor_id"]) == ("user add", account.id, owner.id)
    service.installation.admin("user", "add", "second@example.org", "--role", "viewer", "--account", str(account.id))
    assert (audit()["operation"], audit()["account"], audit()["actor"]) == ("user add", account.id, "shell")
    assert owner("GET", "audit?limit=1").json == [audit()]


def test_changes_of_the_own_login(service, account, audit):
    """docs/users.md 6: password and second factor, also by a link"""
    user = User(service, "own@example.org", "--role", "viewer", "--account", account.id)
    assert user.accept().status == 200
    row = audit()
    assert (row["operation"], row["actor"], row["actor_id"], row["actor_name"]) == ("session link use", "user", user.id, user.email)
    assert (row["account"], row["target"], row["state"]) == (account.id, user.id, "done") and row["ip"]
    assert user.log_in().status == 200
    fields = {"password": "not this one, no", "new_password": "eight orange bicycles"}
    assert user("POST", "session/password", fields).status == 401
    assert (audit()["operation"], audit()["state"]) == ("session password", "failed")
    answer = user("POST", "session/password", {**fields, "password": PASSWORD})
    assert answer.status == 200
    assert (audit()["operation"], audit()["state"], audit()["before"], audit()["after"]) == ("session password", "done", None, None)
    user.token = token_of(answer)
    assert user("DELETE", "session/factor").status == 200
    assert (audit()["operation"], audit()["state"]) == ("session factor remove", "done")


def test_changes_of_the_own_login_that_are_refused(service, account, owner, audit):
    """docs/users.md 6: changes refused for their fields, the new password, a missing confirmation or a limit add no row"""
    guest = User(service, "guest@example.org", "--role", "viewer", "--account", account.id)
    weak = {"token": guest.link.rsplit("/", 1)[1], "new_password": "short"}
    user = User(service, "refused@example.org", "--role", "viewer", "--account", account.id).ready()
    before = audit()["id"]
    assert guest("POST", "session/link/use", weak, address="203.0.113.61").status == 422
    assert user("POST", "session/password", {"password": PASSWORD, "new_password": "short"}).status == 422
    assert user("POST", "session/password", {"password": PASSWORD, "new_password": "eight orange bicycles", "x": "y"}).status == 406
    assert user("POST", "session/factor/codes", {"x": "y"}).status == 406
    assert user("POST", "session/factor/codes").status == 409
    service.installation.sql(f"UPDATE lh_sessions SET confirmed_ms = 0 WHERE user_id = {user.id}")
    for method, path in (("POST", "session/factor/codes"), ("POST", "session/factor/enable"), ("DELETE", "session/factor")):
        assert user(method, path, {"code": "123456"} if path.endswith("enable") else None).verdict == (403, "confirmation_needed")
    assert audit()["id"] == before
    wrong = {"password": "not this one, no", "new_password": "eight orange bicycles"}
    answers = [user("POST", "session/password", wrong, address="203.0.113.62").verdict for _ in range(12)]
    assert answers.count((429, "rate_limited")) == 2
    rows = service.installation.admin("audit", "list", "--limit", "20", "--user", str(user.id))
    assert len([row for row in rows if row["id"] > before]) == 10


def test_what_fails(service, account, owner, audit):
    """docs/users.md 6: a change that fails is logged, too, unless its object does not exist"""
    campaign = service.campaign(account)
    assert owner("PATCH", f"campaigns/{campaign.id}", {"points_direct": -1}).status == 422
    row = audit("--campaign", campaign.id)
    assert (row["state"], row["before"]["points_direct"], row["after"]) == ("failed", 1, None)
    assert owner("PATCH", "campaigns/999999", {"points_direct": 1}).status == 404
    assert audit()["id"] == row["id"]


def test_a_webhook_whose_new_url_is_refused(service, account, owner, audit):
    """docs/users.md 6: the row has the state before, although the rule is about another webhook"""
    campaign = service.campaign(account)
    first, second = (owner("POST", f"campaigns/{campaign.id}/webhooks", {"url": f"https://hooks.example/{name}", "events": ["new_signup"]}).json
                     for name in ("first", "second"))
    assert owner("PATCH", f"webhooks/{second['id']}", {"url": "https://hooks.example/first"}).status == 422
    row = audit("--campaign", campaign.id)
    assert (row["operation"], row["target"], row["state"]) == ("webhook set", second["id"], "failed")
    assert (row["before"]["referenceId"], row["before"]["events"], row["after"]) == (second["id"], ["new_signup"], None)


def test_a_change_that_leaves_a_job(service, account, audit):
    """docs/users.md 6: the log has the campaign, even if the command prints the job"""
    campaign = service.campaign(account)
    job = service.installation.admin("campaign", "set", str(campaign.id), "max_per_ip=2", "--queue")
    row = audit("--campaign", campaign.id)
    assert job["kind"] == "address_count" and (row["operation"], row["after"]["max_per_ip"]) == ("campaign set", 2)


def test_reading_is_not_logged(service, owner, audit):
    """docs/users.md 6"""
    before = audit()["id"]
    assert owner("GET", "campaigns").status == 200
    service.installation.admin("campaign", "list")
    assert audit()["id"] == before


def test_no_secrets(service, account, owner):
    """docs/users.md 6: the log has no secrets, and nothing about leads"""
    campaign = service.campaign(account)
    lead = campaign.lead(email="mallory@example.org", phone_number="+14155552671")
    hook = owner("POST", f"campaigns/{campaign.id}/webhooks", {"url": "https://hooks.example/URL-WITH-TOKEN", "events": ["new_signup"]}).json
    assert owner("PATCH", f"webhooks/{hook['id']}", {"rate": 5}).status == 200
    secrets = ["URL-WITH-TOKEN", hook["secret"], owner("POST", f"webhooks/{hook['id']}/rotate").json["secret"],
               owner("POST", f"accounts/{account.id}/keys", {"name": "Secret"}).json["key"],
               owner("POST", f"campaigns/{campaign.id}/inbound", {"name": "In"}).json["url"].rsplit("/", 1)[1],
               owner("POST", "users", {"email": "new@example.org", "role": "viewer"}).json["link"].rsplit("/", 1)[1]]
    assert owner("POST", f"campaigns/{campaign.id}/erase", {"email": lead["email"]}).json["leads"] == 1
    log = service.installation.sql("SELECT CONCAT_WS(' ', operation, before_json, after_json) FROM lh_audit")
    assert "webhook rotate" in log and "webhook set" in log and "lead erase" in log
    for secret in [*secrets, PASSWORD, lead["email"], lead["phone_number"]]:
        assert secret not in log


def test_changes_of_leads(service, account, owner, audit):
    """docs/users.md 6: the row says which change was made, and of how many leads"""
    campaign = service.campaign(account)
    tag = campaign.define("tag", "VIP")
    leads = [lead["social_id"] for lead in campaign.leads(2)]
    for body, after in (({"change": "tag", "tag": tag}, {"change": "tag", "tag_id": tag, "leads": 2}),
                        ({"change": "approve"}, {"change": "approve", "tag_id": None, "leads": 2})):
        answer = owner("POST", f"campaigns/{campaign.id}/bulk", {**body, "leads": leads})
        row = audit("--campaign", campaign.id)
        assert (row["operation"], row["before"], row["after"]) == ("lead change", None, answer.json)
        assert after.items() < row["after"].items() and row["after"].keys() - after.keys() == {"job"}


def test_a_row_that_cannot_be_written(service, account, owner):
    """docs/users.md 6: the change is not made"""
    campaign = service.campaign(account)
    service.installation.sql("ALTER TABLE lh_audit RENAME lh_no_audit")
    try:
        assert owner("PATCH", f"campaigns/{campaign.id}", {"points_direct": 9}).status == 500
    finally:
        service.installation.sql("ALTER TABLE lh_no_audit RENAME lh_audit")
    assert owner("GET", f"campaigns/{campaign.id}").json["points_direct"] == 1
