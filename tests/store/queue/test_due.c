/* SPDX-License-Identifier: MIT
 * The cost of searching due deliveries (docs/deliveries.md 4 and 6): it depends on the webhooks, not on the rows, and removed
 * rows are not read repeatedly while a dump keeps them from being purged. */
#include "unit.h"

#include <inttypes.h>
#include <stdio.h>

#include "engine/events.h"
#include "store/claims.h"
#include "store/world.h"

enum { REMOVED = 60000, FEW_PAGES = 100 };

static int
open_due(void **state)
{
	root_run("DELETE FROM t_due");
	return world_open(state);
}

/* Pages that the server has read. */
static int64_t
pages(void)
{
	return root_number("SELECT VARIABLE_VALUE FROM information_schema.GLOBAL_STATUS WHERE VARIABLE_NAME = "
			   "'INNODB_BUFFER_POOL_READ_REQUESTS'");
}

static struct due_webhooks
find_due(struct world *w, bool newest)
{
	struct due_webhooks found;
	assert_int_equal(store_due_webhooks(w->store, w->pool,
			     &(struct due_query){ .shards = UINT64_MAX, .limit = 10, .newest = newest }, &found),
	    RESULT_OK);
	return found;
}

/* The lowest of some attempts: the server's own threads read pages, too. */
static int64_t
pages_read(struct world *w, bool newest, struct due_webhooks *found)
{
	int64_t fewest = INT64_MAX;
	for (int i = 0; i < 5; i++) {
		const int64_t before = pages();
		*found = find_due(w, newest);
		const int64_t seen = pages() - before;
		fewest = seen < fewest ? seen : fewest;
	}
	return fewest;
}

/* It depends on the webhooks, not on the rows: also in later queries, after claims. */
static void
the_cost_depends_on_the_webhooks(void **state)
{
	enum { ROWS = 2000, WEBHOOKS = 100 };
	struct world *w = *state;
	uint64_t webhooks[WEBHOOKS];
	for (unsigned i = 0; i < WEBHOOKS; i++) {
		char url[64];
		snprintf(url, sizeof(url), "https://a%u.example/", i);
		webhooks[i] = add_webhook(w, w->campaign, url, 1);
		root_run("INSERT INTO t_due (id, event_id, shard, webhook_id, format, due_ms) SELECT %u + seq, 1, %u, %" PRIu64
			 ", 'json', 5 FROM seq_1_to_%d",
		    i * ROWS, webhook_shard(webhooks[i]), webhooks[i], ROWS);
	}
	root_run("ANALYZE TABLE t_due");
	for (unsigned i = 0; i < 5; i++) {
		int64_t before = root_rows_read();
		(void)find_due(w, false);
		assert_in_range(root_rows_read() - before, WEBHOOKS, 20 * WEBHOOKS);
		(void)claim(w, owners[0], webhooks[i], 8, LONG_MS);
	}
	root_run("DELETE FROM t_webhooks");
}

/* A query for the newest rows alone does not read removed ones, which an open snapshot keeps. */
static void
new_rows_are_found_after_removed_ones(void **state)
{
	struct world *w = *state;
	uint64_t webhook = make_due(w, 1);
	size_t done = 1;
	root_run(
	    "INSERT INTO t_due (id, event_id, shard, webhook_id, format, due_ms) SELECT id + seq, event_id, shard, webhook_id, "
	    "format, due_ms FROM t_due, seq_1_to_%d",
	    REMOVED);
	root_run("UPDATE t_webhooks SET state = 'gone' WHERE id = %" PRIu64, webhook);
	/* new ids are far above them */
	root_run("UPDATE t_id_blocks SET next = next + 2000000 WHERE name = 'history'");
	store_free(&w->store);
	w->store = store_new(&world_options);
	root_run("START TRANSACTION WITH CONSISTENT SNAPSHOT");
	while (done > 0)
		assert_int_equal(store_fail_pending(w->store, webhook, REMOVED, &done), RESULT_OK);
	assert_int_equal(store_enable_webhook(w->store, webhook), RESULT_OK);
	sign_up_many(w, "new", 1);
	struct due_webhooks all, newly;
	const int64_t all_pages = pages_read(w, false, &all), new_pages = pages_read(w, true, &newly);
	assert_int_equal(all.due_count, 1);
	assert_int_equal(newly.due_count, 1);
	assert_int_equal(newly.due[0].webhook_id, webhook);
	assert_true(newly.due[0].first_due_ms == all.due[0].first_due_ms);
	/* otherwise the snapshot keeps nothing from being purged */
	assert_true(all_pages > 2 * FEW_PAGES);
	assert_in_range(new_pages, 1, FEW_PAGES);
	root_run("COMMIT");
}

