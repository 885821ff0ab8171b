# SPDX-License-Identifier: MIT
"""docs/dashboard.md 2.2: changes of one or many leads, and what the API shows afterwards; import and export."""
import csv
import io
import json

import pytest
from marks import chromium_first
from caller import User
from dashboard import Dashboard, make_shop, running_service
from stack.process import wait_until

pytestmark = chromium_first


@pytest.fixture(scope="module")
def service(make_service):
    return running_service(make_service)


@pytest.fixture(scope="module")
def shop(service, window):
    """A shop for each browser."""
    return make_shop(service, service.account(f"Lamps {window.browser.name}"))


def test_leads_in_bulk(dashboard, service, shop):
    """select, verify, undo; points; tags; delete after a question"""
    dashboard.open(f"campaigns/{shop.id}/leads", "Leads")
    for email in ("lead1@example.org", "lead2@example.org"):
        dashboard.tick(f"Select {email}")
    dashboard.sees("2 leads selected")
    dashboard.click("Verify")
    dashboard.sees("2 leads will be verified")
    wait_until(lambda: shop.find(email="lead2@example.org")["verified"], 15, "the bulk job")
    dashboard.click("Undo")
    wait_until(lambda: not shop.find(email="lead2@example.org")["verified"], 15, "undo")
    dashboard.tick("Select lead1@example.org")
    dashboard.click("Points…")
    dashboard.fill("Points", "many")
    dashboard.click("Save")
    dashboard.sees("Enter a whole number other than 0.")
    dashboard.fill("Points", "7")
    dashboard.fill("Reason", "for a letter")
    dashboard.click("Save")
    dashboard.sees("Added 7 points to 1 lead")
    assert shop.find(email="lead1@example.org")["contest_score"] == 7
    dashboard.click("Undo")
    wait_until(lambda: shop.find(email="lead1@example.org")["contest_score"] == 0, 15, "undo")
    dashboard.tick("Select lead1@example.org")
    dashboard.choose("More actions", "Tag: VIP")
    wait_until(lambda: [tag["name"] for tag in shop.find(email="lead1@example.org")["tags"]] == ["VIP"], 15, "the tag")
    dashboard.settled()
    dashboard.tick("Select lead3@example.org")
    dashboard.choose("More actions", "Delete…")
    dashboard.sees("Delete Lead 3?")
    dashboard.click("Cancel")
    assert shop.find(email="lead3@example.org")
    dashboard.choose("More actions", "Delete…")
    dashboard.click("Delete 1 lead")
    wait_until(lambda: shop.get({"email": "lead3@example.org"}).status == 404, 15, "deleted")


def test_the_mark_of_a_bounced_address_is_ended(dashboard, service, shop):
    """docs/mail.md 5: the lead shows the answer of the mail server, with a button that ends the mark; the view Operator shows the reason"""
    lead = shop.find(email="lead6@example.org")
    service.installation.sql(f"UPDATE lh_leads SET bounced = TRUE WHERE social_id = '{lead['social_id']}'")
    service.installation.sql("UPDATE lh_message_channels SET refused_ms = UNIX_TIMESTAMP() * 1000, refused_reason = 'not_authenticated',"
                             " refused_answer = '550 5.7.26 unauthenticated' WHERE channel = 'mail'")
    dashboard.open(f"campaigns/{shop.id}/leads/{lead['social_id']}", "Lead 6")
    dashboard.sees("A mail server answered that this address does not exist.")
    dashboard.click("Mark as reachable")
    dashboard.sees("Email will be sent to this address again")
    marked = f"SELECT bounced FROM lh_leads WHERE social_id = '{lead['social_id']}'"
    wait_until(lambda: service.installation.sql(marked).strip() == "0", 10, "the mark is there")
    dashboard.open("operator", "Operator")
    dashboard.sees("SPF, DKIM or DMARC is missing")
    dashboard.sees("set up SPF, DKIM and DMARC for the domain of mail.from")


