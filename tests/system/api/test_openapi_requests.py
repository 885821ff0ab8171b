# SPDX-License-Identifier: MIT
"""Random requests of each operation of docs/openapi.yaml, valid and invalid: wrong types, other names, limits of numbers and texts,
Unicode, broken bodies, wrong ids and keys. The document describes each answer, and no answer is an internal error or an unavailable
service.

The requests are the same in each run. LEADHOOK_EXAMPLES=1000 sends that many others of each operation; a failure prints how to
repeat it.
"""
import json
import re
import types
import urllib.parse

import pytest
from client import multipart
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.configuration import set_hypothesis_home_dir
from openapi import METHODS, documented
from settings import TEST_SETTINGS

pytestmark = pytest.mark.slow

EXAMPLES = TEST_SETTINGS.get("LEADHOOK_EXAMPLES")
RUNS = settings(max_examples=int(EXAMPLES or 8), derandomize=EXAMPLES is None, deadline=None, database=None, print_blob=True,
                suppress_health_check=list(HealthCheck))
# A limit that calls do not reach, and calls that are off by default.
SETTINGS = [("limits", "deletes_per_account", "1000000/60s"), ("compat", "authenticate", "on"), ("metrics", "loopback", "on")]
OPERATIONS = {operation["operationId"]: (method.upper(), path, item.get("parameters", []), operation)
              for path, item in documented.document["paths"].items() for method, operation in item.items() if method in METHODS}
NEEDED = ("campaign_id", "email", "kid", "points", "tag_ids", "tag_id", "aid", "url", "event", "password", "name", "text", "subject",
          "required_points", "events", "role", "leads", "change")
WRONG_KEY = "lh_" + "0" * 43

# Texts about which parsers disagree, and texts at a limit (docs/api.md 1).
TEXTS = st.one_of(st.text(max_size=12), st.sampled_from([
    "", " ", "null", "true", "undefined", "[]", "{}", "0", "1", "-1", "+5", "5.0", "1e400", "99999", "100000", "1" * 400,
    "9223372036854775807", "9223372036854775808", "\0", "a\r\nb", "\x7f", "\u0085", "\u202e", "\ufeff", "\ufffd", "\ud800", "\udfff\ud800",
    "Ⱥ" * 64, "é" * 2048, "é" * 2049, "a" * 4096, "a" * 4097, "💌" * 1025, "' OR 1=1 --", "<script>", "%00", "../..",
    "@", "a@b", "a@b.c@d.e", "ß@straße.example", "+49", "+491701234567", "0000000000", "2026-02-30", "2026-11-21T03:38:13+25:00",
    "127.1", "http://127.1/", "https://[::1]:99999/", "javascript:x", "//x", "email", "phone", "json", "form", "redirect", "new_signup", "mp",
]))
NUMBERS = st.one_of(st.integers(),
                    st.sampled_from([0, -0.0, 1.5, 1e308, -99999, 99999, 100000, 2**31, 2**32, 2**63, 2**64, 10**400]))
SCALARS = st.one_of(st.none(), st.booleans(), NUMBERS, TEXTS)
VALUES = st.recursive(SCALARS, max_leaves=8, extend=lambda inner: st.one_of(st.lists(inner, max_size=4),
                                                                              st.dictionaries(TEXTS, inner, max_size=3)))
NAMES = st.one_of(TEXTS, st.sampled_from([
    "_x", "__URL", "utm_", "utm_source", "Plan", "custom_fields[x]", "map[email]", "map[*]", "tag_ids[]", "emails[0]", "a[b][c]", "[", "]",
    "n" * 64, "n" * 65]))


def either(*choices):
    """A value of one of the strategies, each with the same probability, however many kinds of values it has."""
    return st.sampled_from(choices).flatmap(lambda chosen: chosen)


class Caller:
    """A key, values for parameters that name the caller's objects, and tokens by the beginning of the path."""

    def __init__(self, key, values, tokens=()):
        self.key, self.values, self.tokens = key, values, dict(tokens)


