# SPDX-License-Identifier: MIT
"""docs/inbound.md: payloads of other systems that become leads."""
import concurrent.futures
import json
import os
import re
import signal

import pytest
from inbound import PATH, add, listed, send
from client import multipart
from command import DATA, OK, call
from load import at_once
from processes import children
from service import settles
from stack.process import wait_until

URL = re.compile(r"https?://[^/]+/inbound/[0-9]+/in_[A-Za-z0-9_-]{43}")


@pytest.mark.smoke
def test_create(campaign):
    """docs/api.md 4.1.7: the URL is in this answer, and never shown again"""
    answer = campaign.post({"name": "Shop"}, path=PATH)
    assert answer.status == 200 and set(answer.json) == {"message", "id", "url"}
    assert answer.json["message"] == "Inbound Webhook Created" and URL.fullmatch(answer.json["url"])
    again = campaign.post({"name": "Shop", "source": "shop"}, path=PATH)
    assert again.status == 200 and again.json == {"message": "Inbound Webhook Created", "id": answer.json["id"]}
    assert "url" not in listed(campaign)[0] and listed(campaign)[0]["source"] == "shop"


def test_without_a_name(make_service):
    """docs/api.md 4.1.7: each call makes another webhook, up to the maximum, and its answer has a URL"""
    campaign = make_service(workers=2, settings=[("limits", "inbound_per_campaign", "5")]).campaign()
    add(campaign, name="Inbound via API 2")
    answers = [campaign.post(fields, path=PATH) for fields in ({}, {"name": ""}, {"name": None, "source": "shop"})]
    assert [answer.status for answer in answers] == [200] * 3
    assert len({answer.json["url"] for answer in answers}) == 3
    assert [(one["name"], one["source"]) for one in listed(campaign)] == [
        ("Inbound via API 2", None), ("Inbound via API", None), ("Inbound via API 3", None), ("Inbound via API 4", "shop")]
    found = sorted(answer.status for answer in at_once([lambda: campaign.post({}, path=PATH) for _ in range(4)]))
    assert found == [200, 409, 409, 409] and len(listed(campaign)) == 5
    assert campaign.post({}, path=PATH).verdict == (409, "too_many_webhooks")


@pytest.mark.smoke
def test_call(campaign):
    """docs/inbound.md 2: 201 with the lead, whether created or updated, as in the answer of POST /v2/{campaign} with a key"""
    hook = add(campaign)
    created = send(campaign, hook, {"email": "ada@example.org", "first_name": "Ada", "plan": "gold"})
    assert created.status == 201 and created.json["email"] == "ada@example.org", created.body
    assert created.json["custom_fields"] == {"first_name": "Ada", "plan": "gold"}
    updated = send(campaign, hook, {"email": "ada@example.org", "plan": "silver"})
    assert updated.status == 201 and updated.json["id"] == created.json["id"] and updated.json["counter"] == 2
    assert campaign.find(email="ada@example.org")["custom_fields"]["plan"] == "silver"
    counts = {name: listed(campaign)[0][name] for name in ("calls", "created", "updated", "refused", "stored")}
    assert counts == {"calls": 2, "created": 1, "updated": 1, "refused": 0, "stored": 0}


def test_unknown_url(campaign):
    """docs/inbound.md 1: any unknown URL is answered like an unknown path"""
    hook = add(campaign)
    token = hook["path"].split("/")[-1]
    assert hook["path"] == f"/inbound/{campaign.id}/{token}"
    for path in ("/inbound/x", f"/inbound/{campaign.id}", f"/inbound/{campaign.id}/in_" + 43 * "A", f"/inbound/{token}",
                 f"/inbound/{campaign.service.campaign().id}/{token}", hook["path"] + "A", hook["path"][:-1]):
        for method in ("POST", "GET"):
            answer = campaign.client.request(method, path, json_body={"email": "ada@example.org"} if method == "POST" else None)
            assert answer.verdict == (404, "not_found"), path
    assert campaign.stats()["total"] == 0


def test_remove(campaign):
    """docs/api.md 4.1.7: a webhook is removed by id, name or URL; then its URL is unknown"""
    for number, by in enumerate(("id", "name", "url")):
        hook = add(campaign, name=f"Shop {number}")
        value = {"id": hook["id"], "name": f"Shop {number}", "url": hook["url"]}[by]
        answer = campaign.delete({by: value}, path=PATH)
        assert answer.status == 200 and answer.json == {"message": "Inbound Webhook Deleted"}
        assert campaign.delete({by: value}, path=PATH).verdict == (404, "webhook_not_found")
        assert send(campaign, hook, {"email": "ada@example.org"}).status == 404
    assert listed(campaign) == [] and campaign.delete({}, path=PATH).verdict == (404, "webhook_not_found")


