# SPDX-License-Identifier: MIT
"""leadhook-fcgi(8), leadhook-dispatch(8): if a row crashes the committer or the dispatcher, only its lead is refused, or at worst
its campaign.

The utm of the row makes the lead's payload exceed its maximum, which no call of the API can do.
"""
import re
import signal
import time

import pytest
from load import Load
from processes import committer, wait_for_committer
from service import COMMITTER
from sql import Database
from stack.process import wait_until

needs_committer = pytest.mark.skipif(not COMMITTER, reason="without a committer a row crashes only the worker")


@pytest.fixture(scope="module")
def database(make_folder):
    folder = make_folder()
    server = Database(folder, folder / "mariadb.sock", redo_log="256M", more=["--max-allowed-packet=64M"]).create()
    server.start()
    yield server
    server.stop()


def poison(campaign, lead):
    utm = """CONCAT('{"a":"', REPEAT('x', 16777000), '"}')"""
    campaign.service.installation.sql(f"UPDATE lh_leads SET utm = {utm} WHERE id = {lead['id']}")


def cure(campaign):
    campaign.service.installation.sql(f"UPDATE lh_leads SET utm = NULL WHERE campaign_id = {campaign.id}")


def refused(request):
    """Send the request until its answer is 500, and wait a second: after that, no worker answers 503 any longer."""
    answers = []

    def is_refused():
        answers.append(request())
        return answers[-1].status == 500
    wait_until(is_refused, 30, "it is refused")
    assert {answer.verdict for answer in answers[:-1]} <= {(503, "unavailable")}
    assert answers[-1].verdict == (500, "internal_error")
    settled = time.monotonic() + 1.5
    wait_until(lambda: time.monotonic() > settled, 5, "a second has passed")
    return answers[-1]


def deaths(service):
    return service.responders.log.read_text().count(" companion_died ")


@needs_committer
def test_a_poisoned_lead(service, campaign):
    """after two deaths, calls get 500 for this lead only: other leads of the account and of other accounts are served"""
    parent = service.responders.pid
    others = service.campaign(service.account())
    lead, healthy = campaign.lead(email="poison@example.org"), campaign.lead(email="healthy@example.org")
    poison(campaign, lead)
    with Load(others) as load:
        load.wait_for(20)
        before = deaths(service)
        answer = refused(lambda: campaign.post({"email": "poison@example.org"}))
        assert deaths(service) == before + 2
        begun = len(load.sent)
        survivor = wait_for_committer(parent)
        load.wait_for(20)
        for _ in range(10):
            assert campaign.post({"email": "poison@example.org", "again": "yes"}).status == 500
            assert campaign.post({"email": "healthy@example.org"}).status == 200
        load.wait_for(20)
        assert committer(parent) == survivor
    answers = load.answers
    assert {answers[email] for email in load.sent[begun:]} == {200}
    assert set(answers.values()) <= {200, 503}
    refused(lambda: campaign.get({"email": "poison@example.org"}))
    assert campaign.find(email="healthy@example.org")["id"] == healthy["id"]
    log = service.responders.log.read_text()
    request = re.search(r"\(request (\w+)\)", answer.json["message"]).group(1)
    assert re.search(rf" panic file=\S+ line=\d+ what=.*payload.* request=\w+$", log, re.MULTILINE)
    assert f" request_refused request={request} " in log
    cure(campaign)


@needs_committer
def test_a_campaign_of_poisoned_leads(service, campaign):
    """the third refused lead ends the crashes: after that, the whole campaign is refused"""
    parent = service.responders.pid
    others = service.campaign(service.account())
    for lead in campaign.leads(5):
        poison(campaign, lead)
    for number in range(3):
        refused(lambda number=number: campaign.post({"email": f"{number}@example.org"}))
    survivor = wait_for_committer(parent)
    assert campaign.post({"email": "3@example.org"}).status == 500
    assert campaign.post({"email": "new@example.org"}).status == 500
    assert others.post({"email": "new@example.org"}).status == 200
    assert committer(parent) == survivor
    cure(campaign)


@needs_committer
def test_refusals_end_with_a_restart(service, campaign):
    """leadhook-fcgi(8): after a repair, the lead is served after ten minutes or a restart"""
    poison(campaign, campaign.lead(email="poison@example.org"))
    refused(lambda: campaign.post({"email": "poison@example.org"}))
    cure(campaign)
    assert campaign.post({"email": "poison@example.org"}).status == 500
    service.responders.stop()
    service.responders.start()
    service.wait_ready()
    assert campaign.post({"email": "poison@example.org"}).status == 200


def test_a_poisoned_lead_of_a_bulk_call(service, receiver, campaign):
    """after two deaths of the dispatcher, the item is skipped: the call's other leads and other work are processed"""
    leads = campaign.leads(40)
    campaign.webhook("verified")
    poison(campaign, leads[33])
    campaign.bulk("verify", {"emails": [lead["email"] for lead in leads]})
    assert service.installation.dispatch(25) == -signal.SIGABRT
    assert service.installation.dispatch(25) == -signal.SIGABRT
    assert service.installation.dispatch(10) == 0
    cure(campaign)
    verified = [campaign.find(email=lead["email"])["verified"] for lead in leads]
    assert [number for number, one in enumerate(verified) if not one] == [33]
    campaign.delivered(39)
    log = (service.installation.folder / "dispatch.log").read_text()
    assert re.search(r" panic file=\S+ line=\d+ what=.*payload.* job=\d+$", log, re.MULTILINE)
    suspect = re.search(r" panic file=\S+ line=\d+ what=.*payload.* job_item=(\d+)/(\d+)$", log, re.MULTILINE)
    assert f" bulk_item_skipped job={suspect[1]} item={suspect[2]} error=crashed " in log
