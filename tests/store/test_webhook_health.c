/* SPDX-License-Identifier: MIT
 * The health of webhooks, as lists and the overview show it (docs/manage.md 1). */
#include "unit.h"

#include <inttypes.h>

#include "base/duration.h"
#include "db/db.h"
#include "engine/events.h"
#include "store/stats.h"
#include "store/webhook_health.h"
#include "webhook/delivery.h"
#include "world.h"

static int
open_empty(void **state)
{
	root_run("DELETE FROM t_due");
	root_run("DELETE FROM t_webhooks");
	root_run("DELETE FROM t_webhook_status");
	root_run("DELETE FROM t_webhook_hours");
	return world_open(state);
}

enum { NOW_HOUR = 480000 };

#define HEALTH_TEST(name) cmocka_unit_test_setup_teardown(name, open_empty, world_close)

static uint64_t
add(struct world *w, uint64_t campaign, const char *url)
{
	return add_webhook(w, campaign, url, EVENT_BIT(EVENT_NEW_SIGNUP));
}

/* A delivery that is due at this time. */
static void
plant_due(uint64_t webhook, uint64_t id, int64_t due_ms)
{
	root_run("INSERT INTO t_due (id, event_id, shard, webhook_id, format, due_ms) VALUES (%" PRIu64 ", 1, %u, %" PRIu64
		 ", 'json', %" PRId64 ")",
	    id, webhook_shard(webhook), webhook, due_ms);
}

static void
plant_hour(uint64_t webhook, int64_t hour, unsigned attempts, unsigned delivered, unsigned failed)
{
	root_run("INSERT INTO t_webhook_hours (webhook_id, hour, attempts, delivered, failed) VALUES (%" PRIu64 ", %" PRId64
		 ", %u, %u, %u)",
	    webhook, hour, attempts, delivered, failed);
}

static void
webhooks_have_a_state_and_their_oldest_delivery(void **state)
{
	struct world *w = *state;
	struct webhook_health *found;
	size_t count;
	const uint64_t second = add_campaign(w), third = add_campaign(w);
	const uint64_t good = add(w, second, "https://a.example/"), failing = add(w, w->campaign, "https://b.example/"),
		       disabled = add(w, second, "https://c.example/");
	add(w, third, "https://d.example/");
	root_run("UPDATE t_webhook_status SET failing_since_ms = 1 WHERE webhook_id IN (%" PRIu64 ", %" PRIu64 ")", failing,
	    disabled);
	root_run("UPDATE t_webhooks SET state = 'disabled' WHERE id = %" PRIu64, disabled);
	plant_due(failing, 3, 700);
	plant_due(failing, 4, 500);
	plant_due(failing, 5, 600);
	plant_due(disabled, 6, 900);
	uint64_t campaigns[] = { second, w->campaign };
	assert_int_equal(store_find_webhook_health(w->store, w->pool, campaigns, 2, &found, &count), RESULT_OK);
	assert_int_equal(count, 3);
	assert_true(found[0].id == good && found[0].campaign_id == second && found[0].active && !found[0].failing);
	assert_int_equal(found[0].oldest_due_ms, -1);
	assert_true(found[1].id == failing && found[1].campaign_id == w->campaign && found[1].active && found[1].failing);
	assert_int_equal(found[1].oldest_due_ms, 500);
	assert_true(found[2].id == disabled && found[2].campaign_id == second && !found[2].active && found[2].failing);
	assert_int_equal(found[2].oldest_due_ms, 900);
	root_run("UPDATE t_webhooks SET state = 'gone' WHERE id = %" PRIu64, disabled);
	assert_int_equal(store_find_webhook_health(w->store, w->pool, campaigns, 2, &found, &count), RESULT_OK);
	assert_false(found[2].active);
}

static void
campaigns_may_have_none(void **state)
{
	struct world *w = *state;
	struct webhook_health *found;
	size_t count;
	uint64_t campaigns[] = { w->campaign, UNKNOWN_ID };
	assert_int_equal(store_find_webhook_health(w->store, w->pool, campaigns, 2, &found, &count), RESULT_OK);
	assert_int_equal(count, 0);
	assert_int_equal(store_add_recent_attempts(w->store, w->pool, 0, found, 0), RESULT_OK);
	assert_int_equal(store_find_webhook_health(w->store, w->pool, campaigns, 0, &found, &count), RESULT_OK);
	assert_int_equal(count, 0);
}

