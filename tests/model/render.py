# SPDX-License-Identifier: MIT
"""The lead payload of docs/api.md 4.5, calculated from the model each time."""
import hashlib

BASE_URL = "https://lead.example"
AVATAR_URL = "https://avatar.example/{hash}.png"


def with_id(url, name, social_id):
    if url is None:
        return None
    rest, hash_mark, fragment = url.partition("#")
    return f"{rest}{'&' if '?' in rest else '?'}{name}={social_id}{hash_mark}{fragment}"


def names(fields):
    def first_set(*values):
        return next((value for value in values if isinstance(value, str) and value != ""), None)
    words = fields.get("name", "")
    first, _, rest = (words if isinstance(words, str) else "").partition(" ")
    return (first_set(fields.get("first_name"), fields.get("given_name"), first),
            first_set(fields.get("last_name"), fields.get("family_name"), rest.strip()))


def display_name(lead, full):
    name = " ".join(part for part in names(lead.custom_fields) if part)
    if name:
        return name
    if lead.email:
        local = lead.email.rpartition("@")[0]
        return local if full else local[0] + "***"
    return lead.phone[:3] + "***" + lead.phone[-2:]


def pair(campaign, lead, counted):
    links = [link for link in campaign.links.values() if link.ancestor == lead.id and link.counted in counted]
    return {"direct": sum(1 for link in links if link.level == 1), "indirect": sum(1 for link in links if link.level > 1)}


def payload(campaign, lead, full, skip_urls=False, skip_actions=False, url=False, redirect_sent=False, own=False):
    settings = campaign.settings
    given, family = names(lead.custom_fields)
    hashed = lead.email_key if full and lead.email_key else lead.social_id
    hides = not full and campaign.hides_unverified()
    shown_leads = sum(other.verified or other is lead for other in campaign.leads.values()) if hides else len(campaign.leads)
    above = [other for other in campaign.leads.values() if not other.fraudulent and other.score > lead.score]
    shown = {
        "id": None if hides else lead.id, "social_id": lead.social_id, "campaign_id": campaign.id, "list_id": campaign.id,
        **dict.fromkeys(("rank", "subscription_number"), None if hides else lead.number),
        "rank_relative_position": None if hides else lead.number - 1,
        "counter": None if hides and not own else lead.counter, "lead_count": shown_leads + settings["jump_start"],
        "contest_score": lead.score, "contest_score_rank": 1 + len(above),
        "contest_score_rank_relative_position": len(above),
        "first_name": given, "given_name": given, "family_name": family, "display_name": display_name(lead, full),
        "avatar": AVATAR_URL.replace("{hash}", hashlib.sha256(hashed.encode()).hexdigest()), "when": lead.when,
        "verified": lead.verified, "verified_email": lead.verified_email, "verified_phone_number": lead.verified_phone,
        "waitlisted": lead.waitlisted, "enhanced": False, "anonymous": False,
        "referrals": sum(1 for link in campaign.links.values()
                         if link.ancestor == lead.id and link.level == 1 and link.counts),
        "unverified_leads": pair(campaign, lead, ["unverified"]) if not hides else {"direct": None, "indirect": None},
        "verified_leads": (pair(campaign, lead, ["verified"]) if campaign.counts_verified()
                           else {"direct": None, "indirect": None}),
        "influence": pair(campaign, lead, ["verified"] if hides else ["unverified", "verified"]),
    }
    if not skip_urls:
        shown["social_url"] = with_id(settings["landing_url"], "kid", lead.social_id)
        shown |= {"url": shown["social_url"]} if url else {}
        may_show = full or lead.redirect_by_key or redirect_sent
        shown["redirect_url"] = with_id(lead.redirect_url if may_show else None, "kolid", lead.social_id)
        shown["thankyou_url"] = with_id(settings["thankyou_url"], "kolid", lead.social_id)
        shown["status_url"] = with_id(settings["status_url"], "kolid", lead.social_id)
        shown["unsubscribe_url"] = lead.opt_out_links() if full else None
    if not skip_actions:
        shown["completed_actions"] = [id for id in lead.actions if id in campaign.actions]
    if full or not settings["privacy"]:
        parent = campaign.leads.get(lead.parent)
        shown |= {
            "email": lead.email, "phone_number": lead.phone, "uid": lead.uid,
            "parent_id": parent.social_id if parent else None, "custom_fields": lead.custom_fields, "utm": lead.utm or {},
            "opted_out": lead.opted_out, "sms_opted_out": lead.sms_opted_out,
            "tags": [{"tag_id": id, "name": campaign.tags[id]["name"]} for id in lead.tags if id in campaign.tags],
        }
    if full:
        shown |= {"ip": lead.ip, "referrer": lead.referrer, "fraudulent": lead.fraudulent}
        shown |= {"claimed": lead.claimed} if lead.claimed else {}
    return shown


def withheld(campaign, skip_urls, redirect_url):
    shown = {"id": None, "social_id": None, "campaign_id": campaign.id, "list_id": campaign.id, "check_mail": False}
    return shown if skip_urls else shown | {"redirect_url": redirect_url, "thankyou_url": campaign.settings["thankyou_url"], "code_url": None}
