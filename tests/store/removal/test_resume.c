/* SPDX-License-Identifier: MIT
 * What is left of erasures and removals is done in turns (docs/operating.md 7.4). */
#include "unit.h"

#include <string.h>

#include "store/removal/removal.h"
#include "store/world.h"

static bool
is_worked_on(const struct resumed_kind *kind, const unsigned char id[REMOVAL_ID_SIZE])
{
	for (size_t i = 0; i < kind->count; i++)
		if (memcmp(kind->works[i].id, id, REMOVAL_ID_SIZE) == 0)
			return true;
	return false;
}

/* One that stands still need not wait until one of those that are worked on has ended. */
static void
none_waits_for_the_end_of_others(void **state)
{
	struct world *w = *state;
	const struct erase_request request = { .person = { .channel = CHANNEL_EMAIL, .address = SLICE("ada@example.org") } };
	struct resumed_removals resumed = { .kinds[0].count = RESUMED_MAX };
	unsigned char id[REMOVAL_ID_SIZE];
	size_t leads;
	bool more;
	assert_int_equal(store_begin_erasure(w->store, &request, id, &leads), RESULT_OK);
	assert_int_equal(store_resume_removals(w->store, &resumed, &more), RESULT_OK);
	assert_false(is_worked_on(&resumed.kinds[0], id));
	root_run("UPDATE t_erasures SET worked_ms = worked_ms - 60000");
	resumed.kinds[0].count = RESUMED_MAX;
	assert_int_equal(store_resume_removals(w->store, &resumed, &more), RESULT_OK);
	assert_true(more && is_worked_on(&resumed.kinds[0], id));
}

int
main(void)
{
	const struct CMUnitTest tests[] = { WORLD_TEST(none_waits_for_the_end_of_others) };
	return WORLD_MAIN(tests);
}
