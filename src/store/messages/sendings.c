/* SPDX-License-Identifier: MIT */
#include "store/messages/sendings.h"

#include "store/query.h"
#include "store/state.h"
#include "store/statements.h"

#define SLOT NOW " DIV 300000"
#define SLOTS_OF_AN_HOUR "12"

DB_STATEMENT(sql_count_sendings, "SELECT scope_id, CAST(SUM(sent) AS UNSIGNED)"
				 " FROM {prefix}sendings FORCE INDEX (PRIMARY)"
				 " WHERE channel = ? AND scope = ? AND scope_id IN ({list}) AND slot >= " SLOT
				 " - " SLOTS_OF_AN_HOUR " GROUP BY scope_id ORDER BY scope_id");
DB_STATEMENT(sql_select_senders, "SELECT id, account_id FROM {prefix}campaigns FORCE INDEX (PRIMARY) WHERE id IN ({list})"
				 " ORDER BY id");
/* The installation's row comes first: transactions wait for each other there, and not at a later row. */
DB_STATEMENT(sql_add_sending, "INSERT INTO {prefix}sendings (channel, scope, scope_id, slot, sent)"
			      " VALUES {each}(?, ?, ?, " SLOT ", 1){between}, {end}"
			      " ON DUPLICATE KEY UPDATE sent = sent + 1");

struct slice
message_channel_name(enum message_channel channel)
{
	return channel == TEXT_CHANNEL ? SLICE("text") : SLICE("mail");
}

struct slice
sending_limit_name(enum sending_scope scope)
{
	static const struct slice names[SENDING_SCOPES + 1] = {
		[SENDINGS_OF_ALL] = SLICE("installation_limit"),
		[SENDINGS_OF_ACCOUNT] = SLICE("account_limit"),
		[SENDINGS_OF_CAMPAIGN] = SLICE("campaign_limit"),
		[SENDING_SCOPES] = SLICE_NONE,
	};
	return names[scope];
}

const char *
sending_limit_setting(enum message_channel channel, enum sending_scope scope)
{
	static const char *const settings[MESSAGE_CHANNELS][SENDING_SCOPES] = {
		[MAIL_CHANNEL] = { [SENDINGS_OF_ALL] = "mail.per_hour",
		    [SENDINGS_OF_ACCOUNT] = "mail.account_per_hour",
		    [SENDINGS_OF_CAMPAIGN] = "mail.campaign_per_hour" },
		[TEXT_CHANNEL] = { [SENDINGS_OF_ALL] = "sms.per_hour",
		    [SENDINGS_OF_ACCOUNT] = "sms.account_per_hour",
		    [SENDINGS_OF_CAMPAIGN] = "sms.campaign_per_hour" },
	};
	return settings[channel][scope];
}

static uint64_t
id_of(const struct sender_count *sender, size_t scope)
{
	const uint64_t ids[SENDING_SCOPES] = { 0, sender->account_id, sender->campaign_id };
	return ids[scope];
}

/* Each id is counted once, however many senders have it. */
static enum result
read_scope(struct store *store, struct pool *pool, enum message_channel channel, size_t scope, struct sender_count *senders,
    size_t count)
{
	uint64_t *ids = POOL_ARRAY(pool, count, uint64_t);
	struct db_rows rows;
	for (size_t i = 0; i < count; i++)
		ids[i] = id_of(&senders[i], scope);
	const enum result result = store_query_long(store, pool, &sql_count_sendings,
	    &DB_LIST_AND_VALUES(store_id_list(pool, ids, count), DB_U64(channel), DB_U64(scope)), &rows);
	for (size_t i = 0, row; i < count; i++)
		if (store_find_row(&rows, id_of(&senders[i], scope), &row))
			senders[i].sent.of[scope] = (unsigned)db_get_u64(&rows, row, 1);
	return result;
}

enum result
store_read_sendings(
    struct store *store, struct pool *pool, enum message_channel channel, struct sender_count *senders, size_t count)
{
	enum result result = RESULT_OK;
	for (size_t i = 0; i < count; i++)
		senders[i].sent = (struct sendings){ { 0 } };
	for (size_t scope = 0; scope < SENDING_SCOPES && result == RESULT_OK; scope++)
		result = read_scope(store, pool, channel, scope, senders, count);
	return result;
}

/* Account 0: the campaign was removed. */
static enum result
find_accounts(struct store *store, struct pool *pool, struct sender_count *senders, size_t count)
{
	uint64_t *ids = POOL_ARRAY(pool, count, uint64_t);
	struct db_rows rows;
	size_t row;
	for (size_t i = 0; i < count; i++)
		ids[i] = senders[i].campaign_id;
	const struct db_list list = store_id_list(pool, ids, count);
	const enum result result = store_query_lists(store, pool, &sql_select_senders, &list, 1, &rows);
	for (size_t i = 0; result == RESULT_OK && i < count; i++)
		senders[i].account_id = store_find_row(&rows, senders[i].campaign_id, &row) ? db_get_u64(&rows, row, 1) : 0;
	return result;
}

enum result
store_read_senders(
    struct store *store, struct pool *pool, enum message_channel channel, struct sender_count *senders, size_t count)
{
	const enum result result = find_accounts(store, pool, senders, count);
	return result == RESULT_OK ? store_read_sendings(store, pool, channel, senders, count) : result;
}

enum result
store_add_sending(struct store *store, enum message_channel channel, uint64_t account_id, uint64_t campaign_id)
{
	const struct db_value of_channel = DB_U64(channel);
	const struct db_value rows[SENDING_SCOPES][3] = { { of_channel, DB_U64(SENDINGS_OF_ALL), DB_U64(0) },
		{ of_channel, DB_U64(SENDINGS_OF_ACCOUNT), DB_U64(account_id) },
		{ of_channel, DB_U64(SENDINGS_OF_CAMPAIGN), DB_U64(campaign_id) } };
	return db_execute_rows(store->db, &sql_add_sending, rows[0], 3, SENDING_SCOPES);
}
