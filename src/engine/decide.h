/* SPDX-License-Identifier: MIT
 * The rules (docs/api.md 4): commands are applied in order to the rows loaded for them.
 *
 * Pure: no I/O, clock or random numbers except those passed in. Each command sees the changes of those before it, and its
 * payloads show the lead as this command left it. So clients cannot observe how commands are batched. */
#ifndef LEADHOOK_ENGINE_DECIDE_H
#define LEADHOOK_ENGINE_DECIDE_H

#include <stddef.h>
#include <stdint.h>

#include "base/pool.h"
#include "engine/command.h"
#include "engine/events.h"
#include "engine/message.h"
#include "engine/model.h"
#include "engine/payload.h"
#include "engine/rank.h"
#include "engine/source.h"

/* The state of a row of the working set. */
enum row_change { ROW_AS_LOADED, ROW_CHANGED, ROW_CREATED, ROW_DELETED };

struct working_campaign {
	struct campaign campaign;
	const struct webhook *webhooks; /* of the campaign, by id */
	size_t webhook_count;
	const struct definitions *definitions; /* of the campaign */
	const struct campaign_lists *lists;    /* of the campaign */
	bool changed;                          /* whether its counters changed */
};

struct working_lead {
	struct lead lead;
	enum row_change change;
	bool gone;                                         /* deleted by a command of this batch; no longer found */
	struct slice loaded_email_hash, loaded_phone_hash; /* those of its row */
};

struct working_link {
	struct referral_link link;
	enum row_change change; /* never ROW_DELETED */
};

/* Number of a campaign's leads from one network of a caller (identity/network.h), up to lead number ip_counted_to. */
struct ip_count {
	uint64_t campaign_id;
	struct slice ip;
	int64_t leads;
};

/* A subscription number that a lead of the campaign has. */
struct campaign_number {
	uint64_t campaign_id;
	uint32_t number;
};

/* A bulk job with items in the batch. */
struct working_job {
	uint64_t id;
	uint32_t loaded_position, position, total;
	bool changed;
};

/* All rows that a batch may touch, loaded while the campaigns' counter rows are locked:
 * - every campaign named by a command, its webhooks and definitions;
 * - every lead that a command identifies (by email, phone number, social id or id, as a subject, target or referrer);
 * - for sign-ups, verifications, approvals and blocks: the links of leads that have a parent, and the ancestors of these
 *   links;
 * - which subscription numbers of imports are taken;
 * - where the campaign limits leads per address: the counts of the sign-ups' addresses;
 * - which of the sign-ups' proofs of work were used before;
 * - every job that a command belongs to. */
struct working_set {
	int64_t now_ms; /* the transaction's time */
	struct working_campaign *campaigns;
	size_t campaign_count;
	struct working_lead **leads; /* decide adds new ones; the array may move, the leads do not */
	size_t lead_count, lead_capacity;
	struct working_link **links; /* the same */
	size_t link_count, link_capacity;
	const struct ip_count *ip_counts;
	size_t ip_count_count;
	const struct campaign_number *taken_numbers;
	size_t taken_number_count;
	const struct slice *used_proofs;
	size_t used_proof_count;
	/* the imports of people who were erased */
	const struct import **erased;
	size_t erased_count;
	struct working_job *jobs;
	size_t job_count;
};

/* Ids reserved for this batch. */
struct id_range {
	uint64_t next, end; /* the first, and one past the last */
};

struct id_supply {
	struct id_range *lead_ids, *points_call_ids; /* one per command each; decide advances all three */
	struct id_range *history_ids;                /* of events and deliveries; may be too few, see history_wanted */
	const struct slice *social_ids;              /* one per command, fresh from a CSPRNG */
	struct custom_field_limits custom_fields;
	const struct host_list *disposable_domains; /* NULL: none */
	bool sends_mail, sends_texts;               /* this installation can send mail, and texts to phones */
};

