# SPDX-License-Identifier: MIT
"""docs/openapi.yaml has each route, parameter, field and failure of the programs' tables, and no others; the service serves it (docs/api.md
4.1, `GET /openapi.json`)."""
import email.message
import functools
import gzip
import importlib.machinery
import importlib.util
import json
import re

import jsonschema
import pytest
from client import Response
from openapi import METHODS, Documented
from routes import all_routes, bulk_words, rows
from tree import SOURCE

DOCUMENT = json.loads((SOURCE / "docs" / "openapi.json").read_text(encoding="utf-8"))
MANAGE = "/manage/v1/"
ALL = {operation["operationId"]: (method, path, operation) for path, item in DOCUMENT["paths"].items()
       for method, operation in item.items() if method in METHODS}
OPERATIONS = {name: found for name, found in ALL.items() if not found[1].startswith(MANAGE)}

# The groups of src/api/call/param_names.h that the handler of the operation reads.
ONE_LEAD = "LEAD VIEW"
SIGN_UP = "SIGNUP OWNER BOTS VIEW SIGNUP_POINTS ANSWER"
GROUPS = {
    "signUp": SIGN_UP,
    "signUpToNamedCampaign": SIGN_UP + " CAMPAIGN",
    "subscribe": SIGN_UP,
    "subscribeByGet": SIGN_UP + " CALLBACK",
    "subscribeToNamedCampaign": SIGN_UP + " CAMPAIGN",
    "signUpByOlderPath": SIGN_UP,
    "submitSignUpPage": SIGN_UP,
    "lookUp": ONE_LEAD,
    "lookUpInNamedCampaign": ONE_LEAD + " CAMPAIGN",
    "info": ONE_LEAD + " CALLBACK",
    "lookUpByPath": "VIEW OWNER",
    "listLeads": "VIEW FILTER",
    "listLeaders": "LEADERS",
    "verifyPhoneNumber": "LEAD CODE",
    "addPoints": "POINTS LEADS",
    "completeAction": "LEAD",
    "completeActionFromPage": "ACTION",
    "tagLead": "SIGNUP VIEW",
    "deleteLeads": "LEADS",
    "optOutLeads": "LEADS",
    "optOutLeadsOfTexts": "LEADS",
    "optInLeadsToTexts": "LEADS",
    "verifyLeads": "LEADS CHANNEL",
    "unverifyLeads": "LEADS CHANNEL",
    "approveLeads": "LEADS",
    "blockLeads": "LEADS REASON",
    "waitlistLeads": "LEADS",
    "unwaitlistLeads": "LEADS",
    "tagLeads": "LEADS TAG",
    "addTagsToLeads": "LEADS TAGS",
    "addTagsToReferrers": "LEADS TAGS",
    "tagReferrers": "LEADS",
    "putWebhook": "WEBHOOK_URL WEBHOOK",
    "deleteWebhook": "WEBHOOK_URL",
    "putInboundWebhook": "INBOUND",
    "deleteInboundWebhook": "INBOUND_NAME",
    "authenticate": "PASSWORD",
    "confirm": "CONFIRM",
    "erase": "CONFIRM",
    "optOut": "ONE_CLICK",
}
# Parameters that are read by their name, without the table.
NAMED = {
    "optOutByLink": {"safe"},
    "showSignUpPage": {"kid"},
    "getForm": {"language"},
    "pressStatusPage": {"resend", "complete"},
    "showCodePage": {"email", "phone_number", "country_code"},
    "submitCode": {"email", "phone_number", "country_code", "code", "resend"},
    "requestErasure": {"email"},
    **{name: {"v"} for name in ("getCampaignStyle", "getPageStyle", "getPageScript", "getEmbedScript", "getSignUpBarScript", "getSnippetScript",
                             "getWidgetScript", "getAnyFormScript", "getAnyFormSettings")},
}


