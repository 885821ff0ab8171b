/* SPDX-License-Identifier: MIT */
#include "http/request.h"

#include <string.h>

#include "base/encode.h"
#include "http/http_text.h"
#include "http/link_query.h"
#include "os/random.h"

enum { REQUEST_ID_BYTES = 12 };

static const struct {
	struct slice name;
	enum http_method method;
} methods[] = {
	{ SLICE("GET"), HTTP_GET },
	{ SLICE("HEAD"), HTTP_HEAD },
	{ SLICE("POST"), HTTP_POST },
	{ SLICE("PATCH"), HTTP_PATCH },
	{ SLICE("DELETE"), HTTP_DELETE },
	{ SLICE("OPTIONS"), HTTP_OPTIONS },
};

#define VARIABLE(member, variable) { variable, offsetof(struct http_request, member) },
static const struct {
	const char *variable;
	size_t field;
} variables[] = { HTTP_VARIABLE_LIST(VARIABLE)
	/* Apache may add this prefix; the variable without it takes precedence. */
	{ "REDIRECT_HTTP_AUTHORIZATION", offsetof(struct http_request, authorization) } };

static enum http_method
find_method(struct slice name)
{
	for (size_t i = 0; i < ARRAY_SIZE(methods); i++)
		if (slice_equal(methods[i].name, name))
			return methods[i].method;
	return HTTP_OTHER;
}

static void
read_variables(struct http_request *request, http_environment_get *get, void *context)
{
	for (size_t i = 0; i < ARRAY_SIZE(variables); i++) {
		struct slice *field = (struct slice *)(void *)((char *)request + variables[i].field);
		struct slice value = slice_trim(get(context, variables[i].variable));
		if (!slice_present(*field) && value.size > 0)
			*field = pool_copy(request->pool, value);
	}
}

/* Removes scheme and authority from a target in absolute form, which clients may send to any server (RFC 9112, 3.2.2). A target
 * without a path means "/" (RFC 9110, 4.2.3). The web server, which may have rules for paths, reads it in the same way. */
static struct slice
without_origin(struct pool *pool, struct slice target)
{
	static const struct slice schemes[] = { SLICE("http://"), SLICE("https://") };
	for (size_t i = 0; i < ARRAY_SIZE(schemes); i++) {
		if (slice_starts_with_nocase(target, schemes[i])) {
			size_t end = schemes[i].size;
			while (end < target.size && memchr("/?#", target.data[end], 3) == NULL)
				end++;
			const struct slice rest = slice_sub(target, end, target.size);
			return slice_starts_with(rest, SLICE("/")) ? rest : POOL_JOIN(pool, SLICE("/"), rest);
		}
	}
	return target;
}

/* mod_proxy_fcgi drops variables of more than 16 KiB. Therefore our example configuration for it also sends the target in
 * pieces (docs/operating.md 5). */
static struct slice
requested_uri(struct pool *pool, http_environment_get *get, void *context)
{
	static const char *const names[] = { "LEADHOOK_URI_1", "LEADHOOK_URI_2", "LEADHOOK_URI_3", "LEADHOOK_URI_4",
		"LEADHOOK_URI_5" };
	struct slice uri = get(context, "REQUEST_URI"), pieces[ARRAY_SIZE(names)];
	if (uri.size > 0)
		return uri;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		pieces[i] = get(context, names[i]);
	return pool_printf(pool, "%.*s%.*s%.*s%.*s%.*s", SLICE_ARGS(pieces[0]), SLICE_ARGS(pieces[1]), SLICE_ARGS(pieces[2]),
	    SLICE_ARGS(pieces[3]), SLICE_ARGS(pieces[4]));
}

/* SCRIPT_NAME and PATH_INFO were decoded by the web server (RFC 3875, 4.1.5), REQUEST_URI was not. */
enum path_form { PATH_DECODED, PATH_ENCODED };

