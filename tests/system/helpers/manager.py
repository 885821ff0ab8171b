# SPDX-License-Identifier: MIT
"""A service manager's side of sd_notify(3): its socket, and the messages that it gets. Also stops a single thread."""
import contextlib
import ctypes
import os
import signal
import socket
import struct
import time

from stack.process import Child

MESSAGE_MAX = 4096
WATCHDOG_SECONDS = 1  # a sign of life comes twice as often
PTRACE_SEIZE, PTRACE_INTERRUPT, PTRACE_DETACH = 0x4206, 0x4207, 17
WAIT_FOR_ANY_THREAD = 0x40000000  # __WALL
_libc = ctypes.CDLL(None, use_errno=True)


class Manager:
    """Starts a program as a service of type notify with a watchdog. Only the main process may report, as with systemd."""

    def __init__(self, folder):
        self.path = folder / "notify.sock"
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
        self.socket.bind(str(self.path))
        self.child = None

    @property
    def environment(self):
        return [f"NOTIFY_SOCKET={self.path}", f"WATCHDOG_USEC={WATCHDOG_SECONDS * 1000000}"]

    def start(self, child):
        """Start a program (a Child)."""
        self.child = Child(child.name, ["env", *self.environment, *child.argv], child.log, child.death_signal).start()
        return self.child

    def close(self):
        if self.child is not None:
            self.child.stop(seconds=30)
        self.socket.close()

    def message(self, seconds):
        """Return the next message as a dictionary. Raise TimeoutError if none arrives in time."""
        self.socket.settimeout(max(seconds, 0.001))
        data, control, _, _ = self.socket.recvmsg(MESSAGE_MAX, socket.CMSG_SPACE(struct.calcsize("3i")))
        sender, _, _ = struct.unpack("3i", control[0][2])
        assert sender == self.child.pid, f"{data} is from process {sender}, not from the main process"
        return dict(line.split("=", 1) for line in data.decode().splitlines())

    def state(self, seconds=30):
        """Return the next message that is not a sign of life."""
        end = time.monotonic() + seconds
        while True:
            message = self.message(end - time.monotonic())
            if "WATCHDOG" not in message:
                return message

    def sign_of_life(self, seconds=20):
        assert self.message(seconds) == {"WATCHDOG": "1"}

    def drain(self):
        with contextlib.suppress(TimeoutError, BlockingIOError):
            while True:
                self.message(0)

    def is_silent(self, seconds):
        """Return whether no message arrives for that time."""
        try:
            self.message(seconds)
        except TimeoutError:
            return True
        return False


@contextlib.contextmanager
def stopped_thread(thread):
    """Stop one thread, while the others of its process keep running (ptrace(2))."""
    def ptrace(request):
        if _libc.ptrace(request, thread, None, None) != 0:
            raise OSError(ctypes.get_errno(), f"ptrace {request:#x}")
    _libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p]
    ptrace(PTRACE_SEIZE)
    ptrace(PTRACE_INTERRUPT)
    _, status = os.waitpid(thread, WAIT_FOR_ANY_THREAD)
    assert os.WIFSTOPPED(status) and os.WSTOPSIG(status) == signal.SIGTRAP
    try:
        yield
    finally:
        ptrace(PTRACE_DETACH)
