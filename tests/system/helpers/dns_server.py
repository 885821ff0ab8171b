# SPDX-License-Identifier: MIT
"""A name server with scripted answers, which may change from one look-up to the next or never come."""
import collections
import ipaddress
import struct
import threading

A, CNAME, AAAA = 1, 5, 28
HEADER = struct.Struct("!6H")
RESPONSE, TRUNCATED, NO_ERROR, SERVER_FAILURE, NO_SUCH_NAME = 0x8180, 0x0200, 0, 2, 3
FAMILY = {4: A, 6: AAAA}
TTL, ALIASES_MAX = 0, 4
SILENCE, FAILURE, CUT = "silence", "failure", "cut"


class DnsServer:
    """Answers on a bound UDP socket. `script(name, looks…)` sets the results of successive look-ups of a name; the last one
    repeats. A result is a list of addresses and names (aliases, which are followed), or SILENCE, FAILURE, CUT. Other names do not
    exist.
    """

    def __init__(self, bound):
        self.lookups = collections.Counter()  # by name; a look-up is a query for each family
        self._socket = bound
        self._scripts = {}
        self._lock = threading.Lock()
        threading.Thread(target=self._serve, daemon=True).start()

    def script(self, name, *looks):
        with self._lock:
            self._scripts[name] = looks
            self.lookups[name] = 0

    def close(self):
        self._socket.close()

    def _serve(self):
        while True:
            try:
                question, sender = self._socket.recvfrom(4096)
                answer = self._answer(question)
                if answer:
                    self._socket.sendto(answer, sender)
            except OSError:
                return

    def _look(self, name, family):
        """Return the result of the look-up that this query belongs to. Queries for A are counted."""
        with self._lock:
            looks = self._scripts.get(name)
            number = self.lookups[name]
            self.lookups[name] += family == A
        # glibc sends the query for A first.
        number -= family == AAAA
        return looks[min(max(number, 0), len(looks) - 1)] if looks else None

    def _answer(self, question):
        name, end = read_name(question)
        family, _ = struct.unpack_from("!2H", question, end)
        look = self._look(name, family)
        if look is SILENCE:
            return None
        code = NO_SUCH_NAME if look is None else SERVER_FAILURE if look is FAILURE else NO_ERROR
        records = list(self._records(name, look, family)) if isinstance(look, list) else []
        flags = RESPONSE | code | (TRUNCATED if look is CUT else 0)
        return HEADER.pack(struct.unpack_from("!H", question)[0], flags, 1, len(records), 0, 0) \
            + question[HEADER.size:end + 4] + b"".join(records)

    def _records(self, owner, look, family, aliases=0):
        for found in look:
            try:
                address = ipaddress.ip_address(found)
            except ValueError:
                yield record(owner, CNAME, write_name(found))
                if aliases < ALIASES_MAX:
                    yield from self._records(found, self._scripts.get(found, [[]])[-1], family, aliases + 1)
            else:
                if FAMILY[address.version] == family:
                    yield record(owner, family, address.packed)


def read_name(message):
    """Return (the name in the question, the offset of its end)."""
    labels, at = [], HEADER.size
    while message[at]:
        labels.append(message[at + 1:at + 1 + message[at]].decode())
        at += 1 + message[at]
    return ".".join(labels).lower(), at + 1


def write_name(name):
    return b"".join(bytes([len(label)]) + label.encode() for label in name.split(".")) + b"\0"


def record(owner, kind, data):
    return write_name(owner) + struct.pack("!HHIH", kind, 1, TTL, len(data)) + data
