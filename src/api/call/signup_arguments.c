/* SPDX-License-Identifier: MIT */
#include "api/call/signup_arguments.h"

#include "api/call/call_answers.h"
#include "api/call/lead_argument.h"
#include "api/call/param_values.h"
#include "base/language_tag.h"
#include "base/utf8.h"
#include "bots/form_traps.h"
#include "engine/custom_fields.h"
#include "http/link_query.h"
#include "identity/link.h"
#include "identity/network.h"
#include "identity/social_id.h"
#include "text/text.h"

enum { FIELDS_MAX_BYTES = 1024 * 1024 };

static bool
is_utm(struct slice lower_name)
{
	return slice_starts_with(lower_name, SLICE(UTM_PREFIX));
}

/* Whether a member of `custom_fields` is dropped, because it would not be a custom field outside of it. */
static bool
is_no_field(struct slice name, struct slice base)
{
	return slice_starts_with(name, SLICE("_")) || is_utm(name) || param_is_reserved(base);
}

/* Whether the parameter is a consent. A link must not give the consent of a person. */
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
		return param->value.type != HTTP_ARRAY; /* an array is an error in a request */
	return !slice_starts_with(name, SLICE("_")) && !param_is_reserved(name) && !is_consent(name);
}

/* Only `kid` and utm_* are read from the page that a browser names in a header, because its query may not be meant for this
 * service. */
static bool
may_come_from_referer(void *pool, const struct http_param *param)
{
	return (slice_equal(param->name, SLICE("kid")) || is_utm(custom_field_name(pool, param->name))) &&
	       may_come_from_url(pool, param);
}

/* Merges the query of the whole URL, because the last value of a URL that was cut would be wrong. Values that neither the
 * request nor `__url` has are taken from the page of a form, if the browser names it; a server has no page. */
static bool
read_page_url(struct call *call, struct slice *url)
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

/* docs/api.md 4.4: the body takes precedence over the query, and the query over `__url`. Within each, the last value is
 * used. */
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

/* Whether the value has no members: PHP sends an empty array for an object without members. */
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
		else if (param->origin != HTTP_ORIGIN_URL && !is_utm(name)) /* those of URLs and utm parameters are left out */
			return call_fail_parameter(
			    call, param->name, pool_printf(pool, "is longer than %zu bytes in lower case", cap).data);
	}
	return true;
}

/* This buffer is far larger than the maximum of all fields of a lead. */
static struct slice
value_as_json(struct pool *pool, const struct http_value *value)
{
	struct buffer out;
	struct json_writer writer;
	buffer_init(&out, FIELDS_MAX_BYTES);
	json_writer_init(&writer, &out);
	http_value_write(value, &writer);
	struct slice json = buffer_take(&out, pool);
	return json;
}

/* Whether the parameter is the honeypot of the campaign's forms, which never becomes a field. Sets whether it is filled. */
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

/* Stores an invalid phone number as a custom field for the account, unless that does not fit. */
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

/* Null removes a field. A known parameter must have one value (docs/api.md 1.1), even if it is not used here. False: the call
 * has failed. */
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
		/* the last fields are optional: those of `__url` were added after those of the request */
		signup->optional_fields += fields->items[i].param->origin == HTTP_ORIGIN_URL;
	}
	if (arguments->number.fault != PHONE_GOOD)
		add_ignored_number(call, arguments->number.typed, changes, signup);
	signup->custom_fields = changes;
	return true;
}

/* Adds a member, unless the object would then be larger than the buffer's maximum. */
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

/* `utm_source=x` is stored as {"source":"x"}. Members that do not fit are left out. */
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

static bool
read_fields(struct call *call, struct signup_arguments *arguments)
{
	struct fields fields;
	if (!collect_fields(call, &fields) || !parse_custom_fields(call, &fields, arguments))
		return false;
	parse_utm(call, &fields, &arguments->signup);
	return true;
}

/* ---- who signs up ---- */

static bool
read_owner(struct call *call, struct signup *signup)
{
	struct lead_reference own;
	if (!lead_read_owner(call, &own))
		return false;
	signup->own_id = own.value;
	signup->own_epoch = own.epoch;
	return true;
}

static bool
read_email(struct call *call, struct signup *signup)
{
	struct email email;
	if (!lead_read_email(call, &email))
		return false;
	signup->email = email.display;
	signup->email_key = email.key;
	return true;
}

