# SPDX-License-Identifier: MIT
"""docs/api.md 3, 4: accounts and campaigns are separate: objects of others seem not to exist, and never change."""
import re

import pytest
from routes import all_routes

NO_CAMPAIGN = 4294967295
UNKNOWN = {"email": "unknown@example.org", "phone_number": "+14155552672", "social_id": "0000000000"}
BULK = ["optout", "sms_optout", "sms_optin", "verify", "unverify", "approve", "block", "waitlist", "unwaitlist", "tag", "delete"]


class World:
    """A campaign of ours, and the objects of `theirs`: a campaign of another account, or a second campaign of ours."""

    def __init__(self, service, ours, theirs):
        self.service, self.ours, self.theirs = service, ours, theirs
        for number, campaign in enumerate((ours, theirs)):
            campaign.first = campaign.lead(email=f"{number}@example.org", phone_number=f"+1415555267{number}")
            campaign.tag_id = campaign.define("tag", f"Tag {number}", "--points", 5)
            campaign.action_id = campaign.define("action", f"Action {number}", "--points", 5)
            campaign.url = f"https://hooks.example/{number}"
            hook = campaign.post({"url": campaign.url, "events": ["new_signup"]}, path="/outbound-webhook")
            assert hook.status == 200
        theirs.leads(3)
        service.dispatch()  # this counts leads

    def rows(self):
        """Return all rows of their campaign, as hexadecimal text, because hashes are not UTF-8."""
        sql = self.service.installation.sql
        columns = {}
        for line in sql("SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = DATABASE()").split("\n"):
            table, column = line.split("\t")
            columns.setdefault(table, []).append(column)
        wheres = {table: f"campaign_id = {self.theirs.id}" for table in columns if "campaign_id" in columns[table]}
        assert len(wheres) >= 10
        wheres["lh_campaigns"] = f"id = {self.theirs.id}"
        wheres["lh_score_entries"] = f"lead_id IN (SELECT id FROM lh_leads WHERE campaign_id = {self.theirs.id})"
        return sql("".join(f"SELECT '{table}', {', '.join(f'HEX({column})' for column in columns[table])} "
                           f"FROM {table} WHERE {where} ORDER BY 1, 2;" for table, where in wheres.items()))

    def same(self, call, theirs, nothing):
        """Return the answer to `call` for theirs, and check that it equals the answer for an object that does not exist."""
        answers = [call(what) for what in (theirs, nothing)]
        assert answers[0].status == answers[1].status and answers[0].body == answers[1].body, (theirs, answers)
        return answers[0]


@pytest.fixture(scope="module", params=["of another account", "of the same account"])
def world(request, service):
    account = service.account()
    other = service.account("Other") if request.param == "of another account" else account
    return World(service, service.campaign(account), service.campaign(other))


@pytest.fixture(autouse=True)
def nothing_happens(world):
    """Check after each test, and after the work that it has queued, that their campaign is unchanged."""
    before = world.rows()
    yield
    world.service.dispatch()
    assert world.rows() == before


def names_of(lead):
    """(name, value) for each way to name a lead, and for a lead that does not exist."""
    for name in ("email", "phone_number", "social_id"):
        yield name, lead[name], UNKNOWN[name]
    yield "kid", lead["social_id"], UNKNOWN["social_id"]


# --- campaigns ---

