# SPDX-License-Identifier: MIT
"""leadhook-fcgi(8), SIGNALS: HUP applies the whole new configuration, or nothing of it."""
import os
import signal

import fastcgi_client
import pytest
from conftest import BUILD
from stack.installation import Installation
from stack.process import Child, wait_until

DEADLINE = 20
NO_STATE = ("server", "state_dir", "/dev/null/state")  # is only rejected when it is used


class Program:
    """leadhook-fcgi with its own configuration, on the database of a service."""

    def __init__(self, service, folder, workers):
        self.installation = Installation(folder, BUILD, service.database, service.installation.name)
        self.installation.config.write_text(service.installation.text())
        self.log = folder / "first.log"
        self.configure(("log", "file", self.log), ("server", "listen", self.installation.socket),
                       ("server", "state_dir", folder / "state"))
        self.child = Child("leadhook-fcgi", [self.installation.program("leadhook-fcgi"), "--config", self.installation.config,
                                             "--workers", workers], folder / "stderr", death_signal=signal.SIGTERM)

    def configure(self, *settings):
        self.installation.configure(settings)

    def hup(self, event, log=None):
        """Sends HUP, and waits until its result is logged."""
        count = logged(self.log, event)
        self.child.send(signal.SIGHUP)
        wait_until(lambda: logged(log or self.log, event) > (count if log is None else 0), DEADLINE, event)

    def serves(self):
        path = str(self.installation.socket)
        return fastcgi_client.request(path, REQUEST_METHOD="GET", REQUEST_URI="/health/ready").status == 200


def logged(path, event):
    return path.read_text().count(f" {event} ") if path.exists() else 0


@pytest.fixture(params=[0, 2])
def program(service, make_folder, request):
    made = Program(service, make_folder(), request.param)
    made.child.start()
    wait_until(lambda: logged(made.log, "serving"), DEADLINE, "the start")
    yield made
    made.child.stop()


def test_refused_configuration_does_not_change_the_log(program):
    """neither the log's file nor its level changes when another setting is wrong"""
    other = program.log.with_name("other.log")
    program.configure(("log", "file", other), ("log", "level", "error"), NO_STATE)
    program.hup("reload_failed")
    assert program.serves()
    assert program.child.stop() == 0
    assert logged(program.log, "stopped") == 1
    assert not other.exists() or other.read_text() == ""


def test_unwritable_log_changes_nothing(program):
    """the limits' counters remain, and the log keeps its level"""
    limits = program.log.with_name("state") / "limits"
    before = limits.stat().st_ino
    program.configure(("log", "file", program.log.with_name("none") / "log"), ("log", "level", "error"),
                      ("limits", "memory", "2M"))
    program.hup("reload_failed")
    assert limits.stat().st_ino == before
    assert program.serves()
    assert program.child.stop() == 0
    assert logged(program.log, "stopped") == 1


def test_an_accepted_configuration_is_in_use(program):
    """also the next one, after a refused one"""
    other = program.log.with_name("other.log")
    program.configure(NO_STATE)
    program.hup("reload_failed")
    program.configure(("server", "state_dir", program.log.with_name("state")), ("log", "file", other), ("limits", "memory", "2M"))
    before = os.stat(program.log.with_name("state") / "limits").st_ino
    program.hup("reloaded", other)
    assert os.stat(program.log.with_name("state") / "limits").st_ino != before
    assert program.serves()
    assert program.child.stop() == 0
    assert logged(other, "stopped") == 1 and logged(program.log, "stopped") == 0
