# SPDX-License-Identifier: MIT
"""docs/api.md 3, style 8: no request and no failure puts keys, secrets, email addresses or phone numbers into a log. Web servers
log only paths, which contain none of these in the API, and no queries.

All other modules are checked as well: services check their logs when they stop (conftest.py)."""
import pytest
from log_hygiene import leaks
from stack.receiver import Answer

EMAIL, NUMBER, SECRET = "grace.hopper@example.org", "+4930901820", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
UNKNOWN_KEY = "lh_" + "Zx" * 21 + "9"


@pytest.fixture(scope="module")
def database(own_database):
    return own_database


@pytest.fixture(scope="module")
def service(make_service):
    return make_service(settings=[("log", "level", "debug")])


def log_of(service):
    return service.responders.log.read_text()


def test_requests(service, campaign):
    """keys and addresses that are malformed, wrong, too large, or in unexpected places"""
    for key in (UNKNOWN_KEY, campaign.key, UNKNOWN_KEY[:-1], EMAIL, SECRET):
        for place in ({"query": {"api_key": key}}, {"json_body": {"api_key": key}}, {"form": {"api_key": key}}, {"key": key},
                      {"headers": {"Authentication": f"Token {key}"}}, {"query": {"api_key[]": key}}):
            campaign.client.request("POST", campaign.path, **place)
        for body in ('{"api_key":"%s","email":"%s"' % (key, EMAIL), '{"%s":' % key, key, '["%s"]' % key, '{"email":{"x":"%s"}}' % key):
            campaign.client.request("POST", campaign.path, body=body.encode(), type="application/json")
    for name in ("email", "phone_number", "country_code", "social_id", "kid", "points", "ip", "redirect_url", "__url", "__ref", "uid",
                 "__source", "must_exist", "tag", "custom", EMAIL):
        for value in (EMAIL, NUMBER, SECRET, EMAIL * 300, [EMAIL, NUMBER], {"x": EMAIL}, f"http://{EMAIL}/{NUMBER}"):
            campaign.post({"email": EMAIL, name: value})
    campaign.post({"email": "a@example.org", "phone_number": NUMBER})
    assert campaign.post({"email": EMAIL, "phone_number": NUMBER}).status in (200, 422)
    campaign.client.request("POST", campaign.path, body=b"x" * 300000 + EMAIL.encode(), type="application/json")
    assert " debug " in log_of(service)


def test_webhooks_and_their_receivers(service, campaign, receiver):
    """URLs of receivers contain passwords and addresses of people; the secrets of webhooks are our own"""
    for url in (f"https://user:{SECRET}@example.org/", f"ftp://{EMAIL}/", f"http://127.0.0.1:1/{EMAIL}?key={SECRET}",
                receiver.url(f"/hook?to={EMAIL}&key={campaign.key}")):
        for fields in ({"event": "new_signup"}, {"event": EMAIL}, {"event": "new_signup", "source": SECRET}):
            campaign.post({"url": url, **fields}, path="/outbound-webhook")
    campaign.webhook("new_signup", below="/echo")
    receiver.script(campaign.hook + "/echo", Answer(500, body=f"{EMAIL} {SECRET} {campaign.key}".encode(),
                                                    headers={"X-Echo": EMAIL}))
    campaign.lead(email=EMAIL, phone_number=NUMBER)
    service.dispatch()
    assert "status=500" in service.dispatcher.log.read_text()


def test_errors_of_the_database(service, campaign, database):
    """the server quotes values in its errors; the log has the error without the value"""
    table = f"{service.installation.name}.lh_leads"
    database.sql(f"ALTER TABLE {table} MODIFY uid INT")
    try:
        assert campaign.post({"email": "b@example.org", "__uid": EMAIL}).status == 500
        assert campaign.post({"email": "c@example.org", "__uid": NUMBER + "'" + EMAIL}).status == 500
    finally:
        database.sql(f"ALTER TABLE {table} MODIFY uid TEXT")
    assert "'...' for column" in log_of(service)


def test_logs_contain_none_of_it(service):
    assert service.logs.leaks() == []


@pytest.mark.parametrize("leak", [UNKNOWN_KEY, f"secret={SECRET}", f'"{EMAIL}"', "/v2/1?email=ada%40example.org", NUMBER,
                                  "phone=4930901820", "number=%2B4930901820"])
def test_leaks_are_detected(tmp_path, leak):
    log = tmp_path / "some.log"
    log.write_text(f"2026-11-22T12:00:00Z info program[1] fine\n{leak} more\n2026-11-22T12:00:00Z +0000 root@localhost whsec_\n")
    assert [line.split(": ")[0] for line in leaks(log, numbers=["+49 30 901820"])] == ["some.log:2"]
