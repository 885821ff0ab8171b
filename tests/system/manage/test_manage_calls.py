# SPDX-License-Identifier: MIT
"""docs/manage.md 1: each call below /manage/v1 succeeds for an operator. The client compares the answers with docs/openapi.yaml; this
file tests what no other test shows."""
import functools
import itertools
import types

import pytest
from caller import OWN_PAGE, User, code_of
from stack.process import wait_until


MAKES = [("POST", what) for what in ("accounts", "keys", "users", "campaigns", "tags", "actions", "rewards", "webhooks", "inbound")]


@pytest.fixture(scope="module")
def service(make_service, mail_server):
    return make_service(settings=[*mail_server.settings(), ("server", "secrets_key", "5ea1" * 16)])


@pytest.fixture(scope="module")
def operator(service):
    return User(service, "root@example.org", "--role", "operator").ready()


@pytest.fixture(scope="module")
def calls(operator):
    """get, post, patch and delete: each must succeed. A call that makes something makes nothing when it is repeated
    (docs/manage.md 1.5)."""
    numbers = itertools.count()

    def send(method, path, **body):
        headers = {**OWN_PAGE, "Idempotency-Key": str(next(numbers))}
        answer, *repeated = [operator(method, path, body if method in ("POST", "PATCH") else None, headers=headers)
                             for _ in range(2 if (method, path.split("/")[-1]) in MAKES else 1)]
        assert answer.status == (201 if repeated else 200), (method, path, answer.body)
        assert all((one.status, one.json) == (200, {"id": answer.json["id"], "repeated": True}) for one in repeated)
        return answer.json
    return types.SimpleNamespace(**{method.lower(): functools.partial(send, method) for method in ("GET", "POST", "PATCH", "DELETE")})


@pytest.fixture(scope="module")
def place(service, calls):
    """The path of a campaign with two leads, of which one has a phone number."""
    account = service.account("Agency")
    made = calls.post(f"accounts/{account.id}/campaigns", name="Launch", mails="welcome")["id"]
    for number, fields in enumerate(({"phone_number": "+14155552671"}, {})):
        answer = service.client.request("POST", f"/v2/{made}", json_body={"email": f"{number}@example.org", **fields}, key=account.key)
        assert answer.status == 200
    return f"campaigns/{made}"


def test_accounts_and_keys(calls):
    made = calls.post("accounts", name="New")["id"]
    assert calls.get("status")["accounts"] >= 1
    assert calls.get("installation")["version"] == calls.get("status")["version"]
    for path, body in ((f"accounts/{made}/suspend", {}), (f"accounts/{made}/resume", {}), (f"accounts/{made}/limit", {"per_minute": 5})):
        assert calls.post(path, **body) == {"id": made}
    [found] = [account for account in calls.get("accounts") if account["id"] == made]
    assert (found["suspended_at"], found["per_minute"]) == (None, 5)
    key = calls.post(f"accounts/{made}/keys", rights=["stats"])["id"]
    assert [one["rights"] for one in calls.get(f"accounts/{made}/keys")] == [["stats"]]
    assert calls.delete(f"keys/{key}") == {"id": key}
    assert calls.delete(f"accounts/{made}?yes=true")["done"] is False


def test_users(calls):
    made = calls.post("users", email="viewer@example.org", role="viewer", account=calls.post("accounts", name="Other")["id"])["id"]
    assert calls.get(f"users/{made}") in calls.get("users")
    assert calls.patch(f"users/{made}", name="Viewer")["name"] == "Viewer"
    for word in ("reset", "disable", "enable", "logout"):
        assert calls.post(f"users/{made}/{word}")["id"] == made
    assert calls.get(f"users/{made}/sessions") == []
    assert calls.get("audit?limit=1")[0]["operation"] == "user logout"
    assert calls.delete(f"users/{made}") == {"id": made}


