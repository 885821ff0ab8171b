# SPDX-License-Identifier: MIT
"""docs/statistics.md: hourly counts of leads and attempts, from the sign-up to the operator's command."""
import json
import time

import pytest
from command import DATA, NO_ID, OK, USAGE, call, is_aligned, is_time
from stack.process import wait_until
from stack.receiver import Answer

LEADS = ["signups", "deleted", "leads", "verified", "referred", "referred_verified", "referrers", "fraudulent", "opted_out",
         "waitlisted", "removed_from_waitlist"]
ATTEMPTS = ["attempts", "delivered", "failed", "no_answer", "answers_3xx", "answers_4xx", "answers_5xx", "p50_ms", "p95_ms"]


def counts(row):
    """The counts that are not 0."""
    return {name: row[name] for name in LEADS if row[name]}


def source(stats, name):
    [row] = [row for row in stats["sources"] if row["source"] == name]
    return counts(row)


def test_leads(service, leadhook, campaign, tmp_path):
    """docs/statistics.md 1 and 2: sign-ups, changes of these leads, and imports count in the hour of the sign-up, by source"""
    ada = campaign.lead(email="ada@example.org", __referrer="https://blog.example/a", __url="https://shop.example/")
    for name in ("bob", "eve"):
        campaign.lead(email=f"{name}@example.org", __kid=ada["social_id"])
    campaign.lead(email="uta@example.org", utm_source="news", __source="import")  # not an import of a file
    campaign.lead(email="own@example.org", __referrer="https://shop.example/a", __url="https://shop.example/", __source="import")
    assert campaign.post({"email": "form@example.org"}, headers=[("Referer", "https://blog.example/a")]).status == 200
    inbound = leadhook("inbound", "add", campaign.id, "Shop", "--map", "email=mail")
    answer = campaign.client.request("POST", inbound["url"][inbound["url"].index("/in"):], json_body={"mail": "in@example.org"})
    assert answer.status == 201, answer.body
    (tmp_path / "leads.csv").write_text("email,created,verified_email\nold@example.org,2024-02-29T23:59:59Z,true\n")
    leadhook("lead", "import", campaign.id, tmp_path / "leads.csv")
    campaign.bulk("verify", {"email": "ada@example.org"})
    campaign.bulk("block", {"email": "bob@example.org"})
    campaign.bulk("optout", {"email": "own@example.org"})
    campaign.change("delete", email="eve@example.org")
    stats = leadhook("campaign", "stats", campaign.id)
    assert list(stats) == ["campaign_id", "complete", "by", "since", "until", "totals", "previous", "sources", "points"]
    assert (stats["campaign_id"], stats["complete"], stats["by"], len(stats["points"])) == (campaign.id, True, "day", 30)
    assert list(stats["totals"]) == list(stats["previous"]) == LEADS
    assert counts(stats["totals"]) == {"signups": 7, "deleted": 1, "leads": 6, "verified": 1, "referred": 1, "referrers": 1,
                                       "fraudulent": 1, "opted_out": 1}
    assert source(stats, "link") == {"signups": 1, "leads": 1, "verified": 1, "referrers": 1}
    assert source(stats, "referral") == {"signups": 2, "deleted": 1, "leads": 1, "referred": 1, "fraudulent": 1}
    assert source(stats, "campaign") == source(stats, "inbound") == {"signups": 1, "leads": 1}
    assert source(stats, "direct") == {"signups": 2, "leads": 2, "opted_out": 1}
    assert source(stats, "import") == source(stats, "unknown") == counts(stats["previous"]) == {}
    old = leadhook("campaign", "stats", campaign.id, "--by", "hour", "--since", "2024-02-29T22:00:00Z", "--until",
                   "2024-03-01T00:30:00Z")
    assert [(point["time"], counts(point)) for point in old["points"]] == [
        ("2024-02-29T22:00:00Z", {}), ("2024-02-29T23:00:00Z", {"signups": 1, "leads": 1, "verified": 1}),
        ("2024-03-01T00:00:00Z", {})]
    assert source(old, "import") == {"signups": 1, "leads": 1, "verified": 1}
    [row] = [row for row in leadhook("campaign", "overview") if row["id"] == campaign.id]
    assert (row["leads"], row["verified"], row["verified_percent"], row["last_7_days"], row["previous_7_days"]) == (7, 2, 29, 7, 0)
    assert (row["referred"], row["referrers"]) == (1, 1)
    assert len(row["days"]) == 14 and sum(row["days"]) == 7 and row["today"] == row["days"][-1]
    service.check()


