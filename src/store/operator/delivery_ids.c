/* SPDX-License-Identifier: MIT */
#include "store/operator/delivery_ids.h"

#include "base/duration.h"
#include "os/clock.h"
#include "store/query.h"
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

/* nearly all deliveries are delivered: they are read in the order of the primary key up to the limit; few have failed: they are
 * sorted from the index alone */
DB_STATEMENT(sql_select_delivery_ids,
    IDS_OF_ENDED("PRIMARY", "state = 'delivered'") " UNION " IDS_OF_ENDED(
	"by_state_and_webhook", "state = 'failed'") " UNION " IDS_OF_DUE("PRIMARY", "") " ORDER BY id DESC"
											" LIMIT ?");
/* each part is read in the order of its index, no further than its limit; but the pending deliveries of a webhook are read as a
 * whole, from the index alone */
DB_STATEMENT(sql_select_delivery_ids_of_webhook,
    IDS_OF_ENDED("by_state_and_webhook", "webhook_id = ? AND state = 'delivered'") " UNION " IDS_OF_ENDED(
	"by_state_and_webhook", "webhook_id = ? AND state = 'failed'") " UNION " IDS_OF_DUE("by_webhook",
	"shard = ? AND webhook_id = ? AND ") " ORDER BY id DESC"
					     " LIMIT ?");
DB_STATEMENT(sql_select_webhook_ids, "SELECT id FROM {prefix}webhooks WHERE campaign_id = ?");
/* all pending deliveries of one webhook, up to the limit … */
DB_STATEMENT(sql_select_due_ids_of_webhook, "SELECT id"
					    " FROM {prefix}due FORCE INDEX (by_webhook)"
					    " WHERE shard = ? AND webhook_id = ?"
					    " LIMIT ?");
/* … and if it has more, which this index sorts by time: some of the pending deliveries of all webhooks */
DB_STATEMENT(sql_select_due_ids, "SELECT id, webhook_id"
				 " FROM {prefix}due FORCE INDEX (PRIMARY)"
				 " WHERE id >= ? AND id < ?"
				 " ORDER BY id DESC"
				 " LIMIT ?");
DB_STATEMENT(sql_select_event_ids_of_lead,
    "SELECT id, deliveries"
    " FROM {prefix}events FORCE INDEX (by_lead)"
    " WHERE campaign_id = (SELECT campaign_id FROM {prefix}leads WHERE social_id = ?)"
    "   AND lead_id = (SELECT id FROM {prefix}leads WHERE social_id = ?) AND id >= ? AND id < ?"
    " ORDER BY id DESC"
    " LIMIT ?");
/* Pages grow, because each sorts all pending deliveries of a webhook again. Pages of a campaign have the same number of ids
 * from each webhook, and most of them are used. */
enum {
	PAGE_MIN = 32,
	PAGE_ALL = DB_LIST_MAX, /* the first page if all are visited; the largest page for each webhook of a campaign */
	PAGE_MAX = 64 * DB_LIST_MAX,
	PAGE_EVENTS = 64,
	PAGE_DUE = 2 * DB_LIST_MAX
};

/* sql_select_delivery_ids… has a part for each of them. */
static const enum delivery_state parts[] = { DELIVERY_DELIVERED, DELIVERY_FAILED, DELIVERY_PENDING };
enum { ENDED_PARTS = 2, ALL_PARTS };

static bool
is_wanted_state(const struct delivery_ids *l, enum delivery_state state)
{
	return l->filter->state < 0 || l->filter->state == (int)state;
}

/* For one webhook; 0: for all. `wanted_parts`: ENDED_PARTS, ALL_PARTS. */
static enum result
query_ids(struct delivery_ids *l, struct pool *pool, uint64_t webhook, size_t wanted_parts, struct db_rows *rows)
{
	struct db_value values[ARRAY_SIZE(parts) * 5 + 1];
	size_t used = 0;
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		bool wanted = i < wanted_parts && is_wanted_state(l, parts[i]);
		if (webhook != 0 && parts[i] == DELIVERY_PENDING)
			values[used++] = DB_U64(webhook_shard(webhook));
		if (webhook != 0)
			values[used++] = DB_U64(webhook);
		values[used++] = DB_U64(l->from);
		values[used++] = DB_U64(l->below);
		values[used++] = DB_U64(wanted ? l->page_size : 0);
	}
	values[used++] = DB_U64(l->page_size);
	return db_query(l->store->db, pool, webhook == 0 ? &sql_select_delivery_ids : &sql_select_delivery_ids_of_webhook,
	    &DB_ARRAY(values, used), rows);
}

