/* SPDX-License-Identifier: MIT */
#include "admin/operations.h"

#define NO_ROW(name)
const struct operation *const admin_operations[] = { OPERATION_LIST(OPERATION_ROW, NO_ROW) NULL };
