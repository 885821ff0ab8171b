# SPDX-License-Identifier: MIT
"""docs/operating.md 4.1, docs/architecture.md 6.1, docs/manage.md 1.4: jobs that commands and calls leave to the dispatcher.

The dispatchers of the last tests have different lock files, as on different hosts.
"""
import contextlib
import json

import pytest
from caller import OWN_PAGE, Caller, User
from command import DATA, OK, USAGE, call, is_time
from deliveries import Deliveries
from lock_file import LockFile
from stack.process import Child, wait_until
from stack.receiver import Answer

LISTED = ["id", "kind", "state", "account", "campaign", "done", "total", "created_at", "started_at", "ended_at", "error"]
SHOWN = [*LISTED, "made_by", "parameters", "result"]
TEMPFAIL = 75
MAXIMUM = 20  # jobs of an account
MANY, PIECE = 3000, 250  # deliveries in all, and in one transaction
COUNTS = ["queued", "held", "under_way", "without_webhook", "without_event", "at_limit", "missing"]


@pytest.fixture(scope="module")
def service(make_service, mail_server):
    return make_service(settings=[*mail_server.settings(), ("dispatch", "schedule", "1h"), ("dispatch", "attempt_timeout", "2s"),
                                  ("dispatch", "lease", "17s")])


@pytest.fixture
def campaign(service, account):
    """A campaign whose sign-ups cause no mails."""
    return service.campaign(account, mails="")


@pytest.fixture
def running(service):
    service.dispatcher.start()
    yield service.dispatcher
    service.dispatcher.stop()


@pytest.fixture
def webhook(campaign):
    return campaign.webhook("new_signup")["referenceId"]


@pytest.fixture
def show(leadhook):
    def shown(job):
        answer = leadhook("job", "show", job["id"])
        assert list(answer) == SHOWN
        return answer
    return shown


@pytest.fixture
def ended(show):
    """Waits until a job has ended, and returns it."""
    def wait(job, seconds=15):
        wait_until(lambda: show(job)["ended_at"] is not None, seconds, "the job has ended")
        return show(job)
    return wait


# --- each kind ---

def test_webhook_test(running, leadhook, receiver, campaign, webhook, show, ended):
    """docs/operating.md 4.1: the result is the same as that of the command without --queue"""
    receiver.script(campaign.hook, Answer(201, body=b"created"))
    job = leadhook("webhook", "test", webhook, "--queue")
    assert list(job) == SHOWN
    assert (job["kind"], job["campaign"], job["parameters"]) == ("webhook_test", campaign.id, {"webhook": webhook})
    assert job["made_by"].startswith("shell ")
    done = ended(job)
    assert (done["state"], done["error"], done["done"], done["total"]) == ("done", None, 1, 1)
    assert all(is_time(done[name]) for name in ("created_at", "started_at", "ended_at"))
    alone = leadhook("webhook", "test", webhook)
    assert list(done["result"]) == list(alone)
    assert {**done["result"], "duration_ms": 0} == {**alone, "duration_ms": 0}
    assert (alone["ok"], alone["status"], alone["answer"]) == (True, 201, "created")
    assert len(campaign.delivered(2)) == 2
    assert {name: done[name] for name in LISTED} in leadhook("job", "list", "--campaign", campaign.id)
    receiver.script(campaign.hook, Answer(500))
    assert ended(leadhook("webhook", "test", webhook, "--queue"))["result"]["ok"] is False
    assert show(job) == done


def test_address_rules(running, leadhook, campaign, ended):
    """docs/deliveries.md 5: the dispatcher's rules apply to tests as they do to deliveries"""
    hook = leadhook("webhook", "add", campaign.id, "http://rebind.test/", "new_signup")["id"]
    campaign.service.installation.sql(f"UPDATE lh_webhooks SET url = 'http://169.254.169.254/' WHERE id = {hook}")
    done = ended(leadhook("webhook", "test", hook, "--queue"))
    assert (done["state"], done["result"]["error"], done["result"]["answer"]) == ("done", "forbidden_address", None)


