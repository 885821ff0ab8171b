/* SPDX-License-Identifier: MIT
 * docs/architecture.md 4.4: what one command may make a transaction write, and batches that would write too much.
 * Modules: store/batch, store/batch_write. */
#include "unit.h"

#include <inttypes.h>
#include <string.h>

#include "db/db.h"
#include "engine/events.h"
#include "store/batch.h"
#include "store/bulk.h"
#include "store/queue/bulk_jobs.h"
#include "world.h"

/* The largest values that the default settings allow; no key of JSON is that long. */
enum { ALL_EVENTS = (1 << EVENT_TYPES) - 1, WEBHOOKS = 20, FIELDS = 4, FIELD_BYTES = 4000, UTM_BYTES = 16 * 1024, KIB = 1024 };

enum { JOBS_MAX = 2, HISTOGRAM_ROWS = 150 };

/* The table of docs/architecture.md 4.4: rows and KiB. */
#define SIGNUP_COST 940, 2800
#define CHAIN_COST 430, 1600
#define VERIFY_COST 90, 950
#define TAG_COST 50, 150
#define LEAD_COST 35, 100

/* What the transactions since begin_counting() wrote: all of them, and the largest. */
static struct {
	size_t transactions, rows, most_rows, bytes, most_bytes;
} written;

enum result __real_db_execute_rows(
    struct db *db, const struct db_statement *statement, const struct db_value *values, size_t columns, size_t count);
enum result __wrap_db_execute_rows(
    struct db *db, const struct db_statement *statement, const struct db_value *values, size_t columns, size_t count);
enum result __real_db_commit(struct db *db);
enum result __wrap_db_commit(struct db *db);

enum result
__wrap_db_execute_rows(
    struct db *db, const struct db_statement *statement, const struct db_value *values, size_t columns, size_t count)
{
	written.rows += count;
	for (size_t i = 0; i < count * columns; i++)
		written.bytes += values[i].kind == DB_BYTES ? values[i].as.bytes.size : 8;
	return __real_db_execute_rows(db, statement, values, columns, count);
}

enum result
__wrap_db_commit(struct db *db)
{
	written.transactions += written.rows > 0;
	written.most_rows = written.rows > written.most_rows ? written.rows : written.most_rows;
	written.most_bytes = written.bytes > written.most_bytes ? written.bytes : written.most_bytes;
	written.rows = written.bytes = 0;
	return __real_db_commit(db);
}

static void
begin_counting(void)
{
	memset(&written, 0, sizeof(written));
}

/* Custom fields that nearly fill their maximum. */
static void
fill(const struct world *w, struct signup *signup)
{
	static const char *const names[FIELDS] = { "a", "b", "c", "d" };
	struct custom_field *fields = POOL_ARRAY(w->pool, FIELDS, struct custom_field);
	char *text = pool_alloc(w->pool, UTM_BYTES);
	memset(text, 'x', UTM_BYTES);
	for (size_t i = 0; i < FIELDS; i++)
		fields[i] = (struct custom_field){ slice_of(names[i]), pool_printf(w->pool, "\"%.*s\"", FIELD_BYTES, text),
			{ text, FIELD_BYTES } };
	signup->custom_fields = fields;
	signup->custom_field_count = FIELDS;
	signup->utm = pool_printf(w->pool, "{\"source\":\"%.*s\"}", UTM_BYTES - 16, text);
	signup->uid = signup->referrer = signup->user_agent = signup->signup_url = (struct slice){ text, FIELD_BYTES };
	signup->redirect_url = pool_printf(w->pool, "https://%.*s", FIELD_BYTES, text);
}

static struct command
full_signup(const struct world *w, const char *email, struct slice referrer)
{
	struct command command = signup(w, w->campaign, email);
	fill(w, &command.as.signup);
	command.as.signup.referrer_id = referrer;
	command.as.signup.points = 1;
	return command;
}

static void
add_webhooks(struct world *w, size_t count)
{
	for (size_t i = 0; i < count; i++)
		add_webhook(w, w->campaign, pool_printf(w->pool, "https://%zu.example/", i).data, ALL_EVENTS);
}

/* A campaign in which every change has all of its effects; returns the last lead of a full chain. */
static struct lead
plant_chain(struct world *w)
{
	struct lead last = { .social_id = SLICE_NONE };
	plant_definitions(w->campaign);
	/* in addition to one that is out of reach */
	root_run("INSERT INTO t_reward_levels (id, campaign_id, subject, required_points)"
		 " SELECT %" PRIu64 " + seq, %" PRIu64 ", 'mug', 0 FROM seq_1_to_%d",
	    1000 * w->campaign, w->campaign, REWARD_LEVELS_MAX);
	set_columns(w->campaign, "points_signup = 3, points_direct = 10, points_indirect = 5, points_verified = 7");
	for (size_t i = 0; i < REFERRAL_LEVELS; i++) {
		const char *email = numbered_email(w->pool, "chain", i);
		struct command command = full_signup(w, email, last.social_id);
		run_all(w, &command, 1);
		last = find_lead(w, w->campaign, LEAD_BY_EMAIL, email);
	}
	add_webhooks(w, WEBHOOKS);
	return last;
}

