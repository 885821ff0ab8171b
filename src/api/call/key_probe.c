/* SPDX-License-Identifier: MIT */
#include "api/call/key_probe.h"

#include "identity/probe_token.h"
#include "os/clock.h"

enum { TOKEN_SEGMENT = 2 };

/* Callers without a genuine token get the same answer whatever fails. No limit of their address applies, because none does to
 * unknown paths: the secret is read once for each process, and not while the database is slow. */
enum failure
call_check_probe(struct call *call)
{
	const struct slice token = call->request->segments[TOKEN_SEGMENT];
	const struct payload_settings *settings;
	if (!probe_token_is_current(token, clock_wall_ms()))
		return FAILURE_NOT_FOUND;
	if (call_would_wait(call, WAIT_READ))
		return FAILURE_NOT_FOUND;
	if (store_payload_settings(call->api->store, &settings) != RESULT_OK) {
		call->hides_failure = true;
		return FAILURE_NOT_FOUND;
	}
	return probe_token_is_genuine(token, settings->server_secret) ? FAILURE_NONE : FAILURE_NOT_FOUND;
}
