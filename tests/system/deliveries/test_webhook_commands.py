# SPDX-License-Identifier: MIT
"""docs/operating.md 4, docs/deliveries.md 1 to 3 and 6: showing, changing and testing webhooks as an operator."""
import json

import pytest
from command import DATA, NO_ID, OK, UNAVAILABLE, call, is_time
from database_proxy import AFTER, DatabaseProxy
from payload import check_payload
from stack.front import free_port
from stack.process import wait_until
from stack.receiver import Answer, verified

ADA = {"email": "ada@example.org"}
TEMPFAIL = 75
SERVICE_NAME = "Lead Service/1.0"
BREAKER_FAILURES = 2

LISTED = ["referenceId", "url", "events", "source", "format", "state", "failing_since", "last_status", "last_delivery_at"]
SHOWN = [*LISTED, "campaign", "gone", "last_error", "failures", "breaker", "held_until", "schedule", "accepts", "rate", "ca_file",
         "client_certificate", "client_key", "previous_secret_until", "pending", "oldest_due"]
UNSET = ["schedule", "rate", "ca_file", "client_certificate", "client_key"]


@pytest.fixture(scope="module")
def service(make_service):
    return make_service(settings=[("server", "service_name", SERVICE_NAME), ("dispatch", "rotation_overlap", "1h"),
                                  ("dispatch", "breaker_failures", BREAKER_FAILURES), ("dispatch", "breaker_wait", "1h"),
                                  ("dispatch", "attempt_timeout", "2s"), ("dispatch", "connect_timeout", "1s")])


@pytest.fixture
def webhook(campaign):
    """A webhook for new leads; its id."""
    return campaign.webhook("new_signup")["referenceId"]


def set_webhook(service, webhook, *settings):
    """Return status, output and stderr of `webhook set`."""
    done = call(service.installation, "webhook", "set", str(webhook), *settings, "--json")
    return done.returncode, json.loads(done.stdout) if done.stdout else None, done.stderr


# --- show ---

def test_show(leadhook, campaign, webhook):
    """docs/operating.md 4 webhook show: all fields, including those of the list, and never a secret"""
    shown = leadhook("webhook", "show", webhook)
    [listed] = leadhook("webhook", "list", campaign.id)
    assert list(shown) == SHOWN and list(listed) == [*LISTED, "gone", "oldest_due", "last_24_hours"]
    assert all(shown[name] == listed[name] for name in listed if name != "last_24_hours")
    assert (shown["campaign"], shown["failures"], shown["breaker"], shown["pending"]) == (campaign.id, 0, "closed", 0)
    assert all(shown[name] is None for name in
               (*UNSET, "last_error", "held_until", "previous_secret_until", "oldest_due"))
    assert shown["accepts"] == []
    assert "whsec" not in json.dumps(shown)


def test_show_pending(service, leadhook, receiver, campaign, webhook):
    """docs/operating.md 4 webhook show, 3 Breaker: shows pending deliveries, since when they wait, and why"""
    receiver.script(campaign.hook, Answer(500))
    campaign.leads(BREAKER_FAILURES)
    waiting = leadhook("webhook", "show", webhook)
    assert waiting["pending"] == BREAKER_FAILURES and is_time(waiting["oldest_due"])
    service.dispatch()
    shown = leadhook("webhook", "show", webhook)
    assert (shown["state"], shown["failures"], shown["breaker"], shown["pending"]) == \
        ("failing", BREAKER_FAILURES, "open", BREAKER_FAILURES)
    assert is_time(shown["held_until"]) and shown["held_until"] > shown["failing_since"]
    assert (shown["last_status"], shown["last_error"]) == (500, None)
    leadhook("webhook", "disable", webhook)
    assert leadhook("webhook", "show", webhook)["breaker"] == "closed", "nothing is sent in any case"


def test_output_for_people(service, webhook):
    """docs/operating.md 4: one field per line, no JSON, no secret"""
    done = call(service.installation, "webhook", "show", str(webhook))
    lines = dict(line.split(maxsplit=1) for line in done.stdout.splitlines())
    assert done.returncode == OK and list(lines) == SHOWN and "whsec" not in done.stdout
    assert (lines["referenceId"], lines["breaker"], lines["schedule"]) == (str(webhook), "closed", "-")


# --- enable, disable ---

