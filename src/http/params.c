/* SPDX-License-Identifier: MIT */
#include "http/params.h"

#include <string.h>

#include "base/boolean.h"
#include "base/utf8.h"
#include "http/header.h"
#include "http/http_text.h"
#include "http/params_table.h"

#define BYTE_ORDER_MARK "\xef\xbb\xbf"

enum body_format { BODY_NONE, BODY_JSON, BODY_FORM, BODY_LINES, BODY_MULTIPART };

/* Content types that name a format. Types that many programs send with any body are not among them. */
static const struct {
	struct slice media_type;
	enum body_format format;
} body_formats[] = {
	{ SLICE("application/json"), BODY_JSON },
	{ SLICE("text/json"), BODY_JSON },
	{ SLICE("text/javascript"), BODY_JSON },
	{ SLICE("application/javascript"), BODY_JSON },
	{ SLICE("application/x-www-form-urlencoded"), BODY_FORM },
	{ SLICE("multipart/form-data"), BODY_MULTIPART },
	{ SLICE("text/plain"), BODY_LINES },
};

/* What programs write when there is no value. */
static const struct slice texts_of_nothing[] = { SLICE(""), SLICE("null"), SLICE("none"), SLICE("undefined") };

struct body {
	enum body_format format;
	struct slice text;
	struct slice boundary;
};

static bool
is_plus_json(struct slice media_type)
{
	return slice_starts_with_nocase(media_type, SLICE("application/")) && slice_ends_with(media_type, SLICE("+json"));
}

/* The format that a media type names; BODY_NONE if it names none. */
static enum body_format
named_format(struct slice media_type)
{
	for (size_t i = 0; i < ARRAY_SIZE(body_formats); i++)
		if (slice_equal_nocase(body_formats[i].media_type, media_type))
			return body_formats[i].format;
	return is_plus_json(media_type) ? BODY_JSON : BODY_NONE;
}

/* Whether the text begins like a form: with a name, as it is in URLs, before '=' or '&'. */
static bool
begins_as_form(struct slice text)
{
	size_t at = 0;
	while (at < text.size && (ascii_is_alpha(text.data[at]) || ascii_is_digit(text.data[at]) ||
				     (text.data[at] != '\0' && strchr("_-.~%+[]*$:@!'()", text.data[at]) != NULL)))
		at++;
	return at > 0 && at < text.size && (text.data[at] == '=' || text.data[at] == '&');
}

/* Leaves out byte order marks at the beginning, and the NULs with which some programs end a text. */
static struct slice
without_marks(struct slice text)
{
	while (slice_starts_with(text, SLICE(BYTE_ORDER_MARK)))
		text = slice_sub(text, sizeof(BYTE_ORDER_MARK) - 1, text.size);
	while (text.size > 0 && text.data[text.size - 1] == '\0')
		text.size--;
	return text;
}

/* The boundary in the first line of a multipart body, which is used if the header does not name it. Absent: not a multipart
 * body. */
static struct slice
first_boundary(struct slice text)
{
	const struct slice line = slice_trim(slice_sub(text, 0, slice_find(text, '\n'))),
			   next = slice_sub(text, slice_find(text, '\n') + 1, text.size);
	return slice_starts_with(line, SLICE("--")) && slice_starts_with_nocase(next, SLICE("Content-Disposition:"))
		   ? slice_sub(line, 2, line.size)
		   : SLICE_NONE;
}

static bool
begins_as_json(struct slice text)
{
	const struct slice inside = slice_trim(slice_sub(text, 1, text.size));
	return slice_starts_with(text, SLICE("{")) ||
	       (slice_starts_with(text, SLICE("[")) && inside.size > 0 && strchr("{[\"]", inside.data[0]) != NULL);
}

/* docs/api.md 1.2: the beginning of the body decides; the format that the header names counts only if that is not clear. */
static enum body_format
format_of(struct slice text, enum body_format named)
{
	const struct slice start = slice_trim(text);
	if (begins_as_json(start))
		return BODY_JSON;
	if ((named == BODY_MULTIPART && slice_starts_with(start, SLICE("--"))) || slice_present(first_boundary(text)))
		return BODY_MULTIPART;
	if (!begins_as_form(start))
		return named == BODY_LINES ? BODY_NONE : named;
	return named == BODY_LINES && slice_find(start, '\n') < start.size ? BODY_LINES : BODY_FORM;
}

/* Returns false for 415. Two headers of one name arrive as one, joined by a comma (RFC 9110, 5.3): the first type that names a
 * format and the last boundary are used. */
static bool
choose_format(struct pool *pool, struct slice content_type, struct body *body)
{
	enum body_format named = slice_present(content_type) ? BODY_NONE : BODY_FORM;
	struct slice one, name, value;
	body->text = without_marks(body->text);
	if (slice_trim(body->text).size == 0)
		return true;
	const bool quoted = slice_find(content_type, '"') < content_type.size;
	while (slice_next(&content_type, quoted ? '\0' : ',', &one)) {
		const enum body_format format = named_format(http_header_value(&one));
		named = named == BODY_NONE ? format : named;
		while (http_header_parameter(pool, &one, &name, &value))
			if (slice_equal_nocase(name, SLICE("boundary")))
				body->boundary = value;
	}
	body->format = format_of(body->text, named);
	if (body->format == BODY_MULTIPART && body->boundary.size == 0)
		body->boundary = first_boundary(body->text);
	return body->format != BODY_NONE;
}

