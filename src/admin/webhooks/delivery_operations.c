/* SPDX-License-Identifier: MIT
 * Deliveries: list, show and redeliver (docs/operating.md 4, leadhook(1)). */
#include <inttypes.h>
#include <stddef.h>
#include <sysexits.h>
#include <unistd.h>

#include "admin/jobs/job_operations.h"
#include "admin/operations.h"
#include "base/utf8.h"
#include "engine/events.h"
#include "jobs/redelivery.h"
#include "operation/value_types.h"
#include "os/clock.h"
#include "operation/wiring.h"
#include "store/operator/admin.h"
#include "store/operator/lead_names.h"
#include "store/queue/dispatch.h"

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

static bool
read_answer(struct pool *pool UNUSED, struct slice text, void *place, struct slice *bad UNUSED)
{
	enum answer_class answer;
	if (!answer_class_parse(text, &answer))
		return false;
	*(enum answer_class *)place = answer;
	return true;
}

#define PLACE(member) offsetof(struct delivery_filter, member)
static const struct value_option filter_table[] = {
	{ OPTION_CAMPAIGN, value_id, PLACE(campaign_id), "the id of a campaign" },
	{ OPTION_WEBHOOK, value_id, PLACE(webhook_id), "the id of a webhook" },
	{ OPTION_LEAD, value_social_id, PLACE(lead_social_id), "the social_id of a lead" },
	{ OPTION_EVENT, read_event, PLACE(event), "the name of an event" },
	{ OPTION_STATE, read_state, PLACE(state), "pending, delivered or failed" },
	{ OPTION_STATUS, read_answer, PLACE(answer), "1xx, 2xx, 3xx, 4xx, 5xx or error" },
	{ OPTION_SINCE, value_time, PLACE(since_ms), "a date or a time as in RFC 3339, such as 2026-10-01" },
	{ OPTION_UNTIL, value_time, PLACE(until_ms), "a date or a time as in RFC 3339, such as 2026-10-01" },
	{ OPTION_AFTER, value_id, PLACE(after), "the id of a delivery" },
	{ OPTION_LIMIT, value_limit, PLACE(limit), "a number from 1 to 10000" },
};

/* Whether the caller sees what happened to which lead. The event alone would show whether an address that has just signed up
 * was new. */
static bool
shows_events(const struct admin_call *call)
{
	return caller_has_right(call->caller, RIGHT_LEADS);
}

/* Reports an invalid filter and returns false: EX_DATAERR. */
static bool
read_filter(struct admin_call *call, size_t limit, struct delivery_filter *filter)
{
	static const enum admin_option personal[] = { OPTION_LEAD, OPTION_EVENT };
	for (size_t i = 0; i < ARRAY_SIZE(personal) && !shows_events(call); i++) {
		if (call->options[personal[i]] == NULL)
			continue;
		admin_fail_option(
		    call, PROBLEM_FORBIDDEN, personal[i], "the deliveries of one lead or event need the right leads");
		return false;
	}
	*filter = (struct delivery_filter){ .event = -1, .state = -1, .since_ms = -1, .until_ms = -1, .limit = limit };
	return values_take(call, filter_table, ARRAY_SIZE(filter_table), filter);
}

/* Returns 0 if the filter names no campaign, or one that exists; else a status after reporting the error. */
static int
check_campaign(struct admin_call *call, const struct delivery_filter *filter)
{
	struct campaign campaign;
	int64_t now_ms;
	if (filter->campaign_id == 0)
		return EX_OK;
	const enum result result = store_find_campaign(call->store, call->pool, filter->campaign_id, &campaign, &now_ms);
	return result == RESULT_NOT_FOUND
		   ? admin_fail(call, PROBLEM_NOT_FOUND, "there is no campaign %" PRIu64, filter->campaign_id)
		   : admin_answer(call, result);
}

struct slice
admin_waiting_for(const struct admin_call *call, const struct delivery_row *delivery, const struct dispatcher_seen *here)
{
	const int64_t due_ms = delivery->due_ms, held_ms = delivery->webhook_hold_until_ms, now_ms = delivery->now_ms;
	const bool open = delivery->webhook_failures >= call->conf->dispatch.breaker_failures;
	if (delivery->state != DELIVERY_PENDING)
		return SLICE_NONE;
	if (id_set_contains(&here->under_way, delivery->id))
		return SLICE("attempt");
	if (delivery->webhook_state == WEBHOOK_MISSING)
		return SLICE("removal");
	if (delivery->webhook_state != WEBHOOK_ACTIVE)
		return SLICE("disabled");
	if (due_ms > now_ms && due_ms > held_ms)
		return SLICE("schedule");
	if (open) /* also while its probe is under way or due */
		return SLICE("breaker");
	if (held_ms > now_ms)
		return SLICE("receiver");
	if (slice_present(delivery->leased_by) && !slice_equal(delivery->leased_by, here->owner))
		return SLICE("other_dispatcher");
	/* others of its webhook may come first */
	return delivery->webhook_rate > 0 && slice_present(delivery->leased_by) ? SLICE("rate") : SLICE("dispatcher");
}

