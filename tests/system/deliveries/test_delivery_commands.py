# SPDX-License-Identifier: MIT
"""docs/operating.md 4, docs/deliveries.md 3 and 6: the state of a delivery, why it waits, and sending it again."""
import json

import pytest
from caller import Caller
from command import DATA, NO_ID, OK, USAGE, call, is_aligned, is_time
from deliveries import delivery_id
from stack.front import free_port
from stack.process import Child, wait_until
from stack.receiver import Answer

ADA = {"email": "ada@example.org"}
BREAKER_FAILURES = 2
ATTEMPTS = 2
CONCURRENCY = 4  # dispatch.initial_concurrency
DURING = 5  # seconds of an attempt, in which two commands run

LISTED = ["id", "webhook_id", "event", "lead", "state", "attempts", "due_at", "last_status", "last_error", "waiting_for",
          "created_at", "lead_name", "lead_email"]
SHOWN = [*LISTED, "campaign", "url", "message_id", "format", "payload", "log"]
LOGGED = ["attempt", "at", "duration_ms", "status", "error", "answer"]


@pytest.fixture(scope="module")
def service(make_service):
    return make_service(settings=[("dispatch", "schedule", "1h"), ("dispatch", "breaker_failures", BREAKER_FAILURES),
                                  ("dispatch", "breaker_wait", "30m"), ("dispatch", "attempt_timeout", "10s")])


@pytest.fixture
def webhook(campaign):
    """A webhook for new leads; its id."""
    return campaign.webhook("new_signup")["referenceId"]


@pytest.fixture
def show(leadhook):
    """Returns a function that shows a delivery; its members are always the same."""
    def shown(delivery):
        answer = leadhook("delivery", "show", delivery)
        assert list(answer) == SHOWN and all(list(attempt) == LOGGED for attempt in answer["log"])
        return answer
    return shown


def ids(service, webhook, *words):
    """Return the ids of the webhook's deliveries, latest first."""
    return [row["id"] for row in service.installation.admin("delivery", "list", "--webhook", str(webhook), *map(str, words))]


def fail_for_good(service, campaign, webhook, count=1, **settings):
    """Make deliveries that have failed at the end of their schedule; return their ids."""
    service.installation.admin("webhook", "set", str(webhook), "schedule=1s", "rate=0")
    service.receiver.script(campaign.hook, Answer(500, body=b"no"))
    campaign.leads(count)
    service.dispatcher.start()
    try:
        wait_until(lambda: len(ids(service, webhook, "--state", "failed")) == count, 20, "the schedule's end")
    finally:
        service.dispatcher.stop()
    service.receiver.script(campaign.hook, Answer(200))
    return ids(service, webhook)


# --- names of leads ---

def test_names_of_leads(service, leadhook, campaign, webhook):
    """docs/operating.md 4 delivery list, show: when the event happened, and the name of the lead until it is deleted; for callers with the
    right to read leads"""
    named = campaign.lead(email="ada@example.org", first_name="Ada", last_name="Lovelace")
    campaign.lead(phone_number="+14155552671")
    both = ids(service, webhook)
    admin = service.installation.admin
    keys = [Caller(service, admin("key", "add", str(campaign.account.id), "--rights", rights)["key"]) for rights in ("hooks,leads", "hooks")]

    def named_for(caller):
        rows = caller("GET", f"campaigns/{campaign.id}/deliveries").json
        shown = [caller("GET", f"deliveries/{row['id']}").json for row in rows]
        assert [{name: one[name] for name in LISTED} for one in shown] == rows and all(is_time(row["created_at"]) for row in rows)
        return {row["id"]: (row["lead_name"], row["lead_email"]) for row in rows}
    assert named_for(keys[0]) == {min(both): ("Ada Lovelace", "ada@example.org"), max(both): ("+14***71", None)}
    assert named_for(keys[1]) == dict.fromkeys(both, (None, None))
    assert [{row["event"] for row in caller("GET", f"campaigns/{campaign.id}/deliveries").json} for caller in keys] == [{"new_signup"}, {None}]
    for method, path in (("GET", f"campaigns/{campaign.id}/deliveries"), ("GET", f"campaigns/{campaign.id}/deliveries/count")):
        assert [caller(method, path + "?event=new_signup").status for caller in keys] == [200, 403]
    assert [row["created_at"] for row in leadhook("delivery", "list", "--lead", named["social_id"])] == [named["when"]]
    campaign.delete({"email": "ada@example.org"})
    service.dispatch()
    assert named_for(keys[0]) == {min(both): (None, None), max(both): ("+14***71", None)}


