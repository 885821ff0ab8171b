# SPDX-License-Identifier: MIT
"""docs/deliveries.md 2, 3 and 6: what receivers get, and when. docs/api.md 4.7: the events of each operation."""
import signal
import subprocess
import time
import urllib.parse

import pytest
from lock_file import LockFile
from payload import check_payload
from stack.examples import fill
from stack.process import run
from stack.receiver import Answer

ADA = {"email": "ada@example.org"}
SERVICE_NAME = "Lead Service/1.0"
IN_FLIGHT, PER_WEBHOOK = 16, 4


@pytest.fixture(scope="module")
def service(make_service):
    return make_service(settings=[("server", "service_name", SERVICE_NAME), ("dispatch", "in_flight", IN_FLIGHT),
                                  ("dispatch", "per_webhook", PER_WEBHOOK), ("dispatch", "form_urls", "MarketTool, other")])


@pytest.mark.smoke
def test_a_delivery(service, receiver, campaign):
    """docs/deliveries.md 2: method, body, headers, signature; the payload is the full view at the time of the event"""
    campaign.webhook("new_signup")
    lead = campaign.lead(**ADA, plan="gold")
    service.dispatch()
    [delivery] = campaign.delivered(1)
    assert delivery.verified
    assert delivery.headers["content-type"] == "application/json"
    assert delivery.headers["user-agent"] == SERVICE_NAME
    assert abs(int(delivery.headers["webhook-timestamp"]) - time.time()) < 60
    payload = check_payload(delivery.json, extra=["__event"])
    assert payload == {**lead, "__event": "new_signup"}


def test_a_lead_without_a_key_is_delivered_in_full(service, receiver, campaign):
    """docs/api.md 4.5: webhooks get the full view"""
    campaign.webhook("new_signup")
    campaign.post(ADA, key=None)
    service.dispatch()
    assert check_payload(campaign.delivered(1)[0].json, extra=["__event"])["email"] == ADA["email"]


def test_events_of_sign_ups(service, receiver, campaign):
    """docs/api.md 4.7: new_signup and new_signup_not_excluded once, repeat_signup for each update, with the lead as after each call"""
    campaign.webhook("new_signup", "new_signup_not_excluded", "repeat_signup")
    for _ in range(3):
        campaign.lead(**ADA)
    service.dispatch()
    payloads = [delivery.json for delivery in campaign.delivered(4)]
    assert sorted(payload["__event"] for payload in payloads) == \
        ["new_signup", "new_signup_not_excluded", "repeat_signup", "repeat_signup"]
    assert sorted(payload["counter"] for payload in payloads if payload["__event"] == "repeat_signup") == [2, 3]


def test_only_subscribed_events(service, receiver, campaign):
    """docs/api.md 4.7: without a subscribed webhook there is no row"""
    campaign.webhook("repeat_signup")
    campaign.lead(**ADA)
    campaign.lead(**ADA)
    service.dispatch()
    assert [delivery.event for delivery in campaign.delivered(1)] == ["repeat_signup"]


def test_each_webhook_has_its_own_deliveries(service, receiver, campaign):
    """docs/deliveries.md 2: webhook-id is unique for event and webhook; each is signed with its own secret"""
    campaign.webhook("new_signup")
    second = campaign.post({"url": receiver.url(campaign.hook + "/2"), "event": "new_signup"}, path="/outbound-webhook").json
    receiver.secrets.append(second["secret"])
    campaign.lead(**ADA)
    service.dispatch()
    one, two = campaign.delivered(1)[0], receiver.wait_for(1, path=campaign.hook + "/2")[0]
    assert one.headers["webhook-id"] != two.headers["webhook-id"] and one.body == two.body
    assert one.verified and two.verified


@pytest.mark.parametrize("host, typed, target", [
    ("127.0.0.1", "/ä-{}?ö=1&x[]={{}}#ü", "/%C3%A4-{}?%C3%B6=1&x%5B%5D=%7B%7D"),
    ("１２７。0。0。1", "/{}", "/{}"), ("127.1", "?{}", "/?{}")])
