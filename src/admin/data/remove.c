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

/* Deletes the rows of all removed campaigns: of these, and of those that an earlier command has left. */
static int
delete_rows(const struct admin_call *call, uint64_t total, struct removal_counts *counts)
{
	struct progress progress = progress_begin(call->errors, "leads", total);
	uint64_t campaign_id = 0;
	unsigned failures = 0;
	bool found = true, done = true;
	while (found && failures < TRIES) {
		enum result result = RESULT_OK;
		if (done)
			result = store_find_removal(call->store, 0, &campaign_id, &found);
		if (result == RESULT_OK && found)
			result = store_continue_removal(call->store, campaign_id, counts, &done);
		progress_show(&progress, counts->leads, counts->leads);
		failures = result == RESULT_OK ? 0 : failures + 1;
		if (result != RESULT_OK)
			sleep(1);
	}
	progress_end(&progress);
	return found ? admin_fail(call, EX_TEMPFAIL, "the database is out of reach: the dispatcher deletes the rest") : EX_OK;
}

static int
count_leads(const struct admin_call *call, bool account, uint64_t *leads, size_t *campaigns)
{
	struct campaign *list;
	size_t count;
	int64_t now_ms;
	enum result result = account ? store_find_account(call->store, call->id) : RESULT_OK;
	if (result == RESULT_OK)
		result = store_list_campaigns(call->store, call->pool, account ? call->id : 0, &list, &count, &now_ms);
	*leads = 0;
	*campaigns = 0;
	for (size_t i = 0; result == RESULT_OK && i < count; i++)
		if (account || list[i].id == call->id) {
			*leads += list[i].counters.leads;
			++*campaigns;
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
	uint64_t leads;
	size_t campaigns;
	int status = count_leads(call, account, &leads, &campaigns);
	if (status != EX_OK)
		return status;
	if (call->options[OPTION_YES] == NULL)
		return admin_fail(call, EX_USAGE,
		    "%zu campaigns with %" PRIu64 " leads and all of their data would be deleted; add --yes", campaigns, leads);
	const enum result result =
	    account ? store_remove_account(call->store, call->id) : store_remove_campaign(call->store, call->id);
	if (result != RESULT_OK)
		return admin_answer(call, result);
	status = delete_rows(call, leads, &counts);
	if (status != EX_OK)
		return status;
	output_record(call->output);
	output_u64(call->output, "id", call->id);
	output_u64(call->output, "campaigns", campaigns);
	output_u64(call->output, "leads", counts.leads);
	output_u64(call->output, "events", counts.events);
	return EX_OK;
}
