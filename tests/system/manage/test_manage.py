# SPDX-License-Identifier: MIT
"""docs/manage.md: management over HTTP."""
import json
import pathlib
import re
import urllib.parse

import command
import pytest
from caller import MANAGE, Caller
from load import in_parallel
from processes import children
from rights import SHELL_ONLY, all_operations
from stack.process import wait_until
from tree import SOURCE


@pytest.fixture(scope="module")
def account(service):
    return service.account("Agency")


@pytest.fixture(scope="module")
def owner(service, account):
    added = service.installation.admin("key", "add", str(account.id), "--rights", "all")
    return Caller(service, added["key"])


def test_the_table(service):
    """docs/manage.md 1: every command that is not about the host has a call of its own, and the document lists these calls"""
    calls, others = all_operations(service.installation)
    assert others == SHELL_ONLY
    assert len({(call.method, call.path) for call in calls}) == len(calls)
    for call in calls:
        assert all(re.fullmatch(r"[a-z_]+(\.\.\.)?|\*", name) for name in call.fields), call.words
    document = pathlib.Path(SOURCE, "docs/manage.md").read_text()
    table = [line for line in document.split("## 1 Calls")[1].split("### 1.1")[0].splitlines() if line.startswith("| `")]
    assert sorted(table) == sorted(call.row() for call in calls)


def test_the_same_bytes(service, account, owner):
    """docs/manage.md 1: the answer is what the command prints with --json"""
    campaign = service.campaign(account)
    for path, *command in [(f"campaigns/{campaign.id}", "campaign", "show", str(campaign.id)), (f"campaigns?account={account.id}", "campaign", "list", str(account.id)),
                           (f"campaigns/{campaign.id}/embed", "campaign", "embed", str(campaign.id))]:
        answer = owner("GET", path)
        assert answer.status == 200, answer.body
        assert answer.body.decode() == service.installation.admin_text(*command), path


def test_a_campaign_from_nothing(service, account, owner):
    """docs/manage.md 1: everything that a campaign needs, without a shell"""
    made = owner("POST", f"accounts/{account.id}/campaigns", {"name": "Launch", "waitlist": True, "points_direct": 7})
    assert made.status == 201 and made.json["name"] == "Launch", made.body
    place = f"campaigns/{made.json['id']}"
    shown = owner("GET", place).json
    assert shown["waitlist"] is True and shown["points_direct"] == 7
    assert (shown["public_lookup"], shown["public_update"]) == ("all", "all"), "docs/api.md 4.1.11: the defaults"
    changed = owner("PATCH", place, {"landing_url": "https://example.org/", "mails": ["welcome", "reward"], "ends_at": None})
    assert changed.status == 200 and changed.json["landing_url"] == "https://example.org/", changed.body
    assert changed.json["mails"] == ["welcome", "reward"]
    tag = owner("POST", f"{place}/tags", {"name": "VIP", "points": 5})
    assert tag.status == 201
    assert owner("PATCH", f"tags/{tag.json['id']}", {"points": 6}).status == 200
    assert [(row["name"], row["points"]) for row in owner("GET", f"{place}/tags").json] == [("VIP", 6)]
    hook = owner("POST", f"{place}/webhooks", {"url": "https://hooks.example/1", "events": ["new_signup", "verified"]})
    assert hook.status == 201 and hook.json["secret"], hook.body
    assert owner("GET", f"webhooks/{hook.json['id']}").json["events"] == ["new_signup", "verified"]
    assert owner("PATCH", f"{place}/page", {"title": "@literal"}).status == 200
    assert [row["value"] for row in owner("GET", f"{place}/page").json] == ["@literal"]
    mail = owner("PATCH", f"{place}/mail-templates/welcome", {"text": "@file\n{{unsubscribe_url}}"})
    assert mail.status == 200, mail.body
    assert owner("GET", f"{place}/mail-templates/welcome").json["text"] == "@file\n{{unsubscribe_url}}"
    assert owner("DELETE", f"tags/{tag.json['id']}").status == 200
    assert owner("GET", f"{place}/tags").json == []


