# SPDX-License-Identifier: MIT
"""docs/mail.md 4 and 6: from the sign-up to the mail server, and the limits on the way."""
import email
import email.policy
import re
import time

import pytest
from command import DATA, call
from mail_server import Planted
from stack.process import wait_until

BUDGET = 12
NOW_SLOT = "FLOOR(UNIX_TIMESTAMP(NOW(3)) * 1000) DIV 300000"
VERIFY, WELCOME, REWARD, REFERRAL, STATUS_LINK, ERASE_CONFIRM = range(6)


@pytest.fixture(scope="module")
def service(make_service, mail_server):
    made = make_service(settings=mail_server.settings(campaign_per_hour=BUDGET, account_per_hour=3 * BUDGET, per_hour=5 * BUDGET))
    made.dispatcher.start()
    return made


@pytest.fixture(autouse=True)
def no_mails(service, mail_server):
    mail_server.clear()
    mail_server.delay = 0
    service.installation.sql("DELETE FROM lh_messages")
    service.installation.sql("DELETE FROM lh_sendings")


@pytest.fixture
def campaign(service, account):
    return service.campaign(account, verify_email="on", mails="welcome,reward,referral,status_link", pages="on")


def arrived(mail_server, recipient, count=1):
    return wait_until(lambda: len(mail_server.to(recipient)) >= count and mail_server.to(recipient), 10, f"no mail for {recipient}")[-1]


def parsed(mail):
    return email.message_from_bytes(mail.content, policy=email.policy.SMTP)


def text(mail):
    return parsed(mail).get_body("plain").get_content()


def ended(service, lead, kind):
    """Return state and reason of the lead's last message of that kind, once it has ended."""
    def row():
        found = service.installation.sql("SELECT state, COALESCE(reason, '') FROM lh_messages m JOIN lh_leads l ON l.id = m.lead_id"
                                         f" WHERE social_id = '{lead['social_id']}' AND kind = {kind} ORDER BY m.id DESC LIMIT 1")
        return found.rstrip("\n").split("\t") if found and found.split()[0] not in ("requested", "ready") else None
    return wait_until(row, 10, f"the mail {kind} has not ended")


def request(service, lead, kind, ref=0):
    """Request a message, as a batch does."""
    number = next(Planted.numbers)
    service.installation.sql("INSERT INTO lh_messages (id, campaign_id, lead_id, kind, ref, turn, state, created_ms, due_ms)"
                             f" SELECT {number}, campaign_id, id, {kind}, {ref}, {0 if kind in (0, 4, 5) else 1}, 'requested', 1, 1"
                             f" FROM lh_leads WHERE social_id = '{lead['social_id']}'")
    return number


def confirmed(service, lead):
    """Add a lead that gets mails of every kind."""
    service.installation.sql(f"UPDATE lh_leads SET verified_email = TRUE WHERE social_id = '{lead['social_id']}'")


def pass_a_minute(service, minutes=1):
    service.installation.sql(f"UPDATE lh_messages SET composed_ms = composed_ms - {minutes} * 60000 - 1000")


def test_a_sign_up_is_followed_by_its_mail_at_once(service, mail_server, campaign):
    begun = time.monotonic()
    lead = campaign.lead(email="ada@example.org", first_name="Ada")
    mail = arrived(mail_server, "ada@example.org")
    assert time.monotonic() - begun < 5
    message = parsed(mail)
    assert message["From"] == "Leadhook Tests <sender@example.org>" and message["To"] == "ada@example.org"
    link = re.search(rf"{re.escape(service.front.url)}/c/{campaign.id}/confirm/(\S+)", text(mail))
    assert link and link.group(1).startswith(lead["social_id"])
    row = service.installation.admin("mail", "list", "--campaign", str(campaign.id))[0]
    assert (row["kind"], row["state"], row["recipient"], row["lead"]) == ("verify", "sent", "ada@example.org", lead["social_id"])
    shown = service.installation.admin("mail", "show", str(row["id"]), "--content")
    assert shown["content"].encode() == mail.content and shown["message_id"] == mail.message_id


