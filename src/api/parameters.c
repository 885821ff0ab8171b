/* SPDX-License-Identifier: MIT */
#include "api/parameters.h"

#include <string.h>

#include "api/board.h"
#include "base/panic.h"
#include "base/utf8.h"
#include "identity/client_address.h"
#include "identity/link.h"
#include "identity/network.h"
#include "identity/social_id.h"
#include "os/clock.h"

enum { PAGE_LEADS_MAX = 250, NAME_CHARACTERS_MAX = 200 };

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
		if (*given == NULL || ((*given)->origin == HTTP_ORIGIN_URL) != from_url ||
		    ((parameter->flags & PARAMETER_INFORMS) != 0 && (*given)->value.type != HTTP_STRING))
			continue;
		if (!call_param_text(call, *given, text))
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
	return parameter->failure == FAILURE_INVALID_EMAIL ? call_fail_with(call, parameter->failure, email_fault(text))
							   : call_fail(call, parameter->failure);
}

static bool
parse_boolean(struct call *call, const struct parameter *parameter, const struct http_value *value, bool *boolean)
{
	if (http_value_boolean(value, boolean))
		return true;
	*boolean = true;
	return (parameter->flags & PARAMETER_BAD_IS_TRUE) != 0 ||
	       call_fail_parameter(call, parameter->names[0], "must be true or false");
}

static bool
read_boolean(struct call *call, const struct parameter *parameter, struct arguments *arguments)
{
	const struct http_value *value = http_params_value(call->params, parameter->names[0]);
	return parse_boolean(call, parameter, value, member_of(parameter, arguments));
}

