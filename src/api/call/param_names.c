/* SPDX-License-Identifier: MIT */
#include "api/call/param_names.h"

#include "base/panic.h"

#define NAME(name) SLICE(name)

const struct param param_table[PARAMS] = {
	[PARAM_KEY] = { { NAME("api_key") }, GROUP_KEY, 0 },
	[PARAM_CAMPAIGN] = { { NAME("campaign_id"), NAME("campaignId"), NAME("list_id"), NAME("__lid") }, GROUP_CAMPAIGN, 0 },
	[PARAM_CALLBACK] = { { NAME("jsonp") }, GROUP_CALLBACK, 0 },
	[PARAM_PASSWORD] = { { NAME("password") }, GROUP_PASSWORD, 0 },
	[PARAM_ANSWER] = { { NAME("__answer") }, GROUP_ANSWER, PARAM_INFORMS },
	[PARAM_CODE] = { { NAME("code") }, GROUP_CODE, 0 },
	[PARAM_PAGE_URL] = { { NAME("__url") }, GROUP_SIGNUP, PARAM_INFORMS },
	[PARAM_TOKEN] = { { NAME("__token") }, GROUP_LEAD | GROUP_ACTION | GROUP_LEADERS | GROUP_OWNER, 0 },
	[PARAM_SOCIAL_ID] = { { NAME("social_id"), NAME("kid") }, GROUP_LEAD | GROUP_ACTION, 0 },
	[PARAM_EMAIL] = { { NAME("email") }, GROUP_SIGNUP | GROUP_LEAD, 0 },
	[PARAM_STRICT] = { { NAME("__strict") }, GROUP_SIGNUP, 0 },
	[PARAM_PHONE_NUMBER] = { { NAME("phone_number") }, GROUP_SIGNUP | GROUP_LEAD, 0 },
	[PARAM_COUNTRY_CODE] = { { NAME("country_code") }, GROUP_SIGNUP | GROUP_LEAD | GROUP_LEADS, 0 },
	[PARAM_MUST_EXIST] = { { NAME("must_exist") }, GROUP_SIGNUP, 0 },
	[PARAM_KEEP_OPT_OUT] = { { NAME("__do_not_reset_opt_out") }, GROUP_SIGNUP, 0 },
	[PARAM_SIGNUP_ID] = { { NAME("social_id"), NAME("kid"), NAME("__kid") }, GROUP_SIGNUP, 0 },
	[PARAM_IP] = { { NAME("ip") }, GROUP_SIGNUP, PARAM_INFORMS },
	[PARAM_REFERRER] = { { NAME("__referrer"), NAME("__ref"), NAME("referrer") }, GROUP_SIGNUP, PARAM_INFORMS },
	[PARAM_SESSION_ID] = { { NAME("__sid"), NAME("__session_id") }, GROUP_SIGNUP, PARAM_INFORMS },
	[PARAM_USER_AGENT] = { { NAME("__user_agent") }, GROUP_SIGNUP, PARAM_INFORMS },
	[PARAM_LANGUAGE] = { { NAME("__language") }, GROUP_SIGNUP, PARAM_INFORMS },
	[PARAM_SIGNUP_SOURCE] = { { NAME("__source") }, GROUP_SIGNUP, PARAM_INFORMS },
	[PARAM_PROOF] = { { NAME("altcha") }, GROUP_BOTS, 0 },
	[PARAM_STAMP] = { { NAME("__stamp") }, GROUP_BOTS | GROUP_CONFIRM | GROUP_ONE_CLICK, PARAM_INFORMS },
	[PARAM_REQUEST_ID] = { { NAME("__rid") }, GROUP_SIGNUP, PARAM_INFORMS },
	[PARAM_UID] = { { NAME("__uid") }, GROUP_SIGNUP, 0 },
	[PARAM_REDIRECT_URL] = { { NAME("redirect_url") }, GROUP_SIGNUP, 0 },
	[PARAM_SKIP_URLS] = { { NAME("__skip_urls") }, GROUP_VIEW, 0 },
	[PARAM_SKIP_ACTIONS] = { { NAME("__skip_actions") }, GROUP_VIEW, 0 },
	[PARAM_LIMIT] = { { NAME("limit") }, GROUP_LEADERS | GROUP_FILTER, 0 },
	[PARAM_LEADER_ID] = { { NAME("social_id") }, GROUP_LEADERS, 0 },
	[PARAM_LEAD_DESCRIPTION] = { { NAME("lead_description") }, GROUP_LEADERS, 0 },
	[PARAM_AVATAR_DEFAULT] = { { NAME("avatar_default") }, GROUP_LEADERS, 0 },
	[PARAM_CURSOR] = { { NAME("cursor") }, GROUP_FILTER, 0 },
	[PARAM_VERIFIED] = { { NAME("verified") }, GROUP_FILTER, 0 },
	[PARAM_WAITLISTED] = { { NAME("waitlisted") }, GROUP_FILTER, 0 },
	[PARAM_FRAUDULENT] = { { NAME("fraudulent") }, GROUP_FILTER, 0 },
	[PARAM_OPTED_OUT] = { { NAME("opted_out") }, GROUP_FILTER, 0 },
	[PARAM_SINCE] = { { NAME("since") }, GROUP_FILTER, 0 },
	[PARAM_POINTS] = { { NAME("points") }, GROUP_SIGNUP_POINTS | GROUP_POINTS, 0 },
	[PARAM_EMAILS] = { { NAME("email"), NAME("emails") }, GROUP_LEADS, PARAM_REPEATABLE },
	[PARAM_PHONE_NUMBERS] = { { NAME("phone_number"), NAME("phone_numbers") }, GROUP_LEADS, PARAM_REPEATABLE },
	[PARAM_SOCIAL_IDS] = { { NAME("social_id"), NAME("social_ids"), NAME("kid") }, GROUP_LEADS, PARAM_REPEATABLE },
	[PARAM_MESSAGE] = { { NAME("message") }, GROUP_POINTS, 0 },
	[PARAM_ACTION_ID] = { { NAME("aid") }, GROUP_ACTION, 0 },
	[PARAM_DATA] = { { NAME("data") }, GROUP_ACTION, PARAM_STRUCTURED },
	[PARAM_TAG_ID] = { { NAME("tag_id") }, GROUP_TAG | GROUP_INBOUND, 0 },
	[PARAM_TAG] = { { NAME("tag") }, GROUP_TAG | GROUP_FILTER, 0 },
	[PARAM_TAG_IDS] = { { NAME("tag_ids") }, GROUP_TAGS, PARAM_REPEATABLE },
	[PARAM_CHANNEL] = { { NAME("channel") }, GROUP_CHANNEL, 0 },
	[PARAM_REASON] = { { NAME("reason") }, GROUP_REASON, 0 },
	[PARAM_URL] = { { NAME("url") }, GROUP_WEBHOOK_URL | GROUP_INBOUND_NAME, 0 },
	[PARAM_EVENTS] = { { NAME("event"), NAME("events") }, GROUP_WEBHOOK, PARAM_REPEATABLE },
	[PARAM_SOURCE] = { { NAME("source") }, GROUP_WEBHOOK | GROUP_INBOUND, 0 },
	[PARAM_FORMAT] = { { NAME("format") }, GROUP_WEBHOOK, 0 },
	[PARAM_ID] = { { NAME("id") }, GROUP_INBOUND_NAME, 0 },
	[PARAM_NAME] = { { NAME("name") }, GROUP_INBOUND | GROUP_INBOUND_NAME, 0 },
	[PARAM_MAP] = { { NAME("map") }, GROUP_INBOUND, PARAM_STRUCTURED },
	[PARAM_ROTATE] = { { NAME("rotate") }, GROUP_INBOUND, 0 },
	[PARAM_REJECT] = { { NAME("reject") }, GROUP_CONFIRM, 0 },
	[PARAM_ONE_CLICK] = { { NAME("List-Unsubscribe") }, GROUP_ONE_CLICK, PARAM_INFORMS },
	[PARAMS_READ] = { { NAME("action") }, GROUP_IGNORED, 0 },
	{ { NAME("controller") }, GROUP_IGNORED, 0 },
	{ { NAME("ip_address") }, GROUP_IGNORED, 0 },
	{ { NAME("kolid") }, GROUP_IGNORED, 0 },
	{ { NAME("landing_page_id") }, GROUP_IGNORED, 0 },
	{ { NAME("skip_ar") }, GROUP_IGNORED, 0 },
};

