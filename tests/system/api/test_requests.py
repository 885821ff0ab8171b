# SPDX-License-Identifier: MIT
"""docs/api.md 1: paths, parameters, bodies, values, caps, methods and the form of answers; docs/api.md 7, CORS."""
import json
import pathlib
import re

import fastcgi_client
import pytest
from marks import frees_memory
from client import CORS, PREFLIGHT, multipart
from processes import children

BODY_CAP = 256 * 1024
VALUE_CAP = 4096
USUAL_HEADERS = "Authorization, Authentication, Content-Type, X-Requested-With"


def send(campaign, body, type=None, **options):
    return campaign.client.request("POST", campaign.path, body=body, type=type, key=campaign.key, **options)


# --- Path ---

@pytest.mark.parametrize("path", ["/v2/{}", "/v2/{}/", "/v2/%{:x}", "/v2/{}?"])
def test_segments_are_decoded_and_a_trailing_slash_is_ignored(campaign, path):
    """docs/api.md 1 Path: spellings of a path that are accepted"""
    first, rest = str(campaign.id)[0], str(campaign.id)[1:]
    path = path.format(ord(first)) + rest if "%" in path else path.format(campaign.id)
    assert campaign.client.request("POST", path, json_body={"email": "a@example.org"}, key=campaign.key).status == 200


@pytest.mark.parametrize("path", ["/v2/{}%2F", "/v2%2F{}", "/v2/{}%00", "/v2/x/../{}", "/v2/..%2F{}"])
def test_encoded_slash_zero_and_dots_do_not_match(campaign, path):
    """docs/api.md 1 Path: 404, or the web server's own 400"""
    path = path.format(campaign.id)
    assert campaign.client.request("POST", path, json_body={"email": "a@example.org"}, key=campaign.key).status in (400, 404)


@pytest.mark.parametrize("segment", ["0{}", "+{}", "-{}", "{}x", "x", "{}.0", "0"])
def test_campaign_id_that_is_not_decimal_is_an_unknown_path(campaign, segment):
    """docs/api.md 1 Campaign id: other texts get 404"""
    response = campaign.client.request("GET", "/v2/" + segment.format(campaign.id), query={"email": "a@example.org"})
    assert response.status == 404 and response.json["error"] in ("not_found", "campaign_not_found")
    if segment != "0":
        assert response.json["error"] == "not_found"


@pytest.mark.parametrize("name", ["campaign_id", "campaignId", "list_id", "__lid"])
def test_campaign_id_from_the_parameters(campaign, name):
    """docs/api.md 1 Campaign id; 4.1 POST /v2 and GET /v2?campaign_id"""
    body = {name: campaign.id, "email": "a@example.org"}
    assert campaign.client.request("POST", "/v2", json_body=body, key=campaign.key).json["campaign_id"] == campaign.id
    assert campaign.client.request("GET", "/v2", query=body, key=campaign.key).json["campaign_id"] == campaign.id


def test_precedence_of_the_campaign_parameters(service, account, campaign):
    """docs/api.md 1 Campaign id: campaign_id, campaignId, list_id, __lid, in that order"""
    other = service.campaign(account).id
    names = ["campaign_id", "campaignId", "list_id", "__lid"]
    for first, second in zip(names, names[1:]):
        fields = {second: other, first: campaign.id, "email": "a@example.org"}
        assert campaign.client.request("POST", "/v2", json_body=fields, key=campaign.key).json["campaign_id"] == campaign.id


# --- Parameters ---

def test_body_has_precedence_over_the_query(campaign):
    """docs/api.md 1 Parameters"""
    lead = campaign.post({"email": "body@example.org"}, query={"email": "query@example.org", "color": "red"}).json
    assert lead["email"] == "body@example.org" and lead["custom_fields"] == {"color": "red"}


