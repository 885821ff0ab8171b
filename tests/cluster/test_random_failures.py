# SPDX-License-Identifier: MIT
"""docs/cluster.md 3: failures in a row, of random parts, for random times, at random moments, under load.

LEADHOOK_FAILURES is their number (scripts/check --long: 200), LEADHOOK_SEED repeats the random choices of a run.
"""
import random

from settings import TEST_SETTINGS
from stack.cluster import act
from stack.process import wait_until

FAILURES = int(TEST_SETTINGS.get("LEADHOOK_FAILURES", 5))
RATE = 100
SETTINGS = [("dispatch", "attempt_timeout", "3s"), ("dispatch", "lease", "18s")]
# What fails, what ends it, and the parts; dispatchers and responders are of three hosts.
NODE_KINDS = [("kill", "start", "node"), ("stop", "start", "node"), ("pause", "resume", "node"), ("isolate", "join", "node")]
KINDS = [*2 * NODE_KINDS, ("kill", "start", "dispatcher"), ("pause", "resume", "dispatcher"), ("kill", "start", "responders")]
LONGEST = 15  # seconds


def serving(one):
    return wait_until(one.database.proxy.writer, 60, "a node serves")


def test_random_failures(trial):
    """docs/cluster.md 3: nothing accepted is lost, and only deliveries in progress arrive twice"""
    seed = int(TEST_SETTINGS.get("LEADHOOK_SEED", random.randrange(2 ** 48)))
    print(f"LEADHOOK_SEED={seed} LEADHOOK_FAILURES={FAILURES}")
    chance = random.Random(seed)
    one = trial(settings=SETTINGS)
    done = []
    with one.load(RATE) as load:
        for _ in range(FAILURES):
            verb, end, part = chance.choice(KINDS)
            name = f"{part}{chance.randint(1, 3)}"
            one.progress(chance.uniform(0, 3))
            act(one.database, one.hosts, verb, name)
            begun, lasts = load.now(), chance.uniform(0, LONGEST)
            wait_until(lambda: load.now() - begun > lasts, 60, "that time has passed")
            act(one.database, one.hosts, end, name)
            one.galera.heal()
            done.append(f"{verb} {name} {lasts:.1f}")
            serving(one)
        one.progress(3)
    one.figures["failures"] = done
    found = one.phase("all", 0)
    assert set(found["statuses"]) <= {"200", "503", "500", "None"}, found
    one.verify(disturbed=FAILURES)
