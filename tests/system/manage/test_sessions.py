# SPDX-License-Identifier: MIT
"""docs/manage.md 3, docs/users.md: users over HTTP."""
import json
from hashlib import sha256

import fastcgi_client
import pytest
from caller import MANAGE, OWN_PAGE, PASSWORD, Caller, User


@pytest.fixture(scope="module")
def account(service):
    return service.account("Agency")


@pytest.fixture(scope="module")
def operator(service):
    return User(service, "root@example.org", "--role", "operator").ready()


def test_from_the_link_to_a_session(service, account):
    """docs/manage.md 3, docs/users.md 3, 4: a link is used once, sets the password, and does not log in"""
    user = User(service, "ada@example.org", "--role", "owner", "--account", account.id)
    token = user.link.rsplit("/", 1)[1]
    assert f"/dashboard/#welcome/{token}" in user.link
    shown = user("POST", "session/link", {"token": token})
    assert shown.status == 200 and (shown.json["email"], shown.json["purpose"]) == ("ada@example.org", "welcome"), shown.body
    for weak in ("short", "ada@example.org", "password2026!!"):
        refused = user.accept(weak)
        assert refused.status == 422 and refused.json["errors"][0]["pointer"] == "/new_password", refused.body
    assert user.accept().status == 200
    assert user.accept().json["error"] == "link_not_valid"
    assert user.log_in("wrong password, it is").json["error"] == "wrong_login"
    answer = user.log_in()
    assert answer.status == 200, answer.body
    assert answer.headers["Set-Cookie"].endswith("; Path=/; Secure; HttpOnly; SameSite=Strict")
    assert answer.headers["Cache-Control"] == "no-store"
    me = user("GET", "session").json
    assert (me["email"], me["role"], me["account_id"]) == ("ada@example.org", "owner", account.id)
    assert (me["account_name"], me["account_suspended"]) == ("Agency", False)
    assert user("GET", "campaigns").status == 200
    out = user("DELETE", "session")
    assert out.status == 200 and "Max-Age=0" in out.headers["Set-Cookie"], out.body
    ended = user("GET", "session")
    assert ended.status == 401 and ended.json["error"] == "session_ended"
    assert "Set-Cookie" not in ended.headers, "it could remove the cookie of a new login"


@pytest.mark.parametrize("headers", [{}, {"Sec-Fetch-Site": "cross-site"}, {"Sec-Fetch-Site": "same-site"}, {"Sec-Fetch-Site": "none"},
                                     {"Origin": "https://evil.example"}, {"Origin": "null"}])
def test_changes_of_other_pages(service, operator, headers):
    """docs/manage.md 3: a change by a user must come from a page of the service itself, and so must a login"""
    answer = operator("POST", "accounts", {"name": "Foreign"}, headers=headers)
    assert answer.status == 403 and answer.json["error"] == "foreign_origin", answer.body
    answer = service.client.request("POST", MANAGE + "session", json_body={"email": operator.email, "password": PASSWORD}, headers=headers)
    assert answer.status == 403 and "Set-Cookie" not in answer.headers
    assert operator("GET", "accounts", headers=headers).status == 200


def test_the_origin_of_the_service(service, operator):
    """docs/manage.md 3: without Sec-Fetch-Site, the Origin must be that of server.base_url"""
    origin = "/".join(service.front.url.split("/")[:3])
    assert operator("POST", "accounts", {"name": "By Origin"}, headers={"Origin": origin}).status == 201


def test_unknown_sessions_are_limited(service):
    """docs/manage.md 3: guessed tokens count like wrong keys"""
    seen = [service.client.request("GET", MANAGE + "session", headers={"Cookie": f"__Host-leadhook={'a' * 42}{number % 10}"},
                                   address="198.51.100.77").status for number in range(60)]
    assert set(seen) == {401, 429} and seen[0] == 401 and seen[-1] == 429, seen


def test_operators_have_no_limit(service, operator):
    """docs/manage.md 3: calls of an operator do not count, even if the limit of the address is exceeded"""
    address, lookups = "198.51.100.78", 100  # limits.lookups_per_address

    def unknown(headers=None):
        return service.client.request("GET", MANAGE + "session", headers=headers or {}, address=address).status
    assert [unknown() for _ in range(lookups + 5)][-1] == 429
    assert {operator("GET", "accounts", address=address).status for _ in range(lookups + 10)} == {200}
    wrong = {"Cookie": f"__Host-leadhook={'a' * 43}"}
    seen = [unknown(wrong) for _ in range(60)]
    assert seen[-1] == 429, seen
    assert operator("GET", "accounts", address=address).status == 200


