# SPDX-License-Identifier: MIT
"""The table of routes, out of its source: tests that have to know every route see a new one by themselves."""
import re

from conftest import SOURCE

TEXT = (SOURCE / "src/api/routes.c").read_text(encoding="utf-8")


def routes():
    """(method, path) of all but bulk changes, {…} where anything may stand."""
    return re.findall(r"\{ HTTP_(\w+), \"([^\"]+)\", KEY_", TEXT)


def bulk_words():
    """The last segments of the paths of bulk changes."""
    return re.findall(r"BULK\(\"(\w+)\"", TEXT)


def all_routes():
    """Bulk changes with them."""
    return routes() + [("POST", "v2/{campaign}/" + word) for word in bulk_words()]
