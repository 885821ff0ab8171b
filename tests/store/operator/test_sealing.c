/* SPDX-License-Identifier: MIT
 * SECURITY.md, Secrets in the database: sealed by `leadhook secrets seal` (docs/operating.md 3.2), and from then on by all
 * programs. */
#include "unit.h"

#include <inttypes.h>
#include <string.h>

#include "store/hooks/webhooks.h"
#include "store/operator/accounts.h"
#include "store/operator/campaign_settings.h"
#include "store/operator/installation_check.h"
#include "store/operator/sealing.h"
#include "store/operator/upgrade.h"
#include "store/operator/webhook_admin.h"
#include "store/queue/due_deliveries.h"
#include "store/secrets.h"
#include "store/state.h"
#include "store/world.h"

#define OLD "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
#define NEW "f0e0d0c0b0a090807060504030201000f0e0d0c0b0a090807060504030201000"
#define PLAIN "SELECT COUNT(*) FROM t_secrets WHERE stored NOT LIKE 'sealed:1:%%'"

/* A store with these keys. */
static struct store *
store_of(const char *keys)
{
	struct store_options options = world_options;
	options.secrets_key = keys;
	return store_new(&options);
}

static uint64_t
seal_all(struct store *store)
{
	uint64_t changed;
	assert_int_equal(store_seal_secrets(store, &changed), RESULT_OK);
	return changed;
}

static int
start(void **state)
{
	const int result = world_start(state);
	root_run("CREATE VIEW t_secrets AS SELECT value AS stored FROM t_installation WHERE name = 'server_secret' UNION ALL "
		 "SELECT secret FROM t_webhooks UNION ALL SELECT previous_secret FROM t_webhooks WHERE previous_secret IS NOT "
		 "NULL UNION ALL SELECT url FROM t_webhooks");
	return result;
}

/* An installation without webhooks whose secrets are sealed with these keys; "": not sealed. */
static void
install(const char *keys)
{
	root_run("DELETE FROM t_webhooks");
	root_run("DELETE FROM t_webhook_status");
	root_run("UPDATE t_installation SET value = 'thirty-two bytes of this secret.' WHERE name = 'server_secret'");
	if (*keys == '\0')
		return;
	struct store *store = store_of(keys);
	assert_int_equal(seal_all(store), 1);
	store_free(&store);
}

/* The fixture's own store has no keys. */
static int
open_plain(void **state)
{
	install("");
	return world_open(state);
}

#define SECRETS_TEST(name) cmocka_unit_test_setup_teardown(name, open_plain, world_close)

static uint64_t
add_campaign_of(struct store *store)
{
	const struct campaign_settings settings = plain_campaign();
	uint64_t account, campaign;
	assert_int_equal(store_add_account(store, NULL, SLICE("a"), &account), RESULT_OK);
	assert_int_equal(store_add_campaign(store, NULL, account, &settings, INT64_MAX, &campaign), RESULT_OK);
	return campaign;
}

/* A webhook with the secret whsec_<number>. */
static enum result
put(struct store *store, struct pool *pool, uint64_t campaign, size_t number, uint64_t *id)
{
	bool created;
	const struct webhook_put put = { .campaign_id = campaign,
		.url = pool_printf(pool, "https://%zu.example/", number),
		.events = 1,
		.secret = pool_printf(pool, "whsec_%zu", number),
		.maximum = SIZE_MAX };
	const enum result result = store_put_webhook(store, NULL, &put, id, &created);
	assert_true(result != RESULT_OK || created);
	return result;
}

/* Registers the same URL again; returns the id of its webhook. */
static uint64_t
put_again(struct store *store, struct pool *pool, uint64_t campaign, size_t number)
{
	uint64_t id;
	bool created;
	const struct webhook_put put = { .campaign_id = campaign,
		.url = pool_printf(pool, "https://%zu.example/", number),
		.events = 1,
		.secret = SLICE("whsec_unused"),
		.maximum = SIZE_MAX };
	assert_int_equal(store_put_webhook(store, NULL, &put, &id, &created), RESULT_OK);
	assert_false(created);
	return id;
}

static struct destination
destination_of(struct store *store, struct pool *pool, uint64_t id)
{
	struct destination read = { .webhook_id = id };
	assert_int_equal(store_destinations(store, pool, &read, 1), RESULT_OK);
	return read;
}

