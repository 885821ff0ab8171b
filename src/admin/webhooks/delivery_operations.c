/* SPDX-License-Identifier: MIT
 * Deliveries: list, show and redeliver (docs/operating.md 4, leadhook(1)). */
#include "admin/webhooks/delivery_operations.h"

#include <inttypes.h>

#include "admin/jobs/job_operations.h"
#include "base/utf8.h"
#include "deliver/lock.h"
#include "engine/events.h"
#include "jobs/job_parameters.h"
#include "jobs/redelivery.h"
#include "operation/progress.h"
#include "operation/value_types.h"
#include "os/clock.h"
#include "store/operator/deliveries.h"
#include "store/operator/lead_names.h"
#include "store/operator/webhook_admin.h"
#include "store/queue/redeliver.h"

struct slice
delivery_waits_for(const struct operation_call *call, const struct delivery_row *delivery, const struct dispatcher_seen *here)
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
	if (open) /* even while its probe is under way or due */
		return SLICE("breaker");
	if (held_ms > now_ms)
		return SLICE("receiver");
	if (slice_present(delivery->leased_by) && !slice_equal(delivery->leased_by, here->owner))
		return SLICE("other_dispatcher");
	/* other deliveries of the webhook may come first */
	return delivery->webhook_rate > 0 && slice_present(delivery->leased_by) ? SLICE("rate") : SLICE("dispatcher");
}

struct dispatcher_seen
dispatcher_of_host(struct operation_call *call)
{
	return lock_read(call->pool, call->conf->dispatch.lock_file);
}

READ_TYPE(value_event, event_parse, enum event_type, "the name of an event");
READ_TYPE(value_state, delivery_state_parse, enum delivery_state, "pending, delivered or failed");
READ_TYPE(value_answer, answer_class_parse, enum answer_class, "1xx, 2xx, 3xx, 4xx, 5xx or error");
static const struct value_type value_delivery = { ID_TYPE, .expected = "the id of a delivery" };

#define PLACE(member) offsetof(struct delivery_filter, member)
#define FILTERS_IN_CAMPAIGN(place_of_filter, limit_type)                                \
	OPTION("webhook", value_webhook, (place_of_filter) + PLACE(webhook_id)),        \
	    OPTION("lead", value_social_id, (place_of_filter) + PLACE(lead_social_id)), \
	    OPTION("event", value_event, (place_of_filter) + PLACE(event)),             \
	    OPTION("state", value_state, (place_of_filter) + PLACE(state)),             \
	    OPTION("status", value_answer, (place_of_filter) + PLACE(answer)),          \
	    OPTION("since", value_time, (place_of_filter) + PLACE(since_ms)),           \
	    OPTION("until", value_time, (place_of_filter) + PLACE(until_ms)),           \
	    OPTION("limit", limit_type, (place_of_filter) + PLACE(limit))
static const struct parameter list_parameters[] = {
	OPTION("campaign", value_campaign, PLACE(campaign_id)),
	FILTERS_IN_CAMPAIGN(0, value_limit),
	OPTION("after", value_delivery, PLACE(after)),
};
static const struct parameter count_parameters[] = {
	OPTION("campaign", value_campaign, PLACE(campaign_id)),
	FILTERS_IN_CAMPAIGN(0, value_job_limit),
};
static const struct parameter campaign_parameters[] = { FILTERS_IN_CAMPAIGN(0, value_job_limit) };
#define FILTER_DEFAULTS(most)                                                           \
	{                                                                               \
		.event = -1, .state = -1, .since_ms = -1, .until_ms = -1, .limit = most \
	}
static const struct delivery_filter list_defaults = FILTER_DEFAULTS(VALUE_LIMIT_DEFAULT),
				    count_defaults = FILTER_DEFAULTS(DELIVERIES_COUNTED),
				    all_defaults = FILTER_DEFAULTS(SIZE_MAX);

/* Whether the caller may see which event happened to which lead. The event alone would show whether an address that has just
 * signed up was new. */
static bool
shows_events(const struct operation_call *call)
{
	return caller_has_right(call->caller, RIGHT_LEADS);
}

/* Checks that the caller may use the filter, and that the campaign in it exists. Returns 0, or a status after reporting the
 * error. */
