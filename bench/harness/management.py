# SPDX-License-Identifier: MIT
"""Workloads of the management calls: guesses, lists."""
import http.client
import itertools
import statistics
import time
from concurrent.futures import ThreadPoolExecutor

from stack.process import StackError

from .bench import Goal, outcome
from .client import drive
from .sets import DAY_BITS, FIRST_HISTORY, FIRST_LEAD, fill_leads
from .subjects import Leadhook

PACE = 50            # sign-ups a second
GUESSES = 10_000     # of passwords, during the sign-ups of one measurement
CONNECTIONS = 8
ADDRESSES = {"beside one guesser": 1, "beside 1,000 guessers": 1000}
LEAD_IN = 1          # seconds of guesses before the sign-ups, and after them


def guesses(bench):
    """Measure sign-ups while passwords are guessed. Each address guesses passwords of many users, who do not exist: that costs the same."""
    subject = Leadhook(bench)
    subject.installation.configure([("server", "trusted_proxies", "127.0.0.1")])
    subject.start()
    seconds = bench.options.seconds

    def others():
        return drive(bench, subject, "create", seconds, connections=CONNECTIONS, pace=PACE)

    first_addresses = itertools.count(0, max(ADDRESSES.values()))

    def beside(addresses):  # new addresses each time, because an address may guess only a few times a minute
        subject.sql("TRUNCATE TABLE lh_login_attempts")
        with ThreadPoolExecutor(1) as pool:
            guessing = pool.submit(drive, bench, subject, "guess", seconds + 2 * LEAD_IN, pace=GUESSES / seconds, addresses=addresses,
                                   first_address=next(first_addresses), key="", status=429, also=401, expect='"error":"')
            time.sleep(LEAD_IN)
            found = others()
            calls = guessing.result()
        return {**found, "flood_rate": calls["rate"]}
    rounds = bench.interleave({"alone": others, **{label: lambda addresses=addresses: beside(addresses)
                                                   for label, addresses in ADDRESSES.items()}})
    subject.stop()
    return outcome(rounds, [Goal(label, "p99_ms", "<=", 2, "alone") for label in ADDRESSES], pace=PACE, guesses=GUESSES)


DELIVERIES = 10          # for each lead
PIECE = 1_000_000        # rows of a statement
WEBHOOKS = 20
CALLS = 30               # of each list, in a round
DATABASE_MS = 50

HISTORY = """
INSERT INTO lh_events (id, campaign_id, lead_id, type, deliveries, created_ms, payload)
SELECT {first} + 2 * seq, {campaign}, {lead} + seq % {leads}, 0, 1, {now}, '{{}}' FROM seq_{begin}_to_{end};
INSERT INTO lh_deliveries (id, event_id, webhook_id, format, state, attempts, last_status, ended_ms)
SELECT {first} + 2 * seq + 1, {first} + 2 * seq, {webhook} + seq % {webhooks}, 'json', IF(seq % 1000 = 0, 'failed', 'delivered'), 1,
       IF(seq % 1000 = 0, 500, 200), {now} FROM seq_{begin}_to_{end};
"""
# The most expensive variant of each list: it examines the most rows and finds the fewest.
LISTS = (
    "leads?limit=250", "leads?limit=250&newest=true", "leads?limit=250&after={middle}", "leads?name=zzzz", "leads?email=u1@bench.example",
    "leads?phone=%2B4930123456", "leads?verified=on", "leads?waitlisted=on", "leads?fraudulent=on", "leads?opted_out=on", "leads?tag={tag}",
    "leads?source=nowhere", "leads?since=2000-01-01&until=2000-01-02", "leads?verified=on&fraudulent=on&newest=true&source=x",
    "leads/{social_id}", "leads/{social_id}/timeline?limit=250", "leads/{social_id}/calls", "export?format=ndjson", "export?format=csv",
    "deliveries?limit=250", "deliveries?state=failed&limit=250", "deliveries?state=pending", "deliveries?status=4xx", "deliveries?status=error",
    "deliveries?webhook={webhook}&limit=250", "deliveries?webhook={webhook}&state=failed", "deliveries?webhook={webhook}&status=3xx",
    "deliveries?lead={social_id}", "deliveries?event=verified", "deliveries?since=2000-01-01&until=2000-01-02",
    "stats?by=hour", "stats?by=day", "mails", "bulk", "jobs", "webhooks", "inbound",
)
OTHERS = ("campaigns", "overview")


