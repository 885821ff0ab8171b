# SPDX-License-Identifier: MIT
"""docs/api.md 3, style 8: no log contains a key, secret, email address or phone number."""
import re

PATTERNS = {
    "API key": rb"lh_[A-Za-z0-9_-]{43}",
    "secret": rb"whsec_[A-Za-z0-9+/]{8}",
    # only the end of the part before the @: otherwise, each line with a long query would take a second
    "email address": rb"[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}(?:@|%40)[A-Za-z0-9-]+\.[A-Za-z0-9-]+",
    "phone number": rb"(?:\+|%2B)[1-9][0-9]{7,14}\b",
}
ANY = re.compile(b"|".join(b"(%s)" % pattern for pattern in PATTERNS.values()))


def digits(number):
    return re.sub(rb"[^0-9]", b"", str(number).encode())


def leaks(path, since=0, numbers=()):
    """Return lines after byte `since` that contain data that no log may contain, as `file:line: kind: the line`. `numbers`: the
    phone numbers that were sent."""
    known = [re.escape(digits(number)) for number in numbers if len(digits(number)) >= 9]
    pattern = re.compile(b"|".join([ANY.pattern, *(rb"(?<![0-9])%s(?![0-9])" % number for number in known)]))
    found = []
    with open(path, "rb") as file:
        file.seek(since)
        for number, line in enumerate(file, 1):
            match = pattern.search(line)
            if match:
                kind = list(PATTERNS)[match.lastindex - 1] if match.lastindex else "phone number"
                found.append(f"{path.name}:{number}: {kind}: {line.decode(errors='replace').rstrip()}")
    return found


class Watch:
    """The logs of one service, from now on."""

    def __init__(self, folder, database, numbers):
        self.folder, self.database, self.numbers = folder, database, numbers
        self.since = database.log.stat().st_size if database.log.exists() else 0

    def leaks(self):
        found = leaks(self.database.log, self.since, self.numbers) if self.database.log.exists() else []
        for path in sorted(self.folder.rglob("*.log")):
            if path != self.database.log:
                found += leaks(path, numbers=self.numbers)
        return found
