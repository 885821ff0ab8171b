# SPDX-License-Identifier: MIT
"""docs/api.md 4.1, health: what a load balancer or a monitor asks. /health is about the program, /health/ready about the service."""
import pytest
from stack.process import wait_until


@pytest.fixture(scope="module")
def database(own_database):
    return own_database


def health(service, path="", method="GET", **options):
    return service.client.request(method, "/health" + path, **options)


@pytest.mark.smoke
@pytest.mark.parametrize("path", ["", "/ready"])
def test_with_a_database(service, path):
    """200 for both; no key is asked for, and a wrong one does not matter"""
    for options in ({}, {"key": "lh_wrong"}, {"query": {"api_key": "x"}}):
        response = health(service, path, **options)
        assert (response.status, response.json) == (200, {"status": "ok"})
    head = health(service, path, method="HEAD")
    assert (head.status, head.body) == (200, b"")


def test_without_a_database(service, database):
    """/health stays 200, /health/ready is 503 with Retry-After; both are 200 again by themselves when it is back"""
    database.stop()
    try:
        for _ in range(20):  # more than there are workers: those with an old connection and those without
            assert health(service).status == 200
            ready = health(service, "/ready")
            assert ready.verdict == (503, "unavailable") and int(ready.headers["Retry-After"]) > 0
            assert ready.json["message"] == f"Service unavailable, please retry (request {ready.headers['X-Request-Id']})"
            assert f"answered status=503 error=unavailable request={ready.headers['X-Request-Id']}" in service.responders.log.read_text()
        assert health(service, "/ready", method="HEAD").status == 503
    finally:
        database.start()
    wait_until(lambda: health(service, "/ready").status == 200, 10, "ready again")
    assert all(health(service, "/ready").status == 200 for _ in range(20))


def test_a_locked_account(service, database):
    """A server that does not let us in (a password that is being changed) is no defect: 503 until it does"""
    user = service.installation.setting("database", "user")
    database.sql(f"ALTER USER '{user}'@'localhost' ACCOUNT LOCK")
    try:
        for number in database.sql(f"SELECT id FROM information_schema.PROCESSLIST WHERE user = '{user}'").split():
            database.sql(f"KILL {number}")
        assert health(service).status == 200
        for path in ("/health/ready", "/v2/1?email=a@example.org"):
            refused = service.client.request("GET", path)
            assert refused.verdict == (503, "unavailable") and int(refused.headers["Retry-After"]) > 0
    finally:
        database.sql(f"ALTER USER '{user}'@'localhost' ACCOUNT UNLOCK")
    assert health(service, "/ready").status == 200
