# SPDX-License-Identifier: MIT
"""docs/deliveries.md 2, TLS: receivers' certificates are verified; the version is 1.2 or newer; each webhook may have its own CA
file and client certificate."""
import collections
import dataclasses
import itertools
import shlex
import socket
import ssl

import pytest
from attempts import add_webhook, attempts
from certificates import EXPIRED, FUTURE, Authority, self_signed
from hostile import OK_HEAD, Hostile, answering, read_request, reset_after, resetting, wait_for_end
from stack.process import run, wait_until

HALF = OK_HEAD + b"Content-Length: 9\r\n\r\nok"
GOOD = OK_HEAD + b"Connection: close\r\nContent-Length: 2\r\n\r\nok"
# OpenSSL allows everything here, so only the sender can refuse.
WEAK = """
openssl_conf = defaults
[defaults]
ssl_conf = all
[all]
system_default = weak
[weak]
MinProtocol = TLSv1
CipherString = DEFAULT@SECLEVEL=0
"""
pytestmark = pytest.mark.slow


def context(certificate, version=None, clients=None, demanded=True):
    """Return a receiver's context. `clients`: the authority for certificates of clients, which must, or may, show one."""
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    made.load_cert_chain(certificate.certificate, certificate.key)
    if version:
        made.set_ciphers("DEFAULT@SECLEVEL=0")
        made.minimum_version = made.maximum_version = version
    if clients:
        made.load_verify_locations(clients.file)
        made.verify_mode = ssl.CERT_REQUIRED if demanded else ssl.CERT_OPTIONAL
    return made


@dataclasses.dataclass
class Pki:
    """`ours` issues certificates of receivers, `clients` those of clients, and `strangers` both."""
    ours: Authority
    clients: Authority
    strangers: Authority

    def __post_init__(self):
        self.good = self.ours.issue("receiver")
        self.client, self.other_client = self.clients.issue("client"), self.clients.issue("other client")
        self.strange_client = self.strangers.issue("strange client")


@pytest.fixture(scope="module")
def pki(make_folder):
    folder = make_folder()
    return Pki(*(Authority(folder, name) for name in ("ours", "clients", "strangers")))


@pytest.fixture
def weak_system(monkeypatch, tmp_path):
    path = tmp_path / "openssl.cnf"
    path.write_text(WEAK)
    monkeypatch.setenv("OPENSSL_CONF", str(path))


@pytest.fixture(scope="module")
def service(make_service):
    return make_service(settings=[("dispatch", "attempt_timeout", "8s"), ("dispatch", "connect_timeout", "4s"),
                                  ("dispatch", "schedule", "")])


@pytest.fixture
def attempt(service, account):
    """Make one attempt at a receiver, with these certificates of the webhook."""
    started = []

    def make(tls, serve=answering(GOOD), url=None, **certificates):
        hostile = Hostile(serve, tls)
        started.append(hostile)
        campaign = service.campaign(account)
        webhook = add_webhook(campaign, url(hostile) if url else hostile.url(), **certificates)
        campaign.lead(email="ada@example.org")
        service.dispatch()
        [made] = attempts(service, webhook)
        assert made.delivered == (made.error is None)
        return made
    yield make
    for hostile in started:
        hostile.close()


@pytest.mark.parametrize("when, names, said", [
    (EXPIRED, "IP:127.0.0.1", "certificate has expired"), (None, "DNS:receiver.example", "127.0.0.1"), (FUTURE, "IP:127.0.0.1", "not yet valid")])
def test_what_is_said_of_certificates(pki, attempt, service, when, names, said):
    """docs/deliveries.md 6: in place of an answer, the log contains what is wrong with the certificate"""
    made = pki.ours.issue("receiver", names, **({"when": when} if when else {}))
    assert attempt(context(made), ca_file=pki.ours.file).error == "certificate"
    answer = service.installation.sql("SELECT answer FROM lh_attempts ORDER BY delivery_id DESC LIMIT 1")
    assert answer.startswith("SSL") and said in answer


