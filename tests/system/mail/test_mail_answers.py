# SPDX-License-Identifier: MIT
"""docs/mail.md 5: answers of mail servers in real sessions: whether mails are held, tried again or fail, and what counts against
the person."""
import itertools
import json
import re

import pytest
from caller import Caller
from command import DATA, call
from mail_server import Planted
from stack.process import wait_until
from tree import SOURCE

FROM = "sender@example.org"
numbers = itertools.count(1)


def answers():
    """Return [(command, verdict, reason, lines)] of the table of the unit test."""
    found = []
    for block in (SOURCE / "tests/deliver/mail/answers.txt").read_text().split("\n\n"):
        lines = [line for line in block.splitlines() if line and not line.startswith("#")]
        if lines:
            found.append((*lines[0].split()[:3], [line.encode("ascii", "replace").decode() for line in lines[1:]]))
    return found


# One of each command, verdict and reason.
CHOSEN = list({row[:3]: row for row in answers() if row[0] in ("RCPT", "DATAEND", "SENDER")}.values())


@pytest.fixture(scope="module")
def service(make_service, mail_server):
    made = make_service(settings=mail_server.settings(schedule="1s"))
    made.dispatcher.start()
    return made


@pytest.fixture(autouse=True)
def all_is_taken(service, mail_server):
    mail_server.answers, mail_server.sender_answer = {}, None
    mail_server.clear()
    service.installation.sql("DELETE FROM lh_messages; UPDATE lh_message_channels SET failures = 0, held_until_ms = 0,"
                             " held_since_ms = NULL, reason = NULL, answer = NULL")


@pytest.fixture
def campaign(service, account):
    return service.campaign(account, verify_email="on", mails="", pages="on")


@pytest.fixture
def planted(service):
    return Planted(service)


def name():
    return f"nora{next(numbers)}@example.org"


def sign_up(campaign, address):
    assert campaign.post({"email": address}, key=None).status == 200


def bounced(service, address):
    return service.installation.sql(f"SELECT bounced FROM lh_leads WHERE email = '{address}'").strip() == "1"


def answer(lines, recipient):
    local = recipient.split("@")[0]
    return "\r\n".join(line.replace("{to}", recipient).replace("{local}", local).replace("{from}", FROM) for line in lines)


def arrived(mail_server, address, seconds=40):
    wait_until(lambda: mail_server.to(address), seconds, f"no mail to {address}")


@pytest.mark.parametrize("command, verdict, reason, lines", CHOSEN, ids=lambda value: value if isinstance(value, str) else "")
def test_each_answer(service, mail_server, account, planted, command, verdict, reason, lines):
    campaign, address = service.campaign(account, mails=""), name()
    if command == "SENDER":
        mail_server.sender_answer = answer(lines, address)
    else:
        mail_server.answers[address] = (command, answer(lines, address))
    number = planted.mail(campaign, address)
    row = wait_until(lambda: (found := planted.row(number, "state", "reason"))["reason"] != "0" and found, 20, "nothing is recorded")
    assert (row["state"], row["reason"]) == ("failed" if verdict in ("person", "failed") else "ready", reason)
    assert bounced(service, address) == (verdict == "person")
    held = service.installation.sql("SELECT reason FROM lh_message_channels WHERE channel = 'mail'").strip()
    assert held == (reason if verdict == "hold" else "NULL")
    # the mail arrives when the server accepts it
    mail_server.answers, mail_server.sender_answer = {}, None
    if verdict in ("hold", "retry"):
        arrived(mail_server, address)


HELO = ("RCPT", "504 5.5.2 <vps17>: Helo command rejected: need fully-qualified hostname")


@pytest.mark.parametrize("refusal", [
    HELO, ("RCPT", "554 5.7.1 <{to}>: Relay access denied"), ("RCPT", "550 5.4.5 Daily user sending quota exceeded"),
    ("DATAEND", "552 Message would take you over your relay quota"),
    ("RCPT", "550-Verification failed for <{from}>\r\n550-No Such User Here\r\n550 Sender verify failed"),
    ("RCPT", "550 5.7.1 Unfortunately, messages from [192.0.2.9] weren't sent, part of their network is on our block list (S3140).")])
