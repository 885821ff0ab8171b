/* SPDX-License-Identifier: MIT */
#include "tree.h"

#include <stdlib.h>

enum { DEPTH_MAX = 8 };

struct growing {
	struct pool *pool;
	struct tree root, *inside;
	struct slice key;
};

static bool
grow(void *context, const struct json_event *event)
{
	struct growing *growing = context;
	if (event->type == JSON_KEY) {
		growing->key = pool_copy(growing->pool, event->text);
		return true;
	}
	if (event->type == JSON_OBJECT_END || event->type == JSON_ARRAY_END) {
		growing->inside = growing->inside->parent;
		return true;
	}
	struct tree *item = POOL_NEW(growing->pool, struct tree), *inside = growing->inside;
	*item = (struct tree){ .type = event->type, .key = growing->key, .boolean = event->boolean, .parent = inside };
	if (event->type == JSON_STRING || event->type == JSON_NUMBER)
		item->text = pool_copy(growing->pool, event->text);
	*(inside->last == NULL ? &inside->first : &inside->last->next) = item;
	inside->last = item;
	inside->count++;
	if (event->type == JSON_OBJECT_BEGIN || event->type == JSON_ARRAY_BEGIN)
		growing->inside = item;
	return true;
}

struct tree *
tree_read(struct pool *pool, struct slice json)
{
	struct growing *growing = POOL_NEW(pool, struct growing);
	struct json_problem problem;
	growing->pool = pool;
	growing->inside = &growing->root;
	return json_read(json, DEPTH_MAX, grow, growing, &problem) ? growing->root.first : NULL;
}

const struct tree *
tree_find(const struct tree *object, const char *name)
{
	const struct tree *item = object == NULL ? NULL : object->first;
	while (item != NULL && !slice_equal(item->key, slice_of(name)))
		item = item->next;
	return item;
}

struct slice
tree_text(const struct tree *object, const char *name)
{
	const struct tree *item = tree_find(object, name);
	return item == NULL ? SLICE_NONE : item->text;
}

bool
tree_flag(const struct tree *object, const char *name)
{
	const struct tree *item = tree_find(object, name);
	return item != NULL && item->boolean;
}

/* The text is a copy in a pool, and so terminated. */
int64_t
tree_number(const struct tree *object, const char *name)
{
	const char *text = tree_text(object, name).data;
	return text == NULL ? 0 : strtoll(text, NULL, 10);
}

uint64_t
tree_id(const struct tree *object, const char *name)
{
	return (uint64_t)tree_number(object, name);
}
