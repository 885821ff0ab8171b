# SPDX-License-Identifier: MIT
"""leadhook(1), lead erase and lead report: a person's data are removed, and what belongs to others stays."""
import json
import re
import signal
import subprocess

import pytest
from command import DATA, OK, USAGE, call
from sql import Database
from stack.process import wait_until
from stack.receiver import Answer
from transfers import counts, imported, write

ADA = "Ada.Lovelace+x@Example.org"
KEY = "Ada.Lovelace+x@example.org".lower()
NAME = "Augusta Byron"
PHONE = "+4915112345678"
PARTS = [b"lovelace+x", b"lovelace%2bx", b"lovelace\\u002bx", b"augusta", b"15112345678"]


@pytest.fixture(scope="module")
def scrubbing(make_folder):
    """A server whose InnoDB overwrites deleted data."""
    folder = make_folder()
    made = Database(folder, folder / "mariadb.sock", more=["--innodb-immediate-scrub-data-uncompressed=1"]).create()
    made.start()
    yield made
    made.stop()


@pytest.fixture(scope="module")
def service(make_service, scrubbing, mail_server):
    return make_service(database=scrubbing, settings=mail_server.settings())


def erase(service, *words, status=OK):
    done = call(service.installation, "lead", "erase", *words, "--json")
    assert done.returncode == status, done.stderr
    return json.loads(done.stdout) if status == OK else done.stderr


def rows(service):
    """Return all rows of all tables."""
    dump = subprocess.run(["mariadb-dump", "--no-defaults", f"--socket={service.database.socket}", "--skip-extended-insert",
                           service.installation.setting("database", "name")], capture_output=True, timeout=60, check=True)
    assert b"INSERT INTO `lh_leads`" in dump.stdout
    return dump.stdout.lower()


def present(text):
    return [part for part in PARTS if part in text]


def standing(campaign, lead):
    found = campaign.find(social_id=lead["social_id"])
    return found["contest_score"], found["referrals"], found["rank"], found["influence"]


def fill(service, campaign, mail_server):
    """Ada refers Bob, and is referred by Carl; all of them have events, deliveries and mails."""
    carl = campaign.lead(email="carl@example.org", first_name="Carl")
    ada = campaign.lead(email=ADA, phone_number=PHONE, first_name=NAME, kid=carl["social_id"], ip="192.0.2.77",
                        __ref="https://example.org/?mail=ada.lovelace%2bx%40example.org")
    bob = campaign.lead(email="bob@example.org", kid=ada["social_id"])
    campaign.points(ada, 40)
    return carl, ada, bob


def test_nothing_is_left(service, account, mail_server, scrubbing):
    """Neither the rows nor the files of the tables contain anything about the person."""
    campaign = service.campaign(account, mails="welcome referral", points_signup=3, points_direct=5, max_per_ip=3)
    other = service.campaign(account)
    campaign.webhook("new_signup", "referral", "score_change", "deleted")
    other.webhook("new_signup")
    carl, ada, bob = fill(service, campaign, mail_server)
    service.dispatch()
    assert service.installation.sql("SELECT COUNT(*) FROM lh_messages WHERE state = 'sent'") == "3", "mails to Ada, Bob and Carl"
    service.receiver.script(campaign.hook, Answer(500))
    campaign.points(ada, 2)
    service.dispatch()
    other.lead(email=ADA.lower(), first_name=NAME)
    before = other.lead(email="zoe@example.org")
    campaign.change("delete", emails=["bob@example.org"])
    earlier = campaign.lead(email="Ada.Lovelace+x@example.org", note="again")
    assert earlier["social_id"] == ada["social_id"]
    scores = standing(campaign, carl), standing(other, before)
    assert len(present(rows(service))) == 4
    result = erase(service, "--email", ADA)
    assert result["leads"] == 2 and result["mentioned_by"] == []
    assert result["events"] >= 6 and result["pending_deliveries"] >= 1 and result["ended_deliveries"] >= 4 and result["messages"] >= 2
    assert present(rows(service)) == [], "in a table"
    assert (standing(campaign, carl), standing(other, before))[0][0] == scores[0][0], "the score of the referrer changes"
    assert campaign.get({"email": ADA}).status == 404 and other.get({"email": ADA}).status == 404
    assert not service.installation.sql("SELECT * FROM lh_ip_leads WHERE ip = '192.0.2.77'")
    received = len(service.receiver.deliveries)
    service.dispatch()
    assert not [hook for hook in service.receiver.deliveries[received:] if b"lovelace" in hook.body.lower()]
    service.check()
    scrubbing.sql("SET GLOBAL innodb_fast_shutdown = 0")
    scrubbing.stop()
    files = [path for path in (scrubbing.data / service.installation.setting("database", "name")).glob("*.ibd")]
    found = {path.name: present(path.read_bytes().lower()) for path in files}
    scrubbing.start()
    assert len(files) > 30 and not {name: parts for name, parts in found.items() if parts}
    service.wait_ready()


