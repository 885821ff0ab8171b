/* SPDX-License-Identifier: MIT
 * Pages of a campaign's leads: by subscription number, as lists show them, and as exports write them; by score; those that a
 * lead has referred. For the last two, the ids come from an index; then the rows with these ids are read, and the filter is
 * applied to them. */
#include <string.h>

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

#define FILTERS                                                                                      \
	" AND (? < 0 OR (l.verified_email OR l.verified_phone) = ?) AND (? < 0 OR l.waitlisted = ?)" \
	" AND (? < 0 OR l.fraudulent = ?) AND (? < 0 OR l.opted_out = ?)"                            \
	" AND (? = 0 OR FIND_IN_SET(?, l.tag_ids)) AND l.created_ms >= ? AND l.created_ms < ?"       \
	" AND (? IS NULL OR l.source = ?)"                                                           \
	" AND (? IS NULL OR " NAMES " COLLATE utf8mb4_unicode_ci LIKE CONVERT(? USING utf8mb4) ESCAPE '|')"

/* The index is forced: with a wrong one the cost would grow with the campaign. */
#define SELECT_PAGE(columns, order)                                                                    \
	"SELECT " columns " FROM {prefix}leads l FORCE INDEX (by_number)"                              \
	" LEFT JOIN {prefix}leads p ON p.id = l.parent_id"                                             \
	" WHERE l.campaign_id = ? AND l.subscription_number > ? AND l.subscription_number < ?" FILTERS \
	" ORDER BY l.subscription_number" order " LIMIT ?"

/* The number of the first row after so many. */
#define SELECT_END(condition, order)                  \
	"SELECT subscription_number"                  \
	" FROM {prefix}leads FORCE INDEX (by_number)" \
	" WHERE campaign_id = ? AND subscription_number " condition " ORDER BY subscription_number" order " LIMIT 1 OFFSET ?"

/* Those after a place. LIMIT 0: none. */
#define IDS_BY_SCORE(fraudulent)                                                  \
	"(SELECT id, score_order, subscription_number"                            \
	"   FROM {prefix}leads FORCE INDEX (by_score)"                            \
	"   WHERE campaign_id = ? AND fraudulent = " fraudulent                   \
	" AND (score_order > ? OR (score_order = ? AND subscription_number > ?))" \
	"   ORDER BY score_order, subscription_number"                            \
	"   LIMIT ?)"

/* Rows of deleted leads stay. */
#define SELECT_REFERRED(condition, order)                        \
	"SELECT lead_id"                                         \
	" FROM {prefix}referral_links FORCE INDEX (by_ancestor)" \
	" WHERE ancestor_id = ? AND level = 1 AND lead_id " condition " ORDER BY lead_id" order " LIMIT ?"

DB_STATEMENT(sql_select_number_after, SELECT_END("> ?", ""));
DB_STATEMENT(sql_select_number_before, SELECT_END("< ?", " DESC"));
DB_STATEMENT(sql_select_page, SELECT_PAGE(SHOWN_COLUMNS, ""));
DB_STATEMENT(sql_select_newest_page, SELECT_PAGE(SHOWN_COLUMNS, " DESC"));
DB_STATEMENT(sql_select_exported, SELECT_PAGE(LEAD_COLUMNS ", l.signup_url", ""));
DB_STATEMENT(sql_select_exported_newest, SELECT_PAGE(LEAD_COLUMNS ", l.signup_url", " DESC"));
DB_STATEMENT(sql_select_exported_names, SELECT_PAGE("l.subscription_number, l.custom_fields, l.utm", ""));

DB_STATEMENT(sql_select_ids_by_score,
    IDS_BY_SCORE("FALSE") " UNION ALL " IDS_BY_SCORE("TRUE") " ORDER BY score_order, subscription_number LIMIT ?");
DB_STATEMENT(sql_select_referred, SELECT_REFERRED("> ?", ""));
DB_STATEMENT(sql_select_newest_referred, SELECT_REFERRED("< ?", " DESC"));
#define SELECT_LISTED(columns)                                                                                          \
	"SELECT " columns " FROM {prefix}leads l FORCE INDEX (PRIMARY) LEFT JOIN {prefix}leads p ON p.id = l.parent_id" \
	" WHERE l.campaign_id = ?" FILTERS " AND l.id IN ({list})"                                                      \
	" ORDER BY l.id"
