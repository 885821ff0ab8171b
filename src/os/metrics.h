/* SPDX-License-Identifier: MIT
 * Counts of what the programs do (docs/operating.md 12), in memory that all processes of this host share: a file in the state
 * directory. They survive the death of any process, reloads, and restarts until the next boot or version.
 *
 * An update is a relaxed atomic addition, and never fails: without the file, or before metrics_open, it counts in memory of
 * the process and its children. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/attributes.h"
#include "os/log.h"
#include "os/metrics_labels.h"

/* X(id, type, name, labels, bounds, cells, help), in the order of the page. Gauges come after what is in shared memory. */
/* clang-format off */
#define METRIC_LIST(X) \
	X(REQUESTS, METRIC_COUNTER, "requests_total", (&routes, &classes), NULL, METRIC_ROUTES_MAX * METRIC_CLASS_COUNT, \
	  "Answered requests, by route and class of the status.") \
	X(REQUEST_TIME, METRIC_HISTOGRAM, "request_duration_seconds", (NULL, NULL), &request_bounds, METRIC_TIME_CELLS, \
	  "Time from the connection of a request until its worker is done with it.") \
	X(REFUSALS, METRIC_COUNTER, "refusals_total", (&limits, NULL), NULL, METRIC_LIMIT_COUNT, \
	  "Requests refused by a rate limit, by setting.") \
	X(BOTS, METRIC_COUNTER, "bot_refusals_total", (&bot_reasons, NULL), NULL, METRIC_BOT_REASON_COUNT, \
	  "Sign-ups refused as those of bots, by reason.") \
	X(BATCH, METRIC_HISTOGRAM, "batch_commands", (NULL, NULL), &batch_bounds, METRIC_BATCH_CELLS, \
	  "Commands in each batch of the committer.") \
	X(LEADS_CREATED, METRIC_COUNTER, "leads_created_total", (NULL, NULL), NULL, 1, \
	  "Leads created by requests.") \
	X(EVENTS, METRIC_COUNTER, "events_total", (&events, NULL), NULL, METRIC_EVENT_COUNT, \
	  "Events recorded, by name.") \
	X(DATABASE_ERRORS, METRIC_COUNTER, "database_errors_total", (&database_errors, NULL), NULL, METRIC_DATABASE_ERROR_COUNT, \
	  "Failed statements and connections, by kind.") \
	X(ATTEMPTS, METRIC_COUNTER, "delivery_attempts_total", (&answers, NULL), NULL, METRIC_ANSWER_COUNT, \
	  "Attempts to send a delivery, by class of the answer or by what went wrong.") \
	X(ATTEMPT_TIME, METRIC_HISTOGRAM, "delivery_attempt_duration_seconds", (NULL, NULL), &attempt_bounds, METRIC_TIME_CELLS, \
	  "Time of an attempt to send a delivery.") \
	X(DELIVERIES, METRIC_COUNTER, "deliveries_total", (&delivery_ends, NULL), NULL, METRIC_DELIVERY_END_COUNT, \
	  "Deliveries that ended, by state.") \
	X(DELAYS, METRIC_COUNTER, "messages_delayed_total", (&delays, NULL), NULL, METRIC_DELAY_COUNT, \
	  "Searches for due mails or texts that found some which a limit of an hour keeps waiting, by limit.") \
	X(DROPS, METRIC_COUNTER, "mails_dropped_total", (&drops, NULL), NULL, METRIC_DROP_COUNT, \
	  "Mails that were dropped because their address had enough, by limit.") \
	X(REFUSED_MAILS, METRIC_COUNTER, "mail_refusals_total", (&mail_refusals, NULL), NULL, METRIC_MAIL_REFUSAL_COUNT, \
	  "Attempts to send a mail that were refused until an operator does something, by reason.") \
	X(RESTARTS, METRIC_COUNTER, "process_restarts_total", (&processes, NULL), NULL, METRIC_PROCESS_COUNT, \
	  "Processes that were replaced after they had died or hung.") \
	X(STARTS, METRIC_COUNTER, "program_starts_total", (&programs, NULL), NULL, METRIC_PROGRAM_COUNT, \
	  "Starts of a program.") \
	X(POLLED, METRIC_STAMP, "dispatcher_last_poll_timestamp_seconds", (NULL, NULL), NULL, 1, \
	  "When a dispatcher of this host last searched for due deliveries; 0: never.") \
	X(BUILD, METRIC_GAUGE, "build_info", (&versions, NULL), NULL, 1, \
	  "1, with the version of the program.") \
	X(PROCESSES, METRIC_GAUGE, "processes", (&processes, NULL), NULL, METRIC_PROCESS_COUNT, \
	  "Running processes of this host, by kind.") \
	X(WORKERS, METRIC_GAUGE, "workers", (&worker_states, NULL), NULL, METRIC_WORKER_STATE_COUNT, \
	  "Running workers, by whether they serve a request.") \
	X(UNDER_WAY, METRIC_GAUGE, "delivery_attempts_under_way", (NULL, NULL), NULL, 1, \
	  "Attempts under way of the dispatchers of this host.") \
	X(LIMITER_FILL, METRIC_GAUGE, "limiter_fill_ratio", (&limits, NULL), NULL, METRIC_LIMIT_COUNT, \
	  "Share of the memory for callers that is in use, by limit; estimated.") \
	X(FREE_BYTES, METRIC_GAUGE, "filesystem_free_bytes", (&filesystems, NULL), NULL, METRIC_FILESYSTEM_COUNT, \
	  "Free space of a file system, by what is on it.") \
	X(SIZE_BYTES, METRIC_GAUGE, "filesystem_size_bytes", (&filesystems, NULL), NULL, METRIC_FILESYSTEM_COUNT, \
	  "Size of a file system, by what is on it.") \
	X(DATABASE_UP, METRIC_GAUGE, "database_up", (NULL, NULL), NULL, 1, \
	  "1: the database answers; 0: it does not, and the numbers that only it has are left out.") \
	X(ACCOUNTS, METRIC_GAUGE, "accounts", (NULL, NULL), NULL, 1, \
	  "Accounts in the database.") \
	X(CAMPAIGNS, METRIC_GAUGE, "campaigns", (NULL, NULL), NULL, 1, \
	  "Campaigns in the database.") \
	X(LEADS, METRIC_GAUGE, "leads", (NULL, NULL), NULL, 1, \
	  "Leads in the database.") \
	X(WEBHOOKS, METRIC_GAUGE, "webhooks", (&webhook_states, NULL), NULL, METRIC_WEBHOOK_STATE_COUNT, \
	  "Webhooks, by state; failing: the last attempts failed; disabled: also those whose receiver answered 410.") \
	X(DUE, METRIC_GAUGE, "deliveries_due", (NULL, NULL), NULL, 1, \
	  "Deliveries that a dispatcher may send now.") \
	X(WAITING, METRIC_GAUGE, "deliveries_waiting", (NULL, NULL), NULL, 1, \
	  "Deliveries that are due later, on hold, or of a disabled webhook.") \
	X(OLDEST_DUE, METRIC_GAUGE, "deliveries_oldest_due_age_seconds", (NULL, NULL), NULL, 1, \
	  "For how long the oldest delivery that is due could have been sent; 0: none is due.") \
	X(JOBS, METRIC_GAUGE, "bulk_jobs", (NULL, NULL), NULL, 1, \
	  "Bulk jobs that are queued.") \
	X(OLDEST_JOB, METRIC_GAUGE, "bulk_jobs_oldest_age_seconds", (NULL, NULL), NULL, 1, \
	  "Age of the oldest bulk job; 0: none is queued.") \
	X(OPERATOR_JOBS, METRIC_GAUGE, "operator_jobs", (NULL, NULL), NULL, 1, \
	  "Jobs of operators that have not ended.") \
	X(LEASES, METRIC_GAUGE, "leased_shards", (NULL, NULL), NULL, 1, \
	  "Shards of webhooks, of 64, that a running dispatcher of any host leases.") \
	X(WORKS, METRIC_GAUGE, "process_works", (&processes, NULL), NULL, METRIC_PROCESS_COUNT, \
	  "1: a process of any host that works in the background does; 0: it has stopped, hangs, or was killed.")
