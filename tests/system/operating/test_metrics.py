# SPDX-License-Identifier: MIT
"""docs/operating.md 12.1: metrics as an operator sees them: access, what counts, and what survives crashes and restarts."""
import array
import concurrent.futures
import os
import shutil
import signal
import subprocess
import time

import pytest
from client import new_address
from command import OK, USAGE, call
from companions import companion
from metrics import CONTENT_TYPE, Page, fetch, scrape
from processes import children, committer, wait_for_committer
from service import COMMITTER, WORKERS
from stack.front import FRONTS, free_port
from stack.process import wait_until
from stack.receiver import Answer

DEADLINE = 60
LOOPBACK = ("metrics", "loopback", "on")
TOKEN = "token-of-the-scraper"
needs_committer = pytest.mark.skipif(not COMMITTER, reason="this run has no committer")


@pytest.fixture(scope="module")
def service(make_service):
    return make_service(settings=[LOOPBACK, ("limits", "signups_per_address", "3/60s")])


def grew(service, before, name, by, **labels):
    """Waits until a sample has grown by that much."""
    def found():
        now = scrape(service)
        return now if now.total(name, **labels) - before.total(name, **labels) == by else None
    return wait_until(found, DEADLINE, f"{name} {labels} grew by {by}")


def printed(service, *words):
    done = call(service.installation, "metrics", *words)
    assert done.returncode == OK, done.stderr
    return Page(done.stdout), done.stderr


# --- access ---

def test_off_by_default(make_service):
    """without a setting, the path is unknown"""
    service = make_service(workers=2)
    assert fetch(service)[0] == 404
    assert fetch(service, {"Authorization": f"Bearer {TOKEN}"})[0] == 404
    assert fetch(service, method="POST")[0] == 404


def test_loopback(service):
    """calls from this host get the page; calls through a proxy, or from a page in a browser, never do, whatever their headers
    are"""
    status, headers, text = fetch(service)
    assert (status, headers["Content-Type"], headers["Cache-Control"]) == (200, CONTENT_TYPE, "no-store")
    assert text.startswith("# HELP leadhook_requests_total ")
    for address in ("127.0.0.1", "::1", "127.0.0.1, 127.0.0.1", "10.1.2.3", "unknown"):
        status, _, text = fetch(service, {"X-Forwarded-For": address})
        assert status == 403 and '"forbidden_address"' in text, address
    for headers in ({"Origin": "https://elsewhere.example"}, {"Host": "elsewhere.example"}, {"Via": "1.1 proxy"},
                    {"Forwarded": "for=127.0.0.1"}, {"Sec-Fetch-Site": "same-origin"}):
        assert fetch(service, headers)[0] == 403, headers
    for host in ("localhost", "localhost:80", "127.0.0.1", "[::1]:80"):
        assert fetch(service, {"Host": host})[0] == 200, host
    assert fetch(service, method="POST")[0] == 405
    status, headers, text = fetch(service, method="HEAD")
    assert (status, text) == (200, "") and int(headers["Content-Length"]) > 1000


def test_token(make_service):
    """calls with the token get the page, through proxies as well; wrong tokens are limited like wrong keys"""
    service = make_service(workers=2, settings=[("metrics", "token", TOKEN)])
    good = {"Authorization": f"Bearer {TOKEN}"}
    for headers in ({}, {"Authorization": f"Bearer {TOKEN}x"}, {"Authorization": "Bearer"}, {"Authentication": f"Bearer {TOKEN}"}):
        status, found, text = fetch(service, headers)
        assert (status, found["WWW-Authenticate"]) == (401, "Bearer") and '"invalid_token"' in text, headers
    scrape(service, good)
    scrape(service, {**good, "X-Forwarded-For": "192.0.2.9"})
    guesses = [fetch(service, {"Authorization": "Bearer guess", "X-Forwarded-For": "192.0.2.10"})[0] for _ in range(32)]
    assert guesses == 30 * [401] + 2 * [429]
    scrape(service, {**good, "X-Forwarded-For": "192.0.2.11"})
    assert TOKEN not in (service.installation.folder / "fcgi.log").read_text()


