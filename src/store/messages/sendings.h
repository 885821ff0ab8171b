/* SPDX-License-Identifier: MIT
 * How many mails and texts were sent in the last hour, for hourly limits (docs/mail.md 6, 8.3).
 *
 * A mail counts when the server has taken it, a text when it is permitted. Both stay counted when their lead or campaign is
 * removed. Each count covers five minutes, so the counts of an hour may include up to five more minutes. */
#pragma once

#include <limits.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/pool.h"
#include "base/result.h"
#include "base/slice.h"

struct store;

enum message_channel { MAIL_CHANNEL, TEXT_CHANNEL, MESSAGE_CHANNELS };
struct slice message_channel_name(enum message_channel channel);

/* Stored as numbers. */
enum sending_scope { SENDINGS_OF_ALL, SENDINGS_OF_ACCOUNT, SENDINGS_OF_CAMPAIGN, SENDING_SCOPES };

/* Numbers of the last hour; in limits, 0 means any number. */
struct sendings {
	unsigned of[SENDING_SCOPES];
};
/* How many more may be sent within the limit of a scope; UINT_MAX: any number. */
static inline unsigned
sendings_left(const struct sendings *limits, const struct sendings *sent, enum sending_scope scope)
{
	if (limits->of[scope] == 0)
		return UINT_MAX;
	return limits->of[scope] > sent->of[scope] ? limits->of[scope] - sent->of[scope] : 0;
}
/* The scope of a limit that is reached, or SENDING_SCOPES. */
static inline enum sending_scope
sendings_reached(const struct sendings *limits, const struct sendings *sent)
{
	enum sending_scope scope = SENDINGS_OF_ALL;
	while (scope < SENDING_SCOPES && sendings_left(limits, sent, scope) > 0)
		scope++;
	return scope;
}
/* "installation_limit", "account_limit", "campaign_limit"; absent for SENDING_SCOPES. */
struct slice sending_limit_name(enum sending_scope scope);
/* The setting with this limit: "mail.account_per_hour". */
const char *sending_limit_setting(enum message_channel channel, enum sending_scope scope);

/* The sender: a campaign of an account. */
struct sender_count {
	uint64_t account_id, campaign_id; /* 0: none */
	struct sendings sent;
};
/* Fills in how much was sent. */
MUST_CHECK enum result store_read_sendings(
    struct store *store, struct pool *pool, enum message_channel channel, struct sender_count *senders, size_t count);
/* As above, for senders of which only the campaign ids are set: also fills in the accounts. */
MUST_CHECK enum result store_read_senders(
    struct store *store, struct pool *pool, enum message_channel channel, struct sender_count *senders, size_t count);
/* Counts one message, in the transaction that records or permits it. */
MUST_CHECK enum result store_add_sending(
    struct store *store, enum message_channel channel, uint64_t account_id, uint64_t campaign_id);
