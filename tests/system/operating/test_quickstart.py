# SPDX-License-Identifier: MIT
"""docs/operating.md 1: what the quickstart does once everything is built."""
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import stat
import subprocess
import sys
import tempfile

import pytest
from client import Client
from driver import WINDOWS
from interface import MadeCampaign, check_known_leads
from marks import FIREFOX_LATER, first
from quickstarts import Run
from stack.front import accepts, free_port
from stack.process import replace_file, wait_until
from stack.quickstart import describe_mail
from tree import BUILD, SOURCE

pytestmark = pytest.mark.slow
WEB_SERVERS = pytest.mark.parametrize("web", first("lighttpd", "apache", "nginx"))
PROGRAMS = 7  # database, receiver, mail server, responders, dispatcher, web server, and the supervisor itself


def running(pid):
    try:
        return "State:\tZ" not in pathlib.Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False


def name_of(pid):
    """Returns None when the process has ended."""
    try:
        return pathlib.Path(f"/proc/{pid}/comm").read_text().strip()
    except OSError:
        return None


@pytest.fixture
def quickstart(make_folder):
    run = Run(make_folder())
    yield run
    run.call("--stop")


@WEB_SERVERS
def test_first_run(quickstart, web):
    """prints URL, key and three curl commands; a sign-up is answered; its signed event is in the receiver's log"""
    text = quickstart.start("--web", web)
    values = quickstart.values
    assert set(values) == {"LEADHOOK_URL", "LEADHOOK_KEY", "LEADHOOK_CAMPAIGN", "LEADHOOK_CONF", "LEADHOOK_RECEIVER_LOG", "LEADHOOK_MAILS",
                           "LEADHOOK_PAGE", "LEADHOOK_DASHBOARD", "LEADHOOK_LOGIN", "LEADHOOK_PASSWORD", "PATH", "MANPATH"}
    assert "accounts" in quickstart.shell("leadhook status")
    report = json.loads(quickstart.shell(f"leadhook doctor --access-log {quickstart.state}/web/access.log --json"))
    assert [one["check"] for one in report["checks"] if one["state"] != "ok"] == []
    assert values["LEADHOOK_URL"] in text and values["LEADHOOK_KEY"] in text and text.count("\n  curl ") == 3
    lead = quickstart.lead("ada@example.org")
    wait_until(lambda: len(quickstart.received()) >= 2, 10, "two deliveries")
    for line in quickstart.received():
        assert set(line) == {"time", "path", "headers", "body", "verified"} and line["verified"] is True
        assert json.loads(line["body"])["social_id"] == lead["social_id"]
    assert {json.loads(line["body"])["__event"] for line in quickstart.received()} == {"new_signup", "new_signup_not_excluded"}


@WEB_SERVERS
def test_the_login(quickstart, web):
    """the banner has the address of the dashboard, even below a path, and an operator's login, which is private and survives a
    restart"""
    text = quickstart.start("--web", web, "--set", "server.base_path=/lead")
    shown = re.search(r"\nThe dashboard is (\S+)\n  email       (\S+)\n  password    (\S+)\n", text)
    assert shown.groups() == tuple(quickstart.values[f"LEADHOOK_{name}"] for name in ("DASHBOARD", "LOGIN", "PASSWORD"))
    assert len(shown[3]) >= 16
    assert shown[1] == f"http://127.0.0.1:{quickstart.port}/lead/dashboard/"
    page = quickstart.client.request("GET", "/dashboard/")
    assert page.status == 200 and b'<div id="app">' in page.body
    session, cookie = quickstart.log_in()
    assert (session["email"], session["role"]) == (shown[2], "operator")
    assert len(quickstart.manage("overview", cookie)) == 2
    for name in ("quickstart.json", "env"):
        assert stat.S_IMODE((quickstart.state / name).stat().st_mode) == 0o600
    assert quickstart.call("--stop").returncode == 0
    assert shown[0] in quickstart.start("--web", web, port=quickstart.port)
    quickstart.log_in()


