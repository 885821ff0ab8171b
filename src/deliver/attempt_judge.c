/* SPDX-License-Identifier: MIT */
#include "deliver/attempt_judge.h"

#include <string.h>

#include "base/duration.h"
#include "os/clock.h"
#include "os/log.h"
#include "os/metrics.h"
#include "os/random.h"
#include "webhook/webhook_url.h"

/* An internal error will also affect the next delivery; the hold saves its attempts. */
enum { INTERNAL_HOLD_MS = 5000 };
/* A delivery whose secret cannot be opened waits until the dispatcher is started with its key. */
enum { SEALED_HOLD_MS = 10000 };
/* A webhook that will be deactivated is held this long, or until that happens (store_deactivate_webhook). */
enum { DEACTIVATION_HOLD_MS = MINUTE_MS };

static const enum delivery_state state_after[] = {
	[RETRY_DELIVERED] = DELIVERY_DELIVERED,
	[RETRY_LATER] = DELIVERY_PENDING,
	[RETRY_EXHAUSTED] = DELIVERY_FAILED,
};

static struct retry_decision
decide(const struct slot *slot, const struct attempt_result *result, int64_t now_ms)
{
	const struct destination *to = slot->delivery.destination;
	const struct retry_answer answer = {
		.answered = result->error == SENDER_OK,
		.status = result->status,
		.retry_after_ms = retry_after_parse(result->retry_after, now_ms),
		.accepts = webhook_url_is_respelled(to->url, result->location) ? SLICE_NONE : to->accepts,
	};
	uint64_t jitter = 0;
	if (result->error == SENDER_SEALED) /* even at the end of the schedule: nothing was tried */
		return (struct retry_decision){ .kind = RETRY_LATER, .delay_ms = SEALED_HOLD_MS, .hold_ms = SEALED_HOLD_MS };
	if (!answer.answered || !retry_is_taken(answer.status, answer.accepts)) /* the others need no system call for it */
		random_bytes(&jitter, sizeof(jitter));
	return retry_decide(slot->schedule, &answer, slot_attempts_made(slot), jitter);
}

/* The rest of a URL may contain a token. */
static struct slice
host_of(struct slice url)
{
	struct slice part = SLICE_NONE, host = SLICE_NONE;
	for (int i = 0; i < 3 && slice_next(&url, '/', &part); i++)
		host = part;
	while (slice_next(&host, '@', &part))
		continue;
	return part;
}

static void
log_change(uint64_t webhook_id, const struct attempt_result *result, const struct health *health, enum health_change change)
{
	char since[CLOCK_RFC3339_SIZE];
	switch (change) {
	case HEALTH_UNCHANGED:
		break;
	case HEALTH_OPENED:
		log_warning("breaker_opened", LOG_UINT("webhook", webhook_id), LOG_UINT("failures", health->failures),
		    LOG_INT("status", result->status), LOG_BYTES("error", sender_error_name(result->error)),
		    LOG_BYTES("redirects_to", host_of(result->location)));
		break;
	case HEALTH_CLOSED:
		log_info("breaker_closed", LOG_UINT("webhook", webhook_id));
		break;
	case HEALTH_DISABLED:
		clock_rfc3339(health->failing_since_ms, since);
		log_warning("webhook_disabled", LOG_UINT("webhook", webhook_id), LOG_STR("failing_since", since));
		break;
	}
}