def test_referrals(service, leadhook, campaign, tmp_path):
    """docs/statistics.md 1: leads that were referred, are verified, or have referred others count in the hour of their sign-up"""
    hour = int(time.time()) // 3600 - 40
    shown = [time.strftime("%Y-%m-%dT%H:10:00Z", time.gmtime((hour + i) * 3600)) for i in (0, 1)]

    def funnel():
        """The hour of Ada, the hour of Bob, all hours, and the whole campaign in the overview."""
        stats = leadhook("campaign", "stats", campaign.id, "--by", "hour", "--since", shown[0])
        assert stats["complete"] and [stats["previous"][name] for name in LEADS] == [0] * len(LEADS)
        [row] = [row for row in leadhook("campaign", "overview") if row["id"] == campaign.id]
        assert (row["referred"], row["referrers"]) == (stats["totals"]["referred"], stats["totals"]["referrers"])
        return [tuple(counts[name] for name in ("referred", "referred_verified", "referrers"))
                for counts in (*stats["points"][:2], stats["totals"])]
    (tmp_path / "leads.csv").write_text("email,created,verified_email,referred_by\n"
                                        f"ada@example.org,{shown[0]},false,\nbob@example.org,{shown[1]},true,ada@example.org\n")
    leadhook("lead", "import", campaign.id, tmp_path / "leads.csv")
    assert funnel() == [(0, 0, 1), (1, 1, 0), (1, 1, 1)]
    bob = campaign.find(email="bob@example.org")
    leadhook("campaign", "set", campaign.id, "blocked_email_domains=bad.example")
    campaign.lead(email="eve@bad.example", __kid=bob["social_id"])
    assert funnel() == [(0, 0, 1), (1, 1, 1), (2, 1, 2)]
    cat = campaign.lead(email="cat@example.org", __kid=bob["social_id"])
    assert funnel() == [(0, 0, 1), (1, 1, 1), (3, 1, 2)]
    for action, expected in [("verify", (3, 2, 2)), ("block", (3, 2, 2)), ("approve", (3, 2, 2)), ("unverify", (3, 1, 2)),
                             ("verify", (3, 2, 2))]:
        campaign.change(action, email="cat@example.org")
        assert funnel() == [(0, 0, 1), (1, 1, 1), expected], action
    campaign.change("approve", email="eve@bad.example")
    campaign.change("delete", email="eve@bad.example")
    assert funnel() == [(0, 0, 1), (1, 1, 1), (2, 2, 2)]
    campaign.lead(email="dan@example.org", __kid=cat["social_id"])
    assert funnel() == [(0, 0, 1), (1, 1, 1), (3, 2, 3)]
    leadhook("lead", "erase", "--email", "cat@example.org")
    service.dispatch()
    assert funnel() == [(0, 0, 1), (1, 1, 1), (2, 1, 2)]
    campaign.change("delete", email="ada@example.org")
    assert funnel() == [(0, 0, 0), (1, 1, 1), (2, 1, 1)]
    expected = funnel()
    sql = service.installation.sql
    for table, finding in (("lead_hours", "lead_hours"), ("campaign_counters", "referral_sums")):
        for column in ("referred_verified", "referrers"):
            sql(f"UPDATE lh_{table} SET {column} = {column} + 1 WHERE campaign_id = {campaign.id}")
            found = json.loads(call(service.installation, "check", "--deep", "--json").stdout)["findings"]
            assert finding in [row["what"] for row in found], column
            leadhook("stats", "rebuild", campaign.id)
            assert funnel() == expected, column
    service.check()


