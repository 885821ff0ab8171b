# SPDX-License-Identifier: MIT
"""An installation on several hosts under load, its figures, and what must be true of it after failures."""
from stack.cluster import Hosts
from stack.galera import Node
from stack.process import wait_until
from stack.traffic import IN_FLIGHT, RATE, Inbox, Load, check, equal_nodes

CAMPAIGNS = 4
ERROR_SECONDS = 10  # how long a change of the writer may cause errors
RECOVERED_SECONDS = 60  # how long it may take to reach full speed again


class Trial:
    """Options as of Hosts; `delay`: seconds until a delivery is answered."""

    def __init__(self, database, folder, build, hosts=3, campaigns=CAMPAIGNS, through="proxy", delay=0, settings=()):
        self.database, self.galera = database, database.galera
        self.inbox = Inbox(delay)
        self.hosts = Hosts(folder, build, database, hosts, through, settings=settings)
        self.through, self.count, self.loads, self.figures = through, campaigns, [], {}

    def start(self):
        self.inbox.start()
        self.wait_for_changes(1)
        self.hosts.start()
        self.key, self.campaigns = self.hosts.campaigns(self.count, self.inbox)
        if self.through == "nodes":
            self.wait_for_key()
        return self

    def wait_for_key(self):
        """Wait until each node has the key. A node that does not have it would refuse it, and its host then refuses the address for wrong
        keys (docs/api.md 5)."""
        for node in self.nodes:
            assert node.sql("SET SESSION wsrep_sync_wait = 1; SELECT COUNT(*) FROM lh_api_keys", self.hosts.name) == "1"

    def wait_for_changes(self, value):
        """Make reads wait for changes. With a list of nodes, a read may reach a different node than the write before it."""
        if self.through == "list":
            for node in filter(Node.synced, self.nodes):
                node.sql(f"SET GLOBAL wsrep_sync_wait = {value}")

    def stop(self):
        self.wait_for_changes(0)
        self.hosts.stop()
        self.inbox.close()

    @property
    def nodes(self):
        return self.database.nodes

    # --- load ---

    def load(self, rate=RATE):
        """Return a context in which sign-ups are sent."""
        self.loads.append(Load(self.hosts.ports(), self.key, self.campaigns, rate, prefix=f"load{len(self.loads)}-"))
        return self.loads[-1]

    def progress(self, seconds, deadline=90):
        """Wait until as many further sign-ups are accepted as are sent in that time."""
        load = self.loads[-1]
        goal = len(load.accepted()) + seconds * load.rate
        wait_until(lambda: len(load.accepted()) >= goal, deadline, "sign-ups are accepted")

    def writes(self, node, seconds=90):
        """Wait until the proxy sends all connections to that node."""
        wait_until(lambda: self.database.proxy.writer() is node, seconds, f"{node.name} is the writer")

    # --- what must be true ---

    def conflicts(self):
        """Return how many transactions the nodes have given up because of others since they were started."""
        found = [node.status() for node in self.nodes]
        return sum(int(one.get("local_bf_aborts", 0)) + int(one.get("local_cert_failures", 0)) for one in found)

    def phase(self, name, begin, end=float("inf")):
        """Note and return the figures of a part of the last load."""
        self.figures[name] = self.loads[-1].figures(begin, end)
        return self.figures[name]

    def recovers(self, name, begin, end=float("inf"), errors=ERROR_SECONDS):
        """Check that there are only answers 503 with Retry-After, in at most `errors` seconds, and then full speed."""
        found = self.phase(name, begin, end)
        assert set(found["statuses"]) <= {"200", "503"} and found["without_retry_after"] == 0, found
        assert found["error_seconds"] <= errors and found["slow_seconds"] <= RECOVERED_SECONDS, found

    def verify(self, disturbed=1, others=()):
        """Check that nothing is lost, and that nothing arrived twice except what was in progress when `disturbed` dispatchers, or their
        database, failed. `others`: emails of leads that are not part of a load."""
        self.database.heal()
        self.wait_for_changes(1)
        figures, wrong = check(self.hosts, self.inbox, self.loads, twice=IN_FLIGHT * disturbed, others=others)
        different = equal_nodes(self.hosts)
        self.figures["verified"] = {**figures, "accepted": sum(len(load.accepted()) for load in self.loads), "wrong": wrong,
                                    "different": different}
        assert not wrong, "\n".join(wrong)
        assert not different, f"tables differ between the nodes: {different}"
