/* SPDX-License-Identifier: MIT
 * After a restore: ids that were given since the backup are not given again. */
#include "store/operator/restored.h"
#include "store/state.h"
#include "store/transaction.h"

/* More than are given between two backups. */
static const uint64_t skipped[ID_KINDS] = {
	[ID_ACCOUNT] = 1000,
	[ID_API_KEY] = 1000,
	[ID_CAMPAIGN] = 1000,
	[ID_WEBHOOK] = 1000,
	[ID_LEAD] = 100000000,
	[ID_HISTORY] = 1000000000,
	[ID_TAG] = 1000,
	[ID_ACTION] = 1000,
	[ID_REWARD_LEVEL] = 1000,
	[ID_BULK_JOB] = 100000000,
	[ID_POINTS_CALL] = 100000000,
	[ID_INBOUND] = 1000,
	[ID_INBOUND_CALL] = 100000000,
	[ID_MESSAGE] = 100000000,
	[ID_USER] = 1000,
	[ID_AUDIT] = 1000000,
};

enum result
store_skip_ids(struct store *store)
{
	uint64_t first;
	struct transaction txn = store_transaction(store, REPEAT_CONFLICT);
	while (store_runs(&txn))
		for (size_t kind = 0; kind < ID_KINDS; kind++) {
			txn.result = store_next_ids(store, txn.pool, (enum id_kind)kind, skipped[kind], &first);
			if (txn.result != RESULT_OK)
				break;
		}
	return txn.result;
}
