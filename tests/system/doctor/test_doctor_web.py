# SPDX-License-Identifier: MIT
"""docs/operating.md 13: `leadhook doctor` through each web server with the files of conf-examples: what is right, and faults of the
program and of what is in front of it. Each is found by its name, and gone after the printed line is in the printed file."""
import contextlib
import http.server
import json
import signal
import socket
import ssl
import threading

import pytest
from certificates import Authority
from command import call
from doctor import apply, examine, names, only
from doctor_fronts import SERVERS, make, restart, service, without  # noqa: F401  # fixtures
from marks import first
from stack.front import ApacheFcgid, LighttpdSocket, Nginx, accepts, free_port
from stack.process import Child, wait_until


def test_a_healthy_installation(service):
    """docs/operating.md 13: nothing is found with any of the servers, and nothing is skipped"""
    answer = examine(service, with_log=True)
    assert names(answer) == [], answer["findings"]
    assert [(one["check"], one["detail"]) for one in answer["checks"] if one["state"] != "ok"] == []


# --- the program, and what is in front of it ---

def set_and_reload(service, *settings):
    service.installation.configure(settings, owner=service.front.run_user)
    if service.front.starts_program:
        restart(service)
    else:
        service.responders.send(signal.SIGHUP)


def becomes(service, found, *words):
    """Wait for these findings, and return the answer: responders read settings a moment after the reload."""
    def answer():
        made = examine(service, *words)
        return made if names(made) == found else None
    return wait_until(answer, 30, found)


@pytest.fixture
def configuration(service):
    """Restores the configuration after the test."""
    text = service.installation.text()
    yield
    service.installation.put_back(text)
    set_and_reload(service)
    becomes(service, [])


SOCKETS = [server for server in SERVERS if not server.values[0].starts_program]


@pytest.mark.parametrize("service", SOCKETS, indirect=True)
def test_the_program_does_not_run(service):
    """docs/operating.md 13: the web servers answer 503 or 502; the finding says how to start the program"""
    service.responders.stop()
    try:
        finding = only(examine(service), "program_not_running")
        [fix] = finding["fix"]
        assert fix["command"] == f"runuser -u root -- leadhook-fcgi --config {service.installation.config}"
        assert fix["file"] == str(service.installation.socket)
    finally:
        service.responders.start()
    service.wait_ready()
    assert names(examine(service)) == []


@pytest.mark.parametrize("service", SOCKETS, indirect=True)
def test_the_program_has_no_socket_of_its_own(service, configuration):
    """docs/operating.md 13: systemd or a script starts it: restarting the web server would not help"""
    service.installation.configure([("server", "listen", "")], owner=service.front.run_user)
    service.responders.stop()
    try:
        assert [fix["command"] for fix in only(examine(service), "program_not_running")["fix"]] == [
            "leadhook-fcgi --check-config; service leadhook-fcgi start"]
    finally:
        service.installation.configure([("server", "listen", service.installation.socket)], owner=service.front.run_user)
        service.responders.start()
    service.wait_ready()


@pytest.mark.parametrize("service", [Nginx], indirect=True, ids=["nginx"])
def test_the_program_has_a_port(service, configuration):
    """docs/operating.md 13: the finding says whether something listens there"""
    with socket.create_server(("127.0.0.1", 0)) as server:
        listen = f"127.0.0.1:{server.getsockname()[1]}"
        service.installation.configure([("server", "listen", listen)], owner=service.front.run_user)
        service.responders.stop()
        try:
            finding = only(examine(service), "socket")
            assert finding["detail"].endswith(f"{listen} is served") and finding["fix"][0]["line"].startswith("listen = ")
            server.close()
            assert only(examine(service), "program_not_running")["detail"].endswith(f"nothing listens on {listen}")
        finally:
            service.installation.configure([("server", "listen", service.installation.socket)], owner=service.front.run_user)
            service.responders.start()
    service.wait_ready()


@pytest.mark.parametrize("service", [ApacheFcgid], indirect=True, ids=["apache-mod-fcgid"])
def test_shared_hosting(service):
    """docs/operating.md 13 and 6: a customer has only the .htaccess file"""
    path = service.front.folder / "www/lead/.htaccess"
    good = path.read_text()
    try:
        path.write_text(without("CGIPassAuth On")(good))
        done = call(service.installation, "doctor", "--json", "--web-config", path)
        finding = only(json.loads(done.stdout), "authorization")
        assert finding["fix"] == [{"file": str(path), "place": None, "line": "CGIPassAuth On", "command": None}]
    finally:
        path.write_text(good)


