# SPDX-License-Identifier: MIT
"""docs/architecture.md 7: the committer runs many requests in one commit. It may die, be replaced or
lose its database at any moment."""
import contextlib
import os
import random
import signal
import threading
import time

import pytest
from load import Load, at_once, check_leads, in_parallel, lead_count
from processes import children, committer, proportional_size, wait_for_committer
from service import COMMITTER, settles
from stack.process import suspend, wait_until
from tree import BUILD

WORKERS = 24
needs_committer = pytest.mark.skipif(not COMMITTER, reason="LEADHOOK_TEST_COMMITTER=no")


@pytest.fixture(scope="module")
def database(own_database):
    return own_database


@pytest.fixture(scope="module")
def service(make_service):
    return make_service(workers=WORKERS, settings=[("server", "idle_timeout", "1s")])


@pytest.fixture
def parent(service):
    """The responders' parent, with a committer at work."""
    wait_for_committer(service.responders.pid)
    return service.responders.pid


@pytest.fixture
def commits(service):
    """Return the number of committed batches."""
    return lambda: int(service.installation.sql("SELECT COUNT(*) FROM lh_commit_tokens"))


@contextlib.contextmanager
def lock_campaign(service, campaign):
    """Lock the campaign for at most two seconds: none of its batches completes."""
    wait = (f"BEGIN; SELECT lead_count FROM lh_campaign_counters WHERE campaign_id = {campaign.id} FOR UPDATE;"
            "SELECT SLEEP(2); COMMIT")
    running = "SELECT id FROM information_schema.PROCESSLIST WHERE info LIKE 'SELECT SLEEP%'"
    holder = threading.Thread(target=lambda: service.installation.sql(wait))
    holder.start()
    wait_until(lambda: service.database.sql(running), 10, "the campaign is locked")
    yield
    holder.join()


@needs_committer
def test_locked_campaign_does_not_delay_others(service, parent, account):
    """a lock on a campaign delays its own sign-ups, and no others"""
    locked, free = service.campaign(account), service.campaign(account)
    answers = []
    waiting = threading.Thread(target=lambda: answers.append(locked.post({"email": "ada@example.org"}).status))
    with lock_campaign(service, locked):
        waiting.start()
        begun = time.monotonic()
        for number in range(20):
            assert free.post({"email": f"ada{number}@example.org"}).status == 200
            assert locked.get({"email": "unknown@example.org"}).status == 404
        assert time.monotonic() - begun < 1.5 and not answers
    waiting.join(20)
    assert answers == [200]


def connections(service):
    user = service.installation.setting("database", "user")
    return int(service.database.sql(f"SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE user = '{user}'"))


def accepted(load):
    return [email for email, status in load.answers.items() if status == 200]


def check_all(service, campaign, load):
    """Check that accepted sign-ups exist exactly once, and refused ones at most once."""
    assert all(campaign.find(email=email)["counter"] == 1 for email in accepted(load))
    load.repeat_refused()
    check_leads(campaign, load.answers)
    service.check()


@needs_committer
def test_many_requests_are_few_commits(service, parent, campaign, commits):
    """requests that arrive during a batch form the next one; each answer belongs to its own command"""
    before = commits()
    with lock_campaign(service, campaign):
        in_parallel([lambda: campaign.get({}, path="/tags")] * 4 * WORKERS, WORKERS)  # responders know key and campaign
        responses = at_once([lambda number=number: campaign.post({"email": f"{number}@example.org", "custom": str(number)})
                             for number in range(WORKERS)])
    assert {response.status for response in responses} == {200}
    leads = [response.json for response in responses]
    assert [lead["email"] for lead in leads] == [f"{number}@example.org" for number in range(WORKERS)]
    assert [lead["custom_fields"]["custom"] for lead in leads] == [str(number) for number in range(WORKERS)]
    assert sorted(lead["rank"] for lead in leads) == list(range(1, WORKERS + 1))
    assert all(lead["lead_count"] == lead["rank"] for lead in leads)
    assert commits() - before <= WORKERS // 2
    service.check()


@needs_committer
def test_mixed_commands_in_one_batch(service, parent, campaign):
    """an invalid command fails alone"""
    action, tag = campaign.define("action", "Follow", "--points", 5), campaign.define("tag", "VIP", "--points", 3)
    ada = campaign.lead(email="ada@example.org")
    with lock_campaign(service, campaign):
        responses = at_once([
            lambda: campaign.post({"email": "new@example.org"}),
            lambda: campaign.post({"email": "none@example.org", "must_exist": True}),
            lambda: campaign.post({"social_id": ada["social_id"], "points": 7}, path="/points"),
            lambda: campaign.post({"email": "ada@example.org"}, path=f"/actions/{action}"),
            lambda: campaign.post({"email": "ada@example.org"}, path="/actions/999999"),
            lambda: campaign.post({"email": "ada@example.org"}, path=f"/tags/{tag}/lead"),
            lambda: campaign.post({"email": "ada@example.org"}, key=None)])
    assert [response.status for response in responses] == [200, 404, 200, 200, 404, 200, 200]
    assert "email" in responses[5].json and "email" not in responses[6].json
    assert campaign.find(email="ada@example.org")["contest_score"] == 15
    service.check()


