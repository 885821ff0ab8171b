/* SPDX-License-Identifier: MIT */
#include "store/removal/campaigns.h"

#include "engine/rank.h"
#include "store/query.h"
#include "store/queue/lead_counts.h"
#include "store/state.h"
#include "store/statements.h"
#include "store/transaction.h"

/* The index is forced because a DELETE may otherwise scan a small table, and lock rows of other campaigns. */
#define DELETE_OF_CAMPAIGN(table, index) "DELETE t FROM {prefix}" table " t FORCE INDEX (" index ") WHERE t.campaign_id = ?"

DB_STATEMENT(sql_select_campaigns_to_remove,
    "SELECT id FROM {prefix}campaigns FORCE INDEX (by_account) WHERE account_id = ? ORDER BY id");
DB_STATEMENT(sql_insert_removed,
    "INSERT INTO {prefix}removed_campaigns (campaign_id, worked_ms, created_ms) VALUES (?, " NOW ", " NOW ")");
DB_STATEMENT(sql_delete_campaign, "DELETE FROM {prefix}campaigns WHERE id = ?");
DB_STATEMENT(sql_delete_counters, "DELETE FROM {prefix}campaign_counters WHERE campaign_id = ?");
DB_STATEMENT(sql_delete_status_of_webhooks, "DELETE s FROM {prefix}webhooks w FORCE INDEX (by_campaign)"
					    " STRAIGHT_JOIN {prefix}webhook_status s ON s.webhook_id = w.id"
					    " WHERE w.campaign_id = ?");
DB_STATEMENT(sql_delete_webhooks, DELETE_OF_CAMPAIGN("webhooks", "by_campaign"));
DB_STATEMENT(sql_delete_keys_of_account, "DELETE t FROM {prefix}api_keys t FORCE INDEX (by_account) WHERE t.account_id = ?");
#define DELETE_OF_USERS(table, index)                                                    \
	"DELETE t FROM {prefix}users u FORCE INDEX (by_account)"                         \
	" STRAIGHT_JOIN {prefix}" table " t FORCE INDEX (" index ") ON t.user_id = u.id" \
	" WHERE u.account_id = ?"
DB_STATEMENT(sql_delete_sessions_of_account, DELETE_OF_USERS("sessions", "by_user"));
DB_STATEMENT(sql_delete_invitations_of_account, DELETE_OF_USERS("invitations", "by_user"));
DB_STATEMENT(sql_delete_recovery_codes_of_account, DELETE_OF_USERS("recovery_codes", "PRIMARY"));
DB_STATEMENT(sql_delete_users_of_account, "DELETE t FROM {prefix}users t FORCE INDEX (by_account) WHERE t.account_id = ?");
DB_STATEMENT(sql_delete_operator_jobs_of_account,
    "DELETE t FROM {prefix}operator_jobs t FORCE INDEX (by_account) WHERE t.account_id = ?");
DB_STATEMENT(sql_delete_account, "DELETE FROM {prefix}accounts WHERE id = ?");

DB_STATEMENT(sql_select_removed, "SELECT campaign_id, step, position FROM {prefix}removed_campaigns WHERE campaign_id = ?");
DB_STATEMENT(sql_select_idle_removed, "SELECT campaign_id FROM {prefix}removed_campaigns WHERE worked_ms <= " NOW " - ?"
				      " ORDER BY worked_ms LIMIT 1");
DB_STATEMENT(
    sql_move_removed, "UPDATE {prefix}removed_campaigns SET step = ?, position = ?, worked_ms = " NOW " WHERE campaign_id = ?");
DB_STATEMENT(sql_postpone_removed, "UPDATE {prefix}removed_campaigns SET worked_ms = " NOW " + ? WHERE campaign_id = ?");
DB_STATEMENT(sql_delete_removed, "DELETE FROM {prefix}removed_campaigns WHERE campaign_id = ?");

DB_STATEMENT(sql_delete_jobs_of_campaign, DELETE_OF_CAMPAIGN("bulk_jobs", "by_campaign"));
DB_STATEMENT(sql_delete_operator_jobs_of_campaign, DELETE_OF_CAMPAIGN("operator_jobs", "by_campaign"));
DB_STATEMENT(sql_delete_bulk_schedule, DELETE_OF_CAMPAIGN("bulk_schedule", "PRIMARY"));
DB_STATEMENT(sql_delete_tags, DELETE_OF_CAMPAIGN("tags", "by_name"));
DB_STATEMENT(sql_delete_actions, DELETE_OF_CAMPAIGN("actions", "by_campaign"));
DB_STATEMENT(sql_delete_reward_levels, DELETE_OF_CAMPAIGN("reward_levels", "by_campaign"));
DB_STATEMENT(sql_delete_texts, DELETE_OF_CAMPAIGN("campaign_texts", "PRIMARY"));
DB_STATEMENT(sql_delete_inbound_status, "DELETE s FROM {prefix}inbound_webhooks w FORCE INDEX (by_campaign)"
					" STRAIGHT_JOIN {prefix}inbound_status s ON s.inbound_id = w.id"
					" WHERE w.campaign_id = ?");
