# SPDX-License-Identifier: MIT
"""leadhook(1), lead import: files written by other services and spreadsheets, and the questions before anything is stored."""
import io
import json
import resource
import zipfile

import pytest
from command import DATA, OK, call
from transfers import counts, imported, run_import, write


def refused(campaign, path, *words, part, status=DATA):
    """Checks that nothing is stored, and that the message contains this part; returns the message."""
    before = campaign.stats()["total"]
    done = call(campaign.service.installation, "lead", "import", str(campaign.id), str(path), *words)
    assert done.returncode == status and part in done.stderr, done.stderr
    assert campaign.stats()["total"] == before
    return done.stderr


def custom(campaign, email):
    return campaign.find(email=email)["custom_fields"]


# --- the form of a file ---

@pytest.mark.parametrize("text", ["sep=;\r\nemail;first name\r\nnora@example.org;Nora\r\n", "email,first name\rnora@example.org,Nora\r",
                                  "\ufeff\ufeffE-Mail;Vorname\r\nnora@example.org;Nora", "Email\u00a0Address\tFNAME\nnora@example.org\tNora\n",
                                  "email|Prénom\n\n nora@example.org |Nora\n", '"email" , "first name"\n"nora@example.org" , "Nora"\n',
                                  "email;Which of these, if any, or others, do you like?;nombre\nnora@example.org;;Nora\n"])
def test_forms_of_files(campaign, tmp_path, text):
    """delimiters, line ends, byte order marks, invisible spaces"""
    imported(campaign, write(tmp_path, text), expected=counts(1))
    assert campaign.find(email="nora@example.org")["first_name"] == "Nora"


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("cell", ['wants a 24" screen', '"wants a 24 inch screen', 'a "quoted" word', '"wants" more'])
def test_a_stray_quote(campaign, tmp_path, end, cell):
    """it costs at most its own row, however many rows follow"""
    rows = [f"p{n}@example.org,{cell if n == 5 else 'ok'}" for n in range(1, 3001)]
    is_bad = cell.startswith('"')
    errors = imported(campaign, write(tmp_path, end.join(["email,notes", *rows])), expected=counts(3000 - is_bad, rejected=int(is_bad)),
                      status=DATA if is_bad else OK)
    assert ("line 6: the record has" in errors) == is_bad
    if not is_bad:
        assert custom(campaign, "p5@example.org") == {"notes": cell}


def test_two_stray_quotes(campaign, tmp_path):
    """the rows between them do not become one record, but a text with several lines does"""
    text = ('email,plan,notes\na@example.org,x,"24 inch\nb@example.org,x,ok\nc@example.org,x,a 24"\n'
            'd@example.org,x,"two\nlines, with\nbreaks"\n')
    errors = imported(campaign, write(tmp_path, text), expected=counts(3, rejected=1), status=DATA)
    assert "line 2: the record has a quote" in errors and custom(campaign, "d@example.org")["notes"] == "two\nlines, with\nbreaks"


@pytest.mark.parametrize("encoding, name", [("utf-8", "UTF-8"), ("utf-8-sig", "UTF-8"), ("cp1252", "windows-1252"), ("utf-16", "UTF-16LE"),
                                            ("utf-16-be", "UTF-16BE"), ("utf-16-le", "UTF-16LE"), ("mac_roman", "macintosh"), ("cp850", "IBM850")])
def test_encodings(campaign, tmp_path, encoding, name):
    text = "email;first name;town\r\nnora@example.org;Jürgen;Köln\r\nolaf@example.org;René;Béziers\r\n"
    path = write(tmp_path, text.encode(encoding))
    assert run_import(campaign, path, "--look")[0]["encoding"] == name
    imported(campaign, path, expected=counts(2))
    assert custom(campaign, "nora@example.org") == {"first_name": "Jürgen", "town": "Köln"}


