# SPDX-License-Identifier: MIT
"""docs/operating.md 13: `leadhook doctor` on this host: configuration, database, programs, names. Each fault is made on purpose, found by
its name, and gone once its line or command is applied."""
import json
import os
import re
import shutil
import signal
import subprocess

import pytest
from command import CONFIG, OK, call
from doctor import KEY, apply, await_runs, edited, examine, healthy, names, new_service, only, put, service  # noqa: F401  # fixtures
from marks import first
from sql import run_database
from stack.clock import LIBRARY
from stack.front import free_port
from stack.mariadb import HOSTING_RIGHTS
from stack.process import suspend, wait_until

SECRET = "(the password of this account)"


@pytest.fixture(scope="module")
def database(make_folder):
    """A server whose options the tests change."""
    yield from run_database(make_folder())


def test_text(service):
    """docs/operating.md 13: everything that is good is on one line, everything else is shown in full; nothing is skipped silently"""
    done = call(service.installation, "doctor", "--access-log", service.front.folder / "access.log")
    assert done.returncode == OK
    assert done.stdout.splitlines() == [
        "ok  configuration, files, state_dir, lock_file, log_file, syslog, database, disk_space, ca_file, dispatcher, webhooks, mail, names, web_server,"
        " secrets, headers, bodies, slow_body, methods, errors, access_log", "0 errors, 0 warnings; nothing was changed"]
    done = call(service.installation, "doctor", env={"LEADHOOK_SERVER_STATE_DIR": "/nonexistent/state"})
    assert done.returncode == CONFIG
    assert done.stdout.startswith("error  state_dir_missing: /nonexistent/state: No such file or directory\n    The programs")
    assert "\n    run:  install -d -o root -m 700 /nonexistent/state\n" in done.stdout
    assert "\nskipped  access_log: " in done.stdout and done.stdout.endswith("1 error, 0 warnings; nothing was changed\n")


def test_it_changes_nothing(service, campaign):
    """docs/operating.md 13: it changes no row and no file"""
    campaign.lead(email="ada@example.org")
    service.dispatch(1)
    folder = service.installation.folder

    def state():
        tables = service.installation.sql("SHOW TABLES").split()
        rows = service.installation.sql("".join(f"CHECKSUM TABLE {table};" for table in tables))
        files = {str(path): (path.stat().st_mtime_ns, path.stat().st_mode) for path in folder.glob("*") if path.suffix != ".log"}
        return rows, files, sorted(os.listdir(folder / "state"))
    await_runs(service)
    before = state()
    healthy(service)
    assert state() == before


# --- the configuration ---

def test_a_wrong_value(service, edited):
    """docs/operating.md 13: each error of --check-config is a finding with its line"""
    path = edited(("server", "workers", "many"), ("limits", "body_bytes", "lots"))
    answer = examine(service, config=path)
    assert [what for what in names(answer) if what == "configuration"] == ["configuration"] * 2
    for finding in [one for one in answer["findings"] if one["what"] == "configuration"]:
        number = re.search(r":(\d+): ", finding["detail"])[1]
        [fix] = finding["fix"]
        assert fix["file"] == str(path) and fix["place"].endswith(f", line {number}")
        lines = path.read_text().splitlines()
        lines[int(number) - 1] = fix["line"]
        path.write_text("\n".join(lines) + "\n")
    healthy(service, path)


def test_an_unusable_configuration(service, edited):
    """docs/operating.md 13: checks that do not need the configuration run nevertheless"""
    path = edited(("server", "workers", "many"))
    answer = examine(service, "--url", service.front.url, config=path)
    only(answer, "configuration")
    states = {one["check"]: one["state"] for one in answer["checks"]}
    assert states["web_server"] == states["methods"] == states["errors"] == "ok"
    assert states["database"] == states["headers"] == "skipped"


def test_an_unknown_setting(service, edited):
    """docs/operating.md 13: the finding names its line"""
    finding = only(examine(service, "--url", service.front.url, config=edited(("server", "wokers", "2"))), "configuration")
    assert "wokers" in finding["detail"] and finding["fix"][0]["place"].startswith("line ")


