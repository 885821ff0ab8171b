# SPDX-License-Identifier: MIT
"""docs/api.md 5 (limits) as clients see them; tests/limit tests the windows with a clock of its own."""
import collections
import concurrent.futures
import itertools
import json
import os
import signal
import socket as sockets
import time

import fastcgi_client
import pytest
from client import new_address
from command import CONFIG, call
from html_page import check_page
from load import at_once, in_parallel
from processes import children
from service import settles
from stack.front import ApacheFcgid
from stack.process import wait_until

LIMITED = (429, "rate_limited")
ADA = {"email": "ada@example.org"}
NO_KEY = "lh_" + "x" * 43
LOOKUPS, READINESS, SIGNUPS, POSTS, FAILED_KEYS, DELETES = 100, 300, 10, 50, 30, 60


def check_refusal(response, limit, window):
    """Check for 429 with the time until the next try."""
    assert response.verdict == LIMITED
    assert response.json["message"] == "Rate limit exceeded"
    wait = int(response.headers["Retry-After"])
    assert 0 < wait <= window + window // 60
    assert (response.headers["RateLimit-Limit"], response.headers["RateLimit-Remaining"]) == (str(limit), "0")
    assert response.headers["RateLimit-Reset"] == str(wait)
    return wait


def statuses(request, count):
    return [request().status for _ in range(count)]


# --- without a key ---

def test_look_ups(campaign):
    """100 in 60 s per address, over all campaigns; HEAD, leaderboard and info count, /health and OPTIONS do not"""
    address, other = new_address(), campaign.service.campaign(campaign.account)
    campaign.lead(**ADA)
    request = campaign.client.request
    calls = [lambda: campaign.get(ADA, key=None, address=address), lambda: other.get(ADA, key=None, address=address),
             lambda: request("HEAD", campaign.path, query=ADA, address=address),
             lambda: request("GET", campaign.path + "/leaderboard", address=address),
             lambda: request("GET", f"/v1/{campaign.id}/info", query=ADA, address=address)]
    for number in range(LOOKUPS):
        assert calls[number % len(calls)]().status in (200, 404)
        assert request("OPTIONS", campaign.path, address=address).status == 204
    for call in calls:
        response = call()
        assert response.status == 429
    check_refusal(calls[0](), LOOKUPS, 60)
    assert request("GET", "/health", address=address).status == 200
    assert request("OPTIONS", campaign.path, address=address).status == 204
    assert campaign.get(ADA, key=None).status == 200  # from another address
    assert campaign.get(ADA, address=address).status == 200  # with a key
    assert campaign.post(ADA, key=None, address=address).status == 200  # a POST has another limit


def test_readiness(campaign):
    """300 in 60 s per address, which is enough for several load balancers; the checks do not count as look-ups, and /health has no limit"""
    address, request = new_address(), campaign.client.request
    answers = in_parallel([lambda: request("GET", "/health/ready", address=address).status] * (READINESS + 20))
    assert collections.Counter(answers) == {200: READINESS, 429: 20}
    for method in ("GET", "HEAD"):
        assert request(method, "/health/ready", address=address).status == 429
    check_refusal(request("GET", "/health/ready", address=address, key=campaign.key), READINESS, 60)
    assert request("GET", "/health/ready").status == request("GET", "/health", address=address).status == 200
    assert campaign.get(ADA, key=None, address=address).status == 404


