/* SPDX-License-Identifier: MIT */
#include "api/parameters.h"

#include "base/panic.h"

#define NAME(name) SLICE(name)

const struct parameter parameter_table[PARAMETERS] = {
	[PARAMETER_KEY] = { { NAME("api_key") }, GROUP_KEY, 0 },
	[PARAMETER_CAMPAIGN] = { { NAME("campaign_id"), NAME("campaignId"), NAME("list_id"), NAME("__lid") }, GROUP_CAMPAIGN,
	    0 },
	[PARAMETER_CALLBACK] = { { NAME("jsonp") }, GROUP_CALLBACK, 0 },
	[PARAMETER_PASSWORD] = { { NAME("password") }, GROUP_PASSWORD, 0 },
	[PARAMETER_ANSWER] = { { NAME("__answer") }, GROUP_ANSWER, PARAMETER_INFORMS },
	[PARAMETER_CODE] = { { NAME("code") }, GROUP_CODE, 0 },
	[PARAMETER_PAGE_URL] = { { NAME("__url") }, GROUP_SIGNUP, PARAMETER_INFORMS },
	[PARAMETER_TOKEN] = { { NAME("__token") }, GROUP_LEAD | GROUP_ACTION | GROUP_LEADERS | GROUP_OWNER, 0 },
	[PARAMETER_SOCIAL_ID] = { { NAME("social_id"), NAME("kid") }, GROUP_LEAD | GROUP_ACTION, 0 },
	[PARAMETER_EMAIL] = { { NAME("email") }, GROUP_SIGNUP | GROUP_LEAD, 0 },
	[PARAMETER_STRICT] = { { NAME("__strict") }, GROUP_SIGNUP, 0 },
	[PARAMETER_PHONE_NUMBER] = { { NAME("phone_number") }, GROUP_SIGNUP | GROUP_LEAD, 0 },
	[PARAMETER_COUNTRY_CODE] = { { NAME("country_code") }, GROUP_SIGNUP | GROUP_LEAD | GROUP_LEADS, 0 },
	[PARAMETER_MUST_EXIST] = { { NAME("must_exist") }, GROUP_SIGNUP, 0 },
	[PARAMETER_KEEP_OPT_OUT] = { { NAME("__do_not_reset_opt_out") }, GROUP_SIGNUP, 0 },
	[PARAMETER_SIGNUP_ID] = { { NAME("social_id"), NAME("kid"), NAME("__kid") }, GROUP_SIGNUP, 0 },
	[PARAMETER_IP] = { { NAME("ip") }, GROUP_SIGNUP, PARAMETER_INFORMS },
	[PARAMETER_REFERRER] = { { NAME("__referrer"), NAME("__ref"), NAME("referrer") }, GROUP_SIGNUP, PARAMETER_INFORMS },
	[PARAMETER_SESSION_ID] = { { NAME("__sid"), NAME("__session_id") }, GROUP_SIGNUP, PARAMETER_INFORMS },
	[PARAMETER_USER_AGENT] = { { NAME("__user_agent") }, GROUP_SIGNUP, PARAMETER_INFORMS },
	[PARAMETER_LANGUAGE] = { { NAME("__language") }, GROUP_SIGNUP, PARAMETER_INFORMS },
	[PARAMETER_SIGNUP_SOURCE] = { { NAME("__source") }, GROUP_SIGNUP, PARAMETER_INFORMS },
	[PARAMETER_PROOF] = { { NAME("altcha") }, GROUP_BOTS, 0 },
	[PARAMETER_STAMP] = { { NAME("__stamp") }, GROUP_BOTS | GROUP_CONFIRM | GROUP_ONE_CLICK, PARAMETER_INFORMS },
	[PARAMETER_REQUEST_ID] = { { NAME("__rid") }, GROUP_SIGNUP, PARAMETER_INFORMS },
	[PARAMETER_UID] = { { NAME("__uid") }, GROUP_SIGNUP, 0 },
	[PARAMETER_REDIRECT_URL] = { { NAME("redirect_url") }, GROUP_SIGNUP, 0 },
	[PARAMETER_SKIP_URLS] = { { NAME("__skip_urls") }, GROUP_VIEW, 0 },
	[PARAMETER_SKIP_ACTIONS] = { { NAME("__skip_actions") }, GROUP_VIEW, 0 },
	[PARAMETER_LIMIT] = { { NAME("limit") }, GROUP_LEADERS | GROUP_FILTER, 0 },
	[PARAMETER_LEADER_ID] = { { NAME("social_id") }, GROUP_LEADERS, 0 },
	[PARAMETER_LEAD_DESCRIPTION] = { { NAME("lead_description") }, GROUP_LEADERS, 0 },
	[PARAMETER_AVATAR_DEFAULT] = { { NAME("avatar_default") }, GROUP_LEADERS, 0 },
	[PARAMETER_CURSOR] = { { NAME("cursor") }, GROUP_FILTER, 0 },
	[PARAMETER_VERIFIED] = { { NAME("verified") }, GROUP_FILTER, 0 },
	[PARAMETER_WAITLISTED] = { { NAME("waitlisted") }, GROUP_FILTER, 0 },
	[PARAMETER_FRAUDULENT] = { { NAME("fraudulent") }, GROUP_FILTER, 0 },
	[PARAMETER_OPTED_OUT] = { { NAME("opted_out") }, GROUP_FILTER, 0 },
	[PARAMETER_SINCE] = { { NAME("since") }, GROUP_FILTER, 0 },
	[PARAMETER_POINTS] = { { NAME("points") }, GROUP_SIGNUP_POINTS | GROUP_POINTS, 0 },
	[PARAMETER_EMAILS] = { { NAME("email"), NAME("emails") }, GROUP_LEADS, PARAMETER_REPEATABLE },
	[PARAMETER_PHONE_NUMBERS] = { { NAME("phone_number"), NAME("phone_numbers") }, GROUP_LEADS, PARAMETER_REPEATABLE },
	[PARAMETER_SOCIAL_IDS] = { { NAME("social_id"), NAME("social_ids"), NAME("kid") }, GROUP_LEADS, PARAMETER_REPEATABLE },
	[PARAMETER_MESSAGE] = { { NAME("message") }, GROUP_POINTS, 0 },
	[PARAMETER_ACTION_ID] = { { NAME("aid") }, GROUP_ACTION, 0 },
	[PARAMETER_DATA] = { { NAME("data") }, GROUP_ACTION, PARAMETER_STRUCTURED },
	[PARAMETER_TAG_ID] = { { NAME("tag_id") }, GROUP_TAG | GROUP_INBOUND, 0 },
	[PARAMETER_TAG] = { { NAME("tag") }, GROUP_TAG | GROUP_FILTER, 0 },
	[PARAMETER_TAG_IDS] = { { NAME("tag_ids") }, GROUP_TAGS, PARAMETER_REPEATABLE },
	[PARAMETER_CHANNEL] = { { NAME("channel") }, GROUP_CHANNEL, 0 },
	[PARAMETER_REASON] = { { NAME("reason") }, GROUP_REASON, 0 },
	[PARAMETER_URL] = { { NAME("url") }, GROUP_WEBHOOK_URL | GROUP_INBOUND_NAME, 0 },
	[PARAMETER_EVENTS] = { { NAME("event"), NAME("events") }, GROUP_WEBHOOK, PARAMETER_REPEATABLE },
	[PARAMETER_SOURCE] = { { NAME("source") }, GROUP_WEBHOOK | GROUP_INBOUND, 0 },
	[PARAMETER_FORMAT] = { { NAME("format") }, GROUP_WEBHOOK, 0 },
	[PARAMETER_ID] = { { NAME("id") }, GROUP_INBOUND_NAME, 0 },
	[PARAMETER_NAME] = { { NAME("name") }, GROUP_INBOUND | GROUP_INBOUND_NAME, 0 },
	[PARAMETER_MAP] = { { NAME("map") }, GROUP_INBOUND, PARAMETER_STRUCTURED },
	[PARAMETER_ROTATE] = { { NAME("rotate") }, GROUP_INBOUND, 0 },
	[PARAMETER_REJECT] = { { NAME("reject") }, GROUP_CONFIRM, 0 },
	[PARAMETER_ONE_CLICK] = { { NAME("List-Unsubscribe") }, GROUP_ONE_CLICK, PARAMETER_INFORMS },
	[PARAMETERS_READ] = { { NAME("action") }, GROUP_IGNORED, 0 },
	{ { NAME("controller") }, GROUP_IGNORED, 0 },
	{ { NAME("ip_address") }, GROUP_IGNORED, 0 },
	{ { NAME("kolid") }, GROUP_IGNORED, 0 },
	{ { NAME("landing_page_id") }, GROUP_IGNORED, 0 },
	{ { NAME("skip_ar") }, GROUP_IGNORED, 0 },
};

