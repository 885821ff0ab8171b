# SPDX-License-Identifier: MIT
"""docs/operating.md 2.3 and README.Debian: the life of the package on a Debian 12 with systemd, from installation to purge.

The tests are steps, in this order, on one machine.
"""
import ctypes
import os
import shutil

import pytest
from conftest import SOURCE
from container import Container
from installed import CONFIGURATION, SETTINGS, Installed, commands
from leads_file import make_leads, write_csv
from load import Load, check_leads
from service import Account, Campaign
from stack.process import wait_until

SERVICES = ("leadhook-fcgi.service", "leadhook-dispatch.service")
UNITS = ("leadhook-fcgi.socket", *SERVICES)
FRONTS = {"lighttpd": "lighttpd", "apache2": "Apache", "nginx": "nginx"}  # their names in the document, by their units
DEADLINE = 60
ENOUGH = 200  # number of answers
MANY = 100_000
BASE = ("mariadb-server", "lighttpd", "apache2", "nginx-light", "curl", "ca-certificates", "logrotate", "bash-completion",
        "man-db", "systemd-sysv", "dbus")
CREATE_RULESET, ITS_VERSION = 444, 1  # landlock_create_ruleset(2)
has_landlock = ctypes.CDLL(None).syscall(CREATE_RULESET, None, 0, ITS_VERSION) > 0


@pytest.fixture(scope="module")
def container(make_folder, package, next_package):
    folder = make_folder()
    made = Container(folder, [*BASE, *package.depends()])
    try:
        for one in (package, next_package):
            shutil.copy(one.deb, made.root / "root")
        made.boot()
        made.run("systemctl", "disable", "--now", *FRONTS)
        with made.network():
            yield made
    finally:
        made.close()


@pytest.fixture(scope="module")
def installed(container):
    made = Installed(container)
    yield made
    made.close()


@pytest.fixture(scope="module")
def account(installed):
    return Account(installed, "Account")


@pytest.fixture
def campaign(installed, account):
    made = Campaign(installed, account, {})
    made.webhook("new_signup")
    return made


def install(container, package):
    return container.run("apt-get", "install", "-y", "-q", f"/root/{package.deb.name}")


def status_of(container, path):
    return container.run("stat", "-c", "%a %U:%G", path).strip()


def delivered(campaign, emails, seconds=DEADLINE):
    """Check that the webhook has received each of these leads, signed."""
    def arrived():
        got = campaign.service.receiver.at(campaign.hook)
        return not set(emails) - {one.json["email"] for one in got if one.verified}
    wait_until(arrived, seconds, "the deliveries")


def new_process(installed, unit, before):
    wait_until(lambda: installed.main_process(unit) not in (0, before), DEADLINE, f"another process of {unit}")


def test_install(container, package):
    """nothing runs yet, and only root and the account can read the configuration"""
    install(container, package)
    assert status_of(container, CONFIGURATION) == "640 root:leadhook"
    assert status_of(container, "/run/leadhook") == "700 leadhook:leadhook"
    assert status_of(container, "/var/lib/leadhook") == "750 leadhook:leadhook"
    assert status_of(container, "/var/log/leadhook") == "750 leadhook:adm"
    assert container.active(*UNITS, "leadhook-dispatch.timer") == []
    assert container.run("leadhook", "--version").split()[1] == package.version
    container.run("leadhook", "--check-config")
    completes = ". /usr/share/bash-completion/bash_completion; _completion_loader leadhook; complete -p leadhook"
    assert container.run("bash", "-c", completes).strip() == "complete -F _leadhook leadhook"


def test_units_are_valid_and_restricted(container):
    names = sorted(path.name for path in container.path("/usr/lib/systemd/system").glob("leadhook-*"))
    assert len(names) == 5
    verified = container.call("systemd-analyze", "verify", *names)
    # The status is 0 even with unknown keys and sections, which are ignored.
    assert verified.returncode == 0 and [line for line in verified.stderr.splitlines() if "leadhook" in line] == []
    for name in names:
        if name.endswith(".service"):
            container.run("systemd-analyze", "security", "--offline=yes", "--threshold=20", f"/lib/systemd/system/{name}")


def test_configure(container, installed):
    container.run("mariadb", input=commands(SOURCE, "2.1"))
    with container.path(CONFIGURATION).open("a", encoding="utf-8") as file:
        file.write(SETTINGS)
    container.shell(commands(SOURCE))
    assert container.active(*UNITS) == list(UNITS)
    assert container.property("leadhook-fcgi", "StatusText") == "Serving"
    assert container.property("leadhook-dispatch", "StatusText") == "Delivering"
    assert status_of(container, "/run/leadhook.sock") == "660 leadhook:www-data"
    assert status_of(container, "/run") == "755 root:root"


