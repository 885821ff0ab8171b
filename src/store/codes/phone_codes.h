/* SPDX-License-Identifier: MIT
 * Codes by which leads verify their phone numbers (docs/api.md 4.1.9): six digits, valid for ten minutes and five tries. A lead
 * has one at a time, for the number that it had when the code was made. Stored as an HMAC. */
#ifndef LEADHOOK_STORE_CODES_PHONE_CODES_H
#define LEADHOOK_STORE_CODES_PHONE_CODES_H

#include "store/store.h"

enum { PHONE_CODE_DIGITS = 6, PHONE_CODE_MS = 10 * 60 * 1000, PHONE_CODE_TRIES = 5 };

/* Makes a code, which replaces the lead's last one. The code is in the pool. */
MUST_CHECK enum result phone_code_make(
    struct store *store, struct pool *pool, uint64_t lead_id, struct slice number, struct slice *code, int64_t *expires_ms);

enum phone_code_verdict {
	PHONE_CODE_RIGHT,
	PHONE_CODE_WRONG,
	PHONE_CODE_MISSING /* none was made for this number, or it has expired or was tried too often */
};
/* Compares a code with the lead's. The try is counted and committed first, so that no more than PHONE_CODE_TRIES codes are ever
 * compared, also by several processes at once, and whatever is killed. A text that is not six digits is wrong, and is no try.
 * The code stays valid. */
MUST_CHECK enum result phone_code_try(
    struct store *store, uint64_t lead_id, struct slice number, struct slice code, enum phone_code_verdict *verdict);
/* Removes the code, after the number was verified. A newer one stays. */
MUST_CHECK enum result phone_code_remove(struct store *store, uint64_t lead_id, struct slice number, struct slice code);

#endif