def test_one_other_byte(campaign, tmp_path):
    """valid rows stay valid; the row with the byte is read in another encoding, which can be chosen, and is named"""
    path = write(tmp_path, b"email,first name\nnora@example.org,J\xc3\xbcrgen\nolaf@example.org,Ren\xe9\nkai@example.org,Zo\xc3\xab\n")
    result, _ = run_import(campaign, path, "--dry-run", "--encoding", "UTF-8+macintosh")
    assert [one["value"] for one in result["remarks"]] == ["olaf@example.org,RenÈ"]
    result, _ = run_import(campaign, path)
    assert result["rows_in_other_encoding"] == 1 and result["remarks"][0]["line"] == 3
    assert [custom(campaign, f"{name}@example.org")["first_name"] for name in ("nora", "olaf", "kai")] == ["Jürgen", "René", "Zoë"]


def zipped(*names):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name in names:
            archive.writestr(zipfile.ZipInfo(name), "x" * 100)
    return out.getvalue()


@pytest.mark.parametrize("content, part", [
    (zipped("[Content_Types].xml", "xl/workbook.xml"), "the file is an Excel workbook (.xlsx): save it as \"CSV UTF-8\""),
    (zipped("leads.csv"), "the file is a ZIP archive"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(512), "the file is an old Excel workbook (.xls)"),
    (b"%PDF-1.7\n", "the file is a PDF"),
    (b"\x1f\x8b\x08\0", "the file is compressed (gzip)"),
    (b"<html><table><tr><td>email", "the file is a web page (HTML)"),
    (b'[{"email":"a@example.org"}]', "the file is a JSON array"),
    (b"a@example.org,Ada\nb@example.org,Bob\n", "the first line is a row"),
    (b"name,town\nAda,Bonn\n", "has neither email nor phone_number"),
    (b'"Email,""Name"""\n"a@example.org,""Ada"""\n', "each line of the file is one text in quotes"),
    (b'"Email;""Name"""\r\n"a@example.org;""Ada"""\r\n', "each line of the file is one text in quotes"),
    (b"", "the file has no heading"),
], ids=lambda value: value.replace(" ", "-") if isinstance(value, str) else "")
def test_other_files(campaign, tmp_path, content, part):
    refused(campaign, write(tmp_path, content), part=part)


def test_lines_before_the_heading(campaign, tmp_path):
    """the message names the line that looks like the heading"""
    path = write(tmp_path, "Notes: of the fair\n\nExported;2024\nE-Mail;Vorname\nnora@example.org;Nora\n")
    refused(campaign, path, part="line 4 looks like the heading: name it with --heading 4")
    imported(campaign, path, "--heading", "4", expected=counts(1))


# --- columns ---

def test_a_question_as_heading(campaign, tmp_path):
    """a column that cannot be a custom field is named before anything is stored, and can be renamed or left out"""
    path = write(tmp_path, "email,Which of these would make you recommend us to a colleague or friend?,Plan,plan\nnora@example.org,Price,x,y\n")
    errors = refused(campaign, path, part="#2 Which of these would make you recommend us to a colleague or friend?")
    assert "its name is too long" in errors and "#4 plan: This column cannot be a custom field: another column has the same name" in errors
    imported(campaign, path, "--map", "#2=reason", "#4=-", expected=counts(1))
    assert custom(campaign, "nora@example.org") == {"reason": "Price", "plan": "x"}


@pytest.mark.parametrize("heading", ["Эл. почта,Имя", "And your address?,How did you hear about us?", "Subscriber,Location", "Posta kutusu,Phone",
                                     "User Email,Name"])
def test_addresses_without_a_name(campaign, tmp_path, heading):
    """if only one column has addresses in its cells, it becomes the email address, in any language; this is shown"""
    path = write(tmp_path, heading + "\nnora@example.org,a\nolaf@example.org,b\n")
    assert run_import(campaign, path, "--look")[0]["columns"][0]["field"] == "email"
    result, _ = run_import(campaign, path)
    assert (result["imported"], result["rejected"]) == (2, 0)


@pytest.mark.parametrize("text, part", [("Name,Owner,Contact\nNora,max@example.org,nora@example.org\n", "neither email nor phone_number"),
                                        ("Name,Owner\nNora,max@example.org\nOlaf,max@example.org\n", "neither email nor phone_number"),
                                        ("List,\nName,E-Mail\nnora@example.org,olaf@example.org\n", "line 2 looks like the heading")])
def test_addresses_of_others(campaign, tmp_path, text, part):
    """they are not taken for the addresses of the leads"""
    refused(campaign, write(tmp_path, text), part=part)


