/* SPDX-License-Identifier: MIT
 * What happened to a lead (docs/operating.md 4, leadhook(1)). */
#include <inttypes.h>
#include <sysexits.h>

#include "admin/operations.h"
#include "json/writer.h"
#include "operation/value_types.h"
#include "operation/wiring.h"
#include "store/operator/timeline.h"

enum { ENTRY_MAX_BYTES = 1024 * 1024, ENTRIES_DEFAULT = 50 };

/* What the entries are shown with. */
struct shown {
	struct admin_call *call;
	const struct lead *lead;
	struct definitions definitions;
	struct dispatcher_seen dispatcher;
};

static bool
read_limit(struct pool *pool UNUSED, struct slice text, void *place, struct slice *bad UNUSED)
{
	uint64_t limit;
	if (!slice_to_u64(text, TIMELINE_ENTRIES_MAX, &limit) || limit == 0)
		return false;
	*(size_t *)place = (size_t)limit;
	return true;
}

static bool
read_place(struct pool *pool UNUSED, struct slice text, void *place, struct slice *bad UNUSED)
{
	return timeline_place_parse(text, place);
}

/* The name of the tag, action or referred lead that the points are for; absent for others, and where it was removed. */
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

static void
put_if(struct json_writer *writer, struct slice name, bool is_known, int64_t number)
{
	if (is_known)
		json_put_i64(writer, name, number);
	else
		json_put_text(writer, name, SLICE_NONE);
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
		put_if(writer, SLICE("last_status"), delivery->last_status != 0, delivery->last_status);
		json_put_text(writer, SLICE("last_error"), delivery->last_error);
		json_put_text(writer, SLICE("waiting_for"), admin_waiting_for(shown->call, delivery, &shown->dispatcher));
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
	put_if(writer, SLICE("id"), entry->id != 0, (int64_t)entry->id);
	json_put_text(writer, SLICE("name"), entry->name);
	json_put_text(writer, SLICE("subject"), subject_of(shown, entry));
	json_put_text(writer, SLICE("lead"), entry->lead == NULL ? SLICE_NONE : entry->lead->social_id);
	put_if(writer, SLICE("points"), entry->kind == TIMELINE_POINTS, entry->points);
	json_put_text(writer, SLICE("message"), entry->text);
	json_put_text(writer, SLICE("state"), entry->state);
	put_if(writer, SLICE("attempts"), entry->kind == TIMELINE_MESSAGE, entry->attempts);
	json_put_time(writer, SLICE("ended_at"), entry->ended_ms);
	json_put_text(writer, SLICE("ip"), entry->ip);
	json_put_text(writer, SLICE("user_agent"), entry->user_agent);
	json_put_text(writer, SLICE("made_by"), entry->made_by);
	json_put_raw(writer, SLICE("extra"), slice_present(entry->extra) ? entry->extra : SLICE("null"));
	json_name(writer, SLICE("origin"));
	if (entry->kind == TIMELINE_SIGNUP)
		admin_put_origin(writer, shown->lead);
	else
		json_null(writer);
	put_deliveries(writer, shown, entry);
	json_end_object(writer);
}

/* "1 of 2", or absent without any. */
static struct slice
delivered(struct pool *pool, const struct timeline_entry *entry)
{
	size_t count = 0;
	for (size_t i = 0; i < entry->delivery_count; i++)
		count += entry->deliveries[i].state == DELIVERY_DELIVERED;
	return entry->delivery_count == 0 ? SLICE_NONE : pool_printf(pool, "%zu of %zu", count, entry->delivery_count);
}

/* Of a mark: why, and by whom. */
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

int
admin_lead_timeline(struct admin_call *call)
{
	static const struct value_option limit_option = { OPTION_LIMIT, read_limit, 0, "a number from 1 to 500" };
	static const struct value_option place_option = { OPTION_AFTER, read_place, 0, "a place that the list has named" };
	struct lead_reference reference = { 0 };
	struct timeline_place place = { 0 };
	struct timeline timeline = { 0 };
	struct campaign campaign;
	struct lead lead;
	struct shown shown = { .call = call, .lead = &lead };
	size_t limit = ENTRIES_DEFAULT;
	const int status = admin_lead_reference(call, &reference);
	if (status != EX_OK)
		return status;
	if (!values_take(call, &limit_option, 1, &limit) || !values_take(call, &place_option, 1, &place))
		return EX_DATAERR;
	enum result result = admin_find_campaign(call, &campaign);
	if (result == RESULT_OK)
		result = store_find_definitions(call->store, call->pool, call->id, &shown.definitions);
	if (result != RESULT_OK)
		return admin_answer(call, result);
	result = admin_find_lead(call, &reference, &lead);
	if (result == RESULT_NOT_FOUND)
		return admin_fail(call, PROBLEM_NOT_FOUND, "there is no such lead");
	if (result == RESULT_OK)
		result = store_lead_timeline(call->store, call->pool, lead.id, &place, limit, &timeline);
	shown.dispatcher = admin_dispatcher(call);
	for (size_t i = 0; i < timeline.count && result == RESULT_OK; i++)
		result = add_entry(&shown, &timeline.entries[i]);
	if (result == RESULT_OK && timeline.more)
		admin_next(call, timeline_place_text(call->pool, &timeline.end));
	return admin_answer(call, result);
}