def test_disable_and_enable(service, leadhook, receiver, campaign, webhook):
    """docs/deliveries.md 3 Disabling: pending and new deliveries wait; enabling resumes them at once; both commands may be
    repeated"""
    for _ in range(2):
        assert leadhook("webhook", "disable", webhook)["state"] == "disabled"
    campaign.leads(3)
    service.dispatch()
    assert receiver.at(campaign.hook) == [] and leadhook("webhook", "show", webhook)["pending"] == 3
    for _ in range(2):
        shown = leadhook("webhook", "enable", webhook)
        assert list(shown) == SHOWN and (shown["state"], shown["pending"]) == ("active", 3)
    service.dispatch()
    assert all(one.verified for one in campaign.delivered(3)) and leadhook("webhook", "show", webhook)["pending"] == 0


def test_enabling_clears_failures(service, leadhook, receiver, campaign, webhook):
    """docs/deliveries.md 3: failing since, failures and the breaker's wait are cleared, also in a running daemon"""
    receiver.script(campaign.hook, Answer(500))
    service.dispatcher.start()
    try:
        campaign.leads(BREAKER_FAILURES)
        wait_until(lambda: leadhook("webhook", "show", webhook)["breaker"] == "open", 10, "the breaker is open")
        leadhook("webhook", "disable", webhook)
        receiver.script(campaign.hook, Answer(200))
        campaign.lead(email="new@example.org")
        shown = leadhook("webhook", "enable", webhook)
        assert (shown["failures"], shown["failing_since"], shown["held_until"], shown["breaker"]) == (0, None, None, "closed")
        campaign.delivered(BREAKER_FAILURES + 1)
        wait_until(lambda: leadhook("webhook", "show", webhook)["last_delivery_at"], 10, "the outcome is recorded")
    finally:
        service.dispatcher.stop()


def test_enable_after_410(service, leadhook, receiver, campaign, webhook):
    """docs/deliveries.md 1.1 410: deliveries wait; once enabled, all are sent"""
    receiver.script(campaign.hook, Answer(410), Answer(200))
    campaign.lead(**ADA)
    service.dispatch()
    shown = leadhook("webhook", "disable", webhook)
    assert (shown["state"], shown["gone"]) == ("disabled", True)
    campaign.lead(email="b@example.org")
    assert leadhook("webhook", "show", webhook)["pending"] == 2
    [waiting, _] = leadhook("delivery", "list", "--webhook", webhook)
    assert waiting["waiting_for"] == "disabled"
    shown = leadhook("webhook", "enable", webhook)
    assert (shown["state"], shown["gone"]) == ("active", False)
    service.dispatch()
    assert [one.json["email"] for one in campaign.delivered(2)][1] == "b@example.org"


@pytest.mark.parametrize("by_command", [False, True])
def test_registered_again_after_410(service, leadhook, receiver, campaign, webhook, by_command):
    """docs/deliveries.md 1 same URL again, 3 410: registering the webhook again enables it; the id stays the same"""
    receiver.script(campaign.hook, Answer(410), Answer(200))
    campaign.lead(**ADA)
    service.dispatch()
    assert leadhook("webhook", "show", webhook)["gone"]
    if by_command:
        assert leadhook("webhook", "add", campaign.id, receiver.url(campaign.hook), "new_signup")["id"] == webhook
    else:
        assert campaign.webhook("new_signup")["referenceId"] == webhook
    shown = leadhook("webhook", "show", webhook)
    assert (shown["state"], shown["gone"], shown["failures"]) == ("active", False, 0)
    campaign.lead(email="b@example.org")
    service.dispatch()
    assert len(campaign.delivered(2)) >= 2


def test_disabled_webhook_added_again_stays_disabled(service, leadhook, receiver, campaign, webhook):
    """docs/deliveries.md 3 Disabling: adding it again prints a warning"""
    leadhook("webhook", "disable", webhook)
    done = call(service.installation, "webhook", "add", str(campaign.id), receiver.url(campaign.hook), "new_signup")
    assert done.returncode == OK and f"webhook {webhook} is disabled" in done.stderr
    assert leadhook("webhook", "show", webhook)["state"] == "disabled"


