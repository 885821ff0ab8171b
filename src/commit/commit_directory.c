/* SPDX-License-Identifier: MIT */
#include "commit/commit_directory.h"

#include <stdlib.h>

#include "os/clock.h"
#include "store/schema.h"

struct commit_directory {
	struct store *store;
	struct cache *keys, *campaigns; /* encoded answers */
	struct commit_answer readiness;
	int64_t readiness_until_ms;
};

struct commit_directory *
commit_directory_new(struct store *store)
{
	struct commit_directory *directory = memory_alloc(sizeof(*directory));
	*directory = (struct commit_directory){
		.store = store, .keys = cache_new(&commit_cache_limits), .campaigns = cache_new(&commit_cache_limits)
	};
	return directory;
}

void
commit_directory_free(struct commit_directory **directory)
{
	if (*directory == NULL)
		return;
	cache_free(&(*directory)->keys);
	cache_free(&(*directory)->campaigns);
	free(*directory);
	*directory = NULL;
}

static struct cache *
cache_of(const struct commit_directory *directory, const struct commit_request *request)
{
	return request->kind == REQUEST_KEY ? directory->keys : directory->campaigns;
}

bool
commit_directory_find_cached(
    struct commit_directory *directory, struct pool *pool, const struct commit_request *request, struct commit_answer *answer)
{
	const int64_t now_ms = clock_monotonic_ms();
	if (request->kind == REQUEST_READINESS) {
		*answer = directory->readiness;
		return now_ms < directory->readiness_until_ms;
	}
	struct slice cached = cache_find(cache_of(directory, request), commit_directory_name(request), now_ms);
	return slice_present(cached) && commit_decode_answer(pool, pool_copy(pool, cached), answer);
}

static void
cache_answer(struct commit_directory *directory, const struct commit_request *request, const struct commit_answer *answer)
{
	struct commit_answer copy = *answer;
	struct buffer bytes;
	if (request->kind == REQUEST_KEY)
		copy.as.key.last_used_ms = copy.as.key.now_ms; /* so that the use is recorded once per copy */
	buffer_init(&bytes, COMMIT_CACHE_BYTES);
	commit_encode_answer(&bytes, &copy);
	if (buffer_ok(&bytes))
		cache_put(cache_of(directory, request), commit_directory_name(request), buffer_slice(&bytes), answer->read_ms);
	buffer_free(&bytes);
}

/* The second for which the answer is cached begins after the check, because a failed check can take long. */
static void
read_readiness(struct commit_directory *directory, struct commit_answer *answer)
{
	const struct payload_settings *settings;
	uint32_t found;
	answer->result = store_ready(directory->store, &found);
	if (answer->result == RESULT_OK)
		answer->result = store_payload_settings(directory->store, &settings);
	directory->readiness = *answer;
	directory->readiness_until_ms = clock_monotonic_ms() + COMMIT_CACHE_AGE_MS;
}

void
commit_directory_read(
    struct commit_directory *directory, struct pool *pool, const struct commit_request *request, struct commit_answer *answer)
{
	*answer = commit_failed_answer(request, FAILURE_UNAVAILABLE, RESULT_UNAVAILABLE);
	answer->read_ms = clock_monotonic_ms();
	if (request->kind == REQUEST_READINESS) {
		read_readiness(directory, answer);
		return;
	}
	if (request->kind == REQUEST_KEY)
		answer->result = store_find_key(directory->store, request->as.key.bytes, &answer->as.key);
	else
		answer->result = store_find_campaign(
		    directory->store, pool, request->as.campaign_id, &answer->as.found.campaign, &answer->as.found.now_ms);
	if (answer->result == RESULT_OK)
		cache_answer(directory, request, answer);
}

void
commit_directory_find(
    struct commit_directory *directory, struct pool *pool, const struct commit_request *request, struct commit_answer *answer)
{
	if (!commit_directory_find_cached(directory, pool, request, answer))
		commit_directory_read(directory, pool, request, answer);
}
