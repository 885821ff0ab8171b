/* SPDX-License-Identifier: MIT
 * How the server finds the rows of each statement: what it reads must not grow with what is stored. Each is explained with
 * values that match and with lists of several lengths, on tables so large that the optimizer has a choice, and on tables so
 * small that it would rather read all of them. */
#include "unit.h"

#include <inttypes.h>
#include <string.h>

#include "asked.h"
#include "captured_log.h"
#include "planted.h"
#include "store/private.h"
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

/* What is wrong with a line of a plan. */
enum fault {
	SCAN = 1,       /* it reads the whole table, or all of an index */
	SORT = 2,       /* it sorts … */
	TEMPORARY = 4,  /* … or gathers what it has found, before it answers the first row */
	MANY = 8,       /* it expects to read more than is asked for */
	LOCK_SCAN = 16, /* it reads the whole of a small table, and locks what it reads */
	READS = 32      /* it reads more than is asked for, whatever it expects */
};
enum { GATHERS = SORT | TEMPORARY, READS_ALL = SCAN | SORT | TEMPORARY | MANY };

#define ENDS_AT_LIMIT "it goes along an index in the order of the answer, and ends at the limit"
#define AS_ASKED "as many as are asked for"
#define SORTS_WEBHOOKS "as many as the campaigns have webhooks, of which there is a maximum"
#define SHARDS "there are 64 shards"
#define OPERATOR "a question of the operator's, about all there is"
#define DEEP "it counts everything anew: no index would spare it a row"
#define COMMITTED_ONLY "an UPDATE passes over rows of others that do not match"

