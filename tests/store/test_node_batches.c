/* SPDX-License-Identifier: MIT
 * Batches on a server that claims to be a node of a cluster, without other nodes (docs/architecture.md 9.2).
 * Modules: store, db. */
#include "unit.h"

#include <inttypes.h>

#include "breaks.h"
#include "engine/events.h"
#include "store/world.h"

#define SETTINGS_VERSION "SELECT SUM(settings_version) FROM t_campaign_counters WHERE campaign_id = %" PRIu64

static void
suspend_all(void)
{
	root_run("UPDATE t_accounts SET suspended_ms = 1");
	root_run("UPDATE t_campaign_counters SET settings_version = settings_version + 1");
}

/* "a batch that is refused in the repetition writes it for this reason" */
static void
a_refusal_after_an_unknown_commit_writes_the_campaign(void **state)
{
	struct world *w = *state;
	struct command command = signup(w, w->campaign, "ada@example.org");
	struct outcome outcome;
	execute(w->store, w->pool, &command, 1, &outcome); /* takes the blocks of ids, so that the next COMMIT is the batch's */
	assert_int_equal(outcome.failure, FAILURE_NONE);
	int64_t before = root_number(SETTINGS_VERSION, w->campaign);
	breaks = (struct breaks){ .commits = 1, .meanwhile = suspend_all };
	execute(w->store, w->pool, &command, 1, &outcome);
	breaks = (struct breaks){ 0 };
	assert_int_not_equal(outcome.failure, FAILURE_NONE);
	assert_int_equal(root_number(SETTINGS_VERSION, w->campaign) - before, 2);
	execute(w->store, w->pool, &command, 1, &outcome); /* an ordinary refusal writes nothing */
	assert_int_not_equal(outcome.failure, FAILURE_NONE);
	assert_int_equal(root_number(SETTINGS_VERSION, w->campaign) - before, 2);
	root_run("UPDATE t_accounts SET suspended_ms = NULL");
}

/* Many rows are written by the multi-row statements for nodes. */
static void
a_batch_is_written_at_a_node(void **state)
{
	enum { COMMANDS = BATCH_MAX - 3 };
	struct world *w = *state;
	struct command commands[COMMANDS];
	struct outcome outcomes[COMMANDS];
	for (size_t i = 0; i < COMMANDS; i++)
		commands[i] = signup(w, w->campaign, numbered_email(w->pool, "node", i));
	add_webhook(w, w->campaign, "https://a.example/", UINT32_C(1) << EVENT_NEW_SIGNUP);
	execute(w->store, w->pool, commands, COMMANDS, outcomes);
	for (size_t i = 0; i < COMMANDS; i++)
		assert_int_equal(outcomes[i].failure, FAILURE_NONE);
	assert_int_equal(root_number("SELECT COUNT(*) FROM t_leads WHERE campaign_id = %" PRIu64, w->campaign), COMMANDS);
	assert_int_equal(root_number("SELECT COUNT(*) FROM t_events WHERE campaign_id = %" PRIu64, w->campaign), COMMANDS);
	assert_int_equal(root_number("SELECT COUNT(DISTINCT subscription_number) FROM t_leads WHERE campaign_id = %" PRIu64
				     " AND subscription_number BETWEEN 1 AND %d",
			     w->campaign, COMMANDS),
	    COMMANDS);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		WORLD_TEST(a_refusal_after_an_unknown_commit_writes_the_campaign),
		WORLD_TEST(a_batch_is_written_at_a_node),
	};
	private_server_set_option("--wsrep-on=ON"); /* a node, but without a provider */
	return WORLD_MAIN(tests);
}
