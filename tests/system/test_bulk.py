# SPDX-License-Identifier: MIT
"""docs/api.md 4.1 (bulk calls), docs/deliveries.md 6: work that the API queues and the dispatcher does, once, whatever happens to it."""
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
    """Their emails."""
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
    """4.1: what each does is done by the dispatcher, to the leads that are named and no others"""
    campaign.define("tag", "VIP")
    emails = sign_up(campaign, 40, phone_number=None)
    fields = {"emails": [*emails[:30], emails[0], "nobody@example.org", "no address"], **({"tag": "VIP"} if action == "tag" else {})}
    assert campaign.bulk(action, fields) == 30  # doubles count once, unknown and malformed ones match nothing
    assert not any(ACTIONS[action](campaign.find(email=email)) for email in emails[::9])
    service.dispatch()
    assert [bool(ACTIONS[action](campaign.find(email=email))) for email in emails] == [True] * 30 + [False] * 10
    service.check()


@pytest.mark.parametrize("there, back", [("block", "approve"), ("waitlist", "unwaitlist")])
def test_and_back(service, campaign, there, back):
    emails = sign_up(campaign, 30)
    campaign.bulk(there, {"emails": emails})
    campaign.bulk(back, {"emails": emails})
    service.dispatch()
    assert not any(ACTIONS[there](campaign.find(email=email)) for email in emails[::7])
    assert campaign.stats()["removed_from_waitlist"] == (30 if back == "unwaitlist" else 0)
    service.check()


def test_deletion(service, campaign):
    emails = sign_up(campaign, 60)
    social_ids = [campaign.find(email=email)["social_id"] for email in emails[:55]]
    assert campaign.bulk("delete", {"social_ids": social_ids}) == 55
    assert campaign.stats()["total"] == 60
    service.dispatch()
    assert campaign.stats()["total"] == 5
    assert campaign.get({"email": emails[0]}).verdict == (404, "lead_not_found")
    assert campaign.lead(email=emails[0])["rank"] == 61  # 4.5: given once, never reused
    service.check()


def test_work_on_a_lead_that_is_gone(service, campaign):
    """what was queued before the deletion, behind it, has nothing left to do"""
    emails = sign_up(campaign, 30)
    campaign.bulk("delete", {"emails": emails[10:20]})
    campaign.bulk("optout", {"emails": emails})
    service.dispatch()
    assert jobs_left(service) == 0
    assert campaign.stats()["opted_out"] == campaign.stats()["total"] == 20
    assert skipped(service) == []


@pytest.fixture
def hinder(service):
    """Makes the database refuse changes of a lead, as it does for whoever meets a lock that is not given up."""
    sql = service.installation.sql

    def begin(lead, seconds=0):
        sql("DELIMITER //\nCREATE OR REPLACE TRIGGER hinder BEFORE UPDATE ON lh_leads FOR EACH ROW "
            f"IF NEW.id = {lead['id']} AND SLEEP({seconds}) = 0 THEN SIGNAL SQLSTATE '40001' SET MYSQL_ERRNO = 1213; END IF//")
    yield begin
    sql("DROP TRIGGER IF EXISTS hinder")


def skipped(service):
    return re.findall(r"bulk_item_skipped .* lead=(\d+)", (service.installation.folder / "dispatch.log").read_text())


def opted_out(campaign, emails):
    return [campaign.find(email=email)["opted_out"] for email in emails]


def test_a_lead_that_cannot_be_changed(service, account, campaign, hinder):
    """what cannot be done holds up nobody else, and is passed over in the end"""
    sql, other = service.installation.sql, service.campaign(account)
    emails, others = sign_up(campaign, 30), sign_up(other, 30)
    culprit = campaign.find(email=emails[10])
    hinder(culprit)
    campaign.bulk("optout", {"emails": emails})
    campaign.bulk("sms_optout", {"emails": emails[:5]})
    other.bulk("optout", {"emails": others})
    service.dispatch()  # waits for nothing
    assert opted_out(other, others) == [True] * 30
    done = int(sql("SELECT position FROM lh_bulk_jobs"))
    assert sum(opted_out(campaign, emails)) == done < 30
    for failures in range(2, 25):  # the first one was that of the chunk
        sql("UPDATE lh_bulk_jobs SET delayed_until_ms = 0")
        service.dispatch()
        assert sql("SELECT position, failures FROM lh_bulk_jobs").split() == [str(done), str(failures)]
    sql("UPDATE lh_bulk_jobs SET delayed_until_ms = 0")
    service.dispatch()
    assert jobs_left(service) == 0
    assert opted_out(campaign, emails) == [True] * 10 + [False] + [True] * 19
    assert skipped(service) == [str(culprit["id"])]
    service.check()