static int
check_filter(struct operation_call *call, const struct delivery_filter *filter)
{
	static const char *const personal[] = { "lead", "event" };
	struct campaign campaign;
	int64_t now_ms;
	for (size_t i = 0; i < ARRAY_SIZE(personal) && !shows_events(call); i++)
		if (parameter_is_given(call, personal[i]))
			return operation_fail_value(
			    call, PROBLEM_FORBIDDEN, personal[i], "the deliveries of one lead or event need the right leads");
	if (filter->campaign_id == 0)
		return EX_OK;
	const enum result result = store_find_campaign(call->store, call->pool, filter->campaign_id, &campaign, &now_ms);
	return result == RESULT_NOT_FOUND
		   ? operation_fail(call, PROBLEM_NOT_FOUND, "there is no campaign %" PRIu64, filter->campaign_id)
		   : operation_answer(call, result);
}

/* What all rows of a list need. */
struct shown {
	struct operation_call *call;
	struct dispatcher_seen dispatcher;
	struct lead_names leads; /* empty for a caller without the right to read leads */
};

static enum result
find_shown(struct operation_call *call, const struct delivery_row *deliveries, size_t count, struct shown *shown)
{
	uint64_t *ids = POOL_ARRAY(call->pool, count, uint64_t);
	*shown = (struct shown){ .call = call, .dispatcher = dispatcher_of_host(call) };
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
	output_text(output, "waiting_for", delivery_waits_for(shown->call, delivery, &shown->dispatcher));
	output_time(output, "created_at", delivery->created_ms);
	output_text(output, "lead_name", lead == NULL ? SLICE_NONE : lead->display_name);
	output_text(output, "lead_email", lead == NULL ? SLICE_NONE : lead->email);
}

static int
run_delivery_list(struct operation_call *call)
{
	const struct delivery_filter *filter = ARGUMENTS(call, struct delivery_filter);
	struct delivery_list list;
	struct shown shown;
	const int status = check_filter(call, filter);
	if (status != EX_OK)
		return status;
	enum result result = store_list_deliveries(call->store, call->pool, filter, &list);
	if (result == RESULT_OK)
		result = find_shown(call, list.deliveries, list.count, &shown);
	for (size_t i = 0; result == RESULT_OK && i < list.count; i++)
		add_delivery(&shown, &list.deliveries[i]);
	if (result == RESULT_OK && list.next != 0)
		operation_next_id(call, list.next);
	return operation_answer(call, result);
}

static struct output *
log_of(const struct operation_call *call, const struct delivery_details *delivery)
{
	struct output *log = output_new(call->pool, OUTPUT_ARRAY);
	for (size_t i = 0; i < delivery->attempt_count; i++) {
		const struct attempt_row *attempt = &delivery->attempts[i];
		output_record(log);
		output_u64(log, "attempt", attempt->attempt);
		output_time(log, "at", attempt->started_ms);
		output_u64(log, "duration_ms", (uint64_t)attempt->duration_ms);
		output_u64_or_null(log, "status", (uint64_t)attempt->status);
		output_text(log, "error", attempt->error);
		output_text(log, "answer",
		    attempt->status == 0 || !shows_events(call) ? SLICE_NONE : utf8_sanitized(call->pool, attempt->answer));
	}
	return log;
}

static int
run_delivery_show(struct operation_call *call)
{
	struct delivery_details delivery;
	struct shown shown;
	enum result result = store_find_delivery(call->store, call->pool, call->id, &delivery);
	if (result == RESULT_OK)
		result = find_shown(call, &delivery.row, 1, &shown);
	if (result != RESULT_OK)
		return operation_answer(call, result);
	add_delivery(&shown, &delivery.row);
	output_u64(call->output, "campaign", delivery.row.campaign_id);
	output_text(call->output, "url", delivery.url);
	output_text(call->output, "message_id", delivery.message_id);
	output_text(call->output, "format", delivery.form ? SLICE("form") : SLICE("json"));
	/* a payload is about a lead, and receivers repeat it in their answers */
	output_json(call->output, "payload", shows_events(call) ? delivery.payload : SLICE("null"));
	output_nested(call->output, "log", log_of(call, &delivery));
	return EX_OK;
}

