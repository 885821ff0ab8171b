# SPDX-License-Identifier: MIT
"""docs/api.md 1.2, 2, 4.1.6, 5, 7 in Chromium and Firefox: pages of another origin can sign up, and read answers and errors."""
import pytest
from embedding import JSONP, SETTINGS, XHR
from service import settles
from stack.front import FRONTS
from stack.process import wait_until

ADA = {"email": "ada@example.org"}
OTHER_FRONTS = ["apache-proxy-fcgi", "nginx"]


@pytest.fixture(scope="module")
def service(make_service):
    return make_service(settings=SETTINGS)


@pytest.fixture
def run(browser, service):
    """Run a script in a page; `API` is the address of the service."""
    return lambda script, **page: browser.run(script, api=service.front.url, **page)


def check_clients(run, campaign):
    """Check JSONP, fetch and XMLHttpRequest, each with a success and an error."""
    found = run(JSONP + XHR + """
        const at = API + "/v2/%(id)d";
        const headers = { "Content-Type": "application/json", "X-Requested-With": "XMLHttpRequest" };
        const fetched = await fetch(at, { method: "POST", headers, body: '{"email":"ada@example.org","first_name":"Ada"}' });
        const refused = await fetch(at, { method: "POST", headers, body: '{"email":"ada"}' });
        return {
            script: await jsonp(API + "/v1/%(id)d/subscribe?email=grace@example.org", "subscribed"),
            fetched: [fetched.status, await fetched.json()],
            refused: [refused.status, await refused.json()],
            sent: await post(at, { email: "joan@example.org" }),
            unsent: await post(at, { email: "" }),
        };
    """ % {"id": campaign.id})
    assert found["script"]["event"] == "load"
    leads = {"grace@example.org": found["script"]["seen"][0], "ada@example.org": found["fetched"][1],
             "joan@example.org": found["sent"]["answer"]}
    for email, lead in leads.items():
        assert campaign.find(email=email)["social_id"] == lead["social_id"]
    assert len(found["script"]["seen"]) == 1 and found["fetched"][0] == found["sent"]["status"] == 200
    assert found["fetched"][1]["first_name"] == "Ada" and found["sent"]["id"]
    assert found["refused"] == [406, {"message": "Email is not valid", "error": "invalid_email"}]
    assert (found["unsent"]["status"], found["unsent"]["answer"]["error"]) == (406, "missing_identifier")
    assert campaign.stats()["total"] == 3


def test_clients(run, campaign):
    """docs/api.md 4.1, 4.1.6, 7: script tags, fetch and XMLHttpRequest on pages of another origin"""
    check_clients(run, campaign)


@pytest.mark.parametrize("front", OTHER_FRONTS)
def test_clients_with_other_web_servers(browser, make_service, front):
    """docs/operating.md 5: the same clients, with the program below a path"""
    service = make_service(front=FRONTS[front], mount="/lead/", settings=SETTINGS, workers=2)
    try:
        check_clients(lambda script: browser.run(script, api=service.front.url), service.campaign())
    finally:
        service.stop()


def test_a_failed_script(run, campaign):
    """docs/api.md 4.1.6: an error fires `error` on the script element, and the callback is not called"""
    campaign.end()
    found = run(JSONP + """
        return [await jsonp(API + "/v1/%(id)d/info?email=unknown@example.org", "found"),
                await jsonp(API + "/v1/%(id)d/subscribe?email=ada", "invalid"),
                await jsonp(API + "/v1/%(id)d/subscribe?email=ada@example.org", "ended")];
    """ % {"id": campaign.id})
    assert found == 3 * [{"event": "error", "seen": []}]


def test_any_headers(run, campaign):
    """docs/api.md 7: the preflight allows the headers that the client of the page adds"""
    found = run("""
        const answer = await fetch(API + "/v2/%d?email=ada@example.org", {
            method: "POST", headers: { "X-Client-Version": "1.2", "X-CSRF-Token": "x", "sentry-trace": "y" },
        });
        return answer.status;
    """ % campaign.id)
    assert found == 200