def test_guesses_of_a_password(service, account):
    """docs/users.md 3: throttled by user and by address, and answered alike for an unknown user"""
    user = User(service, "guess@example.org", "--role", "viewer", "--account", account.id)
    assert user.accept().status == 200
    bodies = {}
    for email in (user.email, "nobody@example.org"):
        answers = [user("POST", "session", {"email": email, "password": f"guess number {number}"}) for number in range(8)]
        assert [answer.status for answer in answers[:5]] == [401] * 5, [answer.body for answer in answers]
        assert answers[-1].status == 429 and answers[-1].json["error"] == "throttled" and int(answers[-1].headers["Retry-After"]) >= 1
        bodies[email] = {key: value for key, value in answers[0].json.items() if key != "request_id"}
    assert len(set(map(str, bodies.values()))) == 1
    service.installation.sql("UPDATE lh_login_attempts SET until_ms = until_ms + 600000")
    assert user.log_in().json["error"] == "throttled", "the right password must wait, too"
    one = [user("POST", "session", {"email": f"{number}@example.org", "password": "guess number 1"}, address="198.51.100.9").json["error"]
           for number in range(12)]
    assert one[:10] == ["wrong_login"] * 10 and one[10:] == ["rate_limited"] * 2


def test_the_limit_of_the_account(service):
    """api.md 5: calls of a user count like those of the account's keys"""
    limited = service.account("Limited")
    user = User(service, "limited@example.org", "--role", "viewer", "--account", limited.id).ready()
    service.installation.admin("account", "limit", str(limited.id), "5")
    seen = [user("GET", "campaigns") for _ in range(12)]
    assert {answer.status for answer in seen} == {200, 429} and seen[-1].json["error"] == "rate_limited"


def test_roles(service, account, operator):
    """docs/manage.md 2, docs/users.md 2: what each role may do, on its own account and on another"""
    other = service.account("Other")
    campaign, second, foreign = service.campaign(account), service.campaign(account), service.campaign(other)
    owner = User(service, "owner@example.org", "--role", "owner", "--account", account.id).ready()
    editor = User(service, "editor@example.org", "--role", "editor", "--account", account.id, "--campaigns", campaign.id).ready()
    viewer = User(service, "viewer@example.org", "--role", "viewer", "--account", account.id).ready()
    for user, changes, manages, sees_second in ((owner, 200, 201, 200), (editor, 200, 403, 404), (viewer, 403, 403, 200)):
        assert user("PATCH", f"campaigns/{campaign.id}", {"points_direct": 3}).status == changes, user.email
        assert user("POST", f"accounts/{account.id}/keys", {"name": "Key"}).status == manages, user.email
        assert user("GET", f"campaigns/{second.id}").status == sees_second, user.email
        assert user("GET", f"campaigns/{foreign.id}").status == 404
        assert foreign.id not in [row["id"] for row in user("GET", "campaigns").json]
        assert user("POST", "accounts", {"name": "Mine"}).status == 403
    assert [row["id"] for row in editor("GET", "campaigns").json] == [campaign.id]
    assert operator("GET", f"campaigns/{foreign.id}").status == 200
    service.installation.admin("user", "set", str(viewer.id), "role=editor")
    assert viewer("GET", "session").status == 401, "its sessions end with its role"


def test_removed_campaigns_of_a_user(service, account):
    """users.md 2: a user whose campaigns were all removed sees none, and neither does a user whose list has no numbers"""
    campaign, other = service.campaign(account).id, service.campaign(account).id
    editor = User(service, "former@example.org", "--role", "editor", "--account", account.id, "--campaigns", campaign).ready()
    assert [row["id"] for row in editor("GET", "campaigns").json] == [campaign]
    service.installation.admin("campaign", "remove", str(campaign), "--yes")
    for campaigns in (str(campaign), "", "x"):
        service.installation.sql(f"UPDATE lh_users SET campaigns = '{campaigns}' WHERE email = 'former@example.org'")
        assert editor("GET", "campaigns").json == [] and editor("GET", f"campaigns/{other}").status == 404, campaigns


def test_dangerous_calls_need_the_password(service, account):
    """docs/manage.md 3: they succeed within ten minutes after it was entered"""
    owner = User(service, "careful@example.org", "--role", "owner", "--account", account.id).ready()
    assert owner("POST", f"accounts/{account.id}/keys", {"name": "Fresh"}).status == 201
    service.installation.sql(f"UPDATE lh_sessions SET confirmed_ms = confirmed_ms - 700000 WHERE user_id = {owner.id}")
    refused = owner("POST", f"accounts/{account.id}/keys", {"name": "Stale"})
    assert refused.status == 403 and refused.json["error"] == "confirmation_needed"
    assert owner("POST", "session/confirm", {"password": "not this one, no"}).json["error"] == "wrong_login"
    assert owner("POST", "session/confirm", {"password": PASSWORD}).status == 200
    assert owner("POST", f"accounts/{account.id}/keys", {"name": "Again"}).status == 201


