# SPDX-License-Identifier: MIT
"""What the whole does while it runs: together, latency, memory."""
import statistics

from .bench import Goal, outcome
from .client import drive
from .contestants import Leadhook
from .growth import queue_of
from .measures import descriptors, pss_kib
from .requests import measured
from .sets import large

PACE = 100  # sign-ups a second
PACED_CONNECTIONS = 16


def delivering_too(bench, contestant):
    """create while the dispatcher runs; what it delivered meanwhile, and what it has still to do."""
    def measure():
        contestant.sql("TRUNCATE TABLE lh_due")
        bench.receiver.reset()
        dispatcher = contestant.installation.dispatcher().start()
        try:
            found = drive(bench, contestant, "create", bench.options.seconds)
            delivered = bench.receiver.wait_for(1, 10)["count"]
        finally:
            dispatcher.stop()
        backlog = int(contestant.sql("SELECT COUNT(*) FROM lh_due"))
        bench.receiver.settle()
        return {**found, "delivered_rate": delivered / bench.options.seconds, "backlog": backlog}
    return measure


def together(bench):
    alone, both = Leadhook(bench).start(), Leadhook(bench).start()
    rounds = bench.interleave({"create": measured(bench, alone, "create"), "together": delivering_too(bench, both)})
    alone.stop()
    both.stop()
    return outcome(rounds, [Goal("together", "rate", ">=", 0.5, "create")])


def latency(bench):
    """From the moment a sign-up is sent to its webhook's first byte at the receiver."""
    contestant = Leadhook(bench).start()
    dispatcher = contestant.installation.dispatcher().start()

    def measure():
        bench.receiver.reset()
        found = drive(bench, contestant, "paced", bench.options.seconds, connections=PACED_CONNECTIONS, pace=PACE)
        stats = bench.receiver.wait_for(found["requests"], 20)
        return {"rate": found["rate"], "p50_ms": stats["latency_p50_ns"] / 1e6, "p99_ms": stats["latency_p99_ns"] / 1e6,
                "max_ms": stats["latency_max_ns"] / 1e6, "deliveries": stats["count"]}
    try:
        rounds = bench.interleave({"delivery": measure})
    finally:
        dispatcher.stop()
    contestant.stop()
    return outcome(rounds, [Goal("delivery", "p99_ms", "<=", 300)], pace=PACE)


def mib(pid):
    return pss_kib(pid) / 1024


def responders_memory(bench, rounds):
    contestant = Leadhook(bench).start()
    drive(bench, contestant, "create", bench.options.seconds)
    parent, *children = contestant.pids
    # Forks of one program look alike; what every responder talks to has far more descriptors than any of them.
    usual = statistics.median(descriptors(pid) for pid in children)
    committers = [pid for pid in children if descriptors(pid) > 2 * usual]
    workers = [mib(pid) for pid in children if pid not in committers]
    rounds["responder, median"] = [{"mib": statistics.median(workers)}]
    rounds["responder, largest"] = [{"mib": max(workers)}]
    rounds["their parent"] = [{"mib": mib(parent)}]
    if committers:
        rounds["committer"] = [{"mib": max(mib(pid) for pid in committers)}]
    contestant.stop()
    return len(workers)


def dispatcher_memory(bench, rounds):
    """While it delivers out of as many due rows as the largest set has leads; what comes first is its growing."""
    contestant = large(bench, bench.sizes[-1])
    queue = queue_of(bench, contestant)
    queue.make_due()
    bench.receiver.reset()
    dispatcher = contestant.installation.dispatcher().start()
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
    goals = [Goal("responder, largest", "mib", "<=", 3), Goal("dispatcher", "mib", "<=", 64)]
    if "committer" in rounds:
        goals.append(Goal("committer", "mib", "<=", 32))
    return outcome(rounds, goals, responders=workers, due=due)
