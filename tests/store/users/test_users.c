/* SPDX-License-Identifier: MIT
 * Users as they are managed (docs/users.md 2), and what is left of removed ones. */
#include "unit.h"

#include <inttypes.h>
#include <string.h>

#include "base/duration.h"
#include "store/operator/accounts.h"
#include "store/queue/clean_up.h"
#include "store/removal/campaigns.h"
#include "store/users/logins.h"
#include "store/users/second_factor.h"
#include "store/users/user_sessions.h"
#include "store/users/users.h"
#include "store/world.h"

static struct world *world;
static enum user_refusal refusal;
static unsigned char next_hash;

static int
begin(void **state)
{
	if (world_open(state) != 0)
		return -1;
	world = *state;
	root_run("DELETE FROM t_users");
	root_run("DELETE FROM t_sessions");
	root_run("DELETE FROM t_invitations");
	return 0;
}

static struct new_invitation
new_link(void)
{
	struct new_invitation invitation = { .purpose = INVITATION_WELCOME, .valid_ms = HOUR_MS };
	memset(invitation.hash, ++next_hash, sizeof(invitation.hash));
	return invitation;
}

/* Returns 0 if it is refused. */
static uint64_t
add(const struct user_manager *manager, uint64_t account, const char *email, enum role role, const char *campaigns)
{
	struct new_user user = { .account_id = account,
		.email = slice_of(email),
		.settings = { .name = SLICE("User"), .role = role, .campaigns = slice_of(campaigns) },
		.invitation = new_link() };
	const enum result result = store_add_user(world->store, NULL, manager, &user);
	refusal = user.refusal;
	assert_int_equal(result, refusal == USER_FITS ? RESULT_OK : RESULT_REFUSED);
	return refusal == USER_FITS ? user.id : 0;
}

static enum result
edit(const struct user_manager *manager, uint64_t id, bool (*change)(void *context, struct user_settings *settings),
    void *context)
{
	struct user_change changed = { .edit = change, .context = context };
	const enum result result = store_edit_user(world->store, manager, id, &changed);
	refusal = changed.refusal;
	return result;
}

static uint64_t
add_by_shell(uint64_t account, const char *email, enum role role)
{
	const uint64_t id = add(&user_manager_shell, account, email, role, NULL);
	assert_int_not_equal(id, 0);
	return id;
}

static struct user_manager
owner_of(uint64_t account)
{
	return (struct user_manager){ .account_id = account, .rights = RIGHTS_OWNER, .users_max = 2 };
}

static const struct user_manager operator= { .rights = RIGHTS_ALL, .users_max = INT64_MAX };

static struct user_row
find(uint64_t id)
{
	struct user_row user;
	assert_int_equal(store_find_user(world->store, world->pool, &user_manager_shell, id, &user), RESULT_OK);
	return user;
}

static const char *
text_of(uint64_t id)
{
	return pool_printf(world->pool, "%" PRIu64, id).data;
}

static void
a_user_is_added(void **state UNUSED)
{
	const uint64_t other = add_campaign(world);
	const char *campaigns = pool_printf(world->pool, "%" PRIu64 ",%" PRIu64, world->campaign, other).data;
	const uint64_t id = add(&user_manager_shell, world->account, "eve@example.org", ROLE_EDITOR, campaigns);
	const struct user_row user = find(id);
	assert_int_equal(user.account_id, world->account);
	assert_slice(user.email, "eve@example.org");
	assert_slice(user.settings.name, "User");
	assert_int_equal(user.settings.role, ROLE_EDITOR);
	assert_slice(user.settings.campaigns, campaigns);
	assert_false(user.has_password || user.has_totp);
	assert_int_equal(user.last_login_ms, -1);
	assert_int_equal(user.disabled_ms, -1);
	assert_true(user.created_ms > 0);
	assert_int_equal(root_number("SELECT COUNT(*) FROM t_invitations WHERE user_id = %" PRIu64, id), 1);
}

