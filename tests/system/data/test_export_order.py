# SPDX-License-Identifier: MIT
"""leadhook(1), lead export; docs/manage.md: an export has the order and the filters of the list."""
import csv
import io
import json
import urllib.parse

import pytest
from command import USAGE, call
from transfers import records

LEADS = 7
ORDERS = {"sign-up": ([], {}), "newest": (["--newest"], {"newest": "true"}), "score": (["--order", "score"], {"order": "score"})}


@pytest.fixture
def scored(campaign):
    """Leads whose scores do not follow the order of sign-up, two of them equal; one lead is fraudulent; their fields differ."""
    for number in range(LEADS):
        campaign.lead(email=f"lead{number}@example.org", points=number * 5 % LEADS if number else 3, **{f"field{number % 3}": "x"})
    campaign.change("block", emails=["lead3@example.org"])
    return campaign


def listed(leadhook, campaign, words):
    return [one["email"] for one in leadhook("lead", "list", campaign.id, "--limit", 100, *words)]


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("filters", [[], ["--fraudulent", "no"], ["--verified", "yes"]], ids=" ".join)
def test_as_listed(leadhook, scored, order, filters):
    """the command writes the same leads as the list, in the same order, with the columns of all leads"""
    words = [*ORDERS[order][0], *filters]
    found = records(scored, *words)
    assert [one["email"] for one in found] == listed(leadhook, scored, words)
    assert ("lead3@example.org" in [one["email"] for one in found]) == (filters == [])
    lines = [json.loads(line) for line in export_lines(scored, words)]
    assert [one["email"] for one in lines] == [one["email"] for one in found]


def export_lines(campaign, words):
    done = call(campaign.service.installation, "lead", "export", str(campaign.id), "--format", "ndjson", *words)
    return done.stdout.splitlines()


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("form", ["csv", "ndjson"])
def test_parts(service, leadhook, scored, order, form):
    """the parts that calls return follow the order, even if a lead signs up meanwhile; with large leads, parts are small"""
    for number in range(50):  # more than PART_BYTES together
        scored.lead(email=f"large{number}@example.org", points=number % 4, **{f"text{part}": "x" * 4000 for part in range(3)})
    wanted = listed(leadhook, scored, ORDERS[order][0])
    query, texts, parts = {"format": form, **ORDERS[order][1]}, [], 0
    while query is not None:
        answer = scored.client.request("GET", f"/manage/v1/campaigns/{scored.id}/export", key=scored.key, query=query)
        assert answer.status == 200, answer.body
        texts.append(answer.json["records"])
        parts += 1
        if parts == 1:
            scored.lead(email="late@example.org", points=99)
        link = answer.headers.get("Link")
        query = link and dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(link[1:link.index(">")]).query))
    text = "".join(texts)
    rows = list(csv.DictReader(io.StringIO(text, newline=""))) if form == "csv" else [json.loads(line) for line in text.splitlines()]
    assert [one["email"] for one in rows] == wanted and parts >= (3 if form == "csv" else 2)


def test_orders_that_do_not_fit(service, scored):
    """there is only one order at a time, and a place in one order is invalid in the other"""
    for words in (["--newest", "--order", "score"], ["--order", "score", "--after", "3"]):
        assert call(service.installation, "lead", "export", str(scored.id), *words).returncode == USAGE
