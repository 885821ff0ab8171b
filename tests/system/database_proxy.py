# SPDX-License-Identifier: MIT
"""Stands between a program and MariaDB on a unix socket, and cuts the connection at a COMMIT when it is told to."""
import socket
import threading

COMMIT = b"\x03COMMIT"  # COM_QUERY
BEFORE, AFTER = "before", "after"


def read_exactly(stream, size):
    data = b""
    while len(data) < size:
        more = stream.recv(size - len(data))
        if not more:
            raise ConnectionError("closed")
        data += more
    return data


def read_packet(stream):
    """(head, payload): three bytes of length, one of sequence."""
    head = read_exactly(stream, 4)
    return head, read_exactly(stream, int.from_bytes(head[:3], "little"))


class DatabaseProxy:
    """`cut(where, times)` breaks the next COMMITs BEFORE they are forwarded, or AFTER the server has done them; `commits` counts
    those that came since then, the broken ones too."""

    def __init__(self, path, server):
        self.socket, self.server = path, server
        self.commits = 0
        self._cuts, self._where = 0, None
        self._lock = threading.Lock()
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(path))
        self._listener.listen(64)
        threading.Thread(target=self._accept, daemon=True).start()

    def cut(self, where, times=1):
        with self._lock:
            self.commits, self._cuts, self._where = 0, times, where

    def close(self):
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

    def take_cut(self):
        """Where this COMMIT is to be cut, if it is."""
        with self._lock:
            self.commits += 1
            if self._cuts == 0:
                return None
            self._cuts -= 1
            return self._where


class Link:
    """One connection. Nothing of the answer to a COMMIT that is cut gets through: it is awaited, and swallowed."""

    def __init__(self, proxy, client, server):
        self.proxy, self.client, self.server = proxy, client, server
        self.swallow = threading.Event()

    def forward(self):
        try:
            while True:
                head, payload = read_packet(self.client)
                where = self.proxy.take_cut() if payload == COMMIT else None
                if where == BEFORE:
                    return self.close()
                if where == AFTER:
                    self.swallow.set()
                self.server.sendall(head + payload)
        except OSError:
            self.close()

    def backward(self):
        try:
            while True:
                data = self.server.recv(65536)
                if not data or self.swallow.is_set():
                    return self.close()
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
