/* SPDX-License-Identifier: MIT
 * All operations. */
#pragma once

#include "operation/operation.h"

/* In the order of the help. */
const struct operation *const *admin_operations(size_t *count);
