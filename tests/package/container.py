# SPDX-License-Identifier: MIT
"""A separate Debian 12 under systemd, in a folder: mmdebstrap makes it, systemd-nspawn boots it with loopback as its only network. It ends
with this process, however this process ends: unshare and systemd-nspawn then get SIGKILL. systemd-nspawn is the first process of a
namespace, so the kernel ends all others with it. Their mounts are in a namespace that ends too."""
import contextlib
import ctypes
import os
import pathlib
import re
import shutil
import signal
import subprocess

from stack.process import Child, StackError, run, tail, wait_until

INIT = "/lib/systemd/systemd"
SUITE, SOURCES = "bookworm", pathlib.Path("/etc/apt/sources.list.d/debian.sources")
CLONE_NEWNET = 0x40000000
# The system calls with which programs restrict themselves. Unlike a real host, systemd-nspawn does not allow them by default.
LANDLOCK = "landlock_create_ruleset landlock_add_rule landlock_restrict_self"
QUIET = {"DEBIAN_FRONTEND": "noninteractive", "LC_ALL": "C.UTF-8", "PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root",
         "TERM": "dumb"}
BOOT_SECONDS, COMMAND_SECONDS = 60, 300
_libc = ctypes.CDLL(None, use_errno=True)


def _enter_network(file):
    if _libc.setns(file.fileno(), CLONE_NEWNET) != 0:
        raise OSError(ctypes.get_errno(), "setns")


def _own_groups():
    """Return the folders of this process in each hierarchy of control groups."""
    mounts = [line.split() for line in pathlib.Path("/proc/self/mounts").read_text().splitlines()]
    own = dict(line.split(":", 2)[1:] for line in pathlib.Path("/proc/self/cgroup").read_text().splitlines())
    for _, place, kind, options, *_ in mounts:
        enabled = set(options.split(","))
        names = [""] if kind == "cgroup2" else [name for name in own if name and set(name.split(",")) <= enabled]
        if kind in ("cgroup", "cgroup2") and names and names[0] in own:
            yield pathlib.Path(place) / own[names[0]].lstrip("/")


class Container:
    def __init__(self, folder, packages):
        self.folder, self.root = pathlib.Path(folder), pathlib.Path(folder) / "root"
        self.name = f"leadhook-test-{os.getpid()}"
        self.child = None
        sources = [SOURCES] if SOURCES.exists() else []
        run("mmdebstrap", ["mmdebstrap", "--variant=minbase", f"--include={','.join(packages)}", SUITE, self.root, *sources],
            timeout=1200)

    # --- start and end ---

    def boot(self):
        managed = pathlib.Path("/run/systemd/system").exists()  # the host's systemd gives it a unit
        options = [] if managed else ["--register=no", "--keep-unit"]
        self._groups = [] if managed else [group for group in _own_groups() if not (group / "payload").exists()]
        self.child = Child("systemd-nspawn", [
            "unshare", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc",
            "systemd-nspawn", "--quiet", *options, f"--machine={self.name}", "--private-network", "--console=pipe",
            f"--system-call-filter={LANDLOCK}", "-D", self.root, INIT, "--log-target=journal"], self.folder / "nspawn.log")
        self.child.start()
        self.child.ready(self._init, BOOT_SECONDS)
        self.init = self._init()
        wait_until(self._is_running, BOOT_SECONDS, "systemd in the container")
        return self

    def close(self):
        if self.child is not None:
            with contextlib.suppress(StackError):
                self.child.stop(signal.SIGKILL)
            wait_until(lambda: not self._processes(), BOOT_SECONDS, "the end of the container")
            for group in self._groups:
                for leaf in ("payload", "supervisor"):
                    for path, _, _ in os.walk(group / leaf, topdown=False):
                        with contextlib.suppress(OSError):
                            os.rmdir(path)
            shutil.rmtree(f"/run/systemd/nspawn/propagate/{self.name}", ignore_errors=True)
        shutil.rmtree(self.root, ignore_errors=True)

    def _processes(self):
        """Return the processes whose root is the container's."""
        found = []
        for process in pathlib.Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                if os.path.samefile(process / "root", self.root):
                    found.append(int(process.name))
        return found

    def _init(self):
        """Return the process id of its first process once that is systemd; 0 before."""
        for pid in self._processes():
            with contextlib.suppress(OSError):
                numbers = re.search(r"^NSpid:\s(.*)$", pathlib.Path(f"/proc/{pid}/status").read_text(), re.MULTILINE)[1]
                if numbers.split()[-1] == "1" and pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().startswith(INIT.encode()):
                    return pid
        return 0

    def _is_running(self):
        return self.call("systemctl", "is-system-running").stdout.strip() in ("running", "degraded")

    # --- what happens in it ---

    def call(self, *words, input=None, seconds=COMMAND_SECONDS):
        """Run a program in the container; return status and output."""
        inside = ["nsenter", f"--target={self.init}", "--mount", "--uts", "--ipc", "--net", "--pid", "--root", "--wd", "--"]
        return subprocess.run([*inside, *map(str, words)], env=QUIET, input=input, stdin=None if input else subprocess.DEVNULL,
                              text=True, timeout=seconds, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)

    def run(self, *words, **options):
        """Run a program that must succeed; return its output."""
        done = self.call(*words, **options)
        if done.returncode != 0:
            command = " ".join(map(str, words))
            raise StackError(f"{command}: status {done.returncode}\n{done.stdout}{done.stderr}\n{tail(self.child.log)}")
        return done.stdout

    def shell(self, script, **options):
        return self.run("sh", "-euc", script, **options)

    def path(self, inside):
        """Return a path in the container as this process sees it. Links in it must not lead to an absolute path."""
        return pathlib.Path(f"/proc/{self.init}/root") / str(inside).lstrip("/")

    def active(self, *units):
        """Return which of the units are active."""
        states = self.call("systemctl", "is-active", *units).stdout.split()
        return [unit for unit, state in zip(units, states) if state == "active"]

    def property(self, unit, name):
        return self.run("systemctl", "show", "--value", "-p", name, unit).strip()

    def journal(self, unit):
        return self.run("journalctl", "--no-pager", "-o", "cat", "-u", unit)

    @contextlib.contextmanager
    def network(self):
        """Put this thread, and those that it starts, into the network of the container."""
        with open("/proc/thread-self/ns/net", "rb") as own, open(f"/proc/{self.init}/ns/net", "rb") as inside:
            _enter_network(inside)
            try:
                yield
            finally:
                _enter_network(own)
