# SPDX-License-Identifier: MIT
"""docs/api.md 4.1.10: forms that browsers send without a script."""
import concurrent.futures
import html
import re
import urllib.parse

import pytest
from client import multipart

NAVIGATE = {"Sec-Fetch-Mode": "navigate"}
HTML = {"Accept": "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8"}
THANKS = {"thankyou_url": "https://shop.example/thanks?x=1#top"}


def post(campaign, fields, path=None, **options):
    return campaign.client.request("POST", path or f"/v1/{campaign.id}/subscribe", form=fields, **options)


def location(answer):
    assert answer.status == 303, (answer.status, answer.body)
    return answer.headers["Location"]


@pytest.mark.parametrize("headers, fields, setting, people", [
    (NAVIGATE, {}, "auto", True), (HTML, {}, "auto", True), ({}, {}, "auto", False), ({"Accept": "*/*"}, {}, "auto", False),
    ({"Accept": "application/json"}, {}, "auto", False), ({"Sec-Fetch-Mode": "cors", **HTML}, {}, "auto", False),
    ({"Sec-Fetch-Mode": "cors"}, {"__answer": "redirect"}, "redirect", False), ({}, {"__answer": "redirect"}, "auto", True),
    (NAVIGATE, {"__answer": "json"}, "redirect", False), ({}, {}, "redirect", True), (NAVIGATE, {}, "json", False),
    (HTML, {}, "json", False), ({}, {"__answer": "redirect"}, "json", True), (NAVIGATE, {"__answer": "x"}, "auto", True),
    ({}, {"__answer": ""}, "auto", False)])
def test_the_kind_of_answer(service, account, headers, fields, setting, people):
    campaign = service.campaign(account, form_answer=setting, **THANKS)
    answer = post(campaign, {"email": "ada@example.org", **fields}, headers=headers)
    assert answer.status == (303 if people else 200)
    assert campaign.find(email="ada@example.org")["custom_fields"] == {}


@pytest.mark.parametrize("path", ["/v1/{}/subscribe", "/v2/{}", "/lead/{}", "/subscribe", "/v2"])
def test_paths(service, account, path):
    campaign = service.campaign(account, **THANKS)
    for number, options in enumerate(({"form": {"email": "ada@example.org", "campaign_id": campaign.id}},
                                      dict(zip(("type", "body"), multipart([("email", "ada@example.org"),
                                                                            ("campaign_id", str(campaign.id))]))))):
        answer = campaign.client.request("POST", path.format(campaign.id), headers=NAVIGATE, **options)
        lead = campaign.find(email="ada@example.org")
        assert lead["counter"] == number + 1
        assert location(answer) == f"https://shop.example/thanks?x=1&kolid={lead['social_id']}#top"


def test_not_for_programs(service, account):
    """the answer is still JSON for calls with a key, with a JSON body or by JSONP"""
    campaign = service.campaign(account, **THANKS)
    assert campaign.client.request("POST", campaign.path, form={"email": "a@example.org"}, key=campaign.key,
                                   headers=NAVIGATE).status == 200
    assert post(campaign, {"email": "a@example.org", "api_key": campaign.key}, headers=NAVIGATE).status == 200
    assert campaign.client.request("POST", campaign.path, json_body={"email": "a@example.org"}, headers=NAVIGATE).status == 200
    assert campaign.client.request("GET", f"/v1/{campaign.id}/subscribe", query={"email": "a@example.org"},
                                   headers=NAVIGATE).status == 200
    assert campaign.client.request("GET", campaign.path, query={"email": "a@example.org"}, headers=NAVIGATE).status == 200
    assert post(campaign, {"email": "x"}, headers={"Authorization": f"Bearer {campaign.key}", **NAVIGATE}).json["error"] == "invalid_email"


@pytest.mark.parametrize("redirect, target", [
    ("https://shop.example/a?b=c", "https://shop.example/a?b=c&kolid={}"),
    ("HTTPS://www.SHOP.example/äö#ü", "https://www.shop.example/%C3%A4%C3%B6?kolid={}#%C3%BC"),
    ("https://landing.example/", "https://landing.example/?kolid={}")])
