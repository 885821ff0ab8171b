# SPDX-License-Identifier: MIT
"""docs/api.md 4.1: the pages to which unsubscribe_url leads."""
import re

import pytest
from client import multipart
from html_page import check_page
from proof import stamp_of
from stack.process import wait_until

ONE_CLICK = b"List-Unsubscribe=One-Click"


@pytest.fixture
def lead(campaign):
    return campaign.lead(email="ada@example.org")


def path_of(campaign, lead, which="default"):
    url = lead["unsubscribe_url"][which]
    assert url.startswith(campaign.service.front.url + "/opt-out/")
    return url.removeprefix(campaign.service.front.url)


def go(campaign, path, method="GET", **options):
    return campaign.client.request(method, path, **options)


def opted_out(campaign):
    return campaign.find(email="ada@example.org")["opted_out"]


def check_form(page):
    form, = page.all("form")
    assert form[0] == {"method": "post"} and len(page.all("button")) == 1 and page.text("button") == "Unsubscribe"


def test_get_opts_out(campaign, lead):
    """docs/api.md 4.1 GET /opt-out/{cid}/{social_id}/{token}: unsubscribe_url.default opts out; it may be repeated"""
    for _ in range(2):
        page = check_page(go(campaign, path_of(campaign, lead)), 200)
        assert not page.all("form") and campaign.name in page.text("p")
        assert opted_out(campaign) is True
    assert campaign.find(email="ada@example.org")["counter"] == 1


def test_safe_needs_confirmation(campaign, lead):
    """docs/api.md 4.1 GET ?safe=1 shows a form, and its POST opts out"""
    path = path_of(campaign, lead, "safe")
    default = path_of(campaign, lead)
    for link in (*(path + query for query in ("", "&safe=yes", "&safe=what", "&safe[]=1", "&x=%ff&=&a=b")),
                 *(default + query for query in ("?safe%3D1", "?SAFE=1", "?&amp;safe=1", "?amp;safe=1", "?safe=3D1", "?safe=", "?saf",
                                                 "?utm_source=x?safe=1", "%3Fsafe=1", "&safe=1", "?Safe%20=1", "?x=1&%20safe=1"))):
        check_form(check_page(go(campaign, link), 200))
        assert opted_out(campaign) is False
    page = check_page(go(campaign, path, "POST", form={"__stamp": stamp_of(campaign, 3)}), 200)
    assert not page.all("form") and opted_out(campaign) is True
    check_form(check_page(go(campaign, path), 200))


def test_the_button_of_programs(service, campaign, lead):
    """docs/api.md 4.1.5: if the button is pressed within two seconds after the page was made, or without the page's stamp, the page is
    shown again; its time is not reset"""
    path = path_of(campaign, lead, "safe")

    def stamp_in(page):
        check_form(check_page(page, 200))
        return re.search(rb'name="__stamp" value="([^"]+)"', page.body)[1].decode()

    young = stamp_of(campaign, -60)  # a time in the future: too young however slow the host is
    again = go(campaign, path, "POST", form={"__stamp": young})
    assert stamp_in(again) == young and b"very quickly" in again.body
    stamp = stamp_in(go(campaign, path))
    other = service.campaign(campaign.account)
    for form in ({}, {"x": "y"}, {"__stamp": ""}, {"__stamp": "x"}, {"__stamp": stamp_of(other, 3)}, {"List-Unsubscribe": "Other"}):
        assert stamp_in(go(campaign, path, "POST", form=form)) >= stamp, form
        assert opted_out(campaign) is False
    wait_until(lambda: b"__stamp" not in go(campaign, path, "POST", form={"__stamp": stamp}).body, 10, "the button counts")
    assert opted_out(campaign) is True


@pytest.mark.parametrize("query", ["?x=1", "?utm_source=mail", "?__url=x&api_key=wrong&jsonp=f", "?%ff=%ff", "/"])
def test_other_parameters_do_not_matter(campaign, lead, query):
    """docs/api.md 4.1: parameters other than safe are ignored"""
    check_page(go(campaign, path_of(campaign, lead) + query), 200)
    assert opted_out(campaign) is True


@pytest.mark.parametrize("which", ["default", "safe"])
def test_head_changes_nothing(campaign, lead, which):
    """docs/api.md 4.1, 1.1 Methods: HEAD is answered like the form, without its body"""
    response = go(campaign, path_of(campaign, lead, which), "HEAD")
    assert (response.status, response.body) == (200, b"") and response.headers["Content-Type"] == "text/html; charset=utf-8"
    form = go(campaign, path_of(campaign, lead, "safe"))
    assert response.headers["Content-Length"] == str(len(form.body))
    assert opted_out(campaign) is False


@pytest.mark.parametrize("type, body", [
    ("application/x-www-form-urlencoded", ONE_CLICK), multipart([("List-Unsubscribe", "One-Click")]), (None, ONE_CLICK),
    ("application/x-www-form-urlencoded", ONE_CLICK + b"&x=y")])
@pytest.mark.parametrize("which", ["default", "safe"])
def test_one_click(campaign, lead, which, type, body):
    """docs/api.md 4.1.5, RFC 8058 3.2: a mail program's POST takes effect at once"""
    check_page(go(campaign, path_of(campaign, lead, which), "POST", body=body, type=type), 200)
    assert opted_out(campaign) is True


@pytest.mark.parametrize("type, body", [
    ("application/json", b"{"), ("image/png", b"\x89PNG"), ("multipart/form-data", b"--"),
    ("application/x-www-form-urlencoded; charset=latin1", b"a=%ff&a[]=\xff"), (None, b"")])
