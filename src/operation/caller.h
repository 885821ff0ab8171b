/* SPDX-License-Identifier: MIT
 * The caller of a command: a shell on the host, an API key, or a user (docs/manage.md 2). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/pool.h"
#include "base/slice.h"
#include "identity/rights.h"

enum caller_kind { CALLER_SHELL, CALLER_KEY, CALLER_USER };

struct caller {
	enum caller_kind kind;
	uint64_t id;         /* of the key or user; 0: a shell */
	struct slice name;   /* of the key or user, or absent */
	bool operator;       /* may use every account, and operations that are for operators only */
	uint64_t account_id; /* 0 for an operator */
	int64_t expires_ms;  /* of the key; 0: it does not expire */
	rights rights;
	const uint64_t *campaigns; /* the campaigns that it is limited to; not NULL if there are any */
	size_t campaign_count;     /* 0: all */
	struct slice address;      /* of the client, or absent */
	struct slice request_id;   /* or absent */
};

/* In all of these functions, NULL stands for the command `leadhook`, which may do everything. */
MUST_CHECK bool caller_is_operator(const struct caller *caller);
rights caller_rights(const struct caller *caller);
MUST_CHECK bool caller_has_right(const struct caller *caller, enum right right);
/* The account that the caller is limited to; 0 if there is none. */
uint64_t caller_account(const struct caller *caller);
/* Whether the caller may know that an object exists. `campaign_id` 0: the object belongs to the account itself. */
MUST_CHECK bool caller_sees(const struct caller *caller, uint64_t account_id, uint64_t campaign_id);

/* The name of the key or user; for a shell, that of its user, from the environment, or the user id. In the pool. */
struct slice caller_name(struct pool *pool, const struct caller *caller);
/* Kind and name, for people: "user ada@example.org", "key Shop", "key 7" if it has no name, "shell root". */
struct slice caller_shown(struct pool *pool, const struct caller *caller);
