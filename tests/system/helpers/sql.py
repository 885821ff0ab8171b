# SPDX-License-Identifier: MIT
"""A private MariaDB for tests. Statements run in this process: a mariadb client for each would cost minutes of every run."""
import contextlib
import getpass
import shutil

import pymysql
from pymysql.constants import CLIENT

from stack.mariadb import MariaDB
from stack.process import StackError

# Escapes as in the output of `mariadb --batch`.
ESCAPES = str.maketrans({"\0": r"\0", "\n": r"\n", "\t": r"\t", "\\": r"\\"})


def printed(value):
    if value is None:
        return "NULL"
    return (value.decode() if isinstance(value, bytes) else value).translate(ESCAPES)


class Database(MariaDB):
    """It does not wait for the disk, which saves minutes of every run: no test is about a host that fails."""

    template = None  # a folder for the data of a new server: it takes seconds to make and is made once per session

    def command(self):
        return [*super().command(), "--loose-innodb-flush-method=nosync", "--loose-sync-frm=OFF", "--loose-debug-no-sync"]

    def create(self):
        self.temporary.mkdir(parents=True, exist_ok=True)
        if not self.data.exists():
            shutil.copytree(MariaDB(self.template, self.socket).create().data, self.data)
        return self

    def copy_tables(self, source, target):
        """Copies the tables of one database into a new one."""
        copies = (f"CREATE TABLE `{target}`.`{name}` LIKE `{source}`.`{name}`;"
                  f"INSERT INTO `{target}`.`{name}` SELECT * FROM `{source}`.`{name}`;"
                  for name in self.sql("SHOW TABLES", source).splitlines())
        self.sql(f"CREATE DATABASE `{target}` CHARACTER SET utf8mb4;{''.join(copies)}")

    def sql(self, text, database="", timeout=60):
        rows = []
        try:
            connection = pymysql.connect(unix_socket=str(self.socket), user=getpass.getuser(), database=database or None,
                                         charset="utf8mb4", autocommit=None, client_flag=CLIENT.MULTI_STATEMENTS, conv={},
                                         read_timeout=timeout, write_timeout=timeout)
            with contextlib.closing(connection), connection.cursor() as cursor:
                cursor.execute(text)
                rows += cursor.fetchall()
                while cursor.nextset():
                    rows += cursor.fetchall()
        except pymysql.Error as error:
            raise StackError(f"{text}: {error}") from error
        return "\n".join("\t".join(map(printed, row)) for row in rows)


def run_database(folder, kind=Database):
    server = kind(folder, folder / "mariadb.sock").create()
    server.start()
    yield server
    server.stop()
