/* SPDX-License-Identifier: MIT */
#include "admin/leads/lead_command.h"

#include <sysexits.h>

#include "os/clock.h"

enum { COMMAND_MS = 10000 };

int
lead_command_answer(struct operation_call *call, const struct outcome *outcome)
{
	static const struct {
		enum failure failure;
		enum operation_problem problem;
		const char *message; /* NULL: the failure's */
	} problems[] = {
		{ FAILURE_CAMPAIGN_NOT_FOUND, PROBLEM_NOT_FOUND, "there is no such campaign" },
		{ FAILURE_LEAD_NOT_FOUND, PROBLEM_NOT_FOUND, "there is no such lead" },
		{ FAILURE_LEADS_NOT_FOUND, PROBLEM_NOT_FOUND, "there are no such leads" },
		{ FAILURE_INVALID_PARAMETER, PROBLEM_INVALID, NULL },
		{ FAILURE_MISSING_RIGHT, PROBLEM_FORBIDDEN, NULL },
		{ FAILURE_CONFLICTING_IDENTIFIERS, PROBLEM_CONFLICT,
		    "another lead of the campaign has this email address or phone number" },
		{ FAILURE_CAMPAIGN_ENDED, PROBLEM_CONFLICT, "the campaign has ended" },
		{ FAILURE_ACCOUNT_SUSPENDED, PROBLEM_CONFLICT, "the account of the campaign is suspended" },
		{ FAILURE_TOO_MANY_JOBS, PROBLEM_BUSY, "the account has as many queued changes as it may: try again later" },
		{ FAILURE_UNAVAILABLE, PROBLEM_UNCERTAIN,
		    "the database is out of reach: check whether the change was made before you try again" },
	};
	if (outcome->failure == FAILURE_NONE)
		return EX_OK;
	for (size_t i = 0; i < ARRAY_SIZE(problems); i++)
		if (problems[i].failure == outcome->failure)
			return problems[i].message == NULL
				   ? operation_fail(call, problems[i].problem, "%.*s", SLICE_ARGS(outcome->detail))
				   : operation_fail(call, problems[i].problem, "%s", problems[i].message);
	return operation_fail(call, PROBLEM_INTERNAL, "the command failed; see the log for the reason");
}

void
lead_command_execute(
    struct operation_call *call, const struct campaign *campaign, struct command *command, struct outcome *outcome)
{
	const struct command *one = command;
	command->rights = caller_rights(call->caller);
	command->campaign_id = campaign->id;
	command->account_id = command->owner_id = campaign->account_id;
	struct execution execution = { .commands = &one,
		.count = 1,
		.deadline_ms = clock_monotonic_ms() + COMMAND_MS,
		.outcomes = outcome,
		.precondition = &call->precondition };
	store_execute(call->store, call->pool, &execution);
}