def test_a_slow_receiver_delays_no_delivery(running, leadhook, receiver, campaign, webhook, ended):
    """architecture.md 6.1: a test waits in its own thread"""
    slow = campaign.webhook("tagged", below="/slow")["referenceId"]
    receiver.script(campaign.hook + "/slow", Answer(hang=True))
    job = leadhook("webhook", "test", slow, "--queue")
    receiver.wait_for(1, 10, path=campaign.hook + "/slow")
    campaign.lead(email="ada@example.org")
    campaign.delivered(1, "new_signup", deadline=2)
    assert ended(job)["result"]["error"] == "timeout"


def test_mail_test(running, leadhook, mail_server, ended):
    """docs/operating.md 4.1: the mail goes through the dispatcher's host"""
    mail_server.clear()
    done = ended(leadhook("mail", "test", "ada@example.org", "--queue"))
    assert (done["state"], done["account"], done["campaign"]) == ("done", None, None)
    assert (done["result"]["ok"], done["result"]["status"]) == (True, 250)
    assert [mail.recipient for mail in mail_server.mails] == ["ada@example.org"]
    refused = ended(leadhook("mail", "test", "absent@example.org", "--queue"))
    assert refused["state"] == "done" and refused["result"]["ok"] is False
    assert refused["result"]["answer"] == "550 5.1.1 <absent@example.org>: user unknown"
    erased = leadhook("lead", "erase", "--email", "absent@example.org")
    assert erased["leads"] == 0
    assert refused["id"] not in [job["id"] for job in leadhook("job", "list")], "erased with what is stored about a person"


def test_address_count(running, service, leadhook, campaign, ended):
    """docs/operating.md 4.1: leads that signed up before max_per_ip was set are counted"""
    campaign.leads(3, ip="192.0.2.7")
    job = leadhook("campaign", "set", campaign.id, "max_per_ip=2", "--queue")
    assert (job["kind"], job["campaign"]) == ("address_count", campaign.id)
    done = ended(job)
    assert (done["state"], done["done"], done["total"]) == ("done", 100, 100), "in percent"
    assert service.installation.sql(f"SELECT leads FROM lh_ip_leads WHERE campaign_id = {campaign.id}") == "3"
    refused = call(service.installation, "campaign", "set", str(campaign.id), "name=Other", "--queue")
    assert refused.returncode == USAGE and leadhook("campaign", "show", campaign.id)["name"] != "Other"


# --- redelivery ---

@pytest.fixture
def failed(service, leadhook, campaign, webhook):
    """MANY failed deliveries of a disabled webhook, so that those that are queued stay in the table. Each transaction takes `seconds`
    of lh_pace."""
    sql = service.installation.sql
    campaign.lead(email="many@example.org")
    leadhook("webhook", "disable", webhook)
    Deliveries(service).copy({"referenceId": webhook}, MANY - 1)
    sql("INSERT INTO lh_deliveries (id, event_id, webhook_id, state, attempts, ended_ms) "
        f"SELECT id, event_id, webhook_id, 'failed', 1, 1 FROM lh_due WHERE webhook_id = {webhook}")
    sql(f"DELETE FROM lh_due WHERE webhook_id = {webhook}")
    sql("CREATE TABLE lh_pace SELECT 0.2 AS seconds")
    sql("CREATE TRIGGER lh_slow AFTER INSERT ON lh_due FOR EACH ROW "
        f"IF NEW.id % {PIECE} = 0 THEN DO SLEEP((SELECT seconds FROM lh_pace)); END IF")
    yield Deliveries(service)
    sql("DROP TRIGGER lh_slow")
    sql("DROP TABLE lh_pace")
    for table in ("lh_due", "lh_deliveries"):
        sql(f"DELETE FROM {table} WHERE webhook_id = {webhook}")


def queued_in(deliveries, webhook):
    return deliveries.number(f"SELECT COUNT(*) FROM lh_due WHERE webhook_id = {webhook}")


def redelivery(leadhook, webhook):
    return leadhook("delivery", "redeliver", "--webhook", webhook, "--state", "failed", "--queue")


def check_done(done, deliveries, webhook):
    assert (done["state"], done["done"], done["total"]) == ("done", MANY, None)
    assert done["result"] == {**dict.fromkeys(COUNTS, 0), "queued": MANY, "held": MANY}
    assert queued_in(deliveries, webhook) == MANY