@pytest.mark.parametrize("service", [ApacheFcgid], indirect=True, ids=["apache-mod-fcgid"])
def test_a_program_that_does_not_start(service):
    """docs/operating.md 13: mod_fcgid answers 500"""
    path = service.front.folder / "www/lead/leadhook.fcgi"
    good = path.read_text()
    try:
        path.write_text("#!/bin/sh\nexit 1\n")
        restart(service)
        assert only(examine(service), "program_not_running")["detail"] == "the web server answers with 500"
    finally:
        path.write_text(good)
        restart(service)


def test_a_wrong_address(service, configuration):
    """docs/operating.md 13: server.base_url has another path than the web server"""
    service.installation.configure([("server", "base_url", f"{service.front.url}s")], owner=service.front.run_user)
    finding = only(examine(service), "web_path")
    assert finding["fix"][0] == {"file": str(service.installation.config), "place": "[server]",
                                 "line": f"base_url = {service.front.url}", "command": None}
    apply(finding)
    assert names(examine(service)) == []


def test_a_wrong_base_path(service, configuration):
    """docs/operating.md 13: the web server passes requests on, but the program has its routes elsewhere"""
    service.client.checks_answers = False
    set_and_reload(service, ("server", "base_path", "/other"))
    finding = becomes(service, ["base_path"])["findings"][0]
    fix = finding["fix"][-1]
    assert (fix["file"], fix["place"], fix["line"]) == (str(service.installation.config), "[server]", "base_path = /lead")
    apply(finding, -1)
    set_and_reload(service)
    becomes(service, [])
    service.client.checks_answers = True


def test_any_proxy_is_trusted(service, configuration):
    """docs/operating.md 13: any client could then choose its address"""
    set_and_reload(service, ("server", "trusted_proxies", "0.0.0.0/0"))
    finding = becomes(service, ["trusted_proxies"])["findings"][0]
    assert "203.0.113.77" in finding["detail"]
    apply(finding)
    set_and_reload(service)
    becomes(service, [])


def test_programs_of_this_host_are_trusted(service, configuration):
    """docs/operating.md 13: a proxy on this host is no fault"""
    set_and_reload(service, ("server", "trusted_proxies", "127.0.0.1"))
    becomes(service, [])


PROXY = """daemon off; pid {folder}/nginx.pid; events {{ }}
http {{
\tclient_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/fcgi;
\tuwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi; access_log off;
\tserver {{
\t\tlisten 127.0.0.1:{port}; client_max_body_size 0; large_client_header_buffers 4 64k;
\t\tlocation / {{ proxy_pass http://127.0.0.1:{to}; proxy_set_header X-Forwarded-For {value}; }}
\t}}
}}
"""


@contextlib.contextmanager
def proxy(folder, port, value="$proxy_add_x_forwarded_for"):
    """A reverse proxy; yields its port."""
    own = free_port()
    (folder / "proxy.conf").write_text(PROXY.format(folder=folder, port=own, to=port, value=value))
    child = Child("nginx", ["nginx", "-p", folder, "-e", folder / "error.log", "-c", folder / "proxy.conf"], folder / "proxy.log",
                  death_signal=signal.SIGTERM).start()
    try:
        child.ready(lambda: accepts(own))
        yield own
    finally:
        child.stop()


@pytest.mark.parametrize("value", ["$proxy_add_x_forwarded_for", "$remote_addr"], ids=["appends", "replaces"])
def test_a_proxy(service, configuration, make_folder, value):
    """docs/operating.md 13: if it is in front of the web server, its address must be trusted"""
    with proxy(make_folder(), service.front.port, value) as port:
        url = f"http://127.0.0.1:{port}/lead"
        finding = only(examine(service, "--url", url), "proxy_not_trusted")
        assert finding["fix"][0]["line"] == "trusted_proxies = 127.0.0.1"
        apply(finding)
        set_and_reload(service)
        becomes(service, [], "--url", url)


@pytest.mark.parametrize("service", [LighttpdSocket], indirect=True, ids=["lighttpd-socket"])
def test_too_much_is_trusted_beside_a_proxy(service, configuration, make_folder):
    """docs/operating.md 13: the line has only the address of the proxy"""
    with proxy(make_folder(), service.front.port) as port:
        url = f"http://127.0.0.1:{port}/lead"
        set_and_reload(service, ("server", "trusted_proxies", "0.0.0.0/0"))
        finding = becomes(service, ["trusted_proxies"], "--url", url)["findings"][0]
        assert finding["fix"][0]["line"] == "trusted_proxies = 127.0.0.1"
        apply(finding)
        set_and_reload(service)
        becomes(service, [], "--url", url)


