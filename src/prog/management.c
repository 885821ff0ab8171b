/* SPDX-License-Identifier: MIT */
#include "prog/management.h"

#include <stdlib.h>

#include "manage/manage.h"

struct management {
	struct operation_wiring wiring;
	struct manage *manage;
};

struct management *
management_new(const struct wiring *wiring, const struct login_context *login, struct work_slots *long_calls, struct api *api)
{
	struct management *management = memory_alloc(sizeof(*management));
	management->wiring = (struct operation_wiring){
		.api = api,
		.webhook_addresses = &wiring->webhook_addresses,
		.mail_senders = &wiring->mail_senders,
		.sending_limits = wiring->sending_limits,
	};
	const struct manage_options options = { wiring->conf, &management->wiring, *login, long_calls };
	api->manage = management->manage = manage_new(&options);
	return management;
}

void
management_free(struct management **management)
{
	manage_free(&(*management)->manage);
	free(*management);
	*management = NULL;
}