def test_map(campaign):
    """docs/inbound.md 3: paths find nested values, in any type of body"""
    maps = {"email": "data.customer.email", "sku": "items.0.sku", "city": "data[customer][city]"}
    hook = add(campaign, maps=maps)
    assert listed(campaign)[0]["map"] == maps
    payload = {"data": {"customer": {"email": "a@example.org", "city": "Ulm"}}, "items": [{"sku": "A1"}], "other": 1}
    lead = send(campaign, hook, payload).json
    assert lead["email"] == "a@example.org" and lead["custom_fields"] == {"sku": "A1", "city": "Ulm"}
    fields = [("data[customer][email]", "b@example.org"), ("items[0][sku]", "A1"), ("data[customer][city]", "Ulm"), ("other", "1")]
    type, body = multipart(fields)
    for options in ({"form": fields}, {"type": type, "body": body},
                    {"type": "text/plain", "body": json.dumps(payload).encode()},
                    {"type": "application/cloudevents+json", "body": json.dumps(payload).encode()}):
        lead = send(campaign, hook, **options).json
        assert lead["custom_fields"] == {"sku": "A1", "city": "Ulm"}, options


def test_map_as_an_object(campaign):
    """docs/api.md 4.1.7: in JSON a map is an object, as GET shows it; an empty text or array removes it"""
    maps = {"email": "data.email", "address[city]": "data.city", "plan": "[a.b]"}
    assert campaign.post({"name": "Shop", "map": maps}, path=PATH).status == 200
    assert listed(campaign)[0]["map"] == maps
    assert campaign.post({"name": "Shop", "map": listed(campaign)[0]["map"]}, path=PATH).status == 200
    assert listed(campaign)[0]["map"] == maps
    for bad in ({"email": {"a": "b"}}, {"email": ["a"]}, {"api_key": "a"}, {"Email": "a"}, "email=a", ["email"], True):
        assert campaign.post({"name": "Shop", "map": bad}, path=PATH).verdict == (406, "invalid_parameter"), bad
    for empty in ([], ""):
        assert campaign.post({"name": "Shop", "map": maps}, path=PATH).status == 200
        assert campaign.post({"name": "Shop", "map": empty}, path=PATH).status == 200 and listed(campaign)[0]["map"] == {}


def test_half_characters(campaign):
    """docs/inbound.md 3: a text that was cut within a character does not prevent a lead"""
    hook = add(campaign, maps={"email": "a.e", "title": "a.title"})
    for number, half in enumerate((b"\\ud83d", b"\xf0\x9f", b"\xff")):
        body = b'{"a":{"e":"%d@example.org","title":"x%s","%s":1}}' % (number, half, half)
        answer = send(campaign, hook, body=body, type="application/json")
        assert answer.status == 201 and answer.json["custom_fields"]["title"].startswith("x"), answer.body


@pytest.mark.parametrize("payload, error", [
    ({"first_name": "Ada"}, "missing_identifier"),
    ({"email": "no address"}, "invalid_email"),
    ({"phone_number": "abc"}, "invalid_phone_number"),
    ({"email": "no address", "phone_number": "abc"}, "invalid_email"),
    ([], "missing_identifier"),
    ({"email": ["a@example.org", "b@example.org"]}, "missing_identifier"),
    ({"social_id": "0000000000"}, "missing_identifier"),
])
def test_refused(campaign, leadhook, payload, error):
    """docs/inbound.md 2, 5: a payload that cannot become a lead is stored, and the answer is not an error"""
    hook = add(campaign)
    answer = send(campaign, hook, payload)
    assert answer.verdict == (202, error) and answer.json["message"] == "Payload stored, not mapped"
    shown = leadhook("inbound", "call", answer.json["id"])
    assert json.loads(shown["body"]) == payload and shown["state"] == "refused"
    assert shown["error"] == error and shown["message"] == answer.json["reason"]
    assert campaign.stats()["total"] == 0


@pytest.mark.parametrize("body, type, error", [
    (b"{", "application/json", "invalid_json"),
    (b'{"email":"\xff"}', "application/json", "invalid_email"),
    (b"[" * 17 + b"]" * 17, "application/json", "invalid_json"),
    (b'{"a":' * 100000, "application/json", "invalid_json"),
    (b'[' + b",".join([b"1"] * 30000) + b"]", "application/json", "invalid_json"),
    (b'{"email":"a@example.org"}\n{"email":"b@example.org"}', "application/json", "invalid_json"),
    (b"<lead/>", "application/xml", "unsupported_media_type"),
    (b" <lead><email>a@example.org</email></lead>", "application/x-www-form-urlencoded", "unsupported_media_type"),
    (b"", "application/json", "missing_identifier"),
    (b"email=%ff", "application/x-www-form-urlencoded", "invalid_email"),
], ids=range(10))
def test_hostile_bodies(campaign, leadhook, body, type, error):
    """docs/inbound.md 2, 5: an unreadable body is stored unchanged"""
    body = body[:250 * 1024]
    answer = send(campaign, add(campaign), body=body, type=type)
    assert answer.verdict == (202, error)
    shown = leadhook("inbound", "call", answer.json["id"])
    assert shown["size"] == len(body) and shown["content_type"] == type


