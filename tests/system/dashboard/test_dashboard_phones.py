# SPDX-License-Identifier: MIT
"""docs/dashboard.md 2.5: small windows; rewards with their mails; messages after actions."""
import pytest
from marks import chromium_first
from dashboard import SETTINGS
from stack.process import wait_until

pytestmark = chromium_first


@pytest.fixture(scope="module")
def service(make_service, mail_server):
    made = make_service(settings=[*SETTINGS, *mail_server.settings()])
    made.dispatcher.start()
    return made


@pytest.fixture
def campaign(service, account):
    return service.campaign(account, pages="on")


def test_leads_on_a_phone(dashboard, campaign):
    """a row has two lines, and opens the lead wherever it is touched; nothing is wider than the window"""
    campaign.leads(50, first_name="Bartholomew")
    dashboard.window.resize(390, 844)
    dashboard.load(f"campaigns/{campaign.id}/leads")
    dashboard.wait("document.querySelectorAll('tbody tr').length === 50")
    heights = dashboard.value("[...document.querySelectorAll('tbody tr')].map(row => row.getBoundingClientRect().height)")
    assert max(heights) <= 64 and min(heights) >= 44, heights
    assert dashboard.value("document.querySelector('table').getBoundingClientRect().height") <= 50 * 64
    assert dashboard.value("document.documentElement.scrollWidth <= innerWidth")
    box = dashboard.value("(({ width, height }) => [width, height])(document.querySelector('td input').getBoundingClientRect())")
    assert min(box) >= 24, box
    reached = dashboard.value("""(() => { const row = document.querySelector('tbody tr').getBoundingClientRect();
        return document.elementFromPoint(row.right - 20, row.bottom - 8).closest('a')?.textContent; })()""")
    assert reached and "@" in reached
    dashboard.run("document.querySelector('td input').click();")
    dashboard.sees("1 lead selected")


@pytest.mark.parametrize("size", [(1280, 800), (390, 844), (390, 480)])
def test_buttons_of_dialogs(dashboard, campaign, size):
    """they stay visible, however long the form is; the content scrolls"""
    for place, opens, ends in (("", "Create campaign", "Create campaign"), (f"campaigns/{campaign.id}/settings?tab=rewards", "Add reward", "Save"),
                               (f"campaigns/{campaign.id}/webhooks", "Add webhook", None), ("team", "Invite", "Create invitation")):
        dashboard.window.resize(1280)
        dashboard.load(place)
        dashboard.window.resize(*size)
        dashboard.click(opens)
        dashboard.wait("top() !== document && top().querySelector('.buttons button')")
        last = f"button({ends!r})" if ends else "[...top().querySelectorAll('.buttons button')].find(one => one.className === 'primary')"
        dashboard.wait(f"{last}.getBoundingClientRect().bottom <= innerHeight && {last}.getBoundingClientRect().top >= 0", f"{opens} {size}")
        assert dashboard.value(f"document.elementFromPoint({last}.getBoundingClientRect().left + 5, {last}.getBoundingClientRect().top + 5) === {last}")
        assert dashboard.value("top().scrollWidth <= top().clientWidth"), opens
        dashboard.window.press("Escape")
        dashboard.wait("top() === document")


def test_messages_leave_with_their_view(dashboard, campaign):
    """Undo is not shown on another view; a message can be closed, and the content that it covers can be scrolled into sight"""
    lead, = campaign.leads(1)
    toast = "document.querySelector('.toast')"
    dashboard.load(f"campaigns/{campaign.id}/leads/{lead['social_id']}")
    dashboard.click("Verify")
    dashboard.wait(f"{toast}?.innerText.includes('Undo')")
    padding = dashboard.value("parseFloat(getComputedStyle(document.querySelector('main')).paddingBottom)")
    assert padding >= dashboard.value(f"innerHeight - {toast}.getBoundingClientRect().top")
    dashboard.wait(f"Boolean({toast})")
    dashboard.run("await new Promise(done => setTimeout(done, 1100));")
    dashboard.open(f"campaigns/{campaign.id}/settings", "Settings")
    assert not dashboard.value(f"Boolean({toast})")
    dashboard.fill("Name", "New name")
    dashboard.click("Save")
    dashboard.wait(f"{toast}?.innerText.includes('Saved')")
    dashboard.click("Close the message")
    dashboard.wait(f"!{toast}")


