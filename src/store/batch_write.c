/* SPDX-License-Identifier: MIT
 * The last part of a batch: writes the rows that it changes and makes, with multi-row statements. */
#include "store/batch_write.h"

#include "base/panic.h"
#include "engine/decide/decision.h"
#include "store/bulk.h"
#include "store/message_requests.h"
#include "store/query.h"
#include "store/rows.h"
#include "store/sources.h"
#include "store/state.h"
#include "store/statements.h"

#define WRITTEN_COLUMN(type, column, read_for, written, in_payload) FIELD_IF_WRITTEN_##written(", " #column)
#define LEAD_PLACE(type, column, read_for, written, in_payload) FIELD_IF_WRITTEN_##written(", ?")
#define LEAD_CHANGE(type, column, read_for, written, in_payload) \
	FIELD_IF_UPDATED_##written(", " #column " = VALUES(" #column ")")
#define LEAD_COLUMN_LIST LEAD_FIELDS(WRITTEN_COLUMN)
#define LEAD_PLACES LEAD_FIELDS(LEAD_PLACE)
#define LEAD_CHANGES LEAD_FIELDS(LEAD_CHANGE)
#define INSERT_LEAD "INSERT INTO {prefix}leads (id" LEAD_COLUMN_LIST ") VALUES {each}(?" LEAD_PLACES "){between}, {end}"

DB_STATEMENT(sql_delete_leads, "DELETE t FROM " ROWS_WITH_IDS("leads"));
DB_STATEMENT(sql_insert_deleted_lead, "INSERT INTO {prefix}deleted_leads (lead_id) VALUES {each}(?){between}, {end}");
DB_STATEMENT(sql_free_identities, "UPDATE " ROWS_WITH_IDS("leads") " SET t.email_hash = NULL, t.phone_hash = NULL");
/* Existing locked rows are changed by an INSERT with ON DUPLICATE KEY UPDATE: nothing is inserted. */
DB_STATEMENT(sql_update_lead, INSERT_LEAD " ON DUPLICATE KEY UPDATE id = id" LEAD_CHANGES);
DB_STATEMENT(sql_insert_lead, INSERT_LEAD);
#define COUNTER_PLACE(type, column, member) ", ?"
#define COUNTER_PLACES CAMPAIGN_COUNTERS(COUNTER_PLACE)
#define COUNTER_CHANGE(type, column, member) ", " #column " = VALUES(" #column ")"
#define COUNTER_CHANGES CAMPAIGN_COUNTERS(COUNTER_CHANGE)
DB_STATEMENT(sql_update_counters,
    "INSERT INTO {prefix}campaign_counters (campaign_id, last_subscription_number" COUNTER_COLUMN_LIST ")"
    " VALUES {each}(?, ?" COUNTER_PLACES "){between}, {end}"
    " ON DUPLICATE KEY UPDATE leads_version = leads_version + 1,"
    " last_subscription_number = VALUES(last_subscription_number)" COUNTER_CHANGES);
DB_STATEMENT(sql_change_lead_hours,
    "INSERT INTO {prefix}lead_hours (campaign_id, hour, source_class, deleted" COUNTER_COLUMN_LIST ")"
    " VALUES {each}(?, ?, ?, ?" COUNTER_PLACES "){between}, {end}" ADD_TO_LEAD_HOURS);
_Static_assert(RANK_BUCKETS == 16, "sql_change_histogram has 16 buckets");
DB_STATEMENT(sql_change_histogram,
    "INSERT INTO {prefix}score_histogram (node, " RANK_BUCKET_COLUMNS ")"
    " VALUES {each}(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?){between}, {end}"
    " ON DUPLICATE KEY UPDATE s0 = s0 + VALUES(s0), s1 = s1 + VALUES(s1), s2 = s2 + VALUES(s2),"
    " s3 = s3 + VALUES(s3), s4 = s4 + VALUES(s4), s5 = s5 + VALUES(s5), s6 = s6 + VALUES(s6), s7 = s7 + VALUES(s7),"
    " s8 = s8 + VALUES(s8), s9 = s9 + VALUES(s9), s10 = s10 + VALUES(s10), s11 = s11 + VALUES(s11),"
    " s12 = s12 + VALUES(s12), s13 = s13 + VALUES(s13), s14 = s14 + VALUES(s14), s15 = s15 + VALUES(s15)");
