# SPDX-License-Identifier: MIT
"""The subjects: Leadhook and the baselines, each with its own web server, which has the same configuration for most of them."""
import hashlib
import itertools
import os
import shutil
import signal

from stack.front import ApacheFcgid, accepts
from stack.installation import Installation
from stack.process import Child, run

from . import BENCH
from .front import BenchLighttpd, OwnServer
from .measures import family

CAMPAIGNS = 8
LOOPBACK_HOOK = "http://127.0.0.1:{port}/hook/{number}"
# Makes Leadhook answer each request in its own transaction.
SINGLE_OPTIONS = ("--no-committer",)
NUMBERS = itertools.count(1)


def with_environment(values, *words):
    """Return the words of a command with these variables."""
    return ["env", *(f"{name}={value}" for name, value in values.items()), *words]


def node_scripts(bench):
    """Return a copy of bench/node with its npm packages, whose versions and hashes are in the lock file; made once per run."""
    folder = bench.folder / "node"
    if not folder.exists():
        shutil.copytree(BENCH / "node", folder)
        run("npm ci", ["npm", "ci", "--prefix", folder, "--cache", folder / "cache", "--ignore-scripts", "--no-audit", "--no-fund"],
            timeout=300)
    return folder


class Subject:
    """`path` has a %d for the campaign; `campaigns` are consecutive ids."""

    name = ""
    key = "lh_none"
    path = "/v2/%d"
    campaigns = range(1, CAMPAIGNS + 1)
    front_class = BenchLighttpd

    def __init__(self, bench, workers):
        self.bench, self.workers = bench, workers
        self.folder = bench.folder / f"{self.name}{next(NUMBERS)}"
        self.folder.mkdir()
        self.socket = self.folder / "fcgi.sock"
        self.front = self.front_class(self.folder / "web")
        self.program = None

    @property
    def port(self):
        return self.front.port

    @property
    def pids(self):
        """Return its own processes, without web server and database."""
        return family(self.program.pid)

    def child(self):
        """Return the program, not started."""
        raise NotImplementedError

    def listens(self):
        return self.socket.exists()

    def start(self):
        self.program = self.child().start()
        self.bench.running.append(self)
        self.program.ready(self.listens)
        self.front.configure(self.socket)
        self.front.start()
        return self

    def stop(self):
        if self in self.bench.running:
            self.bench.running.remove(self)
        self.front.stop()
        if self.program:
            self.program.stop()
        self.socket.unlink(missing_ok=True)

    def restart(self, workers):
        self.stop()
        self.workers = workers
        return self.start()

    def __enter__(self):
        return self.start()

    def __exit__(self, *_):
        self.stop()


class Ceiling(Subject):
    """Answers every request with `answer`, (head, body)."""

    name = "ceiling"

    def __init__(self, bench, answer, workers=4):
        super().__init__(bench, workers)
        head, body = answer
        (self.folder / "answer").write_bytes(f"{head}\r\n".encode() + body)

    def child(self):
        return Child("ceiling", [self.bench.program("bench/ceiling"), self.socket, self.workers, self.folder / "answer"],
                     self.folder / "ceiling.log", death_signal=signal.SIGTERM)


class Application(Subject):
    """A baseline with tables of its own."""

    key = "lh_baseline"

    def __init__(self, bench, workers):
        super().__init__(bench, workers)
        number = next(NUMBERS)
        self.database, self.account, self.password = f"bench_{self.name}{number}", f"{self.name}{number}", "baseline"
        bench.databases.append(self.database)
        bench.database.add_account(self.database, self.account, self.password)
        campaigns = ", ".join(f"({n}, 1, 'Campaign {n}')" for n in self.campaigns)
        hooks = ", ".join(f"({n}, {n}, '{LOOPBACK_HOOK.format(port=bench.receiver_port, number=n)}', 'whsec_c2VjcmV0')"
                          for n in self.campaigns)
        self.sql((BENCH / "php" / "schema.sql").read_text(encoding="utf-8") + f"""
INSERT INTO campaigns (id, account_id, name) VALUES {campaigns};
INSERT INTO counters (campaign_id) SELECT id FROM campaigns;
INSERT INTO webhooks (id, campaign_id, url, secret) VALUES {hooks};
INSERT INTO api_keys (hash, account_id) VALUES (UNHEX('{hashlib.sha256(self.key.encode()).hexdigest()}'), 1);""")

    def sql(self, text):
        return self.bench.database.sql(text, self.database, timeout=900)

    def environment(self):
        return {"DB_SOCKET": self.bench.database.socket, "DB_NAME": self.database, "DB_USER": self.account,
                "DB_PASSWORD": self.password, "BASE_URL": self.front.url}

    def payload_bytes(self):
        return int(self.sql("SELECT LENGTH(payload) FROM events ORDER BY id DESC LIMIT 1"))