static int
run_delivery_count(struct operation_call *call)
{
	const struct delivery_filter *filter = ARGUMENTS(call, struct delivery_filter);
	uint64_t count;
	bool more;
	const int status = check_filter(call, filter);
	if (status != EX_OK)
		return status;
	const enum result result = store_count_deliveries(call->store, filter, &count, &more);
	if (result != RESULT_OK)
		return operation_answer(call, result);
	output_record(call->output);
	output_u64(call->output, "count", count);
	output_boolean(call->output, "more", more);
	return EX_OK;
}

/* A run of `delivery redeliver`. */
struct redelivery_command {
	struct operation_call *call;
	struct redelivery_run redelivery;
	bool named; /* the deliveries were given by id: each one that is not queued is reported */
	struct progress progress;
};

/* The ends of messages that begin with "delivery 7" or "1" (`one`), or with a larger number (`several`). */
static const struct {
	const char *one, *several;
	size_t place; /* of the count in struct redelivery_counts */
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
	return lock_read(pool, r->call->conf->dispatch.lock_file).under_way;
}

static void
report(void *context, uint64_t id, unsigned what)
{
	struct redelivery_command *r = context;
	if (r->named && not_queued[what].one != NULL)
		operation_warn(r->call, "delivery %" PRIu64 " %s", id, not_queued[what].one);
	progress_show(&r->progress, r->redelivery.counts.queued, 0);
}

