# SPDX-License-Identifier: MIT
"""docs/api.md 8: what a sign-up without a key needs, so that bots cannot make leads."""
import collections
import json
import re
import time

import pytest
from client import new_address
from load import at_once, in_parallel
from marks import first
from proof import challenge_of, derive, encode, honeypot_of, secret_of, sign, solution, solve, stamp_of
from service import settles
from stack.process import wait_until

EASY = {"bots": "proof", "bot_difficulty": 1}
ADA = {"email": "ada@example.org"}
KINDS = {int: "number", bool: "boolean", str: "text", list: "list", dict: "object", type(None): "null"}


@pytest.fixture(scope="module")
def service(make_service):
    """A service whose table of limits has room for all addresses of the bots: a full table would refuse some of them."""
    return make_service(settings=[("limits", "new_leads_per_campaign", "100000/60s"), ("limits", "memory", "256M")])


@pytest.fixture
def guarded(service, account):
    return service.campaign(account, **EASY)


def post(campaign, fields, **options):
    return campaign.post(fields, key=None, **options)


def shape(value):
    """The names and the types in a JSON value."""
    return {name: shape(one) for name, one in value.items()} if isinstance(value, dict) else KINDS[type(value)]


def stored(campaign):
    return campaign.stats()["total"]


# ---- honeypot and time ----

@pytest.mark.parametrize("bots", ["honeypot", "proof", "proof_or_confirm"])
def test_a_filled_honeypot(service, account, receiver, bots):
    """docs/api.md 8.1: the answer has the status, headers and shape of a real one; nothing is stored, there is no event, and a line is
    logged"""
    campaign = service.campaign(account, bots=bots, privacy="off")
    hook = campaign.webhook("new_signup")
    name = honeypot_of(campaign)
    fields = {"first_name": "Ada", "plan": "pro", "utm_source": "mail", "redirect_url": "https://shop.example/"}
    pretended = post(campaign, {**ADA, **fields, name: "https://spam.example"})
    assert stored(campaign) == 0 and campaign.get(ADA).verdict == (404, "lead_not_found")
    real = campaign.client.request("POST", campaign.path, json_body={**ADA, **fields, "altcha": solution(campaign), name: ""})
    assert (pretended.status, real.status) == (200, 200)
    assert shape(pretended.json) == shape(real.json)
    same = set(real.json) - {"id", "social_id", "rank", "rank_relative_position", "when", "contest_score_rank", "avatar",
                             "contest_score_rank_relative_position", "lead_count", "social_url", "url", "status_url", "redirect_url"}
    assert {key: pretended.json[key] for key in same} == {key: real.json[key] for key in same}
    assert re.fullmatch("[0-9A-Z]{10}", pretended.json["social_id"]) and len(same) > 20
    assert set(pretended.headers.keys()) == set(real.headers.keys())
    assert real.json["custom_fields"] == {"first_name": "Ada", "plan": "pro"}
    service.dispatch()
    campaign.delivered(1)
    assert len(service.deliveries(hook)) == 1
    log = service.responders.log.read_text(encoding="utf-8")
    assert f"bots_refused campaign={campaign.id} reason=honeypot last_24h=1" in log


def test_forms_and_other_calls_with_a_honeypot(service, account):
    """docs/api.md 8.1: a browser's form leads on as after a success; must_exist, invalid fields and JSONP are answered as without a
    honeypot"""
    campaign = service.campaign(account, bots="honeypot", thankyou_url="https://shop.example/thanks")
    name = honeypot_of(campaign)
    answer = campaign.client.request("POST", f"/v1/{campaign.id}/subscribe", form={**ADA, name: "x"},
                                     headers={"Sec-Fetch-Mode": "navigate"})
    assert answer.status == 303 and re.fullmatch(r"https://shop.example/thanks\?kolid=[0-9A-Z]{10}", answer.headers["Location"])
    assert post(campaign, {**ADA, name: "x", "must_exist": True}).verdict == (404, "lead_not_found")
    assert post(campaign, {"email": "ada", name: "x"}).verdict == (406, "invalid_email")
    jsonp = campaign.client.request("GET", f"/v1/{campaign.id}/subscribe", query={**ADA, name: "x", "jsonp": "f"})
    assert jsonp.status == 200 and jsonp.body.startswith(b'f({"id":')
    assert campaign.client.request("POST", "/v2", form={**ADA, name.upper(): "x", "campaign_id": campaign.id}).status == 200
    assert post(campaign, {**ADA, "custom_fields": {name: "x"}}).status == 200
    assert stored(campaign) == 0


