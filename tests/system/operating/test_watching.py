# SPDX-License-Identifier: MIT
"""docs/operating.md 12: Prometheus, the alerts, the dashboard and the rotation of logs, with the files of conf-examples/."""
import contextlib
import json
import re
import shutil
import subprocess

import pytest
from metrics import fetch, scrape
from prometheus import EXAMPLES, Prometheus, needs_prometheus
from stack.process import wait_until
from stack.receiver import Answer
from tree import SOURCE

DEADLINE = 60
LOOPBACK = ("metrics", "loopback", "on")
NAME = re.compile(r"\bleadhook_[a-z_]+")
HISTOGRAM = re.compile(r"_(bucket|sum|count)$")


def run(*words):
    return subprocess.run(words, cwd=EXAMPLES, capture_output=True, text=True, timeout=60, check=False)


def dashboard_queries():
    """Returns (panel, query) for all queries of the dashboard, as Grafana sends them."""
    panels = json.loads((EXAMPLES / "grafana-dashboard.json").read_text())["panels"]
    return [(panel["title"], target["expr"].replace("$__rate_interval", "1m").replace("$job", ".+"))
            for panel in panels for target in panel.get("targets", [])]


def rule_queries():
    return re.findall(r"^ +expr: (?:\|\n)?((?:.|\n(?= {12}))+)$", (EXAMPLES / "prometheus-rules.yml").read_text(), re.MULTILINE)


@pytest.fixture(scope="module")
def small_disk(make_folder):
    """A folder on a file system of 1 MiB; None if none can be mounted."""
    folder = make_folder()
    mounted = shutil.which("mount") and run("mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", folder).returncode == 0
    yield folder if mounted else None
    if mounted:
        run("umount", "-l", folder)


@pytest.fixture(scope="module")
def service(make_service, own_database, small_disk):
    log = [("log", "file", small_disk / "leadhook.log")] if small_disk else []
    return make_service(workers=2, database=own_database, settings=[LOOPBACK, ("dispatch", "breaker_failures", "1000"), *log])


@pytest.fixture(scope="module")
def prometheus(make_folder, service):
    made = Prometheus(make_folder(), [f"127.0.0.1:{service.front.port}"], f"{service.front.base_path}/metrics").start()
    yield made
    made.stop()


# --- the files ---

@needs_prometheus
def test_rules():
    """promtool finds no errors in the configuration and the rules, and the tests of the rules pass"""
    for words in (("check", "config", "prometheus.yml"), ("check", "rules", "prometheus-rules.yml"),
                  ("test", "rules", "prometheus-rules-test.yml")):
        done = run("promtool", *words)
        assert done.returncode == 0, done.stdout + done.stderr


def test_documents_name_the_metrics(service):
    """docs/operating.md 12.1: the table has every metric with its type and labels, and no others; rules and dashboard use only
    these"""
    _, _, text = fetch(service)
    types = dict(re.findall(r"^# TYPE (\S+) (\S+)$", text, re.MULTILINE))
    types.update({"leadhook_filesystem_free_bytes": "gauge", "leadhook_filesystem_size_bytes": "gauge"})
    document = (SOURCE / "docs/operating.md").read_text()
    rows = re.findall(r"^\| `(leadhook_[a-z_]+)` \| (\w+) \| ([^|]*) \|", document, re.MULTILINE)
    assert {name: kind for name, kind, _ in rows} == types
    for name, _, labels in rows:
        found = re.search(rf"^{name}(?:_bucket)?(?:\{{(.*)\}})? ", text, re.MULTILINE)
        shown = set(re.findall(r'(\w+)="', found[1] or "")) - {"le"}
        assert set(re.findall(r"`(\w+)`", labels)) == shown, name
    queries = [query for _, query in dashboard_queries()] + rule_queries()
    assert len(queries) > 40
    for query in queries:
        for name in NAME.findall(query):
            assert HISTOGRAM.sub("", name) in types or name in types, query


# --- a real Prometheus ---

@needs_prometheus
@pytest.mark.slow
def test_dashboard(service, prometheus):
    """every query of the dashboard is valid; all queries find data, except those that look for problems"""
    campaign = service.campaign()
    campaign.webhook("new_signup")
    campaign.leads(3)
    service.dispatch()
    assert campaign.post({"email": "x@example.org"}, key="lh_" + "x" * 43).status != 200
    wait_until(lambda: prometheus.query("rate(leadhook_requests_total[1m])"), DEADLINE, "two scrapes")
    wait_until(lambda: prometheus.query("leadhook_leads")[0]["value"][1] == "3", DEADLINE, "the leads")
    for panel, query in dashboard_queries():
        found = prometheus.query(query)
        if not query.endswith("> 0"):
            assert found, (panel, query)


@needs_prometheus
@pytest.mark.slow
def test_alerts_fire(service, prometheus, small_disk):
    """each alert fires when its cause occurs, and not before"""
    def fires(alert):
        wait_until(lambda: alert in prometheus.firing(), DEADLINE, f"{alert} fires")
    campaign = service.campaign()
    service.receiver.script(campaign.hook, Answer(status=500))
    campaign.webhook("new_signup")
    wait_until(lambda: prometheus.query('up{job="leadhook"} == 1'), DEADLINE, "a scrape")
    service.dispatch()
    wait_until(lambda: "LeadhookProcessGone" not in prometheus.firing(), DEADLINE, "the dispatcher is there")
    assert not prometheus.firing() & {"LeadhookWebhookFailing", "LeadhookBacklogOld", "LeadhookDiskNearlyFull", "LeadhookDatabaseAway"}

    campaign.leads(1)
    service.dispatch()
    fires("LeadhookWebhookFailing")

    # the attempt was long ago, and no dispatcher has run since
    service.installation.sql("UPDATE lh_due SET due_ms = due_ms - 3600000; UPDATE lh_webhook_status SET hold_until_ms = 0")
    fires("LeadhookBacklogOld")

    if small_disk:
        with contextlib.suppress(OSError), open(small_disk / "other", "wb", buffering=0) as file:
            file.write(bytes(1000 * 1024))
        fires("LeadhookDiskNearlyFull")
        (small_disk / "other").unlink()

    service.database.stop()
    fires("LeadhookDatabaseAway")
    service.database.start()
    wait_until(lambda: "LeadhookDatabaseAway" not in prometheus.firing(), DEADLINE, "it is back")
    if not small_disk:
        pytest.skip("no file system can be mounted here: LeadhookDiskNearlyFull was not tried")


@needs_prometheus
@pytest.mark.slow
def test_a_missing_dispatcher(make_service, make_folder):
    """without any sign of a dispatcher, the alert fires"""
    service = make_service(workers=2, settings=[LOOPBACK])
    assert scrape(service)("process_works", process="dispatcher") == 0
    prometheus = Prometheus(make_folder(), [f"127.0.0.1:{service.front.port}"]).start()
    try:
        wait_until(lambda: "LeadhookProcessGone" in prometheus.firing(), DEADLINE, "it fires")
    finally:
        prometheus.stop()
