# SPDX-License-Identifier: MIT
"""leadhook(1), lead import; docs/api.md 4.5, social ids of other services."""
import json
import os
import random
import signal
import subprocess
import urllib.parse

import pytest
from command import DATA, OK, USAGE, call
from leads_file import make_leads, write_csv
from stack.process import wait_until
from transfers import check_all, check_links, counts, imported, is_sound, run_import, stored, write

MANY = 20_000


# --- a large file ---

@pytest.mark.long
def test_a_large_file(campaign, leadhook, tmp_path):
    """referrers that come later, a SIGKILL in the middle, a second run, a repeated run"""
    rows = make_leads(MANY, seed=1)
    shuffled = random.Random(2).sample(rows, MANY)
    path = write_csv(tmp_path / "leads.csv", shuffled)
    program = [campaign.service.installation.program("leadhook"), "--config", campaign.service.installation.config]
    killed = subprocess.Popen([*program, "lead", "import", str(campaign.id), str(path)], stdout=subprocess.DEVNULL)
    wait_until(lambda: campaign.stats()["total"] > MANY // 10 or killed.poll() is not None, 60, "some leads")
    os.kill(killed.pid, signal.SIGKILL)
    assert killed.wait() == -signal.SIGKILL
    before = campaign.stats()["total"]
    assert 0 < before < MANY
    imported(campaign, path, expected=counts(MANY - before, before))
    is_sound(leadhook)
    check_all(campaign, rows)
    imported(campaign, path, expected=counts(unchanged=MANY))
    check_links(campaign, rows, random.Random(3).sample(rows, 200))
    is_sound(leadhook)


# --- social ids of other lengths ---

@pytest.mark.parametrize("kid", ["36N3", "36N38P", "ABCDEFGHJKMNPQRS"])
def test_old_ids(service, account, leadhook, receiver, tmp_path, kid):
    """docs/api.md 4.5: an old id works wherever one of our ids does"""
    campaign = service.campaign(account, landing_url="https://example.org/?x=1")
    kid = f"{campaign.id % 10}{kid[1:]}"
    campaign.webhook("opted_out")
    imported(campaign, write(tmp_path, f"email,kid,points\nada@example.org,{kid},7\n"), expected=counts(1))
    ada = campaign.find(kid=kid.lower())
    assert ada["social_id"] == kid and ada["social_url"] == f"https://example.org/?x=1&kid={kid}"
    assert campaign.client.request("GET", f"/lead/{campaign.id}/{kid}").json["id"] == ada["id"]
    for number, fields in enumerate(({"kid": kid}, {"__kid": kid.lower()}, {"__url": f"https://example.org/?kid={kid}"})):
        assert campaign.lead(email=f"{number}@example.org", **fields)["parent_id"] == kid
    board = campaign.get({"social_id": kid}, path="/leaderboard", key=None).json
    assert board["me"]["social_id"] == board["leaders"][0]["social_id"] == kid and board["me"]["contest_score"] == 10
    path = urllib.parse.urlsplit(ada["unsubscribe_url"]["default"]).path
    assert campaign.client.request("GET", path).status == 200
    service.dispatch()
    assert campaign.find(kid=kid)["opted_out"] is True and campaign.delivered(1)[0].json["social_id"] == kid
    campaign.change("waitlist", social_ids=[kid])
    assert campaign.find(kid=kid)["waitlisted"] is True
    assert campaign.post({"social_id": kid, "points": 5}, path="/points").status == 200
    assert leadhook("lead", "show", campaign.id, "--social-id", kid)["contest_score"] == 15


def test_ids_are_not_padded(campaign, tmp_path):
    """docs/api.md 4.5: an id does not match a longer id that begins with it"""
    imported(campaign, write(tmp_path, "email,kid\na@example.org,77AB\nb@example.org,77AB00\n"), expected=counts(2))
    assert campaign.find(kid="77AB")["email"] == "a@example.org" and campaign.find(kid="77AB00")["email"] == "b@example.org"
    for unknown in ("77AB0", "77AB000000", "077AB"):
        assert campaign.get({"kid": unknown}).status == 404


def test_an_id_is_one_leads(service, account, tmp_path):
    """an id of another campaign or of another lead is refused"""
    one, other = service.campaign(account), service.campaign(account)
    imported(one, write(tmp_path, "email,kid\na@example.org,88CD\n"), expected=counts(1))
    errors = imported(other, tmp_path / "leads.csv", expected=counts(rejected=1), status=DATA)
    assert errors == "leadhook: line 2: social_id is that of a lead in another campaign\n"
    errors = imported(one, write(tmp_path, "email,kid\nb@example.org,88CD\n"), expected=counts(rejected=1), status=DATA)
    assert errors == "leadhook: line 2: social_id is that of another lead, with social_id 88CD\n"


# --- what is imported ---

def test_all_columns(campaign, tmp_path):
    """names and values of columns; derived values are ignored; other columns become custom fields"""
    text = ("\ufeffE-Mail;Phone Number;Social ID;When;subscription_number;verified;opted_out;sms_opted_out;waitlisted;Points;ip;"
            "source;uid;referrer_url;First Name;Favourite Colour;utm_medium;rank;_note\r\n"
            "Ada@Example.org;+14155552671;4E4E;2025-07-15 14:29:23 +0200;12;YES;1;no;true;99;192.0.2.7;old;u-1;"
            "https://example.com/;\"Ada \"\"L\"\"\";\"blue;\r\ngreen\";mail;5;x\r\n")
    imported(campaign, write(tmp_path, text), expected=counts(1))
    ada = campaign.find(email="ada@example.org")
    assert ada["email"] == "Ada@Example.org" and ada["phone_number"] == "+14155552671" and ada["social_id"] == "4E4E"
    assert ada["when"] == "2025-07-15T12:29:23Z" and ada["rank"] == 12 and ada["contest_score"] == 99
    assert (ada["verified_email"], ada["verified_phone_number"]) == (True, False)
    assert (ada["opted_out"], ada["sms_opted_out"], ada["waitlisted"]) == (True, False, True)
    assert ada["custom_fields"] == {"first_name": 'Ada "L"', "favourite colour": "blue;\ngreen"} and ada["utm"] == {"medium": "mail"}
    assert ada["ip"] == "192.0.2.7" and ada["uid"] == "u-1" and ada["referrer"] == "https://example.com/"
    assert campaign.lead(email="later@example.org")["rank"] == 13


def test_ndjson(service, account, campaign, tmp_path):
    """the members of a payload: leads as the API shows them can be imported elsewhere"""
    ada = campaign.lead(email="ada@example.org", first_name="Ada", plan=["a", 1, None], size=4, utm_source="x", points=5)
    campaign.lead(email="bob@example.org", kid=ada["social_id"], name="Bob Bee")
    before = stored(campaign)
    lines = [json.dumps(lead) for lead in reversed(before.values())]
    campaign.change("delete", emails=["ada@example.org", "bob@example.org"])
    target = service.campaign(account)
    path = write(tmp_path, "\n\n" + "\n".join(lines), "leads.ndjson")
    imported(target, path, expected=counts(2))
    same = ("social_id", "email", "custom_fields", "utm", "contest_score", "when", "parent_id", "rank", "referrals", "ip", "referrer")
    for social_id, lead in stored(target).items():
        assert {name: lead[name] for name in same} == {name: before[social_id][name] for name in same}


def test_columns_by_hand(campaign, tmp_path):
    """--map and operands, --delimiter, --set, standard input"""
    text = b"Mail|Tel|Code|Notes|Plan\na@example.org|(415) 555-2671|5F5F|secret|gold\n"
    words = ("--map", "Mail=email", "Tel=phone_number", "code=social_id", "Notes=-", "Plan=tier", "--delimiter", "|", "--set", "country=US")
    imported(campaign, "-", *words, stdin=text, expected=counts(1))
    lead = campaign.find(phone_number="+14155552671")
    assert lead["social_id"] == "5F5F" and lead["custom_fields"] == {"tier": "gold"}
    words = ("--map", "Mail=email", "--map", "Code=social_id", "--map", "Notes=-", "Tel=-", "--delimiter", "|")
    imported(campaign, "-", *words, stdin=text.replace(b"a@", b"b@").replace(b"5F5F", b"5G5G"), expected=counts(1))
    lead = campaign.find(email="b@example.org")
    assert lead["social_id"] == "5G5G" and lead["custom_fields"] == {"plan": "gold"}, "--map is repeated"
    for bad, status in ((("--map", "Nothing=email"), DATA), (("--map", "x"), USAGE), (("--delimiter", "ab"), USAGE),
                        (("--map", "Mail=email", "--set", "country=Germany"), USAGE), (("Mail=-", "Tel=-"), DATA)):
        done = call(campaign.service.installation, "lead", "import", str(campaign.id), str(write(tmp_path, text)), *bad)
        assert (done.returncode, done.stdout) == (status, "")
    for heading, problem in (('[{"email":"a@example.org"}]', "the file is a JSON array: write one object in each line"),
                             ("[\n{}", "the file is a JSON array"), ("email,\0\n", "the heading has a NUL byte")):
        done = call(campaign.service.installation, "lead", "import", str(campaign.id), str(write(tmp_path, heading)))
        assert done.returncode == DATA and done.stderr.startswith(f"leadhook: {problem}")
    done = call(campaign.service.installation, "lead", "import", str(campaign.id), str(tmp_path / "nothing"))
    assert done.returncode == 66


def test_rejects(campaign, tmp_path):
    """bad rows are written to a file with line and reason; the corrected file is imported; --dry-run imports nothing"""
    path = write(tmp_path, "email,kid,points,plan\nok@example.org,6A6A,1,x\nnot an address,6B6B,1,x\nb@example.org,6U6U,1,x\n"
                           "c@example.org,6C6C,-1,x\nd@example.org,6D6D,1,x,y\n,6E6E,1,x\ne@example.org,\"6E\"6E,1,x\n"
                           "f@example.org,6F6F,1,\"x\n")
    rejected = tmp_path / "rejected.csv"
    imported(campaign, path, "--dry-run", "--rejects", str(rejected), expected={"rows": 8, "valid": 1, "unchanged": 0, "rejected": 7}, status=DATA)
    assert campaign.stats()["total"] == 0
    imported(campaign, path, "--rejects", str(rejected), expected=counts(1, rejected=7), status=DATA)
    assert rejected.stat().st_mode & 0o777 == 0o600
    lines = rejected.read_text().splitlines()
    assert lines[0] == "_line,_reason,email,kid,points,plan"
    assert [line.split(",")[0] for line in lines[1:]] == ["3", "4", "5", "6", "7", "8", "9"]
    assert "email is not valid" in lines[1] and "social_id must have 4 to 16 characters" in lines[2] and "points must be" in lines[3]
    assert "the record has 5 fields, the heading 4" in lines[4] and "neither an email nor" in lines[5]
    assert "text between a closing quote" in lines[6] and "a quote without a closing one" in lines[7]
    corrected = [lines[0], lines[2].replace("6U6U", "6V6V"), lines[3].replace("-1", "2")]
    imported(campaign, write(tmp_path, "\n".join(corrected), "again.csv"), expected=counts(2))
    assert campaign.find(kid="6V6V")["custom_fields"] == {"plan": "x"}
    done = call(campaign.service.installation, "lead", "import", str(campaign.id), str(path), "--rejects", str(path))
    assert done.returncode == USAGE and path.read_text().startswith("email,kid")


def test_rejects_of_rejects(campaign, tmp_path):
    """if rows of such a file are rejected again, the new file also has one line and one reason per row"""
    path, again, last = (tmp_path / name for name in ("leads.csv", "again.csv", "last.csv"))
    path.write_text('email,kid\nbad,6G6G\na@example.org,"6U\n6U"\n')
    imported(campaign, path, "--rejects", str(again), expected=counts(rejected=2), status=DATA)
    imported(campaign, again, "--rejects", str(last), expected=counts(rejected=2), status=DATA)
    assert last.read_text().splitlines()[0] == "_line,_reason,email,kid"
    assert last.read_text().splitlines()[1:] == ["2,email is not valid,bad,6G6G", *again.read_text().replace("\n3,", "\n3,").splitlines()[2:]]
    path.write_text('{"email":"bad","a":"\\"x"}\n{"kid":"U"}\n')
    imported(campaign, path, "--rejects", str(again), expected=counts(rejected=2), status=DATA)
    imported(campaign, again, "--rejects", str(last), expected=counts(rejected=2), status=DATA)
    assert last.read_text().replace('"_line":2', '"_line":1').splitlines()[0] == again.read_text().splitlines()[0]
    assert [set(json.loads(line)) for line in last.read_text().splitlines()] == [
        {"_line", "_reason", "email", "a"}, {"_line", "_reason", "kid"}]
    again.write_text(again.read_text().replace('"bad"', '"good@example.org"'))
    imported(campaign, again, expected=counts(1, rejected=1), status=DATA)


def test_a_file_of_rejects_is_ours(campaign, tmp_path, shared_folder):
    """WRITTEN FILES: a link that others put at the path is not followed, and their file is not written to"""
    path, target, name = write(tmp_path, "email\nbad\n"), tmp_path / "target", shared_folder / "rejected.csv"
    target.write_text("precious")
    name.symlink_to(target)
    done = call(campaign.service.installation, "lead", "import", str(campaign.id), str(path), "--rejects", str(name))
    assert done.returncode == 73 and f"{name}: Too many levels of symbolic links" in done.stderr
    name.unlink()
    name.mkdir()
    done = call(campaign.service.installation, "lead", "import", str(campaign.id), str(path), "--rejects", str(name))
    assert done.returncode == 73 and f"{name}: Is a directory" in done.stderr
    name.rmdir()
    os.link(target, name)
    imported(campaign, path, "--rejects", str(name), expected=counts(rejected=1), status=DATA)
    assert name.read_text() == "_line,_reason,email\n2,email is not valid,bad\n" and name.stat().st_mode & 0o777 == 0o600
    assert target.read_text() == "precious"


@pytest.mark.parametrize("text", ['email,plan\n{0}a@example.org,"x\n' + "b@example.org,y\n" * 3,
                                  'email,plan\na@example.org,"x\n' + f"{'b' * 50}@example.org,y\n" * 30_000], ids=["short", "long"])
def test_a_dry_run_finds_what_the_import_finds(service, account, tmp_path, text):
    """a quote that is never closed: the same counts and the same rejected rows"""
    path, results = write(tmp_path, text.replace("{0}", "")), []
    for words in (["--dry-run"], []):
        rejected = tmp_path / "rejected.csv"
        result, errors = run_import(service.campaign(account), path, *words, "--rejects", str(rejected), status=DATA)
        results.append((result["rows"], result["rejected"], rejected.read_text(), errors))
    assert results[0] == results[1] and results[0][1] == 1


def test_a_dry_run_shows_the_columns(campaign, tmp_path):
    """it shows what each column becomes, so that misspelled names are noticed"""
    path = write(tmp_path, "E-Mail,Plan,Refd,must_exist,rank,utm_source\na@example.org,basic,ada,z,1,s\n")
    result, _ = run_import(campaign, path, "--dry-run", "--map", "Refd=referer_id")
    assert [(one["column"], one["becomes"]) for one in result["columns"]] == [
        ("E-Mail", "email"), ("Plan", "custom field plan"), ("Refd", "custom field referer_id"), ("must_exist", "ignored"),
        ("rank", "ignored"), ("utm_source", "utm source")]
    imported(campaign, path, expected=counts(1))
    assert campaign.find(email="a@example.org")["custom_fields"] == {"plan": "basic", "refd": "ada"}
    done = call(campaign.service.installation, "lead", "import", str(campaign.id), str(path), "--map", "Plan=must_exist")
    assert done.returncode == USAGE and "cannot be a custom field" in done.stderr


def test_many_rejects(campaign, tmp_path):
    """the command prints the first ten reasons, and how many more rows are rejected"""
    path = write(tmp_path, "email\n" + "bad\n" * 12)
    errors = imported(campaign, path, expected=counts(rejected=12), status=DATA).splitlines()
    assert len(errors) == 11 and errors[9] == "leadhook: line 11: email is not valid"
    assert errors[10] == "leadhook: 2 more rows are rejected; --rejects FILE writes all of them to a file"
    imported(campaign, path, "--rejects", str(tmp_path / "rejected.csv"), expected=counts(rejected=12), status=DATA)


def test_existing_leads(campaign, tmp_path):
    """existing leads are unchanged; rows that match several leads, or whose number another lead has, are refused"""
    ada = campaign.lead(email="ada@example.org", phone_number="+14155552671")
    campaign.lead(email="bob@example.org")
    rows = ["email,phone_number,kid,subscription_number", "ADA@example.org,,,", f",+14155552671,{ada['social_id']},9",
            "ada@example.org,,7A7A,", "bob@example.org,+14155552671,,", "carl@example.org,,,2", "dora@example.org,,,3"]
    rejected = tmp_path / "rejected.csv"
    imported(campaign, write(tmp_path, "\n".join(rows)), "--rejects", str(rejected), expected=counts(1, 2, 3), status=DATA)
    reasons = rejected.read_text()
    assert "4,\"email is that of another lead" in reasons and "5,\"" in reasons and "6,subscription_number 2 is taken by another lead" in reasons
    assert campaign.find(email="ada@example.org")["counter"] == 1
    assert campaign.find(email="dora@example.org")["rank"] == 3


def test_numbers_during_sign_ups(campaign, tmp_path):
    """sign-ups continue after the largest number of the file, even while rows with smaller numbers are imported"""
    text = "email,subscription_number\nfirst@example.com,\n" + "".join(f"{n}@example.com,{n}\n" for n in (5, 900, 7))
    imported(campaign, write(tmp_path, text), expected=counts(4))
    assert [campaign.find(email=f"{n}@example.com")["rank"] for n in ("first", 5, 900, 7)] == [901, 5, 900, 7]
    assert campaign.lead(email="new@example.com")["rank"] == 902


def test_sign_ups_go_on(campaign, leadhook, tmp_path):
    """the campaign is only locked for a batch at a time"""
    path = write_csv(tmp_path / "leads.csv", make_leads(20_000, seed=9))
    program = [campaign.service.installation.program("leadhook"), "--config", campaign.service.installation.config]
    running = subprocess.Popen([*program, "lead", "import", str(campaign.id), str(path)], stdout=subprocess.DEVNULL)
    wait_until(lambda: campaign.stats()["total"] > 0 or running.poll() is not None, 60, "some leads")
    numbers = []
    while running.poll() is None:
        numbers.append(campaign.lead(email=f"{len(numbers)}@example.com")["rank"])
    assert running.returncode == OK and len(numbers) > 3
    assert numbers == list(range(40_001, 40_001 + len(numbers))) and campaign.stats()["total"] == 20_000 + len(numbers)
    is_sound(leadhook)


# --- scores, referrers, events ---

def test_scores(service, account, leadhook, tmp_path):
    """imported points are the score, and no credit is booked twice; without them, the points of the campaign are booked"""
    settings = {"points_signup": 1, "points_direct": 10, "points_indirect": 3, "points_verified": 100}
    scored, plain = service.campaign(account, **settings), service.campaign(account, **settings)
    head, ids = "email,kid,referrer,verified", iter(("9A9A", "9B9B", "9C9C", "9D9D", "9E9E", "9F9F"))
    for campaign, points in ((scored, (",points", ",40", ",2", ",")), (plain, ("", "", "", ""))):
        one, two, three = next(ids), next(ids), next(ids)
        text = (f"{head}{points[0]}\nc@example.org,{three},{two},{points[3]}\nb@example.org,{two},{one},yes{points[2]}\n"
                f"a@example.org,{one},,{points[1]}\n")
        imported(campaign, write(tmp_path, text), expected=counts(3))
    is_sound(leadhook)

    def scores(campaign):
        return [campaign.find(email=f"{name}@example.org")["contest_score"] for name in "abc"]
    assert scores(scored) == [40, 2, 0] and scores(plain) == [114, 11, 1]
    for campaign in (scored, plain):
        lead = campaign.find(email="a@example.org")
        assert (lead["referrals"], lead["influence"]) == (1, {"direct": 1, "indirect": 1})
    # credit that was not earned there is earned here: c is verified for the first time, b was verified before
    for campaign in (scored, plain):
        campaign.change("verify", emails=["b@example.org", "c@example.org"])
    assert scores(scored) == [40, 102, 0] and scores(plain) == [114, 111, 1]
    for action in ("block", "approve"):
        scored.change(action, emails=["b@example.org", "c@example.org"])
    assert scores(scored) == [40, 102, 0]
    is_sound(leadhook)


def test_referrers_later_in_the_file(campaign, leadhook, tmp_path):
    """a file that begins with the last lead; rows in a cycle or with unknown referrers are rejected, or imported without a
    referrer"""
    rows = make_leads(600, seed=5, referred=1)
    imported(campaign, write_csv(tmp_path / "down.csv", list(reversed(rows))), expected=counts(600))
    assert stored(campaign)[rows[-1]["social_id"]]["parent_id"] == rows[-1]["referrer"]
    text = ("email,kid,referrer\na@example.net,3A3A,3B3B\nb@example.net,3B3B,3A3A\nc@example.net,3C3C,3Z3Z\n"
            f"d@example.net,3D3D,{rows[0]['email']}\n")
    errors = imported(campaign, write(tmp_path, text), expected=counts(1, rejected=3), status=DATA)
    assert errors.count("its referrer is not a lead of the campaign") == 3
    assert campaign.find(kid="3D3D")["parent_id"] == rows[0]["social_id"], "by email address"
    imported(campaign, tmp_path / "leads.csv", "--drop-unknown-referrers", expected=counts(3, 1))
    assert campaign.find(kid="3C3C")["parent_id"] is None
    text = "email,kid,referrer\ne@example.net,3E3E,AB\nf@example.net,3F3F,not-an-id\n"
    errors = imported(campaign, write(tmp_path, text), expected=counts(0, rejected=2), status=DATA)
    assert errors.count("referrer must be a social_id or an email") == 2
    imported(campaign, tmp_path / "leads.csv", "--drop-unknown-referrers", expected=counts(2))
    assert campaign.find(kid="3E3E")["parent_id"] is None
    is_sound(leadhook)


@pytest.mark.parametrize("order", [1, -1], ids=["oldest first", "newest first"])
def test_only_unknown_referrers_are_dropped(campaign, leadhook, tmp_path, order):
    """--drop-unknown-referrers: leads keep a known referrer, even if the referrer of that lead is unknown"""
    rows = ["a1@example.net,4A4A,4Z4Z", "b2@example.net,4B4B,4A4A", "c3@example.net,4C4C,4B4B", "d4@example.net,4D4D,a1@example.net",
            "e5@example.net,4E4E,4F4F", "f6@example.net,4F4F,4E4E", "g7@example.net,4G4G,4F4F"]
    prefix = "W" if order == 1 else "X"  # an id is one lead's in the installation
    path = write(tmp_path, "email,kid,referrer\n" + "\n".join(rows[::order]).replace(",4", f",{prefix}"))
    imported(campaign, path, "--drop-unknown-referrers", expected=counts(7))
    parents = {"4" + kid[1:]: lead["parent_id"] and "4" + lead["parent_id"][1:] for kid, lead in stored(campaign).items()}
    assert {kid: parents[kid] for kid in ("4A4A", "4B4B", "4C4C", "4D4D", "4G4G")} == {
        "4A4A": None, "4B4B": "4A4A", "4C4C": "4B4B", "4D4D": "4A4A", "4G4G": "4F4F"}
    first, second = ("4E4E", "4F4F")[::order]
    assert (parents[first], parents[second]) == (None, first), "a circle ends at the first lead of the file"
    is_sound(leadhook)


@pytest.mark.long
def test_referrers_in_any_order(campaign, leadhook, tmp_path):
    """no order of the rows needs a pass for each row: here, every second lead of a chain comes first, then the others"""
    chain = [f"{number}@example.net,{number + 4096:06X},{f'{number + 4095:06X}' if number else ''}" for number in range(20_000)]
    path = write(tmp_path, "email,kid,referrer\n" + "\n".join(chain[::2] + chain[1::2]))
    imported(campaign, path, expected=counts(20_000))
    assert campaign.find(email="19999@example.net")["parent_id"] == f"{19998 + 4096:06X}"
    is_sound(leadhook)


def test_many_members(campaign, tmp_path):
    """an NDJSON record with thousands of members is rejected, and the others are imported"""
    large = json.dumps({"email": "b@example.org", "custom_fields": {f"k{number}": 1 for number in range(20_000)}})
    path = write(tmp_path, "\n".join(['{"email":"a@example.org"}', large, '{"email":"c@example.org"}']), "leads.ndjson")
    errors = imported(campaign, path, expected=counts(2, rejected=1), status=DATA)
    assert errors == "leadhook: line 2: There are more than 1000 parameters\n"


def test_json_as_in_a_request(campaign, tmp_path):
    """docs/api.md 4.4, 1.1: objects are fields, names that are not fields are dropped, numbers must fit into a double"""
    lines = ['{"email":"a@example.org","geo":{"country":"DE"},"utm":[],"custom_fields":{"plan":"x","email":"e","_y":1,"points":7}}',
             '{"email":"b@example.org","custom_fields":[]}', '{"email":"c@example.org","custom_fields":{"big":1e400}}']
    errors = imported(campaign, write(tmp_path, "\n".join(lines)), expected=counts(2, rejected=1), status=DATA)
    assert errors == "leadhook: line 3: Parameter custom_fields[big] must be a number that a double can hold\n"
    assert campaign.find(email="a@example.org")["custom_fields"] == {"geo[country]": "DE", "plan": "x"}


def test_events(campaign, receiver, tmp_path):
    """there are no events without --events"""
    campaign.webhook("new_signup", "score_change", "verified")
    text = "email,kid,points,verified\n{0}@example.org,{1},3,yes\n"
    imported(campaign, write(tmp_path, text.format("a", "2A2A")), expected=counts(1))
    imported(campaign, write(tmp_path, text.format("b", "2B2B")), "--events", expected=counts(1))
    campaign.service.dispatch()
    got = campaign.delivered(3)
    assert sorted(one.event for one in got) == ["new_signup", "score_change", "verified"]
    assert {one.json["email"] for one in got} == {"b@example.org"}


def test_the_campaign(service, account, tmp_path):
    """an import into a campaign that has ended, or does not exist"""
    campaign = service.campaign(account)
    campaign.end()
    path = write(tmp_path, "email\na@example.org\n")
    result, errors = run_import(campaign, path, status=DATA)
    assert "has ended" in errors and result["imported"] == 0
    assert call(service.installation, "lead", "import", "4294967295", str(path)).returncode == DATA
