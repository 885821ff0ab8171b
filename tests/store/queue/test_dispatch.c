/* SPDX-License-Identifier: MIT
 * Leases, due deliveries and outcomes (docs/deliveries.md 3 and 4): a shard has one owner, only its owner records outcomes, and
 * each attempt is recorded once. Modules: store/queue/shards, store/queue/due_deliveries, store/queue/outcomes. */
#include "unit.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "engine/events.h"
#include "os/clock.h"
#include "store/fetched.h"
#include "store/hooks/webhooks.h"
#include "store/operator/webhook_admin.h"
#include "store/world.h"

enum { SHORT_MS = 50, DEADLINE_MS = 10 * 1000 };

#define ALL_SHARDS UINT64_MAX
static int
open_dispatch(void **state)
{
	root_run("DELETE FROM t_due");
	root_run("UPDATE t_dispatch_shards SET owner = NULL, lease_until_ms = 0");
	return world_open(state);
}

#define DISPATCH_TEST(name) cmocka_unit_test_setup_teardown(name, open_dispatch, world_close)

static void
pause_a_moment(void)
{
	nanosleep(&(struct timespec){ .tv_nsec = 5 * 1000000 }, NULL);
}

/* docs/deliveries.md 4: each shard belongs to one dispatcher at a time, and is free after its release or the end of its
 * lease. */
static void
a_shard_has_one_owner(void **state)
{
	struct world *w = *state;
	assert_true(lease(w, owners[0], LONG_MS) == ALL_SHARDS);
	assert_true(lease(w, owners[0], LONG_MS) == ALL_SHARDS);
	assert_true(lease(w, owners[1], LONG_MS) == 0);
	assert_int_equal(store_shards_release(w->store, owners[1]), RESULT_OK);
	assert_true(lease(w, owners[1], LONG_MS) == 0);
	assert_int_equal(store_shards_release(w->store, owners[0]), RESULT_OK);
	assert_true(lease(w, owners[1], LONG_MS) == ALL_SHARDS);
}

static void
a_lease_ends(void **state)
{
	struct world *w = *state;
	uint64_t held = 0;
	assert_true(lease(w, owners[0], SHORT_MS) == ALL_SHARDS);
	for (int64_t deadline = clock_monotonic_ms() + DEADLINE_MS; held == 0 && clock_monotonic_ms() < deadline;) {
		pause_a_moment();
		held = lease(w, owners[1], LONG_MS);
	}
	assert_true(held == ALL_SHARDS);
	assert_true(lease(w, owners[0], LONG_MS) == 0);
}

static bool
lease_some(struct store *store, const struct world *world UNUSED, unsigned index)
{
	unsigned char owner[DISPATCH_OWNER_SIZE] = { (unsigned char)index };
	enum result result = RESULT_CONFLICT;
	for (int i = 0; i < 100 && result == RESULT_CONFLICT; i++)
		result = store_shards_lease(store, owner, LONG_MS, &shared[index]);
	return result == RESULT_OK;
}

static void
processes_never_share_a_shard(void **state)
{
	uint64_t together = 0;
	processes_start(*state, PROCESSES_MAX, lease_some);
	assert_true(processes_end());
	for (size_t i = 0; i < PROCESSES_MAX; i++) {
		assert_true((together & shared[i]) == 0);
		together |= shared[i];
	}
	assert_true(together == ALL_SHARDS);
}

static void
a_delivery_says_all_that_is_sent(void **state)
{
	struct world *w = *state;
	uint64_t webhook = make_due(w, 1),
		 form = add_webhook(w, w->campaign, "https://form.example/", EVENT_BIT(EVENT_NEW_SIGNUP));
	struct due_deliveries fetched = fetch(w, webhook, ALL_ROWS);
	assert_int_equal(fetched.count, 1);
	const struct due_delivery *d = fetched.items;
	assert_int_equal(d->destination->webhook_id, webhook);
	assert_int_equal(d->attempt, 1);
	assert_int_equal(d->attempts_before, 0);
	assert_int_equal(d->destination->state, WEBHOOK_ACTIVE);
	assert_slice(d->event, "new_signup");
	assert_slice(d->destination->url, "https://a.example/hook");
	assert_slice(d->destination->secret, "whsec_secret");
	assert_true(slice_starts_with(d->message_id, SLICE("msg_")));
	assert_true(slice_starts_with(d->payload, SLICE("{")));
	assert_non_null(strstr(d->payload.data, "\"__event\":\"new_signup\""));
	assert_non_null(strstr(d->payload.data, "due0@example.org"));
	assert_false(d->form);
	sign_up_many(w, "form", 1);
	fetched = fetch(w, form, ALL_ROWS);
	assert_int_equal(fetched.count, 1);
	assert_true(fetched.items->form); /* its URL contains a word of form_urls */
}

