# SPDX-License-Identifier: MIT
"""docs/api.md 1.1, 1.2: bodies that programs and pages send make a lead, whatever their type and encoding."""
import gzip
import json
import urllib.parse

import pytest
from client import multipart

NORA = {"email": "nora@example.org", "first_name": "Nora"}
PAIRS = urllib.parse.urlencode(NORA).encode()
TEXT = json.dumps(NORA).encode()
LINES = b"email=nora@example.org\r\nfirst_name=Nora\r\n"
PARTS = multipart(NORA.items())


def paths(campaign):
    return f"/v2/{campaign.id}", f"/v1/{campaign.id}/subscribe"


@pytest.mark.parametrize("type, body", [
    ("text/plain;charset=UTF-8", PAIRS), ("text/plain", TEXT), ("text/plain", LINES), ("application/x-www-form-urlencoded", TEXT),
    ("application/x-www-form-urlencoded; charset=UTF-8", b"\n  " + TEXT), ("application/json", PAIRS),
    ("text/json", TEXT), ("text/json", PAIRS),
    ("application/vnd.api+json", TEXT), ("application/ld+json; charset=utf-8", TEXT), ("application/octet-stream", TEXT),
    ("application/octet-stream", PAIRS), ("text/html", PAIRS), ("*/*", TEXT), ("undefined", TEXT), (None, TEXT), (None, PAIRS),
    ("multipart/form-data", PARTS[1]), ("application/json", PARTS[1]), ("multipart/form-data; boundary=x", PAIRS),
    ("application/json; charset=iso-8859-1", TEXT), ("application/json;charset=ISO-8859-1", b"\xef\xbb\xbf" + TEXT)])
def test_the_first_sign_decides(campaign, type, body):
    """docs/api.md 1.2: the beginning of the body decides how it is read"""
    for path in paths(campaign):
        answer = campaign.client.request("POST", path, body=body, type=type)
        assert answer.status == 200 and answer.json["first_name"] == "Nora", answer.body


@pytest.mark.parametrize("type, body, verdict", [
    ("image/png", b"\x89PNG\r\n", (415, "unsupported_media_type")), ("application/xml", b"<a/>", (415, "unsupported_media_type")),
    ("text/plain", b"hello, world", (415, "unsupported_media_type")), ("application/json", b"nora", (406, "invalid_json")),
    ("application/x-www-form-urlencoded", b"{email:nora@example.org}", (406, "invalid_json")),
    ("text/plain", TEXT + b"x", (406, "invalid_json"))])
def test_other_bodies(campaign, type, body, verdict):
    """docs/api.md 1.2: 415 for other formats, 406 for bodies that look like JSON but are not valid"""
    assert campaign.client.request("POST", campaign.path, body=body, type=type).verdict == verdict
    assert campaign.stats()["total"] == 0


@pytest.mark.parametrize("type, body", [("application/json", TEXT), ("application/x-www-form-urlencoded", PAIRS), ("text/plain", LINES), PARTS])
def test_compressed_bodies(campaign, type, body):
    """docs/api.md 1.2: gzip is read; incomplete gzip streams and other encodings are refused, with their name"""
    for headers in ({"Content-Encoding": "gzip"}, {}):
        answer = campaign.client.request("POST", campaign.path, body=gzip.compress(body), type=type, headers=headers)
        assert answer.status == 200 and answer.json["first_name"] == "Nora", answer.body
    broken = campaign.client.request("POST", campaign.path, body=gzip.compress(body)[:-9], type=type)
    assert broken.verdict == (406, "invalid_parameter") and "gzip" in broken.json["message"]
    other = campaign.client.request("POST", campaign.path, body=body, type=type, headers={"Content-Encoding": "br"})
    assert other.verdict == (415, "unsupported_media_type") and "br" in other.json["message"]
    assert other.headers["Accept-Encoding"] == "gzip"


def test_the_size_of_compressed_bodies(campaign):
    """docs/api.md 1.2: the size of the decompressed body counts; a larger body needs a key that is not in the body"""
    body = gzip.compress(b"{" + b" " * 40000 + b'"email":"nora@example.org"}')
    assert len(body) < 1000
    assert campaign.client.request("POST", campaign.path, body=body, type="application/json").verdict == (413, "body_too_large")
    assert campaign.client.request("POST", campaign.path, body=body, type="application/json", key=campaign.key).status == 200


@pytest.mark.parametrize("type, body", [
    ("application/x-www-form-urlencoded", b"email=jose@example.org&first_name=Jos%E9"),
    ("application/x-www-form-urlencoded; charset=iso-8859-1", b"email=jose@example.org&first_name=Jos\xe9"),
    ("application/x-www-form-urlencoded; charset=windows-1252", b"email=jose@example.org&first_name=Jos%C3%A9&_charset_=windows-1252"),
    ("application/json", b'{"email":"jose@example.org","first_name":"Jos\xe9"}'),
    ("application/json; charset=latin1", b'{"email":"jose@example.org","first_name":"Jos\xe9"}'),
    ("text/plain", b"email=jose@example.org\r\nfirst_name=Jos\xe9\r\n"),
    ("multipart/form-data; boundary=X", b'--X\r\nContent-Disposition: form-data; name="email"\r\n\r\njose@example.org\r\n--X\r\n'
     b'Content-Disposition: form-data; name="first_name"\r\n\r\nJos\xe9\r\n--X--')])
def test_another_encoding_costs_no_lead(campaign, type, body):
    """docs/api.md 1.1 Values: text in another encoding does not prevent a lead"""
    for path in paths(campaign):
        answer = campaign.client.request("POST", path, body=body, type=type)
        assert answer.status == 200 and answer.json["first_name"] == "José", answer.body
    query = campaign.client.request("GET", f"/v1/{campaign.id}/subscribe?email=rene@example.org&first_name=Ren%E9&city=%80")
    assert query.json["first_name"] == "René" and campaign.find(email="rene@example.org")["custom_fields"]["city"] == "€"


@pytest.mark.parametrize("sent, stored", [
    ("first\u000bsecond", "first\nsecond"), ("first\u000csecond", "first\nsecond"), ("first\u2028second\u2029", "first\nsecond"),
    ("first\u0085second", "first\nsecond"), ("fi\u0000r\u001bst\u007f\u0080", "first"), ("a\tb", "a\tb"), ("\u0001", "")])
def test_control_characters_cost_no_lead(campaign, sent, stored):
    """docs/api.md 1.1 Values: control characters in custom fields, their names, and ids do not prevent a lead"""
    assert campaign.lead(**NORA, notes=sent)["custom_fields"]["notes"] == stored
    form = campaign.client.request("POST", campaign.path, form={**NORA, "more": sent, "c\u000bd": "x", "__uid": sent + "x"})
    assert form.status == 200, form.body
    found = campaign.find(email=NORA["email"])
    assert found["custom_fields"]["more"] == stored and found["custom_fields"]["c d"] == "x"

