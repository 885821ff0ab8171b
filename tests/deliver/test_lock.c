/* SPDX-License-Identifier: MIT
 * The lock file (docs/deliveries.md 4, several dispatchers; 6, cron). */
#include "unit.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "captured_log.h"
#include "deliver/lock.h"
#include "os/clock.h"

static char folder[] = "/tmp/leadhook-lock-XXXXXX";
static char path[64];

enum { PLACES = 4 };

static const unsigned char owner[DISPATCH_OWNER_SIZE] = "0123456789abcde";

static struct lock *
take(size_t places)
{
	struct lock *lock = NULL;
	assert_int_equal(lock_take(path, places, &lock), RESULT_OK);
	return lock;
}

static void
write_file(const void *bytes, size_t size)
{
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, size, file), size);
	fclose(file);
}

static size_t
read_file(unsigned char *bytes, size_t capacity)
{
	FILE *file = fopen(path, "r");
	assert_non_null(file);
	const size_t size = fread(bytes, 1, capacity, file);
	fclose(file);
	return size;
}

/* The number of attempts in earlier schedules: the fifth attempt is the first of the second schedule. */
static unsigned
attempts_before(unsigned attempt)
{
	return attempt > 4 ? 4 : 0;
}

static void
note_attempt(struct lock *lock, size_t place, uint64_t id, unsigned attempt)
{
	lock_note_attempt(
	    lock, place, &(struct due_delivery){ .id = id, .attempt = attempt, .attempts_before = attempts_before(attempt) });
}

/* A dispatcher with `places` is killed while these deliveries are under way; 0: there is none in that place. */
static void
kill_with(size_t places, const uint64_t *ids, size_t count)
{
	struct lock *lock = take(places);
	lock_set_owner(lock, owner);
	for (size_t i = 0; i < count; i++)
		if (ids[i] != 0)
			note_attempt(lock, i, ids[i], (unsigned)ids[i] % 10);
	lock_free(&lock); /* releases the lock, as the kernel does for a killed process */
}

/* Asserts that the dead dispatcher left these deliveries, in this order. */
static void
assert_left(const struct lock *lock, const uint64_t *ids, size_t count)
{
	const struct lock_previous *previous = lock_previous(lock);
	assert_non_null(previous);
	assert_memory_equal(previous->owner, owner, sizeof(owner));
	assert_int_equal(previous->count, count);
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(previous->under_way[i].id, ids[i]);
		assert_int_equal(previous->under_way[i].attempt, ids[i] % 10);
		assert_int_equal(previous->under_way[i].attempts_before, attempts_before((unsigned)ids[i] % 10));
	}
}

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
	struct lock *first = take(PLACES), *second = NULL;
	assert_int_equal(lock_take(path, PLACES, &second), RESULT_CONFLICT);
	assert_null(second);
	lock_free(&first);
	second = take(PLACES);
	lock_free(&second);
}

static void
a_killed_dispatcher_leaves_what_was_under_way(void **state UNUSED)
{
	static const uint64_t ids[] = { 41, 0, 52 }, left[] = { 41, 52 };
	struct lock *lock = take(PLACES);
	assert_null(lock_previous(lock));
	lock_free(&lock);
	kill_with(PLACES, ids, ARRAY_SIZE(ids));
	lock = take(PLACES);
	assert_left(lock, left, ARRAY_SIZE(left));
	lock_free(&lock);
	lock = take(PLACES); /* this dispatcher did nothing */
	assert_left(lock, left, ARRAY_SIZE(left));
	lock_set_owner(lock, (const unsigned char *)"the next one is.");
	assert_null(lock_previous(lock));
	lock_free(&lock);
	lock = take(PLACES);
	assert_non_null(lock_previous(lock));
	assert_memory_equal(lock_previous(lock)->owner, "the next one is.", DISPATCH_OWNER_SIZE);
	assert_int_equal(lock_previous(lock)->count, 0);
	lock_free(&lock);
}

static void
recorded_deliveries_are_not_left(void **state UNUSED)
{
	static const uint64_t left[] = { 52, 73 };
	struct lock *lock = take(PLACES);
	lock_set_owner(lock, owner);
	note_attempt(lock, 0, 41, 1);
	note_attempt(lock, 3, 52, 2);
	lock_note_recorded(lock, 0);
	note_attempt(lock, 0, 63, 3);
	lock_note_recorded(lock, 0);
	lock_note_recorded(lock, 1); /* this place was never used */
	note_attempt(lock, 2, 52, 2);
	lock_note_recorded(lock, 2);
	note_attempt(lock, 3, 73, 3);
	note_attempt(lock, 1, 52, 2);
	lock_free(&lock);
	lock = take(PLACES);
	assert_left(lock, left, ARRAY_SIZE(left));
	lock_free(&lock);
}

