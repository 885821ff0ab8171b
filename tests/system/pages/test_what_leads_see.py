# SPDX-License-Identifier: MIT
"""docs/pages.md 2 to 5 and docs/mail.md 1 to 3: what leads see of their campaign on their page and in mails, in their language."""
import email
import email.policy
import html
import re
import urllib.parse

import pytest
from html_page import Page
from stack.process import wait_until

DAY_MS = 24 * 3600 * 1000
STRICT = {"pages": "on", "public_lookup": "social_id", "public_update": "own", "bots": "off"}
SHARED = {"en": "shared with others", "de": "mit anderen geteilt", "es": "compartido con otras personas", "fr": "à égalité avec d’autres"}


@pytest.fixture(scope="module")
def service(make_service, mail_server):
    made = make_service(settings=[*mail_server.settings(), ("limits", "signups_per_address", "10000/60s"),
                                  ("limits", "posts_per_address", "10000/60s"), ("limits", "lookups_per_address", "100000/60s")])
    made.dispatcher.start()
    return made


@pytest.fixture(autouse=True)
def no_mails(service, mail_server):
    mail_server.clear()
    service.installation.sql("DELETE FROM lh_messages")


@pytest.fixture
def hosted(service, account):
    return service.campaign(account, **STRICT, mails="", points_direct=2)


def arrived(mail_server, recipient, count=1):
    return wait_until(lambda: len(mail_server.to(recipient)) >= count and mail_server.to(recipient), 20, f"no mail for {recipient}")[-1]


def part(mail, kind):
    message = email.message_from_bytes(mail.content, policy=email.policy.SMTP)
    return message.get_body(kind).get_content()


def request(campaign, method, path, **options):
    return campaign.client.request(method, f"/c/{campaign.id}{path}", **options)


def sign_up(campaign, address, language=None, **fields):
    headers = {"Accept-Language": language} if language else {}
    return request(campaign, "POST", "", form={"email": address, **fields}, headers=headers)


def own_path(campaign, lead):
    return lead["status_url"].split(f"/c/{campaign.id}")[1]


def own_page(campaign, lead, **options):
    answer = request(campaign, "GET", own_path(campaign, lead), **options)
    assert answer.status == 200
    return answer.body.decode()


def page_with(campaign, path, text, status, **options):
    """Return a page once it contains `text`: after a change, another process may still read the campaign from its cache."""
    def changed():
        answer = request(campaign, "GET", path, **options)
        return answer if text in answer.body.decode() else None
    answer = wait_until(changed, 10, f"{text!r} is not on the page {path!r}")
    assert answer.status == status
    return answer.body.decode()


def shown(service, campaign, address):
    return service.installation.admin("lead", "show", str(campaign.id), "--email", address)


# ---- languages ----

@pytest.mark.parametrize("sent, stored, text", [
    ("de-AT,de;q=0.9,en;q=0.8", "de-AT", "Du stehst auf der Liste"),
    ("fr", "fr", "Vous êtes sur la liste"),
    ("pt-BR,es;q=0.8,en;q=0.7", "es", "Ya estás en la lista"),
    ("pt-BR", None, "You’re on the list"),
    (None, None, "You’re on the list"),
])
def test_the_language_of_the_sign_up(service, hosted, sent, stored, text):
    """pages.md 5: the language of the sign-up page is stored, and the lead's own page keeps it"""
    sign_up(hosted, "ada@example.org", sent)
    assert shown(service, hosted, "ada@example.org")["language"] == stored
    lead = hosted.find(email="ada@example.org")
    assert text in own_page(hosted, lead) and "language" not in lead
    if stored:
        assert text in own_page(hosted, lead, headers={"Accept-Language": "en"})


@pytest.mark.parametrize("sent, stored", [("de", "de"), ("PT_br.UTF-8", "pt-BR"), ("zh-hant-tw", "zh-Hant-TW"), ("es-419", "es-419"),
                                          ("de-1996", "de"), ("german", None), ("d", None), ("", None), ("<b>", None)])
