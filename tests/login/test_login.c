/* SPDX-License-Identifier: MIT
 * Logins and second factors (docs/users.md 3, 5), on a database. */
#include "unit.h"

#include <inttypes.h>
#include <string.h>
#include <sys/resource.h>

#include "crypto/totp.h"
#include "fixture.h"

/* ---- logins ---- */

static void
a_user_logs_in(void **state UNUSED)
{
	const uint64_t id = add_ada();
	assert_int_equal(log_in(password, SLICE_NONE), LOGIN_DONE);
	assert_true(session_lasts(token));
	assert_int_equal(session.user_id, id);
	assert_int_equal(session.account_id, world->account);
	assert_slice(session.email, "ada@example.org");
	assert_slice(session.name, "Ada");
	assert_int_equal(session.role, ROLE_OWNER);
	assert_int_equal(session.rights, RIGHTS_ALL);
	assert_false(slice_present(session.campaigns));
	assert_false(session.account_suspended || session.has_totp);
	assert_true(login_is_confirmed(&session));
	assert_int_equal(hashes, 1);
	/* the address is an identity: case and blanks make no difference */
	assert_int_equal(log_in_from("192.0.2.2", " ADA@Example.ORG ", password, SLICE("")), LOGIN_DONE);
	assert_int_equal(log_in(wrong_password, SLICE_NONE), LOGIN_WRONG);
	assert_int_equal(log_in(SLICE(PASSWORD " "), SLICE_NONE), LOGIN_WRONG);
	assert_int_equal(root_number("SELECT last_login_ms IS NOT NULL FROM t_users"), 1);
}

/* docs/users.md 4: nothing in the database opens a session. */
static void
tokens_are_stored_as_hashes(void **state UNUSED)
{
	add_ada();
	assert_int_equal(log_in(password, SLICE_NONE), LOGIN_DONE);
	const struct slice first = token;
	assert_int_equal(log_in(password, SLICE_NONE), LOGIN_DONE);
	assert_false(slice_equal(first, token));
	assert_int_equal(
	    root_number("SELECT COUNT(*) FROM t_sessions WHERE hash = UNHEX(SHA2('%.*s', 256))", SLICE_ARGS(token)), 1);
	assert_int_equal(
	    root_number("SELECT COUNT(*) FROM t_users WHERE password LIKE '$argon2id$v=19$m=19456,t=2,p=1$%%'"), 1);
}

/* docs/users.md 3: the same number of hashes, and the same answer. */
static void
an_unknown_user_looks_like_a_wrong_password(void **state UNUSED)
{
	struct slice link;
	const uint64_t ada = add_ada();
	enum user_refusal refusal;
	add_user("new@example.org", ROLE_VIEWER, &link);
	hashes = 0;
	assert_int_equal(log_in_from("192.0.2.1", "ada@example.org", wrong_password, SLICE_NONE), LOGIN_WRONG);
	assert_int_equal(hashes, 1);
	assert_int_equal(log_in_from("192.0.2.1", "nobody@example.org", password, SLICE_NONE), LOGIN_WRONG);
	assert_int_equal(hashes, 2);
	assert_int_equal(log_in_from("192.0.2.1", "new@example.org", password, SLICE_NONE), LOGIN_WRONG);
	assert_int_equal(hashes, 3);
	assert_int_equal(log_in_from("192.0.2.1", "new@example.org", SLICE_NONE, SLICE_NONE), LOGIN_WRONG);
	assert_int_equal(hashes, 4);
	assert_int_equal(store_disable_user(world->store, &user_manager_shell, ada, &refusal), RESULT_OK);
	assert_int_equal(log_in_from("192.0.2.1", "ada@example.org", password, SLICE_NONE), LOGIN_WRONG);
	assert_int_equal(hashes, 5);
	/* failures of an unknown address count, too */
	for (unsigned i = 0; i < 5; i++)
		assert_int_equal(log_in_from("192.0.2.2", "no@example.org", password, SLICE_NONE), LOGIN_WRONG);
	hold_wait(1000);
	assert_int_equal(log_in_from("192.0.2.2", "no@example.org", password, SLICE_NONE), LOGIN_THROTTLED);
}

