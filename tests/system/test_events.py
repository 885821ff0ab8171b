# SPDX-License-Identifier: MIT
"""docs/api.md 4.7, docs/requirements.md Events: each of the twelve, at a receiver, with its extra field and its signature; those of one command
in the documented order."""
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


class Told:
    """What a webhook of all events was told by each call."""

    def __init__(self, campaign):
        self.campaign, self.known = campaign, set()
        campaign.webhook(*EVENTS)

    def now(self):
        """The new payloads, in the order in which they were made."""
        installation, hook = self.campaign.service.installation, self.campaign.hook
        self.campaign.service.dispatch()
        assert installation.sql("SELECT COUNT(*) FROM lh_due") == installation.sql("SELECT COUNT(*) FROM lh_bulk_jobs") == "0"
        new = {int(one.headers["webhook-id"].rsplit("_", 1)[1]): one for one in self.campaign.service.receiver.at(hook)}
        new = {number: new[number] for number in sorted(new) if number not in self.known}
        self.known.update(new)
        assert all(one.verified for one in new.values())
        for one in new.values():
            check_payload(one.json, extra=["__event", *([EXTRA[one.event]] if one.event in EXTRA else [])])
        return [one.json for one in new.values()]

    def names(self):
        return names(self.now())


def names(payloads):
    return [payload["__event"] for payload in payloads]


def only(payloads, event):
    """The one payload of that event."""
    [payload] = [payload for payload in payloads if payload["__event"] == event]
    return payload


def core(payload):
    """The lead alone."""
    return {name: value for name, value in payload.items() if not name.startswith("__")}


@pytest.fixture
def told(service, receiver, campaign):
    return Told(campaign)


def test_all_at_once(service, receiver, account):
    """4.7, order: those of one command, by kind, several of a kind by lead"""
    campaign = service.campaign(account, points_signup=5, points_direct=3, points_indirect=2, waitlist="on")
    level = campaign.define("reward", "Mug", "--required-points", 5, "--emailed")
    told = Told(campaign)
    ada = campaign.lead(**ADA, points=2)
    assert names(told.now()) == [*NEW, "score_change", "reward_level"]
    bob = campaign.lead(**BOB, kid=ada["social_id"])
    told.now()
    eve = campaign.lead(email="eve@example.org", phone_number=NUMBER, kid=bob["social_id"])
    payloads = told.now()
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
    # each payload is its lead as the command left it
    for payload in payloads:
        assert core(payload) == campaign.find(social_id=payload["social_id"])


def test_a_referral_says_no_more_than_there_is(told, campaign):
    """`__referral`: absent ones left out"""
    ada = campaign.lead(**ADA)
    campaign.lead(phone_number=NUMBER, kid=ada["social_id"])
    assert set(only(told.now(), "referral")["__referral"]) == {"social_id", "phone_number"}


def test_repeat_signup(told, campaign):
    campaign.lead(**ADA)
    assert told.names() == NEW
    campaign.lead(**ADA)
    assert told.names() == ["repeat_signup"]
    campaign.lead(**ADA, points=4)
    payloads = told.now()
    assert names(payloads) == ["repeat_signup", "score_change"]
    assert payloads[1]["__score_change"]["reason"] == "custom"


@pytest.mark.parametrize("host", ["mailinator.example", "mx.mailinator.example", "Trash.EXAMPLE"])
def test_flagged_at_sign_up(told, campaign, host):
    """4.6 disposable_email: the list file, subdomains too"""
    campaign.lead(email=f"a@{host}")
    payloads = told.now()
    assert names(payloads) == ["new_signup", "marked_as_fraudulent"]
    assert payloads[1]["__fraudulent"] == ["disposable_email"] and payloads[0]["fraudulent"] is True