def test_the_language_that_a_client_names(service, hosted, sent, stored):
    """api.md 4.4: `__language` sets the language; an unknown language does not prevent a lead; `language` stays a custom field"""
    lead = hosted.lead(email="ada@example.org", __language=sent, language="mine")
    assert shown(service, hosted, "ada@example.org")["language"] == stored
    assert lead["custom_fields"]["language"] == "mine"


def test_a_language_is_replaced(service, hosted):
    """pages.md 5: callers that may change the lead, and operators, can replace the language, but browsers cannot"""
    sign_up(hosted, "ada@example.org", "de")
    sign_up(hosted, "ada@example.org", "fr")
    assert shown(service, hosted, "ada@example.org")["language"] == "de"
    sign_up(hosted, "ada@example.org", "fr", __language="fr")  # has no effect: the campaign protects its leads from strangers
    assert shown(service, hosted, "ada@example.org")["language"] == "de"
    hosted.lead(email="ada@example.org", __language="es")
    assert shown(service, hosted, "ada@example.org")["language"] == "es"
    service.installation.admin("lead", "set", str(hosted.id), "--email", "ada@example.org", "language=fr-ch")
    assert shown(service, hosted, "ada@example.org")["language"] == "fr-CH"
    assert "Vous êtes sur la liste" in own_page(hosted, hosted.find(email="ada@example.org"))
    exported = service.installation.admin_text("lead", "export", str(hosted.id)).splitlines()
    assert exported[0].split(",")[-1] == "language" and exported[1].endswith(",fr-CH")


def test_mails_are_in_the_language_of_the_lead(service, mail_server, account):
    """docs/mail.md 1: this is so with the setting `auto`; the setting of a campaign takes precedence"""
    auto = service.campaign(account, **STRICT, mails="welcome", verify_email="off")
    fixed = service.campaign(account, **STRICT, mails="welcome", verify_email="off", language="es")
    sign_up(auto, "ada@example.org", "de-CH")
    sign_up(auto, "grace@example.org")
    sign_up(fixed, "alan@example.org", "de")
    assert "danke für deine Anmeldung" in part(arrived(mail_server, "ada@example.org"), "plain")
    assert "Thank you for signing up" in part(arrived(mail_server, "grace@example.org"), "plain")
    assert "Gracias por registrarte" in part(arrived(mail_server, "alan@example.org"), "plain")
    assert shown(service, fixed, "alan@example.org")["language"] == "es"  # the language of the page


def test_pages_of_mails_are_in_the_language_of_the_lead(service, hosted):
    """docs/pages.md 5: the pages that mails link to have the lead's language"""
    hosted.lead(email="ada@example.org", __language="fr")
    link = urllib.parse.urlsplit(hosted.find(email="ada@example.org")["unsubscribe_url"]["safe"])
    answer = hosted.client.request("GET", f"{link.path}?{link.query}", headers={"Accept-Language": "de"})
    assert '<html lang="fr"' in answer.body.decode()


# ---- rewards, actions, rank ----

def test_all_rewards(service, hosted):
    """docs/pages.md 3: the page shows all rewards, the points for a friend, and the missing points; a reward stays when points are taken
    away"""
    for subject, points in (("Mug", 6), ("Sticker", 2), ("Poster", 3)):
        hosted.define("reward", subject, "--required-points", points)
    lead = hosted.lead(email="ada@example.org")
    hosted.lead(email="grace@example.org", kid=lead["social_id"])
    text = own_page(hosted, lead)
    assert re.findall(r"<li( class=\"done-mark\")?><span>(\w+)", text) == [(' class="done-mark"', "Sticker"), ("", "Poster"), ("", "Mug")]
    assert "brings you 2 points." in text and "1 point to go: Poster" in text
    service.installation.admin("lead", "points", str(hosted.id), "--", "-2", "ada@example.org")
    text = own_page(hosted, lead)
    assert '<li class="done-mark"><span>Sticker' in text and "3 points to go: Poster" in text


