# SPDX-License-Identifier: MIT
"""docs/dashboard.md: unsaved changes, the texts of mails, the audit log, what viewers see, questions, exports."""
import json

import pytest
from marks import chromium_first
from caller import User
from dashboard import Dashboard, running_service

pytestmark = chromium_first


@pytest.fixture(scope="module")
def service(make_service):
    return running_service(make_service)


@pytest.fixture
def campaign(service, account):
    return service.campaign(account, pages="on")


HEADING = "document.querySelector('h1').textContent"
TITLE = "top() !== document && top().querySelector('h2').textContent"


@pytest.mark.parametrize("place, label", [("pages", "Headline"), ("pages?tab=mails&kind=verify", "Subject"), ("settings", "Name")])
def test_unsaved_changes(dashboard, campaign, place, label):
    """docs/dashboard.md 3.1: a dialog appears before they are lost; Stay keeps the text and the place, Discard continues; there is
    no dialog after everything was saved"""
    dashboard.open(f"campaigns/{campaign.id}")
    dashboard.open(f"campaigns/{campaign.id}/{place}")
    before = dashboard.value("location.hash")
    dashboard.fill(label, "Something new")
    for leave in ("button('Leads').click();", "history.back();", "history.back();"):
        dashboard.run(leave)
        dashboard.wait(f"{TITLE} === 'Discard the unsaved changes?' && document.activeElement === button('Stay')")
        dashboard.click("Stay")
        dashboard.wait(f"top() === document && location.hash === {before!r}")
        assert dashboard.value(f"field({label!r}).value") == "Something new"
    dashboard.run("history.back();")
    dashboard.wait(f"button('Discard') && location.hash === {before!r}")
    dashboard.click("Discard")
    dashboard.wait(f"location.hash === '#/campaigns/{campaign.id}' && {HEADING} !== 'Settings' && {HEADING} !== 'Pages and email'")
    dashboard.run("history.forward();")
    dashboard.wait(f"location.hash === {before!r} && field({label!r})")
    assert dashboard.value(f"field({label!r}).value") != "Something new"
    dashboard.fill(label, "Something else")
    dashboard.click("Save")
    dashboard.wait("!button('Save')")
    dashboard.click("Leads")
    dashboard.wait(f"{HEADING} === 'Leads' && top() === document")


@pytest.mark.parametrize("place, label, field, other", [
    ("pages", "Headline", "Language", "German"), ("pages?tab=mails&kind=verify", "Subject", "Email", "Welcome")])
def test_a_choice_that_is_not_followed(dashboard, campaign, place, label, field, other):
    """docs/dashboard.md 3.1: after Stay, the choices above a form still show what it edits"""
    dashboard.load(f"campaigns/{campaign.id}/{place}")
    here = dashboard.value("location.hash")
    chosen = f"field({field!r}).selectedOptions[0].text"
    before = dashboard.value(chosen)
    dashboard.fill(label, "Something new")
    dashboard.choose(field, other)
    dashboard.wait("button('Stay')")
    dashboard.click("Stay")
    dashboard.wait(f"top() === document && location.hash === {here!r}")
    assert dashboard.value(chosen) == before
    dashboard.choose(field, other)
    dashboard.wait(f"button('Discard') && location.hash === {here!r}")
    dashboard.click("Discard")
    dashboard.wait(f"{chosen} === {other!r} && field({label!r})?.value === ''")


def test_a_test_email_of_unsaved_text(dashboard, campaign):
    """docs/dashboard.md 2.3: the view explains that the text must be saved first"""
    dashboard.load(f"campaigns/{campaign.id}/pages?tab=mails&kind=welcome")
    dashboard.fill("Subject", "Hello")
    dashboard.sees("Save first: the test uses the saved text.")
    assert dashboard.value("button('Send me a test email').disabled")


@pytest.mark.parametrize("place, label, other", [("pages", "Headline", "Button"), ("pages?tab=mails&kind=verify", "Subject", "Text"), ("settings", "Name", "Starting number")])
def test_what_is_typed_while_it_is_saved(dashboard, campaign, place, label, other):
    """docs/dashboard.md 3.1: it stays in the form, unsaved"""
    dashboard.load(f"campaigns/{campaign.id}/{place}")
    dashboard.run("""const real = fetch;
        const wait = new Promise(done => { window.answer = done; });
        window.fetch = async (url, options) => { if (options.method === "PATCH") await wait; return real(url, options); };""")
    dashboard.fill(label, "first")
    dashboard.click("Save")
    dashboard.wait("button('Save')?.getAttribute('aria-busy') === 'true'")
    text = "{{confirm_url}} 7" if other == "Text" else "7"
    dashboard.fill(other, text)
    dashboard.run("window.answer();")
    dashboard.sees("1 unsaved change." if place == "settings" else "Saved")
    dashboard.wait("!document.querySelector('main [aria-busy=true]')")
    assert dashboard.value(f"[field({label!r}).value, field({other!r}).value, Boolean(button('Save'))]") == ["first", text, True]
    dashboard.click("Save")
    dashboard.wait("!button('Save')")
    assert dashboard.value(f"[field({label!r}).value, field({other!r}).value]") == ["first", text]


