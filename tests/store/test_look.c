/* SPDX-License-Identifier: MIT
 * What a look for due deliveries costs (delivery.md 4 and 6): it asks by webhook, not by row, and what was removed is not
 * walked over again and again while a dump keeps it from being purged. */
#include "unit.h"

#include <inttypes.h>
#include <stdio.h>

#include "claims.h"
#include "core/events.h"
#include "world.h"

enum { REMOVED = 9000, CHUNK = 250, FEW_PAGES = 250 };

static int
open_look(void **state)
{
	root_run("DELETE FROM t_due");
	return world_open(state);
}

/* Pages that the server has looked at. */
static int64_t
pages(void)
{
	return root_number("SELECT VARIABLE_VALUE FROM information_schema.GLOBAL_STATUS WHERE VARIABLE_NAME = "
			   "'INNODB_BUFFER_POOL_READ_REQUESTS'");
}

static struct due_webhooks
look(struct world *w, int64_t from_ms)
{
	struct due_webhooks found;
	assert_int_equal(store_due_webhooks(w->store, w->pool,
			     &(struct due_question){ .held = UINT64_MAX, .limit = 10, .from_ms = from_ms }, &found),
	    RESULT_OK);
	return found;
}

static void
deliver_all(struct world *w, uint64_t webhook)
{
	struct claims claims;
	struct delivery_outcome outcomes[CHUNK];
	while ((claims = claim(w, owners[0], webhook, CHUNK, LONG_MS)).count > 0) {
		for (size_t i = 0; i < claims.count; i++)
			outcomes[i] = outcome_of(&claims.items[i], DELIVERY_DELIVERED, 200);
		assert_int_equal(complete(w, outcomes, claims.count), 0);
	}
}

/* Deliverable 2 of the queue's design: a scan floor. */
static void
what_is_new_is_found_behind_what_was_removed(void **state)
{
	struct world *w = *state;
	uint64_t webhook = make_due(w, REMOVED);
	root_run("START TRANSACTION WITH CONSISTENT SNAPSHOT");
	assert_true(root_number("SELECT COUNT(*) FROM t_due") >= REMOVED);
	deliver_all(w, webhook);
	const int64_t before_ms = look(w, 0).now_ms;
	sign_up_many(w, "new", 1);
	int64_t at = pages();
	struct due_webhooks all = look(w, 0);
	const int64_t all_pages = pages() - at;
	at = pages();
	struct due_webhooks newly = look(w, before_ms);
	const int64_t new_pages = pages() - at;
	assert_int_equal(all.due_count, 1);
	assert_int_equal(newly.due_count, 1);
	assert_int_equal(newly.due[0].webhook_id, webhook);
	assert_true(newly.due[0].first_due_ms == all.due[0].first_due_ms);
	/* else the snapshot did not do what it is here for */
	assert_true(all_pages > 2 * FEW_PAGES);
	assert_in_range(new_pages, 1, FEW_PAGES);
	root_run("COMMIT");
}

/* What is told of it is the same. */
static void
newly_due_is_told_as_all_that_is_due(void **state)
{
	struct world *w = *state;
	uint64_t old = add_webhook(w, w->campaign, "https://old.example/", EVENT_BIT(EVENT_NEW_SIGNUP));
	uint64_t webhook = make_due(w, 3);
	root_run("UPDATE t_due SET due_ms = due_ms - 60000 WHERE webhook_id = %" PRIu64, old);
	root_run("UPDATE t_webhook_status SET failures = 7, probes = 2, failing_since_ms = 5, last_delivery_ms = 4 WHERE "
		 "webhook_id = %" PRIu64,
	    webhook);
	root_run("UPDATE t_webhooks SET rate = 9 WHERE id = %" PRIu64, webhook);
	const int64_t from_ms = look(w, 0).now_ms - 30000;
	struct due_webhooks found = look(w, from_ms);
	assert_int_equal(found.due_count, 1);
	const struct due_webhook *told = &found.due[0];
	assert_true(told->webhook_id == webhook && told->failures == 7 && told->probes == 2 && told->failing_since_ms == 5 &&
		    told->succeeded && told->rate == 9);
	struct due_webhooks all = look(w, 0);
	assert_int_equal(all.due_count, 2);
	assert_int_equal(all.due[0].webhook_id, old);
	assert_false(all.due[0].succeeded);
	const struct due_webhook *same = &all.due[1];
	assert_true(same->webhook_id == webhook && same->first_due_ms == told->first_due_ms && same->failures == 7 &&
		    same->probes == 2 && same->failing_since_ms == 5 && same->succeeded && same->rate == 9);
	/* what has waited for the end of a hold was due before it */
	root_run(
	    "UPDATE t_webhook_status SET hold_until_ms = %" PRId64 " WHERE webhook_id = %" PRIu64, all.now_ms - 1, webhook);
	assert_true(look(w, from_ms).due[0].first_due_ms == told->first_due_ms);
	assert_true(look(w, 0).due[1].first_due_ms == told->first_due_ms);
	/* known already */
	const struct due_question others = {
		.held = UINT64_MAX, .limit = 10, .from_ms = from_ms, .known = &webhook, .known_count = 1
	};
	assert_int_equal(store_due_webhooks(w->store, w->pool, &others, &found), RESULT_OK);
	assert_int_equal(found.due_count, 0);
	/* held, disabled, removed: not now */
	root_run(
	    "UPDATE t_webhook_status SET hold_until_ms = %" PRId64 " WHERE webhook_id = %" PRIu64, from_ms + 90000, webhook);
	found = look(w, from_ms);
	assert_int_equal(found.due_count, 0);
	assert_true(found.next_due_ms == from_ms + 90000);
	root_run("UPDATE t_webhook_status SET hold_until_ms = 0");
	root_run("UPDATE t_webhooks SET state = 'disabled' WHERE id = %" PRIu64, webhook);
	assert_int_equal(look(w, from_ms).due_count, 0);
	root_run("UPDATE t_webhooks SET state = 'active' WHERE id = %" PRIu64, webhook);
	assert_int_equal(look(w, from_ms).due_count, 1);
	assert_int_equal(store_remove_webhook_id(w->store, webhook), RESULT_OK);
	assert_int_equal(look(w, from_ms).due_count, 0);
}

