/* SPDX-License-Identifier: MIT
 * Leads per address: counted and removed in pieces while sign-ups go on, even after a kill.
 * Modules: store/operator/campaign_settings. */
#include "unit.h"

#include <inttypes.h>
#include <string.h>

#include "store/breaks.h"
#include "store/operator/campaign_settings.h"
#include "store/operator/installation_check.h"
#include "store/queue/operator_jobs.h"
#include "store/world.h"

enum { PIECE = 10000, LEADS = 25000, ADDRESSES = 100, COUNTING = 3 };

static void
sign_up_from(struct world *w, const char *email, const char *ip)
{
	struct command command = signup(w, w->campaign, email);
	command.as.signup.ip = slice_of(ip);
	run_all(w, &command, 1);
}

static bool
is_fraudulent(struct world *w, const char *email)
{
	return find_lead(w, w->campaign, LEAD_BY_EMAIL, email).fraudulent;
}

static void
set_max_per_ip(struct world *w, uint32_t max_per_ip)
{
	struct campaign_settings settings = plain_campaign();
	settings.max_per_ip = max_per_ip;
	assert_int_equal(set_campaign(w, w->campaign, settings), RESULT_OK);
}

/* Runs one piece; returns whether it was the last one. */
static bool
count_piece(struct world *w)
{
	bool done;
	assert_int_equal(store_count_addresses(w->store, w->campaign, &done), RESULT_OK);
	return done;
}

/* LEADS leads from that many addresses; the leads of earlier tests only take time. */
static void
plant_leads(struct world *w, int addresses)
{
	root_run("TRUNCATE t_leads");
	root_run("TRUNCATE t_ip_leads");
	root_run("INSERT INTO t_leads (id, campaign_id, subscription_number, social_id, ip, created_ms, updated_ms) "
		 "SELECT 3000000000 + %" PRIu64 " * 100000 + seq, %" PRIu64 ", seq, CONCAT('z', LPAD(%" PRIu64
		 " * 100000 + seq, 9, '0')), CONCAT('192.0.2.', seq %% %d), 0, 0 FROM seq_1_to_%d",
	    w->campaign, w->campaign, w->campaign, addresses, LEADS);
	root_run("UPDATE t_campaign_counters SET last_subscription_number = %d, lead_count = %d WHERE campaign_id = %" PRIu64,
	    LEADS, LEADS, w->campaign);
}

static int64_t
counted(struct world *w)
{
	return root_number(
	    "SELECT CAST(COALESCE(SUM(leads), 0) AS SIGNED) FROM t_ip_leads WHERE campaign_id = %" PRIu64, w->campaign);
}

static uint64_t
lead_id(const struct world *w, uint64_t number)
{
	return 3000000000 + w->campaign * 100000 + number;
}

static void
delete_number(struct world *w, uint64_t number)
{
	struct command command = change_of(w, lead_id(w, number), LEAD_DELETE);
	run_all(w, &command, 1);
}

/* The finding of `check --deep` with that name, or NULL. The leads are planted, without their other rows. */
static const struct finding *
find(struct world *w, const char *what)
{
	struct finding *findings;
	size_t count;
	store_check(w->store, w->pool, NULL, CHECK_DEEP, &findings, &count);
	for (size_t i = 0; i < count; i++)
		if (slice_equal(findings[i].what, slice_of(what)))
			return &findings[i];
	return NULL;
}

/* docs/api.md 4.6, duplicate_ip: "stored leads of the campaign from the IP, this one included", even earlier ones */
static void
existing_leads_are_counted_when_max_per_ip_is_set(void **state)
{
	struct world *w = *state;
	sign_up_from(w, "a@example.org", "192.0.2.1");
	sign_up_from(w, "b@example.org", "192.0.2.1");
	set_max_per_ip(w, 2);
	assert_int_equal(count_addresses(w), 1);
	sign_up_from(w, "c@example.org", "192.0.2.1");
	sign_up_from(w, "d@example.org", "192.0.2.2");
	assert_true(is_fraudulent(w, "c@example.org"));
	assert_false(is_fraudulent(w, "d@example.org"));
	set_max_per_ip(w, 3); /* they are counted already */
	sign_up_from(w, "e@example.org", "192.0.2.2");
	set_max_per_ip(w, 0);
	assert_int_equal(find_campaign(w, w->campaign).ip_counted_to, 0);
	sign_up_from(w, "f@example.org", "192.0.2.2");
	assert_int_equal(count_addresses(w), 1);
	assert_false(is_fraudulent(w, "f@example.org"));
	assert_int_equal(counted(w), 0);
	set_max_per_ip(w, 3);
	assert_int_equal(count_addresses(w), 1);
	sign_up_from(w, "g@example.org", "192.0.2.2");
	assert_true(is_fraudulent(w, "g@example.org"));
	bool done;
	assert_int_equal(store_count_addresses(w->store, UNKNOWN_ID, &done), RESULT_NOT_FOUND);
}