/* Fetching changes nothing: a delivery is fetched again until its outcome is recorded. */
static void
the_oldest_are_fetched_up_to_the_limit(void **state)
{
	struct world *w = *state;
	uint64_t webhook = make_due(w, 8);
	int64_t oldest = root_number("SELECT MAX(id) FROM t_due");
	root_run("UPDATE t_due SET due_ms = due_ms - 1000 WHERE id = %" PRId64, oldest);
	for (int i = 0; i < 2; i++) {
		struct due_deliveries first = fetch(w, webhook, 1);
		assert_int_equal(first.count, 1);
		assert_int_equal(first.items->id, oldest);
		assert_int_equal(first.items->attempt, 1);
	}
	assert_int_equal(fetch(w, webhook, 4).count, 4);
	assert_int_equal(fetch(w, webhook, ALL_ROWS).count, 8);
	assert_int_equal(fetch(w, webhook + 1, ALL_ROWS).count, 0);
}

/* docs/deliveries.md 4.1: outcomes of a webhook are recorded only by the dispatcher that was the last to lease its shard. */
static void
only_the_owner_records(void **state)
{
	struct world *w = *state;
	uint64_t webhook = make_due(w, 1);
	struct delivery_outcome outcome = outcome_of(fetch(w, webhook, 1).items, DELIVERY_DELIVERED, 200);
	assert_int_equal(store_record_outcomes(w->store, owners[1], &outcome, 1), RESULT_OK); /* of another dispatcher */
	assert_true(outcome.stale);
	root_run("UPDATE t_dispatch_shards SET lease_until_ms = UNIX_TIMESTAMP() * 1000 - 1000");
	assert_true(lease(w, owners[1], LONG_MS) == ALL_SHARDS);
	assert_int_equal(record_outcomes(w, &outcome, 1), 1); /* the shard was taken over */
	assert_int_equal(root_number(DUE " AND attempts = 0", webhook), 1);
	assert_int_equal(root_number(DELIVERIES, webhook), 0);
	/* a shard of its own is enough, even after the end of the lease: a clock may have jumped */
	root_run("UPDATE t_dispatch_shards SET owner = '%.16s', lease_until_ms = 0 WHERE shard = %u", (const char *)owners[0],
	    webhook_shard(webhook));
	assert_int_equal(record_outcomes(w, &outcome, 1), 0);
	assert_int_equal(root_number(DELIVERIES, webhook), 1);
}

static bool
take_over(struct store *store, const struct world *world UNUSED, unsigned index UNUSED)
{
	return store_shards_lease(store, owners[1], LONG_MS, &shared[0]) == RESULT_OK && shared[0] == ALL_SHARDS;
}

/* … even if the lease ends during the transaction: no other dispatcher takes the shard before the transaction ends. */
static void
a_shard_is_not_taken_over_while_outcomes_are_recorded(void **state)
{
	struct world *w = *state;
	root_run("UPDATE t_dispatch_shards SET owner = '%.16s', lease_until_ms = UNIX_TIMESTAMP() * 1000 - 1000",
	    (const char *)owners[0]);
	root_run("START TRANSACTION");
	root_run("SELECT * FROM t_dispatch_shards WHERE shard = 5 LOCK IN SHARE MODE");
	processes_start(w, 1, take_over);
	const bool waited = root_wait_for(1, ROW_LOCK_WAITS);
	root_run("COMMIT");
	assert_true(processes_end());
	assert_true(waited);
}

/* An attempt is recorded once, and only if it is the next one: not after another dispatcher has recorded it, and not after the
 * delivery has ended. */
