# SPDX-License-Identifier: MIT
"""Imports and exports by the command, and what an import has stored."""
import collections
import csv
import io
import json
import subprocess

from command import OK
from leads_file import ancestors


def export(campaign, *words, status=OK):
    done = subprocess.run([campaign.service.installation.program("leadhook"), "--config", campaign.service.installation.config,
                           "lead", "export", str(campaign.id), *map(str, words)], capture_output=True, timeout=60, check=False)
    assert done.returncode == status, done.stderr
    return done.stdout


def records(campaign, *words):
    return list(csv.DictReader(io.StringIO(export(campaign, *words).decode(), newline=""), strict=True))


def run_import(campaign, path, *words, status=OK, stdin=None, timeout=300):
    done = subprocess.run([campaign.service.installation.program("leadhook"), "--config", campaign.service.installation.config,
                           "lead", "import", str(campaign.id), str(path), *words, "--json"],
                          input=stdin, capture_output=True, timeout=timeout, check=False)
    assert done.returncode == status, done.stderr
    return json.loads(done.stdout), done.stderr.decode()


def counts(imported=0, unchanged=0, rejected=0):
    return {"rows": imported + unchanged + rejected, "imported": imported, "unchanged": unchanged, "rejected": rejected}


def imported(campaign, path, *words, expected, status=OK, **options):
    """Import the file; the counts must be as expected."""
    result, errors = run_import(campaign, path, *words, status=status, **options)
    result.pop("seconds")
    for name in ("columns", "encoding", "delimiter", "heading", "unknown_tags", "remarks"):
        result.pop(name, None)
    assert result == expected, errors
    return errors


def is_sound(leadhook):
    assert leadhook("check", "--deep") == {"ok": True, "findings": []}


def write(folder, text, name="leads.csv"):
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def stored(campaign):
    """Return all leads by social id, from GET /leads."""
    leads, query = {}, {"limit": 250}
    while query:
        page = campaign.get(query, path="/leads").json
        leads.update((lead["social_id"], lead) for lead in page["leads"])
        query = {"limit": 250, "cursor": page["next"]} if page["next"] else None
    return leads


def check_all(campaign, rows):
    """Check that every lead was imported as it was, and counts for its referrers."""
    chains, leads = ancestors(rows), stored(campaign)
    direct, indirect = collections.Counter(), collections.Counter()
    for social_id, chain in chains.items():
        direct.update(chain[:1])
        indirect.update(chain[1:])
    assert len(leads) == len(rows)
    above, place = {}, 0  # leads with a higher score
    for score, count in sorted(collections.Counter(int(row["points"]) for row in rows).items(), reverse=True):
        above[score], place = place, place + count
    for row in rows:
        lead = leads[row["social_id"]]
        assert lead["contest_score_rank"] == above[int(row["points"])] + 1
        assert (lead["email"], lead["parent_id"] or "", lead["when"], lead["contest_score"], lead["subscription_number"]) == (
            row["email"], row["referrer"], row["created"], row["points"], row["subscription_number"])
        assert lead["verified_email"] == (row["verified_email"] == "true") and lead["first_name"] == row["first_name"]
        assert lead["utm"] == {"source": "old"} and lead["referrals"] == direct[row["social_id"]]
        assert lead["influence"] == {"direct": direct[row["social_id"]], "indirect": indirect[row["social_id"]]}


def check_links(campaign, rows, sample):
    """Check that old links, also in lower case and retyped, refer new leads and find their lead."""
    for row in sample:
        kid = row["social_id"]
        typed = kid.lower().replace("0", "o").replace("1", "l")
        assert campaign.find(social_id=typed)["email"] == row["email"]
        made = campaign.lead(email=f"new-{kid}@example.org", kid=typed)
        assert made["parent_id"] == kid and made["subscription_number"] > 2 * len(rows)
