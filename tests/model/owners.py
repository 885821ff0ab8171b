# SPDX-License-Identifier: MIT
"""To whom a lead belongs, and what callers without a key may do with it (docs/api.md 4.1.11): a part of the plain model."""
from records import Refused

ALL, OWN = 0, 1  # values of public_update; public_lookup has ALL, too
MEMBERS = {"email": "email", "phone": "phone_number"}  # members of the payload, by channel


class Owners:
    """The part of a step of plain.py that is about owners."""

    def owns(self, lead):
        return self.command.get("own_id") == lead.social_id and self.command.get("own_epoch", 0) == lead.token_epoch

    def shows_addresses(self):
        return self.command.get("account", 0) != 0 or self.campaign.settings["public_lookup"] == ALL

    def may_update(self, lead):
        update = self.campaign.settings["public_update"]
        return self.command.get("account", 0) != 0 or update == ALL or (update == OWN and self.owns(lead))

    def may_change(self, lead):
        is_person = self.command.get("account", 0) != 0 or self.owns(lead) or self.names_person(lead)
        return self.may_update(lead) and is_person and not self.command.get("unproven")

    def names_person(self, lead):
        by_email = self.command.get("email_key") == lead.email_key
        if not self.campaign.verifies() or None in (lead.email, lead.phone) or (by_email and self.command.get("phone") == lead.phone):
            return True
        if lead.claimed:
            return lead.claimed != ("email" if by_email else "phone_number")
        verified, other = (lead.verified_email, lead.verified_phone) if by_email else (lead.verified_phone, lead.verified_email)
        return by_email != self.campaign.matches_by_number() and (verified or not other)

    def shares(self, lead):
        """A call signs up the lead again."""
        if not self.command.get("edits") and not self.owns(lead):
            lead.shared = True

    # --- proofs: codes and links that were sent to an address ---

    def is_claim(self, lead, channel):
        """Return whether the address of this channel leads to no page."""
        decides_anyway = channel == "email" and not lead.verified_phone and not self.campaign.settings["verify_phone"]
        return lead.claimed == MEMBERS[channel] and not decides_anyway

    def decides(self, lead, channel):
        if self.campaign.matches_by_number() and lead.phone and lead.claimed != "phone_number":
            return channel == "phone"
        return channel == "email" or not lead.verified_email or self.is_claim(lead, "email")

    def prove(self, lead, channel):
        """A person who proves an address for the first time, after another person may have signed it up, gets the lead."""
        if self.is_claim(lead, channel):
            return
        if lead.shared and channel not in lead.proven and self.decides(lead, channel):
            lead.token_epoch += 1
            other = "phone" if channel == "email" else "email"
            if getattr(lead, other) and (channel == "email" or self.campaign.matches_by_number()):
                lead.claimed = MEMBERS[other]
                lead.proven = lead.proven - {other}
        lead.proven = lead.proven | {channel}

    def confirm(self, lead, channel):
        if self.command["address"] not in (lead.email_key, lead.phone):
            raise Refused("invalid_code")
        self.prove(lead, channel)
        if channel == "email":
            lead.opted_out = False

    def show_confirmed(self, lead, channel):
        if not self.is_claim(lead, channel):
            self.answer = self.proven = lead
