# SPDX-License-Identifier: MIT
"""The dispatcher or its database dies at random moments during deliveries: nothing is lost, and little is sent twice.

docs/deliveries.md 3 Guarantee, 6 Database gone. LEADHOOK_KILLS is the number of kills (higher with scripts/check --long);
LEADHOOK_SEED repeats the random choices of a failed run.
"""
import collections
import random
import subprocess

import pytest
from deliveries import Deliveries, check_arrived, delivery_id, sign_up
from settings import TEST_SETTINGS
from stack.process import wait_until
from stack.receiver import Answer

pytestmark = pytest.mark.slow

KILLS = int(TEST_SETTINGS.get("LEADHOOK_KILLS", 15))
IN_FLIGHT = 512  # dispatch.in_flight
HOOKS, LEADS_A_KILL = 20, 4
LONGEST_LIFE = 0.5  # seconds that a dispatcher lives before it is killed, from its start or its first delivery
SECONDS_TO_END = 300  # the delay of a delivery whose attempts were interrupted again and again
# Concurrency that fills all slots. A lease outlasts every outage here, so that nothing becomes due again meanwhile.
SETTINGS = [("dispatch", "initial_concurrency", 16), ("dispatch", "schedule", "1s " * 32), ("dispatch", "breaker_wait", "1s"),
            ("dispatch", "breaker_max_wait", "1s"), ("dispatch", "attempt_timeout", "3s"), ("dispatch", "lease", "25s")]


@pytest.fixture(scope="module")
def database(own_database):
    return own_database


@pytest.fixture(scope="module")
def service(make_service):
    return make_service(settings=SETTINGS)


@pytest.fixture
def deliveries(service):
    return Deliveries(service)


@pytest.fixture
def dispatcher(service):
    """The dispatcher, not started."""
    yield service.dispatcher
    service.receiver.released.set()
    service.dispatcher.stop()
    service.receiver.released.clear()


def sometimes(chance, rarely, mostly, number):
    """Return a receiver's answers: `number` random ones, then `mostly`. `rarely` and `mostly` are functions of a random
    generator."""
    return [rarely(chance) if chance.random() < 0.25 else mostly(chance) for _ in range(number)] + [mostly(chance)]


def at_once(_):
    return Answer()


def slowly(chance):
    return Answer(delay=chance.uniform(0.05, 0.4))


def failing(chance):
    return Answer(chance.choice([301, 404, 500]), delay=chance.choice([0, 0.1]))


def busy(chance):
    return chance.choice([Answer(429, {"Retry-After": "1"}), Answer(503), Answer(hang=True)])


KINDS = ((at_once, at_once), (slowly, slowly), (failing, at_once), (busy, slowly))


class Kills:
    """Kills the dispatcher, and each time counts what is in flight according to its lock file."""

    def __init__(self, dispatcher, deliveries):
        self.dispatcher, self.deliveries = dispatcher, deliveries
        self.owner, self.at_once = "", []
        self.interrupted = collections.Counter()  # number of kills during an attempt, by delivery

    def wait_until_under_way(self):
        """Wait until the dispatcher that was started last has begun deliveries."""
        lock = self.deliveries.lock
        wait_until(lambda: lock.owner != self.owner and lock.under_way(), 20, "deliveries are under way")

    def kill(self):
        self.dispatcher.kill()
        lock = self.deliveries.lock
        if lock.owner == self.owner:  # the dispatcher was killed before it could recover what the previous one left
            return
        self.owner, under_way = lock.owner, lock.under_way()
        assert len(under_way) <= IN_FLIGHT
        self.interrupted.update(under_way.keys())
        self.at_once.append(len(under_way))

    def sent_twice(self, messages):
        """Return the number of attempts that arrived without being recorded. Each was interrupted by a kill, and is counted."""
        recorded = self.deliveries.attempts()
        counted = dict(self.deliveries.rows("SELECT id, attempts FROM lh_deliveries"))
        twice = 0
        for same in messages.values():
            delivery = delivery_id(same[0])
            assert delivery in recorded, "every delivery has an outcome"
            assert len(same) <= counted[delivery] <= recorded[delivery] + self.interrupted[delivery]
            twice += max(0, len(same) - recorded[delivery])
        return twice


