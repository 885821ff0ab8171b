/* SPDX-License-Identifier: MIT
 * Campaigns as operators and owners manage them. */
#include "store/operator/campaign_settings.h"

#include <inttypes.h>
#include <string.h>

#include "os/clock.h"
#include "os/log.h"
#include "store/commit_marks.h"
#include "store/find.h"
#include "store/query.h"
#include "store/queue/operator_jobs.h"
#include "store/rows.h"
#include "store/state.h"
#include "store/statements.h"
#include "store/transaction.h"

DB_STATEMENT(sql_lock_campaign, "SELECT id FROM {prefix}campaigns WHERE id = ? FOR UPDATE");
DB_STATEMENT(sql_count_campaigns, "SELECT COUNT(*) FROM {prefix}campaigns FORCE INDEX (by_account) WHERE account_id = ?");
#define SETTING_COLUMN(type, member) ", " #member
#define SETTING_COLUMNS CAMPAIGN_SETTINGS(SETTING_COLUMN)
#define SETTING_PLACE(type, member) ", ?"
#define SETTING_PLACES CAMPAIGN_SETTINGS(SETTING_PLACE)
#define SETTING_CHANGE(type, member) ", " #member " = ?"
#define SETTING_CHANGES CAMPAIGN_SETTINGS(SETTING_CHANGE)
DB_STATEMENT(sql_insert_campaign, "INSERT INTO {prefix}campaigns (id, account_id, created_ms" SETTING_COLUMNS ")"
				  " VALUES (?, ?, " NOW SETTING_PLACES ")");
DB_STATEMENT(sql_insert_counters, "INSERT INTO {prefix}campaign_counters (campaign_id, ip_counted_to) VALUES (?, ?)");
DB_STATEMENT(sql_update_campaign, "UPDATE {prefix}campaigns SET ended_ms = ?" SETTING_CHANGES " WHERE id = ?");
/* a campaign that only reached its end time was not ended by command */
DB_STATEMENT(sql_end_campaign, "UPDATE {prefix}campaigns"
			       " SET ended_ms = CASE WHEN ended_ms IS NULL OR ended_ms = ends_ms THEN " NOW " ELSE ended_ms END"
			       " WHERE id = ?");
DB_STATEMENT(sql_reopen_campaign, "UPDATE {prefix}campaigns"
				  " SET ended_ms = NULL, ends_ms = CASE WHEN ends_ms <= " NOW " THEN NULL ELSE ends_ms END"
				  " WHERE id = ?");
DB_STATEMENT(sql_count_addresses,
    "INSERT INTO {prefix}ip_leads (campaign_id, ip, leads)"
    " SELECT campaign_id, " CALLER_NETWORK " AS network, COUNT(*)"
    " FROM {prefix}leads FORCE INDEX (by_number)"
    " WHERE campaign_id = ? AND subscription_number > ? AND subscription_number <= ? AND " COUNTS_FOR_IP " GROUP BY network"
    " ON DUPLICATE KEY UPDATE leads = leads + VALUES(leads)");
DB_STATEMENT(sql_select_any_address, "SELECT 1 FROM {prefix}ip_leads WHERE campaign_id = ? LIMIT 1");
DB_STATEMENT(sql_delete_addresses, "DELETE FROM {prefix}ip_leads WHERE campaign_id = ? LIMIT ?");
DB_STATEMENT(sql_move_counted_addresses, "UPDATE {prefix}campaign_counters"
					 " SET ip_counted_to = ?"
					 " WHERE campaign_id = ? AND ip_counted_to = ?");

#define SETTING_VALUE(type, member) , FIELD_VALUE_##type(settings->member)

static struct campaign_settings
settings_of(const struct campaign *campaign)
{
#define COPY(type, member) .member = campaign->member,
	return (struct campaign_settings){ CAMPAIGN_SETTINGS(COPY) };
#undef COPY
}

/* Applies the setting `state`. */
static enum result
apply_request(struct store *store, uint64_t id, enum campaign_request request)
{
	if (request == CAMPAIGN_STAYS)
		return RESULT_OK;
	return store_change_one(store, request == CAMPAIGN_ENDS ? &sql_end_campaign : &sql_reopen_campaign, DB_U64(id));
}

