/* SPDX-License-Identifier: MIT */
#include "store/queue/attempt_hours.h"

#include "store/query.h"
#include "store/state.h"
#include "store/statements.h"
#include "store/stats.h"

_Static_assert(ATTEMPT_T0 + LATENCY_BUCKETS == ATTEMPT_COUNTS, "ATTEMPT_COUNT_LIST");

/* clang-format off */
#define COLUMN(name, column) ", " #column
#define PLACE(name, column) ", ?"
#define ADDED(name, column) ", " #column " = " #column " + VALUES(" #column ")"
DB_STATEMENT(sql_change_webhook_hours, "INSERT INTO {prefix}webhook_hours (webhook_id, hour" ATTEMPT_COUNT_LIST(COLUMN) ")"
	" VALUES {each}(?, ?" ATTEMPT_COUNT_LIST(PLACE) "){between}, {end}"
	" ON DUPLICATE KEY UPDATE webhook_id = webhook_id" ATTEMPT_COUNT_LIST(ADDED));
/* clang-format on */

enum { HOUR_MS = 3600 * 1000 };

struct webhook_hour {
	uint64_t webhook_id;
	uint64_t hour;
	uint64_t counts[ATTEMPT_COUNTS]; /* by enum attempt_count */
};

struct attempt_hours {
	struct webhook_hour *rows;
	size_t count;
};

struct attempt_hours *
store_attempt_hours(struct pool *pool, size_t capacity)
{
	struct attempt_hours *hours = POOL_NEW(pool, struct attempt_hours);
	hours->rows = POOL_ARRAY(pool, capacity, struct webhook_hour);
	hours->count = 0;
	return hours;
}

static uint64_t *
counts_of(struct attempt_hours *hours, uint64_t webhook_id, uint64_t hour)
{
	for (size_t i = hours->count; i > 0; i--)
		if (hours->rows[i - 1].webhook_id == webhook_id && hours->rows[i - 1].hour == hour)
			return hours->rows[i - 1].counts;
	hours->rows[hours->count] = (struct webhook_hour){ .webhook_id = webhook_id, .hour = hour };
	return hours->rows[hours->count++].counts;
}

void
store_count_attempt(struct attempt_hours *hours, const struct delivery_outcome *outcome, bool ends, int64_t now_ms)
{
	enum { REDIRECTIONS = 3, SERVER_ERRORS = 5 };
	const int class = outcome->status / 100;
	uint64_t *counts = counts_of(hours, outcome->webhook_id, (uint64_t)(now_ms - outcome->started_ms_ago) / HOUR_MS);
	counts[ATTEMPT_DELIVERED] += ends && outcome->state == DELIVERY_DELIVERED;
	counts[ATTEMPT_FAILED] += ends && outcome->state == DELIVERY_FAILED;
	if (outcome->not_made)
		return;
	counts[ATTEMPT_MADE]++;
	counts[ATTEMPT_T0 + latency_bucket(outcome->duration_ms)]++;
	if (slice_present(outcome->error))
		counts[ATTEMPT_NO_ANSWER]++;
	else if (outcome->state != DELIVERY_DELIVERED && class >= REDIRECTIONS && class <= SERVER_ERRORS)
		counts[ATTEMPT_ANSWERS_3XX + class - REDIRECTIONS]++;
}

enum result
store_write_attempt_hours(struct store *store, struct pool *pool, const struct attempt_hours *hours)
{
	struct row_list rows = store_row_list(pool, &sql_change_webhook_hours, hours->count);
	for (size_t i = 0; i < hours->count; i++) {
		struct db_value values[2 + ATTEMPT_COUNTS] = { DB_U64(hours->rows[i].webhook_id), DB_U64(hours->rows[i].hour) };
		for (size_t column = 0; column < ATTEMPT_COUNTS; column++)
			values[2 + column] = DB_U64(hours->rows[i].counts[column]);
		store_add_values(&rows, values, ARRAY_SIZE(values));
	}
	return store_run_lists(store, &rows);
}
