# SPDX-License-Identifier: MIT
"""docs/embedding.md 1, 2, 6 in Chromium and Firefox: elements that are added later, the script inside another script, names of fields,
copied links, frames, and texts and colours of the campaign."""
import json
import re

import pytest
from marks import FIREFOX_LATER
from embedding import ADA, FORM, LOADED, SETTINGS, SIGN_UP, script_of, shower
from stack.process import wait_until

pytestmark = pytest.mark.parametrize("browser", FIREFOX_LATER, indirect=True)

MESSAGE = """(await until(() => document.querySelector(".leadhook-message"))).textContent"""


@pytest.fixture(scope="module")
def service(make_service):
    return make_service(settings=SETTINGS)


@pytest.fixture
def show(browser, service):
    return shower(browser, service)


# ---- names of fields ----

NAMES = ["lang", "action", "method", "elements", "submit", "id", "name", "target", "length", "reset", "querySelector", "querySelectorAll", "dataset",
         "addEventListener", "dispatchEvent", "getAttribute", "setAttribute", "removeAttribute", "hasAttribute", "requestSubmit", "closest", "matches",
         "append", "after", "hidden", "parentNode", "contains", "classList", "style", "textContent", "attributes", "nodeType", "children", "firstChild",
         "lastElementChild", "ownerDocument", "constructor", "__proto__", "toString", "valueOf", "checkValidity", "acceptCharset", "isConnected"]


def test_names_of_fields(show, service, account):
    """docs/embedding.md 2: a field may have the name of any property of its form; the lead is stored, and the page says thank you"""
    campaign = service.campaign(account, landing_url="https://shop.example/")
    fields = "".join(f'<input type="hidden" name="{name}" value="de">' for name in NAMES)
    found = show("""
        const form = document.forms[0];
        await new Promise(done => {
            document.addEventListener("leadhook:success", done, { once: true });
            document.querySelector("[name=email]").value = "ada@example.org";
            document.querySelector("button").click();
        });
        return [%s, HTMLElement.prototype.hasAttribute.call(form, "hidden")];
    """ % MESSAGE, FORM % (campaign.id, fields))
    assert found[0].startswith("Thank you. You are signed up. Your link to share:") and found[1]
    assert campaign.find(**ADA)["counter"] == 1


def test_names_in_a_form_with_an_error(show, campaign):
    """docs/embedding.md 3: an error is shown in a form whose fields have the names of its properties"""
    fields = "".join(f'<input type="hidden" name="{name}" value="de">' for name in NAMES)
    found = show("""
        document.querySelector("[name=email]").value = "ada@";
        document.querySelector("button").click();
        const shown = await until(() => document.querySelector("[role=alert]"));
        return [shown.textContent, document.activeElement.name];
    """, (FORM % (campaign.id, fields)).replace("<form", "<form novalidate"))
    assert found == ["Enter an email address, for example name@example.org", "email"]


@pytest.mark.parametrize("name", ["currentScript", "querySelector", "querySelectorAll", "createElement", "getElementById", "body", "head",
                                  "readyState", "referrer", "dispatchEvent", "adoptedStyleSheets", "documentElement", "leadhook"])
def test_names_of_elements(show, service, account, name):
    """docs/embedding.md 1: an element may have the name of a property of the document"""
    campaign = service.campaign(account)
    found = show("""
        const form = await until(() => Document.prototype.querySelector.call(document, "form.leadhook-form"));
        form.elements.email.value = "ada@example.org";
        form.querySelector("button").click();
        return (await until(() => Document.prototype.querySelector.call(document, ".leadhook-message"))).textContent;
    """, f'<img name="{name}" id="{name}" alt=""><form name="{name}"></form><div data-leadhook-form="{campaign.id}"></div>')
    assert found == "Thank you. You are signed up."


# ---- elements that come later ----

