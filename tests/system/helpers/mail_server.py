# SPDX-License-Identifier: MIT
"""A mail server for tests that can fail in each way (python3-aiosmtpd), and mails for it.

The local part of an address decides what it does with a mail; its attributes decide what it does with every mail.
"""
import asyncio
import collections
import dataclasses
import itertools
import re
import socket
import ssl
import struct
import threading

from aiosmtpd.smtp import SMTP, AuthResult

END = "\r\n"
USER, PASSWORD = "leadhook", "a-password-of-the-tests"
TCP_ESTABLISHED = 1

# Answers to RCPT, by the local part of the address.
REFUSALS = {
    "absent": "550 5.1.1 <absent@example.org>: user unknown",
    "absent-old": "550 no such user here",
    "disabled": "550 5.2.1 the mailbox is disabled",
    "policy": "550 5.7.1 refused by policy",
    "policy-old": "550 your message looks like spam",
    "busy": "452 4.2.2 the mailbox is full",
}


@dataclasses.dataclass(frozen=True)
class Mail:
    sender: str
    recipient: str
    content: bytes
    options: tuple
    encrypted: bool
    user: bool

    @property
    def message_id(self):
        return re.search(rb"^Message-ID: (\S+)\r\n", self.content, re.M).group(1).decode()


class Session(SMTP):
    """One connection."""

    def __init__(self, server, **options):
        super().__init__(server, loop=server.loop, enable_SMTPUTF8=server.utf8, hostname="mail.test", timeout=60,
                         tls_context=server.context if server.tls == "required" else None,
                         authenticator=server.authenticate if server.login else None, auth_required=server.login,
                         auth_require_tls=False, **options)
        self.server = server

    def connection_made(self, transport):
        self.server.connections += not self.server.is_mute
        if self.server.is_mute:  # it never sends anything
            self.server.mute_transports.append(transport)
            return
        others = self.server.opened - {self}  # after STARTTLS, it is called for the connection again
        self.server.most_open = max(self.server.most_open, 1 + sum(map(Session.is_established, others)))
        self.server.opened.add(self)
        super().connection_made(transport)

    def is_established(self):
        """Whether the client still has the connection open. It may close it before this server has answered QUIT."""
        tcp_info = self.transport.get_extra_info("socket").getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 1)
        return tcp_info[0] == TCP_ESTABLISHED

    def data_received(self, data):
        self.server.bytes += data
        if not self.server.is_mute:
            super().data_received(data)

    def eof_received(self):
        return False if self.server.is_mute else super().eof_received()

    def connection_lost(self, error):
        self.server.opened.discard(self)
        if not self.server.is_mute and self._handler_coroutine is not None:
            super().connection_lost(error)

    async def push(self, status):
        if self.server.delay:
            await asyncio.sleep(self.server.delay)
        await super().push(status)

    async def smtp_STARTTLS(self, arg):
        if not self.server.resets:
            await super().smtp_STARTTLS(arg)
            return
        await self.push("220 ready to be reset")
        self.transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.transport.abort()

    smtp_STARTTLS.__smtp_syntax__ = "STARTTLS"


