# SPDX-License-Identifier: MIT
"""docs/deliveries.md 3 Breaker, Disabling: a failing webhook is probed while other deliveries wait; after days it is disabled."""
import datetime

import pytest
from deliveries import Deliveries, by_message
from stack.receiver import Answer

pytestmark = pytest.mark.slow

FAILURES, WAITS = 5, [1, 2, 4, 4]  # seconds: dispatch.breaker_wait, doubling to dispatch.breaker_max_wait


@pytest.fixture(scope="module")
def service(make_service):
    return make_service(settings=[("dispatch", "schedule", "1s " * 10), ("dispatch", "breaker_failures", FAILURES),
                                  ("dispatch", "breaker_wait", f"{WAITS[0]}s"), ("dispatch", "breaker_max_wait", f"{WAITS[-1]}s"),
                                  ("dispatch", "disable_after", "1m")])


@pytest.fixture
def deliveries(service):
    return Deliveries(service)


def seconds(received):
    return [datetime.datetime.fromisoformat(one.time).timestamp() for one in received]


def gaps(times):
    return [later - earlier for earlier, later in zip(times, times[1:])]


def test_a_failing_webhook_is_probed(service, receiver, campaign, deliveries):
    """docs/deliveries.md 3 Breaker: waits double; held deliveries use no attempts; after the first success, the rate rises
    slowly"""
    webhook, count, takes = campaign.webhook("new_signup"), 30, 0.2
    receiver.script(campaign.hook, Answer(500))
    for number in range(count):
        campaign.lead(email=f"{number}@example.org")
    service.dispatcher.start()
    try:
        probes = campaign.delivered(FAILURES + len(WAITS), deadline=sum(WAITS) + 20)
        receiver.script(campaign.hook, Answer(delay=takes))
        failed = len(campaign.delivered(len(probes)))
        assert failed == len(probes), "one probe at a time"
        deliveries.wait_until_ended(30)
    finally:
        service.dispatcher.stop()
    received = receiver.at(campaign.hook)
    waited = gaps(seconds(received)[FAILURES - 1:failed + 1])
    # Tolerates a late receiver below, and a busy machine above.
    assert all(gap > wait - 0.2 for gap, wait in zip(waited, [*WAITS, WAITS[-1]]))
    assert min(waited[-2:]) < 2 * WAITS[-1], "never much longer than the longest wait"
    # The successful probe, then one at a time, then two.
    first, second, third, _, fifth = seconds(received)[failed:failed + 5]
    assert all(gap > takes - 0.002 for gap in (second - first, third - second, fifth - third)), "times are cut to milliseconds"
    used = [row["attempts"] for row in service.deliveries(webhook)]
    assert len(by_message(received)) == count == len(used)
    assert sum(used) == len(received) == count + failed
    assert used.count(1) >= count - failed
    deliveries.check_log()


def test_long_failing_webhook_is_disabled(service, receiver, campaign, deliveries):
    """docs/deliveries.md 3 Disabling: it is shown to the operator and the user; pending and new deliveries wait"""
    webhook = campaign.webhook("new_signup")
    receiver.script(campaign.hook, Answer(500))
    campaign.lead(email="a@example.org")
    service.dispatch()
    deliveries.sql("UPDATE lh_webhook_status SET failing_since_ms = failing_since_ms - 60000 "
                   f"WHERE webhook_id = {webhook['referenceId']}")
    campaign.lead(email="b@example.org")
    service.dispatch()
    shown = campaign.get({}, path="/outbound-webhook").json
    for [listed] in (shown, service.installation.admin("webhook", "list", str(campaign.id))):
        assert listed["state"] == "disabled" and listed["last_status"] == 500 and listed["failing_since"]
    assert f" webhook_disabled webhook={webhook['referenceId']} " in service.dispatcher.log.read_text()
    sent = len(receiver.at(campaign.hook))
    receiver.script(campaign.hook, Answer())
    campaign.lead(email="c@example.org")
    deliveries.sql("UPDATE lh_due SET due_ms = 0; UPDATE lh_webhook_status SET hold_until_ms = 0")
    service.dispatch()
    assert len(receiver.at(campaign.hook)) == sent
    rows = service.deliveries(webhook)
    assert {row["state"] for row in rows} == {"pending"} and sorted(row["attempts"] for row in rows)[0] == 0 and len(rows) == 3
