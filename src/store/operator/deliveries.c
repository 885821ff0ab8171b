/* SPDX-License-Identifier: MIT
 * Deliveries as the operator sees them, one or a list. Pending ones are rows of `due`, ended ones of `deliveries`; both tables
 * have only ids of most values in a filter.
 *
 * The list is read page by page: first the highest ids below the last page, from an index; then the rows with these ids, piece
 * by piece, to which the filter is applied. A delivery that ends meanwhile is always in at least one of the two tables. */
#include "base/clock.h"
#include "base/log.h"
#include "store/operator/admin.h"
#include "store/query.h"
#include "store/rows.h"
#include "store/secrets.h"
#include "store/state.h"
#include "store/statements.h"

/* The ids of the newest deliveries in this state. LIMIT 0: none. */
#define IDS_OF_ENDED(index, state)                           \
	"(SELECT id"                                         \
	"   FROM {prefix}deliveries FORCE INDEX (" index ")" \
	"   WHERE " state " AND id >= ? AND id < ?"          \
	"   ORDER BY id DESC"                                \
	"   LIMIT ?)"

#define IDS_OF_DUE(index, condition)                  \
	"(SELECT id"                                  \
	"   FROM {prefix}due FORCE INDEX (" index ")" \
	"   WHERE " condition "id >= ? AND id < ?"    \
	"   ORDER BY id DESC"                         \
	"   LIMIT ?)"

/* Rows of both tables. */
#define SELECT_DELIVERIES(columns)                                                                                      \
	"SELECT d.id, d.webhook_id, e.type, l.social_id, d.state, d.attempts, d.due_ms, d.last_status,"                 \
	" d.last_error, e.created_ms, CASE WHEN h.lease_until_ms > " NOW " THEN h.owner END, w.state,"                  \
	" CAST(COALESCE(s.failures, 0) AS UNSIGNED), CAST(COALESCE(w.rate, 0) AS UNSIGNED),"                            \
	" COALESCE(s.hold_until_ms, 0), " NOW ", e.campaign_id" columns                                                 \
	" FROM (SELECT id, event_id, webhook_id, 'pending' AS state, attempts, due_ms, shard, last_status, last_error," \
	" format"                                                                                                       \
	"   FROM {prefix}due FORCE INDEX (PRIMARY)"                                                                     \
	"   WHERE id IN ({list})"                                                                                       \
	"   UNION ALL SELECT t.id, t.event_id, t.webhook_id, t.state, t.attempts, NULL, NULL, t.last_status,"           \
	" t.last_error, t.format"                                                                                       \
	"   FROM {prefix}deliveries t FORCE INDEX (PRIMARY)"                                                            \
	"   LEFT JOIN {prefix}due u ON u.id = t.id"                                                                     \
	"   WHERE t.id IN ({list}) AND u.id IS NULL) d"                                                                 \
	" JOIN {prefix}events e ON e.id = d.event_id"                                                                   \
	" LEFT JOIN {prefix}leads l ON l.id = e.lead_id"                                                                \
	" LEFT JOIN {prefix}webhooks w ON w.id = d.webhook_id"                                                          \
	" LEFT JOIN {prefix}webhook_status s ON s.webhook_id = d.webhook_id"                                            \
	" LEFT JOIN {prefix}dispatch_shards h ON h.shard = d.shard"                                                     \
	" ORDER BY d.id DESC"

/* what was delivered is nearly everything, and read in the order of the primary key up to the limit; what has failed is little,
 * and sorted from the index alone */
DB_STATEMENT(sql_select_delivery_ids,
    IDS_OF_ENDED("PRIMARY", "state = 'delivered'") " UNION " IDS_OF_ENDED(
	"by_state_and_webhook", "state = 'failed'") " UNION " IDS_OF_DUE("PRIMARY", "") " ORDER BY id DESC"
											" LIMIT ?");
/* each part in the order of its index, so that it reads no more than its limit; but the pending deliveries of a webhook are
 * read as a whole, from the index alone */
