/* SPDX-License-Identifier: MIT
 * Roles of users and their random secrets (docs/users.md 2, 4, 5). Modules: identity/rights, identity/random_secret. */
#include "unit.h"
#include "with_pool.h"

#include "identity/random_secret.h"
#include "identity/rights.h"

static void
a_role_is_a_set_of_rights(void **state UNUSED)
{
	enum role role;
	for (unsigned i = 0; i < ROLES; i++) {
		assert_true(role_parse(role_name((enum role)i), &role));
		assert_int_equal(role, i);
	}
	assert_false(role_parse(SLICE("admin"), &role));
	assert_false(role_parse(SLICE(""), &role));
	assert_int_equal(role_rights(ROLE_OPERATOR), RIGHTS_ALL);
	assert_int_equal(role_rights(ROLE_OWNER), RIGHTS_ALL);
	assert_int_equal(role_rights(ROLE_EDITOR), RIGHTS_ALL & ~RIGHT_ACCOUNT);
	assert_int_equal(role_rights(ROLE_VIEWER), RIGHT_STATS | RIGHT_LEADS);
	assert_false(role_takes_campaigns(ROLE_OPERATOR) || role_takes_campaigns(ROLE_OWNER));
	assert_true(role_takes_campaigns(ROLE_EDITOR) && role_takes_campaigns(ROLE_VIEWER));
}

static void
tokens_are_random(void **state UNUSED)
{
	const struct slice one = secret_make(pool, SECRET_USER), other = secret_make(pool, SECRET_USER);
	const struct digest hash = secret_hash(one), again = secret_hash(one), of_other = secret_hash(other);
	assert_true(secret_well_formed(SECRET_USER, one));
	assert_false(slice_equal(one, other));
	assert_slices_equal(digest_slice(&hash), digest_slice(&again));
	assert_false(slice_equal(digest_slice(&hash), digest_slice(&of_other)));
	assert_false(secret_well_formed(SECRET_USER, slice_sub(one, 1, one.size)));
	assert_false(secret_well_formed(SECRET_USER, SLICE("")));
	assert_false(secret_well_formed(SECRET_USER, SLICE("0123456789012345678901234567890123456789 12")));
}

/* docs/users.md 5: a recovery code is accepted as people type it. */
static void
a_recovery_code_is_read_as_it_is_typed(void **state UNUSED)
{
	const struct slice code = recovery_code_make(pool);
	struct digest hash, typed;
	assert_int_equal(code.size, 27);
	assert_true(recovery_code_hash(code, &hash));
	assert_true(recovery_code_hash(pool_copy_lower(pool, code), &typed));
	assert_slices_equal(digest_slice(&typed), digest_slice(&hash));
	assert_true(
	    recovery_code_hash(pool_printf(pool, " %.6s%.6s %.13s ", code.data, code.data + 7, code.data + 14), &typed));
	assert_slices_equal(digest_slice(&typed), digest_slice(&hash));
	assert_false(recovery_code_hash(slice_sub(code, 1, code.size), &typed));
	assert_false(recovery_code_hash(pool_printf(pool, "%.*sA", SLICE_ARGS(code)), &typed));
	assert_false(recovery_code_hash(SLICE("123456"), &typed));
	assert_true(recovery_code_hash(recovery_code_make(pool), &typed));
	assert_false(slice_equal(digest_slice(&typed), digest_slice(&hash)));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_role_is_a_set_of_rights),
		cmocka_unit_test_setup_teardown(tokens_are_random, begin, end),
		cmocka_unit_test_setup_teardown(a_recovery_code_is_read_as_it_is_typed, begin, end),
	};
	return cmocka_run_group_tests_name("identity/users", tests, NULL, NULL);
}
