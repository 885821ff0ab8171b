/* SPDX-License-Identifier: MIT
 * The secrets in the database (docs/operating.md 3.2). */
#include <inttypes.h>
#include <stddef.h>

#include "operation/operation.h"
#include "operation/value_types.h"
#include "store/operator/secrets.h"

/* What cannot be opened is reported after what was done. */
static int
output_counts(struct operation_call *call, const struct secret_counts *counts, uint64_t changed)
{
	output_record(call->output);
	output_u64(call->output, "changed", changed);
	output_u64(call->output, "sealed", counts->sealed);
	output_u64(call->output, "old_key", counts->old);
	output_u64(call->output, "not_sealed", counts->plain);
	output_u64(call->output, "unreadable", counts->unreadable);
	return counts->unreadable == 0
		   ? EX_OK
		   : operation_fail(call, PROBLEM_CONFIG,
			 "server.secrets_key does not open %" PRIu64 " secrets: add the key that they were sealed with; the "
			 "first: %.*s",
			 counts->unreadable, SLICE_ARGS(counts->first_unreadable));
}

struct secrets_seal {
	bool dry_run;
};
static const struct parameter parameters[] = {
	OPTION_WITH("dry_run", value_on, offsetof(struct secrets_seal, dry_run), PARAMETER_PREVIEW),
};

static int
run_secrets_seal(struct operation_call *call)
{
	struct secret_counts counts;
	uint64_t changed = 0;
	if (!store_has_secrets_key(call->store))
		return operation_fail(call, PROBLEM_CONFIG,
		    "server.secrets_key is not set: set it on every host, start the programs again, then run this command");
	enum result result = RESULT_OK;
	if (!ARGUMENTS(call, struct secrets_seal)->dry_run)
		result = store_seal_secrets(call->store, &changed);
	if (result == RESULT_OK)
		result = store_count_secrets(call->store, call->pool, &counts);
	return result == RESULT_OK ? output_counts(call, &counts, changed) : operation_answer(call, result);
}

OPERATION(secrets_seal, "secrets seal", "[--dry-run]",
    "seal the secrets in the database with the first key of server.secrets_key", run_secrets_seal,
    PARAMETERS(parameters, struct secrets_seal), .effect = CHANGES);
