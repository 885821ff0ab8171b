# SPDX-License-Identifier: MIT
"""docs/api.md 4.1.12: the links in mails with which leads confirm their address."""
import time

import pytest
from confirming import AGAIN, AGENT, link, press, press_when_old_enough, stamp_of


@pytest.fixture
def strict(service, account):
    return service.campaign(account, pages="on", public_lookup="social_id", public_update="own", verify_email="on", points_verified=3)


@pytest.fixture
def ada(strict):
    return strict.lead(email="ada@example.org", first_name="Ada")


def get(campaign, path, method="GET", **options):
    return campaign.client.request(method, path, **options)


def is_verified(campaign, email="ada@example.org"):
    return campaign.find(email=email)["verified_email"]


def test_a_confirmation(strict, ada, receiver):
    """The page has a button, which verifies the lead, with event, credit and proof, and leads to the lead's own page"""
    strict.webhook("verified")
    page = get(strict, link(strict, ada))
    assert page.status == 200 and page.headers["Content-Type"] == "text/html; charset=utf-8"
    assert "a•••@example.org".encode() in page.body and b"ada@" not in page.body and b"Ada" not in page.body
    assert page.headers["Cache-Control"] == "no-store" and page.headers["Referrer-Policy"] == "no-referrer"
    assert page.headers["X-Robots-Tag"] == "noindex"
    assert not is_verified(strict)
    done = press_when_old_enough(strict, link(strict, ada), stamp_of(page))
    assert (done.status, done.headers["Location"]) == (303, ada["status_url"])
    assert is_verified(strict)
    strict.service.dispatch()
    assert [hook.json["social_id"] for hook in strict.delivered(1, "verified")] == [ada["social_id"]]
    proof = strict.service.installation.sql("SELECT channel, address, ip, user_agent, confirmed_ms > 0 FROM lh_confirmations "
                                            f"WHERE lead_id = {ada['id']}").split("\t")
    assert proof[:2] == ["email", "ada@example.org"] and proof[2].startswith("10.") and proof[3:] == [AGENT["User-Agent"], "1"]


def test_repeated_confirmations(strict, ada):
    """The first twenty confirmations of an address are stored, and are all deleted immediately with the lead."""
    sql, page = strict.service.installation.sql, get(strict, link(strict, ada))
    for stored, later in ((18, 19), (19, 20), (20, 20)):
        sql(f"DELETE FROM lh_confirmations WHERE lead_id = {ada['id']}")
        for address, count in (("ada@example.org", stored), ("another@example.org", 20)):
            sql("INSERT INTO lh_confirmations (lead_id, confirmed_ms, channel, address) "
                f"SELECT {ada['id']}, seq + {len(address)} * 100, 'email', '{address}' FROM seq_1_to_{count}")
        assert press_when_old_enough(strict, link(strict, ada), stamp_of(page)).status == 303
        assert sql(f"SELECT COUNT(*) FROM lh_confirmations WHERE address = 'ada@example.org' AND lead_id = {ada['id']}") == str(later)


def test_scanners_confirm_nothing(strict, ada):
    """GET, HEAD, and buttons that are pressed within a second confirm nothing, with or without scripts"""
    path = link(strict, ada)
    for method in ("GET", "HEAD", "GET"):
        assert get(strict, path, method).status == 200
    for _ in range(3):
        page = get(strict, path)
        for fields in ({}, {"reject": "1"}):
            again = press(strict, path, stamp_of(page), **fields)
            assert again.status == 200 and stamp_of(again) == stamp_of(page), "the time goes on"
            assert AGAIN in again.body and AGAIN not in page.body
        assert press(strict, path, "").status == press(strict, path, "1.x").status == 200
    lead = strict.find(email="ada@example.org")
    assert (lead["verified_email"], lead["opted_out"]) == (False, False)


def test_a_link_works_as_often_as_it_is_used(strict, ada):
    path = link(strict, ada)
    for _ in range(2):
        stamp = stamp_of(get(strict, path)) if not is_verified(strict) else stamp
        assert press_when_old_enough(strict, path, stamp).status == 303
    page = get(strict, path)
    assert page.status == 200 and b"__stamp" not in page.body and b"already" in page.body


