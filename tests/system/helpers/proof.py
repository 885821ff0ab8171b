# SPDX-License-Identifier: MIT
"""A form's protection against bots (docs/api.md 8), computed independently: the honeypot, the stamp, solutions of challenges."""
import base64
import hashlib
import hmac
import itertools
import json
import re
import time


def secret_of(service):
    """Return the secret of the installation, with which stamps and challenges are signed."""
    return bytes.fromhex(service.installation.sql(
        "SELECT HEX(value) FROM lh_installation WHERE name = 'server_secret'").strip())


def honeypot_of(campaign):
    """Return the name of the hidden field, from the printed form."""
    form = campaign.service.installation.admin("campaign", "embed", str(campaign.id), "--markup")["form_markup"]
    return re.search(r'<label hidden [^>]*>[^<]*<input name="([a-z0-9]{10})"', form)[1]


def stamp_of(campaign, age, id=None):
    """Return the stamp of a form that is this many seconds old."""
    made = str(int((time.time() - age) * 1000))
    signed = hmac.digest(secret_of(campaign.service), f"leadhook stamp v1:{id or campaign.id}:{made}".encode(), "sha256")
    return f"{made}.{base64.urlsafe_b64encode(signed[:12]).decode()}"


def challenge_of(campaign, **options):
    answer = campaign.client.request("GET", f"/c/{campaign.id}/challenge", **options)
    assert answer.status == 200, answer.body
    return answer.json


def encode(challenge, solution):
    return base64.b64encode(json.dumps({"challenge": challenge, "solution": solution}).encode()).decode()


def derive(parameters, counter):
    password = bytes.fromhex(parameters["nonce"]) + counter.to_bytes(4, "big")
    return hashlib.pbkdf2_hmac("sha256", password, bytes.fromhex(parameters["salt"]), parameters["cost"]).hex()


def solve(challenge):
    """Return (the value of `altcha`, how many keys were derived)."""
    for counter in itertools.count():
        key = derive(challenge["parameters"], counter)
        if key.startswith(challenge["parameters"]["keyPrefix"]):
            return encode(challenge, {"counter": counter, "derivedKey": key}), counter + 1


def solution(campaign):
    return solve(challenge_of(campaign))[0]


def sign(service, parameters):
    """Return a challenge with other parameters, as the service itself would sign it."""
    text = json.dumps(parameters, sort_keys=True, separators=(",", ":")).encode()
    return {"parameters": parameters, "signature": hmac.new(secret_of(service), text, "sha256").hexdigest()}
