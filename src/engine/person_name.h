/* SPDX-License-Identifier: MIT
 * The name of a lead, from the custom fields that clients use for it (docs/api.md 4.5). All results are in the pool. */
#pragma once

#include <stdbool.h>

#include "base/pool.h"
#include "engine/model.h"

struct person_name {
	struct slice given, family; /* absent: unknown */
};

struct person_name person_name_of(struct pool *pool, const struct lead *lead);
/* Absent when neither part is known. */
struct slice person_whole_name(struct pool *pool, const struct person_name *names);
/* What replaces the name of a lead that has none: the local part of its email address or, without one, its phone number with
 * most digits hidden. */
struct slice person_address_name(struct pool *pool, const struct lead *lead);
/* Likewise, with most of the local part hidden as well. */
struct slice person_masked_name(struct pool *pool, const struct lead *lead);
/* The whole name, or the address name if there is none. Only email, phone and custom_fields of the lead are read. */
struct slice person_display_name(struct pool *pool, const struct lead *lead);

/* What strangers see of a name on a leaderboard (docs/api.md 4.1.2, Names). The numbers are stored. */
enum leaderboard_names { LEADERBOARD_INITIAL, LEADERBOARD_FIRST, LEADERBOARD_FULL, LEADERBOARD_NAMES };
/* The words of the setting, in the order of their numbers. */
extern const struct slice leaderboard_names[LEADERBOARD_NAMES];

/* Stands for what is not shown of a name. */
#define NAME_MASK "***"

/* The first word of the name; with LEADERBOARD_INITIAL followed by the initial of the last word: "Nora B.". A single word is
 * shown whole, except in scripts that write first and last name together, where only its first character is shown. Of a family
 * name without a given name, only the initial is shown. Texts may be absent; if all are, so is the result. In the pool. */
struct slice short_name(struct pool *pool, struct slice given, struct slice family, enum leaderboard_names how);
