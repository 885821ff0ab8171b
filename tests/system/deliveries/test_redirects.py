# SPDX-License-Identifier: MIT
"""docs/deliveries.md 3.3: receivers that answer with a redirect after they have done their work: how this is reported, and
`accepts`."""
import json

import pytest
from command import DATA, OK, UNAVAILABLE, call
from stack.process import wait_until
from stack.receiver import Answer

BREAKER_FAILURES = 2
PAGE = "https://script.hooks.example/macros/echo?user=1"


@pytest.fixture(scope="module")
def service(make_service):
    return make_service(settings=[("dispatch", "schedule", "1s 1s"), ("dispatch", "breaker_failures", BREAKER_FAILURES),
                                  ("dispatch", "attempt_timeout", "5s")])


@pytest.fixture
def webhook(campaign):
    return campaign.webhook("new_signup")["referenceId"]


def tried(service, webhook):
    """Return status, result, and the explanation for people."""
    done = call(service.installation, "webhook", "test", str(webhook), "--json")
    return done.returncode, json.loads(done.stdout), done.stderr


@pytest.mark.parametrize("status", [301, 307, 308])
def test_moved(service, receiver, campaign, webhook, status):
    """the output has a command line with the new URL, which is absolute and quoted"""
    receiver.script(campaign.hook, Answer(status, {"Location": "/new path/?a=1&b=2"}))
    code, result, said = tried(service, webhook)
    moved = f"http://127.0.0.1:{receiver.port}/new%20path/?a=1&b=2"
    assert (code, result["ok"], result["status"], result["location"]) == (UNAVAILABLE, False, status, moved)
    assert f"leadhook webhook set {webhook} url='{moved}'" in said and "accepts" not in said


@pytest.mark.parametrize("status", [302, 303])
def test_page_shown(service, receiver, campaign, webhook, status):
    """the output names the setting that makes this count as delivered; with it, the test succeeds"""
    receiver.script(campaign.hook, Answer(status, {"Location": PAGE}))
    code, result, said = tried(service, webhook)
    assert (code, result["ok"], result["location"]) == (UNAVAILABLE, False, PAGE)
    assert f"leadhook webhook set {webhook} accepts=302,303" in said and "log in" in said
    service.installation.admin("webhook", "set", str(webhook), "accepts=302,303")
    receiver.script(campaign.hook, Answer(status, {"Location": PAGE}))
    code, result, said = tried(service, webhook)
    assert (code, result["ok"], result["status"]) == (OK, True, status) and "accepts" not in said


@pytest.mark.parametrize("status", [302, 303])
def test_another_spelling(service, leadhook, receiver, campaign, webhook, status):
    """the web server's own redirect to the URL with a slash is never accepted, because nothing was done; the new URL is
    suggested"""
    leadhook("webhook", "set", webhook, "accepts=302,303")
    receiver.script(campaign.hook, Answer(status, {"Location": f"{campaign.hook}/"}))
    code, result, said = tried(service, webhook)
    moved = receiver.url(f"{campaign.hook}/")
    assert (code, result["ok"], result["moved"], result["location"]) == (UNAVAILABLE, False, True, moved)
    assert f"leadhook webhook set {webhook} url='{moved}'" in said and "accepts" not in said
    campaign.lead(email="a@example.org")
    service.dispatch()
    assert leadhook("webhook", "show", webhook)["pending"] == 1
    leadhook("webhook", "set", webhook, f"url={moved}")
    wait_until(lambda: service.dispatch() or leadhook("webhook", "show", webhook)["pending"] == 0, 15, "the delivery")
    assert len(receiver.at(f"{campaign.hook}/")) == 1


def test_a_page_that_shows_itself(service, leadhook, receiver, campaign, webhook):
    """a redirect to the same URL means that the form has done its work"""
    leadhook("webhook", "set", webhook, "accepts=302,303")
    receiver.script(campaign.hook, Answer(303, {"Location": campaign.hook}))
    code, result, _ = tried(service, webhook)
    assert (code, result["ok"], result["moved"]) == (OK, True, False)


