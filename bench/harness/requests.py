# SPDX-License-Identifier: MIT
"""Workloads of requests: create, one-campaign, repeat, lookup, leaderboard, limited."""
import json

from stack.process import StackError

from .bench import Goal, outcome
from .client import drive, fresh_seed, request, sign_up
from .subjects import Ceiling, Leadhook, Node, Php, Single
from .sets import FIRST_LEAD, large

CEILING_WORKERS = (2, 4, 8, 16)
PHP_WORKERS = (4, 8, 16, 32)
NODE_PROCESSES = (1, 2, 4)
PAYLOADS_APART = 0.1


def measured(bench, subject, kind, **words):
    """Return a function for bench.interleave: a warm-up, then a run."""
    def measure():
        if bench.warm_up:
            drive(bench, subject, kind, bench.warm_up, **words)
        return drive(bench, subject, kind, bench.options.seconds, **words)
    return measure


def creating(subject, seconds):
    return drive(subject.bench, subject, "create", seconds)


def compare(ours, applications, answer):
    """Return the sizes of all payloads. Raise StackError unless those of the applications have the same fields, and their sign-ups by
    referral have the right effect."""
    sizes = {ours.name: ours.payload_bytes()}
    for one in applications:
        first = json.loads(sign_up(one)[1])
        second = json.loads(sign_up(one, kid=first["social_id"])[1])
        if list(first) != list(json.loads(answer[1])):
            raise StackError(f"the payload of {one.name} has different fields: {first}")
        referrer = one.sql(f"SELECT score, referrals FROM leads WHERE id = {first['id']}")
        if second["parent_id"] != first["social_id"] or referrer != "1\t1":
            raise StackError(f"the referral of {one.name} is wrong: {second}, the referrer has {referrer}")
        sizes[one.name] = one.payload_bytes()
        if abs(sizes[one.name] / sizes[ours.name] - 1) > PAYLOADS_APART:
            raise StackError(f"the sizes of the payloads differ: {sizes}")
    return sizes


def create(bench):
    ours, single, php = Leadhook(bench).start(), Single(bench).start(), Php(bench)
    answer = sign_up(ours)
    ceiling = Ceiling(bench, answer)
    candidates = {ceiling: CEILING_WORKERS, php: PHP_WORKERS}
    if not bench.options.quick:
        candidates[Node(bench)] = NODE_PROCESSES
    tried = {f"{one.name}_workers_tried": bench.best(one, workers, creating) for one, workers in candidates.items()}
    sizes = compare(ours, [one for one in candidates if one is not ceiling], answer)
    subjects = (*candidates, single, ours)
    rounds = bench.interleave({one.name: measured(bench, one, "create") for one in subjects})
    for one in subjects:
        one.stop()
    return outcome(rounds, [
        Goal("leadhook", "rate", ">=", 8, "php"), Goal("leadhook", "rate", ">=", 0.4, "ceiling"),
        Goal("leadhook", "p99_ms", "<=", 15), Goal("single", "rate", ">=", 1.3, "php"),
    ], workers={one.name: one.workers for one in subjects}, **tried, payload_bytes=sizes, answer_bytes=len(answer[1]))


def one_campaign(bench):
    """Put all leads into one campaign, every tenth by the same referrer, which gets points and reward levels."""
    spread_out = Leadhook(bench).start()
    alone = Leadhook(bench, campaigns=1, settings=("points_signup=1", "points_direct=5")).start()
    for points in (10, 1000, 100_000):
        alone.installation.admin("reward", "add", str(alone.campaigns[0]), f"At {points}", "--required-points", str(points))
    referrer = json.loads(sign_up(alone)[1])["social_id"]
    rounds = bench.interleave({"create": measured(bench, spread_out, "create"),
                               "one-campaign": measured(bench, alone, "create", referrer=referrer)})
    referrals = json.loads(request(alone, f"/v2/{alone.campaigns[0]}?social_id={referrer}")[1])["referrals"]
    spread_out.stop()
    alone.stop()
    return outcome(rounds, [Goal("one-campaign", "rate", ">=", 0.8, "create")], referrals=referrals)


def repeat(bench):
    subject = Leadhook(bench).start()
    seed = fresh_seed()
    made = drive(bench, subject, "create", bench.options.seconds, seed=seed)["requests"]
    # The last sign-ups may be in progress when the client ends.
    leads = max(1, made - 2 * bench.options.connections)
    rounds = bench.interleave({"create": measured(bench, subject, "create"),
                               "repeat": measured(bench, subject, "repeat", seed=seed, leads=leads)})
    subject.stop()
    return outcome(rounds, [Goal("repeat", "rate", ">=", 1, "create")], leads=leads)


def reading(bench, kind, path, factor, expect):
    """Measure a read from the largest set, and the ceiling with the same bytes."""
    subject = large(bench, bench.sizes[-1]).start()
    answer = request(subject, f"/v2/{subject.campaigns[0]}{path}")
    ceiling = Ceiling(bench, answer)
    words = {**subject.set_words, "expect": expect}
    tried = bench.best(ceiling, CEILING_WORKERS, lambda one, seconds: drive(bench, one, kind, seconds, **words))
    rounds = bench.interleave({one.name: measured(bench, one, kind, **words) for one in (ceiling, subject)})
    ceiling.stop()
    subject.stop()
    return outcome(rounds, [Goal("leadhook", "rate", ">=", factor, "ceiling")], leads=bench.sizes[-1],
                   workers={"ceiling": ceiling.workers, "leadhook": subject.workers}, ceiling_workers_tried=tried,
                   answer_bytes=len(answer[1]))


def limited(bench):
    """Measure look-ups and sign-ups without a key, all of which are refused, and the ceiling with the same bytes."""
    subject = Leadhook(bench)
    subject.installation.configure([("limits", "lookups_per_address", "1/24h"), ("limits", "posts_per_address", "1/24h")])
    subject.start()
    path = subject.path % subject.campaigns[0]
    request(subject, path + "?email=unknown@bench.example", key=False, status=404)
    request(subject, path, {"email": "first@bench.example"}, key=False)
    answer = request(subject, path + "?email=unknown@bench.example", key=False, status=429)
    ceiling = Ceiling(bench, answer)
    words = {"key": "", "status": 429, "expect": '"error":"rate_limited"'}
    tried = bench.best(ceiling, CEILING_WORKERS, lambda one, seconds: drive(bench, one, "limited", seconds, **words))
    rounds = bench.interleave({one.name: measured(bench, one, "limited", **words) for one in (ceiling, subject)})
    ceiling.stop()
    subject.stop()
    return outcome(rounds, [Goal("leadhook", "rate", ">=", 0.8, "ceiling")],
                   workers={"ceiling": ceiling.workers, "leadhook": subject.workers}, ceiling_workers_tried=tried,
                   answer_bytes=len(answer[1]))


def lookup(bench):
    return reading(bench, "lookup", "?email=u1@bench.example", 0.55, '"email":"u')


def leaderboard(bench):
    return reading(bench, "leaderboard", f"/leaderboard?limit=50&social_id={FIRST_LEAD + 1:010X}", 0.3, '"me":{')
