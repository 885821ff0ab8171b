# SPDX-License-Identifier: MIT
"""Random histories for test_model.py: campaigns with their settings, and steps.

A history is data, which can be printed as JSON, shortened and played again. Leads that do not exist yet are named by the
sign-up that will create them ({"of": number}), campaigns, tags, actions and rewards by their index in the lists, jobs by their
number.
"""
import json

from plain import EVENTS

UNKNOWN_SOCIAL_ID = "0000000000"
POINTS = [-99999, -20, -3, -2, -1, -1, 0, 1, 1, 2, 3, 10, 99999]
IPS = ["192.0.2.1", "192.0.2.1", "192.0.2.2", "192.0.2.3", "10.0.0.5", "2001:db8::1", "2001:db8::9:0:0:2", None, None]
REFERRERS = [None] * 4 + ["https://fine.example/page", "https://bad.example/", "HTTP://WWW.Bad.Example:8080/x?y=1",
                          "https://notbad.example/"]
DOMAINS = ["example.org"] * 12 + ["blocked.example", "mail.blocked.example", "notblocked.example", "disposable.example"]
FIELDS = {"first_name": ['"Ada"', '""', "7"], "last_name": ['"King"'], "name": ['"Grace Brewster Hopper"', '"Grace"'],
          "color": ['"red"', '"über\\u2028"', "true", "1.25", '["a",1,false]'], "note": [json.dumps("x" * 70)],
          "size": ["42", '"' + "y" * 60 + '"'], "plan": ['"pro"']}
ACTIONS = ["verify", "approve", "block"] * 8 + ["unverify"] * 4 + ["tag", "optout", "sms_optout", "sms_optin", "waitlist",
                                                                  "unwaitlist", "delete"]
TAGS, LEVELS = 3, 2  # per campaign at the start


