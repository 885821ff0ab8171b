/* SPDX-License-Identifier: MIT
 * Pages of a campaign's leads, for lists and exports. Functions fail as described in store.h; results are in the caller's
 * pool. */
#pragma once

#include "store/store.h"

/* What is read of each listed lead. */
enum lead_detail {
	LEAD_AS_SHOWN,  /* as store_look_up reads it */
	LEAD_AS_STORED, /* everything that is stored in the leads' own rows */
	LEAD_NAMES      /* only subscription number, custom fields and utm; not with `newest`, and not in another order */
};

/* Filters that are zero, absent or -1 are not applied. */
struct lead_filter {
	enum lead_detail detail;
	uint32_t after;                                  /* the page begins after this subscription number, in its order */
	int verified, waitlisted, fraudulent, opted_out; /* 1: only such leads, 0: only other leads, -1: all leads */
	uint64_t tag_id;
	int64_t since_ms; /* created at or after this time */
	size_t limit;     /* leads per page */
	int64_t until_ms; /* created before this time */
	struct slice source;
	struct slice name; /* words, each the beginning of one of its names, in the order of the names or with the family
			    * name first; case and accents do not matter */
	struct lead_reference identities[LEAD_BY_ID]; /* only the lead that matches all of them */
	size_t identity_count;
	bool newest;   /* the latest sign-up first */
	uint32_t last; /* as the previous page returned it: rows beyond it are not examined; 0: no such limit */
};
struct lead_page {
	struct lead *leads; /* by subscription number */
	size_t count;
	uint32_t next; /* `after` of the next page; 0: this was the last */
	uint32_t last; /* number up to which leads may have been examined; 0: there are no more */
};
/* Reads at most LEAD_PAGE_ROWS_MAX rows. When it searches names, it reads all custom fields, which can take milliseconds for a
 * lead, so it reads at most LEAD_PAGE_NAMES_MAX rows. With a filter, a page may therefore be short or empty and still have a
 * next one. */
enum { LEAD_PAGE_ROWS_MAX = 10000, LEAD_PAGE_NAMES_MAX = 200 };
MUST_CHECK enum result store_list_leads(
    struct store *store, struct pool *pool, uint64_t campaign_id, const struct lead_filter *filter, struct lead_page *page);
/* A list in another order: by score, the highest first, then by sign-up; or the leads that a lead has referred directly, by
 * id. */
struct lead_order {
	uint64_t referrer_id; /* the lead; 0: by score */
	/* Where the list continues: after the lead with this score and number, or with this id. */
	bool has_place;
	uint32_t score, number;
	uint64_t id;
	/* set */
	size_t examined; /* rows that all calls with this order have examined; initially 0 */
	bool more;       /* there may be more after the place */
};
/* The next page of such a list; moves the place. `newest`: by id, the highest first; `after`, `last` and identities of the
 * filter are ignored. All calls with the same *order together examine as many rows as one call of store_list_leads with a
 * filter, and then return empty pages. A lead whose score changes between two calls may be listed twice, or not at all. */
MUST_CHECK enum result store_list_leads_in_order(struct store *store, struct pool *pool, uint64_t campaign_id,
    const struct lead_filter *filter, struct lead_order *order, struct lead_page *page);
/* Whether the calls with this order have examined as many rows as they may. */
bool store_order_is_spent(const struct lead_filter *filter, const struct lead_order *order);

/* ---- the referrals that a digest announces (docs/mail.md 3) ---- */

/* How many of the newest leads that a lead has referred are examined. */
enum { DIGEST_EXAMINED = 20000 };

/* The leads that a digest announces, the newest first, without those that no longer count or were deleted. *ids are in the
 * pool. */
MUST_CHECK enum result store_find_digest(
    struct store *store, struct pool *pool, uint64_t referrer_id, uint64_t digest_ms, uint64_t **ids, size_t *count);
