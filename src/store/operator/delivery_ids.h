/* SPDX-License-Identifier: MIT
 * The ids of a list of deliveries, page by page, the highest first, from indexes. Conditions that the indexes do not cover are
 * not applied. */
#pragma once

#include "db/db.h"
#include "store/operator/deliveries.h"

struct delivery_ids {
	struct store *store;
	const struct delivery_filter *filter;
	int64_t since_ms, until_ms; /* those of the filter, but never -1 */
	const uint64_t *webhooks;   /* of the filter's campaign; only the filter's webhook if it has one */
	size_t webhook_count;
	uint64_t from, below; /* remaining ids, from `from` to below `below` */
	size_t page_size;
	size_t looked_at; /* rows that were read in addition to ids; the caller adds those that it reads */
};

/* `pool` must live as long as the pages are read. `enough`: how many ids the first page needs; SIZE_MAX: all are visited. */
MUST_CHECK enum result delivery_ids_begin(
    struct delivery_ids *ids, struct store *store, struct pool *pool, const struct delivery_filter *filter, size_t enough);
/* The next page, in `pool`; it may be empty. The ids that remain are below it. */
MUST_CHECK enum result delivery_ids_next(struct delivery_ids *ids, struct pool *pool, struct db_list *page);
