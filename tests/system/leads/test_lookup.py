# SPDX-License-Identifier: MIT
"""docs/api.md 4.1: look-up and the list of campaigns."""
import pytest
from payload import TIME, check_payload

PHONE = "+14155552671"


@pytest.fixture
def lead(campaign):
    return campaign.lead(email="ada@example.org", phone_number=PHONE)


@pytest.mark.parametrize("key, view", [(True, "full"), (None, "public")])
@pytest.mark.parametrize("by", ["email", "phone_number", "social_id", "kid"])
def test_by_each_identifier(campaign, lead, by, key, view):
    """docs/api.md 4.1 GET /v2/{cid}"""
    value = lead["social_id"] if by in ("social_id", "kid") else lead[by]
    found = check_payload(campaign.get({by: value}, key=key).json, view)
    assert found["social_id"] == lead["social_id"]
    assert found["counter"] == 1, "look-ups change nothing"


def test_by_spelling(campaign, lead):
    """docs/api.md 4.2 also applies to look-ups; country_code is prepended"""
    assert campaign.find(email="ADA@Example.ORG")["id"] == lead["id"]
    assert campaign.find(phone_number="(415) 555-2671", country_code="US")["id"] == lead["id"]


def test_several_identifiers(campaign, lead):
    """docs/api.md 4.1: the first of social_id/kid, email and phone_number is used"""
    other = campaign.lead(email="b@example.org")
    assert campaign.find(social_id=lead["social_id"], email=other["email"])["id"] == lead["id"]
    assert campaign.find(kid=lead["social_id"], email=other["email"])["id"] == lead["id"]
    assert campaign.find(email=other["email"], phone_number=PHONE)["id"] == other["id"]
    assert campaign.get({"social_id": "0000000000", "email": other["email"]}).verdict == (404, "lead_not_found")


@pytest.mark.parametrize("fields", [{"email": "unknown@example.org"}, {"phone_number": "+14155552679"},
                                    {"social_id": "0000000000"}, {"kid": "x' OR 1=1 --"}])
def test_unknown_leads(campaign, lead, fields):
    """docs/api.md 2 lead_not_found"""
    for key in (True, None):
        response = campaign.get(fields, key=key)
        assert response.verdict == (404, "lead_not_found") and response.json["message"] == "No lead found"


def test_no_identifier(campaign):
    """docs/api.md 2 missing_identifier of look-ups: 409"""
    for key in (True, None):
        response = campaign.get({}, key=key)
        assert response.verdict == (409, "missing_identifier")
        assert response.json["message"] == "Please include a lead id or email"


def test_a_lead_of_another_campaign(service, account, campaign, lead):
    """docs/api.md 4.1: look-ups find only leads of their campaign"""
    other = service.campaign(account)
    for fields in ({"social_id": lead["social_id"]}, {"email": lead["email"]}):
        assert other.get(fields).verdict == (404, "lead_not_found")


def test_campaigns(service):
    """docs/api.md 4.1 GET /v2/campaigns: those of the account, by id"""
    account = service.account()
    mine = [service.campaign(account) for _ in range(3)]
    service.campaign(service.account("Another account"))
    mine[1].lead(email="a@example.org")
    mine[1].lead(email="b@example.org")
    response = service.client.request("GET", "/v2/campaigns", key=account.key)
    assert response.status == 200
    listed = response.json
    assert [one["id"] for one in listed] == [one.id for one in mine]
    assert [one["lead_count"] for one in listed] == [0, 2, 0]
    for one in listed:
        assert set(one) == {"id", "name", "lead_count", "state", "created_at"}
        assert isinstance(one["name"], str) and isinstance(one["state"], str) and TIME.match(one["created_at"])


def test_an_account_without_campaigns(service):
    """docs/api.md 4.1: an empty list"""
    assert service.client.request("GET", "/v2/campaigns", key=service.account().key).json == []


def test_a_large_jump_start_does_not_wrap(service, account):
    """docs/api.md 4.5 lead_count: the count plus the jump start everywhere, however large it is"""
    campaign = service.campaign(account, jump_start=2**32 - 1)
    assert campaign.lead(email="ada@example.org")["lead_count"] == 2**32
    assert campaign.find(email="ada@example.org")["lead_count"] == 2**32
    listed = campaign.client.request("GET", "/v2/campaigns", key=campaign.key).json
    assert [one["lead_count"] for one in listed if one["id"] == campaign.id] == [2**32]
