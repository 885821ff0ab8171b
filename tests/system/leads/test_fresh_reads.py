# SPDX-License-Identifier: MIT
"""docs/api.md 4.1, 4.5: data that a process caches between requests is never older than the request, and the cache saves statements."""
import concurrent.futures
import contextlib
import re

import pytest

CALLS = 12  # simultaneous calls, so that both workers get some
FEW, MANY = 3, 50


@pytest.fixture(scope="module")
def service(make_service):
    return make_service(workers=2)


def board(campaign, key, limit, **fields):
    response = campaign.get({"limit": limit, **fields}, key=key, path="/leaderboard")
    assert response.status == 200, response.body
    return response.json


def boards(campaign, **fields):
    """Return the leaderboards from concurrent calls of each view and limit: {(key, limit): [answer, ...]}."""
    calls = [(key, limit) for key in (True, None) for limit in (FEW, MANY)] * CALLS
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda one: (one, board(campaign, *one, **fields)), calls))
    return {one: [answer for other, answer in answers if other == one] for one in calls}


def leaders_by_look_up(campaign, leads, key):
    """Return the expected leaderboard, as look-ups of the leads show it."""
    found = [campaign.get({"social_id": lead["social_id"]}) for lead in leads]
    ranked = [answer.json for answer in found if answer.status == 200 and not answer.json["fraudulent"]]
    ranked.sort(key=lambda lead: (-lead["contest_score"], lead["subscription_number"]))
    names = {lead["social_id"]: campaign.get({"social_id": lead["social_id"]}, key=key).json["display_name"] for lead in ranked}
    return [{"rank": lead["contest_score_rank"], "social_id": lead["social_id"], "display_name": names[lead["social_id"]],
             "contest_score": lead["contest_score"]} for lead in ranked]


def check_boards(campaign, leads, **fields):
    given = boards(campaign, **fields)
    for (key, limit), answers in given.items():
        expected = leaders_by_look_up(campaign, leads, key)[:limit]
        for answer in answers:
            assert answer["leaders"] == expected
    return given[True, MANY][0]["leaders"]


CHANGES = {
    "points": lambda campaign, lead: campaign.points(lead, 7),
    "email": lambda campaign, lead: campaign.lead(social_id=lead["social_id"], email="zoe@example.org", must_exist=1),
    "custom field": lambda campaign, lead: campaign.lead(social_id=lead["social_id"], name="Zoe", must_exist=1),
    "tag": lambda campaign, lead: campaign.change("tag", social_id=lead["social_id"],
                                                  tag_id=campaign.define("tag", "t", "--points", 9)),
    "deletion": lambda campaign, lead: campaign.change("delete", social_id=lead["social_id"]),
    "fraud": lambda campaign, lead: campaign.change("block", social_id=lead["social_id"]),
}
# Changes that a leaderboard does not show. It must stay correct nevertheless.
OTHER_CHANGES = {
    "opt-out": lambda campaign, lead: campaign.change("optout", social_id=lead["social_id"]),
    "definition": lambda campaign, lead: campaign.define("tag", "defined"),
    "setting": lambda campaign, lead: campaign.service.installation.admin("campaign", "set", str(campaign.id), "points_signup=9"),
    "webhook": lambda campaign, lead: campaign.webhook("new_signup"),
}


@pytest.mark.parametrize("change", [*CHANGES, *OTHER_CHANGES])
def test_a_change_is_on_the_next_leaderboard(campaign, change):
    """docs/api.md 4.1 GET /v2/{cid}/leaderboard: whichever process answers"""
    leads = campaign.leads(5)
    for lead, points in zip(leads, (5, 4, 3, 2, 1)):
        campaign.points(lead, points)
    before = check_boards(campaign, leads)
    {**CHANGES, **OTHER_CHANGES}[change](campaign, leads[1])
    assert (check_boards(campaign, leads) != before) == (change in CHANGES)


def test_new_leads_are_on_the_next_leaderboard(service, account):
    """docs/api.md 4.1: even the first lead, and leads that get points after a change of the settings"""
    campaign = service.campaign(account)
    assert check_boards(campaign, []) == []
    first, = campaign.leads(1)
    assert len(check_boards(campaign, [first])) == 1
    OTHER_CHANGES["setting"](campaign, first)
    second = campaign.lead(email="second@example.org")
    assert check_boards(campaign, [first, second])[0]["social_id"] == second["social_id"]


def test_approved_lead_is_back(campaign):
    """docs/api.md 4.6: an approved lead is on the next leaderboard"""
    leads = campaign.leads(3)
    campaign.points(leads[2], 3)
    before = check_boards(campaign, leads)
    campaign.change("block", social_id=leads[2]["social_id"])
    assert len(check_boards(campaign, leads)) == 2
    campaign.change("approve", social_id=leads[2]["social_id"])
    assert check_boards(campaign, leads) == before