def test_parts_of_addresses(service, account):
    """A longer address or number that contains them belongs to another person."""
    campaign = service.campaign(account)
    hook = campaign.webhook("new_signup")
    for address in ("da@example.org", "ada@example.org", "x.da@example.org", "da@example.org.uk", "da@example.organic", "o'da@example.org"):
        campaign.lead(email=address)
    campaign.lead(phone_number="+491511234567")
    campaign.lead(phone_number="+4915112345679")
    result = erase(service, "--email", "da@example.org", "--campaign", str(campaign.id))
    assert (result["leads"], result["events"], result["pending_deliveries"]) == (1, 1, 1)
    result = erase(service, "--phone", "+491511234567")
    assert (result["leads"], result["events"], result["pending_deliveries"]) == (1, 1, 1)
    service.dispatch()
    received = [one.json.get("email") or one.json["phone_number"] for one in campaign.delivered(6)]
    assert sorted(received) == ["+4915112345679", "ada@example.org", "da@example.org.uk", "da@example.organic", "o'da@example.org",
                                "x.da@example.org"]
    assert len(service.deliveries(hook)) == 6


def test_one_campaign(service, account):
    """With --campaign, the person stays in the other campaigns, and imports there are accepted."""
    campaign, other = service.campaign(account), service.campaign(account)
    for one in (campaign, other):
        one.webhook("new_signup")
        lead = one.lead(email="kay@example.org", phone_number="+4915112345670")
        service.installation.sql(f"INSERT INTO lh_confirmations (lead_id, confirmed_ms, channel, address)"
                                 f" VALUES ({lead['id']}, 1, 'email', 'kay@example.org')")
    result = erase(service, "--email", "kay@example.org", "--campaign", str(campaign.id))
    assert (result["leads"], result["events"]) == (1, 1)
    assert campaign.get({"email": "kay@example.org"}).status == 404 and other.find(email="kay@example.org")["id"]
    assert service.installation.sql("SELECT lead_id FROM lh_confirmations WHERE address = 'kay@example.org'") == str(lead["id"])
    service.dispatch()
    assert len(other.delivered(1)) == 1 and not service.receiver.at(campaign.hook)


def test_imports_do_not_bring_people_back(service, account, tmp_path):
    """People are recognized by address and by number; in every campaign, or in that of --campaign; a lead that exists again is
    unchanged."""
    campaign, other = service.campaign(account), service.campaign(account)
    path = write(tmp_path, "email,phone\nlea@example.org,\nLEO@example.org,\n,+4915112345671\nsam@example.org,\n")
    imported(campaign, path, expected=counts(4))
    erase(service, "--email", "lea@example.org")
    erase(service, "--email", "leo@example.org", "--campaign", str(campaign.id))
    erase(service, "--phone", "+49 1511 2345671")
    errors = imported(campaign, path, expected=counts(unchanged=1, rejected=3), status=DATA)
    assert "line 2: the data of this person were erased" in errors
    imported(other, path, expected=counts(2, rejected=2), status=DATA)
    campaign.lead(email="lea@example.org")
    imported(campaign, path, expected=counts(unchanged=2, rejected=2), status=DATA)
    campaign.change("delete", emails=["lea@example.org", "sam@example.org"])
    erase(service, "--email", "sam@example.org", "--forget")
    imported(campaign, path, expected=counts(1, rejected=3), status=DATA)
    erase(service, "--email", "lea@example.org", "--forget")
    imported(campaign, path, expected=counts(1, 1, rejected=2), status=DATA)


