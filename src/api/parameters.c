/* SPDX-License-Identifier: MIT */
#include "api/parameters.h"

#include "base/clock.h"
#include "base/panic.h"
#include "identity/link.h"
#include "identity/network.h"
#include "identity/social_id.h"

enum { PAGE_LEADS_MAX = 250, COLLECTING_MAX = 16 };

static void *
member_of(const struct parameter *parameter, struct arguments *arguments)
{
	return (char *)arguments + parameter->member;
}

/* ---- Types ---- */

bool
call_param_text(struct call *call, const struct http_param *param, struct slice *text)
{
	*text = SLICE_NONE;
	if (param->value.type == HTTP_BOOLEAN || !http_value_string(&param->value, text))
		return call_fail_parameter(call, param->name, "must be one text");
	if (text->size == 0)
		*text = SLICE_NONE;
	return true;
}

bool
call_first_text(struct call *call, const struct parameter *parameter, const struct http_param **given, struct slice *text)
{
	const bool from_url = (parameter->flags & PARAMETER_FROM_URL) != 0;
	*text = SLICE_NONE;
	for (size_t i = 0; parameter_has_name(parameter, i) && !slice_present(*text); i++) {
		*given = http_params_find(call->params, parameter->names[i]);
		if (*given != NULL && ((*given)->origin == HTTP_ORIGIN_URL) == from_url && !call_param_text(call, *given, text))
			return false;
	}
	return true;
}

static bool
read_text(struct call *call, const struct parameter *parameter, struct arguments *arguments)
{
	const struct http_param *given;
	struct slice text, *member = member_of(parameter, arguments);
	if (!call_first_text(call, parameter, &given, &text))
		return false;
	if (parameter->parse == NULL)
		*member = text;
	if (!slice_present(text) || (parameter->parse != NULL ? parameter->parse(call, text, member)
							      : parameter->holds == NULL || parameter->holds(text)))
		return true;
	if (parameter->rule != NULL)
		return call_fail_parameter(call, given->name, parameter->rule);
	return call_fail(call, parameter->failure);
}

static bool
parse_boolean(struct call *call, const struct parameter *parameter, const struct http_value *value, bool *boolean)
{
	const bool empty = value != NULL && value->type == HTTP_STRING && value->text.size == 0;
	if (!http_value_boolean(value, boolean)) {
		*boolean = true;
		return (parameter->flags & PARAMETER_LENIENT) != 0 ||
		       call_fail_parameter(call, parameter->names[0], "must be true or false");
	}
	*boolean = *boolean || (empty && (parameter->flags & PARAMETER_EMPTY_IS_TRUE) != 0);
	return true;
}

static bool
read_boolean(struct call *call, const struct parameter *parameter, struct arguments *arguments)
{
	const struct http_value *value = http_params_value(call->params, parameter->names[0]);
	return parse_boolean(call, parameter, value, member_of(parameter, arguments));
}

/* 1 or 0; absent and null: -1. */
static bool
read_switch(struct call *call, const struct parameter *parameter, struct arguments *arguments)
{
	const struct http_value *value = http_params_value(call->params, parameter->names[0]);
	const bool given = value != NULL && value->type != HTTP_NULL;
	bool on;
	if (!parse_boolean(call, parameter, value, &on))
		return false;
	*(int *)member_of(parameter, arguments) = given ? on : -1;
	return true;
}

/* Parses an optional '-' and any number of digits. Larger numbers are returned as any value above `limit`, which is
 * below 10^17. Returns false when the text is not a whole number. */
static bool
parse_whole_number(struct slice text, int64_t limit, int64_t *number)
{
	bool negative = slice_starts_with(text, SLICE("-"));
	struct slice digits = slice_sub(text, negative ? 1 : 0, text.size);
	*number = 0;
	for (size_t i = 0; i < digits.size; i++) {
		if (!ascii_is_digit(digits.data[i]))
			return false;
		if (*number <= limit)
			*number = *number * 10 + (digits.data[i] - '0');
	}
	if (negative)
		*number = -*number;
	return digits.size > 0;
}

