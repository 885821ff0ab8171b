# SPDX-License-Identifier: MIT
"""docs/operating.md 13: `leadhook doctor` on this host: configuration, files, database, programs, names. Each fault is made on
purpose, found by its name, and gone after its line or command is applied."""
import configparser
import grp
import hashlib
import io
import json
import os
import pathlib
import pwd
import re
import shutil
import subprocess
import time

import pytest
from command import CONFIG, OK, call
from conftest import run_database
from doctor import apply, examine, names, only, put
from stack.front import LighttpdSocket
from stack.mariadb import MariaDB
from stack.process import wait_until
from test_clock_jumps import LIBRARY

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="needs root")
ACCOUNT = "www-data"
SECRET = "(the password of this account)"


@pytest.fixture(scope="module")
def database(make_folder):
    """A server whose options the tests change."""
    yield from run_database(make_folder(), MariaDB)


@pytest.fixture(scope="module")
def service(make_service):
    made = make_service(front=LighttpdSocket, mount="/lead/", workers=2, settings=[
        ("server", "trusted_proxies", ""), ("server", "workers", 2)])
    made.dispatch(1)
    return made


@pytest.fixture
def edited(service):
    """Returns a copy of the configuration with other settings; None removes one."""
    path = service.installation.folder / "edited.conf"

    def edit(*settings):
        parser = configparser.RawConfigParser(default_section=None)
        parser.read(service.installation.config)
        for section, key, value in settings:
            if value is None:
                parser.remove_option(section, key)
                continue
            if not parser.has_section(section):
                parser.add_section(section)
            parser.set(section, key, str(value))
        text = io.StringIO()
        parser.write(text)
        path.write_text(text.getvalue())
        path.chmod(0o600)
        return path
    yield edit
    path.unlink(missing_ok=True)


def healthy(service, config=True):
    assert names(examine(service, config=config)) == []


def test_text(service):
    """13: what is good in one line, the rest complete; nothing is skipped silently"""
    done = call(service.installation, "doctor", "--access-log", service.front.folder / "access.log")
    assert done.returncode == OK
    assert done.stdout.splitlines() == [
        "ok  configuration, files, state_dir, lock_file, log_file, database, disk_space, ca_file, dispatcher, names, web_server,"
        " headers, bodies, slow_body, methods, errors, access_log", "0 errors, 0 warnings; nothing was changed"]
    done = call(service.installation, "doctor", env={"LEADHOOK_SERVER_STATE_DIR": "/nonexistent/state"})
    assert done.returncode == CONFIG
    assert done.stdout.startswith("error  state_dir_missing: /nonexistent/state: No such file or directory\n    The programs")
    assert "\n    run:  install -d -o root -m 700 /nonexistent/state\n" in done.stdout
    assert "\nskipped  access_log: " in done.stdout and done.stdout.endswith("1 error, 0 warnings; nothing was changed\n")


def test_it_changes_nothing(service, campaign):
    """13: no row, no file"""
    campaign.lead(email="ada@example.org")
    service.dispatch(1)
    folder = service.installation.folder

    def state():
        tables = service.installation.sql("SHOW TABLES").split()
        rows = service.installation.sql("".join(f"CHECKSUM TABLE {table};" for table in tables))
        files = {str(path): (path.stat().st_mtime_ns, path.stat().st_mode) for path in folder.glob("*") if path.suffix != ".log"}
        return rows, files, sorted(os.listdir(folder / "state"))
    before = state()
    healthy(service)
    assert state() == before


# --- the configuration ---

def test_a_wrong_value(service, edited):
    """13: each error of --check-config is a finding with its line"""
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
    """13: what does not need it is checked all the same"""
    path = edited(("server", "workers", "many"))
    answer = examine(service, "--url", service.front.url, config=path)
    only(answer, "configuration")
    states = {one["check"]: one["state"] for one in answer["checks"]}
    assert states["web_server"] == states["methods"] == states["errors"] == "ok"
    assert states["database"] == states["headers"] == "skipped"


