/* SPDX-License-Identifier: MIT
 * What strangers see of a person's name on a leaderboard (docs/api.md 4.1.2, Names). */
#pragma once

#include "base/pool.h"
#include "base/slice.h"

/* The numbers are stored. */
enum leaderboard_names { LEADERBOARD_INITIAL, LEADERBOARD_FIRST, LEADERBOARD_FULL, LEADERBOARD_NAMES };
/* The words of the setting, in the order of their numbers. */
extern const struct slice leaderboard_names[LEADERBOARD_NAMES];

/* Stands for what is not shown of a name. */
#define NAME_MASK "***"

/* The first word of the name; with LEADERBOARD_INITIAL followed by the initial of the last word: "Nora B.". A single word is
 * shown whole, except in scripts that write first and last name together, where only its first character is. Of a family name
 * alone, the initial is shown. Texts may be absent; without any, so is the result. In the pool. */
struct slice short_name(struct pool *pool, struct slice given, struct slice family, enum leaderboard_names how);
