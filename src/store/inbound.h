/* SPDX-License-Identifier: MIT
 * Inbound webhooks and the log of their calls (docs/inbound.md). Functions fail as store/store.h says; what they return is in
 * the caller's pool. */
#pragma once

#include "store/store.h"

/* docs/inbound.md 5. */
enum {
	INBOUND_LOG_CALLS = 50,                      /* calls of a webhook that became leads, and are listed */
	INBOUND_LOG_BODY_MAX = 64 * 1024,            /* stored bytes of their bodies */
	INBOUND_STORED_CALLS_MAX = 1000,             /* refused calls of a webhook that are stored … */
	INBOUND_STORED_BYTES_MAX = 16 * 1024 * 1024, /* … and the bytes of their bodies together */
	INBOUND_STORED_DAYS = 7,
	INBOUND_OVERLAP_HOURS = 24 /* that the old URL works after a rotation */
};

struct inbound_webhook {
	uint64_t id, campaign_id, account_id; /* account_id: of the campaign */
	int64_t account_per_minute;           /* as in struct api_key */
	struct slice name;
	uint64_t tag_id;          /* 0: none */
	struct slice source, map; /* may be absent; map: as mapping_write writes it */
	int64_t created_ms;
	int64_t previous_until_ms; /* the old URL works until then; -1: there is none */
	uint64_t calls, created, updated, refused;
	int64_t last_call_ms; /* -1: never */
	/* of store_find_inbound and store_list_inbound alone */
	uint64_t stored, stored_bytes; /* refused calls that are stored */
};

/* By the SHA-256 of the token in its URL, or of the one before while that works. */
MUST_CHECK enum result store_find_inbound_of_token(
    struct store *store, struct pool *pool, const unsigned char hash[32], struct inbound_webhook *webhook);
MUST_CHECK enum result store_find_inbound(struct store *store, struct pool *pool, uint64_t id, struct inbound_webhook *webhook);
MUST_CHECK enum result store_list_inbound(
    struct store *store, struct pool *pool, uint64_t campaign_id, struct inbound_webhook **webhooks, size_t *count);

#define INBOUND_NAME "Inbound via API"
struct inbound_put {
	uint64_t campaign_id;
	uint64_t id;                   /* the webhook that is changed; 0: the one with the name, or a new one */
	struct slice name;             /* absent: an unused one that begins with INBOUND_NAME */
	bool set_tag, set_map, rotate; /* what is changed of a webhook that exists */
	uint64_t tag_id;
	struct slice source; /* absent: unchanged; empty: none */
	struct slice map;
	const unsigned char *hash; /* 32 bytes, of a new webhook's token, or the new token with `rotate` */
	size_t maximum;            /* of inbound webhooks in a campaign */
};
/* Adds the webhook, or changes the one of the campaign with this id or name. *fresh: the token is that of the hash now.
 * RESULT_TOO_MANY: the campaign has `maximum`; RESULT_NOT_FOUND: no such campaign, or id. */
MUST_CHECK enum result store_put_inbound(
    struct store *store, const struct precondition *precondition, const struct inbound_put *put, uint64_t *id, bool *fresh);
/* Gives it a new token. The old one works for `overlap_hours`. */
MUST_CHECK enum result store_rotate_inbound(struct store *store, const struct precondition *precondition, uint64_t id,
    const unsigned char hash[32], unsigned overlap_hours);
/* Which webhook of a campaign is meant: id (0: any), name and hash of a token, either may be absent. RESULT_NOT_FOUND: none. */
struct inbound_reference {
	uint64_t id;
	struct slice name;
	const unsigned char *hash;
};
MUST_CHECK enum result store_identify_inbound(
    struct store *store, uint64_t campaign_id, const struct inbound_reference *reference, uint64_t *id);
/* With its calls. */
MUST_CHECK enum result store_remove_inbound(struct store *store, const struct precondition *precondition, uint64_t id);

enum inbound_state { INBOUND_CREATED, INBOUND_UPDATED, INBOUND_REFUSED, INBOUND_STATES };
struct slice inbound_state_name(enum inbound_state state);
MUST_CHECK bool inbound_state_parse(struct slice name, enum inbound_state *state);

struct inbound_call {
	uint64_t id, inbound_id, campaign_id;
	enum inbound_state state;
	struct slice error, message; /* of INBOUND_REFUSED */
	uint64_t lead_id;            /* 0: none */
	struct slice ip, content_type, body;
	uint64_t size; /* of the whole body */
	uint32_t times, replays;
	int64_t received_ms, ended_ms, expires_ms;
};

/* Writes a call to the log, with what became of it: id, times and replays are not read, nor are the times. *id is that of the
 * entry: a refused body that came before has one entry. RESULT_TOO_MANY: the webhook has no room for another refused one.
 * RESULT_NOT_FOUND: the webhook is removed. */
MUST_CHECK enum result store_note_inbound_call(struct store *store, const struct inbound_call *call, uint64_t *id);
/* The refused calls of a webhook that are stored, and the bytes of their bodies. */
MUST_CHECK enum result store_sum_refused_calls(
    struct store *store, struct pool *pool, uint64_t inbound_id, uint64_t *count, uint64_t *bytes);
/* Records a replay: the new state, error, message, lead, content type and body of the call with this id. */
MUST_CHECK enum result store_note_inbound_replay(struct store *store, const struct inbound_call *call);
MUST_CHECK enum result store_find_inbound_call(struct store *store, struct pool *pool, uint64_t id, struct inbound_call *call);
struct inbound_call_filter {
	uint64_t inbound_id, lead_id; /* of a webhook or, if that is 0, of a lead */
	enum inbound_state state;     /* of a webhook's; INBOUND_STATES: all */
	size_t limit;
};
/* Latest first, without bodies. */
MUST_CHECK enum result store_list_inbound_calls(struct store *store, struct pool *pool,
    const struct inbound_call_filter *filter, struct inbound_call **calls, size_t *count);