/* Runs the command alone. The expected rows are those that it writes, without those of the campaign's counters and of the
 * histogram; the written bytes are at least half of the expected ones. */
static void
assert_costs(struct world *w, const char *what, struct command command, size_t rows, size_t kib)
{
	struct outcome outcome;
	begin_counting();
	execute(w->store, w->pool, &command, 1, &outcome);
	assert_int_equal(outcome.failure, FAILURE_NONE);
	assert_int_equal(written.transactions, 1);
	if (written.most_rows > rows || written.most_bytes > kib * KIB)
		print_message("%s: %zu rows, %zu KiB\n", what, written.most_rows, written.most_bytes / KIB);
	assert_in_range(written.most_rows, 1, rows);
	assert_in_range(written.most_bytes, 1, kib * KIB);
	assert_in_range(outcome.work.rows, written.most_rows / 2, written.most_rows + 5 * REFERRAL_LEVELS);
	assert_in_range(outcome.work.bytes, written.most_bytes / 2, written.most_bytes * 5 / 2);
}

/* The table of docs/architecture.md 4.4, with 20 webhooks that get all events. */
static void
the_most_expensive_commands(void **state)
{
	struct world *w = *state;
	struct lead last = plant_chain(w);
	const uint64_t tag = w->campaign * 10 + 1, action = w->campaign * 10 + 1;
	assert_costs(w, "sign-up", full_signup(w, "new@example.org", last.social_id), SIGNUP_COST);
	const struct lead new = find_lead(w, w->campaign, LEAD_BY_EMAIL, "new@example.org");
	const struct lead_reference named = { .identity = LEAD_BY_ID, .id = new.id };
	struct command command = full_signup(w, "tagged@example.org", last.social_id);
	const struct signup tagged = command.as.signup;
	command.kind = COMMAND_TAGGING;
	command.as.tagging = (struct tagging){ .signup = tagged, .tag_id = tag };
	assert_costs(w, "tagging", command, SIGNUP_COST);
	command.kind = COMMAND_COMPLETION;
	command.as.completion = (struct completion){ .lead = named, .action_id = action };
	assert_costs(w, "action", command, LEAD_COST);
	command.kind = COMMAND_POINTS;
	command.as.points = (struct points_call){ .leads = &named, .lead_count = 1, .points = 5 };
	assert_costs(w, "points", command, LEAD_COST);
}

/* As above, for the items of bulk calls. */
static void
the_most_expensive_changes(void **state)
{
	static const struct {
		enum lead_action action;
		size_t rows, kib;
	} changes[] = {
		{ LEAD_OPTOUT, LEAD_COST },
		{ LEAD_SMS_OPTOUT, LEAD_COST },
		{ LEAD_SMS_OPTIN, LEAD_COST },
		{ LEAD_VERIFY, VERIFY_COST },
		{ LEAD_UNVERIFY, VERIFY_COST },
		{ LEAD_BLOCK, CHAIN_COST },
		{ LEAD_APPROVE, CHAIN_COST },
		{ LEAD_WAITLIST, LEAD_COST },
		{ LEAD_UNWAITLIST, LEAD_COST },
		{ LEAD_TAG, TAG_COST },
		{ LEAD_POINTS, LEAD_COST },
		{ LEAD_DELETE, LEAD_COST },
	};
	struct world *w = *state;
	struct lead last = plant_chain(w);
	struct command command = full_signup(w, "new@example.org", last.social_id);
	_Static_assert(ARRAY_SIZE(changes) == LEAD_ACTIONS, "all of them");
	run_all(w, &command, 1);
	const struct lead new = find_lead(w, w->campaign, LEAD_BY_EMAIL, "new@example.org");
	for (size_t i = 0; i < ARRAY_SIZE(changes); i++) {
		command = change_of(w, new.id, changes[i].action);
		command.as.change.tag_id = w->campaign * 10 + 1;
		command.as.change.points = 5;
		/* an item moves its job, too */
		root_run("INSERT INTO t_bulk_jobs (id, campaign_id, action, lead_ids, total, created_ms) VALUES (%" PRIu64
			 ", %" PRIu64 ", 'optout', '1,2', 2, 0)",
		    900 + i, w->campaign);
		command.as.change.job_id = 900 + i;
		assert_costs(w, lead_action_name(changes[i].action).data, command, changes[i].rows, changes[i].kib);
	}
	root_run("DELETE FROM t_bulk_jobs");
}

