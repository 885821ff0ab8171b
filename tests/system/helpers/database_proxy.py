# SPDX-License-Identifier: MIT
"""A proxy between a program and MariaDB on a unix socket. It can cut the connection at a COMMIT, or delay answers."""
import socket
import threading

COMMIT, BEGIN = b"\x03COMMIT", b"\x03START TRANSACTION"  # COM_QUERY
BEFORE, AFTER, HELD = "before", "after", "held"


def read_exactly(stream, size):
    data = b""
    while len(data) < size:
        more = stream.recv(size - len(data))
        if not more:
            raise ConnectionError("closed")
        data += more
    return data


def read_packet(stream):
    """Return (header, payload). The header consists of three bytes of length and a sequence number."""
    head = read_exactly(stream, 4)
    return head, read_exactly(stream, int.from_bytes(head[:3], "little"))


class DatabaseProxy:
    """`cut(where, times, skip)` breaks the next COMMITs, after `skip` others, BEFORE they are forwarded, or AFTER the server has run them. `commits` and
    `begins` count from that call on, and include the broken ones. HELD: the client has lost its connection, but the server keeps
    its own until `release(forward)` decides whether the COMMIT is forwarded. Each answer is delayed by `delay` seconds."""

    def __init__(self, path, server, delay=0):
        self.socket, self.server, self.delay = path, server, delay
        self.closed = threading.Event()
        self.commits = self.begins = 0
        self.released, self.forwards = threading.Event(), False
        self._cuts, self._skips, self._where = 0, 0, None
        self._lock = threading.Lock()
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(path))
        self._listener.listen(64)
        threading.Thread(target=self._accept, daemon=True).start()

    def cut(self, where, times=1, skip=0):
        with self._lock:
            self.released.clear()
            self.commits, self.begins, self._cuts, self._skips, self._where = 0, 0, times, skip, where

    def release(self, forward):
        self.forwards = forward
        self.released.set()

    def close(self):
        """Accept no more connections, and stop delaying."""
        self.closed.set()
        self._listener.close()

    def _accept(self):
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            server = socket.socket(socket.AF_UNIX)
            try:
                server.connect(str(self.server))
            except OSError:
                client.close()
                continue
            link = Link(self, client, server)
            threading.Thread(target=link.forward, daemon=True).start()
            threading.Thread(target=link.backward, daemon=True).start()

    def take_cut(self, payload):
        """Return where to cut this statement, or None."""
        with self._lock:
            self.begins += payload == BEGIN
            if payload != COMMIT:
                return None
            self.commits += 1
            if self._skips > 0 or self._cuts == 0:
                self._skips -= self._skips > 0
                return None
            self._cuts -= 1
            return self._where


class Link:
    """One connection. The answer to a COMMIT that is cut is read and discarded."""

    def __init__(self, proxy, client, server):
        self.proxy, self.client, self.server = proxy, client, server
        self.swallow = threading.Event()

    def forward(self):
        try:
            while True:
                head, payload = read_packet(self.client)
                where = self.proxy.take_cut(payload)
                if where == BEFORE:
                    return self.close()
                if where in (AFTER, HELD):
                    self.swallow.set()
                if where == HELD:
                    self.client.shutdown(socket.SHUT_RDWR)
                    self.proxy.released.wait()
                if where != HELD or self.proxy.forwards:
                    self.server.sendall(head + payload)
                if where == HELD and not self.proxy.forwards:
                    return self.close()
        except OSError:
            self.close()

    def backward(self):
        try:
            while True:
                data = self.server.recv(65536)
                if not data or self.swallow.is_set():
                    return self.close()
                self.proxy.closed.wait(self.proxy.delay)
                self.client.sendall(data)
        except OSError:
            self.close()

    def close(self):
        for end in (self.client, self.server):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            end.close()
