# SPDX-License-Identifier: MIT
"""docs/dashboard.md 2.3: adding, editing and testing a webhook; what its numbers and states mean; resending while it is disabled."""
import pytest
from marks import chromium_first
from dashboard import running_service
from stack.process import wait_until
from stack.receiver import Answer

pytestmark = chromium_first
MISTYPED = "nowhere.invalid/hook"
TITLE = "document.querySelector('h1').textContent"


@pytest.fixture(scope="module")
def service(make_service):
    return running_service(make_service)


@pytest.fixture
def campaign(service):
    return service.campaign(service.account("Lamps"))


def tile(label):
    return f"[...document.querySelectorAll('.tile')].find(one => one.textContent.startsWith('{label}'))?.innerText.split('\\n').slice(1).join(' ')"


def test_the_url_is_corrected(dashboard, service, campaign, leadhook):
    """a missing scheme is added, a second one removed; a test names the host and offers to change the URL; the secret need not be
    stored"""
    url = service.receiver.url(campaign.hook)
    dashboard.open(f"campaigns/{campaign.id}/webhooks", "Webhooks")
    dashboard.click("Add the first webhook")
    dashboard.wait("field('Webhook URL')?.value === '' && field('Webhook URL').placeholder.startsWith('https://')")
    dashboard.click("Add webhook")
    dashboard.sees("Enter the URL of your receiver.")
    dashboard.fill("Webhook URL", f"https://{url}")
    dashboard.run("field('Webhook URL').blur();")
    dashboard.wait(f"field('Webhook URL').value === '{url}'")
    dashboard.fill("Webhook URL", MISTYPED)
    dashboard.click("Add webhook")
    dashboard.sees("It is shown only once.")
    [added] = leadhook("webhook", "list", campaign.id)
    assert added["url"] == f"https://{MISTYPED}"
    dashboard.click("Send a test")
    dashboard.sees("Failed: nowhere.invalid: host name not found.")
    dashboard.click("Change the URL")
    dashboard.fill("Webhook URL", url)
    dashboard.click("Save")
    dashboard.wait("!button('Change the URL') && button('Send a test')")
    dashboard.click("Send a test")
    dashboard.sees("Success: HTTP 200")
    dashboard.click("Close")
    dashboard.wait(f"{TITLE} === '{url}'.split('//')[1]")
    dashboard.sees("No deliveries to this URL yet. The last test succeeded: HTTP 200 in ")
    dashboard.open(f"campaigns/{campaign.id}/webhooks", "Webhooks")
    dashboard.sees("no deliveries yet")


def test_numbers_and_another_url(dashboard, service, campaign, leadhook):
    """deliveries and attempts are counted separately; a delivery that is retried has not failed; another URL ends the failures; the
    URL of another webhook is refused"""
    service.receiver.script(campaign.hook, Answer(200), Answer(500))
    hook = campaign.webhook("new_signup")["referenceId"]
    campaign.webhook("deleted", below="/other")
    campaign.lead(email="a@example.org")
    wait_until(lambda: leadhook("webhook", "show", hook)["last_delivery_at"], 15, "a success")
    campaign.lead(email="b@example.org")
    wait_until(lambda: leadhook("webhook", "show", hook)["failures"] == 1, 15, "a failure")
    place = f"campaigns/{campaign.id}/webhooks"
    dashboard.open(place, "Webhooks")
    dashboard.sees("1 of 2 attempts succeeded")
    assert dashboard.value("document.querySelector('[title=\"server error of the receiver\"]')")
    dashboard.open(f"{place}/{hook}")
    dashboard.wait(f"{tile('Delivered')} === '100 % 1 delivered, 0 failed for good'")
    assert dashboard.value(tile("Attempts")) == "2 1 of 2 succeeded"
    for text in ("Pending and retrying", "HTTP 500. Next attempt", "No delivery has failed for good.", "of answers within"):
        dashboard.sees(text)
    dashboard.click("Remove…")
    dashboard.sees("1 pending delivery will fail.")
    dashboard.click("Cancel")
    dashboard.click("Edit")
    dashboard.fill("Webhook URL", service.receiver.url(f"{campaign.hook}/other"))
    dashboard.click("Save")
    dashboard.wait("field('Webhook URL').getAttribute('aria-invalid')")
    dashboard.sees("nother webhook of the campaign has this URL")
    dashboard.fill("Webhook URL", service.receiver.url(f"{campaign.hook}/new"))
    dashboard.click("Save")
    dashboard.wait(f"{TITLE}.endsWith('/new') && document.body.innerText.includes('No deliveries to this URL yet.')")
    dashboard.open(f"campaigns/{campaign.id}/deliveries?state=pending", "Deliveries")
    dashboard.sees("Newest first.")
    dashboard.click("New sign-up")
    dashboard.click("Send now")
    dashboard.sees("Delivered.")
    assert service.receiver.at(f"{campaign.hook}/new")[0].verified


