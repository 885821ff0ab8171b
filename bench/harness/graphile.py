# SPDX-License-Identifier: MIT
"""The baseline graphile-worker: a private PostgreSQL, and deliveries as jobs in it."""
import os
import pathlib
import shutil
import signal

from stack.process import Child, StackError, run

from .subjects import node_scripts, with_environment

ACCOUNT = "postgres"  # PostgreSQL does not run as root
USER, DATABASE = "bench", "postgres"
SHARED_BUFFERS = "1GB"
BATCH = 10_000  # jobs added by one statement

WEBHOOKS = """
CREATE TABLE webhooks (id integer PRIMARY KEY, url text NOT NULL, secret text NOT NULL);
INSERT INTO webhooks SELECT n, '{url}' || n, 'whsec_c2VjcmV0' FROM generate_series(1, {count}) n;
"""
# Each has a time of its own, as if added by itself: workers take the jobs in order of time.
JOBS = """
SELECT count(*) FROM graphile_worker.add_jobs(ARRAY(
	SELECT ROW('deliver', json_build_object('webhook', 1 + n % {webhooks}, 'event', n, 'body', $body${body}$body$), NULL,
		now() - interval '1 hour' + n * interval '1 ms', NULL, NULL, NULL, NULL)::graphile_worker.job_spec
	FROM generate_series({first}, {last}) n));
"""


class Postgres:
    """`folder` must have a short path; its socket is in it."""

    def __init__(self, folder):
        self.folder, self.data = pathlib.Path(folder), pathlib.Path(folder, "data")
        found = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin"))
        if not found:
            raise StackError("PostgreSQL is missing (Debian: postgresql)")
        self.programs = found[-1]
        # Changing the account clears the death signal.
        self.account = ["setpriv", f"--reuid={ACCOUNT}", f"--regid={ACCOUNT}", "--clear-groups",
                        "--pdeathsig=INT"] if os.geteuid() == 0 else []
        self.child = Child("postgres", [*self.account, self.programs / "postgres", "-D", self.data, "-k", self.folder,
                                        "-c", "listen_addresses=", "-c", f"shared_buffers={SHARED_BUFFERS}", "-c", "max_wal_size=4GB"],
                           self.folder.with_suffix(".log"), death_signal=signal.SIGINT)

    def start(self):
        self.folder.mkdir()
        if self.account:
            self.folder.parent.chmod(0o755)
            shutil.chown(self.folder, ACCOUNT, ACCOUNT)
        run("initdb", [*self.account, self.programs / "initdb", "--pgdata", self.data, "--username", USER, "--auth=trust",
                       "--encoding=UTF8", "--no-locale"])
        self.child.start().ready(self.answers)
        return self

    def answers(self):
        try:
            return self.sql("SELECT 1") == "1\n"
        except StackError:
            return False

    def sql(self, text):
        return run("psql", [self.programs / "psql", "--no-psqlrc", "--quiet", "--tuples-only", "--no-align", "-v", "ON_ERROR_STOP=1",
                            "-h", self.folder, "-U", USER, DATABASE], timeout=900, input=text)

    def stop(self):
        self.child.stop(signal.SIGINT, seconds=30)


class Jobs:
    """Jobs that deliver `body` to webhooks whose URLs are `url` and a number from 1."""

    def __init__(self, bench, body, url, webhooks):
        self.body, self.webhooks = body, webhooks
        self.scripts = node_scripts(bench)
        self.log = bench.folder / "graphile.log"
        self.server = Postgres(bench.folder / "pg")
        bench.running.append(self.server)
        self.server.start()
        self.environment = {"PGHOST": self.server.folder, "PGUSER": USER, "PGDATABASE": DATABASE}
        run("graphile-worker", with_environment(self.environment, self.scripts / "node_modules/.bin/graphile-worker", "--schema-only"))
        self.server.sql(WEBHOOKS.format(url=url, count=webhooks))

    def add(self, count):
        """Replace all jobs with this many."""
        text = "TRUNCATE graphile_worker._private_jobs;\n"
        for first in range(1, count + 1, BATCH):
            text += JOBS.format(webhooks=self.webhooks, body=self.body, first=first, last=min(first + BATCH - 1, count))
        self.server.sql(text + "VACUUM ANALYZE graphile_worker._private_jobs;\n")

    def worker(self, processes, concurrency):
        """Return the program that runs the jobs, not started."""
        return Child("graphile-worker", with_environment(self.environment, "node", self.scripts / "deliver.js", processes, concurrency),
                     self.log, death_signal=signal.SIGTERM)
