# SPDX-License-Identifier: MIT
"""A gateway for texts to phones, on loopback, that can fail in each way. Its attribute `answer` decides what it does with a text: a
function of the request, or one of those below.
"""
import collections
import dataclasses
import http.server
import json
import re
import select
import threading
import urllib.parse

KEY = "Basic a-key-of-the-tests"


@dataclasses.dataclass(frozen=True)
class Text:
    to: str
    text: str
    headers: dict
    path: str
    method: str

    @property
    def code(self):
        return re.search(r"\b\d{6}\b", self.text).group()


def accepted(_):
    return 200, '{"status": "queued"}'


def repeating(text):
    """Repeat the message in the answer, as some gateways do."""
    return 201, json.dumps({"status": "created", "to": text.to, "message": text.text})


def huge(out):
    """Send a gigabyte, or less if the client ends it."""
    out.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n")
    for _ in range(1000):
        out.write(b"x" * 1000000)


def endless_headers(out):
    out.write(b"HTTP/1.1 200 OK\r\n")
    for number in range(1000000):
        out.write(b"X-%d: %s\r\n" % (number, b"y" * 1000))


def dripping(out):
    """Send a byte every 0.1 s, until the client closes the connection."""
    out.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
    while not select.select([out], [], [], 0.1)[0]:
        out.write(b"x")


def cut(out):
    out.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nx")


def no_http(out):
    out.write(b"\0\1\2 this is no HTTP\r\n\r\n")


class Gateway:
    def __init__(self, port=0):
        self.answer, self.texts, self.released = accepted, [], threading.Event()
        gateway = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                assert "Content-Length" not in self.headers and "Content-Type" not in self.headers
                self.take(urllib.parse.urlsplit(self.path).query)

            def do_POST(self):
                self.take(self.rfile.read(int(self.headers["Content-Length"])).decode())

            def take(self, body):
                is_json = self.headers["Content-Type"] == "application/json"
                fields = json.loads(body) if is_json else dict(urllib.parse.parse_qsl(body, strict_parsing=True))
                text = Text(fields["to"], fields["text"], dict(self.headers), self.path, self.command)
                gateway.texts.append(text)
                answer = gateway.answer(text)
                if answer is None:  # it hangs until the end of the test
                    gateway.released.wait(60)
                    self.close_connection = True
                    return
                if callable(answer):  # it writes the answer itself
                    self.close_connection = True
                    try:
                        answer(self.wfile)
                    except OSError:
                        pass
                    return
                status, content = answer[:2]
                self.send_response(status)
                for name, value in answer[2:]:
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(content.encode())))
                self.end_headers()
                self.wfile.write(content.encode())

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server.server_address[1]}/send"

    def settings(self, **others):
        given = {"url": self.url, "header_1": f"Authorization: {KEY}", "calling_codes": "1415 49", "allow_networks": "127.0.0.0/8",
                 **others}
        return [("sms", key, str(value)) for key, value in given.items()]

    def to(self, number):
        return [text for text in list(self.texts) if text.to == number]

    def counts(self):
        return collections.Counter(text.to for text in list(self.texts))

    def close(self):
        self.released.set()
        self.server.shutdown()
        self.server.server_close()