def test_a_person_gets_the_mail_once_the_fault_is_repaired(service, mail_server, campaign, refusal):
    """docs/mail.md 5: the mail is sent even without another sign-up; a second sign-up does not cause a second mail."""
    address = name()
    mail_server.answers[None] = (refusal[0], refusal[1].replace("{to}", address).replace("{from}", FROM))
    sign_up(campaign, address)
    wait_until(lambda: mail_server.tries[address], 20, "the server is not tried")
    mail_server.answers = {}
    sign_up(campaign, address)
    arrived(mail_server, address)
    assert not bounced(service, address)
    pending = "SELECT COUNT(*) FROM lh_messages WHERE turn IS NOT NULL"
    wait_until(lambda: service.installation.sql(pending).strip() == "0", 20, "a mail waits")
    assert len(mail_server.to(address)) == 1


def test_a_request_brings_the_waiting_mail_forward(make_service, mail_server):
    service = make_service(settings=mail_server.settings(schedule="1h"))
    service.dispatcher.start()
    campaign, address = service.campaign(service.account(), verify_email="on", pages="on"), name()
    mail_server.answers[address] = ("RCPT", "450 4.3.0 busy")
    sign_up(campaign, address)
    wait_until(lambda: service.installation.sql("SELECT reason FROM lh_messages").strip() == "refused_for_now", 20, "it is not refused")
    mail_server.answers = {}
    sign_up(campaign, address)
    arrived(mail_server, address, 20)


def test_failed_mails_do_not_count(service, mail_server, campaign):
    """docs/mail.md 6: failed mails count neither towards the limits of the lead nor towards those of the address."""
    address = name()
    mail_server.answers[address] = ("DATAEND", "554 5.6.0 content")
    failed = "SELECT COUNT(*) FROM lh_messages WHERE state = 'failed'"
    for count in range(1, 8):
        sign_up(campaign, address)
        wait_until(lambda count=count: service.installation.sql(failed).strip() == str(count), 20, "it has not failed")
    mail_server.answers = {}
    sign_up(campaign, address)
    arrived(mail_server, address, 10)


def test_one_recipient_does_not_stop_the_others(service, mail_server, campaign, planted):
    """docs/mail.md 5: an answer that sounds like a fault of our own server holds other mails for seconds only, no matter how often
    it is repeated."""
    group, others = name(), [name() for _ in range(3)]
    mail_server.answers[group] = ("RCPT", "550 relaying denied")
    planted.mail(campaign, group)
    for address in others:
        wait_until(lambda: mail_server.tries[group] > others.index(address), 30, "it is not tried again")
        planted.mail(campaign, address)
        arrived(mail_server, address, 20)
    assert service.installation.admin("status")["mail_held_by"] in (None, "relaying_refused")


def test_two_confirmations_to_a_mailbox(service, mail_server, campaign):
    """docs/mail.md 6: the second mail waits for a minute, and shows the reason."""
    sign_up(campaign, "team+a@example.org")
    arrived(mail_server, "team+a@example.org")
    for tag in ("b", "c"):
        sign_up(campaign, f"team+{tag}@example.org")

    def waiting():
        return [mail for mail in service.installation.admin("mail", "list", "--campaign", str(campaign.id)) if mail["state"] == "requested"]
    wait_until(lambda: [mail["reason"] for mail in waiting()] == ["minute_limit"] * 2, 10, "they do not wait")
    assert all(mail["due_at"] for mail in waiting())
    for count in (2, 3):
        service.installation.sql("UPDATE lh_messages SET composed_ms = composed_ms - 60000, due_ms = due_ms - 60000")
        wait_until(lambda count=count: len(mail_server.mails) == count, 20, "it does not arrive")


def test_a_mail_has_a_life(make_service, mail_server):
    """docs/mail.md 5: after mail.give_up a mail fails, which is not held against the person."""
    service = make_service(settings=mail_server.settings(schedule="1s", retry_confirmation="2s", retry="2s"))
    service.dispatcher.start()
    campaign, address = service.campaign(service.account(), verify_email="on", pages="on"), name()
    mail_server.answers[None] = ("RCPT", "550 5.7.1 refused by policy")
    sign_up(campaign, address)
    ended = "SELECT CONCAT(state, ' ', reason) FROM lh_messages"
    wait_until(lambda: service.installation.sql(ended).strip() == "failed gave_up", 30, "it has not ended")
    assert not bounced(service, address) and mail_server.tries[address] >= 2


