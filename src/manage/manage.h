/* SPDX-License-Identifier: MIT
 * Management over HTTP: operations as calls below /manage/v1 (docs/manage.md). The table of operations (src/admin/operations.h)
 * lists them, with the rights that they need. */
#pragma once

#include "api/call/api_call.h"
#include "login/login.h"
#include "operation/operation_wiring.h"
#include "store/store.h"

struct manage;

/* Everything in it must stay valid as long as the struct manage. `wiring` needs the members that operations with calls use. */
struct manage_options {
	const struct conf *conf;
	const struct operation_wiring *wiring;
	struct login_context login; /* its store is used for everything */
	struct work_slots *long_calls;
};
struct manage *manage_new(const struct manage_options *options);
void manage_free(struct manage **manage);

/* Answers a call below /manage. If the call has a key, it has already been checked; if it has none, this function counts it for
 * the limits. */
void manage_handle(struct manage *manage, struct call *call);