def test_a_busy_service_while_the_login_is_made(quickstart):
    """the first answer says 503, although the link was used: the password is set with another link"""
    (quickstart.state / "busy").write_text(
        "from stack import quickstart\n"
        "post, answers = quickstart.Quickstart.post, [503]\n"
        "def busy(self, *request):\n"
        "    status, text = post(self, *request)\n"
        "    return (answers.pop() if answers else status), text\n"
        "quickstart.Quickstart.post = busy\n"
        "raise SystemExit(quickstart.main())\n")
    command = quickstart.command
    quickstart.command = lambda *options: [sys.executable, quickstart.state / "busy", *command(*options)[3:]]
    quickstart.start()
    assert quickstart.log_in()[0]["role"] == "operator"


@pytest.mark.long
def test_a_lost_login_is_made_again(quickstart):
    """if the user was removed, or was created again with the command"""
    quickstart.start()
    before = quickstart.values["LEADHOOK_PASSWORD"]
    for again in ("true", "leadhook user add operator@example.org --role operator"):
        user, = json.loads(quickstart.shell("leadhook --json user list"))
        quickstart.shell(f"leadhook user remove {user['id']} && {again}")
        assert quickstart.call("--stop").returncode == 0
        quickstart.start(port=quickstart.port)
        quickstart.log_in()
        assert quickstart.values["LEADHOOK_PASSWORD"] != before
        before = quickstart.values["LEADHOOK_PASSWORD"]


@pytest.mark.parametrize("browser", FIREFOX_LATER)
def test_a_session_over_http(quickstart, make_folder, browser):
    """docs/manage.md 3: at the printed address and on localhost, browsers store and send the cookie of a session, although it is
    for https"""
    if WINDOWS[browser].program.program() is None:
        pytest.skip(f"{browser} is not installed; scripts/check installs it")
    quickstart.start()
    address = quickstart.values["LEADHOOK_DASHBOARD"]
    login = json.dumps({"email": quickstart.values["LEADHOOK_LOGIN"], "password": quickstart.values["LEADHOOK_PASSWORD"]})
    window = WINDOWS[browser](make_folder())
    try:
        window.start()
        for url in (address, address.replace("127.0.0.1", "localhost")):
            window.open(url)
            assert window.run(f"""
                const headers = {{ "Content-Type": "application/json" }};
                const call = (method, body) => fetch("/manage/v1/session", {{ method, body, headers }});
                const before = await call("GET"), login = await call("POST", {json.dumps(login)}), after = await call("GET");
                return [before.status, login.status, after.status, (await after.json()).email];
                """) == [401, 200, 200, quickstart.values["LEADHOOK_LOGIN"]], url
    finally:
        window.stop()


@pytest.mark.skipif(shutil.which("man") is None, reason="man is not installed")
@pytest.mark.parametrize("before", first(None, "/usr/share/man"))
def test_manual_pages(quickstart, before):
    """after `. env`, man finds them, and still finds those of other packages"""
    quickstart.start()
    environment = {name: value for name, value in os.environ.items() if name != "MANPATH"} | ({"MANPATH": before} if before else {})

    def path_of(script, *pages):
        done = subprocess.run(["sh", "-euc", f"{script}; man -w \"$@\"", "sh", *pages], env=environment, text=True, capture_output=True,
                              check=False, timeout=30)
        assert done.returncode == 0, done.stderr
        return done.stdout.splitlines()
    ours = ("leadhook", "leadhook.conf", "leadhook-fcgi", "leadhook-dispatch")
    assert [pathlib.Path(path).resolve().name for path in path_of(f". {quickstart.state}/env", *ours)] == [
        "leadhook.1", "leadhook.conf.5", "leadhook-fcgi.8", "leadhook-dispatch.8"]
    assert path_of(f". {quickstart.state}/env", "man") == path_of(":", "man")


