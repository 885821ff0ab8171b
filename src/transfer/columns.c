/* SPDX-License-Identifier: MIT */
#include "transfer/columns.h"

#include "base/utf8.h"
#include "engine/custom_fields.h"
#include "transfer/column_names.h"
#include "transfer/times.h"

#define UTM "utm_"

/* The first name of a field is the one in messages. */
static const struct {
	struct slice name;
	enum lead_field field;
} names[] = {
	{ SLICE("email"), LEAD_EMAIL },
	{ SLICE("email_address"), LEAD_EMAIL },
	{ SLICE("e_mail"), LEAD_EMAIL },
	{ SLICE("phone_number"), LEAD_PHONE },
	{ SLICE("phone"), LEAD_PHONE },
	{ SLICE("country_code"), LEAD_COUNTRY_CODE },
	{ SLICE("social_id"), LEAD_SOCIAL_ID },
	{ SLICE("kid"), LEAD_SOCIAL_ID },
	{ SLICE("referral_code"), LEAD_SOCIAL_ID },
	{ SLICE("parent_id"), LEAD_REFERRED_BY },
	{ SLICE("referrer_id"), LEAD_REFERRED_BY },
	{ SLICE("referred_by"), LEAD_REFERRED_BY },
	{ SLICE("created"), LEAD_CREATED },
	{ SLICE("created_at"), LEAD_CREATED },
	{ SLICE("when"), LEAD_CREATED },
	{ SLICE("signup_date"), LEAD_CREATED },
	{ SLICE("subscription_number"), LEAD_NUMBER },
	{ SLICE("verified"), LEAD_VERIFIED },
	{ SLICE("verified_email"), LEAD_VERIFIED_EMAIL },
	{ SLICE("verified_phone_number"), LEAD_VERIFIED_PHONE },
	{ SLICE("claimed"), LEAD_CLAIMED },
	{ SLICE("opted_out"), LEAD_OPTED_OUT },
	{ SLICE("unsubscribed"), LEAD_OPTED_OUT },
	{ SLICE("sms_opted_out"), LEAD_SMS_OPTED_OUT },
	{ SLICE("waitlisted"), LEAD_WAITLISTED },
	{ SLICE("fraudulent"), LEAD_FRAUDULENT },
	{ SLICE("points"), LEAD_SCORE },
	{ SLICE("contest_score"), LEAD_SCORE },
	{ SLICE("score"), LEAD_SCORE },
	{ SLICE("ip"), LEAD_IP },
	{ SLICE("ip_address"), LEAD_IP },
	{ SLICE("source"), LEAD_SOURCE },
	{ SLICE("user_agent"), LEAD_USER_AGENT },
	{ SLICE("uid"), LEAD_UID },
	{ SLICE("referrer_url"), LEAD_PAGE_REFERRER },
	{ SLICE("signup_url"), LEAD_SIGNUP_URL },
	{ SLICE("language"), LEAD_LANGUAGE },
	{ SLICE("__language"), LEAD_LANGUAGE },
	{ SLICE("__source"), LEAD_SOURCE },
	{ SLICE("__user_agent"), LEAD_USER_AGENT },
	{ SLICE("__uid"), LEAD_UID },
	{ SLICE("__ref"), LEAD_PAGE_REFERRER },
	{ SLICE("__referrer"), LEAD_PAGE_REFERRER },
	{ SLICE("__url"), LEAD_SIGNUP_URL },
	{ SLICE("custom_fields"), LEAD_CUSTOM_OBJECT },
	{ SLICE("utm"), LEAD_UTM_OBJECT },
	{ SLICE(OTHER_FIELDS_NAME), LEAD_OTHER_FIELDS },
	{ SLICE("tags"), LEAD_TAG_NAMES },
	{ SLICE("completed_actions"), LEAD_ACTION_TEXTS },
	/* what payloads derive from other fields, or from the campaign */
	{ SLICE("id"), LEAD_IGNORED },
	{ SLICE("campaign_id"), LEAD_IGNORED },
	{ SLICE("list_id"), LEAD_IGNORED },
	{ SLICE("rank"), LEAD_IGNORED },
	{ SLICE("rank_relative_position"), LEAD_IGNORED },
	{ SLICE("counter"), LEAD_IGNORED },
	{ SLICE("lead_count"), LEAD_IGNORED },
	{ SLICE("contest_score_rank"), LEAD_IGNORED },
	{ SLICE("contest_score_rank_relative_position"), LEAD_IGNORED },
	{ SLICE("display_name"), LEAD_IGNORED },
	{ SLICE("avatar"), LEAD_IGNORED },
	{ SLICE("enhanced"), LEAD_IGNORED },
	{ SLICE("anonymous"), LEAD_IGNORED },
	{ SLICE("url"), LEAD_IGNORED },
	{ SLICE("social_url"), LEAD_IGNORED },
	{ SLICE("redirect_url"), LEAD_IGNORED },
	{ SLICE("thankyou_url"), LEAD_IGNORED },
	{ SLICE("status_url"), LEAD_IGNORED },
	{ SLICE("unsubscribe_url"), LEAD_IGNORED },
	{ SLICE("referrals"), LEAD_IGNORED },
	{ SLICE("unverified_leads"), LEAD_IGNORED },
	{ SLICE("verified_leads"), LEAD_IGNORED },
	{ SLICE("influence"), LEAD_IGNORED },
};

