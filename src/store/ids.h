/* SPDX-License-Identifier: MIT
 * Ids, which are taken from blocks. Functions fail as described in store.h. */
#pragma once

#include "store/store.h"

/* Kinds of ids that are taken from blocks. */
enum id_kind {
	ID_ACCOUNT,
	ID_API_KEY,
	ID_CAMPAIGN,
	ID_WEBHOOK,
	ID_LEAD,
	ID_HISTORY, /* events; the ids of an event's deliveries follow its own */
	ID_TAG,
	ID_ACTION,
	ID_REWARD_LEVEL,
	ID_BULK_JOB,
	ID_POINTS_CALL,
	ID_INBOUND,
	ID_INBOUND_CALL,
	ID_MESSAGE,
	ID_USER,
	ID_AUDIT,
	ID_OPERATOR_JOB,
	ID_KINDS
};

/* Makes sure that at least `count` ids of the kind are reserved. Uses its own transaction, so it must not be called inside one.
 * Also returns RESULT_UNAVAILABLE when every attempt ended in a conflict. */
MUST_CHECK enum result store_reserve_ids(struct store *store, enum id_kind kind, uint64_t count);
/* The size of a cluster's range of ids: cluster n has the ids from n × size + 1 to (n + 1) × size - 1, so id / size is its
 * number. 0: ids of this kind are not divided into ranges. */
uint64_t store_id_range_size(enum id_kind kind);
/* Locks the block of a kind. *next is set to the first id that is not taken. */
MUST_CHECK enum result store_lock_id_block(struct store *store, struct pool *pool, enum id_kind kind, uint64_t *next);
/* Sets the next id. The block must be locked. */
MUST_CHECK enum result store_set_next_id(struct store *store, enum id_kind kind, uint64_t next);
/* Takes `count` consecutive ids, beginning with *first, inside a transaction: for kinds that are needed too rarely for a
 * block. */
MUST_CHECK enum result store_next_ids(
    struct store *store, struct pool *pool, enum id_kind kind, uint64_t count, uint64_t *first);
/* Takes the id of a new object in the same way, and stores it with the precondition's request key, if there is one. */
MUST_CHECK enum result store_take_id(
    struct store *store, struct pool *pool, const struct precondition *precondition, enum id_kind kind, uint64_t *id);
