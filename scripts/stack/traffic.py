# SPDX-License-Identifier: MIT
"""A steady load of sign-ups, whatever the answers, and what must be true of an installation after it."""
import asyncio
import collections
import contextlib
import dataclasses
import json
import threading
import time

from .process import StackError, wait_until
from .receiver import Receiver

RATE = 200  # sign-ups a second
TIMEOUT = 40  # longer than any answer of a host that works
FAST = 1.0  # seconds: the answers of a service at full speed
DRAIN_SECONDS = 180
IN_FLIGHT = 256  # dispatch.in_flight: what a dispatcher can have under way


class Inbox(Receiver):
    """Counts the deliveries by webhook-id, without their bodies."""

    def __init__(self):
        super().__init__()
        self.count = collections.Counter()
        self.events = set()  # (email, event)

    def take(self, path, headers, body):
        payload = json.loads(body)
        answer = super().take(path, headers, b"")
        with self._lock:
            self.deliveries.clear()
            self.count[headers["webhook-id"]] += 1
            self.events.add((payload["email"], payload["__event"]))
        return answer

    def twice(self):
        with self._lock:
            return sum(count - 1 for count in self.count.values())


@dataclasses.dataclass
class Call:
    email: str
    campaign: int
    sent: float  # seconds since the start of the load
    took: float = None
    status: int = None  # None: no answer
    retry_after: bool = False
    number: int = None  # the subscription number of an accepted one

    @property
    def failed(self):
        return self.status != 200

    @property
    def ended(self):
        return self.sent + self.took


