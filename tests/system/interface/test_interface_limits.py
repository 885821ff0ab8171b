# SPDX-License-Identifier: MIT
"""docs/requirements.md, Limits, row by row, with the default settings, for campaigns that were created without any setting."""
import itertools
import time

import pytest
from marks import takes_a_clock
from client import new_address
from interface import send
from load import in_parallel
from stack.clock import Clock

ADA = {"email": "ada@example.org"}
GETS, POSTS, ALL_POSTS, DELETES, WINDOW = 100, 10, 50, 60, 60  # a minute
VISITORS = 700


@pytest.fixture(scope="module")
def service(front, make_service):
    made = make_service(front=front, workers=4)
    yield made
    made.stop()


@pytest.fixture
def campaign(service, account):
    return service.plain_campaign(account)


def passes(limit, calls):
    """Check that as many consecutive calls pass as the limit allows, plus those for the minutes that a busy host takes; then "Exceeding a
    rate limit gives 429"."""
    began, found, calls = time.monotonic(), [], itertools.cycle(calls)
    while (answer := next(calls)()).status != 429:
        found.append(answer.status)
        assert len(found) <= limit * (1 + (time.monotonic() - began) / WINDOW)
    assert len(found) >= limit
    assert answer.verdict == (429, "rate_limited") and 0 < int(answer.headers["Retry-After"]) <= WINDOW + 1
    return found


def test_unauthenticated_gets(campaign):
    """Unauthenticated campaign GET, per IP: 100 per minute; other addresses, calls with a key and preflights are not affected"""
    address = new_address()
    assert send(campaign, "POST", ADA).status == 200
    found = passes(GETS, [lambda: send(campaign, "GET", ADA, "query", address=address),
                          lambda: send(campaign, "GET", {"email": "no@example.org"}, "query", address=address)])
    assert set(found[::2]) == {200} and set(found[1::2]) == {404}
    assert send(campaign, "GET", ADA, "query").status == 200
    assert send(campaign, "GET", ADA, "query", address=address, key=campaign.key).status == 200
    assert send(campaign, "POST", ADA, address=address).status == 200
    assert campaign.client.request("OPTIONS", campaign.path, address=address).status == 204


def test_unauthenticated_posts(campaign):
    """Unauthenticated campaign POST, per IP: 10 per minute; new leads, known leads and errors count alike"""
    address, numbers = new_address(), itertools.count()
    found = passes(POSTS, [lambda: send(campaign, "POST", {"email": f"{next(numbers)}@example.org"}, address=address),
                           lambda: send(campaign, "POST", {"email": "0@example.org"}, address=address)])
    assert set(found) == {200}
    assert campaign.stats()["total"] == (len(found) + 1) // 2
    assert send(campaign, "POST", ADA).status == 200
    assert send(campaign, "POST", ADA, address=address, key=campaign.key).status == 200
    assert send(campaign, "GET", ADA, address=address).status == 200


@pytest.fixture(scope="module")
def jumping(make_service, make_folder):
    """A service, and the clock of its responders."""
    service = make_service(workers=2, settings=[("server", "sandbox", "off")])  # a sandbox would hide the file of the clock
    clock = Clock(make_folder() / "clock", monotonic=True)
    service.responders.stop()
    service.responders.argv = [*clock.words, *service.responders.argv]
    service.responders.start()
    service.wait_ready()
    return service, clock


@takes_a_clock
@pytest.mark.parametrize("method, numbers", [("GET", (100, 200, 300)), ("POST", (10, 20, 30))])
def test_windows(jumping, method, numbers):
    """Unauthenticated campaign GET and POST, per IP: limits per minute, per 3 minutes and per 9 minutes"""
    service, clock = jumping
    campaign, address = service.plain_campaign(), new_address()
    assert send(campaign, "POST", ADA).status == 200
    start, began, passed = clock.seconds, time.monotonic(), 0
    for limit, minutes in zip(numbers, (1, 3, 9)):
        found = [send(campaign, method, ADA, "query", address=address) for _ in range(limit - passed + 1)]
        assert [answer.status for answer in found] == [200] * (limit - passed) + [429]
        assert found[-1].headers["RateLimit-Limit"] == str(limit)
        clock.jump(start + minutes * 60 - 10)
        refused = send(campaign, method, ADA, "query", address=address).status == 429
        assert refused or time.monotonic() - began > 10, "unless the host is very busy"
        clock.jump(start + minutes * 61 + 1)
        passed = limit
    assert send(campaign, method, ADA, "query", address=address).status == 200


def test_all_unauthenticated_posts(service, account):
    """Global unauthenticated POST, per IP: 50 per minute, in all campaigns together"""
    address = new_address()
    campaigns = [service.plain_campaign(account) for _ in range(ALL_POSTS // POSTS + 1)]
    for campaign in campaigns[:-1]:
        for _ in range(POSTS):
            assert send(campaign, "POST", ADA, address=address).status == 200
    for campaign in campaigns:
        assert send(campaign, "POST", ADA, address=address).verdict == (429, "rate_limited")
    assert send(campaigns[-1], "POST", ADA).status == 200


def test_deletes(service):
    """DELETE requests, per account: 60 per minute, over all campaigns and paths; other accounts are not affected"""
    account, other = service.account(), service.account()
    first, second, foreign = service.plain_campaign(account), service.plain_campaign(account), service.plain_campaign(other)

    def delete(campaign, path):
        return send(campaign, "DELETE", {"url": "https://hooks.example/"} if path else ADA, path=path, key=campaign.key)
    found = passes(DELETES, [lambda: delete(first, ""), lambda: delete(second, "/outbound-webhook")])
    assert set(found[::2]) == {400} and set(found[1::2]) == {404}
    assert delete(foreign, "").status == 400
    assert send(first, "POST", ADA, key=account.key).status == 200


def test_authenticated_calls(campaign):
    """Authenticated account GET/POST: counted by account, not by address"""
    address = new_address()
    for method, fields in (("POST", ADA), ("GET", ADA)):
        for _ in range(GETS + POSTS):
            assert send(campaign, method, fields, address=address, key=campaign.key).status == 200


def test_many_visitors(campaign):
    """No row limits the sign-ups of a campaign: visitors with different addresses are all accepted"""
    visitors = [lambda number=number: send(campaign, "POST", {"email": f"{number}@example.org"}).status for number in range(VISITORS)]
    assert set(in_parallel(visitors, 4)) == {200}
    assert campaign.stats()["total"] == VISITORS