@pytest.mark.parametrize("front", FRONTS)
def test_each_web_server(make_service, front):
    """the page is available with every example of a web server, even below a path"""
    service = make_service(front=FRONTS[front], mount="/lead/", workers=2, settings=[LOOPBACK])
    page = scrape(service)
    assert page("database_up") == 1
    assert fetch(service, {"X-Forwarded-For": "10.0.0.1"})[0] == 403
    assert fetch(service, {"Host": "elsewhere.example"})[0] in (403, 404)  # a web server may accept only other names
    service.stop()


# --- what counts ---

def test_requests(service, campaign):
    """each answer counts once, by the template of its route and the class of its status; leads and events count once, too"""
    campaign.webhook("new_signup", "repeat_signup")
    before = scrape(service)
    for number in range(3):
        campaign.lead(email=f"{number}@example.org")
    campaign.lead(email="0@example.org")
    assert campaign.find(email="1@example.org")
    assert campaign.get({"email": "nobody@example.org"}).status == 404
    for number in range(5):
        assert campaign.client.request("GET", f"/no/such/{number}").status == 404
    assert campaign.client.request("PUT", campaign.path).status == 405
    assert campaign.client.request("OPTIONS", campaign.path).status == 204
    posts = {"method": "POST", "route": "/v2/{campaign}"}
    after = grew(service, before, "requests_total", 4, **posts, class_="2xx")
    assert after.total("requests_total", **posts, class_="4xx") == before.total("requests_total", **posts, class_="4xx")
    gets = {"method": "GET", "route": "/v2/{campaign}"}
    assert after.total("requests_total", **gets, class_="2xx") - before.total("requests_total", **gets, class_="2xx") == 1
    assert after.total("requests_total", **gets, class_="4xx") - before.total("requests_total", **gets, class_="4xx") == 1
    assert after.total("requests_total", route="unknown") - before.total("requests_total", route="unknown") == 6
    assert after.total("requests_total", route="any") - before.total("requests_total", route="any") == 1
    assert after("leads_created_total") - before("leads_created_total") == 3
    assert after("events_total", event="new_signup") - before("events_total", event="new_signup") == 3
    assert after("events_total", event="repeat_signup") - before("events_total", event="repeat_signup") == 1
    if COMMITTER:
        assert after("batch_commands_sum") - before("batch_commands_sum") == 4
    assert set(after.counters) == set(before.counters)  # no new series


def test_durations(service, campaign):
    """each request counts in a histogram with cumulative buckets"""
    before = scrape(service)
    for _ in range(10):
        assert campaign.client.request("GET", "/health").status == 200
    wait_until(lambda: scrape(service)("request_duration_seconds_count") - before("request_duration_seconds_count") >= 11, DEADLINE,
               "the requests are counted")
    page = scrape(service)
    buckets = [value for (name, _), value in page.samples.items() if name == "leadhook_request_duration_seconds_bucket"]
    assert len(buckets) == 15 and buckets == sorted(buckets) and buckets[-1] == page("request_duration_seconds_count")
    assert page("request_duration_seconds_sum") < page("request_duration_seconds_count") * 30


def test_refusals(service, campaign):
    """a refusal counts for the setting that caused it"""
    before, address = scrape(service), new_address()
    statuses = [campaign.post({"email": f"{number}@example.org"}, key=None, address=address).status for number in range(5)]
    assert statuses == [200, 200, 200, 429, 429]
    grew(service, before, "refusals_total", 2, limit="signups_per_address")
    after = grew(service, before, "refusals_total", 2)
    assert after("limiter_fill_ratio", limit="signups_per_address") >= 0
    keys = [campaign.get({}, key="lh_" + "x" * 43, path="/stats", address=address).status for _ in range(32)]
    assert keys.count(429) == 2
    grew(service, after, "refusals_total", 2, limit="failed_keys_per_address")


def test_bots(service, account):
    """a sign-up that is refused as a bot's counts for the reason of the refusal"""
    campaign = service.campaign(account, bots="proof")
    before = scrape(service)
    assert campaign.post({"email": "ada@example.org"}, key=None).status == 406
    grew(service, before, "bot_refusals_total", 1, reason="no_proof")