# --- count ---

def test_count(service, leadhook, refused, campaign, webhook):
    """docs/operating.md 4 delivery count: it counts what redeliver with the same filters sends again"""
    caller = Caller(service, campaign.key)
    path = f"campaigns/{campaign.id}/deliveries/count"
    assert caller("GET", path).json == {"count": 0, "more": False}
    first, *_ = campaign.leads(7)
    other = service.campaign(service.account("Other"))
    elsewhere = other.webhook("new_signup")["referenceId"]
    other.leads(2)
    service.dispatch()
    campaign.leads(10)  # three new deliveries
    for filters, count in (({}, 10), ({"state": "pending"}, 3), ({"state": "delivered"}, 7), ({"status": "2xx"}, 7), ({"status": "5xx"}, 0),
                           ({"webhook": webhook}, 10), ({"event": "new_signup"}, 10), ({"event": "verified"}, 0),
                           ({"lead": first["social_id"]}, 1), ({"since": "2999-01-01"}, 0), ({"until": "2999-01-01"}, 10), ({"limit": 10}, 10),
                           ({"limit": 10000, "state": "pending"}, 3)):
        answer = caller("GET", path, query={name: str(value) for name, value in filters.items()})
        assert answer.json == {"count": count, "more": False}, (filters, answer.body)
        words = [word for name, value in filters.items() for word in (f"--{name}", value)]
        assert leadhook("delivery", "count", "--campaign", campaign.id, *words) == answer.json
    assert caller("GET", path, query={"limit": "9"}).json == {"count": 9, "more": True}
    assert caller("GET", path, query={"limit": "10001"}).status == 422
    assert caller("GET", path, query={"webhook": str(elsewhere)}).status == 404
    assert "there is no campaign" in refused(DATA, "delivery", "count", "--campaign", NO_ID)
    assert leadhook("delivery", "redeliver", "--campaign", campaign.id, "--state", "delivered") == {"queued": 7}
    assert leadhook("delivery", "count", "--campaign", campaign.id, "--state", "delivered") == {"count": 0, "more": False}


# --- show ---

def test_show(service, leadhook, receiver, campaign, webhook, show):
    """docs/operating.md 4 delivery show: the list's row, destination, content and log of attempts"""
    receiver.script(campaign.hook, Answer(201, body=b"created"))
    lead = campaign.lead(**ADA)
    [delivery] = ids(service, webhook)
    pending = show(delivery)
    assert (pending["state"], pending["waiting_for"], pending["log"]) == ("pending", "dispatcher", [])
    service.dispatch()
    [arrived] = campaign.delivered(1)
    done = show(delivery)
    [listed] = leadhook("delivery", "list", "--webhook", webhook)
    assert {name: done[name] for name in LISTED} == listed
    assert (done["campaign"], done["url"], done["message_id"], done["waiting_for"]) == \
        (campaign.id, receiver.url(campaign.hook), arrived.headers["webhook-id"], None)
    assert done["payload"] == arrived.json == {**lead, "__event": "new_signup"} and is_time(done["created_at"])
    [attempt] = done["log"]
    assert (attempt["attempt"], attempt["status"], attempt["error"], attempt["answer"]) == (1, 201, None, "created")
    assert is_time(attempt["at"]) and attempt["duration_ms"] >= 0
    leadhook("webhook", "remove", webhook)
    assert show(delivery)["url"] is None


def test_waits_for_rate(service, leadhook, campaign, webhook):
    """docs/operating.md 4 delivery list: due deliveries wait for their webhook's rate limit while a dispatcher sends to it"""
    leadhook("webhook", "set", webhook, "rate=1")
    campaign.leads(6)
    service.dispatcher.start()
    try:
        wait_until(lambda: "rate" in {row["waiting_for"] for row in leadhook("delivery", "list", "--webhook", webhook)}, 10, "the rate")
    finally:
        service.dispatcher.stop()


