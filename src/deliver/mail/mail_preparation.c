/* SPDX-License-Identifier: MIT */
#include "deliver/mail/mail_preparation.h"

#include "base/duration.h"
#include "deliver/mail/mail_judge.h"
#include "identity/email.h"
#include "identity/signed_token.h"
#include "os/metrics.h"
#include "store/store.h"

enum { PER_DAY = 5, LATER_MS = 5 * MINUTE_MS };
/* How long a mail waits for its address to be confirmed: longer than a person who wants the mail takes. */
#define UNCONFIRMED_MS (30 * DAY_MS)

/* Limits of the mails of a kind to an address: at most `count` within a time, because anyone can request a confirmation or a
 * deletion for any address. Requests by a campaign's pages for an address have the same limits as the mails of a lead. */
static const struct {
	enum message_kind kind;
	bool of_all_leads; /* counts mails to the address in all campaigns; otherwise only those to one lead */
	unsigned count;
	int64_t within_ms;
	enum metric_drop drop;
} kind_limits[] = {
	{ MESSAGE_VERIFY, false, 1, 5 * MINUTE_MS, METRIC_DROPPED_TOO_SOON },
	{ MESSAGE_VERIFY, false, 3, DAY_MS, METRIC_DROPPED_DAILY },
	{ MESSAGE_VERIFY, false, 5, INT64_MAX, METRIC_DROPPED_ENOUGH },
	{ MESSAGE_ERASE_CONFIRM, false, 1, MINUTE_MS, METRIC_DROPPED_TOO_SOON },
	{ MESSAGE_ERASE_CONFIRM, false, 2, DAY_MS, METRIC_DROPPED_DAILY },
	{ MESSAGE_ERASE_CONFIRM, true, 5, DAY_MS, METRIC_DROPPED_ERASE_LIMIT },
};
enum { KIND_COUNT_MAX = 5 };

/* Whether the address has reached a limit. */
static void
drop(struct leased_mail *mail, enum metric_drop drop)
{
#define REASON(id, reason) [METRIC_##id] = SLICE(reason),
	static const struct slice reasons[METRIC_DROP_COUNT] = { METRIC_DROPS(REASON) };
#undef REASON
	outbox_end(mail->message, MESSAGE_DROPPED, 0, reasons[drop]);
	metrics_add(METRIC_DROPS, drop, 1);
}

/* Absent: the mail may be sent. */
static struct slice
reason_to_drop(const struct queued_mail *mail)
{
	if (!mail->has_lead)
		return SLICE("lead_deleted");
	if (mail->bounced)
		return SLICE("bounced");
	/* a person can still request these mails after an opt-out, but has not requested that they be repeated */
	const bool is_requested = message_ignores_opt_out(mail->kind) && !mail->is_repeated;
	return mail->opted_out && !is_requested ? SLICE("opted_out") : SLICE_NONE;
}

/* Only the confirmation itself, and mails that a person has requested, go to an address that may be another person's. */
static bool
waits_for_confirmation(const struct queued_mail *queued)
{
	return queued->is_unconfirmed && !message_ignores_opt_out(queued->kind);
}

/* Such a mail is due when the address is confirmed (docs/mail.md 6). This one was leased at that very moment, or it is time to
 * check whether it still has to wait. */
static void
end_unconfirmed(struct outbox_message *message)
{
	const int64_t age_ms = message->queued.age_ms;
	const int64_t wait_ms = age_ms < MINUTE_MS ? MINUTE_MS : age_ms < DAY_MS ? age_ms : DAY_MS;
	const enum message_state waits = message->queued.is_ready ? MESSAGE_READY : MESSAGE_REQUESTED;
	/* sql_release_unconfirmed uses the same reason */
	outbox_end(message, age_ms > UNCONFIRMED_MS ? MESSAGE_DROPPED : waits, wait_ms, SLICE("unconfirmed"));
}

/* Counts mails by mailbox, however it is spelled, without storing it longer than the mail. */
static enum result
hash_recipient(const struct mail_preparation *p, struct leased_mail *mail, struct address_hash *hash)
{
	const struct payload_settings *settings;
	const enum result result = store_payload_settings(p->store, &settings);
	if (result == RESULT_OK)
		*hash = address_hash_mailbox(mail->message->pool, settings->server_secret, mail->email_key);
	return result;
}

