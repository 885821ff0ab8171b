# SPDX-License-Identifier: MIT
"""docs/deliveries.md 6: the line of conf-examples/crontab, run as cron runs it; what it prints is what cron mails."""
import os
import subprocess

import pytest
from stack.examples import fill
from stack.receiver import Answer

FIELDS = "* * * * * "


def run_as_cron(service, **settings):
    """The line with cron's few variables; `settings` are LEADHOOK_ variables, as a host may set them."""
    installation = service.installation
    lines = fill("crontab", leadhook_dispatch=installation.program("leadhook-dispatch"),
                 leadhook_config=installation.config).splitlines()
    variables = dict(line.split("=", 1) for line in lines if "=" in line and not line.startswith(("#", "*")))
    (command,) = [line.removeprefix(FIELDS) for line in lines if line.startswith(FIELDS)]
    environment = {"PATH": "/usr/bin:/bin", "HOME": os.environ.get("HOME", "/"), **variables, **settings}
    return subprocess.run(["/bin/sh", "-c", command], env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          timeout=60, check=False)


@pytest.mark.parametrize("status", [200, 500])
def test_a_run_delivers_and_is_silent(campaign, status):
    """also when an attempt fails: another run tries again"""
    campaign.service.receiver.script(campaign.hook, Answer(status))
    campaign.webhook("new_signup")
    campaign.lead(email="ada@example.org")
    done = run_as_cron(campaign.service)
    assert (done.returncode, done.stdout) == (0, "")
    assert len(campaign.delivered(1)) == 1


def test_a_database_out_of_reach_is_no_mail(service):
    """a run a minute would be a mail a minute"""
    done = run_as_cron(service, LEADHOOK_DATABASE_SOCKET="/nonexistent", LEADHOOK_DISPATCH_MAX_RUNTIME="1s")
    assert (done.returncode, done.stdout) == (os.EX_UNAVAILABLE, "")


def test_what_somebody_has_to_mend_is_told(service):
    """a password that is not right any more, a setting that is wrong, tables that are not there"""
    for variable, value, word in (("LEADHOOK_DATABASE_PASSWORD", "wrong", "Access denied"), ("LEADHOOK_LOG_LEVEL", "loudest", "LOG_LEVEL"),
                                  ("LEADHOOK_DATABASE_PREFIX", "other_", "run leadhook install")):
        done = run_as_cron(service, LEADHOOK_DISPATCH_MAX_RUNTIME="10s", **{variable: value})
        assert done.returncode == os.EX_CONFIG and word in done.stdout
        assert len(done.stdout.splitlines()) <= 2, "a mail is read when it is short"
