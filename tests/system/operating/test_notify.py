# SPDX-License-Identifier: MIT
"""leadhook-fcgi(8) and leadhook-dispatch(8), SERVICE MANAGER: what they report to the service manager that started them."""
import os
import signal
import time

import fastcgi_client
import pytest
from echo_server import folder, start  # noqa: F401  # fixtures
from manager import Manager, WATCHDOG_SECONDS, stopped_thread
from processes import children
from service import COMMITTER
from stack.installation import Installation
from stack.process import suspend, thread_states, wait_until
from tree import BUILD

DEADLINE = 30
SILENCE = 3 * WATCHDOG_SECONDS  # six signs of life would come in it
NO_STATE = ("server", "state_dir", "/dev/null/state")  # rejected only when it is used
WORKERS = 3


class Program:
    """One of the programs as a service, with its own configuration, on the database of a service."""

    def __init__(self, service, folder, *settings):
        self.installation = Installation(folder, BUILD, service.database, service.installation.name)
        self.installation.config.write_text(service.installation.text())
        self.installation.configure([("server", "listen", self.installation.socket), ("server", "state_dir", folder / "state"),
                                     ("dispatch", "lock_file", folder / "lock"), *settings])
        self.manager = Manager(folder)

    def start(self, child):
        self.manager.start(child)
        return self

    @property
    def pid(self):
        return self.manager.child.pid

    def send(self, number):
        self.manager.child.send(number)

    def serves(self):
        path = str(self.installation.socket)
        return fastcgi_client.request(path, REQUEST_METHOD="GET", REQUEST_URI="/health/ready").status == 200


@pytest.fixture(params=[0, WORKERS])
def responders(service, make_folder, request):
    """Responders without and with a parent."""
    made = Program(service, make_folder())
    made.workers = request.param
    yield made.start(made.installation.responders(request.param, committer=COMMITTER))
    made.manager.close()


@pytest.fixture
def dispatcher(service, make_folder):
    made = Program(service, make_folder(), ("server", "sandbox", "off"))  # so that ptrace works without root, too
    yield made.start(made.installation.dispatcher())
    made.manager.close()


def test_ready_when_it_serves(responders):
    """and not earlier: all workers are there, and a request is answered at once"""
    assert responders.manager.state()["READY"] == "1"
    assert responders.serves()
    assert len(children(responders.pid)) == (responders.workers + COMMITTER if responders.workers else 0)


def test_not_ready_without_the_companion(start, folder):  # noqa: F811
    """requests would wait for it, so workers alone are not ready (tests/fcgi/echo_app.c, whose companion is slow to start)"""
    manager = Manager(folder)
    (folder / "config").write_text("slow")
    server = start("--workers", 2, "--companion", 1, "--config", folder / "config", via=["env", *manager.environment])
    manager.child = server.process  # which the fixture ends
    assert manager.state()["READY"] == "1"
    assert " companion_hello " in server.log()
    manager.socket.close()


def test_a_reload_begins_and_ends(responders):
    assert "READY" in responders.manager.state()
    for _ in range(2):
        before = time.monotonic_ns() // 1000
        responders.send(signal.SIGHUP)
        begun = responders.manager.state()
        assert begun["RELOADING"] == "1" and before <= int(begun["MONOTONIC_USEC"]) <= time.monotonic_ns() // 1000
        assert responders.manager.state() == {"READY": "1", "STATUS": "Serving"}
        assert responders.serves()


def test_a_refused_reload_ends_too(responders):
    """otherwise the manager would wait for it"""
    assert "READY" in responders.manager.state()
    responders.installation.configure([NO_STATE])
    responders.send(signal.SIGHUP)
    assert "RELOADING" in responders.manager.state()
    ended = responders.manager.state()
    assert ended["READY"] == "1" and "the last reload failed" in ended["STATUS"]
    assert responders.serves()


def test_the_end_is_reported(responders):
    assert "READY" in responders.manager.state()
    responders.send(signal.SIGTERM)
    assert responders.manager.state()["STOPPING"] == "1"
    assert responders.manager.child.wait(DEADLINE) == 0


def test_signs_of_life_end_with_the_process(responders):
    assert "READY" in responders.manager.state()
    for _ in range(4):
        responders.manager.sign_of_life()
    suspend(responders.pid)
    responders.manager.drain()
    assert responders.manager.is_silent(SILENCE)
    responders.send(signal.SIGCONT)
    responders.manager.sign_of_life()


def test_workers_do_not_report(responders):
    """signs of life continue while all workers are stopped, until the parent replaces them; Manager checks the sender"""
    if not responders.workers:
        pytest.skip("there are no workers")
    assert "READY" in responders.manager.state()
    stopped = children(responders.pid)
    for pid in stopped:
        suspend(pid)
    responders.manager.drain()
    for _ in range(4):
        responders.manager.sign_of_life()
    wait_until(lambda: not set(stopped) & set(children(responders.pid)), DEADLINE, "the workers are replaced")
    assert responders.serves()


def test_the_dispatcher_reports(dispatcher):
    assert dispatcher.manager.state() == {"READY": "1", "STATUS": "Delivering"}
    for _ in range(4):
        dispatcher.manager.sign_of_life()
    dispatcher.send(signal.SIGTERM)
    assert dispatcher.manager.state()["STOPPING"] == "1"
    assert dispatcher.manager.child.wait(DEADLINE) == 0


def test_signs_of_life_end_with_the_loop_that_sends(dispatcher):
    """only that thread is stopped: the other threads, which fetch and record, do not report in its place"""
    assert "READY" in dispatcher.manager.state()
    assert len(list(thread_states(dispatcher.pid))) > 1
    dispatcher.manager.sign_of_life()
    with stopped_thread(dispatcher.pid):
        dispatcher.manager.drain()
        assert dispatcher.manager.is_silent(SILENCE)
        assert "S" in thread_states(dispatcher.pid)
    dispatcher.manager.sign_of_life()


def test_a_database_that_hangs_is_no_reason_to_end(own_database, make_service, make_folder):
    """a new dispatcher could not send either"""
    program = Program(make_service(database=own_database), make_folder())
    program.start(program.installation.dispatcher())
    server = own_database.child.pid
    try:
        assert "READY" in program.manager.state()
        suspend(server)
        for _ in range(3 * SILENCE):
            program.manager.sign_of_life()
    finally:
        os.kill(server, signal.SIGCONT)
        program.manager.close()
