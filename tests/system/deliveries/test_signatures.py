# SPDX-License-Identifier: MIT
"""docs/deliveries.md 2 and 2.3: Standard Webhooks' own library and the examples of the document verify the signatures of deliveries.

The library is an npm package; signatures/ pins its version and its hash. The examples are run as they are in the document.
"""
import base64
import json
import re
import shutil
import sys
import time

import pytest
from stack.process import run
from stack.receiver import signature
from tree import SOURCE

pytestmark = pytest.mark.slow

HERE = SOURCE / "tests/system/deliveries/signatures"
ACCEPTED, REFUSED = "accepted", "No matching signature found"
LEAD = {"email": "ada@example.org", "first_name": "Ädá", "last_name": "Løvelace 💌", "plan": "¥ & = + %"}
DELIVERIES = (SOURCE / "docs" / "deliveries.md").read_text(encoding="utf-8")
OTHER_SECRET = "whsec_" + base64.b64encode(bytes(range(32))).decode()


# For each language of the examples: the command that runs a program, and code that reads calls of `genuine` and prints their
# results.
EXAMPLES = {
    "js": (["node"], """
const calls = JSON.parse(require("fs").readFileSync(0, "utf8"));
console.log(JSON.stringify(calls.map(({ secret, headers, body }) => genuine(secret, headers, Buffer.from(body, "base64")))));
"""),
    "python": ([sys.executable], """
import json, sys
print(json.dumps([genuine(call["secret"], call["headers"], base64.b64decode(call["body"])) for call in json.load(sys.stdin)]))
"""),
    "php": (["php"], """
$genuine = fn($call) => genuine($call["secret"], $call["headers"], base64_decode($call["body"]));
echo json_encode(array_map($genuine, json_decode(stream_get_contents(STDIN), true)));
"""),
}


@pytest.fixture(scope="module")
def library(make_folder):
    """An environment in which Node finds the library."""
    folder = make_folder()
    for name in ("package.json", "package-lock.json"):
        shutil.copy(HERE / name, folder)
    run("npm ci", ["npm", "ci", "--prefix", folder, "--cache", folder / "cache", "--ignore-scripts", "--no-audit", "--no-fund"],
        timeout=120)
    return ["env", f"NODE_PATH={folder / 'node_modules'}"]


def results(command, signed):
    """Return what the program prints for each of (secret, headers, body)."""
    calls = [{"secret": secret, "headers": headers, "body": base64.b64encode(body).decode()} for secret, headers, body in signed]
    return json.loads(run("verify", command, input=json.dumps(calls)))


@pytest.fixture(scope="module")
def verify(library):
    """The library's result for each of (secret, headers, body)."""
    return lambda *signed: results([*library, "node", HERE / "verify.js"], signed)


@pytest.fixture
def genuine(library, tmp_path):
    """The results of an example of the document."""
    def call(language, *signed):
        section = DELIVERIES[DELIVERIES.index("### 2.3 "):]
        [example] = re.findall(rf"^```{language}\n(.*?)^```$", section, re.MULTILINE | re.DOTALL)
        words, rest = EXAMPLES[language]
        (tmp_path / "example").write_text(example + rest, encoding="utf-8")
        return results([*library, *words, tmp_path / "example"], signed)
    return call


def changed(headers, **values):
    return {**headers, **{f"webhook-{name}": value for name, value in values.items()}}


def flipped(body, at):
    return body[:at] + bytes([body[at] ^ 1]) + body[at + 1:]


@pytest.mark.parametrize("form", ["json", "form"])
def test_a_delivery(service, receiver, campaign, verify, form):
    """docs/deliveries.md 2: a delivery is accepted only if it is unchanged"""
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
    """Change the rows as `leadhook webhook rotate` does: the secret becomes the previous one, which is valid until this time."""
    service.installation.sql(f"UPDATE lh_webhooks SET previous_secret = secret, previous_until_ms = {until_ms}, "
                             f"secret = '{secret}' WHERE id = {webhook['referenceId']}")


