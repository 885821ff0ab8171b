# SPDX-License-Identifier: MIT
"""HAProxy in front of the nodes of a cluster, with the shipped configuration, and the health checks that it requests."""
import csv
import pathlib
import socket

from .examples import fill
from .front import accepts, free_port
from .process import Child

HEALTH_ACCOUNT = "galera_health"


class Health:
    """What the supervisor of each node runs: the shipped program, once for each connection."""

    def __init__(self, node):
        self.node = node
        program = node.folder / "galera-health"
        program.write_text(fill("galera-health", socket=node.socket), encoding="utf-8")
        program.chmod(0o755)
        listen = f"TCP-LISTEN:{node.health_port},bind={node.host},reuseaddr,fork"
        self.child = Child("socat", ["socat", "-T", "5", listen, f"EXEC:{program}"], node.folder / "health.log")

    def start(self):
        self.child.start().ready(lambda: accepts(self.node.health_port, self.node.host))
        return self

    def stop(self):
        self.child.stop()


class Proxy:
    """`rise`: number of healthy checks until the first node takes over again; None: as shipped. The nodes must be running."""

    def __init__(self, folder, galera, rise=None):
        self.folder, self.galera, self.port = pathlib.Path(folder), galera, free_port()
        self.folder.mkdir(parents=True, exist_ok=True)
        self.health = [Health(node) for node in galera.nodes]
        self.control = self.folder / "haproxy.sock"
        values = {"LEADHOOK_DATABASE": f"127.0.0.1:{self.port}", **({"LEADHOOK_RISE": rise} if rise else {})}
        for number, node in enumerate(galera.nodes, 1):
            values |= {f"LEADHOOK_NODE{number}": f"{node.host}:{node.port}", f"LEADHOOK_HEALTH{number}": node.health_port}
        (self.folder / "main.cfg").write_text(f"global\n\tstats socket {self.control} level admin\n", encoding="utf-8")
        (self.folder / "leadhook.cfg").write_text(fill("haproxy-galera.cfg", **values), encoding="utf-8")
        self.child = Child("haproxy", ["haproxy", "-db", "-f", self.folder / "main.cfg", "-f", self.folder / "leadhook.cfg"],
                           self.folder / "haproxy.log")

    def start(self):
        self.galera.sql(f"CREATE USER IF NOT EXISTS '{HEALTH_ACCOUNT}'@'localhost'")
        for one in self.health:
            one.start()
        self.child.start().ready(lambda: accepts(self.port))
        return self

    def stop(self):
        self.child.stop()
        for one in self.health:
            one.stop()

    def states(self):
        """Return {name of the node: its state according to HAProxy}, such as "UP"."""
        with socket.socket(socket.AF_UNIX) as control:
            control.settimeout(5)
            control.connect(str(self.control))
            control.sendall(b"show stat\n")
            text = b""
            while part := control.recv(65536):
                text += part
        rows = csv.DictReader(text.decode().lstrip("# ").splitlines())
        return {row["svname"]: row["status"] for row in rows if row["svname"].startswith("node")}

    def writer(self):
        """Return the node to which it sends new connections, or None."""
        states = self.states()
        return next((node for node in self.galera.nodes if states[node.name].startswith("UP")), None)

    # --- as the database of an installation ---

    def address(self):
        return {"host": "127.0.0.1", "port": str(self.port)}

    def add_account(self, *words):
        self.galera.add_account(*words)

    def sql(self, *words, **options):
        return self.galera.sql(*words, **options)