def public_caller(service, account):
    campaign = service.campaign(account, pages="on")
    lead, other = campaign.leads(2)
    phone = campaign.lead(phone_number="+14155552671")["phone_number"]
    tag = campaign.define("tag", "Tag", "--points", 5)
    action = campaign.define("action", "Action", "--points", 5, "--public")
    inbound = campaign.post({"name": "Shop", "map": {"email": "email"}}, path="/inbound-webhook").json["url"]
    social_id, own = lead["social_id"], lead["status_url"].rpartition("/")[2]
    return Caller(account.key, {
        "campaign": campaign.id, "page": campaign.id, "campaign_id": campaign.id, "action_id": action, "aid": action,
        "tag_id": tag, "tag_ids": [tag],
        "tag": "Tag", "email": other["email"], "emails": [other["email"]], "phone_number": phone, "social_id": social_id, "kid": social_id,
        "social_ids": [social_id], "__token": f"{social_id}/{own}", "token": own, "probe": "0.x", "points": 1, "name": "Shop",
        "version": "0", "file": "main.js",
        "url": "https://hooks.example/1", "event": "verified", "api_key": account.key, "password": account.key,
    }, {"/inbound": inbound.rpartition("/")[2], "/opt-out": lead["unsubscribe_url"]["default"].rpartition("/")[2]})


def managing_caller(service, account):
    """A caller with its own campaign and a second key, because its calls also remove these."""
    campaign = service.campaign(account)
    social_id = campaign.lead(email="0@example.org")["social_id"]
    admin = service.installation.admin
    hook = campaign.webhook("new_signup")["referenceId"]
    inbound = campaign.post({"name": "Shop"}, path="/inbound-webhook").json["id"]
    user = admin("user", "add", "viewer@example.org", "--role", "viewer", "--account", str(account.id))["id"]
    return Caller(admin("key", "add", str(account.id), "--rights", "all")["key"], {
        "campaign": campaign.id, "campaigns": [campaign.id], "account": account.id, "key": admin("key", "add", str(account.id))["id"],
        "user": user, "webhook": hook, "inbound": inbound, "call": 1, "mail": 1, "delivery": 1, "job": 1, "kind": "welcome",
        "tag": campaign.define("tag", "Tag"), "action": campaign.define("action", "Action"),
        "reward": campaign.define("reward", "Mug", "--required-points", 5),
        "name": "New", "text": "New", "subject": "New", "required_points": 9, "points": 1, "email": "0@example.org", "role": "viewer",
        "url": "https://hooks.example/2", "events": ["verified"], "title": "Title", "limit": 5, "social_id": social_id, "leads": [social_id],
        "change": "verify",
    })


@pytest.fixture(scope="module")
def world(make_service, make_folder):
    set_hypothesis_home_dir(make_folder())  # for its tables of characters
    service = make_service(settings=SETTINGS)
    account = service.account()
    return types.SimpleNamespace(client=service.client, public=public_caller(service, account),
                                 managing=managing_caller(service, account), succeeded=set())


# ---- strategies of a schema ----

def parts(schema):
    """Return the schemas that a value must satisfy."""
    return [schema] + [inner for part in schema.get("allOf", ()) for inner in parts(part)]


def properties(schema):
    return {name: inner for part in parts(schema) for name, inner in part.get("properties", {}).items()}


def of_type(kind, schema):
    """Return values of a type, within the limits of the schema."""
    match kind:
        case "string":
            return TEXTS
        case "number":
            return NUMBERS
        case "integer":
            return st.integers(schema.get("minimum"), schema.get("maximum"))
        case "boolean":
            return st.booleans()
        case "array":
            return st.lists(valid(schema.get("items", {})), max_size=schema.get("maxItems", 5))
        case "object":
            return st.dictionaries(NAMES, SCALARS, max_size=3)
    return st.none()


def valid(schema):
    """Return values that mostly satisfy the schema."""
    choices = [inner for part in parts(schema) for inner in (*part.get("anyOf", ()), *part.get("oneOf", ()))]
    if choices:
        return st.one_of(*map(valid, choices))
    for part in parts(schema):
        if "enum" in part or "const" in part:
            return st.sampled_from(part.get("enum", [part.get("const")]))
        if "type" in part:
            kinds = [part["type"]] if isinstance(part["type"], str) else part["type"]
            return st.one_of(*(of_type(kind, part) for kind in kinds))
    return VALUES


# ---- requests ----

