# SPDX-License-Identifier: MIT
"""docs/api.md 4.1.14: the page on which a texted code is typed, and the call without a key."""
import itertools
import re
import urllib.parse

import pytest
from confirming import link, stamp_of
from load import at_once
from mail_server import MailServer
from stack.process import wait_until

numbers = itertools.count(0)
FORM = {"Sec-Fetch-Mode": "navigate", "Accept": "text/html"}


@pytest.fixture(scope="module")
def service(make_service, gateway):
    made = make_service(settings=[*gateway.settings(), ("limits", "codes_per_address", "20/3600s"), ("limits", "signups_per_address", ""),
                                  ("limits", "posts_per_address", "")])
    made.dispatcher.start()
    return made


@pytest.fixture
def campaign(service, account):
    return service.campaign(account, verify_phone="on", pages="on", public_lookup="social_id", public_update="own", bots="off")


def number():
    return f"+49151{1000 + next(numbers)}0000"


def code_to(gateway, phone, count=1):
    return wait_until(lambda: len(gateway.to(phone)) >= count and gateway.to(phone), 10, f"no text to {phone}")[-1].code


def other(code, by=1):
    return f"{(int(code) + by) % 1000000:06}"


def send(campaign, fields, path=None):
    """Sends a form like a browser."""
    return campaign.client.request("POST", path or f"/c/{campaign.id}/code", form=fields, headers=list(FORM.items()))


def html(answer):
    return answer.body.decode()


def lead_of(campaign, phone):
    return campaign.find(phone_number=phone)


def proofs(campaign, lead):
    return campaign.service.installation.sql("SELECT channel, address FROM lh_confirmations"
                                             f" WHERE lead_id = {lead['id']}").split()


def test_from_the_form_to_the_page_of_the_lead(service, gateway, campaign):
    """the form leads to the page for the code; the code verifies the number, with event and proof, and leads to the lead's page"""
    campaign.webhook("verified")
    phone = number()
    answer = send(campaign, {"phone_number": phone}, path=campaign.path)
    place = urllib.parse.urlsplit(answer.headers["Location"])
    assert answer.status == 303 and place.path.endswith(f"/c/{campaign.id}/code"), answer.headers
    assert urllib.parse.parse_qs(place.query) == {"phone_number": [phone]}
    page = campaign.client.request("GET", f"/c/{campaign.id}/code?{place.query}")
    assert page.status == 200 and 'autocomplete="one-time-code"' in html(page) and phone in html(page)
    code = code_to(gateway, phone)
    wrong = send(campaign, {"phone_number": phone, "code": other(code)})
    assert wrong.status == 406 and "aria-invalid" in html(wrong)
    right = send(campaign, {"phone_number": phone, "code": f"{code[:3]} {code[3:]}"})
    lead = lead_of(campaign, phone)
    assert right.status == 303 and right.headers["Location"] == lead["status_url"]
    assert lead["verified_phone_number"] and proofs(campaign, lead) == ["phone", phone]
    assert len(campaign.delivered(1)) == 1


def test_from_the_form_without_a_base_url(make_service, gateway):
    """without a base URL, the redirections have only a path"""
    service = make_service(settings=[*gateway.settings(), ("server", "base_url", "")])
    campaign = service.campaign(service.account(), verify_phone="on", pages="on", public_lookup="social_id", bots="off")
    phone = number()
    answer = send(campaign, {"phone_number": phone}, path=campaign.path)
    place = f"/c/{campaign.id}/code?phone_number={urllib.parse.quote(phone)}"
    assert (answer.status, answer.headers["Location"]) == (303, place)
    assert phone in html(campaign.client.request("GET", place))


def test_the_status_page_leads_to_the_code(gateway, campaign):
    phone = number()
    lead = campaign.lead(email="ada@example.org", phone_number=phone)
    path = urllib.parse.urlsplit(lead["status_url"]).path
    page = campaign.client.request("GET", path)
    link = re.search(r'href="([^"]*/code\?phone_number=[^"]*)"', html(page)).group(1)
    assert urllib.parse.unquote(link.split("=")[1]) == phone
    assert send(campaign, {"phone_number": phone, "code": code_to(gateway, phone)}).status == 303
    assert "/code?" not in html(campaign.client.request("GET", path))


