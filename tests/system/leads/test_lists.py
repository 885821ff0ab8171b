# SPDX-License-Identifier: MIT
"""docs/api.md 4.1: pages of leads, the leaderboard, numbers, tags and actions."""
import datetime

import pytest
from payload import ACTIONS, URLS, check_payload


def page(campaign, **fields):
    response = campaign.get(fields, path="/leads")
    assert response.status == 200, response.body
    assert set(response.json) == {"leads", "next"}
    return response.json


def walk(campaign, **fields):
    """Return all leads, from all pages."""
    found, cursor = [], {}
    while cursor is not None:
        answer = page(campaign, **cursor, **fields)
        found += answer["leads"]
        cursor = None if answer["next"] is None else {"cursor": answer["next"]}
    return found


def ids(leads):
    return [lead["id"] for lead in leads]


# --- leads ---

def test_each_lead_once(campaign):
    """docs/api.md 4.1 GET /v2/{cid}/leads: by subscription_number, even while leads are created and deleted"""
    leads = campaign.leads(7)
    first = page(campaign, limit=3)
    assert ids(first["leads"]) == ids(leads[:3]) and isinstance(first["next"], str)
    campaign.change("delete", emails=[leads[2]["email"], leads[4]["email"]])
    late = campaign.lead(email="late@example.org")
    second = page(campaign, limit=3, cursor=first["next"])
    third = page(campaign, limit=3, cursor=second["next"]) if second["next"] else {"leads": [], "next": None}
    assert ids(second["leads"] + third["leads"]) == ids([leads[3], leads[5], leads[6], late]) and third["next"] is None
    for lead in second["leads"]:
        check_payload(lead)
    assert page(campaign)["next"] is None


def test_an_empty_campaign(campaign):
    """docs/api.md 4.1: an empty list"""
    assert page(campaign) == {"leads": [], "next": None}


def test_skipped_groups(campaign):
    """docs/api.md 4.5 __skip_urls, __skip_actions"""
    campaign.leads(2)
    for lead in page(campaign, __skip_urls=1, __skip_actions=1)["leads"]:
        check_payload(lead, without={**URLS, **ACTIONS})


@pytest.mark.parametrize("limit, count", [(None, 50), (1, 1), (250, 250), (251, 250), (10**30, 250), ("", 50)])
def test_limits(crowd, limit, count):
    """docs/api.md 4.1: default 50; more than 250 means 250"""
    answer = page(crowd, **({} if limit is None else {"limit": limit}))
    assert len(answer["leads"]) == count and answer["next"] is not None


@pytest.fixture(scope="module")
def crowd(service, account):
    campaign = service.campaign(account)
    campaign.leads(252)
    return campaign


@pytest.mark.parametrize("limit", [1, 2, 50, 100, 250])
def test_page_size_does_not_change_the_result(crowd, limit):
    """docs/api.md 4.1 keyset paging"""
    found = walk(crowd, limit=limit) if limit > 2 else walk(crowd, limit=limit, since="2000-01-01")
    assert [lead["subscription_number"] for lead in found] == list(range(1, 253))


@pytest.mark.parametrize("name, value", [
    ("cursor", "x"), ("cursor", "-1"), ("cursor", "0"), ("cursor", "1.5"), ("cursor", 2**32), ("cursor", "01"), ("limit", "0"),
    ("limit", "-1"), ("limit", "many"), ("verified", "maybe"), ("waitlisted", "2"), ("fraudulent", "x"), ("opted_out", "-"),
    ("since", "yesterday"), ("since", "2026-13-01"), ("since", "1"), ("cursor[]", "1")])
def test_bad_parameters(campaign, name, value):
    """docs/api.md 4.1: invalid values are 406"""
    campaign.leads(1)
    response = campaign.get({name: value}, path="/leads")
    assert response.verdict == (406, "invalid_parameter") and name.removesuffix("[]") in response.json["message"]


def test_filters(service, account):
    """docs/api.md 4.1: verified waitlisted fraudulent opted_out, tag by id or name, since"""
    campaign = service.campaign(account, waitlist="on")
    leads = campaign.leads(6)
    email = [lead["email"] for lead in leads]
    tag, seven = campaign.define("tag", "VIP"), campaign.define("tag", "7")
    campaign.change("verify", email=email[0])
    campaign.change("block", email=email[1])
    campaign.change("optout", email=email[2])
    campaign.change("unwaitlist", email=email[3])
    campaign.change("tag", emails=email[4:], tag_id=tag)
    campaign.change("tag", email=email[5], tag_id=seven)

    def matching(**fields):
        found = walk(campaign, limit=2, **fields)
        assert ids(found) == ids(page(campaign, **fields)["leads"])
        return [email.index(lead["email"]) for lead in found]
    assert matching(verified="true") == [0] and matching(verified=0) == [1, 2, 3, 4, 5]
    assert matching(fraudulent=1) == [1] and matching(fraudulent="no") == [0, 2, 3, 4, 5]
    assert matching(opted_out="on") == [2] and matching(waitlisted="off") == [3]
    assert matching(tag="VIP") == matching(tag=tag) == [4, 5] and matching(tag="7") == [5]
    assert matching(tag="VIP", verified=1) == [] and matching(tag="VIP", opted_out=0, waitlisted=1) == [4, 5]
    now = datetime.datetime.now(datetime.timezone.utc)
    assert matching(since=(now - datetime.timedelta(days=1)).date()) == [0, 1, 2, 3, 4, 5]
    assert matching(since=(now + datetime.timedelta(days=2)).isoformat()) == []
    assert matching(since=leads[0]["when"]) == [0, 1, 2, 3, 4, 5]


