# SPDX-License-Identifier: MIT
"""docs/pages.md: the hosted pages, as HTTP answers. test_page_views.py shows them in browsers."""
import hashlib
import re

import pytest
from caller import Caller
from client import multipart
from html_page import Page, check_frame, check_page, check_policy
from service import settles
from stack.process import StackError

STRICT = {"pages": "on", "public_lookup": "social_id", "public_update": "own", "bots": "off"}
FIELDS = "email; first_name required: First <name>; plan select: Plan = Free | Pro; age number: Age"
CONSENT = "I want <news>."


@pytest.fixture
def hosted(service, account):
    return service.campaign(account, **STRICT)


def page_set(campaign, *words):
    return campaign.service.installation.admin("page", "set", str(campaign.id), *words)


def get(campaign, path="", **options):
    return campaign.client.request("GET", f"/c/{campaign.id}{path}", **options)


def post(campaign, fields, **options):
    return campaign.client.request("POST", f"/c/{campaign.id}", form=fields, **options)


def path_of(campaign, url):
    assert url.startswith(f"{campaign.service.front.url}/c/{campaign.id}/s/"), url
    return url.removeprefix(f"{campaign.service.front.url}/c/{campaign.id}")


def own_path(campaign, lead):
    return path_of(campaign, lead["status_url"])


def fields_of(page, tag="input"):
    return {attrs["name"]: attrs for attrs, _ in page.all(tag) if "name" in attrs}


def check_own_page(response):
    """Like check_page, for a page whose buttons need the script."""
    page = Page(response.body.decode())
    check_frame(page)
    assert response.status == 200 and response.headers["Referrer-Policy"] == "no-referrer" and response.headers["X-Robots-Tag"] == "noindex"
    assert all("hidden" in attrs for attrs, _ in page.all("button"))
    return page


# ---- the sign-up page ----

def test_the_sign_up_page(hosted):
    """docs/pages.md 1, 5: the page has title, form and referrer policy, and search engines may show it"""
    response = get(hosted, "?kid=abcd2345ef&utm_source=mail")
    page = Page(response.body.decode())
    check_frame(page)
    assert response.status == 200 and response.headers["Content-Type"] == "text/html; charset=utf-8"
    assert response.headers["Cache-Control"] == "no-store" and response.headers["Referrer-Policy"] == "same-origin"
    assert "X-Robots-Tag" not in response.headers
    check_policy(response)
    assert response.headers["Vary"] == "Accept-Language" and "Set-Cookie" not in response.headers
    form, = page.all("form")
    front = hosted.service.front
    assert form[0] == {"class": "card", "method": "post", "action": f"{front.base_path}/c/{hosted.id}"}
    fields = fields_of(page)
    assert set(fields) == {"email", "kid", "__url"} and fields["kid"]["value"] == "ABCD2345EF"
    assert fields["__url"]["value"] == f"{front.url}/c/{hosted.id}?kid=abcd2345ef&utm_source=mail"
    assert "required" in fields["email"] and fields["email"]["autocomplete"] == "email"
    assert {"property": "og:url", "content": f"{front.url}/c/{hosted.id}"} in [attrs for attrs, _ in page.all("meta")]


def test_head(hosted):
    head, whole = hosted.client.request("HEAD", f"/c/{hosted.id}"), get(hosted)
    assert head.status == 200 and head.body == b"" and head.headers["Content-Length"] == str(len(whole.body))


def test_sign_up(hosted):
    """docs/pages.md 1: the lead is the same as by the API, and the answer leads to its page"""
    friend = hosted.lead(email="friend@example.org")
    page = Page(get(hosted, f"?kid={friend['social_id']}&utm_source=mail&colour=red", headers={"Referer": "https://blog.example/"}).body.decode())
    hidden = {name: attrs["value"] for name, attrs in fields_of(page).items() if attrs["type"] == "hidden"}
    answer = post(hosted, {**hidden, "email": "ada@example.org"})
    lead = hosted.find(email="ada@example.org")
    assert answer.status == 303 and answer.headers["Location"] == lead["status_url"]
    assert lead["parent_id"] == friend["social_id"] and lead["utm"] == {"source": "mail"} and lead["referrer"] == "https://blog.example/"
    assert lead["custom_fields"] == {"colour": "red"}
    own = check_own_page(get(hosted, own_path(hosted, lead)))
    assert fields_of(own) == {} and f"?kid={lead['social_id']}" in own.all("input")[0][0]["value"]


