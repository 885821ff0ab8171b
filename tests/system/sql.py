# SPDX-License-Identifier: MIT
"""A private MariaDB whose statements run in this process: to start the program mariadb for each of them takes minutes in all."""
import contextlib
import getpass
import re

import pymysql
from pymysql.constants import CLIENT

from stack.mariadb import MariaDB
from stack.process import StackError

# As `mariadb --batch` prints them.
ESCAPES = {"\0": r"\0", "\n": r"\n", "\t": r"\t", "\\": r"\\"}


def printed(value):
    if value is None:
        return "NULL"
    text = value.decode() if isinstance(value, bytes) else value
    return re.sub(r"[\0\n\t\\]", lambda found: ESCAPES[found[0]], text)


class Database(MariaDB):
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
