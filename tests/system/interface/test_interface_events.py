# SPDX-License-Identifier: MIT
"""docs/requirements.md, Events, sentence by sentence, as a receiver sees them, for a campaign that was created without any setting. Each
docstring names the section and the row that its test is about."""
import urllib.parse

import pytest
from interface import ACTIONS, COMMON, EVENTS, KEYED, PERSONAL, URLS, sign_up
from stack.receiver import Answer

ADA, BOB = {"email": "ada@example.org"}, {"email": "bob@example.org"}
NUMBER = "+14155552671"
WHOLE = {*COMMON, *PERSONAL, *KEYED, *URLS, *ACTIONS}
EXTRAS = {"score_change": "__score_change", "marked_as_fraudulent": "__fraudulent", "referral": "__referral", "tagged": "__tagged",
          "reward_level": "__reward_level"}


@pytest.fixture(scope="module")
def service(front, make_service):
    made = make_service(front=front, workers=4, settings=[("dispatch", "form_urls", "markettool")])
    yield made
    made.stop()


@pytest.fixture
def campaign(service, account, receiver):
    return service.plain_campaign(account)


def arrived(campaign):
    """Deliver what is due; return all payloads so far, in the order of their events."""
    campaign.service.dispatch()
    found = campaign.service.receiver.at(campaign.hook)
    assert all(one.verified for one in found)
    return [one.json for one in sorted(found, key=lambda one: int(one.headers["webhook-id"].rsplit("_", 1)[1]))]


def of(payloads, event):
    return [payload for payload in payloads if payload["__event"] == event]


def test_every_event(campaign):
    """Event names, each row: the event arrives once, with its additional field"""
    tag = campaign.define("tag", "VIP", "--points", 7)
    level = campaign.define("reward", "Mug", "--required-points", 8, "--emailed")
    assert campaign.webhook(*EVENTS)["events"]
    ada = sign_up(campaign, **ADA, phone_number=NUMBER)
    sign_up(campaign, **ADA)
    bob = sign_up(campaign, **BOB, kid=ada["social_id"])
    assert campaign.post(ADA, path=f"/tags/{tag}/lead").status == 200
    for action in ("verify", "optout", "sms_optout"):
        campaign.bulk(action, ADA)
    arrived(campaign)
    campaign.bulk("block", BOB)
    arrived(campaign)
    campaign.bulk("delete", ADA)
    payloads = arrived(campaign)
    assert {payload["__event"] for payload in payloads} == set(EVENTS)
    counts = {name: len(of(payloads, name)) for name in EVENTS}
    assert counts == {**dict.fromkeys(EVENTS, 1), "new_signup": 2, "new_signup_not_excluded": 2, "score_change": 3}
    for payload in payloads:  # Delivery format: "the common lead payload plus the field `__event`"
        extra = {EXTRAS[payload["__event"]]} if payload["__event"] in EXTRAS else set()
        assert WHOLE <= payload.keys() and {name for name in payload if name.startswith("__")} == {"__event", *extra}
        assert payload["campaign_id"] == payload["list_id"] == campaign.id
    for name in ("repeat_signup", "tagged", "reward_level", "verified", "opted_out", "phone_number_opt_out", "referral", "deleted"):
        assert [payload["social_id"] for payload in of(payloads, name)] == [ada["social_id"]]
    [fraud] = of(payloads, "marked_as_fraudulent")
    assert (fraud["fraudulent"], fraud["social_id"]) == (True, bob["social_id"])
    assert {name: of(payloads, event)[0][name] for event, name in EXTRAS.items()} == {
        "__score_change": {"previous_contest_score": 0, "current_contest_score": 1, "delta": 1, "reason": "referral"},
        "__fraudulent": ["manual"], "__referral": {"social_id": bob["social_id"], **BOB},
        "__tagged": {"tag_id": tag, "name": "VIP", "points": 7},
        "__reward_level": {"reward_level_id": level, "subject": "Mug", "required_points": 8, "emailed": True}}


def test_referred_lead(campaign):
    """referral: "the referred lead's social_id and, when available, email and/or phone_number"."""
    campaign.webhook("referral")
    ada = sign_up(campaign, **ADA)
    people = [{"phone_number": NUMBER}, BOB, {"email": "eve@example.org", "phone_number": "+14155552672"}]
    made = [sign_up(campaign, **fields, kid=ada["social_id"]) for fields in people]
    found = [payload["__referral"] for payload in arrived(campaign)]
    assert found == [{"social_id": lead["social_id"], **fields} for lead, fields in zip(made, people)]