@pytest.mark.parametrize("which", ["default", "safe"])
def test_other_bodies(campaign, lead, which, type, body):
    """docs/api.md 4.1.5: other bodies show the page, even if they are unreadable"""
    check_form(check_page(go(campaign, path_of(campaign, lead, which), "POST", body=body, type=type), 200))
    assert opted_out(campaign) is False


def test_forged_and_foreign_tokens(service, campaign, lead):
    """docs/api.md 4.1: an invalid token gets 404; a token is valid for one lead of one campaign"""
    other = service.campaign(campaign.account)
    base, social_id, token = path_of(campaign, lead).rsplit("/", 2)
    second = campaign.lead(email="b@example.org")
    foreign = other.lead(email="ada@example.org")
    flipped = token[:-1] + ("A" if token[-1] != "A" else "B")
    paths = [f"{base}/{social_id}/{bad}" for bad in (flipped, token[:-1], token + "A", token.lower() + "x", "x", "A" * 24,
                                                    path_of(campaign, second).rsplit("/", 1)[1],
                                                    path_of(other, foreign).rsplit("/", 1)[1])]
    paths += [f"{base}/{second['social_id']}/{token}", f"/opt-out/{other.id}/{social_id}/{token}",
              f"/opt-out/{other.id}/{foreign['social_id']}/{token}", f"/opt-out/999999999/{social_id}/{token}",
              f"/opt-out/{10**30}/{social_id}/{token}", f"{base}/x/{token}"]
    for path in paths:
        for method, query in (("GET", ""), ("GET", "?safe=1"), ("POST", "")):
            page = check_page(go(campaign, path + query, method), 404)
            assert not page.all("form") and "Use the unsubscribe link" in page.text("p")
        assert go(campaign, path, "HEAD").status == 404
    for one in (campaign, other):
        assert not any(lead["opted_out"] for lead in one.get({}, path="/leads").json["leads"])


def test_a_link_of_a_former_address(campaign):
    """docs/api.md 4.1.5: once a key has replaced the email address, the link in the former owner's mails is invalid; an address that the
    lead adds does not make links invalid"""
    former = campaign.lead(email="former@example.org", phone_number="+491701234567")
    lead = campaign.lead(email="ada@example.org", phone_number="+491701234567")
    assert lead["id"] == former["id"] and not lead["opted_out"]
    for method, options in (("GET", {}), ("POST", {"form": {"List-Unsubscribe": "One-Click"}})):
        assert go(campaign, path_of(campaign, former), method, **options).status == 404 and not opted_out(campaign)
    assert path_of(campaign, campaign.lead(email="ada@example.org", phone_number="+491709999999")) == path_of(campaign, lead)
    assert go(campaign, path_of(campaign, lead)).status == 200 and opted_out(campaign)


def test_spellings_of_the_id(campaign, lead):
    """docs/api.md 4.5 social_id: spellings of people who type it are accepted, as in other calls"""
    base, social_id, token = path_of(campaign, lead).rsplit("/", 2)
    check_page(go(campaign, f"{base}/{social_id.lower()}/{token}"), 200)
    assert opted_out(campaign) is True


def test_deleted_lead(campaign, lead):
    """docs/api.md 4.1: the error for a deleted lead is a page"""
    campaign.change("delete", email=lead["email"])
    for which in ("default", "safe"):
        check_page(go(campaign, path_of(campaign, lead, which)), 404)


@pytest.mark.parametrize("method, status", [("DELETE", 405), ("PUT", 405), ("PATCH", 405)])
def test_other_methods(campaign, lead, method, status):
    """docs/api.md 1.1 Methods: errors of these routes are also pages"""
    response = go(campaign, path_of(campaign, lead), method)
    check_page(response, status)
    assert {word.strip() for word in response.headers["Allow"].split(",")} == {"GET", "HEAD", "POST", "OPTIONS"}
    assert go(campaign, path_of(campaign, lead), "OPTIONS").status == 204


def test_a_body_over_the_cap(campaign, lead):
    """docs/api.md 1 Caps: a body that is too large gets 413"""
    check_page(go(campaign, path_of(campaign, lead), "POST", body=b"x" * 300000), 413)
    assert opted_out(campaign) is False


def test_the_link_of_a_webhook(campaign, receiver):
    """docs/api.md 4.5 unsubscribe_url, 4.7 opted_out: the link in a delivered payload works"""
    campaign.webhook("new_signup", "opted_out")
    campaign.post({"email": "ada@example.org"}, key=None)
    campaign.service.dispatch()
    payload = campaign.delivered(1, event="new_signup")[0].json
    check_form(check_page(go(campaign, path_of(campaign, payload, "safe")), 200))
    check_page(go(campaign, path_of(campaign, payload)), 200)
    check_page(go(campaign, path_of(campaign, payload)), 200)
    campaign.service.dispatch()
    event, = campaign.delivered(1, event="opted_out")
    assert event.json["opted_out"] is True


def test_names_are_escaped(service, account, campaign):
    """docs/api.md 4.1: the sender's name is escaped"""
    name = "<script>alert('x')</script> & \"Söhne\""
    id = service.installation.admin("campaign", "add", str(account.id), name)["id"]
    made = service.client.request("POST", f"/v2/{id}", json_body={"email": "ada@example.org"}, key=account.key).json
    for which in ("safe", "default"):
        response = go(campaign, path_of(campaign, made, which))
        assert name in check_page(response, 200).text("p") and b"<script>" not in response.body


def test_require_key_and_ended_campaigns(service, account):
    """docs/api.md 3 require_key: opt-out pages need no key; 6: they work after the end"""
    campaign = service.campaign(account, require_key="on")
    lead = campaign.lead(email="ada@example.org")
    campaign.end()
    check_page(go(campaign, path_of(campaign, lead), key="lh_" + "x" * 43), 200)
    assert opted_out(campaign) is True
