/* SPDX-License-Identifier: MIT
 * Runs operations, with the audit log (docs/users.md 6). */
#pragma once

#include "operation/operation.h"
#include "store/users/audit.h"

/* Runs the operation of a call that has a store and an output. For a change, a row of the audit log is committed first: if that
 * fails, the operation is not run. Nor is it run if a front end has reported an invalid argument; then the row shows that the
 * change failed. Returns the status. */
int operation_run_audited(struct operation_call *call);
/* Whether the call makes a change, and so has a row in the audit log. */
bool operation_changes(const struct operation_call *call);
/* Sets the actor of an entry, with the address and the request. `caller` NULL: the command `leadhook`. */
void operation_set_actor(struct audit_entry *entry, struct pool *pool, const struct caller *caller);
