/* SPDX-License-Identifier: MIT
 * How the server finds the rows of each statement: the number of rows it reads must not grow with the tables. Each statement is
 * explained with values that match and with lists of several lengths, on tables so large that indexes pay off, and on tables so
 * small that the optimizer prefers to read all rows. Modules: store. */
#include "unit.h"

#include <inttypes.h>
#include <string.h>

#include "captured_log.h"
#include "plan_exceptions.h"
#include "planted.h"
#include "statement_values.h"
#include "store/state.h"
#include "world.h"

static const struct amounts large = {
	.accounts = 500,
	.campaigns = 4000,
	.big = 15000,
	.small = 2,
	.webhooks = 20,
	.deliveries = 30000,
	.due = 5000,
	.due_webhooks = 300,
	.jobs = 1000,
};
static const struct amounts few = {
	.accounts = 2,
	.campaigns = 20,
	.big = 20,
	.small = 5,
	.webhooks = 3,
	.deliveries = 30,
	.due = 20,
	.due_webhooks = 4,
	.jobs = 20,
};

/* Columns of EXPLAIN's answer. */
enum { PLAN_TABLE = 2, PLAN_TYPE = 3, PLAN_KEY = 5, PLAN_ROWS = 8, PLAN_EXTRA = 9, PLAN_COLUMNS = 10 };

static bool
contains(struct slice text, const char *part)
{
	size_t size = strlen(part);
	for (size_t i = 0; i + size <= text.size; i++)
		if (memcmp(text.data + i, part, size) == 0)
			return true;
	return false;
}

/* Whether `table` is a table of the database, not the result of another part of the plan. */
static bool
is_stored(struct slice table)
{
	return slice_present(table) && !slice_starts_with(table, SLICE("<"));
}

/* Some servers return the number as text. */
static uint64_t
rows_of(const struct db_rows *plan, size_t line)
{
	const struct db_value *value = &plan->values[line * PLAN_COLUMNS + PLAN_ROWS];
	uint64_t number = 0;
	if (value->kind == DB_BYTES)
		assert_true(slice_to_u64(value->as.bytes, UINT64_MAX, &number));
	else if (value->kind != DB_NULL)
		number = db_get_u64(plan, line, PLAN_ROWS);
	return number;
}

/* Rows expected for each value. */
enum { ROWS_OF_ONE = 32 };

static unsigned
faults_of(const struct db_rows *plan, size_t line, size_t size)
{
	struct slice type = db_get_bytes(plan, line, PLAN_TYPE), extra = db_get_bytes(plan, line, PLAN_EXTRA);
	unsigned faults = 0;
	if (contains(extra, "Using filesort"))
		faults |= SORT;
	if (contains(extra, "Using temporary"))
		faults |= TEMPORARY;
	if (!is_stored(db_get_bytes(plan, line, PLAN_TABLE)))
		return faults;
	if (slice_equal(type, SLICE("ALL")) || slice_equal(type, SLICE("index")))
		faults |= SCAN | LOCK_SCAN;
	if (rows_of(plan, line) > ROWS_OF_ONE * size)
		faults |= MANY;
	return faults;
}

/* The statement after SET STATEMENT … FOR. */
static const char *
without_settings(const char *sql)
{
	const char *after = strncmp(sql, "SET STATEMENT ", strlen("SET STATEMENT ")) == 0 ? strstr(sql, " FOR ") : NULL;
	return after == NULL ? sql : after + strlen(" FOR ");
}

/* The statements with EXPLAIN before them, and a connection for them. Each can be used once: when the server explains a
 * prepared statement again, it does not always report that an index has all columns. */
struct explainer {
	struct db_statement *statements;
	struct db *db;
	struct pool *pool;
	unsigned faults; /* faults to report */
	bool quiet;
};

static void
explainer_open(struct explainer *e, const struct world *w, unsigned faults, bool quiet)
{
	*e = (struct explainer){ .pool = pool_new(), .faults = faults, .quiet = quiet };
	const size_t count = statement_count();
	e->statements = POOL_ARRAY(e->pool, count, struct db_statement);
	for (size_t i = 0; i < count; i++) {
		struct slice text = pool_printf(e->pool, "EXPLAIN %s", without_settings(statement_at(i)->sql));
		e->statements[i] = (struct db_statement){ .name = statement_at(i)->name, .sql = text.data };
	}
	e->db = db_new(&w->store->db_options);
}