def test_a_lead_that_was_deleted_before(service, account):
    """Its own events lead to what is left of it: its name, its number, and the mail to its referrer with its name."""
    campaign = service.campaign(account, mails="referral")
    campaign.webhook("new_signup", "referral")
    ref = campaign.lead(email="ref@example.org")
    lead = campaign.lead(phone_number="+4915112345699", first_name="Wilhelmine", kid=ref["social_id"])
    campaign.lead(phone_number="+4915112345699", email="wil@example.org")
    campaign.webhook("repeat_signup")
    campaign.lead(email="wil@example.org", plan="gold")
    service.dispatch()
    campaign.change("delete", emails=["wil@example.org"])
    left = rows(service)
    assert b"15112345699" in left and b"wilhelmine" in left
    result = erase(service, "--email", "wil@example.org")
    assert result["leads"] == 0 and result["events"] >= 3
    left = rows(service)
    assert b"15112345699" not in left and b"wilhelmine" not in left and lead["social_id"] and b"ref@example.org" in left


def test_what_refuses_calls_does_not_refuse_this(service):
    """An erasure includes an ended campaign and a suspended account."""
    account = service.account()
    campaign, ended = service.campaign(account), service.campaign(account)
    for one in (campaign, ended):
        one.lead(email="max@example.org")
    campaign.lead(email="mia@example.org")  # she stays, so that the dump contains a lead
    ended.end()
    service.installation.admin("account", "suspend", str(account.id))
    assert erase(service, "--email", "max@example.org")["leads"] == 2
    assert b"max@example" not in rows(service)


def test_calls_and_former_addresses(service, account):
    """Payloads of other systems, and former addresses of the lead, are erased."""
    campaign = service.campaign(account)
    made = service.installation.admin("inbound", "add", str(campaign.id), "Shop", "--map", "email=mail")
    path = made["url"].removeprefix(service.front.url)
    for body in ('{"mail":"tim@example.org"}', '{"mail":"","other":"\\u003cTim\\u0040example.org\\u003e"}', '{"mail":"tom@example.org"}'):
        service.client.request("POST", path, body=body.encode(), headers={"Content-Type": "application/json"})
    assert erase(service, "--email", "tim@example.org")["inbound_calls"] == 2
    left = service.installation.sql("SELECT body FROM lh_inbound_calls")
    assert left.count("mail") == 1 and "tom@" in left


def test_large_payloads(service, account):
    """docs/manage.md 1.8: a part of a report is about 1 MB, even with payloads that become six times as long in JSON"""
    campaign = service.campaign(account)
    path = service.installation.admin("inbound", "add", str(campaign.id), "Shop")["url"].removeprefix(service.front.url)
    for number in range(12):
        body = f"x{number}=".encode() + b"\1" * 250_000 + b"&mail=una@example.org"
        refused = service.client.request("POST", path, body=body, headers={"Content-Type": "application/x-www-form-urlencoded"})
        assert refused.status == 202
    seen, after = [], {}
    for _ in range(3):  # so many at once
        part = service.client.request("POST", f"/manage/v1/campaigns/{campaign.id}/report", key=account.manager,
                                      json_body={"email": "una@example.org", **after})
        assert part.status == 200 and len(part.body) < 4_000_000
        seen += [item["data"]["body"].partition("=")[0] for item in part.json if item["section"] == "calls"]
        after = {"after": re.search(r"[?&]after=([0-9.]+)", part.headers["Link"])[1]}
    assert len(set(seen)) == len(seen) >= 3 and set(seen) <= {f"x{number}" for number in range(12)}


