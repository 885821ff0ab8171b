/* SPDX-License-Identifier: MIT */
#include "store/stats.h"

#include <stdlib.h>

#include "base/duration.h"
#include "store/query.h"
#include "store/rows.h"
#include "store/state.h"
#include "store/statements.h"
#include "store/webhook_health.h"
#include "webhook/delivery.h"

_Static_assert(STATS_POINTS_MAX == 1100, "the message of stats_period");
_Static_assert(STATS_SOURCES_MAX == 100000, "the message of check_sources");

/* The server adds in decimal. */
#define SUM(column) ", CAST(SUM(" column ") AS SIGNED)"
#define COUNTER_SUM(type, column, member) SUM(#column)
#define ATTEMPT_SUM(name, column) SUM(#column)

/* clang-format off */
DB_STATEMENT(sql_select_hours_complete, "SELECT " NOW ", hours_counted_from = 0"
	" FROM {prefix}campaign_counters WHERE campaign_id = ?");
DB_STATEMENT(sql_sum_lead_hours, "SELECT hour DIV ?, source_class" SUM("deleted") CAMPAIGN_COUNTERS(COUNTER_SUM)
	" FROM {prefix}lead_hours WHERE campaign_id = ? AND hour >= ? AND hour < ?"
	" GROUP BY 1, 2 ORDER BY NULL");
DB_STATEMENT(sql_select_attempts_counted_from, "SELECT " NOW ", created_ms FROM {prefix}webhooks WHERE id = ?");
DB_STATEMENT(sql_sum_webhook_hours, "SELECT hour DIV ?" ATTEMPT_COUNT_LIST(ATTEMPT_SUM)
	" FROM {prefix}webhook_hours WHERE webhook_id = ? AND hour >= ? AND hour < ?"
	" GROUP BY 1 ORDER BY NULL");
DB_STATEMENT(sql_select_referrers_of_campaigns, "SELECT campaign_id, IF(hours_counted_from = 0, CAST(referrers AS SIGNED), -1)"
	" FROM {prefix}campaign_counters WHERE campaign_id IN ({list})");
DB_STATEMENT(sql_count_lead_sources, "SELECT COUNT(*) FROM (SELECT 1 FROM {prefix}lead_sources WHERE campaign_id = ? AND day >= ?"
	" AND day < ? AND kind >= ? AND kind <= ? LIMIT ?) s");
DB_STATEMENT(sql_sum_lead_sources, "SELECT kind, IF(place <= ?, value, '') AS shown,"
	" CAST(SUM(signups) AS UNSIGNED) AS total FROM (SELECT kind, value, SUM(signups) AS signups,"
	" ROW_NUMBER() OVER (PARTITION BY kind ORDER BY value = '', SUM(signups) DESC, value) AS place"
	" FROM {prefix}lead_sources WHERE campaign_id = ? AND day >= ? AND day < ? AND kind >= ? AND kind <= ?"
	" GROUP BY kind, value) s GROUP BY kind, shown ORDER BY kind, shown = '', total DESC, shown");
DB_STATEMENT(sql_sum_days_of_campaigns, "SELECT campaign_id, hour DIV 24" SUM("lead_count + deleted")
	" FROM {prefix}lead_hours WHERE hour >= ? AND hour < ? AND campaign_id IN ({list})"
	" GROUP BY 1, 2 ORDER BY NULL");
/* clang-format on */

size_t
stats_points(const struct stats_period *period)
{
	return (size_t)((period->until - period->from) / period->step);
}

/* The hour in which the point at this time begins. */
static uint64_t
begin_of_point(int64_t ms, unsigned step)
{
	return (uint64_t)(ms > 0 ? ms : 0) / ((uint64_t)step * HOUR_MS) * step;
}

