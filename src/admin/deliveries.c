/* SPDX-License-Identifier: MIT
 * Deliveries, as the operator looks for them. */
#include <stddef.h>
#include <sysexits.h>

#include "admin/commands.h"
#include "admin/values.h"
#include "core/events.h"
#include "store/admin.h"

static bool
read_event(struct pool *pool UNUSED, struct slice text, void *place, struct slice *bad UNUSED)
{
	enum event_type event;
	if (!event_parse(text, &event))
		return false;
	*(int *)place = (int)event;
	return true;
}

static bool
read_state(struct pool *pool UNUSED, struct slice text, void *place, struct slice *bad UNUSED)
{
	enum delivery_state state;
	if (!delivery_state_parse(text, &state))
		return false;
	*(int *)place = (int)state;
	return true;
}

#define PLACE(member) offsetof(struct delivery_filter, member)
static const struct value_option filter_table[] = {
	{ OPTION_WEBHOOK, value_id, PLACE(webhook_id), "the id of a webhook" },
	{ OPTION_LEAD, value_social_id, PLACE(lead_social_id), "the social_id of a lead" },
	{ OPTION_EVENT, read_event, PLACE(event), "the name of an event" },
	{ OPTION_STATE, read_state, PLACE(state), "pending, delivered or failed" },
	{ OPTION_SINCE, value_time, PLACE(since_ms), "a date or a time as in RFC 3339" },
	{ OPTION_UNTIL, value_time, PLACE(until_ms), "a date or a time as in RFC 3339" },
	{ OPTION_LIMIT, value_limit, PLACE(limit), "a number from 1 to 10000" },
};

int
admin_delivery_list(struct admin_call *call)
{
	struct delivery_filter filter = {
		.event = -1, .state = -1, .since_ms = -1, .until_ms = -1, .limit = VALUE_LIMIT_DEFAULT
	};
	struct delivery_list list;
	if (!values_take(call, filter_table, ARRAY_SIZE(filter_table), &filter))
		return EX_DATAERR;
	enum result result = store_list_deliveries(call->store, call->pool, &filter, &list);
	if (result != RESULT_OK)
		return admin_answer(call, result);
	for (size_t i = 0; i < list.count; i++) {
		output_record(call->output);
		output_u64(call->output, "id", list.deliveries[i].id);
		output_u64(call->output, "webhook_id", list.deliveries[i].webhook_id);
		output_text(call->output, "event", event_name((enum event_type)list.deliveries[i].event));
		output_text(call->output, "lead", list.deliveries[i].lead_social_id);
		output_text(call->output, "state", slice_of(delivery_state_name(list.deliveries[i].state)));
		output_u64(call->output, "attempts", list.deliveries[i].attempts);
		output_time(call->output, "due_at", list.deliveries[i].due_ms);
		output_u64_or_null(call->output, "last_status", (uint64_t)list.deliveries[i].last_status);
		output_text(call->output, "last_error", list.deliveries[i].last_error);
	}
	if (list.cut)
		fprintf(call->errors,
		    "leadhook: only the newest %d of these days were looked at; a webhook, a state or fewer days tell more\n",
		    DELIVERIES_LOOKED_AT);
	return EX_OK;
}