def test_it_was_not_me(strict, ada):
    path = link(strict, ada)
    page = press_when_old_enough(strict, path, stamp_of(get(strict, path)), reject="1")
    assert page.status == 200 and b"unsubscribed" in page.body
    lead = strict.find(email="ada@example.org")
    assert (lead["verified_email"], lead["opted_out"]) == (False, True)


def test_it_was_not_me_of_a_claim(strict):
    """The lead loses the address, to which it only has a claim, and is not opted out"""
    lead = strict.post({"phone_number": "+4915112345678", "email": "ada@example.org"}).json
    strict.service.installation.sql(f"UPDATE lh_leads SET claimed = 1 WHERE id = {lead['id']}")
    path = link(strict, lead)
    page = press_when_old_enough(strict, path, stamp_of(get(strict, path)), reject="1")
    assert page.status == 200 and b"Your email address is removed" in page.body
    left = strict.find(phone_number="+4915112345678")
    assert (left["social_id"], left["email"], left["opted_out"], "claimed" in left) == (lead["social_id"], None, False, False)


@pytest.mark.parametrize("change", [
    lambda campaign, lead: link(campaign, lead, expires=int(time.time()) - 1), lambda campaign, lead: link(campaign, lead)[:-1],
    lambda campaign, lead: link(campaign, lead, email="bob@example.org"), lambda campaign, lead: link(campaign, lead, purpose="erase"),
    lambda campaign, lead: link(campaign, lead).replace("-", "/", 1), lambda campaign, lead: f"/c/{campaign.id}/confirm/x",
    lambda campaign, lead: link(campaign, {**lead, "social_id": "0123456789"}),
    lambda campaign, lead: "/".join(["", "c", str(campaign.id), "confirm", "-".join(lead["status_url"].split("/")[-2:])])])
def test_invalid_links(strict, ada, change):
    """All invalid links get the same page, which tells how to get another link. A path with another number of segments is not a link of a
    mail."""
    path = change(strict, ada)
    page = get(strict, path)
    assert page.status == 404 and page.headers["Content-Type"] == "text/html; charset=utf-8"
    assert (b"Request a new email to get a new link." if path.count("/") == 4 else b"Check that the link is complete.") in page.body
    assert press(strict, path, "x").status == 404
    assert not is_verified(strict)


def test_a_changed_address(strict, ada):
    """a changed address makes the link invalid"""
    path = link(strict, ada)
    stamp = stamp_of(get(strict, path))
    strict.post({"social_id": ada["social_id"], "must_exist": True, "email": "new@example.org"})
    assert get(strict, path).status == press(strict, path, stamp).status == 404
    assert not is_verified(strict, "new@example.org")


def test_an_opt_out_ends(strict, ada):
    strict.change("verify", email="ada@example.org")
    strict.change("optout", email="ada@example.org")
    path = link(strict, ada)
    assert press_when_old_enough(strict, path, stamp_of(get(strict, path))).status == 303
    assert strict.find(email="ada@example.org")["opted_out"] is False


def test_without_pages(service, account):
    """without hosted pages, the link works, and shows a message"""
    campaign = service.campaign(account, pages="off", verify_email="on", language="de")
    lead = campaign.lead(email="ada@example.org")
    path = link(campaign, lead)
    page = press_when_old_enough(campaign, path, stamp_of(get(campaign, path)))
    assert page.status == 200 and "Vielen Dank".encode() in page.body and b'lang="de"' in page.body
    assert is_verified(campaign)


def test_an_ended_campaign(strict, ada):
    """docs/api.md 6: the lead is verified, without points"""
    strict.end()
    path = link(strict, ada)
    assert press_when_old_enough(strict, path, stamp_of(get(strict, path))).status == 303
    assert is_verified(strict)


def test_limits(strict, ada):
    """docs/api.md 5: confirmations are limited like other POST calls of an address"""
    answers = [strict.client.request("POST", link(strict, ada), form={}, address="10.201.0.1").status for _ in range(11)]
    assert answers == [200] * 10 + [429]
