# SPDX-License-Identifier: MIT
"""Three private MariaDB nodes of one Galera cluster on loopback, each with the shipped option file."""
import contextlib
import itertools
import os
import pathlib
import re
import shutil
import signal
import socket

from .examples import fill, value
from .mariadb import MariaDB
from .process import Child, StackError, run, wait_until

EXAMPLE = "galera.cnf"
START_SECONDS = 90  # including a copy of all data
# rsync, which copies data, gives up root's rights, so root starts the nodes with this account.
ACCOUNT = "mysql"
# The administrator's SQL must not wait long for a node that was killed or is suspended.
STATUS_SECONDS = 5


def free_ports(hosts):
    """Return ports that are free on all of these addresses. A port for copies of data is only used during a copy, and no other
    server may take it in between, so these ports are below those of front.free_port."""
    for port in range(10000 + os.getpid() % 500 * 16, 20000):
        with contextlib.ExitStack() as held:
            try:
                for host in hosts:
                    held.enter_context(socket.socket()).bind((host, port))
            except OSError:
                continue
        yield port


def session_of(pid):
    """Return the other processes in the session of a node's process: they copy data for the node."""
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        with contextlib.suppress(OSError, ValueError):
            fields = (entry / "stat").read_text().rpartition(")")[2].split()
            if entry.name.isdigit() and int(fields[3]) == pid and int(entry.name) != pid:
                found.append(int(entry.name))
    return found


class Node(MariaDB):
    """One node. `ports`: for the database, health checks, group communication, incremental and full copies. `first`: it creates
    the cluster when it starts for the first time."""

    clients = "%"  # because the proxy is not on every host

    def __init__(self, folder, name, host, ports, group, first, **options):
        folder.mkdir(parents=True, exist_ok=True)
        super().__init__(folder, folder / "db.sock", **options)
        self.name, self.host, self.first, self.made = name, host, first, False
        self.port, self.health_port, self.group_port, self.incremental_port, self.copy_port = ports
        self.config = folder / "galera.cnf"
        shipped = value(EXAMPLE, "wsrep_provider_options").replace("gcache.size=1G", "gcache.size=64M")
        provider = (f"{shipped}; base_host=127.0.0.1; base_port={self.group_port}; "
                    f"gmcast.listen_addr=tcp://127.0.0.1:{self.group_port}; "
                    f"ist.recv_addr=127.0.0.1:{self.incremental_port}")
        text = fill(EXAMPLE, wsrep_cluster_address=f"gcomm://{group}", wsrep_node_name=name, bind_address=host,
                    wsrep_node_address=f"127.0.0.1:{self.group_port}", wsrep_provider_options=provider)
        self.config.write_text(text, encoding="utf-8")

    def address(self):
        return {"host": self.host, "port": str(self.port)}

    def create(self):
        """The other nodes copy their data from the first one."""
        if self.first and not self.made:
            super().create()
        self.temporary.mkdir(parents=True, exist_ok=True)
        self.data.mkdir(exist_ok=True)
        if os.geteuid() == 0:
            for path in (self.folder, *self.folder.rglob("*")):
                shutil.chown(path, ACCOUNT, ACCOUNT)
        return self

    def command(self, *more):
        program, _, *options = [word for word in super().command() if word not in ("--skip-networking", "--user=root")]
        # Changing the account clears the death signal.
        account = ["setpriv", f"--reuid={ACCOUNT}", f"--regid={ACCOUNT}", "--clear-groups", "--pdeathsig=KILL"]
        return [*(account if os.geteuid() == 0 else []), program, f"--defaults-file={self.config}", *options,
                f"--port={self.port}", f"--wsrep-sst-receive-address=127.0.0.1:{self.copy_port}", *more]

    def _position(self):
        """After a kill, the node would copy everything; with its last position, it copies only what it has missed."""
        log = self.folder / "recover.log"
        log.unlink(missing_ok=True)
        words = [word for word in self.command("--wsrep-recover") if not str(word).startswith("--log-error")]
        run("mariadbd --wsrep-recover", [*words, f"--log-error={log}"])
        found = re.search(r"Recovered position:? *([0-9a-f-]+:-?[0-9]+)", log.read_text(errors="replace"))
        return [f"--wsrep-start-position={found[1]}"] if found and not found[1].endswith(":-1") else []

    def begin(self):
        """Start, without waiting for its data."""
        new = self.first and not self.made
        more = ["--wsrep-new-cluster"] if new else self._position() if (self.data / "grastate.dat").exists() else []
        self.made = True
        self.child = Child(self.name, self.command(*more), self.log).start()
        return self

    def start(self):
        self.begin()
        self.child.ready(self.synced, seconds=START_SECONDS)
        return self

    def status(self, timeout=STATUS_SECONDS):
        """Return {name without wsrep_: value}; {} when it does not answer."""
        try:
            rows = self.sql("SHOW GLOBAL STATUS LIKE 'wsrep%'", timeout=timeout)
        except Exception:
            return {}
        return {name.removeprefix("wsrep_"): text for name, _, text in (row.partition("\t") for row in rows.splitlines())}

    def synced(self):
        found = self.status()
        return [found.get(name) for name in ("local_state_comment", "cluster_status", "ready")] == ["Synced", "Primary", "ON"]

    def alive(self):
        return self.child is not None and self.child.alive()

    # --- failures ---

    def kill(self):
        """Send SIGKILL, also to the processes that copy its data."""
        if self.child is None or self.child.process is None:
            return
        others = session_of(self.child.pid)
        self.child.kill()
        for pid in {*others, *session_of(self.child.pid)}:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def stop(self):
        """Shut down cleanly; kill what remains."""
        try:
            if self.alive():
                self.child.send(signal.SIGCONT)
                self.child.stop(seconds=30)
        except StackError:
            pass
        finally:
            self.kill()

    def pause(self):
        self.child.suspend()

    def resume(self):
        self.child.send(signal.SIGCONT)

    def provider(self, option):
        self.sql(f"SET GLOBAL wsrep_provider_options = '{option}'", timeout=STATUS_SECONDS)

    def isolate(self):
        """Cut the node off from the others."""
        self.provider("gmcast.isolate=1")

    def join(self):
        self.provider("gmcast.isolate=0")

    def lose_data(self):
        """Remove the data of a stopped node, which then copies everything when it starts."""
        shutil.rmtree(self.data)
        self.create()


