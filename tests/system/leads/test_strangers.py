# SPDX-License-Identifier: MIT
"""docs/api.md 4.1.11: what callers without a key can see and change."""
import json
import re

import pytest

STRICT = {"public_lookup": "social_id", "public_update": "own"}
REFUSED = (409, "missing_api_key")
SECRETS = ("Ada", "Lovelace", "ada@example.org")


@pytest.fixture
def strict(service, account):
    return service.campaign(account, pages="on", **STRICT)


def sign_up(campaign, key=None, **fields):
    answer = campaign.post(fields, key=key)
    assert answer.status == 200, answer.body
    return answer.json


def token_of(lead):
    """The value of `__token`, from the URL of the lead's page."""
    return re.fullmatch(r".*/c/\d+/s/([0-9A-Z]{10}/[\w-]{24})", lead["status_url"])[1]


def withheld(campaign, answer, **urls):
    """A service without mail."""
    return answer == {"id": None, "social_id": None, "campaign_id": campaign.id, "list_id": campaign.id, "check_mail": False,
                      "redirect_url": None, "thankyou_url": None, "code_url": None, **urls}


@pytest.fixture
def ada(strict):
    return sign_up(strict, email="ada@example.org", first_name="Ada", last_name="Lovelace")


@pytest.mark.parametrize("words", [(), ("--id", "7000001")], ids=["new", "moved"])
def test_defaults(leadhook, account, words):
    """the defaults are the same whichever way a campaign is made (for `/manage/v1`, see test_manage.py)"""
    shown = leadhook("campaign", "show", leadhook("campaign", "add", account.id, "New", *words)["id"])
    assert (shown["public_lookup"], shown["public_update"], shown["pages"], shown["require_key"]) == ("all", "all", True, False)


def test_nothing_about_a_person_for_an_address(strict, ada):
    """a second sign-up, look-ups and `must_exist` by a caller that knows only the address"""
    known, unknown = ({"email": f"{name}@example.org"} for name in ("ada", "unknown"))
    assert withheld(strict, sign_up(strict, **known, first_name="Mallory", redirect_url="https://evil.example/"),
                    redirect_url="https://evil.example/")
    for fields in (known, unknown):
        assert strict.get(fields, key=None).verdict == REFUSED
        assert strict.post({**fields, "must_exist": True}, key=None).verdict == REFUSED
    for path in (f"/v1/{strict.id}/info", "/v2"):
        answer = strict.client.request("GET", path, query={**known, "campaign_id": strict.id})
        assert answer.verdict == REFUSED
    lead = strict.find(email="ada@example.org")
    assert (lead["first_name"], lead["counter"], lead["redirect_url"]) == ("Ada", 2, None)


def test_failures_show_no_lead(strict, ada):
    """too many fields are refused for known and unknown addresses alike; `must_exist` needs a key, even with the lead's own token"""
    other = sign_up(strict, email="other@example.org")
    large = {name: "x" * 3000 for name in "abc"}
    for name in ("ada", "unknown"):
        fields = {"email": f"{name}@example.org"}
        assert strict.post({**fields, **large}, key=None).verdict == (406, "invalid_parameter")
        assert strict.post({**fields, "must_exist": True, "__token": token_of(other)}, key=None).verdict == REFUSED
    assert strict.find(email="ada@example.org")["counter"] == 1


def test_fields_of_strangers_give_way(campaign):
    """docs/api.md 1.3: 50 fields or 8 KiB that others have stored under an address do not prevent a later sign-up with it, with or without
    a key"""
    def junk(prefix):
        return {f"{prefix}{number}": 130 * "x" for number in range(50)}
    ada, form = {"email": "ada@example.org"}, {"first_name": "Ada", "plan": "gold"}
    sign_up(campaign, **ada, **junk("a"))
    sign_up(campaign, **ada, **form)
    fields = campaign.find(**ada)["custom_fields"]
    assert len(fields) == 50 and form.items() <= fields.items()
    campaign.lead(**ada, number=1, **{f"own{number}": 300 * "y" for number in range(39)})
    sign_up(campaign, **ada, **junk("b"))
    fields = campaign.find(**ada)["custom_fields"]
    assert len(fields) == 50 and fields["number"] == 1 and "own38" in fields and sum(name.startswith("b") for name in fields) == 10
    for address in (ada, {"email": "unknown@example.org"}):
        for more in ({"one_more": "x"}, {"a0": 2000 * "x"}):
            assert campaign.post({**address, **junk("a"), **more}, key=None).verdict == (406, "invalid_parameter")