def test_others_can_read_the_configuration(service, edited):
    """docs/operating.md 13: the finding has the command that corrects it"""
    path = edited()
    path.chmod(0o644)
    answer = examine(service, "--url", service.front.url, config=path)
    assert names(answer) == ["file_mode", "file_mode"], "for the password and for the key"
    finding = answer["findings"][0]
    assert finding["fix"][0]["file"] == str(path)
    apply(finding)
    assert path.stat().st_mode & 0o777 == 0o640
    healthy(service, path)


def test_others_can_change_a_configuration_without_passwords(service, edited):
    """docs/operating.md 13: a configuration that others can change, or an option file that they can read: the finding has the mode"""
    path = edited(("database", "password", None), ("server", "secrets_key", None))
    env = {"LEADHOOK_DATABASE_PASSWORD": service.installation.setting("database", "password"), "LEADHOOK_SERVER_SECRETS_KEY": KEY}
    path.chmod(0o666)
    apply(only(examine(service, config=path, env=env), "file_mode"))
    assert path.stat().st_mode & 0o777 == 0o644
    options = service.installation.folder / "client.cnf"
    options.touch(0o644)
    path = edited(("database", "option_file", options))
    apply(only(examine(service, config=path), "file_mode"))
    assert options.stat().st_mode & 0o777 == 0o640
    healthy(service, path)


def test_a_list_is_missing(service, edited):
    """docs/operating.md 13: everything else is checked without the list"""
    path = edited(("lead", "disposable_domains_file", "/nonexistent/list"))
    answer = examine(service, config=path)
    only(answer, "configuration")
    assert {one["check"]: one["state"] for one in answer["checks"]}["headers"] == "ok"


# --- the database ---

def sql_of(finding):
    """Return the statement of the printed command."""
    return re.fullmatch(r"mariadb -e '(.*)'", finding["fix"][0]["command"])[1]


@pytest.fixture
def restarted(database, service):
    """Restarts the server with other options."""
    def restart(*options):
        database.stop()
        database.more = options
        database.start()
        wait_until(lambda: service.client.request("GET", "/health/ready").status == 200, 30, "the responders")
    yield restart
    restart()


def option(line):
    """Turns a line of an option file into an option of the server."""
    return "--" + "=".join(word.strip() for word in line.split("="))


@pytest.mark.parametrize(("what", "options"), first(
    ("durability", ["--innodb-flush-log-at-trx-commit=2"]),
    ("binlog_durability", ["--log-bin", "--server-id=1", "--sync-binlog=0"]),
    ("packet_size", ["--max-allowed-packet=512K"])))
def test_options_of_the_server(service, restarted, what, options):
    """docs/operating.md 13 and 2.1: the finding has a line for the option file"""
    restarted(*options)
    finding = only(examine(service), what)
    [fix] = finding["fix"]
    assert fix["file"].startswith("/etc/mysql/") and fix["place"] == "[mariadbd]"
    restarted(*options, option(fix["line"]))
    healthy(service)


def test_too_few_connections(service, restarted, edited):
    """docs/operating.md 13 and 2.2: the server allows too few connections"""
    path = edited(("server", "workers", "30"))
    restarted("--max-connections=20")
    finding = only(examine(service, config=path), "connection_limit")
    assert finding["fix"][0]["line"] == "max_connections = 966"
    restarted(option(finding["fix"][0]["line"]))
    healthy(service, path)


def test_too_few_connections_of_the_account(service, database):
    """docs/operating.md 13 and 2.2: the account may use too few connections"""
    user = service.installation.setting("database", "user")
    database.sql(f"ALTER USER '{user}'@'localhost' WITH MAX_USER_CONNECTIONS 6")
    try:
        finding = only(examine(service), "connection_limit")
        database.sql(sql_of(finding))
        healthy(service)
    finally:
        database.sql(f"ALTER USER '{user}'@'localhost' WITH MAX_USER_CONNECTIONS 0")


def test_a_read_host(service, edited):
    """docs/operating.md 13: the findings of `leadhook check`, with the line that corrects them"""
    path = edited(("database", "read_host", "localhost"))
    finding = only(examine(service, config=path), "read_host")
    assert finding["fix"][0]["place"] == "[database]"
    apply(finding)
    healthy(service, path)


def test_a_missing_right(service, database):
    """docs/operating.md 13 and 2.1: the finding names the rights"""
    name, user = (service.installation.setting("database", key) for key in ("name", "user"))
    database.sql(f"REVOKE INDEX, DROP ON `{name}`.* FROM '{user}'@'localhost'")
    try:
        finding = only(examine(service), "rights")
        assert finding["detail"] == "the account lacks INDEX, DROP"
    finally:
        database.sql(sql_of(finding))
    healthy(service)
    assert "INDEX, ALTER" in database.sql(f"SHOW GRANTS FOR '{user}'@'localhost'")


