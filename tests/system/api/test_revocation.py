# SPDX-License-Identifier: MIT
"""leadhook(1), key revoke: a revoked key stops working within one second, under any load."""
import threading
import time

import pytest
from load import Clients, at_once
from service import COMMITTER
from stack.process import wait_until

SECOND = 1
SLACK = 0.3  # for an answer under way on a busy machine
RATE = 20  # requests a second
THREADS = 4
REFUSALS = 40  # by each service before the check: two seconds


class Use(Clients):
    """Uses the key at one service without a pause; records when the last accepted request started, and the first refusal."""

    def __init__(self, client, path, key):
        super().__init__(self._run, THREADS)
        self.client, self.path, self.key = client, path, key
        self.last_accepted, self.statuses, self.accepted, self.refused = 0.0, set(), 0, 0
        self._lock = threading.Lock()

    def _run(self, number):
        while not self.stopped.wait(THREADS / RATE):
            begun = time.monotonic()
            method, fields = (("POST", {"json_body": {"email": f"{number}@example.org"}}) if number % 2
                              else ("GET", {"query": {"email": "known@example.org"}}))
            response = self.client.request(method, self.path, key=self.key, **fields)
            with self._lock:
                self.statuses.add(response.status)
                self.accepted += response.status == 200
                self.refused += response.status == 409
                if response.status == 200:
                    self.last_accepted = max(self.last_accepted, begun)


@pytest.fixture(scope="module", params=[True, False] if COMMITTER else [False], ids=lambda with_one: "committer" if with_one else "without")
def two_services(request, make_service):
    """Two services on one database: the key is revoked at one host, and used at both."""
    first = make_service(committer=request.param)
    same = [("database", name, first.installation.setting("database", name)) for name in ("user", "password", "name")]
    second = make_service(committer=request.param, settings=same)
    return first, second


def test_key_in_use_is_refused_within_a_second(two_services):
    first, second = two_services
    campaign = first.campaign(first.account())
    campaign.lead(email="known@example.org")
    key = first.installation.admin("key", "list", str(campaign.account.id))[0]["id"]
    uses = [Use(service.client, campaign.path, campaign.key) for service in two_services]
    with uses[0], uses[1]:
        # Now every worker of both services caches the key.
        at_once([lambda service=service: service.client.request("GET", campaign.path + "/tags", key=campaign.key)
                 for service in two_services for _ in range(32)])
        wait_until(lambda: all(use.accepted >= RATE for use in uses), 20, "accepted requests at both services")
        first.installation.admin("key", "revoke", str(key))
        revoked = time.monotonic()
        wait_until(lambda: all(use.refused >= REFUSALS for use in uses), 20, "refusals")
    for use in uses:
        assert use.statuses == {200, 409}
        assert use.last_accepted - revoked < SECOND + SLACK
    refused = second.client.request("GET", campaign.path + "/tags", key=campaign.key)
    assert refused.verdict == (409, "invalid_api_key")