@pytest.mark.parametrize("name, error", [
    ("good", None), ("expired", "certificate"), ("not yet valid", "certificate"), ("another name", "certificate"),
    ("another address", "certificate"), ("a stranger's", "certificate"), ("self-signed", "certificate")])
def test_certificates_of_receivers(pki, attempt, tmp_path, name, error):
    """certificates are verified with the webhook's own CA file; without one, with that of the system"""
    made = {"good": lambda: pki.good, "expired": lambda: pki.ours.issue("receiver", when=EXPIRED),
            "not yet valid": lambda: pki.ours.issue("receiver", when=FUTURE),
            "another name": lambda: pki.ours.issue("receiver", "DNS:receiver.example"),
            "another address": lambda: pki.ours.issue("receiver", "IP:127.0.0.2"),
            "a stranger's": lambda: pki.strangers.issue("receiver"),
            "self-signed": lambda: self_signed(tmp_path, "receiver", "subjectAltName=IP:127.0.0.1")}[name]()
    assert attempt(context(made), ca_file=pki.ours.file).error == error
    assert attempt(context(made)).error == "certificate"


def test_a_self_signed_certificate_can_be_its_own_ca_file(attempt, tmp_path):
    made = self_signed(tmp_path, "receiver", "subjectAltName=IP:127.0.0.1")
    assert attempt(context(made), ca_file=made.certificate).status == 200


def speaks(tls, version):
    """Return whether a client that accepts older versions connects, as a control."""
    hostile = Hostile(answering(GOOD), tls)
    client = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    client.check_hostname, client.verify_mode = False, ssl.CERT_NONE
    client.set_ciphers("DEFAULT@SECLEVEL=0")
    client.minimum_version = client.maximum_version = version
    with socket.create_connection(("127.0.0.1", hostile.port)) as connection, client.wrap_socket(connection) as wrapped:
        spoken = wrapped.version()
    hostile.close()
    return spoken


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("version, error", [(ssl.TLSVersion.TLSv1, "tls"), (ssl.TLSVersion.TLSv1_1, "tls"),
                                            (ssl.TLSVersion.TLSv1_2, None), (ssl.TLSVersion.TLSv1_3, None)],
                         ids=lambda value: getattr(value, "name", value))
def test_1_2_or_newer(pki, attempt, weak_system, version, error):
    """even if the system's OpenSSL would accept older versions"""
    tls = context(pki.good, version)
    assert speaks(tls, version) == version.name.replace("_", ".")
    assert attempt(tls, ca_file=pki.ours.file).error == error


@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3], ids=lambda version: version.name)
def test_client_certificates(pki, attempt, tmp_path, version):
    """a certificate is shown if the receiver requires one, with the key in its own file or in the same one"""
    tls = context(pki.good, version, pki.clients)
    both = pki.client.in_one_file(tmp_path / "both.pem")
    ca = {"ca_file": pki.ours.file}
    assert attempt(tls, **ca, client_certificate=pki.client.certificate, client_key=pki.client.key).status == 200
    assert attempt(tls, **ca, client_certificate=both).status == 200
    assert attempt(tls, **ca).error == "tls"
    stranger = pki.strange_client.in_one_file(tmp_path / "stranger.pem")
    assert attempt(tls, **ca, client_certificate=stranger).error == "tls"


def invalid_files(pki, tmp_path):
    """Return unusable files, by what is wrong with them."""
    garbage, encrypted = tmp_path / "garbage.pem", tmp_path / "encrypted.key"
    garbage.write_text("-----BEGIN CERTIFICATE-----\nnone\n-----END CERTIFICATE-----\n")
    run("openssl ec", ["openssl", "pkey", "-in", pki.client.key, "-out", encrypted, "-aes256", "-passout", "pass:secret"])
    return {"missing": tmp_path / "missing.pem", "garbage": garbage, "folder": tmp_path, "encrypted": encrypted,
            "another's": pki.other_client.key, "empty": "/dev/null"}