def test_enabling_ends_a_hold(service, leadhook, receiver, campaign, webhook):
    """docs/deliveries.md 3 Retry-After, 6: after enabling, deliveries are not delayed by the receiver's Retry-After or the
    breaker"""
    receiver.script(campaign.hook, Answer(429, {"Retry-After": "86400"}), Answer(200))
    campaign.lead(**ADA)
    service.dispatch()
    campaign.lead(email="b@example.org")
    service.dispatch()
    held = leadhook("webhook", "show", webhook)
    assert held["state"] == "failing" and is_time(held["held_until"]) and len(receiver.at(campaign.hook)) == 1
    shown = leadhook("webhook", "enable", webhook)
    assert (shown["state"], shown["held_until"], shown["failures"]) == ("active", None, 0)
    service.dispatch()
    assert len(campaign.delivered(2)) == 2


# --- rotate ---

def signatures(delivery):
    return delivery.headers["webhook-signature"].split(" ")


def test_rotate(service, leadhook, receiver, campaign):
    """docs/deliveries.md 2 Headers: after a rotation there are two signatures until the old secret expires; then only the new
    one"""
    made = campaign.webhook("new_signup")
    webhook, old = made["referenceId"], made["secret"]
    answer = leadhook("webhook", "rotate", webhook)
    new = answer["secret"]
    assert list(answer) == ["secret"] and new.startswith("whsec_") and new != old
    assert is_time(leadhook("webhook", "show", webhook)["previous_secret_until"])
    campaign.lead(**ADA)
    service.dispatch()
    [both] = campaign.delivered(1)
    assert len(signatures(both)) == 2
    assert verified([old], both.headers, both.body) and verified([new], both.headers, both.body)
    service.installation.sql(f"UPDATE lh_webhooks SET previous_until_ms = previous_until_ms - 3600000 WHERE id = {webhook}")
    assert leadhook("webhook", "show", webhook)["previous_secret_until"] is None, "an hour later"
    campaign.lead(email="b@example.org")
    service.dispatch()
    one = campaign.delivered(2)[1]
    assert len(signatures(one)) == 1
    assert verified([new], one.headers, one.body) and not verified([old], one.headers, one.body)


def test_rotate_without_an_overlap(service, leadhook, receiver, campaign, webhook):
    """The setting rotation_overlap: 0 means none"""
    done = call(service.installation, "webhook", "rotate", str(webhook), "--json", env={"LEADHOOK_DISPATCH_ROTATION_OVERLAP": "0s"})
    assert done.returncode == OK, done.stderr
    campaign.lead(**ADA)
    service.dispatch()
    [delivery] = campaign.delivered(1)
    assert len(signatures(delivery)) == 1
    assert verified([json.loads(done.stdout)["secret"]], delivery.headers, delivery.body)


@pytest.mark.parametrize("lost, skipped, status", [(1, 0, OK), (1, 1, OK), (99, 1, TEMPFAIL)])
def test_rotation_with_a_lost_answer(service, database, webhook, make_folder, lost, skipped, status):
    """docs/operating.md 4: the new secret is shown, because it is in use; a single lost answer has no effect. The first COMMIT is
    that of the audit log"""
    proxy = DatabaseProxy(make_folder() / "proxy.sock", database.socket)
    proxy.cut(AFTER, lost, skipped)
    done = call(service.installation, "webhook", "rotate", str(webhook), "--json", env={"LEADHOOK_DATABASE_SOCKET": str(proxy.socket)})
    proxy.close()
    assert done.returncode == status, done.stderr
    stored = service.installation.sql(f"SELECT secret FROM lh_webhooks WHERE id = {webhook}").strip()
    assert json.loads(done.stdout) == {"secret": stored}


# --- set ---

def test_set(service, webhook, make_folder):
    """docs/operating.md 4 webhook set: only named settings change; an empty value clears a setting; for a file that cannot be read
    on this host, there is a warning"""
    file = make_folder() / "pem"
    file.write_text("PEM")
    status, shown, said = set_webhook(service, webhook, "events=verified,fraudulent", "source=crm", "schedule=10s 1m, 2h", "rate=50",
                                      f"ca_file={file}", f"client_certificate={file}", f"client_key={file}")
    assert (status, said) == (OK, "")
    assert (sorted(shown["events"]), shown["source"], shown["schedule"], shown["rate"], shown["format"]) == \
        (["marked_as_fraudulent", "verified"], "crm", "10s 1m, 2h", 50, "json")
    assert shown["ca_file"] == shown["client_certificate"] == shown["client_key"] == str(file)
    status, after, said = set_webhook(service, webhook, "format=form", "ca_file=/nonexistent/ca.pem")
    assert status == OK and after == {**shown, "format": "form", "ca_file": "/nonexistent/ca.pem"}
    assert said == "leadhook: warning: ca_file cannot be read here: /nonexistent/ca.pem\n"
    status, after, said = set_webhook(service, webhook, "source=", "rate=0", *(f"{name}=" for name in UNSET if name != "rate"))
    assert (status, said) == (OK, "") and all(after[name] is None for name in (*UNSET, "source"))


