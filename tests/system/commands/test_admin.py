# SPDX-License-Identifier: MIT
"""docs/operating.md 3 and 4: the `leadhook` command, its output for people and for programs."""
import json
import pathlib
import re
import subprocess

import pytest
from command import CONFIG, DATA, NO_ID, OK, UNAVAILABLE, USAGE, call, is_aligned, is_time
from service import settles
from stack.process import wait_until
from tree import BUILD, SOURCE

ADA = {"email": "ada@example.org"}
HOOK = "https://hooks.example/a"
VERSION = len(list((SOURCE / "schema").glob("*.sql")))
PROGRAMS = ["leadhook", "leadhook-fcgi", "leadhook-dispatch"]


# --- JSON output of each command ---

@pytest.mark.smoke
def test_install_and_upgrade(leadhook):
    """docs/operating.md 4 install, upgrade: both print objects, and change nothing when repeated"""
    version = leadhook("status")["schema_version"]
    nothing_to_do = {"from": version, "to": version, "applied": False}
    for words in (["install"], ["install"], ["upgrade"], ["upgrade", "--dry-run"]):
        assert leadhook(*words) == nothing_to_do


def test_an_empty_database(make_folder, database, make_service):
    """docs/operating.md 4: --dry-run creates nothing; install creates everything once"""
    installation = make_service().installation
    fresh = type(installation)(make_folder(), installation.build, database, name="fresh")
    fresh.configure()
    database.add_account("fresh", "fresh", fresh.setting("database", "password"))
    applied = {"from": 0, "to": VERSION, "applied": True}
    assert fresh.admin("upgrade", "--dry-run") == {**applied, "applied": False}
    assert fresh.sql("SHOW TABLES") == ""
    for command in ("status", "account list"):
        done = call(fresh, *command.split())
        assert done.returncode == CONFIG and "leadhook install" in done.stderr
    done = call(fresh, "check", "--json")
    assert done.returncode == CONFIG and [one["what"] for one in json.loads(done.stdout)["findings"]] == ["schema_version"]
    assert fresh.admin("install") == applied
    secret = fresh.sql("SELECT HEX(value) FROM lh_installation WHERE name = 'server_secret'")
    fresh.install()
    assert fresh.sql("SELECT HEX(value) FROM lh_installation WHERE name = 'server_secret'") == secret, "the secret changed"
    assert fresh.admin("check") == {"ok": True, "findings": []}


def test_check(service, leadhook):
    """docs/operating.md 4 check: each finding has a name, a detail and a hint"""
    assert leadhook("check") == {"ok": True, "findings": []}
    done = call(service.installation, "check", "--json", env={"LEADHOOK_DATABASE_SOCKET": "/nonexistent"})
    answer = json.loads(done.stdout)
    assert done.returncode == CONFIG and answer["ok"] is False
    [finding] = answer["findings"]
    assert list(finding) == ["what", "detail", "hint"] and finding["what"] == "connection" and all(finding.values())


def test_check_of_connections(service, leadhook):
    """docs/operating.md 2.2: a limit of the account below what the programs need is a finding, which shows this limit"""
    user = service.installation.setting("database", "user")

    def check(allowed, workers):
        service.database.sql(f"ALTER USER '{user}'@'localhost' WITH MAX_USER_CONNECTIONS {allowed}")
        return call(service.installation, "check", "--json", env={"LEADHOOK_SERVER_WORKERS": str(workers)})
    try:
        done = check(40, 3)
        [finding] = json.loads(done.stdout)["findings"]
        assert done.returncode == CONFIG and finding == {
            "what": "connection_limit", "hint": "raise max_user_connections to 102, or set server.workers to 1",
            "detail": "the programs need up to 102 connections (workers 96, committer 1, dispatcher 4, mailer 0, texter 0, leadhook 1), max_user_connections is 40"}
        for allowed, workers in ((102, 3), (70, 2), (6, 0)):
            assert check(allowed, workers).returncode == OK
        [finding] = json.loads(check(20, "auto").stdout)["findings"]
        assert "up to 134 connections" in finding["detail"]
    finally:
        check(0, "auto")


