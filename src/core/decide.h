/* SPDX-License-Identifier: MIT
 * The rules (contract.md 4): commands are applied, one after another, to the rows that were loaded for them.
 *
 * Pure: no I/O, no clock, no randomness but what is handed in. The second command of a batch sees what the first one did; the
 * payload of each is the lead as its own command left it, so that nobody can tell how commands were put together. */
#ifndef LEADHOOK_CORE_DECIDE_H
#define LEADHOOK_CORE_DECIDE_H

#include <stddef.h>
#include <stdint.h>

#include "base/pool.h"
#include "core/command.h"
#include "core/events.h"
#include "core/model.h"
#include "core/payload.h"

/* A lead in the working set, and what has become of its row. */
struct working_lead {
	struct lead lead;
	enum { LEAD_AS_LOADED, LEAD_CHANGED, LEAD_CREATED } change;
};

struct working_campaign {
	struct campaign campaign;
	bool changed; /* its counters */
};

/* All rows that a batch may touch: every campaign named by a command, its webhooks, and every lead that a command names by
 * email, phone number or social id. Loaded while the campaigns' counter rows are locked. */
struct working_set {
	int64_t now_ms; /* the transaction's time */
	struct working_campaign *campaigns;
	size_t campaign_count;
	struct working_lead *leads; /* decide adds new ones: may move */
	size_t lead_count, lead_capacity;
	const struct webhook *webhooks;
	size_t webhook_count;
};

/* Ids that nobody else has. */
struct id_range {
	uint64_t next, end; /* the first, and the one behind the last */
};

struct decide_supplies {
	struct id_range lead_ids, event_ids, delivery_ids;
	const struct slice *social_ids; /* one a command, fresh from a CSPRNG */
	struct custom_field_limits custom_fields;
};

/* A sign-up makes at most this many events, and a delivery of each for each webhook of its campaign. */
enum { SIGNUP_EVENTS_MAX = 2 };

/* A lead as a command left it: what its answer and its events show. */
struct snapshot {
	struct lead lead;
	struct payload_subject subject; /* points to `lead` */
};

struct made_event {
	uint64_t id, campaign_id, lead_id;
	enum event_type type;
	const struct snapshot *snapshot;
	struct slice payload; /* set by decide_render */
};

struct made_delivery {
	uint64_t id, event_id, webhook_id, lead_id;
	enum event_type type;
	bool form;
};

/* Rows to write beside the changed ones of the working set, and what is still to be rendered. */
struct decision {
	struct made_event *events;
	size_t event_count, event_capacity;
	struct made_delivery *deliveries;
	size_t delivery_count, delivery_capacity;
	struct snapshot **answers; /* one a command; NULL where it failed */
	bool changes;              /* anything to commit at all */
};

/* Applies the commands: fills outcomes[i].failure, the decision, and the working set's changed rows. Everything is in the
 * pool; `commands` must stay valid as long as the working set. */
void decide(struct pool *pool, struct working_set *set, const struct command *const *commands, size_t count,
    struct decide_supplies *supplies, struct outcome *outcomes, struct decision *decision);

/* Renders the answers (outcomes[i].body) and the events' payloads. A step of its own: what a payload needs beyond the working
 * set is looked up between the two. */
void decide_render(struct pool *pool, const struct command *const *commands, size_t count,
    const struct payload_settings *settings, struct outcome *outcomes, struct decision *decision);

#endif
