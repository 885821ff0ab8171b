/* SPDX-License-Identifier: MIT
 * Proof of work: challenges and their solutions in the format of ALTCHA, version 2 (docs/api.md 8). Any ALTCHA client can solve
 * them.
 *
 * A challenge is signed, so nothing needs to be stored until it is solved. The task is to find a counter such that the PBKDF2
 * of nonce and counter begins with zeros. One HMAC makes a challenge; one HMAC and one PBKDF2 check a solution. */
#pragma once

#include <stdint.h>

#include "base/pool.h"

/* Each level doubles the work. */
enum {
	DIFFICULTY_MAX = 8, /* highest level of a campaign's setting; the lowest is 1 */
	DIFFICULTY_DEFAULT = 2,
	DIFFICULTY_RISE_MAX = 4, /* levels that the rate of sign-ups adds */
	DIFFICULTY_LEVELS = 10,  /* highest level, including the rise */
	DIFFICULTY_CALM = 60     /* sign-ups per minute that add a level; each fourfold rate adds another one */
};

/* The work of a challenge: tries of a key derivation, 16 to the power of `digits` on average, with `cost` iterations each.
 * A verification is one try. */
struct challenge_work {
	uint32_t cost;   /* 1,000 to 8,000 iterations of PBKDF2 */
	unsigned digits; /* hexadecimal zeros at the beginning of the key: 2 to 4 */
};

/* `level` from 1 to DIFFICULTY_LEVELS; others count as the nearest of them. */
struct challenge_work challenge_work(unsigned level);

/* The level of the next challenge of a campaign with this setting and this many sign-ups without a key per minute. */
unsigned difficulty_level(unsigned level, uint32_t per_minute);

enum {
	CHALLENGE_NONCE_SIZE = 16,
	CHALLENGE_VALID_S = 10 * 60,
	SOLUTION_MAX_BYTES = 4096 /* of the text of a solution */
};

struct challenge {
	uint64_t campaign_id;
	struct challenge_work work;
	int64_t expires_s;                                                     /* since 1970, by the database's clock */
	unsigned char nonce[CHALLENGE_NONCE_SIZE], salt[CHALLENGE_NONCE_SIZE]; /* random; the nonce identifies it */
};

/* The challenge as JSON, at most 512 bytes. `server_secret` is raw bytes. */
struct slice challenge_write(struct pool *pool, struct slice server_secret, const struct challenge *challenge);

enum solution_verdict {
	SOLUTION_GOOD,
	SOLUTION_MALFORMED, /* not the solution of one of our challenges */
	SOLUTION_FORGED,    /* the signature is wrong: changed, or made by another server */
	SOLUTION_EXPIRED,
	SOLUTION_FOREIGN, /* of another campaign */
	SOLUTION_WRONG    /* the work is not done */
};

/* Checks the value of the parameter `altcha`: Base64 of JSON with the challenge and its solution. If it is valid, *challenge is
 * set; the caller must check whether the nonce was used before. The expensive key derivation is done last. */
enum solution_verdict solution_check(struct pool *pool, struct slice text, struct slice server_secret, uint64_t campaign_id,
    int64_t now_s, struct challenge *challenge);