DB_STATEMENT(sql_change_ip_leads, "INSERT INTO {prefix}ip_leads (campaign_id, ip, leads)"
				  " VALUES {each}(?, ?, ?){between}, {end}"
				  " ON DUPLICATE KEY UPDATE leads = leads + VALUES(leads)");
/* without leads, storing the address would be useless */
DB_STATEMENT(sql_delete_ip_leads, "DELETE FROM {prefix}ip_leads WHERE campaign_id = ? AND ip = ? AND leads <= 0");
DB_STATEMENT(sql_insert_score_entry,
    "INSERT INTO {prefix}score_entries (lead_id, reason, ref, round, delta, requested, message, created_ms)"
    " VALUES {each}(?, ?, ?, ?, ?, ?, ?, ?){between}, {end}");
#define INSERT_LINK                                                                                  \
	"INSERT INTO {prefix}referral_links (lead_id, level, ancestor_id, counted, counts, settled," \
	" verified_settled, earned, credit, set_off, digest_ms)"                                     \
	" VALUES {each}(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?){between}, {end}"
DB_STATEMENT(sql_update_link,
    INSERT_LINK " ON DUPLICATE KEY UPDATE counted = VALUES(counted), counts = VALUES(counts), settled = VALUES(settled),"
		" verified_settled = VALUES(verified_settled), earned = VALUES(earned), credit = VALUES(credit),"
		" set_off = VALUES(set_off), digest_ms = VALUES(digest_ms)");
DB_STATEMENT(sql_insert_link, INSERT_LINK);
DB_STATEMENT(sql_move_job, "UPDATE {prefix}bulk_jobs"
			   " SET position = ?, failures = 0, delayed_until_ms = 0"
			   " WHERE id = ? AND position = ?");
DB_STATEMENT(sql_delete_job, "DELETE FROM {prefix}bulk_jobs WHERE id = ? AND position = ?");
DB_STATEMENT(sql_insert_event, "INSERT INTO {prefix}events (id, campaign_id, lead_id, type, deliveries, created_ms, payload,"
			       " form_brackets)"
			       " VALUES {each}(?, ?, ?, ?, ?, ?, ?, ?){between}, {end}");
DB_STATEMENT(sql_insert_unverified, "INSERT IGNORE INTO {prefix}unverified_leads (lead_id, campaign_id, requested_ms)"
				    " VALUES {each}(?, ?, ?){between}, {end}");
/* How often an address can be confirmed: the link in a mail works again and again, and all rows are deleted at once with the
 * lead. */
#define CONFIRMATIONS_MAX "20"
DB_STATEMENT(sql_insert_confirmation,
    "INSERT INTO {prefix}confirmations (lead_id, confirmed_ms, channel, address, ip, user_agent)"
    " SELECT r.lead_id, r.confirmed_ms, r.channel, r.address, r.ip, r.user_agent FROM ({each}SELECT ? AS lead_id,"
    " ? AS confirmed_ms, ELT(1 + ?, 'email', 'phone') AS channel, ? AS address, ? AS ip, ? AS user_agent{between} UNION ALL "
    "{end}) r"
    " WHERE r.lead_id IS NOT NULL AND (SELECT COUNT(*) FROM {prefix}confirmations c"
    "   WHERE c.lead_id = r.lead_id AND c.address = r.address) < " CONFIRMATIONS_MAX
    " ON DUPLICATE KEY UPDATE ip = VALUES(ip), user_agent = VALUES(user_agent)");
DB_STATEMENT(sql_delete_confirmations, "DELETE t FROM " ROWS_OF_LEADS("confirmations"));
DB_STATEMENT(sql_insert_due, "INSERT INTO {prefix}due (id, event_id, shard, webhook_id, format, due_ms)"
			     " VALUES {each}(?, ?, ?, ?, ?, ?){between}, {end}");