def test_elements_that_come_later(show, service, account):
    """docs/embedding.md 1: elements that a script of the page adds, at any depth, are filled at once, and each of them is loaded only
    once"""
    campaign = service.campaign(account, privacy="off", landing_url="https://shop.example/")
    lead = campaign.lead(**ADA, first_name="Ada")
    campaign.points(lead, 5)
    found = show("""
        await new Promise(done => setTimeout(done, 500));
        const box = document.createElement("section");
        for (const kind of ["form", "status", "leaderboard"]) {
            const place = document.createElement("div");
            place.setAttribute("data-leadhook-" + kind, "%d");
            box.append(place);
        }
        document.body.append(box);
        await until(() => ["form", "dl", "ol li"].every(one => box.querySelector(one)));
        for (let i = 0; i < 3; i++) {
            document.body.append(document.createElement("p"));
            await new Promise(done => setTimeout(done, 300));
        }
        const loads = performance.getEntriesByType("resource").map(one => new URL(one.name).pathname).filter(one => one.endsWith("/form") || one.includes("/v2/"));
        return [loads.length, new Set(loads).size, box.querySelector("ol").textContent, box.querySelector("dl a").href];
    """ % campaign.id, "", query=f"?kolid={lead['social_id']}")
    assert found == [3, 3, "Ada 5", lead["social_url"]]


def test_what_a_framework_does(show, campaign):
    """docs/embedding.md 1: an element that is emptied, moved, or replaced by a copy of the markup gets its content again; an element that
    is emptied every time is eventually left alone"""
    found = show("""
        const box = document.querySelector("#box"), markup = box.innerHTML;
        const form = () => box.querySelector("form.leadhook-form");
        await until(form);
        box.firstElementChild.replaceChildren();
        const emptied = Boolean(await until(form));
        const place = box.firstElementChild;
        place.remove();
        await new Promise(done => setTimeout(done, 300));
        document.body.append(place);
        box.append(place);
        const moved = document.querySelectorAll("form").length;
        box.replaceChildren(place.cloneNode(false));
        const replaced = Boolean(await until(form));
        let times = 0;
        new MutationObserver(() => form() && (times++, box.firstElementChild.replaceChildren())).observe(box, { subtree: true, childList: true });
        box.firstElementChild.replaceChildren();
        await new Promise(done => setTimeout(done, 3000));
        return [emptied, moved, replaced, times < 10];
    """, f'<div id="box"><div data-leadhook-form="{campaign.id}"></div></div>')
    assert found == [True, 1, True, True]


def test_the_documented_call(show, campaign):
    """docs/embedding.md 1: leadhook.scan() fills the elements that were added"""
    found = show("""
        const place = document.createElement("div");
        place.setAttribute("data-leadhook-form", "%d");
        document.body.append(place);
        leadhook.scan();
        await until(() => place.querySelector("form"));
        return document.querySelectorAll("form").length;
    """ % campaign.id, "")
    assert found == 1


def test_a_form_that_comes_later(show, campaign):
    """docs/embedding.md 2: the script also sends a form that the page adds later, or whose tab is shown later"""
    found = show("""
        document.body.append(document.querySelector("template").content.cloneNode(true));
        const answered = await signUp("ada@example.org");
        return [answered.name, %s];
    """ % MESSAGE, f'<template><div>{FORM % (campaign.id, "")}</div></template>')
    assert found == ["success", "Thank you. You are signed up."]


# ---- inside another script ----

@pytest.mark.parametrize("kind, found_by", [
    ("inline", "url"), ("bundle", "url"), ("bundle", "action"), ("module", "url"), ("module", "tag"), ("inserted", "tag"), ("eval", "action")])
