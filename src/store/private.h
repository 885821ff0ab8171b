/* SPDX-License-Identifier: MIT
 * Internal to src/store with its subfolders, and to tests. */
#ifndef LEADHOOK_STORE_PRIVATE_H
#define LEADHOOK_STORE_PRIVATE_H

#include "base/log.h"
#include "db/db.h"
#include "engine/decide.h"
#include "store/statements.h"
#include "store/store.h"

/* Kinds of ids that are taken from blocks, in the order of id_names. */
enum id_kind {
	ID_ACCOUNT,
	ID_API_KEY,
	ID_CAMPAIGN,
	ID_WEBHOOK,
	ID_LEAD,
	ID_HISTORY, /* events, and the deliveries of each, which follow it */
	ID_TAG,
	ID_ACTION,
	ID_REWARD_LEVEL,
	ID_BULK_JOB,
	ID_POINTS_CALL,
	ID_KINDS
};

/* What sign-ups need of a campaign, cached between batches (campaign_cache.c). */
struct cached_campaign {
	struct campaign campaign;       /* its counters are those of the time it was read */
	const struct webhook *webhooks; /* by id */
	size_t webhook_count;
	struct definitions definitions;
	struct campaign_versions versions;
	uint64_t nodes; /* generation of the nodes of its histogram that are valid for versions.leads (rank_cache.c) */
	int64_t read_ms, used_ms;
	struct cache_group *group; /* holds the texts */
};

struct cached_campaigns {
	struct cached_campaign *items;
	size_t count, capacity;
};

struct store {
	struct store_options options;
	struct db_options db_options;
	struct db *db;
	bool in_snapshot;
	struct id_range ids[ID_KINDS];
	/* read from the database once */
	struct pool *installation;
	bool has_installation;
	bool schema_logged; /* that the schema has the wrong version */
	struct slice installation_id;
	struct payload_settings payload;
	struct cached_campaigns campaign_cache;
	struct cached_node *cached_nodes; /* rank_cache.c; NULL: not allocated yet */
	uint64_t node_generations;        /* that were given */
	struct log_throttle batch_log;
};

/* The order of locks. A transaction that locks rows of several tables does so in this order, and rows of one table in the order
 * of their primary key:
 *
 *   accounts
 *   campaign_counters
 *   campaigns, tags, actions, reward_levels
 *   bulk_jobs
 *   leads, score_histogram, ip_leads, score_entries, deleted_leads, referral_links
 *   bulk_schedule
 *   due
 *   webhooks
 *   webhook_status
 *   deliveries
 *
 * The lock of campaign_counters comes before everything else of a campaign: two transactions that change it wait there and
 * nowhere later. Only these run without it: changes of the dispatcher's rows, from due on; delaying and skipping jobs
 * (bulk_jobs, bulk_schedule); recording end times (campaigns); removing the rows of deleted leads (score_entries,
 * deleted_leads).
 *
 * New rows with an id or a random key of their own are inserted at any point: events, due, attempts, commit_tokens. id_blocks
 * is locked in a transaction of its own, or after all others, before an insert.
 *
 * Two statements lock rows in another order; a conflict of theirs is repeated: store_complete locks rows of due and
 * webhook_status in pairs; store_fail_pending locks rows of due in the order of their times, but only of webhooks that are gone
 * or removed.
 *
 * A change that needs an earlier table afterwards uses a transaction of its own (store_close_webhook after store_complete).
 * tests/store/test_lock_order.c tests the order. */

/* For commands that read all rows or change tables, with no client waiting. */
enum { STORE_LONG_TIMEOUT_S = 3600 };
/* Sets the timeout of each answer. It takes effect with a new connection, because the server needs it too. Returns the old
 * value. */
unsigned store_set_answer_timeout(struct store *store, unsigned answer_timeout_s);

/* Makes sure that at least `count` ids of the kind are reserved. Uses a transaction of its own: not to be called inside one.
 * Returns RESULT_UNAVAILABLE also when every attempt met a conflict. */
MUST_CHECK enum result store_reserve_ids(struct store *store, enum id_kind kind, uint64_t count);
/* Takes one id inside a transaction, where a block is not worth it. */
MUST_CHECK enum result store_next_id(struct store *store, struct pool *pool, enum id_kind kind, uint64_t *id);

/* *version is 0 when there is no schema. */
MUST_CHECK enum result store_read_version(struct store *store, uint32_t *version);
/* Checks the schema and reads installation id and secret, once. Returns RESULT_FAILED, logged, when they are missing or
 * wrong. */
