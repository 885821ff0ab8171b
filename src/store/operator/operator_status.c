/* SPDX-License-Identifier: MIT */
#include "store/operator/operator_status.h"

#include "store/query.h"
#include "store/schema.h"
#include "store/state.h"
#include "store/statements.h"

DB_STATEMENT(sql_select_version, "SELECT VERSION()");
DB_STATEMENT(sql_count_removals, "SELECT COUNT(*), CAST(COALESCE(SUM(created_ms < " NOW " - 3600000), 0) AS UNSIGNED)"
				 " FROM (SELECT created_ms FROM {prefix}erasures"
				 " UNION ALL SELECT created_ms FROM {prefix}removed_campaigns) unfinished");

enum result
store_count_removals(struct store *store, struct pool *pool, struct unfinished_removals *unfinished)
{
	struct db_rows rows;
	const enum result result = store_query(store, pool, &rows, &sql_count_removals);
	*unfinished = (struct unfinished_removals){ 0 };
	if (result == RESULT_OK)
		*unfinished = (struct unfinished_removals){ db_get_u64(&rows, 0, 0), db_get_u64(&rows, 0, 1) };
	return result;
}

enum result
store_get_status(struct store *store, struct pool *pool, struct store_status *status)
{
	struct db_rows version;
	*status = (struct store_status){ .node = NULL };
	enum result result = store_read_figures(store, pool, &status->figures);
	if (result == RESULT_OK)
		result = store_query(store, pool, &version, &sql_select_version);
	if (result == RESULT_OK)
		result = store_read_node(store, pool, &status->node);
	if (result == RESULT_OK)
		result = store_count_removals(store, pool, &status->removals);
	if (result != RESULT_OK)
		return result;
	status->server_version = db_get_bytes(&version, 0, 0);
	result = store_ready(store, &status->schema_version);
	return result == RESULT_WRONG_SCHEMA ? RESULT_OK : result; /* shown as it is */
}