def test_a_mail_shows_what_the_payload_shows(service, mail_server, campaign):
    lead = campaign.lead(email="ada@example.org", first_name="Ada")
    ended(service, lead, VERIFY)
    pass_a_minute(service)
    campaign.bulk("verify", {"email": "ada@example.org"})
    wait_until(lambda: campaign.find(email="ada@example.org")["verified"], 10, "the lead is not verified")
    request(service, lead, WELCOME)
    mail = arrived(mail_server, "ada@example.org", 2)
    now = campaign.find(email="ada@example.org")
    assert now["status_url"] in text(mail)
    assert parsed(mail)["List-Unsubscribe"] == f"<{now['unsubscribe_url']['safe']}>"
    # a verified address needs no confirmation
    pass_a_minute(service)
    request(service, lead, VERIFY)
    assert ended(service, lead, VERIFY) == ["dropped", "verified"]


def test_the_language_of_the_campaign(service, mail_server, account):
    campaign = service.campaign(account, verify_email="on", language="de")
    campaign.lead(email="ada@example.org")
    assert "bestätig" in text(arrived(mail_server, "ada@example.org")).lower()


def test_texts_of_the_campaign(service, mail_server, account):
    """Templates for the language are preferred to those for every language; mails also contain the links of pages."""
    campaign = service.campaign(account, verify_email="on", language="de")
    texts = [("mail.verify.subject", "", "Any"), ("mail.verify.subject", "de", "Hallo {{campaign_name}}"),
             ("mail.verify.text", "", "Weiter: {{confirm_url}} {{privacy_url}}"), ("page.privacy_url", "", "https://example.org/privacy"),
             ("mail.welcome.subject", "de", "Another kind")]
    for name, language, value in texts:
        service.installation.sql("INSERT INTO lh_campaign_texts (campaign_id, name, language, value)"
                                 f" VALUES ({campaign.id}, '{name}', '{language}', '{value}')")
    campaign.lead(email="ada@example.org")
    mail = arrived(mail_server, "ada@example.org")
    assert parsed(mail)["Subject"] == f"Hallo {campaign.name}"
    assert text(mail).startswith("Weiter: http") and "https://example.org/privacy" in text(mail)


def test_an_address_has_had_enough(service, mail_server, campaign, account):
    """An address gets at most five mails a day and one a minute, from all campaigns together; within the minute, mails wait. A
    deletion can still be requested."""
    lead = campaign.lead(email="ada@example.org")
    arrived(mail_server, "ada@example.org")
    other = service.campaign(account, verify_email="on").lead(email="ADA@EXAMPLE.ORG")
    tagged = campaign.lead(email="ada+tag@example.org")
    confirmed(service, lead)
    requests = [(lead, WELCOME, 0), (lead, STATUS_LINK, 0), (lead, STATUS_LINK, 1), (lead, ERASE_CONFIRM, 0)]
    for who, kind, ref in requests:
        request(service, who, kind, ref)
    waiting = "SELECT COUNT(*) FROM lh_messages WHERE state = 'requested' AND reason = 'minute_limit' AND due_ms BETWEEN {0} AND {0} + 60000"
    waiting = waiting.format("FLOOR(UNIX_TIMESTAMP(NOW(3)) * 1000)")
    wait_until(lambda: int(service.installation.sql(waiting)) == 2 + len(requests), 10, "the mails do not wait")
    assert other["social_id"] != tagged["social_id"] and len(mail_server.mails) == 1
    service.installation.sql("DELETE FROM lh_messages WHERE state = 'requested'")
    for count in range(2, 6):
        pass_a_minute(service)
        request(service, lead, STATUS_LINK)
        arrived(mail_server, "ada@example.org", count)
        assert ended(service, lead, STATUS_LINK)[0] == "sent"
    pass_a_minute(service)
    request(service, lead, WELCOME)
    assert ended(service, lead, WELCOME) == ["dropped", "address_limit"]
    for count in (6, 7):
        request(service, lead, ERASE_CONFIRM)
        arrived(mail_server, "ada@example.org", count)
        assert ended(service, lead, ERASE_CONFIRM)[0] == "sent"
        if count == 6:
            request(service, lead, ERASE_CONFIRM)
            assert ended(service, lead, ERASE_CONFIRM) == ["dropped", "too_soon"], "the person has one"
        pass_a_minute(service)
    request(service, lead, ERASE_CONFIRM)
    assert ended(service, lead, ERASE_CONFIRM) == ["dropped", "daily"]
    assert len(mail_server.mails) == 7


