# SPDX-License-Identifier: MIT
"""docs/api.md 4.1.14: codes in mails that confirm an address, and the page on which they are typed."""
import email
import email.policy
import html
import itertools
import re

import pytest
from load import at_once
from stack.process import wait_until

people = itertools.count(0)
AGENT = "Mozilla/5.0 (test)"
FORM = {"Sec-Fetch-Mode": "navigate", "Accept": "text/html", "User-Agent": AGENT}
HOUR_MS = 3600000


@pytest.fixture(scope="module")
def service(make_service, mail_server):
    made = make_service(settings=[*mail_server.settings(), ("limits", "signups_per_address", ""), ("limits", "posts_per_address", "")])
    made.dispatcher.start()
    return made


@pytest.fixture
def campaign(service, account):
    return service.campaign(account, verify_email="on", pages="on", public_lookup="social_id", public_update="own", bots="off",
                            mails="welcome,status_link", points_verified=3)


def address():
    return f"ada{next(people)}@example.org"


def sign_up(campaign, recipient, **options):
    return campaign.post({"email": recipient}, key=None, **options)


def text_to(mail_server, recipient, count=1):
    mail = wait_until(lambda: len(mail_server.to(recipient)) >= count and mail_server.to(recipient), 10, f"no mail for {recipient}")[-1]
    return email.message_from_bytes(mail.content, policy=email.policy.SMTP).get_body("plain").get_content()


def code_to(mail_server, recipient, count=1):
    return re.search(r"\b(\d{6})\b", text_to(mail_server, recipient, count)).group(1)


def other(code, by=1):
    return f"{(int(code) + by) % 1000000:06}"


def send(campaign, fields, path="/code", **options):
    """Sends a form like a browser."""
    return campaign.client.request("POST", f"/c/{campaign.id}{path}", form=fields, headers=list(FORM.items()), **options)


def page(answer):
    return answer.body.decode()


def is_verified(campaign, recipient):
    return campaign.find(email=recipient)["verified_email"]


def sql(campaign, statement):
    return campaign.service.installation.sql(statement).strip()


def tries(campaign, recipient):
    return sql(campaign, f"SELECT tries FROM lh_lead_codes WHERE channel = 0 AND lead_id = {campaign.find(email=recipient)['id']}")


def pass_time(campaign, minutes):
    sql(campaign, f"UPDATE lh_messages SET composed_ms = composed_ms - {minutes} * 60000 - 1000")
    sql(campaign, f"UPDATE lh_lead_codes SET expires_ms = expires_ms - {minutes} * 60000 - 1000")


def ended(campaign, count):
    """Returns the state and the reason of all messages of the campaign, once they have ended."""
    def rows():
        found = sql(campaign, f"SELECT state, COALESCE(reason, '-') FROM lh_messages WHERE campaign_id = {campaign.id} ORDER BY id")
        found = [tuple(line.split("\t")) for line in found.splitlines()]
        return found if len(found) >= count and all(row[0] in ("sent", "dropped", "failed") for row in found) else None
    return wait_until(rows, 10, "the messages have not ended")


def test_from_the_form_to_the_page_of_the_lead(mail_server, campaign):
    """the code does the same as the button of the mail: verification, event, credit, proof, welcome mail, and the lead's page"""
    campaign.webhook("verified")
    recipient, referrer = address(), campaign.lead(email=address())
    begun = send(campaign, {"email": recipient, "kid": referrer["social_id"]}, path="")
    assert (begun.status, begun.headers["Location"].partition("?")[0]) == (303, f"{campaign.service.front.url}/c/{campaign.id}/sent")
    assert f'href="/c/{campaign.id}/code"' in page(campaign.client.request("GET", f"/c/{campaign.id}/sent"))
    text = text_to(mail_server, recipient)
    code = code_to(mail_server, recipient)
    assert f"/c/{campaign.id}/confirm/" in text and f"valid for one hour: {code}\r\n" in text
    shown = campaign.client.request("GET", f"/c/{campaign.id}/code")
    assert shown.status == 200 and 'name="email"' in page(shown) and 'autocomplete="one-time-code"' in page(shown)
    assert 'name="phone_number"' not in page(shown) and shown.headers["Referrer-Policy"] == "same-origin"
    wrong = send(campaign, {"email": recipient, "code": other(code)})
    assert wrong.status == 406 and "aria-invalid" in page(wrong) and recipient in page(wrong)
    assert not is_verified(campaign, recipient)
    mail_server.clear()
    sql(campaign, "UPDATE lh_messages SET composed_ms = composed_ms - 61000")
    right = send(campaign, {"email": recipient.upper(), "code": f"{code[:3]} {code[3:]}"})
    lead = campaign.find(email=recipient)
    assert (right.status, right.headers["Location"]) == (303, lead["status_url"])
    assert lead["verified_email"] and campaign.find(email=referrer["email"])["contest_score"] == 1 + 3
    proof = sql(campaign, "SELECT channel, address, ip, user_agent, confirmed_ms > 0 FROM lh_confirmations "
                          f"WHERE lead_id = {lead['id']}").split("\t")
    assert proof[:2] == ["email", recipient] and proof[2].startswith("10.") and proof[3:] == [AGENT, "1"]
    assert len(campaign.delivered(1, "verified")) == 1
    assert "Welcome" in wait_until(lambda: mail_server.to(recipient), 10, "no welcome")[0].content.decode()


