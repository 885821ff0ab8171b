/* SPDX-License-Identifier: MIT
 * What becomes of leased messages (docs/mail.md).
 *
 * Times are the database's. Results are those of db/db.h; every function here may be repeated. Strings are in the caller's
 * pool.
 */
#pragma once

#include "store/codes/lead_codes.h"
#include "store/messages/mail_lease.h"

enum { MAIL_HASH_SIZE = 16, MAIL_ANSWER_MAX = 500 };

/* Stored by name. */
enum message_state {
	MESSAGE_REQUESTED,
	MESSAGE_READY, /* recipient, Message-ID and content are written, and no longer change */
	MESSAGE_SENT,
	MESSAGE_FAILED,
	MESSAGE_DROPPED,
	MESSAGE_STATES
};
struct slice message_state_name(enum message_state state);
MUST_CHECK bool message_state_parse(struct slice name, enum message_state *state);

/* *last_day: how many mails from all campaigns this address got in the last day or may still get, including those that pages
 * have requested for it. *youngest_ms: how long ago the last of them was composed or counted, or -1. */
MUST_CHECK enum result store_count_mails(
    struct store *store, const unsigned char recipient_hash[MAIL_HASH_SIZE], unsigned *last_day, int64_t *youngest_ms);
/* Mails of one kind to an address, except one of them. */
struct mails_of_kind {
	const unsigned char *recipient_hash; /* MAIL_HASH_SIZE bytes */
	enum message_kind kind;
	uint64_t except;
	uint64_t lead_id;       /* only to this lead; 0: to any */
	uint64_t requested_for; /* only mails that pages of this campaign have requested for the address; 0: all */
};
/* How long ago the last of them were composed or counted, the newest first, at most `max` of those that are stored. Those that
 * failed or were dropped are left out, unless a page has requested them. */
MUST_CHECK enum result store_mail_ages(
    struct store *store, const struct mails_of_kind *mails, int64_t *ages_ms, size_t max, size_t *count);
/* Counts a leased request of a page towards the limits of its address, once, no matter what becomes of it. RESULT_NOT_FOUND:
 * the lease has ended. */
MUST_CHECK enum result store_count_mail(
    struct store *store, const unsigned char owner[MAIL_OWNER_SIZE], const struct queued_mail *mail);
/* What a request becomes. */
struct ready_mail {
	uint64_t id;
	const unsigned char *recipient_hash; /* MAIL_HASH_SIZE bytes */
	struct slice recipient, message_id, content;
	struct lead_code code_for; /* for a mail that shows a code */
	struct slice code;         /* absent: it shows none */
};
/* Makes a leased request ready, and stores its code in the same transaction: the valid code is always that of the last mail
 * that may be sent. RESULT_NOT_FOUND: the lease has ended. Any other failure: it may be ready. */
MUST_CHECK enum result store_mail_ready(
    struct store *store, const unsigned char owner[MAIL_OWNER_SIZE], const struct ready_mail *mail);

struct mail_outcome {
	uint64_t id;
	enum message_state state; /* REQUESTED or READY: tried again after `delay_ms` */
	int64_t delay_ms;
	bool attempted; /* counts as an attempt */
	int status;     /* status from the mail server; 0: none */
	struct slice answer, reason;
	uint64_t account_id, campaign_id; /* whose limits it counts towards when it is sent; 0: it was counted before */
	bool uncounts; /* the text was not sent and will not be: its code no longer counts for the number and its prefix */
};
/* Records the outcome and ends the lease. A sent message is recorded as sent even if another process leases it.
 * RESULT_NOT_FOUND: there is no such row, or another process leases it. */
MUST_CHECK enum result store_mail_outcome(
    struct store *store, const unsigned char owner[MAIL_OWNER_SIZE], const struct mail_outcome *outcome);
/* Makes mails of this kind to this lead that wait for another attempt due now, because the person has requested one. */
MUST_CHECK enum result store_bring_mail_forward(struct store *store, const struct queued_mail *mail);
/* Sets the lead's flag `bounced`, if it still has this email_key. */
MUST_CHECK enum result store_mail_bounced(struct store *store, uint64_t campaign_id, uint64_t lead_id, struct slice email_key);
/* Holds the channel for `hold_ms` after a failure of the server, the `failures`-th in a row. */
MUST_CHECK enum result store_hold_mail(struct store *store, enum message_channel channel, unsigned failures, int64_t hold_ms,
    struct slice reason, struct slice answer);
/* Notes a refusal that an operator should see. */
MUST_CHECK enum result store_note_refusal(
    struct store *store, enum message_channel channel, struct slice reason, struct slice answer);
/* Ends the hold. */
MUST_CHECK enum result store_resume_mail(struct store *store, enum message_channel channel);
