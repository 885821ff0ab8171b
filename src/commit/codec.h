/* SPDX-License-Identifier: MIT
 * What responders ask the committer and what it answers, as bytes and back. Both are forks of one process, so numbers are
 * as the machine has them; still nothing that comes is trusted: lengths, counts and choices are checked. */
#ifndef LEADHOOK_COMMIT_CODEC_H
#define LEADHOOK_COMMIT_CODEC_H

#include "base/buffer.h"
#include "base/cache.h"
#include "engine/command.h"
#include "store/store.h"

enum commit_request_kind { REQUEST_COMMAND, REQUEST_KEY, REQUEST_CAMPAIGN, REQUEST_LOOK_UP, REQUEST_READINESS };

struct commit_request {
	enum commit_request_kind kind;
	int64_t deadline_ms; /* clock_monotonic_ms; later nobody waits for the answer */
	struct slice id;     /* of the HTTP request, for logs */
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
	ANSWER_REFUSED, /* nothing was done: too much waits, or it waited for too long */
	ANSWER_OUTCOME,
	ANSWER_KEY,
	ANSWER_CAMPAIGN,
	ANSWER_READINESS /* `result`: as store_ready */
};

struct commit_answer {
	enum commit_answer_kind kind;
	/* of keys, campaigns and readiness: what they came to, the rest means something with RESULT_OK alone; and
	 * clock_monotonic_ms before the database was asked */
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

/* Of a request for a key, a campaign or readiness: the kind that answers it, and the name that its answer is kept under. */
enum commit_answer_kind commit_entry_kind(const struct commit_request *request);
struct slice commit_entry_name(const struct commit_request *request);

/* The database's time of a campaign that was found, by now. */
int64_t commit_answer_now_ms(const struct commit_answer *answer);

/* Append to `out`, which fails when that is too much for it. */
void commit_encode_request(struct buffer *out, const struct commit_request *request);
void commit_encode_answer(struct buffer *out, const struct commit_answer *answer);
/* False when the bytes are no such thing, wholly. Arrays are in the pool, texts stay where they are: in `bytes`. */
MUST_CHECK bool commit_decode_request(struct pool *pool, struct slice bytes, struct commit_request *request);
MUST_CHECK bool commit_decode_answer(struct pool *pool, struct slice bytes, struct commit_answer *answer);

/* Of the caches of keys, and of campaigns, in the committer and in each responder. */
enum { ENTRY_AGE_MS = 1000, ENTRY_COUNT = 64, ENTRY_BYTES = 512 * 1024 };
extern const struct cache_limits commit_entry_limits;

#endif
