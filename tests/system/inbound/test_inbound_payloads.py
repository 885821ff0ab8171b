# SPDX-License-Identifier: MIT
"""docs/inbound.md 2, 3: payloads as real systems send them: lists, JSON in texts, other content types, gzip, queries, challenges."""
import gzip
import json
import zlib

import pytest
from inbound import add, listed, send
from caller import User
from command import DATA, OK, call


@pytest.fixture(scope="module")
def operator(service):
    return User(service, "root@example.org", "--role", "operator").ready()


def people(campaign):
    """Return the addresses of the leads, in the order of their sign-up."""
    rows = campaign.service.installation.sql(
        f"SELECT email FROM lh_leads WHERE campaign_id = {campaign.id} ORDER BY subscription_number").split()
    return [row.split("@")[0] for row in rows]


def log(leadhook, hook, *options):
    return leadhook("inbound", "log", hook["id"], "--limit", 1000, *options)


MAUTIC = {"mautic.lead_post_save_new": [
    {"lead": {"fields": {"core": {"email": {"value": f"{name}@example.org"}, "firstname": {"value": name.title()}}}}}
    for name in ("nora", "olaf", "ines")]}
MAUTIC_MAP = {"email": "[mautic.lead_post_save_new].[].lead.fields.core.email.value",
              "first_name": "[mautic.lead_post_save_new].[].lead.fields.core.firstname.value"}


def test_a_list(campaign, leadhook):
    """docs/inbound.md 3.1: each entry becomes a lead, and has its own line in the log of calls"""
    hook = add(campaign, maps=MAUTIC_MAP)
    answer = send(campaign, hook, MAUTIC)
    assert answer.status == 201 and answer.json["message"] == "3 of 3 entries are leads", answer.body
    assert [entry["state"] for entry in answer.json["entries"]] == ["created"] * 3
    assert people(campaign) == ["nora", "olaf", "ines"] and campaign.find(email="olaf@example.org")["first_name"] == "Olaf"
    bodies = [json.loads(leadhook("inbound", "call", one["id"])["body"]) for one in log(leadhook, hook)]
    assert sorted(len(body["mautic.lead_post_save_new"]) for body in bodies) == [1, 1, 1]
    again = send(campaign, hook, MAUTIC)
    assert [entry["state"] for entry in again.json["entries"]] == ["updated"] * 3 and campaign.stats()["total"] == 3
    assert (listed(campaign)[0]["calls"], listed(campaign)[0]["created"]) == (6, 3)


@pytest.mark.parametrize("body, type", [
    (json.dumps([{"email": "a@example.org"}, {"email": "b@example.org"}]), "application/json"),
    ('{"email":"a@example.org"}\n\n{"email":"b@example.org"}\r\n', "application/x-ndjson"),
    (' [{"data":{"email":"a@example.org"}},\n{"data":{"email":"b@example.org"}}]', "text/plain"),
    ('{"email":"a@example.org"}\n{"email":"b@example.org"}', "application/jsonl"),
])
def test_a_payload_that_is_a_list(campaign, body, type):
    """docs/inbound.md 3.1: if the payload itself is a list, or lines of JSON, it needs no map"""
    answer = send(campaign, add(campaign), body=body.encode(), type=type)
    assert answer.status == 201 and people(campaign) == ["a", "b"], answer.body


def test_a_list_in_a_form(campaign):
    """docs/inbound.md 3.1: numbered names in a form are also read as a list"""
    hook = add(campaign, maps={"email": "people.[].mail", "plan": "plan"})
    answer = send(campaign, hook, form=[("people[0][mail]", "a@example.org"), ("plan", "gold"), ("people[1][mail]", "b@example.org")])
    assert answer.status == 201 and people(campaign) == ["a", "b"]
    assert campaign.find(email="b@example.org")["custom_fields"] == {"plan": "gold"}


