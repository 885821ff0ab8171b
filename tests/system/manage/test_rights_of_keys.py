# SPDX-License-Identifier: MIT
"""docs/manage.md 2: what a key with some rights can see and change through /v2."""
import itertools
import re

import pytest
from caller import Caller

SIGNED_UP = {"email": "ada@example.org", "phone_number": "+14155552671", "first_name": "Ada", "plan": "gold"}
LOOKUPS, UPDATES = ["all", "social_id", "own", "none"], ["all", "own", "none"]


@pytest.fixture(scope="module")
def keys(service, account):
    """Returns keys with these rights, each made once."""
    made = {}

    def key(rights):
        if rights not in made:
            made[rights] = service.installation.admin("key", "add", str(account.id), "--rights", rights)["key"]
        return made[rights]
    return key


SOCIAL_ID = r"\b[0-9A-HJKMNP-TV-Z]{10}\b"
DIFFERENT = {"id", "campaign_id", "list_id", "avatar", "when", "request_id", "unsubscribe_url"}


def shape(value):
    """Returns an answer without what differs between two campaigns with the same leads. Whether it has a token can still be seen."""
    if isinstance(value, dict):
        return {name: shape(member) for name, member in value.items() if name not in DIFFERENT or member is None}
    if isinstance(value, list):
        return [shape(item) for item in value]
    return re.sub(r"/c/\d+", "", re.sub(r"ID/[\w-]{24}", "ID/TOKEN", re.sub(SOCIAL_ID, "ID", value))) if isinstance(value, str) else value


def attempts(lead, token):
    """Yields what a stranger may try with a lead that exists: (method, path below the campaign, fields)."""
    known, number, named = {"email": "ada@example.org"}, {"phone_number": "+14155552671"}, {"social_id": lead["social_id"]}
    mine = {"points": 500, "redirect_url": "https://mine.example/", "ip": "192.0.2.66", "__user_agent": "mine", "plan": "mine", "__uid": "mine"}
    yield from (("GET", "", names) for names in (known, number, named, {"__token": token}))
    yield from (("GET", "/leaderboard", names) for names in ({}, named, {"__token": token}))
    yield "POST", "", {**named, "must_exist": True, "email": "mallory@example.net", **mine}
    yield "POST", "", {**named, **mine}
    yield "POST", "", {**known, "must_exist": True, **mine}
    yield "POST", "", {**number, "email": "eve@example.net", **mine}
    yield "POST", "", {**known, "phone_number": "+14155552672", **mine}
    yield "POST", "", {**known, "__token": token, **mine}
    yield "POST", "", {**number, **mine}
    yield "POST", "/verify-phone-number", {**named, "code": "000000"}


@pytest.mark.parametrize("lookup, update", [*zip(LOOKUPS, itertools.cycle(UPDATES)), ("own", "all"), ("all", "none")])
def test_ingest_is_a_stranger_to_leads_that_exist(service, account, keys, lookup, update):
    """With `ingest` alone, requests have the same effects and answers as without a key, except for the reason of a refusal"""
    campaigns = [service.campaign(account, pages="on", public_lookup=lookup, public_update=update) for _ in range(2)]
    leads = [campaign.lead(**SIGNED_UP, ip="192.0.2.5") for campaign in campaigns]
    for campaign, lead in zip(campaigns, leads):
        service.installation.sql(f"UPDATE lh_leads SET opted_out = TRUE WHERE id = {lead['id']}")
    tokens = [lead["status_url"].split("/s/")[1] for lead in leads]
    for number, requests in enumerate(zip(*(attempts(lead, token) for lead, token in zip(leads, tokens)))):
        answers = []
        for campaign, lead, key, (method, path, fields) in zip(campaigns, leads, (None, keys("ingest")), requests):
            send = campaign.get if method == "GET" else campaign.post
            answer = send(fields, key=key, path=path, address=f"203.0.113.{number}")
            verdict = (403, "missing_right") if answer.status == 409 and answer.json["error"] == "missing_api_key" else answer.verdict
            shown = shape(answer.json) if answer.status == 200 else {}
            answers.append((verdict, shown, shape(campaign.find(social_id=lead["social_id"]))))
        assert answers[0] == answers[1], (number, requests[0])
    state = campaigns[1].find(social_id=leads[1]["social_id"])
    assert (state["email"], state["phone_number"]) == ("ada@example.org", "+14155552671")
    assert state["contest_score"] == leads[1]["contest_score"]


def test_ingest_adds_leads(service, account, keys):
    """A server that forwards forms gives the visitor's address and more fields than without a key; no limits of an address, no points"""
    campaign = service.campaign(account, bots="proof", public_lookup="own")
    sent = {"email": "new@example.org", "ip": "192.0.2.7", "points": 50, "redirect_url": "https://mine.example/",
            **{name: "x" * 3000 for name in "abc"}}
    answers = [campaign.post({**sent, "email": f"{number}@example.org"}, key=keys("ingest"), address="203.0.113.7") for number in range(12)]
    assert {answer.status for answer in answers} == {200}
    assert answers[0].json["redirect_url"].startswith("https://mine.example/") and "email" not in answers[0].json
    lead = campaign.find(email="0@example.org")
    assert (lead["ip"], lead["contest_score"], sum(map(len, lead["custom_fields"].values()))) == ("192.0.2.7", 0, 9000)
    assert service.installation.sql(f"SELECT source FROM lh_leads WHERE id = {lead['id']}") == "API"


