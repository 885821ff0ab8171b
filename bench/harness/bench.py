# SPDX-License-Identifier: MIT
"""Shared by all workloads: options, the temporary folder, one MariaDB, running programs."""
import os
import pathlib

from stack.front import free_port
from stack.mariadb import MariaDB
from stack.process import StackError

from .measures import machine, spread, versions
from .receiving import Receiver


class Bench:
    def __init__(self, options):
        self.options = options
        self.folder = pathlib.Path(options.work)
        self.machine = machine(self.folder)
        self.sizes = (500, 2000) if options.quick else (10_000, 100_000, 1_000_000)
        self.warm_up = 0 if options.quick else 2
        pool = "128M" if options.quick else f"{min(4096, self.machine['memory_mib'] // 3)}M"
        # Memory is locked, as if the server had run for a day and used all of it. The first access to a page is a cost of the
        # machine, not of the subjects, and on a virtual machine it may take longer than the insert.
        self.database = MariaDB(self.folder / "mariadb", self.folder / "mariadb" / "db.sock", buffer_pool=pool,
                                redo_log="64M" if options.quick else "1G", more=["--memlock"])
        self.receiver_port = free_port()
        self.running = []  # to be stopped, in the order of start
        self.receiver = Receiver(self)
        self.sets = {}  # of sets.large()
        self.databases = []

    def program(self, name):
        path = pathlib.Path(self.options.build, name)
        if not os.access(path, os.X_OK):
            raise StackError(f"{path} is missing: make -C {self.options.build} bench-programs")
        return path

    def start(self):
        (self.folder / "mariadb").mkdir()
        self.database.create().start()
        self.receiver.start()
        return self

    def stop(self):
        for one in reversed(list(self.running)):
            one.stop()
        self.receiver.stop()
        self.database.stop()

    def tidy(self):
        """Drop all databases but those of the large sets after a workload, to free the buffer pool."""
        needed = {one.database for one in self.sets.values()}
        for name in set(self.databases) - needed:
            self.database.sql(f"DROP DATABASE {name}", timeout=300)
        self.databases = list(needed)

    def setup(self):
        """The lines above the table."""
        version = self.database.sql("SELECT VERSION()")
        flush, locked = self.database.sql("SELECT @@innodb_flush_log_at_trx_commit, @@locked_in_memory").split()
        return {**self.machine, "mariadb": version, **versions(), "buffer_pool": self.database.buffer_pool,
                "locked_in_memory": int(locked), "redo_log": self.database.redo_log, "innodb_flush_log_at_trx_commit": int(flush),
                "connections": self.options.connections, "rounds": self.options.rounds, "seconds": self.options.seconds, "quick": self.options.quick}

    def interleave(self, plan):
        """Return {label: [result of its function in each round]}. Each round runs every function, so that disturbances affect all."""
        rounds = {label: [] for label in plan}
        for _ in range(self.options.rounds):
            for label, measure in plan.items():
                rounds[label].append(measure())
        return rounds

    def best(self, subject, candidates, measure):
        """Start the subject with the number of workers that has the best rate; return {workers: rate} for all candidates."""
        if self.options.quick:
            subject.start()
            return {}
        tried = {}
        for workers in candidates:
            subject.restart(workers)
            measure(subject, self.warm_up)
            tried[workers] = round(measure(subject, 2)["rate"])
        subject.restart(max(tried, key=tried.get))
        return tried


class Goal:
    """`label` of a workload reaches `factor` times `reference`, or `factor` itself if there is no reference. `of`: of the rounds."""

    def __init__(self, label, metric, sense, factor, reference=None, reference_metric=None, of="median"):
        self.label, self.metric, self.sense, self.factor, self.of = label, metric, sense, factor, of
        self.reference, self.reference_metric = reference, reference_metric or metric

    def judge(self, rounds):
        value = spread([one[self.metric] for one in rounds[self.label]])[self.of]
        if self.reference:
            base = spread([one[self.reference_metric] for one in rounds[self.reference]])["median"]
            value = value / base if base else float("inf")
        met = value >= self.factor if self.sense == ">=" else value <= self.factor
        what = f"{self.label} {self.metric}" + (f" / {self.reference}" if self.reference else "")
        return {"what": what, "value": value, "sense": self.sense, "goal": self.factor, "met": met}


def outcome(rounds, goals=(), **notes):
    """The result of a workload for the report."""
    return {"rounds": rounds, "goals": [goal.judge(rounds) for goal in goals], "notes": notes}
