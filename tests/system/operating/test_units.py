# SPDX-License-Identifier: MIT
"""docs/operating.md 2.3: the units for systemd that the build makes. tests/package runs them."""
import os
import re
import shutil
import subprocess

import pytest
from command import call
from stack.installation import find_program
from tree import BUILD, SOURCE

EXPOSURE = 2.0  # the maximum rating of systemd-analyze security; 10 is the worst
SERVICES = ("leadhook-fcgi.service", "leadhook-dispatch.service", "leadhook-dispatch-run.service")
OTHERS = ("leadhook-fcgi.socket", "leadhook-dispatch.timer")

pytestmark = pytest.mark.skipif(shutil.which("systemd-analyze") is None or not (BUILD / "systemd").is_dir(),
                                reason="needs systemd-analyze, and a build with units")


@pytest.fixture(scope="module")
def units(make_folder):
    """A folder with all units, which start the programs of the build."""
    folder = make_folder()
    for name in SERVICES:
        text, count = re.subn(r"(?<==)/\S*/(leadhook-\w+)\b", lambda found: str(find_program(BUILD, found[1])),
                              (BUILD / "systemd" / name).read_text())
        assert count >= 1
        (folder / name).write_text(text)
    for name in OTHERS:
        shutil.copy(SOURCE / "systemd" / name, folder)
    return folder


def analyze(units, *words):
    environment = {**os.environ, "SYSTEMD_UNIT_PATH": f"{units}:", "SYSTEMD_LOG_LEVEL": "warning"}
    return subprocess.run(["systemd-analyze", *words], cwd=units, env=environment, timeout=60, text=True, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


def test_units_are_valid(units):
    done = analyze(units, "verify", "--man=no", *(str(units / name) for name in (*SERVICES, *OTHERS)))
    ours = [line for line in done.stdout.splitlines() if "leadhook" in line]
    assert done.returncode == 0 and ours == [], done.stdout


@pytest.mark.parametrize("name", SERVICES)
def test_services_are_restricted(units, name):
    done = analyze(units, "security", "--offline=yes", str(units / name))
    found = re.search(rf"Overall exposure level for {re.escape(name)}: ([0-9.]+)", done.stdout)
    assert found and float(found[1]) <= EXPOSURE, done.stdout


@pytest.mark.parametrize("name", SERVICES)
def test_command_lines_are_accepted(units, service, name):
    """the program accepts the options of ExecStart"""
    line = re.search(r"^ExecStart=(.*)$", (units / name).read_text(), re.MULTILINE)[1].split()
    program, *words = line
    done = call(service.installation, *words, "--check-config", program=os.path.basename(program))
    assert done.returncode == 0, done.stderr
