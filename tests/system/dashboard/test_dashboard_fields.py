# SPDX-License-Identifier: MIT
"""docs/pages.md 2: the editor of a form's fields in the dashboard, and what the hosted page and the API make of its text."""
import json
import random

import pytest
from marks import chromium_first
from dashboard import SETTINGS
from html_page import Page
from stack.process import wait_until

pytestmark = [chromium_first, pytest.mark.usefixtures("window")]  # the fixture `dashboard` below hides that it needs the window
FEATURES = ("phone_number: Mobile; email required\n\nfirst_name\tcheckbox required : Call me; website text;plan required, select: Which: a|b? = "
            "Free = 0 | Berlin, DE |Größe: \"L\" <b>\nnote textarea: a = b | c: d; age number: Age ; site url: Site; tel_2 tel: Other phone; "
            "mail_2 email: Other address; last_name select: = A | B|; news checkbox number checkbox: News")
TEXTS = ["email", "phone_number", "email required", "email;", ";;email\n\n", "email: Your address", "email,required", ", email", "email:", "email :  ",
         "email\nphone_number required", "company", "email text", "phone_number tel", "email select", "email; email", "email; plan", "email; plan:",
         "email; plan select", "email; plan select: Plan", "email; plan select: Plan =", "email; plan select: Plan = |", "email; plan select: Plan = | a",
         "email; plan select: Plan = a|", "email; plan select: Plan = free => Free of charge | Pro", "email; plan select: Plan = a => a|b=>c",
         "email; plan select: Plan = a =>", "email; plan select: Plan = => b", "email; plan select: Plan = a => b => c", "email; plan select: = a => b",
         f"email; a select: A = {'x' * 300} => {'y' * 300}", f"email; a select: A = x => {'y' * 301}",
         "email; plan select: Plan = a||", "email; plan select: = a", "email; name select: = a", "email; name select = a",
         "email; name select: a = b = c | d", "email; plan optional: Plan", "email; Plan: Plan", "email; 1st: First", "email; _a: A", "email; utm_x: X",
         "email; utm: X", "email; first-name: X", "email; größe: X", "email; name\u00a0: X", "email; name: \u00a0", "email; a\u00a0required: X",
         f"email; {'a' * 40}: A", f"email; {'a' * 41}: A", f"email; a: {'ü' * 150}", f"email; a: {'ü' * 151}", f"email; a select: A = {'x' * 301}",
         f"email; a select: {'x' * 301} = b", "email; a select: A = " + "|".join(map(str, range(50))), "email; a select: A = " + "|".join(map(str, range(51))),
         "email" + "".join(f"; a{number}: A" for number in range(19)), "email" + "".join(f"; a{number}: A" for number in range(20)),
         "email; constructor: C", "email; toString: C", "email; a: x: y = z | w", "email; a required required textarea text: A", FEATURES]
RESERVED = ("action", "altcha", "api_key", "campaign_id", "campaignid", "consent", "consent_version", "controller", "country_code", "format", "ip",
            "ip_address", "jsonp", "kid", "kolid", "landing_page_id", "list_id", "must_exist", "points", "redirect_url", "referrer", "skip_ar", "social_id")
MODULES = """
    const load = name => import(performance.getEntriesByType("resource").map(one => one.name).find(one => one.endsWith("/" + name)));
    const { parse, print } = await load("fields.js"), { post } = await load("api.js");
"""


@pytest.fixture(scope="module")
def service(make_service):
    return make_service(settings=SETTINGS)


@pytest.fixture
def campaign(service, account):
    return service.campaign(account, pages="on")


@pytest.fixture
def dashboard(dashboard, campaign):
    """The editor of a campaign whose form has the default fields."""
    dashboard.open(f"campaigns/{campaign.id}/pages", "Pages and email")
    return dashboard


def part(row, name):
    """Return an expression for the control of a row; rows are counted from 1."""
    return f"document.querySelectorAll('.form-fields li')[{row - 1}]?.querySelector('[name={name}]')"