def test_sign_ups(service, account):
    """at most 10 in 60 s per address and campaign, and 50 over all campaigns; subscribe counts as a POST, opt-out pages count towards the
    50"""
    address = new_address()
    campaigns = [service.campaign(account) for _ in range(5)]
    lead = campaigns[0].lead(**ADA)
    page = lead["unsubscribe_url"]["safe"].removeprefix(service.front.url)
    request = service.client.request
    for campaign in campaigns[:4]:
        calls = [lambda: campaign.post(ADA, key=None, address=address), lambda: request("POST", "/subscribe", query=ADA, address=address,
                                                                                   form={"list_id": campaign.id}),
                 lambda: request("GET", f"/v1/{campaign.id}/subscribe", query=ADA, address=address)]
        assert statuses(calls[0], 4) + statuses(calls[1], 3) + statuses(calls[2], 3) == [200] * SIGNUPS
        for call in calls:
            check_refusal(call(), SIGNUPS, 60)
    assert campaigns[4].post({}, key=None, address=address).verdict == (406, "missing_identifier")  # it passed, and counts
    for method in ("GET", "POST", "GET", "POST", "GET", "POST", "GET", "POST", "GET"):
        assert request(method, page, address=address).status == 200
    refused = request("GET", page, address=address)
    check_page(refused, 429)
    assert refused.headers["RateLimit-Limit"] == str(POSTS)
    check_refusal(campaigns[4].post(ADA, key=None, address=address), POSTS, 60)
    assert campaigns[4].get(ADA, key=None, address=address).status == 404
    assert campaigns[4].post(ADA, key=None).status == 200


def test_a_call_that_needs_a_key_counts_without_one(campaign):
    """docs/api.md 1.5: limits are checked before keys"""
    address = new_address()
    for _ in range(SIGNUPS):
        assert campaign.post(ADA, path="/points", key=None, address=address).verdict == (409, "missing_api_key")
    check_refusal(campaign.post(ADA, path="/points", key=None, address=address), SIGNUPS, 60)


def test_checks_before_the_limits(campaign):
    """docs/api.md 1.5: path, method and size of the body are checked before the limits, and such errors do not count; key and campaign are
    checked after them"""
    address, request = new_address(), campaign.client.request
    before = [(404, lambda: request("POST", "/nowhere", address=address)), (405, lambda: request("DELETE", "/subscribe", address=address)),
              (413, lambda: request("POST", campaign.path, body=b"x" * 300_000, type="text/plain", address=address))]
    for status, call in before:
        assert statuses(call, SIGNUPS + 1) == [status] * (SIGNUPS + 1)
    assert statuses(lambda: campaign.post(ADA, key=None, address=address), SIGNUPS) == [200] * SIGNUPS
    for status, call in before:
        assert call().status == status
    assert campaign.post({}, key=None, address=address).status == 429
    assert statuses(lambda: request("POST", "/v2/999999", form=ADA, address=address), SIGNUPS + 1) == [404] * SIGNUPS + [429]
    assert statuses(lambda: request("DELETE", campaign.path, address=address), POSTS + 1) == [409] * (POSTS + 1)


def test_jsonp(campaign):
    """docs/api.md 4.1.6: a refusal is also sent as a script"""
    address = new_address()
    answers = [campaign.client.request("GET", f"/v1/{campaign.id}/subscribe", query={**ADA, "jsonp": "f"}, address=address)
               for _ in range(SIGNUPS + 1)]
    assert [answer.status for answer in answers] == [200] * SIGNUPS + [429]
    refused = json.loads(answers[-1].body.removeprefix(b"f(").removesuffix(b");"))
    assert (refused["status"], refused["error"]) == LIMITED
    assert answers[-1].headers["Retry-After"] is not None


@pytest.mark.parametrize("first, second, same", [
    ("2001:db8:1:2::1", "2001:db8:1:2:ffff::9", True), ("2001:db8:1:2::1", "2001:db8:1:3::1", False),
    ("203.0.113.1", "203.0.113.2", False), ("203.0.113.7", "::ffff:203.0.113.7", True), ("198.51.100.1", "[198.51.100.1]:80", True)])
def test_callers_with_one_limit(campaign, first, second, same):
    """IPv6 addresses of a /64 share a limit; all spellings of an IPv4 address share one"""
    other = campaign.service.campaign(campaign.account)  # sign-ups are counted by campaign
    assert statuses(lambda: other.post(ADA, key=None, address=first), SIGNUPS + 1) == [200] * SIGNUPS + [429]
    assert other.post(ADA, key=None, address=second).status == (429 if same else 200)


@pytest.fixture(scope="module")
def small(make_service):
    """A service with long windows and small limits, so that whole networks can reach them."""
    rules = {"signups_per_address": "2/600s", "posts_per_address": "6/600s", "lookups_per_address": "3/600s",
             "failed_keys_per_address": "3/600s"}
    return make_service(workers=2, settings=[("limits", name, rule) for name, rule in rules.items()])


