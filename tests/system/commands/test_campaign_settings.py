# SPDX-License-Identifier: MIT
"""leadhook(1), campaign add, list, show and set: the settings of campaigns."""
import re

from command import DATA, call, is_time

KEYS_OF_CAMPAIGN = ["id", "name", "lead_count", "state", "created_at", "account_id"]
SETTINGS = {"ended_at": None, "ends_at": None, "jump_start": 0, "privacy": True, "require_key": False, "compat": False,
            "landing_url": None, "thankyou_url": None, "status_url": None, "points_signup": 0, "points_direct": 1, "points_indirect": 0,
            "points_verified": 0, "require_verification": False, "waitlist": False, "max_per_ip": 0,
            "addresses_counted": None, "blocked_email_domains": None, "blocked_referrers": None, "allowed_networks": None,
            "pages": True, "language": "auto", "hosts": None, "hosts_only": False, "form_answer": "auto",
            "public_lookup": "all", "public_update": "all", "leaderboard_names": "initial",
            "mails": ["welcome", "reward", "referral", "status_link"], "verify_email": False, "verify_phone": False,
            "bots": "honeypot", "bot_difficulty": 2, "repeated_signup": "lead"}


def test_campaigns(leadhook):
    """campaign add, list, show, set"""
    account = leadhook("account", "add", "Campaigns")["id"]
    plain = leadhook("campaign", "add", account, "Plain")
    assert plain == {"id": plain["id"], "name": "Plain", "repeated_signup": "lead"}
    shown = leadhook("campaign", "show", plain["id"])
    assert list(shown) == KEYS_OF_CAMPAIGN + list(SETTINGS)
    assert {key: shown[key] for key in SETTINGS} == SETTINGS, "leadhook(1), the defaults"
    assert (shown["state"], shown["lead_count"], shown["account_id"]) == ("active", 0, account) and is_time(shown["created_at"])
    settings = {"ends_at": "2099-12-31T23:59:59Z", "jump_start": 7, "privacy": False, "require_key": True, "compat": True,
                "landing_url": "https://example.org/?a=b", "thankyou_url": "http://example.org/t", "status_url": None,
                "points_signup": 1, "points_direct": 2, "points_indirect": 99999, "points_verified": 0,
                "require_verification": True, "waitlist": True, "max_per_ip": 3, "addresses_counted": True,
                "blocked_email_domains": "a.example xn--bcher-kva.example", "blocked_referrers": "c.example",
                "allowed_networks": "192.0.2.0/24 2001:db8::1",
                "pages": False, "language": "de", "hosts": "d.example e.example", "hosts_only": True, "form_answer": "redirect",
                "public_lookup": "none", "public_update": "all", "leaderboard_names": "full",
                "mails": ["reward", "status_link"], "verify_email": True, "verify_phone": True,
                "bots": "proof_or_confirm", "bot_difficulty": 8, "repeated_signup": "nothing"}
    words = ["ends_at=2099-12-31T23:59:59Z", "jump_start=7", "privacy=off", "require_key=on", "compat=on",
             "landing_url=https://example.org/?a=b", "thankyou_url=http://example.org/t", "status_url=",
             "points_signup=1", "points_direct=2", "points_indirect=99999", "require_verification=on", "waitlist=on",
             "max_per_ip=3", "blocked_email_domains= *.Bücher.example, a.example A.example", "blocked_referrers=c.example",
             "allowed_networks=192.0.2.0/24 2001:db8::1", "pages=off", "language=de", "hosts=d.example e.example",
             "hosts_only=on", "form_answer=redirect", "public_lookup=none", "public_update=all", "leaderboard_names=full",
             "mails=status_link,reward", "verify_email=on", "verify_phone=on", "bots=proof_or_confirm", "bot_difficulty=8"]
    full = leadhook("campaign", "add", account, "Full", *words)
    shown = leadhook("campaign", "show", full["id"])
    assert shown == {**shown, **settings, "ended_at": None, "lead_count": 7}
    assert leadhook("campaign", "set", full["id"], "name=Renamed", "landing_url=", "ends_at=", "allowed_networks=") == \
        {**shown, "name": "Renamed", "landing_url": None, "ends_at": None, "allowed_networks": None}, "the others do not change"
    shown = leadhook("campaign", "show", plain["id"])
    assert leadhook("campaign", "set", plain["id"], "jump_start=0") == shown, "the same value again is accepted"
    listed = leadhook("campaign", "list", account)
    assert [list(one) for one in listed] == [KEYS_OF_CAMPAIGN] * 2
    assert [one["name"] for one in listed] == ["Plain", "Renamed"]
    assert {one["id"] for one in listed} <= {one["id"] for one in leadhook("campaign", "list")}


def test_settings_are_listed(service, refused):
    """without assignments, the command lists all settings of a campaign and their values"""
    points, hosts = "a whole number from 0 to 99999", "at most 5000 host names without scheme and path, separated by commas or spaces, or nothing"
    settings = {"name": "1 to 200 characters", "state": "active or ended", "ends_at": "a date such as 2026-11-28, a time such as 2026-11-28T18:00:00Z, or nothing",
                "jump_start": "a whole number from 0 to 4 billion", "privacy": "yes or no", "require_key": "yes or no", "compat": "yes or no",
                **{f"{page}_url": "a web address that begins with https:// or http://, or nothing" for page in ("landing", "thankyou", "status")},
                **{f"points_{what}": points for what in ("signup", "direct", "indirect", "verified")},
                "require_verification": "yes or no", "waitlist": "yes or no", "max_per_ip": "a whole number, 0 for no limit",
                "blocked_email_domains": hosts, "blocked_referrers": hosts,
                "allowed_networks": "at most 5000 addresses and networks, separated by commas or spaces, or nothing",
                "pages": "yes or no", "language": "auto, en, de, es or fr", "hosts": hosts, "hosts_only": "yes or no",
                "form_answer": "auto, json or redirect", "public_lookup": "all, social_id, own or none",
                "public_update": "all, own or none", "leaderboard_names": "initial, first or full",
                "mails": "welcome, reward, referral or status_link, several with commas or spaces, or nothing",
                "verify_email": "yes or no", "verify_phone": "yes or no",
                "bots": "off, honeypot, proof or proof_or_confirm", "bot_difficulty": "a number from 1 to 8"}
    for command in ("add", "set"):
        said = call(service.installation, "campaign", command, "--help", config="/nonexistent").stdout
        assert re.findall(r"^  (\w+) +(.+)$", said, re.MULTILINE) == list(settings.items())
    said = refused(DATA, "campaign", "add", "1", "C", "landing=https://example.org/")
    assert said == 'leadhook: a campaign has no setting "landing"; did you mean landing_url?\n'
    said = refused(DATA, "campaign", "add", "1", "C", "zip=1")
    assert said == f'leadhook: a campaign has no setting "zip"; there are: {", ".join(settings)}\n'
    assert refused(DATA, "campaign", "add", "1", "C", "privacy") == "leadhook: privacy=: expected yes or no\n"
    assert refused(DATA, "campaign", "add", "1", "C", "privacy=maybe") == "leadhook: privacy=: expected yes or no, not maybe\n"