struct dispatcher_seen
admin_dispatcher(struct admin_call *call)
{
	return call->wiring->see_dispatcher(call->pool, call->conf->dispatch.lock_file);
}

/* What rows of deliveries are shown with. */
struct shown {
	struct admin_call *call;
	struct dispatcher_seen dispatcher;
	struct lead_names leads; /* none for a caller without the right to read leads */
};

static enum result
find_shown(struct admin_call *call, const struct delivery_row *deliveries, size_t count, struct shown *shown)
{
	uint64_t *ids = POOL_ARRAY(call->pool, count, uint64_t);
	*shown = (struct shown){ .call = call, .dispatcher = admin_dispatcher(call) };
	for (size_t i = 0; i < count; i++)
		ids[i] = deliveries[i].lead_id;
	return shows_events(call) ? store_name_leads(call->store, call->pool, ids, count, &shown->leads) : RESULT_OK;
}

static void
add_delivery(const struct shown *shown, const struct delivery_row *delivery)
{
	struct output *output = shown->call->output;
	const struct lead_name *lead = lead_name_of(&shown->leads, delivery->lead_id);
	const bool is_shown = shows_events(shown->call);
	output_record(output);
	output_u64(output, "id", delivery->id);
	output_u64(output, "webhook_id", delivery->webhook_id);
	output_text(output, "event", is_shown ? event_name((enum event_type)delivery->event) : SLICE_NONE);
	output_text(output, "lead", is_shown ? delivery->lead_social_id : SLICE_NONE);
	output_text(output, "state", slice_of(delivery_state_name(delivery->state)));
	output_u64(output, "attempts", delivery->attempts);
	output_time(output, "due_at", delivery->due_ms);
	output_u64_or_null(output, "last_status", (uint64_t)delivery->last_status);
	output_text(output, "last_error", delivery->last_error);
	output_text(output, "waiting_for", admin_waiting_for(shown->call, delivery, &shown->dispatcher));
	output_time(output, "created_at", delivery->created_ms);
	output_text(output, "lead_name", lead == NULL ? SLICE_NONE : lead->display_name);
	output_text(output, "lead_email", lead == NULL ? SLICE_NONE : lead->email);
}

int
admin_delivery_list(struct admin_call *call)
{
	struct delivery_filter filter;
	struct delivery_list list;
	struct shown shown;
	if (!read_filter(call, VALUE_LIMIT_DEFAULT, &filter))
		return EX_DATAERR;
	const int status = check_campaign(call, &filter);
	if (status != EX_OK)
		return status;
	enum result result = store_list_deliveries(call->store, call->pool, &filter, &list);
	if (result == RESULT_OK)
		result = find_shown(call, list.deliveries, list.count, &shown);
	if (result != RESULT_OK)
		return admin_answer(call, result);
	for (size_t i = 0; i < list.count; i++)
		add_delivery(&shown, &list.deliveries[i]);
	if (list.next != 0)
		admin_next_id(call, list.next);
	return EX_OK;
}

static struct output *
log_of(struct pool *pool, const struct delivery_details *delivery, bool personal)
{
	struct output *log = output_new(pool, OUTPUT_ARRAY);
	for (size_t i = 0; i < delivery->attempt_count; i++) {
		const struct attempt_row *attempt = &delivery->attempts[i];
		output_record(log);
		output_u64(log, "attempt", attempt->attempt);
		output_time(log, "at", attempt->started_ms);
		output_u64(log, "duration_ms", (uint64_t)attempt->duration_ms);
		output_u64_or_null(log, "status", (uint64_t)attempt->status);
		output_text(log, "error", attempt->error);
		output_text(
		    log, "answer", attempt->status == 0 || !personal ? SLICE_NONE : utf8_sanitized(pool, attempt->answer));
	}
	return log;
}