/* An address belongs to one user of all accounts. */
static void
what_does_not_fit_is_refused(void **state UNUSED)
{
	uint64_t account;
	assert_int_equal(store_add_account(world->store, NULL, SLICE("Other"), &account), RESULT_OK);
	add_by_shell(account, "eve@example.org", ROLE_OWNER);
	add(&user_manager_shell, world->account, "eve@example.org", ROLE_OWNER, NULL);
	assert_int_equal(refusal, USER_EMAIL_TAKEN);
	add(&user_manager_shell, UNKNOWN_ID, "bob@example.org", ROLE_OWNER, NULL);
	assert_int_equal(refusal, USER_NO_ACCOUNT);
	add(&user_manager_shell, 0, "bob@example.org", ROLE_OWNER, NULL);
	assert_int_equal(refusal, USER_WRONG_ROLE);
	add(&user_manager_shell, world->account, "bob@example.org", ROLE_OPERATOR, NULL);
	assert_int_equal(refusal, USER_WRONG_ROLE);
	add(&user_manager_shell, world->account, "bob@example.org", ROLE_OWNER, text_of(world->campaign));
	assert_int_equal(refusal, USER_NO_CAMPAIGNS);
	add(&user_manager_shell, account, "bob@example.org", ROLE_EDITOR, text_of(world->campaign));
	assert_int_equal(refusal, USER_NO_CAMPAIGN);
	add(&user_manager_shell, account, "bob@example.org", ROLE_EDITOR, text_of(UNKNOWN_ID));
	assert_int_equal(refusal, USER_NO_CAMPAIGN);
	assert_int_equal(root_number("SELECT COUNT(*) FROM t_users"), 1);
}

/* docs/users.md 2: an owner manages the users of its own account. */
static void
an_owner_sees_its_own_account(void **state UNUSED)
{
	uint64_t account;
	uint64_t count;
	struct user_row user;
	assert_int_equal(store_add_account(world->store, NULL, SLICE("Other"), &account), RESULT_OK);
	const struct user_manager owner = owner_of(world->account);
	const uint64_t foreign = add_by_shell(account, "eve@example.org", ROLE_VIEWER),
		       root = add_by_shell(0, "root@example.org", ROLE_OPERATOR);
	const uint64_t ids[] = { foreign, root, UNKNOWN_ID };
	const struct new_invitation link = new_link();
	for (size_t i = 0; i < ARRAY_SIZE(ids); i++) {
		assert_int_equal(store_find_user(world->store, world->pool, &owner, ids[i], &user), RESULT_NOT_FOUND);
		assert_int_equal(store_disable_user(world->store, &owner, ids[i], &refusal), RESULT_NOT_FOUND);
		assert_int_equal(store_remove_user(world->store, &owner, ids[i], &refusal), RESULT_NOT_FOUND);
		assert_int_equal(store_log_out_user(world->store, &owner, ids[i], &count, &refusal), RESULT_NOT_FOUND);
		assert_int_equal(
		    store_reset_user(world->store, &owner, ids[i], RESET_PASSWORD_AND_TOTP, &link, &refusal), RESULT_NOT_FOUND);
	}
	add(&owner, account, "bob@example.org", ROLE_VIEWER, NULL);
	assert_int_equal(refusal, USER_NO_ACCOUNT);
	add(&owner, 0, "bob@example.org", ROLE_OPERATOR, NULL);
	assert_int_equal(refusal, USER_NO_ACCOUNT);
	const uint64_t own = add(&owner, world->account, "bob@example.org", ROLE_OWNER, NULL);
	assert_int_equal(store_find_user(world->store, world->pool, &owner, own, &user), RESULT_OK);
	assert_int_equal(store_find_user(world->store, world->pool, &operator, foreign, &user), RESULT_OK);
	assert_int_equal(store_remove_user(world->store, &owner, own, &refusal), RESULT_OK);
}

static bool
set_role(void *role, struct user_settings *settings)
{
	settings->role = *(enum role *)role;
	return true;
}

