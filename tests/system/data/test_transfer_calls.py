# SPDX-License-Identifier: MIT
"""docs/manage.md 1.6: imports and exports by calls, in parts that together equal the files of the commands."""
import base64
import collections
import concurrent.futures
import csv
import io
import json
import subprocess
import time

import pytest
from caller import Caller
from failing_database import locked_campaign, locked_table
from stack.process import wait_until


@pytest.fixture(scope="module")
def service(make_service):
    return make_service()


@pytest.fixture
def account(service):
    return service.account()


@pytest.fixture
def campaign(service, account):
    return service.campaign(account)


@pytest.fixture
def call(service, account):
    return Caller(service, account.key)


def imported(call, campaign, records, **fields):
    return call("POST", f"campaigns/{campaign.id}/import", {"records": records, **fields})


def counts(answer):
    assert answer.status == 200, answer.body
    return {name: answer.json[name] for name in ("rows", "imported", "unchanged", "rejected")}


def parts(call, campaign, query):
    """The answers of an export; each begins at the place that the previous one named."""
    path = f"campaigns/{campaign.id}/export"
    while query is not None:
        answer = call("GET", f"{path}?{query}")
        assert answer.status == 200, answer.body
        yield answer.json
        link = answer.headers.get("Link")
        query = link and link.removeprefix("<?").removesuffix('>; rel="next"')


def leadhook(service, *words, input=None):
    installation = service.installation
    return subprocess.run([installation.program("leadhook"), "--config", installation.config, *words], input=input, timeout=60,
                          stdout=subprocess.PIPE, check=True).stdout


def exported(service, campaign, *words):
    return leadhook(service, "lead", "export", str(campaign.id), *words)


def fill(service, campaign, rows):
    text = "".join(json.dumps(row) + "\n" for row in rows)
    leadhook(service, "lead", "import", str(campaign.id), "-", input=text.encode())


HEADING = "Mail,social_id,parent_id,subscription_number,plan\n"


def test_parts_of_a_file(service, call, campaign):
    """The referrer of a row and larger numbers may be in other parts."""
    first = HEADING + "a@example.org,AAAA,,5,gold\nb@example.org,BBBB,ZZZZ,6,=1+1\n"
    second = HEADING + "z@example.org,ZZZZ,AAAA,9,\n"
    answer = imported(call, campaign, first, map={"Mail": "email"}, last_number=9)
    assert counts(answer) == {"rows": 2, "imported": 1, "unchanged": 0, "rejected": 1}
    assert answer.json["rejected_rows"] == [
        {"line": 3, "offset": 27, "size": 30, "reason": "its referrer is not a lead of the campaign",
         "record": "b@example.org,BBBB,ZZZZ,6,=1+1", "waits": True}]
    assert campaign.lead(email="later@example.org")["subscription_number"] == 10
    assert counts(imported(call, campaign, second, map={"Mail": "email"}))["imported"] == 1
    assert counts(imported(call, campaign, first, map={"Mail": "email"})) == {"rows": 2, "imported": 1, "unchanged": 1, "rejected": 0}
    rows = [json.loads(line) for line in exported(service, campaign, "--format", "ndjson").splitlines()]
    assert [(row["subscription_number"], row["social_id"], row["parent_id"]) for row in rows if row["email"] != "later@example.org"] == [
        (5, "AAAA", None), (6, "BBBB", "ZZZZ"), (9, "ZZZZ", "AAAA")]


def test_headings_and_values_with_several_lines(call, campaign):
    """docs/manage.md 1.6: `map` and `value` contain them as they are in the file; the delimiter is the tab itself"""
    records = '"Mail\n(work)"\tStatus\na@example.org\t"left\nus"\nb@example.org\tyes\n'
    answer = imported(call, campaign, records, delimiter="\t", map={"Mail\n(work)": "email"},
                      value={"Status:left\nus": "left_out", "Status:yes": "active"})
    assert counts(answer) == {"rows": 2, "imported": 1, "unchanged": 0, "rejected": 0}


def test_line_ends(call, campaign):
    """CR alone, as old programs write them"""
    answer = imported(call, campaign, "email,plan\rd1@example.org,gold\rd2@example.org,\r")
    assert counts(answer) == {"rows": 2, "imported": 2, "unchanged": 0, "rejected": 0}