class Generator:
    def __init__(self, random):
        self.random, self.choice = random, random.choice
        self.signups = self.jobs = self.names = 0
        self.open_jobs = []  # [number, next position]
        self.known = {}      # campaign: numbers of the sign-ups of earlier batches
        self.deep = self.chance(0.08)
        people = 60 if self.deep else random.randint(3, 24)
        self.emails = [f"p{i}@{self.choice(DOMAINS)}" for i in range(people)]
        for i in range(1, people):
            if self.chance(0.15):  # another address of one mailbox
                self.emails[i] = self.emails[i - 1].replace("@", "+t@")
        self.phones = [f"+1415555{2000 + i}" for i in range(people // 2 + 1)]
        self.campaigns = 1 if self.deep else random.randint(1, 3)

    def chance(self, probability):
        return self.random.random() < probability

    # --- settings and definitions ---

    def setting(self, name):
        choices = {
            "points_signup": [0, 0, 0, 2], "points_direct": [1, 1, 3, 5, 0], "points_indirect": [0, 1, 2],
            "points_verified": [0, 2, 3, 4], "require_verification": [False, True], "waitlist": [False, False, True],
            "max_per_ip": [0, 0, 0, 2, 3, 5], "jump_start": [0, 0, 100], "privacy": [True, True, False], "compat": [False, True],
            "landing_url": [None, "https://shop.example/?a=1#top"],
            "thankyou_url": [None, "https://shop.example/t"], "status_url": [None, "https://shop.example/s#x"],
            "blocked_email_domains": [[], ["blocked.example"]], "blocked_referrers": [[], ["bad.example"]],
            "allowed_networks": [[], [], ["10.0.0.0/8", "2001:db8::/32"]],
            "public_lookup": [0, 0, 0, 1, 2, 3], "public_update": [0, 0, 0, 1, 1, 2],
            "verify_email": [False, True], "verify_phone": [False, False, True],
        }
        return self.choice(choices[name])

    NAMES = ["points_signup", "points_direct", "points_indirect", "points_verified", "require_verification", "waitlist",
             "max_per_ip", "jump_start", "privacy", "compat", "landing_url", "thankyou_url", "status_url",
             "blocked_email_domains", "blocked_referrers", "allowed_networks", "public_lookup", "public_update",
             "verify_email", "verify_phone"]

    def name(self, word):
        self.names += 1
        return f"{word} {self.names}"

    def definition(self, campaign, kind):
        points = self.choice(POINTS)
        if kind == "tag":
            return {"define": [campaign, kind, {"name": self.name("Tag"), "points": points}]}
        if kind == "action":
            return {"define": [campaign, kind, {"text": self.name("Action"), "points": points,
                                                "tag_id": self.choice([None, None, 0, 1]), "public": self.chance(0.5)}]}
        return {"define": [campaign, kind, {"subject": self.name("Level"), "emailed": self.chance(0.3),
                                            "required_points": self.choice([0, 1, 2, 5, 10, 99999])}]}

    def webhooks(self, campaign):
        """Return the webhooks of a campaign: usually one for all events."""
        if self.chance(0.8):
            return [{"webhook": [campaign, EVENTS]}]
        some = [self.random.sample(EVENTS, self.random.randint(1, 6)) for _ in range(self.random.randint(0, 3))]
        return [{"webhook": [campaign, sorted(events, key=EVENTS.index)]} for events in some]

    def beginning(self):
        steps = []
        for campaign in range(self.campaigns):
            steps.append({"campaign": {name: self.setting(name) for name in self.NAMES}})
            kinds = ["tag"] * TAGS + ["action"] * TAGS + ["reward"] * LEVELS if self.chance(0.7) else []
            steps += [self.definition(campaign, kind) for kind in kinds] + self.webhooks(campaign)
        return steps

    def other_settings(self):
        return {name: self.setting(name) for name in self.random.sample(self.NAMES, self.random.randint(1, 3))}

    def between(self):
        """Return a step that is not a command."""
        campaign = self.random.randrange(self.campaigns)
        what = self.random.random()
        if what < 0.36:
            return [{"set": [campaign, self.other_settings()]}]
        if what < 0.4:
            return [{"uncount": campaign}]
        if what < 0.48:
            return [self.definition(campaign, self.choice(["tag", "action", "reward"]))]
        if what < 0.54:
            return [{"remove": [campaign, self.choice(["tag", "action", "reward"]), self.random.randrange(3)]}]
        if what < 0.6:
            return [{"redefine": [campaign, self.random.randrange(3), self.choice([None, 0, 1]), self.choice(POINTS)]}]
        if what < 0.76:
            return self.while_ended(campaign, self.batch(self.random.randint(1, 12)))
        if what < 0.8:
            return self.while_suspended(campaign, self.batch(3))
        if what < 0.85:
            return [{"state": [campaign, self.random.randrange(2), self.choice(["active", "disabled", "gone", "gone"])]}]
        queue = [self.queue(campaign)]
        around = self.choice([self.while_ended, self.while_suspended, None, None])
        return queue + around(campaign, self.batch(3, "job")) if around else queue

    def while_ended(self, campaign, step):
        end = {"end": [campaign, self.choice(["command", "time"])]}
        return [end, step, end]

    @staticmethod
    def while_suspended(campaign, step):
        return [{"suspend": [campaign, True]}, step, {"suspend": [campaign, False]}]

    def queue(self, campaign):
        self.jobs += 1
        self.open_jobs.append([self.jobs, 0])
        action = self.choice(ACTIONS)
        kind = self.choice(["email", "phone", "social_id"])
        leads = [self.reference(campaign, kind, changed=True) for _ in range(self.random.randint(1, 8))]
        return {"queue": [self.jobs, campaign, {"action": action, "leads": leads, "referrers": self.chance(0.2) or None,
                                                **self.arguments(action)}]}

    # --- commands ---

    def of(self, campaign, changed=False):
        """Return the social id of an existing lead. Early leads are referrers more often, and the next few are changed more often, so that
        many steps affect the same leads."""
        numbers = self.known.get(campaign if self.chance(0.98) else self.random.randrange(self.campaigns), [])
        if not numbers or self.chance(0.03):
            return UNKNOWN_SOCIAL_ID
        if changed and self.chance(0.6):
            return {"of": numbers[min(self.random.randint(2, 5), len(numbers) - 1)]}
        return {"of": numbers[int(len(numbers) * self.random.random() ** 2)]}

    def last(self, campaign):
        return {"of": self.known[campaign][-1]} if self.known.get(campaign) else UNKNOWN_SOCIAL_ID

    def email(self):
        # In a deep history nearly all leads are new.
        return self.emails[self.signups % len(self.emails)] if self.deep and self.chance(0.95) else self.choice(self.emails)

    def reference(self, campaign, kind=None, changed=False):
        kind = kind or ("social_id" if self.known.get(campaign) and self.chance(0.8) else self.choice(["email", "phone"]))
        return [kind, {"email": self.email, "phone": lambda: self.choice(self.phones),
                       "social_id": lambda: self.of(campaign, changed)}[kind]()]

    def one_of(self, count):
        """Return the index of a definition; rarely, it does not exist."""
        return self.random.randrange(count) if self.chance(0.95) else count + 5

    def arguments(self, action):
        if action == "tag":
            return {"tag_id": self.one_of(TAGS)}
        if action == "block":
            return {"argument": self.choice([None, None, "bounced", "manual", "spam"])}
        if action in ("verify", "unverify"):
            return {"argument": self.choice([None, None, None, "email", "phone"])}
        if action == "delete":
            return {"by_lead": self.choice([None, True])}
        return {}

    def identity(self):
        given, what = {}, self.random.random()
        if what < 0.85:
            key = self.email()
            given |= {"email": key.upper() if self.chance(0.1) else key, "email_key": key}
        if what > 0.7:
            given["phone"] = self.choice(self.phones)
        return given

    def person(self, campaign, account):
        self.signups += 1
        given = {"signup": self.signups} | self.identity()
        if account != 0 and self.chance(0.02 if self.deep else 0.2):
            given["subject"] = self.of(campaign, changed=True)
            if self.chance(0.3):
                given |= {"edits": True, "must_exist": True}
            if self.chance(0.7):
                given = {name: value for name, value in given.items() if name not in ("email", "email_key", "phone")}
            if self.chance(0.6):
                new = f"n{self.signups}@example.org"
                given |= {"email": new, "email_key": new}
        elif self.chance(0.8):
            given["referrer_id"] = self.last(campaign) if self.deep and self.chance(0.97) else self.of(campaign)
        elif self.deep:
            given["referrer_id"] = self.last(campaign)
        given |= {"source": "API" if self.chance(0.2) else "form", "ip": self.choice(IPS), "referrer": self.choice(REFERRERS),
                  "user_agent": self.choice(["Browser/1", "Browser/2", None])}
        if account != 0:
            given |= {"replace_ip": self.chance(0.5), "replace_user_agent": self.chance(0.5)}
            if self.chance(0.15):
                given["points"] = self.choice(POINTS)
        else:
            given |= self.stranger(campaign)
        optional = {"uid": ["u1", "u2"], "redirect_url": ["/thanks", "https://shop.example/r?x=y"],
                    "utm": ['{"source":"mail"}', '{"source":"ad","medium":"web"}']}
        given |= {name: self.choice(values) for name, values in optional.items() if self.chance(0.15)}
        given |= {name: True for name, part in (("must_exist", 0.05), ("keep_opt_out", 0.2)) if self.chance(part)}
        if self.chance(0.3):
            names = self.random.sample(sorted(FIELDS), self.random.randint(1, 3))
            given["custom_fields"] = [self.field(name) for name in names]
        return given

    def stranger(self, campaign):
        """Return what a caller without a key has, or lacks: a lead's token, proof of work."""
        given = {"own_id": self.of(campaign, changed=True), "own_epoch": self.choice([0, 0, 0, 1])} if self.chance(0.3) else {}
        return given | ({"unproven": True} if self.chance(0.15) else {})

    def field(self, name):
        value = None if self.chance(0.2) else self.choice(FIELDS[name])
        text = json.loads(value) if value else None
        return [name, value, text if isinstance(text, str) else None]

    def command(self, kind=None):
        kind = kind or self.random.choices(["signup", "tagging", "points", "completion", "change", "job"],
                                           [150 if self.deep else 35, 6, 12, 6, 50, 12 if self.open_jobs else 0])[0]
        if kind == "job":
            return self.job_item()
        campaign = self.random.randrange(self.campaigns)
        account = "own" if self.chance(0.97) else "other"
        if kind in ("signup", "completion") and self.chance(0.4):
            account = 0
        command = {"kind": kind, "campaign": "unknown" if self.chance(0.005) else campaign, "account": account}
        if kind in ("signup", "tagging"):
            command |= {"full": account != 0, "skip_urls": self.chance(0.1), "skip_actions": self.chance(0.1),
                        "url": self.chance(0.2)}
            command |= self.person(campaign, account)
            if kind == "tagging":
                command |= {"tag_id": self.one_of(TAGS), "update": self.chance(0.5)}
        elif kind == "points":
            command |= {"points": self.choice([points for points in POINTS if points != 0]),
                        "leads": [self.reference(campaign) for _ in range(self.random.choice([1, 1, 1, 2, 5]))]}
            if self.chance(0.3):
                command["message"] = "Well done"
        elif kind == "completion":
            command |= {"lead": self.reference(campaign), "action_id": self.one_of(TAGS)}
            if self.chance(0.3):
                command["message"] = "from a page"
        elif self.chance(0.15):
            command |= self.proof(campaign, self.emails, self.phones)
        else:
            action = self.choice(ACTIONS)
            command |= {"account": 0, "action": action, "lead": self.reference(campaign, changed=True), **self.arguments(action)}
        return command

    def job_item(self):
        """Usually return the next item; sometimes one that is done, or not due yet."""
        job = self.choice(self.open_jobs)
        position = job[1]
        if self.chance(0.85):
            job[1] += 1
            if job[1] == 8:
                self.open_jobs.remove(job)
        else:
            position = max(0, position + self.choice([-1, 1]))
        return {"kind": "job", "job": job[0], "position": position}

    def proof(self, campaign, emails, phones):
        """Return a proof of an address, by a code or a link that was sent there. The lead rarely has another address by then."""
        channel = self.choice(["email", "phone"])
        address = self.choice(emails if channel == "email" else phones)
        lead = [channel, address] if self.chance(0.9) else ["social_id", self.of(campaign, changed=True)]
        return {"kind": "change", "campaign": campaign, "account": 0, "action": "verify", "lead": lead, "argument": channel,
                "address": address, "by_lead": True}

    # --- scenarios: many steps for the same two leads ---

    def joins(self, campaign, email, **fields):
        self.signups += 1
        return {"kind": "signup", "campaign": campaign, "account": "own", "full": True, "signup": self.signups, "email": email,
                "email_key": email, "source": "form", **fields}

    def changes(self, campaign, number, actions):
        action = self.choice(actions)
        return {"kind": "change", "campaign": campaign, "account": 0, "action": action, "lead": ["social_id", {"of": number}],
                **self.arguments(action)}

    def pair(self, campaign):
        """A lead refers another one: credit is booked and removed, while points, addresses and settings change."""
        ways = [lambda: self.changes(campaign, friend, ["block", "approve"]),
                lambda: self.changes(campaign, friend, ["block", "approve"]),
                lambda: self.changes(campaign, friend, ["verify", "unverify"]),
                lambda: {"kind": "points", "campaign": campaign, "account": "own", "points": self.choice([-99999, -2, -1, 1]),
                         "leads": [["social_id", {"of": referrer}]]},
                lambda: {**self.joins(campaign, f"n{self.signups}@example.org"), "subject": {"of": friend},
                         **({"phone": self.choice(self.phones)} if self.chance(0.2) else {})}]
        steps = [{"batch": [self.joins(campaign, f"n{self.signups}@example.org")]}]
        referrer = self.signups
        steps.append({"batch": [self.joins(campaign, f"n{self.signups}@example.org", referrer_id={"of": referrer})]})
        friend = self.signups
        for _ in range(self.random.randint(1, 3)):
            batch = {"batch": [self.choice(ways)() for _ in range(self.random.randint(1, 10))]}
            steps += self.choice([lambda: [batch], lambda: [batch, {"set": [campaign, self.other_settings()]}],
                                  lambda: self.while_ended(campaign, batch)])()
        return steps

    def exchange(self, campaign):
        """Two leads, and others that sign up in the meantime, exchange addresses."""
        emails = [f"n{self.signups}{letter}@example.org" for letter in "abc"]
        steps = [{"batch": [self.joins(campaign, email) for email in emails[:2]]}]
        numbers = [self.signups - 1, self.signups]
        ways = [lambda: {**self.joins(campaign, self.choice(emails)), "subject": {"of": self.choice(numbers)}},
                lambda: {**self.joins(campaign, self.choice(emails)), "subject": {"of": self.choice(numbers)}},
                lambda: self.joins(campaign, self.choice(emails)),
                lambda: self.changes(campaign, self.choice(numbers), ["delete"])]
        return steps + [{"batch": [self.random.choices(ways, [4, 4, 2, 1])[0]() for _ in range(self.random.randint(2, 8))]}
                        for _ in range(2)]

    def strangers(self, campaign):
        """Several callers, most of them without a key, use the same emails, phone numbers and redirect URLs."""
        emails = [f"n{self.signups}{letter}@example.org" for letter in "abc"]
        phones = [f"+1415666{(self.signups + number) % 10000:04}" for number in range(2)]
        first = self.signups

        def joins():
            key = self.chance(0.25)
            command = self.joins(campaign, self.choice(emails), account="own" if key else 0, full=key)
            if self.chance(0.7):
                command["phone"] = self.choice(phones)
            if "phone" in command and self.chance(0.3):
                del command["email"], command["email_key"]
            command |= {} if key else self.stranger(campaign)
            if "own_id" in command:
                command["own_id"] = {"of": self.random.randint(first, self.signups)}
            optional = {"redirect_url": self.choice(["/thanks", "/elsewhere"]), "must_exist": True}
            return command | {name: value for name, value in optional.items()
                              if self.chance(0.3 if name == "redirect_url" else 0.1)}

        ways = [joins, joins, lambda: self.proof(campaign, emails, phones)]
        return [{"batch": [self.choice(ways)() for _ in range(self.random.randint(1, 6))]} for _ in range(6)]

    # --- whole histories ---

    def batch(self, size, kind=None):
        commands = [self.command(kind) for _ in range(size)]
        for command in commands:
            if "signup" in command:
                self.known.setdefault(command["campaign"], []).append(command["signup"])
        return {"batch": commands}

    def history(self):
        steps = self.beginning()
        if not self.deep:
            steps += [self.batch(self.random.randint(1, 4) * self.campaigns, "signup") for _ in range(3)]
        for _ in range(60 if self.deep else self.random.randint(3, 9)):
            if self.chance(0.1 if self.deep else 0.35):
                steps += self.between()
            if self.chance(0.02 if self.deep else 0.15):
                steps += self.choice([self.pair, self.exchange, self.strangers])(self.random.randrange(self.campaigns))
            size = 1 if self.deep or self.chance(0.25) else self.random.randint(2, 32)
            steps.append(self.batch(size))
        return steps
