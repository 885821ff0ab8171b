# SPDX-License-Identifier: MIT
"""Ways in which a database fails. Each is a context: it fails inside and is restored afterwards. Where the administrator cannot
connect either, the context's value runs statements."""
import contextlib
import signal
import socket
import subprocess

from database_proxy import DatabaseProxy
from stack.process import StackError


def account(service):
    return service.installation.setting("database", "user")


def connections(service, condition="", sql=None):
    """Return the ids of the connections of the service's account."""
    return (sql or service.database.sql)("SELECT id FROM information_schema.PROCESSLIST "
                                         f"WHERE user = '{account(service)}' {condition}").split()


def drop_connections(service, condition="", sql=None):
    """Drop these connections; return how many there were."""
    found = connections(service, condition, sql)
    for number in found:
        with contextlib.suppress(StackError):  # already closed
            (sql or service.database.sql)(f"KILL {number}")
    return len(found)


class Session:
    """Another client's connection to the database, open until it is closed."""

    def __init__(self, service, user=None, password=None, database=None):
        words = ["mariadb", "--no-defaults", f"--socket={service.database.socket}", "--batch", "--skip-column-names", "--unbuffered", "--force"]
        words += [f"--user={user}", f"--password={password}"] if user else []
        words += [database or service.installation.setting("database", "name")]
        self.process = subprocess.Popen(words, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def run(self, text):
        """Run the statement and return its result."""
        self.process.stdin.write(f"{text};\nSELECT 'done';\n")
        self.process.stdin.flush()
        return "".join(iter(self.process.stdout.readline, "done\n"))

    def close(self):
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait(10)


@contextlib.contextmanager
def held(service, *texts):
    """Another session holds the locks of these statements."""
    session = Session(service)
    try:
        for text in texts:
            session.run(text)
        yield
    finally:
        session.close()


def locked_campaign(service, campaign):
    """The campaign's counters row is locked: every change of the campaign waits."""
    return held(service, "BEGIN", f"SELECT 1 FROM lh_campaign_counters WHERE campaign_id = {campaign.id} FOR UPDATE")


def locked_table(service, _):
    return held(service, "LOCK TABLES lh_leads WRITE")


def frozen(service, _):
    """Every commit waits, as during a backup."""
    return held(service, "FLUSH TABLES WITH READ LOCK")


@contextlib.contextmanager
def variable(service, name, value):
    before = service.database.sql(f"SELECT @@GLOBAL.{name}")
    service.database.sql(f"SET GLOBAL {name} = {value}")
    try:
        yield
    finally:
        service.database.sql(f"SET GLOBAL {name} = {before}")


def read_only(service, _):
    return variable(service, "read_only", 1)


@contextlib.contextmanager
def restarted(service, *options):
    database, before = service.database, service.database.more
    database.stop()
    database.more = [*before, *options]
    database.start()
    try:
        yield
    finally:
        database.stop()
        database.more = before
        database.start()


def innodb_read_only(service, _):
    return restarted(service, "--innodb-read-only")


@contextlib.contextmanager
def no_connection_left(service, _):
    """max_connections: another account uses all of them except the administrator's."""
    service.database.sql("CREATE OR REPLACE USER stranger@localhost IDENTIFIED BY 'x'")
    administrator = Session(service)
    strangers = [Session(service, "stranger", "x", "information_schema") for _ in range(10)]
    try:
        for stranger in strangers:
            stranger.run("SELECT 1")
        administrator.run(f"SET GLOBAL max_connections = {len(strangers) + 1}")
        drop_connections(service, sql=administrator.run)
        yield administrator.run
    finally:
        administrator.run("SET GLOBAL max_connections = 400")
        for session in (administrator, *strangers):
            session.close()


@contextlib.contextmanager
def no_connection_for_us(service, _):
    """max_user_connections, as on shared hosting: another client of the same account uses the only one."""
    def limit(most):
        service.database.sql(f"ALTER USER '{account(service)}'@'localhost' WITH MAX_USER_CONNECTIONS {most}")
    # Connections from before the limit are not counted.
    limit(100)
    drop_connections(service)
    taken = Session(service, account(service), service.installation.setting("database", "password"))
    try:
        taken.run("SELECT 1")
        limit(1)
        drop_connections(service, f"AND id <> {taken.run('SELECT CONNECTION_ID()')}")
        yield
    finally:
        taken.close()
        limit(0)


@contextlib.contextmanager
def stopped(service, _):
    """The server's process is stopped."""
    service.database.child.suspend()
    try:
        yield
    finally:
        service.database.child.send(signal.SIGCONT)


@contextlib.contextmanager
def replaced(service, stand_in):
    """Another program listens in place of the server; `stand_in(path, server)` makes it, and has a close()."""
    database, path = service.database, service.database.socket
    moved = path.with_name("moved.sock")
    path.rename(moved)
    database.socket = moved
    listener = stand_in(path, moved)
    try:
        drop_connections(service)
        yield
    finally:
        path.unlink()
        moved.rename(path)
        database.socket = path
        listener.close()


def silent(service, _):
    """Connections are accepted, but the server never sends anything."""
    def listen(path, _):
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(str(path))
        listener.listen(1000)
        return listener
    return replaced(service, listen)


def slow(service, _):
    """Each answer comes just in time, but a request needs several answers."""
    return replaced(service, lambda path, server: DatabaseProxy(path, server, delay=0.8))


@contextlib.contextmanager
def full(service, _):
    """The disk is full until space is freed. InnoDB reserves some space for removing rows: an open transaction uses it up. The rows
    are short enough to be stored in the pages of the table. With long values, InnoDB would also use the space that it needs to roll
    back a statement, and it aborts if there is none."""
    service.installation.sql("CREATE TABLE IF NOT EXISTS ballast (id INT AUTO_INCREMENT PRIMARY KEY, data VARBINARY(8000))")
    for rows in (100, 10, 1):
        with contextlib.suppress(StackError):
            while True:
                service.installation.sql(f"INSERT INTO ballast (data) SELECT REPEAT('x', 7000) FROM seq_1_to_{rows}")
    session = Session(service)
    session.run("BEGIN")
    change = "UPDATE ballast SET data = REPEAT('y', 7000) WHERE id = {};\nSELECT ROW_COUNT()"
    next(number for number in range(1, 10_000) if session.run(change.format(number)) == "-1\n")  # it failed
    try:
        yield
    finally:
        session.close()
        service.database.stop()
        service.database.more = with_room(service.database.more)
        service.database.start()
        service.installation.sql("DROP TABLE ballast")


ROOM = 64 << 20


def with_room(options, more=ROOM):
    """Return the server's options, with its data in one file that may grow by `more`."""
    rest = [option for option in options if "innodb-data-file-path" not in option]
    most = sum(int(option.rpartition(":")[2]) for option in options if option not in rest)
    return [*rest, f"--innodb-data-file-path=ibdata1:12M:autoextend:max:{most + more}"]
