# SPDX-License-Identifier: MIT
"""docs/dashboard.md 1, 2.2, 2.4: times and days are those of the account's time zone."""
import datetime
import json
import zoneinfo

import pytest
from marks import chromium_first
from caller import Caller, User
from dashboard import Dashboard, running_service

DATA = 65
# Zones with and without summer time, with half hours, where summer time begins at midnight, where midnight comes twice, near the
# date line.
ZONES = ["UTC", "Europe/Berlin", "America/Los_Angeles", "Asia/Kolkata", "Asia/Beirut", "Africa/Cairo", "America/Havana", "America/Sao_Paulo",
         "Pacific/Auckland", "Pacific/Kiritimati", "Pacific/Pago_Pago", "Australia/Lord_Howe", "Asia/Kathmandu"]
# All are in the past: browsers and Python may disagree about the future, because laws change.
DAYS = ["2024-03-30", "2024-03-31", "2024-04-01", "2024-10-26", "2024-10-27", "2024-10-28", "2024-11-03", "2024-03-10", "2024-04-26",
        "2018-11-04", "2018-02-18", "2024-01-01", "2024-02-29", "2024-12-31"]


@pytest.fixture(scope="module")
def service(make_service):
    return running_service(make_service)


@pytest.fixture
def in_zone(window, service):
    """Returns the dashboard of an owner whose account has the time zone, and a campaign of that account."""
    def make(zone):
        account = service.account(f"In {zone}")
        service.installation.admin("account", "set", str(account.id), f"time_zone={zone}")
        owner = User(service, f"owner-{account.id}@example.org", "--role", "owner", "--account", str(account.id)).ready()
        dashboard = Dashboard(window, service.front.url)
        dashboard.enter(owner)
        return dashboard, service.campaign(account, pages="on")
    return make


def begin_of(day, zone):
    """Return the first moment of the day as RFC 3339, found by looking at each quarter of an hour."""
    noon = datetime.datetime.fromisoformat(f"{day}T12:00:00+00:00")
    step = datetime.timedelta(minutes=15)
    moment = noon - 120 * step
    while moment.astimezone(zoneinfo.ZoneInfo(zone)).date().isoformat() != day:
        moment += step
    # if clocks are put back across midnight, the end of the previous day comes again
    later = [moment + step * number for number in range(1, 9)]
    again = [one for one in later if one.astimezone(zoneinfo.ZoneInfo(zone)).date().isoformat() < day]
    return ((again[-1] + step) if again else moment).strftime("%Y-%m-%dT%H:%M:%SZ")


@chromium_first
def test_days_of_zones(window, in_zone):
    """a day begins at the first moment of its date, even where clocks change; that moment is part of the day"""
    dashboard, _ = in_zone("UTC")
    found = dashboard.run(f"""
        const zone = await import(new URL("zone.js", document.querySelector("script[type=module]").src));
        const rows = [];
        for (const name of {json.dumps(ZONES)}) {{
            zone.setZone(name);
            for (const day of {json.dumps(DAYS)}) rows.push([name, day, zone.beginOf(day), zone.dayOf(zone.beginOf(day)), zone.lastDayBefore(zone.endOf(day))]);
        }}
        zone.setZone("UTC");
        return rows;""")
    assert found == [[zone, day, begin_of(day, zone), day, day] for zone in ZONES for day in DAYS]
    none = dashboard.run("""const zone = await import(new URL("zone.js", document.querySelector("script[type=module]").src));
        zone.setZone("Nowhere/At_all");
        return [zone.zone.get(), zone.beginOf(""), zone.endOf("x"), zone.dayOf(""), zone.lastDayBefore(undefined)];""")
    assert none == ["UTC", "", "", "", ""]


def type_day(dashboard, label, day, event="input"):
    dashboard.wait(f"field({label!r})")
    dashboard.run(f"const one = field({label!r}); one.value = {day!r}; one.dispatchEvent(new Event({event!r}, {{ bubbles: true }}));")


@chromium_first
@pytest.mark.parametrize("zone, day, end", [
    ("Europe/Berlin", "2026-11-28", "2026-11-28T23:00:00Z"), ("America/Los_Angeles", "2026-11-28", "2026-11-29T08:00:00Z"),
    ("Europe/Berlin", "2027-03-28", "2027-03-28T22:00:00Z"), ("Asia/Kolkata", "2026-12-31", "2026-12-31T18:30:00Z")])