def test_the_command_prints_the_same(service, campaign):
    """leadhook metrics prints the counts of GET /metrics, and does not change them itself"""
    campaign.lead(email="ada@example.org")
    page = scrape(service)
    same = grew(service, page, "requests_total", 1, route="/metrics")
    command, errors = printed(service)
    assert errors == ""
    assert set(command.samples) == {key for key in same.samples if key[0] != "leadhook_limiter_fill_ratio"}
    assert command.total("requests_total") >= same.total("requests_total")
    assert command("leads") == int(service.installation.sql("SELECT SUM(lead_count) FROM lh_campaign_counters"))
    refused = call(service.installation, "metrics", "--json")  # 4
    assert (refused.returncode, refused.stdout, refused.stderr) == (USAGE, "", "leadhook: metrics does not take --json\n")


def test_free_space(service):
    """the file systems of the state directory, and of the database if it is on this host"""
    page = scrape(service)
    state = os.statvfs(service.installation.setting("server", "state_dir"))
    data = os.statvfs(service.database.folder)
    assert page("filesystem_size_bytes", of="state") == state.f_blocks * state.f_frsize
    assert page("filesystem_size_bytes", of="database") == data.f_blocks * data.f_frsize
    assert 0 < page("filesystem_free_bytes", of="database") <= page("filesystem_size_bytes", of="database")
    assert page("filesystem_free_bytes", of="log") is None  # it logs to standard error


@pytest.mark.skipif(shutil.which("promtool") is None, reason="promtool is not installed; scripts/check installs prometheus")
def test_promtool_accepts_it(service):
    """promtool check metrics reports nothing"""
    _, _, text = fetch(service)
    for page in (text, call(service.installation, "metrics").stdout):
        done = subprocess.run(["promtool", "check", "metrics"], input=page, capture_output=True, text=True, timeout=30, check=False)
        assert (done.returncode, done.stdout, done.stderr) == (0, "", ""), done.stdout + done.stderr


# --- what survives ---

def grown_only(before, after):
    assert all(after.samples[key] >= value for key, value in before.counters.items())


def test_death_of_a_worker(service, campaign):
    """counts stay, the death is counted, and the dead process is no longer a worker"""
    campaign.lead(email="ada@example.org")
    wait_until(lambda: scrape(service).total("workers") == WORKERS, DEADLINE, "all workers run")
    before = scrape(service)
    victim = next(pid for pid in children(service.responders.pid) if pid != committer(service.responders.pid))
    os.kill(victim, signal.SIGKILL)
    after = grew(service, before, "process_restarts_total", 1, process="worker")
    grown_only(before, after)
    wait_until(lambda: scrape(service)("processes", process="worker") == WORKERS, DEADLINE, "it is replaced")
    assert scrape(service)("workers", state="busy") >= 1  # the worker that answers


@needs_committer
def test_death_of_the_committer(service, campaign):
    """counts of commands stay"""
    campaign.lead(email="ada@example.org")
    before = scrape(service)
    victim = wait_for_committer(service.responders.pid)
    os.kill(victim, signal.SIGKILL)
    after = grew(service, before, "process_restarts_total", 1, process="committer")
    grown_only(before, after)
    wait_for_committer(service.responders.pid, other_than=victim)
    campaign.lead(email="bob@example.org")
    after = grew(service, before, "leads_created_total", 1)
    assert after("processes", process="committer") == 1


def test_reload_and_restart(make_service):
    """counts survive HUP and a restart, and the planned end of a process does not count as a death"""
    service = make_service(workers=2, settings=[LOOPBACK])
    campaign = service.campaign()
    campaign.leads(3)
    before = grew(service, Page(""), "leads_created_total", 3)
    old = set(children(service.responders.pid))
    service.responders.send(signal.SIGHUP)
    wait_until(lambda: not old & set(children(service.responders.pid)), DEADLINE, "the end of the old processes")
    after = scrape(service)
    grown_only(before, after)
    assert after.total("process_restarts_total") == 0
    assert after("program_starts_total", program="leadhook-fcgi") == 1
    service.responders.stop()
    service.responders.start()
    service.wait_ready()
    again = scrape(service)
    grown_only(after, again)
    assert again("leads_created_total") == 3
    assert again("program_starts_total", program="leadhook-fcgi") == 2
    assert again.total("process_restarts_total") == 0
    wait_until(lambda: scrape(service).total("workers") == 2, DEADLINE, "the new workers alone")


