# SPDX-License-Identifier: MIT
"""docs/mail.md 4 and 5 with a real mail server: a private Postfix with TLS and a login."""
import pytest
from certificates import Authority
from mail_server import Planted
from postfix import Postfix, is_installed
from stack.process import wait_until

pytestmark = pytest.mark.skipif(not is_installed(), reason="needs root, postfix and sasl2-bin; scripts/check installs them")


@pytest.fixture(scope="module")
def authority(make_folder):
    return Authority(make_folder(), "Mail CA")


@pytest.fixture(scope="module")
def postfix(make_folder, authority):
    made = Postfix(make_folder(), authority.issue("mail"), ["ada@example.org", "bob@example.org"])
    made.start()
    yield made
    made.stop()


@pytest.fixture(scope="module")
def service(make_service, postfix, authority):
    made = make_service(settings=postfix.settings(authority))
    made.dispatcher.start()
    return made


@pytest.fixture
def campaign(service, account):
    """A campaign whose sign-ups cause no mail."""
    return service.campaign(account, mails="")


def test_mails_arrive_in_mailboxes(service, postfix, account):
    campaign = service.campaign(account, verify_email="on", mails="")
    campaign.lead(email="ada@example.org")
    (mail,) = wait_until(lambda: postfix.mails("ada@example.org"), 20, "no mail has arrived")
    assert b"with ESMTPSA" in mail and b"/confirm/" in mail and b"\r" not in mail
    (row,) = service.installation.admin("mail", "list", "--campaign", str(campaign.id))
    assert row["state"] == "sent" and row["status"] == 250


def test_an_unknown_person(service, campaign):
    lead = campaign.lead(email="absent@example.org")
    planted = Planted(service)
    number = planted.mail(campaign, "absent@example.org", lead=lead)
    wait_until(lambda: planted.state(number) == "failed", 20, "it has not failed")
    row = planted.row(number, "reason", "last_status", "last_answer")
    assert (row["reason"], row["last_status"]) == ("no_such_person", "550") and "5.1.1" in row["last_answer"]
    assert service.installation.sql(f"SELECT bounced FROM lh_leads WHERE social_id = '{lead['social_id']}'").strip() == "1"


def test_many_on_few_connections(service, postfix, campaign):
    planted = Planted(service)
    before = postfix.log().count(": connect from")
    numbers = planted.mails(campaign, campaign.lead(email="bob@example.org"), 120)
    service.installation.sql(f"UPDATE lh_messages SET recipient = 'bob@example.org' WHERE id IN ({','.join(map(str, numbers.values()))})")
    wait_until(lambda: planted.count("ready") == 0, 60, "mails are left")
    wait_until(lambda: len(postfix.mails("bob@example.org")) >= 120, 30, "mails have not arrived")
    assert postfix.log().count(": connect from") - before < 30
