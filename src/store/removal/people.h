/* SPDX-License-Identifier: MIT
 * Finds what is stored about a person (docs/operating.md 7.4): the leads with an address, and what else has it.
 *
 * Results are in the caller's pool. Functions fail as store.h says. */
#pragma once

#include "store/store.h"

struct person {
	uint64_t campaign_id; /* 0: in every campaign */
	enum lead_channel channel;
	struct slice address; /* email key or number (docs/api.md 4.2) */
	struct slice typed;   /* the same as the operator wrote it */
};

/* All leads with the address, in the pool: first the person's own, then those that merely claim it (engine/command.h). */
struct person_found {
	struct lead *leads;
	size_t count, own;
};
MUST_CHECK enum result store_find_leads_of(
    struct store *store, struct pool *pool, const struct person *person, struct person_found *found);

/* Leads of others whose own data have the address, such as a claim, a custom field, an event or a call that became them. */
struct mention {
	uint64_t campaign_id;
	struct slice social_id; /* of a lead that may be deleted since */
};
enum { MENTIONS_MAX = 100 };
/* Each lead once. Reads what the campaigns have of leads, calls and events, until the deadline (clock_monotonic_ms).
 * *mentions: at most MENTIONS_MAX, in the pool. *all: no lead was left out. */
MUST_CHECK enum result store_find_mentions(struct store *store, struct pool *pool, const struct person *person,
    int64_t deadline_ms, struct mention **mentions, size_t *count, bool *all);

/* What is stored about a person, in parts, whose size and time have a limit whatever is stored. */
struct report_item {
	const char *section; /* "lead", "ledger", "referrers", "confirmations", "messages", "calls", "events"; of no lead also
				"jobs", "mentioned_by" */
	uint64_t lead_id;    /* 0: it is of none of the person's leads */
	struct slice data;   /* a JSON object */
};
/* Where a part begins. */
struct report_place {
	uint64_t lead_id;
	unsigned section;
	int64_t first, second; /* the last row before it; -1: none */
};
#define REPORT_BEGINNING ((struct report_place){ 0, 0, -1, -1 })
struct report_part {
	struct report_item *items; /* in the pool; a part may have none */
	size_t count;
	bool more; /* there is another part */
};
enum { REPORT_PART_BYTES = 1024 * 1024 }; /* from which on at most twenty more items are added */
/* Whether a part can begin there. */
MUST_CHECK bool store_is_report_place(const struct report_place *place);
/* Reads what is at the place until the deadline (clock_monotonic_ms), and moves it. */
MUST_CHECK enum result store_report_part(struct store *store, struct pool *pool, const struct person *person,
    int64_t deadline_ms, struct report_place *place, struct report_part *part);