def source(name):
    return (SOURCE / "src" / name).read_text(encoding="utf-8")


def resolved(node):
    """The object itself, or the object to which it refers."""
    while "$ref" in node:
        node = functools.reduce(lambda at, part: at[part], node["$ref"].split("/")[1:], DOCUMENT)
    return node


def names(schema):
    """Return the names of the properties of a request's schema."""
    schema = resolved(schema)
    return set(schema.get("properties", ())).union(*map(names, schema.get("allOf", ())))


def parameters_of_groups(groups):
    """Return the names in those lines of PARAM_LIST that have one of the groups."""
    rows = re.findall(r"\bX\(PARAM_\w+, (GROUP_[A-Z_ |]+), \w+, (SLICE\(.*\))\)", source("api/call/param_names.h"))
    assert len(rows) > 60
    wanted = {"GROUP_" + group for group in groups.split()}
    return {name for row in rows if wanted & set(row[0].split(" | ")) for name in re.findall(r'SLICE\("([^"]+)"\)', row[1])}


def test_it_has_each_route():
    documented = {(method.upper(), path[1:]) for method, path, _ in OPERATIONS.values()}
    assert documented == set(all_routes())


@pytest.mark.parametrize("name", OPERATIONS)
def test_it_has_each_parameter(name):
    method, path, operation = OPERATIONS[name]
    groups = GROUPS.get(name, "")
    body = resolved(operation.get("requestBody", {}))
    schemas = [names(media["schema"]) for kind, media in body.get("content", {}).items() if kind != "text/plain"]
    query = [resolved(parameter) for parameter in operation.get("parameters", ())]
    given = set().union(*schemas)
    for parameter in query:  # a parameter that stands for all others has no name
        given |= names(parameter["schema"]) if "style" in parameter else {parameter["name"]}
    read = parameters_of_groups(groups) | NAMED.get(name, set())
    if "SIGNUP" in groups.split():
        read.add("custom_fields")
    takes_key = any("api_key" in way for way in operation.get("security", DOCUMENT["security"]))
    if takes_key and ("requestBody" in operation or "SIGNUP" in groups.split()):  # for GET, it is a way to authenticate
        read.add("api_key")
    assert given == read
    in_path = {resolved(parameter)["name"] for parameter in DOCUMENT["paths"][path].get("parameters", ())}
    assert in_path == set(re.findall(r"\{(\w+)\}", path))


def test_each_group_is_in_an_operation():
    """all groups but those of every call (KEY) and of no call (IGNORED, docs/api.md 1.6)"""
    groups = set(re.findall(r"\bGROUP_(\w+) = ", source("api/call/param_names.h"))) - {"KEY", "IGNORED"}
    assert groups == {group for words in GROUPS.values() for group in words.split()}


def test_keys_may_lack_rights():
    """docs/api.md 3: a route that needs a right can answer 403"""
    limited = [(method, path) for method, path, rest in rows() if not re.search(r"\bRIGHTS_(NONE|ALL)\b", rest)]
    bulk = [("POST", "v2/{campaign}/" + word) for word in bulk_words()]
    assert len(limited) > 20
    for method, path in limited + bulk:
        answer = DOCUMENT["paths"]["/" + path][method.lower()]["responses"].get("403")
        content = resolved(answer)["content"]
        assert "application/json" not in content or "missing_right" in json.dumps(resolved(content["application/json"]["schema"])), path


