# SPDX-License-Identifier: MIT
"""The FastCGI layer with correct and incorrect peers (docs/architecture.md 7 and 10; docs/api.md 1 for bodies). The application is
tests/fcgi/echo_app.c.
"""
import contextlib
import os
import pathlib
import re
import select
import signal
import socket
import stat
import struct
import threading
import time

import pytest

from echo_server import TIMEOUT, Server, folder, gone, half, serve, start, wait_for  # noqa: F401  # fixtures
from fastcgi_client import ABORT, BEGIN, KEEP, PARAMS, STDIN, Connection, request, begin, head, pair, params, record, stdin


@pytest.fixture
def two(serve):
    """A server with two workers, and timeouts of less than a second."""
    server = serve("--workers", 2, "--silence-ms", 300, "--receive-ms", 600)
    server.logged("worker_started", 2)
    return server


# --- Requests


def test_connection_is_closed_despite_keep_conn(two):
    body = bytes(range(256)) * 500
    with Connection(two.path) as connection:
        connection.send(head("", len(body), flags=KEEP, REQUEST_URI="/v2/a%2Fb") + stdin(body))
        started = time.monotonic()
        response = connection.response()
    assert (response.status, response.state, response.uri) == (200, "complete", "/v2/a%2Fb")
    assert response.body == body and response.ended
    assert time.monotonic() - started < 1, "it waited until the peer closed"


def test_open_connection_does_not_occupy_a_worker(serve):
    server = serve("--workers", 1)
    with Connection(server.path) as connection:
        connection.send(head("", 0, flags=KEEP) + stdin(b""))
        connection.socket.recv(1)
        assert request(server.path, timeout=1).status == 200


@pytest.mark.parametrize("length", ["", None, "0003"])
def test_a_body_without_a_length_is_read_to_its_end(two, length):
    with Connection(two.path) as connection:
        connection.send(head("", length) + record(STDIN, b"a") + record(STDIN, b"b") + record(STDIN, b"c") + record(STDIN))
        response = connection.response()
    assert (response.status, response.body) == (200, b"abc")


@pytest.mark.parametrize("body, length", [(b"123", 4), (b"12345", 4), (b"", 1), (b"1", 0), (b"1", "x"), (b"1", "-1"), (b"1", "1 "),
                                          (b"1", 1 << 70)])
def test_a_body_of_another_length_is_not_processed(two, body, length):
    response = request(two.path, body=body, length=length)
    assert (response.status, response.state, response.body) == (400, "wrong_length", b"")


@pytest.mark.parametrize("length", [None, 101, ""])
def test_a_body_over_the_cap_is_answered(two, length):
    assert request(two.path, body=b"x" * 100, BODY_LIMIT=100).status == 200
    response = request(two.path, body=b"x" * 101, length=length, BODY_LIMIT=100)
    assert (response.status, response.state, response.body) == (413, "too_large", b"")


def test_much_too_large_body_is_answered(serve):
    server = serve("--workers", 1)
    response = request(server.path, body=b"x" * (4 << 20), BODY_LIMIT=100)
    assert (response.status, response.ended) == (413, True)


def test_an_aborted_body_is_not_processed(two):
    with Connection(two.path) as connection:
        connection.send(head("", 6) + record(STDIN, b"abc") + record(ABORT))
        response = connection.response()
    assert (response.status, response.state, response.body) == (400, "aborted", b"")


def test_complete_body_without_its_end_record_is_aborted(two):
    with Connection(two.path) as connection:
        connection.send(head("", 3) + record(STDIN, b"abc"))
        connection.socket.shutdown(socket.SHUT_WR)
        assert connection.response().state == "aborted"


def test_truncated_parameters_are_no_request(two):
    with Connection(two.path) as connection:
        connection.send(begin() + params({"REQUEST_METHOD": "POST"}, end=False))
        connection.socket.shutdown(socket.SHUT_WR)
        assert connection.closed()
    with Connection(two.path) as connection:
        connection.send(begin() + params({"REQUEST_METHOD": "POST"}, end=False) + record(ABORT) + record(PARAMS) + stdin(b""))
        assert connection.closed()
    assert request(two.path, "last").status == 200
    assert two.log().count(" handling ") == 1


