# SPDX-License-Identifier: MIT
"""docs/api.md 4.1.11: if two people enter the same address, the person who proves it gets the lead's page, as mails, texts and pages
show."""
import base64
import collections
import email
import email.policy
import hmac
import itertools
import re
import subprocess
import threading
import time
import urllib.parse

import pytest
from confirming import press_when_old_enough, stamp_of
from stack.process import wait_until

people = itertools.count(0)
FORM = {"Sec-Fetch-Mode": "navigate", "Accept": "text/html"}
VERIFIED = {"pages": "on", "bots": "off", "verify_email": "on", "verify_phone": "on", "mails": "welcome,status_link"}
CLAIMS = ["", "email", "phone"]  # by their number in the schema
STRICT = {"public_lookup": "none", "public_update": "all"}


@pytest.fixture(scope="module")
def service(make_service, mail_server, gateway):
    made = make_service(settings=[*mail_server.settings(), *gateway.settings(), ("limits", "signups_per_address", ""),
                                  ("limits", "posts_per_address", ""), ("limits", "codes_per_address", "")])
    made.dispatcher.start()
    return made


def person():
    number = next(people)
    return f"ada{number}@example.org", f"+49151{2000 + number}0000"


def sign_up(campaign, **fields):
    answer = campaign.post(fields, key=None)
    assert answer.status == 200, answer.body
    return answer.json


def token_of(url):
    """Return the value of `__token`; None if the address has none."""
    found = re.search(r"/s/([0-9A-Z]{10}/[\w-]{24})$", url)
    return found and found[1]


def last_mail(mail_server, recipient, count=1):
    mail = wait_until(lambda: len(mail_server.to(recipient)) >= count and mail_server.to(recipient), 10, f"no mail for {recipient}")[-1]
    return email.message_from_bytes(mail.content, policy=email.policy.SMTP).get_body("plain").get_content()


def code_by_mail(mail_server, recipient, count=1):
    return re.search(r"\b(\d{6})\b", last_mail(mail_server, recipient, count))[1]


def link_in_mail(mail_server, recipient, count=1):
    """Return the path with which the mail's link confirms."""
    return re.search(r"/c/\d+/confirm/\S+", last_mail(mail_server, recipient, count))[0]


def code_by_text(gateway, number, count=1):
    return wait_until(lambda: len(gateway.to(number)) >= count and gateway.to(number), 10, f"no text to {number}")[-1].code


def type_code(campaign, code, **address):
    """Return the page to which the code leads; None: a page that says that the address is confirmed."""
    answer = campaign.client.request("POST", f"/c/{campaign.id}/code", form={**address, "code": code}, headers=list(FORM.items()))
    assert answer.status == 303 or (answer.status == 200 and b"is confirmed" in answer.body and b"/s/" not in answer.body), answer.body
    return answer.headers["Location"]


def reported(campaign, **address):
    """Return how many rows each section of a report has."""
    words = [word for name, value in address.items() for word in (f"--{name}", value)]
    report = campaign.service.installation.admin("lead", "report", *words, "--campaign", str(campaign.id))
    return collections.Counter(item["section"] for item in report)


def erased(campaign, **address):
    words = [word for name, value in address.items() for word in (f"--{name}", value)]
    return campaign.service.installation.admin("lead", "erase", *words, "--campaign", str(campaign.id))


def kinds(campaign):
    """Return the kinds of the requested messages."""
    return [row["kind"] for row in campaign.service.installation.admin("mail", "list", "--campaign", str(campaign.id))]


def page_at(campaign, url):
    answer = campaign.client.request("GET", urllib.parse.urlsplit(url).path)
    assert answer.status == 200
    return answer.body.decode()


def old_stamp(campaign):
    """Return the stamp of a page that was made ten seconds ago (docs/api.md 8.1)."""
    secret = bytes.fromhex(campaign.service.installation.sql("SELECT HEX(value) FROM lh_installation WHERE name = 'server_secret'"))
    made = int(time.time() * 1000) - 10000
    mac = hmac.digest(secret, f"leadhook stamp v1:{campaign.id}:{made}".encode(), "sha256")[:12]
    return f"{made}.{base64.urlsafe_b64encode(mac).decode()}"


