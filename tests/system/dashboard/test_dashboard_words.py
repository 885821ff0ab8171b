# SPDX-License-Identifier: MIT
"""docs/dashboard.md 2.3: an error in a value is explained at its field, in plain words, and everything else continues to work."""
import re

import pytest
from marks import chromium_first
from dashboard import running_service

pytestmark = chromium_first
# Names and technical words that mean nothing to people who write texts.
STRANGE = re.compile(r"[a-z]+_[a-z]|RFC|\bexpected\b|\d{6}|rrggbb|=:|/\^|\bnull\b|parse")
BAD = ["", "many", "-1", "1.5", "99999999999", "foo bar", "https://", "javascript:x", "a b/c", "x" * 3000, "#fff", "<b>", "é"]


@pytest.fixture(scope="module")
def service(make_service):
    return running_service(make_service)


@pytest.fixture
def campaign(service, account):
    return service.campaign(account, pages="on")


def set_values(dashboard, selector, value):
    """Sets all fields that match the selector, as if the value had been typed."""
    dashboard.run(f"""for (const one of document.querySelectorAll({selector!r})) {{
        const kind = one.tagName === "TEXTAREA" ? HTMLTextAreaElement : HTMLInputElement;
        Object.getOwnPropertyDescriptor(kind.prototype, "value").set.call(one, {value!r});
        one.dispatchEvent(new Event("input", {{ bubbles: true }}));
    }}""")


ERRORS = "[...document.querySelectorAll('main form .error')].map(one => [one.closest('.field')?.querySelector('label')?.textContent, one.textContent])"


def judge(label, text):
    assert not STRANGE.search(re.sub("“[^”]*”", "", text)), (label, text)
    assert label and (text.startswith((label, "Enter ")) or text[0].isupper()) and text.endswith("."), (label, text)


def test_messages_of_settings(dashboard, campaign):
    """each text field, with many kinds of wrong values"""
    dashboard.load(f"campaigns/{campaign.id}/settings")
    dashboard.run("document.querySelectorAll('details').forEach(one => { one.open = true; });")
    names = dashboard.value("[...document.querySelectorAll('main form :is(input:not([type=checkbox]):not([type=date]), textarea)')].map(one => one.name)")
    assert {"name", "jump_start", "points_direct", "hosts", "landing_url", "allowed_networks", "max_per_ip"} <= set(names)
    wrong = set()
    for value in ("many x", "99999999999", "x" * 3000):
        for name in names:
            field = f"document.querySelector('main [name={name}]')"
            save = f"[...{field}.form.querySelectorAll('button')].find(one => one.textContent === 'Save')"
            before = dashboard.value(f"{field}.value")
            set_values(dashboard, f"main [name={name}]", value)
            dashboard.wait(save)
            dashboard.run(f"{save}.click();")
            dashboard.wait(f"{ERRORS}.length > 0 || !{save}", f"{name}: {value}")
            for label, text in dashboard.value(ERRORS):
                judge(label, text)
                wrong.add(name)
            set_values(dashboard, f"main [name={name}]", before)
            dashboard.wait(f"{ERRORS}.length === 0")
    assert wrong == set(names), "each has a value that is refused"


@pytest.mark.parametrize("value", BAD[1:])
def test_messages_of_looks(dashboard, campaign, value):
    """all fields are wrong at once: each value has its message, and the page is shown without it"""
    dashboard.load(f"campaigns/{campaign.id}/pages")
    dashboard.wait("document.querySelector('iframe')?.contentDocument?.querySelector('h1')?.textContent")
    set_values(dashboard, "main form [name]:is(input:not([type=checkbox]):not([type=color]), textarea):not(.form-fields *)", value)
    shown = "document.querySelector('iframe').contentDocument"
    dashboard.wait(f"{ERRORS}.length > 3")
    dashboard.settled()
    for label, text in dashboard.value(ERRORS):
        judge(label, text)
    assert dashboard.value(f"Boolean({shown}.querySelector('form'))") and dashboard.problems() == []


def test_a_field_without_a_label(dashboard, campaign):
    """the preview continues while a new field has no label"""
    dashboard.load(f"campaigns/{campaign.id}/pages")
    title = "document.querySelector('iframe')?.contentDocument?.querySelector('h1')?.textContent"
    dashboard.wait(title)
    dashboard.run("[...document.querySelectorAll('.form-fields button')].find(one => one.textContent.trim() === 'Other').click();")
    dashboard.fill("Headline", "Still shown")
    dashboard.wait(f"{title} === 'Still shown'")
    assert not re.search(r"name: Label|the field “|the field \"", dashboard.text())


def test_pasted_control_characters(dashboard, campaign, leadhook):
    """they are left out"""
    dashboard.load(f"campaigns/{campaign.id}/settings")
    set_values(dashboard, "main [name=name]", "Summer\u000b sale\u0000\u0085\u001b")
    dashboard.click("Save")
    dashboard.sees("Saved")
    assert leadhook("campaign", "show", str(campaign.id))["name"] == "Summer sale"


def test_a_message_without_its_field(dashboard):
    """it names the field that it is about"""
    found = dashboard.run("""const ui = await import(new URL("ui.js", document.querySelector("script[type=module]").src));
        return [ui.messageOf("expected a whole number from 0 to 99999, not many", "Points"), ui.messageOf("must be a single line", "Headline"),
            ui.messageOf("points: expected a number", "Points"), ui.messageOf("there is no such lead", "Lead")];""")
    assert found == ["Enter a whole number from 0 to 99999. “many” cannot be used.", "Headline must be a single line.", "Enter a number.",
                     "There is no such lead."]
