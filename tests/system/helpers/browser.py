# SPDX-License-Identifier: MIT
"""Chromium and Firefox, headless, with a fresh profile and loopback only.

No driver program is needed. A browser always shows the same page of the test's own site, the desk. The desk fetches the next
job and shows it in a frame; the job's page runs the test's script and posts what it found. A job is a document of the site, whose
origin (`localhost`) differs from that of the API (`127.0.0.1`).
"""
import contextlib
import dataclasses
import http.server
import itertools
import json
import os
import pathlib
import queue
import shutil
import signal
import threading
import urllib.parse

from stack.process import Child, StackError, wait_until

START_SECONDS = 90  # until a browser shows its desk, while all cores are busy with other work
JOB_SECONDS = 60
LONG_POLL_SECONDS = 5
DISCARD_PORT = 9  # nothing listens there

DESK = """<!DOCTYPE html><meta charset="utf-8"><title>desk</title><body><script>
(async () => {
    for (;;) {
        const answer = await fetch("/next", { cache: "no-store" });
        if (answer.status !== 200)
            continue;
        const frame = document.createElement("iframe");
        frame.width = 800;
        frame.height = 600;
        frame.src = await answer.text();
        document.body.replaceChildren(frame);
    }
})();
</script>
"""

# Runs the test's script, which returns the result, and posts it. `until` polls.
SCRIPT = """"use strict";
const violations = [];
document.addEventListener("securitypolicyviolation", event => violations.push(event.violatedDirective + " " + event.blockedURI));
const until = async (condition, what) => {
    for (let end = Date.now() + 30000; Date.now() < end; await new Promise(done => setTimeout(done, 20))) {
        const value = condition();
        if (value)
            return value;
    }
    throw new Error("not in time: " + (what || condition));
};
const report = found => fetch(%(result)s, { method: "POST", keepalive: true, body: JSON.stringify({ violations, ...found }) });
(async () => {
    const API = %(api)s;
%(script)s
})().then(value => report({ value }), error => report({ error: String(error) + "\\n" + error.stack }));
"""

# Firefox: turns off everything that opens connections by itself, and sets a proxy that refuses everything except loopback.
FIREFOX_PREFERENCES = {
    "app.normandy.enabled": False, "app.update.enabled": False, "browser.aboutwelcome.enabled": False,
    "browser.newtabpage.enabled": False, "browser.region.update.enabled": False,
    "browser.safebrowsing.blockedURIs.enabled": False, "browser.safebrowsing.downloads.enabled": False,
    "browser.safebrowsing.malware.enabled": False, "browser.safebrowsing.phishing.enabled": False,
    "browser.search.update": False, "browser.shell.checkDefaultBrowser": False, "browser.startup.homepage_override.mstone": "ignore",
    "browser.topsites.contile.enabled": False, "datareporting.policy.dataSubmissionEnabled": False,
    "dom.push.connection.enabled": False, "extensions.blocklist.enabled": False, "extensions.getAddons.cache.enabled": False,
    "extensions.systemAddon.update.enabled": False, "extensions.update.enabled": False, "geo.enabled": False,
    "media.gmp-manager.updateEnabled": False, "messaging-system.rsexperimentloader.enabled": False,
    "network.captive-portal-service.enabled": False, "network.connectivity-service.enabled": False,
    "network.dns.disablePrefetch": True, "network.http.speculative-parallel-limit": 0, "network.prefetch-next": False,
    "network.trr.mode": 5, "services.settings.server": "data:,#remote-settings-dummy/v1", "toolkit.telemetry.enabled": False,
    "toolkit.telemetry.server": "", "trailhead.firstrun.didSeeAboutWelcome": True,
    "network.proxy.type": 1, "network.proxy.http": "127.0.0.1", "network.proxy.http_port": DISCARD_PORT,
    "network.proxy.ssl": "127.0.0.1", "network.proxy.ssl_port": DISCARD_PORT, "network.proxy.failover_direct": False,
    "network.proxy.no_proxies_on": "localhost, 127.0.0.1",
}


