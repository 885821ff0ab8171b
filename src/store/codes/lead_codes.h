/* SPDX-License-Identifier: MIT
 * Codes with which leads verify their phone numbers and confirm their email addresses (docs/api.md 4.1.9, 4.1.14): six digits,
 * valid for five tries and for some time. A lead has at most one code for each channel, for the address that it had when the
 * code was made. Stored as an HMAC. */
#pragma once

#include "base/duration.h"
#include "engine/command.h"
#include "store/store.h"

enum {
	LEAD_CODE_DIGITS = 6,
	LEAD_CODE_TRIES = 5,
	PHONE_CODE_MS = 10 * MINUTE_MS,
	EMAIL_CODE_MS = HOUR_MS /* a mail can be late */
};

/* What a code is for. `address`: a number in E.164, or the key of an email address. */
struct lead_code {
	enum lead_channel channel;
	uint64_t lead_id;
	struct slice address;
};

/* A random code, in the pool. It is not stored. */
struct slice lead_code_random(struct pool *pool);
/* Whether the tries of the lead's last code also count for a new one. */
enum lead_code_tries { CODE_RESETS_TRIES, CODE_KEEPS_TRIES };
/* Stores a code, which replaces the lead's last one of this channel, in the caller's transaction. */
MUST_CHECK enum result lead_code_put(
    struct store *store, const struct lead_code *code, struct slice digits, enum lead_code_tries tries);
/* Makes a code and stores it. *digits are in the pool. */
MUST_CHECK enum result lead_code_make(struct store *store, struct pool *pool, const struct lead_code *code,
    enum lead_code_tries tries, struct slice *digits, int64_t *expires_ms);

enum lead_code_verdict {
	LEAD_CODE_RIGHT,
	LEAD_CODE_WRONG,
	LEAD_CODE_MISSING /* none was made for this address, or it has expired or was tried too often */
};
/* Compares typed digits with the lead's code. It returns only after the try was counted and committed, so that no more than
 * LEAD_CODE_TRIES tries get a verdict, even from several processes at once, and even if one is killed. A text that is not six
 * digits is wrong and does not count as a try. The code stays valid. */
MUST_CHECK enum result lead_code_try(
    struct store *store, const struct lead_code *code, struct slice digits, enum lead_code_verdict *verdict);
/* Removes the code, after the address was verified. A newer code stays. */
MUST_CHECK enum result lead_code_remove(struct store *store, const struct lead_code *code, struct slice digits);
