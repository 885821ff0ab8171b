# SPDX-License-Identifier: MIT
"""docs/deliveries.md 4: deliveries to hanging receivers do not delay others, however many are due; rates are respected.

An attempt may take a minute here, and tests wait for half of that time, so everything arrives while the hanging attempts are under
way.
"""
import collections
import datetime

import pytest
from deliveries import Deliveries
from stack.process import wait_until
from stack.receiver import Answer

pytestmark = pytest.mark.long

CONCURRENCY = 4  # dispatch.initial_concurrency: attempts under way at a webhook that has not answered yet
IN_FLIGHT = 512  # dispatch.in_flight
OLDER_MS = 600_000
IDS_OF_A_DAY = 2**36  # docs/architecture.md 9.1
SOON = 30  # seconds


@pytest.fixture(scope="module")
def service(make_service):
    return make_service(settings=[("dispatch", "attempt_timeout", "60s"), ("dispatch", "connect_timeout", "60s"),
                                  ("dispatch", "lease", "80s"), ("limits", "webhooks_per_campaign", 100)])


@pytest.fixture
def deliveries(service):
    """Removes all pending deliveries after the test."""
    yield Deliveries(service)
    service.installation.sql("TRUNCATE TABLE lh_due")


@pytest.fixture
def dispatcher(service, deliveries):
    """The dispatcher, not yet started. Hanging attempts are ended after the test."""
    yield service.dispatcher
    service.dispatcher.kill()
    service.receiver.released.set()
    service.receiver.released.clear()


def register(campaign, name, count):
    """Register this many webhooks of the campaign; return the answers and the paths."""
    below = [f"/{name}/{number}" for number in range(count)]
    return [campaign.webhook("new_signup", below=one) for one in below], [campaign.hook + one for one in below]


def hang(receiver, paths):
    for path in paths:
        receiver.script(path, Answer(hang=True))


def arrived(receiver, paths):
    """Return the number of requests, by path."""
    counts = collections.Counter(one.path for one in list(receiver.deliveries))
    return [counts[path] for path in paths]


def copy(deliveries, webhooks, count, older_ms=0):
    for webhook in webhooks:
        deliveries.copy(webhook, count, older_ms)


def check_all_hang(receiver, deliveries, hanging, paths):
    """Check that the hanging receivers have received something, and that none of their attempts has ended."""
    assert 0 < max(arrived(receiver, paths)) <= CONCURRENCY
    ids = ", ".join(str(webhook["referenceId"]) for webhook in hanging)
    assert deliveries.number(f"SELECT COUNT(*) FROM lh_due u JOIN lh_attempts a ON a.delivery_id = u.id "
                             f"WHERE u.webhook_id IN ({ids})") == 0


def test_hundred_thousand_hanging_deliveries(receiver, campaign, deliveries, dispatcher):
    """docs/deliveries.md 4 Fairness: one webhook has very many due rows, all older than those of 30 other webhooks"""
    hanging, hung = register(campaign, "hangs", 1)
    fast, paths = register(campaign, "fast", 30)
    hang(receiver, hung)
    campaign.lead(email="a@example.org")
    copy(deliveries, hanging, 100_000, OLDER_MS)
    copy(deliveries, fast, 19)
    dispatcher.start()
    wait_until(lambda: arrived(receiver, paths) == [20] * len(paths), SOON, "all others get their deliveries")
    campaign.lead(email="b@example.org")
    wait_until(lambda: arrived(receiver, paths) == [21] * len(paths), SOON, "new deliveries arrive")
    check_all_hang(receiver, deliveries, hanging, hung)


@pytest.mark.parametrize("hung_known, good_known", [(True, True), (True, False), (False, True), (False, False)])
def test_seventy_hanging_webhooks(receiver, campaign, deliveries, dispatcher, hung_known, good_known):
    """docs/deliveries.md 4 Fairness: more hanging webhooks, with older deliveries, than would initially fill all slots; ten others get
    their deliveries"""
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
    wait_until(lambda: min(arrived(receiver, paths["good"])) >= 10, SOON, "working webhooks get their deliveries")
    check_all_hang(receiver, deliveries, webhooks["hangs"], paths["hangs"])


def test_hanging_webhooks_of_another_account(service, receiver, account, deliveries, dispatcher):
    """docs/deliveries.md 4 Fairness: hundreds of new hanging webhooks of one account do not delay a new one of another account"""
    hung = []
    for _ in range(3):
        hanging = service.campaign(account)
        hung += register(hanging, "hangs", 100)[1]
        hang(receiver, hung[-100:])
        hanging.lead(email="a@example.org")
    other = service.campaign()
    dispatcher.start()
    wait_until(lambda: sum(arrived(receiver, hung)) >= 16, SOON, "deliveries hang")
    for number in range(3):
        [_], [path] = register(other, f"new/{number}", 1)
        other.lead(email=f"{number}@example.org")
        wait_until(lambda: arrived(receiver, [path]) == [1], 5, "a new webhook gets its delivery")
    assert sum(arrived(receiver, hung)) == IN_FLIGHT // 2 // 4, "a quarter of the share of webhooks on probation"


def test_cost_of_a_poll_depends_on_webhooks(service, receiver, campaign, deliveries, dispatcher):
    """docs/deliveries.md 4: the cost of the dispatcher's polling does not depend on the number of due deliveries"""
    webhooks, paths = register(campaign, "many", 50)
    for webhook in webhooks:
        service.installation.admin("webhook", "set", str(webhook["referenceId"]), "rate=2")
    campaign.lead(email="a@example.org")
    copy(deliveries, webhooks, 2000)
    deliveries.sql(f"UPDATE lh_due SET id = id - {IDS_OF_A_DAY}")  # a poll of the newest rows would read them all
    deliveries.sql("ANALYZE TABLE lh_due")

    def rows_read():
        return deliveries.number("SELECT CAST(SUM(VARIABLE_VALUE) AS SIGNED) FROM information_schema.GLOBAL_STATUS "
                                 "WHERE VARIABLE_NAME LIKE 'HANDLER\\_READ\\_%'")
    dispatcher.start()
    wait_until(lambda: min(arrived(receiver, paths)) >= 2, SOON, "the first deliveries arrive")
    before = rows_read()
    wait_until(lambda: min(arrived(receiver, paths)) >= 6, SOON, "more deliveries arrive")
    read = rows_read() - before
    assert read < 50_000, "less than all due rows"


def test_a_rate(receiver, campaign, deliveries, dispatcher):
    """docs/deliveries.md 4 Rate: this many deliveries per second, evenly spread, without affecting other webhooks"""
    rate, count = 10, 60
    (limited, free), paths = register(campaign, "rate", 2)
    deliveries.sql(f"UPDATE lh_webhooks SET rate = {rate} WHERE id = {limited['referenceId']}")
    campaign.lead(email="a@example.org")
    copy(deliveries, (limited, free), count - 1)
    dispatcher.start()
    slow, fast = (receiver.wait_for(count, SOON, path) for path in paths)
    times = [datetime.datetime.fromisoformat(one.time).timestamp() for one in slow]
    # A tenth of a second's deliveries may be sent together, and a busy receiver may record the first one late.
    assert times[-1] - times[0] > (count - 1 - rate / 10) / rate - 0.3
    stamps = collections.Counter(one.headers["webhook-timestamp"] for one in slow)
    assert max(stamps.values()) <= rate + rate / 10, "in no second of the dispatcher's clock"
    assert fast[-1].time < slow[count * 3 // 4].time