size_t
call_values(const struct call *call, struct slice name, const struct http_value **values)
{
	const struct http_value *value = http_params_value(call->params, name);
	*values = value;
	if (value == NULL || value->type == HTTP_NULL || (value->type == HTTP_STRING && value->text.size == 0))
		return 0;
	if (value->type != HTTP_ARRAY)
		return 1;
	*values = value->items;
	return value->item_count;
}

static bool
parse_limit(struct call *call UNUSED, struct slice text, void *limit)
{
	int64_t number;
	if (!parse_whole_number(text, PAGE_LEADS_MAX, &number) || number < 1)
		return false;
	*(size_t *)limit = (size_t)(number < PAGE_LEADS_MAX ? number : PAGE_LEADS_MAX);
	return true;
}

/* The number of the last lead on the page, so a cursor reveals nothing about other accounts. */
static bool
parse_cursor(struct call *call UNUSED, struct slice text, void *after)
{
	uint64_t number;
	if (!slice_to_u64(text, UINT32_MAX, &number) || number == 0)
		return false;
	*(uint32_t *)after = (uint32_t)number;
	return true;
}

static bool
parse_time(struct call *call UNUSED, struct slice text, void *ms)
{
	return clock_parse_rfc3339(text, ms);
}

/* Without a key the address of the request is used, not the parameter. */
static bool
parse_ip(struct call *call, struct slice text, void *ip)
{
	struct ip_address address;
	if (call->account_id == 0)
		return true;
	if (!ip_address_parse(text, &address))
		return false;
	*(struct slice *)ip = ip_address_format(call->request->pool, &address);
	return true;
}

static bool
parse_email(struct call *call, struct slice text, void *email)
{
	return email_parse(call->request->pool, text, email);
}

static bool
parse_social_id(struct call *call, struct slice text, void *id)
{
	return social_id_parse(call->request->pool, text, id);
}

static bool
is_channel(struct slice text)
{
	return slice_equal(text, SLICE("email")) || slice_equal(text, SLICE("phone"));
}

static bool
is_reason(struct slice text)
{
	_Static_assert(LEAD_ARGUMENT_MAX_BYTES == 64, "the rule below");
	return text.size <= LEAD_ARGUMENT_MAX_BYTES;
}

static bool
is_format(struct slice text)
{
	return slice_equal(text, SLICE("form")) || slice_equal(text, SLICE("json"));
}

static bool
read_points(struct call *call, const struct parameter *parameter, struct arguments *arguments)
{
	const struct http_param *given;
	struct slice text;
	int64_t number;
	if (!call_first_text(call, parameter, &given, &text))
		return false;
	arguments->has_points = slice_present(text);
	if (!arguments->has_points)
		return true;
	if (!parse_whole_number(text, SCORE_POINTS_MAX, &number))
		return call_fail_parameter(call, given->name, "must be a whole number");
	if (number < -SCORE_POINTS_MAX || number > SCORE_POINTS_MAX)
		return call_fail(call, FAILURE_MAX_POINTS_EXCEEDED);
	arguments->signup.points = (int32_t)number;
	return true;
}

static bool
require_points(struct call *call, const struct parameter *rule UNUSED, struct arguments *arguments)
{
	return arguments->has_points || call_fail(call, FAILURE_MISSING_POINTS);
}

static bool
find_tag(struct call *call, const struct parameter *parameter, unsigned by, uint64_t *tag_id)
{
	const struct http_param *given;
	struct slice text;
	return call_first_text(call, parameter, &given, &text) &&
	       (!slice_present(text) || call_find_tag(call, text, by, tag_id));
}

static bool
read_tag_id(struct call *call, const struct parameter *parameter, struct arguments *arguments)
{
	return find_tag(call, parameter, TAG_BY_ID, &arguments->tag_id);
}