static struct secret_counts
count(struct store *store, struct pool *pool)
{
	struct secret_counts counts;
	assert_int_equal(store_count_secrets(store, pool, &counts), RESULT_OK);
	return counts;
}

/* A key alone seals nothing: hosts that do not have it yet could not read what others store. */
static void
nothing_is_sealed_before_the_command(void **state)
{
	struct world *w = *state;
	uint64_t id;
	struct store *store = store_of(OLD);
	assert_int_equal(put(store, w->pool, add_campaign_of(store), 1, &id), RESULT_OK);
	assert_int_equal(root_number(PLAIN), 3);
	assert_slice(destination_of(store, w->pool, id).secret, "whsec_1");
	assert_int_equal(count(store, w->pool).plain, 3);
	store_free(&store);
}

/* More rows than a transaction changes. All can be opened as before; a second run changes nothing. */
static void
all_are_sealed(void **state)
{
	enum { WEBHOOKS = 450 };
	struct world *w = *state;
	const struct payload_settings *settings;
	struct webhook_row *rows;
	struct slice *urls;
	size_t rows_count;
	uint64_t ids[WEBHOOKS];
	struct store *plain = store_of("");
	const uint64_t campaign = add_campaign_of(plain);
	for (size_t i = 0; i < WEBHOOKS; i++)
		assert_int_equal(put(plain, w->pool, campaign, i, &ids[i]), RESULT_OK);
	assert_int_equal(store_rotate_secret(plain, NULL, ids[7], SLICE("whsec_new"), 1000000), RESULT_OK);
	assert_int_equal(store_payload_settings(plain, &settings), RESULT_OK);
	const struct slice secret = pool_copy(w->pool, settings->server_secret);
	store_free(&plain);

	struct store *store = store_of(OLD);
	assert_int_equal(count(store, w->pool).plain, 2 * WEBHOOKS + 2);
	assert_int_equal(seal_all(store), 2 * WEBHOOKS + 2);
	assert_int_equal(root_number(PLAIN), 0);
	assert_int_equal(seal_all(store), 0);
	const struct secret_counts counts = count(store, w->pool);
	assert_int_equal(counts.sealed, 2 * WEBHOOKS + 2);
	assert_int_equal(counts.plain + counts.old + counts.unreadable, 0);
	store_free(&store);

	store = store_of(OLD);
	assert_int_equal(store_payload_settings(store, &settings), RESULT_OK);
	assert_slices_equal(settings->server_secret, secret);
	for (size_t i = 0; i < WEBHOOKS; i += 149)
		assert_slices_equal(destination_of(store, w->pool, ids[i]).secret, pool_printf(w->pool, "whsec_%zu", i));
	const struct destination rotated = destination_of(store, w->pool, ids[7]);
	assert_slice(rotated.secret, "whsec_new");
	assert_slice(rotated.previous_secret, "whsec_7");
	assert_slice(rotated.url, "https://7.example/");
	assert_int_equal(store_list_webhooks(store, w->pool, campaign, &rows, &rows_count), RESULT_OK);
	assert_int_equal(rows_count, WEBHOOKS);
	assert_slice(rows[8].url, "https://8.example/");
	assert_int_equal(store_list_destinations(store, w->pool, 1, &urls, &rows_count), RESULT_OK);
	assert_slice(urls[0], "https://449.example/");
	assert_false(rotated.sealed);
	store_free(&store);
}

/* docs/deliveries.md 1: 2,048 bytes of a URL. A secret of 64 bytes, set by hand. */
static void
the_longest_texts_fit(void **state)
{
	struct world *w = *state;
	uint64_t id;
	struct store *store = store_of(OLD);
	assert_int_equal(put(store, w->pool, add_campaign_of(store), 1, &id), RESULT_OK);
	root_run("UPDATE t_webhooks SET url = RPAD('https://u.example/', 2048, 'u'), secret = CONCAT('whsec_', REPEAT('s', 88))");
	assert_int_equal(seal_all(store), 3);
	assert_int_equal(destination_of(store, w->pool, id).url.size, 2048);
	assert_int_equal(destination_of(store, w->pool, id).secret.size, 94);
	store_free(&store);
}