def test_an_unknown_setting(service, edited):
    """13: the line is named"""
    finding = only(examine(service, "--url", service.front.url, config=edited(("server", "wokers", "2"))), "configuration")
    assert "wokers" in finding["detail"] and finding["fix"][0]["place"].startswith("line ")


def test_others_can_read_the_configuration(service, edited):
    """13: with the command that corrects it"""
    path = edited()
    path.chmod(0o644)
    finding = only(examine(service, "--url", service.front.url, config=path), "file_mode")
    assert finding["fix"][0]["file"] == str(path)
    apply(finding)
    assert path.stat().st_mode & 0o777 == 0o640
    healthy(service, path)


def test_a_list_is_missing(service, edited):
    """13: the rest is checked without it"""
    path = edited(("lead", "disposable_domains_file", "/nonexistent/list"))
    answer = examine(service, config=path)
    only(answer, "configuration")
    assert {one["check"]: one["state"] for one in answer["checks"]}["headers"] == "ok"


# --- files ---

@pytest.fixture
def owned(service, edited):
    """A copy of the configuration whose account is not root."""
    folder = service.installation.folder / "owned"
    folder.mkdir()
    path = edited(("server", "state_dir", folder), ("dispatch", "lock_file", folder / "dispatch.lock"))
    account = pwd.getpwnam(ACCOUNT)
    for one in (folder, path):
        os.chown(one, account.pw_uid, account.pw_gid)
    folder.chmod(0o700)
    shutil.copy2(service.installation.folder / "dispatch.lock", folder / "dispatch.lock")
    os.chown(folder / "dispatch.lock", account.pw_uid, account.pw_gid)
    os.utime(folder / "dispatch.lock")
    yield path, folder
    shutil.rmtree(folder)


def root_owns_state(folder):
    os.chown(folder, 0, 0)


def all_write_state(folder):
    folder.chmod(0o777)


def group_writes_state(folder):
    folder.chmod(0o770)


def root_owns_lock(folder):
    os.chown(folder / "dispatch.lock", 0, 0)


def no_state(folder):
    (folder / "dispatch.lock").rename(folder.parent / "moved.lock")
    folder.rmdir()


def open_configuration(folder):
    os.chown(folder.parent / "edited.conf", 65534, 65534)


@needs_root
@pytest.mark.parametrize(("what", "fault", "also"), [
    ("state_dir_access", root_owns_state, ()), ("state_dir_mode", all_write_state, ()), ("state_dir_mode", group_writes_state, ()), ("lock_file_owner", root_owns_lock, ()),
    ("state_dir_missing", no_state, ("lock_file_directory", "dispatcher_never_ran")),
    ("account_mismatch", open_configuration, ("file_access",))], ids=lambda value: value if isinstance(value, str) else "")
def test_files_of_the_account(service, owned, what, fault, also):
    """13: run by root, for the account that the files belong to"""
    path, folder = owned
    healthy(service, path)
    fault(folder)
    answer = examine(service, config=path)
    assert what in names(answer) and not set(names(answer)) - {what, *also, "lock_file_owner", "lock_file_directory"}, names(answer)
    finding = next(one for one in answer["findings"] if one["what"] == what)
    assert finding["fix"][0]["file"] in (str(folder), str(folder / "dispatch.lock"))
    apply(finding)
    if what == "state_dir_missing":
        (folder.parent / "moved.lock").rename(folder / "dispatch.lock")
    if what != "account_mismatch":
        healthy(service, path)
    assert what not in names(examine(service, config=path))


@needs_root
def test_a_lock_file_that_is_a_link(service, owned):
    """13: the remedy changes no file elsewhere"""
    path, folder = owned
    lock, target = folder / "dispatch.lock", folder.parent / "target"
    root_owns_lock(folder)
    finding = next(one for one in examine(service, config=path)["findings"] if one["what"] == "lock_file_owner")
    assert finding["fix"][0]["command"] == f"chown -h {ACCOUNT} {lock}"
    lock.rename(target)
    lock.symlink_to(target)
    finding = next(one for one in examine(service, config=path)["findings"] if one["what"] == "lock_file_owner")
    assert "no regular file" in finding["detail"] and finding["fix"][0]["command"] == f"rm {lock}"
    apply(finding)
    assert target.stat().st_uid == 0 and not lock.is_symlink()
    assert "lock_file_owner" not in names(examine(service, config=path))
    target.unlink()


