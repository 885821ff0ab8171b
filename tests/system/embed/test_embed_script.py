# SPDX-License-Identifier: MIT
"""docs/embedding.md 1, docs/api.md 4.1, 7: the script for pages is served to every page, even while the database is away."""
import base64
import gzip
import hashlib
import json

import fastcgi_client
import pytest
from client import new_address
from command import CONFIG, call
from proof import honeypot_of
from service import settles
from stack.front import FRONTS

PATH = "/embed/v1/embed.js"
FIELD = ('<label>Email <input name="email" type="text" autocomplete="email" inputmode="email" autocapitalize="none" spellcheck="false" required>'
         '</label>')


def get(service, method="GET", **options):
    return service.client.request(method, PATH, **options)


def version_of(script):
    return hashlib.sha256(script).hexdigest()[:16]


@pytest.mark.parametrize("front", ["lighttpd-socket", "apache-proxy-fcgi", "nginx"])
def test_the_script(make_service, front):
    """content type, caching and CORS; HEAD; 304 for the version that the browser has"""
    service = make_service(front=FRONTS[front], mount="/lead/", workers=2)
    answer = get(service, headers={"Origin": "https://shop.example"})
    assert answer.status == 200
    wanted = {"Content-Type": "text/javascript; charset=utf-8", "Cache-Control": "public, max-age=3600",
              "X-Content-Type-Options": "nosniff", "Access-Control-Allow-Origin": "*"}
    assert {name: ", ".join(answer.headers.get_all(name)) for name in wanted} == wanted
    assert int(answer.headers["Content-Length"]) == len(answer.body)
    for version, cached in ((version_of(answer.body), "public, max-age=31536000, immutable"),
                            ("0123456789abcdef", wanted["Cache-Control"])):
        versioned = get(service, query={"v": version})
        assert (versioned.body, versioned.headers["Cache-Control"]) == (answer.body, cached)
    version = answer.headers["ETag"]
    head = get(service, "HEAD")
    assert (head.status, head.body, head.headers["ETag"]) == (200, b"", version)
    assert head.headers["Content-Length"] == answer.headers["Content-Length"]
    for sent in (version, f'W/{version}', f'"x", {version}', version[:-1] + '-gzip"'):
        unchanged = get(service, headers={"If-None-Match": sent})
        assert (unchanged.status, unchanged.body, unchanged.headers["ETag"]) == (304, b"", version), sent
        assert unchanged.headers["Cache-Control"] == wanted["Cache-Control"]
    for sent in ('"0123456789abcdef"', "x", '""'):
        assert get(service, headers={"If-None-Match": sent}).body == answer.body
    packed = get(service, headers={"Accept-Encoding": "gzip"})
    assert gzip.decompress(packed.body) == answer.body and packed.headers["Vary"] == answer.headers["Vary"] == "Accept-Encoding"
    service.stop()


def test_the_script_of_older_bars(service):
    """docs/embedding.md 8: the script is also served at the address that older signup bars use"""
    script, bar = get(service), service.client.request("GET", "/bar/v1/signupbar.js")
    assert (bar.status, bar.body, bar.headers["ETag"]) == (200, script.body, script.headers["ETag"])
    assert bar.headers["Content-Type"] == script.headers["Content-Type"]
    assert service.client.request("GET", "/bar/v1/signupbar.js", headers={"If-None-Match": bar.headers["ETag"]}).status == 304
    assert service.client.request("GET", "/bar/v1/embed.js").verdict == (404, "not_found")


@pytest.mark.parametrize("path", ["/2.2.0/kol.js", "/3/kol.js", "/widgets/1.9.6/kol_any_form.js", "/widgets/1.9.6/kol_embed.js",
                                  "/w/kol_any_form.js", "/w/113350/229450.js", "/w/1.9.4/kol_any_form.js"])
def test_scripts_of_older_pages(service, path):
    """docs/embedding.md 8: the script is also served at the addresses that pages of a hosted service use"""
    script, older = get(service), service.client.request("GET", path)
    same = ("ETag", "Content-Type", "Cache-Control", "Access-Control-Allow-Origin", "X-Content-Type-Options")
    assert (older.status, older.body) == (200, script.body)
    assert [older.headers[name] for name in same] == [script.headers[name] for name in same]
    assert service.client.request("GET", path, headers={"If-None-Match": older.headers["ETag"]}).status == 304
    for bad in (path.replace(".js", ".css"), path + "/x/y"):
        assert service.client.request("GET", bad).verdict == (404, "not_found"), bad