def test_redirect_url(service, account, redirect, target):
    campaign = service.campaign(account, hosts="shop.example", landing_url="https://landing.example/start")
    answer = post(campaign, {"email": "ada@example.org", "redirect_url": redirect}, headers=NAVIGATE)
    assert location(answer) == target.format(campaign.find(email="ada@example.org")["social_id"])


@pytest.mark.parametrize("redirect", [
    "https://evil.example/", "https://shop.example.evil.example/", "https://evilshop.example/", "//shop.example/", "/thanks",
    "https://shop.example@evil.example/", "https://evil.example/https://shop.example/", "https:shop.example",
    "https://shop.example\\@evil.example/", "https://x.landing.example/"])
def test_foreign_redirect_url(service, account, redirect):
    campaign = service.campaign(account, pages="on", hosts="shop.example", landing_url="https://landing.example/start")
    answer = post(campaign, {"email": "ada@example.org", "redirect_url": redirect}, headers=NAVIGATE)
    assert location(answer) == campaign.find(email="ada@example.org")["status_url"]


def test_the_campaign_decides_first(service, account):
    campaign = service.campaign(account, hosts="shop.example", pages="on", **THANKS)
    answer = post(campaign, {"email": "ada@example.org", "redirect_url": "https://shop.example/other", "__skip_urls": "1"}, headers=NAVIGATE)
    assert location(answer).startswith("https://shop.example/thanks?x=1&kolid=")


def get(campaign, url, method="GET"):
    return campaign.client.request(method, urllib.parse.urlsplit(url).path)


def page_of(campaign, name):
    return f"{campaign.service.front.url}/c/{campaign.id}/{name}"


def test_without_any_target(campaign):
    """the form leads to a page that can be loaded again, even without hosted pages; loading it changes nothing"""
    answer = post(campaign, {"email": "ada@example.org"}, headers=NAVIGATE)
    assert location(answer) == page_of(campaign, "thanks")
    for method in ("GET", "HEAD", "GET"):
        page = get(campaign, location(answer), method)
        assert page.status == 200 and page.headers["Content-Type"] == "text/html; charset=utf-8"
        assert "Content-Security-Policy" in page.headers and (b"We have received your sign-up" in page.body) == (method == "GET")
    assert campaign.find(email="ada@example.org")["counter"] == 1
    assert post(campaign, {"email": "b@example.org"}, path=f"/c/{campaign.id}/thanks").status == 405
    assert get(campaign, page_of(campaign, "sent")).status == 404, "without mail nothing is sent"
    assert campaign.client.request("GET", "/c/4294967295/thanks").status == campaign.client.request("GET", "/c/4294967295/sent").status == 404


@pytest.mark.parametrize("mount", ["/", "/lead/"])
def test_without_a_base_url(make_service, mount):
    """redirections have only a path, below the path prefix, which browsers resolve against the URL of the form"""
    service = make_service(settings=[("server", "base_url", "")], mount=mount)
    campaign = service.campaign()
    place = location(post(campaign, {"email": "ada@example.org"}, headers=NAVIGATE))
    assert place == f"{service.front.base_path}/c/{campaign.id}/thanks"
    assert b"We have received your sign-up" in get(campaign, place.removeprefix(service.front.base_path)).body


def test_a_mail_is_on_its_way(make_service):
    """known, new and confirmed addresses lead to the same page, without anything about the person; a page of another site takes
    precedence"""
    service = make_service(settings=[("mail", "host", "127.0.0.1"), ("mail", "port", "9"), ("mail", "tls", "none"),
                                     ("mail", "from", "hello@example.org")])
    for settings, code in (({"mails": "welcome,status_link"}, False), ({"verify_email": "on", "mails": "status_link"}, True)):
        campaign = service.campaign(pages="off", public_lookup="social_id", public_update="own", **settings)
        campaign.lead(email="ada@example.org")
        campaign.lead(email="bob@example.org")
        campaign.bulk("verify", {"email": "bob@example.org"})
        service.dispatch()
        places = {location(post(campaign, {"email": one}, headers=NAVIGATE)).partition("?to=")[0]
                  for one in ("ada@example.org", "bob@example.org", "eve@example.org")}
        assert places == {page_of(campaign, "sent")}
        page = get(campaign, places.pop())
        assert page.status == 200 and b"We wrote to the address that you entered" in page.body and (b"/code" in page.body) == code
        assert page.headers["Referrer-Policy"] == "no-referrer" and page.headers["Cache-Control"] == "no-store"
        service.installation.admin("campaign", "set", str(campaign.id), "thankyou_url=https://shop.example/thanks")
        assert location(post(campaign, {"email": "ada@example.org"}, headers=NAVIGATE)) == "https://shop.example/thanks"