@needs_committer
def test_responders_with_a_committer_need_no_connection(service, parent, campaign):
    """one connection to the database for all sign-ups; none when idle"""
    with Load(campaign) as load:
        load.wait_for(50)
        wait_until(lambda: connections(service) == 1, 20, "the committer's connection is the only one")
        load.wait_for(50)
        assert connections(service) == 1
    wait_until(lambda: connections(service) == 0, 20, "the idle connection is closed")
    campaign.lead(email="again@example.org")


@needs_committer
@pytest.mark.slow
def test_killed_committers(service, parent, campaign):
    """accepted requests are stored; requests answered with 503 are stored at most once; the service continues"""
    chance = random.Random(1)
    with Load(campaign, threads=16) as load:
        load.wait_for(20)
        victim = 0
        for _ in range(12):
            victim = wait_for_committer(parent, other_than=victim)
            load.wait_for(chance.randrange(40))  # at a random moment
            os.kill(victim, signal.SIGKILL)
            load.wait_for(5)
    assert set(load.answers.values()) <= {200, 503}
    assert all(value and int(value) > 0 for value in load.retry_after)
    check_all(service, campaign, load)


@needs_committer
@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGTERM])
def test_replaced_under_load(service, parent, campaign, number):
    """HUP replaces it together with the workers, and TERM replaces it alone; no request is refused, lost or repeated"""
    with Load(campaign, threads=16) as load:
        for _ in range(5):
            load.wait_for(30)
            old = wait_for_committer(parent)
            os.kill(parent if number == signal.SIGHUP else old, number)
            wait_for_committer(parent, other_than=old)
    assert set(load.answers.values()) == {200}
    assert all(campaign.find(email=email)["counter"] == 1 for email in load.answers)
    check_leads(campaign, load.answers)
    assert "committer_died" not in service.responders.log.read_text()


@needs_committer
def test_stopped_while_idle(service, parent, campaign):
    """leadhook-fcgi(8): it is replaced within seconds, and waiting requests are answered"""
    campaign.lead(email="a@example.org")
    stopped = committer(parent)
    suspend(stopped)
    responses = in_parallel([lambda number=number: campaign.post({"email": f"{number}@example.org"}) for number in range(8)], 8)
    assert {response.status for response in responses} == {200}
    assert wait_for_committer(parent, other_than=stopped)
    assert service.responders.log.read_text().count(f" companion_stuck pid={stopped} ") == 1
    service.check()


@needs_committer
def test_waiting_for_the_database_is_not_stuck(service, database, parent, campaign):
    """leadhook-fcgi(8): it is not replaced, even if it waits longer than an idle process may be silent"""
    campaign.lead(email="a@example.org")
    waiting = committer(parent)
    database.child.suspend()
    try:
        begun = time.monotonic()
        assert campaign.post({"email": "b@example.org"}).verdict == (503, "unavailable")
        assert time.monotonic() - begun > 6
    finally:
        database.child.send(signal.SIGCONT)
    settles(lambda: campaign.post({"email": "b@example.org"}), 200)
    assert committer(parent) == waiting


def test_the_end_under_load(service, campaign):
    """after TERM, accepted requests are answered, none fails, and all processes end"""
    with Load(campaign, threads=16) as load:
        load.wait_for(50)
        pids = children(service.responders.pid)
        assert service.responders.stop() == 0
        assert not any(os.path.exists(f"/proc/{pid}") for pid in pids)
        service.responders.start()
        service.wait_ready()
        load.wait_for(20)
    assert set(load.retry_after) <= {None}, "only the web server answers 503, while nothing listens"
    check_all(service, campaign, load)


@needs_committer
def test_committer_ends_with_a_killed_parent(service, parent):
    """without its parent it would not be replaced"""
    pid = committer(parent)
    service.responders.kill()
    wait_until(lambda: not os.path.exists(f"/proc/{pid}"), 15, "the committer has ended")
    service.responders.start()
    service.wait_ready()


def test_operators_changes_take_effect_within_a_second(service, leadhook):
    """docs/architecture.md: keys, accounts and campaigns are at most a second old"""
    account = service.account()
    campaign = service.campaign(account)

    def counts(change, status):
        in_parallel([lambda: campaign.post({"email": "a@example.org"})] * 2 * WORKERS, WORKERS)  # now every process has cached it
        change()
        changed = time.monotonic()
        while time.monotonic() < changed + 1:
            campaign.post({"email": "a@example.org"})
        responses = in_parallel([lambda: campaign.post({"email": "a@example.org"})] * 2 * WORKERS, WORKERS)
        assert {response.status for response in responses} == {status}
    def suspend(since):
        service.installation.sql(f"UPDATE lh_accounts SET suspended_ms = {since} WHERE id = {account.id}")
    key = leadhook("key", "list", account.id)[0]["id"]
    counts(campaign.end, 423)
    counts(lambda: leadhook("campaign", "reopen", campaign.id), 200)
    counts(lambda: suspend("1"), 409)
    counts(lambda: suspend("NULL"), 200)
    counts(lambda: leadhook("key", "revoke", key), 409)


