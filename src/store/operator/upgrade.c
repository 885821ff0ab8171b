/* SPDX-License-Identifier: MIT
 * Applies the schema files, and checks that the program's statements fit the schema. */
#include "store/operator/upgrade.h"

#include <string.h>

#include "os/log.h"
#include "os/random.h"
#include "store/query.h"
#include "store/queue/partitions.h"
#include "store/schema.h"
#include "store/schema_steps.h"
#include "store/secrets.h"
#include "store/state.h"
#include "store/statements.h"
#include "store/transaction.h"

DB_STATEMENT(
    sql_insert_installation, "INSERT IGNORE INTO {prefix}installation (name, value) VALUES {each}(?, ?){between}, {end}");
DB_STATEMENT(sql_insert_schema_version, "INSERT IGNORE INTO {prefix}schema_version (version, applied_ms) VALUES (?, " NOW ")");

enum { INSTALLATION_ID_BYTES = 6, SERVER_SECRET_BYTES = 32 };

/* The server may roll back a change of rows in favour of a change by the programs, so it is repeated like a transaction. */
static enum result
run_text(struct store *store, struct slice text)
{
	enum result result = db_run_text(store->db, text);
	for (unsigned attempt = 1; attempt < STORE_ATTEMPTS && result == RESULT_CONFLICT; attempt++) {
		store_back_off(attempt);
		result = db_run_text(store->db, text);
	}
	return result;
}

/* Runs the statements of a file one by one: DDL commits by itself, so some of them may already be done after a kill. */
static enum result
run_step(struct store *store, const struct schema_step *step)
{
	enum result result = RESULT_OK;
	const char *at = step->text, *end;
	while (result == RESULT_OK && (end = strstr(at, ";\n")) != NULL) {
		result = run_text(store, (struct slice){ at, (size_t)(end - at) });
		at = end + 2;
	}
	return result == RESULT_OK ? store_run(store, &sql_insert_schema_version, DB_U64(step->version)) : result;
}

/* Inserted once: later runs do not change it. */
static enum result
make_installation(struct store *store)
{
	struct pool *pool = pool_new();
	unsigned char secret[SERVER_SECRET_BYTES];
	uint64_t id;
	random_bytes(secret, sizeof(secret));
	random_bytes(&id, sizeof(id));
	struct slice stored = { (const char *)secret, sizeof(secret) };
	if (seal_has_key(store->secrets_keys))
		stored = seal(store->secrets_keys, pool, SECRET_OF_INSTALLATION, stored);
	struct db_value rows[] = {
		db_bytes(SLICE("installation_id")),
		db_bytes(pool_printf(pool, "%012llx", (unsigned long long)(id >> (64 - 8 * INSTALLATION_ID_BYTES)))),
		db_bytes(SLICE("server_secret")),
		db_bytes(stored),
	};
	enum result result = db_execute_rows(store->db, &sql_insert_installation, rows, 2, 2);
	explicit_bzero(secret, sizeof(secret));
	pool_free(&pool);
	return result;
}

/* Rows of days that passed without maintenance move into their partitions. */
static enum result
make_days(struct store *store)
{
	struct pool *pool = pool_new();
	struct history_days days;
	enum result result = store_read_days(store, pool, &days);
	if (result == RESULT_OK)
		result = store_make_days(store, pool, &days);
	pool_free(&pool);
	return result;
}

enum result
store_upgrade(struct store *store, uint32_t *from)
{
	enum result result = store_read_version(store, from);
	if (result == RESULT_OK && *from > store_schema_wanted())
		result = RESULT_WRONG_SCHEMA;
	if (result != RESULT_OK)
		return result;
	const unsigned ordinary_timeout_s = store_set_answer_timeout(store, STORE_LONG_TIMEOUT_S);
	for (const struct schema_step *step = schema_steps; step->version != 0 && result == RESULT_OK; step++)
		if (step->version > *from) {
			log_info("schema_step", LOG_STR("file", step->name));
			result = run_step(store, step);
		}
	if (result == RESULT_OK)
		result = make_installation(store);
	if (result == RESULT_OK)
		result = make_days(store);
	store_set_answer_timeout(store, ordinary_timeout_s);
	return result;
}

enum result
store_check_statements(struct store *store, const char **failed)
{
	size_t count;
	const struct db_statement *statements = db_statements(&count);
	enum result result = RESULT_OK;
	for (size_t i = 0; i < count && result == RESULT_OK; i++) {
		*failed = statements[i].name;
		result = db_check_statement(store->db, &statements[i]);
	}
	return result;
}
