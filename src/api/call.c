/* SPDX-License-Identifier: MIT
 * How a call reaches the database: commands, and waits. A worker must not wait one call after the other: a call that has waited
 * in vain is the last for a second. Those that queue up after it are refused at once, or each would take a worker for as long
 * as the first did. */
#include "api/call.h"

#include "base/clock.h"

enum {
	WAITED_MS = 500, /* a refusal that took less is an answer of the database */
	REFUSE_MS = 1000
};

/* What was waited for: reading is the same for all campaigns. */
static uint64_t
waited_for(const struct call *call)
{
	return call->wait == WAIT_READ ? 0 : call->campaign.id;
}

bool
call_may_wait(struct call *call, enum call_wait wait)
{
	call->wait = wait;
	const struct refusal *refusal = &call->api->refusals[wait];
	bool stuck = call->begun_ms < refusal->until_ms && refusal->campaign_id == waited_for(call);
	if (!stuck && call->begun_ms >= refusal->all_until_ms)
		return true;
	return call_fail(call, FAILURE_UNAVAILABLE);
}

/* Where each answer was slow, and not one of them missing, reading is slow as well. A campaign that somebody holds is no reason
 * to refuse the others; two of them, one after the other, are a slow database. */
void
call_note_wait(struct call *call)
{
	int64_t now_ms = clock_monotonic_ms(), until_ms = now_ms + REFUSE_MS;
	if (!call->unavailable || now_ms - call->begun_ms < WAITED_MS)
		return;
	if (store_was_late(call->api->store))
		call->wait = WAIT_READ;
	struct refusal *refusal = &call->api->refusals[call->wait];
	bool lately = now_ms < refusal->until_ms + call->api->options->request_timeout_ms;
	if (lately && refusal->campaign_id != waited_for(call))
		refusal->all_until_ms = until_ms;
	refusal->campaign_id = waited_for(call);
	refusal->until_ms = until_ms;
}

bool
call_execute(struct call *call, const struct command *command, struct outcome *outcome)
{
	const struct api_backend *backend = call->api->backend;
	if (!call_may_wait(call, WAIT_CAMPAIGN))
		return false;
	backend->execute(backend->context, call->request->pool, command, call->deadline_ms, outcome);
	if (outcome->failure != FAILURE_NONE)
		call_fail_with(call, outcome->failure, outcome->detail);
	return outcome->failure == FAILURE_NONE;
}