def test_a_kill_during_a_redelivery(service, leadhook, webhook, failed, show, ended):
    """architecture.md 6.1: the next process continues after the last transaction; no delivery is queued twice or skipped"""
    job = redelivery(leadhook, webhook)
    assert (job["state"], job["parameters"]) == ("queued", {"webhook": webhook, "state": "failed"})
    for kill in range(3):
        before = show(job)["done"]
        service.dispatcher.start()
        wait_until(lambda: show(job)["done"] > before, 20, "it works")
        service.dispatcher.kill()
        stopped = show(job)
        assert stopped["state"] == "running" and stopped["done"] == queued_in(failed, webhook) < MANY
        # deliveries that were queued may end again: the job does not queue them twice
        failed.sql(f"DELETE FROM lh_due WHERE webhook_id = {webhook}")
        failed.sql(f"INSERT INTO lh_due (id, event_id, shard, webhook_id, due_ms) SELECT id, event_id, webhook_id % 64, "
                   f"webhook_id, 1 FROM lh_deliveries WHERE webhook_id = {webhook} ORDER BY id DESC LIMIT {stopped['done']}")
    service.dispatcher.start()
    try:
        check_done(ended(job), failed, webhook)
    finally:
        service.dispatcher.stop()


def test_cancel(failed, running, service, leadhook, webhook, show):
    """operating.md 4.1: deliveries that were queued stay queued, and are counted; no others follow"""
    job = redelivery(leadhook, webhook)
    wait_until(lambda: show(job)["done"] > 0, 20, "it works")
    cancelled = leadhook("job", "cancel", job["id"])
    assert cancelled["state"] == "cancelled" and is_time(cancelled["ended_at"]) and cancelled["done"] < MANY
    test = leadhook("webhook", "test", webhook, "--queue")  # a later turn of the same thread
    wait_until(lambda: show(test)["ended_at"], 15, "the next job")
    assert show(job) == cancelled and queued_in(failed, webhook) == cancelled["done"] == cancelled["result"]["queued"]
    again = call(service.installation, "job", "cancel", str(job["id"]))
    assert again.returncode == DATA and "has ended" in again.stderr


class Dispatcher(Child):
    """A daemon with its own lock file."""

    def __init__(self, service, folder):
        self.lock = LockFile(folder / "lock")
        super().__init__("leadhook-dispatch", ["env", f"LEADHOOK_DISPATCH_LOCK_FILE={self.lock.path}",
                                               service.installation.program("leadhook-dispatch"), "--config",
                                               service.installation.config, "--daemon"], folder / "log")

    def start(self):
        super().start()
        return self.ready(lambda: self.lock.owner)


def test_two_dispatchers(service, tmp_path, leadhook, receiver, campaign, webhook, failed, show, ended):
    """architecture.md 6.1: one dispatcher at a time works on a job; when it ends, another continues"""
    owner = "SELECT HEX(lease_owner) FROM lh_operator_jobs WHERE id = "
    with contextlib.ExitStack() as started:
        for name in ("a", "b"):
            (tmp_path / name).mkdir()
        dispatchers = [Dispatcher(service, tmp_path / name) for name in ("a", "b")]
        for dispatcher in dispatchers:
            started.callback(dispatcher.kill)
            dispatcher.start()
        service.installation.sql("UPDATE lh_pace SET seconds = 3")
        job = redelivery(leadhook, webhook)
        tests = [leadhook("webhook", "test", webhook, "--queue") for _ in range(4)]
        first = wait_until(lambda: service.installation.sql(f"{owner}{job['id']} AND lease_owner IS NOT NULL"), 20, "it is taken")
        [at_work] = [dispatcher for dispatcher in dispatchers if dispatcher.lock.owner == first]
        at_work.stop()
        assert show(job)["done"] < MANY
        service.installation.sql("UPDATE lh_pace SET seconds = 0")
        check_done(ended(job), failed, webhook)
        assert all(ended(test)["state"] == "done" for test in tests)
        assert len(campaign.delivered(4)) == 4, "each test was sent once"


# --- over HTTP ---

@pytest.fixture
def owner(service, account):
    return Caller(service, service.installation.admin("key", "add", str(account.id), "--rights", "all")["key"])