def test_status(service, leadhook, receiver, campaign):
    """docs/operating.md 4 status: totals and queued work; nothing about nodes, because the server is not part of a cluster"""
    before = leadhook("status")
    assert list(before) == ["version", "schema_version", "server_version", "accounts", "campaigns", "leads", "webhooks",
                            "webhooks_failing", "webhooks_disabled", "due_now", "due_later", "oldest_due_at", "bulk_jobs",
                            "oldest_bulk_at", "operator_jobs", "unfinished_removals", "dispatcher", "dispatcher_at", "mailer",
                            "mailer_at", "texter", "texter_at", "mail", "mails_pending", "oldest_mail_at",
                            "mail_held_since", "mail_held_by", "mail_server_answer", "mail_hint", "mail_refused_at", "mail_refused_by",
                            "mail_refused_answer", "mail_refused_hint", "texts", "texts_held_since", "texts_held_by", "limits_reached",
                            "disks", "now"]
    campaign.webhook("new_signup")
    campaign.lead(**ADA)
    after = leadhook("status")
    assert {key: after[key] - before[key] for key in ("accounts", "leads", "webhooks", "due_now", "due_later")} == \
        {"accounts": 0, "leads": 1, "webhooks": 1, "due_now": 1, "due_later": 0}
    assert is_time(after["oldest_due_at"]) and is_time(after["now"]) and after["oldest_due_at"] <= after["now"]
    assert (after["bulk_jobs"], after["oldest_bulk_at"]) == (0, None)
    assert campaign.post({"email": ADA["email"]}, path="/optout").status == 202
    queued = leadhook("status")
    assert queued["bulk_jobs"] == 1 and is_time(queued["oldest_bulk_at"])
    service.dispatch()
    done = leadhook("status")
    assert (done["due_now"], done["bulk_jobs"]) == (0, 0)


def test_accounts(leadhook):
    """docs/operating.md 4 account add, list"""
    added = leadhook("account", "add", "Example")
    assert list(added) == ["id", "name"] and added["name"] == "Example"
    listed = leadhook("account", "list")
    assert [one["id"] for one in listed] == sorted(one["id"] for one in listed)
    [mine] = [one for one in listed if one["id"] == added["id"]]
    assert list(mine) == ["id", "name", "created_at", "suspended_at", "per_minute", "time_zone"]
    assert mine["name"] == "Example" and is_time(mine["created_at"]) and mine["suspended_at"] is None


def test_keys(service, leadhook):
    """docs/operating.md 4 key add, list (never the keys), revoke; leadhook(1): revoked within one second, and again without an error"""
    account = str(leadhook("account", "add", "Keys")["id"])
    assert leadhook("key", "list", account) == []
    first, second = leadhook("key", "add", account), leadhook("key", "add", account, "--name", "website")
    assert list(first) == list(second) == ["id", "name", "key"]
    assert (first["name"], second["name"]) == ("default", "website") and first["key"] != second["key"]

    def status(key):
        return service.client.request("GET", "/v2/campaigns", key=key["key"]).status
    assert status(first) == status(second) == 200
    for _ in range(2):
        assert leadhook("key", "revoke", str(first["id"])) == {"id": first["id"]}
    wait_until(lambda: status(first) == 409, 1, "the revoked key is refused")
    assert status(second) == 200
    listed = leadhook("key", "list", account)
    assert [list(one) for one in listed] == [["id", "name", "created_at", "last_used_at", "revoked_at", "expires_at", "rights", "campaigns"]] * 2
    assert [one["name"] for one in listed] == ["default", "website"]
    assert is_time(listed[0]["revoked_at"]) and listed[1]["revoked_at"] is None
    assert all(is_time(one["last_used_at"]) and one["last_used_at"].endswith(":00:00Z") for one in listed), "hours only"


@pytest.mark.parametrize("words", ["on off", "yes no", "true false", "1 0", "ON Off", "True FALSE"])
def test_words_for_booleans(leadhook, campaign, words):
    """docs/api.md 4.6"""
    on, off = words.split()
    assert leadhook("campaign", "set", campaign.id, f"require_key={on}", f"privacy={off}")["require_key"] is True
    shown = leadhook("campaign", "set", campaign.id, f"require_key={off}")
    assert (shown["require_key"], shown["privacy"]) == (False, False)


def test_ending_and_reopening(leadhook, campaign):
    """docs/operating.md 4 campaign end, reopen; docs/api.md 6, 423; both may be repeated"""
    for _ in range(2):
        ended = leadhook("campaign", "end", campaign.id)
        assert ended["state"] == "ended" and is_time(ended["ended_at"])
    assert ended == leadhook("campaign", "show", campaign.id)
    assert campaign.post(ADA).verdict == (423, "campaign_ended")
    for _ in range(2):
        reopened = leadhook("campaign", "reopen", campaign.id)
        assert (reopened["state"], reopened["ended_at"]) == ("active", None)
    settles(lambda: campaign.post(ADA), 200)
    leadhook("campaign", "set", campaign.id, "ends_at=2001-01-01")
    assert campaign.post(ADA).status == 423
    assert leadhook("campaign", "reopen", campaign.id)["ends_at"] is None, "a past end time would end it again"
    settles(lambda: campaign.post(ADA), 200)


