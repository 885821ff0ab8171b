/* SPDX-License-Identifier: MIT
 * The rows of `messages` for the process that sends mail (docs/mail.md), and for the operator.
 *
 * Times are the database's. A lease is a process's exclusive right to a message until the lease ends.
 * Results are those of db/db.h; every function here may be repeated. Strings are in the caller's pool. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/pool.h"
#include "base/result.h"
#include "base/slice.h"
#include "engine/message.h"
#include "store/codes/lead_codes.h"
#include "store/message_requests.h"
#include "store/messages/sendings.h"

struct store;

enum { MAIL_OWNER_SIZE = 16, MAIL_HASH_SIZE = 16, MAIL_ANSWER_MAX = 500 };

/* Stored as their names. */
enum message_state {
	MESSAGE_REQUESTED,
	MESSAGE_READY, /* recipient, Message-ID and content are written, and stay as they are */
	MESSAGE_SENT,
	MESSAGE_FAILED,
	MESSAGE_DROPPED,
	MESSAGE_STATES
};
struct slice message_state_name(enum message_state state);
MUST_CHECK bool message_state_parse(struct slice name, enum message_state *state);

/* ---- leases ---- */

/* A campaign with something due. */
struct mail_campaign {
	struct sender_count sender;
	unsigned turn;
};
/* What holds all mail, or all texts. */
struct mail_hold {
	unsigned failures;
	int64_t left_ms;       /* until the next attempt; <= 0: none */
	int64_t since_ms;      /* -1: the last attempt reached the server */
	struct slice reason;   /* absent: as above */
	struct slice answer;   /* of the server; may be absent */
	int64_t held_until_ms; /* as the row has it */
	/* the last refusal that an operator should see, and that does not hold the channel */
	int64_t refused_ms; /* -1: there was none in the last day */
	struct slice refused_reason, refused_answer;
};
MUST_CHECK enum result store_mail_hold(
    struct store *store, struct pool *pool, enum message_channel channel, struct mail_hold *hold);
/* Campaigns with due messages of the channel, by turn, with what they, their accounts and the installation have sent.
 * *next_ms: milliseconds until the next message that is not due yet, or -1. */
MUST_CHECK enum result store_mail_campaigns(struct store *store, struct pool *pool, enum message_channel channel,
    struct mail_campaign **campaigns, size_t *count, int64_t *next_ms);

struct mail_request {
	uint64_t campaign_id, account_id;
	unsigned turn;
	unsigned rows;         /* at most … */
	unsigned account_rows; /* … of all of the account, at most */
	unsigned all_rows;     /* … of all */
};
struct due_mail {
	size_t request; /* its place in the list */
	uint64_t id;
};
/* Those of a request by due time. At most DB_LIST_MAX requests. */
MUST_CHECK enum result store_find_due_mails(struct store *store, struct pool *pool, const struct mail_request *requests,
    size_t request_count, struct due_mail **mails, size_t *count);

struct queued_mail {
	uint64_t id, campaign_id, account_id, lead_id;
	enum message_kind kind;
	uint64_t ref;
	bool is_ready;    /* the next three are present */
	bool is_repeated; /* sent again by the account; the next three are those of the mail before, if it was composed */
	struct slice recipient, message_id, content;
	unsigned attempts;
	unsigned crashes;             /* earlier leases without an outcome */
	int64_t first_attempt_ms_ago; /* -1: there was none */
	int64_t now_ms, age_ms;       /* age: since it was requested */
	bool has_lead;                /* it was not deleted; else the next two are false, and the third is absent */
	bool opted_out, bounced;
	bool is_unconfirmed;        /* its campaign has leads confirm their address, and it has not */
	struct slice email_key;     /* that of the lead now */
	struct slice requested_for; /* as in struct made_message */
	bool is_counted;            /* what was requested for an address: for its limits, and those of an hour */
};
/* Leases those of them that are still due, at most DB_LIST_MAX. */
MUST_CHECK enum result store_lease_mails(struct store *store, struct pool *pool, const unsigned char owner[MAIL_OWNER_SIZE],
    const uint64_t *ids, size_t id_count, int64_t lease_ms, struct queued_mail **mails, size_t *count);
/* *renewed: how many of them were still ours. */
MUST_CHECK enum result store_renew_mails(struct store *store, const unsigned char owner[MAIL_OWNER_SIZE], const uint64_t *ids,
    size_t count, int64_t lease_ms, size_t *renewed);
/* Ends leases of messages that nothing was done with: they are due at once. */
MUST_CHECK enum result store_release_mails(
    struct store *store, const unsigned char owner[MAIL_OWNER_SIZE], const uint64_t *ids, size_t count);
/* Ends all leases of a process that has crashed: their messages are due at once, with one more crash. Reads all pending
 * messages. */
MUST_CHECK enum result store_release_crashed(struct store *store, const unsigned char owner[MAIL_OWNER_SIZE]);

/* ---- outcomes ---- */

/* How many mails this address got in the last day, of all campaigns, or still may get, and how many were requested for it; how
 * long ago the last of them was composed or counted, or -1. */
MUST_CHECK enum result store_count_mails(
    struct store *store, const unsigned char recipient_hash[MAIL_HASH_SIZE], unsigned *last_day, int64_t *youngest_ms);
