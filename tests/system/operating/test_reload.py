# SPDX-License-Identifier: MIT
"""leadhook-fcgi(8) and leadhook-dispatch(8), SIGNALS: HUP applies the new configuration as a whole, or not at all."""
import os
import signal

import fastcgi_client
import pytest
from command import call
from companions import is_running
from processes import children
from stack.installation import Installation
from stack.process import Child, wait_until
from tree import BUILD

DEADLINE = 20
NO_STATE = ("server", "state_dir", "/dev/null/state")  # rejected only when it is used


# A setting (section, key, value) with which no program can work, and a word of the line in the log
UNUSABLE = [
    pytest.param(("database", "password", "wrong"), "Access denied", id="password"),
    pytest.param(("database", "user", "other"), "Access denied", id="user"),
    pytest.param(("database", "name", "none"), "none", id="database"),
    pytest.param(("database", "socket", "/nonexistent"), "/nonexistent", id="away"),
    pytest.param(("database", "prefix", "other_"), "run leadhook install", id="tables"),
]


class Program:
    """One of the programs with its own configuration, on the database of a service."""

    def __init__(self, service, folder, name, *words, settings=()):
        self.installation = Installation(folder, BUILD, service.database, service.installation.name)
        self.installation.config.write_text(service.installation.text())
        self.log = folder / "first.log"
        self.configure(("log", "file", self.log), ("server", "listen", self.installation.socket),
                       ("server", "state_dir", folder / "state"), ("dispatch", "lock_file", folder / "lock"), *settings)
        self.child = Child(name, [self.installation.program(name), "--config", self.installation.config, *words], folder / "stderr",
                           death_signal=signal.SIGTERM)

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
    made = Program(service, make_folder(), "leadhook-fcgi", "--workers", request.param)
    made.child.start()
    processes = request.param + 1 if request.param else 0  # with the committer
    wait_until(lambda: logged(made.log, "serving") and len(children(made.child.pid)) == processes, DEADLINE, "the start")
    yield made
    made.child.stop()


def test_refused_configuration_does_not_change_the_log(program):
    """if another setting is wrong, neither the file nor the level of the log changes"""
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
    """even after a refused one"""
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


@pytest.mark.parametrize("setting, word", UNUSABLE)
def test_a_database_that_cannot_be_used(program, setting, word):
    """the running processes stay, and the log has the reason; a correct configuration is then applied"""
    right = program.installation.text()
    before = children(program.child.pid)
    program.configure(setting)
    program.hup("reload_failed")
    assert word in program.log.read_text()
    assert children(program.child.pid) == before
    assert program.serves()
    program.installation.put_back(right)
    program.hup("reloaded")
    assert program.serves()


@pytest.fixture
def dispatcher(service, make_folder):
    """A dispatcher with a process that sends mail. The mail server does not exist."""
    made = Program(service, make_folder(), "leadhook-dispatch", "--daemon",
                   settings=[("mail", "host", "mail.invalid"), ("mail", "from", "hello@example.org")])
    made.child.start()
    wait_until(lambda: made.log.exists() and processes(made.child.pid), DEADLINE, "the start")
    yield made
    made.child.stop()


def processes(pid):
    """Returns the processes beside the dispatcher: the keepers, and the processes that they restart."""
    keepers = children(pid)
    return [*keepers, *(child for keeper in keepers for child in children(keeper))]


@pytest.mark.parametrize("setting, word", UNUSABLE)
def test_a_dispatcher_that_works_stays(dispatcher, setting, word):
    """the process that sends mail stays, too, even if all processes get the signal"""
    beside = wait_until(lambda: len(processes(dispatcher.child.pid)) == 2 and processes(dispatcher.child.pid), DEADLINE, "the mailer")
    dispatcher.configure(setting)
    for pid in beside:
        os.kill(pid, signal.SIGHUP)
    dispatcher.hup("reload_failed")
    assert word in dispatcher.log.read_text()
    assert is_running(dispatcher.child.pid) and processes(dispatcher.child.pid) == beside


def test_errors_of_the_configuration_are_logged(dispatcher):
    """leadhook-dispatch(8): each error has its own line"""
    dispatcher.installation.config.write_text(f"{dispatcher.installation.text()}\n[limits]\nmemory = much\nhosts = none\n")
    dispatcher.hup("reload_failed")
    assert logged(dispatcher.log, "configuration_error") == 2 and "limits.memory" in dispatcher.log.read_text()
    assert is_running(dispatcher.child.pid)


def test_a_dispatcher_ends_for_the_next_one(dispatcher):
    """its service manager starts the next one, with the new configuration"""
    dispatcher.configure(("dispatch", "poll_interval", "2s"))
    dispatcher.child.send(signal.SIGHUP)
    assert dispatcher.child.wait(DEADLINE) == 0
    assert logged(dispatcher.log, "reloading") == 1


@pytest.mark.parametrize("name", ["leadhook-fcgi", "leadhook-dispatch"])
@pytest.mark.parametrize("setting, word", [*UNUSABLE, pytest.param(("log", "level", "loudest"), "LOG_LEVEL", id="setting")])
def test_a_start_is_checked(service, name, setting, word):
    """--check-start, which the units run before a reload, changes nothing, not even in the database"""
    section, key, value = setting
    assert call(service.installation, "--check-start", program=name).returncode == os.EX_OK
    done = call(service.installation, "--check-start", program=name, env={f"LEADHOOK_{section}_{key}".upper(): value})
    assert done.returncode == os.EX_CONFIG and word in done.stderr and done.stdout == ""


def test_the_state_directory_is_checked(service, make_folder):
    """--check-start of leadhook-fcgi: a start would create shared memory in server.state_dir; the check creates nothing there"""
    folder = make_folder()
    shared, foreign = folder / "shared", folder / "foreign"
    for one in (shared, foreign):
        one.mkdir(mode=0o700)
    shared.chmod(0o777)
    (foreign / "limits").write_text("something else than limits")

    def check(place, name="leadhook-fcgi"):
        return call(service.installation, "--check-start", program=name, env={"LEADHOOK_SERVER_STATE_DIR": str(place)})
    assert check(folder / "missing").returncode == os.EX_OK and not (folder / "missing").exists()
    for place, hint in ((NO_STATE[2], "set server.state_dir"), (folder / "no" / "parent", "make the directory"), (shared, "chmod 700"),
                        (foreign, "remove the file")):
        done = check(place)
        assert done.returncode == os.EX_CONFIG and "no_shared_memory" in done.stderr and hint in done.stderr, place
        assert check(place, "leadhook-dispatch").returncode == os.EX_OK, "it shares no memory"
    assert list(shared.iterdir()) == [] and [one.name for one in foreign.iterdir()] == ["limits"]
