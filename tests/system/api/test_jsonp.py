# SPDX-License-Identifier: MIT
"""docs/api.md 4.1: /v1 and /subscribe, for older forms and embedded scripts; JSONP."""
import functools
import json

import pytest
from payload import check_payload as check_any_payload

check_payload = functools.partial(check_any_payload, extra=["url"])

ADA = {"email": "ada@example.org"}


def call(campaign, what, fields, method="GET", **options):
    return campaign.client.request(method, f"/v1/{campaign.id}/{what}", query=fields, **options)


def unwrap(response, name):
    """Return the argument of the callback."""
    assert response.headers["Content-Type"] == "text/javascript; charset=utf-8"
    assert response.headers["X-Content-Type-Options"] == "nosniff"
    text = response.body.decode()
    assert text.startswith(name + "({") and text.endswith("});") and "\u2028" not in text
    assert int(response.headers["Content-Length"]) == len(response.body)
    return json.loads(text[len(name) + 1:-2])


# --- the paths ---

@pytest.mark.parametrize("key, view", [(True, "full"), (None, "public")])
def test_subscribe(campaign, key, view):
    """docs/api.md 4.1 POST and GET /v1/{cid}/subscribe, POST /subscribe: they work like create"""
    key = campaign.key if key else None
    path = f"/v1/{campaign.id}/subscribe"
    lead = check_payload(campaign.client.request("POST", path, form={**ADA, "plan": "x"}, key=key).json, view)
    assert lead["counter"] == 1
    assert check_payload(campaign.client.request("GET", path, query=ADA, key=key).json, view)["counter"] == 2
    body = {**ADA, "campaign_id": campaign.id}
    assert check_payload(campaign.client.request("POST", "/subscribe", json_body=body, key=key).json, view)["counter"] == 3
    assert campaign.find(**ADA)["custom_fields"] == {"plan": "x"}


def test_characters_are_escaped(campaign):
    """docs/api.md 4.1.6: characters of two and three bytes are escaped in leads, errors and scripts; longer ones, and those of /v2, are
    UTF-8"""
    fields = {**ADA, "plan": "é \u2027 日本 \uffff", "größe": "\\u00e9"}
    wanted = {name: fields[name] for name in ("plan", "größe")}
    path = f"/v1/{campaign.id}/subscribe"
    answers = [campaign.client.request("POST", path, form=fields, key=campaign.key), call(campaign, "info", ADA, key=campaign.key),
               campaign.client.request("POST", "/subscribe", json_body={**fields, "list_id": campaign.id}, key=campaign.key)]
    for answer in answers:
        assert answer.body.isascii() and answer.json["custom_fields"] == wanted
        assert int(answer.headers["Content-Length"]) == len(answer.body)
    script = call(campaign, "info", {**ADA, "jsonp": "f"}, key=campaign.key)
    assert script.body.isascii() and unwrap(script, "f")["custom_fields"] == wanted
    error = call(campaign, "subscribe", {**ADA, "größe": "x" * 5000})
    assert error.status == 406 and error.body.isascii() and "größe" in error.json["message"]
    assert "größe".encode() in campaign.get(ADA).body
    smile = call(campaign, "subscribe", {**ADA, "plan": "é\U0001f600"}, key=campaign.key)
    assert "\\u00e9\U0001f600".encode() in smile.body and smile.json["custom_fields"]["plan"] == "é\U0001f600"
    largest = {f"f{number}": "é" * 2000 for number in range(4)}
    assert call(campaign, "info", {"email": campaign.lead(email="eve@example.org", **largest)["email"]},
                key=campaign.key).json["custom_fields"] == largest


def test_scripts_of_a_campaign_without_privacy(service):
    """docs/api.md 4.5: a page that reads custom_fields from a script needs privacy to be off"""
    query = {**ADA, "form_id": "3", "jsonp": "f"}
    for settings, wanted in (({}, None), ({"privacy": "off"}, {"form_id": "3"})):
        lead = unwrap(call(service.campaign(**settings), "subscribe", query), "f")
        assert lead.get("custom_fields") == wanted and lead["influence"]["direct"] == 0


