/* SPDX-License-Identifier: MIT
 * Tables full of rows, planted behind the store's back: for what depends on how many there are. */
#ifndef LEADHOOK_TESTS_STORE_PLANTED_H
#define LEADHOOK_TESTS_STORE_PLANTED_H

#include "base/pool.h"
#include "db/db.h"

/* Campaign 1 has the most of all; the others share the rest. */
struct amounts {
	unsigned accounts, campaigns;
	unsigned big, small;                          /* leads of campaign 1, of each other one */
	unsigned webhooks;                            /* of campaign 1; each other one has one */
	unsigned deliveries, due, due_webhooks, jobs; /* so many deliveries are due, of so many webhooks */
};

/* How many tables it knows: those that are planted, and those that do not grow. */
unsigned planted_tables(void);
/* Has these rows in the tables, and no others. The server makes no statistics by itself, so that nothing depends on the moment:
 * they are those of these rows, or without them still those of empty tables. */
void plant(const struct amounts *amounts, bool with_statistics);

/* The i-th value of its kind. All are those of planted rows, until there are no more. */
enum value_kind {
	VALUE_ID = '1',       /* of an account, campaign, key, job, tag and the like */
	VALUE_KEY_HASH = 'k', /* of an API key */
	VALUE_LEAD = 'l',     /* a lead's id: it was referred, and is among the deleted */
	VALUE_EMAIL = 'e',    /* … its identities */
	VALUE_PHONE = 'p',
	VALUE_SOCIAL_ID = 's',
	VALUE_IP = 'i',       /* … its address */
	VALUE_NODE = 'n',     /* of the histogram */
	VALUE_DELIVERY = 'd', /* a delivery's id: it is pending, and claimed */
	VALUE_ENDED = 'D',    /* a delivery's id: it has ended */
	VALUE_TOKEN = 't',    /* of a claimed one: its token */
	VALUE_COMMIT = 'c',   /* of a batch: its token */
	VALUE_EVENT = 'v',    /* of a batch: its event */
	VALUE_WEBHOOK = 'w',  /* of a claimed delivery: its webhook */
	VALUE_SHARD = 'S',    /* … its shard */
	VALUE_URL_HASH = 'h', /* of a webhook of campaign 1 */
	VALUE_BLOCK = 'b',    /* name of a block of ids */
	VALUE_FACT = 'f',     /* name of a fact */
	VALUE_ANY = '*',      /* does not matter, to a statement that takes that for an answer */
	VALUE_LOWEST = '<',   /* not above any number */
	VALUE_HIGHEST = '>',  /* above all of them */
	VALUE_TWENTY = '#'
};
struct db_value planted_value(struct pool *pool, enum value_kind kind, size_t i);

#endif
