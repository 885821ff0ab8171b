/* SPDX-License-Identifier: MIT */
#include "api/call/signup_fields.h"

#include "api/call/call_answers.h"
#include "api/call/param_names.h"
#include "api/call/param_values.h"
#include "base/utf8.h"
#include "bots/form_fields.h"
#include "engine/custom_fields.h"

enum { FIELDS_MAX_BYTES = 1024 * 1024 };

static bool
is_utm(struct slice lower_name)
{
	return slice_starts_with(lower_name, SLICE(UTM_PREFIX));
}

/* Whether a member of `custom_fields` is dropped, because it is no custom field outside. */
static bool
is_no_field(struct slice name, struct slice base)
{
	return slice_starts_with(name, SLICE("_")) || is_utm(name) || param_is_reserved(base);
}

/* What a person has agreed to. A link must not say it for them. */
static bool
is_consent(struct slice name)
{
	return slice_starts_with(name, SLICE("consent"));
}

/* docs/api.md 1.4: utm_*, kid and custom fields. The author of a link chose them, not the visitor, so they must not
 * identify the lead, set a redirect or give a consent. */
static bool
may_come_from_url(void *pool, const struct http_param *param)
{
	struct slice name, base;
	if (custom_field_member(pool, param->name, &name, &base))
		return !is_no_field(name, base) && !is_consent(base);
	if (is_utm(name) || slice_equal(param->name, SLICE("kid")))
		return param->value.type != HTTP_ARRAY; /* which is an error in a request */
	return !slice_starts_with(name, SLICE("_")) && !param_is_reserved(name) && !is_consent(name);
}

/* Of the page that a browser names in a header, the page itself has not said that its query is for this service. */
static bool
may_come_from_referer(void *pool, const struct http_param *param)
{
	return (slice_equal(param->name, SLICE("kid")) || is_utm(custom_field_name(pool, param->name))) &&
	       may_come_from_url(pool, param);
}

/* The whole query is merged: a value that was cut with the URL would be a wrong one. What neither the request nor `__url` has
 * is taken from the page of a form, as far as browsers say it; a server has none. */