def test_other_methods(campaign):
    """docs/api.md 1 Methods: others get 405"""
    for method, path in (("DELETE", f"/v1/{campaign.id}/subscribe"), ("GET", "/subscribe"), ("POST", f"/v1/{campaign.id}/info")):
        for query in (None, {"jsonp": "f"}):  # browsers request scripts with GET
            assert campaign.client.request(method, path, query=query, key=campaign.key).verdict == (405, "method_not_allowed")
    assert campaign.client.request("GET", f"/v1/{campaign.id}").verdict == (404, "not_found")
    assert campaign.client.request("POST", "/subscribe", json_body=ADA).verdict == (404, "campaign_not_found")


def test_head_creates_no_lead(campaign):
    """docs/api.md 1 Methods: link checkers change nothing"""
    for more in ({}, {"jsonp": "f"}):
        response = call(campaign, "subscribe", {**ADA, **more}, "HEAD")
        assert (response.status, response.body) == (200, b"")
        assert call(campaign, "subscribe", more, "HEAD").status == 406
    assert campaign.get(ADA).status == 404


@pytest.mark.parametrize("name", ["social_id", "kid"])
def test_a_social_id_is_the_referrers(campaign, name):
    """docs/api.md 4.1: social_id is that of the referrer, even with a key and with must_exist"""
    referrer = campaign.lead(email="r@example.org")
    id = {name: referrer["social_id"]}
    made = call(campaign, "subscribe", {**ADA, **id}, key=campaign.key).json
    assert made["parent_id"] == referrer["social_id"] and made["email"] == ADA["email"]
    found = call(campaign, "subscribe", {**ADA, **id, "must_exist": 1}, key=campaign.key)
    assert found.json["id"] == made["id"]
    for method in ("GET", "POST"):
        assert call(campaign, "subscribe", id, method, key=campaign.key).verdict == (406, "missing_identifier")
    body = {**id, "campaign_id": campaign.id}
    assert campaign.client.request("POST", "/subscribe", json_body=body, key=campaign.key).status == 406
    assert campaign.find(email="r@example.org")["counter"] == 1


def test_info(campaign):
    """docs/api.md 4.1 GET /v1/{cid}/info: it works like a look-up"""
    lead = campaign.lead(**ADA)
    for fields in (ADA, {"social_id": lead["social_id"]}):
        assert check_payload(call(campaign, "info", fields).json, "public")["social_id"] == lead["social_id"]
        check_payload(call(campaign, "info", fields, key=campaign.key).json)
    assert call(campaign, "info", {}).verdict == (409, "missing_identifier")
    assert call(campaign, "info", {"email": "b@example.org"}).verdict == (404, "lead_not_found")
    assert campaign.find(**ADA)["counter"] == 1


def test_url(service, account):
    """docs/api.md 4.1.6, 4.5 url: it equals social_url, unless __skip_urls is set; answers of other paths do not have it"""
    campaign = service.campaign(account, landing_url="https://shop.example/?a=1")
    for key in (campaign.key, None):
        lead = check_payload(call(campaign, "subscribe", ADA, key=key).json, "full" if key else "public")
        assert lead["url"] == f"https://shop.example/?a=1&kid={lead['social_id']}"
        assert call(campaign, "subscribe", ADA, "POST", key=key).json["url"] == lead["url"]
        assert call(campaign, "info", ADA, key=key).json["url"] == lead["url"]
        body = {**ADA, "campaign_id": campaign.id}
        assert campaign.client.request("POST", "/subscribe", json_body=body, key=key).json["url"] == lead["url"]
        for what in ("subscribe", "info"):
            shown = call(campaign, what, {**ADA, "__skip_urls": 1}, key=key).json
            assert "url" not in shown and "social_url" not in shown
        assert "url" not in campaign.get(ADA, key=key).json and "url" not in campaign.post(ADA, key=key).json


def test_require_key_and_ends(service, account):
    """docs/api.md 3 require_key, 6: both also apply to these paths"""
    campaign = service.campaign(account, require_key="on")
    for what in ("subscribe", "info"):
        assert call(campaign, what, ADA).verdict == (409, "missing_api_key")
    call(campaign, "subscribe", ADA, key=campaign.key)
    campaign.end()
    for method in ("GET", "POST"):
        assert call(campaign, "subscribe", ADA, method, key=campaign.key).verdict == (423, "campaign_ended")
    assert call(campaign, "info", ADA, key=campaign.key).status == 200


# --- JSONP ---

