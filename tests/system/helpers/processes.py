# SPDX-License-Identifier: MIT
"""What /proc contains about processes."""
import pathlib

from stack.process import wait_until


def children(pid):
    return [int(word) for word in pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def committer(parent):
    """Return the committer's process id once there is exactly one that is not ending; 0 otherwise."""
    found = [pid for pid in children(parent) if _name(pid) == "leadhook-commit"]
    return found[0] if len(found) == 1 else 0


def wait_for_committer(parent, other_than=0):
    """Wait for the committer's process id. `other_than`: one that was killed and may still be listed."""
    def found():
        pid = committer(parent)
        return pid if pid != other_than else 0
    return wait_until(found, 15, "there is a committer")


def _name(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/comm").read_text().strip()
    except (FileNotFoundError, ProcessLookupError):
        return ""


def proportional_size(pid):
    """Return memory in bytes; shared pages are divided by the number of processes that share them."""
    return _sizes(pid)["Pss:"]


def private_size(pid):
    """Return memory in bytes that no other process shares."""
    sizes = _sizes(pid)
    return sizes["Private_Clean:"] + sizes["Private_Dirty:"]


def _sizes(pid):
    lines = pathlib.Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()[1:]
    return {name: int(number) * 1024 for name, number, *_ in map(str.split, lines)}
