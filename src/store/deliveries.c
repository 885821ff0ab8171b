/* SPDX-License-Identifier: MIT
 * The list of deliveries: pending ones are rows of `due`, the others of `deliveries`, and neither knows more than its ids of
 * what the filter asks.
 *
 * It goes down page by page: first ids from an index, the newest below the last page; then the rows with these ids, piece by
 * piece, of which the filter takes what fits. A delivery that ends in between is in one of the two tables all the time. */
#include "base/clock.h"
#include "base/log.h"
#include "store/admin.h"
#include "store/private.h"

/* A list on its way down. */
struct listing {
	struct store *store;
	struct pool *pool; /* the page's */
	const struct delivery_filter *filter;
	int64_t since_ms, until_ms;
	uint64_t from, below; /* the ids that are left; none when they meet */
	size_t page_size, looked_at;
	size_t capacity; /* of the list */
};

/* The ids of a page, from the highest. */
struct page {
	struct db_value *ids;
	size_t count;
};

/* Pages grow, because what a webhook has pending is sorted for each of them anew. */
enum { PAGE_MIN = DB_LIST_MAX, PAGE_MAX = 64 * DB_LIST_MAX, PAGE_EVENTS = 64 };

static enum result
query(const struct listing *l, enum statement statement, const struct db_value *values, size_t count, struct db_rows *rows)
{
	const struct db_arguments arguments = { .values = values, .count = count };
	return db_query(l->store->db, l->pool, statement, &arguments, rows);
}

/* SQL_SELECT_DELIVERY_IDS… has a part for each of them. */
static const enum delivery_state parts[] = { DELIVERY_DELIVERED, DELIVERY_FAILED, DELIVERY_PENDING };

static enum result
find_ids(struct listing *l, struct page *page)
{
	const uint64_t webhook = l->filter->webhook_id;
	struct db_value values[ARRAY_SIZE(parts) * 5 + 1];
	size_t used = 0;
	struct db_rows rows;
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		bool wanted = l->filter->state < 0 || l->filter->state == (int)parts[i];
		if (webhook != 0 && parts[i] == DELIVERY_PENDING)
			values[used++] = DB_U64(webhook_shard(webhook));
		if (webhook != 0)
			values[used++] = DB_U64(webhook);
		values[used++] = DB_U64(l->from);
		values[used++] = DB_U64(l->below);
		values[used++] = DB_U64(wanted ? l->page_size : 0);
	}
	values[used++] = DB_U64(l->page_size);
	enum result result =
	    query(l, webhook == 0 ? SQL_SELECT_DELIVERY_IDS : SQL_SELECT_DELIVERY_IDS_OF_WEBHOOK, values, used, &rows);
	if (result != RESULT_OK)
		return result;
	*page = (struct page){ rows.values, rows.count };
	l->below = rows.count < l->page_size ? l->from : db_get_u64(&rows, rows.count - 1, 0);
	l->page_size = l->page_size < PAGE_MAX ? 2 * l->page_size : PAGE_MAX;
	return RESULT_OK;
}

enum { EVENT_ID, EVENT_DELIVERIES };

/* Those of a lead stand behind its events. */
static enum result
find_ids_of_lead(struct listing *l, struct page *page)
{
	struct db_value values[] = { db_bytes(l->filter->lead_social_id), DB_U64(l->from), DB_U64(l->below),
		DB_U64(PAGE_EVENTS) };
	struct db_rows events;
	size_t capacity = 0;
	enum result result = query(l, SQL_SELECT_EVENT_IDS_OF_LEAD, values, ARRAY_SIZE(values), &events);
	*page = (struct page){ 0 };
	if (result != RESULT_OK)
		return result;
	l->below = events.count < PAGE_EVENTS ? l->from : db_get_u64(&events, events.count - 1, EVENT_ID);
	for (size_t i = 0; i < events.count; i++) {
		const uint64_t event = db_get_u64(&events, i, EVENT_ID);
		for (uint64_t place = db_get_u64(&events, i, EVENT_DELIVERIES); place > 0; place--) {
			page->ids = pool_grow(l->pool, page->ids, page->count, &capacity, sizeof(*page->ids));
			page->ids[page->count++] = DB_U64(event + place);
		}
	}
	return RESULT_OK;
}

enum {
	DELIVERY_ID,
	DELIVERY_WEBHOOK_ID,
	DELIVERY_TYPE,
	DELIVERY_LEAD,
	DELIVERY_STATE,
	DELIVERY_ATTEMPTS,
	DELIVERY_DUE_MS,
	DELIVERY_LAST_STATUS,
	DELIVERY_LAST_ERROR,
	DELIVERY_EVENT_MS
};

