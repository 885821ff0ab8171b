# SPDX-License-Identifier: MIT
"""docs/inbound.md 3.1: texts that phones send back."""
import itertools

import pytest

numbers = itertools.count(0)


@pytest.fixture
def inbound(campaign):
    made = campaign.post({"name": "texts", "map": {"phone_number": "From", "__text": "Body"}}, path="/inbound-webhook")
    assert made.status == 200, made.json
    path = made.json["url"].split("/inbound/", 1)[1]

    def send(number, text):
        return campaign.client.request("POST", f"/inbound/{path}", form={"From": number, "Body": text})
    return send


def opted_out(campaign, lead):
    return campaign.service.installation.sql(f"SELECT sms_opted_out FROM lh_leads WHERE id = {lead['id']}").strip()


def new_lead(campaign):
    return campaign.lead(phone_number=f"+49151{1000000 + next(numbers)}")


def test_keywords(campaign, inbound):
    lead = new_lead(campaign)
    for stop, start in itertools.zip_longest(("STOP", "stop", "Stopall", "UNSUBSCRIBE", "cancel", " end ", "Quit", "Stopp"),
                                             ("START", "unstop", "Yes"), fillvalue="start"):
        answer = inbound(lead["phone_number"], stop)
        assert (answer.status, answer.json) == (201, {"message": "Lead updated"}), stop
        assert opted_out(campaign, lead) == "1", stop
        assert inbound(lead["phone_number"], start).status == 201
        assert opted_out(campaign, lead) == "0", start


def test_other_texts_and_numbers(campaign, inbound):
    """they change nothing, make no lead, and are stored"""
    lead = new_lead(campaign)
    before = campaign.service.installation.sql(f"SELECT COUNT(*) FROM lh_leads WHERE campaign_id = {campaign.id}")
    for text in ("please stop", "STOPS", "", "NO"):
        answer = inbound(lead["phone_number"], text)
        assert (answer.status, answer.json["error"]) == (202, "invalid_parameter"), text
    answer = inbound("+4915199999999", "STOP")
    assert (answer.status, answer.json["error"]) == (202, "lead_not_found")
    assert inbound("", "STOP").json["error"] == "missing_identifier"
    assert opted_out(campaign, lead) == "0"
    assert campaign.service.installation.sql(f"SELECT COUNT(*) FROM lh_leads WHERE campaign_id = {campaign.id}") == before
