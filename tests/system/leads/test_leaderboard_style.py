# SPDX-License-Identifier: MIT
"""docs/api.md 4.1.2: lead_description and avatar_default of leaderboards."""
import hashlib

import pytest
from stack.process import wait_until

KEYWORDS = ["mp", "mm", "identicon", "monsterid", "wavatar", "retro", "robohash", "blank", "404"]
PLAIN = ["rank", "social_id", "display_name", "contest_score"]


def board(campaign, key=True, **fields):
    answer = campaign.get(fields, path="/leaderboard", key=campaign.key if key is True else key)
    assert answer.status == 200, answer.body
    return answer.json


def texts(campaign, name, key=True):
    """(lead_description, display_name) of all entries."""
    entries = board(campaign, key, lead_description=name)["leaders"]
    assert all(list(entry) == [*PLAIN, "lead_description"] for entry in entries)
    return [(entry["lead_description"], entry["display_name"]) for entry in entries]


@pytest.fixture
def people(campaign):
    """Four leads, ordered by score."""
    made = [campaign.lead(email="ada@example.org", first_name="Ada", last_name="King", city="London", age=36, tall=True),
            campaign.lead(email="bob@example.org", name="Bob Stone", city="", age=None),
            campaign.lead(email="cleo@example.org", city=["Rome", "Oslo"], age=1.5),
            campaign.lead(phone_number="+14155552671", last_name="Dane", tall=False)]
    for points, lead in zip((40, 30, 20, 10), made):
        campaign.points(lead, points)
    return made


def test_descriptions(campaign, people):
    """names and social ids are for every caller; a lead without such a text has null and the usual name"""
    ids = [lead["social_id"] for lead in people]
    usual = {campaign.key: ["Ada King", "Bob Stone", "cleo", "Dane"], None: ["Ada K.", "Bob S.", "c***", "D."]}
    for key, names in usual.items():
        for _ in range(2):  # the second answer comes from the cache
            assert texts(campaign, "first_name", key) == [("Ada", "Ada"), ("Bob", "Bob"), (None, names[2]), (None, names[3])]
            assert texts(campaign, "FULL_NAME", key) == [(names[0],) * 2, (names[1],) * 2, (None, names[2]), (names[3],) * 2]
            assert texts(campaign, "social_id", key) == [(one, one) for one in ids]
            plain = board(campaign, key)["leaders"]
            assert [entry["display_name"] for entry in plain] == names and all(list(entry) == PLAIN for entry in plain)
            assert board(campaign, key, lead_description="")["leaders"] == plain


def test_names_of_the_campaign(campaign, people, service, leadhook):
    """docs/api.md 4.1.2 Names: initials, unless the campaign chooses otherwise, in the list and in `me`; full names with a key"""
    me = people[0]["social_id"]

    def shown(key=None, **query):
        found = board(campaign, key, social_id=me, **query)
        return [entry["display_name"] for entry in found["leaders"]], found["me"]["display_name"]
    assert shown() == (["Ada K.", "Bob S.", "c***", "D."], "Ada K.")
    for choice, names in (("first", ["Ada", "Bob", "c***", "D."]), ("full", ["Ada King", "Bob Stone", "c***", "Dane"])):
        leadhook("campaign", "set", campaign.id, f"leaderboard_names={choice}")
        wait_until(lambda names=names: shown() == (names, names[0]), 5, choice)
        assert shown(lead_description="full_name") == (names, names[0])
    assert shown(campaign.key)[0] == ["Ada King", "Bob Stone", "cleo", "Dane"]
    assert campaign.get({"social_id": me}, key=None).json["display_name"] == "Ada King", "a look-up is another call"


def test_custom_fields_are_personal(campaign, people, service):
    """strings, numbers and booleans are shown with a key, or when privacy is off"""
    usual = ["Ada King", "Bob Stone", "cleo", "Dane"]
    wanted = {"city": ["London", None, None, None], "age": ["36", None, "1.5", None], "Tall": ["true", None, None, "false"],
              "unknown": [None] * 4, "email": [None] * 4}
    public = [(None, name) for name in ("Ada K.", "Bob S.", "c***", "D.")]
    for name, values in wanted.items():
        full = [(value, value or other) for value, other in zip(values, usual)]
        assert texts(campaign, name) == full and texts(campaign, name, None) == public, name
        assert texts(campaign, name) == full
    me = board(campaign, None, lead_description="city", social_id=people[0]["social_id"])["me"]
    assert (me["lead_description"], me["display_name"]) == (None, "Ada K.")
    service.installation.admin("campaign", "set", str(campaign.id), "privacy=off")
    opened = [("London", "London"), *public[1:]]
    wait_until(lambda: texts(campaign, "city", None) == opened, 5, "privacy is off")
    wait_until(lambda: board(campaign, None, lead_description="city", social_id=people[0]["social_id"])["me"]["lead_description"]
               == "London", 5, "privacy is off for me")


def avatar(text, default):
    return f"https://www.gravatar.com/avatar/{hashlib.sha256(text.encode()).hexdigest()}?d={default}"