/* A claim says how far it went. */
static void
a_claim_goes_on_where_the_last_one_ended(void **state)
{
	struct world *w = *state;
	uint64_t webhook = make_due(w, 6);
	struct due_delivery *deliveries;
	size_t count;
	root_run("SET @n = 0");
	root_run("UPDATE t_due SET due_ms = (@n := @n + 1) * 10 ORDER BY id");
	struct due_request request = { .webhook_id = webhook, .rows = 2, .from_ms = 20 };
	for (int64_t last = 30; last <= 50; last += 20) {
		assert_int_equal(
		    store_claim(w->store, w->pool, owners[0], LONG_MS, &request, 1, &deliveries, &count), RESULT_OK);
		assert_int_equal(count, 2);
		assert_true(request.last_ms == last);
		request.from_ms = request.last_ms;
	}
	assert_int_equal(root_number("SELECT MIN(due_ms) FROM t_due"), 10);
	assert_int_equal(store_claim(w->store, w->pool, owners[0], LONG_MS, &request, 1, &deliveries, &count), RESULT_OK);
	assert_int_equal(count, 1);
	assert_int_equal(store_claim(w->store, w->pool, owners[0], LONG_MS, &request, 1, &deliveries, &count), RESULT_OK);
	assert_int_equal(count, 0);
	assert_true(request.last_ms == request.from_ms);
}

/* The rows that it found beyond those that were asked for are claimed without another look; what others have done to them
 * meanwhile is respected. */
static void
a_claim_looks_ahead(void **state)
{
	struct world *w = *state;
	uint64_t webhook = make_due(w, 40);
	struct due_rows ahead = { .count = 0 };
	struct due_request request = { .webhook_id = webhook, .rows = 3, .ahead = &ahead };
	struct due_delivery *deliveries;
	size_t count, claimed = 0;
	uint64_t last_id = 0;
	root_run("UPDATE t_due SET due_ms = 1000");
	const int64_t begun = root_questions();
	for (size_t i = 0; i < 10; i++) {
		assert_int_equal(
		    store_claim(w->store, w->pool, owners[0], LONG_MS, &request, 1, &deliveries, &count), RESULT_OK);
		assert_int_equal(count, 3);
		for (size_t k = 0; k < count; k++, claimed++) {
			assert_true(deliveries[k].id > last_id);
			last_id = deliveries[k].id;
		}
		assert_true(request.last_ms == 1000);
		request.from_ms = request.last_ms;
	}
	/* a look, and three statements a claim */
	assert_in_range(root_questions() - begun, 30, 32);
	assert_int_equal(ahead.count - ahead.at, 2);
	root_run("DELETE FROM t_due WHERE id = %" PRIu64, ahead.rows[ahead.at].id);
	assert_int_equal(store_claim(w->store, w->pool, owners[0], LONG_MS, &request, 1, &deliveries, &count), RESULT_OK);
	assert_int_equal(count, 3); /* looked anew: two were too few */
	request.rows = 6;
	assert_int_equal(ahead.count - ahead.at, 6);
	root_run("DELETE FROM t_due WHERE id = %" PRIu64, ahead.rows[ahead.at].id);
	assert_int_equal(store_claim(w->store, w->pool, owners[0], LONG_MS, &request, 1, &deliveries, &count), RESULT_OK);
	assert_int_equal(count, 5);
	assert_int_equal(root_number("SELECT COUNT(*) FROM t_due WHERE token IS NULL"), 0);
}

int
main(void)
{
#define LOOK_TEST(name) cmocka_unit_test_setup_teardown(name, open_look, world_close)
	const struct CMUnitTest tests[] = {
		LOOK_TEST(what_is_new_is_found_behind_what_was_removed),
		LOOK_TEST(newly_due_is_told_as_all_that_is_due),
		LOOK_TEST(a_claim_goes_on_where_the_last_one_ended),
		LOOK_TEST(a_claim_looks_ahead),
	};
	return WORLD_MAIN(tests);
}