def test_bundles(browser, service, campaign, kind, found_by):
    """docs/embedding.md 1: in a bundle, the script takes the address of the service from an element or from the action of a form"""
    api, site, text = service.front.url, browser.site, script_of(service)
    site.add("/bundle.js", "window.before = 1;\n" + text + "\nwindow.behind = 1;", "text/javascript")
    site.add("/module.js", f'import "{api}/embed/v1/embed.js";' if found_by == "tag" else text, "text/javascript")
    head = {
        "inline": f"<script>{text}</script>", "bundle": '<script src="/bundle.js" async></script>',
        "module": f'<script type="module" src="{api}/embed/v1/embed.js"></script>' if found_by == "tag" else '<script type="module" src="/module.js"></script>',
        "inserted": "<script>const one = document.createElement('script'); one.src = '%s/embed/v1/embed.js'; document.head.append(one);</script>" % api,
        "eval": f"<script>setTimeout({json.dumps(text)});</script>"}[kind]
    url = f' data-leadhook-url="{api}"' if found_by == "url" else ""
    action = f'<form method="post" action="{api}/v1/{campaign.id}/subscribe" hidden></form>' if found_by == "action" else ""
    found = browser.run(LOADED + SIGN_UP + """
        const form = await until(() => document.querySelector("form.leadhook-form"));
        const answered = await signUp("ada@example.org", form);
        return [answered.name, document.querySelectorAll(".leadhook-form").length];
    """, api=api, head=head, body=f'{action}<div data-leadhook-form="{campaign.id}"{url}></div>')
    assert found == ["success", 1] and campaign.find(**ADA)["counter"] == 1


def test_a_bundle_without_an_address(browser, service, campaign):
    """docs/embedding.md 1: the console says once that the address is missing; the content of the element stays"""
    found = browser.run(LOADED + """
        document.body.append(document.createElement("p"));
        await new Promise(done => setTimeout(done, 500));
        return errors;
    """, api=service.front.url, body=f'<div data-leadhook-form="{campaign.id}">Loading</div>',
        head=f"<script>const errors = []; console.error = text => errors.push(text);</script><script>{script_of(service)}</script>")
    assert len(found) == 1 and "data-leadhook-url" in found[0]
    assert browser.run(LOADED + "await new Promise(done => setTimeout(done, 300)); return errors;", api=service.front.url, body="<p>nothing of ours</p>",
                       head=f"<script>const errors = []; console.error = text => errors.push(text);</script><script>{script_of(service)}</script>") == []


def test_a_bundle_and_the_script(browser, service, campaign):
    """docs/embedding.md 1: if a page has both, only one of them does the work"""
    api = service.front.url
    browser.site.add("/bundle.js", script_of(service), "text/javascript")
    found = browser.run(LOADED + SIGN_UP + """
        const form = await until(() => document.querySelector("form.leadhook-form"));
        await signUp("ada@example.org", form);
        const place = document.createElement("div");
        place.setAttribute("data-leadhook-form", form.dataset.leadhook);
        document.body.append(place);
        await until(() => place.firstChild);
        await new Promise(done => setTimeout(done, 500));
        return [document.querySelectorAll(".leadhook-form").length, document.querySelectorAll(".leadhook-message").length];
    """, api=api, head=f'<script src="/bundle.js" defer></script><script src="{api}/embed/v1/embed.js" defer></script><script src="{api}/embed/v1/embed.js?v=2" async></script>',
        body=f'<div data-leadhook-form="{campaign.id}" data-leadhook-url="{api}/"></div>')
    assert found == [2, 1] and campaign.find(**ADA)["counter"] == 1


# ---- links and frames ----

@pytest.mark.parametrize("query", ["?kid={}?utm_source=flyer", "?utm_source=flyer&amp;kid={}", "?KID={}.&utm_source=flyer", "?utm_source=flyer#kid={}",
                                   "?kid%3D{}%26utm_source%3Dflyer", "?kid=(“{}”)&utm_source=flyer"])
def test_copied_links(show, campaign, query):
    """docs/api.md 1.4: the script repairs the query of a copied link"""
    friend = campaign.lead(email="friend@example.org")["social_id"]
    assert show("return (await signUp('ada@example.org')).name;", FORM % (campaign.id, ""), query=query.format(friend)) == "success"
    lead = campaign.find(**ADA)
    assert (lead["parent_id"], lead["utm"]) == (friend, {"source": "flyer"})


