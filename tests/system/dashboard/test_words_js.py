# SPDX-License-Identifier: MIT
"""docs/dashboard.md: src/dashboard/web/words.js has a text for each code of the API, and for no other code. The codes are those in the
tables of src and in docs/openapi.yaml."""
import json
import re
import subprocess

import pytest
from openapi import load
from tree import BUILD, SOURCE

TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|`(?:[^`\\]|\\.)*`|//[^\n]*|/\*.*?\*/|[\w$.]+|[^\s\w]', re.S)


def source(path):
    return (SOURCE / path).read_text(encoding="utf-8")


def keys_of(begin):
    """The names in the object that follows a match of this pattern."""
    _, text = re.split(begin, source("src/dashboard/web/words.js"))
    tokens = [token for token in TOKEN.findall(text) if not token.startswith(("//", "/*"))]
    depth, keys = 0, []
    for place, token in enumerate(tokens):
        depth += (token in "{[(") - (token in "}])")
        if depth == 0:
            break
        if depth == 1 and tokens[place + 1] == ":" and tokens[place - 1] in "{,":
            keys.append(token.strip('"'))
    assert keys and len(keys) == len(set(keys)), keys
    assert begin.startswith((r"\treturn", "VERBS", "NOUNS")) or "__proto__" in keys, "codes may come from visitors"
    return set(keys) - {"__proto__"}


def found(path, pattern, within=None):
    """Return the matches of the pattern in a file, or only those within the match of another pattern."""
    text = source(path)
    if within is not None:
        text = re.search(within, text, re.S)[0]
    codes = {code for groups in re.findall(pattern, text, re.S) for code in ([groups] if isinstance(groups, str) else groups) if code}
    assert codes, (path, pattern)
    return codes


def named(path, function):
    """Return the codes in a function."""
    return found(path, r'SLICE\("(\w+)"\)', rf"\n{function}\(.*?\n\}}")


def table(path, name):
    return found(path, r'SLICE\("(\w+)"\)', rf"{name}\[\w*\] = \{{.*?\n\t?\}};")


def schema(name):
    return set(load()["components"]["schemas"][name]["enum"])


def errors_of_attempts():
    return table("src/deliver/send/transfer.c", "error_names") | found("src/store/queue/outcomes.c", r'fail_locked\([^;]*?SLICE\("(\w+)"\)')


def reasons_of_mails():
    """Return the reasons why a mail or a text failed, was dropped, or waits, in addition to the errors of attempts."""
    reasons = set()
    for path in ("mail/mail_preparation.c", "mail/mailer.c", "texts/texter.c"):
        reasons |= found(f"src/deliver/{path}", r'(?:outbox_end|end|end_untried|fail)\([^;]*?"(\w+)"\)')
    for path in ("deliver/mail/mail_preparation.c", "deliver/texts/texter.c", "compose/subject.c"):
        reasons |= named(f"src/{path}", "reason_to_drop")
    reasons |= found("src/os/metrics_labels.h", r'DROPPED_\w+, "(\w+)"')
    reasons |= found("src/deliver/mail/mail_judge.c", r'judgement\(MAIL_\w+, [^")]*"(\w+)"(?: : "(\w+)")?\)|\{ "(\w+)", MAIL_\w+ \}')
    reasons |= named("src/deliver/texts/gateway.c", "gateway_refusal") | table("src/deliver/texts/texter.c", "limit_names")
    return reasons | found("src/compose/subject.c", r'\*drop = SLICE\("(\w+)"\)')


def audited():
    """Return the operations of the audit log: commands that change something, and calls about the user's own login."""
    operations = found("src/manage/session_calls.c", r'\.operation = "([a-z ]+)"')
    table = json.loads(subprocess.run([BUILD / "tests/admin/print_operations"], capture_output=True, check=True).stdout)
    operations |= {row["words"] for row in table if row["effect"] not in ("reads", "prepares")}
    return operations


@pytest.mark.parametrize("begin, codes", [
    ("SOURCES = ", lambda: table("src/engine/source.c", "source_class_names")),
    ("FRAUD_REASONS = ", lambda: found("src/engine/decide/fraud.c", r'(?:&flags,|define \w+|:) SLICE\("(\w+)"\)')),
    ("SCORE_REASONS = ", lambda: found("src/engine/model.h", r'X\(\w+, "(\w+)"\)')),
    ("LEAD_CHANGES = ", lambda: found("src/engine/command.h", r'X\(\w+, "(\w+)"\)') - {"points"}),
    ("MAILS = ", lambda: found("src/engine/message.h", r'X\(\w+, "(\w+)"\)')),
    ("MAIL_REASONS = ", reasons_of_mails),
    ("EVENTS = ", lambda: schema("EventName")),
    ("ERRORS = ", errors_of_attempts),
    (r"\treturn (?=\{)", lambda: named("src/admin/webhooks/delivery_operations.c", "delivery_waits_for")),
    ("ROLES = ", lambda: schema("Role")),
    ("RIGHTS = ", lambda: schema("Right")),
], ids=["sources", "flags", "scores", "changes of leads", "mails", "reasons of mails", "events", "errors", "waits", "roles", "rights"])
def test_texts_of_codes(begin, codes):
    """each code has a text, and each text a code"""
    assert keys_of(begin) == codes()


def test_operations_of_the_audit_log():
    """each operation has its own text, or consists of a known noun and a known verb"""
    operations = audited()
    texts, verbs, nouns = (keys_of(f"{name} = ") for name in ("OPERATIONS", "VERBS", "NOUNS"))
    assert texts <= operations, "these are not in the audit log"
    words = [operation.split() for operation in operations - texts]
    assert all(len(pair) == 2 for pair in words), words
    assert {verb for noun, verb in words} == verbs
    assert nouns <= {noun for noun, verb in words}
