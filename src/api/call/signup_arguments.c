/* SPDX-License-Identifier: MIT */
#include "api/call/signup_arguments.h"

#include "api/call/call_answers.h"
#include "api/call/call_rights.h"
#include "api/call/lead_argument.h"
#include "api/call/param_names.h"
#include "api/call/param_values.h"
#include "api/call/signup_fields.h"
#include "base/language_tag.h"
#include "http/link_query.h"
#include "identity/client_address.h"
#include "identity/email.h"
#include "identity/link.h"
#include "identity/network.h"
#include "identity/social_id.h"
#include "text/text.h"

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
	struct slice typed;
	struct email email;
	if (!param_read_text(call, PARAM_EMAIL, &typed))
		return false;
	if (!slice_present(typed))
		return true;
	if (!email_parse(call->request->pool, typed, &email))
		return call_fail_with(call, FAILURE_INVALID_EMAIL, email_fault(typed));
	signup->email = email.display;
	signup->email_key = email.key;
	return true;
}

/* A bad number does not prevent a lead that has an email address, unless the caller, or the visitor of a hosted page, can
 * correct it. */
static bool
read_phone_number(struct call *call, struct signup_arguments *arguments)
{
	struct pool *pool = call->request->pool;
	struct slice country_code, *typed = &arguments->typed_number;
	const bool is_strict = param_is_on(call, PARAM_STRICT) || (call->route->flags & ROUTE_HOSTED) != 0;
	if (!param_read_text(call, PARAM_PHONE_NUMBER, typed) || !param_read_text(call, PARAM_COUNTRY_CODE, &country_code))
		return false;
	if (!slice_present(*typed))
		return true;
	const enum phone_fault fault = phone_read(pool, *typed, country_code, &arguments->signup.phone);
	if (fault == PHONE_GOOD || phone_is_blank(pool, *typed, country_code))
		return true;
	if (is_strict || !slice_present(arguments->signup.email_key))
		return call_fail_with(call, FAILURE_INVALID_PHONE_NUMBER, phone_fault_text(fault));
	arguments->fault = fault;
	return true;
}

/* That of the query of `__url`, which names the referrer; absent: none. signup_read_page_url has left out arrays. */
static bool
read_kid_of_url(struct call *call, struct slice *kid)
{
	const struct http_param *param = http_params_find(call->params, SLICE("kid"));
	*kid = SLICE_NONE;
	return param == NULL || param->origin != HTTP_ORIGIN_URL || param_text_of(call, param, kid);
}

/* The social id of the request identifies the lead to update or the referrer; that of `__url` identifies the referrer. */
static bool
read_social_id(struct call *call, struct signup *signup)
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
	/* malformed ids are ignored, as unknown ones are */
	if (slice_present(typed) && http_link_id(pool, typed, &id) && social_id_parse(pool, id, &id))
		signup->referrer_id = id;
	return true;
}

/* ---- where the lead comes from ---- */

/* The first address of the values. Without one the address of the request is used, as it is where the campaign counts addresses
 * and the caller has no key: it could choose what is counted. */
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

/* `name.id` is a source and its id. */
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

/* Of a visitor's browser: that of the page. A server's is not its lead's. */
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

/* Fills in values that were not sent. The address that was sent replaces a stored one, with RIGHT_CHANGE also the user agent.
 */
static void
fill_in(struct call *call, struct signup *signup)
{
	signup->replace_ip = slice_present(signup->ip);
	if (!signup->replace_ip && call->has_client)
		signup->ip = ip_address_format(call->request->pool, &call->client);
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
	if (!signup_read_page_url(call, &signup->signup_url) || (way == SIGNUP_BY_FORM && !read_owner(call, signup)) ||
	    !read_email(call, signup) || !read_phone_number(call, arguments) ||
	    !param_read_boolean(call, PARAM_MUST_EXIST, &signup->must_exist))
		return false;
	signup->keep_opt_out = param_is_given(call, PARAM_KEEP_OPT_OUT);
	return read_social_id(call, signup);
}

static bool
read_bots(struct call *call, struct signup_arguments *arguments)
{
	return param_read_text(call, PARAM_PROOF, &arguments->proof) && param_read_text(call, PARAM_STAMP, &arguments->stamp);
}

/* Visitors cannot give themselves points. The map of an inbound webhook names them. */
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
	*arguments = (struct signup_arguments){ .fault = PHONE_GOOD };
	if (!read_subject(call, way, arguments) || !read_origin(call, signup) ||
	    (way == SIGNUP_BY_FORM && !read_bots(call, arguments)) ||
	    !param_read_text(call, PARAM_REQUEST_ID, &signup->request_id) || !param_read_text(call, PARAM_UID, &signup->uid) ||
	    !param_read_checked(call, PARAM_REDIRECT_URL, link_is_web,
		"must be an http or https URL, or a reference without a scheme", &signup->redirect_url))
		return false;
	fill_in(call, signup);
	return signup_read_fields(call, arguments) && read_points(call, way, signup);
}

struct slice
signup_note_ignored(struct call *call, const struct signup_arguments *arguments, struct slice lead)
{
	if (arguments->fault == PHONE_GOOD || !slice_ends_with(lead, SLICE("}")))
		return lead;
	return pool_printf(call->request->pool, "%.*s,\"ignored\":{\"phone_number\":{\"error\":\"%s\",\"message\":\"%.*s\"}}}",
	    SLICE_ARGS(slice_sub(lead, 0, lead.size - 1)), failure_text(FAILURE_INVALID_PHONE_NUMBER)->code,
	    SLICE_ARGS(phone_fault_text(arguments->fault)));
}