def test_a_guess_of_the_encoding(campaign, tmp_path):
    """leadhook(1), lead import: if another encoding fits equally well, all commands show an example of the text, including
    --look"""
    path = write(tmp_path, "Email;Vorname\nnora@example.org;Jörg\n".encode("mac_roman"))
    look, _ = run_import(campaign, path, "--look")
    assert (look["encoding_is_certain"], look["encoding_example"]) == (False, "Jörg")
    for words in (("--dry-run",), ()):
        _, errors = run_import(campaign, path, *words)
        assert 'as macintosh the file has "Jörg"' in errors and "--encoding" in errors
    assert "guess" not in run_import(campaign, path, "--encoding", "macintosh")[1]
    certain, _ = run_import(campaign, write(tmp_path, "Email;Ad\nnora@example.org;Gülşen\nece@example.org;İpek\n".encode("cp1254")), "--look")
    assert (certain["encoding"], certain["encoding_is_certain"], "encoding_example" in certain) == ("windows-1254", True, False)


@pytest.mark.parametrize("encoding, text", [("gbk", "王伟"), ("big5", "陳怡君"), ("shift_jis", "山田太郎"), ("cp949", "김민준"), ("cp1255", "דוד כהן")])
def test_an_unknown_encoding(campaign, tmp_path, encoding, text):
    """leadhook(1), lead import: nothing is stored as garbage"""
    path = write(tmp_path, f"email,name\nnora@example.org,{text}\n".encode(encoding))
    for words in (("--look",), ("--dry-run",), ()):
        refused(campaign, path, *words, part="CSV UTF-8")


def test_the_host_of_each_meeting(campaign, tmp_path):
    """the host is not a lead: the leads are in the column whose addresses differ"""
    path = write(tmp_path, "User Email,Invitee Email\nmax@example.com,nora@example.org\nmax@example.com,olaf@example.org\n")
    imported(campaign, path, expected=counts(2))
    assert custom(campaign, "nora@example.org") == {"user email": "max@example.com"}


def test_several_addresses_in_a_cell(campaign, tmp_path):
    path = write(tmp_path, "Email,Name\nnora@example.org; n2@example.org,Nora\nolaf@example.org / o2@example.org,Olaf\nme; you,Kai\n")
    result, _ = run_import(campaign, path, status=DATA)
    assert (result["imported"], result["rejected"], result["rows_with_several_emails"]) == (2, 1, 2)
    assert [(one["line"], one["value"]) for one in result["remarks"]] == [(2, "nora@example.org; n2@example.org"),
                                                                        (3, "olaf@example.org / o2@example.org")]
    assert campaign.find(email="olaf@example.org")["first_name"] == "Olaf"


def test_many_columns(campaign, tmp_path):
    """a dry run finds what the import refuses; columns can be left out"""
    names, values = [f"Property {n}" for n in range(60)], [f"v{n}" for n in range(60)]
    path = write(tmp_path, "\n".join([",".join(["Email", *names]), ",".join(["nora@example.org", *values]), "olaf@example.org,x"]))
    result, errors = run_import(campaign, path, "--dry-run", status=DATA)
    assert (result["valid"], result["rejected"]) == (1, 1) and "60 columns are custom fields, of which a lead can have 50" in errors
    imported(campaign, path, "--dry-run", "*=-", "#2=one", expected={"rows": 2, "valid": 2, "unchanged": 0, "rejected": 0})
    imported(campaign, path, "*=-", "#2=one", expected=counts(2))
    assert custom(campaign, "nora@example.org") == {"one": "v0"}


def test_short_rows(campaign, tmp_path):
    path = write(tmp_path, "email,first_name,company,notes\nolaf@example.org,Olaf\nnora@example.org,Nora,,,,\nkai@example.org,Kai,a,b,c\n")
    errors = imported(campaign, path, expected=counts(2, rejected=1), status=DATA)
    assert "line 4: the record has 5 fields, the heading 4" in errors


