/* SPDX-License-Identifier: MIT */
#include "bots/difficulty.h"

/* Iterations cost a program of the attacker's as much as a browser, except for what a browser adds to each call; so that it
 * adds little, there are no cheaper tries than these. There are no dearer ones, because the server does one for each solution.
 */
enum { COST_MIN = 1000, DOUBLINGS = 4, DIGITS_MIN = 2, RISE_FACTOR = 4 };

struct challenge_work
challenge_work(unsigned level)
{
	const unsigned step = level < 1 ? 0 : level > DIFFICULTY_LEVELS ? DIFFICULTY_LEVELS - 1 : level - 1;
	/* one more digit is the work of four doublings */
	return (struct challenge_work){ (uint32_t)COST_MIN << step % DOUBLINGS, DIGITS_MIN + step / DOUBLINGS };
}

unsigned
difficulty_level(unsigned level, uint32_t per_minute)
{
	uint64_t rate = DIFFICULTY_CALM;
	unsigned rise = 0;
	for (; rise < DIFFICULTY_RISE_MAX && per_minute >= rate; rise++)
		rate *= RISE_FACTOR;
	return level + rise < DIFFICULTY_LEVELS ? level + rise : DIFFICULTY_LEVELS;
}
