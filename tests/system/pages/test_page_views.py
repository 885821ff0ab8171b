# SPDX-License-Identifier: MIT
"""docs/pages.md in Chromium and Firefox: forms without a script and by keyboard alone, narrow windows, both colour schemes, axe.

With LEADHOOK_PICTURES=FOLDER, the pictures of the documents are written to that folder.
"""
import email
import email.policy
import json
import pathlib
import re

import pytest
from marks import chromium_first, first
from settings import TEST_SETTINGS
from stack.process import wait_until

SETTINGS = [("limits", "posts_per_address", "10000/60s"), ("limits", "lookups_per_address", "100000/60s"),
            ("limits", "signups_per_address", "10000/60s")]
STRICT = {"pages": "on", "public_lookup": "social_id", "public_update": "own"}
FIELDS = "email; first_name; room select: Where would it stand? = Living room | Bedroom | Office; gift checkbox: It is a gift"
LOOKS = ["title=Light that follows your day", f"fields={FIELDS}", "button=Save my place",
         "text=Lumen is a lamp that changes with the sun outside. The first thousand leave our workshop in spring: save your place in the "
         "queue.", "consent=Yes, send me news about Lumen by email. I can withdraw at any time by a link in every mail.",
         "privacy_url=https://lumen.example/privacy", "imprint_url=https://lumen.example/legal"]
LANGUAGES = ["en", "de", "es", "fr"]
SUBMIT = "const form = document.querySelector('form'); form.noValidate = true; form.requestSubmit();"


@pytest.fixture(scope="module")
def service(make_service):
    return make_service(settings=SETTINGS)


def shop(service, account, *words, **settings):
    """A campaign with looks, rewards and some leads; the first of them is Ada."""
    campaign = service.campaign(account, **{**STRICT, "points_signup": 1, "points_direct": 2, **settings})
    service.installation.admin("page", "set", str(campaign.id), *(words or LOOKS))
    campaign.define("reward", "Free shipping", "--required-points", 5)
    campaign.define("reward", "Your name on the first lamp", "--required-points", 10)
    ada = campaign.lead(email="ada@example.org", first_name="Ada", last_name="Lovelace")
    others = [campaign.lead(email=f"{name.lower()}@example.org", first_name=name) for name in ("Grace", "Konrad")]
    for number in range(3):
        campaign.lead(email=f"a{number}@example.org", kid=ada["social_id"])
    for number in range(6):
        campaign.lead(email=f"g{number}@example.org", kid=others[0]["social_id"])
    return campaign, campaign.find(email="ada@example.org")


def views(campaign, lead):
    """Each kind of page: its name, its URL, and what is done there first."""
    base = f"{campaign.service.front.url}/c/{campaign.id}"
    yield "sign-up", base, None
    yield "errors", base, SUBMIT
    yield "status", lead["status_url"], None
    yield "public", f"{base}/s/{lead['social_id']}", None
    yield "again", f"{base}/s/{lead['social_id']}?again=email", None
    yield "opt-out", lead["unsubscribe_url"]["safe"], None
    yield "missing", f"{base}/s/{lead['social_id']}/{'A' * 24}", None


def show(window, url, first=None):
    window.open(url)
    if first is not None:
        window.run(first)
        window.wait("document.querySelector('.errors') && document.readyState === 'complete'")


def check_quiet(window, origin):
    """Checks that the page has no violation of the policy, nothing from other hosts, and no cookie. Browsers request the site's icon by
    themselves."""
    assert window.violations() == []
    loaded = window.run("return performance.getEntriesByType('resource').map(one => one.name);")
    assert loaded and all(name.startswith(origin + "/c/") or name == origin + "/favicon.ico" for name in loaded), loaded
    assert window.run("return document.cookie + localStorage.length;") == "0"


def sign_up(window, url, email):
    """Signs up by keyboard alone: from the top of the page, through all fields, to the button."""
    window.open(url)
    window.press("Tab")
    assert window.run("return document.activeElement.name;") == "email"
    window.type(email)
    window.press("Tab")
    window.type("Ada")
    window.press("Tab", "Tab", "Space", "Tab", "Space", "Tab")
    focus = window.run("return [document.activeElement.type, getComputedStyle(document.activeElement).outlineStyle];")
    assert focus == ["submit", "solid"]
    window.press("Enter")
    window.wait("location.pathname.includes('/s/')", "the status page")


