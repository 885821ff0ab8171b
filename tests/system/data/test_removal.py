# SPDX-License-Identifier: MIT
"""leadhook(1), campaign remove and account remove; leadhook.conf(5), lead.ip_days."""
import signal
import subprocess
import threading

from command import DATA, OK, USAGE, call
from service import settles
from stack.process import wait_until

DAY_MS = 24 * 60 * 60 * 1000


def run(service, *words):
    return call(service.installation, *words, "--json")


def of_campaigns(service):
    """The tables with a column for the campaign, and the campaigns of their rows."""
    tables = service.installation.sql("SELECT TABLE_NAME FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = DATABASE()"
                                      " AND COLUMN_NAME = 'campaign_id'").split()
    assert len(tables) > 15
    return {table: set(service.installation.sql(f"SELECT DISTINCT campaign_id FROM {table}").split()) for table in tables}


def count(service, table):
    return int(service.installation.sql(f"SELECT COUNT(*) FROM lh_{table}"))


def fill(service, campaign):
    campaign.webhook("new_signup", "referral", "score_change")
    campaign.define("tag", "vip", "--points", 7)
    campaign.define("action", "followed us", "--points", 3)
    campaign.define("reward", "mug", "--required-points", 5)
    made = service.installation.admin("inbound", "add", str(campaign.id), "Shop", "--map", "email=mail")
    path = made["url"].removeprefix(service.front.url)
    for body in (b'{"mail":"shop@example.org"}', b'{"mail":"none"}'):
        service.client.request("POST", path, body=body, type="application/json")
    first = campaign.lead(email="first@example.org")
    for number in range(6):
        campaign.lead(email=f"{number}@example.org", kid=first["social_id"])
    campaign.bulk("optout", {"emails": ["1@example.org"]})
    return path


def test_a_campaign(service, account):
    """Nothing of the campaign is left, and the other campaign is unchanged."""
    settings = {"max_per_ip": 2, "points_direct": 1}
    campaign, other = service.campaign(account, **settings), service.campaign(account, **settings)
    path = fill(service, campaign)
    fill(service, other)
    service.dispatch()
    campaign.lead(email="late@example.org")
    before = other.stats(), other.get({}, path="/leaderboard").json
    refused = run(service, "campaign", "remove", str(campaign.id))
    assert refused.returncode == USAGE and "1 campaign with 9 leads and all of their data would be deleted; add --yes" in refused.stderr
    assert campaign.find(email="1@example.org")["opted_out"]
    done = run(service, "campaign", "remove", str(campaign.id), "--yes")
    assert done.returncode == OK and '"leads":9' in done.stdout.replace(" ", ""), done.stderr
    settles(lambda: campaign.post({"email": "new@example.org"}), 404)
    settles(lambda: campaign.get({"email": "1@example.org"}), 404)
    settles(lambda: campaign.get({}, path="/leaderboard"), 404)
    settles(lambda: service.client.request("POST", path, body=b'{"mail":"x@example.org"}', type="application/json"), 404)
    assert [table for table, ids in of_campaigns(service).items() if str(campaign.id) in ids] == ["lh_audit"]
    assert service.installation.sql(f"SELECT COUNT(*) FROM lh_score_histogram WHERE node >> 29 = {campaign.id}") == "0"
    assert (other.stats(), other.get({}, path="/leaderboard").json) == before
    service.dispatch()
    service.check()
    assert run(service, "campaign", "remove", str(campaign.id), "--yes").returncode == DATA


def test_an_account(service):
    account, other = service.account(), service.account()
    campaigns = [service.campaign(account) for _ in range(3)]
    staying = service.campaign(other)
    for campaign in [*campaigns, staying]:
        campaign.leads(3)
    assert "3 campaigns with 9 leads" in run(service, "account", "remove", str(account.id)).stderr
    assert run(service, "account", "remove", str(account.id), "--yes").returncode == OK
    settles(lambda: service.client.request("GET", "/v2/campaigns", key=account.key), 409, "invalid_api_key")
    settles(lambda: campaigns[0].post({"email": "1@example.org"}, key=None), 404)
    assert str(account.id) not in service.installation.sql("SELECT id FROM lh_accounts").split()
    assert str(account.id) not in service.installation.sql("SELECT account_id FROM lh_api_keys").split()
    assert staying.stats()["total"] == 3
    assert run(service, "account", "remove", str(account.id), "--yes").returncode == DATA
    service.check()


