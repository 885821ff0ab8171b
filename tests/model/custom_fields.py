# SPDX-License-Identifier: MIT
"""The custom fields of a lead in the plain model (docs/api.md 1.3, 4.3)."""
import json

from records import Refused

FIELDS_MAX, FIELDS_BYTES_MAX, PUBLIC_FIELDS_BYTES_MAX = 5, 160, 100


def merged(command, stored=None, keyed=0):
    """Return the fields (docs/api.md 1.3), and how many of them, from the first, came with a key."""
    def fit(fields, most):
        # as it is written: U+2028 is escaped, so that the text is JavaScript too
        text = json.dumps(fields, separators=(",", ":"), ensure_ascii=False).replace("\u2028", "\\u2028")
        return len(fields) <= FIELDS_MAX and len(text.encode()) <= most
    stored, with_key = stored or {}, command.get("account", 0) != 0
    given = {name: None if value is None else json.loads(value) for name, value, _ in command.get("custom_fields", [])}
    sent = {name: value for name, value in given.items() if value is not None}
    if not fit(sent, FIELDS_BYTES_MAX if with_key else PUBLIC_FIELDS_BYTES_MAX):
        raise Refused("invalid_parameter")
    names = list(stored)
    own = {name: stored[name] for name in names[:keyed] if given.get(name, "") is not None}
    public, rest = {}, {}
    for name, value in sent.items():
        others = {other: of for other, of in own.items() if other != name}
        if fit({**others, **public, name: value}, FIELDS_BYTES_MAX):
            own = others
            (own if with_key else public)[name] = value
        elif with_key:
            raise Refused("invalid_parameter")
    for name in names[keyed:]:
        if given.get(name, "") is None or name in own or name in public:
            continue
        more = {**rest, name: stored[name]}
        if fit({**own, **public, **more}, FIELDS_BYTES_MAX) and fit({**public, **more}, PUBLIC_FIELDS_BYTES_MAX):
            rest = more
    return {**own, **rest, **public}, len(own)
