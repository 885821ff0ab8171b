/* SPDX-License-Identifier: MIT
 * Batches whose COMMIT encounters conflicts or has an unknown outcome (docs/architecture.md 4).
 * Modules: store/batch, store/transaction. */
#include "unit.h"

#include <inttypes.h>
#include <limits.h>
#include <string.h>

#include "batches.h"
#include "breaks.h"
#include "captured_log.h"
#include "engine/events.h"
#include "os/clock.h"
#include "store/batch.h"
#include "store/state.h"
#include "world.h"

enum { TIME_MS = 10 * 1000 };

/* Of the last batch. */
static bool made_deliveries;

/* Gets a word when the outcome becomes unknown, and when it becomes known; NULL: not noted. */
static char *changes;

static void
note_unknown(void *context)
{
	strcat(context, "unknown ");
}

static void
note_known(void *context)
{
	strcat(context, "known ");
}

/* Three sign-ups, two of them for one email. */
static void
execute_broken(struct world *w, struct breaks planned, int64_t time_ms, struct outcome outcomes[3])
{
	struct command commands[] = { signup(w, w->campaign, "a@example.org"), signup(w, w->campaign, "b@example.org"),
		signup(w, w->campaign, "a@example.org") };
	struct command other = signup(w, add_campaign(w), "other@example.org");
	execute(w->store, w->pool, &other, 1, outcomes); /* takes the blocks of ids, so that the next COMMIT is the batch's */
	breaks = planned;
	const struct command *pointers[] = { &commands[0], &commands[1], &commands[2] };
	struct execution execution = { .commands = pointers,
		.count = 3,
		.deadline_ms = clock_monotonic_ms() + time_ms,
		.outcomes = outcomes,
		.unknown_begins = changes == NULL ? NULL : note_unknown,
		.unknown_ends = changes == NULL ? NULL : note_known,
		.context = changes };
	store_execute(w->store, w->pool, &execution);
	made_deliveries = execution.made_deliveries;
	assert_int_equal(breaks.commits, 0);
	breaks = (struct breaks){ 0 };
}

/* "for half of its time": many conflicts in a row, as when several nodes of a cluster write to one campaign. */
static void
many_conflicts_do_not_fail_a_batch(void **state)
{
	struct world *w = *state;
	struct outcome outcomes[3];
	execute_broken(w, (struct breaks){ .commits = 11, .conflict = true }, 4 * TIME_MS, outcomes);
	assert_outcomes(outcomes, 3, FAILURE_NONE);
	assert_consistent(w->campaign, 2, 0);
}

/* Without events, a batch leaves the other kind of mark. */
static void
renew_campaign(struct world *w, bool with_events)
{
	w->campaign = add_campaign(w);
	if (with_events)
		add_webhook(w, w->campaign, "https://a.example/", EVENT_BIT(EVENT_NEW_SIGNUP) | EVENT_BIT(EVENT_REPEAT_SIGNUP));
}

static void
assert_done_once(struct world *w, bool with_events, const struct outcome outcomes[3])
{
	assert_outcomes(outcomes, 3, FAILURE_NONE);
	assert_int_equal(made_deliveries, with_events);
	assert_non_null(strstr(outcomes[0].body.data, "\"counter\":1"));
	assert_non_null(strstr(outcomes[2].body.data, "\"counter\":2"));
	assert_consistent(w->campaign, 2, with_events ? 1 : 0);
	assert_int_equal(root_number(COUNT_EVENTS, w->campaign), with_events ? 3 : 0);
	/* the outcomes match the rows */
	for (int i = 0; i < 2; i++)
		assert_int_equal(root_number("SELECT COUNT(*) FROM t_leads WHERE campaign_id = %" PRIu64
					     " AND LOCATE(CONCAT('\"social_id\":\"', social_id, '\"'), '%.*s') > 0",
				     w->campaign, SLICE_ARGS(slice_sub(outcomes[i].body, 0, 200))),
		    1);
}

/* "When the outcome of a COMMIT is unknown, the same batch is run again" */
static void
a_lost_commit_is_repeated(void **state)
{
	struct world *w = *state;
	struct outcome outcomes[3];
	for (int with_events = 0; with_events < 2; with_events++) {
		renew_campaign(w, with_events);
		execute_broken(w, (struct breaks){ .commits = 2 }, TIME_MS, outcomes);
		assert_done_once(w, with_events, outcomes);
	}
}

/* … also when the database is down for a while: failures of a later run are not the outcome, and do not split the batch. */
static void
a_commit_that_took_effect_is_not_repeated(void **state)
{
	static const struct breaks cases[] = {
		{ .commits = 1, .after = true },
		{ .commits = 1, .after = true, .begins = 3, .why = RESULT_UNAVAILABLE },
		{ .commits = 1, .after = true, .begins = 7, .why = RESULT_CONFLICT },
		{ .commits = 1, .after = true, .begins = 1, .why = RESULT_FAILED },
	};
	struct world *w = *state;
	struct outcome outcomes[3];
	for (size_t i = 0; i < 2 * ARRAY_SIZE(cases); i++) {
		bool with_events = i % 2 == 0;
		int64_t tokens = root_number("SELECT COUNT(*) FROM t_commit_tokens");
		renew_campaign(w, with_events);
		execute_broken(w, cases[i / 2], TIME_MS, outcomes);
		assert_done_once(w, with_events, outcomes);
		/* the tokens of the first sign-up, of the batch and of the fence */
		assert_int_equal(root_number("SELECT COUNT(*) FROM t_commit_tokens"), tokens + (with_events ? 2 : 3));
	}
}

