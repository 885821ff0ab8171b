/* SPDX-License-Identifier: MIT
 * Statistics of campaigns and webhooks (docs/statistics.md). */
#include <inttypes.h>

#include "admin/campaigns/campaign_operations.h"
#include "base/duration.h"
#include "operation/progress.h"
#include "operation/value_types.h"
#include "store/queue/lead_counts.h"
#include "store/stats.h"

static bool
parse_step(struct value_reading *reading UNUSED, struct slice text, void *place)
{
	const bool hour = slice_equal(text, SLICE("hour"));
	*(unsigned *)place = hour ? 1 : STATS_DAY_HOURS;
	return hour || slice_equal(text, SLICE("day"));
}
static const struct value_type value_step = { .parse = parse_step, .expected = "hour or day" };

#define PERIOD_PARAMETERS(type, member)                               \
	OPTION("since", value_time, offsetof(type, member since_ms)), \
	    OPTION("until", value_time, offsetof(type, member until_ms))
static const struct parameter period_parameters[] = {
	PERIOD_PARAMETERS(struct stats_request, ),
	OPTION("by", value_step, offsetof(struct stats_request, step)),
};
static const struct stats_request period_defaults = { .since_ms = -1, .until_ms = -1, .step = STATS_DAY_HOURS };

static int
answer(struct operation_call *call, enum result result, const char *problem)
{
	return result == RESULT_REFUSED ? operation_fail(call, PROBLEM_INVALID, "%s", problem) : operation_answer(call, result);
}

static int64_t
hour_ms(uint64_t hour)
{
	return (int64_t)hour * HOUR_MS;
}

static void
add_period(struct output *output, const struct stats_period *period)
{
	output_text(output, "by", period->step == 1 ? SLICE("hour") : SLICE("day"));
	output_time(output, "since", hour_ms(period->from));
	output_time(output, "until", hour_ms(period->until));
}

static void
begin_point(struct output *output, const struct stats_period *period, size_t point)
{
	output_record(output);
	output_time(output, "time", hour_ms(period->from + point * period->step));
}

static void
add_leads(struct output *output, const struct lead_counts *counts)
{
	const struct campaign_counters *c = &counts->counters;
	output_u64(output, "signups", (uint64_t)c->leads + counts->deleted);
	output_u64(output, "deleted", counts->deleted);
	output_u64(output, "leads", c->leads);
	output_u64(output, "verified", c->verified);
	output_u64(output, "referred", c->referred);
	output_u64(output, "referred_verified", c->referred_verified);
	output_u64(output, "referrers", c->referrers);
	output_u64(output, "fraudulent", c->fraudulent);
	output_u64(output, "opted_out", c->opted_out);
	output_u64(output, "waitlisted", c->waitlisted);
	output_u64(output, "removed_from_waitlist", c->removed_from_waitlist);
}

static const struct output *
leads(struct pool *pool, const struct lead_counts *counts)
{
	struct output *object = output_new(pool, OUTPUT_OBJECT);
	output_record(object);
	add_leads(object, counts);
	return object;
}

static int
run_campaign_stats(struct operation_call *call)
{
	struct campaign_stats stats;
	const enum result result =
	    store_campaign_stats(call->store, call->pool, call->id, ARGUMENTS(call, struct stats_request), &stats);
	if (result != RESULT_OK)
		return answer(call, result, stats.problem);
	struct output *sources = output_new(call->pool, OUTPUT_ARRAY), *points = output_new(call->pool, OUTPUT_ARRAY);
	for (size_t i = 0; i < SOURCE_CLASSES; i++) {
		output_record(sources);
		output_text(sources, "source", source_class_names[i]);
		add_leads(sources, &stats.sources[i]);
	}
	for (size_t i = 0; i < stats_points(&stats.period); i++) {
		begin_point(points, &stats.period, i);
		add_leads(points, &stats.points[i]);
	}
	output_record(call->output);
	output_u64(call->output, "campaign_id", call->id);
	output_boolean(call->output, "complete", stats.complete);
	add_period(call->output, &stats.period);
	output_nested(call->output, "totals", leads(call->pool, &stats.total));
	output_nested(call->output, "previous", leads(call->pool, &stats.before));
	output_nested(call->output, "sources", sources);
	output_nested(call->output, "points", points);
	return EX_OK;
}

static bool
parse_kind(struct value_reading *reading, struct slice text, void *place)
{
	struct sources_request *request = place;
	uint32_t kind;
	if (!value_parse_word(reading, text, &kind))
		return false;
	request->first = request->last = (enum source_kind)kind;
	return true;
}

enum { VALUES_DEFAULT = 10, VALUES_MAX = 250 };
static const struct value_type value_kind = { .parse = parse_kind,
	.expected = "utm_source, utm_medium, utm_campaign, site or refused",
	.words = source_kind_names,
	.word_count = SOURCE_KINDS,
	.size = sizeof(uint32_t) };
