# SPDX-License-Identifier: MIT
"""docs/api.md 4.1, bulk calls: identifiers, answers, and what the dispatcher does afterwards."""
import json

import pytest
from client import multipart
from stack.process import wait_until

ACTIONS = ["optout", "sms_optout", "sms_optin", "verify", "unverify", "approve", "block", "waitlist", "unwaitlist", "tag"]
PHONES = ["+14155552671", "+14155552672"]


def call(campaign, action, fields, **options):
    """Make the bulk call of an action; `delete` is a method."""
    return campaign.delete(fields, **options) if action == "delete" else campaign.post(fields, path=f"/{action}", **options)


@pytest.mark.parametrize("action, field, value", [
    ("optout", "opted_out", True), ("sms_optout", "sms_opted_out", True), ("verify", "verified", True),
    ("block", "fraudulent", True), ("waitlist", "waitlisted", True)])
def test_changes_are_queued_and_done(campaign, action, field, value):
    """docs/api.md 4.1 POST /v2/{cid}/{action}: optout sms_optout verify block waitlist"""
    lead, other = campaign.leads(2)
    response = call(campaign, action, {"email": lead["email"]})
    assert response.status == 202
    assert response.json == {"message": "Your leads have been queued for changes", "updated": 1}
    campaign.service.dispatch()
    wait_until(lambda: campaign.find(email=lead["email"])[field] == value, 10, f"{action} done")
    assert campaign.find(email=other["email"])[field] != value


def test_approve_unwaitlist_and_tag(service, account):
    """docs/api.md 4.1 POST /v2/{cid}/{action}: approve unwaitlist tag"""
    campaign = service.campaign(account, waitlist="on")
    lead, = campaign.leads(1)
    tag = campaign.define("tag", "VIP")
    campaign.change("block", email=lead["email"], reason="bounced")
    assert campaign.find(email=lead["email"])["fraudulent"] is True
    campaign.change("approve", email=lead["email"])
    campaign.change("unwaitlist", email=lead["email"])
    campaign.change("tag", email=lead["email"], tag="VIP")
    found = campaign.find(email=lead["email"])
    assert (found["fraudulent"], found["waitlisted"]) == (False, False)
    assert found["tags"] == [{"tag_id": tag, "name": "VIP"}]


def test_delete(campaign, receiver):
    """docs/api.md 4.1 DELETE /v2/{cid}"""
    campaign.webhook("deleted")
    lead, other = campaign.leads(2)
    response = campaign.delete({"social_ids": [lead["social_id"]]})
    assert response.status == 202
    assert response.json == {"message": "Your leads have been queued for deletion", "deleted": 1}
    campaign.service.dispatch()
    wait_until(lambda: campaign.get({"email": lead["email"]}).status == 404, 10, "the lead is gone")
    assert campaign.find(email=other["email"])["lead_count"] == 1
    event, = campaign.delivered(1, event="deleted")
    assert event.json["social_id"] == lead["social_id"] and event.json["lead_count"] == 2


@pytest.mark.parametrize("word", ["opt_out", "OPTOUT", "delete", "subscribe"])
def test_unknown_actions(campaign, word):
    """docs/api.md 4.1: another action gets 409 invalid_action; 1 Methods"""
    lead, = campaign.leads(1)
    response = campaign.post({"email": lead["email"]}, path=f"/{word}")
    assert response.verdict == (409, "invalid_action") and response.json["message"] == "Invalid action"
    assert campaign.get({}, path=f"/{word}").verdict == (404, "not_found")
    response = campaign.get({}, path="/optout")
    assert response.verdict == (405, "method_not_allowed") and "POST" in response.headers["Allow"]


@pytest.mark.parametrize("action", [*ACTIONS, "delete"])
def test_a_key_is_needed(campaign, action):
    """docs/api.md 4.1 Key: without a key, bulk calls fail"""
    lead, = campaign.leads(1)
    assert call(campaign, action, {"email": lead["email"]}, key=None).verdict == (409, "missing_api_key")
    assert campaign.find(email=lead["email"])["opted_out"] is False


