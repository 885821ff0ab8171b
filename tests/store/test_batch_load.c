/* SPDX-License-Identifier: MIT
 * The working set as engine/decide/working_set.h describes it: the rows that the commands of a batch name, and those that
 * depend on them. */
#include "unit.h"

#include <inttypes.h>

#include "engine/decide/working_set.h"
#include "store/batch_load.h"
#include "store/find.h"
#include "store/state.h"
#include "world.h"

enum { MANY = 2500 /* more than two lists hold */ };

/* Loads what the commands need, in a transaction that is rolled back. */
static struct working_set
load(struct world *w, const struct command *commands, size_t count)
{
	const struct command **pointers = POOL_ARRAY(w->pool, count, const struct command *);
	struct working_set loaded;
	for (size_t i = 0; i < count; i++)
		pointers[i] = &commands[i];
	assert_int_equal(db_begin(w->store->db), RESULT_OK);
	assert_int_equal(store_load(w->store, w->pool, pointers, count, NULL, &loaded), RESULT_OK);
	db_rollback(w->store->db);
	return loaded;
}

static const struct working_lead *
loaded_lead(const struct working_set *loaded, uint64_t id)
{
	const struct working_lead *found = NULL;
	for (size_t i = 0; i < loaded->lead_count; i++)
		if (loaded->leads[i]->lead.id == id) {
			assert_null(found); /* once */
			found = loaded->leads[i];
		}
	return found;
}

/* docs/api.md 4.6, Chain */
static void
a_lead_comes_with_its_chain(void **state)
{
	struct world *w = *state;
	struct lead a = sign_up_referred(w, "a@example.org", SLICE_NONE);
	struct lead b = sign_up_referred(w, "b@example.org", a.social_id);
	struct lead c = sign_up_referred(w, "c@example.org", b.social_id);
	struct command commands[] = { change_of(w, c.id, LEAD_VERIFY), referred_signup(w, "d@example.org", c.social_id),
		change_of(w, a.id, LEAD_VERIFY) };
	for (size_t i = 0; i < 2; i++) {
		struct working_set loaded = load(w, &commands[i], 1);
		assert_int_equal(loaded.lead_count, 3);
		assert_non_null(loaded_lead(&loaded, a.id));
		assert_non_null(loaded_lead(&loaded, b.id));
		assert_non_null(loaded_lead(&loaded, c.id));
		assert_int_equal(loaded.link_count, 2);
		for (size_t k = 0; k < 2; k++) {
			const struct referral_link *link = &loaded.links[k]->link;
			assert_int_equal(link->lead_id, c.id);
			assert_int_equal(link->ancestor_id, link->level == 1 ? b.id : a.id);
			assert_int_equal(link->counted, REFERRAL_UNVERIFIED);
			assert_true(link->counts);
		}
		assert_int_equal(loaded.links[0]->link.level + loaded.links[1]->link.level, 3);
	}
	struct working_set alone = load(w, &commands[2], 1);
	assert_int_equal(alone.lead_count, 1);
	assert_int_equal(alone.link_count, 0);
}

/* Statements without values are not sent. */
static void
only_needed_statements_run(void **state)
{
	struct world *w = *state;
	struct lead a = sign_up_referred(w, "a@example.org", SLICE_NONE);
	struct lead b = sign_up_referred(w, "b@example.org", a.social_id);
	struct command alone = change_of(w, a.id, LEAD_VERIFY), referred = change_of(w, b.id, LEAD_VERIFY);
	load(w, &referred, 1); /* prepares the statements */
	int64_t start = root_questions();
	load(w, &alone, 1);
	int64_t middle = root_questions();
	load(w, &referred, 1);
	assert_int_equal(middle - start, 4); /* BEGIN, the lock, leads, ROLLBACK */
	assert_int_equal(root_questions() - middle, 6);
}

