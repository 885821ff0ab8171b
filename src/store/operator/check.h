/* SPDX-License-Identifier: MIT
 * The findings of store_check under construction. Nobody outside this folder includes it. */
#ifndef LEADHOOK_STORE_OPERATOR_CHECK_H
#define LEADHOOK_STORE_OPERATOR_CHECK_H

#include "store/operator/admin.h"
#include "store/private.h"

struct check {
	struct pool *pool;
	struct finding *findings;
	size_t count, capacity;
};

/* `what` and `hint` live as long as the pool; `detail` is copied. */
void check_add(struct check *check, const char *what, struct slice detail, const char *hint);
/* deep.c: counts again what is kept twice. Uses a connection of its own. */
void check_deep(struct store *store, struct check *check);

#endif
