/* SPDX-License-Identifier: MIT */
#include "transfer/columns.h"

#include "base/utf8.h"
#include "engine/custom_fields.h"

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
	{ SLICE("__source"), LEAD_SOURCE },
	{ SLICE("__user_agent"), LEAD_USER_AGENT },
	{ SLICE("__uid"), LEAD_UID },
	{ SLICE("__ref"), LEAD_PAGE_REFERRER },
	{ SLICE("__referrer"), LEAD_PAGE_REFERRER },
	{ SLICE("__url"), LEAD_SIGNUP_URL },
	{ SLICE("custom_fields"), LEAD_CUSTOM_OBJECT },
	{ SLICE("utm"), LEAD_UTM_OBJECT },
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
	{ SLICE("completed_actions"), LEAD_IGNORED },
	{ SLICE("tags"), LEAD_IGNORED },
	{ SLICE("referrals"), LEAD_IGNORED },
	{ SLICE("unverified_leads"), LEAD_IGNORED },
	{ SLICE("verified_leads"), LEAD_IGNORED },
	{ SLICE("influence"), LEAD_IGNORED },
};

/* Custom fields that payloads show a second time, and that headings write in several ways. */
static const struct slice person[] = { SLICE("first_name"), SLICE("given_name"), SLICE("last_name"), SLICE("family_name"),
	SLICE("name") };

static struct slice
plain_name(struct pool *pool, struct slice name)
{
	char *out = pool_string(pool, slice_trim(name));
	const size_t size = slice_trim(name).size;
	for (size_t i = 0; i < size; i++)
		out[i] = out[i] == ' ' || out[i] == '-' ? '_' : ascii_lower(out[i]);
	return (struct slice){ out, size };
}

static bool
find(struct slice name, enum lead_field *field)
{
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (slice_equal(name, names[i].name)) {
			*field = names[i].field;
			return true;
		}
	return false;
}

struct column
column_of(struct pool *pool, struct slice name, bool json)
{
	name = utf8_sanitized(pool, name);
	const struct slice plain = plain_name(pool, name);
	struct column column = { .field = LEAD_CUSTOM };
	if (slice_equal(plain, SLICE("referrer")))
		column.field = json ? LEAD_PAGE_REFERRER : LEAD_REFERRED_BY;
	else if (!find(plain, &column.field) && slice_starts_with(plain, SLICE(UTM)) && plain.size > sizeof(UTM) - 1)
		column = (struct column){ LEAD_UTM, slice_sub(plain, sizeof(UTM) - 1, plain.size) };
	else if (column.field == LEAD_CUSTOM && slice_starts_with(plain, SLICE("_")))
		column.field = LEAD_IGNORED;
	if (!json && (column.field == LEAD_CUSTOM_OBJECT || column.field == LEAD_UTM_OBJECT))
		column.field = LEAD_CUSTOM;
	if (column.field != LEAD_CUSTOM)
		return column;
	const bool is_person = slice_is_one_of(plain, person, ARRAY_SIZE(person));
	column.field = json && is_person ? LEAD_DERIVED_NAME : LEAD_CUSTOM;
	column.name = is_person ? plain : custom_field_name(pool, slice_trim(name));
	return column;
}

struct column
column_mapped(struct pool *pool, struct slice word)
{
	return slice_equal(word, SLICE("-")) ? (struct column){ .field = LEAD_IGNORED } : column_of(pool, word, false);
}

struct slice
lead_field_name(enum lead_field field)
{
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (names[i].field == field)
			return names[i].name;
	return SLICE("utm");
}
