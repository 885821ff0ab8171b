/* SPDX-License-Identifier: MIT
 * Accounts and their API keys. */
#pragma once

#include "operation/operation.h"

extern const struct operation operation_account_add, operation_account_list, operation_account_set, operation_account_suspend,
    operation_account_resume, operation_account_limit, operation_key_add, operation_key_list, operation_key_revoke;
