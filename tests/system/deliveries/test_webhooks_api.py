# SPDX-License-Identifier: MIT
"""docs/deliveries.md 1: outbound webhooks through the API."""
import pytest

EVENTS = ("new_signup new_signup_not_excluded repeat_signup score_change marked_as_fraudulent opted_out phone_number_opt_out "
          "referral tagged reward_level verified deleted").split()
URL = "https://hooks.example/a"
PATH = "/outbound-webhook"


def create(campaign, **fields):
    return campaign.post(fields, path=PATH)


def listed(campaign):
    response = campaign.get({}, path=PATH)
    assert response.status == 200
    return response.json


@pytest.mark.smoke
def test_create(campaign):
    """docs/deliveries.md 1 POST; docs/requirements.md: message, referenceId, events"""
    response = create(campaign, url=URL, event="new_signup")
    answer = response.json
    assert response.status == 200 and set(answer) == {"message", "referenceId", "events", "secret"}
    assert answer["message"] == "Webhook Created" and answer["events"] == ["new_signup"]
    assert isinstance(answer["referenceId"], int) and answer["secret"].startswith("whsec_")


@pytest.mark.parametrize("fields", [{"event": EVENTS}, {"events": EVENTS}])
def test_every_event(campaign, fields):
    """docs/requirements.md Event names; both names accept an array"""
    assert create(campaign, url=URL, **fields).json["events"] == EVENTS


def test_events_collect(campaign):
    """docs/api.md 1 Arrays: form and query, with and without brackets"""
    for name in ("event", "events", "event[]", "events[]"):
        form = [("url", f"{URL}/{name}"), (name, "new_signup"), (name, "verified")]
        response = campaign.client.request("POST", campaign.path + PATH, form=form, key=campaign.key)
        assert sorted(response.json["events"]) == ["new_signup", "verified"]
        response = campaign.client.request("POST", campaign.path + PATH, query=form, key=campaign.key)
        assert sorted(response.json["events"]) == ["new_signup", "verified"]


def test_fraudulent_is_converted(campaign):
    """docs/deliveries.md 1, docs/requirements.md Versioning"""
    assert create(campaign, url=URL, events=["fraudulent", "marked_as_fraudulent"]).json["events"] == ["marked_as_fraudulent"]


@pytest.mark.parametrize("events", [["bogus"], ["new_signup", "bogus"], "bogus", ["NEW_SIGNUP"], "test"])
def test_unknown_event(campaign, events):
    """docs/deliveries.md 1, docs/api.md 2 invalid_event: nothing is stored"""
    name = next(event for event in ([events] if isinstance(events, str) else events) if event not in EVENTS)
    response = create(campaign, url=URL, events=events)
    assert response.verdict == (409, "invalid_event") and response.json["message"] == f"Invalid event type: {name}"
    assert listed(campaign) == []


@pytest.mark.parametrize("fields", [{}, {"events": []}, {"event": ""}])
def test_missing_event(campaign, fields):
    """docs/deliveries.md 1, docs/api.md 2 missing_event"""
    response = create(campaign, url=URL, **fields)
    assert response.verdict == (409, "missing_event") and response.json["message"] == "Please include an event"


@pytest.mark.parametrize("url", ["", "ftp://hooks.example/", "hooks.example", "//hooks.example/", "http:/hooks.example", "http://",
                                 "httpx://hooks.example/", "http://user@hooks.example/", "https://user:secret@hooks.example/",
                                 "https://hooks.example/a\tb", "javascript:alert(1)", "http://hooks.example:99999/",
                                 "http://hooks example/",
                                 "http://@hooks.example/", "http://hooks.example\\x/",
                                 "http://hooks.example:0/", "http://hooks.example:080/", "http://hooks..example/",
                                 f"http://{'x' * 64}.example/", "http://hooks!.example/", "http://♥.example/",
                                 "http://hooks.1/", "http://256.1.1.1/",
                                 "http://[hooks.example]/", "http://[::1"])
def test_invalid_url(campaign, url):
    """docs/deliveries.md 1, docs/api.md 2 invalid_url"""
    response = create(campaign, url=url, event="new_signup")
    assert response.verdict == (409, "invalid_url") and response.json["message"] == "Url must start with http"
    assert listed(campaign) == []


def test_missing_url(campaign):
    """docs/deliveries.md 1"""
    assert create(campaign, event="new_signup").verdict == (409, "invalid_url")


def test_the_longest_url(campaign):
    """docs/deliveries.md 1: 2048 bytes"""
    url = "https://hooks.example/"
    assert create(campaign, url=url + "x" * (2048 - len(url)), event="new_signup").status == 200
    longer = create(campaign, url=url + "x" * (2049 - len(url)), event="new_signup")
    assert longer.verdict == (409, "invalid_url") and longer.json["message"] == "Url is longer than 2048 bytes"


@pytest.mark.parametrize("url", [
    "http://10.0.0.1/", "http://192.168.1.1/", "http://172.16.0.1/", "http://169.254.169.254/latest", "http://100.64.0.1/",
    "http://0.0.0.0/", "http://224.0.0.1/", "http://255.255.255.255/", "http://198.18.0.1/", "http://192.0.2.1/",
    "http://167772161/", "http://0xa.1/", "http://012.0.0.1/", "http://10.1/", "http://[::1]/", "http://[fe80::1]/",
    "http://[fd00::1]/", "http://[::ffff:10.0.0.1]/", "http://[64:ff9b::a00:1]/", "http://[2002:a00:1::]/", "http://[::]/",
    "http://hooks.example:22/", "http://hooks.example:25/", "https://hooks.example:3306/"])