static void
an_attempt_is_recorded_once(void **state)
{
	struct world *w = *state;
	uint64_t webhook = make_due(w, 1);
	for (unsigned attempt = 1; attempt <= 3; attempt++) {
		root_run("UPDATE t_due SET due_ms = 1");
		struct due_deliveries fetched = fetch(w, webhook, 1);
		assert_int_equal(fetched.items->attempt, attempt);
		struct delivery_outcome outcome =
		    outcome_of(fetched.items, attempt == 3 ? DELIVERY_DELIVERED : DELIVERY_PENDING, 500);
		assert_int_equal(record_outcomes(w, &outcome, 1), 0);
		outcome.state = DELIVERY_FAILED;
		assert_int_equal(record_outcomes(w, &outcome, 1), 1);
	}
	assert_int_equal(root_number(ATTEMPTS " AND attempt IN (1, 2, 3)", webhook, webhook), 3);
	assert_int_equal(root_number(DELIVERIES " AND state = 'delivered' AND attempts = 3", webhook), 1);
	assert_int_equal(root_number(DUE, webhook), 0);
}

/* docs/deliveries.md 3, interrupted: at the end of its schedule, a delivery fails without another attempt. No attempt is
 * counted or logged. */
static void
an_end_without_an_attempt_counts_none(void **state)
{
	struct world *w = *state;
	uint64_t webhook = make_due(w, 1);
	struct delivery_outcome outcome = outcome_of(fetch(w, webhook, 1).items, DELIVERY_PENDING, 500);
	assert_int_equal(record_outcomes(w, &outcome, 1), 0);
	outcome.not_made = true;
	outcome.state = DELIVERY_FAILED;
	assert_int_equal(record_outcomes(w, &outcome, 1), 0);
	assert_int_equal(root_number(ATTEMPTS, webhook, webhook), 1);
	assert_int_equal(root_number(DELIVERIES " AND state = 'failed' AND attempts = 1", webhook), 1);
	assert_int_equal(root_number(DUE, webhook), 0);
}

/* docs/deliveries.md 4.1: the dispatcher that gets the lock file of a dead one frees its shards and counts the attempts that it
 * had under way, unless they were recorded. */
static void
interrupted_attempts_are_counted_once(void **state)
{
	struct world *w = *state;
	uint64_t webhook = make_due(w, 4);
	struct due_deliveries fetched = fetch(w, webhook, ALL_ROWS);
	struct interrupted_delivery interrupted[3];
	for (size_t i = 0; i < ARRAY_SIZE(interrupted); i++)
		interrupted[i] = (struct interrupted_delivery){ fetched.items[i].id, 1, 0, LONG_MS };
	/* the second was recorded; the third has ended */
	struct delivery_outcome outcomes[] = { outcome_of(&fetched.items[1], DELIVERY_PENDING, 500),
		outcome_of(&fetched.items[2], DELIVERY_DELIVERED, 200) };
	outcomes[0].next_due_in_ms = 2 * LONG_MS;
	assert_int_equal(record_outcomes(w, outcomes, 2), 0);
	for (int i = 0; i < 2; i++) { /* the answer to the first is lost */
		assert_int_equal(store_recover(w->store, owners[0], interrupted, ARRAY_SIZE(interrupted)), RESULT_OK);
		assert_int_equal(root_number(DUE " AND attempts = 1 AND id IN (%" PRIu64 ", %" PRIu64 ")", webhook,
				     fetched.items[0].id, fetched.items[1].id),
		    2);
		assert_int_equal(root_number(DUE " AND attempts = 0 AND due_ms <= UNIX_TIMESTAMP(NOW(3)) * 1000", webhook), 1);
		assert_int_equal(root_number(DUE " AND attempts = 1 AND due_ms > (UNIX_TIMESTAMP() + 90) * 1000", webhook), 1);
		assert_int_equal(root_number(DUE " AND attempts = 1 AND due_ms BETWEEN (UNIX_TIMESTAMP() + 30) * 1000 AND "
						 "(UNIX_TIMESTAMP() + 61) * 1000",
				     webhook),
		    1);
	}
	assert_int_equal(root_number(DELIVERIES, webhook), 1);
	assert_true(lease(w, owners[1], LONG_MS) == ALL_SHARDS);
	/* the outcome, if it still arrives */
	struct delivery_outcome late = outcome_of(&fetched.items[0], DELIVERY_DELIVERED, 200);
	assert_int_equal(store_record_outcomes(w->store, owners[1], &late, 1), RESULT_OK);
	assert_true(late.stale);
}