@pytest.mark.parametrize("browser", FIREFOX_LATER)
def test_from_the_page_to_a_link_to_share(quickstart, make_folder, browser):
    """the steps of a newcomer: the printed page, the lead's own page, the mail that is shown, its link and button"""
    if WINDOWS[browser].program.program() is None:
        pytest.skip(f"{browser} is not installed; scripts/check installs it")
    out = make_folder() / "out"
    process = quickstart.start_in_foreground(out)
    window = WINDOWS[browser](make_folder())
    try:
        window.start()
        page = re.search(r"Sign up at (\S+)", out.read_text())[1]
        assert page == quickstart.values["LEADHOOK_PAGE"]
        window.open(page)
        window.run("document.querySelector('[name=email]').focus();")
        window.type("ada@example.org")
        window.press("Enter")
        window.wait("location.pathname.includes('/s/') && document.querySelector('h1')?.textContent === 'Please confirm'", "the answer")
        assert "One more step: please confirm ada@example.org" in window.text("body")
        link = wait_until(lambda: re.search(r"mail to ada@example.org: .*\n    (\S+/confirm/\S+)", out.read_text()), 15, "the mail")[1]
        window.open(link)
        window.wait("performance.now() > 2100", "time to read the page")
        window.run("document.querySelector('button').click();")
        window.wait("location.pathname.includes('/s/') && document.readyState === 'complete'", "the lead's page")
        assert window.text("h1").startswith("You’re on the list")
        share = window.run("return document.querySelector('input[readonly]').value;")
        assert share.startswith(f"{page}?kid=")
        assert wait_until(lambda: re.search(r"  verified ", out.read_text()), 15, "the event")
    finally:
        window.stop()
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 0


NPM = """#!/bin/sh
sleep 300
"""


@pytest.mark.parametrize("npm, registry", [(None, "http://127.0.0.1:9/"), (NPM, "")], ids=["refused", "silent"])
def test_the_registry_is_out_of_reach(make_folder, npm, registry):
    """docs/operating.md 1: the quickstart does not wait for the libraries of the dashboard, and explains why they are missing"""
    if shutil.which("npm") is None:
        pytest.skip("npm is not installed; scripts/check installs it")
    folder = make_folder()
    for name in ("top/src", "top/scripts", "build", "log", "bin"):
        (folder / name).mkdir(parents=True)
    (folder / "top/src/dashboard").mkdir()
    for name in ("src/dashboard/package.json", "src/dashboard/package-lock.json", "scripts/dashboard-libraries"):
        shutil.copy(SOURCE / name, folder / "top" / name)
    if npm:
        (folder / "bin/npm").write_text(npm)
        (folder / "bin/npm").chmod(0o755)
    script = (f"top={folder}/top logs={folder}/log; . {SOURCE}/scripts/common.sh; dashboard_seconds={2 if npm else 60};"
              f"fetch_dashboard {folder}/build; echo \"$no_dashboard\"")
    done = subprocess.run(["sh", "-euc", script], text=True, capture_output=True, timeout=90, check=False,
                          env={**os.environ, "PATH": f"{folder}/bin:{os.environ['PATH']}", "npm_config_registry": registry})
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == f"npm cannot fetch its libraries, see {folder}/log/dashboard-libraries.log"
    assert not (folder / "build/src/dashboard/lib/licences.txt").exists()


def test_without_the_dashboard(quickstart):
    """docs/operating.md 1: the last lines explain why it is missing, and how to get it"""
    lines = quickstart.start("--no-dashboard", "npm cannot be installed").splitlines()
    assert lines[-2:] == ["There is no dashboard: npm cannot be installed.",
                          "When that is corrected, start the quickstart again: it adds the dashboard."]
    assert not any("The dashboard is " in line for line in lines)


def was_built_with_dashboard(build):
    script = f"top={SOURCE}; . {SOURCE}/scripts/common.sh; was_built_with_dashboard {build}"
    return subprocess.run(["sh", "-uc", script], timeout=60, check=False).returncode == 0


def test_the_build_has_the_dashboard(make_folder):
    """docs/operating.md 1: a build with the dashboard is recognized, so that the next start does not configure it again"""
    assert was_built_with_dashboard(BUILD) and not was_built_with_dashboard(make_folder())


@pytest.mark.long
@pytest.mark.skipif((SOURCE / "src/dashboard/lib/licences.txt").exists() or (SOURCE / "config.status").exists(),
                    reason="a tarball has the libraries, and a tree that is configured in place has its own build")
def test_a_build_without_the_dashboard(make_folder):
    """docs/operating.md 1: runs the script itself, with a registry that refuses; the running service has no dashboard"""
    state = make_folder() / "state"
    script = SOURCE / "scripts/quickstart"
    try:
        done = subprocess.run([script, "--state", state, "--port", str(free_port()), "--detach"], text=True, capture_output=True, check=False,
                              timeout=1500, env={**os.environ, "npm_config_registry": "http://127.0.0.1:9/"})
        assert done.returncode == 0, done.stdout + done.stderr
        assert done.stdout.splitlines()[-2].startswith("There is no dashboard: npm cannot fetch its libraries")
        assert not was_built_with_dashboard(state / "build")
    finally:
        subprocess.run([script, "--state", state, "--stop"], capture_output=True, timeout=120, check=False)


