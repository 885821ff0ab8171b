/* SPDX-License-Identifier: MIT
 * The rules (docs/api.md 4): commands are applied, one after another, to the rows that were loaded for them.
 *
 * Pure: no I/O, no clock, no randomness but what is handed in. The second command of a batch sees what the first one did; the
 * payload of each is the lead as its own command left it, so that nobody can tell how commands were put together. */
#ifndef LEADHOOK_ENGINE_DECIDE_H
#define LEADHOOK_ENGINE_DECIDE_H

#include <stddef.h>
#include <stdint.h>

#include "base/pool.h"
#include "engine/command.h"
#include "engine/events.h"
#include "engine/model.h"
#include "engine/payload.h"
#include "engine/rank.h"

/* What has become of a row of the working set. */
enum row_change { ROW_AS_LOADED, ROW_CHANGED, ROW_CREATED, ROW_DELETED };

struct working_campaign {
	struct campaign campaign;
	const struct webhook *webhooks; /* its own, by id */
	size_t webhook_count;
	const struct definitions *definitions; /* its own */
	bool changed;                          /* its counters */
};

struct working_lead {
	struct lead lead;
	enum row_change change;
	bool gone; /* deleted by a command of this batch: nobody finds it any more */
};

struct working_link {
	struct referral_link link;
	enum row_change change; /* never ROW_DELETED */
};

/* Leads of a campaign with the same address; those with a number up to the campaign's ip_counted_to. */
struct ip_count {
	uint64_t campaign_id;
	struct slice ip;
	int64_t leads;
};

/* Queued work that commands of the batch belong to. */
struct working_job {
	uint64_t id;
	uint32_t position, total;
	bool changed;
};

/* All rows that a batch may touch, loaded while the campaigns' counter rows are locked:
 * - every campaign named by a command, its webhooks and definitions;
 * - every lead that a command names (by email, phone number, social id or id, as a subject, target or referrer);
 * - where a command signs up, verifies, approves or blocks: the links of those of them that have a parent, and every lead that
 *   is an ancestor in one of these links;
 * - where the campaign judges addresses, the counts of those that sign-ups come from;
 * - every job that a command belongs to. */
struct working_set {
	int64_t now_ms; /* the transaction's time */
	struct working_campaign *campaigns;
	size_t campaign_count;
	struct working_lead **leads; /* decide adds new ones: the array may move, the leads never do */
	size_t lead_count, lead_capacity;
	struct working_link **links; /* the same */
	size_t link_count, link_capacity;
	const struct ip_count *ip_counts;
	size_t ip_count_count;
	struct working_job *jobs;
	size_t job_count;
};

/* Ids that nobody else has. */
struct id_range {
	uint64_t next, end; /* the first, and the one behind the last */
};

struct host_list;

struct id_supply {
	struct id_range lead_ids, points_call_ids; /* one a command each */
	struct id_range history_ids;               /* of events and deliveries; may turn out to be too few: see below */
	const struct slice *social_ids;            /* one a command, fresh from a CSPRNG */
	struct custom_field_limits custom_fields;
	const struct host_list *disposable_domains; /* NULL: none */
};

/* A lead as a command left it: what its answer and its events show. */
struct snapshot {
	struct lead lead;
	struct payload_subject subject; /* points to `lead` */
	size_t score_moves;             /* how many of the decision's had happened: what its rank counts */
	struct slice payload;           /* in full view; set by decide_render where something shows it */
};

struct made_event {
	uint64_t id, campaign_id, lead_id;
	enum event_type type;
	unsigned deliveries; /* how many: their ids are the next ones behind its own */
	struct snapshot *snapshot;
	struct slice extra;   /* the value of the event's extra field, JSON; absent: it has none */
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

/* A lead came to a score (+1) or left it (-1), among those of its campaign that are not fraudulent and have any. */
struct score_move {
	uint64_t campaign_id;
	uint32_t score;
	int leads;
};

/* Rows to write beside the changed ones of the working set, and what is still to be rendered. */
struct decision {
	struct made_event *events;
	size_t event_count, event_capacity;
	struct made_delivery *deliveries;
	size_t delivery_count, delivery_capacity;
	struct score_entry *entries;
	size_t entry_count, entry_capacity;
	struct score_move *score_moves; /* in the order in which they happened */
	size_t score_move_count, score_move_capacity;
	struct ip_count *ip_moves; /* leads: by how many the count changes; only of leads that are counted */
	size_t ip_move_count, ip_move_capacity;
	struct snapshot **answers; /* one a command; NULL where it failed or answers no lead */
	size_t answer_count;
	bool changes; /* anything to commit at all */
	/* Ids of history that were wanted, more than there were in the range: nothing of this decision may be used then.
	 * Reserve as many and decide again, on a fresh working set. */
	uint64_t history_wanted;
	bool short_of_ids;
};

/* A change of queued work whose job does not stand at it (any more) fails with FAILURE_NOT_FOUND. All others of queued work
 * move their job on, whatever comes of them.
 *
 * Applies the commands: fills outcomes[i].failure, the decision, and the working set's changed rows. Everything is in the
 * pool; `commands` must stay valid as long as the working set. */
void decide(struct pool *pool, struct working_set *set, const struct command *const *commands, size_t count,
    struct id_supply *id_supply, struct outcome *outcomes, struct decision *decision);

/* The histogram nodes that the payloads need for their ranks, each once: their rows are wanted as they were before the batch.
 */
size_t decide_rank_nodes(struct pool *pool, const struct decision *decision, uint64_t **nodes);

/* What the batch does to the histogram: by how much each node changes; those that stay the same are left out. */
size_t decide_rank_changes(struct pool *pool, const struct decision *decision, struct rank_node **changes);

/* Renders the answers (outcomes[i].body) and the events' payloads. `nodes` are those of decide_rank_nodes. */
void decide_render(struct pool *pool, const struct command *const *commands, size_t count,
    const struct payload_settings *settings, const struct rank_node *nodes, size_t node_count, struct outcome *outcomes,
    struct decision *decision);

#endif