class Php(Application):
    name = "php"
    path = "/lead.php?campaign=%d"

    def __init__(self, bench, workers=8):
        super().__init__(bench, workers)
        self.socket = self.folder / "fpm.sock"

    def child(self):
        user = "user = root\ngroup = root" if os.geteuid() == 0 else ""
        text = (BENCH / "php" / "fpm.conf").read_text(encoding="utf-8")
        conf = self.folder / "fpm.conf"
        text = text.format(folder=self.folder, user=user, workers=self.workers, **self.environment())
        conf.write_text(text, encoding="utf-8")
        as_root = ["--allow-to-run-as-root"] if os.geteuid() == 0 else []
        return Child("php-fpm", ["php-fpm8.2", "--nodaemonize", "--fpm-config", conf, "-d", "opcache.validate_timestamps=0",
                                 *as_root], self.folder / "start.log", death_signal=signal.SIGTERM)


class Node(Application):
    """Its processes answer HTTP themselves."""

    name = "node"
    front_class = OwnServer

    def __init__(self, bench, workers=2):
        super().__init__(bench, workers)
        self.scripts = node_scripts(bench)

    def child(self):
        return Child("node", with_environment(self.environment(), "node", self.scripts / "lead.js", self.workers, self.port),
                     self.folder / "node.log", death_signal=signal.SIGTERM)

    def listens(self):
        return accepts(self.port)


class Leadhook(Subject):
    """An installation with an account, its key, and campaigns that have one webhook for new_signup each. `server`: a database server
    other than the bench's; `like`: another subject whose installation and campaigns it shares."""

    name = "leadhook"
    options = ()

    def __init__(self, bench, workers="auto", campaigns=CAMPAIGNS, settings=(), server=None, like=None):
        super().__init__(bench, workers)
        self.server = server or bench.database
        self.database = like.database if like else f"bench_leadhook{next(NUMBERS)}"
        if self.server is bench.database:
            bench.databases.append(self.database)
        self.installation = Installation(self.folder, bench.options.build, self.server, name=self.database)
        # in the sandbox, only root could measure the memory
        measurable = [] if os.geteuid() == 0 else [("server", "sandbox", "off")]
        shared = [("database", "password", like.installation.setting("database", "password"))] if like else []
        self.installation.configure([("server", "base_url", self.front.url), ("log", "level", "warning"), ("database", "tls", "off"),
                                     ("limits", "account_per_minute", "0"), *measurable, *shared], owner=self.front.run_user)
        if like:
            self.key, self.campaigns = like.key, like.campaigns
            return
        self.installation.install()
        admin = self.installation.admin
        self.account = str(admin("account", "add", "Bench")["id"])
        self.key = admin("key", "add", self.account)["key"]
        self.campaigns = self.add_campaigns(campaigns, settings)

    def add_campaigns(self, count, settings=()):
        """Return the ids of new campaigns."""
        admin = self.installation.admin
        added = [admin("campaign", "add", self.account, f"Campaign {n}", *settings)["id"] for n in range(1, count + 1)]
        for n, campaign in enumerate(added, 1):
            admin("webhook", "add", str(campaign), LOOPBACK_HOOK.format(port=self.bench.receiver_port, number=n), "new_signup")
        return added

    def child(self):
        child = self.installation.responders(self.workers)
        child.argv += self.options
        return child

    def sql(self, text):
        return self.server.sql(text, self.database, timeout=900)

    def payload_bytes(self):
        return int(self.sql("SELECT LENGTH(payload) FROM lh_events ORDER BY id DESC LIMIT 1"))


class Single(Leadhook):
    name = "single"
    options = SINGLE_OPTIONS


class ModFcgid(Leadhook):
    """Leadhook under Apache with mod_fcgid, which starts up to four processes for one request at a time each."""

    name = "mod_fcgid"
    front_class = ApacheFcgid

    def start(self):
        # Apache's account cannot enter the folder of the build.
        self.bench.folder.chmod(0o755)
        program = shutil.copy2(self.installation.program("leadhook-fcgi"), self.folder)
        self.front.configure(None, program, self.installation.config)
        self.bench.running.append(self)
        self.front.start()
        return self
