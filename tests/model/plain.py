# SPDX-License-Identifier: MIT
"""A plain model of the lead engine, from docs/api.md 4.3 to 4.7 and 6, with which the engine is compared.

It is as simple as possible: values are calculated again instead of stored, except for the ledger and the links of a
referral chain. Commands are dictionaries as tests/model/batch_runner.c reads them, and are applied one by one.
"""
import copy
import dataclasses
import ipaddress
import json
import urllib.parse
from typing import Optional

from custom_fields import merged
from owners import ALL, OWN, Owners
from records import LEVELS, Entry, Lead, Link, Refused
from render import payload, withheld

EVENTS = ["new_signup", "repeat_signup", "marked_as_fraudulent", "new_signup_not_excluded", "opted_out", "phone_number_opt_out",
          "verified", "tagged", "score_change", "reward_level", "referral", "deleted"]
REASONS = ["signup", "custom", "tag", "action", "referral", "verified", "fraud", "approve"]
DISPOSABLE_DOMAINS = ["disposable.example"]
ADDRESS_FLAGS = ["blocked_email_domain", "disposable_email"]
SETTINGS = {
    "jump_start": 0, "privacy": True, "require_key": False, "compat": False, "landing_url": None, "thankyou_url": None,
    "status_url": None, "points_signup": 0, "points_direct": 1, "points_indirect": 0, "points_verified": 0,
    "require_verification": False, "waitlist": False, "max_per_ip": 0, "blocked_email_domains": [], "blocked_referrers": [], "allowed_networks": [],
    "public_lookup": 0, "public_update": 0, "verify_email": False, "verify_phone": False,
}


def caller_network(ip):
    """Return the network by which leads are counted (docs/api.md 4.6)."""
    return str(ipaddress.ip_network(ip + "/64", strict=False)) if ":" in ip else ip


@dataclasses.dataclass
class Event:
    campaign: int
    lead: int
    type: str
    payload: dict


@dataclasses.dataclass
class Result:
    failure: Optional[str] = None
    body: Optional[dict] = None
    events: list = dataclasses.field(default_factory=list)


def mailbox(email_key):
    """Return the key without the tag and, at Gmail, without dots."""
    local, _, domain = email_key.rpartition("@")
    local = local.partition("+")[0] or local
    gmail = domain in ("gmail.com", "googlemail.com")
    return f"{local.replace('.', '')}@gmail.com" if gmail else f"{local}@{domain}"


def in_domains(host, domains):
    return any(host == domain or host.endswith("." + domain) for domain in domains)


class Model:
    def __init__(self):
        self.campaigns = {}
        self.jobs = {}  # id: [position, lead ids]
        self.calls = 0

    def apply(self, command, learned=None):
        """The result of a command. `learned` is the engine's answer with the lead's id, of which only a new lead's id,
        social id and time are used."""
        try:
            return Step(self, command, learned).run()
        except Refused as refused:
            return Result(failure=str(refused))

    def take_job(self, command):
        """True when this is the job's next item. Advances the job, and removes it at its end."""
        job = self.jobs.get(command["job_id"])
        if job is None or job[0] != command["job_position"]:
            return False
        job[0] += 1
        if job[0] == len(job[1]):
            del self.jobs[command["job_id"]]
        return True


