/* SPDX-License-Identifier: MIT
 * Which values of a payload become which parameters of a sign-up (docs/inbound.md 3). */
#ifndef LEADHOOK_WEBHOOK_MAPPING_H
#define LEADHOOK_WEBHOOK_MAPPING_H

#include "webhook/document.h"

enum { MAPPING_RULES_MAX = 50, MAPPING_TARGET_MAX_BYTES = 64, MAPPING_PATH_MAX_BYTES = 255, MAPPING_FIELDS_MAX = 1000 };

/* The text of a message from a phone: no parameter, but what the call does (docs/inbound.md 3.2). */
#define MAPPING_TEXT SLICE("__text")
/* Whether the sign-up ends an opt-out, which it does not without this: no parameter either (docs/inbound.md 2). */
#define MAPPING_RESET SLICE("__reset_opt_out")
/* Whether the call is the opt-out of its person, and no sign-up. */
#define MAPPING_OPT_OUT SLICE("__opt_out")

struct mapping_rule {
	struct slice target; /* a parameter or a custom field; "*": the plain members of the object at the path */
	struct slice path;   /* "*": the whole payload; a text in quotes: that text */
};

struct payload_map {
	struct mapping_rule *rules; /* targets are unique */
	size_t count;               /* 0: the obvious names */
};

/* NULL, or why this cannot be a rule, to follow its name in a message: "is not a parameter of a sign-up". */
MUST_CHECK const char *mapping_check(struct slice target, struct slice path);
/* Adds a rule that was checked, or replaces the one with this target. NULL, or why it cannot be added, as above. */
MUST_CHECK const char *mapping_add(struct pool *pool, struct payload_map *mapping, struct slice target, struct slice path);
/* As a JSON object; absent without rules. */
struct slice mapping_write(struct pool *pool, const struct payload_map *mapping);
/* Reads what mapping_write wrote. An absent text has no rules. Returns false when it is damaged. */
MUST_CHECK bool mapping_parse(struct pool *pool, struct slice text, struct payload_map *mapping);

struct mapped_field {
	struct slice target, path;
	const struct document_node *value; /* plain */
	bool optional;                     /* left out when it is no valid parameter */
};

/* What leads are made of: a payload, or of a list in it each entry. */
struct payload_list {
	struct document_node *root, *list; /* list: NULL: the payload is one entry */
	bool is_named;                     /* paths with `[]` name the list */
	struct document_node **entries;    /* of which a lead each is made */
	size_t count;                      /* at least 1 */
};
/* The entries of a payload: those of the list that the paths with `[]` name, or of one that is the payload itself, unless a
 * path has an index in it. */
struct payload_list mapping_entries(struct pool *pool, const struct payload_map *mapping, struct document_node *root);

/* The parameters of an entry, at most MAPPING_FIELDS_MAX, each target once unless it is optional: then the last one counts. An
 * object, and an array with objects, is one field for each leaf: `address[city]`. */
size_t mapping_apply(struct pool *pool, const struct payload_map *mapping, const struct payload_list *payload, size_t entry,
    struct mapped_field **fields);
/* What people should know of a map that found these fields: rules without a value, a list of which one entry was taken. Absent:
 * nothing. */
struct slice mapping_notes(struct pool *pool, const struct payload_map *mapping, const struct payload_list *payload,
    const struct mapped_field *fields, size_t count);

#endif
