/* SPDX-License-Identifier: MIT
 * Tags, actions and reward levels, as operators define them (docs/operating.md 4). */
#include "unit.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "store/find.h"
#include "store/operator/definitions.h"
#include "store/world.h"

static struct definition
tag(const char *name)
{
	return (struct definition){ .kind = DEFINITION_TAG, .as.tag = { .name = slice_of(name), .points = -3 } };
}

static struct definition
action(uint64_t tag_id)
{
	return (struct definition){ .kind = DEFINITION_ACTION,
		.as.action = { .text = SLICE("Share"), .points = 7, .tag_id = tag_id } };
}

static struct definition
reward(uint32_t required_points)
{
	return (struct definition){ .kind = DEFINITION_REWARD,
		.as.reward = { .subject = SLICE("T-shirt"), .required_points = required_points, .emailed = true } };
}

static uint64_t
add(struct world *w, struct definition definition)
{
	struct new_definition new = { .definition = &definition };
	assert_int_equal(store_add_definition(w->store, NULL, w->campaign, &new), RESULT_OK);
	assert_int_equal(new.refusal, DEFINITION_FITS);
	return new.id;
}

static enum definition_refusal
refused(struct world *w, struct definition definition)
{
	struct new_definition new = { .definition = &definition };
	assert_int_equal(store_add_definition(w->store, NULL, w->campaign, &new), RESULT_REFUSED);
	return new.refusal;
}

/* An edit that replaces everything. */
static bool
replace(void *context, struct definition *definition)
{
	const struct definition *new = context;
	assert_int_equal(definition->kind, new->kind);
	*definition = *new;
	return true;
}

static enum result
set(struct world *w, uint64_t id, struct definition definition, enum definition_refusal *refusal)
{
	struct definition_change change = { .edit = replace, .context = &definition };
	const struct definition_reference reference = { definition.kind, id };
	const enum result result = store_edit_definition(w->store, NULL, &reference, &change);
	*refusal = change.refusal;
	return result;
}

static enum result
remove_one(struct world *w, enum definition_kind kind, uint64_t id)
{
	return store_remove_definition(w->store, NULL, &(struct definition_reference){ kind, id });
}

static struct definitions
find_all(struct world *w, uint64_t campaign_id)
{
	struct definitions all;
	assert_int_equal(store_find_definitions(w->store, w->pool, campaign_id, &all), RESULT_OK);
	return all;
}

static void
definitions_are_added_changed_and_removed(void **state)
{
	struct world *w = *state;
	enum definition_refusal refusal;
	uint64_t first = add(w, tag("vip")), second = add(w, tag("beta"));
	uint64_t bound = add(w, action(first)), level = add(w, reward(UINT32_MAX));
	struct definitions all = find_all(w, w->campaign);
	assert_true(all.tag_count == 2 && all.action_count == 1 && all.reward_count == 1);
	assert_true(all.tags[0].id == first && all.tags[1].id == second && all.tags[0].points == -3);
	assert_slice(all.tags[0].name, "vip");
	assert_false(slice_present(all.tags[0].description));
	assert_true(all.actions[0].id == bound && all.actions[0].tag_id == first && all.actions[0].points == 7);
	assert_true(all.rewards[0].id == level && all.rewards[0].required_points == UINT32_MAX && all.rewards[0].emailed);

	struct definition other = tag("vip");
	other.as.tag.description = SLICE("Very important");
	other.as.tag.points = 99999;
	assert_int_equal(set(w, first, other, &refusal), RESULT_OK);
	assert_int_equal(set(w, bound, action(0), &refusal), RESULT_OK);
	assert_int_equal(set(w, level, reward(1), &refusal), RESULT_OK);
	all = find_all(w, w->campaign);
	assert_slice(all.tags[0].description, "Very important");
	assert_true(all.tags[0].points == 99999 && all.actions[0].tag_id == 0 && all.rewards[0].required_points == 1);

	assert_int_equal(remove_one(w, DEFINITION_TAG, first), RESULT_OK);
	assert_int_equal(remove_one(w, DEFINITION_ACTION, bound), RESULT_OK);
	assert_int_equal(remove_one(w, DEFINITION_REWARD, level), RESULT_OK);
	all = find_all(w, w->campaign);
	assert_true(all.tag_count == 1 && all.action_count == 0 && all.reward_count == 0);
	assert_int_equal(all.tags[0].id, second);
}

static void
missing_definitions_are_reported(void **state)
{
	struct world *w = *state;
	enum definition_refusal refusal;
	struct definition definition = tag("vip");
	(void)add(w, definition);
	w->campaign = UNKNOWN_ID;
	struct new_definition new = { .definition = &definition };
	assert_int_equal(store_add_definition(w->store, NULL, w->campaign, &new), RESULT_NOT_FOUND);
	for (int kind = DEFINITION_TAG; kind <= DEFINITION_REWARD; kind++)
		assert_int_equal(remove_one(w, (enum definition_kind)kind, UNKNOWN_ID), RESULT_NOT_FOUND);
	assert_int_equal(set(w, UNKNOWN_ID, tag("vip"), &refusal), RESULT_NOT_FOUND);
	assert_int_equal(set(w, UNKNOWN_ID, action(0), &refusal), RESULT_NOT_FOUND);
	assert_int_equal(set(w, UNKNOWN_ID, reward(1), &refusal), RESULT_NOT_FOUND);
}

