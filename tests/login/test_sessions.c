/* SPDX-License-Identifier: MIT
 * Sessions, passwords and links of users (docs/users.md 3, 4), on a database. Modules: login, store/users. */
#include "unit.h"

#include <inttypes.h>
#include <string.h>

#include "fixture.h"

/* ---- sessions ---- */

static void
a_session_ends_by_itself(void **state UNUSED)
{
	add_ada();
	assert_int_equal(log_in(password, SLICE_NONE), LOGIN_DONE);
	move_session("last_used_ms", HOUR_MS - MINUTE_MS);
	assert_true(session_lasts(token)); /* the session was used, too */
	move_session("last_used_ms", HOUR_MS - MINUTE_MS);
	assert_true(session_lasts(token));
	move_session("last_used_ms", HOUR_MS + 1);
	assert_false(session_lasts(token));
	assert_int_equal(log_in(password, SLICE_NONE), LOGIN_DONE);
	root_run("DELETE FROM t_sessions WHERE last_used_ms < created_ms");
	move_session("created_ms", 12 * HOUR_MS - MINUTE_MS);
	assert_true(session_lasts(token));
	move_session("created_ms", 2 * MINUTE_MS);
	assert_false(session_lasts(token));
}

/* docs/users.md 4: at most once a minute. */
static void
the_last_use_is_written_rarely(void **state UNUSED)
{
	add_ada();
	assert_int_equal(log_in(password, SLICE_NONE), LOGIN_DONE);
	move_session("last_used_ms", MINUTE_MS / 2);
	const int64_t before_ms = root_number("SELECT last_used_ms FROM t_sessions");
	assert_true(session_lasts(token));
	assert_int_equal(root_number("SELECT last_used_ms FROM t_sessions"), before_ms);
	move_session("last_used_ms", MINUTE_MS);
	assert_true(session_lasts(token));
	assert_true(root_number("SELECT last_used_ms FROM t_sessions") > before_ms);
}

static void
a_session_is_closed(void **state UNUSED)
{
	add_ada();
	assert_int_equal(log_in(password, SLICE_NONE), LOGIN_DONE);
	const struct slice first = token;
	assert_int_equal(log_in(password, SLICE_NONE), LOGIN_DONE);
	assert_true(session_lasts(first));
	assert_int_equal(login_close(&context, first, &session), RESULT_OK);
	assert_false(session_lasts(first));
	assert_true(session_lasts(token));
	assert_int_equal(login_close(&context, first, &session), RESULT_NOT_FOUND);
	assert_false(session_lasts(SLICE("")));
	assert_false(session_lasts(SLICE_NONE));
}

static void
users_see_their_sessions(void **state UNUSED)
{
	struct session_row *rows;
	size_t count;
	struct slice link;
	const uint64_t id = add_ada(), other = add_user("bob@example.org", ROLE_VIEWER, &link);
	assert_int_equal(log_in(password, SLICE_NONE), LOGIN_DONE);
	move_session("created_ms", 1000);
	assert_int_equal(log_in(password, SLICE_NONE), LOGIN_DONE);
	assert_int_equal(store_list_sessions(world->store, pool, id, &context.limits, &rows, &count), RESULT_OK);
	assert_int_equal(count, 2);
	assert_true(rows[0].created_ms > rows[1].created_ms);
	assert_slice(rows[0].ip, "192.0.2.1");
	assert_slice(rows[0].user_agent, "Browser/1.0");
	const unsigned char *hash = (const unsigned char *)rows[1].hash.data;
	assert_int_equal(store_end_session(world->store, other, hash), RESULT_NOT_FOUND);
	assert_int_equal(store_end_session(world->store, id, hash), RESULT_OK);
	assert_int_equal(store_list_sessions(world->store, pool, id, &context.limits, &rows, &count), RESULT_OK);
	assert_int_equal(count, 1);
	assert_true(session_lasts(token));
}

static bool
make_viewer(void *ignored UNUSED, struct user_settings *settings)
{
	settings->role = ROLE_VIEWER;
	return true;
}