def test_no_mail_is_on_its_way(make_service):
    """docs/api.md 4.1.10, 4.1.11: with mail, forms lead to what this campaign sends; a repeated sign-up has the same answer for every
    address; two simultaneous clicks make one lead"""
    service = make_service(settings=[("mail", "host", "127.0.0.1"), ("mail", "port", "9"), ("mail", "tls", "none"),
                                     ("mail", "from", "hello@example.org")])
    number = {"phone_number": "+491711234567"}
    for settings, first, place in (
            ({"mails": "", "verify_email": "off"}, "thanks", "thanks"), ({"mails": "welcome,referral,reward"}, "thanks", "thanks"),
            ({"mails": "", "verify_email": "on"}, "sent", "thanks"), ({"mails": "status_link"}, "thanks", "sent"),
            ({"mails": "welcome,status_link", "public_lookup": "own"}, "sent", "sent")):
        campaign = service.campaign(bots="off", **{"pages": "off", "public_lookup": "social_id", "public_update": "own", **settings})
        with concurrent.futures.ThreadPoolExecutor(2) as both:
            clicks = {location(one).partition("?")[0] for one in both.map(lambda _: post(campaign, {"email": "ada@example.org"}, headers=NAVIGATE), range(2))}
        assert clicks == {page_of(campaign, first), page_of(campaign, place)}
        assert location(post(campaign, {"email": "ada@example.org"}, headers=NAVIGATE)).partition("?")[0] == page_of(campaign, place)
        assert get(campaign, page_of(campaign, "sent")).status == (200 if "sent" in (first, place) else 404)
        assert {location(post(campaign, number, headers=NAVIGATE)) for _ in range(2)} == {page_of(campaign, "thanks")}, "no mail to a number"
        answer = campaign.client.request("POST", campaign.path, form={"email": "ada@example.org"})
        assert answer.json.get("check_mail", False) == (place == "sent")


def test_a_withheld_lead(service, account):
    """docs/api.md 4.1.11: the form of a withheld lead does not lead to a page that shows it"""
    campaign = service.campaign(account, pages="on", public_lookup="social_id", public_update="own", **THANKS)
    assert "kolid=" in location(post(campaign, {"email": "ada@example.org"}, headers=NAVIGATE))
    again = post(campaign, {"email": "ada@example.org", "redirect_url": "https://shop.example/"}, headers=NAVIGATE)
    assert location(again) == "https://shop.example/thanks?x=1#top"
    plain = service.campaign(account, pages="on", public_lookup="social_id", public_update="own")
    post(plain, {"email": "ada@example.org", "first_name": "Ada"}, headers=NAVIGATE)
    again = post(plain, {"email": "ada@example.org"}, headers=NAVIGATE)
    assert location(again) == page_of(plain, "thanks")
    assert not re.search(rb"[0-9A-Z]{10}|Ada", get(plain, location(again)).body)


@pytest.mark.parametrize("sent, page", [
    ({"Referer": "https://shop.example/form?a=b&lead_error=old&c=d#x"}, "https://shop.example/form?a=b&c=d&lead_error=invalid_email#x"),
    ({"Referer": "https://shop.example/"}, "https://shop.example/?lead_error=invalid_email"),
    ({"Referer": "https://landing.example/"}, "https://landing.example/start?lead_error=invalid_email#form"),
    ({"Referer": "https://landing.example/other"}, "https://landing.example/other?lead_error=invalid_email"),
    ({"Referer": "https://evil.example/form"}, None), ({}, None), ({"Referer": "javascript:alert(1)"}, None)])