def fill(dashboard, row, name, text, shown=None):
    dashboard.wait(part(row, name))
    dashboard.run(f"{part(row, name)}.focus(); {part(row, name)}.select();")
    dashboard.window.type(text)
    dashboard.wait(f"{part(row, name)}.value === {json.dumps(text if shown is None else shown)}", f"{name}: {text}")


def clear(dashboard, row, name):
    dashboard.run(f"const one = {part(row, name)}; one.value = ''; one.dispatchEvent(new Event('input', {{ bubbles: true }}));")


def kind(dashboard, row, value):
    dashboard.run(f"const one = {part(row, 'type')}; one.value = '{value}'; one.dispatchEvent(new Event('change', {{ bubbles: true }}));")
    dashboard.wait(f"{part(row, 'type')}.value === '{value}'")


def rows(dashboard):
    return dashboard.value("[...document.querySelectorAll('.form-fields legend')].slice(1).map(one => one.textContent)")


def save(dashboard):
    dashboard.click("Save")
    dashboard.wait("!button('Save')", "the form is saved")
    dashboard.sees("Saved and published")


def stored(leadhook, campaign):
    return {row["name"]: row["value"] for row in leadhook("page", "show", str(campaign.id))}.get("fields")


def form_of(campaign):
    """Return the controls that a visitor fills in on the hosted page, in order (tag and attributes), and the page."""
    page = Page(campaign.client.request("GET", f"/c/{campaign.id}").body.decode())
    return [(tag, attrs) for tag, attrs, _ in page.found if tag in ("input", "select", "textarea") and attrs.get("id", "").startswith("f-")], page


def no_violations(dashboard, axe):
    found = dashboard.axe(axe)
    assert found == []


def test_a_form_is_built(dashboard, campaign, leadhook, axe):
    """first name, a required choice, a checkbox; move, remove; the default form stays until something is changed; nothing is wider
    than a phone"""
    assert rows(dashboard) == ["1. Email"]
    dashboard.sees("This is the default form.")
    assert dashboard.value(f"{part(1, 'required')}.checked && {part(1, 'required')}.disabled && !button('Save') && button('Remove: Email').disabled")
    dashboard.click("Add First name")
    dashboard.wait(f"document.activeElement === {part(2, 'label')}")
    dashboard.tab_to("Add Other")
    dashboard.window.press("Enter")
    dashboard.wait(f"document.activeElement === {part(3, 'label')}")
    dashboard.window.type("Which plan?")
    dashboard.wait(f"{part(3, 'name')}.value === 'which_plan'")
    kind(dashboard, 3, "select")
    fill(dashboard, 3, "options", "Free | Pro, yearly", "Free\nPro, yearly")
    dashboard.run(f"{part(3, 'required')}.click();")
    dashboard.click("Add Other")
    dashboard.wait(f"document.activeElement === {part(4, 'label')}")
    dashboard.window.type("Send me news")
    kind(dashboard, 4, "checkbox")
    dashboard.wait("Boolean(document.querySelector('iframe')?.contentDocument?.querySelector('[name=send_me_news]'))", "the preview")
    no_violations(dashboard, axe)
    dashboard.window.resize(360, 740)
    assert dashboard.value("document.documentElement.scrollWidth - innerWidth") <= 0
    dashboard.window.resize(1280)
    save(dashboard)
    controls, page = form_of(campaign)
    assert [(tag, attrs["name"], attrs.get("type"), "required" in attrs) for tag, attrs in controls] == [
        ("input", "email", "text", True), ("input", "first_name", "text", False), ("select", "which_plan", None, True),
        ("input", "send_me_news", "checkbox", False)]
    assert page.texts["option"] == ["Please choose", "Free", "Pro, yearly"]
    fill(dashboard, 4, "label", "Send me offers")
    assert dashboard.value(f"{part(4, 'name')}.value") == "send_me_news", "a name that is published does not follow the label"
    dashboard.run(f"{part(2, 'label')}.focus();")
    dashboard.tab_to("Move up: First name")
    dashboard.window.press("Enter")
    dashboard.wait("document.activeElement === button('Move down: First name')", "the focus stays at the field")
    dashboard.click("Move up: Send me offers")
    dashboard.wait("document.activeElement === button('Move up: Send me offers')")
    dashboard.click("Remove: Which plan?")
    dashboard.wait("document.activeElement === button('Remove: Send me offers')")
    assert rows(dashboard) == ["1. First name", "2. Email", "3. Send me offers"]
    save(dashboard)
    assert [attrs["name"] for _, attrs in form_of(campaign)[0]] == ["first_name", "email", "send_me_news"]
    assert stored(leadhook, campaign) == "first_name\nemail\nsend_me_news checkbox: Send me offers"


