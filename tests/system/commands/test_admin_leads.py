# SPDX-License-Identifier: MIT
"""docs/operating.md 4: the `leadhook` command for tags, actions, rewards and leads, and `check --deep`, end to end."""
import json
import re

import pytest
from command import CONFIG, DATA, NO_ID, OK, UNAVAILABLE, USAGE, call, is_aligned, is_time

DETAILS = ["parent", "language", "bounced", "fraud_reasons", "times_flagged", "rewards", "origin"]  # of a lead, besides its payload
ADA, BOB = "ada@example.org", "bob@example.org"
NUMBER = "+14155552671"


# --- tags, actions, reward levels ---

def test_tags(leadhook, campaign):
    """docs/operating.md 4 tag add, list, set, remove; docs/api.md 4.1: the API returns the same list"""
    added = leadhook("tag", "add", campaign.id, "vip", "--points", -20, "--description", "Very important")
    plain = leadhook("tag", "add", campaign.id, "  two words ")
    assert list(added) == list(plain) == ["id"]
    rows = [{"id": added["id"], "name": "vip", "description": "Very important", "points": -20},
            {"id": plain["id"], "name": "two words", "description": None, "points": 0}]
    assert leadhook("tag", "list", campaign.id) == rows == campaign.get({}, path="/tags").json
    assert leadhook("tag", "set", plain["id"], "name=VIP", "points=99999") == plain
    assert leadhook("tag", "set", added["id"], "description=") == added
    assert leadhook("tag", "list", campaign.id) == [{**rows[0], "description": None}, {**rows[1], "name": "VIP", "points": 99999}]
    assert leadhook("tag", "remove", added["id"]) == added
    assert [one["id"] for one in leadhook("tag", "list", campaign.id)] == [plain["id"]]


def test_actions(leadhook, campaign):
    """docs/operating.md 4 action add, list, set, remove; docs/api.md 4.1: the API returns the same list"""
    tag = leadhook("tag", "add", campaign.id, "vip")["id"]
    bound = leadhook("action", "add", campaign.id, "Share it", "--tag", tag)
    free = leadhook("action", "add", campaign.id, "Follow us", "--points", 3, "--public", "--link", "https://social.example/us")
    rows = [{"id": bound["id"], "text": "Share it", "points": 0, "tag_id": tag, "public": False, "link": None},
            {"id": free["id"], "text": "Follow us", "points": 3, "tag_id": None, "public": True, "link": "https://social.example/us"}]
    assert leadhook("action", "list", campaign.id) == rows == campaign.get({}, path="/actions").json
    assert leadhook("action", "set", bound["id"], "tag=", "text=Share it", "public=on") == bound
    assert leadhook("action", "set", free["id"], f"tag={tag}", "points=-99999", "public=off") == free
    assert leadhook("action", "list", campaign.id) == [{**rows[0], "tag_id": None, "text": "Share it", "public": True},
                                                       {**rows[1], "tag_id": tag, "points": -99999, "public": False}]
    leadhook("tag", "remove", tag)
    assert leadhook("action", "list", campaign.id)[1]["tag_id"] == tag, "the tag is still bound"
    assert leadhook("action", "remove", bound["id"]) == bound
    assert leadhook("action", "remove", free["id"]) == free
    assert leadhook("action", "list", campaign.id) == []


def test_rewards(leadhook, campaign):
    """docs/operating.md 4 reward add, list, set, remove"""
    first = leadhook("reward", "add", campaign.id, "T-shirt", "--required-points", 50, "--emailed")
    second = leadhook("reward", "add", campaign.id, "Sticker", "--required-points=0")
    rows = [{"id": first["id"], "subject": "T-shirt", "required_points": 50, "emailed": True},
            {"id": second["id"], "subject": "Sticker", "required_points": 0, "emailed": False}]
    assert leadhook("reward", "list", campaign.id) == rows
    assert leadhook("reward", "set", first["id"], "emailed=off", "required_points=4294967295", "subject=Mug") == first
    assert leadhook("reward", "list", campaign.id) == [
        {"id": first["id"], "subject": "Mug", "required_points": 4294967295, "emailed": False}, rows[1]]
    assert leadhook("reward", "remove", first["id"]) == first
    assert leadhook("reward", "list", campaign.id) == rows[1:]


