# SPDX-License-Identifier: MIT
"""docs/api.md 1.3, 5: limits of what sign-ups without a key can store."""
import concurrent.futures
import itertools
import time

import pytest
from client import new_address
from stack.process import wait_until

LIMIT, SIGNUPS, WORKERS, WINDOW, SHORT_WINDOW = 5, 10, 4, 60, 6


@pytest.fixture(scope="module")
def limited(make_service):
    return make_service(workers=WORKERS, settings=[("limits", "new_leads_per_campaign", f"{LIMIT}/{WINDOW}s")])


def new_leads(campaign, count, name="new"):
    """Sign up leads from different addresses; return the answers."""
    return [campaign.post({"email": f"{name}{number}@example.org"}, key=None) for number in range(count)]


def lines(service, campaign):
    text = service.responders.log.read_text(encoding="utf-8")
    return [line for line in text.splitlines() if "new_leads_limited" in line and f"campaign={campaign.id}" in line.split()]


def test_new_leads_of_a_campaign(limited):
    """docs/api.md 5 New leads: beyond the limit, 429 with the time to wait; other campaigns have separate limits"""
    campaign, other = limited.campaign(limited.account()), limited.campaign(limited.account())
    answers = new_leads(campaign, LIMIT + 3)
    assert [answer.status for answer in answers] == [200] * LIMIT + [429] * 3
    refused = answers[-1]
    assert refused.verdict == (429, "rate_limited") and 0 < int(refused.headers["Retry-After"]) <= WINDOW + 1
    assert (refused.headers["RateLimit-Limit"], refused.headers["RateLimit-Remaining"]) == (str(LIMIT), "0")
    assert campaign.stats()["total"] == LIMIT
    assert [answer.status for answer in new_leads(other, 1)] == [200]


def test_after_the_window(make_service):
    """docs/api.md 5: a call passes after the time in Retry-After"""
    service = make_service(workers=2, settings=[("limits", "new_leads_per_campaign", f"1/{SHORT_WINDOW}s")])
    campaign = service.campaign()
    refused = wait_until(lambda: next((answer for answer in new_leads(campaign, 3) if answer.status == 429), None), 30, "a refusal")
    allowed_at = time.monotonic() + int(refused.headers["Retry-After"])
    wait_until(lambda: new_leads(campaign, 1, f"later{time.monotonic()}-")[0].status == 200, 30, "a new lead passes")
    assert time.monotonic() < allowed_at + 5


def test_known_leads_pass(limited):
    """docs/api.md 5 New leads: calls for existing leads, and calls with a key, do not count, and are answered as usual"""
    campaign = limited.campaign(limited.account())
    known = campaign.lead(email="known@example.org")
    for _ in range(2 * LIMIT):
        assert campaign.post({"email": "known@example.org"}, key=None).status == 200
    assert [answer.status for answer in new_leads(campaign, LIMIT)] == [200] * LIMIT
    wrong = {"email": "x"}, {"email": "unknown@example.org", "must_exist": True}
    again = [campaign.post({"email": "known@example.org", "plan": "pro"}, key=None) for _ in range(3)]
    assert [answer.status for answer in again] == [200] * 3
    assert again[-1].json["counter"] == 1 + 2 * LIMIT + 3 and again[-1].json["social_id"] == known["social_id"]
    assert [campaign.post(fields, key=None).verdict for fields in wrong] == [(406, "invalid_email"), (404, "lead_not_found")]
    assert campaign.client.request("GET", f"/v1/{campaign.id}/subscribe", query={"email": "new@example.org"}).status == 429
    assert campaign.post({"email": "keyed@example.org"}).status == 200
    assert campaign.post({"email": "refused@example.org"}, key=None).status == 429
    assert campaign.get({"email": "refused@example.org"}).status == 404


def test_refused_signups_do_not_count(limited):
    """docs/api.md 5: a sign-up that fails does not count, because it creates no lead"""
    campaign = limited.campaign(limited.account())
    for _ in range(LIMIT + 1):
        assert campaign.post({"email": "x"}, key=None).status == 406
    assert [answer.status for answer in new_leads(campaign, LIMIT)] == [200] * LIMIT


def test_refused_new_leads_count_for_their_address(limited):
    """docs/api.md 5 What counts: a refused new lead counts once for its address, like any call"""
    campaign, address = limited.campaign(limited.account()), new_address()
    assert [answer.status for answer in new_leads(campaign, LIMIT)] == [200] * LIMIT

    def refused_by():
        answer = campaign.post({"email": "refused@example.org"}, key=None, address=address)
        assert answer.verdict == (429, "rate_limited")
        return int(answer.headers["RateLimit-Limit"])
    assert [refused_by() for _ in range(SIGNUPS + 1)] == [LIMIT] * SIGNUPS + [SIGNUPS]


def test_many_at_once(limited):
    """docs/api.md 5: at most as many leads as calls are handled at a time exceed the limit"""
    campaign, numbers = limited.campaign(limited.account()), itertools.count()
    with concurrent.futures.ThreadPoolExecutor(2 * WORKERS) as pool:
        found = list(pool.map(lambda _: campaign.post({"email": f"{next(numbers)}@example.org"}, key=None).status, range(60)))
    made = campaign.stats()["total"]
    assert found.count(200) == made and LIMIT <= made < LIMIT + 2 * WORKERS
    assert found.count(429) == 60 - made


def test_one_line_a_minute(limited):
    """docs/operating.md 8: one line a minute is logged for each campaign, over all processes"""
    first, second = limited.campaign(limited.account()), limited.campaign(limited.account())
    for campaign in (first, second):
        with concurrent.futures.ThreadPoolExecutor(2 * WORKERS) as pool:
            found = list(pool.map(lambda number, campaign=campaign: new_leads(campaign, 1, f"n{number}")[0].status,
                                  range(LIMIT + 20)))
        assert 429 in found
    for campaign in (first, second):
        assert len(lines(limited, campaign)) == 1
        assert f"limit={LIMIT}" in lines(limited, campaign)[0]


def test_custom_fields_without_a_key(service, campaign):
    """docs/api.md 1.3: they have 8 KiB together; the newest are left out; those that were stored with a key remain"""
    address = new_address()

    def fields(size):
        """Custom fields that have this many bytes as an object."""
        return {name: "x" * (size // 4 + (size % 4 - len('{"a":"","b":"","d":"","e":""}') if name == "e" else 0)) for name in "abde"}
    ada = {"email": "ada@example.org"}
    refused = campaign.post({**ada, **fields(8193)}, key=None, address=address)
    assert refused.verdict == (406, "invalid_parameter") and "8192 bytes" in refused.json["message"]
    assert campaign.post({**ada, **fields(8192)}, key=None, address=address).status == 200
    assert campaign.post({**ada, "c": "x"}, key=None, address=address).status == 200
    assert sorted(campaign.find(**ada)["custom_fields"]) == ["a", "b", "c", "d"]
    with_key = {name: "k" * 4000 for name in "xyz"}
    assert campaign.post({**ada, **with_key}).status == 200
    assert campaign.post({**ada, "c": "y" * 2000}, key=None, address=address).status == 200
    assert {**with_key, "c": "y" * 2000}.items() <= campaign.find(**ada)["custom_fields"].items()
