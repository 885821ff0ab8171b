# SPDX-License-Identifier: MIT
"""docs/api.md 1.6: parameters that are only informative never prevent a lead. 1.1, 3, 4.2, 4.4: values that are left out instead of
refused; identifiers, keys, points and switches are not read in other places."""
import itertools
import json
import urllib.parse

import pytest
from client import multipart

ADA = {"email": "ada@example.org"}
WRONG_KEY = "lh_" + "x" * 43
FORM_TYPE = "application/x-www-form-urlencoded"
VALUE_CAP = 4096
TEXTS = {"__url": "signup_url", "__referrer": "referrer", "__ref": "referrer", "referrer": "referrer",
         "__user_agent": "user_agent",
         "__source": "source", "__sid": "session_id", "__session_id": "session_id", "__rid": "request_id"}


def raw(campaign, body, type=FORM_TYPE, key=True, **options):
    key = campaign.key if key is True else key
    return campaign.client.request("POST", campaign.path, body=body, type=type, key=key, **options)


def stored(campaign, column, email=ADA["email"]):
    return campaign.service.installation.sql(f"SELECT HEX({column}) FROM lh_leads WHERE campaign_id = {campaign.id} "
                                             f"AND email = '{email}'")


def hexed(text):
    return text.encode().hex().upper()


# --- half characters ---

HALF = ('"a\\ud83d"', '"\\ude00a"', '"\xc3\xa9\xc3"', '"\xa9\xc3\xa9"')  # texts as scripts and servers cut them
REST = ("a", "a", "é", "é")


@pytest.mark.parametrize("half", HALF, ids=range(4))
@pytest.mark.parametrize("name", ["__custom", "_", "utm_source", *TEXTS])
def test_half_characters_cost_no_lead(campaign, name, half):
    """docs/api.md 1.1: half of a character is removed"""
    body = f'{{"email":"ada@example.org","{name}":{half},"plan":"x"}}'.encode("latin-1")
    answer = raw(campaign, body, type="application/json")
    rest = REST[HALF.index(half)]
    assert answer.status == 200 and answer.json["custom_fields"] == {"plan": "x"}, answer.body
    assert answer.json["utm"] == ({"source": rest} if name == "utm_source" else {})
    if name in TEXTS:
        assert stored(campaign, TEXTS[name]) == hexed(rest)


@pytest.mark.parametrize("half", HALF, ids=range(4))
@pytest.mark.parametrize("name", ["plan", "__uid", "custom_fields", "notes"])
def test_half_characters_elsewhere_cost_no_lead(campaign, name, half):
    """docs/api.md 1.1: also in fields, links and ids"""
    value = f'{{"notes":{half}}}' if name == "custom_fields" else half
    answer = raw(campaign, f'{{"email":"ada@example.org","{name}":{value}}}'.encode("latin-1"), type="application/json")
    rest = REST[HALF.index(half)]
    assert answer.status == 200, answer.body
    found = campaign.find(**ADA)
    fields = {"custom_fields": "notes"}.get(name, name)
    assert {**found, **found["custom_fields"], "__uid": found["uid"]}[fields] == rest


# --- names that are not read ---

@pytest.mark.parametrize("fields", [
    *({name: value} for name in ("action", "controller", "ip_address", "kolid", "landing_page_id", "skip_ar", "Action")
      for value in ({"a": {}}, [[1]], "x" * 5000, "\x01", True)),
    *({"custom_fields": {name: value, "plan": "x"}} for name in ("_x", "email", "points", "utm_x", "", "_" + "y" * 80)
      for value in ({"a": {}}, [[1]], "x" * 5000, "\x01", True)),
    {"": "x"}, {"": {"a": 1}}], ids=itertools.count())
def test_what_is_not_read_is_not_validated(campaign, fields):
    """docs/api.md 1.6, 4.4: any value is accepted for a parameter that is not read"""
    answer = campaign.post({**ADA, **fields}, key=None)
    assert answer.status == 200, answer.body
    found = campaign.find(**ADA)
    assert found["custom_fields"] == ({"plan": "x"} if "custom_fields" in fields else {}) and found["contest_score"] == 0


@pytest.mark.parametrize("form", ["=x", "=%FF&=", "action[]=%00", "custom_fields[_x]=%00", "custom_fields[email][]=%FF", "kolid=" + 5000 * "x",
                                  "utm_source[a]=1", "utm_source[]=1", "utm_source[a][b]=%00"], ids=itertools.count())
def test_what_is_not_read_in_forms(campaign, form):
    """docs/api.md 1.6, 4.4: including members of utm_…, as in JSON"""
    assert raw(campaign, f"email=ada@example.org&{form}".encode()).status == 200
    found = campaign.find(**ADA)
    assert found["custom_fields"] == {} and found["utm"] == {}