@pytest.mark.parametrize("name", ["f", "_", "$", "a1", "jQuery123_456", "my.call.back", "A" + "x" * 63, "a.."])
def test_callbacks(campaign, name):
    """docs/api.md 4.1: a callback matches [A-Za-z_$][\\w$.]{0,63}"""
    lead = check_payload(unwrap(call(campaign, "subscribe", {**ADA, "jsonp": name}), name), "public")
    assert unwrap(call(campaign, "info", {**ADA, "jsonp": name}), name)["social_id"] == lead["social_id"]
    assert campaign.find(**ADA)["custom_fields"] == {}, "the callback is not a custom field"


@pytest.mark.parametrize("name", ["1a", ".a", "a-b", "a b", "a(", "alert(1)//", "<script>", "a;b", "a[0]", "ä", "a\u2027",
                                  "A" + "x" * 64, "*/alert(1)/*", "a'", "a\"", "{", "\u0430lert", "a=1"])
def test_hostile_callbacks(campaign, name):
    """docs/api.md 4.1: other callbacks get 406, and the answer does not begin with the name"""
    for what in ("subscribe", "info"):
        response = call(campaign, what, {**ADA, "jsonp": name})
        assert response.verdict == (406, "invalid_parameter")
        assert response.headers["Content-Type"] == "application/json; charset=utf-8"
        assert response.body.startswith(b'{"message":') and "jsonp" in response.json["message"]
    assert campaign.get(ADA).status == 404


def test_several_callbacks(campaign):
    """docs/api.md 1.1 Parameters: the last of several callbacks counts; an array is rejected"""
    unwrap(call(campaign, "subscribe", [("email", ADA["email"]), ("jsonp", "<"), ("jsonp", "f")]), "f")
    assert call(campaign, "info", [("email", ADA["email"]), ("jsonp[]", "f")]).verdict == (406, "invalid_parameter")


@pytest.mark.parametrize("query", ["email=ada@example.org&jsonp=", "email=ada@example.org&jsonp=%20"])
def test_an_empty_callback_is_absent(campaign, query):
    """docs/api.md 4.1: an empty callback counts as none"""
    response = call(campaign, "subscribe", query)
    assert response.headers["Content-Type"] == "application/json; charset=utf-8" and check_payload(response.json, "public")


def test_errors(service, campaign):
    """docs/api.md 4.1.6: an error has its status, which is also in the body, with message and error"""
    other = service.campaign(campaign.account)
    other.end()
    cases = [
        (campaign, "subscribe", {}, 406, "missing_identifier"), (campaign, "subscribe", {"email": "x"}, 406, "invalid_email"),
        (campaign, "info", {}, 409, "missing_identifier"), (campaign, "info", ADA, 404, "lead_not_found"),
        (campaign, "info", {**ADA, "api_key": "x"}, 409, "invalid_api_key"), (other, "subscribe", ADA, 423, "campaign_ended"),
        (campaign, "subscribe", {**ADA, "must_exist": "maybe"}, 406, "invalid_parameter"),
        (campaign, "subscribe", {**ADA, "must_exist": 1}, 404, "lead_not_found"),
    ]
    for one, what, fields, status, error in cases:
        response = call(one, what, {**fields, "jsonp": "cb"})
        assert response.status == status
        answer = unwrap(response, "cb")
        assert list(answer) == ["status", "message", "error"]
        assert (answer["status"], answer["error"]) == (status, error) and answer["message"]
    response = campaign.client.request("GET", "/v1/999999999/info", query={**ADA, "jsonp": "cb"})
    assert (response.status, unwrap(response, "cb")["error"]) == (404, "campaign_not_found")
    assert call(campaign, "info", {**ADA, "jsonp": "cb"}, "HEAD").status == 404


def test_values_are_escaped(campaign):
    """docs/api.md 4.1: the answer is valid JavaScript, whatever its values are"""
    value = "a\u2028b\u2029</script>\\\"'"
    lead = unwrap(call(campaign, "subscribe", {**ADA, "first_name": value, "jsonp": "f"}, key=campaign.key), "f")
    assert lead["first_name"] == lead["custom_fields"]["first_name"] == value.replace("\u2028", "\n").replace("\u2029", "\n")


def test_posts_and_other_paths_ignore_callbacks(campaign):
    """docs/api.md 4.1: only GET on /v1 reads jsonp"""
    response = call(campaign, "subscribe", {**ADA, "jsonp": "f"}, "POST")
    assert response.headers["Content-Type"] == "application/json; charset=utf-8" and response.json
    response = campaign.get({**ADA, "jsonp": "<"})
    assert response.headers["Content-Type"] == "application/json; charset=utf-8" and response.json
    assert campaign.find(**ADA)["custom_fields"] == {}