@dataclasses.dataclass
class Visit:
    """A request that the site has received."""
    method: str
    path: str
    query: dict
    headers: dict
    body: bytes


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        path, _, query = self.path.partition("?")
        fields = dict(urllib.parse.parse_qsl(query, keep_blank_values=True))
        visit = Visit(self.command, path, fields, {name.lower(): value for name, value in self.headers.items()}, body)
        status, type, headers, text = self.server.site.answer(visit)
        self.send_response(status)
        for name, value in {"Content-Type": type, "Content-Length": str(len(text)), "Cache-Control": "no-store", **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        with contextlib.suppress(OSError):
            self.wfile.write(text)

    do_GET = do_POST

    def log_message(self, *_):
        pass


class _Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request, client_address):
        """Ignore closed connections: browsers open some in advance."""


class Site:
    """The web site of the tests: pages, the jobs of one browser, and the requests that arrived. The API has another origin."""

    def __init__(self):
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.site = self
        self.origin = f"http://localhost:{self._server.server_address[1]}"
        self.visits = []
        self.polled = threading.Event()  # the browser has shown its desk
        self._documents = {}
        self.add("/", DESK)
        self._jobs, self._results, self._numbers = queue.Queue(), {}, itertools.count(1)
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()

    def close(self):
        self._server.shutdown()
        self._server.server_close()

    def add(self, path, text, type="text/html; charset=utf-8", headers=(), status=200):
        """Add a document; return its URL."""
        self.answers(path, lambda visit: (status, type, dict(headers), text.encode()))
        return self.origin + path

    def answers(self, path, function):
        """Register a function that gets a visit and returns status, type, headers and body."""
        self._documents[path] = function

    def at(self, path):
        """Return what was sent to the path."""
        return [visit for visit in list(self.visits) if visit.path == path]

    def wait_for(self, path, seconds=JOB_SECONDS):
        """Wait for the first visit of the path, and return it."""
        return wait_until(lambda: self.at(path), seconds, f"a visit of {path}")[0]

    def answer(self, visit):
        if visit.path == "/next":
            self.polled.set()
            with contextlib.suppress(queue.Empty):
                return 200, "text/plain", {}, self._jobs.get(timeout=LONG_POLL_SECONDS).encode()
            return 204, "text/plain", {}, b""
        number = int(visit.path.rpartition("/")[2]) if visit.path.startswith(("/result/", "/after/")) else 0
        if visit.path.startswith("/result/"):
            self._results[number] = json.loads(visit.body)
            return 204, "text/plain", {}, b""
        if visit.path.startswith("/after/"):
            with contextlib.suppress(StackError):
                wait_until(lambda: number in self._results, JOB_SECONDS, "the result")
            return 200, "image/svg+xml", {}, b'<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>'
        self.visits.append(visit)
        return self._documents.get(visit.path, lambda visit: (404, "text/plain", {}, b"not found"))(visit)

    def page(self, script, *, api="", head="", body="", query="", csp=None, pictured=False):
        """A page that runs the script once its document is complete; returns its number and URL. If the page is to be pictured, an
        image keeps it from being loaded until the script has ended: the browser takes the picture then."""
        number = next(self._numbers)
        code = SCRIPT % {"result": json.dumps(f"/result/{number}"), "api": json.dumps(api), "script": script}
        self.add(f"/page/{number}.js", code, "text/javascript; charset=utf-8")
        after = f'<img src="/after/{number}" alt="">' if pictured else ""
        text = (f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>page</title>{head}</head>'
                f'<body>{body}{after}<script src="/page/{number}.js" defer></script></body></html>')
        return number, self.add(f"/page/{number}", text, headers={"Content-Security-Policy": csp} if csp else {}) + query

    def result(self, number, alive, seconds=JOB_SECONDS):
        def found():
            assert alive(), "the browser has ended"
            return self._results.get(number)
        return wait_until(found, seconds, f"the result of page {number}")

    def give(self, url):
        self._jobs.put(url)