def test_urls_are_converted_to_ascii(service, receiver, campaign, host, typed, target):
    """docs/deliveries.md 1, 2: hosts in any script are reached, path and query are percent-encoded; the URL is shown as typed"""
    url, target = f"http://{host}:{receiver.port}{typed.format(campaign.id)}", target.format(campaign.id)
    response = campaign.post({"url": url, "event": "new_signup"}, path="/outbound-webhook")
    assert response.status == 200
    receiver.secrets.append(response.json["secret"])
    campaign.lead(**ADA)
    service.dispatch()
    [delivery] = receiver.wait_for(1, path=target)
    assert delivery.verified and delivery.headers["host"] == f"127.0.0.1:{receiver.port}"
    [listed] = campaign.get({}, path="/outbound-webhook").json
    assert listed["url"] == url and listed["last_status"] == 200


def test_form_format(service, receiver, campaign):
    """docs/deliveries.md 2 form: nested values with brackets, null is empty, booleans are words, empty arrays and objects are omitted"""
    campaign.webhook("new_signup", format="form")
    lead = campaign.lead(**ADA, plan="x & y", list=["a", "b"])
    service.dispatch()
    [delivery] = campaign.delivered(1)
    assert delivery.verified and delivery.headers["content-type"] == "application/x-www-form-urlencoded"
    pairs = urllib.parse.parse_qsl(delivery.body.decode(), keep_blank_values=True, strict_parsing=True)
    fields = dict(pairs)
    assert len(pairs) == len(fields)
    assert fields["custom_fields[plan]"] == "x & y"
    assert (fields["custom_fields[list][0]"], fields["custom_fields[list][1]"]) == ("a", "b")
    assert fields["phone_number"] == "" and fields["verified"] == "false" and fields["social_id"] == lead["social_id"]
    assert fields["__event"] == "new_signup" and fields["influence[direct]"] == "0"
    assert not any(name.startswith(("tags", "utm", "completed_actions")) for name in fields)


@pytest.mark.parametrize("below, form", [("/markettool/in", True), ("/in?to=MARKETTOOL", True), ("/an-Other", True), ("/market", False)])
def test_form_urls(service, receiver, campaign, below, form):
    """docs/deliveries.md 2 form: a configured word counts anywhere in the URL, in any case"""
    campaign.webhook("new_signup", below=below)
    campaign.lead(**ADA)
    service.dispatch()
    [delivery] = receiver.wait_for(1, path=campaign.hook + below)
    assert delivery.headers["content-type"] == ("application/x-www-form-urlencoded" if form else "application/json")
    assert delivery.verified


@pytest.mark.parametrize("status", [200, 201, 204, 299])
def test_success(service, receiver, campaign, status):
    """docs/deliveries.md 2 Success: 2xx"""
    webhook = campaign.webhook("new_signup")
    receiver.script(campaign.hook, Answer(status))
    campaign.lead(**ADA)
    service.dispatch()
    listed = campaign.get({}, path="/outbound-webhook").json[0]
    assert listed["last_status"] == status and listed["state"] == "active" and listed["last_delivery_at"]
    [row] = service.deliveries(webhook)
    assert (row["state"], row["attempts"], row["last_status"]) == ("delivered", 1, status)


def test_an_event_without_a_row(service, receiver, campaign):
    """docs/deliveries.md 3: a delivery whose payload cannot be read is retried by its schedule, and the others are sent"""
    webhook = campaign.webhook("new_signup")
    campaign.lead(**ADA)
    service.installation.sql(f"DELETE FROM lh_events WHERE campaign_id = {campaign.id}")
    campaign.lead(email="b@example.org")
    service.dispatch()
    [delivery] = campaign.delivered(1)
    assert delivery.json["email"] == "b@example.org"
    due = f"SELECT attempts, last_error FROM lh_due WHERE webhook_id = {webhook['referenceId']}"
    assert service.installation.sql(due).split() == ["1", "unreadable"]
    assert campaign.get({}, path="/outbound-webhook").json[0]["state"] == "active"


@pytest.mark.slow
def test_the_first_retry_comes_after_5_seconds(service, receiver, campaign):
    """docs/deliveries.md 3 Schedule: +-20 %, plus the daemon's poll interval and the attempt itself"""
    campaign.webhook("new_signup")
    receiver.script(campaign.hook, Answer(500), Answer(200))
    campaign.lead(**ADA)
    service.dispatcher.start()
    try:
        first, second = campaign.delivered(2, deadline=20)
    finally:
        service.dispatcher.stop()
    assert 3 <= int(second.headers["webhook-timestamp"]) - int(first.headers["webhook-timestamp"]) <= 8