/* Sets the webhook's part of the outcome. The database reports the webhook as due until the outcome is committed. */
static void
judge_webhook(struct scheduler *scheduler, const struct attempt_result *result, const struct retry_decision *decision,
    int64_t now_ms, struct delivery_outcome *outcome)
{
	const uint64_t webhook_id = outcome->webhook_id;
	struct health health = scheduler_health(scheduler, webhook_id);
	const bool healthy = decision->kind == RETRY_DELIVERED && health.failures == 0;
	enum health_change change = HEALTH_UNCHANGED;
	if (result->error < SENDER_UNREADABLE) /* any later error is not the receiver's fault */
		change = scheduler_attempted(scheduler, webhook_id, decision->kind, now_ms, &health);
	const enum webhook_state state = decision->gone              ? WEBHOOK_GONE
					 : change == HEALTH_DISABLED ? WEBHOOK_DISABLED
								     : WEBHOOK_ACTIVE;
	const int64_t hold_ms = result->error == SENDER_INTERNAL ? INTERNAL_HOLD_MS : decision->hold_ms;
	int64_t held_until_ms = state != WEBHOOK_ACTIVE ? CLOCK_NEVER : hold_ms > 0 ? now_ms + hold_ms : 0;
	const bool news = scheduler_hold(scheduler, webhook_id, &held_until_ms, now_ms) || state == WEBHOOK_ACTIVE;
	if (news && state == WEBHOOK_GONE)
		log_warning("webhook_gone", LOG_UINT("webhook", webhook_id), LOG_INT("status", result->status));
	else if (news)
		log_change(webhook_id, result, &health, change);
	outcome->webhook_state = state;
	outcome->webhook_failures = health.failures;
	outcome->webhook_probes = health.probes;
	outcome->webhook_hold_ms = held_until_ms == CLOCK_NEVER ? DEACTIVATION_HOLD_MS : held_until_ms - now_ms;
	const enum result_interest interest = healthy && held_until_ms <= now_ms ? RESULT_IS_ROUTINE : RESULT_IS_NEWS;
	outcome->routine = !scheduler_claim_result(scheduler, webhook_id, interest, now_ms);
}

static void
count(const struct attempt_result *result)
{
	static const enum metric_answer classes[] = { METRIC_ANSWER_OTHER, METRIC_ANSWER_OTHER, METRIC_ANSWER_2XX,
		METRIC_ANSWER_3XX, METRIC_ANSWER_4XX, METRIC_ANSWER_5XX };
	const size_t class = (size_t)result->status / 100;
	if (result->error != SENDER_OK)
		metrics_add(METRIC_ATTEMPTS, METRIC_ANSWER_FORBIDDEN_ADDRESS + result->error - SENDER_FORBIDDEN_ADDRESS, 1);
	else
		metrics_add(METRIC_ATTEMPTS, class < ARRAY_SIZE(classes) ? classes[class] : METRIC_ANSWER_OTHER, 1);
	if (result->error != SENDER_INTERRUPTED && result->error != SENDER_UNREADABLE && result->error != SENDER_SEALED)
		metrics_observe(METRIC_ATTEMPT_TIME, result->duration_ms);
}

/* What is stored for a redirect: its target, then the beginning of the body. */
static struct slice
with_location(const struct attempt_result *result, char answer[SENDER_ANSWER_STORED])
{
	const struct slice parts[] = { SLICE("Location: "), result->location, SLICE("\n\n"), result->answer };
	size_t size = 0;
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		const size_t room = SENDER_ANSWER_STORED - size, bytes = parts[i].size < room ? parts[i].size : room;
		memcpy(answer + size, parts[i].data, bytes);
		size += bytes;
	}
	return (struct slice){ answer, size };
}

void
judge_attempt(
    struct scheduler *scheduler, struct slot *slot, const struct attempt_result *result, int64_t now_ms, int64_t ahead_ms)
{
	const struct due_delivery *delivery = &slot->delivery;
	const struct retry_decision decision = decide(slot, result, now_ms + ahead_ms);
	char answer[SENDER_ANSWER_STORED];
	struct delivery_outcome outcome = {
		.id = delivery->id,
		.event_id = delivery->event_id,
		.webhook_id = delivery->destination->webhook_id,
		.form = delivery->form,
		.attempts_before = delivery->attempts_before,
		.not_made = result->error == SENDER_INTERRUPTED || result->error == SENDER_SEALED,
		.state = state_after[decision.kind],
		.next_due_in_ms = decision.delay_ms,
		.duration_ms = result->duration_ms,
		.status = result->status,
		.error = sender_error_name(result->error),
		.answer = slice_present(result->location) ? with_location(result, answer) : result->answer,
	};
	outcome.attempt = delivery->attempt - outcome.not_made;
	judge_webhook(scheduler, result, &decision, now_ms + ahead_ms, &outcome);
	slot_end(slot, &outcome, now_ms);
	count(result);
	if (decision.kind != RETRY_DELIVERED)
		log_debug("attempt_failed", LOG_UINT("delivery", outcome.id), LOG_UINT("webhook", outcome.webhook_id),
		    LOG_UINT("attempt", outcome.attempt), LOG_INT("status", outcome.status), LOG_BYTES("error", outcome.error),
		    LOG_INT("duration_ms", outcome.duration_ms));
}