def test_removal_needs_the_password(service, account):
    """docs/manage.md 3: deleting tags, webhooks and leads needs the password, too; moderating a lead does not"""
    campaign = service.campaign(account)
    lead = campaign.lead(email="gone@example.org")["social_id"]
    editor = User(service, "tidy@example.org", "--role", "editor", "--account", account.id).ready()
    place = f"campaigns/{campaign.id}"
    paths = [f"{kind}/{editor('POST', f'{place}/{kind}', fields).json['id']}" for kind, fields in (
        ("tags", {"name": "One"}), ("actions", {"text": "One"}), ("rewards", {"subject": "One", "required_points": 5}),
        ("webhooks", {"url": "https://hooks.example.org/", "events": ["verified"]}), ("inbound", {"name": "One"}))]
    service.installation.sql(f"UPDATE lh_sessions SET confirmed_ms = confirmed_ms - 700000 WHERE user_id = {editor.id}")
    for path in paths:
        assert editor("DELETE", path).json["error"] == "confirmation_needed", path
    assert editor("POST", f"{place}/bulk", {"change": "delete", "leads": [lead]}).json["error"] == "confirmation_needed"
    assert editor("POST", f"{place}/bulk", {"change": "verify", "leads": [lead]}).status == 200
    assert editor("POST", "session/confirm", {"password": PASSWORD}).status == 200
    for path in paths:
        assert editor("DELETE", path).status == 200, path


def test_what_outlasts_the_session_needs_the_password(service, account):
    """docs/manage.md 3: it is needed to change where leads are sent, and for secrets and URLs, but not for other changes of webhooks"""
    campaign = service.campaign(account)
    editor = User(service, "connects@example.org", "--role", "editor", "--account", account.id).ready()
    hooks, inbound = f"campaigns/{campaign.id}/webhooks", f"campaigns/{campaign.id}/inbound"
    hook = {"url": "https://hooks.example.org/", "events": ["verified"]}
    made, received = editor("POST", hooks, hook).json["id"], editor("POST", inbound, {"name": "One"}).json["id"]
    invalid = ("PATCH", f"webhooks/{made}", {"url": ""})
    calls = [("POST", hooks, {**hook, "url": "https://other.example.org/"}), ("PATCH", f"webhooks/{made}", {"url": "https://else.example.org/"}),
             ("POST", f"webhooks/{made}/rotate", {}), ("POST", inbound, {"name": "Two"}), ("POST", f"inbound/{received}/rotate", {})]
    service.installation.sql(f"UPDATE lh_sessions SET confirmed_ms = confirmed_ms - 700000 WHERE user_id = {editor.id}")
    for call in [*calls, invalid]:
        answer = editor(*call)
        assert (answer.status, answer.json["error"]) == (403, "confirmation_needed"), call
    assert editor("PATCH", f"webhooks/{made}", {"rate": 5, "events": ["new_signup"]}).status == 200
    assert editor("POST", f"webhooks/{made}/disable", {}).status == editor("PATCH", f"inbound/{received}", {"source": "Own"}).status == 200
    assert editor("POST", "session/confirm", {"password": PASSWORD}).status == 200
    assert [editor(*call).status for call in calls] == [201, 200, 200, 201, 200]


def test_other_methods(service, account):
    """docs/manage.md 1.2: 405, with the methods that the path has"""
    user = User(service, "method@example.org", "--role", "viewer", "--account", account.id).ready()
    for method, path, allow in (("PATCH", "session", "DELETE, POST, GET, HEAD, OPTIONS"), ("GET", "session/confirm", "POST, OPTIONS"),
                                ("DELETE", "session/list", "GET, HEAD, OPTIONS")):
        answer = user(method, path)
        assert (answer.status, answer.headers["Allow"]) == (405, allow), path


def test_guesses_of_keys_do_not_end_sessions(service, account):
    """docs/users.md 4: any page can make a browser send wrong keys to the API"""
    user = User(service, "victim@example.org", "--role", "viewer", "--account", account.id).ready()
    address = "203.0.113.77"
    for _ in range(40):
        last = service.client.request("GET", "/v2/1", query={"email": "x@example.org", "api_key": "lh_" + "a" * 40}, address=address)
    assert last.status == 429
    assert user("GET", "session", address=address).status == 200
    assert user("POST", "session", {"email": user.email, "password": PASSWORD}, address=address).status == 200