/* The present hour and the 23 before it. */
static void
attempts_of_the_last_hours_are_added(void **state)
{
	struct world *w = *state;
	struct webhook_health *found;
	size_t count;
	const uint64_t busy = add(w, w->campaign, "https://a.example/"), idle = add(w, w->campaign, "https://b.example/"),
		       other = add(w, w->campaign, "https://c.example/");
	plant_hour(busy, NOW_HOUR, 5, 3, 1);
	plant_hour(busy, NOW_HOUR - HEALTH_HOURS + 1, 10, 6, 2);
	plant_hour(busy, NOW_HOUR - HEALTH_HOURS, 100, 100, 100);
	plant_hour(idle, NOW_HOUR - 1000, 1, 1, 1);
	plant_hour(other, NOW_HOUR - 1, 2, 0, 0);
	assert_int_equal(store_find_webhook_health(w->store, w->pool, &w->campaign, 1, &found, &count), RESULT_OK);
	assert_int_equal(count, 3);
	assert_int_equal(
	    store_add_recent_attempts(w->store, w->pool, (NOW_HOUR + INT64_C(1)) * HOUR_MS - 1, found, count), RESULT_OK);
	assert_true(found[0].attempts == 15 && found[0].delivered == 9 && found[0].failed == 3);
	assert_true(found[1].attempts == 0 && found[1].delivered == 0 && found[1].failed == 0);
	assert_true(found[2].attempts == 2 && found[2].delivered == 0 && found[2].failed == 0);
}

/* More webhooks than a list of a statement holds. */
static void
many_webhooks_are_read_in_pieces(void **state)
{
	struct world *w = *state;
	enum { MANY = DB_LIST_MAX + 10, FIRST = 500000 };
	struct webhook_health *found;
	size_t count;
	root_run("INSERT INTO t_webhooks (id, campaign_id, url, url_hash, events, secret, created_ms) SELECT %d + seq, %" PRIu64
		 ", 'https://a.example/', UNHEX(SHA2(seq, 256)), 1, '', 0 FROM seq_1_to_%d",
	    FIRST, w->campaign, MANY);
	plant_due(FIRST + 1, 1, 100);
	plant_due(FIRST + MANY, 2, 200);
	plant_hour(FIRST + MANY, 10, 7, 0, 0);
	assert_int_equal(store_find_webhook_health(w->store, w->pool, &w->campaign, 1, &found, &count), RESULT_OK);
	assert_int_equal(count, MANY);
	assert_int_equal(found[0].oldest_due_ms, 100);
	assert_int_equal(found[1].oldest_due_ms, -1);
	assert_int_equal(found[MANY - 1].oldest_due_ms, 200);
	assert_int_equal(store_add_recent_attempts(w->store, w->pool, INT64_C(30) * HOUR_MS, found, count), RESULT_OK);
	assert_int_equal(found[MANY - 1].attempts, 7);
}

static void
the_overview_sums_them(void **state)
{
	struct world *w = *state;
	const uint64_t second = add_campaign(w), third = add_campaign(w);
	const uint64_t failing = add(w, w->campaign, "https://a.example/"),
		       disabled = add(w, w->campaign, "https://b.example/"), good = add(w, w->campaign, "https://c.example/"),
		       other = add(w, second, "https://d.example/");
	root_run("UPDATE t_webhook_status SET failing_since_ms = 1 WHERE webhook_id IN (%" PRIu64 ", %" PRIu64 ")", failing,
	    disabled);
	root_run("UPDATE t_webhooks SET state = 'disabled' WHERE id = %" PRIu64, disabled);
	plant_due(good, 3, 700);
	plant_due(failing, 4, 500);
	plant_due(other, 5, 100);
	struct campaign_overview overviews[] = { { .campaign_id = w->campaign }, { .campaign_id = second },
		{ .campaign_id = third } };
	assert_int_equal(store_campaign_overviews(w->store, w->pool, NOW_HOUR * INT64_C(3600000), overviews, 3), RESULT_OK);
	assert_true(overviews[0].webhooks == 3 && overviews[0].webhooks_failing == 1 && overviews[0].webhooks_disabled == 1);
	assert_int_equal(overviews[0].oldest_due_ms, 500);
	assert_true(overviews[1].webhooks == 1 && overviews[1].webhooks_failing == 0 && overviews[1].webhooks_disabled == 0);
	assert_int_equal(overviews[1].oldest_due_ms, 100);
	assert_true(overviews[2].webhooks == 0 && overviews[2].oldest_due_ms == -1);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		HEALTH_TEST(webhooks_have_a_state_and_their_oldest_delivery),
		HEALTH_TEST(campaigns_may_have_none),
		HEALTH_TEST(attempts_of_the_last_hours_are_added),
		HEALTH_TEST(many_webhooks_are_read_in_pieces),
		HEALTH_TEST(the_overview_sums_them),
	};
	return WORLD_MAIN(tests);
}
