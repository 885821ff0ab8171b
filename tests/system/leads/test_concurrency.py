# SPDX-License-Identifier: MIT
"""docs/api.md 4.3 rule 5 and docs/architecture.md: concurrent requests have the effect of some serial order."""
import concurrent.futures

import pytest
from load import at_once, in_parallel, lead_count

PARALLEL, CLIENTS = 64, 32
ADA = {"email": "ada@example.org"}


@pytest.fixture(scope="module")
def service(make_service):
    return make_service(workers="auto")


def test_one_new_email(service, receiver, campaign):
    """docs/api.md 4.3 rule 5: one lead, one new_signup, 63 repeat_signup, and counter 64; each answer and each event matches its own
    command"""
    campaign.webhook("new_signup", "repeat_signup")
    responses = at_once([lambda: campaign.post(ADA)] * PARALLEL)
    assert {response.status for response in responses} == {200}
    leads = [response.json for response in responses]
    assert len({lead["social_id"] for lead in leads}) == 1 and {lead["rank"] for lead in leads} == {1}
    assert sorted(lead["counter"] for lead in leads) == list(range(1, PARALLEL + 1))
    assert lead_count(campaign) == 1
    assert campaign.find(**ADA)["counter"] == PARALLEL
    service.dispatch()
    payloads = [delivery.json for delivery in campaign.delivered(PARALLEL)]
    counters = {event: sorted(payload["counter"] for payload in payloads if payload["__event"] == event)
                for event in ("new_signup", "repeat_signup")}
    assert counters == {"new_signup": [1], "repeat_signup": list(range(2, PARALLEL + 1))}


def test_many_new_emails(service, receiver, campaign):
    """docs/api.md 4.5 rank: ranks are dense and unique; lead_count is the count after the lead's own command"""
    responses = at_once([lambda number=number: campaign.post({"email": f"{number}@example.org"}) for number in range(PARALLEL)])
    leads = [response.json for response in responses]
    assert sorted(lead["rank"] for lead in leads) == list(range(1, PARALLEL + 1))
    assert all(lead["lead_count"] == lead["rank"] for lead in leads)
    assert lead_count(campaign) == PARALLEL


def test_an_email_and_a_phone_meet(service, campaign):
    """docs/api.md 4.3 rules 1 and 5: in any order, the email address and the number of one request end up at one lead"""
    number = "+14155552671"
    requests = [lambda: campaign.post(ADA), lambda: campaign.post({"phone_number": number}),
                lambda: campaign.post({**ADA, "phone_number": number})] * 8
    statuses = {response.status for response in at_once(requests)}
    assert statuses <= {200, 422}
    by_email, by_phone = campaign.find(**ADA), campaign.find(phone_number=number)
    assert lead_count(campaign) == len({by_email["social_id"], by_phone["social_id"]})


def test_a_webhook_registered_twice_at_once(service, campaign):
    """docs/deliveries.md 1: the same URL is the same webhook"""
    fields = {"url": "https://hooks.example/a", "event": "new_signup"}
    responses = at_once([lambda: campaign.post(fields, path="/outbound-webhook")] * 16)
    assert {response.status for response in responses} == {200}
    assert len({response.json["referenceId"] for response in responses}) == 1
    assert sum("secret" in response.json for response in responses) == 1


def score(campaign, lead):
    return campaign.find(social_id=lead["social_id"])["contest_score"]


def test_500_sign_ups(service, campaign):
    """docs/api.md 4.5 subscription_number: the numbers have no gaps or duplicates, at any concurrency"""
    responses = at_once([lambda number=number: campaign.post({"email": f"{number}@example.org"}) for number in range(500)])
    assert {response.status for response in responses} == {200}
    leads = [response.json for response in responses]
    assert sorted(lead["subscription_number"] for lead in leads) == list(range(1, 501))
    assert len({lead["social_id"] for lead in leads}) == campaign.stats()["total"] == 500
    service.check()


def test_a_popular_referrer(service, receiver, account):
    """docs/api.md 4.6 Credit: each credit is given once; each value of the score is in one event"""
    campaign = service.campaign(account, points_direct=3, points_indirect=2)
    campaign.webhook("score_change", "referral")
    above = campaign.lead(email="above@example.org")
    popular = campaign.lead(email="popular@example.org", kid=above["social_id"])
    responses = at_once([lambda number=number: campaign.post({"email": f"{number}@example.org", "kid": popular["social_id"]})
                         for number in range(PARALLEL)])
    assert {response.status for response in responses} == {200}
    found = campaign.find(social_id=popular["social_id"])
    assert found["referrals"] == PARALLEL and found["influence"] == {"direct": PARALLEL, "indirect": 0}
    assert (found["contest_score"], score(campaign, above)) == (3 * PARALLEL, 3 + 2 * PARALLEL)
    service.dispatch()
    payloads = [one.json for one in campaign.delivered(2 + 3 * PARALLEL)]
    steps = sorted(one["__score_change"]["current_contest_score"] for one in payloads
                   if one["__event"] == "score_change" and one["social_id"] == popular["social_id"])
    assert steps == list(range(3, 3 * PARALLEL + 1, 3))
    assert len({one["__referral"]["social_id"] for one in payloads if one["__event"] == "referral"}) == PARALLEL + 1
    service.check()


