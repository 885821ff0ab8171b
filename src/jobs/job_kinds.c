/* SPDX-License-Identifier: MIT
 * The kinds of jobs. */
#include "jobs/job_kinds.h"

#include <stddef.h>

#include "jobs/job_fields.h"
#include "jobs/redelivery.h"
#include "os/clock.h"
#include "os/log.h"
#include "store/operator/campaign_settings.h"

/* Works on the job until the deadline. Sets how far it came, also when it returns an error of the database; its state and
 * error if it has ended. RESULT_NOT_FOUND: the job is not to be worked on any more. */
typedef enum result job_work(struct job_turn *turn);

static enum result
fail(struct job_turn *turn, const char *error)
{
	turn->job->state = JOB_FAILED;
	turn->job->error = slice_of(error);
	return RESULT_OK;
}

static enum result
finish(struct job_turn *turn, struct slice result)
{
	turn->job->state = JOB_DONE;
	turn->job->done = turn->job->total = 1;
	turn->job->result = result;
	return RESULT_OK;
}

static const char unreadable[] = "the parameters cannot be read: they are of another version";

/* ---- redelivery ---- */

/* Of a struct delivery_filter. The campaign is the job's. */
#define PLACE(member) offsetof(struct delivery_filter, member)
static const struct job_field filter_fields[] = {
	{ "webhook", JOB_FIELD_ID, PLACE(webhook_id) },
	{ "lead", JOB_FIELD_TEXT, PLACE(lead_social_id) },
	{ "event", JOB_FIELD_EVENT, PLACE(event) },
	{ "state", JOB_FIELD_STATE, PLACE(state) },
	{ "status", JOB_FIELD_ANSWER, PLACE(answer) },
	{ "since_ms", JOB_FIELD_TIME_MS, PLACE(since_ms) },
	{ "until_ms", JOB_FIELD_TIME_MS, PLACE(until_ms) },
	{ "limit", JOB_FIELD_LIMIT, PLACE(limit) },
};
#undef PLACE

#define PLACE(member) offsetof(struct redelivery_counts, member)
static const struct job_field count_fields[] = {
	{ "queued", JOB_FIELD_NUMBER, PLACE(queued) },
	{ "held", JOB_FIELD_NUMBER, PLACE(held) },
	{ "under_way", JOB_FIELD_NUMBER, PLACE(under_way) },
	{ "without_webhook", JOB_FIELD_NUMBER, PLACE(without_webhook) },
	{ "without_event", JOB_FIELD_NUMBER, PLACE(without_event) },
	{ "at_limit", JOB_FIELD_NUMBER, PLACE(at_limit) },
	{ "missing", JOB_FIELD_NUMBER, PLACE(missing) },
};
#undef PLACE

struct slice
job_redelivery_parameters(struct pool *pool, const struct delivery_filter *filter)
{
	return job_fields_write(pool, filter_fields, ARRAY_SIZE(filter_fields), filter, JOB_ABSENCES_OMITTED);
}

static const struct delivery_filter no_filter = { .event = -1, .state = -1, .since_ms = -1, .until_ms = -1, .limit = SIZE_MAX };

struct slice
job_parameters_without_lead(struct pool *pool, const struct operator_job *job)
{
	struct delivery_filter filter = no_filter;
	if (job->kind != JOB_REDELIVERY)
		return job->parameters;
	if (!job_fields_read(pool, filter_fields, ARRAY_SIZE(filter_fields), job->parameters, &filter))
		return SLICE_NONE;
	filter.lead_social_id = SLICE_NONE;
	return job_redelivery_parameters(pool, &filter);
}

struct redelivery_turn {
	struct job_turn *turn;
	struct redelivery_run run;
};

static struct id_set
under_way(void *context, struct pool *pool UNUSED)
{
	const struct redelivery_turn *r = context;
	return r->turn->under_way;
}

static void
set_progress(struct redelivery_turn *r, uint64_t position)
{
	const struct redelivery_counts *counts = &r->run.counts;
	struct operator_job *job = r->turn->job;
	job->position = position;
	job->done = counts->queued + counts->under_way + counts->without_webhook + counts->without_event + counts->at_limit +
		    counts->missing;
	job->result = job_fields_write(r->turn->pool, count_fields, ARRAY_SIZE(count_fields), counts, JOB_ABSENCES_OMITTED);
}

