/* SPDX-License-Identifier: MIT
 * The lock file (docs/deliveries.md 4, several dispatchers; 6, cron). */
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "captured_log.h"
#include "deliver/lock.h"

static char folder[] = "/tmp/leadhook-lock-XXXXXX";
static char path[64];

static const unsigned char owner[LOCK_OWNER_SIZE] = "0123456789abcde";

static int
make_folder(void **state UNUSED)
{
	if (mkdtemp(folder) == NULL)
		return -1;
	snprintf(path, sizeof(path), "%s/lock", folder);
	return 0;
}

static int
remove_folder(void **state UNUSED)
{
	unlink(path);
	return rmdir(folder);
}

static int
remove_file(void **state UNUSED)
{
	unlink(path);
	return 0;
}

static void
only_one_process_gets_the_lock(void **state UNUSED)
{
	struct lock *first = NULL, *second = NULL;
	assert_int_equal(lock_take(path, &first), RESULT_OK);
	assert_int_equal(lock_take(path, &second), RESULT_CONFLICT);
	assert_null(second);
	lock_free(&first);
	assert_int_equal(lock_take(path, &second), RESULT_OK);
	lock_free(&second);
}

static void
the_next_owner_gets_the_previous_id(void **state UNUSED)
{
	struct lock *lock = NULL;
	unsigned char found[LOCK_OWNER_SIZE];
	assert_int_equal(lock_take(path, &lock), RESULT_OK);
	assert_false(lock_previous_owner(lock, found));
	lock_set_owner(lock, owner);
	lock_free(&lock); /* as the kernel does for a killed process */
	assert_int_equal(lock_take(path, &lock), RESULT_OK);
	assert_true(lock_previous_owner(lock, found));
	assert_memory_equal(found, owner, sizeof(owner));
	lock_free(&lock);
}

static void
a_clean_exit_leaves_no_id(void **state UNUSED)
{
	struct lock *lock = NULL;
	unsigned char found[LOCK_OWNER_SIZE];
	assert_int_equal(lock_take(path, &lock), RESULT_OK);
	lock_set_owner(lock, owner);
	lock_clear_owner(lock);
	lock_free(&lock);
	assert_int_equal(lock_take(path, &lock), RESULT_OK);
	assert_false(lock_previous_owner(lock, found));
	lock_free(&lock);
}

static void
a_torn_file_has_no_id(void **state UNUSED)
{
	static const char *const texts[] = { "", "0123", "30313233343536373839616263646" };
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct lock *lock = NULL;
		unsigned char found[LOCK_OWNER_SIZE];
		FILE *file = fopen(path, "w");
		assert_non_null(file);
		assert_true(fputs(texts[i], file) >= 0);
		fclose(file);
		assert_int_equal(lock_take(path, &lock), RESULT_OK);
		assert_false(lock_previous_owner(lock, found));
		lock_free(&lock);
	}
}

/* A mistyped path must not destroy a file. */
static void
another_file_is_left_alone(void **state UNUSED)
{
	static const char *const texts[] = { "[database]\nsocket = /run/mysqld/mysqld.sock\n", "4711 and no more\n", "4711\n",
		"30313233343536373839616263646500\n0" };
	struct lock *lock = NULL;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		char found[64] = "";
		FILE *file = fopen(path, "w");
		assert_non_null(file);
		assert_true(fputs(texts[i], file) >= 0);
		fclose(file);
		assert_int_equal(lock_take(path, &lock), RESULT_FAILED);
		assert_null(lock);
		file = fopen(path, "r");
		assert_non_null(file);
		assert_int_equal(fread(found, 1, sizeof(found) - 1, file), strlen(texts[i]));
		fclose(file);
		assert_string_equal(found, texts[i]);
	}
	unlink(path);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(lock_take(path, &lock), RESULT_FAILED);
	assert_null(lock);
}

/* Takes a lock that cannot be taken, and returns what was logged. */
static const char *
log_of_failure(const char *at)
{
	struct lock *lock = NULL;
	capture_log();
	enum result result = lock_take(at, &lock);
	const char *log = captured_log();
	assert_int_equal(result, RESULT_FAILED);
	assert_null(lock);
	assert_int_equal(count_in(log, " error test["), 1);
	return log;
}

static void
a_missing_folder_is_logged(void **state UNUSED)
{
	const char *log = log_of_failure("/nonexistent/leadhook/lock");
	assert_non_null(strstr(log, " cannot_lock path=/nonexistent/leadhook/lock error=\"No such file or directory\""));
	assert_non_null(strstr(log, " hint=\"make the directory, or set dispatch.lock_file\""));
}

/* Root has all permissions: runs as another user then. */
static const char *
log_of_failure_as_unprivileged(void)
{
	enum { UNPRIVILEGED = 65534 };
	uid_t account = geteuid();
	if (account == 0)
		assert_int_equal(seteuid(UNPRIVILEGED), 0);
	const char *log = log_of_failure(path);
	assert_int_equal(seteuid(account), 0);
	return log;
}

/* After a run as root the file belongs to root. */
static void
a_file_of_another_account_is_logged(void **state UNUSED)
{
	struct lock *lock = NULL;
	assert_int_equal(lock_take(path, &lock), RESULT_OK);
	lock_free(&lock);
	assert_int_equal(chmod(folder, 0755), 0);
	assert_int_equal(chmod(path, 0), 0);
	const char *log = log_of_failure_as_unprivileged();
	assert_non_null(strstr(log, " hint=\"remove the file, or run as the account that it belongs to\""));
	unlink(path);
	assert_int_equal(chmod(folder, 0555), 0);
	log = log_of_failure_as_unprivileged();
	assert_non_null(strstr(log, " hint=\"let this account write to the directory, or set dispatch.lock_file\""));
	assert_int_equal(chmod(folder, 0700), 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(only_one_process_gets_the_lock, remove_file),
		cmocka_unit_test_teardown(the_next_owner_gets_the_previous_id, remove_file),
		cmocka_unit_test_teardown(a_clean_exit_leaves_no_id, remove_file),
		cmocka_unit_test_teardown(a_torn_file_has_no_id, remove_file),
		cmocka_unit_test_teardown(another_file_is_left_alone, remove_file),
		cmocka_unit_test(a_missing_folder_is_logged),
		cmocka_unit_test_teardown(a_file_of_another_account_is_logged, remove_file),
	};
	return cmocka_run_group_tests_name("deliver/lock", tests, make_folder, remove_folder);
}
