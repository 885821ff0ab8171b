/* SPDX-License-Identifier: MIT */
#include "deliver/judge.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/random.h"

/* An internal error will affect the next delivery too; the hold saves its attempts. */
enum { INTERNAL_HOLD_MS = 5000 };
/* A webhook that is to be deactivated is held this long, or until it is deactivated (store_deactivate_webhook). */
enum { DEACTIVATION_HOLD_MS = 60 * 1000 };

static struct retry_decision
decide(const struct slot *slot, const struct attempt_result *result, int64_t now_ms)
{
	const struct retry_answer answer = {
		.answered = result->error == SENDER_OK,
		.status = result->status,
		.retry_after_ms = retry_after_parse(result->retry_after, now_ms),
	};
	uint64_t jitter;
	random_bytes(&jitter, sizeof(jitter));
	return retry_decide(slot_schedule(slot), &answer, slot_attempts_made(slot), jitter);
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
		    LOG_INT("status", result->status), LOG_BYTES("error", sender_error_name(result->error)));
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

/* The database reports the webhook as due until the result is committed. */
static struct webhook_effect
judge_webhook(struct scheduler *scheduler, uint64_t webhook_id, const struct attempt_result *result,
    const struct retry_decision *decision, int64_t now_ms)
{
	struct health health = scheduler_health(scheduler, webhook_id);
	const bool success = decision->kind == RETRY_DELIVERED, healthy = success && health.failures == 0;
	enum health_change change = HEALTH_UNCHANGED;
	if (result->error != SENDER_INTERNAL && result->error != SENDER_UNREADABLE &&
	    result->error != SENDER_INTERRUPTED) /* not the receiver's fault */
		change = scheduler_attempted(scheduler, webhook_id, success, now_ms, &health);
	const enum webhook_state state = decision->kind == RETRY_GONE ? WEBHOOK_GONE
					 : change == HEALTH_DISABLED  ? WEBHOOK_DISABLED
								      : WEBHOOK_ACTIVE;
	const int64_t hold_ms = result->error == SENDER_INTERNAL ? INTERNAL_HOLD_MS : decision->hold_ms;
	if (hold_ms > 0)
		(void)scheduler_hold(scheduler, webhook_id, now_ms + hold_ms, now_ms);
	bool news = true;
	if (state != WEBHOOK_ACTIVE)
		news = scheduler_hold(scheduler, webhook_id, CLOCK_NEVER, now_ms);
	const int64_t held_until_ms = scheduler_held_until_ms(scheduler, webhook_id);
	if (news && state == WEBHOOK_GONE)
		log_warning("webhook_gone", LOG_UINT("webhook", webhook_id), LOG_INT("status", result->status));
	else if (news)
		log_change(webhook_id, result, &health, change);
	return (struct webhook_effect){
		.failures = health.failures,
		.probes = health.probes,
		.held_until_ms = held_until_ms == CLOCK_NEVER ? now_ms + DEACTIVATION_HOLD_MS : held_until_ms,
		.state = state,
		.routine = !scheduler_note_result(scheduler, webhook_id, healthy && held_until_ms <= now_ms, now_ms),
	};
}

void
judge_attempt(
    struct scheduler *scheduler, struct slot *slot, const struct attempt_result *result, int64_t now_ms, int64_t ahead_ms)
{
	struct retry_decision decision = decide(slot, result, now_ms + ahead_ms);
	struct webhook_effect webhook =
	    judge_webhook(scheduler, slot_delivery(slot)->destination->webhook_id, result, &decision, now_ms + ahead_ms);
	webhook.held_until_ms -= ahead_ms;
	slot_end(slot, result, &decision, &webhook, now_ms);
	if (decision.kind == RETRY_DELIVERED)
		return;
	const struct delivery_outcome outcome = slot_outcome(slot, now_ms);
	log_debug("attempt_failed", LOG_UINT("delivery", outcome.id), LOG_UINT("webhook", outcome.webhook_id),
	    LOG_UINT("attempt", outcome.attempt), LOG_INT("status", result->status),
	    LOG_BYTES("error", sender_error_name(result->error)), LOG_INT("duration_ms", result->duration_ms));
}