# --- addresses ---

@pytest.mark.parametrize("sent, address", [
    ("192.0.2.1, 10.0.0.1", "192.0.2.1"), ("192.0.2.1:4711", "192.0.2.1"), ("unknown, 192.0.2.1", "192.0.2.1"),
    ("[2001:db8::1]:443", "2001:db8::1"), ("[2001:DB8::1]", "2001:db8::1"), ("fe80::1%eth0", "fe80::1"),
    ("_hidden, [fe80::1%25]:1,192.0.2.1", "fe80::1"), ("192.0.2.1 10.0.0.1", "192.0.2.1"),
    (["unknown", "192.0.2.1"], "192.0.2.1"),
    ([{"a": 1}, 5, "10.0.0.1,192.0.2.1"], "10.0.0.1"), ("x," * 4000 + "192.0.2.1", "192.0.2.1"), ("192.0.2.1\x00", "192.0.2.1"),
    *((value, "203.0.113.7") for value in ("unknown", "", "1.2.3", "1.2.3.4.5", 5, 1.5, True, None, [], ["x"],
                                           {"a": "192.0.2.1"},
                                           [["192.0.2.1"]], "999.1.1.1", "\x00"))], ids=itertools.count())
def test_ip_is_never_an_error(campaign, sent, address):
    """docs/api.md 1.6, 4.4: the first address of a list is used, otherwise that of the client, with and without a key"""
    assert campaign.post({**ADA, "ip": sent}, address="203.0.113.7").json["ip"] == address
    assert campaign.post({"email": "b@example.org", "ip": sent}, key=None, address="203.0.113.7").status == 200
    assert campaign.find(email="b@example.org")["ip"] == address


def test_unreadable_ip_replaces_nothing(campaign):
    """docs/api.md 1.6, 4.3 rule 6: an unreadable ip is treated as absent"""
    assert campaign.lead(**ADA, ip="192.0.2.1")["ip"] == "192.0.2.1"
    assert campaign.lead(**ADA, ip="unknown")["ip"] == "192.0.2.1"


@pytest.mark.parametrize("form", ["ip=%FF%00", "ip[]=x&ip[]=192.0.2.1", "ip=" + "x" * 5000, "IP[]=1"])
def test_ip_in_a_form(campaign, form):
    """docs/api.md 1.6: ip is never an error, even if it is not UTF-8"""
    response = raw(campaign, f"email=ada%40example.org&{form}".encode(), address="203.0.113.7")
    assert response.status == 200 and response.json["ip"] == ("192.0.2.1" if "192" in form else "203.0.113.7")
    assert response.json["custom_fields"] == {}


# --- unknown internal names ---

@pytest.mark.parametrize("value", ["x" * 50_000, {"a": {"b": [{}]}}, [{"a": 1}, [[]]], "\x00\x1b", True, None, ["x"] * 12000],
                         ids=lambda value: str(value)[:20].encode("unicode_escape").decode())
def test_unknown_internal_names_are_dropped(campaign, value):
    """docs/api.md 1.6: they are dropped whatever their values are"""
    lead = campaign.lead(**ADA, **{"__custom": value, "_" + "n" * 1000: value, "__URL": value, "_\x00": value}, plan="x")
    assert lead["custom_fields"] == {"plan": "x"}


def test_unknown_internal_names_in_forms(campaign):
    """docs/api.md 1.6: they may have values that are not UTF-8, arrays and files, also in the query"""
    body = b"_%FF=%FF&__kd[]=%00&__mm[a][b]=%01&_long=" + b"x" * 100_000 + b"&email=ada%40example.org"
    assert raw(campaign, body, query="_=1732400000000&__x=%FF").json["custom_fields"] == {}
    type, body = multipart([("email", "b@example.org"), ("_file", ("me.png", b"\x89PNG\0")), ("__x", b"\xff")])
    assert raw(campaign, body, type).status == 200


def test_dropped_names_do_not_count(campaign):
    """docs/api.md 1.6, 1.3: they do not count towards the caps of parameters and values"""
    fields = {f"_p{number}": "x" for number in range(5000)} | {f"f{number}": None for number in range(199)}
    assert campaign.post({**ADA, **fields}).status == 200
    body = "&".join(["_a=1"] * 40000 + ["email=ada%40example.org"])
    assert raw(campaign, body.encode()).status == 200


