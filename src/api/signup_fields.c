/* SPDX-License-Identifier: MIT
 * The fields of a sign-up, except identifiers: its source, custom fields and utm (docs/api.md 4.4), and the parameters that are
 * taken from the query of `__url` (docs/api.md 1.4). */
#include "api/parameters.h"

#include "engine/custom_fields.h"
#include "http/text.h"
#include "identity/network.h"

#define UTM "utm_"

enum { FIELDS_MAX_BYTES = 1024 * 1024 };

/* The part of a header that is valid text. */
static struct slice
header_text(struct call *call, struct slice header)
{
	struct slice text;
	header = slice_sub(header, 0, call->api->options->caps.value_bytes);
	if (!slice_present(header) || http_text_normalise(call->request->pool, header, &text) != NULL || text.size == 0)
		return SLICE_NONE;
	return text;
}

/* `name.id` is a source and its id. */
static void
split_source(struct signup *signup)
{
	size_t dot = slice_find_last(signup->source, '.');
	uint64_t id;
	if (dot > 0 && dot < signup->source.size &&
	    slice_to_u64(slice_sub(signup->source, dot + 1, signup->source.size), INT64_MAX, &id)) {
		signup->source_id = id;
		signup->source = slice_sub(signup->source, 0, dot);
	}
}

/* Fills in values that were not sent. With a key, sent values replace stored ones. */
bool
call_default_signup(struct call *call, const struct parameter *parameter UNUSED, struct arguments *arguments)
{
	struct signup *signup = &arguments->signup;
	const bool keyed = call->account_id != 0;
	signup->replace_ip = slice_present(signup->ip);
	if (!signup->replace_ip && call->has_client)
		signup->ip = ip_address_format(call->request->pool, &call->client);
	signup->replace_user_agent = keyed && slice_present(signup->user_agent);
	if (!slice_present(signup->user_agent))
		signup->user_agent = header_text(call, call->request->user_agent);
	if (!slice_present(signup->referrer))
		signup->referrer = header_text(call, call->request->referer);
	if (!slice_present(signup->source))
		signup->source = keyed ? SLICE("API") : SLICE("form");
	split_source(signup);
	return true;
}

static bool
is_utm(struct slice lower_name)
{
	return slice_starts_with(lower_name, SLICE(UTM));
}

/* docs/api.md 1.4: utm_*, kid and custom fields. The author of a link chose them, not the visitor, so they must not
 * identify the lead or set a redirect. */
static bool
may_come_from_url(void *pool, const struct http_param *param)
{
	struct slice name = custom_field_name(pool, param->name);
	if (is_utm(name) || parameter_is_from_url(param->name))
		return param->value.type != HTTP_ARRAY; /* which is an error in a request */
	return !slice_starts_with(name, SLICE("_")) && !parameter_is_reserved(name);
}

bool
call_merge_url(struct call *call, const struct parameter *parameter UNUSED, struct arguments *arguments)
{
	struct slice url = arguments->signup.signup_url;
	if (slice_present(url))
		http_params_merge_url(call->params, url, may_come_from_url, call->request->pool);
	return true;
}

/* A parameter and the name under which it is stored. */
struct field {
	struct slice name;
	const struct http_param *param;
};

struct fields {
	struct field *items;
	size_t count;
};

/* docs/api.md 4.4: the body takes precedence over the query, the query over `__url`; otherwise the last value is used. */
static bool
replaces(const struct http_param *one, const struct http_param *other)
{
	return one->origin != other->origin ? one->origin > other->origin : one->serial > other->serial;
}

static void
add_field(struct fields *fields, struct slice name, const struct http_param *param)
{
	for (size_t i = 0; i < fields->count; i++) {
		if (!slice_equal(fields->items[i].name, name))
			continue;
		if (replaces(param, fields->items[i].param))
			fields->items[i].param = param;
		return;
	}
	fields->items[fields->count++] = (struct field){ name, param };
}

/* `Plan` and `plan` are two parameters and one field. The length is checked after the change to lower case, which can make
 * names longer, so that a shown name is always accepted. False: the call has failed. */
