# SPDX-License-Identifier: MIT
"""A private MariaDB in a folder: unix socket only, with the current account as administrator."""
import getpass
import os
import pathlib
import shutil

from .process import Child, run

# The privileges on one database that even cheap shared hosting grants.
HOSTING_RIGHTS = "SELECT, INSERT, UPDATE, DELETE, CREATE, ALTER, INDEX, DROP"


class MariaDB:
    """`folder` contains the data; `socket` must be a short path (at most 107 bytes); `more`: options of mariadbd."""

    clients = "localhost"  # the hosts of accounts

    def __init__(self, folder, socket, buffer_pool="64M", redo_log="48M", more=()):
        self.folder, self.socket = pathlib.Path(folder), pathlib.Path(socket)
        self.buffer_pool, self.redo_log, self.more = buffer_pool, redo_log, more
        self.data = self.folder / "data"
        # A server that starts removes all temporary tables in this folder; in /tmp, it would also remove those of other servers.
        self.temporary = self.folder / "tmp"
        self.log = self.folder / "mariadb.log"
        self.clock = None  # a Clock that the server uses instead of the host's
        self.child = None

    def _server_options(self, data):
        options = ["--no-defaults", f"--datadir={data}", f"--tmpdir={self.temporary}",
                   f"--innodb-buffer-pool-size={self.buffer_pool}", f"--innodb-log-file-size={self.redo_log}",
                   "--skip-name-resolve"]
        # mariadbd refuses to run as root without this option.
        return options + (["--user=root"] if os.geteuid() == 0 else [])

    def create(self):
        """Make the data folder, unless it exists. It gets its name when it is complete, so that a killed run leaves no partial one."""
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
        words, options = (self.clock.words, self.clock.options) if self.clock else ([], [])
        return [*words, "mariadbd", *self._server_options(self.data), f"--socket={self.socket}",
                f"--pid-file={self.folder / 'mariadb.pid'}", "--skip-networking",
                "--innodb-flush-log-at-trx-commit=1", "--character-set-server=utf8mb4", "--max-connections=400",
                "--performance-schema=off", f"--log-error={self.log}", *options, *self.more]

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
        """Run statements as the administrator; return the rows as tab-separated lines without heading."""
        return run("mariadb", ["mariadb", "--no-defaults", f"--socket={self.socket}", f"--user={getpass.getuser()}", "--batch",
                               "--skip-column-names", database], timeout=timeout, input=text).rstrip("\n")

    def address(self):
        """Return the settings of section database with which programs connect to this server."""
        return {"socket": str(self.socket)}

    def restart(self):
        """Restart as the same child, so that its supervision continues."""
        self.child.stop(seconds=30)
        self.child.argv = self.command()
        self.child.start().ready(self.answers, seconds=30)

    def add_account(self, database, user, password):
        """Make a database, and an account with only the rights of shared hosting."""
        self.sql(f"CREATE DATABASE IF NOT EXISTS `{database}` CHARACTER SET utf8mb4;"
                 f"CREATE OR REPLACE USER '{user}'@'{self.clients}' IDENTIFIED BY '{password}';"
                 f"GRANT {HOSTING_RIGHTS} ON `{database}`.* TO '{user}'@'{self.clients}'")

    def stop(self):
        if self.child is not None:
            self.child.stop(seconds=30)
