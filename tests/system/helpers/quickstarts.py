# SPDX-License-Identifier: MIT
"""Quickstarts as the script starts them."""
import json
import os
import pathlib
import shlex
import subprocess
import sys
import urllib.parse

from client import Client
from processes import children
from stack.front import free_port
from stack.process import tail, wait_until
from tree import BUILD, SOURCE


class Run:
    """Quickstarts with the same state directory."""

    def __init__(self, state):
        self.state = state
        self.environment = {**os.environ, "PYTHONPATH": str(SOURCE / "scripts"), "PYTHONDONTWRITEBYTECODE": "1"}
        (state / "log").mkdir()

    def command(self, *options):
        return [sys.executable, "-m", "stack.quickstart", "--state", self.state, "--build", BUILD, *options]

    def call(self, *options):
        return subprocess.run(self.command(*options), env=self.environment, text=True, capture_output=True, timeout=180, check=False)

    def start(self, *options, port=None):
        self.port = port or free_port()
        done = self.call("--port", str(self.port), "--detach", *options)
        assert done.returncode == 0, done.stdout + done.stderr + self.logs()
        self.read_env()
        return done.stdout

    def logs(self):
        """Return the ends of the logs of all programs, which may explain a failure."""
        return "\n".join(f"{log}:\n{tail(log)}" for log in sorted([*self.state.glob("*.log"), *self.state.glob("*/*.log")]))

    def start_in_foreground(self, out):
        """Start the script in the foreground; its output goes to the file `out`."""
        self.port = free_port()
        with open(out, "wb") as file:
            process = subprocess.Popen(self.command("--port", str(self.port)), env=self.environment, stdout=file, stderr=file)
        wait_until(lambda: process.poll() is not None or "\nTry:" in out.read_text(), 60, "the banner")
        self.read_env()
        return process

    def read_env(self):
        self.values = dict(word.split("=", 1) for word in shlex.split((self.state / "env").read_text()) if "=" in word)
        self.client = Client(self.port, urllib.parse.urlsplit(self.values["LEADHOOK_URL"]).path)

    def shell(self, command):
        """Return the output of a command in a shell that has the values as variables."""
        done = subprocess.run(["sh", "-euc", f". {self.state}/env && {command}"], text=True, capture_output=True, timeout=60, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    @property
    def path(self):
        return f"/v2/{self.values['LEADHOOK_CAMPAIGN']}"

    def lead(self, email):
        response = self.client.request("POST", self.path, json_body={"email": email}, key=self.values["LEADHOOK_KEY"])
        assert response.status == 200, response.body
        return response.json

    def log_in(self):
        """Return the session that the login begins, and its cookie."""
        login = {"email": self.values["LEADHOOK_LOGIN"], "password": self.values["LEADHOOK_PASSWORD"]}
        answer = self.client.request("POST", "/manage/v1/session", json_body=login, headers={"Sec-Fetch-Site": "same-origin"})
        assert answer.status == 200, answer.body
        return answer.json, answer.headers["Set-Cookie"].partition(";")[0]

    def manage(self, path, cookie):
        answer = self.client.request("GET", f"/manage/v1/{path}", headers={"Cookie": cookie})
        assert answer.status == 200, answer.body
        return answer.json

    def supervisor(self):
        return int((self.state / "lock").read_text())

    def children(self):
        return children(self.supervisor())

    def received(self):
        return [json.loads(line) for line in pathlib.Path(self.values["LEADHOOK_RECEIVER_LOG"]).read_text().splitlines()]
