/* SPDX-License-Identifier: MIT */
#include "store/removal/people.h"

#include "base/clock.h"
#include "store/query.h"
#include "store/read.h"
#include "store/removal/search.h"
#include "store/rows.h"
#include "store/statements.h"

DB_STATEMENT(sql_select_campaigns_after, "SELECT id FROM {prefix}campaigns WHERE id > ? ORDER BY id LIMIT 1000");

store_statement_list sql_of_people = { &sql_select_campaigns_after, NULL };

static enum result
collect_leads(struct store *store, struct pool *pool, const struct person *person, struct db_list campaigns,
    struct lead **leads, size_t *count, size_t *capacity)
{
	const struct lead_reference reference = { .identity = person->channel == CHANNEL_EMAIL ? LEAD_BY_EMAIL : LEAD_BY_PHONE,
		.value = person->address };
	struct db_value *values = POOL_ARRAY(pool, campaigns.count, struct db_value);
	struct db_rows rows;
	for (size_t i = 0; i < campaigns.count; i++)
		values[i] = store_reference_value(pool, campaigns.values[i].as.u64, &reference);
	const enum result result =
	    store_query_leads(store, pool, reference.identity, (struct db_list){ values, campaigns.count }, &rows);
	for (size_t i = 0; i < rows.count && result == RESULT_OK; i++) {
		*leads = pool_grow(pool, *leads, *count, capacity, sizeof(**leads));
		(*leads)[(*count)++] = store_lead_from_row(&rows, i);
	}
	return result;
}

enum result
store_find_leads_of(struct store *store, struct pool *pool, const struct person *person, struct lead **leads, size_t *count)
{
	const struct db_value one = DB_U64(person->campaign_id);
	struct db_rows campaigns = { 0 };
	size_t capacity = 0;
	uint64_t after = 0;
	enum result result = RESULT_OK;
	*leads = NULL;
	*count = 0;
	if (person->campaign_id != 0)
		return collect_leads(store, pool, person, (struct db_list){ &one, 1 }, leads, count, &capacity);
	do {
		result = store_query(store, pool, &campaigns, &sql_select_campaigns_after, DB_U64(after));
		if (result != RESULT_OK || campaigns.count == 0)
			return result;
		after = db_get_u64(&campaigns, campaigns.count - 1, 0);
		result = collect_leads(
		    store, pool, person, (struct db_list){ campaigns.values, campaigns.count }, leads, count, &capacity);
	} while (result == RESULT_OK);
	return result;
}

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
store_address_spellings(struct pool *pool, const struct person *person, const struct lead *leads, size_t lead_count)
{
	struct slice spellings[FINDER_SPELLINGS_MAX], lines = SLICE("");
	size_t count = 0;
	add_spelling(spellings, &count, person->address);
	if (person->channel == CHANNEL_EMAIL)
		add_spelling(spellings, &count, person->typed);
	for (size_t i = 0; i < lead_count && person->channel == CHANNEL_EMAIL; i++)
		add_spelling(spellings, &count, leads[i].email);
	for (size_t i = 0; i < count; i++)
		lines = POOL_JOIN(pool, lines, i == 0 ? SLICE("") : SLICE("\n"), spellings[i]);
	return lines;
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

static bool
is_among(const struct lead *leads, size_t count, uint64_t id)
{
	for (size_t i = 0; i < count; i++)
		if (leads[i].id == id)
			return true;
	return false;
}

static void
add_mentions(struct pool *pool, const struct address_finder *finder, const struct db_rows *rows, const struct lead *own,
    size_t own_count, struct mention *mentions, size_t *count)
{
	for (size_t i = 0; i < rows->count && *count < MENTIONS_MAX; i++)
		if (!is_among(own, own_count, db_get_u64(rows, i, SEARCHED_ID)) &&
		    store_has_address(finder, SEARCH_LEADS, rows, i))
			mentions[(*count)++] = (struct mention){ db_get_u64(rows, i, SEARCHED_FIRST),
				pool_copy(pool, db_get_bytes(rows, i, SEARCHED_SECOND)) };
}

enum result
store_find_mentions(struct store *store, struct pool *pool, const struct person *person, int64_t deadline_ms,
    struct mention **mentions, size_t *count, bool *all)
{
	struct lead *own;
	size_t own_count;
	enum result result = store_find_leads_of(store, pool, person, &own, &own_count);
	const struct address_finder *finder =
	    store_address_finder(pool, person->channel, store_address_spellings(pool, person, own, own_count));
	uint64_t after = 0;
	*mentions = POOL_ARRAY(pool, MENTIONS_MAX, struct mention);
	*count = 0;
	for (*all = false; !*all && result == RESULT_OK && *count < MENTIONS_MAX && clock_monotonic_ms() < deadline_ms;) {
		struct pool *piece = pool_new();
		struct db_rows rows;
		result = store_search(store, piece, SEARCH_LEADS, person->campaign_id, after, &rows);
		add_mentions(pool, finder, &rows, own, own_count, *mentions, count);
		*all = result == RESULT_OK && rows.count == 0;
		after = rows.count == 0 ? after : store_searched_place(&rows);
		pool_free(&piece);
	}
	return result;
}
