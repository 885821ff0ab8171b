/* SPDX-License-Identifier: MIT */
#include "store/removal/wanted_person.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/events.h"
#include "engine/id_list.h"
#include "engine/message.h"
#include "engine/payload_people.h"
#include "store/rows.h"

static void
add_spelling(struct slice *spellings, size_t *count, struct slice text)
{
	for (size_t i = 0; i < *count; i++)
		if (slice_equal_nocase(spellings[i], text))
			return;
	if (slice_present(text) && *count < FINDER_SPELLINGS_MAX)
		spellings[(*count)++] = text;
}

struct slice
store_address_spellings(struct pool *pool, const struct person *person, const struct person_found *found)
{
	struct slice spellings[FINDER_SPELLINGS_MAX];
	size_t count = 0;
	add_spelling(spellings, &count, person->address);
	if (person->channel == CHANNEL_EMAIL)
		add_spelling(spellings, &count, person->typed);
	for (size_t i = 0; i < found->count && person->channel == CHANNEL_EMAIL; i++)
		add_spelling(spellings, &count, found->leads[i].email);
	return pool_join_with(pool, SLICE("\n"), spellings, count);
}

struct address_finder *
store_address_finder(struct pool *pool, enum lead_channel channel, struct slice spellings)
{
	struct slice lines[FINDER_SPELLINGS_MAX];
	size_t count = 0;
	if (channel == CHANNEL_PHONE)
		return address_finder_of_phone(pool, spellings);
	while (count < FINDER_SPELLINGS_MAX && slice_next(&spellings, '\n', &lines[count]))
		count++;
	return address_finder_of_email(pool, lines, count);
}

static int
compare_slices(const void *left, const void *right)
{
	return slice_compare(*(const struct slice *)left, *(const struct slice *)right);
}

static bool
has_social_id(const struct wanted *wanted, struct slice social_id)
{
	return slice_present(social_id) && wanted->count > 0 &&
	       bsearch(&social_id, wanted->social_ids, wanted->count, sizeof(social_id), compare_slices) != NULL;
}

static void
sort_leads(struct wanted *wanted)
{
	uint64_t *ids = POOL_ARRAY(wanted->pool, wanted->count, uint64_t);
	wanted->social_ids = POOL_ARRAY(wanted->pool, wanted->count, struct slice);
	for (size_t i = 0; i < wanted->count; i++) {
		ids[i] = wanted->leads[i].id;
		wanted->social_ids[i] = wanted->leads[i].social_id;
	}
	wanted->ids = id_set(ids, wanted->count);
	qsort(wanted->social_ids, wanted->count, sizeof(*wanted->social_ids), compare_slices);
}

static void
append(struct wanted *wanted, uint64_t id, struct slice social_id)
{
	wanted->leads = pool_grow(wanted->pool, wanted->leads, wanted->count, &wanted->capacity, sizeof(*wanted->leads));
	wanted->leads[wanted->count++] = (struct person_lead){ id, pool_copy(wanted->pool, social_id) };
}

bool
wanted_add(struct wanted *wanted, const struct person_lead *leads, size_t count)
{
	struct person_lead *sorted = POOL_ARRAY(wanted->pool, count, struct person_lead);
	const size_t before = wanted->count;
	if (count == 0)
		return false;
	memcpy(sorted, leads, count * sizeof(*sorted));
	qsort(sorted, count, sizeof(*sorted), compare_ids);
	for (size_t i = 0; i < count; i++)
		if ((i == 0 || sorted[i].id != sorted[i - 1].id) && !id_set_contains(&wanted->ids, sorted[i].id))
			append(wanted, sorted[i].id, sorted[i].social_id);
	if (wanted->count > before)
		sort_leads(wanted);
	return wanted->count > before;
}

bool
wanted_add_own(struct wanted *wanted, const struct person_found *found)
{
	struct person_lead *own = POOL_ARRAY(wanted->pool, found->own, struct person_lead);
	for (size_t i = 0; i < found->own; i++)
		own[i] = (struct person_lead){ found->leads[i].id, found->leads[i].social_id };
	return wanted_add(wanted, own, found->own);
}

struct wanted
wanted_of(struct pool *pool, const struct person *person, const struct person_found *found)
{
	struct wanted wanted = { .channel = person->channel,
		.finder = store_address_finder(pool, person->channel, store_address_spellings(pool, person, found)),
		.pool = pool };
	wanted_add_own(&wanted, found);
	return wanted;
}