class Step(Owners):
    """One command."""

    def __init__(self, model, command, learned):
        self.model, self.command, self.learned = model, command, learned
        self.sent = command  # including what is left out later
        self.campaign = model.campaigns.get(command["campaign"])
        self.emitted = []  # (type, lead id, extra)
        self.answer = None
        self.created = self.proven = None
        self.withheld = False
        self.deleted = None
        self.deletion = []

    def run(self):
        self.refuse()
        before = {id: copy.copy(lead) for id, lead in self.campaign.leads.items()}
        scores = {id: lead.score for id, lead in before.items()}
        getattr(self, self.command["kind"])()
        self.recount()
        self.compare(before, scores)
        self.emitted.sort(key=lambda emitted: (EVENTS.index(emitted[0]), emitted[1]))
        if self.deleted:
            del self.campaign.leads[self.deleted.id]
        events = self.events(self.emitted) + self.deletion
        view = [self.command.get(name, False) for name in ("full", "skip_urls", "skip_actions", "url")]
        sent = self.command.get("redirect_url") is not None
        own = self.command.get("account", 0) == 0 and (
            self.answer is self.created or self.answer is self.proven or self.owns(self.answer))
        body = payload(self.campaign, self.answer, *view, redirect_sent=sent, own=own) if self.answer else None
        if self.withheld:
            body = withheld(self.campaign, self.command.get("skip_urls"), self.command.get("redirect_url"))
        return Result(body=body, events=events)

    def events(self, emitted):
        return [Event(self.campaign.id, id, type, self.event_payload(id, type, extra)) for type, id, extra in emitted if self.subscribed(type)]

    # --- refusals (docs/api.md 2) ---

    def refuse(self):
        account, kind = self.command.get("account", 0), self.command["kind"]
        if self.campaign is None or account not in (0, self.campaign.account):
            raise Refused("campaign_not_found")
        if self.campaign.suspended and not self.command.get("job_id"):
            raise Refused("account_suspended")
        if self.campaign.ended and kind != "change" and not (kind == "signup" and self.command.get("edits")):
            raise Refused("campaign_ended")

    # --- the kinds of commands ---

    def signup(self):
        lead = self.match()
        if lead is None:
            self.answer = self.create()
        elif not self.may_change(lead):
            merged(self.command)
            self.shares(lead)
            self.judge_again(lead)
            self.settle(lead)
            self.count(lead)
            self.answer = lead
        else:
            self.answer = self.update(lead)
        self.withheld = lead is not None and not (self.owns(lead) or self.shows_addresses())
        self.points_with_it(self.answer)

    def count(self, lead):
        if self.campaign.settings["public_update"] in (ALL, OWN) and not self.command.get("unproven"):
            lead.counter += 1
            self.emitted.append(("repeat_signup", lead.id, None))

    def tagging(self):
        if self.command["tag_id"] not in self.campaign.tags:
            raise Refused("tag_not_found")
        lead = self.match()
        if lead is None:
            lead = self.create()
            self.points_with_it(lead)
        elif self.command.get("update"):
            lead = self.update(lead)
            self.points_with_it(lead)
        else:
            self.shares(lead)
        self.tag(lead, self.command["tag_id"])
        self.answer = lead

    def points(self):
        found = [self.campaign.find(*reference) for reference in self.command["leads"]]
        leads = {lead.id: lead for lead in found if lead is not None}
        if not leads:
            raise Refused("leads_not_found")
        self.model.calls += 1
        for lead in leads.values():
            self.book(lead, "custom", ("call", self.model.calls), 0, self.command["points"], self.command.get("message"))

    def completion(self):
        action = self.campaign.actions.get(self.command["action_id"])
        if action is None or (not self.command.get("account") and not (action["public"] and action["tag_id"] is None)):
            raise Refused("action_not_found")
        if action["tag_id"] is not None:
            raise Refused("invalid_action")
        lead = self.campaign.find(*self.command["lead"])
        if lead is None:
            raise Refused("lead_not_found")
        self.complete(lead, self.command["action_id"], self.command.get("message"))

    def change(self):
        if self.command.get("job_id") and not self.model.take_job(self.command):
            raise Refused("not_found")
        lead = self.campaign.find(*self.command["lead"])
        if lead is None:
            raise Refused("lead_not_found")
        if self.command.get("tag_id", 0) not in (0, *self.campaign.tags):
            raise Refused("tag_not_found")
        getattr(self, "change_" + self.command["action"])(lead)

    def change_optout(self, lead):
        lead.opted_out = True

    def change_sms_optout(self, lead):
        lead.sms_opted_out = True

    def change_sms_optin(self, lead):
        lead.sms_opted_out = False

    def change_waitlist(self, lead):
        lead.waitlisted, lead.removed_from_waitlist = True, False

    def change_unwaitlist(self, lead):
        if lead.waitlisted:
            lead.waitlisted, lead.removed_from_waitlist = False, True

    def change_verify(self, lead):
        channel = self.command.get("argument") or ("email" if lead.email and lead.claimed != "email" else "phone")
        was, by_lead = lead.verified, self.command.get("by_lead")
        if by_lead:
            self.confirm(lead, channel)
        if channel == "email" and lead.email:
            lead.verified_email = True
        if channel == "phone" and lead.phone:
            lead.verified_phone = True
        if lead.verified and not was:
            if "unproven" in lead.flags:
                lead.flags = [flag for flag in lead.flags if flag != "unproven"]
                if not lead.fraudulent:
                    self.announce(lead)
            self.book_signup(lead)
            self.credit(lead, "verify")
        if by_lead:
            self.show_confirmed(lead, channel)

    def change_unverify(self, lead):
        channel = self.command.get("argument")
        lead.verified_email = lead.verified_email and channel == "phone"
        lead.verified_phone = lead.verified_phone and channel == "email"
        lead.proven = lead.proven & {name for name in ("email", "phone") if name != (channel or name)}

    def change_block(self, lead):
        reason = self.command.get("argument") or "manual"
        self.flag(lead, ["manual", reason] if reason in ("duplicate_ip", "blocked_referrer", "unproven", "own_referral", *ADDRESS_FLAGS) else [reason])

    def change_approve(self, lead):
        if lead.fraudulent:
            lead.flags = []
            self.announce(lead)
            self.credit(lead, "approve")

    def change_tag(self, lead):
        self.tag(lead, self.command["tag_id"])

    def change_delete(self, lead):
        self.deletion = self.events([("deleted", lead.id, None)])  # with the lead as it was
        self.deleted = lead
        if self.command.get("by_lead"):
            self.take_back(lead, past_deleted=True)
            for link, ancestor in self.campaign.chain(lead, past_deleted=True):
                ancestor.points_owed += 0 if self.campaign.ended else link.credit + link.set_off

    # --- matching (docs/api.md 4.3) ---

    def match(self):
        command, find = self.command, self.campaign.find
        by_email = find("email", command["email_key"]) if command.get("email_key") else None
        by_phone = find("phone", command["phone"]) if command.get("phone") else None
        if not command.get("account") and by_email is not by_phone and command.get("email_key") and command.get("phone"):
            by_email, by_phone = self.leave_out(by_email, by_phone)
        if command.get("subject"):
            lead = find("social_id", command["subject"])
            if lead is None:
                raise Refused("lead_not_found")
        else:
            lead = by_email or by_phone
        if any(other is not None and other is not lead for other in (by_email, by_phone)):
            raise Refused("conflicting_identifiers")
        if lead is None and command.get("must_exist"):
            raise Refused("lead_not_found")
        return lead

    def leave_out(self, by_email, by_phone):
        """If the two addresses do not belong to the same lead, one of them decides for a stranger: the number if only numbers are
        proven.
        """
        settings = self.campaign.settings
        if settings["verify_phone"] and not settings["verify_email"] and not (by_email and self.owns(by_email)):
            if by_email:
                self.command = self.command | {"email": None, "email_key": None}
            return None, by_phone
        if by_phone and not by_email and (
                not by_phone.email or (by_phone.claimed == "email" and self.owns(by_phone))) and self.may_update(by_phone) and (
                self.shows_addresses() and (self.owns(by_phone) or not settings["verify_phone"])):
            return None, by_phone
        if by_phone:
            self.command = self.command | {"phone": None}
        return by_email, None

    # --- creation and update (docs/api.md 4.3, 4.4, 4.6) ---

    def create(self):
        command, campaign = self.command, self.campaign
        parent = campaign.find("social_id", command["referrer_id"]) if command.get("referrer_id") else None
        fields, keyed = merged(self.command)
        campaign.last_number += 1
        known = self.learned or {}
        lead = Lead(known.get("id", 0), known.get("social_id", "?"), campaign.id, campaign.last_number, known.get("when", "?"),
                    parent=parent.id if parent else None, email=command.get("email"), email_key=command.get("email_key"),
                    phone=command.get("phone"), waitlisted=campaign.settings["waitlist"], custom_fields=fields, keyed_fields=keyed,
                    referrer=command.get("referrer"), source=command.get("source"), ip=command.get("ip"),
                    user_agent=command.get("user_agent"), uid=command.get("uid"), redirect_url=command.get("redirect_url"),
                    redirect_by_key=command.get("redirect_url") is not None and command.get("account", 0) != 0)
        if command.get("utm"):
            lead.utm = json.loads(command["utm"])
        chain = [parent.id] + [ancestor.id for _, ancestor in campaign.chain(parent)] if parent else []
        for level, ancestor in enumerate(chain[:LEVELS], 1):
            campaign.links[lead.id, level] = Link(lead.id, level, ancestor)
        campaign.leads[lead.id] = self.created = lead
        self.emitted.append(("new_signup", lead.id, None))
        own = self.is_own_referral(lead, self.sent.get("phone"))
        self.flag(lead, self.flags_at_signup(lead) + (["own_referral"] if own else []))
        lead.points_due = campaign.settings["points_signup"]
        self.book_signup(lead)
        if not lead.fraudulent:
            self.announce(lead)
            self.credit(lead, "creation")
        return lead

    def judge_again(self, lead):
        """A visitor's sign-up removes the flags that this sign-up itself would not get. The lead then counts for the visitor's IP
        address, even if that would show whether it is new.
        """
        command, passing, settings = self.command, {"duplicate_ip", "blocked_referrer"}, self.campaign.settings
        judged = dataclasses.replace(lead, **{name: command.get(name) for name in ("ip", "referrer", "source")})
        flags, direct = self.flags_at_signup(judged), command.get("account", 0) == 0
        if command.get("edits") or not command.get("ip"):
            return
        visitor = direct or (command.get("replace_ip") and judged.source != "API")
        removed = passing & set(lead.flags) - (set() if direct or judged.referrer else {"blocked_referrer"})
        clears = removed and visitor and not command.get("unproven") and not passing & set(flags)
        hides = direct and settings["max_per_ip"] and self.campaign.counted and self.campaign.hides_unverified()
        has_room, own = hides and "duplicate_ip" not in flags, [flag for flag in ("unproven", "blocked_referrer") if flag in flags]
        if has_room and not clears and "duplicate_ip" in lead.flags and own:
            lead.flags = own + [flag for flag in lead.flags if flag not in ("duplicate_ip", *own)]
        if clears or (has_room and "duplicate_ip" not in lead.flags):
            lead.ip = command["ip"]
        if clears:
            lead.flags = [flag for flag in lead.flags if flag not in removed]
            if not lead.fraudulent:
                self.announce(lead)
                self.credit(lead, "creation")

    def judge_address(self, lead, key):
        """Judge a changed email address, set by a caller with a key or without."""
        was = lead.fraudulent
        flags = [flag for flag in lead.flags if flag not in (*ADDRESS_FLAGS, "own_referral")] + ([] if key else self.address_flags(lead))
        if not key and self.is_own_referral(lead, lead.phone):
            flags.append("own_referral")
        if flags and not was:
            self.flag(lead, flags)
            return
        lead.flags = flags
        if was and not flags:
            self.announce(lead)
            self.credit(lead, "approve")

    def is_own_referral(self, lead, phone):
        """Return whether a lead further up the chain has the lead's mailbox or number."""
        return any((phone and above.phone == phone) or (lead.email_key and above.email_key and mailbox(above.email_key) == mailbox(lead.email_key))
                   for _, above in self.campaign.chain(lead))

    def address_flags(self, lead):
        domain = lead.email_key.rpartition("@")[2] if lead.email_key else ""
        lists = zip(ADDRESS_FLAGS, (self.campaign.settings["blocked_email_domains"], DISPOSABLE_DOMAINS))
        return [flag for flag, domains in lists if in_domains(domain, domains)]

    def flags_at_signup(self, lead):
        settings, flags = self.campaign.settings, []
        others = [other for other in self.campaign.leads.values() if other.id != lead.id and None not in (other.ip, lead.ip)
                  and "duplicate_ip" not in other.flags
                  and caller_network(other.ip) == caller_network(lead.ip)]
        free = (lead.source == "API" and self.command.get("account", 0) != 0) or (
            lead.ip is not None and any(ipaddress.ip_address(lead.ip) in ipaddress.ip_network(network)
                                        for network in settings["allowed_networks"]))
        if settings["max_per_ip"] and lead.ip and self.campaign.counted and len(others) >= settings["max_per_ip"] and not free:
            flags.append("duplicate_ip")
        flags += self.address_flags(lead)
        if lead.referrer and in_domains(urllib.parse.urlsplit(lead.referrer).hostname or "", settings["blocked_referrers"]):
            flags.append("blocked_referrer")
        if self.command.get("unproven"):
            flags.append("unproven")
        return flags

    def update(self, lead):
        command, key = self.command, self.command.get("account", 0) != 0
        lead.custom_fields, lead.keyed_fields = merged(self.command, lead.custom_fields, lead.keyed_fields)
        self.shares(lead)
        self.judge_again(lead)
        if not command.get("edits"):
            lead.counter += 1
            self.emitted.append(("repeat_signup", lead.id, None))
        if not command.get("keep_opt_out") and not command.get("edits"):
            lead.opted_out = False
        owns, before = self.owns(lead), (lead.email_key, lead.phone)
        may_add = key or owns or (self.shows_addresses() and not self.campaign.settings["verify_phone"])
        email, phone = (command.get("email_key"), command.get("phone")) if may_add else (None, None)
        was_verified = lead.verified
        if email and email != lead.email_key and (key or lead.email is None or (owns and lead.claimed == "email")):
            lead.email, lead.email_key, lead.verified_email = command["email"], email, False
            lead.proven = lead.proven - {"email"}
        corrects = owns and (lead.claimed == "phone_number" or (not lead.verified_phone and self.campaign.hides_unverified()))
        if phone and phone != lead.phone and (key or corrects or lead.phone is None):
            lead.sms_opted_out = lead.sms_opted_out and lead.phone is None
            lead.phone, lead.verified_phone, lead.proven = phone, False, lead.proven - {"phone"}
        new = {"email": lead.email_key != before[0], "phone_number": lead.phone != before[1]}
        sent = {"email": email == lead.email_key, "phone_number": phone == lead.phone}
        if not key and not owns:
            lead.claimed = next((name for name, is_new in new.items() if is_new), lead.claimed)
        elif lead.claimed and (new[lead.claimed] or (sent[lead.claimed] and (owns or command.get("edits")))):
            lead.claimed = None
        changed = [old for old, new in zip(before, (lead.email_key, lead.phone)) if old != new]
        replaced = not owns and ((new["email"] and before[0]) or (new["phone_number"] and before[1]))
        if replaced or (changed and not owns and not was_verified):
            lead.token_epoch += 1
        for name in ("uid", "redirect_url"):
            if command.get(name) is not None:
                setattr(lead, name, command[name])
        if command.get("redirect_url") is not None:
            lead.redirect_by_key = key
        for name in ("ip", "user_agent"):
            if command.get("replace_" + name) and command.get(name) is not None:
                setattr(lead, name, command[name])
        if lead.utm is None and command.get("utm"):
            lead.utm = json.loads(command["utm"])
        if new["email"]:
            self.judge_address(lead, key)
        self.settle(lead)
        return lead

    def settle(self, lead):
        """Book what became due before the settings changed."""
        self.book_signup(lead)
        self.credit(lead, "repetition")

    def points_with_it(self, lead):
        self.model.calls += 1
        self.book(lead, "custom", ("call", self.model.calls), 0, self.command.get("points", 0))

    # --- scores (docs/api.md 4.6) ---

    def book(self, lead, reason, ref, round, requested, message=None):
        """Book points; return how many were booked."""
        if requested == 0 or self.campaign.ended:
            return 0
        assert not any((entry.reason, entry.ref, entry.round) == (reason, ref, round) for entry in lead.ledger), \
            "the same cause is booked only once"
        delta = max(requested, -lead.score)
        # A copy, because the lead's state before the command has the old ledger.
        lead.ledger = lead.ledger + [Entry(reason, ref, round, delta, requested, message)]
        return delta

    def book_signup(self, lead):
        if lead.verified or not self.campaign.hides_unverified():
            lead.points_due = self.book(lead, "signup", 0, 0, lead.points_due) and 0

    def tag(self, lead, tag_id):
        if tag_id in lead.tags:
            return
        tag = self.campaign.tags[tag_id]
        lead.tags = lead.tags + [tag_id]
        shown_id = str(tag_id) if self.campaign.settings["compat"] else tag_id
        self.emitted.append(("tagged", lead.id, {"tag_id": shown_id, "name": tag["name"], "points": tag["points"]}))
        self.book(lead, "tag", tag_id, 0, tag["points"])
        for action_id in sorted(self.campaign.actions):
            if self.campaign.actions[action_id]["tag_id"] == tag_id:
                self.complete(lead, action_id)

    def complete(self, lead, action_id, message=None):
        if action_id not in lead.actions:
            lead.actions = lead.actions + [action_id]
            self.book(lead, "action", action_id, 0, self.campaign.actions[action_id]["points"], message)

    # --- referrals and fraud (docs/api.md 4.6) ---

    def credit(self, lead, why):
        """At creation, verification and approval: credit the ancestors of a lead that counts."""
        settings = self.campaign.settings
        if lead.fraudulent or (self.campaign.counts_verified() and not lead.verified):
            return
        for link, ancestor in self.campaign.chain(lead):
            link.counts = True
            points = extra = 0
            if not link.settled:
                points = settings["points_direct" if link.level == 1 else "points_indirect"]
            if link.level == 1 and lead.verified and not link.verified_settled:
                link.verified_settled = True
                extra = settings["points_verified"]
            if self.campaign.ended:
                points = extra = 0
            link.earned += points + extra
            if link.level == 1 and not link.settled:
                named = {"social_id": lead.social_id, "email": lead.email, "phone_number": lead.phone}
                self.emitted.append(("referral", ancestor.id, {name: text for name, text in named.items() if text is not None}))
            link.settled = True
            if self.campaign.ended:
                link.earned = link.credit
            elif why == "approve":
                self.book_credit(link, ancestor, lead, "approve", link.earned - link.credit)
            else:
                self.book_credit(link, ancestor, lead, "referral", link.earned - link.credit - extra)
                self.book_credit(link, ancestor, lead, "verified", extra)

    def book_credit(self, link, ancestor, lead, reason, requested):
        if requested > 0:
            owed = min(ancestor.points_owed, requested)
            ancestor.points_owed -= owed
            link.set_off += owed
            delta = self.book(ancestor, reason, lead.id, lead.times_flagged, requested - owed)
            link.credit += delta
            link.earned -= requested - delta

    def flag(self, lead, flags):
        if not flags:
            return
        was = lead.fraudulent
        lead.flags = lead.flags + [flag for flag in flags if flag not in lead.flags]
        if not was:
            self.take_back(lead)

    def take_back(self, lead, past_deleted=False):
        lead.times_flagged += 1
        for link, ancestor in self.campaign.chain(lead, past_deleted):
            link.counts = False
            if not self.campaign.ended:
                link.credit += self.book(ancestor, "fraud", lead.id, lead.times_flagged, -link.credit)

    def announce(self, lead):
        if not lead.announced:
            lead.announced = True
            self.emitted.append(("new_signup_not_excluded", lead.id, None))

    # --- effects of a command's changes ---

    def recount(self):
        for lead in self.campaign.leads.values():
            deletes_itself = lead is self.deleted and self.command.get("by_lead")
            counted = "no" if lead.fraudulent or deletes_itself else "verified" if lead.verified else "unverified"
            for link, _ in self.campaign.chain(lead, past_deleted=deletes_itself):
                link.counted = counted

    def compare(self, before, scores):
        nothing = Lead(0, "", 0, 0, "")
        for lead in self.campaign.leads.values():
            was = before.get(lead.id, nothing)
            if lead.fraudulent and not was.fraudulent:
                self.emitted.append(("marked_as_fraudulent", lead.id, list(lead.flags)))
            if lead.opted_out and not was.opted_out:
                self.emitted.append(("opted_out", lead.id, None))
            if lead.sms_opted_out and not was.sms_opted_out:
                self.emitted.append(("phone_number_opt_out", lead.id, None))
            if lead.verified and not was.verified:
                self.emitted.append(("verified", lead.id, None))
            booked = lead.ledger[len(was.ledger):]
            if lead.score != scores.get(lead.id, 0):
                self.emitted.append(("score_change", lead.id, {
                    "previous_contest_score": scores.get(lead.id, 0), "current_contest_score": lead.score,
                    "delta": lead.score - scores.get(lead.id, 0),
                    "reason": max((entry.reason for entry in booked), key=REASONS.index)}))
            if not self.campaign.ended and (lead is self.created or lead.score != scores[lead.id]):
                self.reward(lead)

    def reward(self, lead):
        for id, level in sorted(self.campaign.rewards.items()):
            if lead.score >= level["required_points"] and id not in lead.rewards:
                lead.rewards = lead.rewards + [id]
                self.emitted.append(("reward_level", lead.id, {
                    "reward_level_id": id, "subject": level["subject"], "required_points": level["required_points"],
                    "emailed": level["emailed"]}))

    # --- events (docs/api.md 4.7) ---

    def subscribed(self, type):
        return any(type in webhook["events"] for webhook in self.campaign.webhooks.values())

    def event_payload(self, lead_id, type, extra):
        shown = payload(self.campaign, self.campaign.leads[lead_id], full=True, url=self.campaign.settings["compat"])
        shown |= {"__event": type}
        field = {"score_change": "__score_change", "marked_as_fraudulent": "__fraudulent", "referral": "__referral",
                 "tagged": "__tagged", "reward_level": "__reward_level"}.get(type)
        return shown | ({field: extra} if field else {})