def test_a_list_with_a_bad_entry(campaign, leadhook):
    """docs/inbound.md 3.1: the good entries become leads. Only the bad entry is stored, with its reason, and can be replayed. The sender
    need not repeat any entry."""
    hook = add(campaign, maps={"email": "people.[].mail", "shop": "shop"})
    people_sent = [{"mail": "a@example.org"}, {"mail": "no address"}, {"email": "c@example.org"}, {"mail": "d@example.org"}]
    payload = {"shop": "Ulm", "people": people_sent}
    answer = send(campaign, hook, payload)
    assert answer.status == 201 and answer.json["message"] == "2 of 4 entries are leads"
    states = [(entry["state"], entry.get("error")) for entry in answer.json["entries"]]
    assert states == [("created", None), ("refused", "invalid_email"), ("refused", "missing_identifier"), ("created", None)]
    third = answer.json["entries"][2]["id"]
    assert json.loads(leadhook("inbound", "call", third)["body"]) == {"shop": "Ulm", "people": [{"email": "c@example.org"}]}
    assert "no value at people.[].mail" in leadhook("inbound", "call", third)["message"]
    leadhook("inbound", "set", hook["id"], "--map", "email=people.[].email", "--map", "shop=shop")
    assert leadhook("inbound", "replay", third)["state"] == "created"
    assert campaign.find(email="c@example.org")["custom_fields"] == {"shop": "Ulm"} and people(campaign) == ["a", "d", "c"]


def test_a_list_of_bad_entries(campaign):
    """docs/inbound.md 3.1: the answer is 202, as for a payload that cannot become a lead"""
    answer = send(campaign, add(campaign), [{"first_name": "A"}, {"first_name": "B"}])
    assert answer.status == 202 and answer.json["message"] == "0 of 2 entries are leads"


def test_a_long_list(campaign, leadhook):
    """docs/inbound.md 3.1: the entries beyond the maximum of a call are stored together, and are replayed together"""
    hook = add(campaign, maps={"email": "people.[].mail"})
    payload = {"people": [{"mail": f"p{number}@example.org"} for number in range(130)]}
    answer = send(campaign, hook, payload)
    assert answer.status == 201 and answer.json["message"] == "100 of 130 entries are leads"
    rest = answer.json["entries"][-1]
    assert (len(answer.json["entries"]), rest["state"], rest["error"]) == (101, "refused", "too_many_items")
    assert "101 to 130" in rest["reason"] and campaign.stats()["total"] == 100
    shown = leadhook("inbound", "replay", rest["id"])
    assert len(shown["entries"]) == 30 and {entry["state"] for entry in shown["entries"]} == {"created"}
    assert campaign.stats()["total"] == 130 and listed(campaign)[0]["stored"] == 0
    assert json.loads(leadhook("inbound", "call", rest["id"])["body"]) == {"people": [{"mail": "p100@example.org"}]}


def test_a_long_list_with_much_in_common(campaign, leadhook, operator):
    """docs/inbound.md 3.1: a replay or a test of a payload processes entries until their memory is used up; the rest is stored again, so
    that nothing is lost"""
    hook = add(campaign, maps={"email": "people.[].mail"})
    count = 1200
    payload = {"shop": "x" * 200_000, "people": [{"mail": f"p{number}@example.org"} for number in range(count)]}
    tried = operator("POST", f"inbound/{hook['id']}/test", {"payload": json.dumps(payload)})
    assert tried.status == 200 and 100 < len(tried.json["entries"]) < count // 2, tried.body[:500]
    assert tried.json["entries"][-1]["error"] == "too_many_items"
    rest = send(campaign, hook, payload).json["entries"][-1]["id"]
    for _ in range(10):
        done = call(campaign.service.installation, "inbound", "replay", str(rest), "--json")
        stored = log(leadhook, hook, "--state", "refused")
        if not stored:
            break
        [rest] = [one["id"] for one in stored]
    assert done.returncode == OK and campaign.stats()["total"] == count


def test_a_list_with_a_long_answer(campaign, leadhook):
    """docs/inbound.md 3.1: the answer has room for the reasons of all entries, which are cut; the log has them in full"""
    names = [f"a_long_name_of_a_field_that_no_lead_needs_{number:02}" for number in range(45)]
    hook = add(campaign, maps={"email": "[].mail", **{name: f"[].f{number}" for number, name in enumerate(names)}})
    rest = "".join(f',"f{number}":1e400' for number in range(len(names)))
    answer = send(campaign, hook, body=("[" + ",".join('{"mail":"x%d"%s}' % (number, rest) for number in range(80)) + "]").encode(), type="application/json")
    assert answer.status == 202 and answer.json["message"] == "0 of 80 entries are leads"
    assert [len(one["reason"]) <= 200 for one in answer.json["entries"]] == [True] * 80
    stored = log(leadhook, hook)
    assert len(stored) == 80 and len(leadhook("inbound", "call", stored[0]["id"])["message"]) > 1000


