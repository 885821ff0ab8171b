# SPDX-License-Identifier: MIT
"""docs/dashboard.md: the actions of each role in the views, and what the API shows afterwards; leads are in
test_dashboard_leads."""
import pytest
from marks import chromium_first
from caller import PASSWORD, User
from dashboard import Dashboard, make_shop, running_service
from mail_server import Planted
from stack.process import wait_until
from stack.receiver import Answer

pytestmark = chromium_first
OWNER = 1  # of identity/rights.h


@pytest.fixture(scope="module")
def service(make_service):
    return running_service(make_service)


@pytest.fixture(scope="module")
def shop(service, window):
    """A shop for each browser."""
    return make_shop(service, service.account(f"Lamps {window.browser.name}"))


def test_the_first_campaign(dashboard, service, leadhook):
    """a new account, its campaign, the form, a webhook with its secret and a receiver, a test, a lead that appears"""
    dashboard.open("operator", "Operator")
    dashboard.click("Add account")
    dashboard.fill("Name", "Tea & Co")
    dashboard.click("Add account")
    dashboard.sees("Tea & Co")
    dashboard.open("", "Overview")
    dashboard.click("Create campaign")
    dashboard.fill("Name", "Spring <blend>")
    if dashboard.value("field('Account')"):
        dashboard.choose("Account", "Tea & Co")
    dashboard.click("Create campaign")
    dashboard.wait("document.querySelector('h1').textContent === 'Spring <blend>'")
    campaign = int(dashboard.value("location.hash").rpartition("/")[2])
    dashboard.sees("Get started")
    dashboard.sees(f"/c/{campaign}")
    dashboard.click("Add a webhook")
    dashboard.fill("Webhook URL", "ftp://nowhere")
    dashboard.click("Add webhook")
    dashboard.wait("document.activeElement === field('Webhook URL') && field('Webhook URL').getAttribute('aria-invalid')")
    url = service.receiver.url(f"/spring/{campaign}")
    dashboard.fill("Webhook URL", url)
    dashboard.click("Add webhook")
    dashboard.sees("It is shown only once.")
    secret = dashboard.value("top().querySelector('pre').textContent")
    assert secret.startswith("whsec_")
    service.receiver.secrets.append(secret)
    dashboard.click("For developers: sample receiver")
    for language, sign in (("Python", "hmac.compare_digest"), ("PHP", "hash_equals"), ("Node", "timingSafeEqual")):
        dashboard.click(language)
        dashboard.sees(sign)
    dashboard.click("Send a test")
    dashboard.sees("Success: HTTP 200")
    dashboard.click("I have stored the secret")
    dashboard.wait("location.hash.match(/webhooks\\/\\d+$/)")
    assert service.receiver.wait_for(1, 15, path=f"/spring/{campaign}", event="test")[0].verified
    dashboard.open(f"campaigns/{campaign}", "Spring <blend>")
    dashboard.sees("Waiting for the first sign-up.")
    account = leadhook("campaign", "show", str(campaign))["account_id"]
    key = leadhook("key", "add", str(account))["key"]
    assert service.client.request("POST", f"/v2/{campaign}", json_body={"email": "first@example.org"}, key=key).status == 200
    dashboard.click("Refresh")
    dashboard.wait("document.querySelector('.tile-value').textContent === '1'")


@pytest.mark.parametrize("protects", [False, True])
def test_protecting_leads(dashboard, shop, leadhook, window, protects):
    """docs/api.md 4.1.11: a choice in words when a campaign is created; the settings that change it explain its meaning"""
    dashboard.open("", "Overview")
    dashboard.click("Create campaign")
    dashboard.fill("Name", f"Protected {protects}")
    if dashboard.value("field('Account')"):
        dashboard.choose("Account", f"Lamps {window.browser.name}")
    dashboard.sees("sees nothing of the first sign-up, because email is not set up.")
    if protects:
        dashboard.tick("Protect existing leads")
    dashboard.click("Create campaign")
    dashboard.wait(f"document.querySelector('h1').textContent === 'Protected {protects}'")
    campaign = dashboard.value("location.hash").rpartition("/")[2]
    shown = leadhook("campaign", "show", campaign)
    assert (shown["public_lookup"], shown["public_update"]) == (("social_id", "own") if protects else ("all", "all"))
    dashboard.open(f"campaigns/{campaign}/settings?open=privacy", "Settings")
    dashboard.sees("A person who signs up again sees nothing of their lead, and gets no email." if protects else
                   "A person who signs up again sees their position and points.")


