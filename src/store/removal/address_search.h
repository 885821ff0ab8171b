/* SPDX-License-Identifier: MIT
 * Reads the rows that may contain a person's address, piece by piece. Internal to src/store/removal.
 *
 * Texts from visitors and receivers are compared here, not by the server: the server checks a statement's time limit only
 * between rows, so a server function that takes long for one text would not stop at all. The statements read rows in the order
 * of an index, up to their limit. */
#pragma once

#include "db/db.h"
#include "store/store.h"

enum searched_table {
	SEARCH_EVENTS,   /* FIRST: the number of deliveries; SECOND: type */
	SEARCH_MESSAGES, /* FIRST: kind; SECOND: ref */
	SEARCH_CALLS,
	SEARCH_CONFIRMATIONS, /* FIRST: time; a lead without one gives a row without texts */
	SEARCH_JOBS,          /* for test mails the text is the recipient; others have none */
	SEARCH_LEADS,
	SEARCHED_TABLES
};

/* Where a piece ends: the values of its last row in the columns of the order. `second` is 0 if the order has only one column.
 * Zero-initialized: the beginning. */
struct search_place {
	uint64_t first, second;
};

/* Columns of a piece. Texts follow. The social id of events, calls and leads is that of their lead; NULL: they belong to no
 * lead, or to a deleted one. */
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

/* The next rows after a place; none: it was the last piece. A campaign costs only its own rows; campaign_id 0: all rows of the
 * table. A campaign's events come by their leads, then by their ids. Everything that was there when a search began is found: an
 * event keeps its lead until it is emptied, and later leads and events have greater ids. */
MUST_CHECK enum result store_search(struct store *store, struct pool *pool, enum searched_table table, uint64_t campaign_id,
    struct search_place after, struct db_rows *rows);
/* The place of a row. */
struct search_place store_searched_place(const struct db_rows *rows, size_t row);
