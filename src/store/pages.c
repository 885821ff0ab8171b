/* SPDX-License-Identifier: MIT
 * Pages of a campaign's leads, by subscription number: as lists show them, and as exports write them. */
#include "store/query.h"
#include "store/rows.h"
#include "store/state.h"
#include "store/statements.h"

/* The index is forced: with a wrong one the cost would grow with the campaign. */
#define SELECT_PAGE(columns)                                                                         \
	"SELECT " columns " FROM {prefix}leads l FORCE INDEX (by_number)"                            \
	" LEFT JOIN {prefix}leads p ON p.id = l.parent_id"                                           \
	" WHERE l.campaign_id = ? AND l.subscription_number > ? AND l.subscription_number < ?"       \
	" AND (? < 0 OR (l.verified_email OR l.verified_phone) = ?) AND (? < 0 OR l.waitlisted = ?)" \
	" AND (? < 0 OR l.fraudulent = ?) AND (? < 0 OR l.opted_out = ?)"                            \
	" AND (? = 0 OR FIND_IN_SET(?, l.tag_ids)) AND l.created_ms >= ?"                            \
	" ORDER BY l.subscription_number"                                                            \
	" LIMIT ?"

DB_STATEMENT(sql_select_number_after, "SELECT subscription_number"
				      " FROM {prefix}leads FORCE INDEX (by_number)"
				      " WHERE campaign_id = ? AND subscription_number > ?"
				      " ORDER BY subscription_number"
				      " LIMIT 1 OFFSET ?");
DB_STATEMENT(sql_select_page, SELECT_PAGE(SHOWN_COLUMNS));
DB_STATEMENT(sql_select_exported, SELECT_PAGE(LEAD_COLUMNS ", l.signup_url"));
DB_STATEMENT(sql_select_exported_names, SELECT_PAGE("l.subscription_number, l.custom_fields, l.utm"));

store_statement_list sql_of_pages = { &sql_select_number_after, &sql_select_page, &sql_select_exported,
	&sql_select_exported_names, NULL };

enum { NAMES_SUBSCRIPTION_NUMBER, NAMES_CUSTOM_FIELDS, NAMES_UTM };

/* Zero, absent and -1 filters let every lead pass. */
static bool
is_filtered(const struct lead_filter *f)
{
	return f->verified >= 0 || f->waitlisted >= 0 || f->fraudulent >= 0 || f->opted_out >= 0 || f->tag_id != 0 ||
	       f->since_ms > 0;
}

/* The first number that the page does not examine, 0: it is the last page. Without a filter, the page's limit is enough. */
static enum result
find_end(struct store *store, struct pool *pool, uint64_t campaign_id, const struct lead_filter *f, uint32_t *end)
{
	struct db_rows next;
	*end = 0;
	if (!is_filtered(f))
		return RESULT_OK;
	enum result result = store_query(
	    store, pool, &next, &sql_select_number_after, DB_U64(campaign_id), DB_U64(f->after), DB_U64(LEAD_PAGE_ROWS_MAX));
	if (next.count > 0)
		*end = store_get_u32(&next, 0, 0);
	return result;
}

typedef struct lead read_row(const struct db_rows *rows, size_t row);

static enum result
read_page(struct store *store, struct pool *pool, uint64_t campaign_id, const struct lead_filter *f,
    const struct db_statement *statement, read_row *read, struct lead_page *page)
{
	struct db_rows rows;
	uint32_t end;
	enum result result = find_end(store, pool, campaign_id, f, &end);
	if (result != RESULT_OK)
		return result;
	result = store_query(store, pool, &rows, statement, DB_U64(campaign_id), DB_U64(f->after),
	    DB_U64(end == 0 ? UINT64_C(1) << 32 : end), /* numbers have 32 bits */
	    DB_I64(f->verified), DB_I64(f->verified), DB_I64(f->waitlisted), DB_I64(f->waitlisted), DB_I64(f->fraudulent),
	    DB_I64(f->fraudulent), DB_I64(f->opted_out), DB_I64(f->opted_out), DB_U64(f->tag_id), DB_U64(f->tag_id),
	    DB_I64(f->since_ms), DB_U64(f->limit + 1));
	const size_t count = rows.count > f->limit ? f->limit : rows.count;
	*page = (struct lead_page){ POOL_ARRAY(pool, count, struct lead), count, end == 0 ? 0 : end - 1 };
	for (size_t i = 0; i < count; i++)
		page->leads[i] = read(&rows, i);
	if (rows.count > f->limit)
		page->next = count == 0 ? 0 : page->leads[count - 1].subscription_number;
	return result;
}

enum result
store_list_leads(
    struct store *store, struct pool *pool, uint64_t campaign_id, const struct lead_filter *filter, struct lead_page *page)
{
	return read_page(store, pool, campaign_id, filter, &sql_select_page, store_shown_lead_from_row, page);
}

static struct lead
exported_lead(const struct db_rows *rows, size_t row)
{
	struct lead lead = store_lead_from_row(rows, row);
	lead.signup_url = db_get_bytes(rows, row, LEAD_signup_url);
	return lead;
}

static struct lead
exported_names(const struct db_rows *rows, size_t row)
{
	return (struct lead){
		.subscription_number = store_get_u32(rows, row, NAMES_SUBSCRIPTION_NUMBER),
		.custom_fields = db_get_bytes(rows, row, NAMES_CUSTOM_FIELDS),
		.utm = db_get_bytes(rows, row, NAMES_UTM),
	};
}

enum result
store_export_leads(struct store *store, struct pool *pool, uint64_t campaign_id, const struct lead_filter *filter,
    bool names_only, struct lead_page *page)
{
	return names_only ? read_page(store, pool, campaign_id, filter, &sql_select_exported_names, exported_names, page)
			  : read_page(store, pool, campaign_id, filter, &sql_select_exported, exported_lead, page);
}
