/* SPDX-License-Identifier: MIT
 * Installing and upgrading (docs/operating.md 4, 11), with the step of the next version (tests/next): steps may be run twice
 * and killed after any statement, and the rows of the tables stay. */
#include "unit.h"

#include <limits.h>
#include <string.h>

#include "base/pool.h"
#include "db/db.h"
#include "store/operator/upgrade.h"
#include "store/schema.h"
#include "store/schema_steps.h"
#include "world.h"

#define TABLES "SELECT COUNT(*) FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME LIKE '%s%%'"

#define OWN_ROWS "name NOT LIKE 'oldest_programs%%'"

/* How many statements of steps are still to be rolled back in favour of other transactions. */
static unsigned conflicts;

enum result __real_db_run_text(struct db *db, struct slice text);
enum result __wrap_db_run_text(struct db *db, struct slice text);

enum result
__wrap_db_run_text(struct db *db, struct slice text)
{
	if (conflicts == 0)
		return __real_db_run_text(db, text);
	conflicts--;
	return RESULT_CONFLICT;
}

/* Rows of version 1 in tables that the next step changes. */
#define ROWS_OF_VERSION_1                                                                                                      \
	"INSERT INTO %1$s_installation VALUES ('installation_id', 'a1'), ('server_secret', 's3');"                             \
	"INSERT INTO %1$s_campaign_counters (campaign_id, lead_count) VALUES (2, 7);"                                          \
	"INSERT INTO %1$s_bulk_jobs (id, campaign_id, action, argument, lead_ids, total, created_ms) "                         \
	"VALUES (1, 2, 'block', 'bounced', '3', 1, 0);"                                                                        \
	"INSERT INTO %1$s_leads (id, campaign_id, subscription_number, social_id, redirect_url, redirect_by_key, created_ms, " \
	"updated_ms) VALUES (1, 2, 1, 'ABCDEFGHJK', 'https://example.org/', 1, 0, 0);"                                         \
	"INSERT INTO %1$s_deliveries (id, event_id, webhook_id, format, state, attempts, ended_ms) "                           \
	"VALUES (3, 2, 1, 'json', 'delivered', 1, 7);"                                                                         \
	"UPDATE %1$s_id_blocks SET next = 77 WHERE name = 'lead';"

/* Runs the first `count` statements of a step, as a killed run does; returns how many statements the step has. */
static unsigned
run_statements(const char *prefix, const struct schema_step *step, unsigned count)
{
	struct pool *pool = pool_new();
	unsigned found = 0;
	const char *at = step->text;
	for (const char *end; (end = strstr(at, ";\n")) != NULL; at = end + 2, found++) {
		struct slice rest = { at, (size_t)(end - at) }, text = SLICE(""), part;
		while (found < count && slice_next(&rest, '{', &part)) {
			if (slice_starts_with(part, SLICE("prefix}")))
				part = pool_printf(pool, "%s_%.*s", prefix, SLICE_ARGS(slice_sub(part, 7, part.size)));
			text = POOL_JOIN(pool, text, part);
		}
		if (found < count)
			root_run("%s", text.data);
	}
	pool_free(&pool);
	return found;
}

/* Records version 1 in a database that has its tables, and adds rows. */
static struct store *
fill_version_1(struct pool *pool, const char *prefix)
{
	struct slice rows = pool_printf(pool, ROWS_OF_VERSION_1, prefix), row;
	root_run("INSERT INTO %s_schema_version VALUES (1, 0)", prefix);
	while (slice_next(&rows, ';', &row))
		root_run("%.*s", SLICE_ARGS(row));
	return store_with_prefix(pool_printf(pool, "%s_", prefix).data);
}

