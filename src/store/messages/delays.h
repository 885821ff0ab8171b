/* SPDX-License-Identifier: MIT
 * Which hourly limits keep messages waiting now (docs/mail.md 6, 8.3). None of it is stored. */
#pragma once

#include "store/messages/mail_list.h"

/* For each scope, the first campaign that has due messages and waits for the scope's limit, or NULL. */
struct delays {
	const struct sender_count *first[SENDING_SCOPES];
};
struct delays delays_of(const struct mail_campaign *campaigns, size_t count, const struct sendings *limits);

/* Gives each due mail that waits for a limit the name of that limit as its reason. `limits`: by channel. */
MUST_CHECK enum result store_explain_delays(
    struct store *store, struct pool *pool, const struct sendings *limits, struct mail_row *mails, size_t count);
