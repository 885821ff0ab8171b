/* SPDX-License-Identifier: MIT
 * Statistics by hour and day (docs/statistics.md), from lead_hours, lead_sources and webhook_hours. Times are hours since 1970,
 * UTC; results are in the caller's pool. */
#pragma once

#include "base/duration.h"
#include "engine/source.h"
#include "store/store.h"
#include "webhook/latency.h"

enum { STATS_DAY_HOURS = 24, STATS_POINTS_MAX = 1100 /* three years of days */ };
enum { STATS_SOURCES_MAX = 100000 /* values that are added up */ };

/* What is requested. Times are rounded outwards to whole points. */
struct stats_request {
	int64_t since_ms, until_ms; /* -1: since STATS_POINTS before the end; until now, the latest possible end */
	unsigned step;              /* hours per point: 1, or STATS_DAY_HOURS */
};
enum { STATS_POINTS = 30 };

/* The hours from `from` up to, but not including, `until`: both are multiples of `step`, and there are 1 to STATS_POINTS_MAX
 * points. */
struct stats_period {
	uint64_t from, until;
	unsigned step;
};
/* Returns NULL, or what is wrong with the request: a literal. */
const char *stats_period(const struct stats_request *request, int64_t now_ms, struct stats_period *period);
size_t stats_points(const struct stats_period *period);

/* Leads that signed up in a period: the existing ones, as they are now, and the number of deleted ones. */
struct lead_counts {
	struct campaign_counters counters;
	uint32_t deleted;
};

struct campaign_stats {
	const char *problem; /* what is wrong with the request */
	struct stats_period period;
	bool complete; /* otherwise leads are still being counted, the latest first */
	struct lead_counts total, sources[SOURCE_CLASSES];
	struct lead_counts before;  /* in the period of the same length that ends when this one begins */
	struct lead_counts *points; /* stats_points of them */
};
/* RESULT_NOT_FOUND: no such campaign. RESULT_REFUSED: see `problem`. */
MUST_CHECK enum result store_campaign_stats(struct store *store, struct pool *pool, uint64_t campaign_id,
    const struct stats_request *request, struct campaign_stats *stats);

struct sources_request {
	struct stats_request period; /* its step is STATS_DAY_HOURS */
	enum source_kind first, last;
	size_t limit; /* listed values of each kind; all others are counted together */
};
struct source_count {
	enum source_kind kind;
	struct slice value; /* absent: all others */
	uint64_t signups;
};
struct campaign_sources {
	const char *problem;        /* as in struct campaign_stats */
	struct source_count *items; /* by kind, then by count, the highest first, then all other values */
	size_t count;
};
/* RESULT_NOT_FOUND: no such campaign. RESULT_REFUSED: see `problem`. */
MUST_CHECK enum result store_campaign_sources(struct store *store, struct pool *pool, uint64_t campaign_id,
    const struct sources_request *request, struct campaign_sources *sources);

/* clang-format off */

/* The counts of webhook_hours: X(name in ATTEMPT_…, column). Attempts; deliveries that ended with one of them; attempts without
 * a complete answer, and answers by class of status; attempts by duration, in the buckets of webhook/latency.h. */
#define ATTEMPT_COUNT_LIST(X) \
	X(MADE, attempts) \
	X(DELIVERED, delivered) \
	X(FAILED, failed) \
	X(NO_ANSWER, no_answer) \
	X(ANSWERS_3XX, answers_3xx) \
	X(ANSWERS_4XX, answers_4xx) \
	X(ANSWERS_5XX, answers_5xx) \
	X(T0, t0) X(T1, t1) X(T2, t2) X(T3, t3) X(T4, t4) X(T5, t5) X(T6, t6) X(T7, t7) X(T8, t8) X(T9, t9)

/* clang-format on */

#define COUNT(name, column) ATTEMPT_##name,
enum attempt_count { ATTEMPT_COUNT_LIST(COUNT) ATTEMPT_COUNTS };
#undef COUNT
struct attempt_counts {
	uint64_t counts[ATTEMPT_COUNTS];
};

struct webhook_stats {
	const char *problem; /* as in struct campaign_stats; so is the next one */
	struct stats_period period;
	int64_t counted_from_ms; /* attempts before it are not counted */
	struct attempt_counts total, before;
	struct attempt_counts *points;
};
/* RESULT_NOT_FOUND: no such webhook. RESULT_REFUSED: see `problem`. */
MUST_CHECK enum result store_webhook_stats(struct store *store, struct pool *pool, uint64_t webhook_id,
    const struct stats_request *request, struct webhook_stats *stats);

enum { OVERVIEW_DAYS = 14 };
struct campaign_overview {
	uint64_t campaign_id;
	uint32_t signups[OVERVIEW_DAYS];                        /* in each of the last days, UTC; the last one is today */
	int64_t referrers;                                      /* leads that have referred others; -1: not all are counted */
	unsigned webhooks, webhooks_failing, webhooks_disabled; /* webhooks_disabled includes those whose receiver is gone */
	int64_t oldest_due_ms; /* when the first of its pending deliveries is due; -1: none is pending */
};
/* Fills in the campaigns whose ids are set, in ascending order. now_ms is the database's time. */
MUST_CHECK enum result store_campaign_overviews(
    struct store *store, struct pool *pool, int64_t now_ms, struct campaign_overview *overviews, size_t count);