def test_death_of_the_parent(make_service):
    """after kill -9 of the parent, its processes end and are not counted as dead; the next start continues the counts"""
    service = make_service(workers=2, settings=[LOOPBACK])
    service.campaign().leads(2)
    before = grew(service, Page(""), "leads_created_total", 2)
    service.responders.kill()
    wait_until(lambda: printed(service)[0].total("processes") == 0, DEADLINE, "no process is left")
    service.responders.start()
    service.wait_ready()
    after = scrape(service)
    grown_only(before, after)
    wait_until(lambda: scrape(service).total("workers") == 2, DEADLINE, "two workers")


def test_without_a_parent(make_service):
    """without workers, the single process counts, even after HUP"""
    service = make_service(workers=0, committer=False, settings=[LOOPBACK])
    service.campaign().leads(2)
    before = grew(service, Page(""), "leads_created_total", 2)
    assert before("processes", process="worker") == 1 and before("workers", state="busy") == 1
    service.responders.send(signal.SIGHUP)
    wait_until(lambda: " reloaded " in service.responders.log.read_text(), DEADLINE, "the reload")
    after = scrape(service)
    grown_only(before, after)
    assert after("processes", process="worker") == 1


def test_the_file_cannot_be_made(make_service):
    """another program's file stays, the service runs with counts of its own, and the command reports what is missing"""
    service = make_service(workers=2, settings=[LOOPBACK])
    file = service.installation.folder / "state" / "metrics"
    service.responders.stop()
    file.unlink()
    file.write_text("not ours")
    service.responders.start()
    service.wait_ready()
    assert " metrics_not_shared " in service.responders.log.read_text()
    service.campaign().leads(2)
    grew(service, Page(""), "leads_created_total", 2)
    page, errors = printed(service)
    assert page("requests_total") is None and page.total("requests_total") == 0 and page("leads") == 2
    assert "state/metrics: no counts" in errors
    assert file.read_text() == "not ours"


# --- the database ---

def test_database_away(make_service, own_database):
    """its numbers are left out instead of being zero; the rest of the page arrives in time for a scraper"""
    service = make_service(workers=2, settings=[LOOPBACK], database=own_database)
    service.campaign().leads(2)
    before = grew(service, Page(""), "leads_created_total", 2)
    assert (before("database_up"), before("leads")) == (1, 2)
    own_database.stop()
    begun = time.monotonic()
    away = wait_until(lambda: (page := scrape(service))("database_up") == 0 and page, DEADLINE, "it is away")
    assert time.monotonic() - begun < 10  # figures may be five seconds old
    assert not {"leads", "webhooks", "deliveries_due", "leased_shards"} & {name.removeprefix("leadhook_") for name, _ in away.samples}
    assert away("filesystem_free_bytes", of="database") is None and away("filesystem_free_bytes", of="state") > 0
    grown_only(before, away)
    assert away("database_errors_total", kind="away") > before("database_errors_total", kind="away")
    assert printed(service)[0]("database_up") == 0
    own_database.start()
    wait_until(lambda: scrape(service)("leads") == 2, DEADLINE, "it is back")


def test_scrapes_do_not_load_the_database(service):
    """the numbers are read once in five seconds, however many scrapes there are"""
    def executed():
        return int(service.installation.sql("SHOW GLOBAL STATUS LIKE 'Com_stmt_execute'").split()[1])
    scrape(service)
    before = executed()
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        pages = list(pool.map(lambda _: scrape(service), range(100)))
    assert all(page("leads") == pages[0]("leads") for page in pages)
    assert executed() - before < 60  # a reading is four statements; a hundred would be 400


# --- the dispatcher ---

