# SPDX-License-Identifier: MIT
"""docs/cluster.md 3: database nodes fail under 200 sign-ups a second and their deliveries."""
import contextlib
import threading

import pytest
from client import Client
from stack.process import StackError, wait_until
from trial import ERROR_SECONDS

BEFORE, AFTER = 4, 6  # seconds of load before a failure, and after the recovery
SUSPENDED = 30


@pytest.mark.parametrize("through", ["proxy", "list"])
def test_the_writer_is_killed(trial, through):
    """docs/cluster.md 3: another node takes over within ten seconds. The first one catches up, and the proxy changes back to it. If the
    programs have a list of nodes (docs/cluster.md 2), several nodes may write by then."""
    one = trial(through=through)
    writer = one.nodes[0]
    with one.load() as load:
        one.progress(BEFORE)
        killed = load.now()
        writer.kill()
        one.progress(AFTER)
        back = load.now()
        one.galera.restart(writer)
        wait_until(writer.synced, 60, "it has all changes")
        if through == "proxy":
            one.writes(writer)
        one.progress(AFTER)
    one.recovers("killed", killed, back)
    one.recovers("returned", back)
    one.verify()


@pytest.mark.parametrize("copies", [False, True], ids=["catches up", "copies all data"])
def test_another_node_is_killed(trial, copies):
    """docs/cluster.md 3: commits wait until the other nodes declare the killed one dead; there are no errors, even when it returns"""
    one = trial()
    victim = one.nodes[1]
    with one.load() as load:
        one.progress(BEFORE)
        killed = load.now()
        victim.kill()
        if copies:
            victim.lose_data()
        one.progress(AFTER)
        back = load.now()
        one.galera.restart(victim)
        wait_until(victim.synced, 60, "it has all changes")
        one.progress(AFTER)
    for name, begin, end in (("killed", killed, back), ("returned", back, float("inf"))):
        one.recovers(name, begin, end)
        assert one.figures[name]["accepted"] == one.figures[name]["sent"]
    one.verify(disturbed=0)


@pytest.mark.parametrize("number", [0, 1], ids=["writer", "another"])
def test_a_node_is_suspended(trial, number):
    """docs/cluster.md 3: a node that does not answer is declared dead; when it runs again, it changes nothing before it has caught up"""
    one = trial()
    node = one.nodes[number]
    with one.load() as load:
        one.progress(BEFORE)
        suspended = load.now()
        node.pause()
        wait_until(lambda: load.now() - suspended > SUSPENDED, 60, "that time has passed")
        back = load.now()
        node.resume()
        wait_until(node.synced, 60, "it has all changes")
        one.writes(one.nodes[0])
        one.progress(AFTER)
    one.recovers("suspended", suspended, back)
    one.recovers("resumed", back)
    one.verify()


def test_the_writer_is_cut_off(trial):
    """docs/cluster.md 3: a node that is cut off from the others refuses calls, and the proxy leaves it; nothing is written twice when it
    returns"""
    one = trial()
    writer = one.nodes[0]
    beside = one.hosts.add(writer)
    beside.start()
    client = Client(beside.front.port)
    with one.load() as load:
        load.skipped.add(beside.front.port)
        one.progress(BEFORE)
        isolated = load.now()
        writer.isolate()
        wait_until(lambda: client.request("GET", "/health/ready").status == 503, 30, "its host is not ready")
        answer = client.request("POST", f"/v2/{one.campaigns[0]}", json_body={"email": "refused@example.org"}, key=one.key)
        assert answer.status == 503 and answer.headers["Retry-After"]
        one.progress(AFTER)
        back = load.now()
        writer.join()
        one.writes(writer)
        one.progress(AFTER)
    one.recovers("cut off", isolated, back)
    one.recovers("connected", back)
    one.verify()
    assert one.hosts.sql("SELECT COUNT(*) FROM lh_leads WHERE email = 'refused@example.org'") == "0"


def test_two_nodes_are_lost(trial):
    """docs/cluster.md 3: the last node refuses everything until it is made a cluster of its own"""
    one = trial()
    last = one.nodes[0]
    with one.load() as load:
        one.progress(BEFORE)
        lost = load.now()
        for node in one.nodes[1:]:
            node.kill()
        wait_until(lambda: last.status().get("cluster_status") == "non-Primary", 30, "the last node is not primary")
        alone = load.now()
        wait_until(lambda: load.now() - alone > BEFORE, 30, "that time has passed")
        decided = load.now()
        last.provider("pc.bootstrap=true")
        one.progress(AFTER)
        back = load.now()
        for node in one.nodes[1:]:
            one.galera.restart(node)
            wait_until(node.synced, 60, f"{node.name} has all changes")
        one.progress(AFTER)
    refused = one.phase("two lost", lost, decided)
    assert set(refused["statuses"]) <= {"200", "503"} and refused["without_retry_after"] == 0, refused
    assert one.phase("alone", alone, decided)["accepted"] == 0
    one.recovers("decided", decided, back, errors=2 * ERROR_SECONDS)  # the proxy waits until the node has been healthy for a time
    one.recovers("returned", back)
    one.verify()


def test_flow_control_is_seen(trial):
    """docs/cluster.md 3, Seeing it: a node that applies nothing makes all others wait; a suspended node leaves the cluster"""
    one = trial()
    second = one.nodes[1]
    beside = one.hosts.add(second).installation

    def first():
        return one.hosts.admin("status")
    for status, name in ((first(), "node1"), (beside.admin("status"), "node2")):
        assert [status[key] for key in ("node", "cluster_size", "node_state", "flow_control")] == [name, 3, "Synced", False]
    before = first()

    def hold():
        with contextlib.suppress(StackError):  # the statement is interrupted
            second.sql("LOCK TABLES lh_events WRITE; SELECT SLEEP(50)", one.hosts.name)
    lock = threading.Thread(target=hold)
    with one.load():
        one.progress(1)
        lock.start()
        during = wait_until(lambda: (found := first())["flow_control"] and found, 30, "commits wait")
        slow = beside.admin("status")
        second.sql("SELECT CONCAT('KILL QUERY ', ID) INTO @kill FROM information_schema.PROCESSLIST WHERE STATE = 'User sleep';"
                   "EXECUTE IMMEDIATE @kill")
        lock.join()
        wait_until(lambda: not first()["flow_control"], 30, "commits go on")
        one.progress(1)
    after = first()
    assert slow["flow_control"] and slow["receive_queue"] > 0 and slow["flow_control_sent"] > 0
    assert during["flow_control_sent"] == before["flow_control_sent"]
    assert during["flow_control_received"] > before["flow_control_received"]
    assert after["flow_control_paused_ms"] > before["flow_control_paused_ms"]
    second.pause()
    wait_until(lambda: first()["cluster_size"] == 2, 30, "the suspended node is declared dead")
    second.resume()
    wait_until(lambda: first()["cluster_size"] == 3, 60, "it is back")
    one.verify(disturbed=0)