def mark(service, mail_server, campaign, address):
    mail_server.answers[address] = ("RCPT", "550 5.1.1 user unknown")
    sign_up(campaign, address)
    wait_until(lambda: bounced(service, address), 20, "it is not marked")
    mail_server.answers = {}
    service.installation.sql("DELETE FROM lh_messages")


def test_the_mark_is_ended_by_command(service, mail_server, campaign, leadhook, refused):
    """docs/mail.md 5, Bounced: only a mail server sets the mark; once it is removed, the person gets mail again"""
    address = name()
    mark(service, mail_server, campaign, address)
    for value in ("yes", "", "maybe"):
        assert "bounced" in refused(DATA, "lead", "set", str(campaign.id), "--email", address, f"bounced={value}")
    assert bounced(service, address)
    leadhook("lead", "set", campaign.id, "--email", address, "bounced=no")
    assert not bounced(service, address) and leadhook("lead", "show", campaign.id, "--email", address)["bounced"] is False
    assert leadhook("audit", "list", "--campaign", campaign.id)[0]["operation"] == "lead set"
    sign_up(campaign, address)
    arrived(mail_server, address)


def test_the_mark_is_ended_by_a_call(service, mail_server, campaign):
    """The mark is removed by a call, as by the dashboard"""
    address = name()
    mark(service, mail_server, campaign, address)
    lead = campaign.find(email=address)
    done = Caller(service, campaign.account.manager)("PATCH", f"campaigns/{campaign.id}/leads/{lead['social_id']}", {"bounced": "no"})
    assert done.status == 200, done.json
    assert not bounced(service, address)


@pytest.mark.parametrize("ends", ["another address", "verified"])
def test_what_ends_the_mark_by_itself(service, mail_server, campaign, ends):
    address, other = name(), name()
    mark(service, mail_server, campaign, address)
    if ends == "verified":
        campaign.bulk("verify", {"email": address})
    else:
        lead = campaign.find(email=address)
        campaign.post({"social_id": lead["social_id"], "must_exist": True, "email": other})
    wait_until(lambda: service.installation.sql(f"SELECT SUM(bounced) FROM lh_leads WHERE campaign_id = {campaign.id}").strip() == "0", 10,
               "the mark is there")


def test_the_operator_sees_why(service, mail_server, campaign, planted, account):
    """docs/mail.md 5, Reported: status, doctor, dashboard and metrics report a hold, and refusals for a single recipient, without
    the address"""
    address = name()
    status = service.installation.admin
    service.installation.sql("UPDATE lh_message_channels SET refused_ms = NULL")
    assert status("status")["mail_refused_at"] is None
    mail_server.answers[address] = ("RCPT", f"550 5.7.606 <{address}> Access denied, banned sending IP [192.0.2.9]")
    planted.mail(campaign, address)
    seen = wait_until(lambda: (found := status("status"))["mail_refused_by"] == "policy" and not found["mail_held_since"] and found, 20,
                      "it is not reported, or held")
    assert seen["mail_refused_answer"] == "550 5.7.606 <(recipient)> Access denied, banned sending IP [192.0.2.9]"
    assert "block list" in seen["mail_refused_hint"]
    mail_server.answers = {None: HELO}
    planted.mail(campaign, name())
    held = wait_until(lambda: (found := status("status"))["mail_held_since"] and found, 20, "it is not held")
    assert held["mail_held_by"] == "helo_refused" and "mail.helo" in held["mail_hint"]
    faults = {row["what"]: row for row in json.loads(call(service.installation, "doctor", "--json").stdout)["findings"]}
    assert "504 5.5.2 <vps17>" in faults["mail_held"]["detail"] and "mail.helo" in faults["mail_held"]["detail"]
    metrics = call(service.installation, "metrics").stdout
    for reason in ("policy", "helo_refused"):
        assert re.search(rf'leadhook_mail_refusals_total{{reason="{reason}"}} [1-9]', metrics), reason
    shown = Caller(service, account.manager)("GET", "installation").json
    assert shown["mail_held_since"] and shown["mail_refused_at"]
    log = "".join(path.read_text() for path in service.installation.folder.glob("*.log"))
    assert " mail_refused reason=" in log and address not in log  # it is logged at most once a minute
