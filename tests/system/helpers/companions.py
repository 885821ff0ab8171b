# SPDX-License-Identifier: MIT
"""The processes next to the dispatcher that send mail or texts."""
import pathlib

from processes import children
from stack.process import wait_until


def companion(dispatcher):
    """Return the pids of the only keeper and of its process, once both exist."""
    def both():
        try:
            (keeper,) = children(dispatcher.process.pid)
            (sender,) = children(keeper)
        except (ValueError, OSError):
            return None
        return keeper, sender
    return wait_until(both, 20, "there is no process beside the dispatcher")


def is_running(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False