def test_a_lead_that_was_excluded(campaign):
    """new_signup_not_excluded, marked_as_fraudulent: for a lead that is fraudulent at sign-up, the former comes when it is approved"""
    campaign.service.installation.admin("campaign", "set", str(campaign.id), "blocked_email_domains=spam.example")
    campaign.webhook("new_signup", "new_signup_not_excluded", "marked_as_fraudulent")
    sign_up(campaign, email="a@spam.example")
    [new, marked] = arrived(campaign)
    assert (new["__event"], marked["__event"], marked["__fraudulent"]) == ("new_signup", "marked_as_fraudulent", ["blocked_email_domain"])
    campaign.bulk("approve", {"email": "a@spam.example"})
    assert [payload["__event"] for payload in arrived(campaign)][2:] == ["new_signup_not_excluded"]


def test_subscriptions(campaign, service, account):
    """Events: "when a subscribed event happens on the campaign": no other events, no other campaigns; several URLs"""
    other, receiver = service.plain_campaign(account), service.receiver
    campaign.webhook("repeat_signup")
    campaign.webhook("new_signup", "repeat_signup", below="/second")
    for _ in range(2):
        sign_up(campaign, **ADA)
        sign_up(other, **ADA)
    assert [payload["__event"] for payload in arrived(campaign)] == ["repeat_signup"]
    assert sorted(one.event for one in receiver.at(campaign.hook + "/second")) == ["new_signup", "repeat_signup"]
    assert receiver.at(other.hook) == []
    campaign.delete({"url": receiver.url(campaign.hook)}, path="/outbound-webhook")
    sign_up(campaign, **ADA)
    assert len(arrived(campaign)) == 1 and len(receiver.at(campaign.hook + "/second")) == 3


def test_delivery_format(campaign):
    """Delivery format 1, 2: "Content-Type `application/json`, body a JSON string of the payload, User-Agent `<service_name>`"."""
    campaign.webhook("new_signup")
    sign_up(campaign, **ADA, plan="gold")
    [payload] = arrived(campaign)
    [delivery] = campaign.service.receiver.at(campaign.hook)
    assert delivery.headers["content-type"] == "application/json"
    assert delivery.headers["user-agent"] == campaign.service.installation.setting("server", "service_name", "Leadhook")
    assert payload == {**campaign.find(**ADA), "__event": "new_signup"}


def test_form_encoded(campaign):
    """Delivery format 3: a webhook of the legacy format, and one whose URL has a configured name, get a form"""
    service = campaign.service
    campaign.webhook("new_signup", format="form")
    campaign.webhook("new_signup", below="/MarketTool/in")
    campaign.webhook("new_signup", below="/other")
    lead = sign_up(campaign, **ADA)
    service.dispatch()
    for below in ("", "/MarketTool/in"):
        [delivery] = service.receiver.at(campaign.hook + below)
        assert delivery.headers["content-type"] == "application/x-www-form-urlencoded"
        fields = dict(urllib.parse.parse_qsl(delivery.body.decode(), keep_blank_values=True, strict_parsing=True))
        assert (fields["__event"], fields["social_id"], fields["email"]) == ("new_signup", lead["social_id"], ADA["email"])
    [delivery] = service.receiver.at(campaign.hook + "/other")
    assert delivery.headers["content-type"] == "application/json"


def test_at_least_once(campaign):
    """Delivery format 4, 5: a delivery that the receiver does not answer with 2xx is sent again, with the same "social_id, campaign_id,
    list_id and __event"; others are not"""
    campaign.service.receiver.script(campaign.hook, Answer(500), Answer(200))
    webhook = campaign.webhook("new_signup", "repeat_signup")
    sign_up(campaign, **ADA)
    assert len(arrived(campaign)) == 1
    campaign.service.installation.admin("delivery", "redeliver", "--webhook", str(webhook["referenceId"]))
    first, second = arrived(campaign)
    assert all(first[name] == second[name] for name in ("social_id", "campaign_id", "list_id", "__event"))
    sign_up(campaign, **ADA)
    assert [payload["__event"] for payload in arrived(campaign)] == ["new_signup", "new_signup", "repeat_signup"]
    assert len(arrived(campaign)) == 3


def test_by_the_api_alone(service, account, receiver):
    """Event names: each event when it is the only one subscribed, so that no event depends on another"""
    causes = {"new_signup": (), "new_signup_not_excluded": (), "repeat_signup": ("again",), "opted_out": ("optout",),
              "phone_number_opt_out": ("sms_optout",), "verified": ("verify",), "marked_as_fraudulent": ("block",), "deleted": ("delete",)}
    campaigns = {}
    for event, actions in causes.items():
        campaign = campaigns[event] = service.plain_campaign(account)
        campaign.webhook(event)
        sign_up(campaign, **ADA, phone_number=NUMBER)
        for action in actions:
            if action == "again":
                sign_up(campaign, **ADA)
            else:
                campaign.bulk(action, ADA)
    service.dispatch()
    for event, campaign in campaigns.items():
        assert [one.event for one in campaign.delivered(1)] == [event]
    assert len(receiver.deliveries) == len(causes)
