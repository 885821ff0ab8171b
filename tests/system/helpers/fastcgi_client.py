# SPDX-License-Identifier: MIT
"""The web server's side of FastCGI 1.0; it can also send what no web server would.

It does not multiplex, and it reads one response per connection.
"""
import socket
import struct

BEGIN, ABORT, END, PARAMS, STDIN, STDOUT, STDERR = range(1, 8)
RESPONDER, KEEP = 1, 1


def record(kind, content=b"", request=1, version=1, length=None):
    """Return one record. `length` replaces the true length."""
    return struct.pack(">BBHHBx", version, kind, request, len(content) if length is None else length, 0) + content


def begin(role=RESPONDER, flags=0, request=1):
    return record(BEGIN, struct.pack(">HB5x", role, flags), request)


def pair(name, value):
    def length(text):
        return bytes([len(text)]) if len(text) < 128 else struct.pack(">I", len(text) | 1 << 31)
    return length(name) + length(value) + name + value


def params(values, end=True):
    content = b"".join(pair(name.encode(), str(value).encode()) for name, value in values.items())
    return stream(PARAMS, content, end)


def stream(kind, content, end):
    chunks = (content[at:at + 65528] for at in range(0, len(content), 65528))
    return b"".join(record(kind, chunk) for chunk in chunks) + (record(kind) if end else b"")


def stdin(body, end=True):
    return stream(STDIN, body, end)


def head(query="", length=None, flags=0, **more):
    """Return the start of a request, up to its body."""
    values = {"REQUEST_METHOD": "POST", "REQUEST_URI": "/", "QUERY_STRING": query, **more}
    if length is not None:
        values["CONTENT_LENGTH"] = length
    return begin(flags=flags) + params(values)


class Response:
    """`status` is None without a header. `ended`: the response ended with a valid FCGI_END_REQUEST."""

    def __init__(self, output, ended):
        top, _, self.body = output.partition(b"\r\n\r\n")
        lines = [line.partition(": ") for line in top.decode().split("\r\n") if line]
        self.headers = {name.lower(): value for name, _, value in lines}
        status = self.headers.get("status")
        self.status = int(status.split()[0]) if status else None
        self.ended = ended

    def __getattr__(self, name):
        return self.headers.get("x-" + name)


class Connection:
    """`address`: a path, or (host, port)."""

    def __init__(self, address, timeout=10):
        self.socket = socket.socket(socket.AF_INET if isinstance(address, tuple) else socket.AF_UNIX)
        self.socket.settimeout(timeout)
        self.socket.connect(address)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def send(self, data):
        self.socket.sendall(data)
        return self

    def read(self):
        """Return everything until the peer closes."""
        data = b""
        try:
            while piece := self.socket.recv(65536):
                data += piece
        except ConnectionResetError:
            pass
        return data

    def closed(self):
        """Wait until the peer closes; return whether it sent nothing."""
        return self.read() == b""

    def response(self):
        data, output, ended, at = self.read(), b"", False, 0
        while at + 8 <= len(data):
            _, kind, _, length, padding = struct.unpack_from(">BBHHB", data, at)
            content = data[at + 8:at + 8 + length]
            if kind == STDOUT:
                output += content
            ended = ended or kind == END
            at += 8 + length + padding
        return Response(output, ended)


def request(address, query="", body=b"", length=None, timeout=10, **more):
    """Send one complete, well-formed request. `length` defaults to the length of the body."""
    with Connection(address, timeout) as connection:
        connection.send(head(query, len(body) if length is None else length, **more) + stdin(body))
        return connection.response()
