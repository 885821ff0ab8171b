/* SPDX-License-Identifier: MIT
 * Who may call (docs/api.md 3): the key of a request, or the token of a link. */
#include "api/parameters.h"

#include "identity/api_key.h"

/* `api_key` in query or body, else the last token of either header. */
static bool
read_key(struct call *call, struct slice *key)
{
	if (!call_read_text(call, READ_KEY, key))
		return false;
	if (!slice_present(*key))
		*key = api_key_from_header(call->request->authorization);
	if (!slice_present(*key))
		*key = api_key_from_header(call->request->authentication);
	return true;
}

/* What cannot be a key is not looked up. */
static enum result
find_key(struct call *call, struct slice text, const struct digest *hash)
{
	const struct api_backend *backend = call->api->backend;
	if (!api_key_well_formed(text))
		return RESULT_NOT_FOUND;
	return backend->find_key(backend->context, call->request->pool, hash->bytes, call->deadline_ms, &call->key);
}

static bool
check_key(struct call *call, struct slice text)
{
	const struct digest hash = api_key_hash(text);
	if (!call_may_try_key(call, digest_slice(&hash)) || !call_may_wait(call, WAIT_READ))
		return false;
	const enum result result = find_key(call, text, &hash);
	switch (result) {
	case RESULT_OK:
		call_key_is_good(call, digest_slice(&hash));
		break;
	case RESULT_NOT_FOUND:
		call_key_is_bad(call, digest_slice(&hash));
		return false;
	default:
		return call_fail(call, call_failure(result));
	}
	call->account_id = call->key.account_id;
	call->api->used_key = call->key;
	if (call->key.account_suspended && call->route->campaign == NO_CAMPAIGN)
		return call_fail(call, FAILURE_ACCOUNT_SUSPENDED);
	return true;
}

static bool
authenticate_by_key(struct call *call)
{
	struct slice text;
	if (!read_key(call, &text))
		return false;
	if (slice_present(text))
		return check_key(call, text);
	if (!call_pass_address(call))
		return false;
	if (call->route->key == KEY_REQUIRED)
		call_fail(call, FAILURE_MISSING_API_KEY);
	return call->route->key != KEY_REQUIRED;
}

bool
call_authenticate(struct call *call)
{
	switch (call->route->key) {
	case KEY_NONE:
		return (call->route->flags & ROUTE_READINESS) == 0 || call_pass_address(call);
	case KEY_TOKEN:
		return call_pass_address(call) && call_may_wait(call, WAIT_READ) && call_check_token(call);
	case KEY_OPTIONAL:
	case KEY_REQUIRED:
		return authenticate_by_key(call);
	}
	return true;
}
