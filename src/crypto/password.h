/* SPDX-License-Identifier: MIT
 * Hashes of passwords: argon2id (RFC 9106) on libargon2, with the first parameters that OWASP recommends: 19 MiB, two passes,
 * one lane. A hash takes some tens of milliseconds and that memory: callers hold a hash slot (limit/work_slots.h).
 * Hashes are computed in a thread with the lowest priority, so they do not slow down other requests (docs/users.md 3). */
#pragma once

#include <stdbool.h>

#include "base/pool.h"

enum {
	PASSWORD_MEMORY_KIB = 19456,
	PASSWORD_PASSES = 2,
	PASSWORD_LANES = 1,
	PASSWORD_HASH_MAX = 128 /* bytes of the text form */
};

/* A hash with a random salt, in the form that is stored: "$argon2id$v=19$m=…,t=…,p=…$SALT$HASH". Like the digests, it does not
 * fail: if libargon2 has no memory, the process ends. */
struct slice password_hash(struct pool *pool, struct slice password);
/* Whether the hash is that of the password. Also false for a text that is not such a hash, or has larger parameters than any
 * version has used. */
MUST_CHECK bool password_verify(struct slice hash, struct slice password);
/* Whether the hash was made with other parameters than the present ones. */
MUST_CHECK bool password_is_outdated(struct slice hash);
/* A hash that matches no password, with the present parameters. The password for an unknown user is verified against it, so
 * that the answer takes equally long. */
struct slice password_dummy(void);
