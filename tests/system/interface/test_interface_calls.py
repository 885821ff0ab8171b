# SPDX-License-Identifier: MIT
"""docs/requirements.md, sentence by sentence: keys, lists, bulk calls, webhooks, CORS, errors and older paths, for a campaign that was
created without any setting. Each docstring names the section and the row that its test is about."""
import itertools

import pytest
from interface import BODIES, EVENTS, KEYED, look_up, same, send, sign_up
from service import settles

ADA, BOB = {"email": "ada@example.org"}, {"email": "bob@example.org"}
NUMBER = "+14155552671"
WRONG_KEY = "lh_" + "x" * 43
HOOK = "/outbound-webhook"
URL = "https://hooks.example/a"
BULK_ITEMS = 250


@pytest.fixture(scope="module")
def service(front, make_service):
    made = make_service(front=front, workers=4)
    yield made
    made.stop()


@pytest.fixture
def campaign(service, account):
    return service.plain_campaign(account)


def protected_calls(campaign):
    """Endpoints that require a key: method, path, and the fields of a valid call."""
    whole = campaign.path
    return [("GET", "/v2/campaigns", {}), ("POST", whole + HOOK, {"url": URL, "event": "verified"}),
            ("DELETE", whole + HOOK, {"url": URL}), ("POST", whole + "/optout", ADA),
            ("POST", whole + "/points", {**ADA, "points": 1}), ("DELETE", whole, ADA)]


# --- Authentication ---

def places_of(key):
    """Each place where a key can be sent, as options of a JSON request."""
    texts = (f"Bearer {key}", key, f"Token of  some kind   {key}", f"  Bearer {key}  ", f"Bearer\t{key}")
    yield {"query": {"api_key": key}}
    for header, text in itertools.product(("Authorization", "Authentication"), texts):
        yield {"headers": {header: text}}


def test_places_of_the_key(campaign):
    """Authentication 2, 3, 4: the parameter, Authorization, Authentication; "the final whitespace-separated token is taken"."""
    request, counter = campaign.client.request, itertools.count(1)
    for place in places_of(campaign.key):
        answer = request("POST", campaign.path, json_body=ADA, **place)
        assert answer.status == 200 and answer.json["counter"] == next(counter) and set(KEYED) <= answer.json.keys()
        assert request("GET", "/v2/campaigns", **place).status == 200
    for way in BODIES:
        assert set(KEYED) <= send(campaign, "POST", {**ADA, "api_key": campaign.key}, way).json.keys()
        assert send(campaign, "GET", {"api_key": campaign.key}, way, whole_path="/v2/campaigns").status == 200


def test_a_missing_key(campaign):
    """Authentication 1: "Protected endpoints require an API key. A missing key gives 409"."""
    for (method, path, fields), way in itertools.product(protected_calls(campaign), BODIES):
        assert send(campaign, method, fields, way, whole_path=path).verdict == (409, "missing_api_key")


def test_a_wrong_key(campaign):
    """Authentication 5: "An invalid key gives 409", in each place, even where no key is needed; nothing is done"""
    lead = sign_up(campaign, **ADA)
    calls = [*protected_calls(campaign), ("POST", campaign.path, ADA), ("GET", campaign.path, ADA)]
    for (method, path, fields), place in itertools.product(calls, [*places_of(WRONG_KEY), *places_of("malformed")]):
        if method == "GET" and "query" in place:
            fields, place = {**fields, **place["query"]}, {}
        answer = send(campaign, method, fields, "query" if method == "GET" else "JSON", whole_path=path, **place)
        assert answer.verdict == (409, "invalid_api_key"), (method, path, place)
    for (method, path, fields), way, key in itertools.product(calls, BODIES, (WRONG_KEY, "malformed")):
        answer = send(campaign, method, {**fields, "api_key": key}, way, whole_path=path)
        assert answer.verdict == (409, "invalid_api_key"), (method, path, way, key)
    assert look_up(campaign, **ADA)["counter"] == lead["counter"]


