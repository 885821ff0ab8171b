/* SPDX-License-Identifier: MIT */
#include "operation/audited_run.h"

#include "operation/value_types.h"
#include "os/log.h"
#include "store/operator/owners.h"
#include "store/users/audit.h"

bool
operation_changes(const struct operation_call *call)
{
	return call->operation->effect != READS && call->operation->effect != PREPARES && !call->previews;
}

/* Returns the output of the operation that shows the changed object, run with the arguments of the call; absent if there is no
 * such operation. */
static struct slice
show(const struct operation_call *call)
{
	const struct operation *operation = call->operation->shown_by;
	if (operation == NULL || (call->report.failed && operation->parameter_count > 0)) /* its arguments may be invalid */
		return SLICE_NONE;
	struct operation_call shown = *call;
	shown.operation = operation;
	shown.output = output_new(call->pool, operation->shape);
	shown.errors = NULL;
	shown.report = (struct operation_report){ .failed = false };
	return operation->run(&shown) == EX_OK ? output_public_json(call->pool, shown.output) : SLICE_NONE;
}

void
operation_set_actor(struct audit_entry *entry, struct pool *pool, const struct caller *caller)
{
	static const enum audit_actor actors[] = {
		[CALLER_SHELL] = AUDIT_SHELL, [CALLER_KEY] = AUDIT_KEY, [CALLER_USER] = AUDIT_USER
	};
	entry->actor = actors[caller == NULL ? CALLER_SHELL : caller->kind];
	entry->actor_name = caller_name(pool, caller);
	if (caller == NULL)
		return;
	entry->actor_id = caller->id;
	entry->ip = caller->address;
	entry->request_id = caller->request_id;
}

/* The id in a parameter; 0 if the caller did not give the parameter, or the operation does not have it. */
static uint64_t
given_id(const struct operation_call *call, const char *name)
{
	const struct parameter *parameter = parameter_find(call, slice_of(name));
	return parameter == NULL || parameter->type->noun == NULL ? 0
								  : *(uint64_t *)(void *)(call->arguments + parameter->place);
}

/* Finds the owner of the object that the call is about, unless the front end has found it. RESULT_NOT_FOUND: there is no such
 * object. */
static enum result
find_owner(struct operation_call *call)
{
	const uint64_t campaign_id = given_id(call, "campaign");
	if (call->has_owner)
		return RESULT_OK;
	if (call->id != 0)
		return store_find_owner(call->store, call->operation->subject->kind, call->id, &call->owner);
	if (campaign_id != 0)
		return store_find_owner(call->store, OWNED_CAMPAIGN, campaign_id, &call->owner);
	const uint64_t account_id = given_id(call, "account");
	call->owner.account_id = account_id != 0 ? account_id : caller_account(call->caller);
	return RESULT_OK;
}

static void
end(struct operation_call *call, const struct audit_entry *entry, uint64_t row, int status)
{
	const struct operation *operation = call->operation;
	const enum operation_problem problem = call->report.problem;
	/* an operation that fails but has output did part of its work: an import may have rejected rows */
	const bool done = status == EX_OK || !output_is_empty(call->output), creates = operation->effect == CREATES;
	if (call->report.failed && (problem == PROBLEM_UNCERTAIN || problem == PROBLEM_INCOMPLETE))
		return; /* the row keeps the state `begun` */
	struct audit_end ended = { .state = done ? AUDIT_DONE : AUDIT_FAILED, .before = call->before };
	if (done && (creates || operation->logs_output || operation->shows_result))
		ended.after = output_public_json(call->pool, call->output);
	else if (done && operation->shown_by != NULL)
		ended.after = show(call);
	ended.target_id = done && creates ? output_first_id(call->output) : 0;
	if (store_end_audit(call->store, entry, row, &ended) != RESULT_OK)
		log_warning("audit_incomplete", LOG_UINT("row", row));
}

/* Runs the operation, unless a front end has reported an invalid argument. */
static int
run(struct operation_call *call)
{
	return call->report.failed ? operation_problem_info(call->report.problem)->exit : call->operation->run(call);
}

int
operation_run_audited(struct operation_call *call)
{
	struct audit_entry entry = { .operation = slice_of(call->operation->words), .target_id = call->id };
	uint64_t row;
	if (!operation_changes(call))
		return run(call);
	const enum result found = find_owner(call);
	if (found == RESULT_NOT_FOUND) /* the operation reports it */
		return run(call);
	if (found != RESULT_OK)
		return operation_answer(call, found);
	operation_set_actor(&entry, call->pool, call->caller);
	entry.account_id = call->owner.account_id;
	entry.campaign_id = call->owner.campaign_id;
	entry.before = show(call);
	entry.json_max = caller_is_operator(call->caller) ? 0 : call->conf->limits.audit_bytes_per_account;
	const enum result begun = store_begin_audit(call->store, &entry, &row);
	if (begun != RESULT_OK)
		return operation_answer(call, begun);
	const int status = run(call);
	end(call, &entry, row, status);
	return status;
}
