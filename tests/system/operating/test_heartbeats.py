# SPDX-License-Identifier: MIT
"""docs/operating.md 12: status, dashboard, doctor and metrics show whether the processes in the background work."""
import os
import re
import signal
import time

import pytest
from command import call
from manager import stopped_thread
from marks import first
from metrics import scrape
from processes import children
from stack.process import suspend, wait_until

DEADLINE = 40
PROCESSES = ("dispatcher", "mailer", "texter")
SIGNS_S = 10  # between two signs
SETTINGS = [("metrics", "loopback", "on"), ("server", "sandbox", "off"),  # for ptrace
            ("mail", "host", "127.0.0.1"), ("mail", "port", "9"), ("mail", "tls", "none"), ("mail", "from", "hello@example.org"),
            ("sms", "url", "https://127.0.0.1:9/send"), ("sms", "calling_codes", "49")]


@pytest.fixture(scope="module")
def service(make_service):
    return make_service(settings=SETTINGS)


@pytest.fixture
def dispatcher(service):
    service.dispatcher.start()
    wait_until(lambda: states(service) == dict.fromkeys(PROCESSES, "working"), DEADLINE, "a sign of each")
    yield service.dispatcher
    service.dispatcher.stop()


def states(service, command="status"):
    found = service.installation.admin(command)
    assert all(found[f"{name}_at"] for name in PROCESSES if found[name] != "never_ran")
    return {name: found[name] for name in PROCESSES}


def findings(service):
    found = call(service.installation, "doctor", "--url", "http://127.0.0.1:9/").stdout
    return re.findall(r"^error  ((?:dispatcher|mailer|texter)_\w+): (.*)$", found, re.MULTILINE)


def pass_time(service):
    """Makes the last signs 40 s older."""
    service.installation.sql("UPDATE lh_heartbeats SET beat_ms = beat_ms - 40000")


def process_of(service, name):
    return int(service.installation.sql(f"SELECT pid FROM lh_heartbeats WHERE process = '{name}'"))


@pytest.mark.parametrize("name", first(*PROCESSES))
def test_one_that_hangs(service, dispatcher, name):
    """the check names only this process: the others continue, and give their next signs"""
    pid = process_of(service, name)
    assert (pid == dispatcher.pid) == (name == "dispatcher")
    suspend(pid)
    try:
        pass_time(service)
        wanted = {other: "silent" if other == name else "working" for other in PROCESSES}
        wait_until(lambda: states(service) == wanted, DEADLINE, "the others give signs")
        (found,) = findings(service)
        assert found[0] == f"{name}_silent" and f"process {pid} of the host " in found[1] and " hangs; its last sign was at " in found[1]
        wait_until(lambda: scrape(service)("process_works", process=name) == 0, DEADLINE, "the metric")
        assert all(scrape(service)("process_works", process=other) == 1 for other in PROCESSES if other != name)
    finally:
        os.kill(pid, signal.SIGCONT)
    wait_until(lambda: set(states(service).values()) == {"working"}, DEADLINE, "it works again")


def test_one_that_is_stopped(service, dispatcher):
    """it counts as stopped at once, and so do the processes that it has started"""
    dispatcher.stop()
    assert states(service) == states(service, "installation") == dict.fromkeys(PROCESSES, "stopped")
    (found,) = findings(service)
    assert found[0] == "dispatcher_stopped" and found[1].startswith("stopped at ")


def test_one_that_is_killed(service, dispatcher):
    dispatcher.kill()
    pass_time(service)
    assert states(service)["dispatcher"] == "silent"
    (found,) = findings(service)
    assert found[0] == "dispatcher_silent" and "was killed, or cannot reach the database" in found[1]


def test_a_mailer_that_crashes(service, dispatcher):
    """it is silent as long as its keeper hangs and does not start it again"""
    mailer = process_of(service, "mailer")
    (keeper,) = [pid for pid in children(dispatcher.pid) if mailer in children(pid)]
    suspend(keeper)
    try:
        os.kill(mailer, signal.SIGKILL)
        pass_time(service)
        wait_until(lambda: states(service) == {"dispatcher": "working", "mailer": "silent", "texter": "working"}, DEADLINE, "it")
        assert [name for name, _ in findings(service)] == ["mailer_silent"]
    finally:
        os.kill(keeper, signal.SIGCONT)
    wait_until(lambda: states(service)["mailer"] == "working", DEADLINE, "it is started again")


def test_runs_from_cron(service):
    """there is no problem between two runs, but a run that does not come is reported"""
    service.dispatch()
    assert set(states(service).values()) == {"between_runs"} and findings(service) == []
    service.installation.sql("UPDATE lh_heartbeats SET beat_ms = beat_ms - 2 * 86400000")
    assert set(states(service).values()) == {"stopped"}
    (found,) = findings(service)
    assert found[0] == "dispatcher_stopped" and found[1].startswith("the last run ended at ")


@pytest.mark.slow
def test_the_loop_gives_the_signs(service, dispatcher):
    """only the thread that sends is stopped: the other threads, which use the database, give no signs in its place"""
    with stopped_thread(dispatcher.pid):
        pass_time(service)
        end = time.monotonic() + SIGNS_S + 2
        while time.monotonic() < end:
            assert states(service)["dispatcher"] == "silent"
    wait_until(lambda: states(service)["dispatcher"] == "working", DEADLINE, "it works again")
