# SPDX-License-Identifier: MIT
"""docs/mail.md 4 and 5: each way in which a mail server can answer or fail."""
import pytest
from mail_server import Planted
from stack.process import wait_until

CONNECTIONS = 2
MAIL = [("mail", "schedule", "1s"), ("mail", "connections", CONNECTIONS)]


@pytest.fixture(scope="module")
def service(make_service, mail_server):
    made = make_service(settings=mail_server.settings() + MAIL)
    made.dispatcher.start()
    return made


@pytest.fixture
def campaign(service, account):
    """A campaign whose sign-ups cause no mail."""
    return service.campaign(account, mails="")


@pytest.fixture
def planted(service, mail_server):
    mail_server.clear()
    return Planted(service)


def ends(planted, number, state, seconds=20):
    wait_until(lambda: planted.state(number) not in ("requested", "ready"), seconds, f"{number} has not ended")
    assert planted.state(number) == state, planted.row(number, "state", "reason", "last_answer")
    return planted.row(number, "attempts", "last_status", "last_answer", "reason")


def bounced(service, lead):
    return service.installation.sql(f"SELECT bounced FROM lh_leads WHERE social_id = '{lead['social_id']}'").strip() == "1"


def test_a_mail_arrives_byte_for_byte(planted, mail_server, campaign):
    number = planted.mail(campaign, "ada@example.org")
    row = ends(planted, number, "sent")
    (mail,) = mail_server.mails
    assert (mail.sender, mail.recipient) == ("sender@example.org", "ada@example.org")
    assert mail.content == (f"From: sender@example.org\r\nMessage-ID: <{number}@example.org>\r\nSubject: Test\r\n\r\n"
                            f"Mail {number}\r\n.\r\n..\r\nend\r\n").encode()
    assert row == {"attempts": "1", "last_status": "250", "last_answer": "250 2.0.0 stored", "reason": "0"}


@pytest.mark.parametrize("local, reason, flagged", [
    ("absent", "no_such_person", True), ("absent-old", "no_such_person", True), ("disabled", "no_such_person", True),
    ("large", "too_large", False)])
def test_a_refusal_ends_it(planted, service, campaign, local, reason, flagged):
    lead = campaign.lead(email=f"{local}@example.org")
    number = planted.mail(campaign, f"{local}@example.org", lead=lead)
    row = ends(planted, number, "failed")
    assert (row["attempts"], row["reason"]) == ("1", reason)
    assert row["last_status"] in ("550", "552")
    assert bounced(service, lead) == flagged


@pytest.mark.parametrize("local", ["policy", "policy-old", "busy"])
def test_other_refusals_are_tried_again(planted, service, mail_server, campaign, local):
    lead = campaign.lead(email=f"{local}@example.org")
    number = planted.mail(campaign, f"{local}@example.org", lead=lead)
    wait_until(lambda: mail_server.tries[f"{local}@example.org"] >= 2, 20, "it is not tried again")
    assert planted.state(number) == "ready" and not bounced(service, lead)
    service.installation.sql("DELETE FROM lh_messages")


def test_a_bounced_address_gets_no_mail_until_it_is_confirmed(planted, service, mail_server, campaign):
    lead = campaign.lead(email="absent@example.org")
    ends(planted, planted.mail(campaign, "absent@example.org", lead=lead), "failed")
    row = ends(planted, planted.mail(campaign, "absent@example.org", kind=0, lead=lead), "dropped")
    assert row["reason"] == "bounced" and mail_server.tries["absent@example.org"] == 1
    campaign.bulk("verify", {"email": "absent@example.org"})
    wait_until(lambda: not bounced(service, lead), 10, "the address is bounced")


def test_greylisting(planted, mail_server, campaign):
    row = ends(planted, planted.mail(campaign, "grey1@example.org"), "sent")
    assert row["attempts"] == "2" and len(mail_server.mails) == 1


@pytest.mark.parametrize("kind", ["before", "after"])
def test_a_connection_that_is_lost_after_the_end_of_the_mail(planted, mail_server, campaign, kind):
    """The mail is sent at least once, always with the same Message-ID."""
    address = f"lost-{kind}@example.org"
    row = ends(planted, planted.mail(campaign, address), "sent")
    assert row["attempts"] == "2"
    assert len(mail_server.to(address)) == (1 if kind == "before" else 2)
    assert len({mail.message_id for mail in mail_server.to(address)}) == 1