def test_hostile_values(campaign):
    """docs/inbound.md 3: thousands of keys, repeated keys, huge numbers and control characters do not prevent a lead with an email
    address"""
    hook = add(campaign, maps={"plan": "plan"})
    many = "{" + ",".join(f'"k{number}":{number}' for number in range(10000)) + ',"email":"a@example.org","plan":"gold"}'
    assert send(campaign, hook, body=many.encode(), type="application/json").json["custom_fields"] == {"plan": "gold"}
    twice = b'{"email":"x","plan":"a","email":"b@example.org","plan":"b"}'
    assert send(campaign, hook, body=twice, type="application/json").json["custom_fields"] == {"plan": "b"}
    plain = add(campaign, name="Plain")
    odd = b'{"email":"c@example.org","big":1e400,"control":"\\u0000","' + b"n" * 100 + b'":1,"good":1e3,"api_key":"x","points":9}'
    lead = send(campaign, plain, body=odd, type="application/json").json
    assert lead["custom_fields"] == {"good": 1000, "control": ""} and lead["contest_score"] == 0
    bad = add(campaign, name="Bad", maps={"big": "big"})
    assert send(campaign, bad, body=odd, type="application/json").json["custom_fields"] == {"good": 1000, "control": ""}
    assert send(campaign, hook, body=b"x" * 300 * 1024, type="application/json").verdict == (413, "body_too_large")


def test_sender_is_not_the_lead(campaign):
    """docs/inbound.md 2: address, user agent and referrer of the call belong to the sender, and are not stored; the source is that of the
    webhook, otherwise its name"""
    headers = {"User-Agent": "Shop/1.0", "Referer": "https://shop.example/"}
    lead = send(campaign, add(campaign), {"email": "a@example.org"}, headers=headers, address="192.0.2.7").json
    assert lead["ip"] is None and lead["referrer"] is None
    lead = send(campaign, add(campaign, name="With ip", maps={"ip": "ip"}), {"email": "b@example.org", "ip": "192.0.2.8"}).json
    assert lead["ip"] == "192.0.2.8"
    named = add(campaign, name="Other", source="shop.12")
    send(campaign, named, {"email": "c@example.org"})
    sources = campaign.service.installation.sql(
        f"SELECT source, source_id FROM lh_leads WHERE campaign_id = {campaign.id} ORDER BY subscription_number")
    assert [line.split("\t")[0] for line in sources.split("\n")] == ["Shop", "With ip", "shop"] and sources.endswith("\t12")


def test_tag(campaign, leadhook):
    """docs/inbound.md 2: a lead is tagged once, whether or not it is new; if the tag no longer exists, the payload is refused and stored"""
    tag = campaign.define("tag", "Buyer", "--points", 5)
    assert campaign.post({"name": "Shop", "tag_id": 4294967295}, path=PATH).verdict == (404, "tag_not_found")
    hook = add(campaign, tag_id=tag)
    campaign.lead(email="old@example.org", plan="silver")
    lead = send(campaign, hook, {"email": "old@example.org", "plan": "gold"}).json
    assert lead["counter"] == 2 and lead["custom_fields"] == {"plan": "gold"} and lead["contest_score"] == 5
    assert [shown["tag_id"] for shown in lead["tags"]] == [tag]
    assert send(campaign, hook, {"email": "old@example.org"}).json["contest_score"] == 5
    assert send(campaign, hook, {"email": "new@example.org"}).json["contest_score"] == 5
    leadhook("tag", "remove", tag)
    answer = send(campaign, hook, {"email": "late@example.org"})
    assert answer.verdict == (202, "tag_not_found")
    leadhook("inbound", "set", hook["id"], "--tag", 0)
    assert leadhook("inbound", "replay", answer.json["id"])["state"] == "created"


