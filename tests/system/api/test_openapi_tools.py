# SPDX-License-Identifier: MIT
"""docs/openapi.yaml with tools of others: a linter has no complaint, and TypeScript clients can be generated from it.

The tools are npm packages; redocly/ and typescript/ pin their versions and hashes.
"""
import json
import os
import re
import shutil
import subprocess

import pytest
from stack.process import run
from tree import SOURCE

pytestmark = [pytest.mark.long,  # the packages of the tools are large
              pytest.mark.skipif(shutil.which("npm") is None, reason="npm is not installed; scripts/check installs it")]
HERE = SOURCE / "tests/system/api"


def packages(name, make_folder):
    """A folder with the files of `name` and its npm packages."""
    folder = make_folder() / name
    shutil.copytree(HERE / name, folder)
    run("npm ci", ["npm", "ci", "--prefix", folder, "--cache", folder / "cache", "--ignore-scripts", "--no-audit", "--no-fund"],
        timeout=240)
    return folder


@pytest.fixture(scope="module")
def linter(make_folder):
    return packages("redocly", make_folder)


@pytest.fixture(scope="module")
def compiler(make_folder, service):
    """The compiler's folder, with the types that are generated from the document that the service serves."""
    folder = packages("typescript", make_folder)
    run("openapi-typescript", [folder / "node_modules/.bin/openapi-typescript", service.front.url + "/openapi.json", "-o",
                               folder / "service.d.ts"], timeout=60)
    return folder


def lint(linter, document):
    """Return (whether the document passed, the rules that complain). One complaint is expected: `/{version}/kol.js` may begin like another
    path, because scripts of pages that were made for another service use it."""
    environment = {**os.environ, "REDOCLY_TELEMETRY": "off", "REDOCLY_SUPPRESS_UPDATE_NOTICE": "true"}
    command = [linter / "node_modules/.bin/redocly", "lint", "--extends=recommended", "--format=json", document]
    done = subprocess.run(command, cwd=linter, env=environment, capture_output=True, text=True, timeout=60, check=False)
    return done.returncode == 0, {problem["ruleId"] for problem in json.loads(done.stdout)["problems"]
                                  if not (problem["ruleId"] == "no-ambiguous-paths" and "`/{version}/kol.js`" in problem["message"])}


def test_the_linter_has_no_complaint(linter):
    assert lint(linter, SOURCE / "docs" / "openapi.yaml") == (True, set())


def test_the_linter_complains(linter, tmp_path):
    text = (SOURCE / "docs" / "openapi.yaml").read_text(encoding="utf-8")
    (tmp_path / "bad.yaml").write_text(text.replace("operationId: lookUp\n", "operationId: signUp\n"), encoding="utf-8")
    assert lint(linter, tmp_path / "bad.yaml") == (False, {"operation-operationId-unique"})


def compile_program(folder, name):
    """Return the lines of the program that do not compile. The compiler writes JavaScript next to the program."""
    options = ["--strict", "--skipLibCheck", "--target", "es2022", "--module", "nodenext", "--lib", "es2022,dom"]
    done = subprocess.run([folder / "node_modules/.bin/tsc", *options, folder / name], cwd=folder, capture_output=True, text=True,
                          timeout=120, check=False)
    errors = re.findall(rf"^{re.escape(name)}\((\d+),\d+\): error", done.stdout, re.MULTILINE)
    return [int(line) for line in errors], done.stdout


def test_a_client_runs_the_first_example(compiler, service, account):
    """the first example of README.md ("A first sign-up by the API")"""
    campaign = service.campaign(account)
    assert compile_program(compiler, "client.ts") == ([], "")
    quickstart = {"LEADHOOK_URL": service.front.url, "LEADHOOK_KEY": account.key, "LEADHOOK_CAMPAIGN": str(campaign.id)}
    done = subprocess.run(["node", compiler / "client.js"], env={**os.environ, **quickstart}, capture_output=True, text=True, timeout=60,
                          check=False)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {"names": ["Ada"] * 3, "counter": 2, "plan": "pro", "code": "lead_not_found"}


def test_mistakes_do_not_compile(compiler):
    """Each line with a comment has a mistake, and does not compile"""
    lines = (HERE / "typescript" / "wrong.ts").read_text(encoding="utf-8").splitlines()
    wrong, output = compile_program(compiler, "wrong.ts")
    assert wrong == [number for number, line in enumerate(lines, 1) if "; //" in line], output