/* An invalid number does not prevent a sign-up with an email address, unless the caller or the visitor of a hosted page can
 * correct it. */
static bool
read_phone_number(struct call *call, struct signup_arguments *arguments)
{
	const bool is_strict = param_is_on(call, PARAM_STRICT) || (call->route->flags & ROUTE_HOSTED) != 0;
	struct typed_number *number = &arguments->number;
	if (!lead_read_number(call, number))
		return false;
	arguments->signup.phone = number->number;
	return number->fault == PHONE_GOOD || (!is_strict && slice_present(arguments->signup.email_key)) ||
	       call_fail_with(call, FAILURE_INVALID_PHONE_NUMBER, phone_fault_text(number->fault));
}

/* The `kid` in the query of `__url`, which names the referrer, or absent. read_page_url has left out arrays. */
static bool
read_kid_of_url(struct call *call, struct slice *kid)
{
	const struct http_param *param = http_params_find(call->params, SLICE("kid"));
	*kid = SLICE_NONE;
	return param == NULL || param->origin != HTTP_ORIGIN_URL || param_text_of(call, param, kid);
}

/* The social id in the request identifies the lead to update or the referrer; the one in `__url` identifies the referrer. */
static bool
read_subject_or_referrer(struct call *call, struct signup *signup)
{
	struct pool *pool = call->request->pool;
	const struct http_param *given;
	struct slice typed, id = SLICE_NONE, kid;
	if (!param_read_given(call, PARAM_SIGNUP_ID, &given, &typed) || !read_kid_of_url(call, &kid))
		return false;
	const bool in_request = slice_present(typed);
	const bool referrer_only = in_request && slice_starts_with(given->name, SLICE("_")); /* `__kid` never names the lead */
	const bool identified = slice_present(signup->email_key) || slice_present(signup->phone);
	const bool names_subject = in_request && call_has_right(call, RIGHT_CHANGE) &&
				   (call->route->flags & ROUTE_SUBSCRIBE) == 0 &&
				   (signup->must_exist || (!identified && !referrer_only));
	if (!identified && !names_subject)
		return call_fail(call, FAILURE_MISSING_EMAIL_AND_PHONE);
	if (names_subject)
		return social_id_parse(pool, typed, &signup->subject) || call_fail(call, FAILURE_LEAD_NOT_FOUND);
	typed = in_request ? typed : kid;
	/* malformed ids are ignored, just like unknown ones */
	if (slice_present(typed) && http_link_id(pool, typed, &id) && social_id_parse(pool, id, &id))
		signup->referrer_id = id;
	return true;
}

/* ---- where the lead comes from ---- */

/* Reads the first address in the values; if there is none, the address of the request is used later. That is always used if the
 * campaign counts addresses and the caller has no key, because such a caller could otherwise choose what is counted. */
static void
read_ip(struct call *call, struct signup *signup)
{
	const struct http_value *values;
	struct ip_address address;
	const bool counted = call->account_id == 0 && call->campaign.max_per_ip > 0;
	const size_t count = counted ? 0 : param_values(call, param_name(PARAM_IP), &values);
	for (size_t i = 0; i < count && !slice_present(signup->ip); i++)
		if (client_address_first(http_value_whole(&values[i]), &address))
			signup->ip = ip_address_format(call->request->pool, &address);
}

/* Splits `name.id` into the source and its id. */
static void
split_source(struct signup *signup)
{
	const size_t dot = slice_find_last(signup->source, '.');
	uint64_t id;
	if (dot > 0 && dot < signup->source.size &&
	    slice_to_u64(slice_sub(signup->source, dot + 1, signup->source.size), INT64_MAX, &id)) {
		signup->source_id = id;
		signup->source = slice_sub(signup->source, 0, dot);
	}
}

/* Without `__language`, a visitor's language is that of the page. The language that a server requests is not that of the
 * lead. */
static void
set_language(struct call *call, struct signup *signup)
{
	const struct slice ours = call->campaign.language;
	const struct slice page = slice_present(ours) ? ours : text_language_accept(call->request->accept_language);
	signup->replace_language =
	    slice_present(signup->language) && language_tag_parse(call->request->pool, signup->language, &signup->language);
	if (!signup->replace_language &&
	    (call->account_id != 0 || !language_tag_parse(call->request->pool, page, &signup->language)))
		signup->language = SLICE_NONE;
}

