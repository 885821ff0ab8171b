# SPDX-License-Identifier: MIT
"""A steady load of sign-ups, which does not depend on the answers, and checks of the installation after it."""
import asyncio
import collections
import contextlib
import dataclasses
import itertools
import json
import threading
import time

from .process import StackError, wait_until
from .receiver import Receiver

RATE = 200  # sign-ups a second
TIMEOUT = 40  # longer than a working host needs for any answer
FAST = 1.0  # seconds; a service at full speed answers within this time
DRAIN_SECONDS = 120
EQUAL_SECONDS = 10
IN_FLIGHT = 512  # dispatch.in_flight: the most that a dispatcher can have in flight


class Inbox(Receiver):
    """Counts the deliveries by webhook-id, without their bodies. `delay`: seconds until each answer."""

    def __init__(self, delay=0):
        super().__init__()
        self.delay = delay
        self.count = collections.Counter()
        self.events = set()  # (email, event)
        self.sender = None  # the User-Agent of the last delivery, which names its host

    def take(self, path, headers, body):
        payload = json.loads(body)
        answer = super().take(path, headers, b"")
        with self._lock:
            self.deliveries.clear()
            self.sender = headers["user-agent"]
            self.count[headers["webhook-id"]] += 1
            self.events.add((payload["email"], payload["__event"]))
        answer.delay = self.delay
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
    number: int = None  # the subscription number of an accepted sign-up

    @property
    def failed(self):
        return self.status != 200

    @property
    def ended(self):
        return self.sent + self.took