def any_port(host):
    return [f"{host}:*", f"*.{host}:*"]


def test_where_it_leads(service, account):
    """docs/pages.md 1: the policy allows the pages to which the form leads, because browsers apply it to redirections after a form: hosts
    with "www." and without"""
    campaign = service.campaign(account, **STRICT, hosts="www.example.net", landing_url="http://landing.example:8080/x",
                                thankyou_url="https://www.shop.example/thanks", status_url="https://me.example/status")
    response = get(campaign)
    check_policy(response, forms=["https://www.shop.example", *any_port("shop.example"), "http://landing.example:8080",
                                  *any_port("landing.example"), "https://me.example", *any_port("me.example"),
                                  *any_port("www.example.net")])
    answer = post(campaign, {"email": "ada@example.org"})
    lead = campaign.find(email="ada@example.org")
    assert answer.headers["Location"] == f"https://www.shop.example/thanks?kolid={lead['social_id']}"


def test_a_known_address(hosted):
    """docs/pages.md 1: the lead of a known address is not shown"""
    lead = hosted.lead(email="ada@example.org", first_name="Ada")
    answer = post(hosted, {"email": "ada@example.org"})
    assert (answer.status, answer.headers["Location"]) == (303, f"{hosted.service.front.url}/c/{hosted.id}/thanks")
    page = hosted.client.request("GET", f"/c/{hosted.id}/thanks")
    check_page(page, 200)
    assert lead["social_id"].encode() not in page.body and b"Ada" not in page.body


@pytest.fixture(scope="module")
def mailing(make_service):
    """A service on which mails are requested but not sent: no dispatcher runs."""
    return make_service(settings=[("mail", "host", "127.0.0.1"), ("mail", "port", "9"), ("mail", "tls", "none"),
                                  ("mail", "from", "hello@example.org")])


def mails_of(campaign):
    return [row["kind"] for row in campaign.service.installation.admin("mail", "list", "--campaign", str(campaign.id))]


@pytest.mark.parametrize("mails, settings, says", [
    (False, {}, []), (False, {"verify_email": "on"}, []), (True, {"mails": ""}, []), (True, {}, ["link in your email"]),
    (True, {"verify_email": "on", "mails": ""}, ["confirm your email address", "on its way"])])
def test_signing_up_again(service, mailing, mails, settings, says):
    """docs/pages.md 2: the page has the link to share; it mentions a mail only if one is on its way or has the link; it shows nothing that
    not everyone may see"""
    used = mailing if mails else service
    campaign = used.campaign(used.account(), pages="on", bots="off", **settings)
    page_set(campaign, "fields=email; phone_number")
    first = post(campaign, {"email": "ada@example.org", "first_name": "Ada", "phone_number": "+14155552671"})
    lead, before = campaign.find(email="ada@example.org"), mails_of(campaign)
    assert first.headers["Location"] == lead["status_url"]
    answer = post(campaign, {"email": "ADA@example.org"})
    assert (answer.status, answer.headers["Location"]) == (303, f"{used.front.url}/c/{campaign.id}/s/{lead['social_id']}?again=email")
    text = get(campaign, path_of(campaign, answer.headers["Location"])).body.decode()
    assert "<h1>You’re already on the list</h1>" in text
    assert lead["social_url"] in [attrs.get("value") for attrs, _ in Page(text).all("input")] and "Sign up" not in text
    assert [part for part in ("confirm your email address", "on its way", "link in your email") if part in text] == says
    assert (len(mails_of(campaign)) > len(before)) == ("on its way" in text)
    for secret in ("Ada", "ada@", "ADA@", "+1415", lead["status_url"].rsplit("/", 1)[1]):
        assert secret not in text
    by_number = post(campaign, {"phone_number": "+14155552671"}).headers["Location"]
    assert by_number.endswith(f"/s/{lead['social_id']}?again=phone_number")
    assert "on its way" not in get(campaign, path_of(campaign, by_number)).body.decode()


