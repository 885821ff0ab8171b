# SPDX-License-Identifier: MIT
"""docs/mail.md 8.4: whatever is killed, no text is sent twice, each has an outcome, and webhooks and other texts are not delayed."""
import os
import random
import signal
import threading
import time

import pytest
from companions import companion, is_running
from settings import TEST_SETTINGS
from stack.process import suspend, thread_states, wait_until
from text_gateway import accepted

pytestmark = pytest.mark.long

IN_FLIGHT, TEXTS, KILLS, TIMEOUT_S = 8, 60, 4, 5
CODE = 6


@pytest.fixture(scope="module")
def service(make_service, gateway):
    limits = ("codes_per_address", "signups_per_address", "posts_per_address")
    return make_service(settings=[*gateway.settings(timeout=f"{TIMEOUT_S}s", campaign_per_hour=100000, prefix_per_hour=100000),
                                  *(("limits", name, "") for name in limits)])


@pytest.fixture
def campaign(service, account, gateway):
    gateway.answer = accepted
    gateway.texts.clear()
    service.installation.sql("DELETE FROM lh_messages; DELETE FROM lh_sent_codes")
    return service.campaign(account, verify_phone="on")


@pytest.fixture
def dispatcher(service):
    service.dispatcher.start()
    yield service.dispatcher
    service.dispatcher.stop()


def sign_up(campaign, number):
    phone = f"+49151{number:08}"
    assert campaign.post({"phone_number": phone}, key=None).status == 200
    return phone


def outcomes(service):
    rows = service.installation.sql(f"SELECT state, COALESCE(reason, '-') FROM lh_messages WHERE kind = {CODE} ORDER BY id")
    return [tuple(line.split("\t")) for line in rows.splitlines()]


def end_leases(service):
    """End all leases, as if their time had passed."""
    service.installation.sql(f"UPDATE lh_messages SET due_ms = 1 WHERE kind = {CODE} AND state IN ('requested', 'ready')")


@pytest.mark.parametrize("victim", ["process", "dispatcher"])
def test_killed_during_a_request(service, gateway, campaign, dispatcher, victim):
    """the gateway may have sent the text, which costs money, so it is not sent again. Other texts are sent, and webhooks are
    delivered in the meantime"""
    campaign.webhook("new_signup")
    gateway.answer = lambda _: None
    lost = sign_up(campaign, 1)
    wait_until(lambda: gateway.to(lost), 10, "no request")
    _, sender = companion(dispatcher)
    if victim == "process":
        os.kill(sender, signal.SIGKILL)
    else:
        os.kill(dispatcher.process.pid, signal.SIGKILL)
        dispatcher.process.wait(10)
        wait_until(lambda: not is_running(sender), 30, "it outlives the dispatcher")
        dispatcher.kill()
        dispatcher.start()
    gateway.answer = accepted
    other = sign_up(campaign, 2)
    wait_until(lambda: gateway.to(other), 20, "the other text waits")
    campaign.delivered(2, "new_signup", deadline=10)
    end_leases(service)
    wait_until(lambda: outcomes(service) == [("failed", "unknown_outcome"), ("sent", "-")], 10, "no outcome")
    assert gateway.counts() == {lost: 1, other: 1}


def test_killed_between_requests(service, gateway, campaign, dispatcher):
    """another process takes its place"""
    first = sign_up(campaign, 3)
    wait_until(lambda: outcomes(service) == [("sent", "-")], 20, "no outcome")
    sender = companion(dispatcher)[1]
    os.kill(sender, signal.SIGKILL)
    second = sign_up(campaign, 4)
    wait_until(lambda: outcomes(service) == [("sent", "-")] * 2, 20, "the other text waits")
    assert gateway.counts() == {first: 1, second: 1} and companion(dispatcher)[1] != sender


def test_stopped_during_a_request(service, gateway, campaign, dispatcher):
    """an answer that came in time counts, however late it is read"""
    released = threading.Event()
    gateway.answer = lambda text: released.wait(60) and accepted(text)
    phone = sign_up(campaign, 5)
    wait_until(lambda: gateway.to(phone), 10, "no request")
    sender = companion(dispatcher)[1]
    wait_until(lambda: set(thread_states(sender)) == {"S"}, 10, "it does not wait for the answer")
    suspend(sender)
    over = time.monotonic() + TIMEOUT_S
    released.set()
    wait_until(lambda: time.monotonic() > over, 2 * TIMEOUT_S, "the time does not pass")
    os.kill(sender, signal.SIGCONT)
    wait_until(lambda: outcomes(service) == [("sent", "-")], 20, "no outcome")


def accepting(count):
    """Return a gateway that accepts this many texts and does not answer the others, so that some are in progress at each kill."""
    rest = threading.Semaphore(count)
    return lambda text: accepted(text) if rest.acquire(blocking=False) else None


def test_killed_at_random_moments(service, gateway, campaign, dispatcher):
    chance = random.Random(int(TEST_SETTINGS.get("LEADHOOK_SEED", 1)))
    dispatcher.stop()
    phones = [sign_up(campaign, number) for number in range(100, 100 + TEXTS)]
    for _ in range(KILLS):
        count = chance.randrange(1, TEXTS // KILLS - IN_FLIGHT)
        wanted = len(gateway.texts) + chance.randrange(1, count + 1)
        gateway.answer = accepting(count)
        dispatcher.start()
        wait_until(lambda: len(gateway.texts) >= wanted, 20, "no texts arrive")
        os.kill(companion(dispatcher)[1], signal.SIGKILL)
        dispatcher.kill()
        end_leases(service)
    gateway.answer = accepted
    dispatcher.start()
    wait_until(lambda: all(state in ("sent", "failed") for state, _ in outcomes(service)), 90, "texts are left")
    seen = outcomes(service)
    assert len(seen) == TEXTS and seen.count(("sent", "-")) + seen.count(("failed", "unknown_outcome")) == TEXTS
    assert 0 < seen.count(("failed", "unknown_outcome")) <= IN_FLIGHT * KILLS
    assert max(gateway.counts().values()) == 1 and set(gateway.counts()) <= set(phones)
    assert len(gateway.texts) >= seen.count(("sent", "-"))