/* In the transaction of a piece: no crash repeats or loses one. */
static enum result
note_piece(void *context)
{
	struct redelivery_turn *r = context;
	set_progress(r, r->run.position);
	return store_note_job(r->turn->store, r->turn->owner, r->turn->job);
}

static enum result
redeliver(struct job_turn *turn)
{
	const struct operator_job *job = turn->job;
	struct delivery_filter filter = no_filter;
	struct redelivery_turn r = { .turn = turn,
		.run = { .store = turn->store, .under_way = under_way, .note = note_piece, .context = &r } };
	struct delivery_walk walk = { .below = job->position, .deadline_ms = turn->deadline_ms };
	filter.campaign_id = job->campaign_id;
	if (!job_fields_read(turn->pool, filter_fields, ARRAY_SIZE(filter_fields), job->parameters, &filter) ||
	    (slice_present(job->result) &&
		!job_fields_read(turn->pool, count_fields, ARRAY_SIZE(count_fields), job->result, &r.run.counts)))
		return fail(turn, unreadable);
	if (filter.limit != SIZE_MAX)
		filter.limit = job->done < filter.limit ? filter.limit - (size_t)job->done : 0;
	const enum result result = redelivery_of_filter(&r.run, &filter, &walk);
	if (result != RESULT_OK)
		return result;
	set_progress(&r, walk.below);
	turn->job->state = walk.done ? JOB_DONE : JOB_RUNNING;
	return RESULT_OK;
}

/* ---- tests ---- */

struct webhook_parameters {
	uint64_t webhook_id;
};
static const struct job_field webhook_fields[] = {
	{ "webhook", JOB_FIELD_ID, offsetof(struct webhook_parameters, webhook_id) },
};

struct slice
job_webhook_parameters(struct pool *pool, uint64_t webhook_id)
{
	const struct webhook_parameters values = { webhook_id };
	return job_fields_write(pool, webhook_fields, ARRAY_SIZE(webhook_fields), &values, JOB_ABSENCES_OMITTED);
}

/* Sent again after a crash. */
static enum result
test_webhook(struct job_turn *turn)
{
	struct webhook_parameters values = { 0 };
	struct webhook_test test;
	size_t count;
	const struct job_field *fields = job_webhook_test_fields(&count);
	if (!job_fields_read(turn->pool, webhook_fields, ARRAY_SIZE(webhook_fields), turn->job->parameters, &values))
		return fail(turn, unreadable);
	const enum result result = job_test_webhook(turn->settings, turn->store, turn->pool, values.webhook_id, &test);
	if (result == RESULT_NOT_FOUND)
		return fail(turn, "there is no such webhook");
	if (result == RESULT_REFUSED)
		return fail(turn, "nothing can be sent from the dispatcher's host; see its log");
	if (result == RESULT_OK && test.sealed)
		return fail(
		    turn, "URL or secret of the webhook cannot be opened on the dispatcher's host: see server.secrets_key");
	return result == RESULT_OK ? finish(turn, job_fields_write(turn->pool, fields, count, &test, JOB_ABSENCES_NULL))
				   : result;
}

struct mail_parameters {
	struct slice address;
};
static const struct job_field mail_fields[] = {
	{ "address", JOB_FIELD_TEXT, offsetof(struct mail_parameters, address) },
};

struct slice
job_mail_parameters(struct pool *pool, struct slice address)
{
	const struct mail_parameters values = { address };
	return job_fields_write(pool, mail_fields, ARRAY_SIZE(mail_fields), &values, JOB_ABSENCES_OMITTED);
}

/* Of a test or a sample. */
static enum result
finish_mail(struct job_turn *turn, enum result result, const struct mail_test *test)
{
	size_t count;
	const struct job_field *fields = job_mail_test_fields(&count);
	if (result == RESULT_OK && !test->accepted && atomic_load(turn->stop)) /* the next dispatcher sends it */
		return RESULT_OK;
	if (result == RESULT_REFUSED)
		return fail(turn, "mail is off: mail.host and mail.from are not set on the dispatcher's host");
	return result == RESULT_OK ? finish(turn, job_fields_write(turn->pool, fields, count, test, JOB_ABSENCES_NULL))
				   : result;
}

/* Sent again after a crash. */
static enum result
test_mail(struct job_turn *turn)
{
	struct mail_parameters values = { SLICE_NONE };
	struct mail_test test = { .accepted = false };
	if (!job_fields_read(turn->pool, mail_fields, ARRAY_SIZE(mail_fields), turn->job->parameters, &values) ||
	    !slice_present(values.address))
		return fail(turn, unreadable);
	const enum result result = job_test_mail(turn->settings, turn->store, turn->pool, values.address, turn->stop, &test);
	return finish_mail(turn, result, &test);
}

