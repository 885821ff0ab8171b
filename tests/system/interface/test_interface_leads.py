# SPDX-License-Identifier: MIT
"""docs/requirements.md sentence by sentence, for leads of a campaign that was made without any setting, with mail set up and without.

What a caller without a key is promised is done without one. Each test names the section and the row that it is about.
"""
import itertools

import pytest
from interface import ACTIONS, BODIES, COMMON, KEYED, PERSONAL, URLS, look_up, same, send, sign_up
from payload import check_payload
from service import settles
from stack.process import wait_until

ADA, BOB = {"email": "ada@example.org"}, {"email": "bob@example.org"}
NUMBER, OTHER = "+14155552671", "+14155552672"
KEYS = (False, True)


@pytest.fixture(scope="module", params=[False, True], ids=["without mail", "with mail"])
def service(request, front, make_service, mail_server):
    made = make_service(front=front, workers=4, settings=mail_server.settings() if request.param else ())
    yield made
    made.stop()


@pytest.fixture
def campaign(service, account):
    return service.plain_campaign(account)


def in_each_way():
    """Each way to send fields, with its own email address."""
    for number, way in enumerate(BODIES):
        yield way, {"email": f"way{number}@example.org"}


# --- What the service does ---

def test_a_single_post(campaign):
    """What the service does: "creates a lead, or updates the matching existing lead, in a campaign with a single POST"; Endpoints: each kind of body"""
    for number, (way, address) in enumerate(in_each_way(), 1):
        made = check_payload(sign_up(campaign, way, **address, first_name="Ada", plan="gold"), "public")
        again = check_payload(sign_up(campaign, way, **address, first_name="Augusta", size="L"), "public")
        assert same(made, again) and (made["counter"], again["counter"]) == (1, 2)
        assert (made["first_name"], again["first_name"], again["lead_count"]) == ("Ada", "Augusta", number)
        assert campaign.find(**address)["custom_fields"] == {"first_name": "Augusta", "plan": "gold", "size": "L"}


def test_paths_of_a_campaign(campaign):
    """POST /v2/{campaign_id}/ and GET /v2/{campaign_id}, with a slash at the end and without"""
    made = sign_up(campaign, **ADA)
    for counter, path in enumerate(("", "/", "?", "/?x=1"), 2):
        assert sign_up(campaign, path=path, **ADA)["counter"] == counter
        assert same(made, send(campaign, "GET", ADA, path=path).json)


@pytest.mark.parametrize("way", ["query", "JSON", "form"])
def test_look_ups(campaign, way):
    """GET /v2/{campaign_id}: "A lead can be found by email, phone_number, kid or social_id"; Authentication 6: without a key;
    Endpoints: "All endpoints accept JSON bodies"; Errors: 404, 409 missing required input"""
    made = sign_up(campaign, **ADA, phone_number=NUMBER)
    sign_up(campaign, **BOB)
    known = {**ADA, "phone_number": NUMBER, "kid": made["social_id"], "social_id": made["social_id"]}
    unknown = {"email": "no@example.org", "phone_number": OTHER, "kid": "0000000000", "social_id": "0000000000"}
    for name, value in known.items():
        answer = send(campaign, "GET", {name: value}, way)
        assert answer.status == 200, answer.body
        assert same(check_payload(answer.json, "public"), made) and answer.json["counter"] == 1
        assert send(campaign, "GET", {name: unknown[name]}, way).verdict == (404, "lead_not_found")
    assert send(campaign, "GET", {}, way).status == 409


# --- Campaign ---

def test_names_of_the_campaign_id(campaign):
    """Campaign: "Also accepted internally under the names campaign_id, campaignId, list_id, __lid"; they do not become custom fields, and
    the path takes precedence"""
    for name, (way, address) in itertools.product(("campaign_id", "campaignId", "list_id", "__lid"), in_each_way()):
        answer = send(campaign, "POST", {**address, name: campaign.id}, way, whole_path="/v2")
        assert answer.status == 200 and answer.json["campaign_id"] == answer.json["list_id"] == campaign.id
        assert send(campaign, "GET", {**address, name: campaign.id}, way, whole_path="/v2").json == look_up(campaign, **address)
        assert sign_up(campaign, way, **address, **{name: 1})["id"] == answer.json["id"]
        assert campaign.find(**address)["custom_fields"] == {}