@pytest.mark.parametrize("form", ["json", "form"])
def test_a_rotated_secret(service, receiver, campaign, verify, form):
    """docs/deliveries.md 2: there are two signatures until the old secret expires, each valid by itself; then only the new one"""
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


def without(headers, name):
    return {key: value for key, value in headers.items() if key != f"webhook-{name}"}


def words(value):
    """Return a value of the payload as it is written in the form."""
    if isinstance(value, (dict, list)):
        items = enumerate(value) if isinstance(value, list) else value.items()
        shown = {str(key): words(inner) for key, inner in items if inner not in ({}, [])}
        return list(shown.values()) if isinstance(value, list) else shown
    if isinstance(value, bool):
        return str(value).lower()
    return "" if value is None else str(value)


@pytest.mark.parametrize("language", EXAMPLES)
@pytest.mark.parametrize("form", ["json", "form"])
def test_the_examples(service, receiver, campaign, genuine, language, form):
    """docs/deliveries.md 2.3: true for a delivery, even during a rotation; false for anything else, and for an old timestamp"""
    webhook = campaign.webhook("new_signup", format=form)
    old, now_ms = webhook["secret"], int(time.time() * 1000)
    rotate(service, webhook, OTHER_SECRET, now_ms + 3_600_000)
    campaign.lead(**LEAD)
    service.dispatch()
    [delivery] = campaign.delivered(1)
    headers, body = {name.lower(): value for name, value in delivery.headers.items()}, delivery.body
    first, second = headers["webhook-signature"].split(" ")
    assert genuine(language, (old, headers, body), (OTHER_SECRET, headers, body), (OTHER_SECRET, changed(headers, signature=first), body),
                   (old, changed(headers, signature=second), body)) == [True] * 4
    sent = int(headers["webhook-timestamp"])
    bad = [(old, headers, flipped(body, 0)), (old, headers, flipped(body, len(body) // 2)), (old, headers, body + b" "),
           (old, headers, body[:-1]), (old, headers, b""), ("whsec_" + "A" * 43 + "=", headers, body),
           (old, changed(headers, id="msg_1"), body), (old, changed(headers, timestamp=str(sent + 1)), body),
           (old, changed(headers, timestamp=""), body), (old, changed(headers, timestamp="x"), body),
           (old, changed(headers, signature=""), body), (old, changed(headers, signature="v1,"), body),
           (old, changed(headers, signature="v1,\u00e4" + second[3:]), body), (old, changed(headers, signature=first), body),
           *((old, without(headers, name), body) for name in ("id", "timestamp", "signature"))]
    assert genuine(language, *bad) == [False] * len(bad)
    for late in (-3600, 3600):
        at = str(sent + late)
        signed = changed(headers, timestamp=at, signature="v1," + signature(old, headers["webhook-id"], at, body))
        assert genuine(language, (old, signed, body)) == [False]


@pytest.mark.parametrize("compat", ["off", "on"])
def test_a_form_is_read(service, account, receiver, tmp_path, compat):
    """docs/deliveries.md 2.2: PHP reads the same values from a form as from the JSON, as texts"""
    campaign = service.campaign(account, compat=compat)
    campaign.webhook("tagged", below="/form", format="form")
    campaign.webhook("tagged", below="/json")
    lead = campaign.lead(**LEAD, colors=["red & blue", "", True, 1.5], empty=[])
    for name in ("one", "two"):
        tag_id = campaign.define("tag", name)
        assert campaign.post({"social_id": lead["social_id"]}, path=f"/tags/{tag_id}/lead").status == 200
    service.dispatch()
    forms, jsons = (sorted(receiver.wait_for(2, path=f"{campaign.hook}/{what}"), key=lambda one: b"two" in one.body)
                    for what in ("form", "json"))
    (tmp_path / "read.php").write_text("<?php parse_str(stream_get_contents(STDIN), $lead); echo json_encode($lead);")
    for form, other in zip(forms, jsons):
        read = json.loads(run("php", ["php", tmp_path / "read.php"], input=form.body.decode()))
        assert read == words(other.json) and read["custom_fields"]["colors"] == ["red & blue", "", "true", "1.5"]
        assert (b"%5B%5D=" in form.body) == (compat == "on")