def test_options_of_an_import(call, campaign):
    text = '{"email": "n@example.org", "phone_number": "030 123456"}\n'
    tried = imported(call, campaign, text, set={"country": "49"}, dry_run=True)
    assert (tried.status, tried.json["valid"]) == (200, 1)
    assert imported(call, campaign, "email;Notes\nq@example.org;x\n", dry_run=True).json["columns"] == [
        {"column": "email", "becomes": "email"}, {"column": "Notes", "becomes": "custom field notes"}]
    assert counts(imported(call, campaign, text, set={"country": "49"}))["imported"] == 1
    [lead] = call("GET", f"campaigns/{campaign.id}/leads?phone=%2B4930123456").json
    assert lead["email"] == "n@example.org"


@pytest.mark.parametrize("fields, status, error", [
    ({}, 422, "invalid_arguments"),
    ({"records": ""}, 422, "invalid_value"),
    ({"records": "name\nx\n"}, 422, "invalid_value"),
    ({"records": "email\nx@example.org\u0001\n"}, 422, "invalid_value"),
    ({"records": "email\nx@example.org\n", "rejects": "/tmp/x"}, 406, "unknown_field"),
    ({"records": "email\nx@example.org\n", "encoding": "UTF-7"}, 422, "invalid_arguments"),
    ({"records": "email\nx@example.org\n", "base64": True}, 422, "invalid_value"),
    ({"records": "email,Status\nx@example.org,unsubscribed\n"}, 422, "questions"),
    ({"records": "email\nx@example.org\n", "file_name": "unsubscribed.csv"}, 422, "questions"),
    ({"records": "email,created\nx@example.org,1/2/2024\n"}, 422, "questions"),
    ({"records": "email\nx@example.org\n", "last_number": "many"}, 422, "invalid_value"),
    ({"records": "email\nx@example.org\n", "last_number": 4000000001}, 422, "invalid_value"),
    ({"records": '{"email": "x@example.org"}\n', "map": {"mail": "email"}}, 422, "invalid_arguments"),
])
def test_what_cannot_be_imported(call, campaign, fields, status, error):
    answer = call("POST", f"campaigns/{campaign.id}/import", fields)
    assert (answer.status, answer.json["error"]) == (status, error), answer.body
    assert call("GET", f"campaigns/{campaign.id}/leads").json == []


def parted(call, campaign, content, size, **options):
    """Imports the file in parts of this many bytes, as the dashboard does; returns the sums of the answers."""
    def bytes_of(part):
        return {"records": base64.b64encode(part).decode(), "base64": True}

    look = call("POST", f"campaigns/{campaign.id}/import", {**bytes_of(content[:size]), "look": True, "more": size < len(content)}).json
    heading, offset, line, sums = content[:look["begin"]], look["begin"], look["begin_line"], collections.Counter()
    options = {"encoding": look["encoding"], "delimiter": look["delimiter"], **options}
    rejected = []
    while offset < len(content):
        part = content[offset:offset + size]
        answer = call("POST", f"campaigns/{campaign.id}/import", {
            **options, **bytes_of(heading + part), "more": offset + size < len(content), "first_line": line})
        assert answer.status == 200, answer.body
        sums.update({name: answer.json[name] for name in ("rows", "imported", "unchanged", "rejected")})
        rejected += [(one["line"], content[offset + one["offset"]:offset + one["offset"] + one["size"]]) for one in answer.json["rejected_rows"]]
        if answer.json["next_offset"] is None:
            break
        assert answer.json["next_offset"] > 0
        offset, line = offset + answer.json["next_offset"], answer.json["next_line"]
    return dict(sums), rejected


