# SPDX-License-Identifier: MIT
"""The dispatcher or its database dies at random moments during deliveries: nothing is lost, little is sent twice.

docs/deliveries.md 3 Guarantee, 6 Database gone. LEADHOOK_KILLS is the number of kills (scripts/check --long: more), LEADHOOK_SEED
repeats the random choices of a failure.
"""
import random
import time

import pytest
from deliveries import Deliveries, check_arrived, delivery_id, sign_up
from settings import TEST_SETTINGS
from stack.process import wait_until
from stack.receiver import Answer

pytestmark = pytest.mark.slow

KILLS = int(TEST_SETTINGS.get("LEADHOOK_KILLS", 15))
IN_FLIGHT = 256  # dispatch.in_flight
HOOKS, LEADS_A_KILL = 20, 10
LONGEST_LIFE = 0.5  # seconds, of a dispatcher that is killed
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
    """A receiver's answers: `number` random ones, and then `mostly`. `rarely`, `mostly`: functions of a generator."""
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


def sent_twice(messages, deliveries):
    """Attempts that arrived without being recorded, of all deliveries."""
    recorded = deliveries.attempts()
    assert {delivery_id(same[0]) for same in messages.values()} <= set(recorded), "every delivery has an outcome"
    return sum(max(0, len(same) - recorded[delivery_id(same[0])]) for same in messages.values())


def test_killed_at_random_moments(service, receiver, campaign, dispatcher, deliveries):
    """3 Guarantee: with receivers of all kinds; only deliveries under way may be sent twice, with the same content"""
    seed = int(TEST_SETTINGS.get("LEADHOOK_SEED", random.randrange(2 ** 48)))
    print(f"LEADHOOK_SEED={seed} LEADHOOK_KILLS={KILLS}")
    chance = random.Random(seed)
    hooks = [f"/{number}" for number in range(HOOKS)]
    for number, below in enumerate(hooks):
        campaign.webhook("new_signup", below=below)
        receiver.script(campaign.hook + below, *sometimes(chance, *KINDS[number % len(KINDS)], KILLS * LEADS_A_KILL))
    leads, in_flight = set(), []
    for kill in range(KILLS):
        leads |= sign_up(campaign, LEADS_A_KILL, kill * LEADS_A_KILL)
        dispatcher.start()
        time.sleep(chance.uniform(0, LONGEST_LIFE))  # a random moment, with nothing to wait for
        assert dispatcher.alive()
        dispatcher.kill()
        in_flight.append(deliveries.claimed())
    assert max(in_flight) <= IN_FLIGHT
    assert len([count for count in in_flight if count > 0]) > KILLS / 2, "most kills were during deliveries"
    dispatcher.start()
    deliveries.wait_until_ended(60 + KILLS)
    assert dispatcher.stop() == 0
    messages = check_arrived(campaign, hooks, leads)
    assert sent_twice(messages, deliveries) <= sum(in_flight)
    assert deliveries.number("SELECT COUNT(*) FROM lh_deliveries WHERE state <> 'delivered'") == 0
    deliveries.check_log()
    service.check()


def results_wait(dispatcher):
    """How often the dispatcher has logged that it could not record results."""
    return dispatcher.log.read_text().count(" database step=record")


def begin_and_lose_the_database(campaign, dispatcher, count):
    """Kills the database while `count` more deliveries are under way; returns when their results wait."""
    receiver, before = campaign.service.receiver, results_wait(dispatcher)
    goal = len(receiver.deliveries) + count
    wait_until(lambda: len(receiver.deliveries) >= goal, 20, "deliveries are under way")
    campaign.service.database.child.kill()
    wait_until(lambda: results_wait(dispatcher) > before, 20, "results wait")


def test_killed_while_results_wait(service, database, receiver, campaign, dispatcher, deliveries):
    """3 Guarantee, 6 Database gone: unrecorded results are limited to the deliveries under way, too"""
    hooks = ["/a", "/b"]
    for below in hooks:
        campaign.webhook("new_signup", below=below)
        receiver.script(campaign.hook + below, Answer(delay=0.5))
    leads = sign_up(campaign, 40)
    in_flight = []
    for _ in range(2):
        dispatcher.start()
        begin_and_lose_the_database(campaign, dispatcher, 16)
        dispatcher.kill()
        database.start()
        in_flight.append(deliveries.claimed())
    assert all(0 < count <= IN_FLIGHT for count in in_flight)
    dispatcher.start()
    deliveries.wait_until_ended(30)
    messages = check_arrived(campaign, hooks, leads)
    assert 0 < sent_twice(messages, deliveries) <= sum(in_flight)
    deliveries.check_log()
    service.check()


def test_the_database_restarts(service, database, receiver, campaign, dispatcher, deliveries):
    """6 Database gone: the dispatcher continues and records the waiting results: nothing is sent again"""
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
