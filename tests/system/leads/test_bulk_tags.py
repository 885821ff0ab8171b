# SPDX-License-Identifier: MIT
"""docs/api.md 4.1.4, several tags: POST /v2/{campaign}/tags/bulk and /lead-parent; docs/architecture.md 6."""
import pytest
from load import at_once, in_parallel
from stack.process import wait_until

UNKNOWN_ID = 4294967295
TAGS_MAX = 50


def jobs(service):
    return int(service.installation.sql("SELECT COUNT(*) FROM lh_bulk_jobs"))


def items_left(service):
    return int(service.installation.sql("SELECT COALESCE(SUM(total - position), 0) FROM lh_bulk_jobs"))


def tags_of(campaign, lead):
    return sorted(tag["tag_id"] for tag in campaign.find(social_id=lead["social_id"])["tags"])


def bulk(campaign, tag_ids, path="/tags/bulk", **fields):
    return campaign.post({"tag_ids": tag_ids, **fields}, path=path)


def queued(response, count):
    assert (response.status, response.json) == (202, {"message": "Your leads have been queued for changes", "updated": count})


@pytest.fixture
def tagged(campaign, receiver):
    """A campaign with three tags, and webhooks for their events."""
    campaign.webhook("tagged", "score_change")
    campaign.tags = [campaign.define("tag", name, "--points", points) for name, points in (("A", 1), ("B", 2), ("C", 4))]
    return campaign


def test_several_tags(service, tagged):
    """each lead gets each tag once, unknown leads are skipped, duplicates count once"""
    leads = tagged.leads(3)
    done = tagged.define("action", "Done", "--points", 10, "--tag", tagged.tags[2])
    emails = [leads[0]["email"], leads[1]["email"], leads[0]["email"], "unknown@example.org", "no address"]
    tags = [tagged.tags[2], str(tagged.tags[0]), tagged.tags[2]]
    queued(bulk(tagged, tags, emails=emails), 2)
    assert jobs(service) == 2, "a job for each tag, duplicates once"
    queued(bulk(tagged, tags, kid=leads[0]["social_id"]), 1)
    assert tags_of(tagged, leads[0]) == []
    service.dispatch()
    assert [tags_of(tagged, lead) for lead in leads] == [[tagged.tags[0], tagged.tags[2]]] * 2 + [[]]
    found = tagged.find(social_id=leads[0]["social_id"])
    assert (found["contest_score"], found["completed_actions"], found["counter"]) == (15, [done], 1)
    events = tagged.delivered(4, event="tagged")
    assert sorted(event.json["__tagged"]["name"] for event in events) == ["A", "A", "C", "C"]
    service.check()


def test_spellings(service, tagged):
    """an array or one value, in JSON, a form or a query"""
    first, second = tagged.tags[:2]
    sent = [{"json_body": {"tag_ids": first}}, {"json_body": {"tag_ids": str(first)}}, {"json_body": {"tag_ids": [first, second]}},
            {"form": [("tag_ids[]", first), ("tag_ids[]", second)]}, {"form": [("tag_ids", first), ("tag_ids", second)]},
            {"query": [("tag_ids[]", first), ("tag_ids[]", second)], "json_body": {}}]
    leads = tagged.leads(len(sent))
    for lead, options in zip(leads, sent):
        fields = next(iter(options.values()))
        if isinstance(fields, dict):
            fields["email"] = lead["email"]
        else:
            fields.append(("email", lead["email"]))
        queued(tagged.client.request("POST", tagged.path + "/tags/bulk", key=tagged.key, **options), 1)
    service.dispatch()
    assert [tags_of(tagged, lead) for lead in leads] == [[first]] * 2 + [[first, second]] * 4


def test_another_call(tagged):
    """docs/api.md 1.1: on other calls, `tag_ids` is a custom field, with its last value"""
    form = [("email", "ada@example.org"), ("tag_ids", "1"), ("tag_ids", "2")]
    assert tagged.client.request("POST", tagged.path, form=form, key=tagged.key).json["custom_fields"] == {"tag_ids": "2"}


