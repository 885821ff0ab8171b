# SPDX-License-Identifier: MIT
"""Receivers that do what no web server does: functions of a connection, which write their answers byte by byte."""
import socket
import ssl
import struct
import threading

OK_HEAD = b"HTTP/1.1 200 OK\r\n"


class Hostile:
    """Listens on 127.0.0.1; runs `serve(connection)` in a thread for each connection, with TLS when there is a `tls` context.

    The connection is closed when `serve` returns or raises. `close` ends waiting ones, too.
    """

    def __init__(self, serve, tls=None):
        self.serve, self.tls = serve, tls
        self.accepted = 0
        self._connections = []
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def url(self, path="/"):
        return f"{'https' if self.tls else 'http'}://127.0.0.1:{self.port}{path}"

    def _accept(self):
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            self.accepted += 1
            if self.tls:
                connection = self.tls.wrap_socket(connection, server_side=True, do_handshake_on_connect=False)
            self._connections.append(connection)
            threading.Thread(target=self._handle, args=(connection,), daemon=True).start()

    def _handle(self, connection):
        try:
            if self.tls:
                handshake(connection)
            self.serve(connection)
        except OSError:  # the dispatcher has closed it
            pass
        finally:
            connection.close()

    def close(self):
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for connection in self._connections:
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass


def handshake(connection):
    """Shake hands. If that fails, read pending bytes, so that the peer receives the alert instead of a reset."""
    try:
        connection.do_handshake()
    except ssl.SSLError:
        with socket.socket(fileno=connection.detach()) as raw:
            raw.shutdown(socket.SHUT_WR)
            wait_for_end(raw)
        raise


def read_request(connection):
    """Return the bytes of one request with Content-Length; fewer if the connection ends early."""
    request, size = b"", None
    while size is None or len(request) < size:
        more = connection.recv(65536)
        if not more:
            break
        request += more
        head, end, _ = request.partition(b"\r\n\r\n")
        if end and size is None:
            [length] = [line.split(b":")[1] for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")]
            size = len(head) + len(end) + int(length)
    return request


def reset(connection):
    """End the connection with RST instead of FIN."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    if isinstance(connection, ssl.SSLSocket):
        socket.socket(fileno=connection.detach()).close()
    else:
        connection.close()


def wait_for_end(connection):
    while connection.recv(65536):
        pass


def answering(*parts):
    """Read the request, send the parts and close."""
    def serve(connection):
        read_request(connection)
        for part in parts:
            connection.sendall(part)
    return serve


def hanging(*parts):
    """Read the request, send the parts and then nothing."""
    def serve(connection):
        answering(*parts)(connection)
        wait_for_end(connection)
    return serve


def resetting(*parts):
    """Read the request, send the parts and reset, after the peer has had time to read."""
    def serve(connection):
        answering(*parts)(connection)
        connection.settimeout(0.1)
        try:
            connection.recv(1)
        except TimeoutError:
            reset(connection)
    return serve


def repeating(head, part, pause=0.0):
    """Read the request, send the head, and repeat the part until the peer closes."""
    def serve(connection):
        answering(head)(connection)
        connection.settimeout(pause or None)
        while True:
            connection.sendall(part)
            if pause:
                try:
                    if not connection.recv(1):
                        return
                except TimeoutError:
                    pass
    return serve


def reset_after(size):
    """Reset after that many bytes of the request; 0 resets at once."""
    def serve(connection):
        if size:
            connection.recv(size, socket.MSG_WAITALL)
        reset(connection)
    return serve
