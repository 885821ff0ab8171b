# SPDX-License-Identifier: MIT
"""A running service for tests: programs, web server, receiver; accounts and campaigns as an operator makes them."""
import functools
import itertools
import shutil

from client import Client
from log_hygiene import Watch
from settings import TEST_SETTINGS
from stack.front import LighttpdSocket
from stack.installation import Installation
from stack.process import wait_until
from stack.receiver import Receiver

WORKERS = 8
COMMITTER = TEST_SETTINGS.get("LEADHOOK_TEST_COMMITTER") != "no"
SETTLED = 5  # seconds, after which operators' changes are in effect everywhere: responders read them within a second


def settles(request, status, code=None):
    """Send the request until its answer has that status (and error code); return the answer."""
    def answered():
        response = request()
        good = response.status == status and (code is None or response.json["error"] == code)
        return response if good else None
    return wait_until(answered, SETTLED, f"{status} {code}")


class Account:
    def __init__(self, service, name):
        self.service = service
        self.id = service.installation.admin("account", "add", name)["id"]
        self.key = service.installation.admin("key", "add", str(self.id))["key"]

    @functools.cached_property
    def manager(self):
        """Return a key with all rights."""
        return self.service.installation.admin("key", "add", str(self.id), "--rights", "all")["key"]


class Campaign:
    """A campaign and its most frequent requests."""
    defaults = {"pages": "off"}  # most tests are about leads, and not about their pages

    def __init__(self, service, account, settings):
        self.service, self.account, self.client = service, account, service.client
        self.name = f"Campaign {next(service.numbers)}"
        self.id = self._make({**self.defaults, **settings})
        self.path = f"/v2/{self.id}"
        self.hook = f"/hook/{self.id}"

    def _make(self, settings):
        """Create the campaign with a call. If tests are about limits, which would count the call, use the slower command."""
        if self.service.has_limits:
            words = [f"{name}={value}" for name, value in settings.items()]
            return self.service.installation.admin("campaign", "add", str(self.account.id), self.name, *words)["id"]
        made = self.client.request("POST", f"/manage/v1/accounts/{self.account.id}/campaigns", key=self.account.manager,
                                   json_body={"name": self.name, **settings})
        assert made.status == 201, made.body
        return made.json["id"]

    @property
    def key(self):
        return self.account.key

    def post(self, fields, key=True, path="", **options):
        return self.client.request("POST", self.path + path, json_body=fields, key=self.key if key is True else key, **options)

    def get(self, fields, key=True, path="", **options):
        return self.client.request("GET", self.path + path, query=fields, key=self.key if key is True else key, **options)

    def lead(self, **fields):
        """Create or update a lead with the key; return the payload."""
        response = self.post(fields)
        assert response.status == 200, response.body
        return response.json

    def find(self, **fields):
        response = self.get(fields)
        assert response.status == 200, response.body
        return response.json

    def bulk(self, action, fields):
        """Make a bulk call (`delete` is an action, too), queued for the dispatcher. Return the number of leads that matched."""
        method, path, key = ("DELETE", self.path, "deleted") if action == "delete" else ("POST", f"{self.path}/{action}", "updated")
        response = self.client.request(method, path, json_body=fields, key=self.key)
        assert response.status == 202, response.body
        return response.json[key]

    def change(self, action, **fields):
        """Make a bulk call. Return when the dispatcher has carried it out, in this run or in an earlier one that is not over."""
        self.bulk(action, fields)
        self.service.dispatch()
        left = f"SELECT COUNT(*) FROM lh_bulk_jobs WHERE campaign_id = {self.id}"
        wait_until(lambda: self.service.installation.sql(left) == "0", 30, f"{action} is carried out")

    def delete(self, fields, key=True, path="", **options):
        return self.client.request("DELETE", self.path + path, json_body=fields, key=self.key if key is True else key, **options)

    def leads(self, count, **fields):
        """Create this many leads; return them in order."""
        return [self.lead(email=f"{number}@example.org", **fields) for number in range(count)]

    def points(self, lead, points):
        response = self.post({"social_id": lead["social_id"], "points": points}, path="/points")
        assert response.status == 200, response.body

    def end(self):
        self.service.installation.admin("campaign", "end", str(self.id))

    def define(self, kind, name, *words):
        """Define a tag, action or reward level with the operator's command; return its id."""
        return self.service.installation.admin(kind, "add", str(self.id), name, *map(str, words))["id"]

    def stats(self):
        return self.get({}, path="/stats").json["leads"]

    def webhook(self, *events, below="", **fields):
        """Register a webhook by the API for the campaign's path or one below it, with a secret known to the receiver."""
        url = self.service.receiver.url(self.hook + below)
        response = self.post({"url": url, "events": list(events), **fields}, path="/outbound-webhook")
        assert response.status == 200, response.body
        if "secret" in response.json:
            self.service.receiver.secrets.append(response.json["secret"])
        return response.json

    def delivered(self, count, event=None, deadline=15):
        """Return what the campaign's webhook has received, once that is `count` requests."""
        return self.service.receiver.wait_for(count, deadline, path=self.hook, event=event)


