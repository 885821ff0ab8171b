# SPDX-License-Identifier: MIT
"""docs/dashboard.md: what is unsaved, the texts of mails, the audit log, what viewers see, questions, exports."""
import json

import pytest
from caller import User
from conftest import chromium_first
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
    """3.1: a dialog before they are lost; Stay keeps the text and the place, Discard goes on; there is none when all is saved"""
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


@pytest.mark.parametrize("place, label, other", [("pages", "Headline", "Button"), ("pages?tab=mails&kind=verify", "Subject", "Text"), ("settings", "Name", "Starting number")])
def test_what_is_typed_while_it_is_saved(dashboard, campaign, place, label, other):
    """3.1: it stays, unsaved"""
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
    """2.3: it starts from the default text, says what it must show, and shows an error at the field that has it"""
    dashboard.open(f"campaigns/{campaign.id}/pages?tab=mails&kind=verify")
    dashboard.sees("Variables: {{confirm_url}} (required), ")
    assert "{{score}}" not in dashboard.text(), "no variable of this kind"
    dashboard.click("Start from the default text")
    default = leadhook("mail", "template", str(campaign.id), "verify")
    dashboard.wait(f"field('Subject').value === {json.dumps(default['subject'])} && field('Text').value === {json.dumps(default['text'])}")
    dashboard.fill("Text", "Hello")
    dashboard.wait("document.querySelector('.preview-card .error')?.textContent === 'Shown as it was saved where the form has a message.'")
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
    """2.2: it says what it exports, also in the name of the file"""
    campaign.leads(2)
    dashboard.open(f"campaigns/{campaign.id}/export?waitlisted=off&since=2020-01-01", "Export leads")
    assert dashboard.value("document.querySelector('.card p').innerText") == "Exports the leads as listed: not waitlisted from 2020-01-01"
    dashboard.choose("Verification", "Not verified")
    dashboard.click("Export")
    dashboard.sees("2 leads exported.")
    assert dashboard.value("document.querySelector('.notice a').download").endswith("-not-waitlisted-from-2020-01-01-not-verified.csv")


def test_a_viewer(window, service, account, campaign):
    """1.2: sees the pages, and that they cannot be changed"""
    viewer = User(service, f"viewer-{window.browser.name}@example.org", "--role", "viewer", "--account", account.id).ready()
    dashboard = Dashboard(window, service.front.url)
    dashboard.enter(viewer, f"campaigns/{campaign.id}/pages")
    dashboard.sees("Your role cannot change this.")
    assert dashboard.value("field('Headline').matches(':disabled') && getComputedStyle(field('Headline')).cursor") == "not-allowed"
    dashboard.log_out()


def test_the_link_of_an_invitation(dashboard):
    """2.4: until when it is valid, and that no mail has it; what deletes has the focus at Cancel"""
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
    """2.4: in words; a change that failed names nothing that it would have changed"""
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
