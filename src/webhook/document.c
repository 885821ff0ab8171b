/* SPDX-License-Identifier: MIT */
#include "webhook/document.h"

#include "base/utf8.h"
#include "json/reader.h"

struct builder {
	struct pool *pool;
	struct document_node *root, *open; /* open: the innermost container that is not complete */
	struct slice name;                 /* name of the next member */
	size_t nodes, nodes_max;
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

static const enum document_type types[] = {
	[JSON_NULL] = DOCUMENT_NULL,
	[JSON_BOOLEAN] = DOCUMENT_BOOLEAN,
	[JSON_NUMBER] = DOCUMENT_NUMBER,
	[JSON_STRING] = DOCUMENT_STRING,
	[JSON_OBJECT_BEGIN] = DOCUMENT_OBJECT,
	[JSON_ARRAY_BEGIN] = DOCUMENT_ARRAY,
};

/* Half a character becomes U+FFFD: it is no reason to refuse a payload. */
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
	if (++builder->nodes > builder->nodes_max)
		return false;
	const bool member = builder->open != NULL && builder->open->type == DOCUMENT_OBJECT;
	struct document_node *node = add_child(builder->pool, builder->open, member ? builder->name : SLICE_NONE);
	node->type = types[event->type];
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
	struct builder builder = { .pool = pool, .nodes_max = DOCUMENT_NODES_MAX };
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
document_read_trusted(struct pool *pool, struct slice text)
{
	struct builder builder = { .pool = pool, .nodes_max = SIZE_MAX };
	struct json_problem problem;
	return json_read_any_text(text, DOCUMENT_TRUSTED_DEPTH, on_event, &builder, &problem) ? builder.root : NULL;
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

/* Takes the next part of a form's name: brackets divide it, dots do not. If `parts` is 1, the part is the whole rest. */
static struct slice
next_form_part(struct slice *rest, size_t parts)
{
	const bool bracket = slice_starts_with(*rest, SLICE("["));
	const struct slice text = slice_sub(*rest, bracket ? 1 : 0, rest->size);
	const size_t end = slice_find(text, bracket ? ']' : '[');
	const struct slice part = slice_sub(text, 0, end), after = slice_sub(text, end + (bracket ? 1 : 0), text.size);
	/* not a valid name of this form: the rest is taken literally */
	if (parts <= 1 || (bracket && end == text.size) || (after.size > 0 && after.data[0] != '[')) {
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
	size_t parts = DOCUMENT_PARTS_MAX;
	struct slice part = next_form_part(&name, parts);
	while (name.size > 0) {
		struct document_node *next = find_member(at, part);
		if (next == NULL) {
			next = add_child(pool, at, part);
			next->type = DOCUMENT_OBJECT;
		}
		if (next->type != DOCUMENT_OBJECT)
			return NULL;
		at = next;
		part = next_form_part(&name, --parts);
	}
	return add_child(pool, at, part);
}

struct document_node *
document_add_item(struct pool *pool, struct document_node *array)
{
	return add_child(pool, array, SLICE_NONE);
}

struct document_node *
document_child(const struct document_node *node, struct slice name)
{
	uint64_t index;
	if (node->type == DOCUMENT_OBJECT)
		return find_member(node, name);
	if (node->type != DOCUMENT_ARRAY || !slice_to_u64(name, DOCUMENT_NODES_MAX, &index) || index >= node->count)
		return NULL;
	struct document_node *child = node->first;
	while (index-- > 0)
		child = child->next;
	return child;
}

struct document_node *
document_open(struct pool *pool, struct document_node *node)
{
	struct slice problem;
	if (node->type != DOCUMENT_STRING)
		return node;
	if (node->inner != NULL)
		return node->inner;
	const struct slice text = slice_trim(node->text);
	const bool begins = slice_starts_with(text, SLICE("{")) || slice_starts_with(text, SLICE("["));
	if (begins && document_read_json(pool, text, DOCUMENT_INNER_DEPTH, &node->inner, &problem))
		node->inner->parent = node;
	else
		node->inner = node;
	return node->inner;
}

bool
document_read_lines(struct pool *pool, struct slice text, size_t depth, struct document_node **root)
{
	struct document_node *list = document_new(pool);
	struct slice line, problem;
	list->type = DOCUMENT_ARRAY;
	*root = list;
	while (slice_next(&text, '\n', &line)) {
		struct document_node *item;
		if (slice_trim(line).size == 0)
			continue;
		if (list->count == DOCUMENT_NODES_MAX)
			return false;
		struct document_node *place = add_child(pool, list, SLICE_NONE);
		place->type = DOCUMENT_STRING;
		place->text = utf8_sanitized(pool, line);
		if (!document_read_json(pool, line, depth, &item, &problem))
			continue;
		*place = *item;
		place->parent = list;
		place->next = NULL;
		for (struct document_node *child = place->first; child != NULL; child = child->next)
			child->parent = place;
	}
	return true;
}

/* ---- Paths ---- */

/* Where the bracket at the start of the text ends; a value in quotes may contain brackets. */
static size_t
end_of_bracket(struct slice text)
{
	const size_t end = slice_find(text, ']'), equals = slice_find(text, '=');
	if (equals + 1 >= end || text.data[equals + 1] != '"')
		return end;
	for (size_t i = equals + 2; i + 1 < text.size; i++)
		if (text.data[i] == '"' && text.data[i + 1] == ']')
			return i + 1;
	return end;
}

static struct slice
without_quotes(struct slice text)
{
	const bool quoted = text.size >= 2 && text.data[0] == '"' && text.data[text.size - 1] == '"';
	return quoted ? slice_sub(text, 1, text.size - 1) : text;
}

static struct path_part
part_in_bracket(struct slice text)
{
	const size_t equals = slice_find(text, '=');
	struct path_part part = { .kind = PATH_NAME, .text = text };
	if (text.size == 0)
		part.kind = PATH_EACH;
	if (equals == 0 || equals == text.size)
		return part;
	part.kind = PATH_SELECTION;
	part.name = slice_trim(slice_sub(text, 0, equals));
	part.value = without_quotes(slice_trim(slice_sub(text, equals + 1, text.size)));
	return part;
}

bool
document_next_part(struct slice *rest, struct path_part *part)
{
	const struct slice text = *rest;
	size_t end = 0, next;
	if (slice_starts_with(text, SLICE("["))) {
		end = end_of_bracket(text);
		if (end == text.size)
			return false;
		*part = part_in_bracket(slice_sub(text, 1, end));
		next = end + 1;
	} else {
		while (end < text.size && text.data[end] != '.' && text.data[end] != '[')
			end++;
		*part = (struct path_part){ .kind = PATH_NAME, .text = slice_sub(text, 0, end) };
		next = end;
	}
	const bool dot = next < text.size && text.data[next] == '.';
	const bool divided = next == text.size || text.data[next] == '[' || (dot && next + 1 < text.size);
	if ((part->kind == PATH_NAME && part->text.size == 0) || !divided)
		return false;
	*rest = slice_sub(text, next + (dot ? 1 : 0), text.size);
	return true;
}

static bool
has_text(const struct document_node *node, struct slice text)
{
	if (node->type == DOCUMENT_BOOLEAN)
		return slice_equal(text, node->boolean ? SLICE("true") : SLICE("false"));
	return (node->type == DOCUMENT_STRING || node->type == DOCUMENT_NUMBER) &&
	       slice_equal_nocase(slice_trim(node->text), text);
}

/* Searches the items of an array, or the values of an object's members. */
static struct document_node *
select_child(struct pool *pool, const struct document_node *list, const struct path_part *part)
{
	for (struct document_node *child = list->first; child != NULL; child = child->next) {
		const struct document_node *found = document_find(pool, child, part->name);
		if (found != NULL && has_text(found, part->value))
			return child;
	}
	return NULL;
}

/* Tries names with dots or brackets at the beginning of the path, the longest first. */
static struct document_node *
find_dotted(struct pool *pool, const struct document_node *object, struct slice path)
{
	struct document_node *found = NULL;
	for (size_t end = path.size; end > 0 && found == NULL; end--) {
		if (end < path.size && path.data[end] != '.')
			continue;
		const struct slice name = slice_sub(path, 0, end);
		const bool dotted = slice_find(name, '.') < name.size || slice_find(name, '[') < name.size;
		struct document_node *member = dotted ? find_member(object, name) : NULL;
		if (member != NULL)
			found = document_find(pool, member, slice_sub(path, end + 1, path.size));
	}
	return found;
}

struct document_node *
document_find(struct pool *pool, struct document_node *node, struct slice path)
{
	struct path_part part;
	struct slice rest = path;
	if (path.size == 0)
		return node;
	node = document_open(pool, node);
	if (document_is_scalar(node) || !document_next_part(&rest, &part))
		return NULL;
	struct document_node *child = document_child(node, part.text), *found = NULL;
	if (child == NULL && part.kind == PATH_SELECTION)
		child = select_child(pool, node, &part);
	if (child != NULL)
		found = document_find(pool, child, rest);
	return found != NULL || node->type != DOCUMENT_OBJECT ? found : find_dotted(pool, node, path);
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

static void write_node(const struct document_node *node, const struct document_entries *entries, struct json_writer *writer);

/* Recursion is only as deep as the document, whose depth is limited. */
static void
write_container(const struct document_node *node, const struct document_entries *entries, struct json_writer *writer)
{
	const bool object = node->type == DOCUMENT_OBJECT;
	if (object)
		json_begin_object(writer);
	else
		json_begin_array(writer);
	const bool is_list = node == entries->list;
	const struct document_node *child = is_list ? entries->first : node->first, *end = is_list ? entries->end : NULL;
	for (; child != end; child = child->next) {
		if (object)
			json_key(writer, child->name);
		write_node(child, entries, writer);
	}
	if (object)
		json_end_object(writer);
	else
		json_end_array(writer);
}

static void
write_node(const struct document_node *node, const struct document_entries *entries, struct json_writer *writer)
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
		if (node->on_way)
			write_node(node->inner, entries, writer);
		else
			json_string(writer, node->text);
		break;
	case DOCUMENT_ARRAY:
	case DOCUMENT_OBJECT:
		write_container(node, entries, writer);
		break;
	}
}

void
document_write(const struct document_node *node, struct json_writer *writer)
{
	static const struct document_entries all = { NULL, NULL, NULL };
	write_node(node, &all, writer);
}

/* A text whose JSON contains the list is written as that JSON, because paths lead into it, too. */
void
document_write_entries(const struct document_node *node, const struct document_entries *entries, struct json_writer *writer)
{
	for (struct document_node *at = entries->list; at != NULL; at = at->parent)
		at->on_way = true;
	write_node(node, entries, writer);
}
