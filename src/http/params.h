/* SPDX-License-Identifier: MIT
 * The parameters of a request: one flat table made of the query, then the body (docs/api.md 1). */
#ifndef LEADHOOK_HTTP_PARAMS_H
#define LEADHOOK_HTTP_PARAMS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/attributes.h"
#include "base/slice.h"
#include "http/request.h"
#include "json/writer.h"

enum http_type { HTTP_NULL, HTTP_STRING, HTTP_NUMBER, HTTP_BOOLEAN, HTTP_ARRAY };

struct http_value {
	enum http_type type;
	struct slice text; /* string: normalised (http_text_normalise); number: as the JSON had it */
	bool boolean;
	struct http_value *items; /* of an array; never arrays themselves */
	size_t item_count;
};

struct http_param {
	struct slice name; /* as sent: 1 byte or more of UTF-8 without control characters */
	struct http_value value;
	/* The weakest first: what is of a stronger origin counts more (docs/api.md 1). */
	enum http_origin { HTTP_ORIGIN_URL, HTTP_ORIGIN_QUERY, HTTP_ORIGIN_BODY } origin;
	size_t serial; /* of two parameters of one origin, the larger one belongs to the later */
};

/* All of them settings. Bytes are those of the normalised UTF-8. */
struct http_caps {
	size_t depth; /* containers of a JSON body inside each other */
	size_t parameters;
	size_t name_bytes;
	size_t value_bytes; /* of each string or number, those in arrays too */
	size_t items;       /* of an array, doubles counted: bounds memory only, the rule for bulk calls is the API's … */
	size_t values;      /* … and of all that a request sends, also where a later one replaces it */
};

#define HTTP_CAPS_DEFAULT    \
	((struct http_caps){ \
	    .depth = 16, .parameters = 200, .name_bytes = 64, .value_bytes = 4096, .items = 10000, .values = 20000 })

/* Names for which `name=a&name=b` collects both values, in a query and in a form. */
struct http_names {
	const struct slice *names;
	size_t count;
};

struct http_problem {
	enum http_problem_kind {
		HTTP_INVALID_PARAMETER,      /* 406 */
		HTTP_TOO_MANY_ITEMS,         /* an array has more than caps.items: 406, or the API's own */
		HTTP_INVALID_JSON,           /* 406 */
		HTTP_UNSUPPORTED_MEDIA_TYPE, /* 415 */
	} kind;
	/* For the client: where it broke; which parameter breaks which rule, without a name where there is none that is fit to
	 * repeat. Absent with 415, which has one text (docs/api.md 2). */
	struct slice message;
};

struct http_params;

/* Reads request->query and request->body. Body types: docs/api.md 1; no body (absent or empty) is fine with any type. A later
 * value of a name replaces an earlier one, the body's the query's; what collects does so within the query or the body.
 * The table lives in the request's pool; `collecting` must stay valid as long. False: *problem is filled. */
MUST_CHECK bool http_params_parse(const struct http_request *request, const struct http_caps *caps,
    const struct http_names *collecting, struct http_params **params, struct http_problem *problem);

/* Reads request->query alone, and leaves out what breaks a rule. */
void http_params_parse_query(const struct http_request *request, const struct http_caps *caps,
    const struct http_names *collecting, struct http_params **params);

/* NULL when the request does not carry it. */
const struct http_param *http_params_find(const struct http_params *params, struct slice name);
/* The value of http_params_find, or NULL. */
const struct http_value *http_params_value(const struct http_params *params, struct slice name);

/* In the order in which the names first came: http_params_at(params, 0 … http_params_count(params) - 1). */
size_t http_params_count(const struct http_params *params);
const struct http_param *http_params_at(const struct http_params *params, size_t index);

/* Answers whether this parameter may come from the query of `__url`. */
typedef bool http_param_allowed(void *context, const struct http_param *param);

/* docs/api.md 1 "Merging __url": adds the parameters in the url's query that the request does not carry and `allowed` lets
 * pass. What would be an error in a request is left out here: the url is data, not a request. */
void http_params_merge_url(struct http_params *params, struct slice url, http_param_allowed *allowed, void *context);

/* docs/api.md 1 "Booleans"; NULL is absent, so false. False when it is another value: 406. */
MUST_CHECK bool http_value_boolean(const struct http_value *value, bool *boolean);
/* A string, or the text of a number or boolean. Absent for null and NULL. False for an array: 406. */
MUST_CHECK bool http_value_string(const struct http_value *value, struct slice *text);
/* As JSON, of the type that it has; numbers as they were written. */
void http_value_write(const struct http_value *value, struct json_writer *writer);

#endif
