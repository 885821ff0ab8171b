/* SPDX-License-Identifier: MIT */
#include "store/removal/people.h"

#include "os/clock.h"
#include "store/find.h"
#include "store/query.h"
#include "store/removal/wanted_person.h"
#include "store/rows.h"
#include "store/statements.h"

DB_STATEMENT(sql_select_campaigns_after, "SELECT id FROM {prefix}campaigns WHERE id > ? ORDER BY id LIMIT 1000");

struct collected {
	struct lead *leads;
	size_t count, capacity;
};

static void
add_lead(struct pool *pool, struct collected *collected, const struct lead *lead)
{
	collected->leads = pool_grow(pool, collected->leads, collected->count, &collected->capacity, sizeof(*collected->leads));
	collected->leads[collected->count++] = *lead;
}

static enum result
collect_leads(struct store *store, struct pool *pool, const struct person *person, struct db_list campaigns,
    struct collected *own, struct collected *claims)
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
		const struct lead lead = row_lead(ROW(&rows, i));
		add_lead(pool, lead_only_claims(&lead, person->channel) ? claims : own, &lead);
	}
	return result;
}

enum result
store_find_leads_of(struct store *store, struct pool *pool, const struct person *person, struct person_found *found)
{
	const struct db_value one = DB_U64(person->campaign_id);
	struct collected own = { 0 }, claims = { 0 };
	struct db_rows campaigns = { 0 };
	uint64_t after = 0;
	enum result result = RESULT_OK;
	if (person->campaign_id != 0)
		result = collect_leads(store, pool, person, (struct db_list){ &one, 1 }, &own, &claims);
	else
		do {
			result = store_query(store, pool, &campaigns, &sql_select_campaigns_after, DB_U64(after));
			if (result != RESULT_OK || campaigns.count == 0)
				break;
			after = db_get_u64(&campaigns, campaigns.count - 1, 0);
			result = collect_leads(
			    store, pool, person, (struct db_list){ campaigns.values, campaigns.count }, &own, &claims);
		} while (result == RESULT_OK);
	*found = (struct person_found){ .own = own.count };
	for (size_t i = 0; i < claims.count; i++)
		add_lead(pool, &own, &claims.leads[i]);
	found->leads = own.leads;
	found->count = own.count;
	return result;
}

static bool
is_among(const struct mentions *mentions, const struct mention *mention)
{
	for (size_t i = 0; i < mentions->count; i++)
		if (mentions->items[i].campaign_id == mention->campaign_id &&
		    slice_equal(mentions->items[i].social_id, mention->social_id))
			return true;
	return false;
}

struct mention_search {
	struct store *store;
	struct pool *pool; /* holds the mentions */
	const struct wanted *wanted;
	uint64_t campaign_id;
	int64_t deadline_ms;
	struct mentions *found;
};

static void
add_mentions(struct mention_search *search, struct pool *pool, enum searched_table table, const struct db_rows *rows)
{
	struct mentions *found = search->found;
	for (size_t i = 0; i < rows->count && found->count < MENTIONS_MAX; i++) {
		struct slice social_id;
		if (wanted_relation(search->wanted, pool, table, rows, i, &social_id) != RELATION_MENTIONED)
			continue;
		const struct mention mention = { db_get_u64(rows, i, SEARCHED_CAMPAIGN_ID),
			pool_copy(search->pool, social_id) };
		if (!is_among(found, &mention))
			found->items[found->count++] = mention;
	}
}

/* Sets `all` when it has read to the end of the table. */
static enum result
search_table(struct mention_search *search, enum searched_table table)
{
	enum result result = RESULT_OK;
	struct search_place after = { 0 };
	struct mentions *found = search->found;
	found->all = false;
	while (
	    !found->all && result == RESULT_OK && found->count < MENTIONS_MAX && clock_monotonic_ms() < search->deadline_ms) {
		struct pool *piece = pool_new();
		struct db_rows rows;
		result = store_search(search->store, piece, table, search->campaign_id, after, &rows);
		add_mentions(search, piece, table, &rows);
		found->all = result == RESULT_OK && rows.count == 0;
		after = rows.count == 0 ? after : store_searched_place(&rows, rows.count - 1);
		pool_free(&piece);
	}
	return result;
}

enum result
store_find_mentions(
    struct store *store, struct pool *pool, const struct person *person, int64_t deadline_ms, struct mentions *mentions)
{
	static const enum searched_table tables[] = { SEARCH_LEADS, SEARCH_CALLS, SEARCH_EVENTS };
	struct person_found found;
	enum result result = store_find_leads_of(store, pool, person, &found);
	const struct wanted wanted = wanted_of(pool, person, &found);
	struct mention_search search = { store, pool, &wanted, person->campaign_id, deadline_ms, mentions };
	*mentions = (struct mentions){ .items = POOL_ARRAY(pool, MENTIONS_MAX, struct mention), .all = true };
	for (size_t i = 0; i < ARRAY_SIZE(tables) && mentions->all && result == RESULT_OK; i++)
		result = search_table(&search, tables[i]);
	return result;
}