def test_a_later_value_replaces_an_earlier_one(campaign):
    """docs/api.md 1 Parameters: form, query and duplicate JSON names"""
    form = [("email", "a@example.org"), ("color", "red"), ("color", "blue")]
    assert campaign.client.request("POST", campaign.path, form=form, key=campaign.key).json["custom_fields"] == {"color": "blue"}
    body = b'{"email":"b@example.org","color":"red","color":"blue"}'
    assert send(campaign, body, "application/json").json["custom_fields"] == {"color": "blue"}


@pytest.mark.parametrize("name", ["email", "phone_number", "kid", "api_key", "must_exist", "country_code", "redirect_url",
                                  "__uid"])
def test_an_array_where_one_value_is_expected_is_refused(campaign, name):
    """docs/api.md 1 Parameters"""
    fields = {"email": "a@example.org", name: ["a@example.org", "b@example.org"]}
    response = campaign.post(fields)
    assert response.verdict == (406, "invalid_parameter") and name in response.json["message"]


# --- Body types ---

FIELDS = [("email", "ada@example.org"), ("first_name", "Ada"), ("note", "grüße & co")]
FORM = b"email=ada%40example.org&first_name=Ada&note=gr%C3%BC%C3%9Fe+%26+co"
JSON = json.dumps(dict(FIELDS)).encode()
BODIES = {
    "json": ("application/json", JSON), "json with charset": ("application/json; charset=UTF-8", JSON),
    "json with BOM": ("application/json", b"\xef\xbb\xbf" + JSON), "form": ("application/x-www-form-urlencoded", FORM),
    "multipart": multipart(FIELDS), "text/plain": ("text/plain;charset=utf-8", JSON), "untyped json": (None, JSON),
    "untyped form": (None, FORM), "type in capitals": ("Application/JSON", JSON),
}


@pytest.mark.smoke
@pytest.mark.parametrize("chunked", [False, True], ids=["length", "chunked"])
@pytest.mark.parametrize("name", BODIES)
def test_body_types(campaign, name, chunked):
    """docs/api.md 1 Body types; a body without CONTENT_LENGTH is read to its end"""
    type, body = BODIES[name]
    response = send(campaign, body, type, chunked=chunked)
    assert response.status == 200
    assert response.json["email"] == "ada@example.org"
    assert response.json["custom_fields"] == {"first_name": "Ada", "note": "grüße & co"}


@pytest.mark.parametrize("type", ["application/xml", "text/html", "image/png", "text/plain; charset=iso-8859-1"])
def test_other_types(campaign, type):
    """docs/api.md 1.2, 2: if neither the beginning of the body nor its type shows a format"""
    assert send(campaign, b"<lead/>", type).verdict == (415, "unsupported_media_type")


def test_empty_body_has_no_parameters(campaign):
    """docs/api.md 1 Body types"""
    for type in ("application/json", "application/x-www-form-urlencoded", "text/plain"):
        assert send(campaign, b"", type, query={"email": "a@example.org"}).status == 200


def test_files_are_refused(campaign):
    """docs/api.md 1 Body types, 2 invalid_parameter"""
    type, body = multipart([("email", "a@example.org"), ("photo", ("me.png", b"\x89PNG"))])
    response = send(campaign, body, type)
    assert response.verdict == (406, "invalid_parameter")
    assert response.json["message"] == "Parameter photo must not be a file"


@pytest.mark.parametrize("body", [b"{", b'{"a":1}}', b'{"a":1} x', b"[]", b'"a"', b"1", b"null", b'{"a":}', b'{"a":1,}',
                                  b"{'a':1}", b'{"a":NaN}',
                                  b'{"a":"' + b"\xff" + b'"}', b"[" * 100, b'{"a":' * 17 + b"1" + b"}" * 17])
def test_malformed_json(campaign, body):
    """docs/api.md 1 Caps (depth 16), 2 invalid_json. Invalid UTF-8 in JSON also gets 406."""
    response = send(campaign, body, "application/json")
    assert response.status == 406
    if b"\xff" not in body:
        assert response.json["error"] == "invalid_json"
        assert response.json["message"].startswith("Please verify your JSON payload")


