# SPDX-License-Identifier: MIT
"""docs/api.md 2 (errors, order of checks) and 3 (keys), for sign-ups, look-ups and the list of campaigns."""
import pytest

ADA = {"email": "ada@example.org"}
WRONG_KEY = "lh_" + "x" * 43
NO_CAMPAIGN = "/v2/4294967295"


@pytest.mark.parametrize("fields", [{}, {"first_name": "Ada"}, {"email": ""}, {"email": "   "}, {"email": None},
                                    {"phone_number": ""}])
def test_missing_identifier(campaign, fields):
    """docs/api.md 2: 406 for a sign-up, with the message of docs/requirements.md"""
    for key in (True, None):
        response = campaign.post(fields, key=key)
        assert response.verdict == (406, "missing_identifier")
        assert response.json["message"] == "Please include an email or phone_number"


def test_invalid_phone_with_a_valid_email(campaign):
    """docs/api.md 2 invalid_phone_number, 4.4 __strict; nothing is stored"""
    assert campaign.post({**ADA, "phone_number": "123", "__strict": True}).verdict == (406, "invalid_phone_number")
    assert campaign.get(ADA).status == 404


@pytest.mark.parametrize("method, path", [("POST", ""), ("GET", ""), ("POST", "/outbound-webhook"), ("GET", "/outbound-webhook"),
                                          ("DELETE", "/outbound-webhook")])
def test_unknown_and_foreign_campaigns_look_alike(service, campaign, method, path):
    """docs/api.md 2 campaign_not_found: with a key, a campaign of another account gets the same answer as an unknown one"""
    stranger = service.account("Stranger").key
    foreign = campaign.client.request(method, campaign.path + path, query=ADA, key=stranger)
    unknown = campaign.client.request(method, NO_CAMPAIGN + path, query=ADA, key=stranger)
    assert foreign.verdict == unknown.verdict == (404, "campaign_not_found")
    assert foreign.json["message"] == unknown.json["message"] == "Campaign not found"


def test_an_unknown_campaign_without_a_key(campaign):
    """docs/api.md 2 campaign_not_found: also without a key"""
    for method in ("GET", "POST"):
        assert campaign.client.request(method, NO_CAMPAIGN, query=ADA).verdict == (404, "campaign_not_found")


@pytest.mark.parametrize("number", ["99999999999999999999999999", "18446744073709551616", "9223372036854775808"])
def test_number_larger_than_any_id(campaign, number):
    """docs/api.md 1.1 Campaign: no campaign has this number"""
    assert campaign.client.request("GET", f"/v2/{number}", query=ADA).verdict == (404, "campaign_not_found")


@pytest.mark.parametrize("method", ["POST", "GET", "DELETE"])
def test_missing_key(campaign, method):
    """docs/api.md 2 missing_api_key: without a key, calls that need one fail"""
    response = campaign.client.request(method, campaign.path + "/outbound-webhook")
    assert response.verdict == (409, "missing_api_key") and response.json["message"] == "An API key is required"
    assert campaign.client.request("GET", "/v2/campaigns").verdict == (409, "missing_api_key")


@pytest.mark.parametrize("key", [WRONG_KEY, "x", "lh_", "ü"])
@pytest.mark.parametrize("method, path", [("POST", "/v2/{}"), ("GET", "/v2/{}"), ("GET", "/v2/campaigns"),
                                          ("POST", "/v2/{}/outbound-webhook")])
def test_wrong_key(campaign, method, path, key):
    """docs/api.md 2 invalid_api_key, 3: a wrong key is refused even where no key is needed; nothing is stored"""
    response = campaign.client.request(method, path.format(campaign.id), query={**ADA, "api_key": key})
    assert response.verdict == (409, "invalid_api_key") and response.json["message"] == "Invalid API access"
    assert campaign.get(ADA).status == 404


def key_in(where, key):
    """The options of a request that has the key in this place."""
    return {
        "query": {"query": {"api_key": key}}, "Authorization": {"headers": {"Authorization": f"Bearer {key}"}},
        "any scheme": {"headers": {"Authorization": f"Some Thing  {key} "}}, "bare": {"headers": {"Authorization": key}},
        "Authentication": {"headers": {"Authentication": f"Bearer {key}"}},
    }[where]


@pytest.mark.parametrize("where", ["query", "Authorization", "any scheme", "bare", "Authentication"])
def test_places_of_the_key(campaign, where):
    """docs/api.md 3: the parameter, or the last token of either header, in requests of every type"""
    good, bad = key_in(where, campaign.key), key_in(where, WRONG_KEY)
    assert "ip" in campaign.client.request("POST", campaign.path, json_body=ADA, **good).json
    assert "ip" in campaign.client.request("POST", campaign.path, form=ADA, **good).json
    assert campaign.client.request("GET", "/v2/campaigns", **good).status == 200
    assert campaign.client.request("GET", "/v2/campaigns", **bad).verdict == (409, "invalid_api_key")


