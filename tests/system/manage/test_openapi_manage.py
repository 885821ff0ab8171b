# SPDX-License-Identifier: MIT
"""docs/openapi.yaml has the calls below /manage/v1 from the table of operations, and those of sessions: their members, rights,
statuses and problems, and nothing else. tests/system/helpers/openapi.py checks the answers."""
import json
import re
import subprocess

import pytest
from openapi import METHODS, Documented
from tree import BUILD, SOURCE

MANAGE = "/manage/v1/"
DOCUMENT = Documented().document
OPERATIONS = {(method, path.removeprefix(MANAGE)): (item.get("parameters", []), operation)
              for path, item in DOCUMENT["paths"].items() if path.startswith(MANAGE)
              for method, operation in item.items() if method in METHODS}
def source(name):
    return (SOURCE / "src" / name).read_text(encoding="utf-8")


def with_sorted_rights(text):
    """Sorts the rights in "Right `hooks` and `leads`." by name."""
    def ordered(match):
        joint = " and " if " and " in match[1] else " or "
        return f"Right {joint.join(sorted(match[1].split(joint)))}."
    return re.sub(r"Right ([^.]*)\.", ordered, text)


class Operation:
    """A row of the table that has a call."""
    def __init__(self, row):
        self.row, self.words, self.method, self.path = row, row["words"], row["method"], row["path"]
        self.in_path = re.findall(r"\{(\w+)\}", self.path)
        self.takes_any = any(parameter["form"] == "fields" for parameter in row["parameters"])

    def members(self):
        named = {parameter["name"] for parameter in self.row["parameters"]
                 if not parameter["of_shell"] and parameter["form"] not in ("fields", "settings")}
        own = {name for parameter in self.row["parameters"] for name in parameter["settings"]}
        return (named | own | {self.row["subject"]} - {None}) - set(self.in_path)

    def description(self):
        rights = (" and " if self.row["all_rights"] else " or ").join(f"`{name}`" for name in self.row["rights"])
        right = "Only operators." if self.row["for_operators"] else f"Right {rights}." if len(self.row["rights"]) < ALL_RIGHTS else "Any right."
        lasting = " Not with a key that expires." if self.row["grants_access"] else ""
        password = " A user must have entered the password within the last ten minutes." if self.row["needs_password"] else ""
        with_word = "".join(f" With `{word}` a user must have entered the password within the last ten minutes." for word in self.row["password_words"])
        return f"`leadhook {self.words}`. {right}{lasting}{password}{with_word}"


ALL_RIGHTS = len(re.findall(r"\tX\(\w+, \"\w+\", ", (SOURCE / "src/identity/rights.h").read_text(encoding="utf-8")))
TABLE = json.loads(subprocess.run([BUILD / "tests/admin/print_operations"], capture_output=True, check=True).stdout)
OWN_OPERATIONS = [Operation(row) for row in TABLE if row["path"] is not None]


def properties(schema):
    found = set(schema.get("properties", ()))
    return found.union(*(properties(part) for part in schema.get("allOf", ())))


def session_calls():
    table = source("manage/session_calls.c").split("} calls[] = {")[1].split("\n};")[0]
    return {(method.lower(), path) for method, path in re.findall(r'\{ HTTP_(\w+), "([^"]+)"', table)}


def test_it_has_each_call():
    assert len(OWN_OPERATIONS) > 60
    calls = {(command.method.lower(), command.path) for command in OWN_OPERATIONS}
    assert calls | session_calls() == set(OPERATIONS)


@pytest.mark.parametrize("command", OWN_OPERATIONS, ids=lambda command: command.words.replace(" ", "-"))
def test_it_has_each_member(command):
    path, operation = OPERATIONS[command.method.lower(), command.path]
    first, *rest = command.words.split()
    assert operation["operationId"] == first + "".join(word.capitalize() for word in rest)
    assert with_sorted_rights(operation["description"]) == with_sorted_rights(command.description())
    assert [parameter["name"] for parameter in path] == command.in_path
    by_place = {place: {parameter["name"] for parameter in operation.get("parameters", ()) if parameter["in"] == place}
                for place in ("query", "header")}
    if command.method in ("GET", "DELETE"):
        assert by_place["query"] == command.members() and "requestBody" not in operation
    else:
        schemas = [media["schema"] for media in operation["requestBody"]["content"].values()]
        assert not by_place["query"] and all(properties(schema) == command.members() for schema in schemas)
        assert all(("additionalProperties" in schema) == command.takes_any for schema in schemas)
    changes = command.row["versioned"] and command.method != "GET"
    headers = {"If-None-Match": command.method == "GET", "If-Match": changes, "Idempotency-Key": command.row["effect"] in ("creates", "queues", "adds")}
    assert by_place["header"] == {name for name, takes in headers.items() if takes}
    statuses = operation["responses"]
    expected = {"201": command.row["effect"] == "creates", "202": command.row["effect"] == "queues", "304": command.method == "GET", "412": changes}
    assert {status: status in statuses for status in expected} == expected
    goes_on = "after" in command.members() and (command.method == "GET" or command.row["searches"])
    assert ("Link" in next(iter(statuses.values())).get("headers", ())) == goes_on


def test_it_has_each_problem():
    """docs/manage.md 1.2: problems of operations, of the calls themselves, and of the API around them"""
    commands = re.findall(r'X\(\w+, EX_\w+, (\d+), "(\w+)"', source("operation/operation_problem.h"))
    texts = [file.read_text(encoding="utf-8") for file in (SOURCE / "src/manage").glob("*.c")]
    layer = [found for text in texts for found in re.findall(r'(?:request_fail_status|fail_wait)\([^;]*?(?:, (\d+))?, "(\w+)"', text)]
    before = [("400", "bad_request"), ("401", "invalid_api_key"), ("403", "account_suspended"), ("413", "body_too_large"),
              ("500", "answer_too_large"), ("503", "unavailable")]
    assert len(commands) > 10 and len(layer) > 20
    programs = {(status or "429", code) for status, code in [*commands, *layer, *before]}
    documented = {(status, code) for _, operation in OPERATIONS.values() for status, answer in operation["responses"].items()
                  for code in answer.get("content", {}).get("application/problem+json", {"schema": {}})["schema"]
                  .get("allOf", [{}])[-1].get("properties", {}).get("error", {}).get("enum", ())}
    # the answer to a method that no operation has
    assert programs - documented == {("405", "method_not_allowed")} and documented <= programs