/* Sign-ups that together would exceed the maximum of one transaction are written in several. */
static void
a_large_batch_is_divided(void **state)
{
	enum { FULL = BATCH_MAX, EVENTS = 3 /* of a lead that gets points */ };
	struct world *w = *state;
	struct command commands[FULL];
	add_webhooks(w, WEBHOOKS);
	for (size_t i = 0; i < FULL; i++)
		commands[i] = full_signup(w, numbered_email(w->pool, "full", i), SLICE_NONE);
	begin_counting();
	run_all(w, commands, FULL);
	assert_in_range(written.transactions, FULL * EVENTS * WEBHOOKS / STORE_BATCH_ROWS_MAX + 1, FULL / 2);
	assert_in_range(written.most_rows, 1, STORE_BATCH_ROWS_MAX + HISTOGRAM_ROWS);
	assert_in_range(written.most_bytes, 1, STORE_BATCH_BYTES_MAX * 5 / 4);
	assert_int_equal(root_number("SELECT COUNT(*) FROM t_leads WHERE campaign_id = %" PRIu64, w->campaign), FULL);
	assert_int_equal(root_number("SELECT COUNT(*) FROM t_events WHERE campaign_id = %" PRIu64, w->campaign), EVENTS * FULL);
}

/* A command for points of the first leads of `stem`. */
static struct command
points_of(struct world *w, const char *stem, size_t leads)
{
	struct lead_reference *named = POOL_ARRAY(w->pool, leads, struct lead_reference);
	struct command command = { .kind = COMMAND_POINTS, .campaign_id = w->campaign, .account_id = w->account };
	for (size_t i = 0; i < leads; i++)
		named[i] =
		    (struct lead_reference){ .identity = LEAD_BY_EMAIL, .value = slice_of(numbered_email(w->pool, stem, i)) };
	command.as.points = (struct points_call){ named, leads, 5, JOBS_MAX, SLICE("why") };
	return command;
}

static struct outcome
run_one(struct world *w, const struct command *command)
{
	struct outcome outcome;
	execute(w->store, w->pool, command, 1, &outcome);
	return outcome;
}

/* docs/architecture.md 4.4, docs/api.md 4.1.3 */
static void
large_points_become_a_job(void **state)
{
	enum { LEADS = BULK_LEADS_MAX };
	struct world *w = *state;
	struct bulk_job job;
	sign_up_many(w, "lead", LEADS);
	add_webhooks(w, WEBHOOKS);
	root_run("DELETE FROM t_bulk_jobs");
	struct command few = points_of(w, "lead", 10), many = points_of(w, "lead", LEADS),
		       unknown = points_of(w, "other", LEADS);
	few.as.points.points = 7;
	struct outcome outcome = run_one(w, &few);
	assert_true(outcome.failure == FAILURE_NONE && outcome.queued == 0);
	outcome = run_one(w, &unknown); /* too many, if they existed */
	assert_int_equal(outcome.failure, FAILURE_LEADS_NOT_FOUND);
	for (int again = 0; again < JOBS_MAX; again++) { /* the second without loading the leads */
		outcome = run_one(w, &many);
		assert_true(outcome.failure == FAILURE_NONE && outcome.queued == LEADS);
	}
	assert_int_equal(run_one(w, &many).failure, FAILURE_TOO_MANY_JOBS);
	assert_int_equal(run_one(w, &unknown).failure, FAILURE_LEADS_NOT_FOUND);
	assert_int_equal(root_number("SELECT COUNT(*) FROM t_score_entries WHERE message = 'why'"), 10);
	assert_int_equal(store_next_job(w->store, w->pool, &job), RESULT_OK);
	assert_true(job.action == LEAD_POINTS && job.points == 5 && job.total == LEADS && job.campaign_id == w->campaign);
	assert_slice(job.message, "why");
	/* in one batch with others, which are done at once */
	root_run("DELETE FROM t_bulk_jobs");
	struct command mixed[] = { few, many, few };
	struct outcome outcomes[ARRAY_SIZE(mixed)];
	execute(w->store, w->pool, mixed, ARRAY_SIZE(mixed), outcomes);
	assert_true(outcomes[0].failure == FAILURE_NONE && outcomes[0].queued == 0);
	assert_true(outcomes[1].failure == FAILURE_NONE && outcomes[1].queued == LEADS);
	assert_true(outcomes[2].failure == FAILURE_NONE && outcomes[2].queued == 0);
	root_run("DELETE FROM t_bulk_jobs");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		WORLD_TEST(the_most_expensive_commands),
		WORLD_TEST(the_most_expensive_changes),
		WORLD_TEST(a_large_batch_is_divided),
		WORLD_TEST(large_points_become_a_job),
	};
	return WORLD_MAIN(tests);
}
