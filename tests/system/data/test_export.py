# SPDX-License-Identifier: MIT
"""leadhook(1), lead export, and lead import of the exported files."""
import csv
import io
import json
import os
import stat
import subprocess
from concurrent.futures import ThreadPoolExecutor

import pytest
from marks import frees_memory
from command import DATA, OK, USAGE, call
from failing_database import drop_connections, held
from stack.process import wait_until
from transfers import counts, export, imported, is_sound, records

FORMULAS = ["x;=HYPERLINK(\"https://example.org/\");y", "x\t@SUM(1)", "x|-1|y", "x,+1", 'x";=1', 'x;"=1";2', "x\n=1\r\n+2", "'=1;'=1",
            "x; \uff1d1"]
SPECIAL = ["=1+1", "+49", "-5", "@x", "'=x", "''+", "plain", "'quoted'", 'a "b", c;d', "two\nlines", " =1", "\u00a0+1", "\ufeff@x", "\u3000-", "\uff1d1", "\uff201", "x|=cmd", "ü €", "0123", "1e5", "true", "null", *FORMULAS]


@pytest.fixture(scope="module")
def elsewhere(make_service):
    """Another installation, because a social id belongs to one lead per installation."""
    return make_service()


def define(campaign):
    """Defines the same tags and actions in each campaign."""
    for name in ("vip", 'with "quotes", and; more', "beta"):
        campaign.define("tag", name, "--points", 7)
    campaign.define("action", "followed us", "--points", 3)


def fill(campaign):
    """Makes leads with everything that an export contains."""
    tags = [one["id"] for one in campaign.service.installation.admin("tag", "list", str(campaign.id))]
    ada = campaign.lead(email="Ada@Example.org", phone_number="+14155552671", uid="=u", referrer="https://example.com/?a=1",
                        utm_source="=mail", utm_medium="x,y", ip="192.0.2.7", points=5, source="=s", user_agent="+ua",
                        __url="https://example.org/page?x=1")
    for number, text in enumerate(SPECIAL):
        campaign.lead(email=f"lead{number}@example.org", kid=ada["social_id"], note=text, **{"=formula": text, "score": text})
    campaign.lead(phone_number="+4930123456", size=4.50, flags=["a", 1, None, True], Plan="gold", empty="", nothing=None,
                  big=12345678901234567890, custom_fields={"kid": "x", "favourite colour": "grün"})
    for tag in tags:
        campaign.change("tag", tag_id=tag, social_ids=[ada["social_id"]])
    campaign.change("verify", emails=["lead1@example.org", "lead2@example.org"])
    campaign.change("block", emails=["lead3@example.org"])
    campaign.change("waitlist", emails=["lead4@example.org"])
    campaign.change("optout", emails=["lead5@example.org"])
    campaign.post({"email": "lead1@example.org", "phone_number": "+4930654321"}, key=None)  # a claim
    assert campaign.find(email="lead1@example.org")["claimed"] == "phone_number"
    return ada


@pytest.mark.parametrize("form", ["csv", "ndjson"])
def test_what_is_imported_is_exported_alike(service, account, elsewhere, leadhook, tmp_path, form):
    """an export, and an export of what was imported from it, have the same bytes"""
    source, target = service.campaign(account, points_signup=2), elsewhere.campaign(elsewhere.account())
    for campaign in (source, target):
        define(campaign)
    fill(source)
    first = export(source, "--format", form)
    path = tmp_path / f"leads.{form}"
    path.write_bytes(first)
    total = source.stats()["total"]
    imported(target, path, expected=counts(total))
    assert export(target, "--format", form) == first
    assert total == len(SPECIAL) + 2
    is_sound(leadhook)
    elsewhere.check()


@pytest.mark.parametrize("written", [",", ";", "|", "\t"])
def test_no_reader_finds_a_formula(campaign, written):
    """leadhook(1), lead export: a spreadsheet that opens the file with another delimiter finds no cell that it would run"""
    for number, text in enumerate(FORMULAS):
        campaign.lead(email=f"lead{number}@example.org", first_name=text, uid=text, **{" ".join(text.split()): "x"})
    text = export(campaign, "--delimiter", written).decode()
    for read in ",;|\t":
        for row in csv.reader(io.StringIO(text, newline=""), delimiter=read):
            assert not [cell for cell in row if cell.lstrip(" ")[:1] in set("=+-@\uff1d")], (read, row)