static void
explainer_close(struct explainer *e)
{
	db_free(&e->db);
	pool_free(&e->pool);
}

static void
print_line(const struct explainer *e, size_t statement, size_t size, const struct db_rows *plan, size_t line)
{
	if (e->quiet)
		return;
	print_message("# %s, lists of %zu: %.*s, %.*s, key %.*s, %" PRIu64 " rows, %.*s\n", statement_at(statement)->name, size,
	    SLICE_ARGS(db_get_bytes(plan, line, PLAN_TABLE)), SLICE_ARGS(db_get_bytes(plan, line, PLAN_TYPE)),
	    SLICE_ARGS(db_get_bytes(plan, line, PLAN_KEY)), rows_of(plan, line),
	    SLICE_ARGS(db_get_bytes(plan, line, PLAN_EXTRA)));
}

/* The number of lines in the plan that have a fault and no exception. */
static unsigned
count_faults(void *context, size_t statement, size_t size)
{
	struct explainer *e = context;
	struct db_rows plan;
	unsigned bad = 0;
	if (run_with_values(e->db, e->pool, &e->statements[statement], values_of_statement(statement), size, &plan) !=
	    RESULT_OK)
		return 1;
	assert_int_equal(plan.columns, PLAN_COLUMNS);
	for (size_t i = 0; i < plan.count; i++) {
		struct slice table = db_get_bytes(&plan, i, PLAN_TABLE);
		if ((faults_of(&plan, i, size) & e->faults & ~exceptions_for(statement_at(statement)->name, table)) != 0) {
			print_line(e, statement, size, &plan, i);
			bad++;
		}
	}
	return bad;
}

static bool
has_plan(size_t statement)
{
	struct slice sql = slice_of(statement_at(statement)->sql);
	return !slice_starts_with(sql, SLICE("ANALYZE")) &&
	       (!slice_starts_with(sql, SLICE("INSERT")) || contains(sql, "SELECT"));
}

static bool
locks_rows(size_t statement)
{
	struct slice sql = slice_of(without_settings(statement_at(statement)->sql));
	return slice_starts_with(sql, SLICE("UPDATE")) || slice_starts_with(sql, SLICE("DELETE")) ||
	       contains(sql, "FOR UPDATE");
}

typedef bool statement_filter(size_t statement);
typedef unsigned statement_check(void *context, size_t statement, size_t size);

/* Runs the check with lists of all lengths; returns the number of faults. */
static unsigned
check_statement(size_t statement, statement_check *check, void *context)
{
	static const size_t sizes[] = { 1, 16, BATCH_LONGEST, DB_LIST_MAX };
	unsigned bad = 0;
	for (size_t i = 0; i < ARRAY_SIZE(sizes) && sizes[i] <= longest_list(statement); i++)
		bad += check(context, statement, sizes[i]);
	return bad;
}

static unsigned
for_each_statement(statement_filter *which, statement_check *check, void *context)
{
	unsigned bad = 0;
	for (size_t s = 0; s < statement_count(); s++)
		if (values_of_statement(s) != NULL && which(s))
			bad += check_statement(s, check, context);
	return bad;
}

static unsigned
count_faulty_plans(const struct world *w, statement_filter *which, unsigned faults)
{
	struct explainer e;
	explainer_open(&e, w, faults, false);
	unsigned bad = for_each_statement(which, count_faults, &e);
	explainer_close(&e);
	return bad;
}

/* Every statement has values here. */
static void
every_statement_is_known(void **state UNUSED)
{
	const char *names[1024];
	for (size_t s = 0; s < statement_count(); s++)
		if ((values_of_statement(s) != NULL) != has_plan(s))
			fail_msg("%s: statement_values.c must have it if and only if it looks for rows", statement_at(s)->name);
	size_t found = 0;
	for (size_t s = 0; s < statement_count(); s++)
		if (values_of_statement(s) != NULL) {
			assert_true(found < ARRAY_SIZE(names));
			names[found++] = statement_at(s)->name;
		}
	assert_int_equal(found, statement_values_count());
	assert_true(exceptions_are_known(names, found));
}

