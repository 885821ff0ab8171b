/* SPDX-License-Identifier: MIT
 * Load, decide, write: a batch of commands as one transaction with a fixed number of statements, however many commands there
 * are and however large the campaign is. */
#include <inttypes.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/random.h"
#include "core/social_id.h"
#include "core/webhook_url.h"
#include "store/private.h"

enum { TOKEN_SIZE = 16, TOKEN_TIME_SIZE = 6, WEBHOOKS_EXPECTED = 20 };

struct batch {
	struct store *store;
	const struct command *const *commands;
	size_t count;
	unsigned char token[TOKEN_SIZE];
	bool done_before; /* the token was there: an earlier run was committed */
	size_t webhooks;  /* that deliveries are made for at most, as far as is known */
};

/* What one run of a batch works with; lives in the run's pool. */
struct run {
	struct pool *pool;
	struct working_set set;
	struct decide_supplies supplies;
	struct decision decision;
	struct outcome *outcomes;
};

static void
make_token(unsigned char token[TOKEN_SIZE])
{
	uint64_t now = (uint64_t)clock_wall_ms();
	random_bytes(token, TOKEN_SIZE);
	for (int i = 0; i < TOKEN_TIME_SIZE; i++)
		token[i] = (unsigned char)(now >> (8 * (TOKEN_TIME_SIZE - 1 - i)));
}

/* Ids are taken before the transaction, from blocks. */
static enum result
reserve(struct batch *batch)
{
	uint64_t events = SIGNUP_EVENTS_MAX * batch->count;
	enum result result = store_reserve_ids(batch->store, ID_LEAD, batch->count);
	if (result == RESULT_OK)
		result = store_reserve_ids(batch->store, ID_EVENT, events);
	if (result == RESULT_OK)
		result = store_reserve_ids(batch->store, ID_DELIVERY, events * batch->webhooks);
	return result;
}

static void
prepare_supplies(struct batch *batch, struct run *run)
{
	struct slice *social_ids = POOL_ARRAY(run->pool, batch->count, struct slice);
	for (size_t i = 0; i < batch->count; i++) {
		uint64_t seed;
		random_bytes(&seed, sizeof(seed));
		social_ids[i] = social_id_make(run->pool, seed);
	}
	run->supplies = (struct decide_supplies){
		.lead_ids = batch->store->ids[ID_LEAD],
		.event_ids = batch->store->ids[ID_EVENT],
		.delivery_ids = batch->store->ids[ID_DELIVERY],
		.social_ids = social_ids,
		.custom_fields = batch->store->options.custom_fields,
	};
}

static enum result
insert_token(struct batch *batch)
{
	struct db_value token = db_bytes((struct slice){ (const char *)batch->token, TOKEN_SIZE });
	enum result result =
	    db_execute(batch->store->db, SQL_INSERT_TOKEN, &(struct db_arguments){ .values = &token, .count = 1 }, NULL);
	batch->done_before = result == RESULT_CONFLICT && db_duplicate_key(batch->store->db);
	return result;
}

static struct db_list
campaign_ids(struct batch *batch, struct pool *pool)
{
	struct db_value *ids = POOL_ARRAY(pool, batch->count, struct db_value);
	for (size_t i = 0; i < batch->count; i++)
		ids[i] = DB_U64(batch->commands[i]->campaign_id);
	return (struct db_list){ ids, batch->count };
}

static enum result
load_campaigns(struct batch *batch, struct run *run)
{
	struct db_arguments arguments = { .lists = { campaign_ids(batch, run->pool) }, .list_count = 1 };
	struct db_rows rows;
	/* the lock comes before every other read: all of them are then current */
	enum result result = db_query(batch->store->db, run->pool, SQL_LOCK_COUNTERS, &arguments, &rows);
	if (result == RESULT_OK)
		result = db_query(batch->store->db, run->pool, SQL_SELECT_CAMPAIGNS, &arguments, &rows);
	if (result != RESULT_OK)
		return result;
	run->set.campaigns = POOL_ARRAY(run->pool, rows.count, struct working_campaign);
	run->set.campaign_count = rows.count;
	for (size_t i = 0; i < rows.count; i++) {
		run->set.campaigns[i].campaign = store_campaign_from_row(&rows, i);
		run->set.now_ms = db_get_i64(&rows, i, CAMPAIGN_NOW_MS);
	}
	return RESULT_OK;
}

