# SPDX-License-Identifier: MIT
"""docs/api.md 4.1.9: codes that verify phone numbers."""
import itertools
import re

import pytest
from command import DATA, call
from failing_database import locked_campaign
from load import at_once
from service import settles

MISSING, WRONG, VERIFIED = (409, "missing_code"), (404, "invalid_code"), (409, "already_verified")
TRIES = 5
numbers = itertools.count(0)


def new_lead(campaign, **fields):
    number = next(numbers)
    return campaign.lead(email=f"phone{number}@example.org", phone_number=f"+1415555{2000 + number}", **fields)


def make(campaign, lead):
    return campaign.service.installation.admin("lead", "code", str(campaign.id), "--social-id", lead["social_id"])


def other(code, by=1):
    return f"{(int(code) + by) % 1000000:06}"


def verify(campaign, lead, code, key=True, **options):
    return campaign.post({"social_id": lead["social_id"], "code": code}, path="/verify-phone-number",
                         key=campaign.key if key is True else key, **options)


def sql(campaign, text):
    return campaign.service.installation.sql(text)


def tries(campaign, lead):
    return int(sql(campaign, f"SELECT tries FROM lh_lead_codes WHERE channel = 1 AND lead_id = {lead['id']}"))


def rows(campaign, lead):
    return sql(campaign, f"SELECT COUNT(*) FROM lh_lead_codes WHERE channel = 1 AND lead_id = {lead['id']}").strip()


def test_the_right_code(service, receiver):
    """the lead is verified once, with its event and its referrer's credit, and the code's row is removed"""
    campaign = service.campaign(require_verification="on", points_direct=7)
    campaign.webhook("verified")
    parent = campaign.lead(email="parent@example.org")
    lead = new_lead(campaign, kid=parent["social_id"])
    made = make(campaign, lead)
    assert re.fullmatch(r"\d{6}", made["code"]) and made["phone_number"] == lead["phone_number"]
    assert list(made) == ["code", "phone_number", "expires_at"]
    answer = verify(campaign, lead, made["code"])
    assert (answer.status, answer.json) == (200, {"message": "Lead verified"})
    shown = campaign.find(social_id=lead["social_id"])
    assert shown["verified"] and shown["verified_phone_number"] and not shown["verified_email"]
    assert campaign.find(social_id=parent["social_id"])["contest_score"] == 7
    assert rows(campaign, lead) == "0"
    assert verify(campaign, lead, made["code"]).verdict == VERIFIED
    service.dispatch()
    assert [event["id"] for event in (one.json for one in campaign.delivered(1))] == [lead["id"]]
    service.check()


@pytest.mark.parametrize("name", ["email", "phone_number", "social_id", "kid"])
def test_identifiers_and_spellings(campaign, name):
    """docs/api.md 4.1.1: each way to name the lead; spaces and hyphens in a code are ignored, also in forms"""
    lead = new_lead(campaign)
    code = make(campaign, lead)["code"]
    spelt = {"email": f"{code[:3]} {code[3:]}", "phone_number": f" {code[:3]}-{code[3:]} ", "social_id": code, "kid": code}[name]
    value = lead["social_id"] if name == "kid" else lead[name]
    path = f"{campaign.path}/verify-phone-number"
    answer = campaign.client.request("POST", path, form={name: value, "code": spelt, "api_key": campaign.key})
    assert (answer.status, answer.json) == (200, {"message": "Lead verified"})


