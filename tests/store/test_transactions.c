/* SPDX-License-Identifier: MIT
 * Every change with a transaction of its own: repeated after conflicts; after a COMMIT of unknown outcome only when that is
 * harmless. Modules: store, store/queue, store/operator. */
#include "unit.h"

#include <inttypes.h>
#include <limits.h>
#include <string.h>

#include "breaks.h"
#include "engine/events.h"
#include "store/hooks/webhooks.h"
#include "store/operator/accounts.h"
#include "store/operator/campaign_settings.h"
#include "store/operator/webhook_admin.h"
#include "store/queue/due_deliveries.h"
#include "store/queue/outcomes.h"
#include "store/queue/redeliver.h"
#include "store/queue/shards.h"
#include "world.h"

enum { TRIES = 5, LEASE_MS = 60 * 1000 };

static const unsigned char owner[DISPATCH_OWNER_SIZE] = "the dispatcher!";

/* The rows that the changes of a test apply to. */
static struct scene {
	uint64_t webhook;
	struct due_delivery fetched; /* pending; so is another one */
	uint64_t delivered;
} scene;

static enum result
record_outcome(struct world *w, const struct due_delivery *delivery)
{
	struct delivery_outcome outcome = { .id = delivery->id,
		.event_id = delivery->event_id,
		.webhook_id = delivery->destination->webhook_id,
		.attempt = 1,
		.state = DELIVERY_DELIVERED,
		.status = 200 };
	enum result result = store_record_outcomes(w->store, owner, &outcome, 1);
	assert_false(outcome.stale);
	return result;
}

static void
set_scene(struct world *w)
{
	struct due_request request;
	static const struct id_set none = { 0 };
	struct due_deliveries fetched;
	uint64_t leased;
	w->campaign = add_campaign(w);
	scene.webhook = add_webhook(w, w->campaign, "https://a.example/", EVENT_BIT(EVENT_NEW_SIGNUP));
	sign_up_many(w, "lead", 3);
	request = (struct due_request){ .webhook_id = scene.webhook, .rows = 2 };
	assert_int_equal(store_shards_lease(w->store, owner, LEASE_MS, &leased), RESULT_OK);
	assert_int_equal(store_fetch_due(w->store, w->pool, &request, 1, &none, &fetched), RESULT_OK);
	assert_int_equal(fetched.count, 2);
	assert_int_equal(record_outcome(w, &fetched.items[0]),
	    RESULT_OK); /* takes the block of ids, so that the next COMMIT is the test's */
	scene.fetched = fetched.items[1];
	scene.delivered = fetched.items[0].id;
}

static enum result
add_account(struct world *w)
{
	uint64_t id;
	return store_add_account(w->store, NULL, SLICE("Another"), &id);
}

static enum result
add_key(struct world *w)
{
	struct new_key key = { w->account, SLICE("Key"), "key", RIGHTS_FULL_KEY, -1, NULL, 0 };
	uint64_t id;
	memcpy(key.hash + 8, &w->campaign, sizeof(w->campaign)); /* another key in each case */
	return store_add_key(w->store, NULL, &key, INT64_MAX, &id);
}

static enum result
add_another_campaign(struct world *w)
{
	struct campaign_settings settings = plain_campaign();
	uint64_t id;
	return store_add_campaign(w->store, NULL, w->account, &settings, INT64_MAX, &id);
}

static bool
set_jump_start(void *context UNUSED, struct campaign_settings *settings)
{
	settings->jump_start = 1;
	return true;
}

static enum result
edit_campaign(struct world *w)
{
	return change_campaign(w->store, w->campaign, set_jump_start, NULL);
}

static enum result
end_campaign(struct world *w)
{
	return store_end_campaign(w->store, NULL, w->campaign);
}

static enum result
put_webhook(struct world *w)
{
	struct webhook_put put = { .campaign_id = w->campaign,
		.url = SLICE("https://b.example/"),
		.events = 1,
		.secret = SLICE("whsec_another"),
		.maximum = 2 };
	uint64_t id;
	bool created;
	enum result result = store_put_webhook(w->store, NULL, &put, &id, &created);
	assert_true(created);
	return result;
}

static enum result
remove_webhook(struct world *w)
{
	return store_remove_webhook_id(w->store, NULL, scene.webhook);
}

static enum result
record_fetched(struct world *w)
{
	return record_outcome(w, &scene.fetched);
}

static enum result
recover(struct world *w)
{
	const struct interrupted_delivery interrupted = { scene.fetched.id, 1, 0, LEASE_MS };
	return store_recover(w->store, owner, &interrupted, 1);
}

static enum result
fail_pending(struct world *w)
{
	const struct id_set under_way = { &scene.fetched.id, 1 };
	size_t done;
	root_run("UPDATE t_webhooks SET id = 0 WHERE id = %" PRIu64, scene.webhook);
	enum result result = store_fail_pending(w->store, scene.webhook, &under_way, 10, &done);
	root_run("UPDATE t_webhooks SET id = %" PRIu64 " WHERE id = 0", scene.webhook);
	assert_int_equal(done, 1);
	return result;
}

static enum result
disable_webhook(struct world *w)
{
	return store_disable_webhook(w->store, NULL, scene.webhook);
}