def test_state_is_a_setting(leadhook, campaign):
    """docs/api.md 4.6, `state`: has the effect of end and reopen, together with other settings"""
    ended = leadhook("campaign", "set", campaign.id, "state=ended", "jump_start=3")
    assert (ended["state"], ended["jump_start"]) == ("ended", 3) and is_time(ended["ended_at"])
    assert campaign.post(ADA).verdict == (423, "campaign_ended")
    assert leadhook("campaign", "set", campaign.id, "jump_start=4") == {**ended, "jump_start": 4, "lead_count": 4}
    reopened = leadhook("campaign", "set", campaign.id, "ends_at=2001-01-01", "state=active")
    assert (reopened["state"], reopened["ended_at"], reopened["ends_at"]) == ("active", None, None)
    settles(lambda: campaign.post(ADA), 200)
    closed = leadhook("campaign", "add", campaign.account.id, "Closed", "state=ended")["id"]
    assert leadhook("campaign", "show", closed)["state"] == "ended"


def test_a_later_end_time(service, leadhook, campaign):
    """docs/api.md 6: the end time is in effect whether or not the dispatcher has recorded the old one"""
    for recorded in (False, True):
        leadhook("campaign", "set", campaign.id, "ends_at=2001-01-01")
        if recorded:
            service.dispatch()
        assert is_time(leadhook("campaign", "show", campaign.id)["ended_at"]) == recorded
        assert campaign.post(ADA).status == 423
        extended = leadhook("campaign", "set", campaign.id, "ends_at=2099-01-01")
        assert (extended["state"], extended["ended_at"]) == ("active", None)
        settles(lambda: campaign.post(ADA), 200)


def test_webhooks(leadhook, campaign):
    """docs/operating.md 4 webhook add, list (as GET outbound-webhook, and their health), remove"""
    added = leadhook("webhook", "add", campaign.id, HOOK, "verified", "new_signup", "fraudulent", "--format", "form",
                     "--source", "crm")
    assert list(added) == ["id", "secret"] and added["secret"].startswith("whsec_")
    assert leadhook("webhook", "add", campaign.id, HOOK, "deleted") == {"id": added["id"], "secret": None}, "a secret is shown once"
    leadhook("webhook", "add", campaign.id, HOOK + "?b", "new_signup", "fraudulent")
    listed = leadhook("webhook", "list", campaign.id)
    answer = campaign.get({}, path="/outbound-webhook")
    health = ["gone", "oldest_due", "last_24_hours"]
    assert list(listed[0]) == [*answer.json[0], *health], answer.body
    assert [{name: one[name] for name in one if name not in health} for one in listed] == answer.json
    assert (listed[0]["events"], listed[0]["format"], listed[0]["source"]) == (["deleted"], "form", "crm")
    assert sorted(listed[1]["events"]) == ["marked_as_fraudulent", "new_signup"] and listed[1]["format"] == "json"
    assert leadhook("webhook", "remove", added["id"]) == {"id": added["id"]}
    assert [one["url"] for one in leadhook("webhook", "list", campaign.id)] == [HOOK + "?b"]


def test_deliveries(service, leadhook, receiver, campaign):
    """docs/operating.md 4 delivery list: each filter alone, and filters together"""
    hook = campaign.webhook("new_signup", "repeat_signup")["referenceId"]
    silent = leadhook("webhook", "add", campaign.id, HOOK, "new_signup")["id"]
    first = campaign.lead(email="a@example.org")["social_id"]
    other = campaign.lead(email="b@example.org")["social_id"]
    campaign.lead(email="a@example.org")

    def rows(*words):
        return leadhook("delivery", "list", *words)

    def listed(*words):
        return sorted((one["webhook_id"], one["event"], one["lead"]) for one in rows(*words))
    assert [list(one) for one in rows("--webhook", hook)] == [[
        "id", "webhook_id", "event", "lead", "state", "attempts", "due_at", "last_status", "last_error", "waiting_for", "created_at",
        "lead_name", "lead_email"]] * 3
    assert listed("--webhook", hook) == sorted([(hook, "repeat_signup", first), (hook, "new_signup", other),
                                              (hook, "new_signup", first)])
    assert listed("--lead", other, "--webhook", silent, "--limit", 1) == [(silent, "new_signup", other)]
    assert listed("--lead", other, "--webhook", hook, "--limit", 1) == [(hook, "new_signup", other)]
    assert listed("--lead", first) == sorted([(hook, "new_signup", first), (hook, "repeat_signup", first),
                                            (silent, "new_signup", first)])
    assert listed("--webhook", hook, "--event", "repeat_signup") == [(hook, "repeat_signup", first)]
    assert listed("--lead", "0000000000") == listed("--webhook", NO_ID) == []
    waiting = rows("--webhook", hook, "--state", "pending")
    assert len(waiting) == 3 and all((one["attempts"], one["last_status"], one["last_error"]) == (0, None, None)
                                     and is_time(one["due_at"]) for one in waiting)
    leadhook("webhook", "remove", silent)
    service.dispatch()
    assert [(one["state"], one["attempts"], one["due_at"], one["last_status"]) for one in rows("--webhook", hook)] == \
        [("delivered", 1, None, 200)] * 3
    assert rows("--webhook", hook, "--state", "pending") == rows("--webhook", hook, "--state", "failed") == []
    for words, count in ((["--since", "2020-01-01"], 3), (["--since", "2999-01-01T00:00:00Z"], 0), (["--until", "2020-01-01"], 0),
                         (["--until", "2999-01-01T00:00:00+02:00"], 3), (["--since", "2020-01-01", "--until", "2999-01-01"], 3),
                         (["--limit", 2], 2), (["--limit", 10000], 3)):
        assert len(rows("--webhook", hook, *words)) == count, words


