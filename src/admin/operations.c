/* SPDX-License-Identifier: MIT */
#include "admin/operations.h"

#define ROW(name) &operation_##name,
static const struct operation *const operations[] = { OPERATION_LIST(ROW) };

const struct operation *const *
admin_operations(size_t *count)
{
	*count = ARRAY_SIZE(operations);
	return operations;
}
