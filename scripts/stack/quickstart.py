# SPDX-License-Identifier: MIT
"""The supervisor of the quickstart: starts a whole Leadhook, restarts programs that die, and ends all of them when it ends."""
import argparse
import contextlib
import fcntl
import http.client
import json
import os
import pathlib
import pwd
import re
import secrets
import shlex
import shutil
import signal
import socket
import sys
import tempfile
import time
import urllib.parse

from . import clock, demo
from .front import APACHE_USER, ApacheProxy, LighttpdSocket, Nginx, accepts, free_port
from .installation import Installation
from .mariadb import MariaDB
from .process import Child, Ended, StackError, handle_signals, replace_file, wait_until
from .receiver import Receiver

EVENTS = ("new_signup new_signup_not_excluded repeat_signup score_change marked_as_fraudulent opted_out phone_number_opt_out "
          "referral tagged reward_level verified deleted").split()
WEB = {"lighttpd": LighttpdSocket, "apache": ApacheProxy, "nginx": Nginx}
RESTART_PAUSE = 1.0  # seconds between restarts of a program that dies immediately
LOOP_PAUSE = 0.1
OPERATOR = "operator@example.org"  # of the user that logs in to the dashboard
PORT = 8080  # of the web server, unless the last run used another one
SOCKET_PATH_MAX = 90  # 108 bytes minus the name of the socket


class State:
    """The state folder: its lock, and the values that survive a restart."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder).absolute()
        self.lock = None
        self.file = self.folder / "quickstart.json"
        self.values = json.loads(self.file.read_text()) if self.file.exists() else {}

    def save(self, **values):
        self.values.update(values)
        replace_file(self.file, json.dumps(self.values))

    def take(self):
        """Lock the folder until this process ends; the file contains its process id. Return None if it is already locked."""
        lock = open(self.folder / "lock", "a+", encoding="ascii")
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.close()
            return None
        self.lock = lock
        return lock

    def write_pid(self):
        self.lock.truncate(0)
        self.lock.write(str(os.getpid()))
        self.lock.flush()

    def read_pid(self):
        return int((self.folder / "lock").read_text() or 0)


def stop(state):
    """End the supervisor that holds the state's lock."""
    if state.take():
        print(f"nothing runs in {state.folder}")
        return
    with contextlib.suppress(ProcessLookupError):
        os.kill(wait_until(state.read_pid, 5, "the quickstart's process id is not known"), signal.SIGTERM)
    wait_until(state.take, 60, "the quickstart did not end")


def check_free(state, port):
    """Check the state and the port before anything is built or started."""
    if not state.take():
        raise StackError(f"a quickstart is running in {state.folder} already (--stop ends it, --state makes another)")
    if accepts(port):
        raise StackError(f"port {port} on 127.0.0.1 is in use, perhaps by another quickstart; choose one with --port")


