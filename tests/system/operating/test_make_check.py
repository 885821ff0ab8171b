# SPDX-License-Identifier: MIT
"""docs/operating.md 2: `make check` names a missing package before it builds or runs anything."""
import subprocess

import pytest
from marks import MAKEFILE

pytestmark = pytest.mark.skipif(not MAKEFILE.exists(), reason="needs a build folder")


@pytest.mark.parametrize("missing, without, package", [("have_cmocka=no", "with_cmocka=no", "libcmocka-dev"),
                                                       ("server_path=/nonexistent", "with_mariadb_server=no", "mariadb-server-core")])
def test_a_missing_package(missing, without, package):
    """the message names the package and the option of configure"""
    def check(target, *variables):
        return subprocess.run(["make", "-s", "-C", MAKEFILE.parent, target, *variables], capture_output=True, text=True, timeout=60, check=False)
    done = check("check", missing)
    option = f"--{without.removesuffix('=no').replace('with_', 'without-').replace('_', '-')}"
    assert done.returncode != 0 and package in done.stderr and option in done.stderr
    assert check("check-needs", missing, without).returncode == 0
