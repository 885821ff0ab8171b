# SPDX-License-Identifier: MIT
"""Workloads of the running service: together, latency, memory."""
import json
import statistics
import time
from concurrent.futures import ThreadPoolExecutor

from .bench import Goal, outcome
from .client import drive, request, sign_up
from .subjects import Leadhook
from .growth import queue_of
from .measures import process_name, pss_kib
from .requests import measured
from .sets import large

PACE = 100  # sign-ups a second
STEADY_CONNECTIONS = 16
LARGE_FIELDS = {f"field_{number}": "x" * 4000 for number in range(4)}  # 16 KiB, the maximum of a lead
PAGES_EACH = 8       # pages per connection
RELEASE_SECONDS = 3  # more than the committer's delay before it returns memory


def delivering_too(bench, subject, measure, seconds):
    """Return a function that measures sign-ups of this many seconds while the dispatcher runs, with its deliveries and its backlog."""
    def both():
        subject.sql("TRUNCATE TABLE lh_due")
        bench.receiver.reset()
        dispatcher = subject.installation.dispatcher().start()
        try:
            found = measure()
            delivered = bench.receiver.wait_for(1, 10)["count"]
        finally:
            dispatcher.stop()
        backlog = int(subject.sql("SELECT COUNT(*) FROM lh_due"))
        bench.receiver.settle()
        return {**found, "delivered_rate": delivered / seconds, "backlog": backlog}
    return both


def together(bench):
    alone, both = Leadhook(bench).start(), Leadhook(bench).start()
    seconds = bench.options.seconds
    rounds = bench.interleave({
        "create": measured(bench, alone, "create"),
        "together": delivering_too(bench, both, lambda: drive(bench, both, "create", seconds), seconds)})
    alone.stop()
    both.stop()
    return outcome(rounds, [Goal("together", "rate", ">=", 0.6, "create")])


def delivery_latency(bench, subject):
    """Measure the time from sending a sign-up to the first byte of its webhook at the receiver, at PACE."""
    def measure():
        bench.receiver.reset()
        found = drive(bench, subject, "steady", bench.options.seconds, connections=STEADY_CONNECTIONS, pace=PACE)
        stats = bench.receiver.wait_for(found["requests"], 20)
        return {"rate": found["rate"], "p50_ms": stats["latency_p50_ns"] / 1e6, "p99_ms": stats["latency_p99_ns"] / 1e6,
                "max_ms": stats["latency_max_ns"] / 1e6, "deliveries": stats["count"]}
    return measure


def latency(bench):
    subject = Leadhook(bench).start()
    dispatcher = subject.installation.dispatcher().start()
    try:
        rounds = bench.interleave({"delivery": delivery_latency(bench, subject)})
    finally:
        dispatcher.stop()
    subject.stop()
    return outcome(rounds, [Goal("delivery", "p99_ms", "<=", 15)], pace=PACE)


AFTER_PAGES, AFTER_LARGE_PAGES = ", after pages", ", after large pages"


def mib(pid):
    return pss_kib(pid) / 1024


def pages(bench, subject, leads, **fields):
    """Sign up this many leads with these fields, then request pages of them on all connections at once."""
    with ThreadPoolExecutor(bench.options.connections) as pool:
        answers = list(pool.map(lambda _: sign_up(subject, **fields), range(leads)))
        first = min(json.loads(body)["subscription_number"] for _, body in answers)
        cursor = f"&cursor={first - 1}" if first > 1 else ""
        path = subject.path % subject.campaigns[0] + f"/leads?limit={leads}{cursor}"
        list(pool.map(lambda _: request(subject, path), range(bench.options.connections * PAGES_EACH)))
    time.sleep(RELEASE_SECONDS)


def responders_memory(bench, rounds):
    """Measure memory after sign-ups, after ordinary pages of leads, and after the largest ones."""
    subject = Leadhook(bench).start()
    drive(bench, subject, "create", bench.options.seconds)
    parent, *children = subject.pids
    committers = [pid for pid in children if process_name(pid) == "leadhook-commit"]
    workers = [pid for pid in children if pid not in committers]

    def note(when=""):
        sizes = [mib(pid) for pid in workers]
        rounds[f"responder, median{when}"] = [{"mib": statistics.median(sizes)}]
        rounds[f"responder, largest{when}"] = [{"mib": max(sizes)}]
        rounds[f"responders, together{when}"] = [{"mib": sum(sizes)}]
        if committers:
            rounds[f"committer{when}"] = [{"mib": max(mib(pid) for pid in committers)}]
    note()
    rounds["parent"] = [{"mib": mib(parent)}]
    pages(bench, subject, 50)
    note(AFTER_PAGES)
    pages(bench, subject, 250, **LARGE_FIELDS)
    note(AFTER_LARGE_PAGES)
    subject.stop()
    return len(workers)


def dispatcher_memory(bench, rounds):
    """Measure the memory of a dispatcher that delivers, with one due row for each lead of the largest set; its start does not
    count."""
    subject = large(bench, bench.sizes[-1])
    queue = queue_of(bench, subject)
    queue.make_due()
    bench.receiver.reset()
    dispatcher = subject.installation.dispatcher().start()
    try:
        bench.receiver.wait_for(queue.count // 4, bench.options.seconds)
        rounds["dispatcher"] = [{"mib": mib(dispatcher.pid)}]
    finally:
        dispatcher.stop()
    bench.receiver.settle()
    return queue.count


def memory(bench):
    rounds = {}
    workers = responders_memory(bench, rounds)
    due = dispatcher_memory(bench, rounds)
    goals = [Goal("responders, together", "mib", "<=", 64), Goal("dispatcher", "mib", "<=", 64)]
    if "committer" in rounds:
        goals.append(Goal("committer", "mib", "<=", 32))
    # The memory for large answers must be returned to the system.
    goals += [Goal(label + AFTER_LARGE_PAGES, "mib", "<=", 2, label + AFTER_PAGES)
              for label in ("responder, largest", "committer") if label in rounds]
    return outcome(rounds, goals, responders=workers, due=due)
