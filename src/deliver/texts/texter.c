/* SPDX-License-Identifier: MIT
 * The loop of the process: one thread with the database and libcurl. */
#include "deliver/texts/texter.h"

#include <stdlib.h>

#include "base/panic.h"
#include "deliver/mail/delays.h"
#include "deliver/mail/judge.h"
#include "deliver/mail/plan.h"
#include "deliver/process/companion.h"
#include "deliver/texts/code_text.h"
#include "engine/payload.h"
#include "identity/address_hash.h"
#include "identity/link.h"
#include "os/clock.h"
#include "os/event_loop.h"
#include "os/log.h"
#include "os/random.h"
#include "store/codes/lead_codes.h"
#include "store/heartbeats.h"
#include "store/store.h"

enum {
	POLL_MS = 500,
	DATABASE_MS = 1000,
	LEASE_RESERVE_MS = 60 * 1000,
	LATE_MS = PHONE_CODE_MS, /* its code would have expired */
	LIMITED_MS = 5 * 1000,
	CRASHES_MAX = 3
};

/* A leased text. */
struct text_job {
	struct pool *pool;
	struct queued_mail mail;
	struct slice code;
	int64_t started_ms;
	bool used, sending, ended; /* ended: `outcome` is to be recorded */
	bool counted_before;
	struct mail_outcome outcome;
};

struct texter {
	struct store *store;
	const struct texter_options *options;
	struct event_loop *loop;
	struct sender *sender;
	unsigned char owner[MAIL_OWNER_SIZE];
	struct heartbeat heartbeat;
	int64_t next_beat_ms;
	struct text_job jobs[TEXTER_IN_FLIGHT];
	struct mail_turns turns;
	unsigned failures;  /* of the gateway, in a row */
	int64_t held_at_ms; /* when the last hold began */
	int64_t next_poll_ms, database_ms, end_ms, abandon_ms;
	bool found_nothing, ending, is_new; /* is_new: nothing was read yet */
	struct log_throttle database_log, delays_log;
};

static bool
lost_database(struct texter *t, enum result result)
{
	uint64_t suppressed;
	if (result == RESULT_OK)
		return false;
	t->database_ms = clock_monotonic_ms() + DATABASE_MS;
	if (log_throttle_passes(&t->database_log, &suppressed))
		log_warning("database", LOG_STR("result", result_text(result)), LOG_STR("consequence", "texts wait"),
		    LOG_UINT("suppressed", suppressed));
	return true;
}

static size_t
free_places(const struct texter *t)
{
	size_t places = 0;
	for (size_t i = 0; i < TEXTER_IN_FLIGHT; i++)
		places += t->jobs[i].used ? 0 : 1;
	return places;
}

/* ---- outcomes ---- */

static void
end_job(struct text_job *job, enum message_state state, int64_t delay_ms, struct slice reason)
{
	job->ended = true;
	job->sending = false;
	job->outcome = (struct mail_outcome){ .id = job->mail.id, .state = state, .delay_ms = delay_ms, .reason = reason };
}

/* Unless the text was begun before the last hold. */
static void
hold(struct texter *t, const struct text_job *job, struct slice reason)
{
	uint64_t random;
	if (job->started_ms < t->held_at_ms)
		return;
	random_bytes(&random, sizeof(random));
	const int64_t hold_ms = mail_hold_ms(++t->failures, random);
	t->held_at_ms = clock_monotonic_ms();
	t->next_poll_ms = t->held_at_ms + hold_ms;
	log_warning("texts_held", LOG_BYTES("reason", reason), LOG_INT("seconds", hold_ms / 1000),
	    LOG_UINT("failures", t->failures),
	    LOG_STR("hint", "see whether sms.url is right, and whether sms.allow_networks permits its address"));
	if (lost_database(t, store_hold_mail(t->store, TEXT_CHANNEL, t->failures, hold_ms, reason, SLICE_NONE)))
		log_debug("hold_not_recorded", LOG_UINT("failures", t->failures));
}

static void
resume(struct texter *t)
{
	if (t->failures == 0 || lost_database(t, store_resume_mail(t->store, TEXT_CHANNEL)))
		return;
	log_info("texts_resumed", LOG_UINT("failures", t->failures));
	t->failures = 0;
	t->next_poll_ms = 0;
}

/* What a page has requested counts, whatever becomes of it: else it would show whether the number is a lead's. */
static void
fail(struct text_job *job, const char *reason)
{
	end_job(job, MESSAGE_FAILED, 0, slice_of(reason));
	job->outcome.uncounts = !slice_present(job->mail.requested_for);
}

