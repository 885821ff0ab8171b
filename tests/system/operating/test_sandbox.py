# SPDX-License-Identifier: MIT
"""The programs in their sandbox: what they need works, other access is denied, and a missing sandbox is logged."""
import contextlib
import os
import pathlib
import re
import resource
import signal
import subprocess

import fastcgi_client
import pytest
from processes import children, wait_for_committer
from service import COMMITTER
from stack.process import wait_until

DEADLINE = 20
needs_committer = pytest.mark.skipif(not COMMITTER, reason="this run has no committer")


@pytest.fixture(scope="module")
def service(make_service, make_folder):
    """A service whose log is in a folder that the tests replace."""
    folder = make_folder() / "log"
    folder.mkdir()
    return make_service(workers=2, settings=[("log", "file", folder / "leadhook.log"), ("log", "level", "debug")])


@pytest.fixture
def log(service):
    return pathlib.Path(service.installation.setting("log", "file"))


def lines(path, event):
    return re.findall(rf"^.* {event}\b.*$", path.read_text(), re.MULTILINE) if path.exists() else []


def drop_connection(service):
    """Drops a connection: a worker logs this at level debug, so the worker opens the log, not the parent."""
    with fastcgi_client.Connection(str(service.installation.socket)):
        pass


def reload(service, log):
    """Sends HUP, and waits until the new processes serve and the old ones, which also accept connections, have ended."""
    before = set(children(service.responders.pid))
    count = len(lines(log, "reloaded"))
    service.responders.send(signal.SIGHUP)
    wait_until(lambda: len(lines(log, "reloaded")) > count, DEADLINE, "the new configuration")
    wait_until(lambda: not before & set(children(service.responders.pid)), DEADLINE, "the end of the old processes")


def no_new_privileges(pid):
    return "\nNoNewPrivs:\t1\n" in pathlib.Path(f"/proc/{pid}/status").read_text()


def core_limit(pid):
    return re.search(r"^Max core file size +(\d+) +(\d+)", pathlib.Path(f"/proc/{pid}/limits").read_text(), re.MULTILINE).groups()


@contextlib.contextmanager
def started(child):
    child.start()
    try:
        yield child
    finally:
        child.stop()


def test_each_process_is_restricted(service, log):
    """no long-lived process of any program can gain privileges or dump core"""
    with started(service.installation.dispatcher()) as dispatcher:
        pids = [dispatcher.pid, *children(service.responders.pid)]
        assert len(pids) == (4 if COMMITTER else 3)
        wait_until(lambda: lines(log, rf"leadhook-dispatch\[{dispatcher.pid}\] (sandbox|no_landlock)"), DEADLINE, "its sandbox")
        for pid in pids if not lines(log, "no_landlock") else []:
            wait_until(lambda pid=pid: lines(log, rf"[a-z-]+\[{pid}\] sandbox_entered no_new_privs=1"), DEADLINE, f"{pid} in its sandbox")
        for pid in (*pids, service.responders.pid):
            assert no_new_privileges(pid) and core_limit(pid) == ("0", "0")


def test_sign_up_and_delivery(service, campaign, log):
    """the database and the network are available; test_names and test_tls use names and certificates"""
    service.receiver.clear()
    campaign.webhook("new_signup")
    with started(service.installation.dispatcher()):
        campaign.lead(email="a@example.org")
        campaign.delivered(1)
    assert not lines(log, "(sandbox_not_entered|sandbox_rule_failed|database_error)")


def test_a_rotated_log(service, campaign, log):
    """a worker creates the new log, because it may write to the folder of the log"""
    moved = log.rename(f"{log}.1")
    drop_connection(service)
    wait_until(lambda: lines(log, "connection_dropped"), DEADLINE, "a new log")
    assert not lines(moved, "connection_dropped")
    assert lines(log, "connection_dropped")[0].split()[2] in [f"leadhook-fcgi[{pid}]" for pid in children(service.responders.pid)]


def test_other_folders_are_not_writable(service, log):
    """another folder that replaces the log folder is not writable: workers use the old folder until HUP, and then the new one"""
    if any(lines(one, "no_landlock") for one in log.parent.iterdir()):
        pytest.skip("this kernel has no Landlock")
    moved = log.parent.rename(f"{log.parent}.1") / log.name
    log.parent.mkdir()
    before = len(lines(moved, "connection_dropped"))
    drop_connection(service)
    wait_until(lambda: len(lines(moved, "connection_dropped")) > before, DEADLINE, "the line")
    assert not log.exists()
    reload(service, log)
    drop_connection(service)
    wait_until(lambda: lines(log, "connection_dropped"), DEADLINE, "the line")
    service.wait_ready()


