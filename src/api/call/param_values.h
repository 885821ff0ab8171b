/* SPDX-License-Identifier: MIT
 * Reads single parameters (docs/api.md 1). Functions that return false have failed the call. Texts that are empty or null are
 * absent. */
#pragma once

#include "api/call/param_names.h"
#include "webhook/document.h"

/* A string, or a number as it was written. Booleans and arrays are errors, unless the parameter is one of PARAM_INFORMS. Of
 * several names, the first that has a value is used. Values from the query of `__url` are not read. */
MUST_CHECK bool param_read_text(struct call *call, enum param_id id, struct slice *text);
/* The same; also returns the parameter that the text comes from. */
MUST_CHECK bool param_read_given(struct call *call, enum param_id id, const struct http_param **given, struct slice *text);
/* The text of one parameter, whatever its name. */
MUST_CHECK bool param_text_of(struct call *call, const struct http_param *param, struct slice *text);
/* Absent, or a text for which `is_valid` holds; otherwise the call fails with the requirement for this parameter. */
MUST_CHECK bool param_read_checked(
    struct call *call, enum param_id id, bool (*is_valid)(struct slice text), const char *requirement, struct slice *text);
/* Absent: false. */
MUST_CHECK bool param_read_boolean(struct call *call, enum param_id id, bool *value);
/* 1 or 0; absent or null: -1. */
MUST_CHECK bool param_read_choice(struct call *call, enum param_id id, int *value);
/* How many entries of a list the caller wants: from 1, unchanged when it does not say, and at most PARAM_LIMIT_MAX. */
enum { PARAM_LIMIT_MAX = 250 };
MUST_CHECK bool param_read_limit(struct call *call, size_t *limit);
/* Points that the caller gives; unchanged when there are none. */
MUST_CHECK bool param_read_points(struct call *call, bool *given, int32_t *points);

/* A boolean that is never an error: any value that does not mean false is true. */
bool param_is_on(const struct call *call, enum param_id id);
/* Whether there is a value, even an empty one, but not null. */
bool param_is_given(const struct call *call, enum param_id id);
/* The items of an array, or the single value; empty and null values are left out. */
size_t param_values(const struct call *call, struct slice name, const struct http_value **values);

/* How the call shows a lead: by the caller's rights, the route, and the parameters of GROUP_VIEW. */
struct payload_view param_view(const struct call *call);

/* Adds a parameter to the tree that names describe: `data[a][b]` is a member of a member. It is left out if it is inside a
 * parameter that has a value itself. Its name must stay valid. */
void param_tree_add(struct pool *pool, struct document_node *root, const struct http_param *param);
