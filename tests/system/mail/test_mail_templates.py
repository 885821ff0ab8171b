# SPDX-License-Identifier: MIT
"""docs/mail.md 1: a campaign's own templates, and previews (leadhook(1), mail template, mail set, mail preview)."""
import email
import email.policy
import re
import stat

import pytest
from command import CONFIG, DATA, USAGE, call
from stack.process import wait_until

VERIFY_TEXT = "Hello {{campaign_name}},\n\nContinue: {{confirm_url}}\n"


@pytest.fixture(scope="module")
def service(make_service, mail_server):
    made = make_service(settings=mail_server.settings())
    made.dispatcher.start()
    return made


@pytest.fixture
def campaign(service, account):
    return service.campaign(account, verify_email="on", pages="on", mails="welcome")


def parts(shown):
    return {part: shown[f"{part}_is"] for part in ("subject", "text", "html")}


def body(mail, kind="plain"):
    return email.message_from_bytes(mail.content, policy=email.policy.SMTP).get_body(kind).get_content().replace("\r\n", "\n")


def test_templates_in_effect(leadhook, campaign, tmp_path):
    """own templates for a language come first, then those for every language, then the default; HTML is made from the text"""
    shown = leadhook("mail", "template", campaign.id, "verify")
    assert parts(shown) == {"subject": "default", "text": "default", "html": "made of the text"}
    assert (shown["kind"], shown["language"]) == ("verify", "en") and "{{confirm_url}}" in shown["text"]
    assert shown["required"] == ["confirm_url"] and {"confirm_url", "code", "first_name"} < set(shown["variables"]) and "score" not in shown["variables"]
    file = tmp_path / "text"
    file.write_text(VERIFY_TEXT.replace("\n", "\r\n"), encoding="utf-8")
    leadhook("mail", "set", campaign.id, "verify", "subject=For all", f"text=@{file}")
    shown = leadhook("mail", "set", campaign.id, "verify", "subject=Hallo", "--language", "de")
    assert (shown["subject"], shown["subject_is"], shown["language"]) == ("Hallo", "own", "de")
    assert (shown["text"], shown["text_is"]) == (VERIFY_TEXT.rstrip(), "own, for every language")
    assert shown["html_is"] == "made of the text" and "Hello {{campaign_name}}" in shown["html"]
    assert leadhook("mail", "template", campaign.id, "verify")["subject"] == "For all"
    assert leadhook("mail", "template", campaign.id, "welcome")["subject_is"] == "default"
    shown = leadhook("mail", "set", campaign.id, "verify", "subject=", "text=", "--language", "de")
    assert (shown["subject"], shown["text_is"]) == ("For all", "own, for every language")
    shown = leadhook("mail", "set", campaign.id, "verify", "subject=", "text=")
    assert parts(shown)["subject"] == parts(shown)["text"] == "default"


@pytest.mark.parametrize("kind, words, error", [
    ("verify", ["text=Hello"], "text=: line 1, column 6: it must show {{confirm_url}}"),
    ("verify", ["text={{confirm_url}} {{firstname}}"], 'text=: line 1, column 17: there is no value "firstname"'),
    ("verify", ["subject={{position}}"], "subject=: line 1, column 1: "),
    ("welcome", ["html=<p style=\"{{first_name}}\">{{unsubscribe_url}}</p>"], "html=: line 1, column 11: "),
    ("welcome", ["subject=" + "x" * 1025], "subject=: line 1, "),
])
def test_a_mistake_changes_nothing(refused, leadhook, campaign, kind, words, error):
    assert error in refused(DATA, "mail", "set", str(campaign.id), kind, "subject=Fine", *words)
    assert leadhook("mail", "template", campaign.id, kind)["subject_is"] == "default"


def test_a_mistake_in_a_file(refused, campaign, tmp_path):
    """the error names the line, even if the first lines are empty"""
    file = tmp_path / "text"
    file.write_text("\n\n{{confirm_url}}\n {{#first_name}}", encoding="utf-8")
    assert "text=: line 4, column 2: " in refused(DATA, "mail", "set", str(campaign.id), "verify", f"text=@{file}")


def test_other_mistakes(refused, campaign):
    refused(USAGE, "mail", "set", str(campaign.id), "verify", "body=x")
    refused(USAGE, "mail", "set", str(campaign.id), "verify", "subject")
    assert "verify welcome" in refused(DATA, "mail", "set", str(campaign.id), "code", "subject=x")
    refused(DATA, "mail", "template", str(campaign.id), "hello")
    refused(DATA, "mail", "template", "999999", "verify")
    refused(DATA, "mail", "set", "999999", "verify", "subject=x")
    refused(DATA, "mail", "preview", "999999", "verify")
    refused(DATA, "mail", "preview", str(campaign.id), "verify", "--language", "xx")
    assert "no such lead" in refused(DATA, "mail", "preview", str(campaign.id), "verify", "--email", "unknown@example.org")
    refused(66, "mail", "set", str(campaign.id), "verify", "text=@/nonexistent")