MUST_CHECK enum result store_read_installation(struct store *store);

/* Records, in the transaction that moves or delays a job, that its campaign was served. The job must still exist. */
MUST_CHECK enum result store_note_job_served(struct store *store, uint64_t job_id);
/* A statement with single values: store_query(store, pool, &rows, &sql_select_key, db_bytes(hash)). */
#define store_query(store, pool, rows, statement, ...) db_query((store)->db, pool, statement, &DB_VALUES(__VA_ARGS__), rows)
#define store_run(store, statement, ...) db_execute((store)->db, statement, &DB_VALUES(__VA_ARGS__), NULL)
/* Returns RESULT_NOT_FOUND unless exactly one row matches or is inserted. */
#define store_change_one(store, statement, ...) store_change_one_row(store, statement, &DB_VALUES(__VA_ARGS__))
MUST_CHECK enum result store_change_one_row(
    struct store *store, const struct db_statement *statement, const struct db_arguments *arguments);
/* Return RESULT_NOT_FOUND unless there is a row. */
#define store_query_one(store, pool, rows, statement, ...) \
	store_query_row(store, pool, statement, &DB_VALUES(__VA_ARGS__), rows)
MUST_CHECK enum result store_query_row(struct store *store, struct pool *pool, const struct db_statement *statement,
    const struct db_arguments *arguments, struct db_rows *rows);
#define store_exists(store, statement, ...) store_has_row(store, statement, &DB_VALUES(__VA_ARGS__))
MUST_CHECK enum result store_has_row(
    struct store *store, const struct db_statement *statement, const struct db_arguments *arguments);
/* Rows for one statement, `capacity` at most, in the pool. All have the same number of values. */
struct row_list {
	struct pool *pool;
	const struct db_statement *statement;
	size_t capacity;
	struct db_value *values;
	size_t columns, count;
};
struct row_list store_row_list(struct pool *pool, const struct db_statement *statement, size_t capacity);
#define store_add_row(list, ...)                                           \
	store_add_values((list), (const struct db_value[]){ __VA_ARGS__ }, \
	    sizeof((const struct db_value[]){ __VA_ARGS__ }) / sizeof(struct db_value))
void store_add_values(struct row_list *list, const struct db_value *values, size_t columns);
/* One after another. A list without rows makes no round trip, a large one several. */
#define store_run_lists(store, ...)                                                   \
	store_run_row_lists((store), (const struct row_list *const[]){ __VA_ARGS__ }, \
	    sizeof((const struct row_list *const[]){ __VA_ARGS__ }) / sizeof(struct row_list *))
MUST_CHECK enum result store_run_row_lists(struct store *store, const struct row_list *const *lists, size_t count);
/* Locks the campaign's counters until the transaction ends. Batches take the same lock: those under way end first, later ones
 * wait. RESULT_NOT_FOUND: no such campaign. */
MUST_CHECK enum result store_lock_counters(struct store *store, struct pool *pool, uint64_t campaign_id);

/* Locks the campaign's counters for a change of what its sign-ups depend on: settings, webhooks, definitions. Processes cache
 * those while their version stays the same (campaign_cache.c), so every change of them begins with this. */
MUST_CHECK enum result store_lock_settings(struct store *store, uint64_t campaign_id);
/* Calls store_lock_settings for the campaign of a webhook. RESULT_NOT_FOUND: no such webhook; it may also be removed before the
 * lock is granted. */
MUST_CHECK enum result store_lock_webhook_settings(struct store *store, struct pool *pool, uint64_t webhook_id);

/* The ids as a sorted list without duplicates; sorts `ids` in place. */
struct db_list store_id_list(struct pool *pool, uint64_t *ids, size_t count);
/* db_query with lists of any length. Lists that are too long for one statement are split; the n-th pieces of all lists go
 * together, and the rows are joined. */
MUST_CHECK enum result store_query_lists(struct store *store, struct pool *pool, const struct db_statement *statement,
    const struct db_list *lists, size_t list_count, struct db_rows *rows);

enum repeat {
	REPEAT_CONFLICT, /* repeated only while it is certain that nothing was committed; else RESULT_UNKNOWN */
	REPEAT_UNKNOWN,  /* repeated in any case: the body is idempotent or detects an earlier commit */
	REPEAT_NOTHING   /* not repeated: the caller does that */
};

