# SPDX-License-Identifier: MIT
"""docs/deliveries.md 4.1: any number of dispatchers may run at once, with one per webhook at a time; a dispatcher that dies or is
suspended is replaced when its lease ends, and changes nothing afterwards.

They have different lock files, as on different hosts. test_delivery.py tests a second dispatcher with the same file.
"""
import contextlib
import re
import signal

import pytest
from deliveries import ATTEMPTS, Deliveries, by_message, check_arrived, delivery_id, sign_up
from lock_file import LockFile
from marks import first
from stack.process import Child, wait_until
from stack.receiver import Answer

pytestmark = pytest.mark.slow

ATTEMPT_TIMEOUT, LEASE = 3, 18  # seconds; the shortest lease for this timeout
TAKEN_OVER = LEASE + LEASE / 3 + 10  # leases are checked three times while they last; ten more seconds for a busy machine
HOOKS = 16
CONCURRENCY = 4  # dispatch.initial_concurrency
NOW = "CAST(UNIX_TIMESTAMP(NOW(3)) * 1000 AS INTEGER)"


@pytest.fixture(scope="module")
def service(make_service):
    return make_service(settings=[("dispatch", "attempt_timeout", f"{ATTEMPT_TIMEOUT}s"), ("dispatch", "lease", f"{LEASE}s"),
                                  ("dispatch", "schedule", "1s 1s 1s 1s"), ("dispatch", "per_webhook", 8)])


@pytest.fixture
def deliveries(service):
    return Deliveries(service)


class Dispatcher(Child):
    """A daemon with its own lock file. It sends its number as the User-Agent."""

    def __init__(self, service, folder, number):
        program = service.installation.program("leadhook-dispatch")
        self.number, self.lock = str(number), LockFile(folder / "lock")
        super().__init__("leadhook-dispatch", ["env", f"LEADHOOK_DISPATCH_LOCK_FILE={self.lock.path}",
                                               f"LEADHOOK_SERVER_SERVICE_NAME={number}", program, "--config",
                                               service.installation.config, "--daemon"], folder / "log")

    def start(self):
        super().start()
        return self.ready(lambda: self.id)

    @property
    def id(self):
        return self.lock.owner

    def stale_outcomes(self):
        return sum(map(int, re.findall(r" outcomes_stale deliveries=(\d+)", self.log.read_text())))


@pytest.fixture
def dispatchers(service, tmp_path):
    """Start `count` dispatchers; the first has all shards."""
    with contextlib.ExitStack() as running:
        def make(count):
            made = []
            service.installation.sql("UPDATE lh_dispatch_shards SET owner = NULL")
            for number in range(count):
                folder = tmp_path / str(number)
                folder.mkdir()
                made.append(Dispatcher(service, folder, number))
                running.callback(made[-1].kill)
                made[-1].start()
                wait_until(lambda: made[0].id in owners(service), 10, "it has leases")
            return made
        yield make


def owners(service):
    """Return the owners of leases, with the number of their shards."""
    rows = service.installation.sql("SELECT HEX(owner), COUNT(*) FROM lh_dispatch_shards WHERE lease_until_ms > "
                                    f"{NOW} GROUP BY owner")
    return {owner: int(count) for owner, count in (line.split("\t") for line in rows.splitlines())}


def share(deliveries, running):
    """Give each dispatcher an equal part of the shards, as after the death of others; return when all have renewed their leases."""
    for number, one in enumerate(running):
        deliveries.sql(f"UPDATE lh_dispatch_shards SET owner = UNHEX('{one.id}') WHERE shard % {len(running)} = {number}")
    last = deliveries.number("SELECT MAX(lease_until_ms) FROM lh_dispatch_shards")
    wait_until(lambda: deliveries.number("SELECT MIN(lease_until_ms) FROM lh_dispatch_shards") > last, LEASE, "all have renewed")


def all_hooks(campaign, answer):
    """Register enough webhooks of the campaign to use many shards; return their paths below that of the campaign."""
    hooks = [f"/{number}" for number in range(HOOKS)]
    for below in hooks:
        campaign.webhook("new_signup", below=below)
        campaign.service.receiver.script(campaign.hook + below, answer)
    return hooks


def test_four_at_once(service, receiver, campaign, deliveries, dispatchers):
    """docs/deliveries.md 4.1 Shards: each webhook has one dispatcher; nothing is sent twice, and a clean end releases the leases at once"""
    hooks = all_hooks(campaign, Answer(delay=0.3))
    running = dispatchers(4)
    share(deliveries, running)
    leads = sign_up(campaign, 100)
    wait_until(lambda: deliveries.pending() == 0, 60, "every delivery has ended")
    messages = check_arrived(campaign, hooks, leads)
    assert all(len(same) == 1 for same in messages.values())
    senders = {(same[0].path, same[0].headers["user-agent"]) for same in messages.values()}
    assert len(senders) == HOOKS and {number for _, number in senders} == {one.number for one in running}
    assert deliveries.number("SELECT COUNT(*) FROM lh_deliveries WHERE attempts > 1 OR state <> 'delivered'") == 0
    assert [one.stop() for one in running] == [0] * len(running) and owners(service) == {}
    assert all(one.stale_outcomes() == 0 for one in running)
    deliveries.check_log()


