/* SPDX-License-Identifier: MIT
 * campaign remove, account remove: for callers at once, their rows afterwards. */
#include <inttypes.h>
#include <sysexits.h>

#include "admin/data/repeat.h"
#include "admin/operations.h"
#include "os/clock.h"
#include "store/operator/admin.h"

/* Of a removed campaign, its rows. */
static enum result
go_on(struct store *store, const void *campaign_id, struct removal_counts *counts, bool *done)
{
	return store_continue_removal(store, *(const uint64_t *)campaign_id, counts, done);
}

static int
delete_all_rows(
    struct admin_call *call, const struct campaign *list, size_t campaigns, uint64_t leads, struct removal_counts *counts)
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

/* Those of the account, or the one. */
static int
find_campaigns(struct admin_call *call, bool account, struct campaign **list, size_t *campaigns)
{
	int64_t now_ms;
	if (account) {
		enum result result = store_find_account(call->store, call->id);
		if (result == RESULT_OK)
			result = store_list_campaigns(call->store, call->pool, call->id, LIST_ALL, list, campaigns, &now_ms);
		return admin_answer(call, result);
	}
	*list = POOL_NEW(call->pool, struct campaign);
	*campaigns = 1;
	return admin_answer(call, store_find_campaign(call->store, call->pool, call->id, *list, &now_ms));
}

/* The variant: whether it is an account. */
int
admin_remove(struct admin_call *call)
{
	const bool account = call->command->variant;
	struct removal_counts counts = { 0 };
	struct campaign *list;
	uint64_t leads = 0;
	size_t campaigns;
	int status = find_campaigns(call, account, &list, &campaigns);
	if (status != EX_OK)
		return status;
	for (size_t i = 0; i < campaigns; i++)
		leads += list[i].counters.leads;
	if (call->options[OPTION_YES] == NULL)
		return admin_fail(call, PROBLEM_USAGE,
		    "%zu campaign%s with %" PRIu64 " lead%s and all of their data would be deleted; add %s", campaigns,
		    campaigns == 1 ? "" : "s", leads, leads == 1 ? "" : "s", admin_option_shown(call, OPTION_YES));
	const enum result result =
	    account ? store_remove_account(call->store, call->id) : store_remove_campaign(call->store, call->id);
	if (result != RESULT_OK)
		return admin_answer(call, result);
	if (!call->is_remote) /* else the dispatcher deletes them: it may take minutes */
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