DB_STATEMENT(sql_delete_inbound, DELETE_OF_CAMPAIGN("inbound_webhooks", "by_campaign"));
DB_STATEMENT(
    sql_select_removed_calls, "SELECT id FROM {prefix}inbound_calls FORCE INDEX (by_campaign) WHERE campaign_id = ? LIMIT 50");
DB_STATEMENT(sql_delete_removed_calls, "DELETE t FROM " ROWS_WITH_IDS("inbound_calls"));
DB_STATEMENT(sql_select_removed_leads, "SELECT id, subscription_number"
				       " FROM {prefix}leads FORCE INDEX (by_number)"
				       " WHERE campaign_id = ? AND subscription_number > ?"
				       " ORDER BY subscription_number LIMIT 250");
DB_STATEMENT(sql_delete_removed_leads, "DELETE t FROM " ROWS_WITH_IDS("leads"));
DB_STATEMENT(sql_delete_links_of_leads, "DELETE t FROM " ROWS_OF_LEADS("referral_links"));
DB_STATEMENT(sql_delete_confirmations_of_leads, "DELETE t FROM " ROWS_OF_LEADS("confirmations"));
DB_STATEMENT(sql_delete_unverified_leads, "DELETE t FROM " ROWS_OF_LEADS("unverified_leads"));
DB_STATEMENT(sql_select_removed_nodes, "SELECT node FROM {prefix}score_histogram WHERE node >= ? AND node < ? LIMIT 1000");
DB_STATEMENT(sql_delete_removed_nodes, "DELETE t FROM ({each}SELECT ? AS id{between} UNION ALL {end}) ids"
				       " STRAIGHT_JOIN {prefix}score_histogram t ON t.node = ids.id");
DB_STATEMENT(sql_select_removed_addresses,
    "SELECT campaign_id, ip FROM {prefix}ip_leads FORCE INDEX (PRIMARY) WHERE campaign_id = ? LIMIT 1000");
DB_STATEMENT(sql_delete_removed_address, "DELETE FROM {prefix}ip_leads WHERE campaign_id = ? AND ip = ?");
DB_STATEMENT(
    sql_select_removed_messages, "SELECT id FROM {prefix}messages FORCE INDEX (by_campaign) WHERE campaign_id = ? LIMIT 500");
DB_STATEMENT(sql_delete_removed_messages, "DELETE t FROM " ROWS_WITH_IDS("messages"));
DB_STATEMENT(sql_select_events_of_campaign,
    "SELECT id, deliveries FROM {prefix}events FORCE INDEX (by_lead) WHERE campaign_id = ? LIMIT 200");

/* The numbers are stored: new steps are added at the end. */
enum remove_step {
	REMOVE_CALLS,
	REMOVE_DEFINITIONS,
	REMOVE_LEADS,
	REMOVE_HISTOGRAM,
	REMOVE_COUNTS,
	REMOVE_MESSAGES,
	REMOVE_EVENTS,
	REMOVE_END
};

/* Runs the statements, each with the id. */
static enum result
run_all(struct store *store, const struct db_statement *const *statements, size_t count, uint64_t id)
{
	enum result result = RESULT_OK;
	for (size_t i = 0; i < count && result == RESULT_OK; i++)
		result = store_run(store, statements[i], DB_U64(id));
	return result;
}

/* ---- the beginning ---- */

/* After this no call finds the campaign, and no call is logged, which would lock a row of inbound_status. The dispatcher ends
 * deliveries of webhooks that no longer exist. */
static enum result
remove_one(struct store *store, struct pool *pool, uint64_t campaign_id)
{
	static const struct db_statement *const statements[] = { &sql_insert_removed, &sql_delete_campaign,
		&sql_delete_status_of_webhooks, &sql_delete_webhooks, &sql_delete_inbound_status, &sql_delete_counters };
	const enum result result = store_lock_counters(store, pool, campaign_id);
	return result == RESULT_OK ? run_all(store, statements, ARRAY_SIZE(statements), campaign_id) : result;
}

enum result
store_remove_campaign(struct store *store, uint64_t campaign_id)
{
	struct transaction txn = store_transaction(store, REPEAT_CONFLICT);
	while (store_runs(&txn))
		txn.result = remove_one(store, txn.pool, campaign_id);
	return txn.result;
}