def test_the_text_of_a_mail(dashboard, campaign, leadhook):
    """docs/dashboard.md 2.3: the editor starts from the default text, shows what the text must contain, and reports errors at the
    field"""
    dashboard.open(f"campaigns/{campaign.id}/pages?tab=mails&kind=verify")
    dashboard.sees("Variables: {{confirm_url}} (required), ")
    assert "{{score}}" not in dashboard.text(), "no variable of this kind"
    dashboard.click("Start from the default text")
    default = leadhook("mail", "template", str(campaign.id), "verify")
    dashboard.wait(f"field('Subject').value === {json.dumps(default['subject'])} && field('Text').value === {json.dumps(default['text'])}")
    dashboard.fill("Text", "Hello")
    dashboard.wait("document.querySelector('.preview-card .error')?.textContent === 'Incomplete or invalid fields are shown as they were last saved.'")
    dashboard.run("scrollTo(0, 0);")
    dashboard.click("Save")
    error = "document.getElementById(field('Text').getAttribute('aria-describedby')?.split(' ')[1])"
    dashboard.wait(f"document.activeElement === field('Text') && {error}?.textContent.includes('it must show {{{{confirm_url}}}}')")
    dashboard.wait(f"{error}.getBoundingClientRect().bottom < button('Save').getBoundingClientRect().top", "the error above the button")
    dashboard.fill("Text", "Hello {{confirm_url}}")
    dashboard.click("Save")
    dashboard.sees("Saved. New emails use this text.")
    shown = leadhook("mail", "template", str(campaign.id), "verify")
    assert (shown["own_subject"], shown["own_text"]) == (default["subject"], "Hello {{confirm_url}}")
    assert not dashboard.value("button('Start from the default text')")


def test_export(dashboard, campaign):
    """docs/dashboard.md 2.2: the view states what it exports, even in the name of the file"""
    campaign.leads(2)
    dashboard.open(f"campaigns/{campaign.id}/export?waitlisted=off&since=2020-01-01", "Export leads")
    assert dashboard.value("document.querySelector('.card p').innerText") == "Exports the leads of the list: not waitlisted from 2020-01-01"
    dashboard.choose("Verification", "Not verified")
    dashboard.click("Export")
    dashboard.sees("2 leads exported.")
    assert dashboard.value("document.querySelector('.notice a').download").endswith("-not-waitlisted-from-2020-01-01-not-verified.csv")


def test_a_viewer(window, service, account, campaign):
    """docs/dashboard.md 1.2: a viewer sees the pages, and that they cannot be changed"""
    viewer = User(service, f"viewer-{window.browser.name}@example.org", "--role", "viewer", "--account", account.id).ready()
    dashboard = Dashboard(window, service.front.url)
    dashboard.enter(viewer, f"campaigns/{campaign.id}/pages")
    dashboard.sees("Your role cannot change this.")
    assert dashboard.value("field('Headline').matches(':disabled') && getComputedStyle(field('Headline')).cursor") == "not-allowed"
    dashboard.log_out()


def test_the_link_of_an_invitation(dashboard):
    """docs/dashboard.md 2.4: how long it is valid, and that it is not mailed; Cancel has the focus in a question about deleting"""
    email = f"invited-{dashboard.window.browser.name}@example.org"
    dashboard.open("team", "Team")
    dashboard.click("Invite")
    dashboard.fill("Email address", email)
    dashboard.click("Create invitation")
    dashboard.sees("no email is sent")
    dashboard.wait("/once to set a password, until \\d+ \\w+.*, \\d\\d:\\d\\d\\./.test(top().innerText)")
    dashboard.click("Done")
    row = f"[...document.querySelectorAll('tr')].find(one => one.textContent.includes('{email}'))"
    dashboard.wait(f"{row} !== undefined")
    dashboard.run(f"{row}.querySelector('.quiet').click();")
    dashboard.wait(f"{TITLE} === 'Remove this user?' && document.activeElement === button('Cancel')")
    window = dashboard.window
    window.press("Enter")
    dashboard.wait("top() === document")
    dashboard.sees(email)


