# SPDX-License-Identifier: MIT
"""docs/manage.md 2, docs/users.md 2: each call × each right, account, campaign and role. What is expected follows from the table alone.

No call changes anything: if the caller may make it, it fails because of its arguments, which are not valid.
"""
import itertools
import re

import pytest
from caller import MANAGE, Caller, User
from rights import RIGHTS, World, all_operations
from stack.process import run

ROLES = {"operator": RIGHTS, "owner": RIGHTS, "editor": RIGHTS[:-1], "viewer": ["stats", "leads"]}
ALLOWED = {"GET": (406, "unknown_field"), "DELETE": (406, "unknown_field"), "POST": (400, "invalid_json"), "PATCH": (400, "invalid_json")}
ACCOUNTS = {"account", "key", "user"}  # path parameters of what belongs to an account itself
NO_OBJECTS = {"kind", "social_id"}


class Case:
    """A caller, and what it may do."""

    def __init__(self, name, rights, call, *, operator=False, foreign=False, limited=False, suspended=False):
        self.name, self.rights, self.call = name, rights, call
        self.operator, self.foreign, self.limited, self.suspended = operator, foreign, limited, suspended

    def expected(self, operation, inside):
        """Returns (status, error) of the operation on the objects of a campaign. `inside`: whether it is the campaign to which the caller
        may be limited."""
        names = set(re.findall(r"\{(\w+)\}", operation.path)) - NO_OBJECTS
        if self.suspended:
            return 403, "account_suspended"
        if not operation.allows(self.rights):
            return 403, "missing_right"
        if operation.operators and not self.operator:
            return 403, "operator_only"
        if names and (self.foreign or (self.limited and not inside and not names & ACCOUNTS)):
            return 404, "not_found"
        if self.limited and names & ACCOUNTS:
            return 403, "missing_right"
        return ALLOWED[operation.method]


@pytest.fixture(scope="module")
def world(service):
    return World(service)


@pytest.fixture(scope="module")
def operations(service):
    return all_operations(service.installation)[0]


@pytest.fixture(scope="module")
def callers(service, world):
    def key(account, *words):
        text = service.installation.admin("key", "add", str(account), *map(str, words))["key"]
        caller = Caller(service, text)
        return lambda method, path, **sent: caller(method, path.removeprefix(MANAGE), **sent)

    numbers = itertools.count()

    def user(role, *words):
        made = User(service, f"user{next(numbers)}@example.org", "--role", role, *words).ready()
        return lambda method, path, **sent: made(method, path.removeprefix(MANAGE), **sent)
    own, other, late = world.account.id, service.account("Other").id, service.account("Late").id
    suspended = key(late, "--rights", "all"), user("owner", "--account", late)
    service.installation.admin("account", "suspend", str(late))
    made = [Case(f"a key with {right}", [right], key(own, "--rights", right)) for right in RIGHTS]
    made += [Case(f"a user: {role}", rights, user(role, *([] if role == "operator" else ["--account", own])), operator=role == "operator")
             for role, rights in ROLES.items()]
    made += [Case("a key of one campaign", RIGHTS, key(own, "--rights", "all", "--campaigns", world.inside["campaign"]), limited=True),
             Case("an editor of one campaign", ROLES["editor"], user("editor", "--account", own, "--campaigns", world.inside["campaign"]),
                 limited=True),
             Case("another account's key", RIGHTS, key(other, "--rights", "all"), foreign=True),
             Case("another account's owner", RIGHTS, user("owner", "--account", other, "--name", "Else"), foreign=True),
             Case("a suspended account's key", RIGHTS, suspended[0], suspended=True),
             Case("a suspended account's owner", RIGHTS, suspended[1], suspended=True)]
    return made


def test_every_cell(world, operations, callers):
    """docs/manage.md 2: each caller may do exactly what the table says"""
    wrong = []
    for operation, case, inside in itertools.product(operations, callers, (True, False)):
        if not inside and not case.limited:
            continue
        objects = world.inside if inside else world.outside
        path = MANAGE + re.sub(r"\{(\w+)\}", lambda name: str(objects[name[1]]), operation.path)
        sent = {"body": []} if operation.method in ("POST", "PATCH") else {"query": {"no_such_field": "1"}}
        answer = case.call(operation.method, path, **sent)
        found = answer.status, answer.json["error"]
        if found != case.expected(operation, inside):
            wrong.append((operation.words, case.name, "inside" if inside else "outside", found, case.expected(operation, inside)))
    assert not wrong, "\n".join(map(str, wrong))


# Objects that a field or an option names, not the path.
NAMED = {**{name: name for name in ("account", "campaign", "tag", "webhook", "user")}, "deliveries": "delivery", "mails": "mail"}


def test_objects_outside_the_path(service, world, operations, callers):
    """docs/manage.md 2: a field or option cannot name an object that the caller does not see, either"""
    foreign = World(service, "Foreign").inside
    program, wrong, tried = service.installation.program("leadhook"), [], set()
    for operation in operations:
        options = re.findall(r"^  --(\w+) ID ", run("help", [program, "help", *operation.words.split()]), re.M)
        fields = [field.removesuffix("...") for field in operation.fields]
        names = NAMED.keys() & {*options, *fields} - {*re.findall(r"\{(\w+)\}", operation.path)}
        path = MANAGE + re.sub(r"\{(\w+)\}", lambda name: str(world.inside[name[1]]), operation.path)
        for name, case in itertools.product(sorted(names), callers):
            if case.operator or case.foreign or case.expected(operation, inside=True) != ALLOWED[operation.method]:
                continue
            others = [foreign, world.outside] if case.limited and name not in ACCOUNTS else [foreign]
            for id in (other[NAMED[name]] for other in others):
                value = [id] if name + "..." in operation.fields else id
                sent = {"body": {name: value}} if operation.method in ("POST", "PATCH") else {"query": {name: str(value)}}
                answer = case.call(operation.method, path, **sent)
                tried.add((operation.words, name))
                if (answer.status, answer.json["error"]) != (404, "not_found"):
                    wrong.append((operation.words, name, case.name, answer.status, answer.json))
    assert not wrong, "\n".join(map(str, wrong))
    assert {name for _, name in tried} == NAMED.keys() and len(tried) > 15, tried


def test_no_caller(service, world, operations):
    """docs/manage.md 1.2: without a key or a session every call is 401"""
    for operation in operations:
        path = MANAGE + re.sub(r"\{(\w+)\}", lambda name: str(world.inside[name[1]]), operation.path)
        assert service.client.request(operation.method, path).status == 401, operation.words


def test_lists_without_a_path_parameter(service, world, callers):
    """docs/manage.md 2: lists show only what the caller may see"""
    for case in callers:
        campaigns = [row["id"] for row in (case.call("GET", MANAGE + "campaigns").json if not case.suspended else [])]
        if case.limited:
            assert campaigns == [world.inside["campaign"]], case.name
        elif case.foreign or case.suspended:
            assert not campaigns, case.name
        else:
            assert {world.inside["campaign"], world.outside["campaign"]} <= set(campaigns), case.name
