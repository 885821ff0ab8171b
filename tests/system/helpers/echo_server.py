# SPDX-License-Identifier: MIT
"""Runs tests/fcgi/echo_app.c on its own socket, and the fixtures that start it."""
import contextlib
import fcntl
import os
import pathlib
import shutil
import signal
import struct
import subprocess
import tempfile
import termios

import pytest

from fastcgi_client import STDIN, Connection, head, record
from stack.process import wait_until
from tree import BUILD

PROGRAM = BUILD / "tests" / "fcgi" / "echo_app"
TIMEOUT = 20  # seconds, for any one event


def wait_for(condition, what):
    return wait_until(condition, TIMEOUT, what)


class Server:
    """The program on its own socket."""

    def __init__(self, folder, *options, listen=True, via=(), **popen):
        self.path = str(folder / "socket")
        self.logfile = folder / f"log-{len(list(folder.iterdir()))}"
        self.log_stream = open(self.logfile, "ab")
        own = ["--listen", self.path] if listen else []
        arguments = [*via, str(PROGRAM), *own, *(str(option) for option in options)]
        self.process = subprocess.Popen(arguments, stderr=self.log_stream, **{"stdin": subprocess.DEVNULL, **popen})

    def ready(self, event="serving"):
        wait_for(lambda: event in self.log() or self.process.poll() is not None, "the program to serve")
        assert self.process.poll() is None, self.log()
        return self

    def log(self):
        return self.logfile.read_text()

    def logged(self, event, times=1):
        wait_for(lambda: self.log().count(f" {event} ") >= times, f"{times} {event} in the log")

    def workers(self):
        try:
            return set(map(int, pathlib.Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()))
        except FileNotFoundError:
            return set()

    def send_signal(self, number):
        self.process.send_signal(number)

    def end(self, number=signal.SIGTERM):
        """Stop the program in an orderly way; return its exit status."""
        self.send_signal(number)
        return self.process.wait(TIMEOUT)

    def clean_up(self):
        if self.process.poll() is None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.end()
        self.process.kill()
        self.process.wait()
        self.log_stream.close()


@pytest.fixture
def folder():
    path = pathlib.Path(tempfile.mkdtemp(prefix="leadhook-"))
    yield path
    shutil.rmtree(path)


@pytest.fixture
def start(folder):
    started = []

    def make(*options, **more):
        started.append(Server(folder, *options, **more))
        return started[-1]
    yield make
    for server in started:
        server.clean_up()


@pytest.fixture
def serve(start):
    """Start the program and wait until it serves."""
    return lambda *options, **more: start(*options, **more).ready()


def gone(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


def unread(connection):
    """Return the number of bytes sent that the peer has not read yet."""
    return struct.unpack("i", fcntl.ioctl(connection.socket, termios.TIOCOUTQ, bytes(4)))[0]


def half(server):
    """Send a request with half of its body, which a worker has read."""
    connection = Connection(server.path).send(head("", 10) + record(STDIN, b"01234"))
    wait_for(lambda: unread(connection) == 0, "a worker to read it")
    return connection
