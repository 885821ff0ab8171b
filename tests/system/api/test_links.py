# SPDX-License-Identifier: MIT
"""docs/api.md 1.4: links that people have copied, and what browsers send about the page of a form. The examples are in
tests/http/links.txt."""
import json

import pytest
from marks import FIREFOX_LATER
from client import multipart
from html_page import Page
from tree import SOURCE

NAVIGATE = {"Sec-Fetch-Mode": "navigate"}
ADA = {"email": "ada@example.org"}
EXAMPLES = [line.split("\t") for line in (SOURCE / "tests/http/links.txt").read_text(encoding="utf-8").splitlines() if "\t" in line]
# queries of the hosted page's link, as a browser, like the test's client, sends them
DAMAGED = ["kid={}?utm_source=flyer", "utm_source=flyer&amp;kid={}", "kid={}.&utm_source=flyer", "kid={})&utm_source=flyer",
           "kid=%E2%80%9C{}%E2%80%9D&UTM_SOURCE=flyer", "kid%3D{}%26utm_source%3Dflyer", "KID={}/?utm_source=flyer",
           "kid=https://shop.example/?kid={}&utm_source=flyer&fbclid=x"]


@pytest.fixture
def hosted(service, account):
    return service.campaign(account, pages="on", hosts="shop.example", bots="off")


@pytest.mark.parametrize("browser", FIREFOX_LATER, indirect=True)
def test_scripts(browser):
    """scripts apply the same rules as the server"""
    assert len(EXAMPLES) > 60
    found = browser.run((SOURCE / "src/page/link.js").read_text(encoding="utf-8") + f"""
        const names = ["kid", "utm_campaign", "utm_content", "utm_medium", "utm_source"];
        return {json.dumps([query for query, _ in EXAMPLES])}.map(query => {{
            const meant = linkQuery(query);
            return names.filter(name => meant.get(name)).map(name => name + "=" + meant.get(name)).join("&");
        }});
    """)
    assert dict(zip([query for query, _ in EXAMPLES], found)) == dict(EXAMPLES)


@pytest.mark.parametrize("query", DAMAGED)
def test_the_hosted_page(hosted, query):
    """the form of the page has the referrer and the utm parameters of the link"""
    friend = hosted.lead(email="friend@example.org")["social_id"]
    page = hosted.client.request("GET", f"/c/{hosted.id}", query=query.format(friend))
    fields = {one["name"]: one.get("value", "") for one, _ in Page(page.body.decode()).all("input")}
    assert fields["kid"] == friend
    assert hosted.client.request("POST", f"/c/{hosted.id}", form={**fields, **ADA}, headers=NAVIGATE).status == 303
    lead = hosted.find(**ADA)
    assert (lead["parent_id"], lead["utm"]) == (friend, {"source": "flyer"})


@pytest.mark.parametrize("query", DAMAGED)
def test_the_page_of_a_sign_up(hosted, query):
    """`__url`, and the Referer header of a form without it"""
    friend = hosted.lead(email="friend@example.org")["social_id"]
    page = "https://elsewhere.example/form?" + query.format(friend)
    for email, fields, headers in (("a@example.org", {"__url": page}, {}), ("b@example.org", {}, {"Referer": page})):
        assert hosted.client.request("POST", f"/v1/{hosted.id}/subscribe", form={"email": email, **fields}, headers=headers).status == 200
        lead = hosted.find(email=email)
        assert (lead["parent_id"], lead["utm"], lead["custom_fields"]) == (friend, {"source": "flyer"}, {"fbclid": "x"}
                                                                           if "fbclid" in query and fields else {})


@pytest.mark.parametrize("typed", ["{}.", "({})", "“{}”", "\u200b{}\u200b", "https://shop.example/?kid={}", " {} ", "kid={}"])
def test_a_referrer_that_is_sent(hosted, typed):
    """docs/api.md 4.4: `kid` in a request, in the form in which a script or a visitor has copied it from a link"""
    friend = hosted.lead(email="friend@example.org")["social_id"]
    assert hosted.client.request("POST", f"/v1/{hosted.id}/subscribe", form={**ADA, "kid": typed.format(friend)}).status == 200
    assert hosted.find(**ADA)["parent_id"] == friend


