# SPDX-License-Identifier: MIT
"""docs/architecture.md 7 Lanes: a worker serves several requests at a time. The application is tests/fcgi/echo_app.c."""
import contextlib
import os
import pathlib
import select
import signal
import time

from echo_server import TIMEOUT, folder, half, serve, start, wait_for  # noqa: F401  # fixtures
from fastcgi_client import STDIN, Connection, head, record, request, stdin

LARGE = head("", 1 << 20, BODY_LIMIT=1 << 20) + stdin(b"x" * (1 << 20))  # the body is echoed


def test_a_request_that_waits_does_not_delay_others(serve):
    server = serve("--workers", 1, "--lanes", 3)
    with contextlib.ExitStack() as stack:
        waiting = [stack.enter_context(Connection(server.path)).send(head("sleep=60000", 0) + stdin(b"")) for _ in range(2)]
        server.logged("handling", 2)
        for _ in range(3):
            assert request(server.path, timeout=5).status == 200
        assert not any(select.select([peer.socket for peer in waiting], [], [], 0)[0])


def sockets(server):
    """Return the number of open sockets of each worker."""
    return {pid: sum(os.readlink(fd).startswith("socket:") for fd in pathlib.Path(f"/proc/{pid}/fd").iterdir())
            for pid in server.workers()}


def watches(pid):
    """Return the number of descriptors that a process watches with epoll."""
    return sum(text.read_text().count("tfd:") for text in pathlib.Path(f"/proc/{pid}/fdinfo").iterdir())


def test_workers_use_half_of_their_lanes_before_one_uses_more(serve):
    """and then all of them"""
    server = serve("--workers", 2, "--lanes", 8, "--silence-ms", 60000, "--receive-ms", 60000)
    wait_for(lambda: [watches(pid) for pid in server.workers()] == [2, 2], "both workers to watch signals and connections")
    before = sockets(server)
    with contextlib.ExitStack() as stack:
        for each in (4, 8):
            for _ in range(8):
                stack.enter_context(half(server))
            assert sockets(server) == {pid: count + each for pid, count in before.items()}


def test_a_connection_is_taken_by_the_worker_that_it_wakes(serve):
    """even if the other one, which is not woken, has got room since both used half of their lanes"""
    server = serve("--workers", 2, "--lanes", 6, "--silence-ms", 60000, "--receive-ms", 60000, "--idle-ms", 60000)
    wait_for(lambda: [watches(pid) for pid in server.workers()] == [2, 2], "both workers to watch signals and connections")
    peers = {pid: [] for pid in server.workers()}
    with contextlib.ExitStack() as stack:
        for _ in range(6):
            before = sockets(server)
            peer = stack.enter_context(half(server))
            peers[next(pid for pid, count in sockets(server).items() if count > before[pid])].append(peer)
        # both have three requests; the one that reached half of its lanes last still watches the socket
        wait_for(lambda: sorted(map(watches, peers)) == [4, 5], "one worker to watch signals, requests and connections, the other not")
        other = min(peers, key=watches)
        peer = peers[other][0].send(record(STDIN, b"56789") + record(STDIN))
        assert peer.response().status == 200
        wait_for(lambda: [watches(pid) for pid in peers] == [4 if pid == other else 5 for pid in peers], "both to watch it")
        assert request(server.path, timeout=5).status == 200


def test_more_requests_than_lanes_wait_for_their_turn(serve):
    server = serve("--workers", 1, "--lanes", 2)
    started = time.monotonic()
    with contextlib.ExitStack() as stack:
        peers = [stack.enter_context(Connection(server.path)).send(head("sleep=100", 0) + stdin(b"")) for _ in range(7)]
        assert [peer.response().status for peer in peers] == [200] * 7
    assert time.monotonic() - started >= 0.4, "two at a time"
    assert len(server.workers()) == 1


def test_slow_senders_occupy_only_their_lanes(serve):
    server = serve("--workers", 1, "--lanes", 3, "--silence-ms", 60000, "--receive-ms", 60000)
    with half(server) as first, half(server) as second:
        assert request(server.path, timeout=5).status == 200
        for peer in (second, first):
            peer.send(record(STDIN, b"56789") + record(STDIN))
            response = peer.response()
            assert (response.status, response.body) == (200, b"0123456789")


def test_a_stop_waits_for_the_requests_of_all_lanes(serve):
    server = serve("--workers", 1, "--lanes", 3)
    with half(server) as first, half(server) as second:
        server.send_signal(signal.SIGTERM)
        for peer in (first, second):
            peer.send(record(STDIN, b"56789") + record(STDIN))
            assert peer.response().status == 200
    assert server.process.wait(TIMEOUT) == 0


def test_a_worker_is_judged_by_its_oldest_request(serve):
    """requests that came later do not hide that it is stuck"""
    server = serve("--workers", 1, "--lanes", 4, "--request-ms", 500)
    with Connection(server.path) as connection:
        connection.send(head("sleep=60000", 0) + stdin(b""))
        server.logged("handling")
        wait_for(lambda: " worker_stuck " in server.log() or request(server.path).status != 200, "the end of the worker")
        server.logged("worker_stuck")
    wait_for(lambda: request(server.path).status == 200, "another worker")


def test_a_slow_sender_does_not_end_the_requests_of_others(serve):
    """the worker is not judged by the time for receiving, even if that may be longer than the time for a request"""
    server = serve("--workers", 1, "--lanes", 3, "--silence-ms", 60000, "--receive-ms", 60000, "--request-ms", 2000)
    workers = server.workers()
    with half(server) as slow:
        assert not select.select([slow.socket], [], [], 4)[0], "the connection stays open"
        slow.send(record(STDIN, b"56789") + record(STDIN))
        response = slow.response()
        assert (response.status, response.body) == (200, b"0123456789")
    assert server.workers() == workers
    assert " worker_stuck " not in server.log()


def test_each_lane_may_have_as_many_slow_answers(serve):
    """as many peers as are served at a time may each read slowly, and get whole answers"""
    server = serve("--workers", 1, "--lanes", 3, "--receive-ms", 60000)
    with contextlib.ExitStack() as stack:
        slow = [stack.enter_context(Connection(server.path)).send(LARGE) for _ in range(24)]
        assert request(server.path, timeout=5).status == 200
        assert [len(peer.response().body) for peer in slow] == [1 << 20] * 24
    assert " answer_given_up " not in server.log()
