/* SPDX-License-Identifier: MIT
 * The audit log (docs/users.md 6). */
#pragma once

#include "operation/operation.h"

extern const struct operation operation_audit_list, operation_audit_prune;