# --- Arrays, objects, values ---

def test_arrays(campaign):
    """docs/api.md 1 Arrays, 4.4: arrays of strings, numbers and booleans are stored"""
    lead = campaign.lead(email="a@example.org", list=["a", 1, True, 1.5])
    assert lead["custom_fields"]["list"] == ["a", 1, True, 1.5]
    form = [("email", "b@example.org"), ("list[]", "a"), ("list[]", "b")]
    lead = campaign.client.request("POST", campaign.path, form=form, key=campaign.key).json
    assert lead["custom_fields"]["list"] == ["a", "b"]
    lead = campaign.post({"email": "c@example.org"}, query=[("list[]", "a"), ("list[]", "b")]).json
    assert lead["custom_fields"]["list"] == ["a", "b"]


@pytest.mark.parametrize("name", ["event", "events", "list"])
def test_too_many_items(campaign, name):
    """docs/api.md 2 invalid_parameter: the message has the parameter and the cap, also for repeated names"""
    response = campaign.post({"email": "a@example.org", name: [""] * 10001}, path="/outbound-webhook")
    assert response.verdict == (406, "invalid_parameter")
    assert response.json["message"] == f"Parameter {name} has more than 10000 items"


@pytest.mark.parametrize("sent, stored", [("  x \t\n", "x"), ("a\r\nb\rc\nd", "a\nb\nc\nd"), ("a\tb", "a\tb"),
                                        ("\u00a0x", "\u00a0x"), ("grüße 🎉", "grüße 🎉"), ("", "")])
def test_values_are_trimmed_and_line_ends_normalized(campaign, sent, stored):
    """docs/api.md 1 Values"""
    assert campaign.lead(email="a@example.org", field=sent)["custom_fields"]["field"] == stored
    form = {"email": "b@example.org", "field": sent}
    lead = campaign.client.request("POST", campaign.path, form=form, key=campaign.key).json
    assert lead["custom_fields"]["field"] == stored


@pytest.mark.parametrize("value, stored", [("%ff", "ÿ"), ("%c3", "Ã"), ("%ed%a0%80", "í\u00a0€"), ("%c0%80", "À€"), ("%81", "")])
def test_bytes_that_are_not_utf8(campaign, value, stored):
    """docs/api.md 1.1 Values: query and form"""
    form = send(campaign, f"email=a%40example.org&field={value}".encode(), "application/x-www-form-urlencoded")
    query = campaign.post({"email": "a@example.org"}, query=f"field={value}")
    assert [answer.json["custom_fields"]["field"] for answer in (form, query)] == [stored] * 2


@pytest.mark.parametrize("value", [True, 1, "1", "true", "yes", "on", "True", "TRUE", "On"])
def test_true_words(campaign, value):
    """docs/api.md 1 Booleans"""
    assert campaign.post({"email": "unknown@example.org", "must_exist": value}).verdict == (404, "lead_not_found")


@pytest.mark.parametrize("value", [False, 0, "", "0", "false", "no", "off", None, "False", "OFF", "None"])
def test_false_words(campaign, value):
    """docs/api.md 1 Booleans"""
    assert campaign.post({"email": "a@example.org", "must_exist": value}).status == 200


@pytest.mark.parametrize("value", ["2", 2, "maybe", "TRUEE", -1])
def test_other_booleans_are_refused(campaign, value):
    """docs/api.md 1 Booleans"""
    response = campaign.post({"email": "a@example.org", "must_exist": value})
    assert response.verdict == (406, "invalid_parameter") and "must_exist" in response.json["message"]


@pytest.mark.parametrize("value", ["2", "maybe", -1, [1], "True"])
def test_switches_of_the_answer_refuse_nothing(campaign, value):
    """docs/api.md 1.6, 4.4 __skip_urls: no value is an error"""
    for call in (campaign.post, campaign.get):
        answer = call({"email": "a@example.org", "__skip_urls": value, "__skip_actions": value})
        assert answer.status == 200 and not {"social_url", "completed_actions"} & set(answer.json)