def test_undo_restores_what_was_before(dashboard, leadhook, shop):
    """docs/dashboard.md 2.2: Undo reverses a change only for the leads that it has changed"""
    place = f"campaigns/{shop.id}/leads?name=Lead"
    flagged = shop.find(email="lead4@example.org")["social_id"]
    leadhook("lead", "change", str(shop.id), "block", flagged)
    wait_until(lambda: shop.find(email="lead4@example.org")["fraudulent"], 15, "the mark")
    dashboard.open(place, "Leads")
    dashboard.wait("document.querySelector('main .chip.bad')")
    for email in ("lead4@example.org", "lead5@example.org"):
        dashboard.tick(f"Select {email}")
    dashboard.click("Mark as genuine")
    dashboard.sees("1 lead will be marked as genuine")
    wait_until(lambda: not shop.find(email="lead4@example.org")["fraudulent"], 15, "genuine")
    dashboard.click("Undo")
    wait_until(lambda: shop.find(email="lead4@example.org")["fraudulent"], 15, "undo")
    assert not shop.find(email="lead5@example.org")["fraudulent"]
    dashboard.open("", "Overview")
    dashboard.open(place, "Leads")
    dashboard.tick("Select lead5@example.org")
    dashboard.choose("More actions", "Unverify")
    dashboard.sees("Nothing to change: already unverified")


def test_all_that_match(dashboard, service):
    """if the list has several pages, all leads that match the search are changed, including those on further pages, and no
    others"""
    shop = service.campaign(service.account("Many"))
    for number in range(260):  # a call takes 250
        shop.lead(email=f"many{number}@example.org", first_name="Mia")
    shop.lead(email="other@example.org", first_name="Otto")
    dashboard.open(f"campaigns/{shop.id}/leads?name=Mia", "Leads")
    dashboard.tick("Select all leads on this page")
    dashboard.sees("50 leads selected")
    dashboard.click("Select all matching leads")
    dashboard.sees("All matching leads selected")
    dashboard.click("Mark as fraudulent")
    dashboard.sees("Mark as fraudulent: all matching leads?")
    dashboard.wait("top() !== document")
    dashboard.click("Mark as fraudulent")
    dashboard.sees("260 leads will be marked as fraudulent")
    count = f"SELECT SUM(fraudulent), COUNT(*) FROM lh_leads WHERE campaign_id = {shop.id}"
    wait_until(lambda: service.installation.sql(count) == "260\t261", 15, "260 blocked leads")
    assert not shop.find(email="other@example.org")["fraudulent"]


def test_search_and_filters(dashboard, shop, leadhook):
    """the address, an id, a part of a name; filters are in the URL"""
    place = f"campaigns/{shop.id}/leads"
    for text, found in (("ada@example.org", 1), (shop.ada["social_id"], 1), ("Lovelace", 1), ("nobody@example.org", 0)):
        dashboard.open(place, "Leads")
        dashboard.fill("Search leads", text)
        dashboard.click("Search")
        dashboard.wait(f"[...document.querySelectorAll('main tbody tr')].length === {found} && {('true', 'document.body.innerText.includes(`No matching leads`)')[found == 0]}", text)
    tagged = shop.find(email="lead7@example.org")
    leadhook("lead", "change", str(shop.id), "tag", tagged["social_id"], "--tag", str(shop.tag))
    wait_until(lambda: shop.find(email="lead7@example.org")["tags"], 15, "the tag")
    dashboard.open(f"{place}?referred_by={shop.ada['social_id']}", "Leads")
    dashboard.sees("Referred by Ada Lovelace")
    dashboard.wait("button('lead0@example.org') && button('lead6@example.org') && !button('lead1@example.org')")
    dashboard.click("Clear filters")
    dashboard.choose("Tag", "VIP")
    dashboard.wait("location.hash.includes('tag=') && button('lead7@example.org') && !button('lead2@example.org')")
    dashboard.click("lead7@example.org")
    dashboard.wait("document.querySelector('h1').textContent === 'Lead 7'")
    dashboard.run("history.back();")
    dashboard.wait("location.hash.includes('tag=') && button('lead7@example.org') && !button('lead2@example.org')")