def counted_sources(service, leadhook, campaign, *words):
    """(kind, value, signups), after the dispatcher has run once and counted all leads."""
    service.dispatch()
    assert service.installation.sql("SELECT sources_counted_to = last_subscription_number FROM lh_campaign_counters "
                                    f"WHERE campaign_id = {campaign.id}").strip() == "1"
    return [tuple(row.values()) for row in leadhook("campaign", "sources", campaign.id, *words)]


def test_more_sources_than_are_added_up(service, leadhook, campaign):
    """docs/statistics.md 3, campaign sources: with too many invented values, the call is refused instead of being slow; a shorter period or
    a single kind is still shown"""
    service.installation.sql(
        f"INSERT INTO lh_lead_sources (campaign_id, day, kind, value, signups) SELECT {campaign.id},"
        " DATEDIFF(UTC_DATE(), '1970-01-01') - seq DIV 1000, seq % 2, seq, 1 FROM seq_0_to_100999")
    since = time.strftime("%Y-%m-%d", time.gmtime(time.time() - 110 * 86400))
    refused = call(service.installation, "campaign", "sources", str(campaign.id), "--since", since)
    assert refused.returncode == DATA and "choose a shorter one, or one kind" in refused.stderr
    assert len(leadhook("campaign", "sources", campaign.id, "--since", since, "--kind", "utm_source")) == 11
    assert len(leadhook("campaign", "sources", campaign.id)) == 22


def test_sources(service, leadhook, campaign, tmp_path):
    """docs/statistics.md 2.1: the dispatcher counts sign-ups by utm parameter and site, without values that may be an address"""
    assert leadhook("campaign", "sources", campaign.id) == []
    page = {"__url": "https://shop.example/"}
    for number, fields in enumerate([
            {"utm_source": "Newsletter", "utm_medium": "mail", "utm_campaign": "spring"}, {"utm_source": "Newsletter"},
            {"utm_source": "newsletter", "utm_term": "boots"}, {"utm_source": "ada@example.org", "utm_campaign": "spring"},
            {"__referrer": "https://Blog.example/a?b"}, {"utm_source": "x" * 120, "__referrer": "https://blog.example/", **page},
            {"__referrer": "https://shop.example/", **page}, {}]):
        campaign.lead(email=f"{number}@example.org", **fields)
    assert campaign.post({"email": "form@example.org"}, headers=[("Referer", "https://shop.example/a")]).status == 200
    campaign.lead(email="0@example.org", utm_source="again")
    expected = [("utm_source", "Newsletter", 2), ("utm_source", "newsletter", 1), ("utm_source", "x" * 100, 1), ("utm_source", None, 1),
                ("utm_medium", "mail", 1), ("utm_campaign", "spring", 2), ("site", "blog.example", 2)]
    assert counted_sources(service, leadhook, campaign) == expected
    stored = service.installation.sql(f"SELECT value FROM lh_lead_sources WHERE campaign_id = {campaign.id}")
    assert "spring" in stored and "@" not in stored
    assert counted_sources(service, leadhook, campaign, "--limit", "1") == [expected[0], ("utm_source", None, 3), *expected[4:]]
    assert counted_sources(service, leadhook, campaign, "--kind", "site") == expected[-1:]
    campaign.change("delete", email="0@example.org")
    leadhook("lead", "erase", "--email", "4@example.org")
    assert counted_sources(service, leadhook, campaign) == expected
    (tmp_path / "leads.csv").write_text("email,created,utm_source,subscription_number\nold@example.org,2024-02-29T23:59:59Z,ad,500\n"
                                        "older@example.org,2024-02-29T00:00:00Z,ad,\nlow@example.org,2024-02-28T00:00:00Z,low,400\n")
    leadhook("lead", "import", campaign.id, tmp_path / "leads.csv")
    assert counted_sources(service, leadhook, campaign) == expected
    days = ["--since", "2024-02-28", "--until", "2024-02-29T12:00:00Z"]
    assert counted_sources(service, leadhook, campaign, *days) == [("utm_source", "ad", 2), ("utm_source", "low", 1)]
    assert counted_sources(service, leadhook, campaign, *days[:3], "2024-02-29T00:00:00Z") == [("utm_source", "low", 1)]
    (tmp_path / "late.csv").write_text("email,created,utm_source,subscription_number\nlate@example.org,2024-02-28T00:00:00Z,late,300\n")
    leadhook("lead", "import", campaign.id, tmp_path / "late.csv")
    assert ("utm_source", "late", 1) in counted_sources(service, leadhook, campaign, *days)
    service.check()