def test_flags_stand_together(service, receiver, account):
    """`__fraudulent`: array of flag names; the lead's own score is booked all the same"""
    campaign = service.campaign(account, points_signup=1, max_per_ip=1, blocked_email_domains="trash.example",
                                blocked_referrers="spam.example")
    told = Told(campaign)
    first = {"email": "a@example.org", "__source": "form", "ip": "192.0.2.7"}
    campaign.lead(**first)
    assert told.names() == [*NEW, "score_change"]
    campaign.lead(**{**first, "email": "b@trash.example", "__referrer": "https://www.spam.example/x"})
    payloads = told.now()
    assert names(payloads) == ["new_signup", "marked_as_fraudulent", "score_change"]
    assert sorted(payloads[1]["__fraudulent"]) == ["blocked_email_domain", "blocked_referrer", "disposable_email", "duplicate_ip"]


def test_opting_out(told, campaign):
    lead = campaign.lead(**ADA, phone_number=NUMBER)
    told.now()
    assert campaign.bulk("optout", ADA) == 1
    [payload] = told.now()
    assert payload["__event"] == "opted_out" and payload["opted_out"] is True and payload["sms_opted_out"] is False
    assert campaign.bulk("sms_optout", {"kid": lead["social_id"]}) == 1
    [payload] = told.now()
    assert payload["__event"] == "phone_number_opt_out" and payload["sms_opted_out"] is True
    campaign.bulk("optout", ADA)
    campaign.bulk("sms_optout", ADA)
    assert told.names() == []


def test_verified(told, campaign):
    """`verified` becomes true: the second channel makes none"""
    campaign.lead(**ADA, phone_number=NUMBER)
    told.now()
    campaign.bulk("verify", {**ADA, "channel": "phone"})
    [payload] = told.now()
    assert payload["__event"] == "verified" and payload["verified_phone_number"] is True and payload["verified_email"] is False
    campaign.bulk("verify", ADA)
    assert told.names() == []
    assert campaign.find(**ADA)["verified_email"] is True


@pytest.mark.parametrize("bulk", [True, False])
def test_tagged(told, campaign, bulk):
    """A tag is newly applied, whoever applies it; it books its points and completes the actions bound to it"""
    tag = campaign.define("tag", "VIP", "--points", 7)
    action = campaign.define("action", "Become a VIP", "--points", 2, "--tag", tag)
    level = campaign.define("reward", "Cap", "--required-points", 9)
    campaign.lead(**ADA)
    told.now()

    def apply():
        if bulk:
            assert campaign.bulk("tag", {**ADA, "tag": "VIP"}) == 1
        else:
            assert campaign.post(ADA, path=f"/tags/{tag}/lead").status == 200
    apply()
    payloads = told.now()
    assert names(payloads) == ["tagged", "score_change", "reward_level"]
    assert payloads[0]["__tagged"] == {"tag_id": tag, "name": "VIP", "points": 7}
    assert payloads[0]["tags"] == [{"tag_id": tag, "name": "VIP"}] and payloads[0]["completed_actions"] == [action]
    assert payloads[1]["__score_change"] == \
        {"previous_contest_score": 0, "current_contest_score": 9, "delta": 9, "reason": "action"}
    assert payloads[2]["__reward_level"] == {"reward_level_id": level, "subject": "Cap", "required_points": 9, "emailed": False}
    apply()
    assert told.names() == []


def test_score_change(told, campaign):
    """Once per request and lead; delta is what took effect"""
    campaign.lead(**ADA)
    campaign.lead(**BOB)
    told.now()

    def points(number):
        assert campaign.post({"emails": [ADA["email"], BOB["email"]], "points": number}, path="/points").status == 200
        return [one["__score_change"] for one in told.now()]
    assert points(5) == [{"previous_contest_score": 0, "current_contest_score": 5, "delta": 5, "reason": "custom"}] * 2
    assert points(-8) == [{"previous_contest_score": 5, "current_contest_score": 0, "delta": -5, "reason": "custom"}] * 2
    assert points(-1) == points(0) == []


