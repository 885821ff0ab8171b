# SPDX-License-Identifier: MIT
"""docs/api.md 4.1 (bulk calls), docs/architecture.md 6: calls are queued, and the dispatcher carries out each once, even after crashes."""
import os
import re
import subprocess

import pytest
from load import in_parallel
from stack.process import Child, wait_until

LEADS = 250  # docs/requirements.md, Limits: items per request
ACTIONS = {
    "optout": lambda lead: lead["opted_out"],
    "sms_optout": lambda lead: lead["sms_opted_out"],
    "verify": lambda lead: lead["verified"],
    "block": lambda lead: lead["fraudulent"],
    "waitlist": lambda lead: lead["waitlisted"],
    "tag": lambda lead: lead["tags"] != [],
}


def sign_up(campaign, count=LEADS, **fields):
    """Sign up leads; return their emails."""
    emails = [f"{number}@example.org" for number in range(count)]
    responses = in_parallel([lambda email=email: campaign.post({"email": email, **fields}) for email in emails])
    assert {response.status for response in responses} == {200}
    return emails


def jobs_left(service):
    return int(service.installation.sql("SELECT COUNT(*) FROM lh_bulk_jobs"))


def items_left(service):
    return int(service.installation.sql("SELECT COALESCE(SUM(total - position), 0) FROM lh_bulk_jobs"))


@pytest.mark.parametrize("action", ACTIONS)
def test_an_action(service, campaign, action):
    """docs/api.md 4.1: the dispatcher carries out each action on the named leads only"""
    campaign.define("tag", "VIP")
    emails = sign_up(campaign, 40, phone_number=None)
    fields = {"emails": [*emails[:30], emails[0], "unknown@example.org", "no address"], **({"tag": "VIP"} if action == "tag" else {})}
    assert campaign.bulk(action, fields) == 30  # duplicates count once; unknown and malformed ones match nothing
    assert not any(ACTIONS[action](campaign.find(email=email)) for email in emails[::9])
    service.dispatch()
    assert [bool(ACTIONS[action](campaign.find(email=email))) for email in emails] == [True] * 30 + [False] * 10
    service.check()


@pytest.mark.parametrize("there, back", [("block", "approve"), ("waitlist", "unwaitlist")])
def test_action_and_its_reverse(service, campaign, there, back):
    emails = sign_up(campaign, 30)
    campaign.bulk(there, {"emails": emails})
    campaign.bulk(back, {"emails": emails})
    service.dispatch()
    assert not any(ACTIONS[there](campaign.find(email=email)) for email in emails[::7])
    assert campaign.stats()["removed_from_waitlist"] == (30 if back == "unwaitlist" else 0)
    service.check()


def test_sms_optin(service, campaign, receiver):
    """docs/api.md 4.1.4: it undoes sms_optout, without an event"""
    campaign.webhook("phone_number_opt_out")
    emails = sign_up(campaign, 3)
    assert campaign.bulk("sms_optout", {"emails": emails}) == 3
    assert campaign.bulk("sms_optin", {"emails": emails[:2]}) == 2
    assert campaign.bulk("sms_optout", {"emails": emails[:1]}) == 1
    service.dispatch()
    assert [campaign.find(email=email)["sms_opted_out"] for email in emails] == [True, False, True]
    campaign.delivered(4, event="phone_number_opt_out")
    service.check()


def test_unverify(service, campaign, receiver):
    """docs/api.md 4.1.4: without `channel`, both addresses become unverified; with it, only the named one does; a later verification makes
    the event again"""
    campaign.webhook("verified")
    ada = campaign.lead(email="ada@example.org", phone_number="+14155552671")
    name = {"email": ada["email"]}

    def change(word, **fields):
        campaign.change(word, **name, **fields)
        lead = campaign.find(**name)
        assert campaign.stats()["verified"] == lead["verified"]
        return lead["verified_email"], lead["verified_phone_number"]
    assert change("unverify") == (False, False)
    change("verify")
    assert change("verify", channel="phone") == (True, True)
    assert change("unverify", channel="email") == (False, True)
    assert change("verify") == (True, True)
    assert change("unverify") == (False, False)
    assert change("verify", channel="phone") == (False, True)
    assert change("unverify") == (False, False)
    assert change("verify") == (True, False)
    campaign.delivered(3, event="verified")
    assert campaign.post({**name, "channel": "fax"}, path="/unverify").verdict == (406, "invalid_parameter")
    service.check()


