/* SPDX-License-Identifier: MIT
 * The parameters of a request: one flat table of those in the query and then the body (docs/api.md 1). */
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
	struct slice text; /* string: clean (http_text_clean); number: as in the JSON */
	bool boolean;
	size_t whole_size;        /* of a text that was cut: text.data has so many bytes (http_value_whole) */
	struct http_value *items; /* of an array; not arrays themselves */
	size_t item_count;
};

struct http_param {
	struct slice name; /* as sent, or `name[member]` for a leaf: at least 1 byte of UTF-8 without control characters */
	struct http_value value;
	/* In the order of precedence, lowest first (docs/api.md 1). */
	enum http_origin { HTTP_ORIGIN_URL, HTTP_ORIGIN_QUERY, HTTP_ORIGIN_BODY } origin;
	size_t serial; /* of two parameters of one origin, the later one has the larger serial */
};

/* All are settings. Bytes are of the normalized UTF-8. */
struct http_caps {
	size_t depth; /* nested containers of a JSON body */
	size_t parameters;
	size_t name_bytes;  /* of each name, also of one that is made for a leaf */
	size_t value_bytes; /* of each string or number, including those in arrays */
	size_t items;  /* of an array, including duplicates: limits memory only; the API has its own rule for bulk calls … */
	size_t values; /* … and of all values that a request sends, including replaced ones */
};

#define HTTP_CAPS_DEFAULT    \
	((struct http_caps){ \
	    .depth = 16, .parameters = 200, .name_bytes = 64, .value_bytes = 4096, .items = 10000, .values = 20000 })

/* How the values of a name are read (docs/api.md 1.1, 1.6). */
enum http_name_kind {
	HTTP_NAME_PARAMETER, /* a scalar, or an array of scalars */
	HTTP_NAME_FIELD,     /* also an object or arrays with containers: each leaf is a parameter `name[member]` of its own */
	HTTP_NAME_INFORMS,   /* scalars or an array; texts are cut and made valid, and what cannot be read is left out */
	HTTP_NAME_OPTIONAL,  /* a scalar; left out if it breaks a rule */
	HTTP_NAME_DROPPED,   /* never read */
};
typedef enum http_name_kind http_kind_of_name(struct slice name);

/* What the caller specifies about names. */
struct http_names {
	/* `name=a&name=b` collects both values, in a query and in a form */
	const struct slice *collecting;
	size_t collecting_count;
	http_kind_of_name *kind_of; /* of a name without "[]" at its end; must accept any bytes */
	struct slice fields; /* `fields[name]`, in any case of letters, may be as much longer as it has bytes before `name` … */
	http_kind_of_name *kind_of_member; /* … and is read so; NULL: as `fields` itself */
};

struct http_problem {
	enum http_problem_kind {
		HTTP_INVALID_PARAMETER,      /* 406 */
		HTTP_TOO_MANY_ITEMS,         /* an array has more than caps.items: 406, or a status of the API */
		HTTP_INVALID_JSON,           /* 406 */
		HTTP_UNSUPPORTED_MEDIA_TYPE, /* 415 */
	} kind;
	/* For the client: the position of the error, or the parameter and the rule it breaks, without the name if that is
	 * invalid itself. Absent for 415, which has a fixed text (docs/api.md 2). */
	struct slice message;
};

/* What the message of HTTP_INVALID_JSON begins with, for a body. */
#define HTTP_INVALID_JSON_MESSAGE "Please verify your JSON payload: "

struct http_params;

/* Parses request->query and skips invalid parameters. A later value replaces an earlier one of the same name; collected names
 * collect within the query or within the body. The table lives in the request's pool; what `names` refers to must stay valid as
 * long. */
struct http_params *http_params_parse_query(
    const struct http_request *request, const struct http_caps *caps, const struct http_names *names);
/* Parses request->body and sets *params to a table with these and the query's parameters, which the body's replace. Body types:
 * docs/api.md 1; an absent or empty body is valid with any type. Returns false, with *problem filled and *params unchanged,
 * when the query or the body is invalid. */
MUST_CHECK bool http_params_parse_body(
    struct http_params *query, const struct http_request *request, struct http_params **params, struct http_problem *problem);

/* What was typed into a form, for the page that shows it again: the parameters of the query and the body, whatever is wrong
 * with them. Texts are made valid, and not cut; files and names that are not valid are left out. */
struct http_params *http_params_parse_typed(
    const struct http_request *request, const struct http_caps *caps, const struct http_names *names);

/* The body of a request that http_params_parse_body reads as JSON. Returns false for any other. */
MUST_CHECK bool http_body_json(const struct http_request *request, struct slice *json);
/* Whether the header alone says that it is JSON: `application/json`, `application/vnd.api+json`. */
MUST_CHECK bool http_declares_json(struct slice content_type);
/* A table of parameters that are not those of a request as it was sent, initially empty. */
struct http_params *http_params_new(struct pool *pool, const struct http_caps *caps, const struct http_names *names);
/* Adds the members of a JSON object, as if it were a body; the message of HTTP_INVALID_JSON is what is wrong with it, alone. */
MUST_CHECK bool http_params_read_json(struct http_params *params, struct slice json, struct http_problem *problem);
/* Adds a parameter, or replaces the one of this name, as if it were in a body; an array has scalars. Texts are as sent. Returns
 * false, with *problem filled, when it is invalid. */
MUST_CHECK bool http_params_put(
    struct http_params *params, struct slice name, const struct http_value *value, struct http_problem *problem);

/* NULL when the request does not have it. */
const struct http_param *http_params_find(const struct http_params *params, struct slice name);
/* The value of http_params_find, or NULL. */
const struct http_value *http_params_value(const struct http_params *params, struct slice name);

/* Its text, as of http_value_string; absent: it is null or an array, or the request does not have it. */
struct slice http_params_text(const struct http_params *params, struct slice name);

/* In the order of first occurrence: http_params_at(params, 0 … http_params_count(params) - 1). */
size_t http_params_count(const struct http_params *params);
const struct http_param *http_params_at(const struct http_params *params, size_t index);

/* Returns whether this parameter may come from the query of `__url`. */
typedef bool http_param_allowed(void *context, const struct http_param *param);

/* docs/api.md 1 "Merging __url": adds the parameters of the url's query that the request does not have and `allowed` accepts.
 * Invalid parameters are skipped, because the url is data, not a request. */
void http_params_merge_url(struct http_params *params, struct slice url, http_param_allowed *allowed, void *context);

/* docs/api.md 1 "Booleans". NULL means absent: false. Returns false for any other value: 406. */
MUST_CHECK bool http_value_boolean(const struct http_value *value, bool *boolean);
/* A string, or the text of a number or boolean. Absent for null and NULL. Returns false for an array: 406. */
MUST_CHECK bool http_value_string(const struct http_value *value, struct slice *text);
/* Its text before it was cut. */
struct slice http_value_whole(const struct http_value *value);
/* As JSON of its type; numbers are copied. */
void http_value_write(const struct http_value *value, struct json_writer *writer);
