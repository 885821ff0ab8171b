# SPDX-License-Identifier: MIT
"""docs/operating.md 2.2: the processes hold as many connections to the database as the table and `leadhook check` state."""
import concurrent.futures
import json
import re

import pytest
from command import call
from service import COMMITTER
from stack.process import StackError, wait_until
from tree import SOURCE

WORKERS, DEADLINE = 3, 60
SETTINGS = [("server", "idle_timeout", "10m"), ("server", "workers", WORKERS),
            ("mail", "host", "127.0.0.1"), ("mail", "port", "9"), ("mail", "tls", "none"), ("mail", "from", "hello@example.org"),
            ("sms", "url", "https://127.0.0.1:9/send"), ("sms", "calling_codes", "49")]
PROCESSES = ("worker", "committer", "dispatcher", "mailer", "texter", "leadhook")


@pytest.fixture(scope="module")
def service(make_service):
    made = make_service(workers=WORKERS, settings=SETTINGS)
    yield made
    made.dispatcher.stop()


@pytest.fixture(scope="module")
def table():
    """Returns {process: connections}."""
    section = (SOURCE / "docs/operating.md").read_text().split("### 2.2 Database connections")[1].split("\n### ")[0]
    found = {name: int(number) for name, number in re.findall(r"^\| (\w+) \| (\d+) \|", section, re.MULTILINE)}
    assert tuple(found) == PROCESSES
    return found


def test_the_check_has_the_table(service, table):
    """the check states the sum of the table and each part of it"""
    user = service.installation.setting("database", "user")
    service.database.sql(f"ALTER USER '{user}'@'localhost' WITH MAX_USER_CONNECTIONS 1")
    try:
        (finding,) = json.loads(call(service.installation, "check", "--json").stdout)["findings"]
    finally:
        service.database.sql(f"ALTER USER '{user}'@'localhost' WITH MAX_USER_CONNECTIONS 0")
    parts = {name.removesuffix("s"): int(number) for name, number in re.findall(r"(\w+) (\d+)[,)]", finding["detail"])}
    assert parts == {**table, "worker": WORKERS * table["worker"]}
    assert f"up to {sum(parts.values())} connections" in finding["detail"]


def test_the_table_has_the_examples(table):
    """the table results in the sums that the document states for usual installations"""
    text = (SOURCE / "docs/operating.md").read_text()
    rows = re.findall(r"^\| [^|]+ \| (\d+)(, no committer)? \| (\d+) \| (\d+) \|$", text, re.MULTILINE)
    assert len(rows) == 2
    for workers, alone, without, both in rows:
        needed = int(workers) * (1 if alone else table["worker"]) + (0 if alone else table["committer"]) + table["dispatcher"] + table["leadhook"]
        assert (int(without), int(both)) == (needed, needed + table["mailer"] + table["texter"])


@pytest.mark.skipif(not COMMITTER, reason="this run has no committer")
def test_the_processes_hold_as_many(service, table):
    """when all processes are at work, they hold as many connections as the table states, and no more"""
    user, campaign = service.installation.setting("database", "user"), service.campaign()

    def held():
        return int(service.database.sql(f"SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE USER = '{user}'"))

    def settle(wanted, what):
        try:
            wait_until(lambda: held() == wanted, DEADLINE, what)
        except StackError:
            pytest.fail(f"{what}: {held()} connections instead of {wanted}")
    campaign.webhook("new_signup")
    campaign.lead(email="ada@example.org")
    started = table["committer"] + WORKERS * table["worker"]
    calls = WORKERS * table["worker"]
    with concurrent.futures.ThreadPoolExecutor(2 * calls) as pool:  # until each lane of each worker has handled a call
        wait_until(lambda: list(pool.map(lambda _: campaign.get({}, path="/leaderboard").status, range(4 * calls))) and
                   held() >= started, DEADLINE, "each lane is used")
    settle(started, "workers")
    service.dispatcher.start()
    service.installation.admin("mail", "test", "ada@example.org", "--queue")
    started += table["dispatcher"] + table["mailer"] + table["texter"]
    settle(started, "dispatcher")