@pytest.mark.slow
@pytest.mark.parametrize("status", [429, 503, 500])
def test_retry_after_is_a_floor(service, receiver, campaign, status):
    """docs/deliveries.md 3 Retry-After: 429 and 503 delay the whole webhook, other statuses that delivery"""
    campaign.webhook("new_signup")
    receiver.script(campaign.hook, Answer(status, {"Retry-After": "3600"}), Answer(200))
    campaign.lead(**ADA)
    service.dispatch()
    campaign.delivered(1)
    campaign.lead(email="b@example.org")
    service.dispatch()
    assert len(receiver.at(campaign.hook)) == (2 if status == 500 else 1)


def states(service, webhook):
    return sorted(((row["state"], row["attempts"], row["due_at"]) for row in service.deliveries(webhook)), key=lambda row: row[1])


def fail_first(service, receiver, campaign, *answers):
    """Return a webhook with a delivery that waits for its retry; the receiver will then give `answers`."""
    webhook = campaign.webhook("new_signup")
    receiver.script(campaign.hook, Answer(500, {"Retry-After": "3600"}), *answers)
    campaign.lead(**ADA)
    service.dispatch()
    [(state, attempts, due_at)] = states(service, webhook)
    assert (state, attempts) == ("pending", 1) and due_at
    return webhook


def test_gone_disables(service, receiver, campaign):
    """docs/deliveries.md 1.1, 3 410: nothing more is sent; later events wait, and each is sent once when the webhook is enabled"""
    webhook = fail_first(service, receiver, campaign, Answer(410))
    campaign.lead(email="b@example.org")
    service.dispatch()
    [listed] = campaign.get({}, path="/outbound-webhook").json
    assert listed["state"] == "disabled" and listed["last_status"] == 410
    campaign.lead(email="c@example.org")
    service.dispatch()
    assert len(receiver.at(campaign.hook)) == 2
    assert [state for state, *_ in states(service, webhook)] == ["pending"] * 3
    receiver.script(campaign.hook, Answer(200))
    service.installation.admin("webhook", "enable", str(webhook["referenceId"]))
    service.installation.admin("delivery", "redeliver", "--webhook", str(webhook["referenceId"]))
    service.dispatch()
    assert {state for state, *_ in states(service, webhook)} == {"delivered"}
    last = {one.json["email"]: one for one in receiver.at(campaign.hook)[2:]}
    assert sorted(last) == [ADA["email"], "b@example.org", "c@example.org"] and len(receiver.at(campaign.hook)) == 5
    assert receiver.at(campaign.hook)[0].body == last[ADA["email"]].body, "the payload of then"


def test_deleting_a_webhook_ends_its_pending_deliveries(service, receiver, campaign):
    """docs/deliveries.md 1 DELETE: pending deliveries are never sent, and end with the next run, due or not"""
    webhook = fail_first(service, receiver, campaign)
    campaign.lead(email="b@example.org")
    response = campaign.client.request("DELETE", campaign.path + "/outbound-webhook", key=campaign.key,
                                       query={"url": receiver.url(campaign.hook)})
    assert response.status == 200
    said = run("a dry run", [service.installation.program("leadhook-dispatch"), "--config", service.installation.config,
                             "--dry-run"]).splitlines()
    assert f"webhook {webhook['referenceId']} was removed: its pending deliveries will be ended" in said
    assert not any(line.startswith(f"webhook {webhook['referenceId']} is due") for line in said)
    service.dispatch()
    assert states(service, webhook) == [("failed", 0, None), ("failed", 1, None)]
    assert len(receiver.at(campaign.hook)) == 1


def test_a_failed_attempt_is_recorded(service, receiver, campaign):
    """docs/deliveries.md 2, 3: after a failed attempt the delivery is pending, with one attempt and its last status"""
    webhook = campaign.webhook("new_signup")
    receiver.script(campaign.hook, Answer(302, {"Location": receiver.url("/elsewhere")}))
    campaign.lead(**ADA)
    service.dispatch()
    [row] = service.deliveries(webhook)
    assert (row["state"], row["event"], row["attempts"], row["last_status"]) == ("pending", "new_signup", 1, 302)
    assert receiver.at("/elsewhere") == []


