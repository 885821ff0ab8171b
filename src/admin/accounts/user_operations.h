/* SPDX-License-Identifier: MIT
 * Users of the dashboard (docs/users.md 1, 2). */
#pragma once

#include "operation/operation.h"

extern const struct operation operation_user_add, operation_user_list, operation_user_show, operation_user_set,
    operation_user_reset, operation_user_disable, operation_user_enable, operation_user_remove, operation_user_sessions,
    operation_user_logout;
