# SPDX-License-Identifier: MIT
"""docs/embedding.md 2, 8 in Chromium and Firefox: the next page after a success, forms that the script makes, markup of older embeds."""
import json

import pytest
from marks import FIREFOX_LATER
from embedding import ADA, FORM, SETTINGS, shower

pytestmark = pytest.mark.parametrize("browser", FIREFOX_LATER, indirect=True)

PAGES = {"pages": "on", "landing_url": "https://shop.example/"}
# What a page shows in place of a form: the text, the links, and whether the form is hidden.
MESSAGE = """
    const message = await until(() => document.querySelector(".leadhook-message"));
    return [message.textContent, Array.from(message.querySelectorAll("a"), one => one.href)];
"""


@pytest.fixture(scope="module")
def service(make_service):
    return make_service(settings=SETTINGS)


@pytest.fixture
def show(browser, service):
    return shower(browser, service)


@pytest.fixture
def script(service):
    """A script element with that path."""
    return lambda path, attributes="": f'<script src="{service.front.url}/{path}" {attributes}></script>'


# ---- where a success leads ----

@pytest.mark.parametrize("markup, moves", [
    ('<form data-leadhook="{id}"><input name="email"><button>Go</button></form>', False),
    ('<form data-leadhook="{id}" data-redirect><input name="email"><button>Go</button></form>', True),
    ('<form data-leadhook="{id}"><input name="email"><input name="redirect_url" value="/x"><button>Go</button></form>', True),
    ('<form data-leadhook="{id}"><input name="email"><input name="redirect_url" value=""><button>Go</button></form>', False),
    ('<form method="post" action="{url}/v1/{id}/subscribe"><input name="email"><button>Go</button></form>', True),
    ('<div id="kickofflabs_embed_form" data-landing_page_id="{id}"></div>', False),
    ('<div id="kickofflabs_signup_bar" data-landing_page_id="{id}" data-redirect></div>', True),
    ('<div data-leadhook-form="{id}"></div>', False), ('<div data-leadhook-form="{id}" data-redirect></div>', True)])
def test_the_next_page(browser, show, service, account, markup, moves):
    """docs/embedding.md 2: a text and a link replace the form; the script goes to `thankyou_url` only if the markup says so, or the form
    leads there by itself"""
    thankyou = browser.site.add("/thank-you", "<!DOCTYPE html>thanks")
    campaign = service.campaign(account, **PAGES, thankyou_url=thankyou)
    browser.site.visits.clear()
    body = markup.format(id=campaign.id, url=service.front.url)
    sign_up = "const form = await until(() => document.forms[0]);"
    if moves:
        show(sign_up + 'signUp("ada@example.org", form);', body)
        assert browser.site.wait_for("/thank-you").query["kolid"] == campaign.find(**ADA)["social_id"]
        return
    shown = show(sign_up + 'await signUp("ada@example.org", form);'
                 'const link = await until(() => document.querySelector("[role=status] a")); return link.href;', body)
    assert shown == campaign.find(**ADA)["social_url"] and not browser.site.at("/thank-you")


def test_the_link_to_share(show, service, account):
    """docs/embedding.md 2: the link follows the text, in the language of the page, unless the page has an element for the status; so it
    does after a repeated sign-up, unless the page has its own text"""
    campaign = service.campaign(account, **PAGES)
    form = FORM % (campaign.id, "")
    for markup, text in ((f'<div lang="de">{form}</div>', "Danke. Du bist angemeldet. Dein Link zum Teilen: {url}"),
                         (form.replace("<form", '<form data-share-link="Send &lt;friends&gt;"'), "You are already signed up. Send <friends> {url}"),
                         (form.replace("<form", '<form data-message="Done &lt;b&gt;" data-share-link="Link:"'), "Done <b> Link: {url}"),
                         (form.replace("<form", '<form lang="fr" data-message="Done" data-again="Again"'), "Again Votre lien à partager : {url}"),
                         (f'<div lang="es">{form}</div>', "Ya estabas en la lista. Tu enlace para compartir: {url}"),
                         (form + f'<div data-leadhook-status="{campaign.id}"></div>', "You are already signed up.")):
        found = show('await signUp("ada@example.org");' + MESSAGE, markup)
        url = campaign.find(**ADA)["social_url"]
        assert found == [text.format(url=url), [url] if "{url}" in text else []]