def test_one_lead(dashboard, service, shop):
    """edit, mark as fraudulent and as genuine, activity; erase after typing its address, in a dialog that closes when its view is left"""
    lead = shop.lead(email="eve@example.org", first_name="Eve")
    dashboard.open(f"campaigns/{shop.id}/leads/{lead['social_id']}", "Eve")
    dashboard.click("Edit")
    dashboard.fill("First name", "Evelyn")
    dashboard.fill("New field", "company")
    dashboard.fill("Value", "Bells")
    dashboard.click("Save")
    dashboard.wait("document.querySelector('h1').textContent === 'Evelyn'")
    assert shop.find(email="eve@example.org")["custom_fields"]["company"] == "Bells"
    dashboard.click("Mark as fraudulent")
    dashboard.sees("The lead will be marked as fraudulent")
    dashboard.sees("marked manually")
    dashboard.click("Mark as genuine")
    wait_until(lambda: not shop.find(email="eve@example.org")["fraudulent"], 15, "genuine")
    dashboard.sees("Signed up")
    dashboard.sees("of 2 delivered")
    place = f"campaigns/{shop.id}/leads"
    dashboard.click("Erase…")
    dashboard.wait("document.querySelector('dialog[open]')")
    dashboard.run(f"location.hash = '#/{place}';")
    dashboard.wait("document.querySelector('h1').textContent === 'Leads' && !document.querySelector('dialog')")
    dashboard.run("history.back();")
    dashboard.wait("document.querySelector('h1').textContent === 'Evelyn' && button('Erase…')")
    dashboard.click("Erase…")
    dashboard.click("Erase")
    dashboard.sees("Type “eve@example.org” to continue.")
    dashboard.fill("Type", "eve@example.org")
    dashboard.click("Erase")
    dashboard.sees("Erased 1 lead")
    assert shop.get({"email": "eve@example.org"}).status == 404


def test_a_long_activity(dashboard, service):
    """if there are more entries than fit in a part, further parts are added"""
    campaign = service.campaign(service.account("Long story"))
    lead = campaign.lead(email="long@example.org")
    for _ in range(60):
        campaign.points(lead, 1)
    dashboard.open(f"campaigns/{campaign.id}/leads/{lead['social_id']}", "long@example.org")
    dashboard.wait("document.querySelectorAll('.timeline > li').length === 50")
    dashboard.click("Show older")
    dashboard.wait("document.querySelectorAll('.timeline > li').length > 60")


def test_many_referrals(dashboard, service):
    """all referred leads are counted, even if not all are listed"""
    campaign = service.campaign(service.account("Popular"))
    lead = campaign.lead(email="popular@example.org")
    for number in range(23):
        campaign.lead(email=f"friend{number}@example.org", kid=lead["social_id"])
    dashboard.open(f"campaigns/{campaign.id}/leads/{lead['social_id']}", "popular@example.org")
    dashboard.sees("Referred 23 leads directly and 0 indirectly.")


def test_a_lead_as_viewers_see_it(window, service, shop):
    """docs/dashboard.md 1.2: they see what happened to a lead, without links to deliveries, which viewers cannot open"""
    viewer = User(service, f"viewer-{shop.id}@example.org", "--role", "viewer", "--account", str(shop.account.id))
    assert viewer.accept().status == 200
    dashboard = Dashboard(window, service.front.url)
    dashboard.enter(viewer, f"campaigns/{shop.id}/leads/{shop.ada['social_id']}")
    dashboard.wait("document.querySelector('.timeline .inner li')")
    assert not dashboard.value("document.querySelector('.timeline a[href*=\"/deliveries/\"]')")
    assert dashboard.problems() == []
    dashboard.log_out()


