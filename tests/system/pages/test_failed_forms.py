# SPDX-License-Identifier: MIT
"""docs/pages.md 2, docs/api.md 4.1.10: a form that fails is shown again with everything that was typed, without a script."""
import html
import re

import pytest
from client import multipart, new_address
from html_page import Page
from stack.process import wait_until

NAVIGATE = {"Sec-Fetch-Mode": "navigate"}
FIELDS = "email; phone_number; first_name; notes textarea: Notes; plan select: Plan = Free | Pro; news checkbox: News"
TYPED = {"email": "ada@example.org", "first_name": "Ada <b>", "notes": "first\nsecond & \"third\"", "plan": "Pro", "news": "yes",
         "consent": "yes", "kid": "ABCD1234"}
CAP = 4096


@pytest.fixture
def hosted(leadhook, service, account):
    campaign = service.campaign(account, pages="on", bots="off", language="en")
    leadhook("page", "set", campaign.id, "fields=" + FIELDS, "consent=I agree")
    return campaign


def post(campaign, fields, path=None, **options):
    headers = {"Origin": campaign.service.front.url, **NAVIGATE}
    return campaign.client.request("POST", path or f"/c/{campaign.id}", form=fields, headers=headers, **options)


def fresh(campaign):
    """Returns the hidden fields of the page."""
    page = Page(campaign.client.request("GET", f"/c/{campaign.id}").body.decode())
    return {one["name"]: one.get("value", "") for one, _ in page.all("input") if one["type"] == "hidden"}


def values_of(body):
    """The values that a browser would send."""
    page = Page(body)
    found = {one["name"]: one.get("value", "") for one, _ in page.all("input") if one["type"] != "checkbox" or "checked" in one}
    for name, text in re.findall(r'<textarea[^>]* name="([^"]*)"[^>]*>\n(.*?)</textarea>', body, re.S):
        found[name] = html.unescape(text)
    for name, options in re.findall(r'<select[^>]* name="([^"]*)"[^>]*>(.*?)</select>', body, re.S):
        found[name] = html.unescape("".join(re.findall(r'<option value="([^"]*)" selected>', options)))
    return found


def check_again(answer, status, typed, error):
    """The form is shown with what was typed and with an error. If the error is about a field, the summary links to the field."""
    body = answer.body.decode()
    assert answer.status == status and "<form" in body, body
    assert typed.items() <= values_of(body).items()
    assert error in html.unescape(re.search(r'role="alert">(.*?)</div>', body, re.S)[1])
    assert "<b>" not in body
    return body


def check_field(body, name):
    assert f'href="#f-{name}"' in body and f'id="e-{name}"' in body and re.search(rf'id="f-{name}"[^>]* aria-describedby="e-{name}"', body)


@pytest.mark.parametrize("name, value, error", [
    ("email", "ada@", "Enter an email address"), ("email", "", "Enter an email address"), ("phone_number", "1", "Enter a phone number"),
    ("plan", "Gold", "Choose one of the options"),
    ("notes", "x" * (CAP + 1), "Shorten “Notes”: there is room for 4,096 characters"),
    ("notes", "ü" * CAP, "there is room for 2,048 characters"), ("notes", "a\n" * CAP, "Shorten “Notes”"),
    ("first_name", "<" * (CAP + 1), "Shorten “First name”")], ids=range(8))
def test_each_error_names_its_field(hosted, name, value, error):
    """each error has a link to its field; the consent is also kept"""
    sent = {**fresh(hosted), **TYPED, name: value}
    shown = {**sent, **({name: ""} if name == "plan" else {})}
    body = check_again(post(hosted, sent), 406, {key: text.strip() for key, text in shown.items() if text}, error)
    check_field(body, name)
    again = {**values_of(body), name: TYPED.get(name, "")}
    assert post(hosted, again).status == 303 and hosted.find(email="ada@example.org")["custom_fields"]["notes"] == TYPED["notes"]


@pytest.mark.parametrize("missing, error", [("consent", "Please agree"), ("email", "Enter an email address")])
def test_what_is_missing(hosted, missing, error):
    sent = {name: value for name, value in {**fresh(hosted), **TYPED}.items() if name != missing}
    check_again(post(hosted, sent), 406, sent, error)


@pytest.mark.parametrize("language, words", [
    ("en", "Please wait {} "), ("de", "Bitte warte {} "), ("es", "Espera {} "), ("fr", "Attendez {} ")])