/* … only in its own shards: another dispatcher that leases them may be sending the same deliveries. */
static void
only_the_dead_owner_is_recovered(void **state)
{
	struct world *w = *state;
	uint64_t webhook = make_due(w, 1);
	const struct interrupted_delivery interrupted = { fetch(w, webhook, 1).items->id, 1, 0, LONG_MS };
	assert_int_equal(store_recover(w->store, (const unsigned char *)"an unknown owner", &interrupted, 1), RESULT_OK);
	assert_true(lease(w, owners[1], LONG_MS) == 0);
	assert_int_equal(store_shards_release(w->store, owners[0]), RESULT_OK);
	assert_true(lease(w, owners[1], LONG_MS) == ALL_SHARDS);
	assert_int_equal(store_recover(w->store, owners[0], &interrupted, 1), RESULT_OK);
	assert_true(lease(w, owners[0], LONG_MS) == 0);
	assert_int_equal(root_number(DUE " AND attempts = 0", webhook), 1);
	assert_int_equal(store_recover(w->store, owners[1], NULL, 0), RESULT_OK);
	assert_true(lease(w, owners[0], LONG_MS) == ALL_SHARDS);
}

static struct due_webhooks
find_due(struct world *w, uint64_t held, size_t limit)
{
	struct due_webhooks found;
	assert_int_equal(
	    store_due_webhooks(w->store, w->pool, &(struct due_query){ .shards = held, .limit = limit }, &found), RESULT_OK);
	return found;
}

/* docs/deliveries.md 1.1: after a 410, deliveries are still made, and wait until the webhook is enabled; so does the delivery
 * that got the 410. */
static void
a_webhook_that_is_gone_keeps_its_deliveries(void **state)
{
	struct world *w = *state;
	uint64_t webhook = make_due(w, 2);
	struct due_deliveries fetched = fetch(w, webhook, 1);
	struct delivery_outcome gone = outcome_of(fetched.items, DELIVERY_PENDING, 410);
	gone.webhook_failures = 1;
	record_outcomes(w, &gone, 1);
	assert_int_equal(store_deactivate_webhook(w->store, webhook, WEBHOOK_GONE, LOCK_SOON), RESULT_OK);
	assert_int_equal(fetch(w, webhook, 1).items->destination->state, WEBHOOK_GONE);
	sign_up_many(w, "after", 2);
	assert_int_equal(root_number(DUE, webhook), 4);
	struct due_webhooks found = find_due(w, ALL_SHARDS, 10);
	assert_true(found.due_count == 0 && found.ended_count == 0);
	assert_int_equal(store_enable_webhook(w->store, NULL, webhook), RESULT_OK);
	found = find_due(w, ALL_SHARDS, 10);
	assert_int_equal(found.due_count, 1);
	assert_int_equal(found.due[0].webhook_id, webhook);
	assert_int_equal(root_number(DUE, webhook), 4);
}

/* docs/deliveries.md 4: a locked campaign delays no outcome, not even one that deactivates one of its webhooks. */
static void
a_locked_campaign_holds_up_no_outcome(void **state)
{
	struct world *w = *state;
	uint64_t webhook = make_due(w, 2);
	struct due_deliveries fetched = fetch(w, webhook, 2);
	struct delivery_outcome outcomes[] = { outcome_of(&fetched.items[0], DELIVERY_FAILED, 410),
		outcome_of(&fetched.items[1], DELIVERY_DELIVERED, 200) };
	outcomes[0].webhook_failures = outcomes[1].webhook_failures = 1;
	outcomes[0].webhook_state = WEBHOOK_GONE;
	root_run("START TRANSACTION");
	root_run("UPDATE t_campaign_counters SET lead_count = lead_count + 1 WHERE campaign_id = %" PRIu64, w->campaign);
	assert_int_equal(record_outcomes(w, outcomes, 1), 0);
	assert_int_equal(record_outcomes(w, outcomes + 1, 1), 0);
	root_run("ROLLBACK");
	assert_int_equal(root_number(DELIVERIES, webhook), 2);
	assert_int_equal(root_number("SELECT state = 'active' FROM t_webhooks WHERE id = %" PRIu64, webhook), 1);
}

