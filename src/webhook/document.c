/* SPDX-License-Identifier: MIT */
#include "webhook/document.h"

#include "base/utf8.h"
#include "json/reader.h"

struct builder {
	struct pool *pool;
	struct document_node *root, *open; /* open: the innermost container that is not complete */
	struct slice name;                 /* of the next member */
	size_t nodes;
};

static struct document_node *
add_child(struct pool *pool, struct document_node *parent, struct slice name)
{
	struct document_node *node = POOL_NEW(pool, struct document_node);
	node->name = name;
	node->parent = parent;
	if (parent == NULL)
		return node;
	*(parent->first == NULL ? &parent->first : &parent->last->next) = node;
	parent->last = node;
	parent->count++;
	return node;
}

static enum document_type
type_of(enum json_type type)
{
	switch (type) {
	case JSON_BOOLEAN:
		return DOCUMENT_BOOLEAN;
	case JSON_NUMBER:
		return DOCUMENT_NUMBER;
	case JSON_STRING:
		return DOCUMENT_STRING;
	case JSON_OBJECT_BEGIN:
		return DOCUMENT_OBJECT;
	case JSON_ARRAY_BEGIN:
		return DOCUMENT_ARRAY;
	case JSON_NULL:
	case JSON_KEY:
	case JSON_OBJECT_END:
	case JSON_ARRAY_END:
		break;
	}
	return DOCUMENT_NULL;
}

/* A payload is not refused for half a character: it becomes U+FFFD. */
static struct slice
text_of(struct pool *pool, const struct json_event *event)
{
	return pool_copy(pool, utf8_sanitized(pool, event->text));
}

static bool
on_event(void *context, const struct json_event *event)
{
	struct builder *builder = context;
	if (event->type == JSON_KEY) {
		builder->name = text_of(builder->pool, event);
		return true;
	}
	if (event->type == JSON_OBJECT_END || event->type == JSON_ARRAY_END) {
		builder->open = builder->open->parent;
		return true;
	}
	if (++builder->nodes > DOCUMENT_NODES_MAX)
		return false;
	const bool member = builder->open != NULL && builder->open->type == DOCUMENT_OBJECT;
	struct document_node *node = add_child(builder->pool, builder->open, member ? builder->name : SLICE_NONE);
	node->type = type_of(event->type);
	node->boolean = event->boolean;
	if (node->type == DOCUMENT_STRING || node->type == DOCUMENT_NUMBER)
		node->text = text_of(builder->pool, event);
	if (builder->root == NULL)
		builder->root = node;
	if (node->type == DOCUMENT_OBJECT || node->type == DOCUMENT_ARRAY)
		builder->open = node;
	return true;
}

bool
document_read_json(struct pool *pool, struct slice text, size_t depth, struct document_node **root, struct slice *problem)
{
	struct builder builder = { .pool = pool };
	struct json_problem found;
	const bool good = json_read_any_text(text, depth, on_event, &builder, &found);
	*root = builder.root;
	if (!good && found.kind == JSON_PROBLEM_STOPPED)
		*problem = pool_printf(pool, "more than %d values", DOCUMENT_NODES_MAX);
	else if (!good)
		*problem = pool_copy(pool, slice_of(found.message));
	return good;
}

struct document_node *
document_new(struct pool *pool)
{
	struct document_node *root = add_child(pool, NULL, SLICE_NONE);
	root->type = DOCUMENT_OBJECT;
	return root;
}

static struct document_node *
find_member(const struct document_node *object, struct slice name)
{
	struct document_node *found = NULL;
	for (struct document_node *child = object->first; child != NULL; child = child->next)
		if (slice_equal(child->name, name))
			found = child;
	return found;
}

/* Takes the next part of a form's name: brackets divide it, dots do not. */
static struct slice
next_form_part(struct slice *rest, bool last)
{
	const bool bracket = slice_starts_with(*rest, SLICE("["));
	const struct slice text = slice_sub(*rest, bracket ? 1 : 0, rest->size);
	const size_t end = slice_find(text, bracket ? ']' : '[');
	const struct slice part = slice_sub(text, 0, end), after = slice_sub(text, end + (bracket ? 1 : 0), text.size);
	if (last || (bracket && end == text.size) || (after.size > 0 && after.data[0] != '[')) { /* no such name: as it is */
		const struct slice all = *rest;
		*rest = SLICE("");
		return all;
	}
	*rest = after;
	return part;
}

