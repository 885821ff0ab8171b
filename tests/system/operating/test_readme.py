# SPDX-License-Identifier: MIT
"""README.md and docs/operating.md: commands and the receiver work as written, and answers have the fields that are shown."""
import json
import os
import re
import subprocess
import sys
import time

import pytest
from routes import bulk_words, routes
from stack.front import accepts, free_port
from stack.process import wait_until
from stack.receiver import signature
from tree import SOURCE

README = (SOURCE / "README.md").read_text(encoding="utf-8")
OPERATING = (SOURCE / "docs" / "operating.md").read_text(encoding="utf-8")
PORT = "8000"  # of the receiver
FORMS = {"webhook-id": r"msg_[0-9a-f]{12}_\d+", "webhook-timestamp": r"\d{10}", "webhook-signature": "v1,[A-Za-z0-9+/]{43}="}


def blocks(heading, document=README):
    """Returns (language, text) of the fenced blocks between a heading and the next one."""
    section = re.search(rf"^#+ {heading}\n(.*?)(?=^#+ |\Z)", document, re.MULTILINE | re.DOTALL)[1]
    return re.findall(r"^```(\w+)\n(.*?)^```$", section, re.MULTILINE | re.DOTALL)


def only(found, language):
    return [text for name, text in found if name == language]


def shape(value):
    """Returns the names in a JSON value, in their order, with their types."""
    return {name: shape(inner) for name, inner in value.items()} if isinstance(value, dict) else type(value)