/* docs/api.md 4.6: the setting takes effect when all leads are counted; sign-ups and deletions in the meantime are counted
 * once. */
static void
sign_ups_go_on_between_the_pieces(void **state)
{
	struct world *w = *state;
	plant_leads(w, ADDRESSES);
	set_max_per_ip(w, 100);
	assert_int_equal(counted(w), 0);
	assert_false(count_piece(w));
	assert_int_equal(find_campaign(w, w->campaign).ip_counted_to, PIECE);
	assert_int_equal(counted(w), PIECE);
	assert_null(find(w, "ip_leads"));
	sign_up_from(w, "a@example.org", "192.0.2.1");
	assert_false(is_fraudulent(w, "a@example.org"));
	delete_number(w, 1);
	delete_number(w, PIECE);
	delete_number(w, PIECE + 1);
	delete_number(w, LEADS);
	assert_int_equal(counted(w), PIECE - 2);
	assert_null(find(w, "ip_leads"));
	assert_false(count_piece(w));
	assert_int_equal(find_campaign(w, w->campaign).ip_counted_to, 2 * PIECE);
	assert_null(find(w, "ip_leads"));
	assert_true(count_piece(w));
	assert_true(find_campaign(w, w->campaign).ip_counted_to == IP_COUNTED_ALL);
	assert_int_equal(counted(w), LEADS - 4 + 1);
	sign_up_from(w, "b@example.org", "192.0.2.1");
	assert_true(is_fraudulent(w, "b@example.org"));
	assert_true(count_piece(w));
	assert_int_equal(counted(w), LEADS - 4 + 1); /* the deleted lead is not counted */
	assert_null(find(w, "ip_leads"));
	assert_null(find(w, "addresses_counted"));
}

/* Sign-ups wait for at most one piece, no matter how many leads there are. */
static void
a_piece_reads_its_own_leads_alone(void **state)
{
	struct world *w = *state;
	plant_leads(w, ADDRESSES);
	set_max_per_ip(w, 100);
	for (unsigned i = 0; i < 2; i++) {
		int64_t before = root_rows_read();
		assert_false(count_piece(w));
		assert_in_range(root_rows_read() - before, PIECE, 2 * PIECE + PIECE / 2);
	}
	assert_true(count_piece(w));
}

/* docs/operating.md 4, check: an interrupted count is a finding with a hint. */
static void
the_check_finds_an_interrupted_count(void **state)
{
	struct world *w = *state;
	plant_leads(w, ADDRESSES);
	set_max_per_ip(w, 7);
	assert_false(count_piece(w));
	const struct finding *finding = find(w, "addresses_counted");
	assert_non_null(finding);
	assert_slice(finding->detail,
	    pool_printf(w->pool, "campaign %" PRIu64 " is counted up to lead 10000 of 25000: max_per_ip is not applied yet",
		w->campaign)
		.data);
	assert_non_null(strstr(
	    finding->hint.data, pool_printf(w->pool, "leadhook campaign set %" PRIu64 " max_per_ip=7", w->campaign).data));
	set_max_per_ip(w, 8);
	assert_int_equal(count_addresses(w), COUNTING - 1);
	assert_null(find(w, "addresses_counted"));
	assert_int_equal(counted(w), LEADS);
}

/* A lost answer to COMMIT: each lead is counted once, whether the piece was committed or not. */
static void
a_lost_answer_counts_nothing_twice(void **state)
{
	struct world *w = *state;
	for (int after = 0; after < 2; after++) {
		w->campaign = add_campaign(w);
		plant_leads(w, ADDRESSES);
		set_max_per_ip(w, 1);
		breaks = (struct breaks){ .commits = 2, .after = after };
		assert_int_equal(count_addresses(w), after ? 1 : COUNTING);
		assert_int_equal(counted(w), LEADS);
		assert_null(find(w, "ip_leads"));
	}
}

static bool
replace_maximum(void *context, struct campaign_settings *settings)
{
	settings->max_per_ip = *(const uint32_t *)context;
	return true;
}

