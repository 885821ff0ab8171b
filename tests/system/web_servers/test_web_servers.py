# SPDX-License-Identifier: MIT
"""docs/operating.md 5: the program with each web server, using the files of conf-examples/; docs/api.md 1, 2, 3, 7."""
import contextlib
import http.client
import json
import pathlib
import signal
import socket
import time
import urllib.parse

import pytest
from caller import Caller
from client import CORS, PREFLIGHT, Client, multipart
from html_page import check_page
from load import Load, lead_count
from stack.examples import fill
from stack.front import FRONTS, Apache, ApacheFcgid, ApacheProxy, Nginx
from stack.process import run, wait_until

ADA = {"email": "ada@example.org"}
# 200 KiB that are read but not stored: names with _ are not custom fields, and a value has at most 4 KiB.
LARGE = {**ADA, **{f"_padding{number}": "x" * 4096 for number in range(50)}}
DEBIAN = pathlib.Path("/etc/lighttpd")
DEBIAN_NGINX = pathlib.Path("/etc/nginx")


@pytest.fixture(scope="module", params=FRONTS)
def service(request, make_service):
    """Each web server with the program below a path, as on a shared site."""
    service = make_service(front=FRONTS[request.param], mount="/lead/", workers=4)
    yield service
    service.stop()


@pytest.mark.parametrize("fields", [{**ADA, "first_name": "Ada"}, {**LARGE, "first_name": "Ada"}], ids=["small", "200 KiB"])
@pytest.mark.parametrize("chunked", [False, True], ids=["length", "chunked"])
@pytest.mark.parametrize("kind", ["json", "form", "multipart"])
def test_bodies(campaign, kind, chunked, fields):
    """docs/api.md 1 Body types"""
    type, body = {"json": lambda: ("application/json", json.dumps(fields).encode()),
                  "form": lambda: ("application/x-www-form-urlencoded", urllib.parse.urlencode(fields).encode()),
                  "multipart": lambda: multipart(fields.items())}[kind]()
    response = campaign.client.request("POST", campaign.path, body=body, type=type, chunked=chunked, key=campaign.key)
    assert response.status == 200, response.body
    assert response.json["email"] == ADA["email"] and response.json["custom_fields"] == {"first_name": "Ada"}


def test_the_next_part_of_a_list(campaign):
    """docs/manage.md 1.1, Lists: the header Link fits even with a long query; a query with which it would not fit is refused"""
    key = campaign.service.installation.admin("key", "add", str(campaign.account.id), "--rights", "all")["key"]

    def export(size):
        source = "s" * size
        answer = Caller(campaign.service, key)("GET", f"campaigns/{campaign.id}/export?source={source}")
        return answer.status, source in answer.headers.get("Link", ""), answer.json.get("error")
    assert export(5900) == (200, True, None)
    assert export(6200) == (422, False, "invalid_arguments")


def test_bodies_of_look_ups(campaign):
    """docs/api.md 1.2: GET may have a body; lighttpd refuses it without the setting of the example"""
    campaign.lead(**ADA)
    for options in ({"json_body": ADA}, {"form": ADA}):
        assert campaign.client.request("GET", campaign.path, **options).json["counter"] == 1
    answer = campaign.client.request("GET", "/v2/campaigns", json_body={"api_key": campaign.key})
    assert answer.status == 200 and campaign.id in [one["id"] for one in answer.json]


def test_slow_bodies_occupy_no_worker(campaign):
    """docs/operating.md 5: the web server reads the whole body before it uses a worker"""
    head = (f"POST {campaign.client.base_path}{campaign.path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
            "Content-Length: 200000\r\n\r\n{").encode()
    with contextlib.ExitStack() as stack:
        for _ in range(12):  # there are four workers
            connection = stack.enter_context(socket.create_connection(("127.0.0.1", campaign.client.port), timeout=10))
            connection.sendall(head + b" " * 20000)
        for _ in range(20):
            before = time.monotonic()
            assert campaign.client.request("GET", "/health").status == 200
            assert time.monotonic() - before < 3


