# SPDX-License-Identifier: MIT
"""Workload open: sign-ups that arrive on a Poisson clock, by themselves and beside other work."""
from stack.mariadb import MariaDB
from stack.process import Child

from .bench import Goal, outcome
from .client import drive, drive_open, sign_up
from .running import delivering_too
from .sets import fill_leads, large
from .subjects import CAMPAIGNS, Leadhook, ModFcgid

SHARES = (50, 80, 95)  # percent of the capacity
SHARE_WITH_GOALS = 80
FCGID_PROCESSES = 4
SMALL_POOL = "128M"
# Exports to nowhere, one after the other, until TERM.
EXPORTS = "trap 'kill $!; exit' TERM; while :; do \"$@\" >/dev/null & wait $! || exit 1; done"


class Target:
    """The campaigns of a running subject to which the sign-ups go."""

    def __init__(self, bench, subject, campaigns=None, connections=None):
        self.bench, self.subject, self.connections = bench, subject, connections
        self.campaigns = campaigns or subject.campaigns
        self.capacity = None  # the rate that was measured last

    def measure_capacity(self):
        """Measure create for a short time."""
        words = {"first_campaign": self.campaigns[0], "campaigns": len(self.campaigns)}
        if self.bench.warm_up:
            drive(self.bench, self.subject, "create", self.bench.warm_up, self.connections, **words)
        found = drive(self.bench, self.subject, "create", max(1, self.bench.options.seconds // 3), self.connections, **words)
        self.capacity = found["rate"]
        return found

    def arriving(self, share):
        """Return a function that measures arrivals at this percentage of the capacity."""
        return lambda: drive_open(self.bench, self.subject, self.capacity * share / 100, self.campaigns)


def exporting_too(subject, measure):
    """Return a function that measures while leadhook exports the large campaign."""
    def both():
        installation = subject.installation
        exports = Child("export", ["sh", "-c", EXPORTS, "sh", installation.program("leadhook"), "--config", installation.config,
                                   "lead", "export", subject.campaigns[0], "-"], subject.folder / "export.log").start()
        try:
            found = measure()
            exports.check()
        finally:
            exports.stop()
        return found
    return both


def small_server(bench):
    """Start a database server whose buffer pool is much smaller than the largest set."""
    folder = bench.folder / "small"
    folder.mkdir()
    server = MariaDB(folder, folder / "db.sock", buffer_pool=SMALL_POOL, redo_log=bench.database.redo_log)
    bench.running.append(server)
    return server.create().start()


def goals_of(label):
    return [Goal(label, "p99_ms", "<=", 25), Goal(label, "p999_ms", "<=", 60), Goal(label, "refused", "<=", 0, of="max")]


def open_loop(bench):
    leads, seconds = bench.sizes[-1], bench.warm_up + bench.options.seconds
    server = small_server(bench)
    plain, exported, fcgid = Leadhook(bench), large(bench, leads), ModFcgid(bench)
    small = Leadhook(bench, server=server, campaigns=CAMPAIGNS + 1)
    fill_leads(small, small.campaigns[0], leads, "natural")
    subjects = (plain, exported, small, fcgid)
    for one in subjects:
        one.start()
    sign_up(fcgid)  # Apache starts the first process for it
    alone, large_set = Target(bench, plain), Target(bench, exported, exported.add_campaigns(CAMPAIGNS))
    # The target, and what happens beside its sign-ups.
    situations = {
        "alone": (alone, lambda measure: measure),
        "beside deliveries": (alone, lambda measure: delivering_too(bench, plain, measure, seconds)),
        "beside exports": (large_set, lambda measure: exporting_too(exported, measure)),
        "small pool": (Target(bench, small, small.campaigns[1:]), lambda measure: measure),
        # Requests that find no free process wait for a second.
        "mod_fcgid": (Target(bench, fcgid, connections=FCGID_PROCESSES), lambda measure: measure),
    }
    plan = {}
    for label, (target, beside) in situations.items():
        # In each round, because the speed of the machine may change from minute to minute.
        plan[f"{label}, capacity"] = target.measure_capacity
        plan.update({f"{label}, {share} %": beside(target.arriving(share)) for share in SHARES})
    rounds = bench.interleave(plan)
    for one in subjects:
        one.stop()
    bench.running.remove(server)
    server.stop()
    return outcome(rounds, [goal for label in situations for goal in goals_of(f"{label}, {SHARE_WITH_GOALS} %")], leads=leads,
                   small_pool=SMALL_POOL, fcgid_processes=FCGID_PROCESSES)
