# SPDX-License-Identifier: MIT
"""The dashboard as a user operates it: a window of a browser (driver.py), buttons and fields by their texts."""
import json

from caller import PASSWORD, User
from stack.process import StackError, wait_until
from stack.receiver import Answer

# Finds elements as a user does: only visible ones, and only in the dialog if one is open.
FIND = """
    const visible = element => element.checkVisibility ? element.checkVisibility() : element.offsetParent !== null;
    const top = () => [...document.querySelectorAll("dialog[open]")].pop() || document;
    const texts = element => [element.textContent.trim(), element.getAttribute("aria-label")];
    const button = text => [...top().querySelectorAll("button, a[href], summary")].find(one => visible(one) && texts(one).includes(text));
    const field = text => {
        const label = [...top().querySelectorAll("label")].find(one => one.textContent.trim().startsWith(text));
        return label ? label.control : [...top().querySelectorAll("[aria-label]")].find(one => one.getAttribute("aria-label") === text);
    };
"""
ERRORS = """
    if (!window.errors) {
        window.errors = [];
        addEventListener("error", event => window.errors.push(event.message));
        addEventListener("unhandledrejection", event => window.errors.push(String(event.reason)));
    }
"""
SETTINGS = [("limits", "posts_per_address", "10000/60s"), ("limits", "lookups_per_address", "100000/60s"),
            ("limits", "signups_per_address", "10000/60s"), ("limits", "logins_per_address", "1000/60s"),
            ("server", "secrets_key", "5ea1" * 16), ("dispatch", "schedule", "1h")]
QUIET = "!document.querySelector('.skeleton, main [aria-busy=true]')"
VIEWS = {  # of a campaign with leads: place, heading
    "overview": ("", "Overview"),
    "campaign": ("campaigns/{campaign}", "{name}"),
    "leads": ("campaigns/{campaign}/leads", "Leads"),
    "lead": ("campaigns/{campaign}/leads/{lead}", "Ada Lovelace"),
    "import": ("campaigns/{campaign}/import", "Import leads"),
    "export": ("campaigns/{campaign}/export", "Export leads"),
    "webhooks": ("campaigns/{campaign}/webhooks", "Webhooks"),
    "webhook": ("campaigns/{campaign}/webhooks/{webhook}", "{receiver}"),
    "deliveries": ("campaigns/{campaign}/deliveries", "Deliveries"),
    "delivery": ("campaigns/{campaign}/deliveries/{delivery}", "New sign-up"),
    "pages": ("campaigns/{campaign}/pages", "Pages and email"),
    "emails": ("campaigns/{campaign}/pages?tab=mails", "Pages and email"),
    "email": ("campaigns/{campaign}/pages?tab=mails&kind=welcome", "Pages and email"),
    "sent emails": ("campaigns/{campaign}/pages?tab=sent", "Pages and email"),
    "settings": ("campaigns/{campaign}/settings", "Settings"),
    "rewards": ("campaigns/{campaign}/settings?tab=rewards", "Settings"),
    "embed": ("campaigns/{campaign}/settings?tab=embed", "Settings"),
    "team": ("team", "Team"),
    "keys": ("keys", "API keys"),
    "account": ("account", "Account settings"),
    "changes": ("changes", "Audit log"),
    "operator": ("operator", "Operator"),
    "me": ("me", "Root"),
}


def running_service(make_service):
    """Starts a service with SETTINGS, and its dispatcher."""
    made = make_service(settings=SETTINGS)
    made.dispatcher.start()
    return made