/* A transaction on the schema of this program, as a loop: its body is run again after a conflict, STORE_ATTEMPTS times in all.
 * Do not leave it by break or return.
 *
 *	struct transaction txn = store_transaction(store, REPEAT_UNKNOWN);
 *	while (store_runs(&txn))
 *		txn.result = change_it(store, txn.pool);
 *	return txn.result; */
struct transaction {
	struct store *store;
	enum repeat repeat;
	struct pool *pool; /* of this run */
	/* set by the loop's body: RESULT_OK commits, anything else rolls back. After the loop: the result of the last run, also
	 * RESULT_CONFLICT */
	enum result result;
	unsigned attempt;
	bool unknown; /* a run may have been committed */
};
struct transaction store_transaction(struct store *store, enum repeat repeat);
/* Ends the last run and begins the next one. Returns false when there is no next one. */
bool store_runs(struct transaction *txn);

/* Ends a transaction without repeating it, for batches, which repeat until the deadline or STORE_ATTEMPTS conflicts. Commits
 * when `so_far` is RESULT_OK, else rolls back. Returns the result of the transaction. */
MUST_CHECK enum result store_finish(struct store *store, enum result so_far);
/* Waits before the `attempt`-th repetition (from 1) after a conflict: a random time, longer with each attempt. */
void store_back_off(unsigned attempt);
enum { STORE_ATTEMPTS = 5 };

/* A transaction that is repeated with the same token is committed once. */
enum { COMMIT_TOKEN_SIZE = 16 };
struct commit_token {
	unsigned char bytes[COMMIT_TOKEN_SIZE];
};
struct commit_token store_new_token(void);
/* *done_before (may be NULL): the token exists, because an earlier run was committed; the result is then RESULT_CONFLICT. */
MUST_CHECK enum result store_insert_token(struct store *store, const struct commit_token *token, bool *done_before);

/* What only this batch can have written: an event, or, where `event_id` is 0, the token. */
struct commit_mark {
	uint64_t event_id;
	struct commit_token token;
};
/* Whether the mark exists. Call it with the locks of the uncertain transaction held: they are granted only after that one has
 * ended. */
MUST_CHECK enum result store_find_mark(struct store *store, struct pool *pool, const struct commit_mark *mark, bool *found);
/* The server shows what is committed before it is on disk. A process that finds a commit mark therefore commits a row of its
 * own, which reaches the disk after the mark: the reported outcome then survives a crash. */
MUST_CHECK enum result store_insert_fence(struct store *store);

/* The days of the history that have partitions, in `deliveries`, `attempts` and `events`. Days are numbers as of history_day;
 * HISTORY_NO_DAY where a table has none. */
#define HISTORY_NO_DAY UINT64_MAX
enum { HISTORY_TABLES = 3, HISTORY_AHEAD_DAYS = 7 };
struct history_days {
	uint64_t today;
	uint64_t retained_from; /* the first day of the retention: earlier ones are dropped */
	uint64_t first[HISTORY_TABLES], last[HISTORY_TABLES];
};
MUST_CHECK enum result store_read_days(struct store *store, struct pool *pool, struct history_days *days);
/* "2026-11-23", in the pool. */
const char *store_day_text(struct pool *pool, uint64_t day);
/* Makes the missing partitions of all days up to HISTORY_AHEAD_DAYS from today; rows that exist already move into them.
 * RESULT_CONFLICT: a table was in use for too long. */
MUST_CHECK enum result store_make_days(struct store *store, struct pool *pool, const struct history_days *days);
/* The dispatcher's maintenance of days: makes coming ones, drops one that is over. Logs the result. */
void store_maintain_days(struct store *store);
/* completion.c: ends up to `chunk` pending deliveries of old days with the error "expired", except claimed ones. `days`: limits
 * of the deliveries' ids and of their events' ids. */
MUST_CHECK enum result store_fail_expired(struct store *store, const struct db_value days[2], size_t chunk, size_t *done);

/* The identities of a lead as stored in its row. */
struct stored_identities {
	struct slice email_hash, phone_hash;
};

struct versioned_campaign {
	uint64_t id;
	struct campaign_versions versions;
};

/* Makes sure that the settings of these campaigns are cached with these versions, and that their cached histograms are not
 * older. A batch calls it with their counters locked, so nothing changes meanwhile. Without the lock, what is cached may be
 * newer than its version, which then no longer matches. Campaigns without a row are skipped. */