def test_mentions(service, account):
    """Other people's data that mention the person stay, and are listed without their content: a field of a lead, a field of a lead
    that was deleted since, and a body that became a lead. None of their deliveries ends."""
    campaign = service.campaign(account)
    hook = campaign.webhook("new_signup", "deleted")
    lead = campaign.lead(email="una@example.org", friend="Vic@example.org, eve@example.org", deep={"__referral": {"email": "vic@example.org"}})
    gone = campaign.lead(email="ugo@example.org", friend="vic@example.org")
    campaign.change("delete", emails=["ugo@example.org"])
    made = service.installation.admin("inbound", "add", str(campaign.id), "Shop", "--map", "email=mail")
    body = {"mail": "ute@example.org", "note": "a gift for vic@example.org"}
    assert service.client.request("POST", made["url"].removeprefix(service.front.url), body=json.dumps(body).encode(),
                                  headers={"Content-Type": "application/json"}).status == 201
    buyer = campaign.find(email="ute@example.org")
    report = report_of(service, "--email", "vic@example.org")
    assert {name for name, _, _ in report} == {"mentioned_by"}
    assert sorted((data["in"], data["campaign_id"], data["social_id"]) for data in items_of(report, "mentioned_by", own=False)) == sorted([
        ("lead", campaign.id, lead["social_id"]), ("call", campaign.id, buyer["social_id"]),
        *(("event", campaign.id, one["social_id"]) for one in (lead, gone, gone))])
    result = erase(service, "--email", "vic@example.org")
    assert (result["leads"], result["events"], result["pending_deliveries"], result["inbound_calls"]) == (0, 0, 0, 0)
    assert sorted(result["mentioned_by"]) == sorted(f"{campaign.id}/{one['social_id']}" for one in (lead, gone, buyer))
    assert campaign.find(email="una@example.org")["custom_fields"]["friend"].startswith("Vic@")
    service.dispatch()
    assert len(campaign.delivered(4)) == 4 and {one["state"] for one in service.deliveries(hook)} == {"delivered"}


@pytest.mark.parametrize("words", [("--email", "yan@example.org"), ("--phone", "+4915112345613")])
def test_referrals(service, account, words):
    """A referrer's event is sent without the erased person; a report shows only the person's part of it. The referrer's own report
    does not show addresses of referred leads."""
    campaign = service.campaign(account)
    hook = campaign.webhook("referral")
    ref = campaign.lead(email="ref@example.org")
    lead = campaign.lead(email="Yan@example.org", phone_number="+4915112345613", kid=ref["social_id"])
    service.receiver.script(campaign.hook, Answer(500, body=b"no Yan@example.org"), Answer(200))
    service.dispatch()
    named = {"social_id": lead["social_id"], "email": "Yan@example.org", "phone_number": "+4915112345613"}
    report = report_of(service, *words, "--campaign", str(campaign.id))
    assert [data["payload"] for data in items_of(report, "events", own=False)] == [{"__referral": named}]
    (event,) = items_of(report_of(service, "--email", "ref@example.org", "--campaign", str(campaign.id)), "events")
    assert event["payload"]["email"] == "ref@example.org" and event["payload"]["__referral"] == {"social_id": lead["social_id"]}
    assert "status_url" not in event["payload"] and "unsubscribe_url" not in event["payload"]
    result = erase(service, *words, "--campaign", str(campaign.id))
    assert (result["leads"], result["events"], result["pending_deliveries"]) == (1, 1, 0)
    left = rows(service)
    assert b"yan@" not in left and b"15112345613" not in left and lead["social_id"].lower().encode() not in left
    service.installation.sql("UPDATE lh_due SET due_ms = 0")
    service.dispatch()
    (_, sent) = campaign.delivered(2)
    assert (sent.json["email"], sent.json["__event"], sent.json["__referral"]) == ("ref@example.org", "referral", {})
    assert [one["state"] for one in service.deliveries(hook)] == ["delivered"]
    service.check()


