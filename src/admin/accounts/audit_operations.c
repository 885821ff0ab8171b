/* SPDX-License-Identifier: MIT
 * The audit log (docs/users.md 6). */
#include <inttypes.h>

#include "operation/operation.h"
#include "operation/value_types.h"
#include "os/clock.h"
#include "store/users/audit.h"

#define PLACE(member) offsetof(struct audit_filter, member)
static const struct value_type value_audit_id = { ID_TYPE, .expected = "the id of a row" };
static const struct parameter list_parameters[] = {
	OPTION("account", value_account, PLACE(account_id)),
	OPTION("campaign", value_campaign, PLACE(campaign_id)),
	OPTION("user", value_user, PLACE(user_id)),
	OPTION("since", value_time, PLACE(since_ms)),
	OPTION("until", value_time, PLACE(until_ms)),
	OPTION("after", value_audit_id, PLACE(before_id)),
	OPTION("limit", value_limit, PLACE(limit)),
};
#undef PLACE
static const struct audit_filter list_defaults = { .since_ms = -1, .until_ms = -1, .limit = VALUE_LIMIT_DEFAULT };

struct audit_prune {
	int64_t until_ms;
	uint64_t account_id; /* 0: all */
	bool yes;
};
#define PLACE(member) offsetof(struct audit_prune, member)
static const struct parameter prune_parameters[] = {
	OPTION_WITH("until", value_time, PLACE(until_ms), PARAMETER_REQUIRED),
	OPTION("account", value_account, PLACE(account_id)),
	OPTION("yes", value_on, PLACE(yes)),
};
#undef PLACE

static void
output_row(struct output *output, const struct audit_row *row)
{
	const struct audit_entry *entry = &row->entry;
	output_record(output);
	output_u64(output, "id", row->id);
	output_time(output, "created_at", row->created_ms);
	output_text(output, "actor", audit_actor_name(entry->actor));
	output_u64_or_null(output, "actor_id", entry->actor_id);
	output_text(output, "actor_name", entry->actor_name);
	output_u64_or_null(output, "account", entry->account_id);
	output_u64_or_null(output, "campaign", entry->campaign_id);
	output_text(output, "operation", entry->operation);
	output_u64_or_null(output, "target", entry->target_id);
	output_text(output, "state", audit_state_name(row->state));
	output_json(output, "before", entry->before);
	output_json(output, "after", row->after);
	output_text(output, "ip", entry->ip);
	output_text(output, "request_id", entry->request_id);
}

static int
run_audit_list(struct operation_call *call)
{
	struct audit_filter filter = *ARGUMENTS(call, struct audit_filter);
	struct audit_row *rows;
	size_t count;
	if (filter.account_id == 0)
		filter.account_id = caller_account(call->caller);
	if (!caller_sees(call->caller, filter.account_id, filter.campaign_id) ||
	    (call->caller != NULL && call->caller->campaign_count > 0 && filter.campaign_id == 0))
		return operation_fail(call, PROBLEM_FORBIDDEN, "the caller may not read the log of all of that");
	const enum result result = store_list_audit(call->store, call->pool, &filter, &rows, &count);
	for (size_t i = 0; result == RESULT_OK && i < count; i++)
		output_row(call->output, &rows[i]);
	if (result == RESULT_OK && count == filter.limit)
		operation_next_id(call, rows[count - 1].id);
	return operation_answer(call, result);
}

static int
run_audit_prune(struct operation_call *call)
{
	const struct audit_prune *arguments = ARGUMENTS(call, struct audit_prune);
	uint64_t count;
	if (arguments->until_ms > clock_wall_ms()) /* it would delete its own row */
		return operation_fail_value(call, PROBLEM_INVALID, "until", "expected a time in the past");
	if (!arguments->yes) {
		const enum result counted = store_count_audit(call->store, arguments->account_id, arguments->until_ms, &count);
		return counted != RESULT_OK
			   ? operation_answer(call, counted)
			   : operation_fail(call, PROBLEM_USAGE, "%" PRIu64 " rows would be deleted; add --yes", count);
	}
	const enum result result = store_prune_audit(call->store, arguments->account_id, arguments->until_ms, &count);
	return operation_answer_number(call, result, "deleted", count);
}

OPERATION(audit_list, "audit list",
    "[--account ID] [--campaign ID] [--user ID] [--since TIME] [--until TIME] [--limit N] [--after N]",
    "list changes, the newest first", run_audit_list, PARAMETERS(list_parameters, struct audit_filter),
    .defaults = &list_defaults, .shape = OUTPUT_ARRAY, HTTP(GET, "audit", RIGHT_ACCOUNT));
OPERATION(audit_prune, "audit prune", "--until TIME [--account ID] --yes", "delete old rows of the audit log", run_audit_prune,
    PARAMETERS(prune_parameters, struct audit_prune), .effect = CHANGES);