def sign_up_with_claim(campaign, claimed, **fields):
    """Sign up as if a stranger had added this address while the campaign verified nothing."""
    lead = sign_up(campaign, **fields)
    campaign.service.installation.sql(f"UPDATE lh_leads SET claimed = {CLAIMS.index(claimed)} WHERE campaign_id = {campaign.id} AND id = {lead['id']}")
    return lead


def check_stranger(campaign, url, secret):
    """Check that the link shows only what everyone else sees, and that the token counts as none."""
    assert secret not in page_at(campaign, url) and page_at(campaign, url) == page_at(campaign, url.rsplit("/", 1)[0])
    assert campaign.get({"__token": token_of(url)}, key=None).verdict == (409, "missing_identifier")


def check_owner(campaign, url, secret):
    assert secret in page_at(campaign, url)
    assert campaign.get({"__token": token_of(url)}, key=None).json["status_url"] == url == campaign.find(
        social_id=token_of(url)[:10])["status_url"]


def test_a_number_that_was_anothers(service, account, mail_server):
    """docs/api.md 4.3 rule 4: Eve has entered Ada's number before Ada signs up with an email address, which is added to that lead."""
    campaign = service.campaign(account, **{**VERIFIED, "verify_phone": "off"})
    address, number = person()
    eve = sign_up(campaign, phone_number=number)["status_url"]
    assert token_of(eve)
    ada = sign_up(campaign, email=address, phone_number=number, first_name="Ada")
    assert token_of(ada["status_url"]) is None
    assert campaign.find(phone_number=number)["email"] == address
    check_stranger(campaign, eve, address)
    url = type_code(campaign, code_by_mail(mail_server, address), email=address)
    check_owner(campaign, url, "Ada")
    check_stranger(campaign, eve, address)
    assert campaign.find(phone_number=number)["claimed"] == "phone_number"


def test_a_number_that_decides(service, account, gateway):
    """Verified campaigns: with verify_phone alone, a lead belongs to the person who proves its number. Before, Eve has entered Ada's email
    address."""
    campaign = service.campaign(account, **{**VERIFIED, "verify_email": "off"})
    address, number = person()
    eve = sign_up(campaign, email=address, phone_number=person()[1])
    ada = sign_up(campaign, email=address, phone_number=number, first_name="Ada")
    assert ada["social_id"] != eve["social_id"]
    check_owner(campaign, type_code(campaign, code_by_text(gateway, number), phone_number=number), "Ada")
    found = campaign.find(phone_number=number)
    assert (found["social_id"], found["email"], found["verified_phone_number"]) == (ada["social_id"], None, True)
    assert campaign.find(email=address)["first_name"] is None


def test_an_address_that_was_anothers(service, account, mail_server, gateway):
    """Eve has entered Ada's address together with a number that Eve has proven, before Ada signs up and confirms."""
    campaign = service.campaign(account, **VERIFIED)
    address, number = person()
    eve = sign_up(campaign, email=address, phone_number=number, first_name="Eve")["status_url"]
    check_owner(campaign, eve, "Eve")
    assert type_code(campaign, code_by_text(gateway, number), phone_number=number).endswith("/sent")
    sign_up(campaign, email=address, phone_number=number, first_name="Ada")
    url = type_code(campaign, code_by_mail(mail_server, address), email=address)
    check_owner(campaign, url, "Ada")
    check_stranger(campaign, eve, "Ada")
    assert campaign.find(email=address)["claimed"] == "phone_number"
    assert reported(campaign, phone=number)["lead"] == 0 and reported(campaign, email=address)["lead"] == 1
    assert (erased(campaign, phone=number)["leads"], campaign.find(email=address)["phone_number"]) == (0, None)
    check_owner(campaign, url, "Ada")