def test_broken_rules(dashboard, campaign, leadhook, axe):
    """they are reported beside the field, with the error of the API; nothing is dropped silently"""
    dashboard.click("Add Other")
    fill(dashboard, 2, "label", "Plan; email required", "Plan email required")
    dashboard.sees("; cannot be used here.")
    kind(dashboard, 2, "select")
    dashboard.sees("Enter at least one option.")
    fill(dashboard, 2, "options", "A;B", "AB")
    fill(dashboard, 2, "label", "A=B", "AB")
    dashboard.sees("= cannot be used here.")
    fill(dashboard, 2, "name", "My plan:", "my_plan_")
    for name, shown in (("points", "This name has another meaning."), ("email", "Another field has this name."), ("utm_x", "Begin with a letter")):
        fill(dashboard, 2, "name", name)
        dashboard.sees(shown)
        dashboard.wait(f"{part(2, 'name')}.getAttribute('aria-invalid') === 'true'")
    fill(dashboard, 2, "name", "plan")
    clear(dashboard, 2, "label")
    dashboard.sees("Enter a label.")
    dashboard.wait("document.querySelector('.preview-card .error')?.textContent.includes('are shown as they were last saved')")
    dashboard.click("Save")
    dashboard.wait(f"document.querySelector('.form-fields [role=alert]')?.textContent.includes('Enter a label') && document.activeElement === {part(2, 'label')}")
    no_violations(dashboard, axe)
    assert stored(leadhook, campaign) is None
    fill(dashboard, 2, "label", "Plan")
    dashboard.wait("!document.querySelector('[role=alert]')")
    dashboard.click("Remove: Email")
    dashboard.sees("A form needs at least one of them.")
    dashboard.click("Save")
    dashboard.wait("document.querySelector('.form-fields [role=alert]') === document.activeElement && document.activeElement.textContent.includes('Add Email or Phone number')")
    dashboard.click("Add Phone number")
    dashboard.wait(f"{part(2, 'required')}.disabled")
    dashboard.click("Add Email")
    dashboard.sees("Visitors must enter an email address or a phone number.")
    for _ in range(17):
        dashboard.click("Add Other")
    dashboard.wait("!button('Add Other')")
    dashboard.sees("A form has at most 20 fields.")


def test_text(dashboard, campaign, leadhook, tmp_path):
    """each feature survives other changes; a text with an error stays a text; both forms can be changed at any time"""
    (tmp_path / "fields.txt").write_text(FEATURES, encoding="utf-8")
    leadhook("page", "set", str(campaign.id), f"fields=@{tmp_path}/fields.txt")
    dashboard.load(f"campaigns/{campaign.id}/pages")
    assert len(rows(dashboard)) == 12
    dashboard.fill("Headline", "Come in")
    save(dashboard)
    assert stored(leadhook, campaign) == FEATURES
    before = form_of(campaign)
    fill(dashboard, 7, "label", "Your age")
    save(dashboard)
    after = form_of(campaign)
    assert after[0] == before[0] and after[1].texts["option"] == before[1].texts["option"]
    assert after[1].texts["label"] == ["Your age" + text[3:] if text.startswith("Age") else text for text in before[1].texts["label"]]
    assert "Your age" in stored(leadhook, campaign)
    dashboard.click("Edit as text")
    dashboard.fill("Form fields", "email; plan")
    dashboard.sees("“plan”: Enter a label.")
    dashboard.wait("document.querySelector('.preview-card .error')?.textContent.includes('are shown as they were last saved') && !button('Edit as fields')")
    dashboard.click("Save")
    dashboard.wait("field('Form fields') === document.activeElement && document.activeElement.getAttribute('aria-invalid') && "
                   "button('Save').getAttribute('aria-busy') === 'false'")
    dashboard.fill("Form fields", "email; plan: Plan")
    dashboard.tab_to("Edit as fields")
    dashboard.window.press("Enter")
    dashboard.wait("document.activeElement === button('Edit as text')")
    assert rows(dashboard) == ["1. Email", "2. Plan"]
    save(dashboard)
    assert stored(leadhook, campaign) == "email; plan: Plan"
    dashboard.choose("Language", "German")
    dashboard.sees("These are the fields of all languages.")
    wait_until(lambda: rows(dashboard) == ["1. Email", "2. Plan"], 10, "the fields as they were saved")
    fill(dashboard, 2, "label", "Tarif")
    save(dashboard)
    shown = {row.get("language"): row["value"] for row in leadhook("page", "show", str(campaign.id)) if row["name"] == "fields"}
    assert sorted(shown.values()) == ["email\nplan: Tarif", "email; plan: Plan"]