def test_definitions_take_effect_at_once(leadhook, campaign):
    """docs/api.md 4.6: points, completed actions and the payload follow an operator's definitions"""
    lead = campaign.lead(email=ADA)
    tag = leadhook("tag", "add", campaign.id, "vip", "--points", 20)["id"]
    action = leadhook("action", "add", campaign.id, "Become one", "--points", 3, "--tag", tag)["id"]
    assert campaign.post({"email": ADA}, path=f"/tags/{tag}/lead").status == 200
    lead = campaign.find(email=ADA)
    assert (lead["contest_score"], lead["tags"], lead["completed_actions"]) == (23, [{"tag_id": tag, "name": "vip"}], [action])
    leadhook("tag", "set", tag, "name=beta", "points=1")
    assert campaign.find(email=ADA)["tags"] == [{"tag_id": tag, "name": "beta"}]
    leadhook("tag", "remove", tag)
    leadhook("action", "remove", action)
    lead = campaign.find(email=ADA)
    assert (lead["contest_score"], lead["tags"], lead["completed_actions"]) == (23, [], [])


@pytest.mark.parametrize("words, says", [
    (["tag", "add", "{}", "vip"], "has a tag with this name already"),
    (["tag", "add", "{}", " vip "], "has a tag with this name already"),
    (["action", "add", "{}", "A", "--tag", NO_ID], "has no tag with this id"),
    (["tag", "add", "{}", "  "], "1 to 200 characters"), (["tag", "add", "{}", "ü" * 201], "1 to 200 characters"),
    (["tag", "add", "{}", "A", "--points", "100000"], "--points: expected a whole number from -99999 to 99999"),
    (["action", "add", "{}", "A", "--points", "x"], "--points: expected a whole number"),
    (["action", "add", "{}", "A", "--tag", "vip"], "--tag: expected the id of a tag"),
    (["reward", "add", "{}", "A", "--required-points", "-1"], "--required-points: expected a whole number from 0"),
    (["reward", "add", "{}", "A", "--required-points", "4294967296"], "--required-points: expected a whole number from 0")])
def test_invalid_definitions(service, refused, leadhook, campaign, words, says):
    """docs/operating.md 4, status 65: nothing is stored; names are unique within a campaign and kind"""
    leadhook("tag", "add", campaign.id, "vip")
    before = service.installation.sql("SELECT * FROM lh_tags UNION ALL SELECT id, campaign_id, text, tag_id, points FROM lh_actions")
    assert says in refused(DATA, *(word.replace("{}", str(campaign.id)) for word in words))
    assert service.installation.sql("SELECT * FROM lh_tags UNION ALL SELECT id, campaign_id, text, tag_id, points "
                                    "FROM lh_actions") == before
    leadhook("action", "add", campaign.id, "vip")
    leadhook("reward", "add", campaign.id, "vip", "--required-points", 1)


def test_a_campaign_has_20_reward_levels(refused, leadhook, campaign):
    """docs/manage.md 1.1 Objects; docs/architecture.md 4.4: each level that a lead reaches is an event with its own payload"""
    levels = [leadhook("reward", "add", campaign.id, f"Level {number}", "--required-points", 0)["id"] for number in range(20)]
    assert "the campaign has 20 reward levels already" in refused(DATA, "reward", "add", str(campaign.id), "One more", "--required-points=0")
    leadhook("reward", "set", levels[0], "required_points=5")
    leadhook("reward", "remove", levels[1])
    leadhook("reward", "add", str(campaign.id), "One more", "--required-points=0")


def test_invalid_settings(refused, leadhook, campaign):
    """docs/operating.md 4, status 65: the error names the invalid setting, and none of the settings is changed"""
    tag = leadhook("tag", "add", campaign.id, "vip")["id"]
    leadhook("tag", "add", campaign.id, "beta")
    action = leadhook("action", "add", campaign.id, "A")["id"]
    reward = leadhook("reward", "add", campaign.id, "A", "--required-points", 1)["id"]
    for words, says in ((["tag", "set", tag, "points=5", "name=beta"], "has a tag with this name already"),
                        (["tag", "set", tag, "points=5", "title=x"], "a tag has no setting \"title\"; there are: name"),
                        (["tag", "set", tag, "points=5", "name"], "name=: expected 1 to 200 characters"),
                        (["campaign", "add", campaign.account.id, "Other", "name="], "name=: expected 1 to 200 characters"),
                        (["action", "set", action, "points=5", f"tag={NO_ID}"], "has no tag with this id"),
                        (["action", "set", action, "points=5", "tag=vip"], "tag=: expected the id of a tag, or nothing"),
                        (["reward", "set", reward, "required_points=5", "emailed=maybe"], "emailed=: expected yes or no")):
        assert says in refused(DATA, *map(str, words))
    assert [one["points"] for one in leadhook("tag", "list", campaign.id) + leadhook("action", "list", campaign.id)] == [0, 0, 0]
    assert leadhook("reward", "list", campaign.id)[0]["required_points"] == 1