def test_the_audit_log(dashboard, campaign, leadhook, refused):
    """docs/dashboard.md 2.4: changes are described in words; a failed change does not list what it would have changed"""
    lead, = campaign.leads(1)
    leadhook("lead", "change", str(campaign.id), "verify", lead["social_id"])
    leadhook("page", "set", str(campaign.id), "title=Come in", "fields=email; first_name")
    leadhook("page", "set", str(campaign.id), "title=Come <in>", "--language", "de")
    leadhook("mail", "set", str(campaign.id), "welcome", "subject=Welcome {{first_name}}")
    leadhook("campaign", "set", str(campaign.id), "waitlist=on", "public_lookup=none")  # also changes `repeated_signup`
    refused(65, "campaign", "set", str(campaign.id), "points_direct=-1")
    dashboard.open(f"changes?campaign={campaign.id}", "Audit log")
    rows = dashboard.value("[...document.querySelectorAll('tbody tr')].map(one => [one.cells[2], one.cells[4]].map(cell => cell.textContent.trim().replace(/\\s+/g, ' ')))")
    assert rows[:6] == [
        ["Campaign changed failed", "–"],
        ["Campaign changed", "Put new leads on a waitlist, Leads that can be seen without an API keyPut new leads on a waitlistoff → on"
         "Leads that can be seen without an API keyall → none"],
        ["Email text changed", "SubjectSubject(empty) → Welcome {{first_name}}"],
        ["Page changed", "Headline (German)Headline (German)(empty) → Come <in>"],
        ["Page changed", "Form fields, HeadlineForm fields(empty) → email; first_nameHeadline(empty) → Come in"],
        ["Leads changed", "1 lead verified"]]
    assert "uid" not in dashboard.value("document.querySelector('tbody').textContent")


def shown(dashboard, selector):
    """Return the text of an element of the preview."""
    return dashboard.value(f"document.querySelector('iframe')?.contentDocument?.querySelector({selector!r})?.textContent?.trim()")


def placeholder(dashboard, label):
    return dashboard.value(f"[field({label!r}).placeholder, document.getElementById(field({label!r}).getAttribute('aria-describedby')).textContent]")


def test_what_an_empty_text_shows(dashboard, campaign, leadhook):
    """docs/dashboard.md 2.3: the text that is used instead, and where it comes from; "no checkbox" appears only if there is none"""
    consent = "Consent"
    dashboard.load(f"campaigns/{campaign.id}/pages")
    dashboard.wait("document.querySelector('iframe')")
    assert placeholder(dashboard, consent) == ["", "The text of a checkbox that visitors must tick. Empty: no checkbox."]
    dashboard.wait("field('Button').placeholder === 'Sign up'")
    leadhook("page", "set", str(campaign.id), "consent=I agree", "status_text=Hello", "title=Come in")
    dashboard.load(f"campaigns/{campaign.id}/pages?language=de")
    dashboard.wait(f"field({consent!r}).placeholder === 'I agree'")
    for label, text in ((consent, "I agree"), ("Text of the status page", "Hello"), ("Headline", "Come in")):
        found = placeholder(dashboard, label)
        assert found[0] == text and found[1].endswith("Empty: the text of “All languages” is used."), label
    assert "no checkbox" not in dashboard.text()
    dashboard.fill(consent, "Einverstanden")
    assert "“All languages”" not in placeholder(dashboard, consent)[1]


def test_what_is_not_translated(dashboard, campaign, leadhook):
    """docs/dashboard.md 2.3: if pages are in the visitor's language, a warning lists it for each language that has some text"""
    warning = "document.querySelector('main .notice.wait')?.innerText"
    leadhook("page", "set", str(campaign.id), "consent=I agree", "title=Come in", "button=Go")
    dashboard.load(f"campaigns/{campaign.id}/pages")
    dashboard.wait("document.querySelector('iframe')")
    assert dashboard.value(warning) is None, "no language has been begun"
    dashboard.load(f"campaigns/{campaign.id}/pages?language=de")
    dashboard.wait(f"{warning}?.includes('German: Headline, Button, Consent')")
    dashboard.fill("Headline", "Komm herein")
    dashboard.wait(f"{warning}?.includes('German: Button, Consent')")
    dashboard.click("Save")
    dashboard.sees("Saved and published")
    dashboard.load(f"campaigns/{campaign.id}/pages")
    dashboard.wait(f"{warning}?.includes('German: Button, Consent') && !{warning}.includes('French')")
    dashboard.fill("Share text", "Look at this")
    dashboard.wait(f"{warning}?.includes('German: Button, Consent, Share text')")
    leadhook("campaign", "set", str(campaign.id), "language=en")
    dashboard.load(f"campaigns/{campaign.id}/settings")
    dashboard.load(f"campaigns/{campaign.id}/pages")
    dashboard.wait("document.querySelector('iframe')")
    assert dashboard.value(warning) is None, "all pages are in one language"


