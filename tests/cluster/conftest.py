# SPDX-License-Identifier: MIT
"""One private cluster per run, one installation per test. scripts/check --long runs these tests.

top_builddir and top_srcdir as in tests/system. LEADHOOK_FIGURES names a file for the figures of each test. Run as:
/usr/bin/python3 -m pytest tests/cluster
"""
import json
import os
import pathlib
import shutil
import sys
import tempfile

import pytest

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = pathlib.Path(os.environ.get("top_srcdir") or HERE.parents[1]).resolve()
BUILD = pathlib.Path(os.environ.get("top_builddir") or SOURCE).resolve()
sys.path[:0] = [str(SOURCE / "scripts"), str(SOURCE / "tests/system/helpers"), str(HERE)]

from settings import TEST_SETTINGS  # noqa: E402  # before any program is started
from stack.cluster import Database  # noqa: E402
from stack.process import run  # noqa: E402
from trial import Trial  # noqa: E402

RISE = 16  # healthy checks until the first node takes over again, instead of 60: the tests wait for it


@pytest.fixture(scope="session")
def folder(request):
    """Short, and open to the account of the nodes. After a failure it stays, with logs and data."""
    made = pathlib.Path(tempfile.mkdtemp(prefix="leadhook-cluster-"))
    made.chmod(0o755)
    yield made
    if request.session.testsfailed:
        print(f"logs and data are in {made}")
    else:
        shutil.rmtree(made, ignore_errors=True)


@pytest.fixture(scope="session")
def cluster(folder):
    made = Database(folder / "database", rise=RISE)
    try:
        yield made.start()
    finally:
        made.stop()


@pytest.fixture
def database(cluster):
    """All nodes serve, and the first one writes."""
    cluster.heal()
    return cluster


@pytest.fixture(scope="session")
def next_programs():
    """The programs with one more schema step."""
    run("make next-programs", ["make", "-s", "-C", BUILD, "next-programs"], timeout=300)
    return BUILD / "tests" / "next"


@pytest.fixture(scope="session")
def all_figures():
    found = {}
    yield found
    if "LEADHOOK_FIGURES" in TEST_SETTINGS:
        pathlib.Path(TEST_SETTINGS["LEADHOOK_FIGURES"]).write_text(json.dumps(found, indent=1), encoding="utf-8")


@pytest.fixture
def trial(request, database, folder, all_figures, tmp_path_factory):
    """Makes an installation with its load; options of Trial. It ends with the test, and its figures are noted."""
    made = []

    def make(**options):
        own = pathlib.Path(tempfile.mkdtemp(prefix="t", dir=folder))
        own.chmod(0o755)
        made.append(Trial(database, own, BUILD, **options))
        return made[-1].start()
    yield make
    for one in made:
        one.stop()
        all_figures[request.node.name] = one.figures
        print(json.dumps({request.node.name: one.figures}))
