# SPDX-License-Identifier: MIT
"""Runs `leadhook doctor`, and applies what it prints as an operator would; fixtures for its tests."""
import configparser
import contextlib
import io
import json
import pathlib
import subprocess

import pytest
from command import CONFIG, OK, call
from stack.front import LighttpdSocket
from stack.process import StackError

KEY = "5ea1" * 16


def await_runs(service):
    """Lets the next run of cron be due within a day, so that slow tests do not miss it. Does nothing without the database."""
    with contextlib.suppress(StackError):
        service.installation.sql("UPDATE lh_heartbeats SET within_ms = 86400000 WHERE ended AND NOT stays")


def examine(service, *words, config=True, env=None, with_log=False):
    """Returns the JSON of the command. The exit status must match its findings. `with_log`: the command reads the access log, to
    which lighttpd writes a request only after some seconds."""
    await_runs(service)
    files = ["--web-config", service.front.folder / "leadhook.conf",
             "--access-log", service.front.folder / ("access.log" if with_log else "none")]
    done = call(service.installation, "doctor", *files, *words, "--json", config=config, env=env)
    assert all(" database_error " in line for line in done.stderr.splitlines()), done.stderr
    answer = json.loads(done.stdout)
    errors = [one for one in answer["findings"] if one["severity"] == "error"]
    assert done.returncode == (CONFIG if errors else OK) and answer["ok"] == (not errors)
    for finding in answer["findings"]:
        assert list(finding) == ["what", "severity", "detail", "why", "fix"]
        assert finding["detail"] and finding["why"]
        for fix in finding["fix"]:
            assert list(fix) == ["file", "place", "line", "command"]
            assert (fix["line"] is None) != (fix["command"] is None) and (fix["file"] or fix["command"])
    secret = service.installation.setting("database", "password")
    assert secret not in done.stdout
    return answer


def names(answer):
    return [one["what"] for one in answer["findings"]]


def only(answer, what):
    """Returns the finding `what`, which must be the only one."""
    assert names(answer) == [what], answer["findings"]
    return answer["findings"][0]


def word(line):
    """The name of what a line sets: `name = value`, `name value`, or `name other value` as in files of Apache and nginx."""
    words = line.split()
    return tuple(words[:2]) if words[0] in ("Define", "Header", "SetEnv", "fastcgi_param") else words[:1][0].split("=")[0]


def opens(line):
    """The block or section that a line opens, with the values of its variables."""
    text = line.strip().removeprefix("else ").removesuffix("{").strip().replace('"', "")
    return text.replace("${LEADHOOK_MOUNT}", "/lead/").replace("leadhook_mount", "/lead/")


def put(text, place, line):
    """Adds a line to a block of a web server's file, or to a section; replaces a line that sets the same there."""
    lines = text.splitlines()
    begin = 0
    if place:
        starts = [number for number, one in enumerate(lines) if opens(one) == place.replace('"', "")]
        assert len(starts) == 1, (place, starts)
        begin = starts[0] + 1
    depth = 0
    for number in range(begin, len(lines)):
        one = lines[number].strip()
        if place and (one.startswith(("</", "[")) or one.startswith("}")) and depth == 0:
            break
        if depth == 0 and one and one[0] != "#" and word(one) == word(line):
            lines[number] = line
            return "\n".join(lines) + "\n"
        depth += one.count("{") - one.count("}") if not one.startswith("Header") and "%{" not in one else 0
    lines.insert(begin, line)
    return "\n".join(lines) + "\n"


def apply(finding, number=0):
    """Puts the line of a finding in the place that the finding names, or runs its command."""
    fix = finding["fix"][number]
    if fix["command"]:
        subprocess.run(fix["command"], shell=True, check=True)
        return
    path = pathlib.Path(fix["file"])
    path.write_text(put(path.read_text(), fix["place"], fix["line"]))


def changed(path, settings):
    """The text of a configuration with other settings; None removes one."""
    parser = configparser.RawConfigParser(default_section=None)
    parser.read(path)
    for section, key, value in settings:
        if value is None:
            parser.remove_option(section, key)
            continue
        if not parser.has_section(section):
            parser.add_section(section)
        parser.set(section, key, str(value))
    text = io.StringIO()
    parser.write(text)
    return text.getvalue()


def new_service(make_service):
    """A service whose dispatcher has not run."""
    return make_service(front=LighttpdSocket, mount="/lead/", workers=2, settings=[
        ("server", "trusted_proxies", ""), ("server", "workers", 2), ("server", "secrets_key", KEY)])


@pytest.fixture(scope="module")
def service(make_service):
    made = new_service(make_service)
    made.dispatch(1)
    await_runs(made)
    return made


@pytest.fixture
def edited(service):
    """Returns a copy of the configuration with other settings; None removes one."""
    path = service.installation.folder / "edited.conf"

    def edit(*settings):
        path.write_text(changed(service.installation.config, settings))
        path.chmod(0o600)
        return path
    yield edit
    path.unlink(missing_ok=True)


def healthy(service, config=True):
    assert names(examine(service, config=config)) == []