static enum result
remove_account(struct store *store, struct pool *pool, uint64_t account_id)
{
	static const struct db_statement *const statements[] = { &sql_delete_keys_of_account, &sql_delete_sessions_of_account,
		&sql_delete_invitations_of_account, &sql_delete_recovery_codes_of_account, &sql_delete_users_of_account,
		&sql_delete_account, &sql_delete_operator_jobs_of_account };
	struct db_rows rows;
	enum result result = store_exists(store, &sql_lock_account, DB_U64(account_id));
	if (result == RESULT_OK)
		result = store_query(store, pool, &rows, &sql_select_campaigns_to_remove, DB_U64(account_id));
	for (size_t i = 0; result == RESULT_OK && i < rows.count; i++)
		result = remove_one(store, pool, db_get_u64(&rows, i, 0));
	return result == RESULT_OK ? run_all(store, statements, ARRAY_SIZE(statements), account_id) : result;
}

enum result
store_remove_account(struct store *store, uint64_t account_id)
{
	struct transaction txn = store_transaction(store, REPEAT_CONFLICT);
	while (store_runs(&txn))
		txn.result = remove_account(store, txn.pool, account_id);
	return txn.result;
}

/* ---- the rows ---- */

struct part {
	struct store *store;
	uint64_t campaign_id, position;
	struct removal_counts *counts;
	bool step_done;
};

/* Does one part of a step, in a transaction, and sets where the next part begins. */
typedef enum result change(struct part *part, struct pool *pool);

/* Deletes the campaign's rows that another statement selects. */
static enum result
remove_selected(struct part *part, struct pool *pool, const struct db_statement *selection, const struct db_statement *deletion,
    uint64_t *counter)
{
	struct db_rows rows;
	const enum result result = store_query(part->store, pool, &rows, selection, DB_U64(part->campaign_id));
	part->step_done = rows.count == 0;
	return result == RESULT_OK ? store_delete_counted(part->store, deletion, rows.values, rows.count, counter) : result;
}

static enum result
remove_calls(struct part *part, struct pool *pool)
{
	return remove_selected(part, pool, &sql_select_removed_calls, &sql_delete_removed_calls, &part->counts->calls);
}

static enum result
remove_definitions(struct part *part, struct pool *pool UNUSED)
{
	static const struct db_statement *const statements[] = { &sql_delete_tags, &sql_delete_actions,
		&sql_delete_reward_levels, &sql_delete_texts, &sql_delete_jobs_of_campaign, &sql_delete_inbound,
		&sql_delete_operator_jobs_of_campaign };
	part->step_done = true;
	return run_all(part->store, statements, ARRAY_SIZE(statements), part->campaign_id);
}

static enum result
remove_leads(struct part *part, struct pool *pool)
{
	enum { ID, NUMBER };
	static const struct db_statement *const statements[] = { &sql_delete_links_of_leads, &sql_delete_confirmations_of_leads,
		&sql_delete_unverified_leads, &sql_delete_removed_leads };
	struct db_rows rows;
	uint64_t deleted = 0;
	enum result result =
	    store_query(part->store, pool, &rows, &sql_select_removed_leads, DB_U64(part->campaign_id), DB_U64(part->position));
	const struct db_list ids = store_column_list(pool, &rows, ID);
	for (size_t i = 0; i < ARRAY_SIZE(statements) && result == RESULT_OK; i++)
		result = store_run_on_ids(part->store, statements[i], ids.values, ids.count, &deleted);
	part->counts->leads += deleted; /* those that the last statement deleted */
	part->step_done = rows.count == 0;
	part->position = rows.count == 0 ? 0 : db_get_u64(&rows, rows.count - 1, NUMBER);
	return result;
}

static enum result
remove_histogram(struct part *part, struct pool *pool)
{
	struct db_rows rows;
	const enum result result = store_query(part->store, pool, &rows, &sql_select_removed_nodes,
	    DB_U64(rank_first_node(part->campaign_id)), DB_U64(rank_first_node(part->campaign_id + 1)));
	part->step_done = rows.count == 0;
	return result == RESULT_OK ? store_run_on_ids(part->store, &sql_delete_removed_nodes, rows.values, rows.count, NULL)
				   : result;
}

/* Counts by address, by hour and by source. */
static enum result
remove_counts(struct part *part, struct pool *pool)
{
	struct db_rows rows;
	bool all = false;
	enum result result = store_query(part->store, pool, &rows, &sql_select_removed_addresses, DB_U64(part->campaign_id));
	if (result == RESULT_OK)
		result = db_execute_rows(part->store->db, &sql_delete_removed_address, rows.values, rows.columns, rows.count);
	if (result == RESULT_OK)
		result = store_drop_lead_counts(part->store, pool, part->campaign_id, &all);
	part->step_done = rows.count == 0 && all;
	return result;
}

