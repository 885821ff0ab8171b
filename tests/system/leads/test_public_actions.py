# SPDX-License-Identifier: MIT
"""docs/api.md 4.1.3, actions from a page: POST /action/{campaign} completes public actions without a key."""
import json

import pytest
from client import multipart, new_address
from load import at_once
from service import settles

DONE = {"message": "Lead added to action"}
UNKNOWN_ID = 4294967295


def complete(campaign, fields, key=None, **options):
    return campaign.client.request("POST", f"/action/{campaign.id}", json_body=fields, key=key, **options)


def messages(campaign, lead):
    """Return (points, message) of each booking of an action."""
    rows = campaign.service.installation.sql(
        f"SELECT delta, message FROM lh_score_entries WHERE lead_id = {lead['id']} AND reason = 'action' ORDER BY ref")
    return [tuple(row.split("\t")) for row in rows.split("\n")] if rows else []


@pytest.fixture
def shared(campaign):
    """A campaign with a public action, and a lead."""
    campaign.action = campaign.define("action", "Share", "--points", 3, "--public")
    campaign.ada = campaign.lead(email="ada@example.org")
    return campaign


def test_a_public_action(shared, receiver):
    """the action is completed once per lead; points, events and the payload are the same as with a key"""
    shared.webhook("score_change")
    for _ in range(2):
        answer = complete(shared, {"aid": shared.action, "kid": shared.ada["social_id"].lower(), "__source": "embed"})
        assert (answer.status, answer.json) == (200, DONE)
    lead = shared.find(email="ada@example.org")
    assert (lead["contest_score"], lead["completed_actions"], lead["counter"]) == (3, [shared.action], 1)
    assert messages(shared, shared.ada) == [("3", "NULL")]
    shared.service.dispatch()
    event, = shared.delivered(1, event="score_change")
    assert event.json["__score_change"]["reason"] == "action"
    shared.service.check()


def test_bodies(shared):
    """JSON, forms, multipart, the body of sendBeacon, and the query"""
    request, path = shared.client.request, f"/action/{shared.id}"
    for number, send in enumerate((
            lambda fields: request("POST", path, json_body=fields),
            lambda fields: request("POST", path, form=fields),
            lambda fields: request("POST", path, body=json.dumps(fields).encode(), type="text/plain;charset=UTF-8"),
            lambda fields: request("POST", path, **dict(zip(("type", "body"), multipart(fields.items())))),
            lambda fields: request("POST", path, query=fields, body=b""))):
        lead = shared.lead(email=f"{number}@example.org")
        answer = send({"aid": str(shared.action), "kid": lead["social_id"], "data": "twitter"})
        assert (answer.status, answer.json) == (200, DONE), answer.body
        assert answer.headers["Access-Control-Allow-Origin"] == "*"
        assert messages(shared, lead) == [("3", "twitter")]


@pytest.mark.parametrize("data, stored", [
    ("twitter", "twitter"), (7, "7"), (1.50, "1.5"), (True, "true"), (["a", 1], '["a",1]'), ("", "NULL"), (None, "NULL"),
    ({"network": "x", "page": {"url": "/a", "n": [1, 2]}}, '{"network":"x","page":{"url":"/a","n":[1,2]}}'), ({}, "NULL"),
    ("é" * 600, "é" * 512), ("x" + "é" * 600, "x" + "é" * 511)],
    ids=["text", "whole", "decimal", "boolean", "array", "empty", "null", "object", "no members", "long", "long, odd"])
def test_data(shared, data, stored):
    """`data` is the message of the booking: a text is stored unchanged, anything else as JSON; at most 1,024 bytes, cut between
    characters"""
    assert complete(shared, {"aid": shared.action, "kid": shared.ada["social_id"], "data": data}).json == DONE
    assert messages(shared, shared.ada) == [("3", stored)]


def test_data_in_parts(shared):
    """in a form, parameters that are members of `data` make an object"""
    form = [("aid", shared.action), ("kid", shared.ada["social_id"]), ("data[network]", "x"), ("data[page][url]", "/a"),
            ("data[n]", "1"), ("data[page][title]", 'A "B"'), ("data[n", "2"), ("data[n]x", "3")]
    assert shared.client.request("POST", f"/action/{shared.id}", form=form).json == DONE
    assert messages(shared, shared.ada) == [("3", r'{"network":"x","page":{"url":"/a","title":"A \\"B\\""},"n":"1"}')]


def test_data_as_an_object(shared):
    """docs/api.md 1.1, 4.1.3: an object in JSON is stored as JSON"""
    data = {"network": "x", "page": {"url": "/a"}}
    assert complete(shared, {"aid": shared.action, "kid": shared.ada["social_id"], "data": data}).json == DONE
    assert messages(shared, shared.ada) == [("3", '{"network":"x","page":{"url":"/a"}}')]