def test_show_failures(service, leadhook, receiver, campaign, webhook, show):
    """docs/deliveries.md 6 Log: status or error class, the first 1 KiB of the answer with invalid UTF-8 replaced"""
    receiver.script(campaign.hook, Answer(500, body=b"\xff<" + "ü".encode() * 1000))
    campaign.lead(**ADA)
    unused = leadhook("webhook", "add", campaign.id, f"http://127.0.0.1:{free_port()}/", "new_signup")["id"]
    campaign.lead(email="b@example.org")
    service.dispatch()
    answer = show(ids(service, webhook)[-1])["log"][0]["answer"]
    assert answer == "\ufffd<" + "ü" * 511
    [attempt] = show(ids(service, unused)[0])["log"]
    assert (attempt["status"], attempt["error"], attempt["answer"]) == (None, "refused", None)


def test_output_for_people(service, receiver, campaign, webhook):
    """docs/operating.md 4: output as lines, with the log as a table; control characters of the answer do not reach the terminal"""
    receiver.script(campaign.hook, Answer(200, body=b"\x1b[31m\xff"))
    campaign.lead(**ADA)
    service.dispatch()
    [delivery] = ids(service, webhook)
    done = call(service.installation, "delivery", "show", str(delivery))
    values, log = done.stdout.split("\n\nlog:\n")
    lines = dict(line.split(maxsplit=1) for line in values.splitlines())
    assert done.returncode == OK and list(lines) == SHOWN[:-1] and "\x1b" not in done.stdout
    assert json.loads(lines["payload"])["email"] == ADA["email"] and lines["waiting_for"] == "-"
    assert is_aligned(log) and log.splitlines()[0].split() == LOGGED
    done = call(service.installation, "delivery", "redeliver", str(delivery))
    assert (done.returncode, done.stdout) == (OK, "queued  1\n")


def test_waiting_for(service, leadhook, receiver, campaign, webhook, show):
    """docs/operating.md 4: for each delivery that has not ended, one word gives the reason"""
    receiver.script(campaign.hook, Answer(500))
    campaign.lead(**ADA)
    [delivery] = ids(service, webhook)

    def waits():
        return show(delivery)["waiting_for"]
    assert waits() == "dispatcher"
    service.dispatch()
    assert waits() == "schedule"
    [listed] = leadhook("delivery", "list", "--webhook", webhook)
    assert listed["waiting_for"] == "schedule"
    leadhook("webhook", "disable", webhook)
    assert waits() == "disabled"
    leadhook("webhook", "enable", webhook)
    receiver.script(campaign.hook, Answer(503, {"Retry-After": "600"}))
    leadhook("delivery", "redeliver", delivery)
    service.dispatch()
    service.installation.admin("delivery", "redeliver", str(delivery))
    assert waits() == "receiver"
    service.installation.sql(f"UPDATE lh_webhook_status SET failures = {BREAKER_FAILURES} WHERE webhook_id = {webhook}")
    assert waits() == "breaker"
    leadhook("webhook", "remove", webhook)
    assert waits() == "removal"


def test_waiting_for_an_attempt(service, leadhook, receiver, campaign, webhook, show):
    """docs/operating.md 4: a delivery may be in flight at the dispatcher with this lock file; deliveries that exceed the
    concurrency wait for it"""
    receiver.script(campaign.hook, Answer(hang=True))
    campaign.leads(CONCURRENCY + 1)
    service.dispatcher.start()
    try:
        campaign.delivered(CONCURRENCY)
        started = {delivery_id(one) for one in receiver.at(campaign.hook)}
        listed = leadhook("delivery", "list", "--webhook", webhook)
        assert {row["id"] for row in listed if row["waiting_for"] == "attempt"} == started
        assert [row["waiting_for"] for row in listed if row["id"] not in started] == ["dispatcher"]
        assert all((row["state"], row["attempts"]) == ("pending", 0) for row in listed)
        for delivery in started:
            assert (show(delivery)["waiting_for"], show(delivery)["attempts"]) == ("attempt", 0)
    finally:
        receiver.released.set()
        service.dispatcher.stop()
        receiver.released.clear()