def test_another_password(service, account):
    """docs/manage.md 3: a new password ends the other sessions, and begins a new session"""
    user = User(service, "change@example.org", "--role", "viewer", "--account", account.id).ready()
    old = user.token
    user.log_in()
    assert user("POST", "session/password", {"password": PASSWORD, "new_password": "eight orange bicycles"}).status == 200
    assert user("GET", "session").status == 401
    user.token = old
    assert user("GET", "session").status == 401
    assert user.log_in("eight orange bicycles").status == 200


def test_own_sessions(service, account):
    """docs/manage.md 3, docs/users.md 4: sessions are listed with their browsers, and can be ended one by one"""
    user = User(service, "many@example.org", "--role", "viewer", "--account", account.id).ready()
    first = user.token
    user.log_in()
    listed = user("GET", "session/list").json
    assert len(listed) == 2 and all(row["created_at"] and row["ip"] for row in listed)
    assert [row["id"] for row in listed if row["current"]] == [sha256(user.token.encode()).hexdigest()]
    assert user("POST", "session/end", {"id": "ab" * 32}).status == user("POST", "session/end", {"id": "x"}).status == 404
    others = User(service, "other@example.org", "--role", "viewer", "--account", account.id).ready()
    assert others("POST", "session/end", {"id": listed[1]["id"]}).status == 404
    assert user("POST", "session/end", {"id": listed[1]["id"]}).status == 200
    assert user("GET", "session").status == 200
    user.token = first
    assert user("GET", "session").status == 401


def test_a_suspended_account(service):
    """docs/users.md 2: its users can log in and see why nothing works"""
    account = service.account("Suspended")
    user = User(service, "late@example.org", "--role", "owner", "--account", account.id).ready()
    service.installation.admin("account", "suspend", str(account.id))
    answer = user("GET", "campaigns")
    assert answer.status == 403 and answer.json["error"] == "account_suspended"
    assert user("GET", "session").json["account_suspended"] is True
    assert user("GET", "session/list").status == 200
    assert user("POST", "session/factor").status == 403
    assert user("DELETE", "session").status == 200 and user("GET", "session").status == 401


def test_a_key_has_no_session(service, account):
    """docs/manage.md 3"""
    caller = Caller(service, account.key)
    assert caller("GET", "session").json["error"] == "missing_session"
    assert caller("POST", "session/confirm", {"password": "x"}, headers=OWN_PAGE).json["error"] == "missing_session"


@pytest.mark.parametrize("address", ["unix:", None])
def test_callers_without_an_address(service, account, address):
    """leadhook.conf(5), trusted_proxies: a web server on a unix socket sends no address; every kind of call works"""
    campaign = service.campaign(account)
    name = f"nowhere{len(address or '')}@example.org"
    user = User(service, name, "--role", "owner", "--account", account.id)

    def send(method, path, body=None, status=200, **more):
        sent = {"CONTENT_TYPE": "application/json", "HTTP_SEC_FETCH_SITE": "same-origin", **({"REMOTE_ADDR": address} if address else {})}
        answer = fastcgi_client.request(str(service.installation.socket), REQUEST_METHOD=method, REQUEST_URI=service.front.base_path + path,
                                        body=b"" if body is None else json.dumps(body).encode(), **sent, **more)
        assert answer.status == status, (path, answer.body)
        return answer
    send("POST", f"/v2/{campaign.id}", {"email": "lead@example.org"})
    send("GET", "/v2/campaigns", HTTP_AUTHORIZATION=f"Bearer {account.key}")
    send("POST", "/manage/v1/session/link", {"token": user.link.rsplit("/", 1)[1]})
    send("POST", "/manage/v1/session/link/use", {"token": user.link.rsplit("/", 1)[1], "new_password": PASSWORD})
    cookie = send("POST", "/manage/v1/session", {"email": name, "password": PASSWORD}).headers["set-cookie"].split(";")[0]
    send("GET", "/manage/v1/session", HTTP_COOKIE=cookie)
    send("PATCH", f"/manage/v1/campaigns/{campaign.id}", {"points_direct": 2}, HTTP_COOKIE=cookie)
    assert json.loads(send("GET", "/manage/v1/session/list", HTTP_COOKIE=cookie).body)[0]["ip"] is None
    assert [row["ip"] for row in service.installation.admin("audit", "list", "--user", str(user.id))] == [None, None]
    send("DELETE", "/manage/v1/session", HTTP_COOKIE=cookie)
