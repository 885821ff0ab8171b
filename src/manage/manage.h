/* SPDX-License-Identifier: MIT
 * Management over HTTP: operations as calls below /manage/v1 (docs/manage.md). The table of operations (src/admin/operations.h)
 * says which, and the rights that they need. */
#pragma once

#include "api/call/api_call.h"
#include "login/login.h"
#include "operation/operation_wiring.h"
#include "store/store.h"

struct manage;

/* What the caller provides must stay valid as long as the manage. `wiring` needs the functions that operations with an HTTP
 * form use. */
struct manage_options {
	const struct conf *conf;
	const struct operation_wiring *wiring;
	struct login_context login; /* with the store that everything uses */
	struct work_slots *long_calls;
};
struct manage *manage_new(const struct manage_options *options);
void manage_free(struct manage **manage);

/* Answers a call below the segment. A key that was sent has been checked; without one, limits are up to this. */
void manage_handle(struct manage *manage, struct call *call);