def test_fields_of_weak_keys_give_way(campaign, leadhook, account):
    """docs/api.md 1.3: a caller whose key may not change leads counts as a stranger"""
    weak = leadhook("key", "add", account.id, "--rights", "ingest")["key"]
    campaign.lead(email="ada@example.org", plan="gold")
    sign_up(campaign, key=weak, email="ada@example.org", **{f"weak{number}": "x" for number in range(49)})
    fields = campaign.lead(email="ada@example.org", crm_id="7")["custom_fields"]
    assert len(fields) == 50 and (fields["plan"], fields["crm_id"]) == ("gold", "7") and "weak48" not in fields


def test_a_social_id_is_public(strict, ada):
    shown = strict.get({"social_id": ada["social_id"]}, key=None)
    assert (shown.status, shown.json["first_name"]) == (200, "Ada")
    assert shown.json["status_url"].endswith(f"/c/{strict.id}/s/{ada['social_id']}")


def test_a_stranger_changes_nothing(strict, ada, receiver):
    """own: only the counter and an event change, and an opt-out does not end"""
    strict.change("optout", email="ada@example.org")
    strict.webhook("repeat_signup")
    sign_up(strict, email="ada@example.org", first_name="Mallory", phone_number="+491701234567", __uid="x", plan="pro",
            utm_source="x", redirect_url="https://evil.example/")
    lead = strict.find(email="ada@example.org")
    assert (lead["counter"], lead["first_name"], lead["phone_number"], lead["uid"], lead["opted_out"]) == (2, "Ada", None, None, True)
    assert lead["custom_fields"] == {"first_name": "Ada", "last_name": "Lovelace"} and lead["utm"] == {}
    strict.service.dispatch()
    assert [hook.json["counter"] for hook in strict.delivered(1, "repeat_signup")] == [2]


def test_none(service, account, receiver):
    campaign = service.campaign(account, public_lookup="none", public_update="none", pages="on")
    ada = sign_up(campaign, email="ada@example.org", first_name="Ada")
    assert ada["first_name"] == "Ada"  # it is the caller's own lead
    for token in ({}, {"__token": token_of(ada)}):
        assert withheld(campaign, sign_up(campaign, email="ada@example.org", first_name="Mallory", **token)) == (not token)
        assert campaign.get({"social_id": ada["social_id"], **token}, key=None).verdict == REFUSED
    assert campaign.find(email="ada@example.org")["counter"] == 1


@pytest.mark.parametrize("lookup", ["social_id", "own"])
def test_an_own_lead(service, account, lookup):
    """The token identifies the lead, shows it, and permits changes."""
    campaign = service.campaign(account, pages="on", public_lookup=lookup, public_update="own")
    ada = sign_up(campaign, email="ada@example.org", first_name="Ada")
    other = sign_up(campaign, email="other@example.org")
    token = token_of(ada)
    for fields in ({}, {"social_id": other["social_id"]}, {"email": "other@example.org"}):
        shown = campaign.get({"__token": token, **fields}, key=None)
        assert (shown.status, shown.json["social_id"], shown.json["status_url"]) == (200, ada["social_id"], ada["status_url"])
    shown = campaign.client.request("GET", f"/lead/{campaign.id}/{ada['social_id']}", query={"__token": token})
    assert (shown.status, shown.json["status_url"]) == (200, ada["status_url"])
    changed = sign_up(campaign, email="ada@example.org", first_name="Augusta", phone_number="+491701234567", __token=token)
    assert (changed["first_name"], changed["counter"], changed["status_url"]) == ("Augusta", 2, ada["status_url"])
    assert campaign.find(email="ada@example.org")["phone_number"] == "+491701234567"


