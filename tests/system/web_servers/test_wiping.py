# SPDX-License-Identifier: MIT
"""docs/architecture.md 12 Wiping: what a worker keeps of requests that it has answered."""
import re

import pytest

from processes import children, wait_for_committer
from stack.process import wait_until

MAPPING = re.compile(r"([0-9a-f]+)-([0-9a-f]+) rw")
SHADOW_BYTES = 2 ** 30  # the address sanitizer's own mappings are larger


def memory(pid):
    """Return the content of each writable mapping."""
    with open(f"/proc/{pid}/maps", encoding="ascii") as maps, open(f"/proc/{pid}/mem", "rb") as content:
        for start, end in (map(lambda text: int(text, 16), found.groups()) for found in map(MAPPING.match, maps) if found):
            if end - start < SHADOW_BYTES:
                content.seek(start)
                yield content.read(end - start)


def test_an_answer_does_not_stay_in_memory(make_service):
    """the lane may have no other request for long"""
    service = make_service(workers=1)
    campaign = service.campaign()
    campaign.lead(email="zebra@example.org", first_name="Zebrastripe")
    parent = service.responders.process.pid
    worker, = set(children(parent)) - {wait_for_committer(parent)}
    try:
        # The worker cleans up after it has answered.
        wait_until(lambda: not any(b"Zebrastripe" in part for part in memory(worker)), 10, "nothing is left of the lead")
    except PermissionError:
        pytest.skip("may not read the memory of other processes")