@pytest.mark.parametrize("multi", [False, True])
@pytest.mark.parametrize("page", ["https://elsewhere.example/?kid={}&utm_source=page&colour=red", "https://elsewhere.example/a?colour=red&kid={}&utm_source=page#top"])
def test_the_page_of_a_plain_form(hosted, page, multi):
    """docs/api.md 1.4: the referrer and the utm parameters are taken, custom fields are not; values of the request and of `__url` take
    precedence"""
    friend, other = (hosted.lead(email=f"{name}@example.org")["social_id"] for name in ("friend", "other"))
    headers = {**NAVIGATE, "Referer": page.format(friend)}

    def send(email, **fields):
        sent = {"email": email, **fields}
        options = dict(zip(("type", "body"), multipart(list(sent.items())))) if multi else {"form": sent}
        assert hosted.client.request("POST", f"/v1/{hosted.id}/subscribe", headers=headers, **options).status == 303
        lead = hosted.find(email=email)
        return lead["parent_id"], lead["utm"], lead["custom_fields"]
    assert send("ada@example.org") == (friend, {"source": "page"}, {})
    assert send("bob@example.org", kid=other, utm_source="form") == (other, {"source": "form"}, {})
    assert send("eve@example.org", __url=f"https://shop.example/?kid={other}&size=L") == (other, {"source": "page"}, {"size": "L"})


@pytest.mark.parametrize("page", ["https://elsewhere.example/", "https://elsewhere.example/?kid=7N0SUCH&kolid={}&social_id={}",
                                  "https://elsewhere.example/?next=https://x.example/?kid={}", "android-app://kid={}", "?", "x" * 9000], ids=range(6))
def test_pages_that_name_no_referrer(hosted, page):
    friend = hosted.lead(email="friend@example.org")["social_id"]
    headers = {**NAVIGATE, "Referer": page.replace("{}", friend)}
    assert hosted.client.request("POST", f"/v1/{hosted.id}/subscribe", headers=headers, form=ADA).status == 303
    lead = hosted.find(**ADA)
    assert (lead["parent_id"], lead["utm"], lead["custom_fields"]) == (None, {}, {})


def test_not_for_servers(hosted):
    """docs/api.md 1.4: for a call with a key, only the values that it sends are used"""
    friend = hosted.lead(email="friend@example.org")["social_id"]
    answer = hosted.client.request("POST", hosted.path, form=ADA, key=hosted.key,
                                   headers={"Referer": f"https://elsewhere.example/?kid={friend}&utm_source=page"})
    assert (answer.json["parent_id"], answer.json["utm"]) == (None, {})


def test_a_plain_form_that_failed(hosted):
    """the page that shows the form again keeps the URL of the form's first page"""
    friend = hosted.lead(email="friend@example.org")["social_id"]
    page = f"https://elsewhere.example/?kid={friend}&utm_source=page&plan=<b>"
    answer = hosted.client.request("POST", f"/v1/{hosted.id}/subscribe", headers={**NAVIGATE, "Referer": page}, form={"email": "ada@"})
    fields = {one["name"]: one.get("value", "") for one, _ in Page(answer.body.decode()).all("input")}
    assert answer.status == 406 and fields["__url"] == page
    again = hosted.client.request("POST", f"/v1/{hosted.id}/subscribe", headers={**NAVIGATE, "Referer": hosted.service.front.url + "/"}, form={**fields, **ADA})
    lead = hosted.find(**ADA)
    assert (again.status, lead["parent_id"], lead["utm"]) == (303, friend, {"source": "page"})


@pytest.mark.parametrize("dest, own, parent, source", [
    ("iframe", {}, True, "page"), ("frame", {"utm_source": "own"}, True, "own"), ("iframe", {"kid": "other"}, False, "page"),
    ("document", {}, None, None), (None, {}, None, None)])
def test_a_frame(hosted, dest, own, parent, source):
    """docs/embedding.md 2.2: in a frame, the hosted page has the referrer of the page around it, if the browser sends it; a page that links
    to it does not provide one"""
    ids = {name: hosted.lead(email=f"{name}@example.org")["social_id"] for name in ("friend", "other")}
    headers = {"Referer": f"https://elsewhere.example/?kid={ids['friend']}&utm_source=page"}
    if dest:
        headers["Sec-Fetch-Dest"] = dest
    query = {name: ids.get(value, value) for name, value in own.items()}
    page = hosted.client.request("GET", f"/c/{hosted.id}", query=query, headers=headers)
    fields = {one["name"]: one.get("value", "") for one, _ in Page(page.body.decode()).all("input")}
    hosted.client.request("POST", f"/c/{hosted.id}", form={**fields, **ADA}, headers=NAVIGATE)
    lead = hosted.find(**ADA)
    assert lead["parent_id"] == {True: ids["friend"], False: ids["other"], None: None}[parent]
    assert lead["utm"] == ({"source": source} if source else {})
