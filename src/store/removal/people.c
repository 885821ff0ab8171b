/* SPDX-License-Identifier: MIT */
#include "store/removal/people.h"

#include "store/query.h"
#include "store/read.h"
#include "store/removal/pattern.h"
#include "store/rows.h"
#include "store/statements.h"

DB_STATEMENT(sql_select_campaigns_after, "SELECT id FROM {prefix}campaigns WHERE id > ? ORDER BY id LIMIT 1000");
/* reads the table in pieces */
DB_STATEMENT(sql_search_leads,
    "SELECT id, campaign_id, social_id, (? IN (0, campaign_id)) AND (" HAS_ADDRESS("email") " OR " HAS_ADDRESS(
	"CONCAT_WS(' ', phone, custom_fields, utm, uid, redirect_url, user_agent, referrer,"
	" source, signup_url, session_id, request_id)") ")"
							" FROM {prefix}leads"
							" WHERE id > ?"
							" ORDER BY id LIMIT 2000");

store_statement_list sql_of_people = { &sql_select_campaigns_after, &sql_search_leads, NULL };

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
	if (slice_present(text) && *count < SPELLINGS_MAX)
		spellings[(*count)++] = text;
}

struct address_patterns
store_address_patterns(struct pool *pool, const struct person *person, const struct lead *leads, size_t lead_count)
{
	struct slice spellings[SPELLINGS_MAX];
	size_t count = 0;
	add_spelling(spellings, &count, person->address);
	add_spelling(spellings, &count, person->typed);
	for (size_t i = 0; i < lead_count && person->channel == CHANNEL_EMAIL; i++)
		add_spelling(spellings, &count, leads[i].email);
	return address_patterns(pool, person->channel, spellings, count);
}

static bool
is_among(const struct lead *leads, size_t count, uint64_t id)
{
	for (size_t i = 0; i < count; i++)
		if (leads[i].id == id)
			return true;
	return false;
}

enum result
store_find_mentions(
    struct store *store, struct pool *pool, const struct person *person, struct mention **mentions, size_t *count)
{
	enum { ID, LEAD_CAMPAIGN_ID, SOCIAL_ID, FOUND };
	struct lead *own;
	size_t own_count;
	enum result result = store_find_leads_of(store, pool, person, &own, &own_count);
	const struct address_patterns patterns = store_address_patterns(pool, person, own, own_count);
	uint64_t after = 0;
	*mentions = POOL_ARRAY(pool, MENTIONS_MAX, struct mention);
	*count = 0;
	for (bool more = true; more && result == RESULT_OK && *count < MENTIONS_MAX;) {
		struct pool *piece = pool_new();
		struct db_rows rows;
		result = store_query(store, piece, &rows, &sql_search_leads, DB_U64(person->campaign_id),
		    db_bytes(patterns.whole), db_bytes(patterns.in_text), DB_U64(after));
		for (size_t i = 0; i < rows.count && *count < MENTIONS_MAX; i++)
			if (db_get_bool(&rows, i, FOUND) && !is_among(own, own_count, db_get_u64(&rows, i, ID)))
				(*mentions)[(*count)++] = (struct mention){ db_get_u64(&rows, i, LEAD_CAMPAIGN_ID),
					pool_copy(pool, db_get_bytes(&rows, i, SOCIAL_ID)) };
		more = rows.count > 0;
		after = more ? db_get_u64(&rows, rows.count - 1, ID) : after;
		pool_free(&piece);
	}
	return result;
}