def test_a_wrong_password(service, edited):
    """docs/operating.md 13: checks that do not need the database run without it"""
    path = edited(("database", "password", "wrong"))
    answer = examine(service, config=path)
    finding = only(answer, "connection")
    [fix] = finding["fix"]
    assert (fix["file"], fix["place"], fix["line"]) == (str(path), "[database]", f"password = {SECRET}")
    states = {one["check"]: one["state"] for one in answer["checks"]}
    assert {states[name] for name in ("bodies", "methods", "errors")} == {"ok"} and states["headers"] == "skipped"
    password = service.installation.setting("database", "password")
    path.write_text(put(path.read_text(), fix["place"], fix["line"].replace(SECRET, password)))
    healthy(service, path)


def filled(path, fix, value):
    """Applies a line with "(what goes here)" in place of its value."""
    path.write_text(put(path.read_text(), fix["place"], re.sub(r"\(.*\)", value, fix["line"])))


def test_no_database(service, edited):
    """docs/operating.md 13: the server does not run"""
    finding = only(examine(service, config=edited(("database", "socket", service.installation.folder / "other.sock"))), "connection")
    assert [fix["command"] for fix in finding["fix"]] == ["service mariadb start"]


def test_another_server(service, edited):
    """docs/operating.md 13: the server may be on another host, where no command of this host can start it"""
    path = edited(("database", "socket", None), ("database", "host", "192.0.2.1"), ("database", "connect_timeout", "1s"))
    [fix] = only(examine(service, config=path), "connection")["fix"]
    assert (fix["file"], fix["place"]) == (str(path), "[database]") and fix["line"].startswith("host = (")


@pytest.mark.parametrize(("key", "wrong", "hint"), first(
    ("socket", "/nonexistent/socket", "check that the server is running"), ("name", "mysql", "check user, password and name"),
    ("name", "leadhook_nowhere", "check user, password and name")))
def test_a_wrong_setting_of_the_database(service, edited, key, wrong, hint):
    """docs/operating.md 13: the finding names the wrong setting, with the hint of `leadhook check`"""
    path = edited(("database", key, wrong))
    finding = only(examine(service, config=path), "connection")
    [fix] = finding["fix"]
    assert (fix["file"], fix["place"]) == (str(path), "[database]") and fix["line"].startswith(f"{key} = (") and hint in finding["detail"]
    filled(path, fix, service.installation.setting("database", key))
    healthy(service, path)


def account_of_tcp(service, database):
    name, user, password = (service.installation.setting("database", key) for key in ("name", "user", "password"))
    database.sql(f"CREATE OR REPLACE USER '{user}'@'127.0.0.1' IDENTIFIED BY '{password}';"
                 f"GRANT {HOSTING_RIGHTS} ON `{name}`.* TO '{user}'@'127.0.0.1'")


def test_tcp_without_tls(service, database, restarted, edited):
    """docs/operating.md 13: on this host, the remedy is the server's socket; for a server without TLS, no line may stop the programs"""
    port = free_port()
    restarted("--skip-networking=0", "--bind-address=127.0.0.1", f"--port={port}")
    path = edited(("database", "socket", None), ("database", "host", "127.0.0.1"), ("database", "port", port))
    finding = only(examine(service, config=path), "connection")
    assert "Host '127.0.0.1' is not allowed" in finding["detail"]
    apply(finding)
    filled(path, finding["fix"][1], str(database.socket))
    healthy(service, path)
    account_of_tcp(service, database)
    path = edited(("database", "socket", None), ("database", "host", "127.0.0.1"), ("database", "port", port))
    finding = only(examine(service, config=path), "database_tls")
    assert [fix["line"] for fix in finding["fix"]] == ["host = ", f"socket = {database.socket}"]
    for number in range(2):
        apply(finding, number)
    healthy(service, path)
    path = edited(("database", "socket", None), ("database", "host", "127.0.0.1"), ("database", "port", port), ("database", "tls", "verify"))
    finding = only(examine(service, config=path), "connection")
    assert "the server must offer TLS" in finding["detail"] and [fix["line"] for fix in finding["fix"]] == ["tls = off"]
    apply(finding)
    healthy(service, path)


