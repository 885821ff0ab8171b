# SPDX-License-Identifier: MIT
"""docs/mail.md 1.3: random templates that Leadhook accepts, parsed as browsers do. Values change nothing but the texts and
attributes that may show them."""
import email
import email.policy
import random
import subprocess

import pytest
from tree import BUILD

html5lib = pytest.importorskip("html5lib")

TEMPLATES = 1500
SEED = 20261125
V, U = "{{campaign_name}}", "{{confirm_url}}"
# Places for values, as lists of parts. Templates are made of them at random, sometimes with a part of another place inserted, or a
# part left out.
PLACES = (
    (V,), ("<", "p", ">", V, "</", "p", ">"), ("<", V, ">"), ("<", "p", " ", V, ">"),
    ("<p ", "title=", '"', V, '"', ">"), ("<p ", "title=", "'", V, "'", ">"), ("<p ", "title", "=", V, ">"),
    ("<p ", "title=", "a", V, " ", "b", ">"), ("<p ", "onclick=", '"', V, '"', ">"),
    ("<p ", "style=", '"', V, '"', ">"), ("<a ", "href=", '"', U, '"', ">", V, "</a", ">"),
    ("<a ", "href=", '"', V, '"', ">"), ("<a ", "href=", '"', "https://a.example/", "?", U, '"', ">"),
    ("<img ", "src", "=", '"', U, '"', " alt=", '"', V, '"', "/", ">"), ("<style>", "a", V, "</style", ">", V),
    ("<title>", V, "</title", ">"), ("<title>", "</titl", ">", V, "</title", " ", ">", V),
    ("<style>", "</styl", ">", V, "</style", ">"), ("<!--", "a", V, "--", ">", V), ("<!--", ">", V, "--", ">", V),
    ("<!--", "-", ">", V, "-->"), ("<!--", "a", "--", "!", ">", V, "-->"), ("<!--", "!", ">", V, "-->"),
    ("<!", "a", V, ">", V), ("<?", "a", ">", V, ">"), ("<![CDATA[", V, "]]>"), ("</a x=", '"', V, '"', ">"),
    ("<table>", "<td>", V), ("<select>", V, "<option>", V),
)
PLAIN_NAME, PLAIN_URL = "Plainname", "https://plain.example/"
NAME, URL = "V&<>\"' W</style></title>--><script>x", "https://u.example/?V=1&W"
ENCODED = (("https%3A%2F%2Fplain.example%2F", "https%3A%2F%2Fu.example%2F%3FV%3D1%26W"), (PLAIN_URL, URL), (PLAIN_NAME, NAME))
SHOWN_IN = {PLAIN_NAME: ("alt", "title", "lang", "aria-label")}
SHOWN_IN[PLAIN_URL] = (*SHOWN_IN[PLAIN_NAME], "href", "src")


def draw_template(draw):
    pieces = [piece for place in draw.choices(PLACES, k=draw.randint(1, 2)) for piece in place]
    at = draw.randrange(len(pieces))
    if draw.random() < 0.5:
        pieces[at:at + draw.randint(0, 1)] = [draw.choice(draw.choice(PLACES))]
    elif draw.random() < 0.5:
        del pieces[at]
    return U + "".join(pieces)


def render(template, name, url):
    run = subprocess.run([BUILD / "tests" / "mail" / "compose_mail", "to=a@example.com", f"html={template}",
                          f"campaign_name={name}", f"confirm_url={url}"], capture_output=True, check=False, timeout=10)
    if run.returncode != 0:
        return None
    return email.message_from_bytes(run.stdout, policy=email.policy.SMTP).get_body(("html",)).get_content()


def tree(element):
    """Return the element as nested lists; a comment's tag is a function."""
    name = element.tag if isinstance(element.tag, str) else "!--"
    return [name, dict(element.attrib), element.text or "", [tree(child) for child in element], element.tail or ""]


def with_values(value):
    """Return the tree with the plain values replaced by the other values."""
    if isinstance(value, str):
        for plain, other in ENCODED:
            value = value.replace(plain, other)
        return value
    if isinstance(value, dict):
        return {name: with_values(text) for name, text in value.items()}
    return [with_values(item) for item in value]


def check_places(node):
    name, attributes, text, children, _ = node
    for plain, allowed in SHOWN_IN.items():
        assert plain not in name
        assert name not in ("style", "!--") or plain not in text
        for attribute, value in attributes.items():
            assert plain not in attribute
            assert plain not in value or attribute in allowed
    for child in children:
        check_places(child)


def test_values_stay_where_browsers_show_them():
    draw = random.Random(SEED)
    accepted = 0
    for _ in range(TEMPLATES):
        template = draw_template(draw)
        plain = render(template, PLAIN_NAME, PLAIN_URL)
        if plain is None:
            continue
        accepted += 1
        expected = tree(html5lib.parse(plain, namespaceHTMLElements=False))
        check_places(expected)
        found = tree(html5lib.parse(render(template, NAME, URL), namespaceHTMLElements=False))
        assert found == with_values(expected), template
    assert accepted > TEMPLATES / 10
