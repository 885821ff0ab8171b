# SPDX-License-Identifier: MIT
"""Which tests run where: with which builds, and which only with scripts/check --long."""
import pytest

from stack.clock import LIBRARY
from tree import BUILD

MAKEFILE = BUILD / "Makefile"  # there is none beside programs that run under valgrind
IS_PLAIN = MAKEFILE.exists() and "-fsanitize" not in MAKEFILE.read_text()
frees_memory = pytest.mark.skipif(not IS_PLAIN, reason="sanitizers and valgrind hold freed memory")
takes_a_clock = pytest.mark.skipif(LIBRARY is None or not IS_PLAIN, reason="needs libfaketime, without sanitizers and valgrind")
needs_debug = pytest.mark.skipif(not MAKEFILE.exists() or "-DLEADHOOK_DEBUG" not in MAKEFILE.read_text(),
                                 reason="needs --enable-debug")


def first(*values, count=1):
    """Run the first `count` values, or tuples of values, in each run, and the others with scripts/check --long."""
    later = [pytest.param(*(value if isinstance(value, tuple) else [value]), marks=pytest.mark.long) for value in values[count:]]
    return [*values[:count], *later]


FIREFOX_LATER = first("chromium", "firefox")
chromium_first = pytest.mark.parametrize("window", FIREFOX_LATER, indirect=True)