def test_friends_for_a_reward(dashboard, campaign, leadhook):
    """docs/dashboard.md 2.3: points are also expressed as a number of friends, with the points for signing up and for each
    friend"""
    hint = "document.getElementById(field('Points needed')?.getAttribute('aria-describedby'))?.textContent"
    for settings, points, shown in (
            (("points_signup=1", "points_direct=2"), "6", "A lead gets 1 point for signing up, and 2 points for each friend who signs up. These points require 3 friends."),
            (("points_signup=0", "points_direct=1", "points_verified=4"), "10", "A lead gets 5 points for each friend who signs up and is verified. These points require 2 friends."),
            (("points_direct=0", "points_verified=0"), "10", "In this campaign, leads get no points for friends.")):
        leadhook("campaign", "set", str(campaign.id), *settings)
        dashboard.load(f"campaigns/{campaign.id}/settings?tab=rewards")
        dashboard.click("Add reward")
        dashboard.fill("Points needed", points)
        dashboard.wait(f"{hint} === {shown!r}", shown)
        dashboard.click("Cancel")


def test_nothing_is_cut(dashboard, campaign, leadhook):
    """a long URL as a heading, the columns of the overview, a time with seconds"""
    below = f"/{'receiver' * 6}"
    hook = campaign.webhook("new_signup", below=below)["referenceId"]
    dashboard.window.resize(390, 844)
    dashboard.load(f"campaigns/{campaign.id}/webhooks/{hook}")
    assert dashboard.value("document.documentElement.scrollWidth <= innerWidth")
    campaign.lead(email="ada@example.org")
    wait_until(lambda: leadhook("webhook", "show", hook)["last_delivery_at"], 15, "a delivery")
    delivery = leadhook("delivery", "list", "--campaign", str(campaign.id))[0]["id"]
    dashboard.window.resize(1280, 800)
    dashboard.open(f"campaigns/{campaign.id}/deliveries/{delivery}", "New sign-up")
    dashboard.wait("document.querySelector('.timeline time')")
    assert dashboard.value("document.querySelector('.timeline time').getClientRects().length === 1"
                           " && document.querySelector('.timeline time').offsetHeight < 30")
    dashboard.open("", "Overview")
    dashboard.settled()
    assert dashboard.value("(({ scrollWidth, clientWidth }) => scrollWidth <= clientWidth)(document.querySelector('.table'))")


def test_rewards_are_mailed(dashboard, campaign, leadhook):
    """docs/dashboard.md 2.3: on by default if mail is set up; existing rewards can be changed; if no mail is sent, a notice
    explains why, with a link to the setting"""
    dashboard.load(f"campaigns/{campaign.id}/settings?tab=rewards")
    dashboard.wait("button('Add reward')")
    dashboard.settled()
    for name, mailed in (("Mug", True), ("Sticker", False)):
        dashboard.click("Add reward")
        dashboard.wait("field('Send an email when it is reached')")
        assert dashboard.value("field('Send an email when it is reached').checked") is True
        if not mailed:
            dashboard.tick("Send an email when it is reached")
        dashboard.fill("Reward", name)
        dashboard.fill("Points needed", "5")
        dashboard.click("Save")
        dashboard.wait(f"top() === document && document.body.innerText.includes({name!r})")
    assert {row["subject"]: row["emailed"] for row in leadhook("reward", "list", str(campaign.id))} == {"Mug": True, "Sticker": False}
    rows = dashboard.value("[...document.querySelectorAll('[aria-label=Rewards] tbody tr')].map(row => [...row.cells].slice(0, 3).map(cell => cell.textContent.trim()))")
    assert sorted(rows) == [["Mug", "5", "yes"], ["Sticker", "5", "no"]]
    dashboard.run("[...document.querySelectorAll('tbody tr')].find(row => row.textContent.includes('Sticker')).querySelector('button').click();")
    dashboard.tick("Send an email when it is reached")
    dashboard.click("Save")
    dashboard.wait("top() === document")
    assert all(row["emailed"] for row in leadhook("reward", "list", str(campaign.id)))
    leadhook("campaign", "set", str(campaign.id), "mails=welcome")
    dashboard.load(f"campaigns/{campaign.id}/settings?tab=rewards")
    dashboard.sees("The email “Reward reached” is switched off for this campaign")
    dashboard.click("Switch it on")
    dashboard.wait("document.querySelector('details[open] h2')?.textContent === 'Verification and emails'")
    dashboard.tick("Reward reached")
    dashboard.click("Save")
    dashboard.sees("Saved")
    assert "reward" in leadhook("campaign", "show", str(campaign.id))["mails"]


