# SPDX-License-Identifier: MIT
"""docs/manage.md 1.4, 1.7: previews of mails and pages with texts that are not stored, and test mails of users."""
import re

import pytest
from caller import Caller, User
from stack.process import wait_until

TEXT = "Hello {{first_name}},\n\n{{unsubscribe_url}}"
PER_HOUR = 10


@pytest.fixture(scope="module")
def service(make_service, mail_server):
    made = make_service(settings=mail_server.settings())
    made.dispatcher.start()
    return made


@pytest.fixture(scope="module")
def account(service):
    return service.account("Agency")


@pytest.fixture(scope="module")
def owner(service, account):
    return User(service, "owner@example.org", "--role", "owner", "--account", account.id).ready()


@pytest.fixture
def campaign(service, account):
    return service.campaign(account, pages="on", mails="welcome", bots="proof")


@pytest.fixture
def place(campaign):
    return f"campaigns/{campaign.id}"


def verdict(answer):
    return answer.status, answer.json["error"]


def stored(service, campaign):
    return service.installation.sql(f"SELECT name, language, value FROM lh_campaign_texts WHERE campaign_id = {campaign.id} ORDER BY 1, 2")


@pytest.fixture
def nothing_changes(service, campaign):
    """Checks that nothing is stored, and that the audit log gets no row."""
    def state():
        return stored(service, campaign), service.installation.sql("SELECT COUNT(*), MAX(id) FROM lh_audit")
    before = []
    yield lambda: before.append(state())
    assert before and state() == before[0]


# --- the list of templates ---

def test_templates_with_own_texts(owner, place):
    """each kind and language that has at least one own text is listed, with the state of each part"""
    assert owner("GET", f"{place}/mail-templates").json == []
    for kind, fields in (("welcome", {"subject": "All"}), ("welcome", {"language": "de", "text": TEXT}), ("reward", {"language": "fr", "html": "<p>{{unsubscribe_url}}</p>"})):
        assert owner("PATCH", f"{place}/mail-templates/{kind}", fields).status == 200
    answer = owner("GET", f"{place}/mail-templates")
    assert answer.json == [
        {"kind": "welcome", "language": None, "subject_is": "own", "text_is": "default", "html_is": "made of the text"},
        {"kind": "welcome", "language": "de", "subject_is": "own, for every language", "text_is": "own", "html_is": "made of the text"},
        {"kind": "reward", "language": "fr", "subject_is": "default", "text_is": "default", "html_is": "own"}]
    assert owner("PATCH", f"{place}/mail-templates/reward", {"language": "fr", "html": ""}, headers={
        "Sec-Fetch-Site": "same-origin", "If-Match": answer.headers["ETag"]}).status == 200, "it has the version of the settings"
    assert len(owner("GET", f"{place}/mail-templates").json) == 2


# --- mails ---

def test_a_draft_of_a_mail(owner, place, nothing_changes):
    """the texts of the draft replace the stored ones; for an absent text the stored one is used; an empty text is no text"""
    path = f"{place}/mail-templates/welcome"
    assert owner("PATCH", path, {"subject": "Stored", "text": TEXT}).status == 200
    assert owner("PATCH", path, {"subject": "Gespeichert", "language": "de"}).status == 200
    nothing_changes()
    usual = owner("GET", f"{path}/preview").json
    assert list(usual) == ["kind", "language", "to", "dropped", "subject", "text", "html", "errors"]
    assert (usual["subject"], usual["to"]) == ("Stored", "ada@example.org") and "Hello Ada," in usual["html"]

    def draft(**fields):
        answer = owner("POST", f"{path}/preview", fields)
        assert answer.status == 200 and list(answer.json) == list(usual)
        return answer.json
    assert draft() == usual
    assert draft(subject="Hi {{first_name}}") == {**usual, "subject": "Hi Ada"}
    assert draft(html="<p>Own {{first_name}} {{unsubscribe_url}}</p>")["html"].startswith("<p>Own Ada ")
    assert draft(text="")["text"] != usual["text"] and draft(text="Other {{unsubscribe_url}}")["html"] != usual["html"]
    assert draft(subject="")["subject"] == draft(subject=None)["subject"] != "Stored", "the default"
    assert draft(language="de", subject="")["subject"] == "Stored", "that of every language"
    assert draft(language="de", subject="Neu")["subject"] == "Neu" and draft(language="de")["subject"] == "Gespeichert"
    assert draft(language="de")["language"] == "de"