@pytest.fixture
def other_host(service, tmp_path):
    """A dispatcher with its own lock file, as on another host."""
    argv = ["env", f"LEADHOOK_DISPATCH_LOCK_FILE={tmp_path}/lock", *service.dispatcher.argv]
    other = Child("leadhook-dispatch", argv, tmp_path / "log").start()
    yield other
    other.stop()


def test_waiting_for_another_dispatcher(service, leadhook, receiver, campaign, webhook, show, other_host):
    """docs/operating.md 4: a delivery that a dispatcher elsewhere has leased may be in flight there; if there is no dispatcher, it
    waits for one"""
    receiver.script(campaign.hook, Answer(delay=DURING))
    campaign.lead(**ADA)
    campaign.delivered(1)
    [delivery] = ids(service, webhook)
    [listed] = leadhook("delivery", "list", "--webhook", webhook)
    assert show(delivery)["waiting_for"] == listed["waiting_for"] == "other_dispatcher"
    assert other_host.stop() == 0 and show(delivery)["state"] == "delivered"
    campaign.lead(email="b@example.org")
    assert show(ids(service, webhook)[0])["waiting_for"] == "dispatcher"


def test_waiting_for_the_next_dispatcher(service, leadhook, receiver, campaign, webhook, show):
    """docs/deliveries.md 4.1 recovery: a delivery leased by this host's killed dispatcher waits for the next dispatcher on this
    host"""
    receiver.script(campaign.hook, Answer(delay=DURING))
    service.dispatcher.start()
    campaign.lead(**ADA)
    campaign.delivered(1)
    [delivery] = ids(service, webhook)
    assert show(delivery)["waiting_for"] == "attempt"
    service.dispatcher.kill()
    assert show(delivery)["waiting_for"] == "dispatcher"
    service.dispatch()
    assert show(delivery)["state"] == "delivered"


# --- redeliver ---

def test_redeliver_failed(service, leadhook, receiver, campaign, webhook, show):
    """docs/deliveries.md 3.2 redeliver: the same webhook-id and bytes, a new attempt in the log, the schedule starts again"""
    [delivery] = fail_for_good(service, campaign, webhook)
    before = show(delivery)
    assert (before["state"], before["attempts"], before["waiting_for"]) == ("failed", ATTEMPTS, None)
    leadhook("webhook", "disable", webhook)
    leadhook("webhook", "enable", webhook)  # closes its breaker
    receiver.script(campaign.hook, Answer(503), Answer(200))
    for _ in range(2):
        assert leadhook("delivery", "redeliver", delivery) == {"queued": 1}
    queued = show(delivery)
    assert (queued["state"], queued["attempts"], queued["waiting_for"]) == ("pending", ATTEMPTS, "dispatcher")
    service.check()
    service.dispatcher.start()
    try:
        wait_until(lambda: show(delivery)["state"] == "delivered", 15, "its second attempt of the new schedule")
    finally:
        service.dispatcher.stop()
    after = show(delivery)
    arrived = campaign.delivered(ATTEMPTS + 2)
    assert len({(one.body, one.headers["webhook-id"]) for one in arrived}) == 1 and all(one.verified for one in arrived)
    assert [attempt["attempt"] for attempt in after["log"]] == [1, 2, 3, 4] and after["attempts"] == 4
    assert [attempt["status"] for attempt in after["log"]] == [500, 500, 503, 200] and after["log"][:2] == before["log"]
    service.check()


def test_redeliver_delivered(service, leadhook, receiver, campaign, webhook, show):
    """docs/deliveries.md 3.2 redeliver: any delivery that has ended can be sent again"""
    campaign.lead(**ADA)
    service.dispatch()
    [delivery] = ids(service, webhook)
    assert leadhook("delivery", "redeliver", delivery, delivery) == {"queued": 1}
    service.dispatch()
    one, two = campaign.delivered(2)
    assert one.body == two.body and one.headers["webhook-id"] == two.headers["webhook-id"]
    assert (show(delivery)["state"], show(delivery)["attempts"]) == ("delivered", 2)