def test_what_only_some_visitors_are_asked(dashboard, campaign, leadhook):
    """docs/dashboard.md 2.3: a warning when fields or the consent were entered for one language only; none for standard fields with a
    label"""
    warning = "document.querySelector('main .notice.wait')?.innerText"
    dashboard.load(f"campaigns/{campaign.id}/pages?language=en")
    dashboard.sees("Only on pages in English. Empty texts, and the design, are those of “All languages”.")
    dashboard.fill("Consent", "I agree")
    dashboard.wait(f"{warning}?.includes('Consent: English')")
    leadhook("page", "set", str(campaign.id), "--language", "en", "fields=email: Your address", "consent=I agree")
    leadhook("page", "set", str(campaign.id), "--language", "fr", "fields=email; city: Ville")
    dashboard.load(f"campaigns/{campaign.id}/pages?language=de")
    dashboard.wait(f"{warning}?.includes('Form fields: French') && {warning}.includes('Consent: English')")
    leadhook("page", "set", str(campaign.id), "fields=email; city: City", "consent=I agree")
    dashboard.load(f"campaigns/{campaign.id}/pages?language=de")
    dashboard.wait(f"{warning}?.includes('German: Form fields, Consent') && !{warning}.includes('Not on all pages')")


def test_the_color_of_dark_buttons(dashboard, campaign):
    """docs/pages.md 4: the same as on light pages, unless another one is set"""
    dashboard.load(f"campaigns/{campaign.id}/pages")
    dashboard.wait("field('Button color (dark)')?.placeholder === '#a5a8ff'")
    dashboard.fill("Button color", "#d2691e")
    dashboard.wait("field('Button color (dark)').placeholder === '#d2691e' && field('Button color (dark): color picker').value === '#d2691e'")


def test_how_the_preview_looks(dashboard, campaign, leadhook):
    """docs/dashboard.md 2.3: light and dark, narrow, in each language with the texts that its visitors see; docs/pages.md 4, scheme"""
    leadhook("page", "set", str(campaign.id), "title=Come in", "dark_background=#123456")
    leadhook("page", "set", str(campaign.id), "--language", "de", "title=Komm herein")
    background = "document.querySelector('iframe').contentWindow.getComputedStyle(document.querySelector('iframe').contentDocument.body).backgroundColor"
    dashboard.load(f"campaigns/{campaign.id}/pages")
    dashboard.wait(f"document.querySelector('iframe')?.contentDocument?.body && {background} === 'rgb(244, 245, 249)'", "light")
    dashboard.click("Dark")
    dashboard.wait(f"{background} === 'rgb(18, 52, 86)'", "dark")
    dashboard.click("Phone")
    dashboard.wait("document.querySelector('iframe').getBoundingClientRect().width === 380")
    dashboard.run("const one = document.querySelector('[aria-label=\"Preview for visitors\"]'); one.value = 'de'; one.dispatchEvent(new Event('change', { bubbles: true }));")
    dashboard.wait("document.querySelector('iframe').contentDocument.querySelector('h1')?.textContent === 'Komm herein'")
    assert shown(dashboard, "button[type=submit]") == "Anmelden"
    dashboard.choose("Light or dark", "Always light")
    dashboard.wait(f"{background} === 'rgb(244, 245, 249)' && !button('Dark')", "no dark page")
    dashboard.click("Save")
    dashboard.sees("Saved and published")
    assert {row["name"]: row["value"] for row in leadhook("page", "show", str(campaign.id))}["scheme"] == "light"
    style = campaign.client.request("GET", f"/c/{campaign.id}/style.css").body.decode()
    assert "color-scheme:light" in style and "prefers-color-scheme" not in style and "123456" not in style


@pytest.mark.parametrize("place", ["pages", "pages?tab=mails&kind=welcome"])
def test_pictures_of_the_preview(dashboard, campaign, leadhook, window, place):
    """docs/dashboard.md 4: a logo on another host is shown; a message names a logo that cannot be loaded; the policy of the
    dashboard does not change"""
    site = window.browser.site  # another host than that of the dashboard
    site.add("/logo.svg", "<svg xmlns='http://www.w3.org/2000/svg' width='40' height='40'><rect width='40' height='40'/></svg>", "image/svg+xml")
    logo = "document.querySelector('iframe')?.contentDocument?.querySelector('img')"
    for name, works in ((f"{site.origin}/logo.svg", True), (f"{site.origin}/no-such-logo.png", False), ("http://127.0.0.1:9/logo.png", False)):
        leadhook("page", "set", str(campaign.id), f"logo_url={name}")
        dashboard.load(f"campaigns/{campaign.id}/{place}")
        dashboard.wait(f"{logo}?.complete && ({logo}.naturalWidth > 0) === {str(works).lower()}", name)
        if works:
            assert "cannot be loaded" not in dashboard.text()
        else:
            dashboard.sees("cannot be loaded. Open its address in a new tab to check it.")
            assert name in dashboard.text()
    assert dashboard.window.violations() == []
