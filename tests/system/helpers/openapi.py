# SPDX-License-Identifier: MIT
"""Checks that answers of the service are as described in docs/openapi.yaml: status, media type, headers and body.

Each answer that the tests' client gets is checked. A body with the same names and types as an earlier valid one is not validated
again, because the tests get some hundred thousand answers."""
import json
import re
import urllib.parse

import jsonschema

from tree import SOURCE

FILE = SOURCE / "docs/openapi.json"
METHODS = ("get", "post", "patch", "delete")
OPEN = ("custom_fields", "utm", "map")  # objects with any names
# 409: POST /v2/1/unknown. Below /manage/v1, the caller is authenticated before the path is examined (docs/manage.md 1.2).
UNKNOWN_PATH, UNKNOWN_METHOD = (401, 403, 404, 405, 409, 429, 503), (401, 403, 404, 405, 429, 503)


def load():
    """The document with its references replaced by their targets."""
    document = json.loads(FILE.read_text(encoding="utf-8"))
    made = {}

    def inline(node):
        if isinstance(node, list):
            return [inline(item) for item in node]
        if not isinstance(node, dict):
            return node
        reference = node.get("$ref")
        if reference is None:
            return {name: inline(value) for name, value in node.items()}
        if reference not in made:
            target = document
            for part in reference.split("/")[1:]:
                target = target[part]
            made[reference] = inline(target)
        return made[reference]
    return inline(document)


def shape(value, name=None):
    """Names and types of a JSON value; error codes stay as they are, because schemas list them."""
    if isinstance(value, dict):
        values = (shape(inner, key) for key, inner in value.items())
        return frozenset(values) if name in OPEN else (dict, *zip(value, values))
    if isinstance(value, list):
        return (list, frozenset(map(shape, value)))
    return value if name == "error" else type(value)


class Operation:
    def __init__(self, name, specification):
        self.name = name
        self.answers = {}
        for status, answer in specification["responses"].items():
            media = {kind: jsonschema.Draft202012Validator(content["schema"]) if "json" in kind else None
                     for kind, content in answer.get("content", {}).items()}
            self.answers[status] = (media, answer.get("headers", {}))


class Documented:
    """The document. `problems`: the answers so far that it does not describe."""

    def __init__(self):
        self.document = load()
        self.problems = []
        self.seen = set()  # (operation, status)
        self._valid = set()
        self._paths = [(self._pattern(path), {method.upper(): Operation(item[method]["operationId"], item[method])
                                              for method in METHODS if method in item})
                       for path, item in self.document["paths"].items()]
        self._paths.sort(key=lambda entry: entry[0].groups)  # paths without placeholders have priority
        self._error = jsonschema.Draft202012Validator(self.document["components"]["schemas"]["Error"])

    @staticmethod
    def _pattern(path):
        literal = re.sub(r"\\\{(\w+)\\\}", lambda name: r"(0|[1-9]\d*)" if name[1] in ("campaign", "page") else "([^/]+)", re.escape(path))
        return re.compile(literal)

    def operations(self, path):
        """The operations of a path by method; None: the path is unknown (docs/api.md 1.1)."""
        parts = [urllib.parse.unquote(part, errors="replace") for part in path.partition("?")[0].split("/") if part]
        if any("/" in part or "\0" in part or part in (".", "..") for part in parts):
            return None
        return next((operations for pattern, operations in self._paths if pattern.fullmatch("/" + "/".join(parts))), None)

    def check(self, method, path, response):
        """Adds to `problems` if the document does not describe this answer."""
        problem = self._judge(method, path, response)
        if problem is not None:
            self.problems.append(f"{method} {path}: {response.status} {response.body[:300]!r}: {problem}")

    def _judge(self, method, path, response):
        if "X-Request-Id" not in response.headers:
            return None  # an error of the web server, which depends on its configuration: docs/operating.md 5.1
        operations = self.operations(path)
        if method == "OPTIONS":
            return None if (response.status, response.body) == (204, b"") else "a preflight is 204"
        operation = (operations or {}).get("GET" if method == "HEAD" else method)
        if operation is None:
            return self._judge_unknown(operations is not None, response)
        answer = operation.answers.get(str(response.status))
        if answer is None:
            return f"{operation.name} has no such status"
        self.seen.add((operation.name, response.status))
        return self._judge_headers(answer[1], response) or self._judge_body(operation, answer[0], method, response)

    def _judge_unknown(self, path_is_known, response):
        kind = response.headers.get_content_type()
        if path_is_known and response.status == 405 and not response.headers.get("Allow"):
            return "Allow is missing"
        if response.status not in (UNKNOWN_METHOD if path_is_known else UNKNOWN_PATH):
            return "an unknown path or method"
        if kind == "application/json" and response.body:
            return next((error.message for error in self._error.iter_errors(response.json)), None)
        return None

    @staticmethod
    def _judge_headers(headers, response):
        for name, header in headers.items():
            value = response.headers.get(name)
            if value is None:
                if header.get("required"):
                    return f"{name} is missing"
                continue
            schema = header["schema"]
            if schema["type"] == "integer" and not value.isdigit():
                return f"{name} is no number"
            value = int(value) if schema["type"] == "integer" else value
            if value != schema.get("const", value) or (schema["type"] == "integer" and value < schema.get("minimum", value)):
                return f"{name} is wrong"
        return None

    def _judge_body(self, operation, media, method, response):
        if not media or (not response.body and method == "HEAD"):
            return "it has a body" if response.body and not media else None
        kind = response.headers.get_content_type()
        if kind not in media:
            return f"{operation.name} has no {kind}"
        if kind != "text/plain" and response.headers.get_content_charset() != "utf-8":
            return "its charset is not UTF-8"
        if media[kind] is None:
            return None
        body = response.json
        key = (operation.name, response.status, shape(body))
        if key in self._valid:
            return None
        error = jsonschema.exceptions.best_match(media[kind].iter_errors(body))
        if error is not None:
            return f"{operation.name}: {error.json_path}: {error.message[:300]}"
        self._valid.add(key)
        return None


documented = Documented()