# ---- forms that the script makes ----

FIELDS = "email; first_name required; plan select required: Plan = A | B; note textarea: Note <b>; age number: Age; news checkbox: News"
LOOK = """
    const form = await until(() => document.querySelector("form.leadhook-form"));
    const look = Array.from(form.querySelectorAll("label"), one => [one.textContent.trim(), one.control.name, one.control.type, one.control.required]);
"""


def test_the_form_of_a_campaign(show, leadhook, service, account):
    """docs/embedding.md 2.2: the form has the campaign's fields, consent and button, in the language of the page; the sign-up counts as one
    on the campaign's page"""
    campaign = service.campaign(account, **PAGES, bots="honeypot", language="auto")
    leadhook("page", "set", campaign.id, "fields=" + FIELDS, "consent=I <agree>", "button=Join & win")
    found = show(LOOK + """
        const said = [form.lang, form.querySelector("button").textContent, form.querySelectorAll("b, agree").length];
        form.elements.first_name.value = "Ada";
        form.elements.plan.value = "B";
        form.elements.news.checked = true;
        const before = form.checkValidity();
        form.elements.email.value = "ada@example.org";
        form.elements.consent.checked = true;
        return { look, said, valid: [before, form.checkValidity()], answered: (await signUp("ada@example.org", form)).name };
    """, f'<div lang="de-AT"><div data-leadhook-form="{campaign.id}">Loading</div></div>')
    trap = found["look"].pop()
    assert found["look"] == [
        ["E-Mail-Adresse", "email", "text", True], ["Vorname", "first_name", "text", True],
        ["Plan Bitte auswählenAB", "plan", "select-one", True], ["Note <b>", "note", "textarea", False], ["Age", "age", "number", False],
        ["News", "news", "checkbox", False], ["I <agree>", "consent", "checkbox", True]]
    assert trap[0] == "Dieses Feld leer lassen" or trap[2] == "text"
    assert found["said"] == ["de", "Join & win", 0] and found["valid"] == [False, True] and found["answered"] == "success"
    fields = campaign.find(**ADA)["custom_fields"]
    assert fields["plan"] == "B" and fields["news"] == "yes" and fields["consent"] == "yes" and len(fields["consent_version"]) == 16


def test_a_form_that_there_is_not(show, leadhook, service, account):
    """docs/embedding.md 2.2: the element says why there is no form"""
    campaign = service.campaign(account)
    leadhook("campaign", "set", campaign.id, "ends_at=2020-01-01T00:00:00Z")
    for id in (campaign.id, 999999999):
        found = show('return (await until(() => document.querySelector("[role=alert]"))).textContent;',
                     f'<div data-leadhook-form="{id}">Loading</div>')
        assert found == service.client.request("GET", f"/c/{id}/form").json["message"]


# ---- markup of older embeds ----

@pytest.mark.parametrize("markup", [
    '{kol}<div data-kol-snippet="embedpage" data-kolPageId="385937" class="kol-embed-page-frame default" ></div>',
    '<div id="x" data-kol-snippet="contestbox" class="kol-contest-box-frame default" data-settings=\'{{"embedHeight":"full"}}\'></div>{kol}',
    '<script src="{url}/2.1.0/kol.js" data-kol-snippet="embedpage" data-campaign-id="{id}" async></script>',
    '<script src="{url}/2.2.0/kol.js" async></script><p data-kol-snippet="popup" data-campaign-id="{id}"></p>',
    '<div data-kol-snippet="embedpage" data-kolPageId="{id}"></div><script src="{url}/3/kol.js"></script>',
    '<div id="kol_embed_container_229450"></div><script src="{url}/widgets/1.9.6/kol_embed.js"></script>'
    '<script src="{url}/w/999999999/1.js"></script><script src="{url}/w/{id}/229450.js"></script>'])
