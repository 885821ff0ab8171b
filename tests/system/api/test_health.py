# SPDX-License-Identifier: MIT
"""docs/api.md 4.1, health: the checks of load balancers and monitors. /health checks the program, /health/ready the service."""
import contextlib
import threading

import pytest
import failing_database as failing
from load import at_once
from service import COMMITTER
from stack.process import wait_until


@pytest.fixture(scope="module")
def database(own_database):
    return own_database


def health(service, path="", method="GET", **options):
    return service.client.request(method, "/health" + path, **options)


def is_ready(service):
    return health(service, "/ready").status == 200


def wait_not_ready(service):
    """Waits until the service is not ready. Answers may be a second old; the additional time is for a busy machine."""
    wait_until(lambda: not is_ready(service), 3, "not ready")


def wait_all_ready(service):
    """Wait until every worker is ready: without a committer, each has its own answer."""
    wait_until(lambda: all(is_ready(service) for _ in range(20)), 10, "all workers are ready")


@contextlib.contextmanager
def polled(service, clients):
    """Lets `clients` clients with different addresses poll readiness without a pause; yields the statuses so far."""
    ended, statuses = threading.Event(), []

    def poll():
        while not ended.is_set():
            statuses.append(health(service, "/ready").status)
    threads = [threading.Thread(target=poll) for _ in range(clients)]
    for thread in threads:
        thread.start()
    try:
        yield statuses
    finally:
        ended.set()
        for thread in threads:
            thread.join(60)


@pytest.mark.smoke
@pytest.mark.parametrize("path", ["", "/ready"])
def test_with_a_database(service, path):
    """200 for both; no key is needed, and a wrong key is ignored"""
    for options in ({}, {"key": "lh_wrong"}, {"query": {"api_key": "x"}}):
        response = health(service, path, **options)
        assert (response.status, response.json) == (200, {"status": "ok"})
    head = health(service, path, method="HEAD")
    assert (head.status, head.body) == (200, b"")


def test_without_a_database(service, database):
    """/health stays 200, and /health/ready is 503 with Retry-After a second later; both return to 200 with the database"""
    assert is_ready(service)
    database.stop()
    try:
        wait_not_ready(service)
        if not COMMITTER:
            wait_until(lambda: not any(is_ready(service) for _ in range(20)), 3, "no worker is ready")
        for _ in range(20):  # more than there are workers, so that workers with and without an old connection answer
            assert health(service).status == 200
            ready = health(service, "/ready")
            assert ready.verdict == (503, "unavailable") and int(ready.headers["Retry-After"]) > 0
            assert ready.json["message"] == f"Service unavailable, please retry (request {ready.headers['X-Request-Id']})"
            assert f"answered status=503 error=unavailable request={ready.headers['X-Request-Id']}" in service.responders.log.read_text()
        assert health(service, "/ready", method="HEAD").status == 503
    finally:
        database.start()
    wait_all_ready(service)


def test_a_locked_account(service, database):
    """A server that refuses the login, such as during a change of the password, is an outage: 503 until it accepts the login"""
    user = service.installation.setting("database", "user")
    database.sql(f"ALTER USER '{user}'@'localhost' ACCOUNT LOCK")
    try:
        for number in database.sql(f"SELECT id FROM information_schema.PROCESSLIST WHERE user = '{user}'").split():
            database.sql(f"KILL {number}")
        assert health(service).status == 200
        wait_until(lambda: not any(is_ready(service) for _ in range(20)), 3, "no worker is ready")
        for path in ("/health/ready", "/v2/1?email=a@example.org"):
            refused = service.client.request("GET", path)
            assert refused.verdict == (503, "unavailable") and int(refused.headers["Retry-After"]) > 0
    finally:
        database.sql(f"ALTER USER '{user}'@'localhost' ACCOUNT UNLOCK")
    wait_all_ready(service)


@pytest.mark.skipif(not COMMITTER, reason="the committer answers")
def test_readiness_needs_no_connection_of_workers(make_service, database):
    """Concurrent readiness checks (40) leave the database's connections to sign-ups and deliveries"""
    service = make_service(workers=16, database=database)
    campaign = service.campaign(service.account())
    campaign.webhook("new_signup")
    user = failing.account(service)
    database.sql(f"ALTER USER '{user}'@'localhost' WITH MAX_USER_CONNECTIONS 6")  # committer, dispatcher (3), worker, leadhook
    try:
        failing.drop_connections(service)  # the limit does not count earlier ones
        with polled(service, 40) as statuses:
            wait_until(lambda: len(statuses) >= 200, 30, "all workers have answered")
            service.dispatcher.start()
            assert len(failing.connections(service)) <= 1 + 3
            assert campaign.post({"email": "ada@example.org"}).status == 200
            campaign.delivered(1)
            assert len(failing.connections(service)) <= 1 + 3
        assert set(statuses) == {200}
    finally:
        service.dispatcher.stop()
        database.sql(f"ALTER USER '{user}'@'localhost' WITH MAX_USER_CONNECTIONS 0")


def test_readiness_is_checked_once_a_second(make_service, database):
    """Without a committer, each worker caches its own answer for a second"""
    service = make_service(workers=1, committer=False, database=database)

    def checks():
        return int(database.sql("SELECT variable_value FROM information_schema.GLOBAL_STATUS WHERE variable_name = 'Com_stmt_execute'"))
    assert is_ready(service)
    before = checks()
    answers = at_once([lambda: health(service, "/ready").status] * 60)
    assert set(answers) == {200} and checks() - before < 60
