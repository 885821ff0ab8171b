/* SPDX-License-Identifier: MIT
 * The first part of a batch: reads every row that its commands may touch, with a fixed number of statements. */
#include "store/batch_load.h"

#include <stdlib.h>

#include "base/panic.h"
#include "store/campaign_cache.h"
#include "store/erased_people.h"
#include "store/find.h"
#include "store/query.h"
#include "store/rows.h"
#include "store/state.h"
#include "store/statements.h"

DB_STATEMENT(sql_lock_free_counters, LOCK_COUNTERS " SKIP LOCKED");
DB_STATEMENT(sql_select_counters, "SELECT campaign_id FROM {prefix}campaign_counters WHERE campaign_id IN ({list})");
DB_STATEMENT(sql_lock_jobs, "SELECT id, position, total"
			    " FROM {prefix}bulk_jobs"
			    " WHERE id IN ({list})"
			    " ORDER BY id"
			    " FOR UPDATE");
DB_STATEMENT(sql_select_links,
    "SELECT lead_id, level, ancestor_id, counted, counts, settled, verified_settled, earned, credit, set_off, digest_ms"
    " FROM {prefix}referral_links"
    " WHERE lead_id IN ({list})");
DB_STATEMENT(sql_select_ip_leads, "SELECT campaign_id, ip, leads"
				  " FROM {prefix}ip_leads"
				  " WHERE campaign_id = ? AND ip IN ({list})");

DB_STATEMENT(sql_select_taken_numbers, "SELECT campaign_id, subscription_number"
				       " FROM {prefix}leads"
				       " WHERE campaign_id = ? AND subscription_number IN ({list})");

DB_STATEMENT(sql_select_used_proofs, "SELECT nonce FROM {prefix}used_proofs WHERE nonce IN ({list})");

/* State of a load. */
struct load {
	struct store *store;
	struct pool *pool;
	const struct command *const *commands;
	size_t count;
	bool *locked; /* NULL: waits for locked campaigns */
	struct working_set *set;
};

static enum result
query_list(const struct load *load, const struct db_statement *statement, struct db_list list, struct db_rows *rows)
{
	return store_query_lists(load->store, load->pool, statement, &list, 1, rows);
}

/* The first columns of LOCK_COUNTERS. Progress and counters follow, then the time. */
enum { COUNTERS_CAMPAIGN_ID, COUNTERS_SETTINGS_VERSION, COUNTERS_LEADS_VERSION, COUNTERS_PROGRESS };

/* Settings from the cache, the rest from the locked row. */
static struct working_campaign
working_campaign(const struct cached_campaign *cached, const struct db_rows *rows, size_t row)
{
	struct working_campaign working = {
		.campaign = cached->campaign,
		.webhooks = cached->webhooks,
		.webhook_count = cached->webhook_count,
		.definitions = &cached->definitions,
		.lists = &cached->lists,
	};
	struct row_reader r = { rows, row, COUNTERS_PROGRESS };
#define READ(type, member) working.campaign.member = FIELD_READ_##type(&r);
#define READ_COUNTER(type, column, member) working.campaign.counters.member = FIELD_READ_##type(&r);
	CAMPAIGN_PROGRESS(READ)
	CAMPAIGN_COUNTERS(READ_COUNTER)
#undef READ
#undef READ_COUNTER
	return working;
}

static bool
is_among(const struct db_rows *rows, uint64_t id)
{
	for (size_t i = 0; i < rows->count; i++)
		if (db_get_u64(rows, i, 0) == id)
			return true;
	return false;
}

/* Marks the commands whose campaign exists but was not locked: another transaction holds its lock. */
static enum result
report_locked(struct load *load, const struct db_rows *rows)
{
	uint64_t *missing = POOL_ARRAY(load->pool, load->count, uint64_t);
	size_t missing_count = 0;
	struct db_rows others;
	for (size_t i = 0; i < load->count; i++)
		if (!is_among(rows, load->commands[i]->campaign_id))
			missing[missing_count++] = load->commands[i]->campaign_id;
	enum result result = query_list(load, &sql_select_counters, store_id_list(load->pool, missing, missing_count), &others);
	for (size_t i = 0; i < load->count && result == RESULT_OK; i++)
		load->locked[i] = is_among(&others, load->commands[i]->campaign_id);
	return result == RESULT_OK && others.count > 0 ? RESULT_CONFLICT : result;
}

