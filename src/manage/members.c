/* SPDX-License-Identifier: MIT */
#include "manage/members.h"

#include "base/utf8.h"
#include "http/http_text.h"
#include "http/params.h"
#include "json/reader.h"

enum { DEPTH_MAX = 2, VALUE_DEPTH = 1 };

struct member *
members_take(struct members *members, struct slice name)
{
	for (size_t i = 0; i < members->count; i++) {
		if (!slice_equal(members->list[i].name, name))
			continue;
		members->list[i].taken = true;
		return &members->list[i];
	}
	return NULL;
}

static bool
has(const struct members *members, struct slice name)
{
	for (size_t i = 0; i < members->count; i++)
		if (slice_equal(members->list[i].name, name))
			return true;
	return false;
}

static struct member *
add(struct pool *pool, struct members *members, struct slice name)
{
	members->list = pool_grow(pool, members->list, members->count, &members->capacity, sizeof(*members->list));
	members->list[members->count] = (struct member){ .name = pool_copy(pool, name), .text = SLICE("") };
	return &members->list[members->count++];
}

/* ---- a JSON object ---- */

struct object_reader {
	struct pool *pool;
	struct members *members;
	const char *problem; /* why the reader stopped */
};

static bool
stop(struct object_reader *reader, const char *problem)
{
	reader->problem = problem;
	return false;
}

static bool
read_key(struct object_reader *reader, const struct json_event *event)
{
	struct members *members = reader->members;
	if (slice_find(event->text, '\0') < event->text.size)
		return stop(reader, "a name has a NUL");
	if (event->depth > VALUE_DEPTH) {
		struct member *member = &members->list[members->count - 1];
		member->names =
		    pool_grow(reader->pool, member->names, member->item_count, &member->name_capacity, sizeof(*member->names));
		member->names[member->item_count] = pool_copy(reader->pool, event->text);
		return true;
	}
	if (has(members, event->text))
		return stop(reader, "a name is there twice");
	if (members->count == MEMBERS_MAX)
		return stop(reader, "there are too many members");
	add(reader->pool, members, event->text);
	return true;
}

static bool
add_item(struct object_reader *reader, struct member *member, struct slice text)
{
	if (member->item_count == ITEMS_MAX)
		return stop(reader, "there are too many items");
	member->items =
	    pool_grow(reader->pool, member->items, member->item_count, &member->item_capacity, sizeof(*member->items));
	member->items[member->item_count++] = text;
	return true;
}

static bool
read_scalar(struct object_reader *reader, const struct json_event *event, struct slice text, unsigned type)
{
	struct members *members = reader->members;
	if (event->depth == 0)
		return stop(reader, "an object is expected");
	struct member *member = &members->list[members->count - 1];
	if (slice_find(text, '\0') < text.size)
		return stop(reader, "a text has a NUL");
	if (event->depth > VALUE_DEPTH)
		return add_item(reader, member, pool_copy(reader->pool, text));
	member->type = type;
	member->text = pool_copy(reader->pool, text);
	return true;
}

static bool
read_container(struct object_reader *reader, const struct json_event *event, unsigned type)
{
	struct members *members = reader->members;
	if (event->depth == 0)
		return type == MEMBER_OBJECT || stop(reader, "an object is expected");
	if (event->depth > VALUE_DEPTH)
		return stop(reader, "values are nested too deeply");
	members->list[members->count - 1].type = type;
	return true;
}

static bool
read_event(void *context, const struct json_event *event)
{
	struct object_reader *reader = context;
	switch (event->type) {
	case JSON_KEY:
		return read_key(reader, event);
	case JSON_OBJECT_BEGIN:
		return read_container(reader, event, MEMBER_OBJECT);
	case JSON_ARRAY_BEGIN:
		return read_container(reader, event, MEMBER_ARRAY);
	case JSON_NULL:
		return read_scalar(reader, event, SLICE(""), MEMBER_NULL);
	case JSON_BOOLEAN:
		return read_scalar(reader, event, event->boolean ? SLICE("true") : SLICE("false"), MEMBER_BOOLEAN);
	case JSON_NUMBER:
		return read_scalar(reader, event, event->text, MEMBER_NUMBER);
	case JSON_STRING:
		return read_scalar(reader, event, event->text, MEMBER_TEXT);
	case JSON_OBJECT_END:
	case JSON_ARRAY_END:
		break;
	}
	return true;
}

static bool
read_body(struct manage_request *request, struct members *members)
{
	const struct http_request *http = request->http;
	struct object_reader reader = { .pool = http->pool, .members = members };
	struct json_problem problem;
	struct slice json;
	if (http->body.size == 0)
		return true;
	/* other types are refused: browsers send them to any site without a preflight request (docs/manage.md) */
	if (!http_declares_json(http->content_type) || !http_body_json(http, &json))
		return request_fail_status(
		    request, 415, "unsupported_media_type", SLICE("a body has the content type application/json"));
	if (json_read(json, DEPTH_MAX, read_event, &reader, &problem))
		return true;
	return request_fail_status(request, 400, "invalid_json",
	    slice_of(reader.problem != NULL ? reader.problem : pool_string(http->pool, slice_of(problem.message))));
}

/* ---- a query ---- */

static bool
read_text(struct manage_request *request, struct slice text, struct slice *decoded)
{
	*decoded = http_decode_form(request->http->pool, text);
	if (utf8_valid(*decoded) && slice_find(*decoded, '\0') == decoded->size)
		return true;
	return request_fail_status(
	    request, 400, "invalid_query", SLICE("a text of the query is not valid UTF-8, or has a NUL"));
}

static bool
read_pair(struct manage_request *request, struct members *members, struct slice pair)
{
	const size_t equals = slice_find(pair, '=');
	struct slice name, value;
	if (!read_text(request, slice_sub(pair, 0, equals), &name) ||
	    !read_text(request, slice_sub(pair, equals + 1, pair.size), &value))
		return false;
	if (has(members, name))
		return request_fail_status(request, 400, "invalid_query", SLICE("a name is there twice"));
	if (members->count == MEMBERS_MAX)
		return request_fail_status(request, 400, "invalid_query", SLICE("there are too many names"));
	struct member *member = add(request->http->pool, members, name);
	member->type = MEMBER_TEXT;
	member->text = pool_copy(request->http->pool, value);
	return true;
}

static bool
read_query(struct manage_request *request, struct members *members)
{
	struct slice rest = request->http->query, pair;
	while (slice_next(&rest, '&', &pair))
		if (pair.size > 0 && !read_pair(request, members, pair))
			return false;
	return true;
}

static bool
check_no_query(struct manage_request *request)
{
	return request->http->query.size == 0 ||
	       request_fail_status(request, 400, "invalid_query", SLICE("this method takes its arguments from the body"));
}

static bool
check_no_body(struct manage_request *request)
{
	return request->http->body.size == 0 ||
	       request_fail_status(request, 400, "unexpected_body", SLICE("this method takes its arguments from the query"));
}

bool
request_read_query(struct manage_request *request, struct members *members)
{
	return check_no_body(request) && read_query(request, members);
}

bool
request_read_body(struct manage_request *request, struct members *members)
{
	return check_no_query(request) && read_body(request, members);
}