def fill_history(subject, leads, count):
    """Add ended deliveries. Return the id of the first of WEBHOOKS webhooks."""
    first, webhook = (int(time.time()) // 86400 << DAY_BITS) + FIRST_HISTORY, 5000
    subject.sql(f"""INSERT INTO lh_webhooks (id, campaign_id, url, url_hash, events, format, secret, state, created_ms)
        SELECT {webhook} + seq, {subject.campaigns[0]}, CONCAT('http://127.0.0.1:1/', seq), UNHEX(SHA2(seq, 256)), 1, 'json', secret, 'active', created_ms
        FROM (SELECT secret, created_ms FROM lh_webhooks ORDER BY id LIMIT 1) one, seq_0_to_{WEBHOOKS - 1};
        INSERT INTO lh_webhook_status (webhook_id) SELECT {webhook} + seq FROM seq_0_to_{WEBHOOKS - 1}""")
    for begin in range(1, count + 1, PIECE):
        subject.sql(HISTORY.format(first=first, campaign=subject.campaigns[0], lead=FIRST_LEAD, leads=leads, now=int(time.time() * 1000),
                                   begin=begin, end=min(count, begin + PIECE - 1), webhook=webhook, webhooks=WEBHOOKS))
    subject.sql("ANALYZE TABLE lh_events, lh_deliveries")
    return webhook


def large_campaign(bench):
    """Return a subject and the id of its first webhook. It is not a set of large(), because other workloads add webhooks to those.
    Its only campaign has all leads, and DELIVERIES ended deliveries for each."""
    leads = bench.sizes[-1]
    subject = Leadhook(bench, campaigns=1)
    fill_leads(subject, subject.campaigns[0], leads, "natural")
    return subject, fill_history(subject, leads, DELIVERIES * leads)


def timed(subject, path, key):
    """Return the milliseconds that each of CALLS calls took."""
    found = []
    for _ in range(CALLS):
        begun = time.perf_counter()
        connection = http.client.HTTPConnection("127.0.0.1", subject.port, timeout=60)
        connection.request("GET", f"/manage/v1/{path}", headers={"Authorization": f"Bearer {key}"})
        answer = connection.getresponse()
        body = answer.read()
        connection.close()
        found.append((time.perf_counter() - begun) * 1000)
        if answer.status != 200:
            raise StackError(f"{path}: {answer.status} {body[:200]}")
    return found


def lists(bench):
    """Measure each list and search over HTTP, with the whole history of the largest campaign. The figures include the web server and the
    answer."""
    leads = bench.sizes[-1]
    subject, webhook = large_campaign(bench)
    account = str(subject.installation.admin("account", "list")[0]["id"])
    key = subject.installation.admin("key", "add", account, "--rights", "all")["key"]
    tag = subject.installation.admin("tag", "add", str(subject.campaigns[0]), "No lead has it")["id"]
    words = {"tag": tag, "middle": leads // 2, "webhook": webhook, "social_id": f"{FIRST_LEAD + 7:010X}"}
    subject.start()
    paths = [f"campaigns/{subject.campaigns[0]}/{path.format(**words)}" for path in LISTS] + list(OTHERS)

    def measure(path):
        found = sorted(timed(subject, path, key))
        return {"p50_ms": statistics.median(found), "p99_ms": found[-1]}
    shown = {path.removeprefix(f"campaigns/{subject.campaigns[0]}/"): path for path in paths}
    rounds = bench.interleave({label: lambda path=path: measure(path) for label, path in shown.items()})
    subject.stop()
    return outcome(rounds, [Goal(label, "p50_ms", "<=", DATABASE_MS) for label in shown], leads=leads, deliveries=DELIVERIES * leads)
