# SPDX-License-Identifier: MIT
"""docs/embedding.md in Chromium and Firefox: the script in pages of another origin, under a strict Content-Security-Policy."""
import json
import threading

import pytest
from embedding import ADA, FORM, SETTINGS, SIGN_UP, script_of, shower

HOSTILE = '<img src="x" onerror="parent.postMessage(1)"><script>window.broken = true</script>'

@pytest.fixture(scope="module")
def service(make_service):
    return make_service(settings=SETTINGS)


@pytest.fixture(scope="module")
def mailing(make_service):
    """A service that sends mail, but to a server that does not exist."""
    return make_service(settings=[*SETTINGS, ("mail", "host", "127.0.0.1"), ("mail", "port", "9"), ("mail", "tls", "none"),
                                  ("mail", "from", "a@example.org")])


@pytest.fixture
def show(browser, service):
    return shower(browser, service)


@pytest.mark.parametrize("attributes", ["", "async", "defer"])
def test_a_form(show, campaign, attributes):
    """docs/embedding.md 2: the fields, the page, its utm parameters and its referrer are sent; the event has the answer; a message replaces
    the form"""
    friend = campaign.lead(email="friend@example.org")
    found = show("""
        const answered = await signUp("ada@example.org");
        const message = await until(() => document.querySelector(".leadhook-message"));
        return { answered, text: message.textContent, role: message.getAttribute("role"),
                 focus: document.activeElement === message, hidden: document.querySelector("form").hidden,
                 cookie: document.cookie, stored: localStorage.length };
    """, FORM % (campaign.id, '<input name="plan" value="pro &amp; more">'), attributes=attributes,
         query=f"?kid={friend['social_id'].lower()}&utm_source=mail&colour=red")
    lead = campaign.find(**ADA)
    event = found.pop("answered")
    assert found == {"text": "Thank you. You are signed up.", "role": "status", "focus": True, "hidden": True, "cookie": "",
                     "stored": 0}
    assert event["detail"].pop("answer")["social_id"] == lead["social_id"]
    assert event == {"name": "success", "detail": {"campaign": str(campaign.id), "status": 200}}
    assert lead["parent_id"] == friend["social_id"] and lead["utm"] == {"source": "mail"} and lead["counter"] == 1
    assert lead["custom_fields"]["plan"] == "pro & more"


def test_what_is_added(browser, show, campaign):
    """docs/embedding.md 2: the script adds __url, whose custom fields are merged, unless its query is long, and always utm parameters, kid
    and __referrer"""
    friend = campaign.lead(email="friend@example.org")
    # the browser sends no Referer, so the referrer is the one that the script sends
    body = '<meta name="referrer" content="no-referrer">' + FORM % (campaign.id, "")
    for email, padding, fields in (("ada@example.org", 10, {"colour": "red"}), ("grace@example.org", 3000, {})):
        query = f"?utm_source=mail&colour=red&kid={friend['social_id']}&utm_{'x' * padding}=1&__padding={'x' * padding}"
        assert show(f"return signUp('{email}');", body, query=query)["name"] == "success"
        lead = campaign.find(email=email)
        assert lead["custom_fields"] == fields and lead["parent_id"] == friend["social_id"]
        assert lead["utm"]["source"] == "mail" and lead["referrer"] == browser.site.origin + "/"
    assert show("return signUp('joan@example.org');", FORM % (campaign.id, '<input name="utm_source" value="form">'),
                query="?utm_source=mail")["detail"]["status"] == 200
    assert campaign.find(email="joan@example.org")["utm"] == {"source": "form"}


def test_a_large_page_address(show, campaign):
    """docs/embedding.md 2: parameters that are only informative are left out of a body that would be too large for a call without a key"""
    query = "?" + "&".join(f"utm_{number}={'%C3%A9' * 300}" for number in range(22))
    assert show("return signUp('ada@example.org');", FORM % (campaign.id, ""), query=query)["name"] == "success"
    assert 0 < len(campaign.find(**ADA)["utm"]) < 22


