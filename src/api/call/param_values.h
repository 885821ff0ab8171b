/* SPDX-License-Identifier: MIT
 * Reads single parameters (docs/api.md 1). Functions that return false have failed the call. Empty texts and null are returned
 * as absent. */
#pragma once

#include "api/call/param_names.h"
#include "webhook/document.h"

/* A string, or a number as it was written. Booleans and arrays are errors, unless the parameter is one of PARAM_INFORMS. Of
 * several names, the first that has a value is used. Values from the query of `__url` are not read. */
MUST_CHECK bool param_read_text(struct call *call, enum param_id id, struct slice *text);
/* Like param_read_text, and also returns the parameter that the text comes from. */
MUST_CHECK bool param_read_given(struct call *call, enum param_id id, const struct http_param **given, struct slice *text);
/* The text of one parameter, whatever its name. */
MUST_CHECK bool param_text_of(struct call *call, const struct http_param *param, struct slice *text);
/* The text is absent, or one that `is_valid` accepts; otherwise the call fails with the requirement for this parameter. */
MUST_CHECK bool param_read_checked(
    struct call *call, enum param_id id, bool (*is_valid)(struct slice text), const char *requirement, struct slice *text);
/* If the parameter is absent, the value is false. */
MUST_CHECK bool param_read_boolean(struct call *call, enum param_id id, bool *value);
/* The value is 1 or 0, or -1 if the parameter is absent or null. */
MUST_CHECK bool param_read_choice(struct call *call, enum param_id id, int *value);
/* How many entries of a list the caller wants: from 1 to PARAM_LIMIT_MAX, and unchanged if the parameter is absent. */
enum { PARAM_LIMIT_MAX = 250 };
MUST_CHECK bool param_read_limit(struct call *call, size_t *limit);
/* The points that the caller gives; unchanged if the parameter is absent. */
MUST_CHECK bool param_read_points(struct call *call, bool *given, int32_t *points);

/* A boolean that is never an error: any value that does not mean false is true. */
bool param_is_on(const struct call *call, enum param_id id);
/* Whether there is a value other than null, even an empty one. */
bool param_is_given(const struct call *call, enum param_id id);
/* The items of an array, or the single value; empty and null values are left out. */
size_t param_values(const struct call *call, struct slice name, const struct http_value **values);

/* How the call shows a lead, according to the caller's rights, the route and the parameters of GROUP_VIEW. */
struct payload_view param_view(const struct call *call);

/* Adds a parameter to the tree that names describe: `data[a][b]` is a member of a member. It is left out if it is inside a
 * parameter that has a value itself. The parameter's name must stay valid. */
void param_tree_add(struct pool *pool, struct document_node *root, const struct http_param *param);
