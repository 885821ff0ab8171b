/* SPDX-License-Identifier: MIT
 * From a request's parameters to a sign-up command (contract.md 4.3, 4.4). */
#include <string.h>

#include "api/call.h"
#include "core/email.h"
#include "core/network.h"
#include "core/phone.h"
#include "core/social_id.h"
#include "http/text.h"

/* contract.md 4.4: what is no custom field, beside names that begin with `_` or `utm_`. */
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

enum { FIELDS_MAX_BYTES = 1024 * 1024 };

static bool
is_reserved(struct slice lower_name)
{
	if (slice_starts_with(lower_name, SLICE("_")) || slice_starts_with(lower_name, SLICE("utm_")))
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(reserved); i++)
		if (slice_equal(lower_name, slice_of(reserved[i])))
			return true;
	return false;
}

static struct slice
lower(struct pool *pool, struct slice text)
{
	char *copy = pool_string(pool, text);
	for (size_t i = 0; i < text.size; i++)
		copy[i] = ascii_lower(copy[i]);
	return (struct slice){ copy, text.size };
}

/* contract.md 1, "Merging __url": utm_*, kid and custom fields. Whoever made the link that a visitor followed chose them, so
 * they must not say which lead is meant, nor where a browser is sent. */
static bool
may_come_from_url(void *context, struct slice name)
{
	struct slice lower_name = lower(context, name);
	return !is_reserved(lower_name) || slice_starts_with(lower_name, SLICE("utm_")) || slice_equal(name, SLICE("kid"));
}

static void
write_value(struct json_writer *writer, const struct http_value *value)
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
			write_value(writer, &value->items[i]);
		json_end_array(writer);
		break;
	}
}

static struct slice
value_as_json(struct pool *pool, const struct http_value *value)
{
	struct buffer out;
	struct json_writer writer;
	buffer_init(&out, FIELDS_MAX_BYTES);
	json_writer_init(&writer, &out);
	write_value(&writer, value);
	struct slice json = pool_copy(pool, buffer_slice(&out));
	buffer_free(&out);
	return json;
}

static bool
has_field(const struct custom_field *fields, size_t count, struct slice name)
{
	for (size_t i = 0; i < count; i++)
		if (slice_equal(fields[i].name, name))
			return true;
	return false;
}

/* Everything that is not reserved, null removing what is there. `Plan` in __url does not beat `plan` in the request. */
static void
parse_custom_fields(struct call *call, struct signup *signup)
{
	struct pool *pool = call->request->pool;
	struct custom_field *fields = POOL_ARRAY(pool, http_params_count(call->params), struct custom_field);
	for (size_t i = 0; i < http_params_count(call->params); i++) {
		const struct http_param *param = http_params_at(call->params, i);
		struct slice name = lower(pool, param->name);
		if (is_reserved(name) ||
		    (param->origin == HTTP_ORIGIN_URL && has_field(fields, signup->custom_field_count, name)))
			continue;
		fields[signup->custom_field_count++] = (struct custom_field){
			.name = name,
			.json = param->value.type == HTTP_NULL ? SLICE_NONE : value_as_json(pool, &param->value),
			.text = param->value.type == HTTP_STRING ? param->value.text : SLICE_NONE,
		};
	}
	signup->custom_fields = fields;
}

/* `utm_source=x` is kept as {"source":"x"}. */
static bool
parse_utm(struct call *call, struct signup *signup)
{
	static const struct slice prefix = { "utm_", 4 };
	struct buffer out;
	struct json_writer writer;
	bool valid = true, any = false;
	buffer_init(&out, FIELDS_MAX_BYTES);
	json_writer_init(&writer, &out);
	json_begin_object(&writer);
	for (size_t i = 0; i < http_params_count(call->params) && valid; i++) {
		const struct http_param *param = http_params_at(call->params, i);
		struct slice name = lower(call->request->pool, param->name), text;
		if (!slice_starts_with(name, prefix) || name.size == prefix.size)
			continue;
		valid = call_param_text(call, param, &text);
		if (valid && slice_present(text)) {
			json_key(&writer, slice_sub(name, prefix.size, name.size));
			json_string(&writer, text);
			any = true;
		}
	}
	json_end_object(&writer);
	if (valid && !buffer_ok(&out)) {
		call_fail_with(call, FAILURE_INVALID_PARAMETER, SLICE("The utm parameters are too long together"));
		valid = false;
	}
	if (valid && any)
		signup->utm = pool_copy(call->request->pool, buffer_slice(&out));
	buffer_free(&out);
	return valid;
}

bool
call_parse_email(struct call *call, struct email *email)
{
	struct slice typed;
	*email = (struct email){ SLICE_NONE, SLICE_NONE };
	if (!call_text(call, "email", &typed))
		return false;
	if (!slice_present(typed) || email_parse(call->request->pool, typed, email))
		return true;
	call_fail(call, FAILURE_INVALID_EMAIL);
	return false;
}

bool
call_parse_phone(struct call *call, struct slice *e164)
{
	struct slice number, country_code;
	*e164 = SLICE_NONE;
	if (!call_text(call, "phone_number", &number) || !call_text(call, "country_code", &country_code))
		return false;
	if (!slice_present(number) || phone_parse(call->request->pool, number, country_code, e164))
		return true;
	call_fail(call, FAILURE_INVALID_PHONE_NUMBER);
	return false;
}

