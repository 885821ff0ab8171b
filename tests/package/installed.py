# SPDX-License-Identifier: MIT
"""The package in a container, with the same interface as a service of service.py; and the commands of the document."""
import contextlib
import itertools
import json
import re

from client import Client
from stack.process import wait_until
from stack.receiver import Receiver

DOCUMENT, SECTION = "docs/operating.md", "2.3"
CONFIGURATION = "/etc/leadhook/leadhook.conf"
PASSWORD = "choose-one"
MOUNT = "/lead"
# Receivers of the test are on loopback, and its clients behind a proxy (client.py).
SETTINGS = f"""
[database]
user = leadhook
password = {PASSWORD}

[server]
base_path = {MOUNT}
base_url = http://localhost{MOUNT}
trusted_proxies = 127.0.0.1

[dispatch]
allow_networks = 127.0.0.0/8
"""


def commands(source, number=SECTION, subject=None):
    """Return the shell commands of a section of the document: the first block, or the first one after a **subject**."""
    text = (source / DOCUMENT).read_text(encoding="utf-8")
    section = re.search(rf"^###? {re.escape(number)} .*?(?=^##)", text, re.MULTILINE | re.DOTALL)[0]
    if subject:
        section = section.partition(f"**{subject}**")[2]
    return re.search(r"^```(?:sh|sql)\n(.*?)^```", section, re.MULTILINE | re.DOTALL)[1]


class Installed:
    """`installation.admin`, and what else the classes of service.py need from a service."""

    numbers = itertools.count(1)
    has_limits = True  # campaigns are made by the command, which the package is about

    def __init__(self, container):
        self.container = container
        self.installation = self
        self.client = Client(80, MOUNT)
        self.receiver = Receiver().start()

    def close(self):
        self.receiver.close()

    def admin(self, *words):
        text = self.container.run("leadhook", "--json", *words)
        return json.loads(text) if text.strip() else None

    def wait_ready(self):
        wait_until(self.client.healthy, 30, "the service is not ready")

    def version(self):
        return self.container.run("dpkg-query", "--show", "--showformat=${Version}", "leadhook")

    def main_process(self, unit):
        return int(self.container.property(unit, "MainPID"))

    @contextlib.contextmanager
    def override(self, unit, *lines):
        """Run the unit again with these lines in its section Service."""
        folder = self.container.path(f"/run/systemd/system/{unit}.d")
        folder.mkdir(parents=True)
        (folder / "test.conf").write_text("\n".join(["[Service]", *lines, ""]))
        try:
            self.container.run("systemctl", "daemon-reload")
            self.container.run("systemctl", "restart", unit)
            yield
        finally:
            (folder / "test.conf").unlink()
            folder.rmdir()
            self.container.run("systemctl", "daemon-reload")
            self.container.run("systemctl", "restart", unit)
