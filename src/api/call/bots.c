/* SPDX-License-Identifier: MIT
 * The rules against bots for sign-ups without a key (docs/api.md 8). */
#include "api/call/bots.h"

#include "api/call/call_answers.h"
#include "api/call/limits.h"
#include "bots/challenge.h"
#include "bots/form_traps.h"
#include "engine/visitors.h"
#include "identity/social_id.h"
#include "os/random.h"

enum { MS_PER_S = 1000, PRETENDED_MAX_BYTES = 256 * 1024 };

static struct slice
secret_of(struct call *call)
{
	const struct payload_settings *settings;
	return call_read_settings(call, &settings) ? settings->server_secret : SLICE_NONE;
}

/* Logs at most one line per minute for each campaign, over all processes. */
static void
note_bot(struct call *call, enum metric_bot_reason reason)
{
	metrics_add(METRIC_BOTS, reason, 1);
	call_count_for_campaign(call, LIMIT_BOTS);
	if (call_count_for_campaign(call, LIMIT_BOTS_LOG))
		log_info("bots_refused", LOG_UINT("campaign", call->campaign.id),
		    LOG_STR("reason", metrics_bot_reason_name(reason)),
		    LOG_UINT("last_24h", call_campaign_count(call, LIMIT_BOTS)));
}

/* ---- proof of work ---- */

static enum bots_verdict
check_proof(struct call *call, struct slice text, struct slice secret, struct signup *signup)
{
	static const char *const reasons[] = {
		[SOLUTION_MALFORMED] = "it cannot be read",
		[SOLUTION_FORGED] = "the challenge is not one of this service",
		[SOLUTION_EXPIRED] = "the challenge has expired",
		[SOLUTION_FOREIGN] = "the challenge is one of another campaign",
		[SOLUTION_WRONG] = "it is not a solution",
	};
	struct pool *pool = call->request->pool;
	struct challenge challenge;
	const enum solution_verdict verdict =
	    solution_check(pool, text, secret, call->campaign.id, call->now_ms / MS_PER_S, &challenge);
	if (verdict != SOLUTION_GOOD) {
		note_bot(call, METRIC_BOT_PROOF_INVALID);
		call_fail_with(call, FAILURE_PROOF_INVALID, slice_of(reasons[verdict]));
		return BOTS_FAIL;
	}
	signup->proof = pool_copy(pool, (struct slice){ (const char *)challenge.nonce, sizeof(challenge.nonce) });
	signup->proof_expires_ms = challenge.expires_s * MS_PER_S;
	return BOTS_PASS;
}

/* Whether proof is required because the form was sent too soon, or too long, after it was shown. */
static bool
is_suspicious(struct call *call, struct slice stamp, struct slice secret)
{
	switch (stamp_check(call->request->pool, stamp, secret, call->campaign.id, call->now_ms)) {
	case STAMP_ABSENT:
	case STAMP_INVALID: /* passes, like a form without a stamp, because the caller chooses which parameters it sends */
	case STAMP_FINE:
		return false;
	case STAMP_TOO_FAST:
	case STAMP_OLD:
		break;
	}
	return true;
}

enum bots_verdict
call_check_bots(struct call *call, const struct signup_arguments *arguments, struct signup *signup)
{
	const uint32_t bots = call->campaign.bots;
	const bool always = bots == BOTS_PROOF || bots == BOTS_PROOF_OR_CONFIRM;
	if (call->account_id != 0 || bots == BOTS_OFF)
		return BOTS_PASS;
	if (arguments->trapped) {
		note_bot(call, METRIC_BOT_HONEYPOT);
		return BOTS_PRETEND;
	}
	if (!always && !slice_present(arguments->stamp))
		return BOTS_PASS;
	const struct slice secret = secret_of(call);
	if (!slice_present(secret))
		return BOTS_FAIL;
	if (!always && !is_suspicious(call, arguments->stamp, secret))
		return BOTS_PASS;
	if (slice_present(arguments->proof))
		return check_proof(call, arguments->proof, secret, signup);
	signup->unproven = bots == BOTS_PROOF_OR_CONFIRM;
	if (signup->unproven)
		return BOTS_PASS;
	note_bot(call, always ? METRIC_BOT_NO_PROOF : METRIC_BOT_TIME);
	call_fail(call, FAILURE_PROOF_REQUIRED);
	return BOTS_FAIL;
}

