/* SPDX-License-Identifier: MIT
 * A payload of another system as a tree of values (docs/inbound.md 2). */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/pool.h"
#include "json/writer.h"

enum document_type { DOCUMENT_NULL, DOCUMENT_BOOLEAN, DOCUMENT_NUMBER, DOCUMENT_STRING, DOCUMENT_ARRAY, DOCUMENT_OBJECT };

struct document_node {
	enum document_type type;
	struct slice name; /* name of an object's member: any UTF-8, even empty; otherwise absent */
	struct slice text; /* text of a string or number */
	bool boolean;
	struct document_node *parent, *first, *last, *next; /* `first` to `last`: items or members of a container */
	size_t count;                                       /* the number of items or members */
	/* Set by document_open: the root of the JSON in a text; the node itself if it is not JSON. */
	struct document_node *inner;
	bool on_way; /* set by document_write_entries: the node contains the list */
};

/* Maximum numbers of nodes in a document and of parts in a path; maximum depth of JSON inside a text, and of our own JSON. */
enum { DOCUMENT_NODES_MAX = 20000, DOCUMENT_PARTS_MAX = 16, DOCUMENT_INNER_DEPTH = 16, DOCUMENT_TRUSTED_DEPTH = 64 };

/* Reads JSON of any kind. Returns false with a message for people in *problem when it is malformed, deeper than `depth`, or has
 * too many values. The tree is in the pool. */
MUST_CHECK bool document_read_json(
    struct pool *pool, struct slice text, size_t depth, struct document_node **root, struct slice *problem);
/* Reads JSON that Leadhook itself has written, such as a lead's payload: with any number of values, because the settings allow
 * a lead more than DOCUMENT_NODES_MAX of them. Returns NULL when the text is not JSON. */
struct document_node *document_read_trusted(struct pool *pool, struct slice text);

/* Makes an empty object, to be filled with the fields of a form. */
struct document_node *document_new(struct pool *pool);
/* Adds a node for a field of a form: `data[customer][email]` is a member of a member. Returns the node, of type DOCUMENT_NULL,
 * for the caller to fill; NULL if it would be inside a plain value. The name must stay valid. */
struct document_node *document_add_field(struct pool *pool, struct document_node *root, struct slice name);
/* Adds an item to an array. */
struct document_node *document_add_item(struct pool *pool, struct document_node *array);
/* Reads JSON values, one per line, as the items of an array; any other line becomes a text. Returns false if there are too
 * many. */
MUST_CHECK bool document_read_lines(struct pool *pool, struct slice text, size_t depth, struct document_node **root);

/* The last member with this name of an object, or the item of an array with this index; NULL: none. */
struct document_node *document_child(const struct document_node *node, struct slice name);
/* The root of the JSON inside a text, which is parsed once; any other node is returned as it is. */
struct document_node *document_open(struct pool *pool, struct document_node *node);

/* A part of a path: a name or index; `[name=value]`, the first item with `value` at the path `name`; `[]`, each item. */
enum path_kind { PATH_NAME, PATH_SELECTION, PATH_EACH };
struct path_part {
	enum path_kind kind;
	struct slice text; /* as written, but without brackets; it may also be a name */
	struct slice name, value;
};
/* Takes the next part of a path: `data.customer.email`, `data[customer][email]`, `items.0.sku`, `[a.b].c`,
 * `answers.[field="E-mail"].text`. Text in brackets is taken literally. Returns false at the end, and when the rest is
 * malformed: *rest is then not empty. */
MUST_CHECK bool document_next_part(struct slice *rest, struct path_part *part);
/* The node at a path; NULL: none. An empty path is the node itself. Paths lead into texts that are JSON. If no path leads
 * through its parts, `1.3` also finds a member with that name: `{"1.3":…}`. */
struct document_node *document_find(struct pool *pool, struct document_node *node, struct slice path);

/* Whether the value is neither array nor object. */
bool document_is_scalar(const struct document_node *node);
/* Whether the value is a scalar, or an array of scalars. */
bool document_is_plain(const struct document_node *node);
void document_write(const struct document_node *node, struct json_writer *writer);
/* For writing a node with only some items of a list that is somewhere in it. */
struct document_entries {
	struct document_node *list;
	const struct document_node *first, *end; /* `end`: the item after the last one; NULL: there is none */
};
void document_write_entries(
    const struct document_node *node, const struct document_entries *entries, struct json_writer *writer);
