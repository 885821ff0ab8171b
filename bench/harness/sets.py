# SPDX-License-Identifier: MIT
"""Campaigns of any size, and due deliveries, made by SQL in the form in which the programs store them."""
import time

from stack.process import StackError

from .subjects import Leadhook

SHAPES = {"natural": "FLOOR(-LN(1 - RAND(seq)) * 8)", "distinct": "(seq * 7919) % {leads}", "same": "7"}
# Far above any id that the programs assign.
FIRST_LEAD = 1_000_000_000
FIRST_HISTORY = 1 << 35
DAY_BITS = 36  # the low bits of a history id; the high bits are the UTC day
SHARD_FACTOR, SHARD_SHIFT = 0x9E3779B97F4A7C15, 58  # webhook_shard() in src/webhook/delivery.c

# Numbers, addresses and ids are derived from one number. A social id may contain any hexadecimal digit.
LEADS = """
INSERT INTO lh_leads (id, campaign_id, subscription_number, social_id, email, email_key, email_hash, score, source,
                      created_ms, updated_ms)
SELECT {first} + seq, {campaign}, seq, LPAD(HEX({first} + seq), 10, '0'), CONCAT('u', seq, '@bench.example'),
       CONCAT('u', seq, '@bench.example'),
       UNHEX(LEFT(SHA2(CONCAT('email:', {campaign}, ':u', seq, '@bench.example'), 256), 32)),
       {score}, 'API', 1700000000000 + seq, 1700000000000 + seq FROM seq_1_to_{leads};
INSERT INTO lh_score_entries (lead_id, reason, ref, round, delta, requested, created_ms)
SELECT id, 'custom', 1, 0, score, score, created_ms FROM lh_leads WHERE campaign_id = {campaign} AND score > 0;
UPDATE lh_campaign_counters SET last_subscription_number = {leads}, lead_count = {leads} WHERE campaign_id = {campaign};
"""
# One level of the tree of scores, as described in src/engine/rank.h.
HISTOGRAM = """
INSERT INTO lh_score_histogram (node, s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11, s12, s13, s14, s15)
SELECT ({campaign} << 29) + {start} + (score >> {above}), {buckets}
FROM lh_leads WHERE campaign_id = {campaign} AND score > 0 GROUP BY 1;
"""
LEVELS = 8

WEBHOOKS = """
INSERT INTO lh_webhooks (id, campaign_id, url, url_hash, events, format, secret, state, created_ms)
SELECT {first} + seq, {campaign}, {url}, UNHEX(SHA2({url}, 256)), 1, 'json', secret, 'active', created_ms
FROM (SELECT secret, created_ms FROM lh_webhooks ORDER BY id LIMIT 1) one, seq_1_to_{count};
INSERT INTO lh_webhook_status (webhook_id) SELECT {first} + seq FROM seq_1_to_{count};
"""
# Every event has the bytes of a real one, and one delivery with the next id. `bench_queue` lists the deliveries to be made due.
HISTORY = """
INSERT INTO lh_events (id, campaign_id, lead_id, type, deliveries, created_ms, payload)
SELECT {first} + 2 * seq, {campaign}, {lead} + seq, 0, 1, {now}, payload
FROM (SELECT payload FROM lh_events ORDER BY id LIMIT 1) one, seq_1_to_{count};
CREATE TABLE IF NOT EXISTS bench_queue (event_id BIGINT UNSIGNED PRIMARY KEY, webhook_id BIGINT UNSIGNED NOT NULL);
INSERT INTO bench_queue SELECT {first} + 2 * seq, {webhook} FROM seq_1_to_{count};
"""
DUE = """
TRUNCATE TABLE lh_attempts;
TRUNCATE TABLE lh_deliveries;
UPDATE lh_webhook_status SET failing_since_ms = NULL, failures = 0, probes = 0, last_status = NULL, last_error = NULL, hold_until_ms = 0;
UPDATE lh_dispatch_shards SET owner = NULL, lease_until_ms = 0;
TRUNCATE TABLE lh_due;
INSERT INTO lh_due (id, event_id, shard, webhook_id, format, due_ms)
SELECT event_id + 1, event_id, CASE webhook_id {shards} END, webhook_id, 'json', {now} FROM bench_queue;
ANALYZE TABLE lh_due, lh_deliveries, lh_webhooks;
"""


def shard(webhook):
    return (webhook * SHARD_FACTOR & (1 << 64) - 1) >> SHARD_SHIFT


def fill_leads(subject, campaign, leads, shape):
    """Add leads with the scores, the histogram and the counters (also by hour) that `leadhook check --deep` expects."""
    text = LEADS.format(campaign=campaign, leads=leads, score=SHAPES[shape].format(leads=leads), first=FIRST_LEAD)
    start = 0
    for level in range(LEVELS):
        shift = 28 - 4 * level
        buckets = ", ".join(f"SUM((score >> {shift}) & 15 = {bucket})" for bucket in range(16))
        text += HISTOGRAM.format(campaign=campaign, start=start, above=shift + 4, buckets=buckets)
        start += 16 ** level
    subject.sql(text)
    subject.installation.admin("stats", "rebuild", str(campaign))
    subject.sql("ANALYZE TABLE lh_leads, lh_score_histogram, lh_score_entries, lh_lead_hours;")
    check(subject)


def check(subject):
    """Return the seconds that `leadhook check --deep` took. Raise StackError if it has findings."""
    begun = time.monotonic()
    found = subject.installation.admin("check", "--deep", timeout=600)
    if not found["ok"]:
        raise StackError(f"{subject.name}: leadhook check --deep has findings: {found}")
    return time.monotonic() - begun


def large(bench, leads, shape="natural"):
    """Return a subject, not running, with one campaign of this many leads; made once per run."""
    key = (leads, shape)
    if key not in bench.sets:
        subject = Leadhook(bench, campaigns=1)
        subject.set_words = {"leads": leads, "first_lead": FIRST_LEAD}
        fill_leads(subject, subject.campaigns[0], leads, shape)
        bench.sets[key] = subject
    return bench.sets[key]


class Queue:
    """Deliveries to webhooks of one campaign; make_due() makes all of them due, including delivered ones."""

    def __init__(self, subject):
        self.subject, self.count = subject, 0
        self.first = int(time.time()) // 86400 << DAY_BITS | FIRST_HISTORY
        self.webhooks = []
        # Nothing else is pending, and `leadhook check --deep` still has no findings.
        subject.sql("TRUNCATE TABLE lh_due; UPDATE lh_events SET deliveries = 0")

    def add_webhooks(self, count, url):
        """`url`: an SQL expression in which seq counts from 1. Return the ids."""
        first = 1000 + len(self.webhooks)
        added = [first + number for number in range(1, count + 1)]
        self.subject.sql(WEBHOOKS.format(first=first, campaign=self.subject.campaigns[0], url=url, count=count))
        self.webhooks += added
        return added

    def add(self, count, webhooks):
        """Add this many deliveries, to these webhooks in turn."""
        first = webhooks[0]
        self.subject.sql(HISTORY.format(
            first=self.first + 2 * self.count, campaign=self.subject.campaigns[0], lead=FIRST_LEAD + self.count, count=count,
            now=int(time.time() * 1000), webhook=f"{first} + (seq - 1) % {len(webhooks)}"))
        self.count += count

    def make_due(self):
        shards = " ".join(f"WHEN {webhook} THEN {shard(webhook)}" for webhook in self.webhooks)
        self.subject.sql(DUE.format(shards=shards, now=int(time.time() * 1000) - 1000))

    def left(self):
        return int(self.subject.sql("SELECT COUNT(*) FROM lh_due"))
