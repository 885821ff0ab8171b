/* SPDX-License-Identifier: MIT */
#include "store/operator/lead_names.h"

#include <stdlib.h>

#include "engine/person_name.h"
#include "store/query.h"
#include "store/state.h"
#include "store/statements.h"
#include "webhook/delivery.h"

DB_STATEMENT(sql_select_lead_names, "SELECT id, social_id, email, phone, custom_fields"
				    " FROM {prefix}leads FORCE INDEX (PRIMARY)"
				    " WHERE id IN ({list})"
				    " ORDER BY id");

enum { NAMED_ID, NAMED_SOCIAL_ID, NAMED_EMAIL, NAMED_PHONE, NAMED_CUSTOM_FIELDS };

/* `pool` outlives the rows. */
static struct lead_name
name_from_row(struct pool *pool, const struct db_rows *rows, size_t row)
{
	const struct lead lead = {
		.id = db_get_u64(rows, row, NAMED_ID),
		.email = db_get_bytes(rows, row, NAMED_EMAIL),
		.phone = db_get_bytes(rows, row, NAMED_PHONE),
		.custom_fields = db_get_bytes(rows, row, NAMED_CUSTOM_FIELDS),
	};
	struct pool *temporary = pool_new();
	const struct lead_name name = {
		.id = lead.id,
		.social_id = pool_copy(pool, db_get_bytes(rows, row, NAMED_SOCIAL_ID)),
		.display_name = pool_copy(pool, person_display_name(temporary, &lead)),
		.email = pool_copy(pool, lead.email),
	};
	pool_free(&temporary);
	return name;
}

/* Custom fields are read piece by piece: a list may be long. */
enum result
store_name_leads(struct store *store, struct pool *pool, uint64_t *ids, size_t count, struct lead_names *names)
{
	const struct db_list all = store_id_list(pool, ids, count);
	enum result result = RESULT_OK;
	*names = (struct lead_names){ .names = POOL_ARRAY(pool, all.count, struct lead_name) };
	for (size_t from = 0; from < all.count && result == RESULT_OK; from += DB_LIST_MAX) {
		const struct db_arguments arguments = { .lists = { store_list_piece(all, from) }, .list_count = 1 };
		struct pool *piece = pool_new();
		struct db_rows rows;
		result = db_query(store->db, piece, &sql_select_lead_names, &arguments, &rows);
		for (size_t i = 0; i < rows.count; i++)
			names->names[names->count++] = name_from_row(pool, &rows, i);
		pool_free(&piece);
	}
	return result;
}

const struct lead_name *
lead_name_of(const struct lead_names *names, uint64_t id)
{
	return names->count == 0 ? NULL : bsearch(&id, names->names, names->count, sizeof(struct lead_name), compare_ids);
}