static enum result
load_campaigns(struct load *load)
{
	struct working_set *set = load->set;
	uint64_t *ids = POOL_ARRAY(load->pool, load->count, uint64_t);
	struct db_rows rows;
	for (size_t i = 0; i < load->count; i++)
		ids[i] = load->commands[i]->campaign_id;
	/* the lock comes before every other read, so that all of them are current */
	const struct db_statement *lock = load->locked == NULL ? &sql_lock_counters : &sql_lock_free_counters;
	enum result result = query_list(load, lock, store_id_list(load->pool, ids, load->count), &rows);
	if (result == RESULT_OK && load->locked != NULL)
		result = report_locked(load, &rows);
	if (result != RESULT_OK)
		return result;
	struct versioned_campaign *campaigns = POOL_ARRAY(load->pool, rows.count, struct versioned_campaign);
	for (size_t i = 0; i < rows.count; i++)
		campaigns[i] = (struct versioned_campaign){ db_get_u64(&rows, i, COUNTERS_CAMPAIGN_ID),
			{ db_get_u64(&rows, i, COUNTERS_SETTINGS_VERSION), db_get_u64(&rows, i, COUNTERS_LEADS_VERSION) } };
	result = store_cache_campaigns(load->store, load->pool, campaigns, rows.count);
	if (result != RESULT_OK)
		return result;
	set->campaigns = POOL_ARRAY(load->pool, rows.count, struct working_campaign);
	for (size_t i = 0; i < rows.count; i++) {
		const struct cached_campaign *cached = store_cached_campaign(load->store, campaigns[i].id);
		if (cached != NULL)
			set->campaigns[set->campaign_count++] = working_campaign(cached, &rows, i);
		set->now_ms = db_get_i64(&rows, i, rows.columns - 1);
	}
	return RESULT_OK;
}

static enum result
load_jobs(struct load *load)
{
	uint64_t *ids = POOL_ARRAY(load->pool, load->count, uint64_t);
	size_t id_count = 0;
	struct db_rows rows;
	for (size_t i = 0; i < load->count; i++)
		if (load->commands[i]->kind == COMMAND_CHANGE && load->commands[i]->as.change.job_id != 0)
			ids[id_count++] = load->commands[i]->as.change.job_id;
	enum result result = query_list(load, &sql_lock_jobs, store_id_list(load->pool, ids, id_count), &rows);
	if (result != RESULT_OK)
		return result;
	struct working_job *jobs = POOL_ARRAY(load->pool, rows.count, struct working_job);
	for (size_t i = 0; i < rows.count; i++) {
		struct row_reader *r = ROW(&rows, i);
		jobs[i].id = row_u64(r);
		jobs[i].loaded_position = jobs[i].position = row_u32(r);
		jobs[i].total = row_u32(r);
	}
	load->set->jobs = jobs;
	load->set->job_count = rows.count;
	return RESULT_OK;
}

struct value_list {
	struct db_value *values;
	size_t count, capacity;
};

static void
add_value(struct pool *pool, struct value_list *list, struct db_value value)
{
	list->values = pool_grow(pool, list->values, list->count, &list->capacity, sizeof(*list->values));
	list->values[list->count++] = value;
}

static enum result
query_of_campaign(const struct load *load, const struct db_statement *statement, uint64_t campaign_id,
    const struct value_list *values, struct db_rows *rows)
{
	const struct db_list list = { values->values, values->count };
	return store_query_long(load->store, load->pool, statement, &DB_LIST_AND_VALUES(list, DB_U64(campaign_id)), rows);
}

/* Adds the value of a reference to the values of its kind of identity. */
static void
collect(struct pool *pool, struct value_list *to, const struct command *command, const struct lead_reference *reference)
{
	add_value(pool, &to[reference->identity], store_reference_value(pool, command->campaign_id, reference));
}

/* NULL: not a sign-up. */
static const struct signup *
signup_of(const struct command *command)
{
	return command->kind == COMMAND_SIGNUP    ? &command->as.signup
	       : command->kind == COMMAND_TAGGING ? &command->as.tagging.signup
	       : command->kind == COMMAND_IMPORT  ? &command->as.import->signup
						  : NULL;
}