def test_own_only(service, account):
    """own: a social id alone does not show a lead, whether or not it exists"""
    campaign = service.campaign(account, pages="on", public_lookup="own", public_update="own")
    ada = sign_up(campaign, email="ada@example.org")
    for social_id in (ada["social_id"], "0123456789"):
        assert campaign.get({"social_id": social_id}, key=None).verdict == REFUSED
        assert campaign.client.request("GET", f"/lead/{campaign.id}/{social_id}").verdict == REFUSED
        assert campaign.get({"social_id": social_id}, key=None, path="/leaderboard").verdict == REFUSED
    board = campaign.get({"__token": token_of(ada)}, key=None, path="/leaderboard")
    assert (board.status, board.json["me"]["social_id"]) == (200, ada["social_id"])
    assert campaign.get({}, key=None, path="/leaderboard").status == 200


@pytest.mark.parametrize("change", [
    lambda lead, other: "", lambda lead, other: "/", lambda lead, other: token_of(lead)[:-1],
    lambda lead, other: token_of(lead)[:10], lambda lead, other: other["social_id"] + token_of(lead)[10:],
    lambda lead, other: token_of(lead) + "x", lambda lead, other: token_of(lead).swapcase()])
def test_wrong_tokens(strict, ada, change):
    """a wrong token counts as none: the sign-up succeeds"""
    other = sign_up(strict, email="other@example.org")
    wrong = change(ada, other)
    assert withheld(strict, sign_up(strict, email="ada@example.org", first_name="Mallory", __token=wrong))
    assert strict.find(email="ada@example.org")["first_name"] == "Ada"
    assert strict.get({"__token": wrong}, key=None).verdict == (409, "missing_identifier")
    assert strict.get({"__token": wrong, "email": "ada@example.org"}, key=None).verdict == REFUSED


def test_a_token_of_another_campaign(service, account, strict, ada):
    other = service.campaign(account, pages="on", **STRICT)
    assert other.get({"__token": token_of(ada)}, key=None).verdict == (409, "missing_identifier")


def test_the_token_of_an_opt_out(strict, ada):
    """the token of an opt-out link is valid only for opting out, and the token of the page does not opt out"""
    link = strict.find(email="ada@example.org")["unsubscribe_url"]["default"]
    opt_out = "/".join(link.split("/")[-2:])
    assert strict.get({"__token": opt_out}, key=None).verdict == (409, "missing_identifier")
    assert strict.client.request("POST", f"/opt-out/{strict.id}/{token_of(ada)}").status == 404


def test_a_number_that_cannot_be_added(strict):
    """docs/api.md 4.3: an email address that is sent with the number of another lead makes a new lead instead of being added to that
    lead."""
    phone = sign_up(strict, phone_number="+491701234567", first_name="Ada")
    new = sign_up(strict, email="new@example.org", phone_number="+491701234567", first_name="New")
    assert new["social_id"] != phone["social_id"]
    assert strict.find(email="new@example.org")["phone_number"] is None
    assert strict.find(phone_number="+491701234567")["email"] is None
    own = sign_up(strict, email="ada@example.org", phone_number="+491701234567", __token=token_of(phone))
    assert own["social_id"] != phone["social_id"], "else the answer would show whether the email address is known"
    with_key = strict.lead(email="augusta@example.org", phone_number="+491701234567")
    assert with_key["social_id"] == phone["social_id"]


@pytest.fixture(scope="module")
def mailing(make_service):
    """A service on which mails are requested but not sent: no dispatcher runs."""
    return make_service(settings=[("mail", "host", "127.0.0.1"), ("mail", "port", "9"), ("mail", "tls", "none"),
                                  ("mail", "from", "hello@example.org")])


def kinds(campaign):
    return [row["kind"] for row in campaign.service.installation.admin("mail", "list", "--campaign", str(campaign.id))]


@pytest.mark.parametrize("mails, verify, new, known, repeated", [
    ("welcome,status_link", "off", ["welcome"], ["status_link"], "mail"), ("status_link", "on", ["verify"], ["verify"], "mail"),
    ("status_link", "off", None, ["status_link"], "mail"), ("welcome", "off", None, [], "nothing"), ("", "off", None, [], "nothing")])