def verify_again(service, lead):
    request(service, lead, VERIFY)
    return ended(service, lead, VERIFY)


def test_a_confirmation_is_sent_again(service, mail_server, campaign):
    """It is sent again after five minutes, at most three times a day and five times in all, for each address of the lead; the
    answer to the caller is always the same."""
    lead = campaign.lead(email="ada@example.org")
    arrived(mail_server, "ada@example.org")
    pass_a_minute(service, 4)
    assert campaign.post({"email": "ada@example.org"}, key=None).status == 200
    assert ended(service, lead, VERIFY) == ["dropped", "too_soon"]
    for day in range(2):
        for _ in range(2):
            pass_a_minute(service, 5)
            assert verify_again(service, lead) == ["sent", ""]
        pass_a_minute(service, 5)
        assert verify_again(service, lead) == ["dropped", "daily" if day == 0 else "enough"]
        pass_a_minute(service, 24 * 60)
    assert verify_again(service, lead) == ["dropped", "enough"]
    assert len(mail_server.mails) == 5
    campaign.post({"social_id": lead["social_id"], "must_exist": True, "email": "new@example.org"})
    arrived(mail_server, "new@example.org")
    # another lead with the first address is counted separately
    other = campaign.lead(email="ada@example.org")
    assert ended(service, other, VERIFY) == ["sent", ""]


def test_the_own_page_sends_the_mail_again(service, mail_server, campaign):
    """The page has a button, which needs no script; but not for other people, and not when there is nothing to confirm."""
    lead = campaign.lead(email="ada@example.org")
    arrived(mail_server, "ada@example.org")
    path = lead["status_url"].removeprefix(service.front.url)
    page = campaign.client.request("GET", path)
    assert b'name="resend"' in page.body
    pass_a_minute(service, 5)
    begun = time.monotonic()
    done = campaign.client.request("POST", path, form={"resend": "1"})
    assert (done.status, done.headers["Location"]) == (303, lead["status_url"] + "?resent=1")
    shown = campaign.client.request("GET", path + "?resent=1")
    assert shown.status == 200 and b"on its way" in shown.body and b'name="resend"' not in shown.body
    arrived(mail_server, "ada@example.org", 2)
    assert time.monotonic() - begun < 5
    # beyond the limits the answer is the same
    again = campaign.client.request("POST", path, form={"resend": "1"})
    assert (again.status, again.headers["Location"]) == (303, done.headers["Location"])
    assert ended(service, lead, VERIFY) == ["dropped", "too_soon"]
    assert campaign.client.request("POST", path, form={}).status == 200
    stranger = campaign.client.request("POST", path[:-1] + ("A" if path[-1] != "A" else "B"), form={"resend": "1"})
    assert stranger.status == 200 and b'name="resend"' not in stranger.body  # the page as everyone else sees it
    campaign.bulk("verify", {"email": "ada@example.org"})
    wait_until(lambda: campaign.find(email="ada@example.org")["verified_email"], 10, "the lead is not verified")
    assert b'name="resend"' not in campaign.client.request("GET", path).body
    count = service.installation.sql("SELECT COUNT(*) FROM lh_messages WHERE kind = 0")
    assert campaign.client.request("POST", path, form={"resend": "1"}).status == 303
    assert service.installation.sql("SELECT COUNT(*) FROM lh_messages WHERE kind = 0") == count