@pytest.mark.slow
@pytest.mark.parametrize("front", [ApacheProxy, ApacheFcgid])
def test_slow_bodies_occupy_apache_for_seconds(make_service, monkeypatch, front):
    """docs/operating.md 5: RequestReadTimeout ends slow bodies; here, there are more of them than workers of Apache"""
    class Small(front):
        main = front.main + "ServerLimit 1\nStartServers 1\nThreadsPerChild 8\nMaxRequestWorkers 8\n"
    service = make_service(front=Small)
    monkeypatch.setattr("client.TIMEOUT", 1)
    head = b"POST /v2/1 HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 200000\r\n\r\n"
    with contextlib.ExitStack() as stack:
        connections = [stack.enter_context(socket.create_connection(("127.0.0.1", service.front.port))) for _ in range(12)]
        for connection in connections:
            connection.sendall(head)

        def answers():
            for connection in connections:
                with contextlib.suppress(OSError):  # ended by Apache
                    connection.sendall(b" ")
            return service.client.healthy()
        assert not answers()
        wait_until(answers, 60, "an answer during slow bodies")


@pytest.mark.slow
@pytest.mark.parametrize("front", [ApacheProxy, ApacheFcgid])
def test_slow_readers_occupy_no_worker(make_service, front):
    """docs/operating.md 5: Apache passes an answer on as the client reads it; here, its send buffer is as small as over a
    network"""
    class Sparing(front):
        main = front.main + "SendBufferSize 32768\n"
    service = make_service(front=Sparing, workers=4)
    with contextlib.ExitStack() as stack:
        for _ in range(12):
            connection = stack.enter_context(socket.socket())
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
            connection.connect(("127.0.0.1", service.front.port))
            connection.sendall(b"GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n")
            assert connection.recv(12) == b"HTTP/1.1 200"
        before = time.monotonic()
        assert service.client.request("GET", "/health").status == 200
        assert time.monotonic() - before < 5


@pytest.mark.parametrize("chunked", [False, True], ids=["length", "chunked"])
def test_too_large_body_is_answered_by_the_program(campaign, chunked):
    """docs/api.md 2 body_too_large: the web server's own limit is higher"""
    response = campaign.client.request("POST", campaign.path, body=b"x" * 300000, type="application/json", chunked=chunked)
    assert response.verdict == (413, "body_too_large")


def test_the_largest_bulk_call(campaign):
    """docs/api.md 1 Caps: 1 MiB"""
    body = json.dumps({"emails": ["unknown@example.org"]}).encode().ljust(1 << 20)
    for method, path in (("POST", "/optout"), ("DELETE", "")):
        response = campaign.client.request(method, campaign.path + path, body=body, type="application/json", key=campaign.key)
        assert response.verdict == (400, "no_leads")


def test_scripts_and_pages(campaign):
    """docs/api.md 4.1: JSONP and opt-out pages have their own types and headers"""
    lead = campaign.lead(**ADA)
    response = campaign.client.request("GET", f"/v1/{campaign.id}/info", query={**ADA, "jsonp": "f"})
    assert response.headers["Content-Type"] == "text/javascript; charset=utf-8"
    assert response.body.startswith(b'f({"id":') and response.body.endswith(b"});")
    response = campaign.client.request("GET", f"/v1/{campaign.id}/info", query={"jsonp": "f"})
    assert response.status == 409 and response.headers["Content-Type"] == "text/javascript; charset=utf-8"
    assert response.body.startswith(b'f({"status":409,') and response.body.endswith(b"});")
    path = lead["unsubscribe_url"]["safe"].removeprefix(campaign.service.front.url)
    check_page(campaign.client.request("GET", path), 200)
    check_page(campaign.client.request("POST", path, form={"List-Unsubscribe": "One-Click"}), 200)
    assert campaign.find(**ADA)["opted_out"] is True


@pytest.mark.parametrize("header", ["Authorization", "Authentication"])
def test_keys_arrive(campaign, header):
    """docs/api.md 3: Apache drops Authorization without the setting of the example"""
    for method, path in (("GET", "/v2/campaigns"), ("POST", campaign.path)):
        response = campaign.client.request(method, path, query=ADA, headers={header: f"Bearer {campaign.key}"})
        assert response.status == 200
    assert "ip" in response.json


def test_the_clients_address_arrives(campaign):
    """leadhook.conf(5): X-Forwarded-For from a trusted proxy"""
    assert campaign.post(ADA, address="203.0.113.9").json["ip"] == "203.0.113.9"