DB_STATEMENT(sql_select_delivery_ids_of_webhook,
    IDS_OF_ENDED("by_state_and_webhook", "webhook_id = ? AND state = 'delivered'") " UNION " IDS_OF_ENDED(
	"by_state_and_webhook", "webhook_id = ? AND state = 'failed'") " UNION " IDS_OF_DUE("by_webhook",
	"shard = ? AND webhook_id = ? AND ") " ORDER BY id DESC"
					     " LIMIT ?");
DB_STATEMENT(sql_select_webhook_ids, "SELECT id FROM {prefix}webhooks WHERE campaign_id = ?");
/* all that one webhook has pending, up to the limit … */
DB_STATEMENT(sql_select_due_ids_of_webhook, "SELECT id"
					    " FROM {prefix}due FORCE INDEX (by_webhook)"
					    " WHERE shard = ? AND webhook_id = ?"
					    " LIMIT ?");
/* … and where it has more, which this index has by time: a part of what all webhooks have */
DB_STATEMENT(sql_select_due_ids, "SELECT id, webhook_id"
				 " FROM {prefix}due FORCE INDEX (PRIMARY)"
				 " WHERE id >= ? AND id < ?"
				 " ORDER BY id DESC"
				 " LIMIT ?");
DB_STATEMENT(sql_select_event_ids_of_lead,
    "SELECT id, deliveries"
    " FROM {prefix}events FORCE INDEX (by_lead)"
    " WHERE lead_id = (SELECT id FROM {prefix}leads WHERE social_id = ?) AND id >= ? AND id < ?"
    " ORDER BY id DESC"
    " LIMIT ?");
DB_STATEMENT(sql_select_deliveries, SELECT_DELIVERIES(""));
DB_STATEMENT(sql_select_delivery, SELECT_DELIVERIES(", e.payload, w.url, d.format"));
/* the only attempt of a delivery that succeeded at once is in its own row */
DB_STATEMENT(sql_select_attempts, "SELECT attempt, started_ms, duration_ms, status, error, answer"
				  " FROM {prefix}attempts"
				  " WHERE delivery_id = ?"
				  " UNION ALL SELECT attempts, started_ms, duration_ms, last_status, last_error, answer"
				  " FROM {prefix}deliveries"
				  " WHERE id = ? AND started_ms IS NOT NULL"
				  " ORDER BY attempt");

store_statement_list sql_of_deliveries = { &sql_select_delivery_ids, &sql_select_delivery_ids_of_webhook,
	&sql_select_webhook_ids, &sql_select_due_ids_of_webhook, &sql_select_due_ids, &sql_select_event_ids_of_lead,
	&sql_select_deliveries, &sql_select_delivery, &sql_select_attempts, NULL };

/* State of reading a list. */
struct page_reader {
	struct store *store;
	struct pool *pool; /* the page's */
	const struct delivery_filter *filter;
	int64_t since_ms, until_ms;
	const uint64_t *webhooks; /* of the filter's campaign, and webhook */
	size_t webhook_count;
	uint64_t from, below; /* remaining ids, from `from` to below `below` */
	size_t page_size, looked_at, look_at;
	size_t left; /* remaining number of rows for the filter */
	delivery_visitor *visit;
	void *context;
};

/* Pages grow, because each sorts all pending deliveries of a webhook again. */
enum { PAGE_MIN = DB_LIST_MAX, PAGE_MAX = 64 * DB_LIST_MAX, PAGE_EVENTS = 64, PAGE_DUE = 2 * DB_LIST_MAX };

/* sql_select_delivery_ids… has a part for each of them. */
static const enum delivery_state parts[] = { DELIVERY_DELIVERED, DELIVERY_FAILED, DELIVERY_PENDING };

static bool
is_wanted_state(const struct page_reader *l, enum delivery_state state)
{
	return l->filter->state < 0 || l->filter->state == (int)state;
}

