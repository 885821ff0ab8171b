# SPDX-License-Identifier: MIT
"""docs/operating.md 2.3: the package is built from the tarball, without a network or npm, passes lintian, and has the same bytes each
time."""
import hashlib
import subprocess


def test_one_package_and_its_symbols(package):
    assert sorted(name.split("_")[0] for name in package.debs) == ["leadhook", "leadhook-dbgsym"]


def test_lintian_finds_nothing(package):
    done = subprocess.run(["lintian", "--allow-root", "--fail-on=error,warning", "--tag-display-limit=0", package.changes],
                          timeout=300, text=True, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert done.returncode == 0, done.stdout


def test_overrides_name_their_reason(package):
    text = subprocess.run(["dpkg-deb", "--fsys-tarfile", package.deb], check=True, stdout=subprocess.PIPE).stdout
    lines = subprocess.run(["tar", "-xO", "./usr/share/lintian/overrides/leadhook"], input=text, check=True,
                           stdout=subprocess.PIPE).stdout.decode().splitlines()
    for number, line in enumerate(lines):
        assert line.startswith("#") or lines[number - 1].startswith("# "), line


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def test_two_builds_have_the_same_bytes(package, other_build):
    """diffoscope shows what differs"""
    digests = [{name: digest(deb) for name, deb in build.debs.items()} for build in (package, other_build)]
    assert digests[0] == digests[1]