def test_names_of_people_say_nothing_of_consent(campaign, tmp_path):
    """docs/migrating.md 3.1: a column of names is known to be one; no value in it changes that, and * does not include it"""
    path = write(tmp_path, "Email,First Name,Nachname,City\nclara@example.org,Clara,Bounce,Ulm\nolaf@example.org,Olaf,Baja,Köln\n")
    assert "questions" not in run_import(campaign, path, "--look")[0]
    imported(campaign, path, "*=-", expected=counts(2))
    assert custom(campaign, "clara@example.org") == {"first_name": "Clara", "last_name": "Bounce"}


def test_consent_that_is_not_said(campaign, tmp_path):
    """docs/migrating.md 3.1: a missing cell means the same as an empty one; an empty opted_out does not override a status"""
    path = write(tmp_path, "status,email,note,state\nsubscribed,a@example.org,friend,subscribed\nsubscribed,b@example.org\n")
    rules = [word for column in ("status", "state") for word in ("--value", f"{column}:subscribed=active")]
    imported(campaign, path, *rules, "--value", "state:=opted_out", expected=counts(2))
    assert [campaign.find(email=f"{name}@example.org")["opted_out"] for name in "ab"] == [False, True]
    for value in ("null", '""'):
        path = write(tmp_path, '{"email":"c@example.org","opted_out":%s,"status":"unsubscribed"}\n' % value)
        imported(campaign, path, expected=counts(0, rejected=1), status=DATA)


def test_times(campaign, tmp_path):
    """one order of day and month for the whole file; a question if no row shows it"""
    path = write(tmp_path, "email,created\na@example.org,3/1/2024 9:30 PM\nb@example.org,2024-03-01 09:30\nc@example.org,1709285400000\n")
    refused(campaign, path, part="Is the day or the month first? Answer: --dates day-first, or --dates month-first")
    imported(campaign, path, "--dates", "month-first", expected=counts(3))
    assert [campaign.find(email=f"{name}@example.org")["when"] for name in "abc"] == [
        "2024-03-01T21:30:00Z", "2024-03-01T09:30:00Z", "2024-03-01T09:30:00Z"]
    path = write(tmp_path, "email,created\nd@example.org,3/1/2024\ne@example.org,31/1/2024\n")
    imported(campaign, path, expected=counts(2))
    assert campaign.find(email="d@example.org")["when"] == "2024-01-03T00:00:00Z"
    refused(campaign, write(tmp_path, "email,created\nf@example.org,1/31/2024\ng@example.org,31/1/2024\n"), part="Is the day or the month first?")


# --- consent ---

def test_unsubscribed(campaign, tmp_path):
    """a time means yes"""
    path = write(tmp_path, "Email Address,First Name,UNSUB_TIME\nnora@example.org,Nora,2023-05-02 08:11:09\nolaf@example.org,Olaf,\n")
    imported(campaign, path, expected=counts(2))
    assert [campaign.find(email=f"{name}@example.org")["opted_out"] for name in ("nora", "olaf")] == [True, False]


STATUS = "Email,{0}\nnora@example.org,{1}\nolaf@example.org,{2}\nkai@example.org,{2}\n"


@pytest.mark.parametrize("heading, no, yes", [("Status", "unsubscribed", "subscribed"), ("Mailing state", "Abgemeldet", "aktiv"),
                                              ("Newsletter", "nein", "ja"), ("x", "Hard bounce", "ok"), ("Consentement", "", "oui"),
                                              ("status", "inactive", "active"), ("Descadastrado do boletim", "sim", "não"),
                                              ("I agree to get mail [Consent]", "", "Yes"), ("Account deactivated", "yes", "no"),
                                              ("Statut du contact", "Contact non marketing", "Contact"), ("Status", "inactief", "actief"),
                                              ("Status", "Wypisany", "Aktywny"), ("Estado", "Não permitido", "Permitido"),
                                              ("Infolettre", "Non", "Oui"), ("Werbesperre", "X", "-"), ("Permission", "Withdrawn", "Given"),
                                              ("Do not allow bulk emails", "Do Not Allow", "Allow"), ("Toestand", "opgezegd", "lid"),
                                              ("Lists", "News / Unsubscribed", "News"), ("Remarks", "hat sich abgemeldet", "Stammgast"),
                                              ("Status", "5.1.1", "2.0.0"), ("Baja", "Sí", "No"),
                                              ("Niet mailen", "ja", "nee"), ("Lettre d'information", "0", "1")])