TWO_SIGNALS = """
import os, signal
from stack.process import Ended, handle_signals
handle_signals()
both = {signal.SIGINT, signal.SIGHUP}
signal.pthread_sigmask(signal.SIG_BLOCK, both)
for number in both:
    os.kill(os.getpid(), number)
try:
    signal.pthread_sigmask(signal.SIG_UNBLOCK, both)
except Ended:
    print("stopped")
"""


def test_two_signals_at_once(quickstart):
    """a terminal that is closed sends two: everything is stopped nevertheless"""
    done = subprocess.run([sys.executable, "-c", TWO_SIGNALS], env=quickstart.environment, text=True, capture_output=True, timeout=30,
                          check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "stopped\n", "")


def test_mails_are_shown_as_text():
    """text that visitors typed cannot control the terminal"""
    shown = describe_mail(json.dumps({"time": "t", "to": "a@example.org", "subject": "x\x1b[2J\n\u202ey", "links": ["http://a/\x07", 3], "codes": ["123456"]}))
    assert shown == "t  mail to a@example.org: x?[2J??y\n    http://a/?\n    ?\n    code 123456"
    assert describe_mail("[]") == "?  mail to ?: ?"


def test_killed_programs_are_restarted(quickstart):
    """each program is restarted within 2 s"""
    quickstart.start()
    for victim in quickstart.children():
        name = name_of(victim)
        os.kill(victim, signal.SIGKILL)
        wait_until(lambda: any(pid != victim and name_of(pid) == name for pid in quickstart.children()), 3, f"{name} again")
    wait_until(quickstart.client.healthy, 20, "ready again")
    quickstart.lead("ada@example.org")


@pytest.mark.parametrize("number", first(signal.SIGKILL, signal.SIGTERM, signal.SIGINT))
def test_all_programs_end_with_it(quickstart, number):
    """even if it is killed"""
    quickstart.start()
    pids = quickstart.children()
    assert len(pids) == PROGRAMS - 1
    os.kill(quickstart.supervisor(), number)
    wait_until(lambda: not any(running(pid) for pid in pids), 20, "all have ended")
    assert not accepts(quickstart.port)


def test_stop_and_restart(quickstart):
    """--stop needs only the state directory; data, key and settings remain, even on another port; the last port is used again"""
    quickstart.start("--set", "server.service_name=My Service")
    first, key = quickstart.lead("ada@example.org"), quickstart.values["LEADHOOK_KEY"]
    assert quickstart.call("--stop").returncode == 0
    assert not accepts(quickstart.port)
    assert quickstart.call("--stop").returncode == 0, "stopping again is not an error"
    quickstart.start()
    second = quickstart.lead("ada@example.org")
    assert quickstart.values["LEADHOOK_KEY"] == key
    assert (second["social_id"], second["counter"]) == (first["social_id"], 2)
    assert "My Service" in pathlib.Path(quickstart.values["LEADHOOK_CONF"]).read_text()
    wait_until(lambda: any("repeat_signup" in line["body"] for line in quickstart.received()), 10, "the event of the second run")
    assert all(line["verified"] for line in quickstart.received())
    assert quickstart.received()[-1]["headers"]["user-agent"] == "My Service"
    assert quickstart.call("--stop").returncode == 0
    done = quickstart.call("--detach")
    assert done.returncode == 0 and f"http://127.0.0.1:{quickstart.port}/" in done.stdout, "the port of the last run"


def test_known_leads(quickstart):
    """docs/requirements.md: both campaigns of a quickstart, for the API and for the page, answer like a campaign without
    settings"""
    quickstart.start("--set", "server.trusted_proxies=127.0.0.1")
    for id in (quickstart.values["LEADHOOK_CAMPAIGN"], quickstart.values["LEADHOOK_PAGE"].rpartition("/")[2]):
        check_known_leads(MadeCampaign(quickstart.client, int(id), quickstart.values["LEADHOOK_KEY"]))