def test_an_old_schema(service, database, edited, next_programs, monkeypatch):
    """docs/operating.md 13: the finding has the command that installs or upgrades the schema"""
    fresh = f"{service.installation.name}_fresh"
    user = service.installation.setting("database", "user")
    database.sql(f"CREATE DATABASE {fresh}; GRANT ALL ON {fresh}.* TO '{user}'@'localhost'")
    path = edited(("database", "name", fresh))
    for command, programs in (("install", service.installation.build), ("upgrade", next_programs)):
        monkeypatch.setattr(service.installation, "build", programs)
        finding = only(examine(service, config=path), "schema_version")
        assert finding["fix"][0]["command"] == f"leadhook {command}"
        assert call(service.installation, command, config=path).returncode == OK
        assert "schema_version" not in names(examine(service, config=path))


@pytest.mark.skipif(LIBRARY is None, reason="needs libfaketime")
@pytest.mark.parametrize("offset", first("+2m", "-2m"))
def test_a_wrong_clock(service, offset):
    """docs/operating.md 13: the clock of this host is compared with that of the database, which probes use"""
    env = {"LD_PRELOAD": str(LIBRARY), "FAKETIME": offset, "FAKETIME_DONT_FAKE_MONOTONIC": "1",
           "ASAN_OPTIONS": "verify_asan_link_order=0"}
    finding = only(examine(service, env=env), "clock")
    assert ("earlier" if offset[0] == "+" else "later") in finding["detail"]
    healthy(service)


# --- the dispatcher, certificates, names ---

def test_the_next_run_is_late(service):
    """docs/operating.md 13: the finding shows when the last run was; the line for cron corrects it"""
    service.installation.sql("UPDATE lh_heartbeats SET beat_ms = beat_ms - 2 * 86400000")
    finding = only(examine(service), "dispatcher_stopped")
    assert re.search(r"the last run ended at \d{4}-\d\d-\d\dT\S+Z, on the host \S+$", finding["detail"])
    run_as_cron(finding["fix"][0]["line"])
    healthy(service)


def run_as_cron(line):
    """Run the command of a crontab line: cron has a short PATH, and an unescaped % is a new line."""
    command = line.removeprefix("* * * * * ")
    assert command != line and not re.search(r"(?<!\\)%", command)
    subprocess.run(["sh", "-c", command.replace("\\%", "%") + " --max-runtime 1"], env={"PATH": "/usr/bin:/bin"}, check=True, timeout=60)


def test_a_path_with_special_characters(service, edited):
    """docs/operating.md 13: the line for cron is right whatever the name of the configuration file"""
    folder = service.installation.folder / "100 % 'full'"
    folder.mkdir()
    path = folder / "leadhook.conf"
    shutil.copy2(edited(("dispatch", "lock_file", folder / "lock")), path)
    service.installation.sql("DELETE FROM lh_heartbeats")
    run_as_cron(only(examine(service, config=path), "dispatcher_never_ran")["fix"][0]["line"])
    healthy(service, path)
    shutil.rmtree(folder)


def state_of(service, process="dispatcher"):
    return service.installation.admin("status")[process]


def be_silent(service):
    """Makes the last sign of the processes 40 seconds older."""
    service.installation.sql("UPDATE lh_heartbeats SET beat_ms = beat_ms - 40000")


def test_a_daemon(service):
    """docs/operating.md 13: a daemon that works is no finding; for one that hangs there is the command that ends it;
    one that stopped is found at once"""
    service.dispatcher.start()
    try:
        wait_until(lambda: state_of(service) == "working", 20, "a sign")
        healthy(service)
        suspend(service.dispatcher.pid)
        be_silent(service)
        finding = only(examine(service), "dispatcher_silent")
        assert f"process {service.dispatcher.pid} of the host " in finding["detail"] and " hangs; its last sign was at " in finding["detail"]
        assert finding["fix"][0]["command"] == f"kill -KILL {service.dispatcher.pid}"
        os.kill(service.dispatcher.pid, signal.SIGCONT)
        wait_until(lambda: state_of(service) == "working", 20, "a sign")
    finally:
        service.dispatcher.stop()
    assert state_of(service) == "stopped"
    assert "stopped at " in only(examine(service), "dispatcher_stopped")["detail"]
    service.dispatch(1)