enum {
	SUBSCRIPTION_ID,
	SUBSCRIPTION_CAMPAIGN_ID,
	SUBSCRIPTION_EVENTS,
	SUBSCRIPTION_STATE,
	SUBSCRIPTION_FORMAT,
	SUBSCRIPTION_URL
};

static enum result
load_webhooks(struct batch *batch, struct run *run)
{
	struct db_arguments arguments = { .lists = { campaign_ids(batch, run->pool) }, .list_count = 1 };
	struct db_rows rows;
	enum result result = db_query(batch->store->db, run->pool, SQL_SELECT_SUBSCRIPTIONS, &arguments, &rows);
	if (result != RESULT_OK)
		return result;
	struct webhook *webhooks = POOL_ARRAY(run->pool, rows.count, struct webhook);
	for (size_t i = 0; i < rows.count; i++)
		webhooks[i] = (struct webhook){
			.id = db_get_u64(&rows, i, SUBSCRIPTION_ID),
			.campaign_id = db_get_u64(&rows, i, SUBSCRIPTION_CAMPAIGN_ID),
			.events = (uint32_t)db_get_u64(&rows, i, SUBSCRIPTION_EVENTS),
			.state = store_webhook_state(db_get_bytes(&rows, i, SUBSCRIPTION_STATE)),
			.form = store_is_form(db_get_bytes(&rows, i, SUBSCRIPTION_FORMAT)) ||
				webhook_url_wants_form(
				    db_get_bytes(&rows, i, SUBSCRIPTION_URL), slice_of(batch->store->options.form_hosts)),
		};
	run->set.webhooks = webhooks;
	run->set.webhook_count = rows.count;
	return RESULT_OK;
}

/* Every identity that a command names. */
struct identities {
	struct db_value *emails, *phones, *social_ids;
	size_t email_count, phone_count, social_id_count;
};

static void
collect(struct pool *pool, const struct command *command, struct identities *to)
{
	const struct signup *signup = &command->as.signup;
	if (slice_present(signup->email_key))
		to->emails[to->email_count++] = db_bytes(lead_email_hash(pool, command->campaign_id, signup->email_key));
	if (slice_present(signup->phone))
		to->phones[to->phone_count++] = db_bytes(lead_phone_hash(pool, command->campaign_id, signup->phone));
	if (slice_present(signup->subject))
		to->social_ids[to->social_id_count++] = db_bytes(signup->subject);
	if (slice_present(signup->referrer_id))
		to->social_ids[to->social_id_count++] = db_bytes(signup->referrer_id);
}

/* One lead can be found by several of its identities; it must be in the working set once. */
static void
add_loaded_lead(struct working_set *set, struct lead lead)
{
	for (size_t i = 0; i < set->lead_count; i++)
		if (set->leads[i].lead.id == lead.id)
			return;
	set->leads[set->lead_count++] = (struct working_lead){ lead, LEAD_AS_LOADED };
}

static enum result
load_leads(struct batch *batch, struct run *run)
{
	struct identities found = {
		.emails = POOL_ARRAY(run->pool, batch->count, struct db_value),
		.phones = POOL_ARRAY(run->pool, batch->count, struct db_value),
		.social_ids = POOL_ARRAY(run->pool, 2 * batch->count, struct db_value),
	};
	struct db_rows rows;
	for (size_t i = 0; i < batch->count; i++)
		collect(run->pool, batch->commands[i], &found);
	struct db_arguments arguments = {
		.lists = { { found.emails, found.email_count }, { found.phones, found.phone_count },
		    { found.social_ids, found.social_id_count } },
		.list_count = 3,
	};
	enum result result = db_query(batch->store->db, run->pool, SQL_SELECT_LEADS, &arguments, &rows);
	if (result != RESULT_OK)
		return result;
	run->set.lead_capacity = rows.count + batch->count;
	run->set.leads = POOL_ARRAY(run->pool, run->set.lead_capacity, struct working_lead);
	for (size_t i = 0; i < rows.count; i++)
		add_loaded_lead(&run->set, store_lead_from_row(&rows, i));
	return RESULT_OK;
}

