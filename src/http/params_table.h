/* SPDX-License-Identifier: MIT
 * Inside src/http only: how the readers of queries and bodies fill the table of parameters. */
#ifndef LEADHOOK_HTTP_PARAMS_TABLE_H
#define LEADHOOK_HTTP_PARAMS_TABLE_H

#include "base/pool.h"
#include "http/params.h"

/* One source of parameters while it is read. */
struct params_source {
	struct http_params *params;
	enum http_origin origin;
	struct pool *pool;
	struct http_caps caps;
	struct http_problem *problem; /* where params_fail writes */
};

struct http_params *params_new(struct pool *pool, const struct http_caps *caps, const struct http_names *collecting);
struct params_source params_source(struct http_params *params, enum http_origin origin, struct http_problem *problem);

/* Fills the problem; `message` is NULL where the kind has a text of its own. Always false. */
bool params_fail(struct params_source *source, enum http_problem_kind kind, const char *message);
/* The parameter breaks this rule, "must not be a file"; or its name breaks one already, and is then not repeated. Always
 * false. */
bool params_fail_named(struct params_source *source, struct slice name, const char *rule);

/* Each answers false, the problem filled, when a rule of docs/api.md 1 is broken; what they are given may go away after. */
/* A value by its type: scalars alone. */
MUST_CHECK bool params_set(struct params_source *source, struct slice name, const struct http_value *scalar);
/* An empty array, in the place of what was there. */
MUST_CHECK bool params_set_array(struct params_source *source, struct slice name);
/* One more item of the array that this source has under this name: else it starts one. */
MUST_CHECK bool params_append(struct params_source *source, struct slice name, const struct http_value *scalar);
/* A field of a query or form, decoded: `name[]` appends, a second value of a name that collects too. */
MUST_CHECK bool params_add_field(struct params_source *source, struct slice name, struct slice text);

/* The readers, a file each. */
MUST_CHECK bool params_read_form(struct params_source *source, struct slice text);
/* Leaves out what would be a problem. */
void params_read_form_leniently(struct params_source *source, struct slice text);
MUST_CHECK bool params_read_json(struct params_source *source, struct slice text);
MUST_CHECK bool params_read_multipart(struct params_source *source, struct slice text, struct slice boundary);

#endif