def test_a_draft_of_every_language(owner, campaign, place, leadhook):
    """a draft for all languages is shown in the language of the campaign, and replaces the campaign's own texts"""
    path = f"{place}/mail-templates/welcome"
    leadhook("campaign", "set", campaign.id, "language=de")
    assert owner("PATCH", path, {"subject": "Gespeichert", "language": "de"}).status == 200
    assert owner("GET", f"{path}/preview").json["subject"] == "Gespeichert"
    assert owner("POST", f"{path}/preview", {"subject": "For all"}).json["subject"] == "For all"


def same_mistakes(service, campaign, draft, change):
    """Checks that the draft is shown without its mistakes and reports the error with which the change fails, and that nothing is stored.
    Returns the problem."""
    before = stored(service, campaign)
    [error] = draft.json["errors"]
    assert draft.status == 200 and change.status == 422
    assert change.json["errors"] == [{"pointer": f"/{error['field']}", "detail": error["detail"]}] and stored(service, campaign) == before
    return change.json


def same_refusal(service, campaign, draft, change):
    """Checks that both calls fail in the same way, because there is nothing to show."""
    before = stored(service, campaign)
    assert draft.status == change.status
    first, second = ({**answer.json, "request_id": None} for answer in (draft, change))
    assert first == second and stored(service, campaign) == before
    return first


@pytest.mark.parametrize("fields", [{"text": "Hello"}, {"subject": "{{"}, {"html": "<p>"}, {"subject": "x" * 1025}])
def test_mistakes_of_a_draft(service, owner, campaign, place, fields):
    """the preview reports the same mistakes as the change, and shows the rest"""
    path = f"{place}/mail-templates/welcome"
    same_mistakes(service, campaign, owner("POST", f"{path}/preview", fields), owner("PATCH", path, {"subject": "Fine", **fields}))
    other = {"html": "<p>Own {{unsubscribe_url}}</p>"} if "html" not in fields else {"subject": "Own"}
    shown = owner("POST", f"{path}/preview", {**fields, **other}).json
    assert "Own" in shown[next(iter(other))] and len(shown["errors"]) == 1


@pytest.mark.parametrize("fields", [{"language": "xx"}, {"body": "x"}, {"text": {}}])
def test_drafts_that_cannot_be_shown(service, owner, campaign, place, fields):
    path = f"{place}/mail-templates/welcome"
    problem = same_refusal(service, campaign, owner("POST", f"{path}/preview", fields), owner("PATCH", path, {"subject": "Fine", **fields}))
    assert problem["status"] == 422


def test_where_a_mistake_is(service, owner, campaign, place):
    path, fields = f"{place}/mail-templates/welcome", {"text": "{{unsubscribe_url}}\n{{nothing}}"}
    problem = same_mistakes(service, campaign, owner("POST", f"{path}/preview", fields), owner("PATCH", path, fields))
    assert problem["detail"] == 'line 2, column 1: there is no value "nothing"'


def test_a_draft_for_a_lead(service, account, owner, campaign, place):
    """the preview has the values of the lead, for callers that may see it"""
    campaign.lead(email="grace@example.org", first_name="Grace")
    path, fields = f"{place}/mail-templates/welcome/preview", {"email": "grace@example.org", "subject": "Hi {{first_name}}"}
    shown = owner("POST", path, fields).json
    assert (shown["subject"], shown["to"]) == ("Hi Grace", "grace@example.org")
    key = service.installation.admin("key", "add", str(account.id), "--rights", "manage")["key"]
    assert verdict(Caller(service, key)("POST", path, fields)) == (403, "forbidden")
    assert Caller(service, key)("POST", path, {"subject": "Hi"}).status == 200
    assert verdict(owner("POST", path, {**fields, "email": "unknown@example.org"})) == (404, "not_found")


# --- pages ---

def heading(page):
    return re.search(r"<h1>(.*)</h1>", page["html"])[1]