DB_STATEMENT(sql_select_listed, SELECT_LISTED(SHOWN_COLUMNS));
DB_STATEMENT(sql_select_exported_listed, SELECT_LISTED(LEAD_COLUMNS ", l.signup_url"));

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

/* Rows that a call may examine. */
static size_t
examined_max(const struct lead_filter *f)
{
	return slice_present(f->name) ? LEAD_PAGE_NAMES_MAX : LEAD_PAGE_ROWS_MAX;
}

/* The last number of the rows that a page may examine. Without a filter, the page's limit is enough. */
static enum result
find_last(struct store *store, struct pool *pool, uint64_t campaign_id, const struct lead_filter *f, uint32_t *last)
{
	struct db_rows beyond;
	*last = f->last;
	if (f->last != 0 || !is_filtered(f))
		return RESULT_OK;
	const struct db_value most = DB_U64(examined_max(f));
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

/* Those of FILTERS. */
enum { FILTER_VALUES = 16 };

static void
set_filter_values(struct pool *pool, const struct lead_filter *f, struct db_value values[FILTER_VALUES])
{
	const int switches[] = { f->verified, f->waitlisted, f->fraudulent, f->opted_out };
	const struct db_value source = db_bytes(f->source), name = db_bytes(name_pattern(pool, f->name));
	size_t used = 0;
	for (size_t i = 0; i < ARRAY_SIZE(switches); i++) {
		values[used++] = DB_I64(switches[i]);
		values[used++] = DB_I64(switches[i]);
	}
	const struct db_value others[] = { DB_U64(f->tag_id), DB_U64(f->tag_id), DB_I64(f->since_ms),
		DB_I64(f->until_ms > 0 ? f->until_ms : INT64_MAX), source, source, name, name };
	memcpy(values + used, others, sizeof(others));
}

typedef struct lead read_row(const struct db_rows *rows, size_t row);

static enum result
read_page(struct store *store, struct pool *pool, uint64_t campaign_id, const struct lead_filter *f,
    const struct db_statement *statement, read_row *read, struct lead_page *page)
{
	struct db_rows rows;
	struct number_range range;
	enum { BEFORE = 3 };
	struct db_value values[BEFORE + FILTER_VALUES + 1];
	enum result result = find_range(store, pool, campaign_id, f, &range);
	if (result != RESULT_OK)
		return result;
	values[0] = DB_U64(campaign_id);
	values[1] = DB_U64(range.low);
	values[2] = DB_U64(range.high);
	set_filter_values(pool, f, values + BEFORE);
	values[BEFORE + FILTER_VALUES] = DB_U64(f->limit + 1);
	result = db_query(store->db, pool, statement, &DB_ARRAY(values, ARRAY_SIZE(values)), &rows);
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

/* Columns of both lists of ids; the last two only by score. */
enum { LISTED_ID, LISTED_SCORE_ORDER, LISTED_NUMBER };

static enum result
find_ids_by_score(struct store *store, struct pool *pool, uint64_t campaign_id, const struct lead_filter *f,
    const struct lead_order *order, size_t limit, struct db_rows *ids)
{
	const struct db_value campaign = DB_U64(campaign_id);
	const struct db_value score_order = DB_U64(order->has_place ? order->score ^ UINT32_MAX : 0); /* as in the schema */
	const struct db_value number = DB_U64(order->has_place ? order->number : 0);
	return store_query(store, pool, ids, &sql_select_ids_by_score, campaign, score_order, score_order, number,
	    DB_U64(f->fraudulent == 1 ? 0 : limit), campaign, score_order, score_order, number,
	    DB_U64(f->fraudulent == 0 ? 0 : limit), DB_U64(limit));
}

static enum result
find_listed_ids(struct store *store, struct pool *pool, uint64_t campaign_id, const struct lead_filter *f,
    const struct lead_order *order, size_t limit, struct db_rows *ids)
{
	if (order->referrer_id == 0)
		return find_ids_by_score(store, pool, campaign_id, f, order, limit, ids);
	const uint64_t begin = f->newest ? INT64_MAX : 0;
	return store_query(store, pool, ids, f->newest ? &sql_select_newest_referred : &sql_select_referred,
	    DB_U64(order->referrer_id), DB_U64(order->has_place ? order->id : begin), DB_U64(limit));
}

/* What is read of the leads. */
struct listed_view {
	const struct db_statement *statement;
	read_row *read;
};

/* The leads with these ids to which the filter applies, by id. */
static enum result
find_listed(struct store *store, struct pool *pool, uint64_t campaign_id, const struct lead_filter *f,
    const struct listed_view *view, const struct db_rows *ids, struct db_rows *leads)
{
	struct db_value values[1 + FILTER_VALUES] = { DB_U64(campaign_id) };
	struct db_value *list = POOL_ARRAY(pool, ids->count, struct db_value);
	for (size_t i = 0; i < ids->count; i++)
		list[i] = DB_U64(db_get_u64(ids, i, LISTED_ID));
	set_filter_values(pool, f, values + 1);
	struct db_arguments arguments = DB_ARRAY(values, ARRAY_SIZE(values));
	arguments.lists[0] = (struct db_list){ list, ids->count };
	arguments.list_count = 1;
	return db_query(store->db, pool, view->statement, &arguments, leads);
}

static void
move_place(struct lead_order *order, const struct db_rows *ids, size_t row)
{
	order->has_place = true;
	order->id = db_get_u64(ids, row, LISTED_ID);
	if (order->referrer_id != 0)
		return;
	order->score = store_get_u32(ids, row, LISTED_SCORE_ORDER) ^ UINT32_MAX;
	order->number = store_get_u32(ids, row, LISTED_NUMBER);
}

/* Adds those of the next `wanted` leads to which the filter applies. */
static enum result
add_listed(struct store *store, struct pool *pool, uint64_t campaign_id, const struct lead_filter *f,
    const struct listed_view *view, size_t wanted, struct lead_order *order, struct lead_page *page)
{
	const size_t left = examined_max(f) - order->examined, size = wanted < left ? wanted : left;
	struct db_rows ids, leads = { 0 };
	size_t i = 0, row;
	enum result result = find_listed_ids(store, pool, campaign_id, f, order, size, &ids);
	if (result == RESULT_OK && ids.count > 0)
		result = find_listed(store, pool, campaign_id, f, view, &ids, &leads);
	for (; result == RESULT_OK && i < ids.count && page->count < f->limit; i++) {
		if (store_find_row(&leads, db_get_u64(&ids, i, LISTED_ID), &row))
			page->leads[page->count++] = view->read(&leads, row);
		move_place(order, &ids, i);
	}
	order->examined += i;
	order->more = i < ids.count || ids.count == size;
	return result;
}

bool
store_order_is_spent(const struct lead_filter *filter, const struct lead_order *order)
{
	return order->examined >= examined_max(filter);
}

/* Pieces grow: a filter that most leads pass needs one, another one as few as possible. */
static enum result
list_in_order(struct store *store, struct pool *pool, uint64_t campaign_id, const struct lead_filter *f,
    const struct listed_view *view, struct lead_order *order, struct lead_page *page)
{
	size_t size = f->limit + 1;
	enum result result = RESULT_OK;
	*page = (struct lead_page){ .leads = POOL_ARRAY(pool, f->limit, struct lead) };
	order->more = true;
	while (result == RESULT_OK && order->more && page->count < f->limit && !store_order_is_spent(f, order)) {
		result = add_listed(store, pool, campaign_id, f, view, size < DB_LIST_MAX ? size : DB_LIST_MAX, order, page);
		size *= 2;
	}
	return result;
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
	if (names_only)
		return read_page(store, pool, campaign_id, filter, &sql_select_exported_names, exported_names, page);
	return read_page(store, pool, campaign_id, filter, filter->newest ? &sql_select_exported_newest : &sql_select_exported,
	    exported_lead, page);
}

enum result
store_list_leads_in_order(struct store *store, struct pool *pool, uint64_t campaign_id, const struct lead_filter *filter,
    struct lead_order *order, struct lead_page *page)
{
	const struct listed_view view = { &sql_select_listed, store_shown_lead_from_row };
	return list_in_order(store, pool, campaign_id, filter, &view, order, page);
}

enum result
store_export_leads_in_order(struct store *store, struct pool *pool, uint64_t campaign_id, const struct lead_filter *filter,
    struct lead_order *order, struct lead_page *page)
{
	const struct listed_view view = { &sql_select_exported_listed, exported_lead };
	return list_in_order(store, pool, campaign_id, filter, &view, order, page);
}
