# SPDX-License-Identifier: MIT
"""HACKING.md, Building and testing: settings of the tests are in effect in each process of pytest-xdist, and reach no program."""
import os
import subprocess
import sys

from tree import SOURCE


def test_settings_in_child_processes():
    show = "import os, settings; print(settings.TEST_SETTINGS, sorted(name for name in os.environ if name.startswith('LEADHOOK_')))"
    again = f"{show}; import subprocess, sys; sys.stdout.flush(); subprocess.run([sys.executable, '-c', {show!r}], check=True)"
    done = subprocess.run([sys.executable, "-c", again], cwd=SOURCE / "tests/system/helpers", capture_output=True, text=True, check=True,
                          env={**os.environ, "LEADHOOK_TEST_COMMITTER": "no", "LEADHOOK_LOG_LEVEL": "debug"})
    first, second = done.stdout.splitlines()
    assert first == second and "'LEADHOOK_TEST_COMMITTER': 'no'" in first and first.endswith(" []")