/* Ends the mail when the address has reached a limit for mails of this kind. */
static enum result
keep_kind_limits(const struct mail_preparation *p, struct leased_mail *mail, const struct mails_of_kind *mails)
{
	const bool of_all_leads = mails->lead_id == 0 && mails->requested_for == 0;
	int64_t ages_ms[KIND_COUNT_MAX];
	size_t count = 0;
	bool is_read = false;
	enum result result = RESULT_OK;
	for (size_t i = 0; i < ARRAY_SIZE(kind_limits) && result == RESULT_OK && mail->message->state != OUTBOX_ENDED; i++) {
		if (kind_limits[i].kind != mails->kind || kind_limits[i].of_all_leads != of_all_leads)
			continue;
		if (!is_read)
			result = store_mail_ages(p->store, mails, ages_ms, KIND_COUNT_MAX, &count);
		is_read = true;
		if (count >= kind_limits[i].count && ages_ms[kind_limits[i].count - 1] < kind_limits[i].within_ms)
			drop(mail, kind_limits[i].drop);
	}
	if (result == RESULT_OK && mail->message->state == OUTBOX_ENDED)
		result = store_bring_mail_forward(p->store, &mail->message->queued);
	return result;
}

/* Ends the mail when the address has reached its daily limit, and delays it while the last one is less than a minute old. */
static enum result
keep_address_limits(const struct mail_preparation *p, struct leased_mail *mail, const unsigned char *hash)
{
	unsigned day = 0;
	int64_t youngest_ms = -1;
	const enum result result = store_count_mails(p->store, hash, &day, &youngest_ms);
	if (result != RESULT_OK)
		return result;
	/* strangers can request the other kinds until the daily limit is reached; the limits of this kind leave one mail for
	 * the lead */
	const bool is_enough = day >= PER_DAY && mail->message->queued.kind != MESSAGE_ERASE_CONFIRM;
	if (is_enough)
		drop(mail, METRIC_DROPPED_ADDRESS_LIMIT);
	else if (youngest_ms >= 0 && youngest_ms < MINUTE_MS)
		outbox_end(mail->message, MESSAGE_REQUESTED, MINUTE_MS - youngest_ms, SLICE("minute_limit"));
	return RESULT_OK;
}

/* Ends the mail when the address has reached a limit. Requests of pages are checked twice: when they are counted, and when
 * their mails are sent to a lead. */
static enum result
keep_limits(const struct mail_preparation *p, struct leased_mail *mail, const unsigned char *hash)
{
	const struct queued_mail *queued = &mail->message->queued;
	struct mails_of_kind mails = { .recipient_hash = hash, .kind = queued->kind, .except = queued->id };
	const bool is_for_page = slice_present(queued->requested_for) && !queued->is_counted;
	mails.lead_id = is_for_page ? 0 : queued->lead_id;
	mails.requested_for = is_for_page ? queued->campaign_id : 0;
	enum result result = keep_kind_limits(p, mail, &mails);
	mails.lead_id = mails.requested_for = 0;
	if (result == RESULT_OK && mail->message->state != OUTBOX_ENDED)
		result = keep_kind_limits(p, mail, &mails);
	if (result == RESULT_OK && mail->message->state != OUTBOX_ENDED && !queued->is_counted)
		result = keep_address_limits(p, mail, hash);
	return result;
}

/* A request by a page for an address counts towards the limits of the address before the lead is looked up: otherwise the
 * limits would show whether there is such a lead. All other limits, such as those of the campaign, count the mails that are
 * sent. */
static enum result
count_request(const struct mail_preparation *p, struct leased_mail *mail)
{
	enum result result = keep_limits(p, mail, (const unsigned char *)mail->message->queued.requested_for.data);
	if (result != RESULT_OK || mail->message->state == OUTBOX_ENDED)
		return result;
	result = store_count_mail(p->store, outbox_owner(p->outbox), &mail->message->queued);
	mail->message->queued.is_counted = result == RESULT_OK;
	return result;
}

static enum result
compose(const struct mail_preparation *p, struct leased_mail *mail, struct composed_mail *composed)
{
	struct outbox_message *message = mail->message;
	const enum result result =
	    mail_compose_request(p->options->senders, p->store, message->pool, &message->queued, composed);
	if (result == RESULT_FAILED) {
		outbox_end(message, MESSAGE_FAILED, 0, SLICE("not_composed"));
		return RESULT_OK;
	}
	if (result == RESULT_OK && slice_present(composed->drop))
		outbox_end(message, MESSAGE_DROPPED, 0, composed->drop);
	return result;
}

/* Checks the address and the bytes of a mail, whether it was just composed or stored earlier. */
static bool
check(struct leased_mail *mail, const char *sender, struct slice recipient, struct slice content)
{
	struct email email;
	if (!slice_present(recipient) || slice_has_control(recipient) || !email_parse(mail->message->pool, recipient, &email)) {
		outbox_end(mail->message, MESSAGE_FAILED, 0, SLICE("bad_address"));
		return false;
	}
	const bool utf8 = !slice_is_ascii(email.display) || !slice_is_ascii(slice_of(sender));
	if (!mail_content_is_clean(content) || (!utf8 && !slice_is_ascii(content)) || content.size > MAIL_SIZE_MAX) {
		log_error("mail_broken", LOG_UINT("message", mail->message->queued.id),
		    LOG_UINT("campaign", mail->message->queued.campaign_id));
		outbox_end(mail->message, MESSAGE_FAILED, 0, SLICE("bad_content"));
		return false;
	}
	mail->email_key = email.key;
	mail->job.mail = (struct smtp_mail){ pool_string(mail->message->pool, email.display), utf8, content };
	return true;
}