# --- leads ---

def test_one_lead(service, leadhook, refused, campaign):
    """docs/operating.md 4 lead show: a lead by each identity, byte for byte as the API returns it to a call with a key, followed by
    details that the API does not have"""
    reward = leadhook("reward", "add", campaign.id, "Mug", "--required-points", 0)["id"]
    campaign.lead(email=ADA, phone_number=NUMBER, first_name="Ada", topics=["a", "b"], __source="form", __url="https://a.example/f",
                  __user_agent="Browser", __sid="session")
    campaign.bulk("block", {"email": [ADA], "reason": "spam"})
    service.dispatch()
    shown = [call(service.installation, "lead", "show", str(campaign.id), "--json", *words).stdout for words in (
        ["--email", "ADA@Example.org"], ["--phone", "+1 (415) 555-2671"],
        ["--social-id", campaign.find(email=ADA)["social_id"].lower()])]
    assert len(set(shown)) == 1 and shown[0].startswith(campaign.get({"email": ADA}).body.decode().rstrip("}"))
    lead = json.loads(shown[0])
    assert {name: lead[name] for name in DETAILS[:-1]} == {
        "parent": None, "language": None, "bounced": False, "fraud_reasons": ["spam"], "times_flagged": 1, "rewards": [{"reward_id": reward, "subject": "Mug"}]}
    assert {name: value for name, value in lead["origin"].items() if value is not None and name != "ip"} == {
        "source": "form", "signup_url": "https://a.example/f", "user_agent": "Browser", "session_id": "session"}
    other = service.campaign(campaign.account)
    assert refused(DATA, "lead", "show", str(other.id), "--email", ADA) == "leadhook: there is no such lead\n"


def test_one_lead_for_people(service, leadhook, campaign):
    """docs/operating.md 4 lead show: each value of the payload on its own line"""
    tag = leadhook("tag", "add", campaign.id, "vip")["id"]
    campaign.lead(email=ADA, first_name="Ada", topics=["a", "b"], utm_source="mail")
    campaign.post({"email": ADA}, path=f"/tags/{tag}/lead")
    done = call(service.installation, "lead", "show", str(campaign.id), "--email", ADA)
    lines = dict(re.match(r"(\S+) +(.*)", line).groups() for line in done.stdout.splitlines())
    lead = campaign.find(email=ADA)
    assert done.returncode == OK and {name.split(".")[0] for name in lines} == {*lead, *DETAILS}, done.stdout
    expected = {"email": ADA, "phone_number": "-", "verified": "no", "contest_score": "0", "custom_fields.first_name": "Ada",
            "custom_fields.topics": "a, b", "utm.source": "mail", "tags": f"{tag} vip", "completed_actions": "-",
            "unverified_leads.direct": "0", "unsubscribe_url.safe": lead["unsubscribe_url"]["safe"], "when": lead["when"]}
    assert {name: lines[name] for name in expected} == expected
    assert len({re.match(r"\S+ +", line).end() for line in done.stdout.splitlines()}) == 1
    campaign.lead(email=BOB)
    done = call(service.installation, "lead", "show", str(campaign.id), "--email", BOB)
    assert re.search(r"^custom_fields +-$", done.stdout, re.MULTILINE)


