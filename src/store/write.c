/* SPDX-License-Identifier: MIT
 * The last part of a batch: writes the rows that it changes and makes, with multi-row statements. */
#include <string.h>

#include "base/panic.h"
#include "store/private.h"

#define LEAD_COLUMN(type, column, read_for, written, in_payload) FIELD_IF_WRITTEN_##written(", " #column)
#define LEAD_PLACE(type, column, read_for, written, in_payload) FIELD_IF_WRITTEN_##written(", ?")
#define LEAD_CHANGE(type, column, read_for, written, in_payload) \
	FIELD_IF_UPDATED_##written(", " #column " = VALUES(" #column ")")
#define INSERT_LEAD "INSERT INTO {prefix}leads (id" LEAD_FIELDS(LEAD_COLUMN) ") VALUES (?" LEAD_FIELDS(LEAD_PLACE) ")"

DB_STATEMENT(sql_delete_lead, "DELETE FROM {prefix}leads WHERE id = ?");
DB_STATEMENT(sql_insert_deleted_lead, "INSERT INTO {prefix}deleted_leads (lead_id) VALUES (?)");
DB_STATEMENT(sql_free_identities, "UPDATE {prefix}leads SET email_hash = NULL, phone_hash = NULL WHERE id = ?");
/* the row exists and is locked: nothing is inserted */
DB_STATEMENT(sql_update_lead, INSERT_LEAD " ON DUPLICATE KEY UPDATE id = id" LEAD_FIELDS(LEAD_CHANGE));
DB_STATEMENT(sql_insert_lead, INSERT_LEAD);
#define COUNTER_COLUMN(type, column, member) ", " #column
#define COUNTER_COLUMN_LIST CAMPAIGN_COUNTERS(COUNTER_COLUMN)
#define COUNTER_PLACE(type, column, member) ", ?"
#define COUNTER_PLACES CAMPAIGN_COUNTERS(COUNTER_PLACE)
#define COUNTER_CHANGE(type, column, member) ", " #column " = VALUES(" #column ")"
#define COUNTER_CHANGES CAMPAIGN_COUNTERS(COUNTER_CHANGE)
DB_STATEMENT(sql_update_counters,
    "INSERT INTO {prefix}campaign_counters (campaign_id, last_subscription_number" COUNTER_COLUMN_LIST ")"
    " VALUES (?, ?" COUNTER_PLACES ")"
    " ON DUPLICATE KEY UPDATE leads_version = leads_version + 1,"
    " last_subscription_number = VALUES(last_subscription_number)" COUNTER_CHANGES);
_Static_assert(RANK_SLOTS == 16, "sql_change_histogram has 16 slots");
DB_STATEMENT(sql_change_histogram,
    "INSERT INTO {prefix}score_histogram (node, " RANK_SLOT_COLUMNS ")"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
    " ON DUPLICATE KEY UPDATE s0 = s0 + VALUES(s0), s1 = s1 + VALUES(s1), s2 = s2 + VALUES(s2),"
    " s3 = s3 + VALUES(s3), s4 = s4 + VALUES(s4), s5 = s5 + VALUES(s5), s6 = s6 + VALUES(s6), s7 = s7 + VALUES(s7),"
    " s8 = s8 + VALUES(s8), s9 = s9 + VALUES(s9), s10 = s10 + VALUES(s10), s11 = s11 + VALUES(s11),"
    " s12 = s12 + VALUES(s12), s13 = s13 + VALUES(s13), s14 = s14 + VALUES(s14), s15 = s15 + VALUES(s15)");
DB_STATEMENT(sql_change_ip_leads, "INSERT INTO {prefix}ip_leads (campaign_id, ip, leads)"
				  " VALUES (?, ?, ?)"
				  " ON DUPLICATE KEY UPDATE leads = leads + VALUES(leads)");
DB_STATEMENT(sql_insert_score_entry,
    "INSERT INTO {prefix}score_entries (lead_id, reason, ref, round, delta, requested, message, created_ms)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?)");
DB_STATEMENT(sql_update_link, "UPDATE {prefix}referral_links"
			      " SET counted = ?, counts = ?, settled = ?, verified_settled = ?, earned = ?, credit = ?"
			      " WHERE lead_id = ? AND level = ?");
DB_STATEMENT(sql_insert_link,
    "INSERT INTO {prefix}referral_links (counted, counts, settled, verified_settled, earned, credit, lead_id,"
    " level, ancestor_id)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)");