def fields(caller, specified):
    """Return (name, value) of some parameters from name: schema and of others, mostly after those that the call needs, which they can
    replace."""
    def values(name, schema):
        known = st.just(caller.values[name]) if name in caller.values else valid(schema)
        return st.tuples(st.just(name), either(known, known, valid(schema), VALUES))
    needed = [(name, caller.values[name]) for name in NEEDED
              if name in specified and name in caller.values and (name != "kid" or "email" not in specified)]
    others = st.lists(either(*(values(*item) for item in specified.items()), st.tuples(NAMES, VALUES)), max_size=6)
    return st.builds(list.__add__, st.sampled_from([needed, needed, []]), others)


def paths(caller, path, parameters):
    """The path with values, mostly those of objects that exist."""
    known = {**caller.values, **{"token": token for begin, token in caller.tokens.items() if path.startswith(begin)}}
    others = st.one_of(NUMBERS, TEXTS.filter(lambda text: "@" not in text and "+49" not in text))  # the web server logs the path
    chosen = {item["name"]: either(*[st.just(known[item["name"]])] * 5, others) for item in parameters}
    return st.fixed_dictionaries(chosen).map(lambda values: path.format(
        **{name: urllib.parse.quote(str(value).encode(errors="surrogatepass"), safe="") for name, value in values.items()}))


def is_mended(path):
    """docs/api.md 1.4, Copied links: whether the path of a hosted page is repaired, so that it may belong to another operation."""
    return path.startswith(("/c/", "/opt-out/")) and re.fullmatch("[A-Za-z0-9_/-]*", path) is None


def flat(pairs):
    """The fields in the form of a form or a query."""
    for name, value in pairs:
        for item in value if isinstance(value, list) else [value]:
            text = item if isinstance(item, str) else json.dumps(item)
            yield name.encode(errors="surrogatepass"), text.encode(errors="surrogatepass")


def body_of(pairs, kind, broken):
    """Return (media type, bytes)."""
    if kind == "application/x-www-form-urlencoded":
        data = urllib.parse.urlencode(list(flat(pairs))).encode()
    elif kind == "multipart/form-data":
        line = str.maketrans("", "", '\r\n"')
        kind, data = multipart([(name.decode(errors="replace").translate(line), value) for name, value in flat(pairs)])
    else:
        data = json.dumps(dict(pairs)).encode()
    return kind, data[:len(data) // 2] + b"\xff{" if broken else data


def requests(caller, path, in_path, operation):
    """Return arguments of Client.request for this operation."""
    media = operation.get("requestBody", {}).get("content", {})
    in_body = properties(next(iter(media.values()))["schema"]) if media else {}
    in_query = dict(in_body)
    for parameter in operation.get("parameters", ()):
        if parameter["in"] == "header":
            continue
        in_query.update(properties(parameter["schema"]) if "style" in parameter else {parameter["name"]: parameter["schema"]})
    kinds = st.sampled_from([*media] * 3 + ["application/json", "text/plain", "application/xml", "application/json; charset=utf-16", ""])
    query = fields(caller, in_query).map(lambda pairs: urllib.parse.urlencode(list(flat(pairs)))[:40000])
    body = st.builds(body_of, fields(caller, in_body), kinds, st.sampled_from([False] * 9 + [True]))
    return st.fixed_dictionaries({
        "path": paths(caller, path, in_path),
        "query": either(st.none(), st.none(), st.none(), query) if media else query,
        "body": body if media else st.just((None, None)),
        "key": st.sampled_from([caller.key] * 6 + [None, None, WRONG_KEY, "x"]),
    })


def removes(name):
    """A sort key: removals are last, and that of the campaign comes after all others."""
    method, path, *_ = OPERATIONS[name]
    return path.startswith("/manage/") and method == "DELETE", name == "campaignRemove"


@pytest.mark.parametrize("name", sorted(OPERATIONS, key=removes))
def test_any_request_gets_a_documented_answer(world, name):
    method, *specified = OPERATIONS[name]
    caller = world.managing if specified[0].startswith("/manage/") else world.public

    @RUNS
    @given(sent=requests(caller, *specified))
    def send(sent):
        kind, body = sent.pop("body")
        response = world.client.request(method, body=body, type=kind or None, **sent)
        problems = documented.problems[:]
        documented.problems.clear()
        assert response.status < 500 and (not problems or is_mended(sent["path"])), (response, problems)
        if response.status < 400:
            world.succeeded.add(name)
    send()


def test_most_operations_succeeded(world):
    """operations that never succeed need mails, a token or a correct code"""
    assert len(world.succeeded) >= 50, OPERATIONS.keys() - world.succeeded