@pytest.mark.parametrize("network, neighbour, times", [("2001:db8:56:{:x}::1", "2001:db8:56:1{:02x}::1", 4),
                                                       ("2001:db8:48:{:x}00::1", "2001:db8:{:x}::1", 16)])
def test_networks_of_ipv6(small, network, neighbour, times):
    """docs/api.md 5 Address: a /56 has 4 times the limit of a /64, and a /48 16 times: sign-ups, all POST calls, look-ups, wrong keys"""
    account, numbers = small.account(), itertools.count(1)
    campaign = small.campaign(account)
    campaign.lead(**ADA)  # the host has now verified the key

    def new():
        return network.format(next(numbers))

    def each_uses_up(limit, request, status):
        for _ in range(times):
            address = new()
            assert statuses(lambda address=address: request(address), limit) == [status] * limit
        check_refusal(request(new()), times * limit, 600)
        assert request(neighbour.format(next(numbers))).status == status
    each_uses_up(2, lambda address: campaign.post(ADA, key=None, address=address), 200)
    for _ in range(2):  # 6 POST calls for each 2 sign-ups on a campaign
        other = small.campaign(account)
        for _ in range(times):
            address = new()
            assert statuses(lambda address=address: other.post(ADA, key=None, address=address), 2) == [200] * 2
    check_refusal(small.campaign(account).post(ADA, key=None, address=new()), times * 6, 600)
    each_uses_up(3, lambda address: campaign.get(ADA, key=None, address=address), 200)
    each_uses_up(3, lambda address: campaign.get(ADA, key=NO_KEY, address=address), 409)
    assert campaign.get(ADA, address=new()).status == 200


def test_trusted_proxies(make_service):
    """the address that counts is the first untrusted one in X-Forwarded-For, from the right; headers of untrusted peers are ignored"""
    strict = make_service(workers=2, settings=[("server", "trusted_proxies", "")])
    campaign = strict.campaign()
    forged = {"X_Forwarded_For": "8.8.8.8"}  # two headers that are ignored
    assert statuses(lambda: campaign.post(ADA, key=None, headers=forged), SIGNUPS + 1) == [200] * SIGNUPS + [429]
    chain = make_service(workers=2, settings=[("server", "trusted_proxies", "127.0.0.1, 192.0.2.0/24")]).campaign()

    def forged(number):
        return chain.post(ADA, key=None, address=f"10.0.0.{number}, 203.0.113.5, 192.0.2.{number}")
    assert [forged(number).status for number in range(SIGNUPS + 1)] == [200] * SIGNUPS + [429]


@pytest.mark.parametrize("name", ["X_Forwarded_For", "X.Forwarded.For", "X-Forwarded_For"])
def test_similar_header_names(campaign, name):
    """leadhook.conf(5): lighttpd joins both headers; if a trusted proxy sends two values, the call is rejected and does not count"""
    address = "203.0.113.80"

    def post(forged):
        return campaign.post(ADA, key=None, address=address, headers={name: forged})
    assert [post("8.8.8.8").verdict for _ in range(SIGNUPS + 1)] == [(400, "bad_request")] * (SIGNUPS + 1)
    assert campaign.get(ADA, headers={name: "8.8.8.8"}).verdict == (400, "bad_request")  # also with a key
    assert statuses(lambda: post(address), SIGNUPS + 1) == [200] * SIGNUPS + [429]  # the same value, sent twice


# --- with a key ---

