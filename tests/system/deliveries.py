# SPDX-License-Identifier: MIT
"""What the database knows of deliveries, and what a receiver got of them; what has to hold for all of them in the end."""
import collections

from stack.process import wait_until


class Deliveries:
    """Those of all webhooks of a service."""

    def __init__(self, service):
        self.service, self.sql = service, service.installation.sql

    def number(self, question):
        return int(self.sql(question))

    def rows(self, question):
        return [[int(word) for word in line.split("\t")] for line in self.sql(question).splitlines()]

    def pending(self):
        return self.number("SELECT COUNT(*) FROM lh_due")

    def claimed(self, owner=""):
        """How many are in flight, or were when their dispatcher died; with the first half of its id, those of that one."""
        return self.number(f"SELECT COUNT(*) FROM lh_due WHERE HEX(token) LIKE '{owner}%'")

    def wait_until_ended(self, seconds):
        wait_until(lambda: self.pending() == 0, seconds, "every delivery has ended")

    def attempts(self):
        """How many were recorded, by the number in the webhook-id that the receiver sees."""
        return dict(self.rows("SELECT delivery_id, COUNT(*) FROM lh_attempts GROUP BY delivery_id"))

    def copy(self, webhook, count, older_ms=0):
        """So many more of the webhook's one delivery that is due, with ids of their own, and due that much earlier."""
        self.sql("INSERT INTO lh_due (id, event_id, shard, webhook_id, format, due_ms) "
                 "SELECT (SELECT MAX(id) FROM lh_due) + 1000000 + s.seq, u.event_id, u.shard, u.webhook_id, u.format, "
                 f"u.due_ms - {older_ms} FROM lh_due u JOIN seq_1_to_{count} s "
                 f"WHERE u.id = (SELECT MIN(id) FROM lh_due WHERE webhook_id = {webhook['referenceId']})")

    def check_log(self):
        """Numbers go up with time, none is higher than was counted; the last one is what the delivery says of itself."""
        assert self.rows("SELECT delivery_id, attempt FROM (SELECT delivery_id, attempt, started_ms, LAG(started_ms + duration_ms) "
                         "OVER (PARTITION BY delivery_id ORDER BY attempt) AS ended_ms FROM lh_attempts) a "
                         "WHERE started_ms < ended_ms LIMIT 5") == []
        assert self.rows("SELECT d.id, d.attempts FROM lh_deliveries d LEFT JOIN (SELECT delivery_id, MAX(attempt) AS last "
                         "FROM lh_attempts GROUP BY delivery_id) l ON l.delivery_id = d.id LEFT JOIN lh_attempts a "
                         "ON a.delivery_id = d.id AND a.attempt = l.last WHERE NOT (a.attempt <=> d.attempts "
                         "AND a.status <=> d.last_status AND a.error <=> d.last_error "
                         "AND (d.state = 'delivered') <=> (a.error IS NULL AND a.status BETWEEN 200 AND 299)) LIMIT 5") == []


def delivery_id(received):
    return int(received.headers["webhook-id"].rpartition("_")[2])


def by_message(received):
    """What arrived, by webhook-id. However often one arrived, it went to the same place and had the same bytes."""
    messages = collections.defaultdict(list)
    for one in received:
        messages[one.headers["webhook-id"]].append(one)
    for same in messages.values():
        assert len({(one.path, one.body) for one in same}) == 1
        assert all(one.verified for one in same)
    return messages


def sign_up(campaign, count, first=0):
    """Leads with that many further numbers; their social ids."""
    return {campaign.lead(email=f"{number}@example.org")["social_id"] for number in range(first, first + count)}


def check_arrived(campaign, hooks, leads):
    """Each webhook (its path below the campaign's) got the one event of each lead, and nothing else came; by webhook-id."""
    messages = by_message(list(campaign.service.receiver.deliveries))
    got = {(same[0].path, same[0].json["social_id"]) for same in messages.values()}
    assert got == {(campaign.hook + below, social_id) for below in hooks for social_id in leads}
    assert len(messages) == len(got)
    return messages
