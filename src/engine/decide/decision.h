/* SPDX-License-Identifier: MIT
 * What a batch decided: the rows to insert, in addition to the changed rows of the working set, and the answers to its
 * commands. Types only. Everything is in the pool that was passed to decide. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "engine/decide/working_set.h"
#include "engine/events.h"
#include "engine/message.h"
#include "engine/payload.h"
#include "engine/rank.h"

/* A lead as a command left it, for its answer and its events. */
struct snapshot {
	struct lead lead;
	struct payload_subject subject; /* its `lead` is the one above */
	size_t score_moves;             /* how many of the decision's score moves the rank takes into account */
	struct slice payload;           /* as webhooks receive it; rendered on first use */
};

struct made_event {
	uint64_t id, campaign_id, lead_id;
	enum event_type type;
	unsigned deliveries; /* how many; their ids follow the event's id */
	struct snapshot *snapshot;
	struct slice extra;   /* JSON of the event's extra field; absent: it has none */
	struct slice payload; /* set by decide_render */
};

struct made_delivery {
	uint64_t id, event_id, webhook_id;
	bool form;
};

/* A row of the score ledger. */
struct score_entry {
	uint64_t lead_id;
	enum score_reason reason;
	uint64_t ref;
	uint32_t round;
	int64_t delta, requested;
	struct slice message;
};

/* A lead itself confirmed one of its addresses. */
struct made_confirmation {
	uint64_t lead_id;
	enum lead_channel channel;
	struct slice address, ip, user_agent; /* the last two may be absent */
};

/* A lead reached a score (+1) or left it (-1). Fraudulent leads and scores of 0 are not counted. */
struct score_move {
	uint64_t campaign_id;
	uint32_t score;
	int leads;
};

/* How the counts of a campaign's leads that signed up in one hour, from one source class, changed. */
struct hour_change {
	uint64_t campaign_id;
	uint32_t hour;                     /* since 1970, UTC */
	uint32_t source_class;             /* as in struct lead */
	struct campaign_counters counters; /* differences modulo 2^32 */
	uint32_t deleted;                  /* leads that were removed */
};

/* A proof of work that a sign-up used up (docs/api.md 8.2). */
struct used_proof {
	struct slice nonce;
	int64_t expires_ms;
};

struct decision {
	struct made_event *events;
	size_t event_count, event_capacity;
	struct made_delivery *deliveries;
	size_t delivery_count, delivery_capacity;
	struct score_entry *entries;
	size_t entry_count, entry_capacity;
	struct made_message *messages;
	size_t message_count, message_capacity;
	uint64_t *confirmed_leads; /* leads whose mails no longer wait for the address to be confirmed */
	size_t confirmed_count, confirmed_capacity;
	struct made_confirmation *confirmations;
	size_t confirmation_count, confirmation_capacity;
	struct score_move *score_moves; /* in the order of the commands */
	size_t score_move_count, score_move_capacity;
	struct ip_count *ip_moves; /* `leads` is the change of the count, for leads that are already counted */
	size_t ip_move_count, ip_move_capacity;
	struct hour_change *hours; /* one for each campaign, hour and source class, for leads that are already counted */
	size_t hour_count, hour_capacity;
	struct used_proof *proofs;
	size_t proof_count, proof_capacity;
	struct snapshot **answers; /* one per command; NULL if it failed or its answer is not a lead */
	size_t answer_count;
	struct rank_node *rank_changes; /* set by decide_rank_changes */
	size_t rank_change_count;
	struct work work; /* of all commands */
	bool changes;     /* whether there is anything to commit */
	/* How many history ids the batch needs. If `short_of_ids`, the range had fewer and this decision must not be used:
	 * reserve that many and decide again on a new working set. */
	uint64_t history_wanted;
	bool short_of_ids;
};