def test_by_keyboard(window, service, account):
    campaign, ada = shop(service, account)
    sign_up(window, f"{service.front.url}/c/{campaign.id}?kid={ada['social_id']}", "hedy@example.org")
    lead = campaign.find(email="hedy@example.org")
    assert window.path() == lead["status_url"].removeprefix("/".join(service.front.url.split("/")[:3]))
    assert window.text("h1") == "You’re on the list, Ada"
    assert lead["parent_id"] == ada["social_id"]
    assert lead["custom_fields"]["gift"] == lead["custom_fields"]["consent"] == "yes"
    check_quiet(window, service.front.url)


def test_without_scripts(window, service, account):
    """everything works, and nothing that needs a script is shown"""
    if not window.can_switch_scripts:
        pytest.skip("this browser's protocol cannot switch scripts off")
    campaign, _ = shop(service, account, bots="off")
    window.scripts(False)
    try:
        sign_up(window, f"{service.front.url}/c/{campaign.id}", "hedy@example.org")
        assert window.text("h1") == "You’re on the list, Ada"
        assert window.run("return document.querySelectorAll('button:not([hidden])').length;") == 0
        link = campaign.find(email="hedy@example.org")["social_url"]
        assert window.run("const link = document.getElementById('link'); link.select(); return link.value;") == link
        window.open(f"{service.front.url}/c/{campaign.id}")
        window.run("document.querySelector('form').noValidate = true;")
        window.press("Tab")
        window.type("ada@")
        window.press("Enter")
        window.wait("document.title.startsWith('Error:')")
        window.wait("document.activeElement.value === 'ada@'")
    finally:
        window.scripts(True)


def test_proof_of_work(window, service, account):
    """the script does the work while the visitor fills in the form"""
    campaign, _ = shop(service, account, bots="proof")
    sign_up(window, f"{service.front.url}/c/{campaign.id}", "hedy@example.org")
    assert window.text("h1") == "You’re on the list, Ada"
    check_quiet(window, service.front.url)
    if not window.can_switch_scripts:
        return
    window.scripts(False)
    try:
        window.open(f"{service.front.url}/c/{campaign.id}")
        assert window.run("return getComputedStyle(document.querySelector('noscript')).display;") != "none"
        window.run("document.getElementById('f-email').value = 'b@example.org'; document.getElementById('f-consent').checked = true;")
        window.run("document.querySelector('form').submit();")
        window.wait("document.title.startsWith('Error:')")
        assert "not a bot" in window.text(".errors")
    finally:
        window.scripts(True)


def test_names_of_fields(window, leadhook, service, account):
    """docs/pages.md 2: neither fields with the names of properties of a form, nor the referrer of a copied link in the fragment, stop the
    form's script"""
    campaign = service.campaign(account, pages="on", bots="proof", language="en")
    friend = campaign.lead(email="friend@example.org")
    names = ["submit", "append", "dataset", "elements", "closest", "matches", "remove", "title", "hidden", "style", "lang", "length", "method", "children"]
    leadhook("page", "set", campaign.id, "fields=email; " + "; ".join(f"{name}: {name}" for name in names))
    window.open(f"{service.front.url}/c/{campaign.id}#kid={friend['social_id']}.")
    window.run("for (const one of document.querySelectorAll('[type=text]:not([tabindex]):not(#f-email)')) one.value = 'x'; document.getElementById('f-email').focus();")
    window.type("hedy@example.org")
    window.press("Enter")
    window.wait("location.pathname.includes('/s/')", "the status page")
    lead = campaign.find(email="hedy@example.org")
    assert lead["parent_id"] == friend["social_id"] and lead["custom_fields"]["append"] == "x" and not lead["fraudulent"]


@pytest.mark.parametrize("typed, stored", [("jörg@example.org", "jörg@example.org"), ("ada", None)])
def test_addresses_are_judged_by_the_server(window, service, account, typed, stored):
    """docs/pages.md 2: the browser accepts every address that the server accepts; errors are in the page's own words"""
    campaign = service.campaign(account, pages="on", bots="off", language="fr")
    window.open(f"{service.front.url}/c/{campaign.id}")
    window.run("const field = document.getElementById('f-email'); field.focus(); field.value = '%s';" % typed)
    window.press("Enter")
    if stored:
        window.wait("location.pathname.includes('/s/')", "the status page")
        assert campaign.find(email=stored)["email"] == stored
    else:
        window.wait("document.querySelector('#e-email')?.textContent.includes('Saisissez une adresse e-mail')", "the error")


