# SPDX-License-Identifier: MIT
"""docs/users.md: users and the audit log, by the command and by keys over HTTP."""
import pytest
from command import DATA, NO_ID, OK, USAGE, call, is_time

MANAGE = "/manage/v1/"
LINK = "/dashboard/#welcome/"


@pytest.fixture(scope="module")
def accounts(service):
    return service.account("Agency"), service.account("Other")


@pytest.fixture(scope="module")
def keys(service, accounts):
    """A key of the first account with the rights `all`, and one with the rights `full`."""
    return {rights: service.installation.admin("key", "add", str(accounts[0].id), "--rights", rights)["key"] for rights in ("all", "full")}


def test_the_first_user(service, leadhook):
    """docs/users.md 1: a link is printed; 2: an operator has no account"""
    made = leadhook("user", "add", "Root@Example.org", "--role", "operator", "--name", "Root")
    assert made["email"] == "root@example.org"
    base, token = made["link"].split(LINK)
    assert base == service.installation.setting("server", "base_url") and len(token) == 43
    user = leadhook("user", "show", str(made["id"]))
    assert is_time(user.pop("created_at"))
    assert user == {"id": made["id"], "account": None, "email": "root@example.org", "name": "Root", "role": "operator", "campaigns": None,
                    "has_password": False, "has_totp": False, "last_login_at": None, "disabled_at": None}
    assert token not in service.installation.sql("SELECT HEX(hash) FROM lh_invitations")
    assert leadhook("user", "sessions", str(made["id"])) == []
    assert leadhook("user", "logout", str(made["id"])) == {"id": made["id"], "sessions": 0}
    assert leadhook("user", "disable", str(made["id"]))
    assert is_time(leadhook("user", "show", str(made["id"]))["disabled_at"])
    assert leadhook("user", "enable", str(made["id"]))
    again = leadhook("user", "reset", str(made["id"]), "--totp")
    assert LINK in again["link"] and again["link"] != made["link"]
    leadhook("user", "remove", str(made["id"]))
    assert all(one["id"] != made["id"] for one in leadhook("user", "list"))


def test_settings_of_a_user(service, accounts, leadhook):
    """docs/users.md 1 user set: role, campaigns and name"""
    campaigns = [service.campaign(accounts[0]).id for _ in range(2)]
    several = ",".join(str(one) for one in reversed(campaigns))
    user = str(leadhook("user", "add", "eve@example.org", "--role", "editor", "--account", str(accounts[0].id), "--campaigns", several)["id"])
    assert leadhook("user", "show", user)["campaigns"] == campaigns and leadhook("user", "show", user)["name"] == "eve"
    changed = leadhook("user", "set", user, "role=viewer", f"campaigns={campaigns[1]}", "name=Eve")
    assert (changed["role"], changed["campaigns"], changed["name"]) == ("viewer", campaigns[1:], "Eve")
    assert leadhook("user", "set", user, "campaigns=", "role=owner")["campaigns"] is None
    assert [one["email"] for one in leadhook("user", "list", "--account", str(accounts[0].id), "--limit", "1")] == ["eve@example.org"]
    assert leadhook("user", "list", "--account", str(accounts[0].id), "--after", user) == []


def test_a_user_of_a_removed_campaign(service, accounts, leadhook):
    """docs/users.md 2: the user sees no campaign, even after being renamed"""
    campaign = service.campaign(accounts[0]).id
    user = leadhook("user", "add", "past@example.org", "--role", "editor", "--account", accounts[0].id, "--campaigns", campaign)["id"]
    leadhook("campaign", "remove", campaign, "--yes")
    changed = leadhook("user", "set", user, "name=Past")
    assert (changed["name"], changed["campaigns"]) == ("Past", [campaign])
    assert call(service.installation, "user", "set", str(user), f"campaigns={campaign},{service.campaign(accounts[0]).id}").returncode == DATA
    assert leadhook("user", "set", user, "campaigns=")["campaigns"] is None


@pytest.mark.parametrize("words, status, message", [
    ("user add eve@example.org", USAGE, "--role"),
    ("user add eve --role operator", DATA, "not a valid email address"),
    ("user add bob@example.org --role boss", DATA, "operator, owner, editor or viewer"),
    ("user add bob@example.org --role owner", DATA, "an operator belongs to no account"),
    (f"user add bob@example.org --role owner --account {NO_ID}", DATA, "no such account"),
    ("user add bob@example.org --role owner --account {account} --campaigns 1", DATA, "only editors and viewers"),
    (f"user add bob@example.org --role editor --account {{account}} --campaigns {NO_ID}", DATA, "no campaign of these ids"),
    ("user add eve@example.org --role owner --account {other}", DATA, "a user with this address"),
    (f"user show {NO_ID}", DATA, "no such user"),
    (f"user reset {NO_ID}", DATA, "no such user"),
    ("audit list --since yesterday", DATA, "RFC 3339"),
])
def test_errors(service, accounts, words, status, message):
    """docs/users.md 1"""
    words = words.format(account=accounts[0].id, other=accounts[1].id).split()
    done = call(service.installation, *words)
    assert done.returncode == status and message in done.stderr, done.stderr


