/* SPDX-License-Identifier: MIT
 * The audit log (docs/users.md 6). */
#include "unit.h"

#include <inttypes.h>

#include "store/queue/clean_up.h"
#include "store/users/audit.h"
#include "store/world.h"

static struct world *world;
static struct audit_row *rows;
static size_t count;

static int
begin(void **state)
{
	if (world_open(state) != 0)
		return -1;
	world = *state;
	root_run("DELETE FROM t_audit");
	return 0;
}

static uint64_t
note(uint64_t account, uint64_t campaign, uint64_t user)
{
	const struct audit_entry entry = { .actor = AUDIT_USER,
		.actor_id = user,
		.actor_name = SLICE("eve@example.org"),
		.account_id = account,
		.campaign_id = campaign,
		.operation = SLICE("campaign set"),
		.target_id = campaign,
		.before = SLICE("{\"name\":\"a\"}"),
		.ip = SLICE("192.0.2.1"),
		.request_id = SLICE("r1") };
	uint64_t id;
	assert_int_equal(store_begin_audit(world->store, &entry, &id), RESULT_OK);
	return id;
}

/* For rows without a maximum. */
static const struct audit_entry ending = { .operation = SLICE("campaign set") };

/* The ids of the rows, as a text. */
static const char *
list(struct audit_filter filter)
{
	const char *ids = "";
	if (filter.limit == 0)
		filter.limit = 100;
	assert_int_equal(store_list_audit(world->store, world->pool, &filter, &rows, &count), RESULT_OK);
	for (size_t i = 0; i < count; i++)
		ids = pool_printf(world->pool, "%s%s%" PRIu64, ids, i == 0 ? "" : " ", rows[i].id).data;
	return ids;
}

#define NO_TIMES .since_ms = -1, .until_ms = -1

/* docs/users.md 6: before the change, and after it. */
static void
a_change_is_written_ahead(void **state UNUSED)
{
	const uint64_t id = note(1, 2, 3);
	list((struct audit_filter){ NO_TIMES });
	assert_int_equal(count, 1);
	assert_int_equal(rows[0].id, id);
	assert_int_equal(rows[0].state, AUDIT_BEGUN);
	assert_int_equal(rows[0].entry.actor, AUDIT_USER);
	assert_int_equal(rows[0].entry.actor_id, 3);
	assert_slice(rows[0].entry.actor_name, "eve@example.org");
	assert_int_equal(rows[0].entry.account_id, 1);
	assert_int_equal(rows[0].entry.campaign_id, 2);
	assert_slice(rows[0].entry.operation, "campaign set");
	assert_int_equal(rows[0].entry.target_id, 2);
	assert_slice(rows[0].entry.before, "{\"name\":\"a\"}");
	assert_slice(rows[0].entry.ip, "192.0.2.1");
	assert_slice(rows[0].entry.request_id, "r1");
	assert_false(slice_present(rows[0].after));
	assert_true(rows[0].created_ms > 0);
	assert_int_equal(store_end_audit(world->store, &ending, id,
			     &(struct audit_end){ .state = AUDIT_DONE, .target_id = 7, .after = SLICE("{\"name\":\"b\"}") }),
	    RESULT_OK);
	list((struct audit_filter){ NO_TIMES });
	assert_int_equal(rows[0].state, AUDIT_DONE);
	assert_int_equal(rows[0].entry.target_id, 7);
	assert_slice(rows[0].after, "{\"name\":\"b\"}");
	/* a row can be ended only once */
	assert_int_equal(
	    store_end_audit(world->store, &ending, id, &(struct audit_end){ .state = AUDIT_FAILED }), RESULT_NOT_FOUND);
	const uint64_t failed = note(1, 2, 3);
	assert_int_equal(
	    store_end_audit(world->store, &ending, failed, &(struct audit_end){ .state = AUDIT_FAILED }), RESULT_OK);
	list((struct audit_filter){ NO_TIMES });
	assert_int_equal(rows[0].state, AUDIT_FAILED);
	assert_int_equal(rows[0].entry.target_id, 2);
}