@pytest.mark.parametrize("width, scheme", [(1280, "light"), (390, "dark")])
def test_the_form_of_another_page(window, leadhook, service, account, tmp_path, width, scheme):
    """docs/embedding.md 2.2: in a page with a dark scheme and in a narrow window, the form is readable, and not wider than the window"""
    campaign = service.campaign(account, pages="on", language="auto")
    leadhook("page", "set", campaign.id, "accent=#0f766e", "dark_accent=#5eead4", "consent=I agree to get mails.",
             "fields=email; first_name required; plan select: Plan = Free | Pro; notes textarea: Notes")
    page = (f'<!DOCTYPE html><html lang="de"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">'
            f'<title>page</title><script src="{service.front.url}/embed/v1/embed.js" defer></script></head><body><h1>Launch</h1><div data-leadhook-form="{campaign.id}"></div></body></html>')
    window.resize(width, 844)
    window.scheme(scheme)
    try:
        window.open(window.browser.site.add("/coloured", page))
        window.wait("document.querySelector('form.leadhook-form') !== null", "the form")
        window.run("document.querySelector('form').noValidate = true; document.querySelector('[name=email]').value = 'ada@'; document.querySelector('form button').click();")
        window.wait("document.querySelector('[role=alert]') !== null", "the error")
        found = window.run("""
            const style = one => getComputedStyle(document.querySelector(one));
            return [style("form button").backgroundColor, document.documentElement.scrollWidth <= innerWidth, document.activeElement.name,
                    document.querySelector("[role=alert]").textContent, style("form").display];
        """)
        window.picture(tmp_path / "page.png")
    finally:
        window.resize(800)
        window.scheme("light")
    assert found == ["rgb(94, 234, 212)" if scheme == "dark" else "rgb(15, 118, 110)", True, "email",
                     "Gib eine E-Mail-Adresse ein, zum Beispiel name@example.org", "grid"]


def test_errors(window, service, account):
    """errors are named and connected to their fields, and the first such field has the focus"""
    campaign, _ = shop(service, account)
    show(window, f"{service.front.url}/c/{campaign.id}", "document.getElementById('f-email').value = 'ada@';"
         "document.getElementById('f-room').value = 'Office';" + SUBMIT)
    assert window.run("return document.title;") == f"Error: Light that follows your day – {campaign.name}"
    window.wait("document.activeElement.id === 'f-email'")
    found = window.run("""
        const field = document.activeElement;
        return [field.value, document.getElementById(field.getAttribute("aria-describedby")).textContent,
                document.getElementById("f-room").value];
    """)
    assert found == ["ada@", "Error: Enter an email address, for example name@example.org", "Office"]
    window.run("document.querySelector('.errors a[href=\"#f-consent\"]').focus();")
    window.press("Enter")
    window.press("Tab")
    assert window.run("return document.activeElement.type;") in ("checkbox", "submit")
    check_quiet(window, service.front.url)


def test_copying(window, service, account):
    """the button copies the link, and shows that it did"""
    _, lead = shop(service, account)
    window.open(lead["status_url"])
    window.wait("!document.querySelector('[data-copy]').hidden")
    window.run("document.querySelector('[data-copy]').focus();")
    window.press("Enter")
    window.wait("document.getElementById('done').textContent === 'Copied'")
    assert window.run("return document.getElementById('done').getAttribute('role');") == "status"
    check_quiet(window, service.front.url)


def page_elsewhere(window, path):
    return window.browser.site.add(path, "<!DOCTYPE html><title>elsewhere</title><h1>Thank you</h1>")


def test_thanks_elsewhere(window, service, account):
    """the policy allows the form to lead to the campaign's own pages on other hosts"""
    thanks = page_elsewhere(window, "/thanks")
    for settings, fields in (({"thankyou_url": thanks}, ""), ({"status_url": thanks}, ""),
                             ({"hosts": "localhost"}, f'<input type="hidden" name="redirect_url" value="{thanks}">')):
        campaign = service.campaign(account, **STRICT, **settings)
        window.open(f"{service.front.url}/c/{campaign.id}")
        window.run(f"""
            const form = document.querySelector("form");
            form.insertAdjacentHTML("beforeend", {json.dumps(fields)});
            form.elements.email.value = "ada@example.org";
            form.requestSubmit();
        """)
        window.wait("document.title === 'elsewhere'", "the page elsewhere")
        assert window.path() == f"/thanks?kolid={campaign.find(email='ada@example.org')['social_id']}"


