# SPDX-License-Identifier: MIT
"""docs/mail.md 8: codes by text, from the sign-up to the gateway, the limits on the way, and each way to fail."""
import itertools
import re
import socket
import threading

import pytest
from command import CONFIG, OK, call
from load import at_once
from stack.process import wait_until
from text_gateway import KEY, Gateway, accepted, cut, dripping, endless_headers, huge, no_http, repeating

CODE = 6
ACCOUNT = 50
numbers = itertools.count(0)


@pytest.fixture(scope="module")
def service(make_service, gateway):
    made = make_service(settings=[*gateway.settings(timeout="2s", campaign_per_hour=40, account_per_hour=ACCOUNT), ("log", "level", "debug"), ("limits", "codes_per_address", ""),
                                  ("limits", "signups_per_address", ""), ("limits", "posts_per_address", "")])
    made.dispatcher.start()
    return made


@pytest.fixture(autouse=True)
def nothing_sent(service, gateway):
    gateway.answer = accepted
    gateway.texts.clear()
    for table in ("messages", "sent_codes", "lead_codes", "sendings"):
        service.installation.sql(f"DELETE FROM lh_{table}")
    service.installation.sql("UPDATE lh_message_channels SET failures = 0, held_until_ms = 0, held_since_ms = NULL")


@pytest.fixture
def campaign(service, account):
    return service.campaign(account, verify_phone="on", pages="on", name="Café Zoé")


def number(block=None):
    """Return a new number, in a block of its own unless a block is given."""
    value = next(numbers)
    return f"+49151{1000 + value if block is None else block}{value % 10000:04}"


def sign_up(campaign, phone, **fields):
    answer = campaign.post({"phone_number": phone, **fields}, key=None)
    assert answer.status == 200, answer.json
    return answer.json


def arrived(gateway, phone, count=1):
    return wait_until(lambda: len(gateway.to(phone)) >= count and gateway.to(phone), 10, f"no text to {phone}")[-1]


def other(code, by):
    return f"{(int(code) + by) % 1000000:06}"


def type_code(campaign, lead, code):
    return campaign.post({"social_id": lead["social_id"], "code": code}, path="/verify-phone-number")


def rows(service):
    """Return state and reason of each message."""
    said = service.installation.sql(f"SELECT state, COALESCE(reason, '-') FROM lh_messages WHERE kind = {CODE} ORDER BY id")
    return [tuple(line.split("\t")) for line in said.splitlines()]


def ended(service, count=1):
    def found():
        seen = rows(service)
        return len(seen) >= count and all(state in ("sent", "failed", "dropped") for state, _ in seen) and seen
    return wait_until(found, 20, "a text has not ended")


def test_a_sign_up_is_followed_by_its_code(service, gateway, campaign):
    """the request has number, header and text; the code verifies the number"""
    phone = number()
    lead = sign_up(campaign, phone)
    text = arrived(gateway, phone)
    assert text.headers["Authorization"] == KEY and text.path == "/send"
    assert re.fullmatch(r"\d{6} is your code for Café Zoé\.\n\n@[a-z0-9.-]+ #\d{6}", text.text), text.text
    answer = type_code(campaign, lead, text.code)
    assert answer.json == {"message": "Lead verified"}
    assert ended(service) == [("sent", "-")]
    assert service.installation.sql("SELECT sent_ms FROM lh_messages").strip() == "NULL"  # not counted for limits of mails
    # mails


@pytest.mark.parametrize("language, begin", [("de", "ist dein Code für"), ("es", "es tu clave para"), ("fr", "est votre code pour")])
def test_languages(service, gateway, account, language, begin):
    campaign = service.campaign(account, verify_phone="on", language=language)
    phone = number()
    sign_up(campaign, phone)
    assert begin in arrived(gateway, phone).text