def test_a_removed_campaign_is_made_again(quickstart):
    """what the next start prints works, and events of the new campaign arrive; a removed account is created again, too"""
    quickstart.start()
    before = quickstart.values

    def remove(kind, number):
        subprocess.run([BUILD / "src/prog/leadhook", "--config", before["LEADHOOK_CONF"], kind, "remove", number, "--yes"], check=True,
                       capture_output=True, timeout=60)

    def start_again():
        assert quickstart.call("--stop").returncode == 0
        text = quickstart.start(port=quickstart.port)
        page = quickstart.values["LEADHOOK_PAGE"]
        assert f"Sign up at {page}\n" in text
        assert quickstart.client.request("GET", page.partition(f":{quickstart.port}")[2]).status == 200
        social_id = quickstart.lead("ada@example.org")["social_id"]
        wait_until(lambda: any(social_id in line["body"] and line["verified"] for line in quickstart.received()), 10, "its event")
    remove("campaign", before["LEADHOOK_PAGE"].rpartition("/")[2])
    start_again()
    assert {name for name in before if before[name] != quickstart.values[name]} == {"LEADHOOK_PAGE"}, "the other campaign stays"
    remove("account", "1")
    start_again()
    assert quickstart.values["LEADHOOK_KEY"] != before["LEADHOOK_KEY"]


def test_backup(quickstart):
    """docs/operating.md 10: its commands work with the socket in the state directory"""
    quickstart.start()
    quickstart.lead("ada@example.org")
    dump = f"mariadb-dump --single-transaction --skip-lock-tables -S {quickstart.state}/run/mariadb.sock leadhook"
    quickstart.shell(f"{dump} | grep -a ada@example.org >{quickstart.state}/found")


def test_other_database_servers_keep_their_temporary_tables(quickstart):
    """a server removes the temporary tables that it finds when it starts"""
    files = [pathlib.Path(tempfile.gettempdir(), f"#sql-temptable-leadhook-1-1{ending}") for ending in (".frm", ".MAI", ".MAD")]
    try:
        for file in files:
            file.touch()
        quickstart.start()
        assert all(file.exists() for file in files)
    finally:
        for file in files:
            file.unlink(missing_ok=True)


def test_files_are_replaced_atomically(tmp_path):
    """the only copy of the key and the password must survive a kill"""
    path = tmp_path / "state.json"
    for text in ("one", "two"):
        replace_file(path, text)
        assert (path.read_text(), stat.S_IMODE(path.stat().st_mode)) == (text, 0o600)

    def killed(wanted):
        assert (wanted.read_text(), path.read_text()) == ("three", "two")
        raise KeyboardInterrupt
    with pytest.raises(KeyboardInterrupt):
        replace_file(path, "three", killed)
    assert path.read_text() == "two" and list(tmp_path.iterdir()) == [path]


def test_second_instance(quickstart, make_folder):
    """it fails with a clear message, on the same port or with the same state directory"""
    quickstart.start()
    other = Run(make_folder())
    done = other.call("--port", str(quickstart.port), "--detach")
    assert done.returncode == 1 and f"port {quickstart.port} on 127.0.0.1 is in use" in done.stderr
    done = quickstart.call("--port", str(free_port()), "--detach")
    assert done.returncode == 1 and "is running in" in done.stderr
    quickstart.lead("ada@example.org")


@pytest.mark.parametrize("name,value", first(("log.level", "loudest"), ("server.bogus", "1"), ("bogus.key", "1"),
                                        ("dispatch.ca_file", "missing.pem"), ("log.file", "/proc/leadhook.log"), count=2))
def test_invalid_settings(quickstart, name, value):
    """the failed step names the setting and the reason, for errors in the file and of a program; the state does not change"""
    quickstart.start()
    assert quickstart.call("--stop").returncode == 0
    before = pathlib.Path(quickstart.values["LEADHOOK_CONF"]).read_text()
    done = quickstart.call("--port", str(free_port()), "--detach", "--set", f"{name}={value}")
    assert done.returncode == 1 and " failed: " in done.stderr and name.rpartition(".")[2] in done.stderr
    assert pathlib.Path(quickstart.values["LEADHOOK_CONF"]).read_text() == before
    quickstart.start(port=quickstart.port)
    quickstart.lead("ada@example.org")


