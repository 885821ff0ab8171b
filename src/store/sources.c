/* SPDX-License-Identifier: MIT */
#include "store/sources.h"

#include <stdlib.h>

#include "base/duration.h"
#include "store/query.h"
#include "store/rows.h"
#include "store/state.h"
#include "store/statements.h"

DB_STATEMENT(sql_count_source_values, "SELECT day, COUNT(*) FROM {prefix}lead_sources FORCE INDEX (PRIMARY)"
				      " WHERE campaign_id = ? AND day IN ({list}) GROUP BY day, kind");
DB_STATEMENT(sql_select_source_values, "SELECT kind, value FROM {prefix}lead_sources FORCE INDEX (PRIMARY)"
				       " WHERE campaign_id = ? AND day = ? ORDER BY kind, value");
DB_STATEMENT(sql_add_lead_sources, "INSERT INTO {prefix}lead_sources (campaign_id, day, kind, value, signups)"
				   " VALUES {each}(?, ?, ?, ?, ?){between}, {end}"
				   " ON DUPLICATE KEY UPDATE signups = {prefix}lead_sources.signups + VALUES(signups)");

DB_STATEMENT(sql_add_refusals,
    "INSERT INTO {prefix}lead_sources (campaign_id, day, kind, value, signups)"
    " SELECT c.id, UNIX_TIMESTAMP() DIV 86400, ?, v.value, v.signups FROM {prefix}campaigns c"
    " CROSS JOIN (SELECT 'addresses' AS value, ? AS signups UNION ALL SELECT 'signups', ?) v WHERE c.id = ?"
    " ON DUPLICATE KEY UPDATE signups = {prefix}lead_sources.signups + VALUES(signups)");

struct source {
	uint64_t day, kind;
	struct slice value;
	uint64_t signups;
};