def test_a_number_leads_to_its_page(service, account, mail_server, gateway):
    """Verified campaigns: with verify_phone alone, the code leads to the page. Before, Eve has entered another email address together with
    Vic's number: no link is mailed to that address, and it is a claim, which Vic replaces."""
    campaign = service.campaign(account, **{**VERIFIED, "verify_email": "off"})
    address, number = person()
    eve = sign_up(campaign, email=address, phone_number=number)
    sign_up(campaign, phone_number=number, first_name="Vic")
    url = type_code(campaign, code_by_text(gateway, number), phone_number=number)
    check_owner(campaign, url, "Vic")
    check_stranger(campaign, eve["status_url"], "Vic")
    assert campaign.find(phone_number=number)["claimed"] == "email" and "status_link" not in kinds(campaign)
    assert reported(campaign, email=address)["lead"] == 0 and reported(campaign, phone=number)["lead"] == 1
    own, _ = person()
    sign_up(campaign, email=own, phone_number=number, __token=token_of(url))
    found = campaign.find(phone_number=number)
    assert (found["email"], found["status_url"], "claimed" in found) == (own, url, False)


def test_an_email_address_does_not_decide(service, account, mail_server, gateway):
    """Verified campaigns: with verify_phone alone, a code by mail, which bots=proof_or_confirm causes, reveals nothing about a lead whose
    number another person proves, whether before or after."""
    for first in ("mail", "text"):
        campaign = service.campaign(account, **{**VERIFIED, "verify_email": "off", "bots": "proof_or_confirm"})
        address, number = person()
        eve = sign_up(campaign, email=address, phone_number=number)
        if first == "mail":
            type_code(campaign, code_by_mail(mail_server, address), email=address)
        sign_up(campaign, phone_number=number)
        campaign.client.request("POST", f"/c/{campaign.id}/code", form={"phone_number": number, "resend": "1"}, headers=list(FORM.items()))
        url = type_code(campaign, code_by_text(gateway, number), phone_number=number)
        campaign.post({"phone_number": number, "first_name": "Vic"})
        if first == "text":
            assert type_code(campaign, code_by_mail(mail_server, address), email=address) is None
        check_owner(campaign, url, "Vic")
        check_stranger(campaign, eve["status_url"], "Vic")
        assert reported(campaign, email=address)["lead"] == 0 and reported(campaign, phone=number)["lead"] == 1


@pytest.mark.parametrize("verify_email", ["on", "off"])
def test_a_number_that_a_stranger_adds(service, account, mail_server, gateway, verify_email):
    """docs/api.md 4.1.11, Claim; docs/operating.md 7.4: with a number of Eve's that Eve proves, Eve cannot open, see or delete anything of
    Ada's, whether or not Ada has confirmed. Ada's link stays as it was. With Ada's token, the number becomes Ada's own."""
    campaign = service.campaign(account, **{**VERIFIED, "verify_email": verify_email})
    campaign.webhook("verified", "repeat_signup")
    address, number = person()
    url = sign_up_with_claim(campaign, "phone", email=address, phone_number=number, first_name="Ada", salary="90000")["status_url"]
    if verify_email == "on":
        assert type_code(campaign, code_by_mail(mail_server, address), email=address) == url
        assert type_code(campaign, code_by_text(gateway, number), phone_number=number).endswith("/sent")
    else:
        assert type_code(campaign, code_by_text(gateway, number), phone_number=number) is None
    check_owner(campaign, url, "Ada")
    lead = campaign.find(email=address)
    assert (lead["verified_phone_number"], lead["claimed"]) == (True, "phone_number")
    found, own = reported(campaign, phone=number), reported(campaign, email=address)
    assert found["lead"] == found["events"] == 0 < found["mentioned_by"], found
    assert own["lead"] == 1 and own["events"] > 0
    done = erased(campaign, phone=number)
    assert (done["leads"], done["claims"]) == (0, 1)
    lead = campaign.find(email=address)
    assert (lead["phone_number"], lead["verified_phone_number"], "claimed" in lead) == (None, False, False)
    assert reported(campaign, phone=number)["events"] == 0
    campaign.post({"email": address, "phone_number": number, "__token": token_of(url)}, key=None)
    lead = campaign.find(email=address)
    assert (lead["phone_number"], "claimed" in lead) == (number, False)
    assert erased(campaign, email=address)["leads"] == 1


