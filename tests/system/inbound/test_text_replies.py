# SPDX-License-Identifier: MIT
"""docs/inbound.md 3.2: texts that phones send back."""
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
    """other texts, and texts from other numbers, change nothing, make no lead, and are stored"""
    lead = new_lead(campaign)
    before = campaign.service.installation.sql(f"SELECT COUNT(*) FROM lh_leads WHERE campaign_id = {campaign.id}")
    for text in ("Don't stop", "STOPS", "", "NO", "I will stop by your shop", "stop by at 5", "No, text me"):
        answer = inbound(lead["phone_number"], text)
        assert (answer.status, answer.json["error"]) == (202, "invalid_parameter"), text
    answer = inbound("+4915199999999", "STOP")
    assert (answer.status, answer.json["error"]) == (202, "lead_not_found")
    assert inbound("", "STOP").json["error"] == "missing_identifier"
    assert opted_out(campaign, lead) == "0"
    assert campaign.service.installation.sql(f"SELECT COUNT(*) FROM lh_leads WHERE campaign_id = {campaign.id}") == before


@pytest.mark.parametrize("text", ["Stop\n", "Stop.", '"STOP"', "stop\r\n--\r\nNora", "ARRÊT", "ＳＴＯＰ", "🛑 stop 🛑",
                                  "STOP ALL", "Bitte abmelden", "Baja", "СТОП", "Keine Werbung mehr", "do not text me", "UNSUBSCRIBED",
                                  "Sair por favor", "Basta!", "please stop\u200b", "STOP\u0007"])
def test_as_people_type_it(campaign, text):
    """docs/inbound.md 3.2: keywords are recognized as people type them, in JSON and in forms"""
    lead = new_lead(campaign)
    made = campaign.post({"name": "texts", "map": {"phone_number": "msisdn", "__text": "text"}}, path="/inbound-webhook")
    path = "/inbound/" + made.json["url"].split("/inbound/", 1)[1]
    fields = {"msisdn": lead["phone_number"], "text": text}
    answer = campaign.client.request("POST", path, json_body=fields)
    assert answer.json == {"message": "Lead updated"} and opted_out(campaign, lead) == "1"
    assert campaign.client.request("POST", path, json_body={**fields, "text": "Start."}).status == 201 and opted_out(campaign, lead) == "0"
    if "\u0007" not in text:
        assert campaign.client.request("POST", path, form=fields).status == 201 and opted_out(campaign, lead) == "1"


@pytest.mark.parametrize("country", [None, "DE", "AT", "nonsense"])
@pytest.mark.parametrize("method", ["GET", "POST", "POST with a query", "number"])
def test_gateways(campaign, country, method):
    """docs/inbound.md 2, 3.2: gateways may send by GET, and without the plus sign of a number, whatever country the map has"""
    lead = new_lead(campaign)
    maps = {"phone_number": "msisdn", "__text": "text", **({"country_code": f'"{country}"'} if country else {})}
    made = campaign.post({"name": "texts", "map": maps}, path="/inbound-webhook")
    path = "/inbound/" + made.json["url"].split("/inbound/", 1)[1]
    fields = {"msisdn": lead["phone_number"][1:], "text": "STOP"}
    if method == "number":
        answer = campaign.client.request("POST", path, json_body={**fields, "msisdn": int(fields["msisdn"])})
    elif method == "POST":
        answer = campaign.client.request("POST", path, form=fields)
    else:
        answer = campaign.client.request(method.split()[0], path, query=fields)
    assert (answer.status, answer.json) == (201, {"message": "Lead updated"}), answer.body
    assert opted_out(campaign, lead) == "1"


def test_help(campaign, inbound, leadhook):
    """docs/inbound.md 3.2: a text that asks for help is stored, with the reason, and changes nothing"""
    lead = new_lead(campaign)
    for text in ("HELP", "Hilfe!", "ayuda", "Info"):
        answer = inbound(lead["phone_number"], text)
        assert answer.verdict == (202, "invalid_parameter") and "asks for help" in answer.json["reason"]
        assert "asks for help" in leadhook("inbound", "call", answer.json["id"])["message"]
    assert opted_out(campaign, lead) == "0"