def test_missing_answer_is_logged(two):
    with Connection(two.path) as connection:
        connection.send(head("silent", 0) + stdin(b""))
        response = connection.response()
    assert response.status is None and response.ended
    two.logged("request_unanswered")
    assert request(two.path).status == 200


def test_hooks_after_answers_and_while_idle(serve):
    server = serve("--workers", 0, "--idle-ms", 5)
    assert request(server.path).answered == "0"
    assert request(server.path).answered == "1"
    wait_for(lambda: int(request(server.path).idle) > 0, "idle()")


# --- Incorrect peers are dropped within the time limits, without delaying others


BAD = {
    "nothing": b"",
    "half a header": b"\x01\x01\x00",
    "garbage": b"GET / HTTP/1.0\r\n\r\n" * 10,
    "zeros": bytes(100),
    "version 2": record(BEGIN, struct.pack(">HB5x", 1, 0), version=2),
    "request id 0": begin(request=0),
    "unknown role": begin(role=9),
    "short begin": record(BEGIN, b"\0\1\0"),
    "parameters first": params({"A": "b"}),
    "half the parameters": begin() + record(PARAMS, pair(b"A", b"b") + b"\x05"),
    "a record longer than what comes": begin() + record(PARAMS, pair(b"A", b"b"), length=65535),
    "a value longer than its record": begin() + record(PARAMS, b"\x01\x80\x00\xff\xffA"),
    "the longest value": begin() + record(PARAMS, b"\x01\x84\x00\x00\x00A" + b"x" * 1000) + record(PARAMS),
    "no body": head("", 10),
    "half a body": head("", 10) + record(STDIN, b"12345"),
    "unknown records": record(99, b"x" * 50, request=0) * 3,
}


@pytest.mark.parametrize("data", BAD.values(), ids=BAD.keys())
def test_a_bad_peer_is_dropped(two, data):
    workers = two.workers()
    with contextlib.ExitStack() as stack:
        peers = [stack.enter_context(Connection(two.path)).send(data) for _ in range(4)]
        started = time.monotonic()
        assert request(two.path, body=b"fine").status == 200, "others are served"
        for peer in peers:
            peer.read()
        assert time.monotonic() - started < 5
    assert request(two.path).status == 200
    assert two.workers() == workers, "no worker died"


def test_slow_sender_is_dropped_at_the_deadline(two):
    data = head("", 1000) + record(STDIN, b"x" * 1000)
    with Connection(two.path) as connection:
        started = time.monotonic()
        with pytest.raises((BrokenPipeError, ConnectionResetError)):
            for at in range(len(data)):
                connection.send(data[at:at + 1])
                select.select([connection.socket], [], [], 0.01)  # readable at the end only
        assert 0.5 < time.monotonic() - started < 3


LARGE = head("", 1 << 20, BODY_LIMIT=1 << 20) + stdin(b"x" * (1 << 20))  # the body is echoed


@pytest.mark.parametrize("workers", [0, 1])
def test_peers_that_do_not_read_occupy_no_worker(serve, workers):
    """fcgi/slow_answers.h: their answers wait while others are served; if there are more than eight, the oldest is abandoned"""
    server = serve("--workers", workers, "--receive-ms", 60000)
    with contextlib.ExitStack() as stack:
        slow = [stack.enter_context(Connection(server.path)).send(LARGE) for _ in range(9)]
        assert request(server.path, timeout=5).status == 200
        server.logged("answer_given_up")
        answers = [peer.response() for peer in slow[1:]]
        assert [(answer.status, len(answer.body)) for answer in answers] == [(200, 1 << 20)] * 8
        assert len(slow[0].read()) < 1 << 20


@pytest.mark.parametrize("reads", [0, 16384])
def test_slow_readers_are_dropped_at_the_deadline(serve, reads):
    server = serve("--workers", 1, "--receive-ms", 600)
    with Connection(server.path) as connection:
        connection.send(LARGE)
        wait_for(lambda: connection.socket.recv(reads) is not None and " answer_given_up " in server.log(), "the drop")


def test_a_peer_that_goes_is_no_failure(serve):
    server = serve("--workers", 1, "--receive-ms", 60000)
    with Connection(server.path) as connection:
        connection.send(LARGE)
        assert request(server.path).status == 200
    server.logged("answer_given_up")
    assert request(server.path).status == 200