class PlainCampaign(Campaign):
    """`leadhook campaign add ACCOUNT NAME`, without any setting."""
    defaults = {}


class Service:
    numbers = itertools.count(1)

    def __init__(self, folder, build, database, front=LighttpdSocket, mount="/", workers=WORKERS, settings=(),
                 committer=COMMITTER):
        self.database = database
        # whether tests are about limits of accounts: such a service sets limits
        self.has_limits = any(section == "limits" for section, *_ in settings)
        self.front = front(folder / "web", mount=mount)
        self.installation = Installation(folder, build, database, name=f"leadhook{next(self.numbers)}")
        self.installation.configure([("server", "base_url", self.front.url), ("server", "base_path", self.front.base_path),
                                     ("server", "trusted_proxies", "127.0.0.1"), *settings], owner=self.front.run_user)
        self.responders = self.installation.responders(workers, committer=committer)
        self.dispatcher = self.installation.dispatcher()
        self.receiver = Receiver()
        self.client = Client(self.front.port, self.front.base_path)
        self.logs = Watch(folder, database, self.client.phone_numbers)

    def start(self):
        self.installation.install()
        self.receiver.start()
        if not self.front.starts_program:
            self.responders.start()
        self.front.configure(self.installation.socket, self.program(), self.installation.config)
        self.front.start()
        self.wait_ready()
        return self

    def program(self):
        """Return leadhook-fcgi at a path that the web server's account can reach."""
        program = self.installation.program("leadhook-fcgi")
        return shutil.copy2(program, self.installation.folder) if self.front.run_user else program

    def wait_ready(self, seconds=30):
        wait_until(self.client.healthy, seconds, "the service is not ready")

    def stop(self):
        """Stop everything; return the log lines that break the rules of logs."""
        self.dispatcher.kill()
        self.front.stop()
        self.responders.stop()
        self.receiver.close()
        return self.logs.leaks()

    def account(self, name="Account"):
        return Account(self, name)

    def campaign(self, account=None, **settings):
        return Campaign(self, account or self.account(), settings)

    def plain_campaign(self, account=None):
        return PlainCampaign(self, account or self.account(), {})

    def check(self):
        """Run `leadhook check --deep`: stored numbers equal those calculated from the rows."""
        answer = self.installation.admin("check", "--deep")
        assert answer["ok"], answer

    def dispatch(self, max_runtime=10):
        """Run the dispatcher once, as cron does: it sends what is due."""
        assert self.installation.dispatch(max_runtime) == 0

    def deliveries(self, webhook):
        """The operator's list of a webhook's deliveries. `webhook`: as the API returned it."""
        return self.installation.admin("delivery", "list", "--webhook", str(webhook["referenceId"]))