def run(command, campaign):
    """Runs a curl command of the README, as a reader does after the quickstart."""
    environment = {**os.environ, "LEADHOOK_URL": campaign.service.front.url, "LEADHOOK_KEY": campaign.key,
                   "LEADHOOK_CAMPAIGN": str(campaign.id)}
    done = subprocess.run(["sh", "-eu", "-c", command.replace("curl ", "curl -sS --fail ")], env=environment, text=True,
                          capture_output=True, timeout=30, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture
def campaign(service, account):
    """A campaign as the quickstart makes it."""
    return service.campaign(account, pages="on", mails="")


def test_a_first_sign_up(campaign):
    """the whole public answer; the exact differences with a key; the look-up"""
    found = blocks("A first sign-up through the API")
    (public, with_key), (sign_up, update, look_up) = map(json.loads, only(found, "json")), only(found, "sh")
    first = run(sign_up, campaign)
    assert list(first) == list(public) and shape(first) == shape(public)
    second = run(update, campaign)
    changed = {name: value for name, value in second.items() if first.get(name, ...) != value}
    assert list(changed) == list(with_key) and shape(changed) == shape(with_key)
    for name in ("counter", "email", "custom_fields", "avatar"):
        assert changed[name] == with_key[name]
    assert run(look_up, campaign) == second


@pytest.fixture
def readme_receiver(tmp_path):
    """Starts the README's receiver on a port; it ends with the test."""
    started = []

    def start(text, port, secret):
        (tmp_path / "receiver.py").write_text(text.replace(PORT, str(port)))
        with open(tmp_path / "out", "wb") as out:
            started.append(subprocess.Popen([sys.executable, tmp_path / "receiver.py"], stdout=out, stderr=subprocess.STDOUT,
                                            env={**os.environ, "WEBHOOK_SECRET": secret}))
        wait_until(lambda: accepts(port), 10, "the README's receiver")
        return tmp_path / "out"
    yield start
    for process in started:
        process.kill()
        process.wait()


def post(port, secret, sent, body=b"{}"):
    """Sends the receiver a signed request, as a delivery does; returns the status that curl reports."""
    headers = {"webhook-id": "msg_1", "webhook-timestamp": str(sent),
               "webhook-signature": f"v1,{signature(secret, 'msg_1', sent, body)}"}
    words = [word for name, value in headers.items() for word in ("-H", f"{name}: {value}")]
    return subprocess.run(["curl", "-s", "-o", "/dev/null", "-w", "%{http_code}", *words, "--data-binary", body,
                           f"http://127.0.0.1:{port}/hook"], text=True, capture_output=True, timeout=30, check=True).stdout


def test_a_webhook(campaign, readme_receiver):
    """the receiver accepts a delivery, and rejects a wrong signature and an old timestamp"""
    found, port = blocks("A webhook"), free_port()
    (shown,), (program,), (register, sign_up) = only(found, "json"), only(found, "python"), only(found, "sh")
    created = run(register.replace(PORT, str(port)), campaign)
    assert shape(created) == shape(json.loads(shown)) and created["events"] == json.loads(shown)["events"]
    out = readme_receiver(program, port, created["secret"])
    lead = run(sign_up, campaign)
    campaign.service.dispatch()
    assert [row["state"] for row in campaign.service.deliveries(created)] == ["delivered"]
    line = wait_until(lambda: re.search(r"^(msg_\w+) (\{.*\})$", out.read_text(), re.MULTILINE), 10, "the delivery")
    assert json.loads(line[2])["social_id"] == lead["social_id"]
    now = int(time.time())
    assert post(port, created["secret"], now) == "204"
    assert post(port, "whsec_" + "A" * 43 + "=", now) == "401"
    assert post(port, created["secret"], now - 3600) == "401"


def test_shown_delivery(campaign, receiver):
    """a delivery has exactly these headers, in the form that is shown; `__event` is last"""
    head, body = only(blocks("A webhook"), "http")[0].split("\n\n")
    shown = dict(line.split(": ", 1) for line in head.splitlines()[1:])
    campaign.webhook("new_signup")
    campaign.lead(email="grace@example.org")
    campaign.service.dispatch()
    (delivery,) = campaign.delivered(1)
    assert delivery.headers.keys() == {name.lower() for name in shown}
    for name in ("User-Agent", "Accept", "Content-Type"):
        assert delivery.headers[name.lower()] == shown[name]
    for name, form in FORMS.items():
        assert re.fullmatch(form, shown[name]) and re.fullmatch(form, delivery.headers[name])
    assert body.endswith('"__event":"new_signup"}\n') and list(delivery.json)[-1] == "__event"


def test_shown_configuration(service, tmp_path):
    """it is valid, and the commands after it work"""
    config = tmp_path / "leadhook.conf"
    config.write_text(only(blocks("3 Configuration", OPERATING), "ini")[0].replace("64 hexadecimal digits", "0f" * 32))
    config.chmod(0o600)
    program = service.installation.program("leadhook")
    assert subprocess.run([program, "--config", config, "--check-config"], check=False).returncode == 0
    # test_people.py, test_removal.py, test_backup.py and tests/package run the others.
    elsewhere = "leadhook (setup|upgrade|check --restored|(campaign|account) remove|lead (report|erase|export)) ?"
    commands = [one for one in re.findall(r"^    (leadhook .*)$", OPERATING, re.MULTILINE) if not re.match(elsewhere, one)]
    assert len(commands) == 39
    for command in commands:
        here = command.replace("leadhook", f"'{program}' --config '{service.installation.config}'", 1)
        done = subprocess.run(["sh", "-c", here], text=True, capture_output=True, check=False)
        # Some webhooks and deliveries do not exist here.
        allowed = (os.EX_OK, os.EX_DATAERR) if re.match("leadhook (webhook|delivery|job|lead show)", command) else (os.EX_OK,)
        assert done.returncode in allowed, f"{command}: {done.stderr}"


def test_api_document_is_complete(campaign):
    """docs/api.md has every route, error, event and field of a lead"""
    text = (SOURCE / "docs" / "api.md").read_text(encoding="utf-8")
    words = set(re.findall(r"[\w/{}-]+", text))
    errors = re.findall(r"X\(\w+, \d+, \"(\w+)\"", (SOURCE / "src/engine/failure.h").read_text(encoding="utf-8"))
    events = re.findall(r"X\(\w+, \"(\w+)\"\)", (SOURCE / "src/engine/events.h").read_text(encoding="utf-8"))
    assert len(routes()) > 20 and len(bulk_words()) == 10 and len(errors) > 20 and len(events) == 12
    assert [word for word in bulk_words() if f"/{word}`" not in text] == []
    assert [route for route in routes() if f"`{route[0]} /{route[1]}`" not in text] == []
    assert [name for name in [*errors, *events, *campaign.lead(email="ada@example.org")] if name not in words] == []