def test_actions_are_completed(service, hosted):
    """pages.md 3: the page lists public actions with link and points; a button completes them without a script"""
    tag = hosted.define("tag", "VIP")
    shown_id = hosted.define("action", "Follow <us>", "--points", 3, "--public", "--link", "https://social.example/us?a=1&b=2")
    plain = hosted.define("action", "Write to us", "--public")
    hidden = [hosted.define("action", "Secret", "--points", 3), hosted.define("action", "Tagged", "--public", "--tag", tag)]
    lead = hosted.lead(email="ada@example.org")
    page = Page(own_page(hosted, lead))
    buttons = [attrs["value"] for attrs, _ in page.all("button") if attrs.get("name") == "complete"]
    assert buttons == [str(shown_id), str(plain)]
    link = next(attrs for attrs, _ in page.all("a") if attrs["href"].startswith("https://social.example"))
    assert link == {"href": "https://social.example/us?a=1&b=2", "target": "_blank", "rel": "noopener noreferrer"}
    for _ in range(2):  # pressing it again changes nothing
        answer = request(hosted, "POST", own_path(hosted, lead), form={"complete": shown_id})
        assert answer.status == 303 and answer.headers["Location"] == f"{lead['status_url']}#actions"
    assert hosted.find(email="ada@example.org")["completed_actions"] == [shown_id]
    text = own_page(hosted, lead)
    assert text.count("· done</small>") == 1 and f'name="complete" value="{shown_id}"' not in text
    for number in (*hidden, 999999, "x"):
        assert request(hosted, "POST", own_path(hosted, lead), form={"complete": number}).status == 404, number
    stranger = own_path(hosted, lead).rpartition("/")[0]
    assert request(hosted, "POST", f"{stranger}/{'A' * 24}", form={"complete": plain}).status == 200
    assert hosted.find(email="ada@example.org")["completed_actions"] == [shown_id]
    service.installation.admin("campaign", "set", str(hosted.id), "public_update=none")
    wait_until(lambda: request(hosted, "POST", own_path(hosted, lead), form={"complete": shown_id}).status == 404, 10, "it can be completed")
    assert 'name="complete"' not in own_page(hosted, lead)


def test_a_shared_rank(service, hosted):
    """docs/pages.md 3: the page shows that leads with equal scores share a rank, with and without points"""
    leads = [hosted.lead(email=f"lead{number}@example.org") for number in range(3)]
    pages = lambda language: [own_page(hosted, lead, headers={"Accept-Language": language}) for lead in leads]
    for language, text in SHARED.items():
        assert [text in page for page in pages(language)] == [True, True, True]
    service.installation.admin("lead", "points", str(hosted.id), "5", "lead0@example.org", "lead1@example.org")
    assert [SHARED["en"] in page for page in pages("en")] == [True, True, False]
    service.installation.admin("lead", "points", str(hosted.id), "1", "lead0@example.org")
    assert [SHARED["en"] in page for page in pages("en")] == [False, False, False]
    service.installation.admin("lead", "points", str(hosted.id), "1", "lead1@example.org")
    service.installation.admin("lead", "change", str(hosted.id), "block", "lead1@example.org")
    # the flagged lead sees what it would see without the flag, the other lead sees what everyone else sees
    wait_until(lambda: [SHARED["en"] in page for page in pages("en")] == [False, True, False], 10, "the flag has no effect")


def test_leads_that_are_hidden_share_no_rank(service, account):
    """docs/api.md 4.1.11: the sign-up of an address that is not verified changes nothing that others can see"""
    campaign = service.campaign(account, **STRICT, mails="", verify_email="on")
    ada = campaign.lead(email="ada@example.org")
    assert SHARED["en"] not in own_page(campaign, ada)
    for address in ("grace@example.org", "hedy@example.org"):
        assert sign_up(campaign, address).status == 303
    page = own_page(campaign, ada)
    assert "of 1</small>" in page and SHARED["en"] not in page
    campaign.change("verify", email="grace@example.org")
    wait_until(lambda: f"of 2, {SHARED['en']}" in own_page(campaign, ada), 10, "the verified lead is not counted")