def test_what_a_page_requests_is_sent_at_once(service, mail_server, campaign):
    """Without wakes, the mailer polls once a second, so four mails in a row would take more than three seconds."""
    leads = [campaign.lead(email=f"lead{number}@example.org") for number in range(4)]
    for lead in leads:
        ended(service, lead, VERIFY)
    pass_a_minute(service, 5)
    begun = time.monotonic()
    for number, lead in enumerate(leads):
        path = lead["status_url"].removeprefix(service.front.url)
        assert campaign.client.request("POST", path, form={"resend": "1"}).status == 303
        arrived(mail_server, f"lead{number}@example.org", 2)
    assert time.monotonic() - begun < 2


def test_an_opt_out_stops_all_but_confirmations(service, mail_server, campaign):
    lead = campaign.lead(email="ada@example.org")
    arrived(mail_server, "ada@example.org")
    campaign.bulk("optout", {"email": "ada@example.org"})
    wait_until(lambda: campaign.find(email="ada@example.org")["opted_out"], 10, "the lead has not opted out")
    pass_a_minute(service)
    request(service, lead, WELCOME)
    assert ended(service, lead, WELCOME) == ["dropped", "opted_out"]
    pass_a_minute(service, 5)
    request(service, lead, VERIFY)
    arrived(mail_server, "ada@example.org", 2)


def test_a_deleted_lead_gets_nothing(service, mail_server, campaign):
    mail_server.refuse()
    try:
        lead = campaign.lead(email="ada@example.org")
        number = int(service.installation.sql("SELECT id FROM lh_messages"))
        wait_until(lambda: Planted(service).state(number) == "ready", 10, "the mail is not composed")
        campaign.bulk("delete", {"email": "ada@example.org"})
        wait_until(lambda: campaign.get({"email": "ada@example.org"}).status == 404, 10, "the lead is there")
    finally:
        mail_server.listen()
    service.installation.sql("UPDATE lh_message_channels SET failures = 0, held_until_ms = 0")
    wait_until(lambda: (Planted(service).row(number, "reason") or {"reason": "gone"})["reason"] in ("lead_deleted", "gone"), 20,
               "the message is there")
    assert mail_server.mails == [] and lead


def test_referrals_and_rewards(service, mail_server, campaign):
    reward = campaign.define("reward", "A mug", "--required-points", 1, "--emailed")
    ada = campaign.lead(email="ada@example.org", first_name="Ada")
    bob = campaign.lead(email="bob@example.org", first_name="Bob")
    for lead in (ada, bob):
        ended(service, lead, VERIFY)
        confirmed(service, lead)
    pass_a_minute(service)
    number = service.installation.sql(f"SELECT id FROM lh_leads WHERE social_id = '{bob['social_id']}'").strip()
    request(service, ada, REFERRAL, number)
    mail = arrived(mail_server, "ada@example.org", 2)
    assert "through your link: Bob." in text(mail)
    pass_a_minute(service)
    request(service, ada, REWARD, reward)
    assert "A mug" in text(arrived(mail_server, "ada@example.org", 3))
    request(service, bob, REWARD, reward + 1)
    assert ended(service, bob, REWARD) == ["dropped", "reward_removed"]


def test_a_budget_delays_and_loses_nothing(service, mail_server, campaign):
    lead = campaign.lead(email="ada@example.org")
    arrived(mail_server, "ada@example.org")
    confirmed(service, lead)
    planted = Planted(service)
    planted.mails(campaign, lead, 30)
    wait_until(lambda: len(mail_server.mails) >= BUDGET, 10, "mails do not arrive")
    other = service.campaign(campaign.account, verify_email="on")
    other.lead(email="bob@example.org")
    arrived(mail_server, "bob@example.org")
    wait_until(lambda: planted.count("ready") == 30 + 1 - BUDGET, 10, "the others wait")
    assert len(mail_server.mails) == BUDGET + 1
    service.installation.sql("UPDATE lh_sendings SET slot = slot - 13")
    wait_until(lambda: len(mail_server.mails) == 2 * BUDGET + 1, 10, "the next hour's do not arrive")


