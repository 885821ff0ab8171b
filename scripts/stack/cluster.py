# SPDX-License-Identifier: MIT
"""A cluster of database nodes with a proxy, and one Leadhook on several hosts that use the cluster; all on loopback."""
import itertools
import pathlib
import re
import secrets
import signal

from .front import LighttpdSocket
from .galera import Galera
from .haproxy import Proxy
from .installation import Installation
from .process import StackError, wait_until

WORKERS = 32
SMALL = {"buffer_pool": "128M", "redo_log": "96M"}
NAMES = itertools.count(1)


class Database:
    """The nodes and their proxy. `folder` must have a short path and be open to the nodes' account."""

    def __init__(self, folder, nodes=3, rise=None, **options):
        self.folder = pathlib.Path(folder)
        self.galera = Galera(self.folder, nodes, **{**SMALL, **options})
        self.nodes = self.galera.nodes
        self.proxy = None
        self.rise = rise

    def start(self):
        self.galera.start()
        self.proxy = Proxy(self.folder / "proxy", self.galera, self.rise).start()
        return self

    def node(self, name):
        return next(node for node in self.nodes if node.name == name)

    def heal(self, seconds=90):
        """Wait until every node serves and the first one writes again."""
        self.galera.heal()
        wait_until(lambda: set(self.proxy.states().values()) == {"UP"}, seconds, "the proxy finds all nodes healthy")

    def stop(self):
        if self.proxy:
            self.proxy.stop()
        self.galera.stop()


class Host:
    """Web server, responders and dispatcher of one host, with their own configuration and lock file."""

    def __init__(self, folder, name, build, database, installation, settings):
        self.name, self.folder = name, pathlib.Path(folder)
        self.folder.mkdir()
        self.folder.chmod(0o755)
        self.front = LighttpdSocket(self.folder / "web")
        self.installation = Installation(self.folder, build, database, name=installation)
        self.installation.configure([("server", "base_url", self.front.url), ("server", "trusted_proxies", "127.0.0.1"),
                                     ("server", "service_name", name), *settings])
        self.use(build)

    def use(self, build):
        """Use the programs of that build after their next start."""
        self.installation.build = build
        self.responders = self.installation.responders(WORKERS)
        self.dispatcher = self.installation.dispatcher()

    def start(self):
        self.responders.start()
        self.front.configure(self.installation.socket, None, None)
        self.front.start()
        return self

    def stop(self):
        """Stop the host. This kills the dispatcher, which leaves its leases; a test that needs them released must stop it first."""
        self.dispatcher.kill()
        self.front.stop()
        self.responders.stop()


class Hosts:
    """One installation on `count` hosts, in its own database. `through`: "proxy"; "nodes": each host uses its own node; "list": each has
    a list of the nodes."""

    def __init__(self, folder, build, database, count=3, through="proxy", settings=()):
        self.folder, self.build, self.database, self.name = pathlib.Path(folder), build, database, f"leadhook{next(NAMES)}"
        self.settings = [("database", "password", secrets.token_hex(16)), ("database", "tls", "off"),
                         ("limits", "account_per_minute", "0"), *settings]
        self.hosts = []
        places = {"proxy": [database.proxy], "nodes": database.nodes, "list": [database.galera]}[through]
        for number in range(count):
            self.add(places[number % len(places)])
        self.first = self.hosts[0].installation

    def add(self, database):
        """Add another host, without starting it. It uses that node, proxy or list."""
        number = len(self.hosts) + 1
        self.hosts.append(Host(self.folder / f"h{number}", f"host{number}", self.build, database, self.name, self.settings))
        return self.hosts[-1]

    def start(self, dispatchers=True):
        self.first.install()
        for host in self.hosts:
            host.start()
            if dispatchers:
                host.dispatcher.start()
        return self

    def __getitem__(self, number):
        return self.hosts[number]

    def admin(self, *words, **options):
        return self.first.admin(*map(str, words), **options)

    def sql(self, text):
        return self.database.galera.sql(text, self.name, timeout=120)

    def ports(self):
        return [host.front.port for host in self.hosts]

    def campaigns(self, count, receiver):
        """Return an account's key, and the ids of new campaigns, each with a webhook for new leads."""
        account = self.admin("account", "add", "Cluster")["id"]
        key = self.admin("key", "add", account)["key"]
        made = []
        for number in range(count):
            made.append(self.admin("campaign", "add", account, f"Campaign {number}")["id"])
            self.admin("webhook", "add", made[-1], receiver.url(f"/hook/{made[-1]}"), "new_signup")
        return key, made

    def stop(self):
        for host in reversed(self.hosts):
            host.stop()


VERBS = ("start", "stop", "kill", "pause", "resume", "isolate", "join")


def act(database, hosts, verb, name):
    """Carry out one of VERBS on a node (node1), or on the dispatcher or the responders of a host (dispatcher1, responders1)."""
    found = re.fullmatch(r"(node|dispatcher|responders)([1-9])", name)
    places = database.nodes if name.startswith("node") else hosts.hosts
    if verb not in VERBS or not found or int(found[2]) > len(places):
        raise StackError(f"{verb} {name}: there is no such verb or name")
    place = places[int(found[2]) - 1]
    if found[1] == "node":
        actions = {"start": lambda: database.galera.restart(place)}
        actions.get(verb, getattr(place, verb))()
        return
    program = getattr(place, found[1])
    actions = {"start": program.start, "stop": program.stop, "kill": program.kill,
               "pause": program.suspend, "resume": lambda: program.send(signal.SIGCONT)}
    if verb not in actions:
        raise StackError(f"{verb} is for nodes")
    actions[verb]()
