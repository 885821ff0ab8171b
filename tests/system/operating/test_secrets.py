# SPDX-License-Identifier: MIT
"""docs/operating.md 3.2: the key of the secrets in the database: none, the first, a new one; SECURITY.md, Secrets in the
database."""
import getpass
import json
import signal
import subprocess

import pytest
from caller import User, code_of
from command import CONFIG, OK, call
from stack.process import wait_until

OLD, NEW = "0123456789abcdef" * 4, "fedcba9876543210" * 4
TOKEN = "t0ken-of-the-receiver"
WRONG = {"LEADHOOK_SERVER_SECRETS_KEY": NEW[::-1]}


@pytest.fixture(scope="module")
def campaign(service):
    return service.campaign()


@pytest.fixture(scope="module")
def webhook(campaign):
    return campaign.webhook("new_signup", below=f"/{TOKEN}")


@pytest.fixture(scope="module")
def user(service):
    """A user, who gets a second factor once there is a key."""
    return User(service, "ada@example.org", "--role", "operator").ready()


def set_key(service, *keys):
    """Sets keys as an operator does. No dispatcher has to reload: each run starts one."""
    log = service.installation.folder / "fcgi.log"
    before = log.read_text().count(" reloaded ")
    service.installation.configure([("server", "secrets_key", " ".join(keys))])
    service.responders.send(signal.SIGHUP)
    wait_until(lambda: log.read_text().count(" reloaded ") > before, 20, "the responders have the key")


def count(service, *words):
    return service.installation.admin("secrets", "seal", *words)


def findings(service):
    """Returns the findings of the doctor about secrets."""
    done = call(service.installation, "doctor", "--url", "http://127.0.0.1:1", "--json")  # without the web server's checks
    return {one["what"]: one["fix"] for one in json.loads(done.stdout)["findings"] if one["what"].startswith("secrets")}


def deliver(service, campaign, number):
    """Makes a sign-up and its delivery, whose signature the receiver verifies."""
    campaign.lead(email=f"lead{number}@example.org")
    service.dispatch()
    deliveries = service.receiver.wait_for(number, path=f"{campaign.hook}/{TOKEN}")
    assert len(deliveries) == number and all(one.verified for one in deliveries)


def content(service):
    """Returns all rows of all tables, as in a stolen dump."""
    name = service.installation.setting("database", "name")
    tables = service.installation.sql(f"SELECT TABLE_NAME FROM information_schema.TABLES WHERE TABLE_SCHEMA = '{name}'").split()
    return subprocess.run(["mariadb", "--no-defaults", f"--socket={service.database.socket}", f"--user={getpass.getuser()}", "--batch", name],
                          input="".join(f"SELECT * FROM {table};" for table in tables).encode(), capture_output=True, timeout=60,
                          check=True).stdout


def test_without_a_key(service, campaign, webhook):
    """secrets are stored as they are; the doctor lists the steps; the command needs the key"""
    deliver(service, campaign, 1)
    assert webhook["secret"].encode() in content(service) and TOKEN.encode() in content(service)
    fix = findings(service)["secrets_not_sealed"]
    assert fix[0]["place"] == "[server]" and fix[0]["line"].startswith("secrets_key = ")
    assert fix[-1]["command"] == "leadhook secrets seal"
    done = call(service.installation, "secrets", "seal")
    assert done.returncode == CONFIG and "server.secrets_key is not set" in done.stderr


def test_sealing(service, campaign, webhook):
    """"A key alone changes nothing." After sealing, a copy of the database has no secrets, and running programs can still use
    them"""
    link = campaign.lead(email="lead1@example.org")["unsubscribe_url"]["safe"]
    set_key(service, OLD)
    assert count(service, "--dry-run") == {"changed": 0, "sealed": 0, "old_key": 0, "not_sealed": 3, "unreadable": 0}
    assert webhook["secret"].encode() in content(service)
    assert count(service) == {"changed": 3, "sealed": 3, "old_key": 0, "not_sealed": 0, "unreadable": 0}
    assert count(service)["changed"] == 0
    stolen = content(service)
    assert webhook["secret"].encode() not in stolen and TOKEN.encode() not in stolen and stolen.count(b"sealed:1:") == 3
    assert findings(service) == {}
    deliver(service, campaign, 2)
    assert campaign.lead(email="lead1@example.org")["unsubscribe_url"]["safe"] == link
    [listed] = campaign.get({}, path="/outbound-webhook").json
    assert listed["url"].endswith(TOKEN)