def test_definitions_in_quick_succession(dashboard, campaign, leadhook):
    """docs/dashboard.md 3.1: a form reports changes that others have made since it was opened, but not the user's own earlier
    changes"""
    tag = str(campaign.define("tag", "VIP"))
    dashboard.load(f"campaigns/{campaign.id}/settings?tab=rewards")
    dashboard.wait("button('Add reward')")
    dashboard.settled()
    dashboard.run("""const real = fetch;
        const wait = new Promise(done => { window.answer = done; });
        let held = [];
        window.fetch = async (url, options) => {
            const kind = String(url).split("/").pop();
            if (options.method === "POST")
                held = ["rewards", "actions", "tags"];
            if (options.method === "GET" && held.includes(kind)) {
                held = held.filter(one => one !== kind);
                await wait;
            }
            return real(url, options);
        };""")
    for name in ("Mug", "Sticker"):
        dashboard.click("Add reward")
        dashboard.fill("Reward", name)
        dashboard.fill("Points needed", "5")
        dashboard.click("Save")
        dashboard.wait("top() === document")
    edit = "[...document.querySelectorAll('tbody tr')].find(row => row.textContent.includes('VIP')).querySelector('button').click();"
    dashboard.run(edit)
    dashboard.fill("Name", "Press")
    dashboard.click("Save")
    dashboard.wait("top() === document")
    dashboard.run("window.answer();")
    dashboard.sees("Press")
    assert {row["subject"] for row in leadhook("reward", "list", str(campaign.id))} == {"Mug", "Sticker"}
    dashboard.run(edit.replace("VIP", "Press"))
    dashboard.fill("Name", "Team")
    leadhook("tag", "set", tag, "description=Ours")
    dashboard.click("Save")
    dashboard.sees("Another user changed this after you opened it.")
    dashboard.click("Cancel")
    assert [(row["name"], row["description"]) for row in leadhook("tag", "list", str(campaign.id))] == [("Press", "Ours")]


def test_the_mails_of_a_campaign(dashboard, campaign, leadhook):
    """docs/dashboard.md 2.3: which mails exist, when they are sent, whether each is on; links to its text and preview"""
    leadhook("campaign", "set", str(campaign.id), "mails=reward", "verify_email=on")
    leadhook("mail", "set", str(campaign.id), "reward", "subject=Well done", "--language", "de")
    dashboard.load(f"campaigns/{campaign.id}/pages?tab=mails")
    dashboard.wait("document.querySelectorAll('tbody tr').length >= 6 && document.querySelector('tbody tr').cells[3].textContent")
    rows = dashboard.value("Object.fromEntries([...document.querySelectorAll('tbody tr')].map(row => [row.cells[0].textContent.trim(), [row.cells[2].textContent.trim(), row.cells[3].textContent.trim()]]))")
    assert {name: row[0] for name, row in rows.items() if name in ("Confirmation", "Welcome", "Reward reached", "A friend joined")} == {
        "Confirmation": "on", "Welcome": "off", "Reward reached": "on", "A friend joined": "off"}
    assert rows["Reward reached"][1] == "custom: German" and rows["Welcome"][1] == "default text"
    dashboard.click("Reward reached")
    dashboard.wait("document.querySelector('iframe')?.contentDocument?.body?.innerText.length > 20")