/* Of one webhook; 0: of all. `pending`: also those that have not ended. */
static enum result
query_ids(struct page_reader *l, uint64_t webhook, bool pending, struct db_rows *rows)
{
	struct db_value values[ARRAY_SIZE(parts) * 5 + 1];
	size_t used = 0;
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		bool wanted = is_wanted_state(l, parts[i]) && (pending || parts[i] != DELIVERY_PENDING);
		if (webhook != 0 && parts[i] == DELIVERY_PENDING)
			values[used++] = DB_U64(webhook_shard(webhook));
		if (webhook != 0)
			values[used++] = DB_U64(webhook);
		values[used++] = DB_U64(l->from);
		values[used++] = DB_U64(l->below);
		values[used++] = DB_U64(wanted ? l->page_size : 0);
	}
	values[used++] = DB_U64(l->page_size);
	return db_query(l->store->db, l->pool, webhook == 0 ? &sql_select_delivery_ids : &sql_select_delivery_ids_of_webhook,
	    &DB_ARRAY(values, used), rows);
}

static enum result
find_ids(struct page_reader *l, struct db_list *ids)
{
	struct db_rows rows;
	enum result result = query_ids(l, l->filter->webhook_id, true, &rows);
	if (result != RESULT_OK)
		return result;
	*ids = (struct db_list){ rows.values, rows.count };
	l->below = rows.count < l->page_size ? l->from : db_get_u64(&rows, rows.count - 1, 0);
	l->page_size = l->page_size < PAGE_MAX ? 2 * l->page_size : PAGE_MAX;
	return RESULT_OK;
}

/* Ids of several queries. Each has the highest ones below `below`; what one did not read is below its last one. */
struct merged_ids {
	uint64_t *ids;
	size_t count, capacity;
	uint64_t from; /* each query has read all ids from here on */
};

static void
merge_id(struct page_reader *l, struct merged_ids *merged, uint64_t id)
{
	merged->ids = pool_grow(l->pool, merged->ids, merged->count, &merged->capacity, sizeof(*merged->ids));
	merged->ids[merged->count++] = id;
}

/* Notes how far a query with this limit has read. */
static void
note_read(const struct page_reader *l, struct merged_ids *merged, const struct db_rows *rows, size_t limit)
{
	const uint64_t last = rows->count < limit ? l->from : db_get_u64(rows, rows->count - 1, 0);
	merged->from = last > merged->from ? last : merged->from;
}

/* Pending deliveries of the webhook. *many: there are so many that they are searched with those of others. */
static enum result
merge_due_of_webhook(struct page_reader *l, struct merged_ids *merged, uint64_t webhook, bool *many)
{
	struct db_rows rows;
	const enum result result = store_query(l->store, l->pool, &rows, &sql_select_due_ids_of_webhook,
	    DB_U64(webhook_shard(webhook)), DB_U64(webhook), DB_U64(PAGE_DUE));
	*many = rows.count == PAGE_DUE;
	for (size_t i = 0; i < rows.count && !*many; i++) {
		const uint64_t id = db_get_u64(&rows, i, 0);
		if (id >= l->from && id < l->below)
			merge_id(l, merged, id);
	}
	return result;
}

/* Pending deliveries of these webhooks, among the highest ids of all. */
static enum result
merge_due(struct page_reader *l, struct merged_ids *merged, const struct db_list *webhooks)
{
	struct db_rows rows;
	const enum result result =
	    store_query(l->store, l->pool, &rows, &sql_select_due_ids, DB_U64(l->from), DB_U64(l->below), DB_U64(PAGE_DUE));
	for (size_t i = 0; i < rows.count; i++)
		for (size_t k = 0; k < webhooks->count; k++)
			if (db_get_u64(&rows, i, 1) == webhooks->values[k].as.u64)
				merge_id(l, merged, db_get_u64(&rows, i, 0));
	note_read(l, merged, &rows, PAGE_DUE);
	l->looked_at += rows.count;
	return result;
}

