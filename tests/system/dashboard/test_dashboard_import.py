# SPDX-License-Identifier: MIT
"""docs/dashboard.md 2.2, 3.2: an import in the browser. It sends bytes, which the service parses in the same way as the command."""
import json

import pytest
from marks import chromium_first
from dashboard import make_shop, running_service

pytestmark = chromium_first


@pytest.fixture(scope="module")
def service(make_service):
    return running_service(make_service)


@pytest.fixture(scope="module")
def shop(service, window):
    """A shop for each browser, whose user is logged in to the dashboard."""
    return make_shop(service, service.account(f"Lamps {window.browser.name}"))


@pytest.fixture
def campaign(service):
    return service.campaign(service.account("Imports"))


def begin(dashboard, campaign, content, name="leads.csv"):
    """Choose a file with these bytes, or with the parts of a JavaScript expression."""
    dashboard.open(f"campaigns/{campaign.id}/import", "Import leads")
    again(dashboard, content, name)


def again(dashboard, content, name="leads.csv"):
    parts = content if isinstance(content, str) else f"[new Uint8Array({json.dumps(list(content))})]"
    dashboard.run(f"""const list = new DataTransfer(); list.items.add(new File({parts}, {json.dumps(name)}, {{ lastModified: 7 }}));
        const input = document.querySelector("#import-file"); input.files = list.files; input.dispatchEvent(new Event("change", {{ bubbles: true }}));""")


def finish(dashboard, leads):
    dashboard.sees("How the file is read")
    dashboard.click("Check the file")
    dashboard.sees(f"{leads} can be imported")
    dashboard.click(f"Import {leads}")
    dashboard.sees("Done")


@pytest.mark.parametrize("content", [
    b"sep=;\r\nemail;first name\r\nnora@example.org;J\xc3\xbcrgen\r\n", b"email,first name\rnora@example.org,J\xc3\xbcrgen\r",
    "Email\u00a0Address;Vorname\nnora@example.org;Jürgen\n".encode("utf-16"), b"E-Mail;Vorname\nnora@example.org;J\xfcrgen\nolaf@example.org;Ren\xe9",
    b"email,first name\nnora@example.org,J\xc3\xbcrgen\nolaf@example.org,Ren\xe9\n", b"\xef\xbb\xbf\xef\xbb\xbfEmail\tPhone Number\tFirst Name\nnora@example.org\t\tJ\xc3\xbcrgen\n",
], ids=["sep", "cr", "utf-16", "windows-1252", "mixed", "marks"])
def test_forms_of_files(dashboard, campaign, content):
    """files are parsed as by the command: delimiters, line ends, encodings; valid rows stay valid"""
    begin(dashboard, campaign, content)
    finish(dashboard, "2 leads" if b"olaf" in content else "1 lead")
    assert campaign.find(email="nora@example.org")["first_name"] == "Jürgen"
    if b"olaf" in content:
        assert campaign.find(email="olaf@example.org")["first_name"] == "René"


def test_a_stray_quote(dashboard, campaign):
    """only its own row is lost, not the 3,000 after it"""
    begin(dashboard, campaign, """["email,notes\\n", ...Array.from({ length: 3000 }, (_, at) => `p${at}@example.org,${at === 5 ? '"a 24 inch' : "ok"}\\n`)]""")
    finish(dashboard, "2,999 leads")
    dashboard.sees("2,999 leads imported, 0 already existed, 1 row skipped.")
    dashboard.sees("The record has a quote without a closing one.")


@pytest.mark.parametrize("content, part", [(b"PK\x03\x04..xl/workbook.xml", "The file is an Excel workbook (.xlsx): save it as"),
                                           (b"Notes:\n\nemail,name\nx@example.org,X\n", "Line 3 looks like the heading"),
                                           (b"%PDF-1.4", "The file is a PDF"), (b"[{\"email\":1}]", "The file is a JSON array")],
                         ids=["workbook", "notes", "pdf", "array"])
def test_other_files(dashboard, campaign, content, part):
    begin(dashboard, campaign, content)
    dashboard.sees(part)
    dashboard.load()


def test_questions(dashboard, campaign):
    """nothing is checked or imported before they are answered; no one becomes an active lead without an answer"""
    begin(dashboard, campaign, b"Email,Status,created\nnora@example.org,unsubscribed,3/1/2024\nolaf@example.org,subscribed,\n", "cleaned.csv")
    dashboard.sees("What does “Status” mean?")
    dashboard.sees("By its name the file has people who must not get mail.")
    dashboard.sees("Please answer the questions above.")
    assert dashboard.value("[...document.querySelectorAll('button')].find(one => one.textContent.includes('Check the file')).disabled")
    assert dashboard.value("document.querySelectorAll('input[type=radio]:checked').length") == 0
    dashboard.click("Use the suggested meanings")
    for name, at in (("file", 1), ("dates", 0)):
        dashboard.run(f"document.querySelectorAll('input[name={name}]')[{at}].click();")
    finish(dashboard, "2 leads")
    nora, olaf = campaign.find(email="nora@example.org"), campaign.find(email="olaf@example.org")
    assert (nora["opted_out"], olaf["opted_out"], nora["when"]) == (True, False, "2024-01-03T00:00:00Z")


