# SPDX-License-Identifier: MIT
"""Listens in place of a MariaDB server, requests any authentication plugin, and records what it receives."""
import socket
import struct
import threading

from database_proxy import read_packet

CONNECT_WITH_DB, LOCAL_FILES, PROTOCOL_41, TLS, SECURE_CONNECTION, PLUGIN_AUTH = 1 << 3, 1 << 7, 1 << 9, 1 << 11, 1 << 15, 1 << 19
CAPABILITIES = CONNECT_WITH_DB | LOCAL_FILES | PROTOCOL_41 | SECURE_CONNECTION | PLUGIN_AUTH
SCRAMBLE = b"abcdefghijklmnopqrst"
NATIVE = "mysql_native_password"
# A plugin's first data: a type of prompt (this one hides the input and is the last) and the prompt, or random bytes.
QUESTIONS = {"dialog": b"\x04Password: ", "client_ed25519": bytes(range(32))}
FULL_AUTHENTICATION = b"\x01\x04"  # of caching_sha2_password: the server requests the password itself
OK, REQUEST_FOR_FILE = b"\0\0\0\2\0\0\0", b"\xfb"  # a server answers LOAD DATA LOCAL INFILE with the latter
PACKETS = 4  # at most, of one client


def greeting(plugin, capabilities):
    low, high = capabilities & 0xffff, capabilities >> 16
    return (b"\x0a5.5.5-10.11.0-MariaDB\0" + struct.pack("<I", 1) + SCRAMBLE[:8] + b"\0" + struct.pack("<HBHHB", low, 45, 2, high, 21) +
            bytes(10) + SCRAMBLE[8:] + b"\0" + plugin.encode() + b"\0")


class RogueDatabase:
    """Listens on a loopback port. `first`: the plugin of its greeting; `then`: the plugin that it switches to; `tls`: a context,
    with which it offers TLS; `requests_file`: the path of a file. If it is set, any password is accepted, and the first statement
    is answered with a request for that file. `received`: the packets that each client has sent, except the request for TLS."""

    def __init__(self, first=NATIVE, then=None, tls=None, requests_file=None):
        self.first, self.then, self.tls, self.requests_file, self.received = first, then, tls, requests_file, []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self):
        self._listener.close()

    def _accept(self):
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client):
        client.settimeout(10)
        sent = []
        try:
            self._send(client, 0, greeting(self.first, CAPABILITIES | (TLS if self.tls else 0)))
            if self.tls:
                read_packet(client)  # the request for TLS
                client = self.tls.wrap_socket(client, server_side=True)
            self._authenticate(client, sent)
        except OSError:
            pass
        client.close()
        self.received.append(sent)

    def _authenticate(self, client, sent):
        path = str(self.requests_file).encode()
        answers = [FULL_AUTHENTICATION] if self.requests_file is None else [OK, REQUEST_FOR_FILE + path]
        if self.then is not None:
            answers.insert(0, b"\xfe" + self.then.encode() + b"\0" + QUESTIONS.get(self.then, SCRAMBLE + b"\0"))
        while len(sent) < PACKETS:
            head, payload = read_packet(client)
            sent.append(payload)
            if answers:
                self._send(client, head[3] + 1, answers.pop(0))

    @staticmethod
    def _send(client, sequence, payload):
        client.sendall(len(payload).to_bytes(3, "little") + bytes([sequence]) + payload)