@pytest.mark.parametrize("method, path, body, status, error", [
    ("GET", "nothing", None, 404, "not_found"),
    ("PUT", "campaigns", None, 405, "method_not_allowed"),
    ("DELETE", "campaigns", None, 405, "method_not_allowed"),
    ("GET", "campaigns/1x", None, 404, "not_found"),
    ("GET", "campaigns?nothing=1", None, 406, "unknown_field"),
    ("PATCH", "{campaign}", {"nothing": 1}, 406, "unknown_field"),
    ("PATCH", "{campaign}", {"points_direct": "many"}, 422, "invalid_value"),
    ("PATCH", "{campaign}", {"name": "line\nline"}, 422, "invalid_value"),
    ("PATCH", "{campaign}", {}, 422, "invalid_arguments"),
    ("POST", "{campaign}/tags", {"points": 1}, 422, "invalid_arguments"),
    ("POST", "{campaign}/webhooks", {"url": "https://hooks.example/2", "events": "new_signup"}, 422, "invalid_value"),
    ("DELETE", "{campaign}", None, 422, "invalid_arguments"),
    ("GET", "{campaign}/leads?limit=251", None, 422, "invalid_value"),
    ("GET", "{campaign}/leads?limit=1&limit=1", None, 400, "invalid_query"),
])
def test_errors(service, account, owner, method, path, body, status, error):
    """docs/manage.md 1.2: problems as RFC 9457 defines them"""
    campaign = service.campaign(account)
    answer = owner(method, path.replace("{campaign}", f"campaigns/{campaign.id}"), body)
    assert answer.status == status, answer.body
    assert answer.headers["Content-Type"] == "application/problem+json; charset=utf-8"
    assert answer.json["error"] == error and answer.json["status"] == status and answer.json["request_id"], answer.body
    assert answer.headers["Access-Control-Allow-Origin"] is None


@pytest.mark.parametrize("path", ["/manage/v2/campaigns", "/manage/campaigns", "/manage"])
def test_only_this_version_exists(service, owner, path):
    """docs/manage.md 1.2: 404 for an unknown path"""
    answer = service.client.request("GET", path, key=owner.key)
    assert (answer.status, answer.json["error"]) == (404, "not_found"), answer.body


@pytest.mark.parametrize("body", [b"[]", b"1", b"{", b'{"name":{"a":{"b":1}}}', b'{"name":"a","name":"b"}', b'{"name":"\\u0000"}'])
def test_bodies_that_are_no_arguments(service, account, owner, body):
    """docs/manage.md 1.1: one JSON object"""
    campaign = service.campaign(account)
    answer = service.client.request("PATCH", f"{MANAGE}campaigns/{campaign.id}", body=body, type="application/json", key=owner.key)
    assert answer.status == 400 and answer.json["error"] == "invalid_json", answer.body
    answer = service.client.request("PATCH", f"{MANAGE}campaigns/{campaign.id}", body=b"name=x", type="application/x-www-form-urlencoded",
                                    key=owner.key)
    assert answer.status == 415, answer.body


def test_details_are_cut_between_characters(owner):
    """docs/manage.md 1.2: a problem is UTF-8, however long the name in it is"""
    for name in ("é" * 3000, "xé" + "é" * 3000):
        answer = owner("GET", "campaigns?" + urllib.parse.quote(name) + "=1")
        assert answer.status == 406 and answer.json["detail"].endswith("éé"), answer.body[:200]


def test_lost_updates(service, account, owner):
    """docs/manage.md 1.3: If-Match with the ETag of what was read"""
    campaign = service.campaign(account)
    place = f"campaigns/{campaign.id}"
    first = owner("GET", place)
    assert owner("GET", place, headers={"If-None-Match": first.headers["ETag"]}).status == 304
    assert owner("PATCH", place, {"points_direct": 2}, headers={"If-Match": first.headers["ETag"]}).status == 200
    late = owner("PATCH", place, {"points_direct": 3}, headers={"If-Match": first.headers["ETag"]})
    assert late.status == 412 and late.json["error"] == "changed", late.body
    assert owner("POST", f"{place}/tags", {"name": "Late"}, headers={"If-Match": first.headers["ETag"]}).status == 412
    assert owner("GET", place).json["points_direct"] == 2
    assert owner("GET", f"{place}/tags").json == []
    now = owner("GET", f"{place}/tags").headers["ETag"]
    assert owner("POST", f"{place}/tags", {"name": "In time"}, headers={"If-Match": now}).status == 201


def test_without_a_key(service):
    """docs/manage.md 1.2: 401 for every path; a key in the query is never accepted"""
    for key in (None, "lh_wrong"):
        for path in ("campaigns", "nothing"):
            answer = service.client.request("GET", MANAGE + path, key=key)
            assert answer.status == 401 and answer.headers["WWW-Authenticate"] == "Bearer", answer.body


def test_a_key_of_a_suspended_account(service):
    """docs/manage.md 1.2: 403, not the 409 of /v2"""
    account = service.account("Suspended")
    service.installation.admin("account", "suspend", str(account.id))
    answer = service.client.request("GET", MANAGE + "campaigns", key=account.key)
    assert answer.status == 403 and answer.json["error"] == "account_suspended", answer.body