def test_a_number_beside_an_email_address(make_service, gateway):
    """If only the number is verified, its owner gets to the page, whether or not a key has verified the email address"""
    server = MailServer()
    try:
        service = make_service(settings=[*gateway.settings(), *server.settings()])
        service.dispatcher.start()
        campaign = service.campaign(verify_phone="on", pages="on", public_lookup="social_id", public_update="own", bots="off")
        phone = number()
        assert campaign.post({"email": "ada@example.org", "phone_number": phone}, key=None).json["social_id"] is None
        answer = send(campaign, {"phone_number": phone, "code": code_to(gateway, phone)})
        lead = lead_of(campaign, phone)
        assert (answer.status, answer.headers["Location"]) == (303, lead["status_url"])
        assert lead["verified_phone_number"] and not lead["verified_email"]
        campaign.change("verify", email="ada@example.org", channel="email")
        wait_until(lambda: lead_of(campaign, phone)["verified_email"], 10, "it is not verified")
        service.installation.sql("UPDATE lh_sent_codes SET sent_ms = sent_ms - 400000")
        assert campaign.post({"phone_number": phone}, key=None).status == 200
        answer = send(campaign, {"phone_number": phone, "code": code_to(gateway, phone, 2)})
        assert (answer.status, answer.headers["Location"]) == (303, lead_of(campaign, phone)["status_url"])
    finally:
        server.close()


@pytest.fixture(scope="module")
def mailing(make_service, gateway):
    """A service on which mails are requested, without a mail server."""
    made = make_service(settings=[*gateway.settings(), ("mail", "host", "127.0.0.1"), ("mail", "port", "9"), ("mail", "tls", "none"),
                                  ("mail", "from", "hello@example.org"), ("limits", "codes_per_address", "20/3600s")])
    made.dispatcher.start()
    return made


@pytest.mark.parametrize("mails, verify, requested", [("", "off", []), ("status_link", "off", []), ("welcome,status_link", "on", ["verify"])])
def test_the_inbox_only_where_a_mail_is_on_its_way(mailing, gateway, mails, verify, requested):
    """after the code for a number: if the email address decides, the mail that leads to the page is requested; otherwise the code leads to
    the page"""
    campaign = mailing.campaign(mailing.account(), pages="on", bots="off", verify_phone="on", verify_email=verify, mails=mails)
    kinds = lambda: sorted(row["kind"] for row in mailing.installation.admin("mail", "list", "--campaign", str(campaign.id)))
    phone = number()
    assert campaign.post({"email": "ada@example.org", "phone_number": phone}, key=None).status == 200
    before, code = kinds(), code_to(gateway, phone)
    answer = send(campaign, {"phone_number": phone, "code": code})
    lead = lead_of(campaign, phone)
    place = f"{mailing.front.url}/c/{campaign.id}/sent" if requested else lead["status_url"]
    assert (answer.status, answer.headers["Location"]) == (303, place)
    assert lead["verified_phone_number"] and lead["social_id"] not in answer.body.decode()
    assert kinds() == sorted([*before, *requested])


