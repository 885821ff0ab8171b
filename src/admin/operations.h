/* SPDX-License-Identifier: MIT
 * All operations. */
#ifndef LEADHOOK_ADMIN_OPERATIONS_H
#define LEADHOOK_ADMIN_OPERATIONS_H

#include "operation/operation.h"

/* In the order of the help. */
const struct operation *const *admin_operations(size_t *count);

#endif