def test_a_stop_while_the_answer_to_the_mail_is_awaited(make_service, mail_server):
    """The server may have the mail, so the attempt counts and the next one waits: otherwise the mail would be sent in each run from
    cron."""
    service = make_service(settings=mail_server.settings())
    planted = Planted(service)
    number = planted.mail(service.campaign(service.account(), mails=""), "mute-after@example.org")
    service.dispatch(max_runtime=1)
    assert planted.row(number, "state", "attempts", "reason") == {"state": "ready", "attempts": "1", "reason": "connection_lost"}
    assert len(mail_server.to("mute-after@example.org")) == 1
    service.dispatch(max_runtime=1)
    assert len(mail_server.to("mute-after@example.org")) == 1


def test_connections_are_closed(planted, mail_server, campaign):
    """There are no more than `mail.connections` at a time, even if mails need new connections; all are closed a second after the
    last mail."""
    numbers = [planted.mail(campaign, f"{'jürgen' if number % 2 else 'ada'}{number}@example.org") for number in range(8)]
    for number in numbers:
        ends(planted, number, "sent")
    assert 0 < mail_server.most_open <= CONNECTIONS
    wait_until(lambda: not mail_server.opened, 10, "a connection is left open")
    assert b"QUIT\r\n" in mail_server.bytes


def test_smtputf8_is_used_where_it_is_offered(planted, mail_server, campaign):
    ends(planted, planted.mail(campaign, "jürgen@example.org"), "sent")
    (mail,) = mail_server.mails
    assert "SMTPUTF8" in mail.options and mail.recipient == "jürgen@example.org"


def test_nothing_is_sent_where_it_is_needed_and_not_offered(planted, mail_server, campaign):
    mail_server.utf8 = False
    try:
        row = ends(planted, planted.mail(campaign, "jürgen@example.org"), "failed")
        assert row["reason"] == "no_smtputf8" and b"EHLO" in mail_server.bytes and b"MAIL" not in mail_server.bytes
        ends(planted, planted.mail(campaign, "ada@example.org"), "sent")
    finally:
        mail_server.utf8 = True


def test_mail_waits_while_the_server_is_away(planted, service, mail_server, campaign):
    """docs/mail.md 5: no attempt is counted, and webhooks are not delayed."""
    campaign.webhook("new_signup")
    mail_server.refuse()
    try:
        number = planted.mail(campaign, "ada@example.org")
        wait_until(lambda: planted.row(number, "reason")["reason"] == "cannot_connect", 20, "mail is not held")
        campaign.lead(email="other@example.org")
        campaign.delivered(2, "new_signup", deadline=5)
    finally:
        mail_server.listen()
    row = ends(planted, number, "sent", 40)
    assert row["attempts"] == "1"


def test_a_sender_that_is_refused_holds_all_mail(planted, mail_server, campaign):
    mail_server.sender_answer = "553 5.7.1 not your address"
    try:
        number = planted.mail(campaign, "ada@example.org")
        wait_until(lambda: planted.row(number, "reason")["reason"] == "sender_refused", 20, "mail is not held")
    finally:
        mail_server.sender_answer = None
    assert ends(planted, number, "sent", 40)["attempts"] == "1"


@pytest.mark.parametrize("content", ["Subject: a line without CR\n", "Subject: 8 bit\r\n\r\nf\u00fcr\r\n"])
def test_bytes_that_no_server_may_get(planted, mail_server, campaign, content):
    """docs/mail.md 4, Bytes. The server offers SMTPUTF8, but no address needs it."""
    row = ends(planted, planted.mail(campaign, "ada@example.org", content=content), "failed")
    assert (row["reason"], row["attempts"], mail_server.mails) == ("bad_content", "0", [])


@pytest.mark.parametrize("kind", [0, 1])
def test_a_burst_delays_no_confirmation_of_another_campaign(planted, service, mail_server, campaign, account, kind):
    """Campaigns take turns, so even a burst of confirmations delays no other campaign."""
    other = service.campaign(account, verify_email="on")
    lead = campaign.lead(email="ada@example.org")
    mail_server.delay = 0.03
    try:
        planted.mails(campaign, lead, 300, kind)
        wait_until(lambda: len(mail_server.mails) > 3, 10, "mails do not arrive")
        other.lead(email="bob@example.org")
        begun = len(mail_server.mails)
        wait_until(lambda: mail_server.to("bob@example.org"), 10, "the confirmation does not arrive")
        assert [mail.recipient for mail in mail_server.mails].index("bob@example.org") - begun < 10
    finally:
        mail_server.delay = 0
        service.installation.sql("DELETE FROM lh_messages")
