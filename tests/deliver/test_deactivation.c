/* SPDX-License-Identifier: MIT
 * Deactivation of webhooks, and deliveries of deleted webhooks (docs/deliveries.md 1 and 6). Modules: deliver. */
#include "unit.h"

#include <string.h>

#include "captured_log.h"
#include "run_dispatcher.h"

/* docs/deliveries.md 4: a webhook whose campaign is locked is deactivated later, and nothing else has to wait. */
static void
a_locked_campaign_delays_the_deactivation_of_its_webhook_alone(void **state UNUSED)
{
	for (uint64_t id = 1; id <= 2; id++) {
		world_add(id, 1, 0);
		world.webhooks[id].status = 410;
	}
	world.webhooks[1].cannot_be_deactivated = true;
	world_add(1, 1, 5 * SECOND);
	world_add(7, 10, SECOND);
	stay_until(10 * SECOND);
	assert_int_equal(world.webhooks[1].state, WEBHOOK_ACTIVE);
	assert_int_equal(sent(1), 1);
	assert_int_equal(world.webhooks[2].state, WEBHOOK_GONE);
	assert_int_equal(world_count(7, DELIVERY_DELIVERED), 10);
	world.webhooks[1].cannot_be_deactivated = false;
	stay_until(2 * MINUTE); /* another dispatcher: its first attempt reports the webhook again */
	assert_int_equal(world.webhooks[1].state, WEBHOOK_GONE);
	assert_int_equal(world_count(1, DELIVERY_PENDING), 2);
}

/* docs/deliveries.md 6: a round waits for one locked campaign only; other webhooks and other maintenance continue. */
static void
one_round_waits_for_one_locked_campaign(void **state UNUSED)
{
	enum { LAST = 12 };
	for (uint64_t id = 1; id <= LAST; id++) {
		world_add(id, 1, 0);
		world.webhooks[id].status = 410;
		world.webhooks[id].cannot_be_deactivated = id != 1 && id != LAST;
	}
	capture_log();
	stay_until(3 * SECOND);
	assert_int_equal(world.webhooks[1].state, WEBHOOK_GONE);
	assert_int_equal(world.webhooks[LAST].state, WEBHOOK_GONE);
	assert_in_range(world.lock_waits, 1, 3);
	stay_until(MINUTE);
	captured_log();
	assert_in_range(world.clean_ups, 5, 8); /* clean-ups continue every ten seconds */
}

static void
a_webhook_is_deactivated_once(void **state UNUSED)
{
	world_add(1, PER_WEBHOOK, 0);
	world.webhooks[1].status = 410;
	world.webhooks[1].cannot_be_deactivated = true;
	capture_log();
	stay_until(SECOND);
	captured_log();
	assert_int_equal(sent(1), PER_WEBHOOK);
	assert_in_range(world.webhooks[1].deactivation_attempts, 1, 4); /* one attempt per round, at growing intervals */
	assert_int_equal(world.webhooks[1].deactivation_attempts, world.lock_waits);
	world.webhooks[1].deactivation_attempts = 0;
	world_redeliver(1);
	world.webhooks[1].hold_until_ms = 0;
	world.webhooks[1].cannot_be_deactivated = false;
	stay_until(2 * SECOND);
	assert_int_equal(world.webhooks[1].deactivation_attempts, 1);
	assert_int_equal(world.webhooks[1].state, WEBHOOK_GONE);
}

/* docs/deliveries.md 3: a 410 counts, no matter what the other outcomes in its batch are. */
static void
a_410_deactivates_the_webhook_despite_a_success(void **state UNUSED)
{
	struct world_webhook *webhook = &world.webhooks[1];
	world_add(1, 3, 0); /* in the fake world, the last of them ends first */
	memcpy(webhook->script, (struct world_answer[]){ { .status = 200, .times = 2 }, { .status = 410 } },
	    2 * sizeof(*webhook->script));
	webhook->script_count = 2;
	assert_int_equal(run(NULL), RESULT_OK);
	assert_int_equal(world.flush_count, 1);
	assert_int_equal(webhook->failing_since_ms, -1);
	assert_int_equal(webhook->state, WEBHOOK_GONE);
}

/* Even if it is unknown whether the outcome was recorded, the receiver has answered 410. */
static void
an_unknown_commit_deactivates_a_webhook(void **state UNUSED)
{
	schedule.count = 0;
	for (uint64_t id = 1; id <= 2; id++)
		world_add(id, 1, 0);
	world.webhooks[1].status = 410;
	world.webhooks[2].status = 500;
	options.health.disable_after_ms = 0;
	world.lost_commit_ms = 0;
	capture_log();
	assert_int_equal(run(NULL), RESULT_OK);
	captured_log();
	assert_int_equal(world.stale, 2);
	assert_int_equal(world.webhooks[1].state, WEBHOOK_GONE);
	assert_int_equal(world.webhooks[2].state, WEBHOOK_DISABLED);
}

/* Webhooks whose deliveries cannot be ended do not block others, however many there are. */
static void
all_removed_webhooks_are_ended(void **state UNUSED)
{
	enum { STUCK = 70, ALL = 200 };
	for (uint64_t id = 1; id <= ALL; id++) {
		world_add(id, 1, HOUR);
		world.webhooks[id].state = WEBHOOK_MISSING;
		world.webhooks[id].cannot_be_ended = id <= STUCK;
	}
	capture_log();
	stay_until(20 * MINUTE);
	captured_log();
	for (uint64_t id = 1; id <= ALL; id++)
		assert_int_equal(world_count(id, DELIVERY_FAILED), id <= STUCK ? 0 : 1);
}

int
main(void)
{
#define TEST(name) cmocka_unit_test_setup(name, fresh_world)
	const struct CMUnitTest tests[] = {
		TEST(a_locked_campaign_delays_the_deactivation_of_its_webhook_alone),
		TEST(one_round_waits_for_one_locked_campaign),
		TEST(a_webhook_is_deactivated_once),
		TEST(a_410_deactivates_the_webhook_despite_a_success),
		TEST(an_unknown_commit_deactivates_a_webhook),
		TEST(all_removed_webhooks_are_ended),
	};
	return cmocka_run_group_tests_name("deliver/deactivation", tests, NULL, NULL);
}