def test_points_add_up(service, campaign):
    """docs/api.md 4.6 Score: with points from 32 simultaneous clients, it never falls below 0, and equals the sum of the ledger"""
    leads = [campaign.lead(email=f"{number}@example.org") for number in range(3)]
    named = [lead["email"] for lead in leads]

    def points(number):
        return lambda: campaign.post({"emails": named, "points": number}, path="/points")
    responses = in_parallel([points(7), points(-2), points(5)] * CLIENTS, CLIENTS)
    assert {response.status for response in responses} == {200}
    service.check()
    before = score(campaign, leads[0])
    assert before >= 10 * CLIENTS
    campaign.post({"email": named[0], "points": 2 * CLIENTS - before}, path="/points")
    responses = at_once([points(-3)] * CLIENTS)
    assert {response.status for response in responses} == {200}
    assert score(campaign, leads[0]) == 0
    deltas = service.installation.sql(f"SELECT SUM(delta), MIN(delta) FROM lh_score_entries WHERE lead_id = {leads[0]['id']}")
    assert deltas.split() == ["0", str(2 * CLIENTS - before)]
    service.check()


def test_everything_at_once(service, receiver, account):
    """docs/architecture.md 4: sign-ups, referrals, points, tags and bulk work in one campaign, while the dispatcher runs"""
    campaign = service.campaign(account, points_signup=1, points_direct=2, points_indirect=1, max_per_ip=1000)
    tag = campaign.define("tag", "VIP", "--points", 4)
    campaign.webhook("new_signup", "score_change", "tagged", "deleted", "marked_as_fraudulent")
    chain = [campaign.lead(email="root@example.org")]
    for number in range(5):
        chain.append(campaign.lead(email=f"chain{number}@example.org", kid=chain[-1]["social_id"]))
    emails = [lead["email"] for lead in chain]
    requests = []
    for number in range(40):
        mail = f"{number}@example.org"
        requests += [
            lambda mail=mail, number=number: campaign.post({"email": mail, "kid": chain[number % 6]["social_id"]}),
            lambda mail=mail: campaign.post({"emails": [mail, *emails], "points": 3}, path="/points"),
            lambda mail=mail: campaign.post({"email": mail}, path=f"/tags/{tag}/lead"),
            lambda mail=mail: campaign.post({"emails": [mail, *emails], "tag_id": tag}, path="/tag"),
            lambda number=number: campaign.post({"emails": [emails[3], f"{number // 2}@example.org"]},
                                                path="/block" if number % 2 else "/approve"),
        ]
    service.dispatcher.start()
    try:
        statuses = {response.status for response in in_parallel(requests, CLIENTS)}
    finally:
        assert service.dispatcher.stop() == 0
    assert statuses <= {200, 202}
    service.dispatch(max_runtime=30)
    assert lead_count(campaign) == 46
    assert all(campaign.find(email=f"{number}@example.org")["tags"] == [{"tag_id": tag, "name": "VIP"}] for number in range(40))
    service.check()


@pytest.fixture
def changing_lead(service, campaign):
    """The only lead of a campaign. Until `stop` is set, its score alternates between 1 and 2, faster than two statements run."""
    ada = campaign.lead(**ADA)
    campaign.points(ada, 1)
    sql = service.installation.sql
    node = sql(f"SELECT MAX(node) FROM lh_score_histogram WHERE node DIV (1 << 29) = {campaign.id}")
    sql("CREATE TABLE IF NOT EXISTS stop (id INT); DELETE FROM stop")
    change = f"""
        BEGIN NOT ATOMIC
            DECLARE until DATETIME DEFAULT NOW() + INTERVAL 60 SECOND;
            WHILE NOW() < until AND NOT EXISTS (SELECT * FROM stop) DO
                START TRANSACTION;
                UPDATE lh_campaign_counters SET leads_version = leads_version + 1 WHERE campaign_id = {campaign.id};
                UPDATE lh_leads SET score = 3 - score WHERE id = {ada["id"]};
                UPDATE lh_score_histogram SET s1 = 1 - s1, s2 = 1 - s2 WHERE node = {node};
                COMMIT;
            END WHILE;
        END"""
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        changing = pool.submit(sql, change)
        yield ada
        assert not changing.done() or changing.result(), "the score stopped changing before the end"
        sql("INSERT INTO stop VALUES (1)")
        changing.result()


def test_ranks_are_of_the_same_moment(campaign, changing_lead):
    """docs/api.md 4.5 contest_score_rank: a single lead is always the first; a leaderboard and its `me` are consistent"""
    def look_up():
        lead = campaign.find(**ADA)
        assert lead["contest_score_rank"] == 1
        return lead["contest_score"]

    def look_at_board():
        board = campaign.get({"limit": 3, "social_id": changing_lead["social_id"]}, path="/leaderboard").json
        assert board["me"]["rank"] == 1
        assert [leader["contest_score"] for leader in board["leaders"]] == [board["me"]["contest_score"]]
        return board["me"]["contest_score"]
    assert set(in_parallel([look_up, look_at_board] * 300, 8)) == {1, 2}
