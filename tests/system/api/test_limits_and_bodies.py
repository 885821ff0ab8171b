# SPDX-License-Identifier: MIT
"""docs/api.md 1.5, 5: limits are checked before the body; if the key or the campaign is in the body, they are counted after it."""
import json

import pytest
from client import multipart, new_address

ADA = {"email": "ada@example.org"}
NO_KEY = "lh_" + "x" * 43
SIGNUPS, POSTS, FAILED_KEYS = 10, 50, 30
PUBLIC_BODY = 32768
JSON = "application/json"
BROKEN = [(406, b"{", JSON), (406, b'{"a":1e400}', JSON), (415, b"x", "image/png")]


@pytest.fixture(scope="module")
def service(make_service):
    made = make_service()
    made.has_limits = True
    return made


def post(campaign, body, address, type=JSON, path=None, **options):
    return campaign.client.request("POST", path or campaign.path, body=body, type=type, address=address, **options)


def statuses(request, count):
    return [request().status for _ in range(count)]


def padded(fields, size):
    """Return JSON, padded to `size` bytes."""
    return json.dumps(fields).encode().ljust(size)


@pytest.mark.parametrize("status, body, type", BROKEN)
def test_invalid_body_counts(campaign, status, body, type):
    """docs/api.md 1.5: the limit of the address is checked before the body"""
    address = new_address()
    assert statuses(lambda: post(campaign, body, address, type), SIGNUPS + 1) == [status] * SIGNUPS + [429]
    assert campaign.post(ADA, key=None, address=address).status == 429


@pytest.mark.parametrize("status, body, type", BROKEN)
def test_invalid_body_counts_with_the_campaign_in_it(campaign, status, body, type):
    """an invalid body counts without its campaign, and therefore towards the limit of all campaigns"""
    address = new_address()
    for path in ("/v2", "/subscribe"):
        found = statuses(lambda: post(campaign, body, address, type, path=path), SIGNUPS)
        assert found == [status if path == "/v2" else 429] * SIGNUPS
    assert post(campaign, padded({**ADA, "list_id": campaign.id}, 100), address, path="/v2").status == 200