const char *
stats_period(const struct stats_request *request, int64_t now_ms, struct stats_period *period)
{
	const int64_t until_ms = request->until_ms < 0 || request->until_ms > now_ms ? now_ms : request->until_ms;
	const int64_t point_ms = (int64_t)request->step * HOUR_MS;
	*period =
	    (struct stats_period){ .until = begin_of_point(until_ms + point_ms - 1, request->step), .step = request->step };
	period->from = request->since_ms < 0 ? period->until - STATS_POINTS * (uint64_t)request->step
					     : begin_of_point(request->since_ms, request->step);
	if (period->from >= period->until)
		return "the period must begin before it ends, and before now";
	return stats_points(period) > STATS_POINTS_MAX ? "at most 1100 hours or days" : NULL;
}

/* The first hour of the preceding period, which is read together with this one. */
static uint64_t
before(const struct stats_period *period)
{
	const uint64_t length = period->until - period->from;
	return period->from > length ? period->from - length : 0;
}

/* A sum of signed counts; while leads are being counted, one may be below 0. */
static uint32_t
count_at(const struct db_rows *rows, size_t row, size_t column)
{
	const int64_t count = db_get_i64(rows, row, column);
	return count > 0 ? (uint32_t)count : 0;
}

static struct lead_counts
lead_counts_at(const struct db_rows *rows, size_t row)
{
	enum {
		POINT,
		SOURCE,
		DELETED,
#define COLUMN(type, column, member) COUNT_##member,
		CAMPAIGN_COUNTERS(COLUMN)
#undef COLUMN
	};
#define READ(type, column, member) .counters.member = count_at(rows, row, COUNT_##member),
	return (struct lead_counts){ CAMPAIGN_COUNTERS(READ).deleted = count_at(rows, row, DELETED) };
#undef READ
}

static void
add_leads(struct lead_counts *sum, const struct lead_counts *more)
{
#define ADD(type, column, member) sum->counters.member += more->counters.member;
	CAMPAIGN_COUNTERS(ADD)
#undef ADD
	sum->deleted += more->deleted;
}

static void
sum_leads(const struct db_rows *rows, const struct stats_period *period, struct campaign_stats *stats)
{
	enum { POINT, SOURCE };
	for (size_t i = 0; i < rows->count; i++) {
		const struct lead_counts counts = lead_counts_at(rows, i);
		const uint64_t point = db_get_u64(rows, i, POINT), source = db_get_u64(rows, i, SOURCE);
		if (point < period->from / period->step) {
			add_leads(&stats->before, &counts);
			continue;
		}
		add_leads(&stats->total, &counts);
		add_leads(&stats->sources[source < SOURCE_CLASSES ? source : SOURCE_UNKNOWN], &counts);
		add_leads(&stats->points[point - period->from / period->step], &counts);
	}
}

/* The columns of the statement that reads a subject. */
enum { SUBJECT_NOW_MS, SUBJECT_STATE };

/* RESULT_REFUSED: the period is not valid; *problem is the reason. */
static enum result
resolve_period(
    const struct stats_request *request, const struct db_rows *subject, struct stats_period *period, const char **problem)
{
	*problem = stats_period(request, db_get_i64(subject, 0, SUBJECT_NOW_MS), period);
	return *problem == NULL ? RESULT_OK : RESULT_REFUSED;
}

static enum result
sum_hours(struct store *store, struct pool *pool, const struct db_statement *sql_sum, uint64_t id,
    const struct stats_period *period, struct db_rows *rows)
{
	return store_query(
	    store, pool, rows, sql_sum, DB_U64(period->step), DB_U64(id), DB_U64(before(period)), DB_U64(period->until));
}

enum result
store_campaign_stats(struct store *store, struct pool *pool, uint64_t campaign_id, const struct stats_request *request,
    struct campaign_stats *stats)
{
	struct db_rows rows;
	*stats = (struct campaign_stats){ .complete = false };
	enum result result = store_query_one(store, pool, &rows, &sql_select_hours_complete, DB_U64(campaign_id));
	if (result == RESULT_OK)
		result = resolve_period(request, &rows, &stats->period, &stats->problem);
	if (result != RESULT_OK)
		return result;
	stats->complete = db_get_bool(&rows, 0, SUBJECT_STATE);
	stats->points = POOL_ARRAY(pool, stats_points(&stats->period), struct lead_counts);
	result = sum_hours(store, pool, &sql_sum_lead_hours, campaign_id, &stats->period, &rows);
	if (result == RESULT_OK)
		sum_leads(&rows, &stats->period, stats);
	return result;
}