static bool
rename_user(void *ignored UNUSED, struct user_settings *settings)
{
	settings->name = SLICE("Augusta");
	return true;
}

static enum result
edit_user(uint64_t id, bool (*edit)(void *context, struct user_settings *settings))
{
	struct user_change change = { .edit = edit };
	return store_edit_user(world->store, &user_manager_shell, id, &change);
}

/* docs/users.md 4 */
static void
changes_of_a_user_end_its_sessions(void **state UNUSED)
{
	enum user_refusal refusal;
	uint64_t count;
	struct new_invitation invitation;
	const uint64_t id = add_ada();
	assert_int_equal(log_in(password, SLICE_NONE), LOGIN_DONE);
	assert_int_equal(edit_user(id, rename_user), RESULT_OK);
	assert_true(session_lasts(token));
	assert_int_equal(edit_user(id, make_viewer), RESULT_OK);
	assert_false(session_lasts(token));
	assert_int_equal(log_in(password, SLICE_NONE), LOGIN_DONE);
	assert_int_equal(store_log_out_user(world->store, &user_manager_shell, id, &count, &refusal), RESULT_OK);
	assert_int_equal(count, 1);
	assert_false(session_lasts(token));
	assert_int_equal(log_in(password, SLICE_NONE), LOGIN_DONE);
	assert_int_equal(store_disable_user(world->store, &user_manager_shell, id, &refusal), RESULT_OK);
	assert_false(session_lasts(token));
	assert_int_equal(store_enable_user(world->store, &user_manager_shell, id, &refusal), RESULT_OK);
	assert_false(session_lasts(token));
	assert_int_equal(log_in(password, SLICE_NONE), LOGIN_DONE);
	const struct slice link = make_link(INVITATION_RESET, &invitation);
	assert_int_equal(
	    store_reset_user(world->store, &user_manager_shell, id, RESET_PASSWORD, &invitation, &refusal), RESULT_OK);
	assert_false(session_lasts(token));
	assert_int_equal(log_in(password, SLICE_NONE), LOGIN_WRONG);
	assert_int_equal(use_link(link, password), LOGIN_DONE);
	assert_int_equal(log_in(password, SLICE_NONE), LOGIN_DONE);
	assert_int_equal(store_remove_user(world->store, &user_manager_shell, id, &refusal), RESULT_OK);
	assert_false(session_lasts(token));
	assert_int_equal(log_in(password, SLICE_NONE), LOGIN_WRONG);
}

static void
a_user_confirms_a_session(void **state UNUSED)
{
	const struct login_origin origin = origin_of("192.0.2.1");
	add_ada();
	assert_int_equal(log_in(password, SLICE_NONE), LOGIN_DONE);
	move_session("confirmed_ms", LOGIN_CONFIRMED_MS + 1);
	assert_true(session_lasts(token));
	assert_false(login_is_confirmed(&session));
	assert_int_equal(login_confirm(call_from(&origin), wrong_password, SLICE_NONE), RESULT_OK);
	assert_int_equal(call.outcome.verdict, LOGIN_WRONG);
	assert_true(session_lasts(token));
	assert_false(login_is_confirmed(&session));
	assert_int_equal(login_confirm(call_from(&origin), password, SLICE_NONE), RESULT_OK);
	assert_int_equal(call.outcome.verdict, LOGIN_DONE);
	assert_true(session_lasts(token));
	assert_true(login_is_confirmed(&session));
}