def test_killed_at_random_moments(service, receiver, campaign, dispatcher, deliveries):
    """docs/deliveries.md 3 Guarantee: with receivers of all kinds, only deliveries in flight may be sent twice, with the same content"""
    seed = int(TEST_SETTINGS.get("LEADHOOK_SEED", random.randrange(2 ** 48)))
    print(f"LEADHOOK_SEED={seed} LEADHOOK_KILLS={KILLS}")
    chance = random.Random(seed)
    hooks = [f"/{number}" for number in range(HOOKS)]
    for number, below in enumerate(hooks):
        campaign.webhook("new_signup", below=below)
        receiver.script(campaign.hook + below, *sometimes(chance, *KINDS[number % len(KINDS)], KILLS * LEADS_A_KILL))
    leads, kills = set(), Kills(dispatcher, deliveries)
    for kill in range(KILLS):
        leads |= sign_up(campaign, LEADS_A_KILL, kill * LEADS_A_KILL)
        dispatcher.start()
        if kill % 2 == 1:  # on a busy host, all other kills may come during the start
            kills.wait_until_under_way()
        with pytest.raises(subprocess.TimeoutExpired):  # it must not end by itself before a random moment
            dispatcher.process.wait(chance.uniform(0, LONGEST_LIFE))
        kills.kill()
    assert len([count for count in kills.at_once if count > 0]) >= KILLS // 3, "many kills were during deliveries"
    dispatcher.start()
    deliveries.wait_until_ended(SECONDS_TO_END + KILLS)
    assert dispatcher.stop() == 0
    messages = check_arrived(campaign, hooks, leads)
    print(f"sent twice: {kills.sent_twice(messages)}, under way at the kills: {sum(kills.at_once)}")
    assert kills.sent_twice(messages) <= sum(kills.at_once)
    assert deliveries.number("SELECT COUNT(*) FROM lh_deliveries WHERE state <> 'delivered'") == 0
    deliveries.check_log()
    service.check()


def test_more_under_way_than_now_allowed(service, receiver, campaign, deliveries):
    """docs/deliveries.md 4.1 Recovery: after the kill of a dispatcher with a larger dispatch.in_flight, exactly the attempts in flight are
    counted"""
    campaign.webhook("new_signup")
    leads = sign_up(campaign, 2)
    interrupted, other = [row[0] for row in deliveries.rows("SELECT id FROM lh_due ORDER BY id")]
    dead = "ab" * 16
    deliveries.sql(f"UPDATE lh_dispatch_shards SET owner = UNHEX('{dead}'), lease_until_ms = {2 ** 60}")
    deliveries.lock.leave(dead, {interrupted: 1, other: 2, **{number: 1 for number in range(1, 3000)}})
    service.dispatch()
    check_arrived(campaign, [""], leads)
    assert dict(deliveries.rows(f"SELECT id, attempts FROM lh_deliveries WHERE id IN ({interrupted}, {other})")) == {interrupted: 2, other: 1}


def results_wait(dispatcher):
    """Return how often the dispatcher has logged that it could not record results."""
    return dispatcher.log.read_text().count(" database step=record")


def begin_and_lose_the_database(campaign, dispatcher, count):
    """Kill the database while `count` more deliveries are in flight; return when their results wait."""
    receiver, before = campaign.service.receiver, results_wait(dispatcher)
    goal = len(receiver.deliveries) + count
    wait_until(lambda: len(receiver.deliveries) >= goal, 20, "deliveries are under way")
    campaign.service.database.child.kill()
    wait_until(lambda: results_wait(dispatcher) > before, 20, "results wait")


def test_killed_while_results_wait(service, database, receiver, campaign, dispatcher, deliveries):
    """docs/deliveries.md 3 Guarantee, 6 Database gone: unrecorded results, too, are limited to the deliveries in flight"""
    hooks = ["/a", "/b"]
    for below in hooks:
        campaign.webhook("new_signup", below=below)
        receiver.script(campaign.hook + below, Answer(delay=0.5))
    leads = sign_up(campaign, 40)
    kills = Kills(dispatcher, deliveries)
    for _ in range(2):
        dispatcher.start()
        begin_and_lose_the_database(campaign, dispatcher, 16)
        kills.kill()
        database.start()
    assert len(kills.at_once) == 2 and min(kills.at_once) > 0
    dispatcher.start()
    deliveries.wait_until_ended(30)
    messages = check_arrived(campaign, hooks, leads)
    assert 0 < kills.sent_twice(messages) <= sum(kills.at_once)
    deliveries.check_log()
    service.check()


def test_the_database_restarts(service, database, receiver, campaign, dispatcher, deliveries):
    """docs/deliveries.md 6 Database gone: the dispatcher continues and records the waiting results, and nothing is sent again"""
    hooks = ["/a", "/b", "/c"]
    for below in hooks:
        campaign.webhook("new_signup", below=below)
        receiver.script(campaign.hook + below, Answer(delay=0.3))
    leads = sign_up(campaign, 100)
    pid = dispatcher.start().pid
    for _ in range(3):
        begin_and_lose_the_database(campaign, dispatcher, 40)
        database.start()
    deliveries.wait_until_ended(60)
    assert dispatcher.alive() and dispatcher.pid == pid
    messages = check_arrived(campaign, hooks, leads)
    assert all(len(same) == 1 for same in messages.values())
    deliveries.check_log()
    service.check()