struct sample_parameters {
	struct slice address, kind, language;
};
#define PLACE(member) offsetof(struct sample_parameters, member)
static const struct job_field sample_fields[] = {
	{ "address", JOB_FIELD_TEXT, PLACE(address) },
	{ "kind", JOB_FIELD_TEXT, PLACE(kind) },
	{ "language", JOB_FIELD_TEXT, PLACE(language) },
};
#undef PLACE

struct slice
job_sample_parameters(struct pool *pool, const struct sample_mail *sample)
{
	const struct sample_parameters values = { sample->address, message_kind_name(sample->kind), sample->language };
	return job_fields_write(pool, sample_fields, ARRAY_SIZE(sample_fields), &values, JOB_ABSENCES_OMITTED);
}

/* Sent again after a crash. */
static enum result
send_sample(struct job_turn *turn)
{
	struct sample_parameters values = { SLICE_NONE, SLICE_NONE, SLICE_NONE };
	struct sample_mail sample = { .campaign_id = turn->job->campaign_id };
	struct mail_test test = { .accepted = false };
	if (!job_fields_read(turn->pool, sample_fields, ARRAY_SIZE(sample_fields), turn->job->parameters, &values) ||
	    !slice_present(values.address) || !message_kind_parse(values.kind, &sample.kind))
		return fail(turn, unreadable);
	sample.address = values.address;
	sample.language = values.language;
	const enum result result = job_send_sample(turn->settings, turn->store, turn->pool, &sample, turn->stop, &test);
	return result == RESULT_NOT_FOUND ? fail(turn, "there is no such campaign") : finish_mail(turn, result, &test);
}

/* ---- addresses ---- */

/* How far it came is in the campaign's own row (docs/architecture.md 5). It is shown in percent, because not every caller that
 * sees the job may count leads. */
static enum result
count_addresses(struct job_turn *turn)
{
	struct operator_job *job = turn->job;
	struct campaign campaign;
	int64_t now_ms;
	bool done = false;
	enum result result = RESULT_OK;
	do {
		result = store_count_addresses(turn->store, job->campaign_id, &done);
	} while (result == RESULT_OK && !done && clock_monotonic_ms() < turn->deadline_ms);
	if (result == RESULT_OK)
		result = store_find_campaign(turn->store, turn->pool, job->campaign_id, &campaign, &now_ms);
	if (result == RESULT_NOT_FOUND)
		return fail(turn, "there is no such campaign");
	if (result != RESULT_OK)
		return result;
	job->total = 100;
	job->done =
	    done ? job->total : UINT64_C(100) * campaign.ip_counted_to / (UINT64_C(1) + campaign.last_subscription_number);
	job->state = done ? JOB_DONE : JOB_RUNNING;
	return RESULT_OK;
}

/* ---- turns ---- */

static job_work *const kinds[JOB_KINDS] = {
	[JOB_REDELIVERY] = redeliver,
	[JOB_WEBHOOK_TEST] = test_webhook,
	[JOB_MAIL_TEST] = test_mail,
	[JOB_SAMPLE_MAIL] = send_sample,
	[JOB_ADDRESS_COUNT] = count_addresses,
};

static enum result
end(struct job_turn *turn)
{
	const struct operator_job *job = turn->job;
	const enum result result = store_end_job(turn->store, turn->owner, job);
	if (result == RESULT_OK)
		log_info("job_ended", LOG_UINT("operator_job", job->id), LOG_BYTES("kind", job->kind_name),
		    LOG_BYTES("state", job_state_name(job->state)));
	return result;
}

enum result
job_take_turn(struct job_turn *turn)
{
	struct operator_job *job = turn->job;
	enum result result = kinds[job->kind](turn);
	if (result == RESULT_FAILED || result == RESULT_REFUSED || result == RESULT_TOO_MANY)
		result = fail(turn, "it cannot be carried out; see the dispatcher's log");
	if (result == RESULT_OK)
		result = job->state == JOB_RUNNING ? store_note_job(turn->store, turn->owner, job) : end(turn);
	/* cancelled, removed, or another dispatcher's */
	return result == RESULT_NOT_FOUND ? RESULT_OK : result;
}