def test_the_name_of_a_lead(dashboard, service, leadhook):
    """docs/dashboard.md 2.2: a lead without a name can be given one; fields that stay empty are not stored"""
    campaign = service.campaign(service.account("Names"))
    lead = campaign.lead(email="nameless@example.org")
    dashboard.open(f"campaigns/{campaign.id}/leads/{lead['social_id']}", "nameless@example.org")
    dashboard.click("Edit")
    dashboard.fill("Last name", "Lovelace")
    dashboard.click("Save")
    dashboard.wait("top() === document && document.body.innerText.includes('Lovelace')")
    assert campaign.find(email="nameless@example.org")["custom_fields"] == {"last_name": "Lovelace"}


def test_import_and_export(dashboard, service, shop, make_folder):
    """a file whose columns have other names; a preview of the mapping; wrong rows; the export contains the leads"""
    dashboard.open(f"campaigns/{shop.id}/import", "Import leads")
    text = "E-Mail;Vorname;Company;constructor\\nimp1@example.org;Ida;\\\"A; B\\\";x\\nimp2@example.org;Jo;C;y\\nnot an address;No;D;z\\n"
    dashboard.run(f"""const list = new DataTransfer(); list.items.add(new File(["{text}"], "leads.csv", {{ type: "text/csv" }}));
        const input = document.querySelector("#import-file"); input.files = list.files; input.dispatchEvent(new Event("change", {{ bubbles: true }}));""")
    dashboard.sees("How the file is read")
    assert dashboard.value("field('Field for Vorname').value") == "first_name"
    assert dashboard.value("field('Field for constructor').value") == "own field"
    dashboard.click("Check the file")
    dashboard.sees("2 leads can be imported")
    dashboard.sees("1 row will be skipped.")
    dashboard.click("Import 2 leads")
    dashboard.sees("2 leads imported, 0 already existed, 1 row skipped.")
    lead = shop.find(email="imp1@example.org")
    assert lead["custom_fields"] == {"first_name": "Ida", "company": "A; B", "constructor": "x"}
    dashboard.run("window.saved = []; const make = URL.createObjectURL; URL.createObjectURL = blob => { window.saved.push(blob); return make.call(URL, blob); };"
                  "HTMLAnchorElement.prototype.click = function () {};")
    dashboard.open(f"campaigns/{shop.id}/export", "Export leads")
    dashboard.run("document.querySelector('form').requestSubmit();")
    dashboard.sees("exported")
    assert dashboard.run("return [...new Uint8Array(await window.saved.at(-1).arrayBuffer())].slice(0, 4);") == [0xEF, 0xBB, 0xBF, ord("e")]
    rows = dashboard.run("return await window.saved.pop().text();").splitlines()
    assert len(rows) == 1 + int(service.installation.sql(f"SELECT COUNT(*) FROM lh_leads WHERE campaign_id = {shop.id}"))
    assert any("imp1@example.org" in row for row in rows)
    dashboard.load()


def addresses(text):
    """Return the addresses of an export."""
    return [row["email"] for row in csv.DictReader(io.StringIO(text.removeprefix("\ufeff")))]