def test_a_long_x_forwarded_for(service, campaign):
    """docs/operating.md 5: a client cannot hide its address by making the header too long, which mod_proxy_fcgi would drop"""
    response = campaign.post(ADA, address=", ".join(["8.8.8.8"] * 2000 + ["203.0.113.9"]))
    if isinstance(service.front, ApacheProxy):
        assert response.verdict == (403, "forbidden")
    else:
        assert response.status == 200 and response.json["ip"] == "203.0.113.9"


@pytest.mark.parametrize("lines, address", [
    (["198.51.100.7", "10.1.2.3"], "10.1.2.3"), (["10.1.2.3", "198.51.100.7"], "198.51.100.7"),
    (["8.8.8.8, 9.9.9.9", "198.51.100.7"], "198.51.100.7"),
    (["8.8.8.8", "198.51.100.7, 127.0.0.1"], "198.51.100.7"), (["8.8.8.8", "198.51.100.7", "127.0.0.1"], "198.51.100.7"),
    (["2001:db8::7", "127.0.0.1", ""], "2001:db8::7"), (["8.8.8.8", "unknown"], "127.0.0.1"),
    (["198.51.100.7", "198.51.100.7"], "198.51.100.7")])
def test_lines_of_x_forwarded_for(service, campaign, lines, address):
    """leadhook.conf(5), server.trusted_proxies: several lines form one list in their order, which is searched from the right"""
    body = json.dumps(ADA).encode()
    for method in ("POST", "GET"):
        connection = http.client.HTTPConnection("127.0.0.1", campaign.client.port, timeout=10)
        with contextlib.closing(connection):
            connection.putrequest(method, f"{campaign.client.base_path}{campaign.path}?email=ada@example.org")
            for line in lines:
                connection.putheader("X-Forwarded-For", line)
            for name, value in (("Authorization", f"Bearer {campaign.key}"), ("Content-Type", "application/json"),
                                ("Content-Length", len(body))):
                connection.putheader(name, value)
            connection.endheaders(body)
            answer = connection.getresponse()
            assert (answer.status, json.load(answer)["ip"]) == (200, address)


@pytest.mark.parametrize("name", ["X_Forwarded_For", "X.Forwarded.For"])
def test_header_similar_to_x_forwarded_for(service, campaign, name):
    """docs/api.md 5: Apache and nginx drop it; lighttpd passes it on, and the program refuses the request"""
    response = campaign.post(ADA, address="203.0.113.9", headers={name: "8.8.8.8"})
    if isinstance(service.front, (Apache, Nginx)):
        assert response.status == 200 and response.json["ip"] == "203.0.113.9"
    else:
        assert response.verdict == (400, "bad_request")


def test_preflight(campaign):
    """docs/api.md 7"""
    response = campaign.client.request("OPTIONS", campaign.path, headers={
        "Origin": "https://shop.example", "Access-Control-Request-Headers": "content-type,x-any-name"})
    assert response.status == 204 and response.body == b""
    assert {name: response.headers[name] for name in PREFLIGHT} == PREFLIGHT
    assert response.headers.get_all("Access-Control-Allow-Headers") == ["content-type,x-any-name"]
    assert len(response.headers.get_all("Access-Control-Allow-Origin")) == 1


def test_errors_keep_their_body_and_headers(campaign):
    """docs/api.md 2, 7: web servers do not replace them with error pages"""
    for response, verdict in ((campaign.get(ADA), (404, "lead_not_found")), (campaign.post({}), (406, "missing_identifier")),
                              (campaign.client.request("GET", "/v2/campaigns"), (409, "missing_api_key")),
                              (campaign.client.request("GET", "/nowhere"), (404, "not_found"))):
        assert response.verdict == verdict
        assert {name: response.headers[name] for name in CORS} == CORS


def test_methods(campaign):
    """docs/api.md 1 Methods: DELETE and HEAD are passed on; 405 has Allow"""
    campaign.webhook("new_signup")
    response = campaign.client.request("DELETE", campaign.path + "/outbound-webhook", key=campaign.key,
                                       json_body={"url": campaign.service.receiver.url(campaign.hook)})
    assert response.json == {"message": "Webhook Deleted"}
    head = campaign.client.request("HEAD", "/health")
    assert head.status == 200 and head.body == b""
    assert campaign.client.request("PUT", campaign.path).headers["Allow"]