def test_a_key_in_a_header(run, campaign):
    """docs/api.md 3, 7: Authorization needs a preflight; the answer has the full view"""
    found = run("""
        const answer = await fetch(API + "/v2/%d", {
            method: "POST", body: '{"email":"ada@example.org","plan":"pro"}',
            headers: { "Authorization": "Bearer %s", "Content-Type": "application/json" },
        });
        return answer.json();
    """ % (campaign.id, campaign.key))
    assert found["email"] == "ada@example.org" and found["custom_fields"] == {"plan": "pro"}


def test_forms(run, campaign):
    """docs/api.md 1.2: FormData is sent as multipart, URLSearchParams as a form; neither needs a preflight"""
    found = run("""
        const form = new FormData(document.querySelector("form"));
        const statuses = [];
        for (const body of [form, new URLSearchParams([["email", "grace@example.org"], ["plan", "a+b & c"]])]) {
            const answer = await fetch(API + "/v1/%d/subscribe", { method: "POST", body });
            statuses.push(answer.status);
        }
        return statuses;
    """ % campaign.id, body='<form><input name="email" value="ada@example.org"><input name="plan" value="Größe &amp; 1"></form>')
    assert found == [200, 200]
    assert campaign.find(**ADA)["custom_fields"] == {"plan": "Größe & 1"}
    assert campaign.find(email="grace@example.org")["custom_fields"] == {"plan": "a+b & c"}


@pytest.mark.parametrize("path, extra", [("/v1/{id}/subscribe", ""), ("/subscribe", '<input type="hidden" name="__lid" value="{id}">')])
def test_a_form_without_script(run, campaign, path, extra):
    """docs/api.md 4.1.6: the browser itself sends the form of a page"""
    run("""
        const frame = document.querySelector("iframe");
        const loaded = new Promise(done => { frame.onload = done; });
        document.querySelector("button").click();
        await loaded;
    """, body=f'<form method="post" target="answer" action="{campaign.service.front.url}{path.format(id=campaign.id)}">'
              f'{extra.format(id=campaign.id)}<input name="email" value="ada@example.org"><button>Sign up</button></form>'
              '<iframe name="answer" srcdoc=""></iframe>')
    wait_until(lambda: campaign.get(ADA).status == 200, 20, "the lead")
    assert campaign.find(**ADA)["counter"] == 1


def test_beacons(run, campaign):
    """docs/api.md 1.2: sendBeacon sends text/plain, and does not read the answer"""
    assert run("""
        return navigator.sendBeacon(API + "/v2/%d", JSON.stringify({ email: "ada@example.org", plan: "beacon" }));
    """ % campaign.id) is True
    settles(lambda: campaign.get(ADA), 200)
    assert campaign.find(**ADA)["custom_fields"] == {"plan": "beacon"}


def test_errors_are_readable(run, campaign):
    """docs/api.md 2, 7: pages can read the status, the body and Retry-After of errors"""
    found = run("""
        const send = async (path, body) => {
            const answer = await fetch(API + path, { method: "POST", headers: { "Content-Type": "application/json" }, body });
            return [answer.status, (await answer.json()).error, answer.headers.get("Retry-After")];
        };
        const found = {
            invalid: await send("/v2/%(id)d", '{"email":"ada"}'),
            large: await send("/v2/%(id)d", JSON.stringify({ email: "ada@example.org", text: "x".repeat(40000) })),
            json: await send("/v2/%(id)d", "{"),
            campaign: await send("/v2/999999999", '{"email":"ada@example.org"}'),
            path: await send("/nowhere", "{}"),
        };
        for (let calls = 0; calls < 20; calls++) {
            found.limited = await send("/v2/%(id)d", '{"email":"ada@example.org"}');
            if (found.limited[0] === 429)
                break;
        }
        return found;
    """ % {"id": campaign.id})
    retry_after = found["limited"].pop()
    assert found == {"invalid": [406, "invalid_email", None], "large": [413, "body_too_large", None],
                     "json": [406, "invalid_json", None], "campaign": [404, "campaign_not_found", None],
                     "path": [404, "not_found", None], "limited": [429, "rate_limited"]}
    assert 0 < int(retry_after) <= 540
