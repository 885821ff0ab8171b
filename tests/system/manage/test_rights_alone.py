# SPDX-License-Identifier: MIT
"""docs/manage.md 2: each right alone × each call, with arguments that are valid: what its answer shows of a lead with known values, and
whether it changes that lead. test_rights.py has which calls a right allows; test_rights_of_keys.py has sign-ups."""
import re

import pytest
from caller import Caller
from rights import RIGHTS, World, all_operations
from stack.receiver import Answer

LEAD = {"email": "markedperson@example.net", "phone_number": "+14155552671", "first_name": "Markedname", "plan": "markedfield",
        "__uid": "markeduid", "ip": "192.0.2.99", "__user_agent": "markedagent", "__referrer": "https://marked.example/page",
        "redirect_url": "/markedredirect", "utm_content": "markedutm"}
MARKS = {"whsec_", "marked", "Marked", "4155552671", "192.0.2.99", "owner@agency.example"}
INBOUND = {"name": "Own", "map": {"email": "e", "points": "p"}}
# Arguments with which a call does something; other calls have none. LEAD is the social id.
BODIES = {
    "key add": {"rights": ["stats"]}, "user add": {"email": "new@example.org", "role": "viewer"}, "user set": {"name": "Own"},
    "campaign add": {"name": "Own"}, "campaign set": {"points_signup": 1}, "campaign redeliver": {"state": "delivered"},
    "page set": {"title": "Own"}, "page preview": {"view": "status"}, "tag add": {"name": "Own"}, "tag set": {"name": "Other"},
    "action add": {"text": "Own"}, "action set": {"text": "Other", "public": True, "points": 99}, "reward add": {"subject": "Own", "required_points": 0},
    "reward set": {"subject": "Other"}, "lead set": {"plan": "mine"}, "lead points": {"points": 5, "leads": ["LEAD"]},
    "lead change": {"change": "optout", "leads": ["LEAD"]}, "lead import": {"records": "email,phone_number\nmarkedperson@example.net,+14155552679\n"},
    "lead erase": {"email": "markedperson@example.net"}, "lead report": {"email": "markedperson@example.net"},
    "webhook add": {"url": "https://own.example/", "events": ["new_signup"]}, "webhook set": {"url": "https://own.example/"},
    "inbound add": INBOUND, "inbound set": {"map": {"email": "e", "points": "p"}}, "inbound test": {"payload": '{"email":"markedperson@example.net"}'},
    "mail set": {"subject": "Own"}, "mail draft": {"subject": "Own"}, "mail resend": {"mails": ["{mail}"]},
    "delivery redeliver": {"deliveries": ["{delivery}"]},
}
SPARED = {"key revoke", "user remove", "user disable", "user reset", "user logout"}  # these would end the callers of this test
# Further arguments of GET that would show one person.
SINGLES = [("delivery list", "?lead=LEAD"), ("delivery count", "?lead=LEAD"), ("mail preview", "?email=markedperson@example.net"),
           ("mail preview", "?social_id=LEAD"), ("delivery list", "?limit=250"), ("campaign sources", "?limit=250"), ("lead jobs", "?limit=250")]


@pytest.fixture(scope="module")
def world(service):
    """A campaign with one lead, whose delivery, payload, job and booking have known values; strangers see and change nothing."""
    made = World(service)
    here, sql = made.inside, service.installation.sql
    path = f"campaigns/{here['campaign']}"
    service.receiver.script(f"/hook/{here['campaign']}", Answer(body=b"markedanswer"))
    answer = service.client.request("POST", f"/v2/{here['campaign']}", json_body=LEAD, key=made.account.key)
    assert answer.status == 200, answer.body
    here["social_id"], made.token = answer.json["social_id"], answer.json["unsubscribe_url"]["default"].rsplit("/", 1)[1]
    here["delivery"] = service.installation.admin("delivery", "list", "--lead", here["social_id"])[0]["id"]
    sql(f"UPDATE lh_campaigns SET public_lookup = 3, public_update = 2 WHERE id = {here['campaign']}")
    sql(f"UPDATE lh_inbound_calls SET body = '{{\"email\":\"markedload\"}}' WHERE id = {here['call']}")
    service.dispatch()  # deliveries and the test of the webhook
    owner = made.owner.ready()
    here["redelivery"] = owner("POST", f"{path}/redeliver", {"lead": here["social_id"]}).json["id"]
    assert owner("POST", f"{path}/points", {"points": 1, "leads": [here["social_id"]], "message": "markedmessage"}).status == 200
    return made