def test_the_key_in_a_body(campaign):
    """docs/api.md 3: the key may be a parameter of the body"""
    fields = {**ADA, "api_key": campaign.key}
    assert "ip" in campaign.client.request("POST", campaign.path, json_body=fields).json
    lead = campaign.client.request("POST", campaign.path, form=fields).json
    assert "ip" in lead and lead["custom_fields"] == {}, "the key is not a custom field"


def test_the_parameter_beats_the_headers(campaign):
    """docs/api.md 3: the parameter takes precedence, then Authorization, then Authentication"""
    def status(query, authorization, authentication):
        headers = {"Authentication": authentication} | ({"Authorization": authorization} if authorization else {})
        return campaign.client.request("GET", "/v2/campaigns", query=query and {"api_key": query}, headers=headers).status
    assert status(campaign.key, WRONG_KEY, WRONG_KEY) == 200
    assert status(WRONG_KEY, campaign.key, campaign.key) == 409
    assert status(None, campaign.key, WRONG_KEY) == 200
    assert status(None, WRONG_KEY, campaign.key) == 409


def test_key_format(campaign):
    """docs/api.md 3: a key is lh_ and 43 URL-safe characters; an account may have several"""
    other = campaign.service.installation.admin("key", "add", str(campaign.account.id), "--name", "second")
    assert set(other) == {"id", "name", "key"}
    for key in (campaign.key, other["key"]):
        assert key.startswith("lh_") and len(key) == 46 and set(key[3:]) <= set(
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
        assert campaign.client.request("GET", "/v2/campaigns", key=key).status == 200


def test_campaign_that_requires_a_key(service, account):
    """docs/api.md 3 require_key: such a campaign refuses calls without a key"""
    campaign = service.campaign(account, require_key="on")
    for method in ("GET", "POST"):
        assert campaign.client.request(method, campaign.path, query=ADA).verdict == (409, "missing_api_key")
    assert campaign.post(ADA).status == 200


def test_keys_never_appear_in_a_log(service, campaign):
    """docs/api.md 3, style 8: valid and invalid keys, sent in every place, are in no log, including that of the web server"""
    for where in ("query", "Authorization", "Authentication"):
        for key in (campaign.key, WRONG_KEY):
            campaign.client.request("GET", campaign.path, **key_in(where, key))
    logs = [*service.installation.folder.glob("*.log"), *service.front.folder.glob("*.log")]
    assert logs
    for log in logs:
        text = log.read_text(errors="replace")
        assert campaign.key not in text and WRONG_KEY not in text, log


@pytest.mark.parametrize("method, path, options, verdict", [
    # the path is checked before everything else
    ("PUT", "/v3", {"body": b"{", "type": "image/png"}, (404, "not_found")),
    # the method is checked before the body
    ("PUT", "/v2/{}", {"body": b"{", "type": "image/png"}, (405, "method_not_allowed")),
    # the size is checked before the media type
    ("POST", "/v2/{}", {"body": b"x" * 300000, "type": "image/png"}, (413, "body_too_large")),
    # the key is checked before the media type, and the media type before the syntax
    ("POST", "/v2/{}", {"body": b"{", "type": "image/png", "key": WRONG_KEY}, (409, "invalid_api_key")),
    ("POST", "/v2/{}", {"body": b"x", "type": "image/png"}, (415, "unsupported_media_type")),
    # key and campaign are checked before the syntax
    ("POST", "/v2/{}", {"body": b"{", "type": "application/json", "key": WRONG_KEY}, (409, "invalid_api_key")),
    ("POST", NO_CAMPAIGN, {"body": b"{", "type": "application/json"}, (404, "campaign_not_found")),
    ("POST", "/v2/{}", {"body": b"{", "type": "application/json"}, (406, "invalid_json")),
    # the key is checked before the campaign, and the campaign before the fields
    ("POST", NO_CAMPAIGN, {"json_body": {"email": "bad"}, "key": WRONG_KEY}, (409, "invalid_api_key")),
    ("POST", NO_CAMPAIGN, {"json_body": {"email": "bad"}}, (404, "campaign_not_found")),
])
def test_order_of_checks(campaign, method, path, options, verdict):
    """docs/api.md 1.5 Order of checks: of several errors, the first in this order is answered"""
    assert campaign.client.request(method, path.format(campaign.id), **options).verdict == verdict
