/* SPDX-License-Identifier: MIT
 * leadhook-dispatch(8): a delivery or item that crashes the dispatcher twice is ended, and the rest continues. */
#include "own_process.h"

#include <signal.h>
#include <string.h>
#include <sys/stat.h>

#include "captured_log.h"
#include "deliver/crashes.h"
#include "os/crash.h"
#include "run_dispatcher.h"

static char folder[] = "/tmp/leadhook-crashes-XXXXXX";
static char lock_path[64], path[80];

static int
open_folder(void **state)
{
	strcpy(folder + strlen(folder) - 6, "XXXXXX");
	if (mkdtemp(folder) == NULL)
		return -1;
	snprintf(lock_path, sizeof(lock_path), "%s/lock", folder);
	snprintf(path, sizeof(path), "%s.crashes", lock_path);
	return fresh_world(state);
}

static int
close_folder(void **state UNUSED)
{
	return remove_folder(folder);
}

static void
write_crashes(const char *text)
{
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	fclose(file);
}

static void
assert_crashes(const char *wanted)
{
	char text[4096] = "";
	FILE *file = fopen(path, "r");
	assert_non_null(file);
	text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
	fclose(file);
	assert_string_equal(text, wanted);
}

static enum result
run_once(void)
{
	options.crashes = crashes_open(lock_path);
	enum result result = run(NULL);
	crashes_free(&options.crashes);
	return result;
}

static void
run_to_the_crash(void)
{
	for (int number = 1; number < SIGRTMIN; number++)
		signal(number, SIG_DFL);
	crash_log_signals();
	(void)!run_once();
}

/* Runs in a child process, so that its world is lost like uncommitted changes of a database. */
static void
crash(void)
{
	int status = own_process(run_to_the_crash);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
}

static void
a_delivery_is_ended_after_two_crashes(void **state UNUSED)
{
	world_add(1, 5, 0);
	world_add(2, 5, 0);
	world.fatal = 3;
	capture_log();
	crash();
	assert_crashes("delivery=3\n");
	crash();
	assert_crashes("delivery=3\ndelivery=3\n");
	assert_int_equal(run_once(), RESULT_OK);
	assert_int_equal(world_count(1, DELIVERY_DELIVERED), 4);
	assert_int_equal(world_count(1, DELIVERY_FAILED), 1);
	assert_int_equal(world_count(2, DELIVERY_DELIVERED), 5);
	assert_crashes("");
	const char *log = captured_log();
	assert_int_equal(count_in(log, " what=poison delivery=3\n"), 2);
	assert_int_equal(count_in(log, " delivery_failed delivery=3 error=crashed crashes=2\n"), 1);
}

static void
a_bulk_item_is_skipped_after_two_crashes(void **state UNUSED)
{
	world_queue(60);
	world.bulk.fatal = 37;
	capture_log();
	world.bulk.jobs[0].position = 25; /* the items before it are committed */
	crash();
	assert_crashes("job=1\n");
	world.bulk.jobs[0].position = 36;
	crash();
	assert_crashes("job=1\njob_item=1/36\n");
	assert_int_equal(run_once(), RESULT_OK);
	assert_null(world_next_job());
	assert_int_equal(world.bulk.done[37], 0);
	assert_int_equal(world.bulk.done[36] + world.bulk.done[38], 1); /* one of them by the process that crashed */
	assert_crashes("");
	assert_int_equal(count_in(captured_log(), " bulk_item_skipped job=1 item=36 error=crashed crashes=1\n"), 1);
}

static void
a_suspected_job_runs_item_by_item(void **state UNUSED)
{
	world_queue(60);
	world_queue(30);
	write_crashes("job=2\n");
	assert_int_equal(run_once(), RESULT_OK);
	assert_null(world_next_job());
	assert_int_equal(world.bulk.chunks, 3 + 30);
	assert_crashes("job=2\n");
}

/* docs/architecture.md 6.1: it fails, and other jobs continue */
static void
a_job_of_an_operator_fails_after_two_crashes(void **state UNUSED)
{
	world_add_job(1)->fatal = true;
	world_add_job(3);
	world_queue(10); /* a bulk job with the same id */
	capture_log();
	crash();
	assert_crashes("operator_job=1\n");
	crash();
	assert_int_equal(run_once(), RESULT_OK);
	assert_true(world.operators.jobs[0].failed);
	assert_int_equal(world.operators.jobs[1].taken, 3);
	assert_null(world_next_job());
	assert_int_equal(world.bulk.chunks, 1); /* the bulk job is not a suspect */
	assert_crashes("");
	assert_int_equal(count_in(captured_log(), " job_failed operator_job=1 error=crashed crashes=2\n"), 1);
}