# --- Caps ---

def padding(size):
    """A valid body of `size` bytes, none of which is stored."""
    fields, number = {"email": "a@example.org"}, 0
    while size - len(json.dumps(fields)) > VALUE_CAP + 20:
        fields[f"_padding{number}"] = "x" * (VALUE_CAP - 20)
        number += 1
    body = json.dumps(fields).encode()
    return body + b" " * (size - len(body))


def test_the_body_cap(campaign):
    """docs/api.md 1 Caps, 2 body_too_large: 256 KiB are accepted, but not one byte more, with and without a length"""
    assert send(campaign, padding(BODY_CAP), "application/json").status == 200
    assert send(campaign, padding(BODY_CAP + 1), "application/json").verdict == (413, "body_too_large")
    assert send(campaign, padding(BODY_CAP + 1), "application/json", chunked=True).verdict == (413, "body_too_large")


CAPS = {
    "200 parameters": ({f"p{n}": None for n in range(199)}, {f"p{n}": None for n in range(200)}),
    "name 64 bytes": ({"n" * 64: "x"}, {"n" * 65: "x"}),
    "name in bytes": ({"ü" * 32: "x"}, {"ü" * 32 + "n": "x"}),
    "value 4 KiB": ({"v": "x" * VALUE_CAP}, {"v": "x" * (VALUE_CAP + 1)}),
    "value in bytes": ({"v": "ü" * (VALUE_CAP // 2)}, {"v": "ü" * (VALUE_CAP // 2) + "x"}),
    "50 custom fields": ({f"f{n}": "x" for n in range(50)}, {f"f{n}": "x" for n in range(51)}),
    # {"f0":"…","f1":"…",…}: 5 fields of 4 bytes name, 5 bytes quotes and colon, 4 commas, 2 braces
    "custom fields 16 KiB": ({f"f{n}": "x" * 3200 for n in range(5)}, {f"f{n}": "x" * 3300 for n in range(5)}),
}


@pytest.mark.parametrize("cap", CAPS)
def test_caps(campaign, cap):
    """docs/api.md 1 Caps: values at the cap are accepted, larger ones get 406 invalid_parameter"""
    fits, over = CAPS[cap]
    assert campaign.post({"email": "a@example.org", **fits}).status == 200
    assert campaign.post({"email": "b@example.org", **over}).verdict == (406, "invalid_parameter")
    assert campaign.get({"email": "b@example.org"}).status == 404, "a refused request creates no lead"


def test_the_custom_field_cap_holds_for_the_merged_lead(campaign):
    """docs/api.md 1 Caps: 50 custom fields per lead, not per request"""
    campaign.lead(email="a@example.org", **{f"f{n}": "x" for n in range(50)})
    assert campaign.post({"email": "a@example.org", "one_more": "x"}).verdict == (406, "invalid_parameter")
    assert campaign.post({"email": "a@example.org", "one_more": "x", "f0": None}).status == 200


def test_the_longest_values_that_settings_allow(make_service):
    """docs/api.md 1 Caps: all accepted values fit their columns and the payload"""
    service = make_service(settings=[("limits", "body_bytes", "1M"), ("limits", "value_bytes", "65535"),
                                     ("limits", "custom_fields_bytes", "65535"), ("limits", "public_body_bytes", "1M"),
                                     ("limits", "public_custom_fields_bytes", "65535")])
    campaign = service.campaign(service.account())
    campaign.webhook("new_signup", source="😀" * 16383 + "abc")
    text, url = "😀" * 16383 + "abc", "http://x/?" + "😀" * 16381 + "a"
    assert len(text.encode()) == len(url.encode()) == 65535
    stored = {"__uid": text, "redirect_url": url, "__url": url, "__referrer": text, "__user_agent": text, "__sid": text,
            "__rid": text, "__source": text[:-2] + ".9", "utm_source": text[:-20],
            "ip": "0000:0000:0000:0000:0000:ffff:255.255.255.255", "plan": text[:-20]}
    for email, key in (("a@example.org", campaign.key), ("b@example.org", None)):
        body = json.dumps({"email": email, **stored}, ensure_ascii=False).encode()
        response = campaign.client.request("POST", campaign.path, body=body, type="application/json", key=key)
        assert response.status == 200, response.body[:200]
        lead = campaign.find(email=email)
        assert (lead["uid"], lead["referrer"], lead["utm"]["source"]) == (text, text, text[:-20])
        assert lead["redirect_url"] == f"{url}&kolid={lead['social_id']}" and lead["custom_fields"]["plan"] == text[:-20]
        assert lead["ip"] == "255.255.255.255" or key is None
    service.dispatch()
    assert len(campaign.delivered(2)) == 2


def test_json_depth(campaign):
    """docs/api.md 1 Caps: 16 levels are valid, 17 are not"""
    nested = b'{"email":"a@example.org","x":' + b"[" * 15 + b"]" * 15 + b"}"
    assert send(campaign, nested, "application/json").json["custom_fields"] == {"x" + "[0]" * 14: []}
    nested = b'{"email":"a@example.org","x":' + b"[" * 16 + b"]" * 16 + b"}"
    assert send(campaign, nested, "application/json").verdict == (406, "invalid_json")


# --- Methods and answers ---

@pytest.mark.parametrize("method, path", [("PUT", "/v2/{}"), ("PATCH", "/v2/{}"), ("PUT", "/v2/{}/outbound-webhook"),
                                          ("POST", "/v2/campaigns"), ("POST", "/health"), ("DELETE", "/health/ready")])
def test_other_methods(campaign, method, path):
    """docs/api.md 1 Methods, 2 method_not_allowed"""
    response = campaign.client.request(method, path.format(campaign.id), key=campaign.key)
    assert response.verdict == (405, "method_not_allowed")
    allowed = re.split(r",\s*", response.headers["Allow"])
    assert method not in allowed and allowed


@pytest.mark.parametrize("method, path, verdict", [
    ("GET", "/", (404, "not_found")), ("GET", "/v3/1", (404, "not_found")), ("GET", "/v2/{}/nothing", (404, "not_found")),
    ("DELETE", "/v2/{}/nothing", (404, "not_found")), ("POST", "/v2/{}/nothing", (409, "invalid_action")),
    ("POST", "/v2/{}/outbound-webhook/1", (404, "not_found")), ("GET", "/v2/{}/a/b/c", (404, "not_found"))])
def test_unknown_paths(campaign, method, path, verdict):
    """docs/api.md 1 Methods"""
    assert campaign.client.request(method, path.format(campaign.id), key=campaign.key).verdict == verdict


def test_head_is_get_without_the_body(campaign):
    """docs/api.md 1 Methods"""
    campaign.lead(email="a@example.org")
    found = campaign.client.request("HEAD", campaign.path, query={"email": "a@example.org"}, key=campaign.key)
    assert found.status == 200 and found.body == b"" and found.headers["Content-Type"] == "application/json; charset=utf-8"
    assert campaign.client.request("HEAD", campaign.path, query={"email": "b@example.org"}).status == 404
    assert campaign.client.request("HEAD", "/health").status == 200


@pytest.mark.parametrize("method, path", [("GET", "/health"), ("GET", "/nowhere"), ("GET", "/v2/campaigns"), ("POST", "/v2/{}"),
                                          ("PUT", "/v2/{}")])
def test_every_answer_carries_its_headers(campaign, method, path):
    """docs/api.md 7, Headers: errors also have them"""
    response = campaign.client.request(method, path.format(campaign.id), headers={"Origin": "https://shop.example"})
    headers = response.headers
    assert headers["Content-Type"] == "application/json; charset=utf-8"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["X-Request-Id"]
    assert int(headers["Content-Length"]) == len(response.body)
    assert {name: headers[name] for name in CORS} == CORS
    assert "Access-Control-Allow-Credentials" not in headers
    if response.status >= 400:
        assert set(response.json) == {"message", "error"}


def test_request_ids_differ(campaign):
    """docs/api.md 7, Headers: X-Request-Id"""
    assert len({campaign.client.request("GET", "/health").headers["X-Request-Id"] for _ in range(5)}) == 5


@pytest.mark.parametrize("path", ["/v2/{}", "/v2/{}/outbound-webhook", "/v2/campaigns", "/v2", "/health", "/anything/at/all"])
def test_preflight(campaign, path):
    """docs/api.md 4.1 OPTIONS, 7: a preflight needs neither a key nor a campaign"""
    check_preflight(campaign, path.format(campaign.id), {}, USUAL_HEADERS)
    for names in ("authorization", "cache-control,content-type,x-any-name", "X-A, X-B"):
        check_preflight(campaign, path.format(campaign.id), {"Access-Control-Request-Headers": names}, names)


@pytest.mark.parametrize("names", [
    "", ",", "a b", "a\tb", "\"a\"", "a: b", "a;b", "<script>", "\u00e4", "a" * 1025,
    ",".join(["name"] * 400)], ids=lambda names: names[:12])
def test_preflight_with_hostile_names(campaign, names):
    """docs/api.md 7: a value that is too long or not a list of names is not repeated"""
    check_preflight(campaign, campaign.path, {"Access-Control-Request-Headers": names}, USUAL_HEADERS)


@pytest.mark.parametrize("names", ["a\r\nSet-Cookie: a=b", "a,\nb", "a," * 51200 + "b"], ids=["lines", "line", "long"])
def test_preflight_with_names_that_no_web_server_passes(service, names):
    """docs/api.md 7: line ends and 100 KiB that are sent directly to the program"""
    response = fastcgi_client.request(str(service.installation.socket), REQUEST_METHOD="OPTIONS", REQUEST_URI="/v2",
                                      HTTP_ACCESS_CONTROL_REQUEST_HEADERS=names)
    assert response.status == 204 and response.headers["access-control-allow-headers"] == USUAL_HEADERS
    assert "set-cookie" not in response.headers


def check_preflight(campaign, path, headers, allowed):
    response = campaign.client.request("OPTIONS", path, headers={
        "Origin": "https://shop.example", "Access-Control-Request-Method": "POST", **headers})
    assert response.status == 204 and response.body == b""
    assert {name: response.headers[name] for name in PREFLIGHT} == PREFLIGHT
    assert response.headers.get_all("Access-Control-Allow-Headers") == [allowed]
    assert "Access-Control-Allow-Credentials" not in response.headers


def memory_peak(pid):
    lines = pathlib.Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM"))


def many_values(kind):
    """A megabyte of values, each of which takes more memory than it has bytes."""
    size = (1 << 20) - 100
    if kind == "arrays":
        body = ",".join(f'"a{number:02}":[{",".join(["1"] * 9999)}]' for number in range(52))
        return "application/json", f"{{{body}}}"
    if kind == "reopened":
        return "application/json", "{" + '"a":[1],' * (size // 8) + '"z":1}'
    return "application/x-www-form-urlencoded", "a=&a[]=&" * (size // 8)


@frees_memory
@pytest.mark.parametrize("kind", ["arrays", "reopened", "form"])
def test_a_body_costs_little_memory(make_service, kind):
    """docs/api.md 1.3: the megabyte of a bulk call"""
    service = make_service(workers=1)
    campaign, (type, body) = service.campaign(), many_values(kind)
    pids = children(service.responders.pid)
    before = [memory_peak(pid) for pid in pids]
    response = campaign.client.request("POST", campaign.path + "/optout", body=body.encode(), type=type, key=campaign.key)
    assert response.verdict == (406, "invalid_parameter") and "20000 values" in response.json["message"]
    assert children(service.responders.pid) == pids
    assert all(memory_peak(pid) - peak < 12 << 20 for pid, peak in zip(pids, before))