def test_the_limits_of_account_and_installation(service, mail_server, campaign):
    """docs/mail.md 6: an account can always add campaigns, so it also has a limit, as does the installation; other accounts do not
    wait for an account at its limit"""
    planted = Planted(service)
    for place in range(4):
        one = service.campaign(campaign.account)
        planted.mails(one, one.lead(email=f"lead{place}@example.org"), BUDGET)
    wait_until(lambda: len(mail_server.mails) >= 3 * BUDGET, 20, "mails do not arrive")
    strangers = [service.campaign(service.account()) for _ in range(3)]
    planted.mails(strangers[0], strangers[0].lead(email="bob@example.org"), BUDGET - 1)
    wait_until(lambda: len(mail_server.mails) >= 4 * BUDGET - 1, 20, "another account waits")
    planted.mails(strangers[1], strangers[1].lead(email="eve@example.org"), BUDGET)
    planted.mails(strangers[2], strangers[2].lead(email="pat@example.org"), BUDGET)
    wait_until(lambda: len(mail_server.mails) >= 5 * BUDGET, 20, "they do not arrive")
    delayed = wait_until(lambda: (text := call(service.installation, "metrics").stdout) and "leadhook_messages_delayed_total{limit=\"mail.per_hour\"}" in text and text,
                         10, "no limit is reached")
    assert re.search(r'messages_delayed_total\{limit="mail.account_per_hour"\} [1-9]', delayed)
    assert len(mail_server.mails) == 5 * BUDGET
    reached = service.installation.admin("status")["limits_reached"]
    assert [row["limit"] for row in reached] == ["mail.per_hour"] and int(reached[0]["campaign"]) > 0
    service.installation.sql("UPDATE lh_sendings SET slot = slot - 13")
    wait_until(lambda: len(mail_server.mails) > 6 * BUDGET, 20, "the next hour's do not arrive")


LIMITS = {"campaign": "mail.campaign_per_hour", "account": "mail.account_per_hour", "installation": "mail.per_hour"}


@pytest.mark.parametrize("scope", LIMITS)
def test_the_limit_that_mails_wait_for(service, mail_server, campaign, leadhook, scope):
    """docs/mail.md 6: the limit is shown in the status and as the reason of each due mail; a mail that is due later does not wait
    for it"""
    def reasons():
        return {mail["id"]: mail["reason"] for mail in leadhook("mail", "list", "--campaign", str(campaign.id))}
    place = list(reversed(LIMITS)).index(scope)
    owner = [0, campaign.account.id, campaign.id][place]
    service.installation.sql(f"INSERT INTO lh_sendings (channel, scope, scope_id, slot, sent) SELECT 0, {place}, {owner}, {NOW_SLOT}, 1000")
    lead = campaign.lead(email="late@example.org")  # used in no other test, because its mails may arrive during the next one
    planted = Planted(service)
    [due, later] = planted.mails(campaign, lead, 2).values()
    service.installation.sql(f"UPDATE lh_messages SET due_ms = due_ms + 86400000 WHERE id = {later}")
    found = reasons()
    assert found.pop(later) is None and due in found and set(found.values()) == {f"{scope}_limit"}
    assert leadhook("mail", "show", str(due))["reason"] == f"{scope}_limit"
    assert leadhook("status")["limits_reached"] == [{"limit": LIMITS[scope], "account": campaign.account.id, "campaign": campaign.id}]
    service.installation.sql("DELETE FROM lh_sendings")
    assert leadhook("status")["limits_reached"] == [] and f"{scope}_limit" not in reasons().values()


def resend(service, mail):
    return call(service.installation, "mail", "resend", mail)


