# SPDX-License-Identifier: MIT
"""The links of mails by which leads confirm their address (docs/api.md 4.1.12), and the button of the page that they lead to."""
import base64
import hashlib
import hmac
import html
import re
import time

from stack.process import wait_until

AGENT = {"User-Agent": "Mozilla/5.0 (test)"}
AGAIN = b"please press it again"


def mac(service, text):
    secret = bytes.fromhex(service.installation.sql("SELECT HEX(value) FROM lh_installation WHERE name = 'server_secret'"))
    return base64.urlsafe_b64encode(hmac.new(secret, text.encode(), hashlib.sha256).digest()[:18]).decode()


def link(campaign, lead, email=None, expires=None, purpose="confirm"):
    """Return the address in a mail, as described in docs/api.md 4.1.12."""
    expires = int(time.time()) + 3600 if expires is None else expires
    claim = f"leadhook {purpose} v1:{campaign.id}:{lead['social_id']}:{expires}:{email or lead['email']}"
    return f"/c/{campaign.id}/confirm/{lead['social_id']}-{expires}-{mac(campaign.service, claim)}"


def stamp_of(page):
    return html.unescape(re.search(rb'name="__stamp" value="([^"]+)"', page.body)[1].decode())


def press(campaign, path, stamp, **fields):
    return campaign.client.request("POST", path, form={"__stamp": stamp, **fields}, headers=AGENT)


def press_when_old_enough(campaign, path, stamp, **fields):
    """Press the button after the two seconds that a person needs for the page."""
    def pressed():
        answer = press(campaign, path, stamp, **fields)
        return answer if b"__stamp" not in answer.body else None
    return wait_until(pressed, 10, "the button works")