@pytest.mark.slow
def test_a_worker_that_waits_for_slow_answers_is_not_stuck(serve):
    """it may wait longer than SILENCE_MS of fcgi/server.c, the limit for an idle worker"""
    server = serve("--workers", 1, "--receive-ms", 8000)
    with Connection(server.path) as connection:
        connection.send(LARGE)
        assert request(server.path).status == 200
        server.send_signal(signal.SIGTERM)
        assert server.process.wait(30) == 0
    server.logged("answer_given_up")
    assert "worker_stuck" not in server.log()


@pytest.mark.parametrize("workers", [0, 1])
def test_a_stop_sends_slow_answers(serve, workers):
    server = serve("--workers", workers)
    with Connection(server.path) as connection:
        connection.send(LARGE)
        assert request(server.path).status == 200
        server.send_signal(signal.SIGTERM)
        repeat_term(server, workers)
        assert len(connection.response().body) == 1 << 20
    assert server.process.wait(TIMEOUT) == 0


def test_a_silent_peer_is_dropped_long_before_the_deadline(serve):
    server = serve("--workers", 1, "--silence-ms", 200, "--receive-ms", 60000)
    with Connection(server.path) as connection:
        connection.send(head("", 10) + record(STDIN, b"12345"))
        assert connection.response().state == "aborted"


def test_idle_connections_do_not_stop_the_service(two):
    with contextlib.ExitStack() as stack:
        for _ in range(8):
            stack.enter_context(Connection(two.path))
        assert request(two.path).status == 200


# --- Stopping


def repeat_term(server, workers):
    """mod_fcgid repeats its TERM after a second; the second one has no effect."""
    wait_for(lambda: not workers or not os.path.exists(server.path), "the stop to begin")
    server.send_signal(signal.SIGTERM)


@pytest.mark.parametrize("workers", [0, 2])
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGUSR1])
def test_a_stop_waits_for_the_request_in_flight(serve, workers, number):
    server = serve("--workers", workers)
    with half(server) as connection:
        server.send_signal(number)
        repeat_term(server, workers)
        connection.send(record(STDIN, b"56789") + record(STDIN))
        response = connection.response()
    assert (response.status, response.body) == (200, b"0123456789")
    assert server.process.wait(TIMEOUT) == 0
    assert not os.path.exists(server.path)


@pytest.mark.parametrize("workers", [0, 1])
def test_a_stop_serves_queued_requests(serve, workers):
    server = serve("--workers", workers)
    with contextlib.ExitStack() as stack:
        first = stack.enter_context(half(server))
        queued = [stack.enter_context(Connection(server.path)).send(head("", 1) + stdin(b"q")) for _ in range(5)]
        server.send_signal(signal.SIGTERM)
        repeat_term(server, workers)
        first.send(record(STDIN, b"56789") + record(STDIN))
        assert [peer.response().status for peer in [first, *queued]] == [200] * 6
    assert server.process.wait(TIMEOUT) == 0


def test_a_stop_is_not_starved_by_load(serve):
    server = serve("--workers", 2)
    with load(server, fail=False):
        assert server.end() == 0


def test_a_stop_has_a_bound(serve):
    server = serve("--workers", 1, "--request-ms", 300)
    with Connection(server.path) as connection:
        connection.send(head("sleep=60000", 0) + stdin(b""))
        server.logged("handling")
        started = time.monotonic()
        assert server.end() == 0
    assert time.monotonic() - started < 10


def test_workers_end_with_their_parent(serve):
    server = serve("--workers", 2)
    workers = wait_for(lambda: len(server.workers()) == 2 and server.workers(), "two workers")
    server.logged("worker_started", 2)
    server.process.kill()
    server.process.wait()
    wait_for(lambda: all(gone(pid) for pid in workers), "the workers to end")


# --- Workers that die


def test_a_killed_worker_is_replaced_and_others_continue(serve):
    server = serve("--workers", 2)
    with half(server) as connection:
        server.logged("worker_started", 2)
        victim = wait_for(lambda: busy_worker(server), "a worker that reads the request")
        os.kill(victim, signal.SIGKILL)
        assert connection.closed()
    assert request(server.path).status == 200
    wait_for(lambda: len(server.workers() - {victim}) == 2, "the replacement")
    server.logged("worker_died")