def test_unknown_tags_of_a_filter(campaign):
    """docs/api.md 4.1, 2 tag_not_found"""
    foreign = campaign.service.campaign(campaign.account).define("tag", "Elsewhere")
    for tag in ("nothing", foreign, 999999999, "Elsewhere"):
        assert campaign.get({"tag": tag}, path="/leads").verdict == (404, "tag_not_found")


def test_pages_of_large_leads_are_shorter(campaign):
    """docs/api.md 4.1: all leads are listed, whatever their size"""
    large = {f"{kind}{number}": "x" * 4000 for kind in ("utm_", "field_") for number in range(4)}
    leads = campaign.leads(130, **large, __uid="x" * 4000)
    first = page(campaign, limit=250)
    assert 0 < len(first["leads"]) < 130 and first["next"] is not None
    assert ids(walk(campaign, limit=250)) == ids(leads)


@pytest.mark.parametrize("path", ["/leads", "/stats", "/tags", "/actions"])
def test_lists_need_a_key(campaign, path):
    """docs/api.md 4.1 Key: lists need a key; HEAD and other methods"""
    assert campaign.get({}, key=None, path=path).verdict == (409, "missing_api_key")
    assert campaign.client.request("HEAD", campaign.path + path, key=campaign.key).status == 200
    assert campaign.delete({}, path=path).status == 405


# --- leaderboard ---

def board(campaign, key=True, **fields):
    response = campaign.get(fields, key=key, path="/leaderboard")
    assert response.status == 200, response.body
    return response.json


def test_leaderboard(campaign):
    """docs/api.md 4.1 GET /v2/{cid}/leaderboard: by score, then sign-up; equal scores share a rank"""
    leads = campaign.leads(5, name="Ada Lovelace")
    for lead, points in zip(leads, (3, 7, 3, 7, 1)):
        campaign.points(lead, points)
    order = [1, 3, 0, 2, 4]
    answer = board(campaign)
    assert answer == {"leaders": [
        {"rank": rank, "social_id": leads[n]["social_id"], "display_name": "Ada Lovelace", "contest_score": score}
        for n, rank, score in zip(order, (1, 1, 3, 3, 5), (7, 7, 3, 3, 1))]}
    for leader in answer["leaders"]:
        assert campaign.find(social_id=leader["social_id"])["contest_score_rank"] == leader["rank"]


def test_me(campaign):
    """docs/api.md 4.1: social_id adds that lead in the same format, or null"""
    leads = campaign.leads(4)
    for lead, points in zip(leads, (1, 5, 5, 0)):
        campaign.points(lead, points)
    answer = board(campaign, limit=1, social_id=leads[0]["social_id"].lower())
    assert len(answer["leaders"]) == 1
    assert answer["me"] == {"rank": 3, "social_id": leads[0]["social_id"], "display_name": "0", "contest_score": 1}
    assert board(campaign, social_id=leads[2]["social_id"])["me"]["rank"] == 1
    stranger, = campaign.service.campaign(campaign.account).leads(1)
    for social_id in ("0000000000", "x", stranger["social_id"]):
        assert board(campaign, social_id=social_id)["me"] is None
    assert "me" not in board(campaign, social_id="")


def test_fraudulent_leads_are_not_on_the_leaderboard(campaign):
    """docs/api.md 4.6: they have no rank either"""
    leads = campaign.leads(2)
    campaign.points(leads[0], 9)
    campaign.points(leads[1], 5)
    campaign.change("block", email=leads[0]["email"])
    for key in (True, None):
        answer = board(campaign, key=key, social_id=leads[1]["social_id"])
        assert [leader["social_id"] for leader in answer["leaders"]] == [leads[1]["social_id"]]
        assert answer["leaders"][0]["rank"] == answer["me"]["rank"] == 1
    answer = board(campaign, social_id=leads[0]["social_id"])
    assert [leader["social_id"] for leader in answer["leaders"]] == [leads[1]["social_id"]]
    assert (answer["me"]["rank"], answer["me"]["contest_score"]) == (1, 9)