def test_sign_ups_go_on(service, account):
    """Other campaigns accept sign-ups while a large one is removed, whose deliveries are not sent."""
    campaign, other = service.campaign(account), service.campaign(account)
    service.installation.sql(f"INSERT INTO lh_leads (id, campaign_id, subscription_number, social_id, email, created_ms, updated_ms)"
                             f" SELECT 900000000 + seq, {campaign.id}, seq, CONCAT('Z', LPAD(seq, 9, '0')), 'x', 0, 0 FROM seq_1_to_20000")
    command = threading.Thread(target=run, args=(service, "campaign", "remove", str(campaign.id), "--yes"))
    command.start()
    made = 0
    while command.is_alive():
        other.lead(email=f"{made}@example.org")
        made += 1
    command.join()
    assert made > 5 and other.stats()["total"] == made
    assert service.installation.sql(f"SELECT COUNT(*) FROM lh_leads WHERE campaign_id = {campaign.id}") == "0"


def test_killed(service, account):
    """Callers no longer find the campaign, and the dispatcher deletes the rest."""
    campaign = service.campaign(account)
    service.installation.sql(f"INSERT INTO lh_leads (id, campaign_id, subscription_number, social_id, email, created_ms, updated_ms)"
                             f" SELECT 910000000 + seq, {campaign.id}, seq, CONCAT('Y', LPAD(seq, 9, '0')), 'x', 0, 0 FROM seq_1_to_20000")
    command = subprocess.Popen([service.installation.program("leadhook"), "--config", service.installation.config, "campaign", "remove",
                                str(campaign.id), "--yes"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wait_until(lambda: count(service, "removed_campaigns") == 1, 10, "not begun")
    command.send_signal(signal.SIGKILL)
    command.wait()
    settles(lambda: campaign.get({"email": "1@example.org"}), 404)
    assert run(service, "campaign", "add", str(account.id), "Again", "--id", str(campaign.id)).returncode == DATA
    service.installation.sql("UPDATE lh_removed_campaigns SET worked_ms = 0")

    def finished():
        service.dispatch()
        return count(service, "removed_campaigns") == 0
    wait_until(finished, 180, "rows are left")
    assert [table for table, ids in of_campaigns(service).items() if str(campaign.id) in ids] == ["lh_audit"]


def test_addresses_are_dropped(make_service):
    """Only addresses of leads that are old enough are dropped; counts of leads by address stay correct."""
    service = make_service(settings=[("lead", "ip_days", "30")])
    campaign, other = service.campaign(max_per_ip=2), service.campaign()
    for number in range(4):
        campaign.lead(email=f"{number}@example.org", ip="2001:db8::1")
    other.lead(email="other@example.org", ip="192.0.2.2")
    service.installation.sql("UPDATE lh_leads SET user_agent = 'Browser'")
    emails = service.installation.sql("SELECT email FROM lh_leads ORDER BY id").split()
    service.installation.sql(f"UPDATE lh_leads SET created_ms = created_ms - 31 * {DAY_MS} ORDER BY id LIMIT 2")
    service.installation.admin("stats", "rebuild")
    service.dispatch()
    found = dict(line.split("\t", 1) for line in service.installation.sql("SELECT email, ip, user_agent FROM lh_leads").splitlines())
    assert found == {email: "NULL\tNULL" if email in emails[:2] else
                     f"{'192.0.2.2' if email == 'other@example.org' else '2001:db8::1'}\tBrowser" for email in emails}
    left = len(set(emails[2:]) - {"other@example.org"})
    assert service.installation.sql(f"SELECT ip, leads FROM lh_ip_leads WHERE campaign_id = {campaign.id}") == f"2001:db8::/64\t{left}"
    service.check()