def test_campaigns_are_apart(service, account, campaign):
    """Campaign: "Each campaign is identified by a campaign id": a lead belongs to one campaign; Errors: 404 campaign not found"""
    other = service.plain_campaign(account)
    assert sign_up(campaign, **ADA)["id"] != sign_up(other, **ADA)["id"]
    assert look_up(other, **ADA)["counter"] == 1
    for method, key in itertools.product(("GET", "POST"), (None, campaign.key)):
        assert send(campaign, method, ADA, whole_path="/v2/4294967295", key=key).verdict == (404, "campaign_not_found")


def test_an_ended_campaign(campaign):
    """Campaign, "it then refuses new leads and scoring"; States, campaign ended; Errors 423: nothing is changed"""
    made, action = sign_up(campaign, **ADA), campaign.define("action", "Share", "--points", 3)
    campaign.end()
    settles(lambda: send(campaign, "POST", BOB), 423, "campaign_ended")
    for key in (None, campaign.key):
        for fields in (ADA, {**ADA, "must_exist": True}, BOB):
            assert send(campaign, "POST", fields, key=key).status == 423
    assert campaign.post({**ADA, "points": 5}, path="/points").status == 423
    assert campaign.post(ADA, path=f"/actions/{action}").status == 423
    assert look_up(campaign, **ADA) == look_up(campaign, kid=made["social_id"]) and look_up(campaign, **ADA)["counter"] == 1
    assert send(campaign, "GET", BOB).status == 404


# --- Lead: request fields ---

@pytest.mark.parametrize("fields", [ADA, {"phone_number": NUMBER}, {**ADA, "phone_number": NUMBER}])
def test_addresses(campaign, fields):
    """email, phone_number: "one of email / phone_number is required", "Both may be supplied"."""
    made = sign_up(campaign, **fields)
    found = campaign.find(social_id=made["social_id"])
    assert (found["email"], found["phone_number"]) == (fields.get("email"), fields.get("phone_number"))


def test_validation(campaign):
    """POST /v2/{campaign_id}/, Errors 406: neither email nor phone_number, an invalid format of either"""
    cases = [({"first_name": "Ada"}, "missing_identifier"), ({"email": ""}, "missing_identifier"), ({"email": "ada"}, "invalid_email"),
             ({"email": "ada@"}, "invalid_email"), ({"email": "a b@example.org"}, "invalid_email"),
             ({"phone_number": "12"}, "invalid_phone_number"), ({"phone_number": "no number"}, "invalid_phone_number"),
             ({**ADA, "phone_number": "12", "__strict": 1}, "invalid_phone_number"), ({"email": "ada", "phone_number": NUMBER}, "invalid_email"),
             ({"phone_number": "12", "country_code": "1"}, "invalid_phone_number")]
    for (fields, code), way, key in itertools.product(cases, BODIES, (None, campaign.key)):
        assert send(campaign, "POST", fields, way, key=key).verdict == (406, code), (fields, way)
    assert campaign.stats()["total"] == 0


def test_country_code(campaign):
    """country_code: "it is prepended to phone_number before validation"."""
    made = sign_up(campaign, phone_number=NUMBER)
    for number, code in (("4155552671", "1"), ("4155552671", "+1"), ("(415) 555-2671", 1), (4155552671, 1)):
        assert same(made, sign_up(campaign, phone_number=number, country_code=code))
        assert same(made, look_up(campaign, phone_number=number, country_code=code))
    assert campaign.find(social_id=made["social_id"])["phone_number"] == NUMBER


@pytest.mark.parametrize("with_key", KEYS)
def test_ip(campaign, with_key):
    """ip: "Lead IP address. Defaults to the IP of the request"; it does not become a custom field"""
    key = campaign.key if with_key else None
    assert send(campaign, "POST", ADA, key=key, address="203.0.113.7").status == 200
    assert send(campaign, "POST", {**BOB, "ip": "192.0.2.9"}, key=key, address="203.0.113.8").status == 200
    assert (campaign.find(**ADA)["ip"], campaign.find(**BOB)["ip"]) == ("203.0.113.7", "192.0.2.9")
    assert campaign.find(**BOB)["custom_fields"] == {}