def test_nothing_readable_is_stored(service, gateway, campaign):
    """no code is in any table, even if the gateway's answer contains it; the logs contain neither a code nor the key of the
    gateway"""
    gateway.answer = lambda text: (400, text.text)
    sign_up(campaign, number())
    ended(service)
    refused = gateway.texts[-1].code
    gateway.answer = repeating
    phone = number()
    sign_up(campaign, phone)
    code = arrived(gateway, phone).code
    ended(service, 2)
    logs = "".join(path.read_text() for path in service.installation.folder.glob("*.log"))
    assert " text_failed " in logs and " debug " in logs and KEY not in logs
    assert not re.search(rf"(?<!\d)({refused}|{code})(?!\d)", logs)
    columns = service.installation.sql("SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = DATABASE()")
    for table, column in (line.split("\t") for line in columns.splitlines()):
        text = service.installation.sql(f"SELECT HEX(CAST(`{column}` AS CHAR CHARACTER SET binary)) FROM {table}")
        assert not [one for one in (code, refused) if one.encode().hex().upper() in text], (table, column)
    answers = "SELECT COUNT(last_answer), MAX(last_answer) FROM lh_messages WHERE state = '{}'"
    assert service.installation.sql(answers.format("sent")).split() == ["0", "NULL"]
    assert "******" in service.installation.sql(answers.format("failed"))


@pytest.mark.parametrize("answer, end", [
    ((400, "bad number"), ("failed", "refused")), ((500, "oh"), ("failed", "refused")), ((401, "no"), ("failed", "refused")),
    ((302, "", ("Location", "/elsewhere")), ("failed", "refused")), (None, ("failed", "unknown_outcome")), (huge, ("sent", "-")),
    *((end, ("failed", "unknown_outcome")) for end in (endless_headers, dripping, cut, no_http))])
def test_what_is_not_sent_again(service, gateway, campaign, answer, end):
    """there is only one request if the answer is 4xx, 5xx, a redirect, late, too long or incomplete"""
    gateway.answer = lambda _: answer
    phone = number()
    sign_up(campaign, phone)
    assert ended(service) == [end]
    gateway.answer = accepted
    other = number()
    sign_up(campaign, other)
    arrived(gateway, other)
    assert len(gateway.to(phone)) == 1 and all(text.path == "/send" for text in gateway.texts)


def test_a_retry_has_another_code_and_counts_once(service, gateway, campaign):
    answers = [(429, "slow down"), (503, "")]
    gateway.answer = lambda _: answers.pop() if answers else accepted(_)
    phone = number()
    lead = sign_up(campaign, phone)
    for count in (2, 3):
        arrived(gateway, phone, count - 1)
        wait_until(lambda: rows(service)[0] == ("requested", "refused_for_now"), 10, "it is not tried again")
        service.installation.sql("UPDATE lh_messages SET due_ms = 1")
    text = arrived(gateway, phone, 3)
    assert ended(service) == [("sent", "-")] and service.installation.sql("SELECT COUNT(*) FROM lh_sent_codes").strip() == "1"
    assert type_code(campaign, lead, text.code).status == 200


def test_a_retry_brings_no_more_tries(service, gateway, campaign):
    """docs/api.md 4.1.14: five guesses for each request, no matter how many codes it takes because the gateway is busy"""
    answers = [(503, ""), (503, "")]
    gateway.answer = lambda _: answers.pop() if answers else accepted(_)
    phone = number()
    lead = sign_up(campaign, phone)
    for count in (1, 2):
        code = arrived(gateway, phone, count).code
        wait_until(lambda: rows(service)[0] == ("requested", "refused_for_now"), 10, "it is not tried again")
        for by in (1, 2, 3):
            assert type_code(campaign, lead, other(code, by)).verdict == (404, "invalid_code")
        service.installation.sql("UPDATE lh_messages SET due_ms = 1")
    code = arrived(gateway, phone, 3).code
    tries = service.installation.sql(f"SELECT tries FROM lh_lead_codes WHERE channel = 1 AND lead_id = {lead['id']}")
    assert ended(service) == [("sent", "-")] and tries.strip() == "5"
    assert type_code(campaign, lead, code).verdict == (404, "invalid_code")
    service.installation.sql("UPDATE lh_sent_codes SET sent_ms = sent_ms - 310000")
    sign_up(campaign, phone)
    assert type_code(campaign, lead, arrived(gateway, phone, 4).code).status == 200