def test_blocked_and_approved(told, campaign):
    """marked_as_fraudulent; the first approval of one that was flagged from the start announces it; credit goes and comes back"""
    ada = campaign.lead(**ADA)
    campaign.lead(**BOB, kid=ada["social_id"])
    told.now()
    campaign.bulk("block", {**BOB, "reason": "bounced"})
    payloads = told.now()
    assert names(payloads) == ["marked_as_fraudulent", "score_change"]
    assert payloads[0]["__fraudulent"] == ["bounced"] and payloads[0]["email"] == BOB["email"]
    assert payloads[1]["__score_change"] == \
        {"previous_contest_score": 1, "current_contest_score": 0, "delta": -1, "reason": "fraud"}
    assert payloads[1]["email"] == ADA["email"] and payloads[1]["referrals"] == 0
    campaign.bulk("approve", BOB)
    payloads = told.now()
    assert names(payloads) == ["score_change"]  # it had been announced, and its referrer told, before
    assert payloads[0]["__score_change"]["reason"] == "approve" and payloads[0]["referrals"] == 1
    campaign.lead(email="eve@trash.example")
    assert told.names() == ["new_signup", "marked_as_fraudulent"]
    for _ in range(2):
        campaign.bulk("approve", {"email": "eve@trash.example"})
        campaign.bulk("block", {"email": "eve@trash.example"})
    assert told.names() == ["new_signup_not_excluded", "marked_as_fraudulent", "marked_as_fraudulent"]


def test_a_referral_that_waits_for_verification(service, receiver, account):
    """referral: when it counts, once per referred lead"""
    campaign = service.campaign(account, require_verification="on", points_direct=4, points_verified=2)
    told = Told(campaign)
    ada = campaign.lead(**ADA)
    bob = campaign.lead(**BOB, kid=ada["social_id"])
    assert told.names() == [*NEW, *NEW]
    campaign.bulk("verify", BOB)
    payloads = told.now()
    assert [(one["__event"], one["id"]) for one in payloads] == \
        [("verified", bob["id"]), ("score_change", ada["id"]), ("referral", ada["id"])]
    assert payloads[1]["__score_change"] == \
        {"previous_contest_score": 0, "current_contest_score": 6, "delta": 6, "reason": "verified"}
    campaign.bulk("block", BOB)
    campaign.bulk("approve", BOB)
    assert "referral" not in told.names()
    assert campaign.find(**ADA)["contest_score"] == 6


def test_deleted(told, campaign):
    """The payload as it was"""
    ada = campaign.lead(**ADA, plan="gold")
    told.now()
    assert campaign.bulk("delete", ADA) == 1
    [payload] = told.now()
    assert payload["__event"] == "deleted" and core(payload) == ada
    assert campaign.get(ADA).verdict == (404, "lead_not_found")


def test_on_and_off_the_waitlist_is_no_event(service, receiver, account):
    """4.7 names none"""
    campaign = service.campaign(account, waitlist="on")
    told = Told(campaign)
    campaign.lead(**ADA)
    campaign.bulk("unwaitlist", ADA)
    campaign.bulk("waitlist", ADA)
    assert told.names() == NEW


def test_after_the_end(told, campaign):
    """6: states change and are told, points are not booked; bulk work that was queued before is done"""
    tag = campaign.define("tag", "late", "--points", 3)
    ada = campaign.lead(**ADA)
    campaign.lead(**BOB, kid=ada["social_id"])
    told.now()
    campaign.bulk("tag", {**ADA, "tag_id": tag})
    campaign.service.installation.admin("campaign", "end", str(campaign.id))
    campaign.bulk("block", BOB)
    campaign.bulk("verify", BOB)
    campaign.bulk("delete", BOB)
    assert told.names() == ["tagged", "marked_as_fraudulent", "verified", "deleted"]
    assert campaign.find(**ADA)["contest_score"] == 1