static bool
read_tag_name(struct call *call, const struct parameter *parameter, struct arguments *arguments)
{
	if (arguments->tag_id == 0 && !find_tag(call, parameter, TAG_BY_NAME, &arguments->tag_id))
		return false;
	return arguments->tag_id != 0 || call_fail(call, FAILURE_TAG_NOT_FOUND);
}

static bool
read_tag_filter(struct call *call, const struct parameter *parameter, struct arguments *arguments)
{
	return find_tag(call, parameter, TAG_BY_ID | TAG_BY_NAME, &arguments->filter.tag_id);
}

/* ---- The table ---- */

/* The member must have this type. */
#define MEMBER(type, name) .member = offsetof(struct arguments, name) + 0 * sizeof((type *)0 == &((struct arguments *)0)->name)

#define TEXT(name) .read = read_text, MEMBER(struct slice, name)
#define BOOLEAN(name) .read = read_boolean, MEMBER(bool, name)
#define SWITCH(name) .read = read_switch, MEMBER(int, name)
/* Texts that are parsed or checked; a bad one gives a failure, or the message of a rule. */
#define FORM(type, name, parser, code) .read = read_text, MEMBER(type, name), .parse = (parser), .failure = FAILURE_##code
#define RULED(type, name, parser, text) .read = read_text, MEMBER(type, name), .parse = (parser), .rule = (text)
#define CHECKED(name, check, text) TEXT(name), .holds = (check), .rule = (text)
#define LEADS(type) .flags = PARAMETER_COLLECTS, .read = call_read_leads, .identity = LEAD_BY_##type
#define RULE(group, rule)                         \
	{                                         \
		.groups = (group), .read = (rule) \
	}

#define N(name) SLICE(name)