@pytest.mark.parametrize("setting, says", [
    ("url=", "url=: expected an http or https URL"), ("url=hooks.example/a", "must start with http"),
    ("url=https://user:word@hooks.example/", "not valid"), ("url=https://hooks.example/" + "x" * 2048, "2048 bytes"),
    ("url=http://169.254.169.254/", "may not be sent"), ("bogus=1", 'a webhook has no setting "bogus"'), ("events=", "events=: expected"), ("events=new_signup,bogus", "not bogus"),
    ("format=xml", "json or form"), ("schedule=5", "not 5"), ("schedule=8d", "not 8d"), ("schedule=,", "durations"),
    ("schedule=" + ",".join(["1s"] * 33), "durations"), ("schedule=1s" + " " * 254 + "1s", "255 bytes"),
    ("rate=10001", "0 to 10000"), ("rate=-1", "0 to 10000"), ("rate=", "0 to 10000"), ("ca_file=ca.pem", "absolute path"),
    ("client_certificate=/" + "x" * 1024, "absolute path"), ("client_key=/key.pem", "needs a client_certificate")],
    ids=lambda text: text[:20])
def test_set_invalid_values(service, leadhook, refused, webhook, setting, says):
    """docs/operating.md 4, status 65: all or nothing"""
    before = leadhook("webhook", "show", webhook)
    assert says in refused(DATA, "webhook", "set", str(webhook), "source=crm", setting)
    assert leadhook("webhook", "show", webhook) == before


def test_settings_take_effect(service, leadhook, receiver, campaign, webhook):
    """docs/deliveries.md 2 form, 3 Schedule (one per webhook): settings take effect for new deliveries"""
    leadhook("webhook", "set", webhook, "format=form", "schedule=1s", "events=new_signup,repeat_signup")
    receiver.script(campaign.hook, Answer(500))
    campaign.lead(**ADA)
    service.dispatcher.start()
    try:
        first, second = campaign.delivered(2)
        wait_until(lambda: leadhook("delivery", "list", "--webhook", webhook)[0]["state"] == "failed", 10, "the schedule's end")
    finally:
        service.dispatcher.stop()
    assert first.headers["content-type"] == second.headers["content-type"] == "application/x-www-form-urlencoded"
    assert len(receiver.at(campaign.hook)) == 2


def test_another_url(service, leadhook, refused, receiver, campaign, webhook):
    """docs/deliveries.md 1.1 Changed URL: pending deliveries are sent to the new URL at once, no matter what the old receiver did;
    the webhook is found only by the new URL"""
    new = f"{campaign.hook}/new"
    leadhook("webhook", "set", webhook, "schedule=1s 1h")
    receiver.script(campaign.hook, Answer(500))
    receiver.script(new, Answer(200))
    campaign.leads(BREAKER_FAILURES)
    service.dispatcher.start()
    try:
        wait_until(lambda: leadhook("webhook", "show", webhook)["breaker"] == "open", 10, "the breaker is open")
        shown = leadhook("webhook", "set", webhook, f"url={receiver.url(new)}")
        assert shown["url"] == receiver.url(new) and shown["pending"] == BREAKER_FAILURES
        assert (shown["state"], shown["failures"], shown["breaker"], shown["held_until"]) == ("active", 0, "closed", None)
        assert shown["last_status"] is shown["last_error"] is shown["last_delivery_at"] is None
        assert all(one.verified for one in receiver.wait_for(BREAKER_FAILURES, 10, path=new))
    finally:
        service.dispatcher.stop()
    assert len(receiver.at(campaign.hook)) == BREAKER_FAILURES
    assert leadhook("webhook", "set", webhook, f"url={receiver.url(new)}", "rate=3")["rate"] == 3
    assert campaign.delete({"url": receiver.url(campaign.hook)}, path="/outbound-webhook").status == 404
    other = campaign.webhook("new_signup")["referenceId"]
    assert other != webhook
    assert "another webhook of the campaign has this URL" in refused(DATA, "webhook", "set", str(other), f"url={receiver.url(new)}", "rate=9")
    assert leadhook("webhook", "show", other)["rate"] is None


