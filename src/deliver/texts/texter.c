/* SPDX-License-Identifier: MIT
 * One thread uses the database and libcurl. */
#include "deliver/texts/texter.h"

#include "deliver/texts/code_text.h"
#include "engine/payload.h"
#include "identity/link.h"
#include "identity/signed_token.h"
#include "os/event_loop.h"
#include "os/log.h"
#include "store/codes/lead_codes.h"
#include "store/shown_leads.h"

enum {
	POLL_MS = 500,
	DATABASE_MS = 1000,
	STALL_MAX_MS = 30 * 1000, /* less than the time by which a lease exceeds a transfer */
	LATE_MS = PHONE_CODE_MS,  /* later, the code would have expired */
	LIMITED_MS = 5 * 1000
};

struct texter {
	struct store *store;
	const struct texter_options *options;
	struct outbox *outbox;
	struct sender *sender;
};

/* What the texter stores with a message (outbox_message.own). */
struct leased_text {
	struct outbox_message *message;
	struct slice code;
	struct attempt attempt;
	bool was_counted; /* an earlier attempt was counted for the limits */
};

/* ---- outcomes ---- */

/* A request by a page counts no matter how it ends: otherwise the limits would show whether the number belongs to a lead. */
static void
fail(struct outbox_message *message, const char *reason)
{
	outbox_end(message, MESSAGE_FAILED, 0, slice_of(reason));
	message->outcome.uncounts = !slice_present(message->queued.requested_for);
}

static void
retry(struct outbox_message *message)
{
	const int64_t delay_ms = gateway_retry_ms(message->queued.attempts + 1);
	if (message->queued.age_ms + delay_ms >= LATE_MS)
		fail(message, "gave_up");
	else
		outbox_end(message, MESSAGE_REQUESTED, delay_ms, SLICE("refused_for_now"));
}

static void
judge(struct texter *t, const struct leased_text *text, const struct attempt_result *result)
{
	struct outbox_message *message = text->message;
	const enum gateway_verdict verdict = gateway_judge(&t->options->gateway, result);
	switch (verdict) {
	case GATEWAY_SENT:
		outbox_end(message, MESSAGE_SENT, 0, SLICE_NONE);
		break;
	case GATEWAY_RETRY:
		retry(message);
		break;
	case GATEWAY_REFUSED:
		fail(message, "refused");
		break;
	case GATEWAY_HOLD:
		outbox_end(message, MESSAGE_REQUESTED, 0, sender_error_name(result->error));
		outbox_hold(t->outbox, message,
		    &(struct outbox_failure){ .reason = sender_error_name(result->error).data,
			.error = "",
			.hint = "see whether sms.url is right, and whether sms.allow_networks permits its address" });
		return;
	case GATEWAY_UNKNOWN:
		outbox_end(message, MESSAGE_FAILED, 0, SLICE("unknown_outcome"));
		break;
	}
	message->outcome.attempted = true;
	message->outcome.status = result->status;
	/* the code may be in the answer in a form that is not found, because gateways repeat the text */
	if (verdict != GATEWAY_SENT && slice_present(result->answer) && result->answer.size > 0)
		message->outcome.answer = gateway_answer(message->pool, result->answer, text->code);
	if (verdict != GATEWAY_UNKNOWN)
		outbox_resume(t->outbox);
}

