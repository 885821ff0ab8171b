/* SPDX-License-Identifier: MIT */
#include "asked.h"

#include <string.h>

#include "planted.h"

const struct asked asked[SQL_COUNT] = {
	[SQL_LOCK_ID_BLOCK] = { "b", "" },
	[SQL_MOVE_ID_BLOCK] = { "b", "" },
	[SQL_SELECT_INSTALLATION] = { "f", "" },
	[SQL_SELECT_KEY] = { "k", "" },
	[SQL_TOUCH_KEY] = { "1>", "" },
	[SQL_SELECT_TOKEN] = { "c", "" },
	[SQL_SELECT_MARK_EVENT] = { "v", "" },
	[SQL_LOCK_COUNTERS] = { "", "1" },
	[SQL_LOCK_FREE_COUNTERS] = { "", "1" },
	[SQL_SELECT_COUNTERS] = { "", "1" },
	[SQL_SELECT_CAMPAIGNS] = { "", "1" },
	[SQL_SELECT_SUBSCRIPTIONS] = { "", "1" },
	[SQL_SELECT_DEFINITIONS] = { "", "111" },
	[SQL_LOCK_JOBS] = { "", "1" },
	[SQL_LOAD_LEADS_BY_EMAIL] = { "", "e" },
	[SQL_LOAD_LEADS_BY_PHONE] = { "", "p" },
	[SQL_LOAD_LEADS_BY_SOCIAL_ID] = { "", "s" },
	[SQL_LOAD_LEADS_BY_ID] = { "", "l" },
	[SQL_SELECT_LINKS] = { "", "l" },
	[SQL_SELECT_IP_LEADS] = { "", "1i" },
	[SQL_SELECT_HISTOGRAM] = { "", "n" },
	[SQL_SELECT_HISTOGRAM_AND_VERSION] = { "1", "n" },
	[SQL_DELETE_LEAD] = { "l", "" },
	[SQL_FREE_IDENTITIES] = { "l", "" },
	[SQL_UPDATE_LINK] = { "l<", "" },
	[SQL_NOTE_JOB_SERVED] = { "1", "" },
	[SQL_MOVE_JOB] = { "1<", "" },
	[SQL_DELETE_JOB] = { "1<", "" },
	[SQL_SELECT_CAMPAIGN] = { "1", "" },
	[SQL_SELECT_CAMPAIGNS_OF_ACCOUNT] = { "1", "" },
	[SQL_SELECT_ALL_CAMPAIGNS] = { "", "" },
	[SQL_LOOK_UP_BY_EMAIL] = { "", "e" },
	[SQL_LOOK_UP_BY_PHONE] = { "", "p" },
	[SQL_LOOK_UP_BY_SOCIAL_ID] = { "", "s" },
	[SQL_LOOK_UP_BY_ID] = { "", "l" },
	[SQL_SELECT_STATE] = { "1", "" },
	[SQL_SELECT_LEADS_BY_NUMBER] = { "1##", "" },
	[SQL_SELECT_NUMBER_BEHIND] = { "1##", "" },
	[SQL_SELECT_FILTERED_LEADS] = { "1<>********<<<#", "" },
	[SQL_SELECT_LEADERS] = { "1#", "" },
	[SQL_SELECT_DEFINITIONS_OF_CAMPAIGN] = { "111", "" },
	[SQL_SELECT_LEAD_IDS] = { "", "epsl" },
	[SQL_SELECT_NEXT_JOB] = { "", "" },
	[SQL_DELAY_JOB] = { "1<<", "" },
	[SQL_SKIP_JOB_ITEM] = { "1<", "" },
	[SQL_DELETE_JOB_AT_END] = { "1", "" },
	[SQL_LOCK_CAMPAIGN] = { "1", "" },
	[SQL_LOCK_SETTINGS] = { "1", "" },
	[SQL_SELECT_CAMPAIGN_OF_WEBHOOK] = { "w", "" },
	[SQL_SELECT_WEBHOOK_BY_URL] = { "1h", "" },
	[SQL_COUNT_WEBHOOKS] = { "1", "" },
	[SQL_UPDATE_WEBHOOK] = { "w", "" },
	[SQL_SELECT_WEBHOOK] = { "w", "" },
	[SQL_COUNT_DUE_OF_WEBHOOK] = { "Sw", "" },
	[SQL_SET_WEBHOOK] = { "w", "" },
	[SQL_ENABLE_WEBHOOK] = { "w", "" },
	[SQL_CLEAR_WEBHOOK_STATUS] = { "w", "" },
	[SQL_ROTATE_SECRET] = { "wt", "" },
	[SQL_DELETE_WEBHOOK] = { "w", "" },
	[SQL_DELETE_WEBHOOK_STATUS] = { "w", "" },
	[SQL_SELECT_WEBHOOKS] = { "1", "" },
	[SQL_LEASE_SHARDS] = { "t", "" },
	[SQL_SELECT_LEASED_SHARDS] = { "t", "" },
	[SQL_RELEASE_SHARDS] = { "t", "" },
	[SQL_SELECT_CLAIMED_WEBHOOKS] = { "#", "S" },
	[SQL_SELECT_CLAIMS] = { "Sw#tt", "" },
	[SQL_RELEASE_CLAIMS] = { "tt", "d" },
	[SQL_SELECT_WORK] = { "", "" },
	[SQL_SELECT_DUE_WEBHOOKS] = { "", "S" },
	[SQL_SELECT_NEWEST_DUE] = { "", "S" },
	[SQL_SELECT_DUE_ROWS] = { "Sw##", "" },
	[SQL_CLAIM_DUE] = { "", "d" },
	[SQL_SELECT_CLAIMED] = { "t", "d" },
	[SQL_SELECT_DESTINATIONS] = { "", "w" },
	[SQL_LOCK_CLAIMED] = { "", "d" },
	[SQL_DELETE_DUE] = { "d", "" },
	[SQL_UNCLAIM_DUE] = { "dt", "" },
	[SQL_DISABLE_WEBHOOK] = { "w", "" },
	[SQL_CLOSE_WEBHOOK] = { "sw", "" },
	[SQL_SELECT_DUE_OF_WEBHOOK] = { "Sw#", "" },
	[SQL_SELECT_DUE_OF_OLD_DAYS] = { ">>#", "" },
	[SQL_FIND_DUE_OF_OLD_DAYS] = { ">>", "" },
	[SQL_LOCK_DUE] = { "d", "" },
	[SQL_HOLD_WEBHOOK_OF] = { "d", "" },
	[SQL_FAIL_DUE] = { "", "d" },
	[SQL_NOTE_ENDED_CAMPAIGNS] = { "", "" },
	[SQL_DELETE_OLD_TOKENS] = { "1#", "" },
	[SQL_SELECT_DELETED_LEADS] = { "#", "" },
	[SQL_SELECT_SCORE_ENTRIES] = { "", "l" },
	[SQL_DELETE_SCORE_ENTRY] = { "l1<<", "" },
	[SQL_DELETE_DELETED_LEAD] = { "l", "" },
	[SQL_SELECT_HISTORY_REST] = { "#", "" },
	[SQL_SELECT_HISTORY_DAYS] = { "", "" },
	[SQL_SELECT_FIRST_EVENT] = { "<", "" },
	[SQL_COUNT_VERSION_TABLE] = { "", "" },
	[SQL_SELECT_SCHEMA_VERSION] = { "", "" },
	[SQL_SELECT_SERVER_VERSION] = { "", "" },
	[SQL_SELECT_ACCOUNTS] = { "", "" },
	[SQL_SELECT_ACCOUNT] = { "1", "" },
	[SQL_LOCK_ACCOUNT] = { "1", "" },
	[SQL_LOCK_SETTINGS_OF_ACCOUNT] = { "1", "" },
	[SQL_SUSPEND_ACCOUNT] = { "1", "" },
	[SQL_LIMIT_ACCOUNT] = { "1", "" },
	[SQL_SELECT_KEYS] = { "1", "" },
	[SQL_REVOKE_KEY] = { "1", "" },
	[SQL_UPDATE_CAMPAIGN] = { "1", "" },
	[SQL_END_CAMPAIGN] = { "1", "" },
	[SQL_REOPEN_CAMPAIGN] = { "1", "" },
	[SQL_COUNT_ADDRESSES] = { "1<#", "" },
	[SQL_DELETE_ADDRESSES] = { "1#", "" },
	[SQL_MOVE_COUNTED_ADDRESSES] = { "1<", "" },
	[SQL_SELECT_UNCOUNTED_ADDRESSES] = { "", "" },
	[SQL_UPDATE_TAG] = { "1", "" },
	[SQL_UPDATE_ACTION] = { "1", "" },
	[SQL_UPDATE_REWARD] = { "1", "" },
	[SQL_DELETE_TAG] = { "1", "" },
	[SQL_DELETE_ACTION] = { "1", "" },
	[SQL_DELETE_REWARD] = { "1", "" },
	[SQL_SELECT_CAMPAIGN_OF_TAG] = { "1", "" },
	[SQL_SELECT_CAMPAIGN_OF_ACTION] = { "1", "" },
	[SQL_SELECT_CAMPAIGN_OF_REWARD] = { "1", "" },
	[SQL_SELECT_DELIVERY_IDS] = { "<>#<>#<>##", "" },
	[SQL_SELECT_DELIVERY_IDS_OF_WEBHOOK] = { "w<>#w<>#Sw<>##", "" },
	[SQL_SELECT_EVENT_IDS_OF_LEAD] = { "s<>#", "" },
	[SQL_SELECT_DELIVERIES] = { "", "dD" },
	[SQL_SELECT_DELIVERY] = { "", "dD" },
	[SQL_SELECT_ATTEMPTS] = { "D", "" },
	[SQL_LOCK_PENDING] = { "", "d" },
	[SQL_LOCK_ENDED] = { "", "D" },
	[SQL_HURRY_DUE] = { "", "d" },
	[SQL_COUNT_ROWS] = { "", "" },
	[SQL_COUNT_DUE] = { ">>>", "" },
	[SQL_DEEP_COUNTERS] = { "", "" },
	[SQL_DEEP_SCORES] = { "", "" },
	[SQL_DEEP_HISTOGRAM] = { "", "" },
	[SQL_DEEP_REFERRALS] = { "", "" },
	[SQL_DEEP_CREDIT] = { "", "" },
	[SQL_DEEP_LINKS] = { "", "" },
	[SQL_DEEP_ADDRESSES] = { "", "" },
	[SQL_DEEP_DUE] = { "", "" },
	[SQL_DEEP_DELIVERIES] = { "<", "" },
	[SQL_DEEP_EVENTS] = { "<", "" },
	[SQL_DEEP_ENTRIES] = { "", "" },
	[SQL_DEEP_DELETED] = { "", "" },
	[SQL_DEEP_ORPHANS] = { "", "" },
};

