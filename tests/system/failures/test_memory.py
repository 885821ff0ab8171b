# SPDX-License-Identifier: MIT
"""docs/architecture.md 7.4: the memory that large requests need is returned to the system."""
import pathlib
import re

import pytest
from marks import frees_memory
from load import in_parallel
from processes import children, committer, private_size, wait_for_committer
from service import COMMITTER
from stack.process import wait_until

WORKERS, LANES = 2, 32
LARGE = {f"field_{number}": "x" * 4000 for number in range(4)}  # 16 KiB, the maximum of a lead
LEADS = 250
SETTLED = 15  # seconds, many times the delay after which the committer returns memory

needs_committer = pytest.mark.skipif(not COMMITTER, reason="LEADHOOK_TEST_COMMITTER=no")
pytestmark = frees_memory


@pytest.fixture(scope="module")
def service(make_service):
    return make_service(workers=WORKERS, settings=[("server", "sandbox", "off")])  # otherwise only root could measure it


@pytest.fixture(scope="module")
def before(service, account):
    """The memory of each process after some typical requests in all of its lanes. Every worker gets the value of the largest worker."""
    campaign = service.campaign(account)
    campaign.webhook("new_signup")
    campaign.leads(50, name="Ada")
    for _ in range(4):
        in_parallel([lambda: campaign.leads(1), lambda: page(campaign, 50)] * LANES * WORKERS, LANES * WORKERS)
    sizes = {pid: private_size(pid) for pid in children(service.responders.pid)}
    alone = committer(service.responders.pid) if COMMITTER else None
    most = max(size for pid, size in sizes.items() if pid != alone)
    return {pid: size if pid == alone else most for pid, size in sizes.items()}


@pytest.fixture(scope="module")
def large(service, account, before):
    """A campaign of leads with the maximum of custom fields."""
    campaign = service.campaign(account)
    campaign.webhook("score_change")  # its events contain whole leads
    campaign.social_ids = [lead["social_id"] for lead in campaign.leads(LEADS, **LARGE)]
    return campaign


def page(campaign, limit):
    response = campaign.get({"limit": limit}, path="/leads")
    assert response.status == 200 and response.json["leads"]


def peak(pid):
    """Return the peak of the memory that the process has used since reset_peaks."""
    return int(re.search(r"^VmHWM:\s+(\d+)", pathlib.Path(f"/proc/{pid}/status").read_text(), re.MULTILINE)[1]) * 1024


def reset_peaks(pids):
    """Reset the peaks; return the current sizes."""
    for pid in pids:
        pathlib.Path(f"/proc/{pid}/clear_refs").write_text("5")
    return {pid: peak(pid) for pid in pids}


def grown(before):
    """Return the processes that use too much memory, with the ratio to their size before."""
    return {pid: round(private_size(pid) / size, 1) for pid, size in before.items() if private_size(pid) >= 2 * size}


def wait_until_returned(service, before):
    assert set(before) <= set(children(service.responders.pid))
    try:
        wait_until(lambda: not grown(before), SETTLED, "memory is returned")
    finally:
        assert grown(before) == {}


def test_large_pages(service, large, before):
    """all workers have returned pages of 4 MiB"""
    first = reset_peaks(before)

    def all_have():
        in_parallel([lambda: page(large, LEADS)] * 4 * WORKERS, 2 * WORKERS)
        return sum(peak(pid) > first[pid] + (8 << 20) for pid in before) >= WORKERS
    wait_until(all_have, 60, "every worker has answered a large page")
    wait_until_returned(service, before)


@pytest.mark.parametrize("limit", [5, 10, 15, 20, 40])
def test_pages_of_all_sizes(service, large, before, limit):
    """pages of other sizes, including sizes below the threshold"""
    in_parallel([lambda: page(large, limit)] * 20 * WORKERS, 2 * WORKERS)
    wait_until_returned(service, before)


def test_large_commands(service, large, before):
    """points for all of these leads: the committer loads 4 MiB and then queues the call; points for some of them: it adds them at
    once, with 1 MiB of events"""
    first = reset_peaks(before)
    for leads, status in ((LEADS, 202), (60, 200)):
        response = large.post({"social_ids": large.social_ids[:leads], "points": 1}, path="/points")
        assert response.status == status, response.body
    assert any(peak(pid) > first[pid] + (4 << 20) for pid in before)
    wait_until_returned(service, before)


@needs_committer
def test_large_leads_by_many(make_service):
    """the committer's buffers for many responders are returned"""
    service = make_service(workers=32, settings=[("server", "sandbox", "off")])
    campaign, numbers = service.campaign(), range(320)
    pid = wait_for_committer(service.responders.pid)

    def work(kind, **fields):
        in_parallel([lambda n=n: campaign.lead(email=f"{kind}{n}@example.org", **fields) for n in numbers], 64)
        in_parallel([lambda n=n: campaign.find(email=f"{kind}{n}@example.org") for n in numbers], 64)
    work("small")
    before = {pid: private_size(pid)}
    work("large", **LARGE)
    wait_until_returned(service, before)
