# SPDX-License-Identifier: MIT
"""docs/api.md 4.1.8: an API key as the password in older plugins."""
import collections
import json

import pytest
from client import multipart, new_address
from load import at_once
from service import settles

PATH = "/v1/authenticate"
NO_KEY = "lh_" + "x" * 43
POSTS, FAILED_KEYS = 50, 30
MISSING, INVALID, LIMITED = (409, "missing_api_key"), (409, "invalid_api_key"), (429, "rate_limited")


@pytest.fixture(scope="module")
def service(make_service):
    return make_service(settings=[("compat", "authenticate", "on")])


def log_in(service, password, address=None, **options):
    if not options:
        options = {"json_body": {"email": "owner@example.org", "password": password}}
    return service.client.request("POST", PATH, address=address, **options)


def test_a_key_as_password(service, account):
    """200 with the key, for each type of body; the email address and keys in other places are not read"""
    fields = {"email": "owner@example.org", "password": account.key}
    kind, body = multipart(fields.items())
    for sent in ({"json_body": fields}, {"form": fields}, {"body": body, "type": kind}, {"query": fields},
                 {"body": json.dumps(fields).replace("lh_", "\\u006ch\\u005f").encode(), "type": "application/json"},
                 {"json_body": {"password": account.key}}, {"json_body": {**fields, "email": "no address"}},
                 {"json_body": {"password": f" {account.key}\n", "api_key": NO_KEY}, "key": NO_KEY}):
        answer = service.client.request("POST", PATH, **sent)
        assert (answer.status, answer.json) == (200, {"api_key": account.key}), sent
        assert answer.headers["Cache-Control"] == "no-store"
    assert service.client.request("GET", "/v2/campaigns", key=answer.json["api_key"]).status == 200
    assert service.client.request("GET", PATH).verdict == (405, "method_not_allowed")


def test_switched_off(make_service):
    """by default, the path is unknown for every method and body, and calls of it do not count"""
    service = make_service()
    account, address = service.account(), new_address()
    for _ in range(POSTS + 1):
        answer = log_in(service, account.key, address)
        assert answer.verdict == (404, "not_found") and "Allow" not in answer.headers
    assert service.client.request("GET", PATH).verdict == (404, "not_found")
    assert service.client.request("POST", PATH, body=b"{" * 300_000, type="application/json").status == 404


@pytest.mark.parametrize("password", [NO_KEY, "hunter2", "lh_", 42, "p" * 4000, "ä%\\u0061"],
                         ids=["key", "word", "prefix", "number", "long", "escapes"])
def test_wrong_passwords_count(service, account, password):
    """docs/api.md 5 Wrong keys: 409 up to the limit, then 429, even for a valid key that the host has not seen before; a key that it has
    seen passes"""
    address = new_address()
    for _ in range(FAILED_KEYS):
        assert log_in(service, password, address).verdict == INVALID
    refused = log_in(service, password, address)
    assert refused.verdict == LIMITED and refused.headers["RateLimit-Limit"] == str(FAILED_KEYS)
    unseen = service.account()
    assert log_in(service, unseen.key, address).verdict == LIMITED
    assert service.client.request("GET", "/v2/campaigns", key=NO_KEY, address=address).verdict == LIMITED
    assert log_in(service, unseen.key).status == 200
    escaped = json.dumps({"password": unseen.key}).replace("lh_", "\\u006ch\\u005f").encode()
    for sent in ({}, {"body": escaped, "type": "application/json"}):
        assert log_in(service, unseen.key, address, **sent).status == 200


def test_keys_and_passwords_share_the_limit(service):
    """docs/api.md 5: wrong keys in headers and wrong passwords count together"""
    address = new_address()
    for _ in range(FAILED_KEYS):
        assert service.client.request("GET", "/v2/campaigns", key=NO_KEY, address=address).verdict == INVALID
    assert log_in(service, NO_KEY, address).verdict == log_in(service, "hunter2", address).verdict == LIMITED


def test_many_at_once(service):
    """of concurrent calls, exactly as many passwords are compared as the limit allows"""
    address = new_address()
    found = at_once([lambda: log_in(service, NO_KEY, address).status] * 48)
    assert collections.Counter(found) == {409: FAILED_KEYS, 429: 48 - FAILED_KEYS}


def test_a_missing_password(service, account):
    """409 missing_api_key, even with a key in another place; the call counts as a POST, whatever campaign it names"""
    address = new_address()
    assert service.client.request("POST", PATH, json_body={"api_key": account.key}, key=account.key).verdict == MISSING
    bodies = [{"email": "owner@example.org"}, {"password": ""}, {"password": None}, {}]
    for number in range(POSTS):
        answer = service.client.request("POST", PATH, json_body={**bodies[number % 4], "campaign_id": number}, address=address)
        assert answer.verdict == MISSING
    for sent in ({"json_body": {}}, {"body": b""}, {"form": {"email": "x@example.org"}}):
        assert service.client.request("POST", PATH, address=address, **sent).verdict == LIMITED


def test_passwords_that_are_no_text(service, account):
    """docs/api.md 1.1, 1.3: objects, arrays, booleans and texts over 4 KiB get 406, a body over 32 KiB gets 413; no answer contains a
    key"""
    for password in ({"a": account.key}, [account.key, account.key], True, "p" * 4097):
        assert log_in(service, password).verdict == (406, "invalid_parameter"), password
    assert log_in(service, account.key + "p" * 33000).verdict == (413, "body_too_large")
    assert log_in(service, None, body=b'{"password":"' + account.key.encode(), type="application/json").verdict == (406, "invalid_json")
    assert log_in(service, None, body=b"x", type="image/png").verdict == (415, "unsupported_media_type")


def test_suspended_and_revoked(service):
    """docs/api.md 2 account_suspended; 3: a revoked key counts as a wrong key"""
    suspended, revoked = service.account(), service.account()
    assert log_in(service, suspended.key).status == log_in(service, revoked.key).status == 200
    service.installation.admin("account", "suspend", str(suspended.id))
    settles(lambda: log_in(service, suspended.key), 409, "account_suspended")
    number = service.installation.admin("key", "list", str(revoked.id))[0]["id"]
    service.installation.admin("key", "revoke", str(number))
    settles(lambda: log_in(service, revoked.key), 409, "invalid_api_key")


def test_nothing_is_logged(service, account):
    """neither the password nor the email address is in a log; helpers/log_hygiene.py also reads the logs at the end of the module"""
    log_in(service, "a-secret-password")
    text = service.responders.log.read_text(encoding="utf-8")
    assert "a-secret-password" not in text and account.key not in text and "owner@" not in text
