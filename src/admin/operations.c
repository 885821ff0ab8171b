/* SPDX-License-Identifier: MIT */
#include "admin/operations.h"

#define ROW(name) &operation_##name,
const struct operation *const admin_operations[] = { OPERATION_LIST(ROW) NULL };
