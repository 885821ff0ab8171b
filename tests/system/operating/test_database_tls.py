# SPDX-License-Identifier: MIT
"""leadhook.conf(5), tls: which database servers the programs trust, and what they never send to other servers."""
import concurrent.futures
import getpass
import json
import os
import signal
import ssl
import subprocess

import pytest
from caller import Caller
from certificates import Authority
from command import CONFIG, OK, UNAVAILABLE, call
from failing_database import connections, held, stopped
from processes import children
from rogue_database import NATIVE, RogueDatabase
from service import COMMITTER
from sql import Database
from stack.front import free_port
from stack.process import wait_until

PASSWORD = "correct horse battery staple"
ADDRESS = "127.0.0.1"
# The resolver returns 127.0.0.1 for it. The programs treat it as another host's name.
OTHER_HOST = "127.1"
PROGRAMS = {"leadhook": ["status"], "leadhook-dispatch": ["--max-runtime", "2"], "leadhook-fcgi": ["--workers", "1"]}
NOT_ALLOWED, NO_TLS = "not allowed", "SSL is required, but the server does not support it"


@pytest.fixture
def rogue():
    """Makes rogue databases; all end with the test."""
    started = []

    def make(*options, **more):
        started.append(RogueDatabase(*options, **more))
        return started[-1]
    yield make
    for made in started:
        made.close()


@pytest.fixture(scope="module")
def authority(make_folder):
    return Authority(make_folder(), "ours")


@pytest.fixture(scope="module")
def stranger(make_folder):
    return Authority(make_folder(), "stranger")


def context(certificate):
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    made.load_cert_chain(certificate.certificate, certificate.key)
    return made


def of_database(**settings):
    """Settings of [database] as variables, which override the installation's file."""
    return {f"LEADHOOK_DATABASE_{name.upper()}": str(value) for name, value in settings.items()}


def connecting(server, host=ADDRESS, **settings):
    return of_database(host=host, port=server.port, password=PASSWORD, **settings)


def run(installation, program, env, tmp_path):
    """Runs the program until it ends, or until the responders have logged the error; returns the log."""
    if program != "leadhook-fcgi":
        done = call(installation, *PROGRAMS[program], program=program, env=env)
        # A run from cron ends with an error that needs the operator.
        assert done.returncode == (UNAVAILABLE if program == "leadhook" else CONFIG)
        return done.stderr
    log = tmp_path / "fcgi.log"
    words = [installation.program(program), "--config", installation.config, "--listen", tmp_path / "fcgi.sock", *PROGRAMS[program]]
    with open(log, "wb") as file, subprocess.Popen(words, env={**os.environ, **env}, stdin=subprocess.DEVNULL, stdout=file,
                                                   stderr=file) as process:
        try:
            wait_until(lambda: "database_error" in log.read_text(), 20, "database_error in the log")
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(20)
    return log.read_text()


def sent_to(server):
    """Everything that clients have sent, once one has disconnected."""
    wait_until(lambda: server.received, 20, "a client of the rogue database")
    return b"".join(packet for client in server.received for packet in client)


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("first, then", [
    ("mysql_clear_password", None), (NATIVE, "mysql_clear_password"), ("dialog", None), (NATIVE, "dialog"),
    (NATIVE, "mysql_old_password"), (NATIVE, "sha256_password"), (NATIVE, "caching_sha2_password")])
def test_no_plugin_gets_the_password(service, rogue, tmp_path, program, first, then):
    """whichever plugin the server requests, in its greeting or later; the log has a hint"""
    server = rogue(first, then)
    log = run(service.installation, program, connecting(server), tmp_path)
    sent = sent_to(server)
    assert PASSWORD.encode() not in sent
    # As a control: a server that requests an allowed plugin gets an answer.
    assert (service.installation.name.encode() in sent) == (first == NATIVE)
    assert " error " in log and "number=5010" in log and NOT_ALLOWED in log and "ed25519" in log
    assert PASSWORD not in log


