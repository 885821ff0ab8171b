/* SPDX-License-Identifier: MIT
 * After a call has timed out, similar calls are refused at once for a second. Otherwise each queued call would block a worker
 * for its full timeout. */
#include "api/call/api_call.h"

#include "api/call/call_answers.h"
#include "api/call/call_rights.h"
#include "http/text.h"
#include "os/clock.h"

enum {
	WAITED_MS = 500, /* a faster failure is an answer of the database */
	REFUSE_MS = 1000
};

/* The campaign that was waited for; 0 for reads, which do not depend on the campaign. */
static uint64_t
waited_for(const struct call *call)
{
	return call->wait == WAIT_READ ? 0 : call->campaign.id;
}

bool
call_would_wait(struct call *call, enum call_wait wait)
{
	call->wait = wait;
	const struct refusal *refusal = &call->api->refusals[wait];
	bool stuck = call->begun_ms < refusal->until_ms && refusal->campaign_id == waited_for(call);
	return stuck || call->begun_ms < refusal->all_until_ms;
}

bool
call_may_wait(struct call *call, enum call_wait wait)
{
	return !call_would_wait(call, wait) || call_fail(call, FAILURE_UNAVAILABLE);
}

/* A store that was late in general makes reads slow as well. One locked campaign is no reason to refuse calls on others, but
 * two different ones in succession indicate a slow database. */
void
call_note_wait(struct call *call)
{
	int64_t now_ms = clock_monotonic_ms(), until_ms = now_ms + REFUSE_MS;
	if ((!call->unavailable && !call->hides_failure) || now_ms - call->begun_ms < WAITED_MS)
		return;
	if (store_was_late(call->api->store))
		call->wait = WAIT_READ;
	struct refusal *refusal = &call->api->refusals[call->wait];
	bool lately = now_ms < refusal->until_ms + call->api->options->backend_timeout_ms;
	if (lately && refusal->campaign_id != waited_for(call))
		refusal->all_until_ms = until_ms;
	refusal->campaign_id = waited_for(call);
	refusal->until_ms = until_ms;
}

struct outcome
call_execute(struct call *call, const struct command *command)
{
	const struct api_backend *backend = call->api->backend;
	struct command owned = *command;
	owned.campaign_id = call->campaign.id;
	owned.account_id = call->account_id;
	owned.rights = call_rights(call);
	owned.owner_id = call->campaign.account_id;
	struct outcome outcome = { .failure = FAILURE_UNAVAILABLE };
	if (!call_may_wait(call, WAIT_CAMPAIGN))
		return outcome;
	backend->execute(backend->context, call->request->pool, &owned, call->deadline_ms, &outcome);
	if (outcome.failure != FAILURE_NONE)
		call_fail_with(call, outcome.failure, outcome.detail);
	return outcome;
}

bool
api_is_management(const struct api *api, const struct http_request *request)
{
	return api->manage != NULL && route_is_management(request);
}

const struct ip_address *
call_client(const struct call *call)
{
	return call->has_client ? &call->client : NULL;
}

struct slice
call_header_text(struct call *call, struct slice header)
{
	if (!slice_present(header))
		return SLICE_NONE;
	const struct slice text = http_text_clean(call->request->pool, header);
	return text.size == 0 ? SLICE_NONE : http_text_cut(text, call->api->options->caps.value_bytes);
}
