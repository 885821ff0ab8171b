# SPDX-License-Identifier: MIT
"""Runs `leadhook` and the other programs as an operator does. Exit codes are those of sysexits.h."""
import os
import re
import subprocess

OK, USAGE, DATA, UNAVAILABLE, SOFTWARE, CONFIG = 0, 64, 65, 69, 70, 78
NO_ID = "4294967295"
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")


def call(installation, *words, program="leadhook", config=True, env=None):
    """Run a program once; return status, stdout and stderr. `config`: True for the installation's file, another path, or None."""
    chosen = ["--config", installation.config if config is True else config] if config else []
    return subprocess.run([installation.program(program), *chosen, *words], env={**os.environ, **(env or {})}, timeout=60,
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)


def is_time(value):
    return isinstance(value, str) and TIME.fullmatch(value) is not None


def is_aligned(text):
    """Return whether every column of a table starts at its heading."""
    heading, *lines = text.splitlines()
    starts = [found.start() for found in re.finditer(r"\S+", heading)]
    return all(line[start] != " " and (start == 0 or line[start - 2:start] == "  ") for line in lines for start in starts)
