# SPDX-License-Identifier: MIT
"""A week of made-up leads for the quickstart, made by the same calls and commands as real ones.

The clock of the database runs through the week in a few seconds. The same people sign up, in the same order, each time; only the
times differ.
"""
import contextlib
import dataclasses
import datetime
import heapq
import http.client
import itertools
import json
import random
import time
import urllib.parse

from .process import StackError, wait_until
from .receiver import Answer, Receiver

HOUR, DAY = 3600, 24 * 3600
WEEK = 7 * DAY
SEED = 20261
# Relative numbers of sign-ups for each hour of the day, and for each day of the week.
HOURS = (3, 2, 1, 1, 1, 2, 4, 7, 10, 12, 12, 11, 12, 11, 10, 10, 11, 13, 15, 16, 15, 12, 8, 5)
DAYS = (6, 8, 14, 11, 9, 10, 12)
CHANGES_EVERY = 2400  # seconds; changes of leads within this time are made together
SECONDS_MAX = 30

FIRST_NAMES = """Ada Amir Anna Ben Carla Chen Clara David Elena Emil Eva Felix Fatima Grace Hana Hugo Ida Ines Ivan Jana Jonas Julia Kai
    Karim Lea Leo Lina Luca Maja Marco Maria Mia Milan Nadia Nico Nina Noah Nora Oscar Paul Priya Rosa Sam Sara Sofia Tariq Theo Tom Vera
    Yuki""".split()
LAST_NAMES = """Adler Bauer Bianchi Brown Castro Costa Dubois Evans Fischer Garcia Haas Hansen Ito Jensen Keller Khan Kim Klein Kovacs
    Larsen Lopez Martin Meyer Moreau Nguyen Novak Olsen Patel Perez Petit Popescu Reyes Rossi Roux Santos Sato Schmidt Silva Singh
    Smith Sousa Taylor Torres Tran Vogel Weber Wilson Wolf Wright Zimmer""".split()
CITIES = "Berlin Hamburg Vienna Zurich Lyon Madrid Milan Porto London Dublin Oslo Prague".split()
DOMAINS, DOMAIN_WEIGHTS = ("example.org", "example.com", "example.net"), (5, 4, 2)
UTM = [{"utm_source": source, "utm_medium": medium, "utm_campaign": "launch"} for source, medium in (
    ("newsletter", "email"), ("newsletter", "email"), ("instagram", "social"), ("instagram", "social"), ("search", "cpc"),
    ("podcast", "audio"))]
PAGES = ("https://news.example.com/startups/", "https://news.example.com/startups/", "https://blog.example.net/tools-we-like",
         "https://forum.example.org/t/18211", "https://search.example.net/")


@dataclasses.dataclass
class Plan:
    """A campaign. `sources` are weights of referral, campaign, inbound, link and direct; the others are shares of its leads."""
    name: str
    leads: int
    settings: list
    sources: tuple
    verified: float
    tags: dict = dataclasses.field(default_factory=dict)  # name: (points, share)
    actions: dict = dataclasses.field(default_factory=dict)  # text: (points, share)
    rewards: dict = dataclasses.field(default_factory=dict)  # subject: points
    opted_out: float = 0.01
    blocked: float = 0.0
    admitted: int = 0  # leads that leave the waiting list after five days
    cheat: int = 0  # number of a lead that refers itself


PLANS = [
    Plan("App waiting list", 1100, ["mails=", "waitlist=on", "points_signup=1", "points_direct=5", "points_verified=2", "jump_start=250"],
         (30, 28, 0, 22, 20), 0.72, tags={"Beta tester": (0, 0.09), "Business": (0, 0.05)},
         rewards={"Early access": 8, "A year for free": 29}, admitted=120),
    Plan("Bike giveaway", 700, ["mails=", "points_signup=1", "points_direct=10", "points_indirect=2", "max_per_ip=3"],
         (38, 34, 0, 12, 16), 0.58, tags={"Cyclist": (2, 0.12)},
         actions={"Follow us": (5, 0.14), "Show us your commute": (10, 0.06)},
         rewards={"A second ticket": 15, "A bell": 40, "A helmet": 100}, blocked=0.008, cheat=250),
    Plan("Newsletter", 200, ["mails=welcome"], (4, 30, 24, 22, 20), 0.81, tags={"Customer": (0, 0.2)}),
]
CHEATS = 12
OUTAGE = (3 * DAY + 9 * HOUR, 4 * DAY + 9 * HOUR)  # of the system that receives the events of the giveaway
DISABLED_AT = 4 * DAY + 6 * HOUR