@pytest.mark.parametrize("what", ["missing", "garbage", "folder", "empty"])
def test_unusable_ca_file(pki, attempt, tmp_path, what):
    """no other authority is trusted instead, and the error is recorded"""
    assert attempt(context(pki.good), ca_file=invalid_files(pki, tmp_path)[what]).error == "ca_file"


@pytest.mark.parametrize("member, what", [
    *(("client_certificate", what) for what in ("missing", "garbage", "folder", "empty", "encrypted")),
    *(("client_key", what) for what in ("missing", "garbage", "folder", "empty", "encrypted", "another's"))])
def test_unusable_client_certificate(pki, attempt, tmp_path, member, what):
    """nothing is sent without the certificate, and the error is recorded"""
    given = {"client_certificate": pki.client.certificate, "client_key": pki.client.key, member: invalid_files(pki, tmp_path)[what]}
    served = []
    tls = context(pki.good, clients=pki.clients, demanded=False)
    assert attempt(tls, served.append, ca_file=pki.ours.file, **given).error == "client_certificate"
    assert served == []


def test_no_prompt_for_a_passphrase(service, campaign, pki, tmp_path):
    """leadhook-dispatch(8): the dispatcher needs no input, not even at a terminal"""
    hostile = Hostile(answering(GOOD), context(pki.good))
    webhook = add_webhook(campaign, hostile.url(), ca_file=pki.ours.file, client_certificate=pki.client.certificate,
                          client_key=invalid_files(pki, tmp_path)["encrypted"])
    campaign.lead(email="ada@example.org")
    command = [service.installation.program("leadhook-dispatch"), "--config", service.installation.config, "--max-runtime", "5"]
    said = run("a run at a terminal", ["script", "-qec", shlex.join(map(str, command)), "/dev/null"])
    hostile.close()
    assert "pass phrase" not in said
    assert [made.error for made in attempts(service, webhook)] == ["client_certificate"]


@pytest.mark.parametrize("serve, error, status", [
    (lambda connection: cut(connection, HALF), "connection_lost", 200), (resetting(HALF), "connection_lost", 200),
    (reset_after(0), "connection_lost", None), (wait_for_end, "timeout", None), (lambda _: None, "connection_lost", None)],
                         ids=["cut within the body", "reset within the body", "reset", "hang", "end"])
def test_failures_inside_tls(pki, attempt, serve, error, status):
    """docs/deliveries.md 2 Success: the whole body is required"""
    made = attempt(context(pki.good), serve, ca_file=pki.ours.file)
    assert (made.error, made.status) == (error, status)


def cut(connection, answer):
    """End the TCP connection without TLS's closing message."""
    answering(answer)(connection)
    socket.socket(fileno=connection.detach()).close()


@pytest.mark.parametrize("serve, error", [
    (wait_for_end, "connect_timeout"), (reset_after(100), "tls"), (lambda connection: connection.sendall(GOOD), "tls")],
                         ids=["hang", "reset", "clear text"])
def test_plain_receiver_of_an_https_url(attempt, serve, error):
    made = attempt(None, serve, url=lambda hostile: f"https://127.0.0.1:{hostile.port}/")
    assert made.error == error


def test_tls_receiver_of_an_http_url(pki, attempt):
    made = attempt(context(pki.good), url=lambda hostile: f"http://127.0.0.1:{hostile.port}/")
    assert made.error in ("connection_lost", "bad_answer")


@dataclasses.dataclass
class Request:
    connection: int
    resumed: bool
    client: str | None


