# SPDX-License-Identifier: MIT
"""docs/deliveries.md 2 and 3: failures are retried, here with a short schedule; tests what the retries have in common."""
import pytest
from attempts import attempts
from stack.front import free_port
from stack.process import wait_until
from stack.receiver import Answer

ADA = {"email": "ada@example.org"}
ATTEMPTS = 3
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def service(make_service):
    return make_service(settings=[("dispatch", "schedule", "2s 2s"), ("dispatch", "connect_timeout", "1s"),
                                  ("dispatch", "attempt_timeout", "1s")])


@pytest.fixture
def dispatcher(service):
    service.dispatcher.start()
    yield service.dispatcher
    service.receiver.released.set()
    service.dispatcher.stop()
    service.receiver.released.clear()


def row_of(service, webhook):
    [row] = service.deliveries(webhook)
    return row


@pytest.mark.parametrize("failure", [Answer(301), Answer(302), Answer(307), Answer(400), Answer(404), Answer(429), Answer(500),
                                     Answer(503), Answer(hang=True), Answer(200, {"Content-Length": "100"})],
                         ids=lambda answer: "hang" if answer.hang else "short body" if answer.headers else str(answer.status))
def test_failures_are_retried(service, receiver, dispatcher, campaign, failure):
    """docs/deliveries.md 2 Redirects, Success, 3: retries have the same bytes and webhook-id, with a signature for the new time"""
    campaign.webhook("new_signup")
    failure.headers.setdefault("Location", receiver.url("/elsewhere"))
    receiver.script(campaign.hook, failure, Answer(200))
    campaign.lead(**ADA)
    first, second = campaign.delivered(2, deadline=10)
    assert first.body == second.body and first.headers["webhook-id"] == second.headers["webhook-id"]
    assert int(second.headers["webhook-timestamp"]) > int(first.headers["webhook-timestamp"])
    assert first.verified and second.verified
    assert receiver.at("/elsewhere") == []


def test_a_refused_connection(service, receiver, dispatcher, campaign):
    """docs/deliveries.md 3 refused: recorded as an attempt and retried; the reason is in the list, and in the log after the last attempt"""
    unused = free_port()
    webhook = campaign.post({"url": f"http://127.0.0.1:{unused}/?token=hidden", "event": "new_signup"},
                            path="/outbound-webhook").json
    campaign.lead(**ADA)
    wait_until(lambda: row_of(service, webhook)["attempts"] >= 1, 10, "an attempt")
    row = wait_until(lambda: (row := row_of(service, webhook))["state"] == "failed" and row, 15, "the last attempt")
    assert (row["attempts"], row["last_status"], row["last_error"]) == (ATTEMPTS, None, "refused")
    [line] = wait_until(lambda: [line for line in dispatcher.log.read_text().splitlines() if f" delivery={row['id']} " in line], 10,
                        "the result is logged")
    assert line.endswith(f" delivery_failed event=new_signup delivery={row['id']} webhook={webhook['referenceId']}"
                         f" attempts={ATTEMPTS} status=0 error=refused") and " warning " in line
    assert not any(text in dispatcher.log.read_text() for text in ("hidden", ADA["email"]))


def test_a_success_clears_the_error(service, receiver, dispatcher, campaign):
    """The last attempt counts; earlier errors are in the log of attempts."""
    webhook = campaign.webhook("new_signup")
    receiver.script(campaign.hook, Answer(hang=True), Answer(200))
    campaign.lead(**ADA)
    wait_until(lambda: row_of(service, webhook)["state"] == "delivered", 15, "the second attempt")
    assert row_of(service, webhook)["last_error"] is None
    assert [attempt.error for attempt in attempts(service, webhook["referenceId"])] == ["timeout", None]


def test_exhausted(service, receiver, dispatcher, campaign):
    """docs/deliveries.md 3: at the end of the schedule the delivery is stored as failed, and nothing more is sent"""
    webhook = campaign.webhook("new_signup")
    receiver.script(campaign.hook, Answer(500))
    campaign.lead(**ADA)
    wait_until(lambda: row_of(service, webhook)["state"] == "failed", 15, "the last attempt")
    assert (row_of(service, webhook)["attempts"], len(receiver.at(campaign.hook))) == (ATTEMPTS, ATTEMPTS)
    assert campaign.get({}, path="/outbound-webhook").json[0]["state"] == "failing"