def test_a_shared_rank_in_mails(service, mail_server, account):
    """mail.md 1.2: `position` is the lead's number on the list, but `shared_position` is a shared place; without points, a mail has
    neither"""
    campaign = service.campaign(account, **STRICT, mails="welcome", verify_email="off", points_signup=1)
    campaign.lead(email="ada@example.org")
    assert "You are number 1 on the list." in part(arrived(mail_server, "ada@example.org"), "plain")
    campaign.lead(email="grace@example.org")
    text = part(arrived(mail_server, "grace@example.org"), "plain")
    assert "You share place 1 with others." in text and "number" not in text
    nothing = service.campaign(account, **STRICT, mails="welcome", verify_email="off")
    nothing.lead(email="alan@example.org")
    text = part(arrived(mail_server, "alan@example.org"), "plain")
    assert "number" not in text and "place" not in text


# ---- the state ----

def test_after_the_end(service, hosted, tmp_path):
    """docs/pages.md 3, 4: `ended_text` is on the lead's page, on the sign-up page and on the page after a sign-up, in the language of the
    reader"""
    (tmp_path / "ended.txt").write_text("The winners hear from us.\n\nThanks!")
    service.installation.admin("page", "set", str(hosted.id), f"ended_text=@{tmp_path / 'ended.txt'}")
    service.installation.admin("page", "set", str(hosted.id), "--language", "de", "ended_text=Wir melden uns.")
    hosted.define("reward", "Mug", "--required-points", 2)
    hosted.define("action", "Wave", "--public")
    lead = hosted.lead(email="ada@example.org")
    hosted.lead(email="grace@example.org", kid=lead["social_id"])
    service.installation.admin("campaign", "end", str(hosted.id))
    text = page_with(hosted, own_path(hosted, lead), "Your final result", 200)
    assert "The winners hear from us." in text and '<li class="done-mark"><span>Mug' in text
    assert not any(word in text for word in ("Share", "Your link", "to go", "Wave"))
    for path, status in ("", 423), ("/thanks", 200):
        page_with(hosted, path, "<p>The winners hear from us.</p>\n<p>Thanks!</p>", status)
        page_with(hosted, path, "Wir melden uns.", status, headers={"Accept-Language": "de"})


def test_after_an_opt_out(service, hosted):
    lead = hosted.lead(email="ada@example.org")
    assert "not receive any more" not in own_page(hosted, lead)
    hosted.bulk("optout", {"email": "ada@example.org"})
    wait_until(lambda: "not receive any more" in own_page(hosted, lead), 10, "the opt-out is not shown")


# ---- the page after a sign-up ----

def test_the_address_that_was_written_to(service, mail_server, account):
    """docs/pages.md 2: the address is masked, for everyone alike; the button sends the mail again; no one else can read the address from
    the URL"""
    campaign = service.campaign(account, **STRICT, verify_email="on", mails="welcome,status_link")
    bodies = []
    for known in (False, True):
        answer = sign_up(campaign, "ada@example.org")
        where = urllib.parse.urlsplit(answer.headers["Location"])
        assert answer.status == 303 and where.path.endswith(f"/c/{campaign.id}/sent") and "ada" not in where.query
        page = request(campaign, "GET", f"/sent?{where.query}")
        text = page.body.decode()
        assert page.status == 200 and "We wrote to a•••@example.org." in text and 'type="submit" class="quiet">' in text, known
        bodies.append(text)
    assert bodies[0] == bodies[1]
    arrived(mail_server, "ada@example.org")
    wait_until(lambda: service.installation.sql("SELECT COUNT(*) FROM lh_messages WHERE turn IS NOT NULL").strip() == "0", 10, "mails wait")
    service.installation.sql("UPDATE lh_messages SET composed_ms = composed_ms - 400000")
    answer = request(campaign, "POST", f"/sent?{where.query}", form={})
    again = urllib.parse.urlsplit(answer.headers["Location"])
    assert answer.status == 303 and again.query.endswith("&resent=1")
    text = request(campaign, "GET", f"/sent?{again.query}").body.decode()
    assert "The email is on its way" in text and 'type="submit"' not in text
    arrived(mail_server, "ada@example.org", 2)
    other = service.campaign(account, **STRICT, verify_email="on", mails="welcome,status_link")
    for query in ("", "?to=", "?to=ada@example.org", f"?{where.query[:-8]}", "?to=sealed:1:00000000:AAAA"):
        text = request(campaign, "GET", f"/sent{query}").body.decode()
        assert "We wrote to the address that you entered." in text and 'type="submit"' not in text, query
        assert request(campaign, "POST", f"/sent{query}", form={}).status == 200
    assert "the address that you entered" in request(other, "GET", f"/sent?{where.query}").body.decode()