/* Even processes that read the installation earlier seal later secrets. */
static void
later_secrets_are_sealed(void **state)
{
	struct world *w = *state;
	const struct payload_settings *settings;
	uint64_t id;
	struct store *early = store_of(OLD), *without = store_of(""), *store = store_of(OLD);
	const uint64_t campaign = add_campaign_of(early);
	assert_int_equal(store_payload_settings(without, &settings), RESULT_OK);
	assert_int_equal(seal_all(store), 1);
	assert_int_equal(put(early, w->pool, campaign, 1, &id), RESULT_OK);
	assert_int_equal(store_rotate_secret(early, NULL, id, SLICE("whsec_2"), 1000000), RESULT_OK);
	assert_int_equal(root_number(PLAIN), 0);
	assert_slice(destination_of(store, w->pool, id).secret, "whsec_2");
	assert_slice(destination_of(store, w->pool, id).previous_secret, "whsec_1");
	/* nothing is stored by a process that cannot seal it */
	assert_int_equal(store_rotate_secret(without, NULL, id, SLICE("whsec_3"), 1000000), RESULT_FAILED);
	assert_int_equal(put(without, w->pool, campaign, 3, &id), RESULT_FAILED);
	assert_int_equal(root_number(PLAIN), 0);
	assert_int_equal(root_number("SELECT COUNT(*) FROM t_webhooks"), 1);
	store_free(&early);
	store_free(&without);
	store_free(&store);
}

/* The answer to a COMMIT was lost: the repeated call finds its own secret. */
static void
a_repeated_call_finds_its_secret(void **state)
{
	struct world *w = *state;
	uint64_t id, again;
	install(OLD);
	struct store *store = store_of(OLD);
	const uint64_t campaign = add_campaign_of(store);
	assert_int_equal(put(store, w->pool, campaign, 1, &id), RESULT_OK);
	assert_int_equal(put(store, w->pool, campaign, 1, &again), RESULT_OK); /* created */
	assert_int_equal(again, id);
	for (size_t i = 0; i < 2; i++)
		assert_int_equal(store_rotate_secret(store, NULL, id, SLICE("whsec_2"), 1000000), RESULT_OK);
	assert_slice(destination_of(store, w->pool, id).previous_secret, "whsec_1");
	store_free(&store);
}

static void
a_new_installation_is_sealed(void **state UNUSED)
{
	struct store_options options = world_options;
	uint32_t from;
	options.prefix = "new_";
	options.secrets_key = OLD;
	struct store *store = store_new(&options);
	assert_int_equal(store_upgrade(store, &from), RESULT_OK);
	assert_int_equal(root_number("SELECT value LIKE 'sealed:1:%%' FROM new_installation WHERE name = 'server_secret'"), 1);
	store_free(&store);
}

/* "the first one seals, all open" */
static void
keys_are_rotated(void **state)
{
	struct world *w = *state;
	uint64_t id;
	install(OLD);
	struct store *store = store_of(OLD);
	assert_int_equal(put(store, w->pool, add_campaign_of(store), 1, &id), RESULT_OK);
	store_free(&store);
	store = store_of(NEW " " OLD);
	assert_slice(destination_of(store, w->pool, id).secret, "whsec_1");
	assert_int_equal(count(store, w->pool).old, 3);
	assert_int_equal(seal_all(store), 3);
	assert_int_equal(count(store, w->pool).sealed, 3);
	store_free(&store);
	store = store_of(NEW);
	assert_int_equal(count(store, w->pool).sealed, 3);
	assert_slice(destination_of(store, w->pool, id).secret, "whsec_1");
	store_free(&store);
}

static bool
has_finding(struct store *store, struct pool *pool)
{
	struct finding *findings;
	size_t findings_count;
	bool found = false;
	store_check(store, pool, NULL, CHECK_QUICK, &findings, &findings_count);
	for (size_t i = 0; i < findings_count; i++)
		found = found || slice_equal(findings[i].what, SLICE("secrets_key"));
	return found;
}