def test_two_copies(show, campaign, service):
    """docs/embedding.md 1: the second copy of the script does nothing"""
    assert show("""
        await until(() => document.querySelector("ol"));
        await signUp("ada@example.org");
        await until(() => document.querySelector("li"));
        return performance.getEntriesByType("resource").filter(one => one.name.includes("/leaderboard")).length;
    """, FORM % (campaign.id, "") + f'<div data-leadhook-leaderboard="{campaign.id}"></div>'
         f'<script src="{service.front.url}/embed/v1/embed.js?v=2" defer></script>') == 2
    assert campaign.find(**ADA)["counter"] == 1


def test_two_clicks(show, campaign):
    """docs/embedding.md 2: a form is not sent again before it is answered"""
    assert show("""
        const answered = signUp("ada@example.org");
        const button = document.querySelector("button");
        const form = document.querySelector("form");
        form.requestSubmit();
        form.dispatchEvent(new SubmitEvent("submit", { bubbles: true, cancelable: true }));
        const busy = [button.disabled, form.getAttribute("aria-busy")];
        await answered;
        return [...busy, button.disabled, form.getAttribute("aria-busy")];
    """, FORM % (campaign.id, "")) == [True, "true", False, None]
    assert campaign.find(**ADA)["counter"] == 1


def test_buttons_of_the_page(show, campaign):
    """docs/embedding.md 2: a button that the page has disabled stays disabled"""
    found = show("""
        const button = document.querySelector("#later");
        await signUp("ada");
        return [button.disabled, document.querySelector("form button").disabled];
    """, f'<form data-leadhook="{campaign.id}" novalidate><input name="email"><button>Go</button>'
         '<button id="later" disabled>Later</button></form>')
    assert found == [True, False]


def test_an_element_named_as_the_script(browser, campaign, service):
    """docs/embedding.md 1: the address of the API is that of the script, whatever the names of the page's elements are"""
    api = service.front.url
    body = f'<img name="currentScript" alt="" src="{api.replace("127.0.0.1", "127.0.0.2")}/embed.js">' + FORM % (campaign.id, "")
    found = browser.run(SIGN_UP + """return (await signUp("ada@example.org")).detail.status;""", api=api,
                        body=body + f'<script src="{api}/embed/v1/embed.js"></script>')
    assert found == 200


def test_errors(show, campaign):
    """docs/embedding.md 3: errors are shown as text next to their field, also for screen readers, and removed by the next answer"""
    found = show("""
        const form = document.querySelector("form"), field = form.elements.email;
        const look = () => {
            const shown = Array.from(document.querySelectorAll("[role=alert]"));
            return { texts: shown.map(one => one.textContent),
                     after: shown.length ? shown[0].previousElementSibling.tagName : null,
                     described: field.getAttribute("aria-describedby"), invalid: field.getAttribute("aria-invalid"),
                     points: shown.length > 0 && field.getAttribute("aria-describedby") === "help " + shown[0].id,
                     focus: document.activeElement === field };
        };
        const first = await signUp("ada");
        await until(() => document.querySelector("[role=alert]"));
        const wrong = look();
        await signUp("");
        const missing = await until(() => ![undefined, wrong.texts[0]].includes(look().texts[0]) && look());
        await signUp("ada@example.org");
        return { first, wrong, missing, right: look() };
    """, f'<p id="help">Help</p><form data-leadhook="{campaign.id}" novalidate '
         'data-error-missing-identifier="Bitte &lt;b&gt; ausfüllen">'
         '<label>Email <input name="email" aria-describedby="help"></label><button>Go</button></form>')
    assert found["first"] == {"name": "error", "detail": {"campaign": str(campaign.id), "status": 406, "answer": {
        "message": "Email is not valid", "error": "invalid_email"}}}
    shown = {"after": "LABEL", "invalid": "true", "points": True, "focus": True}
    for look, text in ((found["wrong"], "Enter an email address, for example name@example.org"), (found["missing"], "Bitte <b> ausfüllen")):
        assert {name: look[name] for name in shown} == shown and look["texts"] == [text]
    assert (found["right"]["texts"], found["right"]["described"], found["right"]["invalid"]) == ([], "help", None)