static void
grow_page(struct delivery_ids *l, size_t maximum)
{
	l->page_size = 2 * l->page_size < maximum ? 2 * l->page_size : maximum;
}

static enum result
find_ids(struct delivery_ids *l, struct pool *pool, struct db_list *ids)
{
	struct db_rows rows;
	enum result result = query_ids(l, pool, l->filter->webhook_id, ALL_PARTS, &rows);
	if (result != RESULT_OK)
		return result;
	*ids = (struct db_list){ rows.values, rows.count };
	l->below = rows.count < l->page_size ? l->from : db_get_u64(&rows, rows.count - 1, 0);
	grow_page(l, PAGE_MAX);
	return RESULT_OK;
}

/* Ids from several queries. Each has the highest ids below `below`; ids that a query did not read are below its last one. */
struct merged_ids {
	uint64_t *ids;
	size_t count, capacity;
	uint64_t from; /* each query has read all ids from here on */
};

static void
merge_id(struct pool *pool, struct merged_ids *merged, uint64_t id)
{
	merged->ids = pool_grow(pool, merged->ids, merged->count, &merged->capacity, sizeof(*merged->ids));
	merged->ids[merged->count++] = id;
}

/* Notes how far a query with this limit has read. */
static void
note_read(const struct delivery_ids *l, struct merged_ids *merged, const struct db_rows *rows, size_t limit)
{
	const uint64_t last = rows->count < limit ? l->from : db_get_u64(rows, rows->count - 1, 0);
	merged->from = last > merged->from ? last : merged->from;
}

/* Pending deliveries of the webhook. *many: there are so many that they are read together with those of other webhooks. */
static enum result
merge_due_of_webhook(struct delivery_ids *l, struct pool *pool, struct merged_ids *merged, uint64_t webhook, bool *many)
{
	struct db_rows rows;
	const enum result result = store_query(l->store, pool, &rows, &sql_select_due_ids_of_webhook,
	    DB_U64(webhook_shard(webhook)), DB_U64(webhook), DB_U64(PAGE_DUE));
	*many = rows.count == PAGE_DUE;
	for (size_t i = 0; i < rows.count && !*many; i++) {
		const uint64_t id = db_get_u64(&rows, i, 0);
		if (id >= l->from && id < l->below)
			merge_id(pool, merged, id);
	}
	return result;
}

/* Pending deliveries of these webhooks, among the highest ids of all. */
static enum result
merge_due(struct delivery_ids *l, struct pool *pool, struct merged_ids *merged, const struct db_list *webhooks)
{
	struct db_rows rows;
	const enum result result =
	    store_query(l->store, pool, &rows, &sql_select_due_ids, DB_U64(l->from), DB_U64(l->below), DB_U64(PAGE_DUE));
	for (size_t i = 0; i < rows.count; i++)
		for (size_t k = 0; k < webhooks->count; k++)
			if (db_get_u64(&rows, i, 1) == webhooks->values[k].as.u64)
				merge_id(pool, merged, db_get_u64(&rows, i, 0));
	note_read(l, merged, &rows, PAGE_DUE);
	l->looked_at += rows.count;
	return result;
}

static enum result
merge_ended(struct delivery_ids *l, struct pool *pool, struct merged_ids *merged, uint64_t webhook)
{
	struct db_rows rows;
	const enum result result = query_ids(l, pool, webhook, ENDED_PARTS, &rows);
	for (size_t i = 0; i < rows.count; i++)
		merge_id(pool, merged, db_get_u64(&rows, i, 0));
	note_read(l, merged, &rows, l->page_size);
	return result;
}

/* The ids that each query has read, the highest first. */
static struct db_list
list_from(struct pool *pool, const struct merged_ids *merged)
{
	struct db_list sorted = store_id_list(pool, merged->ids, merged->count);
	struct db_value *values = POOL_ARRAY(pool, sorted.count, struct db_value);
	size_t count = 0;
	for (size_t i = sorted.count; i > 0 && sorted.values[i - 1].as.u64 >= merged->from; i--)
		values[count++] = sorted.values[i - 1];
	return (struct db_list){ values, count };
}

