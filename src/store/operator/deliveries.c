/* SPDX-License-Identifier: MIT
 * Deliveries as the operator sees them: one of them, or a list. Pending ones are rows of `due`, ended ones of `deliveries`; for
 * most values in a filter, both tables contain only ids.
 *
 * The list is read page by page: first the ids (delivery_ids.h); then the rows with these ids, piece by piece, to which the
 * filter is applied. A delivery that ends in between is always in at least one of the two tables. */
#include "store/operator/deliveries.h"

#include "os/clock.h"
#include "os/log.h"
#include "store/operator/delivery_ids.h"
#include "store/query.h"
#include "store/rows.h"
#include "store/secrets.h"
#include "store/state.h"
#include "store/statements.h"

/* Rows of both tables. */
#define SELECT_DELIVERIES(columns)                                                                                      \
	"SELECT d.id, d.webhook_id, e.type, l.social_id, d.state, d.attempts, d.due_ms, d.last_status,"                 \
	" d.last_error, e.created_ms, CASE WHEN h.lease_until_ms > " NOW " THEN h.owner END, w.state,"                  \
	" CAST(COALESCE(s.failures, 0) AS UNSIGNED), CAST(COALESCE(w.rate, 0) AS UNSIGNED),"                            \
	" COALESCE(s.hold_until_ms, 0), " NOW ", e.campaign_id, e.lead_id" columns                                      \
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

DB_STATEMENT(sql_select_deliveries, SELECT_DELIVERIES(""));
DB_STATEMENT(sql_select_delivery, SELECT_DELIVERIES(", e.payload, w.url, d.format"));
/* the only attempt of a delivery that succeeded at once is in its own row */
DB_STATEMENT(sql_select_attempts, "(SELECT attempt, started_ms, duration_ms, status, error, answer"
				  " FROM {prefix}attempts"
				  " WHERE delivery_id = ?"
				  " ORDER BY attempt DESC"
				  " LIMIT 100)"
				  " UNION ALL SELECT attempts, started_ms, duration_ms, last_status, last_error, answer"
				  " FROM {prefix}deliveries"
				  " WHERE id = ? AND started_ms IS NOT NULL"
				  " ORDER BY attempt");

/* State of reading a list. */
struct page_reader {
	struct store *store;
	const struct delivery_filter *filter;
	struct delivery_ids ids;
	size_t look_at; /* stops after this many rows that do not match the filter; SIZE_MAX: at the end */
	int64_t deadline_ms;
	size_t left; /* how many more rows the filter asks for */
	delivery_visitor *visit;
	void *context;
};

/* Columns of sql_select_deliveries; sql_select_delivery has three more. */
enum { ID, WEBHOOK, TYPE, LEAD, STATE, ATTEMPTS, DUE_MS, LAST_STATUS, LAST_ERROR, EVENT_MS, LEASED_BY, WEBHOOK_STATE };
enum { FAILURES = WEBHOOK_STATE + 1, RATE, HOLD_UNTIL_MS, NOW_MS, CAMPAIGN_ID, LEAD_ID, PAYLOAD, URL, FORMAT };

static struct delivery_row
delivery_from_row(const struct db_rows *rows, size_t row)
{
	enum delivery_state state = DELIVERY_PENDING;
	if (!delivery_state_parse(db_get_bytes(rows, row, STATE), &state))
		log_error("unknown_state", LOG_UINT("delivery", db_get_u64(rows, row, ID)));
	return (struct delivery_row){
		.id = db_get_u64(rows, row, ID),
		.webhook_id = db_get_u64(rows, row, WEBHOOK),
		.campaign_id = db_get_u64(rows, row, CAMPAIGN_ID),
		.event = (unsigned)db_get_u64(rows, row, TYPE),
		.created_ms = db_get_i64(rows, row, EVENT_MS),
		.lead_id = store_get_id(rows, row, LEAD_ID),
		.lead_social_id = db_get_bytes(rows, row, LEAD),
		.state = state,
		.attempts = (unsigned)db_get_u64(rows, row, ATTEMPTS),
		.due_ms = db_get_time(rows, row, DUE_MS),
		.last_status = store_get_status_code(rows, row, LAST_STATUS),
		.last_error = db_get_bytes(rows, row, LAST_ERROR),
		.leased_by = db_get_bytes(rows, row, LEASED_BY),
		.webhook_state = store_webhook_state(db_get_bytes(rows, row, WEBHOOK_STATE)),
		.webhook_failures = (unsigned)db_get_u64(rows, row, FAILURES),
		.webhook_rate = (unsigned)db_get_u64(rows, row, RATE),
		.webhook_hold_until_ms = db_get_i64(rows, row, HOLD_UNTIL_MS),
		.now_ms = db_get_i64(rows, row, NOW_MS),
	};
}