def test_options_are_translated(dashboard, campaign, leadhook):
    """docs/pages.md 2: a language without its own fields begins with what is stored, and with the label of each option"""
    leadhook("page", "set", str(campaign.id), "fields=email; plan select: Plan = Free | pro => Professional")
    dashboard.load(f"campaigns/{campaign.id}/pages")
    dashboard.wait(f"{part(2, 'options')}.value === 'Free\\npro => Professional'")
    dashboard.choose("Language", "German")
    dashboard.wait(f"{part(2, 'options')}.value === 'Free => Free\\npro => Professional'")
    fill(dashboard, 2, "options", "Free => Kostenlos|pro => Profi", "Free => Kostenlos\npro => Profi")
    save(dashboard)
    shown = {row.get("language"): row["value"] for row in leadhook("page", "show", str(campaign.id)) if row["name"] == "fields"}
    assert "email\nplan select: Plan = Free => Kostenlos | pro => Profi" in shown.values()


def made_texts(count):
    """Random combinations of parts of fields, most of which are correct."""
    chance = random.Random(7)
    names = ["email", "phone_number", "name", "website", "a", "b_2", "plan", "points", "x y", ""]
    words = ["", "", " required", " select", " checkbox", " tel", " select required", ", url", "\ttextarea", " none"]
    labels = [": Label", ": Label", ": A = B | C", ": A = b => B | C", ": A = => B", ": = x|y", ":", "", ": a: b", ": Größe = 1 | 2 |", " : L = "]
    for _ in range(count):
        fields = [chance.choice(names) + chance.choice(words) + chance.choice(labels) for _ in range(chance.randint(0, 3))]
        yield chance.choice(["; ", ";", "\n", " \n; "]).join([*fields, chance.choice(["email", "email", "phone_number required", "name"])])


def test_rows_mean_what_the_text_means(dashboard, campaign):
    """a text that the API accepts results in the same page after it was shown as rows and turned into text again; a text that the
    API refuses is not shown as rows"""
    texts = [*TEXTS, *(f"email; {name}: X" for name in RESERVED), *made_texts(200)]
    results = dashboard.run(MODULES + f"""
        const page = fields => post("campaigns/{campaign.id}/page/preview", {{ view: "signup", fields }}).then(({{ value }}) => (value.errors.length > 0 ? null : value.html), String);
        const results = [];
        for (const text of {json.dumps(texts)}) {{
            const {{ rows, problem }} = parse(text), again = rows && print(rows);
            results.push({{ text, again, problem, page: await page(text), same: rows ? await page(again) : null, stable: !rows || JSON.stringify(parse(again).rows) === JSON.stringify(rows) }});
        }}
        return results;""")
    assert len(results) == len(texts)
    for result in results:
        assert result["stable"] and result["page"] == result["same"], result
        assert bool(result.get("problem")) == (result["page"] is None), result
        assert result["page"] is None or result["page"].startswith("<!DOCTYPE html>"), result
    accepted = sum(result["page"] is not None for result in results)
    assert 80 < accepted < len(texts) - 80, accepted
