# SPDX-License-Identifier: MIT
"""Workload metrics: the cost of GET /metrics, by itself and during sign-ups."""
import threading
import time
from concurrent.futures import ThreadPoolExecutor

from stack.process import StackError

from .bench import Goal, outcome
from .client import request, sign_up
from .deliver import WEBHOOKS, hook_url
from .growth import costing
from .measures import processor_seconds
from .sets import Queue
from .subjects import Leadhook

PAUSE = 1  # seconds between two calls; Prometheus' default is 60
TOKEN = "bench-metrics-token"


class Page:
    """The metrics of a running subject, for `request`."""

    name, key = "metrics", TOKEN

    def __init__(self, subject):
        self.port = subject.port

    def read(self):
        if b"leadhook_deliveries_due " not in request(self, "/metrics")[1]:
            raise StackError("the page lacks the numbers of the database")


def read_until(ended, page):
    while not ended.wait(PAUSE):
        page.read()


def beside(page, measure):
    """Return a function that measures while the page is read."""
    def both():
        ended = threading.Event()
        with ThreadPoolExecutor(1) as pool:
            reading = pool.submit(read_until, ended, page)
            try:
                return measure()
            finally:
                ended.set()
                reading.result()
    return both


def alone(bench, subject, page):
    """Return the processor time of calls to an idle service, minus that of the idle service."""
    pids = [bench.database.child.pid, *subject.pids]

    def share(call, seconds):
        before, begun = processor_seconds(pids), time.monotonic()
        for _ in range(seconds // PAUSE):
            call()
            time.sleep(PAUSE)
        return (processor_seconds(pids) - before) / (time.monotonic() - begun)

    seconds = bench.options.seconds
    time.sleep(seconds)  # the database writes pages after the sign-ups
    idle = share(lambda: None, seconds)
    # The database is read only once in 100 times the time that reading it takes.
    return {"percent": (share(page.read, 6 * seconds) - idle) / bench.machine["cores"] * 100}


def with_due(bench, count):
    """Return a subject with this many due deliveries in its first campaign, which has no sign-ups."""
    subject = Leadhook(bench).start()
    sign_up(subject)
    subject.stop()
    queue = Queue(subject)
    queue.add(count, queue.add_webhooks(WEBHOOKS, hook_url(bench)))
    queue.make_due()
    subject.set_words = {"campaigns": len(subject.campaigns) - 1, "first_campaign": subject.campaigns[1]}
    subject.installation.configure([("metrics", "token", TOKEN)])
    return subject.start()


def metrics(bench):
    """Measure the page, which counts the due deliveries."""
    due = bench.sizes[-1]
    subject = with_due(bench, due)
    page = Page(subject)
    create = costing(bench, subject, "create", bench.options.seconds)
    rounds = bench.interleave({"create": create, "create, page read": beside(page, create)})
    rounds["page"] = [alone(bench, subject, page)]
    subject.stop()
    return outcome(rounds, [Goal("page", "percent", "<=", 1)], due=due, seconds_between_calls=PAUSE)