static const struct value_type value_values = { NUMBER_TYPE(size_t, 1, VALUES_MAX), .expected = "a number from 1 to 250" };
static const struct parameter sources_parameters[] = {
	OPTION("kind", value_kind, 0),
	PERIOD_PARAMETERS(struct sources_request, period.),
	OPTION("limit", value_values, offsetof(struct sources_request, limit)),
};
static const struct sources_request sources_defaults = {
	.period = { .since_ms = -1, .until_ms = -1, .step = STATS_DAY_HOURS }, .last = SOURCE_KINDS - 1, .limit = VALUES_DEFAULT
};

static int
run_campaign_sources(struct operation_call *call)
{
	const struct sources_request *request = ARGUMENTS(call, struct sources_request);
	struct campaign_sources sources;
	const enum result result = store_campaign_sources(call->store, call->pool, call->id, request, &sources);
	if (result != RESULT_OK)
		return answer(call, result, sources.problem);
	for (size_t i = 0; i < sources.count; i++) {
		output_record(call->output);
		output_text(call->output, "kind", source_kind_names[sources.items[i].kind]);
		output_text(call->output, "value", sources.items[i].value);
		output_u64(call->output, "signups", sources.items[i].signups);
	}
	return EX_OK;
}

/* A negative number stands for an unknown one, which is shown as null. */
static void
add_known(struct output *output, const char *key, int64_t number)
{
	if (number < 0)
		output_text(output, key, SLICE_NONE);
	else
		output_i64(output, key, number);
}

/* Adds a percentile in milliseconds, which is not known if there were no attempts. */
static void
add_percentile(struct output *output, const char *key, const struct attempt_counts *counts, unsigned percent)
{
	add_known(output, key, latency_percentile(&counts->counts[ATTEMPT_T0], percent));
}

static void
add_attempts(struct output *output, const struct attempt_counts *counts)
{
	static const struct {
		const char *key;
		enum attempt_count count;
	} columns[] = {
		{ "attempts", ATTEMPT_MADE },
		{ "delivered", ATTEMPT_DELIVERED },
		{ "failed", ATTEMPT_FAILED },
		{ "no_answer", ATTEMPT_NO_ANSWER },
		{ "answers_3xx", ATTEMPT_ANSWERS_3XX },
		{ "answers_4xx", ATTEMPT_ANSWERS_4XX },
		{ "answers_5xx", ATTEMPT_ANSWERS_5XX },
	};
	for (size_t i = 0; i < ARRAY_SIZE(columns); i++)
		output_u64(output, columns[i].key, counts->counts[columns[i].count]);
	add_percentile(output, "p50_ms", counts, 50);
	add_percentile(output, "p95_ms", counts, 95);
}

static const struct output *
attempts(struct pool *pool, const struct attempt_counts *counts)
{
	struct output *object = output_new(pool, OUTPUT_OBJECT);
	output_record(object);
	add_attempts(object, counts);
	return object;
}

static int
run_webhook_stats(struct operation_call *call)
{
	struct webhook_stats stats;
	const enum result result =
	    store_webhook_stats(call->store, call->pool, call->id, ARGUMENTS(call, struct stats_request), &stats);
	if (result != RESULT_OK)
		return answer(call, result, stats.problem);
	struct output *points = output_new(call->pool, OUTPUT_ARRAY);
	for (size_t i = 0; i < stats_points(&stats.period); i++) {
		begin_point(points, &stats.period, i);
		add_attempts(points, &stats.points[i]);
	}
	output_record(call->output);
	output_u64(call->output, "webhook_id", call->id);
	output_time(call->output, "counted_from", stats.counted_from_ms);
	add_period(call->output, &stats.period);
	output_nested(call->output, "totals", attempts(call->pool, &stats.total));
	output_nested(call->output, "previous", attempts(call->pool, &stats.before));
	output_nested(call->output, "points", points);
	return EX_OK;
}

static uint64_t
sum_of_days(const uint32_t *days, size_t first, size_t count)
{
	uint64_t sum = 0;
	for (size_t i = first; i < first + count; i++)
		sum += days[i];
	return sum;
}

static struct slice
days_as_json(struct pool *pool, const uint32_t *days)
{
	struct slice list = SLICE("");
	for (size_t i = 0; i < OVERVIEW_DAYS; i++)
		list = pool_printf(pool, "%.*s%s%" PRIu32, SLICE_ARGS(list), i == 0 ? "" : ",", days[i]);
	return POOL_JOIN(pool, SLICE("["), list, SLICE("]"));
}