/* Read in this order: of several bad values the first is reported. */
static const struct parameter parameters[] = {
	/* by call_read_text and call_read_callback */
	{ { N("api_key") }, GROUP_KEY, .read = NULL },
	{ { N("campaign_id"), N("campaignId"), N("list_id"), N("__lid") }, GROUP_CAMPAIGN, .read = NULL },
	{ { N("jsonp") }, GROUP_CALLBACK, .read = NULL },
	{ { N("action") }, GROUP_IGNORED, .read = NULL },
	{ { N("controller") }, GROUP_IGNORED, .read = NULL },
	{ { N("ip_address") }, GROUP_IGNORED, .read = NULL },
	{ { N("kolid") }, GROUP_IGNORED, .read = NULL },
	{ { N("landing_page_id") }, GROUP_IGNORED, .read = NULL },
	{ { N("skip_ar") }, GROUP_IGNORED, .read = NULL },

	{ { N("__url") }, GROUP_SIGNUP, TEXT(signup.signup_url) },
	RULE(GROUP_SIGNUP, call_merge_url),
	{ { N("social_id"), N("kid") }, GROUP_LEAD, FORM(struct slice, lead.value, parse_social_id, LEAD_NOT_FOUND) },
	{ { N("email") }, GROUP_SIGNUP | GROUP_LEAD, PARAMETER_ALTERNATIVE,
	    FORM(struct email, email, parse_email, INVALID_EMAIL) },
	{ { N("phone_number") }, GROUP_SIGNUP | GROUP_LEAD, PARAMETER_ALTERNATIVE, TEXT(phone_number) },
	{ { N("country_code") }, GROUP_SIGNUP | GROUP_LEAD, PARAMETER_ALTERNATIVE, TEXT(country_code) },
	RULE(GROUP_SIGNUP | GROUP_LEAD, call_parse_phone),
	RULE(GROUP_LEAD, call_name_lead),
	{ { N("must_exist") }, GROUP_SIGNUP, BOOLEAN(signup.must_exist) },
	{ { N("__do_not_reset_opt_out") }, GROUP_SIGNUP, PARAMETER_LENIENT | PARAMETER_EMPTY_IS_TRUE,
	    BOOLEAN(signup.keep_opt_out) },
	{ { N("social_id"), N("kid"), N("__kid") }, GROUP_SIGNUP, .read = call_read_social_id },
	{ { N("kid") }, GROUP_SIGNUP, PARAMETER_FROM_URL, TEXT(url_kid) },
	RULE(GROUP_SIGNUP, call_choose_subject),
	{ { N("ip") }, GROUP_SIGNUP, RULED(struct slice, signup.ip, parse_ip, "must be an IPv4 or IPv6 address") },
	{ { N("__referrer"), N("__ref"), N("referrer") }, GROUP_SIGNUP, TEXT(signup.referrer) },
	{ { N("__sid"), N("__session_id") }, GROUP_SIGNUP, TEXT(signup.session_id) },
	{ { N("__user_agent") }, GROUP_SIGNUP, TEXT(signup.user_agent) },
	{ { N("__source") }, GROUP_SIGNUP, TEXT(signup.source) },
	{ { N("__rid") }, GROUP_SIGNUP, TEXT(signup.request_id) },
	{ { N("__uid") }, GROUP_SIGNUP, TEXT(signup.uid) },
	{ { N("redirect_url") }, GROUP_SIGNUP,
	    CHECKED(signup.redirect_url, link_is_web, "must be an http or https URL, or a reference without a scheme") },
	RULE(GROUP_SIGNUP, call_complete_signup),
	RULE(GROUP_SIGNUP, call_read_custom_fields),
	{ { N("__skip_urls") }, GROUP_VIEW, BOOLEAN(view.skip_urls) },
	{ { N("__skip_actions") }, GROUP_VIEW, BOOLEAN(view.skip_actions) },

	{ { N("limit") }, GROUP_LEADERS | GROUP_FILTER, RULED(size_t, limit, parse_limit, "must be a number from 1") },
	{ { N("social_id") }, GROUP_LEADERS, TEXT(social_id) },
	{ { N("cursor") }, GROUP_FILTER,
	    RULED(uint32_t, filter.after, parse_cursor, "must be what the page before gave as next") },
	{ { N("verified") }, GROUP_FILTER, SWITCH(filter.verified) },
	{ { N("waitlisted") }, GROUP_FILTER, SWITCH(filter.waitlisted) },
	{ { N("fraudulent") }, GROUP_FILTER, SWITCH(filter.fraudulent) },
	{ { N("opted_out") }, GROUP_FILTER, SWITCH(filter.opted_out) },
	{ { N("since") }, GROUP_FILTER,
	    RULED(int64_t, filter.since_ms, parse_time, "must be a time (2026-11-21T03:38:13Z) or a date") },
	{ { N("tag") }, GROUP_FILTER, .read = read_tag_filter },

	{ { N("points") }, GROUP_SIGNUP_POINTS | GROUP_POINTS, PARAMETER_KEYED, .read = read_points },
	RULE(GROUP_POINTS, require_points),
	{ { N("email"), N("emails") }, GROUP_LEADS, LEADS(EMAIL) },
	{ { N("phone_number"), N("phone_numbers") }, GROUP_LEADS, LEADS(PHONE) },
	{ { N("social_id"), N("social_ids"), N("kid") }, GROUP_LEADS, LEADS(SOCIAL_ID) },
	RULE(GROUP_LEADS, call_check_leads),
	{ { N("country_code") }, GROUP_LEADS, TEXT(country_code) },
	RULE(GROUP_LEADS, call_parse_leads),
	{ { N("message") }, GROUP_POINTS, TEXT(message) },
	{ { N("tag_id") }, GROUP_TAG, .read = read_tag_id },
	{ { N("tag") }, GROUP_TAG, .read = read_tag_name },
	{ { N("channel") }, GROUP_CHANNEL, CHECKED(argument, is_channel, "must be email or phone") },
	{ { N("reason") }, GROUP_REASON, CHECKED(argument, is_reason, "is longer than 64 bytes") },

	{ { N("url") }, GROUP_WEBHOOK_URL, TEXT(url) },
	RULE(GROUP_WEBHOOK, call_judge_url),
	{ { N("event"), N("events") }, GROUP_WEBHOOK, PARAMETER_COLLECTS, .read = call_read_events },
	{ { N("source") }, GROUP_WEBHOOK, TEXT(source) },
	{ { N("format") }, GROUP_WEBHOOK, CHECKED(format, is_format, "must be json or form") },
	{ { N("safe") }, GROUP_OPT_OUT, PARAMETER_LENIENT, BOOLEAN(safe) },
};

