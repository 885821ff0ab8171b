# SPDX-License-Identifier: MIT
"""docs/api.md 4.1: points, actions, and tags on single leads."""
import pytest

POINTS = 99999


def add(campaign, fields, **options):
    return campaign.post(fields, path="/points", **options)


def score(campaign, lead):
    return campaign.find(social_id=lead["social_id"])["contest_score"]


def test_points(campaign, receiver):
    """docs/api.md 4.1 POST /v2/{cid}/points: booked at once, and the score is never below 0; the message is stored"""
    campaign.webhook("score_change")
    lead, other = campaign.leads(2)
    response = add(campaign, {"email": lead["email"], "points": 5, "message": "for a photo"})
    assert (response.status, response.json) == (200, {"message": "Custom Points added"})
    assert (score(campaign, lead), score(campaign, other)) == (5, 0)
    assert add(campaign, {"email": lead["email"], "points": "-7"}).status == 200
    assert score(campaign, lead) == 0
    campaign.service.dispatch()
    changes = [event.json["__score_change"] for event in campaign.delivered(2, event="score_change")]
    assert {change["delta"] for change in changes} == {5, -5} and {change["reason"] for change in changes} == {"custom"}
    ledger = campaign.service.installation.sql(
        f"SELECT requested, delta, message FROM lh_score_entries WHERE lead_id = {lead['id']} ORDER BY requested")
    assert ledger.split("\n") == ["-7\t-5\tNULL", "5\t5\tfor a photo"]


@pytest.mark.parametrize("name", ["email", "emails", "kid", "social_id", "social_ids", "phone_numbers"])
def test_points_for_several(campaign, name):
    """docs/api.md 4.1: email, emails[], kid, social_id"""
    number = {"emails": "email", "email": "email", "phone_numbers": "phone_number"}.get(name, "social_id")
    leads = [campaign.lead(email=f"{n}@example.org", phone_number=f"+1415555267{n}") for n in range(3)]
    values = [leads[0][number], leads[1][number], leads[0][number], "unknown"]
    assert add(campaign, {name: values, "points": 3}).status == 200
    assert [score(campaign, lead) for lead in leads] == [3, 3, 0]


def test_bounds_of_points(campaign):
    """docs/api.md 4.1: 409 for more than 99999 in either direction, 406 for a value that is not an integer, 409 if missing; 0 changes
    nothing"""
    lead, = campaign.leads(1)
    email = {"email": lead["email"]}
    for points in (POINTS + 1, -POINTS - 1, 10**30, "100000", f"-{10**40}"):
        response = add(campaign, {**email, "points": points})
        assert response.verdict == (409, "max_points_exceeded") and response.json["message"] == "Max Points Exceeded"
    for points in (1.5, "1.5", "one", "1e3", "--1", "-", "1 2", True, [1], "0x1"):
        assert add(campaign, {**email, "points": points}).verdict == (406, "invalid_parameter"), points
    for fields in ({}, {"points": ""}, {"points": None}):
        response = add(campaign, {**email, **fields})
        assert response.verdict == (409, "missing_points") and response.json["message"] == "No points value found"
    assert score(campaign, lead) == 0
    for points, expected in ((POINTS, POINTS), (0, POINTS), ("-0", POINTS), (str(POINTS), 2 * POINTS), (-POINTS, POINTS)):
        assert add(campaign, {**email, "points": points}).status == 200
        assert score(campaign, lead) == expected


def test_points_without_a_lead(campaign):
    """docs/api.md 2 leads_not_found; missing, mixed and too many identifiers are refused as in bulk calls; a key is needed"""
    lead, = campaign.leads(1)
    for fields in ({"email": "unknown@example.org"}, {"emails": ["x"]}, {"kid": "0000000000"}, {"kid": "x"}):
        for points in (1, 0):
            response = add(campaign, {**fields, "points": points})
            assert response.verdict == (404, "leads_not_found") and response.json["message"] == "No leads found"
    response = add(campaign, {"points": 1})
    assert response.verdict == (409, "missing_identifier")
    assert response.json["message"] == "Please include a lead id or email"
    assert add(campaign, {"points": 1, "email": lead["email"], "kid": lead["social_id"]}).verdict == (409, "mixed_identifiers")
    assert add(campaign, {"points": 1, "emails": [lead["email"]] * 251}).verdict == (413, "too_many_items")
    assert add(campaign, {"points": 1, "email": lead["email"]}, key=None).verdict == (409, "missing_api_key")
    assert score(campaign, lead) == 0


