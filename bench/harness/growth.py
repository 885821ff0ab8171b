# SPDX-License-Identifier: MIT
"""Workload growth: the cost of a request and of a delivery at 10 k, 100 k and 1 M leads, with all scores different or all equal."""
from .bench import Goal, outcome
from .client import drive, sign_up
from .deliver import WEBHOOKS, hook_url, timed
from .measures import processor_seconds
from .sets import Queue, check, large

KINDS = ("create", "lookup", "leaderboard", "last-page", "no-match-page", "stats")
QUICK_KINDS = KINDS[:3]
WITH_GOALS = ("create", "lookup", "leaderboard", "deliver")
ALLOWED = 1.2
# Pages take so long that those in progress at the end would distort the result.
CONNECTIONS = {"last-page": 4, "no-match-page": 4}


def expected(kind):
    return {"leaderboard": '"leaders":', "last-page": '"leads":', "no-match-page": '"leads":', "stats": '"leads":'}.get(
        kind, '"campaign_id":')


def costing(bench, subject, kind, seconds):
    """Return a function for bench.interleave: requests of one kind, and their processor time without web server and client."""
    words = {"expect": expected(kind), **subject.set_words}

    def measure():
        if bench.warm_up:
            drive(bench, subject, kind, 1, CONNECTIONS.get(kind), **words)
        pids = [bench.database.child.pid, *subject.pids]
        before = processor_seconds(pids)
        found = drive(bench, subject, kind, seconds, CONNECTIONS.get(kind), **words)
        return {**found, "cpu_us": (processor_seconds(pids) - before) / found["requests"] * 1e6}
    return measure


def queue_of(bench, subject):
    """Return a queue with one delivery for each lead of the set; made once."""
    if not hasattr(subject, "queue"):
        with subject:
            sign_up(subject)
        subject.queue = Queue(subject)
        subject.queue.add(subject.set_words["leads"], subject.queue.add_webhooks(WEBHOOKS, hook_url(bench)))
    return subject.queue


def delivering(bench, subject, seconds):
    def measure():
        queue = queue_of(bench, subject)
        queue.make_due()
        return timed(bench, subject.installation.dispatcher(), queue.count, seconds, [bench.database.child.pid])
    return measure


def requests(bench, sets, seconds):
    for subject in sets.values():
        subject.start()
    plan = {f"{kind} {name}": costing(bench, subject, kind, seconds)
            for kind in (QUICK_KINDS if bench.options.quick else KINDS) for name, subject in sets.items()}
    rounds = bench.interleave(plan)
    for subject in sets.values():
        subject.stop()
    return rounds


def growth(bench):
    seconds = max(1, bench.options.seconds // 2)
    smallest, largest = bench.sizes[0], bench.sizes[-1]
    natural = {f"{leads:,}": large(bench, leads) for leads in bench.sizes}
    shapes = ("same",) if bench.options.quick else ("distinct", "same")
    others = {f"{largest:,} {shape}": large(bench, largest, shape) for shape in shapes}
    rounds = requests(bench, {**natural, **others}, seconds)
    seconds_of_check = {name: round(check(one), 1) for name, one in natural.items()}
    # Deliveries do not depend on scores.
    rounds.update(bench.interleave({f"deliver {name}": delivering(bench, one, seconds) for name, one in natural.items()}))
    first = f"{smallest:,}"
    goals = [Goal(label, "cpu_us", "<=", ALLOWED, f"{label.split()[0]} {first}") for label in rounds
             if label.split()[0] in WITH_GOALS and label.split(maxsplit=1)[1] != first]
    return outcome(rounds, goals, deep_check_seconds=seconds_of_check)
