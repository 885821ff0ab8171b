/* SPDX-License-Identifier: MIT
 * Management over HTTP: operations as calls below /manage/v1 (docs/manage.md). The table of operations (src/admin/operations.c)
 * says which, and the rights that they need. */
#ifndef LEADHOOK_MANAGE_MANAGE_H
#define LEADHOOK_MANAGE_MANAGE_H

#include "http/request.h"
#include "http/response.h"
#include "login/login.h"
#include "operation/wiring.h"
#include "store/store.h"

#define MANAGE_SEGMENT SLICE("manage")
enum { MANAGE_BODY_MAX_BYTES = 1024 * 1024 };

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

/* A caller that has authenticated itself, or has sent nothing to do so. */
struct manage_caller {
	const struct api_key *key;        /* NULL: none was sent */
	const struct ip_address *address; /* of the client; NULL: unknown */
	/* The limits of a caller without a key, as api/api.h has them. Those that return false have answered. */
	const void *context;
	bool (*pass_address)(const void *context);
	bool (*pass_account)(const void *context, uint64_t account_id, int64_t per_minute);
	bool (*may_guess)(const void *context);
	void (*note_guess)(const void *context);
};

/* Answers a request below the segment. */
void manage_handle(struct manage *manage, const struct manage_caller *caller, const struct http_request *request,
    struct http_response *response);

#endif
