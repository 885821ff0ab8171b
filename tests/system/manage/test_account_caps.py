# SPDX-License-Identifier: MIT
"""docs/manage.md 1.1, Objects and Lists: how many objects an account has, and lists of them in parts."""
import re

import pytest
from caller import PASSWORD, Caller, User
from command import USAGE, call
from stack.process import wait_until

MAXIMA = {"campaigns": 4, "keys": 4, "users": 2}
CHANGES = 60


@pytest.fixture(scope="module")
def service(make_service):
    return make_service(settings=[("limits", "audit_bytes_per_account", "10k"), ("limits", "changes_per_account", f"{CHANGES}/60s"),
                                  *(("limits", f"{kind}_per_account", str(most)) for kind, most in MAXIMA.items())])


@pytest.fixture
def account(service):
    return service.account("Agency")


@pytest.fixture
def owner(service, account):
    return Caller(service, service.installation.admin("key", "add", str(account.id), "--rights", "all")["key"])


def full(answer, kind):
    """Whether the answer says that the account has reached its limit for a kind of object."""
    return answer.verdict == (409, "conflict") and f"(limits.{kind}_per_account)" in answer.json["detail"]


def whole(call, path, limit=1):
    """All rows of a list, read in parts of that size, and the number of parts."""
    rows, parts, query = [], 0, f"limit={limit}"
    while query is not None:
        separator = "&" if "?" in path else "?"
        answer = call("GET", f"{path}{separator}{query}")
        assert answer.status == 200 and len(answer.json) <= limit
        rows, parts = rows + answer.json, parts + 1
        link = re.fullmatch(r'<\?(.*)>; rel="next"', answer.headers.get("Link", ""))
        query = link and re.search(r"(?:^|&)(limit=\d+&after=\d+)$", link[1])[1]
    return rows, parts


def test_campaigns(service, account, owner, leadhook):
    """Objects: the account can add no more, but an operator can; removing a campaign makes room"""
    add = lambda: owner("POST", f"accounts/{account.id}/campaigns", {"name": "One more"})  # noqa: E731
    made = [add().json["id"] for _ in range(MAXIMA["campaigns"])]
    assert full(add(), "campaigns")
    made.append(leadhook("campaign", "add", str(account.id), "Of the operator")["id"])
    assert full(add(), "campaigns") and full(add(), "campaigns")
    listed = service.client.request("GET", "/v2/campaigns", key=account.key)
    assert [row["id"] for row in listed.json] == made, "a list of the API is whole"
    for campaign in made[:2]:
        assert owner("DELETE", f"campaigns/{campaign}?yes=true").status == 200
    assert add().status == 201 and full(add(), "campaigns")


def test_keys(service, account, owner):
    """Objects: the oldest key that was revoked or has expired makes room for a new one"""
    add = lambda **fields: owner("POST", f"accounts/{account.id}/keys", fields)  # noqa: E731
    listed = lambda: [row["id"] for row in owner("GET", f"accounts/{account.id}/keys").json]  # noqa: E731
    ids = listed()
    ids += [add().json["id"] for _ in range(MAXIMA["keys"] - len(ids))]
    assert full(add(), "keys") and listed() == ids
    for key in ids[2:]:
        assert owner("DELETE", f"keys/{key}").status == 200
    assert listed() == ids, "revoked ones are still listed"
    ids.append(add(expires="2001-01-01").json["id"])
    assert listed() == ids[:2] + ids[3:]
    ids += [add().json["id"], add().json["id"]]
    assert listed() == ids[:2] + ids[5:] and full(add(), "keys")


def test_users(service, account, owner, leadhook):
    """Objects: the account can add no more, but an operator can"""
    add = lambda number: owner("POST", "users", {"email": f"user{number}.{account.id}@example.org", "role": "viewer"})  # noqa: E731
    assert [add(number).status for number in range(MAXIMA["users"])] == [201, 201]
    assert full(add(3), "users")
    leadhook("user", "add", f"more.{account.id}@example.org", "--role", "viewer", "--account", str(account.id))
    assert len(owner("GET", "users").json) == 3


def test_lists_in_parts(service, account, owner, leadhook):
    """Lists: the parts together are the whole list, for operators, the account, and a key limited to campaigns"""
    ids = [leadhook("campaign", "add", str(account.id), f"Campaign {number}")["id"] for number in range(3)]
    other = service.campaign()
    root = User(service, "root@example.org", "--role", "operator").ready()
    for path, names in (("campaigns", ids), ("overview", ids)):
        rows, parts = whole(owner, path)
        assert [row["id"] for row in rows] == names and parts == 4, path
        assert rows == owner("GET", path).json
        assert whole(root, f"{path}?account={account.id}") == (rows, 4)
        everything = [row["id"] for row in root("GET", path).json]
        assert other.id in everything and [row["id"] for row in whole(root, path, 2)[0]] == everything
    some = leadhook("key", "add", str(account.id), "--rights", "all", "--campaigns", str(ids[1]))["key"]
    assert [row["id"] for row in whole(Caller(service, some), "campaigns")[0]] == [ids[1]]
    accounts = [row["id"] for row in root("GET", "accounts").json]
    assert account.id in accounts and [row["id"] for row in whole(root, "accounts")[0]] == accounts
    assert [row["id"] for row in whole(owner, "accounts")[0]] == [account.id]
    keys = owner("GET", f"accounts/{account.id}/keys").json
    assert len(keys) == 3 and whole(owner, f"accounts/{account.id}/keys", 2) == (keys, 2)
    for path in ("campaigns", "overview", "accounts", f"accounts/{account.id}/keys"):
        assert owner("GET", f"{path}?limit=251").verdict == (422, "invalid_value"), path
    assert leadhook("campaign", "list", str(account.id), "--after", str(ids[1])) == owner("GET", "campaigns").json[2:]


