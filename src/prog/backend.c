/* SPDX-License-Identifier: MIT */
#include "prog/backend.h"

#include "base/attributes.h"

static void
direct_execute(void *context, struct pool *pool, const struct command *command, int64_t deadline_ms, struct outcome *outcome)
{
	const struct direct_backend *direct = context;
	store_execute(direct->store, pool, &command, 1, deadline_ms, outcome);
}

static enum result
direct_key(void *context, struct pool *pool, const unsigned char hash[32], int64_t deadline_ms UNUSED, struct api_key *key)
{
	const struct direct_backend *direct = context;
	return directory_find_key(direct->directory, pool, hash, key);
}

static enum result
direct_campaign(
    void *context, struct pool *pool, uint64_t id, int64_t deadline_ms UNUSED, struct campaign *campaign, int64_t *now_ms)
{
	const struct direct_backend *direct = context;
	return directory_find_campaign(direct->directory, pool, id, campaign, now_ms);
}

static enum result
direct_ready(void *context, int64_t deadline_ms UNUSED)
{
	const struct direct_backend *direct = context;
	return directory_ready(direct->directory);
}

static enum result
direct_touch(void *context, const struct api_key *key)
{
	const struct direct_backend *direct = context;
	return store_touch_key(direct->store, key);
}

static void
direct_look_up(
    void *context, struct pool *pool, const struct look_up *look_up, int64_t deadline_ms UNUSED, struct outcome *outcome)
{
	const struct direct_backend *direct = context;
	store_answer_look_ups(direct->store, pool, &look_up, 1, outcome);
}

struct api_backend
backend_of_store(struct direct_backend *direct)
{
	return (struct api_backend){
		.context = direct,
		.execute = direct_execute,
		.look_up = direct_look_up,
		.find_key = direct_key,
		.find_campaign = direct_campaign,
		.ready = direct_ready,
		.touch_key = direct_touch,
	};
}

static void
committer_execute(void *context, struct pool *pool, const struct command *command, int64_t deadline_ms, struct outcome *outcome)
{
	commit_client_execute(context, pool, command, deadline_ms, outcome);
}

static enum result
committer_key(void *context, struct pool *pool UNUSED, const unsigned char hash[32], int64_t deadline_ms, struct api_key *key)
{
	return commit_client_find_key(context, hash, deadline_ms, key);
}

static enum result
committer_campaign(
    void *context, struct pool *pool, uint64_t id, int64_t deadline_ms, struct campaign *campaign, int64_t *now_ms)
{
	return commit_client_find_campaign(context, pool, id, deadline_ms, campaign, now_ms);
}

static void
committer_look_up(void *context, struct pool *pool, const struct look_up *look_up, int64_t deadline_ms, struct outcome *outcome)
{
	commit_client_look_up(context, pool, look_up, deadline_ms, outcome);
}

static enum result
committer_is_ready(void *context, int64_t deadline_ms)
{
	return commit_client_ready(context, deadline_ms);
}

struct api_backend
backend_of_committer(struct commit_client *client)
{
	return (struct api_backend){
		.context = client,
		.execute = committer_execute,
		.look_up = committer_look_up,
		.find_key = committer_key,
		.find_campaign = committer_campaign,
		.ready = committer_is_ready,
	};
}