@needs_root
def test_a_file_that_is_only_read(service, owned, tmp_path):
    """13: the account may read it afterwards, and does not own it"""
    path, _ = owned
    domains, link = tmp_path / "domains.txt", tmp_path / "link.txt"
    domains.write_text("example.org\n")
    domains.chmod(0o600)
    link.symlink_to(domains)
    tmp_path.chmod(0o711)
    env = {"LEADHOOK_LEAD_DISPOSABLE_DOMAINS_FILE": str(link)}
    finding = next(one for one in examine(service, config=path, env=env)["findings"] if one["what"] == "file_access")
    assert finding["fix"][0]["command"] == f"chgrp {grp.getgrgid(pwd.getpwnam(ACCOUNT).pw_gid).gr_name} {domains} && chmod ug+r {domains}"
    apply(finding)
    assert (domains.stat().st_uid, domains.stat().st_mode & 0o777) == (0, 0o640)


def test_no_folder_for_the_lock_file(service, edited):
    """13: and the dispatcher has not run, with this configuration"""
    folder = service.installation.folder / "none"
    path = edited(("dispatch", "lock_file", folder / "dispatch.lock"))
    answer = examine(service, config=path)
    assert names(answer) == ["lock_file_directory", "dispatcher_never_ran"]
    assert answer["findings"][0]["fix"][0]["file"] == str(folder)
    apply(answer["findings"][0])
    only(examine(service, config=path), "dispatcher_never_ran")


def test_no_log_file(service, edited):
    """13: the folder is missing"""
    path = edited(("log", "file", service.installation.folder / "logs" / "leadhook.log"))
    finding = only(examine(service, config=path), "log_file")
    (service.installation.folder / "logs").mkdir()
    apply(finding)
    healthy(service, path)


