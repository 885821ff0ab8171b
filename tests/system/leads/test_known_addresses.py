# SPDX-License-Identifier: MIT
"""docs/api.md 4.1.11, 4.3: a repeated sign-up and look-ups without a key, in a campaign that keeps its defaults."""
import re

import pytest

MAIL = [("mail", "host", "127.0.0.1"), ("mail", "port", "9"), ("mail", "tls", "none"), ("mail", "from", "hello@example.org")]
EMAIL, PHONE = "ada@example.org", "+491701234567"
PERSONAL = {"email", "phone_number", "uid", "custom_fields", "utm", "parent_id", "opted_out", "sms_opted_out", "tags"}
OWN = re.compile(r"/c/\d+/s/([0-9A-Z]{10}/[\w-]{24})$")


@pytest.fixture(scope="module", params=[[], MAIL], ids=["without_mail", "with_mail"])
def installation(request, make_service):
    return make_service(settings=request.param)


@pytest.fixture
def campaign(installation):
    return installation.campaign(pages="on")


def sign_up(campaign, path=None, **fields):
    answer = campaign.client.request("POST", path or campaign.path, json_body=fields)
    assert answer.status == 200, answer.body
    return answer.json


def is_public(campaign, lead, social_id):
    """Check that the payload is the public view, without the secret of the lead's page."""
    page = f"{campaign.service.front.url}/c/{campaign.id}/s/{social_id}"
    return lead["social_id"] == social_id and not PERSONAL & set(lead) and lead["status_url"] == page and "check_mail" not in lead


def test_a_repeated_sign_up(campaign):
    """the same lead, which is counted and changed, and no longer opted out"""
    first = sign_up(campaign, email=EMAIL, first_name="Ada", plan="free")
    assert OWN.search(first["status_url"]), "the caller created the lead, and owns it"
    campaign.change("optout", email=EMAIL)
    second = sign_up(campaign, email=EMAIL, __do_not_reset_opt_out=1)
    assert is_public(campaign, second, first["social_id"]) and (second["id"], second["counter"]) == (first["id"], 2)
    assert campaign.find(email=EMAIL)["opted_out"] is True
    again = sign_up(campaign, email=EMAIL.upper(), first_name="Augusta", plan="pro")
    assert is_public(campaign, again, first["social_id"])
    assert (again["id"], again["counter"], again["lead_count"], again["first_name"]) == (first["id"], 3, 1, "Augusta")
    lead = campaign.find(email=EMAIL)
    assert (lead["opted_out"], lead["custom_fields"]) == (False, {"first_name": "Augusta", "plan": "pro"})


@pytest.mark.parametrize("known, added", [({"phone_number": PHONE}, {"email": EMAIL}), ({"email": EMAIL}, {"phone_number": PHONE})])
def test_a_missing_address_is_added(campaign, known, added):
    first = sign_up(campaign, **known)
    assert is_public(campaign, sign_up(campaign, **known, **added), first["social_id"])
    lead = campaign.find(**added)
    assert (lead["id"], lead["counter"], lead["email"], lead["phone_number"]) == (first["id"], 2, EMAIL, PHONE)


def test_look_ups(campaign):
    """by each identifier: the public view, or 404; the caller's own page only with the lead's token"""
    lead = sign_up(campaign, email=EMAIL, phone_number=PHONE)
    token = OWN.search(lead["status_url"])[1]
    unknown = {"email": "nobody@example.org", "phone_number": "+491701234568", "social_id": "0123456789", "kid": "0123456789"}
    for fields in ({"email": EMAIL}, {"phone_number": PHONE}, {"social_id": lead["social_id"]}, {"kid": lead["social_id"]}):
        for path in (campaign.path, f"/v1/{campaign.id}/info"):
            found = campaign.client.request("GET", path, query=fields)
            assert found.status == 200 and is_public(campaign, found.json, lead["social_id"]), found.body
        missing = campaign.get({name: unknown[name] for name in fields}, key=None)
        assert missing.verdict == (404, "lead_not_found")
        own = campaign.get({**fields, "__token": token}, key=None)
        assert (own.status, own.json["status_url"]) == (200, lead["status_url"])
        assert campaign.find(**fields)["status_url"] == lead["status_url"], "with a key"


def test_must_exist(campaign):
    assert campaign.post({"email": EMAIL, "must_exist": True}, key=None).verdict == (404, "lead_not_found")
    first = sign_up(campaign, email=EMAIL)
    assert sign_up(campaign, email=EMAIL, must_exist=True)["counter"] == 2
    assert campaign.find(email=EMAIL)["id"] == first["id"]


def test_older_paths(campaign):
    """docs/api.md 4.1.6: the same on each older path"""
    first = sign_up(campaign, email=EMAIL)
    for path in (f"/v1/{campaign.id}/subscribe", f"/lead/{campaign.id}"):
        assert is_public(campaign, sign_up(campaign, path, email=EMAIL), first["social_id"])
    assert is_public(campaign, sign_up(campaign, "/subscribe", email=EMAIL, list_id=campaign.id), first["social_id"])
    by_get = campaign.client.request("GET", f"/v1/{campaign.id}/subscribe", query={"email": EMAIL})
    assert is_public(campaign, by_get.json, first["social_id"]) and by_get.json["counter"] == 5