def test_leads_have_each_field():
    """docs/api.md 4.5: the schema of a lead has each field of the payload"""
    payload = source("engine/payload.c")
    lead = payload[payload.index("\nput_unsubscribe_url("):payload.index("\nwrite_event(")]
    written = set(re.findall(r'(?:json_put_\w+|json_name|put_pair|put_number(?:_if)?)\(\s*&?r(?:->writer)?, SLICE\("(\w+)"\)', lead))
    fields = re.findall(r"X\(\w+, (\w+), \w+, \w+, (PERSONAL|FULL_VIEW)\)", source("engine/model_fields.h"))
    assert len(written) > 40 and len(fields) > 5
    written |= {name for name, _ in fields}

    def all_names(schema):
        schema = resolved(schema)
        inner = [*schema.get("properties", {}).values(), *schema.get("anyOf", ()), *schema.get("allOf", ()),
                 *([schema["items"]] if "items" in schema else [])]
        return set(schema.get("properties", ())).union(*map(all_names, inner))
    assert all_names(DOCUMENT["components"]["schemas"]["Lead"]) == written | {"direct", "indirect", "ignored", "error", "message"}


def test_it_has_each_failure():
    """docs/api.md 2: each error code is in the document"""
    failures = set(re.findall(r"X\(\w+, (\d+), \"(\w+)\"", source("engine/failure.h")))
    assert len(failures) > 40
    assert set(DOCUMENT["components"]["schemas"]["ErrorCode"]["enum"]) == {code for _, code in failures}

    def codes(schema):
        schema = resolved(schema)
        inner = [*schema.get("oneOf", ()), *schema.get("allOf", ())]
        narrowed = [part["properties"]["error"]["enum"] for part in inner if "enum" in part.get("properties", {}).get("error", {})]
        own = [schema["properties"]["error"]["enum"]] if "enum" in schema.get("properties", {}).get("error", {}) else narrowed
        return set().union(*own) if own else set().union(*map(codes, inner))
    documented = {(status, code) for _, _, operation in OPERATIONS.values() for status, answer in operation["responses"].items()
                  if status[0] in "45" and "application/json" in resolved(answer)["content"]
                  for code in codes(resolved(answer)["content"]["application/json"]["schema"])}
    # the document has no operation for a wrong method
    assert failures - documented == {("405", "method_not_allowed")} and documented <= failures


def test_it_has_the_events():
    """docs/api.md 4.7: each event is in the document"""
    assert DOCUMENT["components"]["schemas"]["EventName"]["enum"] == re.findall(r'X\(\w+, "(\w+)"\)', source("engine/events.h"))


def test_examples_are_valid():
    """The examples of requests and answers are valid for their schemas"""
    def media_types(node):
        if isinstance(node, list):
            return [found for item in node for found in media_types(item)]
        if not isinstance(node, dict):
            return []
        own = [node] if "schema" in node and ("example" in node or "examples" in node) else []
        return own + [found for item in node.values() for found in media_types(item)]
    found = media_types(Documented().document)
    assert len(found) > 30
    for media in found:
        for value in [example["value"] for example in media.get("examples", {}).values()] or [media["example"]]:
            jsonschema.validate(value, media["schema"], jsonschema.Draft202012Validator)


