# SPDX-License-Identifier: MIT
"""docs/api.md 4.1.13: leads delete their own data with a link in a mail."""
import email
import email.policy
import re

import pytest
from confirming import AGAIN, press_when_old_enough, stamp_of
from command import call
from html_page import check_page
from stack.process import wait_until

LANGUAGES = ["en", "de", "es", "fr"]


@pytest.fixture(scope="module")
def service(make_service, mail_server):
    made = make_service(settings=mail_server.settings())
    made.dispatcher.start()
    return made


@pytest.fixture
def campaign(service, account):
    return service.campaign(account, pages="on", public_lookup="social_id", public_update="own", mails="")


def request(campaign, address, **options):
    return campaign.client.request("POST", f"/c/{campaign.id}/erase", form={"email": address}, **options)


def path_in_mail(campaign, mail_server, address):
    mail = wait_until(lambda: mail_server.to(address), 10, f"no mail for {address}")[-1]
    text = email.message_from_bytes(mail.content, policy=email.policy.SMTP).get_body("plain").get_content()
    return re.search(rf"/c/{campaign.id}/erase/\S+", text)[0]


def ended(service, campaign, count):
    """Returns why each of the campaign's mails has ended."""
    def found():
        rows = service.installation.sql(
            f"SELECT COALESCE(reason, state) FROM lh_messages WHERE campaign_id = {campaign.id} AND turn IS NULL ORDER BY id").split()
        return rows if len(rows) == count else None
    return wait_until(found, 10, "a mail has not ended")


def test_a_lead_deletes_itself(service, mail_server, campaign, receiver):
    campaign.webhook("deleted")
    lead = campaign.lead(email="ada@example.org", first_name="Ada")
    campaign.lead(email="other@example.org")
    campaign.change("optout", email="ada@example.org")
    assert request(campaign, "ada@example.org").status == 200
    path = path_in_mail(campaign, mail_server, "ada@example.org")
    for method in ("HEAD", "GET"):
        page = campaign.client.request(method, path)
        assert page.status == 200
    check_page(page, 200)
    assert "a•••@example.org".encode() in page.body and b"ada@" not in page.body and b"Ada" not in page.body
    early = campaign.client.request("POST", path, form={"__stamp": stamp_of(page)})
    assert early.status == 200 and stamp_of(early) == stamp_of(page) and AGAIN in early.body and AGAIN not in page.body
    assert campaign.get({"email": "ada@example.org"}).status == 200, "a scanner deletes nothing"
    check_page(press_when_old_enough(campaign, path, stamp_of(page)), 200)
    assert campaign.get({"email": "ada@example.org"}).status == 404
    assert campaign.get({"email": "other@example.org"}).status == 200
    assert [hook.json["social_id"] for hook in campaign.delivered(1, "deleted")] == [lead["social_id"]]
    assert campaign.client.request("GET", path).status == 404


def test_a_flagged_lead_deletes_itself(service, mail_server, account):
    """docs/api.md 4.1.12: a lead with flags can delete itself, because a stranger's sign-up of its address can cause flags; it gets no mail
    to confirm the address"""
    campaign = service.campaign(account, pages="on", verify_email="on", mails="welcome,status_link", blocked_referrers="bad.example")
    assert campaign.post({"email": "eve@example.org", "__referrer": "https://bad.example/"}, key=None).status == 200
    assert campaign.find(email="eve@example.org")["fraudulent"] is True
    resend = {"email": "eve@example.org", "resend": "1"}
    assert campaign.client.request("POST", f"/c/{campaign.id}/code", form=resend).status == 200
    assert ended(service, campaign, 1) == ["fraudulent"]
    service.installation.sql("UPDATE lh_messages SET composed_ms = composed_ms - 61000")
    request(campaign, "eve@example.org")
    path = path_in_mail(campaign, mail_server, "eve@example.org")
    check_page(press_when_old_enough(campaign, path, stamp_of(campaign.client.request("GET", path))), 200)
    assert campaign.get({"email": "eve@example.org"}).status == 404