class MailServer:
    """Runs in a thread; `tls` is as in leadhook.conf. Attributes may be changed while it runs."""

    def __init__(self, tls="none", certificate=None, login=False):
        self.tls, self.login = tls, login
        self.utf8, self.is_mute, self.resets, self.delay, self.sender_answer = True, False, False, 0, None
        self.answers = {}  # refusals by recipient, or None for all: (command, answer); the command is RCPT, or DATAEND for the end
        self.password = PASSWORD
        self.context = None
        if certificate:
            self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self.context.load_cert_chain(certificate.certificate, certificate.key)
        self.opened = set()
        self.clear()
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self.thread.start()
        self.port = None
        self.listen()

    def clear(self):
        self.mails, self.tries, self.connections, self.mute_transports, self.bytes = [], collections.Counter(), 0, [], b""
        self.most_open = 0

    def listen(self, port=0):
        """Start, at the same port if it was stopped."""
        async def begin():
            return await self.loop.create_server(lambda: Session(self), "127.0.0.1", self.port or port,
                                                 ssl=self.context if self.tls == "implicit" else None)
        self.listener = asyncio.run_coroutine_threadsafe(begin(), self.loop).result(10)
        self.port = self.listener.sockets[0].getsockname()[1]

    def refuse(self):
        """Stop listening, and end the open connections."""
        async def end():
            self.listener.close()
            for session in self.opened:
                if not session.transport.is_closing():  # asyncio cannot abort a TLS transport that was closed twice
                    session.transport.abort()
            await self.listener.wait_closed()
        asyncio.run_coroutine_threadsafe(end(), self.loop).result(10)

    def close(self):
        self.refuse()
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join(10)

    def settings(self, authority=None, **more):
        """Return its settings for leadhook.conf."""
        values = {"host": "127.0.0.1", "port": self.port, "tls": self.tls, "from": "Leadhook Tests <sender@example.org>", **more}
        values["tls_ca"] = authority.file if authority else ""
        values |= {"user": USER, "password": PASSWORD} if self.login else {"user": "", "password": ""}
        return [("mail", name, value) for name, value in values.items()]

    def to(self, recipient):
        return [mail for mail in self.mails if mail.recipient == recipient]

    # --- aiosmtpd's hooks ---

    def authenticate(self, server, session, envelope, mechanism, data):
        good = (data.login, data.password) == (USER.encode(), self.password.encode())
        return AuthResult(success=good, handled=False)

    async def handle_EHLO(self, server, session, envelope, hostname, responses):
        session.host_name = hostname
        return responses

    async def handle_MAIL(self, server, session, envelope, address, options):
        if self.sender_answer:
            return self.sender_answer
        envelope.mail_from = address
        envelope.mail_options.extend(options)
        return "250 2.1.0 good"

    def answer(self, command, recipient):
        refused, answer = self.answers.get(recipient, self.answers.get(None, (None, None)))
        return answer if refused == command else None

    async def handle_RCPT(self, server, session, envelope, address, options):
        local = address.split("@")[0]
        self.tries[address] += 1
        if self.answer("RCPT", address):
            return self.answer("RCPT", address)
        if local in REFUSALS:
            return REFUSALS[local]
        if local.startswith("grey") and self.tries[address] == 1:
            return "451 4.7.1 greylisted, try again"
        envelope.rcpt_tos.append(address)
        return "250 2.1.5 good"

    async def handle_DATA(self, server, session, envelope):
        (recipient,) = envelope.rcpt_tos
        local = recipient.split("@")[0]
        if self.answer("DATAEND", recipient):
            return self.answer("DATAEND", recipient)
        if local == "large":
            return "552 5.3.4 too large"
        if local.startswith("lost-before") and self.tries[recipient] == 1:
            server.transport.abort()
            return "250 never sent"
        self.mails.append(Mail(envelope.mail_from, recipient, envelope.original_content, tuple(envelope.mail_options),
                               session.ssl is not None or self.tls == "implicit", bool(session.authenticated)))
        if local.startswith("mute-after"):  # stored, but not answered
            await asyncio.Event().wait()
        if local.startswith("lost-after") and self.tries[recipient] == 1:
            server.transport.abort()
        return "250 2.0.0 stored"


class Planted:
    """Messages that are ready to be sent, as rows."""
    numbers = itertools.count(1 << 40)

    def __init__(self, service):
        self.service = service

    def mail(self, campaign, recipient, kind=1, lead=None, content=None):
        """Add a mail to a lead (by default, a new one with this address); return its id."""
        number = next(self.numbers)
        lead = lead or campaign.lead(email=recipient)
        content = content or (f"From: sender@example.org\r\nMessage-ID: <{number}@example.org>\r\nSubject: Test\r\n\r\n"
                              f"Mail {number}\r\n.\r\n..\r\nend\r\n")
        self.service.installation.sql(
            "INSERT INTO lh_messages (id, campaign_id, lead_id, kind, turn, state, created_ms, due_ms, recipient, message_id, content,"
            " composed_ms)"
            f" SELECT {number}, {campaign.id}, id, {kind}, {0 if kind in (0, 4, 5) else 1}, 'ready', created_ms, created_ms,"
            f" '{recipient}', '<{number}@example.org>', X'{content.encode().hex()}', created_ms FROM lh_leads"
            f" WHERE social_id = '{lead['social_id']}'")
        return number

    def mails(self, campaign, lead, count, kind=1):
        """Add many mails to one lead, each with its own spelling of the address; return their ids by spelling."""
        def spell(number):
            bits = iter(range(len(lead["email"])))
            return re.sub("[a-z]", lambda letter: letter[0].upper() if number >> next(bits) & 1 else letter[0], lead["email"])
        numbers = {spell(number): number for number in itertools.islice(self.numbers, count)}
        rows = [f"({number}, {campaign.id}, @lead, {kind}, {0 if kind in (0, 4, 5) else 1}, 'ready', @now, @now, '{address}',"
                f" '<{number}@example.org>', X'{f'Message-ID: <{number}@example.org>{END}{END}Mail{END}'.encode().hex()}', @now)"
                for address, number in numbers.items()]
        self.service.installation.sql(
            f"SELECT id, created_ms INTO @lead, @now FROM lh_leads WHERE social_id = '{lead['social_id']}';"
            "INSERT INTO lh_messages (id, campaign_id, lead_id, kind, turn, state, created_ms, due_ms, recipient, message_id, content,"
            f" composed_ms) VALUES {', '.join(rows)}")
        return numbers

    def count(self, state):
        return int(self.service.installation.sql(f"SELECT COUNT(*) FROM lh_messages WHERE state = '{state}'"))

    def row(self, number, *columns):
        text = self.service.installation.sql(f"SELECT CONCAT_WS('|', {', '.join(f'COALESCE({c}, 0)' for c in columns)})"
                                             f" FROM lh_messages WHERE id = {number}")
        return dict(zip(columns, text.strip().split("|"))) if text.strip() else None

    def state(self, number):
        return self.row(number, "state")["state"]