static void
done(void *context, void *cookie, const struct attempt_result *result)
{
	const struct leased_text *text = cookie;
	const struct outbox_message *message = text->message;
	log_work(LOG_UINT("message", message->queued.id));
	judge(context, text, result);
	if (message->outcome.state == MESSAGE_FAILED)
		log_warning("text_failed", LOG_UINT("message", message->queued.id),
		    LOG_UINT("campaign", message->queued.campaign_id), LOG_BYTES("reason", message->outcome.reason),
		    LOG_UINT("status", result->status), LOG_BYTES("error", sender_error_name(result->error)));
	log_work_done();
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

/* Absent: the text may be sent. */
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

/* Counts the code for these hashes, and for the campaign unless its id is 0. Ends the message if a limit does not allow the
 * code. */
static enum result
claim(struct texter *t, struct leased_text *text, const struct text_claim *wanted)
{
	struct outbox_message *message = text->message;
	enum text_verdict verdict = TEXT_PASSES;
	int64_t wait_ms = 0;
	const enum result result =
	    store_claim_text(t->store, outbox_owner(t->outbox), wanted, &t->options->limits, &verdict, &wait_ms);
	text->was_counted = verdict == TEXT_PASSES_AGAIN;
	if (result != RESULT_OK || !slice_present(limit_names[verdict]))
		return result;
	if (verdict == TEXT_EARLY && message->queued.age_ms + wait_ms >= LATE_MS)
		verdict = TEXT_TOO_SOON;
	if (verdict == TEXT_EARLY)
		outbox_end(message, MESSAGE_REQUESTED, wait_ms, limit_names[verdict]);
	else if (verdict >= TEXT_CAMPAIGN_LIMIT) /* it waits: other hosts have sent codes since the search */
		outbox_end(message, MESSAGE_REQUESTED, LIMITED_MS, limit_names[verdict]);
	else
		outbox_end(message, MESSAGE_DROPPED, 0, limit_names[verdict]);
	if (verdict == TEXT_PREFIX_LIMIT)
		log_warning("texts_limited", LOG_UINT("campaign", message->queued.campaign_id),
		    LOG_BYTES("limit", limit_names[verdict]),
		    LOG_STR("hint",
			"if these sign-ups are not made by people, see sms.calling_codes and the campaign's setting bots"));
	return result;
}

/* A request by a page counts towards the limits of the number before the lead is looked up; otherwise the limits would show
 * whether there is such a lead. A text that is sent counts towards the limits of its campaign, its account and the
 * installation. */
static enum result
claim_request(struct texter *t, struct leased_text *text)
{
	const struct queued_mail *queued = &text->message->queued;
	const unsigned char *hashes = (const unsigned char *)queued->requested_for.data;
	const struct text_claim wanted = { queued->id, queued->account_id, 0, hashes, hashes + ADDRESS_HASH_SIZE };
	return queued->requested_for.size == 2 * ADDRESS_HASH_SIZE ? claim(t, text, &wanted) : RESULT_OK;
}

/* The lead may now have a different number than the one in the request. */
static enum result
claim_number(struct texter *t, struct leased_text *text, struct slice server_secret, struct slice number)
{
	struct queued_mail *queued = &text->message->queued;
	const struct address_hash hash = address_hash_number(server_secret, number);
	const struct address_hash prefix = address_hash_prefix(server_secret, number);
	const struct slice counted = slice_sub(queued->requested_for, 0, ADDRESS_HASH_SIZE);
	const struct text_claim wanted = { queued->id, queued->account_id, queued->campaign_id, hash.bytes, prefix.bytes };
	if (slice_present(counted) && !slice_equal(counted, (struct slice){ (const char *)hash.bytes, sizeof(hash.bytes) })) {
		outbox_end(text->message, MESSAGE_DROPPED, 0, SLICE("address_replaced"));
		return RESULT_OK;
	}
	const enum result result = claim(t, text, &wanted);
	queued->is_counted = result == RESULT_OK;
	return result;
}

/* The code exists from now on. If the process stops after this, the request stays ready in the database, and no text is sent
 * for it again. */
static enum result
make_code(struct texter *t, struct leased_text *text, const struct payload_subject *subject)
{
	struct outbox_message *message = text->message;
	struct pool *pool = message->pool;
	const struct payload_settings *settings;
	int64_t expires_ms;
	const enum text_language language = TEXT_LANGUAGE_FIRST(subject->campaign->language, subject->lead->language);
	/* a look-up is valid until the next one */
	const struct slice number = pool_copy(pool, subject->lead->phone);
	const struct slice name = pool_copy(pool, subject->campaign->name);
	enum result result = store_payload_settings(t->store, &settings);
	if (result == RESULT_OK)
		result = claim_number(t, text, settings->server_secret, number);
	if (result != RESULT_OK || message->state == OUTBOX_ENDED)
		return result;
	/* a request allows five guesses, however many codes it takes: attempts at a busy gateway must not add guesses */
	const bool had_code = text->was_counted && message->queued.attempts > 0;
	const struct lead_code code_for = { CHANNEL_PHONE, message->queued.lead_id, number };
	result = lead_code_make(
	    t->store, pool, &code_for, had_code ? CODE_KEEPS_TRIES : CODE_RESETS_TRIES, &text->code, &expires_ms);
	if (result != RESULT_OK) { /* nothing was sent */
		outbox_end(message, MESSAGE_REQUESTED, DATABASE_MS, SLICE("no_code"));
		return result;
	}
	const struct slice host = link_host(pool, settings->base_url);
	gateway_request(pool, &t->options->gateway, number, code_text(pool, language, name, host, text->code), &text->attempt);
	return RESULT_OK;
}

static enum result
look_up(struct texter *t, struct leased_text *text)
{
	struct outbox_message *message = text->message;
	const struct lead_reference reference = { .identity = LEAD_BY_ID, .id = message->queued.lead_id };
	struct payload_subject *subject;
	enum result result = slice_present(message->queued.requested_for) ? claim_request(t, text) : RESULT_OK;
	if (result != RESULT_OK || message->state == OUTBOX_ENDED)
		return result;
	result = store_look_up(t->store, message->pool, message->queued.campaign_id, &reference, &subject);
	if (result == RESULT_NOT_FOUND) {
		outbox_end(message, MESSAGE_DROPPED, 0, SLICE("lead_deleted"));
		return RESULT_OK;
	}
	if (result != RESULT_OK)
		return result;
	const struct slice drop = reason_to_drop(t, subject);
	if (!slice_present(drop))
		return make_code(t, text, subject);
	outbox_end(message, MESSAGE_DROPPED, 0, drop);
	return RESULT_OK;
}

/* Implements outbox_sender.prepare. A text that is ready in the database is sent at once or never, so it ends after any
 * failure. */
static enum result
prepare(void *context, struct outbox_message *message)
{
	struct texter *t = context;
	struct leased_text *text = POOL_NEW(message->pool, struct leased_text);
	enum result result = RESULT_OK;
	text->message = message;
	message->own = text;
	if (message->queued.kind != MESSAGE_CODE) /* a kind of a later version: a process of that version sends it */
		outbox_end(message, MESSAGE_REQUESTED, LATE_MS, SLICE("unknown_kind"));
	else if (message->queued.is_ready) /* its process ended while the text was being sent */
		outbox_end(message, MESSAGE_FAILED, 0, SLICE("unknown_outcome"));
	else if (message->queued.crashes >= OUTBOX_CRASHES_MAX)
		outbox_end(message, MESSAGE_FAILED, 0, SLICE("crashed"));
	else if (message->queued.age_ms >= LATE_MS)
		outbox_end(message, MESSAGE_DROPPED, 0, SLICE("late"));
	else
		result = look_up(t, text);
	if (result == RESULT_NOT_FOUND) /* the lease has ended */
		outbox_end(message, MESSAGE_REQUESTED, 0, SLICE("lease_lost"));
	else if (!outbox_note_result(t->outbox, result) && message->state != OUTBOX_ENDED)
		outbox_end(message, MESSAGE_REQUESTED, DATABASE_MS, SLICE("database"));
	return RESULT_OK;
}

/* ---- the process ---- */

static void
send_text(void *context, struct outbox_message *message)
{
	const struct texter *t = context;
	struct leased_text *text = message->own;
	sender_start(t->sender, &text->attempt, text);
}

/* The message is leased again when its lease ends. */
static void
abandon(void *context, struct outbox_message *message)
{
	const struct texter *t = context;
	sender_cancel(t->sender, message->own); /* the transfer uses memory of the message */
	message->state = OUTBOX_GONE;
}

enum result
texter_run(struct store *store, const struct texter_options *options)
{
	struct texter t = { .store = store, .options = options };
	struct sender_options sender_options = options->sender;
	sender_options.stall_max_ms = STALL_MAX_MS; /* an answer that came while the loop waited for the database was in time */
	const struct outbox_sender sender = { .channel = TEXT_CHANNEL,
		.parallel = options->sender.in_flight,
		.capacity = options->sender.in_flight,
		.poll_ms = POLL_MS,
		.time_max_ms = options->sender.timeout_ms,
		.context = &t,
		.prepare = prepare,
		.send = send_text,
		.abandon = abandon };
	struct event_loop *loop = event_loop_new();
	t.sender = sender_new(loop, &sender_options, done, &t);
	if (t.sender == NULL) {
		event_loop_free(&loop);
		return RESULT_UNAVAILABLE;
	}
	t.outbox = outbox_new(loop, store, &options->outbox, &sender);
	const size_t left = outbox_run(t.outbox);
	if (left > 0)
		log_debug("texts_not_recorded", LOG_UINT("texts", left));
	sender_free(&t.sender);
	outbox_free(&t.outbox);
	event_loop_free(&loop);
	return RESULT_OK;
}
