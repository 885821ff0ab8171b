# SPDX-License-Identifier: MIT
"""docs/mail.md 4: TLS and login. A fault of the server or of our settings holds all mail; no attempt is counted,
and nothing is sent in clear text. `leadhook mail test` reports the fault."""
import json
import subprocess

import pytest
from certificates import EXPIRED, Authority
from command import call
from mail_server import MailServer, Planted
from stack.process import wait_until

OK, UNAVAILABLE, CONFIG = 0, 69, 78


@pytest.fixture(scope="module")
def authority(make_folder):
    return Authority(make_folder(), "Mail CA")


@pytest.fixture(scope="module")
def starttls(authority):
    made = MailServer("required", authority.issue("mail"), login=True)
    yield made
    made.close()


@pytest.fixture(scope="module")
def implicit(authority):
    made = MailServer("implicit", authority.issue("mail"), login=True)
    yield made
    made.close()


@pytest.fixture(scope="module")
def plain():
    made = MailServer("none")
    yield made
    made.close()


@pytest.fixture(scope="module")
def service(make_service, starttls, authority):
    return make_service(settings=starttls.settings(authority))


@pytest.fixture
def campaign(service, account):
    """A campaign whose sign-ups cause no mail."""
    return service.campaign(account, mails="")


@pytest.fixture
def try_mail(service):
    """Runs `leadhook mail test` with these mail settings."""
    before = service.installation.text()

    def run(settings):
        service.installation.configure(settings)
        done = call(service.installation, "mail", "test", "ada@example.org", "--json")
        return done.returncode, json.loads(done.stdout) if done.stdout else done.stderr
    yield run
    service.installation.put_back(before)


@pytest.mark.parametrize("kind", ["starttls", "implicit"])
def test_mails_go_encrypted_and_with_a_login(request, try_mail, authority, kind):
    server = request.getfixturevalue(kind)
    server.clear()
    status, answer = try_mail(server.settings(authority))
    assert (status, answer["ok"], answer["status"], answer["answer"]) == (OK, True, 250, "250 2.0.0 stored")
    (mail,) = server.mails
    assert mail.encrypted and mail.user and mail.recipient == "ada@example.org"
    assert b"\r\n\r\nThe settings of leadhook.conf for mail work.\r\n" in mail.content


def test_a_wrong_password(try_mail, starttls, authority):
    starttls.password = "another"
    try:
        status, answer = try_mail(starttls.settings(authority))
    finally:
        starttls.password = "a-password-of-the-tests"
    assert (status, answer["ok"], answer["reason"], answer["status"]) == (UNAVAILABLE, False, "login_refused", 535)
    assert "mail.password" in answer["hint"] and "a-password-of-the-tests" not in json.dumps(answer)


@pytest.mark.parametrize("fault", ["unknown authority", "other name", "expired", "not offered", "reset"])
def test_no_mail_without_tls(request, try_mail, make_folder, authority, starttls, plain, fault):
    server, ca = starttls, authority
    if fault == "unknown authority":
        ca = Authority(make_folder(), "Another CA")
    elif fault == "not offered":
        server = plain
        plain.clear()
    elif fault == "reset":
        server.resets = True
    elif fault == "other name":
        server = MailServer("required", authority.issue("mail", "DNS:mail.example.org"))
    elif fault == "expired":
        server = MailServer("required", authority.issue("mail", when=EXPIRED))
    try:
        server.clear()
        status, answer = try_mail(server.settings(ca, tls="required"))
    finally:
        starttls.resets = False
        if server not in (starttls, plain):
            server.close()
    assert (status, answer["ok"], answer["reason"]) == (UNAVAILABLE, False, "tls_failed"), answer
    assert answer["error"] and "mail.tls_ca" in answer["hint"]
    assert server.mails == [] and not server.tries


def test_wrong_tls_modes_do_not_hang(try_mail, starttls, implicit, authority):
    assert try_mail(starttls.settings(authority, tls="implicit"))[1]["reason"] == "tls_failed"


@pytest.mark.slow
def test_a_server_that_says_nothing(try_mail, plain):
    plain.is_mute = True
    try:
        status, answer = try_mail(plain.settings())
    finally:
        plain.is_mute = False
    assert (status, answer["reason"]) == (UNAVAILABLE, "cannot_connect")
    assert 29000 < answer["duration_ms"] < 45000


def test_a_refused_address(try_mail, service, plain):
    service.installation.configure(plain.settings())
    done = call(service.installation, "mail", "test", "absent@example.org", "--json")
    assert done.returncode == UNAVAILABLE
    assert json.loads(done.stdout)["answer"] == "550 5.1.1 <absent@example.org>: user unknown"


def test_clear_text_goes_to_this_host_only(service):
    for host, good in (("127.0.0.1", True), ("localhost", True), ("::1", True), ("mail.example.org", False), ("192.0.2.1", False),
                       ("127.example.org", False)):
        path = service.installation.folder / "other.conf"
        path.touch(0o600)
        path.write_text(f"[server]\nbase_url = https://leads.example.org\n[mail]\nhost = {host}\nfrom = a@example.org\ntls = none\n")
        done = subprocess.run([service.installation.program("leadhook"), "--config", path, "--check-config"], capture_output=True, text=True,
                              check=False)
        assert (done.returncode == OK) == good, done.stderr
        assert good or "mail.tls: is none, but mail.host is not this host" in done.stderr


def test_a_held_queue_goes_on(service, starttls, authority, campaign):
    """A wrong password holds all mail and is shown; after the correction, mail is sent again, and no attempt is lost."""
    planted = Planted(service)
    service.installation.sql("UPDATE lh_message_channels SET failures = 0, held_until_ms = 0")
    service.installation.configure(starttls.settings(authority))
    starttls.password = "another"
    starttls.clear()
    service.dispatcher.start()
    try:
        numbers = [planted.mail(campaign, f"{n}@example.org") for n in range(3)]
        wait_until(lambda: service.installation.admin("status")["mail_held_by"] == "login_refused", 20, "the queue is not held")
        status = service.installation.admin("status")
        assert status["mails_pending"] == 3 and status["mail_server_answer"].startswith("535")
        tries = starttls.connections
        starttls.password = "a-password-of-the-tests"
        assert call(service.installation, "mail", "test", "ada@example.org").returncode == OK
        wait_until(lambda: all(planted.state(number) == "sent" for number in numbers), 5, "mail is not resumed")
    finally:
        starttls.password = "a-password-of-the-tests"
        service.dispatcher.stop()
    assert tries <= 6  # two tries at once, then one after each pause
    assert all(planted.row(number, "attempts")["attempts"] == "1" for number in numbers)
    assert service.installation.admin("status")["mail_held_by"] is None
    shown = service.installation.admin("mail", "show", str(numbers[0]), "--content")
    assert (shown["state"], shown["attempts"], shown["answer"]) == ("sent", 1, "250 2.0.0 stored")
    assert shown["content"].startswith("From: sender@example.org")
    assert [mail["id"] for mail in service.installation.admin("mail", "list", "--state", "sent", "--campaign", str(campaign.id))] == \
        numbers[::-1]
    log = (service.installation.folder / "dispatch.log").read_text()
    assert "mail_held reason=login_refused status=535" in log and "a-password" not in log