def test_the_json_is_made_of_the_yaml():
    pytest.importorskip("yaml")
    loader = importlib.machinery.SourceFileLoader("make_openapi", str(SOURCE / "scripts" / "openapi"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("make_openapi", loader))
    loader.exec_module(module)
    assert DOCUMENT == module.document(), "docs/openapi.json is old: scripts/openapi >docs/openapi.json"


# ---- the check of all answers that the tests get ----

HEALTHY = {"X-Request-Id": "1", "Content-Type": "application/json; charset=utf-8"}
LEADS = b'{"leads":[],"next":null}'


@pytest.mark.parametrize("method, path, status, headers, body, problem", [
    ("GET", "/health", 200, {}, b'{"status":"ok"}', None),
    ("GET", "/health", 200, {}, b'{"status":"fine"}', "'ok' was expected"),
    ("GET", "/health", 200, {}, b'{"status":"ok","since":1}', "Additional properties"),
    ("GET", "/health", 200, {"Content-Type": "text/html; charset=utf-8"}, b"ok", "health has no text/html"),
    ("GET", "/health", 200, {"Content-Type": "application/json"}, b'{"status":"ok"}', "its charset"),
    ("GET", "/health", 503, {}, b"{}", "health has no such status"),
    ("GET", "/health", 503, {"X-Request-Id": None}, b"<html>", None),  # an answer of a web server
    ("HEAD", "/health", 200, {}, b"", None),
    ("POST", "/health", 405, {"Allow": "GET"}, b'{"message":"","error":"method_not_allowed"}', None),
    ("POST", "/health", 405, {}, b'{"message":"","error":"method_not_allowed"}', "Allow is missing"),
    ("POST", "/health", 200, {}, b'{"status":"ok"}', "an unknown path or method"),
    ("OPTIONS", "/health", 200, {}, b"", "a preflight is 204"),
    ("GET", "//v2//1/leads?limit=1", 200, {}, LEADS, None),
    ("GET", "/v2/01/leads", 200, {}, LEADS, "an unknown path or method"),
    ("GET", "/v2/1/leads", 404, {}, b'{"message":"","error":"lead_not_found"}', "lead_not_found"),
    ("GET", "/health/ready", 503, {"Retry-After": "5"}, b'{"message":"","error":"unavailable"}', None),
    ("GET", "/health/ready", 503, {"Retry-After": "0"}, b'{"message":"","error":"unavailable"}', "Retry-After is wrong"),
    ("GET", "/health/ready", 503, {"Retry-After": "soon"}, b'{"message":"","error":"unavailable"}', "Retry-After is no number"),
    ("GET", "/health/ready", 503, {}, b'{"message":"","error":"unavailable"}', "Retry-After is missing"),
])
def test_answers_are_checked(method, path, status, headers, body, problem):
    message = email.message.Message()
    for name, value in {**HEALTHY, **headers}.items():
        if value is not None:
            message[name] = value
    documented = Documented()
    documented.check(method, path, Response(status, message, body))
    assert len(documented.problems) == (problem is not None) and (problem is None or problem in documented.problems[0])


def test_a_valid_body_does_not_hide_a_bad_one():
    """A body with other names, other types or another error code is detected."""
    documented = Documented()
    message = email.message.Message()
    for name, value in HEALTHY.items():
        message[name] = value
    bodies = [b'{"message":"","error":"campaign_not_found"}', b'{"message":"","error":"lead_not_found"}',
              b'{"message":1,"error":"campaign_not_found"}', b'{"message":"","error":"campaign_not_found","more":1}']
    for body in bodies:
        documented.check("GET", "/v2/1/stats", Response(404, message, body))
    assert len(documented.problems) == 3


# ---- the document that the service has ----

def test_it_is_served(service):
    """every caller gets the same bytes, compressed if it accepts that; a cache can check whether they have changed"""
    answer = service.client.request("GET", "/openapi.json")
    assert answer.status == 200 and answer.body == (SOURCE / "docs" / "openapi.json").read_bytes()
    assert answer.headers["Content-Type"] == "application/json; charset=utf-8"
    assert answer.headers["Access-Control-Allow-Origin"] == "*" and answer.headers["Cache-Control"] == "public, max-age=3600"
    packed = service.client.request("GET", "/openapi.json", headers={"Accept-Encoding": "br, gzip"})
    assert packed.headers["Content-Encoding"] == "gzip" and gzip.decompress(packed.body) == answer.body
    assert len(packed.body) < len(answer.body) / 5 and packed.headers["ETag"] != answer.headers["ETag"]
    assert packed.headers["Vary"] == answer.headers["Vary"] == "Accept-Encoding" and "Content-Encoding" not in answer.headers
    for tag in (answer.headers["ETag"], packed.headers["ETag"]):
        again = service.client.request("GET", "/openapi.json", headers={"If-None-Match": tag, "Accept-Encoding": "gzip"})
        assert (again.status, again.body) == (304, b"")
    assert service.client.request("POST", "/openapi.json", body=b"").status == 405