class Browser:
    """One program with a new profile in the folder. Its desk and its jobs are pages of `site`."""

    name, programs = None, ()

    def __init__(self, folder):
        self.folder, self.site, self.child = pathlib.Path(folder), Site(), None
        self.profile = self.folder / "profile"
        self.log = self.folder / "browser.log"

    @classmethod
    def program(cls):
        """Return the program's path; None if it is not installed."""
        return next(filter(None, map(shutil.which, cls.programs)), None)

    def arguments(self, profile):
        raise NotImplementedError

    def picture(self, path):
        """Return arguments that write a picture of a page to the path and then exit."""
        raise NotImplementedError

    def command(self, profile, *words):
        # The account's own files are neither read nor written. Without the variable MOZ_REMOTE_SETTINGS_DEVTOOLS, Firefox ignores
        # the preference services.settings.server.
        folders = [f"{name}={profile}" for name in ("HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR", "TMPDIR")]
        return ["env", "-u", "DISPLAY", "-u", "WAYLAND_DISPLAY", "-u", "DBUS_SESSION_BUS_ADDRESS", *folders,
                "MOZ_CRASHREPORTER_DISABLE=1", "MOZ_REMOTE_SETTINGS_DEVTOOLS=1", self.program(), *self.arguments(profile), *words]

    def make_profile(self, name):
        profile = self.folder / name
        profile.mkdir(mode=0o700)
        return profile

    def start(self):
        self.child = Child(self.name, self.command(self.make_profile("profile"), self.site.origin + "/"), self.log,
                           death_signal=signal.SIGTERM).start()
        self.child.ready(self.site.polled.is_set, START_SECONDS)
        return self

    def stop(self):
        if self.child is not None:
            self._end(self.child)
        self.site.close()

    @staticmethod
    def _end(child):
        """End the program and all processes that it has started."""
        with contextlib.suppress(StackError):
            child.stop(seconds=5)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)

    def run(self, script, **page):
        """Show a page that runs the script; return what the script returned."""
        number, url = self.site.page(script, **page)
        self.site.give(url)
        return self._value(self.site.result(number, self.child.alive))

    def screenshot(self, path, script, **page):
        """Show a page in its own window, and make a picture once the script has ended; return what the script returned."""
        number, url = self.site.page(script, pictured=True, **page)
        child = Child(self.name, self.command(self.make_profile(f"shot-{number}"), *self.picture(path), url), self.log,
                      death_signal=signal.SIGTERM).start()
        try:
            found = self.site.result(number, child.alive)
            wait_until(path.exists, JOB_SECONDS, "the picture")
            wait_until(lambda: not child.alive(), JOB_SECONDS, "the end of the browser")
        finally:
            self._end(child)
        return self._value(found)

    @staticmethod
    def _value(found):
        assert "error" not in found, found["error"]
        assert not found["violations"], found["violations"]
        return found.get("value")


class Chromium(Browser):
    name = "chromium"
    # the first one is the same browser without windows, and takes less than half of the processor time
    programs = ("chromium-headless-shell", "chromium")

    def arguments(self, profile):
        # Its sandbox needs an account other than root, and a kernel that lets it create namespaces. All pages are our own.
        return ["--headless", "--no-sandbox", f"--user-data-dir={profile}", "--no-first-run", "--no-default-browser-check",
                "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking", "--disable-component-update", "--disable-sync",
                "--disable-default-apps", "--disable-breakpad", "--disable-domain-reliability", "--metrics-recording-only",
                "--disable-client-side-phishing-detection", "--password-store=basic", "--use-mock-keychain",
                "--disable-features=OptimizationHints,MediaRouter,Translate,CertificateTransparencyComponentUpdater",
                # names are not looked up at all
                "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1"]

    def picture(self, path):
        return [f"--screenshot={path}", "--window-size=800,900", "--hide-scrollbars"]


class Firefox(Browser):
    name = "firefox-esr"
    programs = ("firefox-esr",)

    def make_profile(self, name):
        profile = super().make_profile(name)
        lines = [f"user_pref({json.dumps(key)}, {json.dumps(value)});\n" for key, value in FIREFOX_PREFERENCES.items()]
        (profile / "user.js").write_text("".join(lines), encoding="utf-8")
        return profile

    def arguments(self, profile):
        return ["--headless", "--no-remote", "--profile", profile]

    def picture(self, path):
        return ["--screenshot", path, "--window-size", "800,900"]


BROWSERS = {"chromium": Chromium, "firefox": Firefox}