def test_a_status(campaign, tmp_path, heading, no, yes):
    """no one becomes an active lead by silence: the error has the options that answer the question"""
    path = write(tmp_path, STATUS.format(heading, no, yes))
    errors = refused(campaign, path, part=f"#2 {heading}: This column says whether people may get mail.")
    assert f"--value '#2:{no}=opted_out'" in errors
    imported(campaign, path, "--value", f"{heading}:{no}=opted_out", "--value", f"#2:{yes.upper()}=active", expected=counts(3))
    assert [campaign.find(email=f"{name}@example.org")["opted_out"] for name in ("nora", "olaf")] == [True, False]
    assert custom(campaign, "nora@example.org") == {}


@pytest.mark.parametrize("heading, yes, no", [("Uutisia", "kyllä", "ei"), ("Kommt", "x", ""), ("Чтение", "да", "нет"), ("Want it?", "Y", "N"),
                                              ("Feld 7", "1", "0"), ("Vegan", "True", "")])
def test_yes_and_no(campaign, tmp_path, heading, yes, no):
    """leadhook(1), lead import: a column with only yes and no may be about consent, in any language; no meaning is suggested"""
    path = write(tmp_path, STATUS.format(heading, yes, no))
    [question] = run_import(campaign, path, "--look")[0]["questions"]
    assert {one["value"]: one["suggested"] for one in question["values"]} == {yes: None, no: None}
    refused(campaign, path, part=f"#2 {heading}: Does this column say whether people may get mail?")
    imported(campaign, path, "--map", "#2=answer", expected=counts(3))
    assert custom(campaign, "nora@example.org") == {"answer": yes}


@pytest.mark.parametrize("heading, more", [("SMS consent", ""), ("Answer", "jo@example.org,perhaps"), ("Plan active", "")])
def test_yes_and_no_of_something_else(campaign, tmp_path, heading, more):
    """the name of the column, or another value, shows that it is not about consent"""
    path = write(tmp_path, STATUS.format(heading, "yes", "no") + more)
    assert "questions" not in run_import(campaign, path, "--look")[0]


@pytest.mark.parametrize("heading, some, empty", [("Consent timestamp", "active", "opted_out"), ("Konto deaktiviert am", "opted_out", "active"),
                                                  ("Bounce reason", "opted_out", "active")])
def test_values_that_all_differ(campaign, tmp_path, heading, some, empty):
    """times, and values that are too many for a question, share the meaning of *"""
    rows = [f"p{n}@example.org,2024-03-01 09:{n % 60:02}:11" for n in range(200)]
    if "reason" in heading:
        rows = [f"p{n}@example.org,refused by host {n}" for n in range(200)]
    path = write(tmp_path, "\n".join([f"Email,{heading}", *rows, "nora@example.org,"]))
    [question] = run_import(campaign, path, "--look")[0]["questions"]
    found = {one["value"]: (one["rows"], one["suggested"]) for one in question["values"]}
    assert sum(rows for rows, _ in found.values()) == 201 and len(found) <= 32
    assert found["*"][1] == some and found[""] == (1, empty)
    refused(campaign, path, part=f"--value '#2:*={some}'")
    imported(campaign, path, "--value", f"#2:*={some}", "--value", f"#2:={empty}", expected=counts(201))
    assert campaign.find(email="p7@example.org")["opted_out"] == (some == "opted_out")
    assert campaign.find(email="nora@example.org")["opted_out"] == (empty == "opted_out")


def test_a_column_with_meanings_is_nothing_else(campaign, tmp_path):
    """it is not mistaken for the column of email addresses, which reveals rows within a quoted text"""
    rows = 'ok,a@example.org,"24 inch\nok,b@example.org,fine\nok,c@example.org,a 24"\n'
    errors = imported(campaign, write(tmp_path, f"Status,email,notes\n{rows}"), "--value", "Status:ok=active",
                      expected=counts(2, rejected=1), status=DATA)
    assert "line 2: the record has a quote" in errors