def test_without_a_key(campaign):
    """Authentication 6: "Unauthenticated requests to campaign endpoints are allowed", and get payloads without ip, referrer and
    fraudulent"""
    sign_up(campaign, **ADA)
    for method in ("POST", "GET"):
        assert not set(KEYED) & send(campaign, method, ADA, "query").json.keys()


# --- GET /v2/campaigns ---

def test_campaigns(service):
    """GET /v2/campaigns: "list campaigns for an API key": those of the key's account"""
    account, other = service.account(), service.account()
    made = [service.plain_campaign(account) for _ in range(2)]
    foreign = service.plain_campaign(other)
    sign_up(made[1], **ADA)
    listed = service.client.request("GET", "/v2/campaigns", key=account.key).json
    assert [(one["id"], one["name"], one["lead_count"]) for one in listed] == [(one.id, one.name, count) for count, one in enumerate(made)]
    assert send(foreign, "GET", ADA, key=account.key).verdict == (404, "campaign_not_found")


# --- Bulk endpoints ---

def test_bulk_calls(campaign):
    """Bulk endpoints: "one identifier type per request"; 202 "when queued for asynchronous processing"; Errors: 202, 400 no matching items"""
    lead = sign_up(campaign, **ADA, phone_number=NUMBER)
    known = {"emails": [ADA["email"]], "phone_numbers": [NUMBER], "social_ids": [lead["social_id"]]}
    unknown = {"emails": ["no@example.org"], "phone_numbers": ["+14155552679"], "social_ids": ["0000000000"]}
    for name, values in known.items():
        assert send(campaign, "POST", {name: unknown[name]}, path="/optout", key=campaign.key).verdict == (400, "no_leads")
        assert send(campaign, "DELETE", {name: unknown[name]}, key=campaign.key).verdict == (400, "no_leads")
        answer = send(campaign, "POST", {name: [*values, *unknown[name]]}, path="/optout", key=campaign.key)
        assert answer.status == 202 and answer.json["updated"] == 1
    for way in ("form", "query"):
        fields = {"email": ADA["email"]}
        assert send(campaign, "POST", fields, way, path="/waitlist", key=campaign.key).status == 202
    campaign.service.dispatch()
    found = campaign.find(**ADA)
    assert (found["opted_out"], found["waitlisted"]) == (True, True)
    answer = send(campaign, "DELETE", {"social_ids": known["social_ids"]}, key=campaign.key)
    assert answer.status == 202 and answer.json["deleted"] == 1
    campaign.service.dispatch()
    assert send(campaign, "GET", ADA).verdict == (404, "lead_not_found")


def test_one_identifier_type(campaign):
    """Bulk endpoints: "never mixed"."""
    lead = sign_up(campaign, **ADA, phone_number=NUMBER)
    types = {"emails": [ADA["email"]], "phone_numbers": [NUMBER], "social_ids": [lead["social_id"]]}
    for one, other in itertools.combinations(types, 2):
        fields = {one: types[one], other: types[other]}
        for method, path in (("POST", "/optout"), ("DELETE", "")):
            assert send(campaign, method, fields, path=path, key=campaign.key).verdict == (409, "mixed_identifiers")


def test_250_items(campaign):
    """Bulk endpoints, Limits, Errors 413: "at most 250 items per request"."""
    sign_up(campaign, email="0@example.org")
    many = [f"{number}@example.org" for number in range(BULK_ITEMS + 1)]
    for method, path in (("POST", "/optout"), ("DELETE", "")):
        assert send(campaign, method, {"emails": many}, path=path, key=campaign.key).verdict == (413, "too_many_items")
        assert send(campaign, method, {"emails": many[:BULK_ITEMS]}, path=path, key=campaign.key).status == 202


# --- Outbound webhooks ---

