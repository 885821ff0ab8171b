# SPDX-License-Identifier: MIT
"""A sign-up, its events and their delivery rows are one transaction. A COMMIT without an answer is neither lost nor repeated
(docs/architecture.md 4; docs/api.md 4.7; docs/requirements.md Delivery format 4)."""
import concurrent.futures
import http.client
import os
import signal
import subprocess

import pytest
from database_proxy import AFTER, BEFORE, HELD
from processes import children
from proof import solution
from stack.process import wait_until

ADA = {"email": "ada@example.org"}
WEBHOOKS = 3


@pytest.fixture(scope="module")
def service(make_service, proxy):
    """A service with one worker, so that its connection can be identified."""
    return make_service(workers=1, settings=[("database", "socket", proxy.socket)])


@pytest.fixture
def webhooks(service, account, campaign):
    """Several webhooks of the campaign. The worker has reserved its ids, so that the next COMMIT belongs to the next sign-up."""
    for number in range(WEBHOOKS):
        url = service.receiver.url(f"{campaign.hook}/{number}")
        assert campaign.post({"url": url, "events": ["new_signup", "repeat_signup"]}, path="/outbound-webhook").status == 200
    service.campaign(account).lead(**ADA)


@pytest.fixture
def count(service, campaign):
    """Returns a function that counts the campaign's rows in a table."""
    prefix = service.installation.setting("database", "prefix", "lh_")
    of_campaign = {"leads": "campaign_id = {id}", "events": "campaign_id = {id}",
                   "due": "webhook_id IN (SELECT id FROM {prefix}webhooks WHERE campaign_id = {id})"}

    def rows(table, committed=True):
        level = "READ COMMITTED" if committed else "READ UNCOMMITTED"
        where = of_campaign[table].format(prefix=prefix, id=campaign.id)
        return int(service.installation.sql(f"SET SESSION TRANSACTION ISOLATION LEVEL {level};"
                                            f"SELECT COUNT(*) FROM {prefix}{table} WHERE {where}"))
    rows.table = lambda name: prefix + name
    return rows


def check_one_signup(campaign, count):
    """Check that there is one lead with one event and a delivery for each webhook; repeating the sign-up counts as a repetition."""
    assert [count(table) for table in ("leads", "events", "due")] == [1, 1, WEBHOOKS]
    lead = campaign.lead(**ADA)
    assert (lead["counter"], lead["rank"], lead["lead_count"]) == (2, 1, 1)
    assert [count(table) for table in ("leads", "events", "due")] == [1, 2, 2 * WEBHOOKS]


@pytest.mark.parametrize("times", [1, 2])
def test_cut_before_commit(webhooks, proxy, campaign, count, times):
    """it was not committed: it is repeated, and the client sees a success"""
    proxy.cut(BEFORE, times)
    response = campaign.post(ADA)
    assert response.status == 200 and response.json["counter"] == 1
    assert proxy.commits == times + 1
    check_one_signup(campaign, count)


def test_cut_after_commit(webhooks, proxy, campaign, count):
    """it was committed: its event proves it, and the client gets the answer of the first run"""
    proxy.cut(AFTER)
    response = campaign.post(ADA)
    assert response.status == 200 and response.json["counter"] == 1
    assert proxy.commits == 2  # committed rows can be visible before they are on disk; the fence's COMMIT ensures that they are
    assert campaign.find(**ADA)["social_id"] == response.json["social_id"]
    check_one_signup(campaign, count)


@pytest.mark.parametrize("times", [1, 2])
def test_cut_after_commit_without_events(service, account, campaign, proxy, times):
    """without an event, a commit token proves it, even if the second answer is lost"""
    service.campaign(account).lead(**ADA)
    proxy.cut(AFTER, times)
    assert campaign.lead(**ADA)["counter"] == 1
    assert proxy.commits == times + 1
    assert campaign.lead(**ADA)["counter"] == 2


@pytest.mark.parametrize("done", [True, False])
def test_cut_while_the_server_goes_on(webhooks, proxy, campaign, count, done):
    """the server is still committing when the outcome is requested: the answer matches the outcome"""
    proxy.cut(HELD)
    with concurrent.futures.ThreadPoolExecutor() as pool:
        answer = pool.submit(campaign.post, ADA)
        try:
            wait_until(lambda: proxy.begins >= 2, 5, "the second run")
        finally:
            proxy.release(done)
        assert answer.result().status == 200 and answer.result().json["counter"] == 1
    check_one_signup(campaign, count)