@pytest.mark.parametrize("bots", ["off", "honeypot"])
def test_the_honeypot_is_no_field(service, account, bots):
    """docs/api.md 8.1: the honeypot is dropped with a key, in the URL of the page, and without rules against bots; the names for other
    campaigns are fields"""
    name = honeypot_of(service.campaign(account, bots="honeypot"))
    campaign = service.campaign(account, bots="honeypot")
    own = honeypot_of(campaign)
    assert own != name
    service.installation.admin("campaign", "set", str(campaign.id), f"bots={bots}")
    fields = {**ADA, own: "filled", name: "a field", "plan": "pro"}
    assert campaign.lead(**fields)["custom_fields"] == {name: "a field", "plan": "pro"}
    assert post(campaign, {"email": "b@example.org", "__url": f"https://shop.example/?{own}=1&colour=red"}).status == 200
    assert campaign.find(email="b@example.org")["custom_fields"] == {"colour": "red"}
    if bots == "off":
        settles(lambda: post(campaign, {"email": "c@example.org", own: "x"}), 200)
        wait_until(lambda: post(campaign, {"email": "c@example.org", own: "x"}) and stored(campaign) == 3, 5, "the setting is read")
        assert campaign.find(email="c@example.org")["custom_fields"] == {}


def test_the_age_of_the_form(service, account):
    """docs/api.md 8.1: a form that is sent at once, or after a day, needs proof; a stamp of another campaign counts as none"""
    campaign = service.campaign(account, bots="honeypot", bot_difficulty=1)
    good = stamp_of(campaign, 5)
    other = stamp_of(campaign, 5, id=campaign.id + 1)
    for stamp in (None, "", good, stamp_of(campaign, 24 * 3600 - 60), other, good[:-1] + "!", "x", "1732770000"):
        assert post(campaign, {**ADA, "__stamp": stamp}).status == 200, stamp
    for stamp in (stamp_of(campaign, 0), stamp_of(campaign, -60), stamp_of(campaign, 24 * 3600 + 60)):
        assert post(campaign, {**ADA, "__stamp": stamp}).verdict == (406, "proof_required"), stamp
        assert post(campaign, {**ADA, "__stamp": stamp, "altcha": "x"}).verdict == (406, "proof_invalid")
        assert post(campaign, {**ADA, "__stamp": stamp, "altcha": solution(campaign)}).status == 200
        assert campaign.post({**ADA, "__stamp": stamp}).status == 200
    # sends the same form again, after the time in which a person would have read the error
    stamp = stamp_of(campaign, 1.5)
    assert wait_until(lambda: post(campaign, {**ADA, "__stamp": stamp}).status == 200, 5, "the form is old enough")
    assert campaign.find(**ADA)["custom_fields"] == {}


# ---- proof of work ----

def calls_of(campaign, fields):
    """Return every way to sign up without a key."""
    id = campaign.id
    paths = [("/v2", {"campaign_id": id}), (f"/v2/{id}", {}), ("/subscribe", {"campaign_id": id}), (f"/v1/{id}/subscribe", {}),
             (f"/lead/{id}", {})]
    posts = [lambda path=path, more=more, kind=kind: campaign.client.request("POST", path, **{kind: {**fields, **more}})
             for path, more in paths for kind in ("form", "json_body")]
    return [*posts, lambda: campaign.client.request("GET", f"/v1/{id}/subscribe", query=fields)]


def test_proof_is_needed(service, guarded):
    """docs/api.md 8.2: proof is needed on all paths, for new and known leads, but not with a key or for other calls"""
    url = f"{service.front.url}/c/{guarded.id}/challenge"
    for call in calls_of(guarded, ADA):
        answer = call()
        assert answer.verdict == (406, "proof_required")
        assert answer.json == {"message": "Proof of work is required", "error": "proof_required", "challenge": url}
    assert stored(guarded) == 0
    for number in range(len(calls_of(guarded, ADA))):
        call = calls_of(guarded, {"email": f"{number}@example.org", "altcha": solution(guarded)})[number]
        assert call().status == 200
    assert stored(guarded) == len(calls_of(guarded, ADA))
    assert post(guarded, {"email": "0@example.org"}).verdict == (406, "proof_required")
    lead = guarded.lead(email="key@example.org")
    assert guarded.lead(email="key@example.org", altcha="x")["custom_fields"] == {}
    assert guarded.get({"social_id": lead["social_id"]}, key=None).status == 200


