/* SPDX-License-Identifier: MIT */
#include "store/messages/mail_digest.h"

#include <stdlib.h>

#include "store/query.h"
#include "store/state.h"
#include "store/statements.h"

DB_STATEMENT(sql_select_digest, "SELECT k.lead_id FROM"
				" (SELECT lead_id, counts, digest_ms FROM {prefix}referral_links FORCE INDEX (by_ancestor)"
				"   WHERE ancestor_id = ? AND level = 1 ORDER BY lead_id DESC LIMIT ?) k"
				" JOIN {prefix}leads l ON l.id = k.lead_id"
				" WHERE k.digest_ms = ? AND k.counts = TRUE");

static int
compare(const void *left, const void *right)
{
	const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
	return (a < b) - (a > b);
}

enum result
store_find_digest(
    struct store *store, struct pool *pool, uint64_t referrer_id, uint64_t digest_ms, uint64_t **ids, size_t *count)
{
	struct db_rows rows;
	const enum result result = store_query(
	    store, pool, &rows, &sql_select_digest, DB_U64(referrer_id), DB_U64(DIGEST_EXAMINED), DB_U64(digest_ms));
	*count = rows.count;
	*ids = POOL_ARRAY(pool, rows.count, uint64_t);
	for (size_t i = 0; i < rows.count; i++)
		(*ids)[i] = db_get_u64(&rows, i, 0);
	if (rows.count > 1)
		qsort(*ids, rows.count, sizeof(**ids), compare);
	return result;
}