/* docs/architecture.md 7.3 */
static void
an_erasure_is_left_after_two_crashes(void **state UNUSED)
{
	write_crashes("erasure=18446744073709551615\nremoval=7\nerasure=18446744073709551615\n");
	capture_log();
	assert_int_equal(run_once(), RESULT_OK);
	assert_true(world.erasure_left == UINT64_MAX && world.removal_left == 0);
	assert_int_equal(world.left_ms, 24 * 60 * 60 * 1000);
	assert_crashes("removal=7\n");
	assert_int_equal(count_in(captured_log(), " erasure_failed erasure=18446744073709551615 error=crashed crashes=2\n"), 1);
	write_crashes("removal=7\nremoval=7\n");
	assert_int_equal(run_once(), RESULT_OK);
	assert_int_equal(world.removal_left, 7);
	assert_crashes("");
}

/* A bulk job and a job of an operator may have the same id. */
static void
jobs_of_both_kinds_are_separate(void **state UNUSED)
{
	world_add_job(1);
	world_add_job(1);
	world_queue(60);
	world_queue(60);
	write_crashes("job=1\noperator_job=1\noperator_job=1\noperator_job=2\n");
	assert_int_equal(run_once(), RESULT_OK);
	assert_true(world.operators.jobs[0].failed);
	assert_int_equal(world.operators.jobs[1].taken, 1);
	assert_int_equal(world.bulk.chunks, 60 + 3);
	assert_crashes("job=1\noperator_job=2\n");
}

/* Isolation needs the database, and nothing else starts before it is done. */
static void
an_outage_only_delays_it(void **state UNUSED)
{
	world_add(1, 1, 0);
	write_crashes("delivery=1\ndelivery=1\n");
	world.outage_until_ms = 10 * SECOND;
	assert_int_equal(run_once(), RESULT_OK);
	assert_int_equal(sent(1), 0);
	assert_int_equal(world_count(1, DELIVERY_FAILED), 1);
}

static void
incomplete_lines_are_ignored(void **state UNUSED)
{
	world_add(1, 2, 0);
	write_crashes("delivery=1\ndeliveries=64\nrequest=1\ndelivery\n=1\njob_item=1\ndelivery=01\ndelivery=1");
	assert_int_equal(run_once(), RESULT_OK);
	assert_int_equal(world_count(1, DELIVERY_DELIVERED), 2);
	assert_crashes("delivery=1\n");
}

/* The file has a maximum size: the oldest entries are discarded. */
static void
the_file_has_a_maximum_size(void **state UNUSED)
{
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	for (int i = 1; i <= 100; i++)
		assert_true(fprintf(file, "delivery=%d\n", i) > 0);
	fclose(file);
	assert_int_equal(run_once(), RESULT_OK);
	struct stat status;
	assert_int_equal(stat(path, &status), 0);
	assert_in_range(status.st_size, 1, 32 * sizeof("delivery=100"));
}

static void
another_file_is_left_alone(void **state UNUSED)
{
	world_add(1, 1, 0);
	write_crashes("Dear diary,\n");
	capture_log();
	assert_int_equal(run_once(), RESULT_OK);
	assert_int_equal(world_count(1, DELIVERY_DELIVERED), 1);
	assert_crashes("Dear diary,\n");
	assert_int_equal(count_in(captured_log(), " cannot_note_crashes path="), 1);
}

#define CRASH_TEST(name) cmocka_unit_test_setup_teardown(name, open_folder, close_folder)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		CRASH_TEST(a_delivery_is_ended_after_two_crashes),
		CRASH_TEST(a_bulk_item_is_skipped_after_two_crashes),
		CRASH_TEST(a_suspected_job_runs_item_by_item),
		CRASH_TEST(a_job_of_an_operator_fails_after_two_crashes),
		CRASH_TEST(an_erasure_is_left_after_two_crashes),
		CRASH_TEST(jobs_of_both_kinds_are_separate),
		CRASH_TEST(an_outage_only_delays_it),
		CRASH_TEST(incomplete_lines_are_ignored),
		CRASH_TEST(the_file_has_a_maximum_size),
		CRASH_TEST(another_file_is_left_alone),
	};
	return cmocka_run_group_tests_name("deliver/crashes", tests, NULL, NULL);
}