@pytest.mark.parametrize("world", ["of another account"], indirect=True)
def test_every_route(world):
    """docs/api.md 2: a campaign of another account gets the same answer as one that does not exist"""
    ours, theirs = world.ours, world.theirs
    social_id = theirs.first["social_id"]
    values = {"probe": "0.invalid", "version": "0", "file": "main.js", "page": "7", "social_id": social_id, "kid": social_id,
              "action_id": theirs.action_id, "tag_id": theirs.tag_id,
              "token": ours.first["unsubscribe_url"]["default"].rsplit("/", 1)[1]}
    fields = {**UNKNOWN, "email": theirs.first["email"], "points": 7, "aid": theirs.action_id,
              "tag_id": theirs.tag_id, "tag_ids": [theirs.tag_id], "url": theirs.url, "event": "verified"}
    compared = 0
    for method, path in all_routes():
        def call(campaign_id, method=method, path=path):
            filled = re.sub(r"\{(\w+)\}", lambda name: str({**values, "campaign": campaign_id}[name[1]]), f"/{path}")
            named = {**fields, "campaign_id": campaign_id}
            sent = {"query": named} if method == "GET" else {"json_body": named}
            return ours.client.request(method, filled, key=ours.key, **sent)
        if path == "c/{campaign}/thanks":  # public: shows the campaign's name, like answers to forms
            continue
        answer = world.same(call, theirs.id, NO_CAMPAIGN)
        if path not in ("health", "health/ready", "health/echo/{probe}", "embed/v1/embed.js", "bar/v1/signupbar.js", "{version}/kol.js",
                        "widgets/{version}/{file}", "w/{file}", "w/{version}/{file}", "{page}", "c/style/page.css",
                        "c/style/page.js", "dashboard", "dashboard/{version}/{file}", "openapi.json", "v2/campaigns", "v1/landing_pages", "v1/authenticate"):
            assert answer.status == 404, path
            compared += 1
    assert compared > 25
    assert theirs.id not in [campaign["id"] for campaign in ours.client.request("GET", "/v2/campaigns", key=ours.key).json]
    pages = ours.client.request("GET", "/v1/landing_pages", key=ours.key).json["pages"]
    assert [page["page_id"] for page in pages] == [ours.id]


# --- leads ---

@pytest.mark.parametrize("path", ["/v2/{}", "/v1/{}/info"])
def test_look_ups(world, path):
    """docs/api.md 4.1: look-ups by email, phone number, kid or social id"""
    for key in (world.ours.key, None):
        for name, theirs, unknown in names_of(world.theirs.first):
            def call(value, name=name, key=key):
                return world.ours.client.request("GET", path.format(world.ours.id), query={name: value}, key=key)
            assert world.same(call, theirs, unknown).verdict == (404, "lead_not_found")


@pytest.mark.parametrize("action", BULK)
def test_bulk_calls(world, action):
    """docs/api.md 4.1: all identifiers of bulk calls, alone and several at once"""
    for name, theirs, unknown in names_of(world.theirs.first):
        for spelling in (name, name + "[]", *([name + "s"] if name != "kid" else [])):
            def call(value, spelling=spelling):
                fields = {spelling.removesuffix("[]"): [value] if spelling.endswith("[]") else value, "tag_id": world.ours.tag_id}
                return world.ours.delete(fields) if action == "delete" else world.ours.post(fields, path=f"/{action}")
            assert world.same(call, theirs, unknown).verdict == (400, "no_leads")


@pytest.mark.parametrize("path", ["/tags/bulk", "/lead-parent"])
def test_bulk_calls_for_tags(world, path):
    """docs/api.md 4.1.4: leads of others match nothing, and their tags are unknown"""
    for name, theirs, unknown in names_of(world.theirs.first):
        def call(value, name=name):
            return world.ours.post({name: value, "tag_ids": [world.ours.tag_id]}, path=path)
        assert world.same(call, theirs, unknown).verdict == (400, "no_leads")
    email = {"email": world.ours.first["email"]}
    answer = world.same(lambda number: world.ours.post({**email, "tag_ids": [world.ours.tag_id, number]}, path=path),
                        world.theirs.tag_id, NO_CAMPAIGN)
    assert answer.verdict == (404, "tag_not_found")


