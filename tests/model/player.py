# SPDX-License-Identifier: MIT
"""Plays a history on the engine and on the model, and compares answers, events, deliveries, and finally the rows."""
import itertools
import json
import re
import time

from database import quoted
from plain import EVENTS, SETTINGS, Model, caller_network
from records import Campaign
from render import BASE_URL, payload

UNKNOWN = 999_999_999  # an id that does not exist
ALL_COUNTED = 4294967295
FIRST_ID = 1_000_000   # ids of the test, far below those that the programs assign
OPT_OUT_URL = re.compile(re.escape(BASE_URL) + r"/opt-out/\d+/\w{10}/(\w|-){16,}")
TIME = "%Y-%m-%dT%H:%M:%SZ"


class Difference(Exception):
    """Engine and model disagree."""


def difference(expected, got, path=""):
    """Return the differences between two values: [(path, expected, got)]."""
    if isinstance(expected, dict) and isinstance(got, dict):
        return [found for key in {**expected, **got}
                for found in difference(expected.get(key, "(absent)"), got.get(key, "(absent)"), f"{path}.{key}")]
    if isinstance(expected, list) and isinstance(got, list) and len(expected) == len(got):
        return [found for i, (a, b) in enumerate(zip(expected, got)) for found in difference(a, b, f"{path}[{i}]")]
    return [] if expected == got and type(expected) is type(got) else [(path, expected, got)]


def same(what, expected, got):
    # As JSON, where true is not 1.
    if json.dumps(expected, sort_keys=True) != json.dumps(got, sort_keys=True):
        lines = [f"  {path or '(all)'}: expected {a!r}, got {b!r}" for path, a, b in difference(expected, got)]
        raise Difference("\n".join([f"{what}:", *lines]))


def without_token(shown):
    """Check the opt-out links, and replace the token, which only the engine can calculate."""
    links = shown and shown.get("unsubscribe_url")
    if links:
        if not OPT_OUT_URL.fullmatch(links["default"]) or links["safe"] != links["default"] + "?safe=1":
            raise Difference(f"opt-out links: {links}")
        url = links["default"].rpartition("/")[0] + "/TOKEN"
        shown["unsubscribe_url"] = {"default": url, "safe": url + "?safe=1"}
    return shown


def integers(text):
    return [int(word) for word in text.split(",")] if text != "NULL" else []


