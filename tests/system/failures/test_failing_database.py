# SPDX-License-Identifier: MIT
"""docs/api.md 2, unavailable: a database that is slow, silent, full, read-only or overloaded. 503 with Retry-After within the time
that leadhook.conf(5) promises, for many more requests than there are workers; afterwards there are no lasting effects."""
import collections
import itertools
import os
import pathlib
import time

import pytest
import failing_database as failing
from load import at_once, check_leads
from marks import first
from processes import children
from service import COMMITTER
from sql import Database
from stack.process import wait_until

REQUEST_TIMEOUT = 5
# A call may take half of it, plus a quarter for an answer that is under way by then, plus two seconds on a busy machine.
BOUND = REQUEST_TIMEOUT * 3 / 4 + 2
ROUNDS = 4  # of all kinds of calls, all at once
DISPATCHER = 3  # connections
OK = {200, 202}
READS = {"look_up", "statistics", "list", "webhooks"}
ALL = READS | {"register", "optout", "points", "sign_up"}
# By failure: the calls that succeed, and the calls that may succeed, because they do not always wait for a lock, or because a row
# fits in an existing page. All other calls are refused. If every call may succeed, most are refused.
KINDS = {failing.locked_campaign: (READS | {"optout"}, set()), failing.locked_table: (set(), ALL - {"sign_up", "look_up", "list"}),
         failing.frozen: (set(), READS), failing.read_only: (READS, set()), failing.innodb_read_only: (READS, set()),
         failing.full: (READS, ALL - READS), failing.no_connection_left: (set(), set()), failing.no_connection_for_us: (set(), set()),
         failing.stopped: (set(), set()), failing.silent: (set(), set()), failing.slow: (set(), set())}
EACH_TIME = [failing.locked_campaign, failing.frozen, failing.full, failing.stopped, failing.slow]  # the others with --long

numbers = itertools.count(1)


@pytest.fixture(scope="module")
def database(make_folder):
    """A server with a data file that can be filled. The file contains the undo log and the rows."""
    folder = make_folder()
    server = Database(folder, folder / "mariadb.sock", more=failing.with_room(["--innodb-file-per-table=0"]))
    server.create().start()
    yield server
    server.stop()


@pytest.fixture(scope="module", params=["committer", "no committer"] if COMMITTER else ["no committer"])
def service(request, make_service):
    committer = request.param == "committer"
    return make_service(workers=8 if committer else 2, committer=committer,
                        settings=[("server", "request_timeout", f"{REQUEST_TIMEOUT}s")])


@pytest.fixture
def dispatcher(service):
    service.dispatcher.start()
    yield service.dispatcher
    service.dispatcher.stop()


class Calls:
    """Calls of every kind on one campaign, and their answers."""

    def __init__(self, campaign):
        self.campaign, self.known = campaign, campaign.lead(email="known@example.org")
        self.answers = collections.defaultdict(list)  # statuses by kind
        self.sign_ups = {}  # statuses by email
        self.seconds = []

    def kinds(self):
        campaign = self.campaign
        return {
            "look_up": lambda: campaign.get({"email": "known@example.org"}),
            "statistics": lambda: campaign.get({}, path="/stats"),
            "list": lambda: campaign.get({}, path="/leads"),
            "webhooks": lambda: campaign.get({}, path="/outbound-webhook"),
            "register": lambda: campaign.post({"url": "https://example.org/hook", "events": ["tagged"]}, path="/outbound-webhook"),
            "optout": lambda: campaign.post({"email": "known@example.org"}, path="/optout"),
            "points": lambda: campaign.post({"email": "known@example.org", "points": 1}, path="/points"),
        }

    def sign_up(self, key):
        email = f"lead{next(numbers)}@example.org"
        response = self.call("sign_up", lambda: self.campaign.post({"email": email}, key=key))
        self.sign_ups[email] = response.status

    def call(self, kind, request):
        begun = time.monotonic()
        response = request()
        self.seconds.append(time.monotonic() - begun)
        self.answers[kind].append(response.status)
        if response.status == 503:
            assert response.json["error"] == "unavailable" and int(response.headers["Retry-After"]) > 0
        return response

    def call_all(self):
        calls = [lambda kind=kind, request=request: self.call(kind, request) for kind, request in self.kinds().items()]
        calls += [lambda key=key: self.sign_up(key) for key in (True, True, None)]
        at_once(calls * ROUNDS)


REFUSING = 1.2  # seconds, more than the second in which a worker refuses calls after one that waited in vain


def all_succeed(requests):
    """Return whether the requests, made at once and again and again for as long as a worker may refuse, succeed: one worker may serve
    many of them."""
    end = time.monotonic() + REFUSING
    while time.monotonic() < end:
        if {response.status for response in at_once(requests)} != {200}:
            return False
    return True


def workers_answer(campaign):
    """Return whether all workers answer."""
    return all_succeed([lambda: campaign.get({}, path="/stats")] * 32)


