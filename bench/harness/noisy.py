# SPDX-License-Identifier: MIT
"""Workload noisy-neighbour: sign-ups of other accounts while one account sends a flood of the most expensive calls."""
import time
from concurrent.futures import ThreadPoolExecutor

from .bench import Goal, outcome
from .client import drive, request
from .running import LARGE_FIELDS
from .subjects import LOOPBACK_HOOK, Leadhook

LEADS, WEBHOOKS = 250, 20  # the maxima of a call and of a campaign
PACE = 50                  # sign-ups a second
CONNECTIONS = 8
LEAD_IN = 2                # seconds of flood before the sign-ups, and after them


class Noisy:
    """An account of a running subject, with the attributes that `drive` needs."""

    name = "noisy"

    def __init__(self, subject, leads):
        admin = subject.installation.admin
        account = str(admin("account", "add", "Noisy")["id"])
        self.key = admin("key", "add", account)["key"]
        self.campaigns = [admin("campaign", "add", account, "Noisy")["id"]]
        self.path, self.port, self.leads = subject.path, subject.port, leads
        for number in range(1, leads + 1):
            request(self, self.path % self.campaigns[0], {"email": f"flood{number}@bench.example", **LARGE_FIELDS})
        for number in range(WEBHOOKS):
            url = LOOPBACK_HOOK.format(port=subject.bench.receiver_port, number=f"noisy{number}")
            admin("webhook", "add", str(self.campaigns[0]), url, "score_change")

    def flood(self, bench, seconds):
        """Run the client once. Calls are queued (202); once the queue is full, they are refused (429)."""
        return drive(bench, self, "points", seconds, leads=self.leads, status=202, expect='"updated":', also=429)


def noisy_neighbour(bench):
    subject = Leadhook(bench).start()
    noisy = Noisy(subject, LEADS)
    seconds = bench.options.seconds

    def others():
        return drive(bench, subject, "create", seconds, connections=CONNECTIONS, pace=PACE)

    def beside():
        subject.sql("DELETE FROM lh_bulk_jobs")
        with ThreadPoolExecutor(1) as pool:
            flood = pool.submit(noisy.flood, bench, seconds + 2 * LEAD_IN)
            time.sleep(LEAD_IN)
            found = others()
            calls = flood.result()
        return {**found, "flood_rate": calls["rate"]}
    rounds = bench.interleave({"alone": others, "beside a flood": beside})
    subject.stop()
    return outcome(rounds, [Goal("beside a flood", "p50_ms", "<=", 20), Goal("beside a flood", "p99_ms", "<=", 250)],
                   pace=PACE, flood_connections=bench.options.connections, leads=LEADS, webhooks=WEBHOOKS)