def test_an_account(service):
    """the account's own limit, otherwise the setting (here: no limit); 60 DELETE in 60 s; calls of other accounts do not count"""
    account, stranger = service.account(), service.account()
    campaign = service.campaign(account)
    assert statuses(lambda: campaign.get(ADA), LOOKUPS + 1) == [404] * (LOOKUPS + 1)
    assert service.installation.admin("account", "limit", str(account.id), "5") == {"id": account.id}
    settles(lambda: campaign.get(ADA), *LIMITED)
    check_refusal(campaign.post(ADA), 5, 60)
    check_refusal(campaign.client.request("GET", "/v2/campaigns", key=account.key), 5, 60)
    assert campaign.get(ADA, key=stranger.key).verdict == (404, "campaign_not_found")
    assert service.campaign(stranger).get(ADA).status == 404
    assert campaign.delete({"email": "unknown@example.org"}).verdict == (400, "no_leads")
    service.installation.admin("account", "limit", str(account.id), "0")
    settles(lambda: campaign.get(ADA), 404)
    assert statuses(lambda: campaign.delete({"email": "unknown@example.org"}), DELETES) == [400] * (DELETES - 1) + [429]
    check_refusal(campaign.delete({"email": "unknown@example.org"}), DELETES, 60)
    assert campaign.get(ADA).status == 404


@pytest.mark.parametrize("limit", ["account_per_minute", "deletes_per_account"])
def test_guesses_of_campaigns_count(make_service, limit):
    """docs/api.md 5 What counts: calls with a valid key count if the campaign in their path, query or body belongs to another account or
    does not exist"""
    service = make_service(workers=2, settings=[("limits", limit, 4 if limit == "account_per_minute" else "4/60s")])
    foreign, account = service.campaign(service.account()), service.account()
    request, method = service.client.request, "POST" if limit == "account_per_minute" else "DELETE"
    guesses = [lambda: request(method, foreign.path, json_body=ADA, key=account.key),
               lambda: request(method, "/v2/999999", json_body=ADA, key=account.key)]
    if method == "POST":
        guesses += [lambda: request(method, "/v2", json_body={**ADA, "list_id": foreign.id}, key=account.key),
                    lambda: request("GET", "/v2", query={**ADA, "list_id": 999999, "api_key": account.key})]
    found = [guesses[number % len(guesses)]().verdict for number in range(4)]
    assert found == [(404, "campaign_not_found")] * 4
    for guess in guesses:
        check_refusal(guess(), 4, 60)
    own = service.campaign(account)
    check_refusal(request(method, own.path, json_body=ADA, key=account.key), 4, 60)
    assert request(method, own.path, json_body=ADA, key=foreign.key).verdict == (404, "campaign_not_found")


def test_a_default_for_accounts(make_service):
    """the setting limits.account_per_minute is checked after the account's state, before the campaign's state and the fields"""
    service = make_service(workers=2, settings=[("limits", "account_per_minute", 3)])
    first, second = service.campaign(service.account()), service.campaign(service.account())
    assert statuses(lambda: first.get(ADA), 4) == [404] * 3 + [429]
    assert second.get(ADA).status == 404
    assert first.get(ADA, key=second.key).verdict == (404, "campaign_not_found")
    first.end()
    time_of_caches = wait_until(lambda: first.post({}, key=None).status == 423, 5, "the end is in effect")
    assert time_of_caches and first.post({}).status == 429
    service.installation.admin("account", "limit", str(first.account.id), "default")
    assert first.get(ADA).status == 429
    service.installation.admin("account", "suspend", str(first.account.id))
    settles(lambda: first.get(ADA), 409, "account_suspended")
    service.installation.admin("account", "resume", str(first.account.id))
    settles(lambda: first.get(ADA), *LIMITED)