def test_errors_without_a_field(show, campaign):
    """docs/embedding.md 3: such errors are shown at the end of the form; so is the error that the API cannot be reached"""
    found = show("""
        const answered = await signUp("ada@example.org");
        const shown = await until(() => document.querySelector("form > [role=alert]"));
        return [answered.detail.answer.error, shown.textContent];
    """, FORM % (999999999, ""))
    assert found == ["campaign_not_found", "Campaign not found"]


def test_pages_decide(show, campaign):
    """docs/embedding.md 4: after preventDefault of an event, the page does the rest itself"""
    assert show("""
        for (const name of ["success", "error"])
            document.addEventListener("leadhook:" + name, event => event.preventDefault());
        const found = [(await signUp("ada")).name, (await signUp("ada@example.org")).name];
        return [...found, document.querySelectorAll("[role]").length, document.querySelector("form").hidden];
    """, (FORM % (campaign.id, "")).replace("<form", "<form novalidate")) == ["error", "success", 0, False]


def test_the_next_page(browser, show, service, account):
    """docs/embedding.md 2: the next page is thankyou_url, otherwise redirect_url, with kolid, which makes it show the status"""
    thankyou = browser.site.add("/thanks", "<!DOCTYPE html>thanks")
    for settings, redirect, path in (({"thankyou_url": thankyou}, "/elsewhere", "/thanks"), ({}, "/welcome?x=1", "/welcome")):
        campaign = service.campaign(account, **settings)
        browser.site.visits.clear()
        hidden = f'<input type="hidden" name="redirect_url" value="{redirect}">'
        show('signUp("ada@example.org");', FORM % (campaign.id, hidden))
        assert browser.site.wait_for(path).query["kolid"] == campaign.find(**ADA)["social_id"]
        assert not browser.site.at("/elsewhere")
    for language, labels in (("en", "Your position1Your points0Friends joined0"), ("de", "Dein Platz1Deine Punkte0Empfehlungen0")):
        status = show('return (await until(() => document.querySelector("dl"))).textContent;',
                      f'<div lang="{language}"><div data-leadhook-status="{campaign.id}"></div></div>', query=f"?kolid={campaign.find(**ADA)['social_id']}")
        assert status == labels


def test_status_and_leaderboard(show, service, account):
    """docs/embedding.md 5, 6: the status and the leaderboard show the lead that just signed up, and a friend with its name as text"""
    campaign = service.campaign(account, privacy="off", leaderboard_names="full", landing_url="https://shop.example/?a=1")
    leader = campaign.lead(email="lead@example.org", first_name=HOSTILE)
    campaign.points(leader, 50)
    found = show("""
        const [board, status] = document.querySelectorAll("div");
        await until(() => board.querySelector("li"));
        const before = [board.textContent, status.textContent];
        await signUp("ada@example.org");
        await until(() => board.querySelector("[aria-current]"));
        const items = Array.from(board.querySelectorAll("li"), one => [
            one.value, one.querySelector(".leadhook-name").textContent,
            one.querySelector(".leadhook-score").textContent, one.getAttribute("aria-current")]);
        return { before, items, status: Array.from(status.querySelectorAll("dt, dd"), one => one.textContent),
                 link: status.querySelector("a").href, made: document.querySelectorAll("img, div script").length,
                 broken: window.broken };
    """, f'<div data-leadhook-leaderboard="{campaign.id}"></div>'
         f'<div data-leadhook-status="{campaign.id}" data-position="Platz">Sign up first</div>'
         + FORM % (campaign.id, '<input name="first_name" value="Ada">'))
    ada = campaign.find(**ADA)
    assert found["before"] == [HOSTILE + " 50", "Sign up first"]
    assert found["items"] == [[1, HOSTILE, "50", None], [2, "Ada", "0", "true"]]
    link = ada["social_url"]
    assert found["status"] == ["Platz", "2", "Your points", "0", "Friends joined", "0", "Your link", link]
    assert found["link"] == link and found["made"] == 0 and "broken" not in found


