# SPDX-License-Identifier: MIT
"""docs/api.md 4.7, docs/requirements.md Events: each of the twelve events at a receiver, with its extra field and signature; the
events of one command in the documented order."""
import pytest
from payload import check_payload

EVENTS = ("new_signup repeat_signup marked_as_fraudulent new_signup_not_excluded opted_out phone_number_opt_out verified tagged "
          "score_change reward_level referral deleted").split()
EXTRA = {"score_change": "__score_change", "marked_as_fraudulent": "__fraudulent", "referral": "__referral", "tagged": "__tagged",
         "reward_level": "__reward_level"}
ADA, BOB = {"email": "ada@example.org"}, {"email": "bob@example.org"}
NUMBER = "+14155552671"
NEW = ["new_signup", "new_signup_not_excluded"]


@pytest.fixture(scope="module")
def service(make_service, make_folder):
    hosts = make_folder() / "disposable.txt"
    hosts.write_text("# for a day\nmailinator.example\n\nTRASH.example  # in any case\n")
    return make_service(settings=[("lead", "disposable_domains_file", hosts)])


class EventLog:
    """The events of a campaign, received through a webhook that subscribes to all of them."""

    def __init__(self, campaign):
        self.campaign, self.seen = campaign, set()
        campaign.webhook(*EVENTS)

    def new_payloads(self):
        """Return the new payloads, in the order of their creation."""
        installation, hook = self.campaign.service.installation, self.campaign.hook
        self.campaign.service.dispatch()
        assert installation.sql("SELECT COUNT(*) FROM lh_due") == installation.sql("SELECT COUNT(*) FROM lh_bulk_jobs") == "0"
        new = {int(one.headers["webhook-id"].rsplit("_", 1)[1]): one for one in self.campaign.service.receiver.at(hook)}
        new = {number: new[number] for number in sorted(new) if number not in self.seen}
        self.seen.update(new)
        assert all(one.verified for one in new.values())
        for one in new.values():
            check_payload(one.json, extra=["__event", *([EXTRA[one.event]] if one.event in EXTRA else [])])
        return [one.json for one in new.values()]

    def names(self):
        return names(self.new_payloads())


def names(payloads):
    return [payload["__event"] for payload in payloads]


def only(payloads, event):
    """Return the only payload of that event."""
    [payload] = [payload for payload in payloads if payload["__event"] == event]
    return payload


def core(payload):
    """Return the lead without event fields."""
    return {name: value for name, value in payload.items() if not name.startswith("__")}


@pytest.fixture
def events(service, receiver, campaign):
    return EventLog(campaign)


def test_all_at_once(service, receiver, account):
    """docs/api.md 4.7, order: events of one command are ordered by kind, and within a kind by lead"""
    campaign = service.campaign(account, points_signup=5, points_direct=3, points_indirect=2, waitlist="on")
    level = campaign.define("reward", "Mug", "--required-points", 5, "--emailed")
    events = EventLog(campaign)
    ada = campaign.lead(**ADA, points=2)
    assert names(events.new_payloads()) == [*NEW, "score_change", "reward_level"]
    bob = campaign.lead(**BOB, kid=ada["social_id"])
    events.new_payloads()
    eve = campaign.lead(email="eve@example.org", phone_number=NUMBER, kid=bob["social_id"])
    payloads = events.new_payloads()
    assert [(one["__event"], one["id"]) for one in payloads] == [
        ("new_signup", eve["id"]), ("new_signup_not_excluded", eve["id"]),
        ("score_change", ada["id"]), ("score_change", bob["id"]), ("score_change", eve["id"]), ("reward_level", eve["id"]),
        ("referral", bob["id"])]
    changes = [one["__score_change"] for one in payloads if one["__event"] == "score_change"]
    assert changes == [
        {"previous_contest_score": 10, "current_contest_score": 12, "delta": 2, "reason": "referral"},
        {"previous_contest_score": 5, "current_contest_score": 8, "delta": 3, "reason": "referral"},
        {"previous_contest_score": 0, "current_contest_score": 5, "delta": 5, "reason": "signup"}]
    assert only(payloads, "reward_level")["__reward_level"] == \
        {"reward_level_id": level, "subject": "Mug", "required_points": 5, "emailed": True}
    assert only(payloads, "referral")["__referral"] == \
        {"social_id": eve["social_id"], "email": "eve@example.org", "phone_number": NUMBER}
    # each payload has the lead as it is after the command
    for payload in payloads:
        assert core(payload) == campaign.find(social_id=payload["social_id"])


