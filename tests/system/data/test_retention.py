# SPDX-License-Identifier: MIT
"""docs/architecture.md 9.1: days older than the retention are dropped, by runs from cron, while the service is in use."""
import contextlib
import datetime
import getpass
import subprocess

import pytest
from load import Load

RETENTION = 3  # days
TABLES = ("events", "deliveries", "attempts")
DAY_BITS = 36


@pytest.fixture(scope="module")
def service(make_service):
    return make_service(settings=[("dispatch", "retention", f"{RETENTION}d")])


@pytest.fixture
def today(service):
    return int(service.installation.sql("SELECT DATEDIFF(UTC_DATE(), '1970-01-01')"))


@pytest.fixture
def log(service):
    """The lines that the dispatcher logged since the test began."""
    path = service.installation.folder / "dispatch.log"
    begun = path.stat().st_size if path.exists() else 0
    return lambda word: [line for line in path.read_text()[begun:].splitlines() if f" {word} " in line]


def date(day):
    return (datetime.date(1970, 1, 1) + datetime.timedelta(day)).isoformat()


def partition(day):
    return f"PARTITION d{date(day).replace('-', '')} VALUES LESS THAN ({day + 1 << DAY_BITS})"


def days_of(service, table):
    """Return the days that have their own partition. The last partition is for later days."""
    *days, later = service.installation.sql("SELECT PARTITION_DESCRIPTION FROM information_schema.PARTITIONS WHERE TABLE_SCHEMA = DATABASE()"
                                            f" AND TABLE_NAME = 'lh_{table}' ORDER BY PARTITION_ORDINAL_POSITION").split()
    assert later == "MAXVALUE"
    return [(int(limit) >> DAY_BITS) - 1 for limit in days]


def plant_days(service, first):
    """Make the partitions of a service in use that has not been maintained recently."""
    for table in TABLES:
        oldest = days_of(service, table)[0]
        days = ", ".join(partition(day) for day in range(first, oldest + 1))
        if oldest > first:
            service.installation.sql(f"ALTER TABLE lh_{table} REORGANIZE PARTITION {partition(oldest).split()[1]} INTO ({days})")
    service.installation.sql("DELETE FROM lh_installation WHERE name = 'history_rests_until_ms'")


def make_old(service, lead, days):
    """Move all history of a lead back by this many days."""
    offset = days << DAY_BITS
    ids = f"SELECT id FROM lh_events WHERE lead_id = {lead['id']}"
    service.installation.sql(f"""
        UPDATE lh_attempts SET delivery_id = delivery_id - {offset}
            WHERE delivery_id IN (SELECT id FROM lh_deliveries WHERE event_id IN ({ids}));
        UPDATE lh_deliveries SET id = id - {offset}, event_id = event_id - {offset} WHERE event_id IN ({ids});
        UPDATE lh_due SET id = id - {offset}, event_id = event_id - {offset} WHERE event_id IN ({ids});
        UPDATE lh_events SET id = id - {offset}, created_ms = created_ms - {days} * 86400000 WHERE lead_id = {lead['id']}""")


def rows(service, table, day):
    column = "delivery_id" if table == "attempts" else "id"
    return int(service.installation.sql(f"SELECT COUNT(*) FROM lh_{table} WHERE {column} >> {DAY_BITS} = {day}"))


def test_a_new_installation(service, today):
    """It has partitions for today and a week ahead."""
    for table in TABLES:
        assert days_of(service, table)[-8:] == list(range(today, today + 8))
    service.check()


@pytest.mark.slow
def test_old_days_are_dropped(service, receiver, account, today, log):
    """one day per run, the oldest first, during sign-ups and deliveries; its pending deliveries end before that, and are counted"""
    campaign, silent = service.campaign(account), service.campaign(account)
    webhook, disabled = campaign.webhook("new_signup"), silent.webhook("new_signup")
    service.installation.sql(f"UPDATE lh_webhooks SET state = 'disabled' WHERE id = {disabled['referenceId']}")
    leads, waiting = campaign.leads(6), silent.leads(3)
    service.dispatch()
    service.installation.admin("delivery", "redeliver", "--webhook", str(webhook["referenceId"]))  # two attempts of each are logged
    service.dispatch()
    campaign.delivered(12)
    plant_days(service, today - RETENTION - 2)
    for number, lead in enumerate(leads):
        make_old(service, lead, RETENTION + 2 - number // 2)  # two on each day, the last two on a day that remains
    for lead in waiting[:2]:
        make_old(service, lead, RETENTION + 1)
    assert [rows(service, table, today - RETENTION - 1) for table in TABLES] == [4, 2, 4]
    service.check()
    receiver.clear()
    with Load(campaign, threads=1) as load:
        load.wait_for(10)
        for _ in range(3):
            service.dispatch(max_runtime=2)  # there is always a due delivery
            service.check()
        load.wait_for(10)
    service.dispatch()
    for table in TABLES:
        assert days_of(service, table) == list(range(today - RETENTION, today + 8))
        assert all(rows(service, table, today - RETENTION - back) == 0 for back in (1, 2))
        assert rows(service, table, today - RETENTION) == (4 if table == "attempts" else 2)
    assert [line.split("day=")[1] for line in log("history_dropped")] == [date(today - RETENTION - 2), date(today - RETENTION - 1)]
    [expired] = log("deliveries_expired")
    assert "deliveries=2 " in expired
    assert not log("error") and not log("history_days_failed")
    assert set(load.answers.values()) == {200}
    assert len(campaign.delivered(len(load.answers))) == len(load.answers)
    listed = [row["state"] for lead in leads for row in service.installation.admin(
        "delivery", "list", "--webhook", str(webhook["referenceId"]), "--lead", lead["social_id"], "--until", date(today))]
    assert listed == ["delivered"] * 2
    assert [row["state"] for row in service.deliveries(disabled)] == ["pending"]
    service.check()


@contextlib.contextmanager
def in_use(service, table):
    """Another client has read the table in a transaction that is still open."""
    client = subprocess.Popen(["mariadb", "--no-defaults", f"--socket={service.database.socket}", f"--user={getpass.getuser()}",
                               "--batch", "--unbuffered", "--skip-column-names", service.installation.setting("database", "name")],
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        client.stdin.write(f"BEGIN; SELECT COUNT(*) FROM lh_{table};\n")
        client.stdin.flush()
        assert client.stdout.readline().strip().isdigit()
        yield
    finally:
        client.stdin.close()
        client.wait(10)
        client.stdout.close()


@pytest.mark.slow
def test_a_table_in_use(service, receiver, campaign, today, log):
    """the drop is abandoned and retried minutes later, not in the next run; others wait only until it is abandoned; nothing else
    fails"""
    campaign.webhook("new_signup")
    plant_days(service, today - RETENTION - 1)
    with in_use(service, "events"), Load(campaign, threads=1) as load:
        for _ in range(2):
            service.dispatch(max_runtime=2)
        load.wait_for(10)
    assert len(log("history_days_failed")) == 1 and not log("history_dropped")
    assert today - RETENTION - 1 in days_of(service, "events")
    assert set(load.answers.values()) == {200}
    service.check()
    plant_days(service, today - RETENTION - 1)  # some minutes later
    service.dispatch()
    assert len(log("history_dropped")) == 1
    for table in TABLES:
        assert days_of(service, table)[0] == today - RETENTION
    assert len(campaign.delivered(len(load.answers))) == len(load.answers)
    assert not log("error")
    service.check()