def test_counters_are_current(service, campaign):
    """every answered sign-up is counted in the next read"""
    for number in range(1, 30):
        campaign.lead(email=f"{number}@example.org")
        assert campaign.stats()["total"] == number
        assert campaign.find(email="1@example.org")["lead_count"] == number
        assert campaign.get({}, path="/leads").json["leads"][0]["lead_count"] == number
    assert lead_count(campaign) == 29


def test_use_of_a_key_is_recorded(service):
    """docs/api.md 3: the hour in which a key was last used"""
    campaign = service.campaign(service.account())
    campaign.lead(email="a@example.org")
    used = f"SELECT MIN(last_used_ms > 0) FROM lh_api_keys WHERE account_id = {campaign.account.id}"
    wait_until(lambda: service.installation.sql(used) == "1", 10, "the use is recorded")


@pytest.fixture
def hurried(make_service):
    """A service whose requests may take five seconds, with a campaign."""
    service = make_service(workers=8, settings=[("server", "request_timeout", "5s")])
    return service.campaign(service.account())


def test_a_database_that_hangs(hurried, database):
    """docs/api.md 2 unavailable: every client gets 503 before the worker's request timeout; afterwards the service continues"""
    hurried.lead(email="a@example.org")
    database.child.suspend()
    try:
        started = time.monotonic()
        responses = at_once([lambda number=number: hurried.post({"email": f"{number}@example.org"}) for number in range(8)])
        assert time.monotonic() - started < 5
    finally:
        database.child.send(signal.SIGCONT)
    assert {response.verdict for response in responses} == {(503, "unavailable")}
    assert all(int(response.headers["Retry-After"]) > 0 for response in responses)
    settles(lambda: hurried.post({"email": "b@example.org"}), 200)
    log = hurried.service.responders.log.read_text()
    assert "worker_stuck" not in log and "companion_stuck" not in log
    hurried.service.check()


@pytest.mark.slow
def test_a_database_that_restarts(service, database, campaign):
    """503 during the outage; nothing is lost or repeated"""
    with Load(campaign, threads=16) as load:
        load.wait_for(50)
        database.child.kill()
        load.wait_for(20, status=503)
        database.start()
        load.wait_for(50, seconds=60)
    assert set(load.answers.values()) == {200, 503}
    check_all(service, campaign, load)


@needs_committer
def test_a_full_queue(make_service):
    """requests that do not fit get 503 with Retry-After; those that fit are served"""
    service = make_service(workers=16, settings=[("limits", "body_bytes", "1M"), ("limits", "value_bytes", "60000"),
                                                 ("server", "sandbox", "off")])  # otherwise only root could measure it
    campaign = service.campaign(service.account())
    too_large = {f"field{number}": "x" * 59999 for number in range(15)}  # found only when the command runs
    with lock_campaign(service, campaign):
        first = threading.Thread(target=campaign.post, args=({"email": "first@example.org"},))
        first.start()
        responses = at_once([lambda number=number: campaign.post({"email": f"{number}@example.org", **too_large})
                             for number in range(15)])
        first.join()
    statuses = [response.status for response in responses]
    assert set(statuses) == {406, 503}
    assert all(int(response.headers["Retry-After"]) > 0 for response in responses if response.status == 503)
    assert " queue_full " in service.responders.log.read_text()
    assert lead_count(campaign) == 1
    assert campaign.lead(email="second@example.org")["rank"] == 2
    if "-fsanitize" not in (BUILD / "Makefile").read_text():
        assert proportional_size(committer(service.responders.pid)) < 32 << 20


@pytest.fixture(params=["--no-committer", "--workers 0"])
def without(service, request):
    """The parent of responders of the same installation that have no committer."""
    service.responders.stop()
    words = service.responders.argv
    service.responders.argv = [*words, *request.param.split()]
    service.responders.start()
    service.wait_ready()
    yield service.responders.pid
    service.responders.stop()
    service.responders.argv = words
    service.responders.start()
    service.wait_ready()


def test_without_a_committer(service, without, account):
    """each responder commits by itself, and operators' changes take effect at once"""
    campaign = service.campaign(account)
    assert committer(without) == 0
    assert [campaign.lead(email=f"{number}@example.org")["rank"] for number in range(5)] == [1, 2, 3, 4, 5]
    campaign.end()
    assert campaign.post({"email": "a@example.org"}).verdict == (423, "campaign_ended")
    service.check()