def test_url(campaign, leadhook):
    """__url: "URL where the lead signed up. Query parameters in it may be merged into the request data"."""
    kid = sign_up(campaign, **BOB)["social_id"]
    page = f"https://shop.example/join?utm_source=mail&Plan=gold&kid={kid}"
    sign_up(campaign, **ADA, __url=page)
    found = campaign.find(**ADA)
    assert (found["utm"], found["custom_fields"], found["parent_id"]) == ({"source": "mail"}, {"plan": "gold"}, kid)
    assert leadhook("lead", "show", campaign.id, "--email", ADA["email"])["origin"]["signup_url"] == page


@pytest.mark.parametrize("name", ["__referrer", "referrer"])
def test_referrer(campaign, name):
    """__referrer: "Referrer URL. Older integrations use `referrer`"."""
    sign_up(campaign, **ADA, **{name: "https://news.example/a"})
    found = campaign.find(**ADA)
    assert (found["referrer"], found["custom_fields"]) == ("https://news.example/a", {})


@pytest.mark.parametrize("fields, shown", [
    ({"__source": "partner.12", "__sid": "s1", "__rid": "r1"}, {"source": "partner", "session_id": "s1", "request_id": "r1"}),
    ({"__source": "partner", "__session_id": "s2"}, {"source": "partner", "session_id": "s2"})])
def test_what_is_stored_with_the_request(campaign, leadhook, fields, shown):
    """__source, "A value of the form `source.id`"; __sid or __session_id; __rid"""
    made = sign_up(campaign, **ADA, **fields)
    found = leadhook("lead", "show", campaign.id, "--email", ADA["email"])["origin"]
    number = campaign.service.installation.sql(f"SELECT COALESCE(source_id, 0) FROM lh_leads WHERE social_id = '{made['social_id']}'")
    assert int(number) == (12 if "12" in fields["__source"] else 0)
    assert {name: found[name] for name in shown} == shown


def test_uid(campaign):
    """__uid: "External/user id", of a new and of an existing lead"""
    for uid in ("u1", "u2"):
        sign_up(campaign, **ADA, __uid=uid)
        assert campaign.find(**ADA)["uid"] == uid


@pytest.mark.parametrize("name, left_out", [("__skip_urls", URLS), ("__skip_actions", ACTIONS)])
def test_skipped_fields(campaign, name, left_out):
    """__skip_urls, __skip_actions: "Value 1 omits …", for a new and an existing lead, and in look-ups, with and without a key"""
    for way, address in in_each_way():
        less = send(campaign, "POST", {**address, name: 1}, way).json
        for key, method in itertools.product((None, campaign.key), ("POST", "GET")):
            whole = send(campaign, method, address, "query", key=key).json
            assert whole.keys() - less.keys() - {*PERSONAL, *KEYED} == set(left_out)
            less = send(campaign, method, {**address, name: 1}, way, key=key).json
            assert whole.keys() - less.keys() == set(left_out)


@pytest.mark.parametrize("sent, stays", [({}, False), ({"__do_not_reset_opt_out": 1}, True), ({"__do_not_reset_opt_out": ""}, True)])
def test_do_not_reset_opt_out(campaign, sent, stays):
    """__do_not_reset_opt_out; States: lead opted_out: reset or unchanged, and "counter incremented"."""
    for _, address in in_each_way():
        sign_up(campaign, **address)
    campaign.change("optout", emails=[address["email"] for _, address in in_each_way()])
    for way, address in in_each_way():
        assert campaign.find(**address)["opted_out"] is True
        assert sign_up(campaign, way, **address, **sent)["counter"] == 2
        assert campaign.find(**address)["opted_out"] is stays