@pytest.mark.parametrize("kind", ["verify", "welcome", "reward", "referral", "status_link", "erase_confirm"])
@pytest.mark.parametrize("language", ["en", "de", "es", "fr"])
def test_sample_values(leadhook, campaign, kind, language):
    """every kind can be previewed without a lead"""
    shown = leadhook("mail", "preview", campaign.id, kind, "--language", language)
    assert shown["language"] == language and shown["dropped"] is None and campaign.name in shown["subject"] + shown["text"]
    assert "{{" not in shown["text"] and "/sample" in shown["text"]
    assert {"reward": "T-shirt", "referral": "Grace"}.get(kind, "") in shown["subject"] + shown["text"]


@pytest.mark.parametrize("kind, sample", [("reward", "T-shirt"), ("referral", "Grace")])
def test_what_a_mail_is_about_is_a_sample(leadhook, campaign, kind, sample):
    """this holds even with a lead, whose own values are never samples"""
    campaign.lead(email="bob@example.org")
    shown = leadhook("mail", "preview", campaign.id, kind, "--email", "bob@example.org")
    assert shown["dropped"] is None and sample in shown["subject"] + shown["text"] and "Ada" not in shown["text"]


def test_a_preview_is_the_mail(leadhook, service, mail_server, account, tmp_path):
    """both have the same subject, text and HTML"""
    campaign = service.campaign(account, pages="on", mails="welcome")
    leadhook("mail", "set", campaign.id, "welcome", "subject=Hi {{first_name}}",
             "text={{#position}}Number {{position}}: {{status_url}} {{unsubscribe_url}}{{/position}} {{unsubscribe_url}}")
    campaign.lead(email="grace@example.org", first_name="Grace")
    mail = wait_until(lambda: mail_server.to("grace@example.org"), 10, "no mail")[0]
    count = service.installation.sql("SELECT COUNT(*) FROM lh_messages")
    file = tmp_path / "mail.html"
    shown = leadhook("mail", "preview", campaign.id, "welcome", "--email", "grace@example.org", "--html", file, "--content")
    assert (shown["subject"], shown["to"]) == ("Hi Grace", "grace@example.org")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert shown["text"].rstrip() == body(mail).rstrip() and file.read_text(encoding="utf-8").rstrip() == body(mail, "html").rstrip()
    headers = email.message_from_string(shown["content"], policy=email.policy.SMTP)
    assert (headers["Subject"], headers["To"], headers["From"]) == ("Hi Grace", "grace@example.org", "Leadhook Tests <sender@example.org>")
    assert service.installation.sql("SELECT COUNT(*) FROM lh_messages") == count
    campaign.bulk("verify", {"email": "grace@example.org"})
    wait_until(lambda: campaign.find(email="grace@example.org")["verified_email"], 10, "the lead is not verified")
    shown = leadhook("mail", "preview", campaign.id, "verify", "--email", "grace@example.org")
    assert shown["dropped"] == "verified" and f"/c/{campaign.id}/confirm/" in shown["text"]


def test_links_of_a_preview(leadhook, service, campaign):
    """all are below the base URL, even without a lead"""
    base = campaign.lead(email="ada@example.org")["unsubscribe_url"]["default"].partition("/opt-out/")[0]
    for words in ((), ("--email", "ada@example.org")):
        text = leadhook("mail", "preview", campaign.id, "verify", *words)["text"]
        links = re.findall(r"https?://\S+", text)
        assert len(links) > 1 and {link.partition("/c/")[0] for link in links} == {base}, text


def test_a_template_of_an_earlier_version(service, mail_server, campaign):
    """docs/mail.md 1: a template that was accepted by an earlier version and is refused now is left out; the mail is sent with the
    other templates"""
    service.installation.sql("INSERT INTO lh_campaign_texts (campaign_id, name, language, value) VALUES "
                             f"({campaign.id}, 'mail.verify.subject', '', 'Our own subject'), "
                             f"({campaign.id}, 'mail.verify.html', '', '<form>{{{{confirm_url}}}}</form>')")
    campaign.lead(email="old@example.org")
    mail = wait_until(lambda: mail_server.to("old@example.org"), 10, "no mail")[0]
    assert b"Our own subject" in mail.content and f"/c/{campaign.id}/confirm/" in body(mail, "html") and "<form" not in body(mail, "html")
    logs = "".join(path.read_text() for path in service.installation.folder.glob("*.log"))
    assert f"template_left_out campaign={campaign.id} mail=verify part=html line=1 " in logs


def test_texts_are_shown_in_lines(service, campaign):
    """texts are shown as lines, and cannot control the terminal"""
    campaign.lead(email="eve@example.org", first_name="Eve\u202e")
    done = call(service.installation, "mail", "preview", str(campaign.id), "welcome", "--email", "eve@example.org")
    assert "\ntext " not in done.stdout and "\ntext:\n" in done.stdout and "?" not in done.stdout.replace("/?", "").replace("?kid", "").split("\ntext:\n")[1].split("http")[0]
    assert len(done.stdout.split("\ntext:\n")[1].splitlines()) > 5 and "\u202e" not in done.stdout


def test_mail_that_is_off(make_service):
    """templates and previews work; only the whole message needs mail.from"""
    service = make_service()
    made = service.campaign(service.account())
    assert service.installation.admin("mail", "preview", str(made.id), "welcome")["subject"]
    done = call(service.installation, "mail", "preview", str(made.id), "welcome", "--content")
    assert done.returncode == CONFIG and "mail.from" in done.stderr
