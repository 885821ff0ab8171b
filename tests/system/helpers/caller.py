# SPDX-License-Identifier: MIT
"""Callers of /manage/v1: with a key, or with the session of a user, as a browser sends it."""
import base64
import hmac
import struct
import time

MANAGE = "/manage/v1/"
OWN_PAGE = {"Sec-Fetch-Site": "same-origin"}
PASSWORD = "seven purple umbrellas"


class Caller:
    """A caller with a key."""

    def __init__(self, service, key):
        self.service, self.key = service, key

    def __call__(self, method, path, body=None, key=None, **options):
        return self.service.client.request(method, MANAGE + path, json_body=body, key=key or self.key, **options)


def token_of(answer):
    """Return the session that an answer has set."""
    name, _, value = answer.headers["Set-Cookie"].partition("=")
    assert name == "__Host-leadhook"
    return value.split(";")[0]


def code_of(secret):
    """Return the code of the current step (RFC 6238)."""
    step = struct.pack(">Q", int(time.time()) // 30)
    digest = hmac.digest(base64.b32decode(secret + "=" * (-len(secret) % 8)), step, "sha1")
    at = digest[-1] & 15
    return f"{(struct.unpack('>I', digest[at:at + 4])[0] & 0x7fffffff) % 1000000:06}"


class User:
    """A user, not logged in at first."""

    def __init__(self, service, email, *words):
        self.service, self.email, self.token = service, email, None
        self.address = f"203.0.113.{len(email) % 250 + 1}"
        added = service.installation.admin("user", "add", email, *map(str, words))
        self.id, self.link = added["id"], added["link"]

    def __call__(self, method, path, body=None, headers=OWN_PAGE, **options):
        sent = {**headers, **({"Cookie": f"other=1; __Host-leadhook={self.token}"} if self.token else {})}
        return self.service.client.request(method, MANAGE + path, json_body=body, headers=sent, **options)

    def accept(self, password=PASSWORD):
        """Accept the invitation, which uses up its link."""
        return self("POST", "session/link/use", {"token": self.link.rsplit("/", 1)[1], "new_password": password})

    def log_in(self, password=PASSWORD, **fields):
        answer = self("POST", "session", {"email": self.email, "password": password, **fields})
        if answer.status == 200:
            self.token = token_of(answer)
        return answer

    def ready(self):
        assert self.accept().status == 200
        assert self.log_in().status == 200
        return self