/* Every table is planted or listed. */
static void
every_table_is_known(void **state UNUSED)
{
	assert_int_equal(
	    root_number("SELECT COUNT(*) FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE()"), planted_tables());
}

/* Each finds rows: an empty result has no meaningful plan. */
static void
the_values_match(void **state)
{
	struct explainer e;
	struct db_rows plan;
	plant(&large, true);
	explainer_open(&e, *state, 0, false);
	for (size_t s = 0; s < statement_count(); s++) {
		if (values_of_statement(s) == NULL)
			continue;
		assert_int_equal(run_with_values(e.db, e.pool, &e.statements[s], values_of_statement(s), 1, &plan), RESULT_OK);
		for (size_t i = 0; i < plan.count; i++) {
			struct slice extra = db_get_bytes(&plan, i, PLAN_EXTRA);
			if (contains(extra, "Impossible") || contains(extra, "no matching row"))
				fail_msg("%s: %.*s", statement_at(s)->name, SLICE_ARGS(extra));
		}
	}
	explainer_close(&e);
}

/* On large tables no statement reads more rows than requested. */
static void
large_tables_are_not_read_whole(void **state)
{
	plant(&large, true);
	assert_int_equal(count_faulty_plans(*state, has_plan, READS_ALL), 0);
}

/* As above, with old statistics. */
static void
wrong_statistics_do_no_harm(void **state)
{
	plant(&large, false);
	assert_int_equal(count_faulty_plans(*state, has_plan, SCAN | SORT | TEMPORARY), 0);
}

/* Reading all rows of a small table is cheap, but locking them makes every other transaction wait. */
static void
small_tables_are_not_locked_whole(void **state)
{
	plant(&few, true);
	assert_int_equal(count_faulty_plans(*state, locks_rows, LOCK_SCAN), 0);
}

/* Statements that change nothing, except those that may read many rows. */
static bool
reads_little(size_t statement)
{
	return slice_starts_with(slice_of(statement_at(statement)->sql), SLICE("SELECT")) &&
	       (exceptions_for(statement_at(statement)->name, SLICE_NONE) & (MANY | READS)) == 0;
}

/* The number of rows in the answer, sorts, and joined rows. */
enum { READS_OF_ONE = ROWS_OF_ONE, READS_OF_LIMIT = 100 };

static unsigned
check_reads(void *context, size_t statement, size_t size)
{
	const struct world *w = context;
	struct db_rows rows;
	/* once before: the first run also reads the server's own tables */
	assert_int_equal(
	    run_with_values(w->store->db, w->pool, statement_at(statement), values_of_statement(statement), size, &rows),
	    RESULT_OK);
	int64_t before = root_rows_read();
	assert_int_equal(
	    run_with_values(w->store->db, w->pool, statement_at(statement), values_of_statement(statement), size, &rows),
	    RESULT_OK);
	int64_t read = root_rows_read() - before;
	if (read <= (int64_t)(READS_OF_ONE * size + READS_OF_LIMIT))
		return 0;
	print_message("# %s, lists of %zu: %" PRId64 " rows read\n", statement_at(statement)->name, size, read);
	return 1;
}

/* Plans are expectations; this counts the rows that are read. */
static void
only_requested_rows_are_read(void **state)
{
	plant(&large, true);
	assert_int_equal(for_each_statement(reads_little, check_reads, *state), 0);
}