def test_signing_up_again_with_a_confirmed_address(mailing):
    """docs/pages.md 2: no mail is on its way, because there is nothing to confirm"""
    campaign = mailing.campaign(mailing.account(), pages="on", bots="off", verify_email="on")
    lead = campaign.lead(email="ada@example.org")
    campaign.change("verify", email="ada@example.org")
    post(campaign, {"email": "ada@example.org"})
    text = get(campaign, f"/s/{lead['social_id']}?again=email").body.decode()
    assert "already on the list" in text and "on its way" not in text


@pytest.mark.parametrize("lookup, shows", [("social_id", True), ("own", False), ("none", False)])
def test_signing_up_again_made_by_hand(service, account, lookup, shows):
    """docs/pages.md 3: with the parameter of a repeated sign-up, the page shows no lead that it would not show without it"""
    campaign = service.campaign(account, **{**STRICT, "public_lookup": lookup})
    lead = campaign.lead(email="ada@example.org", first_name="Ada")
    plain, marked = (get(campaign, f"/s/{lead['social_id']}{query}").body.decode() for query in ("", "?again=email"))
    assert ("already on the list" in marked, "<dd>" in marked) == (shows, shows) and (shows or plain == marked)
    assert get(campaign, "/s/AAAAAAAAAA?again=email").status == (404 if shows else 200)


def version_of(text):
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def test_own_fields(hosted):
    """docs/pages.md 2: the form has the labels, the types and the required fields; the server checks them"""
    page_set(hosted, f"fields={FIELDS}", f"consent={CONSENT}")
    page = Page(get(hosted).body.decode())
    labels = "".join(page.texts["label"])
    assert "First <name>" in labels and CONSENT in labels and "Age" in labels
    version = version_of(CONSENT)
    good = {"email": "ada@example.org", "first_name": "Ada", "plan": "Pro", "age": "36", "consent": "yes", "consent_version": version}
    for bad, error in (({"first_name": ""}, "Fill in"), ({"plan": "Gold"}, "Choose one"), ({"age": "old"}, "Enter a number"),
                       ({"consent": ""}, "Please agree"), ({"email": "ada@"}, "Enter an email address"), ({"email": ""}, "Enter an email")):
        answer = post(hosted, {**good, **bad})
        again = Page(answer.body.decode())
        check_frame(again)
        assert answer.status == 406 and again.text("title").startswith("Error:") and error in answer.body.decode(), bad
        fields = {**fields_of(again), **fields_of(again, "select")}
        name, = bad
        assert "autofocus" in fields[name] and fields[name]["aria-describedby"] == f"e-{name}"
        assert answer.headers["Referrer-Policy"] == "same-origin" and answer.headers["X-Robots-Tag"] == "noindex"
        for other in ("email", "age"):
            assert other in bad or fields[other]["value"] == good[other]
    assert hosted.get({"email": "ada@example.org"}).status == 404
    assert post(hosted, good).status == 303
    assert hosted.find(email="ada@example.org")["custom_fields"] == {
        "first_name": "Ada", "plan": "Pro", "age": "36", "consent": "yes", "consent_version": version}
    assert {"name": f"consent.{version}", "language": None, "value": CONSENT} in hosted.service.installation.admin(
        "page", "show", str(hosted.id))


def test_other_sites_do_not_tick_the_box(hosted):
    """docs/pages.md 2: the form of another site can fill in the fields, but not give the consent; the page's own form keeps it"""
    page_set(hosted, f"consent={CONSENT}")
    fields = {"email": "ada@", "consent": "yes", "consent_version": version_of(CONSENT)}
    for origin, ticked in ((hosted.service.front.url, True), ("https://evil.example", False), ("null", False), (None, False)):
        answer = post(hosted, fields, headers={"Origin": origin} if origin else {})
        again = fields_of(Page(answer.body.decode()))
        assert answer.status == 406 and again["email"]["value"] == "ada@" and ("checked" in again["consent"]) == ticked, origin