static void
leads_are_loaded_by_every_identity_once(void **state)
{
	struct world *w = *state;
	struct command both = signup(w, w->campaign, "a@example.org");
	both.as.signup.phone = SLICE("+14155552671");
	run_all(w, &both, 1);
	sign_up_many(w, "other", 3);
	struct lead a = find_lead(w, w->campaign, LEAD_BY_EMAIL, "a@example.org");
	struct lead others[] = { find_lead(w, w->campaign, LEAD_BY_EMAIL, "other0@example.org"),
		find_lead(w, w->campaign, LEAD_BY_EMAIL, "other1@example.org"),
		find_lead(w, w->campaign, LEAD_BY_EMAIL, "other2@example.org") };
	struct lead_reference named[] = {
		{ .identity = LEAD_BY_PHONE, .value = SLICE("+14155552671") },
		{ .identity = LEAD_BY_EMAIL, .value = SLICE("other0@example.org") },
		{ .identity = LEAD_BY_SOCIAL_ID, .value = others[1].social_id },
		{ .identity = LEAD_BY_ID, .id = others[2].id },
		{ .identity = LEAD_BY_ID, .id = a.id },
		{ .identity = LEAD_BY_EMAIL, .value = SLICE("unknown@example.org") },
	};
	struct command commands[] = {
		both,
		{ .kind = COMMAND_TAGGING, .campaign_id = w->campaign, .as.tagging.signup.subject = a.social_id },
		{ .kind = COMMAND_COMPLETION, .campaign_id = w->campaign, .as.completion.lead = named[2] },
		{ .kind = COMMAND_POINTS,
		    .campaign_id = w->campaign,
		    .as.points = { named, ARRAY_SIZE(named), 1, 0, SLICE_NONE } },
	};
	struct working_set loaded = load(w, commands, ARRAY_SIZE(commands));
	assert_int_equal(loaded.lead_count, 4);
	assert_non_null(loaded_lead(&loaded, a.id));
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		assert_non_null(loaded_lead(&loaded, others[i].id));
	loaded = load(w, commands + 1, 1);
	assert_int_equal(loaded.lead_count, 1);
	loaded = load(w, commands + 2, 1);
	assert_non_null(loaded_lead(&loaded, others[1].id));
}

/* Lists are longer than one statement takes; all of the leads have a parent. */
static void
long_lists_are_loaded_whole(void **state)
{
	struct world *w = *state;
	const uint64_t first = 1000000000 + w->campaign * 10000;
	root_run("INSERT INTO t_leads (id, campaign_id, subscription_number, social_id, parent_id, created_ms, updated_ms) "
		 "SELECT %" PRIu64 " + seq, %" PRIu64 ", seq, CONCAT('x', LPAD(seq, 9, '0')), IF(seq > %d, %" PRIu64
		 " + seq - %d, NULL), 0, 0 FROM seq_1_to_%d",
	    first, w->campaign, MANY, first, MANY, 2 * MANY);
	root_run("INSERT INTO t_referral_links (lead_id, level, ancestor_id) SELECT id, 1, parent_id FROM t_leads "
		 "WHERE campaign_id = %" PRIu64 " AND parent_id IS NOT NULL",
	    w->campaign);
	struct lead_reference *named = POOL_ARRAY(w->pool, MANY, struct lead_reference);
	for (size_t i = 0; i < MANY; i++)
		named[i] = (struct lead_reference){ .identity = LEAD_BY_ID, .id = first + 2 * MANY - i };
	struct command commands[] = {
		{ .kind = COMMAND_POINTS, .campaign_id = w->campaign, .as.points = { named, MANY, 1, 0, SLICE_NONE } },
		change_of(w, named[0].id, LEAD_VERIFY),
	};
	/* points do not concern referrers */
	struct working_set loaded = load(w, commands, 1);
	assert_int_equal(loaded.lead_count, MANY);
	assert_int_equal(loaded.link_count, 0);
	loaded = load(w, commands, 2);
	assert_int_equal(loaded.lead_count, 2 * MANY);
	assert_int_equal(loaded.link_count, MANY);
	for (uint64_t i = 1; i <= 2 * MANY; i += 97)
		assert_non_null(loaded_lead(&loaded, first + i));
}