@pytest.mark.parametrize("then, size", [(NATIVE, 20), ("client_ed25519", 64)])
def test_allowed_plugins_answer_without_the_password(service, rogue, then, size):
    """they send a hash of it, or a signature"""
    server = rogue(NATIVE, then)
    done = call(service.installation, "status", env=connecting(server))
    assert done.returncode == UNAVAILABLE and NOT_ALLOWED not in done.stderr
    greeted, answered = wait_until(lambda: server.received, 20, "a client of the rogue database")[0]
    assert service.installation.name.encode() in greeted and PASSWORD.encode() not in greeted + answered
    assert len(answered) == size


@pytest.mark.parametrize("program", PROGRAMS)
def test_another_host_must_offer_tls(service, rogue, tmp_path, program):
    """even if database.tls is not set; nothing is sent to a server without TLS, not even the user's name"""
    server = rogue()
    log = run(service.installation, program, connecting(server, OTHER_HOST), tmp_path)
    assert sent_to(server) == b""
    assert " error " in log and "number=2026" in log and NO_TLS in log and "database.tls_ca" in log


def test_verify_is_for_loopback_too(service, rogue):
    server = rogue()
    done = call(service.installation, "status", env=connecting(server, tls="verify"))
    assert done.returncode == UNAVAILABLE and NO_TLS in done.stderr
    assert sent_to(server) == b""


def by_option_file(tmp_path, server, host, lines):
    path = tmp_path / "client.cnf"
    path.write_text("\n".join(["[leadhook]", f"host = {host}", f"port = {server.port}", *lines, ""]))
    path.chmod(0o600)
    return of_database(option_file=path, socket="", password=PASSWORD)


@pytest.mark.parametrize("host, lines", [(OTHER_HOST, []), (OTHER_HOST, ["ssl-verify-server-cert = 0", "ssl-enforce = 0"]),
                                         (f"{ADDRESS},{OTHER_HOST}", [])])
def test_a_host_of_the_option_file(service, rogue, tmp_path, host, lines):
    """such a host must offer TLS as well, and no line of the file can weaken that"""
    server = rogue()
    env = by_option_file(tmp_path, server, host, lines)
    assert call(service.installation, "status", env=env).returncode == UNAVAILABLE
    assert sent_to(server) == b""


def test_plugins_of_the_option_file(service, rogue, tmp_path):
    """the file cannot allow plugins; a password in the file is protected as well"""
    server = rogue("dialog")
    env = by_option_file(tmp_path, server, ADDRESS, ["restricted-auth = dialog", f"password = {PASSWORD}"])
    done = call(service.installation, "status", env={**env, **of_database(password="")})
    assert done.returncode == UNAVAILABLE and NOT_ALLOWED in done.stderr
    assert sent_to(server) == b""


@pytest.mark.parametrize("then, gets_it", [("caching_sha2_password", True), ("mysql_clear_password", False), ("dialog", False)])
def test_plugins_inside_tls(service, rogue, authority, then, gets_it):
    """caching_sha2_password may send the password only to a server with a valid certificate"""
    server = rogue(NATIVE, then, tls=context(authority.issue("server")))
    done = call(service.installation, "status", env=connecting(server, tls="verify", tls_ca=authority.file))
    assert done.returncode == UNAVAILABLE
    assert (PASSWORD.encode() in sent_to(server)) == gets_it
    assert (NOT_ALLOWED in done.stderr) != gets_it


def test_nothing_is_sent_before_the_certificate_is_verified(service, rogue, stranger, authority):
    """here, the certificate is from another authority, or for another name"""
    for issuer, names in ((stranger, "IP:127.0.0.1"), (authority, "DNS:other.example")):
        server = rogue(tls=context(issuer.issue("server", names)))
        done = call(service.installation, "status", env=connecting(server, tls="verify", tls_ca=authority.file))
        assert done.returncode == UNAVAILABLE and "number=2026" in done.stderr
        assert sent_to(server) == b""


