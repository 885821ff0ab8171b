/* SPDX-License-Identifier: MIT
 * A database in memory for the tests of decide: two campaigns of one account, all rows loaded, one webhook for all events. */
#pragma once

#include "unit.h"

#include <stdlib.h>
#include <string.h>

#include "base/attributes.h"
#include "base/pool.h"
#include "engine/decide/decide.h"
#include "identity/social_id.h"

enum { COMMANDS_MAX = 64, CAMPAIGN = 7, ACCOUNT = 3, NOW = 1795232293 };

static const struct payload_settings settings = {
	.base_url = { "https://lead.example", 20 },
	.avatar_url = { "https://avatar.example/{hash}", 29 },
	.server_secret = { "secret", 6 },
};

static const struct webhook all_events = { .id = 11, .campaign_id = CAMPAIGN, .events = 0xffff };

struct world {
	struct pool *pool;
	struct working_set set;
	struct id_range lead_ids, history_ids, points_call_ids;
	struct id_supply id_supply;
	struct outcome outcomes[COMMANDS_MAX];
	struct decision decision;
	uint64_t next_social_id;
};

/* The tag completes the second action. */
static const struct tag some_tags[] = { { .id = 1, .name = { "vip", 3 }, .points = 5 } };
static const struct action some_actions[] = {
	{ .id = 1, .text = { "share", 5 }, .points = 2 },
	{ .id = 2, .text = { "be a vip", 8 }, .points = 4, .tag_id = 1 },
};
static const struct reward_level some_rewards[] = {
	{ .id = 1, .subject = { "mug", 3 }, .required_points = 3, .emailed = true },
	{ .id = 2, .subject = { "shirt", 5 }, .required_points = 9 },
};

static const struct definitions some_definitions = { some_tags, ARRAY_SIZE(some_tags), some_actions, ARRAY_SIZE(some_actions),
	some_rewards, ARRAY_SIZE(some_rewards) };
static const struct definitions no_definitions;

static int
open_world(void **state)
{
	struct world *w = memory_alloc(sizeof(*w));
	w->pool = pool_new();
	w->set.campaigns = POOL_ARRAY(w->pool, 2, struct working_campaign);
	for (size_t i = 0; i < 2; i++)
		w->set.campaigns[i].campaign = (struct campaign){ .id = CAMPAIGN + i,
			.account_id = ACCOUNT,
			.privacy = true,
			.points_direct = 1,
			.ended_ms = -1,
			.ends_ms = -1,
			.jump_start = 100 };
	w->set.campaign_count = 2;
	w->set.now_ms = (int64_t)NOW * 1000;
	w->set.campaigns[0].webhooks = &all_events;
	w->set.campaigns[0].webhook_count = 1;
	w->set.campaigns[0].definitions = &some_definitions;
	w->set.campaigns[1].definitions = &no_definitions;
	w->lead_ids = w->history_ids = w->points_call_ids = (struct id_range){ 1, UINT64_MAX };
	w->id_supply = (struct id_supply){
		.lead_ids = &w->lead_ids,
		.history_ids = &w->history_ids,
		.points_call_ids = &w->points_call_ids,
		.custom_fields = { 50, 16384, 0 },
	};
	w->next_social_id = 1;
	*state = w;
	return 0;
}

static int
close_world(void **state)
{
	struct world *w = *state;
	pool_free(&w->pool);
	free(w);
	return 0;
}

static void
count_in(struct rank_node *rows, size_t *count, struct rank_place place)
{
	struct rank_node *row = rank_find(rows, *count, place.node);
	if (row == NULL) {
		rows[(*count)++].node = place.node;
		rank_sort(rows, *count);
		row = rank_find(rows, *count, place.node);
	}
	row->leads[place.bucket]++;
}