static struct slice
read_target(struct http_request *request, http_environment_get *get, void *context, enum path_form *form)
{
	struct slice target = pool_copy(request->pool, requested_uri(request->pool, get, context));
	target = without_origin(request->pool, target);
	*form = target.size > 0 ? PATH_ENCODED : PATH_DECODED;
	if (*form == PATH_ENCODED) {
		size_t end = slice_find(target, '?');
		if (end < target.size)
			request->query = slice_sub(target, end + 1, target.size);
		return slice_sub(target, 0, end);
	}
	request->query = pool_copy(request->pool, get(context, "QUERY_STRING"));
	struct slice script = pool_copy(request->pool, get(context, "SCRIPT_NAME"));
	struct slice info = get(context, "PATH_INFO");
	return pool_printf(request->pool, "%.*s%.*s", SLICE_ARGS(script), SLICE_ARGS(info));
}

static bool
read_segment(struct pool *pool, struct slice text, enum path_form form, struct slice *segment)
{
	*segment = text;
	if (form == PATH_ENCODED && !http_decode_segment(pool, text, segment))
		return false;
	return slice_find(*segment, '/') == segment->size && slice_find(*segment, '\0') == segment->size &&
	       !slice_equal(*segment, SLICE(".")) && !slice_equal(*segment, SLICE(".."));
}

/* Splits a path that starts with '/'. Empty segments are skipped: clients that join addresses often double a slash. */
static bool
read_segments(struct http_request *request, struct slice path, enum path_form form)
{
	if (!slice_starts_with(path, SLICE("/")))
		return false;
	size_t capacity = 0;
	struct slice rest = path, text;
	while (slice_next(&rest, '/', &text)) {
		if (text.size == 0)
			continue;
		request->segments =
		    pool_grow(request->pool, request->segments, request->segment_count, &capacity, sizeof(*request->segments));
		if (!read_segment(request->pool, text, form, &request->segments[request->segment_count++]))
			return false;
	}
	return true;
}

/* Removes the segments of the base path. Returns false when the path does not begin with them. */
static bool
drop_base_path(struct http_request *request, struct slice base_path)
{
	struct slice segment;
	while (slice_next(&base_path, '/', &segment)) {
		if (segment.size == 0)
			continue;
		if (request->segment_count == 0 || !slice_equal(request->segments[0], segment))
			return false;
		request->segments++;
		request->segment_count--;
	}
	return true;
}

enum result
http_request_init(
    struct http_request *request, struct pool *pool, http_environment_get *get, void *context, struct slice base_path)
{
	*request = (struct http_request){ .pool = pool };
	char id[REQUEST_ID_BYTES];
	random_bytes(id, sizeof(id));
	request->request_id = encode_hex(pool, (struct slice){ id, sizeof(id) });
	request->method = find_method(get(context, "REQUEST_METHOD"));
	read_variables(request, get, context);

	enum path_form form;
	struct slice path = read_target(request, get, context, &form);
	request->trailing_slash = slice_ends_with(path, SLICE("/"));
	if (read_segments(request, path, form) && drop_base_path(request, base_path)) {
		http_link_path(pool, request->segments, &request->segment_count, &request->query);
		return RESULT_OK;
	}
	request->segments = NULL;
	request->segment_count = 0;
	return RESULT_NOT_FOUND;
}

/* Whether a quality is zero: "0", "0.000". */
static bool
is_zero(struct slice weight)
{
	for (size_t i = 0; i < weight.size; i++)
		if (weight.data[i] != '0' && weight.data[i] != '.')
			return false;
	return true;
}

/* Whether the rest of an element has a quality of zero, as in "gzip;q=0", which refuses gzip. */
static bool
is_refused(struct slice parameters)
{
	struct slice parameter;
	while (slice_next(&parameters, ';', &parameter)) {
		parameter = slice_trim(parameter);
		if (slice_starts_with_nocase(parameter, SLICE("q=")))
			return is_zero(slice_sub(parameter, 2, parameter.size));
	}
	return false;
}

bool
http_accepts_gzip(const struct http_request *request)
{
	struct slice rest = request->accept_encoding, item;
	while (slice_next(&rest, ',', &item)) {
		const size_t end = slice_find(item, ';');
		if (slice_equal_nocase(slice_trim(slice_sub(item, 0, end)), SLICE("gzip")))
			return !is_refused(slice_sub(item, end, item.size));
	}
	return false;
}