def test_a_referrer_of_an_unverified_lead(service, account):
    """docs/api.md 4.6, Lost verification: the referrer's counts change, but it keeps its credit, which is not given twice"""
    campaign = service.campaign(account, require_verification="on", points_direct=3, points_verified=2)
    ada = campaign.lead(email="ada@example.org")
    bob = campaign.lead(email="bob@example.org", kid=ada["social_id"])

    def referrer(word):
        campaign.change(word, email=bob["email"])
        lead = campaign.find(email=ada["email"])
        return lead["contest_score"], lead["referrals"], lead["verified_leads"]["direct"], lead["unverified_leads"]["direct"]
    assert referrer("unverify") == (0, 0, 0, 1)
    assert referrer("verify") == (5, 1, 1, 0)
    assert referrer("unverify") == (5, 1, 0, 1)
    assert referrer("verify") == (5, 1, 1, 0)
    assert referrer("block") == (0, 0, 0, 0)
    assert referrer("unverify") == (0, 0, 0, 0)
    assert referrer("approve") == (0, 0, 0, 1)  # it does not count until it is verified
    assert referrer("verify") == (5, 1, 1, 0)
    service.check()


def test_deletion(service, campaign):
    emails = sign_up(campaign, 60)
    social_ids = [campaign.find(email=email)["social_id"] for email in emails[:55]]
    assert campaign.bulk("delete", {"social_ids": social_ids}) == 55
    assert campaign.stats()["total"] == 60
    service.dispatch()
    assert campaign.stats()["total"] == 5
    assert campaign.get({"email": emails[0]}).verdict == (404, "lead_not_found")
    assert campaign.lead(email=emails[0])["rank"] == 61  # docs/api.md 4.5: ranks are never reused
    service.check()


def test_work_queued_for_a_deleted_lead(service, campaign):
    """changes that were queued before a deletion have no effect on the deleted leads"""
    emails = sign_up(campaign, 30)
    campaign.bulk("delete", {"emails": emails[10:20]})
    campaign.bulk("optout", {"emails": emails})
    service.dispatch()
    assert jobs_left(service) == 0
    assert campaign.stats()["opted_out"] == campaign.stats()["total"] == 20
    assert skipped(service) == []


@pytest.fixture
def block_lead(service):
    """Makes the database refuse changes of a lead with the error code of a deadlock."""
    sql = service.installation.sql

    def begin(lead, seconds=0):
        sql("CREATE OR REPLACE TRIGGER block_lead BEFORE UPDATE ON lh_leads FOR EACH ROW "
            f"IF NEW.id = {lead['id']} AND SLEEP({seconds}) = 0 THEN SIGNAL SQLSTATE '40001' SET MYSQL_ERRNO = 1213; END IF")
    yield begin
    sql("DROP TRIGGER IF EXISTS block_lead")


def skipped(service):
    log = service.installation.folder / "dispatch.log"
    return re.findall(r"bulk_item_skipped .* lead=(\d+)", log.read_text()) if log.exists() else []


def opted_out(campaign, emails):
    return [campaign.find(email=email)["opted_out"] for email in emails]