def test_dropped_names_are_within_the_body(campaign):
    """docs/api.md 1.6, 1.3: the cap on the body, and the rules for JSON's syntax and depth, still apply"""
    assert campaign.post({**ADA, "_a": "x" * (256 * 1024)}).verdict == (413, "body_too_large")
    assert campaign.post({**ADA, "_a": "x" * 33000}, key=None).verdict == (413, "body_too_large")
    for value in (b"[" * 16 + b"]" * 16, b"[1,]", b'\xff', b'"\\ud80"'):
        body = b'{"email":"ada@example.org","_a":%s}' % value
        assert raw(campaign, body, "application/json").verdict == (406, "invalid_json")
    assert campaign.get(ADA).status == 404


def test_known_internal_names_are_read(service, account, campaign):
    """docs/api.md 1.6: they are read with and without other names next to them"""
    referrer = campaign.lead(email="r@example.org")["social_id"]
    lead = campaign.lead(**ADA, __uid="u", __kid=referrer, __skip_urls=1, __skip_actions="1", __none={}, __KID="x")
    assert (lead["uid"], lead["parent_id"]) == ("u", referrer) and not {"social_url", "completed_actions"} & set(lead)
    assert campaign.client.request("POST", "/v2", json_body={**ADA, "__lid": campaign.id, "__list": {}}).status == 200


# --- texts that inform ---