@pytest.mark.parametrize("words, message", [
    (["--kind", "utm_term"], "utm_source, utm_medium, utm_campaign, site or refused"),
    (["--limit", "0"], "a number from 1 to 250"),
    (["--limit", "251"], "a number from 1 to 250"),
    (["--since", "2999-01-01T00:00:00Z"], "before now"),
])
def test_invalid_sources(service, campaign, words, message):
    """docs/statistics.md 4: which calls are refused, and why"""
    done = call(service.installation, "campaign", "sources", str(campaign.id), *words)
    assert done.returncode == DATA and message in done.stderr and done.stdout == ""


def test_sources_of_a_removed_campaign(service, leadhook, campaign):
    """docs/statistics.md 2.1: the counts are removed with the campaign"""
    campaign.lead(email="ada@example.org", utm_source="news")
    assert counted_sources(service, leadhook, campaign) == [("utm_source", "news", 1)]
    leadhook("campaign", "remove", campaign.id, "--yes")
    assert service.installation.sql(f"SELECT COUNT(*) FROM lh_lead_sources WHERE campaign_id = {campaign.id}").strip() == "0"
    service.check()


def test_rebuild(service, leadhook, refused, campaign):
    """docs/statistics.md 1: the command counts all leads again, and if it is interrupted, the dispatcher continues"""
    campaign.leads(3)
    sql = service.installation.sql
    sql(f"UPDATE lh_lead_hours SET lead_count = 9 WHERE campaign_id = {campaign.id}")
    done = call(service.installation, "check", "--deep", "--json")
    [finding] = json.loads(done.stdout)["findings"]
    assert finding["what"] == "lead_hours" and "leadhook stats rebuild" in finding["hint"]
    assert leadhook("stats", "rebuild", campaign.id) == {"campaigns": 1}
    assert leadhook("campaign", "stats", campaign.id)["totals"]["leads"] == 3
    # as if the command had been interrupted
    sql(f"DELETE FROM lh_lead_hours WHERE campaign_id = {campaign.id};"
        "UPDATE lh_campaign_counters SET hours_counted_from = 4294967295 "
        f"WHERE campaign_id = {campaign.id};"
        "DELETE FROM lh_installation WHERE name = 'hours_counted_ms'")
    stats = leadhook("campaign", "stats", campaign.id)
    assert (stats["complete"], stats["totals"]["leads"]) == (False, 0)

    def is_counted():
        service.dispatch(max_runtime=2)
        return leadhook("campaign", "stats", campaign.id)["complete"]
    wait_until(is_counted, 30, "the dispatcher to count")
    assert leadhook("campaign", "stats", campaign.id)["totals"]["leads"] == 3
    assert leadhook("stats", "rebuild")["campaigns"] >= 1
    assert "no such campaign" in refused(DATA, "stats", "rebuild", NO_ID)
    service.check()