/* Fake sign-ups may leave up to 500 values of each kind a day, so the number of values that are added up for one answer is
 * limited. */
static enum result
check_sources(struct store *store, uint64_t campaign_id, const struct sources_request *request,
    const struct stats_period *period, const char **problem)
{
	uint64_t values;
	const enum result result = store_read_number(store, &values, &sql_count_lead_sources, DB_U64(campaign_id),
	    DB_U64(period->from / period->step), DB_U64(period->until / period->step), DB_U64(request->first),
	    DB_U64(request->last), DB_U64(STATS_SOURCES_MAX + 1));
	if (result != RESULT_OK || values <= STATS_SOURCES_MAX)
		return result;
	*problem = "the days of this period have more than 100000 values: choose a shorter one, or one kind";
	return RESULT_REFUSED;
}

enum result
store_campaign_sources(struct store *store, struct pool *pool, uint64_t campaign_id, const struct sources_request *request,
    struct campaign_sources *sources)
{
	enum { KIND, VALUE, SIGNUPS };
	struct db_rows rows;
	struct stats_period period;
	*sources = (struct campaign_sources){ 0 };
	enum result result = store_query_one(store, pool, &rows, &sql_select_hours_complete, DB_U64(campaign_id));
	if (result == RESULT_OK)
		result = resolve_period(&request->period, &rows, &period, &sources->problem);
	if (result == RESULT_OK)
		result = check_sources(store, campaign_id, request, &period, &sources->problem);
	if (result == RESULT_OK)
		result = store_query(store, pool, &rows, &sql_sum_lead_sources, DB_U64(request->limit), DB_U64(campaign_id),
		    DB_U64(period.from / period.step), DB_U64(period.until / period.step), DB_U64(request->first),
		    DB_U64(request->last));
	if (result != RESULT_OK)
		return result;
	sources->items = POOL_ARRAY(pool, rows.count, struct source_count);
	for (; sources->count < rows.count; sources->count++) {
		const size_t row = sources->count;
		const struct slice value = db_get_bytes(&rows, row, VALUE);
		sources->items[row] = (struct source_count){ (enum source_kind)db_get_u64(&rows, row, KIND),
			value.size > 0 ? value : SLICE_NONE, db_get_u64(&rows, row, SIGNUPS) };
	}
	return RESULT_OK;
}

static void
sum_attempts(const struct db_rows *rows, const struct stats_period *period, struct webhook_stats *stats)
{
	enum { POINT, COUNTS };
	for (size_t i = 0; i < rows->count; i++) {
		const uint64_t point = db_get_u64(rows, i, POINT), first = period->from / period->step;
		for (size_t k = 0; k < ATTEMPT_COUNTS; k++) {
			const uint64_t count = (uint64_t)db_get_i64(rows, i, COUNTS + k);
			if (point < first) {
				stats->before.counts[k] += count;
				continue;
			}
			stats->total.counts[k] += count;
			stats->points[point - first].counts[k] = count;
		}
	}
}

enum result
store_webhook_stats(struct store *store, struct pool *pool, uint64_t webhook_id, const struct stats_request *request,
    struct webhook_stats *stats)
{
	struct db_rows rows;
	*stats = (struct webhook_stats){ .counted_from_ms = -1 };
	enum result result = store_query_one(store, pool, &rows, &sql_select_attempts_counted_from, DB_U64(webhook_id));
	if (result == RESULT_OK)
		result = resolve_period(request, &rows, &stats->period, &stats->problem);
	if (result != RESULT_OK)
		return result;
	stats->counted_from_ms = db_get_i64(&rows, 0, SUBJECT_STATE);
	stats->points = POOL_ARRAY(pool, stats_points(&stats->period), struct attempt_counts);
	result = sum_hours(store, pool, &sql_sum_webhook_hours, webhook_id, &stats->period, &rows);
	if (result == RESULT_OK)
		sum_attempts(&rows, &stats->period, stats);
	return result;
}

