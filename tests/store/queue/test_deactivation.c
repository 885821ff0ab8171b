/* SPDX-License-Identifier: MIT
 * Webhooks that are deactivated by their receivers or after five days of failures (docs/deliveries.md 1), while other
 * transactions run in their campaigns. Modules: store/queue. */
#include "unit.h"

#include <inttypes.h>

#include "os/clock.h"
#include "store/fetched.h"
#include "store/world.h"

enum { WAIT_MS = 1000, TIMES = 10, SOON_MS = 4500 /* less than the lock wait timeout */ };

/* Another connection holds the campaign until `unlock`. */
static void
lock(const struct world *w)
{
	root_run("START TRANSACTION");
	root_run("UPDATE t_campaign_counters SET lead_count = lead_count + 1 WHERE campaign_id = %" PRIu64, w->campaign);
}

static void
unlock(void)
{
	root_run("ROLLBACK");
}

static int64_t
is(uint64_t webhook, const char *state)
{
	return root_number("SELECT state = '%s' FROM t_webhooks WHERE id = %" PRIu64, state, webhook);
}

static int64_t
settings_version(const struct world *w)
{
	return root_number("SELECT settings_version FROM t_campaign_counters WHERE campaign_id = %" PRIu64, w->campaign);
}

/* docs/deliveries.md 3: a 410 counts even if other outcomes of its batch, or later ones, are successes. */
static void
a_410_deactivates_whatever_comes_with_it(void **state)
{
	struct world *w = *state;
	uint64_t webhook = make_due(w, 3);
	struct due_deliveries fetched = fetch(w, webhook, 3);
	struct delivery_outcome outcomes[] = { outcome_of(&fetched.items[0], DELIVERY_DELIVERED, 200),
		outcome_of(&fetched.items[1], DELIVERY_FAILED, 410), outcome_of(&fetched.items[2], DELIVERY_DELIVERED, 200) };
	outcomes[1].webhook_state = WEBHOOK_GONE;
	assert_int_equal(record_outcomes(w, outcomes, 3), 0);
	assert_int_equal(outcomes[1].webhook_state, WEBHOOK_GONE);
	assert_int_equal(
	    root_number("SELECT failing_since_ms IS NULL FROM t_webhook_status WHERE webhook_id = %" PRIu64, webhook), 1);
	assert_int_equal(store_deactivate_webhook(w->store, webhook, WEBHOOK_DISABLED, LOCK_SOON), RESULT_OK);
	assert_int_equal(is(webhook, "active"), 1); /* it is not failing */
	assert_int_equal(store_deactivate_webhook(w->store, webhook, WEBHOOK_GONE, LOCK_SOON), RESULT_OK);
	assert_int_equal(is(webhook, "gone"), 1);
}

/* A routine success neither stores nor locks the webhook's status; any other outcome of the batch stores it for all. */
static void
routine_successes_leave_the_status(void **state)
{
	static const char failures[] = "SELECT failures FROM t_webhook_status WHERE webhook_id = %" PRIu64;
	struct world *w = *state;
	uint64_t webhook = make_due(w, 4);
	struct due_deliveries fetched = fetch(w, webhook, 4);
	struct delivery_outcome outcomes[4];
	for (size_t i = 0; i < 4; i++) {
		outcomes[i] = outcome_of(&fetched.items[i], DELIVERY_DELIVERED, 200);
		outcomes[i].routine = i != 2;
		outcomes[i].webhook_failures = 7; /* shows whether it is stored */
	}
	root_run("START TRANSACTION");
	root_run("SELECT * FROM t_webhook_status WHERE webhook_id = %" PRIu64 " FOR UPDATE", webhook);
	assert_int_equal(record_outcomes(w, outcomes, 2), 0);
	root_run("ROLLBACK");
	assert_int_equal(root_number(failures, webhook), 0);
	assert_int_equal(root_number(DELIVERIES, webhook), 2);
	outcomes[3].webhook_failures = 9; /* the last */
	assert_int_equal(record_outcomes(w, outcomes + 2, 2), 0);
	assert_int_equal(root_number(failures, webhook), 9);
	assert_int_equal(root_number(DELIVERIES, webhook), 4);
}

static void
a_locked_campaign_is_waited_for_briefly_or_not_at_all(void **state)
{
	struct world *w = *state;
	uint64_t webhook = make_due(w, 1);
	int64_t version = settings_version(w), before = clock_monotonic_ms();
	lock(w);
	for (int i = 0; i < TIMES; i++)
		assert_int_equal(store_deactivate_webhook(w->store, webhook, WEBHOOK_GONE, LOCK_IF_FREE), RESULT_CONFLICT);
	assert_true(clock_monotonic_ms() - before < TIMES * WAIT_MS / 2);
	before = clock_monotonic_ms();
	assert_int_equal(store_deactivate_webhook(w->store, webhook, WEBHOOK_GONE, LOCK_SOON), RESULT_CONFLICT);
	assert_in_range(clock_monotonic_ms() - before, WAIT_MS / 2, SOON_MS);
	unlock();
	assert_int_equal(is(webhook, "active"), 1);
	assert_int_equal(store_deactivate_webhook(w->store, webhook, WEBHOOK_GONE, LOCK_IF_FREE), RESULT_OK);
	assert_int_equal(is(webhook, "gone"), 1);
	assert_int_equal(settings_version(w), version + 1); /* docs/architecture.md 4: other processes read it again */
}

static void
a_deactivated_webhook_needs_no_lock(void **state)
{
	struct world *w = *state;
	uint64_t webhook = make_due(w, 1);
	assert_int_equal(store_deactivate_webhook(w->store, webhook, WEBHOOK_GONE, LOCK_IF_FREE), RESULT_OK);
	int64_t version = settings_version(w);
	lock(w);
	assert_int_equal(store_deactivate_webhook(w->store, webhook, WEBHOOK_DISABLED, LOCK_IF_FREE), RESULT_OK);
	assert_int_equal(store_deactivate_webhook(w->store, UNKNOWN_ID, WEBHOOK_GONE, LOCK_IF_FREE), RESULT_OK);
	unlock();
	assert_int_equal(is(webhook, "gone"), 1);
	assert_int_equal(settings_version(w), version);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		WORLD_TEST(a_410_deactivates_whatever_comes_with_it),
		WORLD_TEST(routine_successes_leave_the_status),
		WORLD_TEST(a_locked_campaign_is_waited_for_briefly_or_not_at_all),
		WORLD_TEST(a_deactivated_webhook_needs_no_lock),
	};
	return WORLD_MAIN(tests);
}
