# SPDX-License-Identifier: MIT
"""One private MariaDB per run, one service per module, one campaign per test.

top_builddir names the build (default: the source tree), top_srcdir the sources. Run as: /usr/bin/python3 -m pytest tests/system
"""
import json
import pathlib
import re
import shutil
import sys
import tempfile

import pytest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parents[1] / "scripts"), str(HERE / "helpers")]

from settings import TEST_SETTINGS  # noqa: E402  # before any program is started
from browser import BROWSERS  # noqa: E402
from command import OK, call  # noqa: E402
from dashboard import Dashboard, make_operator  # noqa: E402
from database_proxy import DatabaseProxy  # noqa: E402
from driver import WINDOWS  # noqa: E402
from mail_server import MailServer  # noqa: E402
from marks import MAKEFILE, first  # noqa: E402
from openapi import documented  # noqa: E402
from service import Service  # noqa: E402
from sql import Database, run_database  # noqa: E402
from stack.front import FRONTS  # noqa: E402
from stack.installation import Installation  # noqa: E402
from stack.process import StackError, run  # noqa: E402
from text_gateway import Gateway  # noqa: E402
from tree import BUILD  # noqa: E402

MORE = re.compile(r"leadhook: there is more: --after \S+\n")  # printed after a list that is not complete
# The slowest modules start first: one process runs a whole module, and a slow one that starts late delays the end of the run.
LONGEST = ("test_large_import", "test_quickstart", "test_doctor_faults", "test_doctor_web", "test_model", "test_page_views", "test_dashboard",
           "test_doctor", "test_demonstration", "test_doctor_files", "test_committer", "test_failing_database", "test_dashboard_actions",
           "test_dispatchers", "test_bulk", "test_texts", "test_web_servers", "test_dashboard_fields", "test_admin", "test_bots", "test_import",
           "test_dashboard_pages", "test_embed_page", "test_fairness", "test_export", "test_tolerance", "test_dashboard_leads",
           "test_heartbeats", "test_crash", "test_openapi_requests", "test_database_tls", "test_dispatch_kills", "test_watching", "test_backup")


def pytest_configure(config):
    config.addinivalue_line("markers", "slow: skipped by scripts/check --quick")
    config.addinivalue_line("markers", "long: run only by scripts/check --long")
    config.addinivalue_line("markers", "smoke: run under valgrind by scripts/check --long")


def pytest_collection_modifyitems(items):
    ranks = {name: rank for rank, name in enumerate(LONGEST)}
    items.sort(key=lambda item: ranks.get(item.path.stem, len(ranks)))


def pytest_sessionfinish():
    """For `scripts/openapi --missed`; each process of the run adds a line for each answer that its tests got."""
    if "LEADHOOK_ANSWERS" in TEST_SETTINGS:
        with open(TEST_SETTINGS["LEADHOOK_ANSWERS"], "a", encoding="ascii") as answers:
            answers.write("".join(f"{name} {status}\n" for name, status in sorted(documented.seen)))


@pytest.fixture(scope="session")
def make_folder():
    """Folders that Apache's account may enter, with names short enough for sockets; removed at the end."""
    made = []

    def make():
        folder = pathlib.Path(tempfile.mkdtemp(prefix="leadhook-test-"))
        folder.chmod(0o755)
        made.append(folder)
        return folder
    yield make
    for folder in made:
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def shared_folder(tmp_path):
    """A folder where other accounts may put files, like /tmp."""
    folder = tmp_path / "shared"
    folder.mkdir()
    folder.chmod(0o1777)
    return folder


@pytest.fixture(scope="session", autouse=True)
def template_of_databases(make_folder):
    Database.template = make_folder()


@pytest.fixture(scope="session")
def database(make_folder):
    yield from run_database(make_folder())


@pytest.fixture(scope="session")
def new_tables(make_folder):
    """Returns the name of a server's database that has the tables of a new installation: copying is faster than installing."""
    names = {}

    def of(server):
        if server not in names:
            installation = Installation(make_folder(), BUILD, server, name="new_tables")
            installation.configure()
            installation.install()
            installation.sql("TRUNCATE lh_installation")  # each installation makes its own id and secret
            names[server] = installation.name
        return names[server]
    return of


@pytest.fixture(scope="session")
def next_programs():
    """The folder of the next version's programs (tests/next). Processes of one run build them one after the other."""
    if not MAKEFILE.exists():
        pytest.skip("needs a build folder")
    run("make next-programs", ["flock", MAKEFILE, "make", "-s", "-C", BUILD, "next-programs"], timeout=300)
    return BUILD / "tests" / "next"


@pytest.fixture(scope="module")
def own_database(make_folder):
    """A second database, which the test may stop or kill."""
    yield from run_database(make_folder())