def test_a_draft_of_the_sign_up_page(owner, campaign, place, nothing_changes):
    """the page is shown with its stylesheet as visitors would see it, but without its live parts"""
    assert owner("PATCH", f"{place}/page", {"title": "Stored", "css": "h1{color:red}", "accent": "#0f766e"}).status == 200
    nothing_changes()

    def draft(**fields):
        answer = owner("POST", f"{place}/page/preview", {"view": "signup", **fields})
        assert answer.status == 200 and list(answer.json) == ["html", "style", "errors"] and answer.json["errors"] == []
        return answer.json
    shown, style = draft(), campaign.client.request("GET", f"/c/{campaign.id}/style.css").body.decode()
    assert heading(shown) == "Stored" and shown["style"].endswith(style) and "h1{color:red}" in style
    assert shown["style"].startswith(campaign.client.request("GET", "/c/style/page.css").body.decode())
    live = campaign.client.request("GET", f"/c/{campaign.id}").body.decode()
    assert "__stamp" in live and "data-challenge" in live and "<script" in live
    for word in ("__stamp", "data-challenge", "<script", "<link", 'type="hidden"'):
        assert word not in shown["html"], word
    body = live[live.index("<main>"):live.index("<form")]
    assert shown["html"][shown["html"].index("<main>"):].startswith(body), "made by the same code"
    changed = draft(title="New <b>", fields="email; plan select: Plan = Free | Pro", css="", accent="#123456", consent="Yes\nplease")
    assert heading(changed) == "New &#60;b&#62;" and "<option value=\"Pro\">Pro" in changed["html"] and 'id="f-consent"' in changed["html"]
    assert "color:red" not in changed["style"] and "--accent:#123456" in changed["style"]
    assert heading(draft(title="")) == heading(draft(title=None)) != "Stored"


def test_languages_of_a_draft(owner, place, nothing_changes):
    """the texts for the language are chosen as among stored texts"""
    assert owner("PATCH", f"{place}/page", {"title": "All", "button": "Go"}).status == 200
    assert owner("PATCH", f"{place}/page", {"title": "Alle", "language": "de"}).status == 200
    nothing_changes()
    shown = owner("POST", f"{place}/page/preview", {"view": "signup", "language": "de"}).json
    assert heading(shown) == "Alle" and '<html lang="de"' in shown["html"] and ">Go</button>" in shown["html"]
    shown = owner("POST", f"{place}/page/preview", {"view": "signup", "language": "de", "title": ""}).json
    assert heading(shown) == "All"


def test_a_draft_of_the_status_page(service, owner, campaign, place, nothing_changes):
    """the page shows a sample lead, with the rewards of the campaign"""
    campaign.define("reward", "Mug", "--required-points", 50)
    nothing_changes()
    shown = owner("POST", f"{place}/page/preview", {"view": "status", "status_text": "Bring <friends>"}).json
    assert "Ada" in heading(shown) and "Bring &#60;friends&#62;" in shown["html"] and ">Mug<" in shown["html"] and "<table" in shown["html"]
    assert f"/c/{campaign.id}?kid=SAMPLE0000" in shown["html"] and "/s/" not in shown["html"]
    shown = owner("POST", f"{place}/page/preview", {"view": "status", "leaderboard": "off"}).json
    assert "<table" not in shown["html"]


@pytest.mark.parametrize("fields", [{"accent": "red"}, {"text_color": "#ffffff"}, {"fields": "email; email"}, {"privacy_url": "javascript:x"},
                                    {"css": "x" * 16385}, {"scheme": "grey"}, {"logo_url": "logo.png"}, {"title": "a\nb"}])
def test_mistakes_of_a_page(service, owner, campaign, place, fields):
    """the preview reports the same mistakes as the change, and shows the rest"""
    shown = owner("POST", f"{place}/page/preview", {"view": "signup", "button": "Go on", **fields})
    problem = same_mistakes(service, campaign, shown, owner("PATCH", f"{place}/page", {"button": "Fine", **fields}))
    assert problem["status"] == 422 and ">Go on</button>" in shown.json["html"]


@pytest.mark.parametrize("fields", [{"heading": "x"}, {"language": "xx"}])
def test_pages_that_cannot_be_shown(service, owner, campaign, place, fields):
    same_refusal(service, campaign, owner("POST", f"{place}/page/preview", {"view": "signup", **fields}),
                 owner("PATCH", f"{place}/page", {"title": "Fine", **fields}))


def test_every_mistake_of_a_draft(owner, place):
    """all mistakes are listed, not only the first"""
    fields = {"accent": "red", "privacy_url": "x", "imprint_url": "y", "title": "Come in"}
    shown = owner("POST", f"{place}/page/preview", {"view": "signup", **fields}).json
    assert [one["field"] for one in shown["errors"]] == ["accent", "privacy_url", "imprint_url"] and heading(shown) == "Come in"