DB_STATEMENT(sql_insert_used_proof, "INSERT INTO {prefix}used_proofs (nonce, expires_ms) VALUES {each}(?, ?){between}, {end}");

/* State of a write. */
struct write {
	struct store *store;
	struct pool *pool;
	const struct working_set *set;
	const struct decision *decision;
	bool *made_messages;
};

/* sql_update_lead and sql_insert_lead take the same values. */
static void
add_lead(struct row_list *list, const struct lead *l)
{
#define LEAD_VALUE(type, column, read_for, written, in_payload) FIELD_IF_WRITTEN_##written(FIELD_VALUE_##type(l->column), )
	store_add_row(list, DB_U64(l->id), LEAD_FIELDS(LEAD_VALUE));
}

static bool
identity_changed(const struct working_lead *lead)
{
	return !slice_equal(lead->lead.email_hash, lead->loaded_email_hash) ||
	       !slice_equal(lead->lead.phone_hash, lead->loaded_phone_hash);
}

/* Identities are freed before others take them, because keys are unique. */
static enum result
write_leads(const struct write *write)
{
	const struct working_set *set = write->set;
	struct db_value *deleted = POOL_ARRAY(write->pool, set->lead_count, struct db_value);
	struct db_value *freed = POOL_ARRAY(write->pool, set->lead_count, struct db_value);
	size_t deleted_count = 0, freed_count = 0;
	struct row_list noted = store_row_list(write->pool, &sql_insert_deleted_lead, set->lead_count);
	struct row_list updated = store_row_list(write->pool, &sql_update_lead, set->lead_count);
	struct row_list inserted = store_row_list(write->pool, &sql_insert_lead, set->lead_count);
	for (size_t i = 0; i < set->lead_count; i++) {
		const struct lead *lead = &set->leads[i]->lead;
		switch (set->leads[i]->change) {
		case ROW_AS_LOADED:
			break;
		case ROW_CHANGED:
			add_lead(&updated, lead);
			if (identity_changed(set->leads[i]))
				freed[freed_count++] = DB_U64(lead->id);
			break;
		case ROW_CREATED:
			add_lead(&inserted, lead);
			break;
		case ROW_DELETED:
			deleted[deleted_count++] = DB_U64(lead->id);
			store_add_row(&noted, DB_U64(lead->id));
			break;
		}
	}
	if (freed_count == 1)
		freed_count = 0; /* a single changed lead cannot collide with another update; inserts come later */
	enum result result = store_run_on_ids(write->store, &sql_delete_leads, deleted, deleted_count, NULL);
	if (result == RESULT_OK)
		result = store_run_on_ids(write->store, &sql_delete_confirmations, deleted, deleted_count, NULL);
	if (result == RESULT_OK)
		result = store_run_on_ids(write->store, &sql_free_identities, freed, freed_count, NULL);
	return result == RESULT_OK ? store_run_lists(write->store, &noted, &updated, &inserted) : result;
}

#define COUNTER_VALUE(type, column, member) FIELD_VALUE_##type(c->counters.member),

static enum result
write_counters(const struct write *write)
{
	const struct working_set *set = write->set;
	const struct decision *d = write->decision;
	struct row_list counters = store_row_list(write->pool, &sql_update_counters, set->campaign_count);
	struct row_list histogram = store_row_list(write->pool, &sql_change_histogram, d->rank_change_count);
	struct row_list addresses = store_row_list(write->pool, &sql_change_ip_leads, d->ip_move_count);
	struct row_list left = store_row_list(write->pool, &sql_delete_ip_leads, d->ip_move_count);
	for (size_t i = 0; i < set->campaign_count; i++) {
		const struct campaign *c = &set->campaigns[i].campaign;
		if (set->campaigns[i].changed)
			store_add_row(
			    &counters, DB_U64(c->id), DB_U64(c->last_subscription_number), CAMPAIGN_COUNTERS(COUNTER_VALUE));
	}
	for (size_t i = 0; i < d->rank_change_count; i++) {
		const struct rank_node *change = &d->rank_changes[i];
		struct db_value row[1 + RANK_BUCKETS] = { DB_U64(change->node) };
		for (size_t bucket = 0; bucket < RANK_BUCKETS; bucket++)
			row[1 + bucket] = DB_I64(change->leads[bucket]);
		store_add_values(&histogram, row, ARRAY_SIZE(row));
	}
	for (size_t i = 0; i < d->ip_move_count; i++)
		if (d->ip_moves[i].leads < 0)
			store_add_row(&left, DB_U64(d->ip_moves[i].campaign_id), db_bytes(d->ip_moves[i].ip));
	for (size_t i = 0; i < d->ip_move_count; i++)
		if (d->ip_moves[i].leads != 0)
			store_add_row(&addresses, DB_U64(d->ip_moves[i].campaign_id), db_bytes(d->ip_moves[i].ip),
			    DB_I64(d->ip_moves[i].leads));
	return store_run_lists(write->store, &counters, &histogram, &addresses, &left);
}

