# SPDX-License-Identifier: MIT
"""docs/mail.md 4: whatever is killed, every mail arrives at least once, and only those under way may arrive twice, with the same
Message-ID. The process that sends mail ends with the dispatcher, and its crash does not affect the dispatcher."""
import collections
import os
import random
import signal

import pytest
from companions import companion, is_running
from mail_server import Planted
from settings import TEST_SETTINGS
from stack.process import wait_until

pytestmark = pytest.mark.long

CONNECTIONS, MAILS, KILLS = 3, 150, 6


@pytest.fixture(scope="module")
def service(make_service, mail_server):
    return make_service(settings=mail_server.settings(connections=CONNECTIONS))


@pytest.fixture
def campaign(service, account):
    """A campaign whose sign-ups cause no mail."""
    return service.campaign(account, mails="")


@pytest.fixture
def dispatcher(service):
    service.dispatcher.start()
    yield service.dispatcher
    service.dispatcher.stop()


def check(mail_server, numbers, kills):
    """Check that every mail arrived, only a few of them twice, and these with the same bytes."""
    arrived = collections.defaultdict(list)
    for mail in mail_server.mails:
        arrived[mail.recipient].append(mail.content)
    assert set(arrived) == set(numbers)
    twice = [contents for contents in arrived.values() if len(contents) > 1]
    assert sum(len(contents) - 1 for contents in twice) <= CONNECTIONS * kills
    assert all(len(set(contents)) == 1 for contents in twice)


@pytest.mark.parametrize("victims", ["mailer", "keeper", "all"])
def test_kills(service, mail_server, campaign, dispatcher, victims):
    chance = random.Random(int(TEST_SETTINGS.get("LEADHOOK_SEED", 1)))
    planted = Planted(service)
    mail_server.clear()
    mail_server.delay = 0.01
    numbers = planted.mails(campaign, campaign.lead(email="ada@example.org"), MAILS)
    for kill in range(KILLS):
        wanted = len(mail_server.mails) + chance.randrange(3, MAILS // KILLS)
        wait_until(lambda: len(mail_server.mails) >= wanted, 30, "mails do not arrive")
        pid = dispatcher.process.pid
        keeper, mailer = companion(dispatcher)
        if victims == "mailer" and kill < 3:  # each pause is twice as long as the last one
            os.kill(mailer, signal.SIGKILL)
            assert is_running(pid)
        else:
            for victim in {"mailer": [pid], "keeper": [pid, keeper], "all": [pid, keeper, mailer]}[victims]:
                os.kill(victim, signal.SIGKILL)
            dispatcher.process.wait(10)
            wait_until(lambda: not is_running(mailer) and not is_running(keeper), 20, "it outlives the dispatcher")
            dispatcher.kill()
            dispatcher.start()
    wait_until(lambda: planted.count("ready") == 0, 60, "mails are left")
    check(mail_server, numbers, KILLS)
    assert planted.count("failed") == 0


@pytest.mark.parametrize("victim", [0, 1], ids=["keeper", "mailer"])
def test_ended_from_outside(service, mail_server, campaign, dispatcher, victim):
    """if the keeper is killed, or the mailer gets SIGTERM, the dispatcher ends, so that the service manager restarts it"""
    mail_server.clear()
    campaign.webhook("new_signup")
    os.kill(companion(dispatcher)[victim], [signal.SIGKILL, signal.SIGTERM][victim])
    assert dispatcher.process.wait(20) == os.EX_UNAVAILABLE
    assert "companion_ended" in dispatcher.log.read_text()
    dispatcher.kill()
    numbers = Planted(service).mails(campaign, campaign.lead(email="ada@example.org"), 3)
    dispatcher.start()
    wait_until(lambda: len(mail_server.mails) == 3, 30, "mails do not arrive")
    check(mail_server, numbers, 0)
    campaign.delivered(1, "new_signup", deadline=5)


def test_a_mail_server_that_hangs_delays_no_webhook(service, mail_server, campaign, dispatcher):
    mail_server.clear()
    mail_server.is_mute = True
    campaign.webhook("new_signup")
    lead = campaign.lead(email="ada@example.org")
    try:
        Planted(service).mails(campaign, lead, 3)
        wait_until(lambda: len(mail_server.mute_transports) > 0, 20, "there is no connection")
        for number in range(5):
            campaign.lead(email=f"{number}@example.org")
        campaign.delivered(6, "new_signup", deadline=5)
        # the mailer still finishes what is under way, and does not hold the dispatcher's lock
        dispatcher.kill()
        dispatcher.start()
        campaign.lead(email="another@example.org")
        campaign.delivered(7, "new_signup", deadline=5)
        keeper, mailer = companion(dispatcher)
        dispatcher.stop()  # what is under way is abandoned within the time that systemd and the tests allow
        assert not is_running(mailer) and not is_running(keeper)
    finally:
        mail_server.is_mute = False
    dispatcher.start()
    planted = Planted(service)
    service.installation.sql("UPDATE lh_message_channels SET failures = 0, held_until_ms = 0")
    wait_until(lambda: planted.count("ready") == 0, 30, "mails are left")
    assert len(mail_server.mails) == 3


def test_a_mail_that_crashes_the_process_is_given_up(service, mail_server, campaign):
    """It is given up after three crashes. Mails that were leased with it are sent, each by itself."""
    planted = Planted(service)
    mail_server.clear()
    numbers = planted.mails(campaign, campaign.lead(email="ada@example.org"), 4)
    deadly, *others = sorted(numbers.values())
    service.installation.sql(f"UPDATE lh_messages SET lease_owner = REPEAT('o', 16), crashes = IF(id = {deadly}, 2, 1)"
                             f" WHERE id >= {deadly}")
    service.dispatch()
    assert planted.row(deadly, "state", "reason") == {"state": "failed", "reason": "crashed"}
    assert [planted.row(number, "state", "crashes") for number in others] == [{"state": "sent", "crashes": "0"}] * 3
    assert len(mail_server.mails) == 3 and mail_server.most_open == 1


def test_a_run_from_cron_sends_what_is_due_and_ends(service, mail_server, campaign):
    planted = Planted(service)
    mail_server.clear()
    mail_server.delay = 0.02
    lead = campaign.lead(email="ada@example.org")
    numbers = planted.mails(campaign, lead, 40)
    service.dispatch(max_runtime=30)
    assert {mail.recipient for mail in mail_server.mails} == set(numbers) and planted.count("ready") == 0
    planted.mails(campaign, lead, 200)
    service.dispatch(max_runtime=2)
    left = planted.count("ready")
    assert 0 < left < 200
    assert service.installation.sql("SELECT COUNT(*) FROM lh_messages WHERE lease_owner IS NOT NULL").strip() == "0"
    mail_server.delay = 0
    service.dispatch(max_runtime=30)
    assert planted.count("ready") == 0 and len({mail.recipient for mail in mail_server.mails}) == 240
    assert len(mail_server.mails) == 240