def test_long_list_is_truncated(service, campaign):
    """docs/operating.md 4 delivery list, count: a search with few matches stops after a number of rows; a list shows where it continues"""
    rows = 20000
    hook = campaign.webhook("new_signup")["referenceId"]
    campaign.lead(**ADA)
    sql, planted = service.installation.sql, 1000000000
    first = int(sql(f"SELECT id FROM lh_due WHERE webhook_id = {hook}")) + planted
    sql(f"INSERT INTO lh_deliveries (id, event_id, webhook_id, format, state, attempts, last_status, ended_ms) "
        f"SELECT {first} + seq, 1, {hook}, 'json', 'delivered', 1, 200, 1 FROM seq_1_to_{rows}")
    try:
        done = call(service.installation, "--json", "delivery", "list", "--webhook", str(hook), "--event", "new_signup")
        assert (done.returncode, done.stdout.strip()) == (OK, "[]")
        place = re.fullmatch(r"leadhook: there is more: --after (\d+)\n", done.stderr)[1]
        assert first < int(place) < first + rows
        done = call(service.installation, "--json", "delivery", "list", "--webhook", str(hook), "--state", "pending")
        assert (done.returncode, done.stderr, done.stdout.count('"id"')) == (OK, "", 1)
        counts = [service.installation.admin("delivery", "count", "--webhook", str(hook), *words)
                  for words in (["--event", "new_signup"], ["--state", "pending"])]
        assert counts == [{"count": 0, "more": True}, {"count": 1, "more": False}]
    finally:
        sql(f"DELETE FROM lh_deliveries WHERE id > {first}")


# --- output for people ---

def test_output_for_people(service, campaign):
    """docs/operating.md 4: columns are aligned, without colours when stdout is not a terminal"""
    account = str(campaign.account.id)
    call(service.installation, "webhook", "add", str(campaign.id), HOOK, "new_signup")
    campaign.lead(**ADA)
    for words in (["account", "list"], ["key", "list", account], ["campaign", "list"], ["campaign", "list", account],
                  ["webhook", "list", str(campaign.id)], ["delivery", "list"]):
        done = call(service.installation, *words)
        assert done.returncode == OK and len(done.stdout.splitlines()) > 1 and is_aligned(done.stdout), done.stdout
        assert "\x1b" not in done.stdout
    for words in (["install"], ["upgrade"], ["check"], ["status"], ["account", "add", "A"], ["key", "add", account],
                  ["campaign", "add", account, "C"], ["campaign", "show", str(campaign.id)],
                  ["campaign", "set", str(campaign.id), "privacy=on"],
                  ["webhook", "add", str(campaign.id), HOOK + "2", "verified"]):
        done = call(service.installation, *words)
        shown, *tables = done.stdout.split("\n\n")
        values = {re.match(r"(\S+ +)", line).end() for line in shown.splitlines()}
        assert all(is_aligned(table.removeprefix("disks:\n")) for table in tables), done.stdout
        assert done.returncode == OK and len(values) == 1, done.stdout


@pytest.mark.parametrize("words", [["--help"], ["-h"], ["help"], ["campaign", "end", "--help"], ["--help", "delivery", "list"],
                                   ["help", "delivery", "list"]])
def test_help(service, words):
    """docs/operating.md 4: the help needs no configuration"""
    done = call(service.installation, *words, config="/nonexistent")
    assert done.returncode == OK and "usage: leadhook" in done.stdout and "--json" in done.stdout and done.stderr == ""
    assert "ends_at" not in done.stdout


def test_help_of_a_group(service):
    """leadhook(1), --help: a word with which several commands begin lists those commands"""
    done = call(service.installation, "inbound", "--help", config="/nonexistent")
    assert done.returncode == OK and "  inbound add CAMPAIGN" in done.stdout and "  inbound replay CALL" in done.stdout
    assert "campaign add" not in done.stdout and "  --json" in done.stdout and done.stderr == ""