def busy_worker(server):
    """The worker that has a connection: it has another socket besides the listening one."""
    def sockets(pid):
        links = pathlib.Path(f"/proc/{pid}/fd").iterdir()
        return sum(os.readlink(link).startswith("socket:") for link in links)
    most = max(server.workers(), key=sockets)
    return most if sockets(most) > min(map(sockets, server.workers())) else None


def test_a_worker_that_dies_in_a_request_is_replaced(serve):
    server = serve("--workers", 1)
    for _ in range(3):
        with Connection(server.path) as connection:
            connection.send(head("exit", 0) + stdin(b""))
            assert connection.closed()
    assert request(server.path).status == 200


def test_a_stuck_worker_is_killed_and_replaced(serve):
    server = serve("--workers", 1, "--request-ms", 300)
    with Connection(server.path) as connection:
        connection.send(head("sleep=60000", 0) + stdin(b""))
        assert connection.closed()
    assert request(server.path).status == 200
    server.logged("worker_stuck")


def test_restarts_of_failing_workers_are_delayed(start, folder):
    (folder / "config").write_text("refuse")
    server = start("--workers", 1, "--config", folder / "config")
    server.logged("replacement_paused", 3)
    assert server.log().count(" worker_died ") < 12
    assert server.end() == 0


def test_a_worker_retires_after_its_requests(serve):
    server = serve("--workers", 1, "--max-requests", 3)
    pids = [request(server.path).pid for _ in range(9)]
    assert len(set(pids)) == 3 and pids == sorted(pids, key=pids.index)
    assert " worker_died " not in server.log()


# --- Reload


@contextlib.contextmanager
def load(server, fail=True, clients=4):
    """Clients that send requests without a pause; each answer must be 200, unless `fail` is false."""
    done, seen, failures = threading.Event(), [], []

    def client():
        while not done.is_set():
            try:
                response = request(server.path, body=b"load")
                seen.append(response.config)
                if response.status != 200:
                    failures.append(response.status)
            except OSError as error:
                failures.append(error)
    threads = [threading.Thread(target=client) for _ in range(clients)]
    for thread in threads:
        thread.start()
    try:
        wait_for(lambda: len(seen) > 20, "the load")
        yield seen
    finally:
        done.set()
        for thread in threads:
            thread.join()
    assert not fail or not failures


@pytest.mark.parametrize("workers", [0, 2])
def test_hup_brings_the_new_configuration_without_a_failed_request(serve, folder, workers):
    (folder / "config").write_text("old")
    server = serve("--workers", workers, "--config", folder / "config")
    with load(server) as seen:
        assert set(seen) == {"old"}
        for times, name in enumerate(("new", "newer"), 1):
            (folder / "config").write_text(name)
            server.send_signal(signal.SIGHUP)
            server.logged("reloaded", times)
            wait_for(lambda: seen[-1] == name, name)
        wait_for(lambda: len(server.workers()) == workers, "the old workers to end")
        wait_for(lambda: set(seen[-20:]) == {"newer"}, "only the new configuration")


def test_hup_lets_the_request_in_flight_end(serve):
    server = serve("--workers", 1)
    with half(server) as connection:
        server.send_signal(signal.SIGHUP)
        server.logged("reloaded")
        assert request(server.path).status == 200
        connection.send(record(STDIN, b"56789") + record(STDIN))
        assert connection.response().body == b"0123456789"


@pytest.mark.parametrize("workers", [0, 2])
def test_a_bad_configuration_leaves_the_old_one_serving(serve, folder, workers):
    (folder / "config").write_text("old")
    server = serve("--workers", workers, "--config", folder / "config")
    (folder / "config").write_text("bad")
    server.send_signal(signal.SIGHUP)
    server.logged("reload_failed")
    assert request(server.path).config == "old"


def test_reload_without_a_parent_stops_first(serve, folder):
    """server.h, adopt: the previous configuration stays valid until the application has stopped"""
    (folder / "config").write_text("old")
    server = serve("--workers", 0, "--config", folder / "config")
    (folder / "config").write_text("new")
    server.send_signal(signal.SIGHUP)
    server.logged("reloaded")
    assert re.findall(r" bye answered=0 config=(\w+)", server.log()) == ["old"]
    assert request(server.path).config == "new"