static enum result
rotate_secret(struct world *w)
{
	return store_rotate_secret(
	    w->store, NULL, scene.webhook, pool_printf(w->pool, "whsec_%" PRIu64, scene.webhook), LEASE_MS);
}

static bool
set_rate(void *context UNUSED, struct webhook_settings *settings)
{
	settings->rate = 1;
	return true;
}

static enum result
edit_webhook(struct world *w)
{
	struct webhook_change change = { .edit = set_rate };
	return store_edit_webhook(w->store, w->pool, NULL, scene.webhook, &change);
}

static enum result
redeliver(struct world *w)
{
	enum redelivery what;
	enum result result = store_redeliver(w->store, &scene.delivered, 1, &what, NULL, NULL);
	assert_int_equal(what, REDELIVERY_QUEUED);
	return result;
}

static const struct {
	enum result (*make)(struct world *w);
	const char *count; /* increases by one when the change is made once */
	enum result when_answer_is_lost;
} changes[] = {
	{ add_account, "SELECT COUNT(*) FROM t_accounts", RESULT_UNKNOWN },
	{ add_key, "SELECT COUNT(*) FROM t_api_keys", RESULT_UNKNOWN },
	{ add_another_campaign, "SELECT COUNT(*) FROM t_campaigns JOIN t_campaign_counters ON campaign_id = id",
	    RESULT_UNKNOWN },
	{ edit_campaign, "SELECT SUM(jump_start) FROM t_campaigns", RESULT_OK },
	{ end_campaign, "SELECT COUNT(ended_ms) FROM t_campaigns", RESULT_OK },
	{ put_webhook, "SELECT COUNT(*) FROM t_webhooks JOIN t_webhook_status ON webhook_id = id", RESULT_OK },
	{ remove_webhook, "SELECT -COUNT(*) FROM t_webhooks JOIN t_webhook_status ON webhook_id = id", RESULT_UNKNOWN },
	{ disable_webhook, "SELECT COUNT(*) FROM t_webhooks WHERE state = 'disabled'", RESULT_OK },
	{ rotate_secret, "SELECT COUNT(*) FROM t_webhooks WHERE previous_secret <> secret", RESULT_OK },
	{ edit_webhook, "SELECT SUM(rate) FROM t_webhooks", RESULT_OK },
	{ redeliver, "SELECT COUNT(*) FROM t_due JOIN t_deliveries USING (id)", RESULT_UNKNOWN },
	{ record_fetched, "SELECT COUNT(*) FROM t_deliveries", RESULT_UNKNOWN },
	{ recover, "SELECT COUNT(*) FROM t_due WHERE attempts = 1", RESULT_OK },
	{ fail_pending, "SELECT COUNT(*) FROM t_deliveries WHERE state = 'failed'", RESULT_UNKNOWN },
};

/* Makes the change while transactions fail; returns how often it was made. */
static int64_t
make_broken(struct world *w, size_t change, struct breaks planned, enum result expected)
{
	set_scene(w);
	int64_t before = root_number("%s", changes[change].count);
	breaks = planned;
	enum result result = changes[change].make(w);
	if (result != expected)
		fail_msg("%s: %s, not %s", changes[change].count, result_text(result), result_text(expected));
	return root_number("%s", changes[change].count) - before;
}

static void
conflicts_are_repeated(void **state)
{
	struct breaks but_the_last = { .commits = TRIES - 1, .conflict = true },
		      all = { .commits = UINT_MAX, .conflict = true };
	for (size_t i = 0; i < ARRAY_SIZE(changes); i++) {
		const unsigned tries = changes[i].make == record_fetched ? 1 : TRIES; /* its caller repeats it */
		if (tries > 1)
			assert_int_equal(make_broken(*state, i, but_the_last, RESULT_OK), 1);
		assert_int_equal(make_broken(*state, i, all, RESULT_CONFLICT), 0);
		assert_int_equal(UINT_MAX - breaks.commits, tries);
		breaks = (struct breaks){ 0 };
	}
}

/* Repeated after a COMMIT of unknown outcome only if it is idempotent. */
static void
uncertain_idempotent_changes_are_repeated(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(changes); i++) {
		assert_int_equal(
		    make_broken(*state, i, (struct breaks){ .commits = 1, .after = true }, changes[i].when_answer_is_lost), 1);
		assert_int_equal(make_broken(*state, i, (struct breaks){ .commits = 1 }, changes[i].when_answer_is_lost),
		    changes[i].when_answer_is_lost == RESULT_OK);
	}
}

/* RESULT_UNAVAILABLE and RESULT_CONFLICT would mean that nothing was changed. */
static void
uncertain_changes_stay_unknown(void **state)
{
	static const struct breaks planned[] = {
		{ .commits = 1, .after = true, .begins = 1, .why = RESULT_UNAVAILABLE },
		{ .commits = 1, .after = true, .begins = TRIES, .why = RESULT_CONFLICT },
	};
	for (size_t i = 0; i < ARRAY_SIZE(changes) * ARRAY_SIZE(planned); i++) {
		assert_int_equal(make_broken(*state, i / 2, planned[i % 2], RESULT_UNKNOWN), 1);
		breaks = (struct breaks){ 0 };
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		WORLD_TEST(conflicts_are_repeated),
		WORLD_TEST(uncertain_idempotent_changes_are_repeated),
		WORLD_TEST(uncertain_changes_stay_unknown),
	};
	return WORLD_MAIN(tests);
}
