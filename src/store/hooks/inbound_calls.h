/* SPDX-License-Identifier: MIT
 * The log of the calls of inbound webhooks (docs/inbound.md 5). Functions fail as described in store/store.h; what they return
 * is in the caller's pool. */
#pragma once

#include "store/store.h"

/* docs/inbound.md 5. */
enum {
	INBOUND_LOG_CALLS = 50,                      /* calls of a webhook that became leads and are listed */
	INBOUND_LOG_BODY_MAX = 64 * 1024,            /* stored bytes of their bodies */
	INBOUND_STORED_CALLS_MAX = 1000,             /* refused calls of a webhook that are stored … */
	INBOUND_STORED_BYTES_MAX = 16 * 1024 * 1024, /* … and the bytes of their bodies together */
	INBOUND_STORED_DAYS = 7
};

enum inbound_state { INBOUND_CREATED, INBOUND_UPDATED, INBOUND_REFUSED, INBOUND_STATES };
struct slice inbound_state_name(enum inbound_state state);
MUST_CHECK bool inbound_state_parse(struct slice name, enum inbound_state *state);

struct inbound_call {
	uint64_t id, inbound_id, campaign_id;
	enum inbound_state state;
	struct slice error, message; /* only with INBOUND_REFUSED */
	uint64_t lead_id;            /* 0: none */
	struct slice ip, content_type, body;
	uint64_t size; /* of the whole body */
	uint32_t times, replays;
	int64_t received_ms, ended_ms, expires_ms;
};

/* Writes a call and its result to the log; `id`, `times` and `replays` of `call` are ignored. *id: the id of the entry; a
 * refused body that was received before shares its entry. RESULT_TOO_MANY: the webhook has no room for another refused body.
 * RESULT_NOT_FOUND: the webhook was removed. */
MUST_CHECK enum result store_note_inbound_call(struct store *store, const struct inbound_call *call, uint64_t *id);
/* The number of stored refused calls of a webhook, and the size of their bodies. */
MUST_CHECK enum result store_sum_refused_calls(
    struct store *store, struct pool *pool, uint64_t inbound_id, uint64_t *count, uint64_t *bytes);
/* Records a replay: the new state, error, message, lead, content type and body of the call with this id. */
MUST_CHECK enum result store_note_inbound_replay(struct store *store, const struct inbound_call *call);
MUST_CHECK enum result store_find_inbound_call(struct store *store, struct pool *pool, uint64_t id, struct inbound_call *call);
struct inbound_call_filter {
	uint64_t inbound_id, lead_id; /* of this webhook or, if it is 0, of this lead */
	enum inbound_state state;     /* only calls in this state; INBOUND_STATES: all */
	size_t limit;
};
/* The latest come first; bodies are absent. */
MUST_CHECK enum result store_list_inbound_calls(struct store *store, struct pool *pool,
    const struct inbound_call_filter *filter, struct inbound_call **calls, size_t *count);
