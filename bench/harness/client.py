# SPDX-License-Identifier: MIT
"""wrk with bench/lead.lua, and bench/open_load.c; single requests to inspect a subject's answer."""
import http.client
import itertools
import json
import math
import random
import re

from stack.process import Child, StackError

from . import BENCH

SEEDS = itertools.count(1)
# Headers that the web server adds, and headers of the connection.
NOT_OURS = {"date", "server", "connection", "transfer-encoding", "keep-alive"}


def fresh_seed():
    """Return a part of every email address of a run that makes the addresses new."""
    return f"s{next(SEEDS)}"


def drive(bench, subject, kind, seconds, connections=None, **words):
    """Run wrk once and return {"rate", "p50_ms", "p99_ms", …}. Raise StackError if an answer was wrong."""
    return drive_all(bench, [(subject, words)], kind, seconds, connections)[0]


def drive_all(bench, parts, kind, seconds, connections=None):
    """Run wrk for several (subject, words) at the same time, each with this number of connections."""
    running = []
    try:
        for subject, words in parts:
            running.append((subject, *start_wrk(bench, subject, kind, seconds, connections, words)))
        for _, wrk, _ in running:
            wrk.wait(seconds + 60)
    finally:
        for _, wrk, _ in running:
            wrk.kill()
    return [parse(subject.name, kind, log.read_text(errors="replace")) for subject, _, log in running]


def start_wrk(bench, subject, kind, seconds, connections, words):
    """Return (the running wrk, its log)."""
    words = {"kind": kind, "path": subject.path, "key": subject.key, "campaigns": len(subject.campaigns),
             "first_campaign": subject.campaigns[0], "start": 0, "seed": fresh_seed(),
             "random": random.getrandbits(31), "status": 200, "expect": '"campaign_id":', **words}
    connections = connections or bench.options.connections
    log = bench.folder / f"wrk-{next(SEEDS)}.log"
    wrk = Child("wrk", ["wrk", "--threads", 1, "--connections", connections, "--duration", f"{math.ceil(seconds)}s",
                        "--timeout", "20s", "--script", BENCH / "lead.lua", f"http://127.0.0.1:{subject.port}/", "--",
                        *(f"{name}={value}" for name, value in words.items())], log).start()
    return wrk, log


def drive_open(bench, subject, rate, campaigns):
    """Run bench/open_load.c once. Refused and missing answers are counted as `refused`; a wrong one raises StackError."""
    log = bench.folder / f"open-{next(SEEDS)}.log"
    load = Child("open_load", [bench.program("bench/open_load"), subject.port, rate, bench.warm_up, bench.options.seconds, subject.path,
                               campaigns[0], len(campaigns), subject.key, fresh_seed()], log).start()
    try:
        load.wait(bench.warm_up + bench.options.seconds + 60)
    finally:
        load.kill()
    return parse(subject.name, "open", log.read_text(errors="replace"), fatal=("wrong",))


def parse(name, kind, text, fatal=("wrong", "broken")):
    """Parse the output of a client. Raise StackError if there were any of the `fatal` answers, or none at all."""
    found = re.search(r"^RESULT (.*)$", text, re.MULTILINE)
    if not found:
        raise StackError(f"the client gave no result ({name}, {kind}):\n{text}")
    values = {key: int(value) for key, value in (word.split("=") for word in found[1].split())}
    if any(values[one] for one in fatal) or not values["requests"]:
        example = re.search(r"^EXAMPLE (.*)$", text, re.MULTILINE)
        raise StackError(f"{name}, {kind}: of {values['requests']} answers {values['wrong']} were wrong, "
                         f"{values['broken']} were incomplete; {example[1] if example else ''}")
    times = {f"{one}_ms": values[one] / 1e3 for one in ("p50", "p99", "p999", "max") if one in values}
    refused = {"refused": values["refused"]} if "refused" in values else {}
    return {"rate": values["requests"] / values["microseconds"] * 1e6, **times, **refused, "requests": values["requests"],
            "bytes_each": values["bytes"] / values["requests"]}


def request(subject, path, fields=None, key=True, status=200):
    """Return (head as in FastCGI, body) of one answer, which must have that status."""
    connection = http.client.HTTPConnection("127.0.0.1", subject.port, timeout=20)
    headers = {"Authorization": f"Bearer {subject.key}"} if key else {}
    if fields:
        headers["Content-Type"] = "application/json"
    connection.request("POST" if fields else "GET", path, json.dumps(fields) if fields else None, headers)
    response = connection.getresponse()
    body = response.read()
    connection.close()
    if response.status != status:
        raise StackError(f"{subject.name}: {response.status} {body[:300]!r}")
    head = "".join(f"{name}: {value}\r\n" for name, value in response.getheaders() if name.lower() not in NOT_OURS)
    return f"Status: {status} {response.reason}\r\n{head}", body


def sign_up(subject, **fields):
    """Sign up one lead like those of the client's script; return (head, body)."""
    return request(subject, subject.path % subject.campaigns[0],
                   {"email": f"{fresh_seed()}@bench.example", "first_name": "Ada", "last_name": "Lovelace", "plan": "pro",
                    "utm_source": "news", "utm_campaign": "launch", "ip": "203.0.113.7", **fields})