def test_the_challenge_without_a_base_url(make_service):
    """docs/api.md 8.2: the answer has only the path of the challenge, below the path prefix"""
    service = make_service(settings=[("server", "base_url", "")], mount="/lead/")
    campaign = service.campaign(bots="proof")
    challenge = campaign.post(ADA, key=None).json["challenge"]
    assert challenge == f"/lead/c/{campaign.id}/challenge"
    assert campaign.client.request("GET", challenge.removeprefix("/lead")).status == 200


def test_the_challenge(service, guarded, account):
    """docs/api.md 8.2: format, signature and headers; no two challenges are equal; unknown and ended campaigns, other methods, HEAD"""
    answer = guarded.client.request("GET", f"/c/{guarded.id}/challenge", headers={"Origin": "https://shop.example"})
    assert (answer.headers["Cache-Control"], answer.headers["Access-Control-Allow-Origin"]) == ("no-store", "*")
    assert answer.headers["Content-Type"] == "application/json; charset=utf-8"
    parameters = answer.json["parameters"]
    nonce, salt, expires = parameters.pop("nonce"), parameters.pop("salt"), parameters.pop("expiresAt")
    assert parameters == {"algorithm": "PBKDF2/SHA-256", "cost": 1000, "data": {"campaign": str(guarded.id)}, "keyLength": 32,
                          "keyPrefix": "00"}
    assert re.fullmatch("[0-9a-f]{32}", nonce) and re.fullmatch("[0-9a-f]{32}", salt) and 590 < expires - time.time() < 602
    assert sign(service, answer.json["parameters"]) == answer.json
    assert challenge_of(guarded)["parameters"]["nonce"] != nonce
    path = f"/c/{guarded.id}/challenge"
    assert guarded.client.request("HEAD", path).status == 200
    assert guarded.client.request("POST", path, form={}).verdict == (405, "method_not_allowed")
    assert guarded.client.request("GET", "/c/999999999/challenge").verdict == (404, "campaign_not_found")
    ended = service.campaign(account, **EASY)
    ended.end()
    settles(lambda: ended.client.request("GET", f"/c/{ended.id}/challenge"), 423, "campaign_ended")


def test_challenges_are_limited(service, guarded):
    """docs/api.md 8.2, 5: requests for challenges count as look-ups of the address"""
    address = new_address()
    answers = [guarded.client.request("GET", f"/c/{guarded.id}/challenge", address=address).status for _ in range(101)]
    assert answers == [200] * 100 + [429]


def test_difficulty(service, account):
    """docs/api.md 8.2: each level means twice the work of the previous one"""
    work = []
    for level in range(1, 9):
        campaign = service.campaign(account, bots="proof", bot_difficulty=level)
        parameters = challenge_of(campaign)["parameters"]
        work.append(parameters["cost"] * 16 ** len(parameters["keyPrefix"]))
        assert parameters["keyPrefix"] == "0" * len(parameters["keyPrefix"])
    assert work == [256000 * 2 ** level for level in range(8)]
    assert challenge_of(service.campaign(account))["parameters"]["cost"] == 2000, "also where none is needed"


def test_difficulty_rises_with_the_rate(service, guarded):
    """docs/api.md 8.2: from 60 sign-ups a minute, the difficulty is one level higher; refused sign-ups do not count"""
    def sign_up(number):
        return post(guarded, {"email": f"{number}@example.org", "altcha": solution(guarded)}).status

    for number in range(70):
        assert post(guarded, {"email": f"x{number}@example.org"}).status == 406
    assert in_parallel([lambda number=number: sign_up(number) for number in range(59)], 4) == [200] * 59
    assert challenge_of(guarded)["parameters"]["cost"] == 1000
    assert sign_up(59) == 200
    assert challenge_of(guarded)["parameters"]["cost"] == 2000


def changed(challenge, **changes):
    return {**challenge, "parameters": {**challenge["parameters"], **changes}}