@pytest.mark.parametrize("service", [LighttpdSocket], indirect=True, ids=["lighttpd-socket"])
class TestAddresses:
    def test_nothing_listens(self, service):
        """docs/operating.md 13: the finding has the command that starts the web server, or one for each kind if the kind is not known"""
        done = call(service.installation, "doctor", "--json", "--url", f"http://127.0.0.1:{free_port()}/lead")
        finding = only(json.loads(done.stdout), "web_unreachable")
        assert {fix["command"] for fix in finding["fix"]} == {f"service {name} start" for name in ("lighttpd", "apache2", "nginx")}

    def test_a_redirection(self, service):
        """docs/operating.md 13: the finding has the address to which it leads"""
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                self.send_response(301)
                self.send_header("Location", f"{service.front.url}/health")
                self.end_headers()

            def log_message(self, *_):
                pass
        with http_server(Handler) as server:
            finding = only(examine(service, "--url", f"http://127.0.0.1:{server.server_port}/lead"), "web_redirect")
        assert finding["fix"][0]["line"] == f"base_url = {service.front.url}"

    def test_a_certificate(self, service, make_folder):
        """docs/operating.md 13: a certificate that is not trusted is a finding; with the CA file of deliveries it is trusted, and
        requests are checked"""
        authority = Authority(make_folder(), "CA")
        made = authority.issue("server")
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(made.certificate, made.key)
        with http_server(http.server.BaseHTTPRequestHandler) as server:
            server.socket = context.wrap_socket(server.socket, server_side=True)
            url = f"https://127.0.0.1:{server.server_port}/lead"
            finding = only(examine(service, "--url", url), "web_certificate")
            assert finding["fix"][0]["line"].startswith("ssl.pemfile")
            answer = examine(service, "--url", url, env={"LEADHOOK_DISPATCH_CA_FILE": str(authority.file)})
            only(answer, "web_path")

    def test_another_installation(self, service, make_service):
        """docs/operating.md 13: the program at this address uses another database"""
        other = make(make_service, LighttpdSocket)
        only(examine(service, "--url", other.front.url), "probe_refused")

    @staticmethod
    def imitated(service, **changes):
        """Returns the findings if something else answers like the program."""
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                fields = {"version": "0.0.1", "peer": "127.0.0.1", "client": "127.0.0.1", "authorization": "x", **changes}
                body = json.dumps({"status": "ok"} if self.path.endswith("/health") else fields).encode()
                self.send_response(200)
                self.send_header("X-Request-Id", "1")
                self.send_header("Access-Control-Allow-Origin", "*")
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass
        with http_server(Handler) as server:
            answer = examine(service, "--url", f"http://127.0.0.1:{server.server_port}/lead")
        return {one["what"]: one for one in answer["findings"]}

    @pytest.mark.parametrize("changes", first({"peer": "192.0.2.1 0.0.0.0/0", "forwarded": True}, {"peer": "0.0.0.0/0", "forwarded": True},
                                         {"client": "x\ny"}, {"client": ""}), ids=repr)
    def test_an_answer_with_other_addresses(self, service, changes):
        """docs/operating.md 13: the addresses must not become settings"""
        found = self.imitated(service, **changes)
        assert "probe_refused" in found and not {"proxy_not_trusted", "trusted_proxies", "program_version"} & set(found)

    def test_another_version(self, service):
        """docs/operating.md 13: the program was not restarted after an upgrade"""
        found = self.imitated(service)
        assert "has version 0.0.1, " in found["program_version"]["detail"]
        assert [fix["command"] for fix in found["program_version"]["fix"]] == ["service leadhook-fcgi restart"]

    def test_wrong_options(self, service):
        """leadhook(1), exit status"""
        for url in ("127.0.0.1/lead", "ftp://127.0.0.1", "http://", "http:///lead", "http://127.0.0.1/lead?x"):
            done = call(service.installation, "doctor", "--url", url)
            assert (done.returncode, done.stdout) == (64, "") and "--url: expected http" in done.stderr
        done = call(service.installation, "doctor", "--web-config", "/nonexistent")
        assert (done.returncode, done.stderr) == (66, "leadhook: /nonexistent: No such file or directory\n")

    def test_without_its_file(self, service):
        """docs/operating.md 13: lines for each web server if its name is not known, for one if it is"""
        def of(name):
            class Handler(http.server.BaseHTTPRequestHandler):
                server_version, sys_version = name, ""

                def do_GET(self):
                    self.send_error(404)

                def log_message(self, *_):
                    pass
            with http_server(Handler) as server:
                done = call(service.installation, "doctor", "--json", "--url", f"http://127.0.0.1:{server.server_port}/lead")
            return {fix["file"] for fix in only(json.loads(done.stdout), "web_path")["fix"]}
        files = {"lighttpd": "/etc/lighttpd/conf-available/50-leadhook.conf", "Apache/2.4": "/etc/apache2/conf-available/leadhook.conf",
                 "nginx": "/etc/nginx/sites-available/leadhook"}
        for name, file in files.items():
            assert of(name) == {file}
        assert of("proxy") == set(files.values())


@contextlib.contextmanager
def http_server(handler):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