static bool
is_of_class(const struct db_rows *rows, size_t row, enum answer_class wanted)
{
	const bool answered = db_is_null(rows, row, LAST_ERROR);
	if (wanted == ANY_ANSWER)
		return true;
	return wanted == NO_ANSWER ? !answered : answered && store_get_status_code(rows, row, LAST_STATUS) / 100 == (int)wanted;
}

/* Applies the whole filter, including the values by which the ids were selected: a pending delivery may have ended since. */
static bool
is_wanted(const struct page_reader *l, const struct db_rows *rows, size_t row)
{
	const struct delivery_filter *f = l->filter;
	const int64_t event_ms = db_get_i64(rows, row, EVENT_MS);
	return event_ms >= l->ids.since_ms && event_ms < l->ids.until_ms &&
	       (f->webhook_id == 0 || db_get_u64(rows, row, WEBHOOK) == f->webhook_id) &&
	       (f->campaign_id == 0 || db_get_u64(rows, row, CAMPAIGN_ID) == f->campaign_id) &&
	       is_of_class(rows, row, f->answer) && (f->event < 0 || db_get_u64(rows, row, TYPE) == (uint64_t)f->event) &&
	       (f->state < 0 ||
		   slice_equal(db_get_bytes(rows, row, STATE), slice_of(delivery_state_name((enum delivery_state)f->state))));
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
	l->ids.looked_at += ids.count - count;
	l->left -= count;
	if (count > 0)
		result = l->visit(l->context, fitting, count);
	pool_free(&piece);
	return result;
}

static bool
is_late(const struct page_reader *l)
{
	return clock_monotonic_ms() >= l->deadline_ms;
}

/* Pieces are small if the visit may stop before the end. If it does, the rest of the page remains. */
static enum result
take_page(struct page_reader *l, struct pool *pool)
{
	enum { SMALL_PIECE = 250 };
	struct db_list ids;
	const bool may_stop = l->deadline_ms != CLOCK_NEVER || l->look_at != SIZE_MAX;
	size_t taken = 0;
	enum result result = delivery_ids_next(&l->ids, pool, &ids);
	while (result == RESULT_OK && taken < ids.count && l->left > 0 &&
	       (taken == 0 || (l->ids.looked_at < l->look_at && !is_late(l)))) {
		struct db_list piece = store_list_piece(ids, taken);
		if (may_stop && piece.count > SMALL_PIECE)
			piece.count = SMALL_PIECE;
		result = take_piece(l, piece);
		taken += piece.count;
	}
	if (result == RESULT_OK && taken < ids.count)
		l->ids.below = ids.values[taken - 1].as.u64;
	return result;
}

/* Whether it examines rows that may not match the filter: the indexes do not contain these values. */
static bool
examines(const struct delivery_filter *filter)
{
	return filter->answer != ANY_ANSWER || filter->event >= 0;
}

/* Visits at least one page, up to the deadline or `look_at` rows that do not match the filter. */
static enum result
visit_deliveries(struct store *store, const struct delivery_filter *filter, struct delivery_walk *walk, size_t look_at,
    delivery_visitor *visit, void *context)
{
	struct pool *pool = pool_new();
	struct page_reader l = { .store = store,
		.filter = filter,
		.look_at = look_at,
		.deadline_ms = walk->deadline_ms,
		.left = filter->limit,
		.visit = visit,
		.context = context };
	const bool is_short = look_at != SIZE_MAX && !examines(filter);
	enum result result = delivery_ids_begin(&l.ids, store, pool, filter, is_short ? filter->limit : look_at);
	if (walk->below != 0 && walk->below < l.ids.below)
		l.ids.below = walk->below;
	bool late = false;
	while (result == RESULT_OK && l.ids.from < l.ids.below && l.left > 0 && l.ids.looked_at < look_at && !late) {
		struct pool *page = pool_new();
		result = take_page(&l, page);
		pool_free(&page);
		late = is_late(&l);
	}
	walk->done = l.left == 0 || l.ids.from >= l.ids.below;
	walk->below = l.ids.below;
	pool_free(&pool);
	return result;
}