def test_a_lead_that_cannot_be_changed(service, account, campaign, block_lead):
    """the item is skipped in the end; other work does not have to wait for it"""
    sql, other = service.installation.sql, service.campaign(account)
    emails, others = sign_up(campaign, 30), sign_up(other, 30)
    blocked = campaign.find(email=emails[10])
    block_lead(blocked)
    campaign.bulk("optout", {"emails": emails})
    campaign.bulk("sms_optout", {"emails": emails[:5]})
    other.bulk("optout", {"emails": others})
    service.dispatch()  # no delay has been set yet
    assert opted_out(other, others) == [True] * 30
    done = int(sql("SELECT position FROM lh_bulk_jobs"))
    assert sum(opted_out(campaign, emails)) == done < 30
    for failures in (2, 3, 24):  # the first was that of the chunk; skips most of the 24 waits for the lock
        sql(f"UPDATE lh_bulk_jobs SET delayed_until_ms = 0, failures = {failures - 1}")
        service.dispatch()
        assert sql("SELECT position, failures FROM lh_bulk_jobs").split() == [str(done), str(failures)]
    sql("UPDATE lh_bulk_jobs SET delayed_until_ms = 0")
    service.dispatch()
    assert jobs_left(service) == 0
    assert opted_out(campaign, emails) == [True] * 10 + [False] + [True] * 19
    assert skipped(service) == [str(blocked["id"])]
    service.check()


@pytest.mark.slow
def test_chunk_timeout(service, campaign, block_lead):
    """a chunk that conflicts after its deadline is rolled back; then each item gets the whole time"""
    sql, emails, before = service.installation.sql, sign_up(campaign, 2), skipped(service)
    last = max((campaign.find(email=email) for email in emails), key=lambda lead: lead["id"])
    block_lead(last, seconds=6)
    campaign.bulk("optout", {"emails": emails})
    service.dispatcher.start()
    wait_until(lambda: sql("SELECT position FROM lh_bulk_jobs") == "1", 60, "the other one is done")
    sql("DROP TRIGGER block_lead")
    sql("UPDATE lh_bulk_jobs SET delayed_until_ms = 0")
    wait_until(lambda: jobs_left(service) == 0, 60, "the last one is done")
    assert opted_out(campaign, emails) == [True] * 2
    assert skipped(service) == before
    assert service.dispatcher.stop() == os.EX_OK


def test_dry_run_reports_bulk_work(service, campaign):
    """leadhook-dispatch(8), --dry-run"""
    [email] = sign_up(campaign, 1)
    installation = service.installation

    def shown():
        return subprocess.run([installation.program("leadhook-dispatch"), "--config", installation.config, "--dry-run"], timeout=60,
                              capture_output=True, text=True, check=True).stdout
    assert shown() == "nothing is due\n"
    campaign.bulk("optout", {"email": email})
    assert shown() == "bulk work is queued\n"
    service.dispatch()
    assert shown() == "nothing is due\n"


def events_of(campaign):
    """Return {event: {lead: number of events}}."""
    counts = {}
    rows = campaign.service.installation.sql("SELECT JSON_VALUE(payload, '$.__event'), lead_id, COUNT(*) FROM lh_events "
                                             f"WHERE campaign_id = {campaign.id} GROUP BY 1, 2")
    for row in rows.splitlines():
        event, lead, count = row.split("\t")
        counts.setdefault(event, {})[int(lead)] = int(count)
    return counts


