# SPDX-License-Identifier: MIT
"""The shipped files of conf-examples/, in which only the values that they mark for editing are replaced."""
import pathlib
import re

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "conf-examples"
BEGIN, END = "# --- edit ---\n", "# ------------\n"
# name = "value" (lighttpd, with its var. in front; option files), Define name value (Apache), setenv name value (HAProxy),
# name value; and name value { (nginx), name="value" and name=value (shell, crontab)
SETTING = r'^(\t*(?:var\.|Define |setenv )?{name}(?: = | |=))("?)([^"\n{{}}]*?)("?(?:;| {{)?)$'


def fill(name, **values):
    """Return the text of one example. Raise ValueError for a value that the file does not mark exactly once."""
    head, begin, rest = (FOLDER / name).read_text(encoding="utf-8").partition(BEGIN)
    marked, end, tail = rest.partition(END)
    if values and not (begin and end):
        raise ValueError(f"{name} marks nothing to edit")
    for key, value in values.items():
        def put(found, value=value):
            return f"{found[1]}{found[2]}{value}{found[4]}"
        marked, count = re.subn(SETTING.format(name=re.escape(key)), put, marked, flags=re.MULTILINE)
        if count != 1:
            raise ValueError(f"{name} marks {key} {count} times")
    return head + begin + marked + end + tail


def value(name, key):
    """Return the value of `key` in one example."""
    found = re.search(SETTING.format(name=re.escape(key)), (FOLDER / name).read_text(encoding="utf-8"), flags=re.MULTILINE)
    if not found:
        raise ValueError(f"{name} has no {key}")
    return found[3]