def processor_seconds(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def lines_of(log):
    return log.read_text().splitlines()


def check_answers(calls, rounds, go_on, may_go_on):
    assert max(calls.seconds) < BOUND * rounds, sorted(calls.seconds)
    answers = {kind: set(statuses) for kind, statuses in calls.answers.items()}
    assert all(answers[kind] <= OK for kind in go_on), answers
    assert all(answers[kind] <= OK | {503} for kind in may_go_on), answers
    refused = ALL - go_on - may_go_on
    assert all(answers[kind] == {503} for kind in refused), answers
    if not refused:
        statuses = [status for kind in may_go_on for status in calls.answers[kind]]
        assert statuses.count(503) > len(statuses) / 2, calls.answers


def check_nothing_is_left(service, sql=None):
    """Check that no statement keeps running after its request was refused."""
    def left():
        return len(failing.connections(service, "AND command NOT IN ('Sleep', 'Killed')", sql))
    wait_until(lambda: left() <= DISPATCHER, 3, "only the dispatcher's statements run at the server")


def check_processes(service, before, log_before):
    """Check that no process was killed or died, and that an error is logged once, not for each request (each has its own line)."""
    assert children(service.responders.pid) == before
    lines = lines_of(service.responders.log)[log_before:]
    kinds = collections.Counter((line.split()[2], *line.split()[3:6]) for line in lines if " database_" in line)
    assert not [line for line in lines if "_stuck" in line or "_died" in line]
    assert all(count == 1 for count in kinds.values()), lines
    logged = [line for line in lines if " answered " not in line]
    assert len(logged) <= 6 * len(before), logged


def workers_write(campaign):
    """Return whether all workers accept changes."""
    return all_succeed([lambda: campaign.post({"email": "known@example.org"})] * 32)


def check_all(service, campaign, calls):
    """Check that accepted sign-ups exist once, and refused ones at most once; each lead has one event, and each event one
    delivery."""
    for email, status in calls.sign_ups.items():
        if status != 200:
            assert campaign.lead(email=email)["counter"] in (1, 2)
        else:
            assert campaign.find(email=email)["counter"] == 1
    leads = check_leads(campaign, ["known@example.org", *calls.sign_ups])
    sql = service.installation.sql
    wait_until(lambda: sql("SELECT (SELECT COUNT(*) FROM lh_due) + (SELECT COUNT(*) FROM lh_bulk_jobs)") == "0", 30, "all is done")
    received = [one.json["social_id"] for one in campaign.delivered(len(leads), "new_signup")]
    assert sorted(received) == sorted(leads)
    score, points = campaign.find(email="known@example.org")["contest_score"], calls.answers["points"]
    assert points.count(200) <= score <= len(points)
    service.check()


@pytest.mark.parametrize("kind", first(*sorted(KINDS, key=lambda kind: kind not in EACH_TIME), count=len(EACH_TIME)),
                         ids=lambda kind: kind.__name__)
def test_a_database_that_fails(service, campaign, receiver, dispatcher, kind):
    wait_until(lambda: workers_answer(campaign), 10, "the effects of the previous failure are over")
    campaign.webhook("new_signup")
    calls = Calls(campaign)
    campaign.delivered(1)
    before, log_before = children(service.responders.pid), len(lines_of(service.responders.log))
    used, lines = processor_seconds(dispatcher.pid), len(lines_of(dispatcher.log))
    # With a slow database a worker may wait twice, for different things, before it refuses the queued requests.
    rounds = 2 if kind in (failing.slow, failing.frozen) else 1
    with kind(service, campaign) as sql:
        calls.call_all()
        check_answers(calls, rounds, *KINDS[kind])
        calls.call_all()  # the workers have detected the failure, and need not wait again
        check_answers(calls, rounds, *KINDS[kind])
        if kind is not failing.stopped:
            check_nothing_is_left(service, sql)
        assert service.client.request("GET", "/health").status == 200
    wait_until(lambda: workers_answer(campaign), 10, "all workers read again")
    wait_until(lambda: workers_write(campaign), 10, "all workers write again")
    check_nothing_is_left(service)
    check_processes(service, before, log_before)
    assert processor_seconds(dispatcher.pid) - used < 2 and len(lines_of(dispatcher.log)) - lines < 60
    check_all(service, campaign, calls)


def test_scripts_of_a_locked_campaign(service, campaign):
    """docs/api.md 4.1.6: workers are not occupied by refusing scripts, either"""
    def subscribe(number):
        begun = time.monotonic()
        query = {"email": f"script{number}@example.org", "jsonp": "f"}
        response = campaign.client.request("GET", f"/v1/{campaign.id}/subscribe", query=query)
        assert response.status == 503 and response.body.startswith(b'f({"status":503,')
        return time.monotonic() - begun
    wait_until(lambda: workers_answer(campaign), 10, "the effects of the previous failure are over")
    with failing.locked_campaign(service, campaign):
        assert max(at_once([lambda number=number: subscribe(number) for number in range(32)])) < BOUND
    assert campaign.stats()["total"] == 0