static enum result
merge_all_due(struct delivery_ids *l, struct pool *pool, struct merged_ids *merged)
{
	struct db_value *searched = POOL_ARRAY(pool, l->webhook_count, struct db_value);
	size_t count = 0;
	enum result result = RESULT_OK;
	for (size_t i = 0; i < l->webhook_count && result == RESULT_OK; i++) {
		bool many = false;
		result = merge_due_of_webhook(l, pool, merged, l->webhooks[i], &many);
		if (many)
			searched[count++] = DB_U64(l->webhooks[i]);
	}
	return result == RESULT_OK && count > 0 ? merge_due(l, pool, merged, &(struct db_list){ searched, count }) : result;
}

/* Reads pending deliveries first: one that ends in between is found among the ended ones. */
static enum result
find_ids_of_campaign(struct delivery_ids *l, struct pool *pool, struct db_list *ids)
{
	struct merged_ids merged = { .from = l->from };
	enum result result = is_wanted_state(l, DELIVERY_PENDING) ? merge_all_due(l, pool, &merged) : RESULT_OK;
	for (size_t i = 0; i < l->webhook_count && result == RESULT_OK; i++)
		result = merge_ended(l, pool, &merged, l->webhooks[i]);
	*ids = list_from(pool, &merged);
	l->below = merged.from;
	grow_page(l, PAGE_ALL);
	return result;
}

enum { EVENT_ID, EVENT_DELIVERIES };

/* The ids of a lead's deliveries follow those of its events. */
static enum result
find_ids_of_lead(struct delivery_ids *l, struct pool *pool, struct db_list *ids)
{
	const struct db_value lead = db_bytes(l->filter->lead_social_id);
	struct db_value values[] = { lead, lead, DB_U64(l->from), DB_U64(l->below), DB_U64(PAGE_EVENTS) };
	struct db_rows events;
	struct db_value *found = NULL;
	size_t count = 0, capacity = 0;
	const uint64_t below = l->below;
	enum result result =
	    db_query(l->store->db, pool, &sql_select_event_ids_of_lead, &DB_ARRAY(values, ARRAY_SIZE(values)), &events);
	if (result != RESULT_OK)
		return result;
	l->below = events.count < PAGE_EVENTS ? l->from : db_get_u64(&events, events.count - 1, EVENT_ID);
	for (size_t i = 0; i < events.count; i++) {
		const uint64_t event = db_get_u64(&events, i, EVENT_ID);
		for (uint64_t place = db_get_u64(&events, i, EVENT_DELIVERIES); place > 0; place--) {
			if (event + place >= below)
				continue;
			found = pool_grow(pool, found, count, &capacity, sizeof(*found));
			found[count++] = DB_U64(event + place);
		}
	}
	*ids = (struct db_list){ found, count };
	return RESULT_OK;
}

/* The webhooks of the filter's campaign; only the filter's webhook, if it has one. `pool` outlives the list. */
static enum result
find_webhooks(struct delivery_ids *l, struct pool *pool)
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

enum result
delivery_ids_begin(
    struct delivery_ids *l, struct store *store, struct pool *pool, const struct delivery_filter *filter, size_t enough)
{
	*l = (struct delivery_ids){ .store = store,
		.filter = filter,
		.since_ms = filter->since_ms < 0 ? 0 : filter->since_ms,
		.until_ms = filter->until_ms < 0 ? CLOCK_END_MS : filter->until_ms };
	/* an id may be slightly off its event's day: read one day more */
	l->from = history_id_floor(l->since_ms < DAY_MS ? 0 : l->since_ms - DAY_MS);
	l->below = history_id_floor(l->until_ms + 2 * DAY_MS);
	if (filter->after > 0 && filter->after < l->below)
		l->below = filter->after;
	const enum result result = find_webhooks(l, pool);
	const size_t of_each = l->webhook_count > 1 ? enough / l->webhook_count : enough;
	l->page_size = of_each < PAGE_MIN ? PAGE_MIN : of_each > PAGE_ALL ? PAGE_ALL : of_each;
	return result;
}

enum result
delivery_ids_next(struct delivery_ids *l, struct pool *pool, struct db_list *ids)
{
	if (slice_present(l->filter->lead_social_id))
		return find_ids_of_lead(l, pool, ids);
	return l->filter->campaign_id != 0 ? find_ids_of_campaign(l, pool, ids) : find_ids(l, pool, ids);
}
