# SPDX-License-Identifier: MIT
"""docs/openapi.yaml has the calls below /manage/v1 that the table of commands has, and those of sessions: their members, rights,
statuses and problems, and nothing else. tests/system/helpers/openapi.py checks the answers."""
import re

import pytest
from openapi import METHODS, Documented
from tree import SOURCE

MANAGE = "/manage/v1/"
DOCUMENT = Documented().document
OPERATIONS = {(method, path.removeprefix(MANAGE)): (item.get("parameters", []), operation)
              for path, item in DOCUMENT["paths"].items() if path.startswith(MANAGE)
              for method, operation in item.items() if method in METHODS}
RIGHTS = dict(re.findall(r'X\((\w+), "(\w+)"', (SOURCE / "src/identity/rights.h").read_text(encoding="utf-8")))


def source(name):
    return (SOURCE / "src" / name).read_text(encoding="utf-8")


def lists():
    """Macros of src/admin/operations.c that stand for several options."""
    found = re.findall(r"#define (\w+) ((?:.*\\\n)*.*)", source("admin/operations.c"))
    words = {name: re.findall(r"\w+", options) for name, options in found}

    def options(name):
        return [option for word in words[name]
                for option in ([word.removeprefix("OPTION_")] if word.startswith("OPTION_") else options(word) if word in words else [])]
    return {name: options(name) for name in words}


def settings(command):
    """The names of the table that struct value_settings of the command refers to, in the file that defines it."""
    for file in sorted((SOURCE / "src/admin").rglob("*.c")):
        text = file.read_text(encoding="utf-8")
        found = re.search(rf"const struct value_settings admin_{command}_settings = {{\s*(?:\.\w+ = )?(\w+)", text)
        if found:
            table = text.split(f"static const struct value_setting {found[1]}[] = {{")[1].split("\n};")[0]
            return re.findall(r'\{ "(\w+)"', table)
    raise AssertionError(command)


class Command:
    """A row of the table that has a call."""
    OPTIONS = {name: (option.replace("-", "_"), value) for name, option, value in
               re.findall(r'X\((\w+), "([a-z0-9-]+)", (NULL|"[^"]*"), ', source("operation/operation.h"))}
    LISTS = lists()

    def __init__(self, words, row):
        self.words, self.row = words, row
        self.method, self.path, self.rights = re.search(r'HTTP\((\w+), "([^"]+)", ([^)]+)\)', row).groups()
        self.fields = "".join(re.findall(r'\.fields = "([^"]*)"', row)).replace("...", "").split()
        self.in_path = re.findall(r"\{(\w+)\}", self.path)

    def has(self, mark):
        return f".{mark} = true" in self.row

    def members(self):
        words = re.findall(r"\w+", "".join(re.findall(r"\.options = OPTIONS\(([^)]*)\)", self.row)))
        options = [option for word in words for option in self.LISTS.get(word, [word.removeprefix("OPTION_")])]
        named = [self.OPTIONS[option][0] for option in options if self.OPTIONS[option][1] != '"FILE"']
        own = [name for command in re.findall(r"\.settings = &admin_(\w+)_settings", self.row) for name in settings(command)]
        only_in_shell = {"queue"}  # what can be queued is
        return {*self.fields, *named, *own} - {"*"} - only_in_shell - set(self.in_path)

    def description(self):
        rights = (" and " if self.has("all_rights") else " or ").join(f"`{RIGHTS[name]}`" for name in re.findall(r"RIGHT_(\w+)", self.rights))
        right = "Only operators." if self.has("operator_only") else f"Right {rights}." if rights else "Any right."
        lasting = " Not with a key that expires." if self.has("admits") else ""
        confirmed = " A user must have entered the password within the last ten minutes." if self.has("confirmed") else ""
        word = re.search(r'\.confirmed_word = "(\w+)"', self.row)
        with_word = f" With `{word[1]}` a user must have entered the password within the last ten minutes." if word else ""
        return f"`leadhook {self.words}`. {right}{lasting}{confirmed}{with_word}"


ROWS = re.findall(r'\n\t\{ "([a-z ]+)",(.*?)\.help = "', source("admin/operations.c").split("admin_command commands[]")[1], re.DOTALL)
COMMANDS = [Command(words, row) for words, row in ROWS if "HTTP(" in row]


def properties(schema):
    found = set(schema.get("properties", ()))
    return found.union(*(properties(part) for part in schema.get("allOf", ())))


def session_calls():
    table = source("manage/sessions.c").split("} calls[] = {")[1].split("\n};")[0]
    return {(method.lower(), path) for method, path in re.findall(r'\{ HTTP_(\w+), "([^"]+)"', table)}


def test_it_has_each_call():
    assert len(COMMANDS) > 60
    calls = {(command.method.lower(), command.path) for command in COMMANDS}
    assert calls | session_calls() == set(OPERATIONS)


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.words.replace(" ", "-"))
def test_it_has_each_member(command):
    path, operation = OPERATIONS[command.method.lower(), command.path]
    first, *rest = command.words.split()
    assert operation["operationId"] == first + "".join(word.capitalize() for word in rest)
    assert operation["description"] == command.description()
    assert [parameter["name"] for parameter in path] == command.in_path
    by_place = {place: {parameter["name"] for parameter in operation.get("parameters", ()) if parameter["in"] == place}
                for place in ("query", "header")}
    if command.method in ("GET", "DELETE"):
        assert by_place["query"] == command.members() and "requestBody" not in operation
    else:
        schemas = [media["schema"] for media in operation["requestBody"]["content"].values()]
        assert not by_place["query"] and all(properties(schema) == command.members() for schema in schemas)
        assert all(("additionalProperties" in schema) == (command.fields[-1:] == ["*"]) for schema in schemas)
    changes = command.has("versioned") and command.method != "GET"
    headers = {"If-None-Match": command.method == "GET", "If-Match": changes, "Idempotency-Key": any(map(command.has, ("creates", "queues", "accumulates")))}
    assert by_place["header"] == {name for name, takes in headers.items() if takes}
    statuses = operation["responses"]
    expected = {"201": command.has("creates"), "202": command.has("queues"), "304": command.method == "GET", "412": changes}
    assert {status: status in statuses for status in expected} == expected
    goes_on = "after" in command.members() and (command.method == "GET" or command.has("searches"))
    assert ("Link" in next(iter(statuses.values())).get("headers", ())) == goes_on


def test_it_has_each_problem():
    """docs/manage.md 1.2: those of commands, of the layer itself, and of the API before it"""
    commands = re.findall(r'X\(\w+, EX_\w+, (\d+), "(\w+)"', source("operation/problem.h"))
    texts = [file.read_text(encoding="utf-8") for file in (SOURCE / "src/manage").glob("*.c")]
    layer = [found for text in texts for found in re.findall(r'(?:request_fail_status|fail_wait)\([^;]*?(?:, (\d+))?, "(\w+)"', text)]
    before = [("400", "bad_request"), ("401", "invalid_api_key"), ("403", "account_suspended"), ("413", "body_too_large"),
              ("500", "answer_too_large"), ("503", "unavailable")]
    assert len(commands) > 10 and len(layer) > 20
    programs = {(status or "429", code) for status, code in [*commands, *layer, *before]}
    documented = {(status, code) for _, operation in OPERATIONS.values() for status, answer in operation["responses"].items()
                  for code in answer.get("content", {}).get("application/problem+json", {"schema": {}})["schema"]
                  .get("allOf", [{}])[-1].get("properties", {}).get("error", {}).get("enum", ())}
    # that of a method which no operation has
    assert programs - documented == {("405", "method_not_allowed")} and documented <= programs
