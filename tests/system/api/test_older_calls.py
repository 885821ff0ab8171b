# SPDX-License-Identifier: MIT
"""docs/api.md 4.1, 4.1.6: calls of older clients: /lead, and the calls with which plugins find keys and campaigns."""
from client import new_address
from payload import check_payload
from service import settles

ADA = {"email": "ada@example.org"}
LOOKUPS, SIGNUPS = 100, 10


def create(campaign, fields, **options):
    return campaign.client.request("POST", f"/lead/{campaign.id}", **{"json_body": fields, **options})


def look_up(campaign, kid, **options):
    return campaign.client.request("GET", f"/lead/{campaign.id}/{kid}", **options)


# --- /lead ---

def test_lead_creates_and_looks_up(campaign):
    """docs/api.md 4.1: POST /lead/{campaign} works like create, with JSON and forms; GET /lead/{campaign}/{kid} works like a look-up; both
    answer with the caller's view"""
    made = create(campaign, {**ADA, "plan": "x"})
    assert made.status == 200 and check_payload(made.json, "public")["counter"] == 1
    kid = made.json["social_id"]
    updated = create(campaign, None, json_body=None, form={**ADA, "first_name": "Ada"}, key=campaign.key)
    assert check_payload(updated.json, "full")["counter"] == 2 and updated.json["social_id"] == kid
    assert check_payload(look_up(campaign, kid).json, "public")["first_name"] == "Ada"
    full = look_up(campaign, kid.lower() + "/", key=campaign.key).json
    assert check_payload(full, "full")["custom_fields"] == {"plan": "x", "first_name": "Ada"}
    referred = create(campaign, {"email": "bob@example.org", "kid": kid})
    assert campaign.find(social_id=referred.json["social_id"])["parent_id"] == kid


def test_the_path_names_the_lead(campaign):
    """docs/api.md 4.1.6: identifiers in the query are ignored; an unknown or malformed kid gets 404"""
    ada, bob = campaign.lead(**ADA), campaign.lead(email="bob@example.org")
    for query in ({"email": "bob@example.org"}, {"social_id": bob["social_id"]}, {"email": "not valid"}):
        assert look_up(campaign, ada["social_id"], query=query).json["id"] == ada["id"]
    for kid in ("0000000000", "x", "-" * 10, "0000-000000"):
        assert look_up(campaign, kid, query=ADA).verdict == (404, "lead_not_found")
    skipped = look_up(campaign, ada["social_id"], query={"__skip_urls": 1}).json
    assert "social_url" not in skipped
    assert campaign.client.request("GET", f"/lead/{campaign.id}").verdict == (405, "method_not_allowed")
    assert look_up(campaign, ada["social_id"], headers={"Authorization": "Bearer lh_" + "x" * 43}).verdict == (409, "invalid_api_key")


def test_states_of_lead(service):
    """docs/api.md 3 require_key, 6, 2 account_suspended: the same as for POST and GET /v2/{campaign}"""
    account = service.account()
    closed, ended = service.campaign(account, require_key="on"), service.campaign(account)
    kid, old = closed.lead(**ADA)["social_id"], ended.lead(**ADA)["social_id"]
    assert create(closed, ADA).verdict == look_up(closed, kid).verdict == (409, "missing_api_key")
    assert create(closed, ADA, key=account.key).status == look_up(closed, kid, key=account.key).status == 200
    ended.end()
    settles(lambda: create(ended, ADA), 423, "campaign_ended")
    assert look_up(ended, old).status == 200
    service.installation.admin("account", "suspend", str(account.id))
    for key in (None, account.key):
        settles(lambda key=key: create(closed, ADA, key=key), 409, "account_suspended")
        settles(lambda key=key: look_up(ended, old, key=key), 409, "account_suspended")
    assert create(closed, {}, json_body=None, body=b"x" * 40000, type="text/plain").status == 413
    nowhere = service.client.request("POST", "/lead/4294967295", json_body=ADA)
    assert nowhere.verdict == service.client.request("GET", f"/lead/4294967295/{kid}").verdict == (404, "campaign_not_found")