static enum result
write_hours(const struct write *write)
{
	const struct decision *d = write->decision;
	struct row_list rows = store_row_list(write->pool, &sql_change_lead_hours, d->hour_count);
	for (size_t i = 0; i < d->hour_count; i++) {
		const struct hour_change *h = &d->hours[i];
#define DIFFERENCE(type, column, member) DB_I64((int32_t)h->counters.member),
		store_add_row(&rows, DB_U64(h->campaign_id), DB_U64(h->hour), DB_U64(h->source_class), DB_U64(h->deleted),
		    CAMPAIGN_COUNTERS(DIFFERENCE));
#undef DIFFERENCE
	}
	return store_run_lists(write->store, &rows);
}

static enum result
write_scores(const struct write *write)
{
	const struct working_set *set = write->set;
	const struct decision *d = write->decision;
	struct row_list entries = store_row_list(write->pool, &sql_insert_score_entry, d->entry_count);
	struct row_list updated = store_row_list(write->pool, &sql_update_link, set->link_count);
	struct row_list inserted = store_row_list(write->pool, &sql_insert_link, set->link_count);
	for (size_t i = 0; i < d->entry_count; i++) {
		const struct score_entry *e = &d->entries[i];
		store_add_row(&entries, DB_U64(e->lead_id), db_bytes(score_reason_name(e->reason)), DB_U64(e->ref),
		    DB_U64(e->round), DB_I64(e->delta), DB_I64(e->requested), db_bytes(e->message), DB_I64(set->now_ms));
	}
	for (size_t i = 0; i < set->link_count; i++) {
		const struct referral_link *l = &set->links[i]->link;
		struct row_list *list = set->links[i]->change == ROW_CHANGED   ? &updated
					: set->links[i]->change == ROW_CREATED ? &inserted
									       : NULL;
		if (list != NULL)
			store_add_row(list, DB_U64(l->lead_id), DB_U64(l->level), DB_U64(l->ancestor_id),
			    db_bytes(store_counted_name(l->counted)), DB_BOOL(l->counts), DB_BOOL(l->settled),
			    DB_BOOL(l->verified_settled), DB_U64(l->earned), DB_U64(l->credit), DB_U64(l->set_off),
			    DB_U64(l->digest_ms));
	}
	return store_run_lists(write->store, &entries, &updated, &inserted);
}

