/* SPDX-License-Identifier: MIT
 * What happened to a lead (docs/operating.md 4, leadhook(1)). */
#include <inttypes.h>

#include "admin/leads/lead_operations.h"
#include "admin/leads/named_lead.h"
#include "admin/webhooks/delivery_operations.h"
#include "json/writer.h"
#include "operation/value_types.h"
#include "store/operator/timeline.h"

enum { ENTRY_MAX_BYTES = 1024 * 1024, ENTRIES_DEFAULT = 50 };

/* What all entries need. */
struct shown {
	struct operation_call *call;
	const struct lead *lead;
	struct definitions definitions;
	struct dispatcher_seen dispatcher;
};

struct lead_timeline {
	struct named_lead named;
	struct timeline_place after;
	size_t limit;
};

static const struct value_type value_entries = { .parse = value_parse_limit,
	.size = sizeof(size_t),
	.least = 1,
	.most = TIMELINE_ENTRIES_MAX,
	.expected = "a number from 1 to 500" };
READ_TYPE(value_place, timeline_place_parse, struct timeline_place, "a place that the list has named");
static const struct parameter parameters[] = {
	LEAD_PARAMETERS(struct lead_timeline, named),
	OPTION("after", value_place, offsetof(struct lead_timeline, after)),
	OPTION("limit", value_entries, offsetof(struct lead_timeline, limit)),
};
static const struct lead_timeline defaults = { .limit = ENTRIES_DEFAULT };

/* The name of the tag, action or referred lead that the points are for. Absent for other entries, and if the object was
 * removed. */
static struct slice
subject_of(const struct shown *shown, const struct timeline_entry *entry)
{
	if (entry->kind != TIMELINE_POINTS)
		return SLICE_NONE;
	if (entry->lead != NULL)
		return entry->lead->display_name;
	const struct tag *tag = definitions_tag(&shown->definitions, entry->id);
	const struct action *action = definitions_action(&shown->definitions, entry->id);
	if (slice_equal(entry->name, score_reason_name(SCORE_TAG)) && tag != NULL)
		return tag->name;
	return slice_equal(entry->name, score_reason_name(SCORE_ACTION)) && action != NULL ? action->text : SLICE_NONE;
}

#define UNKNOWN INT64_MIN

static void
put_number(struct json_writer *writer, struct slice name, int64_t number)
{
	if (number == UNKNOWN)
		json_put_text(writer, name, SLICE_NONE);
	else
		json_put_i64(writer, name, number);
}

static void
put_deliveries(struct json_writer *writer, const struct shown *shown, const struct timeline_entry *entry)
{
	json_name(writer, SLICE("deliveries"));
	json_begin_array(writer);
	for (size_t i = 0; i < entry->delivery_count; i++) {
		const struct delivery_row *delivery = &entry->deliveries[i];
		json_begin_object(writer);
		json_put_u64(writer, SLICE("id"), delivery->id);
		json_put_u64(writer, SLICE("webhook_id"), delivery->webhook_id);
		json_put_text(writer, SLICE("state"), slice_of(delivery_state_name(delivery->state)));
		json_put_u64(writer, SLICE("attempts"), delivery->attempts);
		put_number(writer, SLICE("last_status"), delivery->last_status != 0 ? delivery->last_status : UNKNOWN);
		json_put_text(writer, SLICE("last_error"), delivery->last_error);
		json_put_text(writer, SLICE("waiting_for"), delivery_waits_for(shown->call, delivery, &shown->dispatcher));
		json_end_object(writer);
	}
	json_end_array(writer);
}

static void
put_entry(struct json_writer *writer, const struct shown *shown, const struct timeline_entry *entry)
{
	json_begin_object(writer);
	json_put_time(writer, SLICE("at"), entry->at_ms);
	json_put_text(writer, SLICE("kind"), timeline_kind_name(entry->kind));
	put_number(writer, SLICE("id"), entry->id != 0 ? (int64_t)entry->id : UNKNOWN);
	json_put_text(writer, SLICE("name"), entry->name);
	json_put_text(writer, SLICE("subject"), subject_of(shown, entry));
	json_put_text(writer, SLICE("lead"), entry->lead == NULL ? SLICE_NONE : entry->lead->social_id);
	put_number(writer, SLICE("points"), entry->kind == TIMELINE_POINTS ? entry->points : UNKNOWN);
	json_put_text(writer, SLICE("message"), entry->text);
	json_put_text(writer, SLICE("state"), entry->state);
	put_number(writer, SLICE("attempts"), entry->kind == TIMELINE_MESSAGE ? entry->attempts : UNKNOWN);
	json_put_time(writer, SLICE("ended_at"), entry->ended_ms);
	json_put_text(writer, SLICE("ip"), entry->ip);
	json_put_text(writer, SLICE("user_agent"), entry->user_agent);
	json_put_text(writer, SLICE("made_by"), entry->made_by);
	json_put_raw(writer, SLICE("extra"), slice_present(entry->extra) ? entry->extra : SLICE("null"));
	json_name(writer, SLICE("origin"));
	if (entry->kind == TIMELINE_SIGNUP)
		lead_put_origin(writer, shown->lead);
	else
		json_null(writer);
	put_deliveries(writer, shown, entry);
	json_end_object(writer);
}

