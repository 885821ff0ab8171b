# SPDX-License-Identifier: MIT
"""Views of the dashboard in browsers, with the campaign of `lists`: the time from the click to the view with its data."""
import http.client
import json
import pathlib
import sys

from stack.process import StackError

from .bench import Goal, outcome
from .management import DELIVERIES, large_campaign
from .sets import FIRST_LEAD

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "tests/system/helpers"))
from caller import PASSWORD  # noqa: E402
from driver import WINDOWS  # noqa: E402

VIEW_MS = 1000
VIEWS = ("", "campaigns/{campaign}", "campaigns/{campaign}?period=all", "campaigns/{campaign}/leads", "campaigns/{campaign}/leads?order=score",
         "campaigns/{campaign}/leads?email=u1@bench.example", "campaigns/{campaign}/leads?fraudulent=on", "campaigns/{campaign}/leads/{lead}",
         "campaigns/{campaign}/webhooks", "campaigns/{campaign}/webhooks/{webhook}", "campaigns/{campaign}/deliveries",
         "campaigns/{campaign}/deliveries?state=failed", "campaigns/{campaign}/pages", "campaigns/{campaign}/pages?tab=mails",
         "campaigns/{campaign}/pages?tab=mails&kind=welcome", "campaigns/{campaign}/pages?tab=sent", "campaigns/{campaign}/settings", "team", "keys", "account", "changes", "operator", "me")
SHOWN = """
    const shown = async () => {
        while (!document.querySelector("main h1") || document.querySelector(".skeleton, main [aria-busy=true]"))
            await new Promise(done => setTimeout(done, 4));
    };
"""
SWITCH = SHOWN + """
    const until = async condition => {
        while (!condition())
            await new Promise(done => setTimeout(done, 4));
    };
    const title = () => document.querySelector("main h1")?.textContent; // none while a file is loaded
    location.hash = "#/nowhere";
    await until(() => title() === "Not found");
    await new Promise(done => setTimeout(done, 250)); // browsers ignore changes of the URL beyond 200 in ten seconds
    const begun = performance.now();
    location.hash = {place};
    await until(() => title() !== "Not found");
    await shown();
    return [performance.now() - begun, document.querySelectorAll("[role=alert]").length];
"""


def set_password(subject, link):
    connection = http.client.HTTPConnection("127.0.0.1", subject.port, timeout=60)
    connection.request("POST", "/manage/v1/session/link/use", json.dumps({"token": link.rpartition("/")[2], "new_password": PASSWORD}),
                       {"Content-Type": "application/json", "Sec-Fetch-Site": "same-origin"})
    status = connection.getresponse().status
    connection.close()
    if status != 200:
        raise StackError(f"the link of the operator: {status}")


def log_in(window, base, email):
    """Return the milliseconds until the overview is shown when the page is loaded again."""
    window.open(base)
    window.wait("document.querySelector('input[name=password]') !== null")
    for name, text in (("email", email), ("password", PASSWORD)):
        window.run(f"document.querySelector('input[name={name}]').focus();")
        window.type(text)
    window.press("Enter")
    window.wait("document.querySelector('.shell') !== null")
    window.open("about:blank")
    window.open(base)
    return window.run(SHOWN + "await shown(); return performance.now();")


def views(bench):
    leads = bench.sizes[-1]
    subject, webhook = large_campaign(bench)
    admin = subject.installation.admin
    link = admin("user", "add", "root@example.org", "--role", "operator")["link"]
    subject.start()
    set_password(subject, link)
    places = [place.format(campaign=subject.campaigns[0], webhook=webhook, lead=f"{FIRST_LEAD + 7:010X}") for place in VIEWS]
    rounds = {}
    for name, kind in WINDOWS.items():
        if kind.program.program() is None:
            continue
        folder = subject.folder / name
        folder.mkdir()
        window = kind(folder).start()

        def measure(place, window=window):
            took, alerts = window.run(SWITCH.replace("{place}", json.dumps("#/" + place)))
            return {"ms": took, "alerts": alerts}
        try:
            first = log_in(window, subject.front.url + "/dashboard/", "root@example.org")
            rounds[f"{name}: first view"] = [{"ms": first, "alerts": 0}]
            for label, found in bench.interleave({place or "overview": lambda place=place: measure(place) for place in places}).items():
                rounds[f"{name}: {label}"] = found
        finally:
            window.stop()
    subject.stop()
    return outcome(rounds, [Goal(label, metric, "<=", most) for label in rounds for metric, most in (("ms", VIEW_MS), ("alerts", 0))],
                   leads=leads, deliveries=DELIVERIES * leads)
