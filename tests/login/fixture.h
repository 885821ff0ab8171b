/* SPDX-License-Identifier: MIT
 * What the tests of this folder share: a database, a limiter with a clock of its own, and a user. */
#pragma once

#include "base/duration.h"
#include "login/login.h"
#include "world.h"

#define PASSWORD "correct horse battery"
extern const struct slice password, other_password, wrong_password;

/* What the test uses, and the results of its last call. */
extern struct login_context context;
extern struct pool *pool;
extern struct world *world;
extern struct login_call call;
extern struct slice token;
extern struct session session;
extern unsigned hashes, pauses; /* passwords that were hashed, and pauses after wrong ones */
extern int hash_priority;       /* the nice value of the last hash */

int open_all(void **state);
int close_all(void **state);
#define LOGIN_TEST(name) cmocka_unit_test_setup_teardown(name, open_all, close_all)
/* The stores of the tests have a key for secrets. */
int run_login_tests(const struct CMUnitTest *tests, size_t count);

struct login_origin origin_of(const char *address);
/* Prepares `call`, with the last token and session. */
struct login_call *call_from(const struct login_origin *origin);
/* Adds a user without a password; *link is its link. */
uint64_t add_user(const char *email, enum role role, struct slice *link);
/* Makes a new link. */
struct slice make_link(enum invitation_purpose purpose, struct new_invitation *made);
struct slice token_of_link(struct slice link);
/* These never reach the limit of an address. */
enum login_verdict use_link(struct slice link, struct slice new_password);
enum login_verdict log_in(struct slice given, struct slice code);
enum login_verdict log_in_from(const char *address, const char *email, struct slice given, struct slice code);
/* ada@example.org, an owner, with `password`. */
uint64_t add_ada(void);
bool session_lasts(struct slice of);
/* Lets the wait after failures pass. */
void pass_wait(void);
enum { HELD_MS = 10 * MINUTE_MS };
/* Extends the wait that the last login has set by HELD_MS, if it is at least `wait_ms`, so that it does not end in a slow test.
 */
void hold_wait(int64_t wait_ms);
/* Makes the sessions older by this time, according to this column. */
void move_session(const char *column, int64_t ms);