/* Rows for db_execute_rows, gathered one after another. */
struct row_list {
	struct db_value *values;
	size_t count;
};

#define ADD_ROW(list, ...)                                                                       \
	do {                                                                                     \
		const struct db_value row_[] = { __VA_ARGS__ };                                  \
		memcpy((list)->values + (list)->count++ * ARRAY_SIZE(row_), row_, sizeof(row_)); \
	} while (0)

enum {
	LEAD_INSERT_COLUMNS = 26,
	LEAD_UPDATE_COLUMNS = 17,
	COUNTER_COLUMNS = 3,
	EVENT_COLUMNS = 6,
	DELIVERY_COLUMNS = 6,
	DUE_COLUMNS = 4
};

static struct row_list
row_list(struct pool *pool, size_t rows, size_t columns)
{
	return (struct row_list){ POOL_ARRAY(pool, rows * columns, struct db_value), 0 };
}

static struct db_value
id_or_null(uint64_t id)
{
	return id == 0 ? DB_NONE : DB_U64(id);
}

static void
add_inserted_lead(struct row_list *list, const struct lead *l)
{
	ADD_ROW(list, DB_U64(l->id), DB_U64(l->campaign_id), DB_U64(l->subscription_number), db_bytes(l->social_id),
	    id_or_null(l->parent_id), DB_U64(l->counter), db_bytes(l->email), db_bytes(l->email_key), db_bytes(l->email_hash),
	    db_bytes(l->phone), db_bytes(l->phone_hash), DB_BOOL(l->opted_out), db_bytes(l->custom_fields), db_bytes(l->utm),
	    db_bytes(l->uid), db_bytes(l->redirect_url), db_bytes(l->ip), db_bytes(l->user_agent), db_bytes(l->referrer),
	    db_bytes(l->source), id_or_null(l->source_id), db_bytes(l->signup_url), db_bytes(l->session_id),
	    db_bytes(l->request_id), DB_I64(l->created_ms), DB_I64(l->updated_ms));
}

static void
add_updated_lead(struct row_list *list, const struct lead *l)
{
	ADD_ROW(list, DB_U64(l->counter), db_bytes(l->email), db_bytes(l->email_key), db_bytes(l->email_hash),
	    db_bytes(l->phone), db_bytes(l->phone_hash), DB_BOOL(l->verified_email), DB_BOOL(l->verified_phone),
	    DB_BOOL(l->opted_out), db_bytes(l->custom_fields), db_bytes(l->utm), db_bytes(l->uid), db_bytes(l->redirect_url),
	    db_bytes(l->ip), db_bytes(l->user_agent), DB_I64(l->updated_ms), DB_U64(l->id));
}

static enum result
write_leads(struct store *store, struct run *run)
{
	struct row_list inserted = row_list(run->pool, run->set.lead_count, LEAD_INSERT_COLUMNS);
	struct row_list updated = row_list(run->pool, run->set.lead_count, LEAD_UPDATE_COLUMNS);
	for (size_t i = 0; i < run->set.lead_count; i++) {
		const struct working_lead *lead = &run->set.leads[i];
		if (lead->change == LEAD_CREATED)
			add_inserted_lead(&inserted, &lead->lead);
		else if (lead->change == LEAD_CHANGED)
			add_updated_lead(&updated, &lead->lead);
	}
	/* updates first: an address that one lead gives up may go to a new one */
	enum result result =
	    db_execute_rows(store->db, SQL_UPDATE_LEAD, updated.values, LEAD_UPDATE_COLUMNS, updated.count, NULL);
	if (result == RESULT_OK)
		result =
		    db_execute_rows(store->db, SQL_INSERT_LEAD, inserted.values, LEAD_INSERT_COLUMNS, inserted.count, NULL);
	return result;
}