class Quickstart:
    def __init__(self, options, state):
        self.options, self.state = options, state
        self.folder = state.folder
        self.log = self.folder / "log"
        self.children = []
        self.started = {}
        self.makes_demo = options.demo and not state.values.get("demo")

    # --- parts, in the order in which they are started ---

    def run_folder(self):
        """Return the folder of sockets: in the state, or elsewhere if the path is too long or Apache's account cannot access it."""
        folder = self.folder / "run"
        apart = os.geteuid() == 0 and self.options.web == "apache"
        if apart or len(str(folder)) > SOCKET_PATH_MAX:
            folder = pathlib.Path(tempfile.mkdtemp(prefix="leadhook-"))
        else:
            folder.mkdir(exist_ok=True)
        os.chmod(folder, 0o750)
        if apart:
            os.chown(folder, -1, pwd.getpwnam(APACHE_USER).pw_gid)
        old = self.state.values.get("run")
        if old and old != str(folder):
            shutil.rmtree(old, ignore_errors=True)
        self.state.save(run=str(folder))
        return folder

    def supervise(self, child):
        self.children.append(child)
        self.started[child] = time.monotonic()
        return child

    def port_of(self, name):
        """Return the port of the last run if it is free, otherwise another one."""
        port = self.state.values.get(name)
        if port is None or accepts(port):
            port = free_port()
            self.state.save(**{name: port})
        return port

    def configure(self):
        of_mail = [one for one in self.options.set if one[0] == "mail"]
        self.installation.configure([("database", "socket", self.database.socket), ("server", "listen", self.installation.socket),
                                     *(one for one in self.options.set if one not in of_mail)])
        if not self.installation.setting("server", "secrets_key"):
            # The database contains what this key seals, even after a failed first start that left no configuration.
            self.state.save(secrets_key=self.state.values.get("secrets_key") or secrets.token_hex(32))
            self.installation.configure([("server", "secrets_key", self.state.values["secrets_key"])])
        base_path = self.installation.setting("server", "base_path", "")
        self.front = WEB[self.options.web](self.folder / "web", self.options.port, mount=f"{base_path}/")
        # A configured address is not changed.
        if self.installation.setting("server", "base_url", "") == self.state.values.get("base_url", ""):
            self.installation.configure([("server", "base_url", self.front.url)])
        # Mail needs this address.
        self.installation.configure([("mail", "host", "127.0.0.1"), ("mail", "port", str(self.port_of("mail_port"))), ("mail", "tls", "none"),
                                     ("mail", "from", "Quickstart <hello@quickstart.example>"), *of_mail])

    def start_database(self):
        self.database.create()
        if self.makes_demo:
            if clock.LIBRARY is None:
                raise StackError("--demo needs the Debian package libfaketime")
            self.database.clock = clock.Clock(self.folder / "clock")
            self.database.clock.jump(-demo.WEEK)
        self.supervise(self.database.start().child)

    def ids(self, kind, *of, name="id"):
        return {one[name] for one in self.installation.admin(kind, "list", *of)}

    def install(self):
        """Install the schema, and create everything that the state names, including what was removed."""
        self.installation.install()
        values = self.state.values
        if "key" not in values or values.get("account", 1) not in self.ids("account"):
            account = self.installation.admin("account", "add", "Quickstart")["id"]
            key = self.installation.admin("key", "add", str(account), "--name", "quickstart")["key"]
            self.state.save(account=account, key=key)
        account, campaigns = str(values.get("account", 1)), self.ids("campaign")
        if values.get("campaign") not in campaigns:
            campaign = self.installation.admin("campaign", "add", account, "Quickstart", "mails=")["id"]
            self.state.save(campaign=campaign, receiver_port=None)
        if values.get("page") not in campaigns:
            page = self.installation.admin("campaign", "add", account, "Lumen", "verify_email=on", "points_signup=1")["id"]
            self.installation.admin("reward", "add", str(page), "Early access", "--required-points", "5")
            self.state.save(page=page, receiver_port=None)

    def start_receiver(self):
        """Use the port of the last run if it is free, because it is part of the webhooks' URLs. A new campaign has no webhook yet."""
        port = self.state.values.get("receiver_port")
        if port is None or accepts(port):
            campaigns = [str(self.state.values[name]) for name in ("campaign", "page")]
            webhooks = set().union(*(self.ids("webhook", one, name="referenceId") for one in campaigns))
            for old in webhooks.intersection(self.state.values.get("webhooks", [])):
                self.installation.admin("webhook", "remove", str(old))
            port = free_port()
            added = [self.installation.admin("webhook", "add", campaign, f"http://127.0.0.1:{port}/hook", *EVENTS)
                     for campaign in campaigns]
            replace_file(self.secret_file, "\n".join(one["secret"] for one in added))
            self.state.save(webhooks=[one["id"] for one in added], receiver_port=port)
        command = [sys.executable, "-m", "stack.receiver", "--port", port, "--secret-file", self.secret_file, "--log", self.receiver_log]
        self.receiver = self.supervise(Child("receiver", command, self.log / "receiver.log"))
        self.receiver.start().ready(lambda: accepts(port))

    def start_mailbox(self):
        port = self.state.values["mail_port"]
        mailbox = self.supervise(Child("mail server", [sys.executable, "-m", "stack.mailbox", "--port", port, "--log", self.mail_log],
                                       self.log / "mailbox.log"))
        mailbox.start().ready(lambda: accepts(port))

    def start_programs(self):
        self.supervise(self.installation.responders()).start().ready(self.installation.socket.exists)
        self.supervise(self.installation.dispatcher()).start()

    def start_web(self):
        self.front.configure(self.installation.socket, None, None)
        self.supervise(self.front.start().child)
        self.front.child.ready(self.healthy)

    def make_demo(self):
        """Make the demonstration, once per state folder. Meanwhile, the receiver fails at times. An unfinished week is removed
        first."""
        if not self.makes_demo:
            return
        print("Making a week of leads ...", flush=True)
        values = self.state.values
        for campaign in self.ids("campaign").intersection(values.get("demo_campaigns", [])):
            self.installation.admin("campaign", "remove", str(campaign), "--yes")
        self.receiver.stop()
        receiver = Receiver(values["receiver_port"], self.receiver_log, self.secret_file.read_text().split()).start()
        try:
            week = demo.Demo(self.installation, self.front.url, values["key"], values.get("account", 1), receiver)
            week.make(lambda campaigns: self.state.save(demo_campaigns=campaigns))
        finally:
            receiver.close()
        replace_file(self.secret_file, "\n".join(receiver.secrets))
        self.receiver.start().ready(lambda: accepts(receiver.port))
        clock_file = self.database.clock.file
        self.database.clock = None
        self.database.restart()
        clock_file.unlink()
        self.installation.admin("upgrade")  # partitions for the coming days; the dispatcher has made those of a week ago
        self.front.child.ready(self.healthy)
        self.front.child.ready(self.works)
        self.state.save(demo=True)

    def works(self):
        """Return whether no process seems to hang. After a demonstration, the heartbeats have times of its clock until the next
        ones."""
        installation = self.installation.admin("installation")
        return all(installation[process] in ("working", "off") for process in ("dispatcher", "mailer", "texter"))

    def make_login(self):
        """Make a user with a random password. A removed user is made again; another user with this address gets the password."""
        if self.state.values.get("user") in [one["id"] for one in self.installation.admin("user", "list")]:
            return
        password = secrets.token_urlsafe(12)
        user = wait_until(lambda: self.set_password(password), 20, "the operator's password is not set, because the service answers 503")
        self.state.save(user=user, password=password)

    def set_password(self, password):
        """Return the user's id, or None after a 503. The link may have been used then, so the next attempt makes another one."""
        known = next((str(one["id"]) for one in self.installation.admin("user", "list") if one["email"] == OPERATOR), None)
        link = self.installation.admin("user", *(("reset", known) if known else ("add", OPERATOR, "--role", "operator")))
        path = "/manage/v1/session/link/use"
        status, text = self.post(path, {"token": link["link"].rpartition("/")[2], "new_password": password})
        if status not in (200, 503):
            raise StackError(f"POST {path}: {status} {text}")
        return link["id"] if status == 200 else None

    def post(self, path, body):
        """POST as a page of the service does; return the status and the body of the answer."""
        with contextlib.closing(http.client.HTTPConnection("127.0.0.1", self.options.port, timeout=30)) as connection:
            connection.request("POST", self.front.base_path + path, json.dumps(body),
                               {"Content-Type": "application/json", "Sec-Fetch-Site": "same-origin"})
            response = connection.getresponse()
            return response.status, response.read().decode(errors="replace")

    def healthy(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.options.port, timeout=5)
        try:
            connection.request("GET", f"{self.front.base_path}/health/ready")
            return connection.getresponse().status == 200
        except OSError:
            return False
        finally:
            connection.close()

    @property
    def receiver_log(self):
        return self.folder / "receiver.log"

    @property
    def secret_file(self):
        return self.folder / "webhook.secret"

    @property
    def mail_log(self):
        return self.folder / "mails.log"

    def start(self):
        """Start all programs, or raise StackError; a failed start does not change the configuration."""
        run_folder = self.run_folder()
        self.database = MariaDB(self.folder / "mariadb", run_folder / "mariadb.sock")
        self.installation = Installation(self.folder, self.options.build, self.database)
        self.installation.socket = run_folder / "fcgi.sock"
        before = self.installation.text()
        try:
            self.take_steps()
        except BaseException:
            self.installation.put_back(before)
            raise
        self.state.save(port=self.options.port)
        if self.installation.setting("server", "base_url") == self.front.url:
            self.state.save(base_url=self.front.url)
        self.write_env()

    def take_steps(self):
        steps = [("writing the configuration", self.configure),
                 ("starting MariaDB", self.start_database),
                 ("installing the schema", self.install),
                 ("starting the receiver", self.start_receiver),
                 ("starting the mail server", self.start_mailbox),
                 ("starting the programs", self.start_programs),
                 (f"starting {self.options.web}", self.start_web),
                 ("making the demonstration", self.make_demo),
                 ("making the login", self.make_login)]
        for name, step in steps:
            try:
                step()
            except (StackError, OSError) as error:
                raise StackError(f"{name} failed: {error}") from error

    # --- output ---

    def link_manuals(self):
        """The manual pages of the build, in folders as man expects them."""
        manuals = self.folder / "man"
        shutil.rmtree(manuals, ignore_errors=True)
        for page in pathlib.Path(self.options.build, "man").absolute().glob("*.[158]"):
            link = manuals / f"man{page.suffix[1:]}" / page.name
            link.parent.mkdir(parents=True, exist_ok=True)
            link.symlink_to(page)
        return manuals

    def write_env(self):
        values = {"LEADHOOK_URL": self.front.url, "LEADHOOK_KEY": self.state.values["key"],
                  "LEADHOOK_CAMPAIGN": str(self.state.values["campaign"]), "LEADHOOK_CONF": str(self.installation.config),
                  "LEADHOOK_RECEIVER_LOG": str(self.receiver_log), "LEADHOOK_MAILS": str(self.mail_log),
                  "LEADHOOK_PAGE": self.page, "LEADHOOK_DASHBOARD": self.dashboard, "LEADHOOK_LOGIN": OPERATOR,
                  "LEADHOOK_PASSWORD": self.state.values["password"]}
        lines = [f"export {name}={shlex.quote(value)}\n" for name, value in values.items()]
        lines.append(f'export PATH={shlex.quote(str(self.installation.program("leadhook").parent))}:"$PATH"\n')
        # An empty part, for example at the end if MANPATH was not set, stands for the default path of man.
        lines.append(f'export MANPATH={shlex.quote(str(self.link_manuals()))}:"${{MANPATH:-}}"\n')
        replace_file(self.folder / "env", "".join(lines))

    @property
    def page(self):
        return f"{self.front.url}/c/{self.state.values['page']}"

    @property
    def dashboard(self):
        return f"{self.front.url}/dashboard/"

    def banner(self, shows):
        key, url = self.state.values["key"], f"{self.front.url}/v2/{self.state.values['campaign']}"
        mails = "that is shown here" if shows else f"that is written to {self.mail_log}"
        reason = self.options.no_dashboard
        dashboard = "" if reason else (f"The dashboard is {self.dashboard}\n"
                                       f"  email       {OPERATOR}\n"
                                       f"  password    {self.state.values['password']}\n\n")
        missing = f"\nThere is no dashboard: {reason}.\nWhen that is corrected, start the quickstart again: it adds the dashboard.\n" if reason else ""
        return (f"\nSign up at {self.page}\n"
                f"and open the link in the mail {mails}.\n\n"
                f"{dashboard}"
                f"Leadhook answers at {self.front.url}\n"
                f"  campaign    {url}\n"
                f"  key         {key}\n"
                f"  state       {self.folder} (env holds these values)\n"
                f"  command     {self.installation.program('leadhook')} --config {self.installation.config}\n"
                f"  deliveries  {self.receiver_log}\n"
                f"  mails       {self.mail_log}\n\n"
                "Try:\n"
                f"  curl -d email=first@example.org -d first_name=Ada {url}\n"
                f"  curl -H 'Authorization: Bearer {key}' -H 'Content-Type: application/json' \\\n"
                f"       -d '{{\"email\":\"second@example.org\",\"plan\":\"pro\"}}' {url}\n"
                f"  curl -G -H 'Authorization: Bearer {key}' -d email=first@example.org {url}\n"
                f"{missing}")

    def run(self, show):
        """Restart programs that die and show deliveries and mails, until a signal."""
        logs = {self.receiver_log: describe, self.mail_log: describe_mail}
        seen = {log: log.stat().st_size if log.exists() else 0 for log in logs}
        while True:
            for child in self.children:
                if not child.alive() and time.monotonic() - self.started[child] > RESTART_PAUSE:
                    print(f"{child.name} ended with status {child.process.returncode}, starting it again", flush=True)
                    child.start()
                    self.started[child] = time.monotonic()
            for log, describe_line in logs.items() if show else ():
                seen[log] = show_lines(log, seen[log], describe_line)
            time.sleep(LOOP_PAUSE)

    def stop(self):
        for child in reversed(self.children):
            with contextlib.suppress(StackError):
                child.stop()
        if not pathlib.Path(self.state.values.get("run", "")).is_relative_to(self.folder):
            shutil.rmtree(self.state.values["run"], ignore_errors=True)