def test_points_of_a_sign_up(campaign):
    """docs/api.md 4.6 points on create: custom points need a key, and have the same bounds, for new and existing leads"""
    lead = campaign.lead(email="a@example.org", points=5)
    assert lead["contest_score"] == 5 and lead["custom_fields"] == {}
    assert campaign.lead(email="a@example.org", points="-2")["contest_score"] == 3
    for points in (7, "many", 10**6):
        assert campaign.post({"email": "a@example.org", "points": points}, key=None).json["contest_score"] == 3
    assert campaign.post({"email": "b@example.org", "points": POINTS + 1}).verdict == (409, "max_points_exceeded")
    assert campaign.post({"email": "b@example.org", "points": "x"}).verdict == (406, "invalid_parameter")
    assert campaign.get({"email": "b@example.org"}).status == 404
    assert campaign.lead(email="a@example.org", __url="https://shop.example/?points=9")["contest_score"] == 3


# --- actions ---

@pytest.mark.parametrize("by", ["email", "phone_number", "social_id", "kid"])
def test_actions(campaign, by):
    """docs/api.md 4.1 POST /v2/{cid}/actions/{action_id}: each is completed once, even if it is sent twice"""
    action = campaign.define("action", "Follow us", "--points", 10)
    lead = campaign.lead(email="ada@example.org", phone_number="+14155552671")
    for _ in range(2):
        response = campaign.post({by: lead["social_id" if by == "kid" else by]}, path=f"/actions/{action}")
        assert (response.status, response.json) == (200, {"message": "Lead added to action"})
    found = campaign.find(email="ada@example.org")
    assert (found["contest_score"], found["completed_actions"]) == (10, [action])


def test_refused_actions(campaign):
    """docs/api.md 4.1, 2: unknown actions and leads, and an action that a tag completes"""
    lead, = campaign.leads(1)
    email = {"email": lead["email"]}
    bound = campaign.define("action", "Buy", "--points", 10, "--tag", campaign.define("tag", "Buyer"))
    foreign = campaign.service.campaign(campaign.account).define("action", "Elsewhere")
    for action in (foreign, 999999999, 0, "x", "1x", 10**30):
        assert campaign.post(email, path=f"/actions/{action}").verdict == (404, "action_not_found"), action
    assert campaign.post(email, path=f"/actions/{bound}").verdict == (409, "invalid_action")
    action = campaign.define("action", "Follow us")
    for fields in ({"email": "unknown@example.org"}, {"kid": "x"}):
        assert campaign.post(fields, path=f"/actions/{action}").verdict == (404, "lead_not_found")
    assert campaign.post({}, path=f"/actions/{action}").verdict == (409, "missing_identifier")
    assert campaign.post(email, path=f"/actions/{action}", key=None).verdict == (409, "missing_api_key")
    assert campaign.get({}, path=f"/actions/{action}").verdict == (405, "method_not_allowed")
    assert campaign.find(**email)["completed_actions"] == []


# --- tags on single leads ---

def test_tagging_an_existing_lead(campaign, receiver):
    """docs/api.md 4.1 POST /v2/{cid}/tags/{tag_id}/lead: this does not count as a sign-up, and completes the actions that are bound to the
    tag"""
    campaign.webhook("new_signup", "repeat_signup", "tagged")
    tag = campaign.define("tag", "Buyer", "--points", 3)
    action = campaign.define("action", "Buy", "--points", 4, "--tag", tag)
    lead, = campaign.leads(1)
    campaign.change("optout", email=lead["email"])
    for _ in range(2):
        found = campaign.post({"email": lead["email"], "plan": "pro"}, path=f"/tags/{tag}/lead")
        assert found.status == 200 and found.json["tags"] == [{"tag_id": tag, "name": "Buyer"}]
    found = found.json
    assert (found["counter"], found["opted_out"], found["custom_fields"]) == (1, True, {})
    assert (found["contest_score"], found["completed_actions"]) == (7, [action])
    campaign.service.dispatch()
    assert [event.event for event in campaign.delivered(2)].count("tagged") == 1
    assert sorted(event.event for event in receiver.at(campaign.hook)) == ["new_signup", "tagged"]