static void
add_overview(
    struct operation_call *call, const struct campaign *campaign, const struct campaign_overview *overview, int64_t now_ms)
{
	enum { WEEK = 7 };
	struct output *output = call->output;
	const uint32_t *days = overview->signups;
	const uint64_t leads = campaign->counters.leads, verified = campaign->counters.verified;
	output_record(output);
	output_u64(output, "id", campaign->id);
	output_text(output, "name", campaign->name);
	output_u64(output, "account_id", campaign->account_id);
	output_u64(output, "leads", leads);
	output_u64(output, "verified", verified);
	output_u64(output, "verified_percent", leads == 0 ? 0 : (100 * verified + leads / 2) / leads);
	output_u64(output, "referred", campaign->counters.referred);
	add_known(output, "referrers", overview->referrers);
	output_u64(output, "today", days[OVERVIEW_DAYS - 1]);
	output_u64(output, "last_7_days", sum_of_days(days, OVERVIEW_DAYS - WEEK, WEEK));
	output_u64(output, "previous_7_days", sum_of_days(days, OVERVIEW_DAYS - 2 * WEEK, WEEK));
	output_json(output, "days", days_as_json(call->pool, days));
	output_text(output, "state", campaign_has_ended(campaign, now_ms) ? SLICE("ended") : SLICE("active"));
	output_time(output, "ends_at", campaign->ends_ms);
	output_u64(output, "webhooks", overview->webhooks);
	output_u64(output, "webhooks_failing", overview->webhooks_failing);
	output_u64(output, "webhooks_disabled", overview->webhooks_disabled);
	output_time(output, "oldest_due_at", overview->oldest_due_ms);
}

static int
run_campaign_overview(struct operation_call *call)
{
	struct campaign *campaigns;
	size_t count = 0;
	int64_t now_ms;
	enum result result = campaigns_of_caller(call, value_large_part(call), &campaigns, &count, &now_ms);
	struct campaign_overview *overviews = POOL_ARRAY(call->pool, count, struct campaign_overview);
	for (size_t i = 0; i < count; i++)
		overviews[i].campaign_id = campaigns[i].id;
	if (result == RESULT_OK)
		result = store_campaign_overviews(call->store, call->pool, now_ms, overviews, count);
	for (size_t i = 0; result == RESULT_OK && i < count; i++)
		add_overview(call, &campaigns[i], &overviews[i], now_ms);
	return operation_answer(call, result);
}

/* Sign-ups continue meanwhile. If the count is interrupted, the dispatcher completes it. */
static enum result
rebuild(struct operation_call *call, uint64_t campaign_id)
{
	enum result result = store_recount_hours(call->store, campaign_id);
	for (bool done = false; result == RESULT_OK && !done;)
		result = store_count_hours(call->store, campaign_id, &done);
	return result;
}

static enum result
rebuild_all(struct operation_call *call, size_t *count)
{
	struct campaign *campaigns;
	int64_t now_ms;
	enum result result = store_list_campaigns(call->store, call->pool, 0, LIST_ALL, &campaigns, count, &now_ms);
	struct progress progress = progress_begin(call->errors, "campaigns", *count);
	for (size_t i = 0; result == RESULT_OK && i < *count; i++) {
		result = rebuild(call, campaigns[i].id);
		if (result == RESULT_NOT_FOUND)
			result = RESULT_OK; /* the campaign was removed meanwhile */
		progress_show(&progress, i + 1, i + 1);
	}
	progress_end(&progress);
	return result;
}

static int
run_stats_rebuild(struct operation_call *call)
{
	size_t count = 1;
	const enum result result = call->id == 0 ? rebuild_all(call, &count) : rebuild(call, call->id);
	return operation_answer_number(call, result, "campaigns", count);
}

OPERATION(campaign_overview, "campaign overview", "[ACCOUNT] [--limit N] [--after N]",
    "show the sign-ups of all campaigns in the last days", run_campaign_overview, .subject = &subject_account,
    .subject_is_optional = true, PARAMETERS(value_large_part_parameters, struct list_part), .shape = OUTPUT_ARRAY,
    HTTP(GET, "overview", RIGHT_STATS));
OPERATION(campaign_stats, "campaign stats", "CAMPAIGN [--since TIME] [--until TIME] [--by hour|day]",
    "count the sign-ups of a campaign by hour or day", run_campaign_stats, .subject = &subject_campaign,
    PARAMETERS(period_parameters, struct stats_request), .defaults = &period_defaults,
    HTTP(GET, "campaigns/{campaign}/stats", RIGHT_STATS));
OPERATION(campaign_sources, "campaign sources", "CAMPAIGN [--kind KIND] [--since TIME] [--until TIME] [--limit N]",
    "count the sign-ups of a campaign by utm parameter and site", run_campaign_sources, .subject = &subject_campaign,
    PARAMETERS(sources_parameters, struct sources_request), .defaults = &sources_defaults, .shape = OUTPUT_ARRAY,
    HTTP(GET, "campaigns/{campaign}/sources", RIGHT_STATS));
OPERATION(webhook_stats, "webhook stats", "WEBHOOK [--since TIME] [--until TIME] [--by hour|day]",
    "count the attempts of a webhook by hour or day", run_webhook_stats, .subject = &subject_webhook,
    PARAMETERS(period_parameters, struct stats_request), .defaults = &period_defaults,
    HTTP(GET, "webhooks/{webhook}/stats", RIGHT_STATS | RIGHT_HOOKS));
OPERATION(stats_rebuild, "stats rebuild", "[CAMPAIGN]", "count the leads of the statistics again", run_stats_rebuild,
    .subject = &subject_campaign, .subject_is_optional = true, .effect = CHANGES);