def test_earlier_consents(hosted):
    """docs/pages.md 2: at most 100 texts are stored; a text that is not in use can be removed; requests for pages do not read them"""
    call = Caller(hosted.service, hosted.service.installation.admin("key", "add", str(hosted.account.id), "--rights", "all")["key"])
    change = lambda **texts: call("PATCH", f"campaigns/{hosted.id}/page", texts)  # noqa: E731
    for number in range(100):
        assert change(consent=f"Text {number}").status == 200
    full = change(consent="One more")
    assert full.verdict == (409, "conflict") and "100 texts of consents" in full.json["detail"]
    assert change(title="Other changes").status == 200 and "Text 99" in get(hosted).body.decode()
    first, last = (f"consent.{version_of(text)}" for text in ("Text 0", "Text 99"))
    assert change(**{last: None}).json["detail"] == f"{last} is in use"
    assert change(**{first: "Another text"}).verdict == (422, "invalid_value")
    removed = change(**{first: None})
    assert removed.status == 200 and len([row for row in removed.json if row["name"].startswith("consent.")]) == 99
    assert change(consent="One more").status == 200 and change(consent="Yet another").status == 409


@pytest.mark.parametrize("fields, either", [("email; phone_number; name", True), ("email required; phone_number; name", False)])
def test_which_fields_may_be_empty(hosted, fields, either):
    """docs/pages.md 2: either an email address or a number is enough, unless one of them is required"""
    page_set(hosted, f"fields={fields}")
    body = get(hosted).body.decode()
    assert body.count("(one of the two is enough)") == (2 if either else 0) and body.count("(optional)") == (1 if either else 2)


@pytest.mark.parametrize("bots, text", [
    ("proof", "This form needs JavaScript"), ("proof_or_confirm", "Without JavaScript this form may be refused")])
def test_without_scripts(service, account, bots, text):
    """docs/api.md 8.2: the page tells visitors without scripts that proof of work is needed"""
    page = Page(get(service.campaign(account, **{**STRICT, "bots": bots})).body.decode())
    assert page.text("p").count(text) == 1


def test_consent_is_no_part_of_a_link(hosted):
    """docs/pages.md 2: only the visitor gives consent"""
    page_set(hosted, f"consent={CONSENT}")
    query = f"consent=yes&consent_version={version_of(CONSENT)}"
    url = f"{hosted.service.front.url}/c/{hosted.id}?{query}"
    assert post(hosted, {"email": "ada@example.org", "__url": url}).status == 406
    assert hosted.client.request("POST", f"/c/{hosted.id}?{query}&email=ada@example.org", form={"email": "ada@example.org"}).status == 406


def test_consent_is_to_the_text_on_the_page(hosted):
    """docs/pages.md 2: if the text has changed since the page was loaded, or no version of it is sent, the new text is shown, and its box
    is not ticked"""
    page_set(hosted, "consent=Send me news.")
    hidden = {name: attrs["value"] for name, attrs in fields_of(Page(get(hosted).body.decode())).items() if attrs["type"] == "hidden"}
    assert hidden["consent_version"] == version_of("Send me news.")
    page_set(hosted, "consent=Sell my address.")
    form = {"email": "ada@example.org", "consent": "yes"}
    for old in (hidden, {}):
        answer = post(hosted, {**old, **form})
        fields = fields_of(Page(answer.body.decode()))
        assert answer.status == 406 and b"Sell my address." in answer.body and "checked" not in fields["consent"]
        assert hosted.get({"email": "ada@example.org"}).status == 404
    assert post(hosted, {**form, "consent_version": fields["consent_version"]["value"]}).status == 303
    assert hosted.find(email="ada@example.org")["custom_fields"]["consent_version"] == version_of("Sell my address.")


