# SPDX-License-Identifier: MIT
"""The deliveries in the database and at a receiver, and the rules that hold for all of them at the end."""
import collections

from lock_file import LockFile
from stack.process import wait_until

# If the first attempt of a delivery succeeded, it is stored only in the row of the delivery.
ATTEMPTS = """(SELECT delivery_id, attempt, started_ms, duration_ms, status, error, answer FROM lh_attempts UNION ALL
SELECT id, attempts, started_ms, duration_ms, last_status, last_error, answer FROM lh_deliveries WHERE started_ms IS NOT NULL)"""


class Deliveries:
    """The deliveries of all webhooks of a service."""

    def __init__(self, service):
        self.service, self.sql = service, service.installation.sql
        self.lock = LockFile(service.installation.setting("dispatch", "lock_file"))

    def number(self, question):
        return int(self.sql(question))

    def rows(self, question):
        return [[int(word) for word in line.split("\t")] for line in self.sql(question).splitlines()]

    def pending(self):
        return self.number("SELECT COUNT(*) FROM lh_due")

    def wait_until_ended(self, seconds):
        wait_until(lambda: self.pending() == 0, seconds, "every delivery has ended")

    def attempts(self):
        """The number of recorded attempts, by the number in the webhook-id header."""
        return dict(self.rows(f"SELECT delivery_id, COUNT(*) FROM {ATTEMPTS} a GROUP BY delivery_id"))

    def copy(self, webhook, count, older_ms=0):
        """Copies the webhook's one due delivery `count` times, with new ids; due_ms is `older_ms` less."""
        self.sql("INSERT INTO lh_due (id, event_id, shard, webhook_id, format, due_ms) "
                 "SELECT (SELECT MAX(id) FROM lh_due) + 1000000 + s.seq, u.event_id, u.shard, u.webhook_id, u.format, "
                 f"u.due_ms - {older_ms} FROM lh_due u JOIN seq_1_to_{count} s "
                 f"WHERE u.id = (SELECT MIN(id) FROM lh_due WHERE webhook_id = {webhook['referenceId']})")

    def check_log(self):
        """Attempt numbers rise with time, none is recorded twice or exceeds the counter, and the last attempt matches the delivery
        unless it was interrupted."""
        assert self.rows("SELECT delivery_id, attempt FROM (SELECT delivery_id, attempt, started_ms, LAG(started_ms + duration_ms) "
                         f"OVER (PARTITION BY delivery_id ORDER BY attempt) AS ended_ms FROM {ATTEMPTS} l) a "
                         "WHERE started_ms < ended_ms LIMIT 5") == []
        assert self.rows(f"SELECT delivery_id, attempt FROM {ATTEMPTS} a GROUP BY delivery_id, attempt HAVING COUNT(*) > 1 LIMIT 5") == []
        assert self.rows("SELECT d.id, d.attempts FROM lh_deliveries d LEFT JOIN (SELECT delivery_id, MAX(attempt) AS last "
                         f"FROM {ATTEMPTS} t GROUP BY delivery_id) l ON l.delivery_id = d.id LEFT JOIN {ATTEMPTS} a "
                         "ON a.delivery_id = d.id AND a.attempt = l.last WHERE NOT (a.attempt <=> d.attempts "
                         "AND a.status <=> d.last_status AND a.error <=> d.last_error "
                         "AND (d.state = 'delivered') <=> (a.error IS NULL AND a.status BETWEEN 200 AND 299)) "
                         "AND NOT (d.last_error <=> 'interrupted' AND COALESCE(l.last, 0) < d.attempts) LIMIT 5") == []


def delivery_id(received):
    return int(received.headers["webhook-id"].rpartition("_")[2])


def by_message(received):
    """The received requests by webhook-id. All copies of a delivery have the same destination and the same bytes."""
    messages = collections.defaultdict(list)
    for one in received:
        messages[one.headers["webhook-id"]].append(one)
    for same in messages.values():
        assert len({(one.path, one.body) for one in same}) == 1
        assert all(one.verified for one in same)
    return messages


def sign_up(campaign, count, first=0):
    """Signs up leads with `count` consecutive numbers; returns their social ids."""
    return {campaign.lead(email=f"{number}@example.org")["social_id"] for number in range(first, first + count)}


def check_arrived(campaign, hooks, leads):
    """Each webhook (its path below the campaign's) received one event per lead, and nothing else. Returns them by webhook-id."""
    messages = by_message(list(campaign.service.receiver.deliveries))
    got = {(same[0].path, same[0].json["social_id"]) for same in messages.values()}
    assert got == {(campaign.hook + below, social_id) for below in hooks for social_id in leads}
    assert len(messages) == len(got)
    return messages