@pytest.mark.slow
def test_a_chunk_that_takes_too_long(service, campaign, hinder):
    """a chunk that conflicts when its time is over is not done at all; item by item, each has the whole time"""
    sql, emails, before = service.installation.sql, sign_up(campaign, 2), skipped(service)
    last = max((campaign.find(email=email) for email in emails), key=lambda lead: lead["id"])
    hinder(last, seconds=6)
    campaign.bulk("optout", {"emails": emails})
    service.dispatcher.start()
    wait_until(lambda: sql("SELECT position FROM lh_bulk_jobs") == "1", 60, "the other one is done")
    sql("DROP TRIGGER hinder")
    sql("UPDATE lh_bulk_jobs SET delayed_until_ms = 0")
    wait_until(lambda: jobs_left(service) == 0, 60, "the last one is done")
    assert opted_out(campaign, emails) == [True] * 2
    assert skipped(service) == before
    assert service.dispatcher.stop() == os.EX_OK


def test_a_dry_run_tells(service, campaign):
    """docs/deliveries.md 6, --dry-run"""
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
    """{event: {lead: how many}}"""
    counts = {}
    rows = campaign.service.installation.sql("SELECT JSON_VALUE(payload, '$.__event'), lead_id, COUNT(*) FROM lh_events "
                                             f"WHERE campaign_id = {campaign.id} GROUP BY 1, 2")
    for row in rows.splitlines():
        event, lead, count = row.split("\t")
        counts.setdefault(event, {})[int(lead)] = int(count)
    return counts


def queue_all(campaign, emails):
    """Nearly all that can be done to them: each of these jobs is one of 250 leads, the last one deletes half of them."""
    half = emails[LEADS // 2:]
    for action, fields in (("tag", {"tag": "VIP"}), ("optout", {}), ("verify", {}), ("block", {"reason": "bounced"}),
                           ("approve", {}), ("waitlist", {}), ("unwaitlist", {}), ("sms_optout", {})):
        assert campaign.bulk(action, {"emails": emails, **fields}) == LEADS
    assert campaign.bulk("delete", {"emails": half}) == len(half)


def check_all(campaign, leads):
    """Exactly what queue_all asks for, once for each lead. `leads`: their payloads before, in order."""
    service, ids = campaign.service, [lead["id"] for lead in leads]
    kept, deleted = ids[:LEADS // 2], ids[LEADS // 2:]
    once = dict.fromkeys(ids, 1)
    counts = events_of(campaign)
    referrer = counts["score_change"].pop(campaign.referrer["id"])
    assert counts == {event: once for event in ("tagged", "opted_out", "phone_number_opt_out", "verified", "marked_as_fraudulent",
                                                "score_change")} | {"deleted": dict.fromkeys(deleted, 1)}
    # verified: its points come; blocked: all it brought goes; approved: all comes back
    assert referrer == 3 * LEADS
    found = [campaign.find(social_id=lead["social_id"]) for lead in leads[:len(kept)]]
    assert {lead["contest_score"] for lead in found} == {7}
    assert all(lead["opted_out"] and lead["sms_opted_out"] and lead["verified"] and not lead["waitlisted"] and not lead["fraudulent"]
               for lead in found)
    after = campaign.find(social_id=campaign.referrer["social_id"])
    assert after["contest_score"] == 3 * LEADS and after["referrals"] == LEADS
    assert after["influence"] == {"direct": LEADS, "indirect": 0}
    stats = campaign.stats()
    assert stats == {"total": len(kept) + 1, "total_with_jumpstart": len(kept) + 1, "verified": len(kept), "waitlisted": 0,
                     "removed_from_waitlist": len(kept), "fraudulent": 0, "opted_out": len(kept), "referred": len(kept)}
    service.check()


@pytest.fixture
def crowd(service, receiver, account):
    """A campaign with 250 leads that one referred, all of whose further events are told to a webhook."""
    campaign = service.campaign(account, points_direct=1, points_verified=2)
    campaign.define("tag", "VIP", "--points", 7)
    campaign.referrer = campaign.lead(email="referrer@example.org")
    emails = sign_up(campaign, kid=campaign.referrer["social_id"])
    campaign.webhook("tagged", "opted_out", "phone_number_opt_out", "verified", "marked_as_fraudulent", "score_change", "deleted",
                     "new_signup")
    return campaign, emails, sorted((campaign.find(email=email) for email in emails), key=lambda lead: lead["id"])


def check_sent(campaign):
    """Every event has arrived."""
    wanted = sum(sum(leads.values()) for leads in events_of(campaign).values())
    received = campaign.delivered(wanted, deadline=60)
    assert len({one.headers["webhook-id"] for one in received}) == wanted and all(one.verified for one in received)


@pytest.mark.slow
def test_a_killed_dispatcher(service, crowd):
    """4.1: a crash neither loses nor repeats an item; killed again and again, in the middle of each job"""
    campaign, emails, leads = crowd
    queue_all(campaign, [lead["email"] for lead in leads])
    kills = 0
    while items_left(service) > 0:
        before = items_left(service)
        service.dispatcher.start()
        wait_until(lambda before=before: items_left(service) <= max(before - 100, 0), 30, "bulk work goes on")
        service.dispatcher.kill()
        kills += 1
    assert kills >= 5
    service.dispatch(max_runtime=30)
    assert jobs_left(service) == 0
    check_all(campaign, leads)
    check_sent(campaign)


@pytest.mark.slow
def test_two_dispatchers(service, crowd, tmp_path):
    """docs/deliveries.md 4, several dispatchers: at the same jobs they do each item once"""
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
