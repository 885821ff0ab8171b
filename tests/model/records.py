# SPDX-License-Identifier: MIT
"""The campaigns, leads, ledgers and links of a referral chain of the plain model."""
import dataclasses
from typing import Optional

from render import BASE_URL

LEVELS = 16


@dataclasses.dataclass
class Entry:
    reason: str
    ref: object
    round: int
    delta: int
    requested: int
    message: Optional[str] = None


@dataclasses.dataclass
class Link:
    """An ancestor's share in a referred lead. It remains when either of them is deleted."""
    lead: int
    level: int
    ancestor: int
    counted: str = "no"
    counts: bool = False
    settled: bool = False
    verified_settled: bool = False
    set_off: int = 0
    earned: int = 0
    credit: int = 0


@dataclasses.dataclass
class Lead:
    id: int
    social_id: str
    campaign: int
    number: int
    when: str
    parent: Optional[int] = None
    counter: int = 1
    email: Optional[str] = None
    email_key: Optional[str] = None
    phone: Optional[str] = None
    verified_email: bool = False
    verified_phone: bool = False
    waitlisted: bool = False
    removed_from_waitlist: bool = False
    opted_out: bool = False
    sms_opted_out: bool = False
    custom_fields: dict = dataclasses.field(default_factory=dict)
    keyed_fields: int = 0
    utm: Optional[dict] = None
    uid: Optional[str] = None
    redirect_url: Optional[str] = None
    redirect_by_key: bool = False
    token_epoch: int = 0
    claimed: Optional[str] = None  # the member of the payload that is a claim
    proven: frozenset = frozenset()  # channels whose address its person has proven
    shared: bool = False  # signed up again without its token
    ip: Optional[str] = None
    user_agent: Optional[str] = None
    referrer: Optional[str] = None
    source: Optional[str] = None
    flags: list = dataclasses.field(default_factory=list)
    times_flagged: int = 0
    points_due: int = 0
    points_owed: int = 0
    announced: bool = False
    ledger: list = dataclasses.field(default_factory=list)
    tags: list = dataclasses.field(default_factory=list)
    actions: list = dataclasses.field(default_factory=list)
    rewards: list = dataclasses.field(default_factory=list)

    @property
    def verified(self):
        return self.verified_email or self.verified_phone

    @property
    def fraudulent(self):
        return self.flags != []

    @property
    def score(self):
        return sum(entry.delta for entry in self.ledger)

    def opt_out_links(self):
        """Return the links with a placeholder: player.py checks the token."""
        url = f"{BASE_URL}/opt-out/{self.campaign}/{self.social_id}/TOKEN"
        return {"default": url, "safe": url + "?safe=1"}


@dataclasses.dataclass
class Campaign:
    id: int
    account: int
    settings: dict
    suspended: bool = False
    ended: bool = False
    last_number: int = 0
    counted: bool = True        # leads per address; otherwise max_per_ip is not in effect
    leads: dict = dataclasses.field(default_factory=dict)
    links: dict = dataclasses.field(default_factory=dict)
    tags: dict = dataclasses.field(default_factory=dict)
    actions: dict = dataclasses.field(default_factory=dict)
    rewards: dict = dataclasses.field(default_factory=dict)
    webhooks: dict = dataclasses.field(default_factory=dict)  # id: {"events": names, "state": word}

    def find(self, identity, value):
        attribute = {"email": "email_key", "phone": "phone", "social_id": "social_id", "id": "id"}[identity]
        return next((lead for lead in self.leads.values() if getattr(lead, attribute) == value), None)

    def chain(self, lead, past_deleted=False):
        """Return the links from a lead to its ancestors, up to one that does not exist, or past it."""
        for level in range(1, LEVELS + 1):
            link = self.links.get((lead.id, level))
            if link is None or (link.ancestor not in self.leads and not past_deleted):
                return
            if link.ancestor in self.leads:
                yield link, self.leads[link.ancestor]

    def hides_unverified(self):
        """Return whether unverified leads are hidden from callers without a key."""
        return self.settings["public_lookup"] != 0 and self.verifies()

    def verifies(self):
        return self.settings["verify_email"] or self.settings["verify_phone"]

    def matches_by_number(self):
        return self.settings["verify_phone"] and not self.settings["verify_email"]

    def counts_verified(self):
        return self.settings["require_verification"] or self.hides_unverified()

    def stats(self):
        leads = self.leads.values()
        referrers = {link.ancestor for (_, level), link in self.links.items() if level == 1}
        return {"lead_count": len(leads), "verified": sum(lead.verified for lead in leads),
                "waitlisted": sum(lead.waitlisted for lead in leads),
                "removed_from_waitlist": sum(lead.removed_from_waitlist for lead in leads),
                "fraudulent": sum(lead.fraudulent for lead in leads), "opted_out": sum(lead.opted_out for lead in leads),
                "referred": sum(lead.parent is not None for lead in leads),
                "referred_verified": sum(lead.parent is not None and lead.verified for lead in leads),
                "referrers": sum(lead.id in referrers for lead in leads)}

    def leaders(self):
        leads = [lead for lead in self.leads.values() if not lead.fraudulent]
        return [lead.id for lead in sorted(leads, key=lambda lead: (-lead.score, lead.number))]


class Refused(Exception):
    """The command fails with this code and changes nothing, except that a job advances."""