enum { REPEATABLE_MAX = 16, LETTER_ROWS_MAX = 24 };

static bool
has_name(const struct param *parameter, struct slice lower_name)
{
	for (size_t i = 0; param_has_name(parameter, i); i++)
		if (parameter->names[i].size == lower_name.size && slice_equal_nocase(parameter->names[i], lower_name))
			return true;
	return false;
}

bool
param_is_reserved(struct slice lower_name)
{
	for (size_t i = 0; i < PARAMS; i++)
		if ((param_table[i].groups & GROUPS_RESERVED) != 0 && has_name(&param_table[i], lower_name))
			return true;
	return false;
}

bool
param_informs(struct slice lower_name)
{
	for (size_t i = 0; i < PARAMS; i++)
		if ((param_table[i].flags & PARAM_INFORMS) != 0 && has_name(&param_table[i], lower_name))
			return true;
	return false;
}

/* Names that begin with '_' are those of the table as they are written there; the others in any case. */
static bool
is_named(const struct param *parameter, struct slice name)
{
	return slice_starts_with(name, SLICE("_")) ? slice_is_one_of(name, parameter->names, PARAM_NAMES_MAX)
						   : has_name(parameter, name);
}

/* The rows that have a name with the same first letter, in their order, and the sizes of those names, as bits. */
struct letter {
	const struct param *rows[LETTER_ROWS_MAX];
	size_t count;
	uint64_t sizes;
};