def test_a_call_is_queued(running, leadhook, receiver, campaign, webhook, owner):
    """docs/manage.md 1.4: 202 with the job, which is polled until its end"""
    receiver.script(campaign.hook, Answer(201))
    once = {"Idempotency-Key": "a test"}
    queued = owner("POST", f"webhooks/{webhook}/test", headers=once)
    assert queued.status == 202 and list(queued.json) == SHOWN and queued.json["ended_at"] is None, queued.body
    assert queued.json["made_by"].startswith("key ")
    place = f"jobs/{queued.json['id']}"
    assert owner("POST", f"webhooks/{webhook}/test", headers=once).json == {"id": queued.json["id"], "repeated": True}
    wait_until(lambda: owner("GET", place).json["ended_at"], 15, "the job has ended")
    done = owner("GET", place).json
    assert (done["state"], done["result"]["ok"], done["result"]["status"]) == ("done", True, 201)
    assert done == leadhook("job", "show", done["id"])
    assert [job["id"] for job in owner("GET", f"campaigns/{campaign.id}/jobs").json] == [done["id"]]
    late = owner("POST", f"{place}/cancel")
    assert late.status == 409 and late.json["error"] == "conflict", late.body
    assert owner("POST", f"webhooks/{webhook}/test", {"queue": True}).status == 406


def test_calls_that_queue(service, leadhook, campaign, webhook, owner):
    """docs/manage.md 1.4: a redelivery by a filter, the count for max_per_ip, and the maximum"""
    place = f"campaigns/{campaign.id}"
    campaign.lead(email="ada@example.org")
    filters = {"webhook": webhook, "event": "new_signup", "state": "failed", "status": "5xx", "limit": 300}
    redelivered, again = (owner("POST", f"{place}/redeliver", filters, headers={"Idempotency-Key": "once"}) for _ in range(2))
    assert (again.status, again.json["id"]) == (200, redelivered.json["id"])
    assert (redelivered.status, redelivered.json["kind"], redelivered.json["parameters"]) == (202, "redelivery", filters)
    other = service.campaign(campaign.account)
    for body, status in (({"webhook": other.webhook("new_signup")["referenceId"]}, 404), ({"campaign": 1}, 406), ({"event": "x"}, 422)):
        assert owner("POST", f"{place}/redeliver", body).status == status, body
    changed = owner("PATCH", place, {"max_per_ip": 2, "points_direct": 4})
    assert (changed.status, changed.json["points_direct"], changed.json["addresses_counted"]) == (200, 4, False), changed.body
    assert owner("PATCH", place, {"points_direct": 3}).status == 200
    assert [job["kind"] for job in owner("GET", f"{place}/jobs").json] == ["address_count", "redelivery"]
    assert [job["kind"] for job in owner("GET", f"{place}/jobs?limit=1&after={redelivered.json['id'] + 1}").json] == ["redelivery"]
    for _ in range(MAXIMUM - 2):
        assert owner("POST", f"webhooks/{webhook}/test").status == 202
    for call_of in (("POST", f"webhooks/{webhook}/test"), ("PATCH", place, {"max_per_ip": 3})):
        refused = owner(*call_of)
        assert refused.status == 429 and refused.json["error"] == "too_many_jobs" and refused.headers["Retry-After"], refused.body
    assert owner("GET", place).json["max_per_ip"] == 2
    for job in owner("GET", f"{place}/jobs").json:
        assert owner("POST", f"jobs/{job['id']}/cancel").json["state"] == "cancelled"


