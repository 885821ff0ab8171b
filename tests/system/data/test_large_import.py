# SPDX-License-Identifier: MIT
"""leadhook(1), lead import and lead export, with a million leads."""
import csv
import json
import random
import re
import subprocess

import pytest
from leads_file import make_leads, write_csv
from stack.process import wait_until
from transfers import check_all, counts, imported

MILLION, KILLS = 1_000_000, 20
SECONDS = 1200


@pytest.fixture(scope="module")
def service(make_service, own_database):
    """A service with its own database, where nothing else is slow."""
    return make_service(database=own_database)


def memory_kib(process):
    """The peak of the memory that the process has used so far; 0 after its end."""
    try:
        with open(f"/proc/{process.pid}/status", encoding="ascii") as file:
            return int(re.search(r"VmHWM:\s+(\d+)", file.read())[1])
    except (OSError, TypeError):
        return 0


@pytest.mark.long
def test_a_million_rows(service, campaign, tmp_path):
    """killed and restarted 20 times, the import uses constant memory, and results in the same leads, scores and referrals"""
    rows = make_leads(MILLION, seed=21)
    path = write_csv(tmp_path / "leads.csv", rows)
    command = [campaign.service.installation.program("leadhook"), "--config", campaign.service.installation.config, "lead", "import",
               str(campaign.id), str(path)]
    chance, peak = random.Random(22), 0
    for number in range(1, KILLS + 1):
        running = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        wanted = number * MILLION // (KILLS + 2) + chance.randrange(MILLION // (KILLS + 2))

        def reached(running=running, wanted=wanted):
            nonlocal peak
            peak = max(peak, memory_kib(running))
            return campaign.stats()["total"] > wanted or running.poll() is not None
        wait_until(reached, SECONDS, f"{wanted} leads")
        assert running.poll() is None
        running.kill()
        running.wait()
    before = campaign.stats()["total"]
    assert before < MILLION and 0 < peak < 64 * 1024
    imported(campaign, path, expected=counts(MILLION - before, before), timeout=SECONDS)
    checked = subprocess.run([*command[:3], "check", "--deep", "--json"], capture_output=True, timeout=SECONDS, check=False)
    assert json.loads(checked.stdout) == {"ok": True, "findings": []}
    check_all(campaign, rows)
    for form in ("csv", "ndjson"):
        export = tmp_path / f"export.{form}"
        done = subprocess.run([*command[:3], "lead", "export", str(campaign.id), str(export), "--json"], capture_output=True, check=True)
        assert json.loads(done.stdout)["leads"] == MILLION
        with open(export, encoding="utf-8", newline="") as file:
            emails = [line["email"] for line in (csv.DictReader(file) if form == "csv" else map(json.loads, file))]
        assert emails == [row["email"] for row in rows]
