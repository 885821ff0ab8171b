/* SPDX-License-Identifier: MIT
 * Commands, with the audit log. */
#ifndef LEADHOOK_OPERATION_AUDITED_H
#define LEADHOOK_OPERATION_AUDITED_H

#include "operation/operation.h"
#include "store/users/audit.h"

/* As admin_run_command. A command that changes something has a row of the audit log, which is committed before it runs: it is
 * not run when the row cannot be written. */
int admin_run_audited(struct admin_call *call);
/* Whether the call changes something, by its command and its options. */
bool admin_changes(const struct admin_call *call);
/* Sets the actor of an entry, and its address and request. NULL: a shell. */
void admin_set_actor(struct audit_entry *entry, struct pool *pool, const struct caller *caller);

#endif