static void
add_name(struct letter *letter, const struct param *row, struct slice name)
{
	letter->sizes |= UINT64_C(1) << name.size;
	if (letter->count > 0 && letter->rows[letter->count - 1] == row)
		return;
	require(letter->count < LETTER_ROWS_MAX);
	if (letter->count < LETTER_ROWS_MAX)
		letter->rows[letter->count++] = row;
}

/* Rows that may have the name. A request may have thousands of names, and is not limited before its query is read. */
static const struct letter *
find_letter(struct slice name)
{
	enum { LETTERS = 32, SIZE_MAX_BITS = 64 }; /* of ASCII, without the bits for case */
	static struct letter letters[LETTERS];
	static bool is_filled;
	for (const struct param *row = param_table; !is_filled && row < param_table + PARAMS; row++)
		for (size_t k = 0; param_has_name(row, k); k++)
			add_name(&letters[row->names[k].data[0] & (LETTERS - 1)], row, row->names[k]);
	is_filled = true;
	if (name.size == 0 || name.size >= SIZE_MAX_BITS)
		return NULL;
	const struct letter *letter = &letters[name.data[0] & (LETTERS - 1)];
	return (letter->sizes >> name.size & 1) != 0 ? letter : NULL;
}

/* `groups`: those of the parameters that are not fields. */
static enum http_name_kind
kind_in(unsigned groups, struct slice name)
{
	const struct letter *letter = find_letter(name);
	for (size_t i = 0; letter != NULL && i < letter->count; i++) {
		const struct param *parameter = letter->rows[i];
		if ((parameter->groups & groups) == 0 || !is_named(parameter, name))
			continue;
		if (parameter->groups == GROUP_IGNORED)
			return HTTP_NAME_DROPPED;
		return (parameter->flags & PARAM_INFORMS) != 0      ? HTTP_NAME_INFORMS
		       : (parameter->flags & PARAM_STRUCTURED) != 0 ? HTTP_NAME_FIELD
								    : HTTP_NAME_PARAMETER;
	}
	if (name.size == 0 || slice_starts_with(name, SLICE("_")))
		return HTTP_NAME_DROPPED;
	if (!slice_starts_with_nocase(name, SLICE(UTM_PREFIX)))
		return HTTP_NAME_FIELD;
	return slice_find(name, '[') < name.size ? HTTP_NAME_DROPPED : HTTP_NAME_OPTIONAL; /* a member of an object */
}

/* Of a sign-up: the parameters of other calls are custom fields. An object for one that names leads or tags is refused, because
 * it looks as if it had an effect. */
static enum http_name_kind
kind_in_signup(struct slice name)
{
	return kind_in(GROUPS_RESERVED | GROUP_VIEW | GROUP_LEAD | GROUP_LEADS | GROUP_TAG | GROUP_TAGS, name);
}

static enum http_name_kind
kind_in_call(struct slice name)
{
	return kind_in(~0U, name);
}

/* Of a member of `custom_fields`: what is no custom field outside is dropped. */
static enum http_name_kind
kind_of_member(struct slice name)
{
	const struct letter *letter = find_letter(name);
	if (name.size == 0 || slice_starts_with(name, SLICE("_")) || slice_starts_with_nocase(name, SLICE(UTM_PREFIX)))
		return HTTP_NAME_DROPPED;
	for (size_t i = 0; letter != NULL && i < letter->count; i++)
		if ((letter->rows[i]->groups & GROUPS_RESERVED) != 0 && has_name(letter->rows[i], name))
			return HTTP_NAME_DROPPED;
	return HTTP_NAME_FIELD;
}

struct http_names
param_names(const struct call *call)
{
	const bool bulk = (call->route->flags & ROUTE_BULK) != 0;
	struct slice *names = POOL_ARRAY(call->request->pool, REPEATABLE_MAX, struct slice);
	struct http_names all = { .collecting = names,
		.kind_of = kind_in_call,
		.fields = SLICE(CUSTOM_FIELDS_NAME),
		.kind_of_member = kind_of_member };
	if ((call->route->flags & ROUTE_FIELDS) != 0)
		all.kind_of = kind_in_signup;
	for (size_t i = 0; i < PARAMS; i++)
		if ((param_table[i].flags & PARAM_REPEATABLE) != 0 &&
		    (bulk || (param_table[i].groups & (GROUP_LEADS | GROUP_TAGS)) == 0))
			for (size_t k = 0; param_has_name(&param_table[i], k); k++) {
				require(all.collecting_count < REPEATABLE_MAX);
				if (all.collecting_count < REPEATABLE_MAX)
					names[all.collecting_count++] = param_table[i].names[k];
			}
	return all;
}