@pytest.mark.parametrize("options", [
    {"form": {"email": "ada@"}}, dict(zip(("type", "body"), multipart([("email", "ada@")]))), {"json_body": {"email": "ada@"}},
    {"form": {"email": "ada@"}, "headers": {"Sec-Fetch-Mode": "cors"}}, {"form": {"email": "ada@"}, "headers": {"Accept": "application/json"}},
    {"form": {"email": "ada@", "__answer": "json"}}])
def test_answers_are_pages(hosted, options):
    """docs/pages.md 1: every request of the form is answered with a page"""
    answer = hosted.client.request("POST", f"/c/{hosted.id}", **options)
    assert answer.status == 406 and answer.headers["Content-Type"] == "text/html; charset=utf-8" and b'value="ada@"' in answer.body


@pytest.mark.parametrize("options, status", [
    ({"body": b"{", "type": "application/json"}, 406), ({"body": b"x" * 300000}, 413), ({"body": b"<x/>", "type": "image/png"}, 415),
    ({"form": {"email": ["a", "b"]}}, 406), ({"body": b"email=a%FF"}, 406), ({"form": {"email": "x" * 40000}}, 413)])
def test_bad_bodies(hosted, options, status):
    answer = hosted.client.request("POST", f"/c/{hosted.id}", **options)
    assert answer.status == status and answer.headers["Content-Type"] == "text/html; charset=utf-8"


def test_switched_off(service, account):
    """docs/pages.md 1: each page gets 404, with the same answer as for a campaign that does not exist"""
    off = service.campaign(account, pages="off")
    lead = off.lead(email="ada@example.org")
    for path in ("", f"/s/{lead['social_id']}", f"/s/{lead['social_id']}/{'A' * 24}"):
        answer = check_page(get(off, path), 404)
        assert off.name not in answer.text("p")
        assert check_page(off.client.request("GET", f"/c/999999999{path}"), 404).texts == answer.texts
    assert post(off, {"email": "b@example.org"}).status == 404
    check_page(off.client.request("GET", "/c/x"), 404)
    check_page(off.client.request("GET", f"/c/{off.id}/other"), 404)
    assert off.stats()["total"] == 1


def test_ended(hosted):
    """docs/pages.md 1: the page says that the campaign has ended, with the status of the API; status pages stay, without the invitation of
    others"""
    lead = hosted.lead(email="ada@example.org")
    hosted.end()
    assert "closed" in check_page(settles(lambda: get(hosted), 423), 423).text("h1")
    assert post(hosted, {"email": "b@example.org"}).status == 423
    own = check_own_page(get(hosted, own_path(hosted, lead)))
    assert not own.all("input")
    assert "?kid=" not in get(hosted, f"/s/{lead['social_id']}").body.decode()


def test_limits(hosted):
    """docs/pages.md 6: sign-ups and look-ups of an address are limited"""
    answers = [post(hosted, {"email": "ada@"}, address="10.201.0.1") for _ in range(11)]
    assert answers[0].status == 406 and answers[-1].status == 429 and answers[-1].headers["Retry-After"]
    assert b"too many attempts" in answers[-1].body
    views = [get(hosted, address="10.201.0.2") for _ in range(101)]
    assert views[0].status == 200
    check_page(views[-1], 429)


