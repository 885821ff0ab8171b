/* SPDX-License-Identifier: MIT
 * Before a mail is sent: whether it may be, its bytes, and the limits of its address (docs/mail.md 6). */
#include <string.h>

#include "deliver/mail/mailer_private.h"
#include "identity/address_hash.h"
#include "identity/email.h"
#include "os/metrics.h"
#include "store/store.h"

enum { CRASHES_MAX = 3, PER_DAY = 5, MINUTE_MS = 60 * 1000, DAY_MS = 24 * 60 * MINUTE_MS, LATER_MS = 5 * MINUTE_MS };
/* How long a mail waits for the confirmation of its address: longer than a person takes that wants it. */
#define UNCONFIRMED_MS (INT64_C(30) * DAY_MS)

/* Mails of a kind to an address: at most `count` within a time. Anyone can request a confirmation, or a deletion, for any
 * address. What pages of a campaign request for an address has the same limits as the mails of a lead. */
static const struct {
	enum message_kind kind;
	bool of_all_leads; /* to the address in all campaigns; else to that of one lead */
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

void
mailer_end_job(struct mail_job *job, enum message_state state, int64_t delay_ms, struct slice reason)
{
	job->state = JOB_ENDED;
	job->outcome = (struct mail_outcome){ .id = job->mail.id,
		.state = state,
		.delay_ms = delay_ms,
		.reason = reason,
		.account_id = job->mail.account_id,
		.campaign_id = job->mail.campaign_id };
}

/* The address has had enough. */
static void
drop(struct mail_job *job, enum metric_drop drop)
{
#define REASON(id, reason) [METRIC_##id] = SLICE(reason),
	static const struct slice reasons[METRIC_DROP_COUNT] = { METRIC_DROPS(REASON) };
#undef REASON
	mailer_end_job(job, MESSAGE_DROPPED, 0, reasons[drop]);
	metrics_add(METRIC_DROPS, drop, 1);
}

/* Absent: it may be sent. */
static struct slice
reason_to_drop(const struct queued_mail *mail)
{
	if (!mail->has_lead)
		return SLICE("lead_deleted");
	if (mail->bounced)
		return SLICE("bounced");
	/* after an opt-out a person can still request these, but it does not request their repetition */
	const bool is_requested = message_ignores_opt_out(mail->kind) && !mail->is_repeated;
	return mail->opted_out && !is_requested ? SLICE("opted_out") : SLICE_NONE;
}

/* Only the confirmation itself, and what a person has requested, goes to an address that may be another person's. A mail is due
 * when the address is confirmed (docs/mail.md 6); this one was leased in that moment, or looks whether it still has to be. */
static bool
waits_for_confirmation(struct mail_job *job)
{
	const struct queued_mail *mail = &job->mail;
	const int64_t wait_ms = mail->age_ms < MINUTE_MS ? MINUTE_MS : mail->age_ms < DAY_MS ? mail->age_ms : DAY_MS;
	if (!mail->is_unconfirmed || message_ignores_opt_out(mail->kind))
		return false;
	const bool is_late = mail->age_ms > UNCONFIRMED_MS;
	const enum message_state waits = mail->is_ready ? MESSAGE_READY : MESSAGE_REQUESTED;
	mailer_end_job(
	    job, is_late ? MESSAGE_DROPPED : waits, wait_ms, SLICE("unconfirmed")); /* sql_release_unconfirmed has it, too */
	return true;
}

/* Counts mails by mailbox, whatever the spelling, without storing it longer than the mail. */
static enum result
hash_recipient(struct mailer *m, struct mail_job *job, struct address_hash *hash)
{
	const struct payload_settings *settings;
	const enum result result = store_payload_settings(m->store, &settings);
	if (result == RESULT_OK)
		*hash = address_hash_mailbox(job->pool, settings->server_secret, job->email_key);
	return result;
}

/* Ends the job when the address has had enough of these mails. */
static enum result
keep_kind_limits(struct mailer *m, struct mail_job *job, const struct mails_of_kind *mails)
{
	const bool of_all_leads = mails->lead_id == 0 && mails->requested_for == 0;
	int64_t ages_ms[KIND_COUNT_MAX];
	size_t count = 0;
	bool is_read = false;
	enum result result = RESULT_OK;
	for (size_t i = 0; i < ARRAY_SIZE(kind_limits) && result == RESULT_OK && job->state != JOB_ENDED; i++) {
		if (kind_limits[i].kind != mails->kind || kind_limits[i].of_all_leads != of_all_leads)
			continue;
		if (!is_read)
			result = store_mail_ages(m->store, mails, ages_ms, KIND_COUNT_MAX, &count);
		is_read = true;
		if (count >= kind_limits[i].count && ages_ms[kind_limits[i].count - 1] < kind_limits[i].within_ms)
			drop(job, kind_limits[i].drop);
	}
	if (result == RESULT_OK && job->state == JOB_ENDED)
		result = store_bring_mail_forward(m->store, &job->mail);
	return result;
}

/* Ends the job when the address has had enough. For the next minute it waits. */
static enum result
keep_address_limits(struct mailer *m, struct mail_job *job, const unsigned char *hash)
{
	unsigned day = 0;
	int64_t youngest_ms = -1;
	const enum result result = store_count_mails(m->store, hash, &day, &youngest_ms);
	if (result != RESULT_OK)
		return result;
	/* strangers can have the others sent until there are enough; its own limits leave one for the lead to use */
	const bool is_enough = day >= PER_DAY && job->mail.kind != MESSAGE_ERASE_CONFIRM;
	if (is_enough)
		drop(job, METRIC_DROPPED_ADDRESS_LIMIT);
	else if (youngest_ms >= 0 && youngest_ms < MINUTE_MS)
		mailer_end_job(job, MESSAGE_REQUESTED, MINUTE_MS - youngest_ms, SLICE("minute_limit"));
	return RESULT_OK;
}

/* Ends the job when the address has had enough; what a page has requested, first when it is counted, then when it is sent to a
 * lead. */
static enum result
keep_limits(struct mailer *m, struct mail_job *job, const unsigned char *hash)
{
	const struct queued_mail *mail = &job->mail;
	struct mails_of_kind mails = { .recipient_hash = hash, .kind = mail->kind, .except = mail->id };
	const bool is_for_page = slice_present(mail->requested_for) && !mail->is_counted;
	mails.lead_id = is_for_page ? 0 : mail->lead_id;
	mails.requested_for = is_for_page ? mail->campaign_id : 0;
	enum result result = keep_kind_limits(m, job, &mails);
	mails.lead_id = mails.requested_for = 0;
	if (result == RESULT_OK && job->state != JOB_ENDED)
		result = keep_kind_limits(m, job, &mails);
	if (result == RESULT_OK && job->state != JOB_ENDED && !mail->is_counted)
		result = keep_address_limits(m, job, hash);
	return result;
}

/* What a page has requested for an address takes up its limits before the lead is looked for: else they would show whether
 * there is one. Those of the campaign, and of all others, are taken up by what is sent. */
static enum result
count_request(struct mailer *m, struct mail_job *job)
{
	enum result result = keep_limits(m, job, (const unsigned char *)job->mail.requested_for.data);
	if (result != RESULT_OK || job->state == JOB_ENDED)
		return result;
	result = store_count_mail(m->store, m->owner, &job->mail);
	job->mail.is_counted = result == RESULT_OK;
	return result;
}

static enum result
compose(struct mailer *m, struct mail_job *job, struct composed_mail *composed)
{
	if (m->options->composer == NULL) {
		mailer_end_job(job, MESSAGE_REQUESTED, LATER_MS, SLICE("no_composer"));
		return RESULT_OK;
	}
	const enum result result =
	    m->options->composer(m->options->composer_context, m->store, job->pool, &job->mail, composed);
	if (result == RESULT_FAILED) {
		mailer_end_job(job, MESSAGE_FAILED, 0, SLICE("not_composed"));
		return RESULT_OK;
	}
	if (result == RESULT_OK && slice_present(composed->drop))
		mailer_end_job(job, MESSAGE_DROPPED, 0, composed->drop);
	return result;
}

/* The address and the bytes, of a composed mail or of a stored one. */
static bool
check(struct mail_job *job, const char *sender, struct slice recipient, struct slice content)
{
	struct email email;
	if (!slice_present(recipient) || slice_has_control(recipient) || !email_parse(job->pool, recipient, &email)) {
		mailer_end_job(job, MESSAGE_FAILED, 0, SLICE("bad_address"));
		return false;
	}
	const bool utf8 = !slice_is_ascii(email.display) || !slice_is_ascii(slice_of(sender));
	if (!mail_content_is_clean(content, utf8) || content.size > MAIL_SIZE_MAX) {
		log_error("mail_broken", LOG_UINT("message", job->mail.id), LOG_UINT("campaign", job->mail.campaign_id));
		mailer_end_job(job, MESSAGE_FAILED, 0, SLICE("bad_content"));
		return false;
	}
	job->email_key = email.key;
	job->line.mail = (struct smtp_mail){ pool_string(job->pool, email.display), utf8, content };
	return true;
}

/* A mail that was composed before has the links of the lead, which may have another address now. */
static bool
check_composed(struct mail_job *job, const char *sender)
{
	if (!check(job, sender, job->mail.recipient, job->mail.content))
		return false;
	if (slice_equal(job->email_key, job->mail.email_key))
		return true;
	mailer_end_job(job, MESSAGE_DROPPED, 0, SLICE("address_replaced"));
	return false;
}

/* Whether the mail that was requested for an address goes to it: the lead may have another one by now. */
static bool
is_for(const struct mail_job *job, const struct address_hash *hash)
{
	return !slice_present(job->mail.requested_for) ||
	       slice_equal(job->mail.requested_for, (struct slice){ (const char *)hash->bytes, sizeof(hash->bytes) });
}

static enum result
make_ready(struct mailer *m, struct mail_job *job)
{
	struct composed_mail composed = { .drop = SLICE_NONE };
	struct address_hash hash;
	enum result result = RESULT_OK;
	const bool is_composed = job->mail.is_repeated && slice_present(job->mail.content);
	if (is_composed && !check_composed(job, m->options->server.sender))
		return RESULT_OK;
	if (is_composed)
		composed = (struct composed_mail){
			.recipient = job->mail.recipient, .message_id = job->mail.message_id, .content = job->mail.content
		};
	else
		result = compose(m, job, &composed);
	if (result != RESULT_OK || job->state == JOB_ENDED ||
	    !check(job, m->options->server.sender, composed.recipient, composed.content))
		return result;
	result = hash_recipient(m, job, &hash);
	if (result == RESULT_OK && !is_for(job, &hash))
		mailer_end_job(job, MESSAGE_DROPPED, 0, SLICE("address_replaced"));
	else if (result == RESULT_OK)
		result = keep_limits(m, job, hash.bytes);
	if (result != RESULT_OK || job->state == JOB_ENDED)
		return result;
	const struct ready_mail ready = { .id = job->mail.id,
		.recipient_hash = hash.bytes,
		.recipient = composed.recipient,
		.message_id = composed.message_id,
		.content = composed.content,
		.code_for = { CHANNEL_EMAIL, job->mail.lead_id, job->email_key },
		.code = composed.code };
	result = store_mail_ready(m->store, m->owner, &ready);
	if (result == RESULT_OK)
		job->mail.is_ready = true;
	return result;
}

/* Of a kind of this version. */
static enum result
prepare(struct mailer *m, struct mail_job *job)
{
	enum result result = RESULT_OK;
	if (slice_present(job->mail.requested_for) && !job->mail.is_counted)
		result = count_request(m, job);
	if (result != RESULT_OK || job->state == JOB_ENDED)
		return result;
	const struct slice reason = reason_to_drop(&job->mail);
	if (slice_present(reason))
		mailer_end_job(job, MESSAGE_DROPPED, 0, reason);
	else if (waits_for_confirmation(job))
		return RESULT_OK;
	else if (!job->mail.is_ready)
		result = make_ready(m, job);
	else
		(void)!check_composed(job, m->options->server.sender);
	return result;
}

void
mailer_prepare(struct mailer *m, struct mail_job *job)
{
	enum result result = RESULT_OK;
	log_work(LOG_UINT("message", job->mail.id));
	if ((size_t)job->mail.kind >= MESSAGE_KINDS) { /* of a later version, whose process sends it */
		mailer_end_job(job, job->mail.is_ready ? MESSAGE_READY : MESSAGE_REQUESTED, LATER_MS, SLICE("unknown_kind"));
	} else if (job->mail.crashes >= CRASHES_MAX) {
		log_error("mail_crashed", LOG_UINT("message", job->mail.id), LOG_UINT("campaign", job->mail.campaign_id));
		mailer_end_job(job, MESSAGE_FAILED, 0, SLICE("crashed"));
	} else {
		result = prepare(m, job);
	}
	log_work_done();
	if (result == RESULT_NOT_FOUND)
		job->state = JOB_GONE;
	else if (mailer_lost_database(m, result)) /* it may be ready: it is leased again, as it is */
		job->state = JOB_RETURNED;
	else if (job->state == JOB_LEASED)
		job->state = JOB_READY;
}
