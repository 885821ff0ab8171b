# SPDX-License-Identifier: MIT
"""Started by bench/run once everything is built."""
import argparse
import os
import pathlib
import shutil
import signal
import sys
import time

from stack.process import Ended, StackError, handle_signals

from . import report
from .bench import Bench
from .cluster import cluster
from .deliver import deliver, deliver_hostile
from .growth import growth
from .mail import latency_mail, mail
from .management import guesses, lists
from .noisy import noisy_neighbour
from .open_loop import open_loop
from .requests import create, leaderboard, limited, lookup, one_campaign, repeat
from .running import latency, memory, together
from .views import views
from .watching import metrics

WORKLOADS = {"create": create, "one-campaign": one_campaign, "together": together, "repeat": repeat, "lookup": lookup,
             "leaderboard": leaderboard, "limited": limited, "deliver": deliver, "deliver-hostile": deliver_hostile, "growth": growth,
             "memory": memory, "latency": latency, "metrics": metrics, "noisy-neighbour": noisy_neighbour,
             "guesses": guesses, "lists": lists, "open": open_loop}
# These run only if they are named, because they need more packages.
NAMED = {"cluster": cluster, "mail": mail, "latency-mail": latency_mail, "views": views}


def arguments():
    parser = argparse.ArgumentParser(prog="bench/run")
    parser.add_argument("names", nargs="*", metavar="NAME", help=" ".join([*WORKLOADS, *NAMED]))
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--rounds", type=int)
    parser.add_argument("--seconds", type=int)
    parser.add_argument("--connections", type=int)
    parser.add_argument("--json")
    parser.add_argument("--build")
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("--work")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    options.rounds = options.rounds or (1 if options.quick else 3)
    options.seconds = options.seconds or (1 if options.quick else 10)
    # Few, so that even a slow machine answers some of them within a second.
    options.connections = options.connections or (16 if options.quick else 64)
    unknown = set(options.names) - set(WORKLOADS) - set(NAMED)
    if unknown:
        parser.error(f"unknown workload: {' '.join(sorted(unknown))}; there are {' '.join([*WORKLOADS, *NAMED])}")
    return options


def measure(bench, names, results):
    for name in names:
        begun = time.monotonic()
        results[name] = {**WORKLOADS, **NAMED}[name](bench)
        results[name]["took_seconds"] = round(time.monotonic() - begun, 1)
        report.show(name, results[name], bench.options.quick)
        bench.tidy()


def run(options):
    bench = Bench(options)
    results = {}
    try:
        bench.start()
        setup = bench.setup()
        report.head(setup)
        measure(bench, options.names or WORKLOADS, results)
    finally:
        handle_signals(signal.SIG_IGN)
        bench.stop()
        if options.json and results:
            report.save(options.json, setup, results)


def main():
    options = arguments()
    if options.check:
        return 0
    # The caller's settings must not reach the programs.
    for name in [name for name in os.environ if name.startswith("LEADHOOK_")]:
        del os.environ[name]
    handle_signals()
    status = 1
    try:
        run(options)
        status = 0
    except StackError as error:
        print(f"bench: {error}", file=sys.stderr)
    except Ended:
        print("bench: ended by a signal", file=sys.stderr)
    finally:
        if not options.keep:
            shutil.rmtree(options.work, ignore_errors=True)
        elif pathlib.Path(options.work).exists():
            print(f"the folder is {options.work}")
    return status


if __name__ == "__main__":
    sys.exit(main())