/* docs/users.md 3: other requests come first. After a wrong password, a hash slot stays taken for a while. */
static void
guesses_leave_the_processor_to_others(void **state UNUSED)
{
	const int own_priority = getpriority(PRIO_PROCESS, 0);
	add_ada();
	pauses = 0;
	for (unsigned i = 0; i < 5; i++) {
		assert_int_equal(log_in(wrong_password, SLICE_NONE), LOGIN_WRONG);
		assert_int_equal(pauses, i + 1);
	}
	assert_int_equal(hash_priority, PRIO_MAX - 1); /* the largest possible value */
	assert_int_equal(getpriority(PRIO_PROCESS, 0), own_priority);
	hold_wait(1000);
	assert_int_equal(log_in(password, SLICE_NONE), LOGIN_THROTTLED);
	assert_int_equal(pauses, 5);
	pass_wait();
	assert_int_equal(log_in(password, SLICE_NONE), LOGIN_DONE);
	assert_int_equal(pauses, 5);
}

/* ---- the throttle ---- */

static void
failures_make_the_next_one_wait(void **state UNUSED)
{
	add_ada();
	for (unsigned i = 0; i < 5; i++)
		assert_int_equal(log_in(wrong_password, SLICE_NONE), LOGIN_WRONG);
	hashes = 0;
	hold_wait(1000);
	assert_int_equal(log_in(password, SLICE_NONE), LOGIN_THROTTLED);
	assert_in_range(call.outcome.wait_ms, 1, HELD_MS + 1000);
	assert_int_equal(hashes, 0);
	pass_wait();
	assert_int_equal(log_in(wrong_password, SLICE_NONE), LOGIN_WRONG);
	hold_wait(2000);
	assert_int_equal(log_in(password, SLICE_NONE), LOGIN_THROTTLED);
	assert_in_range(call.outcome.wait_ms, 1, HELD_MS + 2000);
	/* a success clears them */
	pass_wait();
	assert_int_equal(log_in(password, SLICE_NONE), LOGIN_DONE);
	for (unsigned i = 0; i < 5; i++)
		assert_int_equal(log_in(wrong_password, SLICE_NONE), LOGIN_WRONG);
}

static void
guesses_of_one_address_are_limited(void **state UNUSED)
{
	enum { GUESSES = 10000 };
	unsigned limited = 0;
	add_ada();
	for (unsigned i = 0; i < GUESSES; i++)
		limited +=
		    log_in_from("192.0.2.1", numbered_email(pool, "guess", i), wrong_password, SLICE_NONE) == LOGIN_LIMITED;
	assert_int_equal(limited, GUESSES - 10);
	assert_int_equal(call.outcome.limit.limit, 10);
	assert_in_range(call.outcome.wait_ms, 1, MINUTE_MS + MINUTE_MS / 60);
	assert_int_equal(hashes, 10);
	/* for IPv6, a /64 counts as one address */
	for (unsigned i = 0; i < 12; i++)
		log_in_from(pool_printf(pool, "2001:db8::%u", i + 1).data, "ada@example.org", wrong_password, SLICE_NONE);
	assert_int_equal(call.outcome.verdict, LOGIN_LIMITED);
}

static void
guesses_of_many_addresses_wait(void **state UNUSED)
{
	enum { ADDRESSES = 100, EACH = 10 };
	add_ada();
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(log_in(wrong_password, SLICE_NONE), LOGIN_WRONG);
	root_run("UPDATE t_login_attempts SET failures = 20");
	hashes = 0;
	for (unsigned i = 0; i < ADDRESSES * EACH; i++)
		log_in_from(
		    pool_printf(pool, "198.51.100.%u", i % ADDRESSES).data, "ada@example.org", wrong_password, SLICE_NONE);
	assert_int_equal(hashes, 1);
	assert_int_equal(call.outcome.verdict, LOGIN_THROTTLED);
	assert_in_range(call.outcome.wait_ms, 14 * MINUTE_MS, 15 * MINUTE_MS);
}