@pytest.fixture(scope="module")
def proxy(make_folder, database):
    """A proxy for services whose setting database.socket is its `socket`."""
    made = DatabaseProxy(make_folder() / "proxy.sock", database.socket)
    yield made
    made.close()


@pytest.fixture(scope="module")
def mail_server():
    made = MailServer()
    yield made
    made.close()


@pytest.fixture(scope="module")
def gateway():
    """A gateway for texts to phones."""
    made = Gateway()
    yield made
    made.close()


@pytest.fixture(scope="module")
def make_service(make_folder, database, new_tables):
    """Starts services whose settings, web servers or databases differ from those of the module's own; all end with the module."""
    started = []

    def make(**options):
        service = Service(make_folder(), BUILD, options.pop("database", database), **options)
        started.append(service)
        if service.database is database:
            database.copy_tables(new_tables(database), service.installation.name)
        return service.start()
    yield make
    leaks = [leak for service in started for leak in service.stop()]
    assert not leaks, "\n".join(["in the logs of this module:", *leaks])


@pytest.fixture(scope="module", params=first("lighttpd-socket", "apache-proxy-fcgi", "apache-mod-fcgid", "nginx"))
def front(request):
    """The class of a web server."""
    return FRONTS[request.param]


@pytest.fixture(scope="module")
def service(make_service):
    return make_service()


@pytest.fixture(scope="module")
def account(service):
    return service.account()


@pytest.fixture(autouse=True)
def answers_are_documented():
    """docs/openapi.yaml describes every answer that the test's client got."""
    yield
    problems = documented.problems[:]
    documented.problems.clear()
    assert not problems, "\n".join(["docs/openapi.yaml does not have:", *problems[:20]])


@pytest.fixture
def campaign(service, account):
    return service.campaign(account)


@pytest.fixture
def receiver(service):
    """The module's receiver, cleared."""
    service.receiver.clear()
    return service.receiver


@pytest.fixture(scope="session")
def browsers(make_folder):
    """Returns a browser by its name, started when a module first uses it."""
    started = {}

    def get(name):
        if name not in started:
            started[name] = BROWSERS[name](make_folder())
            started[name].start()
        return started[name]
    yield get
    for browser in started.values():
        browser.stop()


@pytest.fixture(scope="module", params=BROWSERS)
def browser(request, browsers):
    """Each browser that is installed."""
    if BROWSERS[request.param].program() is None:
        pytest.skip(f"{BROWSERS[request.param].name} is not installed; scripts/check installs it")
    return browsers(request.param)


@pytest.fixture(scope="module", params=WINDOWS)
def window(request, make_folder):
    if WINDOWS[request.param].program.program() is None:
        pytest.skip(f"{request.param} is not installed; scripts/check installs it")
    made = WINDOWS[request.param](make_folder())
    try:
        yield made.start()
    finally:
        made.stop()


@pytest.fixture(scope="module")
def root(service):
    """An operator with a password."""
    return make_operator(service)


@pytest.fixture
def dashboard(window, service, root):
    """The dashboard, where the operator is logged in. After the test it has no alert and no error."""
    made = Dashboard(window, service.front.url)
    made.load()
    if made.value("document.querySelector('.login')"):
        made.log_in(root.email)
    yield made
    assert made.problems() == []


@pytest.fixture(scope="session")
def axe(make_folder):
    """The script of axe-core; the test is skipped where it cannot be installed."""
    if shutil.which("npm") is None:
        pytest.skip("npm is not installed; scripts/check installs it")
    folder = make_folder()
    for name in ("package.json", "package-lock.json"):
        shutil.copy(HERE / "helpers/axe" / name, folder)
    try:
        run("npm ci", ["npm", "ci", "--prefix", folder, "--cache", folder / "cache", "--ignore-scripts", "--no-audit", "--no-fund"],
            timeout=120)
    except StackError as error:
        pytest.skip(f"axe-core cannot be installed: {error}")
    return (folder / "node_modules" / "axe-core" / "axe.min.js").read_text(encoding="utf-8")


@pytest.fixture
def leadhook(service):
    """Runs a command that must succeed; returns its JSON."""
    def run(*words):
        done = call(service.installation, *map(str, words), "--json")
        assert (done.returncode, MORE.sub("", done.stderr)) == (OK, ""), done.stderr
        return json.loads(done.stdout)
    return run


@pytest.fixture
def refused(service):
    """Runs a command that must fail with the status and print one sentence on stderr only; returns the sentence."""
    def run(status, *words, config=True, env=None):
        done = call(service.installation, *words, config=config, env=env)
        assert done.returncode == status, done.stdout + done.stderr
        assert done.stdout == "" and re.fullmatch(r"leadhook: [^\n]+\n", done.stderr)
        return done.stderr
    return run