def test_redeliver_at_the_limit(service, leadhook, refused, campaign, webhook, show):
    """docs/deliveries.md 3.2: a delivery with 1,000 attempts or more is not sent again; of several deliveries, it is left out"""
    for email in ("a@example.org", "b@example.org"):
        campaign.lead(email=email)
    service.dispatch()
    spent = ids(service, webhook)[0]
    service.installation.sql(f"UPDATE lh_deliveries SET attempts = 1000 WHERE id = {spent}")
    before = show(spent)
    said = "1000 attempts or more, and {} not sent again\n"
    assert refused(DATA, "delivery", "redeliver", str(spent)) == f"leadhook: delivery {spent} has " + said.format("is")
    done = call(service.installation, "delivery", "redeliver", "--webhook", str(webhook))
    assert (done.stdout, done.stderr) == ("queued  1\n", "leadhook: 1 has " + said.format("is"))
    assert show(spent) == before


def test_redeliver_pending(service, leadhook, receiver, campaign, webhook, show):
    """docs/deliveries.md 3.2 redeliver: a delivery that waits for its next attempt is due at once"""
    receiver.script(campaign.hook, Answer(500), Answer(200))
    campaign.lead(**ADA)
    service.dispatch()
    [delivery] = ids(service, webhook)
    assert leadhook("delivery", "redeliver", delivery) == {"queued": 1}
    service.dispatch()
    assert (show(delivery)["state"], show(delivery)["attempts"]) == ("delivered", 2)


def test_redeliver_by_filter(service, account, leadhook, receiver, campaign, webhook):
    """docs/deliveries.md 3.2 redeliver by webhook, lead, event, time range, state; without a limit, all that match"""
    other = service.campaign(account)
    elsewhere = other.webhook("new_signup", "repeat_signup")["referenceId"]
    leads = campaign.leads(30)
    other.lead(**ADA)
    last = other.lead(**ADA)
    service.dispatch()
    queued = [
        (3, ["--webhook", webhook, "--limit", 3]), (1, ["--webhook", webhook, "--lead", leads[0]["social_id"]]),
        (0, ["--webhook", webhook, "--state", "failed"]), (0, ["--webhook", webhook, "--until", "2020-01-01"]),
        (26, ["--webhook", webhook, "--state", "delivered"]), (30, ["--webhook", webhook, "--state", "pending"]),
        (1, ["--webhook", elsewhere, "--event", "repeat_signup"]), (2, ["--lead", last["social_id"], "--since", "2020-01-01"])]
    for count, words in queued:
        assert leadhook("delivery", "redeliver", *words) == {"queued": count}, words
    assert len(ids(service, webhook, "--state", "pending")) == 30
    service.dispatch()
    assert len(campaign.delivered(60)) == 60 and len(other.delivered(4)) == 4
    service.check()


def test_redeliver_more_than_one_page(service, leadhook, campaign, webhook):
    """docs/deliveries.md 3.2 redeliver: it works in chunks; there are more deliveries than fit into a list or a statement"""
    count = 1500
    sql = service.installation.sql
    campaign.lead(**ADA)
    service.dispatch()
    [delivery] = ids(service, webhook)
    first = delivery + 1000000
    sql(f"INSERT INTO lh_events (id, campaign_id, lead_id, type, deliveries, created_ms, payload) "
        f"SELECT {first} + 2 * seq, campaign_id, lead_id, type, 1, created_ms, payload FROM lh_events e "
        f"JOIN seq_1_to_{count} WHERE e.id = {delivery - 1}")
    sql(f"INSERT INTO lh_deliveries (id, event_id, webhook_id, format, state, attempts, last_status, ended_ms) "
        f"SELECT {first} + 2 * seq + 1, {first} + 2 * seq, {webhook}, 'json', 'failed', 3, 500, 1 FROM seq_1_to_{count}")
    try:
        assert leadhook("delivery", "redeliver", "--webhook", webhook, "--state", "failed") == {"queued": count}
        assert int(sql(f"SELECT COUNT(*) FROM lh_due WHERE webhook_id = {webhook} AND attempts = 3 AND attempts_before = 3")) == count
    finally:
        sql(f"DELETE FROM lh_due WHERE id > {first}; DELETE FROM lh_deliveries WHERE id > {first}; "
            f"DELETE FROM lh_events WHERE id > {first}")