bool
signup_read_page_url(struct call *call, struct slice *url)
{
	const struct http_param *given;
	if (!param_read_given(call, PARAM_PAGE_URL, &given, url))
		return false;
	if (slice_present(*url))
		http_params_merge_url(call->params, http_value_whole(&given->value), may_come_from_url, call->request->pool);
	if (call->account_id == 0)
		http_params_merge_url(call->params, call->request->referer, may_come_from_referer, call->request->pool);
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

/* PHP sends an empty array for an object without members. */
static bool
is_empty(const struct http_value *value)
{
	return value->type == HTTP_ARRAY ? value->item_count == 0 : value->type == HTTP_STRING && value->text.size == 0;
}

/* `Plan` and `plan` are two parameters and one field, and so is `custom_fields[plan]`. The length is checked after the change
 * to lower case, which can make names longer, so that a shown name is always accepted. False: the call has failed. */
static bool
collect_fields(struct call *call, struct fields *fields)
{
	struct pool *pool = call->request->pool;
	size_t count = http_params_count(call->params), cap = call->api->options->caps.name_bytes;
	*fields = (struct fields){ POOL_ARRAY(pool, count, struct field), 0 };
	for (size_t i = 0; i < count; i++) {
		const struct http_param *param = http_params_at(call->params, i);
		struct slice name, base;
		if (custom_field_member(pool, param->name, &name, &base) && is_no_field(name, base))
			continue;
		if (slice_equal(name, SLICE(CUSTOM_FIELDS_NAME)) && is_empty(&param->value))
			continue;
		if (name.size <= cap)
			add_field(fields, name, param);
		else if (param->origin != HTTP_ORIGIN_URL && !is_utm(name)) /* which are ignored */
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

/* The honeypot of the campaign's forms: it never becomes a field. Sets whether it is filled. */
static bool
is_honeypot(struct call *call, struct slice name, const struct http_param *param, bool *filled)
{
	const struct payload_settings *settings;
	char own[HONEYPOT_NAME_SIZE];
	if (!honeypot_well_formed(name) || store_payload_settings(call->api->store, &settings) != RESULT_OK ||
	    !slice_equal(name, honeypot_name(own, settings->server_secret, call->campaign.id)))
		return false;
	*filled = *filled || (param->origin != HTTP_ORIGIN_URL && !is_empty(&param->value) && param->value.type != HTTP_NULL);
	return true;
}

/* What was typed instead of a number is kept for the account, unless it does not fit. */
static void
add_ignored_number(struct call *call, struct slice typed, struct custom_field *changes, struct signup *signup)
{
	const struct http_value value = { .type = HTTP_STRING, .text = utf8_cut(typed, INVALID_NUMBER_BYTES) };
	for (size_t i = 0; i < signup->custom_field_count; i++)
		if (slice_equal(changes[i].name, INVALID_NUMBER))
			return;
	changes[signup->custom_field_count++] = (struct custom_field){
		.name = INVALID_NUMBER, .json = value_as_json(call->request->pool, &value), .text = value.text
	};
	signup->optional_fields++;
}

/* Null removes a field. An own parameter is one value (docs/api.md 1.1), used here or not. False: the call has failed. */
static bool
parse_custom_fields(struct call *call, const struct fields *fields, struct signup_arguments *arguments)
{
	struct pool *pool = call->request->pool;
	struct signup *signup = &arguments->signup;
	struct custom_field *changes = POOL_ARRAY(pool, fields->count + 1, struct custom_field);
	for (size_t i = 0; i < fields->count; i++) {
		const struct slice name = fields->items[i].name;
		const struct http_value *value = &fields->items[i].param->value;
		if (slice_starts_with(name, SLICE("_")) || is_utm(name) ||
		    is_honeypot(call, name, fields->items[i].param, &arguments->trapped))
			continue;
		if (param_is_reserved(name)) {
			if (value->type == HTTP_ARRAY && !param_informs(name))
				return call_fail_parameter(call, fields->items[i].param->name, "must be one value");
			continue;
		}
		changes[signup->custom_field_count++] = (struct custom_field){
			.name = name,
			.json = value->type == HTTP_NULL ? SLICE_NONE : value_as_json(pool, value),
			.text = value->type == HTTP_STRING ? value->text : SLICE_NONE,
		};
		/* the last ones: the query of `__url` was added after the request's own */
		signup->optional_fields += fields->items[i].param->origin == HTTP_ORIGIN_URL;
	}
	if (arguments->fault != PHONE_GOOD)
		add_ignored_number(call, arguments->typed_number, changes, signup);
	signup->custom_fields = changes;
	return true;
}

/* Adds a member, unless the object would be larger than the buffer's maximum with it. */
static void
add_utm(struct buffer *object, struct buffer *member, struct slice name, struct slice value)
{
	struct json_writer writer;
	buffer_clear(member);
	json_writer_init(&writer, member);
	json_key(&writer, name);
	json_string(&writer, value);
	if (!buffer_ok(member) || object->size + member->size + sizeof(",}") - 1 > object->maximum)
		return;
	buffer_add_byte(object, object->size == 0 ? '{' : ',');
	buffer_add(object, buffer_slice(member));
}

/* `utm_source=x` is stored as {"source":"x"}. What does not fit is left out. */
static void
parse_utm(struct call *call, const struct fields *fields, struct signup *signup)
{
	const struct api_options *options = call->api->options;
	const size_t most = call->account_id != 0 ? options->utm_bytes : options->public_utm_bytes;
	struct buffer object, member;
	buffer_init(&object, most);
	buffer_init(&member, most);
	for (size_t i = 0; i < fields->count; i++) {
		const struct slice name = fields->items[i].name;
		const struct http_value *value = &fields->items[i].param->value;
		if (is_utm(name) && name.size > sizeof(UTM_PREFIX) - 1 && value->text.size > 0)
			add_utm(&object, &member, slice_sub(name, sizeof(UTM_PREFIX) - 1, name.size), value->text);
	}
	if (object.size > 0) {
		buffer_add_byte(&object, '}');
		signup->utm = pool_copy(call->request->pool, buffer_slice(&object));
	}
	buffer_free(&member);
	buffer_free(&object);
}

bool
signup_read_fields(struct call *call, struct signup_arguments *arguments)
{
	struct fields fields;
	if (!collect_fields(call, &fields) || !parse_custom_fields(call, &fields, arguments))
		return false;
	parse_utm(call, &fields, &arguments->signup);
	return true;
}