/* ---- the stored form ---- */

static struct slice
listed(struct pool *pool, const struct slice *texts, size_t count)
{
	return count == 0 ? SLICE_NONE : pool_join_with(pool, SLICE(","), texts, count);
}

struct slice
wanted_ids_text(struct pool *pool, const struct wanted *wanted)
{
	struct slice *texts = POOL_ARRAY(pool, wanted->count, struct slice);
	for (size_t i = 0; i < wanted->count; i++)
		texts[i] = pool_printf(pool, "%" PRIu64, wanted->leads[i].id);
	return listed(pool, texts, wanted->count);
}

struct slice
wanted_social_ids_text(struct pool *pool, const struct wanted *wanted)
{
	struct slice *texts = POOL_ARRAY(pool, wanted->count, struct slice);
	for (size_t i = 0; i < wanted->count; i++)
		texts[i] = wanted->leads[i].social_id;
	return listed(pool, texts, wanted->count);
}

void
wanted_read(struct wanted *wanted, struct slice ids, struct slice social_ids)
{
	uint64_t id;
	struct slice social_id;
	while (id_list_next(&ids, &id) && slice_next(&social_ids, ',', &social_id))
		append(wanted, id, social_id);
	sort_leads(wanted);
}

/* ---- rows ---- */

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

/* Whether the row contains the address; the text of these rows is an address, or absent. */
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

/* Whether the payload's lead is the person: not by a claim (engine/command.h). For an existing lead that is not the person's,
 * an address that comes with another one proves nothing. */
enum lead_presence { LEAD_IS_GONE, LEAD_EXISTS };
static bool
is_of_person(const struct wanted *wanted, const struct payload_person *lead, enum lead_presence presence)
{
	const bool phone = wanted->channel == CHANNEL_PHONE;
	const bool verified = phone ? lead->verified_phone : lead->verified_email,
		   other_verified = phone ? lead->verified_email : lead->verified_phone;
	if (!is_person(wanted, lead) || !slice_present(phone ? lead->email : lead->phone))
		return is_person(wanted, lead);
	if (presence == LEAD_EXISTS || slice_present(lead->claimed))
		return presence == LEAD_IS_GONE && !slice_equal(lead->claimed, phone ? SLICE("phone_number") : SLICE("email"));
	return verified || !other_verified;
}

typedef enum relation judge(
    const struct wanted *wanted, struct pool *pool, const struct db_rows *rows, size_t row, struct slice *social_id);

/* The lead may have been deleted, or have another address now, so the payload decides whose event it was. A `referral` event
 * may contain another address of a lead of the person. It does not say which address of a referred lead is verified: if there
 * are two, one of them is not enough to make it the person's. */
static enum relation
judge_event(const struct wanted *wanted, struct pool *pool, const struct db_rows *rows, size_t row, struct slice *social_id)
{
	const bool found = has_address(wanted, rows, row);
	if (!found && db_get_u64(rows, row, SEARCHED_SECOND) != EVENT_REFERRAL)
		return RELATION_NONE;
	const struct payload_people people = payload_people_read(pool, db_get_bytes(rows, row, SEARCHED_TEXTS));
	const struct payload_person *referred = &people.referred;
	*social_id = people.lead.social_id;
	if (is_of_person(wanted, &people.lead, db_is_null(rows, row, SEARCHED_SOCIAL_ID) ? LEAD_IS_GONE : LEAD_EXISTS))
		return RELATION_OWN;
	if (has_social_id(wanted, referred->social_id) || is_of_person(wanted, referred, LEAD_EXISTS))
		return RELATION_NAMED;
	return found ? RELATION_MENTIONED : RELATION_NONE;
}

/* A message to the address, or to a referrer about a lead of the person. */
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

/* A message to the address, or a confirmation by it. */
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
wanted_relation(const struct wanted *wanted, struct pool *pool, enum searched_table table, const struct db_rows *rows,
    size_t row, struct slice *social_id)
{
	*social_id = SLICE_NONE;
	if (id_set_contains(&wanted->ids, store_get_id(rows, row, SEARCHED_LEAD_ID)))
		return RELATION_OF_LEAD;
	const enum relation relation = judges[table](wanted, pool, rows, row, social_id);
	/* the lead to be named is gone */
	return relation == RELATION_MENTIONED && !slice_present(*social_id) ? RELATION_NONE : relation;
}