def test_trace(campaign):
    """docs/operating.md 5.1: no server sends a request back"""
    answer = campaign.client.request("TRACE", campaign.path, headers={"X-Secret": "sent"})
    assert answer.status == 405 and b"sent" not in answer.body


def test_the_length_of_the_answer(campaign):
    """docs/api.md 7, Headers: web servers do not replace Content-Length with chunks, and it is the same for HEAD as for GET"""
    lead, found = campaign.post(ADA), campaign.get(ADA)
    refused = campaign.client.request("GET", "/nowhere")
    for response in (lead, found, refused):
        assert "Transfer-Encoding" not in response.headers
        assert response.headers["Content-Length"] == str(len(response.body))
    head = campaign.client.request("HEAD", campaign.path, query=ADA, key=campaign.key)
    assert head.status == 200 and head.body == b""
    assert head.headers["Content-Length"] == found.headers["Content-Length"]


def test_encoded_paths(campaign):
    """docs/api.md 1 Path: segments are decoded; an encoded slash does not separate them"""
    encoded = "/v2/" + "".join(f"%{ord(digit):x}" for digit in str(campaign.id))
    assert campaign.client.request("POST", encoded + "/", json_body=ADA, key=campaign.key).json["campaign_id"] == campaign.id
    for path in (f"/v2%2F{campaign.id}", f"/v2/{campaign.id}%2F", f"/v2/{campaign.id}%00"):
        assert campaign.client.request("GET", path, query=ADA).status in (400, 404)


@pytest.mark.parametrize("path", ["//v2//{}/", "/v2//{}", "/v2/{}//", "/v2/{}//?field=a//b"])
def test_empty_segments(campaign, path):
    """docs/api.md 1.1: web servers pass them on, and the program skips them; the query is not changed"""
    response = campaign.client.request("POST", path.format(campaign.id), json_body=ADA, key=campaign.key)
    assert response.status == 200 and response.json["campaign_id"] == campaign.id
    assert response.json["custom_fields"] == ({"field": "a//b"} if "?" in path else {})


def test_empty_segments_before_the_service(service, campaign):
    """docs/api.md 1.1: //lead//v2"""
    client = Client(service.front.port)
    client.checks_answers = False
    response = client.request("POST", f"/{service.front.base_path}/{campaign.path}", json_body=ADA, key=campaign.key)
    assert response.status == 200 and response.json["campaign_id"] == campaign.id


def test_query_characters(campaign):
    """docs/api.md 1 Parameters: the query is neither decoded twice nor truncated"""
    value = "a+b & c=d %41 é?#/"
    lead = campaign.post({**ADA}, query={"field": value}).json
    assert lead["custom_fields"] == {"field": value}


def long_email(number):
    """234 characters: 250 of them fit in a query."""
    return f"{number:03}{'a' * 61}@" + ".".join(letter * 53 for letter in "bcd") + ".example"


def test_a_query_of_60_kib(campaign):
    """docs/operating.md 5: 250 long identifiers in the query of a DELETE reach the program, from the first to the last"""
    emails = [long_email(number) for number in range(250)]
    for email in (emails[0], emails[-1]):
        campaign.lead(email=email)
    query = urllib.parse.urlencode([("emails[]", email) for email in emails])
    assert 60000 < len(query) < 64000
    response = campaign.client.request("DELETE", campaign.path, query=query, key=campaign.key)
    assert response.status == 202 and response.json["deleted"] == 2