def test_too_many(leadhook, hosted, language, words):
    """docs/api.md 5: the answer has the form, and the time to wait; nothing is stored"""
    leadhook("campaign", "set", hosted.id, f"language={language}")
    address, sent = new_address(), {**fresh(hosted), **TYPED, "email": "ada@"}
    for _ in range(10):
        assert post(hosted, sent, address=address).status == 406
    answer = post(hosted, {**sent, "email": TYPED["email"]}, address=address)
    wait = int(answer.headers["Retry-After"])
    assert 0 < wait <= 62
    check_again(answer, 429, {**sent, "email": TYPED["email"]}, words.format(-(-wait // 10) * 10))
    assert hosted.get({"email": TYPED["email"]}).status == 404
    assert post(hosted, values_of(answer.body.decode())).status == 303, "from another address, or later"


def test_a_trace_for_the_owner(leadhook, hosted):
    """docs/statistics.md 2.1: when many people sign up from one address, the owner sees how many sign-ups were refused, and from how many
    addresses"""
    def refused():
        rows = leadhook("campaign", "sources", hosted.id, "--kind", "refused")
        assert all(row["kind"] == "refused" for row in rows)
        return {row["value"]: row["signups"] for row in rows}
    assert refused() == {}
    school, office = new_address(), new_address()
    for address, count in ((school, 14), (office, 11)):
        for number in range(count):
            assert post(hosted, {**TYPED, "email": "x"}, address=address).status == (406 if number < 10 else 429)
    hosted.client.request("POST", f"/v1/{hosted.id}/subscribe", form=TYPED, address=school)

    def stored():
        hosted.client.request("GET", "/health/ready")
        return refused() == {"signups": 6, "addresses": 2}
    wait_until(stored, 60, "the counts of all responders")
    assert {row["kind"] for row in leadhook("campaign", "sources", hosted.id)} == {"refused"}
    # unknown campaigns, look-ups and calls with a key are not counted
    for _ in range(12):
        hosted.client.request("POST", "/c/4294967295", form=TYPED, address=office, headers=NAVIGATE)
    assert hosted.service.installation.sql("SELECT COUNT(*) FROM lh_lead_sources WHERE campaign_id = 4294967295").strip() == "0"


def test_limits_of_the_form(hosted):
    """each page with a failed form counts as a look-up; beyond that limit, the answer is only a message"""
    address = new_address()
    answers = [post(hosted, {**TYPED, "email": "ada@"}, address=address) for _ in range(120)]
    assert {one.status for one in answers[10:]} == {429}
    assert b"<form" in answers[10].body and b"<form" in answers[100].body and b"<form" not in answers[-1].body


def test_no_form_where_there_is_none(service, account, hosted):
    """pages that are off, closed or only for keys never have a form, even beyond the limit"""
    for settings, end in (({"pages": "off"}, False), ({"require_key": "on"}, False), ({"hosts_only": "on"}, False), ({}, True)):
        campaign = service.campaign(account, **{"pages": "on", "bots": "off", **settings})
        if end:
            campaign.end()
        address = new_address()
        answers = [campaign.client.request("POST", f"/c/{campaign.id}", form=TYPED, headers={**NAVIGATE, "Origin": "https://evil.example"},
                                           address=address) for _ in range(11)]
        assert b"<form" not in answers[-1].body, settings
        assert answers[-1].status == 429


@pytest.mark.parametrize("bots", ["honeypot", "proof"])
def test_against_bots(leadhook, hosted, bots):
    """docs/api.md 8: a form that is sent too fast, and a form without proof"""
    leadhook("campaign", "set", hosted.id, f"bots={bots}")
    sent = {**fresh(hosted), **TYPED}
    answer = post(hosted, sent)
    check_again(answer, 406, {name: value for name, value in sent.items() if name != "__stamp"}, "not a bot")


@pytest.mark.parametrize("stamp", ["", "x", "1500000000000.v8O9_1GdrFvDalHB"])
def test_old_stamps(leadhook, hosted, stamp):
    """docs/api.md 8.1: a page that was open for days can still sign up a lead"""
    leadhook("campaign", "set", hosted.id, "bots=honeypot")
    assert post(hosted, {**fresh(hosted), **TYPED, "__stamp": stamp}).status == 303


def test_too_large(hosted):
    """413: the form has what was typed, as far as the server has read the body"""
    sent = {**fresh(hosted), **TYPED, "notes": "x" * 40000}
    body = check_again(post(hosted, sent), 413, sent, "The form contains too much text")
    check_field(body, "notes")


@pytest.mark.parametrize("text, shown", [("a%0Bb", "a\nb"), ("a%0Cb", "a\nb"), ("a%00b", "ab"), ("a%FFb", "aÿb"), ("%ED%A0%80ab", "í\xa0€ab")])
def test_what_is_no_text(hosted, text, shown):
    """docs/api.md 1.1: values that are not text are shown as they were read"""
    fields = "&".join(f"{name}={value}" for name, value in (("email", "ada%40"), ("consent", "yes"), ("notes", text), ("first_name", "Ada")))
    answer = hosted.client.request("POST", f"/c/{hosted.id}", body=fields.encode(), type="application/x-www-form-urlencoded", headers=NAVIGATE)
    check_again(answer, 406, {"email": "ada@", "first_name": "Ada", "notes": shown}, "Enter an email address")


# ---- forms of other pages ----

@pytest.mark.parametrize("multi", [False, True])
def test_a_form_of_another_page(campaign, multi):
    """a value that is too long gets a field with its name; all others are sent again in hidden fields"""
    sent = [("email", "ada@example.org"), ("story", "x" * 5000), ("size", "L"), ("list[]", "a"), ("list[]", "b<c")]
    options = dict(zip(("type", "body"), multipart(sent))) if multi else {"form": sent}
    answer = campaign.client.request("POST", f"/v1/{campaign.id}/subscribe", headers=NAVIGATE, **options)
    body = check_again(answer, 406, {"email": "ada@example.org", "story": "x" * 5000, "size": "L"}, "Shorten “story”")
    check_field(body, "story")
    assert re.findall(r'name="list\[\]" value="([^"]*)"', body) == ["a", "b&#60;c"]


def test_another_page_beyond_the_limit(campaign):
    address = new_address()
    sent = {"email": "ada@example.org", "size": "<b>"}
    answers = [post(campaign, {**sent, "email": "ada@"}, f"/v1/{campaign.id}/subscribe", address=address) for _ in range(10)]
    answers.append(post(campaign, sent, f"/v1/{campaign.id}/subscribe", address=address))
    assert answers[9].status == 406
    body = check_again(answers[10], 429, sent, "too many attempts")
    again = {name: value for name, value in values_of(body).items() if name != "__stamp"}  # it was sent back faster than people can
    assert post(campaign, again, f"/v1/{campaign.id}/subscribe").status == 303
    assert campaign.find(email="ada@example.org")["custom_fields"] == {"size": "<b>"}
