/* SPDX-License-Identifier: MIT
 * Pages of a campaign's leads, by subscription number: as lists show them, and as exports write them. */
#include "store/query.h"
#include "store/rows.h"
#include "store/state.h"
#include "store/statements.h"

/* The names of a lead in both orders, each word after a space; of the fields of engine/payload.c. */
#define NAMES                                                                                                    \
	"CONCAT_WS(' ', '', JSON_VALUE(l.custom_fields, '$.name'), JSON_VALUE(l.custom_fields, '$.first_name')," \
	" JSON_VALUE(l.custom_fields, '$.given_name'), JSON_VALUE(l.custom_fields, '$.last_name'),"              \
	" JSON_VALUE(l.custom_fields, '$.family_name'), JSON_VALUE(l.custom_fields, '$.first_name'),"            \
	" JSON_VALUE(l.custom_fields, '$.given_name'))"

/* The index is forced: with a wrong one the cost would grow with the campaign. */
#define SELECT_PAGE(columns, order)                                                                         \
	"SELECT " columns " FROM {prefix}leads l FORCE INDEX (by_number)"                                   \
	" LEFT JOIN {prefix}leads p ON p.id = l.parent_id"                                                  \
	" WHERE l.campaign_id = ? AND l.subscription_number > ? AND l.subscription_number < ?"              \
	" AND (? < 0 OR (l.verified_email OR l.verified_phone) = ?) AND (? < 0 OR l.waitlisted = ?)"        \
	" AND (? < 0 OR l.fraudulent = ?) AND (? < 0 OR l.opted_out = ?)"                                   \
	" AND (? = 0 OR FIND_IN_SET(?, l.tag_ids)) AND l.created_ms >= ? AND l.created_ms < ?"              \
	" AND (? IS NULL OR l.source = ?)"                                                                  \
	" AND (? IS NULL OR " NAMES " COLLATE utf8mb4_unicode_ci LIKE CONVERT(? USING utf8mb4) ESCAPE '|')" \
	" ORDER BY l.subscription_number" order " LIMIT ?"

/* The number of the first row after so many. */
#define SELECT_END(condition, order)                  \
	"SELECT subscription_number"                  \
	" FROM {prefix}leads FORCE INDEX (by_number)" \
	" WHERE campaign_id = ? AND subscription_number " condition " ORDER BY subscription_number" order " LIMIT 1 OFFSET ?"

DB_STATEMENT(sql_select_number_after, SELECT_END("> ?", ""));
DB_STATEMENT(sql_select_number_before, SELECT_END("< ?", " DESC"));
DB_STATEMENT(sql_select_page, SELECT_PAGE(SHOWN_COLUMNS, ""));
DB_STATEMENT(sql_select_newest_page, SELECT_PAGE(SHOWN_COLUMNS, " DESC"));
DB_STATEMENT(sql_select_exported, SELECT_PAGE(LEAD_COLUMNS ", l.signup_url", ""));
DB_STATEMENT(sql_select_exported_names, SELECT_PAGE("l.subscription_number, l.custom_fields, l.utm", ""));

store_statement_list sql_of_pages = { &sql_select_number_after, &sql_select_number_before, &sql_select_page,
	&sql_select_newest_page, &sql_select_exported, &sql_select_exported_names, NULL };

enum { NAMES_SUBSCRIPTION_NUMBER, NAMES_CUSTOM_FIELDS, NAMES_UTM };

/* Subscription numbers have 32 bits. */
#define NUMBER_END (UINT64_C(1) << 32)

/* The numbers that a page examines: those between `low` and `high`. */
struct number_range {
	uint64_t low, high;
	uint32_t last; /* as in struct lead_filter; 0: there is nothing beyond the range */
};

/* Zero, absent and -1 filters let every lead pass. */
static bool
is_filtered(const struct lead_filter *f)
{
	return f->verified >= 0 || f->waitlisted >= 0 || f->fraudulent >= 0 || f->opted_out >= 0 || f->tag_id != 0 ||
	       f->since_ms > 0 || f->until_ms > 0 || slice_present(f->source) || slice_present(f->name);
}