def test_against_bots(service, account):
    """docs/pages.md 2: the form has a honeypot and a stamp; a form that is sent too fast needs proof of work"""
    campaign = service.campaign(account, **{**STRICT, "bots": "honeypot"})
    page = Page(get(campaign).body.decode())
    fields = fields_of(page)
    trap, = [name for name in fields if name not in ("email", "__url", "__stamp")]
    assert fields[trap]["tabindex"] == "-1" and any(dict(attrs).get("class") == "trap" for attrs, _ in page.all("div"))
    assert "data-challenge" not in page.all("form")[0][0]
    sent = {"email": "ada@example.org", "__stamp": fields["__stamp"]["value"]}
    assert post(campaign, {**sent, trap: "x"}).status == 303 and campaign.get({"email": "ada@example.org"}).status == 404
    fast = post(campaign, sent)
    again = Page(fast.body.decode())
    assert fast.status == 406 and "not a bot" in fast.body.decode()
    assert again.all("form")[0][0]["data-challenge"] == f"{campaign.service.front.base_path}/c/{campaign.id}/challenge"
    assert fields_of(again)["email"]["value"] == "ada@example.org" and fields_of(again)["__stamp"]["value"] != sent["__stamp"]
    settles(lambda: post(campaign, sent), 303)
    elsewhere = campaign.client.request("POST", f"/v1/{campaign.id}/subscribe", headers={"Sec-Fetch-Mode": "navigate"}, form={
        "email": "b@example.org", "plan": "pro", "altcha": "x", "__stamp": fields_of(Page(get(campaign).body.decode()))["__stamp"]["value"]})
    form = Page(elsewhere.body.decode())
    assert elsewhere.status == 406 and "data-challenge" in form.all("form")[0][0]
    assert set(fields_of(form)) == {"email", "plan", "__stamp", trap}


def test_hosts_only(service, account):
    """docs/pages.md 1: the page's own form does not count as that of another site"""
    campaign = service.campaign(account, **STRICT, hosts_only="on")
    origin = "/".join(campaign.service.front.url.split("/")[:3])
    assert post(campaign, {"email": "ada@example.org"}, headers={"Origin": origin}).status == 303
    answer = post(campaign, {"email": "b@example.org"}, headers={"Origin": "https://evil.example"})
    assert answer.status == 403 and answer.headers["Content-Type"] == "text/html; charset=utf-8"


def test_a_campaign_that_needs_keys(service, account):
    campaign = service.campaign(account, **STRICT, require_key="on")
    lead = campaign.lead(email="ada@example.org")
    check_page(get(campaign), 409)
    assert post(campaign, {"email": "b@example.org"}).status == 409
    check_own_page(get(campaign, own_path(campaign, lead)))


# ---- the status page ----

def test_the_own_page(hosted):
    """docs/pages.md 3: the page shows what the payload has"""
    hosted.define("reward", "Mug <b>", "--required-points", 5)
    lead = hosted.lead(email="ada@example.org", first_name="A<d>a")
    for number in range(3):
        hosted.post({"email": f"{number}@example.org", "kid": lead["social_id"]})
    lead = hosted.find(email="ada@example.org")
    response = get(hosted, own_path(hosted, lead))
    page = check_own_page(response)
    text = response.body.decode()
    assert page.text("h1") == "You’re on the list, A<d>a"
    assert f"<dd>{lead['contest_score_rank']} " in text and f"<dd>{lead['contest_score']}</dd>" in text and f"<dd>{lead['referrals']}</dd>" in text
    assert page.all("progress")[0][0]["value"] == str(lead["contest_score"]) and "Mug &#60;b&#62;</span>" in text
    assert page.all("input")[0][0]["value"] == lead["social_url"]
    links = [attrs["href"] for attrs, _ in page.all("a")]
    assert [link.split("/")[2].split(".")[-2] for link in links if link.startswith("https")] == [
        "whatsapp", "twitter", "facebook", "linkedin", "telegram"] and links[-1].startswith("mailto:?subject=")
    rows = [attrs for attrs, _ in page.all("tr")]
    assert len(rows) == 5 and {"aria-current": "true"} in rows


def test_without_leaderboard(hosted):
    """docs/pages.md 4: the setting `leaderboard` takes all words for booleans"""
    lead = hosted.lead(email="ada@example.org")
    assert "<table" in get(hosted, own_path(hosted, lead)).body.decode()
    for word, is_shown in (("off", False), ("Yes", True), ("No", False)):
        page_set(hosted, f"leaderboard={word}")
        assert ("<table" in get(hosted, own_path(hosted, lead)).body.decode()) == is_shown, word


