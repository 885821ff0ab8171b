# SPDX-License-Identifier: MIT
"""leadhook-dispatch(8): the line of conf-examples/crontab, run as cron runs it. Its output is what cron would mail."""
import os
import subprocess

import pytest
from stack.examples import fill
from stack.receiver import Answer

FIELDS = "* * * * * "


def run_as_cron(service, **settings):
    """Runs the line with cron's few variables; `settings` are LEADHOOK_ variables of the host."""
    installation = service.installation
    lines = fill("crontab", leadhook_dispatch=installation.program("leadhook-dispatch"),
                 leadhook_config=installation.config).splitlines()
    variables = dict(line.split("=", 1) for line in lines if "=" in line and not line.startswith(("#", "*")))
    (command,) = [line.removeprefix(FIELDS) for line in lines if line.startswith(FIELDS)]
    environment = {"PATH": "/usr/bin:/bin", "HOME": os.environ.get("HOME", "/"), **variables, **settings}
    return subprocess.run(["/bin/sh", "-c", command], env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          timeout=60, check=False)


@pytest.mark.parametrize("status", [200, 500])
def test_run_delivers_without_output(campaign, status):
    """there is no output even if an attempt fails, because another run retries it"""
    campaign.service.receiver.script(campaign.hook, Answer(status))
    campaign.webhook("new_signup")
    campaign.lead(email="ada@example.org")
    done = run_as_cron(campaign.service)
    assert (done.returncode, done.stdout) == (0, "")
    assert len(campaign.delivered(1)) == 1


def test_unreachable_database_sends_no_mail(service):
    """otherwise cron would send one mail a minute"""
    done = run_as_cron(service, LEADHOOK_DATABASE_SOCKET="/nonexistent", LEADHOOK_DISPATCH_MAX_RUNTIME="1s")
    assert (done.returncode, done.stdout) == (os.EX_UNAVAILABLE, "")


def test_configuration_errors_are_printed(service):
    """a wrong password, an invalid setting, missing tables"""
    for variable, value, word in (("LEADHOOK_DATABASE_PASSWORD", "wrong", "Access denied"), ("LEADHOOK_LOG_LEVEL", "loudest", "LOG_LEVEL"),
                                  ("LEADHOOK_DATABASE_PREFIX", "other_", "run leadhook install")):
        done = run_as_cron(service, LEADHOOK_DISPATCH_MAX_RUNTIME="10s", **{variable: value})
        assert done.returncode == os.EX_CONFIG and word in done.stdout
        assert len(done.stdout.splitlines()) <= 2, "mails should be short"