class Dashboard:
    """One window that shows the dashboard of the service with the URL `base`."""

    def __init__(self, window, base):
        self.window, self.url = window, f"{base}/dashboard/"
        window.resize(1280)

    # ---- what is shown ----

    def run(self, script):
        return self.window.run(ERRORS + FIND + script)

    def value(self, expression):
        return self.run(f"const found = ({expression}); return found instanceof Node ? true : found;")

    def wait(self, condition, what=None):
        """Waits until the expression is true; returns its value."""
        try:
            return wait_until(lambda: self.value(condition), 30, what or condition)
        except StackError as error:
            raise StackError(f"{error}, but:\n{self.text()}") from error

    def text(self):
        return self.value("document.body.innerText")

    def sees(self, text):
        """Waits until the text is shown."""
        self.wait(f"top().innerText?.includes({json.dumps(text)}) || document.body.innerText.includes({json.dumps(text)})", text)

    def problems(self):
        """Alerts that are shown, errors of scripts, violations of the policy."""
        return [*self.value("[...document.querySelectorAll('[role=alert]')].map(one => one.textContent)"),
                *self.run("return window.errors.splice(0);"), *self.window.violations()]

    def axe(self, script):
        """What axe finds in the view: rules, each with some places."""
        self.run(f"if (!window.axe) {{ {script} }}")
        return self.run("return (await axe.run()).violations.map(one => `${one.id}: ${one.nodes.slice(0, 3).map(node => node.html)}`);")

    # ---- where it is ----

    def load(self, place=""):
        """Loads the page anew."""
        self.window.open("about:blank")
        self.window.open(f"{self.url}#/{place}")
        self.wait(f"document.querySelector('main h1') && {QUIET}", f"#/{place}")
        self.run("")

    def open(self, place, title=None):
        """Shows the view, without loading the page anew; waits for its heading and its data."""
        moves = self.run(f"""const place = {json.dumps("#/" + place)}, moves = (location.hash || "#/").split("?")[0] !== place.split("?")[0];
            if (moves)
                document.querySelector("h1").setAttribute("data-left", "");
            location.hash = place;
            return moves;""")
        self.wait(f"document.querySelector('main h1{':not([data-left])' if moves else ''}') && {QUIET}", f"#/{place}")
        if title is not None:
            self.wait(f"document.querySelector('h1').textContent === {json.dumps(title)}", title)

    def settled(self):
        self.wait(QUIET)

    # ---- what a user does ----

    def click(self, text):
        self.wait(f"button({json.dumps(text)}) && !button({json.dumps(text)}).disabled", f"the button {text}")
        self.run(f"button({json.dumps(text)}).click();")

    def reveal(self, label):
        """Opens the group that contains the field."""
        self.run(f"field({json.dumps(label)}).closest('details:not([open])')?.querySelector('summary').click();")

    def fill(self, label, text):
        """Types into the field, replacing its value."""
        self.wait(f"field({json.dumps(label)})", f"the field {label}")
        self.reveal(label)
        self.run(f"const one = field({json.dumps(label)}); one.focus(); one.select();")
        self.window.type(text)
        self.wait(f"field({json.dumps(label)}).value === {json.dumps(text)}", f"{label}: {text}")

    def choose(self, label, option):
        """Chooses an option of a select element by its text."""
        self.wait(f"field({json.dumps(label)})?.options && [...field({json.dumps(label)}).options].some(one => one.text === {json.dumps(option)})",
                  f"{option} of {label}")
        self.run(f"const one = field({json.dumps(label)}); one.value = [...one.options].find(each => each.text === {json.dumps(option)}).value; "
                 "one.dispatchEvent(new Event('change', { bubbles: true }));")

    def tick(self, label):
        self.wait(f"field({json.dumps(label)})", label)
        self.reveal(label)
        self.run(f"field({json.dumps(label)}).click();")

    def tab_to(self, text):
        """Presses Tab until the button with the text, or the field with that label, has the focus."""
        found = f"button({json.dumps(text)}) || field({json.dumps(text)})"
        self.wait(found, text)
        for _ in range(120):
            if self.value(f"document.activeElement === ({found})"):
                outline = self.value("getComputedStyle(document.activeElement).outlineStyle")
                assert outline != "none", f"the focus at {text} is not shown"
                return
            self.window.press("Tab")
        raise AssertionError(f"{text} is not reached by Tab")

    # ---- sessions ----

    def log_in(self, email, password=PASSWORD, code=None):
        self.fill("Email address", email)
        self.fill("Password", password)
        self.click("Log in")
        if code is not None:
            self.fill("Code", code)
            self.click("Log in")
        self.wait(f"document.querySelector('.shell h1') && {QUIET}", "the dashboard after the login")

    def log_out(self):
        self.click("Log out")
        self.wait("document.querySelector('.login')")

    def enter(self, user, place=""):
        """Logs in as the user by the form, and shows the place."""
        self.window.open("about:blank")
        self.window.open(f"{self.url}#/{place}")
        self.wait("document.querySelector('h1')?.textContent && !document.querySelector('.skeleton')", "the dashboard")
        if self.value("document.querySelector('.shell')"):
            self.log_out()
            self.run(f"location.hash = {json.dumps('#/' + place)};")
        self.log_in(user.email)


def make_shop(service, account):
    """A campaign with leads, referrals, definitions, a webhook that works and one that answers 500. The first lead is Ada."""
    campaign = service.campaign(account, pages="on", points_direct=2)
    campaign.name = f"Waiting list {campaign.id}"
    service.installation.admin("campaign", "set", str(campaign.id), f"name={campaign.name}")
    campaign.define("reward", "Sticker", "--required-points", 2)
    campaign.define("action", "Follow us", "--points", 5)
    campaign.tag = campaign.define("tag", "VIP")
    campaign.hooked = campaign.webhook("new_signup", "verified")
    service.receiver.script(f"{campaign.hook}/broken", Answer(500, body=b"no room"))
    campaign.broken = campaign.webhook("new_signup", below="/broken")
    campaign.ada = campaign.lead(email="ada@example.org", first_name="Ada", last_name="Lovelace", company="Engines", utm_source="news")
    for number in range(30):
        friend = {"kid": campaign.ada["social_id"]} if number % 3 == 0 else {}
        campaign.lead(email=f"lead{number}@example.org", first_name=f"Lead {number}", **friend)
    campaign.delivered(31)
    return campaign


def make_operator(service):
    user = User(service, "root@example.org", "--role", "operator", "--name", "Root")
    assert user.accept().status == 200
    return user