def test_the_tag_of_a_path(world):
    """docs/api.md 4.1.4: the tag in /tags/{tag_id}/lead-parent is also unknown"""
    for name, theirs, unknown in names_of(world.theirs.first):
        def call(value, name=name):
            return world.ours.post({name: value}, path=f"/tags/{world.ours.tag_id}/lead-parent")
        assert world.same(call, theirs, unknown).verdict == (400, "no_leads")
    answer = world.same(lambda number: world.ours.post({"email": world.ours.first["email"]}, path=f"/tags/{number}/lead-parent"),
                        world.theirs.tag_id, NO_CAMPAIGN)
    assert answer.verdict == (404, "tag_not_found")


def test_bulk_calls_pass_over_them(world):
    """docs/api.md 4.1: n is the number of leads that matched; leads of others do not match, even in a list with a lead that does"""
    ours, theirs = world.ours.first, world.theirs.first
    assert world.ours.bulk("verify", {"social_ids": [theirs["social_id"], ours["social_id"]]}) == 1
    assert world.ours.bulk("verify", {"emails": [theirs["email"], ours["email"]]}) == 1


@pytest.mark.parametrize("path, verdict", [("/points", (404, "leads_not_found")), ("/actions/{}", (404, "lead_not_found"))])
def test_points_and_actions(world, path, verdict):
    """docs/api.md 4.1: leads of others get no points and complete no actions"""
    path = path.format(world.ours.action_id)
    for name, theirs, unknown in names_of(world.theirs.first):
        answer = world.same(lambda value, name=name: world.ours.post({name: value, "points": 7}, path=path), theirs, unknown)
        assert answer.verdict == verdict


def test_updates(world):
    """docs/api.md 4.3: leads of others are not updated; with must_exist, no lead is created"""
    theirs = world.theirs.first
    for path in ("", f"/tags/{world.ours.tag_id}/lead"):
        def call(fields, path=path):
            return world.ours.post({"first_name": "Eve", **fields}, path=path)
        for name in ("social_id", "kid"):
            assert world.same(call, {name: theirs["social_id"]}, {name: UNKNOWN["social_id"]}).verdict == (404, "lead_not_found")
            answer = world.same(call, {name: theirs["social_id"], "email": "new@example.org", "must_exist": True},
                                {name: UNKNOWN["social_id"], "email": "new@example.org", "must_exist": True})
            assert answer.verdict == (404, "lead_not_found")
        for name in ("email", "phone_number"):
            answer = world.same(call, {name: theirs[name], "must_exist": True}, {name: UNKNOWN[name], "must_exist": True})
            assert answer.verdict == (404, "lead_not_found")


@pytest.mark.parametrize("name", ["social_id", "kid", "__kid", "__url"])
def test_referrers(world, name):
    """docs/api.md 4.6 Referrer: social ids of other campaigns are ignored like unknown ones"""
    def sign_up(social_id):
        campaign = world.service.campaign(world.ours.account)
        value = f"https://shop.example/?kid={social_id}" if name == "__url" else social_id
        return campaign.lead(email="new@example.org", **{name: value}), campaign.stats()
    (theirs, theirs_stats), (unknown, unknown_stats) = sign_up(world.theirs.first["social_id"]), sign_up(UNKNOWN["social_id"])
    own = ("id", "ip", "social_id", "campaign_id", "list_id", "when", "unsubscribe_url")
    assert {key: theirs[key] for key in theirs if key not in own} == {key: unknown[key] for key in unknown if key not in own}
    assert theirs["parent_id"] is None and theirs_stats == unknown_stats and theirs_stats["referred"] == 0


def test_look_ups_by_path(world):
    """docs/api.md 4.1.6: a lead of others is unknown in our campaign"""
    for key in (world.ours.key, None):
        def call(social_id, key=key):
            return world.ours.client.request("GET", f"/lead/{world.ours.id}/{social_id}", key=key)
        answer = world.same(call, world.theirs.first["social_id"], UNKNOWN["social_id"])
        assert answer.verdict == (404, "lead_not_found")