/* Custom fields that payloads show a second time, and that headings write in several ways. */
static const struct slice person[] = { SLICE("first_name"), SLICE("given_name"), SLICE("last_name"), SLICE("family_name"),
	SLICE("name") };

/* As names are compared: in lower case, with underscores. */
static char
plain_byte(char c)
{
	return c == ' ' || c == '-' ? '_' : ascii_lower(c);
}

static struct slice
plain_name(struct pool *pool, struct slice name)
{
	char *out = pool_string(pool, name);
	for (size_t i = 0; i < name.size; i++)
		out[i] = plain_byte(out[i]);
	return (struct slice){ out, name.size };
}

/* Whether it begins with this plain name. */
static bool
begins_with(struct slice name, struct slice plain)
{
	for (size_t i = 0; i < plain.size; i++)
		if (i == name.size || plain_byte(name.data[i]) != plain.data[i])
			return false;
	return true;
}

static bool
is_named(struct slice name, struct slice plain)
{
	return name.size == plain.size && begins_with(name, plain);
}

enum lead_field
lead_field_of(struct slice name, bool json)
{
	name = slice_trim(name);
	if (is_named(name, SLICE("referrer")))
		return json ? LEAD_PAGE_REFERRER : LEAD_REFERRED_BY;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (is_named(name, names[i].name)) {
			const enum lead_field field = names[i].field;
			if (json && field == LEAD_OTHER_FIELDS)
				return LEAD_IGNORED;
			return !json && (field == LEAD_CUSTOM_OBJECT || field == LEAD_UTM_OBJECT) ? LEAD_CUSTOM : field;
		}
	if (begins_with(name, SLICE(UTM)) && name.size > sizeof(UTM) - 1)
		return LEAD_UTM;
	return name.size > 0 && plain_byte(name.data[0]) == '_' ? LEAD_IGNORED : LEAD_CUSTOM;
}

bool
lead_field_informs(enum lead_field field)
{
	return field == LEAD_USER_AGENT || field == LEAD_PAGE_REFERRER || field == LEAD_SIGNUP_URL;
}

struct column
column_of(struct pool *pool, struct slice name, bool json)
{
	struct slice member, base;
	name = slice_trim(utf8_sanitized(pool, name));
	if (custom_field_member(pool, name, &member, &base))
		return (struct column){ .field = LEAD_CUSTOM, .name = member };
	struct column column = { .field = lead_field_of(name, json) };
	const struct slice plain = plain_name(pool, name);
	if (column.field == LEAD_UTM)
		column.name = slice_sub(plain, sizeof(UTM) - 1, plain.size);
	if (column.field != LEAD_CUSTOM)
		return column;
	const bool is_person = slice_is_one_of(plain, person, ARRAY_SIZE(person));
	column.field = json && is_person ? LEAD_DERIVED_NAME : LEAD_CUSTOM;
	column.name = is_person ? plain : custom_field_name(pool, name);
	return column;
}