static enum result
insert_campaign(struct store *store, uint64_t account_id, const struct campaign_settings *settings, uint64_t id)
{
	enum result result =
	    store_change_one(store, &sql_insert_campaign, DB_U64(id), DB_U64(account_id) CAMPAIGN_SETTINGS(SETTING_VALUE));
	/* without leads there is nothing to count */
	if (result == RESULT_OK)
		result = store_change_one(
		    store, &sql_insert_counters, DB_U64(id), DB_U64(settings->max_per_ip > 0 ? IP_COUNTED_ALL : 0));
	return result == RESULT_OK ? apply_request(store, id, settings->request) : result;
}

enum result
store_add_campaign(struct store *store, const struct precondition *precondition, uint64_t account_id,
    const struct campaign_settings *settings, uint64_t maximum, uint64_t *id)
{
	struct transaction txn = store_transaction(store, REPEAT_CONFLICT);
	while (store_runs(&txn)) {
		txn.result = store_exists(store, &sql_lock_account, DB_U64(account_id));
		if (txn.result == RESULT_OK)
			txn.result = store_check_room(store, &sql_count_campaigns, account_id, maximum);
		if (txn.result == RESULT_OK)
			txn.result = number_next_campaign(store, txn.pool, precondition, id);
		if (txn.result == RESULT_OK)
			txn.result = insert_campaign(store, account_id, settings, *id);
	}
	return txn.result;
}

enum result
store_add_campaign_as(
    struct store *store, uint64_t account_id, const struct campaign_settings *settings, uint64_t id, struct id_verdict *verdict)
{
	struct transaction txn = store_transaction(store, REPEAT_CONFLICT);
	while (store_runs(&txn)) {
		txn.result = store_exists(store, &sql_lock_account, DB_U64(account_id));
		if (txn.result == RESULT_OK)
			txn.result = number_judge_campaign(store, txn.pool, id, verdict);
		if (txn.result == RESULT_OK)
			txn.result = insert_campaign(store, account_id, settings, id);
	}
	return txn.result;
}

/* Sets the number up to which leads are counted per address. The counters are locked: it has not changed since it was read. */
static enum result
set_ip_counted_to(struct store *store, const struct campaign *campaign, uint32_t to)
{
	enum result result = store_change_one(
	    store, &sql_move_counted_addresses, DB_U64(to), DB_U64(campaign->id), DB_U64(campaign->ip_counted_to));
	return result == RESULT_NOT_FOUND ? RESULT_CONFLICT : result;
}

/* `campaign`: before the change; `max_per_ip`: the new value. Another count is queued even if an earlier one has not ended: the
 * earlier one may already have passed its last lead. */
static enum result
queue_count(struct store *store, struct pool *pool, const struct campaign *campaign, uint64_t max_per_ip, struct slice made_by,
    struct queued_job *queued)
{
	const struct job_request job = { campaign->account_id, campaign->id, JOB_ADDRESS_COUNT, SLICE("{}"), made_by };
	enum result result = campaign->ip_counted_to == IP_COUNTED_ALL ? RESULT_NOT_FOUND : RESULT_OK;
	if (max_per_ip == 0) /* the job removes counts */
		result = store_exists(store, &sql_select_any_address, DB_U64(campaign->id));
	if (result == RESULT_OK)
		return store_insert_job(store, pool, NULL, &job, queued);
	return result == RESULT_NOT_FOUND ? RESULT_OK : result;
}

static enum result
lock_campaign(
    struct store *store, struct pool *pool, const struct precondition *precondition, uint64_t id, struct campaign *campaign)
{
	int64_t now_ms;
	enum result result = store_lock_settings(store, id, precondition);
	/* the dispatcher, which records end times, locks only the campaign's row */
	if (result == RESULT_OK)
		result = store_exists(store, &sql_lock_campaign, DB_U64(id));
	return result == RESULT_OK ? store_find_campaign(store, pool, id, campaign, &now_ms) : result;
}

static enum result
edit_campaign(struct store *store, struct pool *pool, const struct campaign *campaign, const struct campaign_change *change,
    struct queued_job *count)
{
	struct campaign_settings changed = settings_of(campaign), *const settings = &changed;
	if (!change->edit(change->context, settings))
		return RESULT_REFUSED;
	/* an end time applies whether it was recorded or not (docs/api.md 6) */
	bool noted = campaign->ended_ms == campaign->ends_ms;
	const int64_t ended_ms = noted && settings->ends_ms != campaign->ends_ms ? -1 : campaign->ended_ms;
	enum result result = store_change_one(
	    store, &sql_update_campaign, db_time(ended_ms) CAMPAIGN_SETTINGS(SETTING_VALUE), DB_U64(campaign->id));
	/* counting stops; store_count_addresses removes the counts, piece by piece */
	if (result == RESULT_OK && settings->max_per_ip == 0)
		result = set_ip_counted_to(store, campaign, 0);
	if (result == RESULT_OK)
		result = apply_request(store, campaign->id, settings->request);
	return result == RESULT_OK && slice_present(change->count_by)
		   ? queue_count(store, pool, campaign, settings->max_per_ip, change->count_by, count)
		   : result;
}

