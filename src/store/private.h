/* SPDX-License-Identifier: MIT
 * What the files of this folder share. Nobody else includes it. */
#ifndef LEADHOOK_STORE_PRIVATE_H
#define LEADHOOK_STORE_PRIVATE_H

#include "base/log.h"
#include "db/db.h"
#include "engine/decide.h"
#include "store/statements.h"
#include "store/store.h"

/* Where blocks of ids come from; the order of id_names. */
enum id_kind {
	ID_ACCOUNT,
	ID_API_KEY,
	ID_CAMPAIGN,
	ID_WEBHOOK,
	ID_LEAD,
	ID_HISTORY, /* events, and the deliveries of each behind it */
	ID_TAG,
	ID_ACTION,
	ID_REWARD_LEVEL,
	ID_BULK_JOB,
	ID_POINTS_CALL,
	ID_KINDS
};

/* What a campaign's sign-ups go by, kept from one batch to the next (campaign_cache.c). */
struct cached_campaign {
	struct campaign campaign;       /* its counters are those of the time it was read */
	const struct webhook *webhooks; /* by id */
	size_t webhook_count;
	struct definitions definitions;
	struct campaign_versions versions;
	struct rank_node *nodes; /* of its histogram, by number, as they are with versions.leads */
	size_t node_count, node_capacity;
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
	/* from the database, read once */
	struct pool *installation;
	bool has_installation;
	bool schema_logged; /* that it is another one */
	struct slice installation_id;
	struct payload_settings payload;
	struct cached_campaigns campaign_cache;
	struct rank_cache *rank_cache; /* of rank_cache.c; NULL: nothing yet */
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
 * The lock of campaign_counters comes before all else of a campaign, so that two that change it never meet later. Beside it go
 * only: the dispatcher's rows, from due on; jobs that are delayed or skipped (bulk_jobs, bulk_schedule); the noting of end
 * times (campaigns); the removal of what deleted leads left (score_entries, deleted_leads).
 *
 * New rows, with an id or a random key of their own, are inserted anywhere: events, due, attempts, commit_tokens. id_blocks is
 * locked in a transaction of its own, or after all others; what follows is a new row.
 *
 * Two statements lock rows in another order, and what they meet with others is a conflict that is tried again: store_complete
 * locks a row of due and its webhook's of webhook_status together, one after another; store_fail_pending locks rows of due in
 * the order in which they are due, but only of webhooks that are no more.
 *
 * What needs a table that comes before takes a transaction of its own (store_close_webhook after store_complete).
 * tests/store/test_lock_order.c tests it. */

/* For whoever looks at all rows, or changes tables: nobody waits for it. */
enum { STORE_LONG_TIMEOUT_S = 3600 };
/* From now on an answer may take that long; of a new connection, for the server has to know. Answers what it was before. */
unsigned store_set_answer_timeout(struct store *store, unsigned answer_timeout_s);

/* Makes sure that at least `count` ids of the kind are at hand, in a transaction of its own: not to be called inside one.
 * RESULT_UNAVAILABLE also when others were faster every time. */
MUST_CHECK enum result store_reserve_ids(struct store *store, enum id_kind kind, uint64_t count);
/* One id inside a transaction, where it is not worth a block. */
MUST_CHECK enum result store_next_id(struct store *store, struct pool *pool, enum id_kind kind, uint64_t *id);

/* 0 when there is no schema at all. */
MUST_CHECK enum result store_read_version(struct store *store, uint32_t *version);
/* Makes sure of the schema, reads installation id and secret; once. RESULT_FAILED, logged, when they are not as they must
 * be. */
MUST_CHECK enum result store_read_installation(struct store *store);

/* Notes, in the transaction that moves or delays a job, that its campaign has had its turn. The job is still there. */
MUST_CHECK enum result store_note_job_served(struct store *store, uint64_t job_id);
/* A statement with single values: store_query(store, pool, &rows, &sql_select_key, db_bytes(hash)). */
#define store_query(store, pool, rows, statement, ...) db_query((store)->db, pool, statement, &DB_VALUES(__VA_ARGS__), rows)
#define store_run(store, statement, ...) db_execute((store)->db, statement, &DB_VALUES(__VA_ARGS__), NULL)
/* Must change exactly one row; otherwise RESULT_NOT_FOUND. */
#define store_change_one(store, statement, ...) store_change_one_row(store, statement, &DB_VALUES(__VA_ARGS__))
MUST_CHECK enum result store_change_one_row(
    struct store *store, const struct db_statement *statement, const struct db_arguments *arguments);
/* Whether it returns a row. RESULT_NOT_FOUND otherwise. */
#define store_exists(store, statement, ...) store_has_row(store, statement, &DB_VALUES(__VA_ARGS__))
MUST_CHECK enum result store_has_row(
    struct store *store, const struct db_statement *statement, const struct db_arguments *arguments);
/* Waits for whatever is under way in the campaign, and keeps all else waiting until the transaction ends: batches take the same
 * lock. RESULT_NOT_FOUND: no such campaign. */
MUST_CHECK enum result store_lock_counters(struct store *store, struct pool *pool, uint64_t campaign_id);

/* The same for a change of what a campaign's sign-ups depend on: settings, webhooks, definitions. Processes cache those as long
 * as their version stays the same (campaign_cache.c), so every change of them begins with this. */
MUST_CHECK enum result store_lock_settings(struct store *store, uint64_t campaign_id);
/* The same by a webhook of the campaign. RESULT_NOT_FOUND: no such webhook; it may also be removed before the lock is granted.
 */
MUST_CHECK enum result store_lock_webhook_settings(struct store *store, struct pool *pool, uint64_t webhook_id);

/* The ids as a list, in order and each once; sorts `ids` itself. */
struct db_list store_id_list(struct pool *pool, uint64_t *ids, size_t count);
/* db_query with lists of any length: those that are too long for one statement go piece by piece, the n-th of each together,
 * and the answers are put together. */
MUST_CHECK enum result store_query_lists(struct store *store, struct pool *pool, const struct db_statement *statement,
    const struct db_list *lists, size_t list_count, struct db_rows *rows);

enum repeat {
	REPEAT_CONFLICT, /* once it may have been done it is left at that: RESULT_UNKNOWN */
	REPEAT_UNKNOWN,  /* doing it twice is the same as doing it once, or the body notices */
	REPEAT_NOTHING   /* the caller does that, in its own time */
};

/* A transaction on the schema of this program, as a loop: what is in it is run again after a conflict, STORE_ATTEMPTS times in
 * all. It must not be left by break or return.
 *
 *	struct transaction txn = store_transaction(store, REPEAT_UNKNOWN);
 *	while (store_runs(&txn))
 *		txn.result = change_it(store, txn.pool);
 *	return txn.result; */
struct transaction {
	struct store *store;
	enum repeat repeat;
	struct pool *pool; /* of this run */
	/* set by the loop's body: RESULT_OK commits, all else rolls back. After the loop: what the last run came to, also
	 * RESULT_CONFLICT */
	enum result result;
	unsigned attempt;
	bool unknown; /* a run was perhaps committed */
};
struct transaction store_transaction(struct store *store, enum repeat repeat);
/* Ends the last run and begins the next one; false: there is none. */
bool store_runs(struct transaction *txn);

/* The parts of it, for batches, which go by the time that the request has left.
 * Commits when all went well so far, else rolls back. Returns what the transaction came to. */
MUST_CHECK enum result store_finish(struct store *store, enum result so_far);
/* Waits before the `attempt`-th repetition (from 1) of a transaction that lost against others: a random moment that grows. */
void store_back_off(unsigned attempt);
enum { STORE_ATTEMPTS = 5 };

/* A transaction that is repeated with the same token is done once. */
enum { COMMIT_TOKEN_SIZE = 16 };
struct commit_token {
	unsigned char bytes[COMMIT_TOKEN_SIZE];
};
struct commit_token store_new_token(void);
/* *done_before (may be NULL): the token is there, an earlier run was committed; the result is then RESULT_CONFLICT. */
MUST_CHECK enum result store_insert_token(struct store *store, const struct commit_token *token, bool *done_before);

/* What a batch leaves that nobody else can have left: an event, or, where `event_id` is 0, the token. */
struct commit_mark {
	uint64_t event_id;
	struct commit_token token;
};
/* Whether it is there. Asked under locks that the uncertain transaction had: while that is open, nobody can tell. */
MUST_CHECK enum result store_find_mark(struct store *store, struct pool *pool, const struct commit_mark *mark, bool *found);
/* The server shows what is committed before it is on the disk. So who finds that an earlier run was done commits something of
 * its own, which waits for both: what is answered then survives. */
MUST_CHECK enum result store_insert_fence(struct store *store);

/* Which days of the history have partitions of their own, in `deliveries`, `attempts` and `events`. Days are numbers as of
 * history_day; HISTORY_NO_DAY where a table has none. */
#define HISTORY_NO_DAY UINT64_MAX
enum { HISTORY_TABLES = 3, HISTORY_AHEAD_DAYS = 7 };
struct history_days {
	uint64_t today;
	uint64_t retained_from; /* the retention's first day: those before it are to be dropped */
	uint64_t first[HISTORY_TABLES], last[HISTORY_TABLES];
};
MUST_CHECK enum result store_read_days(struct store *store, struct pool *pool, struct history_days *days);
/* "2026-11-23", in the pool. */
const char *store_day_text(struct pool *pool, uint64_t day);
/* Makes the partitions of all days up to HISTORY_AHEAD_DAYS from today that have none; what has come in the meantime moves
 * into them. RESULT_CONFLICT: somebody used a table for too long. */
MUST_CHECK enum result store_make_days(struct store *store, struct pool *pool, const struct history_days *days);
/* What the dispatcher does about days now and then: makes those to come, drops one that is over. Logs what came of it. */
void store_maintain_days(struct store *store);
/* completion.c: ends up to `chunk` pending deliveries of old days, with the error "expired", but for those that are claimed.
 * `days`: the id that theirs, and the one that their events' are below. */
MUST_CHECK enum result store_fail_expired(struct store *store, const struct db_value days[2], size_t chunk, size_t *done);

/* The identities of a lead as its row has them. */
struct stored_identities {
	struct slice email_hash, phone_hash;
};

struct versioned_campaign {
	uint64_t id;
	struct campaign_versions versions;
};

/* Makes sure that the settings of these campaigns are kept with these versions, and of their histograms nothing older. A batch
 * asks inside its transaction, which has locked their counters: nobody can change them meanwhile. Without the lock they may be
 * newer than the version says, which then meets nobody any more. Campaigns without a row are passed over. */
MUST_CHECK enum result store_cache_campaigns(
    struct store *store, struct pool *pool, const struct versioned_campaign *campaigns, size_t count);
/* NULL: there is none. Valid until the next store_cache_campaigns. */
const struct cached_campaign *store_cached_campaign(const struct store *store, uint64_t id);
void store_clear_campaign_cache(struct store *store);

/* Nodes of the histogram, inside a transaction that has locked the counters of their campaigns, which are kept. `numbers` are
 * in order, each once; so are the nodes, also those without a row. */
MUST_CHECK enum result store_cache_nodes(
    struct store *store, struct pool *pool, const uint64_t *numbers, size_t count, struct rank_node **nodes);
/* That a batch was committed which changed the leads of these campaigns, and their histograms so. */
void store_note_batch(struct store *store, const struct working_set *set, const struct rank_node *changes, size_t change_count);

/* What a batch works with; in the pool of one run, but for what is kept. */
struct loaded {
	struct working_set set;
	/* as they were loaded: of the first leads of the set, of its jobs */
	const struct stored_identities *identities;
	size_t identity_count;
	const uint32_t *job_positions;
};

/* Inside the batch's transaction: the working set as engine/decide.h describes it. `locked`, one a command, says that no
 * campaign is waited for: RESULT_CONFLICT, and true for those whose campaign somebody else has locked, when there are any.
 * NULL: waits.
 */
MUST_CHECK enum result store_load(struct store *store, struct pool *pool, const struct command *const *commands, size_t count,
    bool *locked, struct loaded *loaded);
/* Inside the batch's transaction: every row that a decision changes or makes. RESULT_CONFLICT also when a job was moved by
 * somebody else. The last two are what decide_rank_changes says. */
MUST_CHECK enum result store_write(struct store *store, struct pool *pool, const struct loaded *loaded,
    const struct decision *decision, const struct rank_node *rank_changes, size_t rank_change_count);

/* Nodes of the histogram, by number. */
struct rank_node *store_nodes_from_rows(struct pool *pool, const struct db_rows *rows, size_t *count);
/* The histogram's rows of these nodes, by number. */
MUST_CHECK enum result store_read_histogram(
    struct store *store, struct pool *pool, uint64_t *nodes, size_t node_count, struct rank_node **rows, size_t *row_count);

/* The ranks of scores in a campaign, from 1; `leads_version` was read before. RESULT_CONFLICT: leads have changed since, and
 * what was read at that version is to be read again. */
struct rank {
	uint32_t score;
	uint64_t rank;
};
MUST_CHECK enum result store_rank(
    struct store *store, struct pool *pool, uint64_t campaign_id, uint64_t leads_version, struct rank *ranks, size_t count);

/* Without the descriptions, of several campaigns; and what is one's own of the answer, each kind by id. */
MUST_CHECK enum result store_query_definitions(
    struct store *store, struct pool *pool, struct db_list campaigns, struct db_rows *rows);
struct definitions store_definitions_from_rows(struct pool *pool, const struct db_rows *rows, uint64_t campaign_id);

/* Whole leads by that identity, whose values are as store_reference_value has them. */
MUST_CHECK enum result store_query_leads(
    struct store *store, struct pool *pool, enum lead_identity identity, struct db_list list, struct db_rows *rows);

uint32_t store_get_u32(const struct db_rows *rows, size_t row, size_t column);
struct lead store_lead_from_row(const struct db_rows *rows, size_t row);
/* What payloads need of it. */
struct lead store_shown_lead_from_row(const struct db_rows *rows, size_t row);
struct campaign store_campaign_from_row(const struct db_rows *rows, size_t row);
enum webhook_state store_webhook_state(struct slice name);
/* Bit i of `held`: shard i. */
struct db_list store_shard_list(struct pool *pool, uint64_t held);
/* Of sql_select_webhook…. */
struct webhook_row store_webhook_from_row(const struct db_rows *rows, size_t row);
/* Makes it active, as if it had never failed; its campaign's settings are locked. */
MUST_CHECK enum result store_activate_webhook(struct store *store, uint64_t webhook_id);
/* An HTTP status; NULL is 0. */
int store_get_status_code(const struct db_rows *rows, size_t row, size_t column);
bool store_is_form(struct slice format);
/* An id that may be missing, and is 0 then. */
struct db_value store_id_or_null(uint64_t id);
uint64_t store_get_id(const struct db_rows *rows, size_t row, size_t column);
/* What the row of a lead has that is named so: in `email_hash`, `phone_hash`, `social_id` or `id`, by its identity. */
struct db_value store_reference_value(struct pool *pool, uint64_t campaign_id, const struct lead_reference *reference);
/* The schema's word for it, and back. */
struct slice store_counted_name(enum referral_counted counted);
enum referral_counted store_counted(struct slice name);

#endif