const struct parameter *
api_parameters(size_t *count)
{
	*count = ARRAY_SIZE(parameters);
	return parameters;
}

static bool
is_skipped(const struct call *call, const struct parameter *parameter, unsigned groups, const struct arguments *arguments)
{
	if ((parameter->groups & groups) == 0 || parameter->read == NULL)
		return true;
	if ((parameter->flags & PARAMETER_KEYED) != 0 && call->account_id == 0)
		return true;
	return (groups & GROUP_LEAD) != 0 && (parameter->flags & PARAMETER_ALTERNATIVE) != 0 &&
	       (slice_present(arguments->lead.value) || slice_present(arguments->email.key));
}

bool
call_read(struct call *call, unsigned groups, struct arguments *arguments)
{
	*arguments = (struct arguments){ .view.full = call->account_id != 0 };
	for (const struct parameter *parameter = parameters; parameter < parameters + ARRAY_SIZE(parameters); parameter++)
		if (!is_skipped(call, parameter, groups, arguments) && !parameter->read(call, parameter, arguments))
			return false;
	return true;
}

bool
call_read_text(struct call *call, enum parameter_group group, struct slice *text)
{
	const struct parameter *parameter = parameters;
	const struct http_param *given;
	while ((parameter->groups & group) == 0) {
		parameter++;
		require(parameter < parameters + ARRAY_SIZE(parameters));
	}
	return call_first_text(call, parameter, &given, text);
}

static bool
has_name(const struct parameter *parameter, struct slice lower_name)
{
	for (size_t i = 0; parameter_has_name(parameter, i); i++)
		if (parameter->names[i].size == lower_name.size && slice_equal_nocase(parameter->names[i], lower_name))
			return true;
	return false;
}

bool
parameter_is_reserved(struct slice lower_name)
{
	for (size_t i = 0; i < ARRAY_SIZE(parameters); i++)
		if ((parameters[i].groups & GROUPS_RESERVED) != 0 && has_name(&parameters[i], lower_name))
			return true;
	return false;
}

bool
parameter_is_from_url(struct slice name)
{
	for (size_t i = 0; i < ARRAY_SIZE(parameters); i++)
		if ((parameters[i].flags & PARAMETER_FROM_URL) != 0 && slice_equal(parameters[i].names[0], name))
			return true;
	return false;
}

struct http_names
call_collecting_names(const struct call *call)
{
	const bool bulk = (call->route->flags & ROUTE_BULK) != 0;
	struct slice *names = POOL_ARRAY(call->request->pool, COLLECTING_MAX, struct slice);
	struct http_names collecting = { names, 0 };
	for (size_t i = 0; i < ARRAY_SIZE(parameters); i++)
		if ((parameters[i].flags & PARAMETER_COLLECTS) != 0 && (bulk || (parameters[i].groups & GROUP_LEADS) == 0))
			for (size_t k = 0; parameter_has_name(&parameters[i], k); k++) {
				require(collecting.count < COLLECTING_MAX);
				if (collecting.count < COLLECTING_MAX)
					names[collecting.count++] = parameters[i].names[k];
			}
	return collecting;
}
