# SPDX-License-Identifier: MIT
"""A service behind each web server, for tests of what `leadhook doctor` finds there."""
import pathlib
import pwd
import shutil
import subprocess

import pytest
from doctor import KEY
from stack.front import FRONTS, LighttpdSocket
from stack.process import wait_until

MOUNT = "/lead/"
LOCK = "dispatch.lock"


def run_dispatcher(service):
    """Runs it as cron does, as the account of the programs, which owns state_dir."""
    installation, user = service.installation, service.front.run_user
    state = pathlib.Path(installation.setting("server", "state_dir"))
    if user is None:
        service.dispatch(1)
        return
    program = shutil.copy2(installation.program("leadhook-dispatch"), installation.folder)
    subprocess.run(["runuser", "-u", user, "--", program, "--config", installation.config, "--max-runtime", "1"], check=True,
                   stderr=subprocess.DEVNULL)
    assert (state / LOCK).stat().st_uid == pwd.getpwnam(user).pw_uid


def make(make_service, front, settings=(), run=True):
    """A service whose dispatcher has run. Its lock file is in state_dir, as docs/operating.md 3 sets it."""
    service = make_service(front=front, mount=MOUNT, workers=2, settings=[
        ("server", "trusted_proxies", ""), ("server", "workers", 2), ("server", "secrets_key", KEY), *settings])
    service.installation.configure([("dispatch", "lock_file", service.installation.folder / "state" / LOCK)],
                                   owner=service.front.run_user)
    if run:
        run_dispatcher(service)
    return service


def marks_of(front):
    """Servers other than lighttpd are tested only by scripts/check --long."""
    return () if front is LighttpdSocket else pytest.mark.long


SERVERS = [pytest.param(front, id=name, marks=marks_of(front)) for name, front in FRONTS.items()]


@pytest.fixture(scope="module", params=SERVERS)
def service(request, make_service):
    """A service behind each web server; a test that is only about some servers names them."""
    return make(make_service, request.param)


def restart(service):
    service.front.stop()
    service.front.start()
    wait_until(lambda: service.client.request("GET", "/health").status, 30, "an answer of the web server")


def without(line, count=1):
    """Removes the first `count` lines that contain the text."""
    def edit(text):
        lines = text.splitlines(keepends=True)
        found = [number for number, one in enumerate(lines) if line in one and not one.strip().startswith("#")]
        assert found, line
        for number in reversed(found[:count]):
            del lines[number]
        return "".join(lines)
    return edit