def test_the_number_has_its_limit_at_once(service, gateway, campaign, account):
    """many simultaneous requests of several campaigns: only one is permitted at a time, and three a day; leads without a code wait
    for the next one"""
    campaigns = [campaign, *(service.campaign(account, verify_phone="on") for _ in range(3))]
    phone = number()
    for waiting, counts in ((48, (1, 15, 0)), (48, (2, 30, 0)), (0, (3, 30, 63)), (0, (3, 30, 127))):
        at_once([lambda one=one: sign_up(campaigns[one % 4], phone) for one in range(64)])
        wait_until(lambda waiting=waiting: rows(service).count(("requested", "minute_limit")) == waiting, 20, "they do not wait")
        service.installation.sql("DELETE FROM lh_messages WHERE reason = 'minute_limit'")
        seen = ended(service, sum(counts))
        assert tuple(map(seen.count, (("sent", "-"), ("dropped", "too_soon"), ("dropped", "number_limit")))) == counts
        service.installation.sql("UPDATE lh_sent_codes SET sent_ms = sent_ms - 310000")
    assert len(gateway.to(phone)) == 3


def test_a_text_that_was_refused_does_not_count(service, gateway, campaign):
    """docs/mail.md 8.3: the person can request another one at once"""
    phone = number()
    gateway.answer = lambda text: (400, "no")
    for count in range(1, 5):
        sign_up(campaign, phone)
        assert ended(service, count)[-1] == ("failed", "refused")
    gateway.answer = accepted
    sign_up(campaign, phone)
    assert ended(service, 5)[-1] == ("sent", "-")


def test_a_number_of_two_leads(service, gateway, campaign, account):
    """docs/mail.md 8.3: the second lead's code is sent a minute later"""
    phone = number()
    sign_up(campaign, phone)
    ended(service)
    sign_up(service.campaign(account, verify_phone="on"), phone)
    wait_until(lambda: rows(service)[1] == ("requested", "minute_limit"), 10, "it does not wait")
    service.installation.sql("UPDATE lh_sent_codes SET sent_ms = sent_ms - 60000")
    service.installation.sql("UPDATE lh_messages SET due_ms = due_ms - 60000 WHERE state = 'requested'")
    assert ended(service, 2)[-1] == ("sent", "-") and len(gateway.to(phone)) == 2


def test_limits(service, gateway, campaign):
    """a growing pause, three texts a day, and ten an hour for numbers with the same beginning"""
    phone = number()
    for sent in range(1, 5):
        sign_up(campaign, phone)
        ended(service, 2 * sent - 1)
        sign_up(campaign, phone)
        assert ended(service, 2 * sent)[-1] == ("dropped", "too_soon" if sent < 3 else "number_limit")
        service.installation.sql("UPDATE lh_sent_codes SET sent_ms = sent_ms - 310000")
    assert len(gateway.to(phone)) == 3
    gateway.texts.clear()
    phones = [number(block=7777) for _ in range(12)]
    for one in phones:
        sign_up(campaign, one)
    assert [row for row in ended(service, 20)[8:] if row[0] == "dropped"] == [("dropped", "prefix_limit")] * 2
    assert len(gateway.texts) == 10


def test_no_budget_is_exceeded(service, gateway, campaign):
    """even with many sign-ups at once, a campaign sends no more than 40 texts an hour"""
    found = at_once([lambda phone=number(): sign_up(campaign, phone) for _ in range(64)])
    assert len(found) == 64
    wait_until(lambda: rows(service).count(("sent", "-")) == 40, 20, "they are not sent")
    other_account = service.campaign(service.account(), verify_phone="on")
    for _ in range(3):  # one after the other: accounts take turns, so the other accounts had theirs
        phone = number()
        sign_up(other_account, phone)
        arrived(gateway, phone)
    sql = service.installation.sql
    assert int(sql("SELECT COUNT(*) FROM lh_messages WHERE state = 'requested'")) == 24
    sql("UPDATE lh_messages SET created_ms = created_ms - 600000 WHERE state = 'requested'")
    sql("UPDATE lh_sendings SET slot = slot - 13")  # an hour later there would be room for these texts, but they are late
    seen = ended(service, 67)
    assert (seen.count(("sent", "-")), seen.count(("dropped", "late")), len(gateway.texts)) == (43, 24, 43)