def test_icons(service):
    """docs/embedding.md 8: icons are SVG, even under names that end with .png"""
    for name in ("facebook.png", "x.svg", "email.png"):
        icon = service.client.request("GET", f"/embed/v1/images/social/{name}")
        assert (icon.status, icon.headers["Content-Type"]) == (200, "image/svg+xml; charset=utf-8") and icon.body.startswith(b"<svg ")
        assert icon.headers["Cache-Control"] == "public, max-age=3600"
        assert service.client.request("GET", f"/embed/v1/images/social/{name}", headers={"If-None-Match": icon.headers["ETag"]}).status == 304
    for name in ("facebook", "facebook.gif", "nothing.png", ".png", "facebook.png.png"):
        assert service.client.request("GET", f"/embed/v1/images/social/{name}").verdict == (404, "not_found"), name


def test_older_pages_by_id(service, campaign):
    """docs/embedding.md 8: the path redirects to the campaign's page, with the query, whether or not the campaign exists"""
    for id in (campaign.id, 999999999):
        for path, query in ((f"/{id}", {}), (f"/{id}/", {"kid": "7A", "utm_source": "a b"})):
            answer = service.client.request("GET", path, query=query)
            sent = "?kid=7A&utm_source=a+b" if query else ""
            assert answer.status == 303 and answer.headers["Location"].replace("%20", "+") == f"{service.front.base_path}/c/{id}{sent}"
    assert service.client.request("GET", "/x").verdict == (404, "not_found")
    assert service.client.request("POST", f"/{campaign.id}").verdict == (405, "method_not_allowed")


def test_queries_of_older_pages_that_no_web_server_passes(service, campaign):
    """docs/embedding.md 8: control characters that are sent directly to the program are escaped; existing escapes stay"""
    response = fastcgi_client.request(str(service.installation.socket), REQUEST_METHOD="GET",
                                      REQUEST_URI=f"{service.front.base_path}/{campaign.id}?a=\t\r\nb&c=\x01%20\x7f+é")
    sent = "?a=%09%0D%0Ab&c=%01%20%7F+%C3%A9"
    assert (response.status, response.headers["location"]) == (303, f"{service.front.base_path}/c/{campaign.id}{sent}")


def test_size(service):
    """the script has at most 12 KiB compressed, and is ASCII without comments"""
    body = get(service).body
    assert len(gzip.compress(body, 9)) <= 12 * 1024
    lines = body.decode("ascii").split("\n")
    assert lines[0] == "/* Leadhook, SPDX-License-Identifier: MIT */" and lines[1] == "(function () {"
    assert not any(line.startswith("//") or line.startswith((" ", "\t")) for line in lines)


def test_other_methods_and_paths(service):
    """docs/api.md 1.1: 405 for other methods, 404 for other names"""
    assert get(service, "POST", form={}).verdict == (405, "method_not_allowed")
    assert service.client.request("GET", "/embed/v1/other.js").verdict == (404, "not_found")
    assert service.client.request("GET", "/embed/v2/embed.js").verdict == (404, "not_found")


def test_no_limit(service):
    """docs/api.md 5: requests for the script do not count as calls of the address"""
    address = new_address()
    assert {get(service, address=address).status for _ in range(110)} == {200}
    assert service.client.request("GET", "/v2/999999999", query={"email": "a@example.org"}, address=address).status == 404


def test_without_a_database(make_service, own_database):
    """docs/embedding.md 1: pages still get the script"""
    service = make_service(database=own_database)
    own_database.stop()
    settles(lambda: service.client.request("GET", "/health/ready"), 503)
    assert get(service).status == 200
    own_database.start()


