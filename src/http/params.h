/* SPDX-License-Identifier: MIT
 * The parameters of a request: one flat table for query and body (docs/api.md 1.1). */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/attributes.h"
#include "base/slice.h"
#include "http/request.h"
#include "json/writer.h"

enum http_type { HTTP_NULL, HTTP_STRING, HTTP_NUMBER, HTTP_BOOLEAN, HTTP_ARRAY };

struct http_value {
	enum http_type type;
	struct slice text; /* string: clean (http_text_clean); number: as it was sent */
	bool boolean;
	size_t whole_size;        /* size of the text before it was cut (http_value_whole); 0: it was not cut */
	struct http_value *items; /* of an array: scalars */
	size_t item_count;
};

struct http_param {
	struct slice name; /* as sent; `name[member]` for a leaf of an object. Not empty, UTF-8, without control characters */
	struct http_value value;
	/* In the order of precedence, lowest first (docs/api.md 1.1, 1.4). */
	enum http_origin { HTTP_ORIGIN_URL, HTTP_ORIGIN_QUERY, HTTP_ORIGIN_BODY } origin;
	size_t serial; /* larger for later parameters of the same origin */
};

/* docs/api.md 1.3. Sizes are in bytes of clean UTF-8 (http_text_clean). */
struct http_caps {
	size_t depth; /* nested containers of a JSON body */
	size_t parameters;
	size_t name_bytes;  /* of each name, including those made for leaves of objects */
	size_t value_bytes; /* of each string or number, including those in arrays */
	size_t items;       /* per array, to limit memory; bulk calls have their own limit */
	size_t values;      /* of all values that a request sends, including replaced ones, to limit memory */
};

#define HTTP_CAPS_DEFAULT    \
	((struct http_caps){ \
	    .depth = 16, .parameters = 200, .name_bytes = 64, .value_bytes = 4096, .items = 10000, .values = 20000 })

/* How the values of a name are read (docs/api.md 1.1, 1.6). */
enum http_name_kind {
	HTTP_NAME_PARAMETER, /* a scalar, or an array of scalars */
	HTTP_NAME_FIELD,    /* also nested objects and arrays: each leaf becomes a parameter `name[member]` */
	HTTP_NAME_INFORMS,  /* like HTTP_NAME_PARAMETER, but never invalid: texts are cut, and unreadable values are left out */
	HTTP_NAME_OPTIONAL, /* a scalar; left out if it breaks a rule */
	HTTP_NAME_DROPPED,  /* never read */
};
typedef enum http_name_kind http_kind_of_name(struct slice name);

/* How the names of a request are read; the caller chooses this. */
struct http_names {
	/* names that make an array when a query or a form repeats them: `name=a&name=b` */
	const struct slice *collecting;
	size_t collecting_count;
	http_kind_of_name *kind_of; /* its argument is any bytes, without "[]" at the end */
	/* The object whose members are fields: `custom_fields`, in upper or lower case. The name of a member may be as long as
	 * any other name. */
	struct slice fields;
	http_kind_of_name *kind_of_member; /* for the names of these members; NULL: read like `fields` itself */
};

struct http_problem {
	enum http_problem_kind {
		HTTP_INVALID_PARAMETER,      /* 406 */
		HTTP_TOO_MANY_ITEMS,         /* an array has more than caps.items: 406; in bulk calls 413 */
		HTTP_INVALID_JSON,           /* 406 */
		HTTP_UNSUPPORTED_MEDIA_TYPE, /* 415 */
	} kind;
	/* For the client: where the JSON is wrong, or which parameter breaks which rule; an invalid name is not repeated.
	 * Absent for 415, which has a fixed text (docs/api.md 2). */
	struct slice message;
};

/* The beginning of the message of HTTP_INVALID_JSON about a body. */
#define HTTP_INVALID_JSON_MESSAGE "Please verify your JSON payload: "

struct http_params;

/* Parses request->query and skips invalid parameters. A later value replaces an earlier one of the same name, unless the
 * name collects its values. The table is in the request's pool; what `names` points to must live as long. */
struct http_params *http_params_parse_query(
    const struct http_request *request, const struct http_caps *caps, const struct http_names *names);
/* Parses request->body (docs/api.md 1.2), and sets *params to a table of its parameters and those of the query. If both have a
 * parameter of the same name, the table has the body's. An empty body is valid with any content type. Returns false, with
 * *problem filled and *params unchanged, when the query or the body is invalid. */
MUST_CHECK bool http_params_parse_body(
    struct http_params *query, const struct http_request *request, struct http_params **params, struct http_problem *problem);

/* What was typed into a form, for the page that shows the form again: all parameters of the query and the body, even those that
 * are invalid. Texts are clean and not cut; files and invalid names are left out. */
struct http_params *http_params_parse_typed(
    const struct http_request *request, const struct http_caps *caps, const struct http_names *names);

/* Sets *json to the body if http_params_parse_body would read it as JSON; otherwise returns false. */
MUST_CHECK bool http_body_json(const struct http_request *request, struct slice *json);
/* Whether the content type names JSON: `application/json`, `application/vnd.api+json`. */
MUST_CHECK bool http_declares_json(struct slice content_type);
/* An empty table, for parameters that are not parsed from a request. */
struct http_params *http_params_new(struct pool *pool, const struct http_caps *caps, const struct http_names *names);
/* Adds the members of a JSON object as if it were a body. HTTP_INVALID_JSON_MESSAGE does not precede the message of a
 * problem. */
MUST_CHECK bool http_params_read_json(struct http_params *params, struct slice json, struct http_problem *problem);
/* Adds a parameter as if it were in a body, or replaces one of the same name. The items of an array are scalars; texts need not
 * be clean. Returns false, with *problem filled, when it is invalid. */
MUST_CHECK bool http_params_put(
    struct http_params *params, struct slice name, const struct http_value *value, struct http_problem *problem);

/* NULL if the request does not have this parameter. */
const struct http_param *http_params_find(const struct http_params *params, struct slice name);
/* The value of http_params_find, or NULL. */
const struct http_value *http_params_value(const struct http_params *params, struct slice name);

/* The text of the parameter, as http_value_string returns it; absent if it is null, an array, or not in the request. */
struct slice http_params_text(const struct http_params *params, struct slice name);

/* In the order of first occurrence: http_params_at(params, 0 … http_params_count(params) - 1). */
size_t http_params_count(const struct http_params *params);
const struct http_param *http_params_at(const struct http_params *params, size_t index);

/* Returns whether this parameter may come from the query of `__url`. */
typedef bool http_param_allowed(void *context, const struct http_param *param);

/* docs/api.md 1.4: adds the parameters of the url's query that the request does not have and `allowed` accepts.
 * Invalid parameters are skipped, because the url is data, not a request. */
void http_params_merge_url(struct http_params *params, struct slice url, http_param_allowed *allowed, void *context);

/* docs/api.md 1.1, "Booleans". NULL stands for a missing parameter, which is false. Returns false for a value that is not a
 * boolean: 406. */
MUST_CHECK bool http_value_boolean(const struct http_value *value, bool *boolean);
/* A string, or the text of a number or boolean. Absent for null and NULL. Returns false for an array: 406. */
MUST_CHECK bool http_value_string(const struct http_value *value, struct slice *text);
/* The text before it was cut. */
struct slice http_value_whole(const struct http_value *value);
/* Writes the value as JSON of its type; numbers as they were sent. */
void http_value_write(const struct http_value *value, struct json_writer *writer);