static enum result
try_to_set(struct world *w, uint32_t max_per_ip, uint64_t *job)
{
	struct campaign_change change = { .edit = replace_maximum, .context = &max_per_ip, .count_by = SLICE("x") };
	const enum result result = store_edit_campaign(w->store, NULL, w->campaign, &change);
	*job = change.job_id;
	return result;
}

static uint64_t
set_and_queue(struct world *w, uint32_t max_per_ip)
{
	uint64_t job;
	assert_int_equal(try_to_set(w, max_per_ip, &job), RESULT_OK);
	assert_int_equal(find_campaign(w, w->campaign).max_per_ip, max_per_ip);
	return job;
}

#define JOBS "SELECT COUNT(*) FROM t_operator_jobs WHERE campaign_id = %" PRIu64

/* docs/architecture.md 6.1: the job is committed with the change that needs it. */
static void
a_change_queues_its_count(void **state)
{
	struct world *w = *state;
	struct operator_job job;
	assert_int_equal(store_find_job(w->store, w->pool, set_and_queue(w, 2), &job), RESULT_OK);
	assert_true(job.kind == JOB_ADDRESS_COUNT && job.campaign_id == w->campaign && job.account_id == w->account);
	assert_true(set_and_queue(w, 3) != 0); /* the first job has not counted them */
	sign_up_from(w, "a@example.org", "192.0.2.1");
	assert_int_equal(count_addresses(w), 1);
	assert_true(set_and_queue(w, 4) == 0);
	assert_true(set_and_queue(w, 0) != 0);
	assert_true(set_and_queue(w, 0) != 0); /* the hint of `check` */
	assert_int_equal(count_addresses(w), 1);
	assert_true(set_and_queue(w, 0) == 0);
	assert_int_equal(root_number(JOBS, w->campaign), 4);
	for (int after = 0; after < 2; after++) {
		w->campaign = add_campaign(w);
		breaks = (struct breaks){ .commits = 1, .after = after };
		assert_int_equal(store_find_job(w->store, w->pool, set_and_queue(w, 2), &job), RESULT_OK);
		assert_int_equal(root_number(JOBS, w->campaign), 1);
		count_addresses(w);
	}
}

/* If the job cannot be queued, the setting is not changed either. */
static void
a_change_without_room_for_its_count_is_undone(void **state)
{
	struct world *w = *state;
	uint64_t job;
	root_run("INSERT INTO t_operator_jobs (id, account_id, kind, parameters, made_by, created_ms)"
		 " SELECT 1000000 + seq, %" PRIu64 ", 'redelivery', '{}', 'x', 0 FROM seq_1_to_%d",
	    w->account, OPERATOR_JOBS_MAX);
	assert_int_equal(try_to_set(w, 9, &job), RESULT_TOO_MANY);
	assert_int_equal(find_campaign(w, w->campaign).max_per_ip, 0);
	root_run("DELETE FROM t_operator_jobs");
}

enum { COUNTERS = 2, SIGN_UPS = 60 };

static bool
change_and_count(struct store *store, const struct world *w)
{
	struct world own = { store, w->pool, w->account, w->campaign };
	struct campaign_settings settings = plain_campaign();
	enum result result = RESULT_OK;
	bool done = false;
	for (unsigned i = 0; i < 4 && result == RESULT_OK; i++) {
		settings.max_per_ip = i % 2;
		result = set_campaign(&own, w->campaign, settings);
		for (done = false; result == RESULT_OK && !done;)
			result = store_count_addresses(store, w->campaign, &done);
	}
	return result == RESULT_OK;
}

static bool
sign_up_and_delete(struct store *store, const struct world *w, unsigned index)
{
	bool all = true;
	for (uint64_t i = 0; i < SIGN_UPS; i++) {
		struct command commands[] = { signup(w, w->campaign, numbered_email(w->pool, index % 2 ? "odd" : "even", i)),
			change_of(w, lead_id(w, 100 * (2 * i + index % 2 + 1)), LEAD_DELETE) };
		struct outcome outcomes[ARRAY_SIZE(commands)];
		commands[0].as.signup.ip = SLICE("192.0.2.1");
		execute(store, w->pool, commands, ARRAY_SIZE(commands), outcomes);
		all = all && outcomes[0].failure == FAILURE_NONE && outcomes[1].failure == FAILURE_NONE;
	}
	return all;
}

static bool
work(struct store *store, const struct world *w, unsigned index)
{
	return index < COUNTERS ? change_and_count(store, w) : sign_up_and_delete(store, w, index);
}

