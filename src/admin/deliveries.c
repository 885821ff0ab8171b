/* SPDX-License-Identifier: MIT
 * Deliveries, as the operator looks for them. */
#include <sysexits.h>

#include "admin/commands.h"
#include "base/clock.h"
#include "core/events.h"
#include "core/social_id.h"
#include "store/admin.h"

enum { LIMIT_DEFAULT = 50, LIMIT_MAX = 10000 };

/* One function an option: takes its value into the filter, false when it means none. */
typedef bool filter_reader(struct pool *pool, struct slice value, struct delivery_filter *filter);

static bool
read_webhook(struct pool *pool UNUSED, struct slice value, struct delivery_filter *filter)
{
	return slice_to_u64(value, INT64_MAX, &filter->webhook_id) && filter->webhook_id > 0;
}

static bool
read_lead(struct pool *pool, struct slice value, struct delivery_filter *filter)
{
	return social_id_parse(pool, value, &filter->lead_social_id);
}

static bool
read_event(struct pool *pool UNUSED, struct slice value, struct delivery_filter *filter)
{
	enum event_type event;
	if (!event_parse(value, &event))
		return false;
	filter->event = (int)event;
	return true;
}

static bool
read_state(struct pool *pool UNUSED, struct slice value, struct delivery_filter *filter)
{
	enum delivery_state state;
	if (!delivery_state_parse(value, &state))
		return false;
	filter->state = (int)state;
	return true;
}

static bool
read_since(struct pool *pool UNUSED, struct slice value, struct delivery_filter *filter)
{
	return clock_parse_rfc3339(value, &filter->since_ms);
}

static bool
read_until(struct pool *pool UNUSED, struct slice value, struct delivery_filter *filter)
{
	return clock_parse_rfc3339(value, &filter->until_ms);
}

static bool
read_limit(struct pool *pool UNUSED, struct slice value, struct delivery_filter *filter)
{
	uint64_t limit;
	if (!slice_to_u64(value, LIMIT_MAX, &limit) || limit == 0)
		return false;
	filter->limit = (size_t)limit;
	return true;
}

static const struct {
	enum admin_option option;
	filter_reader *read;
	const char *expected;
} filter_table[] = {
	{ OPTION_WEBHOOK, read_webhook, "--webhook: expected the id of a webhook" },
	{ OPTION_LEAD, read_lead, "--lead: expected the social_id of a lead" },
	{ OPTION_EVENT, read_event, "--event: expected the name of an event" },
	{ OPTION_STATE, read_state, "--state: expected pending, delivered or failed" },
	{ OPTION_SINCE, read_since, "--since: expected a date or a time as in RFC 3339" },
	{ OPTION_UNTIL, read_until, "--until: expected a date or a time as in RFC 3339" },
	{ OPTION_LIMIT, read_limit, "--limit: expected a number from 1 to 10000" },
};

int
admin_delivery_list(struct admin_call *call)
{
	struct delivery_filter filter = { .event = -1, .state = -1, .since_ms = -1, .until_ms = -1, .limit = LIMIT_DEFAULT };
	struct delivery_row *deliveries;
	size_t count;
	for (size_t i = 0; i < ARRAY_SIZE(filter_table); i++) {
		const char *value = call->options[filter_table[i].option];
		if (value != NULL && !filter_table[i].read(call->pool, slice_of(value), &filter))
			return admin_fail(call, EX_DATAERR, "%s", filter_table[i].expected);
	}
	enum result result = store_list_deliveries(call->store, call->pool, &filter, &deliveries, &count);
	if (result != RESULT_OK)
		return admin_answer(call, result);
	for (size_t i = 0; i < count; i++) {
		output_record(call->output);
		output_u64(call->output, "id", deliveries[i].id);
		output_u64(call->output, "webhook_id", deliveries[i].webhook_id);
		output_text(call->output, "event", event_name((enum event_type)deliveries[i].event));
		output_text(call->output, "lead", deliveries[i].lead_social_id);
		output_text(call->output, "state", slice_of(delivery_state_name(deliveries[i].state)));
		output_u64(call->output, "attempts", deliveries[i].attempts);
		output_time(call->output, "due_at", deliveries[i].due_ms);
		output_u64_or_null(call->output, "last_status", (uint64_t)deliveries[i].last_status);
		output_text(call->output, "last_error", deliveries[i].last_error);
	}
	return EX_OK;
}