enum { GUESSERS = 8, GUESSES_EACH = 10 };

static bool
guess(struct store *store, const struct world *w UNUSED, unsigned index UNUSED)
{
	for (unsigned i = 0; i < GUESSES_EACH; i++) {
		int64_t wait_ms;
		if (store_count_login(store, SLICE("ada@example.org"), &wait_ms) != RESULT_OK)
			return false;
		if (wait_ms == 0)
			__sync_fetch_and_add(shared, 1);
	}
	return true;
}

/* Attempts are counted before they are made. */
static void
parallel_guesses_get_no_more_tries(void **state UNUSED)
{
	int64_t wait_ms;
	assert_int_equal(store_count_login(world->store, SLICE("ada@example.org"), &wait_ms), RESULT_OK);
	root_run("UPDATE t_login_attempts SET failures = 20");
	processes_start(world, GUESSERS, guess);
	assert_true(processes_end());
	assert_int_equal(*shared, 1);
	assert_int_equal(root_number("SELECT failures FROM t_login_attempts"), 21);
}

static void
busy_slots_refuse_before_they_count(void **state UNUSED)
{
	add_ada();
	const int first = work_slots_take(context.slots), second = work_slots_take(context.slots);
	assert_int_not_equal(first, -1);
	assert_int_not_equal(second, -1);
	assert_int_equal(log_in(password, SLICE_NONE), LOGIN_BUSY);
	assert_int_equal(hashes, 0);
	assert_int_equal(root_number("SELECT COUNT(*) FROM t_login_attempts"), 0);
	work_slots_give_back(context.slots, first);
	work_slots_give_back(context.slots, second);
	assert_int_equal(log_in(password, SLICE_NONE), LOGIN_DONE);
}

/* docs/users.md 3: the next login makes a new hash. */
static void
an_outdated_hash_is_replaced(void **state UNUSED)
{
	add_ada();
	root_run("UPDATE t_users SET password = "
		 "'$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc'");
	assert_int_equal(log_in(wrong_password, SLICE_NONE), LOGIN_WRONG);
	assert_int_equal(root_number("SELECT password LIKE '%%m=65536,%%' FROM t_users"), 1);
	assert_int_equal(log_in(SLICE("password"), SLICE_NONE), LOGIN_DONE);
	assert_int_equal(root_number("SELECT password LIKE '%%m=19456,%%' FROM t_users"), 1);
	assert_int_equal(log_in(SLICE("password"), SLICE_NONE), LOGIN_DONE);
}

/* docs/users.md 4: the password is changed while it is being verified. */
static void
a_password_that_was_changed_opens_nothing(void **state UNUSED)
{
	struct login_user user;
	const struct login_proof proof = { .user = &user };
	const struct new_session opened = { .ip = SLICE_NONE };
	add_ada();
	assert_int_equal(store_find_login_user(world->store, pool, SLICE("ada@example.org"), &user), RESULT_OK);
	root_run("UPDATE t_users SET password = CONCAT(password, 'x')");
	assert_int_equal(store_open_session(world->store, &proof, &opened), RESULT_NOT_FOUND);
	root_run("UPDATE t_users SET password = NULL");
	assert_int_equal(store_open_session(world->store, &proof, &opened), RESULT_NOT_FOUND);
	assert_int_equal(root_number("SELECT COUNT(*) FROM t_sessions"), 0);
}

/* ---- the second factor ---- */

static struct slice codes[RECOVERY_CODES];

static struct slice
code_of_step(struct slice secret, int64_t step)
{
	return pool_printf(pool, "%06u", (unsigned)totp_code(pool, secret, (uint64_t)step));
}

static struct slice
code_now(struct slice secret)
{
	return code_of_step(secret, root_number("SELECT UNIX_TIMESTAMP() DIV 30"));
}