/* A lead as a command left it, shown by its answer and its events. */
struct snapshot {
	struct lead lead;
	struct payload_subject subject; /* points to `lead` */
	size_t score_moves;             /* how many of the decision's moves its rank includes */
	struct slice payload;           /* as webhooks get it; set by decide_render when needed */
};

struct made_event {
	uint64_t id, campaign_id, lead_id;
	enum event_type type;
	unsigned deliveries; /* how many; their ids follow the event's own */
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

/* A lead has confirmed an address itself. */
struct made_confirmation {
	uint64_t lead_id;
	enum lead_channel channel;
	struct slice address, ip, user_agent; /* the last two may be absent */
};

/* A lead reached a score (+1) or left it (-1). Leads that are fraudulent or have no score are not counted. */
struct score_move {
	uint64_t campaign_id;
	uint32_t score;
	int leads;
};

/* Of the leads of a campaign that signed up in an hour and are of a source class. */
struct hour_change {
	uint64_t campaign_id;
	uint32_t hour; /* since 1970, UTC */
	enum source_class source;
	struct campaign_counters counters; /* differences modulo 2^32 */
	uint32_t deleted;                  /* leads that were removed */
};

/* Proof of work that was used (docs/api.md 8.2). */
struct used_proof {
	struct slice nonce;
	int64_t expires_ms;
};

/* The rows to insert besides the changed rows of the working set, and the payloads to render. */
struct decision {
	struct made_event *events;
	size_t event_count, event_capacity;
	struct made_delivery *deliveries;
	size_t delivery_count, delivery_capacity;
	struct score_entry *entries;
	size_t entry_count, entry_capacity;
	struct made_message *messages;
	size_t message_count, message_capacity;
	uint64_t *confirmed_leads; /* whose mails need not wait for the confirmation of their address any more */
	size_t confirmed_count, confirmed_capacity;
	struct made_confirmation *confirmations;
	size_t confirmation_count, confirmation_capacity;
	struct score_move *score_moves; /* in the order of the commands */
	size_t score_move_count, score_move_capacity;
	struct ip_count *ip_moves; /* `leads` is the change of the count; counted leads only */
	size_t ip_move_count, ip_move_capacity;
	struct hour_change *hours; /* counted leads only; one for each campaign, hour and class */
	size_t hour_count, hour_capacity;
	struct used_proof *proofs; /* by the sign-ups of the batch */
	size_t proof_count, proof_capacity;
	struct snapshot **answers; /* one per command; NULL where it failed or its answer is not a lead */
	size_t answer_count;
	struct rank_node *rank_changes; /* set by decide_rank_changes */
	size_t rank_change_count;
	struct work work; /* of all commands */
	bool changes;     /* whether there is anything to commit */
	/* History ids needed. When there are fewer in the range, this decision must not be used: reserve as many and decide
	 * again on a new working set. */
	uint64_t history_wanted;
	bool short_of_ids;
};

/* Applies the commands: fills failure and work of the outcomes, the decision, and the working set's changed rows. Everything is
 * in the pool; `commands` must stay valid as long as the working set.
 *
 * A command of a bulk job fails with FAILURE_NOT_FOUND when the job is at another item. Otherwise it advances its job, also
 * when it fails. */
void decide(struct pool *pool, struct working_set *set, const struct command *const *commands, size_t count,
    const struct id_supply *id_supply, struct outcome *outcomes, struct decision *decision);

/* The histogram nodes that the ranks of the payloads need; some more than once. Their rows are needed as before the batch. */
size_t decide_rank_nodes(struct pool *pool, const struct decision *decision, uint64_t **nodes);

/* Computes the changes of the histogram by the batch, without nodes that stay the same. */
void decide_rank_changes(struct pool *pool, struct decision *decision);

/* Renders the answers (outcomes[i].body) and the events' payloads. `nodes` are those of decide_rank_nodes. */
void decide_render(struct pool *pool, const struct command *const *commands, size_t count,
    const struct payload_settings *settings, const struct rank_node *nodes, size_t node_count, struct outcome *outcomes,
    struct decision *decision);

#endif
