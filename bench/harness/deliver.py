# SPDX-License-Identifier: MIT
"""Workloads of deliveries: deliver, deliver-hostile."""
import socket
import subprocess
import time

from stack.process import Child

from . import BENCH
from .bench import Goal, outcome
from .client import sign_up
from .graphile import Jobs
from .subjects import Leadhook, Php, with_environment
from .measures import seconds_each
from .receiving import rates
from .sets import Queue

WEBHOOKS = 100
CONCURRENT = 256  # of the curl loop: with 512, it is slower
GRAPHILE_NUMBERS = ((1, 16), (1, 64), (2, 16), (2, 64))  # processes, and jobs at a time in each
SILENT_RESOLVER = ("127.53.53.53", 53)
# Mounts a private resolv.conf over the system's, for the dispatcher only.
OWN_RESOLVER = 'mount --bind "$1" /etc/resolv.conf && shift && exec "$@"'


def hook_url(bench):
    return f"CONCAT('http://127.0.0.1:{bench.receiver_port}/queue/', seq)"


def timed(bench, child, count, seconds, servers):
    """Start a sender, wait for its deliveries, end it. `servers`: the ids of the database's processes; their children count, too."""
    bench.receiver.reset()
    before, begun = seconds_each(servers), time.monotonic_ns()
    child.start()
    try:
        stats = bench.receiver.wait_for(count, seconds, child.name)
        used = sum(seconds - before.get(pid, 0) for pid, seconds in seconds_each([*servers, child.pid]).items())
    finally:
        # TERM would wait for hanging receivers; unfinished deliveries become due again.
        child.kill()
    bench.receiver.settle()
    return {**rates(stats, begun), "cpu_us": used / stats["count"] * 1e6}


def ours(bench, subject, queue, wrap=(), awaited=None, servers=()):
    """Run one round of the dispatcher: it begins when all deliveries are due, and ends when all (or `awaited`) have arrived."""
    def measure():
        queue.make_due()
        child = subject.installation.dispatcher()
        child.argv = [*wrap, *child.argv]
        return timed(bench, child, awaited or queue.count, 6 * bench.options.seconds, servers or [bench.database.child.pid])
    return measure


def our_queue(bench, count, server=None):
    """Make an installation with a real event, and `count` deliveries to WEBHOOKS webhooks."""
    subject = Leadhook(bench, server=server)
    with subject:
        sign_up(subject)
    queue = Queue(subject)
    queue.add(count, queue.add_webhooks(WEBHOOKS, hook_url(bench)))
    return subject, queue


def curl(bench, subject, count):
    body = bench.folder / "payload"
    payload = subject.sql("SELECT CONVERT(payload USING utf8mb4) FROM lh_events ORDER BY id LIMIT 1")
    body.write_text(payload, encoding="utf-8")

    def measure():
        child = Child("curl_loop", [bench.program("bench/curl_loop"), f"http://127.0.0.1:{bench.receiver_port}/hook/%d", count,
                                    CONCURRENT, WEBHOOKS, body], bench.folder / "curl.log")
        return timed(bench, child, count, 6 * bench.options.seconds, servers=())
    return measure


PHP_QUEUE = """
INSERT INTO webhooks (id, campaign_id, url, secret) SELECT 1000 + seq, 1, {url}, 'whsec_c2VjcmV0' FROM seq_1_to_{webhooks};
INSERT INTO events (lead_id, type, payload, created_at)
SELECT seq, 'new_signup', payload, UTC_TIMESTAMP() FROM (SELECT payload FROM events ORDER BY id LIMIT 1) one, seq_1_to_{count};
DELETE FROM deliveries;
INSERT INTO deliveries (event_id, webhook_id, due_at)
SELECT id, 1001 + id % {webhooks}, UTC_TIMESTAMP() FROM events ORDER BY id DESC LIMIT {count};
ANALYZE TABLE events, deliveries, webhooks;
"""


