/* SPDX-License-Identifier: MIT
 * Custom fields and utm: the parameters whose names have no case (docs/api.md 4.4), and which of a page's own parameters
 * join the request (docs/api.md 1, "Merging __url"). */
#include "api/call.h"
#include "engine/custom_fields.h"

/* docs/api.md 4.4: what is no custom field, beside names that begin with `_` or `utm_`. */
static const char *const reserved[] = {
	"action",
	"api_key",
	"campaign_id",
	"campaignid",
	"controller",
	"country_code",
	"email",
	"ip",
	"ip_address",
	"jsonp",
	"kid",
	"kolid",
	"landing_page_id",
	"list_id",
	"must_exist",
	"phone_number",
	"points",
	"redirect_url",
	"referrer",
	"skip_ar",
	"social_id",
};

#define UTM "utm_"

enum { FIELDS_MAX_BYTES = 1024 * 1024 };

static bool
is_ours(struct slice lower_name)
{
	for (size_t i = 0; i < ARRAY_SIZE(reserved); i++)
		if (slice_equal(lower_name, slice_of(reserved[i])))
			return true;
	return false;
}

static bool
is_reserved(struct slice lower_name)
{
	return slice_starts_with(lower_name, SLICE("_")) || slice_starts_with(lower_name, SLICE(UTM)) || is_ours(lower_name);
}

/* docs/api.md 1, "Merging __url": utm_*, kid and custom fields. Whoever made the link that a visitor followed chose them, so
 * they must not say which lead is meant, nor where a browser is sent. */
static bool
may_come_from_url(void *context, const struct http_param *param)
{
	struct slice name = custom_field_name(context, param->name);
	if (slice_starts_with(name, SLICE(UTM)) || slice_equal(param->name, SLICE("kid")))
		return param->value.type != HTTP_ARRAY; /* which would be an error in a request */
	return !is_reserved(name);
}

bool
call_merge_url(struct call *call)
{
	struct slice url;
	if (!call_text(call, "__url", &url))
		return false;
	if (slice_present(url))
		http_params_merge_url(call->params, url, may_come_from_url, call->request->pool);
	return true;
}

/* A parameter under the name by which it is kept. */
struct field {
	struct slice name;
	const struct http_param *param;
};

struct fields {
	struct field *items;
	size_t count;
};

/* docs/api.md 1: a later value replaces an earlier one, the body's the query's, and none of __url what the request carries. */
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

/* `Plan` and `plan` are two parameters and one field. Lower case can be longer, and a name that was taken must be taken again
 * as it is shown. False: the call has failed. */
static bool
collect_fields(struct call *call, struct fields *fields)
{
	struct pool *pool = call->request->pool;
	size_t count = http_params_count(call->params), cap = call->api->options->caps.name_bytes;
	*fields = (struct fields){ POOL_ARRAY(pool, count, struct field), 0 };
	for (size_t i = 0; i < count; i++) {
		const struct http_param *param = http_params_at(call->params, i);
		struct slice name = custom_field_name(pool, param->name);
		if (name.size <= cap) {
			add_field(fields, name, param);
		} else if (param->origin != HTTP_ORIGIN_URL) { /* which is data, not a request */
			call_fail_parameter(
			    call, param->name, pool_printf(pool, "is longer than %zu bytes in lower case", cap).data);
			return false;
		}
	}
	return true;
}

/* What is cut off here is still far beyond what the fields of a lead may have together. */
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

/* Everything that is not reserved, null removing what is there; of ours each is one value (docs/api.md 1), used here or not.
 * False: the call has failed. */
static bool
parse_custom_fields(struct call *call, const struct fields *fields, struct signup *signup)
{
	struct pool *pool = call->request->pool;
	struct custom_field *changes = POOL_ARRAY(pool, fields->count, struct custom_field);
	for (size_t i = 0; i < fields->count; i++) {
		const struct http_value *value = &fields->items[i].param->value;
		if (value->type == HTTP_ARRAY && is_ours(fields->items[i].name)) {
			call_fail_parameter(call, fields->items[i].param->name, "must be one value");
			return false;
		}
		if (is_reserved(fields->items[i].name))
			continue;
		changes[signup->custom_field_count++] = (struct custom_field){
			.name = fields->items[i].name,
			.json = value->type == HTTP_NULL ? SLICE_NONE : value_as_json(pool, value),
			.text = value->type == HTTP_STRING ? value->text : SLICE_NONE,
		};
	}
	signup->custom_fields = changes;
	return true;
}

/* False: the call has failed. */
static bool
write_utm(struct call *call, const struct fields *fields, struct json_writer *writer, bool *any)
{
	const struct slice prefix = SLICE(UTM);
	for (size_t i = 0; i < fields->count; i++) {
		struct slice name = fields->items[i].name, text;
		if (!slice_starts_with(name, prefix) || name.size == prefix.size)
			continue;
		if (!call_param_text(call, fields->items[i].param, &text))
			return false;
		if (!slice_present(text))
			continue;
		json_key(writer, slice_sub(name, prefix.size, name.size));
		json_string(writer, text);
		*any = true;
	}
	return true;
}

/* `utm_source=x` is kept as {"source":"x"}. */
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
	if (valid && !buffer_ok(&out)) {
		call_fail_with(call, FAILURE_INVALID_PARAMETER,
		    pool_printf(pool, "The utm parameters may have at most %zu bytes together", call->api->options->utm_bytes));
		valid = false;
	}
	if (valid && any)
		signup->utm = pool_copy(pool, buffer_slice(&out));
	buffer_free(&out);
	return valid;
}

bool
call_parse_fields(struct call *call, struct signup *signup)
{
	struct fields fields;
	if (!collect_fields(call, &fields))
		return false;
	return parse_custom_fields(call, &fields, signup) && parse_utm(call, &fields, signup);
}
