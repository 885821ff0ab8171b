/* SPDX-License-Identifier: MIT
 * Reads and changes of one webhook by the operator (docs/operating.md 4, docs/deliveries.md 2 and 3). */
#include "unit.h"

#include <inttypes.h>

#include "engine/events.h"
#include "store/fetched.h"
#include "store/hooks/webhooks.h"
#include "store/operator/operator_status.h"
#include "store/operator/webhook_admin.h"
#include "store/state.h"

static int
open_empty(void **state)
{
	root_run("DELETE FROM t_due");
	root_run("DELETE FROM t_webhooks");
	root_run("DELETE FROM t_webhook_status");
	root_run("UPDATE t_dispatch_shards SET owner = NULL, lease_until_ms = 0");
	return world_open(state);
}

#define WEBHOOK_TEST(name) cmocka_unit_test_setup_teardown(name, open_empty, world_close)

static struct webhook_details
find(struct world *w, uint64_t id)
{
	struct webhook_details webhook;
	assert_int_equal(store_find_webhook(w->store, w->pool, id, &webhook), RESULT_OK);
	return webhook;
}

static int64_t
settings_version(const struct world *w)
{
	return root_number("SELECT settings_version FROM t_campaign_counters WHERE campaign_id = %" PRIu64, w->campaign);
}

static void
all_of_a_webhook_is_found(void **state)
{
	struct world *w = *state;
	uint64_t id = add_webhook(w, w->campaign, "https://a.example/", EVENT_BIT(EVENT_NEW_SIGNUP));
	struct webhook_details found = find(w, id);
	assert_int_equal(found.row.campaign_id, w->campaign);
	assert_slice(found.row.url, "https://a.example/");
	assert_false(slice_present(found.last_error) || slice_present(found.settings.schedule) ||
		     slice_present(found.settings.ca_file) || slice_present(found.settings.client_certificate) ||
		     slice_present(found.settings.client_key));
	assert_true(found.held_until_ms == -1 && found.previous_until_ms == -1 && found.oldest_due_ms == -1);
	assert_int_equal(found.failures + found.settings.rate + found.pending, 0);
	sign_up_many(w, "due", 3);
	struct due_deliveries fetched = fetch(w, id, 1);
	struct delivery_outcome outcome = outcome_of(fetched.items, DELIVERY_PENDING, 0);
	outcome.webhook_failures = 7;
	outcome.webhook_hold_ms = LONG_MS;
	assert_int_equal(record_outcomes(w, &outcome, 1), 0);
	root_run("UPDATE t_due SET due_ms = 5 ORDER BY due_ms LIMIT 1");
	found = find(w, id);
	assert_slices_equal(found.last_error, SLICE("timeout"));
	assert_int_equal(found.failures, 7);
	assert_true(found.held_until_ms > 0 && found.row.failing_since_ms > 0);
	assert_int_equal(found.pending, 3);
	assert_int_equal(found.oldest_due_ms, 5);
	root_run("UPDATE t_webhook_status SET hold_until_ms = 1");
	root_run("UPDATE t_webhooks SET previous_secret = 'x', previous_until_ms = 1");
	found = find(w, id);
	assert_true(found.held_until_ms == -1 && found.previous_until_ms == -1);
	assert_int_equal(store_find_webhook(w->store, w->pool, UNKNOWN_ID, &found), RESULT_NOT_FOUND);
}