static enum result
write_counters(struct store *store, struct run *run)
{
	struct row_list counters = row_list(run->pool, run->set.campaign_count, COUNTER_COLUMNS);
	for (size_t i = 0; i < run->set.campaign_count; i++) {
		const struct campaign *c = &run->set.campaigns[i].campaign;
		if (run->set.campaigns[i].changed)
			ADD_ROW(&counters, DB_U64(c->last_subscription_number), DB_U64(c->lead_count), DB_U64(c->id));
	}
	return db_execute_rows(store->db, SQL_UPDATE_COUNTERS, counters.values, COUNTER_COLUMNS, counters.count, NULL);
}

static enum result
write_events(struct store *store, struct run *run)
{
	const struct decision *d = &run->decision;
	struct row_list events = row_list(run->pool, d->event_count, EVENT_COLUMNS);
	struct row_list deliveries = row_list(run->pool, d->delivery_count, DELIVERY_COLUMNS);
	struct row_list due = row_list(run->pool, d->delivery_count, DUE_COLUMNS);
	for (size_t i = 0; i < d->event_count; i++) {
		const struct made_event *e = &d->events[i];
		ADD_ROW(&events, DB_U64(e->id), DB_U64(e->campaign_id), DB_U64(e->lead_id), DB_U64(e->type),
		    DB_I64(run->set.now_ms), db_bytes(e->payload));
	}
	for (size_t i = 0; i < d->delivery_count; i++) {
		const struct made_delivery *m = &d->deliveries[i];
		ADD_ROW(&deliveries, DB_U64(m->id), DB_U64(m->event_id), DB_U64(m->webhook_id), DB_U64(m->lead_id),
		    DB_U64(m->type), db_bytes(m->form ? SLICE("form") : SLICE("json")));
		ADD_ROW(
		    &due, DB_U64(m->id), DB_U64(webhook_shard(m->webhook_id)), DB_U64(m->webhook_id), DB_I64(run->set.now_ms));
	}
	enum result result = db_execute_rows(store->db, SQL_INSERT_EVENT, events.values, EVENT_COLUMNS, events.count, NULL);
	if (result == RESULT_OK)
		result = db_execute_rows(
		    store->db, SQL_INSERT_DELIVERY, deliveries.values, DELIVERY_COLUMNS, deliveries.count, NULL);
	if (result == RESULT_OK)
		result = db_execute_rows(store->db, SQL_INSERT_DUE, due.values, DUE_COLUMNS, due.count, NULL);
	return result;
}

/* Everything between BEGIN and COMMIT. *enough is false when more delivery ids are needed than were reserved. */
static enum result
load_decide_write(struct batch *batch, struct run *run, bool *enough)
{
	struct store *store = batch->store;
	enum result result = insert_token(batch);
	if (result == RESULT_OK)
		result = load_campaigns(batch, run);
	if (result == RESULT_OK)
		result = load_webhooks(batch, run);
	if (result == RESULT_OK)
		result = load_leads(batch, run);
	if (result != RESULT_OK)
		return result;
	*enough = run->set.webhook_count <= batch->webhooks;
	if (!*enough) {
		batch->webhooks = run->set.webhook_count;
		return RESULT_CONFLICT;
	}
	prepare_supplies(batch, run);
	decide(run->pool, &run->set, batch->commands, batch->count, &run->supplies, run->outcomes, &run->decision);
	decide_render(run->pool, batch->commands, batch->count, &store->payload, run->outcomes, &run->decision);
	/* used whether the transaction holds or not: a second run must not meet its own first ids */
	store->ids[ID_LEAD] = run->supplies.lead_ids;
	store->ids[ID_EVENT] = run->supplies.event_ids;
	store->ids[ID_DELIVERY] = run->supplies.delivery_ids;
	result = write_leads(store, run);
	if (result == RESULT_OK)
		result = write_counters(store, run);
	if (result == RESULT_OK)
		result = write_events(store, run);
	return result;
}