def test_a_mail_that_is_sent_again_has_the_limits(service, mail_server, account):
    """docs/mail.md 6: a minute between two mails, five a day, counted like first mails; a lead has no more than five repetitions a
    day"""
    campaign = service.campaign(account, mails="welcome")
    campaign.lead(email="ada@example.org")
    arrived(mail_server, "ada@example.org")
    sql = service.installation.sql
    first = sql("SELECT MIN(id) FROM lh_messages").strip()
    wait_until(lambda: sql(f"SELECT state FROM lh_messages WHERE id = {first}").strip() == "sent", 10, "the outcome is not recorded")
    for _ in range(5):
        assert resend(service, first).returncode == 0
    refused = resend(service, first)
    assert refused.returncode == DATA and "five mails to its lead were sent again within a day" in refused.stderr
    waiting = "SELECT COUNT(*) FROM lh_messages WHERE state = 'requested' AND reason = 'minute_limit'"
    for count in range(2, 6):
        wait_until(lambda count=count: int(sql(waiting)) == 7 - count, 10, "they do not wait")
        assert len(mail_server.to("ada@example.org")) == count - 1
        sql("UPDATE lh_messages SET composed_ms = composed_ms - 60000, due_ms = IF(state = 'requested', 0, due_ms)")
        arrived(mail_server, "ada@example.org", count)
    wait_until(lambda: int(sql("SELECT COUNT(*) FROM lh_messages WHERE state = 'dropped' AND reason = 'address_limit'")) == 1, 10, "it is sent")
    mails = mail_server.to("ada@example.org")
    assert len(mails) == 5 and len({mail.content for mail in mails}) == 1


def test_no_mail_is_sent_again_after_an_opt_out(service, mail_server, campaign):
    """docs/mail.md 6: a verify mail, which the person may still request, is not sent at the request of others"""
    lead = campaign.lead(email="ada@example.org")
    arrived(mail_server, "ada@example.org")
    ended(service, lead, VERIFY)
    first = service.installation.sql("SELECT MIN(id) FROM lh_messages").strip()
    campaign.change("optout", email="ada@example.org")
    wait_until(lambda: campaign.find(email="ada@example.org")["opted_out"], 10, "not opted out")
    assert resend(service, first).returncode == 0
    wait_until(lambda: service.installation.sql(f"SELECT reason FROM lh_messages WHERE repeats = {first}").strip() == "opted_out", 10, "it is sent")
    assert len(mail_server.to("ada@example.org")) == 1


@pytest.mark.parametrize("again", [True, False])
def test_no_mail_is_sent_to_a_former_address(service, mail_server, account, again):
    """docs/mail.md 6: neither when it is repeated, nor by a later attempt of a composed mail, because its links would belong to the
    new owner"""
    campaign = service.campaign(account, mails="welcome")
    lead = campaign.lead(email="former@example.org", phone_number="+491701234567")
    arrived(mail_server, "former@example.org")
    ended(service, lead, WELCOME)
    sql = service.installation.sql
    first = sql("SELECT MIN(id) FROM lh_messages").strip()
    campaign.lead(email="ada@example.org", phone_number="+491701234567")
    if again:
        assert resend(service, first).returncode == 0
    else:
        sql(f"UPDATE lh_messages SET state = 'ready', turn = 1, due_ms = 0, ended_ms = NULL WHERE id = {first}")
    assert ended(service, lead, WELCOME) == ["dropped", "address_replaced"]
    assert len(mail_server.to("former@example.org")) == 1 and not mail_server.to("ada@example.org")


def test_a_lead_without_proof_of_work_confirms(service, mail_server, account):
    """docs/api.md 8: the lead is flagged until it has confirmed its address, and gets the mail for this"""
    campaign = service.campaign(account, pages="on", bots="proof_or_confirm", mails="welcome,status_link")
    assert campaign.post({"email": "noscript@example.org"}, key=None).status == 200
    assert campaign.find(email="noscript@example.org")["fraudulent"] is True
    mail = text(arrived(mail_server, "noscript@example.org"))
    assert "/confirm/" in mail and f"{service.front.url}/c/{campaign.id}/code" in mail
    code = re.search(r"\b\d{6}\b", mail).group()
    assert campaign.client.request("POST", f"/c/{campaign.id}/code", form={"email": "noscript@example.org", "code": code}).status == 303
    lead = campaign.find(email="noscript@example.org")
    assert lead["verified_email"] and not lead["fraudulent"]