def test_must_exist(campaign):
    """must_exist: Boolean; States: no matching lead: "only an existing lead is updated; no lead is created if none matches"."""
    for way, address in in_each_way():
        for number, (true, false) in enumerate([("true", "false"), (1, 0), *([(True, False)] if way == "JSON" else [])]):
            one = {"email": f"{number}-{address['email']}"}
            assert send(campaign, "POST", {**one, "must_exist": true}, way).verdict == (404, "lead_not_found")
            assert send(campaign, "GET", one).status == 404
            made = sign_up(campaign, way, **one, must_exist=false)
            again = sign_up(campaign, way, **one, must_exist=true, plan="gold")
            assert same(made, again) and again["counter"] == 2 and campaign.find(**one)["custom_fields"] == {"plan": "gold"}


def test_redirect_url(campaign):
    """redirect_url: "Redirect URL stored with the request"."""
    made = sign_up(campaign, **ADA, redirect_url="https://shop.example/next?a=1")
    assert made["redirect_url"].startswith("https://shop.example/next?a=1")
    assert campaign.find(**ADA)["redirect_url"] == made["redirect_url"]


def test_points(campaign):
    """points, Authentication 7: "accepted only when the request is authorized with an API key"; they do not become a custom field"""
    for way, address in in_each_way():
        assert sign_up(campaign, way, **address, points=5)["contest_score"] == 0
        for key, score in ((campaign.key, 7), (None, 7), (campaign.key, 14)):
            assert send(campaign, "POST", {**address, "points": 7}, way, key=key).json["contest_score"] == score
        assert campaign.find(**address)["custom_fields"] == {}
    assert send(campaign, "POST", {**BOB, "points": 3}, key=campaign.key).json["contest_score"] == 3


# --- Custom field rules ---

def test_custom_fields(campaign):
    """Custom field rules 1, 2: "Every parameter that is not a reserved API field becomes a custom field", "normalized to lowercase strings"."""
    for way, address in in_each_way():
        sign_up(campaign, way, **address, company="X & Y", Plan="gold", SIZE="L", tag="no tag", source="ad", events="x", url="/")
        assert campaign.find(**address)["custom_fields"] == {"company": "X & Y", "plan": "gold", "size": "L", "tag": "no tag",
                                                             "source": "ad", "events": "x", "url": "/"}


def test_removed_fields(campaign):
    """Custom field rules 3: "Removed before saving": each name, and each prefix"""
    removed = "controller action list_id landing_page_id kid kolid ip ip_address _a __b _ utm_source utm_x campaign_id campaignId".split()
    reserved = {"api_key": "", "must_exist": "", "country_code": "1", "redirect_url": "/x", "referrer": "r", "points": "1"}
    internal = "__url __referrer __source __uid __sid __session_id __rid __skip_urls __skip_actions __do_not_reset_opt_out".split()
    for way, address in in_each_way():
        sign_up(campaign, way, **address, **reserved, **dict.fromkeys([*removed, *internal], "1"), plan="gold")
        assert campaign.find(**address)["custom_fields"] == {"plan": "gold"}


# --- Lead: response payload ---

def test_views_of_the_payload(service, receiver, campaign):
    """Every row: fields of sign-ups, look-ups and webhooks; ip, referrer and fraudulent "only for authenticated requests"; personal
    data as the campaign's privacy says"""
    campaign.webhook("new_signup")
    public = [sign_up(campaign, **ADA), sign_up(campaign, **ADA), look_up(campaign, **ADA)]
    service.dispatch()
    full = [campaign.lead(**ADA), campaign.find(**ADA), campaign.delivered(1)[0].json]
    always = {*COMMON, *URLS, *ACTIONS}
    for payload in public:
        assert always <= payload.keys() and not {*PERSONAL, *KEYED} & payload.keys()
    for payload in full:
        assert {*always, *PERSONAL, *KEYED} <= payload.keys()


def test_ids(campaign):
    """id, social_id, campaign_id, list_id: "Public referral/social id used in kid links"."""
    made = sign_up(campaign, **ADA)
    assert isinstance(made["id"], int) and isinstance(made["social_id"], str)
    assert made["campaign_id"] == made["list_id"] == campaign.id
    assert f"kid={made['social_id']}" in made["social_url"]
    assert sign_up(campaign, **BOB, kid=made["social_id"])["social_id"] != made["social_id"]
    assert campaign.find(**BOB)["parent_id"] == made["social_id"]