static void
another_key_is_an_error(void **state)
{
	struct world *w = *state;
	const struct payload_settings *settings;
	uint64_t first, second, changed;
	install(OLD);
	struct store *store = store_of(OLD);
	const uint64_t campaign = add_campaign_of(store);
	assert_int_equal(put(store, w->pool, campaign, 1, &first), RESULT_OK);
	assert_int_equal(put(store, w->pool, campaign, 2, &second), RESULT_OK);
	assert_false(has_finding(store, w->pool));
	/* a secret that was changed, or copied from another row, is not used for a signature */
	root_run("UPDATE t_webhooks a JOIN t_webhooks b ON b.id = %" PRIu64 " SET a.secret = b.secret WHERE a.id = %" PRIu64,
	    second, first);
	assert_true(destination_of(store, w->pool, first).sealed);
	assert_false(slice_present(destination_of(store, w->pool, first).secret));
	assert_false(slice_present(destination_of(store, w->pool, first).url));
	assert_false(destination_of(store, w->pool, second).sealed);
	assert_true(has_finding(store, w->pool));
	const struct secret_counts counts = count(store, w->pool);
	assert_int_equal(counts.unreadable, 1);
	assert_non_null(memmem(counts.first_unreadable.data, counts.first_unreadable.size, "webhooks.secret", 15));
	assert_int_equal(seal_all(store), 0);                                                      /* it is left alone */
	assert_int_equal(store_rotate_secret(store, NULL, first, SLICE("whsec_3"), 0), RESULT_OK); /* the remedy */
	root_run("UPDATE t_webhooks SET url = CONCAT('sealed:1:00000000:', SUBSTR(url, 19)) WHERE id = %" PRIu64, first);
	assert_true(has_finding(store, w->pool));
	assert_int_equal(put_again(store, w->pool, campaign, 1), first); /* the remedy */
	assert_slice(destination_of(store, w->pool, first).url, "https://1.example/");
	assert_false(has_finding(store, w->pool));
	store_free(&store);

	store = store_of(NEW);
	assert_int_equal(store_payload_settings(store, &settings), RESULT_FAILED);
	assert_int_equal(store_seal_secrets(store, &changed), RESULT_FAILED);
	assert_int_equal(count(store, w->pool).unreadable, 5);
	assert_true(has_finding(store, w->pool));
	store_free(&store);
}

/* Seals and rotates at the same time: a new secret is never replaced by an old one. */
static bool
seal_or_rotate(struct store *unused UNUSED, const struct world *w UNUSED, unsigned index)
{
	enum { TIMES = 60 };
	struct store *store = store_of(index == 0 ? NEW " " OLD : OLD " " NEW);
	struct pool *pool = pool_new();
	bool good = true;
	uint64_t changed;
	for (size_t i = 0; i < TIMES && good; i++)
		good = index < 2
			   ? store_seal_secrets(store, &changed) == RESULT_OK
			   : store_rotate_secret(store, NULL, shared[0], pool_printf(pool, "whsec_%zu", i), 1000000) ==
				     RESULT_OK &&
				 slice_equal(destination_of(store, pool, shared[0]).secret, pool_printf(pool, "whsec_%zu", i));
	pool_free(&pool);
	store_free(&store);
	return good;
}

static void
sealing_loses_no_rotation(void **state)
{
	struct world *w = *state;
	install(OLD);
	struct store *store = store_of(OLD " " NEW);
	assert_int_equal(put(store, w->pool, add_campaign_of(store), 1, &shared[0]), RESULT_OK);
	processes_start(w, 3, seal_or_rotate);
	assert_true(processes_end());
	assert_slice(destination_of(store, w->pool, shared[0]).secret, "whsec_59");
	assert_slice(destination_of(store, w->pool, shared[0]).previous_secret, "whsec_58");
	store_free(&store);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		SECRETS_TEST(nothing_is_sealed_before_the_command),
		SECRETS_TEST(all_are_sealed),
		SECRETS_TEST(the_longest_texts_fit),
		SECRETS_TEST(later_secrets_are_sealed),
		SECRETS_TEST(a_repeated_call_finds_its_secret),
		SECRETS_TEST(a_new_installation_is_sealed),
		SECRETS_TEST(keys_are_rotated),
		SECRETS_TEST(another_key_is_an_error),
		SECRETS_TEST(sealing_loses_no_rotation),
	};
	return private_server_installed() ? cmocka_run_group_tests(tests, start, world_stop) : world_skip();
}