static void
a_user_changes_the_password(void **state UNUSED)
{
	const struct login_origin origin = origin_of("192.0.2.1");
	const struct login_new_password wrong = { .current = wrong_password, .password = other_password },
					unfit = { .current = password, .password = SLICE("Leadhook2026!") },
					right = { .current = password, .password = other_password };
	struct slice new_token;
	add_ada();
	assert_int_equal(log_in(password, SLICE_NONE), LOGIN_DONE);
	const struct slice first = token;
	assert_int_equal(log_in(password, SLICE_NONE), LOGIN_DONE);
	assert_true(session_lasts(token));
	assert_int_equal(login_change_password(call_from(&origin), &wrong, &new_token), RESULT_OK);
	assert_int_equal(call.outcome.verdict, LOGIN_WRONG);
	assert_int_equal(login_change_password(call_from(&origin), &unfit, &new_token), RESULT_OK);
	assert_int_equal(call.outcome.verdict, LOGIN_PASSWORD_UNFIT);
	assert_int_equal(call.outcome.password, PASSWORD_PERSONAL);
	assert_true(session_lasts(first) && session_lasts(token));
	assert_int_equal(login_change_password(call_from(&origin), &right, &new_token), RESULT_OK);
	assert_int_equal(call.outcome.verdict, LOGIN_DONE);
	assert_false(session_lasts(first) || session_lasts(token));
	assert_true(session_lasts(new_token));
	assert_int_equal(log_in(password, SLICE_NONE), LOGIN_WRONG);
	assert_int_equal(log_in(other_password, SLICE_NONE), LOGIN_DONE);
}

/* ---- links ---- */

static void
a_link_is_used_once(void **state UNUSED)
{
	struct slice link;
	struct invited_user user;
	const uint64_t id = add_user("ada@example.org", ROLE_EDITOR, &link);
	assert_true(slice_starts_with(link, SLICE("https://lead.example/dashboard/#welcome/")));
	assert_int_equal(root_number("SELECT COUNT(*) FROM t_invitations WHERE hash = UNHEX(SHA2('%.*s', 256))",
			     SLICE_ARGS(token_of_link(link))),
	    1);
	assert_int_equal(login_find_link(&context, pool, token_of_link(link), &user), RESULT_OK);
	assert_int_equal(user.id, id);
	assert_slice(user.email, "ada@example.org");
	assert_int_equal(user.purpose, INVITATION_WELCOME);
	/* an unfit password does not use up the link */
	assert_int_equal(use_link(link, SLICE("short")), LOGIN_PASSWORD_UNFIT);
	assert_int_equal(call.outcome.password, PASSWORD_TOO_SHORT);
	assert_int_equal(use_link(link, SLICE("Password1234")), LOGIN_PASSWORD_UNFIT);
	assert_int_equal(use_link(link, SLICE("lead.example 1")), LOGIN_PASSWORD_UNFIT);
	assert_int_equal(use_link(link, password), LOGIN_DONE);
	hashes = 0;
	assert_int_equal(use_link(link, other_password), LOGIN_WRONG);
	assert_int_equal(hashes, 0);
	assert_int_equal(log_in(password, SLICE_NONE), LOGIN_DONE);
}

/* docs/users.md 3: the use of a link counts as a login from the address. */
static void
guesses_of_links_are_limited(void **state UNUSED)
{
	const struct login_origin origin = origin_of("192.0.2.1");
	unsigned limited = 0;
	for (unsigned i = 0; i < 20; i++) {
		assert_int_equal(login_use_link(call_from(&origin), secret_make(pool, SECRET_USER), password), RESULT_OK);
		limited += call.outcome.verdict == LOGIN_LIMITED;
	}
	assert_int_equal(limited, 10);
	assert_int_equal(hashes, 0);
}

