/* SPDX-License-Identifier: MIT */
#include "params_rules.h"

#include "base/utf8.h"
#include "json/writer.h"

enum { AGAIN_MAX = 4 * 1024 * 1024 };

const struct http_caps small_caps = {
	.depth = 3, .parameters = 12, .name_bytes = 16, .value_bytes = 256, .items = 12, .values = 40
};
static const struct slice collecting[] = { SLICE("email"), SLICE("event") };

static enum http_name_kind
kind_of(struct slice name)
{
	if (slice_equal(name, SLICE("__url")) || slice_equal(name, SLICE("ip")))
		return HTTP_NAME_INFORMS;
	if (slice_is_one_of(name, collecting, ARRAY_SIZE(collecting)))
		return HTTP_NAME_PARAMETER;
	if (slice_starts_with(name, SLICE("_")))
		return HTTP_NAME_DROPPED;
	return slice_starts_with(name, SLICE("utm_")) ? HTTP_NAME_OPTIONAL : HTTP_NAME_FIELD;
}

/* For an object of fields. */
static enum http_name_kind
kind_of_member(struct slice name)
{
	return slice_starts_with(name, SLICE("_")) ? HTTP_NAME_DROPPED : HTTP_NAME_FIELD;
}

const struct http_names some_names = {
	.collecting = collecting,
	.collecting_count = ARRAY_SIZE(collecting),
	.kind_of = kind_of,
	.fields = { "fields", 6 },
	.kind_of_member = kind_of_member,
};

static void
require_name(struct slice name)
{
	const bool within = slice_starts_with_nocase(name, SLICE("fields["));
	REQUIRE(name.size > 0 && name.size <= small_caps.name_bytes + (within ? sizeof("fields[]") - 1 : 0));
	REQUIRE(kind_of(name) != HTTP_NAME_DROPPED);
	REQUIRE(utf8_valid(name) && !slice_has_control(name));
}

/* Valid UTF-8, trimmed, without control characters except tab and line end. */
static void
require_text(struct slice text)
{
	REQUIRE(slice_present(text) && utf8_valid(text) && slice_trim(text).size == text.size);
	for (size_t i = 0; i < text.size; i++)
		REQUIRE(text.data[i] == '\t' || text.data[i] == '\n' || !slice_has_control(slice_sub(text, i, i + 1)));
}

/* Normalized, within its cap, with the members of its type. */
static void
require_value(const struct http_value *value, bool item)
{
	REQUIRE(value->type != HTTP_ARRAY || !item);
	REQUIRE(value->type == HTTP_ARRAY || value->item_count == 0);
	if (value->type == HTTP_STRING)
		require_text(value->text);
	REQUIRE(value->text.size <= small_caps.value_bytes && value->item_count <= small_caps.items);
	REQUIRE(slice_starts_with(http_value_whole(value), value->text));
	for (size_t i = 0; i < value->item_count; i++)
		require_value(&value->items[i], true);
}

static void
require_same_value(const struct http_value *one, const struct http_value *other)
{
	REQUIRE(one->type == other->type && one->item_count == other->item_count);
	REQUIRE(slice_equal(one->text, other->text) && one->boolean == other->boolean);
	for (size_t i = 0; i < one->item_count; i++)
		require_same_value(&one->items[i], &other->items[i]);
}

static void
require_same(const struct http_params *one, const struct http_params *other)
{
	REQUIRE(http_params_count(one) == http_params_count(other));
	for (size_t i = 0; i < http_params_count(one); i++) {
		const struct http_param *a = http_params_at(one, i), *b = http_params_at(other, i);
		REQUIRE(slice_equal(a->name, b->name));
		require_same_value(&a->value, &b->value);
	}
}

/* JSON can represent every table: it is the same when written as JSON and read again. */
static void
require_again(struct pool *pool, const struct http_params *params)
{
	struct buffer out;
	struct json_writer writer;
	struct http_params *again;
	struct http_problem problem;
	buffer_init(&out, AGAIN_MAX);
	json_writer_init(&writer, &out);
	json_begin_object(&writer);
	for (size_t i = 0; i < http_params_count(params); i++) {
		json_key(&writer, http_params_at(params, i)->name);
		http_value_write(&http_params_at(params, i)->value, &writer);
	}
	json_end_object(&writer);
	REQUIRE(buffer_ok(&out));
	struct http_request request = { .pool = pool, .content_type = SLICE("application/json"), .body = buffer_slice(&out) };
	struct http_caps caps = small_caps;
	caps.values += caps.parameters; /* in JSON an array counts in addition to its items */
	REQUIRE(http_params_parse_body(http_params_parse_query(&request, &caps, &some_names), &request, &again, &problem));
	require_same(params, again);
	buffer_free(&out);
}