def test_nothing_but_the_confirmation_before_it(service, mail_server, account):
    """docs/mail.md 6: a mail to a lead waits until the lead's address is confirmed, and is then sent, even if a caller with a key
    confirms it"""
    campaign = service.campaign(account, verify_email="on", pages="on", mails="welcome,referral,reward", points_direct=5)
    service.installation.admin("reward", "add", str(campaign.id), "Mug", "--required-points", "5", "--emailed")
    for number, by_key in enumerate((True, False)):
        address = f"rosa{number}@example.org"
        rosa = campaign.lead(email=address)
        arrived(mail_server, address)
        campaign.lead(email=f"friend{number}@example.org", social_id=rosa["social_id"])
        arrived(mail_server, f"friend{number}@example.org")
        kinds = f"SELECT kind FROM lh_messages m JOIN lh_leads l ON l.id = m.lead_id WHERE l.email = '{address}' AND reason = 'unconfirmed' ORDER BY 1"
        wait_until(lambda kinds=kinds: service.installation.sql(kinds).split() == ["2", "3"], 10, "reward and referral do not wait")
        assert len(mail_server.to(address)) == 1
        pass_a_minute(service)
        if by_key:
            campaign.bulk("verify", {"email": address})
        else:
            form = {"email": address, "code": re.search(r"\b\d{6}\b", text(mail_server.to(address)[0])).group()}
            assert campaign.client.request("POST", f"/c/{campaign.id}/code", form=form).status == 303
        expected = 3 if by_key else 4  # a person who confirms gets a welcome mail
        for count in range(2, expected + 1):
            def next_minute():
                pass_a_minute(service)
                service.installation.sql("UPDATE lh_messages SET due_ms = 1 WHERE state = 'requested' AND reason = 'minute_limit'")
            wait_until(lambda address=address, count=count: len(mail_server.to(address)) >= count or next_minute(), 15, f"{count} mails")
        ended = f"SELECT state FROM lh_messages m JOIN lh_leads l ON l.id = m.lead_id WHERE l.email = '{address}'"
        wait_until(lambda ended=ended, expected=expected: service.installation.sql(ended).split() == ["sent"] * expected, 10, "not all mails are sent")


def test_an_address_that_is_never_confirmed(service, mail_server, account):
    """docs/mail.md 6: waiting mails are checked less and less often, and are finally dropped; they are sent if the campaign no
    longer requires confirmation"""
    campaign = service.campaign(account, verify_email="on", mails="referral")
    rosa = campaign.lead(email="rosa@example.org")
    arrived(mail_server, "rosa@example.org")
    row = Planted(service).row

    def waiting(friend):
        """Return the mail about a friend once it is waiting."""
        campaign.lead(email=f"{friend}@example.org", social_id=rosa["social_id"])
        found = "SELECT MAX(id) FROM lh_messages WHERE reason = 'unconfirmed' AND state = 'requested' HAVING MAX(id) IS NOT NULL"
        return int(wait_until(lambda: service.installation.sql(found), 10, "it does not wait"))

    def is_now(number, age):
        service.installation.sql(f"UPDATE lh_messages SET created_ms = {now} - {age}, due_ms = 1 WHERE id = {number}")
    now = int(service.installation.sql("SELECT CAST(UNIX_TIMESTAMP(NOW(3)) * 1000 AS UNSIGNED)"))
    first = waiting("ada")
    is_now(first, 4 * 3600000)
    wait_until(lambda: int(row(first, "due_ms")["due_ms"]) > now + 3 * 3600000, 10, "it does not wait longer")
    is_now(first, 31 * 24 * 3600000)
    wait_until(lambda: row(first, "state", "reason") == {"state": "dropped", "reason": "unconfirmed"}, 10, "it is not dropped")
    rosa = campaign.lead(email="lind@example.org")
    arrived(mail_server, "lind@example.org")
    second = waiting("bob")
    service.installation.admin("campaign", "set", str(campaign.id), "verify_email=off")
    pass_a_minute(service)
    service.installation.sql(f"UPDATE lh_messages SET due_ms = 1 WHERE id = {second}")
    arrived(mail_server, "lind@example.org", 2)
    assert len(mail_server.to("rosa@example.org")) == 1