enum result
store_visit_deliveries(struct store *store, const struct delivery_filter *filter, struct delivery_walk *walk,
    delivery_visitor *visit, void *context)
{
	return visit_deliveries(store, filter, walk, SIZE_MAX, visit, context);
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
	struct delivery_walk walk = { .deadline_ms = CLOCK_NEVER };
	*list = (struct delivery_list){ 0 };
	wanted.limit = filter->limit + 1; /* shows whether there are more */
	const enum result result = visit_deliveries(store, &wanted, &walk, DELIVERIES_EXAMINED, collect, &collector);
	list->next = walk.done ? 0 : walk.below;
	if (list->count > filter->limit) {
		list->count = filter->limit;
		list->next = list->deliveries[list->count - 1].id;
	}
	return result;
}

static enum result
count_them(void *context, const struct delivery_row *deliveries UNUSED, size_t count)
{
	*(uint64_t *)context += count;
	return RESULT_OK;
}

enum result
store_count_deliveries(struct store *store, const struct delivery_filter *filter, uint64_t *count, bool *more)
{
	struct delivery_filter wanted = *filter;
	struct delivery_walk walk = { .deadline_ms = CLOCK_NEVER };
	wanted.limit = filter->limit + 1; /* shows whether there are more */
	*count = 0;
	const enum result result = visit_deliveries(store, &wanted, &walk, DELIVERIES_COUNTED, count_them, count);
	*more = *count > filter->limit || !walk.done;
	if (*count > filter->limit)
		*count = filter->limit;
	return result;
}

enum result
store_find_deliveries(
    struct store *store, struct pool *pool, const uint64_t *ids, size_t count, struct delivery_row **deliveries, size_t *found)
{
	struct db_value *values = POOL_ARRAY(pool, count, struct db_value);
	struct db_rows rows;
	for (size_t i = 0; i < count; i++)
		values[i] = DB_U64(ids[i]);
	const struct db_list lists[] = { { values, count }, { values, count } };
	const enum result result = store_query_lists(store, pool, &sql_select_deliveries, lists, ARRAY_SIZE(lists), &rows);
	*deliveries = POOL_ARRAY(pool, rows.count, struct delivery_row);
	*found = rows.count;
	for (size_t i = 0; i < rows.count; i++)
		(*deliveries)[i] = delivery_from_row(&rows, i);
	return result;
}

static struct delivery_details
details_from_row(struct store *store, struct pool *pool, const struct db_rows *rows)
{
	const struct delivery_row row = delivery_from_row(rows, 0);
	return (struct delivery_details){
		.row = row,
		.form = store_is_form(db_get_bytes(rows, 0, FORMAT)),
		.message_id = delivery_message_id(pool, store->installation_id, row.id),
		.payload = db_get_bytes(rows, 0, PAYLOAD),
		.url = store_open_shown(store, pool, URL_OF_WEBHOOK(row.webhook_id), db_get_bytes(rows, 0, URL)),
	};
}

static enum result
find_attempts(struct store *store, struct pool *pool, struct delivery_details *delivery)
{
	enum { NUMBER, STARTED_MS, DURATION_MS, STATUS, ERROR, ANSWER };
	struct db_value id = DB_U64(delivery->row.id);
	struct db_rows rows;
	enum result result = store_query(store, pool, &rows, &sql_select_attempts, id, id);
	if (result != RESULT_OK)
		return result;
	delivery->attempts = POOL_ARRAY(pool, rows.count, struct attempt_row);
	delivery->attempt_count = rows.count;
	for (size_t i = 0; i < rows.count; i++)
		delivery->attempts[i] = (struct attempt_row){
			.attempt = (unsigned)db_get_u64(&rows, i, NUMBER),
			.started_ms = db_get_i64(&rows, i, STARTED_MS),
			.duration_ms = (int64_t)db_get_u64(&rows, i, DURATION_MS),
			.status = store_get_status_code(&rows, i, STATUS),
			.error = db_get_bytes(&rows, i, ERROR),
			.answer = db_get_bytes(&rows, i, ANSWER),
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
