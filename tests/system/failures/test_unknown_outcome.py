# SPDX-License-Identifier: MIT
"""docs/architecture.md 7.1: while the outcome of a COMMIT is unknown and the database is away, the sign-up waits for its true
answer, and other requests get 503 with Retry-After, after five seconds at most (docs/api.md 2, unavailable)."""
import concurrent.futures
import contextlib
import signal
import time

import pytest
from database_proxy import HELD
from load import at_once
from marks import first
from service import COMMITTER
from stack.process import wait_until

pytestmark = pytest.mark.skipif(not COMMITTER, reason="LEADHOOK_TEST_COMMITTER=no")

WORKERS = 8
CLIENTS = 3 * WORKERS  # more than there are workers
WAIT, BUSY = 5, 2  # seconds until requests are refused; seconds added for a busy machine
ADA = {"email": "ada@example.org"}


@pytest.fixture(scope="module")
def database(own_database):
    return own_database


@pytest.fixture(scope="module")
def service(make_service, proxy):
    """A service in which the sign-up waits for up to 30 seconds."""
    return make_service(workers=WORKERS, settings=[("database", "socket", proxy.socket), ("server", "request_timeout", "60s")])


@contextlib.contextmanager
def suspended(database, proxy, done):
    """The server continues after the failure, and then gets the COMMIT or the end of its connection."""
    database.child.suspend()
    try:
        proxy.release(done)
        yield
    finally:
        database.child.send(signal.SIGCONT)


@contextlib.contextmanager
def killed(database, proxy, done):
    """The server dies before the COMMIT and is restarted."""
    database.child.kill()
    proxy.release(done)
    try:
        yield
    finally:
        database.start()


def held_sign_up(proxy, campaign):
    """Makes the sign-up whose COMMIT is held. Until then, workers whose last call was late answer 503 without the committer."""
    def answer():
        found = campaign.post(ADA)
        return found if proxy.commits > 0 or found.status != 503 else None
    return wait_until(answer, 10, "a worker sends the sign-up to the committer")


def calls(service, campaign):
    """Return calls of every kind, from new clients."""
    kinds = [lambda: campaign.post(ADA), lambda: campaign.get(ADA), lambda: campaign.post({**ADA, "points": 1}, path="/points"),
             lambda: service.client.request("GET", "/health/ready")]
    return [kinds[number % len(kinds)] for number in range(CLIENTS)]


def seconds_until_refused(service, campaign):
    """Make one call per client simultaneously; return the longest time until an answer."""
    begun = time.monotonic()
    answers = at_once(calls(service, campaign))
    assert {answer.status for answer in answers} == {503}
    assert all(int(answer.headers["Retry-After"]) > 0 for answer in answers)
    return time.monotonic() - begun


@pytest.mark.parametrize("failure, done", first((killed, False), (suspended, True), (suspended, False), count=2),
                         ids=["killed", "suspended, done", "suspended, not done"])
def test_other_requests_do_not_wait(service, database, proxy, account, campaign, failure, done):
    other = service.campaign(account)
    other.lead(email="first@example.org")
    campaign.lead(email="first@example.org")
    proxy.cut(HELD)
    with concurrent.futures.ThreadPoolExecutor() as pool:
        answer = pool.submit(held_sign_up, proxy, campaign)
        wait_until(lambda: proxy.begins >= 2, 10, "it is run again")
        with failure(database, proxy, done):
            begun = time.monotonic()
            assert seconds_until_refused(service, other) < WAIT + BUSY
            # workers whose last call was late answer 503 without the committer for a while
            wait_until(lambda: time.monotonic() - begun > WAIT, WAIT + BUSY, "all others are refused")
            assert seconds_until_refused(service, other) < BUSY
            assert not answer.done()
        assert answer.result().status == 200 and answer.result().json["counter"] == 1
    service.wait_ready()
    # a worker whose last call was late answers 503 for a second
    counter = wait_until(lambda: campaign.post(ADA).json.get("counter"), 10, "a worker takes sign-ups again")
    assert counter == 2  # refused sign-ups were not counted
    leads = wait_until(lambda: other.get({}, path="/stats").json.get("leads"), 10, "a worker reads again")
    assert leads["total"] == 1
    service.check()