static void
a_link_expires_and_is_replaced(void **state UNUSED)
{
	struct slice link;
	struct new_invitation invitation;
	enum user_refusal refusal;
	struct invited_user user;
	const uint64_t id = add_user("ada@example.org", ROLE_EDITOR, &link);
	root_run("UPDATE t_invitations SET expires_ms = expires_ms - %" PRId64, HOUR_MS);
	assert_int_equal(use_link(link, password), LOGIN_WRONG);
	const struct slice second = make_link(INVITATION_RESET, &invitation);
	assert_int_equal(
	    store_reset_user(world->store, &user_manager_shell, id, RESET_PASSWORD, &invitation, &refusal), RESULT_OK);
	const struct slice third = make_link(INVITATION_RESET, &invitation);
	assert_int_equal(
	    store_reset_user(world->store, &user_manager_shell, id, RESET_PASSWORD, &invitation, &refusal), RESULT_OK);
	assert_int_equal(use_link(second, password), LOGIN_WRONG);
	assert_int_equal(store_disable_user(world->store, &user_manager_shell, id, &refusal), RESULT_OK);
	assert_int_equal(use_link(third, password), LOGIN_WRONG);
	assert_int_equal(store_enable_user(world->store, &user_manager_shell, id, &refusal), RESULT_OK);
	assert_int_equal(use_link(third, password), LOGIN_WRONG);
	const struct slice fourth = make_link(INVITATION_RESET, &invitation);
	assert_int_equal(
	    store_reset_user(world->store, &user_manager_shell, id, RESET_PASSWORD, &invitation, &refusal), RESULT_OK);
	assert_int_equal(login_find_link(&context, pool, token_of_link(fourth), &user), RESULT_OK);
	assert_int_equal(user.purpose, INVITATION_RESET);
	assert_int_equal(use_link(fourth, password), LOGIN_DONE);
	assert_int_equal(login_find_link(&context, pool, SLICE("x"), &user), RESULT_NOT_FOUND);
}

/* docs/users.md 3: a new password ends the wait after failures. */
static void
a_link_ends_the_wait(void **state UNUSED)
{
	struct new_invitation invitation;
	enum user_refusal refusal;
	const uint64_t id = add_ada();
	const struct slice link = make_link(INVITATION_RESET, &invitation);
	assert_int_equal(
	    store_reset_user(world->store, &user_manager_shell, id, RESET_PASSWORD, &invitation, &refusal), RESULT_OK);
	for (unsigned i = 0; i < 5; i++)
		assert_int_equal(log_in(wrong_password, SLICE_NONE), LOGIN_WRONG);
	hold_wait(1000);
	assert_int_equal(log_in(wrong_password, SLICE_NONE), LOGIN_THROTTLED);
	assert_int_equal(use_link(link, other_password), LOGIN_DONE);
	assert_int_equal(log_in(other_password, SLICE_NONE), LOGIN_DONE);
}

/* Uses the link in several threads at once. */
static bool
use_it(struct store *store, const struct world *w UNUSED, unsigned index UNUSED)
{
	unsigned char hash[32];
	memset(hash, 7, sizeof(hash));
	const enum result result = store_use_invitation(store, hash, SLICE("hash"));
	if (result == RESULT_OK)
		__sync_fetch_and_add(shared, 1);
	return result == RESULT_OK || result == RESULT_NOT_FOUND;
}

static void
a_link_is_used_once_by_many(void **state UNUSED)
{
	struct slice link;
	struct new_invitation invitation = { .purpose = INVITATION_RESET, .valid_ms = HOUR_MS };
	enum user_refusal refusal;
	memset(invitation.hash, 7, sizeof(invitation.hash));
	const uint64_t id = add_user("ada@example.org", ROLE_EDITOR, &link);
	assert_int_equal(
	    store_reset_user(world->store, &user_manager_shell, id, RESET_PASSWORD, &invitation, &refusal), RESULT_OK);
	processes_start(world, 8, use_it);
	assert_true(processes_end());
	assert_int_equal(*shared, 1);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		LOGIN_TEST(a_session_ends_by_itself),
		LOGIN_TEST(the_last_use_is_written_rarely),
		LOGIN_TEST(a_session_is_closed),
		LOGIN_TEST(users_see_their_sessions),
		LOGIN_TEST(changes_of_a_user_end_its_sessions),
		LOGIN_TEST(a_user_confirms_a_session),
		LOGIN_TEST(a_user_changes_the_password),
		LOGIN_TEST(a_link_is_used_once),
		LOGIN_TEST(guesses_of_links_are_limited),
		LOGIN_TEST(a_link_expires_and_is_replaced),
		LOGIN_TEST(a_link_is_used_once_by_many),
		LOGIN_TEST(a_link_ends_the_wait),
	};
	return run_login_tests(tests, ARRAY_SIZE(tests));
}
