# SPDX-License-Identifier: MIT
"""What the kernel tells of processes."""
import pathlib


def children(pid):
    return [int(word) for word in pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