@pytest.mark.parametrize("proven", [True, False])
def test_an_email_address_that_a_stranger_adds(service, account, mail_server, gateway, proven):
    """docs/api.md 4.1.11, Claim, for the lead of a number. Eve confirms the address, but can see and delete nothing. The code for the
    number leads to the page, and no link to it is mailed to Eve."""
    campaign = service.campaign(account, **VERIFIED)
    address, number = person()
    sign_up_with_claim(campaign, "email", phone_number=number, email=address, first_name="Vic")
    if proven:
        url = type_code(campaign, code_by_text(gateway, number), phone_number=number)
        check_owner(campaign, url, "Vic")
    path = link_in_mail(mail_server, address)
    done = press_when_old_enough(campaign, path, stamp_of(campaign.client.request("GET", path)))
    assert done.status == 200 and b"is confirmed" in done.body and b"/s/" not in done.body
    assert campaign.find(phone_number=number)["verified_email"]
    if proven:
        check_owner(campaign, url, "Vic")
    else:
        check_owner(campaign, type_code(campaign, code_by_text(gateway, number), phone_number=number), "Vic")
    states = {(row["kind"], row["state"]) for row in campaign.service.installation.admin("mail", "list", "--campaign", str(campaign.id))}
    assert not [state for state in states if state[0] not in ("verify", "code") and state[1] != "dropped"], states
    assert reported(campaign, email=address)["lead"] == 0
    if proven:
        assert erased(campaign, email=address)["leads"] == 0
    else:
        service.installation.sql("UPDATE lh_messages SET composed_ms = composed_ms - 61000")  # docs/mail.md 6: one a minute
        campaign.client.request("POST", f"/c/{campaign.id}/erase", form={"email": address})
        path = re.search(r"/c/\d+/erase/\S+", last_mail(mail_server, address, 2))[0]
        done = press_when_old_enough(campaign, path, stamp_of(campaign.client.request("GET", path)))
        assert b"no longer has this email address" in done.body
    lead = campaign.find(phone_number=number)
    assert (lead["email"], lead["first_name"]) == (None, "Vic")


def test_a_link_after_a_verification_without_proof(service, account, mail_server):
    """docs/api.md 4.1.12: Eve has signed up Ada's address, and a key has verified it. Ada's link still has its button, which ends Eve's
    link."""
    campaign = service.campaign(account, **{**VERIFIED, "verify_phone": "off"})
    address, _ = person()
    eve = sign_up(campaign, email=address)["status_url"]
    path = link_in_mail(mail_server, address)
    campaign.bulk("verify", {"email": address})
    wait_until(lambda: campaign.find(email=address)["verified_email"], 10, "the lead is not verified")
    assert b"__stamp" not in campaign.client.request("GET", path).body, "of one person alone nothing is in doubt"
    sign_up(campaign, email=address, first_name="Ada")
    done = press_when_old_enough(campaign, path, stamp_of(campaign.client.request("GET", path)))
    check_owner(campaign, done.headers["Location"], "Ada")
    check_stranger(campaign, eve, "Ada")
    assert b"__stamp" not in campaign.client.request("GET", path).body


def test_a_mail_that_anyone_requests_lets_no_lead_end(service, account):
    """leadhook.conf(5), lead.unverified_days: only those leads are deleted whose first sign-up was followed by the mail"""
    campaign = service.campaign(account, **{**VERIFIED, "verify_phone": "off"})
    address, number = person()
    waiting = lambda: service.installation.sql(f"SELECT COUNT(*) FROM lh_unverified_leads WHERE campaign_id = {campaign.id}").strip()
    sign_up(campaign, phone_number=number)
    sign_up(campaign, phone_number=number, email=address)
    assert kinds(campaign) == ["verify"] and waiting() == "0"
    sign_up(campaign, email=person()[0])
    assert waiting() == "1"


def test_a_bookmark_stays(service, account, mail_server):
    """A person who signs up once and confirms keeps the link of the first answer."""
    campaign = service.campaign(account, **{**VERIFIED, "verify_phone": "off"})
    address, _ = person()
    url = sign_up(campaign, email=address, first_name="Ada")["status_url"]
    assert type_code(campaign, code_by_mail(mail_server, address), email=address) == url
    check_owner(campaign, url, "Ada")