/* … and is right all the same, or known. */
static const struct {
	const char *statement;
	const char *table; /* as the plan names it; NULL: any */
	unsigned faults;
	const char *why;
} exceptions[] = {
	{ "sql_select_subscriptions", "t_webhooks", SORT, SORTS_WEBHOOKS },
	{ "sql_select_webhooks", "w", SORT, SORTS_WEBHOOKS },
	{ "sql_select_ip_leads", NULL, READS,
	    "known: it looks for all pairs, or for all addresses when the pairs are too many" },
	{ "sql_select_leads_by_number", "l", MANY, ENDS_AT_LIMIT },
	{ "sql_select_number_after", "t_leads", MANY, ENDS_AT_LIMIT },
	{ "sql_select_filtered_leads", "l", MANY, "it ends at the number that sql_select_number_after has answered" },
	{ "sql_select_leaders", "l", MANY, ENDS_AT_LIMIT },
	{ "sql_select_lead_ids", "<union1,2,3,4>", SORT, AS_ASKED },
	{ "sql_select_next_job", NULL, GATHERS | MANY, "one row for each campaign with jobs" },
	{ "sql_select_work", "t_bulk_jobs", SCAN | MANY, "it ends at the first job that is not delayed" },
	{ "sql_select_due_webhooks", "<derived3>", GATHERS, "one row for each webhook with something due" },
	{ "sql_select_due_webhooks", "t_due", MANY, "one probe for each of them" },
	{ "sql_select_newest_due", NULL, GATHERS | MANY | READS, "the newest 20,000 at most" },
	{ "sql_lease_shards", "t_dispatch_shards", SCAN | MANY | LOCK_SCAN, SHARDS },
	{ "sql_select_leased_shards", "t_dispatch_shards", SCAN | MANY, SHARDS },
	{ "sql_release_shards", "t_dispatch_shards", SCAN | MANY | LOCK_SCAN, SHARDS },
	{ "sql_select_due_of_old_days", "t_due", MANY, ENDS_AT_LIMIT },
	{ "sql_find_due_of_old_days", "t_due", MANY, ENDS_AT_LIMIT },
	{ "sql_note_ended_campaigns", "t_campaigns", SCAN | MANY | LOCK_SCAN, "housekeeping; " COMMITTED_ONLY },
	{ "sql_select_deleted_leads", "t_deleted_leads", SCAN | MANY, ENDS_AT_LIMIT },
	{ "sql_count_addresses", "t_leads", GATHERS, "a piece of a fixed size" },
	{ "sql_delete_addresses", "t_ip_leads", MANY, ENDS_AT_LIMIT },
	{ "sql_select_history_days", "PARTITIONS", SCAN, "the server's own table: it opens one of ours for each part" },
	{ "sql_count_version_table", "TABLES", SCAN, "the server's own table: it opens one" },
	{ "sql_select_all_campaigns", NULL, READS_ALL, OPERATOR },
	{ "sql_select_accounts", NULL, READS_ALL, OPERATOR },
	{ "sql_select_uncounted_addresses", NULL, READS_ALL, OPERATOR },
	{ "sql_count_rows", NULL, READS_ALL, OPERATOR },
	{ "sql_count_due", NULL, READS_ALL, OPERATOR },
	{ "sql_select_delivery_ids", "<union1,2,3>", SORT, AS_ASKED },
	{ "sql_select_delivery_ids", "t_deliveries", MANY, ENDS_AT_LIMIT },
	{ "sql_select_delivery_ids", "t_due", MANY, ENDS_AT_LIMIT },
	{ "sql_select_delivery_ids_of_webhook", "<union1,2,3>", SORT, AS_ASKED },
	{ "sql_select_delivery_ids_of_webhook", "t_due", SORT, "what one webhook has pending, from the index alone" },
	{ "sql_select_deliveries", "<derived2>", SORT, AS_ASKED },
	{ "sql_select_delivery", "<derived2>", SORT, AS_ASKED },
	{ "sql_count_due_of_webhook", "t_due", MANY | READS, "what one webhook has pending, from the index alone" },
	{ "sql_deep_counters", NULL, READS_ALL, DEEP },
	{ "sql_deep_scores", NULL, READS_ALL, DEEP },
	{ "sql_deep_histogram", NULL, READS_ALL, DEEP },
	{ "sql_deep_referrals", NULL, READS_ALL, DEEP },
	{ "sql_deep_credit", NULL, READS_ALL, DEEP },
	{ "sql_deep_links", NULL, READS_ALL, DEEP },
	{ "sql_deep_addresses", NULL, READS_ALL, DEEP },
	{ "sql_deep_due", NULL, READS_ALL, DEEP },
	{ "sql_deep_deliveries", NULL, READS_ALL, DEEP },
	{ "sql_deep_events", NULL, READS_ALL, DEEP },
	{ "sql_deep_entries", NULL, READS_ALL, DEEP },
	{ "sql_deep_deleted", NULL, READS_ALL, DEEP },
	{ "sql_deep_orphans", NULL, READS_ALL, DEEP },
};

static unsigned
excepted(size_t statement, struct slice table)
{
	unsigned faults = 0;
	for (size_t i = 0; i < ARRAY_SIZE(exceptions); i++)
		if (strcmp(exceptions[i].statement, statement_at(statement)->name) == 0 &&
		    (exceptions[i].table == NULL || slice_equal(table, slice_of(exceptions[i].table))))
			faults |= exceptions[i].faults;
	return faults;
}

/* Columns of EXPLAIN's answer. */
enum { PLAN_TABLE = 2, PLAN_TYPE = 3, PLAN_KEY = 5, PLAN_ROWS = 8, PLAN_EXTRA = 9, PLAN_COLUMNS = 10 };

static bool
holds(struct slice text, const char *part)
{
	size_t size = strlen(part);
	for (size_t i = 0; i + size <= text.size; i++)
		if (memcmp(text.data + i, part, size) == 0)
			return true;
	return false;
}

/* Whether the table is one of the database's, and no result of another part of the plan, which has lines of its own. */
static bool
is_stored(struct slice table)
{
	return slice_present(table) && !slice_starts_with(table, SLICE("<"));
}

/* Some servers answer the number as a text. */
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