static enum result
merge_ended(struct page_reader *l, struct merged_ids *merged, uint64_t webhook)
{
	struct db_rows rows;
	const enum result result = query_ids(l, webhook, false, &rows);
	for (size_t i = 0; i < rows.count; i++)
		merge_id(l, merged, db_get_u64(&rows, i, 0));
	note_read(l, merged, &rows, l->page_size);
	return result;
}

static struct db_list
list_from(struct page_reader *l, const struct merged_ids *merged)
{
	struct db_list sorted = store_id_list(l->pool, merged->ids, merged->count);
	struct db_value *values = POOL_ARRAY(l->pool, sorted.count, struct db_value);
	size_t count = 0;
	for (size_t i = sorted.count; i > 0 && sorted.values[i - 1].as.u64 >= merged->from; i--)
		values[count++] = sorted.values[i - 1];
	return (struct db_list){ values, count };
}

static enum result
find_ids_of_campaign(struct page_reader *l, struct db_list *ids)
{
	struct merged_ids merged = { .from = l->from };
	struct db_value *searched = POOL_ARRAY(l->pool, l->webhook_count, struct db_value);
	size_t count = 0;
	enum result result = RESULT_OK;
	for (size_t i = 0; i < l->webhook_count && result == RESULT_OK; i++) {
		bool many = false;
		result = merge_ended(l, &merged, l->webhooks[i]);
		if (result == RESULT_OK && is_wanted_state(l, DELIVERY_PENDING))
			result = merge_due_of_webhook(l, &merged, l->webhooks[i], &many);
		if (many)
			searched[count++] = DB_U64(l->webhooks[i]);
	}
	if (result == RESULT_OK && count > 0)
		result = merge_due(l, &merged, &(struct db_list){ searched, count });
	*ids = list_from(l, &merged);
	l->below = merged.from;
	return result;
}

enum { EVENT_ID, EVENT_DELIVERIES };

/* A lead's deliveries have the ids that follow its events'. */
static enum result
find_ids_of_lead(struct page_reader *l, struct db_list *ids)
{
	struct db_value values[] = { db_bytes(l->filter->lead_social_id), DB_U64(l->from), DB_U64(l->below),
		DB_U64(PAGE_EVENTS) };
	struct db_rows events;
	struct db_value *found = NULL;
	size_t count = 0, capacity = 0;
	const uint64_t below = l->below;
	enum result result =
	    db_query(l->store->db, l->pool, &sql_select_event_ids_of_lead, &DB_ARRAY(values, ARRAY_SIZE(values)), &events);
	if (result != RESULT_OK)
		return result;
	l->below = events.count < PAGE_EVENTS ? l->from : db_get_u64(&events, events.count - 1, EVENT_ID);
	for (size_t i = 0; i < events.count; i++) {
		const uint64_t event = db_get_u64(&events, i, EVENT_ID);
		for (uint64_t place = db_get_u64(&events, i, EVENT_DELIVERIES); place > 0; place--) {
			if (event + place >= below)
				continue;
			found = pool_grow(l->pool, found, count, &capacity, sizeof(*found));
			found[count++] = DB_U64(event + place);
		}
	}
	*ids = (struct db_list){ found, count };
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
	DELIVERY_EVENT_MS,
	DELIVERY_LEASED_BY,
	DELIVERY_WEBHOOK_STATE,
	DELIVERY_WEBHOOK_FAILURES,
	DELIVERY_WEBHOOK_RATE,
	DELIVERY_WEBHOOK_HOLD_UNTIL_MS,
	DELIVERY_NOW_MS,
	DELIVERY_CAMPAIGN_ID,
	/* sql_select_delivery alone */
	DELIVERY_PAYLOAD,
	DELIVERY_URL,
	DELIVERY_FORMAT
};