/* clang-format on */

enum {
	METRIC_TIME_BOUNDS = 14,
	METRIC_TIME_CELLS = METRIC_TIME_BOUNDS + 2, /* one more bucket, and the sum */
	METRIC_BATCH_BOUNDS = 8,
	METRIC_BATCH_CELLS = METRIC_BATCH_BOUNDS + 2
};

#define METRIC_ID(id, ...) METRIC_##id,
enum metric { METRIC_LIST(METRIC_ID) METRICS };
#undef METRIC_ID

/* From now on, counts in the file of this folder, which is created if needed; "": in memory shared with forked processes. Call
 * before threads start. When there is no such file, which is logged at `level`, everything works as with "". Call again after a
 * reload: the counts so far stay. */
void metrics_open(const char *folder, enum log_level level);

/* `index`: the place of the label's value; for two labels, the first one's place times the number of the second one's values,
 * plus the second one's place. */
void metrics_add(enum metric metric, size_t index, uint64_t number);
/* Adds a value to a histogram. */
void metrics_observe(enum metric metric, int64_t value);
/* Sets a METRIC_STAMP to a time (clock_wall_ms). */
void metrics_stamp(enum metric metric, int64_t wall_ms);
/* Counts the answer of a route (METRIC_ROUTE_FIRST or later, or one of those before). */
void metrics_count_request(size_t route, unsigned status);

