/* SPDX-License-Identifier: MIT
 * A JSON text as a tree, and its values by name. Missing values and null are absent, 0 or false. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/pool.h"
#include "base/slice.h"
#include "json/reader.h"

struct tree {
	enum json_type type;
	struct slice key, text;
	bool boolean;
	struct tree *first, *last, *next, *parent;
	size_t count; /* of the children */
};

/* Allocated in the pool. Returns NULL when the text is not valid JSON. */
struct tree *tree_read(struct pool *pool, struct slice json);

const struct tree *tree_find(const struct tree *object, const char *name);
struct slice tree_text(const struct tree *object, const char *name);
bool tree_flag(const struct tree *object, const char *name);
int64_t tree_number(const struct tree *object, const char *name);
/* As tree_number, for values that are never negative. */
uint64_t tree_id(const struct tree *object, const char *name);
