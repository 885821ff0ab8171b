# SPDX-License-Identifier: MIT
"""docs/deliveries.md 4 Several dispatchers: any number at once, with one per webhook at a time; one that dies or is suspended is
replaced when its lease ends, and changes nothing afterwards.

They have different lock files, as on different hosts. test_delivery.py tests a second one with the same file.
"""
import contextlib
import re
import signal

import pytest
from deliveries import Deliveries, by_message, check_arrived, delivery_id, sign_up
from stack.process import Child, wait_until
from stack.receiver import Answer

pytestmark = pytest.mark.slow

ATTEMPT_TIMEOUT, LEASE = 3, 18  # seconds; the shortest lease for this timeout
TAKEN_OVER = LEASE + LEASE / 3 + 10  # leases are checked three times while they last; ten seconds are for a busy machine
HOOKS = 16


@pytest.fixture(scope="module")
def service(make_service):
    return make_service(settings=[("dispatch", "attempt_timeout", f"{ATTEMPT_TIMEOUT}s"), ("dispatch", "lease", f"{LEASE}s"),
                                  ("dispatch", "schedule", "1s 1s 1s 1s"), ("dispatch", "per_webhook", 8)])


@pytest.fixture
def deliveries(service):
    return Deliveries(service)


class Dispatcher(Child):
    """A daemon with its own lock file, which contains its id."""

    def __init__(self, service, folder):
        program = service.installation.program("leadhook-dispatch")
        self.lock = folder / "lock"
        super().__init__("leadhook-dispatch", ["env", f"LEADHOOK_DISPATCH_LOCK_FILE={self.lock}", "LEADHOOK_LOG_LEVEL=debug", program, "--config",
                                               service.installation.config, "--daemon"], folder / "log")

    def start(self):
        super().start()
        return self.ready(lambda: self.lock.exists() and len(self.lock.read_text().strip()) == 32)

    @property
    def id(self):
        return self.lock.read_text().strip().upper()

    @property
    def token(self):
        """The start of the tokens of its claims."""
        return self.id[:16]

    def has_claimed(self):
        return " claimed deliveries=" in self.log.read_text()

    def claims_lost(self):
        return sum(map(int, re.findall(r" claims_lost deliveries=(\d+)", self.log.read_text())))


def free_shards(service):
    service.installation.sql("UPDATE lh_dispatch_shards SET owner = NULL")


@pytest.fixture
def dispatchers(service, tmp_path):
    """Starts `count` dispatchers; the first has all shards. With `contend` each one acts as the owner of all shards until it renews
    its lease, which is worse than anything that leases can cause."""
    with contextlib.ExitStack() as running:
        def make(count, contend=False):
            made = []
            free_shards(service)
            for number in range(count):
                folder = tmp_path / str(number)
                folder.mkdir()
                made.append(Dispatcher(service, folder))
                running.callback(made[-1].kill)
                made[-1].start()
                if contend or number == 0:
                    wait_until(lambda: made[-1].id in owners(service), 10, "it has leases")
                if contend:
                    free_shards(service)
            return made
        yield make


def owners(service):
    """The owners of shards, with the number of their shards."""
    rows = service.installation.sql("SELECT HEX(owner), COUNT(*) FROM lh_dispatch_shards WHERE owner IS NOT NULL GROUP BY owner")
    return {owner: int(count) for owner, count in (line.split("\t") for line in rows.splitlines())}


def share(deliveries, running):
    """Gives each an equal part of the shards, as after the death of others; returns when all have renewed their leases."""
    for number, one in enumerate(running):
        deliveries.sql(f"UPDATE lh_dispatch_shards SET owner = UNHEX('{one.id}') WHERE shard % {len(running)} = {number}")
    last = deliveries.number("SELECT MAX(lease_until_ms) FROM lh_dispatch_shards")
    wait_until(lambda: deliveries.number("SELECT MIN(lease_until_ms) FROM lh_dispatch_shards") > last, LEASE, "all have renewed")


def all_hooks(campaign, answer):
    """Registers enough webhooks of the campaign to use many shards; returns their paths below the campaign's."""
    hooks = [f"/{number}" for number in range(HOOKS)]
    for below in hooks:
        campaign.webhook("new_signup", below=below)
        campaign.service.receiver.script(campaign.hook + below, answer)
    return hooks


