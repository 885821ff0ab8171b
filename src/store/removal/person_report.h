/* SPDX-License-Identifier: MIT
 * A report of what is stored about a person and an erasure would delete, as JSON that the server makes from the rows
 * (docs/operating.md 7.4). Functions fail as described in store.h. */
#pragma once

#include "store/removal/people.h"

/* What is stored about a person, in parts of limited size and time, no matter how much is stored. */
struct report_item {
	const char *section; /* "lead", "ledger", "referrers", "confirmations", "messages", "calls", "events"; without a lead
			      * also "jobs", "mentioned_by" */
	uint64_t lead_id;    /* 0: it belongs to none of the person's leads */
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
enum { REPORT_PART_BYTES = 1024 * 1024 }; /* from this size on, at most twenty more items are added */
/* Whether a part can begin there. */
MUST_CHECK bool store_is_report_place(const struct report_place *place);
/* Reads what is at the place until the deadline (clock_monotonic_ms), and moves the place. */
MUST_CHECK enum result store_report_part(struct store *store, struct pool *pool, const struct person *person,
    int64_t deadline_ms, struct report_place *place, struct report_part *part);
