# SPDX-License-Identifier: MIT
"""docs/operating.md 2.4: `leadhook setup` on a Debian 12 with a database server and a web server, from the package to a webhook."""
import json
import re
import shutil

import pytest
from conftest import SOURCE
from container import Container
from installed import CONFIGURATION, PASSWORD, Installed, commands
from service import Campaign
from stack.process import wait_until
from test_life_cycle import BASE, DEADLINE, UNITS, delivered, install, status_of

FRONTS = {"lighttpd": "lighttpd", "apache": "apache2", "nginx": "nginx"}  # their units, by the values of --web-server
URL = "http://127.0.0.1/lead"
HTTPS_URL = "https://127.0.0.1/lead"
MAKE_CERTIFICATE = """
openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=127.0.0.1 -addext subjectAltName=IP:127.0.0.1 \\
    -keyout /etc/ssl/private/test.key -out /usr/local/share/ca-certificates/test.crt
update-ca-certificates
"""
TLS_SITE = """
server {
    listen 443 ssl;
    server_name 127.0.0.1;
    ssl_certificate /usr/local/share/ca-certificates/test.crt;
    ssl_certificate_key /etc/ssl/private/test.key;
    client_max_body_size 2m;
    location / {
        proxy_pass http://127.0.0.1;
        proxy_set_header X-Forwarded-For $remote_addr;
    }
}
"""
TEST_SETTINGS = "\n[server]\ntrusted_proxies = 127.0.0.1\n\n[dispatch]\nallow_networks = 127.0.0.0/8\n"
FOLDERS = ("/etc/leadhook", "/etc/apache2", "/etc/lighttpd", "/etc/nginx")


@pytest.fixture(scope="module")
def container(make_folder, package):
    made = Container(make_folder(), [*BASE, "bsdutils", *package.depends()])
    try:
        shutil.copy(package.deb, made.root / "root")
        made.boot()
        made.run("systemctl", "disable", "--now", *FRONTS.values())
        with made.network():
            yield made
    finally:
        made.close()


@pytest.fixture
def fresh(container, package):
    """The package, and nothing that an earlier setup made."""
    container.call("apt-get", "purge", "-y", "-q", "leadhook")
    container.run("systemctl", "stop", *FRONTS.values())
    container.shell("rm -f /etc/lighttpd/conf-*/50-leadhook.conf /etc/apache2/*-*/*leadhook.conf /etc/nginx/sites-*/leadhook")
    container.run("mariadb", input="DROP DATABASE IF EXISTS leadhook; DROP USER IF EXISTS leadhook@localhost;")
    install(container, package)
    with container.path(CONFIGURATION).open("a", encoding="utf-8") as file:
        file.write(TEST_SETTINGS)
    made = Installed(container)
    yield made
    made.close()


class Owner:
    """The account that setup made."""

    def __init__(self, output):
        self.id, self.key = 1, re.search(r"not shown again: (\S+)", output)[1]


def files(container):
    """Return names, times and contents of the files of the host that setup may change."""
    return container.shell(f"find {' '.join(FOLDERS)} -printf '%p %y %l %T@ %m %u:%g\\n' | sort")


def sign_up(installed, output):
    """Sign up a lead without a key, and check its signed webhook."""
    installed.wait_ready()
    campaign = Campaign(installed, Owner(output), {})
    campaign.webhook("new_signup")
    assert campaign.post({"email": "ada@example.org"}, key=None).status == 200
    delivered(campaign, ["ada@example.org"])
    assert campaign.find(email="ada@example.org")["rank"] == 1
    return campaign


@pytest.mark.parametrize("front", FRONTS)
def test_by_options(container, fresh, front):
    """a webhook arrives; a second run changes nothing that exists, and a dry run changes nothing at all"""
    before = files(container)
    words = ("leadhook", "setup", "--web-server", front, "--base-url", URL)
    planned = container.run(*words, "--dry-run")
    assert files(container) == before and container.active(*UNITS) == []
    assert "would make the database leadhook and its account leadhook" in planned and "would restart" in planned
    output = container.run(*words)
    assert "\n0 errors, " in output
    assert container.active(*UNITS, FRONTS[front]) == [*UNITS, FRONTS[front]]
    assert status_of(container, CONFIGURATION) == "640 root:leadhook"
    campaign = sign_up(fresh, output)
    done, processes = files(container), [fresh.main_process(unit) for unit in (*UNITS[1:], FRONTS[front])]
    again = container.run(*words)
    assert "restart" not in again and "write" not in again and "API key" not in again
    assert files(container) == done and processes == [fresh.main_process(unit) for unit in (*UNITS[1:], FRONTS[front])]
    assert campaign.find(email="ada@example.org")