def test_counts(campaign):
    """rank, rank_relative_position, counter, lead_count, subscription_number: "Signup/order and campaign count values"."""
    for number in (1, 2, 3):
        lead = sign_up(campaign, email=f"{number}@example.org")
        assert (lead["rank"], lead["subscription_number"], lead["rank_relative_position"]) == (number, number, number - 1)
        assert (lead["counter"], lead["lead_count"]) == (1, number)
    first = sign_up(campaign, email="1@example.org")
    assert (first["rank"], first["counter"], first["lead_count"]) == (1, 2, 3)


def test_scores(campaign):
    """contest_score, contest_score_rank, contest_score_rank_relative_position"""
    campaign.lead(**ADA, points=5)
    campaign.lead(**BOB, points=9)
    for fields, score, rank in ((ADA, 5, 2), (BOB, 9, 1)):
        found = look_up(campaign, **fields)
        assert (found["contest_score"], found["contest_score_rank"], found["contest_score_rank_relative_position"]) == (score, rank, rank - 1)


def test_display_fields(campaign):
    """first_name, given_name, family_name, display_name, avatar"""
    lead = sign_up(campaign, **ADA, first_name="Ada", last_name="Lovelace")
    assert (lead["first_name"], lead["given_name"], lead["family_name"], lead["display_name"]) == ("Ada", "Ada", "Lovelace", "Ada Lovelace")
    assert lead["avatar"] is None or lead["avatar"].startswith("http")


def test_status_flags(campaign):
    """States: "A lead carries the status flags"; verified, verified_email, verified_phone_number, waitlisted: Status fields"""
    changes = {"verify": ["verified", "verified_email"], "verify by phone": ["verified", "verified_phone_number"],
               "waitlist": ["waitlisted"], "optout": ["opted_out"], "sms_optout": ["sms_opted_out"], "block": ["fraudulent"]}
    flags = {name for names in changes.values() for name in names}
    emails = {action: f"{number}@example.org" for number, action in enumerate(changes)}
    for number, (action, email) in enumerate(emails.items()):
        sign_up(campaign, email=email, phone_number=f"+1415555267{number}")
        assert not any(campaign.find(email=email)[name] for name in flags)
        campaign.bulk(action.split()[0], {"email": email, **({"channel": "phone"} if " " in action else {})})
    campaign.service.dispatch()
    for action, email in emails.items():
        found, public = campaign.find(email=email), look_up(campaign, email=email)
        assert {name for name in flags if found[name]} == set(changes[action])
        assert {name for name in flags if public.get(name)} == set(changes[action]) & set(COMMON)


def test_urls(service, campaign):
    """social_url, redirect_url, thankyou_url, status_url, unsubscribe_url: "Lead-experience URLs"."""
    ada = sign_up(campaign, **ADA, redirect_url="https://shop.example/next")
    for name in ("social_url", "status_url"):
        assert campaign.client.request("GET", ada[name].removeprefix(service.front.url)).status == 200
    links = campaign.find(**ADA)["unsubscribe_url"]
    assert campaign.client.request("GET", links["default"].removeprefix(service.front.url)).status == 200
    assert campaign.find(**ADA)["opted_out"] is True


def test_completed_actions(campaign):
    """completed_actions: "Campaign action ids completed by the lead"."""
    lead, action = sign_up(campaign, **ADA), campaign.define("action", "Share", "--points", 3)
    assert lead["completed_actions"] == []
    assert campaign.post(ADA, path=f"/actions/{action}").status == 200
    found = look_up(campaign, **ADA)
    assert (found["completed_actions"], found["contest_score"]) == ([action], 3)