static enum result
remove_messages(struct part *part, struct pool *pool)
{
	return remove_selected(part, pool, &sql_select_removed_messages, &sql_delete_removed_messages, &part->counts->messages);
}

/* Emptied events no longer belong to a campaign. */
static enum result
remove_events(struct part *part, struct pool *pool)
{
	struct db_rows rows;
	const enum result result =
	    store_query(part->store, pool, &rows, &sql_select_events_of_campaign, DB_U64(part->campaign_id));
	struct found_event *events = POOL_ARRAY(pool, rows.count, struct found_event);
	for (size_t i = 0; i < rows.count; i++)
		events[i] = (struct found_event){ db_get_u64(&rows, i, 0), db_get_u64(&rows, i, 1) };
	part->step_done = rows.count == 0;
	return result == RESULT_OK ? store_empty_events(part->store, pool, events, rows.count, part->counts) : result;
}

/* The last turn of a job that was under way when the jobs were deleted was noted only afterwards. */
static enum result
remove_itself(struct part *part, struct pool *pool UNUSED)
{
	static const struct db_statement *const statements[] = { &sql_delete_bulk_schedule, &sql_delete_removed };
	part->step_done = true;
	return run_all(part->store, statements, ARRAY_SIZE(statements), part->campaign_id);
}

static change *const steps[] = {
	[REMOVE_CALLS] = remove_calls,
	[REMOVE_DEFINITIONS] = remove_definitions,
	[REMOVE_LEADS] = remove_leads,
	[REMOVE_HISTOGRAM] = remove_histogram,
	[REMOVE_COUNTS] = remove_counts,
	[REMOVE_MESSAGES] = remove_messages,
	[REMOVE_EVENTS] = remove_events,
	[REMOVE_END] = remove_itself,
};

/* Deletes what the next leads have in tables that need transactions of their own. */
static enum result
remove_rows_of_leads(struct part *part, struct pool *pool)
{
	struct db_rows rows;
	const enum result result =
	    store_query(part->store, pool, &rows, &sql_select_removed_leads, DB_U64(part->campaign_id), DB_U64(part->position));
	return result == RESULT_OK ? store_delete_rows_of_leads(part->store, store_column_list(pool, &rows, 0), part->counts)
				   : result;
}

static enum result
run_part(struct part *part, unsigned step)
{
	const struct part before = *part;
	const struct removal_counts counts = *part->counts;
	struct transaction txn = store_transaction(part->store, REPEAT_UNKNOWN);
	while (store_runs(&txn)) {
		*part = before;
		*part->counts = counts;
		txn.result = steps[step](part, txn.pool);
		if (txn.result == RESULT_OK)
			txn.result = store_run(part->store, &sql_move_removed, DB_U64(part->step_done ? step + 1 : step),
			    DB_U64(part->step_done ? 0 : part->position), DB_U64(part->campaign_id));
	}
	return txn.result;
}

enum result
store_continue_removal(struct store *store, uint64_t campaign_id, struct removal_counts *counts, bool *done)
{
	enum { CAMPAIGN_ID, STEP, POSITION };
	struct pool *pool = pool_new();
	struct db_rows rows;
	enum result result = store_query(store, pool, &rows, &sql_select_removed, DB_U64(campaign_id));
	*done = result == RESULT_OK && rows.count == 0;
	if (result == RESULT_OK && !*done) {
		const unsigned step = (unsigned)db_get_u64(&rows, 0, STEP);
		struct part part = { store, campaign_id, db_get_u64(&rows, 0, POSITION), counts, false };
		result = step < ARRAY_SIZE(steps) ? RESULT_OK : RESULT_FAILED;
		if (step == REMOVE_LEADS)
			result = remove_rows_of_leads(&part, pool);
		if (result == RESULT_OK)
			result = run_part(&part, step);
	}
	pool_free(&pool);
	return result;
}

enum result
store_postpone_removal(struct store *store, uint64_t campaign_id, int64_t more_ms)
{
	return store_run(store, &sql_postpone_removed, DB_I64(more_ms), DB_U64(campaign_id));
}

enum result
store_find_removal(struct store *store, int64_t idle_ms, uint64_t *campaign_id, bool *found)
{
	struct pool *pool = pool_new();
	struct db_rows rows;
	const enum result result = store_query(store, pool, &rows, &sql_select_idle_removed, DB_I64(idle_ms));
	*found = result == RESULT_OK && rows.count > 0;
	if (*found)
		*campaign_id = db_get_u64(&rows, 0, 0);
	pool_free(&pool);
	return result;
}