def test_killed(service, account):
    """Whenever an erasure is killed, the dispatcher completes it a minute later."""
    campaign = service.campaign(account, points_direct=1)
    campaign.webhook("new_signup", "referral")
    campaign.lead(email="stays@example.org")
    first = campaign.lead(email="victim0@example.org")
    for number in range(1, 13):
        campaign.lead(email=f"victim{number}@example.org", kid=first["social_id"])
    for number in range(13):
        command = subprocess.Popen([service.installation.program("leadhook"), "--config", service.installation.config, "lead", "erase",
                                    "--email", f"victim{number}@example.org"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            command.wait(timeout=0.004 * number)
        except subprocess.TimeoutExpired:
            command.send_signal(signal.SIGKILL)
            command.wait()
        if service.installation.sql(f"SELECT 1 FROM lh_erasures WHERE address = 'victim{number}@example.org'") == "":
            erase(service, "--email", f"victim{number}@example.org")
    service.installation.sql("UPDATE lh_erasures SET worked_ms = 0")

    def finished():
        service.dispatch()
        return service.installation.sql("SELECT COUNT(*) FROM lh_erasures") == "0"
    wait_until(finished, 60, "an erasure is not finished")
    assert b"victim" not in rows(service)
    service.check()


def report_of(service, *words):
    """Return the report as the command prints it: section, whether it is about a lead, data."""
    done = call(service.installation, "lead", "report", *words)
    assert done.returncode == OK, done.stderr
    return [(item["section"], item["lead"] is not None, item["data"]) for item in json.loads(done.stdout)]


def items_of(report, section, own=True):
    return [data for name, of_lead, data in report if name == section and of_lead == own]


def test_a_report(service, account):
    """It contains everything that an erasure would delete."""
    campaign = service.campaign(account, points_signup=3)
    campaign.webhook("new_signup")
    lead = campaign.lead(email="Wim@example.org", first_name="Wim", ip="192.0.2.9", __url="https://example.org/form")
    campaign.points(lead, 4)
    friend = campaign.lead(email="wims-friend@example.org", note="of wim@example.org")
    report = report_of(service, "--email", "wim@example.org")
    (stored,) = items_of(report, "lead")
    assert (stored["email"], stored["ip"], stored["custom_fields"], stored["signup_url"], stored["verified_email"]) == (
        "Wim@example.org", "192.0.2.9", {"first_name": "Wim"}, "https://example.org/form", False)
    assert [(entry["reason"], entry["points"]) for entry in items_of(report, "ledger")] == [("signup", 3), ("custom", 4)]
    assert [event["payload"]["__event"] for event in items_of(report, "events")] == ["new_signup"]
    assert [(message["kind"], message["state"]) for message in items_of(report, "messages")] == [("welcome", "requested")]
    service.dispatch()
    report = report_of(service, "--email", "wim@example.org")
    (sent,) = items_of(report, "messages")
    assert (sent["state"], sent["recipient"]) == ("sent", "Wim@example.org") and set(sent) == {
        "id", "kind", "requested_at", "sent_at", "state", "recipient"}, "without links with which one can do what the lead can"
    mentions = items_of(report, "mentioned_by", own=False)
    assert {(data["campaign_id"], data["social_id"]) for data in mentions} == {(campaign.id, friend["social_id"])}
    assert sorted(data["in"] for data in mentions) == ["event", "lead"]
    campaign.change("delete", emails=["wim@example.org", "wims-friend@example.org"])
    report = report_of(service, "--email", "wim@example.org")
    assert not any(own for _, own, _ in report)
    (event,) = items_of(report, "events", own=False)
    assert event["payload"]["email"] == "Wim@example.org" and not {"status_url", "unsubscribe_url"} & set(event["payload"])
    assert [data["in"] for data in items_of(report, "mentioned_by", own=False)] == ["event"]
    assert report_of(service, "--email", "unknown@example.org") == []


def test_a_former_address(service, account):
    """docs/operating.md 7.4: the confirmation of an address that the lead no longer has belongs to the person with that address."""
    campaign = service.campaign(account)
    lead = campaign.lead(email="eve.new@example.org")
    service.installation.sql(f"INSERT INTO lh_confirmations (lead_id, confirmed_ms, channel, address, ip, user_agent)"
                             f" VALUES ({lead['id']}, 1000, 'email', 'Eve@example.org', '192.0.2.9', 'Browser')")
    words = "--email", "eve@example.org", "--campaign", str(campaign.id)
    assert report_of(service, *words) == [("confirmations", False, {
        "at": "1970-01-01T00:00:01Z", "channel": "email", "address": "Eve@example.org", "ip": "192.0.2.9", "user_agent": "Browser"})]
    erased = erase(service, *words)
    assert (erased["leads"], erased["confirmations"], erased["jobs"]) == (0, 1, 0)
    assert report_of(service, *words) == [] and campaign.find(email="eve.new@example.org")["id"] == lead["id"]


def test_a_confirmed_claim(service, account):
    """docs/operating.md 7.4: if the owner of an address that a lead claims has confirmed it, the lead's report does not show from
    where."""
    campaign = service.campaign(account)
    lead = campaign.lead(email="zoe@example.org")
    assert campaign.post({"email": "zoe@example.org", "phone_number": "+4930123456"}, key=None).json["id"] == lead["id"]
    for channel, address in (("email", "zoe@example.org"), ("phone", "+4930123456")):
        service.installation.sql(f"INSERT INTO lh_confirmations (lead_id, confirmed_ms, channel, address, ip, user_agent)"
                                 f" VALUES ({lead['id']}, 1000, '{channel}', '{address}', '192.0.2.9', 'Browser')")
    report = report_of(service, "--email", "zoe@example.org", "--campaign", str(campaign.id))
    assert [(one["channel"], one["ip"], one["user_agent"]) for one in items_of(report, "confirmations")] == [
        ("email", "192.0.2.9", "Browser"), ("phone", None, None)]


@pytest.mark.parametrize("place", ["0.256.0.0", "0.99.0.0", "812.14.0.0", "0.3.0.0", "0.4294967296.0.0", "1.0.0", "x"])
def test_a_wrong_place(service, place):
    done = call(service.installation, "lead", "report", "--email", "a@example.org", "--after", place)
    assert (done.returncode, done.stdout) == (DATA, "") and "--after: expected the place that the part before has named" in done.stderr


@pytest.mark.parametrize("words, status, message", [
    (("--email", "a@example.org", "--email", "b@example.org"), USAGE, "--email is given twice"),
    ((), USAGE, "lead erase takes --email|--phone VALUE"),
    (("--email", "a@example.org", "--phone", "+4915112345678"), USAGE, "lead erase takes --email|--phone VALUE"),
    (("--email", "nonsense"), DATA, "--email: expected an email address"),
    (("--phone", "12"), DATA, "--phone: expected a phone number"),
    (("--email", "a@example.org", "--campaign", "999999"), DATA, "there is no campaign 999999"),
])
def test_errors(service, words, status, message):
    assert message in erase(service, *words, status=status)


PHONE_TO_ERASE = "+491701234500"
HOSTILE = {"plus": "+" * 4000, "plus and blank": "+ " * 2000, "percent": "%2b" * 1300, "digits": "+4" * 2000, "zeros": "00" * 2000}


def test_no_text_stops_an_erasure(make_service, scrubbing):
    """docs/operating.md 7.4: 96 sign-ups of strangers, with texts that are meant to be slow, change neither what is found nor the
    number of steps; calls that erase two people, one after the other, are answered."""
    service = make_service(database=scrubbing, settings=[("limits", "signups_per_address", ""), ("limits", "posts_per_address", "")])
    account = service.account()
    campaign = service.campaign(account)
    campaign.webhook("new_signup", "repeat_signup")
    for number in range(96):
        text = list(HOSTILE.values())[number % len(HOSTILE)]
        stranger = service.client.request(
            "POST", f"/v2/{campaign.id}", headers={"User-Agent": text, "Referer": text, "Content-Type": "application/json"},
            body=json.dumps({"email": f"v{number % 12}@example.net", "__uid": text, "__source": text + "0"}).encode())
        assert stranger.status == 200, stranger.body
    for person in (PHONE_TO_ERASE, "+491701234501"):
        campaign.lead(phone_number=person, first_name="Wilhelmine")
        report = [item for item in report_of(service, "--phone", person) if item[0] != "referrers"]
        assert [name for name, own, _ in report if own][0] == "lead" and not [name for name, own, _ in report if not own]
        erased = erase(service, "--phone", person)
        assert erased["leads"] == 1 and erased["events"] == 1 and erased["mentioned_by"] == []
    assert service.installation.sql("SELECT COUNT(*) FROM lh_erasures") == "0"
    assert service.installation.sql("SELECT COUNT(*) FROM lh_leads") == "12"