STRICT = {"public_lookup": "social_id", "public_update": "own", "landing_url": "https://shop.example/"}


# The text of the message, and each link in it.
MESSAGE = """
        const message = await until(() => document.querySelector(".leadhook-message"));
        const shown = [message.textContent, ...Array.from(message.querySelectorAll("a"), one => one.href)];
"""


@pytest.mark.parametrize("language, attributes, text", [
    ("en", "", "Thank you. Please check your inbox. Enter the code"),
    ("de-AT", "", "Danke. Bitte schau in dein Postfach. Code eingeben"),
    ("nl", 'data-message="no" data-code-link="&lt;i&gt;"', "Thank you. Please check your inbox. <i>"),
    ("de", 'data-check-mail="Look &lt;b&gt;"', "Look <b> Code eingeben")])
def test_a_withheld_lead(show, mailing, language, attributes, text):
    """docs/embedding.md 2, 6: if a sign-up is answered by mail, the message says so, with a link to the page for its code; so does the
    status"""
    campaign = mailing.campaign(mailing.account(), **STRICT, verify_email="on", mails="welcome,status_link")
    found = show("""
        const answered = await signUp("ada@example.org");
    """ + MESSAGE + """
        return [answered.detail.answer.social_id, shown, document.querySelector("[data-leadhook-status]").textContent];
    """, f'<div lang="{language}">' + (FORM % (campaign.id, "")).replace("<form", f"<form {attributes}")
         + f'</div><div data-leadhook-status="{campaign.id}">Sign up first</div>', api=mailing.front.url)
    assert found[:2] == [None, [text, f"{mailing.front.url}/c/{campaign.id}/code"]]
    assert found[2] == "Thank you. Please check your inbox. Enter the code", "the element outside of the form has its own attributes and language"
    assert campaign.find(**ADA)["counter"] == 1


def test_a_code_by_text(show, make_service, gateway):
    """docs/embedding.md 2: after a sign-up with only a number, the message leads to the page for its code"""
    service = make_service(settings=[*SETTINGS, *gateway.settings()])
    campaign = service.campaign(service.account(), **STRICT, verify_phone="on", bots="off")
    found = show("""
        await signUp("");
    """ + MESSAGE + "return shown;", FORM % (campaign.id, '<input name="phone_number" value="+4915112345678">'), api=service.front.url)
    assert found == ["Thank you. We have sent you a code. Enter the code",
                     f"{service.front.url}/c/{campaign.id}/code?phone_number=%2B4915112345678"]


def test_a_withheld_lead_of_older_embeds(show, mailing):
    """docs/embedding.md 8: the message does not promise a link to share"""
    campaign = mailing.campaign(mailing.account(), **STRICT, verify_email="on", mails="welcome,status_link")
    found = show("""
        await until(() => document.forms[0]);
        await signUp("ada@example.org");
        return (await until(() => document.querySelector(".leadhook-message"))).textContent;
    """, OLD % (campaign.id, ""), api=mailing.front.url)
    assert found == "Thank you. Please check your inbox. Enter the code"


def test_a_withheld_lead_without_mail(show, service, account):
    """docs/embedding.md 2: after a repeated sign-up, the message does not promise a mail that is never sent"""
    campaign = service.campaign(account, **STRICT)
    campaign.lead(**ADA)
    found = show("""
        const answered = await signUp("ada@example.org");
        return [answered.detail.answer.social_id, (await until(() => document.querySelector(".leadhook-message"))).textContent];
    """, FORM % (campaign.id, "") + f'<div data-leadhook-status="{campaign.id}"></div>')
    assert found == [None, "Thank you. You are signed up."]


