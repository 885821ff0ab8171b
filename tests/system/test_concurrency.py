# SPDX-License-Identifier: MIT
"""Contract 4.3 rule 5 and architecture: what happens at the same moment is as if it happened one after the other."""
import concurrent.futures
import threading

import pytest
from load import lead_count

PARALLEL = 64
ADA = {"email": "ada@example.org"}


@pytest.fixture(scope="module")
def service(make_service):
    return make_service(workers="auto")


def at_once(requests):
    """Call all of them at the same moment; the results."""
    barrier = threading.Barrier(len(requests))

    def one(request):
        barrier.wait()
        return request()
    with concurrent.futures.ThreadPoolExecutor(len(requests)) as pool:
        return list(pool.map(one, requests))


def test_one_new_email(service, receiver, campaign):
    """4.3 rule 5: one lead, one new_signup, 63 repeat_signup, counter 64; each answer and event is that of its own command"""
    campaign.webhook("new_signup", "repeat_signup")
    responses = at_once([lambda: campaign.post(ADA)] * PARALLEL)
    assert {response.status for response in responses} == {200}
    leads = [response.json for response in responses]
    assert len({lead["social_id"] for lead in leads}) == 1 and {lead["rank"] for lead in leads} == {1}
    assert sorted(lead["counter"] for lead in leads) == list(range(1, PARALLEL + 1))
    assert lead_count(campaign) == 1
    assert campaign.find(**ADA)["counter"] == PARALLEL
    service.dispatch()
    payloads = [delivery.json for delivery in campaign.delivered(PARALLEL)]
    counters = {event: sorted(payload["counter"] for payload in payloads if payload["__event"] == event)
                for event in ("new_signup", "repeat_signup")}
    assert counters == {"new_signup": [1], "repeat_signup": list(range(2, PARALLEL + 1))}


def test_many_new_emails(service, receiver, campaign):
    """4.5 rank: dense, given once; lead_count is that of the lead's own command"""
    responses = at_once([lambda number=number: campaign.post({"email": f"{number}@example.org"}) for number in range(PARALLEL)])
    leads = [response.json for response in responses]
    assert sorted(lead["rank"] for lead in leads) == list(range(1, PARALLEL + 1))
    assert all(lead["lead_count"] == lead["rank"] for lead in leads)
    assert lead_count(campaign) == PARALLEL


def test_an_email_and_a_phone_meet(service, campaign):
    """4.3 rules 1 and 5: whoever comes first, an email and a number never end at two leads of one request"""
    number = "+14155552671"
    requests = [lambda: campaign.post(ADA), lambda: campaign.post({"phone_number": number}),
                lambda: campaign.post({**ADA, "phone_number": number})] * 8
    statuses = {response.status for response in at_once(requests)}
    assert statuses <= {200, 422}
    by_email, by_phone = campaign.find(**ADA), campaign.find(phone_number=number)
    assert lead_count(campaign) == len({by_email["social_id"], by_phone["social_id"]})


def test_a_webhook_registered_twice_at_once(service, campaign):
    """delivery 1: the same URL is the same webhook"""
    fields = {"url": "https://hooks.example/a", "event": "new_signup"}
    responses = at_once([lambda: campaign.post(fields, path="/outbound-webhook")] * 16)
    assert {response.status for response in responses} == {200}
    assert len({response.json["referenceId"] for response in responses}) == 1
    assert sum("secret" in response.json for response in responses) == 1