static void
require_table(const struct http_params *params)
{
	REQUIRE(http_params_count(params) <= small_caps.parameters);
	for (size_t i = 0; i < http_params_count(params); i++) {
		const struct http_param *param = http_params_at(params, i);
		require_name(param->name);
		require_value(&param->value, false);
		REQUIRE(kind_of(param->name) != HTTP_NAME_OPTIONAL || param->value.type != HTTP_ARRAY);
		REQUIRE(http_params_find(params, param->name) == param);
	}
}

/* A body with one more member, which is dropped; the body itself if there is no place for one. The member comes before NULs at
 * the end, which are not text. */
static struct slice
with_dropped(struct pool *pool, struct slice content_type, struct slice body)
{
	while (body.size > 0 && body.data[body.size - 1] == '\0')
		body.size--;
	if (slice_equal(content_type, SLICE("application/x-www-form-urlencoded")))
		return POOL_JOIN(pool, body, SLICE("&_dropped_although_long[]=%00%FF&_=\xff"));
	if (slice_equal(content_type, SLICE("application/json")) && slice_starts_with(body, SLICE("{\"")))
		return POOL_JOIN(
		    pool, SLICE("{\"_dropped_although_long\":{\"\\u0000\":[1e999]},"), slice_sub(body, 1, body.size));
	return body;
}

/* What is dropped changes nothing. */
static void
require_dropped(
    struct pool *pool, const struct http_request *request, const struct http_params *params, const struct http_problem *problem)
{
	struct http_problem other = { .message = SLICE_NONE };
	struct http_request more = *request;
	struct http_params *table;
	more.body = with_dropped(pool, request->content_type, request->body);
	const bool valid =
	    http_params_parse_body(http_params_parse_query(&more, &small_caps, &some_names), &more, &table, &other);
	REQUIRE(valid == (params != NULL));
	if (valid)
		require_same(params, table);
	else
		REQUIRE(other.kind == problem->kind);
}

/* Error messages are valid text for clients. */
static void
require_problem(const struct http_problem *problem)
{
	REQUIRE(slice_present(problem->message) == (problem->kind != HTTP_UNSUPPORTED_MEDIA_TYPE));
	REQUIRE(utf8_valid(problem->message) && !slice_has_control(problem->message));
}

static bool
any(void *context, const struct http_param *param)
{
	(void)context;
	(void)param;
	return true;
}

/* Parameters of a URL are only added; they replace nothing. */
static void
require_merge(struct pool *pool, struct http_params *params, struct slice query)
{
	size_t before = http_params_count(params);
	struct slice url = POOL_JOIN(pool, SLICE("https://shop.example/?"), query);
	http_params_merge_url(params, url, any, NULL);
	require_table(params);
	for (size_t i = 0; i < http_params_count(params); i++)
		REQUIRE((http_params_at(params, i)->origin == HTTP_ORIGIN_URL) == (i >= before));
}

void
require_params(struct pool *pool, struct slice query, struct slice content_type, struct slice body, struct http_params **params)
{
	struct http_problem problem = { .message = SLICE_NONE };
	struct http_request request = { .pool = pool, .query = query, .content_type = content_type, .body = body };
	struct http_params *lenient = http_params_parse_query(&request, &small_caps, &some_names);
	bool valid = http_params_parse_body(lenient, &request, params, &problem);
	require_table(lenient);
	if (valid) {
		require_table(*params);
		require_again(pool, *params);
		require_dropped(pool, &request, *params, &problem);
		REQUIRE(http_params_count(lenient) <= http_params_count(*params));
		require_merge(pool, *params, body);
	} else {
		require_problem(&problem);
		require_dropped(pool, &request, NULL, &problem);
		*params = NULL;
	}
}