def test_a_webhook_is_created(campaign):
    """POST outbound-webhook: each parameter, and each field of the answer; "a single URL may subscribe to several"."""
    numbers = set()
    for name, way in itertools.product(("event", "events"), BODIES):
        for events in ("verified", ["verified", "new_signup"] if way == "JSON" else "opted_out"):
            fields = {"url": f"{URL}/{name}/{way}", name: events, "source": "tracker"}
            answer = send(campaign, "POST", fields, way, path=HOOK, key=campaign.key)
            assert answer.status == 200 and isinstance(answer.json["message"], str) and answer.json["message"]
            assert type(answer.json["referenceId"]) is int
            assert sorted(answer.json["events"]) == sorted([events] if isinstance(events, str) else events)
            numbers.add(answer.json["referenceId"])
    assert len(numbers) == 2 * len(BODIES)
    listed = campaign.get({}, path=HOOK).json
    assert {one["referenceId"] for one in listed} == numbers and {one["source"] for one in listed} == {"tracker"}


def test_every_event_name(campaign):
    """Event names: each event alone and all together; "A submitted event `fraudulent` is converted to `marked_as_fraudulent`"."""
    for events in ([name] for name in EVENTS):
        assert campaign.post({"url": URL, "event": events[0]}, path=HOOK).json["events"] == events
    assert sorted(campaign.post({"url": URL, "events": EVENTS}, path=HOOK).json["events"]) == sorted(EVENTS)
    for sent in ("fraudulent", ["fraudulent"]):
        assert campaign.post({"url": URL, "events": sent}, path=HOOK).json["events"] == ["marked_as_fraudulent"]


def test_refused_webhooks(campaign):
    """url: "Must start with `http`"; "An invalid event name returns 409 with a message beginning `Invalid event type`"; Errors 409:
    missing required input"""
    for url in ("ftp://hooks.example/", "hooks.example", "", "//hooks.example", "mailto:a@example.org"):
        assert campaign.post({"url": url, "event": "verified"}, path=HOOK).verdict == (409, "invalid_url")
    for fields in ({"event": "verified"}, {"url": URL}, {"url": URL, "events": []}):
        assert campaign.post(fields, path=HOOK).status == 409
    for events, way in itertools.product(("bogus", "New_Signup"), BODIES):
        for name in ("event", "events"):
            answer = send(campaign, "POST", {"url": URL, name: events}, way, path=HOOK, key=campaign.key)
            assert answer.status == 409 and answer.json["message"].startswith("Invalid event type")
    answer = campaign.post({"url": URL, "events": ["verified", "bogus"]}, path=HOOK)
    assert answer.status == 409 and answer.json["message"].startswith("Invalid event type")
    assert campaign.get({}, path=HOOK).json == []
    for url in ("http://hooks.example/a", URL):
        assert campaign.post({"url": url, "event": "verified"}, path=HOOK).status == 200


def test_a_webhook_is_deleted(campaign):
    """DELETE outbound-webhook: "A webhook that does not exist gives 404"; Errors 404, and 409 for a missing url"""
    for way in BODIES:
        assert campaign.post({"url": URL, "event": "verified"}, path=HOOK).status == 200
        for fields, status in (({"url": URL + "x"}, 404), ({"url": URL}, 200), ({"url": URL}, 404), ({}, 409)):
            assert send(campaign, "DELETE", fields, way, path=HOOK, key=campaign.key).status == status


# --- CORS ---

def test_preflight(campaign):
    """OPTIONS (any public endpoint): "Preflight requests are supported"."""
    paths = [*(path for _, path, _ in protected_calls(campaign)), campaign.path, campaign.path + "/", f"/v1/{campaign.id}/subscribe",
             f"/v1/{campaign.id}/info", "/subscribe"]
    for path, method in itertools.product(paths, ("GET", "POST", "DELETE")):
        answer = campaign.client.request("OPTIONS", path, headers={
            "Origin": "https://shop.example", "Access-Control-Request-Method": method,
            "Access-Control-Request-Headers": "authorization, content-type"})
        assert 200 <= answer.status < 300 and answer.headers["Access-Control-Allow-Origin"] == "*"
        assert method in answer.headers["Access-Control-Allow-Methods"].split(", ")
        assert {"authorization", "content-type"} <= set(answer.headers["Access-Control-Allow-Headers"].lower().split(", "))


