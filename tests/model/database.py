# SPDX-License-Identifier: MIT
"""The engine for test_model.py: batch_runner, and a mariadb client that stays open."""
import contextlib
import getpass
import json
import subprocess

from custom_fields import FIELDS_BYTES_MAX, FIELDS_MAX, PUBLIC_FIELDS_BYTES_MAX
from plain import DISPOSABLE_DOMAINS
from render import AVATAR_URL, BASE_URL
from stack.process import StackError


class LineProgram:
    """A program that reads and writes lines."""

    def __init__(self, argv, log):
        self.log = log
        with open(log, "ab") as errors:
            self.process = subprocess.Popen([str(word) for word in argv], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                            stderr=errors, encoding="utf-8")

    def send(self, text):
        try:
            self.process.stdin.write(text + "\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            self.raise_exit()

    def receive(self):
        line = self.process.stdout.readline()
        return line.rstrip("\n") if line else self.raise_exit()

    def raise_exit(self):
        raise StackError(f"{self.process.args[0]} ended with status {self.process.wait()}\n{self.new_log()}")

    def new_log(self):
        """Return the log, and clear it."""
        text = self.log.read_text()
        self.log.write_text("")
        return text

    def close(self):
        """End the program; return its exit status."""
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.close()
        self.process.stdout.close()
        return self.process.wait(20)


class Runner(LineProgram):
    def __init__(self, program, folder, socket, database):
        super().__init__([program], folder / "batch_runner.log")
        self.call("open", {"socket": str(socket), "user": getpass.getuser(), "database": database, "prefix": "lh_",
                          "base_url": BASE_URL, "avatar_url": AVATAR_URL, "fields": FIELDS_MAX,
                          "fields_bytes": FIELDS_BYTES_MAX, "public_fields_bytes": PUBLIC_FIELDS_BYTES_MAX,
                          "disposable_domains": " ".join(DISPOSABLE_DOMAINS)})

    def call(self, what, value):
        self.send(json.dumps({what: value}, separators=(",", ":")))
        return json.loads(self.receive())


class Sql(LineProgram):
    END = "end of results"

    def __init__(self, folder, socket, database):
        super().__init__(["mariadb", "--no-defaults", f"--socket={socket}", f"--user={getpass.getuser()}", "--batch", "--raw",
                          "--skip-column-names", "--unbuffered", database], folder / "mariadb-client.log")

    def rows(self, statements):
        """Return the rows of all statements in order; NULL is "NULL"."""
        self.send(f"{statements};\nSELECT '{self.END}';")
        rows = []
        while (line := self.receive()) != self.END:
            rows.append(line.split("\t"))
        return rows


def quoted(value):
    """Return an SQL literal; a list is written as in a setting."""
    if value is None:
        return "NULL"
    if isinstance(value, (bool, int)):
        return str(int(value))
    text = " ".join(value) if isinstance(value, list) else value
    return "'" + text.replace("\\", "\\\\").replace("'", "''") + "'"