/* The first of several names that has a value. */
static bool
first_text(struct call *call, const char *const *names, struct slice *text)
{
	for (*text = SLICE_NONE; *names != NULL && !slice_present(*text); names++)
		if (!call_text(call, *names, text))
			return false;
	return true;
}

/* A social id among the parameters names the lead to update, or the referrer (4.3.2, 4.3.3). */
static bool
parse_social_id(struct call *call, struct signup *signup)
{
	static const char *const names[] = { "social_id", "kid", "__kid", NULL };
	struct slice typed, id = SLICE_NONE;
	if (!first_text(call, names, &typed))
		return false;
	const struct http_param *kid = http_params_find(call->params, SLICE("kid"));
	bool of_request =
	    slice_present(typed) && !(kid != NULL && kid->origin == HTTP_ORIGIN_URL && typed.data == kid->value.text.data);
	bool identified = slice_present(signup->email_key) || slice_present(signup->phone);
	bool known = slice_present(typed) && social_id_parse(call->request->pool, typed, &id);
	bool names_subject = of_request && call->account_id != 0 && (signup->must_exist || !identified);
	if (!identified && !names_subject) {
		call_fail(call, FAILURE_MISSING_EMAIL_AND_PHONE);
		return false;
	}
	if (names_subject && !known) {
		call_fail(call, FAILURE_LEAD_NOT_FOUND);
		return false;
	}
	if (names_subject)
		signup->subject = id;
	else
		signup->referrer_id = id; /* what can be no id is ignored like an unknown one */
	return true;
}

/* A header is kept only as far as it is text. */
static struct slice
header_text(struct call *call, struct slice header)
{
	struct slice text;
	header = slice_sub(header, 0, call->api->options->caps.value_bytes);
	if (!slice_present(header) || http_text_normalise(call->request->pool, header, &text) != NULL || text.size == 0)
		return SLICE_NONE;
	return text;
}

static bool
parse_address(struct call *call, struct signup *signup)
{
	struct slice given;
	struct ip_address address;
	if (!call_text(call, "ip", &given))
		return false;
	signup->ip = call->client_address;
	if (call->account_id == 0 || !slice_present(given))
		return true;
	if (!ip_address_parse(given, &address)) {
		call_fail_parameter(call, SLICE("ip"), "must be an IPv4 or IPv6 address");
		return false;
	}
	signup->ip = given;
	signup->replace_ip = true;
	return true;
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

static bool
parse_origin(struct call *call, struct signup *signup)
{
	static const char *const referrers[] = { "__referrer", "__ref", "referrer", NULL };
	static const char *const sessions[] = { "__sid", "__session_id", NULL };
	if (!first_text(call, referrers, &signup->referrer) || !first_text(call, sessions, &signup->session_id) ||
	    !call_text(call, "__user_agent", &signup->user_agent) || !call_text(call, "__source", &signup->source) ||
	    !call_text(call, "__url", &signup->signup_url) || !call_text(call, "__rid", &signup->request_id) ||
	    !call_text(call, "__uid", &signup->uid) || !call_text(call, "redirect_url", &signup->redirect_url))
		return false;
	signup->replace_user_agent = call->account_id != 0 && slice_present(signup->user_agent);
	if (!slice_present(signup->user_agent))
		signup->user_agent = header_text(call, call->request->user_agent);
	if (!slice_present(signup->referrer))
		signup->referrer = header_text(call, call->request->referer);
	if (!slice_present(signup->source))
		signup->source = call->account_id != 0 ? SLICE("API") : SLICE("form");
	split_source(signup);
	return true;
}

bool
call_parse_view(struct call *call, struct payload_view *view)
{
	view->full = call->account_id != 0;
	return call_boolean(call, "__skip_urls", &view->skip_urls) && call_boolean(call, "__skip_actions", &view->skip_actions);
}

static bool
merge_url(struct call *call)
{
	struct slice url;
	if (!call_text(call, "__url", &url))
		return false;
	if (slice_present(url))
		http_params_merge_url(call->params, url, may_come_from_url, call->request->pool);
	return true;
}

bool
call_parse_signup(struct call *call, struct command *command)
{
	struct signup *signup = &command->as.signup;
	struct email email;
	*command = (struct command){ .kind = COMMAND_SIGNUP, .campaign_id = call->campaign.id, .account_id = call->account_id };
	if (!merge_url(call) || !call_parse_email(call, &email) || !call_parse_phone(call, &signup->phone) ||
	    !call_boolean(call, "must_exist", &signup->must_exist) ||
	    !call_boolean(call, "__do_not_reset_opt_out", &signup->keep_opt_out))
		return false;
	signup->email = email.display;
	signup->email_key = email.key;
	if (!parse_social_id(call, signup) || !parse_address(call, signup) || !parse_origin(call, signup) ||
	    !parse_utm(call, signup) || !call_parse_view(call, &command->view))
		return false;
	parse_custom_fields(call, signup);
	return true;
}
