# SPDX-License-Identifier: MIT
"""docs/cluster.md 3: dispatchers and hosts fail, and everything is upgraded, under 200 sign-ups a second."""
import re
import signal

from client import Client
from stack.process import wait_until

LEASE = 18  # seconds; the shortest for this timeout
SETTINGS = [("dispatch", "attempt_timeout", "3s"), ("dispatch", "lease", f"{LEASE}s")]
TAKEN_OVER = LEASE + LEASE / 3 + 10
BEFORE = 4
READY_SECONDS = 3  # more than the age of an answer of /health/ready


def sender(one):
    """Return the host whose dispatcher sends now."""
    last = len(one.inbox.events)
    wait_until(lambda: len(one.inbox.events) > last + 10, 30, "events arrive")
    return one.hosts[int(re.fullmatch(r"host(\d)", one.inbox.sender)[1]) - 1]


def taken_over(one, host):
    """Wait until the dispatcher of another host sends; return how long that took."""
    begun = one.loads[-1].now()
    wait_until(lambda: one.inbox.sender != host.name, TAKEN_OVER, f"another host than {host.name} sends")
    return round(one.loads[-1].now() - begun, 1)


def test_dispatchers_fail(trial):
    """docs/cluster.md 3: when a dispatcher is killed, or suspended beyond its lease, others take over; nothing else is sent twice"""
    one = trial(settings=SETTINGS, delay=0.1)
    with one.load():
        one.progress(BEFORE)
        killed = sender(one)
        killed.dispatcher.kill()
        first = taken_over(one, killed)
        suspended = sender(one)
        suspended.dispatcher.suspend()
        second = taken_over(one, suspended)
        suspended.dispatcher.send(signal.SIGCONT)
        killed.dispatcher.start()
        one.progress(BEFORE)
    one.figures["taken over after"] = {"killed": first, "suspended": second}
    found = one.phase("all", 0)
    assert found["accepted"] == found["sent"], found
    one.verify(disturbed=2)


def upgrade_host(host, load, programs):
    """Upgrade a host; the load balancer leaves it out until its new programs are ready."""
    load.skipped.add(host.front.port)
    last = len(load.calls)
    wait_until(lambda: all(call.took is not None for call in load.calls[:last]), 30, "its calls are answered")
    host.dispatcher.stop()
    host.responders.stop()
    host.use(programs)
    host.responders.start()
    host.dispatcher.start()
    wait_until(Client(host.front.port).healthy, 30, "it is ready")
    load.skipped.discard(host.front.port)


def test_everything_is_upgraded(trial, next_programs):
    """docs/cluster.md 5: database nodes restart one after the other; the tables change while programs run, which stay ready; hosts that the
    load balancer leaves out refuse nothing"""
    one = trial()
    with one.load() as load:
        one.progress(BEFORE)
        nodes = load.now()
        for node in reversed(one.nodes):
            node.stop()
            one.galera.restart(node)
            wait_until(node.synced, 60, f"{node.name} has all changes")
        one.writes(one.nodes[0])
        one.progress(BEFORE)
        before, step = one.conflicts(), load.now()
        one.hosts.first.build = next_programs
        applied = one.hosts.admin("upgrade")
        assert applied["to"] > applied["from"] and applied["applied"]
        done = load.now()
        one.figures["conflicts"] = one.conflicts() - before
        while load.now() < done + READY_SECONDS:
            assert all(Client(host.front.port).healthy() for host in one.hosts.hosts), "old programs serve the new tables"
        one.progress(BEFORE)
        hosts = load.now()
        for host in one.hosts.hosts:
            upgrade_host(host, load, next_programs)
        one.progress(BEFORE)
    one.recovers("nodes", nodes, step)
    for name, begin, end in (("step", step, hosts), ("hosts", hosts, load.now())):
        found = one.phase(name, begin, end)
        assert found["accepted"] == found["sent"], (name, found)
    one.figures["step"]["seconds"] = round(done - step, 1)
    one.verify(disturbed=0)