def test_referral_omits_absent_fields(events, campaign):
    """`__referral`: absent fields are omitted"""
    ada = campaign.lead(**ADA)
    campaign.lead(phone_number=NUMBER, kid=ada["social_id"])
    assert set(only(events.new_payloads(), "referral")["__referral"]) == {"social_id", "phone_number"}


def test_repeat_signup(events, campaign):
    campaign.lead(**ADA)
    assert events.names() == NEW
    campaign.lead(**ADA)
    assert events.names() == ["repeat_signup"]
    campaign.lead(**ADA, points=4)
    payloads = events.new_payloads()
    assert names(payloads) == ["repeat_signup", "score_change"]
    assert payloads[1]["__score_change"]["reason"] == "custom"


@pytest.mark.parametrize("host", ["mailinator.example", "mx.mailinator.example", "Trash.EXAMPLE"])
def test_flagged_at_sign_up(events, campaign, host):
    """docs/api.md 4.6 disposable_email: hosts of the list file, and their subdomains"""
    campaign.lead(email=f"a@{host}")
    payloads = events.new_payloads()
    assert names(payloads) == ["new_signup", "marked_as_fraudulent"]
    assert payloads[1]["__fraudulent"] == ["disposable_email"] and payloads[0]["fraudulent"] is True


def test_several_flags(service, receiver, account):
    """`__fraudulent`: array of flag names; the lead's own score is booked as usual"""
    campaign = service.campaign(account, points_signup=1, max_per_ip=1, blocked_email_domains="trash.example",
                                blocked_referrers="spam.example")
    events = EventLog(campaign)
    first = {"email": "a@example.org", "__source": "form", "ip": "192.0.2.7"}
    campaign.lead(**first)
    assert events.names() == [*NEW, "score_change"]
    campaign.lead(**{**first, "email": "b@trash.example", "__referrer": "https://www.spam.example/x"})
    payloads = events.new_payloads()
    assert names(payloads) == ["new_signup", "marked_as_fraudulent", "score_change"]
    assert sorted(payloads[1]["__fraudulent"]) == ["blocked_email_domain", "blocked_referrer", "disposable_email", "duplicate_ip"]


def test_opting_out(events, campaign):
    lead = campaign.lead(**ADA, phone_number=NUMBER)
    events.new_payloads()
    assert campaign.bulk("optout", ADA) == 1
    [payload] = events.new_payloads()
    assert payload["__event"] == "opted_out" and payload["opted_out"] is True and payload["sms_opted_out"] is False
    assert campaign.bulk("sms_optout", {"kid": lead["social_id"]}) == 1
    [payload] = events.new_payloads()
    assert payload["__event"] == "phone_number_opt_out" and payload["sms_opted_out"] is True
    campaign.bulk("optout", ADA)
    campaign.bulk("sms_optout", ADA)
    assert events.names() == []


def test_verified(events, campaign):
    """`verified` becomes true; verifying the second channel causes no event"""
    campaign.lead(**ADA, phone_number=NUMBER)
    events.new_payloads()
    campaign.bulk("verify", {**ADA, "channel": "phone"})
    [payload] = events.new_payloads()
    assert payload["__event"] == "verified" and payload["verified_phone_number"] is True and payload["verified_email"] is False
    campaign.bulk("verify", ADA)
    assert events.names() == []
    assert campaign.find(**ADA)["verified_email"] is True


@pytest.mark.parametrize("bulk", [True, False])
def test_tagged(events, campaign, bulk):
    """A tag is newly applied, by any call; it books its points and completes the actions bound to it"""
    tag = campaign.define("tag", "VIP", "--points", 7)
    action = campaign.define("action", "Become a VIP", "--points", 2, "--tag", tag)
    level = campaign.define("reward", "Cap", "--required-points", 9)
    campaign.lead(**ADA)
    events.new_payloads()

    def apply():
        if bulk:
            assert campaign.bulk("tag", {**ADA, "tag": "VIP"}) == 1
        else:
            assert campaign.post(ADA, path=f"/tags/{tag}/lead").status == 200
    apply()
    payloads = events.new_payloads()
    assert names(payloads) == ["tagged", "score_change", "reward_level"]
    assert payloads[0]["__tagged"] == {"tag_id": tag, "name": "VIP", "points": 7}
    assert payloads[0]["tags"] == [{"tag_id": tag, "name": "VIP"}] and payloads[0]["completed_actions"] == [action]
    assert payloads[1]["__score_change"] == \
        {"previous_contest_score": 0, "current_contest_score": 9, "delta": 9, "reason": "action"}
    assert payloads[2]["__reward_level"] == {"reward_level_id": level, "subject": "Cap", "required_points": 9, "emailed": False}
    apply()
    assert events.names() == []


