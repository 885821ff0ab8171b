# SPDX-License-Identifier: MIT
"""Workload of a cluster of database nodes: create, lookup and deliver, compared with one server."""
from stack.cluster import Database

from .bench import Goal, outcome
from .client import drive_all
from .deliver import WEBHOOKS, due_count, our_queue, ours
from .sets import fill_leads, FIRST_LEAD
from .subjects import Leadhook

NODES = 3
SERVER, WRITER, WRITERS = "one server", "one writer", "three writers"


class Running:
    """A cluster that ends with the bench."""

    def __init__(self, bench):
        bench.folder.chmod(0o755)  # for the account of the nodes
        quick = bench.options.quick
        self.database = Database(bench.folder / "cluster", NODES, buffer_pool="128M" if quick else "1024M",
                                 redo_log="64M" if quick else "512M")
        bench.running.append(self.database)
        self.database.start()

    @property
    def pids(self):
        return [node.child.pid for node in self.database.nodes]


def total(found):
    """Combine the figures of several clients."""
    return {"rate": sum(one["rate"] for one in found), "p50_ms": max(one["p50_ms"] for one in found),
            "p99_ms": max(one["p99_ms"] for one in found)}


def driven(bench, parts, kind):
    """Return a function for bench.interleave, in which each of (subject, words) has an equal share of the connections."""
    connections = max(1, bench.options.connections // len(parts))

    def measure():
        if bench.warm_up:
            drive_all(bench, parts, kind, bench.warm_up, connections)
        return total(drive_all(bench, parts, kind, bench.options.seconds, connections))
    return measure


def subjects(bench, database, **options):
    """Return {label: its running subjects}. The three writers share an installation, and each uses its own node."""
    first = Leadhook(bench, server=database.nodes[0], **options)
    made = {SERVER: [Leadhook(bench, **options)], WRITER: [Leadhook(bench, server=database.proxy, **options)],
            WRITERS: [first, *(Leadhook(bench, server=node, like=first) for node in database.nodes[1:])]}
    for some in made.values():
        for one in some:
            one.start()
    return made


def stop(made):
    for some in made.values():
        for one in some:
            one.stop()


def creating(bench, database):
    """Each host has its own campaigns, because nodes that write to the same campaign conflict."""
    made = subjects(bench, database, campaigns=3 * NODES)

    def parts(some):
        each = 3 * NODES // len(some)
        return [(one, {"first_campaign": one.campaigns[number * each], "campaigns": each}) for number, one in enumerate(some)]
    rounds = bench.interleave({f"create, {label}": driven(bench, parts(some), "create") for label, some in made.items()})
    stop(made)
    return rounds


def reading(bench, database, leads):
    made = subjects(bench, database, campaigns=1)
    words = {"leads": leads, "first_lead": FIRST_LEAD, "expect": '"email":"u'}
    for some in made.values():
        fill_leads(some[0], some[0].campaigns[0], leads, "natural")
    rounds = bench.interleave({f"lookup, {label}": driven(bench, [(one, words) for one in some], "lookup")
                               for label, some in made.items()})
    stop(made)
    return rounds


def delivering(bench, running, count):
    """Only one dispatcher sends at a time, so more writers would change nothing."""
    plan = {}
    for label, server, pids in ((SERVER, None, ()), (WRITER, running.database.proxy, running.pids)):
        subject, queue = our_queue(bench, count, server)
        plan[f"deliver, {label}"] = ours(bench, subject, queue, servers=pids)
    return bench.interleave(plan)


def cluster(bench):
    running, leads, count = Running(bench), bench.sizes[1], due_count(bench)
    rounds = {**creating(bench, running.database), **reading(bench, running.database, leads),
              **delivering(bench, running, count)}
    bench.running.remove(running.database)
    running.database.stop()
    return outcome(rounds, [Goal(f"create, {WRITER}", "rate", ">=", 0.5, f"create, {SERVER}")],
                   leads=leads, due=count, webhooks=WEBHOOKS, nodes=NODES)