def test_change_adds_and_changes_leads(service, account, keys):
    """docs/manage.md 2: `change` alone also permits sign-ups; without `leads` it sees what a caller without a key sees"""
    campaign = service.campaign(account, public_lookup="own", public_update="none")
    key = keys("change")
    made = campaign.post({"email": "a@example.org", "points": 5}, key=key)
    assert made.status == 200 and made.json["contest_score"] == 5 and "email" not in made.json
    again = campaign.post({"email": "a@example.org", "must_exist": True, "points": 2, "plan": "gold"}, key=key)
    assert (again.status, again.json["id"], again.json["social_id"]) == (200, None, None)
    lead = campaign.find(email="a@example.org")
    assert (lead["id"], lead["contest_score"], lead["custom_fields"]) == (made.json["id"], 7, {"plan": "gold"})
    assert campaign.post({"email": "none@example.org", "must_exist": True}, key=key).verdict == (404, "lead_not_found")
    assert campaign.get({"email": "a@example.org"}, key=key).verdict == (403, "missing_right")


@pytest.mark.parametrize("update", UPDATES)
def test_change_alone_sets_no_address_of_a_lead(service, account, keys, update):
    """docs/manage.md 2, Addresses: mails and texts to an address, and codes, lead to the lead's page"""
    campaign = service.campaign(account, public_lookup="own", public_update=update)
    ada, grace = campaign.lead(**SIGNED_UP), campaign.lead(email="grace@example.org")
    key, call, both = keys("change"), Caller(service, keys("change")), Caller(service, keys("leads,change"))
    below = f"campaigns/{campaign.id}"
    for address in ({"email": "mine@example.net"}, {"phone_number": "+14155552672"}):
        for lead in (ada, grace):
            named = campaign.post({"social_id": lead["social_id"], "must_exist": True, **address}, key=key)
            assert named.verdict == (403, "missing_right") and "right leads" in named.json["message"]
            edited = call("PATCH", f"{below}/leads/{lead['social_id']}", {**address, "plan": "mine"})
            assert edited.verdict == (403, "forbidden") and "right leads" in edited.json["detail"]
    assert campaign.post({"phone_number": SIGNED_UP["phone_number"], "email": "mine@example.net"}, key=key).status == 200
    assert campaign.post({"email": SIGNED_UP["email"], "phone_number": "+14155552672"}, key=key).status == 200
    if update != "all":  # otherwise, a caller without a key adds it, too
        assert campaign.post({"email": "grace@example.org", "phone_number": "+14155552673"}, key=key).status == 200
    imported = call("POST", f"{below}/import", {"records": f"email,social_id\nfirst@example.net,\nmine@example.com,{'Z' * 10}\n"})
    assert imported.verdict == (403, "forbidden") and "right leads" in imported.json["detail"]
    assert call("POST", f"{below}/leads/{ada['social_id']}/code", {}).verdict == (403, "missing_right")
    assert [campaign.find(social_id=lead["social_id"]).get("custom_fields", {}).get("plan") for lead in (ada, grace)] == ["gold", None]
    found = [campaign.find(social_id=lead["social_id"]) for lead in (ada, grace)]
    assert [(lead["email"], lead["phone_number"]) for lead in found] == [(SIGNED_UP["email"], SIGNED_UP["phone_number"]), ("grace@example.org", None)]
    assert campaign.get({"email": "first@example.net"}).status != 200  # nothing of the import was stored
    assert both("PATCH", f"{below}/leads/{grace['social_id']}", {"email": "new@example.net"}).status == 200
    assert campaign.find(email="new@example.net")["id"] == grace["id"]


def test_leads_alone_reads(service, account, keys):
    """docs/manage.md 2"""
    campaign = service.campaign(account, public_lookup="none")
    lead = campaign.lead(**SIGNED_UP)
    assert campaign.get({"email": "ada@example.org"}, key=keys("leads")).json["email"] == "ada@example.org"
    assert campaign.post(SIGNED_UP, key=keys("leads")).verdict == (403, "missing_right")
    both = campaign.post({"email": "ada@example.org", "points": 9, "plan": "mine"}, key=keys("ingest,leads"))
    assert (both.status, both.json["id"], both.json["contest_score"]) == (200, lead["id"], 0)


def test_numbers_show_no_leaders(service, account, keys):
    """docs/manage.md 2: `stats` shows nothing about individual people"""
    campaign = service.campaign(account)
    campaign.lead(**SIGNED_UP)
    assert campaign.get({}, key=keys("stats"), path="/leaderboard").verdict == (403, "missing_right")
    assert campaign.get({}, key=keys("ingest"), path="/leaderboard").json["leaders"][0]["display_name"] == "Ada"


@pytest.mark.parametrize("setting, value, right", [("privacy", False, "leads"), ("require_key", False, "leads"), ("public_lookup", "all", "leads"),
                                                   ("public_update", "all", "change")])
