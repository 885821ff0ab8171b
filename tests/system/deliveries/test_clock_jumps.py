# SPDX-License-Identifier: MIT
"""docs/deliveries.md 3 Guarantee: the database's clock jumps ahead or back by an hour during deliveries; nothing is lost, and little
is sent twice.

libfaketime changes only the clock of the database.
"""
import concurrent.futures
import json

import pytest
from command import call
from deliveries import Deliveries, check_arrived, sign_up
from sql import Database, run_database
from stack.clock import LIBRARY, Clock
from stack.process import wait_until
from stack.receiver import Answer

pytestmark = [pytest.mark.long, pytest.mark.skipif(LIBRARY is None, reason="needs libfaketime")]

HOUR = 3600
LEASE = 45  # seconds, more than the tests wait for deliveries
SOON = 15


class ShiftedDatabase(Database):
    """A database whose clock can jump."""

    def command(self):
        self.clock = Clock(self.folder / "clock")
        return super().command()


@pytest.fixture(scope="module")
def database(make_folder):
    yield from run_database(make_folder(), ShiftedDatabase)


@pytest.fixture(scope="module")
def service(make_service):
    return make_service(settings=[("dispatch", "attempt_timeout", "3s"), ("dispatch", "lease", f"{LEASE}s")])


@pytest.fixture
def deliveries(service, database):
    """Remove what is pending after the test, because it may be due only in an hour."""
    yield Deliveries(service)
    database.clock.jump(0)
    service.installation.sql("TRUNCATE TABLE lh_due")


@pytest.fixture
def dispatcher(service, deliveries):
    yield service.dispatcher.start()
    service.dispatcher.stop()


HOOKS = {"/fast": Answer(), "/slow": Answer(delay=1), "/rate": Answer()}


@pytest.fixture
def hooks(service, receiver, campaign):
    for below, answer in HOOKS.items():
        webhook = campaign.webhook("new_signup", below=below)
        receiver.script(campaign.hook + below, answer)
        if below == "/rate":
            service.installation.admin("webhook", "set", str(webhook["referenceId"]), "rate=20")
    return list(HOOKS)


def arrived(campaign, hooks):
    """Return the leads that all of these receivers have received."""
    received = list(campaign.service.receiver.deliveries)
    return set.intersection(*[{one.json["social_id"] for one in received if one.path == campaign.hook + below} for below in hooks])


def check_sent(campaign, hooks, leads, jumps):
    """Check that all leads have arrived. After a jump, a dispatcher may send again only what it had in flight."""
    messages = check_arrived(campaign, hooks, leads)
    assert max(len(same) for same in messages.values()) <= 1 + jumps


def findings(service):
    """Return the findings of `leadhook check --deep`, which may only be that the clocks differ."""
    done = call(service.installation, "check", "--deep", "--json")
    return [one["what"] for one in json.loads(done.stdout)["findings"]]


def test_a_jump_ahead(service, database, campaign, hooks, deliveries, dispatcher):
    """the lease ends before the dispatcher expects it: it renews the lease, and sends what was in flight at most once more"""
    leads = sign_up(campaign, 20)
    wait_until(deliveries.lock.under_way, SOON, "deliveries are under way")
    database.clock.jump(HOUR)
    leads |= sign_up(campaign, 20, 20)
    deliveries.wait_until_ended(SOON)
    check_sent(campaign, hooks, leads, jumps=1)
    assert dispatcher.stop() == 0
    deliveries.check_log()
    assert findings(service) == ["clock"]


def test_a_jump_back(service, database, campaign, hooks, deliveries, dispatcher):
    """deliveries made afterwards arrive soon, even with a rate limit; those that were due before wait until they are due again"""
    database.clock.jump(HOUR)
    leads = sign_up(campaign, 20)
    wait_until(deliveries.lock.under_way, SOON, "deliveries are under way")
    database.clock.jump(0)
    later = sign_up(campaign, 20, 20)
    wait_until(lambda: arrived(campaign, hooks) >= later, SOON, "new deliveries arrive")
    database.clock.jump(HOUR)
    deliveries.wait_until_ended(SOON)
    check_sent(campaign, hooks, leads | later, jumps=2)
    assert dispatcher.stop() == 0
    deliveries.check_log()
    assert findings(service) == ["clock"]


def test_a_retry_that_waits(service, receiver, database, campaign, deliveries, dispatcher):
    """a retry keeps its time: after a jump back it is due an hour later and does not delay others; after a jump ahead it is due at once"""
    webhook = campaign.webhook("new_signup")
    service.installation.admin("webhook", "set", str(webhook["referenceId"]), "schedule=10m")
    receiver.script(campaign.hook, Answer(500))
    database.clock.jump(HOUR)
    leads = sign_up(campaign, 1)
    wait_until(lambda: deliveries.number("SELECT COUNT(*) FROM lh_due WHERE attempts = 1") == 1, SOON, "it is to be retried")
    receiver.script(campaign.hook, Answer())
    database.clock.jump(0)
    leads |= sign_up(campaign, 3, 1)
    wait_until(lambda: deliveries.pending() == 1, SOON, "new deliveries do not wait for it")
    database.clock.jump(2 * HOUR)
    deliveries.wait_until_ended(SOON)
    check_arrived(campaign, [""], leads)
    deliveries.check_log()


def test_a_kill_and_a_jump_back(database, campaign, hooks, deliveries, dispatcher):
    """the next dispatcher with the lock file does not wait for the end of the lease, which is an hour away"""
    database.clock.jump(HOUR)
    leads = sign_up(campaign, 10)
    wait_until(deliveries.lock.under_way, SOON, "deliveries are under way")
    dispatcher.kill()
    database.clock.jump(0)
    dispatcher.start()
    later = sign_up(campaign, 10, 10)
    wait_until(lambda: arrived(campaign, hooks) >= later, SOON, "new deliveries arrive")
    database.clock.jump(HOUR)
    deliveries.wait_until_ended(SOON)
    check_sent(campaign, hooks, leads | later, jumps=3)


def test_jumps_during_waits_for_latches(database):
    """scripts/stack/clock.py: a jump while a thread of the server waits for a latch does not end the server"""
    def change_tables(number):
        for _ in range(200):
            database.sql(f"CREATE TABLE waits.t{number} (a INT) ENGINE=InnoDB; DROP TABLE waits.t{number}")
    database.sql("CREATE DATABASE waits")
    ahead = 0
    with concurrent.futures.ThreadPoolExecutor() as pool:
        changes = [pool.submit(change_tables, number) for number in range(4)]
        while concurrent.futures.wait(changes, 0.01).not_done:
            ahead += 1000
            database.clock.jump(ahead)
        for change in changes:
            change.result()
    database.clock.jump(0)
    database.sql("DROP DATABASE waits")