/* docs/deliveries.md 1.1: enabling resumes deliveries, also after 410; each only from the state that it names */
static void
webhooks_are_enabled_and_disabled(void **state)
{
	static const struct {
		const char *from;
		enum result (*change)(struct store *store, const struct precondition *precondition, uint64_t id);
		enum webhook_state to;
		bool cleared;
	} cases[] = {
		{ "active", store_disable_webhook, WEBHOOK_DISABLED, false },
		{ "disabled", store_disable_webhook, WEBHOOK_DISABLED, false },
		{ "gone", store_disable_webhook, WEBHOOK_GONE, false },
		{ "active", store_enable_webhook, WEBHOOK_ACTIVE, true }, /* a hold ends */
		{ "disabled", store_enable_webhook, WEBHOOK_ACTIVE, true },
		{ "gone", store_enable_webhook, WEBHOOK_ACTIVE, true },
	};
	struct world *w = *state;
	uint64_t id = add_webhook(w, w->campaign, "https://a.example/", 1);
	uint64_t other = add_webhook(w, w->campaign, "https://b.example/", 1);
	root_run("UPDATE t_webhook_status SET failures = 6, probes = 2, failing_since_ms = 5, hold_until_ms = 1 << 42");
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		root_run("UPDATE t_webhooks SET state = '%s'", cases[i].from);
		root_run("UPDATE t_webhook_status SET failures = 6, probes = 2, failing_since_ms = 5, hold_until_ms = 1 << 42");
		int64_t version = settings_version(w);
		assert_int_equal(cases[i].change(w->store, NULL, id), RESULT_OK);
		assert_int_equal(settings_version(w), version + 1);
		assert_int_equal(find(w, id).row.state, cases[i].to);
		assert_int_equal(
		    root_number("SELECT failures + probes + hold_until_ms + COALESCE(failing_since_ms, 0) = 0 FROM "
				"t_webhook_status WHERE webhook_id = %" PRIu64,
			id),
		    cases[i].cleared);
		assert_int_equal(root_number("SELECT failures FROM t_webhook_status WHERE webhook_id = %" PRIu64, other), 6);
		assert_int_equal(
		    root_number("SELECT state = '%s' FROM t_webhooks WHERE id = %" PRIu64, cases[i].from, other), 1);
	}
	assert_int_equal(store_enable_webhook(w->store, NULL, UNKNOWN_ID), RESULT_NOT_FOUND);
	assert_int_equal(store_disable_webhook(w->store, NULL, UNKNOWN_ID), RESULT_NOT_FOUND);
}

/* docs/deliveries.md 3, disabling: an attempt that was under way when the operator enabled the webhook does not disable it. */
static void
an_attempt_under_way_does_not_undo_enabling(void **state)
{
	struct world *w = *state;
	uint64_t id = make_due(w, 2);
	struct delivery_outcome outcomes[2];
	struct due_deliveries fetched = fetch(w, id, 2);
	for (size_t i = 0; i < 2; i++) {
		outcomes[i] = outcome_of(&fetched.items[i], DELIVERY_PENDING, 500);
		outcomes[i].webhook_state = WEBHOOK_DISABLED;
	}
	assert_int_equal(record_outcomes(w, &outcomes[0], 1), 0);
	assert_int_equal(outcomes[0].webhook_state, WEBHOOK_ACTIVE);
	assert_int_equal(record_outcomes(w, &outcomes[1], 1), 0); /* by then it has been failing for a while */
	assert_int_equal(outcomes[1].webhook_state, WEBHOOK_DISABLED);
	assert_int_equal(find(w, id).row.state, WEBHOOK_ACTIVE);
	assert_int_equal(store_deactivate_webhook(w->store, id, WEBHOOK_DISABLED, LOCK_SOON), RESULT_OK);
	assert_int_equal(find(w, id).row.state, WEBHOOK_DISABLED);
	assert_int_equal(store_enable_webhook(w->store, NULL, id), RESULT_OK);
	assert_int_equal(store_deactivate_webhook(w->store, id, WEBHOOK_DISABLED, LOCK_SOON), RESULT_OK);
	assert_int_equal(find(w, id).row.state, WEBHOOK_ACTIVE);
	assert_int_equal(store_deactivate_webhook(w->store, UNKNOWN_ID, WEBHOOK_GONE, LOCK_SOON), RESULT_OK);
}

/* docs/deliveries.md 3: later outcomes of the webhook may have been recorded before. */
static void
a_late_outcome_does_not_change_the_webhook(void **state)
{
	struct world *w = *state;
	uint64_t id = make_due(w, 2);
	struct delivery_outcome outcomes[2];
	struct due_deliveries fetched = fetch(w, id, 2);
	for (size_t i = 0; i < 2; i++)
		outcomes[i] = outcome_of(&fetched.items[i], DELIVERY_PENDING, 503);
	outcomes[0].webhook_failures = 2;
	outcomes[0].webhook_hold_ms = LONG_MS;
	outcomes[1].state = DELIVERY_DELIVERED;
	outcomes[1].webhook_failures = 0;
	outcomes[1].late = true;
	assert_int_equal(record_outcomes(w, &outcomes[0], 1), 0);
	assert_int_equal(record_outcomes(w, &outcomes[1], 1), 0);
	struct webhook_details found = find(w, id);
	assert_int_equal(found.failures, 2);
	assert_true(found.held_until_ms > 0 && found.row.failing_since_ms > 0);
	assert_int_equal(root_number(DELIVERIES " AND state = 'delivered'", id), 1);
}