def queue_all(campaign, emails):
    """Queue nearly all actions: each job has 250 leads, and the last job deletes half of them."""
    half = emails[LEADS // 2:]
    for action, fields in (("tag", {"tag": "VIP"}), ("optout", {}), ("verify", {}), ("block", {"reason": "bounced"}),
                           ("approve", {}), ("waitlist", {}), ("unwaitlist", {}), ("sms_optout", {})):
        assert campaign.bulk(action, {"emails": emails, **fields}) == LEADS
    assert campaign.bulk("delete", {"emails": half}) == len(half)


def check_all(campaign, leads):
    """Check that each effect of queue_all has happened once for each lead. `leads`: the earlier payloads, in order."""
    service, ids = campaign.service, [lead["id"] for lead in leads]
    remaining, deleted = ids[:LEADS // 2], ids[LEADS // 2:]
    once = dict.fromkeys(ids, 1)
    counts = events_of(campaign)
    referrer = counts["score_change"].pop(campaign.referrer["id"])
    assert counts == {event: once for event in ("tagged", "opted_out", "phone_number_opt_out", "verified", "marked_as_fraudulent",
                                                "score_change")} | {"deleted": dict.fromkeys(deleted, 1)}
    # verified: points are added; blocked: all credit is removed; approved: all is restored
    assert referrer == 3 * LEADS
    found = [campaign.find(social_id=lead["social_id"]) for lead in leads[:len(remaining)]]
    assert {lead["contest_score"] for lead in found} == {7}
    assert all(lead["opted_out"] and lead["sms_opted_out"] and lead["verified"] and not lead["waitlisted"] and not lead["fraudulent"]
               for lead in found)
    after = campaign.find(social_id=campaign.referrer["social_id"])
    assert after["contest_score"] == 3 * LEADS and after["referrals"] == LEADS
    assert after["influence"] == {"direct": LEADS, "indirect": 0}
    stats = campaign.stats()
    assert stats == {"total": len(remaining) + 1, "total_with_jumpstart": len(remaining) + 1, "verified": len(remaining), "waitlisted": 0,
                     "removed_from_waitlist": len(remaining), "fraudulent": 0, "opted_out": len(remaining), "referred": len(remaining)}
    service.check()


@pytest.fixture
def crowd(service, receiver, account):
    """A campaign with 250 leads of one referrer, and a webhook for all their later events."""
    campaign = service.campaign(account, points_direct=1, points_verified=2)
    campaign.define("tag", "VIP", "--points", 7)
    campaign.referrer = campaign.lead(email="referrer@example.org")
    emails = sign_up(campaign, kid=campaign.referrer["social_id"])
    campaign.webhook("tagged", "opted_out", "phone_number_opt_out", "verified", "marked_as_fraudulent", "score_change", "deleted",
                     "new_signup")
    return campaign, emails, sorted((campaign.find(email=email) for email in emails), key=lambda lead: lead["id"])


def check_sent(campaign):
    """Check that every event has arrived."""
    wanted = sum(sum(leads.values()) for leads in events_of(campaign).values())
    received = campaign.delivered(wanted, deadline=60)
    assert len({one.headers["webhook-id"] for one in received}) == wanted and all(one.verified for one in received)


@pytest.mark.slow
def test_a_killed_dispatcher(service, crowd):
    """docs/api.md 4.1: crashes neither lose nor repeat an item; the dispatcher is killed during its work, how often depends on the
    machine"""
    campaign, emails, leads = crowd
    queue_all(campaign, [lead["email"] for lead in leads])
    kills = 0
    while items_left(service) > 0:
        before = items_left(service)
        service.dispatcher.start()
        wait_until(lambda before=before: items_left(service) <= max(before - 100, 0), 30, "bulk work goes on")
        service.dispatcher.kill()
        kills += 1
    assert kills >= 2, "all but the last while items were left"
    service.dispatch(max_runtime=30)
    assert jobs_left(service) == 0
    check_all(campaign, leads)
    check_sent(campaign)


@pytest.mark.slow
def test_two_dispatchers(service, crowd, tmp_path):
    """docs/deliveries.md 4, several dispatchers: together, they carry out each item of the same jobs once"""
    campaign, emails, leads = crowd
    program, config = service.installation.program("leadhook-dispatch"), service.installation.config
    others = [Child("leadhook-dispatch", ["env", f"LEADHOOK_DISPATCH_LOCK_FILE={tmp_path / str(number)}", program, "--config", config,
                                          "--daemon"], tmp_path / f"{number}.log").start() for number in range(3)]
    try:
        queue_all(campaign, [lead["email"] for lead in leads])
        wait_until(lambda: jobs_left(service) == 0, 60, "the jobs are done")
        check_all(campaign, leads)
        check_sent(campaign)
    finally:
        assert [other.stop() for other in others] == [os.EX_OK] * 3