@pytest.mark.parametrize("words", [[], ["bogus"], ["-x"], ["--bogus"], ["bogus", "command"]])
def test_unknown_command_names_the_help(refused, words):
    """docs/operating.md 4: an unknown command or option exits 64 with a pointer to the help"""
    wanted = "leadhook help COMMAND lists them" if words and words[0].startswith("-") else "leadhook --help lists them"
    assert wanted in refused(USAGE, *words, config=None)


@pytest.mark.parametrize("program", PROGRAMS)
def test_version(service, program):
    """Each program prints its own version"""
    done = call(service.installation, "--version", program=program, config="/nonexistent")
    assert done.returncode == OK and re.fullmatch(rf"{program} \d+\.\S+\n", done.stdout)


# --- errors ---

@pytest.mark.parametrize("words", [
    [], ["bogus"], ["account"], ["account", "remove"], ["account", "add"], ["account", "add", "A", "B"], ["account", "list", "1"],
    ["key", "add"], ["campaign", "add", "1"], ["campaign", "set", "1"], ["webhook", "add", "1", HOOK], ["--bogus"],
    ["-x", "status"],
    ["status", "--dry-run"], ["status", "--json=1"], ["status", "--limit", "1"], ["delivery", "list", "--limit"],
    ["account", "add", "a\nb"], ["account", "add", "a\x1b[31mb"], ["account", "add", "a\x7f"], ["account", "add", b"a\xffb"],
    ["account", "add", b"\xed\xa0\x80"]])
def test_wrong_usage(refused, words):
    """docs/operating.md 4, status 64; control characters and invalid UTF-8 are rejected in names"""
    assert "\x1b" not in refused(USAGE, *words, config=None)


@pytest.mark.parametrize("words", [
    ["key", "add", "one"], ["key", "add", "0"], ["key", "add", "--", "-1"], ["key", "add", "01"],
    ["key", "add", "9223372036854775808"],
    ["account", "add", ""], ["account", "add", "x" * 201], ["account", "add", "ü" * 201], ["key", "add", "1", "--name", ""],
    ["campaign", "add", "1", "C", "bogus=1"], ["campaign", "add", "1", "C", "privacy"],
    ["campaign", "add", "1", "C", "privacy=maybe"],
    ["campaign", "add", "1", "C", "jump_start=-1"], ["campaign", "add", "1", "C", "jump_start=4294967296"],
    ["campaign", "add", "1", "C", "ends_at=soon"], ["campaign", "add", "1", "C", "landing_url=ftp://example.org"],
    ["campaign", "add", "1", "C", "name="], ["campaign", "add", "1", "C", "state=gone"],
    *(["campaign", "add", "1", "C", wrong] for wrong in (
        "points_direct=100000", "points_signup=-1", "waitlist=2", "max_per_ip=-1", "blocked_email_domains=a_b",
        "blocked_referrers=https://a.example", "allowed_networks=a.example", "allowed_networks=10.0.0.1/8")),
    ["delivery", "list", "--state", "lost"], ["delivery", "list", "--event", "bogus"], ["delivery", "list", "--limit", "0"],
    ["delivery", "list", "--limit", "10001"], ["delivery", "list", "--since", "yesterday"], ["delivery", "list", "--webhook", "x"],
    ["delivery", "list", "--lead", ""], ["delivery", "list", "--lead", "a@x.org"], ["delivery", "list", "--until", "2026-02-30"]])
def test_wrong_values(service, refused, words):
    """docs/operating.md 4, status 65: nothing is stored"""
    before = service.installation.admin("status")
    refused(DATA, *words)
    after = service.installation.admin("status")
    assert [after[key] for key in ("accounts", "campaigns")] == [before[key] for key in ("accounts", "campaigns")]


@pytest.mark.parametrize("command", ["key add", "key list", "key revoke", "campaign add {} C", "campaign list", "campaign show",
                                     "campaign set {} privacy=on", "campaign embed", "campaign end", "campaign reopen",
                                     f"webhook add {{}} {HOOK} new_signup", "webhook list", "webhook remove"])
def test_missing_objects(refused, command):
    """docs/operating.md 4, status 65: an id that does not exist is an error, not an empty list"""
    assert "there is no such" in refused(DATA, *(command if "{}" in command else command + " {}").format(NO_ID).split())


@pytest.mark.parametrize("url, event, says", [
    ("ftp://hooks.example/", "new_signup", "not valid"), ("hooks.example", "new_signup", "not valid"),
    ("", "new_signup", "not valid"),
    ("https://user@hooks.example/", "new_signup", "not valid"), ("http://10.0.0.1/", "new_signup", "may not be sent"),
    ("http://169.254.169.254/", "new_signup", "may not be sent"), ("https://hooks.example:25/", "new_signup", "may not be sent"),
    (HOOK, "bogus", "Invalid event type: bogus"), (HOOK, "", "Invalid event type")])
