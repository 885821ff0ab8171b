# SPDX-License-Identifier: MIT
"""The table of routes, read from its source, so that tests of every route include new ones."""
import re
from tree import SOURCE


TEXT = (SOURCE / "src/api/call/route_list.h").read_text(encoding="utf-8")


# What each macro of a row puts before its path and after it.
MACROS = {"X": ("", ""), "ROUTE_WITH_KEY": ("v2/{campaign}/", "KEY_REQUIRED"), "ROUTE_OF_PAGE": ("c/{campaign}", "RIGHTS_NONE")}


def rows():
    """Return (method, path, other columns) of all routes except bulk changes; {…} stands for any value."""
    found = re.findall(r'\b(X|ROUTE_\w+)\((?:X, )?(\w+), "([^"]*)", ([^()]*)\)', TEXT)
    return [(method, MACROS[name][0] + path, f"{MACROS[name][1]} {rest}") for name, method, path, rest in found]


def routes():
    """Return (method, path) of the routes of `rows`."""
    return [(method, path) for method, path, _ in rows()]


def bulk_words():
    """Return the last path segments of bulk changes."""
    return re.findall(r"ROUTE_BULK_WORD\(X, \"(\w+)\"", TEXT)


def all_routes():
    """Return all routes, with bulk changes."""
    return routes() + [("POST", "v2/{campaign}/" + word) for word in bulk_words()]