def test_snippets(show, leadhook, service, account, markup):
    """docs/embedding.md 8: elements of current scripts get the form of the campaign, and a link to share after a sign-up"""
    campaign = service.campaign(account, **PAGES, bots="honeypot")
    leadhook("page", "set", campaign.id, "fields=email; first_name")
    url = service.front.url
    kol = f'<script src="{url}/2.2.0/kol.js" id="koljs" data-campaign-id="{campaign.id}" async></script>'
    found = show(LOOK + """
        form.elements.first_name.value = "Ada";
        const answered = await signUp("ada@example.org", form);
        const link = await until(() => document.querySelector("[role=status] a"));
        return [look.length, answered.detail.campaign, link.href, document.querySelectorAll("form").length];
    """, markup.format(kol=kol, id=campaign.id, url=url), head="")
    ada = campaign.find(**ADA)
    assert found == [3, str(campaign.id), ada["social_url"], 1] and ada["first_name"] == "Ada"


def test_a_snippet_that_comes_later(browser, service, account):
    """docs/embedding.md 8: it works on pages whose script inserts the element and its script repeatedly"""
    campaign = service.campaign(account, **PAGES)
    found = browser.run("""
        const insert = async () => {
            const place = document.createElement("div"), script = document.createElement("script");
            place.setAttribute("data-kol-snippet", "embedpage");
            script.src = API + "/2.2.0/kol.js";
            script.id = "koljs";
            script.setAttribute("data-campaign-id", "%d");
            document.body.append(place, script);
            await until(() => place.querySelector("form"));
            script.remove();
        };
        await insert();
        await insert();
        return document.forms.length;
    """ % campaign.id, api=service.front.url)
    assert found == 2


def test_a_snippet_of_a_known_lead(show, service, account):
    """docs/embedding.md 8: the status of the lead replaces the form"""
    campaign = service.campaign(account, **PAGES)
    lead = campaign.lead(**ADA)
    body = f'<div data-kol-snippet="embedpage"></div><script src="{service.front.url}/2.2.0/kol.js" data-campaign-id="{campaign.id}"></script>'
    assert show("return (await until(() => document.querySelector('dl a'))).href;", body, head="",
                query=f"?kolid={lead['social_id']}") == lead["social_url"]
    assert show("return (await until(() => document.querySelector('form'))).lang;", body, head="", query="?kolid=7N0SUCH") == "en"


ANY_FORM = ["widgets/1.9.4/kol_any_form.js", "w/{id}/298460.js"]


@pytest.mark.parametrize("paths, action", [
    (ANY_FORM, ""), (ANY_FORM, ' action=""'), (ANY_FORM, ' action="#" method="post"'), (["w/{id}/kol_any_form.js"], ""),
    (["w/1.9.4/kol_any_form.js", "w/{id}/298460.js"], "")])
def test_any_form(show, script, service, account, paths, action):
    """docs/embedding.md 8: a form of the page signs up without reloading the page; other forms are left alone"""
    campaign = service.campaign(account, **PAGES)
    found = show("""
        const sent = [];
        window.addEventListener("submit", event => { sent.push([event.target.id, event.defaultPrevented]); event.preventDefault(); });
        for (const form of document.querySelectorAll("#search, #login, #card"))
            form.requestSubmit();
        const form = document.querySelector("#own");
        form.elements["your-email"].value = "ada@example.org";
        form.querySelector("button").click();
        const message = await until(() => document.querySelector(".leadhook-message"));
        return [sent, message.querySelector("a").href, form.hidden];
    """, '<form id="search" action="/search"><input name="q"></form>'
         '<form id="login"><input name="email" type="email"><input name="password" type="password"></form>'
         '<form id="card"><input name="email"><input name="card" autocomplete="cc-number"></form>'
         f'<form id="own"{action}><input name="friend_email" type="email" value="bob@example.org"><input name="your-name" value="Ada"><input name="your-email"><input name="town" value="Ulm">'
         '<input type="hidden" name="authenticity_token" value="x"><button name="b" value="1">Join</button></form>',
         head="".join(script(path.format(id=campaign.id)) for path in paths))
    ada = campaign.find(**ADA)
    assert found == [[["search", False], ["login", False], ["card", False], ["own", True]], ada["social_url"], True]
    assert ada["custom_fields"] == {"name": "Ada"} and campaign.stats()["total"] == 1