def test_another_url_after_410(service, leadhook, receiver, campaign, webhook):
    """docs/deliveries.md 1.1 Changed URL: a webhook that is gone stays gone until it is enabled"""
    receiver.script(campaign.hook, Answer(410))
    campaign.lead(**ADA)
    service.dispatch()
    assert leadhook("webhook", "set", webhook, f"url={receiver.url(campaign.hook)}/new")["gone"]
    leadhook("webhook", "enable", webhook)
    wait_until(lambda: campaign.lead(email="b@example.org") and leadhook("webhook", "show", webhook)["pending"], 5, "a delivery")
    service.dispatch()
    assert receiver.at(f"{campaign.hook}/new")


# --- test ---

def try_webhook(service, webhook):
    """Return status and output of `webhook test`."""
    done = call(service.installation, "webhook", "test", str(webhook), "--json")
    answer = json.loads(done.stdout)
    assert list(answer) == ["ok", "status", "location", "moved", "error", "duration_ms", "answer"]
    assert bool(done.stderr) == bool(answer["location"]), "only redirects are explained"
    assert answer["ok"] is (done.returncode == OK) and answer["duration_ms"] >= 0
    return done.returncode, answer


def rows(service):
    return [int(service.installation.sql(f"SELECT COUNT(*) FROM lh_{table}"))
            for table in ("events", "due", "deliveries", "attempts", "leads")]


def test_test(service, receiver, campaign, webhook):
    """leadhook(1) test: one signed delivery with `__event` test in full view, by the dispatcher's rules; nothing is stored"""
    receiver.script(campaign.hook, Answer(202, body=b"thanks"))
    before = rows(service)
    for _ in range(2):
        status, answer = try_webhook(service, webhook)
        assert (status, answer["status"], answer["error"], answer["answer"]) == (OK, 202, None, "thanks")
    one, two = receiver.at(campaign.hook)
    assert one.verified and one.headers["content-type"] == "application/json" and one.headers["user-agent"] == SERVICE_NAME
    payload = check_payload(one.json, extra=["__event"])
    assert payload["__event"] == "test" and payload["campaign_id"] == campaign.id and payload["email"]
    assert one.headers["webhook-id"] != two.headers["webhook-id"] and "_test_" in one.headers["webhook-id"]
    assert rows(service) == before


@pytest.mark.parametrize("answer, status, text", [
    (Answer(500, body=b"oops \xff\xfe"), 500, "oops \ufffd\ufffd"), (Answer(302, {"Location": "/elsewhere"}), 302, ""),
    (Answer(410), 410, "")])
def test_test_refused(service, leadhook, receiver, campaign, webhook, answer, status, text):
    """leadhook(1) webhook test: the test is not retried and does not change the webhook; invalid UTF-8 in answers is replaced;
    status 69"""
    receiver.script(campaign.hook, answer)
    before = leadhook("webhook", "show", webhook)
    code, result = try_webhook(service, webhook)
    assert (code, result["status"], result["error"], result["answer"]) == (UNAVAILABLE, status, None, text)
    assert len(receiver.at(campaign.hook)) == 1 and leadhook("webhook", "show", webhook) == before


def test_test_without_an_answer(service, leadhook, campaign):
    """leadhook(1) webhook test: a port where nothing listens, and a receiver that hangs"""
    webhook = leadhook("webhook", "add", campaign.id, f"http://127.0.0.1:{free_port()}/", "new_signup")["id"]
    code, result = try_webhook(service, webhook)
    assert (code, result["status"], result["error"], result["answer"]) == (UNAVAILABLE, None, "refused", None)