def test_fraudulent_lead_sees_itself_on_the_leaderboard(campaign):
    """docs/api.md 4.1.2: without a key, `me` and the leaders are the same as before the lead was blocked; other callers do not see it"""
    leads = campaign.leads(6)
    for lead, points in zip(leads, (3, 9, 5, 5, 5, 0)):
        campaign.points(lead, points)

    def boards(lead=None, key=None):
        return [board(campaign, key=key, limit=limit, **({"social_id": lead["social_id"]} if lead else {}))
                for limit in (1, 2, 3, 5, 6, 10)]
    for lead in leads:
        before = boards(lead)
        campaign.change("block", email=lead["email"])
        for _ in range(2):  # the second answer comes from the cache
            assert boards(lead) == before
            for others in (boards(), boards(key=True), boards(lead, key=True), boards(next(one for one in leads if one is not lead))):
                assert lead["social_id"] not in {leader["social_id"] for answer in others for leader in answer["leaders"]}
        campaign.change("approve", email=lead["email"])
        assert boards(lead) == before


def test_display_names_by_view(campaign):
    """docs/api.md 4.5 display_name: depends on the view"""
    campaign.lead(email="ada@example.org")
    assert board(campaign)["leaders"][0]["display_name"] == "ada"
    assert board(campaign, key=None)["leaders"][0]["display_name"] == "a***"


def test_limits_of_the_leaderboard(crowd):
    """docs/api.md 4.1: default 10; more than 50 means 50"""
    for limit, count in ((None, 10), (3, 3), (50, 50), (51, 50), (10**30, 50)):
        assert len(board(crowd, **({} if limit is None else {"limit": limit}))["leaders"]) == count
    for limit in ("0", "-1", "x"):
        assert crowd.get({"limit": limit}, path="/leaderboard").verdict == (406, "invalid_parameter")


def test_leaderboard_that_requires_a_key(service, account):
    """docs/api.md 3 require_key"""
    campaign = service.campaign(account, require_key="on")
    assert campaign.get({}, key=None, path="/leaderboard").verdict == (409, "missing_api_key")
    assert board(campaign) == {"leaders": []}


# --- numbers ---

def test_stats_after_each_operation(service, account):
    """docs/api.md 4.1 GET /v2/{cid}/stats: the counts after each operation"""
    campaign = service.campaign(account, jump_start=100, waitlist="on")
    expected = dict.fromkeys(("total", "verified", "waitlisted", "removed_from_waitlist", "fraudulent", "opted_out",
                              "referred"), 0)

    def check(**changes):
        expected.update(changes)
        assert campaign.stats() == {**expected, "total_with_jumpstart": expected["total"] + 100}
    check()
    lead = campaign.lead(email="a@example.org")
    check(total=1, waitlisted=1)
    campaign.lead(email="b@example.org", kid=lead["social_id"])
    check(total=2, waitlisted=2, referred=1)
    campaign.lead(email="b@example.org")
    check()
    campaign.change("verify", email="b@example.org")
    check(verified=1)
    campaign.change("unwaitlist", email="b@example.org")
    check(waitlisted=1, removed_from_waitlist=1)
    campaign.change("waitlist", email="b@example.org")
    check(waitlisted=2, removed_from_waitlist=0)
    campaign.change("unwaitlist", emails=["a@example.org", "b@example.org"])
    check(waitlisted=0, removed_from_waitlist=2)
    campaign.change("block", email="a@example.org")
    check(fraudulent=1)
    campaign.change("approve", email="a@example.org")
    check(fraudulent=0)
    campaign.change("optout", emails=["a@example.org", "b@example.org"])
    check(opted_out=2)
    campaign.lead(email="a@example.org")
    check(opted_out=1)
    campaign.change("delete", email="b@example.org")
    check(total=1, verified=0, opted_out=0, referred=0, removed_from_waitlist=1)
    campaign.change("delete", email="a@example.org")
    check(total=0, removed_from_waitlist=0)


def test_tags_and_actions(campaign):
    """docs/api.md 4.1 GET /v2/{cid}/tags, /actions"""
    assert campaign.get({}, path="/tags").json == campaign.get({}, path="/actions").json == []
    first = campaign.define("tag", "VIP", "--points", 5, "--description", "Very important")
    second = campaign.define("tag", "Buyer", "--points", -3)
    bought = campaign.define("action", "Buy", "--points", 7, "--tag", second)
    follow = campaign.define("action", "Follow us")
    campaign.service.campaign(campaign.account).define("tag", "Elsewhere")
    assert campaign.get({}, path="/tags").json == [
        {"id": first, "name": "VIP", "description": "Very important", "points": 5},
        {"id": second, "name": "Buyer", "description": None, "points": -3}]
    assert campaign.get({}, path="/actions").json == [
        {"id": bought, "text": "Buy", "points": 7, "tag_id": second, "public": False, "link": None},
        {"id": follow, "text": "Follow us", "points": 0, "tag_id": None, "public": False, "link": None}]
