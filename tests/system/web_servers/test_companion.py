# SPDX-License-Identifier: MIT
"""The process that runs beside the workers (fcgi/server.h): it is started, replaced and ended with them. Here, its code is in
tests/fcgi/echo_app.c."""
import os
import signal
import time

import pytest

from echo_server import TIMEOUT, folder, gone, half, serve, start, wait_for  # noqa: F401  # fixtures
from fastcgi_client import STDIN, request, record
from stack.process import suspend

STUCK = 7  # seconds, more than a process may go without a sign of life


@pytest.fixture
def accompanied(serve, folder):
    """Two workers and a companion, with a short request timeout."""
    (folder / "config").write_text("first")
    server = serve("--workers", 2, "--companion", 1, "--config", folder / "config", "--request-ms", 300)
    server.logged("worker_started", 2)
    server.logged("companion_hello")
    return server


def companion(server):
    """Returns the process id of the latest companion."""
    return int([line for line in server.log().splitlines() if " companion_hello " in line][-1].split("[")[1].split("]")[0])


def test_a_dead_companion_is_replaced(accompanied):
    workers = accompanied.workers() - {companion(accompanied)}
    os.kill(companion(accompanied), signal.SIGKILL)
    accompanied.logged("companion_hello", 2)
    assert accompanied.workers() == {*workers, companion(accompanied)}
    assert accompanied.log().count(" companion_died ") == 1 and accompanied.log().count(" companion_prepared ") == 1


def test_companion_restarts_are_delayed(accompanied):
    for times in range(1, 6):
        accompanied.logged("companion_hello", times)
        os.kill(companion(accompanied), signal.SIGKILL)
    accompanied.logged("companion_hello", 6)
    assert "replacement_paused of=companion" in accompanied.log()
    assert accompanied.log().count(" worker_started ") == 2 and request(accompanied.path).status == 200


def test_a_stuck_companion_is_killed_and_replaced(accompanied, folder):
    (folder / "config").write_text("stuck")
    accompanied.send_signal(signal.SIGHUP)
    accompanied.logged("companion_stuck")
    accompanied.logged("companion_hello", 3)
    assert request(accompanied.path).status == 200


def test_a_companion_that_stops_while_idle_is_replaced(accompanied):
    """leadhook-fcgi(8): it is replaced after some seconds without a sign of life"""
    stopped, workers = companion(accompanied), accompanied.workers()
    suspend(stopped)
    accompanied.logged("companion_stuck")
    accompanied.logged("companion_hello", 2)
    wait_for(lambda: accompanied.workers() == workers - {stopped} | {companion(accompanied)}, "the stopped one to end")


def test_a_worker_that_stops_while_idle_is_replaced(accompanied):
    stopped = (accompanied.workers() - {companion(accompanied)}).pop()
    suspend(stopped)
    accompanied.logged("worker_stuck")
    accompanied.logged("worker_started", 3)
    assert request(accompanied.path).status == 200


def test_processes_stopped_with_their_parent_are_not_killed(accompanied):
    """after a machine was suspended, a process counts as stuck only if the parent has been running meanwhile"""
    pids = [accompanied.process.pid, *accompanied.workers()]
    for pid in pids:
        suspend(pid)
    stopped = time.monotonic()
    wait_for(lambda: time.monotonic() - stopped > STUCK, "the time to be over")
    for pid in pids:
        os.kill(pid, signal.SIGCONT)
    assert request(accompanied.path).status == 200
    accompanied.send_signal(signal.SIGHUP)
    accompanied.logged("reloaded")
    assert " companion_stuck " not in accompanied.log() and " worker_stuck " not in accompanied.log()


def test_hup_replaces_the_companion_before_the_old_one_ends(accompanied, folder):
    old = companion(accompanied)
    (folder / "config").write_text("slow")
    accompanied.send_signal(signal.SIGHUP)
    accompanied.logged("reloaded")
    accompanied.logged("companion_bye")
    assert companion(accompanied) != old
    log = accompanied.log()
    assert log.index("companion_hello config=slow") < log.index("companion_bye config=first")
    wait_for(lambda: gone(old) and len(accompanied.workers()) == 3, "the old ones to end")
    assert "companion_died" not in log


def test_the_companion_ends_after_the_workers(accompanied):
    with half(accompanied) as connection:
        accompanied.send_signal(signal.SIGTERM)
        accompanied.logged("stopping")
        os.kill(companion(accompanied), signal.SIGKILL)
        accompanied.logged("companion_hello", 2)  # the request under way may need a companion
        connection.send(record(STDIN, b"56789") + record(STDIN))
        assert connection.response().body == b"0123456789"
    assert accompanied.process.wait(TIMEOUT) == 0
    log = accompanied.log()
    assert log.count(" bye ") == 2 and log.rindex(" bye ") < log.index(" companion_bye ")


def test_a_companion_does_not_outlive_its_parent(accompanied):
    pid = companion(accompanied)
    accompanied.process.kill()
    wait_for(lambda: gone(pid), "the companion to end")


def test_no_companion_without_workers(serve):
    server = serve("--workers", 0, "--companion", 1)
    assert request(server.path).status == 200
    assert "companion" not in server.log() and server.workers() == set()