def test_values_without_a_meaning(campaign, tmp_path):
    """the import asks about them even if other values have a meaning; rows can be left out"""
    path = write(tmp_path, STATUS.format("Status", "cleaned", "subscribed") + "zoe@example.org,odd\nada@example.org\n")
    words = ("--value", "Status:cleaned=left_out", "--value", "Status:subscribed=active")
    errors = refused(campaign, path, *words, part="--value '#2:odd=MEANING' --value '#2:=opted_out'")
    assert "cleaned" not in errors and "subscribed" not in errors
    checked, errors = run_import(campaign, path, *words, "--dry-run", status=DATA)
    [question] = checked["questions"]
    assert [(one["value"], one["rows"]) for one in question["values"]] == [("odd", 1), ("", 1)]
    assert "line 5: Status has a value that was given no meaning" in errors
    imported(campaign, path, *words, "--value", "#2:odd=opted_out", "--value", "#2:=active",
             expected={**counts(4), "rows": 5, "left_out": 1})
    assert campaign.find(email="zoe@example.org")["opted_out"] and not campaign.find(email="ada@example.org")["opted_out"]
    imported(campaign, path, "--map", "Status=-", expected=counts(1, 4))


def test_refusals_among_other_values(campaign, tmp_path):
    """* answers for neutral values; the import asks about any number of refusals, thirty at a time"""
    rows = [f"p{n}@example.org,plan {n}" for n in range(50)] + [f"q{n}@example.org,bounced {n}" for n in range(50)]
    path = write(tmp_path, "\n".join(["Email,Status", *rows]))
    words = ["--value", "Status:*=active"]
    for asked in (30, 20):
        refused(campaign, path, *words, part="--value '#2:bounced")
        [question] = run_import(campaign, path, *words, "--look")[0]["questions"]
        assert [one["suggested"] for one in question["values"]] == ["opted_out"] * asked
        words += [word for one in question["values"] for word in ("--value", f"Status:{one['value']}=opted_out")]
    imported(campaign, path, *words, expected=counts(100))
    assert campaign.find(email="q49@example.org")["opted_out"] and not campaign.find(email="p49@example.org")["opted_out"]


@pytest.mark.parametrize("name", ["unsubscribed_members_export.csv", "Cleaned contacts.csv", "abgemeldet.csv", "bounces-2024.csv"])
def test_a_file_of_people_that_left(campaign, tmp_path, name):
    path = write(tmp_path, "email\nnora@example.org\n", name)
    refused(campaign, path, part="By its name the file has people who must not get mail.")
    imported(campaign, path, "--set", "opted_out=on", expected=counts(1))
    assert campaign.find(email="nora@example.org")["opted_out"] is True


def test_a_lead_in_json(campaign, tmp_path):
    path = write(tmp_path, '{"email":"nora@example.org","status":"unsubscribed"}\n{"email":"olaf@example.org","status":"subscribed"}\n', "x.ndjson")
    errors = imported(campaign, path, expected=counts(1, rejected=1), status=DATA)
    assert "line 1: status says that this person must not get mail" in errors


# --- values ---

def test_constants(service, account, campaign, tmp_path):
    path = write(tmp_path, "Name;E-Mail;Telefon\r\nNora;nora@example.org;0171 1234567\r\n")
    words = ("--set", "country=DE", "--set", "verified=on", "--set", "tag=Fair", "--set", "source=fair", "--make-tags")
    result, _ = run_import(campaign, path, *words)
    assert result["made_tags"] == [{"name": "Fair", "rows": 1}]
    nora = campaign.find(email="nora@example.org")
    assert nora["phone_number"] == "+491711234567" and nora["verified_email"] and nora["tags"][0]["name"] == "Fair"
    refused(campaign, path, "--set", "email=x@example.org", part="cannot be the same for all rows", status=64)
    refused(campaign, path, "--set", "verified=maybe", part="verified is on or off", status=64)


def test_a_bad_number(campaign, tmp_path):
    """a lead with an email address is imported without the number, unless --strict is given"""
    path = write(tmp_path, "email,phone\nnora@example.org,4.91711E+11\nolaf@example.org,+49 171 1234567\n,12\n")
    imported(campaign, path, "--strict", "--dry-run", expected={"rows": 3, "valid": 1, "unchanged": 0, "rejected": 2}, status=DATA)
    result, _ = run_import(campaign, path, status=DATA)
    assert (result["imported"], result["phone_numbers_left_out"], result["rejected"]) == (2, 1, 1)
    assert [(one["line"], one["value"]) for one in result["remarks"]] == [(2, "4.91711E+11")]


