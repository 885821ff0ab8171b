# SPDX-License-Identifier: MIT
"""docs/mail.md 2: Python's email package reads our messages and finds what was put into them."""
import email
import email.header
import email.policy
import html.parser
import subprocess

import pytest
from tree import BUILD

KINDS = ("verify", "welcome", "reward", "referral", "status_link", "erase_confirm")
LIST_KINDS = ("welcome", "reward", "referral")
LANGUAGES = ("en", "de", "es", "fr")
VALUES = {
    "campaign_name": "Bücher & „Mehr“ <1>", "first_name": "Zoë", "position": "12", "score": "30", "referrals": "3",
    "share_url": "https://lead.example/?kid=a1&x=2", "status_url": "https://lead.example/c/1/s/a1/t", "code": "012345",
    "code_url": "https://lead.example/c/1/code",
    "confirm_url": "https://lead.example/c/1/confirm/t?exp=1&sig=2", "reward": "Tasse ☕", "referred_name": "漢字",
    "privacy_url": "https://example.org/privacy", "unsubscribe_url": "https://lead.example/opt-out/1/a1/t?safe=1",
    "logo_url": "https://example.org/logo.png",
}
HEADERS = ["Date", "From", "To", "Subject", "Message-ID", "Auto-Submitted", "X-Auto-Response-Suppress", "MIME-Version",
           "Content-Type"]


def compose(**settings):
    arguments = [f"{name}={value}" for name, value in {"to": "ada@example.com", **VALUES, **settings}.items()]
    return subprocess.run([BUILD / "tests" / "mail" / "compose_mail", *arguments], capture_output=True, check=False, timeout=10)


def compose_bytes(**settings):
    run = compose(**settings)
    assert run.returncode == 0, run.stdout
    return run.stdout


def parse(message):
    parsed = email.message_from_bytes(message, policy=email.policy.SMTP)
    for part in parsed.walk():
        assert not part.defects
        for _, value in part.items():
            assert not value.defects
    return parsed


def parts(parsed):
    return parsed.get_body(("plain",)).get_content(), parsed.get_body(("html",)).get_content()


class Reader(html.parser.HTMLParser):
    """The texts and links of a document, and its open elements."""

    def __init__(self, document):
        super().__init__()
        self.text, self.links, self.open, self.language = "", [], [], None
        self.feed(document)
        self.close()
        assert not self.open

    def handle_starttag(self, tag, attributes):
        if tag not in ("meta", "img", "br"):
            self.open.append(tag)
        attributes = dict(attributes)
        self.language = attributes.get("lang", self.language)
        if tag == "a":
            self.links.append(attributes["href"])

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += "" if "style" in self.open else data


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("kind", KINDS)
def test_default_mails(kind, language):
    message = compose_bytes(kind=kind, language=language)
    assert message.isascii()
    assert b"\r" not in message.replace(b"\r\n", b"") and b"\n" not in message.replace(b"\r\n", b"")
    assert max(len(line) for line in message.split(b"\r\n")) <= 98
    parsed = parse(message)
    listed = [name for name in parsed.keys() if name.startswith("List-")]
    assert [name for name in parsed.keys() if name not in listed] == HEADERS
    assert listed == (["List-Unsubscribe", "List-Unsubscribe-Post"] if kind in LIST_KINDS else [])
    text, document = parts(parsed)
    reader = Reader(document)
    assert reader.language == language
    assert "{{" not in text + reader.text
    assert VALUES["campaign_name"] in text and VALUES["campaign_name"] in reader.text
    main = VALUES["confirm_url" if kind in ("verify", "erase_confirm") else "status_url"]
    assert reader.links[0] == main and main in text
    assert set(reader.links) <= set(VALUES.values()) and all(link in text for link in reader.links)
    assert (VALUES["unsubscribe_url"] in reader.links) == (kind in LIST_KINDS)


def test_headers():
    sender = "Büro „Süd“ des sehr langen Vereins für alles, was es gibt"
    message = compose_bytes(kind="reward", **{"from": f"{sender} <Hello@bücher.example>"}, reply_to="Help <help@example.org>",
                            subject="{{reward}} – " + "für {{first_name}} " * 10)
    parsed = parse(message)
    # In older versions, the parser of addresses keeps the white space between encoded-words.
    raw = email.message_from_bytes(message)["From"]
    name = email.header.make_header(email.header.decode_header(raw.rpartition(" ")[0]))
    assert str(name) == sender
    assert parsed["From"].addresses[0].addr_spec == "Hello@xn--bcher-kva.example"
    assert parsed["To"] == "ada@example.com" and parsed["Reply-To"] == "Help <help@example.org>"
    assert parsed["Subject"] == ("Tasse ☕ – " + "für Zoë " * 10).strip()
    assert parsed["Message-ID"] == "<m1.test@xn--bcher-kva.example>"
    assert parsed["Date"].datetime.isoformat() == "2026-11-25T12:49:53+00:00"
    assert parsed["Auto-Submitted"] == "auto-generated" and parsed["X-Auto-Response-Suppress"] == "All"
    assert parsed["List-Unsubscribe"] == f"<{VALUES['unsubscribe_url']}>"
    assert parsed["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"


def test_bodies_come_back_as_they_were():
    text = "Zeile = 1 \n\t\n.\n..\nFrom x\n=_part\n--=_part--\n" + "漢" * 200 + "\n{{confirm_url}}\nlast"
    document = "<p title='>'>" + "é" * 300 + "</p>\n.<a href=\"{{confirm_url}}\">x</a> "
    parsed = parse(compose_bytes(text=text, html=document))
    got_text, got_html = parts(parsed)
    assert got_text.replace("\r\n", "\n") == text.replace("{{confirm_url}}", VALUES["confirm_url"]) + "\n"
    escaped = VALUES["confirm_url"].replace("&", "&amp;")
    assert got_html.replace("\r\n", "\n") == document.replace("{{confirm_url}}", escaped) + "\n"


def test_values_stay_in_their_place():
    """Texts of strangers add no headers, lines, tags or links."""
    evil = "x\r\nBcc: eve@example.org\r\n\r\n<script>alert(1)</script>\" onload='y"
    parsed = parse(compose_bytes(kind="reward", reward=evil, first_name="buy at evil.example",
                                 subject="A {{reward}} {{first_name}}"))
    assert parsed["Bcc"] is None
    assert parsed["Subject"] == "A x  Bcc: eve@example.org    <script>alert(1)</script>\" onload='y"
    text, document = parts(parsed)
    assert "evil.example" not in text + document
    assert "<script" not in document
    assert "x  Bcc: eve@example.org    <script>alert(1)</script>\" onload='y" in Reader(document).text


def test_an_address_that_is_not_ascii():
    message = compose_bytes(to="jürgen@bücher.example")
    lines = [line for line in message.split(b"\r\n") if not line.isascii()]
    assert lines == ["To: jürgen@xn--bcher-kva.example".encode()]


def test_the_message_is_the_same_each_time():
    assert compose_bytes(kind="welcome") == compose_bytes(kind="welcome")


def test_what_is_wrong_is_named():
    assert compose(text="Hello {{name}}").stdout == b'text template, line 1, column 7: there is no value "name"'
    assert compose(to="a@example.org\r\nRCPT TO:<b@example.org>").stdout == b"the recipient is not a valid address"