def test_a_stranger_to_leads_that_exist(service, account, leadhook, tmp_path):
    """docs/inbound.md 2: visitors of a form service type the payloads. An email address that is sent with the number of a lead replaces
    nothing, and if leads are protected, a known address does not end an opt-out. Points come from the map, the tag from the webhook."""
    campaign = service.campaign(account, public_lookup="social_id", public_update="own")
    vip = leadhook("tag", "add", campaign.id, "vip")["id"]
    form = add(campaign, tag_id=vip, maps={"*": "*", "points": "points"})
    ada = {"email": "ada@example.org", "phone_number": "+491701234567"}
    campaign.lead(**ada, plan="gold")
    campaign.change("optout", email=ada["email"])
    other = send(campaign, form, {"email": "eve@example.net", "phone": ada["phone_number"]})
    assert (other.status, other.json["counter"], other.json["phone_number"]) == (201, 1, None)
    typed = {"email": "new@example.net", "phone": ada["phone_number"], "points": 1}
    (tmp_path / "payload").write_text(json.dumps(typed), encoding="utf-8")
    assert leadhook("inbound", "test", form["id"], tmp_path / "payload")["state"] == "created"
    again = send(campaign, form, {**ada, "plan": "lead", "__text": "START", "points": 5})
    assert again.status == 201
    lead = campaign.find(email=ada["email"])
    assert (lead["phone_number"], lead["opted_out"], lead["counter"]) == (ada["phone_number"], True, 2)
    assert (lead["custom_fields"], lead["contest_score"], [tag["name"] for tag in lead["tags"]]) == ({"plan": "gold"}, 5, ["vip"])


def test_an_open_campaign_takes_updates(campaign):
    """docs/inbound.md 2, docs/api.md 4.1.11: as with a form, a known address updates the lead and adds a missing number, but does not end
    an opt-out"""
    hook = add(campaign)
    campaign.lead(email="ada@example.org")
    campaign.change("optout", email="ada@example.org")
    shown = send(campaign, hook, {"email": "ada@example.org", "phone": "+491701234567", "plan": "gold"})
    assert (shown.status, shown.json["phone_number"], shown.json["opted_out"]) == (201, "+491701234567", True)
    assert shown.json["custom_fields"] == {"plan": "gold"} and shown.json["counter"] == 2


def test_ended_campaign(campaign, leadhook):
    """docs/inbound.md 2: the answer is 423, and the payload can be replayed once the campaign continues"""
    hook = add(campaign)
    campaign.end()
    answer = send(campaign, hook, {"email": "ada@example.org"})
    assert answer.verdict == (423, "campaign_ended") and campaign.stats()["total"] == 0
    again = send(campaign, hook, {"email": "ada@example.org"})
    assert again.json["id"] == answer.json["id"], "a body that comes again has one entry"
    assert leadhook("inbound", "call", answer.json["id"])["times"] == 2
    leadhook("campaign", "reopen", campaign.id)
    shown = leadhook("inbound", "replay", answer.json["id"])
    assert shown["state"] == "created" and shown["lead_id"] == campaign.find(email="ada@example.org")["id"]
    entry = leadhook("inbound", "call", answer.json["id"])
    assert (entry["state"], entry["replays"], entry["error"]) == ("created", 1, None)
    assert [call["id"] for call in leadhook("inbound", "lead", campaign.id, "--email", "ada@example.org")] == [entry["id"]]
    assert listed(campaign)[0]["stored"] == 0


def test_suspended_account(service, leadhook):
    """docs/inbound.md 2: nothing is stored"""
    campaign = service.campaign()
    hook = add(campaign)
    leadhook("account", "suspend", campaign.account.id)
    settled = settles(lambda: send(campaign, hook, {"email": "ada@example.org"}), 409)
    assert settled.verdict == (409, "account_suspended")
    assert leadhook("inbound", "show", hook["id"])["stored"] == 0


def test_rotation(campaign, leadhook):
    """docs/inbound.md 1: the old URL keeps working for a day, or ends at once"""
    hook = add(campaign)
    rotated = leadhook("inbound", "rotate", hook["id"])
    new = {"path": rotated["url"][rotated["url"].index("/inbound/"):]}
    assert send(campaign, hook, {"email": "a@example.org"}).status == send(campaign, new, {"email": "b@example.org"}).status == 201
    assert listed(campaign)[0]["previous_url_until"] is not None
    third = campaign.post({"name": "Shop", "rotate": True}, path=PATH).json
    third["path"] = third["url"][third["url"].index("/inbound/"):]
    assert send(campaign, hook, {"email": "a@example.org"}).status == 404, "only the last one overlaps"
    assert send(campaign, new, {"email": "a@example.org"}).status == send(campaign, third, {"email": "a@example.org"}).status == 201
    campaign.service.installation.sql(f"UPDATE lh_inbound_webhooks SET previous_until_ms = 1 WHERE id = {hook['id']}")
    assert send(campaign, new, {"email": "a@example.org"}).status == 404
    last = leadhook("inbound", "rotate", hook["id"], "--now")
    assert send(campaign, third, {"email": "a@example.org"}).status == 404
    assert send(campaign, {"path": last["url"][last["url"].index("/inbound/"):]}, {"email": "a@example.org"}).status == 201