static struct delivery_row
delivery_from_row(const struct db_rows *rows, size_t row)
{
	enum delivery_state state = DELIVERY_PENDING;
	if (!delivery_state_parse(db_get_bytes(rows, row, DELIVERY_STATE), &state))
		log_error("unknown_state", LOG_UINT("delivery", db_get_u64(rows, row, DELIVERY_ID)));
	return (struct delivery_row){
		.id = db_get_u64(rows, row, DELIVERY_ID),
		.webhook_id = db_get_u64(rows, row, DELIVERY_WEBHOOK_ID),
		.campaign_id = db_get_u64(rows, row, DELIVERY_CAMPAIGN_ID),
		.event = (unsigned)db_get_u64(rows, row, DELIVERY_TYPE),
		.lead_social_id = db_get_bytes(rows, row, DELIVERY_LEAD),
		.state = state,
		.attempts = (unsigned)db_get_u64(rows, row, DELIVERY_ATTEMPTS),
		.due_ms = db_get_time(rows, row, DELIVERY_DUE_MS),
		.last_status = store_get_status_code(rows, row, DELIVERY_LAST_STATUS),
		.last_error = db_get_bytes(rows, row, DELIVERY_LAST_ERROR),
		.leased_by = db_get_bytes(rows, row, DELIVERY_LEASED_BY),
		.webhook_state = store_webhook_state(db_get_bytes(rows, row, DELIVERY_WEBHOOK_STATE)),
		.webhook_failures = (unsigned)db_get_u64(rows, row, DELIVERY_WEBHOOK_FAILURES),
		.webhook_rate = (unsigned)db_get_u64(rows, row, DELIVERY_WEBHOOK_RATE),
		.webhook_hold_until_ms = db_get_i64(rows, row, DELIVERY_WEBHOOK_HOLD_UNTIL_MS),
		.now_ms = db_get_i64(rows, row, DELIVERY_NOW_MS),
	};
}

static bool
is_of_class(const struct db_rows *rows, size_t row, enum answer_class wanted)
{
	const bool answered = db_is_null(rows, row, DELIVERY_LAST_ERROR);
	if (wanted == ANY_ANSWER)
		return true;
	return wanted == NO_ANSWER ? !answered
				   : answered && store_get_status_code(rows, row, DELIVERY_LAST_STATUS) / 100 == (int)wanted;
}

/* Applies the whole filter, also what the ids were selected by: a pending delivery may have ended meanwhile. */
static bool
is_wanted(const struct page_reader *l, const struct db_rows *rows, size_t row)
{
	const struct delivery_filter *f = l->filter;
	const int64_t event_ms = db_get_i64(rows, row, DELIVERY_EVENT_MS);
	return event_ms >= l->since_ms && event_ms < l->until_ms &&
	       (f->webhook_id == 0 || db_get_u64(rows, row, DELIVERY_WEBHOOK_ID) == f->webhook_id) &&
	       (f->campaign_id == 0 || db_get_u64(rows, row, DELIVERY_CAMPAIGN_ID) == f->campaign_id) &&
	       is_of_class(rows, row, f->answer) &&
	       (f->event < 0 || db_get_u64(rows, row, DELIVERY_TYPE) == (uint64_t)f->event) &&
	       (f->state < 0 || slice_equal(db_get_bytes(rows, row, DELIVERY_STATE),
				    slice_of(delivery_state_name((enum delivery_state)f->state))));
}

/* Visits the matching deliveries with these ids, at most DB_LIST_MAX. */
static enum result
take_piece(struct page_reader *l, struct db_list ids)
{
	const struct db_arguments arguments = { .lists = { ids, ids }, .list_count = 2 };
	struct pool *piece = pool_new();
	struct db_rows rows;
	enum result result = db_query(l->store->db, piece, &sql_select_deliveries, &arguments, &rows);
	struct delivery_row *fitting = POOL_ARRAY(piece, ids.count, struct delivery_row);
	size_t count = 0;
	for (size_t i = 0; result == RESULT_OK && i < rows.count && count < l->left; i++)
		if (is_wanted(l, &rows, i))
			fitting[count++] = delivery_from_row(&rows, i);
	l->looked_at += ids.count;
	l->left -= count;
	if (count > 0)
		result = l->visit(l->context, fitting, count);
	pool_free(&piece);
	return result;
}

