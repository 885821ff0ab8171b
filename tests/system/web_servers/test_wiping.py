# SPDX-License-Identifier: MIT
"""docs/architecture.md 12 Wiping: what a worker keeps of requests that it has answered."""
import re
import time

import pytest

from processes import children, wait_for_committer

MAPPING = re.compile(r"([0-9a-f]+)-([0-9a-f]+) rw")


def memory(pid):
    """Return the content of each writable mapping."""
    with open(f"/proc/{pid}/maps", encoding="ascii") as maps, open(f"/proc/{pid}/mem", "rb") as memory:
        for start, end in (map(lambda text: int(text, 16), found.groups()) for found in map(MAPPING.match, maps) if found):
            memory.seek(start)
            yield memory.read(end - start)


def test_an_answer_does_not_stay_in_memory(make_service):
    """the lane may have no other request for long"""
    service = make_service(workers=1)
    campaign = service.campaign()
    campaign.lead(email="zebra@example.org", first_name="Zebrastripe")
    time.sleep(0.2)  # the worker cleans up after it has answered
    parent = service.responders.process.pid
    worker, = set(children(parent)) - {wait_for_committer(parent)}
    try:
        kept = sum(part.count(b"Zebrastripe") for part in memory(worker))
    except PermissionError:
        pytest.skip("may not read the memory of other processes")
    assert kept == 0