def test_late_answers(browser, show, service):
    """docs/embedding.md 5, 6: an answer to a request from before a sign-up does not replace a later one"""
    site, signed_up = browser.site, threading.Event()
    lead = {"social_id": "7LATE7", "contest_score_rank": 1, "display_name": "Ada"}

    def later(old, new):
        def answer(visit):
            is_old = visit.query.get("social_id") != lead["social_id"]
            assert not is_old or signed_up.wait(30)
            return 200, "application/json", {}, json.dumps(old if is_old else new).encode()
        return answer
    site.add("/late/embed/v1/embed.js", script_of(service), "text/javascript")
    site.add("/late/v1/7/subscribe", json.dumps(lead), "application/json")
    site.answers("/late/v2/7/leaderboard", later({"leaders": []}, {"leaders": [lead]}))
    site.answers("/late/v2/7", later({"contest_score_rank": 2}, None))
    site.answers("/late/end", lambda visit: (signed_up.set(), (204, "text/plain", {}, b""))[1])
    assert show("""
        let read = 0;
        const json = Response.prototype.json;
        Response.prototype.json = function () { return json.call(this).finally(() => setTimeout(() => read++)); };
        await signUp("ada@example.org");
        await until(() => document.querySelector("li"));
        await fetch(API + "/end");
        await until(() => read === 4);
        return [document.querySelectorAll("li").length, document.querySelector("dd").textContent];
    """, FORM % (7, "") + '<div data-leadhook-status="7"></div><div data-leadhook-leaderboard="7"></div>',
                api=site.origin + "/late", query="?kolid=0LDLEAD") == [1, "1"]


def test_storage(show, service, account):
    """docs/embedding.md 7: nothing is stored, unless the page has data-remember"""
    campaign = service.campaign(account)
    friend = campaign.lead(email="friend@example.org")
    stored = "return Object.entries(localStorage).sort();"
    kid = f"?kid={friend['social_id']}"
    try:
        assert show(stored, FORM % (campaign.id, ""), query=kid) == []
        assert show(stored, "", attributes="defer data-remember", query="?kid=%3Cb%3E") == []
        assert show(stored, "", attributes="defer data-remember", query=kid) == [[f"leadhook {service.front.url}/ kid", friend["social_id"]]]
        show("await signUp('grace@example.org');", FORM % (campaign.id, ""))
        show("await signUp('ada@example.org');", FORM % (campaign.id, ""), attributes="defer data-remember")
        assert campaign.find(email="grace@example.org")["parent_id"] is None
        assert campaign.find(**ADA)["parent_id"] == friend["social_id"]
        assert show("await until(() => document.querySelector('dl')); return document.cookie;",
                    f'<div data-leadhook-status="{campaign.id}"></div>', attributes="defer data-remember") == ""
    finally:
        show("localStorage.clear();", "")


@pytest.mark.parametrize("path, extra", [("/v1/{id}/subscribe", ""), ("/v2/{id}/", ""), ("/lead/{id}", ""),
                                         ("/subscribe", '<input type="hidden" name="__lid" value="{id}">'),
                                         ("/subscribe", '<input type="hidden" name="list_id" value="{id}">'),
                                         ("/v2", '<input type="hidden" name="campaign_id" value="{id}">')])
def test_forms_of_the_api(show, campaign, path, extra):
    """docs/embedding.md 8: the script sends forms of older pages whose action is a call of the API"""
    found = show("return signUp('ada@example.org');",
                 f'<form method="post" action="{campaign.service.front.url}{path.format(id=campaign.id)}">'
                 f'{extra.format(id=campaign.id)}<input name="email"><button>Sign up</button></form>')
    assert found["name"] == "success" and campaign.find(**ADA)["counter"] == 1


