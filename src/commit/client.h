/* SPDX-License-Identifier: MIT
 * The responder's client of the committer: one request at a time, each with a deadline (clock_monotonic_ms). */
#ifndef LEADHOOK_COMMIT_CLIENT_H
#define LEADHOOK_COMMIT_CLIENT_H

#include "commit/endpoint.h"
#include "engine/command.h"
#include "store/store.h"

struct commit_client;

/* Connects at the first request. The endpoint must outlive the client; its descriptor is not used. */
struct commit_client *commit_client_new(const struct endpoint *endpoint);
/* *client may be NULL; it is set to NULL. */
void commit_client_free(struct commit_client **client);

/* As store_execute, for one command. Waits for a committer that has not started yet. FAILURE_UNAVAILABLE without an answer: the
 * command may have run or not. */
void commit_client_execute(struct commit_client *client, struct pool *pool, const struct command *command, int64_t deadline_ms,
    struct outcome *outcome);
/* As store_answer_look_ups, for one. */
void commit_client_look_up(struct commit_client *client, struct pool *pool, const struct look_up *look_up, int64_t deadline_ms,
    struct outcome *outcome);
/* As store_find_key and store_find_campaign, but the answer may be COMMIT_CACHE_AGE_MS old. The campaign's texts are in the
 * pool. */
MUST_CHECK enum result commit_client_find_key(
    struct commit_client *client, const unsigned char hash[32], int64_t deadline_ms, struct api_key *key);
MUST_CHECK enum result commit_client_find_campaign(struct commit_client *client, struct pool *pool, uint64_t id,
    int64_t deadline_ms, struct campaign *campaign, int64_t *now_ms);
/* As store_ready of the committer's store; the answer may be COMMIT_CACHE_AGE_MS old. */
MUST_CHECK enum result commit_client_ready(struct commit_client *client, int64_t deadline_ms);

#endif