def test_other_actions_do_not_exist(shared, service):
    """without a key, all actions that cannot be completed get the same answer: not public, bound to a tag, unknown, or of another
    campaign"""
    tag, other = shared.define("tag", "VIP"), service.campaign(shared.account)
    actions = [shared.define("action", "Private", "--points", 3), shared.define("action", "Bound", "--tag", tag, "--public"),
               other.define("action", "Elsewhere", "--public"), UNKNOWN_ID, 0, "x", -1, 10**30, "", None]
    lead = {"kid": shared.ada["social_id"]}
    answers = [complete(shared, {**lead, "aid": aid}) for aid in actions] + [complete(shared, lead)]
    assert {answer.verdict for answer in answers} == {(404, "action_not_found")}
    assert len({answer.body for answer in answers}) == 1
    for aid in actions[:4]:  # the same answer for an unknown lead
        assert complete(shared, {"aid": aid, "kid": "0000000000"}).body == answers[0].body
    assert shared.find(email="ada@example.org")["completed_actions"] == []


def test_with_a_key(shared):
    """with a key, the call works like POST /v2/{campaign}/actions/{action_id}, and the action need not be public"""
    tag = shared.define("tag", "VIP")
    private, bound = shared.define("action", "Private"), shared.define("action", "Bound", "--tag", tag, "--public")
    lead = {"kid": shared.ada["social_id"]}
    assert complete(shared, {**lead, "aid": private}, key=shared.key).json == DONE
    assert complete(shared, {**lead, "aid": bound}, key=shared.key).verdict == (409, "invalid_action")
    assert complete(shared, {**lead, "aid": private}, key="lh_" + "x" * 43).verdict == (409, "invalid_api_key")


def test_leads(shared, service):
    """an unknown or malformed kid gets 404; leads of others are unknown; an email address does not identify the lead"""
    other = service.campaign(shared.account).lead(email="eve@example.org")
    for kid in ("0000000000", "x", "é", other["social_id"]):
        assert complete(shared, {"aid": shared.action, "kid": kid}).verdict == (404, "lead_not_found")
    for fields in ({}, {"kid": ""}, {"email": "ada@example.org"}):
        assert complete(shared, {"aid": shared.action, **fields}).verdict == (409, "missing_identifier")
    assert complete(shared, {"aid": shared.action, "social_id": shared.ada["social_id"]}).json == DONE


def test_the_switch(shared, service):
    """leadhook(1): `action set public=…` takes effect for the next call"""
    def tries(email):
        return complete(shared, {"aid": shared.action, "kid": shared.lead(email=email)["social_id"]}).status
    service.installation.admin("action", "set", str(shared.action), "public=off")
    assert tries("1@example.org") == 404
    service.installation.admin("action", "set", str(shared.action), "public=on")
    assert tries("2@example.org") == 200


def test_states_of_the_campaign(shared, service):
    """docs/api.md 3 require_key, 6; the body's cap for calls without a key"""
    fields = {"aid": shared.action, "kid": shared.ada["social_id"]}
    assert complete(shared, {**fields, "data": ["x" * 3000] * 11}).verdict == (413, "body_too_large")
    service.installation.admin("campaign", "set", str(shared.id), "require_key=on")
    settles(lambda: complete(shared, fields), 409, "missing_api_key")
    settles(lambda: complete(shared, fields, key=shared.key), 200)
    service.installation.admin("campaign", "set", str(shared.id), "require_key=off")
    shared.end()
    settles(lambda: complete(shared, fields), 423, "campaign_ended")
    settles(lambda: complete(shared, fields, key=shared.key), 423, "campaign_ended")


def test_limits(shared):
    """docs/api.md 5: such a call counts as a POST without a key for the campaign, together with sign-ups"""
    address = new_address()
    fields = {"aid": shared.action, "kid": shared.ada["social_id"]}
    statuses = [complete(shared, fields, address=address).status for _ in range(6)]
    statuses += [shared.post({"email": "ada@example.org"}, key=None, address=address).status for _ in range(4)]
    assert statuses == [200] * 10
    assert complete(shared, fields, address=address).verdict == (429, "rate_limited")
    assert complete(shared, fields).status == 200


def test_at_once(shared):
    """docs/api.md 4.6: two simultaneous calls book the points once"""
    fields = {"aid": shared.action, "kid": shared.ada["social_id"]}
    answers = at_once([lambda number=number: complete(shared, {**fields, "data": number}) for number in range(8)])
    assert {answer.status for answer in answers} == {200}
    assert len(messages(shared, shared.ada)) == 1
    assert shared.find(email="ada@example.org")["contest_score"] == 3
    shared.service.check()
