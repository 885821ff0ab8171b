# SPDX-License-Identifier: MIT
"""docs/deliveries.md 2: receivers that hang, answer incorrectly or slowly, reset, or never end."""
import dataclasses
import datetime
import email.utils
import time
import typing

import pytest
from attempts import add_webhook, attempt_each, attempts
from hostile import OK_HEAD, Hostile, answering, hanging, repeating, reset_after, resetting, wait_for_end
from stack.receiver import Answer

ADA = {"email": "ada@example.org"}
ATTEMPT_S = 1.5
LATE_S = 3  # on a busy machine, with all cases at once
READ, LOGGED = 64 * 1024, 1024
FIRST_RETRY_S = 200


@dataclasses.dataclass
class Case:
    name: str
    serve: typing.Callable
    error: str | tuple | None = None  # None: a complete answer
    status: int | None = None


def success(name, serve, status=200):
    return Case(name, serve, None, status)


def timeout(name, serve, status=None):
    return Case(name, serve, "timeout", status)


def chunk(data):
    return b"%x\r\n%s\r\n" % (len(data), data)


CHUNKED = OK_HEAD + b"Transfer-Encoding: chunked\r\n\r\n"
UNTIL_CLOSE = OK_HEAD + b"\r\n"
CASES = [
    success("plain", answering(OK_HEAD + b"Content-Length: 2\r\n\r\nok")),
    # Bodies without an end, or long ones: the first 64 KiB suffice.
    success("endless body", repeating(UNTIL_CLOSE, b"x" * 1000)),
    success("endless chunks", repeating(CHUNKED, chunk(b"x" * 1000))),
    success("endless chunk", repeating(CHUNKED + b"7fffffff\r\n", b"x" * 1000)),
    success("length of exabytes", repeating(OK_HEAD + b"Content-Length: 9000000000000000000\r\n\r\n", b"x" * 1000)),
    success("64 KiB, then silence", hanging(UNTIL_CLOSE + b"x" * READ)),
    timeout("one byte less, then silence", hanging(UNTIL_CLOSE + b"x" * (READ - 1)), 200),
    success("64 KiB, then a reset", resetting(UNTIL_CLOSE + b"x" * READ)),
    Case("500 and an endless body", repeating(b"HTTP/1.1 500 No\r\n\r\n", b"x" * 1000), None, 500),
    success("compressed bomb", answering(OK_HEAD + b"Content-Encoding: gzip\r\nContent-Length: 4\r\n\r\n\x1f\x8b\x08\x00")),
    # Receivers that hang.
    timeout("says nothing", hanging()),
    timeout("reads nothing", wait_for_end),
    timeout("status line, then silence", hanging(OK_HEAD), 200),
    timeout("half a header line", hanging(OK_HEAD + b"X-Half: "), 200),
    timeout("headers, then silence", hanging(OK_HEAD + b"Content-Length: 2\r\n\r\n"), 200),
    timeout("half a body", hanging(OK_HEAD + b"Content-Length: 2\r\n\r\no"), 200),
    timeout("half a chunk", hanging(CHUNKED + b"5\r\nab"), 200),
    timeout("no last chunk", hanging(CHUNKED + chunk(b"ab")), 200),
    # Slow receivers.
    timeout("drip of a status line", repeating(b"HTTP/1.1 200 ", b"O", pause=0.05)),
    timeout("drip of a header line", repeating(OK_HEAD + b"X-Drip: ", b"x", pause=0.05), 200),
    timeout("drip of header lines", repeating(OK_HEAD, b"X-Drip: x\r\n", pause=0.05), 200),
    timeout("drip of a body", repeating(UNTIL_CLOSE, b"x", pause=0.05), 200),
    timeout("drip of chunks", repeating(CHUNKED, chunk(b"x"), pause=0.05), 200),
    timeout("drip of 100 Continue", repeating(b"", b"HTTP/1.1 100 Continue\r\n\r\n", pause=0.05)),
    # Interim answers.
    success("100 Continue", answering(b"HTTP/1.1 100 Continue\r\n\r\n", OK_HEAD + b"Content-Length: 0\r\n\r\n")),
    success("five interim answers", answering(b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n" * 5,
                                              OK_HEAD + b"Content-Length: 0\r\n\r\n")),
    timeout("100 Continue, then silence", hanging(b"HTTP/1.1 100 Continue\r\n\r\n")),
    Case("100 Continue, then the end", answering(b"HTTP/1.1 100 Continue\r\n\r\n"), "connection_lost"),
    Case("endless 100 Continue", repeating(b"", b"HTTP/1.1 100 Continue\r\n\r\n"), "bad_answer"),
    Case("101", answering(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\n\r\n"), "connection_lost"),
    # HTTP/1.0.
    success("HTTP/1.0", answering(b"HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok")),
    success("HTTP/1.0 until the end", answering(b"HTTP/1.0 200 OK\r\n\r\nok")),
    success("HTTP/1.0 without a body", answering(b"HTTP/1.0 200 OK\r\n\r\n")),
    success("HTTP/1.0, keep-alive", hanging(b"HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 0\r\n\r\n")),
    Case("HTTP/1.0 503", answering(b"HTTP/1.0 503 No\r\n\r\n"), None, 503),
    success("bare line feeds", answering(b"HTTP/1.1 200 OK\nContent-Length: 2\n\nok")),
    success("no reason", answering(b"HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n")),
    success("chunks and a trailer", answering(CHUNKED + chunk(b"ok") + b"0\r\nX-More: and more\r\n\r\n")),
    success("204 with a body", answering(b"HTTP/1.1 204 None\r\nContent-Length: 2\r\n\r\nok"), 204),
    # The connection ends.
    Case("reset at once", reset_after(0), ("connection_lost", "unreachable")),  # depends on timing
    Case("reset within the request", reset_after(20), "connection_lost"),
    Case("reset after the request", resetting(), "connection_lost"),
    Case("reset within the status line", resetting(b"HTTP/1.1 20"), "connection_lost"),
    Case("reset after the status line", resetting(OK_HEAD), "connection_lost", 200),
    Case("reset within the header lines", resetting(OK_HEAD + b"Content-Le"), "connection_lost", 200),
    Case("reset after the header lines", resetting(OK_HEAD + b"Content-Length: 2\r\n\r\n"), "connection_lost", 200),
    Case("reset within the body", resetting(OK_HEAD + b"Content-Length: 2\r\n\r\no"), "connection_lost", 200),
    Case("reset within a body until the end", resetting(UNTIL_CLOSE + b"ok"), "connection_lost", 200),
    Case("reset within a chunk", resetting(CHUNKED + b"5\r\nab"), "connection_lost", 200),
    Case("end within the status line", answering(b"HTTP/1.1 20"), "connection_lost"),
    Case("end after the status line", answering(OK_HEAD), "connection_lost", 200),
    Case("end within a header line", answering(OK_HEAD + b"Content-Le"), "connection_lost", 200),
    Case("end after a header line", answering(OK_HEAD + b"X-More: and more\r\n"), "connection_lost", 200),
    Case("end within a body", answering(OK_HEAD + b"Content-Length: 2\r\n\r\no"), "connection_lost", 200),
    Case("end within a chunk", answering(CHUNKED + b"5\r\nab"), "connection_lost", 200),
    Case("end without the last chunk", answering(CHUNKED + chunk(b"ab")), "connection_lost", 200),
    success("reset after the answer", resetting(OK_HEAD + b"Content-Length: 2\r\n\r\nok")),
    success("an answer before the request is read", lambda connection: connection.sendall(
        OK_HEAD + b"Connection: close\r\nContent-Length: 2\r\n\r\nok") or wait_for_end(connection)),
    # Header lines without an end.
    Case("endless header lines", repeating(OK_HEAD, b"X-More: and more\r\n"), "bad_answer", 200),
    Case("endless header line", repeating(OK_HEAD + b"X-Long: ", b"x" * 1000), "bad_answer", 200),
    Case("endless status line", repeating(b"HTTP/1.1 200 ", b"O" * 1000), "bad_answer"),
    Case("endless trailer", repeating(CHUNKED + b"0\r\n", b"X-More: and more\r\n"), "bad_answer", 200),
    # Answers that are not HTTP.
    Case("mail", answering(b"220 mail.example ESMTP\r\n"), "bad_answer"),
    Case("HTTP/0.9", answering(b"<html>hello</html>"), "bad_answer"),
    Case("HTTP/3.0 in clear", answering(b"HTTP/3.0 200 OK\r\n\r\n"), "bad_answer"),
    Case("zeros", answering(bytes(2000)), "bad_answer"),
    Case("endless zeros", repeating(b"", bytes(1000)), "bad_answer"),
    Case("TLS alert", answering(b"\x15\x03\x01\x00\x02\x02\x46"), "bad_answer"),
    Case("nothing", answering(), "connection_lost"),
    Case("status of letters", answering(b"HTTP/1.1 abc OK\r\n\r\n"), "bad_answer"),
    Case("status of two digits", answering(b"HTTP/1.1 20 OK\r\n\r\n"), "bad_answer"),
    Case("status of four digits", answering(b"HTTP/1.1 2000 OK\r\n\r\n"), "bad_answer"),
    Case("negative length", answering(OK_HEAD + b"Content-Length: -1\r\n\r\nok"), "bad_answer", 200),
    Case("two lengths", answering(OK_HEAD + b"Content-Length: 2\r\nContent-Length: 3\r\n\r\nok"), "connection_lost", 200),
    Case("bad chunk size", answering(CHUNKED + b"zz\r\nok\r\n0\r\n\r\n"), "connection_lost", 200),
    Case("huge chunk size", answering(CHUNKED + b"fffffffffffffffffffff\r\nok"), "connection_lost", 200),
    Case("endless chunk size", repeating(CHUNKED, b"0" * 1000), "connection_lost", 200),
    Case("zero byte in a header line", answering(OK_HEAD + b"X-Zero: \0\r\nContent-Length: 0\r\n\r\n"), "bad_answer", 200),
    Case("line that is no header", answering(OK_HEAD + b"no header\r\nContent-Length: 0\r\n\r\n"), "bad_answer", 200),
]


@pytest.fixture(scope="module")
def service(make_service):
    return make_service(settings=[("dispatch", "attempt_timeout", f"{int(ATTEMPT_S * 1000)}ms"),
                                  ("dispatch", "connect_timeout", "1s"),
                                  ("dispatch", "schedule", f"{FIRST_RETRY_S}s"), ("limits", "webhooks_per_campaign", 200)])


@pytest.fixture(scope="module")
def outcomes(service, account):
    """The attempts at each case, by its name."""
    receivers = {case.name: Hostile(case.serve) for case in CASES}
    webhooks = attempt_each(service.campaign(account), {name: receiver.url() for name, receiver in receivers.items()},
                            service.dispatch)
    for receiver in receivers.values():
        receiver.close()
    return {name: attempts(service, webhook) for name, webhook in webhooks.items()}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_receiver_behaviour(outcomes, case):
    """Success: 2xx, headers in time and the whole body or its first 64 KiB read; Time: of the whole attempt, with the body"""
    [attempt] = outcomes[case.name]
    assert attempt.error in (case.error if isinstance(case.error, tuple) else (case.error,))
    assert attempt.status == case.status
    assert attempt.delivered == (case.error is None and 200 <= case.status < 300)
    assert attempt.stored <= LOGGED
    if case.error == "timeout":
        assert ATTEMPT_S - 0.1 < attempt.seconds < ATTEMPT_S + LATE_S


@pytest.mark.parametrize("status", [300, 301, 302, 303, 305, 307, 308])
@pytest.mark.parametrize("path", ["/elsewhere", "http://127.0.0.1:{port}/elsewhere", "//127.0.0.1:{port}/elsewhere"])
def test_redirects_are_not_followed(service, receiver, campaign, status, path):
    """Redirects are never followed, and are failures"""
    location = path.format(port=receiver.port)
    receiver.script(campaign.hook, Answer(status, {"Location": location, "Refresh": f"0; url={location}"}))
    webhook = add_webhook(campaign, receiver.url(campaign.hook))
    campaign.lead(**ADA)
    service.dispatch()
    [attempt] = attempts(service, webhook)
    assert (attempt.error, attempt.status, attempt.delivered) == (None, status, False)
    assert receiver.at("/elsewhere") == []


HOUR = 3600


def http_date(seconds):
    return email.utils.format_datetime(datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=seconds),
                                       usegmt=True)


def rfc_850(seconds):
    when = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=seconds)
    return when.strftime("%A, %d-%b-%y %H:%M:%S GMT")