static void
other_actors_have_their_names(void **state UNUSED)
{
	const struct audit_entry shell = { .actor = AUDIT_SHELL, .operation = SLICE("user add") }, key = {
		.actor = AUDIT_KEY, .actor_id = 3, .operation = SLICE("tag add"), .actor_name = SLICE("k")
	};
	uint64_t id;
	assert_int_equal(store_begin_audit(world->store, &shell, &id), RESULT_OK);
	assert_int_equal(store_begin_audit(world->store, &key, &id), RESULT_OK);
	list((struct audit_filter){ NO_TIMES });
	assert_int_equal(rows[0].entry.actor, AUDIT_KEY);
	assert_int_equal(rows[1].entry.actor, AUDIT_SHELL);
	assert_int_equal(rows[1].entry.actor_id, 0);
	assert_int_equal(rows[1].entry.account_id, 0);
	assert_false(slice_present(rows[1].entry.actor_name) || slice_present(rows[1].entry.before));
	/* a key with the id of a user is not that user */
	assert_string_equal(list((struct audit_filter){ NO_TIMES, .user_id = 3 }), "");
	assert_slice(audit_actor_name(AUDIT_KEY), "key");
	assert_slice(audit_state_name(AUDIT_BEGUN), "begun");
}

static void
large_values_are_omitted(void **state UNUSED)
{
	const struct slice large = { pool_alloc(world->pool, AUDIT_JSON_MAX + 1), AUDIT_JSON_MAX + 1 };
	const struct audit_entry entry = { .actor = AUDIT_SHELL, .operation = SLICE("page set"), .before = large };
	uint64_t id;
	assert_int_equal(store_begin_audit(world->store, &entry, &id), RESULT_OK);
	assert_int_equal(store_end_audit(world->store, &ending, id,
			     &(struct audit_end){ .state = AUDIT_DONE, .after = (struct slice){ large.data, AUDIT_JSON_MAX } }),
	    RESULT_OK);
	list((struct audit_filter){ NO_TIMES });
	assert_slice(rows[0].entry.before, "{\"omitted\":\"too large\"}");
	assert_int_equal(rows[0].after.size, AUDIT_JSON_MAX);
}

/* "JSON beyond json_max", per account and day, for the states before and after together. */
static void
an_account_has_so_many_bytes_a_day(void **state UNUSED)
{
	const struct slice half = { pool_alloc(world->pool, 500), 500 };
	memset((char *)half.data, '7', half.size);
	struct audit_entry entry = { .actor = AUDIT_SHELL,
		.operation = SLICE("page set"),
		.account_id = world->account,
		.before = half,
		.json_max = 1200 };
	for (unsigned day = 0; day < 2; day++) {
		uint64_t id;
		assert_int_equal(store_begin_audit(world->store, &entry, &id), RESULT_OK);
		assert_int_equal(
		    store_end_audit(world->store, &entry, id, &(struct audit_end){ .state = AUDIT_DONE, .after = half }),
		    RESULT_OK);
		assert_int_equal(store_begin_audit(world->store, &entry, &id), RESULT_OK);
		assert_int_equal(
		    store_end_audit(world->store, &entry, id, &(struct audit_end){ .state = AUDIT_DONE, .after = SLICE("{}") }),
		    RESULT_OK);
		list((struct audit_filter){ NO_TIMES });
		assert_slice(rows[0].entry.before, "{\"omitted\":\"daily limit\"}");
		assert_slice(rows[0].after, "{}");
		assert_true(slice_equal(rows[1].entry.before, half) && slice_equal(rows[1].after, half));
		root_run("UPDATE t_accounts SET audit_day = audit_day - 1 WHERE audit_day > 0");
	}
}

/* "The rows of an account (0: all) from before a time". */
static void
old_rows_are_pruned(void **state UNUSED)
{
	uint64_t found;
	for (unsigned i = 0; i < 3; i++)
		(void)note(1 + i % 2, 10, 100);
	root_run("UPDATE t_audit SET created_ms = 1000");
	const uint64_t stays = note(1, 10, 100);
	assert_int_equal(store_count_audit(world->store, 1, 2000, &found), RESULT_OK);
	assert_int_equal(found, 2);
	assert_int_equal(store_prune_audit(world->store, 1, 2000, &found), RESULT_OK);
	assert_int_equal(found, 2);
	assert_int_equal(store_prune_audit(world->store, 0, 2000, &found), RESULT_OK);
	assert_int_equal(found, 1);
	assert_string_equal(list((struct audit_filter){ NO_TIMES }), pool_printf(world->pool, "%" PRIu64, stays).data);
}

