/* SPDX-License-Identifier: MIT
 * The search for due deliveries (docs/deliveries.md 4 and 6): what is found, and its cost: it depends on the webhooks, not on
 * the rows, and removed rows are not read repeatedly while a dump keeps them from being purged. */
#include "unit.h"

#include <inttypes.h>
#include <stdio.h>

#include "engine/events.h"
#include "store/fetched.h"
#include "store/hooks/webhooks.h"
#include "store/operator/accounts.h"
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

/* The lowest number of several attempts: the server's own threads read pages, too. */
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

/* The cost depends on the webhooks, not on the rows, in later queries, too. */
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
		(void)fetch(w, webhooks[i], 8);
	}
	root_run("DELETE FROM t_webhooks");
}

/* A query for only the newest rows does not read removed ones, which an open snapshot keeps. */
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
	assert_int_equal(store_remove_webhook_id(w->store, NULL, webhook), RESULT_OK);
	/* new ids are far above them */
	root_run("UPDATE t_id_blocks SET next = next + 2000000 WHERE name = 'history'");
	store_free(&w->store);
	w->store = store_new(&world_options);
	root_run("START TRANSACTION WITH CONSISTENT SNAPSHOT");
	while (done > 0)
		assert_int_equal(store_fail_pending(w->store, webhook, &no_ids, REMOVED, &done), RESULT_OK);
	webhook = add_webhook(w, w->campaign, "https://new.example/", EVENT_BIT(EVENT_NEW_SIGNUP));
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
	/* its id is far lower than the newest */
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
			    rows[i]->failing_since_ms == 5 && rows[i]->succeeded && rows[i]->rate == 9 &&
			    rows[i]->account_id == w->account);
	const int64_t first_ms = rows[0]->first_due_ms, now_ms = found.now_ms;
	assert_true(rows[1]->first_due_ms == first_ms);
	/* a delivery that waited for the end of a hold has been due for longer */
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
	assert_int_equal(store_remove_webhook_id(w->store, NULL, webhook), RESULT_OK);
	assert_int_equal(find_due(w, true).due_count, 0);
}

/* Rows are ordered by time, then by id: none is fetched twice or skipped, no matter what their times are. */
static void
a_fetch_goes_on_after_the_last_one(void **state)
{
	static const char *const times[] = { "1000", "1000 + id MOD 3", "CASE WHEN id MOD 7 = 0 THEN 1000 ELSE 1001 END" };
	enum { ROWS = 13, AT_ONCE = 3 };
	struct world *w = *state;
	uint64_t webhook = make_due(w, ROWS);
	for (size_t i = 0; i < ARRAY_SIZE(times); i++) {
		struct due_request request = { .webhook_id = webhook, .rows = AT_ONCE };
		struct due_position last = { 0 };
		size_t found = 0;
		root_run("UPDATE t_due SET due_ms = %s", times[i]);
		do {
			struct due_deliveries fetched = fetch_request(w, &request, &no_ids);
			assert_int_equal(fetched.count, found < ROWS / AT_ONCE * AT_ONCE ? AT_ONCE : ROWS % AT_ONCE);
			for (size_t k = 0; k < fetched.count; k++, found++) {
				const int64_t due_ms =
				    root_number("SELECT due_ms FROM t_due WHERE id = %" PRIu64, fetched.items[k].id);
				assert_true(due_ms > last.due_ms || (due_ms == last.due_ms && fetched.items[k].id > last.id));
				last = (struct due_position){ due_ms, fetched.items[k].id };
			}
			assert_true(request.last.due_ms == last.due_ms && request.last.id == last.id);
		} while (request.more);
		assert_int_equal(found, ROWS);
		assert_int_equal(fetch_request(w, &request, &no_ids).count, 0);
		assert_false(request.more);
		assert_true(request.last.due_ms == last.due_ms && request.last.id == last.id);
	}
	/* what is due later is not fetched */
	root_run("UPDATE t_due SET due_ms = UNIX_TIMESTAMP() * 1000 + %d WHERE id MOD 2 = 0", LONG_MS);
	assert_int_equal(fetch(w, webhook, ALL_ROWS).count, root_number("SELECT COUNT(*) FROM t_due WHERE id MOD 2 = 1"));
}

