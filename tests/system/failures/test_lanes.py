# SPDX-License-Identifier: MIT
"""docs/architecture.md 7 Lanes: while a request of a worker waits, the worker answers others."""
import concurrent.futures

import pytest
from caller import Caller
from failing_database import connections, held
from processes import children
from service import COMMITTER
from stack.process import wait_until

pytestmark = pytest.mark.skipif(not COMMITTER, reason="without a committer, a worker serves one request at a time")


@pytest.fixture(scope="module")
def service(make_service):
    return make_service(workers=1)


def waiting(service):
    return connections(service, "AND state LIKE 'Waiting for table%'")


def test_other_calls_are_answered_while_one_waits_for_the_database(service, account):
    """sign-ups, look-ups, and reads of other tables on connections of their own"""
    key = service.installation.admin("key", "add", str(account.id), "--rights", "all")["key"]
    owner, campaign = Caller(service, key), service.campaign(account)
    with concurrent.futures.ThreadPoolExecutor(2) as pool, held(service, "LOCK TABLES lh_users WRITE"):
        slow = [pool.submit(owner, "GET", f"users?account={account.id}") for _ in range(2)]
        wait_until(lambda: len(waiting(service)) == 2, 10, "both wait")
        for number in range(10):
            assert campaign.lead(email=f"lead{number}@example.org")["subscription_number"] == number + 1
            assert campaign.find(email=f"lead{number}@example.org")["counter"] == 1
        assert campaign.get({}, path="/leaderboard").status == 200
        assert len(campaign.stats()) > 0 and len(waiting(service)) == 2
    assert [answer.result().status for answer in slow] == [200, 200]
    assert len(children(service.responders.pid)) == 2, "one worker and the committer"