static int
compare_numbers(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static int
compare_sources(const void *a, const void *b)
{
	const struct source *first = a, *second = b;
	if (first->day != second->day)
		return compare_numbers(first->day, second->day);
	return first->kind != second->kind ? compare_numbers(first->kind, second->kind)
					   : slice_compare(first->value, second->value);
}

/* Sorts the sources and adds up equal ones. Returns how many are left. */
static size_t
sum_sources(struct source *sources, size_t count)
{
	size_t summed = 0;
	qsort(sources, count, sizeof(*sources), compare_sources);
	for (size_t i = 0; i < count; i++) {
		if (summed > 0 && compare_sources(&sources[summed - 1], &sources[i]) == 0)
			sources[summed - 1].signups += sources[i].signups;
		else
			sources[summed++] = sources[i];
	}
	return summed;
}

static size_t
sources_of_leads(struct pool *pool, const struct lead *leads, size_t count, struct source *sources)
{
	size_t found = 0;
	for (size_t i = 0; i < count; i++) {
		struct slice values[SOURCE_KINDS];
		const uint64_t day = leads[i].created_ms > 0 ? (uint64_t)leads[i].created_ms / DAY_MS : 0;
		source_values(pool, &leads[i], values);
		for (size_t kind = 0; kind < SOURCE_KINDS; kind++)
			if (slice_present(values[kind]))
				sources[found++] = (struct source){ day, kind, values[kind], 1 };
	}
	return sum_sources(sources, found);
}

/* For one day: a value beyond the maximum becomes the empty value. */
static enum result
limit_values(struct store *store, struct pool *pool, uint64_t campaign_id, struct source *sources, size_t count)
{
	enum { KIND, VALUE };
	struct db_rows rows;
	size_t known[SOURCE_KINDS] = { 0 };
	const enum result result =
	    store_query(store, pool, &rows, &sql_select_source_values, DB_U64(campaign_id), DB_U64(sources[0].day));
	if (result != RESULT_OK)
		return result;
	struct source *stored = POOL_ARRAY(pool, rows.count, struct source);
	for (size_t i = 0; i < rows.count; i++) {
		stored[i] = (struct source){ sources[0].day, db_get_u64(&rows, i, KIND), db_get_bytes(&rows, i, VALUE), 0 };
		if (stored[i].kind < SOURCE_KINDS && stored[i].value.size > 0)
			known[stored[i].kind]++;
	}
	for (size_t i = 0; i < count; i++) {
		struct source *source = &sources[i];
		if (source->value.size == 0 || bsearch(source, stored, rows.count, sizeof(*stored), compare_sources) != NULL)
			continue;
		if (known[source->kind] < SOURCE_VALUES_MAX)
			known[source->kind]++;
		else
			source->value = SLICE("");
	}
	return RESULT_OK;
}

static size_t
end_of_day(const struct source *sources, size_t from, size_t count)
{
	size_t to = from + 1;
	while (to < count && sources[to].day == sources[from].day)
		to++;
	return to;
}

/* The number of stored values by kind, for the days of the sources. */
static enum result
count_values(struct store *store, struct pool *pool, uint64_t campaign_id, const struct source *sources, size_t count,
    struct db_rows *stored)
{
	struct db_value *days = POOL_ARRAY(pool, count, struct db_value);
	struct db_list list = { days, 0 };
	for (size_t from = 0; from < count; from = end_of_day(sources, from, count))
		days[list.count++] = DB_U64(sources[from].day);
	return db_query(store->db, pool, &sql_count_source_values, &DB_LIST_AND_VALUES(list, DB_U64(campaign_id)), stored);
}

/* The largest number of stored values of one kind on this day. */
static size_t
most_stored(const struct db_rows *stored, uint64_t day)
{
	enum { DAY, COUNT };
	size_t most = 0;
	for (size_t i = 0; i < stored->count; i++) {
		const size_t values = (size_t)db_get_u64(stored, i, COUNT);
		if (db_get_u64(stored, i, DAY) == day && values > most)
			most = values;
	}
	return most;
}

enum result
store_add_sources(struct store *store, struct pool *pool, uint64_t campaign_id, const struct lead *leads, size_t count)
{
	struct db_rows stored;
	struct source *sources = POOL_ARRAY(pool, count * SOURCE_KINDS, struct source);
	count = sources_of_leads(pool, leads, count, sources);
	if (count == 0)
		return RESULT_OK;
	enum result result = count_values(store, pool, campaign_id, sources, count, &stored);
	for (size_t from = 0, to; from < count && result == RESULT_OK; from = to) {
		to = end_of_day(sources, from, count);
		if (most_stored(&stored, sources[from].day) + (to - from) > SOURCE_VALUES_MAX)
			result = limit_values(store, pool, campaign_id, sources + from, to - from);
	}
	count = sum_sources(sources, count);
	struct row_list rows = store_row_list(pool, &sql_add_lead_sources, count);
	for (size_t i = 0; i < count; i++)
		store_add_row(&rows, DB_U64(campaign_id), DB_U64(sources[i].day), DB_U64(sources[i].kind),
		    db_bytes(sources[i].value), DB_U64(sources[i].signups));
	return result == RESULT_OK ? store_run_lists(store, &rows) : result;
}

enum result
store_add_refusals(struct store *store, uint64_t campaign_id, uint32_t signups, uint32_t addresses)
{
	return store_run(
	    store, &sql_add_refusals, DB_U64(SOURCE_REFUSED), DB_U64(addresses), DB_U64(signups), DB_U64(campaign_id));
}

static bool
is_imported(const struct working_lead *lead)
{
	return lead->change == ROW_CREATED && lead->lead.source_class == SOURCE_IMPORT;
}

/* The imported leads of the campaign whose numbers the dispatcher has already passed. */
static size_t
passed_leads(const struct working_set *set, const struct campaign *campaign, struct lead *leads)
{
	size_t count = 0;
	for (size_t i = 0; i < set->lead_count; i++) {
		const struct lead *lead = &set->leads[i]->lead;
		if (is_imported(set->leads[i]) && lead->campaign_id == campaign->id &&
		    lead->subscription_number <= campaign->sources_counted_to)
			leads[count++] = *lead;
	}
	return count;
}

enum result
store_add_imported_sources(struct store *store, struct pool *pool, const struct working_set *set)
{
	enum result result = RESULT_OK;
	size_t imported = 0;
	for (size_t i = 0; i < set->lead_count; i++)
		imported += is_imported(set->leads[i]);
	struct lead *leads = POOL_ARRAY(pool, imported, struct lead);
	for (size_t i = 0; imported > 0 && i < set->campaign_count && result == RESULT_OK; i++) {
		const struct campaign *campaign = &set->campaigns[i].campaign;
		result = store_add_sources(store, pool, campaign->id, leads, passed_leads(set, campaign, leads));
	}
	return result;
}