class Galera:
    """`count` nodes, node1, node2, …, with the same port on different addresses. As the database of an installation, it is the list of
    the nodes."""

    def __init__(self, folder, count=3, **options):
        folder, hosts = pathlib.Path(folder), [f"127.0.0.{number}" for number in range(1, count + 1)]
        free = free_ports(hosts)
        self.port = next(free)
        ports = [(self.port, *itertools.islice(free, 4)) for _ in hosts]
        group = ",".join(f"127.0.0.1:{one[2]}" for one in ports)
        self.nodes = [Node(folder / f"n{number}", f"node{number}", host, one, group, number == 1, **options)
                      for number, (host, one) in enumerate(zip(hosts, ports), 1)]

    def address(self):
        return {"host": ", ".join(node.host for node in self.nodes), "port": str(self.port)}

    def add_account(self, *words):
        self.any().add_account(*words)

    def start(self):
        for node in self.nodes:
            node.create().start()
        return self

    def any(self):
        """Return a node that serves, preferably the first one. Raise StackError if none does."""
        def first():
            return next((node for node in self.nodes if node.alive() and node.synced()), None)
        return wait_until(first, 30, "a node serves")

    def sql(self, text, *words, **options):
        """Run statements on a node that has all changes committed by any node."""
        return self.any().sql(f"SET SESSION wsrep_sync_wait = 1;{text}", *words, **options)

    def given_up(self):
        """Return whether the other nodes know which nodes do not run. If a node starts earlier, all can lose the primary
        component."""
        alive = [node for node in self.nodes if node.alive()]
        sizes = [node.status().get("cluster_size") for node in alive]
        return all(size is None or int(size) <= len(alive) for size in sizes)

    def restart(self, node):
        """Start a node that has ended, without waiting for its data."""
        wait_until(self.given_up, 30, f"the others have given up {node.name}")
        node.begin()

    def heal(self, seconds=START_SECONDS):
        """Wait until every node runs, is connected and has all changes."""
        for node in self.nodes:
            if node.alive():
                node.resume()
        for node in self.nodes:
            if not node.alive():
                self.restart(node)
        size = str(len(self.nodes))

        def whole():
            for node in self.nodes:
                if not node.alive():
                    raise StackError(f"{node.name} ended:\n{node.log.read_text(errors='replace')[-3000:]}")
                with contextlib.suppress(Exception):
                    if node.status().get("cluster_status") == "non-Primary":
                        node.join()
            return all(node.synced() and node.status().get("cluster_size") == size for node in self.nodes)
        wait_until(whole, seconds, "all nodes are synced")

    def stop(self):
        for node in reversed(self.nodes):
            node.stop()