@pytest.mark.parametrize("header, wait", [
    ("3600", HOUR), (lambda: http_date(HOUR), HOUR), (lambda: rfc_850(HOUR), HOUR),
    ("86400", 24 * HOUR), ("86401", 24 * HOUR), ("99999999999999999999", 24 * HOUR),
    (lambda: http_date(30 * 24 * HOUR), 24 * HOUR),
    ("0", 0), ("-5", 0), ("soon", 0), ("", 0), (lambda: http_date(-HOUR), 0)],
    ids=["seconds", "date", "old date", "a day", "more", "much more", "date beyond", "none", "negative", "word", "empty", "past"])
def test_retry_after(service, receiver, campaign, header, wait):
    """docs/deliveries.md 3 Retry-After: seconds or a date, at most 24 h; an invalid value does not change the schedule"""
    receiver.script(campaign.hook, Answer(429, {"Retry-After": header if isinstance(header, str) else header()}))
    webhook = add_webhook(campaign, receiver.url(campaign.hook))
    campaign.lead(**ADA)
    service.dispatch()
    [row] = service.deliveries({"referenceId": webhook})
    due = datetime.datetime.fromisoformat(row["due_at"]).timestamp() - time.time()
    assert abs(due - max(wait, FIRST_RETRY_S)) < 60 and row["attempts"] == 1


def test_cookies_are_ignored(service, receiver, campaign):
    """docs/deliveries.md 5: no cookies"""
    receiver.script(campaign.hook, Answer(200, {"Set-Cookie": "a=b; Path=/"}))
    add_webhook(campaign, receiver.url(campaign.hook))
    service.dispatcher.start()
    try:
        for number in range(2):
            campaign.lead(email=f"{number}@example.org")
            campaign.delivered(number + 1)
    finally:
        service.dispatcher.stop()
    assert not any("cookie" in delivery.headers for delivery in campaign.delivered(2))
