/* SPDX-License-Identifier: MIT
 * Hashes of passwords (docs/users.md 3). */
#include "unit.h"

#include <argon2.h>

#include "crypto/password.h"
#include "with_pool.h"

/* Computed with the reference program of RFC 9106: echo -n password | argon2 somesalt -id -t 2 -m 16 -p 1. */
#define REFERENCE "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc"

static const struct slice password = SLICE("correct horse battery");

static void
a_password_is_verified_as_it_is(void **state UNUSED)
{
	const struct slice hash = password_hash(pool, password);
	assert_true(slice_starts_with(hash, SLICE("$argon2id$v=19$m=19456,t=2,p=1$")));
	assert_true(password_verify(hash, password));
	assert_false(password_verify(hash, SLICE("correct horse batterY")));
	assert_false(password_verify(hash, SLICE("correct horse battery ")));
	assert_false(password_verify(hash, SLICE("")));
	assert_false(slice_equal(hash, password_hash(pool, password)));
}

static void
hashes_of_other_programs_are_verified(void **state UNUSED)
{
	assert_true(password_verify(SLICE(REFERENCE), SLICE("password")));
	assert_false(password_verify(SLICE(REFERENCE), SLICE("Password")));
}

/* docs/users.md 3: the next login makes a new hash. */
static void
other_parameters_are_outdated(void **state UNUSED)
{
	assert_false(password_is_outdated(password_hash(pool, password)));
	assert_true(password_is_outdated(SLICE(REFERENCE)));
	assert_true(password_is_outdated(SLICE("")));
}

/* A damaged row must not make a process request a terabyte. */
static void
texts_that_are_no_hash_fit_nothing(void **state UNUSED)
{
	static const struct slice texts[] = { SLICE(""), SLICE("$argon2id$"), SLICE("password"),
		SLICE("$argon2i$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc"),
		SLICE("$argon2id$v=19$m=4294967295,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc"),
		SLICE("$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc"
		      "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA") };
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		assert_false(password_verify(texts[i], SLICE("password")));
}

/* The dummy takes as long to verify as a real hash: libargon2 accepts it, and it has the present parameters. */
static void
the_dummy_is_a_hash(void **state UNUSED)
{
	const struct slice dummy = password_dummy();
	assert_false(password_is_outdated(dummy));
	assert_int_equal(argon2id_verify(dummy.data, "x", 1), ARGON2_VERIFY_MISMATCH);
	assert_false(password_verify(dummy, SLICE("")));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_password_is_verified_as_it_is, begin, end),
		cmocka_unit_test(hashes_of_other_programs_are_verified),
		cmocka_unit_test_setup_teardown(other_parameters_are_outdated, begin, end),
		cmocka_unit_test(texts_that_are_no_hash_fit_nothing),
		cmocka_unit_test(the_dummy_is_a_hash),
	};
	return cmocka_run_group_tests_name("crypto/password", tests, NULL, NULL);
}
