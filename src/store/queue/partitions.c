/* SPDX-License-Identifier: MIT
 * Days of the history: each has a partition in `events`, `deliveries` and `attempts`, made a week ahead, and dropped as a whole
 * when it is older than the retention (docs/architecture.md 9.1).
 *
 * ALTER TABLE waits until the table is unused, and later statements wait for the ALTER TABLE. It therefore waits for a second
 * at most, then pauses for some minutes; and one call handles one day at most. DDL takes no bound values: the texts contain
 * only numbers. */
#include "store/queue/partitions.h"

#include <inttypes.h>

#include "base/duration.h"
#include "os/clock.h"
#include "os/log.h"
#include "store/query.h"
#include "store/queue/outcomes.h"
#include "store/state.h"
#include "store/statements.h"

/* The limits of a table's days, NULL while it has none. */
#define HISTORY_DAYS_OF(number, table)                                                              \
	"SELECT " number ", MIN(CAST(PARTITION_DESCRIPTION AS UNSIGNED)),"                          \
	" MAX(CAST(PARTITION_DESCRIPTION AS UNSIGNED)), " NOW " FROM information_schema.PARTITIONS" \
	" WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = '{prefix}" table "' AND PARTITION_NAME <> 'later'"

/* a pause that is longer than PAUSE_MS was written while the clock was wrong */
DB_STATEMENT(sql_select_history_pause, "SELECT CAST(value AS SIGNED) > " NOW " AND CAST(value AS SIGNED) <= " NOW " + ?"
				       " FROM {prefix}installation"
				       " WHERE name = 'history_rests_until_ms'");
DB_STATEMENT(sql_set_history_pause, "INSERT INTO {prefix}installation (name, value)"
				    " VALUES ('history_rests_until_ms', " NOW " + ?)"
				    " ON DUPLICATE KEY UPDATE value = VALUES(value)");
DB_STATEMENT(sql_select_history_days, HISTORY_DAYS_OF("0", "deliveries") " UNION ALL " HISTORY_DAYS_OF(
					  "1", "attempts") " UNION ALL " HISTORY_DAYS_OF("2", "events"));
DB_STATEMENT(sql_select_first_event, "SELECT MIN(id) FROM {prefix}events WHERE id >= ?");

/* In the order of sql_select_history_days, which is also the order in which a day is dropped. */
static const char *const tables[HISTORY_TABLES] = { "deliveries", "attempts", "events" };

enum {
	BACK_DAYS = 60, /* past days that get partitions, at most; older rows go into the first of them */
	PAUSE_MS = 5 * MINUTE_MS,
	EXPIRE_CHUNK = 500,     /* deliveries ended in one transaction */
	EXPIRE_CHUNKS = 20,     /* transactions in one call */
	DELIVERIES_MAX = 65536, /* the most that an event can have: SMALLINT */
	TEXT_MAX_BYTES = 64 * 1024
};

/* ---- days ---- */

const char *
store_day_text(struct pool *pool, uint64_t day)
{
	char time[CLOCK_RFC3339_SIZE];
	clock_rfc3339(history_day_ms(day), time);
	return pool_printf(pool, "%.10s", time).data;
}

/* The lowest id of a day. */
static uint64_t
first_id(uint64_t day)
{
	return history_id_floor(history_day_ms(day));
}

enum { DAYS_TABLE, DAYS_LOWEST_LIMIT, DAYS_HIGHEST_LIMIT, DAYS_NOW_MS };

/* A partition's limit is the first id of the next day. */
static uint64_t
day_of_limit(const struct db_rows *rows, size_t row, size_t column)
{
	uint64_t limit = db_is_null(rows, row, column) ? 0 : db_get_u64(rows, row, column);
	return history_day(limit) == 0 ? HISTORY_NO_DAY : history_day(limit) - 1;
}

