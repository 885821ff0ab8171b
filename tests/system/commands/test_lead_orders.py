# SPDX-License-Identifier: MIT
"""docs/manage.md 1, leadhook(1): leads by score, the leads that a lead has referred, and how answers name leads."""
import json

import pytest
from caller import Caller
from command import DATA, USAGE

UNKNOWN = "0000000000"


@pytest.fixture
def people(service, leadhook, campaign):
    """Five leads, by name: ada has referred ben, cleo and dan; ben has referred eve. Scores 30, 20, 20, 10, 0; dan is fraudulent."""
    made = {}
    leadhook("campaign", "set", campaign.id, "points_direct=0")
    for name, referrer in (("ada", None), ("ben", "ada"), ("cleo", "ada"), ("dan", "ada"), ("eve", "ben")):
        kid = {"kid": made[referrer]["social_id"]} if referrer else {}
        made[name] = campaign.lead(email=f"{name}@example.org", first_name=name.capitalize(), **kid)
    for name, points in (("cleo", 20), ("ben", 20), ("ada", 30), ("dan", 10)):
        leadhook("lead", "points", campaign.id, points, made[name]["social_id"])
    campaign.bulk("block", {"email": ["dan@example.org"]})
    service.dispatch()
    return made


@pytest.fixture
def caller(service, campaign):
    return Caller(service, campaign.key)


def names(leads):
    return [lead["email"].split("@")[0] for lead in leads]


def parts(caller, path, **query):
    """Returns the names in each part of a list, following `Link`."""
    found, link = [], None
    while True:
        answer = caller("GET", path + link) if link else caller("GET", path, query=query)
        assert answer.status == 200, answer.body
        found.append(names(answer.json))
        assert len(found) < 20, found
        if "Link" not in answer.headers:
            return found
        link = answer.headers["Link"].removeprefix("<").split(">")[0]


def test_leads_by_score(caller, campaign, people):
    """lead list --order score: the highest first, then by sign-up; with filters, part by part"""
    path = f"campaigns/{campaign.id}/leads"
    everyone = ["ada", "ben", "cleo", "dan", "eve"]
    assert parts(caller, path, order="score") == [everyone]
    for limit in (1, 2, 3):
        found = parts(caller, path, order="score", limit=str(limit))
        assert sum(found, []) == everyone and all(len(part) <= limit for part in found), found
    assert parts(caller, path, order="score", fraudulent="on") == [["dan"]]
    assert sum(parts(caller, path, order="score", fraudulent="off", limit="1"), []) == ["ada", "ben", "cleo", "eve"]
    assert sum(parts(caller, path, order="score", name="cleo", limit="1"), []) == ["cleo"]
    assert parts(caller, path, order="score", after="20-2") == [["cleo", "dan", "eve"]]


def test_names_of_many_leads(service, caller, campaign, people):
    """lead list --name: one call examines as many leads as it can within a second, whatever visitors have written"""
    path = f"campaigns/{campaign.id}/leads"
    long = json.dumps({"first_name": "x" * 4000, "given_name": "y" * 4000})
    for name in people:
        service.installation.sql(f"UPDATE lh_leads SET custom_fields = '{long}' WHERE campaign_id = {campaign.id} AND email = '{name}@example.org'")
    records = "email,name,points\n" + "".join(f"{number}@example.org,Many,1\n" for number in range(450)) + "last@example.org,Last,2\n"
    assert caller("POST", f"campaigns/{campaign.id}/import", {"records": records}).status == 200
    for order in ({}, {"newest": "true"}, {"order": "score"}):
        assert sum(parts(caller, path, name="last", **order), []) == ["last"], order
    assert len(sum(parts(caller, path, name="many", limit="250"), [])) == 450


def test_referred_leads(caller, leadhook, campaign, people):
    """lead list --referred-by: the leads that a lead has referred directly, in both directions, with filters, part by part"""
    path, ada = f"campaigns/{campaign.id}/leads", people["ada"]["social_id"]
    assert parts(caller, path, referred_by=ada) == [["ben", "cleo", "dan"]]
    assert parts(caller, path, referred_by=ada.lower(), newest="true") == [["dan", "cleo", "ben"]]
    assert sum(parts(caller, path, referred_by=ada, newest="true", limit="1"), []) == ["dan", "cleo", "ben"]
    assert parts(caller, path, referred_by=ada, fraudulent="off") == [["ben", "cleo"]]
    assert parts(caller, path, referred_by=people["ben"]["social_id"]) == [["eve"]]
    assert parts(caller, path, referred_by=people["eve"]["social_id"]) == [[]]
    assert names(leadhook("lead", "list", campaign.id, "--referred-by", ada, "--limit", 10000)) == ["ben", "cleo", "dan"]