static void
due_webhooks_are_found_oldest_first(void **state)
{
	struct world *w = *state;
	uint64_t ids[3];
	for (size_t i = 0; i < 3; i++)
		ids[i] = add_webhook(
		    w, w->campaign, pool_printf(w->pool, "https://a.example/%zu", i).data, EVENT_BIT(EVENT_NEW_SIGNUP));
	struct due_webhooks l = find_due(w, ALL_SHARDS, 10);
	assert_int_equal(l.due_count, 0);
	assert_true(l.next_due_ms == -1);
	sign_up_many(w, "due", 5);
	root_run("UPDATE t_due SET due_ms = due_ms - 1000 WHERE webhook_id = %" PRIu64, ids[1]);
	l = find_due(w, ALL_SHARDS, 10);
	assert_int_equal(l.due_count, 3);
	assert_int_equal(l.due[0].webhook_id, ids[1]);
	root_run("DELETE FROM t_webhook_status WHERE webhook_id = %" PRIu64, ids[2]); /* no hold was requested */
	assert_int_equal(find_due(w, ALL_SHARDS, 10).due_count, 3);
	assert_true(l.due[0].first_due_ms <= l.now_ms - 1000);
	assert_int_equal(find_due(w, ALL_SHARDS, 1).due_count, 1);
	assert_int_equal(find_due(w, 0, 10).due_count, 0);
	uint64_t shard = UINT64_C(1) << webhook_shard(ids[1]);
	assert_int_equal(find_due(w, shard, 10).due[0].webhook_id, ids[1]);
	assert_true(find_due(w, ALL_SHARDS & ~shard, 10).due[0].webhook_id != ids[1]);
	root_run("UPDATE t_due SET due_ms = due_ms + %d WHERE webhook_id = %" PRIu64, LONG_MS, ids[0]);
	l = find_due(w, ALL_SHARDS, 10);
	assert_int_equal(l.due_count, 2);
	assert_in_range(l.next_due_ms, l.now_ms + LONG_MS / 2, l.now_ms + LONG_MS);
}

/* A hold requested by the receiver is respected; a disabled webhook's deliveries wait. */
static void
only_active_webhooks_are_due(void **state)
{
	struct world *w = *state;
	uint64_t webhook = make_due(w, 2);
	struct due_deliveries fetched = fetch(w, webhook, 1);
	struct delivery_outcome held = outcome_of(fetched.items, DELIVERY_PENDING, 429);
	held.webhook_hold_ms = LONG_MS / 2;
	record_outcomes(w, &held, 1);
	struct due_webhooks l = find_due(w, ALL_SHARDS, 10);
	assert_int_equal(l.due_count, 0);
	assert_in_range(l.next_due_ms, l.now_ms + LONG_MS / 4, l.now_ms + LONG_MS / 2);
	root_run("UPDATE t_webhook_status SET hold_until_ms = 0 WHERE webhook_id = %" PRIu64, webhook);
	assert_int_equal(find_due(w, ALL_SHARDS, 10).due_count, 1);
	root_run("UPDATE t_webhooks SET state = 'disabled' WHERE id = %" PRIu64, webhook);
	l = find_due(w, ALL_SHARDS, 10);
	assert_int_equal(l.due_count, 0);
	assert_true(l.next_due_ms == -1);
}