/* Every index except the primary keys. */
static const struct {
	const char *table, *name;
	const char *why; /* why no statement needs it; NULL: one does */
} indexes[] = {
	{ "actions", "by_campaign", NULL },
	{ "audit", "by_account", NULL },
	{ "audit", "by_actor", NULL },
	{ "audit", "by_campaign", NULL },
	{ "audit", "by_time", NULL },
	{ "invitations", "by_time", NULL },
	{ "invitations", "by_user", NULL },
	{ "login_attempts", "by_time", NULL },
	{ "request_keys", "by_time", NULL },
	{ "sessions", "by_time", NULL },
	{ "sessions", "by_user", NULL },
	{ "users", "by_account", NULL },
	{ "users", "by_email", NULL },
	{ "api_keys", "by_account", NULL },
	{ "api_keys", "by_hash", NULL },
	{ "bulk_jobs", "by_account", NULL },
	{ "bulk_jobs", "by_campaign", NULL },
	{ "bulk_schedule", "by_account", NULL },
	{ "campaigns", "by_account", NULL },
	{ "commit_tokens", "by_time", NULL },
	{ "deliveries", "by_state_and_webhook", NULL },
	{ "due", "by_webhook", NULL },
	{ "events", "by_lead", NULL },
	{ "inbound_calls", "by_body", NULL },
	{ "inbound_calls", "by_campaign", NULL },
	{ "inbound_calls", "by_expiry", NULL },
	{ "inbound_calls", "by_inbound", NULL },
	{ "inbound_calls", "by_lead", NULL },
	{ "inbound_webhooks", "by_campaign", NULL },
	{ "inbound_webhooks", "by_previous_token", NULL },
	{ "inbound_webhooks", "by_token", NULL },
	{ "leads", "by_email", NULL },
	{ "leads", "by_number", NULL },
	{ "leads", "by_phone", NULL },
	{ "leads", "by_score", NULL },
	{ "leads", "by_social_id", NULL },
	{ "messages", "by_campaign", NULL },
	{ "messages", "by_end", NULL },
	{ "messages", "by_lead", NULL },
	{ "messages", "by_recipient", NULL },
	{ "messages", "by_turn", NULL },
	{ "referral_links", "by_ancestor", NULL },
	{ "operator_jobs", "by_account", NULL },
	{ "operator_jobs", "by_campaign", NULL },
	{ "operator_jobs", "by_end", NULL },
	{ "operator_jobs", "by_turn", NULL },
	{ "lead_codes", "by_time", NULL },
	{ "sendings", "by_slot", NULL },
	{ "sent_codes", "by_number", NULL },
	{ "sent_codes", "by_prefix", NULL },
	{ "sent_codes", "by_time", NULL },
	{ "unverified_leads", "by_time", NULL },
	{ "reward_levels", "by_campaign", NULL },
	{ "tags", "by_name", NULL },
	{ "used_proofs", "by_time", NULL },
	{ "webhooks", "by_campaign", NULL },
};

/* Whether a statement that names the table has a plan with a fault. */
static bool
has_faulty_plan(const struct world *w, const char *table)
{
	struct explainer e;
	bool bad = false;
	capture_log(); /* a statement that forces an index that is ignored cannot be prepared */
	explainer_open(&e, w, READS_ALL, true);
	for (size_t s = 0; s < statement_count() && !bad; s++)
		if (values_of_statement(s) != NULL && has_plan(s) && contains(slice_of(statement_at(s)->sql), table))
			bad = check_statement(s, count_faults, &e) != 0;
	explainer_close(&e);
	captured_log();
	return bad;
}

/* Without an index some statement has a fault; an index that no statement needs only costs writes. */
static void
every_index_is_needed(void **state)
{
	plant(&large, true);
	assert_int_equal(root_number("SELECT COUNT(DISTINCT TABLE_NAME, INDEX_NAME) FROM information_schema.STATISTICS WHERE "
				     "TABLE_SCHEMA = DATABASE() AND INDEX_NAME <> 'PRIMARY'"),
	    ARRAY_SIZE(indexes));
	for (size_t i = 0; i < ARRAY_SIZE(indexes); i++) {
		root_run("ALTER TABLE t_%s ALTER INDEX %s IGNORED", indexes[i].table, indexes[i].name);
		bool needed = has_faulty_plan(*state, indexes[i].table);
		root_run("ALTER TABLE t_%s ALTER INDEX %s NOT IGNORED", indexes[i].table, indexes[i].name);
		if (needed != (indexes[i].why == NULL))
			fail_msg(
			    "%s.%s: plans are %s without it", indexes[i].table, indexes[i].name, needed ? "wrong" : "right");
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		WORLD_TEST(every_statement_is_known),
		WORLD_TEST(every_table_is_known),
		WORLD_TEST(small_tables_are_not_locked_whole),
		WORLD_TEST(wrong_statistics_do_no_harm),
		WORLD_TEST(the_values_match),
		WORLD_TEST(large_tables_are_not_read_whole),
		WORLD_TEST(only_requested_rows_are_read),
		WORLD_TEST(every_index_is_needed),
	};
	return WORLD_MAIN(tests);
}