# --- identifiers ---

def names_of(lead):
    return [{"email": lead["email"]}, {"emails": [lead["email"]]}, {"emails": lead["email"]},
            {"phone_number": lead["phone_number"]}, {"phone_numbers": [lead["phone_number"]]},
            {"social_id": lead["social_id"]}, {"social_ids": [lead["social_id"]]}, {"kid": lead["social_id"]},
            {"kid": [lead["social_id"].lower()]}, {"email": lead["email"].upper()},
            {"phone_numbers": ["(415) 555-2671"], "country_code": "US"}]


def test_each_kind_of_identifier(campaign):
    """docs/api.md 4.1: email/emails, phone_number/phone_numbers, social_id/social_ids/kid, as one value or an array"""
    lead = campaign.lead(email="ada@example.org", phone_number=PHONES[0])
    campaign.lead(email="b@example.org", phone_number=PHONES[1])
    for fields in names_of(lead):
        response = call(campaign, "optout", fields)
        assert (response.status, response.json.get("updated")) == (202, 1), fields


def test_arrays_in_every_body_type(campaign):
    """docs/api.md 1 Arrays: JSON, name[]=, repeated names in query, form and multipart"""
    emails = [lead["email"] for lead in campaign.leads(3)]
    path, send = campaign.path + "/optout", campaign.client.request
    for name in ("email", "emails", "emails[]", "emails[0]"):
        pairs = [(name, email) for email in emails]
        assert send("POST", path, form=pairs, key=campaign.key).json["updated"] == 3
        assert send("POST", path, query=pairs, key=campaign.key).json["updated"] == 3
        type, body = multipart(pairs)
        assert send("POST", path, body=body, type=type, key=campaign.key).json["updated"] == 3
    assert call(campaign, "optout", {"emails": emails}).json["updated"] == 3
    assert call(campaign, "optout", {"email": emails[0], "emails": emails[1:]}).json["updated"] == 3
    pairs = [("email", email) for email in emails]
    assert send("DELETE", campaign.path, query=pairs, key=campaign.key).json["deleted"] == 3


@pytest.mark.parametrize("name", ["email", "phone_number", "social_id", "kid"])
@pytest.mark.parametrize("path", ["", "/actions/1", "/tags/1/lead"])
def test_only_bulk_calls_take_arrays(campaign, path, name):
    """docs/api.md 1.1 Parameters: an array where one value is expected gives 406; the last of several values counts"""
    tag = campaign.define("tag", "T")
    action = campaign.define("action", "A")
    path = path.replace("tags/1", f"tags/{tag}").replace("actions/1", f"actions/{action}")
    lead, = campaign.leads(1)
    fields = {"email": lead["email"], name: ["a@example.org", "b@example.org"]}
    if path.startswith("/actions"): # goes by the first that is given
        fields = {name: fields[name]}
    assert campaign.post(fields, path=path).verdict == (406, "invalid_parameter")
    form = [("email", "unknown@example.org"), ("email", lead["email"])]
    response = campaign.client.request("POST", campaign.path + path, form=form, key=campaign.key)
    assert response.status == 200, "the last address counts"
    assert campaign.get({"email": "unknown@example.org"}).status == 404


def test_malformed_identifiers_and_duplicates(campaign):
    """docs/api.md 4.1: n is the number of leads that matched; malformed identifiers match nothing, duplicates count once"""
    leads = campaign.leads(2)
    emails = ["0@example.org", "0@EXAMPLE.org", "no address", "", None, 7, True, "unknown@example.org", "1@example.org"]
    assert call(campaign, "optout", {"emails": emails}).json["updated"] == 2
    social_ids = [leads[0]["social_id"], leads[0]["social_id"].lower(), "x", "0000000000"]
    assert call(campaign, "optout", {"social_ids": social_ids}).json["updated"] == 1
    assert call(campaign, "optout", {"phone_numbers": ["x", "+1"]}).verdict == (400, "no_leads")


