/* SPDX-License-Identifier: MIT
 * The findings of store_check. Included only by this folder. */
#ifndef LEADHOOK_STORE_OPERATOR_CHECK_H
#define LEADHOOK_STORE_OPERATOR_CHECK_H

#include "store/operator/admin.h"

struct check {
	struct pool *pool;
	struct finding *findings;
	size_t count, capacity;
};

/* `what` and `hint` must live as long as the pool; `detail` is copied. */
void check_add(struct check *check, const char *what, struct slice detail, const char *hint);
/* node.c: hosts of the database, and the cluster that its node belongs to. */
void check_cluster(struct store *store, struct check *check);
/* number.c: the number of the cluster. */
void check_number(struct store *store, struct check *check);
/* deep.c: recounts all redundant data. Uses a connection of its own. */
void check_deep(struct store *store, struct check *check);

#endif