def test_lists_of_leads(service, leadhook, campaign):
    """docs/operating.md 4 lead list: each filter alone, and filters together; each lead as the API returns it"""
    emails = [f"lead{number}@example.org" for number in range(8)]
    leads = [campaign.lead(email=email) for email in emails]
    tag = leadhook("tag", "add", campaign.id, "vip")["id"]
    for action, chosen, more in (("verify", [0, 1], {}), ("waitlist", [1, 2], {}), ("block", [3], {}), ("optout", [4], {}),
                                 ("tag", [0, 5], {"tag_id": tag})):
        campaign.bulk(action, {"email": [emails[number] for number in chosen], **more})
    service.dispatch()
    installation = service.installation
    installation.sql(f"UPDATE lh_leads SET created_ms = 1000 WHERE id = {leads[0]['id']}")
    leadhook("stats", "rebuild", campaign.id)

    def rows(*words):
        return leadhook("lead", "list", campaign.id, *words)

    def listed(*words):
        return [emails.index(one["email"]) for one in rows(*words)]
    assert rows() == [campaign.find(email=email) for email in emails]
    raw = call(installation, "lead", "list", str(campaign.id), "--limit", "1", "--json").stdout
    assert raw == "[" + campaign.get({"email": emails[0]}).body.decode() + "]\n"
    for words, expected in ((["--verified", "on"], [0, 1]), (["--verified", "no"], [2, 3, 4, 5, 6, 7]),
                            (["--waitlisted", "on"], [1, 2]), (["--fraudulent", "true"], [3]),
                            (["--fraudulent", "off", "--limit", 4], [0, 1, 2, 4]), (["--opted-out", 1], [4]),
                            (["--tag", tag], [0, 5]), (["--tag", NO_ID], []), (["--tag", tag, "--verified", "off"], [5]),
                            (["--verified", "on", "--waitlisted", "on"], [1]), (["--since", "2020-01-01", "--limit", 2], [1, 2]),
                            (["--since", "2999-01-01"], []), (["--after", 6], [6, 7]),
                            (["--after", 2, "--limit", 3], [2, 3, 4]), (["--limit", 10000], list(range(8)))):
        assert listed(*words) == expected, words
    assert leadhook("lead", "list", service.campaign(campaign.account).id) == []


def test_long_lists_of_leads(service, leadhook, campaign):
    """docs/operating.md 4 lead list: 50 by default, and as many pages as the limit requires"""
    service.installation.sql(
        f"INSERT INTO lh_leads (id, campaign_id, subscription_number, social_id, created_ms, updated_ms, opted_out) "
        f"SELECT 5000000 + seq, {campaign.id}, seq, LPAD(CONV(seq + 32768, 10, 32), 10, 'X'), 0, 0, seq MOD 2 = 0 "
        f"FROM seq_1_to_700")

    def ranks(*words):
        return [one["rank"] for one in leadhook("lead", "list", campaign.id, *words)]
    try:
        assert ranks() == list(range(1, 51))
        assert ranks("--limit", 600) == list(range(1, 601))
        assert ranks("--limit", 10000, "--opted-out", "on") == list(range(2, 701, 2))
        assert ranks("--after", 690, "--limit", 300) == list(range(691, 701))
    finally:
        service.installation.sql(f"DELETE FROM lh_leads WHERE campaign_id = {campaign.id}")  # no counter has counted these leads


# --- output for people ---

def test_output_for_people(service, leadhook, campaign):
    """docs/operating.md 4: columns are aligned, without colours when stdout is not a terminal"""
    number = str(campaign.id)
    leadhook("tag", "add", number, "vip", "--points", -5)
    leadhook("action", "add", number, "Share it")
    leadhook("reward", "add", number, "T-shirt", "--required-points", 5)
    campaign.lead(email=ADA)
    for words in (["tag", "list", number], ["action", "list", number], ["reward", "list", number]):
        done = call(service.installation, *words)
        assert done.returncode == OK and len(done.stdout.splitlines()) == 2 and is_aligned(done.stdout), done.stdout
    done = call(service.installation, "lead", "list", number)
    assert done.stdout.split("\n")[0].split() == ["rank", "social_id", "email", "phone_number", "contest_score", "referrals",
                                                  "verified", "waitlisted", "fraudulent", "opted_out", "when"]
    assert is_aligned(done.stdout) and ADA in done.stdout and is_time(done.stdout.split()[-1])
    done = call(service.installation, "tag", "add", number, "beta")
    assert re.fullmatch(r"id  \d+\n", done.stdout)


def test_settings_are_listed(service):
    """docs/operating.md 4: the help of a command lists its settings"""
    for words, settings in (("tag", ["name", "points", "description"]), ("action", ["text", "points", "tag", "public", "link"]),
                            ("reward", ["subject", "required_points", "emailed"])):
        said = call(service.installation, words, "set", "--help", config="/nonexistent").stdout
        assert re.findall(r"^  (\w+) +.+$", said, re.MULTILINE) == settings


# --- errors ---

