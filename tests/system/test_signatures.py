# SPDX-License-Identifier: MIT
"""docs/deliveries.md 2 Headers: Standard Webhooks' own library verifies the signatures of deliveries.

It is an npm package; signatures/ pins its version and its hash.
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
def verify(make_folder):
    """The library's result for each of (secret, headers, body)."""
    folder = make_folder()
    for name in ("package.json", "package-lock.json"):
        shutil.copy(HERE / name, folder)
    run("npm ci", ["npm", "ci", "--prefix", folder, "--cache", folder / "cache", "--ignore-scripts", "--no-audit", "--no-fund"],
        timeout=120)

    def verify_all(*signed):
        cases = [{"secret": secret, "headers": headers, "body": base64.b64encode(body).decode()}
                 for secret, headers, body in signed]
        return json.loads(run("node", ["env", f"NODE_PATH={folder / 'node_modules'}", "node", HERE / "verify.js"],
                              input=json.dumps(cases)))
    return verify_all


def changed(headers, **values):
    return {**headers, **{f"webhook-{name}": value for name, value in values.items()}}


def flipped(body, at):
    return body[:at] + bytes([body[at] ^ 1]) + body[at + 1:]


@pytest.mark.parametrize("form", ["json", "form"])
def test_a_delivery(service, receiver, campaign, verify, form):
    """2: accepted unchanged only"""
    secret = campaign.webhook("new_signup", format=form)["secret"]
    campaign.lead(**LEAD)
    service.dispatch()
    [delivery] = campaign.delivered(1)
    headers, body = delivery.headers, delivery.body
    assert {"json": "💌".encode(), "form": b"%F0%9F%92%8C"}[form] in body
    assert verify((secret, headers, body)) == [ACCEPTED]
    later = str(int(headers["webhook-timestamp"]) + 1)
    assert verify((secret, headers, flipped(body, 0)), (secret, headers, flipped(body, len(body) // 2)),
                 (secret, headers, flipped(body, len(body) - 1)), (secret, headers, body[:-1]), (secret, headers, body + b" "),
                 (secret, changed(headers, id=headers["webhook-id"] + "0"), body),
                 (secret, changed(headers, timestamp=later), body), (OTHER_SECRET, headers, body)) == [REFUSED] * 8


def rotate(service, webhook, secret, until_ms):
    """Changes the rows like `leadhook webhook rotate`: the secret becomes the previous one, until that time."""
    service.installation.sql(f"UPDATE lh_webhooks SET previous_secret = secret, previous_until_ms = {until_ms}, "
                             f"secret = '{secret}' WHERE id = {webhook['referenceId']}")


@pytest.mark.parametrize("form", ["json", "form"])
def test_a_rotated_secret(service, receiver, campaign, verify, form):
    """2: two signatures until the old secret's end, each valid by itself; then only the new one"""
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
    assert verify((OTHER_SECRET, both.headers, both.body), (old, both.headers, both.body)) == [ACCEPTED] * 2
    assert verify((OTHER_SECRET, changed(both.headers, signature=first), both.body),
                 (old, changed(both.headers, signature=second), both.body)) == [ACCEPTED] * 2
    assert verify((OTHER_SECRET, new.headers, new.body), (old, new.headers, new.body)) == [ACCEPTED, REFUSED]
    assert verify((old, both.headers, flipped(both.body, 10)), (OTHER_SECRET, both.headers, flipped(both.body, 10))) == [REFUSED] * 2