struct document_node *
document_add_field(struct pool *pool, struct document_node *root, struct slice name)
{
	struct document_node *at = root;
	size_t parts = 1;
	struct slice part = next_form_part(&name, false);
	for (; name.size > 0; parts++) {
		struct document_node *next = find_member(at, part);
		if (next == NULL) {
			next = add_child(pool, at, part);
			next->type = DOCUMENT_OBJECT;
		}
		if (next->type != DOCUMENT_OBJECT)
			return NULL;
		at = next;
		part = next_form_part(&name, parts + 1 >= DOCUMENT_PARTS_MAX);
	}
	return add_child(pool, at, part);
}

struct document_node *
document_add_item(struct pool *pool, struct document_node *array)
{
	return add_child(pool, array, SLICE_NONE);
}

const struct document_node *
document_child(const struct document_node *node, struct slice name)
{
	uint64_t index;
	if (node->type == DOCUMENT_OBJECT)
		return find_member(node, name);
	if (node->type != DOCUMENT_ARRAY || !slice_to_u64(name, DOCUMENT_NODES_MAX, &index) || index >= node->count)
		return NULL;
	const struct document_node *child = node->first;
	while (index-- > 0)
		child = child->next;
	return child;
}

bool
document_next_part(struct slice *rest, struct slice *part)
{
	const struct slice text = *rest;
	size_t end = 0, next;
	if (slice_starts_with(text, SLICE("["))) {
		end = slice_find(text, ']');
		if (end == text.size)
			return false;
		*part = slice_sub(text, 1, end);
		next = end + 1;
	} else {
		while (end < text.size && text.data[end] != '.' && text.data[end] != '[')
			end++;
		*part = slice_sub(text, 0, end);
		next = end;
	}
	const bool dot = next < text.size && text.data[next] == '.';
	const bool divided = next == text.size || text.data[next] == '[' || (dot && next + 1 < text.size);
	if (part->size == 0 || !divided)
		return false;
	*rest = slice_sub(text, next + (dot ? 1 : 0), text.size);
	return true;
}

const struct document_node *
document_find(const struct document_node *root, struct slice path)
{
	struct slice part;
	while (root != NULL && document_next_part(&path, &part))
		root = document_child(root, part);
	return path.size == 0 ? root : NULL;
}

bool
document_is_scalar(const struct document_node *node)
{
	return node->type != DOCUMENT_ARRAY && node->type != DOCUMENT_OBJECT;
}

bool
document_is_plain(const struct document_node *node)
{
	if (node->type != DOCUMENT_ARRAY)
		return node->type != DOCUMENT_OBJECT;
	for (const struct document_node *item = node->first; item != NULL; item = item->next)
		if (!document_is_scalar(item))
			return false;
	return true;
}

/* The depth is that of the document, which has a maximum. */
static void
write_container(const struct document_node *node, struct json_writer *writer)
{
	const bool object = node->type == DOCUMENT_OBJECT;
	if (object)
		json_begin_object(writer);
	else
		json_begin_array(writer);
	for (const struct document_node *child = node->first; child != NULL; child = child->next) {
		if (object)
			json_key(writer, child->name);
		document_write(child, writer);
	}
	if (object)
		json_end_object(writer);
	else
		json_end_array(writer);
}

void
document_write(const struct document_node *node, struct json_writer *writer)
{
	switch (node->type) {
	case DOCUMENT_NULL:
		json_null(writer);
		break;
	case DOCUMENT_BOOLEAN:
		json_boolean(writer, node->boolean);
		break;
	case DOCUMENT_NUMBER:
		json_raw(writer, node->text);
		break;
	case DOCUMENT_STRING:
		json_string(writer, node->text);
		break;
	case DOCUMENT_ARRAY:
	case DOCUMENT_OBJECT:
		write_container(node, writer);
		break;
	}
}
