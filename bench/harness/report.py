# SPDX-License-Identifier: MIT
"""Prints the table, and writes the file with all numbers."""
import json
import pathlib

from .measures import spread

# metric: (heading, format)
COLUMNS = {"rate": ("a second", "{:,.0f}"), "p50_ms": ("p50 ms", "{:.1f}"), "p99_ms": ("p99 ms", "{:.1f}"),
           "p999_ms": ("p99.9 ms", "{:.1f}"), "max_ms": ("max ms", "{:.1f}"), "refused": ("refused", "{:.0f}"),
           "delay_p99_ms": ("p99 after start, ms", "{:,.0f}"), "delivered_rate": ("delivered a second", "{:,.0f}"),
           "backlog": ("backlog", "{:,.0f}"), "flood_rate": ("flood a second", "{:,.0f}"), "mail_rate": ("mails a second", "{:,.0f}"),
           "cpu_us": ("processor µs each", "{:.0f}"), "mib": ("PSS MiB", "{:.1f}"), "percent": ("% of the processors", "{:.2f}"), "ms": ("ms", "{:,.0f}"), "alerts": ("alerts", "{:.0f}")}
LABEL = 26


def words(values):
    return ", ".join(f"{name} {value}" for name, value in values.items())


def notes(values):
    return [f"  {name}: {words(value) if isinstance(value, dict) else value}" for name, value in values.items() if value != {}]


def head(setup):
    print(words(setup), flush=True)


def cell(rounds, metric, form):
    values = [one[metric] for one in rounds if one.get(metric) is not None]
    if not values:
        return ""
    found = spread(values)
    text = form.format(found["median"])
    return text if len(values) == 1 else f"{text} ({form.format(found['min'])}…{form.format(found['max'])})"


def table(name, rounds):
    """Return lines with the median, minimum and maximum of the rounds."""
    metrics = [metric for metric in COLUMNS if any(metric in one for runs in rounds.values() for one in runs)]
    lines = [[name, *(COLUMNS[metric][0] for metric in metrics)]]
    lines += [["  " + label, *(cell(runs, metric, COLUMNS[metric][1]) for metric in metrics)] for label, runs in rounds.items()]
    widths = [max(len(line[column]) for line in lines) + 3 for column in range(len(metrics) + 1)]
    return [(f"{line[0]:{max(LABEL, widths[0])}}" + "".join(f"{text:>{width}}" for text, width in zip(line[1:], widths[1:])))
            .rstrip() for line in lines]


def show(name, result, quick):
    """Print one workload when it is done."""
    print("", *table(name, result["rounds"]), sep="\n")
    if not quick:
        for goal in result["goals"]:
            sign = {">=": "≥", "<=": "≤"}[goal["sense"]]
            print(f"  {'met' if goal['met'] else 'MISSED':8}{goal['what']}: {goal['value']:.2f}, goal {sign} {goal['goal']}")
    for line in notes(result["notes"]):
        print(line)
    print(end="", flush=True)


def save(path, setup, results):
    pathlib.Path(path).write_text(json.dumps({"setup": setup, "workloads": results}, indent=1), encoding="utf-8")