def test_redeliver_impossible(service, leadhook, refused, receiver, campaign, webhook, show):
    """leadhook(1): the error names deliveries of removed webhooks and unknown deliveries; the status is 65 if no delivery
    remains"""
    campaign.lead(**ADA)
    service.dispatch()
    [delivery] = ids(service, webhook)
    second = campaign.post({"url": receiver.url(campaign.hook + "/2"), "event": "new_signup"}, path="/outbound-webhook").json
    receiver.secrets.append(second["secret"])
    campaign.lead(email="b@example.org")
    service.dispatch()
    [sendable] = ids(service, second["referenceId"])
    leadhook("webhook", "remove", webhook)
    said = refused(DATA, "delivery", "redeliver", str(delivery))
    assert said == f"leadhook: delivery {delivery} has a webhook that was removed\n"
    assert "does not exist" in refused(DATA, "delivery", "redeliver", NO_ID)
    done = call(service.installation, "delivery", "redeliver", NO_ID, str(sendable), str(delivery), "--json")
    assert (done.returncode, json.loads(done.stdout), len(done.stderr.splitlines())) == (OK, {"queued": 1}, 2)
    done = call(service.installation, "delivery", "redeliver", "--webhook", str(webhook))
    assert (done.returncode, done.stdout) == (OK, "queued  0\n")
    assert done.stderr == "leadhook: 2 have a webhook that was removed\n"
    assert show(delivery)["state"] == "delivered"
    service.dispatch()
    receiver.wait_for(2, path=campaign.hook + "/2")


def test_redeliver_under_way(service, refused, receiver, campaign, webhook, show):
    """docs/deliveries.md 3.2 redeliver: a delivery in flight is not changed"""
    receiver.script(campaign.hook, Answer(delay=1))
    campaign.lead(**ADA)
    [delivery] = ids(service, webhook)
    service.dispatcher.start()
    try:
        campaign.delivered(1)
        assert "is under way" in refused(DATA, "delivery", "redeliver", str(delivery))
        wait_until(lambda: show(delivery)["state"] == "delivered", 10, "its end")
    finally:
        service.dispatcher.stop()
    assert len(receiver.at(campaign.hook)) == 1


def test_redeliver_of_a_disabled_webhook(service, leadhook, receiver, campaign, webhook, show):
    """docs/deliveries.md 3 Disabling: its deliveries wait, including those sent again"""
    campaign.lead(**ADA)
    service.dispatch()
    [delivery] = ids(service, webhook)
    leadhook("webhook", "disable", webhook)
    done = call(service.installation, "delivery", "redeliver", str(delivery))
    assert (done.returncode, done.stdout) == (OK, "queued  1\n")
    assert done.stderr == "leadhook: 1 of 1 has to wait: its webhook is disabled or held, see leadhook webhook show\n"
    service.dispatch()
    assert show(delivery)["waiting_for"] == "disabled" and len(receiver.at(campaign.hook)) == 1
    leadhook("webhook", "enable", webhook)
    service.dispatch()
    campaign.delivered(2)


@pytest.mark.parametrize("words", [[], ["1", "--webhook", "1"], ["--json"]])
def test_redeliver_needs_deliveries_or_filters(refused, words):
    """docs/operating.md 4, status 64: either deliveries or filters"""
    assert "expected ids of deliveries, or filters" in refused(USAGE, "delivery", "redeliver", *words)


@pytest.mark.parametrize("words", [["show", "x"], ["show", "0"], ["redeliver", "1", "x"], ["redeliver", "--state", "lost"],
                                   ["redeliver", "--limit", "0"]])
def test_wrong_values(refused, words):
    """docs/operating.md 4, status 65"""
    refused(DATA, "delivery", *words)


def test_missing_delivery(refused):
    """docs/operating.md 4, status 65"""
    assert "there is no such delivery" in refused(DATA, "delivery", "show", NO_ID)