/* Names are compared byte for byte, including case and accents. */
static void
names_of_tags_are_unique_in_a_campaign(void **state)
{
	static const char *const others[] = { "VIP", "vip2", "v\xc3\xadp", "vi p" };
	struct world *w = *state;
	enum definition_refusal refusal;
	uint64_t id = add(w, tag("vip"));
	assert_int_equal(refused(w, tag("vip")), DEFINITION_NAME_TAKEN);
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		add(w, tag(others[i]));
	assert_int_equal(set(w, id, tag("VIP"), &refusal), RESULT_REFUSED);
	assert_int_equal(refusal, DEFINITION_NAME_TAKEN);
	assert_int_equal(set(w, id, tag("vip"), &refusal), RESULT_OK); /* the name that it already has */
	w->campaign = add_campaign(w);
	add(w, tag("vip"));
}

static void
an_action_has_a_tag_of_its_campaign(void **state)
{
	struct world *w = *state;
	enum definition_refusal refusal;
	uint64_t other_campaign = w->campaign, foreign = add(w, tag("vip"));
	w->campaign = add_campaign(w);
	uint64_t own = add(w, tag("vip")), id = add(w, action(own));
	assert_int_equal(refused(w, action(foreign)), DEFINITION_NO_TAG);
	assert_int_equal(refused(w, action(UNKNOWN_ID)), DEFINITION_NO_TAG);
	assert_int_equal(set(w, id, action(foreign), &refusal), RESULT_REFUSED);
	assert_int_equal(refusal, DEFINITION_NO_TAG);
	assert_int_equal(find_all(w, w->campaign).actions[0].tag_id, own);
	assert_int_equal(find_all(w, other_campaign).action_count, 0);
}

static bool
refuse(void *context UNUSED, struct definition *definition)
{
	definition->as.tag.points = 1;
	return false;
}

static void
a_refused_edit_changes_nothing(void **state)
{
	struct world *w = *state;
	const struct definition_reference reference = { DEFINITION_TAG, add(w, tag("vip")) };
	struct definition_change change = { .edit = refuse };
	assert_int_equal(store_edit_definition(w->store, NULL, &reference, &change), RESULT_REFUSED);
	assert_int_equal(change.refusal, DEFINITION_REFUSED);
	assert_int_equal(find_all(w, w->campaign).tags[0].points, -3);
}

/* Adds reward levels until one is refused. */
static bool
add_many(struct store *store, const struct world *world, unsigned index UNUSED)
{
	const struct definition definition = reward(0);
	struct new_definition new = { .definition = &definition, .refusal = DEFINITION_FITS };
	for (unsigned i = 0; i <= REWARD_LEVELS_MAX && new.refusal == DEFINITION_FITS; i++) {
		enum result result = store_add_definition(store, NULL, world->campaign, &new);
		if (result != (new.refusal == DEFINITION_FITS ? RESULT_OK : RESULT_REFUSED))
			return false;
	}
	return new.refusal == DEFINITION_TOO_MANY;
}

/* docs/manage.md 1.1: "20 rewards", also with concurrent calls. */
static void
a_campaign_has_so_many_reward_levels(void **state)
{
	struct world *w = *state;
	enum definition_refusal refusal;
	processes_start(w, 2, add_many);
	assert_true(processes_end());
	assert_int_equal(find_all(w, w->campaign).reward_count, REWARD_LEVELS_MAX);
	uint64_t id = find_all(w, w->campaign).rewards[0].id;
	add(w, tag("of another kind"));
	assert_int_equal(set(w, id, reward(7), &refusal), RESULT_OK);
	assert_int_equal(remove_one(w, DEFINITION_REWARD, id), RESULT_OK);
	add(w, reward(0));
}

/* "500 tags, 500 actions". */
static void
a_campaign_has_so_many_tags_and_actions(void **state)
{
	struct world *w = *state;
	const struct definition kinds[] = { tag("one more"), action(0) };
	root_run("INSERT INTO t_tags (id, campaign_id, name, points) SELECT 1000000 + seq, %" PRIu64
		 ", seq, 0 FROM seq_1_to_499",
	    w->campaign);
	root_run("INSERT INTO t_actions (id, campaign_id, text, points) SELECT 1000000 + seq, %" PRIu64
		 ", seq, 0 FROM seq_1_to_499",
	    w->campaign);
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		add(w, kinds[i]);
		assert_int_equal(refused(w, kinds[i]), DEFINITION_TOO_MANY);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		WORLD_TEST(definitions_are_added_changed_and_removed),
		WORLD_TEST(missing_definitions_are_reported),
		WORLD_TEST(names_of_tags_are_unique_in_a_campaign),
		WORLD_TEST(an_action_has_a_tag_of_its_campaign),
		WORLD_TEST(a_refused_edit_changes_nothing),
		WORLD_TEST(a_campaign_has_so_many_reward_levels),
		WORLD_TEST(a_campaign_has_so_many_tags_and_actions),
	};
	return WORLD_MAIN(tests);
}