size_t
asked_longest(enum statement statement)
{
	/* those for leads, of which a call may name many, and for nodes, of which each lead has several */
	static const enum statement long_ones[] = { SQL_LOAD_LEADS_BY_EMAIL, SQL_LOAD_LEADS_BY_PHONE,
		SQL_LOAD_LEADS_BY_SOCIAL_ID, SQL_LOAD_LEADS_BY_ID, SQL_SELECT_LEAD_IDS, SQL_SELECT_LINKS, SQL_SELECT_HISTOGRAM,
		SQL_SELECT_HISTOGRAM_AND_VERSION, SQL_SELECT_DELIVERIES };
	for (size_t i = 0; i < ARRAY_SIZE(long_ones); i++)
		if (long_ones[i] == statement)
			return DB_LIST_MAX;
	return asked[statement].lists[0] == '\0' ? 1 : BATCH_LONGEST;
}

static size_t
places_in(const char *sql)
{
	size_t count = 0;
	for (; *sql != '\0'; sql++)
		count += *sql == '?';
	return count;
}

enum result
ask_statement(struct db *db, struct pool *pool, enum statement statement, size_t size, struct db_rows *rows)
{
	const char *kinds = asked[statement].values, *lists = asked[statement].lists;
	size_t count = places_in(store_statements[statement].sql), last = strlen(kinds);
	struct db_value *values = POOL_ARRAY(pool, count, struct db_value);
	struct db_arguments arguments = { .values = values, .count = count, .list_count = strlen(lists) };
	for (size_t i = 0; i < count; i++)
		values[i] = i + last < count ? DB_U64(1) : planted_value(pool, (enum value_kind)kinds[i + last - count], 0);
	for (size_t k = 0; k < arguments.list_count; k++) {
		struct db_value *list = POOL_ARRAY(pool, size, struct db_value);
		for (size_t i = 0; i < size; i++)
			list[i] = planted_value(pool, (enum value_kind)lists[k], i);
		arguments.lists[k] = (struct db_list){ list, size };
	}
	return db_query(db, pool, statement, &arguments, rows);
}
