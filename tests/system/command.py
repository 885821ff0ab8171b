# SPDX-License-Identifier: MIT
"""The `leadhook` command and its kin, as an operator runs them. Exit codes are those of sysexits.h."""
import os
import re
import subprocess

OK, USAGE, DATA, UNAVAILABLE, CONFIG = 0, 64, 65, 69, 78
NO_ID = "4294967295"
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")


def call(installation, *words, program="leadhook", config=True, env=None):
    """One run of a program: status, stdout, stderr. `config`: the installation's file by option, or another, or None."""
    chosen = ["--config", installation.config if config is True else config] if config else []
    return subprocess.run([installation.program(program), *chosen, *words], env={**os.environ, **(env or {})}, timeout=60,
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)


def is_time(value):
    return isinstance(value, str) and TIME.fullmatch(value) is not None


def is_aligned(text):
    """Every column of a table begins where its heading does."""
    heading, *lines = text.splitlines()
    starts = [found.start() for found in re.finditer(r"\S+", heading)]
    return all(line[start] != " " and (start == 0 or line[start - 2:start] == "  ") for line in lines for start in starts)