typedef enum result find_function(struct page_reader *l, struct db_list *ids);

static find_function *
way_to_find(const struct delivery_filter *filter)
{
	if (slice_present(filter->lead_social_id))
		return find_ids_of_lead;
	return filter->campaign_id != 0 ? find_ids_of_campaign : find_ids;
}

/* Leaves `below` at the last id that was examined. */
static enum result
take_page(struct page_reader *l)
{
	struct db_list ids;
	enum result result = way_to_find(l->filter)(l, &ids);
	for (size_t from = 0; result == RESULT_OK && from < ids.count && l->left > 0; from += DB_LIST_MAX) {
		const struct db_list piece = store_list_piece(ids, from);
		result = take_piece(l, piece);
		if (l->looked_at >= l->look_at && from + piece.count < ids.count) {
			l->below = piece.values[piece.count - 1].as.u64;
			break;
		}
	}
	return result;
}

/* The webhooks of the filter's campaign; only its webhook, if it has one. */
static enum result
find_webhooks(struct page_reader *l, struct pool *pool)
{
	struct db_rows rows;
	if (l->filter->campaign_id == 0)
		return RESULT_OK;
	const enum result result = store_query(l->store, pool, &rows, &sql_select_webhook_ids, DB_U64(l->filter->campaign_id));
	uint64_t *ids = POOL_ARRAY(pool, rows.count, uint64_t);
	for (size_t i = 0; i < rows.count; i++) {
		const uint64_t id = db_get_u64(&rows, i, 0);
		if (l->filter->webhook_id == 0 || l->filter->webhook_id == id)
			ids[l->webhook_count++] = id;
	}
	l->webhooks = ids;
	return result;
}

/* Ids of the days of the filter. */
static void
set_range(struct page_reader *l)
{
	static const int64_t day_ms = 86400000;
	const uint64_t after = l->filter->after;
	/* an id may be a moment off its event's day: read one day more */
	l->from = history_id_floor(l->since_ms < day_ms ? 0 : l->since_ms - day_ms);
	l->below = history_id_floor(l->until_ms + 2 * day_ms);
	l->below = after > 0 && after < l->below ? after : l->below;
}

/* *next: where it stopped after `look_at` rows, before the end; else 0. */
static enum result
visit_deliveries(struct store *store, const struct delivery_filter *filter, size_t look_at, delivery_visitor *visit,
    void *context, uint64_t *next)
{
	struct pool *pool = pool_new();
	struct page_reader l = { .store = store,
		.filter = filter,
		.since_ms = filter->since_ms < 0 ? 0 : filter->since_ms,
		.until_ms = filter->until_ms < 0 ? CLOCK_END_MS : filter->until_ms,
		.page_size = PAGE_MIN,
		.look_at = look_at,
		.left = filter->limit,
		.visit = visit,
		.context = context };
	enum result result = find_webhooks(&l, pool);
	set_range(&l);
	while (result == RESULT_OK && l.from < l.below && l.left > 0 && l.looked_at < look_at) {
		l.pool = pool_new();
		result = take_page(&l);
		pool_free(&l.pool);
	}
	*next = l.left > 0 && l.from < l.below ? l.below : 0;
	pool_free(&pool);
	return result;
}

enum result
store_visit_deliveries(struct store *store, const struct delivery_filter *filter, delivery_visitor *visit, void *context)
{
	uint64_t next;
	return visit_deliveries(store, filter, SIZE_MAX, visit, context, &next);
}

/* Collects a list. */
struct delivery_collector {
	struct pool *pool;
	struct delivery_list *list;
	size_t capacity;
};

static enum result
collect(void *context, const struct delivery_row *deliveries, size_t count)
{
	struct delivery_collector *g = context;
	struct delivery_list *list = g->list;
	for (size_t i = 0; i < count; i++) {
		list->deliveries = pool_grow(g->pool, list->deliveries, list->count, &g->capacity, sizeof(*list->deliveries));
		struct delivery_row *row = &list->deliveries[list->count++];
		*row = deliveries[i];
		row->lead_social_id = pool_copy(g->pool, row->lead_social_id);
		row->last_error = pool_copy(g->pool, row->last_error);
		row->leased_by = pool_copy(g->pool, row->leased_by);
	}
	return RESULT_OK;
}