def fill_quickly(campaign, count, first_id):
    """Makes leads without a history."""
    campaign.service.installation.sql(
        "INSERT INTO lh_leads (id, campaign_id, subscription_number, social_id, email, custom_fields, verified_email, created_ms, updated_ms)"
        f" SELECT {first_id} + seq, {campaign.id}, seq, CONCAT('X', {first_id} + seq), CONCAT('lead', seq, '@example.org'),"
        f" CONCAT('{{\"first_name\":\"', seq, '\"}}'), seq % 2, 0, 0 FROM seq_1_to_{count};"
        f"UPDATE lh_campaign_counters SET last_subscription_number = {count}, lead_count = {count}, verified = {count // 2}"
        f" WHERE campaign_id = {campaign.id}")


def test_filters(service, account):
    campaign = service.campaign(account)
    fill_quickly(campaign, 2500, 700000000)
    everything = records(campaign)
    assert [int(one["subscription_number"]) for one in everything] == list(range(1, 2501))
    assert len(records(campaign, "--verified", "on")) == 1250
    assert [one["email"] for one in records(campaign, "--after", 2498)] == ["lead2499@example.org", "lead2500@example.org"]
    assert records(campaign, "--since", "2026-01-01") == []
    tag = campaign.define("tag", "vip")
    campaign.change("tag", tag_id=tag, social_ids=["X700000007"])
    assert [one["tags"] for one in records(campaign, "--tag", tag)] == ["vip"]


