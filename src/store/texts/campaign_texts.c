/* SPDX-License-Identifier: MIT */
#include "store/texts/campaign_texts.h"

#include "store/query.h"
#include "store/statements.h"
#include "store/transaction.h"

DB_STATEMENT(sql_select_texts, "SELECT name, language, value"
			       " FROM {prefix}campaign_texts"
			       " WHERE campaign_id = ? AND name LIKE ?"
			       " ORDER BY name, language");
DB_STATEMENT(sql_put_text, "INSERT INTO {prefix}campaign_texts (campaign_id, name, language, value)"
			   " VALUES (?, ?, ?, ?)"
			   " ON DUPLICATE KEY UPDATE value = VALUES(value)");
DB_STATEMENT(sql_delete_text, "DELETE FROM {prefix}campaign_texts WHERE campaign_id = ? AND name = ? AND language = ?");

DB_STATEMENT(sql_count_consents,
    "SELECT COUNT(*) FROM {prefix}campaign_texts WHERE campaign_id = ? AND name LIKE '" CONSENT_PREFIX "%'");

enum { NAME, LANGUAGE, VALUE };

enum result
store_read_texts(
    struct store *store, struct pool *pool, uint64_t campaign_id, struct slice prefix, struct campaign_texts *texts)
{
	struct db_rows rows;
	const struct slice pattern = POOL_JOIN(pool, prefix, SLICE("%"));
	const enum result result = store_query(store, pool, &rows, &sql_select_texts, DB_U64(campaign_id), db_bytes(pattern));
	texts->count = result == RESULT_OK ? rows.count : 0;
	texts->list = POOL_ARRAY(pool, texts->count, struct campaign_text);
	for (size_t i = 0; i < texts->count; i++)
		texts->list[i] = (struct campaign_text){ db_get_bytes(&rows, i, NAME), db_get_bytes(&rows, i, LANGUAGE),
			db_get_bytes(&rows, i, VALUE) };
	return result;
}

static bool
is_replaced(const struct campaign_text *text, const struct campaign_texts *drafts)
{
	for (size_t i = 0; i < drafts->count; i++) {
		const struct campaign_text *draft = &drafts->list[i];
		if (slice_equal(draft->name, text->name) &&
		    (draft->language.size == 0 || slice_equal(draft->language, text->language)))
			return true;
	}
	return false;
}

enum result
store_read_draft_texts(struct store *store, struct pool *pool, uint64_t campaign_id, struct slice prefix,
    const struct campaign_texts *drafts, struct campaign_texts *texts)
{
	struct campaign_texts stored;
	if (drafts == NULL)
		return store_read_texts(store, pool, campaign_id, prefix, texts);
	const enum result result = store_read_texts(store, pool, campaign_id, prefix, &stored);
	*texts = (struct campaign_texts){ POOL_ARRAY(pool, stored.count + drafts->count, struct campaign_text), 0 };
	for (size_t i = 0; i < stored.count; i++)
		if (!is_replaced(&stored.list[i], drafts))
			texts->list[texts->count++] = stored.list[i];
	for (size_t i = 0; i < drafts->count; i++) {
		const struct campaign_texts later = { drafts->list + i + 1, drafts->count - i - 1 };
		if (slice_present(drafts->list[i].value) && !is_replaced(&drafts->list[i], &later))
			texts->list[texts->count++] = drafts->list[i];
	}
	return result;
}

static bool
adds_consent(const struct campaign_texts *texts)
{
	for (size_t i = 0; i < texts->count; i++)
		if (slice_starts_with(texts->list[i].name, SLICE(CONSENT_PREFIX)) && slice_present(texts->list[i].value))
			return true;
	return false;
}

static enum result
change_text(struct store *store, uint64_t campaign_id, const struct campaign_text *text)
{
	const struct db_value campaign = DB_U64(campaign_id), name = db_bytes(text->name), language = db_bytes(text->language);
	return slice_present(text->value) ? store_run(store, &sql_put_text, campaign, name, language, db_bytes(text->value))
					  : store_run(store, &sql_delete_text, campaign, name, language);
}

enum result
store_change_texts(
    struct store *store, const struct precondition *precondition, uint64_t campaign_id, const struct text_change *change)
{
	const struct campaign_texts *texts = change->texts;
	struct campaign_texts changed;
	struct transaction txn = store_transaction(store, REPEAT_UNKNOWN);
	while (store_runs(&txn)) {
		txn.result = store_lock_settings(store, campaign_id, precondition);
		for (size_t i = 0; i < texts->count && txn.result == RESULT_OK; i++)
			txn.result = change_text(store, campaign_id, &texts->list[i]);
		if (txn.result == RESULT_OK && adds_consent(texts))
			txn.result = store_check_room(store, &sql_count_consents, campaign_id, CONSENTS_MAX + 1);
		if (txn.result == RESULT_OK)
			txn.result = store_read_texts(store, txn.pool, campaign_id, change->prefix, &changed);
		if (txn.result == RESULT_OK && !change->judge(change->context, txn.pool, &changed))
			txn.result = RESULT_REFUSED;
	}
	return txn.result;
}
