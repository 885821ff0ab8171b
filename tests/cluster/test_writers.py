# SPDX-License-Identifier: MIT
"""docs/cluster.md 4: several nodes write; docs/architecture.md 9.2: their conflicts. Each host uses a node of its own."""
import types

from client import Client
from load import at_once
from proof import solution
from stack.process import wait_until
from stack.traffic import RATE, Clients

CLIENTS = 16  # for each host
SECONDS = 20
CHANGES = 30  # changes of tables
TABLES = ("lh_campaign_counters", "lh_leads", "lh_events", "lh_due")
ROUNDS = 60
PROOFS = 20


def test_one_campaign(trial):
    """docs/cluster.md 4: no lead is stored twice, numbers have no gaps, and each event happens once while transactions of three nodes
    conflict all the time"""
    one = trial(through="nodes", campaigns=1)
    before = one.conflicts()
    one.loads.append(Clients(one.hosts.ports(), one.key, one.campaigns, CLIENTS))
    one.loads[0].end_after(SECONDS)
    with one.loads[0]:
        one.loads[0].join()
    found = one.phase("all", 0)
    one.figures["conflicts"] = one.conflicts() - before
    assert one.figures["conflicts"] > 0
    assert set(found["statuses"]) <= {"200", "503"} and found["without_retry_after"] == 0, found
    one.verify(disturbed=0)


def test_the_same_address_everywhere(trial):
    """docs/cluster.md 4: a new address that signs up on all nodes at once becomes one lead, which counts every accepted call"""
    one = trial(through="nodes", campaigns=1)
    clients = [Client(port) for port in one.hosts.ports()]
    path, accepted = f"/v2/{one.campaigns[0]}", 0
    for number in range(ROUNDS):
        fields = {"email": f"same{number}@example.org"}
        answers = at_once([lambda client=client, fields=fields: client.request("POST", path, json_body=fields, key=one.key)
                           for client in clients])
        assert {answer.status for answer in answers} <= {200, 503}
        good = [answer.json for answer in answers if answer.status == 200]
        accepted += len(good)
        assert len({lead["social_id"] for lead in good}) <= 1
        assert len({lead["counter"] for lead in good}) == len(good)
    one.figures["same address"] = {"accepted": accepted, "sent": ROUNDS * len(clients)}
    emails = [f"same{number}@example.org" for number in range(ROUNDS)]
    row = one.hosts.sql("SELECT COUNT(*), SUM(counter), MAX(subscription_number) FROM lh_leads")
    leads, counted, last = map(int, row.split("\t"))
    assert leads == last == ROUNDS and counted >= accepted
    wait_until(lambda: len(one.inbox.events) == ROUNDS, 30, "each lead's event has arrived")
    one.verify(disturbed=0, others=emails)


def test_a_proof_of_work_everywhere(trial):
    """docs/cluster.md 4, docs/api.md 8.2: if all nodes get sign-ups with the same solution at once, only one is ever accepted"""
    one = trial(through="nodes", campaigns=1)
    id = one.campaigns[0]
    one.hosts.admin("campaign", "set", id, "bots=proof", "bot_difficulty=1", "pages=off")
    clients = [Client(port) for port in one.hosts.ports()]
    accepted = []
    for number in range(PROOFS):
        value = solution(types.SimpleNamespace(client=clients[number % len(clients)], id=id))

        def post(client, email, value=value):
            return client.request("POST", f"/v2/{id}", json_body={"email": email, "altcha": value})
        emails = [f"proof{number}-{host}@example.org" for host in range(len(clients))]
        answers = at_once([lambda client=client, email=email: post(client, email) for client, email in zip(clients, emails)])
        assert all(answer.status in (200, 503) or answer.verdict == (406, "proof_invalid") for answer in answers)
        good = [email for answer, email in zip(answers, emails) if answer.status == 200]
        assert len(good) <= 1
        accepted += good
        for client in clients if good else ():
            again = post(client, "late@example.org")
            assert again.verdict == (406, "proof_invalid") and again.json["message"].endswith("it was used before")
    one.figures["same proof"] = {"accepted": len(accepted), "proofs": PROOFS}
    assert len(accepted) > PROOFS / 2
    one.verify(disturbed=0, others=accepted)


def test_tables_change_under_load(trial):
    """docs/cluster.md 3: changes of tables, which stop all nodes for a moment and end open transactions, lose nothing"""
    one = trial()
    before = one.conflicts()
    with one.load(2 * RATE) as load:
        one.progress(1)
        for change in range(CHANGES):
            for table in TABLES:
                one.hosts.sql(f"ALTER TABLE {table} COMMENT = '{change}'")
        one.progress(1)
    one.recovers("changed", 0)
    assert len(load.accepted()) > 0
    one.figures |= {"changes": CHANGES * len(TABLES), "conflicts": one.conflicts() - before}
    one.verify(disturbed=0)