def test_forms_of_others(show, campaign):
    """docs/embedding.md 8: forms that do not belong to the API, and forms that a script of the page handles, are left alone"""
    url = campaign.service.front.url
    assert show("""
        let called = 0;
        document.addEventListener("leadhook:success", () => called++);
        document.querySelector("#own").addEventListener("submit", event => event.preventDefault());
        const prevented = [];
        window.addEventListener("submit", event => { prevented.push(event.defaultPrevented); event.preventDefault(); });
        for (const form of document.querySelectorAll("form:not(#last)"))
            form.requestSubmit();
        await signUp("ada@example.org", document.querySelector("#last"));
        return [prevented, called];
    """, f'<form id="own" data-leadhook="{campaign.id}"><input name="email" value="x@example.org"></form>'
         f'<form action="/search"><input name="email"></form><form action="{url}/health"><input name="email"></form>'
         f'<form data-leadhook="0{campaign.id}"><input name="email"></form>'
         f'<form id="last" data-leadhook="{campaign.id}" novalidate><input name="email"><button>Go</button></form>') == [
             [True, False, False, False, True], 1]
    assert campaign.stats()["total"] == 1


OLD = '<div id="kickofflabs_embed_form" data-landing_page_id="%d" data-button_text="Join &lt;now&gt;" %s></div>'


def test_the_div_of_older_embeds(show, service, account):
    """docs/embedding.md 8: the div gets a form, which is answered with a link to share"""
    campaign = service.campaign(account, landing_url="https://shop.example/")
    friend = campaign.lead(email="friend@example.org")
    found = show("""
        const form = await until(() => document.forms[0]);
        const look = [form.id, form.querySelector("button").textContent, form.querySelector("label").control.name];
        await signUp("ada@example.org");
        const result = await until(() => document.querySelector(".kol_embed_share_result"));
        return { look, paragraphs: Array.from(result.children, one => one.textContent), link: result.querySelector("a").href };
    """, OLD % (campaign.id, 'data-share_text="Share it"'), query=f"?s={friend['social_id']}")
    ada = campaign.find(**ADA)
    assert ada["parent_id"] == friend["social_id"]
    assert found == {"look": ["kol-signup-form", "Join <now>", "email"], "link": ada["social_url"],
                     "paragraphs": ["Share it", ada["social_url"], "Friends joined: 0"]}


def test_the_bar_of_older_plugins(browser, service, account):
    """docs/embedding.md 8: on a page with both divs, whose scripts are inserted by a script, each div gets one form with its own labels"""
    campaign = service.campaign(account, landing_url="https://shop.example/")
    divs = OLD % (campaign.id, "") + f'<div id="kickofflabs_signup_bar" data-landing_page_id="{campaign.id}" ' \
        'data-signup_text="Stay in touch"></div>'
    for names in (["bar/v1/signupbar.js"], ["bar/v1/signupbar.js", "embed/v1/embed.js"], ["embed/v1/embed.js"]):
        found = browser.run(SIGN_UP + """
            for (const name of %s) {
                const script = document.createElement("script");
                script.src = "%s/" + name;
                document.head.append(script);
                await new Promise(resolve => { script.onload = resolve; });
            }
            const bar = await until(() => document.querySelector("#kickofflabs_signup_bar form"));
            const look = Array.from(document.forms, one => one.querySelector("label").control.form === one);
            const text = bar.querySelector("label").textContent;
            bar.elements.email.value = "ada@example.org";
            bar.requestSubmit();
            const result = await until(() => document.querySelector("#kickofflabs_signup_bar .kol_embed_share_result"));
            return [look, text, result.querySelector("a").href];
        """ % (json.dumps(names), service.front.url), api=service.front.url, body=divs)
        assert found == [[True, True], "Stay in touch", campaign.find(**ADA)["social_url"]], names
    assert campaign.find(**ADA)["counter"] == 3