def test_test_of_a_forbidden_address(service, receiver, campaign, webhook):
    """docs/deliveries.md 5: addresses are checked at every delivery"""
    done = call(service.installation, "webhook", "test", str(webhook), "--json", env={"LEADHOOK_DISPATCH_ALLOW_NETWORKS": ""})
    assert done.returncode == UNAVAILABLE and json.loads(done.stdout)["error"] == "forbidden_address"
    assert receiver.at(campaign.hook) == []


def test_test_ignores_breaker_and_state(service, leadhook, receiver, campaign, webhook):
    """leadhook(1) webhook test: it works with an open breaker and in any state, and sends a form if that is the webhook's format"""
    receiver.script(campaign.hook, Answer(500))
    campaign.leads(BREAKER_FAILURES)
    service.dispatch()
    assert leadhook("webhook", "show", webhook)["breaker"] == "open"
    receiver.script(campaign.hook, Answer(200))
    assert try_webhook(service, webhook)[0] == OK
    leadhook("webhook", "disable", webhook)
    leadhook("webhook", "set", webhook, "format=form")
    assert try_webhook(service, webhook)[0] == OK
    last = receiver.at(campaign.hook)[-1]
    assert last.verified and b"__event=test" in last.body
    assert last.headers["content-type"] == "application/x-www-form-urlencoded"


def test_test_for_people(service, receiver, campaign, webhook):
    """docs/operating.md 4: text output"""
    receiver.script(campaign.hook, Answer(200, body=b"\x1b[31mred"))
    done = call(service.installation, "webhook", "test", str(webhook))
    assert done.returncode == OK and "answer       ?[31mred" in done.stdout and done.stdout.startswith("ok           yes\n")


# --- missing webhooks ---

@pytest.mark.parametrize("command", ["show", "enable", "disable", "rotate", "test", "set {} rate=1"])
def test_missing_webhook(refused, command):
    """docs/operating.md 4, status 65"""
    words = (command if "{}" in command else command + " {}").format(NO_ID).split()
    assert "there is no such webhook" in refused(DATA, "webhook", *words)
    assert "not a valid id of a webhook" in refused(DATA, "webhook", words[0], "x", *words[2:])


def test_status_of_webhooks(service, leadhook, receiver, campaign, webhook):
    """docs/operating.md 4 status: failing and disabled webhooks"""
    before = leadhook("status")
    receiver.script(campaign.hook, Answer(500))
    campaign.lead(**ADA)
    service.dispatch()
    assert leadhook("status")["webhooks_failing"] == before["webhooks_failing"] + 1
    leadhook("webhook", "disable", webhook)
    after = leadhook("status")
    assert (after["webhooks_failing"], after["webhooks_disabled"]) == (before["webhooks_failing"], before["webhooks_disabled"] + 1)


def test_health_in_lists(service, leadhook, receiver, campaign):
    """docs/operating.md 4 webhook list: pending deliveries, the attempts of the last day, and whether the receiver has answered 410"""
    receiver.script(campaign.hook, Answer(503), Answer(200), Answer(410))
    hook = campaign.webhook("new_signup")["referenceId"]
    silent = leadhook("webhook", "add", campaign.id, "https://hooks.example/a", "deleted")["id"]

    def health(webhook=hook):
        [row] = [row for row in leadhook("webhook", "list", campaign.id) if row["referenceId"] == webhook]
        return row["gone"], row["oldest_due"], row["last_24_hours"]
    assert health() == (False, None, {"attempts": 0, "delivered": 0, "failed": 0})
    campaign.lead(**ADA)
    gone, due, counts = health()
    assert (gone, counts["attempts"]) == (False, 0) and is_time(due)
    service.dispatch()
    gone, later, counts = health()
    assert counts == {"attempts": 1, "delivered": 0, "failed": 0} and later > due, "the next attempt"
    leadhook("delivery", "redeliver", service.deliveries({"referenceId": hook})[0]["id"])
    service.dispatch()
    assert health() == (False, None, {"attempts": 2, "delivered": 1, "failed": 0})
    campaign.lead(email="b@example.org")
    service.dispatch()
    gone, due, counts = health()
    assert gone and is_time(due) and counts == {"attempts": 3, "delivered": 1, "failed": 0}
    assert health(silent) == (False, None, {"attempts": 0, "delivered": 0, "failed": 0})
    service.installation.sql(f"UPDATE lh_webhook_hours SET hour = hour - 24 WHERE webhook_id = {hook}")
    assert health()[2]["attempts"] == 0