void
call_count_proof(struct call *call, const struct signup *signup)
{
	if (slice_present(signup->proof))
		call_count_for_campaign(call, LIMIT_PROOFS);
}

struct slice
call_make_challenge(struct call *call)
{
	const struct slice secret = secret_of(call);
	const uint32_t per_minute = call_campaign_count(call, LIMIT_PROOFS);
	struct challenge challenge = {
		.campaign_id = call->campaign.id,
		.work = challenge_work(difficulty_level(call->campaign.bot_difficulty, per_minute)),
		.expires_s = call->now_ms / MS_PER_S + CHALLENGE_VALID_S,
	};
	random_bytes(challenge.nonce, sizeof(challenge.nonce));
	random_bytes(challenge.salt, sizeof(challenge.salt));
	return slice_present(secret) ? challenge_write(call->request->pool, secret, &challenge) : SLICE_NONE;
}

/* ---- answers to bots ---- */

/* The custom fields of the pretended lead. Fields beyond a limit, for which a real lead would be refused, are left out. */
static struct slice
fields_of(struct pool *pool, const struct signup *signup)
{
	const struct custom_field_limits limits = { signup->custom_field_count, PRETENDED_MAX_BYTES, 0 };
	const struct custom_field_changes changes = { signup->custom_fields, signup->custom_field_count, 0, false };
	const struct stored_fields none = { SLICE_NONE, 0 };
	struct stored_fields fields;
	struct slice problem;
	return custom_fields_merge(pool, &none, &changes, &limits, &fields, &problem) ? fields.json : SLICE_NONE;
}

/* The pretended lead. Its numbers continue from the highest ones that this process has seen. */
static struct lead
pretended_lead(struct call *call, const struct signup *signup)
{
	struct pool *pool = call->request->pool;
	uint64_t seed;
	random_bytes(&seed, sizeof(seed));
	const uint64_t last = call->api->last_lead_id, number = (uint64_t)call->campaign.last_subscription_number + 1;
	return (struct lead){
		.id = (last > number ? last : number) + 1 + seed % 8,
		.campaign_id = call->campaign.id,
		.subscription_number = (uint32_t)number,
		.counter = 1,
		.social_id = social_id_make(pool, seed),
		.email = signup->email,
		.email_key = signup->email_key,
		.phone = signup->phone,
		.waitlisted = call->campaign.waitlist,
		.custom_fields = fields_of(pool, signup),
		.utm = signup->utm,
		.uid = signup->uid,
		.redirect_url = signup->redirect_url,
		.score =
		    campaign_hides_unverified(&call->campaign) ? 0 : call->campaign.points_signup, /* added once verified */
		.created_ms = call->now_ms,
	};
}

/* Whether the pretended lead is withheld, like a new lead (docs/api.md 4.1.11). */
static bool
is_withheld(const struct call *call, const struct signup *signup)
{
	if (visitor_may_see(&call->campaign, LEAD_BY_EMAIL, VISITOR_STRANGER))
		return false;
	return slice_present(signup->email) ? store_sends_mail(call->api->store) && campaign_proves_by_mail(&call->campaign)
					    : call_sends_codes(call);
}

struct slice
call_pretend_lead(struct call *call, const struct signup *signup, struct payload_view view)
{
	struct pool *pool = call->request->pool;
	const struct payload_settings *settings;
	if (!call_read_settings(call, &settings))
		return SLICE_NONE;
	const struct lead lead = pretended_lead(call, signup);
	struct campaign campaign = call->campaign;
	campaign.last_subscription_number = lead.subscription_number;
	campaign.counters.leads++;
	const struct payload_subject subject = {
		.campaign = &campaign,
		.lead = &lead,
		.score_rank = lead.subscription_number,
		.redirect_sent = slice_present(signup->redirect_url),
	};
	struct buffer out;
	buffer_init(&out, PAYLOAD_MAX_BYTES);
	view.own = true;
	if (is_withheld(call, signup))
		payload_write_withheld(&out, pool, settings, &campaign, signup, view);
	else
		payload_write(&out, settings, &subject, view);
	return buffer_take(&out, pool);
}