def test_invalid_body_after_the_limit_of_all_posts(campaign):
    """docs/api.md 1.5: limits that do not depend on the campaign are checked before the body"""
    address, campaigns = new_address(), [campaign.service.campaign(campaign.account) for _ in range(POSTS // SIGNUPS)]
    for other in campaigns:
        assert statuses(lambda other=other: other.post(ADA, key=None, address=address), SIGNUPS) == [200] * SIGNUPS
    assert post(campaign, b"{", address, path="/v2").status == 429


def test_a_campaign_in_the_body(campaign):
    """docs/api.md 5: such a call counts once, for its campaign; refused calls do not count"""
    address, other = new_address(), campaign.service.campaign(campaign.account)

    def sign_up(where):
        return post(where, padded({**ADA, "list_id": where.id}, 100), address, path="/v2")
    assert statuses(lambda: sign_up(campaign), 2 * SIGNUPS) == [200] * SIGNUPS + [429] * SIGNUPS
    assert statuses(lambda: sign_up(other), SIGNUPS + 1) == [200] * SIGNUPS + [429]
    third = [campaign.service.campaign(campaign.account) for _ in range(3)]
    assert [sign_up(where).status for where in third * SIGNUPS] == [200] * 3 * SIGNUPS  # POSTS in total
    assert sign_up(campaign.service.campaign(campaign.account)).status == 429


def bodies_with(key):
    fields = {**ADA, "api_key": key}
    encoded = key.replace("_", "%5F").replace("-", "%2d")
    yield from ((json.dumps(fields).encode(), JSON), (json.dumps(fields).encode(), "text/plain"),
                (json.dumps(fields).encode().replace(b"_", b"\\u005F"), JSON),
                (f"api_key={key}&email=ada@example.org".encode(), "application/x-www-form-urlencoded"),
                (f"email=ada@example.org&api_key={encoded}".encode(), "application/x-www-form-urlencoded"))
    type, body = multipart(fields.items())
    yield body, type


@pytest.mark.parametrize("known", [True, False])
def test_a_key_in_the_body(service, known):
    """docs/api.md 3: such a call counts only for its account, even from an address beyond its limits, and even if the host has not verified
    the key"""
    campaign, address = service.campaign(service.account()), new_address()
    if known:
        campaign.lead(**ADA)
    for _ in range(SIGNUPS):
        assert campaign.post(ADA, key=None, address=address).status == 200
    assert campaign.post(ADA, key=None, address=address).status == 429
    for body, type in bodies_with(campaign.key):
        response = post(campaign, body, address, type)
        assert response.status == 200 and "ip" in response.json, body
    fresh = new_address()
    assert statuses(lambda: post(campaign, next(bodies_with(campaign.key))[0], fresh), SIGNUPS + 1) == [200] * (SIGNUPS + 1)
    assert statuses(lambda: campaign.post(ADA, key=None, address=fresh), SIGNUPS + 1) == [200] * SIGNUPS + [429]


def test_an_account_counts_once(service):
    """docs/api.md 5: a call counts once, with the key in a header or in the body"""
    account = service.account()
    campaign, limit = service.campaign(account), 9
    service.installation.admin("account", "limit", str(account.id), str(limit))
    ways = [lambda: campaign.post(ADA), lambda: campaign.post({**ADA, "api_key": campaign.key}, key=None),
            lambda: post(campaign, b"{", None, key=campaign.key),
            lambda: post(campaign, padded({**ADA, "list_id": campaign.id}, 100), None, path="/v2", key=campaign.key),
            lambda: campaign.client.request("POST", campaign.path, json_body=ADA, query={"api_key": campaign.key})]
    found = [ways[number % len(ways)]().status for number in range(limit)]
    assert found == [(200, 200, 406, 200, 200)[number % len(ways)] for number in range(limit)]
    assert [way().status for way in ways] == [429] * len(ways)


def test_key_in_the_body_has_precedence(service, campaign):
    """docs/api.md 1.1, 3: the key in the body counts; an empty key counts as none"""
    stranger = service.account()
    for headers, query in (({"Authorization": "Basic dXNlcjpwYXNz"}, None), ({}, {"api_key": stranger.key}),
                           ({"Authorization": stranger.key}, {"api_key": "x"})):
        for key, verdict in ((campaign.key, 200), (stranger.key, 404), (NO_KEY, 409)):
            response = campaign.client.request("POST", campaign.path, json_body={**ADA, "api_key": key}, headers=headers, query=query)
            assert response.status == verdict, (headers, query, key)
    response = campaign.client.request("POST", campaign.path, json_body={**ADA, "api_key": None}, query={"api_key": campaign.key})
    assert response.status == 200 and "ip" not in response.json
    for key in ("rubbish", "lh_", ["x"], True):
        response = campaign.client.request("POST", campaign.path, json_body={**ADA, "api_key": key}, key=campaign.key)
        assert response.status == (409 if isinstance(key, str) else 406)


def test_wrong_key_with_an_invalid_body(campaign):
    """docs/api.md 5: the call counts as a wrong key in a header or in the query, and the body is not read"""
    address = new_address()
    ways = [lambda: post(campaign, b"{", address, key=NO_KEY), lambda: post(campaign, b"{", address, query={"api_key": "x"}),
            lambda: post(campaign, b"{", address, path="/v2", key="x")]
    found = [ways[number % len(ways)]().status for number in range(FAILED_KEYS)]
    assert found == [409] * FAILED_KEYS
    assert [way().status for way in ways] == [429] * len(ways)
    assert campaign.post(ADA, key=None, address=address).status == 200


def test_large_bodies_without_a_key(campaign):
    """docs/api.md 1.3: the maximum is 32 KiB; larger bodies do not count; a call that needs a key reports that the key is missing, and
    counts"""
    address = new_address()
    for path in (campaign.path, "/v2", "/subscribe"):
        body = padded({**ADA, "list_id": campaign.id}, PUBLIC_BODY + 1)
        response = post(campaign, body, address, path=path)
        assert response.verdict == (413, "body_too_large") and "key" in response.json["message"]
        assert post(campaign, b"[" * (PUBLIC_BODY + 1), address, path=path).status == 413
        assert post(campaign, body[:-1], new_address(), path=path).status == 200
        assert post(campaign, body, address, path=path, key=campaign.key).status == 200
    assert statuses(lambda: campaign.post(ADA, key=None, address=address), SIGNUPS) == [200] * SIGNUPS
    body, address = padded(ADA, PUBLIC_BODY + 1), new_address()
    found = [post(campaign, body, address, path=campaign.path + "/optout").status for _ in range(SIGNUPS + 1)]
    assert found == [409] * SIGNUPS + [429]


@pytest.mark.parametrize("path", ["", "/optout"])
def test_large_body_with_an_apparent_key(service, path):
    """docs/api.md 5: the body is read; if it contains no valid key, it counts as a wrong key, and such bodies are limited"""
    account = service.account()
    campaign, address = service.campaign(account), new_address()
    campaign.post(ADA, key=None)
    good = padded({**ADA, "api_key": account.key}, PUBLIC_BODY + 1)
    assert post(campaign, good, new_address(), path=campaign.path + path).status in (200, 202)  # the first use of the key
    decoys = [(padded({**ADA, "a": NO_KEY}, PUBLIC_BODY)[:-1] + b"   {", 406),
              (padded({**ADA, "a": NO_KEY, "api_key": True}, PUBLIC_BODY + 1), 406),
              (padded({**ADA, "api_key": NO_KEY}, PUBLIC_BODY + 1), 409)]
    if not path:  # other paths count for their address, like calls without a key
        decoys += [(padded({**ADA, "a": NO_KEY}, PUBLIC_BODY + 1), 413), (padded({**ADA, "a": "lh%5F"}, PUBLIC_BODY + 1), 413)]
    for number in range(FAILED_KEYS):
        body, status = decoys[number % len(decoys)]
        assert post(campaign, body, address, path=campaign.path + path).status == status
    for body, _ in decoys:
        response = post(campaign, body, address, path=campaign.path + path)
        assert (response.status, response.headers["RateLimit-Limit"]) == (429, str(FAILED_KEYS))
    assert post(campaign, good, address, path=campaign.path + path).status in (200, 202)  # the host has verified that key
    assert campaign.post(ADA, key=None, address=address).status == 200


@pytest.mark.parametrize("revoked", [True, False])
@pytest.mark.parametrize("body, status", [({**ADA, "a": "{key}"}, 413), ({**ADA, "a": "{key}", "api_key": True}, 406),
                                          ({**ADA, "a": "{key}", "api_key": NO_KEY}, 429), ("{{ {key}", 406)])
def test_known_key_without_its_call(service, revoked, body, status):
    """docs/api.md 5 Wrong keys: a large body with the text of a known key is read once, unless this is the key of the call"""
    account = service.account()
    campaign, address = service.campaign(account), new_address()
    campaign.lead(**ADA)  # the host has verified the key
    if revoked:
        number = service.installation.admin("key", "list", str(account.id))[0]["id"]
        service.installation.admin("key", "revoke", str(number))
    assert statuses(lambda: campaign.post(ADA, key=NO_KEY, address=address), FAILED_KEYS + 1) == [409] * FAILED_KEYS + [429]
    text = (body if isinstance(body, str) else json.dumps(body)).replace("{key}", account.key).encode()

    def send():
        return post(campaign, text.ljust(PUBLIC_BODY + 1), address)
    assert send().status == status
    for _ in range(3):
        refused = send()
        assert (refused.status, refused.headers["RateLimit-Limit"]) == (429, str(FAILED_KEYS))
    good = padded({**ADA, "api_key": account.key}, PUBLIC_BODY + 1)
    assert post(campaign, good, address).status == 429
    if not revoked:
        assert post(campaign, good, new_address()).status == 200  # used from another address, so it is known again
        assert post(campaign, good, address).status == 200


def test_errors_before_the_body(campaign):
    """docs/api.md 1.5: /health, calls that lack a key they need, and campaigns that do not exist"""
    request = campaign.client.request
    for path in ("/health", "/health/ready"):
        assert request("GET", path, query="a=%ff").status == 200
    assert request("DELETE", campaign.path, body=b"{", type=JSON).verdict == (409, "missing_api_key")
    assert request("POST", campaign.path + "/optout", body=b"{", type=JSON).verdict == (409, "missing_api_key")
    assert request("POST", "/v2/999999", body=b"{", type=JSON).verdict == (404, "campaign_not_found")


UNREADABLE = [("", {**ADA, "api_key": ["x"]}, None), ("", {**ADA, "api_key": ["x"], "a": NO_KEY}, None),
              ("", ADA, {"api_key[]": "x"}), ("/v2", {**ADA, "campaign_id": ["1"]}, None),
              ("/v2", {**ADA, "campaign_id": ["1"], "a": NO_KEY}, None), ("/v2", ADA, {"campaign_id[]": "1"})]


@pytest.mark.parametrize("path, fields, query", UNREADABLE)
def test_unreadable_key_or_campaign_counts(campaign, path, fields, query):
    """docs/api.md 5: such errors count; an array as key or campaign counts as none"""
    address = new_address()
    body = json.dumps(fields).encode()
    found = statuses(lambda: post(campaign, body, address, path=path or None, query=query), SIGNUPS + 1)
    assert found == [406] * SIGNUPS + [429]


def test_unreadable_campaign_counts_for_the_account(service):
    """docs/api.md 5: with a key, such errors count for its account"""
    account = service.account()
    campaign = service.campaign(account)
    service.installation.admin("account", "limit", str(account.id), "5")
    body = json.dumps({**ADA, "campaign_id": ["1"]}).encode()
    assert statuses(lambda: post(campaign, body, None, path="/v2", key=account.key), 6) == [406] * 5 + [429]


def test_escaped_key_counts_for_its_account(service):
    """docs/api.md 3, 5: a key may have every escape of JSON and of forms"""
    account = service.account()
    campaign, limit = service.campaign(account), 8
    service.installation.admin("account", "limit", str(account.id), str(limit))
    escaped = "".join(f"\\u{ord(character):04x}" for character in account.key)
    form = "".join(f"%{ord(character):02X}" for character in account.key)
    bodies = [(f'{{"email": "ada@example.org", "api_key": "{escaped}"}}'.encode(), JSON),
              (f"email=ada@example.org&api_key={form}".encode(), "application/x-www-form-urlencoded")]
    ways = [(body, type, path) for body, type in bodies for path in (campaign.path, campaign.path + "/optout")]
    for round in range(limit // len(ways)):
        assert [post(campaign, body, new_address(), type, path=path).status for body, type, path in ways] == [200, 202] * 2
    assert [post(campaign, body, new_address(), type, path=path).status for body, type, path in ways] == [429] * len(ways)
