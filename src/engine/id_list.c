/* SPDX-License-Identifier: MIT */
#include "engine/id_list.h"

#include <inttypes.h>

bool
id_list_next(struct slice *rest, uint64_t *id)
{
	struct slice text;
	return slice_next(rest, ',', &text) && slice_to_u64(text, UINT64_MAX, id);
}

bool
id_list_has(struct slice list, uint64_t id)
{
	uint64_t item;
	while (id_list_next(&list, &item))
		if (item == id)
			return true;
	return false;
}

struct id_set
id_list_set(struct pool *pool, struct slice list)
{
	uint64_t *ids = NULL, id;
	size_t count = 0, capacity = 0;
	while (id_list_next(&list, &id))
		*POOL_ADD(pool, ids, count, capacity) = id;
	return id_set(ids, count);
}

struct slice
id_list_of(struct pool *pool, const uint64_t *ids, size_t count)
{
	struct slice *texts = POOL_ARRAY(pool, count, struct slice);
	for (size_t i = 0; i < count; i++)
		texts[i] = pool_printf(pool, "%" PRIu64, ids[i]);
	return count == 0 ? SLICE_NONE : pool_join_with(pool, SLICE(","), texts, count);
}

struct slice
id_list_add(struct pool *pool, struct slice list, uint64_t id)
{
	if (!slice_present(list))
		return pool_printf(pool, "%" PRIu64, id);
	return pool_printf(pool, "%.*s,%" PRIu64, SLICE_ARGS(list), id);
}