def test_why_a_webhook_gets_nothing(dashboard, shop, service):
    """two clicks from the overview; disable, undo; the failed delivery with its answer; resend"""
    dashboard.open("", "Overview")
    dashboard.click(f"1 webhook of {shop.name} is failing. Deliveries stay queued and are retried.")
    dashboard.wait("document.querySelector('h1').textContent === 'Webhooks'")
    dashboard.sees("HTTP 500")
    dashboard.open(f"campaigns/{shop.id}/webhooks/{shop.broken['referenceId']}")
    dashboard.sees("Last error: HTTP 500")
    dashboard.click("Disable")
    dashboard.sees("Disabled. Events stay queued.")
    dashboard.click("Undo")
    dashboard.wait("button('Disable')")
    tried = [one["id"] for one in service.deliveries(shop.broken) if one["attempts"] > 0]
    dashboard.open(f"campaigns/{shop.id}/deliveries?state=pending&webhook={shop.broken['referenceId']}", "Deliveries")
    dashboard.run(f"document.querySelector('main a[href$=\"/{tried[0]}\"]').click();")
    dashboard.wait("document.querySelector('h1').textContent === 'New sign-up'")
    dashboard.sees("no room")
    dashboard.sees("\"__event\"")


def test_deliveries_are_resent(dashboard, shop, service):
    """one in its view, several by their checkboxes, all that match a filter"""
    service.receiver.clear()
    dashboard.open(f"campaigns/{shop.id}/deliveries?webhook={shop.hooked['referenceId']}&state=delivered", "Deliveries")
    dashboard.wait("document.querySelectorAll('td input[type=checkbox]').length > 2")
    dashboard.run("[...document.querySelectorAll('td input[type=checkbox]')].slice(0, 2).forEach(one => one.click());")
    dashboard.sees("2 deliveries selected")
    dashboard.click("Resend")
    dashboard.sees("2 deliveries will be sent now")
    shop.delivered(2)
    dashboard.open(f"campaigns/{shop.id}/webhooks/{shop.hooked['referenceId']}")
    dashboard.click("Resend deliveries…")
    dashboard.choose("Deliveries", "Delivered (the receiver gets them again)")
    dashboard.wait("/3[0-9] deliveries will be resent/.test(top().innerText)")
    dashboard.click("Resend")
    dashboard.sees("Done: ")
    dashboard.click("Close")
    shop.delivered(30)


def test_pending_deliveries_are_sent_now(dashboard, shop, service):
    """docs/deliveries.md 3.2: a delivery that waits for its next attempt is sent from its page; a webhook that works again gets
    all"""
    script = f"{shop.hook}/down"
    service.receiver.script(script, Answer(503, body=b"maintenance"))
    hook = shop.webhook("new_signup", below="/down")
    for number in range(2):
        shop.lead(email=f"down{number}@example.org")
    wait_until(lambda: [one["attempts"] for one in service.deliveries(hook)] == [1, 1], 15, "a first attempt of each")
    dashboard.open(f"campaigns/{shop.id}", shop.name)
    dashboard.sees("/down is failing: HTTP 503.")
    dashboard.open(f"campaigns/{shop.id}/deliveries?webhook={hook['referenceId']}", "Deliveries")
    dashboard.sees("retrying")
    dashboard.sees("HTTP 503. Next attempt")
    dashboard.open(f"campaigns/{shop.id}/deliveries/{service.deliveries(hook)[0]['id']}")
    dashboard.run("""const real = fetch;
        window.fetch = async (url, options) => {
            if (!String(url).includes("/deliveries/")) return real(url, options);
            window.fetch = real;
            return new Response('{"state": "delivered"}', { headers: { "Content-Type": "application/json" } });
        };
        button("Send now").click();""")
    dashboard.sees("The delivery was attempted meanwhile")
    assert max(one["attempts"] for one in service.deliveries(hook)) == 1
    dashboard.click("Send now")
    wait_until(lambda: max(one["attempts"] for one in service.deliveries(hook)) == 2, 15, "another attempt")
    service.receiver.script(script, Answer(200))
    dashboard.open(f"campaigns/{shop.id}/webhooks/{hook['referenceId']}")
    dashboard.click("Retry now")
    wait_until(lambda: {one["state"] for one in service.deliveries(hook)} == {"delivered"}, 15, "both delivered")
    service.installation.admin("webhook", "remove", str(hook["referenceId"]))


