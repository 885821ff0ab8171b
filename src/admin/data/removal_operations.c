/* SPDX-License-Identifier: MIT
 * campaign remove, account remove: callers no longer see them, and then their rows are deleted. */
#include <inttypes.h>
#include <stddef.h>
#include <sysexits.h>

#include "admin/campaigns/campaign_operations.h"
#include "admin/data/repeat.h"
#include "operation/value_types.h"
#include "os/clock.h"
#include "store/operator/accounts.h"
#include "store/removal/campaigns.h"

/* Deletes rows of a removed campaign. */
static enum result
go_on(struct store *store, const void *campaign_id, struct removal_counts *counts, bool *done)
{
	return store_continue_removal(store, *(const uint64_t *)campaign_id, counts, done);
}

static int
delete_all_rows(
    struct operation_call *call, const struct campaign *list, size_t campaigns, uint64_t leads, struct removal_counts *counts)
{
	struct progress progress = progress_begin(call->errors, "leads", leads);
	int status = EX_OK;
	bool done;
	for (size_t i = 0; i < campaigns && status == EX_OK; i++) {
		const struct removal removal = { go_on, &list[i].id, CLOCK_NEVER, &progress };
		status = removal_finish(call, &removal, counts, &done);
	}
	progress_end(&progress);
	return status;
}

/* Finds all campaigns of the account, or the one that is the subject. */
static int
find_campaigns(struct operation_call *call, struct campaign **list, size_t *campaigns)
{
	int64_t now_ms;
	if (call->operation->variant) {
		enum result result = store_find_account(call->store, call->id);
		if (result == RESULT_OK)
			result = store_list_campaigns(call->store, call->pool, call->id, LIST_ALL, list, campaigns, &now_ms);
		return operation_answer(call, result);
	}
	*list = POOL_NEW(call->pool, struct campaign);
	*campaigns = 1;
	return operation_answer(call, store_find_campaign(call->store, call->pool, call->id, *list, &now_ms));
}

struct removal_arguments {
	bool yes;
};
static const struct parameter parameters[] = { OPTION("yes", value_on, offsetof(struct removal_arguments, yes)) };

/* Removes an account if the variant is true; otherwise a campaign. */
static int
run_remove(struct operation_call *call)
{
	const bool account = call->operation->variant;
	struct removal_counts counts = { 0 };
	struct campaign *list;
	uint64_t leads = 0;
	size_t campaigns;
	int status = find_campaigns(call, &list, &campaigns);
	if (status != EX_OK)
		return status;
	for (size_t i = 0; i < campaigns; i++)
		leads += list[i].counters.leads;
	if (!ARGUMENTS(call, struct removal_arguments)->yes)
		return operation_fail(call, PROBLEM_USAGE,
		    "%zu campaign%s with %" PRIu64 " lead%s and all of their data would be deleted; add %s", campaigns,
		    campaigns == 1 ? "" : "s", leads, leads == 1 ? "" : "s", parameter_shown(call, "yes"));
	const enum result result =
	    account ? store_remove_account(call->store, call->id) : store_remove_campaign(call->store, call->id);
	if (result != RESULT_OK)
		return operation_answer(call, result);
	if (!call->is_remote) /* over HTTP the dispatcher deletes the rows, because this may take minutes */
		status = delete_all_rows(call, list, campaigns, leads, &counts);
	if (status != EX_OK)
		return status;
	output_record(call->output);
	output_u64(call->output, "id", call->id);
	output_u64(call->output, "campaigns", campaigns);
	output_u64(call->output, "leads", counts.leads);
	output_u64(call->output, "events", counts.events);
	output_boolean(call->output, "done", !call->is_remote);
	return EX_OK;
}

OPERATION(account_remove, "account remove", "ACCOUNT --yes", "delete an account with its keys and campaigns", run_remove,
    .variant = true, .subject = &subject_account, PARAMETERS(parameters, struct removal_arguments),
    HTTP(DELETE, "accounts/{account}", RIGHT_ACCOUNT), .audience = FOR_OPERATORS, .effect = CHANGES, .needs_password = true);
OPERATION(campaign_remove, "campaign remove", "CAMPAIGN --yes", "delete a campaign with its leads and all of their data",
    run_remove, .variant = false, .subject = &subject_campaign, PARAMETERS(parameters, struct removal_arguments),
    HTTP(DELETE, "campaigns/{campaign}", RIGHT_MANAGE | RIGHT_CHANGE), .all_rights = true, .effect = CHANGES,
    .needs_password = true, .shown_by = &operation_campaign_show);
