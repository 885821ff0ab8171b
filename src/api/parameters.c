/* SPDX-License-Identifier: MIT */
#include "api/parameters.h"

#include "base/clock.h"
#include "base/panic.h"
#include "identity/link.h"
#include "identity/network.h"
#include "identity/social_id.h"

enum { PAGE_LEADS_MAX = 250, REPEATABLE_MAX = 16 };

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
	const bool from_url = (parameter->flags & PARAMETER_ONLY_FROM_URL) != 0;
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
							      : parameter->is_valid == NULL || parameter->is_valid(text)))
		return true;
	if (parameter->requirement != NULL)
		return call_fail_parameter(call, given->name, parameter->requirement);
	return call_fail(call, parameter->failure);
}

static bool
parse_boolean(struct call *call, const struct parameter *parameter, const struct http_value *value, bool *boolean)
{
	const bool empty = value != NULL && value->type == HTTP_STRING && value->text.size == 0;
	if (!http_value_boolean(value, boolean)) {
		*boolean = true;
		return (parameter->flags & PARAMETER_BAD_IS_TRUE) != 0 ||
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
read_boolean_or_any(struct call *call, const struct parameter *parameter, struct arguments *arguments)
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
	_Static_assert(LEAD_ARGUMENT_MAX_BYTES == 64, "the text of `reason` below");
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
require_points(struct call *call, const struct parameter *parameter UNUSED, struct arguments *arguments)
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

/* How a value is read, and where it is stored: a member of struct arguments. The message about a bad value is the parameter's
 * name and `text`, or that of the failure. BOOLEAN_OR_ANY: 1, 0, or -1 when it was not given. */
#define TEXT(name) .read = read_text, MEMBER(struct slice, name)
#define CHECKED_TEXT(name, check, text) TEXT(name), .is_valid = (check), .requirement = (text)
#define PARSED_TEXT(type, name, parser, text) .read = read_text, MEMBER(type, name), .parse = (parser), .requirement = (text)
#define PARSED_TEXT_OR(code, type, name, parser) \
	.read = read_text, MEMBER(type, name), .parse = (parser), .failure = FAILURE_##code
#define BOOLEAN(name) .read = read_boolean, MEMBER(bool, name)
#define BOOLEAN_OR_ANY(name) .read = read_boolean_or_any, MEMBER(int, name)
#define LEADS_BY(type) .flags = PARAMETER_REPEATABLE, .read = call_read_leads, .identity = LEAD_BY_##type
/* A row without a name: a function that checks the parameters above together, or computes values from them. */
#define THEN(group, function)                         \
	{                                             \
		.groups = (group), .read = (function) \
	}

#define NAME(name) SLICE(name)

/* Read in this order: of several bad values the first is reported. */
static const struct parameter parameters[] = {
	/* by call_read_text and call_read_callback */
	{ { NAME("api_key") }, GROUP_KEY, .read = NULL },
	{ { NAME("campaign_id"), NAME("campaignId"), NAME("list_id"), NAME("__lid") }, GROUP_CAMPAIGN, .read = NULL },
	{ { NAME("jsonp") }, GROUP_CALLBACK, .read = NULL },
	{ { NAME("action") }, GROUP_IGNORED, .read = NULL },
	{ { NAME("controller") }, GROUP_IGNORED, .read = NULL },
	{ { NAME("ip_address") }, GROUP_IGNORED, .read = NULL },
	{ { NAME("kolid") }, GROUP_IGNORED, .read = NULL },
	{ { NAME("landing_page_id") }, GROUP_IGNORED, .read = NULL },
	{ { NAME("skip_ar") }, GROUP_IGNORED, .read = NULL },

	{ { NAME("__url") }, GROUP_SIGNUP, TEXT(signup.signup_url) },
	THEN(GROUP_SIGNUP, call_merge_url),
	{ { NAME("social_id"), NAME("kid") }, GROUP_LEAD,
	    PARSED_TEXT_OR(LEAD_NOT_FOUND, struct slice, lead.value, parse_social_id) },
	{ { NAME("email") }, GROUP_SIGNUP | GROUP_LEAD, PARAMETER_UNLESS_IDENTIFIED,
	    PARSED_TEXT_OR(INVALID_EMAIL, struct email, email, parse_email) },
	{ { NAME("phone_number") }, GROUP_SIGNUP | GROUP_LEAD, PARAMETER_UNLESS_IDENTIFIED, TEXT(phone_number) },
	{ { NAME("country_code") }, GROUP_SIGNUP | GROUP_LEAD, PARAMETER_UNLESS_IDENTIFIED, TEXT(country_code) },
	THEN(GROUP_SIGNUP | GROUP_LEAD, call_parse_phone),
	THEN(GROUP_LEAD, call_name_lead),
	{ { NAME("must_exist") }, GROUP_SIGNUP, BOOLEAN(signup.must_exist) },
	{ { NAME("__do_not_reset_opt_out") }, GROUP_SIGNUP, PARAMETER_BAD_IS_TRUE | PARAMETER_EMPTY_IS_TRUE,
	    BOOLEAN(signup.keep_opt_out) },
	{ { NAME("social_id"), NAME("kid"), NAME("__kid") }, GROUP_SIGNUP, .read = call_read_social_id },
	{ { NAME("kid") }, GROUP_SIGNUP, PARAMETER_ONLY_FROM_URL, TEXT(url_kid) },
	THEN(GROUP_SIGNUP, call_choose_subject),
	{ { NAME("ip") }, GROUP_SIGNUP, PARSED_TEXT(struct slice, signup.ip, parse_ip, "must be an IPv4 or IPv6 address") },
	{ { NAME("__referrer"), NAME("__ref"), NAME("referrer") }, GROUP_SIGNUP, TEXT(signup.referrer) },
	{ { NAME("__sid"), NAME("__session_id") }, GROUP_SIGNUP, TEXT(signup.session_id) },
	{ { NAME("__user_agent") }, GROUP_SIGNUP, TEXT(signup.user_agent) },
	{ { NAME("__source") }, GROUP_SIGNUP, TEXT(signup.source) },
	{ { NAME("__rid") }, GROUP_SIGNUP, TEXT(signup.request_id) },
	{ { NAME("__uid") }, GROUP_SIGNUP, TEXT(signup.uid) },
	{ { NAME("redirect_url") }, GROUP_SIGNUP,
	    CHECKED_TEXT(signup.redirect_url, link_is_web, "must be an http or https URL, or a reference without a scheme") },
	THEN(GROUP_SIGNUP, call_default_signup),
	THEN(GROUP_SIGNUP, call_read_custom_fields),
	{ { NAME("__skip_urls") }, GROUP_VIEW, BOOLEAN(view.skip_urls) },
	{ { NAME("__skip_actions") }, GROUP_VIEW, BOOLEAN(view.skip_actions) },

	{ { NAME("limit") }, GROUP_LEADERS | GROUP_FILTER, PARSED_TEXT(size_t, limit, parse_limit, "must be a number from 1") },
	{ { NAME("social_id") }, GROUP_LEADERS, TEXT(social_id) },
	{ { NAME("cursor") }, GROUP_FILTER,
	    PARSED_TEXT(uint32_t, filter.after, parse_cursor, "must be what the page before gave as next") },
	{ { NAME("verified") }, GROUP_FILTER, BOOLEAN_OR_ANY(filter.verified) },
	{ { NAME("waitlisted") }, GROUP_FILTER, BOOLEAN_OR_ANY(filter.waitlisted) },
	{ { NAME("fraudulent") }, GROUP_FILTER, BOOLEAN_OR_ANY(filter.fraudulent) },
	{ { NAME("opted_out") }, GROUP_FILTER, BOOLEAN_OR_ANY(filter.opted_out) },
	{ { NAME("since") }, GROUP_FILTER,
	    PARSED_TEXT(int64_t, filter.since_ms, parse_time, "must be a time (2026-11-21T03:38:13Z) or a date") },
	{ { NAME("tag") }, GROUP_FILTER, .read = read_tag_filter },

	{ { NAME("points") }, GROUP_SIGNUP_POINTS | GROUP_POINTS, PARAMETER_NEEDS_KEY, .read = read_points },
	THEN(GROUP_POINTS, require_points),
	{ { NAME("email"), NAME("emails") }, GROUP_LEADS, LEADS_BY(EMAIL) },
	{ { NAME("phone_number"), NAME("phone_numbers") }, GROUP_LEADS, LEADS_BY(PHONE) },
	{ { NAME("social_id"), NAME("social_ids"), NAME("kid") }, GROUP_LEADS, LEADS_BY(SOCIAL_ID) },
	THEN(GROUP_LEADS, call_check_leads),
	{ { NAME("country_code") }, GROUP_LEADS, TEXT(country_code) },
	THEN(GROUP_LEADS, call_parse_leads),
	{ { NAME("message") }, GROUP_POINTS, TEXT(message) },
	{ { NAME("tag_id") }, GROUP_TAG, .read = read_tag_id },
	{ { NAME("tag") }, GROUP_TAG, .read = read_tag_name },
	{ { NAME("channel") }, GROUP_CHANNEL, CHECKED_TEXT(argument, is_channel, "must be email or phone") },
	{ { NAME("reason") }, GROUP_REASON, CHECKED_TEXT(argument, is_reason, "is longer than 64 bytes") },

	{ { NAME("url") }, GROUP_WEBHOOK_URL, TEXT(url) },
	THEN(GROUP_WEBHOOK, call_judge_url),
	{ { NAME("event"), NAME("events") }, GROUP_WEBHOOK, PARAMETER_REPEATABLE, .read = call_read_events },
	{ { NAME("source") }, GROUP_WEBHOOK, TEXT(source) },
	{ { NAME("format") }, GROUP_WEBHOOK, CHECKED_TEXT(format, is_format, "must be json or form") },
	{ { NAME("safe") }, GROUP_OPT_OUT, PARAMETER_BAD_IS_TRUE, BOOLEAN(safe) },
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
	if ((parameter->flags & PARAMETER_NEEDS_KEY) != 0 && call->account_id == 0)
		return true;
	return (groups & GROUP_LEAD) != 0 && (parameter->flags & PARAMETER_UNLESS_IDENTIFIED) != 0 &&
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
		if ((parameters[i].flags & PARAMETER_ONLY_FROM_URL) != 0 && slice_equal(parameters[i].names[0], name))
			return true;
	return false;
}

struct http_names
call_repeatable_names(const struct call *call)
{
	const bool bulk = (call->route->flags & ROUTE_BULK) != 0;
	struct slice *names = POOL_ARRAY(call->request->pool, REPEATABLE_MAX, struct slice);
	struct http_names repeatable = { names, 0 };
	for (size_t i = 0; i < ARRAY_SIZE(parameters); i++)
		if ((parameters[i].flags & PARAMETER_REPEATABLE) != 0 && (bulk || (parameters[i].groups & GROUP_LEADS) == 0))
			for (size_t k = 0; parameter_has_name(&parameters[i], k); k++) {
				require(repeatable.count < REPEATABLE_MAX);
				if (repeatable.count < REPEATABLE_MAX)
					names[repeatable.count++] = parameters[i].names[k];
			}
	return repeatable;
}