def test_limits_of_lead(campaign):
    """docs/api.md 5: POST counts as a sign-up for the campaign, GET as a look-up; /v2 and /lead are counted together"""
    address = new_address()
    for number in range(SIGNUPS):
        answer = create(campaign, ADA, address=address) if number % 2 else campaign.post(ADA, key=None, address=address)
        assert answer.status == 200
    refused = create(campaign, ADA, address=address)
    assert refused.verdict == (429, "rate_limited") and refused.headers["RateLimit-Limit"] == str(SIGNUPS)
    assert campaign.post(ADA, key=None, address=address).status == 429
    kid = campaign.find(**ADA)["social_id"]
    for number in range(LOOKUPS):
        assert (look_up(campaign, kid, address=address) if number % 2 else campaign.get(ADA, key=None, address=address)).status == 200
    refused = look_up(campaign, kid, address=address)
    assert refused.verdict == (429, "rate_limited") and refused.headers["RateLimit-Limit"] == str(LOOKUPS)
    assert look_up(campaign, kid, address=address, key=campaign.key).status == 200


# --- what plugins list ---

def test_landing_pages(service):
    """docs/api.md 4.1 GET /v1/landing_pages: the account's campaigns, by id, each as a page with its list; a key is required"""
    account, request = service.account(), service.client.request
    assert request("GET", "/v1/landing_pages", key=account.key).json == {"pages": []}
    campaigns = [service.campaign(account) for _ in range(2)]
    campaigns[1].end()
    service.campaign()  # belongs to another account
    pages = request("GET", "/v1/landing_pages", key=account.key)
    assert pages.status == 200
    assert pages.json == {"pages": [{"page_id": one.id, "list_id": one.id, "list_name": one.name, "title": one.name,
                                     "page_title": one.name, "open_graph_title": one.name, "open_graph_description": "",
                                     "open_graph_image": "", "meta_description": "", "favicon_link": ""} for one in campaigns]}
    assert request("GET", "/v1/landing_pages", query={"api_key": account.key}).json == pages.json
    assert request("GET", "/v1/landing_pages").verdict == (409, "missing_api_key")
    assert request("GET", "/v1/landing_pages", key="lh_" + "x" * 43).verdict == (409, "invalid_api_key")
    assert request("POST", "/v1/landing_pages", key=account.key).verdict == (405, "method_not_allowed")
    service.installation.admin("account", "suspend", str(account.id))
    settles(lambda: request("GET", "/v1/landing_pages", key=account.key), 409, "account_suspended")


def test_limits_of_landing_pages(service):
    """docs/api.md 5: without a key, the call counts as a look-up before its 409; with a key, it counts for the account"""
    account, address, request = service.account(), new_address(), service.client.request
    for _ in range(LOOKUPS):
        assert request("GET", "/v1/landing_pages", address=address).verdict == (409, "missing_api_key")
    assert request("GET", "/v1/landing_pages", address=address).verdict == (429, "rate_limited")
    service.installation.admin("account", "limit", str(account.id), "3")
    settles(lambda: request("GET", "/v1/landing_pages", key=account.key, address=address), 429, "rate_limited")


def test_a_content_type_sent_twice(campaign):
    """docs/api.md 1.2: web servers join two types with a comma; the body decides"""
    twice = "application/json, application/json; charset=UTF-8"
    body = b'{"email":"ada@example.org"}'
    path = f"/lead/{campaign.id}"
    answer = campaign.client.request("POST", path, body=body, type=twice)
    assert answer.status == 200, answer.body
    for types in ("application/json, application/x-www-form-urlencoded", "text/html, application/json"):
        assert campaign.client.request("POST", path, body=body, type=types).status == 200