def test_it_is_used_once(mail_server, campaign):
    recipient = address()
    sign_up(campaign, recipient)
    code = code_to(mail_server, recipient)
    assert send(campaign, {"email": recipient, "code": code}).status == 303
    again = send(campaign, {"email": recipient, "code": code})
    assert again.status == 406 and "Location" not in again.headers


def test_it_expires(mail_server, campaign):
    recipient = address()
    sign_up(campaign, recipient)
    code = code_to(mail_server, recipient)
    left = sql(campaign, "SELECT expires_ms - UNIX_TIMESTAMP(NOW(3)) * 1000 FROM lh_lead_codes"
                         f" WHERE lead_id = {campaign.find(email=recipient)['id']}")
    assert HOUR_MS - 60000 < float(left) <= HOUR_MS
    pass_time(campaign, 60)
    assert send(campaign, {"email": recipient, "code": code}).status == 406
    assert not is_verified(campaign, recipient)


def test_the_last_mail_has_the_valid_code(mail_server, campaign):
    """a mail beyond the limits neither replaces a code nor gives it further tries"""
    recipient = address()
    sign_up(campaign, recipient)
    first = code_to(mail_server, recipient)
    assert send(campaign, {"email": recipient, "code": other(first)}).status == 406
    assert send(campaign, {"email": recipient, "resend": "1"}).status == 200
    waiting = f"SELECT COUNT(*) FROM lh_messages WHERE campaign_id = {campaign.id} AND reason = 'minute_limit'"
    wait_until(lambda: sql(campaign, waiting).strip() == "1", 10, "it does not wait for the limit of the address")
    pass_time(campaign, 1)
    sql(campaign, f"UPDATE lh_messages SET due_ms = 0 WHERE campaign_id = {campaign.id} AND state = 'requested'")
    assert ended(campaign, 2) == [("sent", "-"), ("dropped", "too_soon")] and tries(campaign, recipient) == "1"
    pass_time(campaign, 5)
    assert send(campaign, {"email": recipient, "resend": "1", "code": first}).status == 200
    second = code_to(mail_server, recipient, 2)
    assert tries(campaign, recipient) == "0"
    if first != second:
        assert send(campaign, {"email": recipient, "code": first}).status == 406
    assert send(campaign, {"email": recipient, "code": second}).status == 303


def test_six_digits_cannot_be_guessed(mail_server, campaign):
    """many simultaneous clients have five tries together; then the right code is refused, but the link still works"""
    recipient = address()
    sign_up(campaign, recipient)
    code = code_to(mail_server, recipient)
    found = at_once([lambda by=by: send(campaign, {"email": recipient, "code": other(code, by)}).status for by in range(1, 33)])
    assert set(found) == {406} and tries(campaign, recipient) == "5"
    assert send(campaign, {"email": recipient, "code": code}).status == 406
    assert not is_verified(campaign, recipient)
    link = re.search(r"/c/\d+/confirm/\S+", text_to(mail_server, recipient)).group()
    assert campaign.client.request("GET", link).status == 200