@pytest.mark.parametrize("lookup", ["all", "social_id", "own", "none"])
def test_without_a_token(service, account, lookup):
    """docs/pages.md 3: the page shows the lead's numbers; if it may not, it is the same page for every id"""
    campaign = service.campaign(account, **{**STRICT, "public_lookup": lookup})
    lead = campaign.lead(email="ada@example.org", first_name="Ada", phone_number="+14155552671")
    response = get(campaign, f"/s/{lead['social_id']}")
    text = response.body.decode()
    check_page(response, 200)
    for secret in ("Ada", "ada@", "+1415", lead["status_url"].rsplit("/", 1)[1]):
        assert secret not in text
    assert f"?kid={lead['social_id']}" in text
    missing = get(campaign, "/s/AAAAAAAAAA")
    if lookup in ("all", "social_id"):
        assert "<dt>Position</dt>" in text and missing.status == 404
    else:
        assert "<dd>" not in text
        assert missing.status == 200 and missing.body.decode() == text.replace(lead["social_id"], "AAAAAAAAAA")


def test_bad_links(hosted):
    """docs/pages.md 3: with a wrong token, the page is the one for everyone else"""
    lead, other = hosted.lead(email="ada@example.org"), hosted.lead(email="b@example.org")
    path = own_path(hosted, lead)
    token = path.rsplit("/", 1)[1]
    opt_out = lead["unsubscribe_url"]["default"].rsplit("/", 1)[1]
    for bad in (path[:-1], path + "A", f"/s/{other['social_id']}/{token}", f"/s/{lead['social_id']}/{opt_out}"):
        assert check_page(get(hosted, bad), 200).texts == check_page(get(hosted, bad.rsplit("/", 1)[0]), 200).texts
    for bad in ("/s/x", f"/s/x/{token}"):
        check_page(get(hosted, bad), 404)
    hosted.change("delete", email="ada@example.org")
    check_page(get(hosted, path), 404)


def frames_of(response):
    return response.headers["Content-Security-Policy"].partition("frame-ancestors ")[2].split("; ")[0].split()


def test_frames(hosted):
    """docs/pages.md 6: pages that may have a form of the campaign may show the sign-up page and the pages after it in a frame, but no
    others"""
    lead = hosted.lead(email="ada@example.org")
    own = own_path(hosted, lead)
    framed = ["", own, f"/s/{lead['social_id']}", "/thanks"]
    others = ["/confirm/x", "/erase/x", "/x"]
    assert [frames_of(get(hosted, path)) for path in framed] == [["*"]] * len(framed)
    assert [frames_of(get(hosted, path)) for path in others] == [["'none'"]] * len(others)
    opt_out = hosted.client.request("GET", lead["unsubscribe_url"]["safe"].partition(hosted.service.front.url)[2])
    assert opt_out.status == 200 and frames_of(opt_out) == ["'none'"]
    strict = hosted.service.campaign(hosted.account, pages="on", hosts_only="on", hosts="shop.example", landing_url="https://www.example.org/x")
    for path in ("", "/thanks"):
        assert frames_of(get(strict, path)) == ["'self'", "https://www.example.org", "example.org:*", "*.example.org:*", "shop.example:*", "*.shop.example:*"]


# ---- looks ----

def test_looks(hosted):
    """docs/pages.md 4: texts, logo, colours and CSS of the campaign"""
    assert get(hosted, "/style.css").status == 404
    page_set(hosted, "title=Light <b>", "button=Save my place", "privacy_url=https://lumen.example/privacy", "imprint_url=/legal",
             "logo_url=https://cdn.example/logo.svg", "accent=#ffcc00", "css=h1 { color: red }")
    response = get(hosted)
    page = Page(response.body.decode())
    assert page.text("h1") == "Light <b>" and page.text("button") == "Save my place"
    assert [attrs["href"] for attrs, _ in page.all("a")] == ["https://lumen.example/privacy", "/legal"]
    assert page.all("img")[0][0] == {"class": "logo", "src": "https://cdn.example/logo.svg", "alt": hosted.name}
    check_policy(response, images=["https://cdn.example/logo.svg"])
    link = page.all("link")[1][0]["href"]
    style = hosted.client.request("GET", link.removeprefix(hosted.service.front.base_path))
    assert style.headers["Content-Type"] == "text/css; charset=utf-8" and style.headers["X-Content-Type-Options"] == "nosniff"
    assert style.headers["Cache-Control"] == "public, max-age=3600"
    assert b"--accent:#ffcc00;--on-accent:#000000;" in style.body and style.body.endswith(b"h1 { color: red }")
    assert get(hosted, "/style.css", headers={"If-None-Match": style.headers["ETag"]}).status == 304
    page_set(hosted, "css=", "accent=#ffcc01")
    assert Page(get(hosted).body.decode()).all("link")[1][0]["href"] != link


