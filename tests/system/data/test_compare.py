# SPDX-License-Identifier: MIT
"""docs/migrating.md 6: leadhook-compare, with two of our installations, and with services that write the same values
differently."""
import contextlib
import http.server
import itertools
import json
import os
import subprocess
import threading
import urllib.parse

import pytest
from command import call
from leads_file import make_leads, write_csv
from tree import SOURCE

SCRIPT = SOURCE / "conf-examples" / "leadhook-compare"


class Elsewhere:
    """A campaign of another service, which has the same id as one of our campaigns."""

    def __init__(self, campaign, url):
        self.id, self.key, self.url = campaign.id, "there-key", url


def compare(there, here, *words, keys=None, zone="UTC"):
    """Runs it; returns status, lines and errors. The keys are in the environment and never printed."""
    keys = keys or (there.key, here.key)
    done = subprocess.run(["/usr/bin/python3", SCRIPT, str(there.id), "--campaign-here", str(here.id), "--there", there.url,
                           "--here", here.url, "--rate", "1000", *map(str, words)],
                          env={**os.environ, "LEADHOOK_KEY_THERE": keys[0], "LEADHOOK_KEY_HERE": keys[1], "TZ": zone},
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
    """The same 40 leads in a campaign of each installation, and their file."""
    path = write_csv(tmp_path / "leads.csv", make_leads(40, seed=os.getpid() % 1000 + both.calls))
    both.calls += 1
    return moved(there_service, path), moved(here_service, path), path


both.calls = 0


def test_the_same_leads(both):
    """status 0: all leads, from the list here and from the export"""
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


@contextlib.contextmanager
def other_service(answer):
    """A stand-in that answers each GET with (status, headers, body); yields its URL and the requested paths."""
    seen = []

    class Answers(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            seen.append(self.path)
            status, headers, body = answer(urllib.parse.urlsplit(self.path), len(seen))
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answers)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", seen
    finally:
        server.shutdown()
        server.server_close()


def respelled(here, change):
    """Return the answers of another service: the leads of `here`, changed."""
    def answer(url, _):
        query = dict(urllib.parse.parse_qsl(url.query))
        if url.path.endswith("/stats"):
            return 200, {}, json.dumps({"leads": {"total": here.stats()["total"]}}).encode()
        return 200, {}, json.dumps(change(here.find(**query))).encode()
    return answer


@pytest.mark.parametrize("zone", ["UTC", "America/New_York"])
def test_other_spellings(both, zone):
    """docs/migrating.md 6: no differences are null, empty and absent, case of addresses, formats of a time, numbers as texts; a
    time without a zone is UTC"""
    _, here, path = both
    spellings = itertools.cycle([lambda when: when.replace("T", " ").replace("Z", ""), lambda when: when.replace("T", " ").replace("Z", " UTC"),
                                 lambda when: when.replace("Z", ".250+00:00"), lambda when: when.replace("T", " ").replace("Z", " +0000")])

    def change(lead):
        return {**lead, "id": 7, "email": lead["email"].upper(), "when": next(spellings)(lead["when"]), "uid": "", "lead_count": 99,
                "custom_fields": {name.upper(): value for name, value in lead["custom_fields"].items()} | {"size": None}, "extra": 1}
    with other_service(respelled(here, change)) as (url, seen):
        there = Elsewhere(here, url)
        assert compare(there, here, "--csv", path, zone=zone) == (0, ["40 of 40 leads compared, 0 differences"], "")
    assert len(seen) == 41


@pytest.mark.parametrize("name, value", [("when", "2020-01-01 00:00:00"), ("email", "x@example.org"), ("verified_email", None),
                                         ("custom_fields", {"first_name": "x"}), ("subscription_number", 0), ("opted_out", True)])
def test_a_difference_is_found(both, name, value):
    """docs/migrating.md 6: differences are found in each field that both services show"""
    _, here, path = both
    with other_service(respelled(here, lambda lead: {**lead, name: not lead[name] if value is None else value})) as (url, _):
        status, lines, _ = compare(Elsewhere(here, url), here, "--csv", path, "--sample", 3)
    assert status == 1 and len(lines) == 4 and all(f": {name} differs: there " in line for line in lines[:3])


@pytest.mark.parametrize("body", [b"<html>", b"[" * 100000, b'{"leads":[]}', b"[]", b"7"], ids=range(5))
def test_answers_of_another_kind(both, body):
    """docs/migrating.md 6: status 2 and one line, whatever the other service answers"""
    _, here, _ = both
    with other_service(lambda url, number: (200, {}, body)) as (url, _):
        status, lines, errors = compare(Elsewhere(here, url), here, "--sample", 2)
    assert (status, lines) == (2, []) and errors.startswith("leadhook-compare: ") and errors.count("\n") == 1


@pytest.mark.parametrize("text, error", [("email\nZo\xeb@example.org\n".encode("latin-1"), "is not UTF-8"),
                                         (b'email\n"' + b"x" * (2 << 20) + b'"\n', "field larger than field limit")], ids=["latin", "large"])
def test_bad_exports(both, tmp_path, text, error):
    """docs/migrating.md 6: status 2"""
    there, here, _ = both
    path = tmp_path / "bad.csv"
    path.write_bytes(text)
    status, lines, errors = compare(there, here, "--csv", path)
    assert (status, lines) == (2, []) and error in errors and errors.count("\n") == 1


def test_a_limited_service(both):
    """docs/migrating.md 6: 429 with Retry-After is repeated, a redirect is not followed"""
    _, here, path = both
    with other_service(lambda url, number: (429, {"Retry-After": "0"}, b"") if number == 1 else
                       (302, {"Location": here.url}, b"")) as (url, seen):
        status, _, errors = compare(Elsewhere(here, url), here, "--csv", path)
    assert status == 2 and "was answered with 302" in errors and len(seen) == 2
