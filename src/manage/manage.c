/* SPDX-License-Identifier: MIT */
#include "manage/manage.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "crypto/digest.h"
#include "manage/access.h"
#include "manage/arguments.h"
#include "manage/call_limits.h"
#include "manage/identity.h"
#include "manage/manage_request.h"
#include "manage/session_calls.h"
#include "operation/audited_run.h"
#include "json/writer.h"

enum { BUSY_MS = 1000 };

struct manage *
manage_new(const struct manage_options *options)
{
	struct manage *manage = memory_alloc(sizeof(*manage));
	*manage = (struct manage){ *options };
	return manage;
}

void
manage_free(struct manage **manage)
{
	free(*manage);
	*manage = NULL;
}

/* ---- repeated calls (docs/manage.md 1.5) ---- */

/* Reads the hashes of the Idempotency-Key, and returns whether there is one. With it a call that created or added something can
 * be repeated if its answer was lost. Answers are not stored, because they may contain secrets. */
static bool
read_key(const struct manage_request *request, struct request_key *key)
{
	const struct http_request *http = request->http;
	const struct caller *caller = &request->caller;
	struct slice path = SLICE("");
	if (!operation_is_repeatable(request->operation) || http->idempotency_key.size == 0)
		return false;
	for (size_t i = 0; i < http->segment_count; i++)
		path = POOL_JOIN(http->pool, path, SLICE("/"), http->segments[i]);
	const struct slice named[] = { pool_printf(http->pool, "%d %" PRIu64 " ", (int)caller->kind, caller->id), path,
		SLICE(" "), http->idempotency_key };
	const struct digest hash = digest_sha256(named, ARRAY_SIZE(named)), parameters = digest_sha256(&http->body, 1);
	memcpy(key->hash, hash.bytes, sizeof(key->hash));
	memcpy(key->parameters, parameters.bytes, sizeof(key->parameters));
	return true;
}

/* If an earlier call with this key has created an object, answers with its id, or with a problem, and returns true. */
static bool
answer_repeated(struct manage_request *request)
{
	const struct request_key *key = request->call.precondition.key;
	struct repeated_request earlier;
	struct json_writer writer;
	if (key == NULL || store_find_request(request->manage->options.login.store, key, &earlier) != RESULT_OK)
		return false;
	if (!earlier.same_parameters) {
		(void)request_fail_status(
		    request, 422, "key_used", SLICE("a call with other parameters had this Idempotency-Key"));
		return true;
	}
	request->response->status = 200;
	json_writer_init(&writer, &request->response->body);
	json_begin_object(&writer);
	json_put_u64(&writer, SLICE("id"), earlier.object_id);
	json_put_boolean(&writer, SLICE("repeated"), true);
	json_end_object(&writer);
	buffer_add_byte(&request->response->body, '\n');
	return true;
}

/* ---- If-Match (docs/manage.md 1.3): a change that names another version than the current one is refused ---- */

static bool
parse_version(struct slice tag, uint64_t *version)
{
	if (slice_starts_with(tag, SLICE("W/")))
		tag = slice_sub(tag, 2, tag.size);
	if (tag.size < 2 || tag.data[0] != '"' || tag.data[tag.size - 1] != '"')
		return false;
	tag = slice_sub(tag, 1, tag.size - 1);
	return slice_to_u64(slice_sub(tag, 0, slice_find(tag, '-')), UINT64_MAX, version);
}

/* Read before the answer: a change in between makes the version too old, never too new. */
static void
read_version(struct manage_request *request)
{
	/* if this fails, the operation fails, too */
	request->has_version = store_read_settings_version(request->manage->options.login.store,
				   request->call.owner.campaign_id, &request->version) == RESULT_OK;
}

/* Reads If-Match, and the version that the answer shows. */
static bool
expect_version(struct manage_request *request)
{
	const struct slice tag = request->http->if_match;
	const bool expects = request->operation->method != METHOD_GET && slice_present(tag) && !slice_equal(tag, SLICE("*"));
	uint64_t *version = &request->expected_version;
	if (expects && !request->operation->versioned)
		return request_fail(request, PROBLEM_USAGE, SLICE_NONE, "If-Match is for changes of settings only");
	if (expects && !parse_version(tag, version))
		return request_fail(request, PROBLEM_CHANGED, SLICE_NONE, "If-Match: expected the ETag of an earlier answer");
	if (request->operation->versioned && request->operation->method == METHOD_GET)
		read_version(request);
	if (expects)
		request->call.precondition.settings_version = version;
	return true;
}

/* ---- calls ---- */

static bool
is_slow(const struct operation_call *call)
{
	return call->is_slow || call->operation->cost == SLOW || call->operation->cost == SEARCHES;
}

/* Runs the call; a slow call takes a slot while it runs. Returns false after answering that none is free. */
static bool
run_in_turn(struct manage_request *request, int *status)
{
	struct work_slots *slots = request->manage->options.long_calls;
	const bool takes_slot = is_slow(&request->call);
	const int slot = takes_slot ? work_slots_take(slots) : -1;
	if (takes_slot && slot < 0)
		return request_fail_wait(
		    request, BUSY_MS, "busy", SLICE("too many imports, exports, reports and searches at once"));
	*status = operation_run_audited(&request->call);
	if (takes_slot)
		work_slots_give_back(slots, slot);
	return true;
}

static void
run(struct manage_request *request)
{
	struct operation_call *call = &request->call;
	call->output = output_new(call->pool, call->operation->shape);
	struct request_key key;
	if (read_key(request, &key))
		call->precondition.key = &key;
	int status = EX_OK;
	/* before the limits and the operation, which may refuse the call because of the object that it created earlier */
	if (answer_repeated(request))
		return;
	if (!request_keeps_limits(request) || !run_in_turn(request, &status))
		return;
	if (status != EX_OK && answer_repeated(request)) /* a call with the same key was faster */
		return;
	request_answer(request, status);
}

void
manage_handle(struct manage *manage, struct call *call)
{
	const struct http_request *http = call->request;
	struct manage_request request = { .manage = manage, .http = http, .response = call->response, .from = call };
	if (request_answer_session(&request) || !request_identify(&request) || !request_find_operation(&request) ||
	    !request_may_run(&request))
		return;
	request.call = (struct operation_call){ .operation = request.operation,
		.pool = http->pool,
		.wiring = manage->options.wiring,
		.conf = manage->options.conf,
		.store = manage->options.login.store,
		.caller = &request.caller,
		.is_remote = true,
		.wants_json = true };
	if (!(request_read_path(&request) && request_read_members(&request)) && !request.call.report.failed)
		return;
	if ((!request.call.needs_password || request_demand_confirmation(&request)) && expect_version(&request))
		run(&request);
}