static void
retry(struct text_job *job)
{
	const int64_t delay_ms = gateway_retry_ms(job->mail.attempts + 1);
	if (job->mail.age_ms + delay_ms >= LATE_MS)
		fail(job, "gave_up");
	else
		end_job(job, MESSAGE_REQUESTED, delay_ms, SLICE("refused_for_now"));
}

static void
judge(struct texter *t, struct text_job *job, const struct attempt_result *result)
{
	const enum gateway_verdict verdict = gateway_judge(&t->options->gateway, result);
	switch (verdict) {
	case GATEWAY_SENT:
		end_job(job, MESSAGE_SENT, 0, SLICE_NONE);
		break;
	case GATEWAY_RETRY:
		retry(job);
		break;
	case GATEWAY_REFUSED:
		fail(job, "refused");
		break;
	case GATEWAY_HOLD:
		end_job(job, MESSAGE_REQUESTED, 0, sender_error_name(result->error));
		hold(t, job, sender_error_name(result->error));
		return;
	case GATEWAY_UNKNOWN:
		end_job(job, MESSAGE_FAILED, 0, SLICE("unknown_outcome"));
		break;
	}
	job->outcome.attempted = true;
	job->outcome.status = result->status;
	/* gateways repeat the text in forms that nothing here finds the code in */
	if (verdict != GATEWAY_SENT && slice_present(result->answer) && result->answer.size > 0)
		job->outcome.answer = gateway_answer(job->pool, result->answer, job->code);
	if (verdict != GATEWAY_UNKNOWN)
		resume(t);
}

static void
done(void *context, void *cookie, const struct attempt_result *result)
{
	struct text_job *job = cookie;
	log_work(LOG_UINT("message", job->mail.id));
	judge(context, job, result);
	if (job->outcome.state == MESSAGE_FAILED)
		log_warning("text_failed", LOG_UINT("message", job->mail.id), LOG_UINT("campaign", job->mail.campaign_id),
		    LOG_BYTES("reason", job->outcome.reason), LOG_UINT("status", result->status),
		    LOG_BYTES("error", sender_error_name(result->error)));
	log_work_done();
}

/* Returns true when it is recorded, or can never be. */
static bool
record(struct texter *t, struct text_job *job)
{
	const enum result result = store_mail_outcome(t->store, t->owner, &job->outcome);
	if (result == RESULT_NOT_FOUND) { /* the lead was deleted, or the lease has ended */
		log_info("text_outcome_stale", LOG_UINT("message", job->mail.id));
		return true;
	}
	if (result == RESULT_FAILED) { /* permanent: others must not wait for it */
		log_error("text_outcome_lost", LOG_UINT("message", job->mail.id));
		return true;
	}
	return !lost_database(t, result);
}

static void
record_outcomes(struct texter *t)
{
	for (size_t i = 0; i < TEXTER_IN_FLIGHT && clock_monotonic_ms() >= t->database_ms; i++) {
		struct text_job *job = &t->jobs[i];
		if (!job->used || !job->ended || !record(t, job))
			continue;
		pool_free(&job->pool);
		*job = (struct text_job){ .used = false };
	}
}

/* ---- before a text is sent ---- */

static const struct slice limit_names[] = {
	[TEXT_PASSES] = SLICE_NONE,
	[TEXT_PASSES_AGAIN] = SLICE_NONE,
	[TEXT_TOO_SOON] = SLICE("too_soon"),
	[TEXT_NUMBER_LIMIT] = SLICE("number_limit"),
	[TEXT_PREFIX_LIMIT] = SLICE("prefix_limit"),
	[TEXT_EARLY] = SLICE("minute_limit"),
	[TEXT_CAMPAIGN_LIMIT] = SLICE("campaign_limit"),
	[TEXT_ACCOUNT_LIMIT] = SLICE("account_limit"),
	[TEXT_INSTALLATION_LIMIT] = SLICE("installation_limit"),
};

/* Absent: it may be sent. */
static struct slice
reason_to_drop(const struct texter *t, const struct payload_subject *subject)
{
	const struct lead *lead = subject->lead;
	if (!slice_present(lead->phone))
		return SLICE("no_number");
	if (lead->fraudulent && !lead_is_unproven(lead))
		return SLICE("fraudulent");
	if (lead->sms_opted_out)
		return SLICE("opted_out");
	if (subject->campaign->account_suspended)
		return SLICE("suspended");
	if (!subject->campaign->verify_phone)
		return SLICE("switched_off");
	return gateway_refusal(&t->options->gateway, lead->phone);
}