def test_answers(campaign):
    """the errors in their order: no code, no identifier, no lead, already verified, wrong code; a text that is not a code does not count as
    a try"""
    lead, plain = new_lead(campaign), campaign.lead(email="plain@example.org")
    for fields in ({}, {"code": ""}, {"code": None}):
        answer = campaign.post(fields, path="/verify-phone-number")
        assert answer.verdict == MISSING and answer.json["message"] == "Verification code not found"
    answer = campaign.post({"code": "123456"}, path="/verify-phone-number")
    assert answer.verdict == (409, "missing_identifier") and answer.json["message"] == "Please include a lead id or email"
    answer = verify(campaign, {"social_id": "0000000000"}, "123456")
    assert answer.verdict == (404, "lead_not_found") and answer.json["message"] == "No lead found"
    for fields in ({"code": ["1", "2"]}, {"code": True}):
        answer = campaign.post({"social_id": lead["social_id"], **fields}, path="/verify-phone-number")
        assert answer.verdict == (406, "invalid_parameter")
    for one in (lead, plain):
        for code in ("123456", "x"):
            assert verify(campaign, one, code).verdict == WRONG
    code = make(campaign, lead)["code"]
    for _ in range(TRIES):
        for text in ("x", "12345", code + "0", "１２３４５６７", "+12345", "0x1234"):
            assert verify(campaign, lead, text).verdict == WRONG
    assert tries(campaign, lead) == 0
    answer = verify(campaign, lead, other(code))
    assert answer.verdict == WRONG and answer.json["message"] == "Verification code is not valid"
    pasted = f"\u200b{code[:3]}\u2013{code[3:]}\u00a0".translate({ord("0") + digit: 0xff10 + digit for digit in range(10)})
    assert tries(campaign, lead) == 1 and verify(campaign, lead, pasted).status == 200
    answer = verify(campaign, lead, other(code))
    assert answer.verdict == VERIFIED and answer.json["message"] == "Lead already verified"
    assert verify(campaign, lead, "").verdict == MISSING


def test_five_tries(campaign):
    """after five wrong codes, the right one is refused, but a new code is accepted; the fifth try may be the right one"""
    lead = new_lead(campaign)
    code = make(campaign, lead)["code"]
    for by in range(1, TRIES + 1):
        assert verify(campaign, lead, other(code, by)).verdict == WRONG
    for text in (code, other(code), "x"):
        assert verify(campaign, lead, text).verdict == WRONG
    assert tries(campaign, lead) == TRIES and not campaign.find(social_id=lead["social_id"])["verified_phone_number"]
    code = make(campaign, lead)["code"]
    for by in range(1, TRIES):
        assert verify(campaign, lead, other(code, by)).verdict == WRONG
    assert verify(campaign, lead, code).status == 200


def test_guesses_at_once(campaign):
    """of many simultaneous guesses, no more than five are compared, even if the right code is among the others"""
    lead = new_lead(campaign)
    code = make(campaign, lead)["code"]
    guesses = [other(code, by) for by in range(1, 25)]
    found = at_once([lambda guess=guess: verify(campaign, lead, guess).verdict for guess in guesses])
    assert found == [WRONG] * len(guesses) and tries(campaign, lead) == TRIES
    assert verify(campaign, lead, code).verdict == WRONG
    code = make(campaign, lead)["code"]
    wrong = [other(code, by) for by in range(1, TRIES)]
    found = at_once([lambda guess=guess: verify(campaign, lead, guess).status for guess in (*wrong, code)])
    assert sorted(found) in ([200, *[404] * by, *[409] * (TRIES - 1 - by)] for by in range(TRIES)), found


def test_the_right_code_at_once(campaign, service):
    """if the same code is sent several times at once, the lead is verified once"""
    campaign.webhook("verified")
    lead = new_lead(campaign)
    code = make(campaign, lead)["code"]
    found = at_once([lambda: verify(campaign, lead, code).status for _ in range(4)])
    assert 200 in found and set(found) <= {200, 404, 409}
    assert sql(campaign, f"SELECT COUNT(*) FROM lh_events WHERE lead_id = {lead['id']} AND campaign_id = {campaign.id}").strip() == "1"
    assert rows(campaign, lead) == "0"


def test_another_code_and_another_number(campaign):
    """a new code replaces the last one; after a change of the number there is no valid code; with the old number, its code is valid
    again"""
    lead = new_lead(campaign)
    old = make(campaign, lead)["code"]
    sql(campaign, f"UPDATE lh_lead_codes SET tries = 4 WHERE lead_id = {lead['id']}")
    code = make(campaign, lead)["code"]
    if old != code:
        assert verify(campaign, lead, old).verdict == WRONG
    campaign.lead(social_id=lead["social_id"], must_exist=True, phone_number="+14155559999")
    assert verify(campaign, lead, code).verdict == WRONG
    campaign.lead(social_id=lead["social_id"], must_exist=True, phone_number=lead["phone_number"])
    assert verify(campaign, lead, code).status == 200
    second = new_lead(campaign)
    assert verify(campaign, second, code).verdict == WRONG