@pytest.mark.parametrize("action", [*ACTIONS, "delete"])
def test_no_matching_lead(campaign, action):
    """docs/api.md 2 no_leads; leads of other campaigns do not match"""
    other = campaign.service.campaign(campaign.account)
    stranger, = other.leads(1)
    campaign.define("tag", "T")
    for fields in ({"email": "unknown@example.org"}, {"social_ids": [stranger["social_id"]]}, {"emails": [""]}):
        response = call(campaign, action, {**fields, "tag": "T"})
        assert response.verdict == (400, "no_leads") and response.json["message"] == "No leads to update"


@pytest.mark.parametrize("fields", [{}, {"email": ""}, {"email": None}, {"emails": []}, {"emails": [], "kid": ""},
                                    {"name": "Ada"}])
def test_no_identifier(campaign, fields):
    """docs/api.md 4.1, 2: 409 missing_identifier"""
    for action in ("optout", "delete"):
        assert call(campaign, action, fields).verdict == (409, "missing_identifier")


@pytest.mark.parametrize("fields", [
    {"email": "0@example.org", "phone_number": PHONES[0]}, {"emails": ["0@example.org"], "social_ids": ["0000000000"]},
    {"phone_numbers": PHONES, "kid": "0000000000"}])
def test_mixed_identifiers(campaign, fields):
    """docs/api.md 2 mixed_identifiers; nothing is queued"""
    campaign.leads(1)
    for action in ("optout", "delete"):
        response = call(campaign, action, fields)
        assert response.verdict == (409, "mixed_identifiers")
        assert response.json["message"] == "Please use one identifier type per request"
    assert call(campaign, "optout", {"email": "0@example.org", "phone_number": "", "kids": "x"}).status == 202


def test_at_most_250(campaign):
    """docs/api.md 2 too_many_items: the number of identifiers that were sent counts, with duplicates"""
    campaign.leads(1)
    emails = [f"{number}@example.org" for number in range(251)]
    for action in ("optout", "delete"):
        response = call(campaign, action, {"emails": emails})
        assert response.verdict == (413, "too_many_items")
        assert response.json["message"] == "Too many items to update or delete"
    assert call(campaign, "optout", {"emails": emails[:250]}).json["updated"] == 1
    assert call(campaign, "optout", {"emails": emails[:1] * 251}).verdict == (413, "too_many_items")
    assert call(campaign, "optout", {"emails": emails[:250], "email": "x"}).verdict == (413, "too_many_items")
    assert call(campaign, "optout", {"emails": ["x"] * 20000}).verdict == (413, "too_many_items")


def test_bulk_bodies_may_have_1_mib(campaign):
    """docs/api.md 1 Caps: 1 MiB on bulk calls and points, 256 KiB elsewhere"""
    campaign.leads(1)
    body = json.dumps({"emails": ["0@example.org"], "points": 0}).encode()
    for path in ("/optout", "/points", ""):
        method = "POST" if path else "DELETE"
        for size, status in ((1 << 20, (200, 202)), ((1 << 20) + 1, (413,))):
            response = campaign.client.request(method, campaign.path + path, body=body.ljust(size), type="application/json",
                                               key=campaign.key)
            assert response.status in status, (method, path, size)
    body = json.dumps({"email": "0@example.org"}).encode().ljust((1 << 18) + 1)
    for path in ("", "/actions/1", "/tags/1/lead", "/outbound-webhook"):
        assert campaign.client.request("POST", campaign.path + path, body=body, type="application/json",
                                       key=campaign.key).verdict == (413, "body_too_large")