def test_settings_about_strangers(service, account, keys, setting, value, right):
    """docs/manage.md 2: only a caller that may read or change leads can let callers without a key do so, even in a new campaign"""
    path = f"campaigns/{service.campaign(account).id}"
    for rights, verdict in (("manage", (403, "forbidden")), (f"{right},manage", (200, None))):
        answer = Caller(service, keys(rights))("PATCH", path, {setting: value, "waitlist": True})
        assert (answer.status, answer.json.get("error")) == verdict
    added = Caller(service, keys("manage"))("POST", f"accounts/{account.id}/campaigns", {"name": "Own", setting: value})
    assert added.verdict == (403, "forbidden")


def test_the_number_of_leads(service, account, keys):
    """docs/manage.md 2, Number of leads: the number would show whether a sign-up was new"""
    campaign = service.campaign(account, jump_start=7)
    campaign.lead(**SIGNED_UP)
    for rights, number in (("ingest", None), ("hooks,manage,account", None), ("stats", 8), ("leads", 8), ("change", 8), ("full", 8)):
        lists = [service.client.request("GET", "/v2/campaigns", key=keys(rights)).json, Caller(service, keys(rights))("GET", "campaigns").json]
        if "manage" in rights:
            lists.append([Caller(service, keys(rights))("GET", f"campaigns/{campaign.id}").json])
        assert {one["lead_count"] for listed in lists for one in listed if one["id"] == campaign.id} == {number}, rights


@pytest.mark.parametrize("setting, value", [("mails", ""), ("verify_email", "off"), ("verify_phone", "off")])
def test_settings_that_hide_leads(service, account, keys, setting, value):
    """docs/manage.md 2: with mails and codes, the answer to a sign-up does not show which leads exist; without protection, it shows
    them anyway"""
    open_to_all, protected = service.campaign(account), service.campaign(account, public_lookup="own")
    manage, both = (Caller(service, keys(rights)) for rights in ("manage", "leads,manage"))
    assert manage("PATCH", f"campaigns/{open_to_all.id}", {setting: value}).status == 200
    before = both("GET", f"campaigns/{protected.id}").json
    refused = manage("PATCH", f"campaigns/{protected.id}", {"waitlist": True, setting: value})
    assert refused.verdict == (403, "forbidden") and setting in refused.json["detail"]
    assert both("GET", f"campaigns/{protected.id}").json == before
    assert manage("PATCH", f"campaigns/{protected.id}", {"waitlist": True}).status == 200
    assert both("PATCH", f"campaigns/{protected.id}", {setting: value}).status == 200


def test_webhooks_send_leads(service, account, keys):
    """docs/manage.md 2: adding a webhook through /v2 needs the rights that it gives"""
    campaign = service.campaign(account)
    hook, inbound = {"url": "https://own.example/", "event": "new_signup"}, {"name": "Own"}
    for path, fields, enough, lacks in (("/outbound-webhook", hook, "leads,hooks", ["hooks", "leads"]),
                                        ("/inbound-webhook", inbound, "leads,change,hooks", ["hooks", "leads,hooks", "change,hooks"])):
        assert [campaign.post(fields, key=keys(rights), path=path).verdict for rights in lacks] == [(403, "missing_right")] * len(lacks)
        assert campaign.post(fields, key=keys(enough), path=path).status == 200
        assert campaign.get({}, key=keys("hooks"), path=path).status == 200


def test_a_key_that_expires_admits_no_one(service, account):
    """docs/manage.md 2, End: it adds no users and no URLs of inbound webhooks, which would outlast it; other things that it has set up
    stay"""
    campaign = service.campaign(account)
    text = service.installation.admin("key", "add", str(account.id), "--rights", "all", "--expires", "2099-01-01")["key"]
    key, lasting = Caller(service, text), Caller(service, service.installation.admin("key", "add", str(account.id), "--rights", "all")["key"])
    user = lasting("POST", "users", {"email": "temporary@example.org", "role": "viewer"}).json["id"]
    inbound = lasting("POST", f"campaigns/{campaign.id}/inbound", {"name": "Lasting"}).json["id"]
    refused = [key("POST", "users", {"email": "other@example.org", "role": "viewer"}), key("PATCH", f"users/{user}", {"role": "owner"}),
               key("POST", f"users/{user}/reset", {}), key("POST", f"users/{user}/enable", {}),
               key("POST", f"campaigns/{campaign.id}/inbound", {"name": "Own"}), key("POST", f"inbound/{inbound}/rotate", {}),
               key("PATCH", f"inbound/{inbound}", {"source": "Own"})]
    assert [answer.verdict for answer in refused] == [(403, "forbidden")] * 7
    assert campaign.post({"name": "Own"}, key=text, path="/inbound-webhook").verdict == (403, "missing_right")
    assert [key(*call).status for call in (("GET", "users"), ("POST", f"users/{user}/disable", {}), ("DELETE", f"users/{user}"))] == [200] * 3
    assert campaign.post({"url": "https://own.example/", "event": "deleted"}, key=text, path="/outbound-webhook").status == 200