/* An attempt that failed for a local reason. */
static void
local_errors_are_no_failures_of_the_webhook(void **state)
{
	struct world *w = *state;
	uint64_t id = make_due(w, 1);
	struct delivery_outcome outcome = outcome_of(fetch(w, id, 1).items, DELIVERY_PENDING, 0);
	outcome.webhook_failures = 0;
	assert_int_equal(record_outcomes(w, &outcome, 1), 0);
	assert_true(find(w, id).row.failing_since_ms == -1);
}

/* Waiting deliveries are offered to dispatchers as soon as they are due. */
static void
waiting_deliveries_are_due_after_enabling(void **state)
{
	struct world *w = *state;
	uint64_t id = make_due(w, 2);
	struct due_webhooks due;
	assert_int_equal(store_disable_webhook(w->store, NULL, id), RESULT_OK);
	root_run("UPDATE t_webhook_status SET failures = 9, hold_until_ms = 1 << 42");
	assert_int_equal(
	    store_due_webhooks(w->store, w->pool, &(struct due_query){ .shards = UINT64_MAX, .limit = 10 }, &due), RESULT_OK);
	assert_int_equal(due.due_count, 0);
	assert_int_equal(store_enable_webhook(w->store, NULL, id), RESULT_OK);
	assert_int_equal(
	    store_due_webhooks(w->store, w->pool, &(struct due_query){ .shards = UINT64_MAX, .limit = 10 }, &due), RESULT_OK);
	assert_int_equal(due.due_count, 1);
	assert_int_equal(due.due->failures, 0);
}

static struct destination
destination(struct world *w, uint64_t id)
{
	struct destination read = { .webhook_id = id };
	assert_int_equal(store_destinations(w->store, w->pool, &read, 1), RESULT_OK);
	return read;
}

/* docs/deliveries.md 2, Rotation: both secrets sign until the end of the old one */
static void
a_secret_is_rotated(void **state)
{
	struct world *w = *state;
	uint64_t id = add_webhook(w, w->campaign, "https://a.example/", 1);
	struct slice first = destination(w, id).secret;
	assert_int_equal(store_rotate_secret(w->store, NULL, id, SLICE("whsec_second"), LONG_MS), RESULT_OK);
	assert_slice(destination(w, id).secret, "whsec_second");
	assert_slices_equal(destination(w, id).previous_secret, first);
	assert_true(find(w, id).previous_until_ms > 0);
	assert_int_equal(store_rotate_secret(w->store, NULL, id, SLICE("whsec_third"), LONG_MS), RESULT_OK);
	assert_slice(destination(w, id).previous_secret, "whsec_second");
	assert_int_equal(store_rotate_secret(w->store, NULL, id, SLICE("whsec_fourth"), 0), RESULT_OK);
	assert_slice(destination(w, id).secret, "whsec_fourth");
	assert_false(slice_present(destination(w, id).previous_secret));
	assert_int_equal(root_number("SELECT COUNT(previous_secret) + COUNT(previous_until_ms) FROM t_webhooks"), 0);
	assert_int_equal(store_rotate_secret(w->store, NULL, UNKNOWN_ID, SLICE("whsec_x"), 0), RESULT_NOT_FOUND);
}

static bool
set_all(void *context, struct webhook_settings *settings)
{
	*settings = *(const struct webhook_settings *)context;
	return true;
}

static bool
refuse(void *context UNUSED, struct webhook_settings *settings)
{
	settings->rate = 99;
	return false;
}

static enum result
edit(struct world *w, uint64_t id, bool (*made)(void *context, struct webhook_settings *settings), void *context)
{
	struct webhook_change change = { .edit = made, .context = context };
	const enum result result = store_edit_webhook(w->store, w->pool, NULL, id, &change);
	assert_false(change.url_taken);
	return result;
}

