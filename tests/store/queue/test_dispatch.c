/* SPDX-License-Identifier: MIT
 * Leases, claims and outcomes (docs/deliveries.md 3 and 4): nothing is claimed twice, nothing is lost, and only the holder of a
 * claim records its outcome. */
#include "unit.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "engine/events.h"
#include "store/claims.h"
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

static uint64_t
lease(struct world *w, const unsigned char *owner, int64_t lease_ms)
{
	uint64_t held;
	assert_int_equal(store_shards_lease(w->store, owner, lease_ms, &held), RESULT_OK);
	return held;
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
a_claim_says_all_that_is_sent(void **state)
{
	struct world *w = *state;
	uint64_t webhook = make_due(w, 1),
		 form = add_webhook(w, w->campaign, "https://form.example/", EVENT_BIT(EVENT_NEW_SIGNUP));
	struct claims claims = claim(w, owners[0], webhook, ALL_ROWS, LONG_MS);
	assert_int_equal(claims.count, 1);
	const struct due_delivery *d = claims.items;
	assert_int_equal(d->destination->webhook_id, webhook);
	assert_int_equal(d->attempt, 1);
	assert_int_equal(d->token.size, DISPATCH_TOKEN_SIZE);
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
	claims = claim(w, owners[0], form, ALL_ROWS, LONG_MS);
	assert_int_equal(claims.count, 1);
	assert_true(claims.items->form); /* its URL contains a word of form_urls */
}

static void
a_claim_takes_the_oldest_up_to_its_limit(void **state)
{
	struct world *w = *state;
	uint64_t webhook = make_due(w, 8);
	int64_t oldest = root_number("SELECT MAX(id) FROM t_due");
	root_run("UPDATE t_due SET due_ms = due_ms - 1000 WHERE id = %" PRId64, oldest);
	struct claims first = claim(w, owners[0], webhook, 1, LONG_MS);
	assert_int_equal(first.count, 1);
	assert_int_equal(first.items[0].id, oldest);
	assert_int_equal(claim(w, owners[1], webhook, 4, LONG_MS).count, 4);
	assert_int_equal(claim(w, owners[0], webhook, ALL_ROWS, LONG_MS).count, 3);
	assert_int_equal(claim(w, owners[1], webhook, ALL_ROWS, LONG_MS).count, 0);
	assert_int_equal(claim(w, owners[1], webhook + 1, ALL_ROWS, LONG_MS).count, 0);
}

/* Each process claims until nothing is left; shared[0] is the number, the ids follow. */
static bool
claim_all(struct store *store, const struct world *world UNUSED, unsigned index)
{
	unsigned char owner[DISPATCH_OWNER_SIZE] = { (unsigned char)(index + 1) };
	struct due_request request = { .webhook_id = shared[SHARED_MAX - 1], .rows = 7 };
	size_t count = 1;
	for (unsigned idle = 0; idle < 3; idle = count == 0 ? idle + 1 : 0) {
		struct pool *pool = pool_new();
		struct due_delivery *items;
		enum result result = store_claim(store, pool, owner, LONG_MS, &request, 1, &items, &count);
		for (size_t i = 0; result == RESULT_OK && i < count; i++)
			shared[1 + __atomic_fetch_add(&shared[0], 1, __ATOMIC_SEQ_CST)] = items[i].id;
		pool_free(&pool);
		if (result != RESULT_OK && result != RESULT_CONFLICT)
			return false;
		count = result == RESULT_OK ? count : 1;
	}
	return true;
}

/* "no row is claimed twice" */
static void
processes_never_claim_a_row_twice(void **state)
{
	enum { ROWS = 300, PROCESSES = 8 };
	struct world *w = *state;
	shared[SHARED_MAX - 1] = make_due(w, ROWS);
	processes_start(w, PROCESSES, claim_all);
	assert_true(processes_end());
	assert_int_equal(shared[0], ROWS);
	for (size_t i = 1; i <= ROWS; i++)
		for (size_t k = 1; k < i; k++)
			assert_true(shared[i] != shared[k]);
	assert_int_equal(root_number("SELECT COUNT(*) FROM t_due WHERE token IS NOT NULL AND attempts = 1"), ROWS);
}

/* A dead dispatcher's claims come due by themselves; its later outcomes are stale. */
static void
a_claim_ends_and_its_outcome_is_stale(void **state)
{
	struct world *w = *state;
	uint64_t webhook = make_due(w, 1);
	struct claims lost = claim(w, owners[0], webhook, 1, SHORT_MS), again = { 0 };
	assert_int_equal(lost.count, 1);
	for (int64_t deadline = clock_monotonic_ms() + DEADLINE_MS; again.count == 0 && clock_monotonic_ms() < deadline;) {
		pause_a_moment();
		again = claim(w, owners[1], webhook, 1, LONG_MS);
	}
	assert_int_equal(again.count, 1);
	assert_int_equal(again.items->id, lost.items->id);
	assert_int_equal(again.items->attempt, 2);
	assert_slices_equal(again.items->message_id, lost.items->message_id);
	assert_slices_equal(again.items->payload, lost.items->payload);
	struct delivery_outcome late = outcome_of(lost.items, DELIVERY_FAILED, 500);
	assert_int_equal(record_outcomes(w, &late, 1), 1);
	assert_int_equal(store_unclaim(w->store, &late, 1), RESULT_OK);
	assert_int_equal(root_number("SELECT COUNT(*) FROM t_due WHERE attempts = 2 AND token IS NOT NULL"), 1);
	assert_int_equal(root_number(DELIVERIES, webhook), 0);
	struct delivery_outcome good = outcome_of(again.items, DELIVERY_DELIVERED, 200);
	assert_int_equal(record_outcomes(w, &good, 1), 0);
	assert_int_equal(record_outcomes(w, &good, 1), 1); /* recorded once */
	assert_int_equal(root_number(DELIVERIES " AND state = 'delivered' AND attempts = 2 AND last_status = 200", webhook), 1);
}

/* An attempt has the number that its claim counted. An unclaimed row has no attempt; an attempt that was not recorded is
 * missing; recording it again changes nothing. */
static void
attempts_are_numbered_by_their_claims(void **state)
{
	struct world *w = *state;
	uint64_t webhook = make_due(w, 1);
	struct claims claims = claim(w, owners[0], webhook, 1, LONG_MS);
	struct delivery_outcome outcome = outcome_of(claims.items, DELIVERY_PENDING, 500);
	assert_int_equal(record_outcomes(w, &outcome, 1), 0);
	assert_int_equal(record_outcomes(w, &outcome, 1), 1);
	for (size_t i = 0; i < 3; i++) {
		root_run("UPDATE t_due SET due_ms = 1");
		claims = claim(w, owners[0], webhook, 1, LONG_MS);
		assert_int_equal(claims.count, 1);
		outcome = outcome_of(claims.items, i == 2 ? DELIVERY_DELIVERED : DELIVERY_PENDING, 200);
		if (i == 0)
			assert_int_equal(store_unclaim(w->store, &outcome, 1), RESULT_OK);
		else if (i == 2)
			assert_int_equal(record_outcomes(w, &outcome, 1), 0);
	}
	assert_int_equal(root_number(ATTEMPTS, webhook, webhook), 2);
	assert_int_equal(root_number(ATTEMPTS " AND attempt IN (1, 3)", webhook, webhook), 2);
	assert_int_equal(root_number(DELIVERIES " AND attempts = 3", webhook), 1);
}

/* docs/deliveries.md 3: 410 disables; no delivery is made for it afterwards. */
static void
a_webhook_that_is_gone_gets_nothing_more(void **state)
{
	struct world *w = *state;
	uint64_t webhook = make_due(w, 2);
	struct claims claims = claim(w, owners[0], webhook, 1, LONG_MS);
	struct delivery_outcome gone = outcome_of(claims.items, DELIVERY_FAILED, 410);
	gone.webhook_failures = 1;
	record_outcomes(w, &gone, 1);
	assert_int_equal(store_deactivate_webhook(w->store, webhook, WEBHOOK_GONE, true), RESULT_OK);
	assert_int_equal(claim(w, owners[0], webhook, 1, LONG_MS).items->destination->state, WEBHOOK_GONE);
	sign_up_many(w, "after", 2);
	assert_int_equal(root_number(DUE, webhook), 1);
	assert_int_equal(root_number(DELIVERIES, webhook), 1);
}

/* docs/deliveries.md 4: a locked campaign delays no outcome, not even one that deactivates a webhook of it. */
static void
a_locked_campaign_holds_up_no_outcome(void **state)
{
	struct world *w = *state;
	uint64_t webhook = make_due(w, 2);
	struct claims claims = claim(w, owners[0], webhook, 2, LONG_MS);
	struct delivery_outcome outcomes[] = { outcome_of(&claims.items[0], DELIVERY_FAILED, 410),
		outcome_of(&claims.items[1], DELIVERY_DELIVERED, 200) };
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
an_unclaimed_delivery_is_due_and_not_counted(void **state)
{
	struct world *w = *state;
	uint64_t webhook = make_due(w, 2);
	struct claims claims = claim(w, owners[0], webhook, ALL_ROWS, LONG_MS);
	struct delivery_outcome back[] = { outcome_of(&claims.items[0], DELIVERY_PENDING, 0),
		outcome_of(&claims.items[1], DELIVERY_PENDING, 0) };
	assert_int_equal(store_unclaim(w->store, back, 2), RESULT_OK);
	claims = claim(w, owners[1], webhook, ALL_ROWS, LONG_MS);
	assert_int_equal(claims.count, 2);
	assert_int_equal(claims.items[0].attempt, 1);
	assert_int_equal(root_number(ATTEMPTS, webhook, webhook), 0);
}

/* docs/deliveries.md 4: the dispatcher that gets a dead one's lock file releases only its shards and claims. */
static void
only_the_dead_owner_is_released(void **state)
{
	struct world *w = *state;
	uint64_t other = add_webhook(w, w->campaign, "https://other.example/", EVENT_BIT(EVENT_NEW_SIGNUP));
	uint64_t webhook = make_due(w, 6);
	assert_true(lease(w, owners[0], LONG_MS) == ALL_SHARDS);
	assert_int_equal(claim(w, owners[0], webhook, 2, LONG_MS).count, 2);
	assert_int_equal(claim(w, owners[1], webhook, 3, LONG_MS).count, 3);
	assert_int_equal(claim(w, owners[0], other, ALL_ROWS, LONG_MS).count, 6);
	assert_int_equal(store_owner_release(w->store, (const unsigned char *)"an unknown owner", LONG_MS), RESULT_OK);
	assert_int_equal(root_number(DUE " AND token IS NOT NULL", webhook), 5);
	assert_true(lease(w, owners[1], LONG_MS) == 0);
	assert_int_equal(store_owner_release(w->store, owners[0], LONG_MS), RESULT_OK);
	assert_true(lease(w, owners[1], LONG_MS) == ALL_SHARDS);
	assert_int_equal(claim(w, owners[1], webhook, ALL_ROWS, LONG_MS).count, 3);
	assert_int_equal(claim(w, owners[1], other, ALL_ROWS, LONG_MS).count, 6);
}

static struct due_webhooks
find_due(struct world *w, uint64_t held, size_t limit)
{
	struct due_webhooks found;
	assert_int_equal(
	    store_due_webhooks(w->store, w->pool, &(struct due_query){ .shards = held, .limit = limit }, &found), RESULT_OK);
	return found;
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
	claim(w, owners[0], ids[0], ALL_ROWS, LONG_MS);
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
	struct claims claims = claim(w, owners[0], webhook, 1, LONG_MS);
	struct delivery_outcome held = outcome_of(claims.items, DELIVERY_PENDING, 429);
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

/* docs/deliveries.md 1 and 3: deliveries of a removed or gone webhook are ended whenever they are due; claimed ones come due
 * when their claim ends. */
static void
webhooks_that_ended_are_found_at_once(void **state)
{
	struct world *w = *state;
	for (int gone = 0; gone < 2; gone++) {
		w->campaign = add_campaign(w);
		uint64_t other = add_webhook(w, w->campaign, "https://b.example/", EVENT_BIT(EVENT_NEW_SIGNUP));
		uint64_t webhook = make_due(w, 3);
		root_run("UPDATE t_due SET due_ms = due_ms + %d WHERE webhook_id = %" PRIu64, 3 * LONG_MS / 4, other);
		root_run("UPDATE t_due SET due_ms = due_ms + %d WHERE webhook_id = %" PRIu64 " ORDER BY id LIMIT 2",
		    2 * LONG_MS, webhook);
		claim(w, owners[0], webhook, 1, LONG_MS);
		root_run("UPDATE t_webhook_status SET hold_until_ms = UNIX_TIMESTAMP() * 1000 + %d WHERE webhook_id = %" PRIu64,
		    3 * LONG_MS, webhook);
		/* ending a webhook that is not deactivated does nothing */
		size_t none;
		assert_int_equal(store_fail_pending(w->store, webhook, 10, &none), RESULT_OK);
		assert_int_equal(none, 0);
		if (gone)
			root_run("UPDATE t_webhooks SET state = 'gone' WHERE id = %" PRIu64, webhook);
		else
			assert_int_equal(store_remove_webhook_id(w->store, webhook), RESULT_OK);
		struct due_webhooks l = find_due(w, ALL_SHARDS, 10);
		assert_int_equal(l.due_count, 0);
		assert_int_equal(l.ended_count, 1);
		assert_int_equal(l.ended[0], webhook);
		assert_int_equal(find_due(w, ALL_SHARDS, 0).ended_count, 0);
		assert_int_equal(find_due(w, ALL_SHARDS & ~(UINT64_C(1) << webhook_shard(webhook)), 10).ended_count, 0);
		size_t done;
		assert_int_equal(store_fail_pending(w->store, webhook, 10, &done), RESULT_OK);
		assert_int_equal(done, 2);
		l = find_due(w, ALL_SHARDS, 10);
		assert_int_equal(l.due_count + l.ended_count, 0);
		assert_in_range(l.next_due_ms, l.now_ms + LONG_MS / 2, l.now_ms + LONG_MS);
		root_run("UPDATE t_due SET due_ms = 1 WHERE webhook_id = %" PRIu64, webhook);
		l = find_due(w, ALL_SHARDS, 10);
		assert_int_equal(l.ended_count, 0);
		assert_int_equal(l.due_count, 1);
		assert_int_equal(
		    claim(w, owners[1], webhook, 1, LONG_MS).items->destination->state, gone ? WEBHOOK_GONE : WEBHOOK_MISSING);
		root_run("DELETE FROM t_due");
	}
}

/* docs/architecture.md 7.3: a delivery that crashed the dispatcher twice ends, claimed or not, and its webhook is held. */
static void
a_crashed_delivery_ends_alone(void **state)
{
	struct world *w = *state;
	uint64_t webhook = make_due(w, 3);
	struct claims claims = claim(w, owners[0], webhook, 1, LONG_MS);
	uint64_t crashed = claims.items[0].id;
	size_t done;
	assert_int_equal(store_fail_crashed(w->store, crashed, LONG_MS, &done), RESULT_OK);
	assert_int_equal(done, 1);
	assert_int_equal(root_number("SELECT COUNT(*) FROM t_deliveries WHERE id = %" PRIu64
				     " AND state = 'failed' AND last_error = 'crashed' AND attempts = 1",
			     crashed),
	    1);
	assert_int_equal(
	    root_number("SELECT COUNT(*) FROM t_due WHERE webhook_id = %" PRIu64 " AND id <> %" PRIu64, webhook, crashed), 2);
	struct due_webhooks l = find_due(w, ALL_SHARDS, 10);
	assert_int_equal(l.due_count, 0);
	assert_in_range(l.next_due_ms, l.now_ms + LONG_MS / 2, l.now_ms + LONG_MS);
	struct delivery_outcome outcome = outcome_of(&claims.items[0], DELIVERY_DELIVERED, 200);
	assert_int_equal(store_record_outcomes(w->store, &outcome, 1), RESULT_OK);
	assert_true(outcome.stale);
	assert_int_equal(store_fail_crashed(w->store, crashed, LONG_MS, &done), RESULT_OK);
	assert_int_equal(done, 0);
}

/* Sign-ups insert into `due` until they commit. A query that reads all rows of a small table would wait for them. */
static void
nothing_waits_for_a_batch_under_way(void **state)
{
	enum { ROWS = 20, CLAIMED = 16 };
	struct world *w = *state;
	uint64_t webhook = make_due(w, ROWS);
	struct delivery_outcome outcomes[CLAIMED];
	size_t done;
	root_run("ANALYZE TABLE t_due");
	int64_t newest = root_number("SELECT MAX(id) FROM t_due");
	root_run("UPDATE t_webhooks SET state = 'gone' WHERE id = %" PRIu64, webhook);
	root_run("START TRANSACTION");
	root_run("INSERT INTO t_due (id, event_id, shard, webhook_id, format, due_ms) VALUES (%" PRId64
		 ", 0, 0, %d, 'json', 1)",
	    newest + 1, UNKNOWN_ID);
	int64_t began = clock_monotonic_ms();
	struct claims claims = claim(w, owners[0], webhook, CLAIMED, LONG_MS);
	assert_int_equal(claims.count, CLAIMED);
	for (size_t i = 0; i < CLAIMED; i++)
		outcomes[i] = outcome_of(&claims.items[i], DELIVERY_DELIVERED, 200);
	assert_int_equal(record_outcomes(w, outcomes, CLAIMED), 0);
	assert_int_equal(store_fail_pending(w->store, webhook, ROWS, &done), RESULT_OK);
	assert_int_equal(done, ROWS - CLAIMED);
	assert_true(clock_monotonic_ms() - began < 4000); /* less than the lock wait timeout */
	root_run("ROLLBACK");
}

/* Webhooks with due deliveries are found, however many have ended. */
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
	/* nor rows of removed webhooks */
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

/* docs/api.md 6: the end holds by itself and is recorded. docs/deliveries.md 4: the database's clock counts, so commit tokens
 * are dropped after a day of it, whatever this host's clock shows. */
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
	assert_int_equal(store_clean_up(w->store, false), RESULT_OK);
	assert_int_equal(root_number("SELECT ended_ms FROM t_campaigns WHERE id = %" PRIu64, w->campaign), 5);
	assert_int_equal(root_number("SELECT ended_ms FROM t_campaigns WHERE id = %" PRIu64, open), -1);
	assert_int_equal(root_number("SELECT COUNT(*) FROM t_commit_tokens"), 3);
	assert_int_equal(store_clean_up(w->store, false), RESULT_OK);
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
		DISPATCH_TEST(a_claim_says_all_that_is_sent),
		DISPATCH_TEST(a_claim_takes_the_oldest_up_to_its_limit),
		DISPATCH_TEST(processes_never_claim_a_row_twice),
		DISPATCH_TEST(a_claim_ends_and_its_outcome_is_stale),
		DISPATCH_TEST(attempts_are_numbered_by_their_claims),
		DISPATCH_TEST(a_webhook_that_is_gone_gets_nothing_more),
		DISPATCH_TEST(a_locked_campaign_holds_up_no_outcome),
		DISPATCH_TEST(an_unclaimed_delivery_is_due_and_not_counted),
		DISPATCH_TEST(only_the_dead_owner_is_released),
		DISPATCH_TEST(due_webhooks_are_found_oldest_first),
		DISPATCH_TEST(only_active_webhooks_are_due),
		DISPATCH_TEST(webhooks_that_ended_are_found_at_once),
		DISPATCH_TEST(a_crashed_delivery_ends_alone),
		DISPATCH_TEST(nothing_waits_for_a_batch_under_way),
		DISPATCH_TEST(ended_webhooks_take_no_room_from_others),
		DISPATCH_TEST(finding_due_webhooks_does_not_read_every_row),
		DISPATCH_TEST(clean_up_records_ends_and_drops_old_tokens),
	};
	return WORLD_MAIN(tests);
}