def test_queued_calls_of_an_account(make_service):
    """docs/api.md 4.1: at most account_bulk_jobs, over all campaigns, then 429 too_many_jobs until the dispatcher has finished some"""
    service = make_service(workers=2, settings=[("limits", "account_bulk_jobs", 3)])
    account = service.account()
    first, second, stranger = service.campaign(account), service.campaign(account), service.campaign(service.account())
    for campaign in (first, second, stranger):
        campaign.leads(1)
    email = {"email": "0@example.org"}
    assert [call(campaign, "optout", email).status for campaign in (first, second, first)] == [202] * 3
    for campaign, action in ((first, "optout"), (second, "verify"), (second, "delete")):
        response = call(campaign, action, email)
        assert response.verdict == (429, "too_many_jobs") and int(response.headers["Retry-After"]) > 0
    assert call(first, "optout", {"email": "unknown@example.org"}).verdict == (400, "no_leads")  # nothing to queue
    assert call(stranger, "optout", email).status == 202
    service.dispatch()
    assert second.find(**email)["verified"] is False  # the refused call had no effect
    assert call(second, "verify", email).status == 202


# --- parameters of single actions ---

def test_tags_by_id_and_by_name(campaign):
    """docs/api.md 4.1: `tag` takes tag_id or tag; an unknown tag, or one of another campaign, is 404"""
    lead, = campaign.leads(1)
    seven = campaign.define("tag", "7")
    other = campaign.service.campaign(campaign.account).define("tag", "Other")
    campaign.define("tag", "Mine")
    email = {"email": lead["email"]}
    for fields in ({"tag_id": seven}, {"tag_id": str(seven)}, {"tag": "7"}, {"tag": 7}):
        assert call(campaign, "tag", {**email, **fields}).status == 202
    for fields in ({"tag_id": "7x"}, {"tag_id": "Mine"}, {"tag_id": other}, {"tag": "Other"}, {"tag": "nothing"}, {}, {"tag_id": 10**15}):
        assert call(campaign, "tag", {**email, **fields}).verdict == (404, "tag_not_found"), fields
    assert campaign.get({}, path="/leads").json["leads"][0]["tags"] in ([], [{"tag_id": seven, "name": "7"}])


def test_verify_by_channel(campaign):
    """docs/api.md 4.1.4 /verify: the named channel is verified, otherwise the address by which the lead is named, otherwise the email
    address"""
    lead = campaign.lead(email="ada@example.org", phone_number=PHONES[0])
    campaign.change("verify", email=lead["email"], channel="phone")
    found = campaign.find(email=lead["email"])
    assert (found["verified_email"], found["verified_phone_number"]) == (False, True)
    campaign.change("verify", email=lead["email"])
    assert campaign.find(email=lead["email"])["verified_email"] is True
    lead = campaign.lead(email="grace@example.org", phone_number=PHONES[1])
    campaign.change("verify", phone_number=PHONES[1])
    found = campaign.find(email=lead["email"])
    assert (found["verified_email"], found["verified_phone_number"]) == (False, True)
    campaign.change("verify", social_id=lead["social_id"])
    assert campaign.find(email=lead["email"])["verified_email"] is True
    response = call(campaign, "verify", {"email": lead["email"], "channel": "fax"})
    assert response.verdict == (406, "invalid_parameter") and "channel" in response.json["message"]


def test_reasons_of_a_block(campaign, receiver):
    """docs/api.md 4.6 Fraud flags later: the reason is `manual`, or the one that the call gives"""
    campaign.webhook("marked_as_fraudulent")
    first, second = campaign.leads(2)
    longest = "ü" * 32
    campaign.change("block", email=first["email"])
    campaign.change("block", email=second["email"], reason=longest)
    events = campaign.delivered(2, event="marked_as_fraudulent")
    assert {event.json["email"]: event.json["__fraudulent"] for event in events} == {
        first["email"]: ["manual"], second["email"]: [longest]}
    assert call(campaign, "block", {"email": first["email"], "reason": longest + "x"}).verdict == (406, "invalid_parameter")
