# SPDX-License-Identifier: MIT
"""The receiver of all deliveries (bench/receiver.c)."""
import http.client
import json
import time

from stack.front import accepts
from stack.process import Child, StackError, wait_until

POLL_SECONDS = 0.05


class Receiver:
    def __init__(self, bench):
        self.port = bench.receiver_port
        self.child = Child("receiver", [bench.program("bench/receiver"), self.port], bench.folder / "receiver.log")

    def start(self):
        self.child.start()
        self.child.ready(lambda: accepts(self.port))
        return self

    def stop(self):
        self.child.stop()

    def get(self, path):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        connection.request("GET", path)
        body = connection.getresponse().read()
        connection.close()
        return body

    def reset(self):
        self.get("/reset")

    def count(self):
        return int(self.get("/count"))

    def stats(self):
        return json.loads(self.get("/stats"))

    def wait_for(self, count, seconds, sender="dispatcher"):
        """Return the statistics once there are `count` deliveries, or after that time. Raise StackError if one was not an event."""
        end = time.monotonic() + seconds
        while self.count() < count and time.monotonic() < end:
            time.sleep(POLL_SECONDS)
        stats = self.stats()
        if stats["wrong"] or not stats["count"]:
            raise StackError(f"of {sender} the receiver got {stats['count']} deliveries, of which {stats['wrong']} were not events")
        return stats

    def settle(self, seconds=20):
        """Wait until a stopped dispatcher or loop has nothing in progress."""
        seen = [-1]

        def quiet():
            before, seen[0] = seen[0], self.count()
            return before == seen[0]
        wait_until(quiet, seconds, "the deliveries under way have ended")


def rates(stats, begun_ns):
    """Return the rates of a round of deliveries; delays count from the start of the sender."""
    seconds = (stats["last_ns"] - stats["first_ns"]) / 1e9
    return {"rate": (stats["count"] - 1) / seconds if seconds > 0 else float(stats["count"]), "deliveries": stats["count"],
            "delay_p50_ms": (stats["arrival_p50_ns"] - begun_ns) / 1e6,
            "delay_p99_ms": (stats["arrival_p99_ns"] - begun_ns) / 1e6,
            "first_ms": (stats["first_ns"] - begun_ns) / 1e6}