def test_the_form_shows_no_address(service, mail_server, campaign):
    """The answer is the same for every address, and takes the same work; the form reports a malformed address."""
    campaign.lead(email="grace@example.org")
    form = campaign.client.request("GET", f"/c/{campaign.id}/erase")
    check_page(form, 200, referrer="same-origin")
    known, unknown = request(campaign, "grace@example.org"), request(campaign, "unknown@example.org")
    check_page(known, 200)
    assert known.body == unknown.body
    path_in_mail(campaign, mail_server, "grace@example.org")
    assert not mail_server.to("unknown@example.org")
    assert ended(service, campaign, 2) == ["sent", "lead_deleted"]
    bad = request(campaign, "grace<b>@")
    assert bad.status == 406 and b"<b>" not in bad.body and b'aria-invalid="true"' in bad.body and b"grace&" in bad.body
    assert request(campaign, "").status == 406


def test_the_limits_of_mails_show_no_lead(service, mail_server, account, campaign):
    """mail.md 6: requests from the pages count for the address, whether or not it belongs to a lead; another campaign would see the same"""
    other = service.campaign(account, mails="welcome")
    campaign.lead(email="mina@example.org")
    for count, address in enumerate(("mina@example.org", "unknown@mina.example"), 1):
        assert request(campaign, address).status == 200
        assert ended(service, campaign, count)[-1] == ("sent" if count == 1 else "lead_deleted")
        other.lead(email=address)
        waiting = f"SELECT COUNT(*) FROM lh_messages WHERE campaign_id = {other.id} AND reason = 'minute_limit'"
        wait_until(lambda: service.installation.sql(waiting).strip() == str(count), 10, f"the mail to {address} does not wait")
    counted = f"SELECT COUNT(*), MIN(recipient_hash IS NOT NULL) FROM lh_messages WHERE campaign_id = {campaign.id}"
    assert service.installation.sql(counted).split() == ["2", "1"]
    for count, reason in ((3, "lead_deleted"), (4, "daily")):  # docs/mail.md 6: two a day for an address of a campaign
        service.installation.sql("UPDATE lh_messages SET composed_ms = composed_ms - 70000")
        request(campaign, "unknown@mina.example")
        assert ended(service, campaign, count)[-1] == reason
    sent = f"SELECT SUM(sent) FROM lh_sendings WHERE scope_id = {campaign.id} AND scope = 2"
    assert service.installation.sql(sent).strip() == "1", "what was not sent takes up the mails of all others"


def test_an_address_that_anyone_may_have_added(service, mail_server, campaign, receiver):
    """If a lead has a verified number, its unverified address cannot delete it, not even with a link that was sent before. Only the address
    is removed from the lead, and the page says so."""
    campaign.webhook("deleted")
    lead = campaign.lead(email="mallory@example.org", phone_number="+4915112345681")
    request(campaign, "mallory@example.org")
    path = path_in_mail(campaign, mail_server, "mallory@example.org")
    page = campaign.client.request("GET", path)

    assert b"phone number" not in page.body
    campaign.bulk("verify", {"channel": "phone", "phone_numbers": ["+4915112345681"]})
    wait_until(lambda: campaign.find(social_id=lead["social_id"])["verified_phone_number"], 10, "the lead is not verified")
    question = campaign.client.request("GET", path).body
    assert b"also has a phone number" in question and b"Remove my address" in question and b"Delete" not in question
    done = press_when_old_enough(campaign, path, stamp_of(page))
    check_page(done, 200)
    assert b"no longer has this email address" in done.body and b"Your email address is removed" in done.body
    left = campaign.find(phone_number="+4915112345681")
    assert (left["social_id"], left["email"]) == (lead["social_id"], None)
    assert campaign.client.request("GET", path).status == 404
    assert ended(service, campaign, 1) == ["sent"]
    other = campaign.lead(email="other@example.org")
    campaign.bulk("delete", {"emails": ["other@example.org"]})
    assert [hook.json["social_id"] for hook in campaign.delivered(1, "deleted")] == [other["social_id"]], "an event of a lead that stays"