/* A mail that was composed earlier contains the links of its lead; the lead may have another address now. */
static bool
check_composed(struct leased_mail *mail, const char *sender)
{
	if (!check(mail, sender, mail->message->queued.recipient, mail->message->queued.content))
		return false;
	if (slice_equal(mail->email_key, mail->message->queued.email_key))
		return true;
	outbox_end(mail->message, MESSAGE_DROPPED, 0, SLICE("address_replaced"));
	return false;
}

/* Whether a mail that was requested for an address would be sent to that address: the lead may have another one by now. */
static bool
is_for(const struct leased_mail *mail, const struct address_hash *hash)
{
	return !slice_present(mail->message->queued.requested_for) ||
	       slice_equal(
		   mail->message->queued.requested_for, (struct slice){ (const char *)hash->bytes, sizeof(hash->bytes) });
}

static enum result
make_ready(const struct mail_preparation *p, struct leased_mail *mail)
{
	struct composed_mail composed = { .drop = SLICE_NONE };
	struct address_hash hash;
	enum result result = RESULT_OK;
	const bool is_composed = mail->message->queued.is_repeated && slice_present(mail->message->queued.content);
	if (is_composed && !check_composed(mail, p->options->server.sender))
		return RESULT_OK;
	if (is_composed)
		composed = (struct composed_mail){ .recipient = mail->message->queued.recipient,
			.message_id = mail->message->queued.message_id,
			.content = mail->message->queued.content };
	else
		result = compose(p, mail, &composed);
	if (result != RESULT_OK || mail->message->state == OUTBOX_ENDED ||
	    !check(mail, p->options->server.sender, composed.recipient, composed.content))
		return result;
	result = hash_recipient(p, mail, &hash);
	if (result == RESULT_OK && !is_for(mail, &hash))
		outbox_end(mail->message, MESSAGE_DROPPED, 0, SLICE("address_replaced"));
	else if (result == RESULT_OK)
		result = keep_limits(p, mail, hash.bytes);
	if (result != RESULT_OK || mail->message->state == OUTBOX_ENDED)
		return result;
	const struct ready_mail ready = { .id = mail->message->queued.id,
		.recipient_hash = hash.bytes,
		.recipient = composed.recipient,
		.message_id = composed.message_id,
		.content = composed.content,
		.code_for = { CHANNEL_EMAIL, mail->message->queued.lead_id, mail->email_key },
		.code = composed.code };
	result = store_mail_ready(p->store, outbox_owner(p->outbox), &ready);
	if (result == RESULT_OK)
		mail->message->queued.is_ready = true;
	return result;
}

/* Only for kinds that this version knows. */
static enum result
prepare(const struct mail_preparation *p, struct leased_mail *mail)
{
	enum result result = RESULT_OK;
	if (slice_present(mail->message->queued.requested_for) && !mail->message->queued.is_counted)
		result = count_request(p, mail);
	if (result != RESULT_OK || mail->message->state == OUTBOX_ENDED)
		return result;
	const struct slice reason = reason_to_drop(&mail->message->queued);
	if (slice_present(reason))
		outbox_end(mail->message, MESSAGE_DROPPED, 0, reason);
	else if (waits_for_confirmation(&mail->message->queued))
		end_unconfirmed(mail->message);
	else if (!mail->message->queued.is_ready)
		result = make_ready(p, mail);
	else
		(void)!check_composed(mail, p->options->server.sender);
	return result;
}

enum result
mail_prepare(const struct mail_preparation *p, struct leased_mail *mail)
{
	struct outbox_message *message = mail->message;
	const struct queued_mail *queued = &message->queued;
	if ((size_t)queued->kind >= MESSAGE_KINDS) { /* a kind of a later version: a process of that version sends it */
		outbox_end(message, queued->is_ready ? MESSAGE_READY : MESSAGE_REQUESTED, LATER_MS, SLICE("unknown_kind"));
		return RESULT_OK;
	}
	if (queued->crashes >= OUTBOX_CRASHES_MAX) {
		log_error("mail_crashed", LOG_UINT("message", queued->id), LOG_UINT("campaign", queued->campaign_id));
		outbox_end(message, MESSAGE_FAILED, 0, SLICE("crashed"));
		return RESULT_OK;
	}
	return prepare(p, mail);
}