/* The job's position and its effects are written together. */
static enum result
write_jobs(const struct write *write)
{
	const struct working_set *set = write->set;
	enum result result = RESULT_OK;
	for (size_t i = 0; i < set->job_count && result == RESULT_OK; i++) {
		const struct working_job *job = &set->jobs[i];
		const struct db_value id = DB_U64(job->id), before = DB_U64(job->loaded_position);
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

static enum result
write_events(const struct write *write)
{
	const int64_t now_ms = write->set->now_ms;
	const struct decision *d = write->decision;
	struct row_list events = store_row_list(write->pool, &sql_insert_event, d->event_count);
	struct row_list due = store_row_list(write->pool, &sql_insert_due, d->delivery_count);
	for (size_t i = 0; i < d->event_count; i++) {
		const struct made_event *e = &d->events[i];
		store_add_row(&events, DB_U64(e->id), DB_U64(e->campaign_id), DB_U64(e->lead_id), DB_U64(e->type),
		    DB_U64(e->deliveries), DB_I64(now_ms), db_bytes(e->payload), DB_U64(e->snapshot->subject.campaign->compat));
	}
	for (size_t i = 0; i < d->delivery_count; i++) {
		const struct made_delivery *m = &d->deliveries[i];
		store_add_row(&due, DB_U64(m->id), DB_U64(m->event_id), DB_U64(webhook_shard(m->webhook_id)),
		    DB_U64(m->webhook_id), db_bytes(m->form ? SLICE("form") : SLICE("json")), DB_I64(now_ms));
	}
	return store_run_lists(write->store, &events, &due);
}

static bool
is_created(const struct working_set *set, uint64_t lead_id)
{
	for (size_t i = 0; i < set->lead_count; i++)
		if (set->leads[i]->lead.id == lead_id)
			return set->leads[i]->change == ROW_CREATED;
	return false;
}

/* Only the sign-up that makes a lead lets it expire without a confirmation: anyone can request further mails. */
static enum result
write_unverified(const struct write *write)
{
	const struct decision *d = write->decision;
	struct row_list rows = store_row_list(write->pool, &sql_insert_unverified, d->message_count);
	for (size_t i = 0; i < d->message_count; i++)
		if (d->messages[i].kind == MESSAGE_VERIFY && is_created(write->set, d->messages[i].lead_id))
			store_add_row(&rows, DB_U64(d->messages[i].lead_id), DB_U64(d->messages[i].campaign_id),
			    DB_I64(write->set->now_ms));
	return store_run_lists(write->store, &rows);
}

static enum result
write_confirmations(const struct write *write)
{
	const struct decision *d = write->decision;
	struct row_list rows = store_row_list(write->pool, &sql_insert_confirmation, d->confirmation_count);
	for (size_t i = 0; i < d->confirmation_count; i++) {
		const struct made_confirmation *c = &d->confirmations[i];
		store_add_row(&rows, DB_U64(c->lead_id), DB_I64(write->set->now_ms), DB_U64(c->channel), db_bytes(c->address),
		    db_bytes(c->ip), db_bytes(c->user_agent));
	}
	return store_run_items(write->store, &rows);
}

/* On a cluster, another node may have used a proof in the meantime: the duplicate key is a conflict, and the next run finds
 * it. */
static enum result
write_proofs(const struct write *write)
{
	const struct decision *d = write->decision;
	struct row_list proofs = store_row_list(write->pool, &sql_insert_used_proof, d->proof_count);
	for (size_t i = 0; i < d->proof_count; i++)
		store_add_row(&proofs, db_bytes(d->proofs[i].nonce), DB_I64(d->proofs[i].expires_ms));
	return store_run_lists(write->store, &proofs);
}

static enum result
write_sources(const struct write *write)
{
	return store_add_imported_sources(write->store, write->pool, write->set);
}

static enum result
write_messages(const struct write *write)
{
	const struct decision *d = write->decision;
	uint64_t released = 0;
	enum result result =
	    store_insert_messages(write->store, write->pool, d->messages, d->message_count, write->set->now_ms);
	if (result == RESULT_OK)
		result =
		    store_release_unconfirmed(write->store, write->pool, d->confirmed_leads, d->confirmed_count, &released);
	*write->made_messages = d->message_count > 0 || released > 0;
	return result;
}

enum result
store_write(
    struct store *store, struct pool *pool, const struct working_set *set, const struct decision *decision, bool *made_messages)
{
	require(db_in_transaction(store->db));
	static enum result (*const steps[])(const struct write *write) = { write_leads, write_counters, write_hours,
		write_scores, write_jobs, write_events, write_unverified, write_confirmations, write_proofs, write_sources,
		write_messages };
	const struct write write = { store, pool, set, decision, made_messages };
	enum result result = RESULT_OK;
	for (size_t i = 0; i < ARRAY_SIZE(steps) && result == RESULT_OK; i++)
		result = steps[i](&write);
	return result;
}