def test_check_mail(mailing, mails, verify, new, known, repeated):
    """docs/api.md 4.1.11: true exactly if the sign-up requests a mail to its address; `new` None: the answer shows the new lead.
    `repeated_signup` of the settings predicts it"""
    campaign = mailing.campaign(mailing.account(), pages="on", mails=mails, verify_email=verify, **STRICT)
    assert mailing.installation.admin("campaign", "show", str(campaign.id))["repeated_signup"] == repeated
    first = sign_up(campaign, email="ada@example.org")
    assert (first.get("check_mail"), first["id"] is None) == ((True, True) if new else (None, False))
    before = kinds(campaign)
    assert sorted(before) == sorted(new or [kind for kind in mails.split(",") if kind == "welcome"])
    assert sign_up(campaign, email="ada@example.org")["check_mail"] is bool(known)
    assert sorted(kinds(campaign)) == sorted([*before, *known])


@pytest.mark.parametrize("mails, requested", [("welcome,status_link", ["verify"]), ("welcome", [])])
def test_a_lead_that_opted_out(mailing, mails, requested):
    """docs/api.md 4.1.11, 4.1.12: a sign-up that anyone could have sent does not end the opt-out, but the lead itself can end it"""
    campaign = mailing.campaign(mailing.account(), pages="on", mails=mails, **STRICT)
    campaign.lead(email="ada@example.org")
    campaign.change("optout", email="ada@example.org")
    before = kinds(campaign)
    assert sign_up(campaign, email="ada@example.org")["check_mail"] is bool(requested)
    assert sorted(kinds(campaign)) == sorted([*before, *requested])


def test_check_mail_of_a_number(mailing):
    """false, because a mail for a known number would show that its lead has an email address"""
    campaign = mailing.campaign(mailing.account(), pages="on", **STRICT)
    campaign.lead(email="ada@example.org", phone_number="+491701234567")
    assert sign_up(campaign, phone_number="+491701234567")["check_mail"] is False


def test_a_key_sees_and_changes_everything(strict, ada):
    changed = strict.lead(email="ada@example.org", first_name="Augusta")
    assert (changed["first_name"], changed["email"], changed["status_url"]) == ("Augusta", "ada@example.org", ada["status_url"])


def test_public_actions(strict, ada):
    """own: public actions can be completed with the token, once"""
    action = strict.define("action", "Share", "--points", 3, "--public")
    path, fields = f"/action/{strict.id}", {"aid": action, "kid": ada["social_id"]}
    assert strict.client.request("POST", path, json_body=fields).verdict == REFUSED
    for _ in range(2):
        done = strict.client.request("POST", path, json_body={"aid": action, "__token": token_of(ada)})
        assert (done.status, done.json) == (200, {"message": "Lead added to action"})
    assert strict.find(email="ada@example.org")["contest_score"] == 3


def test_the_limit_of_new_leads(make_service):
    """the limit does not show which addresses are known: known addresses also count, and are also refused beyond it"""
    service = make_service(settings=[("limits", "new_leads_per_campaign", "2/60s")])
    for names in (("one", "two"), ("one", "one")):
        campaign = service.campaign(pages="on", **STRICT)
        for name in names:
            sign_up(campaign, email=f"{name}@example.org")
        for name in ("one", "three"):
            assert campaign.post({"email": f"{name}@example.org"}, key=None).verdict == (429, "rate_limited")


@pytest.mark.parametrize("pages, landing", [("on", None), ("off", None), ("off", "https://shop.example/x?a=b"),
                                            ("on", "https://shop.example/x?a=b")])
def test_links_of_pages(service, account, pages, landing):
    """docs/api.md 4.5: the links lead to the hosted page, if the campaign has no page of its own"""
    campaign = service.campaign(account, pages=pages, **({"landing_url": landing} if landing else {}), **STRICT)
    ada = sign_up(campaign, email="ada@example.org")
    page = f"{service.front.url}/c/{campaign.id}" if pages == "on" else None
    start = f"{landing}&" if landing else f"{page}?" if page else None
    assert ada["social_url"] == (f"{start}kid={ada['social_id']}" if start else None)
    assert (ada["status_url"] or "").startswith(f"{page}/s/") if page else ada["status_url"] is None
    assert campaign.get({"social_id": ada["social_id"], "__skip_urls": 1}, key=None).json.get("status_url") is None