/* Both queries return the same columns. */
static void
the_newest_have_the_same_columns(void **state)
{
	struct world *w = *state;
	uint64_t old = make_due(w, 1);
	/* its id is far below the newest */
	root_run("UPDATE t_due SET id = id - 300000, due_ms = due_ms - 60000");
	uint64_t webhook = add_webhook(w, w->campaign, "https://new.example/", EVENT_BIT(EVENT_NEW_SIGNUP));
	root_run("UPDATE t_webhooks SET events = 0 WHERE id = %" PRIu64, old);
	root_run("UPDATE t_campaign_counters SET settings_version = settings_version + 1");
	sign_up_many(w, "new", 3);
	root_run("UPDATE t_webhook_status SET failures = 7, probes = 2, failing_since_ms = 5, last_delivery_ms = 4 WHERE "
		 "webhook_id = %" PRIu64,
	    webhook);
	root_run("UPDATE t_webhooks SET rate = 9 WHERE id = %" PRIu64, webhook);
	struct due_webhooks found = find_due(w, true), all = find_due(w, false);
	assert_int_equal(found.due_count, 1);
	assert_int_equal(all.due_count, 2);
	assert_int_equal(all.due[0].webhook_id, old);
	assert_false(all.due[0].succeeded);
	const struct due_webhook *rows[] = { &found.due[0], &all.due[1] };
	for (size_t i = 0; i < 2; i++)
		assert_true(rows[i]->webhook_id == webhook && rows[i]->failures == 7 && rows[i]->probes == 2 &&
			    rows[i]->failing_since_ms == 5 && rows[i]->succeeded && rows[i]->rate == 9);
	const int64_t first_ms = rows[0]->first_due_ms, now_ms = found.now_ms;
	assert_true(rows[1]->first_due_ms == first_ms);
	/* a delivery that waited for the end of a hold was due earlier */
	root_run("UPDATE t_webhook_status SET hold_until_ms = %" PRId64 " WHERE webhook_id = %" PRIu64, now_ms - 1, webhook);
	assert_true(find_due(w, true).due[0].first_due_ms == first_ms);
	assert_true(find_due(w, false).due[1].first_due_ms == first_ms);
	/* held, disabled, removed: not due */
	root_run(
	    "UPDATE t_webhook_status SET hold_until_ms = %" PRId64 " WHERE webhook_id = %" PRIu64, now_ms + 90000, webhook);
	found = find_due(w, true);
	assert_int_equal(found.due_count, 0);
	assert_true(found.next_due_ms == now_ms + 90000);
	root_run("UPDATE t_webhook_status SET hold_until_ms = 0");
	root_run("UPDATE t_webhooks SET state = 'disabled' WHERE id = %" PRIu64, webhook);
	assert_int_equal(find_due(w, true).due_count, 0);
	root_run("UPDATE t_webhooks SET state = 'active' WHERE id = %" PRIu64, webhook);
	assert_int_equal(find_due(w, true).due_count, 1);
	assert_int_equal(store_remove_webhook_id(w->store, webhook), RESULT_OK);
	assert_int_equal(find_due(w, true).due_count, 0);
}

/* A claim returns the time of its last row. */
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

/* Rows read ahead are claimed without another query; changes of other processes to them are respected. */
static void
a_claim_reads_ahead(void **state)
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
	/* a query, and three statements per claim */
	assert_in_range(root_questions() - begun, 30, 32);
	assert_int_equal(ahead.count - ahead.at, 2);
	root_run("DELETE FROM t_due WHERE id = %" PRIu64, ahead.rows[ahead.at].id);
	assert_int_equal(store_claim(w->store, w->pool, owners[0], LONG_MS, &request, 1, &deliveries, &count), RESULT_OK);
	assert_int_equal(count, 3); /* queried again: two were too few */
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
#define DUE_TEST(name) cmocka_unit_test_setup_teardown(name, open_due, world_close)
	const struct CMUnitTest tests[] = {
		DUE_TEST(the_cost_depends_on_the_webhooks),
		DUE_TEST(new_rows_are_found_after_removed_ones),
		DUE_TEST(the_newest_have_the_same_columns),
		DUE_TEST(a_claim_goes_on_where_the_last_one_ended),
		DUE_TEST(a_claim_reads_ahead),
	};
	return WORLD_MAIN(tests);
}