def test_it_does_not_show_which_numbers_are_known(gateway, campaign):
    """new, known, verified and unknown numbers get the same answers; the code of a verified number leads to its page"""
    phone, unknown = number(), number()
    first = campaign.post({"phone_number": phone}, key=None)
    again = campaign.post({"phone_number": phone}, key=None)
    assert first.json == again.json and first.json["id"] is None
    code = code_to(gateway, phone)
    assert send(campaign, {"phone_number": phone, "code": code}).status == 303
    for fields in ({"code": other(code)}, {"code": "x"}, {"resend": "1"}, {}):
        known, strange = (send(campaign, {"phone_number": one, **fields}) for one in (phone, unknown))
        assert known.status == strange.status and html(known).replace(phone, "#") == html(strange).replace(unknown, "#"), fields
    for fields in ({"code": "123456"}, {"code": "x"}):
        answers = [campaign.post({"phone_number": one, **fields}, path="/verify-phone-number", key=None) for one in (phone, unknown)]
        assert [one.verdict for one in answers] == [(404, "invalid_code")] * 2
    requested = campaign.service.installation.sql(
        f"SELECT COUNT(*) FROM lh_messages WHERE campaign_id = {campaign.id} AND kind = 6 GROUP BY lead_id = 0 ORDER BY lead_id = 0")
    assert requested.split() == ["4", "2"], "a request for an unknown number takes as long"
    written = campaign.service.installation.sql("SELECT COUNT(*) FROM lh_lead_codes WHERE channel = 1 AND lead_id >> 63 AND tries = 0")
    assert int(written) >= 2, "a try in vain takes as long as one that counts"
    campaign.service.installation.sql("UPDATE lh_sent_codes SET sent_ms = sent_ms - 400000")
    campaign.post({"phone_number": phone}, key=None)
    code = code_to(gateway, phone, 2)
    answer = send(campaign, {"phone_number": phone, "code": code})
    assert answer.status == 303 and answer.headers["Location"] == lead_of(campaign, phone)["status_url"]


def test_hosts_only(service, account):
    """Pages of other sites cannot request a code."""
    campaign = service.campaign(account, verify_phone="on", hosts="shop.example", hosts_only="on")
    page = campaign.client.request("GET", f"/c/{campaign.id}/code", query={"phone_number": number()})
    assert page.headers["Referrer-Policy"] == "same-origin"
    for origin, status in (("https://evil.example", 403), ("null", 403), (service.front.url, 200), ("https://shop.example", 200)):
        answer = campaign.client.request("POST", f"/c/{campaign.id}/code", form={"phone_number": number()}, headers={"Origin": origin})
        assert answer.status == status


def test_what_is_typed(campaign):
    """no number, an invalid number, other methods, and a campaign without the setting"""
    page = campaign.client.request("GET", f"/c/{campaign.id}/code")
    assert page.status == 200 and 'name="phone_number"' in html(page) and 'name="code"' not in html(page)
    for fields in ({}, {"phone_number": "12"}, {"phone_number": "", "code": "123456"}):
        answer = send(campaign, fields)
        assert answer.status == 406 and 'name="phone_number"' in html(answer)
    plain = campaign.service.campaign(campaign.account, pages="on")
    assert plain.client.request("GET", f"/c/{plain.id}/code").status == 404
    assert send(plain, {"phone_number": number(), "code": "123456"}).status == 404
    assert plain.post({"phone_number": number(), "code": "1"}, path="/verify-phone-number", key=None).verdict == (409, "missing_api_key")


def test_without_a_key(gateway, campaign):
    phone = number()
    campaign.post({"phone_number": phone}, key=None)
    answer = campaign.post({"phone_number": phone, "code": code_to(gateway, phone)}, path="/verify-phone-number", key=None)
    assert (answer.status, answer.json) == (200, {"message": "Lead verified"})
    lead = lead_of(campaign, phone)
    assert lead["verified_phone_number"] and proofs(campaign, lead) == ["phone", phone]


def test_a_caller_with_the_link_of_a_lead_tries_no_code(gateway, campaign):
    """the social id and the email address of a lead are no secret: only its number or its token names it for a code"""
    phone = number()
    campaign.post({"phone_number": phone}, key=None)
    code, lead = code_to(gateway, phone), lead_of(campaign, phone)
    assert campaign.post({"email": "ada@example.org", "social_id": lead["social_id"], "must_exist": "1"}).status == 200
    verify = lambda **fields: campaign.post(fields, path="/verify-phone-number", key=None)  # noqa: E731
    for named in ({"social_id": lead["social_id"]}, {"kid": lead["social_id"]}, {"email": "ada@example.org"}):
        assert verify(**named, code=other(code)).verdict == (409, "missing_api_key"), named
    assert campaign.service.installation.sql(f"SELECT tries FROM lh_lead_codes WHERE channel = 1 AND lead_id = {lead['id']}").strip() == "0"
    token = re.search(r"/s/(.+)", lead_of(campaign, phone)["status_url"])[1]
    assert verify(__token=token, code=other(code)).verdict == (404, "invalid_code")
    assert verify(phone_number=phone, code=code).status == 200


