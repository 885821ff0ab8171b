# SPDX-License-Identifier: MIT
"""docs/deliveries.md 4.1 Recovery: a delivery that kills the dispatcher at each attempt runs out of attempts, and no other delivery
does.

A debug build of the dispatcher (src/deliver/dispatcher.c) kills itself when the delivery is answered. It is restarted at once, as
by a service manager.
"""
import pytest
from marks import needs_debug
from deliveries import Deliveries, by_message
from stack.process import wait_until
from stack.receiver import Answer

DEADLY = "/deadly"
ATTEMPTS = 6
SOON = 5  # seconds

pytestmark = [pytest.mark.slow, needs_debug]


@pytest.fixture(scope="module")
def service(make_service):
    service = make_service(settings=[("dispatch", "schedule", "1s " * (ATTEMPTS - 1))])
    service.dispatcher.argv[:0] = ["env", f"LEADHOOK_DEBUG_DEADLY_URL={DEADLY}"]
    return service


class Supervisor:
    """Restarts the dispatcher when it has died."""

    def __init__(self, dispatcher):
        self.dispatcher, self.deaths = dispatcher.start(), 0

    def wait_until(self, condition, seconds, what):
        def holds():
            if not self.dispatcher.alive():
                self.deaths += 1
                self.dispatcher.start()
            return condition()
        wait_until(holds, seconds, what)


def message_id(service, delivery):
    return service.installation.admin("delivery", "show", str(delivery["id"]))["message_id"]


def test_a_deadly_delivery(service, receiver, campaign):
    """it fails as interrupted at the end of its schedule; in the meantime, deliveries of the same event, slow ones and those of
    another account arrive, and new ones arrive soon"""
    campaign.webhook("repeat_signup", below=DEADLY)
    other = service.campaign()
    paths = [one.hook + below for one in (campaign, other) for below in ("/1", "/2", "/slow")]
    for one in (campaign, other):
        for below in ("/1", "/2", "/slow"):
            one.webhook("new_signup", "repeat_signup", below=below)
        receiver.script(one.hook + "/slow", Answer(delay=0.3))
        for number in range(3):
            one.lead(email=f"{number}@example.org")
        one.lead(email="0@example.org")
    deliveries, supervisor = Deliveries(service), Supervisor(service.dispatcher)
    for number in range(10, 16):
        lead = other.lead(email=f"{number}@example.org")["social_id"]
        supervisor.wait_until(lambda: {one.path for one in list(receiver.deliveries) if one.json["social_id"] == lead} >=
                              set(paths[3:]), SOON, "a new delivery arrives")
    supervisor.wait_until(lambda: deliveries.pending() == 0, 60, "all deliveries have ended")
    [failed] = service.installation.admin("delivery", "list", "--state", "failed")
    assert failed["last_error"] == "interrupted" and failed["attempts"] == supervisor.deaths == ATTEMPTS
    assert service.installation.admin("delivery", "show", str(failed["id"]))["log"] == []
    messages = by_message(list(receiver.deliveries))
    assert len(messages.pop(message_id(service, failed))) == ATTEMPTS
    assert len(messages) == len(paths) * 4 + 3 * 6
    assert service.dispatcher.stop() == 0
    deliveries.check_log()
    service.check()