def test_an_owner_manages_its_account(service, accounts, keys, leadhook):
    """docs/users.md 2: users of other accounts do not exist for a key, which needs the right `account`"""
    def manage(method, path, body=None, rights="all"):
        return service.client.request(method, MANAGE + path, json_body=body, key=keys[rights])
    foreign = leadhook("user", "add", "foreign@example.org", "--role", "viewer", "--account", str(accounts[1].id))["id"]
    operator = leadhook("user", "add", "operator@example.org", "--role", "operator")["id"]
    made = manage("POST", "users", {"email": "member@example.org", "role": "viewer"})
    assert made.status == 201 and LINK in made.json["link"], made.body
    user = f"users/{made.json['id']}"
    assert manage("GET", user).json["account"] == accounts[0].id
    assert manage("PATCH", user, {"role": "editor", "name": "Member"}).json["role"] == "editor"
    assert made.json["id"] in [one["id"] for one in manage("GET", "users").json]
    for hidden in (foreign, operator):
        for method, path, body in (("GET", "", None), ("PATCH", "", {"name": "x"}), ("DELETE", "", None), ("POST", "/reset", {}), ("GET", "/sessions", None)):
            assert manage(method, f"users/{hidden}{path}", body).status == 404
        assert hidden not in [one["id"] for one in manage("GET", "users").json]
    assert manage("POST", "users", {"email": "x@example.org", "role": "viewer", "account": accounts[1].id}).status == 404
    assert manage("POST", "users", {"email": "x@example.org", "role": "operator"}).status == 422
    assert manage("GET", "users", rights="full").status == 403
    limited = leadhook("key", "add", str(accounts[0].id), "--rights", "all", "--campaigns", str(service.campaign(accounts[0]).id))["key"]
    for path in ("users", user, "audit"):
        assert service.client.request("GET", MANAGE + path, key=limited).status == 403, path
    assert manage("GET", "audit", rights="full").status == 403
    assert manage("POST", f"{user}/disable", {}).status == 200
    assert manage("DELETE", user).status == 200 and manage("GET", user).status == 404


def test_the_audit_log(service, accounts, keys, leadhook):
    """docs/users.md 6: the rows of the caller's account, the newest first"""
    service.installation.sql(
        "INSERT INTO lh_audit (id, created_ms, actor, actor_id, actor_name, account_id, operation, target_id, state, before_json, after_json, ip)"
        f" VALUES (1000001, 4102444801000, 'user', 7, 'eve@example.org', {accounts[0].id}, 'user set', 7, 'done', '{{\"name\":\"a\"}}', '{{\"name\":\"b\"}}', '192.0.2.1'),"
        f" (1000002, 4102444802000, 'shell', 0, NULL, {accounts[1].id}, 'key add', NULL, 'begun', NULL, NULL, NULL)")
    rows = {one["id"]: one for one in leadhook("audit", "list", "--since", "2100-01-01")}
    assert list(rows) == [1000002, 1000001]
    assert rows[1000001] == {
        "id": 1000001, "created_at": "2100-01-01T00:00:01Z", "actor": "user", "actor_id": 7, "actor_name": "eve@example.org", "account": accounts[0].id,
        "campaign": None, "operation": "user set", "target": 7, "state": "done", "before": {"name": "a"}, "after": {"name": "b"}, "ip": "192.0.2.1",
        "request_id": None}
    assert [one["id"] for one in leadhook("audit", "list", "--since", "2100-01-01", "--after", "1000002")] == [1000001]
    assert [one["id"] for one in leadhook("audit", "list", "--since", "2100-01-01", "--until", "2100-01-01T00:00:02Z")] == [1000001]
    assert [one["id"] for one in leadhook("audit", "list", "--since", "2100-01-01", "--user", "7")] == [1000001]
    answer = service.client.request("GET", MANAGE + "audit?since=2100-01-01", key=keys["all"])
    assert [one["id"] for one in answer.json] == [1000001], answer.body
    answer = service.client.request("GET", MANAGE + f"audit?account={accounts[1].id}", key=keys["all"])
    assert answer.status == 404, answer.body
    assert call(service.installation, "audit", "list").returncode == OK