def test_a_killed_daemon(service):
    """docs/operating.md 13: the finding has the line that starts another one"""
    service.dispatcher.start()
    wait_until(lambda: state_of(service) == "working", 20, "a sign")
    service.dispatcher.kill()
    be_silent(service)
    finding = only(examine(service), "dispatcher_silent")
    assert "was killed, or cannot reach the database" in finding["detail"]
    run_as_cron(finding["fix"][0]["line"])
    healthy(service)


@pytest.mark.parametrize("content", [None, "no certificate\n"], ids=["missing", "empty"])
def test_no_certificates(service, edited, content):
    """docs/operating.md 13: the file of the certificates that receivers are verified with is missing or empty"""
    file = service.installation.folder / "ca.pem"
    file.unlink(missing_ok=True)
    if content is not None:
        file.write_text(content)
    path = edited(("dispatch", "ca_file", file))
    finding = only(examine(service, config=path), "ca_file")
    assert finding["fix"][0]["file"] == str(path)
    apply(finding)
    healthy(service, path)


@pytest.mark.parametrize(("what", "settings"), first(
    ("name_of_mail_server", [("mail", "host", "mail.nowhere.invalid"), ("mail", "from", "a@example.org")]),
    ("name_of_gateway", [("sms", "url", "https://sms.nowhere.invalid/send?key=secret")])))
def test_a_name_that_does_not_resolve(service, edited, what, settings):
    """docs/operating.md 13: the finding does not show the rest of the URL, which may contain secrets"""
    answer = examine(service, config=edited(*settings))
    (finding,) = [one for one in answer["findings"] if one["what"] != "mailer_stopped"]  # the mailer has not run, either
    assert finding["what"] == what and finding["detail"].split(":")[0].endswith(".nowhere.invalid") and "secret" not in json.dumps(finding)


def test_the_name_of_a_webhook(service, campaign):
    """docs/operating.md 13: a warning, once per host"""
    for path in ("a", "b"):
        response = campaign.post({"url": f"https://hook.nowhere.invalid/{path}", "events": ["new_signup"]}, path="/outbound-webhook")
        assert response.status == 200
    answer = examine(service)
    assert only(answer, "name_of_webhook")["severity"] == "warning" and answer["ok"]
    for hook in service.installation.admin("webhook", "list", str(campaign.id)):
        service.installation.admin("webhook", "disable", str(hook["referenceId"]))
    healthy(service)


def test_a_stopped_webhook(service, campaign):
    """docs/deliveries.md 1.1: after an answer of 410, or after failures, but not if a person disabled it"""
    hook = campaign.webhook("new_signup")["referenceId"]
    service.installation.admin("webhook", "disable", str(hook))
    healthy(service)
    for change in (f"UPDATE lh_webhook_status SET failing_since_ms = 1 WHERE webhook_id = {hook}",
                   f"UPDATE lh_webhooks SET state = 'gone' WHERE id = {hook}"):
        service.installation.sql(change)
        finding = only(examine(service), "webhook_stopped")
        assert finding["severity"] == "warning" and f"webhook {hook} of campaign {campaign.id}" in finding["detail"]
    service.installation.admin("webhook", "enable", str(hook))
    service.installation.admin("webhook", "remove", str(hook))
    healthy(service)


def test_the_name_of_the_service(service, edited):
    """docs/operating.md 13: an error, unless another address is given"""
    path = edited(("server", "base_url", "https://nowhere.invalid/lead"))
    answer = examine(service, config=path)
    assert names(answer) == ["name_of_base_url", "web_unreachable"] and not answer["ok"]
    answer = examine(service, "--url", service.front.url, config=path)
    assert only(answer, "name_of_base_url")["severity"] == "warning" and answer["ok"]


def test_no_base_url(service, edited):
    """docs/operating.md 13: a warning; the web server is not checked"""
    answer = examine(service, config=edited(("server", "base_url", None)))
    finding = only(answer, "base_url")
    assert finding["severity"] == "warning" and finding["fix"][0]["place"] == "[server]"
    assert {one["check"]: one["state"] for one in answer["checks"]}["methods"] == "skipped"


def test_never_ran(make_service):
    """docs/operating.md 13: the dispatcher has never run"""
    fresh = new_service(make_service)
    only(examine(fresh), "dispatcher_never_ran")
    fresh.dispatch(1)
    healthy(fresh)