def test_solutions_that_do_not_count(service, guarded, account):
    """docs/api.md 8.2: the message contains the reason; nothing is stored"""
    other = service.campaign(account, **EASY)
    challenge = challenge_of(guarded)
    good, tries = solve(challenge)
    key = derive(challenge["parameters"], tries - 1)
    expired = sign(service, {**challenge["parameters"], "expiresAt": int(time.time()) - 5})
    cases = {
        "it cannot be read": ["x", good[:-4], "e30=", json.dumps(challenge), "A" * 4096,
                              encode(challenge, {"counter": tries - 1})],
        "the challenge is not one of this service": [
            encode(changed(challenge, cost=1), {"counter": tries - 1, "derivedKey": key}),
            encode(changed(challenge, keyPrefix="0"), {"counter": tries - 1, "derivedKey": key}),
            encode(changed(challenge, data={"campaign": str(guarded.id + 1)}), {"counter": tries - 1, "derivedKey": key}),
            encode({**challenge, "signature": "0" * 64}, {"counter": tries - 1, "derivedKey": key})],
        "the challenge has expired": [solve(expired)[0]],
        "the challenge is one of another campaign": [solution(other)],
        "it is not a solution": [encode(challenge, {"counter": tries, "derivedKey": key}),
                                 encode(challenge, {"counter": tries - 1, "derivedKey": "00" + key[2:-1] + ("0" if key[-1] != "0" else "1")}),
                                 encode(challenge, {"counter": tries, "derivedKey": derive(challenge["parameters"], tries)})],
    }
    for reason, values in cases.items():
        for value in values:
            answer = post(guarded, {**ADA, "altcha": value})
            assert answer.verdict == (406, "proof_invalid"), value
            assert answer.json["message"] == f"Proof of work is not valid: {reason}" and answer.json["challenge"], value
    assert post(guarded, {**ADA, "altcha": ["x"]}).verdict == (406, "invalid_parameter")
    assert stored(guarded) == 0
    assert post(guarded, {**ADA, "altcha": good}).status == 200


# ---- once ----

def used(answer):
    return answer.verdict == (406, "proof_invalid") and answer.json["message"] == "Proof of work is not valid: it was used before"


def test_a_solution_is_used_once(service, account, guarded):
    """docs/api.md 8.2: a new lead, an update, and a sign-up that changes nothing use up a solution; a failed sign-up does not"""
    first = solution(guarded)
    assert post(guarded, {"email": "ada", "altcha": first}).verdict == (406, "invalid_email")
    assert post(guarded, {**ADA, "altcha": first, "must_exist": True}).verdict == (404, "lead_not_found")
    assert post(guarded, {**ADA, "altcha": first, "x": "y" * 5000}).status == 406
    assert post(guarded, {**ADA, "altcha": first}).status == 200
    assert used(post(guarded, {**ADA, "altcha": first})) and used(post(guarded, {"email": "b@example.org", "altcha": first}))
    second = solution(guarded)
    assert post(guarded, {**ADA, "altcha": second}).json["counter"] == 2 and used(post(guarded, {**ADA, "altcha": second}))
    strict = service.campaign(account, **EASY, public_update="none", public_lookup="none")
    assert post(strict, {**ADA, "altcha": solution(strict)}).status == 200
    third = solution(strict)
    assert post(strict, {**ADA, "altcha": third}).status == 200 and used(post(strict, {"email": "b@example.org", "altcha": third}))
    assert (stored(guarded), stored(strict)) == (1, 1)


@pytest.mark.parametrize("committer", [True, False], ids=["committer", "each worker"])
def test_simultaneous_use(make_service, committer):
    """docs/api.md 8.2: if 32 simultaneous sign-ups have the same solution, exactly one makes a lead, whatever their workers and batches"""
    service = make_service(workers=8, committer=committer)
    campaign = service.campaign(**EASY)
    for round in range(3):
        value = solution(campaign)
        answers = at_once([lambda number=number: post(campaign, {"email": f"{round}-{number}@example.org", "altcha": value})
                           for number in range(32)])
        assert sorted(answer.status for answer in answers) == [200] + [406] * 31
        assert all(used(answer) for answer in answers if answer.status == 406)
        assert stored(campaign) == round + 1
    service.check()


def test_expired_solutions_are_dropped(service, guarded):
    """docs/architecture.md 9: the dispatcher removes solutions that can no longer be used"""
    assert post(guarded, {**ADA, "altcha": solution(guarded)}).status == 200

    def rows():
        return int(service.installation.sql("SELECT COUNT(*) FROM lh_used_proofs"))
    assert rows() >= 1
    service.dispatch()
    assert rows() >= 1
    service.installation.sql("UPDATE lh_used_proofs SET expires_ms = expires_ms - 5000000")
    service.dispatch()
    assert rows() == 0


# ---- without a script ----

