/* SPDX-License-Identifier: MIT */
#include "store/schema.h"

#include <inttypes.h>

#include "os/log.h"
#include "store/query.h"
#include "store/schema_steps.h"
#include "store/state.h"
#include "store/statements.h"

DB_STATEMENT(sql_count_version_table, "SELECT COUNT(*)"
				      " FROM information_schema.TABLES"
				      " WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = '{prefix}schema_version'");
DB_STATEMENT(sql_select_schema_version, "SELECT CAST(COALESCE(MAX(version), 0) AS UNSIGNED) FROM {prefix}schema_version");
DB_STATEMENT(sql_select_oldest_programs, "SELECT 1 FROM {prefix}installation WHERE name = ? AND CAST(value AS UNSIGNED) <= ?");

uint32_t
store_schema_wanted(void)
{
	uint32_t version = 0;
	for (const struct schema_step *step = schema_steps; step->version != 0; step++)
		version = step->version;
	return version;
}

const char *
store_schema_hint(uint32_t found)
{
	return found == 0                      ? "run leadhook install"
	       : found < store_schema_wanted() ? "run leadhook upgrade"
					       : "install the newer version of Leadhook that made these tables";
}

enum result
store_read_version(struct store *store, uint32_t *version)
{
	uint64_t number = 0;
	enum result result = store_read_number(store, &number, &sql_count_version_table);
	if (result == RESULT_OK && number > 0)
		result = store_read_number(store, &number, &sql_select_schema_version);
	*version = result == RESULT_OK ? (uint32_t)number : 0;
	return result;
}

/* RESULT_OK: the last step of a newer version supports this program. RESULT_NOT_FOUND: it does not. */
static enum result
find_oldest_programs(struct store *store, uint32_t version)
{
	struct pool *pool = pool_new();
	const struct slice name = pool_printf(pool, "oldest_programs_%" PRIu32, version);
	enum result result = store_exists(store, &sql_select_oldest_programs, db_bytes(name), DB_U64(store_schema_wanted()));
	pool_free(&pool);
	return result;
}

enum result
store_ready(struct store *store, uint32_t *found)
{
	enum result result = store_read_version(store, found);
	if (result == RESULT_OK && *found > store_schema_wanted())
		result = find_oldest_programs(store, *found);
	else if (result == RESULT_OK && *found < store_schema_wanted())
		result = RESULT_WRONG_SCHEMA;
	return result == RESULT_NOT_FOUND ? RESULT_WRONG_SCHEMA : result;
}

enum result
store_demand_schema(struct store *store)
{
	uint32_t found;
	enum result result = store_ready(store, &found);
	if (result == RESULT_WRONG_SCHEMA && !store->schema_logged) {
		log_error("wrong_schema", LOG_UINT("found", found), LOG_UINT("wanted", store_schema_wanted()),
		    LOG_STR("hint", store_schema_hint(found)));
		store->schema_logged = true;
	}
	return result;
}
