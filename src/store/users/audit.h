/* SPDX-License-Identifier: MIT
 * The audit log: what users, keys and the command on the host have changed (docs/users.md 6).
 *
 * A row is committed before the change, with the state before it: no change is made without a row. The caller keeps secrets and
 * data of leads out of both states. Functions fail as described in store.h. */
#pragma once

#include "store/store.h"

enum audit_actor { AUDIT_USER, AUDIT_KEY, AUDIT_SHELL, AUDIT_ACTORS };
enum audit_state {
	AUDIT_BEGUN, /* its process ended before it could write more: the change may have been made */
	AUDIT_DONE,
	AUDIT_FAILED, /* nothing was changed */
	AUDIT_STATES
};

/* "user", …; "begun", …. */
struct slice audit_actor_name(enum audit_actor actor);
struct slice audit_state_name(enum audit_state state);

/* Texts except for the operation may be absent; longer ones are cut. */
enum { AUDIT_NAME_MAX = 254, AUDIT_OPERATION_MAX = 64, AUDIT_REQUEST_ID_MAX = 64 };
struct audit_entry {
	enum audit_actor actor;
	uint64_t actor_id;                /* of the user or key; 0: none */
	struct slice actor_name;          /* absent for a key: its name is used */
	uint64_t account_id, campaign_id; /* those of the changed object; 0: none */
	struct slice operation;           /* words of the command, such as "campaign set" */
	uint64_t target_id;               /* the changed object; 0: none */
	struct slice before;              /* JSON */
	uint64_t json_max;                /* how many bytes of JSON are stored for the account per day, in UTC; 0: any number */
	struct slice ip, request_id;
};
/* JSON that is too long is replaced by {"omitted":"too large"}, JSON beyond json_max by {"omitted":"daily limit"}. */
enum { AUDIT_JSON_MAX = 8 * 1024 };

/* Ids increase with time. */
MUST_CHECK enum result store_begin_audit(struct store *store, const struct audit_entry *entry, uint64_t *id);
/* Records how the change ended. If JSON `before` is absent or the target is 0, the earlier value remains. */
struct audit_end {
	enum audit_state state;
	struct slice before, after; /* JSON */
	uint64_t target_id;         /* the object that was made */
};
/* `entry`: as passed to store_begin_audit. */
MUST_CHECK enum result store_end_audit(
    struct store *store, const struct audit_entry *entry, uint64_t id, const struct audit_end *end);

struct audit_row {
	uint64_t id;
	int64_t created_ms;
	struct audit_entry entry;
	enum audit_state state;
	struct slice after;
};
/* Filters that are zero or -1 are not applied. */
struct audit_filter {
	uint64_t account_id, campaign_id, user_id;
	int64_t since_ms, until_ms;
	uint64_t before_id; /* the page begins after this row; 0: with the newest */
	size_t limit;
};
/* The newest rows first, in the pool. With a campaign, a user or an account, only the rows of it are read; with several of
 * these, only the rows of the first. */
MUST_CHECK enum result store_list_audit(
    struct store *store, struct pool *pool, const struct audit_filter *filter, struct audit_row **rows, size_t *count);

/* The rows of an account (0: all) from before a time: their number, and their removal, piece by piece. */
MUST_CHECK enum result store_count_audit(struct store *store, uint64_t account_id, int64_t before_ms, uint64_t *count);
MUST_CHECK enum result store_prune_audit(struct store *store, uint64_t account_id, int64_t before_ms, uint64_t *count);