def test_cut_unnoticed_by_the_server(webhooks, proxy, campaign, count):
    """docs/architecture.md 4, Abandoned transaction: the server ends the old session, which releases the campaign, and the sign-up is
    repeated"""
    proxy.cut(HELD)
    try:
        assert campaign.lead(**ADA)["counter"] == 1
        assert proxy.begins >= 2
    finally:
        proxy.release(False)
    check_one_signup(campaign, count)


def test_an_update_cut_after_commit(webhooks, proxy, campaign, count):
    """an existing lead is counted once, with one repeat_signup"""
    campaign.lead(**ADA)
    proxy.cut(AFTER)
    assert campaign.lead(**ADA, custom="1")["counter"] == 2
    assert [count(table) for table in ("leads", "events", "due")] == [1, 2, 2 * WEBHOOKS]
    assert campaign.find(**ADA)["counter"] == 2


@pytest.mark.parametrize("where", [BEFORE, AFTER])
@pytest.mark.parametrize("known", [False, True], ids=["new lead", "known lead"])
def test_proof_of_work_with_a_lost_commit(service, account, proxy, where, known):
    """docs/api.md 8.2: the sign-up that used a solution is answered with a success, even if it changes nothing else"""
    campaign = service.campaign(account, bots="proof", bot_difficulty=1, public_update="none")
    service.campaign(account).lead(**ADA)
    if known:
        campaign.lead(**ADA)
    value = solution(campaign)
    proxy.cut(where, 2)
    answer = campaign.post({**ADA, "altcha": value}, key=None)
    assert answer.status == 200, answer.body
    assert proxy.commits == 3
    again = campaign.post({"email": "grace@example.org", "altcha": value}, key=None)
    assert again.verdict == (406, "proof_invalid") and again.json["message"].endswith(": it was used before")
    assert campaign.find(**ADA)["counter"] == 1 and campaign.stats()["total"] == 1


def test_a_webhook_cut_after_commit(webhooks, service, proxy, campaign, count):
    """it is created once; the answer contains its secret, which is shown once"""
    url = service.receiver.url(f"{campaign.hook}/cut")
    proxy.cut(AFTER)
    made, again = (campaign.post({"url": url, "event": "verified"}, path="/outbound-webhook").json for _ in range(2))
    assert made["secret"] == service.installation.sql(
        f"SELECT secret FROM {count.table('webhooks')} WHERE id = {made['referenceId']}")
    assert again["referenceId"] == made["referenceId"] and "secret" not in again


class TableLock:
    """A session of the administrator with LOCK TABLES … WRITE."""

    def __init__(self, installation, table):
        self.session = subprocess.Popen(
            ["mariadb", "--no-defaults", f"--socket={installation.database.socket}", "--batch", "--skip-column-names",
             "--unbuffered", installation.setting("database", "name")],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.session.stdin.write(f"LOCK TABLES `{table}` WRITE; SELECT 'locked';\n")
        self.session.stdin.flush()
        assert self.session.stdout.readline() == "locked\n"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.session.communicate(timeout=15)


def post_or_none(campaign):
    try:
        return campaign.post(ADA).status
    except (OSError, http.client.HTTPException):
        return None


def test_a_worker_dies_before_the_last_row(webhooks, service, campaign, count):
    """it is killed after it has written the lead and the event, but not the due rows: none of them remain"""
    user = service.installation.setting("database", "user")
    waiting = f"SELECT ID FROM information_schema.PROCESSLIST WHERE USER = '{user}' AND STATE LIKE 'Waiting for table%'"
    with concurrent.futures.ThreadPoolExecutor(1) as pool, TableLock(service.installation, count.table("due")):
        answer = pool.submit(post_or_none, campaign)
        connection = wait_until(lambda: service.installation.sql(waiting), 10, "the sign-up waits for the table")
        assert [count(table, committed=False) for table in ("leads", "events")] == [1, 1]
        for worker in children(service.responders.pid):
            os.kill(worker, signal.SIGKILL)
        assert answer.result(30) != 200
    gone = f"SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE ID = {connection}"
    wait_until(lambda: service.installation.sql(gone) == "0", 15, "the server notices")
    assert [count(table, committed=False) for table in ("leads", "events", "due")] == [0, 0, 0]
    service.wait_ready()
    assert campaign.lead(**ADA)["counter"] == 1
    check_one_signup(campaign, count)
