# SPDX-License-Identifier: MIT
"""docs/api.md 4.3 to 4.7 and 6: thousands of random histories on the real engine and on a simple model, which must agree.

LEADHOOK_HISTORIES is their number (scripts/check --long runs many more), LEADHOOK_SEED repeats one. A history that shows a
difference is shortened before it is printed.
"""
import json
import random
import subprocess
import sys
import time

import pytest
from settings import TEST_SETTINGS
from tree import BUILD, SOURCE

sys.path.insert(0, str(SOURCE / "tests" / "model"))

from database import Runner, Sql  # noqa: E402
from history import Generator  # noqa: E402
from plain import EVENTS, SETTINGS, Model  # noqa: E402
from player import Difference, Player  # noqa: E402
from records import Campaign  # noqa: E402
from stack.installation import Installation  # noqa: E402
from stack.process import StackError  # noqa: E402

HISTORIES = int(TEST_SETTINGS.get("LEADHOOK_HISTORIES", 20))
SHRINK_SECONDS = 60


class Engine:
    """An installation, and the programs that carry out the histories."""

    def __init__(self, folder, database):
        self.folder, self.database = folder, database
        self.installation = Installation(folder, BUILD, database, name="model")
        self.installation.configure()
        self.installation.install()
        # Definitions and campaigns get ids far below those that the programs assign.
        self.installation.sql("UPDATE lh_id_blocks SET next = 1000000000 WHERE next < 1000000000")
        self.runner = self.sql = None

    def open(self):
        self.sql = Sql(self.folder, self.database.socket, "model")
        self.runner = Runner(BUILD / "tests/model/batch_runner", self.folder, self.database.socket, "model")

    def close(self):
        """Stop the programs; return their exit statuses."""
        return [program.close() for program in (self.runner, self.sql)]

    def play(self, steps):
        """Carry out a history; the log must stay empty."""
        Player(self.runner, self.sql, self.installation.admin).play(steps)
        said = self.runner.new_log()
        if said:
            raise Difference(f"the log: {said}")

    def recount(self):
        """Return the findings of the operator's deep check."""
        self.database.sql("SET GLOBAL innodb_flush_log_at_trx_commit = 1")  # otherwise this setting is a finding
        answer = subprocess.run([self.installation.program("leadhook"), "--config", self.installation.config, "--json", "check",
                                 "--deep"], capture_output=True, text=True, timeout=300, check=False).stdout
        return json.loads(answer)["findings"]


@pytest.fixture(scope="module")
def engine(make_folder, own_database):
    engine = Engine(make_folder(), own_database)
    engine.open()
    # Writing durably would take half of the time.
    own_database.sql("SET GLOBAL innodb_flush_log_at_trx_commit = 0")
    yield engine
    assert engine.close() == [0, 0], engine.runner.new_log()


def steps_of(seed):
    return Generator(random.Random(seed)).history()


def problem(engine, steps):
    """Return the error that a history causes, or None."""
    try:
        engine.play(steps)
    except Difference as found:
        return str(found)
    except StackError as ended:
        engine.close()
        engine.open()
        return str(ended)
    return None


def without(steps, at):
    """Return the history without one step, or without one command of a step: `at` is (step, command or None)."""
    step, command = at
    if command is None:
        return steps[:step] + steps[step + 1:]
    commands = steps[step]["batch"]
    return steps[:step] + [{"batch": commands[:command] + commands[command + 1:]}] + steps[step + 1:]


def removable(steps):
    """Return the steps and commands that can be removed, last first."""
    for step in reversed(range(len(steps))):
        if "campaign" not in steps[step]:
            yield step, None
        for command in reversed(range(len(steps[step].get("batch", [])))):
            yield step, command


def shorten(engine, steps):
    """Return the shortest part of the history that still shows a difference."""
    end = time.monotonic() + SHRINK_SECONDS
    smaller = True
    while smaller:
        smaller = False
        for at in list(removable(steps)):
            if time.monotonic() > end:
                return steps
            if at[0] < len(steps) and (at[1] is None or at[1] < len(steps[at[0]].get("batch", []))):
                fewer = without(steps, at)
                if problem(engine, fewer):
                    steps, smaller = fewer, True
    return steps


def report(engine, seed, found, steps):
    small = shorten(engine, steps)
    lines = [f"LEADHOOK_SEED={seed}", found, "", "shortened to:", *map(json.dumps, small), "", str(problem(engine, small))]
    return "\n".join(lines)


def test_random_histories(engine):
    """docs/api.md 4.3 to 4.7, 6: the same answers, events, deliveries and rows, and no findings of `leadhook check --deep`"""
    first = TEST_SETTINGS.get("LEADHOOK_SEED")
    seeds = [int(first)] if first else [random.randrange(2 ** 48) for _ in range(HISTORIES)]
    for seed in seeds:
        steps = steps_of(seed)
        found = problem(engine, steps)
        if found:
            pytest.fail(report(engine, seed, found, steps), pytrace=False)
    assert engine.recount() == []


# --- the model by itself: examples from docs/api.md ---

