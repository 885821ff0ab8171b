# SPDX-License-Identifier: MIT
"""docs/api.md 4.1, GET /health/echo: what `leadhook doctor` sends. For all other callers, the path does not exist."""
import base64
import hashlib
import hmac
import time

import pytest
from stack.process import wait_until

METHODS = ("GET", "HEAD", "POST", "DELETE", "PUT", "OPTIONS")
MINUTE = 60000


@pytest.fixture(scope="module")
def database(own_database):
    return own_database


@pytest.fixture(scope="module")
def secret(service):
    return bytes.fromhex(service.installation.sql("SELECT HEX(value) FROM lh_installation WHERE name = 'server_secret'"))


def token(secret, age=0, purpose=b"leadhook probe v1:"):
    """A token made `age` milliseconds ago."""
    made = str(int(time.time() * 1000) - age).encode()
    signature = hmac.new(secret, purpose + made, hashlib.sha256).digest()[:18]
    return made.decode() + "." + base64.urlsafe_b64encode(signature).decode()


def echo(service, token, method="GET", **options):
    return service.client.request(method, f"/health/echo/{token}", **options)


def test_what_arrives(service, secret):
    """It shows the address and digests of Authorization and body, but no text of the request."""
    response = echo(service, token(secret), "POST", body=b"x" * 200000, type="text/plain", key="word", address="203.0.113.9")
    assert response.status == 200
    fields = response.json
    assert list(fields) == ["version", "peer", "peer_is_trusted", "client", "forwarded", "authorization", "body_bytes", "body", "body_ms"]
    assert [fields[name] for name in ("peer", "peer_is_trusted", "client", "forwarded")] == ["127.0.0.1", True, "203.0.113.9", True]
    assert fields["authorization"] == hashlib.sha256(b"Bearer word").hexdigest() and b"word" not in response.body
    assert (fields["body_bytes"], fields["body"]) == (200000, hashlib.sha256(b"x" * 200000).hexdigest())
    bare = echo(service, token(secret)).json
    assert (bare["peer"], bare["authorization"], bare["body_bytes"]) == ("127.0.0.1", None, 0)


def without_id(response):
    return response.status, {**response.headers, "X-Request-Id": None, "Date": None}, response.body


@pytest.mark.parametrize("method", METHODS)
def test_strangers(service, secret, method):
    """Without a valid token, the path is like any unknown path, with every method."""
    unknown = without_id(service.client.request(method, "/health/nothing/there"))
    good = token(secret)
    for wrong in ("x", "0.x", good[:-1], good + "A", good.replace(".", ""), token(secret, MINUTE + 1000),
                  token(secret, -MINUTE - 1000), token(b"x" * 32), token(secret, purpose=b"leadhook status v1:"), good + "/x"):
        assert without_id(echo(service, wrong, method)) == unknown, wrong
    valid = echo(service, good, method)
    assert valid.status == {"GET": 200, "HEAD": 200, "POST": 200, "OPTIONS": 204}.get(method, 405)


def test_without_a_database(make_service, own_database):
    """A worker that has not read the secret cannot judge a valid token: until it can, the path is unknown."""
    fresh = make_service(workers=1)
    own_database.stop()
    try:
        unknown = without_id(fresh.client.request("GET", "/health/nothing/there"))
        for one in ("0.x", token(b"x" * 32), token(b"x" * 32)):
            assert without_id(echo(fresh, one)) == unknown, one
    finally:
        own_database.start()
    genuine = bytes.fromhex(fresh.installation.sql("SELECT HEX(value) FROM lh_installation WHERE name = 'server_secret'"))
    wait_until(lambda: echo(fresh, token(genuine)).status == 200, 20, "the worker reads the secret")