@pytest.mark.parametrize("policy, told", [("no-referrer-when-downgrade", True), ("strict-origin-when-cross-origin", False)])
def test_a_frame_of_another_origin(browser, service, campaign, policy, told):
    """docs/embedding.md 2.2: in a frame, a page with the script uses the referrer of the page around it, if the browser sends it"""
    friend = campaign.lead(email="friend@example.org")["social_id"]
    other = browser.site.origin.replace("localhost", "127.0.0.1")
    browser.site.add("/framed", '<!DOCTYPE html><script src="%s/embed/v1/embed.js" defer></script>%s<script>addEventListener("load", () => {'
                     'document.addEventListener("leadhook:success", () => parent.postMessage("done", "*"));'
                     'document.forms[0].elements.email.value = "ada@example.org"; document.querySelector("button").click(); });</script>'
                     % (service.front.url, FORM % (campaign.id, "")))
    found = browser.run("""
        const done = new Promise(done => addEventListener("message", event => event.data === "done" && done(true)));
        const frame = document.createElement("iframe");
        frame.referrerPolicy = "%s";
        frame.src = "%s/framed";
        document.body.append(frame);
        return done;
    """ % (policy, other), api=service.front.url, body="", query=f"?kid={friend}&utm_source=flyer")
    lead = campaign.find(**ADA)
    told = told and browser.name == "chromium"  # Firefox always cuts the referrer that it sends to another site
    assert found and (lead["parent_id"], lead["utm"]) == ((friend, {"source": "flyer"}) if told else (None, {}))


# ---- words and colours of the campaign ----

@pytest.mark.parametrize("language, setting, words", [
    ("de", "auto", "Gib eine E-Mail-Adresse ein, zum Beispiel name@example.org"), ("", "fr", "Saisissez une adresse e-mail"), ("es-MX", "auto", "Introduce"), ("nl", "en", "Enter an email address")])
def test_errors_in_the_language_of_the_visitor(show, service, account, language, setting, words):
    """docs/embedding.md 3: errors have the texts of the hosted page, and are shown next to the field"""
    campaign = service.campaign(account, language=setting)
    found = show("""
        await signUp("ada@localhost");
        const shown = await until(() => document.querySelector("[role=alert]"));
        const field = document.querySelector("[name=email]");
        return [shown.textContent, field.getAttribute("aria-describedby") === shown.id];
    """, f'<div lang="{language}">{(FORM % (campaign.id, "")).replace("<form", "<form novalidate")}</div>')
    assert found[0].startswith(words) and found[1]


def test_too_many(browser, make_service):
    """docs/embedding.md 3: the error says how long to wait"""
    service = make_service(settings=[("limits", "signups_per_address", "1/60s,20/180s,30/540s")])
    campaign = service.campaign()
    found = shower(browser, service)("""
        await signUp("ada@example.org", document.forms[0]);
        await signUp("bob@example.org", document.forms[1]);
        return (await until(() => document.querySelector("[role=alert]"))).textContent;
    """, (FORM % (campaign.id, "")) * 2)
    assert re.fullmatch(r"There were too many attempts from your network\. Please wait [5-7]0 seconds, then try again\.", found)


def test_colours(show, leadhook, service, account):
    """docs/embedding.md 2.2: the campaign's colours, under a strict policy; the page's own rules have precedence; a hidden field stays
    hidden"""
    campaign = service.campaign(account, bots="honeypot")
    leadhook("page", "set", campaign.id, "accent=#0f766e", "consent=I agree")
    found = show("""
        const form = await until(() => document.querySelector("form.leadhook-form"));
        const style = one => getComputedStyle(form.querySelector(one));
        const own = document.createElement("style");
        const before = [style("button").backgroundColor, style("button").color, style("input").minHeight, style("label[hidden]").display];
        form.setAttribute("hidden", "");
        return [...before, getComputedStyle(form).display];
    """, f'<div data-leadhook-form="{campaign.id}"></div>')
    assert found == ["rgb(15, 118, 110)", "rgb(255, 255, 255)", "44px", "none", "none"]