@pytest.mark.parametrize("encoding", ["utf-8-sig", "cp1252", "utf-16"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_parts_of_bytes(call, campaign, encoding, end):
    """parts may end anywhere: in a character, a line end or a quoted field; lines and places refer to the file"""
    rows = [f'p{n}@example.org;Jürgen;"a text{end}with lines; {n}"' for n in range(60)]
    rows[20], rows[40] = "bad;Jürgen;x", 'p40@example.org;"stray;x'
    content = end.join(["E-Mail;Vorname;notes", *rows]).encode(encoding)
    sums, rejected = parted(call, campaign, content, 701)
    assert sums == {"rows": 60, "imported": 58, "unchanged": 0, "rejected": 2}
    codec = "utf-16-le" if encoding == "utf-16" else encoding.removesuffix("-sig")
    assert [(line, text.decode(codec)) for line, text in rejected] == [(42, rows[20]), (81, rows[40])]
    [lead] = call("GET", f"campaigns/{campaign.id}/leads?email=p59@example.org").json
    shown = call("GET", f"campaigns/{campaign.id}/leads/{lead['social_id']}").json
    assert shown["custom_fields"] == {"first_name": "Jürgen", "notes": "a text\nwith lines; 59"}


def test_a_look_at_a_part(call, campaign):
    """the encoding of the file is recognized, wherever the part ends, even within a character"""
    content = ("email,first name\n" + "".join(f"p{n}@example.org,Jürgen\n" for n in range(3))).encode()
    for size in range(len("email,first name\np0@example.org,J"), len(content) + 1):
        part = {"records": base64.b64encode(content[:size]).decode(), "base64": True, "look": True, "more": size < len(content)}
        look = call("POST", f"campaigns/{campaign.id}/import", part).json
        assert (look["encoding"], look["encoding_is_certain"]) == ("UTF-8", True), (size, look)


def test_questions_are_data(call, campaign):
    """docs/manage.md 1.6: nothing is stored before they are answered"""
    records = "email,Status\nx@example.org,unsubscribed\ny@example.org,subscribed\n"
    answer = imported(call, campaign, records)
    assert (answer.status, answer.json["error"]) == (422, "questions")
    [question] = answer.json["questions"]
    assert [(one["value"], one["suggested"]) for one in question["values"]] == [("unsubscribed", "opted_out"), ("subscribed", "active")]
    meanings = {f"{question['column']}:{one['value']}": one["suggested"] for one in question["values"]}
    assert counts(imported(call, campaign, records, value=meanings))["imported"] == 2
    found = {one["email"]: one for one in call("GET", f"campaigns/{campaign.id}/leads?opted_out=on").json}
    assert set(found) == {"x@example.org"}


def test_yes_and_no_in_a_part(call, campaign):
    """docs/manage.md 1.6: a column that happens to have only yes and no in a later part raises no question"""
    records = "email,notes\nx@example.org,x\ny@example.org,\n"
    [question] = imported(call, campaign, records, look=True).json["questions"]
    assert (question["name"], [one["suggested"] for one in question["values"]]) == ("notes", [None, None])
    assert imported(call, campaign, records, first_line=2).status == 422
    assert counts(imported(call, campaign, records, first_line=3))["imported"] == 2


def test_a_part_counts_its_own_rows(call, campaign):
    """docs/manage.md 1.6: if only some rows of a part were read, values and tags are counted only in these"""
    rows = [f"p{n}@example.org,{'odd' if n % 5 else 'active'},{'New' if n % 3 else ''}\n" for n in range(2500)]
    content, values = "email,Status,tags\n", {"Status:active": "active"}
    answer = imported(call, campaign, content + "".join(rows), value=values, dry_run=True).json
    [[value]] = [question["values"] for question in answer["questions"]]
    assert answer["next_offset"] == len("".join(rows[:answer["rows"]])) < len("".join(rows))
    assert value["rows"] == answer["rejected"] == sum("odd" in row for row in rows[:answer["rows"]])
    assert answer["unknown_tags"] == [{"name": "New", "rows": sum("New" in row for row in rows[:answer["rows"]])}]
    wrong = "".join(row.replace("@", "", 1) if "odd" in row else row for row in rows)
    answer = imported(call, campaign, content + wrong, value={**values, "Status:odd": "active"}, make_tags=True).json
    assert answer["next_offset"] < len(wrong) and [tag["name"] for tag in answer["made_tags"]] == ["New"]


def test_tags_need_their_right(service, account, campaign):
    """docs/manage.md 1.6: an import creates tags only for a caller with the right `manage`"""
    made = json.loads(leadhook(service, "key", "add", str(account.id), "--name", "k", "--rights", "change", "--json"))
    caller = Caller(service, made["key"])
    answer = imported(caller, campaign, "email,tags\nx@example.org,New\n", make_tags=True)
    assert (answer.status, answer.json["error"]) == (403, "forbidden")
    assert counts(imported(caller, campaign, "email,tags\nx@example.org,New\n"))["imported"] == 1


def test_a_file_of_the_host_is_not_read(call, campaign):
    answer = imported(call, campaign, "/etc/hostname")
    assert (answer.status, answer.json["detail"]) == (
        422, "the heading has neither email nor phone_number: name them with map")


FIELDS = {"ünïcode": "ä", "per cent % name": "x", "with,comma": "1,2", "formula": "=1+1", "list": [1, 2]}


@pytest.fixture
def filled(service, campaign):
    """More leads than fit in a part; the last ones have other fields."""
    rows = [{"email": f"{n}@example.org", "created": f"2024-01-01T00:{n // 60 % 60:02}:{n % 60:02}Z",
             "custom_fields": {"number": n, **(FIELDS if n == 2050 else {})}, "utm": {"campaign": "x"} if n == 2049 else {}}
            for n in range(2060)]
    fill(service, campaign, rows)
    return campaign


@pytest.mark.parametrize("query, words", [
    ("format=ndjson", ("--format", "ndjson")),
    ("", ()),
    ("format=csv&delimiter=%3B&since=2024-01-01T00:10:00Z&until=2024-01-01T00:11:00Z",
     ("--delimiter", ";", "--since", "2024-01-01T00:10:00Z", "--until", "2024-01-01T00:11:00Z")),
])
def test_parts_are_the_file(service, call, filled, query, words):
    answers = list(parts(call, filled, query))
    written = "".join(answer["records"] for answer in answers).encode()
    assert written == exported(service, filled, *words)
    assert sum(answer["leads"] for answer in answers) == (60 if "since" in query else 2060)
    assert len(answers) > 1 and max(answer["leads"] for answer in answers) <= 500


@pytest.mark.parametrize("query", ["format=csv", "format=ndjson"])
def test_later_leads(call, campaign, query):
    """Leads that sign up after the first part are not in the export, because CSV has no column for their fields."""
    campaign.leads(3)
    path = f"campaigns/{campaign.id}/export"
    first = call("GET", f"{path}?{query}")
    link = first.headers.get("Link")
    campaign.lead(email="late@example.org", color="blue")
    rest = list(parts(call, campaign, link.removeprefix("<?").removesuffix('>; rel="next"'))) if link else []
    assert (link is not None) == (query == "format=csv")
    assert sum(part["leads"] for part in [first.json, *rest]) == 3
    assert "late@" not in "".join(part["records"] for part in rest)


def test_large_leads(service, call, campaign):
    """A part ends before its answer becomes too large."""
    fill(service, campaign, ({"email": f"{n}@example.org", "custom_fields": {"text": str(n) * 1300}} for n in range(100, 400)))
    answers = list(parts(call, campaign, "format=ndjson"))
    assert len(answers) > 2 and max(len(answer["records"]) for answer in answers) < 600_000
    assert "".join(answer["records"] for answer in answers).encode() == exported(service, campaign, "--format", "ndjson")


@pytest.mark.parametrize("query, status", [
    ("format=xml", 422),
    ("format=ndjson&after=x", 422),
    ("format=csv&after=12", 422),
    ("format=csv&after=records:1-9:{}x", 422),
    ("format=csv&after=records:x-9:{}", 422),
    ("format=csv&after=records:1-9:[]", 422),
    ("format=csv&after=columns:1-9:{%22other%22:[]}", 422),
    ("format=csv&after=columns:1-9:{%22utm%22:[1]}", 422),
    ("format=csv&after=columns:1-9:{%22utm%22:{%22a%22:0}}", 422),
    ("format=csv&after=columns:1-9:{%22utm%22:%22x%22}", 422),
    ("file=/tmp/x", 406),
])
def test_what_cannot_be_exported(call, campaign, query, status):
    answer = call("GET", f"campaigns/{campaign.id}/export?{query}")
    assert answer.status == status, answer.body


def fields_of(record):
    """Return the custom fields and utm parameters of a CSV record."""
    other = json.loads(record["__fields"] or "{}")
    utm = {name.removeprefix("utm_"): value for name, value in record.items() if name.startswith("utm_") and value}
    return ({**other.get("custom_fields", {}), **({"plan": record["plan"]} if record["plan"] else {}),
             **{name: value for name, value in record.items() if name.startswith("a field") and value}},
            {**other.get("utm", {}), **utm})


@pytest.mark.parametrize("remote", [True, False])
def test_fields_of_visitors(service, call, campaign, remote):
    """Field names that visitors invent do not make an export fail: fields of most leads have columns, and one column has the
    others."""
    rows = [{"email": f"{n}@example.org", "utm": {"source": "x", f"u{n}": "y"},
             "custom_fields": {"plan": "gold"} if n % 2 else {f"a field number {n * 100 + k} ü": "=x" for k in range(12)}} for n in range(100)]
    fill(service, campaign, rows)
    text = "".join(part["records"] for part in parts(call, campaign, "")) if remote else exported(service, campaign).decode()
    records = list(csv.DictReader(io.StringIO(text, newline=""), strict=True))
    assert len(records[0]) <= 21 + 250 + 1 and {"plan", "utm_source", "__fields"} <= set(records[0])
    for record, row in zip(records, rows, strict=True):
        found = fields_of({name: value.removeprefix("'") for name, value in record.items()})
        assert ({name: value.removeprefix("'") for name, value in found[0].items()}, found[1]) == (row["custom_fields"], row["utm"])
    before = [json.loads(line) for line in exported(service, campaign, "--format", "ndjson").splitlines()]
    campaign.change("delete", emails=[row["email"] for row in rows])
    assert counts(imported(call, campaign, text)) == {"rows": 100, "imported": 100, "unchanged": 0, "rejected": 0}
    assert [json.loads(line) for line in exported(service, campaign, "--format", "ndjson").splitlines()] == before


def test_no_leads(call, campaign):
    answers = list(parts(call, campaign, ""))
    assert [answer["leads"] for answer in answers] == [0, 0]
    assert answers[0]["records"].startswith("email,phone_number,social_id,")
    assert list(parts(call, campaign, "format=ndjson")) == [{"leads": 0, "records": ""}]


def test_a_part_that_takes_long(service, account, call):
    """after a second, a call reads no more rows and returns where the next part begins, even among unchanged rows; 2,500 tags are
    created in one transaction"""
    campaign = service.campaign(account)
    sql, rows, tags = service.installation.sql, 40, 150
    sql("INSERT INTO lh_tags (id, campaign_id, name, points)"
        f" SELECT 1000 + seq, {campaign.id}, CONCAT('t', seq), 1 FROM seq_1_to_{tags}")
    names = ",".join(f"t{n + 1}" for n in range(tags))
    heading, *lines = ["email,tags", *(f'l{n}@example.org,"{names}"' for n in range(rows))]
    for first in ("imported", "unchanged"):
        with concurrent.futures.ThreadPoolExecutor() as pool:
            with locked_campaign(service, campaign):
                late = time.monotonic() + 1.5
                answer = pool.submit(imported, call, campaign, "\n".join([heading, *lines]))
                wait_until(lambda: time.monotonic() > late, 5, "the call takes more than a second")
            answer = answer.result()
        assert counts(answer) == {"rows": 17, "imported": 0, "unchanged": 0, "rejected": 0, first: 17} and answer.json["next_line"] == 19
        rest = lines
        while answer.json["next_line"]:
            rest = rest[counts(answer)["rows"]:]
            answer = imported(call, campaign, "\n".join([heading, *rest]))
    assert sql(f"SELECT COUNT(*), SUM(score) FROM lh_leads WHERE campaign_id = {campaign.id}").split() == [str(rows), str(tags * rows)]


def test_long_calls_take_turns(service, account, call, campaign):
    """docs/manage.md 1.2, `busy`: two run at a time on a host; a third one waits two seconds, and other calls continue"""
    campaign.lead(email="ada@example.org", first_name="Ada")
    tags = f"campaigns/{campaign.id}/tags"
    paths = [f"campaigns/{campaign.id}/export", f"campaigns/{campaign.id}/export", f"campaigns/{campaign.id}/leads?name=Ada"]
    with concurrent.futures.ThreadPoolExecutor() as pool:
        with locked_table(service, campaign):
            answers = [pool.submit(call, "GET", path) for path in paths]
            wait_until(lambda: any(one.done() for one in answers), 10, "one of them was refused")
            assert call("GET", tags).status == 200
        refused = [one.result() for one in answers if one.result().status == 429]
    assert [one.verdict for one in refused] == [(429, "busy")] and refused[0].headers["Retry-After"] == "1"
    assert all(call("GET", path).status == 200 for path in paths)