def test_definitions(calls, place):
    for kind, name, change in (("tags", {"name": "VIP"}, {"points": 1}), ("actions", {"text": "Follow"}, {"points": 1}),
                               ("rewards", {"subject": "Mug", "required_points": 5}, {"required_points": 6})):
        made = calls.post(f"{place}/{kind}", **name)["id"]
        assert calls.patch(f"{kind}/{made}", **change) == {"id": made}
        [shown] = calls.get(f"{place}/{kind}")
        assert shown["id"] == made and shown.items() >= change.items()
        assert calls.delete(f"{kind}/{made}") == {"id": made}


def test_the_campaign(calls, place):
    assert calls.patch(place, waitlist=True) == calls.get(place)
    assert [calls.post(f"{place}/{word}")["state"] for word in ("end", "reopen")] == ["ended", "active"]
    assert calls.get("campaigns") and calls.get(f"{place}/embed")["script"]
    assert calls.get("overview")[0]["today"] == calls.get(f"{place}/stats?by=hour")["totals"]["signups"] == 2
    assert calls.get(f"{place}/sources?kind=site&limit=250") == []
    assert calls.patch(f"{place}/page", title="Be the first") == calls.get(f"{place}/page")
    assert "Be the last" in calls.post(f"{place}/page/preview", view="signup", title="Be the last")["html"]


def test_leads(calls, place):
    [named] = calls.get(f"{place}/leads?email=0@example.org")
    path = f"{place}/leads/{named['social_id']}"
    assert calls.patch(path, plan="pro") == {"id": named["id"]}
    assert calls.get(path)["custom_fields"] == {"plan": "pro"}
    assert calls.post(f"{place}/points", points=5, leads=[named["social_id"]]) == {"queued": 0}
    assert {entry["kind"] for entry in calls.get(f"{path}/timeline")} >= {"signup", "points"}
    job = calls.post(f"{place}/bulk", change="block", leads=["0@example.org"])
    assert job["leads"] == 1 and [one["id"] for one in calls.get(f"{place}/bulk")] == [job["job"]]
    assert len(calls.post(f"{path}/code")["code"]) == 6
    report = calls.post(f"{place}/report", email="0@example.org")
    assert report[0]["section"] == "lead" and report[0]["data"]["email"] == "0@example.org"
    assert calls.post(f"{place}/report", email="0@example.org", after="0.14.0.0") == []
    assert calls.post(f"{place}/erase", email="0@example.org")["leads"] == 1


def test_webhooks_and_deliveries(service, operator, calls, place):
    made = calls.post(f"{place}/webhooks", url=service.receiver.url("/hook"), events=["repeat_signup"])["id"]
    assert [hook["referenceId"] for hook in calls.get(f"{place}/webhooks")] == [made]
    assert calls.patch(f"webhooks/{made}", rate=5) == calls.get(f"webhooks/{made}")
    assert [calls.post(f"webhooks/{made}/{word}")["state"] for word in ("disable", "enable")] == ["disabled", "active"]
    service.receiver.secrets.append(calls.post(f"webhooks/{made}/rotate")["secret"])
    campaign = place.rpartition("/")[2]
    assert service.client.request("POST", f"/v2/{campaign}", json_body={"email": "1@example.org"}).status == 200
    service.dispatch()
    assert calls.get(f"webhooks/{made}/stats")["totals"]["delivered"] == 1
    [delivery] = calls.get(f"{place}/deliveries")
    assert calls.get(f"deliveries/{delivery['id']}").items() >= delivery.items()
    assert calls.post("deliveries/redeliver", deliveries=[delivery["id"]]) == {"queued": 1}
    for wrong in (delivery["id"], {"id": delivery["id"]}):
        assert operator("POST", "deliveries/redeliver", {"deliveries": wrong}).status == 422, "not an array"
    service.installation.sql(f"UPDATE lh_due SET attempts = 1000 WHERE id = {delivery['id']}")
    again = operator("POST", "deliveries/redeliver", {"deliveries": [delivery["id"]]}, headers=OWN_PAGE)
    assert again.status == 409 and "has 1000 attempts or more" in str(again.json), again.body
    assert calls.delete(f"webhooks/{made}") == {"id": made}