/* Mails of a kind to an address, without one of them. */
struct mails_of_kind {
	const unsigned char *recipient_hash; /* MAIL_HASH_SIZE bytes */
	enum message_kind kind;
	uint64_t except;
	uint64_t lead_id;       /* only to this lead; 0: to any */
	uint64_t requested_for; /* only those that pages of this campaign have requested for the address; 0: all */
};
/* How long ago the last of them were composed or counted, the newest first, without those that failed or were dropped, unless a
 * page has requested them: at most `max` of those that are stored. */
MUST_CHECK enum result store_mail_ages(
    struct store *store, const struct mails_of_kind *mails, int64_t *ages_ms, size_t max, size_t *count);
/* Counts a leased request of a page for the limits of its address, once: it is counted, whatever becomes of it.
 * RESULT_NOT_FOUND: the lease has ended. */
MUST_CHECK enum result store_count_mail(
    struct store *store, const unsigned char owner[MAIL_OWNER_SIZE], const struct queued_mail *mail);
/* What a request becomes. */
struct ready_mail {
	uint64_t id;
	const unsigned char *recipient_hash; /* MAIL_HASH_SIZE bytes */
	struct slice recipient, message_id, content;
	struct lead_code code_for; /* of a mail that shows a code */
	struct slice code;         /* absent: it shows none */
};
/* Makes a leased request ready, and stores its code in the same transaction: the code that is valid is always that of
 * the last mail that may be sent. RESULT_NOT_FOUND: the lease has ended. Any other failure: it may be ready. */
MUST_CHECK enum result store_mail_ready(
    struct store *store, const unsigned char owner[MAIL_OWNER_SIZE], const struct ready_mail *mail);

struct mail_outcome {
	uint64_t id;
	enum message_state state; /* REQUESTED or READY: tried again after `delay_ms` */
	int64_t delay_ms;
	bool attempted; /* counts as an attempt */
	int status;     /* of the mail server; 0: none */
	struct slice answer, reason;
	uint64_t account_id, campaign_id; /* for which it counts when it was sent; 0: it was counted before */
	bool uncounts; /* a text that was not sent, and will not be: its code no longer counts for the number and those beside
			  it */
};
/* Records it and ends the lease. A sent message is recorded as such also when another process leases it. RESULT_NOT_FOUND:
 * there is no such row, or another process leases it. */
MUST_CHECK enum result store_mail_outcome(
    struct store *store, const unsigned char owner[MAIL_OWNER_SIZE], const struct mail_outcome *outcome);
/* Mails of this kind to this lead that wait for another attempt are due now: their person has requested one. */
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

/* ---- the operator ---- */

/* Zero and -1 filters are not applied. */
struct mail_filter {
	uint64_t campaign_id;
	int state, kind;
	uint64_t after; /* `next` of the part of the list before */
	size_t limit;
};
struct mail_row {
	uint64_t id, campaign_id;
	struct slice lead_social_id; /* absent: deleted */
	unsigned kind;               /* enum message_kind, or a number of a later version */
	uint64_t ref;
	enum message_state state;
	unsigned attempts, crashes;
	bool leased, is_due;
	int64_t created_ms, due_ms, sent_ms, ended_ms; /* -1: not set; due_ms: pending ones only */
	struct slice recipient, message_id; /* absent before it is ready; the recipient also some days after its end */
	int last_status;                    /* 0: none */
	struct slice last_answer, reason;
};
struct mail_list {
	struct mail_row *mails;
	size_t count;
	uint64_t next; /* `after` of the rest of the list, which may be empty; 0: this is all */
};
/* By id, the highest first: the newest first, but only roughly, because processes take ids in blocks. It reads at most
 * MAILS_EXAMINED rows, in pieces: with state or kind a list may be short or empty and still have a next one. */
enum { MAILS_EXAMINED = 5000, MAILS_PIECE = 1000 };
MUST_CHECK enum result store_list_mails(
    struct store *store, struct pool *pool, const struct mail_filter *filter, struct mail_list *list);
/* *content: absent before it is ready and some days after its end. RESULT_NOT_FOUND: no such message. */
MUST_CHECK enum result store_find_mail(
    struct store *store, struct pool *pool, uint64_t id, struct mail_row *mail, struct slice *content);

enum mail_again {
	MAIL_QUEUED,
	MAIL_LEASED,     /* it is being sent */
	MAIL_NO_CONTENT, /* it was removed some days after the message ended */
	MAIL_IS_TEXT,    /* a text to a phone: another code can be requested */
	MAIL_NO_LEAD,    /* its lead was deleted */
	MAIL_ENOUGH,     /* MAIL_REPEATS_MAX mails of its lead were sent again in the last day */
	MAIL_MISSING
};
enum { MAIL_REPEATS_MAX = 5 };
/* Sends a mail again: one that has not ended is due now, and its time to try begins again. One that has ended stays as it is; a
 * new one with its bytes, or composed if it was not, is requested, and has the limits of any other. */
MUST_CHECK enum result store_mail_again(struct store *store, uint64_t id, enum mail_again *what);

struct mail_counts {
	uint64_t pending;
	int64_t oldest_ms; /* when the oldest of them was due; -1: none is due */
};
MUST_CHECK enum result store_count_pending_mails(struct store *store, struct mail_counts *counts);

/* ---- clean-up ---- */

/* How long recipient and content of an ended message are stored. */
#define MAIL_CONTENT_MS (INT64_C(7) * 24 * 3600 * 1000)
/* Removes contents, and messages that ended longer ago than `retention_ms` (0: none). Bounded; cheap when there is nothing to
 * do. */
MUST_CHECK enum result store_clean_up_mails(struct store *store, int64_t retention_ms);
