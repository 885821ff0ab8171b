/* SPDX-License-Identifier: MIT
 * Runs operations, with the audit log (docs/users.md 6). */
#pragma once

#include "operation/operation.h"
#include "store/users/audit.h"

/* Runs the operation of a call that has a store and an output. One that changes something has a row of the audit log, which is
 * committed before it runs: it is not run when the row cannot be written, nor when a front end has reported an invalid
 * argument, which is logged, too. Returns the status. */
int operation_run_audited(struct operation_call *call);
/* Whether the call changes something. */
bool operation_changes(const struct operation_call *call);
/* Sets the actor of an entry, and its address and request. NULL: a shell. */
void operation_set_actor(struct audit_entry *entry, struct pool *pool, const struct caller *caller);