@pytest.mark.parametrize("size", [8000, 15000, 16300, 16400, 31000, 46000])
def test_queries_of_all_sizes(campaign, size):
    """docs/operating.md 5: no query is truncated, and the path before it is not changed"""
    values = [f"{number:04}" + "x" * 4000 for number in range(size // 4000)]
    query = urllib.parse.urlencode([("email", ADA["email"]), *((f"_{number}", value) for number, value in enumerate(values))])
    query += "&_last=" + "y" * (size - len(query) - 24) + "&field=%C3%A9%2Fa%2Bb"
    response = campaign.client.request("POST", f"/v2/%3{str(campaign.id)[0]}{str(campaign.id)[1:]}", query=query, key=campaign.key,
                                       body=b"")
    assert response.status == 200, response.body
    assert response.json["custom_fields"] == {"field": "\u00e9/a+b"}


def test_headers_of_60_kib(campaign):
    """docs/operating.md 5: large cookies of other applications on the host do not prevent a sign-up"""
    for cookie in ("x" * 20000, "x" * 60000):
        response = campaign.post(ADA, headers={"Cookie": cookie})
        assert response.status == 200 and response.json["email"] == ADA["email"]


def test_no_key_in_the_web_servers_logs(service, campaign):
    """docs/api.md 3: keys never appear in a log"""
    campaign.client.request("GET", campaign.path, query={**ADA, "api_key": campaign.key})
    log = service.front.folder / "access.log"
    wait_until(lambda: campaign.path in log.read_text(), 20, "the request is logged")  # lighttpd writes with a delay
    assert campaign.key not in log.read_text()


def test_parallel_sign_ups(campaign):
    """docs/api.md 4.3 rule 5: no sign-up is lost or repeated, even if single processes serve without a committer"""
    with Load(campaign, threads=16) as load:
        load.wait_for(200)
    assert set(load.answers.values()) == {200}
    assert lead_count(campaign) == len(load.answers)


@pytest.mark.slow
def test_a_graceful_stop_under_load(service, campaign):
    """docs/architecture.md 10, docs/operating.md 5: every answer is correct, and every completed request is answered"""
    with Load(campaign) as load:
        load.wait_for(50)
        if service.front.starts_program:
            service.front.restart_gracefully()
        else:
            assert service.responders.stop(signal.SIGTERM, seconds=30) == 0
            service.responders.start()
        load.wait_for(50)
    accepted = {email for email, status in load.answers.items() if status == 200}
    assert lead_count(campaign) == len(accepted)
    for email in accepted:
        assert campaign.find(email=email)["counter"] == 1


@pytest.mark.parametrize("others", [(), ("10-accesslog", "10-fastcgi")], ids=["alone", "beside others"])
@pytest.mark.parametrize("example", ["lighttpd-socket.conf", "lighttpd-spawn.conf"])
def test_example_with_debians_lighttpd(tmp_path, example, others):
    """docs/operating.md 5: the example works among other files that an administrator has enabled, in a server with its own limit"""
    enabled = tmp_path / "conf-enabled"
    enabled.mkdir()
    main = (DEBIAN / "lighttpd.conf").read_text(encoding="utf-8")
    assert f"{DEBIAN}/conf-enabled" in main
    (tmp_path / "lighttpd.conf").write_text(main.replace(str(DEBIAN), str(tmp_path)) + "server.max-request-size = 64\n")
    for name in others:
        (enabled / f"{name}.conf").write_bytes((DEBIAN / "conf-available" / f"{name}.conf").read_bytes())
    (enabled / "50-leadhook.conf").write_text(fill(example, leadhook_log=tmp_path / "leadhook.log"))
    run("lighttpd -tt", ["lighttpd", "-tt", "-f", tmp_path / "lighttpd.conf"])


def test_example_with_debians_nginx(tmp_path):
    """docs/operating.md 5: the example works as an enabled site of Debian's main file, beside its default site"""
    main = (DEBIAN_NGINX / "nginx.conf").read_text(encoding="utf-8")
    sites = tmp_path / "sites-enabled"
    sites.mkdir()
    (sites / "default").write_text("server {\n\tlisten 80 default_server;\n}\n")
    (sites / "leadhook").write_text(fill("nginx.conf", access_log=f"{tmp_path}/leadhook.log leadhook"))
    for old, new in ((f"{DEBIAN_NGINX}/sites-enabled", sites), ("/var/log/nginx", tmp_path), ("/run/nginx.pid", tmp_path / "pid")):
        assert str(old) in main
        main = main.replace(str(old), str(new))
    (tmp_path / "nginx.conf").write_text(main)
    run("nginx -t", ["nginx", "-t", "-p", "/usr/share/nginx", "-e", tmp_path / "error.log", "-c", tmp_path / "nginx.conf"])


def test_example_without_mod_env(tmp_path):
    """Apache starts without mod_env, too"""
    class Bare(ApacheProxy):
        modules = tuple(name for name in ApacheProxy.modules if name != "env")
    front = Bare(tmp_path)
    front.configure(tmp_path / "fcgi.sock", None, None)
    run("apache2 -t", [*front.command(), "-t"])