@pytest.mark.parametrize("words, status, says", [
    (["--order", "name"], DATA, "--order: expected score"), (["--order", "score", "--newest"], USAGE, "--newest: only in the order of sign-ups, not with --order"),
    (["--order", "score", "--referred-by", UNKNOWN], USAGE, "--referred-by: not with --order"),
    (["--order", "score", "--email", "ada@example.org"], USAGE, "--email: not with --order"),
    (["--referred-by", UNKNOWN, "--social-id", UNKNOWN], USAGE, "--social-id: not with --referred-by"),
    (["--order", "score", "--after", "7"], DATA, "--after: expected a place"), (["--order", "score", "--after", "7-x"], DATA, "--after: expected a place"),
    (["--order", "score", "--after", "-1-2"], DATA, "--after: expected a place"), (["--order", "score", "--after", "4294967296-2"], DATA, "--after: expected a place"),
    (["--referred-by", "x"], DATA, "--referred-by: expected the social_id of a lead"), (["--referred-by", UNKNOWN], DATA, "there is no such lead")],
    ids=str)
def test_what_does_not_fit(refused, campaign, words, status, says):
    """lead list: orders and filters that cannot be combined, and invalid values"""
    assert says in refused(status, "lead", "list", str(campaign.id), *words)


def test_wrong_orders_of_a_call(caller, campaign, people):
    """docs/manage.md 1.2: these are problems that name the member"""
    path = f"campaigns/{campaign.id}/leads"
    for query, status, error, pointer in (({"order": "score", "newest": "true"}, 422, "invalid_arguments", "/newest"),
                                          ({"order": "name"}, 422, "invalid_value", "/order"),
                                          ({"referred_by": UNKNOWN}, 404, "not_found", None)):
        answer = caller("GET", path, query=query)
        assert (answer.status, answer.json["error"]) == (status, error), answer.body
        assert pointer is None or answer.json["errors"][0]["pointer"] == pointer


def test_leads_of_others(service, caller, campaign, people):
    """docs/manage.md 2: a lead of another campaign is not a referrer here, and referred leads are not shown elsewhere"""
    for account in (campaign.account, service.account("Other")):
        theirs = service.campaign(account)
        answers = [Caller(service, account.key)("GET", f"campaigns/{theirs.id}/leads", query={"referred_by": social_id})
                   for social_id in (people["ada"]["social_id"], UNKNOWN)]
        assert all((answer.status, answer.json["detail"]) == (404, "there is no such lead") for answer in answers), answers
    stranger = Caller(service, service.account("Stranger").key)
    for query in ({"order": "score"}, {"referred_by": people["ada"]["social_id"]}):
        assert stranger("GET", f"campaigns/{campaign.id}/leads", query=query).status == 404


def test_parents(leadhook, campaign, people):
    """lead show: the lead that referred it, until that lead is deleted"""
    def parent(name):
        return leadhook("lead", "show", campaign.id, "--email", f"{name}@example.org")["parent"]
    assert parent("ada") is None
    assert parent("ben") == {"social_id": people["ada"]["social_id"], "display_name": "Ada", "email": "ada@example.org"}
    leadhook("lead", "erase", "--email", "ada@example.org")
    assert parent("ben") is None


def test_referrals_in_the_timeline(service, leadhook, campaign):
    """lead timeline: points for a referral name the referred lead, until that lead is deleted"""
    leadhook("campaign", "set", campaign.id, "points_direct=5", "points_verified=3")
    ada = campaign.lead(email="ada@example.org")
    made = [campaign.lead(email=f"{name}@example.org", last_name=name, kid=ada["social_id"]) for name in ("ben", "cleo")]
    campaign.bulk("verify", {"email": ["ben@example.org"]})
    service.dispatch()
    campaign.bulk("block", {"email": ["cleo@example.org"]})
    service.dispatch()

    def referrals():
        entries = leadhook("lead", "timeline", campaign.id, "--email", "ada@example.org")
        assert all(entry["lead"] is None for entry in entries if entry["kind"] != "points")
        return sorted((entry["name"], entry["lead"], entry["subject"]) for entry in entries if entry["kind"] == "points")
    ben, cleo = (lead["social_id"] for lead in made)
    found = referrals()
    assert {name for name, _, _ in found} >= {"referral", "verified", "fraud"}
    assert {(lead, subject) for _, lead, subject in found} == {(ben, "ben"), (cleo, "cleo")}
    for email in ("ben@example.org", "cleo@example.org"):
        leadhook("lead", "erase", "--email", email)
    assert {(lead, subject) for _, lead, subject in referrals()} == {(None, None)}