def test_paths_of_the_host_are_the_operators(service, account, owner):
    """docs/manage.md 2: an owner cannot make the dispatcher read files"""
    campaign = service.campaign(account)
    hook = campaign.webhook("new_signup")["referenceId"]
    answer = owner("PATCH", f"webhooks/{hook}", {"ca_file": "/etc/passwd"})
    assert answer.status == 403 and answer.json["error"] == "forbidden", answer.body
    assert owner("POST", f"accounts/{account.id}/campaigns", {"name": "Mine", "id": 77}).status == 403


def test_a_client_certificate_goes_to_its_receiver_alone(service, account, owner):
    """docs/manage.md 2: an owner cannot make the dispatcher prove to another host that it is the operator's"""
    hook, admin = service.campaign(account).webhook("new_signup")["referenceId"], service.installation.admin
    url = {"url": "https://hooks.example.org/other"}
    assert owner("PATCH", f"webhooks/{hook}", url).status == 200
    admin("webhook", "set", str(hook), "client_certificate=/etc/client.pem", "url=https://hooks.example.org/first")
    answer = owner("PATCH", f"webhooks/{hook}", url)
    assert answer.status == 403 and answer.json["error"] == "forbidden", answer.body
    assert owner("PATCH", f"webhooks/{hook}", {"rate": 5}).json["url"] == "https://hooks.example.org/first"
    assert admin("webhook", "set", str(hook), "url=https://hooks.example.org/other")["url"] == url["url"]


def test_a_call_that_is_repeated(service, account, owner):
    """docs/manage.md 1.5: a repeated call makes one object; with other parameters it fails; callers do not share their Idempotency-Keys"""
    campaign = service.campaign(account)
    place, key = f"campaigns/{campaign.id}/actions", {"Idempotency-Key": "a7c1"}
    body = {"text": "Once"}
    first = owner("POST", place, body, headers=key)
    assert first.status == 201
    again = owner("POST", place, body, headers=key)
    assert again.status == 200 and again.json == {"id": first.json["id"], "repeated": True}, again.body
    other = owner("POST", place, {"text": "Other"}, headers=key)
    assert other.status == 422 and other.json["error"] == "key_used"
    assert len(owner("GET", place).json) == 1
    tags = f"campaigns/{campaign.id}/tags"
    assert [owner("POST", tags, {"name": "One"}, headers=key).status for _ in range(2)] == [201, 200]
    assert Caller(service, account.key)("POST", tags, {"name": "Two"}, headers=key).status == 201
    assert [tag["name"] for tag in owner("GET", tags).json] == ["One", "Two"]


def parts(caller, path, query):
    """Yields the parts of a list, each from the place that the previous part has named (docs/manage.md 1.1)."""
    query = f"?{query}"
    while query:
        answer = caller("GET", f"{path}{query}")
        assert answer.status == 200, answer.body
        yield answer.json
        link = re.fullmatch(r"<(\?[^>]*)>; rel=\"next\"", answer.headers.get("Link", ""))
        query = link and link[1]


def test_points_and_changes_are_made_once(service, account, owner):
    """docs/manage.md 1.5: without the key, repeated points would count again"""
    campaign = service.campaign(account)
    lead = campaign.lead(email="ada@example.org")["social_id"]
    place = f"campaigns/{campaign.id}"
    for path, body, id in (("points", {"points": 5, "leads": [lead]}, campaign.id), ("bulk", {"change": "verify", "leads": [lead]}, None)):
        first, *again = [owner("POST", f"{place}/{path}", body, headers={"Idempotency-Key": "k"}) for _ in range(3)]
        assert first.status == 200 and "repeated" not in first.json, first.body
        assert [(answer.status, answer.json) for answer in again] == [(200, {"id": id or first.json["job"], "repeated": True})] * 2
        other = owner("POST", f"{place}/{path}", {**body, "leads": [lead, "0000000000"]}, headers={"Idempotency-Key": "k"})
        assert (other.status, other.json["error"]) == (422, "key_used")
    assert campaign.find(social_id=lead)["contest_score"] == 5
    assert len(owner("GET", f"{place}/bulk").json) == 1
    together = in_parallel([lambda: owner("POST", f"{place}/points", {"points": 7, "leads": [lead]}, headers={"Idempotency-Key": "at once"})] * 8, 8)
    assert {answer.status for answer in together} == {200}
    assert campaign.find(social_id=lead)["contest_score"] == 12