static void
collect_signup(struct pool *pool, struct value_list *to, const struct command *command)
{
	const struct signup *signup = signup_of(command);
	const struct lead_reference named[] = {
		{ .identity = LEAD_BY_EMAIL, .value = signup->email_key },
		{ .identity = LEAD_BY_PHONE, .value = signup->phone },
		{ .identity = LEAD_BY_SOCIAL_ID, .value = signup->subject },
		{ .identity = LEAD_BY_SOCIAL_ID, .value = signup->referrer_id },
		{ .identity = LEAD_BY_EMAIL,
		    .value = command->kind == COMMAND_IMPORT ? command->as.import->referrer_email : SLICE_NONE },
	};
	for (size_t i = 0; i < ARRAY_SIZE(named); i++)
		if (slice_present(named[i].value))
			collect(pool, to, command, &named[i]);
}

static void
collect_command(struct pool *pool, struct value_list *to, const struct command *command)
{
	switch (command->kind) {
	case COMMAND_SIGNUP:
	case COMMAND_TAGGING:
	case COMMAND_IMPORT:
		collect_signup(pool, to, command);
		break;
	case COMMAND_POINTS:
		for (size_t i = 0; i < command->as.points.lead_count; i++)
			collect(pool, to, command, &command->as.points.leads[i]);
		break;
	case COMMAND_COMPLETION:
		collect(pool, to, command, &command->as.completion.lead);
		break;
	case COMMAND_CHANGE:
		collect(pool, to, command, &command->as.change.lead);
		break;
	}
}

/* Adds the leads with these values to the working set, by id. `named`: the values by kind of identity. A lead that is found by
 * several of its identities is added once. */
static enum result
add_leads(struct load *load, const struct value_list *named)
{
	struct working_set *set = load->set;
	struct db_rows rows[LEAD_BY_ID + 1];
	size_t count = 0, used = 0;
	enum result result = RESULT_OK;
	for (size_t i = 0; i < ARRAY_SIZE(rows) && result == RESULT_OK; i++) {
		const struct db_list list = { named[i].values, named[i].count };
		result = store_query_leads(load->store, load->pool, (enum lead_identity)i, list, &rows[i]);
		count += rows[i].count;
	}
	if (result != RESULT_OK || count == 0)
		return result;
	struct working_lead *leads = POOL_ARRAY(load->pool, count, struct working_lead);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		for (size_t k = 0; k < rows[i].count; k++) {
			const struct lead lead = row_lead(ROW(&rows[i], k));
			leads[used++] = (struct working_lead){
				.lead = lead, .loaded_email_hash = lead.email_hash, .loaded_phone_hash = lead.phone_hash
			};
		}
	qsort(leads, count, sizeof(*leads), compare_ids);
	for (size_t i = 0; i < count; i++) {
		if (i > 0 && leads[i].lead.id == leads[i - 1].lead.id)
			continue;
		set->leads = pool_grow(load->pool, set->leads, set->lead_count, &set->lead_capacity, sizeof(*set->leads));
		set->leads[set->lead_count++] = &leads[i];
	}
	return RESULT_OK;
}

static enum result
load_leads(struct load *load)
{
	struct value_list named[LEAD_BY_ID + 1] = { 0 };
	for (size_t i = 0; i < load->count; i++)
		collect_command(load->pool, named, load->commands[i]);
	return add_leads(load, named);
}

static struct referral_link
read_link(struct row_reader *r)
{
	struct referral_link link = { .lead_id = row_u64(r) };
	link.level = row_u32(r);
	link.ancestor_id = row_u64(r);
	link.counted = store_counted(row_bytes(r));
	link.counts = row_bool(r);
	link.settled = row_bool(r);
	link.verified_settled = row_bool(r);
	link.earned = row_u32(r);
	link.credit = row_u32(r);
	link.set_off = row_u32(r);
	link.digest_ms = row_u64(r);
	return link;
}