DB_STATEMENT(sql_move_job, "UPDATE {prefix}bulk_jobs"
			   " SET position = ?, failures = 0, delayed_until_ms = 0"
			   " WHERE id = ? AND position = ?");
DB_STATEMENT(sql_delete_job, "DELETE FROM {prefix}bulk_jobs WHERE id = ? AND position = ?");
DB_STATEMENT(sql_insert_event, "INSERT INTO {prefix}events (id, campaign_id, lead_id, type, deliveries, created_ms, payload)"
			       " VALUES (?, ?, ?, ?, ?, ?, ?)");
DB_STATEMENT(sql_insert_due, "INSERT INTO {prefix}due (id, event_id, shard, webhook_id, format, due_ms)"
			     " VALUES (?, ?, ?, ?, ?, ?)");

store_statement_list sql_of_write = { &sql_delete_lead, &sql_insert_deleted_lead, &sql_free_identities, &sql_update_lead,
	&sql_insert_lead, &sql_update_counters, &sql_change_histogram, &sql_change_ip_leads, &sql_insert_score_entry,
	&sql_update_link, &sql_insert_link, &sql_move_job, &sql_delete_job, &sql_insert_event, &sql_insert_due, NULL };

/* State of a write. */
struct write {
	struct store *store;
	struct pool *pool;
	const struct loaded *loaded;
	const struct decision *decision;
	const struct rank_node *rank_changes;
	size_t rank_change_count;
};

/* The rows for one statement. Their maximum comes from the working set or the decision, each of whose items makes at most one
 * row of a list. */
struct row_list {
	const struct db_statement *statement;
	size_t columns;
	struct db_value *values; /* capacity * columns */
	size_t count, capacity;
};

static struct row_list
row_list(const struct write *write, const struct db_statement *statement, size_t columns, size_t capacity)
{
	struct db_value *values = POOL_ARRAY(write->pool, capacity * columns, struct db_value);
	return (struct row_list){ statement, columns, values, 0, capacity };
}

static void
add_row(struct row_list *list, const struct db_value *row)
{
	require(list->count < list->capacity);
	memcpy(list->values + list->count++ * list->columns, row, list->columns * sizeof(*row));
}

#define ADD_ROW(list, ...) add_row((list), (const struct db_value[]){ __VA_ARGS__ })

/* Less than max_allowed_packet: 16 MiB by default, at least the 1 MiB that `leadhook check` requires. A larger statement costs
 * the connection, which looks like a server that is down. */
enum { BYTES_AT_ONCE = 512 * 1024, BYTES_AROUND_VALUE = 10 /* a number, or the length of bytes, and the NULL flag */ };

static size_t
row_bytes(const struct row_list *list, size_t row)
{
	size_t bytes = list->columns * BYTES_AROUND_VALUE;
	for (size_t i = 0; i < list->columns; i++)
		if (list->values[row * list->columns + i].kind == DB_BYTES)
			bytes += list->values[row * list->columns + i].as.bytes.size;
	return bytes;
}

static enum result
run_rows(const struct write *write, const struct row_list *list)
{
	enum result result = RESULT_OK;
	for (size_t from = 0, to; from < list->count && result == RESULT_OK; from = to) {
		size_t bytes = row_bytes(list, from);
		for (to = from + 1; to < list->count; to++) {
			bytes += row_bytes(list, to);
			if (bytes > BYTES_AT_ONCE)
				break;
		}
		result = db_execute_rows(
		    write->store->db, list->statement, list->values + from * list->columns, list->columns, to - from, NULL);
	}
	return result;
}

/* One after another; a list without rows makes no round trip. */
static enum result
run_lists(const struct write *write, const struct row_list *const *lists, size_t count)
{
	enum result result = RESULT_OK;
	for (size_t i = 0; i < count && result == RESULT_OK; i++)
		result = run_rows(write, lists[i]);
	return result;
}

#define RUN_LISTS(write, ...)                                               \
	run_lists((write), (const struct row_list *const[]){ __VA_ARGS__ }, \
	    sizeof((const struct row_list *const[]){ __VA_ARGS__ }) / sizeof(struct row_list *))

/* sql_update_lead and sql_insert_lead take the same row. */
#define LEAD_COUNT(type, column, read_for, written, in_payload) FIELD_IF_WRITTEN_##written(+1)
enum { LEAD_COLUMNS = 1 LEAD_FIELDS(LEAD_COUNT) };