def test_resending_shows_no_lead(service, account):
    """docs/api.md 4.1.12: there is the same answer and a request of the same kind, whether or not a lead has the address"""
    campaign = service.campaign(account, **STRICT, verify_email="on", mails="welcome,status_link")
    requests = []
    for known in (True, False):
        query = urllib.parse.urlsplit(sign_up(campaign, "grace@example.org").headers["Location"]).query
        if not known:
            campaign.bulk("delete", {"email": "grace@example.org"})
            wait_until(lambda: campaign.get({"email": "grace@example.org"}).status == 404, 10, "the lead is still there")
        before = int(service.installation.sql("SELECT COALESCE(MAX(id), 0) FROM lh_messages"))
        answer = request(campaign, "POST", f"/sent?{query}", form={})
        requests.append((answer.status, service.installation.sql(
            f"SELECT kind, requested_for IS NOT NULL FROM lh_messages WHERE id > {before}")))
    assert requests[0] == requests[1] == (303, "0\t1")


# ---- forms ----

def test_options_have_a_value_in_each_language(service, hosted):
    """docs/pages.md 2: the value is stored, and the label is shown; options without a separate value still store their text"""
    service.installation.admin("page", "set", str(hosted.id), "fields=email; plan select: Plan = free => Free of charge | Pro | a=b; x: X")
    service.installation.admin("page", "set", str(hosted.id), "--language", "de",
                               "fields=email; plan select: Tarif = free => Kostenlos | Pro => Profi | a=b => A < B")
    def options(language):
        text = request(hosted, "GET", "", headers={"Accept-Language": language}).body.decode()
        found = re.findall(r'<option(?: value="([^"]*)")?>([^<]*)</option>', text)[1:]
        return [(value or label, html.unescape(label)) for value, label in found]
    assert options("en") == [("free", "Free of charge"), ("Pro", "Pro"), ("a=b", "a=b")]
    assert options("de") == [("free", "Kostenlos"), ("Pro", "Profi"), ("a=b", "A < B")]
    for number, (value, status) in enumerate((("free", 303), ("Pro", 303), ("a=b", 303), ("Kostenlos", 406), ("Free of charge", 406))):
        assert sign_up(hosted, f"lead{number}@example.org", "de", plan=value).status == status, value
    assert hosted.find(email="lead2@example.org")["custom_fields"]["plan"] == "a=b"
    form = hosted.client.request("GET", f"/c/{hosted.id}/form?language=de").json
    assert (form["fields"][1]["options"], form["fields"][1]["labels"]) == (["free", "Pro", "a=b"], ["Kostenlos", "Profi", "A < B"])


def test_an_inherited_consent_is_shown(service, hosted):
    """pages.md 2: if there is no text for the language, the text for all languages is shown"""
    service.installation.admin("page", "set", str(hosted.id), "consent=I agree.", "title=English")
    service.installation.admin("page", "set", str(hosted.id), "--language", "de", "title=Deutsch")
    text = request(hosted, "GET", "", headers={"Accept-Language": "de"}).body.decode()
    assert "Deutsch" in text and "I agree." in text and 'name="consent"' in text
    assert sign_up(hosted, "ada@example.org", "de").status == 406


# ---- mails ----