static void
settings_are_set(void **state)
{
	struct world *w = *state;
	uint64_t id = add_webhook(w, w->campaign, "https://a.example/", 1);
	struct webhook_settings wanted = { SLICE_NONE, SLICE("crm"), 6, true, SLICE("1s 2s"), SLICE("302,303"), 10000,
		SLICE("/ca"), SLICE("/certificate"), SLICE("/key") };
	int64_t version = settings_version(w);
	assert_int_equal(edit(w, id, set_all, &wanted), RESULT_OK);
	assert_int_equal(settings_version(w), version + 1);
	struct webhook_settings found = find(w, id).settings;
	assert_slices_equal(found.source, wanted.source);
	assert_int_equal(found.events, 6);
	assert_true(found.form);
	assert_int_equal(found.rate, 10000);
	struct destination there = destination(w, id);
	assert_slices_equal(there.schedule, wanted.schedule);
	assert_slices_equal(there.accepts, wanted.accepts);
	assert_slices_equal(there.ca_file, wanted.ca_file);
	assert_slices_equal(there.client_certificate, wanted.client_certificate);
	assert_slices_equal(there.client_key, wanted.client_key);
	assert_int_equal(edit(w, id, refuse, NULL), RESULT_REFUSED);
	assert_int_equal(find(w, id).settings.rate, 10000);
	assert_int_equal(settings_version(w), version + 1);
	wanted = (struct webhook_settings){ .events = 1 };
	assert_int_equal(edit(w, id, set_all, &wanted), RESULT_OK);
	assert_int_equal(
	    root_number(
		"SELECT COUNT(*) FROM t_webhooks WHERE COALESCE(source, schedule, accepts, ca_file, client_certificate, "
		"client_key) IS NULL AND rate = 0 AND format = 'json'"),
	    1);
	assert_int_equal(edit(w, UNKNOWN_ID, set_all, &wanted), RESULT_NOT_FOUND);
}

static bool
set_url(void *context, struct webhook_settings *settings)
{
	settings->url = *(const struct slice *)context;
	return true;
}

/* docs/deliveries.md 1: the URL is stored as typed; libcurl would interpret bytes other than ASCII in the locale's charset. */
static void
a_url_is_sent_in_ascii(void **state)
{
	struct world *w = *state;
	const uint64_t id = add_webhook(w, w->campaign, "http://ex\xc3\xa4mple.org:8080/\xc3\xa4?\xc3\xb6=1#\xc3\xbc", 1);
	assert_slice(destination(w, id).url, "http://xn--exmple-cua.org:8080/%C3%A4?%C3%B6=1");
	root_run("UPDATE t_webhooks SET url = 'http://ann@hooks.example/' WHERE id = %" PRIu64, id);
	assert_false(slice_present(destination(w, id).url));
}

/* docs/deliveries.md 1.1: what is known about the old URL is discarded, but the state does not change; a URL belongs to one
 * webhook of a campaign */
static void
another_url(void **state)
{
	struct world *w = *state;
	const uint64_t id = add_webhook(w, w->campaign, "https://a.example/", 1);
	const uint64_t other = add_webhook(w, w->campaign, "https://b.example/", 1);
	struct slice url = SLICE("https://c.example/");
	struct webhook_change change = { .edit = set_url, .context = &url };
	root_run("UPDATE t_webhook_status SET failures = 6, probes = 2, failing_since_ms = 5, hold_until_ms = 1 << 42,"
		 " last_status = 500, last_error = 'timeout', last_delivery_ms = 4");
	assert_int_equal(store_disable_webhook(w->store, NULL, id), RESULT_OK);
	assert_int_equal(edit(w, id, set_url, &url), RESULT_OK);
	struct webhook_details found = find(w, id);
	assert_slices_equal(found.row.url, url);
	assert_slices_equal(destination(w, id).url, url);
	assert_true(found.row.state == WEBHOOK_DISABLED && found.row.failing_since_ms == -1 && found.held_until_ms == -1 &&
		    found.row.last_delivery_ms == -1 && found.row.status == 0 && !slice_present(found.last_error));
	assert_int_equal(found.failures, 0);
	assert_int_equal(find(w, other).failures, 6);
	root_run("UPDATE t_webhook_status SET failures = 3");
	assert_int_equal(edit(w, id, set_url, &url), RESULT_OK);
	assert_int_equal(find(w, id).failures, 3);
	url = SLICE("https://b.example/");
	assert_int_equal(store_edit_webhook(w->store, w->pool, NULL, id, &change), RESULT_REFUSED);
	assert_true(change.url_taken);
	assert_slice(find(w, id).row.url, "https://c.example/");
	assert_int_equal(store_remove_webhook(w->store, w->campaign, SLICE("https://a.example/")), RESULT_NOT_FOUND);
	assert_int_equal(store_remove_webhook(w->store, w->campaign, SLICE("https://c.example/")), RESULT_OK);
}

