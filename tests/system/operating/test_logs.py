# SPDX-License-Identifier: MIT
"""docs/operating.md 12.5 and 12.6: forms of the log, syslog, and rotation, for every process of the programs."""
import contextlib
import datetime
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import threading

import pytest
from companions import companion
from processes import children
from service import COMMITTER
from stack.process import wait_until
from tree import SOURCE

DEADLINE = 20
LEVELS = {"error", "warning", "info", "debug"}
# a signal handler cannot format a time
DATAGRAM = re.compile(rb"<(\d+)>([A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d |(?=[^ ]* crashed ))(leadhook-[a-z]+)\[(\d+)\]: (.*)", re.DOTALL)


def everything(service):
    """Returns the pids of all processes that log: parent, workers, committer, dispatcher, and the keeper and sender of mails."""
    return [service.responders.pid, *children(service.responders.pid), service.dispatcher.pid, *companion(service.dispatcher)]


def has_open(pid, path):
    """Whether a process has the file open, whatever its name is now."""
    wanted = os.stat(path)
    for link in pathlib.Path(f"/proc/{pid}/fd").iterdir():
        with contextlib.suppress(OSError):
            found = os.stat(link)
            if (found.st_dev, found.st_ino) == (wanted.st_dev, wanted.st_ino):
                return True
    return False


def crash(pid, log):
    """Crashes a process; returns its last line in the log. SIGABRT is used because sanitizers handle SIGSEGV themselves."""
    os.kill(pid, signal.SIGABRT)
    return wait_until(lambda: next((line for line in log() if "crashed" in line), None), DEADLINE, "the last line")


# --- the form ---

def test_json(make_service, mail_server):
    """each line of each program is an object with time, level, program, pid, event, and fields with their types"""
    service = make_service(workers=2, settings=[("log", "format", "json"), ("log", "level", "debug"), *mail_server.settings()])
    service.dispatcher.start()
    companion(service.dispatcher)
    campaign = service.campaign()
    campaign.webhook("new_signup")
    campaign.leads(2)
    campaign.delivered(2)
    worker = children(service.responders.pid)[-1]
    last = json.loads(crash(worker, lambda: service.responders.log.read_text().splitlines()))
    assert (last["event"], last["signal"], last["pid"]) == ("crashed", signal.SIGABRT, worker)
    wait_until(lambda: '"event":"worker_died"' in service.responders.log.read_text()
               or '"event":"companion_died"' in service.responders.log.read_text(), DEADLINE, "the parent's line")
    service.dispatcher.stop()
    service.responders.stop()
    for child, program in ((service.responders, "leadhook-fcgi"), (service.dispatcher, "leadhook-dispatch")):
        lines = [json.loads(line) for line in child.log.read_text().splitlines()]
        assert len(lines) > 3 and {line["program"] for line in lines} == {program}
        for line in lines:
            assert list(line)[:5] == ["time", "level", "program", "pid", "event"] and line["level"] in LEVELS
            if line["event"] != "crashed":  # a signal handler cannot format a time
                datetime.datetime.strptime(line["time"], "%Y-%m-%dT%H:%M:%SZ")
    lines = {line["event"]: line for line in map(json.loads, service.responders.log.read_text().splitlines())}
    assert lines["serving"]["workers"] == 2 and lines["serving"]["listen"] == str(service.installation.socket)
    died = lines.get("worker_died") or lines["companion_died"]
    assert (died["field_pid"], died["pid"]) == (worker, service.responders.pid or died["pid"])


# --- syslog ---

