/* SPDX-License-Identifier: MIT
 * A process that ends because of a defect logs the place, the reason and its current work (leadhook-fcgi(8), DIAGNOSTICS). */
#ifndef LEADHOOK_DEBUG
#define LEADHOOK_DEBUG /* enables the checks of this file in every build */
#endif

#include "own_process.h"

#include <signal.h>
#include <string.h>

#include "base/panic.h"
#include "base/pool.h"
#include "captured_log.h"
#include "os/crash.h"

static char note_path[] = "/tmp/leadhook-note-XXXXXX";

/* Resets the log state of the process. */
static void
begin(void)
{
	for (int number = 1; number < SIGRTMIN; number++)
		signal(number, SIG_DFL);
	crash_log_signals();
	crash_note_to(open(note_path, O_WRONLY | O_APPEND));
}

static void
panics(void)
{
	begin();
	log_work(LOG_STR("request", "0123abcd"));
	panic("the sky falls");
}

static void
crashes(void)
{
	begin();
	log_work(LOG_UINT("delivery", 123));
	raise(SIGSEGV);
}

static void
crashes_idle(void)
{
	begin();
	log_work(LOG_UINT("delivery", 123));
	log_work_done();
	raise(SIGFPE);
}

static void
exhausts_memory(void)
{
	begin();
	log_work(LOG_BYTES("request", SLICE("0123abcd")));
	memory_exhausted();
}

static void
the_signal_is_logged_and_ends_the_process(void **state)
{
	static const struct {
		void (*body)(void);
		int number;
		const char *logged, *noted;
	} cases[] = {
		{ panics, SIGABRT, " what=\"the sky falls\" request=0123abcd\n", "request=0123abcd\n" },
		{ crashes, SIGSEGV, "] crashed signal=11 delivery=123\n", "delivery=123\n" },
		{ crashes_idle, SIGFPE, "] crashed signal=8\n", "" },
		{ exhausts_memory, SIGABRT, " what=\"out of memory\" request=0123abcd\n", "request=0123abcd\n" },
	};
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char noted[100] = "";
		int note = mkstemp(note_path);
		capture_log();
		int status = own_process(cases[i].body);
		const char *log = captured_log();
		assert_true(WIFSIGNALED(status) && WTERMSIG(status) == cases[i].number);
		assert_non_null(strstr(log, cases[i].logged));
		assert_ptr_equal(strchr(log, '\n'), log + strlen(log) - 1); /* one line */
		assert_true(read(note, noted, sizeof(noted) - 1) >= 0);
		assert_string_equal(noted, cases[i].noted);
		close(note);
		unlink(note_path);
		memcpy(note_path + strlen(note_path) - 6, "XXXXXX", 6);
	}
}

static void
the_place_is_named(void **state)
{
	(void)state;
	capture_log();
	own_process(panics);
	const char *log = captured_log();
	assert_non_null(strstr(log, " error test["));
	assert_non_null(strstr(log, " panic file="));
	assert_non_null(strstr(log, "test_crash.c line="));
}

static void
end_quietly(int number UNUSED)
{
	_exit(3);
}

static void
panics_beside_a_handler(void)
{
	signal(SIGABRT, end_quietly);
	crash_log_signals();
	panic("the sky falls");
}

static void
panics_unlogged(void)
{
	signal(SIGABRT, end_quietly);
	MUST(dup2(open(note_path, O_WRONLY), STDERR_FILENO) >= 0);
	panic("the sky falls");
}

/* Sanitizers and fuzzers have a handler of SIGABRT, which does not know the reason. */
static void
a_panic_is_reported_beside_another_handler(void **state)
{
	char noted[200] = "";
	(void)state;
	capture_log();
	(void)own_process(panics_beside_a_handler);
	assert_non_null(strstr(captured_log(), " what=\"the sky falls\"\n"));
	const int note = mkstemp(note_path);
	assert_int_equal(WEXITSTATUS(own_process(panics_unlogged)), 3);
	assert_true(read(note, noted, sizeof(noted) - 1) > 0);
	assert_non_null(strstr(noted, ": the sky falls\n"));
	close(note);
	unlink(note_path);
	memcpy(note_path + strlen(note_path) - 6, "XXXXXX", 6);
}

static void
breaks_a_precondition(void)
{
	size_t count = 3;
	begin();
	log_work(LOG_STR("request", "0123abcd"));
	require(count == 3);
	require(count <= 2);
}

/* HACKING, "Building and testing": failed checks. */
static void
a_failed_check_ends_the_process(void **state)
{
	(void)state;
	capture_log();
	int status = own_process(breaks_a_precondition);
	const char *log = captured_log();
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
	assert_non_null(strstr(log, " panic file="));
	assert_non_null(strstr(log, "test_crash.c line="));
	assert_non_null(strstr(log, " what=\"count <= 2\" request=0123abcd\n"));
}

/* docs/operating.md: each log line about a request or a delivery contains its id once. */
static void
lines_have_the_current_work(void **state)
{
	(void)state;
	capture_log();
	log_work(LOG_UINT("delivery", 5));
	log_info("other", LOG_STR("webhook", "7"));
	log_info("own", LOG_UINT("delivery", 6));
	log_work_done();
	log_info("idle", LOG_UINT("n", 1));
	const char *log = captured_log();
	assert_non_null(strstr(log, " other webhook=7 delivery=5\n"));
	assert_non_null(strstr(log, " own delivery=6\n"));
	assert_non_null(strstr(log, " idle n=1\n"));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_signal_is_logged_and_ends_the_process),
		cmocka_unit_test(the_place_is_named),
		cmocka_unit_test(a_panic_is_reported_beside_another_handler),
		cmocka_unit_test(a_failed_check_ends_the_process),
		cmocka_unit_test(lines_have_the_current_work),
	};
	return cmocka_run_group_tests_name("os/crash", tests, NULL, NULL);
}
