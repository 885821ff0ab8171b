/* SPDX-License-Identifier: MIT
 * Which rows of `messages` are due (docs/mail.md), and leases of them: a process's exclusive right to a message until the lease
 * ends.
 *
 * Times are the database's. Results are those of db/db.h; every function here may be repeated. Strings are in the caller's
 * pool.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/pool.h"
#include "base/result.h"
#include "base/slice.h"
#include "engine/message.h"
#include "store/messages/sendings.h"

struct store;

enum { MAIL_OWNER_SIZE = 16 };

/* A campaign with something due. */
struct mail_campaign {
	struct sender_count sender;
	unsigned turn;
};
/* The hold of all mail, or of all texts. */
struct mail_hold {
	unsigned failures;
	int64_t left_ms;       /* time until the next attempt; <= 0: none */
	int64_t since_ms;      /* -1: the last attempt reached the server */
	struct slice reason;   /* absent if `since_ms` is -1 */
	struct slice answer;   /* the server's answer; may be absent */
	int64_t held_until_ms; /* as stored */
	/* the last refusal that an operator should see but that does not hold the channel */
	int64_t refused_ms; /* -1: there was none in the last day */
	struct slice refused_reason, refused_answer;
};
MUST_CHECK enum result store_mail_hold(
    struct store *store, struct pool *pool, enum message_channel channel, struct mail_hold *hold);
/* Finds the campaigns with due messages of the channel, by turn, and how much they, their accounts and the installation have
 * sent. *next_ms: milliseconds until the next message comes due, or -1. */
MUST_CHECK enum result store_mail_campaigns(struct store *store, struct pool *pool, enum message_channel channel,
    struct mail_campaign **campaigns, size_t *count, int64_t *next_ms);

struct mail_request {
	uint64_t campaign_id, account_id;
	unsigned turn;
	unsigned rows;         /* maximum of its messages … */
	unsigned account_rows; /* … of all requests of the account together … */
	unsigned all_rows;     /* … of all requests together */
};
struct due_mail {
	size_t request; /* its place in the list of requests */
	uint64_t id;
};
/* Finds the due messages of at most DB_LIST_MAX requests, in the order of their due times for each request. */
MUST_CHECK enum result store_find_due_mails(struct store *store, struct pool *pool, const struct mail_request *requests,
    size_t request_count, struct due_mail **mails, size_t *count);

struct queued_mail {
	uint64_t id, campaign_id, account_id, lead_id;
	enum message_kind kind;
	uint64_t ref;
	bool is_ready;    /* the next three are present */
	bool is_repeated; /* sent again by the account; the next three are those of the previous mail, if it was composed */
	struct slice recipient, message_id, content;
	unsigned attempts;
	unsigned crashes;             /* earlier leases without an outcome */
	int64_t first_attempt_ms_ago; /* -1: there was none */
	int64_t now_ms, age_ms;       /* age: since it was requested */
	bool has_lead;                /* the lead was not deleted; otherwise the next two are false, and the third is absent */
	bool opted_out, bounced;
	bool is_unconfirmed;        /* its campaign requires leads to confirm their address, and it has not done so */
	struct slice email_key;     /* the current one of the lead */
	struct slice requested_for; /* as in struct made_message */
	bool is_counted;            /* a request for an address: it has already been counted for all limits */
};
/* Leases those of the messages that are still due. At most DB_LIST_MAX ids. */
MUST_CHECK enum result store_lease_mails(struct store *store, struct pool *pool, const unsigned char owner[MAIL_OWNER_SIZE],
    const uint64_t *ids, size_t id_count, int64_t lease_ms, struct queued_mail **mails, size_t *count);
/* *renewed: how many of them this process still leases. */
MUST_CHECK enum result store_renew_mails(struct store *store, const unsigned char owner[MAIL_OWNER_SIZE], const uint64_t *ids,
    size_t count, int64_t lease_ms, size_t *renewed);
/* Ends leases of messages that were not worked on: they are due at once. */
MUST_CHECK enum result store_release_mails(
    struct store *store, const unsigned char owner[MAIL_OWNER_SIZE], const uint64_t *ids, size_t count);
/* Ends all leases of a process that has crashed: their messages are due at once, with one more crash counted. Reads all pending
 * messages. */
MUST_CHECK enum result store_release_crashed(struct store *store, const unsigned char owner[MAIL_OWNER_SIZE]);
