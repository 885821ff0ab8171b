# SPDX-License-Identifier: MIT
"""docs/statistics.md 2.1: the dashboard shows the sign-ups of a campaign by UTM value and by referring site."""
import pytest
from marks import chromium_first
from dashboard import running_service
from stack.process import wait_until

pytestmark = chromium_first


@pytest.fixture(scope="module")
def service(make_service):
    return running_service(make_service)


def test_sources(dashboard, service, leadhook):
    """one kind of value at a time, of the kinds that the leads have; values that are not stored are shown as other"""
    campaign = service.campaign(service.account("Lamps"))
    for number, fields in enumerate([{"utm_source": "<b>news</b>"}, {"utm_source": "<b>news</b>"}, {"utm_source": "a@example.org"},
                                     {"__referrer": "https://blog.example/"}]):
        campaign.lead(email=f"{number}@example.org", **fields)
    wait_until(lambda: len(leadhook("campaign", "sources", campaign.id)) == 3, 60, "the dispatcher to count")
    dashboard.open(f"campaigns/{campaign.id}")
    kinds = "[...document.querySelectorAll('[aria-label=\"Kind of source\"] button')].map(one => one.textContent)"

    def rows(name):
        return dashboard.value(f"[...document.querySelectorAll('ol[aria-label=\"{name}\"] li')].map(one => one.innerText.trim().split(/\\s*\\n\\s*/))")
    dashboard.wait(f"{kinds}.length === 2", "the kinds")
    assert dashboard.value(kinds) == ["UTM source", "Websites"]
    assert rows("UTM source") == [["<b>news</b>", "2"], ["All others", "1"]]
    dashboard.click("Websites")
    dashboard.wait("document.querySelector('ol[aria-label=Websites]')", "the sites")
    assert rows("Websites") == [["blog.example", "1"]] and rows("UTM source") == []