/* Puts HTTP_INVALID_JSON_MESSAGE before the parser's message, which only says where the error is. */
static bool
fail_json(struct params_source *source)
{
	if (source->problem->kind == HTTP_INVALID_JSON)
		source->problem->message = POOL_JOIN(source->pool, SLICE(HTTP_INVALID_JSON_MESSAGE), source->problem->message);
	return false;
}

static bool
read_body(struct params_source *source, const struct body *body)
{
	switch (body->format) {
	case BODY_JSON:
		return params_read_json(source, body->text) || fail_json(source);
	case BODY_FORM:
		return params_read_form(source, body->text);
	case BODY_LINES:
		return params_read_lines(source, body->text);
	case BODY_MULTIPART:
		return params_read_multipart(source, body->text, body->boundary);
	case BODY_NONE:
		break;
	}
	return true;
}

struct http_params *
http_params_parse_query(const struct http_request *request, const struct http_caps *caps, const struct http_names *names)
{
	struct http_params *params = http_params_new(request->pool, caps, names);
	struct params_source source = params_source(params, HTTP_ORIGIN_QUERY, &params->query_problem);
	params->query_is_valid = params_read_query(&source, request->query);
	return params;
}

bool
http_params_parse_body(
    struct http_params *query, const struct http_request *request, struct http_params **params, struct http_problem *problem)
{
	struct body body = { .text = request->body };
	*problem = (struct http_problem){ .kind = HTTP_UNSUPPORTED_MEDIA_TYPE };
	if (!choose_format(request->pool, request->content_type, &body))
		return false;
	*problem = query->query_problem;
	if (!query->query_is_valid)
		return false;
	struct http_params *both = body.format == BODY_NONE ? query : params_copy(query);
	struct params_source source = params_source(both, HTTP_ORIGIN_BODY, problem);
	if (!read_body(&source, &body))
		return false;
	*params = both;
	return true;
}

/* Every valid name is read, without errors, because a form that is shown again contains everything that was typed. */
static enum http_name_kind
kind_of_typed(struct slice name)
{
	return name.size > 0 && utf8_valid(name) && !slice_has_control(name) ? HTTP_NAME_INFORMS : HTTP_NAME_DROPPED;
}

struct http_params *
http_params_parse_typed(const struct http_request *request, const struct http_caps *caps, const struct http_names *names)
{
	struct http_caps whole = *caps;
	struct http_names all = {
		.collecting = names->collecting, .collecting_count = names->collecting_count, .kind_of = kind_of_typed
	};
	struct body body = { .text = request->body };
	struct http_problem problem;
	whole.value_bytes = request->body.size + request->query.size;
	struct http_params *params = http_params_parse_query(request, &whole, &all);
	struct params_source source = params_source(params, HTTP_ORIGIN_BODY, &problem);
	if (choose_format(request->pool, request->content_type, &body))
		(void)!read_body(&source, &body);
	return params;
}

bool
http_body_json(const struct http_request *request, struct slice *json)
{
	struct body body = { .text = request->body };
	const bool known = choose_format(request->pool, request->content_type, &body);
	*json = body.text;
	return known && body.format == BODY_JSON;
}

bool
http_declares_json(struct slice content_type)
{
	const struct slice media_type = http_header_value(&content_type);
	return slice_equal_nocase(media_type, SLICE("application/json")) || is_plus_json(media_type);
}

bool
http_params_read_json(struct http_params *params, struct slice json, struct http_problem *problem)
{
	struct params_source source = params_source(params, HTTP_ORIGIN_BODY, problem);
	return params_read_json(&source, json);
}

bool
http_params_put(struct http_params *params, struct slice name, const struct http_value *value, struct http_problem *problem)
{
	struct params_source source = params_source(params, HTTP_ORIGIN_BODY, problem);
	name = http_name_clean(source.pool, name);
	if (!params_begin(&source, name))
		return true;
	if (value->type != HTTP_ARRAY)
		return params_set(&source, name, value);
	bool good = params_set_array(&source, name);
	for (size_t i = 0; good && i < value->item_count; i++)
		good = params_append(&source, name, &value->items[i]);
	return good;
}

static bool
is_word(struct slice text, const struct slice *words, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (slice_equal_nocase(text, words[i]))
			return true;
	return false;
}

bool
http_value_boolean(const struct http_value *value, bool *boolean)
{
	struct slice text;
	if (!http_value_string(value, &text))
		return false;
	*boolean = false;
	return is_word(text, texts_of_nothing, ARRAY_SIZE(texts_of_nothing)) || boolean_parse(text, boolean);
}

bool
http_value_string(const struct http_value *value, struct slice *text)
{
	*text = SLICE_NONE;
	if (value == NULL || value->type == HTTP_NULL)
		return true;
	if (value->type == HTTP_BOOLEAN)
		*text = value->boolean ? SLICE("true") : SLICE("false");
	else
		*text = value->text;
	return value->type != HTTP_ARRAY;
}

struct slice
http_value_whole(const struct http_value *value)
{
	return value->whole_size == 0 ? value->text : (struct slice){ value->text.data, value->whole_size };
}

void
http_value_write(const struct http_value *value, struct json_writer *writer)
{
	switch (value->type) {
	case HTTP_NULL:
		json_null(writer);
		break;
	case HTTP_STRING:
		json_string(writer, value->text);
		break;
	case HTTP_NUMBER:
		json_raw(writer, value->text);
		break;
	case HTTP_BOOLEAN:
		json_boolean(writer, value->boolean);
		break;
	case HTTP_ARRAY:
		json_begin_array(writer);
		for (size_t i = 0; i < value->item_count; i++)
			http_value_write(&value->items[i], writer);
		json_end_array(writer);
		break;
	}
}
