/* SPDX-License-Identifier: MIT */
#include "store/removal/relation.h"

#include "engine/events.h"
#include "engine/message.h"
#include "engine/payload_people.h"
#include "store/rows.h"

static bool
has_address(const struct wanted *wanted, const struct db_rows *rows, size_t row)
{
	bool found = false;
	for (size_t i = SEARCHED_TEXTS; i < rows->columns && !found; i++) {
		const struct slice text = db_get_bytes(rows, row, i);
		found = slice_present(text) && address_finder_finds(wanted->finder, text);
	}
	return found;
}

/* Its text is an address, or is none. */
static bool
is_address(const struct wanted *wanted, const struct db_rows *rows, size_t row)
{
	const struct slice text = db_get_bytes(rows, row, SEARCHED_TEXTS);
	return slice_present(text) && address_finder_is(wanted->finder, text);
}

static bool
is_person(const struct wanted *wanted, const struct payload_person *person)
{
	const struct slice address = wanted->channel == CHANNEL_PHONE ? person->phone : person->email;
	return slice_present(address) && address_finder_is(wanted->finder, address);
}

/* Whether the payload's lead is the person: not by a claim (engine/command.h). Of a lead that exists, and is not the person's,
 * an address beside another one is no more than that. */
static bool
is_of_person(const struct wanted *wanted, const struct payload_person *lead, bool exists)
{
	const bool phone = wanted->channel == CHANNEL_PHONE;
	const bool verified = phone ? lead->verified_phone : lead->verified_email,
		   other_verified = phone ? lead->verified_email : lead->verified_phone;
	if (!is_person(wanted, lead) || !slice_present(phone ? lead->email : lead->phone))
		return is_person(wanted, lead);
	if (exists || slice_present(lead->claimed))
		return !exists && !slice_equal(lead->claimed, phone ? SLICE("phone_number") : SLICE("email"));
	return verified || !other_verified;
}

typedef enum relation judge(
    const struct wanted *wanted, struct pool *pool, const struct db_rows *rows, size_t row, struct slice *social_id);

/* The lead may be deleted, or have another address since: the payload says whose it was. A `referral` event may have another
 * address of a lead of the person. Of a referred lead it does not say which address is verified: if there are two, one alone
 * does not make it the person's. */
static enum relation
judge_event(const struct wanted *wanted, struct pool *pool, const struct db_rows *rows, size_t row, struct slice *social_id)
{
	const bool found = has_address(wanted, rows, row);
	if (!found && db_get_u64(rows, row, SEARCHED_SECOND) != EVENT_REFERRAL)
		return RELATION_NONE;
	const struct payload_people people = payload_people_read(pool, db_get_bytes(rows, row, SEARCHED_TEXTS));
	const struct payload_person *referred = &people.referred;
	*social_id = people.lead.social_id;
	if (is_of_person(wanted, &people.lead, !db_is_null(rows, row, SEARCHED_SOCIAL_ID)))
		return RELATION_OWN;
	if (wanted_has_social_id(wanted, referred->social_id) || is_of_person(wanted, referred, true))
		return RELATION_NAMED;
	return found ? RELATION_MENTIONED : RELATION_NONE;
}

/* One to the address, or to a referrer about a lead of the person. */
static enum relation
judge_message(const struct wanted *wanted, struct pool *pool UNUSED, const struct db_rows *rows, size_t row,
    struct slice *social_id UNUSED)
{
	if (is_address(wanted, rows, row))
		return RELATION_OWN;
	const bool about_person = db_get_u64(rows, row, SEARCHED_FIRST) == MESSAGE_REFERRAL &&
				  id_set_contains(&wanted->ids, db_get_u64(rows, row, SEARCHED_SECOND));
	return about_person ? RELATION_NAMED : RELATION_NONE;
}

/* A lead, or a call that became one. */
static enum relation
judge_data_of_lead(
    const struct wanted *wanted, struct pool *pool, const struct db_rows *rows, size_t row, struct slice *social_id)
{
	if (!has_address(wanted, rows, row))
		return RELATION_NONE;
	*social_id = pool_copy(pool, db_get_bytes(rows, row, SEARCHED_SOCIAL_ID));
	return slice_present(*social_id) ? RELATION_MENTIONED : RELATION_OWN;
}

/* What was sent to the address, or confirmed by it. */
static enum relation
judge_recipient(const struct wanted *wanted, struct pool *pool UNUSED, const struct db_rows *rows, size_t row,
    struct slice *social_id UNUSED)
{
	return is_address(wanted, rows, row) ? RELATION_OWN : RELATION_NONE;
}

static judge *const judges[SEARCHED_TABLES] = {
	[SEARCH_EVENTS] = judge_event,
	[SEARCH_MESSAGES] = judge_message,
	[SEARCH_CALLS] = judge_data_of_lead,
	[SEARCH_CONFIRMATIONS] = judge_recipient,
	[SEARCH_JOBS] = judge_recipient,
	[SEARCH_LEADS] = judge_data_of_lead,
};

enum relation
store_relation(const struct wanted *wanted, struct pool *pool, enum searched_table table, const struct db_rows *rows,
    size_t row, struct slice *social_id)
{
	*social_id = SLICE_NONE;
	if (id_set_contains(&wanted->ids, store_get_id(rows, row, SEARCHED_LEAD_ID)))
		return RELATION_OF_LEAD;
	const enum relation relation = judges[table](wanted, pool, rows, row, social_id);
	/* without its lead there is none to name */
	return relation == RELATION_MENTIONED && !slice_present(*social_id) ? RELATION_NONE : relation;
}