SECRETS = """
    <form id="words"><input name="email"><input name="a" autocomplete="section-b billing CC-Number"></form>
    <form id="code"><input name="email"><input name="a" autocomplete="one-time-code"></form>
    <form id="new"><input name="email"><input name="a" type="text" autocomplete="new-password webauthn"></form>
    <form id="named"><input name="email"><input name="user_password" type="text"></form>
    <form id="outside"><input name="email"></form><input form="outside" type="password" name="a">
    <form id="revealed"><input name="email"><input name="a" type="password" value="x"></form>
    <form id="replaced"><input name="email"><input name="a" type="password"></form>
    <form id="card-number"><input name="email"><input name="custom[card_number]"></form>
    <form id="card"><input name="email"><input name="cardNumber"></form>
    <form id="account"><input name="email"><input name="Account-No"></form>
    <form id="ids"><input name="email"><input name="field7" id="checkout-CVC"></form>
    <form id="iban"><input name="email"><input name="IBAN"></form>
    <form id="otp"><input name="email"><input name="user[otp]"></form>
    <form id="onetime"><input name="email"><input name="one_time_code"></form>
    <form id="pin"><input name="email"><input name="pin"></form>
    <form id="ssn"><input name="email"><input name="SSN"></form>
    <form id="passport"><input name="email"><input name="passport_number"></form>
    <form id="pwd"><input name="email"><input name="user_pwd"></form>
    <form id="passcode"><input name="email"><input name="passCode"></form>
    <form id="only-card"><input name="email"><input name="card"></form>
    <form id="cvn"><input name="email"><input name="CVN"></form>
    <form id="expiry"><input name="email"><input name="exp_month"></form>
    <form id="sort"><input name="email"><input name="sort-code"></form>
    <form id="renamed"><input name="email"><input name="a" type="password"></form>
    <form id="elements"><input name="email"><input name="elements"><input name="matches"><input name="getAttribute"><input type="password" name="b"></form>
    <form id="alike"><input name="email"><input name="a" value="Bob"><input name="shipping"><input name="account"><input name="discardnote" id="cardholder-notes"><input name="experience"></form>
    <form id="plain"><input name="email"><input name="a" autocomplete="section-c shipping given-name" value="Ada"><input name="mothers_last_name" value="May"></form>
"""


def test_any_form_with_a_secret(show, script, service, account):
    """docs/embedding.md 8: nothing is read from a form that has a field for a password, a code or a card number, wherever that field is and
    whatever its type is now"""
    campaign = service.campaign(account)
    found = show("""
        const sent = [];
        window.addEventListener("submit", event => { sent.push([event.target.id, event.defaultPrevented]); event.preventDefault(); });
        document.querySelector("#revealed [name=a]").type = "text";
        document.querySelector("#replaced [name=a]").replaceWith(Object.assign(document.createElement("input"), { name: "a", value: "x" }));
        const renamed = document.querySelector("#renamed [name=a]");
        renamed.after(Object.assign(document.createElement("input"), { name: "b", value: "x" }));
        renamed.remove();
        for (const form of document.forms) {
            form.querySelector("[name=email]").value = form.id + "@example.org";
            await new Promise(done => setTimeout(done));
            form.requestSubmit();
        }
        await until(() => document.querySelectorAll(".leadhook-message").length === 2);
        return sent;
    """, SECRETS, head=script("widgets/1.9.4/kol_any_form.js") + script(f"w/{campaign.id}/1.js"))
    assert found == [[name, False] for name in ("words", "code", "new", "named", "outside", "revealed", "replaced", "card-number", "card", "account",
                                                "ids", "iban", "otp", "onetime", "pin", "ssn", "passport", "pwd", "passcode", "only-card", "cvn",
                                                "expiry", "sort", "renamed", "elements")] + [["alike", True], ["plain", True]]
    assert campaign.stats()["total"] == 2 and campaign.find(email="plain@example.org")["custom_fields"] == {"first_name": "Ada"}