def test_a_number_of_a_protected_lead(service, account, mail_server, gateway):
    """New number: Eve's number waits until Ada confirms, and its code then leads to a mail to Ada, never to the page."""
    campaign = service.campaign(account, **VERIFIED, **STRICT)
    address, number = person()
    assert sign_up(campaign, email=address, phone_number=person()[1])["id"] is None
    sign_up(campaign, email=address, phone_number=number, first_name="Ada")
    waiting = campaign.find(email=address)
    assert (waiting["phone_number"], waiting["custom_fields"]["unconfirmed_phone_number"]) == (None, number), "that of the last sign-up"
    url = type_code(campaign, code_by_mail(mail_server, address), email=address)
    assert "Ada" in page_at(campaign, url)
    found = campaign.find(email=address)
    assert (found["phone_number"], found["claimed"]) == (number, "phone_number")
    links = kinds(campaign).count("status_link")
    assert type_code(campaign, code_by_text(gateway, number), phone_number=number).endswith("/sent")
    assert kinds(campaign).count("status_link") == links + 1


def test_no_number_is_added_to_a_protected_lead(service, account):
    """docs/api.md 4.1.11, New number, known address: no code that would lead to the page is sent"""
    campaign = service.campaign(account, **VERIFIED, **STRICT)
    address, number = person()
    for fields in ({}, {"phone_number": number}):
        assert sign_up(campaign, email=address, **fields)["id"] is None
    lead = campaign.find(email=address)
    assert (lead["counter"], lead["phone_number"]) == (2, None)
    assert "code" not in kinds(campaign)


@pytest.mark.parametrize("settings", [{}, {"public_lookup": "social_id", "public_update": "own"}, {"verify_email": "off"}])
def test_a_person_that_comes_back(service, account, mail_server, gateway, settings):
    """Another owner: what Vic has proven stays Vic's, and the link stays valid, even if anyone signs up the address again and it is proven
    again."""
    campaign = service.campaign(account, **{**VERIFIED, **settings})
    by_number = "verify_email" in settings
    address, number = person()
    sign_up(campaign, email=address, phone_number=number, first_name="Vic")
    if not by_number:
        path = link_in_mail(mail_server, address)
        url = campaign.client.request("POST", path, form={"__stamp": old_stamp(campaign)}).headers["Location"]
    code = type_code(campaign, code_by_text(gateway, number), phone_number=number)
    url = code if by_number else url
    check_owner(campaign, url, "Vic")
    sign_up(campaign, **({"phone_number": number} if by_number else {}), email=address)
    if by_number:
        service.installation.sql("UPDATE lh_messages SET composed_ms = composed_ms - 61000; UPDATE lh_sent_codes SET sent_ms = sent_ms - 61000")
        campaign.client.request("POST", f"/c/{campaign.id}/code", form={"phone_number": number, "resend": "1"}, headers=list(FORM.items()))
        assert type_code(campaign, code_by_text(gateway, number, 2), phone_number=number) == url
    else:
        assert b"__stamp" not in campaign.client.request("GET", path).body, "the button would change nothing"
        assert campaign.client.request("POST", path, form={"__stamp": old_stamp(campaign)}).headers["Location"] == url
    check_owner(campaign, url, "Vic")
    lead = campaign.find(email=address)
    assert (lead["verified_phone_number"], "claimed" in lead) == (True, False)
    assert (reported(campaign, phone=number)["lead"], reported(campaign, email=address)["lead"]) == (1, not by_number)


def test_an_address_that_is_added_to_a_lead_that_was_passed_on(service, account, mail_server, gateway):
    """Another owner: each address has its own first proof. Eve's lead was passed on to Eve when Eve proved a number. Eve then adds Ada's
    address, and a key verifies it before Ada does."""
    campaign = service.campaign(account, **VERIFIED)
    address, number = person()
    for _ in range(2):
        sign_up(campaign, phone_number=number)
    eve = type_code(campaign, code_by_text(gateway, number), phone_number=number)
    sign_up(campaign, phone_number=number, email=address, __token=token_of(eve))
    path = link_in_mail(mail_server, address)
    campaign.bulk("verify", {"email": address})
    wait_until(lambda: campaign.find(email=address)["verified_email"], 10, "the lead is not verified")
    sign_up(campaign, email=address, first_name="Ada")
    done = press_when_old_enough(campaign, path, stamp_of(campaign.client.request("GET", path)))
    check_owner(campaign, done.headers["Location"], "Ada")
    check_stranger(campaign, eve, "Ada")
    assert campaign.find(email=address)["claimed"] == "phone_number"


