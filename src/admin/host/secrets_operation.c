/* SPDX-License-Identifier: MIT
 * The secrets in the database (docs/operating.md 3.2). */
#include <inttypes.h>

#include "admin/operations.h"
#include "store/operator/secrets.h"

/* What cannot be opened is reported after what was done. */
static int
output_counts(struct admin_call *call, const struct secret_counts *counts, uint64_t changed)
{
	output_record(call->output);
	output_u64(call->output, "changed", changed);
	output_u64(call->output, "sealed", counts->sealed);
	output_u64(call->output, "old_key", counts->old);
	output_u64(call->output, "not_sealed", counts->plain);
	output_u64(call->output, "unreadable", counts->unreadable);
	return counts->unreadable == 0
		   ? EX_OK
		   : admin_fail(call, PROBLEM_CONFIG,
			 "server.secrets_key does not open %" PRIu64 " secrets: add the key that they were sealed with; the "
			 "first: %.*s",
			 counts->unreadable, SLICE_ARGS(counts->first_unreadable));
}

int
admin_secrets_seal(struct admin_call *call)
{
	struct secret_counts counts;
	uint64_t changed = 0;
	if (!store_has_secrets_key(call->store))
		return admin_fail(call, PROBLEM_CONFIG,
		    "server.secrets_key is not set: set it on every host, start the programs again, then run this command");
	enum result result = RESULT_OK;
	if (call->options[OPTION_DRY_RUN] == NULL)
		result = store_seal_secrets(call->store, &changed);
	if (result == RESULT_OK)
		result = store_count_secrets(call->store, call->pool, &counts);
	return result == RESULT_OK ? output_counts(call, &counts, changed) : admin_answer(call, result);
}