def test_tags(campaign, leadhook, tmp_path):
    """names of tags that the campaign lacks are shown first; they can be created, and are added to existing leads"""
    leadhook("tag", "add", campaign.id, "Cafe")
    path = write(tmp_path, 'email,TAGS\nnora@example.org,"Cafe; cafe"\nolaf@example.org,"""cafe"",""New"""\nkai@example.org,"Cafe, Unknown; New"\n')
    result, _ = run_import(campaign, path, "--dry-run")
    assert result["unknown_tags"] == [{"name": "New", "rows": 2}, {"name": "Unknown", "rows": 1}]
    imported(campaign, path, expected={**counts(3), "unknown_tags_and_actions": 3})
    result, _ = run_import(campaign, path, "--make-tags", "--add-tags")
    assert (result["unchanged"], result["tagged"]) == (3, 2)
    assert {tag["name"] for tag in campaign.find(email="kai@example.org")["tags"]} == {"Cafe", "New", "Unknown"}
    assert run_import(campaign, path, "--make-tags", "--add-tags")[0].get("tagged") is None


def test_opt_outs_of_leads_that_exist(campaign, tmp_path):
    """a lead is opted out if a second row, or a later file, says so; no file reverses that; a repetition changes nothing"""
    path = write(tmp_path, "email,status\nnora@example.org,subscribed\nkai@example.org,subscribed\nNora@example.org,unsubscribed\n")
    meanings = ["--value", "status:subscribed=active", "--value", "status:unsubscribed=opted_out"]
    imported(campaign, path, *meanings, expected={**counts(2, unchanged=1), "opted_out": 1})
    assert [campaign.find(email=f"{name}@example.org")["opted_out"] for name in ("nora", "kai")] == [True, False]
    late = write(tmp_path, "email\nkai@example.org\n", name="unsubscribed.csv")
    for words in (["--dry-run"], []):
        assert run_import(campaign, late, "--set", "opted_out=on", *words)[0]["opted_out"] == 1
    imported(campaign, late, "--set", "opted_out=on", expected=counts(unchanged=1))
    imported(campaign, path, *meanings, expected=counts(unchanged=3))
    assert campaign.find(email="kai@example.org")["opted_out"] and campaign.stats()["total"] == 2


def test_missing_cells_take_no_time(campaign, tmp_path):
    """cells missing at the end of rows are empty: they are counted, but not examined one by one"""
    columns = [f"newsletter{number}" for number in range(900)]
    path = write(tmp_path, "\n".join([",".join(["email", *columns]), "x@example.org,yes", *["x@example.org"] * 200_000]))
    begun = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    result, _ = run_import(campaign, path, "--look")
    assert result["questions"][0]["values"] == [{"value": "yes", "rows": 1, "suggested": "active"},
                                                {"value": "", "rows": 1999, "suggested": "opted_out"}]
    assert call(campaign.service.installation, "lead", "import", str(campaign.id), str(path)).returncode == DATA  # the questions
    assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - begun < 5


# --- the check ---

def test_a_dry_run_applies_the_rules_of_the_import(service, account, tmp_path):
    """existing leads, repeated rows, identities of others, referrers in any order; nothing is stored"""
    campaign = service.campaign(account)
    campaign.lead(email="old@example.org")
    rows = [f"r{n}@example.org,,,r{n + 1}@example.org," for n in range(300)] + ["r300@example.org,,,,"]
    rows += ["old@example.org,,,,", "R7@example.org,,,,", "x@example.org,,,nobody@example.org,", f"big@example.org,,,,{'n' * 4000}",
             "later@example.org,2999-01-01,,,"]
    path = write(tmp_path, "\n".join(["email,created,points,referrer,a", *rows]))
    checked, _ = run_import(campaign, path, "--dry-run", status=DATA)
    assert campaign.stats()["total"] == 1
    done, _ = run_import(campaign, path, status=DATA)
    same = ("rows", "unchanged", "rejected")
    assert [checked[name] for name in same] == [done[name] for name in same] and checked["valid"] == done["imported"] == 302