/* The histogram as the database would store it. */
static struct rank_node *
histogram(struct world *w, size_t *count)
{
	struct rank_node *rows = POOL_ARRAY(w->pool, w->set.lead_count * RANK_LEVELS, struct rank_node);
	*count = 0;
	for (size_t i = 0; i < w->set.lead_count; i++) {
		const struct working_lead *lead = w->set.leads[i];
		struct rank_place places[RANK_LEVELS];
		rank_places(lead->lead.campaign_id, lead->lead.score, places);
		for (size_t k = 0; k < RANK_LEVELS && !lead->gone && !lead->lead.fraudulent; k++)
			count_in(rows, count, places[k]);
	}
	return rows;
}

static void
run(struct world *w, const struct command *commands, size_t count)
{
	const struct command *pointers[COMMANDS_MAX];
	struct slice *social_ids = POOL_ARRAY(w->pool, count, struct slice);
	assert_true(count <= COMMANDS_MAX);
	for (size_t i = 0; i < count; i++) {
		pointers[i] = &commands[i];
		social_ids[i] = social_id_make(w->pool, w->next_social_id++);
	}
	w->id_supply.social_ids = social_ids;
	for (size_t i = 0; i < w->set.campaign_count; i++) {
		struct campaign_lists *lists = POOL_NEW(w->pool, struct campaign_lists);
		*lists = campaign_lists_read(w->pool, &w->set.campaigns[i].campaign);
		w->set.campaigns[i].lists = lists;
	}
	size_t row_count;
	struct rank_node *rows = histogram(w, &row_count);
	const struct batch_commands batch = { pointers, w->outcomes, count };
	decide(w->pool, &batch, &w->set, &w->id_supply, &w->decision);
	decide_render(w->pool, &batch, &settings, rows, row_count, &w->decision);
}

/* Applies the changes as a commit does. */
static void
settle(struct world *w)
{
	size_t old = w->set.ip_count_count, moved = w->decision.ip_move_count;
	struct ip_count *counts = POOL_ARRAY(w->pool, old + moved, struct ip_count);
	for (size_t i = 0; i < old; i++)
		counts[i] = w->set.ip_counts[i];
	for (size_t i = 0; i < moved; i++)
		counts[old + i] = w->decision.ip_moves[i]; /* several rows of one address add up */
	w->set.ip_counts = counts;
	w->set.ip_count_count = old + moved;
	for (size_t i = 0; i < w->set.lead_count; i++)
		w->set.leads[i]->change = ROW_AS_LOADED;
	for (size_t i = 0; i < w->set.link_count; i++)
		w->set.links[i]->change = ROW_AS_LOADED;
	for (size_t i = 0; i < w->set.campaign_count; i++)
		w->set.campaigns[i].changed = false;
}

static struct command
signup(const char *email, const char *phone)
{
	struct command command = {
		.rights = RIGHTS_FULL_KEY, .campaign_id = CAMPAIGN, .account_id = ACCOUNT, .view = { .full = true }
	};
	command.as.signup.email = command.as.signup.email_key = slice_of(email);
	command.as.signup.phone = slice_of(phone);
	return command;
}

UNUSED static struct command
public_signup(const char *email, const char *phone)
{
	struct command command = signup(email, phone);
	command.account_id = 0;
	command.rights = RIGHTS_NONE;
	command.view.full = false;
	return command;
}

UNUSED static void
assert_contains(struct slice body, const char *part)
{
	if (strstr(body.data == NULL ? "" : body.data, part) == NULL)
		fail_msg("%s\nis not in\n%.*s", part, SLICE_ARGS(body));
}

UNUSED static void
assert_failure(const struct world *w, size_t i, enum failure failure)
{
	assert_int_equal(w->outcomes[i].failure, failure);
	assert_false(slice_present(w->outcomes[i].body));
}

UNUSED static void
assert_events(const struct world *w, size_t count, const enum event_type *types)
{
	assert_int_equal(w->decision.event_count, count);
	for (size_t i = 0; i < count; i++)
		assert_int_equal(w->decision.events[i].type, types[i]);
}

#define ASSERT_EVENTS(w, ...)                                                                    \
	assert_events((w), sizeof((enum event_type[]){ __VA_ARGS__ }) / sizeof(enum event_type), \
	    (const enum event_type[]){ __VA_ARGS__ })

#define WORLD_TEST(f) cmocka_unit_test_setup_teardown(f, open_world, close_world)