@pytest.mark.parametrize("path", ["/tags/bulk", "/lead-parent"])
def test_unknown_tags(service, tagged, path):
    """404 tag_not_found, even together with known tags, and nothing is queued; names are not accepted as ids"""
    other = service.campaign(tagged.account).define("tag", "A")
    lead = tagged.lead(email="bob@example.org", kid=tagged.lead(email="ada@example.org")["social_id"])
    known = tagged.tags[0]
    for tags in ([known, UNKNOWN_ID], [other], ["A"], [known, "x"], [0], [-1], [1.5], [True], [None], [known, ""], [], "", None, 10**30):
        assert bulk(tagged, tags, path, email=lead["email"]).verdict == (404, "tag_not_found"), tags
    assert tagged.post({"email": lead["email"]}, path=path).verdict == (404, "tag_not_found")
    assert jobs(service) == 0


@pytest.mark.parametrize("path", ["/tags/bulk", "/lead-parent"])
def test_refusals(service, tagged, path):
    """409 without a key or an identifier, 400 for no lead, 413 for too many leads or tags; other methods 405"""
    lead, = tagged.leads(1)
    tags = tagged.tags
    assert tagged.post({"tag_ids": tags, "email": lead["email"]}, path=path, key=None).verdict == (409, "missing_api_key")
    assert bulk(tagged, tags, path).verdict == (409, "missing_identifier")
    assert bulk(tagged, tags, path, email=lead["email"], kid=lead["social_id"]).verdict == (409, "mixed_identifiers")
    for email in ("unknown@example.org", "x"):
        assert bulk(tagged, tags, path, email=email).verdict == (400, "no_leads")
    assert bulk(tagged, tags, path, emails=["x"] * 251).verdict == (413, "too_many_items")
    assert bulk(tagged, [tags[0]] * (TAGS_MAX + 1), path, email=lead["email"]).verdict == (413, "too_many_items")
    assert tagged.get({}, path=path).verdict == (405, "method_not_allowed")
    assert jobs(service) == 0
    assert bulk(tagged, [tags[0]] * TAGS_MAX, path, email=lead["email"]).status == 202
    service.dispatch()


def test_the_most(service, tagged):
    """the largest number of tags and of named leads"""
    tags = [tagged.define("tag", f"Tag {number}") for number in range(TAGS_MAX)]
    lead, = tagged.leads(1)
    queued(bulk(tagged, tags, emails=[lead["email"]] * 250), 1)
    assert jobs(service) == TAGS_MAX
    service.dispatch()
    assert tags_of(tagged, lead) == tags and jobs(service) == 0


def test_referrers(service, tagged):
    """/lead-parent tags the referrer of each named lead once; leads without a referrer are not an error"""
    ada, eve = tagged.lead(email="ada@example.org"), tagged.lead(email="eve@example.org")
    bob, cyd = (tagged.lead(email=f"{name}@example.org", kid=ada["social_id"]) for name in ("bob", "cyd"))
    dan = tagged.lead(email="dan@example.org", kid=bob["social_id"])
    queued(bulk(tagged, tagged.tags[:2], "/lead-parent", emails=[lead["email"] for lead in (bob, cyd, ada)]), 1)
    queued(bulk(tagged, tagged.tags[2], "/lead-parent", social_ids=[dan["social_id"], cyd["social_id"]]), 2)
    before = jobs(service)
    queued(bulk(tagged, tagged.tags, "/lead-parent", emails=["ada@example.org", "eve@example.org"]), 0)
    assert jobs(service) == before == 3
    service.dispatch()
    assert [tags_of(tagged, lead) for lead in (ada, bob, cyd, dan, eve)] == [tagged.tags, [tagged.tags[2]], [], [], []]
    assert tagged.find(email="ada@example.org")["contest_score"] == 2 + 7  # two referrals
    assert len(tagged.delivered(4, event="tagged")) == 4
    service.check()


