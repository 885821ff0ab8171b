/* SPDX-License-Identifier: MIT
 * The limits of texts to phones, which are rows of `messages` (docs/mail.md 8). See mail_lease.h and mail_outcomes.h for their
 * leases and outcomes. */
#pragma once

#include "store/messages/mail_outcomes.h"

/* How many codes may be sent. */
struct text_limits {
	unsigned number_per_day, prefix_per_hour;
	struct sendings per_hour;
};
/* What a code counts towards. Hashes of MAIL_HASH_SIZE bytes; the prefix is the number without its last four digits.
 * campaign_id 0: only the number and its prefix, because the code may not be sent; its request stays as it is. */
struct text_claim {
	uint64_t message_id, account_id, campaign_id;
	const unsigned char *number_hash, *prefix_hash;
};
enum text_verdict {
	TEXT_PASSES,
	TEXT_PASSES_AGAIN,
	TEXT_TOO_SOON, /* its lead was sent a code a short time ago */
	TEXT_NUMBER_LIMIT,
	TEXT_PREFIX_LIMIT,
	/* it may be sent later */
	TEXT_EARLY, /* the number was sent a code for another lead */
	TEXT_CAMPAIGN_LIMIT,
	TEXT_ACCOUNT_LIMIT,
	TEXT_INSTALLATION_LIMIT
};
/* The time that must pass before another code for a number to which `sent` codes (at least 1) were sent in the last day. */
int64_t text_pause_ms(unsigned sent);

/* Counts a code and makes its request ready, or does neither: no limit is exceeded, however many processes and hosts do this at
 * once. A request that is tried again counts only once, with the verdict TEXT_PASSES_AGAIN. *wait_ms: for TEXT_TOO_SOON and
 * TEXT_EARLY, the time until another code may be sent. RESULT_NOT_FOUND: the lease has ended. */
MUST_CHECK enum result store_claim_text(struct store *store, const unsigned char owner[MAIL_OWNER_SIZE],
    const struct text_claim *claim, const struct text_limits *limits, enum text_verdict *verdict, int64_t *wait_ms);
