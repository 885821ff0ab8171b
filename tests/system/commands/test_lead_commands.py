# SPDX-License-Identifier: MIT
"""docs/operating.md 4, leadhook(1): finding leads, showing what happened to a lead, and changing leads, end to end."""
import re

import pytest
from command import DATA, NO_ID, OK, USAGE, call, is_aligned, is_time

ADA, BOB, EVE = "ada@example.org", "bob@example.org", "eve@example.org"
NUMBER = "+14155552671"


@pytest.fixture
def people(campaign):
    """Three leads, by email address."""
    names = {ADA: ("Ada", "Lovelace"), BOB: ("Bob", "Low"), EVE: ("Eve", "O'Neill")}
    return {email: campaign.lead(email=email, first_name=first, last_name=last, __source=last.lower())
            for email, (first, last) in names.items()}


@pytest.fixture
def pages(service):
    """Runs a list part by part, with the place that each part names; returns the parts."""
    def run(*words):
        parts, after = [], []
        while True:
            done = call(service.installation, *map(str, words), *after)
            assert done.returncode == OK, done.stderr
            parts.append(done.stdout.splitlines()[1:])
            more = re.fullmatch(r"leadhook: there is more: --after (\S+)\n", done.stderr)
            if more is None:
                assert done.stderr == ""
                return parts
            after = ["--after", more[1]]
    return run


def test_search(leadhook, campaign, people):
    """lead list: by address, name, source and time; addresses as people type them"""
    def found(*words):
        return [one["email"] for one in leadhook("lead", "list", campaign.id, *words)]
    for words, emails in ((["--email", "ADA@example.org"], [ADA]), (["--email", "nobody@example.org"], []),
                          (["--social-id", people[BOB]["social_id"].lower()], [BOB]), (["--phone", NUMBER], []),
                          (["--email", ADA, "--social-id", people[BOB]["social_id"]], []), (["--email", ADA, "--verified", "on"], []),
                          (["--name", "lo"], [ADA, BOB]), (["--name", "low bob"], [BOB]), (["--name", "o'n"], [EVE]), (["--name", "ow"], []),
                          (["--source", "low"], [BOB]), (["--until", "2020-01-01"], []), (["--until", "2999-01-01", "--name", "eve"], [EVE]),
                          (["--newest"], [EVE, BOB, ADA]), (["--newest", "--limit", 1, "--after", 3], [BOB])):
        assert found(*words) == emails, words


def test_parts_of_lists(leadhook, campaign, people, pages):
    """lead list: each part names the place where the next one begins"""
    parts = pages("lead", "list", campaign.id, "--newest", "--limit", 2)
    assert [[EVE in line for line in part] for part in parts] == [[True, False], [False]]
    assert [len(part) for part in pages("lead", "list", campaign.id, "--limit", 1)] == [1, 1, 1]
    assert len(people) == len(leadhook("lead", "list", campaign.id, "--limit", 3))


def test_timeline(service, leadhook, campaign, pages):
    """lead timeline: sign-up with its origin, points, events with deliveries, mails; the same in parts"""
    campaign.webhook("new_signup", "tagged", "score_change")
    tag = leadhook("tag", "add", campaign.id, "vip", "--points", 4)["id"]
    lead = campaign.lead(email=ADA, __source="form", __url="https://a.example/f", __sid="session", __user_agent="Browser")
    assert leadhook("lead", "points", campaign.id, -3, ADA, "--message", "too much") == {"queued": 0}
    assert leadhook("lead", "points", campaign.id, 5, lead["social_id"]) == {"queued": 0}
    campaign.post({"email": ADA}, path=f"/tags/{tag}/lead")
    service.dispatch()
    entries = leadhook("lead", "timeline", campaign.id, "--email", ADA)
    keys = ["at", "kind", "id", "name", "subject", "lead", "points", "message", "state", "attempts", "ended_at", "ip", "user_agent", "made_by",
            "extra",
            "origin", "deliveries"]
    assert all((entry["points"] is None) == (entry["kind"] != "points") for entry in entries)
    assert all(list(entry) == keys and is_time(entry["at"]) for entry in entries)
    times = [entry["at"] for entry in entries]
    assert times == sorted(times, reverse=True)
    points = [entry for entry in entries if entry["kind"] == "points"]
    assert sorted((one["name"], one["subject"], one["points"], one["message"]) for one in points) == [
        ("custom", None, 0, "too much"), ("custom", None, 5, None), ("tag", "vip", 4, None)], "no score is below 0"
    [signup] = [entry for entry in entries if entry["kind"] == "signup"]
    assert {**signup["origin"], "ip": None} == {
        "source": "form", "signup_url": "https://a.example/f", "referrer": None, "parent_id": None, "ip": None, "user_agent": "Browser",
        "session_id": "session", "request_id": signup["origin"]["request_id"]}
    events = {entry["name"]: entry for entry in entries if entry["kind"] == "event"}
    assert set(events) == {"new_signup", "tagged", "score_change"} and events["tagged"]["extra"]["name"] == "vip"
    [delivery] = events["new_signup"]["deliveries"]
    assert (delivery["state"], delivery["attempts"], delivery["last_status"], delivery["waiting_for"]) == ("delivered", 1, 200, None)
    parts = pages("lead", "timeline", campaign.id, "--email", ADA, "--limit", 2)
    assert [line.split()[:3] for part in parts for line in part] == [
        [entry["at"], entry["kind"], "form" if entry["kind"] == "signup" else entry["name"]] for entry in entries]
    done = call(service.installation, "lead", "timeline", str(campaign.id), "--email", ADA)
    assert is_aligned(done.stdout) and "1 of 1" in done.stdout


