# SPDX-License-Identifier: MIT
"""docs/dashboard.md 3.2: a file of 200 MB, chosen from the disk, stopped and continued, needs no more memory than a small one."""
import os
import random
import re

import pytest
from dashboard import SETTINGS
from stack.process import wait_until

ROWS, BYTES = 60_000, 200_000_000
SECONDS = 1200
GROWTH_MIB = 350  # of all processes of the browser, including those of the page before a reload; the file as JSON would need twice that


@pytest.fixture(scope="module")
def service(make_service, own_database):
    """A service with its own database, which nothing else slows down."""
    return make_service(database=own_database, settings=SETTINGS)


def write_file(path):
    """Write the file. Most of each row is a column that is left out, so that the file is large and the import short. Every
    hundredth row is not a lead, and every thousandth row is repeated."""
    chance, filler = random.Random(3), "Likes long walks, coffee & friends. " * 200
    with open(path, "w", encoding="utf-8", newline="") as file:
        file.write("Email Address;First Name;UNSUB_TIME;Bio\r\n")
        for number in range(ROWS):
            person = number - (number % 1000 == 498)
            email = "none" if number % 100 == 99 else f"p{person}@example{person % 700}.org"
            left = "2024-05-01 10:11" if number % 10 == 0 else ""
            file.write(f'{email};Zoë {number};{left};"{filler[:chance.randrange(2600, 4096)]}"\r\n')
    assert path.stat().st_size > BYTES


def memory_mib(window):
    """The memory of all processes of the browser; shared pages count once."""
    total, session = 0, os.getsid(window.process.pid)
    for process in filter(str.isdigit, os.listdir("/proc")):
        try:
            if os.getsid(int(process)) == session:
                with open(f"/proc/{process}/smaps_rollup", encoding="ascii") as file:
                    total += int(re.search(r"Pss:\s+(\d+)", file.read())[1])
        except (OSError, TypeError):
            continue
    return total // 1024


@pytest.mark.long
@pytest.mark.parametrize("window", ["chromium", "firefox"], indirect=True)
def test_a_large_file(dashboard, window, service, tmp_path):
    """progress, Stop, Continue, a reload halfway; the counts match the file"""
    campaign, path = service.campaign(service.account("Large")), tmp_path / "leads.csv"
    write_file(path)
    before, peak = memory_mib(window), 0

    def reached(condition, what):
        def check():
            nonlocal peak
            peak = max(peak, memory_mib(window))
            return condition()
        wait_until(check, SECONDS, what)

    def choose():
        dashboard.open(f"campaigns/{campaign.id}/import", "Import leads")
        window.choose_file("#import-file", path)

    def imported(number):
        reached(lambda: campaign.stats()["total"] >= number, f"{number} leads")

    twice, bad = ROWS // 1000, ROWS // 100
    choose()
    dashboard.sees("How the file is read")
    dashboard.choose("Field for Bio", "– leave out –")
    dashboard.click("Check the file")
    dashboard.sees("Checked:")
    assert dashboard.value("document.querySelector('progress').max") == path.stat().st_size
    reached(lambda: dashboard.value("document.body.innerText.includes('can be imported')"), "the end of the check")
    able = int(re.search(r"([\d,]+) leads can be imported", dashboard.text())[1].replace(",", ""))
    assert ROWS - bad - twice <= able <= ROWS - bad  # two rows of one person may be in two slices
    dashboard.sees(f"{bad} rows will be skipped")
    dashboard.click(f"Import {able:,} leads")
    imported(ROWS // 5)
    dashboard.click("Stop")
    dashboard.sees("Stopped")
    stopped = campaign.stats()["total"]
    dashboard.sees(f"{stopped:,} leads imported")
    dashboard.click("Continue")
    imported(ROWS // 2)
    dashboard.load()
    assert stopped < campaign.stats()["total"] < ROWS - bad - twice
    choose()
    dashboard.sees("The import of this file was stopped at")
    dashboard.click("Continue")
    reached(lambda: dashboard.value("document.querySelector('h2')?.textContent === 'Done'"), "the end of the import")
    found = re.search(r"([\d,]+) leads? imported, ([\d,]+) already existed, ([\d,]+) rows? skipped", dashboard.text())
    done, existed, skipped = (int(number.replace(",", "")) for number in found.groups())
    assert (done + existed + skipped, skipped) == (ROWS, bad)  # what was under way at the reload is sent again
    assert campaign.stats()["total"] == ROWS - bad - twice and existed >= twice
    lead = campaign.find(email=f"p{ROWS - 20}@example{(ROWS - 20) % 700}.org")
    assert (lead["first_name"], lead["opted_out"]) == (f"Zoë {ROWS - 20}", True)
    assert peak - before < GROWTH_MIB, f"{before} MiB, then {peak} MiB"
