# SPDX-License-Identifier: MIT
"""docs/operating.md 1: `scripts/quickstart --demo`, and the pictures of docs/dashboard.md, which show it."""
import collections
import contextlib
import http.client
import json
import pathlib
import re
import struct
import time
import zlib
from types import SimpleNamespace

import pytest
from dashboard import Dashboard
from driver import WINDOWS
from quickstarts import Run
from settings import TEST_SETTINGS
from stack.clock import LIBRARY
from stack.demo import Demo
from stack.process import Child, StackError, wait_until
from stack.receiver import Answer, Receiver

pytestmark = pytest.mark.long
DAY = 24 * 3600


def rfc3339(seconds):
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))


@pytest.fixture(scope="module")
def demonstration(make_folder):
    """A quickstart that was used before --demo added its week of leads."""
    if LIBRARY is None:
        pytest.skip("needs libfaketime")
    run = Run(make_folder())
    run.start()
    run.lead("ada@example.org")
    assert run.call("--stop").returncode == 0
    run.start("--demo", port=run.port)
    yield run
    run.call("--stop")


def test_a_call_is_repeated_after_a_503(make_folder):
    """docs/api.md 2.1: the same request is sent again after a 503; any other error, and a database that has ended, end the
    demonstration"""
    child = Child("mariadbd", ["sleep", "60"], make_folder() / "log").start()
    with contextlib.closing(Receiver().start()) as receiver:
        demo = Demo(SimpleNamespace(admin=None, database=SimpleNamespace(child=child)), f"http://127.0.0.1:{receiver.port}/lead", "lh_key", 1, receiver)
        with contextlib.closing(http.client.HTTPConnection("127.0.0.1", receiver.port, timeout=10)) as demo.connection:
            receiver.script("/lead/v2/1", Answer(503), Answer(503), Answer(200, body=b'{"id":1}'), Answer(500, body=b"defect"))
            assert demo.call("/v2/1", {"email": "a@example.org"}) == {"id": 1}
            assert [one.json for one in receiver.deliveries] == [{"email": "a@example.org"}] * 3
            with pytest.raises(StackError, match="POST /v2/1: 500 defect"):
                demo.call("/v2/1", {"email": "b@example.org"})
            child.kill()
            receiver.script("/lead/v2/1", Answer(503))
            with pytest.raises(StackError, match="mariadbd ended with status -9"):
                demo.call("/v2/1", {"email": "c@example.org"})


def test_a_week_of_leads(demonstration):
    """three campaigns have sign-ups on each of the last seven days, from all sources, and `check --deep` finds nothing"""
    _, cookie = demonstration.log_in()
    campaigns = {one["name"]: one for one in demonstration.manage("overview", cookie)}
    assert {name: one["leads"] for name, one in campaigns.items()} == {
        "Quickstart": 1, "Lumen": 0, "App waiting list": 1100, "Bike giveaway": 700, "Newsletter": 200}
    sources, totals = set(), collections.Counter()
    for name in ("App waiting list", "Bike giveaway", "Newsletter"):
        since = rfc3339(time.time() - 7 * DAY - 3600)  # it begins before the test
        stats = demonstration.manage(f"campaigns/{campaigns[name]['id']}/stats?by=hour&since={since}", cookie)
        assert stats["complete"] and stats["totals"]["signups"] == campaigns[name]["leads"], name
        hours = [point["signups"] for point in stats["points"]]
        assert all(sum(hours[day * 24:day * 24 + 24]) > 0 for day in range(7)) and max(hours) >= 4, hours
        totals.update(stats["totals"])
        sources |= {one["source"] for one in stats["sources"] if one["signups"]}
    assert sources == {"referral", "campaign", "inbound", "link", "direct"}
    for name in ("verified", "referred", "fraudulent", "opted_out", "waitlisted", "removed_from_waitlist"):
        assert 0 < totals[name] < totals["leads"], name
    checked = json.loads(demonstration.shell("leadhook check --deep --json"))
    assert checked["ok"], checked


def test_leads_of_the_week(demonstration):
    """the same people each time, with addresses reserved for examples; chains of referrals, tags, actions and rewards"""
    campaign = next(one["id"] for one in json.loads(demonstration.shell("leadhook --json campaign list")) if one["name"] == "Bike giveaway")
    leads = [json.loads(line) for line in demonstration.shell(f"leadhook lead export {campaign} - --format ndjson").splitlines()]
    assert len(leads) == 700 and all(re.search(r"@example\.(org|com|net)$", one["email"]) for one in leads)
    assert [one["email"] for one in leads[:3]] == ["ada.larsen@example.com", "maja.garcia@example.com", "marco.kim@example.org"]
    parents = {one["social_id"]: one["parent_id"] for one in leads}

    def depth(social_id):
        return 1 + depth(parents[social_id]) if parents.get(social_id) else 0
    assert max(map(depth, parents)) >= 3
    assert any(one["tags"] for one in leads) and any(one["completed_actions"] for one in leads) and any(one["utm"] for one in leads)
    assert max(one["contest_score"] for one in leads) >= 100, "the last reward"
    assert demonstration.shell("leadhook check") and len({one["email"] for one in leads}) == len(leads)


