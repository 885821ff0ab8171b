# SPDX-License-Identifier: MIT
"""leadhook(1), campaign add --id: campaigns with the ids that pages of another service use."""
import json

import pytest
from command import DATA, OK, call
from load import at_once


def test_campaign_with_an_id(service, leadhook, refused):
    """the campaign has that id, once; other campaigns get other ids; the API serves it"""
    account = service.account()
    free = leadhook("campaign", "add", account.id, "Before")["id"]
    large = 2**35 - 1
    for number in (free + 1, free + 3, large):
        assert leadhook("campaign", "add", account.id, "Page", "--id", number, "require_key=on")["id"] == number
        said = refused(DATA, "campaign", "add", str(account.id), "Again", "--id", str(number))
        assert said == f"leadhook: there is a campaign with the id {number} already, or its rows are still being deleted\n"
    assert [leadhook("campaign", "add", account.id, "Next")["id"] for _ in range(3)] == [free + 2, free + 4, free + 5]
    listed = leadhook("campaign", "list", account.id)
    assert [one["id"] for one in listed] == [*range(free, free + 6), large]
    assert [one["name"] for one in listed] == ["Before", "Page", "Next", "Page", "Next", "Next", "Page"]
    made = service.client.request("POST", f"/v2/{large}", json_body={"email": "ada@example.org"}, key=account.key)
    assert made.status == 200 and made.json["campaign_id"] == made.json["list_id"] == large
    leadhook("campaign", "set", large, "points_signup=3")
    other = service.client.request("POST", f"/v2/{large}", json_body={"email": "grace@example.org"}, key=account.key)
    assert (other.json["contest_score"], other.json["contest_score_rank"]) == (3, 1)
    again = service.client.request("GET", f"/v2/{large}", query={"email": "ada@example.org"}, key=account.key)
    assert again.json["contest_score_rank"] == 2
    assert leadhook("check")["ok"]


def test_campaigns_with_an_id_at_once(service, leadhook):
    """of several commands at once, one gets the id, and those without --id get others"""
    account = service.account()
    first = leadhook("campaign", "add", account.id, "First")["id"]
    chosen = ["--id", str(first + 5)]
    done = at_once([lambda words=words: call(service.installation, "campaign", "add", str(account.id), "C", *words, "--json")
                    for words in [chosen, [], chosen, [], [], chosen, []]])
    good = [json.loads(one.stdout)["id"] for one in done if one.returncode == OK]
    bad = [one.stderr for one in done if one.returncode != OK]
    assert sorted(good) == [first + 1, first + 2, first + 3, first + 4, first + 5]
    assert bad == [f"leadhook: there is a campaign with the id {first + 5} already, or its rows are still being deleted\n"] * 2
    assert leadhook("campaign", "add", account.id, "Last")["id"] == first + 6


@pytest.mark.parametrize("number", ["0", "-1", "007", "34359738368", "9007199254740991", "9223372036854775807", "x", "", "1e3"])
def test_campaign_with_a_bad_id(service, leadhook, refused, number):
    """the range of ids is checked"""
    account = service.account()
    said = refused(DATA, "campaign", "add", str(account.id), "C", f"--id={number}")
    assert said == "leadhook: --id: expected a number from 1 to 34359738367\n"
    assert leadhook("campaign", "list", account.id) == []