def test_the_tag_of_a_path(service, tagged):
    """/tags/{tag_id}/lead-parent works like /lead-parent with only this tag, whatever `tag_ids` is; one lead or several, JSON or form"""
    ada, eve = tagged.lead(email="ada@example.org"), tagged.lead(email="eve@example.org")
    bob, cyd = (tagged.lead(email=f"{name}@example.org", kid=ada["social_id"]) for name in ("bob", "cyd"))
    dan = tagged.lead(email="dan@example.org", kid=bob["social_id"])
    path = f"/tags/{tagged.tags[1]}/lead-parent"
    queued(tagged.post({"email": bob["email"], "tag_ids": [UNKNOWN_ID]}, path=path), 1)
    queued(tagged.post({"social_ids": [cyd["social_id"], dan["social_id"]]}, path=path), 2)
    queued(tagged.client.request("POST", tagged.path + path, form={"email": dan["email"], "api_key": tagged.key}), 1)
    queued(tagged.post({"email": eve["email"]}, path=path), 0)
    service.dispatch()
    assert [tags_of(tagged, lead) for lead in (ada, bob, cyd, dan, eve)] == [[tagged.tags[1]]] * 2 + [[]] * 3
    assert len(tagged.delivered(2, event="tagged")) == 2
    service.check()


def test_unknown_tags_of_a_path(service, tagged):
    """404 tag_not_found; otherwise the same refusals as for other bulk calls; nothing is queued"""
    other = service.campaign(tagged.account).define("tag", "A")
    lead = tagged.lead(email="bob@example.org", kid=tagged.lead(email="ada@example.org")["social_id"])
    for number in (UNKNOWN_ID, other, 0, -1, "A", "1.5", 10**30):
        assert tagged.post({"email": lead["email"]}, path=f"/tags/{number}/lead-parent").verdict == (404, "tag_not_found"), number
    path = f"/tags/{tagged.tags[0]}/lead-parent"
    assert tagged.post({"email": lead["email"]}, path=path, key=None).verdict == (409, "missing_api_key")
    assert tagged.post({}, path=path).verdict == (409, "missing_identifier")
    assert tagged.post({"email": "unknown@example.org"}, path=path).verdict == (400, "no_leads")
    assert tagged.post({"emails": ["x"] * 251}, path=path).verdict == (413, "too_many_items")
    assert tagged.get({}, path=path).verdict == (405, "method_not_allowed")
    assert jobs(service) == 0


def test_a_deleted_referrer(service, tagged):
    """the referrer at the time of the call is tagged; if it is deleted later, nothing happens"""
    ada, bob = tagged.lead(email="ada@example.org"), tagged.lead(email="bob@example.org")
    cyd = tagged.lead(email="cyd@example.org", kid=ada["social_id"])
    dan = tagged.lead(email="dan@example.org", kid=bob["social_id"])
    tagged.change("delete", email="ada@example.org")
    queued(bulk(tagged, tagged.tags, "/lead-parent", emails=[cyd["email"], dan["email"]]), 1)
    service.dispatch()
    assert tags_of(tagged, bob) == tagged.tags
    tagged.bulk("delete", {"email": "bob@example.org"})
    queued(bulk(tagged, tagged.tags, "/lead-parent", emails=[cyd["email"], dan["email"]]), 1)
    service.dispatch()
    assert jobs(service) == 0
    queued(bulk(tagged, tagged.tags, "/lead-parent", emails=[cyd["email"], dan["email"]]), 0)