class Timeline:
    """What to do, by its time in the week."""

    def __init__(self):
        self.entries, self.order = [], itertools.count()

    def add(self, at, function, *values):
        heapq.heappush(self.entries, (at, next(self.order), function, values))

    def run(self, begin, clock):
        """Do everything until the end of the week; `begin` is its start, as time.time()."""
        offset = None
        while self.entries and self.entries[0][0] < WEEK:
            at, _, function, values = heapq.heappop(self.entries)
            wanted = int(begin + at - time.time())
            if offset is None or wanted > offset:
                offset = wanted
                clock.jump(offset)
            function(at, *values)


def times(begin, count):
    """Return the times of sign-ups, in order. Nothing else depends on when the week is made."""
    hours = range(WEEK // HOUR)
    weights = [HOURS[int(begin + hour * HOUR) // HOUR % 24] * DAYS[hour // 24] for hour in hours]
    chosen = random.Random(SEED)
    return sorted(hour * HOUR + chosen.randrange(HOUR) for hour in chosen.choices(hours, weights, k=count))


class Demo:
    """`quickstart` runs with a database whose clock is a week behind."""

    def __init__(self, installation, url, key, account, receiver):
        self.admin, self.database = installation.admin, installation.database
        self.key, self.account, self.receiver = key, str(account), receiver
        self.url = urllib.parse.urlsplit(url)
        self.timeline = Timeline()
        self.webhooks = []

    # --- calls ---

    def call(self, path, body):
        """POST with the key, on one connection; returns the answer. After a 503 it is sent again (docs/api.md 2.1)."""
        status, text = wait_until(lambda: self.post(path, body), SECONDS_MAX, f"POST {path}: an answer other than 503")
        if status >= 300:
            raise StackError(f"POST {path}: {status} {text.decode(errors='replace')}")
        return json.loads(text)

    def post(self, path, body):
        """Return the status and the body of the answer; None if the service is unavailable."""
        self.connection.request("POST", self.url.path + path, json.dumps(body),
                                {"Content-Type": "application/json", "Authorization": f"Bearer {self.key}"})
        response = self.connection.getresponse()
        text = response.read()
        if response.status != 503:
            return response.status, text
        self.database.child.check()
        return None

    def hook(self, campaign, path, *events):
        added = self.admin("webhook", "add", str(campaign), f"http://127.0.0.1:{self.receiver.port}{path}", *events)
        self.receiver.secrets.append(added["secret"])
        self.webhooks.append(str(added["id"]))
        return self.webhooks[-1]

    # --- campaigns ---

    def add(self, plan, begin):
        """Add the campaign with its definitions and leads; a lead knows only the leads before it."""
        campaign = self.admin("campaign", "add", self.account, plan.name, *plan.settings)["id"]
        tags = {name: self.admin("tag", "add", str(campaign), name, "--points", str(points))["id"]
                for name, (points, _) in plan.tags.items()}
        actions = {text: self.admin("action", "add", str(campaign), text, "--points", str(points))["id"]
                   for text, (points, _) in plan.actions.items()}
        for subject, points in plan.rewards.items():
            self.admin("reward", "add", str(campaign), subject, "--required-points", str(points))
        inbound = self.admin("inbound", "add", str(campaign), "Shop", "--map", "email=customer.email", "--map",
                             "first_name=customer.first_name", "--map", "last_name=customer.last_name") if plan.sources[2] else None
        of_campaign = Leads(self, campaign, plan, tags, actions, inbound)
        for number, at in enumerate(times(begin, plan.leads), 1):
            self.timeline.add(at, of_campaign.sign_up, number)
        if plan.cheat:
            self.timeline.add(6 * DAY, of_campaign.block)
        if plan.admitted:
            self.timeline.add(5 * DAY, of_campaign.admit)
        return campaign

    def add_webhooks(self, waiting_list, giveaway, newsletter):
        """Add a webhook that works, one of a system that fails for some hours, and one that is disabled."""
        self.hook(waiting_list, "/hook/mailing", "new_signup", "verified", "reward_level")
        failing = self.hook(giveaway, "/hook/crm", "new_signup", "referral", "marked_as_fraudulent")
        self.admin("webhook", "set", failing, "schedule=10m")
        self.timeline.add(OUTAGE[0], lambda at: self.receiver.script("/hook/crm", Answer(500, body=b"out of memory")))
        self.timeline.add(OUTAGE[1], lambda at: self.receiver.script("/hook/crm", Answer(200)))
        disabled = self.hook(newsletter, "/hook/sheet", "new_signup")
        self.timeline.add(DISABLED_AT, lambda at: self.admin("webhook", "disable", disabled))
        return [self.webhooks[0], failing]

    def make(self, note):
        """Make the week, and return when the clock is the real one again. `note` is called with the ids of the campaigns so far."""
        begin = int(time.time()) - WEEK
        campaigns = []
        for plan in PLANS:
            campaigns.append(self.add(plan, begin))
            note(campaigns)
        ends = datetime.datetime.fromtimestamp(begin + WEEK + 5 * DAY, datetime.timezone.utc)
        self.admin("campaign", "set", str(campaigns[1]), f"ends_at={ends:%Y-%m-%dT%H:00:00Z}")
        sending = self.add_webhooks(*campaigns)
        with contextlib.closing(http.client.HTTPConnection(self.url.hostname, self.url.port, timeout=SECONDS_MAX)) as self.connection:
            self.timeline.run(begin, self.database.clock)
        self.database.clock.jump(0)
        wait_until(lambda: not any(self.admin("webhook", "show", one)["pending"] for one in sending), SECONDS_MAX,
                   "the deliveries of the week")


class Leads:
    """The leads of one campaign, as they sign up."""

    def __init__(self, demo, campaign, plan, tags, actions, inbound):
        self.demo, self.campaign, self.plan, self.tags, self.actions = demo, campaign, plan, tags, actions
        self.inbound = "/inbound/" + inbound["url"].partition("/inbound/")[2] if inbound else None
        self.random = random.Random(plan.name)
        self.names = set()
        self.all = []  # payloads
        self.sharers = []  # social ids; those of leads that referred others appear several times
        self.changes = {}  # queued changes: {(time, word, more): addresses}

    def person(self):
        first, last = self.random.choice(FIRST_NAMES), self.random.choice(LAST_NAMES)
        plain = f"{first}.{last}".lower()
        more = (f"{plain}{number}" for number in itertools.count(2))
        name = next(name for name in itertools.chain([plain], more) if name not in self.names)
        self.names.add(name)
        domain = self.random.choices(DOMAINS, DOMAIN_WEIGHTS)[0]
        return {"email": f"{name}@{domain}", "first_name": first, "last_name": last, "city": self.random.choice(CITIES)}

    def sign_up(self, at, number):
        body = {**self.person(), "__source": "web", "__url": "https://www.example.com/",
                "ip": f"2001:db8:{self.random.randrange(65536):x}:{self.random.randrange(1, 65536):x}::1"}
        source = self.random.choices(("referral", "campaign", "inbound", "link", "direct"), self.plan.sources)[0]
        cheats = self.plan.cheat < number <= self.plan.cheat + CHEATS and self.plan.cheat
        if cheats:
            body.update(ip="203.0.113.66", kid=self.all[self.plan.cheat - 1]["social_id"])
        elif source == "referral" and self.sharers:
            body["kid"] = self.random.choice(self.sharers)
            self.sharers.append(body["kid"])
        elif source == "campaign":
            body.update(self.random.choice(UTM))
        elif source == "link":
            body["__referrer"] = self.random.choice(PAGES)
        if source == "inbound":
            customer = {name: body[name] for name in ("email", "first_name", "last_name")}
            lead = self.demo.call(self.inbound, {"customer": customer, "order": 1000 + number})
        else:
            lead = self.demo.call(f"/v2/{self.campaign}", body)
        self.all.append(lead)
        if not cheats:
            self.sharers.append(lead["social_id"])
            self.go_on(at, body["email"])

    def go_on(self, at, email):
        """Queue what the lead does after the sign-up."""
        if self.random.random() < self.plan.verified:
            self.change(at + int(self.random.expovariate(1 / HOUR)), "verify", email)
        if self.random.random() < self.plan.opted_out:
            self.change(at + self.random.randrange(2 * DAY), "optout", email)
        for name, (_, share) in self.plan.tags.items():
            if self.random.random() < share:
                self.change(at + self.random.randrange(8 * HOUR), "tag", email, tag_id=self.tags[name])
        for text, (_, share) in self.plan.actions.items():
            if self.random.random() < share:
                self.demo.timeline.add(at + 60 + self.random.randrange(DAY), self.complete, self.actions[text], email)

    def complete(self, _, action, email):
        self.demo.call(f"/v2/{self.campaign}/actions/{action}", {"email": email})

    # --- changes of several leads ---

    def change(self, at, word, email, **more):
        """Queue a change, to be made together with others of about the same time."""
        at = (at // CHANGES_EVERY + 1) * CHANGES_EVERY
        key = (at, word, tuple(more.items()))
        if key not in self.changes:
            self.changes[key] = []
            self.demo.timeline.add(at, self.send_changes, key)
        self.changes[key].append(email)

    def send_changes(self, _, key):
        _, word, more = key
        self.demo.call(f"/v2/{self.campaign}/{word}", {"emails": self.changes.pop(key), **dict(more)})

    def block(self, _):
        chosen = random.Random(SEED).sample([lead["email"] for lead in self.all], round(self.plan.leads * self.plan.blocked))
        self.demo.call(f"/v2/{self.campaign}/block", {"emails": chosen})

    def admit(self, _):
        self.demo.call(f"/v2/{self.campaign}/unwaitlist", {"emails": [lead["email"] for lead in self.all[:self.plan.admitted]]})
