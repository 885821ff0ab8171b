# SPDX-License-Identifier: MIT
"""A cluster that obeys commands on standard input; scripts/cluster starts it."""
import argparse
import json
import os
import pathlib
import shutil
import signal
import sys
import time

from .cluster import VERBS, Database, Hosts, act
from .process import Ended, StackError, handle_signals
from .traffic import IN_FLIGHT, RATE, Inbox, Load, check

CAMPAIGNS = 4


class Shell:
    def __init__(self, options):
        self.database = Database(options.work, rise=options.rise)
        self.hosts, self.inbox, self.loads, self.checked = None, Inbox(), [], 0
        self.options, self.failures, self.status = options, 0, 0

    def start(self):
        self.inbox.start()
        self.database.start()
        self.hosts = Hosts(self.options.work, self.options.build, self.database, self.options.hosts).start()
        self.key, self.campaigns = self.hosts.campaigns(CAMPAIGNS, self.inbox)
        for host in self.hosts.hosts:
            print(f"{host.name}  {host.front.url}/v2/{self.campaigns[0]}  {host.installation.config}")
        for node in self.database.nodes:
            print(f"{node.name}  {node.socket}")
        print(f"key    {self.key}", flush=True)

    def stop(self):
        if self.hosts:
            self.hosts.stop()
        self.database.stop()
        self.inbox.close()

    # --- commands ---

    def load(self, seconds, rate=RATE):
        made = Load(self.hosts.ports(), self.key, self.campaigns, float(rate), prefix=f"load{len(self.loads)}-")
        made.end_after(float(seconds))
        self.loads.append(made.start())

    def wait(self, seconds):
        time.sleep(float(seconds))

    def heal(self):
        self.database.heal()

    def status(self):
        states = self.database.proxy.states()
        for node in self.database.nodes:
            found = node.status()
            words = " ".join(found.get(name, "?") for name in ("cluster_status", "local_state_comment", "cluster_size"))
            print(f"{node.name}  {words}  HAProxy: {states[node.name]}", flush=True)

    def check(self):
        for load in self.loads:
            load.join()
        figures, wrong = check(self.hosts, self.inbox, self.loads, twice=IN_FLIGHT * self.failures)
        for load in self.loads:
            print(json.dumps(load.figures()))
        print(json.dumps(figures), *(wrong or ["nothing is wrong"]), sep="\n", flush=True)
        self.status = 1 if wrong else self.status

    def obey(self, line):
        verb, *words = line.split()
        if verb in VERBS:
            act(self.database, self.hosts, verb, *words)
            self.failures += verb in ("kill", "pause", "isolate")
        elif verb in ("load", "wait", "heal", "status", "check"):
            getattr(self, verb)(*words)
        else:
            raise StackError(f"no command {verb}")

    def run(self):
        for line in sys.stdin:
            if line.strip():
                try:
                    self.obey(line)
                except (StackError, TypeError, ValueError) as error:
                    print(f"cluster: {line.strip()}: {error}", file=sys.stderr, flush=True)
                    self.status = 1


def main():
    parser = argparse.ArgumentParser(prog="scripts/cluster")
    parser.add_argument("--work", required=True)
    parser.add_argument("--build", required=True)
    parser.add_argument("--hosts", type=int, required=True)
    parser.add_argument("--rise", type=int)
    options = parser.parse_args()
    options.work = pathlib.Path(options.work)
    for name in [name for name in os.environ if name.startswith("LEADHOOK_")]:
        del os.environ[name]
    handle_signals()
    shell, status = Shell(options), 1
    try:
        shell.start()
        shell.run()
        status = shell.status
    except StackError as error:
        print(f"cluster: {error}", file=sys.stderr)
    except Ended:
        pass
    finally:
        handle_signals(signal.SIG_IGN)
        shell.stop()
        shutil.rmtree(options.work, ignore_errors=True)
    return status


if __name__ == "__main__":
    sys.exit(main())