def test_lists_go_on(service, account, owner):
    """docs/manage.md 1.1: the header Link has the query of the next part"""
    campaign = service.campaign(account)
    campaign.leads(5)
    seen = [lead["email"] for part in parts(owner, f"campaigns/{campaign.id}/leads", "limit=2") for lead in part]
    assert seen == [f"{number}@example.org" for number in range(5)]


def test_mails_go_on(service, account, owner):
    """docs/manage.md 1.1: a part ends, even without rows, before it has examined too many mails"""
    campaign, other = service.campaign(account), service.campaign(account)
    path, planted = f"campaigns/{campaign.id}/mails", 9000
    service.installation.sql(
        "INSERT INTO lh_messages (id, campaign_id, lead_id, kind, state, created_ms, due_ms, reason) SELECT 1000000 + seq,"
        f" IF(seq % 2, {campaign.id}, {other.id}), 0, 2, IF(seq < 20, 'failed', 'sent'), 0, 0, NULL FROM seq_1_to_{2 * planted}")
    expected = list(range(1_000_000 + 2 * planted - 1, 1_000_000, -2))
    assert [mail["id"] for part in parts(owner, path, "limit=250") for mail in part] == expected
    found = [[mail["id"] for mail in part] for part in parts(owner, path, "state=failed&limit=6")]
    assert found == [[], expected[-10:-4], expected[-4:]]


def test_a_lead(service, account, owner):
    """docs/manage.md 1: show, change and timeline of the lead with a social id"""
    campaign = service.campaign(account)
    lead = campaign.lead(email="ada@example.org", first_name="Ada")
    place = f"campaigns/{campaign.id}/leads/{lead['social_id']}"
    assert owner("GET", place).json["email"] == "ada@example.org"
    assert owner("PATCH", place, {"email": "lovelace@example.org", "color": "blue"}).status == 200
    shown = owner("GET", place).json
    assert (shown["email"], shown["custom_fields"]["color"]) == ("lovelace@example.org", "blue")
    assert owner("POST", f"campaigns/{campaign.id}/points", {"points": 5, "leads": [lead["social_id"]], "message": "Well done"}).status == 200
    timeline = owner("GET", f"{place}/timeline").json
    assert any(entry.get("message") == "Well done" for entry in timeline), timeline
    assert owner("GET", f"campaigns/{campaign.id}/leads?email=lovelace@example.org").json[0]["social_id"] == lead["social_id"]
    assert owner("GET", f"campaigns/{campaign.id}/leads/0000000000").status == 404


def largest_responder(service):
    """The memory of the largest responder at its peak, in KiB."""
    parent = service.responders.pid
    sizes = [re.search(r"VmHWM:\s+(\d+)", pathlib.Path(f"/proc/{pid}/status").read_text()) for pid in children(parent)]
    return max(int(size[1]) for size in sizes)


def test_arrays(service, account, owner):
    """docs/manage.md 1.1: an array where a list is expected takes no more memory than it needs"""
    campaign = service.campaign(account)
    place = f"campaigns/{campaign.id}"
    for method, path, body in (("POST", f"accounts/{account.id}/campaigns", {"name": ["A", "B"]}),
                               ("POST", f"{place}/import", {"records": ["email", "x@example.org"]}),
                               ("PATCH", f"{place}/leads/{campaign.lead(email='a@example.org')['social_id']}", {"plan": ["a", "b"]}),
                               ("POST", f"accounts/{account.id}/keys", {"campaigns": []}),
                               ("POST", "users", {"email": "new@example.org", "role": "viewer", "campaigns": []}),
                               ("POST", "users", {"email": "new@example.org", "role": "viewer", "campaigns": [None]}),
                               ("POST", f"{place}/report", {"email": ["a" * 1000] * 1000}),
                               ("PATCH", place, {"hosts": ["y" * 1000] * 1000})):
        answer = owner(method, path, body)
        assert answer.status == 422 and answer.json["errors"][0]["pointer"], (path, answer.body)
    assert largest_responder(service) < 200_000
    assert owner("PATCH", place, {"hosts": ["a.example.org", "b.example.org"]}).json["hosts"] == "a.example.org b.example.org"


