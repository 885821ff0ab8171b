# SPDX-License-Identifier: MIT
"""A private MariaDB in a folder: unix socket only, the administrator is whoever runs it."""
import getpass
import os
import pathlib
import shutil

from .process import Child, run

# What "all privileges on one database" comes down to on shared hosting, without what the cheaper hosts leave out.
HOSTING_RIGHTS = "SELECT, INSERT, UPDATE, DELETE, CREATE, ALTER, INDEX, DROP"


class MariaDB:
    """`folder` keeps the data; `socket` must be short (108 bytes is the system's limit); `more`: options of mariadbd."""

    def __init__(self, folder, socket, buffer_pool="64M", redo_log="48M", more=()):
        self.folder, self.socket = pathlib.Path(folder), pathlib.Path(socket)
        self.buffer_pool, self.redo_log, self.more = buffer_pool, redo_log, more
        self.data = self.folder / "data"
        # A server that starts removes every temporary table in its folder for those: in /tmp also those of other servers.
        self.temporary = self.folder / "tmp"
        self.log = self.folder / "mariadb.log"
        self.child = None

    def _server_options(self, data):
        options = ["--no-defaults", f"--datadir={data}", f"--tmpdir={self.temporary}",
                   f"--innodb-buffer-pool-size={self.buffer_pool}", f"--innodb-log-file-size={self.redo_log}",
                   "--skip-name-resolve"]
        # mariadbd refuses to run as root unless it is told so.
        return options + (["--user=root"] if os.geteuid() == 0 else [])

    def create(self):
        """Make the data folder, unless there is one. It gets its name when it is complete: a killed run leaves no half."""
        self.temporary.mkdir(parents=True, exist_ok=True)
        if self.data.exists():
            return self
        unfinished = self.folder / "data.unfinished"
        shutil.rmtree(unfinished, ignore_errors=True)
        run("mariadb-install-db", ["mariadb-install-db", *self._server_options(unfinished), "--skip-test-db",
                                   "--auth-root-authentication-method=socket",
                                   f"--auth-root-socket-user={getpass.getuser()}"])
        unfinished.rename(self.data)
        return self

    def command(self):
        return ["mariadbd", *self._server_options(self.data), f"--socket={self.socket}",
                f"--pid-file={self.folder / 'mariadb.pid'}", "--skip-networking",
                "--innodb-flush-log-at-trx-commit=1", "--character-set-server=utf8mb4", "--max-connections=400",
                "--performance-schema=off", f"--log-error={self.log}", *self.more]

    def start(self):
        self.child = Child("mariadbd", self.command(), self.log).start()
        self.child.ready(self.answers, seconds=30)
        return self

    def answers(self):
        try:
            return self.sql("SELECT 1") == "1"
        except Exception:
            return False

    def sql(self, text, database="", timeout=60):
        """Run statements as the administrator; answers are tab separated lines without heading."""
        return run("mariadb", ["mariadb", "--no-defaults", f"--socket={self.socket}", f"--user={getpass.getuser()}", "--batch",
                               "--skip-column-names", database], timeout=timeout, input=text).rstrip("\n")

    def add_account(self, database, user, password):
        """A database and an account that has only what shared hosting gives."""
        self.sql(f"CREATE DATABASE IF NOT EXISTS `{database}` CHARACTER SET utf8mb4;"
                 f"CREATE OR REPLACE USER '{user}'@'localhost' IDENTIFIED BY '{password}';"
                 f"GRANT {HOSTING_RIGHTS} ON `{database}`.* TO '{user}'@'localhost'")

    def stop(self):
        if self.child is not None:
            self.child.stop(seconds=30)
