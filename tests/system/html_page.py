# SPDX-License-Identifier: MIT
"""A page as a reader without scripts, images or a large screen sees it."""
import base64
import hashlib
import html.parser
import re

VOID = {"meta", "br", "hr", "input"}
ALLOWED = {"html", "head", "meta", "title", "style", "body", "main", "h1", "p", "form", "button"}


class Page(html.parser.HTMLParser):
    """The elements of a page, and the text of each. Fails when the page is not well-formed."""

    def __init__(self, text):
        super().__init__()
        self.open, self.found, self.texts = [], [], {}
        assert text.startswith("<!DOCTYPE html>\n")
        self.feed(text)
        self.close()
        assert not self.open, f"never closed: {self.open}"

    def handle_starttag(self, tag, attrs):
        assert tag in ALLOWED
        names = [name for name, _ in attrs]
        assert len(names) == len(set(names)) and not any(name.startswith("on") or name == "style" for name in names)
        self.found.append((tag, dict(attrs), tuple(self.open)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open and self.open.pop() == tag

    def handle_data(self, data):
        if data.strip():
            self.texts.setdefault(self.open[-1], []).append(data)

    def all(self, tag):
        return [(attrs, around) for name, attrs, around in self.found if name == tag]

    def text(self, tag):
        return "".join(self.texts.get(tag, []))


def check_page(response, status):
    """The page is valid, accessible and self-contained; its headers protect an address that is secret."""
    assert response.status == status
    headers = response.headers
    assert headers["Content-Type"] == "text/html; charset=utf-8"
    assert headers["X-Content-Type-Options"] == "nosniff" and headers["X-Request-Id"]
    assert headers["Cache-Control"] == "no-store" and headers["Referrer-Policy"] == "no-referrer"
    assert headers["X-Robots-Tag"] == "noindex"
    page = Page(response.body.decode())
    assert page.all("html")[0][0] == {"lang": "en"}
    assert len(page.all("title")) == len(page.all("h1")) == len(page.all("main")) == 1
    assert page.text("title") and page.text("h1") and page.text("p")
    metas = [attrs for attrs, _ in page.all("meta")]
    assert {"charset": "utf-8"} in metas and {"name": "robots", "content": "noindex"} in metas
    assert {"name": "viewport", "content": "width=device-width, initial-scale=1"} in metas
    assert not re.search(r"url\(|@import", page.text("style"))
    style = base64.b64encode(hashlib.sha256(page.text("style").encode()).digest()).decode()
    assert headers["Content-Security-Policy"] == (
        f"default-src 'none'; style-src 'sha256-{style}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'")
    for attrs, around in page.all("button"):
        assert attrs == {"type": "submit"} and "form" in around and page.text("button").strip()
    return page