def test_one_of_a_list(campaign, leadhook):
    """docs/inbound.md 3.1: a map with an index reads one entry, and the log says how to read all; a replay with such a map reads them
    all"""
    hook = add(campaign, maps={"email": "people.0.mail"})
    assert send(campaign, hook, {"people": [{"mail": "a@example.org"}, {"mail": "b@example.org"}, {"mail": "x"}]}).status == 201
    stored = log(leadhook, hook)[0]["id"]
    assert "takes one of 3 entries, a path with [] in place of the number all" in leadhook("inbound", "call", stored)["message"]
    leadhook("inbound", "set", hook["id"], "--map", "email=people.[].mail")
    done = call(campaign.service.installation, "inbound", "replay", str(stored), "--json")
    assert done.returncode == DATA and [entry["state"] for entry in json.loads(done.stdout)["entries"]] == ["updated", "created", "refused"]
    assert people(campaign) == ["a", "b"]
    bodies = {one["state"]: json.loads(leadhook("inbound", "call", one["id"])["body"])["people"] for one in log(leadhook, hook)}
    assert bodies == {"updated": [{"mail": "a@example.org"}], "created": [{"mail": "b@example.org"}], "refused": [{"mail": "x"}]}


def test_two_lists_of_a_map(campaign):
    """docs/inbound.md 3: all paths with [] iterate over the same list"""
    answer = campaign.client.request("POST", campaign.path + "/inbound-webhook", key=campaign.key,
                                     form={"name": "Shop", "map[email]": "a.[].mail", "map[plan]": "b.[].plan"})
    assert answer.verdict == (406, "invalid_parameter") and "another list" in answer.json["message"]


@pytest.mark.parametrize("maps, options", [
    ({}, {"form": {"data": '{"email":"a@example.org"}'}}),
    ({"email": "data.email"}, {"form": {"data": '{"email":"a@example.org"}'}}),
    ({"email": "rawRequest.q3_email"}, {"form": {"formID": "2", "rawRequest": '{"q3_email":"a@example.org"}'}}),
    ({"email": "Message.mail.0"}, {"json_body": {"Type": "Notification", "Message": '{"mail":["a@example.org"]}'}}),
    ({}, {"body": b'{"email":"a@example.org"}', "type": "text/json"}),
    ({}, {"body": b'\xef\xbb\xbf {"email":"a@example.org"}', "type": "application/x-www-form-urlencoded"}),
    ({}, {"body": b'{"email":"a@example.org"}', "type": "application/octet-stream"}),
    ({}, {"body": b'[{"email":"a@example.org"}]', "type": "application/json; charset=latin1"}),
    ({}, {"body": b'{"email":"a@example.org"}'}),
    ({}, {"body": gzip.compress(b'{"email":"a@example.org"}'), "type": "application/json", "headers": {"Content-Encoding": "gzip"}}),
    ({}, {"body": gzip.compress(b"email=a%40example.org"), "type": "application/x-www-form-urlencoded",
          "headers": {"Content-Encoding": "X-Gzip"}}),
    ({}, {"body": b'{"email":"a@example.org"}', "type": "application/json", "headers": {"Content-Encoding": "identity"}}),
], ids=range(12))
def test_bodies(campaign, maps, options):
    """docs/inbound.md 2, 3: JSON is also read inside a text, with any content type, and compressed with gzip"""
    answer = send(campaign, add(campaign, maps=maps), **options)
    assert answer.status == 201 and answer.json["email"] == "a@example.org", answer.body