@pytest.mark.parametrize("location, shown", [
    ("https://moved.example/'; reboot; '", "https://moved.example/'"), ("ftp://moved.example/a", "ftp://moved.example/a"),
    ("https://moved.example/" + "x" * 3000, "https://moved.example/" + "x" * 487 + "..."),
    ("http://[broken/\x1b]0;title\x07", ""), ("https://user:secret@moved.example/", "https://")])
def test_hostile_targets(service, receiver, campaign, webhook, location, shown):
    """there is no command line if the target contains quotes, was cut, or is not a valid URL for a webhook, and never a control
    character"""
    receiver.script(campaign.hook, Answer(301, {"Location": location}))
    _, result, said = tried(service, webhook)
    assert result["status"] in (301, None) and "webhook set" not in said
    assert (result["location"] or "").startswith(shown) and len(result["location"] or "") <= 512
    assert "\x1b" not in said and "\x07" not in said and "\x1b" not in (result["location"] or "")


def test_without_a_target(service, receiver, campaign, webhook):
    """302 without Location, and 300 and 304, which are no valid answers to a POST"""
    for status in (302, 300, 304):
        receiver.script(campaign.hook, Answer(status))
        code, result, said = tried(service, webhook)
        assert (code, result["status"], result["location"]) == (UNAVAILABLE, status, None)
        assert "must answer 2xx" in said and "accepts" not in said


@pytest.mark.parametrize("value, accepted", [
    ("302", [302]), ("303 302", [302, 303]), ("302,302,303", [302, 303]), ("", []),
    *((bad, None) for bad in ("301", "3xx", "200", "302;303", "0302", "404"))])
def test_setting(service, leadhook, webhook, value, accepted):
    """the setting is a set of statuses, except for those that mean that the work was not done"""
    done = call(service.installation, "webhook", "set", str(webhook), f"accepts={value}", "--json")
    assert done.returncode == (DATA if accepted is None else OK)
    assert leadhook("webhook", "show", webhook)["accepts"] == (accepted or [])


def test_taken_once(service, leadhook, receiver, campaign, webhook):
    """with `accepts`, each delivery is sent once, the breaker stays closed, and the target is stored; the counts contain no
    errors"""
    leadhook("webhook", "set", webhook, "accepts=302,303")
    receiver.script(campaign.hook, Answer(302, {"Location": "/thanks"}, b"<p>Moved"))
    campaign.leads(BREAKER_FAILURES + 2)
    service.dispatch()
    assert len(receiver.at(campaign.hook)) == BREAKER_FAILURES + 2
    shown = leadhook("webhook", "show", webhook)
    assert (shown["state"], shown["breaker"], shown["pending"], shown["last_status"]) == ("active", "closed", 0, 302)
    [one, *_] = leadhook("delivery", "list", "--webhook", webhook)
    assert one["state"] == "delivered"
    [attempt] = leadhook("delivery", "show", one["id"])["log"]
    assert attempt["answer"] == f"Location: http://127.0.0.1:{receiver.port}/thanks\n\n<p>Moved"
    totals = leadhook("webhook", "stats", webhook)["totals"]
    assert (totals["delivered"], totals["answers_3xx"], totals["failed"]) == (BREAKER_FAILURES + 2, 0, 0)


def test_not_taken(service, leadhook, receiver, campaign, webhook):
    """without `accepts`, redirects are retried; the log of attempts has the target, the dispatcher's log only its host"""
    receiver.script(campaign.hook, Answer(302, {"Location": "https://pages.example/done?token=abc"}))
    campaign.leads(BREAKER_FAILURES)
    service.dispatch()
    shown = leadhook("webhook", "show", webhook)
    assert (shown["state"], shown["breaker"], shown["last_status"]) == ("failing", "open", 302)
    [one, *_] = leadhook("delivery", "list", "--webhook", webhook)
    assert leadhook("delivery", "show", one["id"])["log"][0]["answer"] == "Location: https://pages.example/done?token=abc\n\n"
    log = (service.installation.folder / "dispatch.log").read_text()
    assert "redirects_to=pages.example" in log and "token" not in log
    again = call(service.installation, "webhook", "add", str(campaign.id), receiver.url(campaign.hook), "new_signup")
    assert again.returncode == OK and f"redirect (302), and gets each delivery again: leadhook webhook test {webhook}" in again.stderr