/* Whether there is a value, also an empty one, or one that is false. */
static bool
read_presence(struct call *call, const struct parameter *parameter, struct arguments *arguments)
{
	const struct http_value *value = http_params_value(call->params, parameter->names[0]);
	*(bool *)member_of(parameter, arguments) = value != NULL && value->type != HTTP_NULL;
	return true;
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

/* The first address of the values. Without one the address of the request is used, as it is where the campaign counts addresses
 * and the caller has no key: it could choose what is counted. */
static bool
read_ip(struct call *call, const struct parameter *parameter, struct arguments *arguments)
{
	const struct http_value *values;
	struct ip_address address;
	const bool counted = call->account_id == 0 && call->campaign.max_per_ip > 0;
	const size_t count = counted ? 0 : call_values(call, parameter->names[0], &values);
	for (size_t i = 0; i < count; i++)
		if (client_address_first(http_value_whole(&values[i]), &address)) {
			arguments->signup.ip = ip_address_format(call->request->pool, &address);
			break;
		}
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
parse_id(struct call *call UNUSED, struct slice text, void *id)
{
	return slice_to_u64(text, INT64_MAX, id) && *(uint64_t *)id != 0;
}

static bool
is_short_name(struct slice text)
{
	uint32_t character;
	size_t count = 0;
	while (utf8_next(&text, &character))
		count++;
	return count <= NAME_CHARACTERS_MAX;
}

static bool
is_channel(struct slice text)
{
	return slice_equal(text, SLICE("email")) || slice_equal(text, SLICE("phone"));
}

/* A custom field, by the name that it is stored with. */
static bool
parse_description(struct call *call, struct slice text, void *name)
{
	const struct slice lower = custom_field_name(call->request->pool, text);
	*(struct slice *)name = lower;
	return text.size <= call->api->options->caps.name_bytes && lower.size <= call->api->options->caps.name_bytes;
}

/* Pages use it as the address of a picture. */
static bool
is_avatar_default(struct slice text)
{
	enum { URL_MAX_BYTES = 2048 };
	uint64_t number;
	if (board_avatar_keyword(text, &number))
		return true;
	const size_t scheme = slice_starts_with_nocase(text, SLICE("https://"))  ? 8
			      : slice_starts_with_nocase(text, SLICE("http://")) ? 7
										 : 0;
	const struct slice rest = slice_sub(text, scheme, text.size);
	if (scheme == 0 || text.size > URL_MAX_BYTES || rest.size == 0 || strchr("/?#:@", rest.data[0]) != NULL)
		return false;
	for (size_t i = 0; i < rest.size; i++)
		if (!ascii_is_alpha(rest.data[i]) && !ascii_is_digit(rest.data[i]) &&
		    memchr("-._~:/?#[]@!$&'()*+,;=%", rest.data[i], 23) == NULL)
			return false;
	return true;
}

/* `icon` and `ui` are words of older clients, which servers of avatars do not have. */
static bool
parse_avatar_default(struct call *call UNUSED, struct slice text, void *avatar)
{
	*(struct slice *)avatar = slice_equal(text, SLICE("icon")) ? SLICE("mp")
				  : slice_equal(text, SLICE("ui")) ? SLICE("identicon")
								   : text;
	return is_avatar_default(*(struct slice *)avatar);
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

/* `tag_id`, then `tag`: by its id, else by its name. */
static bool
read_tag(struct call *call, const struct parameter *parameter, unsigned by, struct arguments *arguments)
{
	uint64_t id = 0;
	if (arguments->tag_count > 0)
		return true;
	if (!find_tag(call, parameter, by, &id))
		return false;
	if (id != 0) {
		arguments->tag_ids = POOL_NEW(call->request->pool, uint64_t);
		*arguments->tag_ids = id;
		arguments->tag_count = 1;
	}
	return true;
}

static bool
read_tag_id(struct call *call, const struct parameter *parameter, struct arguments *arguments)
{
	return read_tag(call, parameter, TAG_BY_ID, arguments);
}

static bool
read_tag_name(struct call *call, const struct parameter *parameter, struct arguments *arguments)
{
	return read_tag(call, parameter, TAG_BY_NAME, arguments) &&
	       (arguments->tag_count > 0 || call_fail(call, FAILURE_TAG_NOT_FOUND));
}

static bool
read_tag_filter(struct call *call, const struct parameter *parameter, struct arguments *arguments)
{
	return find_tag(call, parameter, TAG_BY_ID | TAG_BY_NAME, &arguments->filter.tag_id);
}

static bool
require_code(struct call *call, const struct parameter *parameter UNUSED, struct arguments *arguments)
{
	return slice_present(arguments->code) || call_fail(call, FAILURE_MISSING_CODE);
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
#define PRESENCE(name) .read = read_presence, MEMBER(bool, name)
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
	{ { NAME("password") }, GROUP_PASSWORD, .read = NULL },
	{ { NAME("__answer") }, GROUP_ANSWER, PARAMETER_INFORMS, .read = NULL }, /* by call_finish_form */
	{ { NAME("action") }, GROUP_IGNORED, .read = NULL },
	{ { NAME("controller") }, GROUP_IGNORED, .read = NULL },
	{ { NAME("ip_address") }, GROUP_IGNORED, .read = NULL },
	{ { NAME("kolid") }, GROUP_IGNORED, .read = NULL },
	{ { NAME("landing_page_id") }, GROUP_IGNORED, .read = NULL },
	{ { NAME("skip_ar") }, GROUP_IGNORED, .read = NULL },

	{ { NAME("code") }, GROUP_CODE, TEXT(code) },
	THEN(GROUP_CODE, require_code),

	{ { NAME("__url") }, GROUP_SIGNUP, PARAMETER_INFORMS, .read = call_read_signup_url },
	{ { NAME("__token") }, GROUP_LEAD | GROUP_ACTION | GROUP_LEADERS | GROUP_OWNER, .read = call_read_owner },
	{ { NAME("social_id"), NAME("kid") }, GROUP_LEAD | GROUP_ACTION,
	    PARSED_TEXT_OR(LEAD_NOT_FOUND, struct slice, lead.value, parse_social_id) },
	{ { NAME("email") }, GROUP_SIGNUP | GROUP_LEAD, PARAMETER_UNLESS_IDENTIFIED,
	    PARSED_TEXT_OR(INVALID_EMAIL, struct email, email, parse_email) },
	{ { NAME("__strict") }, GROUP_SIGNUP, PARAMETER_BAD_IS_TRUE, BOOLEAN(strict) },
	{ { NAME("phone_number") }, GROUP_SIGNUP | GROUP_LEAD, PARAMETER_UNLESS_IDENTIFIED, TEXT(phone_number) },
	{ { NAME("country_code") }, GROUP_SIGNUP | GROUP_LEAD, PARAMETER_UNLESS_IDENTIFIED, TEXT(country_code) },
	THEN(GROUP_SIGNUP | GROUP_LEAD, call_parse_phone),
	THEN(GROUP_LEAD | GROUP_ACTION, call_name_lead),
	{ { NAME("must_exist") }, GROUP_SIGNUP, BOOLEAN(signup.must_exist) },
	{ { NAME("__do_not_reset_opt_out") }, GROUP_SIGNUP, PRESENCE(signup.keep_opt_out) },
	{ { NAME("social_id"), NAME("kid"), NAME("__kid") }, GROUP_SIGNUP, .read = call_read_social_id },
	{ { NAME("kid") }, GROUP_SIGNUP, PARAMETER_ONLY_FROM_URL, TEXT(url_kid) },
	THEN(GROUP_SIGNUP, call_choose_subject),
	{ { NAME("ip") }, GROUP_SIGNUP, PARAMETER_INFORMS, .read = read_ip },
	{ { NAME("__referrer"), NAME("__ref"), NAME("referrer") }, GROUP_SIGNUP, PARAMETER_INFORMS, TEXT(signup.referrer) },
	{ { NAME("__sid"), NAME("__session_id") }, GROUP_SIGNUP, PARAMETER_INFORMS, TEXT(signup.session_id) },
	{ { NAME("__user_agent") }, GROUP_SIGNUP, PARAMETER_INFORMS, TEXT(signup.user_agent) },
	{ { NAME("__language") }, GROUP_SIGNUP, PARAMETER_INFORMS, TEXT(signup.language) },
	{ { NAME("__source") }, GROUP_SIGNUP, PARAMETER_INFORMS, TEXT(signup.source) },
	{ { NAME("altcha") }, GROUP_BOTS, 0, TEXT(proof) },
	{ { NAME("__stamp") }, GROUP_BOTS | GROUP_CONFIRM | GROUP_ONE_CLICK, PARAMETER_INFORMS, TEXT(stamp) },
	{ { NAME("__rid") }, GROUP_SIGNUP, PARAMETER_INFORMS, TEXT(signup.request_id) },
	{ { NAME("__uid") }, GROUP_SIGNUP, TEXT(signup.uid) },
	{ { NAME("redirect_url") }, GROUP_SIGNUP,
	    CHECKED_TEXT(signup.redirect_url, link_is_web, "must be an http or https URL, or a reference without a scheme") },
	THEN(GROUP_SIGNUP, call_default_signup),
	THEN(GROUP_SIGNUP, call_read_custom_fields),
	{ { NAME("__skip_urls") }, GROUP_VIEW, PARAMETER_BAD_IS_TRUE, BOOLEAN(view.skip_urls) },
	{ { NAME("__skip_actions") }, GROUP_VIEW, PARAMETER_BAD_IS_TRUE, BOOLEAN(view.skip_actions) },

	{ { NAME("limit") }, GROUP_LEADERS | GROUP_FILTER, PARSED_TEXT(size_t, limit, parse_limit, "must be a number from 1") },
	{ { NAME("social_id") }, GROUP_LEADERS, TEXT(social_id) },
	{ { NAME("lead_description") }, GROUP_LEADERS,
	    PARSED_TEXT(struct slice, lead_description, parse_description, "is longer than the name of a custom field") },
	{ { NAME("avatar_default") }, GROUP_LEADERS,
	    PARSED_TEXT(struct slice, avatar_default, parse_avatar_default,
		"must be mp, identicon, monsterid, wavatar, retro, robohash, blank, 404, icon, ui, or an http or https URL of "
		"at most 2048 characters of RFC 3986") },
	{ { NAME("cursor") }, GROUP_FILTER,
	    PARSED_TEXT(uint32_t, filter.after, parse_cursor, "must be what the page before gave as next") },
	{ { NAME("verified") }, GROUP_FILTER, BOOLEAN_OR_ANY(filter.verified) },
	{ { NAME("waitlisted") }, GROUP_FILTER, BOOLEAN_OR_ANY(filter.waitlisted) },
	{ { NAME("fraudulent") }, GROUP_FILTER, BOOLEAN_OR_ANY(filter.fraudulent) },
	{ { NAME("opted_out") }, GROUP_FILTER, BOOLEAN_OR_ANY(filter.opted_out) },
	{ { NAME("since") }, GROUP_FILTER,
	    PARSED_TEXT(int64_t, filter.since_ms, parse_time, "must be a time (2026-11-21T03:38:13Z) or a date") },
	{ { NAME("tag") }, GROUP_FILTER, .read = read_tag_filter },

	{ { NAME("points") }, GROUP_SIGNUP_POINTS | GROUP_POINTS, PARAMETER_NEEDS_CHANGE, .read = read_points },
	THEN(GROUP_POINTS, require_points),
	{ { NAME("email"), NAME("emails") }, GROUP_LEADS, LEADS_BY(EMAIL) },
	{ { NAME("phone_number"), NAME("phone_numbers") }, GROUP_LEADS, LEADS_BY(PHONE) },
	{ { NAME("social_id"), NAME("social_ids"), NAME("kid") }, GROUP_LEADS, LEADS_BY(SOCIAL_ID) },
	THEN(GROUP_LEADS, call_check_leads),
	{ { NAME("country_code") }, GROUP_LEADS, TEXT(country_code) },
	THEN(GROUP_LEADS, call_parse_leads),
	{ { NAME("message") }, GROUP_POINTS, TEXT(message) },
	{ { NAME("aid") }, GROUP_ACTION, PARSED_TEXT_OR(ACTION_NOT_FOUND, uint64_t, action_id, parse_id) },
	{ { NAME("data") }, GROUP_ACTION, PARAMETER_STRUCTURED, .read = call_read_data },
	{ { NAME("tag_id") }, GROUP_TAG, .read = read_tag_id },
	{ { NAME("tag") }, GROUP_TAG, .read = read_tag_name },
	{ { NAME("tag_ids") }, GROUP_TAGS, PARAMETER_REPEATABLE, .read = call_read_tag_ids },
	{ { NAME("channel") }, GROUP_CHANNEL, CHECKED_TEXT(argument, is_channel, "must be email or phone") },
	{ { NAME("reason") }, GROUP_REASON, CHECKED_TEXT(argument, is_reason, "is longer than 64 bytes") },

	{ { NAME("url") }, GROUP_WEBHOOK_URL | GROUP_INBOUND_NAME, TEXT(url) },
	THEN(GROUP_WEBHOOK, call_judge_url),
	{ { NAME("event"), NAME("events") }, GROUP_WEBHOOK, PARAMETER_REPEATABLE, .read = call_read_events },
	{ { NAME("source") }, GROUP_WEBHOOK, TEXT(source) },
	{ { NAME("source") }, GROUP_INBOUND, .read = call_read_inbound_source },
	{ { NAME("format") }, GROUP_WEBHOOK, CHECKED_TEXT(format, is_format, "must be json or form") },
	{ { NAME("id") }, GROUP_INBOUND_NAME, PARSED_TEXT(uint64_t, id, parse_id, "must be a number from 1") },
	{ { NAME("name") }, GROUP_INBOUND | GROUP_INBOUND_NAME,
	    CHECKED_TEXT(name, is_short_name, "is longer than 200 characters") },
	{ { NAME("tag_id") }, GROUP_INBOUND, .read = call_read_inbound_tag },
	{ { NAME("map") }, GROUP_INBOUND, PARAMETER_STRUCTURED, .read = call_read_map },
	{ { NAME("rotate") }, GROUP_INBOUND, BOOLEAN(inbound.rotate) },
	{ { NAME("reject") }, GROUP_CONFIRM, PARAMETER_BAD_IS_TRUE, BOOLEAN(reject) },
	{ { NAME("List-Unsubscribe") }, GROUP_ONE_CLICK, PARAMETER_INFORMS, TEXT(one_click) },
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
	/* the map of an inbound webhook names them */
	const bool may = call_has_right(call, RIGHT_CHANGE) || call->route->key == KEY_INBOUND;
	if ((parameter->flags & PARAMETER_NEEDS_CHANGE) != 0 && !may)
		return true;
	return (groups & GROUP_LEAD) != 0 && (parameter->flags & PARAMETER_UNLESS_IDENTIFIED) != 0 &&
	       (slice_present(arguments->own.value) || slice_present(arguments->lead.value) ||
		   slice_present(arguments->email.key));
}

bool
call_read(struct call *call, unsigned groups, struct arguments *arguments)
{
	*arguments = (struct arguments){ .view.full = call_has_right(call, RIGHT_LEADS),
		.view.url = (call->route->flags & ROUTE_URL) != 0 };
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