@pytest.fixture(scope="module")
def mailing(make_service):
    return make_service(settings=[*SETTINGS, ("mail", "host", "127.0.0.1"), ("mail", "port", "9"), ("mail", "tls", "none"), ("mail", "from", "a@example.org")])


@pytest.mark.parametrize("language, message, words", [
    ("en", "Thank you. Please check your inbox.", "Please confirm your address: we have sent you an email. Enter the code"),
    ("de", "Danke. Bitte schau in dein Postfach.", "Bitte bestätige deine Adresse: Wir haben dir eine E-Mail geschickt. Code eingeben")])
def test_what_a_lead_still_has_to_do(browser, mailing, language, message, words):
    """docs/embedding.md 6: until the address is confirmed, the status says that it must be, in the language of the page, even on later
    visits"""
    campaign = mailing.campaign(mailing.account(), verify_email="on", public_lookup="all", bots="off")
    show = shower(browser, mailing)
    found = show("""
        await signUp("ada@example.org");
        const status = await until(() => document.querySelector(".leadhook-confirm"));
        return [%s, status.textContent, status.querySelector("a").href];
    """ % MESSAGE, f'<div lang="{language}">{FORM % (campaign.id, "")}<div data-leadhook-status="{campaign.id}"></div></div>')
    assert found == [message + " " + words.rpartition(". ")[2], words, f"{mailing.front.url}/c/{campaign.id}/code"]
    later = "return (await until(() => document.querySelector('[data-leadhook-status]').firstChild?.textContent));"
    body = f'<div lang="{language}"><div data-leadhook-status="{campaign.id}"></div></div>'
    lead = campaign.find(**ADA)
    assert show(later, body, query=f"?kolid={lead['social_id']}") == words
    campaign.bulk("verify", {"email": ADA["email"]})
    mailing.dispatch()
    assert show("await until(() => document.querySelector('dl')); return document.querySelectorAll('.leadhook-confirm').length;", body,
                query=f"?kolid={lead['social_id']}") == 0


# ---- pages as programs make them ----

@pytest.mark.parametrize("text", ["\u201d%d\u201d", "\u201e%d\u201c", "&#8221;%d&#8243;", "#%d", " %d&nbsp;"])
def test_a_campaign_between_marks(show, campaign, text):
    """docs/embedding.md 1: the campaign's id is found even between the quotation marks of word processors"""
    assert show("return (await until(() => document.forms[0])).elements.email.name;", f"<div data-leadhook-form='{text % campaign.id}'></div>") == "email"


def test_no_campaign(browser, show, service):
    """docs/embedding.md 1: the console reports an element without a valid campaign id, and the element is left as it is"""
    listener = browser.site.add("/listener.js", "window.said = []; console.error = text => said.push(text);", "text/javascript")
    found = show("""
        await until(() => said.length);
        return [said, document.querySelector("[data-leadhook-form]").textContent];
    """, '<div data-leadhook-form="YOUR_CAMPAIGN"><b>Sign up</b></div>',
                 head=f'<script src="{listener}"></script><script src="{service.front.url}/embed/v1/embed.js" defer></script>')
    assert found == [["Leadhook: data-leadhook-form needs the number of a campaign"], "Sign up"]


OLD_LIBRARY = """
Array.from = items => { const made = []; for (let i = 0; i < (items || []).length; i++) made.push(items[i]); return made; };
Array.prototype.reduce = function () { return this.length > 1 ? this : this[0]; };
Array.prototype.entries = function () { return [].concat(this); };
"""


def test_older_libraries(browser, show, service, account, leadhook):
    """docs/embedding.md 1: the script works although MooTools and Prototype replace methods of all arrays"""
    campaign = service.campaign(account)
    leadhook("page", "set", campaign.id, "fields=email; plan select required: Plan = Free | Pro", "consent=I agree")
    head = f'<script src="{browser.site.add("/old.js", OLD_LIBRARY, "text/javascript")}"></script>'
    found = show("""
        const form = await until(() => document.querySelector("form"));
        form.elements.email.value = "ada@example.org";
        form.elements.plan.selectedIndex = 2;
        form.elements.consent.click();
        form.querySelector("button").click();
        return (await until(() => document.querySelector(".leadhook-message"))).textContent;
    """, f'<div data-leadhook-form="{campaign.id}"></div>', head=f'{head}<script src="{service.front.url}/embed/v1/embed.js" defer></script>')
    assert found.startswith("Thank you. You are signed up.")
    assert campaign.find(**ADA)["custom_fields"]["plan"] == "Pro"


