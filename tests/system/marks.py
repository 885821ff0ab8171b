# SPDX-License-Identifier: MIT
"""Values of a parameter that only scripts/check --long tests."""
import pytest


def first(*values, count=1):
    """The first `count` values, or tuples of values, in each run; the others by scripts/check --long."""
    later = [pytest.param(*(value if isinstance(value, tuple) else [value]), marks=pytest.mark.long) for value in values[count:]]
    return [*values[:count], *later]
