# SPDX-License-Identifier: MIT
"""A network namespace for the dispatcher, in which every address leads to this machine. It has its own resolver."""
import ctypes
import http.server
import os
import socket
import socketserver
import subprocess
import threading

from dns_server import DnsServer
from stack.process import Child, StackError

RESOLVER = "127.53.53.53"
CLONE_NEWNET = 0x40000000
# All addresses become local ones. The two files direct all look-ups to the test's resolver.
SET_UP = """
set -e
ip link set lo up
ip route add local 0.0.0.0/0 dev lo
ip -6 route add local ::/0 dev lo
mount --bind "$1" /etc/resolv.conf
mount --bind "$2" /etc/nsswitch.conf
echo ready
exec sleep infinity
"""
UNSHARE = ["unshare", "--mount", "--net"]
_libc = ctypes.CDLL(None, use_errno=True)


def why_not():
    """Return the reason why no network can be made, or None."""
    try:
        done = subprocess.run([*UNSHARE, "ip", "-6", "route", "show"], capture_output=True, text=True, check=False)
    except OSError as error:
        return f"unshare cannot be run: {error}"
    return None if done.returncode == 0 else f"no network namespace, needs root and iproute2: {done.stderr.strip()}"


class PrivateNetwork:
    """`wrap` runs a command in it; `resolver` answers look-ups; `world` answers at every other address, on `world.port`."""

    def __init__(self, folder):
        resolv, switch = folder / "resolv.conf", folder / "nsswitch.conf"
        resolv.write_text(f"nameserver {RESOLVER}\n")
        switch.write_text("hosts: dns\n")
        self._holder = Child("network", [*UNSHARE, "sh", "-c", SET_UP, "sh", resolv, switch], folder / "network.log").start()
        self._holder.ready(lambda: "ready" in self._holder.log.read_text())
        self.resolver = DnsServer(self.inside(lambda: bound_to(RESOLVER, 53)))
        self.world = self.inside(World)

    def wrap(self, argv):
        return ["nsenter", "--mount", "--net", "--target", str(self._holder.pid), *argv]

    def inside(self, make):
        """Call `make` in a thread in the network; the sockets that it makes belong to the network."""
        made = []

        def work():
            with open(f"/proc/{self._holder.pid}/ns/net", "rb") as namespace:
                if _libc.setns(namespace.fileno(), CLONE_NEWNET) != 0:
                    raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
            made.append(make())
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        if not made:
            raise StackError("nothing could be made in the network namespace")
        return made[0]

    def close(self):
        self.world.close()
        self.resolver.close()
        self._holder.kill()


def bound_to(address, port):
    made = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    made.bind((address, port))
    return made


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def setup(self):
        self.server.dialled(self.request.getsockname()[0])
        super().setup()

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        self.server.posted(self.connection.getsockname()[0], self.path)
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


class _Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True
    request_queue_size = 256


class _Server6(_Server):
    address_family = socket.AF_INET6


class World:
    """Accepts every connection to its port, at any address, and answers 200. `dialled`, `posted`: the addresses used."""

    def __init__(self):
        self._dialled, self._posted, self._lock = set(), [], threading.Lock()
        four = _Server(("0.0.0.0", 0), _Handler)
        self.port = four.server_address[1]
        self._servers = [four, self._six()]
        for server in self._servers:
            server.dialled, server.posted = self._note_dialled, self._note_posted
            threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()

    def _six(self):
        six = _Server6(("::", self.port), _Handler, bind_and_activate=False)
        six.socket.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        six.server_bind()
        six.server_activate()
        return six

    def _note_dialled(self, address):
        with self._lock:
            self._dialled.add(address)

    def _note_posted(self, address, path):
        with self._lock:
            self._posted.append((address, path))

    def clear(self):
        with self._lock:
            self._dialled.clear()
            self._posted.clear()

    @property
    def dialled(self):
        with self._lock:
            return set(self._dialled)

    @property
    def posted(self):
        with self._lock:
            return list(self._posted)

    def close(self):
        for server in self._servers:
            server.shutdown()
            server.server_close()