def test_encodings(campaign, leadhook):
    """docs/inbound.md 2: bodies in other encodings give 415, and are stored; an incomplete body gives 202; a body that would be too large
    gives 413"""
    hook = add(campaign)
    for encoding in ("br", "deflate", "zstd", "gzip, gzip"):
        answer = send(campaign, hook, body=zlib.compress(b'{"email":"a@example.org"}'), type="application/json",
                      headers={"Content-Encoding": encoding})
        assert answer.verdict == (415, "unsupported_media_type") and encoding in answer.json["message"]
        assert answer.headers["Accept-Encoding"] == "gzip"
        assert leadhook("inbound", "call", answer.json["id"])["state"] == "refused"
    whole = gzip.compress(b'{"email":"a@example.org"}')
    for broken in (whole[:-1], whole[:20], whole + b"x", b"\x1f\x8b\x08" + bytes(20)):
        answer = send(campaign, hook, body=broken, type="application/json", headers={"Content-Encoding": "gzip"})
        assert answer.verdict == (202, "invalid_parameter"), answer.body
        assert leadhook("inbound", "call", answer.json["id"])["size"] == len(broken)
    bomb = gzip.compress(b'{"email":"a@example.org","x":"' + bytes(50 * 1024 * 1024) + b'"}')
    assert send(campaign, hook, body=bomb, type="application/json", headers={"Content-Encoding": "gzip"}).verdict == (413, "body_too_large")
    stored = send(campaign, hook, body=gzip.compress(b'{"mail":"a@example.org"}'), type="application/json",
                  headers={"Content-Encoding": "gzip"})
    assert leadhook("inbound", "call", stored.json["id"])["body"] == '{"mail":"a@example.org"}'
    leadhook("inbound", "set", hook["id"], "--map", "email=mail")
    assert leadhook("inbound", "replay", stored.json["id"])["state"] == "created" and people(campaign) == ["a"]


def test_queries(campaign, leadhook):
    """docs/inbound.md 2: a query that names a person is a payload; a query without a person is only logged, for the author of the map"""
    hook = add(campaign, maps={"email": "mail", "plan": "plan", "__source": '"shop"'})
    ready = {"message": "Inbound Webhook is ready"}
    for query in ({}, {"utm_source": "x"}, {"plan": "gold"}, {"mail": ""}, "mail"):
        for method in ("GET", "HEAD"):
            answer = campaign.client.request(method, hook["path"], query=query)
            assert answer.status == 200 and (method == "HEAD" or answer.json == ready), query
    assert campaign.client.request("HEAD", hook["path"], query={"mail": "h@example.org"}).status == 200
    assert campaign.stats()["total"] == 0
    calls = log(leadhook, hook)
    assert {one["error"] for one in calls} == {"missing_identifier"} and len(calls) == 4
    for method, name in (("GET", "g"), ("POST", "p")):
        answer = campaign.client.request(method, hook["path"], query={"mail": f"{name}@example.org", "plan": "gold"})
        assert answer.status == 201 and answer.json["custom_fields"] == {"plan": "gold"}, answer.body
    assert people(campaign) == ["g", "p"]
    assert campaign.client.request("GET", hook["path"], query="mail=%ff").verdict == (202, "invalid_email")
    bad = campaign.client.request("GET", hook["path"], query={"mail": "no address"})
    assert bad.verdict == (202, "invalid_email") and leadhook("inbound", "call", bad.json["id"])["body"] == "mail=no+address"


@pytest.mark.parametrize("method, query, body", [
    ("GET", {"hub.mode": "subscribe", "hub.challenge": "12345", "hub.verify_token": "x"}, None),
    ("GET", {"challenge": "dBx-12_345"}, None),
    ("GET", {"validationToken": "Validation: Testing client application reachability"}, None),
    ("POST", {"validationToken": "Validation: Testing client application reachability"}, None),
    ("POST", None, {"token": "t", "challenge": "3eZbrw1aBm2rZgRNFdxV2595E9CY3gmdALWMmHkvFXO7tYXAYM8P", "type": "url_verification"}),
])
def test_challenges(campaign, leadhook, method, query, body):
    """docs/inbound.md 2: the text that a sender expects is sent back as plain text"""
    hook = add(campaign)
    answer = campaign.client.request(method, hook["path"], query=query, json_body=body)
    expected = (body or {}).get("challenge") or list(query.values())[1 if "hub.mode" in (query or {}) else 0]
    assert (answer.status, answer.body.decode()) == (200, expected)
    assert answer.headers["Content-Type"].startswith("text/plain") and answer.headers["X-Content-Type-Options"] == "nosniff"
    assert log(leadhook, hook) == []


@pytest.mark.parametrize("text", ["<script>alert(1)</script>", "a\"b", "x" * 1025, "a\nb", "ä", "a&b", "a;b"])
def test_unsafe_challenges(campaign, text):
    """docs/inbound.md 2: texts that a browser could interpret as a page, and long texts, are not sent back"""
    hook = add(campaign)
    if "\n" not in text:
        answer = campaign.client.request("GET", hook["path"], query={"challenge": text})
        assert answer.status == 200 and answer.json == {"message": "Inbound Webhook is ready"}
    answer = campaign.client.request("POST", hook["path"], json_body={"type": "url_verification", "challenge": text})
    assert answer.verdict == (202, "missing_identifier")


