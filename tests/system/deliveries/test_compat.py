# SPDX-License-Identifier: MIT
"""docs/deliveries.md 2.1: webhooks of a campaign with the setting `compat`."""
import urllib.parse

import pytest
from payload import check_payload
from stack.receiver import Answer

ADA = {"email": "ada@example.org"}
LANDING = "https://shop.example/join"


@pytest.fixture
def campaign(service, account, receiver):
    return service.campaign(account, compat="on", landing_url=LANDING)


def tag(campaign, lead, name):
    """Tag the lead; return the tag's id."""
    tag_id = campaign.define("tag", name)
    assert campaign.post({"social_id": lead["social_id"]}, path=f"/tags/{tag_id}/lead").status == 200
    return tag_id


def pairs_of(delivery):
    assert delivery.verified and delivery.headers["content-type"] == "application/x-www-form-urlencoded"
    return urllib.parse.parse_qsl(delivery.body.decode(), keep_blank_values=True, strict_parsing=True)


def values_of(delivery, prefix):
    return [(name, value) for name, value in pairs_of(delivery) if name.startswith(prefix)]


@pytest.mark.parametrize("more", [{}, {"__skip_urls": "1", "__skip_actions": "1"}])
def test_json(service, campaign, more):
    """docs/deliveries.md 2.1: `url` follows `social_url`, no matter what the answer to the call contains, and is not in that answer;
    tag_id is a string"""
    campaign.webhook("new_signup", "tagged", "deleted")
    answer = campaign.lead(**ADA, **more)
    assert "url" not in answer
    tag_id = tag(campaign, answer, "VIP")
    campaign.change("delete", social_id=answer["social_id"])
    service.dispatch()
    by_event = {one.json["__event"]: one.json for one in campaign.delivered(3)}
    for name, extra in (("new_signup", []), ("tagged", ["__tagged"]), ("deleted", [])):
        lead = check_payload(by_event[name], extra=["url", "__event", *extra])
        assert lead["url"] == f"{LANDING}?kid={lead['social_id']}"
        assert list(lead).index("url") == list(lead).index("social_url") + 1
    assert by_event["tagged"]["__tagged"] == {"tag_id": str(tag_id), "name": "VIP", "points": 0}
    assert by_event["tagged"]["tags"] == [{"tag_id": tag_id, "name": "VIP"}]


def test_form(service, campaign):
    """docs/deliveries.md 2.1, 2.2: arrays of plain values have no index, arrays of objects have one"""
    campaign.webhook("marked_as_fraudulent", "tagged", format="form")
    lead = campaign.lead(**ADA, colors=["red & blue", "", True], size=["L"])
    first, second = tag(campaign, lead, "one"), tag(campaign, lead, "two")
    campaign.change("block", social_id=lead["social_id"])
    service.dispatch()
    deliveries = {dict(pairs_of(one))["__event"]: one for one in campaign.delivered(3)}
    assert values_of(deliveries["marked_as_fraudulent"], "__fraudulent") == [("__fraudulent[]", "manual")]
    tagged = deliveries["tagged"]
    assert sorted(values_of(tagged, "custom_fields")) == [
        ("custom_fields[colors][]", ""), ("custom_fields[colors][]", "red & blue"), ("custom_fields[colors][]", "true"),
        ("custom_fields[size][]", "L")]
    assert values_of(deliveries["marked_as_fraudulent"], "tags") == [
        ("tags[0][tag_id]", str(first)), ("tags[0][name]", "one"), ("tags[1][tag_id]", str(second)), ("tags[1][name]", "two")]
    assert dict(pairs_of(tagged))["url"] == f"{LANDING}?kid={lead['social_id']}"


def test_events_are_frozen(service, receiver, campaign):
    """docs/deliveries.md 2.1: a change of the setting does not affect existing events, neither their retries nor their redelivery"""
    webhook = campaign.webhook("new_signup", format="form")

    def bodies(email, count):
        found = [one.body for one in campaign.delivered(count) if email in one.body]
        assert len(set(found)) == 1, "each attempt has the same bytes"
        return found[0]

    def send_again(value):
        service.installation.admin("campaign", "set", str(campaign.id), f"compat={value}")
        words = ["--webhook", str(webhook["referenceId"])]
        service.installation.admin("delivery", "redeliver", *words)
        service.dispatch()
    receiver.script(campaign.hook, Answer(500), Answer(200))
    campaign.lead(email="a@example.org", list=["x", "y"])
    service.dispatch()
    send_again("off")
    campaign.lead(email="b@example.org", list=["x", "y"])
    service.dispatch()
    send_again("on")
    send_again("off")
    compat, plain = bodies(b"a%40example.org", 7), bodies(b"b%40example.org", 7)
    assert b"custom_fields%5Blist%5D%5B%5D=x&custom_fields%5Blist%5D%5B%5D=y&" in compat and b"&url=" in compat
    assert b"custom_fields%5Blist%5D%5B0%5D=x&custom_fields%5Blist%5D%5B1%5D=y&" in plain and b"&url=" not in plain


def test_events_of_older_programs(service, campaign):
    """docs/deliveries.md 2.1: an event from a program that does not know the setting is sent as with `compat` off"""
    campaign.webhook("new_signup", format="form")
    campaign.lead(**ADA, list=["x"])
    service.installation.sql(f"UPDATE lh_events SET form_brackets = DEFAULT WHERE campaign_id = {campaign.id}")
    service.dispatch()
    [delivery] = campaign.delivered(1)
    assert values_of(delivery, "custom_fields") == [("custom_fields[list][0]", "x")]


def test_webhook_test(service, campaign):
    """leadhook(1) webhook test: it is sent in the same form as events"""
    webhook = campaign.webhook("new_signup")
    assert service.installation.admin("webhook", "test", str(webhook["referenceId"]))["ok"]
    [delivery] = campaign.delivered(1)
    assert check_payload(delivery.json, extra=["url", "__event"])["url"] == f"{LANDING}?kid=0000000000"
