/* SPDX-License-Identifier: MIT */
#include "tree.h"

#include <stdlib.h>

enum { DEPTH_MAX = 8 };

struct tree_builder {
	struct pool *pool;
	struct tree root, *container;
	struct slice key;
};

static bool
add_event(void *context, const struct json_event *event)
{
	struct tree_builder *builder = context;
	if (event->type == JSON_KEY) {
		builder->key = pool_copy(builder->pool, event->text);
		return true;
	}
	if (event->type == JSON_OBJECT_END || event->type == JSON_ARRAY_END) {
		builder->container = builder->container->parent;
		return true;
	}
	struct tree *item = POOL_NEW(builder->pool, struct tree), *container = builder->container;
	*item = (struct tree){ .type = event->type, .key = builder->key, .boolean = event->boolean, .parent = container };
	if (event->type == JSON_STRING || event->type == JSON_NUMBER)
		item->text = pool_copy(builder->pool, event->text);
	*(container->last == NULL ? &container->first : &container->last->next) = item;
	container->last = item;
	container->count++;
	if (event->type == JSON_OBJECT_BEGIN || event->type == JSON_ARRAY_BEGIN)
		builder->container = item;
	return true;
}

struct tree *
tree_read(struct pool *pool, struct slice json)
{
	struct tree_builder *builder = POOL_NEW(pool, struct tree_builder);
	struct json_problem problem;
	builder->pool = pool;
	builder->container = &builder->root;
	return json_read(json, DEPTH_MAX, add_event, builder, &problem) ? builder->root.first : NULL;
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
