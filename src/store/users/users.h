/* SPDX-License-Identifier: MIT
 * Users of the dashboard as they are managed: by operators, owners, keys with the right `account`, and the command on the host
 * (docs/users.md 1, 2).
 *
 * The rules of managing users are here, because they depend on rows that must not change in the meantime. Texts are in the
 * caller's pool. Functions fail as described in store.h; an insert is not repeated if it may have been committed. */
#pragma once

#include "identity/rights.h"
#include "store/find.h"

/* Rights of the manager: the call that manages users. */
struct user_manager {
	bool shell;             /* the command on the host: may do everything */
	uint64_t account_id;    /* 0: may manage the users of every account, and the operators */
	rights rights;          /* it cannot grant other rights */
	struct slice campaigns; /* as in struct user_settings; it cannot grant other campaigns */
	uint64_t users_max;     /* maximum per account, beyond which it adds no users */
};
/* The manager of the command on the host. */
extern const struct user_manager user_manager_shell;

struct user_settings {
	struct slice name; /* 1 to 200 characters */
	enum role role;
	struct slice campaigns; /* ids as engine/id_list.h stores them, in ascending order; absent: all of the account */
};
/* USER_CAMPAIGNS_MAX: campaigns that a user can be restricted to. */
enum { USER_CAMPAIGNS_MAX = 1000 };

struct user_row {
	uint64_t id, account_id; /* account 0: an operator */
	struct slice email;      /* the key of the address */
	struct user_settings settings;
	bool has_password, has_totp;
	int64_t created_ms, last_login_ms, disabled_ms; /* -1: it never happened, or the user is not disabled */
};

/* Why a change is refused (RESULT_REFUSED). */
enum user_refusal {
	USER_FITS,
	USER_EMAIL_TAKEN,   /* another user, of any account, has the address */
	USER_NO_ACCOUNT,    /* there is no such account */
	USER_WRONG_ROLE,    /* an operator belongs to no account, every other user to one */
	USER_NO_CAMPAIGNS,  /* this role is not restricted to campaigns */
	USER_NO_CAMPAIGN,   /* the account has no such campaign */
	USER_BEYOND_RIGHTS, /* the user has, or would get, rights or campaigns that the manager does not have */
	USER_TOO_MANY,      /* the account has users_max of them */
	USER_LAST_OPERATOR, /* only the command on the host may remove or disable the last operator */
	USER_REFUSED        /* refused by the edit */
};

/* A link that sets a password. */
enum invitation_purpose { INVITATION_WELCOME, INVITATION_RESET };
struct new_invitation {
	unsigned char hash[32];
	enum invitation_purpose purpose;
	int64_t valid_ms;
};

struct new_user {
	uint64_t account_id; /* 0: an operator */
	struct slice email;  /* the key of the address */
	struct user_settings settings;
	struct new_invitation invitation; /* until it is used, the user has no password */
	/* set */
	uint64_t id;
	enum user_refusal refusal;
};
MUST_CHECK enum result store_add_user(
    struct store *store, const struct precondition *precondition, const struct user_manager *manager, struct new_user *user);
/* Users by id. `account_id` 0: those of all accounts, and the operators. */
MUST_CHECK enum result store_list_users(
    struct store *store, struct pool *pool, uint64_t account_id, struct list_part part, struct user_row **users, size_t *count);

/* RESULT_NOT_FOUND, here and below: no such user, or not in the manager's account. */
MUST_CHECK enum result store_find_user(
    struct store *store, struct pool *pool, const struct user_manager *manager, uint64_t id, struct user_row *user);
struct user_change {
	/* Sets some members and leaves the others unchanged; the values must outlive the call. Returns false to refuse. */
	bool (*edit)(void *context, struct user_settings *settings);
	void *context;
	enum user_refusal refusal; /* set */
};
/* Ends the user's sessions when role or campaigns change. */
MUST_CHECK enum result store_edit_user(
    struct store *store, const struct user_manager *manager, uint64_t id, struct user_change *change);
/* Ends the user's sessions; a disabled user cannot log in. */
MUST_CHECK enum result store_disable_user(
    struct store *store, const struct user_manager *manager, uint64_t id, enum user_refusal *refusal);
MUST_CHECK enum result store_enable_user(
    struct store *store, const struct user_manager *manager, uint64_t id, enum user_refusal *refusal);
/* Removes the user with all sessions, invitations and recovery codes. */
MUST_CHECK enum result store_remove_user(
    struct store *store, const struct user_manager *manager, uint64_t id, enum user_refusal *refusal);
/* Ends the user's sessions and password, and makes a link. */
enum reset_scope { RESET_PASSWORD, RESET_PASSWORD_AND_TOTP };
MUST_CHECK enum result store_reset_user(struct store *store, const struct user_manager *manager, uint64_t id,
    enum reset_scope scope, const struct new_invitation *invitation, enum user_refusal *refusal);
/* Ends all sessions of a user; *count: how many. */
MUST_CHECK enum result store_log_out_user(
    struct store *store, const struct user_manager *manager, uint64_t id, uint64_t *count, enum user_refusal *refusal);

/* Finds an unused and valid link of an existing user who is not disabled, by the SHA-256 of its token. RESULT_NOT_FOUND:
 * none. */
struct invited_user {
	uint64_t id, account_id; /* account_id 0: an operator */
	struct slice email, name;
	enum invitation_purpose purpose;
	int64_t expires_ms;
};
MUST_CHECK enum result store_find_invitation(
    struct store *store, struct pool *pool, const unsigned char hash[32], struct invited_user *user);
/* Uses up a link: sets the password, an argon2id hash, and ends the user's sessions and waiting times. RESULT_NOT_FOUND: none,
 * or it was used in between. */
MUST_CHECK enum result store_use_invitation(struct store *store, const unsigned char hash[32], struct slice password);