def test_a_first_start_that_fails(quickstart):
    """the next start uses the database that it left"""
    done = quickstart.call("--port", str(free_port()), "--detach", "--set", "log.file=/proc/leadhook.log")
    assert done.returncode == 1 and "starting the programs failed" in done.stderr and not (quickstart.state / "leadhook.conf").exists()
    quickstart.start()
    quickstart.lead("ada@example.org")


def test_unexpected_requests_at_the_receiver(quickstart, tmp_path):
    """forms and invalid data are shown as far as possible, and the receiver continues"""
    out = tmp_path / "out"
    with quickstart.start_in_foreground(out) as process:
        try:
            own = json.loads((quickstart.state / "quickstart.json").read_text())["receiver_port"]
            receiver = Client(own)
            for body in (b"", b"\xff\xfe", b"[]", b'"text"', b'{"__event": 7}', b"[" * 100000, b'{"__event":"\\ud800\\u001b[2J"}',
                         b"1" * 5000):
                assert receiver.request("POST", "/hook", body=body, headers={"webhook-id": "1", "webhook-timestamp": "1",
                                                                             "webhook-signature": "v1,\xe9"}).status == 200
            with socket.create_connection(("127.0.0.1", own)) as peer:
                peer.sendall(b"\x16\x03\x01 no HTTP\r\n\r\n")
            form = quickstart.client.request("POST", quickstart.path + "/outbound-webhook", key=quickstart.values["LEADHOOK_KEY"],
                                             json_body={"url": f"http://127.0.0.1:{own}/hook2", "event": "new_signup", "format": "form"})
            assert form.status == 200
            social_id = quickstart.lead("ada@example.org")["social_id"]
            wait_until(lambda: process.poll() is not None or out.read_text().count(social_id) >= 3, 20, "three deliveries")
            assert process.poll() is None, out.read_text()
            shown = out.read_text().partition("\nTry:")[2].splitlines()
            assert sum(f" new_signup {' ' * 13} {social_id} " in line for line in shown) == 2
            assert sum(f" ? {' ' * 22} ?  signature NOT verified" in line for line in shown) == 8
        finally:
            process.send_signal(signal.SIGINT)
        assert process.wait(60) == 0


@WEB_SERVERS
def test_logs_are_private(quickstart, web):
    """because they contain personal data"""
    quickstart.start("--web", web)
    quickstart.lead("ada@example.org")
    wait_until(lambda: len(quickstart.received()) >= 2, 10, "two deliveries")
    logs = {path.name: stat.S_IMODE(path.stat().st_mode) for path in quickstart.state.rglob("*.log")
            if "data" not in path.parts}  # the database protects its own files
    assert {"receiver.log", "fcgi.log", "dispatch.log", "access.log", "error.log", "quickstart.log"} <= logs.keys()
    assert {name: mode for name, mode in logs.items() if mode & 0o077} == {}


def refused_at_once(script, *options):
    """Checks that the script fails with one message, before anything is installed or built."""
    done = subprocess.run([script, *options], text=True, capture_output=True, timeout=30, check=False)
    assert done.returncode == 1 and done.stdout == "" and done.stderr.count("\n") == 1, done.stdout + done.stderr
    return done.stderr


def test_a_path_with_a_blank(tmp_path):
    """neither configure nor mariadb-install-db accepts it"""
    clone, state = tmp_path / "a b", tmp_path / "other state"
    clone.mkdir()
    (clone / "scripts").symlink_to(SOURCE / "scripts")
    assert f"{clone}; move it" in refused_at_once(clone / "scripts/quickstart")
    assert f"{state}; choose one (--state" in refused_at_once(SOURCE / "scripts/quickstart", "--state", state)
    assert not (clone / "var").exists() and not state.exists()


@pytest.mark.parametrize("setting", ["nonsense", "server=1", "a=b.c", ".port=1", "server.=1", "log.level=info\nmore"])
def test_unknown_settings(tmp_path, setting):
    state = tmp_path / "state"
    assert "--set takes" in refused_at_once(SOURCE / "scripts/quickstart", "--state", state, "--set", setting)
    assert not state.exists()