enum { REPEATABLE_MAX = 16, LETTER_ROWS_MAX = 24 };

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
	for (size_t i = 0; i < PARAMETERS; i++)
		if ((parameter_table[i].groups & GROUPS_RESERVED) != 0 && has_name(&parameter_table[i], lower_name))
			return true;
	return false;
}

bool
parameter_informs(struct slice lower_name)
{
	for (size_t i = 0; i < PARAMETERS; i++)
		if ((parameter_table[i].flags & PARAMETER_INFORMS) != 0 && has_name(&parameter_table[i], lower_name))
			return true;
	return false;
}

/* Names that begin with '_' are those of the table as they are written there; the others in any case. */
static bool
is_named(const struct parameter *parameter, struct slice name)
{
	return slice_starts_with(name, SLICE("_")) ? slice_is_one_of(name, parameter->names, PARAMETER_NAMES_MAX)
						   : has_name(parameter, name);
}

/* The rows that have a name with the same first letter, in their order, and the sizes of those names, as bits. */
struct letter {
	const struct parameter *rows[LETTER_ROWS_MAX];
	size_t count;
	uint64_t sizes;
};

static void
add_name(struct letter *letter, const struct parameter *row, struct slice name)
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
	for (const struct parameter *row = parameter_table; !is_filled && row < parameter_table + PARAMETERS; row++)
		for (size_t k = 0; parameter_has_name(row, k); k++)
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
		const struct parameter *parameter = letter->rows[i];
		if ((parameter->groups & groups) == 0 || !is_named(parameter, name))
			continue;
		if (parameter->groups == GROUP_IGNORED)
			return HTTP_NAME_DROPPED;
		return (parameter->flags & PARAMETER_INFORMS) != 0      ? HTTP_NAME_INFORMS
		       : (parameter->flags & PARAMETER_STRUCTURED) != 0 ? HTTP_NAME_FIELD
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
parameter_names(const struct call *call)
{
	const bool bulk = (call->route->flags & ROUTE_BULK) != 0;
	struct slice *names = POOL_ARRAY(call->request->pool, REPEATABLE_MAX, struct slice);
	struct http_names all = { .collecting = names,
		.kind_of = kind_in_call,
		.fields = SLICE(CUSTOM_FIELDS_NAME),
		.kind_of_member = kind_of_member };
	if ((call->route->flags & ROUTE_FIELDS) != 0)
		all.kind_of = kind_in_signup;
	for (size_t i = 0; i < PARAMETERS; i++)
		if ((parameter_table[i].flags & PARAMETER_REPEATABLE) != 0 &&
		    (bulk || (parameter_table[i].groups & (GROUP_LEADS | GROUP_TAGS)) == 0))
			for (size_t k = 0; parameter_has_name(&parameter_table[i], k); k++) {
				require(all.collecting_count < REPEATABLE_MAX);
				if (all.collecting_count < REPEATABLE_MAX)
					names[all.collecting_count++] = parameter_table[i].names[k];
			}
	return all;
}
