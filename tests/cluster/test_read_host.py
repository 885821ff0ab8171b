# SPDX-License-Identifier: MIT
"""docs/cluster.md 4.1: hosts that read lists from a different node than the one they write to."""
import threading

import pytest
from client import Client
from stack.process import wait_until

ROUNDS = 30
PAUSED = 2  # seconds without changes of the read host; less than an eighth of server.request_timeout
LISTS = ("/v2/campaigns", "/v2/{}/stats", "/v2/{}/leads", "/v2/{}/leaderboard")


def executed(node):
    """Return the number of statements that programs ran there. Changes from other nodes do not count."""
    return int(node.sql("SHOW GLOBAL STATUS LIKE 'Com_stmt_execute'").split("\t")[1])


class Reader:
    """Reads lists of the trial's campaign at its hosts in turn."""

    def __init__(self, one):
        self.one, self.clients = one, [Client(port) for port in one.hosts.ports()]
        self.campaign, self.leads = one.campaigns[0], 0

    def add(self, number):
        answer = self.clients[0].request("POST", f"/v2/{self.campaign}", json_body={"email": f"r{number}@example.org"}, key=self.one.key)
        assert answer.status == 200, answer.body
        self.leads += 1
        return answer.json["social_id"]

    def read(self, client):
        """Return the answers of all lists, by the last word of their path."""
        found = {}
        for path in LISTS:
            answer = client.request("GET", path.format(self.campaign), key=self.one.key, query={"limit": 50})
            assert answer.status == 200 and answer.headers["Retry-After"] is None, (path, answer.status, answer.body)
            found[path.rpartition("/")[2]] = answer.json
        return found

    def check(self, client, social_id):
        """Check that each list, on any host, contains the lead that was just accepted."""
        found = self.read(client)
        assert found["campaigns"][0]["lead_count"] == found["stats"]["leads"]["total"] == self.leads
        for name in ("leads", "leaderboard"):
            assert social_id in [lead["social_id"] for lead in found[name]["leads" if name == "leads" else "leaders"]]


@pytest.fixture
def reader(trial, database):
    second = database.nodes[1]
    one = trial(hosts=2, campaigns=1, settings=[("database", "read_host", f"{second.host}:{second.port}")])
    return Reader(one)


def test_lists_are_read_there_and_current(reader):
    """docs/cluster.md 4.1: lists are read only from the read host, by any host, and contain the lead that was accepted before"""
    _, second, third = reader.one.nodes
    before, other = executed(second), executed(third)
    for number in range(ROUNDS):
        reader.check(reader.clients[number % 2], reader.add(number))
    assert executed(second) - before >= ROUNDS * len(LISTS)
    assert executed(third) == other
    looked_up = executed(second)
    assert reader.clients[0].request("GET", f"/v2/{reader.campaign}", query={"email": "r0@example.org"}, key=reader.one.key).status == 200
    assert executed(second) == looked_up  # a look-up goes to the writer


def test_a_late_read_host(reader):
    """docs/cluster.md 4.1: a call waits until the read host has everything that was accepted before"""
    second = reader.one.nodes[1]
    reader.check(reader.clients[1], reader.add(0))
    lock = f"FLUSH TABLES WITH READ LOCK; SELECT SLEEP({PAUSED}); UNLOCK TABLES"
    paused = threading.Thread(target=second.sql, args=(lock,))
    paused.start()
    wait_until(lambda: "SLEEP" in second.sql("SELECT INFO FROM information_schema.PROCESSLIST WHERE STATE = 'User sleep'"), 10, "paused")
    lead = reader.add(1)
    assert paused.is_alive()
    reader.check(reader.clients[1], lead)
    paused.join()


@pytest.mark.parametrize("failure, repair", [("kill", None), ("pause", "resume"), ("isolate", "join")])
def test_the_read_host_is_away(reader, failure, repair):
    """docs/cluster.md 4.1: lists come from the writer, without errors, and from the read host again when it is back"""
    second, galera = reader.one.nodes[1], reader.one.galera
    reader.check(reader.clients[0], reader.add(0))
    getattr(second, failure)()
    for number in range(1, 4):
        for client in reader.clients:
            reader.check(client, reader.add(10 * number + reader.clients.index(client)))
    if repair:
        getattr(second, repair)()
    else:
        galera.restart(second)
    wait_until(second.synced, 60, "it has all changes")
    before = executed(second)

    def read_there():
        reader.read(reader.clients[0])
        return executed(second) > before
    wait_until(read_there, 60, "lists are read there")
    reader.check(reader.clients[0], reader.add(99))
