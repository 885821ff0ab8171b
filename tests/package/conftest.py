# SPDX-License-Identifier: MIT
"""The Debian package: built, installed and used in a container. scripts/check --long runs these tests, as root.

They need the packages of packages_package in scripts/common.sh, and Debian's mirror. top_srcdir as in tests/system. Run as:
/usr/bin/python3 -m pytest tests/package
"""
import os
import pathlib
import shutil
import sys
import tempfile

import pytest

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = pathlib.Path(os.environ.get("top_srcdir") or HERE.parents[1]).resolve()
sys.path[:0] = [str(SOURCE / "scripts"), str(SOURCE / "tests/system/helpers"), str(HERE)]

from packages import Package, age, make_next, make_tarball, unpack  # noqa: E402


@pytest.fixture(scope="session")
def make_folder():
    made = []

    def make():
        folder = pathlib.Path(tempfile.mkdtemp(prefix="leadhook-package-"))
        folder.chmod(0o755)
        made.append(folder)
        return folder
    yield make
    for folder in made:
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def tarball(make_folder):
    return make_tarball(SOURCE, make_folder())


@pytest.fixture(scope="session")
def package(make_folder, tarball):
    folder = make_folder()
    return Package(folder, unpack(tarball, folder))


@pytest.fixture(scope="session")
def other_build(make_folder, tarball):
    """A second build of the same sources: in another folder, at another time, with another umask, time zone and number of jobs."""
    folder = make_folder() / "a-much-longer-path"
    folder.mkdir()
    tree = unpack(tarball, folder)
    age(tree, 90 * 24 * 3600)
    environment = {"TZ": "Pacific/Auckland", "LC_ALL": "C", "DEB_BUILD_OPTIONS": "nocheck parallel=1"}
    return Package(folder, tree, environment, umask=0o077)


@pytest.fixture(scope="session")
def next_package(make_folder, tarball):
    """A later version, to upgrade to."""
    folder = make_folder()
    tree = unpack(tarball, folder)
    make_next(tree)
    return Package(folder, tree)