def test_a_share_of_each_limit(make_service):
    """docs/api.md 5 Several hosts: with limits.hosts = 2, half of the calls of each kind pass, also of an account's own limit; queued calls
    are counted in the database, so their limit is not shared"""
    service = make_service(workers=2, settings=[("limits", "hosts", 2), ("limits", "account_per_minute", 7),
                                                ("limits", "new_leads_per_campaign", "3/60s"), ("limits", "account_bulk_jobs", 3)])
    account = service.account()
    campaign, others = service.campaign(account), [service.campaign(service.account()) for _ in range(6)]
    request, email = service.client.request, (f"{number}@example.org" for number in itertools.count())

    def passes(limit, call):
        assert 429 not in statuses(call, limit // 2)
        check_refusal(call(), limit // 2, 60)
    address = new_address()
    passes(LOOKUPS, lambda: campaign.get(ADA, key=None, address=address))
    passes(READINESS, lambda: request("GET", "/health/ready", address=address))
    passes(SIGNUPS, lambda: campaign.post({}, key=None, address=address))
    posts = itertools.cycle(others)
    assert 429 not in statuses(lambda: next(posts).post({}, key=None, address=address), (POSTS - SIGNUPS) // 2)
    check_refusal(others[-1].post({}, key=None, address=address), POSTS // 2, 60)
    passes(FAILED_KEYS, lambda: campaign.get(ADA, key=NO_KEY, address=address))
    passes(DELETES, lambda: campaign.delete({"email": "unknown@example.org"}))
    assert statuses(lambda: campaign.post({"email": next(email)}, key=None), 3) == [200, 200, 429]
    assert statuses(lambda: campaign.get(ADA), 5) == [404] * 4 + [429]
    limited, unlimited = others[:2]  # their keys have not been read yet
    service.installation.admin("account", "limit", str(limited.account.id), "20")
    assert statuses(lambda: limited.get(ADA), 11) == [404] * 10 + [429]
    service.installation.admin("account", "limit", str(unlimited.account.id), "0")
    unlimited.lead(**ADA)
    queued = [unlimited.post(ADA, path="/optout") for _ in range(4)]
    assert [answer.verdict[0] for answer in queued] == [202] * 3 + [429] and queued[3].verdict[1] == "too_many_jobs"


def test_failed_keys(service, account, campaign):
    """at most 30 in 60 s per address; then a key that the host has not yet verified is refused without a look-up"""
    address = new_address()
    seen, unseen = account.key, service.account().key
    campaign.get(ADA)  # the host has now verified the key
    wrong = [lambda: campaign.get(ADA, key=NO_KEY, address=address), lambda: campaign.post(ADA, key="rubbish", address=address),
             lambda: campaign.client.request("GET", "/v2/campaigns", query={"api_key": "x"}, address=address)]
    for number in range(FAILED_KEYS):
        assert wrong[number % 3]().verdict == (409, "invalid_api_key")
    for request in wrong:
        check_refusal(request(), FAILED_KEYS, 60)
    check_refusal(campaign.get(ADA, key=unseen, address=address), FAILED_KEYS, 60)
    assert campaign.get(ADA, key=seen, address=address).status == 404  # lead_not_found: it passed
    assert campaign.get(ADA, key=None, address=address).status == 404
    assert campaign.get(ADA, key=unseen).verdict == (404, "campaign_not_found")  # verified at another address, …
    assert campaign.get(ADA, key=unseen, address=address).verdict == (404, "campaign_not_found")  # … so accepted here, too


def test_wrong_key_counts_once(campaign):
    """docs/api.md 2: a request with a wrong key counts only as a failed key; valid keys do not count as failed"""
    address = new_address()
    assert statuses(lambda: campaign.post(ADA, key=NO_KEY, address=address), SIGNUPS + 1) == [409] * (SIGNUPS + 1)
    assert statuses(lambda: campaign.post(ADA, key=None, address=address), SIGNUPS) == [200] * SIGNUPS
    keys = [campaign.service.account().key for _ in range(3)]
    for key in keys * FAILED_KEYS:
        assert campaign.get(ADA, key=key, address=address).status == 404


def test_many_at_once_with_a_key(make_service):
    """a new valid key passes more often than the limit of wrong keys; exactly as many calls with a wrong key as the limit get
    invalid_api_key"""
    service = make_service(workers=64)
    campaign, address = service.campaign(), new_address()
    for key, expected in ((campaign.key, {404: 64}), (NO_KEY, {409: FAILED_KEYS, 429: 64 - FAILED_KEYS})):
        found = at_once([lambda: campaign.get(ADA, key=key, address=address).status] * 64)
        assert collections.Counter(found) == expected


def test_a_revoked_key_fails(make_service):
    """docs/api.md 3: a revoked key fails even if the host has verified it before"""
    service = make_service(workers=1)  # without a committer, each worker caches keys
    campaign, address = service.campaign(service.account()), new_address()
    assert campaign.get(ADA, address=address).status == 404
    number = service.installation.admin("key", "list", str(campaign.account.id))[0]["id"]
    service.installation.admin("key", "revoke", str(number))
    settles(lambda: campaign.get(ADA), 409, "invalid_api_key")
    assert statuses(lambda: campaign.get(ADA, address=address), FAILED_KEYS + 1) == [409] * FAILED_KEYS + [429]


# --- windows, processes, failures ---

def test_a_window_slides(make_service):
    """a call passes after the time in Retry-After, and not much earlier; refused requests do not count"""
    campaign = make_service(workers=2, settings=[("limits", "signups_per_address", "2/3s 3/6s")]).campaign()
    address, passed, windows = new_address(), [], {2: 3, 3: 6}

    def post():
        before = time.monotonic()
        response = campaign.post(ADA, key=None, address=address)
        if response.status == 200:
            passed.append(before)
        return response
    for limit in (2, 3):
        while (response := post()).status == 200:
            continue
        allowed_at = time.monotonic() + int(response.headers["Retry-After"])
        assert (response.status, response.headers["RateLimit-Limit"]) == (429, str(limit))
        wait_until(lambda: post().status == 200, windows[limit] + 2, "a call passes")
        assert time.monotonic() < allowed_at + 0.5
    for limit, window in windows.items():
        assert all(sum(at <= other < at + window - 0.5 for other in passed) <= limit for at in passed)


def test_many_at_once(make_service):
    """exactly as many calls pass as the limit allows, over all processes"""
    campaign = make_service(workers=16, settings=[("limits", "lookups_per_address", "777/60s")]).campaign()
    address = new_address()
    with concurrent.futures.ThreadPoolExecutor(16) as pool:
        found = list(pool.map(lambda _: campaign.get(ADA, key=None, address=address).status, range(1200)))
    assert (found.count(404), found.count(429)) == (777, 423)


def listens(address):
    """Whether the unix socket accepts connections: its file exists a moment earlier."""
    with sockets.socket(sockets.AF_UNIX) as probe:
        return probe.connect_ex(str(address)) == 0


def direct(socket, path, address):
    """Return the status of a request without a web server."""
    return fastcgi_client.request(str(socket), REQUEST_METHOD="GET", REQUEST_URI=path, REMOTE_ADDR=address).status


def test_processes_of_different_starts(service, campaign, make_folder):
    """there is one limit for all processes of the host, whether they serve one request each (mod_fcgid) or are pre-forked; it outlives
    them"""
    installation, address, path = service.installation, "198.51.100.77", f"{campaign.path}/leaderboard"
    started, folder = [], make_folder()
    try:
        for number, workers in enumerate((0, 0, 2)):
            socket = folder / f"{number}.sock"
            child = installation.responders(workers, listen=socket)
            started.append((child.start(), socket))
            wait_until(lambda socket=socket: listens(socket), 10, "the socket")
        found = [direct(started[number % 3][1], path, address) for number in range(LOOKUPS)]
        assert found == [200] * LOOKUPS
        assert [direct(socket, path, address) for _, socket in started] == [429] * 3
        started[0][0].kill()
        started[2][0].stop()
        assert direct(started[1][1], path, address) == 429
        assert direct(installation.socket, path, address) == 429
        child = installation.responders(0, listen=folder / "new.sock")
        started.append((child.start(), folder / "new.sock"))
        wait_until(lambda: listens(folder / "new.sock"), 10, "the socket")
        assert direct(folder / "new.sock", path, address) == 429
    finally:
        for child, _ in started:
            child.kill()


def test_limits_survive_killed_workers(make_service):
    """the shared memory survives the death of any process"""
    service = make_service(workers=4)
    campaign, address, passed = service.campaign(), new_address(), 0

    def look():
        return campaign.get({}, path="/leaderboard", key=None, address=address).status
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        for pid in children(service.responders.pid):
            answers = [pool.submit(look) for _ in range(40)]
            os.kill(pid, signal.SIGKILL)
            passed += sum(answer.result() == 200 for answer in answers)
    service.wait_ready()
    assert 40 <= passed <= LOOKUPS
    wait_until(lambda: look() == 429, 10, "the limit")
    assert campaign.get({}, path="/leaderboard", key=None).status == 200


def test_a_refusal_needs_no_database(own_database, make_service):
    """docs/api.md 5: the limit is checked without the database"""
    service = make_service(database=own_database, workers=2)
    campaign, address = service.campaign(), new_address()
    assert statuses(lambda: campaign.get(ADA, key=None, address=address), LOOKUPS) == [404] * LOOKUPS
    assert statuses(lambda: campaign.get(ADA, key=NO_KEY, address=address), FAILED_KEYS) == [409] * FAILED_KEYS
    own_database.stop()
    try:
        for key, limit in ((None, LOOKUPS), (NO_KEY, FAILED_KEYS)):
            check_refusal(campaign.get(ADA, key=key, address=address), limit, 60)
        other = new_address()  # keys that could not be looked up have not counted as failed
        assert statuses(lambda: campaign.get(ADA, key=NO_KEY, address=other), FAILED_KEYS + 1) == [503] * (FAILED_KEYS + 1)
    finally:
        own_database.start()
    settles(lambda: campaign.get(ADA, key=NO_KEY, address=other), 409, "invalid_api_key")


def test_new_limits_on_hup(make_service):
    service = make_service(workers=2)
    campaign, address = service.campaign(), new_address()
    assert statuses(lambda: campaign.post(ADA, key=None, address=address), SIGNUPS + 1) == [200] * SIGNUPS + [429]
    service.installation.configure([("limits", "signups_per_address", ""), ("limits", "posts_per_address", "")])
    service.responders.send(signal.SIGHUP)
    # The old workers end when the new ones are ready.
    wait_until(lambda: set(statuses(lambda: campaign.post(ADA, key=None, address=address), 2 * POSTS)) == {200}, 15,
               "the limits are off")


def test_mod_fcgid(make_service):
    """there is one limit for all processes, even if each serves one request, as a shared host starts them"""
    service = make_service(front=ApacheFcgid)
    campaign, address = service.campaign(), new_address()
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: campaign.post(ADA, key=None, address=address).status, range(30)))
    assert (found.count(200), found.count(429)) == (SIGNUPS, 20)


def test_missing_state_dir(service, make_folder):
    """the program reports the missing folder before it accepts requests"""
    folder = make_folder()
    for path, word in ((folder / "a" / "b", "make the directory"), ("/proc/self/task", "set server.state_dir")):
        done = call(service.installation, "--workers", "1", "--listen", str(folder / "s.sock"), program="leadhook-fcgi",
                    env={"LEADHOOK_SERVER_STATE_DIR": str(path)})
        assert done.returncode == CONFIG and "no_shared_memory" in done.stderr and word in done.stderr, done.stderr


def test_bad_limits(service):
    """each invalid value is reported with a clear error"""
    for key, value in (("signups_per_address", "10"), ("posts_per_address", "0/60s"), ("lookups_per_address", "5/4s"),
                       ("deletes_per_account", "1/3s 1/6s 1/9s 1/12s 1/15s"), ("account_per_minute", "-1"), ("memory", "1k")):
        done = call(service.installation, "--check-config", program="leadhook-fcgi",
                    env={f"LEADHOOK_LIMITS_{key.upper()}": value})
        assert done.returncode == CONFIG and f"LEADHOOK_LIMITS_{key.upper()}: expected" in done.stderr, done.stderr


def test_account_limit_refuses(service, account, refused):
    """the command refuses invalid numbers and unknown accounts"""
    for value in ("x", "1000001", "1.5", "08"):
        assert "expected default or a number" in refused(65, "account", "limit", str(account.id), value)
    for words in (("account", "limit", "4294967295", "5"), ("account", "suspend", "4294967295"), ("account", "resume", "4294967295")):
        assert "there is no such account" in refused(65, *words)
    listed = {row["id"]: row for row in service.installation.admin("account", "list")}
    assert listed[account.id]["per_minute"] is None
    service.installation.admin("account", "limit", str(account.id), "0")
    listed = {row["id"]: row for row in service.installation.admin("account", "list")}
    assert listed[account.id]["per_minute"] == 0
    service.installation.admin("account", "limit", str(account.id), "default")