def test_a_column_of_yes_and_no(dashboard, campaign):
    """the import asks about such a column; a column about something else becomes a custom field"""
    begin(dashboard, campaign, "Email,Uutisia,Vegan\nnora@example.org,kyllä,x\nolaf@example.org,ei,\n".encode())
    dashboard.sees("What does “Uutisia” mean?")
    dashboard.sees("Does this column say whether people may get mail?")
    dashboard.run("document.querySelectorAll('[aria-label=\"Meaning of Vegan\"] button')[0].click();")
    for value, meaning in (("kyllä", "active"), ("ei", "opted_out")):
        dashboard.run(f"document.querySelector('input[name=\"#2:{value}\"][value={meaning}]').click();")
    finish(dashboard, "2 leads")
    nora, olaf = campaign.find(email="nora@example.org"), campaign.find(email="olaf@example.org")
    assert (nora["opted_out"], nora["custom_fields"], olaf["opted_out"]) == (False, {"vegan": "x"}, True)


def test_values_that_come_late(dashboard, campaign):
    """the check asks about values that come after the beginning of the file, for all slices at once; earlier answers stay"""
    late = {3: "unsubscribed", 4000: "cleaned", 8000: "pending", 8001: "cleaned"}
    rows = [f"p{n}@example.org,{late.get(n, 'subscribed')},{'Tea' * 50}" for n in range(9000)]
    begin(dashboard, campaign, json.dumps(["\n".join(["Email,Status,Notes", *rows])]))
    dashboard.click("Use the suggested meanings")
    dashboard.click("Check the file")
    dashboard.sees("cleaned 2 rows")
    dashboard.sees("pending 1 row")
    dashboard.sees("Please answer the questions above.")
    assert dashboard.value("[...document.querySelectorAll('input[type=radio]:checked')].map(one => one.name).join()") == "#2:subscribed,#2:unsubscribed"
    dashboard.click("Use the suggested meanings")
    finish(dashboard, "9,000 leads")
    assert [campaign.find(email=f"p{n}@example.org")["opted_out"] for n in (3, 3999, 4000, 8000, 8001)] == [True, False, True, True, True]


def test_times_of_consent(dashboard, campaign):
    """times count as one value of a question; the column of addresses is found in each slice, and the first of two in a cell is used"""
    rows = [f"p{n}@example.org,2024-03-01 09:{n % 60:02},{'Tea' * 150}" for n in range(3000)]
    begin(dashboard, campaign, json.dumps(["\n".join(["Subscriber,Subscribed,Notes", *rows, "nora@example.org; n2@example.org,,"])]))
    dashboard.sees("What does “Subscribed” mean?")
    dashboard.sees("any other value, such as a time")
    dashboard.sees("(empty)")  # only the last slice has one
    dashboard.click("Use the suggested meanings")
    finish(dashboard, "3,001 leads")
    dashboard.sees("1 row with several email addresses. The first one is taken.")
    nora, other = campaign.find(email="nora@example.org"), campaign.find(email="p2999@example.org")
    assert (nora["opted_out"], other["opted_out"]) == (True, False)


def test_columns(dashboard, campaign):
    """columns that are left out or renamed, too many columns; a country, a new tag, an invalid number"""
    names = ["Mail", "Telefon", "Which of these would make you recommend us to a colleague or friend?", *(f"Property {n}" for n in range(60))]
    rows = [["nora@example.org", "0171 1234567", "Price", *("v" for _ in range(60))], ["olaf@example.org", "4.9E+11", "", *("" for _ in range(60))]]
    begin(dashboard, campaign, "\n".join(";".join(row) for row in [names, *rows]).encode())
    dashboard.sees("61 columns become fields of their own.")
    dashboard.sees("This column cannot be a custom field: its name is too long.")
    dashboard.click("Leave out all of them")
    dashboard.choose("Field for Property 3", "Field of its own")
    dashboard.fill("Name of the field for Property 3", "third")
    dashboard.choose("Country of phone numbers", "Germany")
    dashboard.fill("Tag", "Fair")
    dashboard.tick("Create tags that the campaign does not have")
    dashboard.click("Check the file")
    dashboard.sees("2 leads can be imported")
    dashboard.sees("These tags will be created: Fair (2 rows).")
    dashboard.sees("1 phone number not valid and left out.")
    dashboard.click("Import 2 leads")
    dashboard.sees("2 leads imported, 0 already existed, 0 rows skipped.")
    nora = campaign.find(email="nora@example.org")
    assert nora["custom_fields"] == {"third": "v"} and nora["phone_number"] == "+491711234567" and nora["tags"][0]["name"] == "Fair"