static void
a_clean_exit_leaves_nothing(void **state UNUSED)
{
	struct lock *lock = take(PLACES);
	lock_set_owner(lock, owner);
	note_attempt(lock, 1, 41, 1);
	lock_clear_owner(lock);
	lock_free(&lock);
	lock = take(PLACES);
	assert_null(lock_previous(lock));
	lock_set_owner(lock, owner); /* the old note does not belong to this dispatcher */
	lock_free(&lock);
	lock = take(PLACES);
	assert_left(lock, NULL, 0);
	lock_free(&lock);
}

/* A kill may leave any prefix of the writes of an operation: whatever one place contains, the others can be read. */
static void
a_kill_between_two_writes_loses_nothing_else(void **state UNUSED)
{
	static const uint64_t ids[] = { 41, 52, 63 };
	unsigned char before[1024], after[1024];
	kill_with(PLACES, ids, ARRAY_SIZE(ids));
	const size_t size = read_file(before, sizeof(before));
	struct lock *lock = take(PLACES);
	note_attempt(lock, 1, 74, 4);
	lock_free(&lock);
	assert_int_equal(read_file(after, sizeof(after)), size);
	for (size_t i = 0; i < size; i++) {
		if (before[i] == after[i])
			continue;
		/* the attempt is written first: a kill after that leaves a number that is not the delivery's next attempt, and
		 * it does not count */
		unsigned char between[1024];
		memcpy(between, before, size);
		between[i] = after[i];
		write_file(between, size);
		lock = take(PLACES);
		const struct lock_previous *previous = lock_previous(lock);
		assert_non_null(previous);
		assert_int_equal(previous->count, 3);
		assert_int_equal(previous->under_way[0].id, 41);
		assert_int_equal(previous->under_way[2].id, 63);
		assert_true(previous->under_way[1].id == 52 ? previous->under_way[1].attempt == 4
							    : previous->under_way[1].attempt == 2);
		lock_free(&lock);
	}
}

/* Its process was killed while it created the file. */
static void
a_file_without_content_is_new(void **state UNUSED)
{
	static const char zeros[4096];
	for (size_t size = 0; size <= sizeof(zeros); size = size * 2 + 1) {
		write_file(zeros, size);
		struct lock *lock = take(PLACES);
		assert_null(lock_previous(lock));
		lock_free(&lock);
	}
}

/* The number of places changes with dispatch.in_flight. */
static void
the_number_of_places_may_change(void **state UNUSED)
{
	static const uint64_t many[] = { 11, 22, 33, 44, 55, 66, 77, 88 };
	kill_with(ARRAY_SIZE(many), many, ARRAY_SIZE(many));
	struct lock *lock = take(2);
	assert_left(lock, many, ARRAY_SIZE(many));
	lock_set_owner(lock, owner);
	note_attempt(lock, 1, 22, 2);
	lock_free(&lock);
	lock = take(1000);
	assert_left(lock, many + 1, 1);
	lock_set_owner(lock, owner);
	note_attempt(lock, 999, 99, 9);
	lock_free(&lock);
	lock = take(1);
	assert_left(lock, (const uint64_t[]){ 99 }, 1);
	lock_free(&lock);
}

/* A mistyped path must not destroy a file. */
static void
another_file_is_left_alone(void **state UNUSED)
{
	static const char *const texts[] = { "[database]\nsocket = /run/mysqld/mysqld.sock\n", "4711 and no more\n", "4711\n",
		"30313233343536373839616263646500\n0", "leadhook-dispatch lock 1", "leadhook-dispatch lock 2\n" };
	struct lock *lock = NULL;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		unsigned char found[64];
		write_file(texts[i], strlen(texts[i]));
		assert_int_equal(lock_take(path, PLACES, &lock), RESULT_FAILED);
		assert_null(lock);
		assert_int_equal(read_file(found, sizeof(found)), strlen(texts[i]));
		assert_memory_equal(found, texts[i], strlen(texts[i]));
	}
	unlink(path);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(lock_take(path, PLACES, &lock), RESULT_FAILED);
	assert_null(lock);
}

/* ---- what another process sees ---- */

static void
assert_under_way(const uint64_t *ids, size_t count)
{
	struct pool *pool = pool_new();
	const struct id_set found = lock_read(pool, path).under_way;
	assert_int_equal(found.count, count);
	for (size_t i = 0; i < count; i++)
		assert_int_equal(found.ids[i], ids[i]);
	pool_free(&pool);
}

