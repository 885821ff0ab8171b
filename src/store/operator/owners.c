/* SPDX-License-Identifier: MIT */
#include "store/operator/owners.h"

#include "store/query.h"
#include "store/state.h"
#include "store/statements.h"

#define COLUMNS "SELECT a.id, c.id, a.suspended_ms IS NOT NULL"
/* The owner of an object that belongs to a campaign. */
#define OF_CAMPAIGN(rows)                                                             \
	COLUMNS " FROM (" rows ") o JOIN {prefix}campaigns c ON c.id = o.campaign_id" \
		" JOIN {prefix}accounts a ON a.id = c.account_id"
#define BY_ID(table) OF_CAMPAIGN("SELECT campaign_id FROM {prefix}" table " WHERE id = ?")

DB_STATEMENT(sql_owner_of_account,
    "SELECT a.id, CAST(0 AS UNSIGNED), a.suspended_ms IS NOT NULL FROM {prefix}accounts a WHERE a.id = ?");
DB_STATEMENT(sql_owner_of_key, "SELECT a.id, CAST(0 AS UNSIGNED), a.suspended_ms IS NOT NULL FROM {prefix}api_keys k"
			       " JOIN {prefix}accounts a ON a.id = k.account_id"
			       " WHERE k.id = ?");
DB_STATEMENT(sql_owner_of_campaign, OF_CAMPAIGN("SELECT id AS campaign_id FROM {prefix}campaigns WHERE id = ?"));
DB_STATEMENT(sql_owner_of_tag, BY_ID("tags"));
DB_STATEMENT(sql_owner_of_action, BY_ID("actions"));
DB_STATEMENT(sql_owner_of_reward, BY_ID("reward_levels"));
DB_STATEMENT(sql_owner_of_webhook, BY_ID("webhooks"));
/* the webhook may have been removed; a delivery that is being sent again is in both tables */
DB_STATEMENT(sql_owner_of_delivery, OF_CAMPAIGN("SELECT e.campaign_id FROM {prefix}events e WHERE e.id = COALESCE("
						"(SELECT event_id FROM {prefix}due WHERE id = ?),"
						" (SELECT event_id FROM {prefix}deliveries WHERE id = ?))"));
DB_STATEMENT(sql_owner_of_inbound, BY_ID("inbound_webhooks"));
DB_STATEMENT(sql_owner_of_call, BY_ID("inbound_calls"));
DB_STATEMENT(sql_owner_of_mail, BY_ID("messages"));
DB_STATEMENT(sql_owner_of_user,
    "SELECT COALESCE(u.account_id, CAST(0 AS UNSIGNED)), CAST(0 AS UNSIGNED), a.suspended_ms IS NOT NULL FROM {prefix}users u"
    " LEFT JOIN {prefix}accounts a ON a.id = u.account_id"
    " WHERE u.id = ?");
DB_STATEMENT(sql_owner_of_job, "SELECT j.account_id, COALESCE(j.campaign_id, CAST(0 AS UNSIGNED)), a.suspended_ms IS NOT NULL"
			       " FROM {prefix}operator_jobs j LEFT JOIN {prefix}accounts a ON a.id = j.account_id"
			       " WHERE j.id = ?");

static const struct db_statement *const statements[OWNED_KINDS] = {
	[OWNED_ACCOUNT] = &sql_owner_of_account,
	[OWNED_KEY] = &sql_owner_of_key,
	[OWNED_CAMPAIGN] = &sql_owner_of_campaign,
	[OWNED_TAG] = &sql_owner_of_tag,
	[OWNED_ACTION] = &sql_owner_of_action,
	[OWNED_REWARD] = &sql_owner_of_reward,
	[OWNED_WEBHOOK] = &sql_owner_of_webhook,
	[OWNED_DELIVERY] = &sql_owner_of_delivery,
	[OWNED_INBOUND] = &sql_owner_of_inbound,
	[OWNED_CALL] = &sql_owner_of_call,
	[OWNED_MAIL] = &sql_owner_of_mail,
	[OWNED_USER] = &sql_owner_of_user,
	[OWNED_JOB] = &sql_owner_of_job,
};

enum { ACCOUNT_ID, CAMPAIGN_ID, SUSPENDED };

enum result
store_find_owner(struct store *store, enum owned_kind kind, uint64_t id, struct owner *owner)
{
	struct pool *pool = pool_new();
	struct db_rows rows;
	const enum result result = kind == OWNED_DELIVERY
				       ? store_query_one(store, pool, &rows, statements[kind], DB_U64(id), DB_U64(id))
				       : store_query_one(store, pool, &rows, statements[kind], DB_U64(id));
	if (result == RESULT_OK)
		*owner = (struct owner){ .account_id = db_get_u64(&rows, 0, ACCOUNT_ID),
			.campaign_id = db_get_u64(&rows, 0, CAMPAIGN_ID),
			.suspended = db_get_bool(&rows, 0, SUSPENDED) };
	pool_free(&pool);
	return result;
}
