# SPDX-License-Identifier: MIT
"""The lead payload of docs/api.md 4.5: every key and its type, for each view."""
import re

SOCIAL_ID = re.compile(r"[0-9A-HJKMNP-TV-Z]{10}\Z", re.IGNORECASE)
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ\Z")


def integer(value):
    return isinstance(value, int) and not isinstance(value, bool)


def natural(value):
    return integer(value) and value >= 0


def boolean(value):
    return isinstance(value, bool)


def text(value):
    return isinstance(value, str)


def text_or_null(value):
    return value is None or isinstance(value, str)


def mapping(value):
    return isinstance(value, dict)


def integers(value):
    return isinstance(value, list) and all(map(integer, value))


def counts(value):
    return mapping(value) and set(value) == {"direct", "indirect"} and all(map(natural, value.values()))


def counts_or_nulls(value):
    return counts(value) or value == {"direct": None, "indirect": None}


def tags(value):
    return isinstance(value, list) and all(set(tag) == {"tag_id", "name"} and integer(tag["tag_id"]) and text(tag["name"])
                                           for tag in value)


def unsubscribe(value):
    return value is None or (mapping(value) and set(value) == {"default", "safe"} and all(map(text, value.values())))


def social_id(value):
    return text(value) and SOCIAL_ID.match(value)


def time(value):
    return text(value) and TIME.match(value)


URLS = {"social_url": text_or_null, "redirect_url": text_or_null, "thankyou_url": text_or_null, "status_url": text_or_null,
        "unsubscribe_url": unsubscribe}
ACTIONS = {"completed_actions": integers}
COMMON = {
    "id": integer, "social_id": social_id, "campaign_id": integer, "list_id": integer, "rank": integer,
    "subscription_number": integer, "rank_relative_position": natural, "counter": integer, "lead_count": integer,
    "contest_score": natural, "contest_score_rank": integer, "contest_score_rank_relative_position": natural,
    "first_name": text_or_null, "given_name": text_or_null, "family_name": text_or_null, "display_name": text, "avatar": text,
    "when": time, "verified": boolean, "verified_email": boolean, "verified_phone_number": boolean, "waitlisted": boolean,
    "enhanced": boolean, "anonymous": boolean, "referrals": natural, "unverified_leads": counts,
    "verified_leads": counts_or_nulls, "influence": counts,
}
PERSONAL = {"email": text_or_null, "phone_number": text_or_null, "custom_fields": mapping, "uid": text_or_null,
            "parent_id": text_or_null, "opted_out": boolean, "sms_opted_out": boolean, "utm": mapping, "tags": tags}
KEYED = {"ip": text_or_null, "referrer": text_or_null, "fraudulent": boolean}

VIEWS = {
    "public": {**COMMON, **URLS, **ACTIONS},
    "open": {**COMMON, **URLS, **ACTIONS, **PERSONAL},  # no key, the campaign's privacy is off
    "full": {**COMMON, **URLS, **ACTIONS, **PERSONAL, **KEYED},
}


def check_payload(payload, view="full", without=(), extra=()):
    """Checks that the payload has exactly the keys of the view (less `without`, plus `extra`), with valid and consistent values."""
    rules = {key: rule for key, rule in VIEWS[view].items() if key not in without}
    if view == "public" and payload.get("check_mail"):  # docs/api.md 4.1.11: while the address waits for its confirmation
        assert not payload["verified_email"]
        extra = {*extra, "check_mail", *(payload.keys() & {"code_url"})}
    assert set(payload) == set(rules) | set(extra)
    wrong = {key: payload[key] for key, rule in rules.items() if not rule(payload[key])}
    assert not wrong, f"wrong type: {wrong}"
    assert payload["list_id"] == payload["campaign_id"]
    assert payload["rank"] == payload["subscription_number"] >= 1
    assert payload["rank_relative_position"] == payload["rank"] - 1
    assert payload["contest_score_rank"] >= 1
    assert payload["contest_score_rank_relative_position"] == payload["contest_score_rank"] - 1
    assert payload["verified"] == (payload["verified_email"] or payload["verified_phone_number"])
    assert payload["counter"] >= 1 and payload["lead_count"] >= 1
    assert "url" not in payload or payload["url"] == payload["social_url"]
    assert payload["enhanced"] is payload["anonymous"] is False
    if view != "full" and "unsubscribe_url" not in without:
        assert payload["unsubscribe_url"] is None
    return payload