static struct campaign_overview *
overview_of(struct campaign_overview *overviews, size_t count, uint64_t campaign_id)
{
	return bsearch(&campaign_id, overviews, count, sizeof(*overviews), compare_ids);
}

static enum result
read_days(struct store *store, struct pool *pool, struct db_list ids, uint64_t first, struct campaign_overview *overviews,
    size_t count)
{
	enum { CAMPAIGN_ID, DAY, SIGNUPS };
	struct db_rows rows;
	const enum result result = store_query_long(store, pool, &sql_sum_days_of_campaigns,
	    &DB_LIST_AND_VALUES(ids, DB_U64(first * STATS_DAY_HOURS), DB_U64((first + OVERVIEW_DAYS) * STATS_DAY_HOURS)),
	    &rows);
	for (size_t i = 0; result == RESULT_OK && i < rows.count; i++)
		overview_of(overviews, count, db_get_u64(&rows, i, CAMPAIGN_ID))->signups[db_get_u64(&rows, i, DAY) - first] =
		    count_at(&rows, i, SIGNUPS);
	return result;
}

static enum result
read_referrers(struct store *store, struct pool *pool, struct db_list ids, struct campaign_overview *overviews, size_t count)
{
	enum { CAMPAIGN_ID, REFERRERS };
	struct db_rows rows;
	const enum result result = store_query_lists(store, pool, &sql_select_referrers_of_campaigns, &ids, 1, &rows);
	for (size_t i = 0; result == RESULT_OK && i < rows.count; i++)
		overview_of(overviews, count, db_get_u64(&rows, i, CAMPAIGN_ID))->referrers = db_get_i64(&rows, i, REFERRERS);
	return result;
}

static enum result
read_webhooks(struct store *store, struct pool *pool, uint64_t *ids, struct campaign_overview *overviews, size_t count)
{
	struct webhook_health *webhooks;
	size_t found;
	const enum result result = store_find_webhook_health(store, pool, ids, count, &webhooks, &found);
	for (size_t i = 0; result == RESULT_OK && i < found; i++) {
		const struct webhook_health *webhook = &webhooks[i];
		struct campaign_overview *overview = overview_of(overviews, count, webhook->campaign_id);
		overview->webhooks++;
		overview->webhooks_failing += webhook->active && webhook->failing;
		overview->webhooks_disabled += !webhook->active;
		if (webhook->oldest_due_ms >= 0 &&
		    (overview->oldest_due_ms < 0 || webhook->oldest_due_ms < overview->oldest_due_ms))
			overview->oldest_due_ms = webhook->oldest_due_ms;
	}
	return result;
}

enum result
store_campaign_overviews(
    struct store *store, struct pool *pool, int64_t now_ms, struct campaign_overview *overviews, size_t count)
{
	const uint64_t first = (uint64_t)now_ms / HOUR_MS / STATS_DAY_HOURS - OVERVIEW_DAYS + 1;
	uint64_t *ids = POOL_ARRAY(pool, count, uint64_t);
	for (size_t i = 0; i < count; i++) {
		ids[i] = overviews[i].campaign_id;
		overviews[i] = (struct campaign_overview){ .campaign_id = ids[i], .referrers = -1, .oldest_due_ms = -1 };
	}
	const struct db_list list = store_id_list(pool, ids, count);
	enum result result = read_days(store, pool, list, first, overviews, count);
	if (result == RESULT_OK)
		result = read_referrers(store, pool, list, overviews, count);
	return result == RESULT_OK ? read_webhooks(store, pool, ids, overviews, count) : result;
}