enum result
store_list_deliveries(struct store *store, struct pool *pool, const struct delivery_filter *filter, struct delivery_list *list)
{
	struct delivery_collector collector = { .pool = pool, .list = list };
	struct delivery_filter wanted = *filter;
	*list = (struct delivery_list){ 0 };
	wanted.limit = filter->limit + 1; /* shows whether there are more */
	const enum result result = visit_deliveries(store, &wanted, DELIVERIES_EXAMINED, collect, &collector, &list->next);
	if (list->count > filter->limit) {
		list->count = filter->limit;
		list->next = list->deliveries[list->count - 1].id;
	}
	return result;
}

static struct delivery_details
details_from_row(struct store *store, struct pool *pool, const struct db_rows *rows)
{
	const struct delivery_row row = delivery_from_row(rows, 0);
	return (struct delivery_details){
		.row = row,
		.form = store_is_form(db_get_bytes(rows, 0, DELIVERY_FORMAT)),
		.created_ms = db_get_i64(rows, 0, DELIVERY_EVENT_MS),
		.message_id = delivery_message_id(pool, store->installation_id, row.id),
		.payload = db_get_bytes(rows, 0, DELIVERY_PAYLOAD),
		.url = store_open_shown(store, pool, URL_OF_WEBHOOK(row.webhook_id), db_get_bytes(rows, 0, DELIVERY_URL)),
	};
}

enum { ATTEMPT_NUMBER, ATTEMPT_STARTED_MS, ATTEMPT_DURATION_MS, ATTEMPT_STATUS, ATTEMPT_ERROR, ATTEMPT_ANSWER };

static enum result
find_attempts(struct store *store, struct pool *pool, struct delivery_details *delivery)
{
	struct db_value id = DB_U64(delivery->row.id);
	struct db_rows rows;
	enum result result = store_query(store, pool, &rows, &sql_select_attempts, id, id);
	if (result != RESULT_OK)
		return result;
	delivery->attempts = POOL_ARRAY(pool, rows.count, struct attempt_row);
	delivery->attempt_count = rows.count;
	for (size_t i = 0; i < rows.count; i++)
		delivery->attempts[i] = (struct attempt_row){
			.attempt = (unsigned)db_get_u64(&rows, i, ATTEMPT_NUMBER),
			.started_ms = db_get_i64(&rows, i, ATTEMPT_STARTED_MS),
			.duration_ms = (int64_t)db_get_u64(&rows, i, ATTEMPT_DURATION_MS),
			.status = store_get_status_code(&rows, i, ATTEMPT_STATUS),
			.error = db_get_bytes(&rows, i, ATTEMPT_ERROR),
			.answer = db_get_bytes(&rows, i, ATTEMPT_ANSWER),
		};
	return RESULT_OK;
}

enum result
store_find_delivery(struct store *store, struct pool *pool, uint64_t id, struct delivery_details *delivery)
{
	struct db_value value = DB_U64(id);
	const struct db_arguments arguments = { .lists = { { &value, 1 }, { &value, 1 } }, .list_count = 2 };
	struct db_rows rows;
	enum result result = store_read_installation(store);
	/* in one snapshot, so that the attempts match the delivery */
	if (result == RESULT_OK)
		result = db_begin_snapshot(store->db);
	if (result != RESULT_OK)
		return result;
	result = db_query(store->db, pool, &sql_select_delivery, &arguments, &rows);
	if (result == RESULT_OK && rows.count == 0)
		result = RESULT_NOT_FOUND;
	if (result == RESULT_OK) {
		*delivery = details_from_row(store, pool, &rows);
		result = find_attempts(store, pool, delivery);
	}
	db_rollback(store->db);
	return result;
}