static void
from_now_on_it_is_done(void)
{
	breaks.after = true;
}

/* Of two COMMITs without an answer, the second took effect. */
static void
the_last_run_leaves_the_mark(void **state)
{
	struct world *w = *state;
	struct outcome outcomes[3];
	for (int with_events = 0; with_events < 2; with_events++) {
		renew_campaign(w, with_events);
		execute_broken(w, (struct breaks){ .commits = 2, .meanwhile = from_now_on_it_is_done }, TIME_MS, outcomes);
		assert_done_once(w, with_events, outcomes);
	}
}

/* store.h: reported once for a batch, even if the outcome never becomes known; and not at all if it was always known. */
static void
an_unknown_outcome_is_reported(void **state)
{
	static const struct {
		struct breaks breaks;
		const char *changes;
		int64_t time_ms;
	} cases[] = {
		{ { .commits = 3 }, "unknown known ", TIME_MS },
		{ { .commits = 1, .after = true, .begins = 3, .why = RESULT_UNAVAILABLE }, "unknown known ", TIME_MS },
		{ { .commits = 1, .begins = UINT_MAX, .why = RESULT_UNAVAILABLE }, "unknown known ",
		    2000 }, /* takes all of it */
		{ { .commits = 1, .conflict = true }, "", TIME_MS },
		{ { .begins = 1, .why = RESULT_UNAVAILABLE }, "", TIME_MS },
	};
	struct world *w = *state;
	struct outcome outcomes[3];
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char noted[64] = "";
		renew_campaign(w, true);
		changes = noted;
		execute_broken(w, cases[i].breaks, cases[i].time_ms, outcomes);
		changes = NULL;
		assert_string_equal(noted, cases[i].changes);
	}
}

static void
a_batch_of_unknown_outcome_is_not_split(void **state)
{
	static const enum result reasons[] = { RESULT_UNAVAILABLE, RESULT_CONFLICT, RESULT_FAILED };
	struct world *w = *state;
	struct outcome outcomes[3];
	for (size_t i = 0; i < ARRAY_SIZE(reasons); i++) {
		struct breaks planned = { .commits = 1, .after = true, .begins = UINT_MAX, .why = reasons[i] };
		renew_campaign(w, true);
		w->store->batch_log = (struct log_throttle){ 0 };
		capture_log();
		execute_broken(w, planned, 300, outcomes);
		assert_int_equal(count_in(captured_log(), " batch_failed result=\"outcome unknown\" "), 1);
		assert_outcomes(outcomes, 3, FAILURE_UNAVAILABLE);
		assert_consistent(w->campaign, 2, 1);
		assert_int_equal(root_number(COUNT_EVENTS, w->campaign), 3);
	}
}

static uint64_t campaign_to_lock;

static void
lock_it(void)
{
	root_run("BEGIN");
	root_number("SELECT campaign_id FROM t_campaign_counters WHERE campaign_id = %" PRIu64 " FOR UPDATE", campaign_to_lock);
}

/* A batch that may have been committed is never "not begun", no matter how its repetition ends: its commands would be run
 * again. */
static void
a_batch_of_unknown_outcome_is_not_reported_as_locked(void **state)
{
	struct world *w = *state;
	struct command command = signup(w, w->campaign, "a@example.org");
	const struct command *pointer = &command;
	struct outcome outcome;
	bool locked = true;
	struct command other = signup(w, add_campaign(w), "other@example.org");
	execute(w->store, w->pool, &other, 1, &outcome); /* takes the blocks of ids, so that the next COMMIT is the batch's */
	campaign_to_lock = w->campaign;
	breaks = (struct breaks){ .commits = 1, .meanwhile = lock_it };
	struct execution execution = { .commands = &pointer,
		.count = 1,
		.deadline_ms = clock_monotonic_ms() + 300,
		.outcomes = &outcome,
		.locked = &locked };
	store_execute(w->store, w->pool, &execution);
	root_run("ROLLBACK");
	assert_int_equal(breaks.commits, 0);
	breaks = (struct breaks){ 0 };
	assert_int_equal(outcome.failure, FAILURE_UNAVAILABLE);
	assert_false(locked);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		WORLD_TEST(a_batch_of_unknown_outcome_is_not_reported_as_locked),
		WORLD_TEST(many_conflicts_do_not_fail_a_batch),
		WORLD_TEST(a_lost_commit_is_repeated),
		WORLD_TEST(a_commit_that_took_effect_is_not_repeated),
		WORLD_TEST(the_last_run_leaves_the_mark),
		WORLD_TEST(an_unknown_outcome_is_reported),
		WORLD_TEST(a_batch_of_unknown_outcome_is_not_split),
	};
	return WORLD_MAIN(tests);
}
