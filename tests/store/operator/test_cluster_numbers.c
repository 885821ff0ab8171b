/* SPDX-License-Identifier: MIT
 * docs/cluster.md 7: the number of a cluster in the ids of its campaigns and leads. */
#include "unit.h"

#include "store/operator/accounts.h"
#include "store/operator/campaign_settings.h"
#include "store/operator/cluster_numbers.h"
#include "store/operator/installation_check.h"
#include "store/operator/upgrade.h"
#include "store/world.h"

#define PREFIX "n_"
#define FIRST_LEAD "SELECT COALESCE(MIN(id), 0) FROM " PREFIX "leads"

/* A store of one installation, as a program with this setting opens it. */
static struct store *
store_of(unsigned number)
{
	struct store_options options = world_options;
	options.prefix = PREFIX;
	options.cluster_number = number;
	return store_new(&options);
}

/* leadhook install: the result, and the number that the database had. */
static enum result
install(unsigned number, uint64_t *recorded)
{
	struct store *store = store_of(number);
	uint32_t from;
	assert_int_equal(store_upgrade(store, &from), RESULT_OK);
	enum result result = store_set_cluster_number(store, recorded);
	store_free(&store);
	return result;
}

static enum result
add(unsigned number, uint64_t *id)
{
	struct store *store = store_of(number);
	const struct campaign_settings settings = plain_campaign();
	uint64_t account;
	assert_int_equal(store_add_account(store, NULL, SLICE("a"), &account), RESULT_OK);
	enum result result = store_add_campaign(store, NULL, account, &settings, INT64_MAX, id);
	store_free(&store);
	return result;
}

static bool
has_finding(struct world *w, unsigned number)
{
	struct store *store = store_of(number);
	struct finding *findings;
	size_t count;
	bool found = false;
	store_check(store, w->pool, NULL, CHECK_QUICK, &findings, &count);
	for (size_t i = 0; i < count; i++)
		found = found || slice_equal(findings[i].what, SLICE("cluster_number"));
	store_free(&store);
	return found;
}

/* It can be changed until the first campaign. */
static void
the_number_is_set_before_the_first_campaign(void **state)
{
	struct world *w = *state;
	uint64_t recorded, id;
	assert_int_equal(install(0, &recorded), RESULT_OK);
	assert_true(has_finding(w, 3));
	assert_int_equal(install(3, &recorded), RESULT_OK);
	assert_int_equal(install(2, &recorded), RESULT_OK);
	assert_int_equal(recorded, 3);
	assert_int_equal(install(3, &recorded), RESULT_OK);
	assert_int_equal(install(0, &recorded), RESULT_REFUSED); /* the setting is missing on one host */
	assert_false(has_finding(w, 3));
	assert_int_equal(add(3, &id), RESULT_OK);
	assert_int_equal(id, 3000001);
	assert_int_equal(install(3, &recorded), RESULT_OK);
	for (unsigned other = 0; other <= 4; other += 2) {
		assert_int_equal(install(other, &recorded), RESULT_REFUSED);
		assert_int_equal(recorded, 3);
		assert_true(has_finding(w, other));
	}
	assert_int_equal(add(3, &id), RESULT_OK);
	assert_int_equal(id, 3000002);
}

static enum failure
sign_up(struct world *w, struct store *store, const char *email)
{
	struct outcome outcome;
	struct command command = signup(w, 3000001, email);
	command.rights = RIGHTS_NONE;
	command.account_id = command.owner_id = 0;
	execute(store, w->pool, &command, 1, &outcome);
	return outcome.failure;
}

static void
leads_have_the_number(void **state)
{
	struct world *w = *state;
	struct store *store = store_of(3);
	assert_int_equal(sign_up(w, store, "ada@example.org"), FAILURE_NONE);
	assert_int_equal(root_number(FIRST_LEAD), INT64_C(3000000000001));
	assert_int_equal(root_number("SELECT MIN(subscription_number) FROM " PREFIX "leads"), 1);
	store_free(&store);
}

/* A host with the number of another cluster makes no campaigns, nor does a cluster whose range is used up. */
static void
ids_outside_the_range_are_not_given(void **state)
{
	struct world *w = *state;
	struct store *other = store_of(2), *own = store_of(3);
	uint64_t id;
	assert_int_equal(add(2, &id), RESULT_FAILED);
	assert_int_equal(sign_up(w, other, "bob@example.org"), FAILURE_INTERNAL);
	root_run("UPDATE " PREFIX "id_blocks SET next = 3999999 WHERE name = 'campaign'");
	assert_int_equal(add(3, &id), RESULT_OK);
	assert_int_equal(id, 3999999);
	assert_int_equal(add(3, &id), RESULT_FAILED);
	root_run("UPDATE " PREFIX "id_blocks SET next = 3999999999999 WHERE name = 'lead'");
	assert_int_equal(sign_up(w, own, "cid@example.org"), FAILURE_INTERNAL);
	store_free(&other);
	store_free(&own);
}