def test_another_name(window, service, account):
    """the form works on a page that is opened under another name than that of `server.base_url`"""
    campaign = service.campaign(account, **STRICT)
    window.open(f"{service.front.url.replace('127.0.0.1', 'localhost')}/c/{campaign.id}")
    window.press("Tab")
    window.type("ada@example.org")
    window.press("Enter")
    window.wait("location.pathname.includes('/s/') && location.hostname === '127.0.0.1'", "the status page")


def test_confirmed_elsewhere(window, make_service, mail_server):
    """docs/api.md 4.1.12: the button of the page for the mail's link leads to the campaign's own status page"""
    service = mailing_service(make_service, mail_server)
    campaign = service.campaign(service.account(), **STRICT, verify_email="on", bots="off", status_url=page_elsewhere(window, "/me"))
    recipient = f"linus{service.front.port}@example.org"
    campaign.lead(email=recipient)
    window.open(link_to(mail_server, recipient))

    def arrives():  # a button that is pressed too early shows the page again
        return window.run("""
            if (document.title !== "elsewhere" && !window.pressed && performance.now() > 2500) {
                window.pressed = true;
                document.querySelector("button").click();
            }
            return document.title === "elsewhere";
        """)
    wait_until(arrives, 30, "the page elsewhere")


@pytest.mark.parametrize("language", first("de", "en", "es", "fr"))
def test_facts_on_a_phone(window, service, account, language):
    """docs/pages.md 3: at 390 px, position, points and referrals are in one row, even if the position is shared"""
    campaign = service.campaign(account, pages="on", language=language)
    ada, _ = [campaign.lead(email=f"{name}@example.org") for name in ("ada", "bob")]
    window.resize(390)
    try:
        window.open(ada["status_url"])
        tops = window.run("return Array.from(document.querySelectorAll('.facts > div')).map(one => one.getBoundingClientRect().top);")
        assert len(tops) == 3 and len(set(tops)) == 1
        assert window.text(".facts small")
    finally:
        window.resize(900)


@pytest.mark.parametrize("language", first(*LANGUAGES, count=2))
def test_narrow(window, service, account, language):
    """the pages are readable at 320 px: nothing is wider than the window, not even a long address"""
    consent = "consent=I agree to https://lumen.example/privacy-notice-for-subscribers-of-the-newsletter-2026"
    campaign, lead = shop(service, account, f"fields={FIELDS}", consent, language=language)
    window.resize(320)
    try:
        for name, url, first in views(campaign, lead):
            show(window, url, first)
            assert window.run("return document.documentElement.lang;") == language
            wide = window.run("""
                return Array.from(document.querySelectorAll("body *")).filter(one => one.getBoundingClientRect().right > innerWidth + 1)
                            .map(one => one.outerHTML);
            """)
            assert wide == [] and window.run("return document.documentElement.scrollWidth <= innerWidth;"), name
            small = window.run("""
                return Array.from(document.querySelectorAll("a, button, input:not([type=hidden]), select")).filter(one => {
                    const { width, height } = one.getBoundingClientRect();
                    return !one.closest("[hidden], .trap") && (width < 24 || height < 24);
                }).map(one => one.outerHTML);
            """)
            assert small == [], name
    finally:
        window.resize(900)


@chromium_first
def test_a_translated_page(window, service, account):
    """docs/pages.md 2: the texts that a browser shows when it translates a page for a visitor are not sent"""
    campaign, _ = shop(service, account, "fields=email; plan select required: Plan = Free | Very Pro")
    window.open(f"{service.front.url}/c/{campaign.id}")
    window.run("""
        for (const option of document.querySelectorAll("option"))
            option.innerHTML = "<font>Übersetzt</font>";
        document.querySelector("[name=email]").value = "t@example.org";
        document.querySelector("select").selectedIndex = 2;
        document.querySelector("form").requestSubmit();
    """)
    window.wait("location.pathname.includes('/s/')", "the status page")
    assert campaign.find(email="t@example.org")["custom_fields"]["plan"] == "Very Pro"


@chromium_first
def test_texts_from_right_to_left(window, service, account):
    """docs/pages.md 5: a text has the direction of its first letter"""
    campaign, _ = shop(service, account, "title=שלום!", "text=Hello!")
    window.open(f"{service.front.url}/c/{campaign.id}")
    found = window.run("""
        const left = (one, at) => {
            const range = document.createRange();
            range.setStart(one, at);
            range.setEnd(one, at + 1);
            return range.getBoundingClientRect().left;
        };
        return ["h1", ".lead"].map(one => document.querySelector(one).firstChild).map(one => left(one, 0) < left(one, one.data.length - 1));
    """)
    assert found == [False, True]