@pytest.mark.skipif(not has_landlock, reason="this kernel has no Landlock")
def test_the_sandbox_works_below_that_of_systemd(container):
    for unit in SERVICES:
        assert " sandbox landlock=" in container.journal(unit) and "no_landlock" not in container.journal(unit)


@pytest.mark.parametrize("front", FRONTS)
def test_serves_through(container, installed, account, front):
    container.run("systemctl", "stop", *FRONTS)
    container.shell(commands(SOURCE, subject=FRONTS[front]))
    installed.wait_ready()
    campaign = Campaign(installed, account, {})
    campaign.webhook("new_signup")
    assert campaign.post({"email": f"{front}@example.org"}, key=None).status == 200
    delivered(campaign, [f"{front}@example.org"])
    assert campaign.find(email=f"{front}@example.org")["rank"] == 1  # with the header Authorization
    assert container.run("curl", "-sS", "http://localhost/lead/health/ready").strip() == '{"status":"ok"}'


@pytest.mark.parametrize("verb", ["reload", "restart"])
def test_no_sign_up_is_refused(container, installed, campaign, verb):
    """no sign-up is refused while systemd reloads or restarts the programs"""
    with Load(campaign) as load:
        load.wait_for(ENOUGH)
        for unit in SERVICES:
            before = installed.main_process(unit)
            container.run("systemctl", verb, unit)
            wait_until(lambda unit=unit: container.active(unit), DEADLINE, unit)
            if (unit, verb) != ("leadhook-fcgi.service", "reload"):
                new_process(installed, unit, before)
        load.wait_for(ENOUGH)
    assert set(load.answers.values()) == {200}
    check_leads(campaign, load.answers)
    delivered(campaign, load.answers)


@pytest.mark.parametrize("lines", ["[server]\nworkers = many", "[database]\npassword = wrong"])
def test_a_wrong_configuration_is_not_loaded(container, installed, campaign, lines):
    """a reload fails and the programs keep running, even if the signal comes without the check before it"""
    file = container.path(CONFIGURATION)
    before, processes = file.read_text(), [installed.main_process(unit) for unit in SERVICES]
    file.write_text(f"{before}\n{lines}\n")
    try:
        for unit in SERVICES:
            assert container.call("systemctl", "reload", unit).returncode != 0
            container.run("kill", "-HUP", installed.main_process(unit))
            wait_until(lambda unit=unit: "reload failed" in container.property(unit, "StatusText"), DEADLINE, "the status")
        assert [installed.main_process(unit) for unit in SERVICES] == processes
        assert campaign.lead(email="one@example.org")
    finally:
        file.write_text(before)
        container.run("systemctl", "reload", "leadhook-fcgi")


@pytest.mark.parametrize("unit", SERVICES)
def test_a_program_that_hangs_is_started_again(container, installed, campaign, unit):
    with installed.override(unit, "WatchdogSec=2s"):
        before = installed.main_process(unit)
        container.run("kill", "-STOP", before)
        new_process(installed, unit, before)
        wait_until(lambda: container.active(unit), DEADLINE, unit)
        assert "watchdog" in container.run("journalctl", "--no-pager", "-o", "cat", "-u", unit).lower()
    campaign.lead(email="one@example.org")
    delivered(campaign, ["one@example.org"])


def test_the_timer_delivers(container, campaign):
    """the timer delivers instead of the daemon"""
    container.run("systemctl", "disable", "--now", "leadhook-dispatch.service")
    container.run("systemctl", "enable", "--now", "leadhook-dispatch.timer")
    campaign.lead(email="one@example.org")
    delivered(campaign, ["one@example.org"], seconds=61 + DEADLINE)
    container.run("systemctl", "disable", "--now", "leadhook-dispatch.timer")
    container.run("systemctl", "enable", "--now", "leadhook-dispatch.service")


def test_log_file_is_rotated(container, installed, campaign):
    file = container.path(CONFIGURATION)
    file.write_text(f"{file.read_text()}\n[log]\nfile = /var/log/leadhook/leadhook.log\n")
    container.run("systemctl", "reload", "leadhook-fcgi")
    log = container.path("/var/log/leadhook/leadhook.log")
    wait_until(log.exists, DEADLINE, "the log")
    assert status_of(container, "/var/log/leadhook/leadhook.log") in ("640 leadhook:leadhook", "600 leadhook:leadhook")
    wait_until(lambda: log.stat().st_size, DEADLINE, "lines in it")
    first = log.stat().st_ino
    container.run("logrotate", "--force", "/etc/logrotate.d/leadhook")
    assert log.stat().st_ino != first and status_of(container, "/var/log/leadhook/leadhook.log") == "640 leadhook:adm"
    container.run("systemctl", "reload", "leadhook-fcgi")
    wait_until(lambda: log.stat().st_size, DEADLINE, "lines in the new log")


