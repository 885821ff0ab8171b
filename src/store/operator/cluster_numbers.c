/* SPDX-License-Identifier: MIT
 * The installation record contains the number of the cluster; without a record it is 0. */
#include "store/operator/cluster_numbers.h"

#include <inttypes.h>

#include "os/log.h"
#include "store/query.h"
#include "store/state.h"
#include "store/statements.h"
#include "store/transaction.h"

DB_STATEMENT(sql_set_installation_value, "INSERT INTO {prefix}installation (name, value) VALUES (?, ?)"
					 " ON DUPLICATE KEY UPDATE value = VALUES(value)");

/* including those of removed campaigns, whose rows are being deleted */
DB_STATEMENT(sql_select_campaign_ids, "(SELECT id FROM {prefix}campaigns WHERE id >= ? ORDER BY id LIMIT ?)"
				      " UNION (SELECT campaign_id FROM {prefix}removed_campaigns WHERE campaign_id >= ?"
				      " ORDER BY campaign_id LIMIT ?)"
				      " ORDER BY id LIMIT ?");

#define NUMBER_NAME SLICE("cluster_number")
static const enum id_kind kinds[] = { ID_CAMPAIGN, ID_LEAD };

static enum result
read_number(struct store *store, struct pool *pool, uint64_t *number)
{
	struct slice text = SLICE("0");
	enum result result = store_read_installation_value(store, pool, NUMBER_NAME, &text);
	if (result != RESULT_OK && result != RESULT_NOT_FOUND)
		return result;
	if (slice_to_u64(text, UINT32_MAX, number))
		return RESULT_OK;
	log_error("installation_broken", LOG_BYTES("name", NUMBER_NAME), LOG_BYTES("value", text));
	return RESULT_FAILED;
}

/* Up to `limit` ids of campaigns, beginning at `first`. */
static enum result
select_campaigns(struct store *store, struct pool *pool, uint64_t first, uint64_t limit, struct db_rows *ids)
{
	return store_query(store, pool, ids, &sql_select_campaign_ids, DB_U64(first), DB_U64(limit), DB_U64(first),
	    DB_U64(limit), DB_U64(limit));
}

/* Locks the blocks of ids, and reads the number. *used: ids were taken, from the blocks or by an operator. */
static enum result
lock_number(struct store *store, struct pool *pool, uint64_t *number, bool *used)
{
	uint64_t next[ARRAY_SIZE(kinds)];
	enum result result = RESULT_OK;
	for (size_t i = 0; i < ARRAY_SIZE(kinds) && result == RESULT_OK; i++)
		result = store_lock_id_block(store, pool, kinds[i], &next[i]);
	if (result == RESULT_OK)
		result = read_number(store, pool, number);
	struct db_rows campaigns = { .count = 0 };
	if (result == RESULT_OK)
		result = select_campaigns(store, pool, 0, 1, &campaigns);
	*used = campaigns.count > 0;
	for (size_t i = 0; i < ARRAY_SIZE(kinds) && result == RESULT_OK; i++)
		*used = *used || next[i] != *number * store_id_range_size(kinds[i]) + 1;
	return result;
}

static enum result
write_cluster_number(struct store *store, struct pool *pool, uint64_t number)
{
	enum result result = RESULT_OK;
	for (size_t i = 0; i < ARRAY_SIZE(kinds) && result == RESULT_OK; i++)
		result = store_set_next_id(store, kinds[i], number * store_id_range_size(kinds[i]) + 1);
	const struct slice text = pool_printf(pool, "%" PRIu64, number);
	return result == RESULT_OK ? store_run(store, &sql_set_installation_value, db_bytes(NUMBER_NAME), db_bytes(text))
				   : result;
}

/* More ids than are assigned between two backups. */
static uint64_t
skipped_ids(enum id_kind kind)
{
	switch (kind) {
	case ID_HISTORY:
		return 1000000000;
	case ID_LEAD:
	case ID_BULK_JOB:
	case ID_POINTS_CALL:
	case ID_INBOUND_CALL:
	case ID_MESSAGE:
		return 100000000;
	case ID_AUDIT:
		return 1000000;
	default:
		return 1000;
	}
}

