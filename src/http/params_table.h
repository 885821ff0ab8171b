/* SPDX-License-Identifier: MIT
 * Private to src/http: the parsers of queries and bodies fill the table of parameters with these functions. */
#pragma once

#include "base/pool.h"
#include "http/params.h"

struct http_params {
	struct pool *pool;
	struct http_caps caps;
	struct http_names names;
	struct params_entry *entries;
	size_t count, capacity;
	size_t values;   /* number of values sent, including replaced ones */
	size_t serial;   /* of the last value added */
	uint32_t *slots; /* index into entries + 1; 0: free */
	size_t mask;
	bool query_is_valid;
	struct http_problem query_problem; /* the first one of the query */
};

/* A query or body that is being parsed. */
struct params_source {
	struct http_params *params;
	enum http_origin origin;
	struct pool *pool;
	struct http_caps caps;
	enum http_name_kind kind;     /* how the current name is read */
	struct http_problem *problem; /* set by params_fail; NULL: the caller does not need it */
};

/* A copy: changing it does not change `params`. */
struct http_params *params_copy(const struct http_params *params);
struct params_source params_source(struct http_params *params, enum http_origin origin, struct http_problem *problem);

/* Fills the problem; `message` is NULL for kinds with a fixed text. Always returns false. */
bool params_fail(struct params_source *source, enum http_problem_kind kind, const char *message);
/* Fills the problem with the rule that the parameter breaks, such as "must not be a file". An invalid name is not repeated.
 * Always returns false. */
bool params_fail_named(struct params_source *source, struct slice name, const char *rule);

/* Returns false, with the problem filled, when the name is empty, too long, not UTF-8, or has control characters. */
MUST_CHECK bool params_check_name(struct params_source *source, struct slice name);
/* Chooses by the name, without "[]", how the values that follow are read. Returns false when they are dropped. */
bool params_begin(struct params_source *source, struct slice name);
/* Like params_begin, for the name of a form's field: `tag_ids[]`, `custom_fields[plan]`. */
bool params_begin_field(struct params_source *source, struct slice name);
/* Like params_begin, for a member of an object: only members of http_names.fields can be read in another way than their
 * object. */
void params_begin_member(struct params_source *source, struct slice object, struct slice member);

/* Each of these adds a copy of a value to the parameter that was begun, or to one of its leaves. They return false, with the
 * problem filled, when a rule of docs/api.md 1 is broken: only HTTP_NAME_PARAMETER and HTTP_NAME_FIELD have any. */
/* A scalar. */
MUST_CHECK bool params_set(struct params_source *source, struct slice name, const struct http_value *scalar);
/* An empty array, which replaces the previous value. */
MUST_CHECK bool params_set_array(struct params_source *source, struct slice name);
/* Adds an item to the array that the source has begun under this name, or to a new array. */
MUST_CHECK bool params_append(struct params_source *source, struct slice name, const struct http_value *scalar);
/* A decoded field of a query or form. `name[]` adds an item, and so does the second value of a collecting name. */
MUST_CHECK bool params_add_field(struct params_source *source, struct slice name, struct slice text);

/* The parsers, one file each. */
MUST_CHECK bool params_read_form(struct params_source *source, struct slice text);
/* One field per line, not encoded, as browsers send a form with `enctype="text/plain"`. */
MUST_CHECK bool params_read_lines(struct params_source *source, struct slice text);
/* Skips invalid fields. Returns false, with the problem of the first one, if there were any. */
bool params_read_query(struct params_source *source, struct slice text);
MUST_CHECK bool params_read_json(struct params_source *source, struct slice text);
MUST_CHECK bool params_read_multipart(struct params_source *source, struct slice text, struct slice boundary);