@pytest.mark.parametrize("payload, email, left_out", [
    ({"email": "a@example.org", "phone_number": "abc"}, "a@example.org", "phone_number"),
    ({"email": "a@example.org", "phone_number": "0171 1234567"}, "a@example.org", "phone_number"),
    ({"email": "a@example.org", "phone_number": ["+491711234567", "+491711234568"]}, "a@example.org", "phone_number"),
    ({"email": "no address", "phone_number": "+491711234567"}, None, "email"),
    ({"email": "a@example.org", "country_code": "Germany!", "phone_number": "+491711234567"}, "a@example.org", "country_code"),
    ({"email": "a@example.org", "redirect_url": "javascript:alert(1)"}, "a@example.org", "redirect_url"),
    ({"email": "a@example.org", "__uid": ["x", "y"]}, "a@example.org", "__uid"),
    ({"email": "a@example.org", "plan": "x" * 5000}, "a@example.org", "plan"),
], ids=range(8))
def test_needless_fields(campaign, leadhook, payload, email, left_out):
    """docs/inbound.md 3: an invalid field that is not needed does not prevent a lead, and the log says that it was left out"""
    hook = add(campaign, maps={name: name for name in payload})
    answer = send(campaign, hook, payload)
    assert answer.status == 201 and answer.json["email"] == email, answer.body
    shown = leadhook("inbound", "call", log(leadhook, hook)[0]["id"])
    assert (shown["state"], shown["error"]) == ("created", None) and f"{left_out} is left out" in shown["message"]
    assert json.loads(shown["body"]) == payload


@pytest.mark.parametrize("maps", [{}, {"*": "*"}, {"first": "f7", "*": "*"}])
@pytest.mark.parametrize("extra", [{f"f{number}": number for number in range(70)},
                                   {f"f{number}": "x" * 3000 for number in range(10)}], ids=range(2))
def test_too_many_fields(campaign, leadhook, extra, maps):
    """docs/inbound.md 3: custom fields beyond their limits are left out, and named in the log"""
    hook = add(campaign, maps=maps)
    answer = send(campaign, hook, {"email": "a@example.org", **extra})
    assert answer.status == 201, answer.body
    stored = answer.json["custom_fields"]
    assert 4 <= len(stored) < len(extra) and stored.get("first", extra["f7"]) == extra["f7"]
    message = leadhook("inbound", "call", log(leadhook, hook)[0]["id"])["message"]
    left_out = set(extra) - set(stored)
    start = "no room for the custom fields "
    assert message.startswith(start) and set(message.removeprefix(start).split(", ")) == left_out


@pytest.mark.parametrize("payload, error", [
    ({"email": "a@example.org", "points": "many"}, "invalid_parameter"),
    ({"email": "a@example.org", "must_exist": "perhaps"}, "invalid_parameter"),
    ({"email": "", "phone_number": "abc"}, "invalid_phone_number"),
])
def test_needed_fields(campaign, payload, error):
    """docs/inbound.md 3: fields that decide what a lead gets, or whether it is made, are never left out"""
    assert send(campaign, add(campaign, maps={name: name for name in payload}), payload).verdict == (202, error)
    assert campaign.stats()["total"] == 0


def test_opt_outs(campaign):
    """docs/inbound.md 2: a call does not end an opt-out, unless its map says so; a form that the person sends ends it"""
    def out():
        return campaign.find(email="nora@example.org")["opted_out"]
    campaign.lead(email="nora@example.org")
    campaign.change("optout", email="nora@example.org")
    order = {"order": {"customer": {"email": "nora@example.org"}, "news": "no"}, "__do_not_reset_opt_out": "", "__reset_opt_out": "yes"}
    shop = add(campaign, maps={"email": "order.customer.email", "*": "*"})
    answer = send(campaign, shop, order)
    assert answer.status == 201 and out()
    box = add(campaign, name="Box", maps={"email": "order.customer.email", "__reset_opt_out": "order.news"})
    for value, stays in (("no", True), ("", True), (None, True), (["a", "b"], True), ("yes", False)):
        order["order"]["news"] = value
        assert send(campaign, box, order).status == 201 and out() == stays, value
    campaign.change("optout", email="nora@example.org")
    always = add(campaign, name="Form", maps={"email": "email", "__reset_opt_out": '"yes"'})
    assert send(campaign, always, {"email": "nora@example.org"}).status == 201 and not out()