def test_six_digits_cannot_be_guessed(gateway, campaign):
    """many simultaneous clients have five tries together, on the page and without a key; then the right code is refused"""
    phone = number()
    campaign.post({"phone_number": phone}, key=None)
    code = code_to(gateway, phone)

    def guess(by):
        fields = {"phone_number": phone, "code": other(code, by)}
        return send(campaign, fields).status if by % 2 else campaign.post(fields, path="/verify-phone-number", key=None).status
    found = at_once([lambda by=by: guess(by) for by in range(1, 65)])
    assert set(found) == {404, 406}
    lead = lead_of(campaign, phone)
    assert campaign.service.installation.sql(f"SELECT tries FROM lh_lead_codes WHERE channel = 1 AND lead_id = {lead['id']}").strip() == "5"
    assert send(campaign, {"phone_number": phone, "code": code}).status == 406
    assert not lead_of(campaign, phone)["verified_phone_number"]


def test_a_day_has_fifteen_tries(gateway, campaign):
    """over all codes, campaigns and clients, a number has fifteen tries in a day: five for each of three codes"""
    elsewhere = campaign.service.campaign(campaign.account, verify_phone="on", pages="on", bots="off")
    phone, compared = number(), 0
    sql = campaign.service.installation.sql
    pending = "SELECT COUNT(*) FROM lh_messages WHERE kind = 6 AND state IN ('requested', 'ready')"
    leads = {}

    def guess(one, by):
        fields = {"phone_number": phone, "code": f"{by:06}"}
        return send(one, fields).status if by % 2 else one.post(fields, path="/verify-phone-number", key=None).status
    for place in (campaign, elsewhere, campaign, elsewhere, campaign):
        made = len(gateway.to(phone))
        place.post({"phone_number": phone}, key=None)
        leads[place] = lead_of(place, phone)["id"]
        wait_until(lambda: sql(pending).strip() == "0", 10, "a text has no outcome")
        codes = ",".join(str(lead) for lead in leads.values())
        before = sql(f"SELECT COALESCE(SUM(tries), 0) FROM lh_lead_codes WHERE channel = 1 AND lead_id IN ({codes})")
        code = int(gateway.to(phone)[-1].code)
        found = at_once([lambda one=one, by=by: guess(one, by) for one in leads for by in range(32) if by != code])
        assert set(found) == {404, 406}
        compared += int(sql(f"SELECT SUM(tries) FROM lh_lead_codes WHERE channel = 1 AND lead_id IN ({codes})")) - int(before)
        assert len(gateway.to(phone)) - made <= 1
        sql("UPDATE lh_sent_codes SET sent_ms = sent_ms - 310000")
    assert len(gateway.to(phone)) == 3 and compared == 15


def test_an_address_has_its_limit_at_once(make_service, gateway):
    """docs/api.md 5: the limit holds for many simultaneous clients of a /64, by sign-ups and by the page"""
    service = make_service(settings=[*gateway.settings(), ("limits", "codes_per_address", "20/3600s"),
                                     ("limits", "signups_per_address", ""), ("limits", "posts_per_address", "")])
    campaign = service.campaign(verify_phone="on", pages="on", bots="off")
    known = campaign.lead(phone_number=number())["phone_number"]
    service.installation.sql("DELETE FROM lh_messages")

    def request(one):
        address = "2001:db8::%x" % (one + 1)
        if one % 2:
            return campaign.post({"phone_number": f"+49152{one:04}00000"}, key=None, address=address).status
        return campaign.client.request("POST", f"/c/{campaign.id}/code", form={"phone_number": known, "resend": "1"},
                                       headers=list(FORM.items()), address=address).status
    assert set(at_once([lambda one=one: request(one) for one in range(64)])) == {200}
    assert service.installation.sql("SELECT COUNT(*) FROM lh_messages WHERE kind = 6").strip() == "20"


