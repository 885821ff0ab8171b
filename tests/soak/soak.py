# SPDX-License-Identifier: MIT
"""Mixed load for minutes, a tenth of it invalid, while processes are killed and the database is restarted.

At the end the signed webhook of every accepted sign-up must have arrived, `leadhook check --deep` must have no findings, and
no process's memory or descriptors may have grown in the last phase, without kills. scripts/soak starts it.
"""
import argparse
import collections
import contextlib
import http.client
import itertools
import json
import os
import pathlib
import random
import shutil
import signal
import socket
import sys
import tempfile
import threading
import time

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TOP / "scripts"), str(TOP / "tests/system/helpers")]

from processes import children, committer, proportional_size  # noqa: E402
from service import Service  # noqa: E402
from stack.mariadb import MariaDB  # noqa: E402
from stack.process import StackError, wait_until  # noqa: E402
from stack.receiver import Receiver, verified  # noqa: E402

CLIENTS = 6
GARBAGE = 0.1
KILL_SECONDS = (3, 12)
RESTART_DATABASE_SECONDS = 150
CALM_SHARE = 1 / 3  # share of the time, at its end, without kills, in which memory and descriptors are measured
SETTLE_SHARE = 1 / 3  # share of that phase in which caches fill
SAMPLES = 20  # in the rest of that phase
MINUTES_MIN = 2
DRAIN_SECONDS = 600
START_SECONDS = 8  # at most, until a restarted parent serves, under load
GROWTH_BYTES, GROWTH_SHARE = 2 * 1024 * 1024, 1.15
OWN_FILES = 24  # descriptors of a process without connections
IN_FLIGHT = 256  # connections that a dispatcher keeps open, at most


class Tally(Receiver):
    """Records leads and events without bodies; refuses one delivery in fifty."""

    def __init__(self):
        super().__init__()
        self.seen = set()
        self.count = self.unsigned = self.refused = 0

    def take(self, path, headers, body):
        answer = super().take(path, headers, b"")
        payload = json.loads(body)
        with self._lock:
            self.deliveries.clear()
            self.count += 1
            self.unsigned += not verified(self.secrets, headers, body)
            if random.random() < 0.02:
                self.refused += 1
                answer.status = 503
            else:
                self.seen.add((payload["email"], payload["__event"]))
        return answer


