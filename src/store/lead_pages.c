/* SPDX-License-Identifier: MIT
 * Pages of a campaign's leads: by subscription number, as lists show them and exports write them; by score; and those that a
 * lead has referred. For the last two, the ids come from an index; then the rows with these ids are read, and the filter is
 * applied to them. */
#include "store/lead_pages.h"

#include <stdlib.h>
#include <string.h>

#include "store/find.h"
#include "store/query.h"
#include "store/rows.h"
#include "store/state.h"
#include "store/statements.h"

/* The names of a lead in both orders, each word after a space; from the fields of engine/payload.c. */
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

/* The index is forced: with a wrong one, the cost would grow with the campaign. */
#define SELECT_PAGE(columns, order)                                                                    \
	"SELECT " columns " FROM {prefix}leads l FORCE INDEX (by_number)"                              \
	" LEFT JOIN {prefix}leads p ON p.id = l.parent_id"                                             \
	" WHERE l.campaign_id = ? AND l.subscription_number > ? AND l.subscription_number < ?" FILTERS \
	" ORDER BY l.subscription_number" order " LIMIT ?"

/* The subscription number of the row after a number of rows. */
#define SELECT_END(condition, order)                  \
	"SELECT subscription_number"                  \
	" FROM {prefix}leads FORCE INDEX (by_number)" \
	" WHERE campaign_id = ? AND subscription_number " condition " ORDER BY subscription_number" order " LIMIT 1 OFFSET ?"

/* The rows after a place. LIMIT 0: none. */
#define IDS_BY_SCORE(fraudulent)                                                  \
	"(SELECT id, score_order, subscription_number"                            \
	"   FROM {prefix}leads FORCE INDEX (by_score)"                            \
	"   WHERE campaign_id = ? AND fraudulent = " fraudulent                   \
	" AND (score_order > ? OR (score_order = ? AND subscription_number > ?))" \
	"   ORDER BY score_order, subscription_number"                            \
	"   LIMIT ?)"

/* Includes deleted leads, whose rows stay. */
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

DB_STATEMENT(sql_select_digest, "SELECT k.lead_id FROM"
				" (SELECT lead_id, counts, digest_ms FROM {prefix}referral_links FORCE INDEX (by_ancestor)"
				"   WHERE ancestor_id = ? AND level = 1 ORDER BY lead_id DESC LIMIT ?) k"
				" JOIN {prefix}leads l ON l.id = k.lead_id"
				" WHERE k.digest_ms = ? AND k.counts = TRUE");

typedef struct lead read_lead(struct row_reader *r);

static struct lead
read_stored(struct row_reader *r)
{
	struct lead lead = row_lead(r);
	lead.signup_url = row_bytes(r);
	return lead;
}

static struct lead
read_names(struct row_reader *r)
{
	struct lead lead = { .subscription_number = row_u32(r) };
	lead.custom_fields = row_bytes(r);
	lead.utm = row_bytes(r);
	return lead;
}

/* The statements for each order, and the function that reads their rows. Names can be listed in one order only. */
static const struct {
	const struct db_statement *by_number, *newest, *listed;
	read_lead *read;
} details[] = {
	[LEAD_AS_SHOWN] = { &sql_select_page, &sql_select_newest_page, &sql_select_listed, row_shown_lead },
	[LEAD_AS_STORED] = { &sql_select_exported, &sql_select_exported_newest, &sql_select_exported_listed, read_stored },
	[LEAD_NAMES] = { &sql_select_exported_names, NULL, NULL, read_names },
};

/* What is listed. */
struct list {
	struct store *store;
	struct pool *pool;
	uint64_t campaign_id;
	const struct lead_filter *filter;
};

/* Subscription numbers have 32 bits. */
#define NUMBER_END (UINT64_C(1) << 32)

/* The numbers that a page examines: those between `low` and `high`. */
struct number_range {
	uint64_t low, high;
	uint32_t last; /* as in struct lead_filter; 0: there is nothing beyond the range */
};

/* Filters that are zero, absent or -1 let every lead pass. */
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

/* Where the page begins, in its order. */
static uint64_t
begin_of(const struct lead_filter *f)
{
	return f->newest && f->after == 0 ? NUMBER_END : f->after;
}