def test_elements_that_hide_those_of_the_document(show, script, service, account):
    """docs/embedding.md 1, Names: an element with the name of a property of the document hides it from other scripts, but not from this one"""
    campaign = service.campaign(account)
    names = ("querySelector", "querySelectorAll", "createElement", "getElementById", "forms", "body",
             "leadhook " + service.front.url + "/")
    found = show("""
        const find = selector => Document.prototype.querySelector.call(document, selector);
        if (typeof document.querySelector === "function")
            return "not hidden";
        const form = find("#own");
        form.requestSubmit();
        await until(() => find(".leadhook-message"));
        return "signed up";
    """, "".join(f'<img name="{name}" alt="">' for name in names) + '<form id="own"><input name="email" value="ada@example.org"></form>',
                 head=script("widgets/1.9.4/kol_any_form.js") + script(f"w/{campaign.id}/1.js"))
    assert found == "signed up" and campaign.find(email="ada@example.org")


# Properties of a form that fields with these names hide. "action" does not become a custom field.
HIDING = ("elements", "method", "target", "closest", "append", "after", "getAttribute", "hasAttribute", "setAttribute", "removeAttribute",
          "querySelectorAll", "dispatchEvent", "requestSubmit", "lang", "form", "type", "children")


def test_a_secret_in_a_form_of_ours(show, script, service, account):
    """docs/embedding.md 8: the form is sent without the secret, whatever the type of its field is now, and whatever the names of other
    fields are"""
    campaign = service.campaign(account)
    hiding = "".join(f'<input name="{name}" value="v">' for name in HIDING)
    show("""
        const field = name => document.querySelector(`[name=${name}]`);
        field("a").replaceWith(Object.assign(document.createElement("input"), { name: "d", value: "x" }));
        Object.assign(field("b"), { type: "text", name: "e" });
        field("submit").click();
        await until(() => document.querySelector(".leadhook-message"));
    """, f'<form data-leadhook="{campaign.id}"><input name="email" value="ada@example.org"><input name="a" type="password">'
         '<input name="b" type="password" value="x"><input name="c" type="password" value="x"><input name="card-number" value="1">'
         f'<input name="plan" value="pro"><input name="action" value="v">{hiding}<button name="submit" value="1">Join</button></form>', head=script("embed/v1/embed.js"))
    assert campaign.find(**ADA)["custom_fields"] == {"plan": "pro", "submit": "1", **dict.fromkeys(map(str.lower, HIDING), "v")}


@pytest.mark.parametrize("fields, callback, stored", [
    pytest.param('<textarea name="text">%s</textarea><input name="phone_number" value="none">' % ("x" * 9000), "", 1, id="fields"),
    pytest.param("", "window.kol_widget_options = { callback: () => { throw new Error('a script of the page'); } };", 1, id="callback"),
    pytest.param('<input name="x" value="1">', "", 0, id="no address")])
def test_any_form_is_sent_on(browser, show, script, service, account, fields, callback, stored):
    """docs/embedding.md 8: neither fields that are not read nor a failure prevent the email address or the form from being sent"""
    target = browser.site.add("/contact", "<!DOCTYPE html>done")
    campaign = service.campaign(account)
    browser.site.visits.clear()
    show("""
        const form = document.forms[0];
        %s
        form.querySelector("button").click();
    """ % callback, f'<form action="{target}" method="post"><input name="email" value="{"ada@example.org" if stored else ""}">{fields}'
                    '<button name="b" value="2">Join</button></form>',
         head=script("widgets/1.9.4/kol_any_form.js") + script(f"w/{campaign.id}/1.js"))
    assert b"b=2" in browser.site.wait_for("/contact").body
    assert campaign.stats()["total"] == stored
    if stored:
        assert campaign.find(**ADA)["email"] == "ada@example.org"


