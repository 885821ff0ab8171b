# SPDX-License-Identifier: MIT
"""A page as a reader without scripts, images or a large screen sees it."""
import html.parser
import re

VOID = {"meta", "br", "hr", "input", "link", "img"}
ALLOWED = {"html", "head", "meta", "title", "link", "script", "noscript", "body", "header", "img", "main", "footer", "h1", "h2", "p", "br", "a", "div",
           "section", "span", "small", "ul", "ol", "li", "dl", "dt", "dd", "table", "thead", "tbody", "tr", "th", "td", "form", "label", "input",
           "select", "option", "textarea", "button", "progress"}


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


OWN = re.compile(r"http://127\.0\.0\.1:\d+|(\*\.)?127\.0\.0\.1:\*")  # of server.base_url


def check_policy(response, images=(), forms=()):
    """Check the Content-Security-Policy of a page. Forms may lead to `forms`, and to the service by the host of its base URL."""
    found = dict(item.split(" ", 1) for item in response.headers["Content-Security-Policy"].split("; "))
    sources = {name: set(values.split()) for name, values in found.items()}
    own = {source for source in sources["form-action"] if OWN.fullmatch(source)}
    assert len(own) == 3
    assert sources.pop("frame-ancestors") in ({"*"}, {"'none'"})  # test_pages.py::test_frames
    assert sources == {
        "default-src": {"'none'"}, "script-src": {"'self'"}, "style-src": {"'self'"}, "img-src": {"'self'", *images},
        "connect-src": {"'self'"}, "form-action": {"'self'", *forms, *own}, "base-uri": {"'none'"}}


def check_page(response, status, language="en", referrer="no-referrer", forms=()):
    """Check that the page is well-formed and self-contained, and that its headers protect a secret address. `referrer`: the
    policy; with the default one, a browser sends no origin with a form."""
    assert response.status == status
    headers = response.headers
    assert headers["Content-Type"] == "text/html; charset=utf-8"
    assert headers["X-Content-Type-Options"] == "nosniff" and headers["X-Request-Id"]
    assert headers["Cache-Control"] == "no-store" and headers["Referrer-Policy"] == referrer
    assert headers["X-Robots-Tag"] == "noindex" and headers["Vary"] == "Accept-Language"
    page = Page(response.body.decode())
    check_policy(response, forms=forms)
    check_frame(page, language)
    metas = [attrs for attrs, _ in page.all("meta")]
    assert {"name": "robots", "content": "noindex"} in metas
    for attrs, around in page.all("button"):
        assert attrs == {"type": "submit"} and "form" in around and page.text("button").strip()
    return page


def check_frame(page, language="en"):
    assert page.all("html")[0][0] == {"lang": language, "dir": "ltr"}
    assert len(page.all("title")) == len(page.all("h1")) == len(page.all("main")) == 1
    assert page.text("title") and page.text("h1")
    metas = [attrs for attrs, _ in page.all("meta")]
    assert {"charset": "utf-8"} in metas
    assert {"name": "viewport", "content": "width=device-width, initial-scale=1"} in metas
    for tag, name in (("link", "href"), ("script", "src"), ("img", "src")):
        assert all(attrs[name].startswith("/") or tag == "img" for attrs, _ in page.all(tag))