BIG = """["email,signup_date,Company,referrer\\n", ...Array.from({ length: 3000 }, (_, at) =>
    `half${at}@example.org,2026-01-02T03:04:05Z,${"Tea".repeat(150)},${at === 3 ? "half2999@example.org" : ""}\\n`)]"""


def test_leads_that_exist(dashboard, campaign):
    """docs/migrating.md 3.1: they are unsubscribed if the file says so; the check announces it"""
    campaign.lead(email="nora@example.org")
    begin(dashboard, campaign, b"Email,UNSUB_TIME\nnora@example.org,2024-02-02 09:00:00\nolaf@example.org,\n")
    dashboard.click("Check the file")
    dashboard.sees("1 lead that existed would be unsubscribed.")
    dashboard.sees("Existing leads are not changed, but are unsubscribed if the file says so.")
    dashboard.click("Import 1 lead")
    dashboard.sees("1 lead that existed was unsubscribed.")
    assert campaign.find(email="nora@example.org")["opted_out"]


def test_an_import_that_fails(dashboard, campaign):
    """it reports what was imported, and resumes there, even after a reload; rows whose referrer comes later are imported"""
    begin(dashboard, campaign, BIG, "half.csv")
    dashboard.sees("How the file is read")
    dashboard.click("Check the file")
    dashboard.sees("3,000 leads can be imported")
    rows = dashboard.value("[...document.querySelectorAll('table[aria-label=Columns] tbody tr')].map(one => [...one.cells].map(cell => cell.textContent.trim()))")
    assert rows == [["email", "Email address"], ["signup_date", "Sign-up time"], ["Company", "own field “company”"],
                    ["referrer", "Referrer (lead ID or email address)"]]
    dashboard.run("""const real = fetch; let imports = 0;
        window.fetch = async (url, options) => {
            const isImport = String(url).endsWith("/import") && !JSON.parse(options.body).dry_run;
            if (isImport && ++imports === 2) return new Response('{"error": "busy"}', { status: 429, headers: { "Retry-After": "1" } });
            return isImport && imports > 2 ? new Response('{"title": "the database is away"}', { status: 409 }) : real(url, options);
        };""")
    dashboard.click("Import 3,000 leads")
    dashboard.sees("The database is away.")
    dashboard.sees("Stopped")
    imported = campaign.stats()["total"]
    assert 0 < imported < 3000
    dashboard.load()
    begin(dashboard, campaign, BIG, "half.csv")
    dashboard.sees("The import of this file was stopped at")
    dashboard.click("Continue")
    dashboard.sees("3,000 leads imported, 0 already existed, 0 rows skipped.")
    assert campaign.stats()["total"] == 3000
    assert campaign.find(email="half3@example.org")["parent_id"] == campaign.find(email="half2999@example.org")["social_id"]
    dashboard.open(f"campaigns/{campaign.id}/leads", "Leads")
    begin(dashboard, campaign, BIG, "half.csv")
    dashboard.sees("How the file is read")


def stop_at(dashboard, condition):
    """Press Stop while the first slice whose body meets the condition is sent."""
    dashboard.run("""const real = fetch; let pressed = false;
        window.fetch = async (url, options) => {
            const body = String(url).endsWith("/import") && JSON.parse(options.body);
            if (body && !pressed && (CONDITION)) {
                pressed = true;
                [...document.querySelectorAll("button")].find(one => one.textContent === "Stop").click();
            }
            return real(url, options);
        };""".replace("CONDITION", condition))


def test_it_stops(dashboard, campaign):
    """Stop ends it after the current part, and Continue resumes it"""
    begin(dashboard, campaign, BIG, "stop.csv")
    dashboard.sees("How the file is read")
    dashboard.click("Check the file")
    dashboard.sees("3,000 leads can be imported")
    stop_at(dashboard, "true")
    dashboard.click("Import 3,000 leads")
    dashboard.sees("Stopped")
    assert 0 < campaign.stats()["total"] < 3000
    dashboard.click("Continue")
    dashboard.sees("3,000 leads imported, 0 already existed, 0 rows skipped.")
    dashboard.load()


LATE = """["email,Company,referrer\\n", ...Array.from({ length: 1200 }, (_, at) =>
    `early${at}@example.org,${"Tea".repeat(150)},late@example.org\\n`), "late@example.org,,\\n"]"""


def test_it_stops_while_rows_wait(dashboard, campaign):
    """rows whose referrer came after them are also sent in parts: Stop loses none of them"""
    begin(dashboard, campaign, LATE, "late.csv")
    dashboard.sees("How the file is read")
    dashboard.click("Check the file")
    dashboard.sees("1,201 leads can be imported")
    stop_at(dashboard, "body.more === undefined")  # rows that wait are not sent as a slice of the file
    dashboard.click("Import 1,201 leads")
    dashboard.sees("Stopped")
    assert 1 < campaign.stats()["total"] < 1201
    dashboard.click("Continue")
    dashboard.sees("1,201 leads imported, 0 already existed, 0 rows skipped.")
    assert campaign.stats()["total"] == 1201