/* Enables a second factor for the user of the session; returns its secret. */
static struct slice
add_factor(void)
{
	const struct login_origin origin = origin_of("192.0.2.200");
	struct login_factor factor;
	context.store = world->store;
	assert_int_equal(log_in(password, SLICE_NONE), LOGIN_DONE);
	assert_true(session_lasts(token));
	assert_int_equal(login_begin_factor(call_from(&origin), &factor), RESULT_OK);
	assert_int_equal(call.outcome.verdict, LOGIN_DONE);
	/* it has no effect yet */
	const struct slice own = token;
	assert_int_equal(log_in(password, SLICE_NONE), LOGIN_DONE);
	const struct slice other = token;
	token = own;
	assert_int_equal(login_enable_factor(call_from(&origin), SLICE("000000"), codes), RESULT_OK);
	assert_int_equal(call.outcome.verdict, LOGIN_WRONG);
	assert_int_equal(login_enable_factor(call_from(&origin), code_now(factor.secret), codes), RESULT_OK);
	assert_int_equal(call.outcome.verdict, LOGIN_DONE);
	assert_true(session_lasts(own));
	assert_true(session.has_totp);
	assert_false(session_lasts(other));
	assert_true(session_lasts(own));
	return factor.secret;
}

static void
allow_code_again(void)
{
	root_run("UPDATE t_users SET totp_step = 0");
}

static void
a_login_needs_a_code(void **state UNUSED)
{
	add_ada();
	const struct slice secret = add_factor();
	assert_int_equal(log_in(password, SLICE_NONE), LOGIN_CODE_NEEDED);
	assert_int_equal(log_in(password, SLICE(" ")), LOGIN_CODE_NEEDED);
	assert_int_equal(log_in(wrong_password, SLICE_NONE), LOGIN_WRONG);
	/* the code that enabled it is used up */
	assert_int_equal(log_in(password, code_of_step(secret, root_number("SELECT totp_step FROM t_users"))), LOGIN_WRONG);
	allow_code_again();
	const struct slice code = code_now(secret);
	assert_int_equal(log_in(wrong_password, code), LOGIN_WRONG);
	assert_int_equal(log_in(password, code), LOGIN_DONE);
	assert_int_equal(log_in(password, code), LOGIN_WRONG);
}

/* A secret is encrypted for its user: another user cannot use a copy. */
static void
a_secret_is_of_one_user(void **state UNUSED)
{
	struct slice link;
	add_ada();
	(void)add_factor();
	const uint64_t id = add_user("eve@example.org", ROLE_EDITOR, &link);
	assert_int_equal(use_link(link, other_password), LOGIN_DONE);
	root_run("UPDATE t_users e JOIN t_users a ON a.email = 'ada@example.org'"
		 " SET e.totp_secret = a.totp_secret, e.totp_enabled_ms = a.totp_enabled_ms WHERE e.id = %llu",
	    (unsigned long long)id);
	const struct login_origin origin = origin_of("192.0.2.9");
	const struct login_request request = { SLICE("eve@example.org"), other_password, SLICE_NONE };
	assert_int_not_equal(login_open(call_from(&origin), &request, &token), RESULT_OK);
	assert_int_equal(log_in(password, SLICE_NONE), LOGIN_CODE_NEEDED);
}

/* docs/users.md 5: even with the right password, and even if logins without a code come in between. */
static void
wrong_codes_are_failures(void **state UNUSED)
{
	add_ada();
	const struct slice secret = add_factor();
	for (unsigned i = 0; i < 5; i++) {
		assert_int_equal(log_in(password, SLICE_NONE), LOGIN_CODE_NEEDED);
		assert_int_equal(log_in(password, SLICE("12345")), LOGIN_WRONG);
	}
	hold_wait(1000);
	assert_int_equal(log_in(password, SLICE_NONE), LOGIN_THROTTLED);
	pass_wait();
	assert_int_equal(log_in(password, SLICE_NONE), LOGIN_CODE_NEEDED);
	assert_int_equal(log_in(password, SLICE("AAAAAA-BBBBBB-CCCCCC-DDDDDD")), LOGIN_WRONG);
	hold_wait(2000);
	assert_int_equal(log_in(password, code_now(secret)), LOGIN_THROTTLED);
	assert_in_range(call.outcome.wait_ms, 1, HELD_MS + 2000);
}

