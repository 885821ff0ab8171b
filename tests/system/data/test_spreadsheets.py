# SPDX-License-Identifier: MIT
"""leadhook(1), lead import: files as Excel, LibreOffice and Google Sheets write them."""
import pytest
from command import DATA, USAGE, call
from transfers import counts, imported, write

ROWS = [["Email", "First name", "Opted out", "Notes", "Phone"],
        ["ada@example.org", "Åda", "{true}", 'a "quoted" text; with, all', "+4915112345678"],
        ["bob@example.org", "Bob", "{false}", "two\nlines", ""],
        ["", "", "", "", ""]]


def text(delimiter, end, quote_all=False, words=("TRUE", "FALSE"), trailing=0, last_end=True):
    def cell(value):
        value = value.format(true=words[0], false=words[1]) if value.startswith("{") else value
        quoted = quote_all or any(c in value for c in f'{delimiter}"\n')
        return '"' + value.replace('"', '""') + '"' if quoted else value
    lines = [delimiter.join([*map(cell, row), *[""] * trailing]) for row in ROWS]
    return end.join(lines) + (end if last_end else "")


FILES = {
    "Excel, CSV UTF-8": text(",", "\r\n").encode("utf-8-sig"),
    "Excel, CSV UTF-8, German": text(";", "\r\n", words=("WAHR", "FALSCH")).encode("utf-8-sig"),
    "Excel, CSV UTF-8, French": text(";", "\r\n", words=("VRAI", "FAUX")).encode("utf-8-sig"),
    "Excel, CSV": (text(",", "\r\n").encode("cp1252"), "--encoding", "WINDOWS-1252"),
    "Excel, CSV, Macintosh": (text(",", "\r").encode("mac_roman"), "--encoding", "MACINTOSH"),
    "Excel, Unicode text": text("\t", "\r\n").encode("utf-16"),
    "Excel, Unicode text, big-endian": b"\xfe\xff" + text("\t", "\r\n").encode("utf-16-be"),
    "Excel, with sep=": ("sep=;\r\n" + text(";", "\r\n")).encode("utf-8-sig"),
    "Excel, columns that were emptied": text(",", "\r\n", trailing=3).encode("utf-8-sig"),
    "LibreOffice": text(",", "\n").encode(),
    "LibreOffice, all quoted": text(";", "\n", quote_all=True).encode(),
    "LibreOffice, UTF-16": text(",", "\n").encode("utf-16"),
    "LibreOffice, tabs": text("\t", "\n").encode(),
    "Google Sheets": text(",", "\r\n", last_end=False).encode(),
    "Google Sheets, TSV": text("\t", "\r\n", last_end=False).replace("two\nlines", "two lines").encode(),
}


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("way", ["file", "standard input"])
def test_files(service, account, tmp_path, name, way):
    campaign = service.campaign(account)
    content, *words = FILES[name] if isinstance(FILES[name], tuple) else (FILES[name],)
    if way == "file":
        imported(campaign, write(tmp_path, content), *words, expected=counts(2))
    else:
        imported(campaign, "-", *words, stdin=content, expected=counts(2))
    ada, bob = campaign.find(email="ada@example.org"), campaign.find(email="bob@example.org")
    assert ada["custom_fields"] == {"first_name": "Åda", "notes": 'a "quoted" text; with, all'}
    assert (ada["opted_out"], bob["opted_out"], ada["phone_number"]) == (True, False, "+4915112345678")
    assert bob["custom_fields"]["notes"].split() == ["two", "lines"]


@pytest.mark.parametrize("row, reason", [
    (",4.91512E+12,", "phone_number is not valid"),
    ("ada@example.org,,32/15/2025 14:29", "created must be a time"),
    ("ada@example.org,,45853.6", "created must be a time"),
    ("#REF!,,", "email is not valid"),
])
def test_what_a_spreadsheet_has_damaged(campaign, tmp_path, row, reason):
    """a damaged row is rejected with its reason, and the other rows are imported"""
    path = write(tmp_path, f"email,phone,created\n{row}\nbob@example.org,,2025-07-15 14:29:23\n")
    errors = imported(campaign, path, expected=counts(1, rejected=1), status=DATA)
    assert f"line 2: {reason}" in errors


def test_an_unnamed_encoding(campaign, tmp_path):
    """it is recognized from the contents of the file; an unknown name is refused, with a list of the known ones"""
    path = write(tmp_path, "email,first name\nada@example.org,Åda\nbob@example.org,Bob\n".encode("cp1252"))
    done = call(campaign.service.installation, "lead", "import", str(campaign.id), str(path), "--encoding", "NONSENSE")
    assert done.returncode == USAGE and "--encoding: expected UTF-8" in done.stderr and campaign.stats()["total"] == 0
    imported(campaign, path, expected=counts(2))
    assert campaign.find(email="ada@example.org")["first_name"] == "Åda"