@pytest.mark.parametrize("words", [
    ["tag", "add", "1"], ["tag", "add", "1", "A", "B"], ["tag", "add", "1", "A", "--tag", "1"], ["tag", "set", "1"], ["tag", "list"],
    ["action", "add", "1"], ["action", "add", "1", "A", "--emailed"], ["reward", "add", "1", "A"],
    ["reward", "add", "1", "A", "--required-points"], ["reward", "add", "1", "A", "--required-points", "1", "--emailed=yes"],
    ["lead", "show", "1"], ["lead", "show", "1", ADA], ["lead", "show", "1", "--email", ADA, "--phone", NUMBER],
    ["lead", "list"], ["lead", "list", "1", "--verified"], ["lead", "list", "1", "--kind", "welcome"], ["check", "--deep=1"],
    ["check", "deep"], ["status", "--deep"]])
def test_wrong_usage(refused, words):
    """docs/operating.md 4, status 64"""
    refused(USAGE, *words)


@pytest.mark.parametrize("words", [
    ["tag", "list", "x"], ["tag", "remove", "0"], ["action", "set", "-", "points=1"], ["reward", "remove", "01"],
    ["lead", "show", "1", "--email", "ada"], ["lead", "show", "1", "--phone", "555"], ["lead", "show", "1", "--social-id", "x"],
    ["lead", "list", "1", "--verified", "maybe"], ["lead", "list", "1", "--tag", "vip"], ["lead", "list", "1", "--since", "soon"],
    ["lead", "list", "1", "--limit", "0"], ["lead", "list", "1", "--limit", "10001"], ["lead", "list", "1", "--after", "-1"]])
def test_wrong_values(refused, words):
    """docs/operating.md 4, status 65"""
    assert "expected" in (expected := refused(DATA, *words)) or "is not a valid id of" in expected


@pytest.mark.parametrize("command", [
    *(f"{kind} {word}" for kind in ("tag", "action", "reward") for word in ("list {}", "set {} points=1", "remove {}")
      if (kind, word) != ("reward", "set {} points=1")),
    "tag add {} A", "action add {} A", "reward add {} A --required-points 1", "reward set {} emailed=on",
    f"lead show {{}} --email {ADA}", "lead list {}"])
def test_missing_objects(refused, command):
    """docs/operating.md 4, status 65: an id that does not exist is an error, not an empty list"""
    assert "there is no such" in refused(DATA, *command.format(NO_ID).split())


@pytest.mark.parametrize("command", ["tag add 1 A", "action list 1", "reward remove 1", f"lead show 1 --email {ADA}", "lead list 1"])
def test_no_database(refused, command):
    """docs/operating.md 4, status 69: the database cannot be reached"""
    assert "out of reach" in refused(UNAVAILABLE, *command.split(), env={"LEADHOOK_DATABASE_SOCKET": "/nonexistent"})


# --- check --deep ---

def make_everything(service, leadhook, campaign):
    """Make leads in every state, with tags, actions, rewards and bookings."""
    tag = leadhook("tag", "add", campaign.id, "vip", "--points", 7)["id"]
    leadhook("reward", "add", campaign.id, "T-shirt", "--required-points", 5)
    leadhook("campaign", "set", campaign.id, "points_signup=2", "points_indirect=1", "points_verified=3", "waitlist=on",
             "max_per_ip=2")
    campaign.webhook("new_signup", "score_change", "deleted")
    emails = [f"lead{number}@example.org" for number in range(6)]
    referrer = None
    for email in emails:
        referrer = campaign.lead(email=email, ip="192.0.2.1", **({"kid": referrer} if referrer else {}))["social_id"]
    for action, chosen, more in (("verify", emails[:4], {}), ("tag", emails[1:3], {"tag_id": tag}), ("block", emails[2:5], {}),
                                 ("approve", emails[3:4], {}), ("unwaitlist", emails[:2], {}), ("optout", emails[4:], {}),
                                 ("delete", emails[1], {})):
        campaign.bulk(action, {"email": chosen, **more})
    service.dispatch()


