/* SPDX-License-Identifier: MIT */
#include "prog/management.h"

#include <stdlib.h>

#include "api/inbound.h"
#include "api/parameters.h"
#include "deliver/lock.h"
#include "manage/manage.h"

struct management {
	struct operation_wiring wiring;
	struct manage *manage;
	struct api_extension extension;
};

static void
run_inbound(void *context, struct store *store UNUSED, struct pool *pool, const struct inbound_webhook *webhook,
    const struct inbound_call *call, bool only_try, struct inbound_results *results)
{
	api_run_inbound(context, pool, webhook, call->content_type, call->body, only_try, results);
}

static bool
pass_address(const void *context)
{
	return api_caller_pass_address(context);
}

static bool
pass_account(const void *context, uint64_t account_id, int64_t per_minute)
{
	return api_caller_pass_account(context, account_id, per_minute);
}

static bool
may_guess(const void *context)
{
	return api_caller_may_guess(context);
}

static void
note_guess(const void *context)
{
	api_caller_note_guess(context);
}

static void
handle(void *context, const struct api_caller *api_caller, struct http_request *request, struct http_response *response)
{
	const struct management *management = context;
	const struct manage_caller caller = { .key = api_caller->key,
		.address = api_caller->address,
		.context = api_caller,
		.pass_address = pass_address,
		.pass_account = pass_account,
		.may_guess = may_guess,
		.note_guess = note_guess };
	manage_handle(management->manage, &caller, request, response);
}

struct management *
management_new(const struct wiring *wiring, const struct login_context *login, struct work_slots *long_calls, struct api *api)
{
	struct management *management = memory_alloc(sizeof(*management));
	management->wiring = (struct operation_wiring){
		.see_dispatcher = lock_read,
		.run_inbound = run_inbound,
		.inbound_context = api,
		.is_reserved = parameter_is_reserved,
		.webhook_addresses = &wiring->webhook_addresses,
		.mail_senders = &wiring->mail_senders,
		.sending_limits = wiring->sending_limits,
	};
	const struct manage_options options = { wiring->conf, &management->wiring, *login, long_calls };
	management->manage = manage_new(&options);
	management->extension = (struct api_extension){
		.segment = MANAGE_SEGMENT, .body_bytes = MANAGE_BODY_MAX_BYTES, .context = management, .handle = handle
	};
	api_extend(api, &management->extension);
	return management;
}

void
management_free(struct management **management)
{
	manage_free(&(*management)->manage);
	free(*management);
	*management = NULL;
}
