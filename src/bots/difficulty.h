/* SPDX-License-Identifier: MIT
 * How much work a challenge takes (docs/api.md 8). Each level doubles the work. */
#pragma once

#include <stdint.h>

enum {
	DIFFICULTY_MAX = 8, /* of a campaign's setting, which begins at 1 */
	DIFFICULTY_DEFAULT = 2,
	DIFFICULTY_RISE_MAX = 4, /* levels that the rate of sign-ups adds */
	DIFFICULTY_LEVELS = 10,  /* the highest, with the rise */
	DIFFICULTY_CALM = 60     /* sign-ups a minute that add a level; each fourfold rate adds another one */
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
