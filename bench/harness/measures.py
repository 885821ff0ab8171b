# SPDX-License-Identifier: MIT
"""Measurements of processes and of the machine from /proc."""
import contextlib
import ctypes
import os
import pathlib
import platform
import re
import shutil
import statistics
import subprocess
import time

from stack.process import StackError

LIBC = ctypes.CDLL(None)


def family(pid):
    """Return the process and all its descendants."""
    try:
        tasks = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except FileNotFoundError:
        return []
    return [pid, *(one for task in tasks for one in family(int(task)))]


def processor_seconds(pids):
    """Return the time of all threads, including ended ones: a database's threads come and go with their connections."""
    total, clock = 0, ctypes.c_int()
    for pid in pids:
        if LIBC.clock_getcpuclockid(pid, ctypes.byref(clock)) != 0:
            raise StackError(f"process {pid} ended during the measurement")
        total += time.clock_gettime(clock.value)
    return total


def seconds_each(pids):
    """Return {id: processor time} of these processes and their descendants, without those that end in the meantime."""
    found = {}
    for one in (one for pid in pids for one in family(pid)):
        with contextlib.suppress(StackError):
            found[one] = processor_seconds([one])
    return found


def pss_kib(pid):
    """Return the proportional set size: shared pages are divided by the number of processes that share them."""
    return int(re.search(r"^Pss:\s+(\d+)", pathlib.Path(f"/proc/{pid}/smaps_rollup").read_text(), re.MULTILINE)[1])


def process_name(pid):
    """Return what ps(1) shows as the name of the process."""
    return pathlib.Path(f"/proc/{pid}/comm").read_text().rstrip()


def spread(values):
    return {"median": statistics.median(values), "min": min(values), "max": max(values)}


def machine(folder):
    model = re.search(r"^model name\s*:\s*(.*)$", pathlib.Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    memory = re.search(r"^MemTotal:\s+(\d+)", pathlib.Path("/proc/meminfo").read_text(), re.MULTILINE)
    mounts = [line.split() for line in pathlib.Path("/proc/mounts").read_text().splitlines()]
    place = max((one for one in mounts if pathlib.Path(folder).is_relative_to(one[1])), key=lambda one: len(one[1]))
    return {"processor": model[1] if model else platform.machine(), "cores": len(os.sched_getaffinity(0)),
            "memory_mib": int(memory[1]) // 1024, "kernel": platform.release(), "filesystem": place[2],
            "load_before": round(os.getloadavg()[0], 1)}


def versions():
    """Return {program: version text} of the installed programs. wrk prints its version with a failing status."""
    commands = {"lighttpd": ["lighttpd", "-v"], "php": ["php8.2", "-v"], "node": ["node", "-v"],
                "postgresql": ["psql", "-V"], "wrk": ["wrk", "-v"]}
    found = {}
    for name, command in commands.items():
        if not shutil.which(command[0]):
            continue
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        number = re.search(r"\d+\.\d+[.\d]*", done.stdout + done.stderr)
        found[name] = number[0] if number else "?"
    return found