def test_proof_or_confirm(service, account, receiver):
    """docs/api.md 8: a new lead is flagged until it is verified, and counts for its referrer only then; a known lead is not changed"""
    campaign = service.campaign(account, bots="proof_or_confirm", bot_difficulty=1, points_direct=3)
    referrer = campaign.lead(email="friend@example.org")
    assert post(campaign, {**ADA, "kid": referrer["social_id"], "plan": "pro"}).status == 200
    lead = campaign.find(**ADA)
    assert lead["fraudulent"] and campaign.find(email="friend@example.org")["contest_score"] == 0
    assert campaign.stats()["fraudulent"] == 1
    again = post(campaign, {**ADA, "plan": "other"})
    assert again.status == 200 and campaign.find(**ADA) == lead, "not even counted"
    campaign.webhook("new_signup_not_excluded", "verified")
    campaign.change("verify", email="ada@example.org")
    lead = campaign.find(**ADA)
    assert not lead["fraudulent"] and lead["verified"]
    friend = campaign.find(email="friend@example.org")
    assert (friend["contest_score"], friend["referrals"]) == (3, 1)
    service.dispatch()
    assert {one.json["__event"] for one in campaign.delivered(2)} == {"new_signup_not_excluded", "verified"}
    assert post(campaign, {"email": "grace@example.org", "altcha": solution(campaign)}).status == 200
    assert not campaign.find(email="grace@example.org")["fraudulent"]
    assert post(campaign, {"email": "joan@example.org", "altcha": "x"}).verdict == (406, "proof_invalid")
    service.check()


def test_other_flags_stay(service, account):
    """docs/api.md 4.6: a verification removes only the flag `unproven`"""
    campaign = service.campaign(account, bots="proof_or_confirm", blocked_email_domains="example.org")
    assert post(campaign, ADA).status == 200
    campaign.change("verify", email="ada@example.org")
    assert campaign.find(**ADA)["fraudulent"] and campaign.find(**ADA)["verified"]
    campaign.change("approve", email="ada@example.org")
    assert not campaign.find(**ADA)["fraudulent"]


# ---- a bot ----

def fill_in(campaign, count):
    """A bot that reads the form and fills in every field as fast as it can. Returns how many answers had each status."""
    form = campaign.service.installation.admin("campaign", "embed", str(campaign.id), "--markup")["form_markup"]
    names = re.findall(r'<input name="([^"]+)"', form)
    path = re.search(r'action="[^"]*?(/v1/[^"]*)"', form)[1]
    workers = 8

    def send(first):
        return collections.Counter(
            campaign.client.request("POST", path, form={name: f"bot{number}@example.org" for name in names}).status
            for number in range(first, count, workers))
    return sum(in_parallel([lambda first=first: send(first) for first in range(workers)], workers), collections.Counter())


@pytest.mark.parametrize("posts", first(2000, 100000))
@pytest.mark.parametrize("bots", ["honeypot", "proof"])
def test_a_bot_without_work(service, account, bots, posts):
    """None of the bot's sign-ups makes a lead or writes a row; sign-ups of others still make leads"""
    campaign = service.campaign(account, bots=bots, bot_difficulty=1)
    before = service.installation.sql("SELECT COUNT(*) FROM lh_used_proofs")
    statuses = fill_in(campaign, posts)
    assert statuses == {200: posts}, "the honeypot hides what is needed"
    assert stored(campaign) == 0
    assert service.installation.sql("SELECT COUNT(*) FROM lh_used_proofs") == before
    answers = in_parallel([lambda number=number: post(campaign, {"email": f"plain{number}@example.org"}).status
                           for number in range(100)], 8)
    assert set(answers) == ({406} if bots == "proof" else {200})
    assert post(campaign, {**ADA, "altcha": solution(campaign)}).status == 200


def test_a_bot_that_works(service, account):
    """The difficulty limits the bot's rate: 256 keys for each lead on average, and no lead without a separate solution"""
    campaign = service.campaign(account, bots="proof", bot_difficulty=1)
    leads, tries = 40, 0
    for number in range(leads):
        value, more = solve(challenge_of(campaign))
        tries += more
        answers = [post(campaign, {"email": f"bot{number}-{copy}@example.org", "altcha": value}).status for copy in range(2)]
        assert answers == [200, 406]
    assert stored(campaign) == leads
    # tries have a geometric distribution: their sum has a standard deviation of 256 times the root of `leads`, and may be off by five of
    # these
    assert abs(tries - 256 * leads) < 5 * 256 * leads ** 0.5


def test_secrets_are_not_logged(service):
    assert secret_of(service).hex() not in service.responders.log.read_text(encoding="utf-8")