def test_invalid_webhooks(refused, leadhook, campaign, url, event, says):
    """docs/deliveries.md 1, 5: the same rules as in the API"""
    assert says in refused(DATA, "webhook", "add", str(campaign.id), url, event)
    refused(DATA, "webhook", "add", str(campaign.id), HOOK, "new_signup", "--format", "xml")
    assert leadhook("webhook", "list", campaign.id) == []


def test_too_many_webhooks(make_service, service):
    """docs/deliveries.md 1, the setting limits.webhooks_per_campaign"""
    campaign = service.campaign()
    env = {"LEADHOOK_LIMITS_WEBHOOKS_PER_CAMPAIGN": "1"}
    statuses = [call(service.installation, "webhook", "add", str(campaign.id), f"{HOOK}{number}", "verified", env=env).returncode
                for number in (1, 2, 1)]
    assert statuses == [OK, DATA, OK], "the same URL again is not counted"


@pytest.mark.parametrize("command", ["install", "upgrade", "status", "account add A", "account list", "key add 1", "campaign list",
                                     "campaign end 1", "webhook list 1", "delivery list"])
def test_no_database(refused, command):
    """docs/operating.md 4, status 69: the database cannot be reached"""
    assert "out of reach" in refused(UNAVAILABLE, *command.split(), env={"LEADHOOK_DATABASE_SOCKET": "/nonexistent"})


def test_setup_without_an_installation(refused):
    """docs/operating.md 2.4, status 69: a copy that was built but not installed has no setup script, and the message says what to do"""
    folder = subprocess.run(["make", "-s", "-C", BUILD, "--eval=show:;@echo $(pkglibexecdir)", "show"], text=True, capture_output=True,
                            timeout=30, check=True).stdout.strip()
    if pathlib.Path(folder, "setup").exists():
        pytest.skip(f"Leadhook is installed here: {folder}")
    error = refused(UNAVAILABLE, "setup", "--dry-run")
    assert error.startswith(f"leadhook: {folder}/setup: ") and "install the package, or run make install" in error


@pytest.mark.parametrize("name", ["x" * 200, "ü" * 200, "\U0001f600" * 200, "%s%n%d %", "Ada's \"shop\"",
                                  "'; DROP TABLE lh_accounts; --", "a\\b", "<script>", "日本語 שלום", "  spaces  ", "-", "a=b",
                                  "\u202eabc"], ids=lambda name: ascii(name[:8]))
def test_names_are_stored_unchanged(service, leadhook, name):
    """docs/operating.md 4: 1 to 200 characters of UTF-8, even those with a special meaning elsewhere"""
    account = leadhook("account", "add", name)
    assert account["name"] == name
    key = leadhook("key", "add", account["id"], "--name", name)
    assert key["name"] == name
    campaign = leadhook("campaign", "add", account["id"], name)
    assert leadhook("campaign", "set", campaign["id"], f"name={name}")["name"] == name
    assert [one["name"] for one in leadhook("account", "list") if one["id"] == account["id"]] == [name]
    assert [one["name"] for one in leadhook("key", "list", account["id"])] == [name]
    [listed] = service.client.request("GET", "/v2/campaigns", key=key["key"]).json
    assert listed["name"] == name
    done = call(service.installation, "campaign", "list", str(account["id"]))
    # Stored text may not change the direction in which the terminal writes.
    assert done.returncode == OK and name.replace("\u202e", "?") in done.stdout


def test_stored_control_characters_are_not_printed(service, leadhook):
    """docs/operating.md 4: a name that was changed directly in the database"""
    account = leadhook("account", "add", "harmless")["id"]
    service.installation.sql(f"UPDATE lh_accounts SET name = CONCAT('a', CHAR(27), '[31m', CHAR(10), 'b') WHERE id = {account}")
    done = call(service.installation, "account", "list")
    assert "\x1b" not in done.stdout and "a?[31m?b" in done.stdout
    assert [one["name"] for one in leadhook("account", "list") if one["id"] == account] == ["a\x1b[31m\nb"]


UNSAFE = "\x80\x9b31m\x9f\u061c\u200f\u202a\u202e\u2066\u2069"


def test_json_controls_no_terminal(service, leadhook, campaign):
    """docs/operating.md 4: with --json, unsafe characters of stored texts are escapes, also in JSON inside it; the JSON is equivalent"""
    leadhook("campaign", "set", campaign.id, "name=ünsafe" + UNSAFE)
    assert leadhook("campaign", "show", campaign.id)["name"] == "ünsafe" + UNSAFE
    campaign.lead(email="ada@example.org", note=UNSAFE)
    for words in (("campaign", "show", str(campaign.id)), ("lead", "report", "--email", "ada@example.org", "--campaign", str(campaign.id))):
        done = call(service.installation, *words, "--json")
        assert done.returncode == OK and r"\u202e" in done.stdout and (r"\u009b31m" in done.stdout) == (words[0] == "campaign")
        assert not set(UNSAFE) - set("31m") & set(done.stdout)
    assert "ünsafe" in call(service.installation, "campaign", "show", str(campaign.id), "--json").stdout