/* Uses a code that was verified twice at the same time. */
static bool
use_code(struct store *store, const struct world *w UNUSED, unsigned index)
{
	struct pool *own = pool_new();
	struct login_user user;
	struct new_session opened = { .ip = SLICE_NONE };
	const struct login_proof proof = { .user = &user, .totp_step = 1000 };
	memset(opened.hash, (int)index, sizeof(opened.hash));
	enum result result = store_find_login_user(store, own, SLICE("ada@example.org"), &user);
	if (result == RESULT_OK)
		result = store_open_session(store, &proof, &opened);
	if (result == RESULT_OK)
		__sync_fetch_and_add(shared, 1);
	pool_free(&own);
	return result == RESULT_OK || result == RESULT_NOT_FOUND;
}

static void
a_code_is_used_once_by_many(void **state UNUSED)
{
	add_ada();
	(void)add_factor();
	allow_code_again();
	processes_start(world, GUESSERS, use_code);
	assert_true(processes_end());
	assert_int_equal(*shared, 1);
}

static void
a_recovery_code_is_used_once(void **state UNUSED)
{
	const struct login_origin origin = origin_of("192.0.2.201");
	add_ada();
	(void)add_factor();
	assert_int_equal(root_number("SELECT COUNT(*) FROM t_recovery_codes"), RECOVERY_CODES);
	assert_int_equal(log_in(password, codes[3]), LOGIN_DONE);
	assert_int_equal(log_in(password, codes[3]), LOGIN_WRONG);
	assert_int_equal(log_in(password, pool_copy_lower(pool, codes[4])), LOGIN_DONE);
	assert_int_equal(root_number("SELECT COUNT(*) FROM t_recovery_codes"), RECOVERY_CODES - 2);
	const struct slice old = codes[5];
	assert_true(session_lasts(token));
	assert_int_equal(login_renew_codes(call_from(&origin), codes), RESULT_OK);
	assert_int_equal(call.outcome.verdict, LOGIN_DONE);
	assert_int_equal(log_in(password, old), LOGIN_WRONG);
	assert_int_equal(log_in(password, codes[5]), LOGIN_DONE);
}

static bool
never(void *calls)
{
	++*(unsigned *)calls;
	return false;
}

/* docs/users.md 6: the change is refused after the limit was counted, and before anything is changed. */
static void
a_change_is_refused(void **state UNUSED)
{
	unsigned calls = 0;
	struct login_origin origin = origin_of("192.0.2.202");
	const struct login_new_password unfit = { .current = password, .password = SLICE("short") },
					fit = { .current = password, .password = SLICE("eight orange bicycles") };
	struct slice new_token;
	add_ada();
	(void)add_factor();
	origin.may_change = never;
	origin.caller = &calls;
	assert_int_equal(login_remove_factor(call_from(&origin)), RESULT_OK);
	assert_int_equal(call.outcome.verdict, LOGIN_REFUSED);
	assert_int_equal(login_renew_codes(call_from(&origin), codes), RESULT_OK);
	assert_int_equal(call.outcome.verdict, LOGIN_REFUSED);
	assert_int_equal(login_change_password(call_from(&origin), &unfit, &new_token), RESULT_OK);
	assert_int_equal(call.outcome.verdict, LOGIN_PASSWORD_UNFIT);
	assert_int_equal(calls, 2);
	assert_int_equal(login_change_password(call_from(&origin), &fit, &new_token), RESULT_OK);
	assert_int_equal(call.outcome.verdict, LOGIN_REFUSED);
	assert_int_equal(calls, 3);
	assert_int_equal(log_in(password, codes[0]), LOGIN_DONE);
}

