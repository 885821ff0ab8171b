/* SPDX-License-Identifier: MIT
 * What is left of erasures and removals is done in turns (docs/operating.md 7.4). */
#include "unit.h"

#include <string.h>

#include "store/removal/campaigns.h"
#include "store/removal/resume.h"
#include "store/world.h"

static bool
is_worked_on(const struct resumed_kind *kind, const unsigned char id[ERASURE_ID_SIZE])
{
	for (size_t i = 0; i < kind->count; i++)
		if (memcmp(kind->works[i].id, id, ERASURE_ID_SIZE) == 0)
			return true;
	return false;
}

/* A stalled erasure does not wait until one that is being worked on ends. */
static void
none_waits_for_the_end_of_others(void **state)
{
	struct world *w = *state;
	const struct erase_request request = { .person = { .channel = CHANNEL_EMAIL, .address = SLICE("ada@example.org") } };
	struct resumed_removals resumed = { .kinds[0].count = RESUMED_MAX };
	unsigned char id[ERASURE_ID_SIZE];
	size_t leads;
	bool more;
	assert_int_equal(store_begin_erasure(w->store, &request, id, &leads), RESULT_OK);
	assert_int_equal(store_resume_removals(w->store, &resumed, &more), RESULT_OK);
	assert_false(is_worked_on(&resumed.kinds[0], id));
	root_run("UPDATE t_erasures SET worked_ms = worked_ms - 60000");
	resumed.kinds[0].count = RESUMED_MAX;
	assert_int_equal(store_resume_removals(w->store, &resumed, &more), RESULT_OK);
	assert_true(more && is_worked_on(&resumed.kinds[0], id));
	root_run("DELETE FROM t_erasures");
}

/* Steps with a search find leads that still exist, because the campaign is being removed, even if these steps have nothing to
 * erase. */
static void
an_erasure_ends_beside_the_removal_of_its_campaign(void **state)
{
	struct world *w = *state;
	const struct erase_request request = {
		.person = { .campaign_id = w->campaign, .channel = CHANNEL_EMAIL, .address = SLICE("ada@example.org") }
	};
	struct removal_counts counts = { 0 };
	unsigned char id[ERASURE_ID_SIZE];
	size_t leads;
	bool done = false;
	sign_up_referred(w, "ada@example.org", SLICE_NONE);
	assert_int_equal(store_begin_erasure(w->store, &request, id, &leads), RESULT_OK);
	assert_int_equal(leads, 1);
	assert_int_equal(store_remove_campaign(w->store, w->campaign), RESULT_OK);
	while (!done)
		assert_int_equal(store_continue_erasure(w->store, id, &counts, &done), RESULT_OK);
	assert_int_equal(root_number("SELECT COUNT(*) FROM t_leads WHERE email = 'ada@example.org'"), 1);
	for (done = false; !done;)
		assert_int_equal(store_continue_removal(w->store, w->campaign, &counts, &done), RESULT_OK);
	assert_int_equal(root_number("SELECT COUNT(*) FROM t_leads WHERE email = 'ada@example.org'"), 0);
}

/* An erasure that ends the process at once does not do so again right after the next start. */
static void
what_is_begun_is_left_for_a_minute(void **state)
{
	struct world *w = *state;
	const struct erase_request request = { .person = { .channel = CHANNEL_EMAIL, .address = SLICE("eve@example.org") } };
	struct resumed_removals resumed = { 0 };
	unsigned char id[ERASURE_ID_SIZE];
	size_t leads;
	bool found, more;
	assert_int_equal(store_begin_erasure(w->store, &request, id, &leads), RESULT_OK);
	root_run("UPDATE t_erasures SET worked_ms = worked_ms - 60000, step = 200"); /* a step of a later version: it fails */
	assert_int_equal(store_resume_removals(w->store, &resumed, &more), RESULT_OK);
	assert_int_equal(store_find_erasure(w->store, 1000, id, &found), RESULT_OK);
	assert_false(found);
	assert_int_equal(store_postpone_erasure(w->store, erasure_number(id), 3600 * 1000), RESULT_OK);
	root_run("UPDATE t_erasures SET worked_ms = worked_ms - 60000");
	assert_int_equal(store_find_erasure(w->store, 0, id, &found), RESULT_OK);
	assert_false(found);
}

int
main(void)
{
	const struct CMUnitTest tests[] = { WORLD_TEST(none_waits_for_the_end_of_others),
		WORLD_TEST(an_erasure_ends_beside_the_removal_of_its_campaign),
		WORLD_TEST(what_is_begun_is_left_for_a_minute) };
	return WORLD_MAIN(tests);
}