def sns(kind):
    return {"Type": "Notification", "Message": json.dumps({"notificationType": "Bounce", "bounce": {
        "bounceType": kind, "bouncedRecipients": [{"emailAddress": "nora@example.org"}]}})}


@pytest.mark.parametrize("maps, end, other, made", [
    ({"email": "[].email", "__opt_out": "[].event"}, [{"email": "nora@example.org", "event": "spamreport"}],
     [{"email": "nora@example.org", "event": "delivered"}], False),
    ({"email": "Message.bounce.bouncedRecipients.0.emailAddress", "__opt_out": "Message.bounce.bounceType"},
     sns("Permanent"), sns("Transient"), False),
    ({"email": "data.email", "__opt_out": "type"}, {"type": "unsubscribe", "data": {"email": "nora@example.org"}},
     {"type": "subscribe", "data": {"email": "nora@example.org"}}, True),
    ({"email": "Recipient", "__opt_out": "SuppressSending"}, {"Recipient": "nora@example.org", "SuppressSending": True},
     {"Recipient": "nora@example.org", "SuppressSending": False}, True),
    ({"email": "email", "__opt_out": "events"}, {"email": "nora@example.org", "events": ["subscribed", "email.unsubscribed"]},
     {"email": "nora@example.org", "events": ["opened", "subscribed"]}, True),
    ({"email": "email", "__opt_out": "event"}, {"email": "nora@example.org", "event": "subscriber.subscriber_unsubscribe"},
     {"email": "nora@example.org"}, False),
    ({"email": "email", "__opt_out": "event"}, {"email": "nora@example.org", "event": "Unsubscribed from List"},
     {"email": "nora@example.org", "event": None}, False),
    ({"email": "email", "__opt_out": "event"}, {"email": "nora@example.org", "event": 1}, {"email": "nora@example.org", "event": ""}, False),
], ids=("list", "text", "form", "boolean", "values", "missing", "null", "empty"))
def test_ends_of_mail(campaign, maps, end, other, made):
    """docs/inbound.md 3.3: a mail service's report that a person has left is an opt-out, never a sign-up; other reports change nothing"""
    hook = add(campaign, maps=maps)
    assert send(campaign, hook, end).verdict == (202, "lead_not_found") and campaign.stats()["total"] == 0
    answer = send(campaign, hook, other)
    assert campaign.stats()["total"] == made
    if not made:
        assert answer.verdict == (202, "invalid_parameter") and "__opt_out" in answer.json["reason"]
        campaign.lead(email="nora@example.org")
        assert send(campaign, hook, other).status == 202
    assert not campaign.find(email="nora@example.org")["opted_out"] and campaign.find(email="nora@example.org")["counter"] == 1
    for _ in range(2):
        answer = send(campaign, hook, end)
        assert answer.status == 201 and answer.json == {"message": "Lead updated"}, answer.body
        assert campaign.find(email="nora@example.org")["opted_out"]
    assert campaign.stats()["total"] == 1


def test_end_of_mail_always(campaign):
    """docs/inbound.md 3.3: a constant makes each call of a webhook an opt-out"""
    hook = add(campaign, maps={"email": "mail", "__opt_out": '"yes"'})
    campaign.lead(email="nora@example.org")
    assert send(campaign, hook, {"mail": "nora@example.org"}).status == 201 and campaign.find(email="nora@example.org")["opted_out"]
    assert send(campaign, hook, {"mail": "rosa@example.org"}).verdict == (202, "lead_not_found") and campaign.stats()["total"] == 1


def test_room_for_lists(campaign):
    """docs/inbound.md 5: if there is no room to store an entry of a list, the others are processed nevertheless, and the answer is 429"""
    sql, hook = campaign.service.installation.sql, add(campaign, maps={"email": "[].email", "__opt_out": "[].event"})
    sql("INSERT INTO lh_inbound_calls (id, inbound_id, campaign_id, refused, state, size, body, received_ms, ended_ms, expires_ms) "
        f"SELECT 2000000 + seq, {hook['id']}, {campaign.id}, 1, 'refused', 100, 'x', 1, 1, 9999999999999 FROM seq_1_to_1000")
    campaign.lead(email="ada@example.org")
    for last in ([], [{"email": "bob@example.org", "event": "opened"}]):
        answer = send(campaign, hook, [{"email": "bob@example.org", "event": "delivered"},
                                       {"email": "ada@example.org", "event": "unsubscribe"}, *last])
        assert answer.verdict == (429, "too_many_payloads") and answer.headers["Retry-After"] == "3600"
        assert campaign.find(email="ada@example.org")["opted_out"] and campaign.stats()["total"] == 1


