# SPDX-License-Identifier: MIT
"""Child processes that never outlive their parent, and waiting with a deadline."""
import ctypes
import os
import pathlib
import signal
import subprocess
import time

PR_SET_PDEATHSIG = 1
POLL_SECONDS = 0.02
# The folder of Debian's servers, which is not in the PATH of ordinary accounts.
os.environ["PATH"] = os.environ.get("PATH", "/usr/bin:/bin") + ":/usr/sbin:/sbin"
_libc = ctypes.CDLL(None, use_errno=True)


class StackError(Exception):
    """A program failed. The text is for people, and shows the end of the log."""


class Ended(BaseException):
    """A signal ends the program. Not an Exception, so that no handler catches it."""


def _end(*_):
    # A second signal, for example if a terminal is closed after Ctrl-C, must not interrupt the end of the program. It may have
    # arrived already: with SIG_IGN, Python would report that as an error.
    handle_signals(lambda *_: None)
    raise Ended


def handle_signals(handler=_end):
    """Let INT, TERM and HUP raise Ended. With SIG_IGN, they are ignored while the program stops what it has started."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, handler)


def die_with_parent(parent, death_signal):
    """Called in the child, before exec. The parent may have died before the prctl call, so it is checked again."""
    _libc.prctl(PR_SET_PDEATHSIG, death_signal, 0, 0, 0)
    if os.getppid() != parent:
        os._exit(1)


def tail(path, lines=25):
    try:
        return "\n".join(pathlib.Path(path).read_text(errors="replace").splitlines()[-lines:])
    except OSError:
        return "(no log)"


def replace_file(path, text, check=lambda wanted: None):
    """Atomically replace a file that only its owner can read. It stays unchanged if `check` raises for the new one."""
    wanted = path.with_name(f"{path.name}.new")
    try:
        with os.fdopen(os.open(wanted, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
            file.write(text)
        check(wanted)
        wanted.replace(path)
    finally:
        wanted.unlink(missing_ok=True)


def wait_until(condition, seconds, what):
    """Poll until `condition()` is true, and return its value. Raise StackError after `seconds`."""
    end = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() >= end:
            raise StackError(f"{what}: not within {seconds} s")
        time.sleep(POLL_SECONDS)


def thread_states(pid):
    """Return the state of each thread of a process, as a letter of proc(5)."""
    for task in pathlib.Path(f"/proc/{pid}/task").glob("*"):
        try:
            yield (task / "stat").read_text().rpartition(")")[2].split()[0]
        except (FileNotFoundError, ProcessLookupError):  # it has ended in the meantime
            continue


def suspend(pid):
    """Send SIGSTOP, and wait until all threads have stopped or ended; on a busy host, they keep running for a while."""
    os.kill(pid, signal.SIGSTOP)
    wait_until(lambda: set(thread_states(pid)) <= {"T", "Z"}, 20, f"process {pid} does not stop")


class Child:
    """One program in the foreground. Start it from the main thread only: PR_SET_PDEATHSIG follows the *thread* that forked.

    The death signal is KILL. A program with children of its own (a web server, the responders' parent) gets TERM, so that it can
    end them.
    """

    def __init__(self, name, argv, log, death_signal=signal.SIGKILL):
        self.name, self.argv, self.log = name, [str(word) for word in argv], pathlib.Path(log)
        self.death_signal = death_signal
        self.process = None

    def start(self):
        parent = os.getpid()
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                self.argv, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True,
                preexec_fn=lambda: die_with_parent(parent, self.death_signal))
        return self

    @property
    def pid(self):
        return self.process.pid

    def alive(self):
        return self.process is not None and self.process.poll() is None

    def send(self, number):
        if self.alive():
            self.process.send_signal(number)

    def suspend(self):
        if self.alive():
            suspend(self.pid)

    def check(self):
        """Raise StackError with its log if it has ended."""
        if not self.alive():
            raise StackError(f"{self.name} ended with status {self.process.returncode}:\n{tail(self.log)}")

    def wait(self, seconds):
        """Return the exit status. Raise StackError if it has not ended in time."""
        try:
            return self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            raise StackError(f"{self.name} did not end within {seconds} s\n{tail(self.log)}") from None

    def kill(self):
        """Send SIGKILL, and wait."""
        self.send(signal.SIGKILL)
        if self.process is not None:
            self.process.wait()

    def stop(self, number=signal.SIGTERM, seconds=15):
        """Send the signal, and SIGKILL if it does not end in time."""
        self.send(number)
        try:
            return self.wait(seconds) if self.process else None
        finally:
            self.kill()

    def ready(self, condition, seconds=20):
        """Wait until it is ready. Raise StackError with its log if it ends."""
        def answers():
            self.check()
            return condition()
        try:
            wait_until(answers, seconds, f"{self.name} is not ready")
        except StackError as error:
            if self.alive():
                raise StackError(f"{error}\n{tail(self.log)}") from None
            raise
        return self


def run(what, argv, timeout=60, input=None):
    """Run to the end and return stdout. Raise StackError with the output if it fails."""
    done = subprocess.run([str(word) for word in argv], timeout=timeout, input=input, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    if done.returncode != 0:
        raise StackError(f"{what} failed with status {done.returncode}:\n{done.stdout}{done.stderr}".rstrip())
    return done.stdout