static bool
set_campaigns(void *campaigns, struct user_settings *settings)
{
	settings->campaigns = slice_of(campaigns);
	return true;
}

/* docs/users.md 2: a manager cannot grant rights that it does not have. */
static void
no_manager_gives_what_it_lacks(void **state UNUSED)
{
	enum role role = ROLE_OWNER;
	uint64_t count;
	const struct user_manager key = {
		.account_id = world->account, .rights = RIGHTS_VIEWER | RIGHT_ACCOUNT, .users_max = 2
	};
	add(&key, world->account, "bob@example.org", ROLE_EDITOR, NULL);
	assert_int_equal(refusal, USER_BEYOND_RIGHTS);
	const uint64_t viewer = add(&key, world->account, "bob@example.org", ROLE_VIEWER, NULL);
	assert_int_equal(edit(&key, viewer, set_role, &role), RESULT_REFUSED);
	assert_int_equal(refusal, USER_BEYOND_RIGHTS);
	/* nor can it manage a user with more rights */
	const uint64_t owner = add_by_shell(world->account, "eve@example.org", ROLE_OWNER);
	const struct new_invitation link = new_link();
	role = ROLE_VIEWER;
	assert_int_equal(edit(&key, owner, set_role, &role), RESULT_REFUSED);
	assert_int_equal(store_reset_user(world->store, &key, owner, RESET_PASSWORD, &link, &refusal), RESULT_REFUSED);
	assert_int_equal(store_remove_user(world->store, &key, owner, &refusal), RESULT_REFUSED);
	assert_int_equal(store_log_out_user(world->store, &key, owner, &count, &refusal), RESULT_REFUSED);
	assert_int_equal(refusal, USER_BEYOND_RIGHTS);
	assert_int_equal(find(owner).settings.role, ROLE_OWNER);
}

static void
no_manager_gives_other_campaigns(void **state UNUSED)
{
	const char *own = text_of(world->campaign), *other = text_of(add_campaign(world));
	struct user_manager key = owner_of(world->account);
	key.campaigns = slice_of(own);
	add(&key, world->account, "bob@example.org", ROLE_VIEWER, NULL);
	assert_int_equal(refusal, USER_BEYOND_RIGHTS);
	add(&key, world->account, "bob@example.org", ROLE_VIEWER, other);
	assert_int_equal(refusal, USER_BEYOND_RIGHTS);
	const uint64_t id = add(&key, world->account, "bob@example.org", ROLE_VIEWER, own);
	assert_int_not_equal(id, 0);
	assert_int_equal(edit(&key, id, set_campaigns, NULL), RESULT_REFUSED);
	assert_int_equal(edit(&key, id, set_campaigns, (void *)(uintptr_t)other), RESULT_REFUSED);
	assert_int_equal(edit(&user_manager_shell, id, set_campaigns, (void *)(uintptr_t)other), RESULT_OK);
	assert_slice(find(id).settings.campaigns, other);
	assert_int_equal(store_remove_user(world->store, &key, id, &refusal), RESULT_REFUSED);
}

/* docs/users.md 2: the last operator cannot be removed or disabled over HTTP. */
static void
the_last_operator_stays(void **state UNUSED)
{
	const uint64_t one = add_by_shell(0, "one@example.org", ROLE_OPERATOR),
		       two = add_by_shell(0, "two@example.org", ROLE_OPERATOR);
	assert_int_equal(store_disable_user(world->store, &operator, one, &refusal), RESULT_OK);
	assert_int_equal(store_disable_user(world->store, &operator, two, &refusal), RESULT_REFUSED);
	assert_int_equal(refusal, USER_LAST_OPERATOR);
	assert_int_equal(store_remove_user(world->store, &operator, two, &refusal), RESULT_REFUSED);
	assert_int_equal(refusal, USER_LAST_OPERATOR);
	assert_int_equal(store_enable_user(world->store, &operator, one, &refusal), RESULT_OK);
	assert_int_equal(store_remove_user(world->store, &operator, two, &refusal), RESULT_OK);
	assert_int_equal(store_remove_user(world->store, &user_manager_shell, one, &refusal), RESULT_OK);
}