def test_tagging_creates_a_lead(campaign):
    """docs/api.md 4.1: a lead is created if an email or phone is given and none matches"""
    tag = campaign.define("tag", "Buyer", "--points", 3)
    path = f"/tags/{tag}/lead"
    lead = campaign.post({"email": "a@example.org", "plan": "pro"}, path=path).json
    assert (lead["counter"], lead["contest_score"], lead["custom_fields"]) == (1, 3, {"plan": "pro"})
    assert campaign.post({"phone_number": "+14155552671"}, path=path).json["rank"] == 2
    assert campaign.post({"social_id": lead["social_id"]}, path=path).json["id"] == lead["id"]
    assert campaign.post({"kid": "0000000000"}, path=path).verdict == (404, "lead_not_found")
    assert campaign.post({"email": "b@example.org", "must_exist": True}, path=path).verdict == (404, "lead_not_found")
    assert campaign.post({}, path=path).verdict == (406, "missing_identifier")
    assert campaign.stats()["total"] == 2


def test_refused_tags(campaign):
    """docs/api.md 2 tag_not_found; a key is needed"""
    foreign = campaign.service.campaign(campaign.account).define("tag", "Elsewhere")
    for tag in (foreign, 999999999, 0, "x", "1x", 10**30):
        response = campaign.post({"email": "a@example.org"}, path=f"/tags/{tag}/lead")
        assert response.verdict == (404, "tag_not_found") and response.json["message"] == "Tag not found"
    tag = campaign.define("tag", "Buyer")
    assert campaign.post({"email": "a@example.org"}, path=f"/tags/{tag}/lead", key=None).verdict == (409, "missing_api_key")
    assert campaign.stats()["total"] == 0


# --- the maximum of a score ---

MAXIMUM, LEVELS = (1 << 32) - 1, 8


def plant_score(campaign, lead, score):
    """Stores a score as 43,000 calls for points would store it: in the ledger, in the lead and in the histogram (src/engine/rank.h)."""
    buckets = [(((1 << 4 * level) - 1) // 15 + (score >> 4 * (LEVELS - level)), score >> 4 * (LEVELS - 1 - level) & 15)
             for level in range(LEVELS)]
    campaign.service.installation.sql("START TRANSACTION;" + "".join(
        f"INSERT INTO lh_score_histogram (node, s{bucket}) VALUES (({campaign.id} << 29) + {node}, 1);" for node, bucket in buckets)
        + f"UPDATE lh_leads SET score = {score} WHERE id = {lead['id']};"
        f"INSERT INTO lh_score_entries VALUES ({lead['id']}, 'custom', 0, 0, {score}, {score}, NULL, 1);"
        f"UPDATE lh_campaign_counters SET leads_version = leads_version + 1 WHERE campaign_id = {campaign.id};COMMIT")


def test_a_score_has_a_maximum(service, account):
    """docs/api.md 4.6: credit beyond the maximum is lost; later calls for the referred lead succeed, and book only new credit"""
    campaign = service.campaign(account, points_direct=5, points_verified=3)
    referrer = campaign.lead(email="ada@example.org")
    plant_score(campaign, referrer, MAXIMUM - 2)
    assert score(campaign, referrer) == MAXIMUM - 2
    bob = campaign.lead(email="bob@example.org", phone_number="+14155552671", kid=referrer["social_id"])
    assert score(campaign, referrer) == MAXIMUM
    assert add(campaign, {"email": "ada@example.org", "points": 1}).status == 200
    campaign.change("verify", email="bob@example.org")
    assert campaign.find(email="bob@example.org")["verified"] is True
    assert score(campaign, referrer) == MAXIMUM
    assert add(campaign, {"email": "ada@example.org", "points": -10}).status == 200
    changed = campaign.post({"email": "bob@example.com", "phone_number": "+14155552671"})
    assert (changed.status, changed.json["id"], changed.json["verified"]) == (200, bob["id"], False)
    campaign.change("verify", email="bob@example.com")
    assert campaign.lead(email="bob@example.com")["verified"] is True
    assert score(campaign, referrer) == MAXIMUM - 10
    for action, points in (("block", MAXIMUM - 12), ("approve", MAXIMUM - 10)):
        campaign.change(action, email="bob@example.com")
        assert score(campaign, referrer) == points
    assert service.installation.sql("SELECT COUNT(*) FROM lh_bulk_jobs") == "0"
    service.check()