/* Setting, counting, sign-ups and deletions at the same time. */
static void
concurrent_changes_are_counted_once(void **state)
{
	struct world *w = *state;
	plant_leads(w, ADDRESSES);
	processes_start(w, COUNTERS + 2, work);
	assert_true(processes_end());
	set_max_per_ip(w, 1);
	count_addresses(w);
	assert_int_equal(root_number("SELECT COUNT(*) FROM t_leads WHERE campaign_id = %" PRIu64, w->campaign), LEADS);
	assert_int_equal(counted(w),
	    root_number("SELECT COUNT(*) FROM t_leads WHERE campaign_id = %" PRIu64 " AND NOT fraudulent", w->campaign));
	assert_null(find(w, "ip_leads"));
}

/* Counts are removed in pieces, too; what is left is not counted twice when max_per_ip is set again. */
static void
old_counts_are_removed_before_new_ones_are_made(void **state)
{
	struct world *w = *state;
	plant_leads(w, LEADS);
	set_max_per_ip(w, 1);
	count_addresses(w);
	assert_int_equal(counted(w), LEADS);
	set_max_per_ip(w, 0);
	assert_int_equal(counted(w), LEADS);
	assert_false(count_piece(w));
	assert_int_equal(counted(w), LEADS - PIECE);
	set_max_per_ip(w, 1);
	assert_false(count_piece(w));
	assert_int_equal(counted(w), LEADS - 2 * PIECE);
	count_addresses(w);
	assert_int_equal(counted(w), LEADS);
	assert_null(find(w, "ip_leads"));
	set_max_per_ip(w, 0);
	assert_non_null(find(w, "ip_leads")); /* follow the hint: set it again */
	assert_null(find(w, "addresses_counted"));
	count_addresses(w);
	assert_null(find(w, "ip_leads"));
}

/* docs/api.md 4.6: IPv6 by /64. Counts that the database makes of stored leads have the same keys as those that sign-ups and
 * deletions change. */
static void
leads_are_counted_by_network(void **state)
{
	static const char *const addresses[] = { "2001:db8::1", "2001:db8::ffff:192.0.2.1", "2001:db8:0:1::1", "::1",
		"::2:0:0:0:1", "fe80:0:0:1:2::", "2001:db8:1:2:3:4:5:6", "1:0:1::9", "64:ff9b::c000:201", "192.0.2.1" };
	struct world *w = *state;
	for (size_t i = 0; i < ARRAY_SIZE(addresses); i++)
		sign_up_from(w, pool_printf(w->pool, "a%zu@example.org", i).data, addresses[i]);
	set_max_per_ip(w, 2);
	count_addresses(w);
	assert_null(find(w, "ip_leads"));
	assert_int_equal(
	    root_number("SELECT leads FROM t_ip_leads WHERE campaign_id = %" PRIu64 " AND ip = '2001:db8::/64'", w->campaign),
	    2);
	for (size_t i = 0; i < ARRAY_SIZE(addresses); i++)
		sign_up_from(w, pool_printf(w->pool, "b%zu@example.org", i).data, addresses[i]);
	assert_null(find(w, "ip_leads"));
	assert_true(is_fraudulent(w, "b0@example.org") && is_fraudulent(w, "b1@example.org"));
	assert_false(is_fraudulent(w, "b2@example.org") || is_fraudulent(w, "b9@example.org"));
	for (size_t i = 0; i < ARRAY_SIZE(addresses); i++) {
		const struct lead lead =
		    find_lead(w, w->campaign, LEAD_BY_EMAIL, pool_printf(w->pool, "a%zu@example.org", i).data);
		struct command gone = change_of(w, lead.id, LEAD_DELETE);
		run_all(w, &gone, 1);
	}
	assert_null(find(w, "ip_leads"));
	assert_int_equal(counted(w), ARRAY_SIZE(addresses) - 2);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		WORLD_TEST(existing_leads_are_counted_when_max_per_ip_is_set),
		WORLD_TEST(leads_are_counted_by_network),
		WORLD_TEST(sign_ups_go_on_between_the_pieces),
		WORLD_TEST(a_piece_reads_its_own_leads_alone),
		WORLD_TEST(the_check_finds_an_interrupted_count),
		WORLD_TEST(a_lost_answer_counts_nothing_twice),
		WORLD_TEST(a_change_queues_its_count),
		WORLD_TEST(a_change_without_room_for_its_count_is_undone),
		WORLD_TEST(concurrent_changes_are_counted_once),
		WORLD_TEST(old_counts_are_removed_before_new_ones_are_made),
	};
	return WORLD_MAIN(tests);
}