static uint64_t both[2];

static bool
remove_the_other(struct store *store, const struct world *w UNUSED, unsigned index)
{
	enum user_refusal why;
	const enum result result = store_remove_user(store, &operator, both[index], &why);
	return result == RESULT_OK || (result == RESULT_REFUSED && why == USER_LAST_OPERATOR);
}

static void
two_operators_do_not_remove_each_other(void **state UNUSED)
{
	both[0] = add_by_shell(0, "one@example.org", ROLE_OPERATOR);
	both[1] = add_by_shell(0, "two@example.org", ROLE_OPERATOR);
	processes_start(world, 2, remove_the_other);
	assert_true(processes_end());
	assert_int_equal(root_number("SELECT COUNT(*) FROM t_users"), 1);
}

static bool
refuse_all(void *ignored UNUSED, struct user_settings *settings UNUSED)
{
	return false;
}

static void
an_edit_may_refuse(void **state UNUSED)
{
	enum role role = ROLE_OPERATOR;
	const uint64_t id = add_by_shell(world->account, "eve@example.org", ROLE_VIEWER);
	assert_int_equal(edit(&user_manager_shell, id, refuse_all, NULL), RESULT_REFUSED);
	assert_int_equal(refusal, USER_REFUSED);
	assert_int_equal(edit(&user_manager_shell, id, set_role, &role), RESULT_REFUSED);
	assert_int_equal(refusal, USER_WRONG_ROLE);
}

static void
users_are_listed_by_account(void **state UNUSED)
{
	struct user_row *users;
	size_t count;
	const uint64_t first = add_by_shell(world->account, "a@example.org", ROLE_OWNER),
		       second = add_by_shell(world->account, "b@example.org", ROLE_VIEWER);
	add_by_shell(0, "root@example.org", ROLE_OPERATOR);
	assert_int_equal(
	    store_list_users(world->store, world->pool, world->account, (struct list_part){ 0, 10 }, &users, &count),
	    RESULT_OK);
	assert_int_equal(count, 2);
	assert_int_equal(users[0].id, first);
	assert_int_equal(users[1].id, second);
	assert_int_equal(
	    store_list_users(world->store, world->pool, world->account, (struct list_part){ first, 10 }, &users, &count),
	    RESULT_OK);
	assert_int_equal(count, 1);
	assert_int_equal(
	    store_list_users(world->store, world->pool, 0, (struct list_part){ 0, 10 }, &users, &count), RESULT_OK);
	assert_int_equal(count, 3);
	assert_int_equal(users[2].account_id, 0);
	assert_int_equal(store_list_users(world->store, world->pool, 0, (struct list_part){ 0, 2 }, &users, &count), RESULT_OK);
	assert_int_equal(count, 2);
}

static void
open_session_of(uint64_t id, unsigned char byte)
{
	root_run("INSERT INTO t_sessions (hash, user_id, created_ms, last_used_ms, confirmed_ms) SELECT REPEAT(CHAR(%d), 32), "
		 "%" PRIu64 ", n, n, n FROM (SELECT UNIX_TIMESTAMP() * 1000 AS n) t",
	    byte, id);
	root_run("INSERT INTO t_recovery_codes (user_id, hash) VALUES (%" PRIu64 ", REPEAT(CHAR(%d), 32))", id, byte);
}

