# SPDX-License-Identifier: MIT
"""The table of routes, read from its source, so that tests of every route include new ones."""
import re
from tree import SOURCE


TEXT = (SOURCE / "src/api/call/route_list.h").read_text(encoding="utf-8")


def routes():
    """(method, path) of all routes except bulk changes; {…} stands for any value."""
    return re.findall(r"\bX\((\w+), \"([^\"]+)\", KEY_", TEXT)


def bulk_words():
    """The last path segments of bulk changes."""
    return re.findall(r"ROUTE_BULK_WORD\(X, \"(\w+)\"", TEXT)


def all_routes():
    """All routes, with bulk changes."""
    return routes() + [("POST", "v2/{campaign}/" + word) for word in bulk_words()]