/* docs/deliveries.md 1 and 3: deliveries of a removed webhook are ended at once, no matter when they are due. */
static void
webhooks_that_ended_are_found_at_once(void **state)
{
	struct world *w = *state;
	uint64_t other = add_webhook(w, w->campaign, "https://b.example/", EVENT_BIT(EVENT_NEW_SIGNUP));
	uint64_t webhook = make_due(w, 3);
	root_run("UPDATE t_due SET due_ms = due_ms + %d WHERE webhook_id = %" PRIu64, 3 * LONG_MS / 4, other);
	root_run(
	    "UPDATE t_due SET due_ms = due_ms + %d WHERE webhook_id = %" PRIu64 " ORDER BY id LIMIT 2", 2 * LONG_MS, webhook);
	const uint64_t under_way = fetch(w, webhook, 1).items->id;
	root_run("UPDATE t_webhook_status SET hold_until_ms = UNIX_TIMESTAMP() * 1000 + %d WHERE webhook_id = %" PRIu64,
	    3 * LONG_MS, webhook);
	/* for a webhook that exists, this does nothing */
	size_t none;
	assert_int_equal(store_fail_pending(w->store, webhook, &no_ids, 10, &none), RESULT_OK);
	assert_int_equal(none, 0);
	assert_int_equal(store_remove_webhook_id(w->store, NULL, webhook), RESULT_OK);
	struct due_webhooks l = find_due(w, ALL_SHARDS, 10);
	assert_int_equal(l.due_count, 0);
	assert_int_equal(l.ended_count, 1);
	assert_int_equal(l.ended[0], webhook);
	assert_int_equal(find_due(w, ALL_SHARDS, 0).ended_count, 0);
	assert_int_equal(find_due(w, ALL_SHARDS & ~(UINT64_C(1) << webhook_shard(webhook)), 10).ended_count, 0);
	size_t done;
	assert_int_equal(fetch(w, webhook, 1).items->destination->state, WEBHOOK_MISSING);
	assert_int_equal(store_fail_pending(w->store, webhook, &(struct id_set){ &under_way, 1 }, 10, &done), RESULT_OK);
	assert_int_equal(done, 2);
	l = find_due(w, ALL_SHARDS, 10);
	assert_int_equal(l.due_count, 0);
	assert_int_equal(l.ended_count, 1);
	assert_in_range(l.next_due_ms, l.now_ms + LONG_MS / 2, l.now_ms + LONG_MS);
	assert_int_equal(store_fail_pending(w->store, webhook, &no_ids, 10, &done), RESULT_OK);
	assert_int_equal(done, 1);
	assert_int_equal(find_due(w, ALL_SHARDS, 10).ended_count, 0);
}

/* docs/architecture.md 7.3: a delivery that crashed the dispatcher twice ends, and its webhook is held. */
static void
a_crashed_delivery_ends_alone(void **state)
{
	struct world *w = *state;
	uint64_t webhook = make_due(w, 3);
	struct due_deliveries fetched = fetch(w, webhook, 1);
	uint64_t crashed = fetched.items[0].id;
	size_t done;
	assert_int_equal(store_fail_crashed(w->store, crashed, LONG_MS, &done), RESULT_OK);
	assert_int_equal(done, 1);
	assert_int_equal(root_number("SELECT COUNT(*) FROM t_deliveries WHERE id = %" PRIu64
				     " AND state = 'failed' AND last_error = 'crashed' AND attempts = 0",
			     crashed),
	    1);
	assert_int_equal(
	    root_number("SELECT COUNT(*) FROM t_due WHERE webhook_id = %" PRIu64 " AND id <> %" PRIu64, webhook, crashed), 2);
	struct due_webhooks l = find_due(w, ALL_SHARDS, 10);
	assert_int_equal(l.due_count, 0);
	assert_in_range(l.next_due_ms, l.now_ms + LONG_MS / 2, l.now_ms + LONG_MS);
	struct delivery_outcome outcome = outcome_of(&fetched.items[0], DELIVERY_DELIVERED, 200);
	assert_int_equal(record_outcomes(w, &outcome, 1), 1);
	assert_int_equal(store_fail_crashed(w->store, crashed, LONG_MS, &done), RESULT_OK);
	assert_int_equal(done, 0);
}

