/* SPDX-License-Identifier: MIT
 * Ids of campaigns, which have the number of their cluster; in a transaction. The blocks of ids are locked first, so that two
 * commands do not give the same id. */
#ifndef LEADHOOK_STORE_OPERATOR_NUMBER_H
#define LEADHOOK_STORE_OPERATOR_NUMBER_H

#include "store/operator/admin.h"

/* The next id that no campaign has. */
MUST_CHECK enum result number_next_campaign(
    struct store *store, struct pool *pool, const struct precondition *precondition, uint64_t *id);
/* RESULT_REFUSED: a campaign cannot get this id, *verdict says why. */
MUST_CHECK enum result number_judge_campaign(struct store *store, struct pool *pool, uint64_t id, struct id_verdict *verdict);

#endif