static bool
collect_fields(struct call *call, struct fields *fields)
{
	struct pool *pool = call->request->pool;
	size_t count = http_params_count(call->params), cap = call->api->options->caps.name_bytes;
	*fields = (struct fields){ POOL_ARRAY(pool, count, struct field), 0 };
	for (size_t i = 0; i < count; i++) {
		const struct http_param *param = http_params_at(call->params, i);
		struct slice name = custom_field_name(pool, param->name);
		if (name.size <= cap)
			add_field(fields, name, param);
		else if (param->origin != HTTP_ORIGIN_URL) /* which is ignored there */
			return call_fail_parameter(
			    call, param->name, pool_printf(pool, "is longer than %zu bytes in lower case", cap).data);
	}
	return true;
}

/* The maximum here is far larger than that of all fields of a lead. */
static struct slice
value_as_json(struct pool *pool, const struct http_value *value)
{
	struct buffer out;
	struct json_writer writer;
	buffer_init(&out, FIELDS_MAX_BYTES);
	json_writer_init(&writer, &out);
	http_value_write(value, &writer);
	struct slice json = pool_copy(pool, buffer_slice(&out));
	buffer_free(&out);
	return json;
}

/* Null removes a field. An own parameter is one value (docs/api.md 1.1), used here or not. False: the call has failed. */
static bool
parse_custom_fields(struct call *call, const struct fields *fields, struct signup *signup)
{
	struct pool *pool = call->request->pool;
	struct custom_field *changes = POOL_ARRAY(pool, fields->count, struct custom_field);
	for (size_t i = 0; i < fields->count; i++) {
		const struct slice name = fields->items[i].name;
		const struct http_value *value = &fields->items[i].param->value;
		if (slice_starts_with(name, SLICE("_")) || is_utm(name))
			continue;
		if (!parameter_is_reserved(name))
			changes[signup->custom_field_count++] = (struct custom_field){
				.name = name,
				.json = value->type == HTTP_NULL ? SLICE_NONE : value_as_json(pool, value),
				.text = value->type == HTTP_STRING ? value->text : SLICE_NONE,
			};
		else if (value->type == HTTP_ARRAY)
			return call_fail_parameter(call, fields->items[i].param->name, "must be one value");
	}
	signup->custom_fields = changes;
	return true;
}

/* False: the call has failed. */
static bool
write_utm(struct call *call, const struct fields *fields, struct json_writer *writer, bool *any)
{
	for (size_t i = 0; i < fields->count; i++) {
		struct slice name = slice_sub(fields->items[i].name, sizeof(UTM) - 1, fields->items[i].name.size), text;
		if (!is_utm(fields->items[i].name) || name.size == 0)
			continue;
		if (!call_param_text(call, fields->items[i].param, &text))
			return false;
		if (!slice_present(text))
			continue;
		json_key(writer, name);
		json_string(writer, text);
		*any = true;
	}
	return true;
}

/* `utm_source=x` is stored as {"source":"x"}. */
static bool
parse_utm(struct call *call, const struct fields *fields, struct signup *signup)
{
	struct pool *pool = call->request->pool;
	struct buffer out;
	struct json_writer writer;
	bool any = false;
	buffer_init(&out, call->api->options->utm_bytes);
	json_writer_init(&writer, &out);
	json_begin_object(&writer);
	bool valid = write_utm(call, fields, &writer, &any);
	json_end_object(&writer);
	if (valid && !buffer_ok(&out))
		valid = call_fail_with(call, FAILURE_INVALID_PARAMETER,
		    pool_printf(pool, "The utm parameters may have at most %zu bytes together", call->api->options->utm_bytes));
	if (valid && any)
		signup->utm = pool_copy(pool, buffer_slice(&out));
	buffer_free(&out);
	return valid;
}

bool
call_read_custom_fields(struct call *call, const struct parameter *parameter UNUSED, struct arguments *arguments)
{
	struct fields fields;
	return collect_fields(call, &fields) && parse_custom_fields(call, &fields, &arguments->signup) &&
	       parse_utm(call, &fields, &arguments->signup);
}