def test_protected_leads(container, fresh):
    """protection is a choice that is off by default; setup says what a repeated sign-up then gets"""
    output = container.run("leadhook", "setup", "--web-server", "nginx", "--base-url", URL, "--protect-leads", "yes")
    assert "A person who signs up again sees nothing of the first sign-up, because mail is not set up" in output
    shown = json.loads(container.run("leadhook", "campaign", "show", "1", "--json"))
    assert (shown["public_lookup"], shown["public_update"], shown["repeated_signup"]) == ("social_id", "own", "nothing")


@pytest.mark.parametrize("front", FRONTS)
def test_before_the_certificate(container, fresh, front):
    """setup with https succeeds; doctor checks the site without TLS"""
    output = container.run("leadhook", "setup", "--web-server", front, "--base-url", HTTPS_URL)
    assert "To do: the certificate of 127.0.0.1" in output and "\n0 errors, " in output
    assert "web_server" in re.search(r"^ok  .*$", output, re.MULTILINE)[0]
    sign_up(fresh, output)


def test_with_a_certificate(container, fresh):
    """doctor checks the address itself, and nothing about a certificate is left to do"""
    container.shell(MAKE_CERTIFICATE)
    tls = container.path("/etc/nginx/conf.d/tls.conf")
    tls.write_text(TLS_SITE)
    try:
        output = container.run("leadhook", "setup", "--web-server", "nginx", "--base-url", HTTPS_URL)
        assert "To do" not in output and "\n0 errors, " in output
    finally:
        tls.unlink()
        container.shell("rm /usr/local/share/ca-certificates/test.crt; update-ca-certificates --fresh")


def test_what_doctor_finds_is_not_the_status(container, fresh):
    """the host name may be set up later"""
    output = container.run("leadhook", "setup", "--web-server", "nginx", "--base-url", "http://leads.invalid")
    assert "\nerror  name_of_base_url: " in output and "\n    curl " in output
    assert container.call("leadhook", "doctor").returncode != 0


@pytest.mark.parametrize("front", FRONTS)
def test_by_answers(container, fresh, front):
    """on a terminal with answers only; an empty answer means the default"""
    output = container.run("script", "-qec", "leadhook setup", "/dev/null",
                           input=f"{'' if front == 'apache' else front}\n{URL}\nExample\nLaunch 2026\n")
    assert container.active(FRONTS[front]) == [FRONTS[front]]
    assert "Web server, of apache, lighttpd, nginx or none [apache]: " in output
    sign_up(fresh, output.replace("\r", ""))
    assert [one["name"] for one in fresh.admin("campaign", "list")][0] == "Launch 2026"


def test_an_interrupted_run_goes_on(container, fresh):
    """whatever an interrupted run has done, the next run does the rest"""
    words = "leadhook setup --web-server nginx --base-url " + URL
    for hundredths in (5, 15, 30, 60, 120):
        container.call("sh", "-c", f"timeout -s KILL {hundredths / 100} {words}")
    output = container.run(*words.split())
    fresh.wait_ready()
    lists = (("account", "list"), ("key", "list", "1"), ("campaign", "list", "1"))
    assert [len(fresh.admin(*one)) for one in lists] == [1, 1, 1]
    assert fresh.admin("check", "--deep")["ok"]
    assert container.run("find", "/run/leadhook-setup", "-mindepth", "1") == ""


def test_what_an_interrupted_run_left(container, fresh):
    """an account that lacks a key or a campaign gets it; programs and web server restart once with the written configuration"""
    words = ("leadhook", "setup", "--web-server", "nginx", "--base-url", URL)
    container.run(*words)
    database = "mariadb", "leadhook", "-e"
    container.run(*database, "DELETE FROM lh_api_keys")
    container.shell("install -d -m 700 /run/leadhook-setup /run/leadhook-setup/nginx && touch /run/leadhook-setup/programs")
    before = [fresh.main_process(unit) for unit in UNITS[1:]]
    output = container.run(*words)
    assert re.search(r"not shown again: (\S+)", output) and "make the account" not in output and "make the campaign" not in output
    assert "reload nginx" in output
    assert not set(before) & {fresh.main_process(unit) for unit in UNITS[1:]}
    again = container.run(*words)
    assert "API key" not in again and "reload" not in again and "restart" not in again