enum { EDITS = 20 };

static bool
count_up(void *context UNUSED, struct webhook_settings *settings)
{
	settings->rate++;
	return true;
}

static bool
edit_often(struct store *store, const struct world *world UNUSED, unsigned index UNUSED)
{
	for (size_t i = 0; i < EDITS; i++) {
		enum result result = RESULT_CONFLICT;
		struct webhook_change change = { .edit = count_up };
		struct pool *pool = pool_new();
		for (size_t tries = 0; result == RESULT_CONFLICT && tries < 100; tries++)
			result = store_edit_webhook(store, pool, NULL, shared[1], &change);
		pool_free(&pool);
		if (result != RESULT_OK)
			return false;
	}
	return true;
}

/* Concurrent changes of different settings are both stored. */
static void
settings_are_not_lost(void **state)
{
	struct world *w = *state;
	shared[1] = add_webhook(w, w->campaign, "https://a.example/", 1);
	processes_start(w, 4, edit_often);
	assert_true(processes_end());
	assert_int_equal(find(w, shared[1]).settings.rate, 4 * EDITS);
}

/* leadhook(1), webhook test: an id of its own, and no row anywhere */
static void
a_test_is_no_delivery(void **state)
{
	struct world *w = *state;
	uint64_t id = add_webhook(w, w->campaign, "https://a.example/", 1);
	struct due_delivery one, other;
	assert_int_equal(store_disable_webhook(w->store, NULL, id), RESULT_OK);
	assert_int_equal(store_test_delivery(w->store, w->pool, id, &one), RESULT_OK);
	assert_int_equal(store_test_delivery(w->store, w->pool, id, &other), RESULT_OK);
	struct slice beginning = pool_printf(w->pool, "msg_%.*s_test_", SLICE_ARGS(w->store->installation_id));
	assert_true(slice_starts_with(one.message_id, beginning) && one.message_id.size == beginning.size + 16);
	assert_false(slice_equal(one.message_id, other.message_id));
	assert_slice(one.destination->url, "https://a.example/");
	assert_true(slice_present(one.destination->secret));
	assert_int_equal(store_test_delivery(w->store, w->pool, UNKNOWN_ID, &one), RESULT_NOT_FOUND);
}

/* docs/operating.md 4, status */
static void
the_status_counts_failing_and_disabled_webhooks(void **state)
{
	struct world *w = *state;
	struct store_status status;
	for (size_t i = 0; i < 4; i++)
		add_webhook(w, w->campaign, pool_printf(w->pool, "https://a.example/%zu", i).data, 1);
	assert_int_equal(store_get_status(w->store, w->pool, &status), RESULT_OK);
	assert_int_equal(status.figures.webhooks_failing + status.figures.webhooks_disabled, 0);
	root_run("UPDATE t_webhooks SET state = 'gone' ORDER BY id LIMIT 1");
	root_run("UPDATE t_webhooks SET state = 'disabled' WHERE state = 'active' ORDER BY id LIMIT 1");
	root_run("UPDATE t_webhook_status SET failing_since_ms = 5 ORDER BY webhook_id LIMIT 3");
	assert_int_equal(store_get_status(w->store, w->pool, &status), RESULT_OK);
	assert_int_equal(status.figures.webhooks_failing, 1);
	assert_int_equal(status.figures.webhooks_disabled, 2);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		WEBHOOK_TEST(all_of_a_webhook_is_found),
		WEBHOOK_TEST(webhooks_are_enabled_and_disabled),
		WEBHOOK_TEST(an_attempt_under_way_does_not_undo_enabling),
		WEBHOOK_TEST(a_late_outcome_does_not_change_the_webhook),
		WEBHOOK_TEST(local_errors_are_no_failures_of_the_webhook),
		WEBHOOK_TEST(waiting_deliveries_are_due_after_enabling),
		WEBHOOK_TEST(a_secret_is_rotated),
		WEBHOOK_TEST(settings_are_set),
		WEBHOOK_TEST(a_url_is_sent_in_ascii),
		WEBHOOK_TEST(another_url),
		WEBHOOK_TEST(settings_are_not_lost),
		WEBHOOK_TEST(a_test_is_no_delivery),
		WEBHOOK_TEST(the_status_counts_failing_and_disabled_webhooks),
	};
	return WORLD_MAIN(tests);
}