def test_the_last_day_of_a_campaign(in_zone, leadhook, zone, day, end):
    """it is open until that day has ended in the zone, and shown as ending on that day"""
    dashboard, campaign = in_zone(zone)
    dashboard.open(f"campaigns/{campaign.id}/settings", "Settings")
    type_day(dashboard, "Ends on", day)
    dashboard.click("Save")
    dashboard.sees("Saved")
    assert leadhook("campaign", "show", str(campaign.id))["ends_at"] == end
    dashboard.load(f"campaigns/{campaign.id}/settings")
    dashboard.wait(f"field('Ends on').value === {day!r}")
    shown = datetime.date.fromisoformat(day)
    last = f"{shown:%A} {shown.day} {shown:%B} is the last day, until midnight ({zone.replace('_', ' ')})."
    dashboard.wait(f"document.body.innerText.replace(/day, (?=\\d)/, 'day ').includes({last!r})", last)  # some browsers set a comma
    assert "Currently it ends during" not in dashboard.text()
    leadhook("campaign", "set", str(campaign.id), f"ends_at={end.replace(':00Z', ':01Z')}")
    dashboard.load(f"campaigns/{campaign.id}/settings")
    dashboard.sees("Currently it ends during that day")
    dashboard.fill("Name", "Another name")
    dashboard.click("Save")
    dashboard.sees("Saved")
    assert leadhook("campaign", "show", str(campaign.id))["ends_at"] == end.replace(":00Z", ":01Z"), "a time that was not changed stays"
    type_day(dashboard, "Ends on", "")
    dashboard.click("Save")
    dashboard.wait("!button('Save')")
    dashboard.sees(f"The last day, until midnight ({zone.replace('_', ' ')}).")
    assert leadhook("campaign", "show", str(campaign.id))["ends_at"] is None


@chromium_first
def test_a_year_of_five_digits(in_zone, leadhook):
    """docs/dashboard.md 2.3: an invalid value that browsers accept is reported at its field, and nothing is saved"""
    dashboard, campaign = in_zone("UTC")
    leadhook("campaign", "set", str(campaign.id), "ends_at=2026-12-07T00:00:00Z")
    dashboard.load(f"campaigns/{campaign.id}/settings")
    type_day(dashboard, "Ends on", "20261-12-06")
    dashboard.sees("The last day, until midnight (UTC).")
    dashboard.click("Save")
    dashboard.wait("field('Ends on').getAttribute('aria-invalid')")
    assert leadhook("campaign", "show", str(campaign.id))["ends_at"] == "2026-12-07T00:00:00Z"
    dashboard.load("keys")
    dashboard.click("Add key")
    type_day(dashboard, "Expires on", "20261-12-06")
    dashboard.click("Add key")
    dashboard.wait("field('Expires on').getAttribute('aria-invalid')")
    dashboard.click("Cancel")


@chromium_first
def test_filters_have_their_last_day(in_zone, tmp_path, service):
    """docs/dashboard.md 2.2: a list up to a day includes that day; so does the export, which states it"""
    dashboard, campaign = in_zone("Europe/Berlin")
    times = {"before": "2026-10-23T21:59:59Z", "first": "2026-10-23T22:00:00Z", "last": "2026-10-25T22:59:59Z", "after": "2026-10-25T23:00:00Z"}
    file = tmp_path / "leads.csv"
    file.write_text("email,created\n" + "".join(f"{name}@example.org,{time}\n" for name, time in times.items()))
    service.installation.admin("lead", "import", str(campaign.id), str(file))
    dashboard.open(f"campaigns/{campaign.id}/leads", "Leads")
    for label, day in (("From", "2026-10-24"), ("To", "2026-10-25")):  # summer time ends on the 25th
        type_day(dashboard, label, day, "change")
        dashboard.wait(f"field({label!r}).value === {day!r}")
    dashboard.wait("document.querySelectorAll('tbody tr').length === 2")
    assert "since=2026-10-23T22%3A00%3A00Z&until=2026-10-25T23%3A00%3A00Z" in dashboard.value("location.hash")
    shown = dashboard.value("[...document.querySelectorAll('tbody tr')].map(row => [row.querySelector('a').textContent, row.querySelector('time').title])")
    assert shown == [["last@example.org", "25 Oct 2026, 23:59:59 CET"], ["first@example.org", "24 Oct 2026, 00:00:00 CEST"]]
    dashboard.click("Export")
    dashboard.sees("from 2026-10-24 to 2026-10-25")
    dashboard.click("Export")
    dashboard.sees("2 leads exported.")