class Player:
    ids = itertools.count(FIRST_ID)

    def __init__(self, runner, sql, admin):
        self.runner, self.sql, self.admin = runner, sql, admin
        self.model = Model()
        self.campaigns = []
        self.definitions = {}  # (campaign's place, kind): ids in order
        self.webhooks = {}
        self.people = {}       # number of a sign-up: social id
        self.counted_to = {}   # campaign with an incomplete count: number of the last lead whose address is counted
        self.jobs = {}         # number: (id, campaign, command's fields, lead ids)
        (self.last_event,), (self.last_delivery,) = sql.rows(
            "SELECT COALESCE(MAX(id), 0) FROM lh_events; SELECT COALESCE(MAX(id), 0) FROM lh_due")
        self.account, self.other_account = next(self.ids), next(self.ids)
        self.commits()
        sql.rows("INSERT INTO lh_accounts (id, name, created_ms) VALUES "
                 f"({self.account}, 'Account', 1), ({self.other_account}, 'Other', 1)")

    def play(self, steps):
        for number, step in enumerate(steps):
            (what, value), = step.items()
            try:
                getattr(self, "play_" + what)(*(value if isinstance(value, list) and what != "batch" else [value]))
            except Difference as found:
                raise Difference(f"step {number}: {found}") from None
        self.compare_rows()
        for place, campaign in enumerate(self.campaigns):
            if not campaign.counted:
                self.play_set(place, {"max_per_ip": campaign.settings["max_per_ip"]})
                self.compare_counters(campaign)

    # --- steps that are not commands ---

    def play_campaign(self, settings):
        id = next(self.ids)
        settings = SETTINGS | settings
        names = ", ".join(settings)
        values = ", ".join(quoted(value) for value in settings.values())
        self.sql.rows(f"INSERT INTO lh_campaigns (id, account_id, name, created_ms, {names}) "
                      f"VALUES ({id}, {self.account}, 'Campaign', 1, {values});"
                      "INSERT INTO lh_campaign_counters (campaign_id, ip_counted_to) "
                      f"VALUES ({id}, {ALL_COUNTED if settings['max_per_ip'] else 0})")
        self.model.campaigns[id] = Campaign(id, self.account, settings)
        self.campaigns.append(self.model.campaigns[id])

    def play_set(self, place, settings):
        campaign = self.campaigns[place]
        number = settings.get("max_per_ip", campaign.settings["max_per_ip"])
        if (number == 0) != (campaign.settings["max_per_ip"] == 0) or ("max_per_ip" in settings and not campaign.counted):
            # The command counts the existing leads, or continues an incomplete count.
            self.admin("campaign", "set", str(campaign.id), f"max_per_ip={number}")
            campaign.counted = True
        self.update("campaigns", campaign.id, settings)
        campaign.settings |= settings

    def play_uncount(self, place):
        """Restore the state after a killed count of leads per address."""
        campaign = self.campaigns[place]
        if campaign.settings["max_per_ip"]:
            campaign.counted = False
            number = campaign.last_number // 2
            self.sql.rows(f"DELETE FROM lh_ip_leads WHERE campaign_id = {campaign.id};"
                          "INSERT INTO lh_ip_leads SELECT campaign_id, IF(ip LIKE '%:%', '2001:db8::/64', ip) AS network, COUNT(*) FROM lh_leads "
                          f"WHERE campaign_id = {campaign.id} AND subscription_number <= {number} AND ip IS NOT NULL "
                          "AND COALESCE(fraud_flags, '') NOT LIKE '%\"duplicate_ip\"%' GROUP BY network;"
                          f"UPDATE lh_campaign_counters SET ip_counted_to = {number} WHERE campaign_id = {campaign.id}")
            self.counted_to[campaign.id] = number

    def change_settings(self, statement):
        """Change rows as an operator's command does, with a new version."""
        self.sql.rows(f"{statement}; UPDATE lh_campaign_counters SET settings_version = settings_version + 1")

    def update(self, table, id, values):
        self.change_settings(f"UPDATE lh_{table} SET {', '.join(f'{name} = {quoted(value)}' for name, value in values.items())} "
                             f"WHERE id = {id}")

    def play_end(self, place, how):
        """End or reopen a campaign."""
        campaign = self.campaigns[place]
        campaign.ended = not campaign.ended
        past = 1 if campaign.ended else None
        self.update("campaigns", campaign.id, {"ended_ms": past if how == "command" else None,
                                               "ends_ms": past if how == "time" else None})

    def play_suspend(self, place, suspended):
        for campaign in self.campaigns:
            campaign.suspended = suspended
        self.update("accounts", self.account, {"suspended_ms": 1 if suspended else None})

    TABLES = {"tag": "tags", "action": "actions", "reward": "reward_levels"}

    def known(self, place, kind):
        return {"tag": self.campaigns[place].tags, "action": self.campaigns[place].actions,
                "reward": self.campaigns[place].rewards}[kind]

    def definition(self, place, kind, index):
        ids = self.definitions.get((place, kind), [])
        return ids[index] if index is not None and index < len(ids) else UNKNOWN

    def existing_tag(self, place, index):
        id = self.definition(place, "tag", index)
        return id if id in self.campaigns[place].tags else None

    def play_define(self, place, kind, values):
        id = next(self.ids)
        if kind == "action":
            values = values | {"tag_id": self.existing_tag(place, values["tag_id"])}
        self.change_settings(f"INSERT INTO lh_{self.TABLES[kind]} (id, campaign_id, {', '.join(values)}) VALUES "
                             f"({id}, {self.campaigns[place].id}, {', '.join(map(quoted, values.values()))})")
        self.definitions.setdefault((place, kind), []).append(id)
        self.known(place, kind)[id] = values

    def play_redefine(self, place, index, tag_index, points):
        """Change the tag and the points of an action."""
        id = self.definition(place, "action", index)
        if id in self.campaigns[place].actions:
            values = {"tag_id": self.existing_tag(place, tag_index), "points": points}
            self.update("actions", id, values)
            self.campaigns[place].actions[id] = self.campaigns[place].actions[id] | values

    def play_remove(self, place, kind, index):
        id = self.definition(place, kind, index)
        self.change_settings(f"DELETE FROM lh_{self.TABLES[kind]} WHERE id = {id}")
        self.known(place, kind).pop(id, None)

    def play_webhook(self, place, events):
        id = next(self.ids)
        mask = sum(1 << EVENTS.index(event) for event in events)
        self.change_settings(f"INSERT INTO lh_webhooks (id, campaign_id, url, url_hash, events, secret, created_ms) VALUES ({id}, "
                      f"{self.campaigns[place].id}, 'https://hook.example/{id}', UNHEX(SHA2('{id}', 256)), {mask}, 's', 1);"
                      f"INSERT INTO lh_webhook_status (webhook_id) VALUES ({id})")
        self.webhooks.setdefault(place, []).append(id)
        self.campaigns[place].webhooks[id] = {"events": events, "state": "active"}

    def play_state(self, place, index, state):
        ids = self.webhooks.get(place, [])
        if index < len(ids):
            self.update("webhooks", ids[index], {"state": state})
            self.campaigns[place].webhooks[ids[index]]["state"] = state

    def play_queue(self, number, place, words):
        campaign = self.campaigns[place]
        words = {name: value for name, value in words.items() if value is not None}
        references = [self.reference(reference) for reference in words["leads"]]
        if "tag_id" in words:
            words = words | {"tag_id": self.definition(place, "tag", words["tag_id"])}
        named = [lead for lead in (campaign.find(*reference) for reference in references) if lead is not None]
        found = {lead.parent if words.get("referrers") else lead.id for lead in named} & set(campaign.leads)
        answer = self.runner.call("queue", words | {"campaign": campaign.id, "leads": references})
        self.commits()
        same("leads that a bulk call matches", len(found), answer["matched"])
        rows = self.sql.rows("SELECT id, lead_ids FROM lh_bulk_jobs ORDER BY id DESC LIMIT 1") if found else []
        self.jobs[number] = (0, place, words, [])
        for id, lead_ids in rows:
            same("leads of a bulk job", sorted(found), sorted(integers(lead_ids)))
            self.jobs[number] = (int(id), place, words, integers(lead_ids))
            self.model.jobs[int(id)] = [0, integers(lead_ids)]

    # --- commands ---

    def social_id(self, named):
        return named if isinstance(named, str) else self.people.get(named["of"], "0000000000")

    def reference(self, reference):
        return [reference[0], self.social_id(reference[1]) if reference[0] == "social_id" else reference[1]]

    def job_command(self, symbolic):
        """Return the command of an item; None if the job has no such item."""
        id, place, words, lead_ids = self.jobs.get(symbolic["job"], (0, 0, {}, []))
        if symbolic["position"] >= len(lead_ids):
            return None
        return {"kind": "change", "campaign": self.campaigns[place].id, "action": words["action"], "job_id": id,
                "job_position": symbolic["position"], "lead": ["id", lead_ids[symbolic["position"]]],
                **{name: words[name] for name in ("tag_id", "argument") if name in words}}

    def command(self, symbolic):
        if symbolic["kind"] == "job":
            return self.job_command(symbolic)
        place = symbolic["campaign"]
        command = {name: value for name, value in symbolic.items() if value is not None and name != "signup"}
        command["campaign"] = UNKNOWN if place == "unknown" else self.campaigns[place].id
        command["account"] = {"own": self.account, "other": self.other_account, 0: 0}[symbolic["account"]]
        for name in ("subject", "referrer_id", "own_id"):
            if name in command:
                command[name] = self.social_id(command[name])
        for kind in ("tag", "action"):
            if f"{kind}_id" in command:
                command[f"{kind}_id"] = self.definition(place, kind, command[f"{kind}_id"])
        if "lead" in command:
            command["lead"] = self.reference(command["lead"])
        if "leads" in command:
            command["leads"] = [self.reference(reference) for reference in command["leads"]]
        return command

    def play_batch(self, symbolic):
        pairs = [(one, self.command(one)) for one in symbolic]
        pairs = [(one, command) for one, command in pairs if command is not None]
        if not pairs:
            return
        began = time.time()
        outcomes = self.runner.call("commands", [command for _, command in pairs])["outcomes"]
        if self.commits() > 1:
            raise Difference("the batch failed as a whole and was run again in single commands")
        rows = self.events()
        deliveries = []
        for number, ((one, command), outcome) in enumerate(zip(pairs, outcomes)):
            body = outcome["body"]
            result = self.model.apply(command, body and body | {"id": outcome["lead"]})
            what = f"command {number}, {json.dumps(command)}"
            same(f"{what}: failure", result.failure, outcome["failure"])
            same(f"{what}: answer", result.body, without_token(body))
            self.compare_events(what, result.events, rows, deliveries)
            if one.get("signup") and body and body["social_id"]:
                self.people[one["signup"]] = body["social_id"]
                if body["subscription_number"] == self.model.campaigns[command["campaign"]].last_number:
                    self.check_time(body["when"], began)
        same("unexpected events", [], [row[2:] for row in rows])
        self.compare_deliveries(deliveries)

    def commits(self):
        """Return the number of commits since the last call."""
        (count,), = self.sql.rows("SELECT COUNT(*) FROM lh_commit_tokens; DELETE FROM lh_commit_tokens")
        return int(count)

    @staticmethod
    def check_time(when, began):
        """Check `when` of a lead that this history created."""
        if not began - 600 <= time.mktime(time.strptime(when, TIME)) - time.timezone <= time.time() + 1:
            raise Difference(f"created at {when}")

    def events(self):
        rows = self.sql.rows(f"SELECT id, campaign_id, lead_id, type, payload, form_brackets FROM lh_events WHERE id > {self.last_event} "
                             "ORDER BY id")
        if rows:
            self.last_event = rows[-1][0]
        return rows

    def compare_events(self, what, expected, rows, deliveries):
        """Remove the events from the rows, and add their deliveries."""
        got = rows[:len(expected)]
        del rows[:len(expected)]
        names = [(event.campaign, event.lead, event.type) for event in expected]
        same(f"{what}: events", names, [(int(row[1]), int(row[2]), EVENTS[int(row[3])]) for row in got])
        for event, row in zip(expected, got):
            same(f"{what}: {event.type} of {event.lead}", event.payload, without_token(json.loads(row[4])))
            same(f"{what}: form_brackets", int(self.model.campaigns[event.campaign].settings["compat"]), int(row[5]))
            deliveries += [(int(row[0]), id) for id, webhook in self.model.campaigns[event.campaign].webhooks.items()
                           if event.type in webhook["events"]]

    def compare_deliveries(self, expected):
        rows = self.sql.rows(f"SELECT id, event_id, webhook_id FROM lh_due WHERE id > {self.last_delivery} ORDER BY id")
        if rows:
            self.last_delivery = rows[-1][0]
        same("deliveries (event, webhook)", sorted(expected), sorted((int(row[1]), int(row[2])) for row in rows))

    # --- final rows ---

    def compare_rows(self):
        for campaign in self.campaigns:
            for full in (True, False):
                shown = self.runner.call("show", {"campaign": campaign.id, "full": full})
                expected = [payload(campaign, lead, full) for lead in campaign.leads.values()]
                same("the list of leads", expected, [without_token(lead) for lead in shown["leads"]])
            same("leaders", campaign.leaders()[:250], shown["leaders"])
            self.compare_counters(campaign)
            self.compare_leads(campaign)
            self.compare_ledgers(campaign)
            self.compare_links(campaign)
        jobs = [id for id, _, _, lead_ids in self.jobs.values() if lead_ids]
        rows = self.sql.rows("SELECT id, position FROM lh_bulk_jobs "
                             f"WHERE id IN ({', '.join(map(str, jobs))})") if jobs else []
        same("jobs", {id: position for id, (position, _) in self.model.jobs.items()}, {int(id): int(p) for id, p in rows})

    def compare_counters(self, campaign):
        expected = campaign.stats() | {"last_subscription_number": campaign.last_number}
        row, = self.sql.rows(f"SELECT {', '.join(expected)} FROM lh_campaign_counters WHERE campaign_id = {campaign.id}")
        same("counters", expected, dict(zip(expected, map(int, row))))
        expected = campaign.stats()
        sums = ", ".join(f"COALESCE(SUM({name}), 0)" for name in expected)
        row, = self.sql.rows(f"SELECT {sums} FROM lh_lead_hours WHERE campaign_id = {campaign.id}")
        same("counts by hour", expected, dict(zip(expected, map(int, row))))
        ips = {}
        counted_to = campaign.last_number if campaign.counted else self.counted_to[campaign.id]
        for lead in campaign.leads.values() if campaign.settings["max_per_ip"] else []:
            if lead.ip is not None and "duplicate_ip" not in lead.flags and lead.number <= counted_to:
                ips[caller_network(lead.ip)] = ips.get(caller_network(lead.ip), 0) + 1
        rows = self.sql.rows(f"SELECT ip, leads FROM lh_ip_leads WHERE campaign_id = {campaign.id} AND leads <> 0")
        same("leads of each address", ips, {ip: int(leads) for ip, leads in rows})

    def compare_leads(self, campaign):
        """Compare the columns that are in no payload."""
        rows = self.sql.rows("SELECT id, COALESCE(fraud_flags, '[]'), times_flagged, announced, removed_from_waitlist, "
                             "shared, token_epoch, claimed, proven, tag_ids, action_ids, reward_ids, source, user_agent FROM lh_leads "
                             f"WHERE campaign_id = {campaign.id} ORDER BY subscription_number")
        got = [[int(row[0]), json.loads(row[1]), *map(int, row[2:9]), *map(integers, row[9:12]), *row[12:]] for row in rows]
        same("rows of leads", [[lead.id, lead.flags, lead.times_flagged, int(lead.announced), int(lead.removed_from_waitlist),
                                int(lead.shared), lead.token_epoch, [None, "email", "phone_number"].index(lead.claimed),
                                ("email" in lead.proven) + 2 * ("phone" in lead.proven), lead.tags, lead.actions, lead.rewards, lead.source, lead.user_agent or "NULL"]
                               for lead in campaign.leads.values()], got)

    def compare_ledgers(self, campaign):
        """Compare ledgers. The ref of custom points is any number, and unique for each call."""
        rows = self.sql.rows("SELECT lead_id, reason, ref, round, delta, requested, COALESCE(message, '') FROM lh_score_entries "
                             f"WHERE lead_id IN (SELECT id FROM lh_leads WHERE campaign_id = {campaign.id})")
        got = sorted((int(row[0]), row[1], 0 if row[1] == "custom" else int(row[2]), *map(int, row[3:6]), row[6])
                     for row in rows)
        expected = sorted((lead.id, entry.reason, 0 if entry.reason == "custom" else entry.ref, entry.round, entry.delta,
                           entry.requested, entry.message or "") for lead in campaign.leads.values() for entry in lead.ledger)
        same("ledger", expected, got)

    def compare_links(self, campaign):
        """Compare links. Links of deleted leads do not change."""
        leads = ", ".join(map(str, {lead for lead, _ in campaign.links})) or "0"
        rows = self.sql.rows("SELECT lead_id, level, ancestor_id, counted, counts, settled, verified_settled, earned, credit, set_off "
                             f"FROM lh_referral_links WHERE lead_id IN ({leads})")
        expected = {f"{link.lead} {link.level}": [link.ancestor, link.counted, int(link.counts), int(link.settled),
                                                  int(link.verified_settled), link.earned, link.credit, link.set_off] for link in campaign.links.values()}
        same("links", expected, {f"{row[0]} {row[1]}": [int(row[2]), row[3], *map(int, row[4:])] for row in rows})