/* … and are not counted: as many others as requested are fetched. The position moves past them. */
static void
deliveries_under_way_are_skipped(void **state)
{
	enum { ROWS = 10 };
	struct world *w = *state;
	uint64_t webhook = make_due(w, ROWS), ids[ROWS];
	root_run("UPDATE t_due SET due_ms = 1000");
	struct due_deliveries all = fetch(w, webhook, ROWS);
	for (size_t i = 0; i < ROWS; i++)
		ids[i] = all.items[i].id;
	/* the first three and the fifth delivery; one of another webhook; an unknown one */
	const uint64_t under_way[] = { 1, ids[0], ids[1], ids[2], ids[4], ids[9] + UNKNOWN_ID };
	const struct id_set set = { under_way, ARRAY_SIZE(under_way) };
	struct due_request request = { .webhook_id = webhook, .rows = 3, .under_way = 4 };
	struct due_deliveries fetched = fetch_request(w, &request, &set);
	assert_int_equal(fetched.count, 3);
	assert_true(fetched.items[0].id == ids[3] && fetched.items[1].id == ids[5] && fetched.items[2].id == ids[6]);
	assert_true(request.last.id == ids[6] && request.more);
	fetched = fetch_request(w, &request, &set);
	assert_int_equal(fetched.count, 3);
	assert_true(fetched.items[2].id == ids[9] && request.last.id == ids[9]);
	assert_false(request.more); /* it read fewer rows than the limit */
	/* only deliveries under way */
	const struct id_set every = { ids, ROWS };
	request = (struct due_request){ .webhook_id = webhook, .rows = 2, .under_way = ROWS };
	assert_int_equal(fetch_request(w, &request, &every).count, 0);
	assert_true(request.last.id == ids[9]);
	assert_false(request.more);
	/* more is left than was requested, though fewer rows than the limit */
	request = (struct due_request){ .webhook_id = webhook, .rows = ROWS - 1, .under_way = 4 };
	assert_int_equal(fetch_request(w, &request, &no_ids).count, ROWS - 1);
	assert_true(request.more);
	/* a delivery that has ended in the meantime is missing; a webhook that was removed has no destination */
	root_run("DELETE FROM t_due WHERE id = %" PRIu64, ids[0]);
	assert_int_equal(store_remove_webhook_id(w->store, NULL, webhook), RESULT_OK);
	fetched = fetch(w, webhook, ROWS);
	assert_int_equal(fetched.count, ROWS - 1);
	assert_int_equal(fetched.items->destination->state, WEBHOOK_MISSING);
}

/* Three statements are enough for any number of webhooks; each delivery has its webhook's destination. */
static void
webhooks_are_fetched_together(void **state)
{
	enum { WEBHOOKS = 5, LEADS = 4 };
	struct world *w = *state;
	struct due_request requests[WEBHOOKS];
	struct due_deliveries deliveries;
	for (size_t i = 0; i < WEBHOOKS; i++) {
		uint64_t webhook = add_webhook(
		    w, w->campaign, pool_printf(w->pool, "https://a%zu.example/", i).data, EVENT_BIT(EVENT_NEW_SIGNUP));
		requests[WEBHOOKS - 1 - i] = (struct due_request){ .webhook_id = webhook, .rows = i };
	}
	sign_up_many(w, "due", LEADS);
	for (int run = 0; run < 2; run++) { /* the first one prepares the statements */
		const int64_t before = root_questions();
		for (size_t i = 0; i < WEBHOOKS; i++)
			requests[i].last = (struct due_position){ 0 };
		assert_int_equal(store_fetch_due(w->store, w->pool, requests, WEBHOOKS, &no_ids, &deliveries), RESULT_OK);
		assert_true(run == 0 || root_questions() - before == 3);
	}
	assert_int_equal(deliveries.count, 4 + 3 + 2 + 1);
	for (size_t i = 0, at = 0; i < WEBHOOKS; i++)
		for (size_t k = 0; k < requests[i].rows; k++, at++) {
			assert_int_equal(deliveries.items[at].destination->webhook_id, requests[i].webhook_id);
			assert_int_equal(
			    root_number("SELECT webhook_id FROM t_due WHERE id = %" PRIu64, deliveries.items[at].id),
			    requests[i].webhook_id);
		}
}

/* The cost depends neither on the number of a webhook's rows nor on the position among them, even if all have the same time. */
static void
a_fetch_reads_what_it_returns(void **state)
{
	enum { ROWS = 20000, SOME = 50 };
	struct world *w = *state;
	uint64_t webhook = make_due(w, 1);
	root_run(
	    "INSERT INTO t_due (id, event_id, shard, webhook_id, format, due_ms) SELECT id + seq, event_id, shard, webhook_id, "
	    "format, 1000 FROM t_due, seq_1_to_%d",
	    ROWS);
	root_run("ANALYZE TABLE t_due");
	const uint64_t first = (uint64_t)root_number("SELECT MIN(id) FROM t_due");
	for (uint64_t third = 0; third < 3; third++) {
		struct due_request request = { .webhook_id = webhook, .rows = SOME };
		request.last = (struct due_position){ 1000, first + third * ROWS / 3 };
		fetch_request(w, &request, &no_ids); /* prepares the statements */
		request.last = (struct due_position){ 1000, first + third * ROWS / 3 };
		const int64_t before = root_rows_read();
		assert_int_equal(fetch_request(w, &request, &no_ids).count, SOME);
		/* index, row and event of each; the webhook */
		assert_in_range(root_rows_read() - before, SOME, 3 * SOME + 10);
	}
}