def test_upgrade_under_load(container, installed, account, campaign, package, next_package):
    """with one more schema step and 100,000 leads, no sign-up is lost or refused, and the operator's settings stay"""
    settings = container.run("cat", CONFIGURATION)
    before, large = campaign.leads(20), Campaign(installed, account, {})
    write_csv(container.path("/root/leads.csv"), make_leads(MANY, seed=1, numbered=False))
    container.run("leadhook", "lead", "import", large.id, "/root/leads.csv")
    with Load(campaign) as load:
        load.wait_for(ENOUGH)
        install(container, next_package)
        assert installed.version() == next_package.version
        load.wait_for(ENOUGH)
    assert set(load.answers.values()) <= {200, 503}  # 503: while a table is changed
    load.repeat_refused()
    assert container.active(*UNITS) == list(UNITS)
    for unit in SERVICES:
        assert "(deleted)" not in os.readlink(container.path(f"/proc/{installed.main_process(unit)}/exe"))
    assert container.run("cat", CONFIGURATION) == settings and status_of(container, CONFIGURATION) == "640 root:leadhook"
    emails = [*(lead["email"] for lead in before), *load.answers]
    check_leads(campaign, emails)
    delivered(campaign, emails)
    assert large.stats()["total"] == MANY
    assert installed.admin("check", "--deep")["ok"]
    assert container.run("mariadb", "-N", "leadhook", "-e", "SELECT MAX(version) FROM lh_schema_version").strip() == "9999"


def test_an_upgrade_without_the_database(container, installed, next_package):
    """the running programs keep running, and a message names the commands for later"""
    processes = [installed.main_process(unit) for unit in SERVICES]
    container.run("systemctl", "stop", "mariadb")
    try:
        done = container.call("apt-get", "install", "-y", "-q", "--reinstall", f"/root/{next_package.deb.name}")
        assert done.returncode == 0, done.stdout + done.stderr
        assert "leadhook upgrade && systemctl try-restart leadhook-fcgi leadhook-dispatch" in done.stdout + done.stderr
        assert [installed.main_process(unit) for unit in SERVICES] == processes
    finally:
        container.run("systemctl", "start", "mariadb")
    container.shell("leadhook upgrade && systemctl try-restart leadhook-fcgi leadhook-dispatch")
    installed.wait_ready()


def test_remove(container, installed, campaign, next_package):
    """the programs end, configuration and data stay, and the next installation continues with them"""
    campaign.lead(email="one@example.org")
    settings = container.run("cat", CONFIGURATION)
    container.run("apt-get", "remove", "-y", "-q", "leadhook")
    assert container.active(*UNITS) == []
    assert container.call("pgrep", "-u", "leadhook").stdout == ""
    assert container.run("cat", CONFIGURATION) == settings
    assert container.path("/var/log/leadhook/leadhook.log").exists() and container.path("/var/lib/leadhook").is_dir()
    install(container, next_package)
    container.run("systemctl", "enable", "--now", *UNITS)
    installed.wait_ready()
    assert campaign.find(email="one@example.org")


def databases(container):
    return container.run("mariadb", "-N", "-e", "SHOW DATABASES").split()


def purge(container):
    done = container.call("apt-get", "purge", "-y", "-q", "leadhook")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "The database and its account were not removed" in done.stdout + done.stderr
    assert container.active(*UNITS) == []
    assert not container.path(CONFIGURATION).exists()
    assert "leadhook" in databases(container)
    assert container.call("dpkg", "-s", "leadhook").returncode != 0


def test_purge_keeps_data(container):
    """data stay by default, which applies if no answer can be given"""
    purge(container)
    assert container.path("/var/log/leadhook/leadhook.log").exists() and container.path("/var/lib/leadhook").is_dir()


def test_purge_removes_data(container, next_package):
    """data are removed after a Yes, but never the database"""
    install(container, next_package)
    container.run("debconf-set-selections", input="leadhook leadhook/remove-data boolean true\n")
    purge(container)
    for path in ("/var/log/leadhook", "/var/lib/leadhook", "/run/leadhook", "/run/leadhook.sock", "/etc/leadhook"):
        assert not container.path(path).exists(), path