def test_personal_data(campaign):
    """email, phone_number, custom_fields, uid, parent_id, opted_out, sms_opted_out, utm, tags: "Campaign privacy settings may
    suppress these unless the request is authenticated"."""
    kid, tag = sign_up(campaign, **BOB)["social_id"], campaign.define("tag", "VIP")
    sign_up(campaign, **ADA, phone_number=NUMBER, plan="gold", __uid="u1", kid=kid, utm_source="mail", utm_campaign="x")
    assert campaign.post(ADA, path=f"/tags/{tag}/lead").status == 200
    expected = {**ADA, "phone_number": NUMBER, "custom_fields": {"plan": "gold"}, "uid": "u1", "parent_id": kid, "opted_out": False,
                "sms_opted_out": False, "utm": {"source": "mail", "campaign": "x"}, "tags": [{"tag_id": tag, "name": "VIP"}]}
    found = campaign.find(**ADA)
    assert {name: found[name] for name in PERSONAL} == expected
    campaign.service.installation.admin("campaign", "set", str(campaign.id), "privacy=off")
    shown = wait_until(lambda: "email" in look_up(campaign, **ADA), 5, "privacy is off") and look_up(campaign, **ADA)
    assert {name: shown[name] for name in PERSONAL} == expected and not set(KEYED) & shown.keys()


def test_referral_counts(campaign):
    """referrals, unverified_leads, verified_leads, influence"""
    ada = sign_up(campaign, **ADA)
    bob = sign_up(campaign, **BOB, kid=ada["social_id"])
    sign_up(campaign, email="eve@example.org", kid=bob["social_id"])
    found = look_up(campaign, **ADA)
    assert (found["referrals"], found["influence"]) == (1, {"direct": 1, "indirect": 1})
    assert found["unverified_leads"] == {"direct": 1, "indirect": 1} and "verified_leads" in found
    campaign.change("verify", **BOB)
    assert look_up(campaign, **ADA)["unverified_leads"] == {"direct": 0, "indirect": 1}


# --- States and transitions ---

def test_a_lead_that_exists(campaign):
    """lead exists: "same lead (no duplicate)", "counter incremented", found by email or phone number; its fields are updated"""
    made, counter = sign_up(campaign, **ADA, phone_number=NUMBER, plan="gold", size="S"), 1
    for fields, way in itertools.product((ADA, {"email": "ADA@Example.org"}, {"phone_number": NUMBER}, {**ADA, "phone_number": NUMBER}),
                                         BODIES):
        counter += 1
        again = check_payload(sign_up(campaign, way, **fields, size=f"{counter}", first_name="Ada"), "public")
        assert same(made, again) and (again["counter"], again["lead_count"], again["first_name"]) == (counter, 1, "Ada")
        found = campaign.find(**ADA)
        assert found["custom_fields"] == {"plan": "gold", "size": f"{counter}", "first_name": "Ada"} and found["phone_number"] == NUMBER


def test_a_lead_that_exists_by_its_social_id(campaign):
    """lead exists: found by its social id alone with a key, or together with its address"""
    made = sign_up(campaign, **ADA)
    for counter, fields in enumerate(({}, ADA), 2):
        again = send(campaign, "POST", {"social_id": made["social_id"], "plan": "gold", **fields}, key=campaign.key)
        assert again.status == 200 and same(made, again.json) and again.json["counter"] == counter
    assert sign_up(campaign, **ADA, social_id=made["social_id"])["counter"] == 4
    assert campaign.find(**ADA)["custom_fields"] == {"plan": "gold"}


def test_an_email_is_added(campaign):
    """existing lead with phone only: "email added to lead"."""
    made = sign_up(campaign, phone_number=NUMBER)
    again = sign_up(campaign, phone_number=NUMBER, **ADA)
    assert same(made, again) and again["counter"] == 2
    assert same(made, look_up(campaign, **ADA)) and campaign.find(phone_number=NUMBER)["email"] == ADA["email"]


def test_a_phone_number_is_added(campaign):
    """existing lead without phone: "phone number added to lead"."""
    made = sign_up(campaign, **ADA)
    again = sign_up(campaign, **ADA, phone_number=NUMBER)
    assert same(made, again) and again["counter"] == 2
    assert same(made, look_up(campaign, phone_number=NUMBER)) and campaign.find(**ADA)["phone_number"] == NUMBER


def test_failed_after_processing(campaign):
    """Errors 422: "Lead creation/update failed validation after processing": two leads cannot be merged"""
    sign_up(campaign, **ADA)
    sign_up(campaign, phone_number=NUMBER, **BOB)
    assert campaign.post({**ADA, "phone_number": NUMBER}).verdict == (422, "conflicting_identifiers")
    assert campaign.find(**ADA)["phone_number"] is None
