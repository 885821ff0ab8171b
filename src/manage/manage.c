/* SPDX-License-Identifier: MIT */
#include "manage/manage.h"

#include <stdlib.h>

#include "manage/request.h"

struct manage *
manage_new(const struct conf *conf, const struct admin_wiring *wiring, struct store *store)
{
	struct manage *manage = memory_alloc(sizeof(*manage));
	*manage = (struct manage){ conf, wiring, store };
	return manage;
}

void
manage_free(struct manage **manage)
{
	free(*manage);
	*manage = NULL;
}

static void
identify_key(struct manage_request *request, const struct api_key *key)
{
	request->caller = (struct caller){ .kind = CALLER_KEY,
		.id = key->id,
		.account_id = key->account_id,
		.rights = key->rights,
		.campaigns = key->campaigns,
		.campaign_count = key->campaign_count };
}

static bool
identify(struct manage_request *request, const struct manage_caller *caller)
{
	if (caller->key == NULL) {
		request_add_header(request, "WWW-Authenticate", SLICE("Bearer"));
		return request_fail_status(request, 401, "missing_api_key", SLICE("an API key is required"));
	}
	identify_key(request, caller->key);
	request->caller.address = caller->address;
	request->caller.request_id = request->http->request_id;
	return true;
}

static void
run(struct manage_request *request)
{
	struct admin_call *call = &request->call;
	call->output = output_new(call->pool, call->command->shape);
	const int status = admin_run_command(call);
	store_expect_settings(call->store, NULL);
	request_answer(request, status);
}

void
manage_handle(
    struct manage *manage, const struct manage_caller *caller, const struct http_request *http, struct http_response *response)
{
	struct manage_request request = { .manage = manage, .http = http, .response = response };
	if (!identify(&request, caller) || !request_find_command(&request) || !request_may_run(&request) ||
	    !request_sees_path(&request))
		return;
	request.call = (struct admin_call){ .command = request.command,
		.pool = http->pool,
		.wiring = manage->wiring,
		.conf = manage->conf,
		.store = manage->store,
		.caller = &request.caller,
		.is_remote = true };
	if (request_read_arguments(&request) && request_expect_version(&request))
		run(&request);
}