@pytest.mark.parametrize("how", ["tag", "import"])
def test_a_person_that_a_server_signs_up(service, account, mail_server, how):
    """Another owner: a call for a tag or an import also signs up the lead again, although neither counts as a sign-up."""
    campaign = service.campaign(account, **{**VERIFIED, "verify_phone": "off"})
    address, _ = person()
    eve = sign_up(campaign, email=address, first_name="Ada")["status_url"]
    if how == "tag":
        answer = campaign.post({"email": address}, path=f"/tags/{campaign.define('tag', 'T', '--points', '0')}/lead")
    else:
        answer = campaign.client.request("POST", f"/manage/v1/campaigns/{campaign.id}/import", key=account.manager,
                                         json_body={"records": f"email\n{address}\n"})
    assert answer.status == 200 and campaign.find(email=address)["counter"] == 1
    url = type_code(campaign, code_by_mail(mail_server, address), email=address)
    check_owner(campaign, url, "Ada")
    check_stranger(campaign, eve, "Ada")


def test_a_press_while_the_lead_is_passed_on(service, account, mail_server, gateway):
    """Claim: the button in Eve's mail never leads to the page of Vic, whose number decides, not even at the moment when Vic proves it."""
    campaign = service.campaign(account, **{**VERIFIED, "verify_email": "off", "bots": "proof_or_confirm"})
    for _ in range(5):
        address, number = person()
        sign_up(campaign, email=address, phone_number=number)
        path = link_in_mail(mail_server, address)
        stamp = old_stamp(campaign)
        campaign.post({"phone_number": number, "first_name": "Vic"})
        campaign.client.request("POST", f"/c/{campaign.id}/code", form={"phone_number": number, "resend": "1"}, headers=list(FORM.items()))
        code = code_by_text(gateway, number)
        led_to, ends = [], threading.Event()

        def presses():
            while not ends.is_set():
                led_to.append(campaign.client.request("POST", path, form={"__stamp": stamp}).headers["Location"])
        threads = [threading.Thread(target=presses) for _ in range(3)]
        for thread in threads:
            thread.start()
        wait_until(lambda: len(led_to) >= 3, 10, "Eve presses")
        url = type_code(campaign, code, phone_number=number)
        count = len(led_to)
        wait_until(lambda: len(led_to) >= count + 3, 10, "Eve presses on")
        ends.set()
        for thread in threads:
            thread.join()
        check_owner(campaign, url, "Vic")
        assert url not in led_to and led_to[-1] is None


def test_an_imported_social_id(service, account, tmp_path):
    """docs/api.md 4.1.5, 4.1.11: the link to the page of the lead that had this social id before ends; the opt-out link is now the new
    lead's"""
    campaign = service.campaign(account, pages="on")
    path = tmp_path / "leads.csv"
    links = []
    for name in ("ada", "ada", "bob"):
        address = f"{name}@example.org"
        path.write_text(f"social_id,email,first_name\nOLD4,{address},{name}\n")
        subprocess.run([service.installation.program("leadhook"), "--config", service.installation.config, "lead", "import",
                        str(campaign.id), str(path)], check=True, capture_output=True, timeout=60)
        links.append(campaign.find(email=address))
        if len(links) < 3:
            campaign.bulk("delete", {"email": address})
            wait_until(lambda: campaign.get({"email": address}).status == 404, 10, "it is not deleted")
    urls = [lead["status_url"] for lead in links]
    assert len(set(urls)) == 3
    assert ["bob" in page_at(campaign, url) for url in urls] == [False, False, True]
    assert links[0]["unsubscribe_url"] == links[2]["unsubscribe_url"]