/* "1 of 2"; absent if there are no deliveries. */
static struct slice
delivered(struct pool *pool, const struct timeline_entry *entry)
{
	size_t count = 0;
	for (size_t i = 0; i < entry->delivery_count; i++)
		count += entry->deliveries[i].state == DELIVERY_DELIVERED;
	return entry->delivery_count == 0 ? SLICE_NONE : pool_printf(pool, "%zu of %zu", count, entry->delivery_count);
}

/* Why the lead was marked, and by whom. */
static struct slice
reasons_of(struct pool *pool, const struct timeline_entry *entry)
{
	const struct slice by = slice_present(entry->made_by) ? entry->made_by : SLICE("a rule");
	return slice_present(entry->extra) ? POOL_JOIN(pool, entry->extra, SLICE(" by "), by)
					   : POOL_JOIN(pool, SLICE("by "), by);
}

static enum result
add_entry(const struct shown *shown, const struct timeline_entry *entry)
{
	struct output *output = shown->call->output;
	struct buffer json;
	struct json_writer writer;
	buffer_init(&json, ENTRY_MAX_BYTES);
	json_writer_init(&writer, &json);
	put_entry(&writer, shown, entry);
	const enum result result = buffer_ok(&json) ? RESULT_OK : RESULT_FAILED;
	output_json_record(output, pool_copy(shown->call->pool, buffer_slice(&json)));
	buffer_free(&json);
	output_time(output, "at", entry->at_ms);
	output_text(output, "kind", timeline_kind_name(entry->kind));
	output_text(output, "name", entry->kind == TIMELINE_SIGNUP ? shown->lead->source : entry->name);
	output_text(output, "subject", subject_of(shown, entry));
	if (entry->kind == TIMELINE_POINTS)
		output_i64(output, "points", entry->points);
	else
		output_text(output, "points", SLICE_NONE);
	output_text(output, "state", entry->state);
	output_text(output, "delivered", delivered(shown->call->pool, entry));
	output_u64_or_null(output, "id", entry->id);
	output_text(output, "message", entry->kind == TIMELINE_MARK ? reasons_of(shown->call->pool, entry) : entry->text);
	return result;
}

static int
run_lead_timeline(struct operation_call *call)
{
	const struct lead_timeline *arguments = ARGUMENTS(call, struct lead_timeline);
	struct timeline timeline = { 0 };
	struct lead lead;
	struct shown shown = { .call = call, .lead = &lead };
	const int status = named_lead_find_with_origin(call, &arguments->named, &lead);
	if (status != EX_OK)
		return status;
	enum result result = store_find_definitions(call->store, call->pool, call->id, &shown.definitions);
	if (result == RESULT_OK)
		result = store_lead_timeline(call->store, call->pool, lead.id, &arguments->after, arguments->limit, &timeline);
	shown.dispatcher = dispatcher_of_host(call);
	for (size_t i = 0; i < timeline.count && result == RESULT_OK; i++)
		result = add_entry(&shown, &timeline.entries[i]);
	if (result == RESULT_OK && timeline.more)
		call->next = timeline_place_text(call->pool, &timeline.end);
	return operation_answer(call, result);
}

OPERATION(lead_timeline, "lead timeline", "CAMPAIGN --email|--phone|--social-id VALUE [--after PLACE] [--limit N]",
    "list what happened to a lead, the latest first", run_lead_timeline, .subject = &subject_campaign,
    PARAMETERS(parameters, struct lead_timeline), .defaults = &defaults, .shape = OUTPUT_ARRAY,
    HTTP(GET, "campaigns/{campaign}/leads/{social_id}/timeline", RIGHT_LEADS));