@pytest.mark.slow
def test_a_hanging_receiver_does_not_delay_the_others(service, account, receiver, campaign):
    """docs/deliveries.md 4 Fairness: more hanging deliveries than slots occupy only one webhook's share of the slots"""
    other = service.campaign(account)
    campaign.webhook("new_signup")
    other.webhook("new_signup")
    receiver.script(campaign.hook, Answer(hang=True))
    for number in range(2 * IN_FLIGHT):
        campaign.lead(email=f"{number}@example.org")
    service.dispatcher.start()
    try:
        campaign.delivered(PER_WEBHOOK)
        for number in range(3):
            other.lead(email=f"{number}@example.org")
            other.delivered(number + 1, deadline=3)
        assert len(campaign.delivered(1)) == PER_WEBHOOK
    finally:
        receiver.released.set()
        service.dispatcher.stop(seconds=30)
        receiver.released.clear()


def test_idle_daemon_polls_often(service, receiver, campaign):
    """leadhook.conf(5) poll_interval: an idle daemon wakes at least every 200 ms"""
    campaign.webhook("new_signup")
    service.dispatcher.start()
    try:
        campaign.lead(**ADA)
        campaign.delivered(1)
        for number in range(5):
            campaign.lead(email=f"{number}@example.org")
            campaign.delivered(2 + number, deadline=1.5)
    finally:
        assert service.dispatcher.stop() == 0


def test_the_cron_line(service, receiver, campaign):
    """docs/operating.md 7: the shipped crontab, as cron runs it: assignments form the environment, the rest goes to sh"""
    table = fill("crontab", leadhook_dispatch=service.installation.program("leadhook-dispatch"),
                 leadhook_config=service.installation.config)
    lines = [line for line in table.splitlines() if line and not line.startswith("#")]
    environment = dict(line.split("=", 1) for line in lines if not line.startswith("*"))
    [command] = [line.split(maxsplit=5)[5] for line in lines if line.startswith("*")]
    campaign.webhook("new_signup")
    campaign.lead(**ADA)
    run("the cron line", ["env", "-i", "PATH=/usr/bin:/bin", *[f"{name}={value}" for name, value in environment.items()],
                          "/bin/sh", "-c", command])
    campaign.delivered(1)


def test_a_second_dispatcher_with_the_same_lock_ends_at_once(service, receiver, campaign):
    """leadhook-dispatch(8): it ends without output, with success; the first dispatcher continues"""
    campaign.webhook("new_signup")
    service.dispatcher.start()
    try:
        campaign.lead(**ADA)
        campaign.delivered(1)
        said = service.dispatcher.log.stat().st_size
        assert service.installation.dispatch(max_runtime=30, seconds=5) == 0
        assert service.dispatcher.log.stat().st_size == said
        assert service.dispatcher.alive()
    finally:
        assert service.dispatcher.stop() == 0


def test_a_second_daemon_with_the_same_lock_logs_why_it_ends(service):
    """leadhook-dispatch(8), DIAGNOSTICS: it ends with success, and logs the path of the file"""
    lock, other = LockFile(service.installation.setting("dispatch", "lock_file")), service.dispatcher
    other.start().ready(lock.is_held)
    try:
        done = subprocess.run(other.argv, timeout=20, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stdout) == (0, "")
        [line] = done.stderr.splitlines()
        assert " warning leadhook-dispatch[" in line and f" already_running lock_file={lock.path} hint=" in line
        assert other.alive()
    finally:
        assert other.stop() == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.slow
def test_graceful_end_finishes_attempts_under_way(service, receiver, campaign, number):
    """leadhook-dispatch(8) TERM, INT: it claims nothing more, records results and exits with 0"""
    campaign.webhook("new_signup")
    receiver.script(campaign.hook, Answer(delay=2))
    campaign.lead(**ADA)
    service.dispatcher.start()
    campaign.delivered(1)
    assert service.dispatcher.stop(number) == 0
    receiver.script(campaign.hook, Answer())
    service.dispatch()
    assert len(receiver.at(campaign.hook)) == 1, "the result was not recorded"
