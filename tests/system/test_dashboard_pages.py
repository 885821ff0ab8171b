# SPDX-License-Identifier: MIT
"""docs/dashboard.md: what is unsaved, the texts of mails, the audit log, what viewers see, questions, exports."""
import pytest
from caller import User
from dashboard import SETTINGS, Dashboard, chromium_first, make_operator

pytestmark = chromium_first


@pytest.fixture(scope="module")
def service(make_service):
    made = make_service(settings=SETTINGS)
    made.dispatcher.start()
    return made


@pytest.fixture(scope="module")
def root(service):
    return make_operator(service)


@pytest.fixture
def campaign(service, account):
    return service.campaign(account, pages="on")


@pytest.fixture
def dashboard(window, service, root):
    made = Dashboard(window, service.front.url)
    made.load()
    if made.value("document.querySelector('.login')"):
        made.log_in(root.email)
    yield made
    assert made.problems() == []


HEADING = "document.querySelector('h1').textContent"
ASKED = "top() !== document && top().querySelector('h2').textContent"


@pytest.mark.parametrize("place, label", [("pages", "Headline"), ("pages?tab=mails", "Subject"), ("settings", "Name")])
def test_unsaved_changes(dashboard, campaign, place, label):
    """2.3: leaving asks; Stay keeps the text and the place, Discard goes on; nothing is asked when all is saved"""
    dashboard.open(f"campaigns/{campaign.id}")
    dashboard.open(f"campaigns/{campaign.id}/{place}")
    before = dashboard.value("location.hash")
    dashboard.fill(label, "Something new")
    for leave in ("button('Leads').click();", "history.back();", "history.back();"):
        dashboard.run(leave)
        dashboard.wait(f"{ASKED} === 'Discard the unsaved changes?' && document.activeElement === button('Stay')")
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