def test_four_at_once(service, receiver, campaign, deliveries, dispatchers):
    """4 Several dispatchers: no row is claimed twice, even while two act as owner of its webhook"""
    hooks = all_hooks(campaign, Answer(delay=0.3))
    leads = sign_up(campaign, 100)
    running = dispatchers(4, contend=True)
    wait_until(lambda: deliveries.pending() == 0, 60, "every delivery has ended")
    assert sum(one.has_claimed() for one in running) > 1
    messages = check_arrived(campaign, hooks, leads)
    assert all(len(same) == 1 for same in messages.values())
    assert deliveries.number("SELECT COUNT(*) FROM lh_deliveries WHERE attempts > 1 OR state <> 'delivered'") == 0
    assert [one.stop() for one in running] == [0] * len(running) and owners(service) == {}
    assert all(one.claims_lost() == 0 for one in running)


def test_one_that_dies(service, receiver, campaign, deliveries, dispatchers):
    """4 Several dispatchers: after its lease others take over its webhooks and its deliveries under way; nothing else is
    sent twice"""
    hooks = all_hooks(campaign, Answer(delay=1))
    victim, other = dispatchers(2)
    share(deliveries, (victim, other))
    leads = sign_up(campaign, 8)
    wait_until(lambda: deliveries.claimed(victim.token) > 0 and deliveries.claimed(other.token) > 0, 20, "both deliver")
    victim.kill()
    now_ms = deliveries.number("SELECT CAST(UNIX_TIMESTAMP(NOW(3)) * 1000 AS INTEGER)")
    due_again = dict(deliveries.rows(f"SELECT id, due_ms FROM lh_due WHERE HEX(token) LIKE '{victim.token}%'"))
    assert min(due_again.values()) - now_ms > (LEASE - ATTEMPT_TIMEOUT - 1) * 1000
    assert owners(service) == {victim.id: 32, other.id: 32}
    leads |= sign_up(campaign, 2, first=8)
    deliveries.wait_until_ended(TAKEN_OVER + 20)
    assert owners(service) == {other.id: 64}
    messages = check_arrived(campaign, hooks, leads)
    twice = {delivery_id(same[0]) for same in messages.values() if len(same) > 1}
    assert twice and twice <= set(due_again), "only deliveries under way are sent again"
    started = dict(deliveries.rows("SELECT delivery_id, started_ms FROM lh_attempts WHERE attempt = 2"))
    assert all(started[one] >= due_again[one] - 50 for one in twice), "not before the lease's end"  # clocks are rounded
    assert other.claims_lost() == 0 and other.stop() == 0
    deliveries.check_log()
    service.check()


def test_one_that_is_suspended_longer_than_its_lease(service, receiver, campaign, deliveries, dispatchers):
    """4 Outcomes are recorded only while the token matches: deliveries claimed by another dispatcher are not changed; the
    other one's clean end releases all leases at once"""
    suspended, other = dispatchers(2)
    assert owners(service) == {suspended.id: 64}
    webhook = campaign.webhook("new_signup")
    count = 3
    slowly = ATTEMPT_TIMEOUT - 1  # so that nothing is retried before the suspension, however long these sign-ups take
    receiver.script(campaign.hook, *[Answer(500, delay=slowly)] * count, *[Answer(200, delay=slowly)] * count, Answer())
    for number in range(count):
        campaign.lead(email=f"{number}@example.org")
    campaign.delivered(count)
    suspended.send(signal.SIGSTOP)
    assert deliveries.claimed(suspended.token) == count
    campaign.delivered(2 * count, deadline=TAKEN_OVER)
    assert deliveries.claimed(other.token) == count, "they are under way again"
    suspended.send(signal.SIGCONT)
    wait_until(lambda: suspended.claims_lost() == count, 10, "it gives up its claims")
    deliveries.wait_until_ended(15)
    assert owners(service) == {other.id: 64}
    assert len(by_message(campaign.delivered(2 * count))) == count
    assert deliveries.rows(f"SELECT d.state = 'delivered', d.attempts, a.attempt, a.status FROM lh_deliveries d "
                           f"JOIN lh_attempts a ON a.delivery_id = d.id WHERE d.webhook_id = {webhook['referenceId']}") == \
        [[1, 2, 2, 200]] * count
    assert other.claims_lost() == 0
    assert other.stop() == 0
    campaign.lead(email="last@example.org")
    campaign.delivered(2 * count + 1)
    assert owners(service) == {suspended.id: 64} and suspended.stop() == 0
    deliveries.check_log()
    service.check()