class Soak:
    def __init__(self, folder, build, seed):
        self.seed = seed
        self.database = MariaDB(folder / "mariadb", folder / "mariadb.sock", buffer_pool="256M")
        (folder / "mariadb").mkdir()
        (folder / "service").mkdir()
        self.service = Service(folder / "service", build, self.database, workers="auto", settings=[
            ("dispatch", "schedule", "1s 2s 5s 10s 30s 1m 1m 1m 1m 1m 1m 1m"), ("dispatch", "breaker_max_wait", "2s"),
            ("dispatch", "breaker_wait", "1s"), ("limits", "deletes_per_account", "")])
        self.service.receiver = Tally()
        self.accepted, self.statuses = {}, collections.Counter()
        self.internal = []  # answers 500 of the programs; those of the web server result from kills
        self.send, self.service.client.request = self.service.client.request, self.request
        self.kills, self.slowest_start = collections.Counter(), 0
        self.numbers, self.stop = itertools.count(), threading.Event()
        self.lock = threading.Lock()

    def start(self):
        self.database.create().start()
        self.service.start()
        self.service.dispatcher.start()
        account = self.service.account()
        self.campaigns = [self.service.campaign(account, points_signup=1, points_direct=5, points_indirect=1) for _ in range(4)]
        for campaign in self.campaigns:
            campaign.webhook("new_signup", "score_change", "tagged", "opted_out", "deleted")
            campaign.define("tag", "VIP", "--points", 3)
            campaign.define("reward", "Ten", "--required-points", 10)

    def request(self, *words, **options):
        response = self.send(*words, **options)
        if response.status == 500 and "X-Request-Id" in response.headers:
            self.internal.append(response.body)
        return response

    # --- load ---

    def client(self, seed):
        """Act as one client: sign-ups, and further calls for their leads."""
        chance, mine = random.Random(seed), collections.deque(maxlen=200)
        while not self.stop.is_set():
            try:
                if chance.random() < GARBAGE:
                    status = self.garbage(chance)
                else:
                    status = self.call(chance, mine)
            except (OSError, http.client.HTTPException):
                status = "broken"
            with self.lock:
                self.statuses[status] += 1
            if status in (503, "broken"):
                self.stop.wait(0.05)

    def call(self, chance, mine):
        campaign = chance.choice(self.campaigns)
        kind = chance.random()
        if kind < 0.5 or not mine:
            return self.sign_up(campaign, chance, mine)
        campaign, email, social_id = chance.choice(mine)
        calls = [lambda: campaign.post({"email": email, "note": str(chance.random())}),
                 lambda: campaign.get({"email": email}), lambda: campaign.get({"social_id": social_id}, key=None),
                 lambda: campaign.get({}, path="/leaderboard"), lambda: campaign.get({"limit": 20}, path="/leads"),
                 lambda: campaign.post({"social_id": social_id, "points": chance.randint(-5, 20)}, path="/points"),
                 lambda: campaign.post({"email": email, "tag": "VIP"}, path="/tag"),
                 lambda: campaign.post({"emails": [email]}, path="/verify"),
                 lambda: campaign.post({"emails": [email]}, path="/optout"),
                 lambda: campaign.post({"email": email}, key=None)]
        if chance.random() < 0.02:
            calls = [lambda: campaign.delete({"email": email})]
        return chance.choice(calls)().status

    def sign_up(self, campaign, chance, mine):
        email = f"soak{next(self.numbers)}@example.org"
        fields = {"email": email, "first_name": "Ada", "plan": chance.choice(["free", "pro"])}
        if mine and chance.random() < 0.3:
            fields["kid"] = chance.choice(mine)[2]
        response = campaign.post(fields)
        if response.status == 200:
            with self.lock:
                self.accepted[email] = response.json["social_id"]
            mine.append((campaign, email, response.json["social_id"]))
        return response.status

    def garbage(self, chance):
        kind = chance.randrange(6)
        noise = chance.randbytes(chance.randrange(1, 3000))
        campaign = chance.choice(self.campaigns)
        if kind == 0:  # without the web server
            return self.send_bytes(socket.AF_UNIX, str(self.service.installation.socket), noise)
        if kind == 1:  # a request with a valid start
            head = f"POST {campaign.path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 5000\r\n\r\n"
            return self.send_bytes(socket.AF_INET, ("127.0.0.1", self.service.front.port), head.encode() + noise)
        if kind == 2:
            return campaign.client.request("POST", campaign.path, body=noise, type=chance.choice(
                ["application/json", "text/plain", "multipart/form-data; boundary=x", "application/x-www-form-urlencoded"])).status
        if kind == 3:
            return campaign.get({"email": noise.decode("latin-1")[:200]}, key="lh_" + "x" * 43).status
        if kind == 4:
            return campaign.post({"email": noise.decode("latin-1")[:300], "custom": [noise.hex()] * 5}).status
        return campaign.client.request(chance.choice(["GET", "PUT", "DELETE"]), f"/v2/{noise.hex()[:40]}").status

    @staticmethod
    def send_bytes(family, address, data):
        with socket.socket(family) as connection:
            connection.settimeout(5)
            connection.connect(address)
            connection.sendall(data)
            connection.shutdown(socket.SHUT_WR)
            with contextlib.suppress(TimeoutError):
                connection.recv(1000)
        return "sent"

    # --- failures ---

    def kill_one(self):
        parent = self.service.responders.pid
        what = random.choice(["worker", "worker", "worker", "committer", "committer", "dispatcher", "dispatcher", "parent", "hup"])
        if what == "parent":
            self.service.responders.kill()
            self.restart_parent()
        elif what == "dispatcher":
            self.service.dispatcher.kill()
        elif what == "hup":
            self.service.responders.send(signal.SIGHUP)
        else:
            pid = committer(parent) if what == "committer" else random.choice(children(parent) or [0])
            if pid == 0:
                return
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.kills[what] += 1

    def restart_dead(self):
        """Restart dead programs, as a supervisor does."""
        for child in (self.service.responders, self.service.dispatcher):
            if not child.alive():
                child.start()

    def restart_parent(self):
        """Wait until the service serves again: remaining processes must not delay the start."""
        begun = time.monotonic()

        def serves():
            self.restart_dead()
            return self.service.client.healthy()
        wait_until(serves, 60, "the service serves again")
        self.slowest_start = max(self.slowest_start, time.monotonic() - begun)

    def restart_database(self):
        self.database.child.kill()
        self.kills["database"] += 1
        self.stop.wait(random.uniform(0, 3))
        self.database.start()

    def cause_failures(self, until):
        next_kill, next_restart = 0, time.monotonic() + RESTART_DATABASE_SECONDS / 2
        while time.monotonic() < until:
            now = time.monotonic()
            if now >= next_kill:
                self.kill_one()
                next_kill = now + random.uniform(*KILL_SECONDS)
            if now >= next_restart:
                self.restart_database()
                next_restart = time.monotonic() + RESTART_DATABASE_SECONDS
            self.restart_dead()
            self.stop.wait(0.2)

    # --- memory and descriptors ---

    def resources(self):
        """Return {role: (bytes, descriptors)}; for workers, their average."""
        parent = self.service.responders.pid
        workers = [pid for pid in children(parent) if pid != committer(parent)]
        roles = {"parent": [parent], "committer": [committer(parent)], "workers": workers, "dispatcher": [self.service.dispatcher.pid]}
        return {role: (sum(map(proportional_size, pids)) // len(pids),
                       sum(len(os.listdir(f"/proc/{pid}/fd")) for pid in pids) / len(pids)) for role, pids in roles.items()}

    def sample(self, until):
        rest = until - time.monotonic()
        self.stop.wait(rest * SETTLE_SHARE)
        samples = [self.resources()]
        for _ in range(SAMPLES):
            self.stop.wait(rest * (1 - SETTLE_SHARE) / SAMPLES)
            samples.append(self.resources())
        return samples

    # --- the run ---

    def run(self, minutes):
        end = time.monotonic() + minutes * 60
        threads = [threading.Thread(target=self.client, args=(self.seed + number,), daemon=True) for number in range(CLIENTS)]
        for thread in threads:
            thread.start()
        self.cause_failures(end - minutes * 60 * CALM_SHARE)
        self.restart_dead()
        samples = self.sample(end)
        self.stop.set()
        for thread in threads:
            thread.join()
        return samples

    def waiting(self):
        status = self.service.installation.admin("status")
        return status["due_now"] + status["due_later"] + status["bulk_jobs"]

    def findings(self, samples):
        """Return the errors, as sentences."""
        wrong = []
        try:
            wait_until(lambda: self.waiting() == 0, DRAIN_SECONDS, "all deliveries and bulk calls are done")
        except StackError as error:
            wrong.append(f"{error}: {self.waiting()} are waiting")
        check = self.service.installation.admin("check", "--deep", timeout=600)
        if not check["ok"]:
            wrong.append(f"check --deep: {check['findings']}")
        tally = self.service.receiver
        missing = [email for email in self.accepted if (email, "new_signup") not in tally.seen]
        if missing:
            wrong.append(f"{len(missing)} accepted sign-ups without their event, {missing[:3]} among them")
        if self.internal:
            wrong.append(f"{len(self.internal)} internal errors, {self.internal[0]} among them")
        if self.slowest_start > START_SECONDS:
            wrong.append(f"after a kill, the parent served again only after {self.slowest_start:.1f} s")
        if tally.unsigned:
            wrong.append(f"{tally.unsigned} deliveries were not signed")
        # The committer accepts a connection from each worker, at the latest with the worker's first command.
        connections = {"committer": len(children(self.service.responders.pid)) - 1, "dispatcher": IN_FLIGHT}
        for role, (first_bytes, first_files) in samples[0].items():
            last_bytes, last_files = samples[-1][role]
            if last_bytes > first_bytes * GROWTH_SHARE + GROWTH_BYTES:
                wrong.append(f"{role}: memory grew from {first_bytes} to {last_bytes} bytes")
            most = OWN_FILES + connections.get(role, 0)
            if last_files > max(most, first_files):
                wrong.append(f"{role}: descriptors grew from {first_files} to {last_files}, more than {most}")
        return wrong

    def report(self, samples):
        tally = self.service.receiver
        print(f"answers: {dict(sorted(self.statuses.items(), key=str))}")
        print(f"killed: {dict(self.kills)}; slowest restart: {self.slowest_start:.1f} s")
        print(f"sign-ups accepted: {len(self.accepted)}; deliveries received: {tally.count}, of which refused: {tally.refused}")
        for role, first in samples[0].items():
            last = samples[-1][role]
            print(f"{role}: {first[0] / 2**20:.1f} MiB, {first[1]:.1f} descriptors; at the end {last[0] / 2**20:.1f} MiB, {last[1]:.1f}")

    def close(self):
        self.service.stop()
        self.database.stop()


def main():
    parser = argparse.ArgumentParser(prog="scripts/soak")
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--build", required=True)
    parser.add_argument("--seed", type=int, default=random.randrange(10 ** 9))
    options = parser.parse_args()
    if options.minutes < MINUTES_MIN:
        parser.error(f"at least {MINUTES_MIN} minutes, otherwise growth cannot be measured")
    random.seed(options.seed)
    print(f"--seed {options.seed}", flush=True)
    folder = pathlib.Path(tempfile.mkdtemp(prefix="leadhook-soak-"))
    folder.chmod(0o755)
    print(f"in {folder}", flush=True)
    soak = Soak(folder, pathlib.Path(options.build), options.seed)
    try:
        soak.start()
        samples = soak.run(options.minutes)
        wrong = soak.findings(samples)
        soak.report(samples)
    finally:
        soak.close()
    for sentence in wrong:
        print(f"WRONG: {sentence}")
    if wrong:
        return 1
    shutil.rmtree(folder)
    print("no errors")
    return 0


if __name__ == "__main__":
    sys.exit(main())