static void
add_lead(struct row_list *list, const struct lead *l)
{
#define LEAD_VALUE(type, column, read_for, written, in_payload) FIELD_IF_WRITTEN_##written(FIELD_VALUE_##type(l->column), )
	const struct db_value row[LEAD_COLUMNS] = { DB_U64(l->id), LEAD_FIELDS(LEAD_VALUE) };
	add_row(list, row);
}

static bool
identity_changed(const struct loaded *loaded, size_t i)
{
	if (i >= loaded->identity_count)
		return false;
	const struct lead *lead = &loaded->set.leads[i]->lead;
	return !slice_equal(lead->email_hash, loaded->identities[i].email_hash) ||
	       !slice_equal(lead->phone_hash, loaded->identities[i].phone_hash);
}

/* Identities are freed before others take them: unique keys. */
static enum result
write_leads(const struct write *write)
{
	const struct working_set *set = &write->loaded->set;
	struct row_list deleted = row_list(write, &sql_delete_lead, 1, set->lead_count);
	struct row_list noted = row_list(write, &sql_insert_deleted_lead, 1, set->lead_count);
	struct row_list freed = row_list(write, &sql_free_identities, 1, set->lead_count);
	struct row_list updated = row_list(write, &sql_update_lead, LEAD_COLUMNS, set->lead_count);
	struct row_list inserted = row_list(write, &sql_insert_lead, LEAD_COLUMNS, set->lead_count);
	for (size_t i = 0; i < set->lead_count; i++) {
		const struct lead *lead = &set->leads[i]->lead;
		switch (set->leads[i]->change) {
		case ROW_AS_LOADED:
			break;
		case ROW_CHANGED:
			add_lead(&updated, lead);
			if (identity_changed(write->loaded, i))
				ADD_ROW(&freed, DB_U64(lead->id));
			break;
		case ROW_CREATED:
			add_lead(&inserted, lead);
			break;
		case ROW_DELETED:
			ADD_ROW(&deleted, DB_U64(lead->id));
			ADD_ROW(&noted, DB_U64(lead->id));
			break;
		}
	}
	if (freed.count == 1)
		freed.count = 0; /* one changed lead cannot collide with another update; inserts come later */
	return RUN_LISTS(write, &deleted, &noted, &freed, &updated, &inserted);
}

#define COUNTER_COUNT(type, column, member) +1
enum { COUNTER_COLUMNS = 2 CAMPAIGN_COUNTERS(COUNTER_COUNT), HISTOGRAM_COLUMNS = 1 + RANK_SLOTS, IP_COLUMNS = 3 };

static void
add_counters(struct row_list *list, const struct campaign *c)
{
#define COUNTER_VALUE(type, column, member) FIELD_VALUE_##type(c->counters.member),
	const struct db_value row[COUNTER_COLUMNS] = { DB_U64(c->id), DB_U64(c->last_subscription_number),
		CAMPAIGN_COUNTERS(COUNTER_VALUE) };
	add_row(list, row);
}

static enum result
write_counters(const struct write *write)
{
	const struct working_set *set = &write->loaded->set;
	const struct decision *d = write->decision;
	struct row_list counters = row_list(write, &sql_update_counters, COUNTER_COLUMNS, set->campaign_count);
	struct row_list histogram = row_list(write, &sql_change_histogram, HISTOGRAM_COLUMNS, write->rank_change_count);
	struct row_list addresses = row_list(write, &sql_change_ip_leads, IP_COLUMNS, d->ip_move_count);
	for (size_t i = 0; i < set->campaign_count; i++) {
		const struct campaign *c = &set->campaigns[i].campaign;
		if (set->campaigns[i].changed)
			add_counters(&counters, c);
	}
	for (size_t i = 0; i < write->rank_change_count; i++) {
		const struct rank_node *change = &write->rank_changes[i];
		struct db_value row[HISTOGRAM_COLUMNS] = { DB_U64(change->node) };
		for (size_t slot = 0; slot < RANK_SLOTS; slot++)
			row[1 + slot] = DB_I64(change->leads[slot]);
		add_row(&histogram, row);
	}
	for (size_t i = 0; i < d->ip_move_count; i++)
		if (d->ip_moves[i].leads != 0)
			ADD_ROW(&addresses, DB_U64(d->ip_moves[i].campaign_id), db_bytes(d->ip_moves[i].ip),
			    DB_I64(d->ip_moves[i].leads));
	return RUN_LISTS(write, &counters, &histogram, &addresses);
}