# --- options and configuration ---

def test_options_in_any_position(service, campaign):
    """docs/operating.md 4: after --, words are operands"""
    number, config = str(campaign.id), str(service.installation.config)
    outputs = {call(service.installation, *words, config=None).stdout for words in (
        ["--json", "--config", config, "campaign", "show", number], ["campaign", "--json", "show", f"--config={config}", number],
        ["campaign", "show", "--config", config, number, "--json"],
        ["--config", config, "--json", "campaign", "show", "--", number])}
    assert len(outputs) == 1 and json.loads(outputs.pop())["id"] == campaign.id
    added = call(service.installation, "--config", config, "--json", "account", "add", "--", "--name", config=None)
    assert json.loads(added.stdout)["name"] == "--name"


def test_which_file_is_read(service):
    """docs/operating.md 3: --config, otherwise LEADHOOK_CONF; the named file must exist"""
    installation, missing = service.installation, {"LEADHOOK_CONF": "/nonexistent/leadhook.conf"}
    assert call(installation, "status", config=None, env={"LEADHOOK_CONF": str(installation.config)}).returncode == OK
    assert call(installation, "status", env=missing).returncode == OK
    for config, env in ((None, missing), ("/nonexistent/leadhook.conf", {"LEADHOOK_CONF": str(installation.config)})):
        done = call(installation, "status", config=config, env=env)
        assert done.returncode == CONFIG and "/nonexistent/leadhook.conf" in done.stderr


def test_environment_beats_file_beats_default(service):
    """docs/operating.md 3: the file overrides the default database, and the environment overrides the file"""
    installation = service.installation
    assert call(installation, "status").returncode == OK
    for name, value in (("LEADHOOK_DATABASE_SOCKET", "/nonexistent"), ("LEADHOOK_DATABASE_PASSWORD", "wrong"),
                        ("LEADHOOK_DATABASE_USER", "unknown")):
        assert call(installation, "status", env={name: value}).returncode == UNAVAILABLE, name
    done = call(installation, "status", env={"LEADHOOK_DATABASE_PREFIX": "other_"})
    assert done.returncode == CONFIG and "leadhook install" in done.stderr, "another prefix is another installation"
    assert call(installation, "status", env={"LEADHOOK_DATABASE_PORT": "x"}).returncode == CONFIG


def test_the_password_from_a_file(service, tmp_path):
    """docs/operating.md 3: LEADHOOK_DATABASE_PASSWORD_FILE; rejected when others may read it, or when there are two passwords"""
    installation, secret = service.installation, tmp_path / "secret"
    text = installation.config.read_text()
    password = installation.setting("database", "password")
    config = tmp_path / "leadhook.conf"
    config.write_text("\n".join(line for line in text.splitlines() if not line.startswith("password")))
    config.chmod(0o644)
    env = {"LEADHOOK_DATABASE_PASSWORD_FILE": str(secret)}
    secret.write_text(password + "\n")

    def status(mode, **more):
        secret.chmod(mode)
        done = call(installation, "status", config=config, env={**env, **more})
        assert password not in done.stdout + done.stderr
        return done.returncode
    assert (status(0o600), status(0o640), status(0o644), status(0o660)) == (OK, OK, CONFIG, CONFIG)
    assert status(0o600, LEADHOOK_DATABASE_PASSWORD=password) == CONFIG
    secret.unlink()
    assert call(installation, "status", config=config, env=env).returncode == CONFIG
    assert call(installation, "status", config=config).returncode == UNAVAILABLE, "the server refuses a login without a password"


