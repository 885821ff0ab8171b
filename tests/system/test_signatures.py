# SPDX-License-Identifier: MIT
"""docs/deliveries.md 2 Headers: what is sent is judged by Standard Webhooks' own library, not by ours.

It is an npm package; signatures/ names its version and what its bytes are.
"""
import base64
import json
import shutil
import time

import pytest
from conftest import SOURCE
from stack.process import run

pytestmark = pytest.mark.slow

HERE = SOURCE / "tests" / "system" / "signatures"
ACCEPTED, REFUSED = "accepted", "No matching signature found"
LEAD = {"email": "ada@example.org", "first_name": "Ädá", "last_name": "Løvelace 💌", "plan": "¥ & = + %"}
OTHER_SECRET = "whsec_" + base64.b64encode(bytes(range(32))).decode()


@pytest.fixture(scope="module")
def judge(make_folder):
    """What the library says to each of (secret, headers, body)."""
    folder = make_folder()
    for name in ("package.json", "package-lock.json"):
        shutil.copy(HERE / name, folder)
    run("npm ci", ["npm", "ci", "--prefix", folder, "--cache", folder / "cache", "--ignore-scripts", "--no-audit", "--no-fund"],
        timeout=120)

    def ask(*signed):
        cases = [{"secret": secret, "headers": headers, "body": base64.b64encode(body).decode()}
                 for secret, headers, body in signed]
        return json.loads(run("node", ["env", f"NODE_PATH={folder / 'node_modules'}", "node", HERE / "verify.js"],
                              input=json.dumps(cases)))
    return ask


def changed(headers, **values):
    return {**headers, **{f"webhook-{name}": value for name, value in values.items()}}


def flipped(body, at):
    return body[:at] + bytes([body[at] ^ 1]) + body[at + 1:]


@pytest.mark.parametrize("form", ["json", "form"])
def test_a_delivery(service, receiver, campaign, judge, form):
    """2: accepted as it is, and in no other way"""
    secret = campaign.webhook("new_signup", format=form)["secret"]
    campaign.lead(**LEAD)
    service.dispatch()
    [delivery] = campaign.delivered(1)
    headers, body = delivery.headers, delivery.body
    assert {"json": "💌".encode(), "form": b"%F0%9F%92%8C"}[form] in body
    assert judge((secret, headers, body)) == [ACCEPTED]
    later = str(int(headers["webhook-timestamp"]) + 1)
    assert judge((secret, headers, flipped(body, 0)), (secret, headers, flipped(body, len(body) // 2)),
                 (secret, headers, flipped(body, len(body) - 1)), (secret, headers, body[:-1]), (secret, headers, body + b" "),
                 (secret, changed(headers, id=headers["webhook-id"] + "0"), body),
                 (secret, changed(headers, timestamp=later), body), (OTHER_SECRET, headers, body)) == [REFUSED] * 8


def rotate(service, webhook, secret, until_ms):
    """What `leadhook webhook rotate` leaves: the webhook's secret becomes the previous one, for so long."""
    service.installation.sql(f"UPDATE lh_webhooks SET previous_secret = secret, previous_until_ms = {until_ms}, "
                             f"secret = '{secret}' WHERE id = {webhook['referenceId']}")


@pytest.mark.parametrize("form", ["json", "form"])
def test_a_rotated_secret(service, receiver, campaign, judge, form):
    """2: both signatures until the old secret's end, each good by itself; then only the new one"""
    webhook = campaign.webhook("new_signup", format=form)
    old, now_ms = webhook["secret"], int(time.time() * 1000)
    rotate(service, webhook, OTHER_SECRET, now_ms + 3_600_000)
    campaign.lead(**LEAD)
    service.dispatch()
    service.installation.sql(f"UPDATE lh_webhooks SET previous_until_ms = {now_ms - 1} WHERE id = {webhook['referenceId']}")
    campaign.lead(**{**LEAD, "email": "b@example.org"})
    service.dispatch()
    both, new = campaign.delivered(2)
    assert [len(one.headers["webhook-signature"].split(" ")) for one in (both, new)] == [2, 1]
    first, second = both.headers["webhook-signature"].split(" ")
    assert judge((OTHER_SECRET, both.headers, both.body), (old, both.headers, both.body)) == [ACCEPTED] * 2
    assert judge((OTHER_SECRET, changed(both.headers, signature=first), both.body),
                 (old, changed(both.headers, signature=second), both.body)) == [ACCEPTED] * 2
    assert judge((OTHER_SECRET, new.headers, new.body), (old, new.headers, new.body)) == [ACCEPTED, REFUSED]
    assert judge((old, both.headers, flipped(both.body, 10)), (OTHER_SECRET, both.headers, flipped(both.body, 10))) == [REFUSED] * 2