enum { ENTRY_COLUMNS = 8, LINK_UPDATE_COLUMNS = 8, LINK_INSERT_COLUMNS = LINK_UPDATE_COLUMNS + 1 };

static enum result
write_scores(const struct write *write)
{
	const struct working_set *set = &write->loaded->set;
	const struct decision *d = write->decision;
	struct row_list entries = row_list(write, &sql_insert_score_entry, ENTRY_COLUMNS, d->entry_count);
	struct row_list updated = row_list(write, &sql_update_link, LINK_UPDATE_COLUMNS, set->link_count);
	struct row_list inserted = row_list(write, &sql_insert_link, LINK_INSERT_COLUMNS, set->link_count);
	for (size_t i = 0; i < d->entry_count; i++) {
		const struct score_entry *e = &d->entries[i];
		ADD_ROW(&entries, DB_U64(e->lead_id), db_bytes(score_reason_name(e->reason)), DB_U64(e->ref), DB_U64(e->round),
		    DB_I64(e->delta), DB_I64(e->requested), db_bytes(e->message), DB_I64(set->now_ms));
	}
	for (size_t i = 0; i < set->link_count; i++) {
		const struct referral_link *l = &set->links[i]->link;
		const struct db_value row[] = { db_bytes(store_counted_name(l->counted)), DB_BOOL(l->counts),
			DB_BOOL(l->settled), DB_BOOL(l->verified_settled), DB_U64(l->earned), DB_U64(l->credit),
			DB_U64(l->lead_id), DB_U64(l->level), DB_U64(l->ancestor_id) };
		if (set->links[i]->change == ROW_CHANGED)
			add_row(&updated, row);
		else if (set->links[i]->change == ROW_CREATED)
			add_row(&inserted, row);
	}
	return RUN_LISTS(write, &entries, &updated, &inserted);
}

/* The job's position and its effects are written together. */
static enum result
write_jobs(const struct write *write)
{
	const struct working_set *set = &write->loaded->set;
	enum result result = RESULT_OK;
	for (size_t i = 0; i < set->job_count && result == RESULT_OK; i++) {
		const struct working_job *job = &set->jobs[i];
		const struct db_value id = DB_U64(job->id), before = DB_U64(write->loaded->job_positions[i]);
		if (!job->changed)
			continue;
		result = store_note_job_served(write->store, job->id);
		if (result == RESULT_OK)
			result = job->position < job->total
				     ? store_change_one(write->store, &sql_move_job, DB_U64(job->position), id, before)
				     : store_change_one(write->store, &sql_delete_job, id, before);
		if (result == RESULT_NOT_FOUND)
			result = RESULT_CONFLICT;
	}
	return result;
}

enum { EVENT_COLUMNS = 7, DUE_COLUMNS = 6 };

static enum result
write_events(const struct write *write)
{
	const int64_t now_ms = write->loaded->set.now_ms;
	const struct decision *d = write->decision;
	struct row_list events = row_list(write, &sql_insert_event, EVENT_COLUMNS, d->event_count);
	struct row_list due = row_list(write, &sql_insert_due, DUE_COLUMNS, d->delivery_count);
	for (size_t i = 0; i < d->event_count; i++) {
		const struct made_event *e = &d->events[i];
		ADD_ROW(&events, DB_U64(e->id), DB_U64(e->campaign_id), DB_U64(e->lead_id), DB_U64(e->type),
		    DB_U64(e->deliveries), DB_I64(now_ms), db_bytes(e->payload));
	}
	for (size_t i = 0; i < d->delivery_count; i++) {
		const struct made_delivery *m = &d->deliveries[i];
		ADD_ROW(&due, DB_U64(m->id), DB_U64(m->event_id), DB_U64(webhook_shard(m->webhook_id)), DB_U64(m->webhook_id),
		    db_bytes(m->form ? SLICE("form") : SLICE("json")), DB_I64(now_ms));
	}
	return RUN_LISTS(write, &events, &due);
}

enum result
store_write(struct store *store, struct pool *pool, const struct loaded *loaded, const struct decision *decision,
    const struct rank_node *rank_changes, size_t rank_change_count)
{
	require(db_in_transaction(store->db));
	static enum result (*const steps[])(
	    const struct write *write) = { write_leads, write_counters, write_scores, write_jobs, write_events };
	const struct write write = { store, pool, loaded, decision, rank_changes, rank_change_count };
	enum result result = RESULT_OK;
	for (size_t i = 0; i < ARRAY_SIZE(steps) && result == RESULT_OK; i++)
		result = steps[i](&write);
	return result;
}