class Daemon:
    """A syslog daemon: its datagrams, as (priority, program, pid, text), and those that are not valid according to RFC 3164."""

    def __init__(self, path):
        self.path, self.lines, self.malformed = path, [], []
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(str(path))
        self.socket.settimeout(0.1)
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self._read, daemon=True)
        self.thread.start()

    def _read(self):
        while not self.ended.is_set():
            with contextlib.suppress(TimeoutError):
                datagram = self.socket.recv(65536)
                if found := DATAGRAM.fullmatch(datagram):
                    self.lines.append((int(found[1]), found[3].decode(), int(found[4]), found[5].decode()))
                else:
                    self.malformed.append(datagram)

    def texts(self, pid=None):
        return [text for _, _, sender, text in self.lines if pid in (None, sender)]

    def stop(self):
        self.ended.set()
        self.thread.join()
        self.socket.close()
        self.path.unlink()
        assert not self.malformed


def test_syslog(make_service, make_folder, mail_server):
    """docs/operating.md 12.5: every process sends its lines to the daemon; while the daemon is away, they go to standard error;
    after that, to the daemon again"""
    path = make_folder() / "log.sock"
    daemon = Daemon(path)
    service = make_service(workers=2, settings=[("log", "syslog", "local3"), ("log", "syslog_socket", path), ("log", "level", "debug"),
                                                *mail_server.settings()])
    service.dispatcher.start()
    keeper, sender = companion(service.dispatcher)
    parent = service.responders.pid
    for pid in {*children(parent), parent, service.dispatcher.pid, sender}:
        wait_until(lambda pid=pid: daemon.texts(pid), DEADLINE, f"a line of {pid}")
    assert any(text.startswith("info serving listen=") for text in daemon.texts(parent))
    assert {priority & ~7 for priority, *_ in daemon.lines} == {19 << 3}  # local3
    assert {program for _, program, *_ in daemon.lines} == {"leadhook-fcgi", "leadhook-dispatch"}
    assert all((priority & 7) == {"error": 3, "warning": 4, "info": 6, "debug": 7}[text.split()[0]]
               for priority, _, _, text in daemon.lines)
    assert service.responders.log.read_text() == "" and service.dispatcher.log.read_text() == ""

    os.kill(sender, signal.SIGKILL)
    wait_until(lambda: any("companion_crashed signal=9" in text for text in daemon.texts(keeper)), DEADLINE, "the keeper's line")
    worker = children(parent)[-1]
    assert crash(worker, lambda: daemon.texts(worker)) == f"crashed signal={signal.SIGABRT.value}"

    daemon.stop()
    count = service.responders.log.read_text().count(" reloaded ")
    service.responders.send(signal.SIGHUP)
    wait_until(lambda: service.responders.log.read_text().count(" reloaded ") > count, DEADLINE, "lines on standard error")
    assert service.client.healthy()
    daemon = Daemon(path)
    service.responders.send(signal.SIGHUP)
    wait_until(lambda: any("info reloaded " in text for text in daemon.texts(parent)), DEADLINE, "the daemon gets lines again")
    daemon.stop()


def test_no_syslog_daemon(make_service, make_folder):
    """docs/operating.md 12.5: each program reports a wrong socket once, at its start, on standard error, where its lines go
    instead; not with --quiet"""
    path = make_folder() / "missing"
    service = make_service(workers=2, settings=[("log", "syslog", "daemon"), ("log", "syslog_socket", path)])
    service.dispatch()
    for log in (service.responders.log, service.dispatcher.log):
        lines = log.read_text().splitlines()
        assert f" syslog_away path={path} " in lines[0] and '"No such file or directory"' in lines[0]
        assert sum(" syslog_away " in line for line in lines) == 1
    assert any(" serving " in line for line in service.responders.log.read_text().splitlines())
    quiet = subprocess.run([service.installation.program("leadhook-dispatch"), "--config", service.installation.config, "--quiet"],
                           capture_output=True, text=True, timeout=60, check=False)
    assert (quiet.returncode, quiet.stdout, quiet.stderr) == (0, "", "")


# --- rotation ---