def called(service, world, operation, key, query, place):
    """Returns the answer to a call on the objects of the campaign."""
    objects = {**world.inside, **place}
    fill = lambda text: re.sub(r"\{(\w+)\}|LEAD", lambda found: str(objects[found[1] or "social_id"]), text)  # noqa: E731
    values = {name: [fill(item) if isinstance(item, str) else item for item in value] if isinstance(value, list) else value
              for name, value in BODIES.get(operation.words, {}).items()}
    if operation.words == "user add":
        values["email"] = f"{key[3:9].lower()}@example.org"
    sends = operation.method in ("POST", "PATCH")
    return Caller(service, key)(operation.method, fill(operation.path) + fill(query), values if sends else None)


def stored(service, world):
    """Returns all that is stored about the lead."""
    sql, table = service.installation.sql, "lh_leads"
    names = sql("SELECT GROUP_CONCAT(CONCAT('COALESCE(HEX(', column_name, '), 0)')) FROM information_schema.columns "
                f"WHERE table_schema = DATABASE() AND table_name = '{table}'")
    return sql(f"SELECT CONCAT_WS(' ', {names}) FROM {table} WHERE social_id = '{world.inside['social_id']}'")


# The marks that a right may show in the calls below a path.
ALLOWED = {("account", ""): {"owner@agency.example"}, ("hooks", "jobs/"): {"owner@agency.example", "marked"}}


def test_no_right_reads_or_changes_leads_but_its_own(service, world):
    """docs/manage.md 2: without `leads`, no answer has a value of a lead or a secret of a webhook; without `account`, none has the address
    of a user, except of one who did what the caller may do, too; without `change`, no lead is changed, not even by what a call set up"""
    operations = [operation for operation in all_operations(service.installation)[0] if not operation.operators]
    singles = [(operation, query) for operation in operations for words, query in SINGLES if words == operation.words]
    last = ["lead change", "lead erase"]
    calls = sorted([*((operation, "") for operation in operations), *singles], key=lambda call: call[0].words in last)
    marks, wrong, before, tried = MARKS | {world.inside["social_id"], world.token}, [], stored(service, world), 0
    for right in sorted(set(RIGHTS) - {"leads"}, key=lambda right: right == "change"):
        key = service.installation.admin("key", "add", str(world.account.id), "--rights", right)["key"]
        for operation, query in calls:
            if not operation.allows([right]) or operation.words in SPARED:
                continue
            for place in ({}, {"job": world.inside["redelivery"]})[:2 if operation.words == "job show" else 1]:
                answer = called(service, world, operation, key, query, place)
                own = {"marked"} if operation.words == "lead import" else set()  # sent in the request
                seen = {mark for mark in marks - own if mark in answer.body.decode()}
                for (holder, path), allowed in ALLOWED.items():
                    seen -= allowed if holder == right and operation.path.startswith(path) else set()
                tried += 1
                if seen or answer.status >= 500:
                    wrong.append((right, operation.words, query, answer.status, seen))
        service.dispatch()
        if right != "change" and stored(service, world) != before:
            wrong.append((right, "changed the lead"))
    assert not wrong, "\n".join(map(str, wrong))
    assert tried > 100 and stored(service, world) == ""  # `change` has erased it