def test_the_deep_check(service, leadhook, receiver, campaign):
    """docs/operating.md 4 check --deep: finds nothing after normal use; each change by hand is a finding with name, detail and hint"""
    make_everything(service, leadhook, campaign)
    assert leadhook("check", "--deep") == {"ok": True, "findings": []}
    one_lead = f"WHERE email = 'lead3@example.org' AND campaign_id = {campaign.id}"
    service.installation.sql(f"UPDATE lh_leads SET score = score + 1 {one_lead}")
    assert leadhook("check") == {"ok": True, "findings": []}, "only --deep finds it"
    done = call(service.installation, "check", "--deep", "--json")
    service.installation.sql(f"UPDATE lh_leads SET score = score - 1 {one_lead}")
    answer = json.loads(done.stdout)
    assert done.returncode == CONFIG and answer["ok"] is False
    assert [one["what"] for one in answer["findings"]] == ["scores", "score_histogram"]
    assert all(list(one) == ["what", "detail", "hint"] and all(one.values()) for one in answer["findings"])
    assert re.fullmatch(r"1 found: lead \d+ \(score is \d+, entries make \d+\)", answer["findings"][0]["detail"])
    assert answer["findings"][1]["detail"].startswith(f"1 found: campaign {campaign.id} ")
    done = call(service.installation, "check", "--deep")
    assert done.returncode == OK and re.fullmatch(r"ok +yes\n", done.stdout)


def test_recounting_addresses(service, leadhook, receiver, campaign):
    """docs/operating.md 4 check --deep, ip_leads: following the hint corrects it"""
    make_everything(service, leadhook, campaign)
    service.installation.sql(f"UPDATE lh_ip_leads SET leads = 77 WHERE campaign_id = {campaign.id}")
    [finding] = json.loads(call(service.installation, "check", "--deep", "--json").stdout)["findings"]
    assert finding["what"] == "ip_leads" and "set max_per_ip of the campaign to 0" in finding["hint"]
    for number in (0, 2):
        leadhook("campaign", "set", campaign.id, f"max_per_ip={number}")
        assert leadhook("check", "--deep") == {"ok": True, "findings": []}


def test_a_killed_count_of_addresses(service, leadhook, campaign):
    """leadhook(1), max_per_ip; 4 campaign set, show, check: a killed count is not in effect, and the same command resumes it"""
    def sign_up(name):
        return campaign.post({"email": f"{name}@example.org"}, key=None, headers={"X-Forwarded-For": "192.0.2.1"})

    def flags(name):
        return service.installation.sql(f"SELECT fraudulent FROM lh_leads WHERE email = '{name}@example.org'")
    names = [f"early{number}" for number in range(4)]
    assert [sign_up(name).status for name in names] == [200] * 4
    assert leadhook("campaign", "set", campaign.id, "max_per_ip=3")["addresses_counted"] is True
    # The state after the first of two chunks of the count.
    service.installation.sql(f"UPDATE lh_campaign_counters SET ip_counted_to = 2 WHERE campaign_id = {campaign.id};"
                             f"UPDATE lh_ip_leads SET leads = 2 WHERE campaign_id = {campaign.id}")
    assert leadhook("campaign", "show", campaign.id)["addresses_counted"] is False
    assert sign_up("meanwhile").status == 200 and flags("meanwhile") == "0"
    done = call(service.installation, "check", "--deep", "--json")
    [finding] = json.loads(done.stdout)["findings"]
    assert done.returncode == CONFIG and finding["what"] == "addresses_counted"
    assert f"campaign {campaign.id} is counted up to lead 2 of 5" in finding["detail"]
    assert leadhook("campaign", "set", campaign.id, "name=Other")["addresses_counted"] is False, "the count is not waited for"
    command = re.search(r"leadhook (campaign set \d+ max_per_ip=3)", finding["hint"])[1]
    assert leadhook(*command.split())["addresses_counted"] is True
    assert leadhook("check", "--deep") == {"ok": True, "findings": []}
    assert sign_up("late").status == 200 and flags("late") == "1"


def test_a_killed_removal_of_counts(service, leadhook, campaign):
    """docs/operating.md 4 campaign set, check --deep: max_per_ip=0 takes effect at once; setting it again removes the remaining counts"""
    campaign.lead(email="a@example.org", ip="192.0.2.1")
    leadhook("campaign", "set", campaign.id, "max_per_ip=1")
    assert leadhook("campaign", "set", campaign.id, "max_per_ip=0")["addresses_counted"] is None
    service.installation.sql(f"INSERT INTO lh_ip_leads VALUES ({campaign.id}, '192.0.2.1', 1)")
    [finding] = json.loads(call(service.installation, "check", "--deep", "--json").stdout)["findings"]
    assert finding["what"] == "ip_leads" and "again" in finding["hint"]
    leadhook("campaign", "set", campaign.id, "max_per_ip=0")
    assert leadhook("check", "--deep") == {"ok": True, "findings": []}