def test_what_is_gone_by_then(service, tagged):
    """leads and tags that are deleted after the call, but before its work, are skipped; the others are processed"""
    leads = tagged.leads(3)
    tagged.bulk("delete", {"email": leads[1]["email"]})
    queued(bulk(tagged, tagged.tags, emails=[lead["email"] for lead in leads]), 3)
    service.installation.admin("tag", "remove", str(tagged.tags[1]))
    service.dispatch()
    assert jobs(service) == 0
    assert [tags_of(tagged, lead) for lead in (leads[0], leads[2])] == [[tagged.tags[0], tagged.tags[2]]] * 2
    service.check()


def test_an_ended_campaign(service, tagged):
    """docs/api.md 6: bulk calls work, but book no points"""
    ada = tagged.lead(email="ada@example.org")
    bob = tagged.lead(email="bob@example.org", kid=ada["social_id"])
    tagged.end()
    wait_until(lambda: tagged.post({"email": "ada@example.org"}).status == 423, 10, "the end")
    queued(bulk(tagged, tagged.tags, "/lead-parent", email=bob["email"]), 1)
    queued(bulk(tagged, tagged.tags, email=bob["email"]), 1)
    service.dispatch()
    assert tags_of(tagged, ada) == tags_of(tagged, bob) == tagged.tags
    assert tagged.find(email=bob["email"])["contest_score"] == 0


def test_the_cap_of_queued_calls(make_service):
    """docs/api.md 1.3 account_bulk_jobs: each tag counts; either all are queued or none"""
    service = make_service(workers=2, settings=[("limits", "account_bulk_jobs", "3")])
    campaign = service.campaign()
    tags = [campaign.define("tag", name) for name in "ABCD"]
    lead, = campaign.leads(1)
    for count in (4, 3):
        response = bulk(campaign, tags[:count], email=lead["email"])
        assert response.status == (429 if count > 3 else 202)
    assert jobs(service) == 3
    response = bulk(campaign, tags[0], email=lead["email"])
    assert response.verdict == (429, "too_many_jobs") and response.headers["Retry-After"] == "60"
    service.dispatch()
    assert tags_of(campaign, lead) == tags[:3]


def test_at_once(service, tagged):
    """docs/api.md 4.6: simultaneous calls tag each lead once, and queue one job for each tag"""
    lead, = tagged.leads(1)
    for response in at_once([lambda: bulk(tagged, tagged.tags, email=lead["email"]) for _ in range(6)]):
        queued(response, 1)
    assert jobs(service) == 6 * len(tagged.tags)
    service.dispatch()
    assert len(tagged.delivered(3, event="tagged")) == 3
    assert tagged.find(email=lead["email"])["contest_score"] == 7
    service.check()


@pytest.mark.slow
def test_a_killed_dispatcher(service, account):
    """docs/architecture.md 6: a kill neither loses nor repeats an item"""
    campaign = service.campaign(account)
    tags = [campaign.define("tag", f"Tag {number}", "--points", number + 1) for number in range(5)]
    emails = [f"{number}@example.org" for number in range(250)]
    in_parallel([lambda email=email: campaign.post({"email": email}) for email in emails])
    queued(bulk(campaign, tags, emails=emails), 250)
    kills = 0
    while items_left(service) > 0:
        before = items_left(service)
        service.dispatcher.start()
        wait_until(lambda before=before: items_left(service) <= max(before - 100, 0), 30, "bulk work goes on")
        service.dispatcher.kill()
        kills += 1
    assert kills >= 2, "all but the last while items were left"
    service.dispatch(max_runtime=30)
    assert jobs(service) == 0
    page = campaign.get({"limit": 250}, path="/leads").json["leads"]
    assert {(lead["contest_score"], len(lead["tags"])) for lead in page} == {(15, 5)} and len(page) == 250
    rows = service.installation.sql("SELECT COUNT(*), COUNT(DISTINCT lead_id, ref) FROM lh_score_entries WHERE reason = 'tag' AND "
                                    f"lead_id IN (SELECT id FROM lh_leads WHERE campaign_id = {campaign.id})")
    assert rows.split() == ["1250", "1250"]
    service.check()
