/* SPDX-License-Identifier: MIT
 * Which values of a payload become which parameters of a sign-up (docs/inbound.md 3). */
#pragma once

#include "webhook/document.h"

enum { MAPPING_RULES_MAX = 50, MAPPING_TARGET_MAX_BYTES = 64, MAPPING_PATH_MAX_BYTES = 255, MAPPING_FIELDS_MAX = 1000 };

/* The text of a message from a phone, which decides what the call does (docs/inbound.md 3.2). Not a parameter of a sign-up. */
#define MAPPING_TEXT SLICE("__text")
/* Whether the sign-up ends an opt-out; by default it does not (docs/inbound.md 2). Not a parameter of a sign-up. */
#define MAPPING_RESET SLICE("__reset_opt_out")
/* Whether the call opts the person out instead of signing it up. Not a parameter of a sign-up. */
#define MAPPING_OPT_OUT SLICE("__opt_out")

struct mapping_rule {
	struct slice target; /* a parameter or a custom field; "*": the plain members of the object at the path */
	struct slice path;   /* "*": the whole payload; a text in quotes: that text */
};

struct payload_map {
	struct mapping_rule *rules; /* targets are unique */
	size_t count;               /* 0: only the obvious names are used */
};

/* Returns NULL, or why this cannot be a rule, in words that follow its name: "is not a parameter of a sign-up". */
MUST_CHECK const char *mapping_check(struct slice target, struct slice path);
/* Adds a checked rule, or replaces the rule with the same target. Returns NULL, or why it cannot be added, as above. */
MUST_CHECK const char *mapping_add(struct pool *pool, struct payload_map *mapping, struct slice target, struct slice path);
/* Returns the map as a JSON object; absent if it has no rules. */
struct slice mapping_write(struct pool *pool, const struct payload_map *mapping);
/* Reads what mapping_write wrote. An absent text has no rules. Returns false when it is damaged. */
MUST_CHECK bool mapping_parse(struct pool *pool, struct slice text, struct payload_map *mapping);

struct mapped_field {
	struct slice target, path;
	const struct document_node *value; /* a plain value (document_is_plain) */
	bool optional;                     /* left out if it is not a valid parameter */
};

/* What leads are made from: the payload itself, or each entry of a list in it. */
struct payload_list {
	struct document_node *root, *list; /* list NULL: the payload is one entry */
	bool is_named;                     /* paths with `[]` name the list */
	struct document_node **entries;    /* each becomes a lead */
	size_t count;                      /* at least 1 */
};
/* Finds the entries of a payload: the items of the list that paths with `[]` name; or of the payload itself if it is a list,
 * unless a path has an index into it. */
struct payload_list mapping_entries(struct pool *pool, const struct payload_map *mapping, struct document_node *root);

/* Sets *fields to the parameters of an entry and returns their number, at most MAPPING_FIELDS_MAX. A required target occurs
 * once. If an optional target occurs several times, the last one counts. An object, or an array with objects, becomes a field
 * for each leaf: `address[city]`. */
size_t mapping_apply(struct pool *pool, const struct payload_map *mapping, const struct payload_list *payload, size_t entry,
    struct mapped_field **fields);
/* Notes for people about a map with which these fields were found: rules that found no value, and a list from which only one
 * entry was taken. Absent: none. */
struct slice mapping_notes(struct pool *pool, const struct payload_map *mapping, const struct payload_list *payload,
    const struct mapped_field *fields, size_t count);