static void
nothing_of_a_removed_account_is_left(void **state UNUSED)
{
	struct store *store = world->store;
	const uint64_t own = add_by_shell(world->account, "a@example.org", ROLE_OWNER),
		       root = add_by_shell(0, "root@example.org", ROLE_OPERATOR);
	root_run("DELETE FROM t_recovery_codes");
	open_session_of(own, 1);
	open_session_of(root, 2);
	assert_int_equal(store_remove_account(store, world->account), RESULT_OK);
	static const char *const tables[] = { "users", "sessions", "invitations", "recovery_codes" };
	for (size_t i = 0; i < ARRAY_SIZE(tables); i++)
		assert_int_equal(root_number("SELECT COUNT(*) FROM t_%s", tables[i]), 1);
	assert_int_equal(store_remove_user(store, &user_manager_shell, root, &refusal), RESULT_OK);
	for (size_t i = 0; i < ARRAY_SIZE(tables); i++)
		assert_int_equal(root_number("SELECT COUNT(*) FROM t_%s", tables[i]), 0);
}

/* A row that was changed by hand gives no rights. */
static void
a_session_of_a_user_without_an_account(void **state UNUSED)
{
	const struct session_limits limits = { HOUR_MS, HOUR_MS };
	unsigned char hash[32];
	struct session session;
	const uint64_t id = add_by_shell(world->account, "a@example.org", ROLE_OWNER);
	memset(hash, 3, sizeof(hash));
	open_session_of(id, 3);
	assert_int_equal(store_find_session(world->store, world->pool, hash, &limits, &session), RESULT_OK);
	assert_int_equal(store_suspend_account(world->store, world->account), RESULT_OK);
	assert_int_equal(store_find_session(world->store, world->pool, hash, &limits, &session), RESULT_OK);
	assert_true(session.account_suspended);
	root_run("UPDATE t_users SET account_id = NULL");
	assert_int_equal(store_find_session(world->store, world->pool, hash, &limits, &session), RESULT_NOT_FOUND);
	root_run("UPDATE t_users SET role = 99, account_id = %" PRIu64, world->account);
	assert_int_equal(store_find_session(world->store, world->pool, hash, &limits, &session), RESULT_OK);
	assert_int_equal(session.role, ROLE_VIEWER);
}

static void
what_has_ended_is_cleaned_up(void **state UNUSED)
{
	const uint64_t id = add_by_shell(world->account, "a@example.org", ROLE_OWNER);
	add_by_shell(world->account, "b@example.org", ROLE_OWNER);
	root_run("DELETE FROM t_login_attempts");
	root_run("DELETE FROM t_recovery_codes");
	open_session_of(id, 1);
	open_session_of(id, 2);
	root_run("UPDATE t_sessions SET created_ms = created_ms - 86500000 WHERE hash = REPEAT(CHAR(1), 32)");
	root_run("UPDATE t_invitations SET expires_ms = expires_ms - 3700000 WHERE user_id = %" PRIu64, id);
	root_run(
	    "INSERT INTO t_login_attempts VALUES ('a', 9, (UNIX_TIMESTAMP() - 86500) * 1000), ('b', 9, (UNIX_TIMESTAMP() - "
	    "86300) * 1000)");
	assert_int_equal(store_clean_up(world->store), RESULT_OK);
	assert_int_equal(root_number("SELECT COUNT(*) FROM t_sessions"), 1);
	assert_int_equal(root_number("SELECT COUNT(*) FROM t_invitations"), 1);
	assert_int_equal(root_number("SELECT COUNT(*) FROM t_login_attempts"), 1);
}

#define USER_TEST(name) cmocka_unit_test_setup_teardown(name, begin, world_close)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		USER_TEST(a_user_is_added),
		USER_TEST(what_does_not_fit_is_refused),
		USER_TEST(an_owner_sees_its_own_account),
		USER_TEST(no_manager_gives_what_it_lacks),
		USER_TEST(no_manager_gives_other_campaigns),
		USER_TEST(the_last_operator_stays),
		USER_TEST(two_operators_do_not_remove_each_other),
		USER_TEST(an_edit_may_refuse),
		USER_TEST(users_are_listed_by_account),
		USER_TEST(nothing_of_a_removed_account_is_left),
		USER_TEST(a_session_of_a_user_without_an_account),
		USER_TEST(what_has_ended_is_cleaned_up),
	};
	return WORLD_MAIN(tests);
}