/* So many rows are expected for each value that is given. */
enum { ROWS_OF_ONE = 32 };

static unsigned
faults_of(const struct db_rows *plan, size_t line, size_t size)
{
	struct slice type = db_get_bytes(plan, line, PLAN_TYPE), extra = db_get_bytes(plan, line, PLAN_EXTRA);
	unsigned faults = 0;
	if (holds(extra, "Using filesort"))
		faults |= SORT;
	if (holds(extra, "Using temporary"))
		faults |= TEMPORARY;
	if (!is_stored(db_get_bytes(plan, line, PLAN_TABLE)))
		return faults;
	if (slice_equal(type, SLICE("ALL")) || slice_equal(type, SLICE("index")))
		faults |= SCAN | LOCK_SCAN;
	if (rows_of(plan, line) > ROWS_OF_ONE * size)
		faults |= MANY;
	return faults;
}

/* The statements with EXPLAIN before them, and a connection for them. One is good for one time: of a statement that is
 * prepared and explained again the server does not always know that an index has all columns. */
struct explainer {
	struct db_statement *statements;
	const struct db_statement *const *lists[2];
	struct db *db;
	struct pool *pool;
	unsigned faults; /* that matter */
	bool quiet;
};

static void
explainer_open(struct explainer *e, const struct world *w, unsigned faults, bool quiet)
{
	*e = (struct explainer){ .pool = pool_new(), .faults = faults, .quiet = quiet };
	const size_t count = statement_count();
	e->statements = POOL_ARRAY(e->pool, count, struct db_statement);
	const struct db_statement **list = POOL_ARRAY(e->pool, count + 1, const struct db_statement *);
	for (size_t i = 0; i < count; i++) {
		struct slice text = pool_printf(e->pool, "EXPLAIN %s", statement_at(i)->sql);
		e->statements[i] = (struct db_statement){ .name = statement_at(i)->name, .sql = text.data };
		list[i] = &e->statements[i];
	}
	e->lists[0] = list;
	e->db = db_new(&w->store->db_options, e->lists);
}

static void
explainer_close(struct explainer *e)
{
	db_free(&e->db);
	pool_free(&e->pool);
}

static void
tell(const struct explainer *e, size_t statement, size_t size, const struct db_rows *plan, size_t line)
{
	if (e->quiet)
		return;
	print_message("# %s, lists of %zu: %.*s, %.*s, key %.*s, %" PRIu64 " rows, %.*s\n", statement_at(statement)->name, size,
	    SLICE_ARGS(db_get_bytes(plan, line, PLAN_TABLE)), SLICE_ARGS(db_get_bytes(plan, line, PLAN_TYPE)),
	    SLICE_ARGS(db_get_bytes(plan, line, PLAN_KEY)), rows_of(plan, line),
	    SLICE_ARGS(db_get_bytes(plan, line, PLAN_EXTRA)));
}

/* How many lines of the plan have one of the faults and no exception. */
static unsigned
judge_plan(void *context, size_t statement, size_t size)
{
	struct explainer *e = context;
	struct db_rows plan;
	unsigned bad = 0;
	if (ask_statement(e->db, e->pool, &e->statements[statement], asked_of(statement), size, &plan) != RESULT_OK)
		return 1;
	assert_int_equal(plan.columns, PLAN_COLUMNS);
	for (size_t i = 0; i < plan.count; i++) {
		struct slice table = db_get_bytes(&plan, i, PLAN_TABLE);
		if ((faults_of(&plan, i, size) & e->faults & ~excepted(statement, table)) != 0) {
			tell(e, statement, size, &plan, i);
			bad++;
		}
	}
	return bad;
}

static bool
has_plan(size_t statement)
{
	struct slice sql = slice_of(statement_at(statement)->sql);
	return !slice_starts_with(sql, SLICE("INSERT")) || holds(sql, "SELECT");
}