def test_the_scheme_of_a_draft(owner, place):
    """docs/pages.md 4: a scheme that is always shown does not depend on the device; colours in a draft for one language count for all
    languages"""
    def style(**fields):
        return owner("POST", f"{place}/page/preview", {"view": "signup", "accent": "#0f766e", **fields}).json["style"]
    assert "(prefers-color-scheme:light){:root{--accent:#0f766e" in style() and "(prefers-color-scheme:dark){:root{" in style(scheme="auto")
    for scheme in ("light", "dark"):
        own = style(scheme=scheme, language="de").partition("@media all")[2]
        assert own.startswith(f"{{:root{{color-scheme:{scheme};--accent:#0f766e") and "prefers-color-scheme" not in own
    assert owner("PATCH", f"{place}/page", {"scheme": "light", "dark_text_color": "#000000"}).status == 200, "the dark scheme is not shown"
    assert owner("PATCH", f"{place}/page", {"scheme": "dark"}).json["errors"][0]["pointer"] == "/dark_text_color"


def test_views(owner, place):
    assert verdict(owner("POST", f"{place}/page/preview", {"view": "thanks"})) == (422, "invalid_value")
    assert verdict(owner("POST", f"{place}/page/preview", {"title": "x"})) == (422, "invalid_arguments")


# --- test mails ---

def ended(owner, job):
    return wait_until(lambda: (found := owner("GET", f"jobs/{job['id']}").json)["ended_at"] and found, 15, "the job has ended")


def test_a_test_mail_of_a_user(service, account, mail_server, place, campaign):
    """the mail goes to the user, with the stored templates and sample values; the job belongs to the account"""
    user = User(service, "editor@example.org", "--role", "editor", "--account", account.id).ready()
    path = f"{place}/mail-templates/welcome"
    assert user("PATCH", path, {"subject": "Hallo {{first_name}}", "language": "de"}).status == 200
    answer = user("POST", f"{path}/test", {"language": "de"})
    assert answer.status == 202
    job = answer.json
    assert (job["kind"], job["account"], job["campaign"], job["made_by"]) == ("sample_mail", account.id, campaign.id, f"user {user.email}")
    assert job["parameters"] == {"address": user.email, "kind": "welcome", "language": "de"}
    done = ended(user, job)
    assert (done["state"], done["result"]["ok"], done["result"]["status"]) == ("done", True, 250)
    [mail] = mail_server.to(user.email)
    assert b"Subject: Hallo Ada" in mail.content and f"To: {user.email}".encode() in mail.content
    for fields, expected in (({"address": "other@example.org"}, (403, "operator_only")), ({"language": "xx"}, (422, "invalid_value"))):
        assert verdict(user("POST", f"{path}/test", fields)) == expected
    assert verdict(user("POST", f"{place}/mail-templates/none/test", {})) == (422, "invalid_value")
    assert not mail_server.to("other@example.org")
    for rights, shown in (("stats", None), ("hooks", None), ("manage", job["parameters"])):  # docs/manage.md 2, Jobs
        key = Caller(service, service.installation.admin("key", "add", str(account.id), "--rights", rights)["key"])
        seen = key("GET", f"jobs/{job['id']}").json
        assert seen["parameters"] == shown, rights
        assert all((seen[name] is None) == (shown is None) for name in ("made_by", "result")), rights
        assert user.email not in key("GET", f"{place}/jobs").body.decode(), rights


def test_test_mails_of_others(service, account, mail_server, place):
    """an operator chooses the address; a key cannot request a test mail, because it has no address"""
    path = f"{place}/mail-templates/verify/test"
    operator = User(service, "root@example.org", "--role", "operator").ready()
    job = operator("POST", path, {"address": "qa@example.org"}).json
    assert ended(operator, job)["result"]["ok"] is True and len(mail_server.to("qa@example.org")) == 1
    key = Caller(service, service.installation.admin("key", "add", str(account.id), "--rights", "all")["key"])
    assert verdict(key("POST", path, {})) == (403, "forbidden")
    assert verdict(key("POST", path, {"address": "qa@example.org"})) == (403, "operator_only")


