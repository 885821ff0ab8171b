# SPDX-License-Identifier: MIT
"""docs/compatibility.md 5: clients of hosted services, with a campaign that was created without any setting, with and without mail: sign
up, sign up again, look up, leaderboard."""
import urllib.parse

import pytest
from marks import FIREFOX_LATER
from embedding import FORM, JSONP, LOADED, SETTINGS, SIGN_UP, XHR
from interface import look_up, same

ADA = {"email": "ada@example.org"}
NUMBER = "+14155552671"
PHP = {"User-Agent": "WordPress/6.6; https://shop.example", "Accept": "*/*", "Accept-Encoding": "deflate, gzip, br", "Connection": "close"}

chromium_first = pytest.mark.parametrize("browser", FIREFOX_LATER, indirect=True)


@pytest.fixture(scope="module", params=[False, True], ids=["without mail", "with mail"])
def service(request, front, make_service, mail_server):
    made = make_service(front=front, workers=4, settings=[*SETTINGS, *(mail_server.settings() if request.param else ())])
    yield made
    made.stop()


@pytest.fixture
def campaign(service, account):
    return service.plain_campaign(account)


@pytest.fixture
def run(browser, service, campaign):
    """Runs a script in a page; `API` is the address of the service, `ID` the campaign."""
    return lambda script, **page: browser.run(f"const ID = {campaign.id};" + script, api=service.front.url, **page)


def is_known(campaign, answers):
    """Check that all answers are about one lead, which has signed up twice and has the referrals of its friends."""
    first, again, found, *others = answers
    lead = campaign.find(**ADA)
    assert (first["counter"], again["counter"], found["counter"]) == (1, 2, 2)
    assert all(same(one, lead) for one in (first, again, found, *others))


@chromium_first
def test_script_tags(run, campaign):
    """JSONP: subscribe twice, then info by email address and by social id"""
    found = run(JSONP + """
        const get = (path, query) => jsonp(`${API}/v1/${ID}/${path}?${query}`, "answer" + get.count++);
        get.count = 0;
        const made = await get("subscribe", "email=ada@example.org&first_name=Ada&__source=script&_=1700000000");
        const again = await get("subscribe", "email=ada%40example.org&plan=gold");
        const kid = made.seen[0].social_id;
        return [made, again, await get("info", "email=ada@example.org"), await get("info", "social_id=" + kid),
                await get("info", "kid=" + kid)];
    """)
    assert {one["event"] for one in found} == {"load"} and {len(one["seen"]) for one in found} == {1}
    is_known(campaign, [one["seen"][0] for one in found])
    assert campaign.find(**ADA)["custom_fields"] == {"first_name": "Ada", "plan": "gold"}


@chromium_first
def test_fetch(run, campaign):
    """A page's own calls with fetch: JSON to create and update, a query to look up, and the leaderboard with the lead's own position"""
    found = run("""
        const at = API + "/v2/" + ID, headers = { "Content-Type": "application/json" };
        const json = async answer => {
            if (!answer.ok)
                throw new Error(answer.status + " " + await answer.text());
            return answer.json();
        };
        const post = fields => fetch(at, { method: "POST", headers, body: JSON.stringify(fields) }).then(json);
        const made = await post({ email: "ada@example.org", first_name: "Ada", __url: location.href });
        const again = await post({ email: "ada@example.org", phone_number: "%s" });
        const get = query => fetch(at + query).then(json);
        const friend = await post({ email: "bob@example.org", kid: made.social_id });
        return { leads: [made, again, await get("?email=ada@example.org"), await get("?kid=" + made.social_id),
                         await get("?phone_number=" + encodeURIComponent("%s"))],
                 friend, board: await get("/leaderboard?limit=5&social_id=" + made.social_id),
                 unknown: (await fetch(at + "?email=no@example.org")).status };
    """ % (NUMBER, NUMBER))
    is_known(campaign, found["leads"])
    assert found["unknown"] == 404 and found["friend"]["counter"] == 1
    assert [one["contest_score"] for one in found["board"]["leaders"]] == [1, 0]
    assert found["board"]["me"]["rank"] == 1 and found["board"]["leaders"][0]["display_name"] == "Ada"