static void
rows_are_found_by_what_they_are_about(void **state UNUSED)
{
	const uint64_t a = note(1, 10, 100), b = note(1, 11, 101), c = note(2, 20, 100);
	const char *all = pool_printf(world->pool, "%" PRIu64 " %" PRIu64 " %" PRIu64, c, b, a).data;
	assert_true(a < b && b < c);
	assert_string_equal(list((struct audit_filter){ NO_TIMES }), all);
	assert_string_equal(list((struct audit_filter){ NO_TIMES, .account_id = 1 }),
	    pool_printf(world->pool, "%" PRIu64 " %" PRIu64, b, a).data);
	assert_string_equal(
	    list((struct audit_filter){ NO_TIMES, .campaign_id = 11 }), pool_printf(world->pool, "%" PRIu64, b).data);
	assert_string_equal(list((struct audit_filter){ NO_TIMES, .user_id = 100 }),
	    pool_printf(world->pool, "%" PRIu64 " %" PRIu64, c, a).data);
	assert_string_equal(list((struct audit_filter){ NO_TIMES, .user_id = 100, .account_id = 2 }),
	    pool_printf(world->pool, "%" PRIu64, c).data);
	/* a campaign of another account */
	assert_string_equal(list((struct audit_filter){ NO_TIMES, .campaign_id = 11, .account_id = 2 }), "");
	assert_string_equal(list((struct audit_filter){ NO_TIMES, .campaign_id = 11, .user_id = 100 }), "");
}

static void
pages_follow_each_other(void **state UNUSED)
{
	const uint64_t a = note(1, 10, 100), b = note(1, 11, 101), c = note(2, 20, 100);
	assert_string_equal(
	    list((struct audit_filter){ NO_TIMES, .limit = 2 }), pool_printf(world->pool, "%" PRIu64 " %" PRIu64, c, b).data);
	assert_string_equal(
	    list((struct audit_filter){ NO_TIMES, .limit = 2, .before_id = b }), pool_printf(world->pool, "%" PRIu64, a).data);
	assert_string_equal(list((struct audit_filter){ NO_TIMES, .limit = 2, .before_id = a }), "");
}

static void
rows_are_found_by_their_time(void **state UNUSED)
{
	const uint64_t a = note(1, 10, 100), b = note(1, 11, 101), c = note(2, 20, 100);
	root_run("UPDATE t_audit SET created_ms = 1000 * (id - %" PRIu64 ")", a);
	(void)c;
	assert_string_equal(
	    list((struct audit_filter){ .since_ms = 1000, .until_ms = 2000 }), pool_printf(world->pool, "%" PRIu64, b).data);
	assert_string_equal(list((struct audit_filter){ .since_ms = 2001, .until_ms = -1 }), "");
	assert_string_equal(
	    list((struct audit_filter){ .since_ms = 0, .until_ms = 1000 }), pool_printf(world->pool, "%" PRIu64, a).data);
	assert_string_equal(list((struct audit_filter){ .since_ms = 0, .until_ms = 5000, .before_id = b }),
	    pool_printf(world->pool, "%" PRIu64, a).data);
}

/* docs/users.md 6: rows are kept for 400 days. */
static void
old_rows_are_removed(void **state UNUSED)
{
	const uint64_t a = note(1, 10, 100), b = note(1, 11, 101);
	root_run("UPDATE t_audit SET created_ms = created_ms - 86400000 * CAST(400 AS SIGNED) - 1 WHERE id = %" PRIu64, a);
	root_run("UPDATE t_audit SET created_ms = created_ms - 86400000 * CAST(399 AS SIGNED) WHERE id = %" PRIu64, b);
	assert_int_equal(store_clean_up(world->store), RESULT_OK);
	assert_string_equal(list((struct audit_filter){ NO_TIMES }), pool_printf(world->pool, "%" PRIu64, b).data);
}

#define AUDIT_TEST(name) cmocka_unit_test_setup_teardown(name, begin, world_close)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		AUDIT_TEST(a_change_is_written_ahead),
		AUDIT_TEST(other_actors_have_their_names),
		AUDIT_TEST(large_values_are_omitted),
		AUDIT_TEST(an_account_has_so_many_bytes_a_day),
		AUDIT_TEST(old_rows_are_pruned),
		AUDIT_TEST(rows_are_found_by_what_they_are_about),
		AUDIT_TEST(pages_follow_each_other),
		AUDIT_TEST(rows_are_found_by_their_time),
		AUDIT_TEST(old_rows_are_removed),
	};
	return WORLD_MAIN(tests);
}
