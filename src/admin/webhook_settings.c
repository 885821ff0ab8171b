/* SPDX-License-Identifier: MIT
 * Settings of a webhook (docs/deliveries.md 1 to 4). */
#include <stddef.h>
#include <sysexits.h>
#include <unistd.h>

#include "admin/commands.h"
#include "admin/values.h"
#include "store/operator/admin.h"

#define PLACE(member) offsetof(struct webhook_settings, member)
static const char file[] = "an absolute path of at most 1024 bytes, or nothing";

static const struct value_setting setting_table[] = {
	{ "events", value_events, PLACE(events), "names of events, separated by commas" },
	{ "source", value_source, PLACE(source), "a text, or nothing" },
	{ "format", value_format, PLACE(form), "json or form" },
	{ "schedule", value_schedule, PLACE(schedule), "at most 32 durations from 1s to 7d, at most 255 bytes, or nothing" },
	{ "rate", value_rate, PLACE(rate), "deliveries a second, 0 to 10000; 0 for any number" },
	{ "ca_file", value_file, PLACE(ca_file), file },
	{ "client_certificate", value_file, PLACE(client_certificate), file },
	{ "client_key", value_file, PLACE(client_key), file },
};
const struct value_settings admin_webhook_settings = { setting_table, ARRAY_SIZE(setting_table), "a webhook" };

struct edit {
	const struct admin_call *call;
	struct webhook_settings *settings; /* the settings after the change */
};

static bool
apply_settings(void *context, struct webhook_settings *settings)
{
	const struct edit *edit = context;
	if (!values_apply(edit->call, 1, settings))
		return false;
	if (slice_present(settings->client_key) && !slice_present(settings->client_certificate)) {
		admin_fail(edit->call, EX_DATAERR, "a client_key needs a client_certificate");
		return false;
	}
	*edit->settings = *settings;
	return true;
}

/* Only a warning, because the dispatcher may run on another host or as another user. */
static void
warn_unreadable(const struct admin_call *call, const char *setting, struct slice path)
{
	if (values_have(call, 1, setting) && slice_present(path) && access(pool_string(call->pool, path), R_OK) != 0)
		fprintf(call->errors, "leadhook: warning: %s cannot be read here: %.*s\n", setting, SLICE_ARGS(path));
}

int
admin_webhook_set(struct admin_call *call)
{
	struct webhook_settings settings;
	enum result result = store_edit_webhook(call->store, call->id, apply_settings, &(struct edit){ call, &settings });
	if (result == RESULT_INVALID)
		return EX_DATAERR; /* already reported */
	if (result != RESULT_OK)
		return admin_answer(call, result);
	warn_unreadable(call, "ca_file", settings.ca_file);
	warn_unreadable(call, "client_certificate", settings.client_certificate);
	warn_unreadable(call, "client_key", settings.client_key);
	return admin_webhook_show(call);
}