def test_the_limits_of_texts_show_no_lead(make_service, gateway):
    """mail.md 8.3: requests from the page count for a number and its neighbours, whether or not the number belongs to a lead"""
    service = make_service(settings=[*gateway.settings(), ("sms", "prefix_per_hour", "1"), ("limits", "codes_per_address", "20/3600s")])
    service.dispatcher.start()
    campaign = service.campaign(verify_phone="on", pages="on", public_lookup="social_id", public_update="own", bots="off")
    sql = service.installation.sql

    def last():
        row = "SELECT COALESCE(reason, state) FROM lh_messages WHERE turn IS NULL ORDER BY created_ms DESC, id DESC LIMIT 1"
        pending = "SELECT COUNT(*) FROM lh_messages WHERE turn IS NOT NULL"
        wait_until(lambda: sql(pending).strip() == "0", 10, "a text has no outcome")
        return sql(row).strip()
    known, unknown = number(), number()
    campaign.post({"phone_number": known}, key=None)
    assert last() == "sent"
    sql("UPDATE lh_sent_codes SET sent_ms = sent_ms - 7200000")
    for phone, reason in ((known, "sent"), (unknown, "lead_deleted")):
        assert send(campaign, {"phone_number": phone, "resend": "1"}).status == 200
        assert last() == reason
        campaign.post({"phone_number": phone[:-4] + "0001"}, key=None)
        assert last() == "prefix_limit", phone
    assert len(gateway.to(known)) == 2 and not gateway.to(unknown)
    sent = "SELECT COALESCE(SUM(sent), 0) FROM lh_sendings WHERE channel = 1 AND scope = 0"
    assert sql(sent).strip() == "2", "what was not sent takes up the texts of all others"


def test_an_address_requests_so_many(make_service, gateway):
    """docs/api.md 5: beyond the limit, sign-ups are accepted, but no code is requested; sign-ups without a number do not count"""
    service = make_service(settings=[*gateway.settings(), ("limits", "codes_per_address", "3/3600s")])
    campaign = service.campaign(verify_phone="on", pages="on")
    for i in range(4):
        assert campaign.post({"email": f"u{i}@example.org"}, key=None, address="2001:db8::1").status == 200
    answers = [campaign.post({"phone_number": number()}, key=None, address="2001:db8::%x" % i).status for i in range(5)]
    assert answers == [200] * 5
    assert service.installation.sql("SELECT COUNT(*) FROM lh_messages WHERE kind = 6").strip() == "3"


def test_numbers_that_waited_are_within_the_limit(make_service, gateway):
    """docs/api.md 4.1.11, New number, and 5: beyond the limit, an email address is still confirmed and its number added, but without a
    code"""
    service = make_service(settings=[*gateway.settings(), ("mail", "host", "127.0.0.1"), ("mail", "port", "9"), ("mail", "tls", "none"),
                                     ("mail", "from", "hello@example.org"), ("limits", "codes_per_address", "3/3600s"),
                                     ("limits", "signups_per_address", ""), ("limits", "posts_per_address", "")])
    campaign = service.campaign(verify_email="on", verify_phone="on", pages="on", public_lookup="social_id", public_update="own", bots="off")
    people = {f"u{i}@example.org": number() for i in range(5)}
    for address, phone in people.items():
        assert campaign.post({"email": address, "phone_number": phone}, key=None).status == 200
    assert service.installation.sql("SELECT COUNT(*) FROM lh_messages WHERE kind = 6").strip() == "0"
    paths = [link(campaign, campaign.find(email=address)) for address in people]
    stamps = [stamp_of(campaign.client.request("GET", path)) for path in paths]

    def found():
        for path, stamp in zip(paths, stamps):  # too early, the button does nothing
            campaign.client.request("POST", path, form={"__stamp": stamp}, headers={"User-Agent": "Mozilla/5.0"}, address="2001:db8::1")
        leads = [campaign.find(email=address) for address in people]
        return all(lead["verified_email"] for lead in leads) and leads
    leads = wait_until(found, 10, "the buttons work")
    assert [lead["phone_number"] for lead in leads] == list(people.values())
    assert service.installation.sql("SELECT COUNT(*) FROM lh_messages WHERE kind = 6").strip() == "3"