def test_errors(service, account, sent, page):
    campaign = service.campaign(account, hosts="shop.example", landing_url="https://landing.example/start#form")
    answer = post(campaign, {"email": "ada<b>@", "secret": "typed"}, headers={**NAVIGATE, **sent})
    if page:
        assert location(answer) == page
    else:
        assert answer.status == 406 and answer.headers["Content-Type"] == "text/html; charset=utf-8"
        assert b"Enter an email address" in answer.body and b"<b>" not in answer.body
        assert b'value="ada&#60;b&#62;@"' in answer.body and b'name="secret" value="typed"' in answer.body
        assert f'action="{campaign.service.front.base_path}/v1/{campaign.id}/subscribe"'.encode() in answer.body


@pytest.mark.parametrize("fields, needed, either", [
    ({"email": "x"}, {"email"}, 0), ({"phone_number": "x"}, {"phone_number"}, 0), ({"email": "x", "phone_number": "y"}, set(), 2)])
def test_what_a_failed_form_needs(campaign, fields, needed, either):
    """the page has the fields that the form sent: a single field is required; with two, the page says that one is enough"""
    body = post(campaign, fields, headers=NAVIGATE).body.decode()
    shown = {name: attributes for name, attributes in re.findall(r'<input type="\w+" id="f-\w+" name="(\w+)"([^>]*)>', body)}
    assert set(shown) == set(fields) and {name for name, attributes in shown.items() if "required" in attributes} == needed
    assert body.count("(one of the two is enough)") == either and "(optional)" not in body


def test_the_page_of_the_form(service, account):
    """`__url` takes precedence over the referrer"""
    campaign = service.campaign(account, hosts="shop.example")
    for url, page in (("https://shop.example/here?x=1", "https://shop.example/here?x=1&lead_error=invalid_email"),
                      ("https://evil.example/here", None)):
        answer = post(campaign, {"email": "x", "__url": url}, headers={"Referer": "https://shop.example/other", **NAVIGATE})
        assert location(answer) == page if page else answer.status == 406


@pytest.mark.parametrize("multi", [False, True])
def test_a_failed_form_has_all_that_was_sent(campaign, multi):
    """checkboxes and the query of the form's action are sent again with the form"""
    sent = [("list[]", "a"), ("list[]", "b<c"), ("size", "L"), ("email", "ada@")]
    options = dict(zip(("type", "body"), multipart(sent))) if multi else {"form": sent}
    answer = campaign.client.request("POST", "/subscribe", query=f"campaign_id={campaign.id}&utm_source=x", headers=NAVIGATE, **options)
    body = answer.body.decode()
    assert answer.status == 406
    hidden = [(name, html.unescape(value)) for name, value in re.findall(r'<input type="hidden" name="([^"]*)" value="([^"]*)">', body)]
    action = html.unescape(re.search(r'<form[^>]* action="([^"]*)"', body)[1])
    assert sorted(pair for pair in hidden if pair[0] != "__stamp") == sorted(sent[:3])
    again = [*sent[:3], ("email", "ada@example.org")]
    target = urllib.parse.urlsplit(action)
    path = target.path.removeprefix(campaign.service.front.base_path)
    assert campaign.client.request("POST", path, query=target.query, form=again).status == 200
    lead = campaign.find(email="ada@example.org")
    assert lead["custom_fields"] == {"list": ["a", "b<c"], "size": "L"} and lead["utm"] == {"source": "x"}


@pytest.mark.parametrize("headers", [NAVIGATE, HTML])
def test_other_errors(service, account, headers):
    """each error is answered with its status and a page, even before the campaign is known"""
    campaign = service.campaign(account, require_key="on")
    assert post(campaign, {"email": "a@example.org"}, headers=headers).status == 409
    missing = post(campaign, {"email": "a@example.org"}, "/v1/999999999/subscribe", headers=headers)
    assert missing.status == 404 and missing.headers["Content-Type"] == "text/html; charset=utf-8"
    ended = service.campaign(account)
    ended.end()
    assert post(ended, {"email": "a@example.org"}, headers=headers).status == 423
    many = [post(ended, {"email": "a@example.org"}, headers=headers, address="10.200.0.1") for _ in range(11)]
    assert (many[-1].status, many[-1].headers["Content-Type"]) == (429, "text/html; charset=utf-8")
    assert many[-1].headers["Retry-After"]