@chromium_first
def test_a_form_is_sent_once(window, service, account):
    """docs/pages.md 2: two clicks send the form once; a visitor who has stopped a slow answer can send it again"""
    campaign, _ = shop(service, account)
    window.open(f"{service.front.url}/c/{campaign.id}")
    window.run("""
        window.sent = 0;
        HTMLFormElement.prototype.submit = () => window.sent++;
        const form = document.querySelector("form");
        form.noValidate = true;
        form.requestSubmit();
        form.requestSubmit();
    """)
    window.wait("window.sent > 0", "the first time")
    assert window.run("return window.sent;") == 1
    window.wait("(document.querySelector('form').requestSubmit(), window.sent > 1)", "the second time")


@chromium_first
@pytest.mark.parametrize("scheme", first("light", "dark"))
def test_axe(window, service, account, axe, scheme):
    """axe finds nothing, in either scheme, even with the campaign's own colours"""
    window.scheme(scheme)
    for looks in (LOOKS, [*LOOKS, "accent=#ffcc00", "background=#fff8e1", "dark_card=#202020", "dark_background=#101010"]):
        campaign, lead = shop(service, account, *looks)
        for name, url, first in views(campaign, lead):
            show(window, url, first)
            found = window.run(axe + """;
                const result = await axe.run();
                return result.violations.map(one => one.id + ": " + one.nodes.map(node => node.html + " " + node.failureSummary).join("; "));
            """)
            assert found == [], (name, found)


@chromium_first
def test_the_mail_is_sent_again(window, make_service, axe):
    """the button of the lead's own page, and its answer: by a click, at 320 px, in both schemes, without complaints of axe"""
    service = make_service(settings=[*SETTINGS, ("mail", "host", "127.0.0.1"), ("mail", "port", "9"), ("mail", "tls", "none"),
                                     ("mail", "from", "hello@example.org")])
    lead = service.campaign(service.account(), pages="on", verify_email="on").lead(email="ada@example.org")
    window.resize(320)
    try:
        for scheme in ("light", "dark"):
            window.scheme(scheme)
            show(window, lead["status_url"])
            for shown in ("[name=resend]", "[role=status].notice"):
                assert window.run(f"return document.querySelector('{shown}') !== null;")
                assert window.run("return document.documentElement.scrollWidth <= innerWidth;")
                found = window.run(axe + "; return (await axe.run()).violations.map(one => one.id + one.nodes.map(node => node.html));")
                assert found == [], (shown, found)
                if shown == "[name=resend]":
                    window.run("document.querySelector('[name=resend]').click();")
                    window.wait("location.search === '?resent=1' && document.readyState === 'complete'")
    finally:
        window.resize(900)
        window.scheme("light")


def mailing_service(make_service, server, *settings):
    service = make_service(settings=[*SETTINGS, *server.settings(), *settings])
    service.dispatcher.start()
    return service


def text_to(server, recipient):
    mail = wait_until(lambda: server.to(recipient), 10, f"no mail for {recipient}")[-1]
    return email.message_from_bytes(mail.content, policy=email.policy.SMTP).get_body("plain").get_content()


def code_to(server, recipient):
    return re.search(r"\b(\d{6})\b", text_to(server, recipient)).group(1)


def link_to(server, recipient):
    return re.search(r"http://\S+/confirm/\S+", text_to(server, recipient)).group()


def type_code(window, server, recipient):
    """From the page that the form leads to, by keyboard alone: opens the form for the code, types a wrong code, then the right one."""
    window.wait("location.pathname.endsWith('/sent') && document.readyState === 'complete'", "the page that says so")
    assert "We wrote to a•••@example.org" in window.text("main") and recipient not in window.run("return decodeURIComponent(location.href);")
    window.press("Tab")
    assert window.run("return document.activeElement.pathname.endsWith('/code');")
    window.press("Enter")
    window.wait("location.pathname.endsWith('/code') && document.readyState === 'complete'", "the form for the code")
    window.press("Tab")
    window.type(recipient)
    window.press("Tab")
    code = code_to(server, recipient)
    window.type(f"{(int(code) + 1) % 1000000:06}")
    window.press("Enter")
    window.wait("document.title.startsWith('Error:') && document.activeElement.name === 'code'", "the error")
    assert window.run("return document.getElementById(document.activeElement.getAttribute('aria-describedby')) !== null;")
    window.type(f"{code[:3]} {code[3:]}")
    window.press("Enter")
    window.wait("location.pathname.includes('/s/') && document.readyState === 'complete'", "the lead's page")