def test_any_form_with_an_action(browser, show, script, service, account):
    """docs/embedding.md 8: a form with an action goes there once the lead is stored, and also if no one can sign up; typing errors are
    shown first"""
    target = browser.site.add("/newsletter", "<!DOCTYPE html>done")
    for settings, email, stored in (({}, "ada@example.org", 1), ({"require_key": "on"}, "ada@example.org", 0)):
        campaign = service.campaign(account, **settings)
        browser.site.visits.clear()
        show("""
            const form = document.forms[0];
            form.elements.email.value = "ada";
            form.querySelector("button").click();
            %s
            form.elements.email.value = "%s";
            form.querySelector("button").click();
        """ % ('await until(() => document.querySelector("[role=alert]"));' if stored else "", email),
             f'<form action="{target}" method="post"><input name="email"><input name="x" value="1"><button name="b" value="2">Join</button></form>',
             head=script("widgets/1.9.4/kol_any_form.js") + script(f"w/{campaign.id}/1.js"))
        body = browser.site.wait_for("/newsletter").body
        assert b"x=1&b=2" in body and campaign.stats()["total"] == stored


def test_any_form_with_options(show, script, service, account):
    """docs/embedding.md 8: kol_widget_options of the page choose the forms and the field, and name a function that gets the lead"""
    campaign = service.campaign(account)
    found = show("""
        const got = [];
        window.kol_widget_options = { capture_lead_selector: ".join", email_selector: "contact", callback: lead => got.push(lead.social_id) };
        const prevented = [];
        window.addEventListener("submit", event => { prevented.push(event.defaultPrevented); event.preventDefault(); });
        for (const form of document.forms)
            form.requestSubmit();
        await until(() => got.length);
        return [prevented, got, document.querySelectorAll("[role=status]").length];
    """, '<form><input name="email" value="no@example.org"></form>'
         '<form class="join"><input name="contact" value="ada@example.org"><input name="x"></form>',
         head=script("widgets/1.9.4/kol_any_form.js") + script(f"w/{campaign.id}/1.js"))
    assert found == [[False, True], [campaign.find(**ADA)["social_id"]], 0]


def test_icons(show, service):
    """docs/embedding.md 8: browsers can show the icons of older pages"""
    names = ("facebook.png", "twitter.png", "linkedin.png", "google_plus.png", "email.png", "whatsapp.png", "x.svg", "copy.png", "sms.png")
    found = show("""
        return Promise.all(%s.map(async name => {
            const image = new Image();
            image.src = API + "/embed/v1/images/social/" + name;
            await image.decode();
            return [image.naturalWidth, image.naturalHeight];
        }));
    """ % json.dumps(names), "", head="")
    assert found == [[32, 32]] * len(names)


@pytest.mark.parametrize("settings, shown", [({}, True), ({"hosts_only": "on", "hosts": "localhost"}, True),
                                             ({"hosts_only": "on", "hosts": "other.example"}, False)])
def test_frames_of_older_pages(browser, leadhook, service, account, settings, shown):
    """docs/embedding.md 8, docs/pages.md 6: `/{campaign}/` shows the campaign's page in a frame of a page that may contain its forms"""
    campaign = service.campaign(account, pages="on", **settings)
    site = browser.site
    logo = site.add(f"/logo-{campaign.id}.svg", '<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>', "image/svg+xml")
    leadhook("page", "set", campaign.id, f"logo_url={logo}?v=1")
    browser.run("""
        const frame = document.createElement("iframe");
        frame.src = "%s/%d/?kid=7AAAAAA";
        document.body.append(frame);
        await new Promise(done => frame.addEventListener("load", done));
    """ % (service.front.url, campaign.id))
    if shown:
        assert site.wait_for(f"/logo-{campaign.id}.svg").query == {"v": "1"}
    else:
        assert not site.at(f"/logo-{campaign.id}.svg")