@pytest.mark.parametrize("accent, dark, colors", [
    ("#ffdd00", None, ("#ffdd00;color:#000000", "#ffdd00 !important; color: #000000")),
    ("#0f766e", "#5eead4", ("#0f766e;color:#ffffff", "#5eead4 !important; color: #000000")),
    (None, None, ("#1a4fc4;color:#ffffff", "#8ab4f8 !important; color: #000000")),
])
def test_the_design_of_mails(service, mail_server, account, accent, dark, colors):
    """docs/mail.md 1.5, 3: the button has the accent of the pages, and the footer has their links; a path is completed with this host"""
    campaign = service.campaign(account, **STRICT, mails="welcome", verify_email="off")
    looks = ["imprint_url=/legal", "privacy_url=https://lumen.example/privacy"]
    looks += [f"accent={accent}"] if accent else []
    looks += [f"dark_accent={dark}"] if dark else []
    service.installation.admin("page", "set", str(campaign.id), *looks)
    campaign.lead(email="ada@example.org")
    mail = arrived(mail_server, "ada@example.org")
    page = part(mail, "html")
    assert f"background:{colors[0]}" in page and f"background: {colors[1]}" in page
    origin = "/".join(service.front.url.split("/")[:3])
    assert f'href="{origin}/legal">Legal notice</a>' in page
    assert f"Legal notice: {origin}/legal" in part(mail, "plain") and "Privacy: https://lumen.example/privacy" in part(mail, "plain")


def test_a_digest_of_the_day(service, mail_server, account):
    """mail.md 3: the first referral has its own mail, those of a day are in one mail, each of them once; no mail is sent without a
    referral, nor after an opt-out"""
    campaign = service.campaign(account, **STRICT, mails="referral", verify_email="off", points_direct=2)
    campaign.define("reward", "Mug", "--required-points", 20)
    ada = campaign.lead(email="ada@example.org")
    leads = f"FROM lh_messages m JOIN lh_leads l ON l.id = m.lead_id WHERE l.social_id = '{ada['social_id']}'"

    def refer(*names):
        for name in names:
            campaign.lead(email=f"{name.lower()}@example.org", first_name=name, last_name="X", kid=ada["social_id"])

    def pass_a_day():
        service.installation.sql(f"UPDATE lh_leads SET referral_mail_ms = referral_mail_ms - {DAY_MS} WHERE social_id = '{ada['social_id']}'")
        service.installation.sql(f"UPDATE lh_messages SET due_ms = due_ms - {DAY_MS}, composed_ms = composed_ms - {DAY_MS},"
                                 f" ref = IF(kind = 7, ref - {DAY_MS}, ref)")
        service.installation.sql(f"UPDATE lh_referral_links SET digest_ms = digest_ms - {DAY_MS} WHERE digest_ms > 0")

    refer("Grace")
    assert "through your link: Grace" in part(arrived(mail_server, "ada@example.org"), "plain")
    refer("Alan", "Katherine", "Hedy")
    waiting = service.installation.sql(f"SELECT m.kind, m.state, m.due_ms > m.created_ms + {DAY_MS} - 60000 {leads} AND turn IS NOT NULL")
    assert waiting == "7\trequested\t1"  # one mail for all of them
    campaign.lead(email="gone@example.org", first_name="Gone", kid=ada["social_id"])
    service.installation.admin("lead", "change", str(campaign.id), "block", "gone@example.org")
    pass_a_day()
    text = part(arrived(mail_server, "ada@example.org", 2), "plain")
    assert "New sign-ups: 3 (" in text and all(name in text for name in ("Alan X", "Katherine X", "Hedy X")) and "Grace" not in text
    assert "Points: 8" in text and "Position: 1\r\n" in text and "Next reward: Mug (points to go: 12)" in text
    refer("Mary")
    pass_a_day()
    text = part(arrived(mail_server, "ada@example.org", 3), "plain")
    assert "New sign-ups: 1 (Mary X)" in text and "Alan" not in text
    pass_a_day()
    pass_a_day()
    refer("Joan")  # after a day without a referral
    assert "through your link: Joan" in part(arrived(mail_server, "ada@example.org", 4), "plain")
    refer("Rosa")
    campaign.bulk("optout", {"email": "ada@example.org"})
    wait_until(lambda: campaign.find(email="ada@example.org")["opted_out"], 10, "no opt-out")
    pass_a_day()
    wait_until(lambda: service.installation.sql(f"SELECT reason {leads} ORDER BY m.id DESC LIMIT 1") == "opted_out", 10, "it is not dropped")
    assert len(mail_server.to("ada@example.org")) == 4