def show_lines(log, seen, describe_line):
    """Print the complete lines after `seen` bytes; return the new offset."""
    if not log.exists():
        return seen
    with open(log, "rb") as file:
        file.seek(seen)
        for line in file:
            if not line.endswith(b"\n"):
                break
            seen += len(line)
            print(describe_line(line.decode(errors="replace")), flush=True)
    return seen


def fields_of(text):
    """Return a JSON object or form as a dict, empty for anything else. Any process on this machine can send to the receiver."""
    try:
        fields = json.loads(text)
    except (ValueError, RecursionError):
        fields = dict(urllib.parse.parse_qsl(text))
    return fields if isinstance(fields, dict) else {}


def describe(line):
    """Return the text for one line of the receiver's log; unprintable or missing values are shown as ?."""
    one = fields_of(line)
    body = fields_of(one.get("body", ""))

    def word(fields, name):
        value = fields.get(name)
        return value if isinstance(value, str) and re.fullmatch(r"[\w.:-]{1,40}", value, re.ASCII) else "?"
    return (f"{word(one, 'time')}  {word(body, '__event'):24} {word(body, 'social_id')}  "
            f"{'signature verified' if one.get('verified') else 'signature NOT verified'}")


def describe_mail(line):
    """Return the text for one line of the mail server's log. It is made printable, because any visitor can cause such a line."""
    one = fields_of(line)

    def text(value):
        return "".join(c if c.isprintable() else "?" for c in value[:200]) if isinstance(value, str) else "?"

    def first(name):
        return map(text, one[name][:5] if isinstance(one.get(name), list) else [])
    return "\n".join([f"{text(one.get('time'))}  mail to {text(one.get('to'))}: {text(one.get('subject'))}",
                      *(f"    {link}" for link in first("links")), *(f"    code {code}" for code in first("codes"))])


