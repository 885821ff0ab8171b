/* SPDX-License-Identifier: MIT
 * Deliveries and their attempts, as operators and owners see them. Rows live in the caller's pool. */
#pragma once

#include "store/store.h"

/* Filters that are zero, absent or -1 are not applied. */
struct delivery_filter {
	uint64_t webhook_id;
	struct slice lead_social_id;
	int event; /* enum event_type, or -1 */
	int state; /* enum delivery_state, or -1 */
	int64_t since_ms, until_ms;
	size_t limit;
	uint64_t campaign_id;
	enum answer_class answer;
	uint64_t after; /* only those that come after this one in the list */
};
struct delivery_row {
	uint64_t id, webhook_id, campaign_id;
	unsigned event;     /* enum event_type */
	int64_t created_ms; /* time of the event */
	uint64_t lead_id;
	struct slice lead_social_id; /* absent: the lead is gone */
	enum delivery_state state;
	unsigned attempts;
	int64_t due_ms;          /* -1: ended */
	int last_status;         /* 0: none */
	struct slice last_error; /* "timeout", …; absent: the last attempt got a complete answer */
	struct slice leased_by;  /* id of the dispatcher that leases its webhook's shard; absent: none does, or it has ended */
	/* State of its webhook. */
	enum webhook_state webhook_state;
	unsigned webhook_failures;
	unsigned webhook_rate;         /* as webhook_settings.rate */
	int64_t webhook_hold_until_ms; /* 0: no hold */
	int64_t now_ms;
};
struct delivery_list {
	struct delivery_row *deliveries;
	size_t count;
	uint64_t next; /* `after` for the rest of the list, which may be empty; 0: this is all */
};
/* Lists deliveries by id, the highest first: the latest day first, but within a day only roughly in order, because processes
 * take ids in blocks. Campaign, webhook, lead and failed deliveries have indexes; days are ranges of ids. It reads at most
 * about DELIVERIES_EXAMINED rows that it does not list, so with other filters a list may be short or empty and still have a
 * next part. */
enum { DELIVERIES_EXAMINED = 1000 };
MUST_CHECK enum result store_list_deliveries(
    struct store *store, struct pool *pool, const struct delivery_filter *filter, struct delivery_list *list);
/* How many deliveries such a list has from its beginning, up to the limit of the filter. It reads at most about
 * DELIVERIES_COUNTED rows that it does not count. *more: there are, or may be, more than *count. */
enum { DELIVERIES_COUNTED = 10000 };
MUST_CHECK enum result store_count_deliveries(
    struct store *store, const struct delivery_filter *filter, uint64_t *count, bool *more);
/* How far a walk through deliveries has come. */
struct delivery_walk {
	uint64_t below;      /* only deliveries with lower ids are left; 0: it has not begun */
	int64_t deadline_ms; /* no piece is begun after it, except the first one; in clock_monotonic_ms, or CLOCK_NEVER */
	bool done;           /* set: nothing is left */
};
/* Visits the same list without that limit: `visit` gets it piece by piece, each valid during the call, and may change the
 * deliveries in it. The first result of `visit` other than RESULT_OK ends the visit and is returned; *walk is then undefined.
 * An unfinished visit continues in the next call with the same filter. */
typedef enum result delivery_visitor(void *context, const struct delivery_row *deliveries, size_t count);
MUST_CHECK enum result store_visit_deliveries(struct store *store, const struct delivery_filter *filter,
    struct delivery_walk *walk, delivery_visitor *visit, void *context);

/* The deliveries that exist among these ids, of which there may be any number; the highest first within each DB_LIST_MAX of
 * them. */
MUST_CHECK enum result store_find_deliveries(
    struct store *store, struct pool *pool, const uint64_t *ids, size_t count, struct delivery_row **deliveries, size_t *found);

/* A row of `attempts`. */
struct attempt_row {
	unsigned attempt; /* from 1 */
	int64_t started_ms, duration_ms;
	int status;          /* 0: no answer */
	struct slice error;  /* absent: the answer was complete */
	struct slice answer; /* the beginning of the answer, any bytes; may be absent */
};
struct delivery_details {
	struct delivery_row row;
	bool form;                    /* how it is sent: as a form, or as JSON */
	struct slice message_id;      /* the webhook-id header */
	struct slice payload;         /* JSON */
	struct slice url;             /* absent: the webhook was removed */
	struct attempt_row *attempts; /* the last 100, in order */
	size_t attempt_count;
};
/* RESULT_NOT_FOUND: no such delivery, or the retention has dropped its event. */
MUST_CHECK enum result store_find_delivery(
    struct store *store, struct pool *pool, uint64_t id, struct delivery_details *delivery);