def test_last_fifty(campaign, leadhook):
    """docs/inbound.md 5: the log keeps the last 50 calls that became leads, and all stored payloads; of a long body, it keeps the
    beginning"""
    hook = add(campaign)
    refused = send(campaign, hook, {"first_name": "Ada"}).json["id"]
    for number in range(55):
        assert send(campaign, hook, {"email": f"{number}@example.org", "long": "x" * 4000}).status == 201
    calls = leadhook("inbound", "log", hook["id"], "--limit", 1000)
    assert len(calls) == 51 and calls[-1]["id"] == refused and len({call["id"] for call in calls}) == 51
    assert [call["state"] for call in calls[:50]] == ["created"] * 50
    newest = campaign.find(email="54@example.org")["id"]
    assert calls[0]["lead_id"] == newest and len(leadhook("inbound", "log", hook["id"])) == 50
    assert len(leadhook("inbound", "log", hook["id"], "--state", "refused")) == 1
    assert listed(campaign)[0]["calls"] == 56
    long = json.dumps({"email": "long@example.org", "deep": {"x": "y" * 70000}}).encode()
    assert send(campaign, hook, body=long, type="application/json").status == 201
    newest = leadhook("inbound", "log", hook["id"])[0]
    shown = leadhook("inbound", "call", newest["id"])
    assert shown["size"] == len(long) and shown["body"] == long.decode()[:64 * 1024]


def test_a_lead_that_is_deleted_meanwhile(campaign, leadhook):
    """docs/inbound.md 5: if a lead was deleted before its call is logged, no body is stored"""
    hook, sql = add(campaign), campaign.service.installation.sql
    send(campaign, hook, {"email": "ada@example.org"})
    held, release = f"'held {hook['id']}'", f"'release {hook['id']}'"

    def is_taken(lock):
        return sql(f"SELECT IS_USED_LOCK({lock}) IS NOT NULL") == "1"
    with concurrent.futures.ThreadPoolExecutor(3) as pool:
        blocker = pool.submit(sql, f"SELECT GET_LOCK({release}, 0); DO SLEEP(60)")
        wait_until(lambda: is_taken(release), 10, "the blocker")
        holder = pool.submit(sql, f"START TRANSACTION; SELECT calls FROM lh_inbound_status WHERE inbound_id = {hook['id']} FOR UPDATE; "
                                  f"SELECT GET_LOCK({held}, 0); SELECT GET_LOCK({release}, 60)")
        wait_until(lambda: is_taken(held), 10, "the row is locked")
        answer = pool.submit(send, campaign, hook, {"email": "ada@example.org", "n": 1})
        wait_until(lambda: campaign.find(email="ada@example.org")["counter"] == 2, 10, "the lead is updated")
        campaign.change("delete", emails=["ada@example.org"])
        wait_until(lambda: campaign.service.dispatch() or leadhook("inbound", "log", hook["id"]) == [], 20, "the first call is removed")
        assert not answer.done()
        sql(f"KILL {sql(f'SELECT IS_USED_LOCK({release})')}")
        assert answer.result().status == 201
        assert holder.result() is not None and blocker.exception() is not None
    assert leadhook("inbound", "log", hook["id"]) == [] and listed(campaign)[0]["calls"] == 2


def test_deleted_leads(campaign):
    """docs/inbound.md 5: after the deletion of a lead, the calls that created or updated it are removed from the log; those of other leads
    stay"""
    hook = add(campaign)
    for email in ("ada@example.org", "bob@example.org"):
        for plan in ("gold", "silver"):
            assert send(campaign, hook, {"email": email, "plan": plan}).status == 201
    assert send(campaign, hook, {"first_name": "Ada"}).status == 202
    campaign.change("delete", email="ada@example.org")
    bodies = f"SELECT body FROM lh_inbound_calls WHERE inbound_id = {hook['id']}"
    wait_until(lambda: campaign.service.dispatch() or "ada@" not in campaign.service.installation.sql(bodies), 20, "no payload of the lead")
    left = campaign.service.installation.sql(bodies)
    assert left.count("bob@example.org") == 2 and left.count("Ada") == 1