/* Fills in values that were not sent. An address that was sent replaces the stored one; with RIGHT_CHANGE, so does a user
 * agent. */
static void
fill_in(struct call *call, struct signup *signup)
{
	signup->replace_ip = slice_present(signup->ip);
	if (!signup->replace_ip)
		signup->ip = ip_address_format(call->request->pool, call_client(call));
	signup->replace_user_agent = call_has_right(call, RIGHT_CHANGE) && slice_present(signup->user_agent);
	if (!slice_present(signup->user_agent))
		signup->user_agent = call_header_text(call, call->request->user_agent);
	signup->referrer_is_page = !slice_present(signup->referrer);
	if (signup->referrer_is_page)
		signup->referrer = call_header_text(call, call->request->referer);
	set_language(call, signup);
	if (!slice_present(signup->source))
		signup->source = call->account_id != 0 ? SLICE("API") : SLICE("form");
	split_source(signup);
}

static bool
read_origin(struct call *call, struct signup *signup)
{
	read_ip(call, signup);
	return param_read_text(call, PARAM_REFERRER, &signup->referrer) &&
	       param_read_text(call, PARAM_SESSION_ID, &signup->session_id) &&
	       param_read_text(call, PARAM_USER_AGENT, &signup->user_agent) &&
	       param_read_text(call, PARAM_LANGUAGE, &signup->language) &&
	       param_read_text(call, PARAM_SIGNUP_SOURCE, &signup->source);
}

/* ---- all ---- */

static bool
read_subject(struct call *call, enum signup_way way, struct signup_arguments *arguments)
{
	struct signup *signup = &arguments->signup;
	if (!read_page_url(call, &signup->signup_url) || (way == SIGNUP_BY_FORM && !read_owner(call, signup)) ||
	    !read_email(call, signup) || !read_phone_number(call, arguments) ||
	    !param_read_boolean(call, PARAM_MUST_EXIST, &signup->must_exist))
		return false;
	signup->keep_opt_out = param_is_given(call, PARAM_KEEP_OPT_OUT);
	return read_subject_or_referrer(call, signup);
}

static bool
read_bots(struct call *call, struct signup_arguments *arguments)
{
	return param_read_text(call, PARAM_PROOF, &arguments->proof) && param_read_text(call, PARAM_STAMP, &arguments->stamp);
}

/* Visitors cannot give themselves points. The map of an inbound webhook can name them. */
static bool
read_points(struct call *call, enum signup_way way, struct signup *signup)
{
	bool given;
	const bool may = way == SIGNUP_BY_PAYLOAD || (way == SIGNUP_BY_FORM && call_has_right(call, RIGHT_CHANGE));
	return !may || param_read_points(call, &given, &signup->points);
}

bool
signup_read(struct call *call, enum signup_way way, struct signup_arguments *arguments)
{
	struct signup *signup = &arguments->signup;
	*arguments = (struct signup_arguments){ .number.fault = PHONE_GOOD };
	if (!read_subject(call, way, arguments) || !read_origin(call, signup) ||
	    (way == SIGNUP_BY_FORM && !read_bots(call, arguments)) ||
	    !param_read_text(call, PARAM_REQUEST_ID, &signup->request_id) || !param_read_text(call, PARAM_UID, &signup->uid) ||
	    !param_read_checked(call, PARAM_REDIRECT_URL, link_is_web,
		"must be an http or https URL, or a reference without a scheme", &signup->redirect_url))
		return false;
	fill_in(call, signup);
	return read_fields(call, arguments) && read_points(call, way, signup);
}

struct slice
signup_note_ignored(struct call *call, const struct signup_arguments *arguments, struct slice lead)
{
	if (arguments->number.fault == PHONE_GOOD || !slice_ends_with(lead, SLICE("}")))
		return lead;
	return pool_printf(call->request->pool, "%.*s,\"ignored\":{\"phone_number\":{\"error\":\"%s\",\"message\":\"%.*s\"}}}",
	    SLICE_ARGS(slice_sub(lead, 0, lead.size - 1)), failure_info(FAILURE_INVALID_PHONE_NUMBER)->code,
	    SLICE_ARGS(phone_fault_text(arguments->number.fault)));
}