def test_a_form_in_a_form(show, campaign):
    """docs/embedding.md 1: the element may be inside a form, because some servers make each page a single form"""
    found = show("""
        const inner = await until(() => document.querySelector(".leadhook-form"));
        inner.elements.email.value = "ada@example.org";
        inner.querySelector("button").click();
        return (await until(() => document.querySelector(".leadhook-message"))).textContent;
    """, f'<form action="/elsewhere"><input name="q"><div data-leadhook-form="{campaign.id}"></div></form>')
    assert found.startswith("Thank you. You are signed up.")


@pytest.mark.parametrize("kind", ["element", "form"])
def test_a_copy_of_the_script(browser, show, service, account, kind):
    """docs/embedding.md 1: the script works from a cache of the page's site that serves a copy of it below a path like ours"""
    campaign = service.campaign(account)
    copy = browser.site.add("/cache/min/1/embed/v1/embed.js", script_of(service), "text/javascript")
    action = f'action="{service.front.url}/v1/{campaign.id}/subscribe"'
    body = (FORM % (campaign.id, "")).replace("<form", f"<form {action}") if kind == "form" else (
        f'<div data-leadhook-form="{campaign.id}"><a href="{service.front.url}/c/{campaign.id}">Sign up</a></div>')
    found = show("""
        await until(() => document.querySelector("form"));
        return (await signUp("ada@example.org")).name;
    """, body, head=f'<script src="{copy}" defer></script>')
    assert found == "success" and campaign.find(**ADA)["counter"] == 1


def test_a_blocked_script(browser, service, account):
    """docs/embedding.md 3: the browser itself sends a form that got no answer, with the referrer and the utm parameters of the page"""
    campaign = service.campaign(account)
    friend = campaign.lead(email="friend@example.org")
    form = FORM % (campaign.id, "")
    browser.run(LOADED + SIGN_UP + """
        const fetched = window.fetch;
        window.fetch = (url, ...rest) => (String(url).startsWith(API) ? Promise.reject(new TypeError("blocked")) : fetched(url, ...rest));
        await signUp("ada@example.org");
        await until(() => document.querySelector("[role=alert]"));
        document.querySelector("button").click();
    """, api=service.front.url, head=f'<script src="{service.front.url}/embed/v1/embed.js" defer></script>',
        body=form.replace("<form", f'<iframe name="out"></iframe><form target="out" method="post" action="{service.front.url}/v1/{campaign.id}/subscribe"'),
        query=f"?kid={friend['social_id']}&utm_source=flyer")
    lead = wait_until(lambda: campaign.client.request("GET", f"/v2/{campaign.id}?email=ada@example.org", key=campaign.key).status == 200
                      and campaign.find(**ADA), 30, "the lead")
    assert lead["parent_id"] == friend["social_id"] and lead["utm"]["source"] == "flyer"


@pytest.mark.parametrize("name", ["Email", "EMAIL", "your-email", "contact[email]", "email "])
def test_other_names_of_the_address(show, service, account, name):
    """docs/embedding.md 2: the script finds the field for the email address in a form that gives it another name"""
    campaign = service.campaign(account)
    found = show("""
        document.querySelector("input").value = "ada@example.org";
        document.querySelector("button").click();
        return (await until(() => document.querySelector(".leadhook-message"))).textContent;
    """, (FORM % (campaign.id, "")).replace('name="email"', f'name="{name}"'))
    assert found.startswith("Thank you. You are signed up.")
    assert campaign.find(**ADA)["custom_fields"] == {}