static void
is_upgraded(struct store *store, const char *prefix)
{
	const char *failed;
	uint32_t found;
	assert_int_equal(store_ready(store, &found), RESULT_OK);
	assert_int_equal(found, store_schema_wanted());
	assert_int_equal(store_check_statements(store, &failed), RESULT_OK);
	assert_int_equal(root_number("SELECT COUNT(*) FROM %s_installation WHERE value IN ('a1', 's3')", prefix), 2);
	assert_int_equal(root_number("SELECT next_count FROM %s_campaign_counters WHERE campaign_id = 2", prefix), 7);
	assert_int_equal(root_number("SELECT argument = 'bounced' FROM %s_bulk_jobs WHERE action = 'block'", prefix), 1);
	assert_int_equal(
	    root_number("SELECT redirect_by_key FROM %s_leads WHERE social_id = 'ABCDEFGHJK' AND next_note IS NULL", prefix),
	    1);
	assert_int_equal(
	    root_number("SELECT ended_ms FROM %s_deliveries FORCE INDEX (by_next) WHERE webhook_id = 1", prefix), 7);
	assert_int_equal(root_number("SELECT COUNT(*) FROM %s_next", prefix), 0);
	assert_int_equal(root_number("SELECT next FROM %s_id_blocks WHERE name = 'lead'", prefix), 77);
}

/* "each is safe to run twice"; the version is recorded; the installation keeps its id and its secret. */
static void
installing_twice_is_safe(void **state UNUSED)
{
	struct store *store = store_with_prefix("fresh_");
	uint32_t from, found;
	const char *failed;
	assert_int_equal(store_ready(store, &found), RESULT_WRONG_SCHEMA);
	assert_int_equal(found, 0);
	assert_string_equal(store_schema_hint(found), "run leadhook install");
	assert_int_equal(store_read_version(store, &from), RESULT_OK);
	assert_int_equal(root_number(TABLES, "fresh\\_"), 0);
	assert_int_equal(store_upgrade(store, &from), RESULT_OK);
	assert_int_equal(from, 0);
	assert_int_equal(store_ready(store, &found), RESULT_OK);
	assert_int_equal(found, store_schema_wanted());
	assert_int_equal(root_number("SELECT MAX(version) FROM fresh_schema_version"), store_schema_wanted());
	assert_int_equal(root_number("SELECT COUNT(*) FROM fresh_dispatch_shards WHERE owner IS NULL"), 64);
	assert_int_equal(store_check_statements(store, &failed), RESULT_OK);
	root_run("CREATE TABLE fresh_before AS SELECT * FROM fresh_installation");
	assert_int_equal(store_upgrade(store, &from), RESULT_OK);
	assert_int_equal(from, store_schema_wanted());
	assert_int_equal(root_number("SELECT COUNT(*) FROM fresh_installation NATURAL JOIN fresh_before WHERE " OWN_ROWS), 2);
	store_free(&store);
}

static void
an_upgrade_keeps_what_is_there(void **state)
{
	struct world *w = *state;
	run_statements("old", schema_steps, UINT_MAX);
	struct store *store = fill_version_1(w->pool, "old");
	uint32_t from, found;
	assert_int_equal(store_ready(store, &found), RESULT_WRONG_SCHEMA);
	assert_string_equal(store_schema_hint(found), "run leadhook upgrade");
	assert_int_equal(store_read_version(store, &from), RESULT_OK);
	assert_int_equal(from, 1);
	assert_int_equal(root_number(TABLES, "old\\_next"), 0);
	for (unsigned run = 0; run < 2; run++) {
		assert_int_equal(store_upgrade(store, &from), RESULT_OK);
		is_upgraded(store, "old");
	}
	store_free(&store);
}

/* Runs a step as runs do that are killed after its first statement, its second, … and, after the last, before the version is
 * recorded. Each begins with the first statement. */
static void
run_killed(const char *prefix, const struct schema_step *step)
{
	for (unsigned done = 1; run_statements(prefix, step, done) > done; done++)
		;
}

