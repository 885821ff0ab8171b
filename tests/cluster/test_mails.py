# SPDX-License-Identifier: MIT
"""docs/mail.md 4 on several hosts and nodes: the mail of each sign-up arrives, and only mails in progress at a failure arrive twice."""
import collections

import pytest
from mail_server import MailServer
from stack.process import wait_until

CONNECTIONS = 3  # of each host
BEFORE = 4
RATE = 50


@pytest.fixture
def server():
    made = MailServer()
    yield made
    made.close()


def test_a_dispatcher_and_the_writing_node_fail(trial, server):
    one = trial(settings=server.settings(connections=CONNECTIONS, campaign_per_hour=0))
    server.delay = 0.01
    with one.load(RATE) as load:
        one.progress(BEFORE)
        wait_until(lambda: server.mails, 30, "mails arrive")
        one.hosts[0].dispatcher.kill()
        one.progress(BEFORE)
        one.nodes[0].kill()
        one.progress(BEFORE)
        one.hosts[0].dispatcher.start()
        one.progress(BEFORE)
    one.galera.restart(one.nodes[0])
    emails = {call.email for call in load.accepted()}
    assert len(emails) > BEFORE * RATE
    wait_until(lambda: emails <= {mail.recipient for mail in server.mails}, 120, "mails are missing")
    wait_until(lambda: one.hosts.sql("SELECT COUNT(*) FROM lh_messages WHERE state IN ('requested', 'ready')") == "0", 30, "mails are left")
    arrived = collections.defaultdict(list)
    for mail in server.mails:
        arrived[mail.recipient].append(mail.content)
    again = sum(len(contents) - 1 for contents in arrived.values())
    one.figures["mails"] = {"arrived": len(arrived), "again": again}
    assert again <= CONNECTIONS * (1 + len(one.hosts.hosts)), "one dispatcher ended, all lost their database"
    assert all(len(set(contents)) == 1 for contents in arrived.values())
    one.verify(disturbed=1 + len(one.hosts.hosts))