def test_lists_of_winners(dashboard, service, leadhook):
    """docs/dashboard.md 2.2: a list by score leaves out fraudulent leads, which the filter shows; an export has the filter and the
    order of the list; the leaderboard of the summary has no fraudulent leads, and marks those that are not verified"""
    campaign = service.campaign(service.account("Winners"))
    for name, points in (("first", 30), ("cheat", 50), ("second", 20)):
        campaign.lead(email=f"{name}@example.org", points=points, note='two "quoted"\nlines,')
    campaign.change("block", emails=["cheat@example.org"])
    campaign.change("verify", emails=["first@example.org"])
    emails = "[...document.querySelectorAll('tbody td a')].map(one => one.textContent).join(' ')"
    dashboard.open(f"campaigns/{campaign.id}/leads", "Leads")
    dashboard.sees("cheat@example.org")
    dashboard.click("Most points first")
    dashboard.wait(f"{emails} === 'first@example.org second@example.org'")
    assert dashboard.value("button('Not fraudulent').getAttribute('aria-pressed') === 'true'")
    dashboard.click("Verified")
    dashboard.wait(f"{emails} === 'first@example.org'")
    dashboard.click("Verified")
    dashboard.wait(f"{emails} === 'first@example.org second@example.org'")
    dashboard.run("document.querySelector('td input').click();")
    dashboard.wait("button('Export all')", "that the selected lead alone is not exported")
    dashboard.click("Clear")
    dashboard.click("Export")
    dashboard.sees("Exports the leads of the list:")
    dashboard.sees("most points first")
    dashboard.sees("not fraudulent")
    dashboard.run("window.pieces = []; const made = URL.createObjectURL;"
                  " URL.createObjectURL = blob => { blob.text().then(text => window.pieces.push(text)); return made(blob); };")
    dashboard.click("Export")
    dashboard.sees("2 leads exported.")
    dashboard.wait("window.pieces.length === 1")
    assert addresses(dashboard.value("window.pieces[0]")) == ["first@example.org", "second@example.org"]
    dashboard.fill("Number of leads", "0")
    dashboard.click("Export")
    dashboard.sees("Enter a number, or leave the field empty to export all.")
    for most, count, number in (("1", "1 lead", 2), ("7", "2 leads", 3)):
        dashboard.fill("Number of leads", most)
        dashboard.click("Export")
        dashboard.wait(f"window.pieces.length === {number}")
        assert addresses(dashboard.value(f"window.pieces[{number - 1}]")) == ["first@example.org", "second@example.org"][:int(most)]
        dashboard.sees(f"{count} exported.")
    dashboard.choose("Format", "NDJSON (one JSON object per line, for programs)")
    dashboard.fill("Number of leads", "1")
    dashboard.click("Export")
    dashboard.wait("window.pieces.length === 4")
    assert [json.loads(line)["email"] for line in dashboard.value("window.pieces[3]").splitlines()] == ["first@example.org"]
    dashboard.open(f"campaigns/{campaign.id}")
    dashboard.sees("By points, without fraudulent leads.")
    dashboard.wait("document.querySelectorAll('.leaders li').length === 2")
    assert dashboard.value("[...document.querySelectorAll('.leaders li')].map(one => one.innerText.includes('not verified')).join()") == "false,true"


def test_a_fraudulent_lead(dashboard, service, leadhook):
    """docs/dashboard.md 2.2: its page shows that it has no rank, and its activity shows who marked it as fraudulent or genuine, and
    why"""
    campaign = service.campaign(service.account("Marks"))
    lead = campaign.lead(email="ada@example.org", points=7)
    dashboard.open(f"campaigns/{campaign.id}/leads/{lead['social_id']}")
    dashboard.sees("rank 1")
    leadhook("lead", "change", campaign.id, "block", "ada@example.org")
    wait_until(lambda: leadhook("lead", "show", campaign.id, "--email", "ada@example.org")["fraudulent"], 15, "the mark")
    dashboard.open(f"campaigns/{campaign.id}/leads")
    dashboard.open(f"campaigns/{campaign.id}/leads/{lead['social_id']}")
    dashboard.sees("not ranked: the lead is marked as fraudulent")
    dashboard.sees("It has no rank and is not on the leaderboard")
    assert not dashboard.value("document.body.innerText.includes('rank 1')")
    dashboard.sees("Marked as fraudulent by shell")
    dashboard.click("Mark as genuine")
    wait_until(lambda: not leadhook("lead", "show", campaign.id, "--email", "ada@example.org")["fraudulent"], 15, "the other mark")
    dashboard.open(f"campaigns/{campaign.id}/leads")
    dashboard.open(f"campaigns/{campaign.id}/leads/{lead['social_id']}")
    dashboard.sees("Marked as genuine by user")
    dashboard.sees("rank 1")