def test_score_change(events, campaign):
    """Once per request and lead; delta is the actual change"""
    campaign.lead(**ADA)
    campaign.lead(**BOB)
    events.new_payloads()

    def points(number):
        assert campaign.post({"emails": [ADA["email"], BOB["email"]], "points": number}, path="/points").status == 200
        return [one["__score_change"] for one in events.new_payloads()]
    assert points(5) == [{"previous_contest_score": 0, "current_contest_score": 5, "delta": 5, "reason": "custom"}] * 2
    assert points(-8) == [{"previous_contest_score": 5, "current_contest_score": 0, "delta": -5, "reason": "custom"}] * 2
    assert points(-1) == points(0) == []


def test_blocked_and_approved(events, campaign):
    """marked_as_fraudulent; the first approval of a lead that was flagged at sign-up announces the lead; credit is removed and
    restored"""
    ada = campaign.lead(**ADA)
    campaign.lead(**BOB, kid=ada["social_id"])
    events.new_payloads()
    campaign.bulk("block", {**BOB, "reason": "bounced"})
    payloads = events.new_payloads()
    assert names(payloads) == ["marked_as_fraudulent", "score_change"]
    assert payloads[0]["__fraudulent"] == ["bounced"] and payloads[0]["email"] == BOB["email"]
    assert payloads[1]["__score_change"] == \
        {"previous_contest_score": 1, "current_contest_score": 0, "delta": -1, "reason": "fraud"}
    assert payloads[1]["email"] == ADA["email"] and payloads[1]["referrals"] == 0
    campaign.bulk("approve", BOB)
    payloads = events.new_payloads()
    assert names(payloads) == ["score_change"]  # new_signup and the referrer's events came before
    assert payloads[0]["__score_change"]["reason"] == "approve" and payloads[0]["referrals"] == 1
    campaign.lead(email="eve@trash.example")
    assert events.names() == ["new_signup", "marked_as_fraudulent"]
    for _ in range(2):
        campaign.bulk("approve", {"email": "eve@trash.example"})
        campaign.bulk("block", {"email": "eve@trash.example"})
    assert events.names() == ["new_signup_not_excluded", "marked_as_fraudulent", "marked_as_fraudulent"]


def test_a_referral_that_waits_for_verification(service, receiver, account):
    """referral: when it is credited, once per referred lead"""
    campaign = service.campaign(account, require_verification="on", points_direct=4, points_verified=2)
    events = EventLog(campaign)
    ada = campaign.lead(**ADA)
    bob = campaign.lead(**BOB, kid=ada["social_id"])
    assert events.names() == [*NEW, *NEW]
    campaign.bulk("verify", BOB)
    payloads = events.new_payloads()
    assert [(one["__event"], one["id"]) for one in payloads] == \
        [("verified", bob["id"]), ("score_change", ada["id"]), ("referral", ada["id"])]
    assert payloads[1]["__score_change"] == \
        {"previous_contest_score": 0, "current_contest_score": 6, "delta": 6, "reason": "verified"}
    campaign.bulk("block", BOB)
    campaign.bulk("approve", BOB)
    assert "referral" not in events.names()
    assert campaign.find(**ADA)["contest_score"] == 6


def test_deleted(events, campaign):
    """the payload is that from before the deletion"""
    ada = campaign.lead(**ADA, plan="gold")
    events.new_payloads()
    assert campaign.bulk("delete", ADA) == 1
    [payload] = events.new_payloads()
    assert payload["__event"] == "deleted" and core(payload) == ada
    assert campaign.get(ADA).verdict == (404, "lead_not_found")


def test_waitlist_changes_make_no_event(service, receiver, account):
    """docs/api.md 4.7 has no such event"""
    campaign = service.campaign(account, waitlist="on")
    events = EventLog(campaign)
    campaign.lead(**ADA)
    campaign.bulk("unwaitlist", ADA)
    campaign.bulk("waitlist", ADA)
    assert events.names() == NEW


def test_after_the_end(events, campaign):
    """docs/api.md 6: changes of state cause events, but no points are booked; bulk work that was queued before is carried out"""
    tag = campaign.define("tag", "late", "--points", 3)
    ada = campaign.lead(**ADA)
    campaign.lead(**BOB, kid=ada["social_id"])
    events.new_payloads()
    campaign.bulk("tag", {**ADA, "tag_id": tag})
    campaign.service.installation.admin("campaign", "end", str(campaign.id))
    campaign.bulk("block", BOB)
    campaign.bulk("verify", BOB)
    campaign.bulk("delete", BOB)
    assert events.names() == ["tagged", "marked_as_fraudulent", "verified", "deleted"]
    assert campaign.find(**ADA)["contest_score"] == 1
