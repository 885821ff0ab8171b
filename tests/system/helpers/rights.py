# SPDX-License-Identifier: MIT
"""The calls below /manage/v1 with the rights that each needs, according to the help of the command, and objects to call them with."""
import re

from caller import User
from stack.process import run

RIGHTS = ["ingest", "stats", "leads", "change", "hooks", "manage", "account"]


class Operation:
    """The call of a command, as shown by its help: method, path with its parameters, fields, rights."""

    def __init__(self, words, line):
        self.words = words
        found = re.fullmatch(r"HTTP: (GET|POST|PATCH|DELETE) /manage/v1/(\S+)(?: \{(.*)\})?(, only operators)?, right ([a-z|+]+)", line)
        assert found, (words, line)
        self.method, self.path, fields, operators, rights = found.groups()
        self.fields = fields.split() if fields else []
        self.operators, self.rights, self.all_rights = bool(operators), re.split(r"[|+]", rights), "+" in rights

    def allows(self, rights):
        return (set(self.rights) <= set(rights)) if self.all_rights else bool(set(self.rights) & set(rights))

    def row(self):
        """Return its row in docs/manage.md 1."""
        names = [name.replace("...", "[]") for name in self.fields if name != "*"]
        fields = " `{" + ", ".join(names) + "}`" if names else ""
        rights = "operator" if self.operators else "any" if len(self.rights) == 7 else (" + " if self.all_rights else ", ").join(f"`{name}`" for name in self.rights)
        return f"| `{self.method} {self.path}`{fields} | `{self.words}` | {rights} |"


SHELL_ONLY = {"setup", "install", "upgrade", "domains update", "check", "doctor", "metrics", "completion bash", "secrets seal", "stats rebuild",
              "audit prune"}


def all_operations(installation):
    """Return the table, and the commands that have no call."""
    program = installation.program("leadhook")
    commands = re.findall(r"^  ([a-z]+(?: [a-z]+)?) ", run("help", [program, "help"]), re.M)
    calls, others = [], set()
    for words in dict.fromkeys(commands):
        lines = [line for line in run("help", [program, "help", *words.split()]).splitlines() if line.startswith("HTTP: ")]
        if lines:
            calls.append(Operation(words, lines[0]))
        else:
            others.add(words)
    return calls, others


class World:
    """The objects of two campaigns of an account. Limited callers may use only the campaign `inside`."""

    def __init__(self, service, name="Agency"):
        self.service = service
        self.account = service.account(name)
        self.key_id = service.installation.admin("key", "add", str(self.account.id))["id"]
        self.owner = User(service, f"owner@{name.lower()}.example", "--role", "owner", "--account", self.account.id)
        self.inside, self.outside = (self.objects(service.campaign(self.account)) for _ in range(2))

    def objects(self, campaign):
        admin, sql = self.service.installation.admin, self.service.installation.sql
        made = {"campaign": campaign.id, "account": self.account.id, "key": self.key_id, "user": self.owner.id, "kind": "welcome"}
        made["tag"], made["action"] = campaign.define("tag", "VIP"), campaign.define("action", "Share")
        made["reward"] = campaign.define("reward", "Shirt", "--required-points", 5)
        made["webhook"] = campaign.webhook("new_signup")["referenceId"]
        made["social_id"] = campaign.lead(email="ada@example.org")["social_id"]
        made["delivery"] = admin("delivery", "list", "--webhook", str(made["webhook"]))[0]["id"]
        inbound = admin("inbound", "add", str(campaign.id), "Form")
        made["inbound"] = inbound["id"]
        refused = campaign.client.request("POST", "/inbound/" + inbound["url"].split("/inbound/")[1], json_body={"email": "no address"})
        assert refused.status == 202, refused.body
        made["call"] = admin("inbound", "log", str(inbound["id"]))[0]["id"]
        made["job"] = admin("webhook", "test", str(made["webhook"]), "--queue")["id"]
        made["mail"] = made["delivery"]  # any number that no other message has
        sql(f"INSERT INTO lh_messages (id, campaign_id, lead_id, kind, state, created_ms, due_ms) VALUES ({made['mail']}, {campaign.id}, 1, 0, "
            "'failed', 1, 1)")
        return made
