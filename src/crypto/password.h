/* SPDX-License-Identifier: MIT
 * Hashes of passwords: argon2id (RFC 9106) on libargon2, with the first parameters that OWASP recommends: 19 MiB, two passes,
 * one lane. A hash takes some tens of milliseconds and that memory: callers hold a hash slot (limit/work_slots.h).
 * It is made in a thread with the lowest priority: beside other requests it takes longer, and they do not (docs/users.md 3). */
#ifndef LEADHOOK_CRYPTO_PASSWORD_H
#define LEADHOOK_CRYPTO_PASSWORD_H

#include <stdbool.h>

#include "base/attributes.h"
#include "base/pool.h"

enum {
	PASSWORD_MEMORY_KIB = 19456,
	PASSWORD_PASSES = 2,
	PASSWORD_LANES = 1,
	PASSWORD_HASH_MAX = 128 /* bytes of the text form */
};

/* With a random salt, in the text form that is stored: "$argon2id$v=19$m=…,t=…,p=…$SALT$HASH". Like the digests, it does not
 * fail: if libargon2 has no memory, the process ends. */
struct slice password_hash(struct pool *pool, struct slice password);
/* Whether it is the password of that hash. False as well for a text that is no such hash, or whose parameters are beyond any
 * that a version used. */
MUST_CHECK bool password_verify(struct slice hash, struct slice password);
/* Whether it was made with other parameters than those of today. */
MUST_CHECK bool password_is_outdated(struct slice hash);
/* The hash of no password, with today's parameters: what a login is verified with when there is no user, so that its answer
 * takes as long. */
struct slice password_dummy(void);

#endif