def test_one_that_dies(service, receiver, campaign, deliveries, dispatchers):
    """docs/deliveries.md 4.1 Recovery: when its lease ends, others take over its webhooks, and its deliveries in flight are due
    again; nothing else is sent twice"""
    hooks = all_hooks(campaign, Answer(delay=ATTEMPT_TIMEOUT - 1))
    victim, other = dispatchers(2)
    share(deliveries, (victim, other))
    leads = sign_up(campaign, 8)

    def arrived(one):
        return {delivery_id(same) for hook in hooks for same in receiver.at(campaign.hook + hook)} & set(one.lock.under_way())
    wait_until(lambda: arrived(other) and arrived(victim), 20, "what both have under way has arrived")
    victim.kill()
    lease_end = deliveries.number(f"SELECT MIN(lease_until_ms) FROM lh_dispatch_shards WHERE owner = UNHEX('{victim.id}')")
    assert lease_end > deliveries.number(f"SELECT {NOW} + {ATTEMPT_TIMEOUT * 1000}"), "an attempt ends before the lease"
    assert owners(service) == {victim.id: 32, other.id: 32}
    leads |= sign_up(campaign, 2, first=8)
    deliveries.wait_until_ended(TAKEN_OVER + 20)
    assert owners(service) == {other.id: 64}
    messages = check_arrived(campaign, hooks, leads)
    retried = {one for one, count in deliveries.attempts().items() if count > 1}  # retries happen on a busy machine
    twice = {delivery_id(same[0]) for same in messages.values() if len(same) > 1} - retried
    assert twice and twice <= set(victim.lock.under_way()), "only deliveries under way are sent again"
    started = dict(deliveries.rows(f"SELECT delivery_id, started_ms FROM {ATTEMPTS} a"))
    assert all(started[one] >= lease_end - 50 for one in twice), "not before the lease's end"  # clocks are rounded
    assert other.stale_outcomes() == 0 and other.stop() == 0
    deliveries.check_log()
    service.check()


def check_untouched(deliveries, webhook, count):
    """Check that only what the successor did is recorded: all were delivered at the first attempt, and the webhook has not failed."""
    assert deliveries.rows("SELECT d.state = 'delivered', d.attempts, d.last_status FROM lh_deliveries d "
                           f"WHERE d.webhook_id = {webhook['referenceId']}") == [[1, 1, 200]] * count
    assert deliveries.rows("SELECT last_status, failing_since_ms IS NULL, failures, hold_until_ms FROM lh_webhook_status "
                           f"WHERE webhook_id = {webhook['referenceId']}") == [[200, 1, 0, 0]]


@pytest.mark.parametrize("successor", first("is sending", "has recorded"))
def test_one_that_is_suspended_longer_than_its_lease(service, receiver, campaign, deliveries, dispatchers, successor):
    """docs/deliveries.md 4.1 Lease, Lost lease: the suspended dispatcher sends and records nothing more, whether its successor
    still has the deliveries in flight or has ended them"""
    suspended, other = dispatchers(2)
    assert owners(service) == {suspended.id: 64}
    webhook, count = campaign.webhook("new_signup"), 20
    campaign.lead(email="first@example.org")  # after this success, the dispatcher fetches more than it can send
    campaign.delivered(1)
    deliveries.wait_until_ended(10)
    # so slow that nothing is retried before the suspension, no matter how long these sign-ups take
    receiver.script(campaign.hook, Answer(500, delay=ATTEMPT_TIMEOUT - 1))
    for number in range(count):
        campaign.lead(email=f"{number}@example.org")
    campaign.delivered(1 + CONCURRENCY)
    suspended.suspend()
    sent = len(suspended.lock.under_way())
    assert CONCURRENCY <= sent < count
    receiver.script(campaign.hook, Answer(200, delay=ATTEMPT_TIMEOUT - 1 if successor == "is sending" else 0))
    if successor == "is sending":
        wait_until(other.lock.under_way, TAKEN_OVER, "they are under way again")
    else:
        deliveries.wait_until_ended(TAKEN_OVER + 20)
    suspended.send(signal.SIGCONT)
    wait_until(lambda: suspended.stale_outcomes() == sent, 10, "it discards its outcomes")
    deliveries.wait_until_ended(20)
    assert owners(service) == {other.id: 64} and suspended.lock.under_way() == {}
    senders = [one.headers["user-agent"] for one in receiver.at(campaign.hook)]
    assert senders.count(other.number) == count and senders.count(suspended.number) <= 1 + sent
    check_untouched(deliveries, webhook, 1 + count)
    assert other.stale_outcomes() == 0 and other.stop() == 0
    campaign.lead(email="last@example.org")
    wait_until(lambda: suspended.id in owners(service) and deliveries.pending() == 0, 15, "it takes over again")
    assert suspended.stop() == 0
    check_untouched(deliveries, webhook, 1 + count + 1)
    deliveries.check_log()
    service.check()


def test_redelivery_of_what_is_under_way_elsewhere(service, receiver, campaign, deliveries, dispatchers):
    """docs/deliveries.md 3.2: the command does not know about the attempt; when the attempt fails, the delivery is due at once, and
    its schedule starts again"""
    webhook = campaign.webhook("new_signup")
    service.installation.admin("webhook", "set", str(webhook["referenceId"]), "schedule=1s 1h")
    receiver.script(campaign.hook, Answer(500), Answer(500, delay=1), Answer(500), Answer(200))
    dispatchers(1)
    campaign.lead(email="a@example.org")
    delivery = delivery_id(campaign.delivered(2)[1])
    assert service.installation.admin("delivery", "redeliver", str(delivery)) == {"queued": 1}
    deliveries.wait_until_ended(15)
    shown = service.installation.admin("delivery", "show", str(delivery))
    assert shown["state"] == "delivered" and [attempt["status"] for attempt in shown["log"]] == [500, 500, 500, 200]
    deliveries.check_log()
