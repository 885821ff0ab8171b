# SPDX-License-Identifier: MIT
"""docs/api.md 2.2: errors of the web servers themselves, with the files of conf-examples/; docs/operating.md 5."""
import contextlib
import json
import os
import signal
import socket

import pytest
from client import CORS
from processes import children
from service import settles
from stack.front import FRONTS, ApacheFcgid, ApacheProxy, Lighttpd, Nginx
from stack.process import suspend

MOUNT = "/lead/"
JSON = "application/json"
# Timeouts of the files, shortened.
TIMEOUTS = {'"read-timeout" => 30': '"read-timeout" => 1', "timeout=30": "timeout=1", "header=20-40,": "header=1-2,",
            "body=10,": "body=1,", "fastcgi_read_timeout 30s": "fastcgi_read_timeout 1s", "client_body_timeout 20s":
            "client_body_timeout 1s", "client_header_timeout 40s": "client_header_timeout 1s"}
LONG = b"x" * 70000
HEAD = b" HTTP/1.1\r\nHost: x\r\n"
# By case: the request, and the status and error code by kind of server.
BAD, LARGE = (400, "bad_request"), (413, "body_too_large")
TOO_LONG = (431, "headers_too_large")
CASES = {
    "not HTTP": (b"nonsense\r\n\r\n", {Lighttpd: BAD, ApacheProxy: BAD, ApacheFcgid: BAD, Nginx: BAD}),
    "no Host": (b"GET /lead/health HTTP/1.1\r\n\r\n", {Lighttpd: BAD, ApacheProxy: BAD, ApacheFcgid: BAD, Nginx: BAD}),
    "bad header": (b"GET /lead/health" + HEAD + b"bad header\r\n\r\n", {Lighttpd: BAD, ApacheProxy: BAD, ApacheFcgid: BAD, Nginx: BAD}),
    "no length": (b"POST /lead/v2/1" + HEAD + b"\r\n", {Lighttpd: (411, "length_required")}),
    "long URL": (b"GET /lead/health?" + LONG + HEAD + b"\r\n", {Lighttpd: TOO_LONG, ApacheProxy: (414, "uri_too_long"),
                                                              ApacheFcgid: (414, "uri_too_long"), Nginx: (414, "uri_too_long")}),
    "long header": (b"GET /lead/health" + HEAD + b"X-Long: " + LONG + b"\r\n\r\n", {Lighttpd: TOO_LONG, ApacheProxy: BAD,
                                                                                   ApacheFcgid: BAD, Nginx: TOO_LONG}),
    "bad chunk": (b"POST /lead/v2/1" + HEAD + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n", {Lighttpd: BAD, ApacheProxy: BAD, Nginx: BAD}),
    "large body": (b"POST /lead/v2/1" + HEAD + b"Content-Length: 3000000\r\n\r\n" + b"x" * 3000000, {Lighttpd: LARGE, Nginx: LARGE}),
    "large chunks": (b"POST /lead/v2/1" + HEAD + b"Transfer-Encoding: chunked\r\n\r\n" + (b"10000\r\n" + b"x" * 65536 + b"\r\n") * 40,
                     {Lighttpd: LARGE, Nginx: LARGE}),
    "slow body": (b"POST /lead/v2/1" + HEAD + b"Content-Length: 10\r\n\r\n{", {ApacheProxy: (408, "request_timeout"),
                                                                             ApacheFcgid: (500, "internal_error")}),
    "slow header": (b"GET /lead/health HTTP/1.1\r\nHo", {ApacheProxy: (408, "request_timeout"), ApacheFcgid: (408, "request_timeout")}),
}
DOWN = {Lighttpd: 503, ApacheProxy: 503, Nginx: 502}


@pytest.fixture(scope="module", params=FRONTS)
def service(request, make_service):
    class Impatient(FRONTS[request.param]):
        def write(self, name, text, mode=0o644):
            for old, new in TIMEOUTS.items():
                text = text.replace(old, new)
            return super().write(name, text, mode)
    return make_service(front=Impatient, mount=MOUNT, workers=2)


def of(front, answers):
    """Returns the member of `answers` for the kind of this server, or None."""
    return next((answer for kind, answer in answers.items() if isinstance(front, kind)), None)


def send(service, request):
    """Sends raw bytes; returns (status, headers in lower case, body) of the answer."""
    with socket.create_connection(("127.0.0.1", service.front.port), timeout=20) as connection:
        with contextlib.suppress(OSError):  # it answers and closes before it has read everything
            connection.sendall(request)
        with connection.makefile("rb") as file:
            status = int(file.readline().split()[1])
            headers = dict(line.decode().strip().lower().split(": ", 1) for line in iter(file.readline, b"\r\n"))
            body = file.read(int(headers["content-length"])) if "content-length" in headers else file.read()
    return status, headers, body


def check_error(answer, verdict):
    status, headers, body = answer
    fields = json.loads(body)
    assert (status, fields["error"]) == verdict
    assert set(fields) == {"message", "error"} and fields["message"]
    assert headers["content-type"] == JSON and headers["cache-control"] == "no-store"
    assert {name: headers[name.lower()] for name in CORS} == {name: value.lower() for name, value in CORS.items()}
    assert "x-request-id" not in headers


@pytest.mark.parametrize("case", CASES)
def test_requests_that_it_refuses(service, case):
    """docs/api.md 2.2: JSON with the CORS headers. A slow body is answered with 500 by mod_fcgid"""
    request, answers = CASES[case]
    verdict = of(service.front, answers)
    if verdict is None:
        pytest.skip("this server leaves it to the program, or closes the connection")
    check_error(send(service, request), verdict)


@pytest.mark.parametrize("case", ["large body", "large chunks"])
def test_large_bodies_that_reach_the_program(service, campaign, case):
    """docs/api.md 2: 413 on all servers"""
    request = CASES[case][0].replace(b"/v2/1", f"/v2/{campaign.id}".encode()) + b"0\r\n\r\n" * (case == "large chunks")
    status, headers, body = send(service, request)
    assert (status, json.loads(body)["error"]) == LARGE
    assert headers["access-control-allow-origin"] == "*"


def test_no_length_is_an_empty_body(service, campaign):
    """docs/api.md 1.2: on all servers except lighttpd"""
    if isinstance(service.front, Lighttpd):
        pytest.skip("411")
    status, headers, body = send(service, f"POST {MOUNT}v2/{campaign.id}".encode() + HEAD + b"\r\n")
    assert (status, json.loads(body)["error"]) == (406, "missing_identifier") and "x-request-id" in headers


def test_slow_requests_of_nginx(service):
    """docs/operating.md 5: nginx closes the connection without an answer"""
    if not isinstance(service.front, Nginx):
        pytest.skip("408")
    for case in ("slow body", "slow header"):
        with socket.create_connection(("127.0.0.1", service.front.port), timeout=20) as connection:
            connection.sendall(CASES[case][0])
            assert connection.recv(1) == b""


@pytest.mark.parametrize("path", ["/nowhere", "/leadhook"])
def test_other_paths(service, path):
    """docs/operating.md 5: errors of paths outside the service are not changed"""
    status, headers, body = send(service, f"GET {path}".encode() + HEAD + b"Connection: close\r\n\r\n")
    assert status in (403, 404) and body.startswith(b"<")
    assert "access-control-allow-origin" not in headers and headers["content-type"].startswith("text/html")


def test_errors_of_the_program(service, campaign):
    """docs/api.md 2: they are passed on, even if the web server uses the same statuses"""
    large = campaign.client.request("POST", campaign.path, body=b"x" * 300000, type=JSON)
    missing = campaign.client.request("GET", "/nowhere")
    bad = campaign.client.request("POST", campaign.path + "/optout", json_body={"emails": ["none@example.org"]}, key=campaign.key)
    for response, verdict in ((large, LARGE), (missing, (404, "not_found")), (bad, (400, "no_leads"))):
        assert response.verdict == verdict and len(response.headers["X-Request-Id"]) == 24
        assert response.headers["Content-Type"] == "application/json; charset=utf-8"
        assert [response.headers.get_all(name) for name in CORS] == [[value] for value in CORS.values()]


@contextlib.contextmanager
def suspended(service):
    pids = children(service.responders.pid)
    for pid in pids:
        suspend(pid)
    try:
        yield
    finally:
        for pid in pids:
            os.kill(pid, signal.SIGCONT)


def check_logs(service):
    for log in service.front.folder.glob("*.log"):
        assert "lh_secret" not in log.read_text()


def test_program_that_does_not_answer(service):
    """docs/api.md 2.2: 504; no key in a log of the web server"""
    if service.front.starts_program:
        pytest.skip("covered with a running program")
    with suspended(service):
        check_error(send(service, b"GET /lead/health?api_key=lh_secret" + HEAD + b"\r\n"), (504, "unavailable"))
    service.wait_ready()
    check_logs(service)


def test_program_that_does_not_run(service):
    """docs/api.md 2.2: 503, with nginx 502; no key in a log of the web server"""
    status = of(service.front, DOWN)
    if service.front.starts_program:
        pytest.skip("the web server starts it")
    service.responders.stop()
    try:
        for request in (b"GET /lead/health?api_key=lh_secret" + HEAD + b"\r\n",
                        b"POST /lead/v2/1?api_key=lh_secret" + HEAD + b"Content-Length: 2\r\n\r\n{}"):
            check_error(send(service, request), (status, "unavailable"))
    finally:
        service.responders.start()
        service.wait_ready()
    check_logs(service)


def test_unavailable_database(make_service, own_database, service):
    """docs/api.md 2: the program answers 503"""
    other = make_service(front=type(service.front), mount=MOUNT, database=own_database, workers=2)
    own_database.stop()
    try:
        response = settles(lambda: other.client.request("GET", "/health/ready"), 503)
    finally:
        own_database.start()
    assert response.headers["X-Request-Id"] and response.headers["Access-Control-Allow-Origin"] == "*"
    assert response.body != b"" and response.headers["Content-Type"] == "application/json; charset=utf-8"


@pytest.mark.parametrize("name", FRONTS)
def test_service_at_the_root(make_service, name):
    """docs/operating.md 5: the errors are the same if base_path is empty"""
    service = make_service(front=FRONTS[name], mount="/", workers=2)
    assert service.client.request("GET", "/health?" + "x" * 30000).status == 200
    assert service.client.request("GET", "/nowhere").headers["X-Request-Id"]
    check_error(send(service, b"bad request\r\n\r\n"), BAD)