@pytest.mark.parametrize("origin, status", [
    ("https://shop.example", 200), ("https://www.shop.example:8443", 200), ("http://landing.example", 200),
    ("SELF", 200), (None, 200), ("https://evil.example", 403), ("https://shop.example.evil.example", 403), ("null", 403),
    ("https://x.landing.example", 403), ("https://evilshop.example", 403), ("https://shop.example@evil.example", 403), ("x", 403)])
def test_hosts_only(service, account, origin, status):
    campaign = service.campaign(account, hosts="shop.example", hosts_only="on", landing_url="https://landing.example/a")
    headers = {"Origin": service.front.url if origin == "SELF" else origin} if origin else {}
    for options in ({"json_body": {"email": "ada@example.org"}}, {"form": {"email": "ada@example.org"}}):
        answer = campaign.client.request("POST", campaign.path, headers=headers, **options)
        assert answer.status == status
        assert status == 200 or answer.verdict == (403, "forbidden_origin")
    assert campaign.post({"email": "ada@example.org"}, headers=headers).status == 200  # with a key


@pytest.mark.parametrize("headers, status", [
    ({}, 200), ({"Referer": "https://www.shop.example/a?b"}, 200), ({"Referer": "https://evil.example/shop.example"}, 403),
    ({"Referer": "SELF"}, 200), ({"Sec-Fetch-Mode": "no-cors"}, 403),
    ({"Sec-Fetch-Mode": "no-cors", "Referer": "https://shop.example/"}, 200),
    ({"Origin": "https://evil.example", "Referer": "https://shop.example/"}, 403)])
def test_hosts_only_by_get(service, account, headers, status):
    """`<script>` and `<img>` on pages of other sites cannot sign up addresses; look-ups work."""
    campaign = service.campaign(account, hosts="shop.example", hosts_only="on")
    headers = {name: f"{service.front.url}/c/1" if value == "SELF" else value for name, value in headers.items()}
    for path, expected in ((f"/v1/{campaign.id}/subscribe", status), (campaign.path, 200)):
        answer = campaign.client.request("GET", path, query={"email": "ada@example.org"}, headers=headers)
        assert answer.status == expected or (status == 403 and answer.verdict == (404, "lead_not_found"))
    assert campaign.get({"email": "ada@example.org"}).status == (200 if status == 200 else 404)


def test_bad_settings(refused, campaign):
    for setting in ("public_lookup=some", "public_update=social_id", "form_answer=html", "language=xx", "hosts=a b c/d",
                    "hosts_only=maybe", "pages=1 2"):
        assert refused(65, "campaign", "set", str(campaign.id), setting).startswith(f"leadhook: {setting.split('=')[0]}=: expected ")


NULLS = {"direct": None, "indirect": None}


@pytest.mark.parametrize("channel, known, unknown", [
    ("email", "ada@example.org", "new@example.org"), ("phone", "+491701234567", "+491701234568")])