/* The last number of the rows that a page may examine. Without a filter, the page's limit is enough. */
static enum result
find_last(const struct list *l, uint32_t *last)
{
	const struct lead_filter *f = l->filter;
	struct db_rows beyond;
	*last = f->last;
	if (f->last != 0 || f->identity_count > 0 || !is_filtered(f))
		return RESULT_OK;
	const enum result result =
	    store_query(l->store, l->pool, &beyond, f->newest ? &sql_select_number_before : &sql_select_number_after,
		DB_U64(l->campaign_id), DB_U64(begin_of(f)), DB_U64(examined_max(f)));
	if (beyond.count > 0)
		*last = f->newest ? store_get_u32(&beyond, 0, 0) + 1 : store_get_u32(&beyond, 0, 0) - 1;
	return result;
}

/* Reduces the range to the number of the one lead that matches all the identities, or to none. */
static enum result
find_named(const struct list *l, struct number_range *range)
{
	for (size_t i = 0; i < l->filter->identity_count; i++) {
		struct lead lead;
		const enum result result = store_find_lead(l->store, l->pool, l->campaign_id, &l->filter->identities[i], &lead);
		if (result != RESULT_OK && result != RESULT_NOT_FOUND)
			return result;
		if (result == RESULT_NOT_FOUND || lead.subscription_number <= range->low ||
		    lead.subscription_number >= range->high) {
			*range = (struct number_range){ .high = 0 };
			return RESULT_OK;
		}
		range->low = lead.subscription_number - UINT64_C(1);
		range->high = lead.subscription_number + UINT64_C(1);
	}
	return RESULT_OK;
}

static enum result
find_range(const struct list *l, struct number_range *range)
{
	uint32_t last;
	const enum result result = find_last(l, &last);
	const uint64_t begin = begin_of(l->filter);
	if (l->filter->newest)
		*range = (struct number_range){ last == 0 ? 0 : last - UINT64_C(1), begin, last };
	else
		*range = (struct number_range){ begin, last == 0 ? NUMBER_END : last + UINT64_C(1), last };
	return result == RESULT_OK ? find_named(l, range) : result;
}