/* Whether a command may change what referrers gain from a lead, or may need a referrer's ancestors. */
static bool
concerns_referrers(const struct command *command)
{
	const struct lead_change *change = &command->as.change;
	switch (command->kind) {
	case COMMAND_SIGNUP:
	case COMMAND_TAGGING:
	case COMMAND_IMPORT:
		return true;
	case COMMAND_CHANGE:
		return change->action == LEAD_VERIFY || change->action == LEAD_UNVERIFY || change->action == LEAD_APPROVE ||
		       change->action == LEAD_BLOCK || change->by_lead ||
		       (change->action == LEAD_DELETE && slice_present(change->address));
	case COMMAND_POINTS:
	case COMMAND_COMPLETION:
		break;
	}
	return false;
}

/* The referral links of the leads that are loaded. */
static enum result
load_links(struct load *load)
{
	struct working_set *set = load->set;
	bool wanted = false;
	for (size_t i = 0; i < load->count; i++)
		wanted = wanted || concerns_referrers(load->commands[i]);
	if (!wanted)
		return RESULT_OK;
	uint64_t *referred = POOL_ARRAY(load->pool, set->lead_count, uint64_t);
	size_t referred_count = 0;
	struct db_rows rows;
	for (size_t i = 0; i < set->lead_count; i++)
		if (set->leads[i]->lead.parent_id != 0)
			referred[referred_count++] = set->leads[i]->lead.id;
	enum result result = query_list(load, &sql_select_links, store_id_list(load->pool, referred, referred_count), &rows);
	if (result != RESULT_OK)
		return result;
	struct working_link *links = POOL_ARRAY(load->pool, rows.count, struct working_link);
	set->links = POOL_ARRAY(load->pool, rows.count, struct working_link *);
	set->link_count = set->link_capacity = rows.count;
	for (size_t i = 0; i < rows.count; i++) {
		links[i].link = read_link(ROW(&rows, i));
		set->links[i] = &links[i];
	}
	return RESULT_OK;
}

static int
compare_lead_with_id(const void *id, const void *lead)
{
	uint64_t a = *(const uint64_t *)id, b = (*(struct working_lead *const *)lead)->lead.id;
	return (a > b) - (a < b);
}

/* Loads the ancestors in the links that are not loaded yet. Up to this point, the leads are sorted by id. */
static enum result
load_ancestors(struct load *load)
{
	const struct working_set *set = load->set;
	struct value_list missing[LEAD_BY_ID + 1] = { 0 };
	for (size_t i = 0; i < set->link_count; i++) {
		uint64_t id = set->links[i]->link.ancestor_id;
		if (bsearch(&id, set->leads, set->lead_count, sizeof(*set->leads), compare_lead_with_id) == NULL)
			add_value(load->pool, &missing[LEAD_BY_ID], DB_U64(id));
	}
	return add_leads(load, missing);
}

enum { IP_CAMPAIGN_ID, IP_ADDRESS, IP_LEADS };

static bool
is_counted(const struct working_set *set, uint64_t campaign_id, struct slice ip)
{
	for (size_t i = 0; i < set->ip_count_count; i++)
		if (set->ip_counts[i].campaign_id == campaign_id && slice_equal(set->ip_counts[i].ip, ip))
			return true;
	return false;
}

/* Adds the rows of an answer. A row may occur in the answers for several parts of a list. */
static void
add_ip_counts(struct load *load, const struct db_rows *rows)
{
	struct working_set *set = load->set;
	struct ip_count *counts = POOL_ARRAY(load->pool, set->ip_count_count + rows->count, struct ip_count);
	for (size_t i = 0; i < set->ip_count_count; i++)
		counts[i] = set->ip_counts[i];
	set->ip_counts = counts;
	for (size_t i = 0; i < rows->count; i++) {
		uint64_t campaign_id = db_get_u64(rows, i, IP_CAMPAIGN_ID);
		struct slice ip = db_get_bytes(rows, i, IP_ADDRESS);
		if (!is_counted(set, campaign_id, ip))
			counts[set->ip_count_count++] = (struct ip_count){ campaign_id, ip, db_get_i64(rows, i, IP_LEADS) };
	}
}

