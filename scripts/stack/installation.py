# SPDX-License-Identifier: MIT
"""One installation: a database account with hosting rights, the configuration file, and the three programs run with it."""
import configparser
import grp
import io
import json
import os
import pathlib
import pwd
import secrets
import signal
import subprocess

from .front import APACHE_USER
from .process import Child, StackError, replace_file, run


def find_program(build, name):
    """Return the path of a program in the build tree (or in the prefix of an installation)."""
    for folder in ("", "src/prog", "sbin", "bin"):
        path = pathlib.Path(build, folder, name)
        if path.is_file() and os.access(path, os.X_OK):
            return path
    raise StackError(f"{name} is not in {build}: build it first")


def web_group():
    """Return the group of the socket, with which Apache reaches it without root's rights; "": the group of the process."""
    names = [group.gr_name for group in grp.getgrall()] if os.geteuid() == 0 else []
    return APACHE_USER if APACHE_USER in names else ""


class Installation:
    """`folder` holds the configuration, the sockets and the logs of one installation."""

    def __init__(self, folder, build, database, name="leadhook"):
        self.folder, self.build, self.database, self.name = pathlib.Path(folder), build, database, name
        self.config = self.folder / "leadhook.conf"
        self.socket = self.folder / "fcgi.sock"

    # --- configuration ---

    def configure(self, settings=(), owner=None):
        """Write the file, or change an existing one; `settings` are (section, key, value). Only `owner` may read it.

        An invalid configuration changes nothing.
        """
        parser = configparser.RawConfigParser(default_section=None)
        if not parser.read(self.config):
            parser.read_dict(self._defaults())
        for section, key, value in settings:
            if not parser.has_section(section):
                parser.add_section(section)
            parser.set(section, key, str(value))
        text = io.StringIO()
        parser.write(text)

        state = pathlib.Path(parser.get("server", "state_dir", fallback="/run"))
        if state.parent == self.folder:
            state.mkdir(mode=0o700, exist_ok=True)
            if owner:
                os.chown(state, pwd.getpwnam(owner).pw_uid, pwd.getpwnam(owner).pw_gid)

        def check(wanted):
            run("leadhook --check-config", [self.program("leadhook"), "--config", wanted, "--check-config"])
            if owner:
                account = pwd.getpwnam(owner)
                os.chown(wanted, account.pw_uid, account.pw_gid)
        replace_file(self.config, text.getvalue(), check)

    def _defaults(self):
        return {
            "database": {**self.database.address(), "user": self.name, "password": secrets.token_hex(16), "name": self.name},
            "server": {"listen": str(self.socket), "socket_group": web_group(), "state_dir": str(self.folder / "state")},
            # Receivers run on this machine.
            "dispatch": {"allow_networks": "127.0.0.0/8", "lock_file": str(self.folder / "dispatch.lock")},
        }

    def text(self):
        """Return the configuration, or None."""
        return self.config.read_text() if self.config.exists() else None

    def put_back(self, text):
        """Restore a configuration that text() returned."""
        if text is None:
            self.config.unlink(missing_ok=True)
        elif text != self.text():
            replace_file(self.config, text)

    def setting(self, section, key, default=None):
        parser = configparser.RawConfigParser(default_section=None)
        parser.read(self.config)
        return parser.get(section, key, fallback=default)

    def install(self):
        """Create account and schema; safe to repeat."""
        self.database.add_account(self.setting("database", "name"), self.setting("database", "user"),
                                  self.setting("database", "password"))
        self.admin("install")

    # --- programs ---

    def program(self, name):
        return find_program(self.build, name)

    def admin_text(self, *words, timeout=60):
        """Run `leadhook … --json`; return its output as text."""
        return run(f"leadhook {words[0]}", [self.program("leadhook"), "--config", self.config, "--json", *words], timeout=timeout)

    def admin(self, *words, timeout=60):
        """Run `leadhook … --json`; return its output, parsed."""
        text = self.admin_text(*words, timeout=timeout)
        return json.loads(text) if text.strip() else None

    def responders(self, workers="auto", listen=None, committer=True):
        """Return leadhook-fcgi, not started, on `listen` or on the configured socket."""
        words = [*(["--listen", listen] if listen else []), *([] if committer else ["--no-committer"])]
        return Child("leadhook-fcgi", [self.program("leadhook-fcgi"), "--config", self.config, *words, "--workers", workers],
                     self.folder / "fcgi.log", death_signal=signal.SIGTERM)

    def dispatcher(self):
        """Return leadhook-dispatch as a daemon, not started."""
        return Child("leadhook-dispatch", [self.program("leadhook-dispatch"), "--config", self.config, "--daemon"],
                     self.folder / "dispatch.log")

    def dispatch(self, max_runtime=5, seconds=30):
        """Run the dispatcher as cron does; return its exit status."""
        with open(self.folder / "dispatch.log", "ab") as log:
            return subprocess.run([self.program("leadhook-dispatch"), "--config", self.config, "--max-runtime", str(max_runtime)],
                                  timeout=seconds, stdout=log, stderr=log, check=False).returncode

    def sql(self, text):
        return self.database.sql(text, self.setting("database", "name"))
