/* SPDX-License-Identifier: MIT */
#include "prog/management.h"

#include <stdlib.h>

#include "api/inbound.h"
#include "api/parameters.h"
#include "deliver/lock.h"
#include "manage/manage.h"

struct management {
	struct admin_wiring wiring;
	struct manage *manage;
	struct api_extension extension;
};

static void
run_inbound(void *context, struct store *store UNUSED, struct pool *pool, const struct inbound_webhook *webhook,
    const struct inbound_call *call, bool only_try, struct inbound_result *result)
{
	api_run_inbound(context, pool, webhook, call->content_type, call->body, only_try, result);
}

static void
handle(void *context, const struct api_caller *api_caller, struct http_request *request, struct http_response *response)
{
	const struct management *management = context;
	struct manage_caller caller = { .key = api_caller->key };
	if (api_caller->address != NULL)
		caller.address = ip_address_format(request->pool, api_caller->address);
	manage_handle(management->manage, &caller, request, response);
}

struct management *
management_new(const struct wiring *wiring, struct store *store, struct api *api)
{
	struct management *management = memory_alloc(sizeof(*management));
	management->wiring = (struct admin_wiring){
		.see_dispatcher = lock_read,
		.run_inbound = run_inbound,
		.inbound_context = api,
		.is_reserved = parameter_is_reserved,
		.webhook_addresses = &wiring->webhook_addresses,
		.mail_senders = &wiring->mail_senders,
	};
	management->manage = manage_new(wiring->conf, &management->wiring, store);
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