def test_jobs_of_others(service, leadhook, campaign, webhook, owner):
    """manage.md 1.4, 2: a job belongs to its account and campaign; one of the installation belongs to the operators"""
    job = f"jobs/{owner('POST', f'webhooks/{webhook}/test').json['id']}"
    admin = service.installation.admin
    stranger = Caller(service, admin("key", "add", str(service.account("Other").id), "--rights", "all")["key"])
    limited = Caller(service, admin("key", "add", str(campaign.account.id), "--campaigns", str(service.campaign(campaign.account).id))["key"])
    for caller in (stranger, limited):
        assert [caller("GET", job).status, caller("POST", f"{job}/cancel").status] == [404, 404]
        assert caller("POST", f"campaigns/{campaign.id}/redeliver").status == caller("GET", f"campaigns/{campaign.id}/jobs").status == 404
    viewer = Caller(service, admin("key", "add", str(campaign.account.id), "--rights", "viewer")["key"])
    assert [viewer("GET", job).status, viewer("POST", f"{job}/cancel").status] == [200, 403]
    address = {"address": "grace@example.org"}
    assert owner("POST", "mails/test", address).json["error"] == "operator_only"
    operator = User(service, "jobs@example.org", "--role", "operator").ready()
    mail, again = (operator("POST", "mails/test", address, headers={**OWN_PAGE, "Idempotency-Key": "once"}) for _ in range(2))
    assert (again.status, again.json["id"]) == (200, mail.json["id"])
    assert (mail.status, mail.json["account"], mail.json["made_by"]) == (202, None, "user jobs@example.org"), mail.body
    assert owner("GET", f"jobs/{mail.json['id']}").status == 404
    assert operator("POST", f"jobs/{mail.json['id']}/cancel").json["state"] == "cancelled"
    assert owner("POST", f"{job}/cancel").json["state"] == "cancelled"
    log = json.dumps(leadhook("audit", "list"))
    assert "job cancel" in log and "grace@example.org" not in log, "docs/users.md 6: nothing about people"


# --- the command ---

def test_the_maximum(service, leadhook, campaign, webhook):
    """operating.md 4.1: the limit is per account; the installation has its own"""
    sql = service.installation.sql
    sql("INSERT INTO lh_operator_jobs (id, account_id, kind, parameters, made_by, created_ms) "
        f"SELECT 1000000000 + seq, {campaign.account.id}, 'webhook_test', '{{}}', 'x', 0 FROM seq_1_to_{MAXIMUM}")
    refused = call(service.installation, "webhook", "test", str(webhook), "--queue")
    assert refused.returncode == TEMPFAIL and f"{MAXIMUM} jobs" in refused.stderr
    listed = leadhook("job", "list", "--account", campaign.account.id)
    assert [job["id"] for job in listed if job["state"] == "queued"] == list(range(1000000000 + MAXIMUM, 1000000000, -1))
    assert [job["id"] for job in leadhook("job", "list", "--limit", 2)] == [1000000000 + MAXIMUM, 1000000000 + MAXIMUM - 1]
    other = leadhook("mail", "test", "ada@example.org", "--queue")["id"]
    for job in (1000000001, other):
        assert leadhook("job", "cancel", job)["state"] == "cancelled"
    test = leadhook("webhook", "test", webhook, "--queue")
    sql(f"DELETE FROM lh_operator_jobs WHERE id > 1000000000 OR id = {test['id']}")


@pytest.mark.parametrize("words, status", [
    (["job", "show", "4294967295"], DATA),
    (["job", "cancel", "4294967295"], DATA),
    (["job", "show", "x"], DATA),
    (["job", "list", "--limit", "0"], DATA),
    (["webhook", "test", "4294967295", "--queue"], DATA),
    (["delivery", "redeliver", "--webhook", "4294967295", "--queue"], DATA),
    (["delivery", "redeliver", "--campaign", "4294967295", "--queue"], DATA),
    (["delivery", "redeliver", "7", "--queue"], USAGE),
    (["delivery", "redeliver", "--queue"], USAGE),
    (["mail", "test", "no-address", "--queue"], DATA),
])
def test_wrong_arguments(service, words, status):
    before = service.installation.sql("SELECT COUNT(*) FROM lh_operator_jobs")
    done = call(service.installation, *words, "--json")
    assert done.returncode == status and done.stderr.startswith("leadhook: ") and done.stdout == ""
    assert service.installation.sql("SELECT COUNT(*) FROM lh_operator_jobs") == before


def test_output_for_people(service, leadhook, webhook):
    job = leadhook("webhook", "test", webhook, "--queue")
    shown = call(service.installation, "job", "show", str(job["id"]))
    lines = dict(line.split(maxsplit=1) for line in shown.stdout.splitlines())
    assert shown.returncode == OK and json.loads(lines["parameters"]) == {"webhook": webhook}
    assert leadhook("job", "cancel", job["id"])["state"] == "cancelled"
