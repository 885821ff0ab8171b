/* SPDX-License-Identifier: MIT
 * Which values of a payload become which parameters of a sign-up (docs/inbound.md 3). */
#ifndef LEADHOOK_WEBHOOK_MAPPING_H
#define LEADHOOK_WEBHOOK_MAPPING_H

#include "webhook/document.h"

enum { MAPPING_RULES_MAX = 50, MAPPING_TARGET_MAX_BYTES = 64, MAPPING_PATH_MAX_BYTES = 255, MAPPING_FIELDS_MAX = 1000 };

/* The text of a message from a phone: no parameter, but what the call does (docs/inbound.md 3.1). */
#define MAPPING_TEXT SLICE("__text")

struct mapping_rule {
	struct slice target; /* a parameter or a custom field; "*": the plain members of the object at the path */
	struct slice path;   /* "*": the whole payload */
};

struct payload_map {
	struct mapping_rule *rules; /* targets are unique */
	size_t count;               /* 0: the obvious names */
};

/* NULL, or why this cannot be a rule, to follow its name in a message: "is not a parameter of a sign-up". */
MUST_CHECK const char *mapping_check(struct slice target, struct slice path);
/* Adds a rule that was checked, or replaces the one with this target. Returns false when there are too many. */
MUST_CHECK bool mapping_add(struct pool *pool, struct payload_map *mapping, struct slice target, struct slice path);
/* As a JSON object; absent without rules. */
struct slice mapping_write(struct pool *pool, const struct payload_map *mapping);
/* Reads what mapping_write wrote. An absent text has no rules. Returns false when it is damaged. */
MUST_CHECK bool mapping_parse(struct pool *pool, struct slice text, struct payload_map *mapping);

struct mapped_field {
	struct slice target, path;
	const struct document_node *value; /* plain */
	bool optional;                     /* left out when it is no valid parameter */
};

/* The parameters of a payload, at most MAPPING_FIELDS_MAX, each target once unless it is optional: then the last one counts. An
 * object, and an array with objects, is one field for each leaf: `address[city]`. */
size_t mapping_apply(
    struct pool *pool, const struct payload_map *mapping, const struct document_node *root, struct mapped_field **fields);

#endif
