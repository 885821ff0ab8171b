/* SPDX-License-Identifier: MIT
 * The default limits (docs/api.md 5), from the settings to the limiter, with a simulated clock: how many calls pass at once,
 * and how long the windows are. Modules: conf, prog/wiring, limit. */
#include "unit.h"

#include <stdlib.h>
#include <unistd.h>

#include "limit/window.h"
#include "os/clock.h"
#include "prog/wiring.h"

enum { SECOND = 1000, MINUTE = 60 * SECOND, WINDOWS = 3, OWN_LIMIT = 7 };

static int64_t now = 5000000;

int64_t __wrap_clock_monotonic_ms(void);

int64_t
__wrap_clock_monotonic_ms(void)
{
	return now;
}

static struct wiring wiring;
static struct limiter *limiter;

static int
begin(void **state UNUSED)
{
	char path[] = "test_limits.XXXXXX";
	struct buffer problems;
	buffer_init(&problems, CONF_PROBLEMS_MAX_BYTES);
	int fd = mkstemp(path); /* an empty file */
	assert_true(fd >= 0);
	close(fd);
	bool good = wiring_read(path, CONF_WITH_LISTS, &wiring, &problems);
	unlink(path);
	if (!good)
		fail_msg("%s", problems.data);
	buffer_free(&problems);
	wiring.conf->server.state_dir = ""; /* not shared with other processes */
	limiter = wiring_limiter(&wiring);
	return limiter == NULL;
}

static int
end(void **state UNUSED)
{
	limiter_close(&limiter);
	wiring_free(&wiring);
	return 0;
}

static struct limit_verdict verdict;

static bool
pass(enum limit_kind kind, const char *caller)
{
	const struct limit_claim claim = { .kind = kind, .caller = slice_of(caller), .limit = OWN_LIMIT };
	const struct limit_network network = { slice_of(caller), LIMITER_SPREAD };
	return limiter_pass(limiter, &network, &claim, 1, &verdict);
}

static unsigned
burst(enum limit_kind kind, const char *caller)
{
	unsigned count = 0;
	while (count <= LIMIT_MAX && pass(kind, caller))
		count++;
	return count;
}

/* In each window, `limit` calls pass. Calls at the beginning of a window expire when it ends, or at most a sixtieth of its
 * length later. */
static const struct {
	enum limit_kind kind;
	struct {
		unsigned limit, seconds;
	} windows[WINDOWS]; /* the windows, shortest first; without any, every call passes */
} shipped[] = {
	{ LIMIT_LOOKUPS, { { 100, 60 }, { 200, 180 }, { 300, 540 } } },
	{ LIMIT_SIGNUPS, { { 10, 60 }, { 20, 180 }, { 30, 540 } } },
	{ LIMIT_POSTS, { { 50, 60 } } },
	{ LIMIT_READINESS, { { 300, 60 } } },
	{ LIMIT_FAILED_KEYS, { { 30, 60 } } },
	{ LIMIT_NEW_LEADS, { { 0, 0 } } },
	{ LIMIT_NEW_LEADS_LOG, { { 1, 60 } } },
	{ LIMIT_BOTS_LOG, { { 1, 60 } } },
	{ LIMIT_REFUSED, { { 1, 86400 } } },
	{ LIMIT_CODES, { { 5, 3600 } } },
	{ LIMIT_LOGINS, { { 10, 60 } } },
	{ LIMIT_TEST_MAILS, { { 10, 3600 } } },
	{ LIMIT_ACCOUNT_TESTS, { { 30, 3600 } } },
	{ LIMIT_DELETES, { { 60, 60 } } },
	{ LIMIT_SEARCHES, { { 3, 3 } } },
	{ LIMIT_CHANGES, { { 10000, 3600 } } },
	{ LIMIT_INBOUND, { { 0, 0 } } },
	{ LIMIT_UNKNOWN_URLS, { { 600, 60 } } },
	{ LIMIT_ACCOUNT, { { OWN_LIMIT, 60 } } },
};

/* Calls as often as the limits permit. */
static void
the_shipped_limits_and_windows(void **state UNUSED)
{
	enum { COUNTED_ONLY = 2 }; /* LIMIT_PROOFS, LIMIT_BOTS */
	assert_int_equal(ARRAY_SIZE(shipped), LIMIT_KINDS - COUNTED_ONLY);
	for (size_t i = 0; i < ARRAY_SIZE(shipped); i++) {
		const int64_t began = now;
		unsigned before = 0;
		for (size_t k = 0; k < WINDOWS && shipped[i].windows[k].limit > 0; k++) {
			const int64_t window_ms = (int64_t)shipped[i].windows[k].seconds * 1000;
			assert_int_equal(burst(shipped[i].kind, "caller"), shipped[i].windows[k].limit - before);
			assert_int_equal(verdict.limit, shipped[i].windows[k].limit);
			before = shipped[i].windows[k].limit;
			assert_in_range(now + verdict.wait_ms, began + window_ms, began + window_ms + window_ms / WINDOW_PARTS);
			now += verdict.wait_ms - 1;
			assert_false(pass(shipped[i].kind, "caller"));
			now += 1;
		}
		const unsigned first = shipped[i].windows[0].limit;
		assert_int_equal(burst(shipped[i].kind, "caller"), first > 0 ? first : LIMIT_MAX + 1);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(the_shipped_limits_and_windows, begin, end),
	};
	return cmocka_run_group_tests_name("prog/limits", tests, NULL, NULL);
}
