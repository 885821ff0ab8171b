/* SPDX-License-Identifier: MIT
 * Messages as the operator sees them, and their clean-up (docs/mail.md).
 *
 * Times are the database's. Results are those of db/db.h; every function here may be repeated. Strings are in the caller's
 * pool.
 */
#pragma once

#include "base/duration.h"
#include "store/message_requests.h"
#include "store/messages/mail_outcomes.h"

/* Filters that are 0 or -1 are not applied: 0 for ids, -1 for state and kind. */
struct mail_filter {
	uint64_t campaign_id;
	int state, kind;
	uint64_t after; /* `next` of the previous part of the list */
	size_t limit;
};
struct mail_row {
	uint64_t id, campaign_id;
	struct slice lead_social_id; /* absent: the lead was deleted */
	unsigned kind;               /* enum message_kind, or a number of a later version */
	uint64_t ref;
	enum message_state state;
	unsigned attempts, crashes;
	bool leased, is_due;
	int64_t created_ms, due_ms, sent_ms, ended_ms; /* -1: not set; due_ms: only of pending messages */
	struct slice recipient, message_id; /* absent before it is ready; the recipient is kept for some days after its end */
	int last_status;                    /* 0: none */
	struct slice last_answer, reason;
};
struct mail_list {
	struct mail_row *mails;
	size_t count;
	uint64_t next; /* `after` for the rest of the list, which may be empty; 0: this is all */
};
/* Lists messages by id, the highest first: roughly the newest first, because processes take ids in blocks. It reads at most
 * MAILS_EXAMINED rows, in pieces: with a state or kind, a list may be short or empty and still have a next part. */
enum { MAILS_EXAMINED = 5000, MAILS_PIECE = 1000 };
MUST_CHECK enum result store_list_mails(
    struct store *store, struct pool *pool, const struct mail_filter *filter, struct mail_list *list);
/* *content: absent before it is ready, and some days after its end. RESULT_NOT_FOUND: no such message. */
MUST_CHECK enum result store_find_mail(
    struct store *store, struct pool *pool, uint64_t id, struct mail_row *mail, struct slice *content);

enum mail_again {
	MAIL_QUEUED,
	MAIL_LEASED,     /* it is being sent */
	MAIL_NO_CONTENT, /* its content was removed some days after it ended */
	MAIL_IS_TEXT,    /* a text to a phone: another code can be requested */
	MAIL_NO_LEAD,    /* its lead was deleted */
	MAIL_ENOUGH,     /* MAIL_REPEATS_MAX mails of its lead were sent again in the last day */
	MAIL_MISSING
};
enum { MAIL_REPEATS_MAX = 5 };
/* Sends a mail again. One that has not ended is due now, and its time for attempts begins again. One that has ended does not
 * change; instead, a new mail is requested, with the same content, or to be composed if the old one never was. The usual limits
 * apply to it. */
MUST_CHECK enum result store_mail_again(struct store *store, uint64_t id, enum mail_again *what);

struct mail_counts {
	uint64_t pending;
	int64_t oldest_ms; /* when the oldest of them was due; -1: none is due */
};
MUST_CHECK enum result store_count_pending_mails(struct store *store, struct mail_counts *counts);

/* ---- clean-up ---- */

/* How long recipient and content of an ended message are stored. */
#define MAIL_CONTENT_MS (7 * DAY_MS)
/* Removes old contents, and messages that ended longer ago than `retention_ms` (0: none of them). The work is limited, and
 * small if there is nothing to do. */
MUST_CHECK enum result store_clean_up_mails(struct store *store, int64_t retention_ms);