/* One try of the batch, filling run->outcomes. */
static enum result
try_batch(struct batch *batch, struct run *run)
{
	struct store *store = batch->store;
	bool enough = true;
	enum result result = store_read_facts(store);
	if (result == RESULT_OK)
		result = reserve(batch);
	if (result == RESULT_OK)
		result = db_begin(store->db);
	if (result != RESULT_OK)
		return result;
	result = load_decide_write(batch, run, &enough);
	if (!enough) {
		db_rollback(store->db);
		return try_batch(batch, run);
	}
	if (result == RESULT_OK && !run->decision.changes) {
		db_rollback(store->db); /* every command was refused: nothing to keep, not even the token */
		return RESULT_OK;
	}
	return store_finish(store, result);
}

static void
copy_outcomes(struct pool *pool, const struct outcome *from, struct outcome *to, size_t count)
{
	for (size_t i = 0; i < count; i++)
		to[i] = (struct outcome){ from[i].failure, pool_copy(pool, from[i].detail), pool_copy(pool, from[i].body) };
}

static void
fail_all(struct outcome *outcomes, size_t count, enum failure failure)
{
	for (size_t i = 0; i < count; i++)
		outcomes[i] = (struct outcome){ .failure = failure };
}

/* Runs a batch until it is done, hopeless or too late. RESULT_OK: the outcomes are filled. */
static enum result
run_batch(struct store *store, struct pool *pool, const struct command *const *commands, size_t count, int64_t deadline_ms,
    struct outcome *outcomes)
{
	struct batch batch = { .store = store, .commands = commands, .count = count, .webhooks = WEBHOOKS_EXPECTED };
	enum result result = RESULT_CONFLICT;
	bool unknown = false; /* an earlier COMMIT was perhaps done: its outcomes are kept in `outcomes` */
	unsigned conflicts = 0;
	make_token(batch.token);
	for (unsigned attempt = 1; clock_monotonic_ms() < deadline_ms; attempt++) {
		struct run run = { .pool = pool_new() };
		run.outcomes = POOL_ARRAY(run.pool, count, struct outcome);
		result = try_batch(&batch, &run);
		if (result == RESULT_OK || result == RESULT_UNKNOWN)
			copy_outcomes(pool, run.outcomes, outcomes, count);
		pool_free(&run.pool);
		if (result == RESULT_OK || (batch.done_before && unknown))
			return RESULT_OK;
		unknown = unknown || result == RESULT_UNKNOWN;
		conflicts += result == RESULT_CONFLICT;
		/* while nobody knows whether it was done, nothing else is an answer yet */
		if (!unknown && (result != RESULT_CONFLICT || conflicts == STORE_ATTEMPTS))
			return result;
		store_back_off(attempt < 6 ? attempt : 6);
	}
	/* what was perhaps done must not be taken apart: that would do it once more, under other tokens */
	return result == RESULT_CONFLICT && !unknown ? result : RESULT_UNAVAILABLE;
}

void
store_execute(struct store *store, struct pool *pool, const struct command *const *commands, size_t count, int64_t deadline_ms,
    struct outcome *outcomes)
{
	enum result result = run_batch(store, pool, commands, count, deadline_ms, outcomes);
	if (result == RESULT_OK)
		return;
	/* one command may be what breaks it: only the culprit is to get the error */
	if (count > 1 && (result == RESULT_CONFLICT || result == RESULT_FAILED)) {
		for (size_t i = 0; i < count; i++)
			store_execute(store, pool, &commands[i], 1, deadline_ms, &outcomes[i]);
		return;
	}
	log_warning("batch_failed", LOG_STR("result", result_text(result)), LOG_UINT("commands", count));
	fail_all(outcomes, count, result == RESULT_FAILED ? FAILURE_INTERNAL : FAILURE_UNAVAILABLE);
}