enum result
store_read_days(struct store *store, struct pool *pool, struct history_days *days)
{
	const int64_t retention_ms = store->options.retention_ms;
	struct db_rows rows;
	enum result result = store_query(store, pool, &rows, &sql_select_history_days);
	*days = (struct history_days){ 0 };
	for (size_t i = 0; result == RESULT_OK && i < rows.count; i++) {
		const size_t table = (size_t)db_get_i64(&rows, i, DAYS_TABLE);
		const int64_t now_ms = db_get_i64(&rows, i, DAYS_NOW_MS);
		days->first[table] = day_of_limit(&rows, i, DAYS_LOWEST_LIMIT);
		days->last[table] = day_of_limit(&rows, i, DAYS_HIGHEST_LIMIT);
		days->today = history_day(history_id_floor(now_ms));
		if (retention_ms > 0 && retention_ms < now_ms)
			days->retained_from = history_day(history_id_floor(now_ms - retention_ms));
	}
	if (result != RESULT_OK)
		return result;
	/* regardless of the setting: a recent event is also a commit mark (commit_marks.c) */
	if (days->retained_from + 1 > days->today)
		days->retained_from = days->today - 1;
	return RESULT_OK;
}

/* ---- DDL ---- */

/* "d20261123" */
static struct slice
partition_name(struct pool *pool, uint64_t day)
{
	char time[CLOCK_RFC3339_SIZE];
	clock_rfc3339(history_day_ms(day), time);
	return pool_printf(pool, "d%.4s%.2s%.2s", time, time + 5, time + 8);
}

/* Splits the partition `later` into the days from `first` to `last`, and the rest. */
static enum result
split_later(struct store *store, struct pool *pool, const char *table, uint64_t first, uint64_t last)
{
	struct buffer text;
	buffer_init(&text, TEXT_MAX_BYTES);
	buffer_printf(&text, "ALTER TABLE {prefix}%s WAIT 1 REORGANIZE PARTITION later INTO (", table);
	for (uint64_t day = first; day <= last; day++)
		buffer_printf(
		    &text, "PARTITION %s VALUES LESS THAN (%" PRIu64 "), ", partition_name(pool, day).data, first_id(day + 1));
	buffer_add_text(&text, "PARTITION later VALUES LESS THAN MAXVALUE)");
	enum result result = buffer_ok(&text) ? db_run_text(store->db, buffer_slice(&text)) : RESULT_FAILED;
	buffer_free(&text);
	return result;
}

/* ---- making days ---- */

static bool
has_days_ahead(const struct history_days *days, size_t table)
{
	return days->last[table] != HISTORY_NO_DAY && days->last[table] >= days->today + HISTORY_AHEAD_DAYS;
}

/* The first day to make: that of the oldest event without a day, so that a delivery's day exists if its event's does. */
static enum result
first_to_make(struct store *store, struct pool *pool, const struct history_days *days, size_t table, uint64_t *first)
{
	const uint64_t next = days->last[table] == HISTORY_NO_DAY ? 0 : days->last[table] + 1;
	struct db_rows rows;
	enum result result = store_query(store, pool, &rows, &sql_select_first_event, DB_U64(first_id(next)));
	*first = days->today;
	if (result == RESULT_OK && !db_is_null(&rows, 0, 0) && history_day(db_get_u64(&rows, 0, 0)) < *first)
		*first = history_day(db_get_u64(&rows, 0, 0));
	if (*first + BACK_DAYS < days->today)
		*first = days->today - BACK_DAYS;
	if (*first < next)
		*first = next;
	return result;
}

static enum result
make_days_of(struct store *store, struct pool *pool, const struct history_days *days, size_t table)
{
	struct history_days now;
	uint64_t first;
	enum result result = first_to_make(store, pool, days, table, &first);
	if (result == RESULT_OK)
		result = split_later(store, pool, tables[table], first, days->today + HISTORY_AHEAD_DAYS);
	if (result != RESULT_CONFLICT)
		return result;
	/* another process may just have made them */
	result = store_read_days(store, pool, &now);
	return result != RESULT_OK || has_days_ahead(&now, table) ? result : RESULT_CONFLICT;
}

enum result
store_make_days(struct store *store, struct pool *pool, const struct history_days *days)
{
	enum result result = RESULT_OK;
	for (size_t i = 0; i < HISTORY_TABLES && result == RESULT_OK; i++)
		if (!has_days_ahead(days, i))
			result = make_days_of(store, pool, days, i);
	return result;
}