def test_a_lead_that_signs_up_again(service, account, mail_server):
    """docs/api.md 4.6, Deletion: a lead that signs up with a referrer, deletes itself and signs up again counts as one referral."""
    campaign = service.campaign(account, mails="", points_direct=10)
    referrer = campaign.lead(email="referrer@example.org")["social_id"]

    def referred():
        campaign.post({"email": "farmed@example.org", "kid": referrer})
        found = campaign.find(social_id=referrer)
        return found["contest_score"], found["referrals"]
    assert referred() == (10, 1)
    request(campaign, "farmed@example.org")
    path = path_in_mail(campaign, mail_server, "farmed@example.org")
    check_page(press_when_old_enough(campaign, path, stamp_of(campaign.client.request("GET", path))), 200)
    found = campaign.find(social_id=referrer)
    assert (found["contest_score"], found["referrals"]) == (0, 0)
    assert referred() == (10, 1)


def test_an_address_in_many_campaigns(service, mail_server, account):
    """docs/mail.md 6: an address gets five mails a day, from all campaigns and leads; with a tag, it is still the same address."""
    campaigns = [service.campaign(account, mails="") for _ in range(3)]

    def requested(campaign, tag):
        service.installation.sql("UPDATE lh_messages SET composed_ms = composed_ms - 61000")
        campaign.lead(email=f"flood{tag}@example.org")
        request(campaign, f"flood{tag}@example.org")
        return ended(service, campaign, 1)
    assert requested(campaigns[0], "") == ["sent"]
    service.installation.sql(
        "INSERT INTO lh_messages (id, campaign_id, lead_id, kind, state, created_ms, due_ms, recipient_hash, composed_ms)"
        " SELECT id + 1000000 + seq, 0, 0, kind, state, created_ms, due_ms, recipient_hash, composed_ms"
        f" FROM lh_messages JOIN seq_1_to_3 WHERE campaign_id = {campaigns[0].id}")
    assert requested(campaigns[1], "+a") == ["sent"]
    assert requested(campaigns[2], "+b") == ["erase_limit"]
    assert 'leadhook_mails_dropped_total{limit="erase_limit"} 1' in call(service.installation, "metrics").stdout


def test_hosts_only(service, mail_server, account):
    """Pages of other sites cannot request a mail. Our own page can: the browser sends its origin with the form."""
    campaign = service.campaign(account, hosts="shop.example", hosts_only="on", mails="")
    campaign.lead(email="joan@example.org")
    foreign = request(campaign, "joan@example.org", headers={"Origin": "https://evil.example"})
    assert foreign.status == 403
    assert request(campaign, "joan@example.org", headers={"Origin": service.front.url}).status == 200
    path_in_mail(campaign, mail_server, "joan@example.org")
    assert ended(service, campaign, 1) == ["sent"]


def test_a_link_of_another_purpose(service, mail_server, account):
    """A link that confirms does not delete, and vice versa."""
    campaign = service.campaign(account, pages="on", verify_email="on")
    campaign.lead(email="kay@example.org")
    mail = wait_until(lambda: mail_server.to("kay@example.org"), 10, "no mail")[-1]
    token = re.search(rb"/confirm/([\w-]+)", email.message_from_bytes(mail.content, policy=email.policy.SMTP)
                      .get_body("plain").get_content().encode())[1].decode()
    assert campaign.client.request("GET", f"/c/{campaign.id}/confirm/{token}").status == 200
    wrong = campaign.client.request("GET", f"/c/{campaign.id}/erase/{token}")
    assert wrong.status == 404 and b"Request a new email to get a new link." in wrong.body


@pytest.mark.parametrize("language", LANGUAGES)
def test_languages(service, account, language):
    campaign = service.campaign(account, language=language)
    check_page(campaign.client.request("GET", f"/c/{campaign.id}/erase"), 200, language, "same-origin")


def test_without_mail(make_service):
    """Without mail, nothing can prove that the lead sends the form, so there is no form, and no link to it."""
    campaign = make_service().campaign(pages="on", public_lookup="social_id", public_update="own")
    lead = campaign.lead(email="ada@example.org")
    assert campaign.client.request("GET", f"/c/{campaign.id}/erase").status == 404
    assert request(campaign, "ada@example.org").status == 404
    page = campaign.client.request("GET", "/c/" + lead["status_url"].split("/c/")[1])
    assert page.status == 200 and b"/erase" not in page.body


def test_the_own_page_links_to_it(service, campaign):
    lead = campaign.lead(email="ada@example.org")
    page = campaign.client.request("GET", "/c/" + lead["status_url"].split("/c/")[1])
    assert f'href="/c/{campaign.id}/erase"'.encode() in page.body