def test_webhooks_of_the_week(demonstration):
    """one works, one has failed deliveries, one is disabled; new deliveries arrive"""
    _, cookie = demonstration.log_in()
    hooks = {}
    for campaign in demonstration.manage("overview", cookie):
        for one in demonstration.manage(f"campaigns/{campaign['id']}/webhooks", cookie):
            hooks[one["url"].rpartition("/")[2]] = one
    totals = {name: demonstration.manage(f"webhooks/{hooks[name]['referenceId']}/stats", cookie)["totals"]
              for name in ("mailing", "crm", "sheet")}
    assert totals["mailing"]["delivered"] == totals["mailing"]["attempts"] > 1000
    assert totals["crm"]["failed"] >= 1 and totals["crm"]["answers_5xx"] > totals["crm"]["failed"] and totals["crm"]["delivered"] > 500
    assert hooks["sheet"]["state"] == "disabled" and totals["sheet"]["delivered"] > 0
    failed = json.loads(demonstration.shell("leadhook --json delivery list --state failed"))
    assert {(one["last_status"], one["webhook_id"]) for one in failed} == {(500, hooks["crm"]["referenceId"])}
    demonstration.shell(f"leadhook delivery redeliver {failed[0]['id']}")
    wait_until(lambda: len(json.loads(demonstration.shell("leadhook --json delivery list --state failed"))) == len(failed) - 1, 15,
               "it is delivered")
    assert all(line["verified"] for line in demonstration.received())


def is_blank(picture):
    """Whether a PNG file has almost the same pixels in each row."""
    data, at, pixels = picture.read_bytes(), 8, b""
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        if kind == b"IHDR":
            width, height = struct.unpack(">II", data[at + 8:at + 16])
        elif kind == b"IDAT":
            pixels += data[at + 8:at + 8 + size]
        at += size + 12
    rows = zlib.decompress(pixels)
    stride = len(rows) // height
    assert stride > width
    return len({rows[row * stride:(row + 1) * stride] for row in range(height)}) < height / 4


def test_pictures(demonstration, make_folder):
    """docs/dashboard.md: views of the week, as in the documents. With LEADHOOK_PICTURES=FOLDER, the pictures are written there."""
    if WINDOWS["chromium"].program.program() is None:
        pytest.skip("chromium is not installed; scripts/check installs it")
    folder = pathlib.Path(TEST_SETTINGS.get("LEADHOOK_PICTURES") or make_folder())
    campaigns = {one["name"]: one["id"] for one in json.loads(demonstration.shell("leadhook --json campaign list"))}
    waiting, giveaway = campaigns["App waiting list"], campaigns["Bike giveaway"]
    hook = next(one["referenceId"] for one in json.loads(demonstration.shell(f"leadhook --json webhook list {giveaway}")) if "/crm" in one["url"])
    failed = json.loads(demonstration.shell("leadhook --json delivery list --state failed"))[0]
    leader = json.loads(demonstration.shell(f"leadhook --json lead list {waiting} --order score --limit 1"))[0]["social_id"]
    window = WINDOWS["chromium"](make_folder())
    try:
        dashboard = Dashboard(window.start(), f"http://127.0.0.1:{demonstration.port}")
        window.open(dashboard.url)
        dashboard.log_in(demonstration.values["LEADHOOK_LOGIN"], demonstration.values["LEADHOOK_PASSWORD"])
        for name, place, width, height, scheme in (
                ("overview", "", 1280, 640, "light"), ("campaign", f"campaigns/{waiting}?period=7d", 1280, 1200, "light"),
                ("leads", f"campaigns/{giveaway}/leads?order=score", 1280, 800, "light"),
                ("lead", f"campaigns/{waiting}/leads/{leader}", 1280, 1000, "light"),
                ("webhook", f"campaigns/{giveaway}/webhooks/{hook}", 1280, 1200, "light"),
                ("delivery", f"campaigns/{giveaway}/deliveries/{failed['id']}", 1280, 800, "light"),
                ("pages", f"campaigns/{campaigns['Lumen']}/pages", 1280, 900, "light"),
                ("dark", f"campaigns/{giveaway}?period=7d", 360, 780, "dark")):
            window.resize(width, height)
            window.scheme(scheme)
            dashboard.open(place)
            if "period" in place or name == "webhook":
                dashboard.wait("document.querySelector('.chart canvas')?.width > 100", "the chart")
            if name == "pages":
                dashboard.wait("document.querySelector('iframe')?.contentDocument?.querySelector('form')", "the preview")
            assert dashboard.problems() == [], name
            window.picture(folder / f"dashboard-{name}.png")
            assert not is_blank(folder / f"dashboard-{name}.png"), name
    finally:
        window.stop()


def test_one_week_alone(demonstration):
    """a second --demo changes nothing, except that it replaces a week that was not completed"""
    def campaigns():
        return [(one["id"], one["name"], one["lead_count"]) for one in json.loads(demonstration.shell("leadhook --json campaign list"))]
    before = campaigns()
    for unfinished in (False, True):
        assert demonstration.call("--stop").returncode == 0
        if unfinished:
            file = demonstration.state / "quickstart.json"
            values = json.loads(file.read_text())
            assert values.pop("demo")
            file.write_text(json.dumps(values))
        demonstration.start("--demo", port=demonstration.port)
        after = campaigns()
        assert [one[1:] for one in after] == [one[1:] for one in before]
        assert (after == before) == (not unfinished)
    assert json.loads(demonstration.shell("leadhook check --deep --json"))["ok"]
