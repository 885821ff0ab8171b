# SPDX-License-Identifier: MIT
"""docs/architecture.md 7.1.1 and 4.4, docs/api.md 4.1.3: one account's flood of the most expensive calls does not keep others
waiting, and none of these calls is lost.

The server is made slow: storing a job takes a while. Waits of others can then be measured in jobs, on any machine.
"""
import collections
import threading
import time

import pytest
from load import Clients, in_parallel
from service import COMMITTER
from stack.process import wait_until

pytestmark = [pytest.mark.long, pytest.mark.skipif(not COMMITTER, reason="the rules of the committer")]

LEADS, WEBHOOKS, FLOOD, OTHERS = 250, 20, 6, 10
JOB_SECONDS = 0.3  # how long a call of the flood is in the committer


@pytest.fixture(scope="module")
def service(make_service):
    return make_service(workers=FLOOD + 4)


@pytest.fixture
def slow_jobs(service):
    """Storing a job takes JOB_SECONDS."""
    sql = service.installation.sql
    sql(f"CREATE TRIGGER slow_jobs BEFORE INSERT ON lh_bulk_jobs FOR EACH ROW IF SLEEP({JOB_SECONDS}) THEN SET NEW.id = 0; "
        "END IF")
    yield
    sql("DROP TRIGGER slow_jobs")


class Flood(Clients):
    """FLOOD clients at once add points to all leads. `answers` counts the statuses."""

    def __init__(self, campaign):
        super().__init__(self._run, FLOOD)
        self.campaign, self.answers, self._lock = campaign, collections.Counter(), threading.Lock()
        self.emails = [f"{number}@example.org" for number in range(LEADS)]
        made = in_parallel([lambda email=email: campaign.post({"email": email}) for email in self.emails])
        assert {answer.status for answer in made} == {200}
        for number in range(WEBHOOKS):
            campaign.webhook("score_change", below=f"/{number}")
        assert self._call().status == 202  # from now on, calls are known to be large

    def _call(self):
        return self.campaign.post({"emails": self.emails, "points": 1}, path="/points")

    def _run(self, _):
        while not self.stopped.is_set():
            status = self._call().status
            with self._lock:
                self.answers[status] += 1


def timed_sign_up(campaign, number):
    begun = time.monotonic()
    status = campaign.post({"email": f"other{number}@example.org"}).status
    return status, time.monotonic() - begun


def test_others_are_served(service, campaign, slow_jobs):
    """docs/architecture.md 7.1.1: a sign-up waits for one or two calls of the flood, not for all that came before it"""
    flood, other = Flood(campaign), service.campaign(service.account())
    with flood:
        wait_until(lambda: flood.answers[202] > 0, 30, "the flood is under way")
        answers = [timed_sign_up(other, number) for number in range(OTHERS)]
        still = flood.answers[202]
        wait_until(lambda: flood.answers[202] > still, 30, "the flood goes on")
    assert {status for status, _ in answers} == {200}
    waits = sorted(wait for _, wait in answers)
    assert waits[OTHERS // 2] < 4 * JOB_SECONDS, "the median"
    assert set(flood.answers) == {202}


def test_nothing_of_the_flood_is_lost(service, receiver, campaign):
    """docs/api.md 4.1.3: each accepted call adds its points once to each lead, while the dispatcher works on the queue and others sign
    up"""
    flood, other = Flood(campaign), service.campaign(service.account())
    sql = service.installation.sql
    service.dispatcher.start()
    with flood:
        wait_until(lambda: flood.answers[202] >= 3 * FLOOD, 60, "calls are accepted")
        assert other.lead(email="a@example.org")["rank"] == 1
    calls = flood.answers[202] + 1
    assert set(flood.answers) == {202}
    service.dispatcher.kill()  # in the middle of its work
    sql("TRUNCATE TABLE lh_due")  # the test is not about deliveries: the rest of the queue is dropped
    service.dispatcher.start()
    wait_until(lambda: sql("SELECT COUNT(*) FROM lh_bulk_jobs") == "0", 120, "the jobs are done")
    service.dispatcher.kill()
    assert sql(f"SELECT MIN(score), MAX(score) FROM lh_leads WHERE campaign_id = {campaign.id}").split() == [str(calls)] * 2
    counts = sql(f"SELECT MIN(n), MAX(n) FROM (SELECT COUNT(*) AS n FROM lh_events WHERE campaign_id = {campaign.id} GROUP BY lead_id) c")
    assert counts.split() == [str(calls)] * 2
    # the scores of each lead, in the order of the calls
    payloads = sql("SELECT lead_id, JSON_VALUE(payload, '$.__score_change.current_contest_score') FROM lh_events "
                   f"WHERE campaign_id = {campaign.id} ORDER BY lead_id, id")
    found = collections.defaultdict(list)
    for line in payloads.splitlines():
        lead, score = line.split()
        found[lead].append(int(score))
    assert set(map(tuple, found.values())) == {tuple(range(1, calls + 1))}
    sql("TRUNCATE TABLE lh_due")