int
admin_delivery_show(struct admin_call *call)
{
	struct delivery_details delivery;
	struct shown shown;
	enum result result = store_find_delivery(call->store, call->pool, call->id, &delivery);
	if (result == RESULT_OK)
		result = find_shown(call, &delivery.row, 1, &shown);
	if (result != RESULT_OK)
		return admin_answer(call, result);
	add_delivery(&shown, &delivery.row);
	output_u64(call->output, "campaign", delivery.row.campaign_id);
	output_text(call->output, "url", delivery.url);
	output_text(call->output, "message_id", delivery.message_id);
	output_text(call->output, "format", delivery.form ? SLICE("form") : SLICE("json"));
	/* a payload is about a lead, and receivers repeat it in their answers */
	const bool personal = shows_events(call);
	output_json(call->output, "payload", personal ? delivery.payload : SLICE("null"));
	output_nested(call->output, "log", log_of(call->pool, &delivery, personal));
	return EX_OK;
}

int
admin_delivery_count(struct admin_call *call)
{
	struct delivery_filter filter;
	uint64_t count;
	bool more;
	if (!read_filter(call, DELIVERIES_COUNTED, &filter))
		return EX_DATAERR;
	const int status = check_campaign(call, &filter);
	if (status != EX_OK)
		return status;
	const enum result result = store_count_deliveries(call->store, &filter, &count, &more);
	if (result != RESULT_OK)
		return admin_answer(call, result);
	output_record(call->output);
	output_u64(call->output, "count", count);
	output_boolean(call->output, "more", more);
	return EX_OK;
}

/* A run of `delivery redeliver`. */
struct redelivery_command {
	struct admin_call *call;
	struct redelivery_run redelivery;
	bool named;        /* given by id: each one that is not queued is reported */
	int64_t logged_ms; /* when progress was last shown */
	bool shown;
};

enum { PROGRESS_MS = 1000 };

/* Shows progress once a second when errors go to a terminal. */
static void
show_progress(struct redelivery_command *r)
{
	const int64_t now_ms = clock_monotonic_ms();
	if (now_ms - r->logged_ms < PROGRESS_MS || r->call->errors == NULL || isatty(fileno(r->call->errors)) != 1)
		return;
	fprintf(r->call->errors, "\rleadhook: %" PRIu64 " queued", r->redelivery.counts.queued);
	fflush(r->call->errors);
	r->logged_ms = now_ms;
	r->shown = true;
}

/* Messages after "delivery 7" or "1", and after a greater number. */
static const struct {
	const char *one, *several;
	size_t place; /* of the number in struct redelivery_counts */
} not_queued[REDELIVERY_RESULTS] = {
#define COUNT(member) offsetof(struct redelivery_counts, member)
	[REDELIVERY_UNDER_WAY] = { "is under way already", "are under way already", COUNT(under_way) },
	[REDELIVERY_NO_WEBHOOK] = { "has a webhook that was removed", "have a webhook that was removed",
	    COUNT(without_webhook) },
	[REDELIVERY_NO_EVENT] = { "has an event that is no longer stored", "have an event that is no longer stored",
	    COUNT(without_event) },
	[REDELIVERY_AT_LIMIT] = { "has 1000 attempts or more, and is not sent again",
	    "have 1000 attempts or more, and are not sent again", COUNT(at_limit) },
	[REDELIVERY_MISSING] = { "does not exist, or is no longer stored", "are no longer stored", COUNT(missing) },
#undef COUNT
};

_Static_assert(REDELIVER_ATTEMPTS_MAX == 1000, "as a message says");

/* The functions of struct redelivery_run. */
static struct id_set
under_way(void *context, struct pool *pool)
{
	const struct redelivery_command *r = context;
	return r->call->wiring->see_dispatcher(pool, r->call->conf->dispatch.lock_file).under_way;
}

static void
report(void *context, uint64_t id, unsigned what)
{
	struct redelivery_command *r = context;
	if (r->named && not_queued[what].one != NULL)
		admin_warn(r->call, "delivery %" PRIu64 " %s", id, not_queued[what].one);
	show_progress(r);
}

/* Reports the deliveries that were not queued, and those that have to wait. */
static void
report_not_sent(const struct redelivery_command *r)
{
	const struct redelivery_counts *counts = &r->redelivery.counts;
	const uint64_t held = counts->held;
	for (size_t i = 0; i < REDELIVERY_RESULTS && !r->named; i++) {
		const uint64_t count = *(const uint64_t *)((const char *)counts + not_queued[i].place);
		if (not_queued[i].one != NULL && count > 0)
			admin_warn(r->call, "%" PRIu64 " %s", count, count == 1 ? not_queued[i].one : not_queued[i].several);
	}
	if (held > 0)
		admin_warn(r->call,
		    "%" PRIu64 " of %" PRIu64 " %s to wait: %s webhook is disabled or held, see leadhook webhook show", held,
		    counts->queued, held == 1 ? "has" : "have", held == 1 ? "its" : "their");
}