def test_a_new_secret(dashboard, shop, service):
    """rotating asks first; the secret is shown once; then the webhook is removed"""
    extra = shop.webhook("verified", below="/extra")
    dashboard.open(f"campaigns/{shop.id}/webhooks/{extra['referenceId']}")
    dashboard.click("Rotate secret…")
    dashboard.click("Rotate secret")
    dashboard.wait("top().querySelector('pre')?.textContent.startsWith('whsec_')")
    dashboard.click("I have stored the secret")
    dashboard.sees("Previous secret")
    dashboard.click("Edit")
    dashboard.tick("New sign-up")
    dashboard.fill("Rate limit", "5")
    dashboard.click("Save")
    dashboard.sees("Saved")
    shown = service.installation.admin("webhook", "show", str(extra["referenceId"]))
    assert (shown["rate"], sorted(shown["events"])) == (5, ["new_signup", "verified"])
    dashboard.click("Remove…")
    dashboard.click("Remove webhook")
    dashboard.wait("document.querySelector('h1').textContent === 'Webhooks'")
    assert extra["referenceId"] not in [one["referenceId"] for one in service.installation.admin("webhook", "list", str(shop.id))]


def test_settings(dashboard, service, shop, leadhook):
    """a group is saved; a wrong value is reported at its field; definitions; end of the campaign, undo"""
    dashboard.open(f"campaigns/{shop.id}/settings", "Settings")
    dashboard.fill("For a sign-up", "many")
    dashboard.click("Save")
    dashboard.wait("field('For a sign-up').getAttribute('aria-invalid')")
    dashboard.fill("For a sign-up", "3")
    dashboard.click("Save")
    dashboard.sees("Saved")
    assert leadhook("campaign", "show", str(shop.id))["points_signup"] == 3
    dashboard.open(f"campaigns/{shop.id}/settings?tab=rewards", "Settings")
    reads = "performance.getEntriesByType('resource').filter(one => one.name.endsWith('/tags')).length"
    before = dashboard.value(reads)
    dashboard.click("Add reward")
    dashboard.fill("Reward", "T-shirt")
    dashboard.fill("Points needed", "50")
    dashboard.click("Save")
    dashboard.sees("T-shirt")
    dashboard.wait(f"{reads} > {before}", "the tags are read again")
    dashboard.click("Add tag")
    dashboard.fill("Name", "Press")
    dashboard.click("Save")
    dashboard.wait("top() === document")
    dashboard.sees("Press")
    assert "Press" in [row["name"] for row in leadhook("tag", "list", str(shop.id))]
    assert [row["required_points"] for row in leadhook("reward", "list", str(shop.id))] == [2, 50]
    dashboard.open(f"campaigns/{shop.id}/settings", "Settings")
    dashboard.click("End the campaign")
    dashboard.sees("The campaign has ended")
    dashboard.click("Undo")
    wait_until(lambda: leadhook("campaign", "show", str(shop.id))["state"] == "active", 10, "reopened")


