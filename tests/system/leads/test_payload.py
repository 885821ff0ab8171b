# SPDX-License-Identifier: MIT
"""docs/api.md 4.5: the views of the payload and its derived fields."""
import pytest
from payload import ACTIONS, URLS, check_payload

ADA = {"email": "ada@example.org"}


@pytest.mark.smoke
def test_the_public_view(campaign):
    """docs/api.md 4.5: privacy is on by default; sign-ups and look-ups"""
    check_payload(campaign.post(ADA, key=None).json, "public")
    check_payload(campaign.get(ADA, key=None).json, "public")
    check_payload(campaign.get(ADA).json, "full")


def test_privacy_off(service, account):
    """docs/api.md 4.5: personal data are shown, but never ip, referrer, fraudulent, or a link that opts out the lead"""
    campaign = service.campaign(account, privacy="off")
    lead = check_payload(campaign.post({**ADA, "color": "red"}, key=None).json, "open")
    assert lead["email"] == ADA["email"] and lead["custom_fields"] == {"color": "red"}
    check_payload(campaign.get(ADA, key=None).json, "open")


@pytest.mark.parametrize("key, view", [(True, "full"), (None, "public")])
def test_skipped_groups(campaign, key, view):
    """docs/api.md 4.5 __skip_urls, __skip_actions: the keys are absent"""
    check_payload(campaign.post({**ADA, "__skip_urls": 1}, key=key).json, view, without=URLS)
    check_payload(campaign.post({**ADA, "__skip_actions": "1"}, key=key).json, view, without=ACTIONS)
    both = {"__skip_urls": "1", "__skip_actions": "1"}
    check_payload(campaign.get({**ADA, **both}, key=key).json, view, without={**URLS, **ACTIONS})
    check_payload(campaign.post({**ADA, "__skip_urls": 0}, key=key).json, view)


@pytest.mark.parametrize("fields, names", [
    ({}, (None, None, None)), ({"first_name": "Ada"}, ("Ada", "Ada", None)),
    ({"given_name": "Ada", "family_name": "Lovelace"}, ("Ada", "Ada", "Lovelace")),
    ({"first_name": "Ada", "last_name": "Lovelace"}, ("Ada", "Ada", "Lovelace")),
    ({"name": "Ada King Lovelace"}, ("Ada", "Ada", "King Lovelace")), ({"name": "Ada"}, ("Ada", "Ada", None)),
    ({"first_name": "A", "given_name": "B", "name": "C D", "family_name": "F", "last_name": "L"}, ("A", "A", "L")),
])
def test_names(campaign, fields, names):
    """docs/api.md 4.5 first_name, given_name, family_name; display_name"""
    lead = campaign.lead(**ADA, **fields)
    assert (lead["first_name"], lead["given_name"], lead["family_name"]) == names
    assert lead["display_name"] == (" ".join(name for name in names[1:] if name) or "ada")


def test_display_name_without_names(campaign):
    """docs/api.md 4.5: the local part of the email address, of which the public view has only the first character; otherwise a few
    characters of the phone number"""
    assert campaign.lead(**ADA)["display_name"] == "ada"
    assert campaign.get(ADA, key=None).json["display_name"] == "a***"
    assert campaign.lead(phone_number="+14155552671")["display_name"] == "+14***71"
    assert campaign.lead(email="über@example.org")["display_name"] == "über"
    assert campaign.get({"email": "über@example.org"}, key=None).json["display_name"] == "ü***"


def test_urls(service, account):
    """docs/api.md 4.5 social_url, redirect_url, thankyou_url, status_url: parameters follow `?` or `&`, before a fragment; null without a
    URL"""
    campaign = service.campaign(account, landing_url="https://shop.example/", thankyou_url="https://shop.example/t?a=1",
                                status_url="https://shop.example/s#top")
    lead = campaign.lead(**ADA)
    social_id = lead["social_id"]
    assert lead["social_url"] == f"https://shop.example/?kid={social_id}"
    assert lead["thankyou_url"] == f"https://shop.example/t?a=1&kolid={social_id}"
    assert lead["status_url"] == f"https://shop.example/s?kolid={social_id}#top"
    assert lead["redirect_url"] is None
    plain = service.campaign(account).lead(**ADA)
    assert all(plain[name] is None for name in URLS if name != "unsubscribe_url")


def test_unsubscribe_urls(service, campaign):
    """docs/api.md 4.5 unsubscribe_url: they are below the configured base_url; `safe` shows a form first"""
    lead = campaign.lead(**ADA)
    urls = lead["unsubscribe_url"]
    assert urls["default"].startswith(f"{service.front.url}/opt-out/{campaign.id}/{lead['social_id']}/")
    assert urls["safe"].startswith(urls["default"]) and urls["safe"].endswith("?safe=1")


def test_avatars(campaign):
    """docs/api.md 4.5 avatar: the public view has another hash; all spellings of an address have the same hash"""
    lead = campaign.lead(email="Ada@Example.org")
    assert campaign.find(**ADA)["avatar"] == lead["avatar"]
    assert campaign.get(ADA, key=None).json["avatar"] != lead["avatar"]


def test_a_waitlisted_lead(service, receiver):
    """docs/api.md 4.5 waitlisted: true after the sign-up in a campaign with a waiting list, for all callers and receivers; false after
    `unwaitlist`"""
    campaign = service.campaign(waitlist="on")
    campaign.webhook("new_signup", "repeat_signup")
    assert campaign.lead(email="ada@example.org")["waitlisted"] is True
    assert campaign.get({"email": "ada@example.org"}, key=None).json["waitlisted"] is True
    campaign.change("unwaitlist", email="ada@example.org")
    assert campaign.lead(email="ada@example.org")["waitlisted"] is False
    service.dispatch()
    assert [one.json["waitlisted"] for event in ("new_signup", "repeat_signup") for one in campaign.delivered(1, event)] == [True, False]
