/* SPDX-License-Identifier: MIT
 * Transactions lock rows in the order that src/store/transaction.h states: while a transaction waits for a row, the rows of
 * later tables are free. Modules: store, store/queue. */
#include "unit.h"

#include <inttypes.h>

#include "store/fetched.h"
#include "store/hooks/webhooks.h"
#include "store/operator/accounts.h"
#include "store/operator/campaign_settings.h"
#include "store/operator/webhook_admin.h"
#include "store/queue/bulk_jobs.h"
#include "store/queue/redeliver.h"
#include "store/texts/campaign_texts.h"
#include "store/world.h"

enum row { ACCOUNT, COUNTERS, CAMPAIGN, TEXT, JOB, BULK_SCHEDULE, SHARD, DUE_ROW, WEBHOOK, STATUS, DELIVERY, ROWS };

static const struct {
	const char *table, *key;
} tables[ROWS] = {
	[ACCOUNT] = { "accounts", "id" },
	[COUNTERS] = { "campaign_counters", "campaign_id" },
	[CAMPAIGN] = { "campaigns", "id" },
	[TEXT] = { "campaign_texts", "campaign_id" },
	[JOB] = { "bulk_jobs", "id" },
	[BULK_SCHEDULE] = { "bulk_schedule", "campaign_id" },
	[SHARD] = { "dispatch_shards", "shard" },
	[DUE_ROW] = { "due", "id" },
	[WEBHOOK] = { "webhooks", "id" },
	[STATUS] = { "webhook_status", "webhook_id" },
	[DELIVERY] = { "deliveries", "id" },
};

static uint64_t keys[ROWS];

/* Locks a row with the test's connection; fails at once when it is locked. `shared_lock`: others may hold a shared lock. */
static void
lock_row(enum row row, bool shared_lock)
{
	root_run("SELECT 1 FROM t_%s WHERE %s = %" PRIu64 " %s NOWAIT", tables[row].table, tables[row].key, keys[row],
	    shared_lock ? "LOCK IN SHARE MODE" : "FOR UPDATE");
}

/* ---- transactions ---- */

static bool
suspend(struct store *store, const struct world *world, unsigned index UNUSED)
{
	return store_resume_account(store, world->account) == RESULT_OK;
}

static bool
set_jump_start(void *context UNUSED, struct campaign_settings *settings)
{
	settings->jump_start = 1;
	return true;
}

static bool
edit_campaign(struct store *store, const struct world *world, unsigned index UNUSED)
{
	return change_campaign(store, world->campaign, set_jump_start, NULL) == RESULT_OK;
}

static bool
end_campaign(struct store *store, const struct world *world, unsigned index UNUSED)
{
	return store_end_campaign(store, NULL, world->campaign) == RESULT_OK;
}

static bool
accept_texts(void *context UNUSED, struct pool *pool UNUSED, const struct campaign_texts *texts UNUSED)
{
	return true;
}

static bool
change_texts(struct store *store, const struct world *world, unsigned index UNUSED)
{
	struct campaign_text text = { SLICE("page.title"), SLICE(""), SLICE("Title") };
	const struct campaign_texts texts = { &text, 1 };
	struct text_change change = { .texts = &texts, .prefix = SLICE("page."), .judge = accept_texts };
	return store_change_texts(store, NULL, world->campaign, &change) == RESULT_OK;
}

static bool
put_webhook(struct store *store, const struct world *world, unsigned index UNUSED)
{
	const struct webhook_put put = { .campaign_id = world->campaign,
		.url = SLICE("https://a.example/hook"),
		.events = 1,
		.secret = SLICE("whsec_another"),
		.maximum = 2 };
	uint64_t id;
	bool created;
	return store_put_webhook(store, NULL, &put, &id, &created) == RESULT_OK && !created;
}

static bool
enable_webhook(struct store *store, const struct world *world UNUSED, unsigned index UNUSED)
{
	return store_enable_webhook(store, NULL, keys[WEBHOOK]) == RESULT_OK;
}

static bool
remove_webhook(struct store *store, const struct world *world UNUSED, unsigned index UNUSED)
{
	return store_remove_webhook_id(store, NULL, keys[WEBHOOK]) == RESULT_OK;
}

static bool
delay_job(struct store *store, const struct world *world UNUSED, unsigned index UNUSED)
{
	return store_delay_job(store, keys[JOB], 0, 0, LONG_MS) == RESULT_OK;
}

static bool
postpone_job(struct store *store, const struct world *world UNUSED, unsigned index UNUSED)
{
	return store_postpone_job(store, keys[JOB], LONG_MS) == RESULT_OK;
}

static bool
fail_pending(struct store *store, const struct world *world UNUSED, unsigned index UNUSED)
{
	size_t done;
	return store_fail_pending(store, keys[WEBHOOK], &no_ids, 1, &done) == RESULT_OK;
}

static bool
recover(struct store *store, const struct world *world UNUSED, unsigned index UNUSED)
{
	const struct interrupted_delivery interrupted = { keys[DUE_ROW], 1, 0, LONG_MS };
	return store_recover(store, owners[0], &interrupted, 1) == RESULT_OK;
}