def give_pid_away(service, dead, living):
    """Gives the counted process the pid of another program, in the lower half of a word of the file."""
    with open(service.installation.folder / "state" / "metrics", "r+b") as file:
        words = array.array("Q", file.read())
        (place,) = [index for index, word in enumerate(words) if word & 0xffffffff == dead]
        words[place] += living - dead
        file.seek(place * words.itemsize)
        file.write(words[place:place + 1].tobytes())


def test_dispatcher(make_service):
    """attempts by class of the answer, ended deliveries by state, attempts under way, due deliveries; after its death, no attempt
    is under way, even if another program gets its pid"""
    service = make_service(workers=2, settings=[LOOPBACK, ("dispatch", "schedule", "1s"), ("dispatch", "breaker_failures", "1000")])
    receiver, good, bad, hanging = service.receiver, service.campaign(), service.campaign(), service.campaign()
    receiver.script(bad.hook, Answer(status=500))
    receiver.script(hanging.hook, Answer(hang=True))
    for campaign in (good, bad):
        campaign.webhook("new_signup")
        campaign.leads(2)
    page = scrape(service)
    assert page("dispatcher_last_poll_timestamp_seconds") == 0 and page("processes", process="dispatcher") == 0
    wait_until(lambda: scrape(service)("deliveries_due") == 4, DEADLINE, "four are due")
    assert scrape(service)("deliveries_oldest_due_age_seconds") > 0

    service.dispatcher.start()
    page = grew(service, page, "deliveries_total", 4)
    assert (page("deliveries_total", state="delivered"), page("deliveries_total", state="failed")) == (2, 2)
    assert (page("delivery_attempts_total", answer="2xx"), page("delivery_attempts_total", answer="5xx")) == (2, 4)
    assert page("delivery_attempt_duration_seconds_count") == 6
    assert page("processes", process="dispatcher") == 1
    assert abs(time.time() - page("dispatcher_last_poll_timestamp_seconds")) < 10
    wait_until(lambda: (now := scrape(service))("leased_shards") == 64 and now("webhooks", state="failing") == 1
               and now("deliveries_due") == 0, DEADLINE, "leases and webhooks")

    hanging.webhook("new_signup")
    hanging.leads(3)
    wait_until(lambda: scrape(service)("delivery_attempts_under_way") == 3, DEADLINE, "three are under way")
    before, dead = scrape(service), service.dispatcher.pid
    service.dispatcher.kill()
    after = wait_until(lambda: (now := scrape(service))("processes", process="dispatcher") == 0 and now, DEADLINE, "it is dead")
    assert after("delivery_attempts_under_way") == 0
    grown_only(before, after)
    give_pid_away(service, dead, os.getpid())
    other = scrape(service)  # read by a worker in its sandbox
    assert other("processes", process="dispatcher") == 0 and other("delivery_attempts_under_way") == 0
    stopped = after("dispatcher_last_poll_timestamp_seconds")
    receiver.released.set()
    service.dispatch()  # a run from cron counts, too
    assert scrape(service)("dispatcher_last_poll_timestamp_seconds") > stopped
    assert scrape(service)("program_starts_total", program="leadhook-dispatch") == 2


def test_death_of_a_companion(make_service, mail_server):
    """the process that sends mail is counted, and so is its death"""
    service = make_service(workers=2, settings=[LOOPBACK, *mail_server.settings()])
    service.dispatcher.start()
    _, sender = companion(service.dispatcher)
    wait_until(lambda: scrape(service)("processes", process="mailer") == 1, DEADLINE, "it runs")
    os.kill(sender, signal.SIGKILL)
    wait_until(lambda: scrape(service)("process_restarts_total", process="mailer") == 1, DEADLINE, "its death counts")
    wait_until(lambda: scrape(service)("processes", process="mailer") == 1, DEADLINE, "it runs again")


def test_refused_connections(make_service):
    """an attempt without an answer counts for its error, by the name in leadhook(1)"""
    service = make_service(workers=2, settings=[LOOPBACK])
    campaign = service.campaign()
    response = campaign.post({"url": f"http://127.0.0.1:{free_port()}/", "events": ["new_signup"]}, path="/outbound-webhook")
    assert response.status == 200
    campaign.leads(1)
    service.dispatch()
    assert scrape(service)("delivery_attempts_total", answer="refused") == 1