static bool
locks_rows(size_t statement)
{
	struct slice sql = slice_of(statement_at(statement)->sql);
	return slice_starts_with(sql, SLICE("UPDATE")) || slice_starts_with(sql, SLICE("DELETE")) || holds(sql, "FOR UPDATE");
}

typedef bool statement_filter(size_t statement);
typedef unsigned statement_judge(void *context, size_t statement, size_t size);

/* Judges all these statements with lists of all lengths; answers how much is wrong. */
static unsigned
judge_each(statement_filter *which, statement_judge *judge, void *context)
{
	static const size_t sizes[] = { 1, 16, BATCH_LONGEST, DB_LIST_MAX };
	unsigned bad = 0;
	for (size_t s = 0; s < statement_count(); s++) {
		if (asked_of(s) == NULL || !which(s))
			continue;
		for (size_t i = 0; i < ARRAY_SIZE(sizes) && sizes[i] <= asked_longest(s); i++)
			bad += judge(context, s, sizes[i]);
	}
	return bad;
}

static unsigned
judge_plans(const struct world *w, statement_filter *which, unsigned faults, bool quiet)
{
	struct explainer e;
	explainer_open(&e, w, faults, quiet);
	unsigned bad = judge_each(which, judge_plan, &e);
	explainer_close(&e);
	return bad;
}

/* A statement that is new is judged from its first day. */
static void
every_statement_is_known(void **state UNUSED)
{
	bool used[ARRAY_SIZE(exceptions)] = { false };
	for (size_t s = 0; s < statement_count(); s++)
		if ((asked_of(s) != NULL) != has_plan(s))
			fail_msg("%s: asked.c must have it if and only if it looks for rows", statement_at(s)->name);
	size_t found = 0;
	for (size_t s = 0; s < statement_count(); s++) {
		found += asked_of(s) != NULL;
		for (size_t i = 0; asked_of(s) != NULL && i < ARRAY_SIZE(exceptions); i++)
			used[i] = used[i] || strcmp(exceptions[i].statement, statement_at(s)->name) == 0;
	}
	assert_int_equal(found, asked_count());
	for (size_t i = 0; i < ARRAY_SIZE(exceptions); i++)
		assert_true(used[i] && exceptions[i].why != NULL);
}

/* … and so is a table. */
static void
every_table_is_known(void **state UNUSED)
{
	assert_int_equal(
	    root_number("SELECT COUNT(*) FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE()"), planted_tables());
}

/* All of them find something: a plan for nothing says nothing. */
static void
the_values_match(void **state)
{
	struct explainer e;
	struct db_rows plan;
	plant(&large, true);
	explainer_open(&e, *state, 0, false);
	for (size_t s = 0; s < statement_count(); s++) {
		if (asked_of(s) == NULL)
			continue;
		assert_int_equal(ask_statement(e.db, e.pool, &e.statements[s], asked_of(s), 1, &plan), RESULT_OK);
		for (size_t i = 0; i < plan.count; i++) {
			struct slice extra = db_get_bytes(&plan, i, PLAN_EXTRA);
			if (holds(extra, "Impossible") || holds(extra, "no matching row"))
				fail_msg("%s: %.*s", statement_at(s)->name, SLICE_ARGS(extra));
		}
	}
	explainer_close(&e);
}

/* Whatever there is to be read, what is not asked for is not. */
static void
large_tables_are_not_read_whole(void **state)
{
	plant(&large, true);
	assert_int_equal(judge_plans(*state, has_plan, READS_ALL, false), 0);
}

/* So it is when the rows have come faster than the server counts them. */
static void
wrong_statistics_do_no_harm(void **state)
{
	plant(&large, false);
	assert_int_equal(judge_plans(*state, has_plan, SCAN | SORT | TEMPORARY, false), 0);
}

/* To read all rows of a small table is cheap, to lock them is not: whoever does it waits for everybody else. */
static void
small_tables_are_not_locked_whole(void **state)
{
	plant(&few, true);
	assert_int_equal(judge_plans(*state, locks_rows, LOCK_SCAN, false), 0);
}