def test_a_list_that_fails_is_not_an_account(container, fresh):
    """setup ends with an error if it cannot see what exists"""
    container.run("leadhook", "setup", "--web-server", "none", "--base-url", URL)
    container.run("mariadb", "leadhook", "-e", "RENAME TABLE lh_accounts TO lh_other")
    done = container.call("leadhook", "setup", "--web-server", "none", "--base-url", URL)
    assert done.returncode != 0 and "leadhook account list failed" in done.stderr


@pytest.mark.parametrize("words, message", [
    (("--web-server", "iis"), "--web-server: expected apache, lighttpd, nginx or none, not iis"),
    (("--base-url", "localhost"), "--base-url: expected http:// or https:// and a host"),
    (("--base-url", "http://x.example/a b"), "--base-url"),
    (("--base-url", "http://x.example:99999"), "--base-url: expected a port from 1 to 65535, not 99999"),
    (("--base-url", "http://:80/a"), "--base-url: expected a host"),
    (("--database-name", "a-b"), "--database-name: expected letters, digits and underscores"),
    (("--database-user", "a'b"), "--database-user: expected letters, digits and underscores"),
    (("--database-host", "x;y"), "--database-host: expected host names or addresses"),
    (("--database-host", "127.0.0.1", "--database-name", "a ;b"), "--database-name: it cannot begin or end with a blank"),
    (("--account-name", "a\nb"), "--account-name: expected one line without control characters"),
    (("--campaign-name", "x" * 201), "--campaign-name: a name has 1 to 200 characters"),
    (("--protect-leads", "maybe"), "--protect-leads: expected yes or no, not maybe"),
    (("--database-host", "127.0.0.1", "--database-password-file", "/nothing"), "/nothing cannot be read"),
])
def test_wrong_options(container, fresh, words, message):
    """nothing is left half done"""
    before = files(container)
    others = [] if "--web-server" in words else ["--web-server", "none"]
    done = container.call("leadhook", "setup", *others, *words)
    assert done.returncode != 0 and message in done.stderr
    assert container.run("mariadb", "-N", "-e", "SHOW DATABASES LIKE 'leadhook'") == ""
    assert files(container) == before


@pytest.mark.parametrize("password, message", [
    ("", "/root/password is empty"),
    *((one, "--database-password-file: it cannot begin or end with a blank, or have a semicolon") for one in (" a", "a ", "a ;b", ";a")),
    *((one, "--database-password-file: expected one line without control characters") for one in ("a\tb", "a\nb")),
    ("x" * 256, "--database-password-file: expected 255 bytes or less"),
])
def test_wrong_passwords(container, fresh, password, message):
    """in the file of --database-password-file: passwords that the configuration cannot hold"""
    container.path("/root/password").write_text(f"{password}\n")
    before = files(container)
    done = container.call("leadhook", "setup", "--web-server", "none", "--database-password-file", "/root/password")
    assert done.returncode != 0 and done.stderr.startswith(f"leadhook: {message}")
    assert files(container) == before


def test_a_password_with_quotes(container, fresh):
    """a password with quotes is in the configuration before the database exists"""
    with container.path(CONFIGURATION).open("a", encoding="utf-8") as file:
        file.write("\n[database]\npassword = a'b\\\\c\\'\"d\n")
    container.run("leadhook", "setup", "--web-server", "none", "--base-url", URL, "--database-name", "lead_hook")
    assert fresh.admin("check")["ok"]
    grants = container.run("mariadb", "-N", "-r", "-e", "SHOW GRANTS FOR leadhook@localhost")
    assert r"ON `lead\_hook`.*" in grants
    container.run("mariadb", "-e", "DROP DATABASE lead_hook")


def test_a_folder_of_another_account(container, fresh):
    """the other account could replace the configuration while it is written"""
    container.run("chown", "leadhook", "/etc/leadhook")
    try:
        before = files(container)
        done = container.call("leadhook", "setup", "--web-server", "none", "--base-url", URL)
        assert done.returncode != 0 and "the folder /etc/leadhook must belong to root" in done.stderr
        assert files(container) == before
    finally:
        container.run("chown", "root", "/etc/leadhook")