/* Only definitions of the named campaigns are loaded, each kind by id. */
static void
definitions_are_loaded_by_id(void **state)
{
	struct world *w = *state;
	uint64_t other = add_campaign(w), foreign = add_campaign(w);
	plant_definitions(w->campaign);
	plant_definitions(other);
	plant_definitions(foreign);
	struct command commands[] = { signup(w, other, "a@example.org"), signup(w, w->campaign, "a@example.org") };
	struct working_set both = load(w, commands, 2);
	for (size_t i = 0; i < 4; i++) {
		uint64_t campaign = i < 2 ? w->campaign : other, id = campaign * 10 + 1 + i % 2;
		const struct definitions *loaded = both.campaigns[i / 2].definitions;
		assert_true(loaded->tag_count == 2 && loaded->action_count == 2 && loaded->reward_count == 1);
		assert_true(loaded->tags[i % 2].id == id);
		assert_slice(loaded->tags[i % 2].name, i % 2 ? "aaa" : "zzz");
		assert_int_equal(loaded->tags[i % 2].points, i % 2 ? -5 : 7);
		assert_true(loaded->actions[i % 2].id == id);
		assert_slice(loaded->actions[i % 2].text, i % 2 ? "be tagged" : "share");
		assert_int_equal(loaded->actions[i % 2].points, i % 2 ? 4 : 3);
		assert_int_equal(loaded->actions[i % 2].tag_id, i % 2 ? campaign * 10 + 1 : 0);
	}
	const struct definitions *last = both.campaigns[1].definitions;
	assert_true(last->rewards[0].required_points == UINT32_MAX && last->rewards[0].emailed);
	struct definitions found;
	assert_int_equal(store_find_definitions(w->store, w->pool, w->campaign, &found), RESULT_OK);
	assert_true(found.tag_count == 2 && found.action_count == 2 && found.reward_count == 1);
	assert_slice(found.tags[1].description, "why");
	assert_false(slice_present(found.tags[0].description));
	assert_slice(found.rewards[0].subject, "mug");
}