def test_a_new_key(service, campaign, webhook, user):
    """set both keys, seal, remove the old key"""
    factor = user("POST", "session/factor").json["secret"]
    assert user("POST", "session/factor/enable", {"code": code_of(factor)}).status == 200
    assert factor.encode() not in content(service)
    set_key(service, NEW, OLD)
    deliver(service, campaign, 3)
    assert findings(service) == {"secrets_old_key": [{"file": None, "place": None, "line": None, "command": "leadhook secrets seal"}]}
    assert count(service)["changed"] == 4
    set_key(service, NEW)
    assert findings(service) == {}
    service.installation.sql("UPDATE lh_users SET totp_step = 0")
    assert user.log_in(code=code_of(factor)).status == 200
    deliver(service, campaign, 4)


def test_a_wrong_key(service, campaign, webhook):
    """the programs report the reason and do not start; waiting deliveries are sent with the right key"""
    installation = service.installation
    campaign.lead(email="lead5@example.org")
    for program, words in (("leadhook-fcgi", ["--listen", str(installation.folder / "wrong.sock")]), ("leadhook-dispatch", []),
                           ("leadhook-dispatch", ["--daemon"])):
        done = call(installation, *words, program=program, env=WRONG)
        assert done.returncode == CONFIG and " unknown_secrets_key place=installation.server_secret " in done.stderr, program
    done = call(installation, "check", "--json", env=WRONG)
    assert done.returncode == CONFIG
    assert [one["what"] for one in json.loads(done.stdout)["findings"]] == ["secrets_key"]
    done = call(installation, "secrets", "seal", env=WRONG)
    assert done.returncode != OK and "unknown_secrets_key" in done.stderr
    service.dispatch()
    assert service.receiver.wait_for(5, path=f"{campaign.hook}/{TOKEN}")[4].verified


def test_a_delivery_waits_for_its_key(service, campaign, webhook):
    """a webhook's secret is sealed with a key that the dispatcher lacks: there is no attempt (secret_sealed) until it gets the
    key"""
    installation = service.installation
    done = call(installation, "webhook", "rotate", str(webhook["referenceId"]), "--json",
                env={"LEADHOOK_SERVER_SECRETS_KEY": f"{OLD} {NEW}", "LEADHOOK_DISPATCH_ROTATION_OVERLAP": "0s"})
    assert done.returncode == OK, done.stderr
    service.receiver.secrets[:] = [json.loads(done.stdout)["secret"]]
    campaign.lead(email="lead6@example.org")
    service.dispatch()
    [waiting] = installation.admin("delivery", "list", "--webhook", str(webhook["referenceId"]), "--state", "pending")
    assert (waiting["attempts"], waiting["last_error"]) == (0, "secret_sealed")
    assert installation.admin("webhook", "show", str(webhook["referenceId"]))["last_error"] == "secret_sealed"
    done = call(installation, "check", "--json")
    [finding] = json.loads(done.stdout)["findings"]
    assert finding["what"] == "secrets_key" and f"webhooks.secret {webhook['referenceId']} " in finding["detail"]
    assert call(installation, "secrets", "seal").returncode == CONFIG
    assert len(service.receiver.at(f"{campaign.hook}/{TOKEN}")) == 5
    set_key(service, NEW, OLD)
    assert count(service)["changed"] == 1
    set_key(service, NEW)
    installation.sql("UPDATE lh_webhook_status SET hold_until_ms = 0; UPDATE lh_due SET due_ms = 0")  # instead of ten seconds
    service.dispatch()
    deliveries = service.receiver.wait_for(6, path=f"{campaign.hook}/{TOKEN}")
    assert deliveries[5].verified
    assert call(installation, "check").returncode == OK