@pytest.mark.parametrize("lines", [[], ["local-infile = 1"]])
def test_no_file_is_sent(service, rogue, tmp_path, lines):
    """a server cannot request a local file (LOAD DATA LOCAL INFILE), even if the option file allows it"""
    secret = tmp_path / "secret"
    secret.write_text("contents of a local file")
    server = rogue(requests_file=secret)
    env = by_option_file(tmp_path, server, ADDRESS, lines)
    assert call(service.installation, "status", env=env).returncode == UNAVAILABLE
    sent = sent_to(server)
    assert b"SET SESSION" in sent  # as a control: the server got a statement, and answered it by requesting the file
    assert secret.read_bytes() not in sent


class TlsDatabase(Database):
    """Also listens on a loopback port, where accounts need TLS."""

    def __init__(self, folder, certificate):
        self.port = free_port()
        super().__init__(folder, folder / "mariadb.sock", more=[
            "--skip-networking=0", f"--bind-address={ADDRESS}", f"--port={self.port}", f"--ssl-cert={certificate.certificate}",
            f"--ssl-key={certificate.key}"])

    def add_account(self, database, user, password):
        super().add_account(database, user, password)
        self.sql(f"CREATE OR REPLACE USER '{user}'@'{ADDRESS}' IDENTIFIED BY '{password}' REQUIRE SSL;"
                 f"GRANT ALL ON `{database}`.* TO '{user}'@'{ADDRESS}'")


@pytest.fixture(scope="module")
def tls_database(make_folder, authority):
    server = TlsDatabase(make_folder(), authority.issue("server", f"IP:{ADDRESS}"))
    server.create().start()
    yield server
    server.stop()


@pytest.fixture(scope="module")
def make_tls_service(make_service, tls_database, authority):
    def make(settings=(), **options):
        return make_service(database=tls_database, settings=[
            ("database", "host", ADDRESS), ("database", "port", tls_database.port), ("database", "tls", "verify"),
            ("database", "tls_ca", authority.file), *settings], **options)
    return make


@pytest.fixture(scope="module")
def tls_service(make_tls_service):
    return make_tls_service()


def test_all_programs_over_tls(tls_service):
    """the certificate is verified, the account requires TLS, and programs survive a restart of the server"""
    campaign = tls_service.campaign()
    campaign.webhook("new_signup")
    campaign.lead(email="ada@example.org")
    tls_service.dispatch()
    campaign.delivered(1)
    assert tls_service.installation.admin("check") == {"ok": True, "findings": []}
    tls_service.database.stop()
    tls_service.database.start()
    wait_until(tls_service.client.healthy, 30, "the service is not ready again")
    campaign.lead(email="bob@example.org")


needs_lanes = pytest.mark.skipif(not COMMITTER, reason="without a committer, a worker serves one request at a time")


def waiting(service):
    return connections(service, "AND state LIKE 'Waiting for table%'")


@needs_lanes
def test_other_lanes_run_while_one_waits_for_an_answer_over_tls(make_tls_service):
    """docs/architecture.md 7 Lanes"""
    service = make_tls_service(workers=1)
    campaign, account = service.campaign(), service.account()
    owner = Caller(service, account.manager)
    with concurrent.futures.ThreadPoolExecutor(2) as pool, held(service, "LOCK TABLES lh_users WRITE"):
        slow = [pool.submit(owner, "GET", f"users?account={account.id}") for _ in range(2)]
        wait_until(lambda: len(waiting(service)) == 2, 5, "both wait")
        assert campaign.lead(email="ada@example.org")["subscription_number"] == 1
        assert campaign.get({}, path="/leaderboard").status == 200
        assert len(waiting(service)) == 2
    assert [answer.result().status for answer in slow] == [200, 200]


