/* SPDX-License-Identifier: MIT
 * The audit log (docs/users.md 6). */
#ifndef LEADHOOK_ADMIN_ACCOUNTS_AUDIT_OPERATIONS_H
#define LEADHOOK_ADMIN_ACCOUNTS_AUDIT_OPERATIONS_H

#include "operation/operation.h"

extern const struct operation operation_audit_list, operation_audit_prune;

#endif