def test_attempts(service, leadhook, receiver, campaign):
    """docs/statistics.md 3: attempts are counted by the hour of their start, with their outcome"""
    webhook = campaign.webhook("new_signup")
    receiver.script(campaign.hook, Answer(503), Answer(200))
    campaign.leads(1)
    service.dispatch()
    [delivery] = service.deliveries(webhook)
    leadhook("delivery", "redeliver", delivery["id"])
    service.dispatch()
    stats = leadhook("webhook", "stats", webhook["referenceId"], "--by", "hour")
    assert list(stats) == ["webhook_id", "counted_from", "by", "since", "until", "totals", "previous", "points"]
    assert list(stats["totals"]) == ATTEMPTS and len(stats["points"]) == 30 and is_time(stats["counted_from"])
    totals = stats["totals"]
    assert [totals[name] for name in ATTEMPTS[:7]] == [2, 1, 0, 0, 0, 0, 1]
    assert 0 <= totals["p50_ms"] <= totals["p95_ms"]
    assert stats["previous"]["attempts"] == 0 and stats["previous"]["p50_ms"] is None
    assert sum(point["attempts"] for point in stats["points"]) == 2
    leadhook("webhook", "remove", webhook["referenceId"])
    done = call(service.installation, "webhook", "stats", str(webhook["referenceId"]))
    assert (done.returncode, done.stderr) == (DATA, "leadhook: there is no such webhook\n")


def test_webhooks_of_campaigns(service, leadhook, receiver, account):
    """docs/statistics.md 4 campaign overview: states, webhooks, and the first pending delivery"""
    campaign, other = service.campaign(account), service.campaign(account)

    def overview():
        rows = {row["id"]: row for row in leadhook("campaign", "overview", account.id)}
        return [[rows[one.id][name] for name in ("state", "ends_at", "webhooks", "webhooks_failing", "webhooks_disabled")]
                for one in (campaign, other)], rows[campaign.id]["oldest_due_at"], rows[other.id]["oldest_due_at"]
    assert overview() == ([["active", None, 0, 0, 0]] * 2, None, None)
    receiver.script(campaign.hook, Answer(503))
    webhook = campaign.webhook("new_signup")
    disabled = leadhook("webhook", "add", campaign.id, "https://hooks.example/a", "deleted")["id"]
    leadhook("webhook", "disable", disabled)
    campaign.leads(1)
    counts, due, none = overview()
    assert counts == [["active", None, 2, 0, 1], ["active", None, 0, 0, 0]] and none is None
    assert is_time(due) and due == service.deliveries(webhook)[0]["due_at"]
    service.dispatch()
    counts, due, none = overview()
    assert counts[0] == ["active", None, 2, 1, 1] and due == service.deliveries(webhook)[0]["due_at"]
    leadhook("webhook", "disable", webhook["referenceId"])
    assert overview()[0][0] == ["active", None, 2, 0, 2], "a disabled one is not failing"
    leadhook("campaign", "set", other.id, "ends_at=2099-01-01")
    assert overview()[0][1] == ["active", "2099-01-01T00:00:00Z", 0, 0, 0]
    leadhook("campaign", "set", other.id, "ends_at=2001-01-01")
    assert overview()[0][1] == ["ended", "2001-01-01T00:00:00Z", 0, 0, 0]


@pytest.mark.parametrize("words, status, message", [
    (["--by", "week"], DATA, "hour or day"),
    (["--since", "yesterday"], DATA, "a date or a time as in RFC 3339, such as 2026-10-01"),
    (["--since", "2025-01-02T00:00:00Z", "--until", "2025-01-01T00:00:00Z"], DATA, "must begin before it ends"),
    (["--since", "2999-01-01T00:00:00Z"], DATA, "before now"),
    (["--since", "2025-01-01T00:00:00Z", "--by", "hour"], DATA, "at most 1100 hours or days"),
    (["--limit", "3"], USAGE, "--limit"),
])
def test_invalid_periods(service, campaign, words, status, message):
    """docs/statistics.md 4: which calls are refused, and why"""
    done = call(service.installation, "campaign", "stats", str(campaign.id), *words)
    assert done.returncode == status and message in done.stderr and done.stdout == ""


def test_output_for_people(service, campaign):
    """docs/statistics.md 4: fields first, then tables"""
    campaign.leads(1)
    done = call(service.installation, "campaign", "stats", str(campaign.id), "--by", "hour")
    assert done.returncode == OK and "\npoints:\n" in done.stdout and "\nsources:\n" in done.stdout
    assert is_aligned(done.stdout.split("\npoints:\n")[1])
    with pytest.raises(json.JSONDecodeError):
        json.loads(done.stdout)
