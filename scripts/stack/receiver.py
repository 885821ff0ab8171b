# SPDX-License-Identifier: MIT
"""A webhook receiver: verifies Standard Webhooks signatures, sends scripted answers, stores or logs requests.

As a program (`receiver.py --port N --secret-file F --log F`) it is the quickstart's receiver.
"""
import argparse
import base64
import binascii
import collections
import dataclasses
import datetime
import hashlib
import hmac
import http.server
import json
import pathlib
import socketserver
import threading

from .process import wait_until

SECRET_PREFIX = "whsec_"


def signature(secret, message_id, timestamp, body):
    """Return the symmetric signature of Standard Webhooks: base64 of the HMAC-SHA256 of `id.timestamp.body`, keyed with the decoded
    secret."""
    key = base64.b64decode(secret.removeprefix(SECRET_PREFIX))
    return base64.b64encode(hmac.new(key, f"{message_id}.{timestamp}.".encode() + body, hashlib.sha256).digest()).decode()


def verified(secrets, headers, body):
    """Return whether one of the `v1` signatures in the header was made with one of the secrets."""
    message_id, timestamp = headers.get("webhook-id"), headers.get("webhook-timestamp")
    if not message_id or not timestamp or not timestamp.isdigit():
        return False
    given = [word[3:] for word in headers.get("webhook-signature", "").split(" ") if word.startswith("v1,")]
    try:
        expected = [signature(secret, message_id, timestamp, body) for secret in secrets]
    except binascii.Error:
        return False
    return any(hmac.compare_digest(one.encode(), other.encode()) for one in given for other in expected)


@dataclasses.dataclass
class Answer:
    """The answer to one delivery. `hang` keeps the connection open without an answer, until the receiver closes or is released."""
    status: int = 200
    headers: dict = dataclasses.field(default_factory=dict)
    body: bytes = b""
    delay: float = 0.0
    hang: bool = False


@dataclasses.dataclass
class Received:
    time: str
    path: str
    headers: dict
    body: bytes
    verified: bool

    @property
    def json(self):
        return json.loads(self.body)

    @property
    def event(self):
        return self.json["__event"]

    def line(self):
        return json.dumps({**dataclasses.asdict(self), "body": self.body.decode(errors="replace")}, ensure_ascii=False)


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.reply(self.server.receiver.take(self.path, headers, body))

    do_GET = do_PUT = do_POST

    def reply(self, answer):
        released = self.server.receiver.released
        if answer.hang:
            released.wait()
            self.close_connection = True
            return
        if answer.delay:
            released.wait(answer.delay)
        self.send_response(answer.status)
        for name, value in {"Content-Length": str(len(answer.body)), **answer.headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(answer.body)

    def log_message(self, *_):
        pass


class _Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True
    request_queue_size = 256

    def handle_error(self, request, client_address):
        """Ignore closed connections: tests kill the dispatcher during deliveries."""


class Receiver:
    """Listens on 127.0.0.1; `script(path, answers…)` sets the answers of a path; the last one repeats (default 200)."""

    def __init__(self, port=0, log=None, secrets=()):
        self.secrets = list(secrets)
        self.deliveries = []
        self.released = threading.Event()
        self._log = open(log, "a", encoding="utf-8", buffering=1) if log else None
        self._scripts = {}
        self._lock = threading.Lock()
        self._server = _Server(("127.0.0.1", port), _Handler)
        self._server.receiver = self
        self.port = self._server.server_address[1]
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)

    def start(self):
        self._thread.start()
        return self

    def serve(self):
        self._server.serve_forever()

    def close(self):
        self.released.set()
        if self._thread.is_alive():
            self._server.shutdown()
        self._server.server_close()

    def url(self, path="/hook"):
        return f"http://127.0.0.1:{self.port}{path}"

    def script(self, path, *answers):
        with self._lock:
            self._scripts[path] = collections.deque(answers)

    def clear(self):
        with self._lock:
            self.deliveries.clear()
            self._scripts.clear()

    def take(self, path, headers, body):
        now = datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        received = Received(now, path, headers, body, verified(self.secrets, headers, body))
        with self._lock:
            if self._log:
                self._log.write(received.line() + "\n")
            else:
                self.deliveries.append(received)
            script = self._scripts.get(path)
            answer = (script.popleft() if len(script) > 1 else script[0]) if script else Answer()
        return answer

    def at(self, path):
        with self._lock:
            return [one for one in self.deliveries if one.path == path]

    def wait_for(self, count, deadline=15, path="/hook", event=None):
        """Return the deliveries to `path` (of one event, if named) once there are `count`. Raise StackError after `deadline` seconds."""
        def enough():
            found = [one for one in self.at(path) if event is None or one.event == event]
            return found if len(found) >= count else None
        return wait_until(enough, deadline, f"{count} deliveries to {path}")


def main():
    parser = argparse.ArgumentParser(description="Receive webhooks on loopback and log each as one line of JSON.")
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--secret-file", required=True, help="whsec_ secrets of the webhook, one per line")
    parser.add_argument("--log", required=True)
    options = parser.parse_args()
    secrets = pathlib.Path(options.secret_file).read_text(encoding="utf-8").split()
    Receiver(options.port, options.log, secrets).serve()


if __name__ == "__main__":
    main()