@pytest.mark.parametrize("entered", ["beside", "later", "claimed"])
def test_what_a_person_enters_stays_its_own(service, account, mail_server, gateway, entered):
    """docs/api.md 4.1.11, Verified campaigns: Eve has proven a number and entered Vic's email address. What Vic enters is not shown to Eve,
    and once Vic confirms, the lead is Vic's."""
    campaign = service.campaign(account, **VERIFIED)
    address, number = person()
    beside = {} if entered == "later" else {"email": address}
    eve = (sign_up_with_claim if entered == "claimed" else lambda campaign, _, **fields: sign_up(campaign, **fields))(
        campaign, "email", phone_number=number, **beside)
    type_code(campaign, code_by_text(gateway, number), phone_number=number)
    sign_up(campaign, phone_number=number, first_name="Eve", **beside)
    vic = sign_up(campaign, email=address, first_name="Vic", salary="90000")
    url = type_code(campaign, code_by_mail(mail_server, address), email=address)
    assert campaign.find(phone_number=number)["first_name"] == "Eve"
    assert "90000" not in campaign.get({"__token": token_of(eve["status_url"])}, key=None).body.decode()
    found = reported(campaign, phone=number)
    if entered == "later":
        assert vic["social_id"] != eve["social_id"]
        check_owner(campaign, url, "Vic")
        assert (found["lead"], campaign.find(phone_number=number)["email"]) == (1, None)
    elif entered == "beside":
        assert campaign.find(email=address)["claimed"] == "phone_number" and token_of(url)
        assert found["lead"] == 0 and campaign.find(email=address)["custom_fields"].get("salary") is None
        again = sign_up(campaign, email=address, first_name="Vic", salary="90000")
        assert again["social_id"] == vic["social_id"] and campaign.find(email=address)["custom_fields"]["salary"] == "90000"
    else:
        assert url is None and campaign.find(email=address)["custom_fields"].get("salary") is None


def test_a_number_shows_no_lead(service, account, mail_server, gateway):
    """docs/api.md 4.1.11, New number, Not verified: if leads are protected, what strangers do with their own numbers has the same result
    whether or not the email address belongs to a lead."""
    campaign = service.campaign(account, **VERIFIED, public_lookup="social_id", public_update="own", privacy="off")
    known, other = person()[0], person()[0]
    sign_up(campaign, email=known)

    def shown(address):
        # a code counts for the number for which it is requested, whether or not a lead has it
        requested, number, own, second = person()[1], person()[1], person(), person()[1]
        answers = [sign_up(campaign, email=address, phone_number=typed) for typed in (requested, number)]
        answers.append(campaign.client.request("POST", f"/c/{campaign.id}/code", form={"phone_number": requested, "resend": "1"},
                                               headers=list(FORM.items())).status)
        answers.append(sign_up(campaign, phone_number=number))
        leads_to = type_code(campaign, code_by_text(gateway, number), phone_number=number)
        texts = len(gateway.to(number))
        # Eve's own email address, with a number that another lead has or that no lead has
        typed = number if address == known else person()[1]
        sign_up(campaign, email=own[0], phone_number=typed)
        path = link_in_mail(mail_server, own[0])
        page = press_when_old_enough(campaign, path, stamp_of(campaign.client.request("GET", path))).headers["Location"]
        token = token_of(page)
        own_view = campaign.get({"__token": token}, key=None).json
        assert (own_view["phone_number"], own_view["custom_fields"]["unconfirmed_phone_number"]) == (typed, typed)
        assert sign_up(campaign, email=own[0], phone_number=second, __token=token)["phone_number"] == second
        code_by_text(gateway, second)
        return answers, leads_to is not None and "/s/" in leads_to, texts
    first, again = shown(known), shown(other)
    assert first == again == ([*first[0][:2], 200, first[0][3]], True, 1)


def test_a_number_that_is_sent_by_its_name(service, account, mail_server, gateway):
    """New number: if numbers do not wait, a field with the name of a waiting number is an ordinary field of Eve's, and Ada's confirmation
    does not add the number."""
    campaign = service.campaign(account, **{**VERIFIED, "verify_email": "off", "mails": "status_link"}, **STRICT)
    address, number = person()
    assert sign_up(campaign, email=address, first_name="Ada")["social_id"]
    campaign.change("optout", email=address)
    wait_until(lambda: campaign.find(email=address)["opted_out"], 10, "it is opted out")
    sign_up(campaign, email=address, unconfirmed_phone_number=number, __do_not_reset_opt_out="1")
    path = link_in_mail(mail_server, address)
    press_when_old_enough(campaign, path, stamp_of(campaign.client.request("GET", path)))
    lead = campaign.find(email=address)
    assert (lead["verified_email"], lead["phone_number"]) == (True, None)
    assert gateway.to(number) == []
