/* SPDX-License-Identifier: MIT
 * One lead of a file: the values of its record, collected one by one, and the import made from them. */
#pragma once

#include "base/attributes.h"
#include "base/pool.h"
#include "base/slice.h"
#include "engine/command.h"
#include "transfer/columns.h"
#include "transfer/definition_names.h"
#include "transfer/times.h"

/* A value that every row has, before the values of its columns. A constant country applies only to rows without one. */
struct row_constant {
	struct column column;
	struct slice value;
};

/* Limits and settings for reading rows; the limits are those of the API's parameters (docs/api.md 1.3, 4.4). */
struct row_limits {
	size_t name_bytes, value_bytes, depth;
	bool (*is_reserved)(struct slice lower_name); /* whether this name cannot be a custom field */
	size_t utm_bytes;                             /* of all of them together, as JSON */
	const struct row_constant *constants;
	size_t constant_count;
	enum date_order dates;
	bool strict;                /* an invalid phone number makes the row invalid even if it has an email address */
	bool drop_bad_referrers;    /* a value that cannot name a referrer is ignored */
	struct names tags, actions; /* of the campaign */
};

/* What to report about a row. Lists are in the pool. */
struct row_notes {
	struct slice *unknown_tags;
	size_t unknown_tag_count, unknown_tag_capacity;
	enum time_form created;    /* TIME_BAD: the row has no time */
	struct slice phone_number; /* an invalid number that was left out; or absent */
	struct slice emails;       /* the whole cell, if it contains several addresses, of which the first is used; or absent */
	bool is_left_out;          /* the row is left out because of what a value means */
};

struct row_value {
	struct slice name; /* name of a utm parameter or custom field */
	struct slice text; /* normalized; absent for numbers, booleans and arrays in JSON */
	struct slice json; /* of a custom field */
};
struct row_values {
	struct row_value *items;
	size_t count, capacity;
};
struct row {
	struct pool *pool;
	const struct row_limits *limits;
	struct slice texts[LEAD_TEXTS]; /* by enum lead_field; absent: not given */
	struct row_values utm, custom, derived;
	bool has_object; /* of custom fields */
	struct name_set tags, actions;
	uint32_t unknown_names; /* of tags and actions */
	const char *problem;
	struct row_notes notes;
};
/* Begins a row with the constants of the limits. `pool` and `limits` must stay valid until row_finish. */
struct row row_begin(struct pool *pool, const struct row_limits *limits);
/* Adds a text. If a field is given several times, the first text that is not empty is used; for an opt-out, a text that says
 * yes. */
void row_add(struct row *row, const struct column *column, struct slice text);
/* Adds a custom field that is a number, a boolean or an array, as JSON. */
void row_add_json(struct row *row, const struct column *column, struct slice json);
/* Adds the name of a tag, or the text of an action. Those that the campaign does not have are counted. */
void row_add_name(struct row *row, enum lead_field field, struct slice name);
/* Reports that the value of `name` breaks the rule; only the first such report is kept. */
void row_fail(struct row *row, struct slice name, const char *rule);
/* Makes the import of the row, in its pool. An empty field is absent, but an empty score is 0. Returns NULL, or what is wrong:
 * "phone_number is not valid". */
MUST_CHECK const char *row_finish(struct row *row, struct import *import);