def test_callbacks_of_older_embeds(show, campaign):
    """docs/embedding.md 8: the script calls the functions of the page that the div names"""
    found = show("""
        const calls = [];
        window.done = lead => calls.push(["done", lead.social_id]);
        window.KOLErrorSubscribeCallback = (called, email, data) => calls.push(["failed", called, email, data.landing_page_id]);
        const form = await until(() => document.forms[0]);
        form.noValidate = true;
        await signUp("ada");
        await signUp("ada@example.org");
        return [await until(() => calls.length === 2 && calls), document.querySelectorAll("[role]").length];
    """, OLD % (campaign.id, 'data-callback_function="done"'))
    assert found == [[["failed", True, "ada", str(campaign.id)], ["done", campaign.find(**ADA)["social_id"]]], 0]


@pytest.mark.parametrize("status, answer", [
    (200, {"social_id": "<b>", "thankyou_url": "javascript:window.broken=1", "redirect_url": "data:text/html,x",
           "social_url": "javascript:window.broken=1", "contest_score_rank": HOSTILE, "influence": HOSTILE}),
    (406, {"error": "constructor", "message": HOSTILE}),
    (406, {"error": "invalid_parameter", "message": f"Parameter {HOSTILE} is"}),
    (500, None), (200, [HOSTILE]), (406, {"error": {"x": 1}, "message": [HOSTILE]})])
def test_hostile_answers(browser, show, service, status, answer):
    """docs/embedding.md 2, 3: no answer can run a script in the page, or lead to a URL other than http and https"""
    site, text = browser.site, json.dumps(answer)
    site.add("/evil/embed/v1/embed.js", script_of(service), "text/javascript")
    site.add("/evil/v1/7/subscribe", text, "application/json", status=status)
    leader = {"rank": HOSTILE, "display_name": HOSTILE, "contest_score": [HOSTILE]}
    site.add("/evil/v2/7/leaderboard", json.dumps({"leaders": [leader, None]}), "application/json")
    found = show("""
        await until(() => document.querySelector("li"));
        const answered = await signUp("ada@example.org");
        await until(() => document.querySelector(".leadhook-message, .leadhook-error"));
        return [answered.name, document.querySelectorAll("img, a, b, div script, form script").length, typeof window.broken];
    """, FORM % (7, "") + '<div data-leadhook-status="7"></div><div data-leadhook-leaderboard="7"></div>',
                 api=site.origin + "/evil")
    assert found == ["success" if status == 200 else "error", 0, "undefined"]


def test_a_picture(browser, service, account, tmp_path):
    """takes a picture of a page with an error next to its field, a leaderboard and the status"""
    campaign = service.campaign(account, landing_url="https://shop.example/")
    for number, name in enumerate(("Grace Hopper", "Ada Lovelace", "Joan Clarke")):
        campaign.points(campaign.lead(email=f"{number}@example.org", first_name=name), 50 - 10 * number)
    picture = tmp_path / "page.png"
    browser.screenshot(picture, SIGN_UP + """
        await signUp("ada@example.org");
        await signUp("ada", document.forms[1]);
        await until(() => ["[aria-current]", "dl", "[role=alert]"].every(one => document.querySelector(one)));
    """, body=f'<h1>Launch</h1>{FORM % (campaign.id, "")}<h2>You</h2><div data-leadhook-status="{campaign.id}"></div>'
         f'<h2>Leaders</h2><div data-leadhook-leaderboard="{campaign.id}"></div><h2>Again</h2>'
         + (FORM % (campaign.id, "")).replace("<form", "<form novalidate"),
        head=f'<script src="{service.front.url}/embed/v1/embed.js" defer></script>')
    data = picture.read_bytes()
    assert data.startswith(b"\x89PNG") and int.from_bytes(data[16:20], "big") == 800