def test_assets(hosted):
    for name, type in (("page.css", "text/css"), ("page.js", "text/javascript")):
        answer = hosted.client.request("GET", f"/c/style/{name}")
        assert answer.status == 200 and answer.headers["Content-Type"] == f"{type}; charset=utf-8"
        assert answer.headers["Cache-Control"] == "public, max-age=3600"
        assert hosted.client.request("GET", f"/c/style/{name}", headers={"If-None-Match": answer.headers["ETag"]}).status == 304


@pytest.mark.parametrize("words, message", [
    (["title"], "is no NAME=VALUE"), (["titles=x"], "is no NAME=VALUE"), (["accent=red"], "accent=: must be a colour: # and six digits"),
    (["text_color=#cccccc"], "text_color=: must be easier to read: its contrast"), (["privacy_url=javascript:x"], "privacy_url=: must be a web address"),
    (["fields=name"], "fields=: needs a field"), (["css=@/nonexistent"], "/nonexistent: No such file"), (["title=" + "x" * 301], "at most 300 bytes"),
    (["--language", "xx", "title=x"], "--language: must be one of en de es fr"), (["--language", "de", "accent=#000000"], "the same for every language")])
def test_bad_looks(hosted, words, message):
    """leadhook(1), page set: a mistake changes nothing"""
    with pytest.raises(StackError, match=re.escape(message)):
        page_set(hosted, "button=Go", *words)
    assert hosted.service.installation.admin("page", "show", str(hosted.id)) == []


def test_files(hosted, tmp_path):
    """leadhook(1): NAME=@FILE reads a text from a file"""
    (tmp_path / "text").write_bytes(b"One\r\n\r\nTwo\n")
    assert page_set(hosted, f"text=@{tmp_path}/text") == [{"name": "text", "language": None, "value": "One\n\nTwo"}]
    assert b'<p class="lead">One</p>\n<p class="lead">Two</p>' in get(hosted).body


# ---- languages ----

@pytest.mark.parametrize("accept, language", [(None, "en"), ("de-AT,en;q=0.5", "de"), ("es", "es"), ("fr;q=0.9, ja", "fr"), ("ja", "en")])
def test_languages(hosted, accept, language):
    """docs/pages.md 5: a page has the language of the visitor; each campaign may choose one"""
    headers = {"Accept-Language": accept} if accept else {}
    check_frame(Page(get(hosted, headers=headers).body.decode()), language)
    check_page(hosted.client.request("GET", "/c/999999999", headers=headers), 404, language)
    lead = hosted.lead(email="ada@example.org")
    check_page(hosted.client.request("GET", lead["unsubscribe_url"]["safe"].removeprefix(hosted.service.front.url), headers=headers),
               200, language)


def test_a_campaign_with_a_language(service, account):
    campaign = service.campaign(account, **STRICT, language="fr")
    page_set(campaign, "title=All")
    page_set(campaign, "--language", "fr", "title=Français")
    page_set(campaign, "--language", "de", "title=Deutsch")
    page = Page(get(campaign, headers={"Accept-Language": "de"}).body.decode())
    check_frame(page, "fr")
    assert page.text("h1") == "Français"
    page_set(campaign, "--language", "fr", "title=")
    assert Page(get(campaign).body.decode()).text("h1") == "All"
