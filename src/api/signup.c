/* SPDX-License-Identifier: MIT
 * From a request's parameters to a sign-up command (docs/api.md 4.3, 4.4). */
#include "api/call.h"
#include "http/text.h"
#include "identity/email.h"
#include "identity/link.h"
#include "identity/network.h"
#include "identity/phone.h"
#include "identity/social_id.h"

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

/* The id that the request itself carries, and whether as `__kid`; else the one in the query of `__url`. */
struct named_id {
	struct slice typed;
	bool of_request, as_referrer_only;
};

static bool
find_social_id(struct call *call, struct named_id *id)
{
	static const struct slice names[] = { SLICE("social_id"), SLICE("kid"), SLICE("__kid") };
	*id = (struct named_id){ .typed = SLICE_NONE };
	for (size_t i = 0; i < ARRAY_SIZE(names) && !slice_present(id->typed); i++) {
		const struct http_param *param = http_params_find(call->params, names[i]);
		if (param == NULL || param->origin == HTTP_ORIGIN_URL)
			continue;
		if (!call_param_text(call, param, &id->typed))
			return false;
		id->of_request = slice_present(id->typed);
		id->as_referrer_only = i == ARRAY_SIZE(names) - 1;
	}
	return id->of_request || call_text(call, "kid", &id->typed);
}

/* A social id among the parameters names the lead to update, or the referrer (4.3.2, 4.3.3). */
static bool
parse_social_id(struct call *call, struct signup *signup)
{
	struct named_id named;
	struct slice id = SLICE_NONE;
	if (!find_social_id(call, &named))
		return false;
	bool identified = slice_present(signup->email_key) || slice_present(signup->phone);
	bool known = slice_present(named.typed) && social_id_parse(call->request->pool, named.typed, &id);
	bool names_subject = named.of_request && call->account_id != 0 && (call->route->flags & ROUTE_SUBSCRIBE) == 0 &&
			     (signup->must_exist || (!identified && !named.as_referrer_only));
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
	signup->ip = call->has_client ? ip_address_format(call->request->pool, &call->client) : SLICE_NONE;
	if (call->account_id == 0 || !slice_present(given))
		return true;
	if (!ip_address_parse(given, &address)) {
		call_fail_parameter(call, SLICE("ip"), "must be an IPv4 or IPv6 address");
		return false;
	}
	signup->ip = ip_address_format(call->request->pool, &address);
	signup->replace_ip = true;
	return true;
}

/* Where a visitor is sent later: whoever reads the lead may make a link of it. */
static bool
parse_redirect(struct call *call, struct signup *signup)
{
	static const char name[] = "redirect_url";
	if (!call_text(call, name, &signup->redirect_url))
		return false;
	if (link_is_web(signup->redirect_url))
		return true;
	call_fail_parameter(call, slice_of(name), "must be an http or https URL, or a reference without a scheme");
	return false;
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
	if (!call_first_text(call, referrers, &signup->referrer) || !call_first_text(call, sessions, &signup->session_id) ||
	    !call_text(call, "__user_agent", &signup->user_agent) || !call_text(call, "__source", &signup->source) ||
	    !call_text(call, "__url", &signup->signup_url) || !call_text(call, "__rid", &signup->request_id) ||
	    !call_text(call, "__uid", &signup->uid) || !parse_redirect(call, signup))
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

/* Any value but a false one keeps it (docs/api.md 4.4); unlike elsewhere an empty text is no false one. */
static bool
keeps_opt_out(const struct http_value *value)
{
	bool boolean;
	if (value == NULL || value->type == HTTP_NULL)
		return false;
	if (value->type == HTTP_STRING && value->text.size == 0)
		return true;
	return !http_value_boolean(value, &boolean) || boolean;
}

bool
call_parse_signup(struct call *call, struct signup *signup, struct payload_view *view)
{
	struct email email;
	if (!call_merge_url(call) || !call_parse_email(call, &email) || !call_parse_phone(call, &signup->phone) ||
	    !call_boolean(call, "must_exist", &signup->must_exist))
		return false;
	signup->keep_opt_out = keeps_opt_out(http_params_value(call->params, SLICE("__do_not_reset_opt_out")));
	signup->email = email.display;
	signup->email_key = email.key;
	return parse_social_id(call, signup) && parse_address(call, signup) && parse_origin(call, signup) &&
	       call_parse_fields(call, signup) && call_parse_view(call, view);
}