/* The texts of labels, for lines of the log. */
const char *metrics_limit_name(enum metric_limit limit);
const char *metrics_bot_reason_name(enum metric_bot_reason reason);

/* ---- processes ---- */

enum { METRIC_PROCESSES_MAX = 4096 };

/* Counts this process as one of this kind from now on; at most METRIC_PROCESSES_MAX are counted. Children are not. A process is
 * identified by its pid and its start time, so another program that gets the pid is not counted. */
void metrics_process_begin(enum metric_process kind);
/* What the process is doing. */
void metrics_process_busy(void);
void metrics_process_idle(void);
void metrics_process_under_way(uint64_t attempts);
void metrics_process_end(void);
/* A child has died without calling metrics_process_end. */
void metrics_process_died(pid_t pid);

/* ---- reading ---- */

struct metrics_process_counts {
	uint64_t by_kind[METRIC_PROCESS_COUNT], busy_workers, under_way;
};

/* Copies all cells (metrics_table.h), and counts the processes. */
void metrics_copy(uint64_t *cells, struct metrics_process_counts *counts);
/* Reads the file of another program. Creates nothing. Returns false, with all counts 0, when there is no such file or it
 * belongs to another version. */
MUST_CHECK bool metrics_read(const char *folder, uint64_t *cells, struct metrics_process_counts *counts);

/* ---- numbers of the database, which one process reads for all ---- */

enum { METRIC_FIGURES_MAX = 24 };

/* Values of gauges; NAN: left out. Each process has the same gauges at the same places. */
struct metrics_figures {
	struct metrics_figure {
		enum metric metric;
		size_t index;
		double value;
	} list[METRIC_FIGURES_MAX];
	size_t count;
};

/* Finds the figures that a process of this host has stored. Returns false if they are not recent enough; the caller then reads
 * them from the database. While another process is reading them, older figures are recent enough. */
MUST_CHECK bool metrics_find_figures(int64_t now_ms, struct metrics_figures *figures);
/* Stores them. `took_ms` is how long reading them took: they stay valid for so long that at most a hundredth of the time is
 * spent on reading. */
void metrics_store_figures(int64_t now_ms, int64_t took_ms, const struct metrics_figures *figures);