def test_a_configuration_with_an_error_is_not_written(container, fresh):
    """the file that was to be written is removed"""
    before = container.run("cat", CONFIGURATION)
    done = container.call("leadhook", "setup", "--web-server", "none", "--base-url", URL, "--database-host", "127.0.0.1:99999")
    assert done.returncode != 0 and "was not changed, because the new one has an error" in done.stderr
    assert container.run("cat", CONFIGURATION) == before
    assert container.run("find", "/etc/leadhook", "-type", "f").split() == [CONFIGURATION]


def test_a_database_of_another_program(container, fresh):
    container.run("mariadb", input="CREATE DATABASE leadhook; CREATE TABLE leadhook.posts (id INT);")
    before = files(container)
    done = container.call("leadhook", "setup", "--web-server", "none", "--base-url", URL)
    assert done.returncode != 0 and "the database leadhook has tables of another program" in done.stderr
    assert files(container) == before


@pytest.mark.parametrize("front", FRONTS)
def test_another_port(container, fresh, front):
    """the web server listens on the port of the address"""
    container.run("leadhook", "setup", "--web-server", front, "--base-url", "http://127.0.0.1:8081/lead")
    health = ["curl", "-sS", "http://127.0.0.1:8081/lead/health/ready"]
    wait_until(lambda: container.call(*health).stdout.strip() == '{"status":"ok"}', DEADLINE, "the service")


def test_a_database_of_the_configuration(container, fresh):
    """a configured database is used, with the default name"""
    container.run("mariadb", input=commands(SOURCE, "2.1"))
    with container.path(CONFIGURATION).open("a", encoding="utf-8") as file:
        file.write(f"\n[database]\nuser = leadhook\npassword = {PASSWORD}\n")
    output = container.run("leadhook", "setup", "--web-server", "none", "--base-url", URL)
    assert "make the database" not in output and "set database" not in output
    assert fresh.admin("check")["ok"]


def test_what_it_did_not_make_stays(container, fresh):
    """a database account and a file of a web server that setup did not make stay"""
    container.run("mariadb", "-e", "CREATE USER leadhook@localhost IDENTIFIED BY 'other'")
    done = container.call("leadhook", "setup", "--web-server", "none", "--base-url", URL)
    assert done.returncode != 0 and "the database has an account leadhook already" in done.stderr
    container.run("mariadb", "-e", "DROP USER leadhook@localhost")
    own = container.path("/etc/nginx/sites-available/leadhook")
    own.write_text("# mine\n")
    done = container.call("leadhook", "setup", "--web-server", "nginx", "--base-url", URL)
    assert done.returncode != 0 and "exists, and leadhook setup did not make it" in done.stderr and own.read_text() == "# mine\n"
    own.unlink()


def test_a_web_server_that_refuses(container, fresh):
    """new files are removed, others are restored, and the web server runs as before"""
    available = container.path("/etc/nginx/sites-available/leadhook")
    container.run("leadhook", "setup", "--web-server", "nginx", "--base-url", "http://127.0.0.1/old")
    old = available.read_text()
    container.run("rm", "/etc/nginx/sites-enabled/leadhook")
    broken = container.path("/etc/nginx/conf.d/broken.conf")
    broken.write_text("nonsense;\n")
    try:
        done = container.call("leadhook", "setup", "--web-server", "nginx", "--base-url", URL)
        assert done.returncode != 0 and "nginx does not accept its configuration" in done.stderr
        assert not container.path("/etc/nginx/sites-enabled/leadhook").is_symlink() and container.active("nginx")
        assert available.read_text() == old
    finally:
        broken.unlink()


def test_apache_refuses(container, fresh):
    """the modules that setup enabled are disabled again"""
    container.run("a2dismod", "-q", "-f", "proxy_fcgi", "proxy", "buffer")
    modules = container.run("ls", "/etc/apache2/mods-enabled")
    broken = container.path("/etc/apache2/conf-enabled/broken.conf")
    broken.write_text("Nonsense\n")
    try:
        done = container.call("leadhook", "setup", "--web-server", "apache", "--base-url", URL)
        assert done.returncode != 0 and "apache2 does not accept its configuration" in done.stderr
        assert container.run("ls", "/etc/apache2/mods-enabled") == modules
        assert container.run("find", "/etc/apache2", "-lname", "*leadhook.conf") == ""
    finally:
        broken.unlink()
