/* SPDX-License-Identifier: MIT */
#include "store/heartbeats.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "store/query.h"
#include "store/state.h"
#include "store/statements.h"
#include "store/store.h"

enum { HOST_SIZE = 256 };

/* Returns the time even if there is no row. */
DB_STATEMENT(sql_select_heartbeat, "SELECT n.now_ms, h.started_ms FROM (SELECT " NOW " AS now_ms) n"
				   " LEFT JOIN {prefix}heartbeats h ON h.process = ? AND h.ended AND NOT h.stays");
#define NEW(column) column " = VALUES(" column ")"
DB_STATEMENT(sql_put_heartbeat,
    "INSERT INTO {prefix}heartbeats (process, owner, host, pid, stays, ended, started_ms, beat_ms, within_ms)"
    " VALUES (?, ?, ?, ?, ?, FALSE, ?, " NOW ", ?) ON DUPLICATE KEY UPDATE " NEW("owner") ", " NEW("host") ", " NEW(
	"pid") ", " NEW("stays") ", " NEW("ended") ", " NEW("started_ms") ", " NEW("beat_ms") ", " NEW("within_ms"));
DB_STATEMENT(sql_end_heartbeat,
    "UPDATE {prefix}heartbeats SET ended = TRUE, beat_ms = " NOW ", within_ms = ? WHERE process = ? AND owner = ?");
DB_STATEMENT(
    sql_select_heartbeats, "SELECT process, host, pid, stays, ended, beat_ms, within_ms, " NOW " FROM {prefix}heartbeats");

static const char *const processes[] = {
	[HEARTBEAT_DISPATCHER] = "dispatcher",
	[HEARTBEAT_MAILER] = "mailer",
	[HEARTBEAT_TEXTER] = "texter",
};

const char *
heartbeat_process_name(enum heartbeat_process process)
{
	return processes[process];
}

static const struct {
	struct slice name;
	bool good;
} states[] = {
	[HEARTBEAT_OFF] = { SLICE("off"), true },
	[HEARTBEAT_NEVER] = { SLICE("never_ran"), false },
	[HEARTBEAT_WORKS] = { SLICE("working"), true },
	[HEARTBEAT_BETWEEN] = { SLICE("between_runs"), true },
	[HEARTBEAT_STOPPED] = { SLICE("stopped"), false },
	[HEARTBEAT_SILENT] = { SLICE("silent"), false },
};

struct slice
heartbeat_state_name(enum heartbeat_state state)
{
	return states[state].name;
}

/* ---- writing heartbeats ---- */

/* Cron may start runs less often than every minute. A run that was started by hand, long after another, shows nothing about the
 * period. */
static int64_t
period_of(int64_t since_last_run_ms)
{
	return since_last_run_ms > HEARTBEAT_PERIOD_MS && since_last_run_ms <= HEARTBEAT_PERIOD_MAX_MS ? since_last_run_ms
												       : HEARTBEAT_PERIOD_MS;
}

static enum result
begin(struct store *store, struct heartbeat *heartbeat)
{
	enum { NOW_MS, LAST_RUN_MS };
	struct pool *pool = pool_new();
	struct db_rows rows;
	const enum result result =
	    store_query(store, pool, &rows, &sql_select_heartbeat, db_bytes(slice_of(processes[heartbeat->process])));
	if (result == RESULT_OK) {
		heartbeat->started_ms = db_get_i64(&rows, 0, NOW_MS);
		heartbeat->period_ms = period_of(
		    db_is_null(&rows, 0, LAST_RUN_MS) ? 0 : heartbeat->started_ms - db_get_i64(&rows, 0, LAST_RUN_MS));
	}
	pool_free(&pool);
	return result;
}

enum result
store_beat(struct store *store, struct heartbeat *heartbeat)
{
	char host[HOST_SIZE] = "";
	const enum result result = heartbeat->started_ms > 0 ? RESULT_OK : begin(store, heartbeat);
	if (result != RESULT_OK)
		return result;
	if (gethostname(host, sizeof(host) - 1) != 0)
		host[0] = '\0';
	return store_run(store, &sql_put_heartbeat, db_bytes(slice_of(processes[heartbeat->process])),
	    db_raw(heartbeat->owner, HEARTBEAT_OWNER_SIZE), db_bytes(slice_of(host)), DB_U64((uint64_t)getpid()),
	    DB_U64(heartbeat->stays), DB_I64(heartbeat->started_ms), DB_I64(HEARTBEAT_WITHIN_MS));
}

enum result
store_end_beats(struct store *store, const struct heartbeat *heartbeat)
{
	const int64_t within_ms = heartbeat->stays ? 0 : heartbeat->period_ms + HEARTBEAT_LATE_MS;
	return heartbeat->started_ms > 0
		   ? store_run(store, &sql_end_heartbeat, DB_I64(within_ms), db_bytes(slice_of(processes[heartbeat->process])),
			 db_raw(heartbeat->owner, HEARTBEAT_OWNER_SIZE))
		   : RESULT_OK;
}

/* ---- reading heartbeats ---- */

enum { PROCESS, HOST, PID, STAYS, ENDED, BEAT_MS, WITHIN_MS, NOW_MS };

/* A heartbeat in the future was written before the database's clock was set back: its distance from now counts, in either
 * direction. */
static enum heartbeat_state
state_of(const struct db_rows *rows, size_t row)
{
	const bool ended = db_get_u64(rows, row, ENDED) != 0, stays = db_get_u64(rows, row, STAYS) != 0;
	const bool in_time =
	    llabs(db_get_i64(rows, row, NOW_MS) - db_get_i64(rows, row, BEAT_MS)) <= db_get_i64(rows, row, WITHIN_MS);
	if (!ended)
		return in_time ? HEARTBEAT_WORKS : HEARTBEAT_SILENT;
	return in_time && !stays ? HEARTBEAT_BETWEEN : HEARTBEAT_STOPPED;
}

enum result
store_see_heartbeats(struct store *store, struct pool *pool, struct heartbeat_seen seen[HEARTBEAT_PROCESSES])
{
	const bool wanted[] = { [HEARTBEAT_DISPATCHER] = true,
		[HEARTBEAT_MAILER] = store_sends_mail(store),
		[HEARTBEAT_TEXTER] = store_sends_texts(store) };
	struct db_rows rows;
	const enum result result = store_query(store, pool, &rows, &sql_select_heartbeats);
	for (size_t i = 0; i < HEARTBEAT_PROCESSES; i++) {
		seen[i] = (struct heartbeat_seen){ .state = wanted[i] ? HEARTBEAT_NEVER : HEARTBEAT_OFF, .beat_ms = -1 };
		for (size_t row = 0; result == RESULT_OK && wanted[i] && row < rows.count; row++)
			if (slice_equal(db_get_bytes(&rows, row, PROCESS), slice_of(processes[i])))
				seen[i] = (struct heartbeat_seen){ .state = state_of(&rows, row),
					.beat_ms = db_get_i64(&rows, row, BEAT_MS),
					.host = db_get_bytes(&rows, row, HOST),
					.pid = db_get_u64(&rows, row, PID),
					.stays = db_get_u64(&rows, row, STAYS) != 0 };
		seen[i].good = states[seen[i].state].good;
	}
	return result;
}