def test_old_workers_serve_until_a_refused_configuration_is_corrected(serve, folder):
    (folder / "config").write_text("old")
    server = serve("--workers", 2, "--config", folder / "config")
    server.logged("worker_started", 2)
    (folder / "config").write_text("refuse")
    server.send_signal(signal.SIGHUP)
    server.logged("worker_died", 3)
    assert {request(server.path).config for _ in range(10)} == {"old"}
    (folder / "config").write_text("corrected")
    server.send_signal(signal.SIGHUP)
    wait_for(lambda: request(server.path).config == "corrected", "the corrected configuration")
    server.logged("reloaded")


def test_a_bad_configuration_at_the_start_is_an_error(start, folder):
    (folder / "config").write_text("bad")
    server = start("--workers", 2, "--config", folder / "config")
    assert server.process.wait(TIMEOUT) == os.EX_CONFIG
    assert not os.path.exists(server.path)


# --- The socket


def listening(address, family=socket.AF_UNIX):
    made = socket.socket(family)
    made.bind(address)
    made.listen(16)
    return made


def test_descriptor_zero_is_served_without_workers(serve, folder):
    with listening(str(folder / "socket")) as zero:
        server = serve(listen=False, stdin=zero)
        assert int(request(server.path).pid) == server.process.pid and not server.workers()
        assert server.end() == 0
    assert os.path.exists(server.path), "the socket's creator removes it"


def test_descriptor_zero_can_have_workers(serve, folder):
    with listening(str(folder / "socket")) as zero:
        server = serve("--workers", 2, listen=False, stdin=zero)
        assert int(request(server.path).pid) in server.workers()


def test_listen_fds_is_served_and_other_descriptors_are_closed(serve, folder):
    stray = folder / "stray"
    stray.touch()
    script = f'export LISTEN_PID=$$ LISTEN_FDS=1; exec "$0" "$@" 3<&0 0</dev/null 9<{stray}'
    with listening(str(folder / "socket")) as made:
        server = serve("--workers", 2, listen=False, via=["sh", "-c", script], stdin=made)
        assert int(request(server.path).pid) in server.workers()
    links = [os.readlink(link) for link in pathlib.Path(f"/proc/{server.process.pid}/fd").iterdir()]
    assert str(stray) not in links
    assert sum(link.startswith("socket:") for link in links) == 1


def test_listen_fds_of_another_process_is_ignored(start, folder):
    server = start(listen=False, env={"LISTEN_PID": "1", "LISTEN_FDS": "1"})
    assert server.process.wait(TIMEOUT) == os.EX_USAGE


def test_an_inherited_public_socket_is_refused(start):
    with listening(("0.0.0.0", 0), socket.AF_INET) as zero:
        assert start(listen=False, stdin=zero).process.wait(TIMEOUT) == os.EX_CONFIG


def test_missing_standard_descriptors_are_filled(serve, folder):
    """FastCGI passes only descriptor 0: no connection may become standard error."""
    with listening(str(folder / "socket")) as zero:
        server = Server(folder, "--workers", 0, listen=False, stdin=zero, preexec_fn=lambda: (os.close(1), os.close(2)))
        try:
            assert request(server.path).status == 200
            assert [os.readlink(f"/proc/{server.process.pid}/fd/{fd}") for fd in (1, 2)] == ["/dev/null"] * 2
        finally:
            server.clean_up()


def test_loopback_addresses_are_served(serve):
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        address = probe.getsockname()
    server = serve("--listen", f"127.0.0.1:{address[1]}", "--workers", 1, listen=False)
    assert request(address, body=b"tcp").body == b"tcp"
    assert server.end() == 0


def test_a_stale_socket_is_replaced(serve, folder):
    first = serve("--workers", 0)
    first.process.kill()
    first.process.wait()
    assert os.path.exists(first.path)
    second = serve("--workers", 0)
    second.logged("stale_socket_removed")
    assert request(second.path).status == 200
    assert stat.S_IMODE(os.stat(second.path).st_mode) == 0o660


def test_a_second_instance_is_refused(serve, start):
    first = serve("--workers", 1)
    second = start("--workers", 1)
    assert second.process.wait(TIMEOUT) == os.EX_UNAVAILABLE
    assert "listen_in_use" in second.log()
    assert request(first.path).status == 200
