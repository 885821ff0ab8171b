# SPDX-License-Identifier: MIT
"""The dispatcher's lock file (src/deliver/lock.h), which a kill does not change."""
import fcntl
import pathlib
import struct

MAGIC = b"leadhook-dispatch lock 1\n"
OWNER = slice(32, 48)
FLOCK = struct.Struct("hh4xqqi4x")  # type, whence, start, length, pid
PLACE = struct.Struct("=QI4x")  # a delivery, or 0; the number of its attempt; its attempts before a redelivery (not read here)


class LockFile:
    def __init__(self, path):
        self.path = pathlib.Path(path)

    def _content(self):
        """Return the contents; empty while the file has no owner."""
        content = self.path.read_bytes() if self.path.exists() else b""
        return content if content.startswith(MAGIC) and any(content[OWNER]) else b""

    @property
    def owner(self):
        """Return the dispatcher's id as hexadecimal digits; "" if nothing is leased."""
        return self._content()[OWNER].hex().upper()

    def is_held(self):
        """Return whether a dispatcher has the lock, without taking it."""
        if not self.path.exists():
            return False
        with self.path.open("rb") as file:
            found = fcntl.fcntl(file, fcntl.F_GETLK, FLOCK.pack(fcntl.F_WRLCK, 0, 0, 0, 0))
        return FLOCK.unpack(found)[0] != fcntl.F_UNLCK

    def leave(self, owner, under_way):
        """Write what a dispatcher leaves when it is killed."""
        self.path.write_bytes(MAGIC.ljust(OWNER.start, b"\0") + bytes.fromhex(owner) + b"".join(PLACE.pack(*one) for one in under_way.items()))

    def under_way(self):
        """Return the deliveries that are in progress, or were when the dispatcher was killed: ids, with the numbers of their attempts."""
        return {delivery: attempt for delivery, attempt in PLACE.iter_unpack(self._content()[OWNER.stop:]) if delivery != 0}