class Scenario:
    """A campaign that exists only in the model."""

    def __init__(self, **settings):
        self.model = Model()
        webhook = {"events": EVENTS, "state": "active"}
        self.campaign = self.model.campaigns[7] = Campaign(7, 3, SETTINGS | settings, webhooks={1: webhook})
        self.made = 0

    def do(self, kind, **fields):
        self.made += 1
        learned = {"id": self.made, "social_id": f"S{self.made}", "when": "2026-01-01T00:00:00Z"}
        return self.model.apply({"kind": kind, "campaign": 7, "account": 3, "full": True, **fields}, learned)

    def join(self, name, **fields):
        return self.do("signup", email=f"{name}@example.org", email_key=f"{name}@example.org", source="form", **fields)

    def change(self, action, name, **fields):
        return self.do("change", action=action, lead=["email", f"{name}@example.org"], **fields)

    def score(self, name):
        return self.campaign.find("email", f"{name}@example.org").score

    def lead(self, name):
        return self.campaign.find("email", f"{name}@example.org")


def names(result):
    return [event.type for event in result.events]


def test_model_referral():
    """docs/api.md 4.6 Credit, 4.7 order of events"""
    story = Scenario(points_direct=2, points_indirect=1, points_signup=3)
    a = story.join("a")
    assert names(a) == ["new_signup", "new_signup_not_excluded", "score_change"]
    b = story.join("b", referrer_id=a.body["social_id"])
    c = story.join("c", referrer_id=b.body["social_id"])
    assert [(event.type, event.lead) for event in c.events] == [
        ("new_signup", 3), ("new_signup_not_excluded", 3), ("score_change", 1), ("score_change", 2), ("score_change", 3),
        ("referral", 2)]
    assert (story.score("a"), story.score("b"), story.score("c")) == (6, 5, 3)
    shown = c.events[-1].payload
    assert shown["__referral"] == {"social_id": "S3", "email": "c@example.org"} and shown["referrals"] == 1
    assert shown["influence"] == {"direct": 1, "indirect": 0} and shown["verified_leads"] == {"direct": None, "indirect": None}


def test_model_fraud_and_floor():
    """docs/api.md 4.6: block removes the credit, and approve restores each score exactly, even after a score has reached 0"""
    story = Scenario(points_direct=5, points_verified=2)
    a = story.join("a")
    story.join("b", referrer_id=a.body["social_id"])
    assert names(story.change("verify", "b")) == ["verified", "score_change"] and story.score("a") == 7
    story.do("points", leads=[["email", "a@example.org"]], points=-4)
    result = story.change("block", "b", argument="bounced")
    assert names(result) == ["marked_as_fraudulent", "score_change"] and story.score("a") == 0
    assert result.events[0].payload["__fraudulent"] == ["bounced"]
    assert result.events[1].payload["__score_change"] == {
        "previous_contest_score": 3, "current_contest_score": 0, "delta": -3, "reason": "fraud"}
    assert story.change("block", "b", argument="spam").events == [] and story.lead("b").flags == ["bounced", "spam"]
    assert names(story.change("approve", "b")) == ["score_change"] and story.score("a") == 3
    assert story.change("approve", "b").events == []


def test_model_verification():
    """docs/api.md 4.6 require_verification, points_verified; 4.3, step 4: a replaced email address is not verified, but the credit stays"""
    story = Scenario(require_verification=True, points_verified=2)
    a = story.join("a")
    b = story.join("b", referrer_id=a.body["social_id"])
    assert story.score("a") == 0 and "referral" not in names(b)
    result = story.change("verify", "b")
    assert names(result) == ["verified", "score_change", "referral"] and story.score("a") == 3
    assert result.events[1].payload["__score_change"]["reason"] == "verified"
    story.do("signup", subject=b.body["social_id"], must_exist=True, email="n@example.org", email_key="n@example.org")
    assert not story.lead("n").verified and story.score("a") == 3
    assert names(story.change("verify", "n")) == ["verified"] and story.score("a") == 3


def test_model_chain():
    """docs/api.md 4.6: 16 levels; the chain ends at a deleted lead, and earlier credit stays"""
    story = Scenario(points_indirect=1)
    last = story.join("p0")
    for i in range(1, 19):
        last = story.join(f"p{i}", referrer_id=last.body["social_id"])
    assert story.score("p0") == 16 and story.score("p2") == 16 and story.score("p3") == 15
    result = story.change("delete", "p17")
    assert names(result) == ["deleted"] and result.events[0].payload["lead_count"] == 19
    assert story.score("p16") == 2 and story.lead("p18").parent == 18
    story.join("p19", referrer_id=last.body["social_id"])
    assert (story.score("p16"), story.score("p18")) == (2, 1)
    assert story.change("block", "p18").events[0].type == "marked_as_fraudulent" and story.score("p16") == 2


def test_model_ended():
    """docs/api.md 6: 423; other changes work without points, which are not booked later either"""
    story = Scenario()
    a = story.join("a")
    story.join("b", referrer_id=a.body["social_id"])
    story.campaign.ended = True
    assert story.join("c").failure == "campaign_ended"
    assert story.do("points", leads=[["email", "a@example.org"]], points=1).failure == "campaign_ended"
    assert names(story.change("block", "b")) == ["marked_as_fraudulent"] and story.score("a") == 1
    story.campaign.ended = False
    assert names(story.change("approve", "b")) == [] and story.score("a") == 1