def test_errors_name_members(service, account, owner):
    """docs/manage.md 1.2: messages name members, not options or operands of the command"""
    campaign = service.campaign(account)
    place, lead = f"campaigns/{campaign.id}", campaign.lead(email="ada@example.org")["social_id"]
    tag = owner("POST", f"{place}/tags", {"name": "VIP"}).json["id"]
    for method, path, body, status, detail in (
            ("POST", f"{place}/points", {"points": 0, "leads": [lead]}, 422, "points: expected a number from -99999 to 99999, but not 0"),
            ("POST", f"{place}/bulk", {"change": "tag", "leads": [lead]}, 422, "expected the id of a tag"),
            ("POST", f"{place}/bulk", {"change": "verify", "leads": [lead], "tag": tag}, 422, "only with the change tag"),
            ("POST", "deliveries/redeliver", {}, 422, "expected the ids of deliveries"),
            ("GET", f"{place}/mail-templates/none", None, 422,
             "kind: expected one of verify welcome reward referral status_link erase_confirm digest"),
            ("POST", f"{place}/webhooks", {"url": "https://hooks.example.org/"}, 422, "events is missing"),
            ("POST", f"{place}/webhooks", {}, 422, "url is missing"),
            ("PATCH", f"{place}/page", {"nope": "1"}, 406, "there is no field nope"),
            ("DELETE", place, None, 422, "1 campaign with 1 lead and all of their data would be deleted; add yes")):
        answer = owner(method, path, body)
        assert (answer.status, answer.json["detail"]) == (status, detail), path
        if detail.endswith(" is missing"):
            assert [one["pointer"] for one in answer.json["errors"]] == ["/" + detail.split()[0]]


def test_a_body_is_json(owner, account):
    """docs/manage.md 1.1: browsers send JSON to another site only after a preflight request"""
    path = f"{MANAGE}accounts/{account.id}/campaigns"
    for kind in ("text/plain", "text/json", "application/x-www-form-urlencoded"):
        answer = owner.service.client.request("POST", path, body=b'{"name": "Plain"}', headers={"Content-Type": kind}, key=owner.key)
        assert answer.status == 415, kind


def test_a_version_of_what_has_none(service, account, owner):
    """docs/manage.md 1.3: If-Match is not ignored"""
    campaign = service.campaign(account)
    lead = campaign.lead(email="a@example.org")["social_id"]
    place = f"campaigns/{campaign.id}/leads/{lead}"
    assert owner("PATCH", place, {"first_name": "Ada"}, headers={"If-Match": '"0-abc"'}).status == 422
    assert owner("GET", place).json["first_name"] is None
    assert owner("PATCH", place, {"first_name": "Ada"}, headers={"If-Match": "*"}).status == 200


def test_a_key_of_a_key_has_its_end(service, account):
    """docs/manage.md 2"""
    added = service.installation.admin("key", "add", str(account.id), "--rights", "all", "--expires", "2099-01-01")
    key = Caller(service, added["key"])
    assert key("POST", f"accounts/{account.id}/keys", {"name": "same"}).status == 201
    assert key("POST", f"accounts/{account.id}/keys", {"name": "before", "expires": "2098-01-01"}).status == 201
    assert key("POST", f"accounts/{account.id}/keys", {"name": "later", "expires": "2100-01-01"}).status == 403
    ends = {row["name"]: row["expires_at"] for row in key("GET", f"accounts/{account.id}/keys").json}
    assert (ends["same"], ends["before"]) == ("2099-01-01T00:00:00Z", "2098-01-01T00:00:00Z") and "later" not in ends


def test_installation(service, account):
    """docs/manage.md 1 GET installation: a right to read shows what the installation does and whether a dispatcher is running, but nothing
    about accounts and people"""
    sender, caller = (Caller(service, service.installation.admin("key", "add", str(account.id), "--rights", right)["key"])
                      for right in ("ingest", "leads"))
    assert sender("GET", "installation").json["error"] == "missing_right"
    shown = caller("GET", "installation").json
    assert shown == {"version": service.installation.admin("status")["version"], "base_url": service.front.url, "dispatcher": "never_ran", "dispatcher_at": None,
                     "mailer": "off", "mailer_at": None, "texter": "off", "texter_at": None, "mail": False,
                     "mail_held_since": None, "mail_refused_at": None, "texts": False, "texts_held_since": None,
                     "second_factor": bool(service.installation.setting("server", "secrets_key")), "secret_overlap_seconds": 86400,
                     "retention_seconds": 30 * 86400, "invitation_seconds": 3 * 86400}

    def runs():
        return caller("GET", "installation").json["dispatcher"] == "working"
    service.dispatcher.start()
    try:
        wait_until(runs, 20, "a sign of the dispatcher")
    finally:
        service.dispatcher.stop()
    assert not runs()
    environment = {"LEADHOOK_DISPATCH_ROTATION_OVERLAP": "90s", "LEADHOOK_DISPATCH_RETENTION": "7d", "LEADHOOK_USERS_INVITATION": "2h"}
    changed = json.loads(command.call(service.installation, "--json", "installation", env=environment).stdout)
    assert (changed["secret_overlap_seconds"], changed["retention_seconds"], changed["invitation_seconds"]) == (90, 7 * 86400, 7200)
