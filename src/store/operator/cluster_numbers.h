/* SPDX-License-Identifier: MIT
 * Numbers in ids: the number of a cluster among several, which is part of the ids of its campaigns and leads (docs/cluster.md
 * 7), and the ids that a restore must skip. Functions that take a pool run inside a transaction, and lock the blocks of ids
 * first, so that two commands do not assign the same id. */
#pragma once

#include "store/operator/check_findings.h"
#include "store/store.h"

/* Records the number of the cluster (store_options), and makes its ids begin in their range. *recorded: the previous number.
 * RESULT_REFUSED: the database contains campaigns or leads with ids of the previous number, or the new number is 0. */
MUST_CHECK enum result store_set_cluster_number(struct store *store, uint64_t *recorded);
/* After a restore: skips all ids that may have been assigned since the backup, so that receivers do not mistake a new event for
 * an old one. */
MUST_CHECK enum result store_skip_ids(struct store *store);
/* Why an id is refused: it is taken, or does not belong to this cluster, whose campaigns have the ids from `first` to
 * `last`. */
struct id_verdict {
	bool is_taken;
	uint64_t first, last;
};
/* The next id that no campaign has. */
MUST_CHECK enum result number_next_campaign(
    struct store *store, struct pool *pool, const struct precondition *precondition, uint64_t *id);
/* RESULT_REFUSED: a campaign cannot get this id; *verdict contains the reason. */
MUST_CHECK enum result number_judge_campaign(struct store *store, struct pool *pool, uint64_t id, struct id_verdict *verdict);
/* Adds a finding when the setting is not the recorded number. */
MUST_CHECK enum result check_number(struct store *store, struct check_findings *check);