/* What can be seen of a heading, with plain blanks. */
static struct slice
visible(struct pool *pool, struct slice heading)
{
	static const struct slice blanks[] = { SLICE("\xc2\xa0"), SLICE("\xef\xbb\xbf"), SLICE("\xe2\x80\x8b"),
		SLICE("\xe2\x80\xaf") };
	heading = utf8_sanitized(pool, heading);
	char *out = pool_bytes(pool, heading.size + 1);
	size_t size = 0;
	for (size_t at = 0; at < heading.size;) {
		size_t skipped = 0;
		for (size_t i = 0; i < ARRAY_SIZE(blanks) && skipped == 0; i++)
			if (slice_starts_with(slice_sub(heading, at, heading.size), blanks[i]))
				skipped = blanks[i].size;
		if (skipped == 0 || skipped == 2) /* U+00A0 */
			out[size++] = skipped == 2 || ascii_is_space(heading.data[at]) ? ' ' : heading.data[at];
		at += skipped > 0 ? skipped : 1;
	}
	return slice_trim((struct slice){ out, size });
}

/* A heading without what is in parentheses at its end: Created (UTC). */
static struct slice
without_note(struct slice heading)
{
	return slice_ends_with(heading, SLICE(")")) ? slice_trim(slice_sub(heading, 0, slice_find_last(heading, '(')))
						    : heading;
}

/* A field of leads by the words of its name. */
static bool
find_by_words(struct pool *pool, struct slice plain, struct column *column)
{
	if (column_name_find(plain, column))
		return true;
	*column = column_of(pool, plain, false);
	return column->field != LEAD_CUSTOM;
}

struct column
column_of_heading(struct pool *pool, struct slice heading)
{
	struct column column;
	struct slice member, base;
	heading = visible(pool, heading);
	const struct slice plain = plain_words(pool, heading);
	const bool is_own = slice_starts_with(heading, SLICE("_")) || custom_field_member(pool, heading, &member, &base);
	const bool is_known =
	    !is_own &&
	    (find_by_words(pool, plain, &column) ||
		(!status_needs_meaning(plain) && find_by_words(pool, plain_words(pool, without_note(heading)), &column)));
	if (!is_known)
		column = column_of(pool, heading, false);
	if (slice_equal(plain, SLICE("referrer")))
		column.name = plain;
	column.is_guess = column.field == LEAD_CUSTOM && !is_own && !is_known;
	column.needs_meaning = column.is_guess && status_needs_meaning(plain);
	column.may_be_any = column.is_guess && status_may_be_any(plain);
	column.may_be_switch = column.is_guess && status_may_be_switch(plain);
	return column;
}

struct column
column_mapped(struct pool *pool, struct slice word)
{
	return slice_equal(word, SLICE("-")) ? (struct column){ .field = LEAD_IGNORED } : column_of(pool, word, false);
}

enum value_meaning
column_rule(const struct column *column, struct slice value)
{
	for (size_t i = 0; i < column->rule_count; i++)
		if (slice_equal(column->rules[i].value, value))
			return column->rules[i].meaning;
	return MEANS_UNKNOWN;
}

enum value_meaning
column_meaning(struct pool *pool, const struct column *column, struct slice value)
{
	const struct slice plain = plain_words(pool, value);
	const enum value_meaning meaning = column_rule(column, plain);
	if (meaning != MEANS_UNKNOWN || plain.size == 0)
		return meaning;
	const enum value_meaning other = column_rule(column, SLICE(VALUE_OTHER));
	/* someone who said yes to the others has not seen it */
	const bool is_open = (other == MEANS_ACTIVE || other == MEANS_VERIFIED) && status_says_no(plain, true);
	return is_open ? MEANS_UNKNOWN : other;
}

enum value_meaning
column_suggested(struct slice value, struct slice plain, bool negative)
{
	const enum value_meaning meaning = status_suggested(time_is_none(value) ? SLICE("") : plain, negative);
	return meaning == MEANS_UNKNOWN && negative ? MEANS_OPTED_OUT : meaning;
}

struct slice
lead_field_name(enum lead_field field)
{
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (names[i].field == field)
			return names[i].name;
	return SLICE("utm");
}
