/* SPDX-License-Identifier: MIT
 * Parameters as the tree that their names describe: `data[a][b]` is a member of a member. */
#pragma once

#include "http/params.h"
#include "webhook/document.h"

/* Adds a parameter; one that is inside another one that is a value is left out. Its name must stay valid. */
void param_tree_add(struct pool *pool, struct document_node *root, const struct http_param *param);
