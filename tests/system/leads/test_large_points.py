# SPDX-License-Identifier: MIT
"""docs/api.md 4.1.3, docs/architecture.md 4.4: a call for points is queued if it would write too much in one transaction."""
import pytest
from load import in_parallel
from stack.process import wait_until

LEADS, WEBHOOKS = 250, 20  # the largest call, and the most webhooks, of the default settings


def many(campaign, count=LEADS):
    """Sign up leads, then register webhooks for changes of their scores, so that no due delivery is left over."""
    emails = [f"{number}@example.org" for number in range(count)]
    answers = in_parallel([lambda email=email: campaign.post({"email": email}) for email in emails])
    assert {answer.status for answer in answers} == {200}
    for number in range(WEBHOOKS):
        campaign.webhook("score_change", below=f"/{number}")
    return emails


def points(campaign, emails, number):
    return campaign.post({"emails": emails, "points": number, "message": "why"}, path="/points")


def number_of(campaign, what, table):
    return int(campaign.service.installation.sql(f"SELECT {what} FROM {table} WHERE campaign_id = {campaign.id}"))


def do_jobs(campaign):
    """Runs the dispatcher until the campaign has no more jobs."""
    campaign.service.dispatcher.start()
    try:
        wait_until(lambda: number_of(campaign, "COUNT(*)", "lh_bulk_jobs") == 0, 60, "the jobs are done")
    finally:
        campaign.service.dispatcher.kill()


def scores(campaign):
    return set(campaign.service.installation.sql(f"SELECT score FROM lh_leads WHERE campaign_id = {campaign.id}").split())


@pytest.fixture
def crowd(campaign):
    """A campaign, and the emails of its leads; no delivery is due."""
    yield campaign, many(campaign)
    campaign.service.installation.sql("TRUNCATE TABLE lh_due")


def test_large_points_are_queued(service, crowd):
    """docs/api.md 4.1.3: 202 with the number of leads; each lead gets its points and its event once"""
    campaign, emails = crowd
    known = emails[2:]
    for _ in range(2):
        response = points(campaign, [*known, known[0], "unknown@example.org"], 7)
        assert (response.status, response.json) == (202, {"message": "Your leads have been queued for changes", "updated": len(known)})
    assert scores(campaign) == {"0"} and number_of(campaign, "COUNT(*)", "lh_bulk_jobs") == 2
    do_jobs(campaign)
    assert scores(campaign) == {"0", "14"}
    assert number_of(campaign, "COUNT(*)", "lh_events") == 2 * len(known)
    assert number_of(campaign, "SUM(deliveries)", "lh_events") == 2 * len(known) * WEBHOOKS
    ledger = service.installation.sql("SELECT COUNT(*), COUNT(DISTINCT lead_id, ref) FROM lh_score_entries e JOIN lh_leads l "
                                      f"ON l.id = e.lead_id WHERE l.campaign_id = {campaign.id} AND e.message = 'why'")
    assert ledger.split() == [str(2 * len(known))] * 2
    service.check()


def test_others_are_done_at_once(crowd):
    """docs/api.md 4.1.3: points of few leads are booked at once, even between large calls"""
    campaign, emails = crowd
    for number in (1, 2):
        answer = points(campaign, emails[:10], 1)
        assert (answer.status, answer.json) == (200, {"message": "Custom Points added"})
        assert scores(campaign) == {"0", str(number)}
        assert points(campaign, emails, 7).status == 202
    assert points(campaign, [f"unknown{number}@example.org" for number in range(LEADS)], 7).verdict == (404, "leads_not_found")
    do_jobs(campaign)


def test_the_end_of_the_campaign(crowd):
    """docs/api.md 6: points that were queued before the end are booked; later calls are refused"""
    campaign, emails = crowd
    assert points(campaign, emails, 7).status == 202
    campaign.end()
    wait_until(lambda: points(campaign, emails, 7).verdict == (423, "campaign_ended"), 5, "the end is known everywhere")
    queued = number_of(campaign, "COUNT(*)", "lh_bulk_jobs")
    do_jobs(campaign)
    assert scores(campaign) == {str(7 * queued)}


def test_the_queue_has_an_end(make_service):
    """docs/api.md 1.3, account_bulk_jobs: 429 too_many_jobs with Retry-After; no part of the refused call is done"""
    service = make_service(workers=2, settings=[("limits", "account_bulk_jobs", 2)])
    campaign = service.campaign()
    emails = many(campaign)
    assert [points(campaign, emails, 7).status for _ in range(2)] == [202] * 2
    refused = points(campaign, emails, 7)
    assert refused.verdict == (429, "too_many_jobs") and int(refused.headers["Retry-After"]) > 0
    do_jobs(campaign)
    assert scores(campaign) == {"14"}