def test_forbidden_destinations(campaign, url):
    """docs/deliveries.md 1, 5, docs/api.md 2 forbidden_url: literal addresses in any spelling that resolvers accept, and ports"""
    response = create(campaign, url=url, event="new_signup")
    assert response.verdict == (409, "forbidden_url") and response.json["message"] == "Url is not allowed"
    assert listed(campaign) == []


def test_loopback_is_forbidden_unless_it_is_allowed(make_service):
    """docs/deliveries.md 1, 5: 127.0.0.0/8 in all spellings, even with a prefix of nat64_prefixes; only the service of the tests
    allows it"""
    strict = make_service(settings=[("dispatch", "allow_networks", ""), ("dispatch", "nat64_prefixes", "2600:db8::/48")])
    campaign = strict.campaign()
    for host in ("127.0.0.1", "127.1", "2130706433", "0x7f.1", "0177.0.0.1", "127.0.0.1.", "[::ffff:127.0.0.1]", "[::1]",
                 "[2600:db8:0:7f00:0:100::]"):
        assert create(campaign, url=f"http://{host}/", event="new_signup").verdict == (409, "forbidden_url"), host
    assert create(campaign, url="http://[2600:db8:1:7f00:0:100::]/", event="new_signup").status == 200


def test_the_same_url_again(campaign):
    """docs/deliveries.md 1: the given events, source and format are replaced; the id stays the same, and there is no secret"""
    first = create(campaign, url=URL, events=["new_signup", "verified"], source="shop", format="form").json
    again = create(campaign, url=URL, event="deleted").json
    assert set(again) == {"message", "referenceId", "events"}
    assert (again["referenceId"], again["events"]) == (first["referenceId"], ["deleted"])
    [webhook] = listed(campaign)
    assert (webhook["events"], webhook["source"], webhook["format"]) == (["deleted"], "shop", "form")
    create(campaign, url=URL, event="deleted", source="blog", format="json")
    [webhook] = listed(campaign)
    assert (webhook["source"], webhook["format"]) == ("blog", "json")


def test_urls_are_compared_byte_for_byte(campaign):
    """docs/deliveries.md 1"""
    ids = {create(campaign, url=url, event="new_signup").json["referenceId"]
           for url in (URL, URL + "/", URL.upper().replace("HTTPS", "https"), URL + "?")}
    assert len(ids) == 4


def test_format(campaign):
    """docs/deliveries.md 1: the format is json or form"""
    assert create(campaign, url=URL, event="new_signup", format="xml").verdict == (406, "invalid_parameter")


def test_too_many(campaign):
    """docs/deliveries.md 1: at most 20 per campaign; existing webhooks may still be changed"""
    for number in range(20):
        assert create(campaign, url=f"{URL}/{number}", event="new_signup").status == 200
    response = create(campaign, url=f"{URL}/20", event="new_signup")
    assert response.verdict == (409, "too_many_webhooks") and response.json["message"] == "Too many webhooks"
    assert create(campaign, url=f"{URL}/19", event="verified").status == 200
    assert len(listed(campaign)) == 20


def test_list(campaign):
    """docs/deliveries.md 1 GET: all fields, never the secret"""
    answer = create(campaign, url=URL, events=["new_signup"], source="shop").json
    [webhook] = listed(campaign)
    assert webhook == {"referenceId": answer["referenceId"], "url": URL, "events": ["new_signup"], "source": "shop",
                       "format": "json", "state": "active", "failing_since": None, "last_status": None, "last_delivery_at": None}
    create(campaign, url=URL + "/2", event="verified")
    assert listed(campaign)[1]["source"] is None


def test_delete(campaign):
    """docs/deliveries.md 1 DELETE: by url, in query or body; 404 for an unknown URL, 409 without one"""
    for options in ({"query": {"url": URL}}, {"json_body": {"url": URL}}, {"form": {"url": URL}}):
        create(campaign, url=URL, event="new_signup")
        response = campaign.client.request("DELETE", campaign.path + PATH, key=campaign.key, **options)
        assert response.status == 200 and response.json == {"message": "Webhook Deleted"}
        response = campaign.client.request("DELETE", campaign.path + PATH, key=campaign.key, **options)
        assert response.verdict == (404, "webhook_not_found") and response.json["message"] == "Webhook not found"
    for url in ({}, {"url": ""}):
        assert campaign.delete(url, path=PATH).verdict == (409, "invalid_url")
    assert listed(campaign) == []


def test_webhooks_of_another_campaign(service, account, campaign):
    """docs/deliveries.md 1: webhooks belong to their campaign"""
    create(campaign, url=URL, event="new_signup")
    other = service.campaign(account)
    assert listed(other) == []
    response = other.client.request("DELETE", other.path + PATH, key=other.key, query={"url": URL})
    assert response.verdict == (404, "webhook_not_found")


def test_webhook_added_by_the_operator(service, campaign):
    """docs/operating.md 4 webhook add"""
    added = service.installation.admin("webhook", "add", str(campaign.id), URL, "new_signup", "verified")
    assert added["secret"].startswith("whsec_")
    [webhook] = listed(campaign)
    assert (webhook["referenceId"], sorted(webhook["events"])) == (added["id"], ["new_signup", "verified"])