enum result
store_set_cluster_number(struct store *store, uint64_t *recorded)
{
	struct transaction txn = store_transaction(store, REPEAT_UNKNOWN);
	bool used;
	while (store_runs(&txn)) {
		txn.result = lock_number(store, txn.pool, recorded, &used);
		if (txn.result == RESULT_OK && *recorded != store->options.cluster_number)
			txn.result = used || store->options.cluster_number == 0
					 ? RESULT_REFUSED /* a host without the setting must not remove it */
					 : write_cluster_number(store, txn.pool, store->options.cluster_number);
	}
	return txn.result;
}

enum result
store_skip_ids(struct store *store)
{
	uint64_t first;
	struct transaction txn = store_transaction(store, REPEAT_CONFLICT);
	while (store_runs(&txn))
		for (size_t kind = 0; kind < ID_KINDS && txn.result == RESULT_OK; kind++)
			txn.result =
			    store_next_ids(store, txn.pool, (enum id_kind)kind, skipped_ids((enum id_kind)kind), &first);
	return txn.result;
}

/* Ids that an operator has chosen are skipped. */
enum result
number_next_campaign(struct store *store, struct pool *pool, const struct precondition *precondition, uint64_t *id)
{
	enum { IDS_READ = 100 };
	struct db_rows ids = { .count = IDS_READ };
	uint64_t first = 0, next;
	enum result result = store_lock_id_block(store, pool, ID_CAMPAIGN, &first);
	next = first;
	for (size_t i = IDS_READ; result == RESULT_OK && i == IDS_READ;) {
		result = select_campaigns(store, pool, next, IDS_READ, &ids);
		for (i = 0; result == RESULT_OK && i < ids.count && db_get_u64(&ids, i, 0) == next; i++)
			next++;
	}
	if (result == RESULT_OK && next != first)
		result = store_set_next_id(store, ID_CAMPAIGN, next);
	return result == RESULT_OK ? store_take_id(store, pool, precondition, ID_CAMPAIGN, id) : result;
}

enum result
number_judge_campaign(struct store *store, struct pool *pool, uint64_t id, struct id_verdict *verdict)
{
	const uint64_t size = store_id_range_size(ID_CAMPAIGN), setting = store->options.cluster_number;
	struct db_rows ids;
	uint64_t next, number;
	*verdict = (struct id_verdict){ .first = 1, .last = INT64_MAX };
	enum result result = store_lock_id_block(store, pool, ID_CAMPAIGN, &next);
	if (result == RESULT_OK)
		result = read_number(store, pool, &number);
	if (result == RESULT_OK)
		result = select_campaigns(store, pool, id, 1, &ids);
	if (result != RESULT_OK)
		return result;
	if (setting != 0 && setting != number) {
		log_error("no_ids", LOG_UINT("next", id), LOG_UINT("cluster", setting),
		    LOG_STR("hint", "run leadhook check: cluster.number must be that of the database"));
		return RESULT_FAILED;
	}
	if (number != 0)
		*verdict = (struct id_verdict){ .first = number * size + 1, .last = (number + 1) * size - 1 };
	verdict->is_taken = ids.count > 0 && db_get_u64(&ids, 0, 0) == id;
	return verdict->is_taken || id < verdict->first || id > verdict->last ? RESULT_REFUSED : RESULT_OK;
}

enum result
check_number(struct store *store, struct check_findings *check)
{
	const unsigned number = store->options.cluster_number;
	uint64_t recorded;
	const enum result result = read_number(store, check->pool, &recorded);
	if (result == RESULT_OK && recorded != number)
		check_add(check, "cluster_number",
		    pool_printf(
			check->pool, "cluster.number is %u, the ids of the database are those of %" PRIu64, number, recorded),
		    pool_printf(check->pool,
			"set cluster.number = %" PRIu64 ", or run leadhook upgrade before the first campaign", recorded)
			.data);
	return result;
}
