# SPDX-License-Identifier: MIT
"""docs/dashboard.md in Chromium and Firefox: each view, logins, narrow windows, both color schemes, axe, the keyboard."""
import contextlib
import gzip
import re
import urllib.parse

import pytest
from marks import chromium_first
from caller import PASSWORD, User, code_of
from dashboard import SETTINGS, VIEWS, Dashboard, make_operator, make_shop, running_service
from stack.process import wait_until
from stack.receiver import Answer

FIRST_VIEW_BYTES = 120 * 1024
POLICY = ("default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; frame-src 'self'; "
          "form-action 'none'; base-uri 'none'; frame-ancestors 'none'")
MARKUP = "\"><img src=x onerror=\"window.pwned=1\"><script>window.pwned=1</script>'`${1}"


@pytest.fixture(scope="module")
def service(make_service):
    return running_service(make_service)


@pytest.fixture(scope="module")
def shop(service):
    return make_shop(service, service.account("Lamps"))


def places(service, campaign):
    """Each view of VIEWS: its name, place and heading."""
    deliveries = service.deliveries(campaign.hooked)
    values = {"campaign": campaign.id, "name": campaign.name, "lead": campaign.ada["social_id"], "webhook": campaign.hooked["referenceId"],
              "delivery": deliveries[-1]["id"], "receiver": service.receiver.url(campaign.hook).removeprefix("http://")}
    for name, (place, heading) in VIEWS.items():
        yield name, place.format(**values), heading.format(**values)


def test_each_view(dashboard, service, shop):
    """no alert, no script error, no violation of the policy, nothing from another host; the heading has the focus; the first files
    to be loaded are those that test_first_view counts"""
    loaded = "performance.getEntriesByType('resource').map(one => one.name)"
    for name, place, heading in places(service, shop):
        dashboard.open(place, heading)
        if name == "overview":
            files = dashboard.value(loaded + ".filter(one => one.includes('/dashboard/'))")
            assert files and set(files) <= set(dashboard.value("[...document.querySelectorAll('link, script')].map(one => one.href || one.src)"))
        if name in ("pages", "email"):
            dashboard.wait("document.querySelector('iframe')?.contentDocument?.body?.innerText.includes('Waiting list')", "the preview")
        if name == "email":  # the policy of its document allows inline styles
            dashboard.wait("document.querySelector('iframe').contentDocument.querySelector('[style*=padding]')?.style.length > 0", "styles")
        assert dashboard.problems() == [], name
        if name != "overview":
            dashboard.wait("document.activeElement.tagName === 'H1'", f"the focus at the heading of {name}")
    urls = dashboard.value(loaded)
    assert urls and all(url.startswith(service.front.url + "/") for url in urls), urls


@pytest.mark.long
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe(dashboard, service, shop, axe, scheme):
    """axe finds nothing"""
    dashboard.window.scheme(scheme)
    for name, place, heading in places(service, shop):
        dashboard.open(place, heading)
        found = dashboard.axe(axe)
        assert found == [], name


@chromium_first
def test_a_phone(dashboard, service, shop):
    """nothing is wider than the window; the navigation becomes a menu"""
    dashboard.window.resize(360, 740)
    for name, place, heading in places(service, shop):
        dashboard.open(place, heading)
        wide = dashboard.value("document.documentElement.scrollWidth - innerWidth")
        assert wide <= 0, (name, wide, dashboard.value(
            "[...document.querySelectorAll('main *')].filter(one => one.getBoundingClientRect().right > innerWidth).slice(0, 5).map(one => one.outerHTML.slice(0, 200))"))
    assert not dashboard.value("button('Audit log')")
    dashboard.click("Menu")
    dashboard.click("Audit log")
    dashboard.wait("document.querySelector('h1').textContent === 'Audit log'")


