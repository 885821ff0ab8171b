# SPDX-License-Identifier: MIT
"""docs/operating.md 11: an upgrade of programs and tables from one version to the next, while people sign up.

It is from this build to the next version (tests/next), or, for a release, from the build of an earlier version (LEADHOOK_PREVIOUS)
to this one.
"""
import pytest
from load import Load
from service import COMMITTER, WORKERS, Service
from settings import TEST_SETTINGS
from tree import BUILD

PREVIOUS = TEST_SETTINGS.get("LEADHOOK_PREVIOUS")
LEADS = int(TEST_SETTINGS.get("LEADHOOK_LEADS", 100_000 if PREVIOUS else 1000))
ENOUGH = 200  # answers in each phase
FILLED_WITHIN = 900  # seconds


@pytest.fixture(scope="module")
def service(make_folder, own_database):
    made = Service(make_folder(), PREVIOUS or BUILD, own_database)
    yield made.start()
    made.stop()


def restart(service):
    """Restarts the programs as a service manager does after `make install`."""
    service.responders.stop()
    service.responders = service.installation.responders(WORKERS, committer=COMMITTER)
    service.responders.start()
    service.wait_ready()


def test_upgrade_under_load(request, service, campaign):
    """the old programs work with the new tables; sign-ups are refused only during the restart; no lead or event is lost"""
    newer = BUILD if PREVIOUS else request.getfixturevalue("next_programs")
    with Load(campaign) as filling:
        filling.wait_for(LEADS, FILLED_WITHIN)
    assert set(filling.answers.values()) == {200}
    before = len(filling.answers)
    hook = campaign.webhook("new_signup")
    with Load(campaign, first=before) as load:
        load.wait_for(ENOUGH)
        service.installation.build = newer
        applied = service.installation.admin("upgrade")
        assert applied["applied"] and applied["to"] > applied["from"]
        load.wait_for(ENOUGH)
        assert service.client.healthy() and set(load.answers.values()) == {200}, "the old programs use the new tables"
        restart(service)
        restarted = len(load.sent)
        load.wait_for(ENOUGH)
    answers = load.answers
    assert {answers[email] for email in load.sent[restarted:]} == {200}, "after the restart"
    load.repeat_refused()
    assert campaign.stats()["total"] == before + len(answers)
    service.dispatcher = service.installation.dispatcher()
    service.dispatcher.start()
    got = campaign.delivered(len(answers), deadline=60)
    assert {one.json["email"] for one in got if one.verified} == set(answers)
    assert service.deliveries(hook) and service.installation.admin("check", "--deep")["ok"]