def test_what_waits_too_long_is_dropped(service, gateway, account):
    """docs/mail.md 8.3: an account can always add campaigns, so it has a limit; its texts wait for it, and those that are late are
    neither sent nor counted"""
    for _ in range(3):
        one = service.campaign(account, verify_phone="on")
        for _ in range(20):
            sign_up(one, number())
    wait_until(lambda: rows(service).count(("sent", "-")) == ACCOUNT, 20, "they are not sent")
    sql = service.installation.sql
    assert int(sql("SELECT COUNT(*) FROM lh_messages WHERE state = 'requested'")) == 60 - ACCOUNT
    sql("UPDATE lh_messages SET created_ms = created_ms - 600000 WHERE state = 'requested' ORDER BY id LIMIT 5")
    sql("UPDATE lh_sendings SET slot = slot - 13")
    seen = ended(service, 60)
    assert seen.count(("dropped", "late")) == 5 and seen.count(("sent", "-")) == 55 and len(gateway.texts) == 55
    assert int(sql("SELECT SUM(sent) FROM lh_sendings WHERE channel = 1 AND scope = 0")) == 55


def test_where_none_is_sent(service, gateway, account, campaign):
    """another calling code, a landline, a lead that opted out, a campaign without the setting, or the number of a lead that the
    request names by its email"""
    sign_up(campaign, "+41791234567")
    sign_up(campaign, "+493012345678")
    assert ended(service, 2) == [("dropped", "calling_code"), ("dropped", "not_mobile")]
    assert not gateway.texts
    phone = number()
    lead = campaign.lead(email="ada@example.org", phone_number=phone)
    arrived(gateway, phone)
    campaign.change("sms_optout", social_id=lead["social_id"])
    wait_until(lambda: "1" in service.installation.sql(f"SELECT sms_opted_out FROM lh_leads WHERE id = {lead['id']}"), 10, "no opt-out")
    sign_up(campaign, phone)
    campaign.post({"email": "ada@example.org"}, key=None)
    sign_up(service.campaign(account), number())
    assert len(ended(service, 3)) == 3 and len(gateway.texts) == 1


def suspend(campaign):
    campaign.service.installation.admin("account", "suspend", str(campaign.account.id))


def switch_off(campaign):
    campaign.service.installation.admin("campaign", "set", str(campaign.id), "verify_phone=off")


def let(table, change):
    return lambda campaign: campaign.service.installation.sql(f"UPDATE lh_{table} SET {change}")


@pytest.mark.parametrize("change, end", [
    (suspend, ("dropped", "suspended")), (switch_off, ("dropped", "switched_off")),
    (let("leads", "fraudulent = 1"), ("dropped", "fraudulent")), (let("leads", "sms_opted_out = 1"), ("dropped", "opted_out")),
    (let("leads", "phone = NULL, phone_hash = NULL"), ("dropped", "no_number")),
    (let("messages", "created_ms = created_ms - 600000"), ("dropped", "late")), (let("messages", "crashes = 3"), ("failed", "crashed"))])
def test_what_changes_before_it_is_sent(service, gateway, change, end):
    """a waiting text is not sent if something has changed that rules it out"""
    campaign = service.campaign(service.account(), verify_phone="on")
    hold = "UPDATE lh_message_channels SET held_until_ms = {} WHERE channel = 'text'"
    service.installation.sql(hold.format(1 << 60))
    sign_up(campaign, number())
    change(campaign)
    service.installation.sql(hold.format(0))
    assert ended(service) == [end] and not gateway.texts


def test_it_is_given_up_after_ten_minutes(service, gateway, campaign):
    gateway.answer = lambda _: (503, "")
    sign_up(campaign, number())
    wait_until(lambda: rows(service) == [("requested", "refused_for_now")], 10, "it is not tried again")
    service.installation.sql("UPDATE lh_messages SET created_ms = created_ms - 590000, due_ms = 1")
    assert ended(service) == [("failed", "gave_up")] and len(gateway.texts) == 2


def test_limits_stay_when_the_lead_is_deleted(service, gateway, campaign):
    phone = number()
    lead = sign_up(campaign, phone)
    assert ended(service) == [("sent", "-")]
    assert campaign.delete({"social_ids": [lead["social_id"]]}).status == 202
    wait_until(lambda: not rows(service), 30, "the lead is not deleted")
    sign_up(campaign, phone)
    wait_until(lambda: rows(service) == [("requested", "minute_limit")], 10, "it does not wait")
    assert len(gateway.texts) == 1


