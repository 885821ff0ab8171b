# SPDX-License-Identifier: MIT
"""docs/migrating.md 6: leadhook-compare, with two installations of ours."""
import http.server
import os
import subprocess
import threading

import pytest
from command import call
from conftest import SOURCE
from leads_file import make_leads, write_csv

SCRIPT = SOURCE / "conf-examples" / "leadhook-compare"


def compare(there, here, *words, keys=None):
    """Runs it; returns status, lines and errors. The keys are in the environment and never printed."""
    keys = keys or (there.key, here.key)
    done = subprocess.run(["/usr/bin/python3", SCRIPT, str(there.id), "--campaign-here", str(here.id), "--there", there.url,
                           "--here", here.url, "--rate", "1000", *map(str, words)],
                          env={**os.environ, "LEADHOOK_KEY_THERE": keys[0], "LEADHOOK_KEY_HERE": keys[1]},
                          capture_output=True, text=True, timeout=60, check=False)
    assert not any(key in done.stdout + done.stderr for key in keys if key)
    return done.returncode, done.stdout.splitlines(), done.stderr


@pytest.fixture(scope="module")
def there_service(make_service):
    return make_service(settings=[("limits", "lookups_per_address", "100000/1m"), ("limits", "account_per_minute", "100000")])


@pytest.fixture(scope="module")
def here_service(make_service):
    return make_service(settings=[("limits", "lookups_per_address", "100000/1m"), ("limits", "account_per_minute", "100000")])


def moved(service, path):
    campaign = service.campaign(service.account())
    campaign.url = service.front.url
    done = call(service.installation, "lead", "import", str(campaign.id), str(path))
    assert done.returncode == 0, done.stderr
    return campaign


@pytest.fixture
def both(there_service, here_service, tmp_path):
    """The same 40 leads in a campaign of each."""
    path = write_csv(tmp_path / "leads.csv", make_leads(40, seed=os.getpid() % 1000 + both.calls))
    both.calls += 1
    return moved(there_service, path), moved(here_service, path), path


both.calls = 0


def test_the_same_leads(both):
    """status 0: all leads, by the list here and by the export"""
    there, here, path = both
    assert compare(there, here) == (0, ["40 of 40 leads compared, 0 differences"], "")
    assert compare(there, here, "--csv", path, "--sample", 7) == (0, ["7 of 40 leads compared, 0 differences"], "")
    assert compare(there, here, "--there", f"{there.url}/v2/", "--sample", 3) == (0, ["3 of 40 leads compared, 0 differences"], "")
    for name, column in (("email", "E-mail"), ("social_id", "Referral code")):
        lead = there.get({"limit": 1}, path="/leads").json["leads"][0]
        path.write_text(f"{column}\n{lead[name]}\n")
        assert compare(there, here, "--csv", path) == (0, ["1 of 1 leads compared, 0 differences"], ""), column


def test_differences(both):
    """status 1: missing leads, changed fields, totals"""
    there, here, path = both
    leads = here.get({"limit": 3}, path="/leads").json["leads"]
    here.change("delete", social_ids=[leads[0]["social_id"]])
    here.lead(email=leads[1]["email"], first_name="Other", plan="x")
    here.points(leads[2], 7)
    status, lines, _ = compare(there, here, "--csv", path)
    ids = [lead["social_id"] for lead in leads]
    assert status == 1 and lines[0] == "total: there 40, here 39"
    assert f'social_id "{ids[0]}": missing here' in lines
    assert any(line.startswith(f'social_id "{ids[1]}": custom_fields differs: there {{') for line in lines)
    assert any(line.startswith(f'social_id "{ids[2]}": contest_score differs: there ') for line in lines)
    status, lines, _ = compare(there, here, "--csv", path, "--no-values", "--ignore", "first_name", "--ignore", "custom_fields")
    assert f'social_id "{ids[2]}": contest_score differs' in lines
    assert not any(ids[1] in line and "parent_id" not in line for line in lines)


def test_failures(both, tmp_path):
    """status 2, and no key in a message: a wrong key, a campaign that does not exist, no answer, no key"""
    there, here, _ = both
    status, _, errors = compare(there, here, keys=(there.key, "lh_" + "x" * 43))
    assert status == 2 and "here: GET /stats was answered with 409: is it the key of" in errors
    status, _, errors = compare(there, here, keys=("", here.key))
    assert status == 2 and "set LEADHOOK_KEY_THERE" in errors
    empty = tmp_path / "empty.csv"
    empty.write_text("name\nx\n")
    assert compare(there, here, "--csv", empty)[0] == 2


def test_a_limited_service(both):
    """429 with Retry-After is repeated, a redirect is not followed"""
    there, here, path = both
    seen = []

    class Limited(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            seen.append(self.path)
            first = len(seen) == 1
            self.send_response(429 if first else 302)
            self.send_header("Retry-After" if first else "Location", "0" if first else here.url)
            self.end_headers()

        def log_message(self, *_):
            pass
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Limited)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    there.url = f"http://127.0.0.1:{server.server_port}"
    status, _, errors = compare(there, here, "--csv", path)
    server.shutdown()
    server.server_close()
    assert status == 2 and "was answered with 302" in errors and len(seen) == 2