class Load:
    """Sends `rate` sign-ups a second to the ports in turn, from a thread of its own, however long the answers take."""

    def __init__(self, ports, key, campaigns, rate=RATE, prefix="load"):
        self.ports, self.key, self.campaigns, self.rate, self.prefix = ports, key, campaigns, rate, prefix
        self.calls, self.begun, self.seconds = [], None, float("inf")
        self.skipped = set()  # ports that get nothing for now, as from a balancer
        self._stop = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._run()), daemon=True)

    def start(self):
        self.begun = time.monotonic()
        self._thread.start()
        return self

    def end_after(self, seconds):
        """Make it stop by itself."""
        self.seconds = seconds

    def now(self):
        return time.monotonic() - self.begun

    def stop(self):
        """Returns when every call has its answer."""
        if self.seconds == float("inf"):
            self._stop.set()
        self._thread.join(TIMEOUT + 20 + (0 if self._stop.is_set() else self.seconds))
        if self._thread.is_alive():
            raise StackError("the load does not end")
        return self

    def __enter__(self):
        return self.start()

    def __exit__(self, *_):
        self.stop()

    def accepted(self):
        return [call for call in list(self.calls) if call.status == 200]

    async def _run(self):
        tasks = set()
        while not self._stop.is_set() and self.now() < self.seconds:
            due = int(self.now() * self.rate)
            for number in range(len(self.calls), due):
                call = Call(f"{self.prefix}{number}@example.org", self.campaigns[number % len(self.campaigns)], self.now())
                self.calls.append(call)
                ports = [port for port in self.ports if port not in self.skipped] or self.ports
                task = asyncio.create_task(self._send(call, ports[number // len(self.campaigns) % len(ports)]))
                tasks.add(task)
                task.add_done_callback(tasks.discard)
            await asyncio.sleep(1 / self.rate)
        if tasks:
            await asyncio.wait(tasks)

    async def _send(self, call, port):
        with contextlib.suppress(OSError, EOFError, ValueError, IndexError, TimeoutError, asyncio.TimeoutError):
            head, body = await asyncio.wait_for(self._exchange(call, port), TIMEOUT)
            call.retry_after = b"retry-after:" in head.lower()
            status = int(head.split(b" ", 2)[1])
            if status == 200:
                call.number = json.loads(body)["subscription_number"]
            call.status = status
        call.took = self.now() - call.sent

    async def _exchange(self, call, port):
        body = json.dumps({"email": call.email, "first_name": "Ada", "plan": "pro"})
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        try:
            writer.write(f"POST /v2/{call.campaign} HTTP/1.1\r\nHost: cluster\r\nAuthorization: Bearer {self.key}\r\n"
                         f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n{body}".encode())
            head, _, text = (await reader.read(-1)).partition(b"\r\n\r\n")
            return head, text
        finally:
            writer.close()

    # --- figures ---

    def figures(self):
        """What clients saw. Seconds are those between the sending of the first and of the last call that failed, and from the first
        slow or failed call until all later ones were fast again."""
        calls = [call for call in self.calls if call.took is not None]
        failed = [call for call in calls if call.failed]
        slow = [call for call in calls if call.failed or call.took > FAST]
        answered = sorted(call.ended for call in calls if not call.failed)
        gaps = [later - sooner for sooner, later in zip([0, *answered], answered)]
        return {"sent": len(calls), "accepted": len(calls) - len(failed),
                "statuses": dict(sorted(collections.Counter(str(call.status) for call in calls).items())),
                "without_retry_after": sum(call.status == 503 and not call.retry_after for call in calls),
                "error_seconds": round(failed[-1].sent - failed[0].sent, 1) if failed else 0,
                "slow_seconds": round(slow[-1].sent - slow[0].sent, 1) if slow else 0,
                "longest_without_success": round(max(gaps, default=0), 1),
                "slowest": round(max((call.took for call in calls), default=0), 1)}


def check(hosts, inbox, loads, twice=0):
    """After the loads: (figures, what is wrong, as sentences). `twice`: how many deliveries may have been sent twice."""
    calls = [call for load in loads for call in load.calls]
    accepted = {call.email: call for call in calls if call.status == 200}
    figures, wrong = {}, []

    def must(condition, sentence):
        if not condition:
            wrong.append(sentence)

    def waiting():
        return int(hosts.sql("SELECT COUNT(*) FROM lh_due"))
    begun = time.monotonic()
    with contextlib.suppress(StackError):
        wait_until(lambda: waiting() == 0, DRAIN_SECONDS, "all deliveries are done")
    figures["drain_seconds"] = round(time.monotonic() - begun, 1)
    must(waiting() == 0, f"{waiting()} deliveries still wait")

    stored = collections.defaultdict(list)
    for row in hosts.sql("SELECT email, campaign_id, subscription_number FROM lh_leads").splitlines():
        email, campaign, number = row.split("\t")
        stored[email].append((int(campaign), int(number)))
    lost = [email for email in accepted if email not in stored]
    must(not lost, f"{len(lost)} accepted sign-ups are lost, {lost[:3]} among them")
    several = [email for email, places in stored.items() if len(places) > 1]
    must(not several, f"{len(several)} leads exist more than once, {several[:3]} among them")
    other = [call.email for call in accepted.values() if call.email in stored and (call.campaign, call.number) not in stored[call.email]]
    must(not other, f"{len(other)} sign-ups were answered with another number than their lead's")
    unknown = set(stored) - {call.email for call in calls}
    must(not unknown, f"{len(unknown)} leads were never sent")
    numbers = collections.defaultdict(list)
    for places in stored.values():
        for campaign, number in places:
            numbers[campaign].append(number)
    for campaign, given in numbers.items():
        must(sorted(given) == list(range(1, len(given) + 1)), f"the {len(given)} numbers of campaign {campaign} are not dense")

    silent = [email for email in stored if (email, "new_signup") not in inbox.events]
    must(not silent, f"{len(silent)} leads without their event, {silent[:3]} among them")
    figures["twice"] = inbox.twice()
    must(figures["twice"] <= twice, f"{figures['twice']} deliveries were sent twice, more than {twice}")
    try:
        hosts.admin("check", "--deep", timeout=300)
    except StackError as error:
        wrong.append(str(error))
    figures["lost"] = len(lost)
    return figures, wrong


def equal_nodes(hosts):
    """Tables that differ between nodes, all of which must be synced."""
    database = hosts.first.setting("database", "name")
    nodes = hosts.database.nodes
    tables = nodes[0].sql("SHOW TABLES", database).split()
    sums = [node.sql(f"SET SESSION wsrep_sync_wait = 1; CHECKSUM TABLE {', '.join(tables)}", database).splitlines() for node in nodes]
    return [table for table, *found in zip(tables, *sums) if len(set(found)) > 1]