def test_inbound_webhooks(service, calls, place):
    made = calls.post(f"{place}/inbound", name="Shop", map={"email": "email"})
    url = made["url"][made["url"].index("/inbound/"):]
    path = f"inbound/{made['id']}"
    for email in ("1@example.org", "none"):
        assert service.client.request("POST", url, json_body={"email": email}).status in (201, 202)
    assert calls.post(f"{path}/test", payload='{"email":"none"}')["error"] == "invalid_email" and calls.post(f"{path}/test")["example"]
    [refused, updated] = calls.get(f"{path}/calls")
    [lead] = calls.get(f"{place}/leads?email=1@example.org")
    assert calls.get(f"{place}/leads/{lead['social_id']}/calls") == [updated]
    assert calls.get(f"calls/{refused['id']}").items() >= refused.items()
    assert calls.post(f"calls/{refused['id']}/replay")["error"] == "invalid_email"
    assert calls.patch(path, source="shop") == calls.get(path)
    assert calls.post(f"{path}/rotate")["url"] != made["url"]
    assert [hook["id"] for hook in calls.get(f"{place}/inbound")] == [made["id"]]
    assert calls.delete(path) == {"id": made["id"]}


def test_mails(service, calls, place, mail_server):
    service.dispatcher.start()
    wait_until(lambda: mail_server.to("1@example.org"), 20, "the mail")
    mail = wait_until(lambda: [one for one in calls.get(f"{place}/mails") if one["state"] == "sent"], 20, "a mail that is sent")[0]
    assert calls.get(f"mails/{mail['id']}?content=true").items() >= mail.items()
    assert calls.post("mails/resend", mails=[mail["id"]]) == {"queued": 1}
    template = f"{place}/mail-templates/welcome"
    assert calls.patch(template, subject="Hello") == calls.get(template)
    assert calls.get(f"{template}/preview?content=true")["subject"] == "Hello"
    assert calls.post(f"{template}/preview", subject="Hi")["subject"] == "Hi"
    assert [one["kind"] for one in calls.get(f"{place}/mail-templates")] == ["welcome"]


def test_the_second_factor(calls):
    """docs/users.md 5"""
    made = calls.post("session/factor")
    code = code_of(made["secret"])
    assert len(calls.post("session/factor/enable", code=f"\u200b{code[:3]}\u00a0{code[3:]} ")["recovery_codes"]) == 10
    assert len(calls.post("session/factor/codes")["recovery_codes"]) == 10
    assert calls.delete("session/factor") == {"done": True}
    operations = [row["operation"] for row in calls.get("audit?limit=3")]
    assert operations == ["session factor remove", "session factor codes", "session factor enable"]


def test_wrong_codes_of_a_new_factor(service):
    """docs/users.md 5: the caller needs the password, and wrong codes count as logins from the address"""
    user = User(service, "factor@example.org", "--role", "operator").ready()
    address = "203.0.113.99"
    assert user("POST", "session/factor/codes").status == 409
    secret = user("POST", "session/factor").json["secret"]

    def enable(code):
        answer = user("POST", "session/factor/enable", {"code": code}, address=address)
        return answer.status, answer.json["error"]
    assert enable("000000") == (422, "invalid_value")
    assert [enable("000000") for _ in range(20)][-1] == (429, "rate_limited")
    service.installation.sql(f"UPDATE lh_sessions SET confirmed_ms = confirmed_ms - 700000 WHERE user_id = {user.id}")
    answer = user("POST", "session/factor/enable", {"code": code_of(secret)})
    assert (answer.status, answer.json["error"]) == (403, "confirmation_needed")


def test_removal(calls, place):
    """Runs last, because it removes the campaign of the other tests"""
    assert calls.delete(f"{place}?yes=true")["done"] is False