static void
others_see_what_is_under_way(void **state UNUSED)
{
	static const uint64_t first[] = { 41, 52 }, second[] = { 52 };
	assert_under_way(NULL, 0); /* no file */
	struct lock *lock = take(PLACES);
	assert_under_way(NULL, 0);
	lock_set_owner(lock, owner);
	note_attempt(lock, 0, 52, 1);
	note_attempt(lock, 2, 41, 1);
	assert_under_way(first, ARRAY_SIZE(first));
	lock_note_recorded(lock, 2);
	assert_under_way(second, ARRAY_SIZE(second));
	/* no process has the lock: nothing is under way, but the leases still belong to its owner */
	lock_free(&lock);
	assert_under_way(NULL, 0);
	struct pool *pool = pool_new();
	const struct slice seen = lock_read(pool, path).owner;
	assert_int_equal(seen.size, sizeof(owner));
	assert_memory_equal(seen.data, owner, sizeof(owner));
	pool_free(&pool);
}

/* Other processes see whether a dispatcher is running. */
static void
starts_and_ends_are_seen(void **state UNUSED)
{
	struct pool *pool = pool_new();
	assert_false(lock_read(pool, path).is_running); /* no file */
	struct lock *lock = take(PLACES);
	assert_true(lock_read(pool, path).is_running);
	lock_free(&lock);
	assert_false(lock_read(pool, path).is_running);
	pool_free(&pool);
}

static void
nothing_is_under_way_in_another_file(void **state UNUSED)
{
	write_file("any", 3);
	assert_under_way(NULL, 0);
	unlink(path);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_under_way(NULL, 0);
}

/* ---- what is logged ---- */

/* Takes a lock that cannot be taken, and returns what was logged. */
static const char *
log_of_failure(const char *at)
{
	struct lock *lock = NULL;
	capture_log();
	enum result result = lock_take(at, PLACES, &lock);
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

/* As root, which has all permissions, it runs as another user. */
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

/* After a run as root, the file belongs to root. */
static void
a_file_of_another_account_is_logged(void **state UNUSED)
{
	struct lock *lock = take(PLACES);
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

/* leadhook.conf(5), lock_file: its owner could hold the lock, and truncate the mapped file. */
static void
a_file_that_another_account_could_put_there_is_refused(void **state UNUSED)
{
	enum { OTHER = 65534 };
	const uint64_t ids[] = { 7 };
	struct lock *lock = NULL;
	if (geteuid() != 0)
		skip();
	kill_with(PLACES, ids, ARRAY_SIZE(ids));
	assert_int_equal(chown(path, OTHER, OTHER), 0);
	lock = take(PLACES); /* only root can have given the file to another user */
	lock_free(&lock);
	assert_int_equal(chmod(folder, 0777), 0);
	capture_log();
	const enum result result = lock_take(path, PLACES, &lock);
	const char *log = captured_log();
	assert_int_equal(result, RESULT_FAILED);
	assert_null(lock);
	assert_non_null(strstr(log, " hint=\"remove the file, or run as the account that it belongs to\""));
	struct pool *pool = pool_new();
	assert_false(slice_present(lock_read(pool, path).owner));
	pool_free(&pool);
	assert_int_equal(chmod(folder, 0700), 0);
}

/* The file gets its full size at once, or it is refused: later, a write without space would end the process. */
static void
a_full_disk_is_logged(void **state UNUSED)
{
	const struct rlimit small = { 4096, RLIM_INFINITY };
	struct rlimit before;
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	signal(SIGXFSZ, SIG_IGN);
	capture_log(); /* opened before the limit is set */
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	struct lock *lock = NULL;
	const enum result result = lock_take(path, 10000, &lock);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	const char *log = captured_log();
	assert_int_equal(result, RESULT_FAILED);
	assert_null(lock);
	assert_non_null(strstr(log, " cannot_lock path="));
	assert_non_null(strstr(log, " error=\"File too large\""));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(only_one_process_gets_the_lock, remove_file),
		cmocka_unit_test_teardown(a_killed_dispatcher_leaves_what_was_under_way, remove_file),
		cmocka_unit_test_teardown(recorded_deliveries_are_not_left, remove_file),
		cmocka_unit_test_teardown(a_clean_exit_leaves_nothing, remove_file),
		cmocka_unit_test_teardown(a_kill_between_two_writes_loses_nothing_else, remove_file),
		cmocka_unit_test_teardown(a_file_without_content_is_new, remove_file),
		cmocka_unit_test_teardown(the_number_of_places_may_change, remove_file),
		cmocka_unit_test_teardown(others_see_what_is_under_way, remove_file),
		cmocka_unit_test_teardown(starts_and_ends_are_seen, remove_file),
		cmocka_unit_test_teardown(nothing_is_under_way_in_another_file, remove_file),
		cmocka_unit_test_teardown(a_full_disk_is_logged, remove_file),
		cmocka_unit_test_teardown(another_file_is_left_alone, remove_file),
		cmocka_unit_test(a_missing_folder_is_logged),
		cmocka_unit_test_teardown(a_file_of_another_account_is_logged, remove_file),
		cmocka_unit_test_teardown(a_file_that_another_account_could_put_there_is_refused, remove_file),
	};
	return cmocka_run_group_tests_name("deliver/lock", tests, make_folder, remove_folder);
}