def php_queue(bench, count):
    """Make PHP's tables with `count` deliveries to WEBHOOKS webhooks."""
    php = Php(bench)
    with php:
        sign_up(php)
    php.sql(PHP_QUEUE.format(url=hook_url(bench), webhooks=WEBHOOKS, count=count))
    return php


def php_cron(bench, php, count):
    def measure():
        php.sql("UPDATE deliveries SET state = 'pending', attempts = 0, due_at = UTC_TIMESTAMP()")
        child = Child("php-cron", with_environment(php.environment(), "php8.2", BENCH / "php" / "dispatch.php",
                                                   6 * bench.options.seconds), bench.folder / "cron.log")
        return timed(bench, child, count, 2 * bench.options.seconds, [bench.database.child.pid])
    return measure


def graphile_worker(bench, jobs, count, processes, concurrency):
    def measure():
        jobs.add(count)
        return timed(bench, jobs.worker(processes, concurrency), count, 2 * bench.options.seconds, [jobs.server.child.pid])
    return measure


def best_graphile_worker(bench, jobs, count):
    """Return (the function that measures with the numbers that have the best rate, {numbers: rate})."""
    tried = {numbers: round(graphile_worker(bench, jobs, count // 10, *numbers)()["rate"]) for numbers in GRAPHILE_NUMBERS}
    best = max(tried, key=tried.get)
    return graphile_worker(bench, jobs, count, *best), {f"{processes} x {each}": rate for (processes, each), rate in tried.items()}


def due_count(bench):
    return 4000 if bench.options.quick else 200_000


def deliver(bench):
    count = due_count(bench)
    subject, queue = our_queue(bench, count)
    php = php_queue(bench, count)
    plan = {"curl": curl(bench, subject, count), "php-cron": php_cron(bench, php, count)}
    tried = {}
    if not bench.options.quick:
        jobs = Jobs(bench, php.sql("SELECT payload FROM events LIMIT 1"), f"http://127.0.0.1:{bench.receiver_port}/queue/", WEBHOOKS)
        plan["graphile-worker"], tried = best_graphile_worker(bench, jobs, count)
    rounds = bench.interleave({**plan, "leadhook": ours(bench, subject, queue)})
    if not bench.options.quick:
        bench.running.remove(jobs.server)
        jobs.server.stop()
    return outcome(rounds, [Goal("leadhook", "rate", ">=", 0.6, "curl"), Goal("leadhook", "rate", ">=", 1.8, "php-cron")],
                   due=count, webhooks=WEBHOOKS, payload_bytes=subject.payload_bytes(), graphile_worker_tried=tried)


def silent_resolver(bench):
    """Return (a socket that must stay open, words to put before the dispatcher's command), or None without root."""
    if subprocess.run(["unshare", "--mount", "true"], capture_output=True, check=False).returncode != 0:
        return None
    listener = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    try:
        listener.bind(SILENT_RESOLVER)
    except OSError:
        listener.close()
        return None
    conf = bench.folder / "resolv.conf"
    conf.write_text(f"nameserver {SILENT_RESOLVER[0]}\n", encoding="utf-8")
    return listener, ["unshare", "--mount", "sh", "-c", OWN_RESOLVER, "sh", conf]


def deliver_hostile(bench):
    count = due_count(bench)
    plain, plain_queue = our_queue(bench, count)
    hostile, queue = our_queue(bench, count)
    queue.add(count // 2, queue.add_webhooks(1, f"'http://127.0.0.1:{bench.receiver_port}/hang'"))
    resolver = silent_resolver(bench)
    if resolver:
        queue.add(count // 200, queue.add_webhooks(1, "'http://never.bench.example/hook'"))
    rounds = bench.interleave({"deliver": ours(bench, plain, plain_queue),
                               "hostile": ours(bench, hostile, queue, resolver[1] if resolver else (), count)})
    if resolver:
        resolver[0].close()
    return outcome(rounds, [Goal("hostile", "rate", ">=", 0.9, "deliver"), Goal("hostile", "delay_p99_ms", "<=", 2, "deliver")],
                   hanging=count // 2, unresolved=count // 200 if resolver else "omitted, needs root")