enum result
store_edit_campaign(struct store *store, const struct precondition *precondition, uint64_t id, struct campaign_change *change)
{
	struct campaign campaign;
	struct queued_job count = { .token = store_new_token() };
	struct transaction txn = store_transaction(store, REPEAT_UNKNOWN);
	while (store_runs(&txn)) {
		count.id = txn.unknown ? count.id : 0;
		txn.result = lock_campaign(store, txn.pool, precondition, id, &campaign);
		if (txn.result == RESULT_OK)
			txn.result = edit_campaign(store, txn.pool, &campaign, change, &count);
	}
	change->job_id = count.id;
	return txn.result;
}

/* Leads, or rows of counts, per transaction: sign-ups wait for it. */
enum { ADDRESSES_AT_ONCE = 10000 };

/* *left: there may be more of them. */
static enum result
remove_addresses(struct store *store, uint64_t campaign_id, bool *left)
{
	uint64_t removed = 0;
	enum result result =
	    db_execute(store->db, &sql_delete_addresses, &DB_VALUES(DB_U64(campaign_id), DB_U64(ADDRESSES_AT_ONCE)), &removed);
	*left = removed == ADDRESSES_AT_ONCE;
	return result;
}

static enum result
count_piece(struct store *store, const struct campaign *campaign, bool *done)
{
	uint64_t end = (uint64_t)campaign->ip_counted_to + ADDRESSES_AT_ONCE;
	uint32_t to = end < campaign->last_subscription_number ? (uint32_t)end : IP_COUNTED_ALL;
	enum result result =
	    store_run(store, &sql_count_addresses, DB_U64(campaign->id), DB_U64(campaign->ip_counted_to), DB_U64(to));
	*done = to == IP_COUNTED_ALL;
	return result == RESULT_OK ? set_ip_counted_to(store, campaign, to) : result;
}

/* The work depends only on the rows: any process may continue it, even two at once. */
static enum result
count_addresses(struct store *store, struct pool *pool, uint64_t campaign_id, bool *done)
{
	struct campaign campaign;
	int64_t now_ms;
	bool left = false;
	enum result result = store_lock_counters(store, pool, campaign_id);
	if (result == RESULT_OK)
		result = store_find_campaign(store, pool, campaign_id, &campaign, &now_ms);
	/* done even before counting begins: an earlier removal may have been killed */
	if (result == RESULT_OK && campaign.ip_counted_to == 0)
		result = remove_addresses(store, campaign_id, &left);
	if (result != RESULT_OK)
		return result;
	*done = !left && (campaign.max_per_ip == 0 || campaign.ip_counted_to == IP_COUNTED_ALL);
	return left || *done ? RESULT_OK : count_piece(store, &campaign, done);
}

enum result
store_count_addresses(struct store *store, uint64_t campaign_id, bool *done)
{
	*done = false;
	struct transaction txn = store_transaction(store, REPEAT_UNKNOWN);
	while (store_runs(&txn))
		txn.result = count_addresses(store, txn.pool, campaign_id, done);
	return txn.result;
}

static enum result
request_campaign(struct store *store, const struct precondition *precondition, uint64_t id, enum campaign_request request)
{
	struct transaction txn = store_transaction(store, REPEAT_UNKNOWN);
	while (store_runs(&txn)) {
		/* after this, no sign-up is under way with the old state */
		txn.result = store_lock_settings(store, id, precondition);
		if (txn.result == RESULT_OK)
			txn.result = apply_request(store, id, request);
	}
	return txn.result;
}

enum result
store_end_campaign(struct store *store, const struct precondition *precondition, uint64_t id)
{
	return request_campaign(store, precondition, id, CAMPAIGN_ENDS);
}

enum result
store_reopen_campaign(struct store *store, const struct precondition *precondition, uint64_t id)
{
	return request_campaign(store, precondition, id, CAMPAIGN_OPENS);
}