/* docs/api.md 4.6, duplicate_ip: counted only for campaigns with max_per_ip. */
static void
addresses_are_counted_where_they_matter(void **state)
{
	struct world *w = *state;
	uint64_t other = add_campaign(w);
	struct command commands[] = { signup(w, w->campaign, "a@example.org"), signup(w, other, "b@example.org"),
		signup(w, w->campaign, "c@example.org"), signup(w, w->campaign, "d@example.org") };
	set_columns(w->campaign, "max_per_ip = 2");
	count_addresses(w);
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		commands[i].as.signup.ip = i == 2 ? SLICE("2001:db8::1") : SLICE("192.0.2.1");
	run_all(w, commands, ARRAY_SIZE(commands));
	assert_int_equal(
	    root_number("SELECT leads FROM t_ip_leads WHERE campaign_id = %" PRIu64 " AND ip = '192.0.2.1'", w->campaign), 2);
	assert_int_equal(root_number("SELECT COUNT(*) FROM t_ip_leads WHERE campaign_id = %" PRIu64, other), 0);
	struct working_set loaded = load(w, commands, 2);
	assert_int_equal(loaded.ip_count_count, 1);
	assert_int_equal(loaded.ip_counts[0].leads, 2);
	assert_slice(loaded.ip_counts[0].ip, "192.0.2.1");
	/* counted once, even with more sign-ups than one statement takes */
	struct command *many = POOL_ARRAY(w->pool, MANY, struct command);
	for (size_t i = 0; i < MANY; i++)
		many[i] = commands[0];
	assert_int_equal(load(w, many, MANY).ip_count_count, 1);
	struct command last = signup(w, w->campaign, "e@example.org");
	last.as.signup.ip = SLICE("192.0.2.1");
	run_all(w, &last, 1);
	assert_true(find_lead(w, w->campaign, LEAD_BY_EMAIL, "e@example.org").fraudulent);
	/* that lead, and an update with the same address, do not change the count */
	run_all(w, commands, 1);
	assert_int_equal(
	    root_number("SELECT leads FROM t_ip_leads WHERE campaign_id = %" PRIu64 " AND ip = '192.0.2.1'", w->campaign), 2);
	struct command gone = change_of(w, find_lead(w, w->campaign, LEAD_BY_EMAIL, "c@example.org").id, LEAD_DELETE);
	run_all(w, &gone, 1);
	assert_int_equal(root_number("SELECT COUNT(*) FROM t_ip_leads WHERE campaign_id = %" PRIu64 " AND ip = '2001:db8::/64'",
			     w->campaign),
	    0);
	/* unchanged rows are not written */
	root_run("DELETE FROM t_ip_leads WHERE campaign_id = %" PRIu64, w->campaign);
	run_all(w, commands, 1);
	assert_int_equal(root_number("SELECT COUNT(*) FROM t_ip_leads WHERE campaign_id = %" PRIu64, w->campaign), 0);
	/* not read while some leads are not counted */
	root_run("INSERT INTO t_ip_leads VALUES (%" PRIu64 ", '192.0.2.1', 1)", w->campaign);
	assert_int_equal(load(w, commands, 1).ip_count_count, 1);
	root_run("UPDATE t_campaign_counters SET ip_counted_to = 1 WHERE campaign_id = %" PRIu64, w->campaign);
	assert_int_equal(load(w, commands, 1).ip_count_count, 0);
}

/* docs/api.md 4.6, Campaign settings */
static void
settings_are_loaded(void **state)
{
	struct world *w = *state;
	struct command command = signup(w, w->campaign, "a@example.org");
	set_columns(w->campaign,
	    "points_signup = 1, points_direct = 2, points_indirect = 3, points_verified = 4, "
	    "require_verification = TRUE, waitlist = FALSE, max_per_ip = 5, blocked_email_domains = 'domains', "
	    "blocked_referrers = 'referrers', allowed_networks = '192.0.2.0/24'");
	struct working_set loaded = load(w, &command, 1);
	struct campaign *campaign = &loaded.campaigns[0].campaign;
	assert_true(campaign->points_signup == 1 && campaign->points_direct == 2 && campaign->points_indirect == 3 &&
		    campaign->points_verified == 4 && campaign->require_verification && !campaign->waitlist &&
		    campaign->max_per_ip == 5);
	assert_slice(campaign->blocked_email_domains, "domains");
	assert_slice(campaign->blocked_referrers, "referrers");
	assert_slice(campaign->allowed_networks, "192.0.2.0/24");
	/* the lists are read once for all batches, with the settings */
	const struct campaign_lists *lists = loaded.campaigns[0].lists;
	assert_true(host_list_contains(&lists->blocked_email_domains, SLICE("domains")));
	assert_true(host_list_contains(&lists->blocked_referrers, SLICE("referrers")));
	assert_int_equal(lists->allowed_networks.count, 1);
	const struct working_set again = load(w, &command, 1);
	assert_ptr_equal(again.campaigns[0].lists->blocked_referrers.hosts, lists->blocked_referrers.hosts);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		WORLD_TEST(a_lead_comes_with_its_chain),
		WORLD_TEST(only_needed_statements_run),
		WORLD_TEST(leads_are_loaded_by_every_identity_once),
		WORLD_TEST(long_lists_are_loaded_whole),
		WORLD_TEST(definitions_are_loaded_by_id),
		WORLD_TEST(addresses_are_counted_where_they_matter),
		WORLD_TEST(settings_are_loaded),
	};
	return WORLD_MAIN(tests);
}
