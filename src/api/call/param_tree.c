/* SPDX-License-Identifier: MIT */
#include "api/call/param_tree.h"

static const enum document_type node_types[] = {
	[HTTP_NULL] = DOCUMENT_NULL,
	[HTTP_STRING] = DOCUMENT_STRING,
	[HTTP_NUMBER] = DOCUMENT_NUMBER,
	[HTTP_BOOLEAN] = DOCUMENT_BOOLEAN,
	[HTTP_ARRAY] = DOCUMENT_ARRAY,
};

static void
fill_node(struct pool *pool, struct document_node *node, const struct http_value *value)
{
	node->type = node_types[value->type];
	node->text = value->text;
	node->boolean = value->boolean;
	for (size_t i = 0; value->type == HTTP_ARRAY && i < value->item_count; i++) {
		struct document_node *item = document_add_item(pool, node);
		item->type = node_types[value->items[i].type];
		item->text = value->items[i].text;
		item->boolean = value->items[i].boolean;
	}
}

void
param_tree_add(struct pool *pool, struct document_node *root, const struct http_param *param)
{
	struct document_node *node = document_add_field(pool, root, param->name);
	if (node != NULL)
		fill_node(pool, node, &param->value);
}