/* Counts the code for these hashes, and for the campaign unless that is 0, unless a limit ends the job. */
static enum result
claim(struct texter *t, struct text_job *job, uint64_t campaign_id, const unsigned char *number_hash,
    const unsigned char *prefix_hash)
{
	const struct text_claim wanted = { job->mail.id, job->mail.account_id, campaign_id, number_hash, prefix_hash };
	enum text_verdict verdict = TEXT_PASSES;
	int64_t wait_ms = 0;
	const enum result result = store_claim_text(t->store, t->owner, &wanted, &t->options->limits, &verdict, &wait_ms);
	job->counted_before = verdict == TEXT_PASSES_AGAIN;
	if (result != RESULT_OK || !slice_present(limit_names[verdict]))
		return result;
	if (verdict == TEXT_EARLY && job->mail.age_ms + wait_ms >= LATE_MS)
		verdict = TEXT_TOO_SOON;
	if (verdict == TEXT_EARLY)
		end_job(job, MESSAGE_REQUESTED, wait_ms, limit_names[verdict]);
	else if (verdict >= TEXT_CAMPAIGN_LIMIT) /* other hosts have sent since the search: it waits */
		end_job(job, MESSAGE_REQUESTED, LIMITED_MS, limit_names[verdict]);
	else
		end_job(job, MESSAGE_DROPPED, 0, limit_names[verdict]);
	if (verdict == TEXT_PREFIX_LIMIT)
		log_warning("texts_limited", LOG_UINT("campaign", job->mail.campaign_id),
		    LOG_BYTES("limit", limit_names[verdict]),
		    LOG_STR(
			"hint", "if these are no sign-ups of people, see sms.calling_codes and the campaign's setting bots"));
	return result;
}

/* What a page has requested for a number takes up its limits before the lead is looked for: else they would show whether there
 * is one. Those of the campaign, and of all others, are taken up by what is sent. */
static enum result
claim_request(struct texter *t, struct text_job *job)
{
	const unsigned char *hashes = (const unsigned char *)job->mail.requested_for.data;
	return job->mail.requested_for.size == 2 * ADDRESS_HASH_SIZE ? claim(t, job, 0, hashes, hashes + ADDRESS_HASH_SIZE)
								     : RESULT_OK;
}

/* The number of the lead may be another one by now than that of the request. */
static enum result
claim_number(struct texter *t, struct text_job *job, struct slice server_secret, struct slice number)
{
	const struct address_hash hash = address_hash_number(server_secret, number);
	const struct address_hash prefix = address_hash_prefix(server_secret, number);
	const struct slice counted = slice_sub(job->mail.requested_for, 0, ADDRESS_HASH_SIZE);
	if (!slice_present(counted) || slice_equal(counted, (struct slice){ (const char *)hash.bytes, sizeof(hash.bytes) }))
		return claim(t, job, job->mail.campaign_id, hash.bytes, prefix.bytes);
	end_job(job, MESSAGE_DROPPED, 0, SLICE("address_replaced"));
	return RESULT_OK;
}

/* The code exists from now on. What stops the process after this leaves a request that is ready, which is not sent again. */
static enum result
send_code(struct texter *t, struct text_job *job, const struct payload_subject *subject)
{
	const struct payload_settings *settings;
	struct attempt attempt;
	int64_t expires_ms;
	const enum text_language language = TEXT_LANGUAGE_FIRST(subject->campaign->language, subject->lead->language);
	/* a look-up is valid until the next one */
	const struct slice number = pool_copy(job->pool, subject->lead->phone);
	const struct slice name = pool_copy(job->pool, subject->campaign->name);
	enum result result = store_payload_settings(t->store, &settings);
	if (result == RESULT_OK)
		result = claim_number(t, job, settings->server_secret, number);
	if (result != RESULT_OK || job->ended)
		return result;
	/* a request has five tries, however many codes it takes: those of a gateway that is busy must not add up */
	const bool had_code = job->counted_before && job->mail.attempts > 0;
	result = phone_code_make(t->store, job->pool, job->mail.lead_id, number, had_code, &job->code, &expires_ms);
	if (result != RESULT_OK) { /* nothing was sent */
		end_job(job, MESSAGE_REQUESTED, DATABASE_MS, SLICE("no_code"));
		return result;
	}
	const struct slice host = link_host(job->pool, settings->base_url);
	gateway_request(
	    job->pool, &t->options->gateway, number, code_text(job->pool, language, name, host, job->code), &attempt);
	job->sending = true;
	job->started_ms = clock_monotonic_ms();
	sender_start(t->sender, &attempt, job);
	return RESULT_OK;
}