/* Reports the deliveries that were not queued or have to wait. */
static void
report_not_sent(const struct redelivery_command *r)
{
	const struct redelivery_counts *counts = &r->redelivery.counts;
	const uint64_t held = counts->held;
	for (size_t i = 0; i < REDELIVERY_RESULTS && !r->named; i++) {
		const uint64_t count = *(const uint64_t *)((const char *)counts + not_queued[i].place);
		if (not_queued[i].one != NULL && count > 0)
			operation_warn(
			    r->call, "%" PRIu64 " %s", count, count == 1 ? not_queued[i].one : not_queued[i].several);
	}
	if (held > 0)
		operation_warn(r->call,
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

struct delivery_ids {
	uint64_t *items;
	size_t count, capacity;
};

static bool
parse_delivery(struct value_reading *reading, struct slice text, void *place)
{
	struct delivery_ids *ids = place;
	uint64_t id;
	if (!value_is_id(text, &id))
		return false;
	if (contains(ids->items, ids->count, id))
		return true;
	ids->items = pool_grow(reading->pool, ids->items, ids->count, &ids->capacity, sizeof(*ids->items));
	ids->items[ids->count++] = id;
	return true;
}
static const struct value_type value_deliveries = {
	.parse = parse_delivery, .form = VALUE_EACH, .noun = "delivery", .kind = OWNED_DELIVERY
};

struct redeliver {
	struct delivery_ids ids;
	struct delivery_filter filter;
	bool queue;
};
#define IN_FILTER(member) offsetof(struct redeliver, filter.member)
static const struct parameter redeliver_parameters[] = {
	OPTIONAL_OPERAND("deliveries", value_deliveries, offsetof(struct redeliver, ids)),
	OPTION("campaign", value_campaign, IN_FILTER(campaign_id)),
	FILTERS_IN_CAMPAIGN(offsetof(struct redeliver, filter), value_job_limit),
	OPTION_WITH("queue", value_on, offsetof(struct redeliver, queue), PARAMETER_SHELL),
};
#undef IN_FILTER
static const struct redeliver redeliver_defaults = { .filter = FILTER_DEFAULTS(SIZE_MAX) };

/* In the table, the filters stand between the ids and the switch. */
static bool
has_filter(const struct operation_call *call)
{
	for (size_t i = 1; i + 1 < ARRAY_SIZE(redeliver_parameters); i++)
		if (call->given[i])
			return true;
	return false;
}

/* The job belongs to the campaign in the filter, or to the campaign of the webhook in the filter. */
static int
queue_redelivery(struct operation_call *call, const struct delivery_filter *filter)
{
	uint64_t campaign_id = filter->campaign_id;
	struct webhook_details webhook;
	enum result result = RESULT_OK;
	if (filter->webhook_id != 0) {
		result = store_find_webhook(call->store, call->pool, filter->webhook_id, &webhook);
		if (result == RESULT_NOT_FOUND ||
		    (result == RESULT_OK && campaign_id != 0 && webhook.row.campaign_id != campaign_id))
			return operation_fail(call, PROBLEM_NOT_FOUND, "there is no such webhook");
		if (result == RESULT_OK)
			campaign_id = webhook.row.campaign_id;
	}
	return result == RESULT_OK
		   ? queued_job_add(call, campaign_id, JOB_REDELIVERY, job_redelivery_parameters(call->pool, filter))
		   : operation_answer(call, result);
}

static int
run_redelivery(struct redelivery_command *r, const uint64_t *ids, size_t count, const struct delivery_filter *filter)
{
	struct operation_call *call = r->call;
	const uint64_t *queued = &r->redelivery.counts.queued;
	struct delivery_walk walk = { .deadline_ms = CLOCK_NEVER };
	const enum result result =
	    r->named ? redelivery_of_ids(&r->redelivery, ids, count) : redelivery_of_filter(&r->redelivery, filter, &walk);
	progress_end(&r->progress);
	if (result == RESULT_OK)
		report_not_sent(r);
	if (result == RESULT_OK && r->named && *queued == 0)
		return EX_DATAERR;
	if (result == RESULT_OK || *queued > 0) {
		output_record(call->output);
		output_u64(call->output, "queued", *queued);
	}
	return operation_answer(call, result);
}

/* Deliveries that were queued before an error stay queued, and are counted in the output. */
static int
run_delivery_redeliver(struct operation_call *call)
{
	const struct redeliver *arguments = ARGUMENTS(call, struct redeliver);
	struct redelivery_command r = { .call = call,
		.redelivery = { .store = call->store, .under_way = under_way, .report = report, .context = &r },
		.named = arguments->ids.count > 0,
		.progress = progress_begin(call->errors, "queued", 0) };
	if (r.named == has_filter(call) || (call->is_remote && !r.named))
		return operation_fail(call, PROBLEM_USAGE,
		    call->is_remote ? "expected the ids of deliveries" : "expected ids of deliveries, or filters");
	if (r.named && arguments->queue)
		return operation_fail_value(call, PROBLEM_USAGE, "queue", "only with a filter");
	const int status = check_filter(call, &arguments->filter);
	if (status != EX_OK)
		return status;
	return arguments->queue ? queue_redelivery(call, &arguments->filter)
				: run_redelivery(&r, arguments->ids.items, arguments->ids.count, &arguments->filter);
}

/* The same as `delivery redeliver --campaign ID --queue`. */
static int
run_campaign_redeliver(struct operation_call *call)
{
	struct delivery_filter filter = *ARGUMENTS(call, struct delivery_filter);
	const int status = check_filter(call, &filter);
	filter.campaign_id = call->id;
	return status == EX_OK ? queue_redelivery(call, &filter) : status;
}

OPERATION(delivery_list, "delivery list", "[FILTER...] [--after PLACE]", "list deliveries, latest day first", run_delivery_list,
    PARAMETERS(list_parameters, struct delivery_filter), .defaults = &list_defaults, .shape = OUTPUT_ARRAY,
    HTTP(GET, "campaigns/{campaign}/deliveries", RIGHT_HOOKS));
OPERATION(delivery_show, "delivery show", "DELIVERY", "show a delivery, its payload and its attempts", run_delivery_show,
    .subject = &subject_delivery, HTTP(GET, "deliveries/{delivery}", RIGHT_HOOKS));
OPERATION(delivery_count, "delivery count", "[FILTER...]", "count deliveries", run_delivery_count,
    PARAMETERS(count_parameters, struct delivery_filter), .defaults = &count_defaults,
    HTTP(GET, "campaigns/{campaign}/deliveries/count", RIGHT_HOOKS));
OPERATION(delivery_redeliver, "delivery redeliver", "DELIVERY...|FILTER... [--queue]", "send deliveries again",
    run_delivery_redeliver, PARAMETERS(redeliver_parameters, struct redeliver), .defaults = &redeliver_defaults,
    HTTP(POST, "deliveries/redeliver", RIGHT_HOOKS), .effect = CHANGES);
OPERATION(campaign_redeliver, "campaign redeliver", "CAMPAIGN [FILTER...]",
    "let the dispatcher send deliveries of a campaign again", run_campaign_redeliver, .subject = &subject_campaign,
    PARAMETERS(campaign_parameters, struct delivery_filter), .defaults = &all_defaults,
    HTTP(POST, "campaigns/{campaign}/redeliver", RIGHT_HOOKS), .effect = QUEUES);
