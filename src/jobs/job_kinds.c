/* SPDX-License-Identifier: MIT
 * The kinds of jobs. */
#include "jobs/job_kinds.h"

#include <stddef.h>

#include "jobs/job_parameters.h"
#include "jobs/redelivery.h"
#include "jobs/test_mails.h"
#include "jobs/webhook_test.h"
#include "os/clock.h"
#include "os/log.h"
#include "store/find.h"
#include "store/operator/campaign_settings.h"

/* Works on the job until the deadline. Sets the job's progress, even when it returns a database error, and the job's state and
 * error if the job has ended. RESULT_NOT_FOUND: this dispatcher may no longer work on the job. */
typedef enum result job_work(struct job_turn *turn);

static enum result
fail(struct job_turn *turn, const char *error)
{
	turn->job->state = JOB_FAILED;
	turn->job->error = slice_of(error);
	return RESULT_OK;
}

/* If the work returned RESULT_OK, ends the job with the values as its result. */
static enum result
finish(struct job_turn *turn, enum result result, const struct job_field *fields, const void *values)
{
	if (result != RESULT_OK)
		return result;
	turn->job->state = JOB_DONE;
	turn->job->done = turn->job->total = 1;
	turn->job->result = job_fields_write(turn->pool, fields, values, JOB_ABSENCES_NULL);
	return RESULT_OK;
}

static const char unreadable[] = "the parameters cannot be read: they are of another version";

/* ---- redelivery ---- */

#define PLACE(member) offsetof(struct redelivery_counts, member)
static const struct job_field count_fields[] = {
	{ "queued", JOB_FIELD_NUMBER, PLACE(queued) },
	{ "held", JOB_FIELD_NUMBER, PLACE(held) },
	{ "under_way", JOB_FIELD_NUMBER, PLACE(under_way) },
	{ "without_webhook", JOB_FIELD_NUMBER, PLACE(without_webhook) },
	{ "without_event", JOB_FIELD_NUMBER, PLACE(without_event) },
	{ "at_limit", JOB_FIELD_NUMBER, PLACE(at_limit) },
	{ "missing", JOB_FIELD_NUMBER, PLACE(missing) },
	{ .name = NULL },
};
#undef PLACE

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
	job->result = job_fields_write(r->turn->pool, count_fields, counts, JOB_ABSENCES_OMITTED);
}

/* Stores the progress in the transaction that redelivers a group of deliveries, so that a crash neither repeats nor loses one.
 */
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
	struct delivery_filter filter;
	struct redelivery_turn r = { .turn = turn,
		.run = { .store = turn->store, .under_way = under_way, .note = note_piece, .context = &r } };
	struct delivery_walk walk = { .below = job->position, .deadline_ms = turn->deadline_ms };
	if (!job_read_filter(turn->pool, job, &filter) ||
	    (slice_present(job->result) && !job_fields_read(turn->pool, count_fields, job->result, &r.run.counts)))
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

/* ---- tests: after a crash, they are sent again ---- */

static enum result
test_webhook(struct job_turn *turn)
{
	struct job_test values;
	struct webhook_test test;
	if (!job_read_test(turn->pool, turn->job, &values))
		return fail(turn, unreadable);
	const enum result result = job_test_webhook(turn->settings, turn->store, turn->pool, values.webhook_id, &test);
	if (result == RESULT_NOT_FOUND)
		return fail(turn, "there is no such webhook");
	if (result == RESULT_REFUSED)
		return fail(turn, "nothing can be sent from the dispatcher's host; see its log");
	if (result == RESULT_OK && test.sealed)
		return fail(
		    turn, "URL or secret of the webhook cannot be opened on the dispatcher's host: see server.secrets_key");
	return finish(turn, result, webhook_test_fields, &test);
}

/* Ends the job of a test or a sample. */
static enum result
finish_mail(struct job_turn *turn, enum result result, const struct mail_test *test)
{
	if (result == RESULT_OK && !test->accepted && atomic_load(turn->stop)) /* abandoned: the next dispatcher sends it */
		return RESULT_OK;
	if (result == RESULT_REFUSED)
		return fail(turn, "mail is off: mail.host and mail.from are not set on the dispatcher's host");
	return finish(turn, result, mail_test_fields, test);
}

static enum result
test_mail(struct job_turn *turn)
{
	struct job_test values;
	struct mail_test test = { .accepted = false };
	if (!job_read_test(turn->pool, turn->job, &values) || !slice_present(values.address))
		return fail(turn, unreadable);
	const enum result result = job_test_mail(turn->settings, turn->store, turn->pool, values.address, turn->stop, &test);
	return finish_mail(turn, result, &test);
}

static enum result
send_sample(struct job_turn *turn)
{
	struct job_test values;
	struct sample_mail sample = { .campaign_id = turn->job->campaign_id };
	struct mail_test test = { .accepted = false };
	if (!job_read_test(turn->pool, turn->job, &values) || !slice_present(values.address) ||
	    !message_kind_parse(values.kind, &sample.kind))
		return fail(turn, unreadable);
	sample.address = values.address;
	sample.language = values.language;
	const enum result result = job_send_sample(turn->settings, turn->store, turn->pool, &sample, turn->stop, &test);
	return result == RESULT_NOT_FOUND ? fail(turn, "there is no such campaign") : finish_mail(turn, result, &test);
}

/* ---- addresses ---- */

/* The progress is stored in the campaign's own row (docs/architecture.md 5). The job shows it in percent, because not every
 * caller that sees the job has the right to count leads. */
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
	/* the job was cancelled or removed, or another dispatcher has it */
	return result == RESULT_NOT_FOUND ? RESULT_OK : result;
}
