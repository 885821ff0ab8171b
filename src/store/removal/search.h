/* SPDX-License-Identifier: MIT
 * Reads the rows that may have the address of a person, piece by piece. Internal to src/store/removal.
 *
 * What visitors and receivers have written is compared here, not by the server: a statement ends at its time limit only
 * between rows, so a function of the server that takes long for one text would not end at all. The statements read rows in
 * the order of an index, as many as their limit says. */
#pragma once

#include "db/db.h"
#include "store/store.h"

enum searched_table {
	SEARCH_EVENTS,   /* FIRST: the number of deliveries; SECOND: type */
	SEARCH_MESSAGES, /* FIRST: kind; SECOND: ref */
	SEARCH_CALLS,
	SEARCH_CONFIRMATIONS, /* FIRST: time; a lead without one is a row without texts */
	SEARCH_JOBS,          /* of test mails the text is the recipient; others have none */
	SEARCH_LEADS,
	SEARCHED_TABLES
};

/* Where a piece ends: what its last row has in the columns of the order. The second one is 0 where the first one alone is the
 * order. Zero-initialized: the beginning. */
struct search_place {
	uint64_t first, second;
};

/* Columns of a piece. Texts follow. The social id of events, calls and leads is that of their lead; NULL: they are of no lead,
 * or of one that was deleted. */
enum {
	SEARCHED_PLACE_FIRST,
	SEARCHED_PLACE_SECOND,
	SEARCHED_ID,
	SEARCHED_LEAD_ID,
	SEARCHED_SOCIAL_ID,
	SEARCHED_CAMPAIGN_ID,
	SEARCHED_FIRST,
	SEARCHED_SECOND,
	SEARCHED_TEXTS
};

/* The next rows after a place; none: it was the last piece. A campaign costs its own rows alone; campaign_id 0: all rows of the
 * table. A campaign's events come by their leads, then by their ids. What was there when a search began is found: an event
 * keeps its lead until it is emptied, and later leads and events have greater ids. */
MUST_CHECK enum result store_search(struct store *store, struct pool *pool, enum searched_table table, uint64_t campaign_id,
    struct search_place after, struct db_rows *rows);
/* The place of a row. */
struct search_place store_searched_place(const struct db_rows *rows, size_t row);