static enum result
look_up_and_send(struct texter *t, struct text_job *job)
{
	const struct lead_reference reference = { .identity = LEAD_BY_ID, .id = job->mail.lead_id };
	struct payload_subject *subject;
	enum result result = slice_present(job->mail.requested_for) ? claim_request(t, job) : RESULT_OK;
	if (result != RESULT_OK || job->ended)
		return result;
	result = store_look_up(t->store, job->pool, job->mail.campaign_id, &reference, &subject);
	if (result == RESULT_NOT_FOUND) {
		end_job(job, MESSAGE_DROPPED, 0, SLICE("lead_deleted"));
		return RESULT_OK;
	}
	if (result != RESULT_OK)
		return result;
	const struct slice drop = reason_to_drop(t, subject);
	if (!slice_present(drop))
		return send_code(t, job, subject);
	end_job(job, MESSAGE_DROPPED, 0, drop);
	return RESULT_OK;
}

static void
begin(struct texter *t, struct text_job *job)
{
	enum result result = RESULT_OK;
	log_work(LOG_UINT("message", job->mail.id));
	if (job->mail.kind != MESSAGE_CODE) /* of a later version, whose process sends it */
		end_job(job, MESSAGE_REQUESTED, LATE_MS, SLICE("unknown_kind"));
	else if (job->mail.is_ready) /* its process ended while it was sent */
		end_job(job, MESSAGE_FAILED, 0, SLICE("unknown_outcome"));
	else if (job->mail.crashes >= CRASHES_MAX)
		end_job(job, MESSAGE_FAILED, 0, SLICE("crashed"));
	else if (job->mail.age_ms >= LATE_MS)
		end_job(job, MESSAGE_DROPPED, 0, SLICE("late"));
	else
		result = look_up_and_send(t, job);
	log_work_done();
	if (result == RESULT_NOT_FOUND) /* the lease has ended */
		end_job(job, MESSAGE_REQUESTED, 0, SLICE("lease_lost"));
	else if (lost_database(t, result) && !job->ended)
		end_job(job, MESSAGE_REQUESTED, DATABASE_MS, SLICE("database"));
}

/* ---- leases ---- */

static struct text_job *
add_job(struct texter *t, const struct queued_mail *mail)
{
	for (size_t i = 0; i < TEXTER_IN_FLIGHT; i++)
		if (!t->jobs[i].used) {
			t->jobs[i] = (struct text_job){ .pool = pool_new(), .mail = *mail, .used = true };
			t->jobs[i].mail.requested_for = pool_copy(t->jobs[i].pool, mail->requested_for);
			return &t->jobs[i];
		}
	panic("no place for a text");
}

static enum result
lease(struct texter *t, struct pool *pool, size_t room)
{
	struct mail_campaign *campaigns;
	struct mail_request requests[PLAN_REQUESTS];
	struct due_mail *due;
	struct queued_mail *mails = NULL;
	uint64_t ids[TEXTER_IN_FLIGHT];
	size_t count = 0, leased = 0, due_count = 0;
	int64_t next_ms;
	const struct sendings *limits = &t->options->limits.per_hour;
	const int64_t lease_ms = t->options->sender.timeout_ms + LEASE_RESERVE_MS;
	enum result result = store_mail_campaigns(t->store, pool, TEXT_CHANNEL, &campaigns, &count, &next_ms);
	if (result != RESULT_OK)
		return result;
	mail_note_delays(&t->delays_log, TEXT_CHANNEL, campaigns, count, limits);
	count = mail_plan(&t->turns, campaigns, count, limits, room, requests);
	result = store_find_due_mails(t->store, pool, requests, count, &due, &due_count);
	if (result != RESULT_OK)
		return result;
	count = mail_choose(&t->turns, requests, count, due, due_count, room, ids);
	t->found_nothing = count == 0;
	if (count == 0)
		t->next_poll_ms = clock_monotonic_ms() + POLL_MS;
	if (count > 0)
		result = store_lease_mails(t->store, pool, t->owner, ids, count, lease_ms, &mails, &leased);
	for (size_t i = 0; result == RESULT_OK && i < leased; i++)
		begin(t, add_job(t, &mails[i]));
	return result;
}