@pytest.fixture
def logging(make_service, make_folder, mail_server):
    """A service with every kind of process, and its log file."""
    log = make_folder() / "leadhook.log"
    service = make_service(workers=2, settings=[("log", "file", log), ("log", "level", "debug"), *mail_server.settings()])
    service.dispatcher.start()
    companion(service.dispatcher)
    wait_until(lambda: all(has_open(pid, log) for pid in everything(service)), DEADLINE, "all log to the file")
    yield service, log
    service.dispatcher.stop()


def test_signals_reopen_the_file(logging):
    """docs/operating.md 12.6: after USR2 to both programs, all of their processes leave the old file at once; USR1 does the same
    for the dispatcher"""
    service, log = logging
    pids = everything(service)
    assert len(pids) == 7 if COMMITTER else 6
    for number, (fcgi, dispatch) in enumerate(((signal.SIGUSR2, signal.SIGUSR2), (signal.SIGUSR2, signal.SIGUSR1))):
        old = log.with_suffix(f".{number}")
        log.rename(old)
        service.responders.send(fcgi)
        service.dispatcher.send(dispatch)
        wait_until(lambda old=old: log.exists() and all(has_open(pid, log) and not has_open(pid, old) for pid in pids),
                   DEADLINE, "every process has the new file")
    assert everything(service) == pids and service.client.healthy()
    assert service.dispatcher.stop() == 0  # the thread that waits for these signals does not take those that end the program


@pytest.mark.skipif(shutil.which("logrotate") is None, reason="logrotate is not installed; scripts/check installs it")
def test_logrotate(logging, make_folder):
    """the example rotates without a signal: each process writes its next line to the new file, and no line is lost"""
    service, log = logging
    account, folder = pathlib.Path(log).owner(), make_folder()
    text = (SOURCE / "conf-examples/logrotate").read_text()
    for old, new in (("/var/log/leadhook/*.log", str(log)), ("su www-data www-data", f"su {account} {log.group()}"),
                     ("0640 www-data www-data", f"0640 {account} {log.group()}")):
        assert old in text
        text = text.replace(old, new)
    (folder / "logrotate.conf").write_text(text)
    log.parent.chmod(0o755)
    before = log.read_text()
    done = subprocess.run(["logrotate", "--force", "--state", folder / "state", folder / "logrotate.conf"], capture_output=True,
                          text=True, timeout=30, check=False)
    assert done.returncode == 0, done.stderr
    rotated = pathlib.Path(f"{log}.1")
    assert rotated.read_text().startswith(before) and (log.stat().st_mode & 0o777) == 0o640
    keeper, sender = companion(service.dispatcher)
    os.kill(sender, signal.SIGKILL)  # a line of the keeper, then those of the new sender
    service.responders.send(signal.SIGHUP)  # lines of the parent, and of each process that starts or ends
    wait_until(lambda: f"[{keeper}] companion_crashed " in log.read_text(), DEADLINE, "the keeper's line")
    wait_until(lambda: f"[{service.responders.pid}] reloaded " in log.read_text(), DEADLINE, "the parent's line")
    wait_until(lambda: " worker_stopping " in log.read_text(), DEADLINE, "an old worker's line")
    if COMMITTER:
        wait_until(lambda: " committer_ending " in log.read_text(), DEADLINE, "the old committer's line")


def test_a_full_disk_stops_nothing(make_service):
    """docs/operating.md 12.6: lines that cannot be written are lost, and requests, reloads and deliveries go on"""
    service = make_service(workers=2, settings=[("log", "file", "/dev/full"), ("log", "level", "debug")])
    campaign = service.campaign()
    campaign.webhook("new_signup")
    service.dispatcher.start()
    campaign.leads(2)
    campaign.delivered(2)
    before = set(children(service.responders.pid))
    service.responders.send(signal.SIGHUP)
    wait_until(lambda: not before & set(children(service.responders.pid)), DEADLINE, "the new processes")
    campaign.lead(email="after@example.org")
    campaign.delivered(3)