def test_first_view(service):
    """docs/dashboard.md 3: at most 120 KB compressed until the first view is shown; compressed and plain bytes are the same; files
    are cached by version, but not under the path of another version"""
    page = service.client.request("GET", "/dashboard", headers={"Accept-Encoding": "gzip"})
    assert page.status == 200 and page.headers["Content-Security-Policy"] == POLICY and page.headers["Cache-Control"] == "no-store"
    names = re.findall(r'(?:href|src)="([^"]+)"', page.body.decode())
    size, seen = len(page.body), set()
    for name in names:
        packed = service.client.request("GET", name.removeprefix(service.front.base_path), headers={"Accept-Encoding": "br, gzip;q=0.5"})
        plain = service.client.request("GET", name.removeprefix(service.front.base_path), headers={"Accept-Encoding": "gzip;q=0, identity"})
        assert packed.status == plain.status == 200, name
        assert packed.headers["Content-Encoding"] == "gzip" and "Content-Encoding" not in plain.headers
        assert gzip.decompress(packed.body) == plain.body and packed.headers["ETag"] != plain.headers["ETag"]
        assert "immutable" in packed.headers["Cache-Control"] and packed.headers["Vary"] == "Accept-Encoding"
        size += len(packed.body)
        seen.add(name.rpartition("/")[2])
    assert {"main.js", "style.css", "preact.js"} <= seen and "uplot.js" not in seen
    path = names[-1].removeprefix(service.front.base_path)
    other = service.client.request("GET", path.replace(f"/{path.split('/')[-2]}/", "/other/"), headers={"Accept-Encoding": "identity"})
    assert (other.status, other.body, other.headers["Cache-Control"]) == (200, plain.body, "no-store")
    assert service.client.request("GET", path + "/").status == 404
    assert size <= FIRST_VIEW_BYTES, size


def test_login_with_a_second_factor(window, service):
    """docs/users.md 3, 4: from the link of an invitation to a login with a code"""
    user = User(service, f"ada-{window.browser.name}@example.org", "--role", "operator", "--name", "Ada")
    dashboard = Dashboard(window, service.front.url)
    window.open("about:blank")
    window.open(user.link)
    dashboard.sees("Welcome, Ada")
    assert dashboard.value("location.hash") == "", "the token is in the address"
    dashboard.fill("Password", "short")
    dashboard.click("Set the password and log in")
    dashboard.wait("document.querySelector('[aria-invalid=true]') === document.activeElement")
    dashboard.fill("Password", PASSWORD)
    dashboard.click("Set the password and log in")
    dashboard.wait("document.querySelector('h1')?.textContent === 'Overview'")
    dashboard.open("me", "Ada")
    dashboard.click("Turn on")
    dashboard.wait("top().querySelector('canvas')?.width > 20", "the QR code")
    secret = dashboard.value("top().querySelector('code').textContent").replace(" ", "")
    dashboard.fill("Code from the app", code_of(secret))
    dashboard.click("Turn on")
    dashboard.wait("top().querySelector('pre')?.textContent.split('\\n').length === 10", "ten recovery codes")
    codes = dashboard.value("top().querySelector('pre').textContent").split("\n")
    for _ in range(3):
        window.press("Escape")
        dashboard.wait("top().querySelector('pre')", "a dialog that stays until they are stored")
    dashboard.tick("I have stored them")
    dashboard.click("Done")
    dashboard.sees("Turn off")
    dashboard.log_out()
    dashboard.fill("Email address", user.email)
    dashboard.fill("Password", PASSWORD)
    dashboard.click("Log in")
    dashboard.fill("Code", "000000")
    dashboard.click("Log in")
    dashboard.sees("The password or the code is wrong.")
    dashboard.fill("Code", codes[0])
    dashboard.click("Log in")
    dashboard.wait("document.querySelector('.shell h1')")
    assert dashboard.problems() == []
    dashboard.log_out()
    window.open("about:blank")
    window.open(user.link)
    dashboard.sees("This link is not valid")


@chromium_first
def test_by_keyboard(dashboard, service, leadhook):
    """a campaign and a webhook are added without a pointer; dialogs take the focus, close with Escape and return it; shortcuts"""
    service.account("Keys")
    dashboard.open("me", "Root")
    dashboard.open("", "Overview")
    dashboard.tab_to("Create campaign")
    dashboard.window.press("Enter")
    dashboard.wait("document.activeElement.closest('dialog')")
    dashboard.window.press("Escape")
    dashboard.wait("!document.querySelector('dialog') && document.activeElement === button('Create campaign')")
    dashboard.window.press("Enter")
    name = f"By keyboard {dashboard.window.browser.name}"
    dashboard.tab_to("Name")
    dashboard.window.type(name)
    dashboard.window.press("Enter")
    dashboard.wait(f"document.activeElement.textContent === '{name}'")
    dashboard.window.press("g", "w")
    dashboard.wait("document.activeElement.textContent === 'Webhooks'")
    dashboard.tab_to("Add webhook")
    dashboard.window.press("Space")
    dashboard.tab_to("Webhook URL")
    dashboard.run("document.activeElement.select();")
    dashboard.window.type(service.receiver.url("/keyboard"))
    dashboard.window.press("Enter")
    dashboard.tab_to("I have stored the secret")
    dashboard.window.press("Enter")
    dashboard.wait("location.hash.match(/webhooks\\/[0-9]+$/) && !document.querySelector('dialog')")
    dashboard.window.press("?")
    dashboard.wait("document.activeElement.closest('dialog')")
    dashboard.window.press("Escape")
    dashboard.wait("!document.querySelector('dialog')")
    dashboard.window.press("g", "l")
    dashboard.wait("document.activeElement.textContent === 'Leads'")
    dashboard.window.press("/")
    dashboard.wait("document.activeElement === field('Search leads')")
    campaign = [one for one in leadhook("campaign", "list") if one["name"] == name][0]
    assert len(leadhook("webhook", "list", str(campaign["id"]))) == 1