def test_a_new_configuration(service, campaign, log):
    """after HUP, the unrestricted parent reads it, and its new workers serve"""
    reload(service, log)
    assert campaign.lead(email="a@example.org")["rank"] == 1


@needs_committer
def test_a_dead_committer(service, campaign, log):
    """it is replaced, and the new one connects to the database"""
    before = wait_for_committer(service.responders.pid)
    os.kill(before, signal.SIGKILL)
    wait_for_committer(service.responders.pid, other_than=before)
    wait_until(lambda: campaign.post({"email": "a@example.org"}).status == 200, DEADLINE, "a sign-up")


@contextlib.contextmanager
def single_process(installation, folder, **settings):
    """Starts a process without a parent, with its own settings; yields it and its log once it serves."""
    path, log = folder / "own.sock", folder / "own.log"
    environment = {**os.environ, "LEADHOOK_LOG_FILE": str(log), **settings}
    with subprocess.Popen([installation.program("leadhook-fcgi"), "--config", installation.config, "--workers", "0",
                           "--listen", path], env=environment, stdin=subprocess.DEVNULL) as program:
        try:
            wait_until(lambda: program.poll() is not None or lines(log, "serving"), DEADLINE, "the start")
            assert fastcgi_client.request(str(path), REQUEST_METHOD="GET", REQUEST_URI="/health/ready").status == 200
            yield program, log
            program.terminate()
            assert program.wait(DEADLINE) == 0
        finally:
            program.kill()
        assert not path.exists()


def test_a_responder_without_a_parent(service, make_folder):
    """it reloads its configuration itself, and removes its socket"""
    with single_process(service.installation, make_folder()) as (program, log):
        program.send_signal(signal.SIGHUP)
        wait_until(lambda: lines(log, "reloaded"), DEADLINE, "the new configuration")
        assert len(lines(log, "sandbox landlock=")) + len(lines(log, "no_landlock")) == 1
        path = str(log.parent / "own.sock")
        assert fastcgi_client.request(path, REQUEST_METHOD="GET", REQUEST_URI="/health/ready").status == 200


def test_switched_off(service, make_folder):
    """server.sandbox = off is logged; core dumps stay off"""
    with single_process(service.installation, make_folder(), LEADHOOK_SERVER_SANDBOX="off") as (program, log):
        assert lines(log, "sandbox_off setting=server.sandbox") and not lines(log, "sandbox landlock=")
        assert core_limit(program.pid) == ("0", "0")


def allow_cores(folder):
    hard = resource.getrlimit(resource.RLIMIT_CORE)[1]
    resource.setrlimit(resource.RLIMIT_CORE, (hard, hard))
    os.chdir(folder)


@pytest.mark.parametrize("number", [signal.SIGSEGV, signal.SIGABRT], ids=lambda number: number.name)
def test_a_crash_leaves_no_core(service, make_folder, number):
    """no worker, committer or parent dumps core, whatever limit it is started with; each logs its end"""
    folder = make_folder()
    path, log = folder / "own.sock", folder / "own.log"
    environment = {**os.environ, "LEADHOOK_LOG_FILE": str(log), "ASAN_OPTIONS": "handle_segv=0"}
    with subprocess.Popen([service.installation.program("leadhook-fcgi"), "--config", service.installation.config, "--workers", "1",
                           "--listen", path], env=environment, stdin=subprocess.DEVNULL,
                          preexec_fn=lambda: allow_cores(folder)) as program:
        try:
            wait_until(lambda: program.poll() is not None or len(children(program.pid)) == 2, DEADLINE, "the start")
            for pid in children(program.pid):
                os.kill(pid, number)
            wait_until(lambda: lines(log, f"worker_died .* signal={number.value}"), DEADLINE, "the worker's death")
            wait_until(lambda: lines(log, f"companion_died .* signal={number.value}"), DEADLINE, "the committer's death")
            program.send_signal(number)
            assert program.wait(DEADLINE) == -number
            assert len(lines(log, f"crashed signal={number.value}")) == 3
        finally:
            program.kill()
    assert {one.name for one in folder.iterdir()} == {path.name, log.name}