@needs_root
def test_a_full_disk(service, edited):
    """13: the file system of state_dir"""
    folder = service.installation.folder / "small"
    folder.mkdir(mode=0o700)
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4m,mode=700", "none", folder], check=False, capture_output=True).returncode != 0:
        pytest.skip("no tmpfs can be mounted")
    try:
        path = edited(("server", "state_dir", folder))
        healthy(service, path)
        (folder / "fill").write_bytes(b"x" * ((4 << 20) * 97 // 100))
        finding = only(examine(service, config=path), "disk_space")
        assert finding["severity"] == "warning" and finding["fix"][0]["file"] == str(folder)
        with (folder / "fill").open("ab") as file:
            file.write(b"x" * (100 << 10))
        assert only(examine(service, config=path), "disk_space")["severity"] == "error"
        (folder / "fill").unlink()
        healthy(service, path)
    finally:
        subprocess.run(["umount", folder], check=True)


@needs_root
def test_another_account(service, owned):
    """13: without root's rights it reports what it could not check, and finds no fault that there is not"""
    config, _ = owned
    program = shutil.copy2(service.installation.program("leadhook"), service.installation.folder)
    config.write_text(re.sub(r"^password.*\n", "", config.read_text(), flags=re.M))
    config.chmod(0o644)
    done = subprocess.run(["runuser", "-u", "daemon", "--", program, "--config", config, "doctor", "--json"], text=True,
                          env={**os.environ, "LEADHOOK_DATABASE_PASSWORD": service.installation.setting("database", "password")},
                          capture_output=True, check=False)
    answer = json.loads(done.stdout)
    assert names(answer) == [], answer["findings"]
    skipped = {one["check"]: one["detail"] for one in answer["checks"] if one["state"] == "skipped"}
    assert set(skipped) >= {"lock_file", "dispatcher"} and "run this as root, or as www-data" in skipped["lock_file"]


# --- the database ---

def sql_of(finding):
    """The statement of the printed command."""
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
    """A line of an option file as an option of the server."""
    return "--" + "=".join(word.strip() for word in line.split("="))


@pytest.mark.parametrize(("what", "options"), [
    ("durability", ["--innodb-flush-log-at-trx-commit=2"]),
    ("binlog_durability", ["--log-bin", "--server-id=1", "--sync-binlog=0"]),
    ("packet_size", ["--max-allowed-packet=512K"])])
def test_options_of_the_server(service, restarted, what, options):
    """13 and 2.1: a line for the option file"""
    restarted(*options)
    finding = only(examine(service), what)
    [fix] = finding["fix"]
    assert fix["file"].startswith("/etc/mysql/") and fix["place"] == "[mariadbd]"
    restarted(*options, option(fix["line"]))
    healthy(service)


def test_too_few_connections(service, restarted, edited):
    """13 and 2.2: of the server"""
    path = edited(("server", "workers", "30"))
    restarted("--max-connections=20")
    finding = only(examine(service, config=path), "connection_limit")
    assert finding["fix"][0]["line"] == "max_connections = 35"
    restarted(option(finding["fix"][0]["line"]))
    healthy(service, path)


def test_too_few_connections_of_the_account(service, database):
    """13 and 2.2: of the account"""
    user = service.installation.setting("database", "user")
    database.sql(f"ALTER USER '{user}'@'localhost' WITH MAX_USER_CONNECTIONS 6")
    try:
        finding = only(examine(service), "connection_limit")
        database.sql(sql_of(finding))
        healthy(service)
    finally:
        database.sql(f"ALTER USER '{user}'@'localhost' WITH MAX_USER_CONNECTIONS 0")


def test_a_read_host(service, edited):
    """13: the findings of check, with the line that corrects them"""
    path = edited(("database", "read_host", "localhost"))
    finding = only(examine(service, config=path), "read_host")
    assert finding["fix"][0]["place"] == "[database]"
    apply(finding)
    healthy(service, path)


def test_a_missing_right(service, database):
    """13 and 2.1: the rights are named"""
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
    """13: without the database, what does not need it is checked"""
    path = edited(("database", "password", "wrong"))
    answer = examine(service, config=path)
    finding = only(answer, "connection")
    [fix] = finding["fix"]
    assert (fix["file"], fix["place"], fix["line"]) == (str(path), "[database]", f"password = {SECRET}")
    states = {one["check"]: one["state"] for one in answer["checks"]}
    assert {states[name] for name in ("bodies", "methods", "errors", "access_log")} == {"ok"} and states["headers"] == "skipped"
    password = service.installation.setting("database", "password")
    path.write_text(put(path.read_text(), fix["place"], fix["line"].replace(SECRET, password)))
    healthy(service, path)


def test_no_database(service, edited):
    """13: the server does not run"""
    finding = only(examine(service, config=edited(("database", "socket", "/nonexistent/socket"))), "connection")
    assert finding["fix"][0]["command"] == "service mariadb start"


def test_an_old_schema(service, database, edited):
    """13: the command that upgrades it"""
    fresh = f"{service.installation.name}_fresh"
    user = service.installation.setting("database", "user")
    database.sql(f"CREATE DATABASE {fresh}; GRANT ALL ON {fresh}.* TO '{user}'@'localhost'")
    path = edited(("database", "name", fresh))
    for command in ("install", "upgrade"):
        finding = only(examine(service, config=path), "schema_version")
        assert finding["fix"][0]["command"] == f"leadhook {command}"
        assert call(service.installation, command, config=path).returncode == OK
        assert "schema_version" not in names(examine(service, config=path))
        database.sql("DELETE FROM lh_schema_version ORDER BY version DESC LIMIT 1", fresh)


@pytest.mark.skipif(LIBRARY is None, reason="needs libfaketime")
@pytest.mark.parametrize("offset", ["+2m", "-2m"])
def test_a_wrong_clock(service, offset):
    """13: this host's against the database's; the probes go by the latter"""
    env = {"LD_PRELOAD": str(LIBRARY), "FAKETIME": offset, "FAKETIME_DONT_FAKE_MONOTONIC": "1"}
    finding = only(examine(service, env=env), "clock")
    assert ("earlier" if offset[0] == "+" else "later") in finding["detail"]
    healthy(service)


# --- the dispatcher, certificates, names ---

def test_the_dispatcher_stopped(service):
    """13: cron starts it each minute"""
    lock = pathlib.Path(service.installation.setting("dispatch", "lock_file"))
    hour_ago = time.time() - 3600
    os.utime(lock, (hour_ago, hour_ago))
    finding = only(examine(service), "dispatcher_stopped")
    assert finding["fix"][0]["line"].startswith("* * * * * leadhook-dispatch --config ")
    service.dispatch(1)
    healthy(service)


def test_a_daemon(service):
    """13: one that runs since hours is no finding"""
    service.dispatcher.start()
    try:
        wait_until(lambda: service.installation.admin("status")["dispatcher_until"], 20, "a lease")
        lock = pathlib.Path(service.installation.setting("dispatch", "lock_file"))
        os.utime(lock, (0, 0))
        healthy(service)
    finally:
        service.dispatcher.stop()


@pytest.mark.parametrize("content", [None, "no certificate\n"], ids=["missing", "empty"])
def test_no_certificates(service, edited, content):
    """13: those that deliveries are verified with"""
    file = service.installation.folder / "ca.pem"
    file.unlink(missing_ok=True)
    if content is not None:
        file.write_text(content)
    path = edited(("dispatch", "ca_file", file))
    finding = only(examine(service, config=path), "ca_file")
    assert finding["fix"][0]["file"] == str(path)
    apply(finding)
    healthy(service, path)


@pytest.mark.parametrize(("what", "settings"), [
    ("name_of_mail_server", [("mail", "host", "mail.nowhere.invalid"), ("mail", "from", "a@example.org")]),
    ("name_of_gateway", [("sms", "url", "https://sms.nowhere.invalid/send?key=secret")])])
def test_a_name_that_does_not_resolve(service, edited, what, settings):
    """13: without the rest of a URL, which may have secrets"""
    finding = only(examine(service, config=edited(*settings)), what)
    assert finding["detail"].split(":")[0].endswith(".nowhere.invalid") and "secret" not in json.dumps(finding)


def test_the_name_of_a_webhook(service, campaign):
    """13: a warning, once for a host"""
    for path in ("a", "b"):
        response = campaign.post({"url": f"https://hook.nowhere.invalid/{path}", "events": ["new_signup"]}, path="/outbound-webhook")
        assert response.status == 200
    answer = examine(service)
    assert only(answer, "name_of_webhook")["severity"] == "warning" and answer["ok"]
    for hook in service.installation.admin("webhook", "list", str(campaign.id)):
        service.installation.admin("webhook", "disable", str(hook["referenceId"]))
    healthy(service)


def test_the_name_of_the_service(service, edited):
    """13: an error, unless another address is given"""
    path = edited(("server", "base_url", "https://nowhere.invalid/lead"))
    answer = examine(service, config=path)
    assert names(answer) == ["name_of_base_url", "web_unreachable"] and not answer["ok"]
    answer = examine(service, "--url", service.front.url, config=path)
    assert only(answer, "name_of_base_url")["severity"] == "warning" and answer["ok"]


def test_no_base_url(service, edited):
    """13: a warning; the web server is not checked"""
    answer = examine(service, config=edited(("server", "base_url", None)))
    finding = only(answer, "base_url")
    assert finding["severity"] == "warning" and finding["fix"][0]["place"] == "[server]"
    assert {one["check"]: one["state"] for one in answer["checks"]}["methods"] == "skipped"


def test_never_ran(make_service):
    """13: without a run of the dispatcher"""
    fresh = make_service(front=LighttpdSocket, mount="/lead/", workers=2, settings=[
        ("server", "trusted_proxies", ""), ("server", "workers", 2)])
    only(examine(fresh), "dispatcher_never_ran")
    fresh.dispatch(1)
    healthy(fresh)