@pytest.mark.parametrize("name", TEXTS)
def test_long_texts_are_cut(campaign, name):
    """docs/api.md 1.6: texts are cut between characters, with and without a key"""
    text = "ü" * 3000
    for key, email in ((True, ADA["email"]), (None, "b@example.org")):
        assert raw(campaign, urllib.parse.urlencode({"email": email, name: "x" + text}).encode()[:8000], key=key).status == 200
    campaign.lead(email="c@example.org", **{name: "x" + text})
    assert stored(campaign, TEXTS[name], "c@example.org") == hexed("x" + text[:(VALUE_CAP - 1) // 2])


@pytest.mark.parametrize("name", TEXTS)
def test_controls_are_removed(campaign, name):
    """docs/api.md 1.1: so are partial characters"""
    assert raw(campaign, f"email=ada%40example.org&{name}=+a%00b%1B%7Fc%C3%A4%C3+".encode()).status == 200
    assert stored(campaign, TEXTS[name]) == hexed("abcä")


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("value", [["x"], {"a": "x"}, True, [], {}, [{"a": [1]}], None, ["x"] * 10001])
def test_other_types_are_left_out(campaign, name, value):
    """docs/api.md 1.6: the parameter is treated as absent"""
    assert campaign.lead(**ADA, **{name: value})["custom_fields"] == {}
    assert stored(campaign, TEXTS[name]) == {"source": hexed("API")}.get(TEXTS[name], "NULL")


def test_another_name_is_used_for_what_is_left_out(campaign):
    """docs/api.md 1.6, 4.4: if the value under the first name is left out, that under another name is used"""
    lead = campaign.lead(**ADA, __referrer={"a": 1}, __ref=["x"], referrer="https://r.example/")
    assert lead["referrer"] == "https://r.example/"


def test_the_whole_url_is_merged(campaign):
    """docs/api.md 1.6, 1.4: parameters are not cut together with the URL"""
    referrer = campaign.lead(email="r@example.org")["social_id"]
    for padding in range(VALUE_CAP - 40, VALUE_CAP + 10, 7):
        email = f"{padding}@example.org"
        url = f"https://x.example/?a={'x' * (padding - 30)}&kid={referrer}&utm_source=newsletter&plan=large"
        lead = campaign.lead(email=email, __url=url)
        assert (lead["parent_id"], lead["utm"], lead["custom_fields"]["plan"]) == (referrer, {"source": "newsletter"}, "large")
        assert stored(campaign, "signup_url", email) == hexed(url[:VALUE_CAP])


def test_external_ids_are_not_changed(campaign):
    """docs/api.md 1.6: an id that is cut would be another id"""
    for uid in ("x" * (VALUE_CAP + 1), {"a": 1}, ["x"], True):
        response = campaign.post({**ADA, "__uid": uid})
        assert response.verdict == (406, "invalid_parameter")
    assert campaign.get(ADA).status == 404


# --- utm ---

@pytest.mark.parametrize("name, value", [
    ("utm_x", {"a": 1}), ("utm_x", ["a"]), ("utm_x", [{"a": 1}]), ("utm_x", []), ("utm_x", True),
    ("utm_x", "x" * (VALUE_CAP + 1)),
    ("utm_" + "x" * 61, "a"), ("UTM_X", {"a": 1}), ("utm_" + "Ⱥ" * 30, "a"),
    ("utm_\x00", "a"), ("utm_", "a"), ("utm_x", "\x00")])
def test_bad_utm_is_left_out(campaign, name, value):
    """docs/api.md 1.6: the other utm parameters are stored"""
    lead = campaign.lead(**ADA, **{name: value}, utm_source="news")
    assert (lead["utm"], lead["custom_fields"]) == ({"source": "news"}, {})


def test_utm_in_forms(campaign):
    """docs/api.md 1.6: the same in forms"""
    body = b"email=ada%40example.org&utm_x[]=a&utm_y=%00&utm_z=" + b"x" * 5000 + b"&utm_source=news"
    assert raw(campaign, body).json["utm"] == {"source": "news"}


def test_utm_that_does_not_fit_is_left_out(campaign):
    """docs/api.md 1.6, 1.3: at most 16 KiB in all; a later parameter may still fit"""
    fields = {f"utm_{number}": "x" * 4000 for number in range(4)}
    lead = campaign.lead(**ADA, **fields, utm_4="x" * 500, utm_5="x")
    assert lead["utm"] == {str(number): "x" * 4000 for number in range(4)} | {"5": "x"}
    rest = 16384 - len(json.dumps({str(number): "x" * 4000 for number in range(4)}, separators=(",", ":")))
    for size, fits in ((rest - 7, True), (rest - 6, False)):
        lead = campaign.lead(email=f"{size}@example.org", **fields, utm_4="x" * size)
        assert ("4" in lead["utm"]) is fits


# --- objects ---

CUSTOM = {"plan": "large", "size": 3, "vip": True, "tags": ["a", 1], "Address": {"city": "Bonn"}}
CUSTOM_STORED = {"plan": "large", "size": 3, "vip": True, "tags": ["a", 1], "address[city]": "Bonn"}


@pytest.mark.parametrize("name", ["custom_fields", "Custom_Fields"])
def test_members_of_custom_fields(campaign, name):
    """docs/api.md 4.4: members are custom fields, in JSON, forms and queries"""
    assert campaign.lead(**ADA, **{name: CUSTOM})["custom_fields"] == CUSTOM_STORED
    pairs = [(f"{name}[plan]", "large"), (f"{name}[tags][]", "a"), (f"{name}[tags][]", "b"), (f"{name}[Address][city]", "Bonn")]
    expected = {"plan": "large", "tags": ["a", "b"], "address[city]": "Bonn"}
    form = campaign.client.request("POST", campaign.path, form=[("email", "b@example.org"), *pairs], key=campaign.key)
    assert form.json["custom_fields"] == expected
    assert campaign.post({"email": "c@example.org"}, query=pairs).json["custom_fields"] == expected
    type, body = multipart([("email", "d@example.org"), *pairs])
    assert raw(campaign, body, type).json["custom_fields"] == expected


def test_shown_custom_fields_can_be_sent_again(campaign):
    """docs/api.md 4.4: also fields whose names have brackets, which are stored in pairs"""
    fields = {"address": {"city": "Bonn", "lines": ["a"]}, "items": [{"a": 1}], "a]b": 1, "custom_fields[c": 2, 64 * "[": 3}
    stored = {"address[city]": "Bonn", "address[lines]": ["a"], "items[0][a]": 1, "a)b": 1, "custom_fields(c": 2, 64 * "(": 3}
    assert campaign.lead(**ADA, **fields)["custom_fields"] == stored
    assert campaign.lead(email="b@example.org", custom_fields=stored)["custom_fields"] == stored
    assert campaign.lead(email="c@example.org", **stored)["custom_fields"] == stored
    assert campaign.lead(email="d@example.org", custom_fields={"a]b": 1, "[[c]": [2]})["custom_fields"] == {"a)b": 1, "([c]": [2]}


@pytest.mark.parametrize("value", [{}, [], "", None])
def test_empty_custom_fields(campaign, value):
    """docs/api.md 4.4: PHP sends an empty array for an object without members"""
    assert campaign.lead(**ADA, custom_fields=value)["custom_fields"] == {}


def test_custom_fields_that_is_no_object(campaign):
    """docs/api.md 4.4: any other value is a custom field like any other"""
    assert campaign.lead(**ADA, custom_fields="x")["custom_fields"] == {"custom_fields": "x"}


def test_members_and_fields_are_one(campaign):
    """docs/api.md 4.4, 4.3 rule 6: the body takes precedence over the query, and the query over __url; otherwise the last value counts;
    null removes a field"""
    assert campaign.lead(**ADA, plan="a", custom_fields={"Plan": "b"})["custom_fields"] == {"plan": "b"}
    assert campaign.lead(**ADA, custom_fields={"Plan": "b"}, plan="c")["custom_fields"] == {"plan": "c"}
    assert campaign.post({**ADA, "plan": "d"}, query={"custom_fields[plan]": "q"}).json["custom_fields"] == {"plan": "d"}
    url = "http://x/?custom_fields[plan]=u&custom_fields[size]=u"
    assert campaign.lead(**ADA, plan="e", __url=url)["custom_fields"] == {"plan": "e", "size": "u"}
    assert campaign.lead(**ADA, custom_fields={"plan": None})["custom_fields"] == {"size": "u"}


@pytest.mark.parametrize("value, fields", [
    ({"city": "Bonn", "geo": {"lat": 50.7}}, {"address[city]": "Bonn", "address[geo][lat]": 50.7}),
    ({"lines": ["a", "b"], "empty": []}, {"address[lines]": ["a", "b"], "address[empty]": []}),
    ([{"a": 1}, {"a": 2}], {"address[0][a]": 1, "address[1][a]": 2}), ([1, {"a": 2}], {"address": [1], "address[1][a]": 2}),
    ([[1, 2], ["x"]], {"address[0]": [1, 2], "address[1]": ["x"]}), ({}, {}), ([{}], {}),
    ({"email": "b@example.org", "_x": 1}, {"address[email]": "b@example.org", "address[_x]": 1})])
def test_other_objects_become_fields(campaign, value, fields):
    """docs/api.md 4.4: one field for each leaf, with and without a key"""
    assert campaign.lead(**ADA, address=value)["custom_fields"] == fields
    assert campaign.post({"email": "c@example.org", "address": value}, key=None).status == 200
    assert campaign.find(email="c@example.org")["custom_fields"] == fields


@pytest.mark.parametrize("fields", [
    {"a": {f"f{number}": 1 for number in range(51)}}, {"custom_fields": {f"f{number}": 1 for number in range(51)}},
    {"custom_fields": {f"f{number}": "x" * 3300 for number in range(5)}}, {"custom_fields": {"n" * 65: 1}},
    {"a": {"n" * 62: 1}},
    {"a": {"b": "x" * (VALUE_CAP + 1)}}, {"a": {f"f{number}": None for number in range(200)}}])
def test_caps_of_leaves(campaign, fields):
    """docs/api.md 1.3: the caps of custom fields apply to leaves"""
    assert campaign.post({**ADA, **fields}).verdict == (406, "invalid_parameter")
    assert campaign.get(ADA).status == 404


def test_leaves_at_their_caps(campaign):
    """docs/api.md 1.3: names may have 64 bytes, inside and outside the object"""
    fields = {"n" * 64: 1, **{f"f{number}": 1 for number in range(49)}}
    assert campaign.lead(**ADA, custom_fields=fields)["custom_fields"] == fields
    assert campaign.lead(email="b@example.org", a={"n" * 61: 1})["custom_fields"] == {"a[" + "n" * 61 + "]": 1}


PARAMETERS = """email phone_number country_code must_exist redirect_url social_id kid points api_key campaign_id list_id
__lid __kid
__uid __skip_urls tag tag_id tag_ids Email POINTS""".split()


@pytest.mark.parametrize("name", PARAMETERS)
@pytest.mark.parametrize("value", [{"a": "x"}, {}, [{"a": 1}], [["x"]]])
def test_objects_for_parameters_are_refused(campaign, name, value):
    """docs/api.md 1.1, 4.4: they are refused whatever else is in the request; nothing is stored"""
    for extra in ({"custom_fields": {"email": "b@example.org"}}, {"__x": {}, "address": {"a": 1}}):
        fields = {name: value, **extra} if name.lower() == "email" else {**ADA, name: value, **extra}
        response = campaign.post(fields)
        assert response.verdict == (406, "invalid_parameter") and f"Parameter {name} must be" in response.json["message"]
    body = json.dumps({**ADA, name: value})[:-1] + f', "{name}": "x"}}'
    assert raw(campaign, body.encode(), "application/json").verdict == (406, "invalid_parameter")
    assert campaign.get(ADA).status == 404


@pytest.mark.parametrize("name", ["name", "data", "message", "source", "url", "event", "format", "limit", "reason", "password"])
def test_names_of_other_calls_are_fields(campaign, name):
    """docs/api.md 1.1, 4.4: a sign-up does not read the parameters of other calls"""
    assert campaign.lead(**ADA, **{name: {"a": "x"}})["custom_fields"] == {f"{name}[a]": "x"}


def test_objects_of_other_calls(campaign):
    """docs/api.md 1.6: an unknown name is ignored whatever its value is, but the name of a parameter is not"""
    lead = campaign.lead(**ADA)
    assert campaign.get({"email": ADA["email"], "meta[a]": "x", "_": "1"}).status == 200
    for path, fields in (("/points", {"points": 1, "social_id": lead["social_id"]}), ("/optout", ADA),
                         ("/outbound-webhook", {"url": "https://hooks.example/", "event": "new_signup"})):
        assert campaign.post({**fields, "meta": {"a": [{"b": 1}]}, "__x": {}, "ip": {}}, path=path).status in (200, 202)
        for name in fields:
            assert campaign.post({**fields, name: {"a": 1}}, path=path).verdict == (406, "invalid_parameter")


# --- what must not get in ---

SMUGGLED = {"email": "eve@example.org", "phone_number": "+14155552671", "points": 50, "must_exist": True, "api_key": WRONG_KEY,
            "redirect_url": "https://evil.example/", "kid": "{referrer}", "social_id": "{referrer}",
            "__uid": "evil", "__kid": "{referrer}",
            "ip": "192.0.2.66", "country_code": "-1", "__source": "evil", "utm_source": "evil", "campaign_id": 1, "list_id": 1,
            "referrer": "https://evil.example/", "jsonp": "x", "_private": 1, "Email": "eve@example.org", "POINTS": 50,
            "\u212aid": "x"}


def ways(name, value):
    """Return requests that have a parameter inside an object: (body, query)."""
    text = str(value)
    yield {"custom_fields": {name: value}}, None
    yield {"CUSTOM_FIELDS": {name: [value]}}, None
    yield {"custom_fields": {name: {"a": value}}}, None
    yield {f"custom_fields[{name}]": value}, None
    yield {}, {f"custom_fields[{name}]": text}
    yield {}, {f"Custom_Fields[{name}][]": text}
    yield {"__url": "https://x.example/?" + urllib.parse.urlencode({f"custom_fields[{name}]": text})}, None


@pytest.mark.parametrize("name", SMUGGLED)
def test_custom_fields_set_no_parameters(campaign, name):
    """docs/api.md 4.4: reserved names in the object are dropped whatever their values are"""
    referrer = campaign.lead(email="r@example.org")["social_id"]
    value = referrer if SMUGGLED[name] == "{referrer}" else SMUGGLED[name]
    for number, (body, query) in enumerate(ways(name, value)):
        email = f"ada{number}@example.org"
        response = campaign.post({"email": email, **body}, query=query, address="203.0.113.9")
        assert response.status == 200, response.body
        lead = response.json
        assert (lead["email"], lead["phone_number"], lead["contest_score"], lead["uid"]) == (email, None, 0, None)
        assert (lead["parent_id"], lead["redirect_url"], lead["referrer"], lead["utm"]) == (None, None, None, {})
        assert lead["ip"] == "203.0.113.9" and lead["custom_fields"] == {} and "ip" in lead
        assert stored(campaign, "source", email) == hexed("API")
    assert campaign.get({"email": "eve@example.org"}).status == 404


@pytest.mark.parametrize("wrap", [lambda fields: {"custom_fields": fields}, lambda fields: {"lead": fields},
                                  lambda fields: {f"custom_fields[{name}]": value for name, value in fields.items()},
                                  lambda fields: {f"lead[{name}]": value for name, value in fields.items()},
                                  lambda fields: {"__x": fields}, lambda fields: {"custom_fields": {"custom_fields": fields}}])
def test_objects_identify_no_lead(campaign, wrap):
    """docs/api.md 2, 3, 4.3: an object identifies no lead, no key and no campaign"""
    identity = wrap({"email": "ada@example.org", "phone_number": "+14155552671",
                     "social_id": campaign.lead(**ADA)["social_id"]})
    for key in (True, None):
        assert campaign.post(identity, key=key).verdict == (406, "missing_identifier")
        assert campaign.get(identity if all(isinstance(v, str) for v in identity.values()) else {"x": 1}, key=key).status == 409
    for name in ("api_key", "API_KEY"):
        fields = {**wrap({name: campaign.key}), "url": "https://hooks.example/", "event": "new_signup"}
        assert campaign.post(fields, key=None, path="/outbound-webhook").verdict == (409, "missing_api_key")
        assert "ip" not in campaign.post({"email": "b@example.org", **wrap({name: campaign.key})}, key=None).json
    assert campaign.client.request("POST", "/v2", json_body={**ADA, **wrap({"campaign_id": campaign.id})}).status == 404
    assert campaign.post({**ADA, **wrap({"must_exist": True}), "email": "new@example.org"}).status == 200
    assert campaign.post({**wrap({"points": 5}), "social_id": campaign.find(**ADA)["social_id"]},
                         path="/points").verdict == (409, "missing_points")


def test_large_bodies_need_a_key_outside_objects(campaign):
    """docs/api.md 1.3, 5: the text of a key inside an object is not a key"""
    for fields in ({"custom_fields": {"api_key": campaign.key}}, {"_a": campaign.key}, {"x": {"api_key": campaign.key}}):
        assert campaign.post({**ADA, **fields, "_padding": "x" * 33000}, key=None).verdict == (413, "body_too_large")
    assert campaign.get(ADA).status == 404


# --- phone numbers and countries ---

@pytest.mark.parametrize("fields", [
    {"phone_number": ""}, {"phone_number": "+49"}, {"phone_number": " (+49) "}, {"phone_number": "+"}, {"phone_number": "-"},
    {"phone_number": "+1"}, {"phone_number": "+ 1 "}, {"phone_number": "()"}, {"phone_number": "1", "country_code": 1},
    {"phone_number": " 1 - ", "country_code": "+1"}, {"phone_number": "49", "country_code": "DE"},
    {"phone_number": 49, "country_code": "49"},
    {"phone_number": "+1242", "country_code": "1242"}, {"phone_number": "+420", "country_code": "DE"},
    {"phone_number": "", "country_code": "-1"}])
def test_number_without_digits_of_its_own_is_absent(campaign, fields):
    """docs/api.md 1.6, 4.2: such as the text with which a form starts before a person types a number"""
    for key, email in ((True, "a@example.org"), (None, "b@example.org")):
        assert campaign.post({"email": email, **fields}, key=key).status == 200
        assert campaign.find(email=email)["phone_number"] is None
    assert campaign.post(fields).verdict == (406, "missing_identifier")
    assert campaign.get(fields).verdict == (409, "missing_identifier")


@pytest.mark.parametrize("fields", [
    {"phone_number": "123"}, {"phone_number": "+999"}, {"phone_number": "49"}, {"phone_number": "1", "country_code": "DE"},
    {"phone_number": "+491"}, {"phone_number": "x"}, {"phone_number": "+0"}, {"phone_number": "0", "country_code": "49"},
    {"phone_number": "+49x"}])
def test_a_bad_number_beside_a_good_email(campaign, fields):
    """docs/api.md 1.6, 4.4: the number is left out, reported in the answer and kept, unless the caller wants an error; without an email
    address, it is an error"""
    for key in (True, None):
        for strict in (True, "1", "x"):
            assert campaign.post({**ADA, **fields, "__strict": strict}, key=key).verdict == (406, "invalid_phone_number")
        assert campaign.post({**fields, "__strict": "0"}, key=key).verdict == (406, "invalid_phone_number")
    assert campaign.get(ADA).status == 404
    for number, (key, strict) in enumerate([(True, None), (None, False), (None, "0")]):
        lead = campaign.post({"email": f"{number}@example.org", **fields, "__strict": strict}, key=key).json
        assert lead["ignored"]["phone_number"]["error"] == "invalid_phone_number"
        assert lead["ignored"]["phone_number"]["message"].startswith("Phone number is not valid")
        found = campaign.find(email=f"{number}@example.org")
        assert found["phone_number"] is None and "ignored" not in found
        assert found["custom_fields"] == {"invalid_phone_number": fields["phone_number"]}
    assert "ignored" not in campaign.lead(**ADA, phone_number="+49")


@pytest.mark.parametrize("code, valid", [
    *((code, True) for code in ("49", "+49", 49, "DE", "de", "0049", " +49 ", "(49)", "Deutschland (+49)", "DE - 49", "49.0")),
    *((code, False) for code in ("", None, "-1", -1, "4.9", "+", "D", "DEU", "D1", "12345", "é", "Germany", "de_DE", "null"))])
def test_country_codes(campaign, code, valid):
    """docs/api.md 4.2: any value is accepted if the number has its own country code"""
    assert campaign.lead(phone_number="+441632960001", country_code=code)["phone_number"] == "+441632960001"
    response = campaign.post({"phone_number": "0170 1234567", "country_code": code})
    assert response.verdict[0] == (200 if valid else 406)
    assert valid or response.verdict == (406, "invalid_phone_number") and "no country is known" in response.json["message"]
    assert campaign.post({**ADA, "country_code": code}).status == 200, "without a number it is not used"


# --- forms ---

def test_empty_file_parts_are_absent(campaign):
    """docs/api.md 1.2: browsers send such parts; a real file is refused"""
    type, body = multipart([("email", "ada@example.org"), ("photo", ("", b"")), ("phone_number", ("", b""))])
    lead = raw(campaign, body, type).json
    assert (lead["custom_fields"], lead["phone_number"]) == ({}, None)
    for file in (("me.png", b"x"), ("me.png", b""), ("", b"x")):
        type, body = multipart([("email", "b@example.org"), ("photo", file)])
        assert raw(campaign, body, type).verdict == (406, "invalid_parameter")
    type, body = multipart([("email", ("", b""))])
    assert raw(campaign, body, type).verdict == (406, "missing_identifier")


# --- keys ---

PLACEHOLDERS = ["undefined", "null", "", "  "]


def places(text):
    """The options of requests with this text in each place of a key."""
    yield {"query": {"api_key": text}}
    yield {"body": {"api_key": text}}
    for header in ("Authorization", "Authentication"):
        yield {"headers": {header: f"Bearer {text}"}}
        yield {"headers": {header: text}}
    yield {"query": {"api_key": text}, "body": {"api_key": text},
           "headers": {"Authorization": "bearer", "Authentication": "Bearer null"}}


@pytest.mark.parametrize("text", PLACEHOLDERS)
def test_placeholder_of_a_key_is_absent(campaign, text):
    """docs/api.md 3: the sign-up succeeds without a key; where a key is required, it counts as missing"""
    for number, options in enumerate(places(text)):
        fields = {"email": f"{number}@example.org", **options.pop("body", {})}
        for form in ({"json_body": fields}, {"form": fields}):
            response = campaign.client.request("POST", campaign.path, **form, **options)
            assert response.status == 200 and "ip" not in response.json
        webhook = {**fields, "url": "https://hooks.example/", "event": "new_signup"}
        response = campaign.client.request("POST", campaign.path + "/outbound-webhook", json_body=webhook, **options)
        assert response.verdict == (409, "missing_api_key")
        assert campaign.client.request("GET", "/v2/campaigns", **options).verdict == (409, "missing_api_key")
    assert campaign.find(email="0@example.org")["custom_fields"] == {}


def test_placeholder_does_not_hide_a_key(campaign):
    """docs/api.md 3: the next place of a key is read"""
    for options in ({"query": {"api_key": "undefined"}, "headers": {"Authorization": f"Bearer {campaign.key}"}},
                    {"headers": {"Authorization": "Bearer null", "Authentication": campaign.key}},
                    {"query": {"api_key": "null"}, "headers": {"Authorization": "Bearer", "Authentication": campaign.key}}):
        assert campaign.client.request("GET", "/v2/campaigns", **options).status == 200
    body = {**ADA, "api_key": "undefined"}
    assert "ip" in campaign.client.request("POST", campaign.path, json_body=body, key=campaign.key).json


@pytest.mark.parametrize("text", ["Undefined", "NULL", "lh_", "undefined,null", "0", "false", "Basic"])
def test_other_texts_are_wrong_keys(campaign, text):
    """docs/api.md 3: texts that are not placeholders are wrong keys"""
    assert campaign.client.request("POST", campaign.path, json_body=ADA, key=text).verdict == (409, "invalid_api_key")
    assert campaign.get(ADA).status == 404


def test_key_that_is_no_text_is_refused(campaign):
    """docs/api.md 3, 1.1: an object, an array or a boolean gets 406"""
    for key in ({"a": 1}, [campaign.key], True):
        assert campaign.post({**ADA, "api_key": key}, key=None).verdict == (406, "invalid_parameter")


def test_placeholders_are_no_wrong_keys(make_service):
    """docs/api.md 3, 5: such calls count as calls without a key"""
    service = make_service(settings=[("limits", "failed_keys_per_address", "2/60s"),
                                     ("limits", "signups_per_address", "6/60s")])
    campaign, numbers = service.campaign(), itertools.count()

    def answer(key, **fields):
        body = {"email": f"{next(numbers)}@example.org", **fields}
        return campaign.client.request("POST", campaign.path, json_body=body, key=key, address="203.0.113.20").status
    assert [answer("undefined") for _ in range(3)] + [answer(None, api_key="null") for _ in range(3)] == [200] * 6
    assert answer("undefined") == 429, "the limit of sign-ups"
    assert campaign.client.request("GET", "/v2/campaigns", key=campaign.key, address="203.0.113.20").status == 200
    assert campaign.client.request("GET", "/v2/campaigns", key=WRONG_KEY, address="203.0.113.20").status == 409


# --- paths ---

def test_empty_segments_are_skipped(campaign):
    """docs/api.md 1.1 Path: in addresses that clients have joined with an extra slash"""
    for number, path in enumerate(("//v2/{}", "/v2//{}", "/v2/{}//", "///v2///{}///")):
        response = campaign.client.request("POST", path.format(campaign.id), json_body={"email": f"{number}@example.org"})
        assert response.status == 200
    assert campaign.client.request("GET", f"//v2/{campaign.id}//outbound-webhook", key=campaign.key).status == 200
    for path in ("/v2//..//{}", "/v2/./{}", "//v2/%2F{}", "/v2//%2e%2e/{}", "/v2//x"):
        assert campaign.client.request("GET", path.format(campaign.id), key=campaign.key).status in (400, 404)