/* ---- dropping days ---- */

/* Fails the pending deliveries of all days up to this one. *rest: there may be more of them; call again at once. */
static enum result
fail_expired(struct store *store, struct pool *pool, uint64_t day, bool *rest)
{
	const uint64_t limit = first_id(day + 1);
	const struct db_value below[2] = { DB_U64(limit + DELIVERIES_MAX), DB_U64(limit) };
	size_t done = EXPIRE_CHUNK, ended = 0;
	enum result result = RESULT_OK;
	for (unsigned i = 0; i < EXPIRE_CHUNKS && result == RESULT_OK && done == EXPIRE_CHUNK; i++) {
		result = store_fail_expired(store, below, EXPIRE_CHUNK, &done);
		ended += result == RESULT_OK ? done : 0;
	}
	if (ended > 0)
		log_warning("deliveries_expired", LOG_UINT("deliveries", ended), LOG_STR("until", store_day_text(pool, day)));
	*rest = done == EXPIRE_CHUNK;
	return result;
}

/* After a kill, the next call continues with the tables that still have the day. Pending deliveries are searched for before
 * each table: one may have been sent again in between. */
static enum result
drop_day(struct store *store, struct pool *pool, const struct history_days *days, uint64_t day)
{
	enum result result = RESULT_OK;
	bool rest;
	for (size_t i = 0; i < HISTORY_TABLES; i++) {
		if (days->first[i] != day)
			continue;
		result = fail_expired(store, pool, day, &rest);
		if (result != RESULT_OK || rest)
			return result;
		result = db_run_text(store->db, pool_printf(pool, "ALTER TABLE {prefix}%s WAIT 1 DROP PARTITION IF EXISTS %s",
						    tables[i], partition_name(pool, day).data));
		if (result != RESULT_OK)
			return result;
	}
	log_info("history_dropped", LOG_STR("day", store_day_text(pool, day)));
	return RESULT_OK;
}

/* ---- maintenance ---- */

static enum result
is_paused(struct store *store, struct pool *pool, bool *paused)
{
	struct db_rows rows;
	enum result result = store_query(store, pool, &rows, &sql_select_history_pause, DB_I64(PAUSE_MS));
	*paused = result == RESULT_OK && rows.count > 0 && db_get_bool(&rows, 0, 0);
	return result;
}

/* *more: there is more to do at once. */
static enum result
maintain_days(struct store *store, struct pool *pool, bool *more)
{
	struct history_days days;
	bool ahead = true;
	uint64_t oldest = HISTORY_NO_DAY;
	enum result result = store_read_days(store, pool, &days);
	if (result != RESULT_OK)
		return result;
	for (size_t i = 0; i < HISTORY_TABLES; i++) {
		ahead = ahead && has_days_ahead(&days, i);
		oldest = days.first[i] < oldest ? days.first[i] : oldest;
	}
	*more = true;
	if (!ahead)
		return store_make_days(store, pool, &days);
	*more = oldest < days.retained_from;
	return *more ? drop_day(store, pool, &days, oldest) : RESULT_OK;
}

/* The pause is stored in the database, because a dispatcher started by cron runs for a minute at most. It is set before the
 * work, so that a kill or a lost connection does not cause another attempt at once. */
void
store_maintain_days(struct store *store)
{
	bool paused = false, more = false;
	struct pool *pool = pool_new();
	enum result result = is_paused(store, pool, &paused);
	if (result == RESULT_OK && !paused) {
		result = store_run(store, &sql_set_history_pause, DB_I64(PAUSE_MS));
		if (result == RESULT_OK)
			result = maintain_days(store, pool, &more);
		if (result == RESULT_OK && more)
			result = store_run(store, &sql_set_history_pause, DB_I64(0));
	}
	if (result != RESULT_OK)
		log_warning("history_days_failed", LOG_STR("result", result_text(result)), LOG_INT("retry_in_ms", PAUSE_MS));
	pool_free(&pool);
}
