# SPDX-License-Identifier: MIT
"""docs/cluster.md 3 and 4.1 with one server that claims to be a node: its status, and which connections read lists. tests/cluster
uses a real cluster."""
import json

import pytest
from command import call
from sql import Database

LISTS = ("/v2/campaigns", "/v2/{}/stats", "/v2/{}/leads", "/v2/{}/leaderboard")


def read(campaign, lead):
    for path in LISTS:
        answer = campaign.client.request("GET", path.format(campaign.id), key=campaign.key)
        assert answer.status == 200 and answer.headers["Retry-After"] is None, answer.body
        if "/leads" in path:
            assert [one["social_id"] for one in answer.json["leads"]] == [lead["social_id"]]


@pytest.fixture(scope="module")
def node(make_folder):
    """A server that claims to be a node, although there are no other nodes."""
    folder = make_folder()
    server = Database(folder, folder / "mariadb.sock", more=["--wsrep-on=ON", "--log-output=TABLE"]).create().start()
    yield server
    server.stop()


def test_status(make_service, node):
    """docs/cluster.md 3, Seeing it: the status ends with members about the node; tests/system/commands/test_admin.py has a server
    that is not a node"""
    status = make_service(database=node, workers=2).installation.admin("status")
    assert list(status)[-9:] == ["now", "node", "cluster_size", "node_state", "receive_queue", "flow_control", "flow_control_paused_ms",
                                 "flow_control_sent", "flow_control_received"]
    assert status["node"] and (status["cluster_size"], status["flow_control"], status["flow_control_sent"]) == (0, False, 0)


def test_lists_are_read_by_connections_of_their_own(make_service, node):
    """docs/cluster.md 4.1: connections that wait for other nodes read lists, statistics and leaderboards, and nothing else"""
    service = make_service(database=node, workers=2, settings=[("database", "read_host", "localhost")])
    campaign = service.campaign()
    lead, = campaign.leads(1)
    node.sql("TRUNCATE mysql.general_log; SET GLOBAL general_log = 1")
    read(campaign, lead)
    campaign.find(email=lead["email"])
    campaign.define("tag", "t")
    assert campaign.client.request("GET", f"/v2/{campaign.id}/tags", key=campaign.key).status == 200
    node.sql("SET GLOBAL general_log = 0")
    waits = "thread_id IN (SELECT thread_id FROM mysql.general_log WHERE argument LIKE 'SET SESSION wsrep_sync_wait = 1')"
    run = "SELECT COUNT(*) FROM mysql.general_log WHERE command_type = 'Execute' AND {} AND argument LIKE '%{}%'"
    for text in ("FROM lh_leads l FORCE INDEX (by_number)", "FROM lh_leads l FORCE INDEX (by_score)"):
        assert node.sql(run.format(waits, text)) != "0", text
        assert node.sql(run.format(f"NOT {waits}", text)) == "0", text
    for text in ("FROM lh_leads l FORCE INDEX (by_email)", "INSERT", "UPDATE lh_"):
        assert node.sql(run.format(waits, text)) == "0", text


@pytest.mark.parametrize("place", ["localhost", "127.0.0.1:1"], ids=["no node", "nothing"])
def test_a_useless_read_host(make_service, place):
    """docs/cluster.md 4.1: answers stay the same if the read host is not a node, or does not run; the check reports it"""
    service = make_service(workers=2, settings=[("database", "read_host", place)])
    campaign = service.campaign()
    lead, = campaign.leads(1)
    read(campaign, lead)
    found = json.loads(call(service.installation, "check", "--json").stdout)["findings"]
    assert [(one["what"], one["detail"].startswith(f"{place}: ")) for one in found] == [("read_host", True)]
    log = (service.installation.folder / "fcgi.log").read_text(encoding="utf-8")
    assert ("no_node" in log) == (place == "localhost")