/* The last number of the rows that a page may examine. Without a filter, the page's limit is enough. */
static enum result
find_last(struct store *store, struct pool *pool, uint64_t campaign_id, const struct lead_filter *f, uint32_t *last)
{
	struct db_rows beyond;
	*last = f->last;
	if (f->last != 0 || !is_filtered(f))
		return RESULT_OK;
	const struct db_value most = DB_U64(slice_present(f->name) ? LEAD_PAGE_NAMES_MAX : LEAD_PAGE_ROWS_MAX);
	enum result result = f->newest ? store_query(store, pool, &beyond, &sql_select_number_before, DB_U64(campaign_id),
					     DB_U64(f->after == 0 ? NUMBER_END : f->after), most)
				       : store_query(store, pool, &beyond, &sql_select_number_after, DB_U64(campaign_id),
					     DB_U64(f->after), most);
	if (beyond.count > 0)
		*last = f->newest ? store_get_u32(&beyond, 0, 0) + 1 : store_get_u32(&beyond, 0, 0) - 1;
	return result;
}

/* Leaves the number of the one lead that has all the identities, or none. */
static enum result
find_named(
    struct store *store, struct pool *pool, uint64_t campaign_id, const struct lead_filter *f, struct number_range *range)
{
	enum result result = RESULT_OK;
	for (size_t i = 0; i < f->identity_count && result == RESULT_OK; i++) {
		struct lead lead;
		result = store_find_lead(store, pool, campaign_id, &f->identities[i], &lead);
		if (result == RESULT_NOT_FOUND || (result == RESULT_OK && (lead.subscription_number <= range->low ||
									      lead.subscription_number >= range->high))) {
			*range = (struct number_range){ .high = 0 };
			return RESULT_OK;
		}
		if (result == RESULT_OK)
			*range = (struct number_range){ .low = lead.subscription_number - UINT64_C(1),
				.high = lead.subscription_number + UINT64_C(1) };
	}
	return result;
}

static enum result
find_range(
    struct store *store, struct pool *pool, uint64_t campaign_id, const struct lead_filter *f, struct number_range *range)
{
	uint32_t last = 0;
	const enum result result = f->identity_count > 0 ? RESULT_OK : find_last(store, pool, campaign_id, f, &last);
	if (f->newest)
		*range =
		    (struct number_range){ last == 0 ? 0 : last - UINT64_C(1), f->after == 0 ? NUMBER_END : f->after, last };
	else
		*range = (struct number_range){ f->after, last == 0 ? NUMBER_END : last + UINT64_C(1), last };
	return result == RESULT_OK ? find_named(store, pool, campaign_id, f, range) : result;
}

/* A pattern for NAMES: the words in this order, each the beginning of one. Absent without words. */
static struct slice
name_pattern(struct pool *pool, struct slice name)
{
	struct slice word;
	struct buffer out;
	buffer_init(&out, 4 * name.size + 1); /* every byte is a word: "% |%" */
	while (slice_next(&name, ' ', &word)) {
		if (word.size > 0)
			buffer_add_text(&out, "% ");
		for (size_t i = 0; i < word.size; i++)
			buffer_printf(&out, "%s%c", slice_find(SLICE("%_|"), word.data[i]) < 3 ? "|" : "", word.data[i]);
	}
	if (out.size > 0)
		buffer_add_text(&out, "%");
	const struct slice pattern = out.size == 0 ? SLICE_NONE : pool_copy(pool, buffer_slice(&out));
	buffer_free(&out);
	return pattern;
}

typedef struct lead read_row(const struct db_rows *rows, size_t row);

static enum result
read_page(struct store *store, struct pool *pool, uint64_t campaign_id, const struct lead_filter *f,
    const struct db_statement *statement, read_row *read, struct lead_page *page)
{
	struct db_rows rows;
	struct number_range range;
	const struct db_value source = db_bytes(f->source), name = db_bytes(name_pattern(pool, f->name));
	enum result result = find_range(store, pool, campaign_id, f, &range);
	if (result != RESULT_OK)
		return result;
	result = store_query(store, pool, &rows, statement, DB_U64(campaign_id), DB_U64(range.low), DB_U64(range.high),
	    DB_I64(f->verified), DB_I64(f->verified), DB_I64(f->waitlisted), DB_I64(f->waitlisted), DB_I64(f->fraudulent),
	    DB_I64(f->fraudulent), DB_I64(f->opted_out), DB_I64(f->opted_out), DB_U64(f->tag_id), DB_U64(f->tag_id),
	    DB_I64(f->since_ms), DB_I64(f->until_ms > 0 ? f->until_ms : INT64_MAX), source, source, name, name,
	    DB_U64(f->limit + 1));
	const size_t count = rows.count > f->limit ? f->limit : rows.count;
	*page = (struct lead_page){ POOL_ARRAY(pool, count, struct lead), count, range.last, range.last };
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
	return read_page(store, pool, campaign_id, filter, filter->newest ? &sql_select_newest_page : &sql_select_page,
	    store_shown_lead_from_row, page);
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