def test_it_does_not_show_which_addresses_are_known(mail_server, campaign):
    """new, confirmed and unknown addresses get the same answers"""
    known, confirmed, unknown = address(), address(), address()
    for recipient in (known, confirmed):
        sign_up(campaign, recipient)
    code = code_to(mail_server, known)
    assert send(campaign, {"email": confirmed, "code": code_to(mail_server, confirmed)}).status == 303
    for fields in ({"code": other(code)}, {"code": "x"}, {"resend": "1"}, {}):
        answers = [(one, send(campaign, {"email": one, **fields})) for one in (known, confirmed, unknown)]
        assert len({(answer.status, page(answer).replace(one, "#")) for one, answer in answers}) == 1, fields


def test_codes_of_others(service, mail_server, account, campaign):
    """a code is valid only for its lead, its campaign and its address"""
    recipient, second = address(), address()
    foreign = service.campaign(account, verify_email="on", public_lookup="social_id")
    sign_up(campaign, recipient)
    sign_up(campaign, second)
    code = code_to(mail_server, recipient)
    pass_time(campaign, 2)
    sign_up(foreign, recipient)
    for one, person, its in ((campaign, second, code_to(mail_server, second)), (foreign, recipient, code_to(mail_server, recipient, 2))):
        assert its == code or send(one, {"email": person, "code": code}).status == 406
    assert tries(campaign, recipient) == "0"
    new = address()
    campaign.post({"social_id": campaign.find(email=recipient)["social_id"], "must_exist": True, "email": new})
    assert send(campaign, {"email": new, "code": code}).status == send(campaign, {"email": recipient, "code": code}).status == 406
    assert not is_verified(campaign, new)


def test_reading_changes_nothing(mail_server, campaign):
    """GET and HEAD change nothing, even with a code; a form without a code sends no mail"""
    recipient = address()
    sign_up(campaign, recipient)
    code = code_to(mail_server, recipient)
    for method in ("GET", "HEAD"):
        answer = campaign.client.request(method, f"/c/{campaign.id}/code", query={"email": recipient, "code": code, "resend": "1"})
        assert answer.status == 200
    assert send(campaign, {"email": recipient}).status == 200
    assert (tries(campaign, recipient), is_verified(campaign, recipient)) == ("0", False)
    assert sql(campaign, f"SELECT COUNT(*) FROM lh_messages WHERE campaign_id = {campaign.id}") == "1"
    assert send(campaign, {"email": recipient, "code": code}).status == 303


def test_a_restart(service, mail_server, campaign):
    """neither the code nor its count of tries is lost"""
    recipient = address()
    sign_up(campaign, recipient)
    code = code_to(mail_server, recipient)
    assert send(campaign, {"email": recipient, "code": other(code)}).status == 406
    service.front.restart_gracefully()
    service.dispatcher.stop()
    service.dispatcher.start()
    assert tries(campaign, recipient) == "1"
    assert send(campaign, {"email": recipient, "code": code}).status == 303


def test_what_is_typed(service, account, campaign):
    """no address, an invalid address, and a campaign without the setting"""
    for fields in ({}, {"email": "ada@"}, {"email": "", "code": "123456"}, {"phone_number": "+4915112345678", "code": "123456"}):
        answer = send(campaign, fields)
        assert answer.status == 406 and 'aria-describedby="e-email"' in page(answer)
        assert html.escape(fields.get("email", "")) in page(answer)
    plain = service.campaign(account, pages="on")
    assert plain.client.request("GET", f"/c/{plain.id}/code").status == send(plain, {"email": address(), "code": "123456"}).status == 404


def test_it_is_stored_as_a_hash(mail_server, campaign):
    """the code is stored as a hash, and removed with the other limits of the mail; the mail itself is stored like every mail"""
    recipient = address()
    sign_up(campaign, recipient)
    code = code_to(mail_server, recipient)
    assert code not in sql(campaign, "SELECT lead_id, HEX(address_hash), HEX(code_hash) FROM lh_lead_codes")
    pass_time(campaign, 60)
    campaign.service.dispatcher.stop()
    campaign.service.dispatch()
    campaign.service.dispatcher.start()
    assert sql(campaign, f"SELECT COUNT(*) FROM lh_lead_codes WHERE channel = 0 AND lead_id = {campaign.find(email=recipient)['id']}") == "0"


def test_a_preview_makes_no_code(mail_server, campaign):
    recipient = address()
    sign_up(campaign, recipient)
    code = code_to(mail_server, recipient)
    shown = campaign.service.installation.admin("mail", "preview", str(campaign.id), "verify", "--email", recipient)
    assert "123456" in str(shown) and code not in str(shown).replace("123456", "")
    assert send(campaign, {"email": recipient, "code": code}).status == 303