def test_leads_that_are_not_verified_do_not_show(service, leadhook, account, channel, known, unknown):
    """Not verified: the sign-up of a new address changes neither what strangers see nor what its referrer sees"""
    campaign = service.campaign(account, pages="on", points_verified=1, **STRICT, **{f"verify_{channel}": "on"})
    field = "email" if channel == "email" else "phone_number"
    early = sign_up(campaign, email="early@example.org")
    campaign.change("verify", emails=["early@example.org"])
    leadhook("campaign", "set", campaign.id, "points_signup=2")
    leader = sign_up(campaign, email="leader@example.org")
    campaign.change("verify", emails=["leader@example.org"])
    ada = sign_up(campaign, **{field: known})

    def seen():
        ids = [lead["social_id"] for lead in (early, leader, ada)]
        answers = [campaign.get({"limit": 50}, key=None, path="/leaderboard")]
        answers += [campaign.get({"social_id": id}, key=None, path=path) for id in ids for path in ("", "/leaderboard")]
        answers.append(campaign.get({"__token": token_of(leader)}, key=None))
        answers += [campaign.client.request("GET", f"/c/{campaign.id}/s/{id}") for id in [*ids, token_of(leader)]]
        assert {answer.status for answer in answers} == {200}
        return [answer.body for answer in answers]

    before = seen()
    assert [row["social_id"] for row in json.loads(before[0])["leaders"]] == [leader["social_id"]]
    shown = json.loads(before[1])
    assert (shown["counter"], shown["lead_count"], shown["unverified_leads"]) == (None, 2, NULLS)
    sign_up(campaign, **{field: known}, kid=leader["social_id"])
    assert seen() == before
    new = sign_up(campaign, **{field: unknown}, kid=leader["social_id"])
    assert seen() == before
    assert campaign.find(social_id=ada["social_id"])["counter"] == 2
    full = campaign.find(social_id=leader["social_id"])
    assert (full["lead_count"], full["contest_score"], full["unverified_leads"]) == (4, 2, {"direct": 1, "indirect": 0})
    for _ in range(2):  # counts once, even if it is verified twice
        campaign.change("verify", social_ids=[new["social_id"]])
        campaign.change("unverify", social_ids=[new["social_id"]])
    campaign.change("verify", social_ids=[new["social_id"]])
    board = campaign.get({"limit": 50}, key=None, path="/leaderboard").json["leaders"]
    assert [(row["social_id"], row["contest_score"]) for row in board] == [(leader["social_id"], 4), (new["social_id"], 2)]
    shown = campaign.get({"social_id": leader["social_id"]}, key=None).json
    assert (shown["lead_count"], shown["referrals"], shown["verified_leads"]) == (3, 1, {"direct": 1, "indirect": 0})
    assert shown["influence"] == {"direct": 1, "indirect": 0}


def test_later_leads_do_not_show_earlier_ones(service, account):
    """Not verified: nothing that callers see of their own earlier and later leads reveals whether a sign-up in between made a lead"""
    campaign = service.campaign(account, pages="on", verify_email="on", **STRICT)
    answers = {}
    for probe in ("known", "known", "new"):
        sign_up(campaign, email=f"{probe}@example.org")
        mine = f"mine{len(answers)}@example.org"
        answers[mine] = sign_up(campaign, email=mine)
    campaign.change("verify", emails=list(answers))

    def seen(email):
        lead = answers[email]
        token = token_of(lead)
        shown = [campaign.get(query, key=None, path=path) for query in ({"__token": token}, {"social_id": lead["social_id"]})
                 for path in ("", "/leaderboard")]
        shown += [campaign.client.request("GET", f"/c/{campaign.id}/s/{id}") for id in (token, lead["social_id"])]
        assert {answer.status for answer in shown} == {200}
        text = "\n".join([json.dumps(lead), *(answer.body.decode() for answer in shown)])
        for own in (token, lead["social_id"], email):
            text = text.replace(own, "OWN")
        return re.sub(r"\d{4}-\d\d-\d\dT[\d:]+Z|[0-9a-f]{64}", "", text)  # time of creation, avatar

    first, *rest = map(seen, answers)
    assert rest == [first, first]
    hidden = ("id", "rank", "rank_relative_position", "subscription_number")
    assert all(lead[name] is None for lead in answers.values() for name in hidden)
    assert [campaign.find(email=mine)["rank"] for mine in answers] == [2, 3, 5]


def test_a_server_clears_no_flag(service, leadhook, account):
    """docs/api.md 4.6 Judged again: when a system writes back to a flagged lead, this shows nothing about the visitor"""
    campaign = service.campaign(account, max_per_ip=1)
    inbound = leadhook("inbound", "add", campaign.id, "CRM", "--map", "email=mail")["url"]
    known = {"email": "ada@example.org"}
    for fields in ({"email": "first@example.org"}, known):
        lead = campaign.lead(**fields, ip="192.0.2.1", __source="shop")
    assert lead["fraudulent"]
    campaign.lead(**known, crm_id=7, must_exist=True)
    campaign.lead(**known, ip="192.0.2.7")
    path = inbound[inbound.index("/", len("https://")):]
    assert campaign.client.request("POST", path, json_body={"mail": known["email"]}).status == 201
    assert campaign.find(**known)["fraudulent"]
    campaign.lead(**known, ip="192.0.2.7", __source="shop")
    assert not campaign.find(**known)["fraudulent"]