MUST_CHECK enum result store_cache_campaigns(
    struct store *store, struct pool *pool, const struct versioned_campaign *campaigns, size_t count);
/* NULL: it does not exist. Valid until the next store_cache_campaigns. */
const struct cached_campaign *store_cached_campaign(const struct store *store, uint64_t id);
void store_clear_campaign_cache(struct store *store);

/* Updates the versions after the commit of a batch. */
void store_note_campaigns(struct store *store, const struct working_set *set);

/* Nodes of histograms, inside a transaction that has locked the counters of their campaigns, which are cached. `numbers` are
 * sorted and distinct; so are the nodes, which include those without a row. */
MUST_CHECK enum result store_locked_nodes(
    struct store *store, struct pool *pool, struct db_list numbers, struct rank_node **nodes);
/* Updates the cached nodes after the commit of a batch with these changes. */
void store_note_nodes(struct store *store, const struct rank_node *changes, size_t count);

/* The data of one run of a batch; in the run's pool, except what is cached. */
struct loaded {
	struct working_set set;
	/* as loaded: of the first leads of the set, of its jobs */
	const struct stored_identities *identities;
	size_t identity_count;
	const uint32_t *job_positions;
};

/* Inside the batch's transaction: loads the working set as engine/decide.h describes it. With `locked`, one a command, it does
 * not wait for campaigns: where others have locked some, it sets `locked` for the commands of those and returns
 * RESULT_CONFLICT. NULL: waits. */
MUST_CHECK enum result store_load(struct store *store, struct pool *pool, const struct command *const *commands, size_t count,
    bool *locked, struct loaded *loaded);
/* Inside the batch's transaction: writes every row that a decision changes or makes. Returns RESULT_CONFLICT also when another
 * process has moved a job. The last two are the results of decide_rank_changes. */
MUST_CHECK enum result store_write(struct store *store, struct pool *pool, const struct loaded *loaded,
    const struct decision *decision, const struct rank_node *rank_changes, size_t rank_change_count);

/* The ranks of scores in a campaign, from 1; `leads_version` was read before. RESULT_CONFLICT: leads have changed since; read
 * everything of that version again. */
struct rank {
	uint32_t score;
	uint64_t rank;
};
MUST_CHECK enum result store_rank(
    struct store *store, struct pool *pool, uint64_t campaign_id, uint64_t leads_version, struct rank *ranks, size_t count);

/* Definitions of several campaigns, without descriptions; and those of one campaign from the rows, each kind by id. */
MUST_CHECK enum result store_query_definitions(
    struct store *store, struct pool *pool, struct db_list campaigns, struct db_rows *rows);
struct definitions store_definitions_from_rows(struct pool *pool, const struct db_rows *rows, uint64_t campaign_id);

/* Leads by that identity, with values from store_reference_value. */
MUST_CHECK enum result store_query_leads(
    struct store *store, struct pool *pool, enum lead_identity identity, struct db_list list, struct db_rows *rows);

uint32_t store_get_u32(const struct db_rows *rows, size_t row, size_t column);
struct lead store_lead_from_row(const struct db_rows *rows, size_t row);
/* The columns that payloads need. */
struct lead store_shown_lead_from_row(const struct db_rows *rows, size_t row);
struct campaign store_campaign_from_row(const struct db_rows *rows, size_t row);
enum webhook_state store_webhook_state(struct slice name);
/* Bit i of `held`: shard i. */
struct db_list store_shard_list(struct pool *pool, uint64_t held);
/* A row of sql_select_webhook…. */
struct webhook_row store_webhook_from_row(const struct db_rows *rows, size_t row);
/* Makes the webhook active and resets its failures. The settings of its campaign are locked. */
MUST_CHECK enum result store_activate_webhook(struct store *store, uint64_t webhook_id);
/* An HTTP status; NULL is 0. */
int store_get_status_code(const struct db_rows *rows, size_t row, size_t column);
bool store_is_form(struct slice format);
/* NULL is 0. */
struct db_value store_id_or_null(uint64_t id);
uint64_t store_get_id(const struct db_rows *rows, size_t row, size_t column);
/* The value that a lead's row has for this reference: in `email_hash`, `phone_hash`, `social_id` or `id`. */
struct db_value store_reference_value(struct pool *pool, uint64_t campaign_id, const struct lead_reference *reference);
/* The name in the schema, and the reverse. */
struct slice store_counted_name(enum referral_counted counted);
enum referral_counted store_counted(struct slice name);

#endif