def test_markup_for_pages(leadhook, campaign):
    """docs/embedding.md: the address of the service is escaped in the markup; without server.base_url, no markup is printed"""
    url, id = campaign.service.front.url, campaign.id
    leadhook("campaign", "set", id, "pages=on")
    trap = honeypot_of(campaign)
    for bots, mark, field in (("off", "", ""), ("honeypot", "", trap), ("proof", " data-proof", trap), ("proof_or_confirm", " data-proof", trap)):
        leadhook("campaign", "set", id, f"bots={bots}")
        hidden = (f' <label hidden aria-hidden="true">Leave this field empty <input name="{field}" tabindex="-1" autocomplete="off"></label>'
                  if field else "")
        short = {
            "page": f"{url}/c/{id}", "script": f'<script src="{url}/embed/v1/embed.js" defer></script>',
            "form": f'<div data-leadhook-form="{id}"><a href="{url}/c/{id}">Sign up</a></div>',
            "frame": f'<iframe src="{url}/c/{id}" title="{campaign.name}" width="100%" height="640" '
                     'referrerpolicy="no-referrer-when-downgrade"></iframe>',
            "status": f'<div data-leadhook-status="{id}"></div>', "leaderboard": f'<div data-leadhook-leaderboard="{id}"></div>'}
        assert leadhook("campaign", "embed", id) == short
        assert leadhook("campaign", "embed", id, "--markup") == {
            **short,
            "form_markup": f'<form data-leadhook="{id}"{mark} method="post" accept-charset="utf-8" action="{url}/v1/{id}/subscribe">{FIELD}{hidden} '
                    '<button>Sign up</button></form>',
            "plain_form": f'<form method="post" accept-charset="utf-8" action="{url}/v1/{id}/subscribe">{FIELD}{hidden} <button>Sign up</button></form>'}
    for base, shown in (('https://a.example/"&<', "https://a.example/&#34;&#38;&#60;"), ("", None)):
        done = call(campaign.service.installation, "campaign", "embed", str(id), "--json", env={"LEADHOOK_SERVER_BASE_URL": base})
        if shown:
            assert json.loads(done.stdout)["script"] == f'<script src="{shown}/embed/v1/embed.js" defer></script>'
        else:
            assert done.returncode == CONFIG and "server.base_url is not set" in done.stderr


def test_fields_of_the_campaign(leadhook, campaign, tmp_path):
    """docs/embedding.md: the forms have the campaign's fields, consent and button, escaped and in its language; what is removed from the
    campaign is gone"""
    leadhook("campaign", "set", campaign.id, "bots=off", "language=de", "pages=on")
    (tmp_path / "consent.txt").write_text("I <agree>\nto all")
    leadhook("page", "set", campaign.id, f"consent=@{tmp_path}/consent.txt", "button=Join & win", "fields=email; first_name required; plan select required: Plan = A | B \"C\"; "
             "note textarea: Note; age number: Age; news checkbox: News <b>")
    version = next(row["name"] for row in leadhook("page", "show", campaign.id) if row["name"].startswith("consent.")).partition(".")[2]
    fields = (f'{FIELD.replace("Email", "E-Mail-Adresse")} <label>Vorname <input name="first_name" type="text" autocomplete="given-name" required></label> '
              '<label>Plan <select name="plan" required><option value="">Bitte auswählen</option><option value="A">A</option><option value="B &#34;C&#34;">B &#34;C&#34;</option></select></label> '
              '<label>Note <textarea name="note" rows="4"></textarea></label> <label>Age <input name="age" type="number" step="any"></label> '
              '<label><input name="news" type="checkbox" value="yes"> News &#60;b&#62;</label> '
              '<label><input name="consent" type="checkbox" value="yes" required> I &#60;agree&#62;<br>to all</label>'
              f'<input type="hidden" name="consent_version" value="{version}"> <button>Join &#38; win</button></form>')
    markup = leadhook("campaign", "embed", campaign.id, "--markup")
    assert ">Join &#38; win</a>" in markup["form"]
    assert markup["form_markup"].partition(">")[2] == markup["plain_form"].partition(">")[2] == fields
    leadhook("page", "set", campaign.id, "fields=phone_number", "consent=", "button=")
    number = '<label>Telefonnummer mit Ländervorwahl <input name="phone_number" type="tel" autocomplete="tel" required></label>'
    assert leadhook("campaign", "embed", campaign.id, "--markup")["plain_form"].partition(">")[2].startswith(number + " <button>")


def test_markup_of_settings(leadhook, campaign):
    """docs/embedding.md: without `pages`, the markup has no page; a plain form is always answered for people, whatever `form_answer` is;
    data-redirect; --integrity"""
    leadhook("campaign", "set", campaign.id, "pages=off", "form_answer=json", "thankyou_url=https://shop.example/thanks")
    markup, verified = (leadhook("campaign", "embed", campaign.id, "--markup", *more) for more in ([], ["--integrity"]))
    assert markup["page"] is None and markup["frame"] is None and markup["form"] == f'<div data-leadhook-form="{campaign.id}" data-redirect></div>'
    answered = '<input type="hidden" name="__answer" value="redirect">'
    assert answered in markup["plain_form"] and answered not in markup["form_markup"]
    assert " data-redirect" in markup["form_markup"] and " data-redirect" not in markup["plain_form"]
    script = get(campaign.service).body
    value = base64.b64encode(hashlib.sha384(script).digest()).decode()
    assert verified.pop("script") == (f'<script src="{campaign.service.front.url}{PATH}?v={version_of(script)}" integrity="sha384-{value}" '
                                      'crossorigin="anonymous" defer></script>')
    assert verified.items() < markup.items()