/* Reads one campaign at a time: with two lists, the server would look up every pair. */
static enum result
load_ip_counts(struct load *load)
{
	const struct working_set *set = load->set;
	enum result result = RESULT_OK;
	for (size_t i = 0; i < set->campaign_count && result == RESULT_OK; i++) {
		const struct campaign *campaign = &set->campaigns[i].campaign;
		struct value_list addresses = { 0 };
		struct db_rows rows;
		for (size_t k = 0; k < load->count && campaign_judges_addresses(campaign); k++) {
			const struct signup *signup = signup_of(load->commands[k]);
			if (signup == NULL || !slice_present(signup->ip) || load->commands[k]->campaign_id != campaign->id)
				continue;
			add_value(load->pool, &addresses, db_bytes(ip_caller_network(load->pool, signup->ip)));
		}
		result = query_of_campaign(load, &sql_select_ip_leads, campaign->id, &addresses, &rows);
		add_ip_counts(load, &rows);
	}
	return result;
}

enum { NUMBER_CAMPAIGN_ID, NUMBER };

/* Reads one campaign at a time, as above. */
static enum result
load_numbers_of(struct load *load, uint64_t campaign_id, struct db_rows *rows)
{
	struct value_list numbers = { 0 };
	for (size_t i = 0; i < load->count; i++) {
		const struct command *command = load->commands[i];
		if (command->kind != COMMAND_IMPORT || command->campaign_id != campaign_id || command->as.import->number == 0)
			continue;
		add_value(load->pool, &numbers, DB_U64(command->as.import->number));
	}
	return query_of_campaign(load, &sql_select_taken_numbers, campaign_id, &numbers, rows);
}

/* The subscription numbers of imports that other leads already have. */
static enum result
load_numbers(struct load *load)
{
	struct working_set *set = load->set;
	struct campaign_number *numbers = NULL;
	size_t capacity = 0;
	enum result result = RESULT_OK;
	for (size_t i = 0; i < set->campaign_count && result == RESULT_OK; i++) {
		struct db_rows rows = { 0 };
		result = load_numbers_of(load, set->campaigns[i].campaign.id, &rows);
		for (size_t k = 0; k < rows.count && result == RESULT_OK; k++) {
			numbers = pool_grow(load->pool, numbers, set->taken_number_count, &capacity, sizeof(*numbers));
			numbers[set->taken_number_count++] = (struct campaign_number){ db_get_u64(&rows, k, NUMBER_CAMPAIGN_ID),
				store_get_u32(&rows, k, NUMBER) };
		}
	}
	set->taken_numbers = numbers;
	return result;
}

/* Proofs belong to campaigns whose locks are held, so no other transaction uses them now. */
static enum result
load_proofs(struct load *load)
{
	struct value_list proofs = { 0 };
	struct db_rows rows;
	for (size_t i = 0; i < load->count; i++)
		if (load->commands[i]->kind == COMMAND_SIGNUP && slice_present(load->commands[i]->as.signup.proof))
			add_value(load->pool, &proofs, db_bytes(load->commands[i]->as.signup.proof));
	const enum result result =
	    query_list(load, &sql_select_used_proofs, (struct db_list){ proofs.values, proofs.count }, &rows);
	if (result != RESULT_OK)
		return result;
	struct slice *used = POOL_ARRAY(load->pool, rows.count, struct slice);
	for (size_t i = 0; i < rows.count; i++)
		used[i] = db_get_bytes(&rows, i, 0);
	load->set->used_proofs = used;
	load->set->used_proof_count = rows.count;
	return RESULT_OK;
}

static enum result
load_erased(struct load *load)
{
	return store_load_erased(load->store, load->pool, load->commands, load->count, load->set);
}

enum result
store_load(struct store *store, struct pool *pool, const struct command *const *commands, size_t count, bool *locked,
    struct working_set *set)
{
	require(db_in_transaction(store->db));
	/* a step without values causes no round trip */
	static enum result (*const steps[])(struct load * load) = { load_campaigns, load_jobs, load_leads, load_links,
		load_ancestors, load_ip_counts, load_numbers, load_proofs, load_erased };
	struct load load = { .store = store, .pool = pool, .commands = commands, .count = count, .locked = locked, .set = set };
	enum result result = RESULT_OK;
	*set = (struct working_set){ 0 };
	for (size_t i = 0; i < ARRAY_SIZE(steps) && result == RESULT_OK; i++)
		result = steps[i](&load);
	return result;
}
