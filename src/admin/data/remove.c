/* SPDX-License-Identifier: MIT
 * campaign remove, account remove: for callers at once, their rows afterwards. */
#include <inttypes.h>
#include <sysexits.h>
#include <unistd.h>

#include "admin/commands.h"
#include "admin/progress.h"
#include "store/operator/admin.h"
#include "store/removal/removal.h"

enum { TRIES = 4 };

/* Deletes the rows of a removed campaign. */
static int
delete_rows(struct admin_call *call, uint64_t campaign_id, struct progress *progress, struct removal_counts *counts)
{
	unsigned failures = 0;
	for (bool done = false; !done;) {
		const enum result result = store_continue_removal(call->store, campaign_id, counts, &done);
		progress_show(progress, counts->leads, counts->leads);
		failures = result == RESULT_OK ? 0 : failures + 1;
		if (result == RESULT_FAILED)
			return admin_answer(call, result);
		if (failures == TRIES)
			return admin_fail(
			    call, PROBLEM_INCOMPLETE, "the database is out of reach: the dispatcher deletes the rest");
		if (failures > 0)
			sleep(1);
	}
	return EX_OK;
}

static int
delete_all_rows(struct admin_call *call, const uint64_t *ids, size_t campaigns, uint64_t leads, struct removal_counts *counts)
{
	struct progress progress = progress_begin(call->errors, "leads", leads);
	int status = EX_OK;
	for (size_t i = 0; i < campaigns && status == EX_OK; i++)
		status = delete_rows(call, ids[i], &progress, counts);
	progress_end(&progress);
	return status;
}

static int
find_campaigns(struct admin_call *call, bool account, uint64_t *leads, uint64_t **ids, size_t *campaigns)
{
	struct campaign *list;
	size_t count;
	int64_t now_ms;
	enum result result = account ? store_find_account(call->store, call->id) : RESULT_OK;
	if (result == RESULT_OK)
		result =
		    store_list_campaigns(call->store, call->pool, account ? call->id : 0, LIST_ALL, &list, &count, &now_ms);
	*leads = 0;
	*campaigns = 0;
	*ids = result == RESULT_OK ? POOL_ARRAY(call->pool, count, uint64_t) : NULL;
	for (size_t i = 0; result == RESULT_OK && i < count; i++)
		if (account || list[i].id == call->id) {
			*leads += list[i].counters.leads;
			(*ids)[(*campaigns)++] = list[i].id;
		}
	if (result == RESULT_OK && !account && *campaigns == 0)
		result = RESULT_NOT_FOUND;
	return admin_answer(call, result);
}

/* The variant: whether it is an account. */
int
admin_remove(struct admin_call *call)
{
	const bool account = call->command->variant;
	struct removal_counts counts = { 0 };
	uint64_t leads, *ids;
	size_t campaigns;
	int status = find_campaigns(call, account, &leads, &ids, &campaigns);
	if (status != EX_OK)
		return status;
	if (call->options[OPTION_YES] == NULL)
		return admin_fail(call, PROBLEM_USAGE,
		    "%zu campaign%s with %" PRIu64 " lead%s and all of their data would be deleted; add %s", campaigns,
		    campaigns == 1 ? "" : "s", leads, leads == 1 ? "" : "s", admin_option_shown(call, OPTION_YES));
	const enum result result =
	    account ? store_remove_account(call->store, call->id) : store_remove_campaign(call->store, call->id);
	if (result != RESULT_OK)
		return admin_answer(call, result);
	if (!call->is_remote) /* else the dispatcher deletes them: it may take minutes */
		status = delete_all_rows(call, ids, campaigns, leads, &counts);
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