def test_the_audit_log(service, account, owner, leadhook):
    """docs/users.md 6: beyond the daily limit, changes by the account are logged without the states before and after"""
    campaign = service.campaign(account)
    for number in range(12):
        assert owner("PATCH", f"campaigns/{campaign.id}", {"landing_url": f"https://shop.example/{number}"}).status == 200
    rows = owner("GET", f"audit?campaign={campaign.id}").json
    full = {"omitted": "daily limit"}
    assert (rows[0]["before"], rows[0]["after"], rows[0]["operation"], rows[0]["state"]) == (full, full, "campaign set", "done")
    assert rows[10]["after"]["landing_url"].endswith("/1") and rows[10]["before"]["landing_url"].endswith("/0")
    leadhook("campaign", "set", str(campaign.id), "points_direct=3")
    assert leadhook("audit", "list", "--campaign", str(campaign.id))[0]["after"]["points_direct"] == 3, "an operator's is whole"
    others = service.campaign()
    assert leadhook("audit", "list", "--campaign", str(others.id), "--limit", "1") == []


def test_pruning_the_audit_log(service, account, leadhook):
    """docs/users.md 6: deletes rows before a time, of one account; nothing without --yes"""
    service.campaign(account)
    service.installation.sql("UPDATE lh_audit SET created_ms = 1000")
    words = ["audit", "prune", "--until", "2001-01-01", "--account", str(account.id)]
    before = len(leadhook("audit", "list", "--account", str(account.id)))
    refused = call(service.installation, *words)
    assert refused.returncode == USAGE and "rows would be deleted; add --yes" in refused.stderr
    assert leadhook(*words, "--yes") == {"deleted": before}
    assert [row["operation"] for row in leadhook("audit", "list", "--account", str(account.id))] == ["audit prune", "audit prune"]


def test_changes(service, account, owner, leadhook):
    """docs/api.md 5, `changes_per_account`: a refused change adds no row to the audit log; calls that read, and the command, still work"""
    campaign = leadhook("campaign", "add", str(account.id), "Busy")["id"]
    change = lambda: owner("PATCH", f"campaigns/{campaign}", {"points_direct": 2}).verdict  # noqa: E731
    before = len(leadhook("audit", "list", "--account", account.id, "--limit", 200))
    assert all(change()[0] == 200 for _ in range(CHANGES))
    assert change() == (429, "rate_limited")
    assert len(leadhook("audit", "list", "--account", account.id, "--limit", 200)) == before + CHANGES
    assert owner("GET", f"campaigns/{campaign}").status == 200
    assert leadhook("campaign", "set", campaign, "points_direct=3")["points_direct"] == 3


def test_a_leaked_key_can_be_revoked(service, account, owner, leadhook):
    """docs/users.md 6: even if changes, including failed ones, have used up the limit, keys can be revoked"""
    leaked = leadhook("key", "add", account.id, "--rights", "change,stats")
    campaign = leadhook("campaign", "add", str(account.id), "Busy")["id"]
    thief = Caller(service, leaked["key"])
    answers = [thief("PATCH", f"campaigns/{campaign}/leads/ABCDEFG", {"plan": "x"}).status for _ in range(CHANGES + 1)]
    assert answers.count(404) <= CHANGES and answers[-1] == 429
    assert owner("PATCH", f"campaigns/{campaign}", {"points_direct": 2}).verdict == (429, "rate_limited")
    assert owner("DELETE", f"keys/{leaked['id']}").status == 200
    wait_until(lambda: thief("GET", f"campaigns/{campaign}").json.get("error") == "invalid_api_key", 5, "the key has ended")


def test_a_leaked_key_uses_up_its_own_revocations(service, account, owner, leadhook):
    """docs/users.md 6: a call that ends a credential, even a refused one, counts for the caller alone"""
    leaked = leadhook("key", "add", account.id, "--rights", "account")
    user = leadhook("user", "add", "owner@example.org", "--role", "owner", "--account", account.id)["id"]
    thief = Caller(service, leaked["key"])
    answers = [thief("POST", f"users/{user}/logout").status for _ in range(CHANGES + 1)]
    assert answers == [403] * CHANGES + [429]
    assert owner("DELETE", f"keys/{leaked['id']}").status == 200


def test_changes_of_the_own_login(service, account, owner, leadhook):
    """docs/users.md 6: changes to one's own login count as changes of the account"""
    user = User(service, "viewer@example.org", "--role", "viewer", "--account", account.id).ready()
    campaign = leadhook("campaign", "add", str(account.id), "Busy")["id"]
    assert user("DELETE", "session/factor").status == 200
    before = len(leadhook("audit", "list", "--account", account.id, "--limit", 200))
    made = [owner("PATCH", f"campaigns/{campaign}", {"points_direct": 2}).status for _ in range(CHANGES)]
    assert made.count(200) < CHANGES
    refused = user("POST", "session/password", {"password": PASSWORD, "new_password": "eight orange bicycles"})
    assert refused.verdict == user("DELETE", "session/factor").verdict == (429, "rate_limited")
    assert len(leadhook("audit", "list", "--account", account.id, "--limit", 200)) == before + made.count(200)