@needs_lanes
def test_a_server_that_hangs_over_tls_delays_no_request_beyond_its_time(make_tls_service):
    """docs/architecture.md 7 Stuck: nor does it end the worker"""
    service = make_tls_service([("server", "request_timeout", "8s")], workers=1)
    campaign = service.campaign()
    assert campaign.get({}, path="/leaderboard").status == 200
    running = children(service.responders.pid)
    with stopped(service, None):
        assert campaign.get({}, path="/stats").status == 503
    wait_until(lambda: campaign.get({}, path="/stats").status == 200, 10, "the service answers again")
    assert children(service.responders.pid) == running


def finding(installation, **settings):
    """The only finding of `leadhook check`."""
    done = call(installation, "check", "--json", env=of_database(**settings))
    assert done.returncode == CONFIG
    [found] = json.loads(done.stdout)["findings"]
    return found


def test_certificates_of_the_server(tls_service, stranger, tmp_path):
    """another authority, another name, a CA file without certificates: each causes its own error with a hint"""
    garbage = tmp_path / "garbage.pem"
    garbage.write_text("none\n")
    for settings, error in (({"tls_ca": stranger.file}, "certificate"), ({"tls_ca": ""}, "certificate"),
                            ({"host": OTHER_HOST}, "Validation of SSL server certificate failed"),
                            ({"host": OTHER_HOST, "tls": ""}, "Validation of SSL server certificate failed"),
                            ({"tls_ca": garbage}, "TLS/SSL error")):
        found = finding(tls_service.installation, **settings)
        assert found["what"] == "connection" and error in found["detail"], settings
        assert "database.tls_ca" in found["hint"]


def test_system_certificates(tls_service, authority):
    """they verify the server if database.tls_ca is not set"""
    trusted = {**of_database(tls_ca=""), "SSL_CERT_FILE": str(authority.file)}
    assert call(tls_service.installation, "check", env=trusted).returncode == OK
    assert finding(tls_service.installation, tls_ca="")["what"] == "connection"


def test_certificates_of_the_option_file(tls_service, authority, tmp_path):
    path = tmp_path / "client.cnf"
    path.write_text(f"[leadhook]\nssl-ca = {authority.file}\n")
    path.chmod(0o600)
    assert call(tls_service.installation, "check", env=of_database(tls_ca="", option_file=path)).returncode == OK


def test_check_warns_of_connections_without_tls(tls_service, tls_database):
    """always of connections to another host; on this host, only if the settings do not turn TLS off; never of the unix socket"""
    name = tls_service.installation.setting("database", "user")
    tls_database.sql(f"ALTER USER '{name}'@'{ADDRESS}' REQUIRE NONE")
    bare = {"tls_ca": ""}
    for settings in ({"host": OTHER_HOST, "tls": "off"}, {"tls": ""}):
        found = finding(tls_service.installation, **bare, **settings)
        assert found["what"] == "database_tls" and "database.tls" in found["hint"]
    for settings in ({"tls": "off"}, {"host": "", "socket": tls_database.socket, "tls": ""}):
        assert call(tls_service.installation, "check", env=of_database(**bare, **settings)).returncode == OK
    tls_database.sql(f"ALTER USER '{name}'@'{ADDRESS}' REQUIRE SSL")


def test_account_identified_by_its_socket(service, database):
    """unix_socket: the client needs no plugin and sends no password"""
    done = call(service.installation, "status", env=of_database(user=getpass.getuser(), password=""))
    assert done.returncode == OK, done.stderr


@pytest.mark.parametrize("settings, problem", [
    ({"tls": "on"}, "LEADHOOK_DATABASE_TLS: expected nothing, off or verify"),
    ({"tls_ca": "/nonexistent/ca.pem"}, "LEADHOOK_DATABASE_TLS_CA: /nonexistent/ca.pem: No such file or directory"),
    ({"tls": "off", "tls_ca": "/dev/null"}, "database.tls_ca: is set, but database.tls is off")])
@pytest.mark.parametrize("program", PROGRAMS)
def test_settings_without_effect(service, program, settings, problem):
    done = call(service.installation, "--check-config", program=program, env=of_database(**settings))
    assert done.returncode == CONFIG and problem in done.stderr
