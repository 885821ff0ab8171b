/* SPDX-License-Identifier: MIT
 * What `leadhook check` finds, as its parts collect it. */
#pragma once

#include "base/pool.h"
#include "base/slice.h"

/* A finding of `leadhook check`. */
struct finding {
	struct slice what;   /* stable name, e.g. "schema_version" */
	struct slice detail; /* what was found */
	struct slice hint;   /* what to do */
};

struct check_findings {
	struct pool *pool;
	struct finding *findings;
	size_t count, capacity;
};

/* `what` and `hint` must live as long as the pool; `detail` is copied. */
void check_add(struct check_findings *check, const char *what, struct slice detail, const char *hint);
