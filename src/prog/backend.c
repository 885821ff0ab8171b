/* SPDX-License-Identifier: MIT */
#include "prog/backend.h"
#include "store/batch.h"

#include <string.h>

static void
execute_here(const struct backend *backend, struct pool *pool, const struct commit_request *request, struct outcome *outcome)
{
	const struct command *command = &request->as.command;
	struct execution execution = {
		.commands = &command, .count = 1, .deadline_ms = request->deadline_ms, .outcomes = outcome
	};
	store_execute(backend->store, pool, &execution);
	if (execution.made_deliveries)
		wake_send(backend->dispatcher);
	if (execution.made_messages)
		wake_send(backend->mailer);
}

static void
run_request(
    const struct backend *backend, struct pool *pool, const struct commit_request *request, struct commit_answer *answer)
{
	const struct look_up *look_up = &request->as.look_up;
	if (backend->committer != NULL)
		commit_client_request(backend->committer, pool, request, answer);
	else if (request->kind == REQUEST_COMMAND)
		execute_here(backend, pool, request, &answer->as.outcome);
	else if (request->kind == REQUEST_LOOK_UP)
		store_answer_look_ups(backend->store, pool, &look_up, 1, &answer->as.outcome);
	else
		commit_directory_find(backend->directory, pool, request, answer);
}

static void
execute(void *context, struct pool *pool, const struct command *command, int64_t deadline_ms, struct outcome *outcome)
{
	const struct commit_request request = { REQUEST_COMMAND, deadline_ms, .as.command = *command };
	struct commit_answer answer;
	run_request(context, pool, &request, &answer);
	*outcome = answer.as.outcome;
}

static void
look_up(void *context, struct pool *pool, const struct look_up *look_up, int64_t deadline_ms, struct outcome *outcome)
{
	const struct commit_request request = { REQUEST_LOOK_UP, deadline_ms, .as.look_up = *look_up };
	struct commit_answer answer;
	run_request(context, pool, &request, &answer);
	*outcome = answer.as.outcome;
}

static enum result
find_key(void *context, struct pool *pool, const unsigned char hash[32], int64_t deadline_ms, struct api_key *key)
{
	struct commit_request request = { REQUEST_KEY, deadline_ms, .id = SLICE_NONE };
	struct commit_answer answer;
	memcpy(request.as.key.bytes, hash, sizeof(request.as.key.bytes));
	run_request(context, pool, &request, &answer);
	if (answer.result == RESULT_OK)
		*key = answer.as.key;
	return answer.result;
}

static enum result
find_campaign(void *context, struct pool *pool, uint64_t id, int64_t deadline_ms, struct campaign *campaign, int64_t *now_ms)
{
	const struct commit_request request = { REQUEST_CAMPAIGN, deadline_ms, .as.campaign_id = id };
	struct commit_answer answer;
	run_request(context, pool, &request, &answer);
	if (answer.result != RESULT_OK)
		return answer.result;
	*campaign = answer.as.found.campaign;
	*now_ms = commit_answer_now_ms(&answer);
	return RESULT_OK;
}

static enum result
is_ready(void *context, struct pool *pool, int64_t deadline_ms)
{
	const struct commit_request request = { REQUEST_READINESS, deadline_ms, .id = SLICE_NONE };
	struct commit_answer answer;
	run_request(context, pool, &request, &answer);
	return answer.result;
}

static enum result
touch_key(void *context, const struct api_key *key)
{
	const struct backend *backend = context;
	return store_touch_key(backend->store, key);
}

static void
wake_mailer(void *context)
{
	const struct backend *backend = context;
	wake_send(backend->mailer);
}

struct api_backend
backend_for_api(struct backend *backend)
{
	return (struct api_backend){
		.context = backend,
		.execute = execute,
		.look_up = look_up,
		.find_key = find_key,
		.find_campaign = find_campaign,
		.ready = is_ready,
		.touch_key = backend->committer == NULL ? touch_key : NULL,
		.wake_mailer = wake_mailer,
	};
}
