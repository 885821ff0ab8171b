/* SPDX-License-Identifier: MIT
 * The rules of campaigns (docs/api.md 4): applies the commands of a batch in order to the rows that were loaded for them.
 *
 * Pure: no I/O, no clock and no random numbers except those passed in. Each command sees the changes of the commands before it,
 * and its payloads show the lead as this command left it, so clients cannot tell how commands were batched. */
#pragma once

#include "base/pool.h"
#include "engine/decide/decision.h"

/* The commands of a batch and their outcomes, `count` of each. */
struct batch_commands {
	const struct command *const *items; /* must stay valid as long as the working set */
	struct outcome *outcomes;
	size_t count;
};

/* Applies the commands: sets `failure` and `work` of the outcomes, fills the decision, and changes rows of the working set.
 *
 * A command of a bulk job fails with FAILURE_NOT_FOUND when the job is at another item. Otherwise it advances the job, even
 * when it fails. */
void decide(struct pool *pool, const struct batch_commands *commands, struct working_set *set,
    const struct id_supply *id_supply, struct decision *decision);

/* Returns the number of histogram nodes that the ranks in the payloads depend on; sets *nodes to them, some more than once.
 * decide_render needs their rows in the state before the batch. */
size_t decide_rank_nodes(struct pool *pool, const struct decision *decision, uint64_t **nodes);

/* Computes how the batch changes the histogram; nodes that stay the same are left out. */
void decide_rank_changes(struct pool *pool, struct decision *decision);

/* Renders the answers (`body` of the outcomes) and the payloads of the events. `nodes` are the rows of decide_rank_nodes. */
void decide_render(struct pool *pool, const struct batch_commands *commands, const struct payload_settings *settings,
    const struct rank_node *nodes, size_t node_count, struct decision *decision);
