# SPDX-License-Identifier: MIT
"""docs/api.md 7: scripts of any site may read every answer, whatever its status and content type."""
import pytest
from client import new_address
from html_page import check_page
from service import settles

ORIGIN = {"Origin": "https://shop.example"}
CORS = {"Access-Control-Allow-Origin": ["*"],
        "Access-Control-Expose-Headers": ["Retry-After, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, X-Request-Id"],
        "Access-Control-Allow-Credentials": None}
ADA = {"email": "ada@example.org"}
SIGNUPS, POSTS = 10, 50


@pytest.fixture(scope="module")
def service(make_service, own_database):
    return make_service(database=own_database)


def check(response, status=None):
    """Check that each header is present once, and that the body of an error is the program's, not the web server's."""
    assert {name: response.headers.get_all(name) for name in CORS} == CORS, response.status
    assert response.headers["X-Request-Id"]
    if status is not None:
        assert response.status == status
        assert status < 400 or set(response.json) == {"message", "error"}


def subscribe(campaign, **options):
    return campaign.client.request("GET", f"/v1/{campaign.id}/subscribe", query={**ADA, "jsonp": "f"}, headers=ORIGIN, **options)


def look_up(campaign, **fields):
    return campaign.client.request("GET", f"/v1/{campaign.id}/info", query={"jsonp": "f", **fields}, headers=ORIGIN)


def check_script(response, status=200):
    check(response)
    assert response.status == status
    assert response.headers["Content-Type"] == "text/javascript; charset=utf-8"
    assert response.body.startswith(b"f({") and response.body.endswith(b"});")


def page_of(campaign):
    """Return the path of the opt-out page of a new lead."""
    return campaign.lead(**ADA)["unsubscribe_url"]["safe"].removeprefix(campaign.service.front.url)


def test_refused_bodies(campaign):
    """413 for a body that is too large and for too many leads, 415 for its type, 406 for invalid JSON"""
    request = campaign.client.request
    check(request("POST", campaign.path, body=b"x" * 300_000, type="text/plain", headers=ORIGIN), 413)
    many = {"emails": [f"{number}@example.org" for number in range(251)]}
    check(request("POST", campaign.path + "/optout", json_body=many, key=campaign.key, headers=ORIGIN), 413)
    check(request("POST", campaign.path, body=b"x", type="image/png", headers=ORIGIN), 415)
    check(request("POST", campaign.path, body=b"{", type="application/json", headers=ORIGIN), 406)


def test_errors_of_callers(campaign):
    """404, 405, 409 and 423"""
    request = campaign.client.request
    check(request("GET", "/nowhere", headers=ORIGIN), 404)
    check(request("PUT", campaign.path, headers=ORIGIN), 405)
    check(request("GET", "/v2/campaigns", headers=ORIGIN), 409)
    campaign.end()
    check(settles(lambda: campaign.post(ADA, headers=ORIGIN), 423), 423)


def test_refused_by_a_limit(campaign):
    """429 as JSON, as a script, as a page"""
    address, request, page = new_address(), campaign.client.request, page_of(campaign)
    for _ in range(SIGNUPS):
        check(campaign.post(ADA, key=None, address=address, headers=ORIGIN), 200)
    check(campaign.post(ADA, key=None, address=address, headers=ORIGIN), 429)
    check_script(subscribe(campaign, address=address), 429)
    for _ in range(POSTS - SIGNUPS):
        request("GET", page, address=address)
    refused = request("GET", page, address=address, headers=ORIGIN)
    check_page(refused, 429)
    check(refused)


def test_scripts_and_pages(campaign):
    """the scripts and pages with which calls are answered, successful or failed"""
    page = page_of(campaign)
    check_script(look_up(campaign, **ADA))
    check_script(look_up(campaign, email="unknown@example.org"), 404)
    for path, status in ((page, 200), (f"/opt-out/{campaign.id}/unknown/x", 404)):
        response = campaign.client.request("GET", path, headers=ORIGIN)
        check_page(response, status)
        check(response)


def test_an_internal_error(service, campaign):
    """500: a table is missing"""
    sql = service.installation.sql
    sql("RENAME TABLE lh_webhook_status TO lh_away")
    try:
        check(campaign.get({}, path="/outbound-webhook", headers=ORIGIN), 500)
    finally:
        sql("RENAME TABLE lh_away TO lh_webhook_status")
    check(campaign.get({}, path="/outbound-webhook", headers=ORIGIN), 200)


def test_without_a_database(own_database, campaign):
    """503 as JSON, as a script, as a page"""
    page = page_of(campaign)
    own_database.child.kill()
    try:
        check(settles(lambda: campaign.post(ADA, headers=ORIGIN), 503), 503)
        check(settles(lambda: campaign.client.request("GET", "/health/ready", headers=ORIGIN), 503), 503)
        check_script(subscribe(campaign), 503)
        response = settles(lambda: campaign.client.request("GET", page, headers=ORIGIN), 503)
        check_page(response, 503)
        check(response)
    finally:
        own_database.start()
    campaign.service.wait_ready()