def test_two_users_at_once(dashboard, service, shop, leadhook):
    """docs/manage.md 1.3: changes of different fields are merged; for the same field, the user chooses"""
    dashboard.open(f"campaigns/{shop.id}/settings", "Settings")
    dashboard.fill("Starting number of leads", "100")
    leadhook("campaign", "set", str(shop.id), "language=de")
    dashboard.click("Save")
    dashboard.sees("Saved")
    shown = leadhook("campaign", "show", str(shop.id))
    assert (shown["jump_start"], shown["language"]) == (100, "de")
    dashboard.settled()
    for choice, theirs, value, language in (("Keep theirs", 300, 300, "English"), ("Save mine", 350, 400, "French")):
        dashboard.load(f"campaigns/{shop.id}/settings")
        dashboard.fill("Starting number of leads", "400")
        dashboard.choose("Language", language)
        leadhook("campaign", "set", str(shop.id), f"jump_start={theirs}")
        dashboard.click("Save")
        dashboard.sees("Conflicting changes")
        dashboard.click(choice)
        dashboard.wait("top() === document && !button('Save')")
        shown = leadhook("campaign", "show", str(shop.id))
        assert (shown["jump_start"], shown["language"]) == (value, language[:2].lower()), choice


def test_pages_and_email(dashboard, shop, leadhook):
    """docs/pages.md, docs/mail.md: what is typed is shown before it is saved; wrong values are reported"""
    shown = "document.querySelector('iframe')?.contentDocument?.querySelector('h1')?.textContent"
    dashboard.open(f"campaigns/{shop.id}/pages", "Pages and email")
    dashboard.wait(f"field('Headline').placeholder === {shown} && {shown}.includes('Waiting list')")
    dashboard.fill("Headline", "Come in")
    dashboard.wait(f"{shown} === 'Come in'")
    dashboard.fill("Cards", "#222222")
    dashboard.sees("Text color must be easier to read")
    dashboard.fill("Cards", "#2222222222")
    dashboard.sees("Cards must be a colour: # and six digits")
    dashboard.fill("Cards", "#fefefe")
    dashboard.choose("Leaderboard on the status page", "Hidden")
    dashboard.wait("!document.querySelector('.preview-card .error')")
    assert leadhook("page", "show", str(shop.id)) == []
    dashboard.click("Save")
    dashboard.sees("Saved and published")
    assert {row["name"]: row["value"] for row in leadhook("page", "show", str(shop.id))} == {"title": "Come in", "card": "#fefefe", "leaderboard": "off"}
    dashboard.open(f"campaigns/{shop.id}/pages?tab=mails", "Pages and email")
    dashboard.click("Welcome")
    dashboard.settled()
    dashboard.fill("Subject", "Hello {{unknown}}")
    dashboard.sees("Line 1, column 7: there is no value")
    assert dashboard.value("document.querySelector('iframe')"), "the rest is shown"
    dashboard.fill("Subject", "Hello {{first_name}}")
    dashboard.wait("document.querySelector('.preview-card strong')?.textContent.startsWith('Hello ') && !document.querySelector('.preview-card .error')")
    dashboard.click("Save")
    dashboard.sees("Saved. New emails use this text.")
    assert leadhook("mail", "template", str(shop.id), "welcome")["own_subject"] == "Hello {{first_name}}"
    dashboard.click("Send me a test email")
    dashboard.sees("of this installation to set this up.")
    dashboard.click("Close")


