# SPDX-License-Identifier: MIT
"""docs/embedding.md in Chromium and Firefox: what `leadhook campaign embed` prints, on a page of another origin under a strict policy."""
import pytest

STRICT = {"pages": "on", "public_lookup": "social_id", "public_update": "own"}


@pytest.fixture
def sign_up(window, leadhook, service):
    """Shows the printed elements, and sends the form by keyboard."""
    def run(campaign, *names, change=lambda markup: markup):
        printed = leadhook("campaign", "embed", campaign.id, "--integrity", "--markup")
        markup = change("".join(printed[name] for name in names))
        origin = service.front.url
        csp = f"default-src 'none'; script-src {origin}; connect-src {origin}; form-action {origin}; base-uri 'none'"
        page = f'<!DOCTYPE html><html lang="de"><head><meta charset="utf-8"><title>page</title></head><body>{markup}</body></html>'
        window.open(window.browser.site.add("/printed", page, headers={"Content-Security-Policy": csp}))
        window.wait("document.querySelector('[name=email]') !== null", "the form")
        window.run("document.querySelector('[name=email]').focus();")
        window.type("ada@example.org")
        window.press("Enter")
    return run


@pytest.mark.parametrize("form", ["form", "form_markup"])
def test_a_script_with_integrity(window, sign_up, service, account, form):
    """docs/embedding.md 2.2, 2: the script fills the element, and sends the form that is written out"""
    campaign = service.campaign(account, **STRICT, language="auto")
    sign_up(campaign, "script", form, "status", "leaderboard")
    window.wait("document.querySelector('dl') !== null", "the status")
    assert window.text(".leadhook-message") == "Danke. Du bist angemeldet."
    assert window.path() == "/printed" and campaign.find(email="ada@example.org")["counter"] == 1


def test_another_version_of_the_script(window, sign_up, service, account):
    """docs/embedding.md 1.1: the browser does not run another version, and the form works without a script"""
    campaign = service.campaign(account, **STRICT)
    sign_up(campaign, "script", "form_markup", change=lambda markup: markup.replace('integrity="sha384-', 'integrity="sha384-AAAA'))
    window.wait("location.pathname.includes('/s/') && document.readyState === 'complete'", "the lead's page")
    assert campaign.find(email="ada@example.org")["counter"] == 1


@pytest.mark.parametrize("settings", [{}, {"bots": "off"}, {"form_answer": "json"}])
def test_a_plain_form(window, sign_up, service, account, settings):
    """docs/api.md 4.1.10: the form leads to the lead's own page"""
    campaign = service.campaign(account, **STRICT, **settings)
    sign_up(campaign, "plain_form")
    window.wait("location.pathname.includes('/s/') && document.readyState === 'complete'", "the lead's page")
    assert window.text("h1").startswith("You’re on the list")


def test_a_plain_form_that_needs_proof(window, sign_up, service, account):
    """docs/api.md 4.1.10: a page of the service does the proof of work, even if errors lead back to the page of the form"""
    campaign = service.campaign(account, **STRICT, bots="proof", bot_difficulty=1, hosts="localhost")
    sign_up(campaign, "plain_form")
    window.wait("location.pathname.endsWith('/subscribe') && document.querySelector('[name=email]')?.value === 'ada@example.org' && "
                "document.readyState === 'complete'",
                "the form again")
    window.run("document.querySelector('[name=email]').focus();")
    window.press("Enter")
    window.wait("location.pathname.includes('/s/') && document.readyState === 'complete'", "the lead's page")