static void
poll_due(struct texter *t)
{
	const int64_t now = clock_monotonic_ms();
	const size_t places = free_places(t);
	struct mail_hold held;
	if (t->ending || places == 0 || now < t->next_poll_ms || now < t->database_ms ||
	    (t->failures > 0 && places < TEXTER_IN_FLIGHT)) /* a probe is under way */
		return;
	struct pool *pool = pool_new();
	enum result result = t->is_new ? store_demand_schema(t->store) : RESULT_OK;
	t->is_new = t->is_new && result != RESULT_OK;
	if (result == RESULT_OK)
		result = store_mail_hold(t->store, pool, TEXT_CHANNEL, &held);
	if (result == RESULT_OK) {
		t->failures = held.failures;
		t->found_nothing = held.left_ms > 0;
		if (held.left_ms > 0)
			t->next_poll_ms = now + (held.left_ms < POLL_MS ? held.left_ms : POLL_MS);
		else
			result = lease(t, pool, held.failures > 0 ? 1 : places);
	}
	pool_free(&pool);
	if (lost_database(t, result) && !t->options->stay)
		t->ending = true;
}

/* A sign that it works (store/heartbeats.h). */
static void
beat(struct texter *t)
{
	const int64_t now = clock_monotonic_ms();
	if (!t->is_new && now >= t->next_beat_ms && now >= t->database_ms &&
	    !lost_database(t, store_beat(t->store, &t->heartbeat)))
		t->next_beat_ms = now + HEARTBEAT_MS;
}

/* ---- beginning and end ---- */

/* Whether all is recorded, or time is up: what was not is leased again when its lease ends. */
static bool
is_finished(struct texter *t)
{
	const int64_t now = clock_monotonic_ms();
	if (!t->ending)
		return false;
	if (t->abandon_ms == CLOCK_NEVER)
		t->abandon_ms = now + COMPANION_STOP_MS;
	return free_places(t) == TEXTER_IN_FLIGHT || now >= t->abandon_ms;
}

static int64_t
wait_ms(const struct texter *t)
{
	const int64_t now = clock_monotonic_ms();
	const bool can_poll = !t->ending && free_places(t) > 0 && now >= t->database_ms;
	const int64_t left_ms = t->next_poll_ms - now;
	return can_poll && left_ms < POLL_MS ? (left_ms < 1 ? 1 : left_ms) : POLL_MS;
}

/* An event_handler. Once it has fired, a descriptor to stop stays readable. */
static void
stop_requested(void *context, int fd, uint32_t ready UNUSED)
{
	struct texter *t = context;
	t->ending = true;
	event_loop_forget(t->loop, fd);
	event_loop_return(t->loop);
}

static void
run(struct texter *t)
{
	const struct texter_options *o = t->options;
	while (!is_finished(t)) {
		companion_alive(o->life);
		event_loop_wait(t->loop, clock_monotonic_ms() + wait_ms(t));
		t->ending = t->ending || clock_monotonic_ms() >= t->end_ms;
		record_outcomes(t);
		poll_due(t);
		beat(t);
		record_outcomes(t);
		if (!o->stay && t->found_nothing && free_places(t) == TEXTER_IN_FLIGHT)
			t->ending = true;
	}
}

enum result
texter_run(struct store *store, const struct texter_options *options)
{
	struct texter t = { .store = store,
		.options = options,
		.end_ms = options->max_runtime_ms > 0 ? clock_monotonic_ms() + options->max_runtime_ms : CLOCK_NEVER,
		.abandon_ms = CLOCK_NEVER,
		.is_new = true };
	struct sender_options sender = options->sender;
	sender.stall_max_ms = LEASE_RESERVE_MS / 2; /* an answer that came while the loop waited for the database was in time */
	random_bytes(t.owner, sizeof(t.owner));
	t.heartbeat = (struct heartbeat){ .process = HEARTBEAT_TEXTER, .owner = t.owner, .stays = options->stay };
	t.loop = event_loop_new();
	event_loop_watch_input(t.loop, options->stop_fd, stop_requested, &t);
	event_loop_watch_input(t.loop, options->signals, stop_requested, &t);
	t.sender = sender_new(t.loop, &sender, done, &t);
	if (t.sender == NULL)
		return RESULT_UNAVAILABLE;
	run(&t);
	if (lost_database(&t, store_end_beats(store, &t.heartbeat)))
		log_debug("end_not_recorded", LOG_UINT("places", free_places(&t)));
	mail_turns_free(&t.turns);
	sender_free(&t.sender);
	event_loop_free(&t.loop);
	for (size_t i = 0; i < TEXTER_IN_FLIGHT; i++)
		if (t.jobs[i].used)
			pool_free(&t.jobs[i].pool);
	return RESULT_OK;
}