def test_team_and_keys(dashboard, service, leadhook):
    """invite, change the role, disable; add a key with few rights, revoke it"""
    campaign = service.campaign(service.account("Few"))
    dashboard.load(f"team?account={campaign.account.id}")
    dashboard.click("Invite")
    email = f"vic-{campaign.id}@example.org"
    dashboard.fill("Email address", email)
    dashboard.run("[...top().querySelectorAll('input[name=role]')].find(one => one.value === 'viewer').click();")
    dashboard.tick(campaign.name)
    dashboard.click("Create invitation")
    dashboard.sees("/dashboard/#welcome/")
    dashboard.click("Done")
    dashboard.sees(email)
    user = [one for one in leadhook("user", "list", "--account", str(campaign.account.id)) if one["email"] == email][0]
    assert (user["role"], user["campaigns"]) == ("viewer", [campaign.id])
    for seen in ([campaign.id], []):
        service.installation.sql(f"UPDATE lh_users SET campaigns = '{','.join(map(str, seen))}' WHERE id = {user['id']}")
        dashboard.click("Refresh")
        dashboard.sees("no campaigns" if not seen else "Viewer")
        dashboard.click("Edit")
        dashboard.fill("Name", f"Vic {seen}")
        dashboard.click("Save")
        dashboard.sees(f"Vic {seen}")
        shown = leadhook("user", "show", str(user["id"]))
        assert (shown["name"], shown["campaigns"]) == (f"Vic {seen}", seen), "a rename changes no rights"
    dashboard.click("Disable")
    dashboard.sees("can no longer log in")
    dashboard.open(f"keys?account={campaign.account.id}", "API keys")
    dashboard.click("Add key")
    dashboard.fill("Name", "Landing page")
    dashboard.choose("Purpose", "Form or app")
    dashboard.click("Add key")
    dashboard.sees("The key is shown only once.")
    dashboard.click("I have stored it")
    dashboard.sees("Landing page")
    key = [one for one in leadhook("key", "list", str(campaign.account.id)) if one["name"] == "Landing page"][0]
    assert key["rights"] == ["ingest"]
    dashboard.open("changes", "Audit log")
    dashboard.sees("API key added")
    dashboard.sees("User added")


def test_a_large_team(dashboard, service):
    """docs/users.md: a list that is longer than a page has a next page"""
    account = service.account("Large")
    service.installation.sql("INSERT INTO lh_users (id, account_id, email, name, role, created_ms)"
                             f" SELECT 5000000 + 1000 * {account.id} + seq, {account.id}, CONCAT('u', seq, '-{account.id}@example.org'), '', {OWNER}, 1"
                             " FROM seq_1_to_60")
    dashboard.open(f"team?account={account.id}", "Team")
    dashboard.sees(f"u1-{account.id}@example.org")
    assert f"u60-{account.id}@" not in dashboard.text()
    dashboard.click("Next page")
    dashboard.sees(f"u60-{account.id}@example.org")
    dashboard.click("First page")
    dashboard.sees(f"u1-{account.id}@example.org")
    service.installation.sql(f"DELETE FROM lh_users WHERE account_id = {account.id}")


def test_limits_of_accounts(dashboard, service, leadhook):
    """limit; suspend after a question; resume; remove after the name is typed"""
    account = service.account("Short lived")
    dashboard.load("operator")
    row = "[...document.querySelectorAll('tbody tr')].find(one => one.textContent.includes('Short lived'))"
    press = lambda text: dashboard.run(f"[...{row}.querySelectorAll('button')].find(one => one.textContent === '{text}').click();")  # noqa: E731
    press("Limit")
    dashboard.fill("Calls per minute", "1234")
    dashboard.click("Save")
    dashboard.wait(f"{row}.textContent.includes('1,234')")
    press("Suspend")
    dashboard.click("Suspend")
    dashboard.wait(f"{row}.textContent.includes('suspended')")
    press("Resume")
    dashboard.wait(f"{row}.textContent.includes('active')")
    press("Remove")
    dashboard.fill("Type", "Short lived")
    dashboard.click("Remove account")
    dashboard.wait(f"!{row}")
    assert account.id not in [one["id"] for one in leadhook("account", "list")]


def test_the_limit_that_emails_wait_for(dashboard, service, shop):
    """docs/mail.md 6 and 7: operators see its setting, others a description"""
    lead = shop.lead(email="waits@example.org")
    [mail] = Planted(service).mails(shop, lead, 1).values()
    service.installation.sql("INSERT INTO lh_sendings (channel, scope, scope_id, slot, sent)"
                             f" SELECT 0, 2, {shop.id}, FLOOR(UNIX_TIMESTAMP(NOW(3)) * 1000) DIV 300000, 1000000")
    dashboard.open("operator", "Operator")
    dashboard.sees("Hourly limit reached: mail.campaign_per_hour. Emails are waiting")
    dashboard.open(f"campaigns/{shop.id}/pages?tab=sent", "Pages and email")
    dashboard.sees("hourly limit of the campaign reached")
    service.installation.sql(f"DELETE FROM lh_sendings; DELETE FROM lh_messages WHERE id = {mail}")