def test_the_time_zone_of_an_account(service, leadhook, refused):
    """leadhook(1), docs/manage.md 1: owners set it; only IANA names of time zones are accepted; UTC if it is not set"""
    account = service.account("Zones")
    owner, editor = (User(service, f"{role}@zones.example", "--role", role, "--account", str(account.id)).ready() for role in ("owner", "editor"))

    def zone():
        return [one["time_zone"] for one in leadhook("account", "list") if one["id"] == account.id][0]
    assert zone() is None and owner("GET", "session").json["time_zone"] is None
    assert owner("PATCH", f"accounts/{account.id}", {"time_zone": "America/Argentina/Buenos_Aires"}).status == 200
    assert zone() == owner("GET", "session").json["time_zone"] == editor("GET", "session").json["time_zone"] == "America/Argentina/Buenos_Aires"
    for name in ("Berlin", "europe/berlin", "../UTC", "+01:00", "Europe/Berlin\n", "x" * 65, "posix/UTC", "Europe"):
        answer = owner("PATCH", f"accounts/{account.id}", {"time_zone": name})
        assert (answer.status, answer.json["errors"][0]["pointer"]) == (422, "/time_zone"), name
    assert "expected a time zone such as Europe/Berlin" in refused(DATA, "account", "set", str(account.id), "time_zone=CEST")
    assert editor("PATCH", f"accounts/{account.id}", {"time_zone": "UTC"}).status == 403
    other = service.account("Others")
    assert owner("PATCH", f"accounts/{other.id}", {"time_zone": "UTC"}).status == 404
    key = Caller(service, service.installation.admin("key", "add", str(account.id), "--rights", "manage")["key"])
    assert key("PATCH", f"accounts/{account.id}", {"time_zone": "UTC"}).status == 403
    assert zone() == "America/Argentina/Buenos_Aires"
    leadhook("account", "set", str(account.id), "time_zone=")
    assert zone() is None


@chromium_first
def test_choosing_a_time_zone(in_zone, leadhook):
    """docs/dashboard.md 2.4: it takes effect at once"""
    dashboard, campaign = in_zone("UTC")
    dashboard.open("account", "Account settings")
    dashboard.choose("Time zone", "Asia/Tokyo")
    dashboard.click("Save")
    dashboard.sees("Saved")
    dashboard.open(f"campaigns/{campaign.id}/settings", "Settings")
    dashboard.sees("until midnight (Asia/Tokyo)")
    assert [one["time_zone"] for one in leadhook("account", "list") if one["id"] == campaign.account.id] == ["Asia/Tokyo"]


@chromium_first
def test_the_last_day_of_a_key(in_zone, leadhook):
    """docs/dashboard.md 2.4: the key works until that day has ended in the zone"""
    dashboard, campaign = in_zone("America/Los_Angeles")
    dashboard.open("keys", "API keys")
    dashboard.click("Add key")
    dashboard.fill("Name", "Partner")
    type_day(dashboard, "Expires on", "2031-03-08")  # the night before summer time
    dashboard.click("Add key")
    dashboard.sees("I have stored it")
    [end] = [key["expires_at"] for key in leadhook("key", "list", str(campaign.account.id)) if key["name"] == "Partner"]
    assert end == "2031-03-09T08:00:00Z"
    dashboard.click("I have stored it")


@chromium_first
def test_until_a_time_zone_is_chosen(window, service, leadhook):
    """docs/dashboard.md 1: the overview offers an owner the time zone of the browser, once"""
    account = service.account("Undecided")
    service.campaign(account)
    owner = User(service, f"owner-{account.id}@example.org", "--role", "owner", "--account", str(account.id)).ready()
    dashboard = Dashboard(window, service.front.url)
    dashboard.enter(owner)
    question = "Times are shown in UTC."
    found = dashboard.run("""const zone = await import(new URL("zone.js", document.querySelector("script[type=module]").src));
        return zone.browserZone();""")
    if found in ("UTC", "Etc/UTC"):
        assert question not in dashboard.text()
        return
    dashboard.sees(question)
    dashboard.click("Keep UTC")
    dashboard.wait(f"!document.body.innerText.includes({question!r})")
    assert [one["time_zone"] for one in leadhook("account", "list") if one["id"] == account.id] == ["UTC"]