static bool
record(struct store *store, const struct world *world UNUSED, unsigned index UNUSED)
{
	struct delivery_outcome outcome = {
		.id = keys[DUE_ROW], .webhook_id = keys[WEBHOOK], .attempt = 1, .state = DELIVERY_DELIVERED
	};
	return store_record_outcomes(store, owners[0], &outcome, 1) == RESULT_OK && !outcome.stale;
}

static bool
fail_crashed(struct store *store, const struct world *world UNUSED, unsigned index UNUSED)
{
	size_t done;
	return store_fail_crashed(store, keys[DUE_ROW], LONG_MS, &done) == RESULT_OK && done == 1;
}

static bool
redeliver(struct store *store, const struct world *world UNUSED, unsigned index UNUSED)
{
	const uint64_t ids[] = { keys[DUE_ROW], keys[DELIVERY] };
	enum redelivery what[2];
	return store_redeliver(store, ids, 2, what, NULL, NULL) == RESULT_OK;
}

static const struct {
	process_body *transaction;
	enum row first, later;
} orders[] = {
	{ suspend, ACCOUNT, COUNTERS },
	{ edit_campaign, COUNTERS, CAMPAIGN },
	{ end_campaign, COUNTERS, CAMPAIGN },
	{ change_texts, COUNTERS, TEXT },
	{ put_webhook, COUNTERS, WEBHOOK },
	{ put_webhook, WEBHOOK, STATUS },
	{ enable_webhook, COUNTERS, WEBHOOK },
	{ enable_webhook, WEBHOOK, STATUS },
	{ remove_webhook, COUNTERS, WEBHOOK },
	{ remove_webhook, WEBHOOK, STATUS },
	{ delay_job, JOB, BULK_SCHEDULE },
	{ postpone_job, JOB, BULK_SCHEDULE },
	{ recover, SHARD, DUE_ROW },
	{ record, SHARD, DUE_ROW },
	{ record, DUE_ROW, STATUS },
	{ record, DUE_ROW, DELIVERY },
	{ fail_pending, DUE_ROW, WEBHOOK },
	{ fail_crashed, DUE_ROW, STATUS },
	{ redeliver, DUE_ROW, DELIVERY },
};

/* A webhook, with a pending and an ended delivery, and a job. */
static void
set_scene(struct world *w)
{
	w->campaign = add_campaign(w);
	keys[ACCOUNT] = w->account;
	keys[COUNTERS] = keys[CAMPAIGN] = keys[TEXT] = keys[JOB] = keys[BULK_SCHEDULE] = w->campaign;
	keys[WEBHOOK] = keys[STATUS] = make_due(w, 2);
	keys[SHARD] = webhook_shard(keys[WEBHOOK]);
	struct due_deliveries fetched = fetch(w, keys[WEBHOOK], 1);
	struct delivery_outcome outcome = outcome_of(fetched.items, DELIVERY_DELIVERED, 200);
	assert_int_equal(record_outcomes(w, &outcome, 1), 0);
	keys[DELIVERY] = fetched.items->id;
	keys[DUE_ROW] = (uint64_t)root_number("SELECT id FROM t_due WHERE webhook_id = %" PRIu64, keys[WEBHOOK]);
	root_run("INSERT INTO t_bulk_jobs (id, campaign_id, action, lead_ids, total, created_ms) VALUES (%" PRIu64 ", %" PRIu64
		 ", 'delete', '1', 1, 1)",
	    keys[JOB], w->campaign);
	root_run("INSERT INTO t_campaign_texts (campaign_id, name, value) VALUES (%" PRIu64 ", 'page.title', '')", w->campaign);
	root_run("INSERT INTO t_bulk_schedule (campaign_id, served_ms) VALUES (%" PRIu64 ", 1)", w->campaign);
}

static void
rows_are_locked_in_one_order(void **state)
{
	struct world *w = *state;
	for (size_t i = 0; i < ARRAY_SIZE(orders); i++) {
		set_scene(w);
		root_run("START TRANSACTION");
		/* an outcome shares the lock of its shard with others */
		lock_row(orders[i].first, orders[i].transaction != record);
		processes_start(w, 1, orders[i].transaction);
		assert_true(root_wait_for(1, "SELECT VARIABLE_VALUE FROM information_schema.GLOBAL_STATUS "
					     "WHERE VARIABLE_NAME = 'INNODB_ROW_LOCK_CURRENT_WAITS'"));
		lock_row(orders[i].later, false);
		root_run("ROLLBACK");
		assert_true(processes_end());
	}
}

/* The dispatcher records the end of campaigns with locks of `campaigns` alone; edits lock them after the counters. */
static void
suspending_an_account_locks_no_campaign(void **state)
{
	struct world *w = *state;
	set_scene(w);
	root_run("START TRANSACTION");
	lock_row(CAMPAIGN, false);
	assert_int_equal(store_suspend_account(w->store, w->account), RESULT_OK);
	root_run("ROLLBACK");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		WORLD_TEST(rows_are_locked_in_one_order),
		WORLD_TEST(suspending_an_account_locks_no_campaign),
	};
	return WORLD_MAIN(tests);
}
