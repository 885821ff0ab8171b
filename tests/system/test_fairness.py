# SPDX-License-Identifier: MIT
"""docs/deliveries.md 4: however much is due to receivers that hang, the others get theirs meanwhile; a rate is kept.

An attempt may take a minute here, and what is waited for half of that: whatever arrives arrives while all that hang do.
"""
import collections
import datetime

import pytest
from deliveries import Deliveries
from stack.process import wait_until
from stack.receiver import Answer

pytestmark = pytest.mark.slow

WINDOW = 4  # dispatch.window: what a webhook gets that has not answered yet
OLDER_MS = 600_000
SOON = 30  # seconds


@pytest.fixture(scope="module")
def service(make_service):
    return make_service(settings=[("dispatch", "attempt_timeout", "60s"), ("dispatch", "connect_timeout", "60s"),
                                  ("dispatch", "lease", "80s"), ("limits", "webhooks_per_campaign", 100)])


@pytest.fixture
def deliveries(service):
    """Nothing is left for the next test, nor claimed by anybody."""
    yield Deliveries(service)
    service.installation.sql("TRUNCATE TABLE lh_due")


@pytest.fixture
def dispatcher(service, deliveries):
    """Not started yet. At its end nobody waits for those that hang."""
    yield service.dispatcher
    service.dispatcher.kill()
    service.receiver.released.set()
    service.receiver.released.clear()


def register(campaign, name, count):
    """So many webhooks of the campaign; the answers, and their paths."""
    below = [f"/{name}/{number}" for number in range(count)]
    return [campaign.webhook("new_signup", below=one) for one in below], [campaign.hook + one for one in below]


def hang(receiver, paths):
    for path in paths:
        receiver.script(path, Answer(hang=True))


def arrived(receiver, paths):
    """How many at these, by path."""
    counts = collections.Counter(one.path for one in list(receiver.deliveries))
    return [counts[path] for path in paths]


def copy(deliveries, webhooks, count, older_ms=0):
    for webhook in webhooks:
        deliveries.copy(webhook, count, older_ms)


def check_all_hang(receiver, deliveries, hanging, paths):
    """They have been sent something, and no attempt of theirs has ended."""
    assert 0 < max(arrived(receiver, paths)) <= WINDOW
    ids = ", ".join(str(webhook["referenceId"]) for webhook in hanging)
    assert deliveries.number(f"SELECT COUNT(*) FROM lh_due u JOIN lh_attempts a ON a.delivery_id = u.id "
                             f"WHERE u.webhook_id IN ({ids})") == 0


def test_a_hundred_thousand_that_hang(receiver, campaign, deliveries, dispatcher):
    """4 Fairness: one webhook with very many due rows, all older than those of 30 others"""
    hanging, hung = register(campaign, "hangs", 1)
    fast, paths = register(campaign, "fast", 30)
    hang(receiver, hung)
    campaign.lead(email="a@example.org")
    copy(deliveries, hanging, 100_000, OLDER_MS)
    copy(deliveries, fast, 19)
    dispatcher.start()
    wait_until(lambda: arrived(receiver, paths) == [20] * len(paths), SOON, "all others get theirs")
    campaign.lead(email="b@example.org")
    wait_until(lambda: arrived(receiver, paths) == [21] * len(paths), SOON, "and what is new")
    check_all_hang(receiver, deliveries, hanging, hung)


@pytest.mark.parametrize("hung_known, good_known", [(True, True), (True, False), (False, True), (False, False)])
def test_seventy_that_hang(receiver, campaign, deliveries, dispatcher, hung_known, good_known):
    """4 Fairness: more webhooks hang than would fill all slots with a window each, all that they have is older; ten others get
    theirs"""
    names = sorted((("good", 10, good_known), ("hangs", 70, hung_known)), key=lambda one: not one[2])
    webhooks, paths = {}, {}
    for name, count, known in names:
        webhooks[name], paths[name] = register(campaign, name, count)
        if known:
            campaign.lead(email=f"{name}@example.org")
            campaign.service.dispatch(30)
    receiver.clear()
    hang(receiver, paths["hangs"])
    campaign.lead(email="a@example.org")
    copy(deliveries, webhooks["hangs"], 6, OLDER_MS)
    copy(deliveries, webhooks["good"], 9)
    dispatcher.start()
    wait_until(lambda: min(arrived(receiver, paths["good"])) >= 10, SOON, "those that answer get theirs")
    check_all_hang(receiver, deliveries, webhooks["hangs"], paths["hangs"])


def test_a_look_costs_by_webhook(service, receiver, campaign, deliveries, dispatcher):
    """4: what a dispatcher asks the database again and again does not depend on how much is due"""
    webhooks, paths = register(campaign, "many", 50)
    for webhook in webhooks:
        service.installation.admin("webhook", "set", str(webhook["referenceId"]), "rate=2")
    campaign.lead(email="a@example.org")
    copy(deliveries, webhooks, 2000)
    deliveries.sql("ANALYZE TABLE lh_due")

    def rows_read():
        return deliveries.number("SELECT CAST(SUM(VARIABLE_VALUE) AS SIGNED) FROM information_schema.GLOBAL_STATUS "
                                 "WHERE VARIABLE_NAME LIKE 'HANDLER\\_READ\\_%'")
    dispatcher.start()
    wait_until(lambda: min(arrived(receiver, paths)) >= 2, SOON, "the first")
    before = rows_read()
    wait_until(lambda: min(arrived(receiver, paths)) >= 6, SOON, "and some more")
    read = rows_read() - before
    assert read < 50_000, "less than all that is due"


def test_a_rate(receiver, campaign, deliveries, dispatcher):
    """4 Rate: so many a second, evenly; others have no part in it"""
    rate, count = 20, 60
    (limited, free), paths = register(campaign, "rate", 2)
    deliveries.sql(f"UPDATE lh_webhooks SET rate = {rate} WHERE id = {limited['referenceId']}")
    campaign.lead(email="a@example.org")
    copy(deliveries, (limited, free), count - 1)
    dispatcher.start()
    slow, fast = (receiver.wait_for(count, SOON, path) for path in paths)
    times = [datetime.datetime.fromisoformat(one.time).timestamp() for one in slow]
    # A tenth of a second's deliveries may go out together, and a busy receiver may be late with the first one.
    assert times[-1] - times[0] > (count - 1 - rate / 10) / rate - 0.3
    stamps = collections.Counter(one.headers["webhook-timestamp"] for one in slow)
    assert max(stamps.values()) <= rate + rate / 10, "in no second of the dispatcher's clock"
    assert fast[-1].time < slow[count // 2].time