def test_edit(service, leadhook, refused, campaign, people):
    """lead set: names, custom fields and addresses; it is not a sign-up, and reports what it cannot do"""
    campaign.webhook("repeat_signup")
    before = campaign.find(email=ADA)
    assert leadhook("lead", "set", campaign.id, "--email", ADA, "first_name=Augusta", "plan=pro", "email=new@example.org",
                    f"phone_number={NUMBER}", "uid=u-1", "ip=192.0.2.7") == {"id": before["id"]}
    lead = campaign.find(email="new@example.org")
    assert (lead["first_name"], lead["custom_fields"]["plan"], lead["phone_number"], lead["uid"], lead["ip"], lead["counter"]) == (
        "Augusta", "pro", NUMBER, "u-1", "192.0.2.7", 1)
    leadhook("lead", "set", campaign.id, "--phone", NUMBER, "plan=")
    assert "plan" not in campaign.find(email="new@example.org")["custom_fields"]
    assert leadhook("delivery", "list", "--campaign", campaign.id) == []
    for field, status, says in (("email=", DATA, "not removed"), (f"email={BOB}", DATA, "another lead"), ("email=x", DATA, "an email address"),
                                ("verified=on", DATA, "cannot be changed"), ("phone_number=555", DATA, "a phone number"),
                                ("redirect_url=javascript:x", DATA, "expected an http"), ("first_name", DATA, "expected FIELD=VALUE")):
        assert says in refused(status, "lead", "set", str(campaign.id), "--phone", NUMBER, field), field
    assert "no such lead" in refused(DATA, "lead", "set", str(campaign.id), "--email", ADA, "plan=x")
    leadhook("campaign", "end", campaign.id)
    leadhook("lead", "set", campaign.id, "--phone", NUMBER, "last_name=King")
    assert campaign.find(email="new@example.org")["family_name"] == "King"


def test_the_address_that_is_verified(service, leadhook, campaign):
    """lead change verify: the address that names the lead (docs/api.md 4.1.4), and the email address if a social id does"""
    for email, named in (("a@example.org", "+4930111111"), ("b@example.org", "b@example.org"), ("c@example.org", None)):
        number = named if named and named.startswith("+") else f"+4930{ord(email[0])}7777"
        lead = campaign.lead(email=email, phone_number=number)
        leadhook("lead", "change", campaign.id, "verify", named or lead["social_id"])
        service.dispatch()
        shown = campaign.find(email=email)
        assert (shown["verified_email"], shown["verified_phone_number"]) == (named != number, named == number)