def test_the_password_again(dashboard, service, shop):
    """docs/users.md: a change that needs the password asks for it, and continues"""
    service.installation.sql("UPDATE lh_sessions SET confirmed_ms = confirmed_ms - 3600000")
    tag = shop.define("tag", "To be removed")
    dashboard.open(f"campaigns/{shop.id}/settings?tab=rewards", "Settings")
    dashboard.sees("To be removed")
    dashboard.run("[...document.querySelectorAll('tr')].find(one => one.textContent.includes('To be removed')).querySelectorAll('button')[1].click();")
    dashboard.click("Remove tag")
    dashboard.sees("Confirm your password")
    dashboard.fill("Password", "something else entirely")
    dashboard.click("Confirm")
    dashboard.sees("The password is wrong.")
    dashboard.fill("Password", PASSWORD)
    dashboard.click("Confirm")
    dashboard.wait("!document.querySelector('dialog')")
    assert tag not in [one["id"] for one in service.installation.admin("tag", "list", str(shop.id))]


def test_the_session_has_ended(dashboard, service, shop, root):
    """what was typed stays; the change is made after the login"""
    dashboard.open(f"campaigns/{shop.id}/settings", "Settings")
    dashboard.fill("For each referred friend", "9")
    service.installation.sql("DELETE FROM lh_sessions")
    dashboard.click("Save")
    dashboard.sees("Your session has ended.")
    dashboard.fill("Password", PASSWORD)
    dashboard.click("Log in")
    dashboard.sees("Saved")
    assert service.installation.admin("campaign", "show", str(shop.id))["points_direct"] == 9


def test_a_suspended_account(window, service, shop):
    """docs/dashboard.md 1.1: its users see that it is suspended, and nothing else"""
    account = service.account("Late payers")
    owner = User(service, f"late-{account.id}@example.org", "--role", "owner", "--account", str(account.id))
    assert owner.accept().status == 200
    service.installation.admin("account", "suspend", str(account.id))
    dashboard = Dashboard(window, service.front.url)
    window.open("about:blank")
    window.open(f"{dashboard.url}#/campaigns/{shop.id}")
    dashboard.wait("document.querySelector('h1')?.textContent && !document.querySelector('.skeleton')")
    if dashboard.value("document.querySelector('.shell')"):
        dashboard.click("Log out")
    dashboard.fill("Email address", owner.email)
    dashboard.fill("Password", PASSWORD)
    dashboard.click("Log in")
    dashboard.sees("Late payers is suspended")
    assert not dashboard.value("document.querySelector('nav')")
    dashboard.log_out()


def test_views_of_another_account(window, service, shop):
    """an owner sees nothing of another account, whatever the URL contains"""
    other = make_shop(service, service.account("Other"))
    owner = User(service, f"owner-{other.id}@example.org", "--role", "owner", "--account", str(shop.account.id))
    assert owner.accept().status == 200
    dashboard = Dashboard(window, service.front.url)
    dashboard.enter(owner)
    dashboard.sees(shop.name)
    assert other.name not in dashboard.text()
    delivery = service.deliveries(other.hooked)[0]["id"]
    for place in (f"campaigns/{other.id}", f"campaigns/{other.id}/leads", f"campaigns/{other.id}/leads/{other.ada['social_id']}",
                  f"campaigns/{shop.id}/leads/{other.ada['social_id']}", f"campaigns/{other.id}/webhooks", f"campaigns/{shop.id}/webhooks/{other.hooked['referenceId']}",
                  f"campaigns/{other.id}/deliveries", f"campaigns/{shop.id}/deliveries/{delivery}", f"campaigns/{other.id}/pages", f"campaigns/{other.id}/settings",
                  f"changes?campaign={other.id}", f"team?account={other.account.id}", f"keys?account={other.account.id}", "operator"):
        dashboard.open(place)
        shown = dashboard.text()
        assert other.name not in shown and "ada@example.org" not in shown and "Ada Lovelace" not in shown and str(other.hook) not in shown, place
    assert dashboard.run("return window.errors.splice(0);") == []
    dashboard.log_out()