def test_a_code_by_mail(window, make_service, mail_server):
    """a code by mail is typed by keyboard, with and without scripts; loading the page after the form again signs up nobody"""
    service = mailing_service(make_service, mail_server)
    campaign = service.campaign(service.account(), **STRICT, verify_email="on", bots="off")
    for scripts in (True, False) if window.can_switch_scripts else (True,):
        if window.can_switch_scripts:
            window.scripts(scripts)
        try:
            recipient = f"ada{scripts}@example.org".lower()
            window.open(f"{service.front.url}/c/{campaign.id}")
            window.press("Tab")
            window.type(recipient)
            window.press("Enter")
            window.wait("location.pathname.endsWith('/sent') && document.readyState === 'complete'", "the page that says so")
            window.open(window.run("return location.href;"))
            assert campaign.find(email=recipient)["counter"] == 1
            type_code(window, mail_server, recipient)
            lead = campaign.find(email=recipient)
            assert lead["verified_email"] and lead["status_url"].endswith(window.path())
        finally:
            if window.can_switch_scripts:
                window.scripts(True)


def code_views(campaign, lead):
    base = f"{campaign.service.front.url}/c/{campaign.id}"
    yield "sent", f"{base}/sent", None
    yield "thanks", f"{base}/thanks", None
    yield "code", f"{base}/code", None
    yield "address", f"{base}/code", "const form = document.querySelector('form'); form.noValidate = true; form.requestSubmit();"
    yield "typed", f"{base}/code?email=ada@example.org", ("document.getElementById('f-code').value = '1';"
                                                            "document.querySelector('form').requestSubmit();")
    yield "by phone", f"{base}/code?phone_number=%2B4915112345678", None
    yield "typed by phone", f"{base}/code?phone_number=%2B4915112345678", ("document.getElementById('f-code').value = '1';"
                                                                           "document.querySelector('form').requestSubmit();")
    yield "own", lead["status_url"], None
    yield "again", f"{base}/s/{lead['social_id']}?again=email", None


@chromium_first
@pytest.mark.parametrize("language", first(*LANGUAGES))
def test_pages_for_codes(window, make_service, mail_server, gateway, axe, language):
    """the pages in a narrow window, in both schemes, without complaints of axe; the campaign verifies both kinds of addresses"""
    service = mailing_service(make_service, mail_server, *gateway.settings())
    campaign = service.campaign(service.account(), **STRICT, verify_email="on", verify_phone="on", language=language)
    lead = campaign.lead(email="ada@example.org", phone_number="+4915112345678")
    window.resize(320)
    try:
        for scheme in ("light", "dark"):
            window.scheme(scheme)
            for name, url, first in code_views(campaign, lead):
                window.open(url)
                if first is not None:
                    window.run(first)
                    window.wait("document.querySelector('[aria-invalid]') && document.readyState === 'complete'", name)
                assert window.run("return document.documentElement.lang;") == language
                assert window.run("return document.documentElement.scrollWidth <= innerWidth;"), name
                found = window.run(axe + "; return (await axe.run()).violations.map(one => one.id + one.nodes.map(node => node.html));")
                assert found == [], (name, found)
    finally:
        window.resize(900)
        window.scheme("light")


@pytest.mark.skipif("LEADHOOK_PICTURES" not in TEST_SETTINGS, reason="makes the pictures of the documents")
def test_pictures(window, service, account):
    if not window.can_switch_scripts:
        pytest.skip("one browser is enough")
    folder = pathlib.Path(TEST_SETTINGS["LEADHOOK_PICTURES"])
    folder.mkdir(parents=True, exist_ok=True)
    campaign, lead = shop(service, account, name="Lumen", landing_url="https://lumen.example/")
    for name, url, width, height, scheme in (("sign-up", f"{service.front.url}/c/{campaign.id}", 600, 860, "light"),
                                             ("status", lead["status_url"], 600, 1290, "light"),
                                             ("phone", lead["status_url"], 320, 720, "dark")):
        window.scheme(scheme)
        window.resize(width, height)
        window.open(url)
        window.picture(folder / f"{name}.png")
    window.scheme("light")
    window.resize(900)