/* Those that change nothing, but for those that are to read a lot. */
static bool
reads_little(size_t statement)
{
	return slice_starts_with(slice_of(statement_at(statement)->sql), SLICE("SELECT")) &&
	       (excepted(statement, SLICE_NONE) & (MANY | READS)) == 0;
}

/* An answer, its order, and what hangs on it. */
enum { READS_OF_ONE = ROWS_OF_ONE, READS_OF_LIMIT = 100 };

static unsigned
judge_reads(void *context, size_t statement, size_t size)
{
	const struct world *w = context;
	struct db_rows rows;
	/* once before: what the server reads for the first time are also its own tables */
	assert_int_equal(
	    ask_statement(w->store->db, w->pool, statement_at(statement), asked_of(statement), size, &rows), RESULT_OK);
	int64_t before = root_rows_read();
	assert_int_equal(
	    ask_statement(w->store->db, w->pool, statement_at(statement), asked_of(statement), size, &rows), RESULT_OK);
	int64_t read = root_rows_read() - before;
	if (read <= (int64_t)(READS_OF_ONE * size + READS_OF_LIMIT))
		return 0;
	print_message("# %s, lists of %zu: %" PRId64 " rows read\n", statement_at(statement)->name, size, read);
	return 1;
}

/* Plans tell what the server expects; this is what it does. */
static void
no_more_is_read_than_asked_for(void **state)
{
	plant(&large, true);
	assert_int_equal(judge_each(reads_little, judge_reads, *state), 0);
}

/* Every index but the primary keys. */
static const struct {
	const char *table, *name;
	const char *why; /* no statement needs it; NULL: one does */
} indexes[] = {
	{ "actions", "by_campaign", NULL },
	{ "api_keys", "by_account", NULL },
	{ "api_keys", "by_hash", NULL },
	{ "bulk_jobs", "by_account", NULL },
	{ "bulk_jobs", "by_campaign", NULL },
	{ "campaigns", "by_account", NULL },
	{ "commit_tokens", "by_time", NULL },
	{ "deliveries", "by_state", NULL },
	{ "deliveries", "by_webhook", NULL },
	{ "due", "by_webhook", NULL },
	{ "events", "by_lead", NULL },
	{ "leads", "by_email", NULL },
	{ "leads", "by_number", NULL },
	{ "leads", "by_phone", NULL },
	{ "leads", "by_score", NULL },
	{ "leads", "by_social_id", NULL },
	{ "reward_levels", "by_campaign", NULL },
	{ "tags", "by_name", NULL },
	{ "webhooks", "by_campaign", NULL },
};

/* Without an index some statement is found wanting; an index that none misses is paid for with every row that is written. */
static void
every_index_is_missed(void **state)
{
	plant(&large, true);
	assert_int_equal(root_number("SELECT COUNT(DISTINCT TABLE_NAME, INDEX_NAME) FROM information_schema.STATISTICS WHERE "
				     "TABLE_SCHEMA = DATABASE() AND INDEX_NAME <> 'PRIMARY'"),
	    ARRAY_SIZE(indexes));
	for (size_t i = 0; i < ARRAY_SIZE(indexes); i++) {
		root_run("ALTER TABLE t_%s ALTER INDEX %s IGNORED", indexes[i].table, indexes[i].name);
		capture_log(); /* a statement that forces it cannot be prepared */
		unsigned bad = judge_plans(*state, has_plan, READS_ALL, true);
		captured_log();
		root_run("ALTER TABLE t_%s ALTER INDEX %s NOT IGNORED", indexes[i].table, indexes[i].name);
		if ((bad == 0) != (indexes[i].why != NULL))
			fail_msg("%s.%s: %u plans are wrong without it", indexes[i].table, indexes[i].name, bad);
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
		WORLD_TEST(no_more_is_read_than_asked_for),
		WORLD_TEST(every_index_is_missed),
	};
	return WORLD_MAIN(tests);
}