static void
remove_campaigns(void)
{
	root_run("DELETE FROM " PREFIX "campaigns");
	root_run("DELETE FROM " PREFIX "campaign_counters");
	root_run("UPDATE " PREFIX "id_blocks SET next = 3000001 WHERE name = 'campaign'");
}

static enum result
add_as(struct store *store, uint64_t account, uint64_t id, struct id_verdict *verdict)
{
	const struct campaign_settings settings = plain_campaign();
	return store_add_campaign_as(store, account, &settings, id, verdict);
}

/* docs/cluster.md 7: a chosen id must belong to the cluster, even on a host without the setting; taken ids are skipped. */
static void
chosen_ids_are_those_of_the_cluster(void **state UNUSED)
{
	uint64_t recorded, id, account;
	struct id_verdict verdict;
	remove_campaigns();
	for (unsigned setting = 0; setting <= 3; setting += 3) {
		struct store *store = store_of(setting);
		assert_int_equal(store_add_account(store, NULL, SLICE("a"), &account), RESULT_OK);
		const uint64_t others[] = { 1, 2999999, 3000000, 4000000, (UINT64_C(1) << 53) - 1 };
		for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
			assert_int_equal(add_as(store, account, others[i], &verdict), RESULT_REFUSED);
			assert_true(!verdict.is_taken && verdict.first == 3000001 && verdict.last == 3999999);
		}
		const uint64_t chosen = setting == 0 ? 3999999 : 3000002;
		assert_int_equal(add_as(store, account, chosen, &verdict), RESULT_OK);
		assert_int_equal(add_as(store, account, chosen, &verdict), RESULT_REFUSED);
		assert_true(verdict.is_taken);
		store_free(&store);
	}
	struct store *other = store_of(2);
	assert_int_equal(add_as(other, account, 2000007, &verdict), RESULT_FAILED);
	store_free(&other);
	assert_int_equal(add(3, &id), RESULT_OK);
	assert_int_equal(id, 3000001);
	assert_int_equal(add(3, &id), RESULT_OK);
	assert_int_equal(id, 3000003);
	assert_int_equal(install(2, &recorded), RESULT_REFUSED);
}

/* A campaign with a chosen id counts as the first one, although no block was used. */
static void
a_chosen_id_settles_the_number(void **state UNUSED)
{
	uint64_t recorded, account;
	struct id_verdict verdict;
	struct store *store = store_of(3);
	remove_campaigns();
	root_run("UPDATE " PREFIX "id_blocks SET next = 3000000000001 WHERE name = 'lead'");
	assert_int_equal(install(2, &recorded), RESULT_OK);
	assert_int_equal(install(3, &recorded), RESULT_OK);
	assert_int_equal(store_add_account(store, NULL, SLICE("a"), &account), RESULT_OK);
	assert_int_equal(add_as(store, account, 3000500, &verdict), RESULT_OK);
	assert_int_equal(install(2, &recorded), RESULT_REFUSED);
	assert_int_equal(add_as(store, UNKNOWN_ID, 3000501, &verdict), RESULT_NOT_FOUND);
	store_free(&store);
}

/* More campaigns than are read at once. */
static void
a_row_of_chosen_ids_is_skipped(void **state UNUSED)
{
	uint64_t account, id;
	struct id_verdict verdict;
	struct store *store = store_of(3);
	remove_campaigns();
	assert_int_equal(store_add_account(store, NULL, SLICE("a"), &account), RESULT_OK);
	for (uint64_t chosen = 3000001; chosen <= 3000250; chosen++)
		assert_int_equal(add_as(store, account, chosen, &verdict), RESULT_OK);
	for (uint64_t next = 3000251; next <= 3000252; next++) {
		assert_int_equal(add(3, &id), RESULT_OK);
		assert_int_equal(id, next);
	}
	store_free(&store);
}

/* docs/operating.md 10: ids of all kinds */
static void
a_restore_skips_ids(void **state)
{
	struct world *w = *state;
	assert_true(root_number("SELECT COUNT(*) FROM t_id_blocks WHERE next <= 1000") > 0);
	assert_int_equal(store_skip_ids(w->store), RESULT_OK);
	assert_int_equal(root_number("SELECT COUNT(*) FROM t_id_blocks WHERE next <= 1000"), 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		WORLD_TEST(the_number_is_set_before_the_first_campaign),
		WORLD_TEST(leads_have_the_number),
		WORLD_TEST(ids_outside_the_range_are_not_given),
		WORLD_TEST(chosen_ids_are_those_of_the_cluster),
		WORLD_TEST(a_chosen_id_settles_the_number),
		WORLD_TEST(a_row_of_chosen_ids_is_skipped),
		WORLD_TEST(a_restore_skips_ids),
	};
	return WORLD_MAIN(tests);
}