def test_expiry_and_clean_up(campaign, service):
    """codes expire after ten minutes; the dispatcher removes expired codes and no others; codes of deleted leads expire"""
    gone, old, fresh = (new_lead(campaign) for _ in range(3))
    codes = [make(campaign, lead)["code"] for lead in (gone, old, fresh)]
    left = sql(campaign, f"SELECT expires_ms - UNIX_TIMESTAMP() * 1000 FROM lh_lead_codes WHERE channel = 1 AND lead_id = {fresh['id']}")
    assert 590_000 < float(left) <= 601_000
    sql(campaign, f"UPDATE lh_lead_codes SET expires_ms = expires_ms - 600001 WHERE lead_id IN ({gone['id']}, {old['id']})")
    assert verify(campaign, old, codes[1]).verdict == WRONG
    campaign.change("delete", social_id=gone["social_id"])
    service.dispatch()
    assert [rows(campaign, lead) for lead in (gone, old, fresh)] == ["0", "0", "1"]
    assert verify(campaign, fresh, codes[2]).status == 200


def test_nothing_readable_is_stored(campaign):
    """only hashes are stored, which depend on lead, number and code"""
    leads = [new_lead(campaign) for _ in range(2)]
    codes = [make(campaign, lead)["code"] for lead in leads]
    text = sql(campaign, "SELECT lead_id, HEX(address_hash), HEX(code_hash) FROM lh_lead_codes")
    for lead, code in zip(leads, codes):
        assert lead["phone_number"][1:] not in text and code.encode().hex().upper() not in text
    sql(campaign, f"UPDATE lh_lead_codes a JOIN lh_lead_codes b ON b.lead_id = {leads[0]['id']} "
                  f"SET a.code_hash = b.code_hash, a.address_hash = b.address_hash WHERE a.lead_id = {leads[1]['id']}")
    assert verify(campaign, leads[1], codes[0]).verdict == WRONG


def test_an_end_before_the_lead_is_verified(make_service):
    """503: if the call ends between comparison and verification, even by a kill, the code stays valid, but the try counts"""
    service = make_service(workers=2, settings=[("server", "request_timeout", "6s")])
    campaign = service.campaign()
    campaign.webhook("verified")
    lead = new_lead(campaign)
    code = make(campaign, lead)["code"]
    with locked_campaign(service, campaign):
        assert verify(campaign, lead, code).verdict == (503, "unavailable")
        assert tries(campaign, lead) == 1
    service.responders.kill()
    service.responders.start()
    service.wait_ready()
    assert not campaign.find(social_id=lead["social_id"])["verified_phone_number"]
    settles(lambda: verify(campaign, lead, code), 200)
    assert sql(campaign, f"SELECT COUNT(*) FROM lh_events WHERE lead_id = {lead['id']} AND campaign_id = {campaign.id}").strip() == "1"


def test_keys_and_states(service):
    """docs/api.md 3: a key is required, so that strangers cannot use up the tries; 6: codes work after the end of a campaign; suspended
    accounts"""
    account = service.account()
    campaign = service.campaign(account, points_verified=5)
    lead = new_lead(campaign)
    code = make(campaign, lead)["code"]
    assert verify(campaign, lead, code, key=None).verdict == (409, "missing_api_key")
    assert verify(campaign, lead, code, key="x").verdict == (409, "invalid_api_key")
    assert verify(campaign, lead, code, key=service.account().key).verdict == (404, "campaign_not_found")
    assert tries(campaign, lead) == 0
    campaign.end()
    settles(lambda: campaign.post({"email": "new@example.org"}), 423)
    assert verify(campaign, lead, code).status == 200
    service.installation.admin("account", "suspend", str(account.id))
    settles(lambda: verify(campaign, lead, code), 409, "account_suspended")


def test_the_command_refuses(campaign, refused):
    """leadhook(1) lead code: refuses unknown leads, leads without a number, and verified numbers"""
    lead, plain = new_lead(campaign), campaign.lead(email="plain@example.org")
    campaign.change("verify", social_id=lead["social_id"], channel="phone")
    number = str(campaign.id)
    for name, said in ((lead["social_id"], "the phone number of the lead is verified already"),
                       (plain["social_id"], "the lead has no phone number"), ("0000000000", "there is no such lead")):
        assert refused(DATA, "lead", "code", number, "--social-id", name) == f"leadhook: {said}\n"
    assert "there is no such campaign" in refused(DATA, "lead", "code", "4294967295", "--social-id", lead["social_id"])
    assert call(campaign.service.installation, "lead", "code", number).returncode != 0
