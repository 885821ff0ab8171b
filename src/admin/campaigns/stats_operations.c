/* SPDX-License-Identifier: MIT
 * Statistics of campaigns and webhooks (docs/statistics.md). */
#include <inttypes.h>
#include <stddef.h>
#include <sysexits.h>

#include "admin/operations.h"
#include "operation/progress.h"
#include "operation/value_types.h"
#include "store/operator/admin.h"
#include "store/queue/hours.h"
#include "store/stats.h"

static bool
read_step(struct pool *pool UNUSED, struct slice text, void *place, struct slice *bad UNUSED)
{
	const bool hour = slice_equal(text, SLICE("hour"));
	*(unsigned *)place = hour ? 1 : STATS_DAY_HOURS;
	return hour || slice_equal(text, SLICE("day"));
}

#define PLACE(member) offsetof(struct stats_request, member)
static const struct value_option period_options[] = {
	{ OPTION_SINCE, value_time, PLACE(since_ms), "a date or a time as in RFC 3339, such as 2026-10-01" },
	{ OPTION_UNTIL, value_time, PLACE(until_ms), "a date or a time as in RFC 3339, such as 2026-10-01" },
	{ OPTION_BY, read_step, PLACE(step), "hour or day" },
};

/* Reports an invalid option and returns false: EX_DATAERR. */
static bool
read_request(struct admin_call *call, struct stats_request *request)
{
	*request = (struct stats_request){ .since_ms = -1, .until_ms = -1, .step = STATS_DAY_HOURS };
	return values_take(call, period_options, ARRAY_SIZE(period_options), request);
}

static int
answer(struct admin_call *call, enum result result, const char *problem)
{
	return result == RESULT_INVALID ? admin_fail(call, PROBLEM_INVALID, "%s", problem) : admin_answer(call, result);
}

static int64_t
hour_ms(uint64_t hour)
{
	return (int64_t)hour * STATS_HOUR_MS;
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

int
admin_campaign_stats(struct admin_call *call)
{
	struct stats_request request;
	struct campaign_stats stats;
	if (!read_request(call, &request))
		return EX_DATAERR;
	const enum result result = store_campaign_stats(call->store, call->pool, call->id, &request, &stats);
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
read_kind(struct pool *pool UNUSED, struct slice text, void *place, struct slice *bad UNUSED)
{
	struct sources_request *request = place;
	for (size_t i = 0; i < SOURCE_KINDS; i++)
		if (slice_equal(text, source_kind_names[i])) {
			request->first = request->last = (enum source_kind)i;
			return true;
		}
	return false;
}

enum { VALUES_DEFAULT = 10, VALUES_MAX = 250 };

static bool
read_values(struct pool *pool UNUSED, struct slice text, void *place, struct slice *bad UNUSED)
{
	uint64_t limit;
	if (!slice_to_u64(text, VALUES_MAX, &limit) || limit == 0)
		return false;
	*(size_t *)place = (size_t)limit;
	return true;
}

int
admin_campaign_sources(struct admin_call *call)
{
	static const struct value_option options[] = {
		{ OPTION_KIND, read_kind, 0, "utm_source, utm_medium, utm_campaign, site or refused" },
		{ OPTION_LIMIT, read_values, offsetof(struct sources_request, limit), "a number from 1 to 250" },
	};
	struct sources_request request = { .last = SOURCE_KINDS - 1, .limit = VALUES_DEFAULT };
	struct campaign_sources sources;
	if (!read_request(call, &request.period) || !values_take(call, options, ARRAY_SIZE(options), &request))
		return EX_DATAERR;
	const enum result result = store_campaign_sources(call->store, call->pool, call->id, &request, &sources);
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

/* -1 is not known, and becomes null. */
static void
add_known(struct output *output, const char *key, int64_t number)
{
	if (number < 0)
		output_text(output, key, SLICE_NONE);
	else
		output_i64(output, key, number);
}

/* In ms; not known without attempts. */
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

int
admin_webhook_stats(struct admin_call *call)
{
	struct stats_request request;
	struct webhook_stats stats;
	if (!read_request(call, &request))
		return EX_DATAERR;
	const enum result result = store_webhook_stats(call->store, call->pool, call->id, &request, &stats);
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
add_overview(struct admin_call *call, const struct campaign *campaign, const struct campaign_overview *overview, int64_t now_ms)
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

int
admin_campaign_overview(struct admin_call *call)
{
	struct campaign *campaigns;
	struct list_part part;
	size_t count = 0;
	int64_t now_ms;
	if (!values_take_large_part(call, &part))
		return EX_DATAERR;
	enum result result = admin_find_campaigns(call, part, &campaigns, &count, &now_ms);
	struct campaign_overview *overviews = POOL_ARRAY(call->pool, count, struct campaign_overview);
	for (size_t i = 0; i < count; i++)
		overviews[i].campaign_id = campaigns[i].id;
	if (result == RESULT_OK)
		result = store_campaign_overviews(call->store, call->pool, now_ms, overviews, count);
	for (size_t i = 0; result == RESULT_OK && i < count; i++)
		add_overview(call, &campaigns[i], &overviews[i], now_ms);
	return admin_answer(call, result);
}

/* Sign-ups go on; an interrupted count is continued by the dispatcher. */
static enum result
rebuild(struct admin_call *call, uint64_t campaign_id)
{
	enum result result = store_recount_hours(call->store, campaign_id);
	for (bool done = false; result == RESULT_OK && !done;)
		result = store_count_hours(call->store, campaign_id, &done);
	return result;
}

static enum result
rebuild_all(struct admin_call *call, size_t *count)
{
	struct campaign *campaigns;
	int64_t now_ms;
	enum result result = store_list_campaigns(call->store, call->pool, 0, LIST_ALL, &campaigns, count, &now_ms);
	struct progress progress = progress_begin(call->errors, "campaigns", *count);
	for (size_t i = 0; result == RESULT_OK && i < *count; i++) {
		result = rebuild(call, campaigns[i].id);
		if (result == RESULT_NOT_FOUND)
			result = RESULT_OK; /* it was removed meanwhile */
		progress_show(&progress, i + 1, i + 1);
	}
	progress_end(&progress);
	return result;
}

int
admin_stats_rebuild(struct admin_call *call)
{
	size_t count = 1;
	const enum result result = call->id == 0 ? rebuild_all(call, &count) : rebuild(call, call->id);
	if (result != RESULT_OK)
		return admin_answer(call, result);
	output_record(call->output);
	output_u64(call->output, "campaigns", count);
	return EX_OK;
}
