/* SPDX-License-Identifier: MIT */
#include "transfer/definition_names.h"

#include <inttypes.h>
#include <stdlib.h>

#include "engine/custom_fields.h"

/* If two have the same name, the older one is found. */
static int
compare(const void *a, const void *b)
{
	const struct named *left = a, *right = b;
	const int order = slice_compare(left->key, right->key);
	return order != 0 ? order : (left->id > right->id) - (left->id < right->id);
}

static struct named
named(struct pool *pool, struct slice name, uint64_t id)
{
	return (struct named){ name, custom_field_name(pool, name), id, pool_printf(pool, "%" PRIu64, id) };
}

static struct names
in_order(struct named *items, size_t count)
{
	if (count > 1)
		qsort(items, count, sizeof(*items), compare);
	return (struct names){ items, count };
}

struct names
names_of_tags(struct pool *pool, const struct definitions *definitions)
{
	struct named *items = POOL_ARRAY(pool, definitions->tag_count, struct named);
	for (size_t i = 0; i < definitions->tag_count; i++)
		items[i] = named(pool, definitions->tags[i].name, definitions->tags[i].id);
	return in_order(items, definitions->tag_count);
}

struct names
names_of_actions(struct pool *pool, const struct definitions *definitions)
{
	struct named *items = POOL_ARRAY(pool, definitions->action_count, struct named);
	for (size_t i = 0; i < definitions->action_count; i++)
		items[i] = named(pool, definitions->actions[i].text, definitions->actions[i].id);
	return in_order(items, definitions->action_count);
}

/* The place of the first item that does not come before the key. */
static size_t
find_key(const struct names *names, struct slice key)
{
	size_t from = 0, end = names->count;
	while (from < end) {
		const size_t middle = from + (end - from) / 2;
		if (slice_compare(names->items[middle].key, key) < 0)
			from = middle + 1;
		else
			end = middle;
	}
	return from;
}

/* The place of the name, otherwise of the same name in another case; names->count if there is none. */
static size_t
find(struct pool *pool, const struct names *names, struct slice name)
{
	const struct slice key = custom_field_name(pool, name);
	const size_t first = find_key(names, key);
	size_t at = first;
	while (at < names->count && slice_equal(names->items[at].key, key) && !slice_equal(names->items[at].name, name))
		at++;
	if (at < names->count && slice_equal(names->items[at].key, key))
		return at;
	return first < at ? first : names->count;
}

bool
name_set_add(struct pool *pool, struct name_set *set, const struct names *names, struct slice name)
{
	const size_t place = find(pool, names, name);
	if (place == names->count)
		return false;
	if (set->has == NULL) {
		set->has = POOL_ARRAY(pool, names->count, bool);
		set->ids = POOL_ARRAY(pool, names->count, struct slice);
	}
	if (!set->has[place])
		set->ids[set->count++] = names->items[place].id_text;
	set->has[place] = true;
	return true;
}

struct slice
name_set_list(struct pool *pool, const struct name_set *set)
{
	return set->count == 0 ? SLICE_NONE : pool_join_with(pool, SLICE(","), set->ids, set->count);
}
