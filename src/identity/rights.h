/* SPDX-License-Identifier: MIT
 * What an API key or a user may do (docs/manage.md 2). The numbers of the bits are stored. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/pool.h"

/* The rights: X(name, word, what it allows). */
/* clang-format off */
#define RIGHT_LIST(X) \
	X(INGEST, "ingest", "sign up leads as a form does") \
	X(STATS, "stats", "read settings, definitions, numbers and states, which are not about single people") \
	X(LEADS, "leads", "read leads, their events, mails and payloads") \
	X(CHANGE, "change", "add, import, change and delete leads") \
	X(HOOKS, "hooks", "read and change webhooks, send deliveries again") \
	X(MANAGE, "manage", "add and change campaigns, definitions, texts") \
	X(ACCOUNT, "account", "read and change keys, users and the audit log of the account")

/* clang-format on */

#define RIGHT_NUMBER(name, word, help) RIGHT_NUMBER_##name,
enum { RIGHT_LIST(RIGHT_NUMBER) RIGHTS };
#undef RIGHT_NUMBER

/* A set of rights. */
typedef uint32_t rights;

#define RIGHT_BIT(name, word, help) RIGHT_##name = 1 << RIGHT_NUMBER_##name,
enum right { RIGHT_LIST(RIGHT_BIT) };
#undef RIGHT_BIT

enum {
	RIGHTS_NONE = 0,
	RIGHTS_ALL = (1 << RIGHTS) - 1,
	RIGHTS_FULL_KEY = RIGHTS_ALL & ~RIGHT_ACCOUNT, /* everything but the account itself */
	RIGHTS_VIEWER = RIGHT_STATS | RIGHT_LEADS,
	RIGHTS_EDITOR = RIGHTS_FULL_KEY,
	RIGHTS_OWNER = RIGHTS_ALL,
	/* Each of these shows how many leads a campaign has, and so whether a sign-up made a new lead. */
	RIGHTS_TO_COUNT = RIGHT_STATS | RIGHT_LEADS | RIGHT_CHANGE
};

/* Whether the caller has one of the needed rights, or with `all` every one of them. */
static inline bool
rights_suffice(rights rights_of_caller, rights needed, bool all)
{
	return all ? (needed & ~rights_of_caller) == 0 : (needed & rights_of_caller) != 0;
}

/* Reads a list of rights separated by commas or spaces, or the name of one set of them: full, numbers, viewer, all. Returns
 * false with *bad set to the first unknown item; absent if the list is empty. */
bool rights_parse(struct slice text, rights *set, struct slice *bad);
/* The word of the right with that number. */
struct slice right_word(unsigned number);
/* The words of a set, in the order of the list, in the pool; sets *count. */
struct slice *rights_words(struct pool *pool, rights set, size_t *count);

/* The roles of users: names of sets of rights (docs/users.md 2). The numbers are stored. An operator belongs to no account; the
 * others belong to one. */
enum role { ROLE_OPERATOR, ROLE_OWNER, ROLE_EDITOR, ROLE_VIEWER, ROLES };

/* "operator", "owner", "editor", "viewer". */
struct slice role_name(enum role role);
MUST_CHECK bool role_parse(struct slice text, enum role *role);
rights role_rights(enum role role);
/* Whether users of this role may be restricted to some campaigns of their account. */
bool role_takes_campaigns(enum role role);