/* "a run that was killed is simply started again" */
static void
a_run_that_was_killed_is_started_again(void **state)
{
	struct world *w = *state;
	run_killed("killed", schema_steps);
	struct store *store = fill_version_1(w->pool, "killed");
	uint32_t from;
	run_killed("killed", schema_steps + 1);
	assert_int_equal(store_upgrade(store, &from), RESULT_OK);
	assert_int_equal(from, 1);
	assert_int_equal(root_number("SELECT COUNT(*) FROM killed_dispatch_shards"), 64);
	is_upgraded(store, "killed");
	store_free(&store);
}

/* docs/operating.md 11: while other programs change rows, a step is repeated; after five conflicts the command fails. */
static void
a_conflict_repeats_a_step(void **state UNUSED)
{
	struct store *store = store_with_prefix("conflict_");
	uint32_t from, found;
	conflicts = 4;
	assert_int_equal(store_upgrade(store, &from), RESULT_OK);
	assert_int_equal(store_ready(store, &found), RESULT_OK);
	root_run("DELETE FROM conflict_schema_version WHERE version = %u", store_schema_wanted());
	conflicts = 5;
	assert_int_equal(store_upgrade(store, &from), RESULT_CONFLICT);
	assert_int_equal(conflicts, 0);
	assert_int_equal(store_ready(store, &found), RESULT_WRONG_SCHEMA);
	store_free(&store);
}

/* docs/operating.md 11: a program uses the tables of a newer version that names it, and only these; `upgrade` never goes
 * back. */
static void
a_newer_database_names_the_programs_it_serves(void **state UNUSED)
{
	struct store *store = store_with_prefix("serves_");
	const uint32_t wanted = store_schema_wanted();
	uint32_t from, found;
	assert_int_equal(store_upgrade(store, &from), RESULT_OK);
	root_run("INSERT INTO serves_schema_version VALUES (%u, 0)", wanted + 1);
	assert_int_equal(store_ready(store, &found), RESULT_WRONG_SCHEMA);
	for (uint32_t oldest = wanted - 1; oldest <= wanted + 1; oldest++) {
		root_run("REPLACE INTO serves_installation VALUES ('oldest_programs_%u', '%u')", wanted + 1, oldest);
		assert_int_equal(store_ready(store, &found), oldest <= wanted ? RESULT_OK : RESULT_WRONG_SCHEMA);
		assert_int_equal(found, wanted + 1);
	}
	root_run("UPDATE serves_installation SET value = '%u' WHERE name = 'oldest_programs_%u'", wanted, wanted + 1);
	assert_int_equal(store_upgrade(store, &from), RESULT_WRONG_SCHEMA);
	/* what one step states does not apply to the next one */
	root_run("INSERT INTO serves_schema_version VALUES (%u, 0)", wanted + 2);
	assert_int_equal(store_ready(store, &found), RESULT_WRONG_SCHEMA);
	store_free(&store);
}

static void
a_newer_database_is_refused(void **state UNUSED)
{
	struct store *store = store_with_prefix("newer_");
	uint32_t from, found;
	assert_int_equal(store_upgrade(store, &from), RESULT_OK);
	root_run("INSERT INTO newer_schema_version VALUES (%u, 0)", store_schema_wanted() + 1);
	assert_int_equal(store_ready(store, &found), RESULT_WRONG_SCHEMA);
	assert_int_equal(found, store_schema_wanted() + 1);
	assert_int_equal(store_upgrade(store, &from), RESULT_WRONG_SCHEMA);
	assert_int_equal(store_read_version(store, &from), RESULT_OK);
	assert_int_equal(from, store_schema_wanted() + 1);
	store_free(&store);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		WORLD_TEST(installing_twice_is_safe),
		WORLD_TEST(an_upgrade_keeps_what_is_there),
		WORLD_TEST(a_run_that_was_killed_is_started_again),
		WORLD_TEST(a_conflict_repeats_a_step),
		WORLD_TEST(a_newer_database_names_the_programs_it_serves),
		WORLD_TEST(a_newer_database_is_refused),
	};
	return WORLD_MAIN(tests);
}