@chromium_first
def test_markup_in_each_field(dashboard, service):
    """docs/dashboard.md 4: what people type is shown as text; a slash in an id does not divide the path of a call"""
    admin = service.installation.admin
    account = service.account(MARKUP)
    campaign = service.campaign(account, pages="on")
    campaign.name = MARKUP
    admin("campaign", "set", str(campaign.id), f"name={MARKUP}")
    campaign.define("reward", MARKUP, "--required-points", 1)
    campaign.define("action", MARKUP, "--points", 1)
    tag = campaign.define("tag", MARKUP)
    admin("key", "add", str(account.id), "--name", MARKUP)
    admin("user", "add", f"x-{campaign.id}@example.org", "--role", "viewer", "--account", str(account.id), "--name", MARKUP)
    admin("page", "set", str(campaign.id), f"title={MARKUP}", f"text={MARKUP}")
    admin("mail", "set", str(campaign.id), "welcome", f"subject={MARKUP}")
    service.receiver.script(f"{campaign.hook}/x", Answer(500, body=MARKUP.encode()))
    campaign.hooked = campaign.webhook("new_signup", below="/x?" + urllib.parse.quote(MARKUP))
    lead = campaign.lead(email="x@example.org", first_name=MARKUP, last_name=MARKUP, company=MARKUP, utm_source=MARKUP, referrer=MARKUP)
    campaign.points(lead, 3)
    service.client.request("POST", campaign.path, json_body={"email": "proto@example.org", "__source": "__proto__"}, key=campaign.key)
    admin("lead", "change", str(campaign.id), "tag", lead["social_id"], "--tag", str(tag))
    wait_until(lambda: campaign.find(email="x@example.org")["tags"], 15, "the tag")
    wait_until(lambda: service.deliveries(campaign.hooked)[-1]["attempts"], 15, "an attempt")
    campaign.ada = lead
    polluted = campaign.find(email="proto@example.org")["social_id"]
    dashboard.open(f"campaigns/{campaign.id}/leads/{polluted}")
    dashboard.open(f"campaigns/{campaign.id}/export?fraudulent=__proto__", "Export leads")
    assert dashboard.run("const names = []; for (const name in {}) names.push(name); return names;") == []
    for place in (f"campaigns/{campaign.id}%2F..%2F..%2Fusers%2F1/settings", f"campaigns%2F{campaign.id}"):
        dashboard.open(place, "Not found")
    seen = 0
    for name, place, _ in places(service, campaign):
        dashboard.open(place)
        assert dashboard.problems() == [], name
        assert not dashboard.value("window.pwned || document.querySelector('main img, main script, nav img')"), name
        seen += "onerror" in dashboard.text()
    assert seen >= 8, seen


@chromium_first
def test_without_the_database(window, make_service, own_database):
    """docs/dashboard.md 3: a message explains what is wrong; the data shown stays; the view recovers by itself"""
    service = make_service(settings=SETTINGS, database=own_database)
    root = make_operator(service)
    service.campaign(service.account("Lamps"))
    dashboard = Dashboard(window, service.front.url)
    dashboard.enter(root)
    shown = "document.querySelectorAll('main tbody tr').length === 1"
    dashboard.wait(shown)
    with stopped(own_database):
        window.open("about:blank")
        window.open(dashboard.url)
        dashboard.sees("Your input is not lost.")
        dashboard.wait("button('Try again')")
    service.wait_ready()
    dashboard.click("Try again")
    dashboard.wait(shown)
    with stopped(own_database):
        dashboard.click("Refresh")
        dashboard.sees("Not updated since")
        dashboard.sees("out of reach")
        assert dashboard.value(shown)
    dashboard.wait("!document.body.innerText.includes('Not updated since')", "fresh data")
    assert dashboard.value(shown)


@contextlib.contextmanager
def stopped(database):
    database.stop()
    try:
        yield
    finally:
        database.start()