/* docs/deliveries.md 4: accounts share a dispatcher, so it must know whether there are several. */
static void
several_accounts_are_noticed(void **state)
{
	struct world *w = *state;
	uint64_t account;
	root_run("CREATE TABLE t_copy AS SELECT * FROM t_accounts WHERE id <> %" PRIu64, w->account);
	root_run("DELETE FROM t_accounts WHERE id <> %" PRIu64, w->account);
	assert_false(find_due(w, false).several_accounts);
	assert_int_equal(store_add_account(w->store, NULL, SLICE("Other"), &account), RESULT_OK);
	assert_true(find_due(w, false).several_accounts);
	root_run("INSERT INTO t_accounts SELECT * FROM t_copy");
	root_run("DROP TABLE t_copy");
}

/* A webhook with a delivery that has been due since `due_ms`. */
static uint64_t
add_due(struct world *w, uint64_t campaign, unsigned number, int64_t due_ms)
{
	const uint64_t id = add_webhook(w, campaign, pool_printf(w->pool, "https://a%u.example/", number).data, 1);
	root_run("INSERT INTO t_due (id, event_id, shard, webhook_id, format, due_ms) VALUES (%u, 1, %u, %" PRIu64
		 ", 'json', %" PRId64 ")",
	    number, webhook_shard(id), id, due_ms);
	return id;
}

/* docs/deliveries.md 4: no matter how many webhooks of an account have something due, and for how long, the oldest of every
 * account is found. */
static void
no_account_hides_another(void **state)
{
	enum { WEBHOOKS = 20, FOUND = 10, LATER_MS = 1000 };
	struct world *w = *state;
	const uint64_t other = add_campaign(w);
	uint64_t due[WEBHOOKS];
	root_run("DELETE FROM t_webhooks");
	root_run("UPDATE t_campaigns SET account_id = account_id + 1 WHERE id = %" PRIu64, other);
	for (unsigned i = 0; i < WEBHOOKS; i++)
		due[i] = add_due(w, w->campaign, 1 + i, 1 + i);
	const uint64_t late = add_due(w, other, 100, LATER_MS), later = add_due(w, other, 101, LATER_MS + 1);
	root_run("UPDATE t_due SET id = id + UNIX_TIMESTAMP() DIV 86400 * 68719476736 + (SELECT next FROM t_id_blocks WHERE "
		 "name = 'history')");
	for (int newest = 0; newest < 2; newest++) {
		const struct due_webhooks found = find_due(w, newest == 1);
		assert_int_equal(found.due_count, FOUND);
		assert_int_equal(found.due[0].webhook_id, due[0]);
		assert_int_equal(found.due[1].webhook_id, late);
		assert_true(found.due[1].account_id == w->account + 1);
		assert_int_equal(found.due[2].webhook_id, due[1]);
		assert_int_equal(found.due[3].webhook_id, later);
		for (size_t i = 4; i < FOUND; i++)
			assert_int_equal(found.due[i].webhook_id, due[i - 2]);
	}
	/* nor do removed webhooks */
	root_run("INSERT INTO t_due (id, event_id, shard, webhook_id, format, due_ms) SELECT 1000 + seq, 1, seq %% 64, "
		 "1000000 + seq, 'json', 1 FROM seq_1_to_21000");
	const struct due_webhooks found = find_due(w, false);
	assert_int_equal(found.due_count, FOUND);
	assert_int_equal(found.due[1].webhook_id, late);
	assert_int_equal(found.ended_count, FOUND);
	/* what comes due next is the earliest of any account */
	root_run("DELETE FROM t_due WHERE webhook_id > 1000000");
	root_run("UPDATE t_due SET due_ms = %" PRId64 " + webhook_id", found.now_ms + LONG_MS);
	root_run(
	    "UPDATE t_due SET due_ms = %" PRId64 " WHERE webhook_id = %" PRIu64, found.now_ms + LONG_MS, due[WEBHOOKS - 1]);
	assert_true(find_due(w, false).next_due_ms == found.now_ms + LONG_MS);
	root_run("DELETE FROM t_webhooks");
}

int
main(void)
{
#define DUE_TEST(name) cmocka_unit_test_setup_teardown(name, open_due, world_close)
	const struct CMUnitTest tests[] = {
		DUE_TEST(the_cost_depends_on_the_webhooks),
		DUE_TEST(new_rows_are_found_after_removed_ones),
		DUE_TEST(the_newest_have_the_same_columns),
		DUE_TEST(a_fetch_goes_on_after_the_last_one),
		DUE_TEST(deliveries_under_way_are_skipped),
		DUE_TEST(webhooks_are_fetched_together),
		DUE_TEST(a_fetch_reads_what_it_returns),
		DUE_TEST(several_accounts_are_noticed),
		DUE_TEST(no_account_hides_another),
	};
	return WORLD_MAIN(tests);
}