def test_avatars(campaign, people):
    """avatars are those of the payload's view, in which the percent-encoded value replaces that of d"""
    emails = ["ada@example.org", "bob@example.org", "cleo@example.org"]
    ids = [lead["social_id"] for lead in people]
    url = "https://shop.example/a.png?size=1&name=x'y#z"
    encoded = "https%3A%2F%2Fshop.example%2Fa.png%3Fsize%3D1%26name%3Dx%27y%23z"
    for value, shown in [*((word, word) for word in KEYWORDS), (url, encoded), ("HTTP://[::1]:80", "HTTP%3A%2F%2F%5B%3A%3A1%5D%3A80")]:
        for _ in range(2):
            full = board(campaign, avatar_default=value, social_id=ids[3])
            assert all(list(entry) == [*PLAIN, "avatar"] for entry in full["leaders"])
            assert [entry["avatar"] for entry in full["leaders"]] == [avatar(text, shown) for text in (*emails, ids[3])]
            assert full["me"] == full["leaders"][3]
            public = board(campaign, None, avatar_default=value, social_id=ids[0])
            assert [entry["avatar"] for entry in public["leaders"]] == [avatar(text, shown) for text in ids]
            assert public["me"] == public["leaders"][0]
    assert avatar(emails[0], "mp") == campaign.find(email=emails[0])["avatar"]
    both = board(campaign, avatar_default="retro", lead_description="first_name")["leaders"][0]
    assert list(both) == [*PLAIN, "lead_description", "avatar"] and both["display_name"] == "Ada"
    assert list(board(campaign)["leaders"][0]) == PLAIN


def test_words_of_older_clients(campaign, people):
    """icon means mp, and ui means identicon; other spellings are refused"""
    for word, same in (("icon", "mp"), ("ui", "identicon")):
        for key in (True, None):
            assert board(campaign, key, avatar_default=word) == board(campaign, key, avatar_default=same)
    entries = board(campaign, avatar_default="ui")["leaders"]
    assert [entry["avatar"].split("?")[1] for entry in entries] == ["d=identicon"] * 4
    for word in ("Icon", "UI", "icons"):
        assert campaign.get({"avatar_default": word}, path="/leaderboard").verdict == (406, "invalid_parameter")


def test_a_fraudulent_lead_in_style(campaign, people):
    """docs/api.md 4.1.2 me of a fraudulent lead: without a key, the leaders are consistent with it"""
    campaign.change("block", social_id=people[1]["social_id"])
    found = board(campaign, None, avatar_default="retro", lead_description="social_id", social_id=people[1]["social_id"])
    assert found["me"] == found["leaders"][1] and found["me"]["lead_description"] == people[1]["social_id"]
    assert [entry["rank"] for entry in found["leaders"]] == [1, 2, 3, 4]
    assert len(board(campaign, None, avatar_default="retro", lead_description="social_id")["leaders"]) == 3


@pytest.mark.parametrize("fields", [
    {"avatar_default": value} for value in (
        "unknown", "MP", "javascript:alert(1)", "data:image/png;base64,x", "//shop.example/a.png", "/a.png", "ftp://shop.example/a",
        "https://", "http:///a", "https://:80/", "https://shop.example/ä.png", "https://shop.example/\"onload=x",
        "https://shop.example/a b", "https://shop.example/<b>", "https://shop.example\\a", "https://shop.example/" + "x" * 2030)] + [{"lead_description": "x" * 65}, {"lead_description": "Ⱥ" * 32}])
def test_bad_values(campaign, fields):
    """406 for values that are neither a keyword nor an http or https URL of RFC 3986, and for a name that is too long for a field"""
    answer = campaign.get(fields, path="/leaderboard")
    assert answer.verdict == (406, "invalid_parameter") and next(iter(fields)) in answer.json["message"]


def test_arrays_and_limits_of_style(campaign):
    """docs/api.md 1.1: each parameter must be one text"""
    for name in ("lead_description", "avatar_default"):
        assert campaign.get([(name + "[]", "mp"), (name + "[]", "mp")], path="/leaderboard").verdict == (406, "invalid_parameter")
        assert campaign.get({name: "x" * 5000}, path="/leaderboard").verdict == (406, "invalid_parameter")
    assert board(campaign, lead_description="x" * 64, avatar_default="https://shop.example/" + "x" * 2027) == {"leaders": []}


@pytest.mark.parametrize("template, shown", [("", None), ("https://own.example/{hash}", "https://own.example/{}"),
                                             ("https://own.example/?h={hash}&s=9&d=mp&dd=1#d=2",
                                              "https://own.example/?h={}&s=9&d=retro&dd=1#d=2")])
def test_without_avatars(make_service, template, shown):
    """without lead.avatar_url, the avatar is the URL that was sent, or null; a query without d is not changed"""
    service = make_service(settings=[("lead", "avatar_url", template)])
    campaign = service.campaign()
    lead = campaign.lead(email="ada@example.org")
    hashed = hashlib.sha256(b"ada@example.org").hexdigest()
    for value in ("retro", "https://shop.example/a.png"):
        found = board(campaign, avatar_default=value, social_id=lead["social_id"])
        if template:
            encoded = value if value == "retro" else "https%3A%2F%2Fshop.example%2Fa.png"
            wanted = shown.format(hashed).replace("retro", encoded)
        else:
            wanted = None if value == "retro" else value
        assert found["me"]["avatar"] == found["leaders"][0]["avatar"] == wanted
