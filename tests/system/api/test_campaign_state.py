# SPDX-License-Identifier: MIT
"""docs/api.md 6 (ended campaigns) and 2 account_suspended, for every call of docs/api.md 4.1."""
import datetime

import pytest
from html_page import check_page
from service import settles
from stack.process import wait_until

ENDED, SUSPENDED = (423, "campaign_ended"), (409, "account_suspended")
BULK = ["optout", "sms_optout", "sms_optin", "verify", "unverify", "approve", "block", "waitlist", "unwaitlist", "tag"]


@pytest.fixture
def world(service):
    """A campaign in its own account, with a lead, a tag and an action."""
    campaign = service.campaign(service.account())
    campaign.known = campaign.lead(email="ada@example.org")
    campaign.tag_id, campaign.action_id = campaign.define("tag", "VIP", "--points", 5), campaign.define("action", "Follow", "--points", 5)
    return campaign


def calls(campaign, ending):
    """Return (method, path, fields) of the calls that an ended campaign refuses, or of all others, which include bulk calls."""
    email = {"email": "ada@example.org"}
    if ending:
        return [("POST", campaign.path, email), ("POST", "/v2", {**email, "campaign_id": campaign.id}),
                ("POST", f"/v1/{campaign.id}/subscribe", email), ("GET", f"/v1/{campaign.id}/subscribe", email),
                ("POST", "/subscribe", {**email, "list_id": campaign.id}),
                ("POST", campaign.path + "/points", {**email, "points": 5}),
                ("POST", f"{campaign.path}/actions/{campaign.action_id}", email),
                ("POST", f"/action/{campaign.id}", {"aid": campaign.action_id, "kid": "0000000000"}),
                ("POST", f"{campaign.path}/tags/{campaign.tag_id}/lead", email)]
    return [("GET", campaign.path, email), ("GET", f"/v1/{campaign.id}/info", email), ("GET", campaign.path + "/stats", {}),
            ("GET", campaign.path + "/leads", {}), ("GET", campaign.path + "/leaderboard", {}),
            ("GET", campaign.path + "/tags", {}), ("GET", campaign.path + "/actions", {}),
            ("GET", campaign.path + "/outbound-webhook", {}),
            *(("POST", f"{campaign.path}/{action}", {**email, "tag": "VIP"}) for action in BULK), ("DELETE", campaign.path, email)]


def end_everywhere(campaign):
    """Ends the campaign by its end time. This takes effect at once, because cached campaigns include the time."""
    end = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=3)
    campaign.service.installation.admin("campaign", "set", str(campaign.id), end.strftime("ends_at=%Y-%m-%dT%H:%M:%SZ"))
    wait_until(lambda: campaign.post({}, path="/points").verdict == ENDED, 10, "the end of the campaign")


def refused(campaign, method, path, fields, verdict, **options):
    return settles(lambda: campaign.client.request(method, path, query=fields, **options), *verdict)


def test_an_ended_campaign(world):
    """docs/api.md 6: 423 for create, update, points, actions and the call that tags a single lead; all other calls work"""
    end_everywhere(world)
    for method, path, fields in calls(world, True):
        response = refused(world, method, path, fields, ENDED, key=world.key)
        assert response.json["message"] == "Campaign has ended"
    for method, path, fields in calls(world, False):
        assert world.client.request(method, path, query=fields, key=world.key).status in (200, 202), path
    world.service.dispatch()
    wait_until(lambda: world.get({"email": "ada@example.org"}).status == 404, 10, "the lead is deleted")


def test_an_ended_campaign_is_unchanged(world):
    """docs/requirements.md States and transitions: ended, 423: repeated calls change no row of the campaign"""
    def rows():
        return world.service.installation.sql("CHECKSUM TABLE lh_leads, lh_campaign_counters, lh_events, lh_due, lh_score_entries")
    world.end()
    before = rows()
    for method, path, fields in calls(world, True):
        refused(world, method, path, fields, ENDED, key=world.key)
        refused(world, method, path, {**fields, "email": "new@example.org", "plan": "pro"}, ENDED, key=world.key)
    assert rows() == before
    world.service.installation.admin("campaign", "reopen", str(world.id))
    settles(lambda: world.post({"email": "ada@example.org", "points": 1}, path="/points"), 200)
    assert rows() != before, "the comparison detects a change"


def test_ended_is_checked_before_the_fields(world):
    """docs/api.md 1.5 Order of checks: the end of the campaign comes before invalid fields"""
    world.end()
    settles(lambda: world.post({"email": "x"}), *ENDED)
    settles(lambda: world.post({}, path="/points"), *ENDED)
    settles(lambda: world.post({}, path="/actions/x"), *ENDED)
    assert world.post({"email": "x"}, key="lh_" + "x" * 43).verdict == (409, "invalid_api_key")


def test_work_queued_before_the_end(world):
    """docs/api.md 6: queued work is done, but changes no scores"""
    assert world.post({"email": "ada@example.org", "tag": "VIP"}, path="/tag").status == 202
    world.end()
    world.service.dispatch()
    wait_until(lambda: world.find(email="ada@example.org")["tags"], 10, "the tag is there")
    assert world.find(email="ada@example.org")["contest_score"] == 0


def test_bulk_tags_after_the_end(world):
    """docs/api.md 6: tags are applied, with their events; points are booked neither now nor after reopening"""
    world.webhook("tagged", "score_change")
    end_everywhere(world)
    world.change("tag", email="ada@example.org", tag="VIP")
    assert [one.event for one in world.delivered(1)] == ["tagged"]
    found = world.find(email="ada@example.org")
    assert ([tag["name"] for tag in found["tags"]], found["contest_score"]) == (["VIP"], 0)
    world.service.installation.admin("campaign", "reopen", str(world.id))
    settles(lambda: world.post({"email": "ada@example.org", "points": 1}, path="/points"), 200)
    assert world.find(email="ada@example.org")["contest_score"] == 1


def test_a_suspended_account(world):
    """docs/api.md 2 account_suspended: every call on the account's campaigns, with or without a key, and other calls with its keys"""
    admin, account = world.service.installation.admin, str(world.account.id)
    assert admin("account", "suspend", account) == {"id": world.account.id}
    for method, path, fields in calls(world, True) + calls(world, False):
        refused(world, method, path, fields, SUSPENDED, key=world.key)
    for method, path, fields in (calls(world, True)[0], calls(world, False)[0], calls(world, False)[4]):
        refused(world, method, path, fields, SUSPENDED)
    refused(world, "GET", "/v2/campaigns", {}, SUSPENDED, key=world.key)
    path = world.known["unsubscribe_url"]["default"].removeprefix(world.service.front.url)
    check_page(settles(lambda: world.client.request("GET", path), 409), 409)
    assert admin("account", "resume", account) == {"id": world.account.id}
    settles(lambda: world.get({"email": "ada@example.org"}), 200)
    found = world.find(email="ada@example.org")
    assert (found["opted_out"], found["contest_score"], found["counter"]) == (False, 0, 1)