/* Sign-ups insert into `due` until they commit. A query that reads all rows of a small table would wait for them. */
static void
nothing_waits_for_a_batch_under_way(void **state)
{
	enum { ROWS = 20, SENT = 16 };
	struct world *w = *state;
	uint64_t webhook = make_due(w, ROWS);
	struct delivery_outcome outcomes[SENT];
	size_t done;
	root_run("ANALYZE TABLE t_due");
	int64_t newest = root_number("SELECT MAX(id) FROM t_due");
	root_run("DELETE FROM t_webhooks WHERE id = %" PRIu64, webhook);
	root_run("START TRANSACTION");
	root_run("INSERT INTO t_due (id, event_id, shard, webhook_id, format, due_ms) VALUES (%" PRId64
		 ", 0, 0, %d, 'json', 1)",
	    newest + 1, UNKNOWN_ID);
	int64_t began = clock_monotonic_ms();
	struct due_deliveries fetched = fetch(w, webhook, SENT);
	assert_int_equal(fetched.count, SENT);
	for (size_t i = 0; i < SENT; i++)
		outcomes[i] = outcome_of(&fetched.items[i], DELIVERY_DELIVERED, 200);
	assert_int_equal(record_outcomes(w, outcomes, SENT), 0);
	assert_int_equal(store_fail_pending(w->store, webhook, &no_ids, ROWS, &done), RESULT_OK);
	assert_int_equal(done, ROWS - SENT);
	assert_true(clock_monotonic_ms() - began < 4000); /* less than the lock wait timeout */
	root_run("ROLLBACK");
}

/* Webhooks with due deliveries are found, no matter how many have ended. */
static void
ended_webhooks_take_no_room_from_others(void **state)
{
	struct world *w = *state;
	uint64_t webhook = make_due(w, 1);
	root_run(
	    "INSERT INTO t_due (id, event_id, shard, webhook_id, due_ms) SELECT seq, 0, 5, seq, 1 FROM seq_1000001_to_1000020");
	struct due_webhooks l = find_due(w, ALL_SHARDS, 4);
	assert_int_equal(l.ended_count, 4);
	assert_int_equal(l.due_count, 1);
	assert_int_equal(l.due[0].webhook_id, webhook);
}

/* docs/deliveries.md 6.1, Locked outcome: it waits for about a second, whether or not its row is read first. */
static void
a_locked_delivery_is_not_waited_for_long(void **state)
{
	struct world *w = *state;
	uint64_t webhook = make_due(w, 1);
	struct due_deliveries fetched = fetch(w, webhook, 1);
	struct delivery_outcome outcomes[] = { outcome_of(fetched.items, DELIVERY_DELIVERED, 200),
		outcome_of(fetched.items, DELIVERY_PENDING, 500) };
	root_run("START TRANSACTION");
	root_run("SELECT * FROM t_due WHERE id = %" PRIu64 " FOR UPDATE", fetched.items->id);
	for (size_t i = 0; i < ARRAY_SIZE(outcomes); i++) {
		const int64_t begun_ms = clock_monotonic_ms();
		assert_int_equal(store_record_outcomes(w->store, owners[0], &outcomes[i], 1), RESULT_CONFLICT);
		assert_in_range(clock_monotonic_ms() - begun_ms, 900, 4000); /* the session's own limit is five seconds */
	}
	root_run("ROLLBACK");
}

/* "Costs one probe per webhook, not per row." */
static void
finding_due_webhooks_does_not_read_every_row(void **state)
{
	enum { ROWS = 20000 };
	static const char reads[] = "SELECT SUM(VARIABLE_VALUE) FROM information_schema.GLOBAL_STATUS WHERE VARIABLE_NAME IN "
				    "('HANDLER_READ_KEY', 'HANDLER_READ_NEXT')";
	struct world *w = *state;
	uint64_t last = 0;
	for (size_t i = 0; i < 4; i++)
		last = add_webhook(w, w->campaign, pool_printf(w->pool, "https://a.example/%zu", i).data, 1);
	root_run("INSERT INTO t_due (id, event_id, shard, webhook_id, due_ms) SELECT seq, 0, 5, %" PRIu64
		 " - seq %% 4, seq FROM seq_1_to_%d",
	    last, ROWS);
	root_run("ANALYZE TABLE t_due");
	find_due(w, ALL_SHARDS, 10);
	int64_t before = root_number(reads);
	assert_int_equal(find_due(w, ALL_SHARDS, 10).due_count, 4);
	assert_in_range(root_number(reads) - before, 1, ROWS / 20);
	/* nor does it read rows of removed webhooks */
	root_run("UPDATE t_due SET webhook_id = webhook_id + 1000000");
	root_run("ANALYZE TABLE t_due");
	before = root_number(reads);
	assert_int_equal(find_due(w, ALL_SHARDS, 10).ended_count, 4);
	assert_in_range(root_number(reads) - before, 1, ROWS / 20);
}