def test_leaderboards(world):
    """docs/api.md 4.1: `me` is null for a lead of others, as for an unknown lead"""
    for key in (world.ours.key, None):
        def call(social_id, key=key):
            return world.ours.get({"social_id": social_id}, path="/leaderboard", key=key)
        assert world.same(call, world.theirs.first["social_id"], UNKNOWN["social_id"]).json["me"] is None


def test_opt_out_links(world):
    """docs/api.md 4.1: a token is valid only for its own lead in its own campaign"""
    theirs, ours = world.theirs.first, world.ours.first
    tokens = [lead["unsubscribe_url"]["default"].rsplit("/", 1)[1] for lead in (theirs, ours)]
    for method in ("GET", "POST"):
        for campaign, lead, token in ((world.ours, theirs, tokens[0]), (world.ours, theirs, tokens[1]),
                                      (world.theirs, theirs, tokens[1]), (world.theirs, ours, tokens[1])):
            def call(path):
                return world.ours.client.request(method, f"/opt-out/{path}")
            answer = world.same(call, f"{campaign.id}/{lead['social_id']}/{token}", f"{campaign.id}/0000000000/{'x' * 24}")
            assert answer.status == 404


# --- definitions ---

def test_actions_and_tags(world):
    """docs/api.md 4.1, 2: ids and names of others are unknown; nothing is created"""
    email = {"email": world.ours.first["email"]}
    for path, theirs, code in (("/actions/{}", world.theirs.action_id, "action_not_found"),
                               ("/tags/{}/lead", world.theirs.tag_id, "tag_not_found")):
        answer = world.same(lambda number, path=path: world.ours.post(email, path=path.format(number)), theirs, NO_CAMPAIGN)
        assert answer.verdict == (404, code)
    assert world.ours.post({"email": "new@example.org"}, path=f"/tags/{world.theirs.tag_id}/lead").status == 404
    assert world.ours.get({"email": "new@example.org"}).status == 404
    for name, theirs, nothing in (("tag_id", world.theirs.tag_id, NO_CAMPAIGN), ("tag", "Tag 1", "nothing")):
        answer = world.same(lambda value, name=name: world.ours.post({**email, name: value}, path="/tag"), theirs, nothing)
        assert answer.verdict == (404, "tag_not_found")


def test_lists(world):
    """docs/api.md 4.1: tags and cursors of others do not give access to their leads"""
    def call(fields):
        return world.ours.get(fields, path="/leads")
    for theirs in (world.theirs.tag_id, "Tag 1"):
        assert world.same(call, {"tag": theirs}, {"tag": NO_CAMPAIGN}).verdict == (404, "tag_not_found")
    cursor = world.theirs.get({"limit": 2}, path="/leads").json["next"]
    assert cursor is not None
    assert world.same(call, {"cursor": cursor}, {"cursor": NO_CAMPAIGN}).json == {"leads": [], "next": None}
    for path, own in (("/actions", world.ours.action_id), ("/tags", world.ours.tag_id)):
        assert [item["id"] for item in world.ours.get({}, path=path).json] == [own]


def test_webhooks(world):
    """docs/deliveries.md 1: a URL of others is unknown here; it may be registered here, and is then removed only here"""
    def remove(url):
        return world.ours.delete({"url": url}, path="/outbound-webhook")

    def listed(campaign):
        return [hook["url"] for hook in campaign.get({}, path="/outbound-webhook").json]
    assert world.same(remove, world.theirs.url, "https://hooks.example/nothing").verdict == (404, "webhook_not_found")
    hook = world.ours.post({"url": world.theirs.url, "events": ["verified"]}, path="/outbound-webhook")
    assert hook.status == 200 and "secret" in hook.json, "it is a new webhook"
    assert listed(world.ours) == [world.ours.url, world.theirs.url] and listed(world.theirs) == [world.theirs.url]
    assert remove(world.theirs.url).status == 200
    assert listed(world.ours) == [world.ours.url] and listed(world.theirs) == [world.theirs.url]