def test_texts_stay_stopped(campaign):
    """docs/inbound.md 2: a call with a phone number whose owner has texted STOP does not end that opt-out"""
    hook = add(campaign, maps={"phone_number": "phone", "__reset_opt_out": '"yes"'})
    lead = campaign.lead(phone_number="+491711234567")
    campaign.change("sms_optout", phone_numbers=["+491711234567"])
    assert send(campaign, hook, {"phone": "+491711234567"}).json["id"] == lead["id"]
    assert campaign.find(phone_number="+491711234567")["sms_opted_out"]


# Payloads of these systems, with our own values; their maps; and whether they contain a phone number.
SAMPLES = {
    "Typeform": ({"event_type": "form_response", "form_response": {"token": "t", "answers": [
        {"type": "text", "text": "Nora Berg", "field": {"id": "a1", "type": "short_text", "ref": "name"}},
        {"type": "email", "email": "nora@example.org", "field": {"id": "a2", "type": "email", "ref": "01GX-mail"}},
        {"type": "phone_number", "phone_number": "+491711234567", "field": {"id": "a3", "type": "phone_number", "ref": "phone"}}]}},
        {"email": "form_response.answers.[field.ref=01GX-mail].email", "name": "form_response.answers.[type=text].text",
         "phone_number": "form_response.answers.[field.ref=phone].phone_number"}),
    "Tally": ({"eventType": "FORM_RESPONSE", "data": {"fields": [
        {"key": "question_1", "label": "Your name", "type": "INPUT_TEXT", "value": "Nora Berg"},
        {"key": "question_2", "label": "E-mail (work)", "type": "INPUT_EMAIL", "value": "nora@example.org"},
        {"key": "question_3", "label": "Phone", "type": "INPUT_PHONE_NUMBER", "value": "+491711234567"}]}},
        {"email": 'data.fields.[label="E-mail (work)"].value', "name": 'data.fields.[label="Your name"].value',
         "phone_number": "data.fields.[type=INPUT_PHONE_NUMBER].value"}),
    "Gravity Forms": ({"id": "7", "form_id": "1", "1.3": "Nora", "1.6": "Berg", "2": "nora@example.org", "3": "+49 171 1234567",
                       "ip": "192.0.2.1"},
                      {"email": "2", "first_name": "1.3", "last_name": "1.6", "phone_number": "3", "name": "1.3"}),
    "JotForm": ([("formID", "21"), ("pretty", "Name:Nora Berg, Email:nora@example.org"), ("rawRequest", json.dumps(
        {"q3_name": {"first": "Nora", "last": "Berg"}, "q4_email": "nora@example.org", "q5_phone": {"full": "+49 171 1234567"}}))],
        {"email": "rawRequest.q4_email", "name": "rawRequest.q3_name.first", "phone_number": "rawRequest.q5_phone.full"}),
    "Google Forms": ({"values": ["2026-01-02", "Nora Berg"], "namedValues": {
        "Your name": ["Nora Berg"], "E-mail address": ["nora@example.org"], "Phone (optional)": ["+491711234567"]}},
        {"email": "namedValues.E-mail address", "name": "namedValues[Your name]", "phone_number": "namedValues.Phone (optional)"}),
    "Elementor": ([("form[id]", "a1"), ("form[name]", "New"), ("fields[name][id]", "name"), ("fields[name][value]", "Nora Berg"),
                   ("fields[email][value]", "nora@example.org"), ("fields[field_3][value]", "+491711234567")],
                  {"email": "fields[email][value]", "name": "fields[name][value]", "phone_number": "fields.field_3.value"}),
    "Contact Form 7": ({"your-name": "Nora Berg", "your-email": "nora@example.org", "your-phone": "+491711234567", "_wpcf7": "5"},
                       {"email": "your-email", "name": "your-name", "phone_number": "your-phone"}),
    "Meta": ({"id": "44", "created_time": "2026-01-02T10:00:00+0000", "field_data": [
        {"name": "full_name", "values": ["Nora Berg"]}, {"name": "email", "values": ["nora@example.org"]},
        {"name": "phone_number", "values": ["+491711234567"]}]},
        {"email": "field_data.[name=email].values.0", "name": "field_data.[name=full_name].values",
         "phone_number": "field_data.[name=phone_number].values"}),
    "Mautic": ({"mautic.form_on_submit": [
        {"submission": {"results": {"email": "nora@example.org", "f_name": "Nora Berg", "phone": "+491711234567"}}}]},
               {"email": "mautic.form_on_submit.[].submission.results.email", "name": "mautic.form_on_submit.[].submission.results.f_name",
                "phone_number": "mautic.form_on_submit.[].submission.results.phone"}),
    "Shopify": ({"id": 5, "email": "nora@example.org", "phone": None, "customer": {"first_name": "Nora", "phone": "+491711234567"},
                 "line_items": [{"sku": "A"}, {"sku": "B"}]},
                {"email": "email", "name": "customer.first_name", "phone_number": "customer.phone", "sku": "line_items.0.sku"}),
    "WooCommerce": ({"id": 9, "billing": {"first_name": "Nora", "email": "nora@example.org", "phone": "0171 1234567", "country": "DE"}},
                    {"email": "billing.email", "name": "billing.first_name", "phone_number": "billing.phone",
                     "country_code": "billing.country"}),
    "Stripe": ({"type": "checkout.session.completed", "data": {"object": {"customer_details": {
        "email": "nora@example.org", "name": "Nora Berg", "phone": "+491711234567"}}}},
        {"email": "data.object.customer_details.email", "name": "data.object.customer_details.name",
         "phone_number": "data.object.customer_details.phone"}),
}