def test_files(service, account, tmp_path):
    """The name determines the format; only the caller may read a new file; an incomplete export replaces nothing."""
    campaign = service.campaign(account)
    fill_quickly(campaign, 100000, 710000000)
    path = tmp_path / "leads.ndjson"
    done = call(service.installation, "lead", "export", str(campaign.id), str(path), "--json")
    assert done.returncode == OK and json.loads(done.stdout)["leads"] == 100000
    assert path.stat().st_mode & 0o777 == 0o600
    lines = path.read_bytes().splitlines()
    assert len(lines) == 100000 and json.loads(lines[-1])["custom_fields"] == {"first_name": "100000"}
    old = tmp_path / "old.csv"
    old.write_text("old")
    old.chmod(0o640)
    command = subprocess.Popen([service.installation.program("leadhook"), "--config", service.installation.config, "lead", "export",
                                str(campaign.id), str(old)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    with pytest.raises(subprocess.TimeoutExpired):
        command.wait(timeout=0.1)
    command.kill()
    command.wait()
    assert old.read_text() == "old" and sorted(one.name for one in tmp_path.iterdir()) == ["leads.ndjson", "old.csv"]
    export(campaign, old, "--delimiter", ";")
    assert old.stat().st_mode & 0o777 == 0o640 and old.read_text().count("\n") == 100001
    full = call(service.installation, "lead", "export", str(campaign.id), "/dev/full")
    assert full.returncode == 74 and "No space left" in full.stderr and stat.S_ISCHR(os.stat("/dev/full").st_mode)


def test_files_of_others(service, account, tmp_path, shared_folder):
    """WRITTEN FILES: if another account has put something at the path, it does not get the leads"""
    campaign = service.campaign(account)
    campaign.lead(email="ada@example.org")
    loot, path = shared_folder / "loot", shared_folder / "leads.csv"
    for target in (loot, shared_folder / "none"):
        loot.write_text("old")
        path.symlink_to(target)
        done = call(service.installation, "lead", "export", str(campaign.id), str(path))
        assert done.returncode == 73 and f"{path}: Too many levels of symbolic links" in done.stderr
        assert path.is_symlink() and loot.read_text() == "old"
        path.unlink()
    folder = shared_folder / "folder"
    folder.symlink_to(tmp_path)
    done = call(service.installation, "lead", "export", str(campaign.id), str(folder / "leads.csv"))
    assert done.returncode == 73 and not (tmp_path / "leads.csv").exists(), done.stderr
    if os.geteuid() == 0:
        path.write_text("old")
        path.chmod(0o666)
        os.chown(path, 65534, 65534)
        export(campaign, path)
        assert (path.stat().st_uid, path.stat().st_mode & 0o777) == (0, 0o600) and "ada@example.org" in path.read_text()
    os.mkfifo(shared_folder / "pipe")
    done = call(service.installation, "lead", "export", str(campaign.id), str(shared_folder / "pipe"))
    assert done.returncode == 73 and f"{shared_folder}/pipe: Operation not permitted" in done.stderr
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "leads.csv")
    export(campaign, link)
    assert link.is_symlink() and "ada@example.org" in (tmp_path / "leads.csv").read_text()


@frees_memory
def test_memory(service, account):
    """The memory used does not depend on the number of leads."""
    peaks = []
    for count, first_id in ((5000, 720000000), (50000, 730000000)):
        campaign = service.campaign(account)
        fill_quickly(campaign, count, first_id)
        done = subprocess.run(["/usr/bin/python3", "-c",
                               "import resource, subprocess, sys; subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, check=True);"
                               "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)",
                               service.installation.program("leadhook"), "--config", service.installation.config, "lead", "export",
                               str(campaign.id)], capture_output=True, check=True, timeout=60)
        peaks.append(int(done.stdout))
    assert peaks[1] < peaks[0] * 1.2


READS_LEADS = "AND info LIKE '%FROM lh_leads%' AND command <> 'Killed'"


@pytest.mark.parametrize("words", [(), ("--order", "score")])
def test_lost_connections(service, account, words):
    """a page that could not be read is read again, and each lead is exported once"""
    campaign = service.campaign(account)
    fill_quickly(campaign, 3000, 750000000 + 3000 * len(words))
    with ThreadPoolExecutor() as threads, subprocess.Popen(
            [service.installation.program("leadhook"), "--config", service.installation.config, "lead", "export", str(campaign.id),
             "--format", "ndjson", *words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as command:
        first = command.stdout.readline()  # the pipe is full before the page is written: the command waits
        with held(service, "LOCK TABLES lh_leads WRITE"):
            rest = threads.submit(command.stdout.readlines)
            for _ in range(3):  # of four tries
                wait_until(lambda: drop_connections(service, READS_LEADS), 30, "the next page is not read")
        numbers = [json.loads(line)["subscription_number"] for line in [first, *rest.result(60)]]
        assert command.wait(60) == OK
    assert len(numbers) == 3000 and sorted(numbers) == list(range(1, 3001))


def test_changes_meanwhile(service, account, tmp_path):
    """An export leaves out leads that sign up while it runs, and contains each of the others once."""
    campaign = service.campaign(account)
    fill_quickly(campaign, 60000, 740000000)
    command = subprocess.Popen([service.installation.program("leadhook"), "--config", service.installation.config, "lead", "export",
                                str(campaign.id), str(tmp_path / "leads.csv")], stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    made = 0
    while command.poll() is None:
        campaign.lead(email=f"late{made}@example.org")
        campaign.lead(email="lead59000@example.org", first_name=f"changed {made}")
        made += 1
    assert command.returncode == OK and made > 0
    with open(tmp_path / "leads.csv", newline="", encoding="utf-8") as file:
        numbers = [int(one["subscription_number"]) for one in csv.DictReader(file)]
    assert numbers[:60000] == list(range(1, 60001)) and len(numbers) - 60000 <= made


@pytest.mark.parametrize("words, status, message", [
    (("--format", "xml"), USAGE, "--format: expected csv or ndjson"),
    (("--delimiter", "ab"), USAGE, "--delimiter"),
    (("--verified", "maybe"), DATA, "--verified"),
    (("/nonexistent/leads.csv",), 73, "/nonexistent/leads.csv: No such file or directory"),
])
def test_errors(service, account, words, status, message):
    done = call(service.installation, "lead", "export", str(service.campaign(account).id), *words)
    assert done.returncode == status and message in done.stderr


def test_no_campaign(service):
    assert "there is no such campaign" in call(service.installation, "lead", "export", "999999").stderr
