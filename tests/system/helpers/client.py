# SPDX-License-Identifier: MIT
"""An HTTP client that sends exactly what a test specifies."""
import dataclasses
import gzip
import http.client
import itertools
import json
import urllib.parse

from openapi import documented

TIMEOUT = 30
_addresses = itertools.count(1)

# The headers of each answer, and those of the answer to a preflight request
CORS = {"Access-Control-Allow-Origin": "*",
        "Access-Control-Expose-Headers": "Retry-After, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, X-Request-Id"}
PREFLIGHT = {"Access-Control-Allow-Methods": "GET, POST, DELETE, OPTIONS",
             "Access-Control-Max-Age": "86400", "Access-Control-Allow-Origin": "*", "Vary": "Access-Control-Request-Headers"}


def new_address():
    """Return a client address that no other test uses, so that tests do not share limits (the web server is a trusted proxy)."""
    number = next(_addresses)
    return f"10.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}"


@dataclasses.dataclass
class Response:
    status: int
    headers: http.client.HTTPMessage
    body: bytes

    @property
    def json(self):
        packed = (self.headers or {}).get("Content-Encoding") == "gzip"
        return json.loads(gzip.decompress(self.body) if packed else self.body)

    @property
    def verdict(self):
        """(status, error code)"""
        return self.status, self.json.get("error")


def multipart(fields, boundary="leadhook-test"):
    """Return (content type, body) of a form. A value that is a tuple (file name, bytes) becomes a file."""
    parts = []
    for name, value in fields:
        file = ""
        if isinstance(value, tuple):
            file, value = f'; filename="{value[0]}"', value[1]
        value = value if isinstance(value, bytes) else value.encode()
        parts.append(f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"{file}\r\n\r\n'.encode() + value + b"\r\n")
    return f"multipart/form-data; boundary={boundary}", b"".join(parts) + f"--{boundary}--\r\n".encode()


class Client:
    def __init__(self, port, base_path=""):
        self.port, self.base_path = port, base_path
        self.phone_numbers = set()  # all that were sent
        self.checks_answers = True  # against docs/openapi.yaml; not if the program's paths differ from those of the web server

    def healthy(self):
        """Return whether the service is ready and its database reachable. False when nothing listens."""
        try:
            return self.request("GET", "/health/ready").status == 200
        except OSError:
            return False

    def request(self, method, path, *, query=None, json_body=None, form=None, body=None, type=None, headers=(), key=None,
                address=None, chunked=False):
        """`json_body`, `form` or raw `body` with `type`; `query` and `form` are mappings or lists of pairs; `key` goes into
        Authorization. Each request opens a new connection."""
        for fields in (query, json_body, form):
            if isinstance(fields, dict) and isinstance(fields.get("phone_number"), (str, int)):
                self.phone_numbers.add(fields["phone_number"])
        sent = {"X-Forwarded-For": address or new_address(), **dict(headers)}
        if json_body is not None:
            body, type = json.dumps(json_body).encode(), "application/json"
        elif form is not None:
            body, type = urllib.parse.urlencode(form).encode(), "application/x-www-form-urlencoded"
        if type is not None:
            sent["Content-Type"] = type
        if key is not None:
            sent["Authorization"] = f"Bearer {key}"
        if query:
            path += "?" + (query if isinstance(query, str) else urllib.parse.urlencode(query))
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=TIMEOUT)
        try:
            if chunked:
                sent["Transfer-Encoding"] = "chunked"
                body = iter([body[at:at + 8192] for at in range(0, len(body), 8192)])
            connection.request(method, self.base_path + path, body=body, headers=sent, encode_chunked=chunked)
            answer = connection.getresponse()
            response = Response(answer.status, answer.headers, answer.read())
        finally:
            connection.close()
        if self.checks_answers:
            documented.check(method, path, response)
        return response
