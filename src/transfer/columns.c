/* SPDX-License-Identifier: MIT */
#include "transfer/columns.h"

#include <string.h>

#include "base/utf8.h"
#include "engine/custom_fields.h"
#include "transfer/column_names.h"
#include "transfer/times.h"

#define UTM "utm_"

/* The names of fields in the files and payloads of this program, separated by spaces; the first one is used in messages. */
static const struct {
	enum lead_field field;
	const char *names;
} names[] = {
	{ LEAD_EMAIL, "email email_address e_mail" },
	{ LEAD_PHONE, "phone_number phone" },
	{ LEAD_COUNTRY_CODE, "country_code" },
	{ LEAD_SOCIAL_ID, "social_id kid referral_code" },
	{ LEAD_REFERRED_BY, "parent_id referrer_id referred_by" },
	{ LEAD_CREATED, "created created_at when signup_date" },
	{ LEAD_NUMBER, "subscription_number" },
	{ LEAD_VERIFIED, "verified" },
	{ LEAD_VERIFIED_EMAIL, "verified_email" },
	{ LEAD_VERIFIED_PHONE, "verified_phone_number" },
	{ LEAD_CLAIMED, "claimed" },
	{ LEAD_OPTED_OUT, "opted_out unsubscribed" },
	{ LEAD_SMS_OPTED_OUT, "sms_opted_out" },
	{ LEAD_WAITLISTED, "waitlisted" },
	{ LEAD_FRAUDULENT, "fraudulent" },
	{ LEAD_SCORE, "points contest_score score" },
	{ LEAD_IP, "ip ip_address" },
	{ LEAD_SOURCE, "source __source" },
	{ LEAD_USER_AGENT, "user_agent __user_agent" },
	{ LEAD_UID, "uid __uid" },
	{ LEAD_PAGE_REFERRER, "referrer_url __ref __referrer" },
	{ LEAD_SIGNUP_URL, "signup_url __url" },
	{ LEAD_LANGUAGE, "language __language" },
	{ LEAD_CUSTOM_OBJECT, "custom_fields" },
	{ LEAD_UTM_OBJECT, "utm" },
	{ LEAD_OTHER_FIELDS, "__fields" },
	{ LEAD_TAG_NAMES, "tags" },
	{ LEAD_ACTION_TEXTS, "completed_actions" },
	/* derived from other fields, or from the campaign */
	{ LEAD_IGNORED, "id campaign_id list_id rank rank_relative_position counter lead_count contest_score_rank "
			"contest_score_rank_relative_position display_name avatar enhanced anonymous url social_url "
			"redirect_url thankyou_url status_url unsubscribe_url referrals unverified_leads verified_leads "
			"influence" },
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

/* Whether the list has a name. */
static bool
has_name(const char *list, struct slice name)
{
	struct slice rest = slice_of(list), plain;
	while (slice_next(&rest, ' ', &plain))
		if (is_named(name, plain))
			return true;
	return false;
}

/* Where a name is from. */
enum name_place { IN_HEADING, IN_JSON };

static enum lead_field
field_of(struct slice name, enum name_place place)
{
	const bool json = place == IN_JSON;
	name = slice_trim(name);
	if (is_named(name, SLICE("referrer")))
		return json ? LEAD_PAGE_REFERRER : LEAD_REFERRED_BY;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (has_name(names[i].names, name)) {
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

enum lead_field
lead_field_of_member(struct slice name)
{
	return field_of(name, IN_JSON);
}

static struct column
find_column(struct pool *pool, struct slice name, enum name_place place)
{
	struct slice member, base;
	name = slice_trim(utf8_sanitized(pool, name));
	if (custom_field_member(pool, name, &member, &base))
		return (struct column){ .field = LEAD_CUSTOM, .name = member };
	struct column column = { .field = field_of(name, place) };
	const struct slice plain = plain_name(pool, name);
	if (column.field == LEAD_UTM)
		column.name = slice_sub(plain, sizeof(UTM) - 1, plain.size);
	if (column.field != LEAD_CUSTOM)
		return column;
	const bool is_person = slice_is_one_of(plain, person, ARRAY_SIZE(person));
	column.field = place == IN_JSON && is_person ? LEAD_DERIVED_NAME : LEAD_CUSTOM;
	column.name = is_person ? plain : custom_field_name(pool, name);
	return column;
}

struct column
column_of(struct pool *pool, struct slice name)
{
	return find_column(pool, name, IN_HEADING);
}

struct column
column_of_member(struct pool *pool, struct slice name)
{
	return find_column(pool, name, IN_JSON);
}

/* The visible part of a heading, with plain blanks. */
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
	*column = column_of(pool, plain);
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
		(!consent_needs_meaning(plain) && find_by_words(pool, plain_words(pool, without_note(heading)), &column)));
	if (!is_known)
		column = column_of(pool, heading);
	if (slice_equal(plain, SLICE("referrer")))
		column.name = plain;
	column.is_guess = column.field == LEAD_CUSTOM && !is_own && !is_known;
	column.needs_meaning = column.is_guess && consent_needs_meaning(plain);
	column.may_be_any = column.is_guess && consent_may_be_any(plain);
	column.may_be_switch = column.is_guess && consent_may_be_switch(plain);
	return column;
}

struct column
column_mapped(struct pool *pool, struct slice word)
{
	return slice_equal(word, SLICE("-")) ? (struct column){ .field = LEAD_IGNORED } : column_of(pool, word);
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
	const bool is_open = (other == MEANS_ACTIVE || other == MEANS_VERIFIED) && consent_state_refuses(plain);
	return is_open ? MEANS_UNKNOWN : other;
}

enum value_meaning
column_suggested(struct slice value, struct slice plain, enum consent_column kind)
{
	const enum value_meaning meaning = consent_suggested(time_is_none(value) ? SLICE("") : plain, kind);
	return meaning == MEANS_UNKNOWN && kind == COLUMN_OF_REFUSALS ? MEANS_OPTED_OUT : meaning;
}

struct slice
lead_field_name(enum lead_field field)
{
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (names[i].field == field)
			return slice_sub(slice_of(names[i].names), 0, strcspn(names[i].names, " "));
	return SLICE("utm");
}
