/* SPDX-License-Identifier: MIT
 * The audit log (docs/users.md 6). */
#include <inttypes.h>
#include <stddef.h>
#include <sysexits.h>

#include "admin/operations.h"
#include "operation/value_types.h"
#include "os/clock.h"
#include "store/users/audit.h"

#define PLACE(member) offsetof(struct audit_filter, member)
static const struct value_option filter_rows[] = {
	{ OPTION_ACCOUNT, value_id, PLACE(account_id), "the id of an account" },
	{ OPTION_CAMPAIGN, value_id, PLACE(campaign_id), "the id of a campaign" },
	{ OPTION_USER, value_id, PLACE(user_id), "the id of a user" },
	{ OPTION_SINCE, value_time, PLACE(since_ms), "a date or a time as in RFC 3339, such as 2026-10-01" },
	{ OPTION_UNTIL, value_time, PLACE(until_ms), "a date or a time as in RFC 3339, such as 2026-10-01" },
	{ OPTION_AFTER, value_id, PLACE(before_id), "the id of a row" },
	{ OPTION_LIMIT, value_limit, PLACE(limit), "a number from 1 to 10000" },
};
#undef PLACE

static void
output_json_or_null(struct output *output, const char *key, struct slice json)
{
	if (slice_present(json))
		output_json(output, key, json);
	else
		output_text(output, key, SLICE_NONE);
}

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
	output_json_or_null(output, "before", entry->before);
	output_json_or_null(output, "after", row->after);
	output_text(output, "ip", entry->ip);
	output_text(output, "request_id", entry->request_id);
}

int
admin_audit_list(struct admin_call *call)
{
	struct audit_filter filter = {
		.account_id = caller_account(call->caller), .since_ms = -1, .until_ms = -1, .limit = VALUE_LIMIT_DEFAULT
	};
	struct audit_row *rows;
	size_t count;
	if (!values_take(call, filter_rows, ARRAY_SIZE(filter_rows), &filter))
		return EX_DATAERR;
	if (!caller_sees(call->caller, filter.account_id, filter.campaign_id) ||
	    (call->caller != NULL && call->caller->campaign_count > 0 && filter.campaign_id == 0))
		return admin_fail(call, PROBLEM_FORBIDDEN, "the caller may not read the log of all of that");
	const enum result result = store_list_audit(call->store, call->pool, &filter, &rows, &count);
	if (result != RESULT_OK)
		return admin_answer(call, result);
	for (size_t i = 0; i < count; i++)
		output_row(call->output, &rows[i]);
	if (count == filter.limit)
		admin_next_id(call, rows[count - 1].id);
	return EX_OK;
}

int
admin_audit_prune(struct admin_call *call)
{
	struct audit_filter filter = { .until_ms = -1 };
	uint64_t count;
	if (!values_take(call, filter_rows, ARRAY_SIZE(filter_rows), &filter))
		return EX_DATAERR;
	if (filter.until_ms > clock_wall_ms()) /* it would delete its own row */
		return admin_fail_option(call, PROBLEM_INVALID, OPTION_UNTIL, "expected a time in the past");
	if (call->options[OPTION_YES] == NULL) {
		const enum result counted = store_count_audit(call->store, filter.account_id, filter.until_ms, &count);
		return counted != RESULT_OK
			   ? admin_answer(call, counted)
			   : admin_fail(call, PROBLEM_USAGE, "%" PRIu64 " rows would be deleted; add --yes", count);
	}
	const enum result result = store_prune_audit(call->store, filter.account_id, filter.until_ms, &count);
	if (result != RESULT_OK)
		return admin_answer(call, result);
	output_record(call->output);
	output_u64(call->output, "deleted", count);
	return EX_OK;
}