def serve(options, state, report):
    """Start, run and stop; `report(text)` is called once when all programs are ready."""
    handle_signals()
    state.write_pid()
    quickstart = Quickstart(options, state)
    try:
        quickstart.start()
        report(quickstart.banner(shows=not options.detach))
        quickstart.run(show=not options.detach)
    except Ended:
        pass
    finally:
        handle_signals(signal.SIG_IGN)
        quickstart.stop()


def detach(options, state):
    """Serve in a new session; return the status once it is ready or has failed."""
    parent_end, child_end = socket.socketpair()
    if os.fork():
        child_end.close()
        with parent_end.makefile(encoding="utf-8") as file:
            verdict, _, text = file.read().partition("\n")
        print(text, end="", file=sys.stdout if verdict == "ready" else sys.stderr)
        return 0 if verdict == "ready" else 1
    parent_end.close()
    os.setsid()
    log = os.open(state.folder / "log" / "quickstart.log", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(log, 1)
    os.dup2(log, 2)

    def report(text, verdict="ready"):
        with contextlib.suppress(OSError):
            child_end.sendall(f"{verdict}\n{text}".encode())
        child_end.close()
    try:
        serve(options, state, report)
    except StackError as error:
        report(f"quickstart: {error}\n", "failed")
        return 1
    return 0


def setting(text):
    """`section.key=value`, as checked by scripts/quickstart."""
    name, _, value = text.partition("=")
    section, _, key = name.partition(".")
    return section, key, value


def main():
    parser = argparse.ArgumentParser(prog="quickstart")
    parser.add_argument("--state", required=True)
    parser.add_argument("--build")
    parser.add_argument("--port", type=int)
    parser.add_argument("--web", choices=WEB, default="lighttpd")
    parser.add_argument("--set", type=setting, action="append", default=[])
    parser.add_argument("--demo", action="store_true")
    parser.add_argument("--no-dashboard", metavar="REASON")
    parser.add_argument("--detach", action="store_true")
    parser.add_argument("--stop", action="store_true")
    parser.add_argument("--check-free", action="store_true")
    options = parser.parse_args()
    # The logs contain personal data. Only the run folder gets another mode, because Apache's account uses it.
    os.umask(0o077)
    state = State(options.state)
    options.port = options.port or state.values.get("port", PORT)
    try:
        if options.stop:
            stop(state)
            return 0
        check_free(state, options.port)
        if options.check_free:
            return 0
        if options.detach:
            return detach(options, state)
        serve(options, state, lambda text: print(text, flush=True))
    except StackError as error:
        print(f"quickstart: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
