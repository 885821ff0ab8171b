# SPDX-License-Identifier: MIT
"""docs/cluster.md 7: clusters side by side, and HAProxy with the shipped configuration, which chooses a cluster by the campaign's
id."""
import shutil

import pytest
from client import CORS, Client
from command import CONFIG, SOFTWARE, call
from stack.examples import fill
from stack.front import accepts, free_port
from stack.process import Child, wait_until

ADA = {"email": "ada@example.org"}


@pytest.fixture(scope="module")
def clusters(make_service):
    return [make_service(workers=2, settings=[("cluster", "number", number), ("server", "trusted_proxies", "127.0.0.1")]) for number in (1, 2)]


@pytest.fixture(scope="module")
def balancer(clusters, make_folder):
    if shutil.which("haproxy") is None:
        pytest.skip("haproxy is not installed")
    folder, port = make_folder(), free_port()
    values = {f"LEADHOOK_CLUSTER{number}": f"127.0.0.1:{one.front.port}" for number, one in enumerate(clusters, 1)}
    config = folder / "haproxy.cfg"
    config.write_text(fill("haproxy-clusters.cfg", LEADHOOK_ADDRESS=f"127.0.0.1:{port}", **values), encoding="utf-8")
    child = Child("haproxy", ["haproxy", "-db", "-f", config], folder / "haproxy.out").start()
    child.ready(lambda: accepts(port))
    yield Client(port)
    child.stop()


def test_ids(clusters):
    """docs/cluster.md 7: ids of campaigns and leads contain the number; subscription numbers do not, nor do ids such as an
    account's"""
    for number, service in enumerate(clusters, 1):
        campaign = service.campaign()
        assert campaign.id // 10**6 == number and campaign.account.id < 1000
        lead, other = campaign.leads(2)
        for rank, one in enumerate((lead, other), 1):
            assert (one["campaign_id"], one["subscription_number"], one["id"] // 10**12) == (campaign.id, rank, number)
        referred = campaign.lead(email="r@example.org", social_id=lead["social_id"])
        assert referred["parent_id"] == lead["social_id"]
        assert campaign.find(social_id=referred["social_id"])["id"] == referred["id"]


def test_the_balancer_chooses_by_the_campaign(clusters, balancer):
    """docs/cluster.md 7: for every path with a campaign; the lead exists only in the campaign's cluster"""
    for service in clusters:
        campaign, direct = service.campaign(pages="on"), service.client
        path = f"/v2/{campaign.id}"
        made = balancer.request("POST", path, json_body=ADA, key=campaign.key)
        assert made.status == 200
        assert balancer.request("GET", f"{path}/stats", key=campaign.key).json["leads"]["total"] == 1
        assert balancer.request("POST", f"/v1/{campaign.id}/subscribe", form=ADA).status == 200
        assert balancer.request("GET", f"/lead/{campaign.id}/{made.json['social_id']}").status == 200
        action = balancer.request("POST", f"/action/{campaign.id}", form={"aid": 1, "kid": made.json["social_id"]})
        assert action.verdict == (404, "action_not_found")
        assert balancer.request("GET", f"/opt-out/{campaign.id}/{made.json['social_id']}/wrong").status == 404
        hook = balancer.request("POST", f"{path}/inbound-webhook", json_body={"name": "Shop"}, key=campaign.key).json["url"]
        payload = balancer.request("POST", hook[hook.index("/inbound/"):], json_body={"email": "bob@example.org"})
        assert payload.status == 201 and payload.json["campaign_id"] == campaign.id
        assert balancer.request("GET", f"/c/{campaign.id}/s/{made.json['social_id']}").status == 200
        assert balancer.request("GET", f"/{campaign.id}").headers["Location"].endswith(f"/c/{campaign.id}")
        assert direct.request("GET", path, query=ADA, key=campaign.key).json["counter"] == 2
    assert balancer.request("GET", "/v2/9000001", query=ADA).verdict == (404, "campaign_not_found")


def test_errors_and_limits_of_the_balancer(clusters, balancer):
    """docs/cluster.md 7: 64 KiB of request line and headers are accepted; if no host of the cluster answers, JSON with the CORS
    headers"""
    assert balancer.request("GET", "/health?" + "x" * 60000).status == 200
    assert balancer.request("GET", "/health?" + "x" * 70000).status == 400
    clusters[1].front.stop()
    try:
        down = wait_until(lambda: (answer := balancer.request("GET", "/v2/2000001", query=ADA)).status == 503 and answer, 20, "503")
    finally:
        clusters[1].front.start()
    assert {name: down.headers[name] for name in CORS} == CORS
    assert down.headers["Content-Type"] == "application/json" and set(down.json) == {"message", "error"}
    wait_until(lambda: balancer.request("GET", "/v2/2000001", query=ADA).status == 404, 20, "the cluster is back")


def test_the_balancer_replaces_the_address_of_clients(clusters, balancer):
    """docs/cluster.md 7: otherwise, the program would get two headers from web servers that do not join them"""
    campaign = clusters[0].campaign()
    signed_up = balancer.request("POST", f"/v2/{campaign.id}", json_body=ADA, headers=[("X-Forwarded-For", "192.0.2.9")])
    assert signed_up.status == 200 and campaign.find(email=ADA["email"])["ip"] == "127.0.0.1"


def test_empty_segments_name_the_same_campaign(clusters, balancer):
    """docs/cluster.md 7: each of these paths goes to the cluster of the campaign"""
    campaign = clusters[1].campaign()
    for path in (f"//v2/{campaign.id}", f"/v2//{campaign.id}/"):
        assert balancer.request("POST", path, json_body=ADA, key=campaign.key).json["campaign_id"] == campaign.id


def test_the_number_stays(clusters):
    """docs/cluster.md 7: install and upgrade refuse another number, and the check reports it"""
    service = clusters[1]
    service.campaign()
    other = {"LEADHOOK_CLUSTER_NUMBER": "3"}
    for command in ("install", "upgrade"):
        done = call(service.installation, command, env=other)
        assert done.returncode == CONFIG and "cluster.number is 3, but the database has ids of 2" in done.stderr
        assert call(service.installation, command).returncode == 0
    done = call(service.installation, "check", env=other)
    assert done.returncode == CONFIG and "cluster_number" in done.stdout
    done = call(service.installation, "campaign", "add", "1", "A campaign", env=other)
    assert done.returncode == SOFTWARE and done.stderr.endswith("leadhook: the command failed; see the log for the reason\n")
    assert " no_ids " in done.stderr
    assert service.installation.admin("check") == {"ok": True, "findings": []}