@pytest.mark.parametrize("system", SAMPLES)
def test_samples(campaign, system):
    """docs/inbound.md 3: a map extracts email address, name and phone number from what these systems send"""
    payload, maps = SAMPLES[system]
    hook = add(campaign, maps=maps)
    answer = send(campaign, hook, **({"form": payload} if isinstance(payload, list) else {"json_body": payload}))
    assert answer.status == 201, answer.body
    assert (answer.json["email"], answer.json["phone_number"]) == ("nora@example.org", "+491711234567")
    assert answer.json["custom_fields"]["name"].startswith("Nora") and answer.json["first_name"] == "Nora"


def test_a_selection_without_a_match(campaign, leadhook):
    """docs/inbound.md 3: the log says which path has no value, even for a call that became a lead"""
    payload, maps = SAMPLES["Tally"]
    hook = add(campaign, maps={**maps, "plan": "data.fields.[key=question_9].value"})
    assert send(campaign, hook, payload).status == 201
    shown = leadhook("inbound", "call", log(leadhook, hook)[0]["id"])
    assert shown["message"] == "no value at data.fields.[key=question_9].value"


def test_a_form_with_a_file(campaign):
    """docs/inbound.md 2: a file, or text in another encoding, does not prevent a lead"""
    part = b'--B\r\nContent-Disposition: form-data; name="%s"%s\r\n\r\n%s\r\n'
    body = part % (b"email", b"", b"nora@example.org") + part % (b"city", b"", b"K\xf6ln") + \
        part % (b"letter", b'; filename="letter.pdf"\r\nContent-Type: application/pdf', b"%PDF\0\xff\x80") + b"--B--\r\n"
    answer = send(campaign, add(campaign), body=body, type="multipart/form-data; boundary=B")
    assert answer.status == 201, answer.body
    assert answer.json["email"] == "nora@example.org" and set(answer.json["custom_fields"]) == {"city"}


def test_constants(campaign):
    """docs/inbound.md 3: a quoted text has the same value for every payload; it cannot identify a person"""
    hook = add(campaign, maps={"email": "email", "phone_number": "phone", "country_code": '"DE"', "channel": '"shop 1"'})
    answer = send(campaign, hook, {"email": "a@example.org", "phone": "0171 1234567"})
    assert answer.json["phone_number"] == "+491711234567" and answer.json["custom_fields"] == {"channel": "shop 1"}
    for target in ("email", "phone_number", "__text", "*"):
        refused = campaign.client.request("POST", campaign.path + "/inbound-webhook", key=campaign.key,
                                          form={"name": "Bad", f"map[{target}]": '"x"'})
        assert refused.verdict == (406, "invalid_parameter") and "same in every payload" in refused.json["message"]