/* A pattern for NAMES: the words in this order, each of which begins a name. Absent if there are no words. */
static struct slice
name_pattern(struct pool *pool, struct slice name)
{
	struct slice word;
	struct buffer out;
	buffer_init(&out, 4 * name.size + 1); /* the most, if every byte is a word: "% |%" */
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

/* The values of FILTERS. */
enum { FILTER_VALUES = 16 };

static void
set_filter_values(const struct list *l, struct db_value values[FILTER_VALUES])
{
	const struct lead_filter *f = l->filter;
	const struct db_value verified = DB_I64(f->verified), waitlisted = DB_I64(f->waitlisted),
			      fraudulent = DB_I64(f->fraudulent), opted_out = DB_I64(f->opted_out), tag = DB_U64(f->tag_id),
			      source = db_bytes(f->source), name = db_bytes(name_pattern(l->pool, f->name));
	const struct db_value all[FILTER_VALUES] = { verified, verified, waitlisted, waitlisted, fraudulent, fraudulent,
		opted_out, opted_out, tag, tag, DB_I64(f->since_ms), DB_I64(f->until_ms > 0 ? f->until_ms : INT64_MAX), source,
		source, name, name };
	memcpy(values, all, sizeof(all));
}

enum result
store_list_leads(
    struct store *store, struct pool *pool, uint64_t campaign_id, const struct lead_filter *filter, struct lead_page *page)
{
	const struct list l = { store, pool, campaign_id, filter };
	struct db_rows rows;
	struct number_range range;
	enum { BEFORE = 3 };
	struct db_value values[BEFORE + FILTER_VALUES + 1];
	enum result result = find_range(&l, &range);
	if (result != RESULT_OK)
		return result;
	values[0] = DB_U64(campaign_id);
	values[1] = DB_U64(range.low);
	values[2] = DB_U64(range.high);
	set_filter_values(&l, values + BEFORE);
	values[BEFORE + FILTER_VALUES] = DB_U64(filter->limit + 1);
	result = db_query(store->db, pool, filter->newest ? details[filter->detail].newest : details[filter->detail].by_number,
	    &DB_ARRAY(values, ARRAY_SIZE(values)), &rows);
	const size_t count = rows.count > filter->limit ? filter->limit : rows.count;
	*page = (struct lead_page){ POOL_ARRAY(pool, count, struct lead), count, range.last, range.last };
	for (size_t i = 0; i < count; i++)
		page->leads[i] = details[filter->detail].read(ROW(&rows, i));
	if (rows.count > filter->limit)
		page->next = count == 0 ? 0 : page->leads[count - 1].subscription_number;
	return result;
}

/* Columns of both lists of ids; the last two only in the list by score. */
enum { LISTED_ID, LISTED_SCORE_ORDER, LISTED_NUMBER };

static enum result
find_ids_by_score(const struct list *l, const struct lead_order *order, size_t limit, struct db_rows *ids)
{
	const struct db_value campaign = DB_U64(l->campaign_id);
	const struct db_value score_order = DB_U64(order->has_place ? order->score ^ UINT32_MAX : 0); /* as in the schema */
	const struct db_value number = DB_U64(order->has_place ? order->number : 0);
	return store_query(l->store, l->pool, ids, &sql_select_ids_by_score, campaign, score_order, score_order, number,
	    DB_U64(l->filter->fraudulent == 1 ? 0 : limit), campaign, score_order, score_order, number,
	    DB_U64(l->filter->fraudulent == 0 ? 0 : limit), DB_U64(limit));
}

static enum result
find_ids(const struct list *l, const struct lead_order *order, size_t limit, struct db_rows *ids)
{
	if (order->referrer_id == 0)
		return find_ids_by_score(l, order, limit, ids);
	const uint64_t begin = l->filter->newest ? INT64_MAX : 0;
	return store_query(l->store, l->pool, ids, l->filter->newest ? &sql_select_newest_referred : &sql_select_referred,
	    DB_U64(order->referrer_id), DB_U64(order->has_place ? order->id : begin), DB_U64(limit));
}

/* The leads with these ids to which the filter applies, by id. */
static enum result
find_listed(const struct list *l, const struct db_rows *ids, struct db_rows *leads)
{
	struct db_value values[1 + FILTER_VALUES] = { DB_U64(l->campaign_id) };
	set_filter_values(l, values + 1);
	struct db_arguments arguments = DB_ARRAY(values, ARRAY_SIZE(values));
	arguments.lists[0] = store_column_list(l->pool, ids, LISTED_ID);
	arguments.list_count = 1;
	return db_query(l->store->db, l->pool, details[l->filter->detail].listed, &arguments, leads);
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

/* Adds the leads to which the filter applies, out of the next `wanted` ones. */
static enum result
add_listed(const struct list *l, size_t wanted, struct lead_order *order, struct lead_page *page)
{
	const size_t left = examined_max(l->filter) - order->examined, size = wanted < left ? wanted : left;
	struct db_rows ids, leads = { 0 };
	size_t i = 0, row;
	enum result result = find_ids(l, order, size, &ids);
	if (result == RESULT_OK && ids.count > 0)
		result = find_listed(l, &ids, &leads);
	for (; result == RESULT_OK && i < ids.count && page->count < l->filter->limit; i++) {
		if (store_find_row(&leads, db_get_u64(&ids, i, LISTED_ID), &row))
			page->leads[page->count++] = details[l->filter->detail].read(ROW(&leads, row));
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

/* The pieces grow: one is enough for a filter that most leads pass, and other filters need as few as possible. */
enum result
store_list_leads_in_order(struct store *store, struct pool *pool, uint64_t campaign_id, const struct lead_filter *filter,
    struct lead_order *order, struct lead_page *page)
{
	const struct list l = { store, pool, campaign_id, filter };
	size_t size = filter->limit + 1;
	enum result result = RESULT_OK;
	*page = (struct lead_page){ .leads = POOL_ARRAY(pool, filter->limit, struct lead) };
	order->more = true;
	while (result == RESULT_OK && order->more && page->count < filter->limit && !store_order_is_spent(filter, order)) {
		result = add_listed(&l, size < DB_LIST_MAX ? size : DB_LIST_MAX, order, page);
		size *= 2;
	}
	return result;
}

static int
compare_newest_first(const void *left, const void *right)
{
	const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
	return (a < b) - (a > b);
}

enum result
store_find_digest(
    struct store *store, struct pool *pool, uint64_t referrer_id, uint64_t digest_ms, uint64_t **ids, size_t *count)
{
	struct db_rows rows;
	const enum result result = store_query(
	    store, pool, &rows, &sql_select_digest, DB_U64(referrer_id), DB_U64(DIGEST_EXAMINED), DB_U64(digest_ms));
	*count = rows.count;
	*ids = POOL_ARRAY(pool, rows.count, uint64_t);
	for (size_t i = 0; i < rows.count; i++)
		(*ids)[i] = db_get_u64(&rows, i, 0);
	if (rows.count > 1)
		qsort(*ids, rows.count, sizeof(**ids), compare_newest_first);
	return result;
}