static void
a_second_factor_is_removed(void **state UNUSED)
{
	const struct login_origin origin = origin_of("192.0.2.201");
	struct login_factor factor;
	enum user_refusal refusal;
	struct new_invitation invitation;
	const uint64_t id = add_ada();
	(void)add_factor();
	assert_int_equal(login_begin_factor(call_from(&origin), &factor), RESULT_OK);
	assert_int_equal(call.outcome.verdict, LOGIN_HAS_FACTOR);
	assert_int_equal(login_remove_factor(call_from(&origin)), RESULT_OK);
	assert_true(session_lasts(token));
	assert_int_equal(log_in(password, SLICE_NONE), LOGIN_DONE);
	assert_int_equal(root_number("SELECT COUNT(*) FROM t_recovery_codes"), 0);
	assert_true(session_lasts(token));
	assert_int_equal(login_renew_codes(call_from(&origin), codes), RESULT_OK);
	assert_int_equal(call.outcome.verdict, LOGIN_WRONG);
	/* a new password alone does not remove it */
	const struct slice secret = add_factor();
	const struct slice link = make_link(INVITATION_RESET, &invitation);
	assert_int_equal(
	    store_reset_user(world->store, &user_manager_shell, id, RESET_PASSWORD, &invitation, &refusal), RESULT_OK);
	assert_int_equal(use_link(link, password), LOGIN_DONE);
	assert_int_equal(log_in(password, SLICE_NONE), LOGIN_CODE_NEEDED);
	allow_code_again();
	assert_int_equal(log_in(password, code_now(secret)), LOGIN_DONE);
	const struct slice next = make_link(INVITATION_RESET, &invitation);
	assert_int_equal(
	    store_reset_user(world->store, &user_manager_shell, id, RESET_PASSWORD_AND_TOTP, &invitation, &refusal), RESULT_OK);
	assert_int_equal(use_link(next, password), LOGIN_DONE);
	assert_int_equal(log_in(password, SLICE_NONE), LOGIN_DONE);
}

/* docs/users.md 5: the secret of a second factor is sealed, or there is no second factor. */
static void
without_a_key_there_is_no_second_factor(void **state UNUSED)
{
	struct login_factor factor;
	struct store_options options = world_options;
	add_ada();
	assert_int_equal(log_in(password, SLICE_NONE), LOGIN_DONE);
	assert_true(session_lasts(token));
	options.secrets_key = NULL;
	context.store = store_new(&options);
	assert_int_equal(login_begin_factor(call_from(&(struct login_origin){ 0 }), &factor), RESULT_OK);
	assert_int_equal(call.outcome.verdict, LOGIN_NO_KEY);
	assert_int_equal(root_number("SELECT COUNT(*) FROM t_users WHERE totp_secret IS NOT NULL"), 0);
	store_free(&context.store);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		LOGIN_TEST(a_user_logs_in),
		LOGIN_TEST(tokens_are_stored_as_hashes),
		LOGIN_TEST(an_unknown_user_looks_like_a_wrong_password),
		LOGIN_TEST(guesses_leave_the_processor_to_others),
		LOGIN_TEST(failures_make_the_next_one_wait),
		LOGIN_TEST(guesses_of_one_address_are_limited),
		LOGIN_TEST(guesses_of_many_addresses_wait),
		LOGIN_TEST(parallel_guesses_get_no_more_tries),
		LOGIN_TEST(busy_slots_refuse_before_they_count),
		LOGIN_TEST(an_outdated_hash_is_replaced),
		LOGIN_TEST(a_password_that_was_changed_opens_nothing),
		LOGIN_TEST(a_login_needs_a_code),
		LOGIN_TEST(a_secret_is_of_one_user),
		LOGIN_TEST(wrong_codes_are_failures),
		LOGIN_TEST(a_code_is_used_once_by_many),
		LOGIN_TEST(a_recovery_code_is_used_once),
		LOGIN_TEST(a_change_is_refused),
		LOGIN_TEST(a_second_factor_is_removed),
		LOGIN_TEST(without_a_key_there_is_no_second_factor),
	};
	return run_login_tests(tests, ARRAY_SIZE(tests));
}