@pytest.mark.parametrize("program", PROGRAMS)
def test_check_config(service, tmp_path, program):
    """docs/operating.md 3: all programs check the configuration by the same rules, report all errors, and change nothing"""
    installation, config, log = service.installation, tmp_path / "leadhook.conf", tmp_path / "log"
    assert call(installation, "--check-config", program=program).returncode == OK
    assert call(installation, "--check-config", program=program, env={"LEADHOOK_DATABASE_SOCKET": "/nonexistent"}).returncode == OK
    config.write_text(f"[server]\ntrusted_proxies = 10.0.0.0/33\n[dispatch]\nallow_networks = 1.2.3\nschedule = 1s 8d\nnat64_prefixes = fd00::/72\n"
                      f"[log]\nfile = {log}\n")
    done = call(installation, "--check-config", program=program, config=config)
    assert done.returncode == CONFIG and done.stdout == ""
    for place, wrong in ((":2: server.trusted_proxies", "10.0.0.0/33"), (":4: dispatch.allow_networks", "1.2.3"),
                         (":5: dispatch.schedule", "8d"), (":6: dispatch.nat64_prefixes", "fd00::/72")):
        assert any(f"{config}{place}: expected " in line and line.endswith(f", not {wrong}") for line in done.stderr.splitlines())
    assert not log.exists()
    config.write_text(f"[log]\nfile = {log}\n")
    assert call(installation, "--check-config", program=program, config=config).returncode == OK
    assert not log.exists()
    log.write_text("line\n")
    changed = log.stat().st_mtime_ns
    assert call(installation, "--check-config", program=program, config=config).returncode == OK
    assert (log.read_text(), log.stat().st_mtime_ns) == ("line\n", changed)
    config.write_text(f"[log]\nfile = {tmp_path}/none/log\n")
    done = call(installation, "--check-config", program=program, config=config)
    assert done.returncode == OK if program == "leadhook" else (done.returncode == CONFIG and f"{tmp_path}/none/log: No such file" in done.stderr)
    config.write_text("[dispatch]\nbogus = 1\nlease = 1\n[bogus]\nx = 1\n")
    done = call(installation, "--check-config", program=program, config=config)
    assert done.returncode == CONFIG
    for place in (":2: dispatch.bogus", ":3: dispatch.lease", ":5: bogus.x"):
        assert f"{config}{place}" in done.stderr
    config.write_text("[database]\npassword = hidden\n")
    for mode, status in ((0o600, OK), (0o640, OK), (0o644, CONFIG), (0o660, CONFIG)):
        config.chmod(mode)
        assert call(installation, "--check-config", program=program, config=config).returncode == status


def test_a_result_that_cannot_be_written(service):
    """leadhook(1), EXIT STATUS: the change was made, and the message says so"""
    installation = service.installation
    with open("/dev/full", "wb") as full:
        done = subprocess.run([installation.program("leadhook"), "--config", installation.config, "account", "add", "On a full disk"],
                              stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 74 and "the command was carried out, but the result could not be written" in done.stderr
    assert "On a full disk" in call(installation, "account", "list").stdout


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_misspelt_variable(service, program):
    """docs/operating.md 3: unknown keys are errors, in the environment as well"""
    done = call(service.installation, "--check-config", program=program, env={"LEADHOOK_DATABASE_PASWORD": "hidden"})
    assert done.returncode == CONFIG and "LEADHOOK_DATABASE_PASWORD: unknown setting" in done.stderr
    assert "hidden" not in done.stderr


@pytest.mark.skipif(pathlib.Path("/usr/local/etc/leadhook/leadhook.conf").exists(), reason="this host has an installation")
def test_no_configuration_file(service):
    """docs/operating.md 3: the installed file may be missing, but a message says so"""
    for words, status in ((["--check-config"], OK), (["status"], UNAVAILABLE)):
        done = call(service.installation, *words, config=None, env={"LEADHOOK_DATABASE_SOCKET": "/nonexistent"})
        assert done.returncode == status and "there is no /" in done.stderr and "leadhook.conf" in done.stderr
    for program in PROGRAMS[1:]:
        done = call(service.installation, "--check-config", program=program, config=None)
        assert done.returncode == OK and "no_configuration_file" in done.stderr


@pytest.mark.parametrize("program, words", [("leadhook", ["status"]), ("leadhook", ["account", "list"]), ("leadhook-fcgi", []),
                                            ("leadhook-dispatch", []), ("leadhook-dispatch", ["--dry-run"])])
@pytest.mark.parametrize("change, hint", [("INSERT INTO lh_schema_version VALUES (99, 0)",
                                           "install the newer version of Leadhook that made these tables"),
                                          ("DELETE FROM lh_schema_version", "run leadhook install")])
def test_a_wrong_schema_version(service, program, words, change, hint):
    """docs/architecture.md 9: programs refuse to start, with a hint"""
    installation = service.installation
    was = installation.sql("SELECT MAX(version) FROM lh_schema_version")
    installation.sql(change)
    try:
        done = call(installation, *words, program=program, env={"LEADHOOK_SERVER_LISTEN": f"{installation.folder}/other.sock"})
        assert done.returncode == CONFIG and hint in done.stderr
        settles(lambda: service.client.request("GET", "/health/ready"), 503, "unavailable")
        done = call(installation, "check", "--json")
        [finding] = json.loads(done.stdout)["findings"]
        assert done.returncode == CONFIG and (finding["what"], finding["hint"]) == ("schema_version", hint)
        if "newer" in hint:
            done = call(installation, "upgrade")
            assert done.returncode == CONFIG and hint in done.stderr, "upgrade must not go back to an older version"
    finally:
        installation.sql(f"DELETE FROM lh_schema_version; INSERT INTO lh_schema_version VALUES ({was}, 0)")
    assert call(installation, "check").returncode == OK