def test_bulk_changes(service, leadhook, refused, campaign, people):
    """lead change makes the same job as a bulk call; lead jobs lists jobs until they are done"""
    tag = leadhook("tag", "add", campaign.id, "vip")["id"]
    blocked = leadhook("lead", "change", campaign.id, "block", BOB, people[EVE]["social_id"])
    tagged = leadhook("lead", "change", campaign.id, "tag", ADA, "--tag", tag)
    assert blocked["leads"] == 2 and tagged["leads"] == 1
    assert [(job["id"], job["change"], job["tag_id"], job["leads"], job["done"]) for job in leadhook("lead", "jobs", campaign.id)] == [
        (blocked["job"], "block", None, 2, 0), (tagged["job"], "tag", tag, 1, 0)]
    service.dispatch()
    assert leadhook("lead", "jobs", campaign.id) == []
    assert [one["fraudulent"] for one in leadhook("lead", "list", campaign.id)] == [False, True, True]
    assert campaign.find(email=ADA)["tags"] == [{"tag_id": tag, "name": "vip"}]
    done = call(service.installation, "lead", "change", str(campaign.id), "verify", ADA, "nobody@example.org")
    assert done.returncode == OK and "1 of the 2 do not exist" in done.stderr
    number = str(campaign.id)
    for words, status, says in ((["fly", ADA], DATA, "fly is no change"), (["points", ADA], DATA, "points is no change"),
                                (["tag", ADA], USAGE, "--tag: expected the id of a tag"), (["verify", ADA, "--tag", str(tag)], USAGE, "--tag: only with the change tag"),
                                (["tag", ADA, "--tag", NO_ID], DATA, "no tag with this id"), (["verify", "x"], DATA, "x is not an email"),
                                (["verify", "nobody@example.org"], DATA, "no such leads"), (["verify"], USAGE, "takes"),
                                (["verify", ADA, NUMBER], DATA, "not in several ways")):
        assert says in refused(status, "lead", "change", number, *words), words
    for points in ("0", "100000", "x"):
        assert "points: expected" in refused(DATA, "lead", "points", number, points, ADA)


def test_deliveries_of_a_campaign(service, leadhook, refused, campaign, pages):
    """delivery list: --campaign, --status and --after; redeliver takes the same filters"""
    campaign.webhook("new_signup")
    campaign.leads(3)
    other = service.campaign(campaign.account)
    other.webhook("new_signup")
    other.leads(1)
    assert len(leadhook("delivery", "list", "--campaign", campaign.id)) == 3
    assert [len(part) for part in pages("delivery", "list", "--campaign", campaign.id, "--limit", 2)] == [2, 1]
    service.dispatch()
    for status, count in (("2xx", 3), ("5xx", 0), ("error", 0)):
        assert len(leadhook("delivery", "list", "--campaign", campaign.id, "--status", status)) == count, status
    assert leadhook("delivery", "redeliver", "--campaign", campaign.id, "--status", "2xx") == {"queued": 3}
    assert "expected 1xx" in refused(DATA, "delivery", "list", "--status", "200")
    assert "there is no campaign" in refused(DATA, "delivery", "list", "--campaign", NO_ID)


@pytest.mark.parametrize("words", [["lead", "timeline", "1", "--email", ADA, "--after", "7"],
                                   ["lead", "timeline", "1", "--email", ADA, "--limit", "501"],
                                   ["delivery", "list", "--after", "x"], ["lead", "list", "1", "--after", "1.2.3"]])
def test_wrong_places(refused, words):
    """docs/operating.md 4, status 65: an invalid place is an error"""
    assert "expected" in refused(DATA, *words)


def test_marks(service, leadhook, campaign):
    """lead timeline: when a lead was marked as fraudulent or genuine, why, and by whom: a rule, the shell or a key"""
    leadhook("campaign", "set", campaign.id, "blocked_email_domains=spam.example")

    def mark(email):
        found = [entry for entry in leadhook("lead", "timeline", campaign.id, "--email", email) if entry["kind"] == "mark"]
        assert all(is_time(entry["at"]) for entry in found) and len(found) <= 1
        return found and (found[0]["name"], found[0]["extra"], found[0]["made_by"])
    for email in (ADA, "eve@spam.example", "bob@example.org"):
        campaign.lead(email=email)
    assert mark(ADA) == [] and mark("eve@spam.example") == ("fraudulent", ["blocked_email_domain"], None)
    leadhook("lead", "change", campaign.id, "block", ADA)
    campaign.bulk("block", {"email": ["bob@example.org"], "reason": "duplicate_ip"})
    service.dispatch()
    name, reasons, by = mark(ADA)
    assert (name, reasons) == ("fraudulent", ["manual"]) and by.startswith("shell")
    name, reasons, by = mark("bob@example.org")
    assert name == "fraudulent" and "duplicate_ip" in reasons and by.startswith("key ")
    leadhook("lead", "change", campaign.id, "approve", "eve@spam.example")
    service.dispatch()
    name, reasons, by = mark("eve@spam.example")
    assert (name, reasons) == ("genuine", None) and by.startswith("shell")
    campaign.lead(email=ADA)
    assert mark(ADA)[0] == "fraudulent", "a repeated sign-up is no mark"
    text = call(service.installation, "lead", "timeline", str(campaign.id), "--email", "eve@spam.example").stdout
    assert re.search(r"mark +genuine.*by shell", text)
