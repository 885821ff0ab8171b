/* SPDX-License-Identifier: MIT */
#include "store/operator/sealing.h"

#include <inttypes.h>

#include "store/query.h"
#include "store/secrets.h"
#include "store/statements.h"
#include "store/transaction.h"

DB_STATEMENT(sql_select_installation_secret,
    "SELECT 0, value FROM {prefix}installation WHERE name = 'server_secret' AND 0 >= ? LIMIT ?");
DB_STATEMENT(sql_seal_installation_secret,
    "UPDATE {prefix}installation SET value = ? WHERE name = 'server_secret' AND 0 = ? AND value = ?");
#define SELECT_SECRETS(table, column) "SELECT id, " column " FROM {prefix}" table " WHERE id >= ? ORDER BY id LIMIT ?"
#define SEAL(table, column) "UPDATE {prefix}" table " SET " column " = ? WHERE id = ? AND " column " = ?"
DB_STATEMENT(sql_select_secrets, SELECT_SECRETS("webhooks", "secret"));
DB_STATEMENT(sql_seal_secret, SEAL("webhooks", "secret"));
DB_STATEMENT(sql_select_previous_secrets, SELECT_SECRETS("webhooks", "previous_secret"));
DB_STATEMENT(sql_seal_previous_secret, SEAL("webhooks", "previous_secret"));
DB_STATEMENT(sql_select_urls, SELECT_SECRETS("webhooks", "url"));
DB_STATEMENT(sql_seal_url, SEAL("webhooks", "url"));
DB_STATEMENT(sql_select_totp_secrets, SELECT_SECRETS("users", "totp_secret"));
DB_STATEMENT(sql_seal_totp_secret, SEAL("users", "totp_secret"));

/* Columns with secrets. `select` returns ids, from its first value on, with the stored texts. `update` takes the sealed text,
 * the id and the stored text, and changes nothing if that has changed in the meantime. The secret of the installation comes
 * first: once it is sealed, all programs seal the others. */
static const struct {
	const char *column; /* as in struct seal_place */
	const struct db_statement *select, *update;
} columns[] = {
	{ "installation.server_secret", &sql_select_installation_secret, &sql_seal_installation_secret },
	{ "webhooks.secret", &sql_select_secrets, &sql_seal_secret },
	{ "webhooks.secret", &sql_select_previous_secrets, &sql_seal_previous_secret },
	{ "webhooks.url", &sql_select_urls, &sql_seal_url },
	{ "users.totp_secret", &sql_select_totp_secrets, &sql_seal_totp_secret },
};

enum { SECRET_ID, SECRET_STORED };
enum { PAGE_ROWS = 200 };

/* A piece of a column. */
struct page {
	struct db_rows rows;
	uint64_t next; /* id at which the next page begins */
	bool last;
};

static enum result
read_page(struct store *store, struct pool *pool, const struct db_statement *select, uint64_t from, struct page *page)
{
	enum result result = store_query(store, pool, &page->rows, select, DB_U64(from), DB_U64(PAGE_ROWS));
	if (result != RESULT_OK)
		return result;
	page->last = page->rows.count < PAGE_ROWS;
	page->next = page->last ? 0 : db_get_u64(&page->rows, PAGE_ROWS - 1, SECRET_ID) + 1;
	return RESULT_OK;
}

static void
count_secret(struct store *store, struct pool *pool, struct seal_place place, struct slice stored, struct secret_counts *counts)
{
	struct slice text;
	switch (seal_open(store->secrets_keys, pool, place, stored, &text)) {
	case SEAL_PLAIN:
		counts->plain++;
		return;
	case SEAL_OPENED:
		counts->old += !seal_is_current(store->secrets_keys, stored);
		counts->sealed += seal_is_current(store->secrets_keys, stored);
		return;
	case SEAL_UNKNOWN_KEY:
	case SEAL_DAMAGED:
		break;
	}
	if (counts->unreadable++ == 0)
		counts->first_unreadable =
		    pool_printf(pool, "%s %" PRIu64 " (key %.*s)", place.column, place.id, SLICE_ARGS(seal_key_of(stored)));
}

enum result
store_count_secrets(struct store *store, struct pool *pool, struct secret_counts *counts)
{
	enum result result = RESULT_OK;
	*counts = (struct secret_counts){ .first_unreadable = SLICE_NONE };
	for (size_t i = 0; i < ARRAY_SIZE(columns); i++) {
		struct page page = { .last = false };
		while (result == RESULT_OK && !page.last) {
			result = read_page(store, pool, columns[i].select, page.next, &page);
			for (size_t row = 0; result == RESULT_OK && row < page.rows.count; row++)
				if (!db_is_null(&page.rows, row, SECRET_STORED))
					count_secret(store, pool,
					    (struct seal_place){ columns[i].column, db_get_u64(&page.rows, row, SECRET_ID) },
					    db_get_bytes(&page.rows, row, SECRET_STORED), counts);
		}
	}
	return result;
}

bool
store_has_secrets_key(const struct store *store)
{
	return seal_has_key(store->secrets_keys);
}

/* Seals a row if it is readable and not sealed with the first key. */
static enum result
seal_row(struct store *store, struct pool *pool, size_t column, const struct db_rows *rows, size_t row, uint64_t *changed)
{
	const struct seal_place place = { columns[column].column, db_get_u64(rows, row, SECRET_ID) };
	const struct slice stored = db_get_bytes(rows, row, SECRET_STORED);
	struct slice text;
	if (db_is_null(rows, row, SECRET_STORED) || seal_is_current(store->secrets_keys, stored))
		return RESULT_OK;
	const enum seal_result opened = seal_open(store->secrets_keys, pool, place, stored, &text);
	if (opened != SEAL_OPENED && opened != SEAL_PLAIN)
		return RESULT_OK;
	const struct slice sealed = seal(store->secrets_keys, pool, place, text);
	const enum result result =
	    store_change_one(store, columns[column].update, db_bytes(sealed), DB_U64(place.id), db_bytes(stored));
	*changed += result == RESULT_OK;
	return result == RESULT_NOT_FOUND ? RESULT_OK : result; /* it was changed or removed in the meantime */
}

static enum result
seal_page(struct store *store, struct pool *pool, size_t column, struct page *page, uint64_t *changed)
{
	enum result result = read_page(store, pool, columns[column].select, page->next, page);
	for (size_t row = 0; result == RESULT_OK && row < page->rows.count; row++)
		result = seal_row(store, pool, column, &page->rows, row, changed);
	return result;
}

/* Seals the next piece of a column in a transaction. */
static enum result
seal_next(struct store *store, size_t column, struct page *page, uint64_t *changed)
{
	const struct page before = *page;
	uint64_t sealed = 0;
	struct transaction txn = store_transaction(store, REPEAT_UNKNOWN);
	while (store_runs(&txn)) {
		*page = before;
		sealed = 0;
		txn.result = seal_page(store, txn.pool, column, page, &sealed);
	}
	*changed += txn.result == RESULT_OK ? sealed : 0;
	return txn.result;
}

enum result
store_seal_secrets(struct store *store, uint64_t *changed)
{
	enum result result = RESULT_OK;
	*changed = 0;
	for (size_t i = 0; i < ARRAY_SIZE(columns); i++) {
		struct page page = { .last = false };
		while (result == RESULT_OK && !page.last)
			result = seal_next(store, i, &page, changed);
	}
	return result;
}