def test_me_is_current(campaign):
    """docs/api.md 4.1: `me` is consistent with the leaders of the same answer"""
    leads = campaign.leads(4)
    for step in range(1, 4):
        campaign.points(leads[1], 3 if step % 2 else -3)
        campaign.points(leads[0], 2)
        me = campaign.find(social_id=leads[0]["social_id"])
        for (key, _), answers in boards(campaign, social_id=leads[0]["social_id"]).items():
            for answer in answers:
                assert (answer["me"]["rank"], answer["me"]["contest_score"]) == (me["contest_score_rank"], 2 * step)
                assert [one for one in answer["leaders"] if one["social_id"] == me["social_id"]] == [answer["me"]]


def test_leaderboards_of_many_campaigns(service, account):
    """docs/api.md 4.1: more campaigns than leaderboards that a process caches"""
    campaigns = [service.campaign(account) for _ in range(10)]
    leads = [campaign.leads(2) for campaign in campaigns]
    for _ in range(2):
        for campaign, own in zip(campaigns, leads):
            for key, limit in ((True, FEW), (None, FEW), (True, MANY), (None, 1)):
                assert {one["social_id"] for one in board(campaign, key, limit)["leaders"]} == \
                       {lead["social_id"] for lead in own[:limit]}


def test_look_ups_are_current(campaign):
    """docs/api.md 4.5: numbers, settings and definitions are current, whichever process answers"""
    leads = campaign.leads(3)
    tag = campaign.define("tag", "before")
    campaign.change("tag", social_id=leads[0]["social_id"], tag_id=tag)

    def seen():
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            answers = list(pool.map(lambda _: campaign.find(social_id=leads[0]["social_id"]), range(CALLS)))
        assert all(answer == answers[0] for answer in answers)
        return answers[0]

    def admin(*words):
        campaign.service.installation.admin(*map(str, words))
    assert seen()["contest_score_rank"] == 1 and [one["name"] for one in seen()["tags"]] == ["before"]
    campaign.points(leads[1], 1)
    assert seen()["contest_score_rank"] == 2
    campaign.points(leads[2], 1)
    assert seen()["contest_score_rank"] == 3
    campaign.lead(email="more@example.org")
    assert seen()["lead_count"] == 4
    admin("campaign", "set", campaign.id, "jump_start=100")
    assert seen()["lead_count"] == 104
    admin("campaign", "set", campaign.id, "landing_url=https://new.example/")
    assert seen()["social_url"] == f"https://new.example/?kid={leads[0]['social_id']}"
    admin("tag", "set", tag, "name=after")
    assert [one["name"] for one in seen()["tags"]] == ["after"]
    admin("tag", "remove", tag)
    assert seen()["tags"] == []
    campaign.change("delete", social_id=leads[1]["social_id"])
    assert seen()["contest_score_rank"] == 2 and seen()["lead_count"] == 103


# --- statements ---

@contextlib.contextmanager
def statements(service):
    """The statements that run while the block is executed, except those for keys and whole campaigns."""
    database, found = service.installation.database, []
    database.sql("SET GLOBAL log_output = 'TABLE'; TRUNCATE mysql.general_log; SET GLOBAL general_log = 1")
    try:
        yield found
    finally:
        database.sql("SET GLOBAL general_log = 0")
    texts = database.sql("SELECT REPLACE(argument, '\\n', ' ') FROM mysql.general_log WHERE command_type = 'Execute'").splitlines()
    found += [text for text in texts if not re.search(r" FROM lh_(api_keys|campaigns) ", text)]


@pytest.fixture
def one_worker(make_service):
    """A service with one worker, which answers all calls."""
    return make_service(workers=1)


def test_a_look_up_is_one_statement(one_worker):
    """a look-up takes at most four statements at first, and one while the cached entry is valid"""
    other = one_worker.campaign()
    other.find(email=other.leads(1)[0]["email"])  # fills the cache entries that do not depend on a campaign
    campaign = one_worker.campaign(points_signup=3)
    leads = campaign.leads(4)
    counts = []
    for lead in leads * 3:
        for by in ({"email": lead["email"]}, {"social_id": lead["social_id"]}):
            with statements(one_worker) as made:
                campaign.find(**by)
            counts.append(len(made))
    assert min(counts) == 1 and max(counts) <= 4 and counts.count(1) > len(counts) / 2, counts


def test_a_leaderboard_is_one_statement(one_worker):
    """one statement, for the requested lead, while nothing changes; otherwise others for its rank, for the leaders, and to check that both
    are of the same moment"""
    campaign = one_worker.campaign(points_signup=3)
    leads = campaign.leads(4)
    unchanged, changed = [], []
    for step in range(8):
        with statements(one_worker) as made:
            board(campaign, True, MANY, social_id=leads[0]["social_id"])
        changed.append(len(made))
        with statements(one_worker) as made:
            board(campaign, True, MANY, social_id=leads[0]["social_id"])
        unchanged.append(len(made))
        campaign.points(leads[step % 4], 0 if step % 4 else 1)
        campaign.lead(email=leads[step % 4]["email"])
    assert all(3 <= count <= 4 for count in changed), changed
    assert set(unchanged) == {1}, unchanged
