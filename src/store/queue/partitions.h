/* SPDX-License-Identifier: MIT
 * The days of the history: partitions of `deliveries`, `attempts` and `events` (docs/architecture.md 9.1).
 *
 * Texts are in the caller's pool. Functions return the result of the connection, except store_maintain_days, which logs it. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "store/store.h"

/* The days of the history that have partitions, in `deliveries`, `attempts` and `events`. Days are numbers as in history_day;
 * HISTORY_NO_DAY if a table has none. */
#define HISTORY_NO_DAY UINT64_MAX
enum { HISTORY_TABLES = 3, HISTORY_AHEAD_DAYS = 7 };
struct history_days {
	uint64_t today;
	uint64_t retained_from; /* the first day of the retention: earlier ones are dropped */
	uint64_t first[HISTORY_TABLES], last[HISTORY_TABLES];
};
MUST_CHECK enum result store_read_days(struct store *store, struct pool *pool, struct history_days *days);
/* "2026-11-23", in the pool. */
const char *store_day_text(struct pool *pool, uint64_t day);
/* Makes the missing partitions of all days up to HISTORY_AHEAD_DAYS from today; rows that exist already move into them.
 * RESULT_CONFLICT: a table was in use for too long. */
MUST_CHECK enum result store_make_days(struct store *store, struct pool *pool, const struct history_days *days);
/* The dispatcher's maintenance of days: makes the coming days, and drops a day that is past the retention. Logs the result. */
void store_maintain_days(struct store *store);