class Identifying:
    """Records each request's client; `persistent`: accepts several requests on a connection."""

    def __init__(self, persistent):
        self.persistent, self.requests, self.connections = persistent, [], 0

    def __call__(self, connection):
        self.connections += 1
        number = self.connections
        while read_request(connection):
            subject = (connection.getpeercert() or {}).get("subject", [])
            names = [value for part in subject for name, value in part if name == "commonName"]
            self.requests.append(Request(number, connection.session_reused, names[0] if names else None))
            connection.sendall(OK_HEAD + (b"" if self.persistent else b"Connection: close\r\n") + b"Content-Length: 0\r\n\r\n")
            if not self.persistent:
                return


@pytest.fixture(scope="module")
def trusting(make_service, pki):
    """A service that trusts `ours` by default, and has a single handle for all attempts."""
    service = make_service(settings=[("dispatch", "ca_file", pki.ours.file), ("dispatch", "in_flight", 1),
                                     ("dispatch", "per_webhook", 1), ("dispatch", "initial_concurrency", 1),
                                     ("dispatch", "schedule", "")])
    service.dispatcher.start()
    return service


@pytest.fixture
def visit(trusting, pki):
    """Make attempts at one receiver, one after another, in one process; return their errors."""
    account, numbers = trusting.account(), itertools.count()
    started = []

    def make(serve, *visitors):
        hostile = Hostile(serve, context(pki.good, clients=pki.clients, demanded=False))
        started.append(hostile)
        campaigns, webhooks, made, errors = {}, {}, collections.Counter(), []
        for name, certificates in visitors:
            if name not in campaigns:
                campaigns[name] = trusting.campaign(account)
                webhooks[name] = add_webhook(campaigns[name], hostile.url(f"/{len(webhooks)}"), **certificates)
            made[name] += 1
            campaigns[name].lead(email=f"{next(numbers)}@example.org")
            wait_until(lambda: len(attempts(trusting, webhooks[name])) == made[name], 10, "the attempt")
            errors.append(attempts(trusting, webhooks[name])[-1].error)
        return errors
    yield make
    for hostile in started:
        hostile.close()


def visitors(pki):
    """Webhooks with different certificates, by the name that the receiver sees."""
    def client(certificate):
        return {"client_certificate": certificate.certificate, "client_key": certificate.key}
    return {None: (None, {}), "client": ("client", client(pki.client)),
            "other client": ("other client", client(pki.other_client))}


SEEN = [None, None, "client", "client", None, "other client", "client", None, None]


def test_connections_are_not_shared_between_clients(visit, pki):
    """neither an open connection of another webhook nor the handle's previous certificate is used"""
    serve, known = Identifying(persistent=True), visitors(pki)
    assert visit(serve, *(known[name] for name in SEEN)) == [None] * len(SEEN)
    assert [request.client for request in serve.requests] == SEEN
    assert serve.requests[0].connection == serve.requests[1].connection, "the control: connections are reused"
    assert serve.requests[2].connection == serve.requests[3].connection


def test_sessions_are_not_shared_between_clients(visit, pki):
    """a webhook with its own certificates does not resume TLS sessions"""
    serve, known = Identifying(persistent=False), visitors(pki)
    assert visit(serve, *(known[name] for name in SEEN)) == [None] * len(SEEN)
    assert [request.client for request in serve.requests] == SEEN
    resumed = [request.resumed for request in serve.requests]
    assert resumed[1] and resumed[-1], "the control: sessions are resumed"
    assert not any(request.resumed for request in serve.requests if request.client)


@pytest.mark.parametrize("persistent", [True, False], ids=["persistent", "closed"])
def test_trust_is_separate_for_each_webhook(visit, pki, persistent):
    """a webhook with another authority does not use connections or sessions that were opened with this one"""
    own = {"ours": ("ours", {"ca_file": pki.ours.file}), "strangers": ("strangers", {"ca_file": pki.strangers.file}),
           "none": ("none", {})}
    serve = Identifying(persistent)
    order = ["none", "strangers", "none", "ours", "strangers", "strangers", "none"]
    assert visit(serve, *(own[name] for name in order)) == \
        ["certificate" if name == "strangers" else None for name in order]
    assert len(serve.requests) == order.count("none") + order.count("ours")