# --- exports ---

EXPORTS = {
    "Mailchimp": 'Email Address,First Name,Last Name,Phone Number,MEMBER_RATING,OPTIN_TIME,OPTIN_IP,CONFIRM_TIME,CONFIRM_IP,LATITUDE,LONGITUDE,'
                 'GMTOFF,DSTOFF,TIMEZONE,CC,REGION,LAST_CHANGED,LEID,EUID,NOTES,TAGS\n'
                 'nora@example.org,Nora,Berg,+49 171 1234567,2,,,"2023-05-02 08:11:09",192.0.2.7,,,,,,de,by,"2023-05-02 08:11:09",1,a1b2,,"""VIP"""\n',
    "HubSpot": "Record ID,First Name,Last Name,Email,Phone Number,Contact owner,Create Date,Unsubscribed from all email\n"
               "51,Nora,Berg,nora@example.org,+491711234567,,2023-05-02 08:11,false\n",
    "Brevo": "EMAIL;FIRSTNAME;LASTNAME;SMS;ADDED_TIME\nnora@example.org;Nora;Berg;+491711234567;2023-05-02 08:11:09\n",
    "ActiveCampaign": "Email,First Name,Last Name,Phone,Tags,Date Created,IP Address\nnora@example.org,Nora,Berg,+491711234567,VIP,2023-05-02 08:11:09,192.0.2.7\n",
    "Google": "First Name,Middle Name,Last Name,Labels,E-mail 1 - Label,E-mail 1 - Value,Phone 1 - Label,Phone 1 - Value\n"
              "Nora,,Berg,* myContacts ::: VIP,* Work,nora@example.org ::: n2@example.org,Mobile,+49 171 1234567\n",
    "Outlook": '"First Name","Last Name","E-mail Address","Mobile Phone"\r\n"Nora","Berg","nora@example.org","+49 171 1234567"\r\n',
    "German": "Vorname;Nachname;E-Mail-Adresse;Handynummer\nNora;Berg;nora@example.org;+49 171 1234567\n",
    "French": "Prénom;Nom;Adresse e-mail;Téléphone mobile\nNora;Berg;nora@example.org;+49 171 1234567\n",
    "Spanish": "Nombre;Apellidos;Correo electrónico;Teléfono móvil\nNora;Berg;nora@example.org;+49 171 1234567\n",
}


@pytest.mark.parametrize("name", EXPORTS)
def test_exports(campaign, tmp_path, name):
    """their columns become fields without options"""
    run_import(campaign, write(tmp_path, EXPORTS[name]))
    nora = campaign.find(email="nora@example.org")
    assert (nora["given_name"], nora["family_name"], nora["phone_number"], nora["opted_out"]) == ("Nora", "Berg", "+491711234567", False)
    assert not {"leid", "euid", "record id", "e-mail 1 - label"} & set(nora["custom_fields"])
    assert "2023-05-02" in EXPORTS[name] or nora["when"] > "2026"
    if "2023-05-02" in EXPORTS[name]:
        assert nora["when"].startswith("2023-05-02T08:11")


def test_a_look(campaign, tmp_path):
    """it shows how a file is read, with the questions as data; nothing is stored"""
    path = write(tmp_path, "sep=;\nEmail;Status;Plan\nnora@example.org;unsubscribed;gold\nolaf@example.org;subscribed;\n")
    result, _ = run_import(campaign, path, "--look")
    assert (result["delimiter"], result["encoding"], result["heading"], result["begin_line"], result["rows"]) == (";", "UTF-8", 2, 3, 2)
    assert [(one["column"], one["field"], one["is_custom"], one["examples"]) for one in result["columns"]] == [
        ("Email", "email", False, ["nora@example.org", "olaf@example.org"]), ("Status", "status", True, ["unsubscribed", "subscribed"]),
        ("Plan", "plan", True, ["gold"])]
    [question] = result["questions"]
    assert question["about"] == "values" and question["column"] == "#2" and [
        (one["value"], one["rows"], one["suggested"]) for one in question["values"]] == [("unsubscribed", 1, "opted_out"), ("subscribed", 1, "active")]
    assert json.dumps(result) and campaign.stats()["total"] == 0
