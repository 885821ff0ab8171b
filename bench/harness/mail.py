# SPDX-License-Identifier: MIT
"""Workloads of mails to a server on this host that accepts everything: mail, latency-mail."""
import os
import shutil
import time

from stack.front import free_port
from stack.process import Child, StackError, wait_until

from .bench import Goal, outcome
from .client import sign_up
from .running import PACE, delivery_latency
from .subjects import Leadhook

CONNECTIONS = 4
CONTENT_BYTES = 3000  # about that of a mail in text and HTML
HOUR = 3600

# One lead, and an address for each mail. No leases, and nothing has been sent.
PLANT = """
SET @now = 1, @content = CONCAT('Message-ID: <1@example.org>\\r\\nSubject: Mail\\r\\n\\r\\n', REPEAT(CONCAT(REPEAT('m', 70), '\\r\\n'), {lines}));
INSERT INTO lh_messages (id, campaign_id, lead_id, kind, turn, state, created_ms, due_ms, recipient, message_id, content, composed_ms)
SELECT seq, 1, (SELECT MIN(id) FROM lh_leads), 1, 1, 'ready', 1, 1, CONCAT(seq, '@example.org'), '<1@example.org>', @content, 1
FROM seq_1_to_{count};
"""
AGAIN = "UPDATE lh_messages SET turn = 1, state = 'ready', due_ms = 1, attempts = 0, sent_ms = NULL, ended_ms = NULL"


class Sink:
    """Postfix's smtp-sink."""

    def __init__(self, bench):
        if not all(map(shutil.which, ("smtp-sink", "smtp-source"))):
            raise StackError("mail needs smtp-sink and smtp-source of the package postfix")
        self.port = free_port()
        user = ["-u", "postfix"] if os.geteuid() == 0 else []
        self.child = Child("smtp-sink", ["smtp-sink", *user, f"127.0.0.1:{self.port}", "100"], bench.folder / "sink.log")

    def __enter__(self):
        self.child.start()
        return self

    def __exit__(self, *_):
        self.child.kill()


def ours(bench, subject, count):
    def measure():
        subject.sql(AGAIN)
        dispatcher = subject.installation.dispatcher()
        begun = time.monotonic()
        dispatcher.start()
        try:
            wait_until(lambda: subject.sql("SELECT EXISTS (SELECT 1 FROM lh_messages WHERE turn IN (0, 1))") == "0",
                       60 + 6 * bench.options.seconds, "mails are left")
            return {"rate": count / (time.monotonic() - begun)}
        finally:
            dispatcher.stop()
    return measure


def source(bench, sink, count):
    """Send the same number of mails and bytes over as many connections, without a database; each connection is used for many mails."""
    def measure():
        child = Child("smtp-source", ["smtp-source", "-d", "-s", CONNECTIONS, "-m", count, "-l", CONTENT_BYTES, "-f", "a@example.org",
                                      "-t", "b@example.org", f"127.0.0.1:{sink.port}"], bench.folder / "source.log")
        begun = time.monotonic()
        child.start()
        if child.wait(60 + 6 * bench.options.seconds) != 0:
            raise StackError("smtp-source failed")
        return {"rate": count / (time.monotonic() - begun)}
    return measure


def mailing(bench, sink):
    subject = Leadhook(bench)
    subject.installation.configure([("mail", "host", "127.0.0.1"), ("mail", "port", sink.port), ("mail", "tls", "none"),
                                    ("mail", "from", "a@example.org"), ("mail", "connections", CONNECTIONS),
                                    ("mail", "campaign_per_hour", 0)])
    return subject


def mail(bench):
    """Compare ready mails sent by Leadhook and by Postfix's smtp-source."""
    count = 200 if bench.options.quick else 5000
    with Sink(bench) as sink:
        subject = mailing(bench, sink)
        with subject:
            sign_up(subject)
        subject.sql("DELETE FROM lh_messages")
        subject.sql(PLANT.format(count=count, lines=CONTENT_BYTES // 72))
        rounds = bench.interleave({"smtp-source": source(bench, sink, count), "leadhook": ours(bench, subject, count)})
    return outcome(rounds, [Goal("leadhook", "rate", ">=", 10_000 / HOUR)], mails=count, connections=CONNECTIONS,
                   bytes_each=CONTENT_BYTES)


def sent_beside(measure, subject):
    """Return a function that measures, and also returns the rate of mails that were sent in the meantime."""
    def measure_both():
        before, begun = sent(subject), time.monotonic()
        found = measure()
        return {**found, "mail_rate": (sent(subject) - before) / (time.monotonic() - begun)}
    return measure_both


def sent(subject):
    return int(subject.sql("SELECT COUNT(*) FROM lh_messages WHERE state = 'sent'"))


def latency_mail(bench):
    """Compare the latency of webhooks without mail, and with a mail for each sign-up."""
    with Sink(bench) as sink:
        plain, both = Leadhook(bench).start(), mailing(bench, sink).start()
        dispatchers = [one.installation.dispatcher().start() for one in (plain, both)]
        try:
            rounds = bench.interleave({"delivery": delivery_latency(bench, plain),
                                       "delivery beside mails": sent_beside(delivery_latency(bench, both), both)})
        finally:
            for one in dispatchers:
                one.stop()
        plain.stop()
        both.stop()
    return outcome(rounds, [Goal("delivery beside mails", "p99_ms", "<=", 1.5, "delivery"),
                            Goal("delivery beside mails", "mail_rate", ">=", 10_000 / HOUR)], pace=PACE, connections=CONNECTIONS)
