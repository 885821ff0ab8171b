/* SPDX-License-Identifier: MIT
 * Encodes and decodes the requests of responders and the answers of the committer. Both are forks of one process, so numbers
 * are in the machine's own representation. Decoding still checks lengths, counts and enums. */
#pragma once

#include "base/buffer.h"
#include "base/cache.h"
#include "engine/command.h"
#include "store/find.h"
#include "store/shown_leads.h"

enum commit_request_kind { REQUEST_COMMAND, REQUEST_KEY, REQUEST_CAMPAIGN, REQUEST_LOOK_UP, REQUEST_READINESS };

struct commit_request {
	enum commit_request_kind kind;
	int64_t deadline_ms; /* clock_monotonic_ms; the responder waits no longer */
	struct slice id;     /* id of the HTTP request, for logs */
	union {
		struct command command;
		struct key_hash {
			unsigned char bytes[32];
		} key;
		uint64_t campaign_id;
		struct look_up look_up;
	} as;
};

enum commit_answer_kind {
	ANSWER_REFUSED, /* not executed: the queue is full, or the deadline has passed */
	ANSWER_OUTCOME,
	ANSWER_KEY,
	ANSWER_CAMPAIGN,
	ANSWER_READINESS /* `result` is that of store_ready */
};

struct commit_answer {
	enum commit_answer_kind kind;
	/* for keys, campaigns and readiness: whether `as` is set, and clock_monotonic_ms before the database was read */
	enum result result;
	int64_t read_ms;
	union {
		struct outcome outcome;
		struct api_key key;
		struct found_campaign {
			struct campaign campaign;
			int64_t now_ms; /* the database's time at read_ms */
		} found;
	} as;
};

extern const struct commit_answer commit_refused; /* ANSWER_REFUSED */
/* An answer of the request's kind that gives the reason why there is no other: `failure` for a command or a look-up, `result`
 * for a directory request, which asks for a key, a campaign or readiness (commit/commit_directory.h). */
struct commit_answer commit_failed_answer(const struct commit_request *request, enum failure failure, enum result result);
/* A name of what a directory request asks for; unique among requests of its kind. */
struct slice commit_directory_name(const struct commit_request *request);
/* The database's time now, computed from the time when the campaign was read. */
int64_t commit_answer_now_ms(const struct commit_answer *answer);

/* Append to `out`; buffer_ok is false when its maximum is exceeded. */
void commit_encode_request(struct buffer *out, const struct commit_request *request);
void commit_encode_answer(struct buffer *out, const struct commit_answer *answer);
/* Return false unless the bytes are exactly one message. Arrays are in the pool; texts are slices of `bytes`. */
MUST_CHECK bool commit_decode_request(struct pool *pool, struct slice bytes, struct commit_request *request);
MUST_CHECK bool commit_decode_answer(struct pool *pool, struct slice bytes, struct commit_answer *answer);

/* Limits of the cache of keys and of the cache of campaigns, in the committer and in each responder. */
enum { COMMIT_CACHE_AGE_MS = 1000, COMMIT_CACHE_ENTRIES = 64, COMMIT_CACHE_BYTES = 512 * 1024 };
extern const struct cache_limits commit_cache_limits;