def test_a_gateway_that_is_away_holds_all_texts(make_service):
    """nothing is lost, no matter how many texts there are; after a pause, one text probes the gateway, and the others follow once
    it is back"""
    with socket.socket() as reserved:
        reserved.bind(("127.0.0.1", 0))
        port = reserved.getsockname()[1]
    away = make_service(settings=[("sms", "url", f"http://127.0.0.1:{port}/send"), ("sms", "calling_codes", "49"),
                                  ("sms", "allow_networks", "127.0.0.0/8")])
    away.dispatcher.start()
    phones = [number() for _ in range(5)]
    account = away.account()
    for phone in phones:
        sign_up(away.campaign(account, verify_phone="on"), phone)
    status = wait_until(lambda: (lambda said: said["texts_held_by"] and said)(away.installation.admin("status")), 10, "no hold")
    assert status["texts_held_by"] in ("refused", "unreachable") and status["texts"] is True
    wait_until(lambda: [state for state, _ in rows(away)] == ["requested"] * 5, 10, "a text has ended")
    back = Gateway(port)
    try:
        probe = threading.Event()
        back.answer = lambda text: probe.wait(20) and accepted(text)
        away.installation.sql("UPDATE lh_message_channels SET held_until_ms = 0; UPDATE lh_messages SET due_ms = 1")
        wait_until(lambda: back.texts, 60, "it does not try after its pause")
        assert [state for state, _ in rows(away)].count("ready") == len(back.texts) == 1
        probe.set()
        wait_until(lambda: rows(away) == [("sent", "-")] * 5, 60, "texts are left")
        assert back.counts() == {phone: 1 for phone in phones}
        assert away.installation.admin("status")["texts_held_by"] is None
    finally:
        back.close()


@pytest.mark.parametrize("settings, body", [
    ({"content_type": "json", "body": '{"to":"{to}","text":"{text}"}'}, '{"messages": [{"status" : "0"}]}'),
    ({"content_type": "query", "body": "to={to}&text={text}&key=1"}, '"status":"0"'), ({}, '"status":"0"')])
def test_the_answer_says_that_it_was_sent(make_service, gateway, settings, body):
    """a 200 whose body reports an error is not a success; a JSON body is escaped"""
    service = make_service(settings=gateway.settings(sent_text='"status":"0"', **settings))
    service.dispatcher.start()
    campaign = service.campaign(verify_phone="on", name='A "B"')
    gateway.answer = lambda _: (200, body)
    phone, other = number(), number()
    sign_up(campaign, phone)
    text = arrived(gateway, phone)
    assert 'A "B"' in text.text and ended(service) == [("sent", "-")]
    assert text.method == ("GET" if settings.get("content_type") == "query" else "POST")
    gateway.answer = lambda _: (200, '{"messages": [{"status": "4", "error-text": "Bad Credentials"}]}')
    sign_up(campaign, other)
    assert ended(service, 2)[-1] == ("failed", "refused")


@pytest.mark.parametrize("url, networks, is_taken", [
    ("http://gateway.example.org/send", "", False), ("http://192.0.2.7/send", "127.0.0.0/8", False), ("http://127.0.0.1/", "", False),
    ("http://192.0.2.7:8080/send", "192.0.2.0/24", True), ("http://gateway/send", "10.0.0.0/8", True), ("http://localhost", "127.0.0.1 ::1", True),
    ("https://gateway.example.org/send", "", True)])
def test_a_gateway_without_tls(service, url, networks, is_taken):
    """docs/mail.md 8.2: the configuration is refused"""
    env = {"LEADHOOK_SMS_URL": url, "LEADHOOK_SMS_ALLOW_NETWORKS": networks}
    done = call(service.installation, "--check-config", program="leadhook-dispatch", env=env)
    assert done.returncode == (OK if is_taken else CONFIG), done.stderr
    assert is_taken or "LEADHOOK_SMS_URL: is http://, without TLS, but sms.allow_networks does not have its address" in done.stderr


@pytest.mark.parametrize("host, networks", [("https://127.0.0.1", ""), ("http://localhost", "192.0.2.0/24")])
def test_forbidden_addresses(make_service, gateway, host, networks):
    """docs/deliveries.md 5: loopback is not allowed by default; docs/mail.md 8.2: without TLS, neither is any other address, even
    if it is given as a name"""
    url = gateway.url.replace("http://127.0.0.1", host)
    service = make_service(settings=gateway.settings(url=url, allow_networks=networks))
    service.dispatcher.start()
    sign_up(service.campaign(verify_phone="on"), number())
    wait_until(lambda: service.installation.admin("status")["texts_held_by"] == "forbidden_address", 10, "no hold")
    assert not gateway.texts