/* The error of this host's clock. */
static int64_t host_clock_ahead_ms;

int64_t __real_clock_wall_ms(void);
int64_t __wrap_clock_wall_ms(void);

int64_t
__wrap_clock_wall_ms(void)
{
	return __real_clock_wall_ms() + host_clock_ahead_ms;
}

/* docs/api.md 6: the end time takes effect by itself, and is recorded. docs/deliveries.md 4: the database's clock counts:
 * commit tokens are dropped after a day by that clock, no matter what this host's clock shows. */
static void
clean_up_records_ends_and_drops_old_tokens(void **state)
{
	enum { OLD_TOKENS = 5000 };
	struct world *w = *state;
	uint64_t open = add_campaign(w);
	set_end(w, w->campaign, 5);
	set_end(w, open, INT64_C(32503680000000));
	root_run("DELETE FROM t_commit_tokens");
	root_run("INSERT INTO t_commit_tokens (token, created_ms) SELECT seq, (UNIX_TIMESTAMP() - 24 * 3600 - 60) * 1000 FROM "
		 "seq_1_to_%d",
	    OLD_TOKENS);
	root_run("INSERT INTO t_commit_tokens (token, created_ms) SELECT seq, (UNIX_TIMESTAMP() - 23 * 3600) * 1000 FROM "
		 "seq_10001_to_10003");
	host_clock_ahead_ms = 2 * 24 * 3600 * 1000;
	assert_int_equal(store_clean_up(w->store), RESULT_OK);
	assert_int_equal(root_number("SELECT ended_ms FROM t_campaigns WHERE id = %" PRIu64, w->campaign), 5);
	assert_int_equal(root_number("SELECT ended_ms FROM t_campaigns WHERE id = %" PRIu64, open), -1);
	assert_int_equal(root_number("SELECT COUNT(*) FROM t_commit_tokens"), 3);
	assert_int_equal(store_clean_up(w->store), RESULT_OK);
	assert_int_equal(root_number("SELECT COUNT(*) FROM t_commit_tokens"), 3);
	host_clock_ahead_ms = 0;
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		DISPATCH_TEST(a_shard_has_one_owner),
		DISPATCH_TEST(a_lease_ends),
		DISPATCH_TEST(processes_never_share_a_shard),
		DISPATCH_TEST(a_delivery_says_all_that_is_sent),
		DISPATCH_TEST(the_oldest_are_fetched_up_to_the_limit),
		DISPATCH_TEST(only_the_owner_records),
		DISPATCH_TEST(a_shard_is_not_taken_over_while_outcomes_are_recorded),
		DISPATCH_TEST(an_attempt_is_recorded_once),
		DISPATCH_TEST(an_end_without_an_attempt_counts_none),
		DISPATCH_TEST(interrupted_attempts_are_counted_once),
		DISPATCH_TEST(only_the_dead_owner_is_recovered),
		DISPATCH_TEST(a_webhook_that_is_gone_keeps_its_deliveries),
		DISPATCH_TEST(a_locked_campaign_holds_up_no_outcome),
		DISPATCH_TEST(due_webhooks_are_found_oldest_first),
		DISPATCH_TEST(only_active_webhooks_are_due),
		DISPATCH_TEST(webhooks_that_ended_are_found_at_once),
		DISPATCH_TEST(a_crashed_delivery_ends_alone),
		DISPATCH_TEST(nothing_waits_for_a_batch_under_way),
		DISPATCH_TEST(ended_webhooks_take_no_room_from_others),
		DISPATCH_TEST(a_locked_delivery_is_not_waited_for_long),
		DISPATCH_TEST(finding_due_webhooks_does_not_read_every_row),
		DISPATCH_TEST(clean_up_records_ends_and_drops_old_tokens),
	};
	return WORLD_MAIN(tests);
}