def test_seven_days(campaign, leadhook):
    """docs/inbound.md 5: refused payloads are stored for seven days, calls that became leads for the retention; the dispatcher removes
    them"""
    sql, hook = campaign.service.installation.sql, add(campaign)
    refused, created = send(campaign, hook, {"first_name": "Ada"}).json["id"], send(campaign, hook, {"email": "ada@example.org"})
    assert created.status == 201
    lifetimes = sql(f"SELECT DISTINCT (expires_ms - received_ms) DIV 86400000 FROM lh_inbound_calls WHERE inbound_id = {hook['id']} ORDER BY 1")
    assert lifetimes.split() == ["7", "30"]
    other = send(campaign, hook, {"first_name": "Bob"}).json["id"]
    sql(f"UPDATE lh_inbound_calls SET expires_ms = expires_ms - 7 * 86400000 WHERE id = {refused}")
    campaign.service.dispatch(5)
    calls = leadhook("inbound", "log", hook["id"])
    assert {call["id"] for call in calls} >= {other} and refused not in {call["id"] for call in calls} and len(calls) == 2


def test_room(campaign, leadhook):
    """docs/inbound.md 5: when the store is full, further payloads are refused with 429, except those that become leads"""
    sql, hook = campaign.service.installation.sql, add(campaign)
    sql("INSERT INTO lh_inbound_calls (id, inbound_id, campaign_id, refused, state, size, body, received_ms, ended_ms, expires_ms) "
        f"SELECT 1000000 + seq, {hook['id']}, {campaign.id}, 1, 'refused', 100, 'x', 1, 1, 9999999999999 FROM seq_1_to_999")
    assert send(campaign, hook, {"first_name": "Ada"}).status == 202
    answer = send(campaign, hook, {"first_name": "Bob"})
    assert answer.verdict == (429, "too_many_payloads") and answer.headers["Retry-After"] == "3600"
    assert send(campaign, hook, {"first_name": "Ada"}).status == 202, "it has an entry"
    assert send(campaign, hook, {"email": "ada@example.org"}).status == 201
    assert leadhook("inbound", "show", hook["id"])["stored"] == 1000
    sql(f"DELETE FROM lh_inbound_calls WHERE inbound_id = {hook['id']} AND size = 100 AND id > 1000001")
    sql(f"UPDATE lh_inbound_calls SET size = 16 * 1048576 - 60 WHERE id = 1000001")
    assert send(campaign, hook, {"first_name": "Carol", "x": "y" * 100}).verdict == (429, "too_many_payloads")


def test_try(campaign, leadhook, tmp_path):
    """`leadhook inbound test` shows what would become of a payload, and changes nothing"""
    hook = add(campaign, maps={"email": "customer.email", "plan": "items[0][plan]", "odd": "odd"})
    file = tmp_path / "payload"

    def tried(payload, status=OK):
        file.write_text(payload if isinstance(payload, str) else json.dumps(payload), encoding="utf-8")
        done = call(campaign.service.installation, "inbound", "test", str(hook["id"]), str(file), "--json")
        assert done.returncode == status, done.stderr
        return json.loads(done.stdout)
    shown = tried({"customer": {"email": "ada@example.org"}, "items": [{"plan": "gold"}]})
    assert shown["state"] == "created" and shown["error"] is None and shown["lead_id"] is None
    assert [(field["parameter"], field["path"], field["value"], field["used"]) for field in shown["fields"]] == [
        ("email", "customer.email", "ada@example.org", True), ("plan", "items[0][plan]", "gold", True)]
    lead = campaign.lead(email="ada@example.org")
    shown = tried("customer[email]=ada@example.org")
    assert shown["state"] == "updated" and shown["lead_id"] == lead["id"]
    campaign.lead(phone_number="+4915123456789")
    shown = tried({"customer": {"email": "ada@example.org"}, "phone_number": "+4915123456789"})
    assert shown["state"] == "updated" and shown["lead_id"] == lead["id"]
    assert tried({"customer": {"email": "x"}}, DATA)["error"] == "invalid_email"
    assert tried({}, DATA)["error"] == "missing_identifier"
    file.write_text('{"customer": {"mail": "a@example.org"}, "odd": {"a": 1}}', encoding="utf-8")
    done = call(campaign.service.installation, "inbound", "test", str(hook["id"]), str(file))
    assert done.stderr.splitlines() == ["leadhook: the payload has no value at customer.email, the path of email",
                                        "leadhook: the payload has no value at items[0][plan], the path of plan"]
    campaign.end()
    assert tried({"customer": {"email": "ada@example.org"}}, DATA)["error"] == "campaign_ended"
    assert campaign.find(email="ada@example.org")["counter"] == 1 and listed(campaign)[0]["calls"] == 0
    assert "curl" in leadhook("inbound", "test", hook["id"])["example"]