static bool
contains(const uint64_t *ids, size_t count, uint64_t id)
{
	for (size_t i = 0; i < count; i++)
		if (ids[i] == id)
			return true;
	return false;
}

/* Reads the ids without duplicates. */
static bool
read_ids(struct admin_call *call, uint64_t *ids, size_t *count)
{
	*count = 0;
	for (size_t i = 0; i < call->operand_count; i++) {
		if (!admin_id(call, call->operands[i], "delivery", &ids[*count]))
			return false;
		*count += contains(ids, *count, ids[*count]) ? 0 : 1;
	}
	return true;
}

static bool
has_filter(struct admin_call *call)
{
	for (size_t i = 0; i < ARRAY_SIZE(filter_table); i++)
		if (call->options[filter_table[i].option] != NULL)
			return true;
	return false;
}

/* The job is of the campaign of the filter, or of its webhook. */
static int
queue_redelivery(struct admin_call *call, const struct delivery_filter *filter)
{
	uint64_t campaign_id = filter->campaign_id;
	struct webhook_details webhook;
	enum result result = RESULT_OK;
	if (filter->webhook_id != 0) {
		result = store_find_webhook(call->store, call->pool, filter->webhook_id, &webhook);
		if (result == RESULT_NOT_FOUND ||
		    (result == RESULT_OK && campaign_id != 0 && webhook.row.campaign_id != campaign_id))
			return admin_fail(call, PROBLEM_NOT_FOUND, "there is no such webhook");
		if (result == RESULT_OK)
			campaign_id = webhook.row.campaign_id;
	}
	return result == RESULT_OK
		   ? admin_queue_job(call, campaign_id, JOB_REDELIVERY, job_redelivery_parameters(call->pool, filter))
		   : admin_answer(call, result);
}

static int
run_redelivery(struct redelivery_command *r, const uint64_t *ids, size_t count, const struct delivery_filter *filter)
{
	struct admin_call *call = r->call;
	const uint64_t *queued = &r->redelivery.counts.queued;
	struct delivery_walk walk = { .deadline_ms = CLOCK_NEVER };
	const enum result result =
	    r->named ? redelivery_of_ids(&r->redelivery, ids, count) : redelivery_of_filter(&r->redelivery, filter, &walk);
	if (r->shown)
		fputc('\n', call->errors);
	if (result == RESULT_OK)
		report_not_sent(r);
	if (result == RESULT_OK && r->named && *queued == 0)
		return EX_DATAERR;
	if (result == RESULT_OK || *queued > 0) {
		output_record(call->output);
		output_u64(call->output, "queued", *queued);
	}
	return admin_answer(call, result);
}

/* Deliveries that were queued before an error stay queued, and are reported. */
int
admin_delivery_redeliver(struct admin_call *call)
{
	struct redelivery_command r = { .call = call,
		.redelivery = { .store = call->store, .under_way = under_way, .report = report, .context = &r },
		.named = call->operand_count > 0,
		.logged_ms = clock_monotonic_ms() };
	const bool queues = call->options[OPTION_QUEUE] != NULL;
	struct delivery_filter filter;
	uint64_t *ids = POOL_ARRAY(call->pool, call->operand_count + 1, uint64_t);
	size_t count;
	if (r.named == has_filter(call) || (call->is_remote && !r.named))
		return admin_fail(call, PROBLEM_USAGE,
		    call->is_remote ? "expected the ids of deliveries" : "expected ids of deliveries, or filters");
	if (r.named && queues)
		return admin_fail_option(call, PROBLEM_USAGE, OPTION_QUEUE, "only with a filter");
	if (!read_ids(call, ids, &count) || !read_filter(call, SIZE_MAX, &filter))
		return EX_DATAERR;
	const int status = check_campaign(call, &filter);
	if (status != EX_OK)
		return status;
	return queues ? queue_redelivery(call, &filter) : run_redelivery(&r, ids, count, &filter);
}

/* As `delivery redeliver --campaign ID --queue`. */
int
admin_campaign_redeliver(struct admin_call *call)
{
	struct delivery_filter filter;
	if (!read_filter(call, SIZE_MAX, &filter))
		return EX_DATAERR;
	filter.campaign_id = call->id;
	return queue_redelivery(call, &filter);
}