def test_browsers_can_read_answers(campaign):
    """What the service does: "The public API sets `Access-Control-Allow-Origin: *`", on successes and errors"""
    calls = [("POST", campaign.path, ADA), ("GET", campaign.path, ADA), ("GET", campaign.path, BOB), ("POST", campaign.path, {}),
             *protected_calls(campaign), ("POST", "/v2/4294967295", ADA), ("GET", "/nowhere", {})]
    statuses = set()
    for (method, path, fields), key in itertools.product(calls, (None, campaign.key, WRONG_KEY)):
        answer = send(campaign, method, fields, whole_path=path, key=key, headers={"Origin": "https://shop.example"})
        assert answer.headers.get_all("Access-Control-Allow-Origin") == ["*"]
        statuses.add(answer.status)
    assert {200, 202, 404, 406, 409} <= statuses


# --- Errors ---

def test_not_found(campaign):
    """404: "Campaign, lead, action or webhook not found"."""
    unknown = "/v2/4294967295"
    calls = [("GET", unknown, ADA, "campaign_not_found"), ("POST", unknown, ADA, "campaign_not_found"),
             ("GET", campaign.path, ADA, "lead_not_found"), ("POST", campaign.path + "/actions/4294967295", BOB, "action_not_found"),
             ("DELETE", campaign.path + HOOK, {"url": URL}, "webhook_not_found")]
    sign_up(campaign, **BOB)
    for method, path, fields, code in calls:
        answer = send(campaign, method, fields, whole_path=path, key=campaign.key)
        assert answer.verdict == (404, code) and answer.json["message"]


def test_conflicts(service):
    """409: missing required input, invalid update action, a campaign/account state that blocks the request"""
    account = service.account()
    campaign = service.plain_campaign(account)
    sign_up(campaign, **ADA)
    for path, fields in (("/optout", {}), ("/points", ADA), ("/points", {"points": 1}), ("/no_such_action", ADA)):
        answer = send(campaign, "POST", fields, path=path, key=campaign.key)
        assert answer.status == 409 and answer.json["message"]
    service.installation.admin("account", "suspend", str(account.id))
    for method, key in itertools.product(("POST", "GET"), (None, campaign.key)):
        settles(lambda method=method, key=key: send(campaign, method, ADA, key=key), 409, "account_suspended")
    service.installation.admin("account", "resume", str(account.id))
    settles(lambda: send(campaign, "GET", ADA), 200)


def test_invalid_json(campaign):
    """Errors: "an error message telling the caller to verify the JSON payload", for every call with a body"""
    calls = [("POST", campaign.path), ("GET", campaign.path), *((method, path) for method, path, _ in protected_calls(campaign)[1:])]
    bodies = (b"{", b'{"email":}', b'{"email":"a@example.org"', b"a@example.org", b"[1]")
    for (method, path), body in itertools.product(calls, bodies):
        answer = campaign.client.request(method, path, body=body, type="application/json", key=campaign.key)
        assert answer.verdict == (406, "invalid_json"), (method, path, body)
        assert "verify" in answer.json["message"] and "JSON payload" in answer.json["message"]


# --- Versioning ---

def test_older_paths(campaign):
    """Versioning: "Older embed and form flows use `/v1` or `/subscribe`-style paths": they create and update the same leads without a
    key"""
    made, counter = sign_up(campaign, **ADA), itertools.count(2)
    subscribe = f"/v1/{campaign.id}/subscribe"
    for way in BODIES:
        for method, path, more in (("POST", subscribe, {}), ("POST", "/subscribe", {"list_id": campaign.id}), ("GET", subscribe, {})):
            answer = send(campaign, method, {**ADA, **more, "plan": way}, way, whole_path=path)
            assert answer.status == 200 and same(answer.json, made) and answer.json["counter"] == next(counter)
            assert campaign.find(**ADA)["custom_fields"] == {"plan": way}
        assert same(send(campaign, "GET", ADA, way, whole_path=f"/v1/{campaign.id}/info").json, made)
    new = send(campaign, "POST", {**BOB, "social_id": made["social_id"]}, "form", whole_path=subscribe)
    assert new.json["counter"] == 1 and campaign.find(**BOB)["parent_id"] == made["social_id"]