def test_a_source_is_removed(campaign, leadhook):
    """docs/api.md 4.1.7, leadhook(1): an empty source removes the source, so that the webhook's name is used again"""
    hook = add(campaign, source="shop")

    def source_of(email):
        assert send(campaign, hook, {"email": email}).status == 201
        return campaign.service.installation.sql(
            f"SELECT source FROM lh_leads WHERE campaign_id = {campaign.id} ORDER BY subscription_number DESC LIMIT 1")
    assert source_of("a@example.org") == "shop"
    assert campaign.post({"name": "Shop", "source": ""}, path=PATH).status == 200
    assert listed(campaign)[0]["source"] is None and source_of("b@example.org") == "Shop"
    leadhook("inbound", "set", hook["id"], "--source", "web")
    assert source_of("c@example.org") == "web"
    assert leadhook("inbound", "set", hook["id"], "--source", "")["source"] is None and source_of("d@example.org") == "Shop"


def test_commands(campaign, leadhook):
    """`leadhook inbound` adds, changes, lists and removes webhooks"""
    made = leadhook("inbound", "add", campaign.id, "Shop", "--source", "shop", "--map", "email=data.email", "--map", "*=data")
    assert URL.fullmatch(made["url"])
    hook = {"path": made["url"][made["url"].index("/inbound/"):]}
    lead = send(campaign, hook, {"data": {"email": "a@example.org", "plan": "gold", "points": 3}}).json
    assert lead["custom_fields"] == {"plan": "gold"} and lead["contest_score"] == 0
    shown = leadhook("inbound", "set", made["id"], "--map", "points=data.points", "--map", "email=data.email")
    assert shown["map"] == {"points": "data.points", "email": "data.email"} and shown["source"] == "shop"
    assert send(campaign, hook, {"data": {"email": "a@example.org", "points": 3}}).json["contest_score"] == 3
    done = call(campaign.service.installation, "inbound", "add", str(campaign.id), "Shop", "--source", "shop", "--json")
    assert done.returncode == OK and json.loads(done.stdout) == {"id": made["id"], "url": None}
    assert "has an inbound webhook of this name: it is changed, and its URL stays" in done.stderr
    assert leadhook("inbound", "set", made["id"], "--map", "")["map"] == {}
    assert [shown["name"] for shown in leadhook("inbound", "list", campaign.id)] == ["Shop"]
    for words in (["--map", "email"], ["--map", "api_key=a"], ["--map", "email=a..b"], ["--map", "__x=a"], ["--tag", "7"]):
        assert call(campaign.service.installation, "inbound", "set", str(made["id"]), *words).returncode == DATA, words
    assert call(campaign.service.installation, "inbound", "show", "x").stderr == "leadhook: x is not a valid id of an inbound webhook\n"
    leadhook("inbound", "remove", made["id"])
    assert leadhook("inbound", "list", campaign.id) == [] and send(campaign, hook, {"email": "a@example.org"}).status == 404
    rows = campaign.service.installation.sql(f"SELECT COUNT(*) FROM lh_inbound_calls WHERE campaign_id = {campaign.id}")
    assert rows.strip() == "0"


def test_replay_by_a_new_map(campaign, leadhook):
    """docs/inbound.md 5: a replay uses the current map"""
    hook = add(campaign)
    stored = send(campaign, hook, {"person": {"mail": "ada@example.org"}}).json["id"]
    done = call(campaign.service.installation, "inbound", "replay", str(stored), "--json")
    assert done.returncode == DATA and json.loads(done.stdout)["error"] == "missing_identifier"
    assert leadhook("inbound", "call", stored)["replays"] == 1
    leadhook("inbound", "set", hook["id"], "--map", "email=person.mail")
    assert leadhook("inbound", "replay", stored)["state"] == "created"
    assert leadhook("inbound", "replay", stored)["state"] == "updated"
    assert campaign.find(email="ada@example.org")["counter"] == 2


@pytest.mark.parametrize("fields, error", [
    ({"rotate": 1}, "missing_name"), ({"name": "", "rotate": 1}, "missing_name"), ({"name": "x" * 201}, "invalid_parameter"), ({"name": "Shop", "map[api_key]": "a"}, "invalid_parameter"),
    ({"name": "Shop", "map[email]": ""}, "invalid_parameter"), ({"name": "Shop", "map[email]": "a[b"}, "invalid_parameter"),
    ({"name": "Shop", "map[email]": ".".join("a" * 17)}, "invalid_parameter"), ({"name": "Shop", "map": "x"}, "invalid_parameter"),
    ({"name": "Shop", **{f"map[f{number}]": "a" for number in range(51)}}, "invalid_parameter"),
])
def test_bad_webhooks(campaign, fields, error):
    """docs/api.md 4.1.7: a call with an invalid value makes no webhook"""
    answer = campaign.client.request("POST", campaign.path + PATH, form=fields, key=campaign.key)
    assert answer.json["error"] == error and listed(campaign) == []