@chromium_first
def test_xml_http_request(run, campaign):
    """A referral page that uses XMLHttpRequest, as axios does: the answer to each sign-up has the link to share and the counts"""
    found = run(XHR + """
        const sent = [];
        for (const fields of [{ email: "ada@example.org" }, { email: "bob@example.org", social_id: "KID" }, { email: "ada@example.org" }]) {
            if (fields.social_id)
                fields.social_id = sent[0].answer.social_id;
            sent.push(await post(API + "/v2/" + ID + "/", { ...fields, __source: "page", __url: location.href }));
        }
        return sent;
    """)
    assert [one["status"] for one in found] == [200] * 3
    first, friend, again = (one["answer"] for one in found)
    is_known(campaign, [first, again, look_up(campaign, **ADA)])
    assert f"kid={first['social_id']}" in again["social_url"] and (again["referrals"], again["contest_score"]) == (1, 1)
    assert campaign.find(social_id=friend["social_id"])["parent_id"] == first["social_id"]


@chromium_first
def test_the_script_of_forms(run, campaign, service):
    """embed.js: a form, the same address again on another visit, the status of the lead, and the leaderboard"""
    def visit(script):
        return run(LOADED + SIGN_UP + script, head=f'<script src="{service.front.url}/embed/v1/embed.js" defer></script>',
                   body=FORM % (campaign.id, "") + f'<div data-leadhook-status="{campaign.id}"></div>'
                        f'<div data-leadhook-leaderboard="{campaign.id}"></div>')
    answers = [visit("""return signUp("ada@example.org");""") for _ in range(2)]
    assert [answer["name"] for answer in answers] == ["success"] * 2
    first, again = (answer["detail"]["answer"] for answer in answers)
    is_known(campaign, [first, again, look_up(campaign, **ADA)])
    shown = visit("""
        await signUp("ada@example.org");
        const status = await until(() => document.querySelector("[data-leadhook-status] dl"));
        await until(() => document.querySelector("[data-leadhook-leaderboard] [aria-current]"));
        return { status: status.textContent, text: document.body.textContent,
                 links: Array.from(document.querySelectorAll("[data-leadhook-status] a"), one => one.href) };
    """)
    assert first["social_url"] in shown["links"] and "inbox" not in shown["text"]


def test_plugins_of_servers(campaign, service):
    """A plugin's calls from PHP: lists and campaigns of the key, sign-ups by form or JSON with the visitor's address and without the key,
    and look-ups"""
    request, key = service.client.request, campaign.key
    listed = request("GET", "/v1/landing_pages", query={"api_key": key}, headers=PHP).json["pages"]
    assert campaign.id in [page["list_id"] for page in listed]
    assert campaign.id in [one["id"] for one in request("GET", "/v2/campaigns", headers={**PHP, "Authorization": f"Bearer {key}"}).json]
    fields = {**ADA, "first_name": "Ada", "ip": "203.0.113.9", "__source": "wordpress.7", "skip_ar": "1"}
    first = request("POST", f"/v1/{campaign.id}/subscribe", form={**fields, "api_key": key}, headers=PHP).json
    for way in ({"form": fields}, {"json_body": fields}, {"form": {**fields, "list_id": campaign.id}, "path": "/subscribe"}):
        path = way.pop("path", f"/v2/{campaign.id}")
        again = request("POST", path, headers=PHP, **way)
        assert again.status == 200 and same(again.json, first), path
    found = campaign.find(**ADA)
    assert (found["counter"], found["ip"], found["custom_fields"]) == (4, "203.0.113.9", {"first_name": "Ada"})
    for query in (ADA, {"kid": first["social_id"]}):
        assert same(request("GET", f"/v1/{campaign.id}/info", query=query, headers=PHP).json, first)
    board = request("GET", f"/v2/{campaign.id}/leaderboard", query={"limit": 10}, headers=PHP).json["leaders"]
    assert [one["social_id"] for one in board] == [first["social_id"]]


def test_forms_of_pages(campaign, service):
    """A form that the browser itself sends, twice: it leads to the lead's own page, which promises no mail that is not sent"""
    headers = {"Sec-Fetch-Mode": "navigate", "Accept": "text/html", "Origin": "https://shop.example", "Referer": "https://shop.example/join"}
    for path in (f"/v1/{campaign.id}/subscribe", f"/v1/{campaign.id}/subscribe", f"/v2/{campaign.id}"):
        answer = service.client.request("POST", path, form=ADA, headers=headers)
        assert answer.status == 303
        page = service.client.request("GET", urllib.parse.urlsplit(answer.headers["Location"]).path)
        assert page.status == 200 and b"inbox" not in page.body
    assert campaign.find(**ADA)["counter"] == 3
