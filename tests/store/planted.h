/* SPDX-License-Identifier: MIT
 * Tables full of rows, inserted directly, for tests of what depends on their number. */
#pragma once

#include "base/pool.h"
#include "db/db.h"

/* Campaign 1 has most of the rows; the other campaigns share the rest. */
struct amounts {
	unsigned accounts, campaigns;
	unsigned big, small;                          /* leads of campaign 1, of each other campaign */
	unsigned webhooks;                            /* in campaign 1; each other campaign has one */
	unsigned deliveries, due, due_webhooks, jobs; /* `due` deliveries of `due_webhooks` webhooks are due */
};

/* The number of tables that are covered: planted ones, and those that do not grow. */
unsigned planted_tables(void);
/* Replaces all rows of the tables. The server does not update statistics by itself: they are those of these rows, or of empty
 * tables. */
void plant(const struct amounts *amounts, bool with_statistics);

/* The i-th value of its kind, from the planted rows while there are any. */
enum value_kind {
	VALUE_ID = '1',       /* of an account, campaign, key, job, tag and the like */
	VALUE_KEY_HASH = 'k', /* of an API key */
	VALUE_LEAD = 'l',     /* a lead's id: it was referred, and was deleted */
	VALUE_REFERRER = 'r', /* … its referrer */
	VALUE_EMAIL = 'e',    /* … its identities */
	VALUE_PHONE = 'p',
	VALUE_SOCIAL_ID = 's',
	VALUE_IP = 'i',           /* … its address */
	VALUE_NODE = 'n',         /* of the histogram */
	VALUE_DELIVERY = 'd',     /* a delivery's id: it is pending */
	VALUE_ENDED = 'D',        /* a delivery's id: it has ended */
	VALUE_COMMIT = 'c',       /* of a batch: its token */
	VALUE_EVENT = 'v',        /* of a batch: its event */
	VALUE_WEBHOOK = 'w',      /* of a pending delivery: its webhook */
	VALUE_SHARD = 'S',        /* … its shard */
	VALUE_OWNER = 'o',        /* of a shard */
	VALUE_URL_HASH = 'h',     /* of a webhook of campaign 1 */
	VALUE_BLOCK = 'b',        /* name of an id block */
	VALUE_INSTALLATION = 'f', /* name of an installation record */
	VALUE_TEXT_PREFIX = 't',  /* of the names of texts */
	VALUE_TEXT = 'T',         /* the name of a text … */
	VALUE_LANGUAGE = 'L',     /* … and its language */
	VALUE_CHANNEL = 'M',      /* name of a channel of messages */
	VALUE_ANY = '*',          /* any value */
	VALUE_NONE = '-',         /* NULL: a filter that is not set */
	VALUE_LOWEST = '<',       /* below all numbers */
	VALUE_HIGHEST = '>',      /* above all of them */
	VALUE_TWENTY = '#'
};
struct db_value planted_value(struct pool *pool, enum value_kind kind, size_t i);