def test_number(make_service):
    """docs/api.md 1.3: a campaign has a maximum number of inbound webhooks"""
    campaign = make_service(settings=[("limits", "inbound_per_campaign", "2"), ("limits", "inbound_per_url", "3/60s")]).campaign()
    hooks = [add(campaign, name=name) for name in ("A", "B")]
    assert campaign.post({"name": "C"}, path=PATH).verdict == (409, "too_many_webhooks")
    assert campaign.post({"name": "B"}, path=PATH).status == 200
    # 4: the limit of a URL
    for number in range(3):
        assert send(campaign, hooks[0], {"email": f"{number}@example.org"}).status == 201
    refused = send(campaign, hooks[0], {"email": "x@example.org"})
    assert refused.verdict == (429, "rate_limited") and refused.headers["RateLimit-Limit"] == "3"
    assert send(campaign, hooks[1], {"email": "x@example.org"}).status == 201


def test_unknown_urls(make_service):
    """docs/inbound.md 4: a sender that keeps calling a removed URL blocks neither other URLs nor keys from its address; nor do
    wrong keys block URLs"""
    campaign = make_service(settings=[("limits", "unknown_urls_per_address", "40/60s")]).campaign()
    address = "198.51.100.7"

    def unknown(times):
        return [campaign.client.request("POST", f"/inbound/{campaign.id}/in_{number:043}", json_body={}, address=address).verdict
                for number in range(times)]
    assert unknown(35) == [(404, "not_found")] * 35
    for _ in range(31):
        refused = campaign.get({"email": "a@example.org"}, key="lh_" + "x" * 43, address=address)
    assert refused.verdict == (429, "rate_limited")
    assert send(campaign, add(campaign), {"email": "a@example.org"}, address=address).status == 201, "a new URL"
    seen = add(campaign, name="Seen")
    assert send(campaign, seen, {"email": "b@example.org"}).status == 201
    assert unknown(10) == [(404, "not_found")] * 5 + [(429, "rate_limited")] * 5
    assert send(campaign, seen, {"email": "c@example.org"}, address=address).status == 201
    assert campaign.get({"email": "a@example.org"}, address=address).status == 200


def test_isolation(service):
    """docs/api.md 3: an inbound webhook of another campaign does not exist for this one"""
    account = service.account()
    ours, theirs = service.campaign(account), service.campaign(account)
    hook = add(theirs)
    for fields in ({"id": hook["id"]}, {"name": "Shop"}, {"url": hook["url"]}):
        assert ours.delete(fields, path=PATH).verdict == (404, "webhook_not_found")
    assert add(ours)["id"] != hook["id"] and len(listed(ours)) == len(listed(theirs)) == 1
    assert send(theirs, hook, {"email": "ada@example.org"}).json["campaign_id"] == theirs.id
    assert ours.delete({"id": hook["id"], "name": "Shop"}, path=PATH).status == 404


def test_at_once(campaign):
    """docs/inbound.md 2: simultaneous calls for one address make one lead, and each call is counted"""
    hook = add(campaign)
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda number: send(campaign, hook, {"email": "ada@example.org", "n": number}), range(40)))
    assert [answer.status for answer in answers] == [201] * 40 and len({answer.json["id"] for answer in answers}) == 1
    counts = listed(campaign)[0]
    assert (counts["calls"], counts["created"], counts["updated"]) == (40, 1, 39)
    assert campaign.find(email="ada@example.org")["counter"] == 40


def test_crashes(make_service, own_database):
    """docs/inbound.md 2, 5: a payload that was answered with 2xx is stored, even if responders, committer or database are killed"""
    service = make_service(database=own_database)
    campaign = service.campaign()
    hook, leads, stored = add(campaign), [], []
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        def one(number):
            """Every second payload has no email address."""
            payload = {"email": f"{number}@example.org"} if number % 2 else {"number": number}
            try:
                answer = send(campaign, hook, payload)
            except OSError:
                return
            if answer.status == 201:
                leads.append(payload["email"])
            elif answer.status == 202:
                stored.append((answer.json["id"], payload))
            else:
                assert answer.status >= 500, answer.body
        for round in range(4):
            sent = [pool.submit(one, 100 * round + number) for number in range(60)]
            if round == 1:
                for victim in children(service.responders.pid):
                    os.kill(victim, signal.SIGKILL)
            elif round == 2:
                own_database.child.kill()
                own_database.start()
            for future in sent:
                future.result()
            service.wait_ready(60)
    assert len(leads) > 60 and len(stored) > 60
    assert all(campaign.get({"email": email}).status == 200 for email in leads)
    bodies = dict(line.split("\t") for line in service.installation.sql(
        f"SELECT id, HEX(body) FROM lh_inbound_calls WHERE inbound_id = {hook['id']} AND refused").split("\n"))
    assert all(json.loads(bytes.fromhex(bodies[str(id)])) == payload for id, payload in stored)
    service.check()