static struct delivery_row
delivery_from_row(struct pool *pool, const struct db_rows *rows, size_t row)
{
	enum delivery_state state = DELIVERY_PENDING;
	if (!delivery_state_parse(db_get_bytes(rows, row, DELIVERY_STATE), &state))
		log_error("unknown_state", LOG_UINT("delivery", db_get_u64(rows, row, DELIVERY_ID)));
	return (struct delivery_row){
		.id = db_get_u64(rows, row, DELIVERY_ID),
		.webhook_id = db_get_u64(rows, row, DELIVERY_WEBHOOK_ID),
		.event = (unsigned)db_get_u64(rows, row, DELIVERY_TYPE),
		.lead_social_id = pool_copy(pool, db_get_bytes(rows, row, DELIVERY_LEAD)),
		.state = state,
		.attempts = (unsigned)db_get_u64(rows, row, DELIVERY_ATTEMPTS),
		.due_ms = db_get_time(rows, row, DELIVERY_DUE_MS),
		.last_status =
		    db_is_null(rows, row, DELIVERY_LAST_STATUS) ? 0 : (int)db_get_i64(rows, row, DELIVERY_LAST_STATUS),
		.last_error = pool_copy(pool, db_get_bytes(rows, row, DELIVERY_LAST_ERROR)),
	};
}

/* All of the filter, also what the ids were found by: a delivery that was pending then may have ended since. */
static bool
is_wanted(const struct listing *l, const struct db_rows *rows, size_t row)
{
	const struct delivery_filter *f = l->filter;
	const int64_t event_ms = db_get_i64(rows, row, DELIVERY_EVENT_MS);
	return event_ms >= l->since_ms && event_ms < l->until_ms &&
	       (f->webhook_id == 0 || db_get_u64(rows, row, DELIVERY_WEBHOOK_ID) == f->webhook_id) &&
	       (f->event < 0 || db_get_u64(rows, row, DELIVERY_TYPE) == (uint64_t)f->event) &&
	       (f->state < 0 || slice_equal(db_get_bytes(rows, row, DELIVERY_STATE),
				    slice_of(delivery_state_name((enum delivery_state)f->state))));
}

/* What fits of the deliveries with these ids, at most DB_LIST_MAX. */
static enum result
take_piece(struct listing *l, struct db_list ids, struct pool *pool, struct delivery_list *list)
{
	const struct db_arguments arguments = { .lists = { ids, ids }, .list_count = 2 };
	struct pool *piece = pool_new();
	struct db_rows rows;
	enum result result = db_query(l->store->db, piece, SQL_SELECT_DELIVERIES, &arguments, &rows);
	for (size_t i = 0; result == RESULT_OK && i < rows.count && list->count < l->filter->limit; i++) {
		if (!is_wanted(l, &rows, i))
			continue;
		list->deliveries = pool_grow(pool, list->deliveries, list->count, &l->capacity, sizeof(*list->deliveries));
		list->deliveries[list->count++] = delivery_from_row(pool, &rows, i);
	}
	l->looked_at += ids.count;
	pool_free(&piece);
	return result;
}

static enum result
take_page(struct listing *l, struct pool *pool, struct delivery_list *list)
{
	struct page page;
	enum result result = slice_present(l->filter->lead_social_id) ? find_ids_of_lead(l, &page) : find_ids(l, &page);
	for (size_t from = 0; result == RESULT_OK && from < page.count && list->count < l->filter->limit; from += DB_LIST_MAX) {
		size_t left = page.count - from;
		result =
		    take_piece(l, (struct db_list){ page.ids + from, left < DB_LIST_MAX ? left : DB_LIST_MAX }, pool, list);
	}
	return result;
}

enum result
store_list_deliveries(struct store *store, struct pool *pool, const struct delivery_filter *filter, struct delivery_list *list)
{
	static const int64_t day_ms = 86400000;
	struct listing l = { .store = store,
		.filter = filter,
		.since_ms = filter->since_ms < 0 ? 0 : filter->since_ms,
		.until_ms = filter->until_ms < 0 ? CLOCK_END_MS : filter->until_ms,
		.page_size = PAGE_MIN };
	enum result result = RESULT_OK;
	/* an id's day is its event's, give or take the moment between two statements: a day more costs nothing */
	l.from = history_id_floor(l.since_ms < day_ms ? 0 : l.since_ms - day_ms);
	l.below = history_id_floor(l.until_ms + 2 * day_ms);
	*list = (struct delivery_list){ 0 };
	while (result == RESULT_OK && l.from < l.below && list->count < filter->limit && l.looked_at < DELIVERIES_LOOKED_AT) {
		l.pool = pool_new();
		result = take_page(&l, pool, list);
		pool_free(&l.pool);
	}
	list->cut = list->count < filter->limit && l.from < l.below;
	return result;
}
