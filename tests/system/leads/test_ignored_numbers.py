# SPDX-License-Identifier: MIT
"""docs/api.md 4.4: an invalid number with a valid email address does not prevent a lead, whichever call is used."""
import json
import re

import pytest
from client import multipart

ADA = {"email": "ada@example.org"}
BAD = ["0171 1234567", "4.91711E+11", "call me", "+49 171 1234567 / +49 30 1234567", "+4917112345678901"]


def check(campaign, answer, typed, email=ADA["email"]):
    assert answer["ignored"]["phone_number"]["error"] == "invalid_phone_number", answer
    found = campaign.find(email=email)
    assert found["phone_number"] is None and found["custom_fields"]["invalid_phone_number"] == typed


@pytest.mark.parametrize("typed", BAD)
def test_every_body(campaign, typed):
    """in JSON, forms, multipart forms and queries; answers to strangers and to callers with a key report it"""
    fields = {**ADA, "phone_number": typed}
    type, body = multipart(fields.items())
    for key in (None, campaign.key):
        def send(**more):
            return campaign.client.request("POST", campaign.path, key=key, **more).json
        for answer in (send(json_body=fields), send(form=fields), send(body=body, type=type), send(query=fields, body=b"")):
            check(campaign, answer, typed)


@pytest.mark.parametrize("typed", BAD)
def test_older_paths(campaign, typed):
    """docs/api.md 4.1.6: subscribe by POST and GET, and by a script"""
    path, fields = f"/v1/{campaign.id}/subscribe", {**ADA, "phone_number": typed}
    check(campaign, campaign.client.request("POST", path, form=fields).json, typed)
    check(campaign, campaign.client.request("GET", path, query=fields).json, typed)
    script = campaign.client.request("GET", path, query={**fields, "jsonp": "take"}).body.decode()
    check(campaign, json.loads(re.search(r"take\((.*)\)", script, re.DOTALL).group(1)), typed)
    strict = campaign.client.request("POST", path, form={**fields, "__strict": "1"})
    assert strict.verdict == (406, "invalid_phone_number")


def test_updates_and_tags(campaign):
    """a known lead keeps its number; the call that tags a lead also reports the invalid number"""
    good = campaign.lead(**ADA, phone_number="+14155552671")
    answer = campaign.lead(**ADA, phone_number="none of your business", plan="pro")
    assert answer["phone_number"] == good["phone_number"] and answer["ignored"] and answer["custom_fields"]["plan"] == "pro"
    tag = campaign.service.installation.admin("tag", "add", str(campaign.id), "vip")["id"]
    bob = campaign.post({"email": "bob@example.org", "phone_number": "12"}, path=f"/tags/{tag}/lead").json
    check(campaign, bob, "12", "bob@example.org")


def test_the_kept_text_has_limits(campaign):
    """docs/api.md 4.4: 200 bytes in whole characters; a field of this name that is sent takes precedence; without room, the text is left
    out"""
    assert campaign.lead(**ADA, phone_number="é" * 150)["custom_fields"] == {"invalid_phone_number": "é" * 100}
    sent = campaign.lead(email="b@example.org", phone_number="no", invalid_phone_number="mine")
    assert sent["custom_fields"] == {"invalid_phone_number": "mine"}
    full = {f"f{number}": "x" for number in range(50)}
    assert campaign.lead(email="c@example.org", phone_number="no", **full)["custom_fields"] == full
    assert campaign.lead(email="b@example.org", invalid_phone_number=None)["custom_fields"] == {}


def test_a_bad_address_beside_a_good_number(campaign):
    """docs/api.md 4.4: an invalid email address with a valid number is an error"""
    assert campaign.post({"email": "ada@", "phone_number": "+14155552671"}).verdict == (406, "invalid_email")
    assert campaign.stats()["total"] == 0


def test_withheld_leads(service):
    """docs/api.md 4.1.11: the answer about a withheld lead also reports the number, so it shows nothing about the lead"""
    campaign = service.campaign(public_lookup="social_id", public_update="own")
    campaign.lead(**ADA)
    answers = [campaign.post({"email": f"{name}@example.org", "phone_number": "12"}, key=None).json for name in ("ada", "new")]
    assert all(answer["ignored"]["phone_number"]["error"] == "invalid_phone_number" for answer in answers)