def test_resending_while_disabled(dashboard, campaign, leadhook, service):
    """nothing is sent before the webhook is enabled: the dialog explains this, and offers to enable it"""
    hook = campaign.webhook("new_signup")["referenceId"]
    campaign.lead(email="a@example.org")
    campaign.delivered(1)
    wait_until(lambda: leadhook("webhook", "show", hook)["last_delivery_at"], 15, "it is recorded")
    leadhook("webhook", "disable", hook)
    dashboard.open(f"campaigns/{campaign.id}/webhooks/{hook}")
    dashboard.click("Remove…")
    dashboard.sees("No more events are sent")
    assert "will fail" not in dashboard.value("top().innerText")
    dashboard.click("Cancel")
    dashboard.click("Resend deliveries…")
    dashboard.choose("Deliveries", "Delivered (the receiver gets them again)")
    dashboard.sees("The webhook is disabled: nothing is sent until it is enabled.")
    dashboard.sees("1 delivery will be resent.")
    dashboard.tick("Enable the webhook first")
    dashboard.sees("1 delivery will be queued. Nothing is sent until the webhook is enabled.")
    dashboard.click("Queue")
    dashboard.sees("Done: 1 delivery queued. 1 of them waits until the webhook accepts deliveries again.")
    dashboard.click("Close")
    [delivery] = service.deliveries({"referenceId": hook})
    dashboard.open(f"campaigns/{campaign.id}/deliveries/{delivery['id']}", "New sign-up")
    dashboard.click("Send now")
    dashboard.sees("1 delivery waits until the webhook is enabled")
    assert len(service.receiver.at(campaign.hook)) == 1
    dashboard.open(f"campaigns/{campaign.id}/webhooks/{hook}")
    dashboard.click("Resend deliveries…")
    dashboard.click("Enable and resend")
    campaign.delivered(2)
    dashboard.click("Close")
    dashboard.wait("button('Disable')")


def test_redirect_to_a_page(dashboard, service, campaign, leadhook):
    """docs/deliveries.md 3.3: a test and a failing webhook show the target and the meaning of a redirect; a button makes redirects
    count as delivered"""
    page = service.receiver.url("/thanks")
    service.receiver.script(campaign.hook, Answer(302, {"Location": "/thanks"}))
    hook = campaign.webhook("new_signup")["referenceId"]
    campaign.lead(email="a@example.org")
    wait_until(lambda: leadhook("webhook", "show", hook)["failures"] == 1, 15, "a failure")
    dashboard.open(f"campaigns/{campaign.id}/webhooks/{hook}")
    dashboard.sees("The receiver has probably done its work and shows a page.")
    assert not dashboard.value("document.body.innerText.includes('breaker')")
    dashboard.click("Send a test")
    dashboard.sees("Failed: HTTP 302 in ")
    dashboard.sees(f"It redirects to {page}.")
    dashboard.click("Count redirects as delivered")
    dashboard.sees("HTTP 302, HTTP 303")
    assert leadhook("webhook", "show", hook)["accepts"] == [302, 303]
    dashboard.click("Send a test")
    dashboard.sees("Success: HTTP 302")
    assert not dashboard.value("button('Count redirects as delivered')")
    dashboard.click("Retry now")
    wait_until(lambda: leadhook("webhook", "show", hook)["pending"] == 0, 15, "the delivery")
    dashboard.click("Edit")
    dashboard.tick("Redirects (302, 303) count as delivered")
    dashboard.click("Save")
    wait_until(lambda: leadhook("webhook", "show", hook)["accepts"] == [], 15, "the setting")
    [delivery] = service.deliveries({"referenceId": hook})
    dashboard.open(f"campaigns/{campaign.id}/deliveries/{delivery['id']}", "New sign-up")
    dashboard.sees(f"Location: {page}")


def test_moved(dashboard, service, campaign, leadhook):
    """docs/deliveries.md 3.3: the new URL is offered in the form, and used once it is saved"""
    new = service.receiver.url(f"{campaign.hook}/new")
    service.receiver.script(campaign.hook, Answer(308, {"Location": new}))
    hook = campaign.webhook("new_signup")["referenceId"]
    dashboard.open(f"campaigns/{campaign.id}/webhooks/{hook}")
    dashboard.click("Send a test")
    dashboard.sees("The receiver says that its URL has moved")
    dashboard.click("Use the new URL…")
    dashboard.wait(f"field('Webhook URL')?.value === '{new}'")
    assert leadhook("webhook", "show", hook)["url"] != new
    dashboard.click("Save")
    wait_until(lambda: leadhook("webhook", "show", hook)["url"] == new, 15, "the new URL")
    dashboard.click("Send a test")
    dashboard.sees("Success: HTTP 200")