class Load:
    """Sends `rate` sign-ups a second to the ports in turn, from its own thread, however long the answers take."""

    def __init__(self, ports, key, campaigns, rate=RATE, prefix="load"):
        self.ports, self.key, self.campaigns, self.rate, self.prefix = ports, key, campaigns, rate, prefix
        self.calls, self.begun, self.seconds = [], None, float("inf")
        self.examples = {}  # {status: an answer with this status}
        self.skipped = set()  # ports that get no calls for now, as if a load balancer had found them unhealthy
        self._stop = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._run()), daemon=True)

    def start(self):
        self.begun = time.monotonic()
        self._thread.start()
        return self

    def end_after(self, seconds):
        """Make the load stop by itself."""
        self.seconds = seconds

    def now(self):
        return time.monotonic() - self.begun

    def stop(self):
        """Stop, and return when every call has its answer."""
        self._stop.set()
        self.join()

    def join(self):
        """Return when it has ended by itself and every call has its answer."""
        rest = max(0, self.seconds - self.now()) if self.seconds < float("inf") and not self._stop.is_set() else 0
        self._thread.join(rest + TIMEOUT + 20)
        if self._thread.is_alive():
            raise StackError("the load does not end")

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
                call = self._next()
                ports = [port for port in self.ports if port not in self.skipped] or self.ports
                task = asyncio.create_task(self._send(call, ports[number // len(self.campaigns) % len(ports)]))
                tasks.add(task)
                task.add_done_callback(tasks.discard)
            await asyncio.sleep(1 / self.rate)
        if tasks:
            await asyncio.wait(tasks)

    def _next(self):
        number = len(self.calls)
        self.calls.append(Call(f"{self.prefix}{number}@example.org", self.campaigns[number % len(self.campaigns)], self.now()))
        return self.calls[-1]

    async def _send(self, call, port):
        with contextlib.suppress(OSError, EOFError, ValueError, IndexError, TimeoutError, asyncio.TimeoutError):
            head, body = await asyncio.wait_for(self._exchange(call, port), TIMEOUT)
            call.retry_after = b"retry-after:" in head.lower()
            status = int(head.split(b" ", 2)[1])
            if status == 200:
                call.number = json.loads(body)["subscription_number"]
            elif status not in self.examples:
                self.examples[status] = (head + b"\r\n\r\n" + body[:500]).decode(errors="replace")
            call.status = status
        call.took = self.now() - call.sent

    async def _exchange(self, call, port):
        body = json.dumps({"email": call.email, "first_name": "Ada", "plan": "pro"})
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        try:
            writer.write(f"POST /v2/{call.campaign} HTTP/1.1\r\nHost: cluster\r\nAuthorization: Bearer {self.key}\r\n"
                         f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n"
                         f"Connection: close\r\n\r\n{body}".encode())
            head, _, text = (await reader.read(-1)).partition(b"\r\n\r\n")
            return head, text
        finally:
            writer.close()

    def figures(self, begin=0, end=float("inf")):
        """Return figures about the calls that were sent in that time: numbers of calls, and the number of seconds in which calls
        were sent that failed (error_seconds), or that failed or took longer than FAST (slow_seconds)."""
        calls = [call for call in self.calls if call.took is not None and begin <= call.sent < end]
        failed = [call for call in calls if call.failed]
        slow = [call for call in calls if call.failed or call.took > FAST]
        answered = sorted(call.ended for call in calls if not call.failed)
        gaps = [later - sooner for sooner, later in zip(answered, answered[1:])]
        return {"sent": len(calls), "accepted": len(calls) - len(failed),
                "statuses": dict(sorted(collections.Counter(str(call.status) for call in calls).items())),
                "without_retry_after": sum(call.status == 503 and not call.retry_after for call in calls),
                "error_seconds": len({int(call.sent) for call in failed}),
                "slow_seconds": len({int(call.sent) for call in slow}),
                "longest_without_success": round(max(gaps, default=0), 1),
                "slowest": round(max((call.took for call in calls), default=0), 1)}


class Clients(Load):
    """A load of `count` clients for each port, each of which sends its next sign-up after the answer to the last one."""

    def __init__(self, ports, key, campaigns, count, prefix="client"):
        super().__init__(ports, key, campaigns, prefix=prefix)
        self.count = count

    async def _run(self):
        await asyncio.gather(*(self._client(port) for port in self.ports for _ in range(self.count)))

    async def _client(self, port):
        while not self._stop.is_set() and self.now() < self.seconds:
            await self._send(self._next(), port)


def stored_leads(hosts):
    """Return {email: [(campaign, subscription number)]}."""
    found = collections.defaultdict(list)
    for row in hosts.sql("SELECT email, campaign_id, subscription_number FROM lh_leads").splitlines():
        email, campaign, number = row.split("\t")
        found[email].append((int(campaign), int(number)))
    return found


def check_leads(stored, calls, others):
    """Return the problems with the leads, as sentences."""
    def some(emails):
        return f"{len(emails)} ({', '.join(emails[:3])}, …)"
    accepted = [call for call in calls if call.status == 200]
    lost = [call.email for call in accepted if call.email not in stored]
    if lost:
        yield f"accepted sign-ups are lost: {some(lost)}"
    several = [email for email, places in stored.items() if len(places) > 1]
    if several:
        yield f"leads exist more than once: {some(several)}"
    different = [call.email for call in accepted if (call.campaign, call.number) not in stored.get(call.email, [])]
    if len(different) > len(lost):
        yield f"sign-ups were answered with another number than their lead's: {some(different)}"
    unknown = set(stored) - {call.email for call in calls} - set(others)
    if unknown:
        yield f"leads were never sent: {some(sorted(unknown))}"
    numbers = collections.defaultdict(list)
    for campaign, number in itertools.chain.from_iterable(stored.values()):
        numbers[campaign].append(number)
    for campaign, given in numbers.items():
        if sorted(given) != list(range(1, len(given) + 1)):
            yield f"the {len(given)} numbers of campaign {campaign} are not dense"


def check(hosts, inbox, loads, twice=0, others=()):
    """Return (figures, problems as sentences) after the loads. `twice`: how many deliveries may have been sent twice; `others`:
    emails of further leads."""
    begun = time.monotonic()

    def waiting():
        return int(hosts.sql("SELECT COUNT(*) FROM lh_due"))
    with contextlib.suppress(StackError):
        wait_until(lambda: waiting() == 0, DRAIN_SECONDS, "all deliveries are done")
    figures = {"drain_seconds": round(time.monotonic() - begun, 1), "twice": inbox.twice()}
    stored = stored_leads(hosts)
    wrong = list(check_leads(stored, [call for load in loads for call in load.calls], others))
    if waiting():
        wrong.append(f"{waiting()} deliveries still wait")
    silent = [email for email in stored if (email, "new_signup") not in inbox.events]
    if silent:
        wrong.append(f"{len(silent)} leads without their event, {silent[:3]} among them")
    if inbox.twice() > twice:
        wrong.append(f"{inbox.twice()} deliveries were sent twice, more than {twice}")
    try:
        hosts.admin("check", "--deep", timeout=300)
    except StackError as error:
        wrong.append(str(error))
    return figures, wrong


def equal_nodes(hosts):
    """Return the tables that differ between the nodes, which must all be synced. A dispatcher may change a table between the
    answers of two nodes, so tables that differ are read again, for EQUAL_SECONDS after the first reading."""
    database = hosts.first.setting("database", "name")
    nodes = hosts.database.nodes
    tables = nodes[0].sql("SHOW TABLES", database).split()

    def equal():
        nonlocal tables
        question = f"SET SESSION wsrep_sync_wait = 1; CHECKSUM TABLE {', '.join(tables)}"
        sums = [node.sql(question, database).splitlines() for node in nodes]
        tables = [table for table, *found in zip(tables, *sums) if len(set(found)) > 1]
        return not tables
    if not equal():
        with contextlib.suppress(StackError):
            wait_until(equal, EQUAL_SECONDS, "all nodes have the same rows")
    return tables
