# SPDX-License-Identifier: MIT
"""docs/deliveries.md 4.2 Wakes: the dispatcher with the same lock file sends at once what a call has made due.

Its idle polls are an hour apart, so that nothing else leads to a delivery.
"""
import pytest
from deliveries import Deliveries
from stack.process import wait_until

LEADS = 5  # polls soon after the start, or after a delivery, find one or two of them

SETTINGS = [("dispatch", "poll_interval", "1h")]


@pytest.fixture(scope="module", params=[True, False], ids=["committer", "no committer"])
def service(request, make_service):
    service = make_service(settings=SETTINGS, committer=request.param)
    service.dispatcher.start()
    return service


def sign_up_and_receive(campaign, first=0):
    """Sign up several leads, each after the previous one was delivered."""
    for number in range(first, first + LEADS):
        campaign.lead(email=f"{number}@example.org")
        campaign.delivered(number + 1)


def test_sign_ups_wake_the_dispatcher(service, campaign):
    """docs/deliveries.md 4.2 Wakes: the dispatcher is woken after the commit of a sign-up"""
    campaign.webhook("new_signup")
    sign_up_and_receive(campaign)


def is_idle(service):
    """Return whether none of the service's programs has used the database for half a second, so that no more polls follow a
    delivery."""
    return int(service.installation.sql("SELECT MIN(TIME_MS) FROM information_schema.PROCESSLIST WHERE DB = DATABASE() "
                                        "AND ID <> CONNECTION_ID()").partition(".")[0]) > 500


def test_another_installation_is_not_woken(service, make_service, campaign):
    """docs/deliveries.md 4.2 Wakes: only the dispatcher with the same lock file is woken"""
    campaign.webhook("new_signup")
    other = make_service(settings=SETTINGS)
    other.dispatcher.start()
    foreign, deliveries = other.campaign(), Deliveries(other)
    webhook = foreign.webhook("new_signup")
    sign_up_and_receive(foreign)
    deliveries.wait_until_ended(10)
    wait_until(lambda: is_idle(other), 10, "the other dispatcher is idle")
    other.installation.admin("delivery", "redeliver", "--webhook", str(webhook["referenceId"]), "--state", "delivered")
    again = deliveries.pending()
    assert again == LEADS
    sign_up_and_receive(campaign)
    assert deliveries.pending() == again
    foreign.lead(email="last@example.org")
    foreign.delivered(2 * LEADS + 1)
