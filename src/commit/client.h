/* SPDX-License-Identifier: MIT
 * The responder's client of the committer: one request at a time, each with a deadline (clock_monotonic_ms). */
#pragma once

#include "commit/codec.h"
#include "commit/endpoint.h"

struct commit_client;

/* Answers about keys and campaigns, for all clients of a process. */
struct commit_answers;
struct commit_answers *commit_answers_new(void);
void commit_answers_free(struct commit_answers **answers);

/* Connects at the first request. The endpoint and the answers must outlive the client; the descriptor of the endpoint is not
 * used. */
struct commit_client *commit_client_new(const struct endpoint *endpoint, struct commit_answers *answers);
void commit_client_free(struct commit_client **client);

/* Answers a request of any kind. Until its deadline, it waits for a committer that has not started yet. If there is none, the
 * answer is that of commit_failed_answer, and a command may or may not have run. Keys, campaigns and readiness may be up to
 * COMMIT_CACHE_AGE_MS old. Texts are in the pool. */
void commit_client_request(
    struct commit_client *client, struct pool *pool, const struct commit_request *request, struct commit_answer *answer);