def test_too_many_test_mails(service, account, place):
    """the number of test mails to an address in an hour is limited; a repeated call sends none"""
    user = User(service, "often@example.org", "--role", "editor", "--account", account.id).ready()
    other = User(service, "seldom@example.org", "--role", "editor", "--account", account.id).ready()
    path = f"{place}/mail-templates/welcome/test"
    own_page = {"Sec-Fetch-Site": "same-origin"}
    for number in range(PER_HOUR):
        answers = [user("POST", path, {}, headers={**own_page, "Idempotency-Key": str(number)}) for _ in range(2)]
        assert [answer.status for answer in answers] == [202, 200], number
        ended(user, answers[0].json)
    answer = user("POST", path, {})
    assert verdict(answer) == (429, "rate_limited") and 0 < int(answer.headers["Retry-After"]) <= 3660
    assert other("POST", path, {}).status == 202


def test_test_mails_of_a_mailbox(service):
    """test mails of all users with the same mailbox, including removed users, and of operators count together"""
    account = service.account("Flood")
    path = f"campaigns/{service.campaign(account).id}/mail-templates/welcome/test"
    operator = User(service, "head@example.org", "--role", "operator").ready()

    def add(email):
        return User(service, email, "--role", "editor", "--account", account.id).ready()

    def send(user, count):
        answers = [user("POST", path, {}) for _ in range(count)]
        assert {answer.status for answer in answers} == {202}, user.email
        ended(user, answers[-1].json)

    send(first := add("victim@example.org"), PER_HOUR - 2)
    service.installation.admin("user", "remove", str(first.id))
    send(add("Victim+2@example.org"), 1)
    send(again := add("victim@example.org"), 1)
    assert verdict(again("POST", path, {})) == (429, "rate_limited")
    assert verdict(operator("POST", path, {"address": "victim+3@example.org"})) == (429, "rate_limited")
    assert operator("POST", path, {}).status == 202


def test_test_mails_of_an_account(service):
    """test mails of an account count together; those of operators do not count, nor do those that are refused for their address"""
    account = service.account("Many")
    path = f"campaigns/{service.campaign(account).id}/mail-templates/welcome/test"
    first, second, third, late = (User(service, f"{name}@many.example", "--role", "editor", "--account", account.id).ready()
                                  for name in ("first", "second", "third", "late"))
    operator = User(service, "chief@example.org", "--role", "operator").ready()
    for user in (first, second, third):
        jobs = [user("POST", path, {}) for _ in range(PER_HOUR)]
        assert {answer.status for answer in jobs} == {202}
        ended(user, jobs[-1].json)
    for _ in range(PER_HOUR):
        assert verdict(late("POST", path, {})) == (429, "rate_limited")
    jobs = [operator("POST", path, {"address": late.email}) for _ in range(PER_HOUR)]
    assert {answer.status for answer in jobs} == {202}
    ended(operator, jobs[-1].json)


def test_a_sample_from_a_shell(leadhook, refused, campaign, mail_server):
    """a test mail from the shell can go to any address"""
    shown = leadhook("mail", "sample", campaign.id, "reward", "--address", "shell@example.org")
    assert shown["ok"] is True and b"T-shirt" in mail_server.to("shell@example.org")[0].content
    assert "--address" in refused(64, "mail", "sample", str(campaign.id), "reward")


def test_mail_that_is_off(make_service):
    """the error is the same as that of mail test"""
    service = make_service()
    account = service.account()
    campaign = service.campaign(account)
    user = User(service, "owner@example.org", "--role", "owner", "--account", account.id).ready()
    operator = User(service, "root@example.org", "--role", "operator").ready()
    first = user("POST", f"campaigns/{campaign.id}/mail-templates/welcome/test", {}).json
    second = operator("POST", "mails/test", {"address": "ada@example.org"}).json
    assert {**first, "request_id": None} == {**second, "request_id": None} and first["error"] == "not_configured"


# --- disks ---

def test_disks_and_jobs_of_the_status(service, leadhook):
    """leadhook(1), status: disks and jobs are those of the host that answers; what cannot be read is left out"""
    disks = {disk["what"]: disk for disk in leadhook("status")["disks"]}
    assert "state" in disks and set(disks) <= {"database", "state", "log"}
    assert all(0 < disk["free_bytes"] <= disk["size_bytes"] for disk in disks.values())
    before = leadhook("status")["operator_jobs"]
    service.installation.sql("INSERT INTO lh_operator_jobs (id, kind, parameters, made_by, created_ms) VALUES (999999, 'later', '{}', 'x', 1)")
    assert leadhook("status")["operator_jobs"] == before + 1
    service.installation.sql("DELETE FROM lh_operator_jobs WHERE id = 999999")
